//! The past of a skill: no gaps, nothing lost, every revision can be brought back.

use std::collections::BTreeMap;
use std::path::Path;

use hone_library::{Action, Error, Listed, Matching, Revision, State, deleted, files_at, history};

use crate::shelf::{Shelf, chmod, link, mode, store, tree};

fn text(description: &str) -> String {
    format!(
        "---\nname: one\ndescription: {description}\nmetadata:\n  version: \"1\"\n---\nDo one.\n"
    )
}

/// A skill that hone made, with three texts in its history.
fn shelf_with_three() -> (Shelf, State, Listed) {
    let shelf = Shelf::new();
    let state = shelf.state();
    store(&state).create(&shelf.root, None, "one", &text("first"), &[]).unwrap();
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &text("second")).unwrap();
    store(&state).edit(&one, &text("third")).unwrap();
    (shelf, state, one)
}

fn actions(revisions: &[Revision]) -> Vec<(u64, Action)> {
    revisions.iter().map(|revision| (revision.revision, revision.action)).collect()
}

fn description(shelf: &Shelf, state: &State) -> String {
    shelf.listed(state, "one").summary.description.clone()
}

#[test]
fn every_change_is_a_revision_without_gaps() {
    let (shelf, state, one) = shelf_with_three();
    let store = store(&state);
    store.patch(&one, None, "third", "fourth", Matching::Exact).unwrap();
    store.write_file(&one, "references/a.md", b"a", false).unwrap();
    store.write_file(&one, "references/a.md", b"b", false).unwrap();
    store.remove_file(&one, "references/a.md").unwrap();
    store.upsert(&shelf.root, "one", "New.\n", std::slice::from_ref(&one)).unwrap();
    store.rollback(&shelf.root.join("one"), Some(1)).unwrap();
    store.delete(&one).unwrap();
    store.rollback(&shelf.root.join("one"), None).unwrap();
    use Action::{Create, Delete, Edit, Patch, RemoveFile, Rollback, Upsert, WriteFile};
    let expected = [
        Create, Edit, Edit, Patch, WriteFile, WriteFile, RemoveFile, Upsert, Rollback, Delete,
        Rollback,
    ];
    let expected: Vec<(u64, Action)> = (1..).zip(expected).collect();
    assert_eq!(actions(&shelf.history(&state, "one")), expected);
}

#[test]
fn a_revision_says_who_why_when_and_from_what_to_what() {
    let shelf = Shelf::new();
    let state = shelf.state();
    store(&state).create(&shelf.root, None, "one", "Do.\n", &[]).unwrap();
    let one = shelf.listed(&state, "one");
    let old = shelf.read("one/SKILL.md");
    store(&state).upsert(&shelf.root, "one", "Do more.\n", &[one]).unwrap();
    let new = shelf.read("one/SKILL.md");
    let newest = shelf.history(&state, "one").pop().unwrap();
    let [change] = newest.changes.as_slice() else { panic!("{newest:?}") };
    assert_eq!(
        (change.file.as_str(), change.before.as_deref(), change.after.as_deref()),
        (
            "SKILL.md",
            Some(hone_library::hash(old.as_bytes()).as_str()),
            Some(hone_library::hash(new.as_bytes()).as_str())
        )
    );
    assert_eq!(
        newest,
        Revision {
            revision: 2,
            at: 1_000,
            actor: "tester".to_owned(),
            action: Action::Upsert,
            reason: "a test".to_owned(),
            name: "one".to_owned(),
            from_version: Some("1".to_owned()),
            to_version: Some("2".to_owned()),
            changes: newest.changes.clone(),
        }
    );
}

#[test]
fn any_revision_can_be_brought_back_as_a_new_one() {
    let (shelf, state, _) = shelf_with_three();
    let key = shelf.root.join("one");
    for (to, expected) in [(1, "first"), (3, "third"), (2, "second")] {
        let change = store(&state).rollback(&key, Some(to)).unwrap();
        assert_eq!(change.action, Action::Rollback);
        assert_eq!(description(&shelf, &state), expected);
    }
    let history = shelf.history(&state, "one");
    let reasons: Vec<&str> = history.iter().map(|revision| revision.reason.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "a test",
            "a test",
            "a test",
            "to revision 1: a test",
            "to revision 3: a test",
            "to revision 2: a test"
        ]
    );
    let at = |n: u64| files_at(&state, &history, n).unwrap().remove("SKILL.md").unwrap();
    let texts: Vec<String> = (1..=6).map(|n| String::from_utf8(at(n)).unwrap()).collect();
    let expected = ["first", "second", "third", "first", "third", "second"].map(text);
    assert_eq!(texts, expected);
    assert_eq!(files_at(&state, &history, 0).unwrap(), BTreeMap::new());
}

