//! The index: segments, which of their documents count, and what is known about all of them together.
//!
//! Documents are addressed by the place of their skill in the list that the index was made for, so an
//! answer does not depend on how often the index was updated before.

use std::cell::{OnceCell, RefCell};
use std::ops::Range;

use hone_library::State;

use crate::document::{ByKey, Document, Key, Kind, Lengths, Message, SkillText};
use crate::encoder::Encoder;
use crate::everyday::{has_everyday_stem, says};
use crate::index_segment::{Header, Segment};
use crate::meaning::{Meanings, Texts, about};
use crate::rank::Norms;

/// A searchable set of skills.
#[derive(Debug)]
pub struct Index<'s> {
    segments: Vec<Segment<'s>>,
    /// For each segment and document the place of its skill, or `None` when it does not count.
    places: Vec<Vec<Option<u32>>>,
    /// For each segment whether all of its documents count.
    is_whole: Vec<bool>,
    /// The most words that a phrase has.
    longest_phrase: usize,
    pub(crate) messages: Messages,
    pub(crate) norms: Norms,
    /// How much a word says, for those that somebody asked for.
    rarities: RefCell<ByKey<f32>>,
    /// For each skill what [`crate::bands`] learned from its remembered messages, once somebody asked.
    pub(crate) midpoints: Vec<OnceCell<f32>>,
    /// What skills mean, when a sentence model is there to tell.
    pub(crate) meanings: Option<Meanings<'s>>,
}

/// A message and the skill that remembers it.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) skill: u32,
    /// Its segment, the place of the document among those there that remember, and its number.
    at: [usize; 3],
    /// The squared length of its vector of words, once somebody asked.
    pub(crate) weight: OnceCell<f32>,
}

/// All remembered messages, those of one skill together.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(crate) all: Vec<Remembered>,
    /// The place of the first message of each skill that should call it, and of the first that should
    /// not; the next skill's follow. Empty when nothing is remembered.
    starts: Vec<[usize; 2]>,
}

impl Messages {
    fn new(segments: &[Segment<'_>], places: &[Vec<Option<u32>>], skills: usize) -> Self {
        let mut owners = Vec::new();
        for (at, (segment, places)) in segments.iter().zip(places).enumerate() {
            for (entry, (document, messages)) in segment.headers.messages.iter().enumerate() {
                let place = places.get(*document as usize).copied().flatten();
                owners.extend(place.map(|skill| (skill, at, entry, messages)));
            }
        }
        // The order of segments must not show.
        owners.sort_unstable_by_key(|(skill, ..)| *skill);
        let mut all = Vec::new();
        let mut starts = Vec::new();
        for (skill, segment, entry, messages) in owners {
            starts.resize(skill as usize + 1, [all.len(); 2]);
            let positives = messages.iter().filter(|message| message.should_trigger).count();
            starts[skill as usize][1] += positives;
            all.extend((0..messages.len()).map(|number| Remembered {
                skill,
                at: [segment, entry, number],
                weight: OnceCell::new(),
            }));
        }
        if !all.is_empty() {
            starts.resize(skills + 1, [all.len(); 2]);
        }
        Self { all, starts }
    }

    /// The places of a skill's messages.
    pub(crate) fn of(&self, skill: usize) -> Range<usize> {
        match self.starts.get(skill..skill + 2) {
            Some([[from, _], [to, _]]) => *from..*to,
            _ => 0..0,
        }
    }

    /// The place of a skill's first message of a kind.
    pub(crate) fn start(&self, skill: u32, kind: Kind) -> usize {
        self.starts.get(skill as usize).map_or(0, |start| start[usize::from(kind == Kind::No)])
    }
}

/// The skills that hold a word, in order, each with its byte.
pub(crate) type List = Vec<(u32, u8)>;

impl Index<'static> {
    /// Indexes texts in memory; the n-th skill is the n-th text.
    pub fn in_memory<'t>(skills: impl IntoIterator<Item = &'t SkillText>) -> Self {
        let documents: Vec<Document> = skills.into_iter().map(Document::new).collect();
        let headers = documents.iter().map(|document| Header::of(0, document));
        let segment =
            Segment::build(headers.collect(), documents.iter().map(|d| d.entries.as_slice()));
        let places = (0..).take(documents.len()).map(Some).collect();
        Self::new(vec![(segment, places)], documents.len())
    }
}

