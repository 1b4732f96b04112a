//! Dry runs: everything but the writing.

use super::*;

#[test]
fn nothing_is_written_and_the_answer_is_the_same_but_for_the_revision() {
    let shelf = Shelf::new();
    for name in ["one", "two", "three"] {
        shelf.skill(name);
    }
    shelf.write("one/references/a.md", "a\n");
    shelf.write("flat.md", skill_text("flat"));
    let state = shelf.state();
    let listed = |name: &str| shelf.listed(&state, name);
    let (one, two, three, flat) = (listed("one"), listed("two"), listed("three"), listed("flat"));
    store(&state).edit(&two, &text("two", "changed", "Do.\n")).unwrap();
    store(&state).delete(&three).unwrap();
    let existing = shelf.catalogue(&state).skills;
    type Run<'r> = Box<dyn Fn(&Store<'_>) -> Result<Change, Error> + 'r>;
    let runs: Vec<Run<'_>> = vec![
        Box::new(|s| s.create(&shelf.root, Some("new"), "four", "Do.\n", &existing)),
        Box::new(|s| s.create(&shelf.root.join("not/there/yet"), None, "five", "Do.\n", &[])),
        Box::new(|s| s.edit(&one, &text("one", "x", "Do.\n"))),
        Box::new(|s| s.patch(&one, None, "Do.", "Do it.", Matching::Exact)),
        Box::new(|s| s.patch(&one, Some("references/a.md"), "a", "b", Matching::Exact)),
        Box::new(|s| s.write_file(&one, "scripts/x/y.sh", b"y", true)),
        Box::new(|s| s.remove_file(&one, "references/a.md")),
        Box::new(|s| s.upsert(&shelf.root, "flat", "New.\n", &existing)),
        Box::new(|s| s.upsert(&shelf.root, "six", "New.\n", &existing)),
        Box::new(|s| s.fix(&flat, &text("flat", "mended", "Do.\n"))),
        Box::new(|s| s.rollback(&shelf.root.join("two"), Some(1))),
        Box::new(|s| s.rollback(&shelf.root.join("three"), None)),
        Box::new(|s| s.delete(&two)),
    ];
    for (at, run) in runs.iter().enumerate() {
        let before = (tree(&shelf.base()), row_counts(&shelf.home));
        let tried = run(&dry(&state)).unwrap();
        let files = |(all, _): &(std::collections::BTreeMap<_, _>, _)| {
            all.clone().into_iter().filter(not_database).collect::<Vec<_>>()
        };
        let after = (tree(&shelf.base()), row_counts(&shelf.home));
        assert_eq!((files(&before), &before.1), (files(&after), &after.1), "run {at}");
        assert_eq!(tried.revision, None);
        let done = run(&store(&state)).unwrap();
        assert_eq!(Change { revision: done.revision, ..tried }, done, "run {at}");
    }
}

#[test]
fn pins_are_not_moved() {
    let (_shelf, state, one) = shelf_with_one();
    assert!(dry(&state).pin(&one).unwrap());
    assert!(!store(&state).is_pinned(&one).unwrap());
    store(&state).pin(&one).unwrap();
    assert!(!dry(&state).pin(&one).unwrap());
    assert!(dry(&state).unpin(&one).unwrap());
    assert!(store(&state).is_pinned(&one).unwrap());
}

#[test]
fn a_category_that_is_gone_is_no_hindrance() {
    let shelf = Shelf::new();
    shelf.skill("category/one");
    let state = shelf.state();
    store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    assert!(!shelf.root.join("category").exists());
    let change = dry(&state).rollback(&shelf.root.join("category/one"), None).unwrap();
    assert_eq!(change.files, [delta("SKILL.md", None, Some(&skill_text("one")))]);
    assert!(!shelf.root.join("category").exists());
    let error = dry(&state).rollback(&shelf.root.join("category/one"), Some(9)).unwrap_err();
    assert_eq!(error.to_string(), "`one` has no revision 9");
}