#[test]
fn going_back_twice_is_going_forward_again() {
    let (shelf, state, _) = shelf_with_three();
    let key = shelf.root.join("one");
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(description(&shelf, &state), "second");
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(description(&shelf, &state), "third");
}

#[test]
fn what_cannot_be_gone_back_to_is_refused() {
    let (shelf, state, _) = shelf_with_three();
    shelf.skill("untouched");
    let rollback = |folder: &str, to: Option<u64>| {
        let error = store(&state).rollback(&shelf.root.join(folder), to).unwrap_err();
        (error.to_string(), error.hint())
    };
    assert_eq!(
        rollback("untouched", None),
        ("hone never changed `untouched`: there is nothing to go back to".to_owned(), None)
    );
    let newest = Some("the newest is 3".to_owned());
    assert_eq!(rollback("one", Some(4)), ("`one` has no revision 4".to_owned(), newest.clone()));
    assert_eq!(rollback("one", Some(0)), ("`one` has no revision 0".to_owned(), newest));
    assert_eq!(
        rollback("one", Some(3)),
        ("it is already as it was in revision 3".to_owned(), None)
    );
    store(&state).create(&shelf.root, None, "new", "Do.\n", &[]).unwrap();
    assert_eq!(
        rollback("new", None),
        (
            "there is nothing before the first revision; `hone rm new` takes the skill away"
                .to_owned(),
            None
        )
    );
}

/// A skill folder with all that a skill can have.
fn furnish(shelf: &Shelf) {
    shelf.skill("one");
    shelf.write("one/references/deep/down/notes.md", "notes\n");
    shelf.write("one/README.md", "a file outside the four folders\n");
    shelf.write("one/assets/picture.bin", b"\x00\xFF\x00");
    chmod(&shelf.write("one/scripts/run.sh", "echo\n"), 0o755);
    chmod(&shelf.write("one/references/private.txt", "private\n"), 0o600);
    link("run.sh", &shelf.root.join("one/scripts/alias"));
    link("/nowhere/at/all", &shelf.root.join("one/assets/dangling"));
}

#[test]
fn a_deleted_skill_comes_back_with_all_its_files_programs_and_links() {
    let shelf = Shelf::new();
    furnish(&shelf);
    let state = shelf.state();
    let before = tree(&shelf.root);
    let key = shelf.root.join("one");
    for _ in 0..2 {
        store(&state).delete(&shelf.listed(&state, "one")).unwrap();
        assert_eq!(tree(&shelf.root), BTreeMap::new());
        assert_eq!(deleted(&state, "one").unwrap(), std::slice::from_ref(&key));
        store(&state).rollback(&key, None).unwrap();
        assert_eq!(tree(&shelf.root), before);
        assert_eq!(deleted(&state, "one").unwrap(), Vec::<std::path::PathBuf>::new());
    }
    // Back to a revision in which it was gone is a deletion, and can be undone like one.
    let change = store(&state).rollback(&key, None).unwrap();
    assert_eq!(change.action, Action::Delete);
    assert_eq!(tree(&shelf.root), BTreeMap::new());
    assert_eq!(deleted(&state, "one").unwrap(), std::slice::from_ref(&key));
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(tree(&shelf.root), before);
}

#[test]
fn a_deleted_skill_comes_back_after_its_category_went_too() {
    let shelf = Shelf::new();
    shelf.skill("a/one");
    let linked = shelf.base().join("linked");
    link(&shelf.root, &linked);
    let state = shelf.state();
    store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    // By another way to the same place.
    store(&state).rollback(&linked.join("a/one"), None).unwrap();
    assert_eq!(shelf.found(), ["a/one/SKILL.md"]);
}

#[test]
fn what_was_changed_by_hand_before_a_deletion_comes_back_as_it_was_changed() {
    let (shelf, state, one) = shelf_with_three();
    store(&state).write_file(&one, "references/a.md", b"by hone", false).unwrap();
    store(&state).write_file(&one, "references/gone.md", b"by hone", false).unwrap();
    shelf.write("one/SKILL.md", text("by hand"));
    chmod(&shelf.write("one/references/a.md", "by hand"), 0o755);
    shelf.write("one/references/b.md", "new by hand");
    std::fs::remove_file(shelf.root.join("one/references/gone.md")).unwrap();
    let before = tree(&shelf.root);
    store(&state).delete(&one).unwrap();
    store(&state).rollback(&shelf.root.join("one"), None).unwrap();
    assert_eq!(tree(&shelf.root), before);
    let tail = actions(&shelf.history(&state, "one")).split_off(5);
    assert_eq!(tail, [(6, Action::Outside), (7, Action::Delete), (8, Action::Rollback)]);
}

