//! The answer to a message: the skills that come into question, in order, with the reasons.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::collections::HashMap;

use serde::Serialize;

use crate::bands::{
    ACTIVATE, Band, Features, Leaders, Measured, Model, OFFER, chance, midpoint, remembers_both,
};
use crate::document::{Counts, Keys, trigram_key};
use crate::index::Index;
use crate::query::Query;
use crate::rank::{Lists, Scores};
use crate::remembered::Similarity;
use crate::said::{Plain, Said, said};
use crate::spelling::correct;
use crate::text;

/// Reasons that are given for one match.
const MAX_REASONS: usize = 8;

/// How many of the best are ordered by a closer look.
const ORDERED: usize = 10;

/// A remembered message that comes this near is the same one.
const SAME_MESSAGE: f32 = 0.95;

/// How sure it is that a message calls a skill whose suite says so of this very message.
const REPEATED: f32 = 0.9;

/// What that is worth against skills that only have its words, in log odds.
const REPEATED_ODDS: f32 = 3.0;

/// What it is worth that no other skill can claim a message that a suite remembers: no words outweigh that.
const ONLY_REPEATED_ODDS: f32 = 50.0;

/// Of many skills that remember the same message, so many are looked at closely.
const MAX_REPEATED: usize = ORDERED;

/// What it is worth that a message says the name of a skill plainly, beside what the weights know about phrases.
const NAMED_ODDS: f32 = 3.0;

/// What it is worth that a message starts with a skill's name as a command: no other word outweighs that.
const COMMAND_ODDS: f32 = 100.0;

/// How sure a message can be that it means a skill when it is nothing but everyday talk, or when the skill's suite says
/// that it is not for it: not enough to offer it.
const UNWANTED: f32 = OFFER / 2.0;

/// The most that a message of nothing but typing errors can tell, and the least when it tells anything.
const MISSPELT_MOST: f32 = 0.45;
const MISSPELT_LEAST: f32 = 0.25;

/// A cosine of message and description from which on they are about something alike.
const NEAR: f32 = 0.3;

/// A cosine from which on a skill is offered although it has no word of the message.
const ALIKE: f32 = 0.45;

/// A skill that comes into question.
#[derive(Debug, Clone, PartialEq)]
pub struct Match {
    /// The place of the skill in the list that the index was made for.
    pub skill: usize,
    /// How sure, from 0 to 1.
    pub score: f32,
    /// What to do about it.
    pub band: Band,
    /// Why, the heaviest first.
    pub reasons: Vec<Reason>,
}

/// Where a reason was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// The skill's name.
    Name,
    /// Its description, `when_to_use` or triggers.
    Description,
    /// Its body.
    Body,
    /// A phrase that it quotes as a trigger.
    Phrase,
    /// A message that its suite remembers.
    Remembered,
    /// Words that look like its own with a typing error, or at least share letters with them.
    Spelling,
    /// What its description means, to a sentence model.
    Meaning,
    /// What it says it is not for.
    NotFor,
}

impl Part {
    /// The part's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Description => "description",
            Self::Body => "body",
            Self::Phrase => "phrase",
            Self::Remembered => "remembered",
            Self::Spelling => "spelling",
            Self::Meaning => "meaning",
            Self::NotFor => "not-for",
        }
    }
}

/// Something that a message and a skill have in common.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// The words of the message.
    pub words: String,
    /// Where the skill has them.
    pub part: Part,
    /// How much they count; negative when they count against it, and 0 when only letters of them do.
    pub weight: f32,
}

/// A message held against every skill.
#[derive(Debug)]
pub struct Ranking<'i, 's> {
    index: &'i Index<'s>,
    query: Query,
    /// No word of the message is known but by a typing error.
    is_misspelt: bool,
    scores: Scores,
    leaders: Leaders,
    said: Vec<Said>,
    memory: Memory,
    /// For each skill whether it counts; `None` when all do.
    counted: Option<Vec<bool>>,
    /// The skills that commands at its head call, in this order.
    called: Vec<usize>,
    first: OnceCell<Option<usize>>,
    /// What calibrating one skill after the other looks at again and again.
    lists: Lists,
}

