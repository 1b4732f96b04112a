//! Words of others, fit to be shown, and addresses made of them.

use std::fmt::Write as _;

use hone_library::usage::iso;
use hone_skill::{printable, printable_line};
use maud::{Markup, html};

/// Characters of a name that are shown.
pub(super) const NAME_CHARS: usize = 80;
/// Characters of a description or a message that are shown in a list.
pub(super) const SENTENCE_CHARS: usize = 300;

/// The start of a text on one line, hidden characters made visible.
pub(super) fn line(text: &str, most: usize) -> String {
    // What is cut off need not be made printable; an escape is longer than its character.
    let end = text.char_indices().nth(most.saturating_mul(2)).map_or(text.len(), |(at, _)| at);
    cut(&printable_line(&text[..end]), most, end < text.len())
}

/// A skill's name.
pub(super) fn name(name: &str) -> String {
    line(name, NAME_CHARS)
}

/// The start of a text, hidden characters made visible.
pub(super) fn text(text: &str, most: usize) -> String {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    cut(&printable(&text[..end]), usize::MAX, end < text.len())
}

fn cut(text: &str, most: usize, is_cut: bool) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None if is_cut => format!("{text}…"),
        None => text.to_owned(),
    }
}

/// A time for people and programs.
pub(super) fn when(milliseconds: i64) -> Markup {
    moment(&iso(milliseconds))
}

/// The same, of one that is written already.
pub(super) fn moment(iso: &str) -> Markup {
    let minutes: String = iso.chars().take(16).collect();
    html! { time datetime=(iso) { (minutes.replace('T', " ")) } }
}

/// A count with its noun.
pub(super) fn count(count: impl TryInto<u64>, noun: &str) -> String {
    let count = count.try_into().unwrap_or(u64::MAX);
    let plural = if count == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(count))
}

/// A number that can be read at a glance: `10,002`.
pub(super) fn grouped(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().unwrap_or(u64::MAX).to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The start of a sentence of our own about others' names, which stand between backticks.
pub(super) fn sentence(sentence: &str, most: usize) -> Markup {
    let shown = line(sentence, most);
    let pieces: Vec<&str> = shown.split('`').collect();
    html! {
        @if pieces.len().is_multiple_of(2) { (shown) }
        @else {
            @for (at, piece) in pieces.iter().enumerate() {
                @if at % 2 == 1 { code { (piece) } } @else { (piece) }
            }
        }
    }
}

/// The path of a skill's page, or of what is below it.
pub(super) fn href(id: &str, below: &str) -> String {
    let mut path = format!("/skills/{}", encoded(id));
    for segment in below.split('/').filter(|segment| !segment.is_empty()) {
        path.push('/');
        path.push_str(&encoded(segment));
    }
    path
}

/// A segment of a path or a value of a query, percent-encoded.
pub(super) fn encoded(segment: &str) -> String {
    let mut text = String::with_capacity(segment.len());
    for byte in segment.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            text.push(char::from(byte));
        } else {
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_at_its_bound_and_hides_nothing() {
        assert_eq!(line("as it is", 8), "as it is");
        assert_eq!(line("as it is", 7), "as it i…");
        assert_eq!(line(&"n".repeat(10_000), 80), format!("{}…", "n".repeat(80)));
        assert_eq!(line("safe\u{202e}txt.exe\n\t x", 80), "safe\\u{202e}txt.exe x");
        assert_eq!(text("a\n\u{200b}b", 3), "a\n\\u{200b}…");
        assert_eq!(text("a\nbc", 4), "a\nbc");
    }

    #[test]
    fn numbers_are_grouped_and_nouns_agree() {
        let shown = [0, 1, 2, 999, 1_000, 10_002, 1_234_567].map(|number| count(number, "skill"));
        assert_eq!(
            shown,
            [
                "0 skills",
                "1 skill",
                "2 skills",
                "999 skills",
                "1,000 skills",
                "10,002 skills",
                "1,234,567 skills"
            ]
        );
    }

    #[test]
    fn names_in_a_sentence_are_set_apart_and_stay_text() {
        let shown = |text: &str| sentence(text, 80).into_string();
        assert_eq!(
            shown("`<b>` goes before `x`"),
            "<code>&lt;b&gt;</code> goes before <code>x</code>"
        );
        assert_eq!(shown("one ` alone"), "one ` alone");
        assert_eq!(shown("plain"), "plain");
    }

    #[test]
    fn an_address_holds_whatever_a_file_is_called() {
        assert_eq!(href("user:tidy", ""), "/skills/user%3Atidy");
        assert_eq!(
            href("tidy", "files/a b/\"é?#.md"),
            "/skills/tidy/files/a%20b/%22%C3%A9%3F%23.md"
        );
    }
}
