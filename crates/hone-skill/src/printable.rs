//! The guard between a skill's text and whoever looks at it. Control characters and invisible format
//! characters come out as visible `\u{…}` escapes, so text can neither steer a terminal nor hide
//! from its reader. The result is for display only: it does not decode back, because an escape
//! written in the source looks the same.

use std::borrow::Cow;
use std::fmt::Write as _;

const ZERO_WIDTH_NON_JOINER: char = '\u{200c}';
const ZERO_WIDTH_JOINER: char = '\u{200d}';
const BLACK_FLAG: char = '\u{1f3f4}';
const CANCEL_TAG: char = '\u{e007f}';

/// Tag characters that name a flag: a Unicode subdivision identifier, which is a region of 2 or 3
/// and a suffix of 1 to 4 (UTS #35).
const MIN_FLAG_TAGS: usize = 3;
const MAX_FLAG_TAGS: usize = 7;

/// Makes text safe to print: every control and every invisible format character becomes an escape
/// such as `\u{1b}`.
///
/// Newlines and tabs stay, and the carriage return of a `\r\n` is dropped. Joiners and variation
/// selectors stay where they shape emoji or a joining script, and tag characters where they spell a
/// flag.
pub fn printable(text: &str) -> Cow<'_, str> {
    let mut shown = String::new();
    let mut copied = 0;
    let mut flag_end = 0;
    let mut previous = ' ';
    for (start, character) in text.char_indices() {
        let end = start + character.len_utf8();
        if character == BLACK_FLAG {
            flag_end = end + flag_tags(&text[end..]);
        }
        if start < flag_end || is_safe(character, previous) {
            previous = character;
            continue;
        }
        shown.push_str(&text[copied..start]);
        copied = end;
        if !(character == '\r' && text[end..].starts_with('\n')) {
            let _ = write!(shown, "{}", character.escape_unicode());
            previous = '}';
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    shown.push_str(&text[copied..]);
    Cow::Owned(shown)
}

/// Makes text safe to print on one line: [`printable`], with each run of white space as one space
/// and none at the ends.
pub fn printable_line(text: &str) -> Cow<'_, str> {
    match printable(text) {
        Cow::Borrowed(unchanged) => single_spaced(unchanged),
        Cow::Owned(escaped) => Cow::Owned(single_spaced(&escaped).into_owned()),
    }
}

fn is_safe(character: char, previous: char) -> bool {
    if is_joiner(character) {
        shapes_with_joiner(previous)
    } else if is_variation_selector(character) {
        takes_variation(previous)
    } else {
        !is_forbidden(character)
    }
}

/// Whether a character is never printed as itself, wherever it stands (tag characters of a flag
/// apart).
pub fn is_forbidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        // Letters that are blank: the fillers of Hangul, two vowels of Khmer.
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{3164}'
        | '\u{ffa0}'
        | '\u{180e}'
        | '\u{200b}'
        | '\u{200e}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}'
        | '\u{e01f0}'..='\u{e0fff}' => true,
        _ => character.is_control(),
    }
}

fn is_joiner(character: char) -> bool {
    matches!(character, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER)
}

fn is_variation_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Scripts whose letters join, and all emoji that join, start at the Arabic block; punctuation and
/// spaces do not join.
fn shapes_with_joiner(character: char) -> bool {
    character >= '\u{600}'
        && !matches!(character, '\u{2000}'..='\u{206f}')
        && !character.is_whitespace()
}

/// One selector per character: a run of them is the known way to smuggle bytes behind one emoji.
fn takes_variation(character: char) -> bool {
    let is_keycap_base = matches!(character, '0'..='9' | '#' | '*');
    is_keycap_base
        || !(character.is_ascii()
            || character.is_whitespace()
            || is_joiner(character)
            || is_variation_selector(character))
}

/// The length in bytes of the tags that complete a flag such as Scotland's, or 0.
fn flag_tags(text: &str) -> usize {
    let spelled = text
        .chars()
        .take(MAX_FLAG_TAGS + 1)
        .take_while(|tag| matches!(tag, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}'))
        .count();
    let closed = text.chars().nth(spelled) == Some(CANCEL_TAG);
    if closed && (MIN_FLAG_TAGS..=MAX_FLAG_TAGS).contains(&spelled) {
        (spelled + 1) * CANCEL_TAG.len_utf8()
    } else {
        0
    }
}

fn single_spaced(text: &str) -> Cow<'_, str> {
    let text = text.trim();
    let has_other_space = text.contains(|c: char| c.is_whitespace() && c != ' ');
    if has_other_space || text.contains("  ") {
        let words: Vec<&str> = text.split_whitespace().collect();
        Cow::Owned(words.join(" "))
    } else {
        Cow::Borrowed(text)
    }
}

#[cfg(test)]
#[path = "printable_tests.rs"]
mod tests;
