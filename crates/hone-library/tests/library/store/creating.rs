//! Creating a skill.

use super::*;

#[test]
fn a_bare_body_becomes_a_skill_with_frontmatter_and_a_first_revision() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let change =
        store(&state).create(&shelf.root, None, "Oracle Check!", "Check it.\n", &[]).unwrap();
    let written = "---\nname: oracle-check\ndescription: Check it.\nmetadata:\n  hone.title: \"Oracle Check!\"\n  \
                   version: \"1\"\n---\nCheck it.\n";
    assert_eq!(
        change,
        Change {
            action: Action::Create,
            name: "oracle-check".to_owned(),
            path: shelf.root.join("oracle-check"),
            files: vec![delta("SKILL.md", None, Some(written))],
            revision: Some(1),
            from_version: None,
            to_version: Some("1".to_owned()),
            warnings: vec![],
            mended: vec![],
            patched: None,
            stale: vec![],
            taken_back: vec![],
        }
    );
    assert_eq!(shelf.read("oracle-check/SKILL.md"), written);
    assert_eq!(shelf.found(), ["oracle-check/SKILL.md"]);
}

#[test]
fn a_category_and_the_root_are_made_when_they_are_missing() {
    let shelf = Shelf::new();
    std::fs::remove_dir(&shelf.root).unwrap();
    let state = shelf.state();
    store(&state).create(&shelf.root, Some("tools"), "one", "Do.\n", &[]).unwrap();
    assert_eq!(shelf.found(), ["tools/one/SKILL.md"]);
}

#[test]
fn what_exists_is_refused_wherever_it_is_in_the_root() {
    let shelf = Shelf::new();
    shelf.skill("cat/one");
    std::fs::create_dir(shelf.root.join("empty")).unwrap();
    std::fs::write(shelf.root.join("file"), "").unwrap();
    link("nowhere", &shelf.root.join("dangling"));
    let state = shelf.state();
    let existing = shelf.catalogue(&state).skills;
    let create = |name: &str, existing: &[Listed]| {
        refused(&shelf, &state, |store| store.create(&shelf.root, None, name, "Do.\n", existing))
    };
    assert_eq!(
        create("one", &existing),
        "the skill `one` exists already at `ROOT/cat/one/SKILL.md`"
    );
    assert_eq!(
        create("ONE", &existing),
        "the skill `one` exists already at `ROOT/cat/one/SKILL.md`"
    );
    // Also when the caller did not know of it.
    for name in ["empty", "file", "dangling"] {
        let expected = format!("the skill `{name}` exists already at `ROOT/{name}`");
        assert_eq!(create(name, &[]), expected);
    }
}

#[test]
fn two_names_with_one_slug_are_a_conflict_and_not_an_overwrite() {
    let shelf = Shelf::new();
    let state = shelf.state();
    store(&state).create(&shelf.root, None, "C++", "Use RAII.\n", &[]).unwrap();
    let existing = shelf.catalogue(&state).skills;
    let conflict = "`C#` and the existing `C++` would share the slug `c`";
    for known in [&existing[..], &[]] {
        let create = refused(&shelf, &state, |store| {
            store.create(&shelf.root, None, "C#", "Use LINQ.\n", known)
        });
        assert_eq!(create, conflict);
        let upsert =
            refused(&shelf, &state, |store| store.upsert(&shelf.root, "C#", "Use LINQ.\n", known));
        assert_eq!(upsert, conflict);
    }
    let again =
        refused(&shelf, &state, |store| store.create(&shelf.root, None, "c++", "Again.\n", &[]));
    assert_eq!(again, "the skill `c` exists already at `ROOT/c`");
}

#[test]
fn names_and_categories_that_cannot_be_found_again_are_refused() {
    let shelf = Shelf::new();
    shelf.skill("skill");
    let state = shelf.state();
    let create = |name: &str, category: Option<&str>| {
        refused(&shelf, &state, |store| store.create(&shelf.root, category, name, "Do.\n", &[]))
    };
    assert_eq!(create("!!!", None), "`!!!` has no letter or digit to make a slug from");
    for name in ["venv", "site-packages"] {
        let slug =
            format!("no skill is looked for in a folder called `{name}`; choose another name");
        assert_eq!(create(name, None), slug);
        let category = format!(
            "`{name}` cannot be a category: no skill is looked for in a folder of that name"
        );
        assert_eq!(create("new", Some(name)), category);
    }
    assert_eq!(create("new", Some("skill")), "`skill` cannot be a category: it is a skill");
    for category in
        ["", "..", "../x", "/abs", "a/b", "A", "a b", ".hidden", &"a".repeat(65), "a\\b"]
    {
        let expected = format!(
            "`{}` cannot be a category: use lower-case letters, digits and hyphens",
            category.escape_debug()
        );
        assert_eq!(create("new", Some(category)), expected);
    }
}

#[test]
fn a_root_that_is_a_skill_gets_no_skill_in_its_supporting_folders() {
    let shelf = Shelf::new();
    shelf.write("SKILL.md", text("skills", "The root", "Do.\n"));
    let state = shelf.state();
    let message = refused(&shelf, &state, |store| {
        store.create(&shelf.root, None, "references", "Do.\n", &[])
    });
    assert_eq!(
        message,
        "no skill is looked for in a folder called `references`; choose another name"
    );
    assert!(store(&state).create(&shelf.root, None, "other", "Do.\n", &[]).is_ok());
}

#[test]
fn a_text_that_is_no_valid_skill_is_refused() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let create = |content: &str| {
        refused(&shelf, &state, |store| store.create(&shelf.root, None, "one", content, &[]))
    };
    assert_eq!(create(""), "the skill has no body: write down what to do");
    assert_eq!(create(&text("one", "x", " \n")), "the skill has no body: write down what to do");
    let long = create(&text("one", &"d".repeat(1_025), "Do.\n"));
    assert_eq!(
        long,
        "the result would not be a valid skill: the description has 1025 characters, 1024 are allowed"
    );
    let unclosed = create("---\nname: one\n");
    assert!(unclosed.contains("never closed"), "{unclosed}");
}
