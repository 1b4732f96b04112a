//! What the index keeps of one skill: which words stand where and how often, as small numbers.
//!
//! A document is made from the skill's text alone and holds none of it; the same text gives the same
//! document. Words are kept as hashes: two words that share one are counted as the same word, which
//! happens to a few in a hundred thousand.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::query::Query;
use crate::suite::{Case, MAX_MESSAGE_BYTES, MAX_REMEMBERED, Suite};
use crate::text::{self, Word};

/// How much of a body is indexed, in bytes. More of it adds size and little else: what a skill is
/// about stands at its start.
pub const MAX_BODY_BYTES: usize = 4_096;

/// Descriptions and the other texts that say when a skill is used, in bytes each.
pub const MAX_DESCRIPTION_BYTES: usize = 4_096;

/// Trigger phrases of one skill that are kept.
const MAX_PHRASES: usize = 64;

/// The text of a skill, as far as routing reads it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SkillText {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// `when_to_use`.
    pub when_to_use: String,
    /// Phrases that the frontmatter lists as triggers.
    pub triggers: Vec<String>,
    /// The body.
    pub body: String,
    /// The messages of its `triggers.json`.
    pub suite: Suite,
}

/// What a number in the index is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// A stem in name, description or body.
    Stem = 1,
    /// Two stems that follow each other in name or description.
    Pair = 2,
    /// Three characters of a word in name or description.
    Trigram = 3,
    /// A stem of what the skill is not for.
    Negative = 4,
    /// A stem of remembered messages that should call the skill. The byte has a bit for each message.
    Yes = 5,
    /// The same for those that should not.
    No = 6,
}

/// A word of some kind, as the index knows it.
pub(crate) type Key = u32;

/// Something for each of many keys.
pub(crate) type ByKey<V> = HashMap<Key, V, BuildHasherDefault<AsItIs>>;

/// Many keys.
pub(crate) type Keys = HashSet<Key, BuildHasherDefault<AsItIs>>;

/// The hash of a key, which is one already: the first message to a library with suites asks for thousands. Words
/// made to collide cost little, since messages and suites are short.
#[derive(Debug, Default)]
pub(crate) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash << 8 | u64::from(*byte));
    }

    fn write_u32(&mut self, key: u32) {
        // A table goes by the first bits as well as by the last.
        self.0 = u64::from(key) << 32 | u64::from(key);
    }
}

/// FNV-1a, which is the same everywhere and good enough for short words.
pub(crate) fn key(kind: Kind, parts: &[&str]) -> Key {
    let mut hash = (0xcbf2_9ce4_8422_2325_u64 ^ kind as u64).wrapping_mul(0x0000_0100_0000_01b3);
    for part in parts {
        for byte in part.bytes().chain(std::iter::once(0xff)) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    // Fold both halves: the low bits alone mix badly.
    Key::try_from(hash >> 32 ^ hash & 0xffff_ffff).unwrap_or_default()
}

/// A stem, by its own key, in remembered messages of one kind.
pub(crate) fn remembered_key(kind: Kind, stem: Key) -> Key {
    // Odd factors keep different stems different.
    stem.rotate_left(kind as u32).wrapping_mul(0x9e37_79b1)
}

pub(crate) fn trigram_key(trigram: [char; 3]) -> Key {
    let mut text = [0; 12];
    let mut length = 0;
    for c in trigram {
        length += c.encode_utf8(&mut text[length..]).len();
    }
    let text = std::str::from_utf8(&text[..length]).unwrap_or_default();
    key(Kind::Trigram, &[text])
}

/// How often a word stands in name, description and body, in one byte.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts(pub(crate) u8);

impl Counts {
    const MAX_NAME: u8 = 3;
    const MAX_OTHER: u8 = 7;

    pub(crate) fn new(name: usize, description: usize, body: usize) -> Self {
        let capped = |count: usize, most: u8| u8::try_from(count).unwrap_or(u8::MAX).min(most);
        Self(
            capped(name, Self::MAX_NAME) << 6
                | capped(description, Self::MAX_OTHER) << 3
                | capped(body, Self::MAX_OTHER),
        )
    }

    pub(crate) fn name(self) -> u8 {
        self.0 >> 6
    }

    pub(crate) fn description(self) -> u8 {
        self.0 >> 3 & Self::MAX_OTHER
    }

    pub(crate) fn body(self) -> u8 {
        self.0 & Self::MAX_OTHER
    }
}

/// How many words each part of a skill has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Lengths {
    pub(crate) description: u32,
    pub(crate) body: u32,
    pub(crate) trigrams: u32,
}

