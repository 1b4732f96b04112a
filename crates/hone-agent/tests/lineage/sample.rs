//! Brains, keys and receipts that the tests share.

use std::fs;
use std::path::Path;

use hone_agent::lineage::receipt::{
    Costs, Entry, Kind, ModelMark, SkillMark, Skills, State, TaskMark, TranscriptMark, UNPROVEN,
};
use hone_agent::lineage::{Digest, Layout, Root, Rows, SigningKey, Table};
use rusqlite::Connection;

pub(crate) const LAYOUT: Layout = Layout {
    files: &[("system.md", Root::Knowledge), ("MEMORY.md", Root::Knowledge)],
    folders: &[("skills", Root::Knowledge)],
    database: "memory.db",
    tables: &[
        Table {
            name: "facts",
            columns: &["key", "value", "weight"],
            key: &["key"],
            root: Root::Knowledge,
            rows: Rows::Keyed,
        },
        Table {
            name: "messages",
            columns: &["id", "text"],
            key: &["id"],
            root: Root::Activity,
            rows: Rows::Numbered,
        },
    ],
    records: &["transcripts"],
    apart: &["receipts.jsonl", "bundle.lock.json"],
    locks: &["task.lock"],
};

pub(crate) fn key() -> SigningKey {
    SigningKey::from_seed(&[1; 32])
}

/// A small brain.
pub(crate) fn brain(folder: &Path) {
    fs::create_dir_all(folder.join("skills/deep")).unwrap();
    fs::write(folder.join("system.md"), "You audit.\n").unwrap();
    fs::write(folder.join("MEMORY.md"), "# Memory\n- oracle: use TWAP\n").unwrap();
    fs::write(folder.join("skills/oracle.md"), "---\nname: oracle\n---\nLook.\n").unwrap();
    fs::write(folder.join("skills/deep/SKILL.md"), "---\nname: deep\n---\nDig.\n").unwrap();
    let db = database(folder);
    db.execute_batch(
        "INSERT INTO facts VALUES ('oracle', 'use TWAP', 1.5), ('empty', NULL, NULL), ('blob', x'00ff', 2);
         INSERT INTO messages(id, text) VALUES (1, 'hello'), (2, 'again'), (255, 'last of its group'),
             (256, 'first of the next'), (70000, 'far'), (-1, 'below');",
    )
    .unwrap();
}

pub(crate) fn database(folder: &Path) -> Connection {
    let db = Connection::open(folder.join("memory.db")).unwrap();
    db.execute_batch(
        "CREATE TABLE IF NOT EXISTS facts(key TEXT PRIMARY KEY, value, weight) WITHOUT ROWID;
         CREATE TABLE IF NOT EXISTS messages(id INTEGER PRIMARY KEY, text TEXT);",
    )
    .unwrap();
    db
}

pub(crate) fn state(name: &str, version: u64) -> State {
    let digest = |part: &str| Digest::of(format!("{name} {part}").as_bytes());
    State { knowledge: digest("knowledge"), activity: digest("activity"), version }
}

pub(crate) fn entry(kind: Kind, at: u64, after: State) -> Entry {
    Entry { kind, at, after, changes: Vec::new(), task: None, handover: None }
}

pub(crate) fn task(at: u64, after: State, transcript: TranscriptMark) -> Entry {
    let skill = |name: &str| SkillMark {
        name: name.to_owned(),
        version: Some("2".to_owned()),
        digest: Some(Digest::of(name.as_bytes())),
    };
    let task = TaskMark {
        id: format!("task-{at}"),
        subscriber: "ada|b".to_owned(),
        input: Digest::of(b"what was asked"),
        output: Some(Digest::of(b"what was answered")),
        outcome: "answered".to_owned(),
        model: ModelMark {
            backend: "openai".to_owned(),
            name: "small".to_owned(),
            reported: Some("small-0731".to_owned()),
            proven: UNPROVEN.to_owned(),
        },
        skills: Skills {
            loaded: vec![skill("oracle")],
            created: vec![skill("new-é")],
            ..Skills::default()
        },
        transcript,
        costs: Costs {
            turns: 3,
            tool_calls: 2,
            input_tokens: 1200,
            output_tokens: 80,
            is_estimate: true,
            milliseconds: 2500,
        },
    };
    Entry { task: Some(task), ..entry(Kind::Task, at, after) }
}
