//! Characters that a model reads and a person does not see: controls, reordering marks, tags, blanks of
//! no width. Where a script or an emoji needs one, it is not hidden: joiners beside letters that join,
//! direction marks in a line of right-to-left text, the tags of a flag.

use std::borrow::Cow;
use std::ops::Range;

use crate::printable::is_forbidden;

/// Control characters, the marks that reorder or hide text, and letters that are blank; line breaks and
/// tabs are none of these.
pub fn is_hidden(c: char) -> bool {
    is_forbidden(c) && !matches!(c, '\r' | '\u{2028}' | '\u{2029}')
}

/// The text without anything that hides in it, for a model that must not read what a person cannot see.
/// Joiners and variation selectors stay where they shape the characters beside them.
///
/// ```
/// assert_eq!(hone_skill::visible("ad\u{200b}min\u{3164} 🏳\u{fe0f}\u{200d}🌈"), "admin 🏳\u{fe0f}\u{200d}🌈");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    with_hidden(text, |_, _| {})
}

/// The text with everything that hides in it as an escape such as `\u{200b}`.
pub fn escape_hidden(text: &str) -> Cow<'_, str> {
    with_hidden(text, |c, out| out.extend(c.escape_unicode()))
}

/// The text, with what `put` writes in the place of each character that hides.
fn with_hidden(text: &str, put: impl Fn(char, &mut String)) -> Cow<'_, str> {
    if first_hidden(text).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut before = Before::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if before.hides(c, chars.peek().copied()) {
            put(c, &mut out);
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The first character that hides in a text.
pub fn first_hidden(text: &str) -> Option<char> {
    if is_plain(text) {
        return None;
    }
    let mut before = Before::default();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if before.hides(c, chars.peek().copied()) {
            return Some(c);
        }
    }
    None
}

/// What stands before a character.
#[derive(Default)]
struct Before {
    /// The one beside it.
    last: Option<char>,
    /// The last one that does not hide.
    seen: Option<char>,
}

impl Before {
    /// Whether the next character hides, with `after` behind it.
    fn hides(&mut self, c: char, after: Option<char>) -> bool {
        let hides = match c {
            // One joins; of more, a model reads a message.
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER => {
                let joins_before =
                    self.seen.is_some_and(|before| joins(before) || is_variation_selector(before));
                self.seen.is_some_and(is_joiner) || !joins_before && !after.is_some_and(joins)
            }
            // One chooses how the character before it looks; a second one has nothing to choose.
            c if is_variation_selector(c) => {
                !self.last.is_some_and(|base| takes_variation(base, c))
            }
            c => is_hidden(c),
        };
        self.last = Some(c);
        if !hides {
            self.seen = Some(c);
        }
        hides
    }
}

/// The runs of hidden characters in a Markdown text, in order, each with how many there are.
pub(crate) fn hidden_runs(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut runs: Vec<(Range<usize>, usize)> = Vec::new();
    if is_plain(text) {
        return runs;
    }
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        if !is_plain(line) {
            hidden_in_line(line, start, &mut runs);
        }
        start += line.len();
    }
    runs
}

fn hidden_in_line(line: &str, start: usize, runs: &mut Vec<(Range<usize>, usize)>) {
    let is_right_to_left = line.chars().any(is_right_to_left);
    let mut before = Before::default();
    let mut flag_end = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        if c == BLACK_FLAG {
            flag_end = at + c.len_utf8() + flag_tags(&line[at + c.len_utf8()..]);
        }
        // What a person put there for the eye is not told, though a model can do without it.
        let is_fine = match c {
            c if is_direction_mark(c) => {
                is_right_to_left && !before.last.is_some_and(is_direction_mark)
            }
            _ => at < flag_end,
        };
        if before.hides(c, after) && !is_fine {
            let range = start + at..start + at + c.len_utf8();
            match runs.last_mut() {
                Some((last, count)) if last.end == range.start => {
                    last.end = range.end;
                    *count += 1;
                }
                _ => runs.push((range, 1)),
            }
        }
    }
}

