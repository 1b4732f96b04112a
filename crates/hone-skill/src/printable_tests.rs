use std::borrow::Cow;

use super::*;

const SCOTLAND: &str = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}";

/// The contract written out apart from the code: characters that must never reach a terminal in any
/// place.
fn must_never_pass(character: char) -> bool {
    let code = u32::from(character);
    let control = code < 0x20 && character != '\n' && character != '\t';
    let c1 = (0x7f..=0x9f).contains(&code);
    let bidi = (0x202a..=0x202e).contains(&code)
        || (0x2066..=0x2069).contains(&code)
        || [0x200e, 0x200f, 0x061c].contains(&code);
    let separator = [0x2028, 0x2029].contains(&code);
    let invisible = [0x200b, 0x2060, 0xfeff, 0x00ad].contains(&code);
    let annotation = (0xfff9..=0xfffb).contains(&code);
    let tag = (0xe0000..=0xe007f).contains(&code);
    control || c1 || bidi || separator || invisible || annotation || tag
}

#[test]
fn ordinary_text_is_borrowed() {
    for text in [
        "",
        "plain\twords\nand lines",
        "naïve — “quotes” … 日本語 한국어 עברית",
        "\u{e0b0} private use",
    ] {
        let shown = printable(text);
        assert!(matches!(shown, Cow::Borrowed(same) if same == text), "{text:?}");
    }
}

#[test]
fn no_forbidden_character_passes_wherever_it_stands() {
    let mut text = String::new();
    for c in '\0'..=char::MAX {
        text.extend([c, 'क', c]);
    }
    assert_eq!(printable(&text).chars().find(|c| must_never_pass(*c)), None);
}

#[test]
fn every_forbidden_character_becomes_its_escape() {
    for character in ('\0'..=char::MAX).filter(|c| must_never_pass(*c)) {
        assert_eq!(
            printable(&format!("a{character}b")),
            format!("a\\u{{{:x}}}b", u32::from(character))
        );
    }
}

#[test]
fn terminal_sequences_are_shown_not_sent() {
    assert_eq!(
        printable("\u{1b}]0;title\u{7}\u{1b}[2J\u{9b}31m"),
        "\\u{1b}]0;title\\u{7}\\u{1b}[2J\\u{9b}31m"
    );
    assert_eq!(printable("safe\u{202e}txt.exe"), "safe\\u{202e}txt.exe");
}

#[test]
fn a_carriage_return_goes_only_before_a_newline() {
    assert_eq!(printable("a\r\nb\r\n"), "a\nb\n");
    assert_eq!(printable("good\rbad"), "good\\u{d}bad");
    assert_eq!(printable("a\r\r\n"), "a\\u{d}\n");
}

#[test]
fn shaped_text_is_left_alone() {
    for text in [
        "می\u{200c}خواهم",
        "क्\u{200d}ष क्\u{200c}ष",
        "👩🏽\u{200d}💻 ❤\u{fe0f} 👁\u{fe0f}\u{200d}🗨\u{fe0f}",
        "1\u{fe0f}\u{20e3} #\u{fe0f}\u{20e3} ©\u{fe0f}",
        "葛\u{e0100}城",
        SCOTLAND,
    ] {
        let shown = printable(text);
        assert!(matches!(shown, Cow::Borrowed(same) if same == text), "{text:?}");
    }
}

#[test]
fn joiners_and_selectors_that_shape_nothing_are_shown() {
    assert_eq!(printable("pass\u{200d}word"), "pass\\u{200d}word");
    assert_eq!(printable("\u{200c}start"), "\\u{200c}start");
    assert_eq!(printable("a\u{fe0f}"), "a\\u{fe0f}");
    assert_eq!(printable("😀\u{fe0f}\u{e0154}\u{e0155}"), "😀\u{fe0f}\\u{e0154}\\u{e0155}");
    assert_eq!(printable("क\u{200d}\u{200d}"), "क\u{200d}\\u{200d}");
}

#[test]
fn tags_pass_only_as_a_whole_flag() {
    assert_eq!(printable("a\u{e0041}"), "a\\u{e0041}");
    assert_eq!(printable("\u{1f3f4}\u{e0067}\u{e0062}"), "\u{1f3f4}\\u{e0067}\\u{e0062}");
    assert_eq!(printable("\u{1f3f4}\u{e007f}"), "\u{1f3f4}\\u{e007f}");

    let flag_of = |tags: usize| format!("\u{1f3f4}{}\u{e007f}", "\u{e0061}".repeat(tags));
    assert_eq!(printable(&flag_of(MAX_FLAG_TAGS)), flag_of(MAX_FLAG_TAGS));
    assert_eq!(
        printable(&flag_of(MAX_FLAG_TAGS + 1)),
        format!("\u{1f3f4}{}\\u{{e007f}}", "\\u{e0061}".repeat(8))
    );
}

#[test]
fn one_line_has_single_spaces_and_no_ends() {
    assert_eq!(printable_line("  Use\twhen\r\n  the user\u{a0}asks \n"), "Use when the user asks");
    assert_eq!(printable_line("a\u{1b}[1m \n b"), "a\\u{1b}[1m b");
    assert_eq!(printable_line(" \n\t "), "");

    let trimmed = printable_line("  already one line\n");
    assert!(matches!(trimmed, Cow::Borrowed("already one line")));
}
