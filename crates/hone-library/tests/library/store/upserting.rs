//! Creating a skill, or bringing it to its next version.

use super::*;

fn versions(shelf: &Shelf, prior: &str) -> String {
    let state = shelf.state();
    shelf.write("one/SKILL.md", format!("---\nname: one\ndescription: x\n{prior}---\nDo.\n"));
    let existing = shelf.catalogue(&state).skills;
    let change = store(&state).upsert(&shelf.root, "one", "New body.\n", &existing).unwrap();
    let written = shelf.read("one/SKILL.md");
    assert!(written.ends_with("---\nNew body.\n"), "{written}");
    assert_eq!(written.matches("version:").count(), 1, "{written}");
    change.to_version.unwrap()
}

#[test]
fn the_version_goes_up_by_one_wherever_it_stands() {
    let versions = |prior: &str| versions(&Shelf::new(), prior);
    assert_eq!(versions("version: 1\n"), "2");
    assert_eq!(versions("version: 9\n"), "10");
    assert_eq!(versions("version: 1.2.9\n"), "1.2.10");
    assert_eq!(versions("metadata:\n  version: \"41\"\n"), "42");
    assert_eq!(versions(""), "2");
}

#[test]
fn a_new_skill_is_version_1_and_the_next_upsert_is_in_place() {
    let shelf = Shelf::new();
    let state = shelf.state();
    for (turn, expected) in [(1, "1"), (2, "2"), (3, "3")] {
        let existing = shelf.catalogue(&state).skills;
        let body = format!("Turn {turn}.\n");
        let change = store(&state).upsert(&shelf.root, "My Skill", &body, &existing).unwrap();
        assert_eq!(change.to_version.as_deref(), Some(expected));
        assert_eq!((change.action, change.revision), (Action::Upsert, Some(turn)));
    }
    // Also when the caller does not know of the skill.
    let change = store(&state).upsert(&shelf.root, "my skill", "Turn 4.\n", &[]).unwrap();
    assert_eq!(
        (change.from_version.as_deref(), change.to_version.as_deref(), change.revision),
        (Some("3"), Some("4"), Some(4))
    );
    assert_eq!(shelf.found(), ["my-skill/SKILL.md"]);
}

#[test]
fn a_version_that_was_taken_back_is_given_to_no_other_text() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let upsert = |body: &str| {
        let existing = shelf.catalogue(&state).skills;
        store(&state).upsert(&shelf.root, "one", body, &existing).unwrap().to_version.unwrap()
    };
    assert_eq!([upsert("a\n"), upsert("b\n"), upsert("c\n")], ["1", "2", "3"]);
    store(&state).rollback(&shelf.root.join("one"), Some(1)).unwrap();
    assert_eq!(upsert("d\n"), "4");
    store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    assert_eq!(upsert("e\n"), "5");
    store(&state).delete(&shelf.listed(&state, "one")).unwrap();
    let made = store(&state).create(&shelf.root, None, "one", "f\n", &[]).unwrap();
    assert_eq!(made.to_version.as_deref(), Some("6"));
    assert!(shelf.read("one/SKILL.md").contains("version: \"6\""));
}

#[test]
fn a_single_file_stays_one() {
    let shelf = Shelf::new();
    shelf.write("oracle-check.md", text("oracle-check", "x", "Old.\n"));
    let state = shelf.state();
    let existing = shelf.catalogue(&state).skills;
    let change = store(&state).upsert(&shelf.root, "Oracle Check", "New.\n", &existing).unwrap();
    assert_eq!(change.path, shelf.root.join("oracle-check.md"));
    let files: Vec<String> = tree(&shelf.root).into_keys().collect();
    assert_eq!(files, ["oracle-check.md"]);
    let written = shelf.read("oracle-check.md");
    assert!(written.contains("version: \"2\"") && written.ends_with("New.\n"), "{written}");
    let flat = shelf.listed(&state, "oracle-check");
    store(&state).patch(&flat, None, "---\nNew.", "---\nNewer.", Matching::Exact).unwrap();
    store(&state).delete(&flat).unwrap();
    assert_eq!(tree(&shelf.root).len(), 0);
    store(&state).rollback(&shelf.root.join("oracle-check.md"), None).unwrap();
    assert!(shelf.read("oracle-check.md").ends_with("Newer.\n"));
}