/// Nothing but visible ASCII, line breaks and tabs: almost every text, told a word at a time.
fn is_plain(text: &str) -> bool {
    const CHUNK: usize = 64;
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    text.as_bytes()
        .chunks(CHUNK)
        .all(|chunk| chunk.iter().fold(true, |plain, byte| plain & is_plain(*byte)))
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{0590}'..='\u{061B}' | '\u{061D}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}'
        | '\u{FE70}'..='\u{FEFC}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

fn is_direction_mark(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{061C}')
}

const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';

fn is_joiner(c: char) -> bool {
    matches!(c, ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER)
}

/// Letters of scripts that join, and emoji: all of them are behind the first Arabic letter, and blanks,
/// punctuation and ideographs do not join.
fn joins(c: char) -> bool {
    c >= '\u{0600}'
        && !matches!(c, '\u{2000}'..='\u{206F}' | '\u{FF00}'..='\u{FFEF}')
        && !c.is_whitespace()
        && !is_ideograph(c)
        && !is_hidden(c)
        && !is_variation_selector(c)
}

/// Characters of East Asia, which stand one beside another.
fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{A4CF}' | '\u{AC00}'..='\u{D7FF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{20000}'..='\u{3FFFF}')
}

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{180B}'..='\u{180D}' | '\u{180F}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{E0100}'..='\u{E01EF}')
}

/// Whether a selector has something to choose about the character before it, as the standardized and
/// emoji variation sequences and the ideographic variation database have it.
fn takes_variation(base: char, selector: char) -> bool {
    // Letters behind this one with an emoji of their own, such as ℹ, are symbols too.
    let is_symbol = base >= '\u{2010}'
        && !base.is_whitespace()
        && !is_hidden(base)
        && !is_joiner(base)
        && !is_variation_selector(base);
    match selector {
        '\u{180B}'..='\u{180D}' | '\u{180F}' => matches!(base, '\u{1820}'..='\u{18AA}'),
        '\u{FE0E}' | '\u{FE0F}' => is_symbol || matches!(base, '0'..='9' | '#' | '*' | '©' | '®'),
        '\u{E0100}'..='\u{E01EF}' => is_ideograph(base),
        // Glyphs of ideographs, of signs of mathematics, of Burmese letters.
        _ => {
            let is_emoji = matches!(base, '\u{1F000}'..='\u{1FAFF}');
            is_symbol && !is_emoji || matches!(base, '0' | '\u{1000}'..='\u{109F}')
        }
    }
}

const BLACK_FLAG: char = '\u{1F3F4}';

