//! What was made of a skill in other agents' folders, while the skill changes.

use std::path::{Path, PathBuf};

use hone_library::provenance::{Records, Share};
use hone_library::{Copied, Matching, Stale, State, read_tree};

use crate::shelf::{Shelf, link, skill_text, store};

/// Copies a skill into another folder, as the hub does.
fn copy(state: &State, skill: &Path, folder: &Path) -> PathBuf {
    let copied = Copied::of(skill).unwrap();
    let path = folder.join(skill.file_name().unwrap());
    record(state, skill, &path, "copy", &copied.made);
    let arrival = copied.arrival(skill, None).unwrap();
    for change in store(state).install(folder, vec![arrival]).unwrap() {
        change.unwrap();
    }
    path
}

fn record(state: &State, skill: &Path, path: &Path, kind: &str, made: &str) {
    let share = Share {
        path: path.to_owned(),
        skill: skill.to_owned(),
        agent: "goose".to_owned(),
        kind: kind.to_owned(),
        made: made.to_owned(),
        at: 1,
    };
    state.record(&Records { shares: vec![share], ..Records::default() }).unwrap();
}

/// A shelf with a skill `one`, a copy of it, and the folder of the copy.
fn shelf_with_copy() -> (Shelf, State, PathBuf) {
    let shelf = Shelf::new();
    shelf.skill("one");
    let state = shelf.state();
    let path = copy(&state, &shelf.root.join("one"), &shelf.base().join("agent"));
    (shelf, state, path)
}

#[test]
fn a_copy_follows_every_write() {
    let (shelf, state, copy) = shelf_with_copy();
    let skill = shelf.root.join("one");
    let one = || shelf.listed(&state, "one");
    let text = |body: &str| format!("{}{body}\n", skill_text("one"));
    let writes: [&dyn Fn() -> Vec<Stale>; 7] = [
        &|| store(&state).edit(&one(), &text("First.")).unwrap().stale,
        &|| {
            let store = store(&state);
            store.patch(&one(), None, "First.", "Second.", Matching::Exact).unwrap().stale
        },
        &|| store(&state).write_file(&one(), "scripts/a.sh", b"ls\n", true).unwrap().stale,
        &|| store(&state).fix(&one(), &text("Third.")).unwrap().stale,
        &|| store(&state).remove_file(&one(), "scripts/a.sh").unwrap().stale,
        &|| store(&state).rollback(&skill, None).unwrap().stale,
        &|| {
            let existing = shelf.catalogue(&state).skills;
            store(&state).upsert(&shelf.root, "one", "Fourth.\n", &existing).unwrap().stale
        },
    ];
    for (at, write) in writes.iter().enumerate() {
        let before = read_tree(&copy).unwrap();
        assert_eq!(write(), [], "write {at}");
        assert_eq!(read_tree(&copy).unwrap(), read_tree(&skill).unwrap(), "write {at}");
        assert_ne!(read_tree(&copy).unwrap(), before, "write {at}");
    }
}

#[test]
fn a_copy_that_somebody_changed_stays_and_is_named_and_keeps_its_skill() {
    let (shelf, state, copy) = shelf_with_copy();
    std::fs::write(copy.join("own.md"), "own").unwrap();
    let one = shelf.listed(&state, "one");
    let new = format!("{}More.\n", skill_text("one"));
    let stale = store(&state).edit(&one, &new).unwrap().stale;
    let why = "somebody changed it".to_owned();
    assert_eq!(stale, [Stale { skill: shelf.root.join("one"), path: copy.clone(), why }]);
    assert_eq!(std::fs::read_to_string(copy.join("SKILL.md")).unwrap(), skill_text("one"));
    let refused = store(&state).delete(&one).unwrap_err().to_string();
    let expected = "`BASE/agent/one` is not what hone put there; move it out of the way";
    assert_eq!(shelf.shown(&refused), expected);
    assert_eq!(shelf.read("one/SKILL.md"), new);

    // As it was made, it follows again.
    std::fs::remove_file(copy.join("own.md")).unwrap();
    assert_eq!(store(&state).edit(&one, &format!("{new}Again.\n")).unwrap().stale, []);
    assert_eq!(read_tree(&copy).unwrap(), read_tree(&shelf.root.join("one")).unwrap());
}

#[test]
fn links_and_copies_go_with_their_skill_whoever_takes_it_away() {
    let (shelf, state, copy) = shelf_with_copy();
    let at = shelf.base().join("link");
    link("skills/one", &at);
    record(&state, &shelf.root.join("one"), &at, "link", "skills/one");
    let gone = store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    assert_eq!(gone.taken_back, [copy.clone(), at.clone()]);
    assert!(!copy.exists() && at.symlink_metadata().is_err());
    assert_eq!(state.shares().unwrap(), []);
    // What was taken away is the skill, and the one that comes back.
    assert_eq!(hone_library::deleted(&state, "one").unwrap(), [shelf.root.join("one")]);
    let rows = hone_library::audit::newest(&state, 10).unwrap();
    let told: Vec<(&str, &str)> =
        rows.iter().map(|row| (row.action.as_str(), row.skill.as_str())).collect();
    assert_eq!(told, [("unshare", "one"), ("unshare", "one")]);
}

#[test]
fn a_copy_of_a_copy_follows_and_a_circle_of_copies_comes_to_an_end() {
    let (shelf, state, first) = shelf_with_copy();
    let second = copy(&state, &first, &shelf.base().join("other"));
    let one = shelf.listed(&state, "one");
    let new = format!("{}More.\n", skill_text("one"));
    assert_eq!(store(&state).edit(&one, &new).unwrap().stale, []);
    assert_eq!(std::fs::read_to_string(second.join("SKILL.md")).unwrap(), new);

    // The skill itself is said to be a copy of its copy.
    let made = Copied::of(&second).unwrap().made;
    record(&state, &second, &shelf.root.join("one"), "copy", &made);
    let newer = format!("{new}More.\n");
    let stale = store(&state).edit(&one, &newer).unwrap().stale;
    assert_eq!(stale, []);
    for folder in [&first, &second] {
        assert_eq!(std::fs::read_to_string(folder.join("SKILL.md")).unwrap(), newer);
    }
}

const WRITERS: usize = 4;
const EDITS_EACH: usize = 8;

#[test]
fn writers_at_once_leave_every_copy_as_its_skill_is_also_when_two_are_in_each_others_folders() {
    let shelf = Shelf::in_memory();
    shelf.skill("one");
    let state = shelf.state();
    let other = shelf.base().join("agent");
    let mine = copy(&state, &shelf.root.join("one"), &other);
    std::fs::create_dir_all(other.join("two")).unwrap();
    std::fs::write(other.join("two/SKILL.md"), skill_text("two")).unwrap();
    let theirs = copy(&state, &other.join("two"), &shelf.root);
    std::thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (shelf, other) = (&shelf, &other);
            scope.spawn(move || {
                let state = shelf.state();
                let (root, name) =
                    if writer % 2 == 0 { (&shelf.root, "one") } else { (other, "two") };
                let skill =
                    shelf.catalogue_of(&[root], &state).resolve(name, root).unwrap().clone();
                for edit in 0..EDITS_EACH {
                    let text = format!("{}{writer} {edit}\n", skill_text(name));
                    assert_eq!(store(&state).edit(&skill, &text).unwrap().stale, []);
                }
            });
        }
    });
    assert_eq!(read_tree(&mine).unwrap(), read_tree(&shelf.root.join("one")).unwrap());
    assert_eq!(read_tree(&theirs).unwrap(), read_tree(&other.join("two")).unwrap());
}
