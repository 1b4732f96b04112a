//! A message of nothing but words that nobody knows: one typing error away from a known word, each means that word.
//!
//! The index knows words by their keys only, so every word that one error could have made of is looked up. A key may be
//! another word's by chance; a skill that has the word has its trigrams as well.

use crate::document::{Key, Kind, key, remembered_key, trigram_key};
use crate::index::Index;
use crate::query::{Query, Stem};
use crate::text;

/// Words of a message that are looked at; who types more than that has a known one among them.
const MAX_UNKNOWN: usize = 4;
/// Shorter words become too many others.
const LEAST_CHARS: usize = 5;
/// Longer ones are no words of a language.
const MOST_CHARS: usize = 24;

/// Takes the unknown words of a message for those that they are one typing error away from, if it has no known one.
/// True when it took any. What a suite remembers was written by somebody, so its words are known as well.
pub(crate) fn correct(index: &Index<'_>, query: &mut Query) -> bool {
    let unknown = |stem: &&mut Stem| !stem.is_everyday;
    let count = query.stems.iter().filter(|stem| !stem.is_everyday).count();
    let is_remembered = |stem: Key| {
        let kinds = [Kind::Yes, Kind::No].map(|kind| remembered_key(kind, stem));
        kinds.into_iter().any(|key| !index.list(key).is_empty())
    };
    let is_known = |stem: &Stem| {
        !stem.is_everyday && (!index.list(stem.key).is_empty() || is_remembered(stem.key))
    };
    if count == 0 || count > MAX_UNKNOWN || query.stems.iter().any(is_known) {
        return false;
    }
    let mut is_corrected = false;
    for stem in query.stems.iter_mut().filter(unknown) {
        if let Some(meant) = meant(index, &stem.plain) {
            (stem.key, stem.negative) =
                (key(Kind::Stem, &[&meant]), key(Kind::Negative, &[&meant]));
            stem.is_misspelt = true;
            is_corrected = true;
        }
    }
    is_corrected
}

/// The stem of the word that one error made this of: that which most skills have.
fn meant(index: &Index<'_>, word: &str) -> Option<String> {
    let mut most: Option<(usize, String)> = None;
    edits(word, |edited| {
        text::stems(edited, |stem| {
            let count = index.list(key(Kind::Stem, &[stem])).len();
            let is_more = most.as_ref().is_none_or(|(known, _)| count > *known);
            if count > 0 && is_more && is_there(index, stem, edited) {
                most = Some((count, stem.to_owned()));
            }
        });
    });
    most.map(|(_, stem)| stem)
}

/// Whether a skill that has the stem also has the trigrams of the letters that stem and word share.
fn is_there(index: &Index<'_>, stem: &str, word: &str) -> bool {
    let shared = stem.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
    let mut trigrams: Vec<Key> = Vec::new();
    text::trigrams(word, |trigram| trigrams.push(trigram_key(trigram)));
    // The first begins with the border, so that so many letters have as many trigrams, less one.
    let lists = trigrams.iter().take(shared.saturating_sub(1)).map(|&trigram| index.list(trigram));
    let lists: Vec<_> = lists.collect();
    let holders = index.list(key(Kind::Stem, &[stem]));
    let has_all =
        |skill: u32| lists.iter().all(|list| list.iter().any(|(other, _)| *other == skill));
    holders.iter().any(|(skill, _)| has_all(*skill))
}

/// Every word that is one letter more, less or other, or two that changed places. Who mistypes a word seldom does so in
/// its first letter: `leather` is no `weather`.
fn edits(word: &str, mut each: impl FnMut(&str)) {
    let letters: Vec<char> = word.chars().collect();
    if !(LEAST_CHARS..=MOST_CHARS).contains(&letters.len())
        || !letters.iter().all(|c| c.is_alphabetic())
    {
        return;
    }
    let mut edited = String::with_capacity(word.len() + 4);
    let mut tell = |parts: [&[char]; 3]| {
        edited.clear();
        edited.extend(parts.into_iter().flatten());
        each(&edited);
    };
    for at in 0..=letters.len() {
        let (before, after) = letters.split_at(at);
        if let [first, second, rest @ ..] = after {
            tell([before, &[*second, *first], rest]);
        }
        if at == 0 {
            continue;
        }
        if let [_, rest @ ..] = after {
            tell([before, &[], rest]);
        }
        for letter in 'a'..='z' {
            tell([before, &[letter], after]);
            if let [_, rest @ ..] = after {
                tell([before, &[letter], rest]);
            }
        }
    }
}
