use std::fs;
use std::io::Write as _;
use std::path::Path;

use hone_agent::lineage::chain::{Break, MAX_BREAKS, MAX_RECEIPT_BYTES, check};
use hone_agent::lineage::receipt::{Handover, Kind, TranscriptMark};
use hone_agent::lineage::{Chain, ChainError, Digest, SigningKey};
use serde_json::Value;

use crate::sample::{entry, key, state, task};

// V1's own vectors (G8, G9), V7 (a field for the difference of two states) and V13 (numbers of tokens on a chain of
// blocks) are of another format: receipts name both states in full and have no such numbers.

/// Five receipts: made, a task that learned, one that did not, a change from outside, another task.
fn chain(path: &Path) {
    let transcript = TranscriptMark { root: Digest::of(b"steps"), steps: 3 };
    let mut chain = Chain::open(path).unwrap();
    let mut add = |entry| chain.append("auditor", entry, &key()).map(drop).unwrap();
    let activity = |name: &str| Digest::of(name.as_bytes());
    let mut now = state("one", 1);
    add(entry(Kind::Created, 1_000, now));
    now = state("two", 2);
    add(task(2_000, now, transcript));
    now.activity = activity("three");
    add(task(3_000, now, transcript));
    now = state("four", 3);
    let mut outside = entry(Kind::Outside, 4_000, now);
    outside.changes = vec!["skills/oracle.md".to_owned()];
    add(outside);
    now.activity = activity("five");
    add(task(5_000, now, transcript));
}

fn made() -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    chain(&path);
    (folder, path)
}

fn lines(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap().lines().map(str::to_owned).collect()
}

fn write(path: &Path, lines: &[String]) {
    fs::write(path, lines.iter().fold(String::new(), |text, line| text + line + "\n")).unwrap();
}

fn breaks(path: &Path) -> Vec<Break> {
    check(path, key().public()).unwrap().breaks
}

fn places(path: &Path) -> Vec<(u64, String)> {
    breaks(path).into_iter().map(|found| (found.index, found.field)).collect()
}

#[test]
fn v1_v12_a_chain_holds_with_the_file_and_the_key_alone() {
    let (_folder, path) = made();
    let checked = check(&path, key().public()).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    assert_eq!((checked.receipts, checked.tasks, checked.handovers), (5, 3, 0));
    assert_eq!(checked.agent.as_deref(), Some("auditor"));
    assert_eq!(checked.last.unwrap().version, 3);
}

/// Every field of every receipt, changed in turn, breaks the chain at that receipt.
#[test]
fn v2_v3_every_field_is_signed() {
    let (_folder, path) = made();
    let good = lines(&path);
    let mut tried = 0;
    for at in 0..good.len() {
        let receipt: Value = serde_json::from_str(&good[at]).unwrap();
        let mut fields = Vec::new();
        leaves(&receipt, String::new(), &mut fields);
        for field in fields {
            let mut changed = receipt.clone();
            let value = changed.pointer_mut(&field).unwrap();
            *value = match value.take() {
                Value::String(text) => Value::String(other(&text)),
                Value::Number(number) => Value::from(number.as_u64().unwrap() + 1),
                Value::Bool(value) => Value::Bool(!value),
                value => panic!("{field}: {value}"),
            };
            let mut lines = good.clone();
            lines[at] = changed.to_string();
            write(&path, &lines);
            let found = breaks(&path);
            assert!(
                found.iter().any(|found| found.index == at as u64),
                "receipt {at}, field {field}: {found:?}"
            );
            tried += 1;
        }
    }
    assert!(tried > 100, "{tried}");
}

/// The paths of everything in a value that is not a container.
fn leaves(value: &Value, path: String, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                leaves(value, format!("{path}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (at, value) in items.iter().enumerate() {
                leaves(value, format!("{path}/{at}"), found);
            }
        }
        Value::Null => {}
        _ => found.push(path),
    }
}

/// A text of the same shape that is another one.
fn other(text: &str) -> String {
    let mut text = text.to_owned();
    let last = text.pop().unwrap();
    text.push(if last == '0' { '1' } else { '0' });
    text
}

#[test]
fn v4_another_key_signed_nothing_here() {
    let (_folder, path) = made();
    let checked = check(&path, SigningKey::from_seed(&[2; 32]).public()).unwrap();
    assert_eq!(checked.breaks[0].field, "key");
    assert_eq!(checked.breaks.len(), 5);
}

#[test]
fn v5_a_gap_in_the_states_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    let transcript = TranscriptMark { root: Digest::of(b"steps"), steps: 3 };
    let mut other = Chain::open(&folder.path().join("other")).unwrap();
    other.append("auditor", entry(Kind::Created, 1, state("elsewhere", 1)), &key()).unwrap();
    other.append("auditor", task(2, state("two", 2), transcript), &key()).unwrap();
    chain(&path);
    let mut lines = lines(&path);
    lines[1] = self::lines(&folder.path().join("other"))[1].clone();
    write(&path, &lines);
    let found = places(&path);
    assert_eq!(found[0], (1, "previous".to_owned()));
    assert_eq!(found[1], (1, "before".to_owned()));
}

#[test]
fn v6_a_receipt_dropped_moved_or_doubled_is_found() {
    let (_folder, path) = made();
    let good = lines(&path);
    let mut dropped = good.clone();
    dropped.remove(2);
    write(&path, &dropped);
    assert_eq!(places(&path)[0], (2, "index".to_owned()));

    let mut swapped = good.clone();
    swapped.swap(1, 2);
    write(&path, &swapped);
    assert_eq!(places(&path)[0], (1, "index".to_owned()));

    let mut doubled = good.clone();
    doubled.insert(3, good[2].clone());
    write(&path, &doubled);
    assert_eq!(places(&path)[0], (3, "index".to_owned()));

    write(&path, &good[1..]);
    assert_eq!(places(&path)[0], (0, "index".to_owned()));
}

