//! Which skills a message is about, in order.
//!
//! Three looks at every skill are summed: words by field (BM25F over name, description and body),
//! pairs of words that follow each other, and trigrams of words. Words with pairs, and trigrams, are
//! each brought to mean 0 and deviation 1 over the library before they are added: ranks alone
//! (reciprocal rank fusion) throw away by how much a skill is ahead. Messages that a skill remembers
//! add their similarity.

use std::cell::RefCell;
use std::rc::Rc;

use crate::bands::{Lead, Measured};
use crate::document::{ByKey, Counts, Key, Lengths};
use crate::everyday::says;
use crate::index::{Index, List};
use crate::meaning::Vector;
use crate::query::Query;
use crate::remembered::{self, Similarity};

/// Weights of name, description and body.
const FIELD: [f32; 3] = [6.0, 4.0, 1.0];
/// How much the length of a description or body counts.
const DESCRIPTION_B: f32 = 0.4;
const BODY_B: f32 = 0.6;
const TRIGRAM_B: f32 = 0.3;
/// How soon repetition stops to count.
const K1: f32 = 1.0;
/// A pair of words against a word.
const PAIR_WEIGHT: f32 = 0.5;
/// Trigrams against words, both as deviations from the mean.
const TRIGRAM_WEIGHT: f32 = 0.5;
/// Meaning against words, both as deviations from the mean.
const MEANING_WEIGHT: f32 = 1.0;
/// A remembered message against a deviation of 1.
const REMEMBERED_WEIGHT: f32 = 4.0;

/// What a message and each skill have in common; every list is as long as the library.
#[derive(Debug)]
pub(crate) struct Scores {
    /// BM25F over stems.
    pub(crate) words: Vec<f32>,
    /// BM25F over pairs of stems.
    pub(crate) pairs: Vec<f32>,
    /// BM25 over trigrams.
    pub(crate) trigrams: Vec<f32>,
    /// How well each of the message's words is met, however rare it is.
    pub(crate) hits: Vec<f32>,
    /// Weight of the message's words in name or description.
    pub(crate) described: Vec<f32>,
    /// Weight of the message's words in the name.
    pub(crate) named: Vec<f32>,
    /// Weight of the message's words in what the skill is not for.
    pub(crate) negative: Vec<f32>,
    /// To remembered messages.
    pub(crate) similar: Vec<Similarity>,
    /// How near the message comes to each skill by meaning; empty without a sentence model.
    pub(crate) meaning: Vec<f32>,
    /// Words with pairs, and trigrams, as deviations.
    pub(crate) by_words: Vec<f32>,
    /// The sum that skills are ordered by.
    pub(crate) total: Vec<f32>,
    /// The most that `words` could be.
    pub(crate) ideal: f32,
    /// The most that `trigrams` could be.
    pub(crate) ideal_trigrams: f32,
    /// The weight of each stem of the message, and where it stands.
    pub(crate) lists: Vec<(f32, List)>,
}

/// How much a word says that `count` of `all` skills hold.
pub(crate) fn rarity(all: usize, count: usize) -> f32 {
    let (all, count) = (all as f32, count as f32);
    (1.0 + (all - count + 0.5) / (count + 0.5)).ln()
}

impl Scores {
    /// Adds what a sentence model says.
    pub(crate) fn add_meaning(&mut self, index: &Index<'_>, asked: &Vector) {
        let Some(meanings) = &index.meanings else { return };
        self.meaning = meanings.skills.iter().map(|skill| asked.cosine(skill)).collect();
        let deviation = Deviation::of(&self.meaning);
        for (total, cosine) in self.total.iter_mut().zip(&self.meaning) {
            *total += MEANING_WEIGHT * deviation.above_mean(*cosine);
        }
    }

    /// Adds what is remembered.
    pub(crate) fn add_remembered(
        &mut self,
        index: &Index<'_>,
        query: &Query,
        asked: Option<&Vector>,
    ) {
        self.similar = remembered::similarities(index, query, asked);
        for (total, similar) in self.total.iter_mut().zip(&self.similar) {
            *total += REMEMBERED_WEIGHT * similar.positive;
        }
    }

    /// By words alone.
    pub(crate) fn by_words(index: &Index<'_>, query: &Query) -> Self {
        let mut scores = Self::by_whole_words(index, query);
        scores.add_trigrams(index, &query.trigrams, &index.norms);
        scores.sum();
        scores.total.clone_from(&scores.by_words);
        scores
    }

