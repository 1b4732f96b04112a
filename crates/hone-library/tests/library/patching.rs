//! Replacing one piece of a text, when it is certain which one is meant.

use hone_library::{Matching, PatchError, Patched, patch};
use proptest::prelude::*;

fn patched(text: &str, matched: &str, line: usize, fuzzy: bool) -> Patched {
    Patched { text: text.to_owned(), matched: matched.to_owned(), line, fuzzy }
}

fn exact(text: &str, old: &str, new: &str) -> Result<Patched, PatchError> {
    patch(text, old, new, Matching::Exact)
}

fn fuzzy(text: &str, old: &str, new: &str) -> Result<Patched, PatchError> {
    patch(text, old, new, Matching::Fuzzy)
}

#[test]
fn a_text_that_occurs_once_is_replaced() {
    assert_eq!(exact("a\nb\nc\n", "b", "x\ny"), Ok(patched("a\nx\ny\nc\n", "b", 2, false)));
    assert_eq!(exact("a\nb\nc\n", "b\n", ""), Ok(patched("a\nc\n", "b\n", 2, false)));
    assert_eq!(exact("größe", "ö", "oe"), Ok(patched("groeße", "ö", 1, false)));
    assert_eq!(exact("whole", "whole", "new"), Ok(patched("new", "whole", 1, false)));
}

#[test]
fn overlapping_occurrences_are_counted() {
    let several =
        |count: usize, lines: &[usize]| Err(PatchError::Several { count, lines: lines.to_vec() });
    assert_eq!(exact("aaa", "aa", "b"), several(2, &[1, 1]));
    assert_eq!(exact("ababab", "abab", "x"), several(2, &[1, 1]));
    assert_eq!(exact("x\n\n\nx", "\n\n", "\n"), several(2, &[1, 2]));
    let nine = exact("a\n".repeat(9).as_str(), "a", "b");
    assert_eq!(nine, several(9, &[1, 2, 3, 4, 5, 6, 7, 8]));
}

#[test]
fn nothing_and_no_change_are_refused() {
    assert_eq!(exact("a", "", "b"), Err(PatchError::Empty));
    assert_eq!(exact("a", "a", "a"), Err(PatchError::Same));
    assert_eq!(fuzzy("a", "", "b"), Err(PatchError::Empty));
    assert_eq!(
        fuzzy("a\n\n", " \n ", "b"),
        Err(PatchError::None { near: vec![], fuzzy_would: false })
    );
}

#[test]
fn what_is_not_there_comes_with_the_nearest_lines() {
    let text = "Alpha\n  Run the tests first\nRun the test suite\nSomething else\n";
    let near = |old: &str| match exact(text, old, "x") {
        Err(PatchError::None { near, fuzzy_would: false }) => near,
        other => panic!("{other:?}"),
    };
    let first = (2, "Run the tests first".to_owned());
    let second = (3, "Run the test suite".to_owned());
    assert_eq!(near("Run the tets first\nand more"), [first.clone(), second.clone()]);
    assert_eq!(near("\n\n  run the TEST\n"), [second, first]);
    assert_eq!(near("Alhpa"), [(1, "Alpha".to_owned())]);
    assert_eq!(near("zzz qqq"), []);
    let error = hone_library::Error::Patch(exact(text, "Alhpa", "x").unwrap_err());
    assert_eq!(error.to_string(), "the old text occurs 0 times");
    assert_eq!(error.hint().as_deref(), Some("the nearest lines are\n1: Alpha"));
}

#[test]
fn an_exact_patch_says_when_a_fuzzy_one_would_do() {
    let error = exact("say “hi”\n", "say \"hi\"", "x").unwrap_err();
    assert!(matches!(error, PatchError::None { fuzzy_would: true, .. }), "{error:?}");
    let hint = hone_library::Error::Patch(error).hint().unwrap();
    assert_eq!(hint, "it would match with `--fuzzy`, which lets blanks and quotes differ");
}

#[test]
fn a_fuzzy_patch_forgives_blanks_quotes_dashes_and_line_ends() {
    let cases = [
        ("a  b\tc\n", "a b c", "a  b\tc"),
        ("don’t “stop” – now…\n", "don't \"stop\" - now...", "don’t “stop” – now…"),
        ("end   \nnext\n", "end\nnext", "end   \nnext"),
        ("one\r\ntwo\r\n", "one\ntwo", "one\r\ntwo"),
        ("no\u{a0}break\n", "no break", "no\u{a0}break"),
    ];
    for (text, old, matched) in cases {
        let expected = text.replace(matched, "new");
        assert_eq!(fuzzy(text, old, "new"), Ok(patched(&expected, matched, 1, true)), "{old}");
    }
}

#[test]
fn a_fuzzy_patch_takes_the_indentation_of_the_place() {
    let text = "list:\n    - one\n    - two\nend\n";
    assert_eq!(
        fuzzy(text, "- one\n- two", "- eins\n  - inner\n\n- zwei"),
        Ok(patched(
            "list:\n    - eins\n      - inner\n\n    - zwei\nend\n",
            "    - one\n    - two",
            2,
            true
        ))
    );
    // Taken away, a line goes with its indentation and its end.
    assert_eq!(
        fuzzy(text, "\t- one\n", ""),
        Ok(patched("list:\n    - two\nend\n", "    - one\n", 2, true))
    );
    // In the middle of a line there is nothing to indent.
    assert_eq!(
        fuzzy("do  this and that\n", "this  and", "these\nand"),
        Ok(patched("do  these\nand that\n", "this and", 1, true))
    );
}

