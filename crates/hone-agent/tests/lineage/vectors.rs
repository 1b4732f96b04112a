//! The committed test vectors: what this crate writes, and what the second verifier says about it.
//!
//! `HONE_UPDATE_VECTORS=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hone_agent::canonical::canonical;
use hone_agent::lineage::merkle;
use hone_agent::lineage::proof::{StepProof, Unproven, leaf};
use hone_agent::lineage::receipt::{Handover, Kind, State, TranscriptMark};
use hone_agent::lineage::state::state;
use hone_agent::lineage::{Chain, SigningKey, chain};
use serde_json::{Value, json};

use crate::sample::{LAYOUT, brain, entry, key, task};

/// The variable that names a Python with the package `cryptography`.
const VARIABLE: &str = "HONE_TEST_PYTHON";

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/lineage")
}

/// Steps with what makes canonical JSON hard: order of keys, numbers, control characters, scripts.
fn transcript() -> Vec<Value> {
    vec![
        json!({"kind": "asked", "at": 1, "text": "Prüfe \u{1f600} \"this\"\n\u{7f}\u{1}"}),
        json!({"kind": "tool", "tool": "recall", "args": {"\u{ff5e}": 1, "\u{1f600}": 2, "b": [1.5, 1e21, -0.0, 100]}}),
        json!({"kind": "answered", "text": "{\"ok\": true}"}),
    ]
}

/// Makes all vectors in a folder.
fn make(folder: &Path) {
    let transcript = transcript();
    let lines = transcript.iter().fold(Vec::new(), |mut lines, step| {
        lines.extend(canonical(step).bytes());
        lines.push(b'\n');
        lines
    });
    fs::write(folder.join("transcript.jsonl"), lines).unwrap();
    let leaves: Vec<_> = transcript.iter().map(leaf).collect();
    let mark = TranscriptMark { root: merkle::root(&leaves), steps: 3 };

    let home = tempfile::tempdir().unwrap();
    brain(home.path());
    let hash = state(home.path(), &LAYOUT).unwrap();
    let now = |version| State { knowledge: hash.knowledge, activity: hash.activity, version };
    let text = json!({
        "files": {
            "MEMORY.md": "# Memory\n- oracle: use TWAP\n",
            "skills/deep/SKILL.md": "---\nname: deep\n---\nDig.\n",
            "skills/oracle.md": "---\nname: oracle\n---\nLook.\n",
            "system.md": "You audit.\n",
        },
        "sql": "CREATE TABLE facts(key TEXT PRIMARY KEY, value, weight) WITHOUT ROWID; CREATE TABLE messages(id INTEGER PRIMARY KEY, text TEXT); INSERT INTO facts VALUES ('oracle', 'use TWAP', 1.5), ('empty', NULL, NULL), ('blob', x'00ff', 2); INSERT INTO messages(id, text) VALUES (1, 'hello'), (2, 'again'), (255, 'last of its group'), (256, 'first of the next'), (70000, 'far'), (-1, 'below');",
        "layout": {
            "files": {"system.md": "knowledge", "MEMORY.md": "knowledge"},
            "folders": {"skills": "knowledge"},
            "database": "memory.db",
            "tables": [
                {"name": "facts", "columns": ["key", "value", "weight"], "key": ["key"], "root": "knowledge", "rows": "keyed"},
                {"name": "messages", "columns": ["id", "text"], "key": ["id"], "root": "activity", "rows": "numbered"},
            ],
        },
        "members": hash.members,
        "knowledge": hash.knowledge,
        "activity": hash.activity,
        "bundle": hash.whole(),
    });
    fs::write(folder.join("state.json"), pretty(&text)).unwrap();

    let path = folder.join("receipts.jsonl");
    let _ = fs::remove_file(&path);
    let mut chain = Chain::open(&path).unwrap();
    let earlier = crate::sample::state("before", 1);
    let new = SigningKey::from_seed(&[2; 32]);
    let proof = {
        let mut add =
            |entry, key: &SigningKey| chain.append("auditor", entry, key).unwrap().clone();
        add(entry(Kind::Created, 1_700_000_000_000, earlier), &key());
        let receipt = add(task(1_700_000_060_000, now(2), mark), &key());
        let mut outside = entry(Kind::Outside, 1_700_000_120_000, now(2));
        outside.changes = vec!["transcripts/gone.jsonl".to_owned()];
        add(outside, &key());
        let mut handover = entry(Kind::Handover, 1_700_000_180_000, now(2));
        handover.handover = Some(Handover::new("auditor", key().public(), &new));
        add(handover, &key());
        add(task(1_700_000_240_000, now(2), mark), &new);
        StepProof::cut(&receipt, &transcript, 1).unwrap()
    };
    fs::write(folder.join("proof.json"), pretty(&serde_json::to_value(proof).unwrap())).unwrap();
    fs::write(folder.join("key.pub"), format!("{}\n", key().public())).unwrap();
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap() + "\n"
}