#[test]
fn v8_another_schema_is_not_guessed_at() {
    let (_folder, path) = made();
    let mut lines = lines(&path);
    lines[3] = lines[3].replace("hone/receipt/1", "hone/receipt/2");
    write(&path, &lines);
    assert_eq!(places(&path)[0], (3, "schema".to_owned()));
}

#[test]
fn v9_a_model_is_never_more_than_what_is_proven() {
    let (_folder, path) = made();
    let receipt: Value = serde_json::from_str(&lines(&path)[1]).unwrap();
    assert!(receipt["task"]["model"]["proven"].as_str().unwrap().starts_with("nothing"));
}

#[test]
fn v10_v11_texts_are_hashes_and_separators_mean_nothing() {
    let (_folder, path) = made();
    let text = fs::read_to_string(&path).unwrap();
    assert!(!text.contains("what was asked") && !text.contains("what was answered"));
    assert!(text.contains(r#""subscriber":"ada|b""#));
}

#[test]
fn unknown_fields_and_other_spellings_of_a_receipt_are_refused() {
    let (_folder, path) = made();
    let good = lines(&path);
    for (from, to) in [
        (r#"{"after":"#, r#"{"added":1,"after":"#),
        (r#"{"after":"#, r#"{ "after":"#),
        (r#""index":2,"#, r#""index":2,"index":2,"#),
        (r#""index":2,"#, r#""index":2.0,"#),
        (r#""task":{"#, r#""task":{"note":"x","#),
    ] {
        let mut lines = good.clone();
        lines[2] = lines[2].replacen(from, to, 1);
        assert_ne!(lines[2], good[2], "{from}");
        write(&path, &lines);
        assert_eq!(places(&path)[0].0, 2, "{to}");
    }
}

#[test]
fn a_key_is_handed_over_with_both_signatures() {
    let (_folder, path) = made();
    let new = SigningKey::from_seed(&[9; 32]);
    let mut chain = Chain::open(&path).unwrap();
    let after = chain.last().unwrap().after;
    let mut handover = entry(Kind::Handover, 6_000, after);
    handover.handover = Some(Handover::new("auditor", key().public(), &new));
    chain.append("auditor", handover, &key()).unwrap();
    assert_eq!(chain.key(), Some(new.public()));
    let refused = chain.append("auditor", entry(Kind::Outside, 7_000, after), &key());
    assert!(matches!(refused, Err(ChainError::OtherKey { .. })));
    chain.append("auditor", entry(Kind::Outside, 7_000, after), &new).unwrap();
    let checked = check(&path, key().public()).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    assert_eq!((checked.handovers, checked.key), (1, new.public()));
}

#[test]
fn a_key_that_did_not_agree_takes_nothing_over() {
    let (_folder, path) = made();
    let (new, forger) = (SigningKey::from_seed(&[9; 32]), SigningKey::from_seed(&[8; 32]));
    let mut chain = Chain::open(&path).unwrap();
    let mut handover = entry(Kind::Handover, 6_000, chain.last().unwrap().after);
    let mut forged = Handover::new("auditor", key().public(), &forger);
    forged.key = new.public();
    handover.handover = Some(forged);
    chain.append("auditor", handover, &key()).unwrap();
    assert_eq!(places(&path), [(5, "handover.consent".to_owned())]);
}

#[test]
fn a_torn_last_line_is_as_if_it_was_never_written() {
    let (_folder, path) = made();
    let whole = fs::read(&path).unwrap();
    let mut file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    file.write_all(b"{\"after\":{\"activ").unwrap();
    let checked = check(&path, key().public()).unwrap();
    assert!(checked.holds());
    assert_eq!((checked.receipts, checked.torn), (5, 16));

    let mut chain = Chain::open(&path).unwrap();
    let after = chain.last().unwrap().after;
    chain.append("auditor", entry(Kind::Outside, 9_000, after), &key()).unwrap();
    let now = fs::read(&path).unwrap();
    assert_eq!(now[..whole.len()], whole);
    assert!(check(&path, key().public()).unwrap().holds());
}

#[test]
fn nothing_is_put_behind_a_damaged_receipt() {
    let (_folder, path) = made();
    let mut lines = lines(&path);
    lines[4] = lines[4].replace("auditor", "auditer");
    write(&path, &lines);
    // A changed receipt still parses; its signature is what a check looks at.
    assert_eq!(places(&path)[0], (4, "signature".to_owned()));
    lines[4].truncate(40);
    write(&path, &lines);
    assert!(matches!(Chain::open(&path), Err(ChainError::Damaged { .. })));
}

#[test]
fn a_line_as_long_as_allowed_is_read_and_a_longer_one_is_named() {
    let (_folder, path) = made();
    for (length, why) in [(MAX_RECEIPT_BYTES, "no JSON"), (MAX_RECEIPT_BYTES + 1, "longer than")] {
        let mut lines = lines(&path);
        lines.truncate(5);
        lines.push("x".repeat(length));
        write(&path, &lines);
        let found = breaks(&path);
        assert_eq!(found[0].index, 5);
        assert!(found[0].why.starts_with(why), "{}", found[0].why);
    }
}

#[test]
fn many_breaks_are_counted_and_the_first_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("receipts.jsonl");
    fs::write(&path, "{}\n".repeat(MAX_BREAKS + 7)).unwrap();
    let checked = check(&path, key().public()).unwrap();
    assert_eq!((checked.breaks.len(), checked.more_breaks), (MAX_BREAKS, 7));
    assert!(!checked.holds());
}