    /// By words and pairs of them, without trigrams, which cost most: nothing is brought to one measure, and
    /// nothing is ordered.
    fn by_whole_words(index: &Index<'_>, query: &Query) -> Self {
        let n = index.len();
        let zeros = || vec![0.0_f32; n];
        let mut scores = Self {
            words: zeros(),
            pairs: zeros(),
            trigrams: zeros(),
            hits: zeros(),
            described: zeros(),
            named: zeros(),
            negative: zeros(),
            similar: Vec::new(),
            meaning: Vec::new(),
            by_words: zeros(),
            total: Vec::new(),
            ideal: 0.0,
            ideal_trigrams: 0.0,
            lists: Vec::with_capacity(query.stems.len()),
        };
        let norms = &index.norms;
        for stem in &query.stems {
            let list = index.list(stem.key);
            let weight = says(stem.is_everyday, n, list.len());
            scores.ideal += weight * (K1 + 1.0);
            for &(skill, byte) in &list {
                let (at, counts) = (skill as usize, Counts(byte));
                let worth = norms.words(at, counts);
                scores.words[at] += weight * worth;
                scores.hits[at] += worth;
                if counts.name() > 0 || counts.description() > 0 {
                    scores.described[at] += weight;
                }
                if counts.name() > 0 {
                    scores.named[at] += weight;
                }
            }
            for (skill, _) in index.list(stem.negative) {
                scores.negative[skill as usize] += weight;
            }
            scores.lists.push((weight, list));
        }
        for &pair in &query.pairs {
            let list = index.list(pair);
            let weight = rarity(n, list.len());
            for &(skill, byte) in &list {
                scores.pairs[skill as usize] += weight * norms.words(skill as usize, Counts(byte));
            }
        }
        scores
    }

    fn add_trigrams(&mut self, index: &Index<'_>, trigrams: &[Key], norms: &Norms) {
        for &trigram in trigrams {
            let list = index.list(trigram);
            let weight = rarity(index.len(), list.len());
            self.ideal_trigrams += weight * (K1 + 1.0);
            for &(skill, count) in &list {
                let count = f32::from(count) * norms.trigrams[skill as usize];
                self.trigrams[skill as usize] += weight * saturated(count);
            }
        }
    }

    fn sum(&mut self) {
        let words: Vec<f32> = self
            .words
            .iter()
            .zip(&self.pairs)
            .map(|(word, pair)| word + PAIR_WEIGHT * pair)
            .collect();
        let of_words = Deviation::of(&words);
        let of_trigrams = Deviation::of(&self.trigrams);
        for (at, total) in self.by_words.iter_mut().enumerate() {
            *total = of_words.above_mean(words[at])
                + TRIGRAM_WEIGHT * of_trigrams.above_mean(self.trigrams[at]);
        }
    }

    /// BM25F with pairs, as it goes into the total.
    pub(crate) fn lexical(&self, skill: usize) -> f32 {
        self.words[skill] + PAIR_WEIGHT * self.pairs[skill]
    }
}

/// What many messages that are asked about few skills share: lists of stems and pairs, each with what a skill
/// gets for holding it, and room for one score a skill.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    known: RefCell<ByKey<Rc<[Holding]>>>,
    scores: RefCell<Vec<f32>>,
}

/// A skill that holds a stem or a pair.
#[derive(Debug, Clone, Copy)]
struct Holding {
    skill: u32,
    counts: Counts,
    /// What it gets for each bit that it says.
    worth: f32,
}

impl Lists {
    fn of(&self, index: &Index<'_>, key: Key) -> Rc<[Holding]> {
        let mut known = self.known.borrow_mut();
        let list = known.entry(key).or_insert_with(|| {
            let holding = |(skill, byte): (u32, u8)| {
                let counts = Counts(byte);
                Holding { skill, counts, worth: index.norms.words(skill as usize, counts) }
            };
            index.list(key).into_iter().map(holding).collect()
        });
        Rc::clone(list)
    }
}

/// A word or pair that more skills hold does not tell who the best rival of one is: it is looked up for the
/// skill alone, so that a glance costs the same in a library of any size.
const MAX_TELLING: usize = 256;

