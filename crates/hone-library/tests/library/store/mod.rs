//! Changing skills: what is refused, what is written, and that nothing else happens.

mod creating;
mod deleting;
mod dry_runs;
mod editing;
mod files;
mod links;
mod patching;
mod upserting;

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use hone_library::{
    Action, Change, Error, FileDelta, Listed, MAX_FILE_BYTES, MAX_FOLDERS, MAX_PATH_BYTES,
    MAX_SEGMENT_BYTES, Matching, Root, State, Store, check_support_path, list_files, read_file,
    read_text,
};
use hone_skill::limits::MAX_SKILL_CHARS;

use crate::shelf::{Shelf, chmod, dry, link, mode, row_counts, skill_text, store, tree};

/// A shelf with one skill, `one`, that hone has not met yet.
fn shelf_with_one() -> (Shelf, State, Listed) {
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    (shelf, state, one)
}

fn text(name: &str, description: &str, body: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\n{body}")
}

fn delta(file: &str, before: Option<&str>, after: Option<&str>) -> FileDelta {
    let bytes = |text: &str| text.as_bytes().to_vec();
    FileDelta { file: file.to_owned(), before: before.map(bytes), after: after.map(bytes) }
}

/// Runs a change that must be refused, and sees that nothing at all was written.
fn refused(
    shelf: &Shelf,
    state: &State,
    change: impl FnOnce(&Store<'_>) -> Result<Change, Error>,
) -> String {
    let before = (tree(&shelf.base()).into_iter().filter(not_database), row_counts(&shelf.home));
    let before = (before.0.collect::<Vec<_>>(), before.1);
    let error = change(&store(state)).expect_err("this change should be refused");
    let after = tree(&shelf.base()).into_iter().filter(not_database).collect::<Vec<_>>();
    assert_eq!(before, (after, row_counts(&shelf.home)), "{error}");
    shelf.shown(&error.to_string())
}

/// SQLite writes its files also when it only reads; their rows are compared instead.
fn not_database((path, _): &(String, (u32, Vec<u8>))) -> bool {
    !path.starts_with("hone/state.")
}

#[test]
fn state_and_skills_may_be_on_different_file_systems() {
    let shelf = Shelf::new();
    let memory = Path::new("/dev/shm");
    let is_other =
        memory.is_dir() && memory.metadata().unwrap().dev() != shelf.root.metadata().unwrap().dev();
    assert!(is_other, "/dev/shm should be another file system than {}", shelf.root.display());
    let home = tempfile::tempdir_in(memory).unwrap();
    let state = State::open(home.path());
    let store = store(&state);
    store.create(&shelf.root, None, "one", "Do.\n", &[]).unwrap();
    let root = vec![Root::explicit(&shelf.root, &shelf.root).unwrap()];
    let search =
        hone_library::Search::only(root, &shelf.around(), &hone_library::Config::default());
    let one = hone_library::Catalogue::find(search, &state).skills[0].clone();
    store.write_file(&one, "scripts/x.sh", b"x", true).unwrap();
    store.delete(&one).unwrap();
    store.rollback(&shelf.root.join("one"), None).unwrap();
    assert_eq!(shelf.found(), ["one/SKILL.md"]);
    assert_eq!(mode(&shelf.root.join("one/scripts/x.sh")), 0o755);
}

#[test]
fn names_that_meet_in_a_race_of_upserts_end_as_versions_of_one_skill() {
    let shelf = Shelf::new();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let shelf = &shelf;
            scope.spawn(move || {
                let state = shelf.state();
                for turn in 0..5 {
                    let body = format!("Thread {thread}, turn {turn}.\n");
                    store(&state).upsert(&shelf.root, "shared", &body, &[]).unwrap();
                }
            });
        }
    });
    let state = shelf.state();
    assert_eq!(shelf.listed(&state, "shared").summary.version.as_deref(), Some("20"));
    let history = shelf.history(&state, "shared");
    let versions: Vec<Option<String>> = history.iter().map(|r| r.to_version.clone()).collect();
    assert_eq!(versions, (1..=20).map(|n| Some(n.to_string())).collect::<Vec<_>>());
}
