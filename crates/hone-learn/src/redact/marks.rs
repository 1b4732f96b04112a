//! The placeholders, and how they get into a text.

use super::Cut;

pub(super) const SECRET: &str = "[secret]";
pub(super) const HASH: &str = "[hash]";
pub(super) const ID: &str = "[id]";
pub(super) const EMAIL: &str = "[email]";
pub(super) const PHONE: &str = "[phone]";
pub(super) const CARD: &str = "[card]";
pub(super) const ACCOUNT: &str = "[account]";
pub(super) const ADDRESS: &str = "[address]";
pub(super) const USER: &str = "[user]";
pub(super) const HOME: &str = "~";

/// Whether a character continues a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The text with every cut made. Where cuts overlap, they become one with the mark of the first.
pub(super) fn replace(text: &str, mut cuts: Vec<Cut>) -> String {
    if cuts.is_empty() {
        return text.to_owned();
    }
    cuts.sort_by(|a, b| a.range.start.cmp(&b.range.start).then(b.range.end.cmp(&a.range.end)));
    let mut redacted = String::with_capacity(text.len());
    let mut at = 0;
    for cut in cuts {
        if cut.range.start >= at {
            redacted.push_str(&text[at..cut.range.start]);
            redacted.push_str(cut.by);
        }
        at = at.max(cut.range.end);
    }
    redacted.push_str(&text[at..]);
    redacted
}
