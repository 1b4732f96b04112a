//! Characters that a model reads and a person does not see: controls, reordering marks, tags, blanks of
//! no width. Where a script or an emoji needs one, it is not hidden: joiners beside letters that join,
//! direction marks in a line of right-to-left text, the tags of a flag.

use std::ops::Range;

/// Control characters and the marks that reorder or hide text; line breaks and tabs are neither.
pub fn is_hidden(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t'))
        || matches!(c,
            '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{061C}' | '\u{2060}'..='\u{2064}'
            | '\u{FEFF}' | '\u{00AD}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
            | '\u{E0000}'..='\u{E007F}')
}

/// The first hidden character of a short text.
pub(crate) fn first_hidden(text: &str) -> Option<char> {
    if is_plain(text) { None } else { text.chars().find(|c| is_hidden(*c)) }
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
    let mut before = None;
    let mut flag_end = 0;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        if c == BLACK_FLAG {
            flag_end = at + c.len_utf8() + flag_tags(&line[at + c.len_utf8()..]);
        }
        let joins = |c: Option<char>| c.is_some_and(|c| !c.is_ascii());
        let hides = match c {
            '\u{200C}' | '\u{200D}' => !joins(before) && !joins(after),
            '\u{200E}' | '\u{200F}' | '\u{061C}' => !is_right_to_left,
            // One chooses how the character before it looks; a second one has nothing to choose.
            c if is_variation_selector(c) => before.is_some_and(is_variation_selector),
            c => is_hidden(c) && at >= flag_end,
        };
        if hides {
            let range = start + at..start + at + c.len_utf8();
            match runs.last_mut() {
                Some((last, count)) if last.end == range.start => {
                    last.end = range.end;
                    *count += 1;
                }
                _ => runs.push((range, 1)),
            }
        }
        before = Some(c);
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

fn is_variation_selector(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}')
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
            ("😀\u{e0100}\u{e0101}\u{e0102}", vec![("\u{e0101}\u{e0102}", 2)]),
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
        ] {
            assert_eq!(found(text), [], "{text:?}");
        }
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
