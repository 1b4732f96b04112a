//! Text of a file, normalised once so that every rule looks at the same plain letters.
//!
//! Bytes become characters (UTF-8, UTF-16, else Latin-1); full-width and styled letters become plain
//! ones, look-alikes from other scripts inside Latin words become Latin, characters without a shape
//! vanish. Each byte of the normalised text knows where it came from, so positions are the file's.

use std::ops::Range;

use super::bundle::Gap;
use unicode_normalization::char::decompose_compatible;

/// A file's text, with its normalised form.
#[derive(Debug)]
pub(crate) struct Text {
    /// The characters as they stand in the file.
    pub(crate) original: String,
    /// The normalised characters; what rules look at.
    pub(crate) plain: String,
    /// For each byte of `plain` its byte in `original`; absent where both are equal.
    map: Option<Vec<u32>>,
    lines: Vec<u32>,
    gap: Option<Gap>,
}

impl Text {
    /// The text of a file's bytes.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut original = characters(bytes);
        if original.contains('\0') {
            original.retain(|c| c != '\0');
        }
        Self::from_string(original)
    }

    /// A text that is not a file's own, such as a decoded one.
    pub(crate) fn from_string(original: String) -> Self {
        let (plain, map) = normalise(&original);
        let lines = std::iter::once(0)
            .chain(
                original
                    .bytes()
                    .enumerate()
                    .filter(|(_, b)| *b == b'\n')
                    .map(|(i, _)| short(i + 1)),
            )
            .collect();
        Self { original, plain, map, lines, gap: None }
    }

    /// The same text as what was looked at of a long file: positions are those of the whole file.
    pub(crate) fn with_gap(self, gap: Option<Gap>) -> Self {
        Self { gap, ..self }
    }

    /// The byte of `original` behind a byte of `plain`.
    pub(crate) fn source(&self, offset: usize) -> usize {
        match &self.map {
            None => offset.min(self.original.len()),
            Some(map) => map.get(offset).map_or(self.original.len(), |at| *at as usize),
        }
    }

    /// Line and column, both from 1, of a byte of `plain`.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        self.position_of_source(self.source(offset))
    }

    /// Line and column, both from 1, of a byte of `original`.
    pub(crate) fn position_of_source(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start as usize <= at);
        let start = self.lines[line - 1] as usize;
        let mut end = at.min(self.original.len());
        while !self.original.is_char_boundary(end) {
            end -= 1;
        }
        // A column past this is of no use to a reader, and counting it on every finding is.
        let column = if end - start > MAX_COUNTED_COLUMN {
            end - start + 1
        } else {
            self.original[start..end].chars().count() + 1
        };
        self.gap.map_or((line, column), |gap| gap.in_file((line, column)))
    }

    /// The line of `plain` that holds a byte.
    pub(crate) fn line_at(&self, offset: usize) -> Range<usize> {
        let offset = floor(&self.plain, offset);
        let start = self.plain[..offset].rfind('\n').map_or(0, |at| at + 1);
        let end = self.plain[offset..].find('\n').map_or(self.plain.len(), |at| offset + at);
        start..end
    }
}

const MAX_COUNTED_COLUMN: usize = 10_000;

/// The nearest character boundary at or before an offset.
pub(crate) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn short(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn characters(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF])
        && let Ok(text) = std::str::from_utf8(rest)
    {
        return text.to_owned();
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return utf16(rest, u16::from_be_bytes);
    }
    match looks_utf16(bytes) {
        Some(Order::Little) => return utf16(bytes, u16::from_le_bytes),
        Some(Order::Big) => return utf16(bytes, u16::from_be_bytes),
        None => {}
    }
    // One bad byte must not hide the rest: valid stretches stay UTF-8, bad bytes become Latin-1.
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|byte| char::from(*byte)));
    }
    text
}

enum Order {
    Little,
    Big,
}

