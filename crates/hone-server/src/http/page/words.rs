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
    let iso = iso(milliseconds);
    let minutes: String = iso.chars().take(16).collect();
    html! { time datetime=(iso) { (minutes.replace('T', " ")) } }
}

/// A count with its noun.
pub(super) fn count(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
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
    fn an_address_holds_whatever_a_file_is_called() {
        assert_eq!(href("user:tidy", ""), "/skills/user%3Atidy");
        assert_eq!(
            href("tidy", "files/a b/\"é?#.md"),
            "/skills/tidy/files/a%20b/%22%C3%A9%3F%23.md"
        );
    }
}