#[test]
fn a_fuzzy_patch_keeps_the_line_breaks_that_were_given() {
    assert_eq!(fuzzy("a  b\nc\n", "a b\n", "x\ny\n"), Ok(patched("x\ny\nc\n", "a  b\n", 1, true)));
    // The last line has no line break to match.
    assert_eq!(fuzzy("c\na  b", "a b\n", "x\n"), Ok(patched("c\nx", "a  b", 2, true)));
    assert_eq!(
        fuzzy("a  b\r\nc\r\n", "a b", "x\ny"),
        Ok(patched("x\r\ny\r\nc\r\n", "a  b", 1, true))
    );
}

#[test]
fn a_fuzzy_patch_that_fits_twice_is_refused() {
    assert_eq!(
        fuzzy("a  b\nx\na\tb\n", "a b", "c"),
        Err(PatchError::Several { count: 2, lines: vec![1, 3] })
    );
    // An ellipsis is three dots or none, never two.
    assert!(matches!(fuzzy("wait…", "wait..", "x"), Err(PatchError::None { .. })));
}

#[test]
fn unrelated_middles_do_not_match() {
    let text = "start\nmiddle of another kind\nend\n";
    assert!(matches!(
        fuzzy(text, "start\nquite different\nend", "x"),
        Err(PatchError::None { .. })
    ));
}

#[test]
fn adversarial_texts_of_100_kilobytes_end() {
    let long = "a".repeat(100_000);
    let half = "a".repeat(50_000);
    let count = |old: &str| match exact(&long, old, "b") {
        Err(PatchError::Several { count, .. }) => count,
        other => panic!("{:?}", other.map(|patched| patched.line)),
    };
    assert_eq!(count(&half), 50_001);
    assert_eq!(count("a"), 100_000);
    // Nearly everywhere, but for the last letter.
    let almost = format!("{half}b");
    assert!(matches!(exact(&long, &almost, "x"), Err(PatchError::None { .. })));
    assert!(matches!(fuzzy(&long, &almost, "x"), Err(PatchError::None { .. })));
    let blanks = " \t".repeat(50_000);
    assert!(fuzzy(&blanks, "a", "b").is_err());
    let lines = "ab\n".repeat(33_000);
    assert!(fuzzy(&lines, &"ab\n".repeat(16_000), "x").is_err());
    let words: Vec<String> = (0..20_000).map(|n| n.to_string()).collect();
    let words = words.join(" ");
    assert!(exact(&words, &words.replace('7', "8"), "x").is_err());
}

proptest! {
    #[test]
    fn only_the_match_changes(before in "[ab\n]{0,40}", old in "[a-c \n]{1,12}", after in "[ab\n]{0,40}", new in "[a-d\n]{0,12}") {
        let text = format!("{before}{old}{after}");
        // Counted the slow way.
        let starts: Vec<usize> =
            (0..text.len()).filter(|at| text.is_char_boundary(*at) && text[*at..].starts_with(&old)).collect();
        match exact(&text, &old, &new) {
            Ok(patched) => {
                prop_assert_eq!(&starts, &[before.len()]);
                prop_assert_eq!(patched.text, format!("{before}{new}{after}"));
                prop_assert_eq!(patched.matched, old);
                prop_assert_eq!(patched.line, before.matches('\n').count() + 1);
            }
            Err(PatchError::Several { count, .. }) => prop_assert_eq!(count, starts.len()),
            Err(PatchError::Same) => prop_assert_eq!(old, new),
            Err(error) => prop_assert!(false, "{:?}", error),
        }
    }

    #[test]
    fn a_fuzzy_match_changes_nothing_around_it(
        before in "[xy \t\r\n“…]{0,30}",
        old in "[ab \t'\"\n.]{1,16}",
        after in "[xy \t\r\n”’]{0,30}",
        new in "[cd \n]{0,12}",
        noise in "[ \t]{0,3}",
    ) {
        let there = old.replace(' ', &format!(" {noise}")).replace('\'', "’").replace('"', "“");
        let text = format!("{before}{there}{after}");
        match fuzzy(&text, &old, &new) {
            Ok(patched) => {
                let at = text.find(&patched.matched).unwrap();
                let starts: Vec<usize> = text.match_indices(&patched.matched).map(|(at, _)| at).collect();
                prop_assert!(starts.iter().any(|at| {
                    patched.text.starts_with(&text[..*at])
                        && patched.text.ends_with(&text[at + patched.matched.len()..])
                }), "{:?} {:?} at {}", text, patched, at);
            }
            Err(PatchError::None { .. } | PatchError::Several { .. } | PatchError::Same) => {}
            Err(PatchError::Empty) => prop_assert!(false),
        }
    }

    #[test]
    fn no_text_makes_it_fall_over(text in ".{0,60}", old in ".{0,12}", new in ".{0,12}") {
        let _ = exact(&text, &old, &new);
        let _ = fuzzy(&text, &old, &new);
    }
}
