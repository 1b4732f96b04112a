//! Replacing the text of a skill.

use super::*;

#[test]
fn the_whole_text_is_replaced_and_both_texts_are_in_the_history() {
    let (shelf, state, one) = shelf_with_one();
    let new = text("one", "Other", "Do other.\n");
    let change = store(&state).edit(&one, &new).unwrap();
    let old = skill_text("one");
    assert_eq!(
        change,
        Change {
            action: Action::Edit,
            name: "one".to_owned(),
            path: shelf.root.join("one"),
            files: vec![delta("SKILL.md", Some(&old), Some(&new))],
            revision: Some(2),
            from_version: None,
            to_version: None,
            warnings: vec![],
            mended: vec![],
            patched: None,
            stale: vec![],
            taken_back: vec![],
        }
    );
    assert_eq!(shelf.read("one/SKILL.md"), new);
    let history = shelf.history(&state, "one");
    let told: Vec<(u64, Action, &str, &str)> = history
        .iter()
        .map(|r| (r.revision, r.action, r.actor.as_str(), r.reason.as_str()))
        .collect();
    assert_eq!(
        told,
        [(1, Action::Outside, "", "as it was found"), (2, Action::Edit, "tester", "a test")]
    );
}

#[test]
fn every_text_that_would_break_the_skill_is_refused_through_every_door() {
    let (shelf, state, one) = shelf_with_one();
    let long_name = "n".repeat(65);
    let cases = [
        ("no frontmatter\n".to_owned(), "there is no frontmatter"),
        ("---\nname: one\ndescription: x\n".to_owned(), "never closed"),
        ("---\n- a\n- b\n---\nDo.\n".to_owned(), "not keys with values"),
        ("---\nname: one\n---\nDo.\n".to_owned(), "no description"),
        (text("two", "x", "Do.\n"), "folder"),
        (text("One", "x", "Do.\n"), "lower case"),
        (text(&long_name, "x", "Do.\n"), "65 characters"),
        (text("one", &"d".repeat(1_025), "Do.\n"), "1025 characters"),
        (text("one", "a\0b", "Do.\n"), "NUL"),
        (text("one", "x", ""), "no body"),
        (text("one", "x", &"a".repeat(MAX_SKILL_CHARS)), "100000 are allowed"),
    ];
    for (new, expected) in cases {
        let edited = refused(&shelf, &state, |store| store.edit(&one, &new));
        assert!(edited.contains(expected), "{edited} / {expected}");
        let written = refused(&shelf, &state, |store| {
            store.write_file(&one, "SKILL.md", new.as_bytes(), false)
        });
        assert_eq!(written, edited);
        let old = skill_text("one");
        let patched = refused(&shelf, &state, |store| {
            store.patch(&one, Some("SKILL.md"), &old, &new, Matching::Exact)
        });
        assert_eq!(patched, edited);
        let fixed = refused(&shelf, &state, |store| store.fix(&one, &new));
        assert_eq!(fixed, edited);
    }
    let utf8 = refused(&shelf, &state, |store| store.write_file(&one, "SKILL.md", b"\xFF", false));
    assert_eq!(utf8, "`SKILL.md` must be UTF-8");
}

#[test]
fn a_skill_of_100_000_characters_is_written_and_one_more_is_refused() {
    let (shelf, state, one) = shelf_with_one();
    let of = |count: usize| {
        let start = text("one", "x", "");
        // Two bytes each: characters count, not bytes.
        format!("{start}{}", "é".repeat(count - start.chars().count()))
    };
    let message = refused(&shelf, &state, |store| store.edit(&one, &of(MAX_SKILL_CHARS + 1)));
    assert_eq!(message, "`SKILL.md` has 100001 characters, 100000 are allowed");
    store(&state).edit(&one, &of(MAX_SKILL_CHARS)).unwrap();
    assert_eq!(shelf.read("one/SKILL.md").chars().count(), MAX_SKILL_CHARS);
}