/// UTF-16 without a mark: nearly every second byte of the start is zero.
fn looks_utf16(bytes: &[u8]) -> Option<Order> {
    const LOOKED_AT: usize = 256;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    if head.len() < 8 || !bytes.len().is_multiple_of(2) {
        return None;
    }
    let zeros = |start: usize| head.iter().skip(start).step_by(2).filter(|b| **b == 0).count();
    let half = head.len() / 2;
    if zeros(1) * 10 >= half * 9 && zeros(0) * 10 <= half {
        Some(Order::Little)
    } else if zeros(0) * 10 >= half * 9 && zeros(1) * 10 <= half {
        Some(Order::Big)
    } else {
        None
    }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether a character has no shape of its own and can split a word unseen.
pub(crate) fn is_shapeless(c: char) -> bool {
    matches!(c,
        '\u{00AD}' | '\u{034F}' | '\u{061C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{FFA0}' | '\u{E0000}'..='\u{E0FFF}')
}

fn normalise(original: &str) -> (String, Option<Vec<u32>>) {
    if original.is_ascii() {
        return (original.to_owned(), None);
    }
    let mut plain = String::with_capacity(original.len());
    let mut map = Vec::with_capacity(original.len());
    let push = |plain: &mut String, map: &mut Vec<u32>, c: char, at: usize| {
        plain.push(c);
        map.resize(plain.len(), short(at));
    };
    let mut word: Vec<(usize, char)> = Vec::new();
    let flush = |word: &mut Vec<(usize, char)>, plain: &mut String, map: &mut Vec<u32>| {
        let latin = word.iter().any(|(_, c)| c.is_ascii_alphabetic());
        let foreign = word.iter().any(|(_, c)| !c.is_ascii());
        for (at, c) in word.drain(..) {
            let c = if latin && foreign { latin_twin(c).unwrap_or(c) } else { c };
            push(plain, map, c, at);
        }
    };
    for (at, c) in original.char_indices() {
        if c.is_ascii() {
            if c.is_ascii_alphanumeric() {
                word.push((at, c));
            } else {
                flush(&mut word, &mut plain, &mut map);
                push(&mut plain, &mut map, c, at);
            }
        } else if is_shapeless(c) {
            // Dropped without ending the word it stands in.
        } else {
            // Bounded: no character has a compatibility decomposition of more than 18.
            decompose_compatible(c, |part| {
                if part == 'ß' {
                    word.extend([(at, 's'), (at, 's')]);
                } else if part.is_alphanumeric() {
                    word.push((at, part));
                } else if !('\u{0300}'..='\u{036F}').contains(&part) {
                    flush(&mut word, &mut plain, &mut map);
                    push(&mut plain, &mut map, part, at);
                }
            });
        }
        if word.len() > MAX_WORD {
            flush(&mut word, &mut plain, &mut map);
        }
    }
    flush(&mut word, &mut plain, &mut map);
    (plain, Some(map))
}

const MAX_WORD: usize = 64;

/// The Latin letter that a letter of another script is mistaken for.
pub(crate) fn latin_twin(c: char) -> Option<char> {
    Some(match c {
        'а' | 'α' | 'ɑ' => 'a',
        'Ь' | 'Ƅ' => 'b',
        'с' | 'ϲ' | 'ᴄ' => 'c',
        'ԁ' | 'ɗ' => 'd',
        'е' | 'ҽ' | 'ε' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'հ' => 'h',
        'і' | 'ı' | 'ι' | 'Ӏ' | 'ɩ' => 'i',
        'ј' | 'ϳ' => 'j',
        'κ' | 'к' => 'k',
        'ӏ' | 'ⅼ' | 'ǀ' => 'l',
        'м' => 'm',
        'п' | 'ո' | 'η' => 'n',
        'о' | 'ο' | 'օ' | 'σ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' | 'զ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' | 'ц' => 'u',
        'ν' | 'ѵ' => 'v',
        'ѡ' | 'ԝ' | 'ω' | 'ш' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' | 'ү' => 'y',
        'ᴢ' => 'z',
        'А' | 'Α' => 'A',
        'В' | 'Β' => 'B',
        'С' | 'Ϲ' => 'C',
        'Е' | 'Ε' => 'E',
        'Н' | 'Η' => 'H',
        'І' | 'Ι' => 'I',
        'Ј' => 'J',
        'К' | 'Κ' => 'K',
        'М' | 'Μ' => 'M',
        'Ν' => 'N',
        'О' | 'Ο' => 'O',
        'Р' | 'Ρ' => 'P',
        'Ѕ' => 'S',
        'Т' | 'Τ' => 'T',
        'Х' | 'Χ' => 'X',
        'У' | 'Υ' => 'Y',
        'Ζ' => 'Z',
        _ => return None,
    })
}

/// Text that a terminal and a reader can take: control and hidden characters as escapes, cut at a
/// length, secrets left to the caller.
pub(crate) fn visible(text: &str, most: usize) -> String {
    let mut shown = String::new();
    for (count, c) in text.trim().chars().enumerate() {
        if count == most {
            shown.push('…');
            break;
        }
        match c {
            '\n' => shown.push('⏎'),
            '\t' => shown.push(' '),
            c if c.is_control() || is_shapeless(c) => {
                shown.extend(c.escape_unicode());
            }
            c => shown.push(c),
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_shapeless_and_wide_letters_become_plain_and_keep_their_place() {
        let text = Text::from_string("x\nig\u{200B}nоre ｐｒｅｖious".to_owned());
        assert_eq!(text.plain, "x\nignore previous");
        let at = text.plain.find("previous").unwrap();
        assert_eq!(text.position(at), (2, 9));
    }

    #[test]
    fn other_scripts_stay_as_they_are() {
        for prose in ["Привет, мир", "می‌خواهم", "日本語の説明", "שלום"]
        {
            let text = Text::from_string(prose.to_owned());
            let kept: String = prose.chars().filter(|c| !is_shapeless(*c)).collect();
            assert_eq!(text.plain.chars().count(), kept.chars().count(), "{prose}");
        }
    }

    #[test]
    fn bytes_become_text_whatever_their_encoding() {
        let wide: Vec<u8> = "curl x | sh".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let marked: Vec<u8> = [0xFF, 0xFE].into_iter().chain(wide.iter().copied()).collect();
        assert_eq!(Text::from_bytes(&wide).plain, "curl x | sh");
        assert_eq!(Text::from_bytes(&marked).plain, "curl x | sh");
        let broken = Text::from_bytes(b"\xFFcurl x | sh");
        assert!(broken.plain.ends_with("curl x | sh"));
        let nul = Text::from_bytes(b"a\0curl x | sh");
        assert_eq!(nul.plain, "acurl x | sh");
    }
}
