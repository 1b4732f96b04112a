//! What is kept, and what is taken away because nothing refers to it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Keeping, create_private_folder, hash, path_of, sweep_objects};
use crate::ledger::{self, Action, Draft, FileChange};
use crate::provenance::Records;
use crate::state::State;

fn home() -> (TempDir, State) {
    let home = tempfile::tempdir().unwrap();
    let state = State::open(home.path());
    (home, state)
}

/// Every file below `objects/`, notes included.
fn kept(home: &TempDir) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(home.path().join("objects")).unwrap().flatten();
    let mut files: Vec<PathBuf> = folders
        .filter(|folder| folder.path().is_dir())
        .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten())
        .map(|file| file.path())
        .collect();
    files.sort();
    files
}

fn at(home: &TempDir, bytes: &[u8]) -> PathBuf {
    path_of(&home.path().join("objects"), &hash(bytes))
}

/// A row of the ledger that says a file became these bytes.
fn refer(state: &State, bytes: &[u8]) {
    let changes = [FileChange {
        file: "SKILL.md".to_owned(),
        before: None,
        after: Some(hash(bytes)),
        mode_before: None,
        mode_after: None,
    }];
    let draft = Draft {
        key: Path::new("/skill"),
        at: 1,
        actor: "tester",
        action: Action::Create,
        reason: "".into(),
        name: "skill",
        slug: "skill",
        from_version: None,
        to_version: None,
        changes: &changes,
    };
    let (id, _) = ledger::begin(state, &draft).unwrap();
    ledger::finish(state, id).unwrap();
}

const NOTHING: Vec<PathBuf> = Vec::new();

#[test]
fn of_many_that_are_kept_at_once_none_stays_when_one_cannot_be_written() {
    let (home, state) = home();
    let texts: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    let all: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let mut paths: Vec<PathBuf> = all.iter().map(|one| at(&home, one)).collect();
    paths.sort();
    // No folder can be made where a file is.
    let taken = at(&home, b"99").parent().unwrap().to_owned();
    create_private_folder(&home.path().join("objects")).unwrap();
    std::fs::write(&taken, "").unwrap();
    Keeping::begin(&state).unwrap().keep_lightly(&all).unwrap_err();
    assert_eq!(kept(&home), NOTHING);

    std::fs::remove_file(&taken).unwrap();
    let mut keeping = Keeping::begin(&state).unwrap();
    keeping.keep_lightly(&all).unwrap();
    keeping.done();
    assert_eq!(kept(&home), paths);
}

#[test]
fn what_is_kept_stays_when_something_refers_to_it_and_goes_when_nothing_does() {
    let (home, state) = home();
    let mut keeping = Keeping::begin(&state).unwrap();
    keeping.keep(b"one").unwrap();
    keeping.keep(b"two").unwrap();
    refer(&state, b"two");
    drop(keeping);
    assert_eq!(kept(&home), [at(&home, b"two")]);

    // What was there before is not taken away by who kept it again.
    let mut keeping = Keeping::begin(&state).unwrap();
    keeping.keep(b"three").unwrap();
    keeping.done();
    let mut keeping = Keeping::begin(&state).unwrap();
    keeping.keep(b"three").unwrap();
    drop(keeping);
    let mut both = [at(&home, b"two"), at(&home, b"three")];
    both.sort();
    assert_eq!(kept(&home), both);
}

#[test]
fn nothing_goes_while_another_may_be_about_to_refer_to_it() {
    for refers in [true, false] {
        let (home, state) = home();
        let mut first = Keeping::begin(&state).unwrap();
        first.keep(b"one").unwrap();
        let elsewhere = State::open(home.path());
        let mut second = Keeping::begin(&elsewhere).unwrap();
        second.keep(b"one").unwrap();
        drop(first);
        assert!(at(&home, b"one").exists());
        if refers {
            refer(&elsewhere, b"one");
        }
        second.done();
        // Whoever keeps something next finds the note of the first.
        Keeping::begin(&state).unwrap().done();
        let expected = if refers { vec![at(&home, b"one")] } else { NOTHING };
        assert_eq!(kept(&home), expected, "{refers}");
    }
}

#[test]
fn what_an_action_that_is_not_settled_may_need_stays_until_it_is() {
    let (home, state) = home();
    let lock = PathBuf::from("/project/hone.lock");
    let intents = vec![(lock.clone(), format!("[\"{}\"]", hash(b"one")))];
    state.record(&Records { intents, ..Records::default() }).unwrap();
    let mut keeping = Keeping::begin(&state).unwrap();
    keeping.keep(b"one").unwrap();
    drop(keeping);
    assert_eq!(kept(&home), NOTHING);
    let mut keeping = Keeping::for_action(&state).unwrap();
    keeping.keep(b"one").unwrap();
    keeping.keep(b"two").unwrap();
    drop(keeping);
    assert!(at(&home, b"one").exists() && !at(&home, b"two").exists());
    // Also when somebody else, who gave it up, had kept it first.
    Keeping::begin(&state).unwrap().done();
    assert!(at(&home, b"one").exists());
    state.record(&Records { settled: vec![lock], ..Records::default() }).unwrap();
    sweep_objects(&state);
    assert_eq!(kept(&home), NOTHING);
}