#[test]
fn a_skill_placed_by_hand_that_is_too_long_may_shrink_but_not_grow() {
    let shelf = Shelf::new();
    let of = |count: usize| text("one", "x", &format!("{}\n", "a".repeat(count)));
    shelf.write("one/SKILL.md", of(150_000));
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    store(&state).edit(&one, &of(120_000)).unwrap();
    let message = refused(&shelf, &state, |store| store.edit(&one, &of(130_000)));
    assert!(message.ends_with("100000 are allowed"), "{message}");
}

#[test]
fn a_skill_that_breaks_a_rule_can_be_edited_but_may_not_break_another() {
    let shelf = Shelf::new();
    shelf.write("odd/SKILL.md", text("Odd Name", "x", ""));
    let state = shelf.state();
    let odd = shelf.listed(&state, "Odd Name");
    // Its name breaks three rules and it has no body: both may stay.
    let change = store(&state).edit(&odd, &text("Odd Name", "better", "")).unwrap();
    let rules: Vec<&str> = change.warnings.iter().map(|warning| warning.rule.id()).collect();
    assert_eq!(rules, ["name-uppercase", "name-characters", "name-folder"]);
    let long = text("Odd Name", &"d".repeat(1_025), "");
    let message = refused(&shelf, &state, |store| store.edit(&odd, &long));
    assert!(message.contains("1025 characters"), "{message}");
    store(&state).edit(&odd, &text("odd", "better", "Do.\n")).unwrap();
    let back = refused(&shelf, &state, |store| store.edit(&odd, &text("Odd Name", "x", "Do.\n")));
    assert!(back.contains("lower case"), "{back}");
}

#[test]
fn a_text_that_is_already_there_is_refused() {
    let (shelf, state, one) = shelf_with_one();
    let message = refused(&shelf, &state, |store| store.edit(&one, &skill_text("one")));
    assert_eq!(message, "nothing would change");
}

#[test]
fn permissions_are_kept() {
    let (shelf, state, one) = shelf_with_one();
    let path = shelf.root.join("one/SKILL.md");
    chmod(&path, 0o640);
    store(&state).edit(&one, &text("one", "x", "Do.\n")).unwrap();
    store(&state).patch(&one, None, "Do.", "Do it.", Matching::Exact).unwrap();
    assert_eq!(mode(&path), 0o640);
    let script = shelf.write("one/scripts/run.sh", "echo old\n");
    chmod(&script, 0o750);
    store(&state).write_file(&one, "scripts/run.sh", b"echo new\n", false).unwrap();
    store(&state).patch(&one, Some("scripts/run.sh"), "new", "newer", Matching::Exact).unwrap();
    assert_eq!((mode(&script), shelf.read("one/scripts/run.sh").as_str()), (0o750, "echo newer\n"));
}

#[test]
fn a_built_in_skill_is_read_and_never_changed() {
    let shelf = Shelf::new();
    let state = shelf.state();
    let search = hone_library::Search {
        builtin: true,
        ..hone_library::Search::only(Vec::new(), &shelf.around(), &hone_library::Config::default())
    };
    let catalogue = hone_library::Catalogue::find(search, &state);
    let hone = catalogue.resolve("hone", &shelf.root).unwrap();
    assert!(read_text(hone).unwrap().starts_with(b"---\nname: hone\n"));
    assert_eq!(list_files(hone).unwrap(), Vec::<String>::new());
    let message = "`hone` is part of hone and cannot be changed; copy it with `hone new`";
    let error = |result: Result<Change, Error>| result.unwrap_err().to_string();
    let store = store(&state);
    assert_eq!(error(store.edit(hone, "x")), message);
    assert_eq!(error(store.patch(hone, None, "a", "b", Matching::Exact)), message);
    assert_eq!(error(store.delete(hone)), message);
    assert_eq!(error(store.write_file(hone, "references/x", b"", false)), message);
    assert_eq!(error(store.remove_file(hone, "references/x")), message);
}
