//! Encoded texts inside a text: found by their shape, decoded, and given back to be looked at again.
//!
//! Base64, base85, hexadecimal ([`bases`]), escapes and percent signs ([`escapes`]), character codes
//! ([`codes`]), rot13, reversal and XOR with one constant byte ([`turned`]), XOR with a constant that stands in the
//! same text ([`xor`]), texts in pieces ([`pieces`]), gzip
//! and zlib inside them ([`as_text`]). Wrapped lines, pairs of digits, dumps and words of base85 are told by how
//! they are laid out ([`shaped`]).

mod as_text;
mod bases;
mod budget;
mod codes;
mod escapes;
mod pieces;
mod shaped;
mod speech;
mod turned;
mod xor;

#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::ops::Range;

use super::grams::Grams;
use super::quoted::language_of;
use as_text::{may_be_text, text_of, text_of_unpacked};
use bases::{looks_base64, un_ascii85, unbase32, unbase64, unbase85, unhex};
pub(crate) use budget::Budget;
pub(super) use budget::MAX_DECODED_BYTES;
use codes::{Numbers, hidden, numbers};
use escapes::escapes;
use pieces::{Pieces, ordered, pieces};
use speech::{contains_word, speaks};
use turned::{TURNED, un_rot13, unxor};
use xor::{Keys, OPERATORS, has_xor, literals};

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

/// How a text is called that a constant made readable.
const XORED: &str = "XOR with a constant";

/// An encoded text and what it says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) range: Range<usize>,
    pub(crate) how: &'static str,
    pub(crate) text: String,
}

/// Finds and decodes. `budget` is what is left of the bytes that may be made: of what does not fit the
/// start is made.
///
/// `lead` is the paragraph before, which may say how the text is encoded.
pub(crate) fn find(text: &str, lead: &str, budget: &mut Budget) -> Vec<Encoded> {
    let mut found: Vec<Encoded> = Vec::new();
    let grams = Grams::of(text);
    let has = |part: &str| grams.may_hold(part) && text.contains(part);
    let xor = text.contains('^') || grams.may_hold("xor") && contains_word(text, "xor");
    let listed: Vec<Numbers> = numbers(text);
    let is_turned = OPERATORS.into_iter().any(has);
    let keys = if is_turned { Keys::of(text, &listed) } else { Keys::default() };
    found.extend(turned_literals(text, &keys, budget));
    let turned: Vec<Range<usize>> = found.iter().map(|one| one.range.clone()).collect();
    let mut add = |range: Range<usize>, how: &'static str, mut bytes: Vec<u8>| {
        let before = turned.partition_point(|literal| literal.start <= range.start);
        if before > 0 && turned[before - 1].end > range.start {
            return;
        }
        if let Some(text) = keys.reveal(&bytes, budget) {
            found.push(Encoded { range, how: XORED, text });
            return;
        }
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
            found.push(Encoded { range, how: XORED, text });
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
    for run in &listed {
        if let Some(bytes) = run.bytes() {
            add(run.range.clone(), "character codes", bytes);
        }
    }
    for (range, how, text) in hidden(text, &listed) {
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
    let reversed = has("[::-1]")
        || ["reverse", "strrev", "backwards"].into_iter().any(says)
        || says("rev") && [text, lead].into_iter().any(runs_rev);
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

/// Strings that one of the constants makes readable as they stand.
fn turned_literals(text: &str, keys: &Keys, budget: &mut Budget) -> Vec<Encoded> {
    if keys.is_empty() {
        return Vec::new();
    }
    let revealed = literals(text).into_iter().filter_map(|(range, bytes)| {
        keys.reveal(&bytes, budget).map(|text| Encoded { range, how: XORED, text })
    });
    revealed.collect()
}

/// Strings and lists of numbers in code that a constant in the same code makes readable, in their order.
pub(crate) fn turned_by_constant(text: &str) -> Vec<Encoded> {
    if !has_xor(text) {
        return Vec::new();
    }
    let mut found = find(text, "", &mut Budget::new(MAX_DECODED_BYTES));
    found.retain(|one| one.how == XORED);
    found.sort_by_key(|one| one.range.start);
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

/// Whether `rev` is named, which turns lines round: `git rev-list` and `--rev` are something else.
fn runs_rev(text: &str) -> bool {
    const REV: &str = "rev";
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
    text.match_indices(REV).any(|(at, _)| {
        edge(text[..at].chars().next_back()) && edge(text[at + REV.len()..].chars().next())
    })
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