/// Whether a sentence model counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Words {
    Alone,
    AndMeaning,
}

/// Whether suites count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Memory {
    Used,
    /// They do, but a message of one stands for others like it, which its skill has no claim to.
    Sampled,
    Unused,
}

impl<'i, 's> Ranking<'i, 's> {
    /// Holds a message against every skill of the index.
    pub fn new(index: &'i Index<'s>, message: &str) -> Self {
        Self::made(index, message, Memory::Used, Words::AndMeaning)
    }

    /// The same, as if nothing were remembered.
    pub fn unremembered(index: &'i Index<'s>, message: &str) -> Self {
        Self::made(index, message, Memory::Unused, Words::AndMeaning)
    }

    /// The same, when the message is a sample of what people say: that a suite remembers this very one is no claim.
    pub(crate) fn of_sample(index: &'i Index<'s>, message: &str) -> Self {
        Self::made(index, message, Memory::Sampled, Words::AndMeaning)
    }

    /// The same, by words alone: neither remembered messages nor a sentence model count.
    pub fn by_words(index: &'i Index<'s>, message: &str) -> Self {
        Self::made(index, message, Memory::Unused, Words::Alone)
    }

    fn made(index: &'i Index<'s>, message: &str, memory: Memory, words: Words) -> Self {
        let mut query = Query::new(message);
        let is_misspelt = correct(index, &mut query);
        let mut scores = Scores::by_words(index, &query);
        let meanings = index.meanings.as_ref().filter(|_| words == Words::AndMeaning);
        let asked = meanings.and_then(|meanings| meanings.asked(message));
        if let Some(asked) = &asked {
            scores.add_meaning(index, asked);
        }
        if memory != Memory::Unused {
            scores.add_remembered(index, &query, asked.as_ref());
        }
        let leaders = Leaders::of(&scores, |_| true);
        let (said, first) = (said(index, &query), OnceCell::new());
        let (counted, called, lists) = (None, Vec::new(), Lists::default());
        Self {
            index,
            query,
            is_misspelt,
            scores,
            leaders,
            said,
            memory,
            counted,
            called,
            first,
            lists,
        }
    }

    /// The same, as if there were no others than the skills that `counts`: what a model may not load is no
    /// rival of what it may. How rare a word is, the whole library still says.
    #[must_use]
    pub fn among(mut self, counts: impl Fn(usize) -> bool) -> Self {
        let counted: Vec<bool> = (0..self.index.len()).map(counts).collect();
        self.leaders = Leaders::of(&self.scores, |skill| counted[skill]);
        self.said.retain(|said| counted[said.skill]);
        self.counted = Some(counted);
        self.first = OnceCell::new();
        self
    }

    /// The same, when the message has commands at its head, for these skills and no others: they are activated, in
    /// this order, whatever else it says. Who knows no commands goes by the names of skills.
    #[must_use]
    pub fn called(mut self, head: &str, mut skills: Vec<usize>) -> Self {
        skills.retain(|skill| self.counts(*skill));
        self.said.retain(|said| said.plain != Plain::Command);
        self.said.extend(skills.iter().map(|&skill| Said {
            skill,
            words: head.to_owned(),
            is_name: true,
            plain: Plain::Command,
        }));
        self.called = skills;
        self.first = OnceCell::new();
        self
    }

    /// Whether a skill is one of those that this is among.
    pub(crate) fn counts(&self, skill: usize) -> bool {
        self.counted.as_ref().is_none_or(|counted| counted[skill])
    }

    /// What the confidence of a skill is made from.
    pub fn features(&self, skill: usize) -> Features {
        let measured = Measured::of(&self.scores, &self.leaders, skill);
        measured.features(&self.query, self.is_said(skill))
    }