#[test]
fn a_folder_that_somebody_named_otherwise_keeps_its_name() {
    let shelf = Shelf::new();
    shelf.write("My Skill/SKILL.md", text("My Skill", "x", "Old.\n"));
    let state = shelf.state();
    let existing = shelf.catalogue(&state).skills;
    let change = store(&state).upsert(&shelf.root, "my skill", "New.\n", &existing).unwrap();
    assert_eq!((change.name.as_str(), change.to_version.as_deref()), ("My Skill", Some("2")));
    assert_eq!(shelf.found(), ["My Skill/SKILL.md"]);
}

/// Frontmatter that is not in the specification's form, each with what is said about it.
const LOOSE: [(&str, &str); 6] = [
    ("metadata:\n  tags: [a, b]", "`metadata.tags` is a list or a map, only text is allowed"),
    (
        "metadata:\n  hermes:\n    x: y",
        "`metadata.hermes` is a list or a map, only text is allowed",
    ),
    ("metadata: none", "metadata is not a map"),
    ("allowed-tools: {Read: yes}", "allowed-tools is not one text separated by spaces"),
    ("license: [MIT]", "license is not text"),
    ("compatibility: [Linux]", "compatibility is not text"),
];

fn loose_text(field: &str, body: &str) -> String {
    format!("---\nname: one\ndescription: About one\n{field}\n---\n{body}")
}

#[test]
fn a_text_that_is_not_in_the_form_of_the_specification_is_not_written() {
    for (field, message) in LOOSE {
        let loose = loose_text(field, "Do one.\n");
        let expected = format!("the result would not be a valid skill: {message}");
        let shelf = Shelf::new();
        let state = shelf.state();
        let new = |store: &Store<'_>| store.create(&shelf.root, None, "one", &loose, &[]);
        assert_eq!(refused(&shelf, &state, new), expected);
        let new = |store: &Store<'_>| store.upsert(&shelf.root, "one", &loose, &[]);
        assert_eq!(refused(&shelf, &state, new), expected);
        let (shelf, state, one) = shelf_with_one();
        assert_eq!(refused(&shelf, &state, |store| store.edit(&one, &loose)), expected);
        let next = |store: &Store<'_>| {
            store.upsert(&shelf.root, "one", &loose, std::slice::from_ref(&one))
        };
        assert_eq!(refused(&shelf, &state, next), expected);
    }
}

#[test]
fn a_skill_that_somebody_wrote_in_another_form_can_still_be_changed() {
    for (field, _) in LOOSE {
        let shelf = Shelf::new();
        shelf.write("one/SKILL.md", loose_text(field, "Do one.\n"));
        let state = shelf.state();
        let one = shelf.listed(&state, "one");
        let store = store(&state);
        store.edit(&one, &loose_text(field, "Do more.\n")).unwrap();
        store.patch(&one, None, "more", "most", Matching::Exact).unwrap();
        let next = loose_text(field, "Do all.\n");
        store.upsert(&shelf.root, "one", &next, std::slice::from_ref(&one)).unwrap();
        assert!(shelf.read("one/SKILL.md").ends_with("Do all.\n"), "{field}");
    }
}

#[test]
fn what_a_machine_can_mend_is_mended_and_said() {
    use hone_skill::Rule;
    let loose = loose_text("allowed-tools:\n  - Read\n  - Bash(git:*)", "Do one.\n");
    let mended = "---\nname: one\ndescription: About one\nallowed-tools: Read Bash(git:*)\nmetadata:\n  \
                  version: \"1\"\n---\nDo one.\n";
    let shelf = Shelf::new();
    let state = shelf.state();
    let change = store(&state).create(&shelf.root, None, "one", &loose, &[]).unwrap();
    assert_eq!(change.mended, [Rule::AllowedToolsForm]);
    assert_eq!(shelf.read("one/SKILL.md"), mended);
    let one = shelf.listed(&state, "one");
    let change = store(&state).upsert(&shelf.root, "one", &loose, &[one]).unwrap();
    assert_eq!(change.mended, [Rule::AllowedToolsForm]);
    assert_eq!(shelf.read("one/SKILL.md"), mended.replace("\"1\"", "\"2\""));
}