/// A message and one skill, by words, pairs and meaning: what calibrating it asks for. Of the others only the best
/// rival is known; standing and trigrams, which cost most, are not measured.
pub(crate) fn glance(
    index: &Index<'_>,
    query: &Query,
    asked: Option<&Vector>,
    skill: usize,
    lists: &Lists,
) -> Measured {
    let n = index.len();
    let mut scores = lists.scores.borrow_mut();
    scores.clear();
    scores.resize(n, 0.0);
    let mut own = Measured::default();
    // Adds a list to the rivals and returns what the skill itself has of it.
    let mut add = |list: &[Holding], weight: f32| {
        if list.len() <= MAX_TELLING {
            for holding in list {
                scores[holding.skill as usize] += weight * holding.worth;
            }
        }
        list.iter().find(|holding| holding.skill as usize == skill).copied()
    };
    for stem in &query.stems {
        let list = lists.of(index, stem.key);
        let weight = says(stem.is_everyday, n, list.len());
        own.ideal += weight * (K1 + 1.0);
        if let Some(holding) = add(&list, weight) {
            let (in_name, described) =
                (holding.counts.name() > 0, holding.counts.description() > 0);
            own.lexical += weight * holding.worth;
            own.hits += holding.worth;
            own.named += if in_name { weight } else { 0.0 };
            own.described += if in_name || described { weight } else { 0.0 };
        }
        let against = lists.of(index, stem.negative);
        if against.iter().any(|holding| holding.skill as usize == skill) {
            own.negative += weight;
        }
    }
    for &pair in &query.pairs {
        let list = lists.of(index, pair);
        let weight = rarity(n, list.len());
        if let Some(holding) = add(&list, PAIR_WEIGHT * weight) {
            own.pairs += weight * holding.worth;
        }
    }
    own.lexical += PAIR_WEIGHT * own.pairs;
    own.rival = Lead::of(scores.iter().copied().enumerate()).rival(skill);
    if let Some((meanings, asked)) = index.meanings.as_ref().zip(asked) {
        let cosines = || meanings.skills.iter().map(|meaning| asked.cosine(meaning)).enumerate();
        own.meaning_rival = Lead::of(cosines()).rival(skill);
        own.meaning = asked.cosine(&meanings.skills[skill]);
    }
    own
}

/// Whether a skill is among the best `places` for a message by the words that both have, nothing else.
pub(crate) fn is_among_best(index: &Index<'_>, message: &str, skill: usize, places: usize) -> bool {
    let mut scores = vec![0.0_f32; index.len()];
    for stem in &Query::new(message).stems {
        let list = index.list(stem.key);
        let weight = says(stem.is_everyday, index.len(), list.len());
        for &(found, byte) in &list {
            scores[found as usize] += weight * index.norms.words(found as usize, Counts(byte));
        }
    }
    let own = scores[skill];
    own > 0.0 && scores.iter().filter(|score| **score > own).count() < places
}

fn saturated(count: f32) -> f32 {
    count / (K1 + count) * (K1 + 1.0)
}

/// What the lengths of a skill's parts make of a count.
#[derive(Debug, Default)]
pub(crate) struct Norms {
    description: Vec<f32>,
    body: Vec<f32>,
    trigrams: Vec<f32>,
}

impl Norms {
    pub(crate) fn new(lengths: &[Lengths]) -> Self {
        let mean = |of: fn(&Lengths) -> u32| {
            let sum: u64 = lengths.iter().map(|lengths| u64::from(of(lengths))).sum();
            (sum as f32 / lengths.len().max(1) as f32).max(1.0)
        };
        let average = [
            mean(|lengths| lengths.description),
            mean(|lengths| lengths.body),
            mean(|lengths| lengths.trigrams),
        ];
        let norm = |length: u32, mean: f32, b: f32| 1.0 / (1.0 - b + b * length as f32 / mean);
        let all = |of: &dyn Fn(&Lengths) -> f32| lengths.iter().map(of).collect::<Vec<f32>>();
        Self {
            description: all(&|lengths| {
                FIELD[1] * norm(lengths.description, average[0], DESCRIPTION_B)
            }),
            body: all(&|lengths| FIELD[2] * norm(lengths.body, average[1], BODY_B)),
            trigrams: all(&|lengths| norm(lengths.trigrams, average[2], TRIGRAM_B)),
        }
    }

    fn words(&self, skill: usize, counts: Counts) -> f32 {
        saturated(
            FIELD[0] * f32::from(counts.name())
                + self.description[skill] * f32::from(counts.description())
                + self.body[skill] * f32::from(counts.body()),
        )
    }
}

/// Mean and standard deviation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deviation {
    mean: f32,
    deviation: f32,
}

impl Deviation {
    pub(crate) fn of(values: &[f32]) -> Self {
        let count = values.len().max(1) as f32;
        let mean = values.iter().sum::<f32>() / count;
        let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f32>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    /// How many deviations a value lies above the mean; 0 when all values are equal.
    pub(crate) fn above_mean(self, value: f32) -> f32 {
        if self.deviation > 1e-6 { (value - self.mean) / self.deviation } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::SkillText;

    #[test]
    fn a_word_that_too_many_skills_hold_makes_no_rival() {
        for (holders, has_rival) in [(MAX_TELLING, true), (MAX_TELLING + 1, false)] {
            let skill = |number: usize| SkillText {
                name: format!("skill-{number}"),
                description: if number < holders { "tidy".to_owned() } else { String::new() },
                ..SkillText::default()
            };
            let skills: Vec<SkillText> = (0..2 * MAX_TELLING).map(skill).collect();
            let index = Index::in_memory(&skills);
            let query = Query::of_words("tidy");
            let seen = glance(&index, &query, None, 0, &Lists::default());
            assert!(seen.lexical > 0.0);
            assert_eq!(seen.rival > 0.0, has_rival, "{holders}");
        }
    }
}