    /// What skills are ordered by.
    pub fn total(&self, skill: usize) -> f32 {
        self.scores.total[skill]
    }

    /// What the suite of a skill adds: the middle of its messages, and how near the message comes to
    /// the nearest that should and that should not call it.
    pub fn remembered(&self, skill: usize) -> [f32; 3] {
        let similar = self.similar(skill);
        [self.middle(skill), similar.positive, similar.negative]
    }

    fn similar(&self, skill: usize) -> Similarity {
        self.scores.similar.get(skill).copied().unwrap_or_default()
    }

    /// How sure, from 0 to 1.
    pub fn confidence(&self, skill: usize) -> f32 {
        let (middle, similar) = (self.middle(skill), self.similar(skill));
        let sure = chance(self.model().odds(&self.features(skill), middle, similar));
        let sure = if self.is_misspelt {
            let least = if self.scores.described[skill] > 0.0 { MISSPELT_LEAST } else { 0.0 };
            sure.clamp(least, MISSPELT_MOST)
        } else {
            sure
        };
        if self.is_repeated(skill) || self.plain(skill) == Plain::Command {
            sure.max(REPEATED)
        } else if self.is_small_talk() && !self.is_said(skill)
            || self.is_refused(skill) && self.plain(skill) < Plain::Called
        {
            sure.min(UNWANTED)
        } else if self.is_named(skill) {
            sure.max(ACTIVATE)
        } else {
            sure
        }
    }

    /// Whether the message has no words at all.
    pub(crate) fn is_wordless(&self) -> bool {
        self.query.words().is_empty()
    }

    /// Whether the message is nothing but everyday talk.
    pub(crate) fn is_small_talk(&self) -> bool {
        self.query.is_small_talk()
    }

    /// Whether the message says its name or one of its phrases, and plainly.
    fn is_said(&self, skill: usize) -> bool {
        self.plain(skill) > Plain::No
    }

    /// Whether the message plainly says its name.
    fn is_named(&self, skill: usize) -> bool {
        let own = |said: &&Said| said.skill == skill && said.is_name;
        self.said.iter().filter(own).any(|said| said.plain > Plain::No)
    }

    /// How plainly the message says its name or one of its phrases.
    fn plain(&self, skill: usize) -> Plain {
        let own = self.said.iter().filter(|said| said.skill == skill);
        own.map(|said| said.plain).max().unwrap_or(Plain::No)
    }

    /// Whether the message is one that should call the skill, by its suite.
    fn is_repeated(&self, skill: usize) -> bool {
        let similar = self.similar(skill);
        similar.positive >= SAME_MESSAGE && similar.negative < SAME_MESSAGE
    }

    /// The skills whose suite says that the message should call them, among those that count.
    fn repeated(&self) -> impl Iterator<Item = usize> {
        let all = 0..self.scores.similar.len();
        all.filter(|skill| self.is_repeated(*skill) && self.counts(*skill))
    }

    /// Whether the message is one that should not call the skill, by its suite.
    pub(crate) fn is_refused(&self, skill: usize) -> bool {
        let similar = self.similar(skill);
        similar.negative >= SAME_MESSAGE && similar.positive < SAME_MESSAGE
    }

