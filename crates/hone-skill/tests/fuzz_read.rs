//! The reader against bytes that nobody wrote on purpose: the bounded twin of `fuzz/`.
//!
//! "Linear" is not timed here. What could make the reader worse than linear is bounded by the limits
//! (the frontmatter, its values, their depth) and every diagnostic finds its place in constant time;
//! so the test feeds each shape that is quadratic in a naive reader at full size, where such a reader
//! would need minutes, and asserts that the answer is right and its size in proportion.

mod invariants;

use hone_skill::limits::{MAX_FRONTMATTER_BYTES, MAX_READ_BYTES};
use hone_skill::{Profile, Rule, fix, read};
use invariants::check;
use proptest::prelude::*;

/// Pieces that mean something to a reader of frontmatter, and some that should not.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let telling = prop::sample::select(vec![
        "---\n",
        "---",
        "...\n",
        "--- \n",
        "```\n",
        "~~~",
        "name: ",
        "name:",
        "description: ",
        "description:\n",
        "metadata:\n",
        "allowed-tools: ",
        "version: 1\n",
        "user-invokable: x\n",
        "a: ",
        "a:\n",
        "? ",
        ": ",
        ":",
        "- ",
        "  - ",
        "\n",
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "#",
        " # c\n",
        "'",
        "\"",
        "\\",
        "\\x",
        "|",
        "|\n",
        ">\n  ",
        ">-",
        "|+\n",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a ",
        "*a",
        "!t ",
        "!!str ",
        "%",
        "@",
        "`",
        "<<: *a\n",
        "~",
        "null",
        "42",
        "true",
        "x",
        "greet",
        "Some Text",
        "é",
        "😀",
        "\u{301}",
        "\u{feff}",
        "\u{85}",
        "\u{2028}",
        "\u{202e}",
        "\u{1b}",
        "\u{7f}",
        "a: b: c\n",
        "k: [v\n",
        "\"k\": v\n",
        "Name: X\n",
        "# h\n",
        "\n  x: y\n",
        "\n\tz",
        "1e5",
        "=",
    ]);
    prop_oneof![
        30 => telling.prop_map(|text| text.as_bytes().to_vec()),
        1 => Just(vec![0]),
        1 => Just(vec![0xff]),
        1 => Just(vec![0xc3]),
        1 => (prop::sample::select(vec![b'a', b'-', b'[', b' ', b'"', b'#', b'\n', b'*']), 1_usize..300)
            .prop_map(|(byte, count)| vec![byte; count]),
    ]
}

fn soup(pieces: std::ops::Range<usize>) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(piece(), pieces).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn any_soup_of_pieces_keeps_the_invariants(bytes in soup(0..24)) {
        check(&bytes);
    }

    #[test]
    fn any_soup_between_fences_keeps_the_invariants(inside in soup(0..20), body in soup(0..4)) {
        check(&[b"---\n".as_slice(), &inside, b"\n---\n", &body].concat());
    }

    #[test]
    fn any_soup_beside_good_entries_keeps_the_invariants(inside in soup(0..12)) {
        check(&[b"---\nname: greet\ndescription: Says hello\n".as_slice(), &inside, b"\n---\nHi\n"].concat());
    }

    #[test]
    fn any_bytes_keep_the_invariants(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
    }
}

/// A skill whose frontmatter is filled up with `entry`.
fn filled(entry: &str) -> String {
    let head = "---\nname: greet\ndescription: Says hello\n";
    let room = MAX_FRONTMATTER_BYTES - head.len();
    format!("{head}{}\n---\nHi\n", entry.repeat(room / entry.len()))
}