/// What the index keeps of one skill.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) lengths: Lengths,
    /// Every word with its counts, sorted by key. For a trigram the byte is its count.
    pub(crate) entries: Vec<(Key, u8)>,
    /// The stems of each trigger phrase, its name first, as one hash over the words in order, with
    /// how many words it has.
    pub(crate) phrases: Vec<Phrase>,
    /// Remembered messages: those that should call it, then those that should not.
    pub(crate) messages: Vec<Message>,
}

/// A phrase that a message may hold word for word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Phrase {
    pub(crate) hash: u64,
    pub(crate) words: u8,
    pub(crate) is_name: bool,
}

// A byte has a bit for each message of a kind.
const _: () = assert!(MAX_REMEMBERED <= 8);

/// A remembered message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Message {
    pub(crate) should_trigger: bool,
    pub(crate) text: String,
    /// The keys of its stems, each once.
    pub(crate) stems: Vec<Key>,
}

impl Message {
    pub(crate) fn new(case: &Case) -> Self {
        let text = start(&case.query, MAX_MESSAGE_BYTES).to_owned();
        let stems = Query::new(&text).stems.iter().map(|stem| stem.key).collect();
        Self { should_trigger: case.should_trigger, text, stems }
    }
}

/// The start of a text, at most so many bytes, cut between characters.
#[must_use]
pub(crate) fn start(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

impl Document {
    pub(crate) fn new(skill: &SkillText) -> Self {
        let mut fields = Fields::default();
        let mut phrases = Vec::new();
        let name_words = text::words(start(&skill.name, MAX_DESCRIPTION_BYTES));
        fields.add(&name_words, Field::Name);
        phrases.extend(phrase(&name_words, true));
        for about in [&skill.description, &skill.when_to_use] {
            fields.add_description(start(about, MAX_DESCRIPTION_BYTES), &mut phrases);
        }
        let mut room = MAX_DESCRIPTION_BYTES;
        for trigger in &skill.triggers {
            let trigger = start(trigger, room);
            room -= trigger.len();
            let words = text::words(trigger);
            fields.add(&words, Field::Description);
            let is_phrase = text::is_phrase(&words) || text::is_trigger_word(&words);
            phrases.extend(phrase(&words, false).filter(|_| is_phrase));
        }
        text::stems(start(&skill.body, MAX_BODY_BYTES), |stem| {
            fields.words.push((key(Kind::Stem, &[stem]), Field::Body));
        });
        let mut seen = std::collections::HashSet::new();
        // A single word that is its name calls it as a trigger does, which a name alone does not.
        phrases.retain(|one| seen.insert((one.hash, one.is_name && one.words == 1)));
        phrases.truncate(MAX_PHRASES);
        let messages = skill.suite.messages();
        fields.remember(&messages);
        Self { phrases, messages, ..fields.finish() }
    }
}

/// A phrase as its words in order; stop words count, for `break it down` is not `break down`.
fn phrase(words: &[Word], is_name: bool) -> Option<Phrase> {
    let words = words.iter().filter(|word| !word.is_piece || word.is_unspaced);
    let count = u8::try_from(words.clone().count()).ok().filter(|&count| count > 0)?;
    Some(Phrase {
        hash: words.fold(PHRASE_START, |hash, word| extended(hash, &word.stem)),
        words: count,
        is_name,
    })
}

/// The hash of no words.
pub(crate) const PHRASE_START: u64 = 0xcbf2_9ce4_8422_2325;

/// The hash of a phrase with one more word.
pub(crate) fn extended(hash: u64, word: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    word.bytes().chain(std::iter::once(b' ')).fold(hash, step)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Field {
    Name,
    Description,
    Body,
}

#[derive(Default)]
struct Fields {
    /// Every word that was met and where, in any order.
    words: Vec<(Key, Field)>,
    trigrams: Vec<Key>,
    /// Words of remembered messages, and the bit of the message.
    remembered: Vec<(Key, u8)>,
    described: u32,
}

impl Fields {
    fn add_description(&mut self, text: &str, phrases: &mut Vec<Phrase>) {
        for (piece, is_negative) in text::pieces(text) {
            if is_negative {
                text::stems(piece, |stem| {
                    self.words.push((key(Kind::Negative, &[stem]), Field::Description));
                });
                continue;
            }
            self.add(&text::words(piece), Field::Description);
            for quoted in text::quotations(piece) {
                let words = text::words(quoted);
                phrases.extend(phrase(&words, false).filter(|_| text::is_phrase(&words)));
            }
            for spoken in text::spoken_words(piece) {
                let words = text::words(spoken);
                phrases.extend(phrase(&words, false).filter(|_| text::is_trigger_word(&words)));
            }
        }
    }

    /// Adds the words of a name or description.
    fn add(&mut self, words: &[Word], field: Field) {
        let mut before: Option<&Word> = None;
        for word in words.iter().filter(|word| !word.is_stop) {
            self.words.push((key(Kind::Stem, &[&word.stem]), field));
            self.described += u32::from(field == Field::Description);
            if !word.is_piece {
                text::trigrams(&word.plain, |trigram| self.trigrams.push(trigram_key(trigram)));
            }
            if let Some(before) = before {
                self.words.push((key(Kind::Pair, &[&before.stem, &word.stem]), field));
            }
            before = Some(word);
        }
    }

    /// Notes in which messages a stem stands.
    fn remember(&mut self, messages: &[Message]) {
        for kind in [Kind::Yes, Kind::No] {
            let of_kind = messages.iter().filter(|one| one.should_trigger == (kind == Kind::Yes));
            for (number, message) in (0..MAX_REMEMBERED).zip(of_kind) {
                for &stem in &message.stems {
                    self.remembered.push((remembered_key(kind, stem), 1 << number));
                }
            }
        }
    }

    fn finish(mut self) -> Document {
        let body = self.words.iter().filter(|(_, field)| *field == Field::Body).count();
        let lengths = Lengths {
            description: self.described,
            body: u32::try_from(body).unwrap_or(u32::MAX),
            trigrams: u32::try_from(self.trigrams.len()).unwrap_or(u32::MAX),
        };
        self.words.sort_unstable();
        self.trigrams.sort_unstable();
        self.remembered.sort_unstable();
        let counted = |run: &[(Key, Field)]| {
            let count = |wanted: Field| run.iter().filter(|(_, field)| *field == wanted).count();
            Counts::new(count(Field::Name), count(Field::Description), count(Field::Body)).0
        };
        let words = self.words.chunk_by(|a, b| a.0 == b.0).map(|run| (run[0].0, counted(run)));
        let trigrams = self
            .trigrams
            .chunk_by(|a, b| a == b)
            .map(|run| (run[0], u8::try_from(run.len()).unwrap_or(u8::MAX)));
        let remembered = self
            .remembered
            .chunk_by(|a, b| a.0 == b.0)
            .map(|run| (run[0].0, run.iter().fold(0, |bits, (_, bit)| bits | bit)));
        let mut entries: Vec<(Key, u8)> = words.chain(trigrams).chain(remembered).collect();
        entries.sort_unstable();
        entries.dedup_by_key(|(key, _)| *key);
        Document { lengths, entries, ..Document::default() }
    }
}