#[test]
fn several_files_go_back_together_and_the_others_are_left_alone() {
    let (shelf, state, one) = shelf_with_three();
    let store = store(&state);
    store.write_file(&one, "references/a.md", b"a1", false).unwrap(); // 4
    store.write_file(&one, "scripts/run.sh", b"run1", true).unwrap(); // 5
    let untouched = shelf.write("one/assets/mine.txt", "mine");
    chmod(&untouched, 0o600);
    std::fs::create_dir(shelf.root.join("one/empty")).unwrap();
    let at_5 = tree(&shelf.root);
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&path.metadata().unwrap());
    let same_file = inode(&untouched);
    store.edit(&one, &text("fourth")).unwrap(); // 6
    store.write_file(&one, "references/a.md", b"a2", false).unwrap(); // 7
    store.write_file(&one, "references/b.md", b"b1", false).unwrap(); // 8
    store.remove_file(&one, "scripts/run.sh").unwrap(); // 9
    let at_9 = tree(&shelf.root);
    let key = shelf.root.join("one");
    let change = store.rollback(&key, Some(5)).unwrap();
    let files: Vec<&str> = change.files.iter().map(|delta| delta.file.as_str()).collect();
    assert_eq!(files, ["SKILL.md", "references/a.md", "references/b.md", "scripts/run.sh"]);
    assert_eq!(tree(&shelf.root), at_5);
    assert_eq!(inode(&untouched), same_file);
    store.rollback(&key, None).unwrap();
    assert_eq!(tree(&shelf.root), at_9);
    store.rollback(&key, Some(4)).unwrap();
    assert_eq!(shelf.read("one/references/a.md"), "a1");
    assert!(!shelf.root.join("one/scripts").exists());
}

#[test]
fn the_right_to_run_a_program_is_part_of_the_history() {
    let (shelf, state, one) = shelf_with_three();
    let script = shelf.write("one/scripts/run.sh", "echo 1\n");
    chmod(&script, 0o755);
    let store = store(&state);
    store.patch(&one, Some("scripts/run.sh"), "1", "2", Matching::Exact).unwrap(); // 4, 5
    store.edit(&one, &text("fourth")).unwrap(); // 6
    store.rollback(&shelf.root.join("one"), Some(4)).unwrap();
    assert_eq!((mode(&script), shelf.read("one/scripts/run.sh").as_str()), (0o755, "echo 1\n"));
    store.delete(&one).unwrap();
    store.rollback(&shelf.root.join("one"), Some(5)).unwrap();
    assert_eq!((mode(&script), shelf.read("one/scripts/run.sh").as_str()), (0o755, "echo 2\n"));
}

#[test]
fn a_file_that_hone_met_late_is_not_taken_away_by_going_back_to_before() {
    let shelf = Shelf::new();
    shelf.write("one/SKILL.md", text("first"));
    shelf.write("one/references/a.md", "always there\n");
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &text("second")).unwrap(); // 1 found, 2
    store(&state).patch(&one, Some("references/a.md"), "always", "still", Matching::Exact).unwrap(); // 3 found, 4
    store(&state).write_file(&one, "references/b.md", b"new", false).unwrap(); // 5
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    assert_eq!(shelf.read("one/SKILL.md"), text("first"));
    assert_eq!(shelf.read("one/references/a.md"), "always there\n");
    assert!(!shelf.root.join("one/references/b.md").exists());
}

#[test]
fn a_change_by_hand_is_a_revision_of_its_own_and_the_first_thing_to_be_undone() {
    let (shelf, state, one) = shelf_with_three();
    let key = shelf.root.join("one");
    shelf.write("one/SKILL.md", text("by hand"));
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(description(&shelf, &state), "third");
    let history = shelf.history(&state, "one");
    assert_eq!(actions(&history)[3..], [(4, Action::Outside), (5, Action::Rollback)]);
    assert_eq!(history[3].reason, "changed without hone");
    store(&state).rollback(&key, Some(4)).unwrap();
    assert_eq!(description(&shelf, &state), "by hand");

    shelf.write("one/SKILL.md", text("again by hand"));
    store(&state).edit(&one, &text("by hone")).unwrap();
    assert_eq!(
        actions(&shelf.history(&state, "one"))[6..],
        [(7, Action::Outside), (8, Action::Edit)]
    );
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(description(&shelf, &state), "again by hand");
}