    /// The weights of the confidence.
    pub(crate) fn model(&self) -> &'static Model {
        Model::of(self.index)
    }

    /// The middle of a skill's messages, as far as it moves the confidence.
    fn middle(&self, skill: usize) -> f32 {
        if remembers_both(self.index, skill) { self.midpoint(skill) } else { 0.0 }
    }

    fn midpoint(&self, skill: usize) -> f32 {
        match self.memory {
            Memory::Used | Memory::Sampled => midpoint(self.index, skill, &self.lists),
            Memory::Unused => 0.0,
        }
    }

    /// The best `k` skills among those that `counts`, whether or not they are worth an offer: chosen by
    /// how they stand against the others, and the first few, with those that the message plainly says or repeats
    /// a message of, ordered by a closer look.
    pub fn best(&self, k: usize, counts: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut order = self.by_total(k.max(ORDERED), &counts);
        let mut head = order.len().min(ORDERED);
        let said = self.said.iter().filter(|said| said.plain > Plain::No).map(|said| said.skill);
        for meant in said.chain(self.repeated().take(MAX_REPEATED)).filter(|skill| counts(*skill)) {
            let place = order.iter().position(|skill| *skill == meant);
            if place.is_none_or(|place| place >= head) {
                place.map(|place| order.remove(place));
                order.insert(head, meant);
                head += 1;
            }
        }
        let sure = self.odds_among(&order[..head]);
        order[..head].sort_by(|a, b| sure[b].total_cmp(&sure[a]));
        order.truncate(k);
        order
    }

    /// What each of the best is ordered by. A skill's suite tells it from others that have one; to have
    /// one is neither for nor against it.
    fn odds_among(&self, head: &[usize]) -> HashMap<usize, f32> {
        let model = Model::order(self.index.len());
        let has_suite = |skill: &&usize| !self.index.messages.of(**skill).is_empty();
        let with_suite = head.iter().filter(has_suite);
        let count = with_suite.clone().count().max(1) as f32;
        let middle = with_suite.map(|skill| self.midpoint(*skill)).sum::<f32>() / count;
        let odds = |skill: &usize| {
            let midpoint = if has_suite(&skill) { self.midpoint(*skill) - middle } else { 0.0 };
            let odds = model.odds(&self.features(*skill), midpoint, self.similar(*skill));
            let repeated = if !self.is_repeated(*skill) {
                0.0
            } else if self.memory == Memory::Used && self.rivals(*skill).is_empty() {
                ONLY_REPEATED_ODDS
            } else {
                REPEATED_ODDS
            };
            let before = self.called.iter().rev().position(|called| called == skill).unwrap_or(0);
            let called = match self.plain(*skill) {
                Plain::Command => COMMAND_ODDS * (1.0 + before as f32),
                _ if self.is_named(*skill) => NAMED_ODDS,
                _ => 0.0,
            };
            (*skill, odds + repeated + called)
        };
        head.iter().map(odds).collect()
    }

    fn by_total(&self, k: usize, counts: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.scores.total.len())
            .filter(|&skill| self.has_anything(skill) && self.counts(skill) && counts(skill))
            .collect();
        let by_total = |a: &usize, b: &usize| {
            let (x, y) = (self.scores.total[*a], self.scores.total[*b]);
            y.partial_cmp(&x).unwrap_or(Ordering::Equal).then(a.cmp(b))
        };
        if order.len() > k {
            order.select_nth_unstable_by(k - 1, by_total);
            order.truncate(k);
        }
        order.sort_unstable_by(by_total);
        order
    }

    /// The skill that stands first, if anything leads to it.
    pub fn first(&self) -> Option<usize> {
        *self.first.get_or_init(|| self.best(1, |_| true).first().copied())
    }

    /// The place of a skill, from 1; `None` when nothing leads to it.
    pub fn place(&self, skill: usize) -> Option<usize> {
        let head = self.best(ORDERED, |_| true);
        if let Some(place) = head.iter().position(|found| *found == skill) {
            return Some(place + 1);
        }
        let own = self.total(skill);
        let is_before = |(at, total): &(usize, &f32)| {
            (total.total_cmp(&own).is_gt() || total.total_cmp(&own).is_eq() && *at < skill)
                && self.counts(*at)
                && !head.contains(at)
        };
        let before = || self.scores.total.iter().enumerate().filter(is_before).count();
        self.has_anything(skill).then(|| head.len() + before() + 1)
    }

    /// The words of the message that a skill has nowhere, with their weight.
    pub(crate) fn words_without(&self, skill: usize) -> Vec<(String, f32)> {
        let not_for: Vec<&str> = self.words_against(skill).map(|(word, _)| word).collect();
        let stems = self.query.stems.iter().zip(&self.scores.lists);
        stems
            .filter(|(stem, (_, list))| {
                list.iter().all(|(found, _)| *found as usize != skill)
                    && !not_for.contains(&stem.plain.as_str())
            })
            .map(|(stem, (weight, _))| (stem.plain.clone(), *weight))
            .collect()
    }

    /// The words of the message in what a skill is not for, with their weight.
    fn words_against(&self, skill: usize) -> impl Iterator<Item = (&str, f32)> {
        let has_some = self.scores.negative[skill] > 0.0;
        let stems = self.query.stems.iter().zip(&self.scores.lists).filter(move |_| has_some);
        let against = stems.filter(move |(stem, _)| {
            self.index.list(stem.negative).iter().any(|(found, _)| *found as usize == skill)
        });
        against.map(|(stem, (weight, _))| (stem.plain.as_str(), *weight))
    }

    /// What the message has of a skill's name or phrases, plainly said or not.
    pub(crate) fn words_said(&self, skill: usize) -> Vec<&str> {
        let own = self.said.iter().filter(|said| said.skill == skill);
        own.map(|said| said.words.as_str()).collect()
    }

    fn has_anything(&self, skill: usize) -> bool {
        self.scores.words[skill] > 0.0
            || self.scores.trigrams[skill] > 0.0
            || self.scores.similar.get(skill).is_some_and(|similar| similar.positive > 0.0)
            || self.meaning(skill) >= NEAR
    }

    /// How near a skill comes by meaning; 0 without a sentence model.
    fn meaning(&self, skill: usize) -> f32 {
        self.scores.meaning.get(skill).copied().unwrap_or(0.0)
    }

    /// The best `k` skills with band and reasons.
    pub fn matches(&self, k: usize, counts: impl Fn(usize) -> bool) -> Vec<Match> {
        let best = self.best(k, counts);
        best.into_iter().map(|skill| self.look_at(skill)).collect()
    }

    /// One skill, whatever its place.
    pub fn look_at(&self, skill: usize) -> Match {
        let score = self.confidence(skill);
        Match { skill, score, band: self.band(skill, score), reasons: self.reasons(skill) }
    }

    /// Whether the message would at least put a skill before the model.
    pub(crate) fn is_offered(&self, skill: usize) -> bool {
        self.band(skill, self.confidence(skill)) > Band::Nothing
    }

    fn band(&self, skill: usize, score: f32) -> Band {
        let is_first = || self.first() == Some(skill) && self.is_said_plainly(skill);
        if score >= ACTIVATE && (self.called.contains(&skill) || is_first()) {
            Band::Activate
        } else if score >= OFFER || self.meaning(skill) >= ALIKE && !self.is_refused(skill) {
            Band::Offer
        } else {
            Band::Nothing
        }
    }

    /// The message says this skill's name or phrase, or is one that it remembers, and no other's.
    fn is_said_plainly(&self, skill: usize) -> bool {
        (self.is_repeated(skill) || self.is_said(skill)) && self.rivals(skill).is_empty()
    }

    /// Other skills that the message as plainly means: by a name, a phrase or a remembered message.
    pub(crate) fn rivals(&self, skill: usize) -> Vec<usize> {
        if self.called.contains(&skill) {
            return Vec::new();
        }
        // A command at the start outranks everything but another command, a phrase a single word.
        let least = match self.plain(skill) {
            Plain::Command => Plain::Called,
            Plain::Said | Plain::Called => Plain::Said,
            Plain::No | Plain::Word => Plain::Word,
        };
        let said = self.said.iter().filter(|said| said.plain >= least).map(|said| said.skill);
        let repeated = self.repeated().filter(|_| least <= Plain::Said);
        let others = said.chain(repeated).chain(self.with_its_word(skill));
        let mut rivals: Vec<usize> = others.filter(|other| *other != skill).collect();
        rivals.sort_unstable();
        rivals.dedup();
        rivals
    }

    /// When the message says nothing of a skill but a single word: those that have it in name or description.
    fn with_its_word(&self, skill: usize) -> Vec<usize> {
        if self.plain(skill) != Plain::Word || self.is_repeated(skill) {
            return Vec::new();
        }
        let is_its = |plain: &str| {
            let mut own = self.said.iter().filter(|said| said.skill == skill);
            own.any(|said| said.plain == Plain::Word && said.words == plain)
        };
        let stems = self.query.stems.iter().zip(&self.scores.lists);
        let lists = stems.filter(|(stem, _)| is_its(&stem.plain)).flat_map(|(_, (_, list))| list);
        let is_about = |byte: u8| Counts(byte).name() > 0 || Counts(byte).description() > 0;
        let holders = lists.filter(|(_, byte)| is_about(*byte)).map(|(holder, _)| *holder as usize);
        holders.filter(|holder| self.counts(*holder)).collect()
    }

    fn reasons(&self, skill: usize) -> Vec<Reason> {
        let mut reasons = Vec::new();
        for said in self.said.iter().filter(|said| said.skill == skill) {
            let part = if said.is_name { Part::Name } else { Part::Phrase };
            let weight = self.scores.ideal;
            let reason = Reason { words: said.words.clone(), part, weight };
            // A phrase may be said again.
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        for (stem, (weight, list)) in self.query.stems.iter().zip(&self.scores.lists) {
            let Some(&(_, byte)) = list.iter().find(|(found, _)| *found as usize == skill) else {
                continue;
            };
            let counts = Counts(byte);
            let part = if stem.is_misspelt {
                Part::Spelling
            } else if counts.name() > 0 {
                Part::Name
            } else if counts.description() > 0 {
                Part::Description
            } else {
                Part::Body
            };
            reasons.push(Reason { words: stem.plain.clone(), part, weight: *weight });
        }
        if let Some(similar) = self.scores.similar.get(skill) {
            let kinds = [(similar.positive, 1.0, "alike"), (similar.negative, -1.0, "like a no")];
            for (near, sign, how) in kinds {
                if near > 0.0 {
                    let words = format!("{:.0} % {how}", near * 100.0);
                    reasons.push(Reason { words, part: Part::Remembered, weight: sign * near });
                }
            }
        }
        if self.meaning(skill) >= NEAR {
            let near = self.meaning(skill);
            let words = format!("{:.0} % alike", near * 100.0);
            reasons.push(Reason { words, part: Part::Meaning, weight: near });
        }
        reasons.extend(self.words_against(skill).map(|(words, weight)| Reason {
            words: words.to_owned(),
            part: Part::NotFor,
            weight: -weight,
        }));
        if reasons.is_empty() {
            reasons.extend(self.likest_word(skill));
        }
        reasons.sort_by(|a, b| b.weight.abs().total_cmp(&a.weight.abs()));
        reasons.truncate(MAX_REASONS);
        reasons
    }

    /// The word of the message that shares most trigrams with a skill: all that leads to one without a word in common.
    fn likest_word(&self, skill: usize) -> Option<Reason> {
        if self.scores.trigrams[skill] <= 0.0 {
            return None;
        }
        let is_held =
            |key: &u32| self.index.list(*key).iter().any(|(holder, _)| *holder as usize == skill);
        let held: Keys = self.query.trigrams.iter().copied().filter(is_held).collect();
        let shared = |word: &str| {
            let mut count = 0;
            text::trigrams(word, |trigram| {
                count += usize::from(held.contains(&trigram_key(trigram)));
            });
            count
        };
        let words = self.query.stems.iter().rev().map(|stem| (shared(&stem.plain), &stem.plain));
        let (count, word) = words.max_by_key(|(count, _)| *count)?;
        let reason = Reason { words: word.clone(), part: Part::Spelling, weight: 0.0 };
        (count > 0).then_some(reason)
    }
}
