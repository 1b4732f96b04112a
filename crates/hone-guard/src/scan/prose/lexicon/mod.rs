//! Words and short phrases of six languages, mapped to what they mean here.
//!
//! Entries are written as the normalised text is: lower case, without accents. `*` at the end stands
//! for any ending; a blank for any run of blanks and hyphens. One entry may carry several concepts.
//! The words of roles, which have no place in a sentence, stand in [`super::wording`].
//! The table is sorted once per process; looking up costs a few comparisons per word.

mod concepts;
mod set;

#[cfg(test)]
mod tests;

pub(crate) use concepts::Concept;
use concepts::ENTRIES;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

pub(crate) use set::Set;

#[derive(Debug)]
struct Entry {
    /// What it is looked up by.
    start: u64,
    text: &'static str,
    /// Whether any ending may follow.
    open: bool,
    /// Whether it may start and end inside a run of letters: scripts without blanks.
    anywhere: bool,
    set: Set,
    /// Whether it stands for a role, which is no word of a sentence.
    role: bool,
}

/// What stands at a place of a text.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Found {
    /// What the words there mean together, and the bytes of the longest entry: `report to` is still a
    /// `report`.
    pub(crate) words: Option<(Set, usize)>,
    /// The roles that start there.
    pub(crate) roles: Set,
}

/// The table: entries with the same start stand beside each other.
#[derive(Debug)]
pub(crate) struct Lexicon {
    entries: Vec<Entry>,
    by_start: HashMap<u64, (u32, u32), BuildHasherDefault<Spread>>,
    /// A bit for every start. Most of what a text holds is no start, which this says without the map.
    is_start: Vec<u64>,
}

/// Most bytes of an entry that it is looked up by: few entries share so many.
const MAX_START: usize = 8;

/// Bits that tell what is no start, as a power of two: some ten for each.
const FILTER_BITS: u32 = 18;

/// Spreads the bits of a start. The keys are the lexicon's own, so nobody can choose them to collide.
#[derive(Debug, Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = spread(self.0 ^ key);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 29
    }
}

const fn spread(key: u64) -> u64 {
    key.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The word and the bit of the filter that stand for a start.
const fn bit(key: u64) -> (usize, u64) {
    let at = spread(key) >> (u64::BITS - FILTER_BITS);
    ((at / 64) as usize, 1 << (at % 64))
}

/// Blanks between two words of a phrase that are skipped.
const MAX_BLANKS: usize = 16;

pub(crate) static LEXICON: LazyLock<Lexicon> = LazyLock::new(Lexicon::build);

/// Every concept and its words.
fn table() -> impl Iterator<Item = &'static (Concept, &'static str)> {
    ENTRIES
        .iter()
        .chain(super::wording::WORDS)
        .chain(super::phrases::WORDS)
        .chain(super::sayings::WORDS)
        .chain(super::dealings::WORDS)
}

/// The words of every concept.
#[cfg(test)]
pub(super) fn all_words() -> impl Iterator<Item = &'static str> {
    table().map(|(_, words)| *words)
}

impl Lexicon {
    fn build() -> Self {
        let mut entries: Vec<Entry> = Vec::with_capacity(24 * 1024);
        for (concept, words) in table() {
            for word in words.split('|').filter(|word| word.len() > 1) {
                let text = word.strip_suffix('*').unwrap_or(word);
                let anywhere = text.chars().next().is_some_and(is_unspaced);
                entries.push(Entry {
                    start: start(text),
                    text,
                    open: word.len() > text.len(),
                    anywhere,
                    set: Set::of(&[*concept]),
                    role: *concept as u16 >= Concept::Scroll as u16,
                });
            }
        }
        // The same words under two concepts are two entries, whose sets are put together when they are met.
        entries.sort_unstable_by_key(|entry| entry.start);
        let mut by_start: HashMap<u64, (u32, u32), _> =
            HashMap::with_capacity_and_hasher(entries.len(), BuildHasherDefault::default());
        let mut is_start = vec![0; (1 << FILTER_BITS) / 64];
        for (at, entry) in (0_u32..).zip(&entries) {
            by_start.entry(entry.start).or_insert((at, at)).1 = at + 1;
            let (word, bit) = bit(entry.start);
            is_start[word] |= bit;
        }
        Self { entries, by_start, is_start }
    }

