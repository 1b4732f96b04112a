use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use hone_agent::lineage::state::{MAX_DEPTH, state};
use hone_agent::lineage::{StateError, StateHash};

use crate::sample::{LAYOUT, brain, database};

fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    brain(folder.path());
    folder
}

fn hash(folder: &Path) -> StateHash {
    state(folder, &LAYOUT).unwrap()
}

// H1 names digests of another format (G1 to G4); those of this one are in docs/src/lineage/vectors. H11, the time of
// 10,000 files, is measured by `cargo xtask bench lineage` and not asserted here.

#[test]
fn h1_an_empty_brain_has_a_hash() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    assert_eq!(hash(one.path()), hash(two.path()));
    assert!(hash(one.path()).members.is_empty());
}

#[test]
fn h2_times_and_modes_do_not_count() {
    let folder = made();
    let before = hash(folder.path());
    let file = folder.path().join("skills/oracle.md");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let long_ago = fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    fs::File::open(&file).unwrap().set_times(long_ago).unwrap();
    assert_eq!(hash(folder.path()), before);
}

#[test]
fn h3_receipts_are_apart_names_and_contents_count() {
    let folder = made();
    let at = |name: &str| folder.path().join(name);
    let before = hash(folder.path());
    fs::write(at("receipts.jsonl"), "{}\n").unwrap();
    fs::write(at("bundle.lock.json"), "{}\n").unwrap();
    assert_eq!(hash(folder.path()), before);

    fs::rename(at("skills/oracle.md"), at("skills/renamed.md")).unwrap();
    let renamed = hash(folder.path());
    assert_ne!(renamed.knowledge, before.knowledge);
    assert_eq!(renamed.activity, before.activity);
    fs::rename(at("skills/renamed.md"), at("skills/oracle.md")).unwrap();
    assert_eq!(hash(folder.path()), before);

    let one = fs::read(at("skills/oracle.md")).unwrap();
    let two = fs::read(at("skills/deep/SKILL.md")).unwrap();
    fs::write(at("skills/oracle.md"), two).unwrap();
    fs::write(at("skills/deep/SKILL.md"), one).unwrap();
    assert_ne!(hash(folder.path()).knowledge, before.knowledge);
}

#[test]
fn h4_the_order_of_creation_does_not_count() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let names = ["skills/a.md", "skills/b.md", "system.md"];
    for (folder, names) in [(&one, names), (&two, [names[2], names[1], names[0]])] {
        fs::create_dir(folder.path().join("skills")).unwrap();
        for name in names {
            fs::write(folder.path().join(name), name).unwrap();
        }
    }
    assert_eq!(hash(one.path()), hash(two.path()));
}

#[test]
fn h5_members_are_ordered_by_the_bytes_of_their_names() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("skills")).unwrap();
    for name in ["\u{ff5e}.md", "\u{1f600}.md"] {
        fs::write(folder.path().join("skills").join(name), name).unwrap();
    }
    let names: Vec<String> = hash(folder.path()).members.into_keys().collect();
    assert_eq!(names, ["skills/\u{ff5e}.md", "skills/\u{1f600}.md"]);
}

#[test]
fn h6_h7_the_history_of_the_database_does_not_count() {
    let folder = made();
    let before = hash(folder.path());
    let db = database(folder.path());
    db.execute_batch("PRAGMA journal_mode = wal;").unwrap();
    for _ in 0..3 {
        db.execute_batch(
            "INSERT INTO facts VALUES ('gone', 'soon', 0); DELETE FROM facts WHERE key = 'gone';
             UPDATE messages SET text = 'other' WHERE id = 1;
             UPDATE messages SET text = 'hello' WHERE id = 1;
             CREATE TABLE IF NOT EXISTS scratch(x); DROP TABLE scratch;",
        )
        .unwrap();
    }
    assert!(folder.path().join("memory.db-wal").exists(), "the journal is there");
    assert_eq!(hash(folder.path()), before);
    db.execute_batch("VACUUM").unwrap();
    drop(db);
    assert_eq!(hash(folder.path()), before);

    let other = tempfile::tempdir().unwrap();
    brain(other.path());
    let db = database(other.path());
    db.execute_batch(
        "DELETE FROM facts; PRAGMA page_size = 8192; PRAGMA journal_mode = delete; VACUUM;
         INSERT INTO facts VALUES ('empty', NULL, NULL);
         INSERT INTO facts VALUES ('blob', x'00ff', 2), ('oracle', 'use TWAP', 1.5);",
    )
    .unwrap();
    assert_eq!(hash(other.path()), before);
}

