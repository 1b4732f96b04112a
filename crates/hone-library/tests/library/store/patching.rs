//! Replacing a piece of a text or of a file.

use super::*;

#[test]
fn one_piece_is_replaced_and_reported() {
    let (shelf, state, one) = shelf_with_one();
    let change = store(&state).patch(&one, None, "Do one.", "Do two.", Matching::Exact).unwrap();
    let patched = change.patched.unwrap();
    assert_eq!(
        (patched.matched.as_str(), patched.line, patched.fuzzy, change.revision),
        ("Do one.", 5, false, Some(2))
    );
    assert_eq!(shelf.read("one/SKILL.md"), text("one", "About one", "Do two.\n"));
}

#[test]
fn zero_and_several_occurrences_are_refused_with_their_number() {
    let (shelf, state, one) = shelf_with_one();
    let patch = |old: &str, new: &str| {
        refused(&shelf, &state, |store| store.patch(&one, None, old, new, Matching::Exact))
    };
    assert_eq!(patch("nowhere", "x"), "the old text occurs 0 times");
    assert_eq!(patch("one", "x"), "the old text occurs 3 times, at lines 2, 3, 5");
    assert_eq!(patch("", "x"), "the old text is empty");
    assert_eq!(patch("one", "one"), "the old and the new text are the same");
    assert_eq!(
        patch("description: About one\n", ""),
        "the result would not be a valid skill: there is no description"
    );
}

#[test]
fn line_ends_stay_what_they_are() {
    let shelf = Shelf::new();
    let crlf = |text: &str| text.replace('\n', "\r\n");
    shelf.write("one/SKILL.md", crlf(&text("one", "x", "First.\nSecond.\n")));
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    store(&state).patch(&one, None, "First.", "1\n2\n3", Matching::Exact).unwrap();
    assert_eq!(shelf.read("one/SKILL.md"), crlf(&text("one", "x", "1\n2\n3\nSecond.\n")));
    store(&state).patch(&one, None, "3\nSecond.", "3\n4", Matching::Fuzzy).unwrap();
    assert_eq!(shelf.read("one/SKILL.md"), crlf(&text("one", "x", "1\n2\n3\n4\n")));
}

#[test]
fn a_file_that_is_missing_or_not_text_is_refused() {
    let (shelf, state, one) = shelf_with_one();
    shelf.write("one/references/a.md", "text\n");
    shelf.write("one/assets/b.bin", b"\xFF\xFE\n");
    let patch = |file: &str| {
        let mut hint = None;
        let message = refused(&shelf, &state, |store| {
            let result = store.patch(&one, Some(file), "a", "b", Matching::Exact);
            hint = result.as_ref().err().and_then(Error::hint);
            result
        });
        (message, hint)
    };
    assert_eq!(
        patch("references/none.md"),
        (
            "the skill has no file `references/none.md`".to_owned(),
            Some("it has SKILL.md, assets/b.bin, references/a.md".to_owned())
        )
    );
    assert_eq!(patch("assets/b.bin"), ("`assets/b.bin` is not text".to_owned(), None));
}