impl<'s> Index<'s> {
    /// Puts segments together; each place below `skills` occurs at most once.
    pub(crate) fn new(parts: Vec<(Segment<'s>, Vec<Option<u32>>)>, skills: usize) -> Self {
        let (segments, places): (Vec<_>, Vec<Vec<Option<u32>>>) = parts.into_iter().unzip();
        let mut lengths = vec![Lengths::default(); skills];
        let mut longest_phrase = 0;
        for (segment, places) in segments.iter().zip(&places) {
            let headers = &segment.headers;
            for (own, place) in headers.lengths.iter().zip(places) {
                if let Some(place) = place {
                    lengths[*place as usize] = *own;
                }
            }
            let words = headers.phrases.iter().map(|(phrase, _)| usize::from(phrase.words));
            longest_phrase = words.fold(longest_phrase, usize::max);
        }
        let messages = Messages::new(&segments, &places, skills);
        let is_whole = places.iter().map(|places| places.iter().all(Option::is_some)).collect();
        Self {
            segments,
            places,
            is_whole,
            longest_phrase,
            messages,
            norms: Norms::new(&lengths),
            rarities: RefCell::default(),
            midpoints: (0..skills).map(|_| OnceCell::new()).collect(),
            meanings: None,
        }
    }

    /// Also goes by what a sentence model understands. Vectors are kept in the state, if one is given;
    /// `about_to` hears how many texts the model has to read first. When the model fails, words alone
    /// count as before.
    pub fn understand(
        &mut self,
        encoder: &'s Encoder,
        state: Option<&State>,
        texts: Texts<'_>,
        about_to: &dyn Fn(usize),
    ) -> std::io::Result<()> {
        let messages: Vec<&str> =
            self.messages.all.iter().map(|one| self.message(one).text.as_str()).collect();
        let meanings = Meanings::of(encoder, state, texts, &messages, about_to)?;
        self.meanings = Some(meanings).filter(|meanings| meanings.skills.len() == self.len());
        Ok(())
    }

    /// The same index, read from the state in one go: nothing of the state stays open for it. For whoever
    /// keeps it long; who asks once is answered sooner without.
    #[must_use]
    pub fn whole(mut self) -> Self {
        for segment in &mut self.segments {
            segment.settle();
        }
        self
    }

    /// The same skills and one more, which comes last.
    #[must_use]
    pub fn plus(mut self, skill: &SkillText) -> Self {
        let meanings = self.meanings.take();
        let count = self.len();
        let document = Document::new(skill);
        let header = Header::of(0, &document);
        let segment = Segment::build(vec![header], std::iter::once(document.entries.as_slice()));
        let mut parts: Vec<_> = self.segments.into_iter().zip(self.places).collect();
        parts.push((segment, vec![u32::try_from(count).ok()]));
        let mut index = Self::new(parts, count + 1);
        let messages: Vec<&str> =
            document.messages.iter().map(|message| message.text.as_str()).collect();
        let text = about(&skill.name, &skill.description, &skill.when_to_use);
        index.meanings = meanings.and_then(|meanings| meanings.plus(&text, &messages).ok());
        index
    }

    /// How many skills it holds.
    pub fn len(&self) -> usize {
        self.midpoints.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.midpoints.is_empty()
    }

    /// The skills that hold a word. Every skill occurs once, in no promised order.
    pub(crate) fn list(&self, key: Key) -> List {
        let mut list = Vec::new();
        for (segment, places) in self.segments.iter().zip(&self.places) {
            segment.list(key, |document, byte| {
                if let Some(place) = places[document] {
                    list.push((place, byte));
                }
            });
        }
        list
    }

    /// A remembered message.
    pub(crate) fn message(&self, remembered: &Remembered) -> &Message {
        let [segment, entry, number] = remembered.at;
        &self.segments[segment].headers.messages[entry].1[number]
    }

    /// How much a word says, as far as its stem tells.
    pub(crate) fn rarity(&self, key: Key) -> f32 {
        *self
            .rarities
            .borrow_mut()
            .entry(key)
            .or_insert_with(|| says(has_everyday_stem(key), self.len(), self.count(key)))
    }

    /// How many skills hold a word.
    fn count(&self, key: Key) -> usize {
        let parts = self.segments.iter().zip(&self.places).zip(&self.is_whole);
        let counts = parts.map(|((segment, places), is_whole)| {
            if *is_whole {
                return segment.count(key);
            }
            let mut count = 0;
            segment.list(key, |document, _| count += usize::from(places[document].is_some()));
            count
        });
        counts.sum()
    }

    /// Calls `each` with the skills that say exactly these words; the second is whether it is their name.
    pub(crate) fn phrase(&self, hash: u64, mut each: impl FnMut(usize, bool)) {
        for (segment, places) in self.segments.iter().zip(&self.places) {
            let phrases = &segment.headers.phrases;
            let from = phrases.partition_point(|(phrase, _)| phrase.hash < hash);
            for (phrase, document) in phrases[from..].iter().take_while(|(p, _)| p.hash == hash) {
                if let Some(Some(place)) = places.get(*document as usize) {
                    each(*place as usize, phrase.is_name);
                }
            }
        }
    }

    pub(crate) fn longest_phrase(&self) -> usize {
        self.longest_phrase
    }
}