#[test]
fn full_size_shapes_that_are_quadratic_in_a_naive_reader_are_read() {
    for entry in [
        "a: b\n",
        "a:\n",
        "a: b: c\n",
        "a: \"\n",
        "a: *x\n",
        "a: &x [*x]\n",
        "a: |\n \tx\n",
        "a: >-\n x: [\n",
        "a: [\n",
        "a: b\r",
        "- a\n",
        "? a\n",
        "#\n",
        "\n",
        "\t\n",
        "%\n",
        "user-invokable: x\n",
        "x: 'y' # z\n",
        "\u{feff}",
        "é: 😀\n",
        "a: !t b\n",
        "<<: *a\n",
        "'k': v\n",
        " k:\n",
        "a: ... \n",
        "```\n",
    ] {
        let text = filled(entry);
        let reading = read(text.as_bytes(), Some("greet"));
        let most = text.len() / entry.len() * 4 + 16;
        assert!(reading.diagnostics.len() <= most, "{entry:?}: {}", reading.diagnostics.len());
        let (fixed, _) = fix(&text, Some("greet"), Profile::Spec);
        assert!(fixed.len() <= 2 * text.len(), "{entry:?}: {}", fixed.len());
    }
}

#[test]
fn full_size_values_are_read() {
    for piece in [
        "[",
        "{a: ",
        "- ",
        "? ",
        "\"",
        "'",
        "\\\"",
        ": ",
        ":",
        "a,",
        "(",
        " ",
        "\t",
        "#",
        " #",
        "*a ",
        "&a ",
        "!a ",
        "`",
        "@",
        "|",
        "k ",
        "é",
        "😀",
        "a: b, ",
        "[a],",
        "\n  b",
        "\n  b: c",
        "\n\n",
        "\n  - a: b: c",
    ] {
        for key in ["x", "description", "allowed-tools", "metadata"] {
            let room = MAX_FRONTMATTER_BYTES - 64;
            let value = piece.repeat(room / piece.len());
            let text = format!("---\nname: greet\n{key}: {value}\n---\nHi\n");
            let reading = read(text.as_bytes(), Some("greet"));
            assert_eq!(reading.skill.is_none(), reading.refusal().is_some(), "{key}: {piece:?}");
            assert!(reading.diagnostics.len() <= room, "{key}: {piece:?}");
        }
    }
}

#[test]
fn thousands_of_diagnostics_on_one_line_have_right_positions() {
    let pairs = "é😀: 1, ".repeat(4000);
    let text = format!("---\n{{name: greet, description: d, {pairs}}}\n---\nHi\n");
    let reading = read(text.as_bytes(), Some("greet"));
    let duplicates: Vec<_> = reading
        .diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.rule == Rule::DuplicateKey)
        .collect();
    assert_eq!(duplicates.len(), 3999);
    let first = "{name: greet, description: d, ".len() + 1;
    for (at, diagnostic) in duplicates.iter().enumerate() {
        assert_eq!(
            (diagnostic.line, diagnostic.column),
            (2, first + at * "é😀: 1, ".chars().count())
        );
    }
}

#[test]
fn files_of_the_largest_size_are_read() {
    let fill = |piece: &str| piece.repeat(MAX_READ_BYTES / piece.len());
    for (text, rule) in [
        (fill("---\n"), Rule::NameMissing),
        (fill("```\n"), Rule::NoFrontmatter),
        (fill("\n"), Rule::NoFrontmatter),
        (fill(" "), Rule::NoFrontmatter),
        (fill("\r"), Rule::NoFrontmatter),
        (fill("-"), Rule::NoFrontmatter),
        (
            format!("---\n{}", fill("a: b\n")).split_at(MAX_READ_BYTES - 8).0.to_owned(),
            Rule::UnclosedFrontmatter,
        ),
        (
            format!("```\n---\na: b\n---\n{}", fill("```\n"))
                .split_at(MAX_READ_BYTES - 8)
                .0
                .to_owned(),
            Rule::NameMissing,
        ),
    ] {
        let refusal = read(text.as_bytes(), None).refusal().map(|refusal| refusal.rule);
        assert_eq!(refusal, Some(rule), "{:?}…", &text[..16]);
    }
    let head = "---\nname: greet\ndescription: d\n---\n";
    for piece in ["---\n", "```\n", "\r", "\n", "x", "# x\n", "é"] {
        let text = head.to_owned() + &piece.repeat((MAX_READ_BYTES - head.len()) / piece.len());
        let reading = read(text.as_bytes(), Some("greet"));
        assert_eq!(
            reading.skill.map(|skill| skill.body),
            Some(head.len()..text.len()),
            "{piece:?}"
        );
    }
}