    /// What the entries at the start of a lower-case text mean.
    pub(crate) fn at(&self, text: &str) -> Found {
        let mut found = Found::default();
        let (mut key, mut length, mut blanks) = (0, 0, 0);
        for byte in text.as_bytes() {
            // However many blanks part two words, an entry has one.
            blanks = if is_blank(*byte) { blanks + 1 } else { 0 };
            if blanks > 1 && blanks <= MAX_BLANKS {
                continue;
            }
            if blanks > MAX_BLANKS || length == MAX_START {
                break;
            }
            length += 1;
            key = longer(key, if blanks == 1 { b' ' } else { *byte });
            let (word, bit) = bit(key);
            if self.is_start[word] & bit == 0 {
                continue;
            }
            let Some((from, to)) = self.by_start.get(&key) else { continue };
            for entry in &self.entries[*from as usize..*to as usize] {
                let Some(length) = entry.covers(text) else { continue };
                if entry.role {
                    found.roles = found.roles.with(entry.set);
                    continue;
                }
                let (set, longest) = found.words.unwrap_or((Set::NONE, 0));
                found.words = Some((set.with(entry.set), longest.max(length)));
            }
        }
        found
    }
}

/// What an entry is looked up by: its first bytes that stand for themselves alone, and its blanks.
fn start(text: &str) -> u64 {
    let is_plain = |b: &u8| *b == b' ' || !is_blank(*b) && *b != b'\'';
    text.bytes().take(MAX_START).take_while(is_plain).fold(0, longer)
}

/// What may stand between two words of a phrase.
const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | b'-' | b'*' | b'_')
}

/// The key of a start that is one byte longer. No byte of a text is zero, so keys of two lengths differ.
const fn longer(key: u64, byte: u8) -> u64 {
    key << 8 | byte as u64
}

/// Whether a character belongs to a script that is written without blanks.
pub(crate) fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

impl Entry {
    fn covers(&self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        let mut at = 0;
        for &wanted in self.text.as_bytes() {
            if wanted == b'*' {
                at += letters(text.get(at..)?);
                continue;
            }
            match (wanted, *bytes.get(at)?) {
                (b' ', _) => {
                    let blanks =
                        bytes[at..].iter().take(MAX_BLANKS).take_while(|b| is_blank(**b)).count();
                    if blanks == 0 {
                        return None;
                    }
                    at += blanks;
                }
                (b'\'', _) if bytes[at..].starts_with("\u{2019}".as_bytes()) => {
                    at += "\u{2019}".len();
                }
                (wanted, found) if wanted == found => at += 1,
                _ => return None,
            }
        }
        if self.anywhere {
            return (!goes_on(self.text, &text[at..])).then_some(at);
        }
        let ending = letters(text.get(at..)?);
        match (self.open, ending) {
            (_, 0) => Some(at),
            (true, ending) => Some(at + ending),
            (false, _) => None,
        }
    }
}

/// Words of Chinese with which others begin: `不提` (do not mention) stands in `不提交` (do not submit), and
/// `保密` (keep secret) in `保密协议` (an agreement of confidentiality).
#[rustfmt::skip]
const BEGINNINGS: [(&str, &[&str]); 2] = [
    ("提", &["交", "供", "升", "高", "取", "醒", "示", "前", "倡", "炼", "出", "问", "速", "案", "议"]),
    ("保密", &["协议", "性", "条款", "义务", "期限", "责任", "信息", "等级"]),
];

/// Whether what follows makes another word of an entry.
pub(crate) fn goes_on(entry: &str, rest: &str) -> bool {
    BEGINNINGS.iter().any(|(beginning, ends)| {
        entry.ends_with(beginning) && ends.iter().any(|end| rest.starts_with(end))
    })
}

fn letters(text: &str) -> usize {
    text.chars().take_while(|c| c.is_alphanumeric() && !is_unspaced(*c)).map(char::len_utf8).sum()
}
