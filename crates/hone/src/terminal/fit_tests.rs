use std::borrow::Cow;

use super::*;

const SCOTLAND: &str = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

#[test]
fn text_that_fits_is_borrowed() {
    for (text, columns) in [("", 0), ("abcde", 5), ("日本", 4), ("e\u{301}", 1)] {
        let shown = fit(text, columns);
        assert!(matches!(shown, Cow::Borrowed(same) if same == text), "{text:?}");
    }
}

#[test]
fn text_that_does_not_fit_ends_with_an_ellipsis() {
    assert_eq!(fit("abcdef", 5), "abcd…");
    assert_eq!(fit("one two", 5), "one…");
    assert_eq!(fit("abc", 1), "…");
    assert_eq!(fit("abc", 0), "");
    assert_eq!(fit("日本語", 5), "日本…");
    assert_eq!(fit("日本語", 4), "日…");
}

#[test]
fn a_cut_never_falls_inside_a_character() {
    let family = "👨\u{200d}👩\u{200d}👧";
    assert_eq!(fit(&format!("{family}{family}"), 3), format!("{family}…"));
    assert_eq!(fit(&format!("{family}ab"), 2), "…");
    assert_eq!(fit("🇸🇪🇸🇪", 3), "🇸🇪…");
    assert_eq!(fit("👍🏽👍🏽", 3), "👍🏽…");
    assert_eq!(fit("e\u{301}e\u{301}e\u{301}", 2), "e\u{301}…");
    assert_eq!(fit(&format!("{SCOTLAND}abc"), 3), format!("{SCOTLAND}…"));
}

#[test]
fn clusters_rebuild_the_text() {
    let text = "aé e\u{301} 🇸🇪🇳🇴🇩 👩🏽\u{200d}💻 क्\u{200d}ष क्\u{200d} a 1\u{fe0f}\u{20e3}";
    assert_eq!(clusters(text).collect::<String>(), text);
    assert_eq!(
        clusters("🇸🇪🇳🇴🇩e\u{301}👩🏽\u{200d}💻a").collect::<Vec<_>>(),
        ["🇸🇪", "🇳🇴", "🇩", "e\u{301}", "👩🏽\u{200d}💻", "a"]
    );
}

#[test]
fn the_end_of_a_text_is_kept_after_an_ellipsis() {
    assert_eq!(fit_end("abcdef", 6), "abcdef");
    assert_eq!(fit_end("abcdef", 4), "…def");
    assert_eq!(fit_end("abcdef", 1), "…");
    assert_eq!(fit_end("abcdef", 0), "");
    assert_eq!(fit_end("日本語の", 5), "…語の");
    assert_eq!(fit_end("日本語の", 4), "…の");
}

#[test]
fn wrapped_text_hangs_behind_its_lead_and_loses_nothing() {
    assert_eq!(hung("  1. ", "Run `make`.", 80), "  1. Run `make`.");
    assert_eq!(hung("  1. ", "Run `make` and look.", 16), "  1. Run `make`\n     and look.");
    assert_eq!(hung("", "one two", 3), "one\ntwo");
    assert_eq!(hung("lead", "", 20), "lead");
    // A lead that leaves no room does not push everything to the edge.
    assert_eq!(hung("a long lead ", "one two", 10), "a long lead\n     one\n     two");
    // Only a word that fits nowhere is cut.
    assert_eq!(hung("a long lead ", "fifteen", 10), "a long lead f\n     iftee\n     n");
    assert_eq!(hung("lead: ", "fourteen is it", 12), "lead: fourte\n      en is\n      it");
    assert_eq!(hung("offer  name  ", "word: a b", 16), "offer  name\n        word: a\n        b");
    assert_eq!(hung("    ", "  indented code", 14), "      indented\n    code");
}