#[test]
fn h8_strays_are_left_out_and_anything_else_is_named() {
    let folder = made();
    let before = hash(folder.path());
    for stray in [".DS_Store", "system.md~", ".system.md.swp", "#system.md#", "skills/.hone-1a2b"] {
        fs::write(folder.path().join(stray), "x").unwrap();
    }
    assert_eq!(hash(folder.path()), before);
    fs::write(folder.path().join("notes.txt"), "x").unwrap();
    let error = state(folder.path(), &LAYOUT).unwrap_err();
    assert!(
        matches!(&error, StateError::Unknown { path } if path.ends_with("notes.txt")),
        "{error}"
    );
}

#[test]
fn h9_activity_alone_leaves_knowledge_alone() {
    let folder = made();
    let before = hash(folder.path());
    database(folder.path()).execute_batch("INSERT INTO messages(text) VALUES ('new')").unwrap();
    let after = hash(folder.path());
    assert_eq!(after.knowledge, before.knowledge);
    assert_ne!(after.activity, before.activity);
    assert_ne!(after.whole(), before.whole());
}

#[test]
fn h10_a_link_is_refused() {
    for name in ["skills/link.md", "MEMORY.md"] {
        let folder = made();
        let path = folder.path().join(name);
        let _ = fs::remove_file(&path);
        symlink(folder.path().join("system.md"), &path).unwrap();
        let error = state(folder.path(), &LAYOUT).unwrap_err();
        assert!(matches!(&error, StateError::Link { path } if path.ends_with(name)), "{error}");
    }
}

#[test]
fn values_of_another_type_are_other_values() {
    let folder = made();
    let db = database(folder.path());
    let mut seen = Vec::new();
    for value in ["1", "1.0", "'1'", "x'31'", "NULL", "''", "x''"] {
        db.execute_batch(&format!("UPDATE facts SET value = {value} WHERE key = 'oracle'"))
            .unwrap();
        let hash = hash(folder.path()).knowledge;
        assert!(!seen.contains(&hash), "{value}");
        seen.push(hash);
    }
}

#[test]
fn what_a_row_holds_cannot_be_moved_into_the_next() {
    let folder = made();
    let db = database(folder.path());
    let set = |one: &str, two: &str| {
        db.execute("UPDATE messages SET text = ?1 WHERE id = 1", [one]).unwrap();
        db.execute("UPDATE messages SET text = ?1 WHERE id = 2", [two]).unwrap();
        hash(folder.path()).activity
    };
    assert_ne!(set("ab", "c"), set("a", "bc"));
}

#[test]
fn folders_end_at_the_depth_that_is_allowed() {
    let folder = made();
    let mut path = folder.path().join("skills");
    for _ in 1..MAX_DEPTH {
        path.push("d");
    }
    fs::create_dir_all(&path).unwrap();
    hash(folder.path());
    fs::create_dir(path.join("d")).unwrap();
    let error = state(folder.path(), &LAYOUT).unwrap_err();
    assert!(matches!(error, StateError::TooDeep { .. }), "{error}");
}

#[test]
fn a_pipe_is_no_member() {
    let folder = made();
    let path = folder.path().join("skills/pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    let error = state(folder.path(), &LAYOUT).unwrap_err();
    assert!(matches!(error, StateError::Kind { .. }), "{error}");
}

#[test]
fn h12_a_file_that_is_written_while_it_is_read_is_an_error_that_names_it() {
    let folder = made();
    let path = folder.path().join("skills/oracle.md");
    let mut file = fs::File::create(&path).unwrap();
    // Reading so much takes longer than many writes.
    file.set_len(64 * 1024 * 1024).unwrap();
    let is_over = AtomicBool::new(false);
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                file.write_all(b"x").unwrap();
            }
        });
        let found = (0..1_000).find_map(|_| state(folder.path(), &LAYOUT).err());
        is_over.store(true, Ordering::Relaxed);
        found
    });
    assert!(matches!(&found, Some(StateError::Changed { path: at }) if *at == path), "{found:?}");
}
