//! Taking a skill away.

use super::*;

#[test]
fn the_folder_goes_and_so_does_a_category_that_it_leaves_empty() {
    let shelf = Shelf::new();
    shelf.skill("a/b/one");
    shelf.skill("a/b/two");
    shelf.write("a/b/one/references/x.md", "x\n");
    let state = shelf.state();
    let change = store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    assert_eq!(
        (change.action, change.revision, &change.path),
        (Action::Delete, Some(2), &shelf.root.join("a/b/one"))
    );
    assert_eq!(
        change.files,
        [
            delta("SKILL.md", Some(&skill_text("one")), None),
            delta("references/x.md", Some("x\n"), None),
        ]
    );
    assert_eq!(shelf.found(), ["a/b/two/SKILL.md"]);
    store(&state).delete(&shelf.listed(&state, "two")).unwrap();
    let left: Vec<String> = tree(&shelf.root).into_keys().collect();
    assert_eq!(left, ["a/"]);
}

#[test]
fn the_root_stays_when_its_last_skill_goes() {
    let (shelf, state, one) = shelf_with_one();
    store(&state).delete(&one).unwrap();
    assert!(shelf.root.is_dir());
    let again = store(&state).delete(&one).unwrap_err();
    let expected = "could not find `ROOT/one`: No such file or directory (os error 2)";
    assert_eq!(shelf.shown(&again.to_string()), expected);
}

#[test]
fn a_pinned_skill_stays_until_it_is_unpinned() {
    let (shelf, state, one) = shelf_with_one();
    assert!(store(&state).pin(&one).unwrap());
    assert!(!store(&state).pin(&one).unwrap());
    let message = refused(&shelf, &state, |store| store.delete(&one));
    assert_eq!(message, "`one` is pinned; `hone unpin one` first");
    // A pin keeps it from going, not from getting better.
    store(&state).edit(&one, &text("one", "x", "Do.\n")).unwrap();
    assert!(store(&state).unpin(&one).unwrap());
    assert!(!store(&state).unpin(&one).unwrap());
    store(&state).delete(&one).unwrap();
}

#[test]
fn a_linked_folder_and_a_root_are_refused() {
    let shelf = Shelf::new();
    let outside = shelf.base().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("SKILL.md"), skill_text("linked")).unwrap();
    link(&outside, &shelf.root.join("linked"));
    shelf.write("SKILL.md", text("skills", "The root", "Do.\n"));
    let state = shelf.state();
    let delete = |name: &str| {
        let skill = shelf.listed(&state, name);
        refused(&shelf, &state, |store| store.delete(&skill))
    };
    assert_eq!(
        delete("linked"),
        "`ROOT/linked` is a link to `BASE/outside`; remove the link by hand, or the skill where it really is"
    );
    assert_eq!(delete("skills"), "`ROOT` is a whole root of skills");
}

#[test]
fn a_skill_with_another_inside_is_refused_but_not_for_what_is_no_skill() {
    let (shelf, state, one) = shelf_with_one();
    shelf.skill("one/references/example");
    shelf.skill("one/node_modules/package");
    shelf.skill("one/more/inner");
    let message = refused(&shelf, &state, |store| store.delete(&one));
    assert_eq!(
        message,
        "another skill stands inside it at `more/inner/SKILL.md`; move or remove that one first"
    );
    store(&state).delete(&shelf.listed(&state, "inner")).unwrap();
    store(&state).delete(&one).unwrap();
    assert!(!shelf.root.join("one").exists());
}

#[test]
fn what_cannot_be_kept_is_not_deleted() {
    use std::os::unix::ffi::OsStrExt;
    let (shelf, state, one) = shelf_with_one();
    let odd = shelf.root.join("one").join(std::ffi::OsStr::from_bytes(b"odd\xFF"));
    std::fs::write(&odd, "x").unwrap();
    let message = refused(&shelf, &state, |store| store.delete(&one));
    assert_eq!(message, "`odd\u{FFFD}` has a name that is not UTF-8; remove it by hand");
    std::fs::remove_file(&odd).unwrap();
    let deep = shelf.root.join("one").join("d/".repeat(40));
    std::fs::create_dir_all(&deep).unwrap();
    let message = refused(&shelf, &state, |store| store.delete(&one));
    let expected = format!("`{}` lies deeper than 32 folders; remove it by hand", "d/".repeat(33));
    assert_eq!(message, expected);
    assert_eq!(list_files(&one).unwrap(), ["d/".repeat(33)]);
}
