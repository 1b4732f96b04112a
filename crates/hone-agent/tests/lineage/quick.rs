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
    Nest(u8, u8),
    Unnest(u8),
    Settle,
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
        (0..3_u8, any()).prop_map(|(name, text)| Edit::Nest(name, text)),
        (0..3_u8).prop_map(Edit::Unnest),
        Just(Edit::Settle),
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
        Edit::Nest(name, text) => {
            let inner = folder.join(format!("skills/n{name}/references"));
            fs::create_dir_all(&inner).unwrap();
            fs::write(inner.join(format!("{}.md", text % 3)), [*text]).unwrap();
        }
        Edit::Unnest(name) => drop(fs::remove_dir_all(folder.join(format!("skills/n{name}")))),
        Edit::Settle => settle(folder),
    }
}

/// How many files and folders are below one.
fn count(folder: &Path) -> (i64, i64) {
    let (mut files, mut folders) = (0, 1);
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            let (inner, around) = count(&path);
            (files, folders) = (files + inner, folders + around);
        } else {
            files += 1;
        }
    }
    (files, folders)
}

/// Looks until everything is remembered: until the times of all files lie long enough ago to be believed.
fn settle(folder: &Path) {
    let (files, folders) = count(&folder.join("skills"));
    let known = "SELECT (SELECT count(*) FROM stamp), (SELECT count(*) FROM listing)";
    loop {
        quick(folder, &LAYOUT).unwrap();
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let found: (i64, i64) = database(folder).query_row(known, [], row).unwrap();
        // The two single files as well.
        if found == (files + 2, folders) {
            break;
        }
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
fn a_folder_whose_times_stayed_is_not_listed_again() {
    let folder = tempfile::tempdir().unwrap();
    brain(folder.path());
    settle(folder.path());
    let good = quick(folder.path(), &LAYOUT).unwrap();
    assert_eq!(good, state(folder.path(), &LAYOUT).unwrap());
    // What is remembered is another list than that of the disk, so it tells which one was used.
    let names = "UPDATE listing SET names = CAST('deep/' || char(0) AS BLOB) WHERE path = 'skills'";
    assert_eq!(database(folder.path()).execute(names, []).unwrap(), 1);
    let mut fooled = quick(folder.path(), &LAYOUT).unwrap().members;
    assert_eq!(
        fooled.insert("skills/oracle.md".to_owned(), good.members["skills/oracle.md"]),
        None
    );
    assert_eq!(fooled, good.members);
    // A file in it that changed is seen all the same, and a file that came has it listed anew.
    fs::write(folder.path().join("skills/deep/SKILL.md"), "other").unwrap();
    let deep = &quick(folder.path(), &LAYOUT).unwrap().members["skills/deep/SKILL.md"];
    assert_eq!(*deep, hone_agent::lineage::Digest::of(b"other"));
    fs::write(folder.path().join("skills/new.md"), "new").unwrap();
    let seen = quick(folder.path(), &LAYOUT).unwrap();
    assert_eq!(seen, state(folder.path(), &LAYOUT).unwrap());
    // A link in a folder that was not listed before is found as well.
    settle(folder.path());
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("skills/deep/link")).unwrap();
    let error = quick(folder.path(), &LAYOUT).unwrap_err().to_string();
    assert!(error.contains("skills/deep/link") && error.contains("link"), "{error}");
}

#[test]
fn a_brain_without_a_database_is_looked_at_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("system.md"), "You audit.\n").unwrap();
    assert_eq!(quick(folder.path(), &LAYOUT).unwrap(), state(folder.path(), &LAYOUT).unwrap());
    assert!(!folder.path().join("memory.db").exists());
}
