//! A message, taken apart once: its stems, pairs, trigrams and runs of words.

use std::ops::Range;

use crate::document::{ByKey, Key, Keys, Kind, PHRASE_START, extended, key, start, trigram_key};
use crate::everyday::{is_everyday, is_talk};
use crate::text::{self, Word};

/// How much of each end of a long message is read, in bytes: a request stands at the start or the end
/// of what was pasted with it.
pub const MAX_END_BYTES: usize = 8_192;

/// Trigrams of one message that are looked up.
const MAX_TRIGRAMS: usize = 1_024;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Query {
    /// Each stem once, in order of appearance.
    pub(crate) stems: Vec<Stem>,
    pub(crate) pairs: Vec<Key>,
    pub(crate) trigrams: Vec<Key>,
    words: Vec<Word>,
    /// It starts with `/name` or `$name`, whatever the name.
    pub(crate) is_command: bool,
    /// Something in it is asked.
    pub(crate) is_question: bool,
}

/// A stem of a message and a word that has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stem {
    pub(crate) plain: String,
    pub(crate) key: Key,
    pub(crate) negative: Key,
    /// All words with this stem are everyday talk.
    pub(crate) is_everyday: bool,
    /// The keys are those of another word, which this one is a typing error of.
    pub(crate) is_misspelt: bool,
}

impl Query {
    pub(crate) fn new(message: &str) -> Self {
        Self::made(message, MAX_TRIGRAMS)
    }

    /// Without trigrams.
    pub(crate) fn of_words(message: &str) -> Self {
        Self::made(message, 0)
    }

    fn made(message: &str, most_trigrams: usize) -> Self {
        let mut words = Vec::new();
        if message.len() <= 2 * MAX_END_BYTES {
            words = text::words(message);
        } else {
            let before_end = start(message, message.len() - MAX_END_BYTES).len();
            words.extend(text::words(start(message, MAX_END_BYTES)));
            words.extend(text::words(&message[before_end..]));
        }
        let mut query = Self {
            stems: Vec::new(),
            pairs: Vec::new(),
            trigrams: Vec::new(),
            words: Vec::new(),
            is_command: is_command(message),
            is_question: message.contains(['?', '？']),
        };
        let mut stems: ByKey<usize> = ByKey::default();
        let (mut pairs, mut trigrams) = (Keys::default(), Keys::default());
        let mut before: Option<&Word> = None;
        for word in words.iter().filter(|word| !word.is_stop) {
            let stem = key(Kind::Stem, &[&word.stem]);
            let is_everyday = is_everyday(&word.plain);
            if let Some(&known) = stems.get(&stem) {
                let known: &mut Stem = &mut query.stems[known];
                known.is_everyday &= is_everyday;
            } else {
                stems.insert(stem, query.stems.len());
                let negative = key(Kind::Negative, &[&word.stem]);
                let plain = word.plain.clone();
                let is_misspelt = false;
                query.stems.push(Stem { plain, key: stem, negative, is_everyday, is_misspelt });
                if !word.is_piece && most_trigrams > 0 {
                    text::trigrams(&word.plain, |trigram| {
                        let trigram = trigram_key(trigram);
                        if query.trigrams.len() < most_trigrams && trigrams.insert(trigram) {
                            query.trigrams.push(trigram);
                        }
                    });
                }
            }
            if let Some(before) = before {
                let pair = key(Kind::Pair, &[&before.stem, &word.stem]);
                if pairs.insert(pair) {
                    query.pairs.push(pair);
                }
            }
            before = Some(word);
        }
        words.retain(|word| !word.is_piece || word.is_unspaced);
        query.words = words;
        query
    }

    /// Whether it has words and all of them are talk: `thanks, that worked` asks for no skill.
    pub(crate) fn is_small_talk(&self) -> bool {
        let mut asking = self.words.iter().filter(|word| !word.is_stop);
        !self.words.is_empty() && asking.all(|word| is_talk(&word.plain))
    }

    /// Every run of at most `longest` words, as a hash and the place of the words.
    pub(crate) fn runs(&self, longest: usize, mut each: impl FnMut(u64, Range<usize>)) {
        for from in 0..self.words.len() {
            let mut hash = PHRASE_START;
            for to in from..self.words.len().min(from + longest) {
                hash = extended(hash, &self.words[to].stem);
                each(hash, from..to + 1);
            }
        }
    }

    /// All words in order, without pieces of words.
    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }
}

/// What goes on after a variable that somebody tells something of.
const TOLD_OF: [&str; 8] = ["=", "==", "comes", "contains", "has", "is", "prints", "was"];

/// Whether a message starts with a command: not with a path, a variable or money.
fn is_command(message: &str) -> bool {
    let mut blanks = message.split_whitespace();
    let word = blanks.next().unwrap_or_default();
    // `$name is empty` is about a variable.
    let is_told_of = blanks.next().is_some_and(|next| TOLD_OF.contains(&next));
    let word = word.trim_end_matches([':', ',', ';', '.', '!', '?']);
    let is_name = |name: &str| {
        name.contains(char::is_alphabetic)
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
    };
    match (word.strip_prefix('/'), word.strip_prefix('$')) {
        (Some(name), _) => is_name(name),
        // `$GIT_DIR` is a variable.
        (_, Some(name)) => {
            is_name(name)
                && name.contains(|c: char| !c.is_ascii() || c.is_lowercase())
                && !is_told_of
        }
        _ => false,
    }
}