fn vectors() -> PathBuf {
    docs().join("vectors")
}

#[test]
fn the_vectors_are_what_is_written() {
    if std::env::var_os("HONE_UPDATE_VECTORS").is_some() {
        fs::create_dir_all(vectors()).unwrap();
        make(&vectors());
    }
    let folder = tempfile::tempdir().unwrap();
    make(folder.path());
    for entry in fs::read_dir(folder.path()).unwrap() {
        let name = entry.unwrap().file_name();
        let read = |folder: &Path| fs::read_to_string(folder.join(&name)).unwrap();
        assert_eq!(read(&vectors()), read(folder.path()), "{name:?}");
    }
}

#[test]
fn the_vectors_hold() {
    let checked = chain::check(&vectors().join("receipts.jsonl"), key().public()).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    let proof = fs::read(vectors().join("proof.json")).unwrap();
    let proof: StepProof = serde_json::from_slice(&proof).unwrap();
    assert_eq!(proof.check(), Ok(()));
}

#[test]
fn a_step_that_was_changed_moved_or_taken_from_elsewhere_is_not_proven() {
    let read = fs::read(vectors().join("proof.json")).unwrap();
    let good: StepProof = serde_json::from_slice(&read).unwrap();
    let changed = |change: fn(&mut StepProof)| {
        let mut proof = good.clone();
        change(&mut proof);
        proof.check()
    };
    assert_eq!(changed(|proof| proof.step["tool"] = json!("note")), Err(Unproven::Root));
    assert_eq!(changed(|proof| proof.index = 0), Err(Unproven::Root));
    assert_eq!(changed(|proof| proof.path.truncate(1)), Err(Unproven::Root));
    assert_eq!(changed(|proof| proof.receipt.at += 1), Err(Unproven::Signature));
    assert_eq!(changed(|proof| proof.schema.push('1')), Err(Unproven::Schema));
}

/// Runs the second verifier.
fn python(arguments: &[&Path]) -> Output {
    let python = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).unwrap_or_else(|| {
        panic!(
            "this test needs a Python with the package `cryptography`: run `cargo xtask test`, or \
             set {VARIABLE}"
        )
    });
    Command::new(python).arg(docs().join("verify.py")).args(arguments).output().unwrap()
}

#[test]
fn the_second_verifier_agrees_on_what_holds() {
    let at = |name: &str| vectors().join(name);
    for arguments in [
        vec![Path::new("receipts"), &at("receipts.jsonl"), &at("key.pub")],
        vec![Path::new("step"), &at("proof.json"), &at("key.pub")],
        vec![Path::new("transcript"), &at("transcript.jsonl"), &at("receipts.jsonl")],
        vec![Path::new("state"), &at("state.json")],
    ] {
        let output = python(&arguments);
        let text = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {text}{error}");
    }
}

/// Every receipt broken in one field: both verifiers name the same receipt.
#[test]
fn the_second_verifier_agrees_on_what_does_not() {
    let good = fs::read_to_string(vectors().join("receipts.jsonl")).unwrap();
    let good: Vec<&str> = good.lines().collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    for (at, (from, to)) in [
        ("\"version\":1", "\"version\":2"),
        ("\"outcome\":\"answered\"", "\"outcome\":\"failed\""),
        ("gone.jsonl", "here.jsonl"),
        ("\"consent\":\"", "\"consent\":\"0"),
        ("\"turns\":3", "\"turns\":4"),
    ]
    .into_iter()
    .enumerate()
    {
        let mut lines: Vec<String> = good.iter().map(|line| (*line).to_owned()).collect();
        lines[at] = lines[at].replacen(from, to, 1);
        assert_ne!(lines[at], good[at]);
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        let first = chain::check(&path, key().public()).unwrap().breaks[0].index;
        let output = python(&[Path::new("receipts"), &path, &vectors().join("key.pub")]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert_eq!(first, at as u64);
        assert!(text.starts_with(&format!("receipt {at}, ")), "{text}");
    }
}