/// The bytes of the tags that make a black flag one of a region, such as Scotland's; 0 when what
/// follows the flag is none.
fn flag_tags(after: &str) -> usize {
    /// Letters and digits of a region: `gbsct`.
    const MAX_REGION_CHARS: usize = 6;
    const CANCEL: char = '\u{E007F}';
    let is_tag = |c: &char| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}');
    let count = after.chars().take(MAX_REGION_CHARS).take_while(is_tag).count();
    let is_flag = count > 0 && after.chars().nth(count) == Some(CANCEL);
    if is_flag { (count + 1) * CANCEL.len_utf8() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, usize)> {
        hidden_runs(text).into_iter().map(|(range, count)| (&text[range], count)).collect()
    }

    #[test]
    fn what_deceives_is_found_where_it_stands() {
        for (text, expected) in [
            ("run \u{202e}txt.exe", vec![("\u{202e}", 1)]),
            ("a\u{200b}b\u{2066}\u{2069}c", vec![("\u{200b}", 1), ("\u{2066}\u{2069}", 2)]),
            ("hi\u{e0041}\u{e0042}\n", vec![("\u{e0041}\u{e0042}", 2)]),
            ("pass\u{200d}word and i\u{200c}d", vec![("\u{200d}", 1), ("\u{200c}", 1)]),
            ("left\u{200e} and right\u{200f}", vec![("\u{200e}", 1), ("\u{200f}", 1)]),
            ("\u{1b}[31m red", vec![("\u{1b}", 1)]),
            ("😀\u{e0100}\u{e0101}\u{e0102}", vec![("\u{e0100}\u{e0101}\u{e0102}", 3)]),
            ("❤\u{fe0f}\u{fe0e}", vec![("\u{fe0e}", 1)]),
            (
                "a\u{fe0f} \u{fe00}é\u{e0100}",
                vec![("\u{fe0f}", 1), ("\u{fe00}", 1), ("\u{e0100}", 1)],
            ),
            ("👩\u{200d}\u{200c}\u{200d}💻", vec![("\u{200c}\u{200d}", 2)]),
            ("中\u{200c}文", vec![("\u{200c}", 1)]),
            ("שלום\u{200f}\u{200e}\u{200f}", vec![("\u{200e}\u{200f}", 2)]),
            (
                "a\u{3164}b\u{115f}\u{1160}c\u{ffa0}d\u{180e}e",
                vec![("\u{3164}", 1), ("\u{115f}\u{1160}", 2), ("\u{ffa0}", 1), ("\u{180e}", 1)],
            ),
            ("x\u{2063}y", vec![("\u{2063}", 1)]),
            ("mid\u{feff}dle", vec![("\u{feff}", 1)]),
        ] {
            assert_eq!(found(text), expected, "{text:?}");
        }
    }

    #[test]
    fn what_a_script_or_an_emoji_needs_is_not_hidden() {
        for text in [
            "plain\ttext\r\n",
            "👩\u{200d}💻 ❤\u{fe0f} 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f} Scotland",
            "می\u{200c}خواهم PDF\u{200c}ها",
            "שלום\u{200f}, עולם (C++\u{200e})",
            "क्\u{200d}ष",
            "葛\u{e0100}城 〈\u{fe00} ㊗\u{fe0f} ᠠ\u{180b} က\u{fe00} ∩\u{fe00} ©\u{fe0f} ℹ\u{fe0f}",
        ] {
            assert_eq!(found(text), [], "{text:?}");
        }
    }

    #[test]
    fn a_model_gets_nothing_that_hides_and_all_that_shapes() {
        for text in [
            "👩\u{200d}💻 ❤\u{fe0f} 🏳\u{fe0f}\u{200d}🌈 1\u{fe0f}\u{20e3}",
            "می\u{200c}خواهم PDF\u{200c}ها क्\u{200d}ष 葛\u{e0100}城",
        ] {
            assert!(matches!(visible(text), Cow::Borrowed(same) if same == text), "{text:?}");
            assert_eq!(first_hidden(text), None);
        }
        let smuggled: String = ('\u{e0100}'..='\u{e01ef}').chain('\u{fe00}'..='\u{fe0f}').collect();
        let tags: String = ('\u{e0020}'..='\u{e007f}').collect();
        for (text, kept) in [
            (format!("😀{smuggled}"), "😀"),
            (format!("a{smuggled} {smuggled}b"), "a b"),
            (format!("🏴{tags}"), "🏴"),
            ("ab\u{115f}\u{1160}\u{3164}\u{ffa0}\u{180e}\u{034f}\u{200f}c".to_owned(), "abc"),
            ("😀\u{200d}\u{200b}\u{200c}ي".to_owned(), "😀\u{200d}ي"),
            ("a\u{fe0f}\u{200d}b\u{200d}\u{fe0f}c".to_owned(), "abc"),
        ] {
            assert_eq!(visible(&text), kept, "{text:?}");
            assert_eq!(visible(kept), kept);
        }
        assert_eq!(escape_hidden("a\u{fe0f}\u{1b}"), "a\\u{fe0f}\\u{1b}");
    }

    #[test]
    fn a_flag_does_not_carry_a_message() {
        let tags = |count: usize| "\u{e0061}".repeat(count);
        let flag = |count| format!("🏴{}\u{e007f}", tags(count));
        assert_eq!(found(&flag(6)), []);
        assert_eq!(found(&flag(7)), [(flag(7).trim_start_matches('🏴'), 8)]);
        assert_eq!(found(&format!("🏴{}", tags(3))), [(tags(3).as_str(), 3)]);
    }
}
