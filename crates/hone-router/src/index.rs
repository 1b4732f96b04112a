//! The index: segments, which of their documents count, and what is known about all of them together.
//!
//! Documents are addressed by the place of their skill in the list that the index was made for, so an
//! answer does not depend on how often the index was updated before.

use std::cell::OnceCell;
use std::collections::HashMap;

use hone_library::State;

use crate::document::{Document, Key, Lengths, Message, Phrase, SkillText};
use crate::encoder::Encoder;
use crate::index_segment::{Header, Segment};
use crate::meaning::{Meanings, Texts, about};
use crate::query::Query;
use crate::rank::{Norms, rarity};

/// A searchable set of skills.
#[derive(Debug)]
pub struct Index<'s> {
    segments: Vec<Segment<'s>>,
    /// For each segment and document the place of its skill, or `None` when it does not count.
    places: Vec<Vec<Option<u32>>>,
    lengths: Vec<Lengths>,
    /// Which skills say a phrase; the second is whether it is their name.
    phrases: HashMap<u64, Vec<(u32, bool)>>,
    /// The most words that a phrase has.
    longest_phrase: usize,
    pub(crate) messages: Messages,
    pub(crate) norms: Norms,
    /// For each skill what [`crate::bands`] learned from its remembered messages, once somebody asked.
    pub(crate) midpoints: Vec<OnceCell<f32>>,
    /// What skills mean, when a sentence model is there to tell.
    pub(crate) meanings: Option<Meanings<'s>>,
}

/// Mean lengths of the parts of a skill.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Average {
    pub(crate) description: f32,
    pub(crate) body: f32,
    pub(crate) trigrams: f32,
}

/// A message and the skill that remembers it.
#[derive(Debug)]
pub(crate) struct Remembered {
    pub(crate) skill: u32,
    pub(crate) message: Message,
    /// The keys of its stems, each once.
    pub(crate) stems: Vec<Key>,
    /// The squared length of its vector of words, once somebody asked.
    pub(crate) weight: OnceCell<f32>,
}

/// All remembered messages.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    pub(crate) all: Vec<Remembered>,
    pub(crate) by_stem: HashMap<Key, Vec<u32>>,
    pub(crate) by_skill: HashMap<u32, Vec<u32>>,
}

/// The skills that hold a word, in order, each with its byte.
pub(crate) type List = Vec<(u32, u8)>;

impl Index<'static> {
    /// Indexes texts in memory; the n-th skill is the n-th text.
    pub fn in_memory<'t>(skills: impl IntoIterator<Item = &'t SkillText>) -> Self {
        let documents: Vec<Document> = skills.into_iter().map(Document::new).collect();
        let headers =
            documents.iter().map(|document| Header::of(String::new(), Vec::new(), document));
        let segment =
            Segment::build(headers.collect(), documents.iter().map(|d| d.entries.as_slice()));
        let places = (0..).take(documents.len()).map(Some).collect();
        Self::new(vec![(segment, places)], documents.len())
    }
}

impl<'s> Index<'s> {
    /// Puts segments together; each place below `skills` occurs at most once.
    pub(crate) fn new(parts: Vec<(Segment<'s>, Vec<Option<u32>>)>, skills: usize) -> Self {
        let (segments, places): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let mut index = Self {
            segments,
            places,
            lengths: vec![Lengths::default(); skills],
            phrases: HashMap::new(),
            longest_phrase: 0,
            messages: Messages::default(),
            norms: Norms::default(),
            midpoints: (0..skills).map(|_| OnceCell::new()).collect(),
            meanings: None,
        };
        index.gather();
        index
    }

    fn gather(&mut self) {
        let mut messages: Vec<(u32, Message)> = Vec::new();
        for (segment, places) in self.segments.iter().zip(&self.places) {
            for (header, place) in segment.headers.iter().zip(places) {
                let Some(place) = *place else { continue };
                self.lengths[place as usize] = header.lengths;
                for &Phrase { hash, words, is_name } in &header.phrases {
                    self.longest_phrase = self.longest_phrase.max(usize::from(words));
                    self.phrases.entry(hash).or_default().push((place, is_name));
                }
                messages.extend(header.messages.iter().map(|message| (place, message.clone())));
            }
        }
        // The order of segments must not show.
        messages.sort_by_key(|(place, _)| *place);
        self.phrases.values_mut().for_each(|skills| skills.sort_unstable());
        for (number, (skill, message)) in (0u32..).zip(messages) {
            let stems: Vec<Key> =
                Query::new(&message.text).stems.iter().map(|stem| stem.key).collect();
            for stem in &stems {
                self.messages.by_stem.entry(*stem).or_default().push(number);
            }
            self.messages.by_skill.entry(skill).or_default().push(number);
            self.messages.all.push(Remembered { skill, message, stems, weight: OnceCell::new() });
        }
        let mean = |of: fn(&Lengths) -> u32| {
            let sum: u64 = self.lengths.iter().map(|lengths| u64::from(of(lengths))).sum();
            (sum as f32 / self.lengths.len().max(1) as f32).max(1.0)
        };
        let average = Average {
            description: mean(|lengths| lengths.description),
            body: mean(|lengths| lengths.body),
            trigrams: mean(|lengths| lengths.trigrams),
        };
        self.norms = Norms::new(&self.lengths, average);
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
            self.messages.all.iter().map(|one| one.message.text.as_str()).collect();
        let meanings = Meanings::of(encoder, state, texts, &messages, about_to)?;
        self.meanings = Some(meanings).filter(|meanings| meanings.skills.len() == self.len());
        Ok(())
    }

    /// The same skills and one more, which comes last.
    #[must_use]
    pub fn plus(mut self, skill: &SkillText) -> Self {
        let meanings = self.meanings.take();
        let count = self.len();
        let document = Document::new(skill);
        let header = Header::of(String::new(), Vec::new(), &document);
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
        self.lengths.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
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

    /// How much a word says.
    pub(crate) fn rarity(&self, key: Key) -> f32 {
        rarity(self.len(), self.list(key).len())
    }

    /// The skills that say exactly these words, their name among them.
    pub(crate) fn phrase(&self, hash: u64) -> &[(u32, bool)] {
        self.phrases.get(&hash).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn longest_phrase(&self) -> usize {
        self.longest_phrase
    }
}
