//! The committed test vectors: what this crate writes, and what the second verifier says about it.
//!
//! `HONE_UPDATE_VECTORS=1` writes them anew.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use hone_agent::brain::{Brain, New};
use hone_agent::canonical::canonical;
use hone_agent::lineage::merkle;
use hone_agent::lineage::proof::{StepProof, Unproven, leaf};
use hone_agent::lineage::receipt::{Handover, Kind, State, TranscriptMark};
use hone_agent::lineage::state::state;
use hone_agent::lineage::{Chain, Layout, Root, Rows, SigningKey, Table, chain};
use hone_agent::memory::{Draft, Ending, Memory, Subscriber, TaskRow};
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

/// What a brain consists of, for whoever writes a verifier.
fn described(layout: &Layout) -> Value {
    let root = |root: Root| match root {
        Root::Knowledge => "knowledge",
        Root::Activity => "activity",
    };
    let roots = |list: &[(&str, Root)]| -> serde_json::Map<String, Value> {
        list.iter().map(|(name, of)| ((*name).to_owned(), root(*of).into())).collect()
    };
    let table = |table: &Table| {
        let rows = match table.rows {
            Rows::Keyed => "keyed",
            Rows::Numbered => "numbered",
        };
        json!({"name": table.name, "columns": table.columns, "key": table.key, "root": root(table.root), "rows": rows})
    };
    json!({
        "files": roots(layout.files),
        "folders": roots(layout.folders),
        "database": layout.database,
        "tables": layout.tables.iter().map(table).collect::<Vec<_>>(),
        "records": layout.records,
        "apart": layout.apart,
        "locks": layout.locks,
    })
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
        "layout": described(&LAYOUT),
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
fn the_layout_of_a_brain_is_written_down_as_it_is() {
    let path = docs().join("layout.json");
    let text = pretty(&described(&hone_agent::brain::LAYOUT));
    if std::env::var_os("HONE_UPDATE_VECTORS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn the_second_verifier_finds_the_state_of_a_real_brain() {
    let home = tempfile::tempdir().unwrap();
    let new = New { system: Some("You audit.\n".to_owned()), ..New::default() };
    let brain = Brain::create(home.path(), "auditor", &new).unwrap();
    fs::create_dir_all(brain.member("skills/deep/.hone-staged")).unwrap();
    fs::write(brain.member("skills/deep/SKILL.md"), "---\nname: deep\n---\nDig.\n").unwrap();
    fs::write(brain.member("skills/deep/SKILL.md~"), "a stray\n").unwrap();
    fs::write(brain.member("skills/deep/.hone-staged/SKILL.md"), "half\n").unwrap();
    fs::write(brain.member("task.lock"), "").unwrap();
    let mut memory = Memory::open(&brain.folder).unwrap();
    let mut draft = Draft::default();
    draft.say("user", "What is an oracle?", 1);
    draft.note("oracle", "use TWAP \u{1f600}", true, 2).unwrap();
    for task in ["one", "two"] {
        let row = TaskRow {
            task: task.to_owned(),
            subscriber: Subscriber::Owner,
            started: 1,
            ended: 2,
            ending: Ending::Answered,
            input: "What is an oracle?".to_owned(),
            answer: "A source of prices.".to_owned(),
            model: "small".to_owned(),
            turns: 1,
            calls: 0,
            tokens_in: 3,
            tokens_out: 4,
        };
        memory.commit(&row, &draft).unwrap();
    }
    let expected = brain.lineage().unwrap();
    let hash = expected.found();
    let look = || python(&[Path::new("brain"), &brain.folder]);
    let output = look();
    assert!(output.status.success(), "{output:?}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let whole = json!({
        "members": hash.members,
        "knowledge": hash.knowledge,
        "activity": hash.activity,
        "bundle": hash.whole(),
    });
    assert_eq!(found, whole);
    // What is no part of a brain, and links, both refuse.
    for (name, is_link) in [("surprise.txt", false), ("skills/deep/link.md", true)] {
        let path = brain.member(name);
        if is_link {
            std::os::unix::fs::symlink("SKILL.md", &path).unwrap();
        } else {
            fs::write(&path, "x").unwrap();
        }
        assert!(brain.lineage().is_err(), "{name}");
        let output = look();
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).starts_with(name), "{output:?}");
        fs::remove_file(path).unwrap();
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

/// What is no receipt at all, or one with something more in it: no tracebacks, and one answer.
#[test]
fn the_second_verifier_agrees_on_what_is_no_receipt_and_no_proof() {
    let good = fs::read_to_string(vectors().join("receipts.jsonl")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let key_file = vectors().join("key.pub");
    let signed_again = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(good.lines().next().unwrap()).unwrap();
        change(&mut value);
        value.as_object_mut().unwrap().remove("signature");
        let signature = key().sign(canonical(&value).as_bytes());
        value["signature"] = signature.into();
        canonical(&value) + "\n"
    };
    let weak = format!("{:0<64}", "01");
    for (what, text) in [
        ("nothing", String::new()),
        ("torn", good[..20].to_owned()),
        ("a list", "[]\n".to_owned()),
        ("a number", "7\n".to_owned()),
        ("no JSON", "{\n".to_owned()),
        ("too deep", "[".repeat(100_000) + "\n"),
        ("half of a pair", good.lines().next().unwrap().replace("auditor", "\\ud800") + "\n"),
        ("another kind", signed_again(&|one| one["kind"] = "made".into())),
        ("a field more", signed_again(&|one| one["more"] = 1.into())),
        ("a field more below", signed_again(&|one| one["after"]["more"] = 1.into())),
        (
            "a field less below",
            signed_again(&|one| {
                one["after"].as_object_mut().unwrap().remove("activity");
            }),
        ),
        ("another type", signed_again(&|one| one["at"] = "1".into())),
        ("another digest", signed_again(&|one| one["after"]["knowledge"] = "sha256:00".into())),
        (
            "a weak key",
            signed_again(&|one| {
                one["handover"] = json!({"key": weak, "consent": "00"});
            }),
        ),
    ] {
        fs::write(&path, &text).unwrap();
        let checked = chain::check(&path, key().public()).unwrap();
        assert!(!checked.holds() || checked.receipts == 0, "{what}");
        let output = python(&[Path::new("receipts"), &path, &key_file]);
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
    }
    // What was signed again unchanged holds, so each of the above fails for its own reason.
    fs::write(&path, signed_again(&|_| {})).unwrap();
    assert!(chain::check(&path, key().public()).unwrap().holds());
    assert!(python(&[Path::new("receipts"), &path, &key_file]).status.success());

    let proof = fs::read_to_string(vectors().join("proof.json")).unwrap();
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&proof).unwrap();
        change(&mut value);
        value.to_string()
    };
    for (what, text) in [
        ("a field more", changed(&|one| one["more"] = 1.into())),
        ("a field more below", changed(&|one| one["receipt"]["after"]["more"] = 1.into())),
        ("no task", changed(&|one| one["receipt"]["task"] = Value::Null)),
        ("another type", changed(&|one| one["index"] = "1".into())),
        ("a list", "[]".to_owned()),
        ("cut off", proof[..proof.len() / 2].to_owned()),
        ("too deep", "[".repeat(100_000)),
    ] {
        fs::write(&path, &text).unwrap();
        let read: Result<StepProof, _> = serde_json::from_str(&text);
        assert!(read.is_err() || read.unwrap().check().is_err(), "{what}");
        let output = python(&[Path::new("step"), &path, &key_file]);
        assert_eq!(output.status.code(), Some(1), "{what}: {output:?}");
    }
}
