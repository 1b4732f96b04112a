//! Attacks said in plain words, in six languages alike.
//!
//! Where a phrase of the lexicon is known in the language it was met in, what is said here is put together
//! from stems that every language has a row of ([`roots`]): a negation, an act, what it is done to. The
//! words of one clause must be of one language, since many are spelled alike in two.

mod clause;
mod roots;
mod stances;

#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::LazyLock;

use super::lexicon::{goes_on, is_unspaced};
pub(super) use clause::{is_left_undone, is_proviso};
use roots::ROOTS;
pub(crate) use roots::Root;
pub(super) use stances::look;

/// Languages, as the columns of the table.
pub(crate) const TONGUES: u8 = 6;

/// The roots of a sentence in each language, as bits.
pub(crate) type Roots = [u64; TONGUES as usize];

/// A stem at its place in a text.
#[derive(Debug, Clone)]
pub(crate) struct Word {
    pub(crate) root: Root,
    pub(crate) tongue: u8,
    /// Its place in words from the start of the text.
    pub(crate) at: usize,
    pub(crate) range: Range<usize>,
}

#[derive(Debug)]
struct Stem {
    text: &'static str,
    /// Whether any ending may follow.
    open: bool,
    root: Root,
    tongue: u8,
}

/// Bytes that a stem is looked up by: one letter of Chinese, one and a half of Cyrillic.
const KEY: usize = 3;

/// Places of the table of stems, as a power of two: few of them are shared.
const BITS: u32 = 14;

/// Stems by the place of their first bytes.
static STEMS: LazyLock<Vec<Vec<Stem>>> = LazyLock::new(|| {
    let mut stems: Vec<Vec<Stem>> = Vec::new();
    stems.resize_with(1 << BITS, Vec::new);
    for (root, rows) in ROOTS {
        for (tongue, row) in (0..TONGUES).zip(rows) {
            for word in row.split('|') {
                let text = word.strip_suffix('*').unwrap_or(word);
                let stem = Stem { text, open: text.len() < word.len(), root: *root, tongue };
                stems[place(text)].push(stem);
            }
        }
    }
    stems
});

/// The place of a word by its first bytes; those of a shorter word are all it has.
fn place(text: &str) -> usize {
    let first = text.bytes().take(KEY).take_while(|b| *b != b' ');
    let key = first.fold(0_u32, |key, byte| key << 8 | u32::from(byte));
    (key.wrapping_mul(0x9E37_79B1) >> (u32::BITS - BITS)) as usize
}

/// The stems at the start of a lower-case text whose first word has so many bytes, with their lengths.
pub(crate) fn stems_at(text: &str, word: usize) -> impl Iterator<Item = (Root, u8, usize)> {
    let found = &STEMS[place(&text[..word])];
    found.iter().filter_map(move |stem| Some((stem.root, stem.tongue, stem.covers(text)?)))
}

impl Stem {
    /// The bytes that it takes of a text.
    fn covers(&self, text: &str) -> Option<usize> {
        let mut rest = text;
        let mut parts = self.text.split([' ', '*']);
        let mut joints = self.text.bytes().filter(|b| matches!(b, b' ' | b'*'));
        rest = rest.strip_prefix(parts.next()?)?;
        for part in parts {
            rest = match joints.next() {
                Some(b'*') => rest.trim_start_matches(is_letter),
                _ => after_blanks(rest)?,
            };
            rest = rest.strip_prefix(part)?;
        }
        let within = text.chars().next().is_some_and(is_unspaced);
        if !within && !self.open && rest.starts_with(is_letter)
            || within && goes_on(self.text, rest)
        {
            return None;
        }
        Some(text.len() - if within { rest } else { rest.trim_start_matches(is_letter) }.len())
    }
}

fn is_letter(c: char) -> bool {
    c.is_alphanumeric() && !is_unspaced(c)
}

/// Blanks between two words of a stem that are passed over.
const MAX_BLANKS: usize = 16;

fn after_blanks(text: &str) -> Option<&str> {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\n' | b'\r' | b'\t' | b'-' | b'*' | b'_');
    let blanks = text.bytes().take(MAX_BLANKS).take_while(is_blank).count();
    (blanks > 0).then(|| &text[blanks..])
}