#[test]
fn going_back_over_changes_by_hand_in_several_files_keeps_them_all_in_the_history() {
    let (shelf, state, one) = shelf_with_three();
    store(&state).write_file(&one, "references/a.md", b"a1", false).unwrap(); // 4
    store(&state).write_file(&one, "references/a.md", b"a2", false).unwrap(); // 5
    // By hand the file becomes what it was in revision 4, and the text something new.
    shelf.write("one/references/a.md", "a1");
    shelf.write("one/SKILL.md", text("by hand"));
    let key = shelf.root.join("one");
    store(&state).rollback(&key, Some(4)).unwrap();
    let history = shelf.history(&state, "one");
    assert_eq!(actions(&history)[5..], [(6, Action::Outside), (7, Action::Rollback)]);
    let outside = files_at(&state, &history, 6).unwrap();
    assert_eq!(outside["references/a.md"], b"a1");
    assert_eq!(outside["SKILL.md"], text("by hand").as_bytes());
    assert_eq!(files_at(&state, &history, 7).unwrap()["SKILL.md"], text("third").as_bytes());
    // Nothing else was changed by hand since, so going back undoes the rollback.
    store(&state).rollback(&key, None).unwrap();
    assert_eq!(shelf.read("one/SKILL.md"), text("by hand"));
}

#[test]
fn damage_to_a_kept_version_is_found_before_anything_is_written() {
    let (shelf, state, one) = shelf_with_three();
    let hash = hone_library::hash(text("first").as_bytes());
    let object = shelf.home.join("objects").join(&hash[..2]).join(&hash[2..]);
    let bytes = std::fs::read(&object).unwrap();
    std::fs::write(&object, text("forge")).unwrap();
    let before = tree(&shelf.root);
    let key = shelf.root.join("one");
    let error = store(&state).rollback(&key, Some(1)).unwrap_err();
    assert_eq!(error.to_string(), format!("the kept object {hash} is missing or damaged"));
    std::fs::remove_file(&object).unwrap();
    let error = store(&state).rollback(&key, Some(1)).unwrap_err();
    assert!(matches!(error, Error::Object { .. }), "{error}");
    assert_eq!(tree(&shelf.root), before);
    assert_eq!(shelf.history(&state, "one").len(), 3);
    // The others are as good as before, and writing the same text again mends it.
    store(&state).rollback(&key, Some(2)).unwrap();
    std::fs::write(&object, "damaged again").unwrap();
    store(&state).edit(&one, &text("first")).unwrap();
    assert_eq!(std::fs::read(&object).unwrap(), bytes);
}

#[test]
fn skills_of_one_name_at_two_places_have_two_histories() {
    let shelf = Shelf::new();
    shelf.write("a/one/SKILL.md", text("in a"));
    shelf.write("b/one/SKILL.md", text("in b"));
    let state = shelf.state();
    let catalogue = shelf.catalogue(&state);
    for folder in ["a", "b"] {
        let skill = catalogue.resolve(&format!("{folder}/one"), &shelf.root).unwrap();
        store(&state).edit(skill, &text(&format!("changed in {folder}"))).unwrap();
    }
    store(&state).rollback(&shelf.root.join("a/one"), None).unwrap();
    assert_eq!(shelf.read("a/one/SKILL.md"), text("in a"));
    assert_eq!(shelf.read("b/one/SKILL.md"), text("changed in b"));
    assert_eq!(shelf.history(&state, "a/one").len(), 3);
    assert_eq!(shelf.history(&state, "b/one").len(), 2);
}

#[test]
fn a_place_that_somebody_else_took_is_not_overwritten() {
    let (shelf, state, one) = shelf_with_three();
    let key = shelf.root.join("one");
    store(&state).delete(&one).unwrap();
    std::fs::write(&key, "a file of mine").unwrap();
    let error = store(&state).rollback(&key, None).unwrap_err();
    assert_eq!(
        shelf.shown(&error.to_string()),
        "`ROOT/one` is no longer a folder; move what is there out of the way"
    );
    assert_eq!(std::fs::read(&key).unwrap(), b"a file of mine");
    std::fs::remove_file(&key).unwrap();
    // A folder is joined: what somebody put there stays.
    shelf.write("one/notes.txt", "mine");
    store(&state).rollback(&key, None).unwrap();
    let files: Vec<String> = tree(&key).into_keys().collect();
    assert_eq!(files, ["SKILL.md", "notes.txt"]);
}

