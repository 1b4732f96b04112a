//! The quick look sees what the look at everything sees.

use std::fs;
use std::path::Path;

use hone_agent::lineage::quick::quick;
use hone_agent::lineage::state::state;
use proptest::prelude::*;

use crate::sample::{LAYOUT, brain, database};

#[derive(Debug, Clone)]
enum Edit {
    Say(i64, u8),
    Ignore(i64, u8),
    Replace(i64, u8),
    Change(i64, u8),
    Renumber(i64, i64),
    Forget(i64),
    Note(u8, u8),
    Drop(u8),
    Vacuum,
    Unwatched(u8),
    Write(u8, u8),
    Remove(u8),
    Swap(u8, u8),
}

/// Numbers about the ends of groups, and far away.
fn number() -> impl Strategy<Value = i64> {
    prop_oneof![-3..3_i64, 253..259_i64, 70_000..70_003_i64, Just(i64::MAX), Just(i64::MIN)]
}

fn edit() -> impl Strategy<Value = Edit> {
    let any = any::<u8>;
    prop_oneof![
        (number(), any()).prop_map(|(id, text)| Edit::Say(id, text)),
        (number(), any()).prop_map(|(id, text)| Edit::Ignore(id, text)),
        (number(), any()).prop_map(|(id, text)| Edit::Replace(id, text)),
        (number(), any()).prop_map(|(id, text)| Edit::Change(id, text)),
        (number(), number()).prop_map(|(from, to)| Edit::Renumber(from, to)),
        number().prop_map(Edit::Forget),
        (0..4_u8, any()).prop_map(|(key, value)| Edit::Note(key, value)),
        (0..4_u8).prop_map(Edit::Drop),
        Just(Edit::Vacuum),
        any().prop_map(Edit::Unwatched),
        (0..4_u8, any()).prop_map(|(name, text)| Edit::Write(name, text)),
        (0..4_u8).prop_map(Edit::Remove),
        (0..4_u8, 0..4_u8).prop_map(|(one, two)| Edit::Swap(one, two)),
    ]
}

fn apply(folder: &Path, edit: &Edit) {
    let db = database(folder);
    let file = |name: &u8| folder.join(format!("skills/{name}.md"));
    // Some statements meet what is already there, as a stranger's would.
    match edit {
        Edit::Say(id, text) => drop(db.execute("INSERT INTO messages VALUES (?1, ?2)", (id, text))),
        Edit::Ignore(id, text) => {
            drop(db.execute("INSERT OR IGNORE INTO messages VALUES (?1, ?2)", (id, text)));
        }
        Edit::Replace(id, text) => {
            drop(db.execute("INSERT OR REPLACE INTO messages VALUES (?1, ?2)", (id, text)));
        }
        Edit::Change(id, text) => {
            drop(db.execute("UPDATE OR IGNORE messages SET text = ?2 WHERE id = ?1", (id, text)));
        }
        Edit::Renumber(from, to) => {
            drop(db.execute("UPDATE OR IGNORE messages SET id = ?2 WHERE id = ?1", (from, to)));
        }
        Edit::Forget(id) => drop(db.execute("DELETE FROM messages WHERE id = ?1", [id])),
        Edit::Note(key, value) => {
            drop(db.execute("INSERT OR REPLACE INTO facts VALUES (?1, ?2, NULL)", (key, value)));
        }
        Edit::Drop(key) => drop(db.execute("DELETE FROM facts WHERE key = ?1", [key])),
        Edit::Vacuum => db.execute_batch("VACUUM").unwrap(),
        Edit::Unwatched(text) => {
            db.execute_batch("DROP TRIGGER IF EXISTS digest_messages_update").unwrap();
            db.execute("UPDATE messages SET text = ?1", [text]).unwrap();
        }
        Edit::Write(name, text) => fs::write(file(name), [*text; 3]).unwrap(),
        Edit::Remove(name) => drop(fs::remove_file(file(name))),
        Edit::Swap(one, two) => drop(fs::rename(file(one), file(two))),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, max_shrink_iters: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_changes_both_looks_see_the_same(edits in prop::collection::vec(edit(), 1..16)) {
        let folder = tempfile::tempdir().unwrap();
        brain(folder.path());
        for edit in &edits {
            apply(folder.path(), edit);
            prop_assert_eq!(
                quick(folder.path(), &LAYOUT).unwrap(),
                state(folder.path(), &LAYOUT).unwrap(),
                "after {:?}", edit
            );
        }
    }
}

#[test]
fn a_second_look_reads_no_row_and_no_file_that_stayed() {
    let folder = tempfile::tempdir().unwrap();
    brain(folder.path());
    // Times that lie long enough ago to be believed cannot be set, so the digest itself tells.
    let good = quick(folder.path(), &LAYOUT).unwrap();
    let db = database(folder.path());
    db.execute("UPDATE digest SET digest = zeroblob(32) WHERE grp = 1", []).unwrap();
    let fooled = quick(folder.path(), &LAYOUT).unwrap();
    assert_eq!(fooled.knowledge, good.knowledge);
    assert_ne!(fooled.activity, good.activity, "the remembered digest was used");
    assert_eq!(state(folder.path(), &LAYOUT).unwrap(), good, "who reads everything is not fooled");
    // The next change of the group mends it.
    db.execute("UPDATE messages SET text = text WHERE id = 256", []).unwrap();
    assert_eq!(quick(folder.path(), &LAYOUT).unwrap(), good);
}

#[test]
fn a_brain_without_a_database_is_looked_at_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("system.md"), "You audit.\n").unwrap();
    assert_eq!(quick(folder.path(), &LAYOUT).unwrap(), state(folder.path(), &LAYOUT).unwrap());
    assert!(!folder.path().join("memory.db").exists());
}