#[test]
fn a_skill_is_never_gone_back_away_when_it_is_pinned() {
    let (shelf, state, one) = shelf_with_three();
    let key = shelf.root.join("one");
    store(&state).delete(&one).unwrap();
    store(&state).rollback(&key, None).unwrap();
    store(&state).pin(&one).unwrap();
    let error = store(&state).rollback(&key, None).unwrap_err();
    assert_eq!(error.to_string(), "`one` is pinned; `hone unpin one` first");
    assert!(key.is_dir());
}

#[test]
fn a_skill_file_in_small_letters_has_a_history_like_any_other() {
    let shelf = Shelf::new();
    shelf.write("one/skill.md", text("first"));
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &text("second")).unwrap();
    store(&state).delete(&one).unwrap();
    store(&state).rollback(&shelf.root.join("one"), None).unwrap();
    let change = store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    assert_eq!(change.name, "one");
    let files: Vec<String> = tree(&shelf.root.join("one")).into_keys().collect();
    assert_eq!(files, ["skill.md"]);
    assert_eq!(shelf.read("one/skill.md"), text("first"));
}

#[test]
fn a_skill_inside_another_survives_when_the_outer_one_goes_back() {
    let (shelf, state, one) = shelf_with_three();
    store(&state).write_file(&one, "references/a.md", b"a", false).unwrap(); // 4
    store(&state).create(&shelf.root.join("one"), None, "inner", "Do.\n", &[]).unwrap();
    let inner = shelf.root.join("one/inner/SKILL.md");
    let before = std::fs::read(&inner).unwrap();
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    assert_eq!(std::fs::read(&inner).unwrap(), before);
    assert_eq!(history(&state, &shelf.root.join("one/inner")).unwrap().len(), 1);
}

#[test]
fn what_a_missing_skill_was_can_still_be_seen() {
    let (shelf, state, one) = shelf_with_three();
    store(&state).delete(&one).unwrap();
    let history = shelf.history(&state, "one");
    let gone = files_at(&state, &history, 4).unwrap();
    assert_eq!(gone, BTreeMap::new());
    let last = files_at(&state, &history, 3).unwrap();
    assert_eq!(last, BTreeMap::from([("SKILL.md".to_owned(), text("third").into_bytes())]));
}

#[test]
fn a_single_file_becomes_a_folder_with_the_same_text_and_a_history_for_each() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let created = store(&state).create_file(&shelf.root, "one", &text("first"), &[]).unwrap();
    assert_eq!(created.path, shelf.root.join("one.md"));
    let one = shelf.listed(&state, "one");
    let again = store(&state).create_file(&shelf.root, "one", "Do.\n", std::slice::from_ref(&one));
    assert!(matches!(again, Err(Error::Exists { .. })), "{again:?}");
    let unfolded = store(&state).unfold(&one).unwrap();
    assert_eq!(unfolded.path, shelf.root.join("one"));
    let folder = shelf.listed(&state, "one");
    assert_eq!((folder.is_flat, folder.path), (false, shelf.root.join("one/SKILL.md")));
    assert_eq!(shelf.read("one/SKILL.md"), text("first"));
    assert!(!shelf.root.join("one.md").exists());
    use Action::{Create, Delete};
    assert_eq!(actions(&shelf.history(&state, "one")), [(1, Create)]);
    assert_eq!(actions(&shelf.history(&state, "one.md")), [(1, Create), (2, Delete)]);
    // The file can be brought back once the folder is out of its way, as any skill that was deleted.
    store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    store(&state).rollback(&shelf.root.join("one.md"), None).unwrap();
    assert_eq!(shelf.read("one.md"), text("first"));
}

#[test]
fn a_folder_of_that_name_and_a_pin_keep_a_file_a_file() {
    let shelf = Shelf::new();
    let state = shelf.state();
    store(&state).create_file(&shelf.root, "one", &text("first"), &[]).unwrap();
    let one = shelf.listed(&state, "one");
    store(&state).pin(&one).unwrap();
    assert!(matches!(store(&state).unfold(&one), Err(Error::Refused(_))));
    store(&state).unpin(&one).unwrap();
    shelf.write("one/SKILL.md", text("other"));
    assert!(matches!(store(&state).unfold(&one), Err(Error::Exists { .. })));
    assert_eq!(shelf.read("one.md"), text("first"));
    // What a process that died in between left is finished.
    shelf.write("one/SKILL.md", text("first"));
    store(&state).unfold(&one).unwrap();
    assert!(!shelf.root.join("one.md").exists());
    assert_eq!(shelf.read("one/SKILL.md"), text("first"));
}
