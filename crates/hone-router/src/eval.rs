//! Trigger suites as a test of the whole library, without a model.
//!
//! Every message of every suite is asked as if it were not remembered: what counts is what names,
//! descriptions and bodies say. A suite's own negatives are its near-misses; messages that should call
//! another skill, and that it does not speak of itself, are the off-topic ones.

use std::collections::{BTreeMap, HashSet};

use crate::document::SkillText;
use crate::everyday::is_everyday;
use crate::index::Index;
use crate::matching::Ranking;
use crate::rank::is_among_best;
use crate::suite::{Case, Suite};
use crate::text;

/// At or above this confidence a skill counts as called.
pub const CALLED: f32 = 0.5;

/// A skill that stands below this place for all of its messages is out of reach.
pub const REACH: usize = 10;

/// Words that a suggestion names.
const MAX_SUGGESTED: usize = 5;

/// A word is suggested when this many messages hold it, or all of them.
const LEAST_COMMON: usize = 2;

/// How often a decision was right and wrong.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Called, and rightly.
    pub hits: usize,
    /// Not called, though it should have been.
    pub misses: usize,
    /// Called by a near-miss of its suite.
    pub near_misses_called: usize,
    /// Near-misses in all.
    pub near_misses: usize,
    /// Called by a message of another skill.
    pub off_topic_called: usize,
    /// Messages of other skills in all, without those that its own suite has too.
    pub off_topic: usize,
}

impl Evaluated {
    /// How good its description is, from 0 to 1: the mean of F1 and of the share of its messages that it gets first.
    pub fn worth(&self) -> f64 {
        let messages = self.tally.hits + self.tally.misses;
        f64::midpoint(self.tally.f1(), share(self.first, messages))
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.hits += other.hits;
        self.misses += other.misses;
        self.near_misses_called += other.near_misses_called;
        self.near_misses += other.near_misses;
        self.off_topic_called += other.off_topic_called;
        self.off_topic += other.off_topic;
    }

    /// Of the messages of its own suite that called it, how many should have; 1 when none did. Off-topic ones do
    /// not count here: there are as many as other skills have messages.
    pub fn precision(&self) -> f64 {
        share(self.hits, self.hits + self.near_misses_called)
    }

    /// Of those that should have called it, how many did; 1 when there were none.
    pub fn recall(&self) -> f64 {
        share(self.hits, self.hits + self.misses)
    }

    /// The harmonic mean of the two.
    pub fn f1(&self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 }
    }

    /// Share of near-misses that did not call it; 1 when there were none.
    pub fn near_miss_quiet(&self) -> f64 {
        1.0 - share_or_none(self.near_misses_called, self.near_misses)
    }

    /// Share of off-topic messages that did not call it; 1 when there were none.
    pub fn off_topic_quiet(&self) -> f64 {
        1.0 - share_or_none(self.off_topic_called, self.off_topic)
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn share_or_none(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// A message that another skill would get.
#[derive(Debug, Clone, PartialEq)]
pub struct Stolen {
    /// The message.
    pub query: String,
    /// The skill that it is for.
    pub from: usize,
    /// The skill that stands first.
    pub by: usize,
    /// The place of the skill that it is for, from 1; `None` when nothing leads to it.
    pub place: Option<usize>,
}

/// A near-miss that calls the skill whose suite says that it should not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FalseAlarm {
    /// The message.
    pub query: String,
    /// The skill.
    pub skill: usize,
}

/// A message that does not call its skill, and that no other skill gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missed {
    /// The message.
    pub query: String,
    /// The skill that it is for.
    pub skill: usize,
}

/// What came of one skill's suite.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The skill.
    pub skill: usize,
    /// How often it was right and wrong.
    pub tally: Tally,
    /// Positives for which it stood first and was offered.
    pub first: usize,
    /// What would help its description.
    pub suggestion: Option<String>,
}

/// What came of all suites.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Report {
    /// Each skill with a suite, in the order of the index.
    pub skills: Vec<Evaluated>,
    /// All of them together.
    pub total: Tally,
    /// Messages that another skill would get.
    pub stolen: Vec<Stolen>,
    /// Messages that do not call their skill, without those that another one gets.
    pub missed: Vec<Missed>,
    /// Near-misses that call the skill whose suite has them.
    pub false_alarms: Vec<FalseAlarm>,
    /// For every two skills how often a message of the first went to the second.
    pub confusion: BTreeMap<(usize, usize), usize>,
    /// Skills that none of their messages reach, or not even their own description.
    pub unreached: Vec<usize>,
}

/// Asks every message of these suites; each belongs to the skill at that place of the index. Only skills that
/// `counts` are rivals.
pub fn evaluate(
    index: &Index<'_>,
    texts: &dyn Fn(usize) -> SkillText,
    suites: &[(usize, Suite)],
    counts: &dyn Fn(usize) -> bool,
) -> Report {
    let mut report = Report::default();
    let mut rows: Vec<Row> = suites.iter().map(|_| Row::default()).collect();
    // What a suite says about a message goes before what another says.
    let plain = |query: &str| query.trim().to_lowercase();
    let messages = |suite: &Suite| suite.cases.iter().map(|case| plain(&case.query)).collect();
    let known: Vec<HashSet<String>> = suites.iter().map(|(_, suite)| messages(suite)).collect();
    for (own, (skill, suite)) in suites.iter().enumerate() {
        let mut best_place = None;
        for case in &suite.cases {
            let has_suite = |other: usize| suites.iter().any(|(skill, _)| *skill == other);
            let ranking = Ranking::unremembered(index, &case.query)
                .among(|other| counts(other) || has_suite(other));
            let called = |skill: usize| ranking.confidence(skill) >= CALLED;
            if !case.should_trigger {
                rows[own].tally.near_misses += 1;
                if called(*skill) {
                    rows[own].tally.near_misses_called += 1;
                    rows[own].false_alarms.push(case);
                    let query = case.query.clone();
                    report.false_alarms.push(FalseAlarm { query, skill: *skill });
                }
                continue;
            }
            let place = ranking.place(*skill);
            best_place = best_place.into_iter().chain(place).min();
            // What is not even offered gets no message, and takes none.
            let got_by = ranking.first().filter(|first| ranking.is_offered(*first));
            if let Some(first) = got_by {
                *report.confusion.entry((*skill, first)).or_default() += 1;
            }
            match got_by {
                None => {}
                Some(first) if first == *skill => rows[own].first += 1,
                Some(first) => {
                    let query = case.query.clone();
                    rows[own].stolen.push((first, case));
                    report.stolen.push(Stolen { query, from: *skill, by: first, place });
                }
            }
            if called(*skill) {
                rows[own].tally.hits += 1;
            } else {
                rows[own].tally.misses += 1;
                rows[own].missed.push(case);
                if got_by.is_none_or(|first| first == *skill) {
                    let query = case.query.clone();
                    report.missed.push(Missed { query, skill: *skill });
                }
            }
            for (other, (rival, _)) in suites.iter().enumerate() {
                if other != own && !known[other].contains(&plain(&case.query)) {
                    rows[other].tally.off_topic += 1;
                    rows[other].tally.off_topic_called += usize::from(called(*rival));
                }
            }
        }
        let has_positives = suite.cases.iter().any(|case| case.should_trigger);
        if has_positives && best_place.is_none_or(|place| place > REACH) {
            report.unreached.push(*skill);
        }
    }
    for ((skill, suite), row) in suites.iter().zip(rows) {
        report.total.add(&row.tally);
        // Other words in its description would not help what a model may not load.
        let suggestion =
            counts(*skill).then(|| suggestion(&texts(*skill), suite, &row, texts)).flatten();
        report.skills.push(Evaluated {
            skill: *skill,
            tally: row.tally,
            first: row.first,
            suggestion,
        });
    }
    report
}

/// Skills that do not come first, or near it, when their own description is asked.
pub fn unreached_by_description(index: &Index<'_>, descriptions: &[(usize, &str)]) -> Vec<usize> {
    let out_of_reach = |(skill, description): &&(usize, &str)| {
        // Almost every skill is found by whole words already, which cost least to look at.
        !is_among_best(index, description, *skill, REACH) && {
            let ranking = Ranking::by_words(index, description);
            ranking.place(*skill).is_none_or(|place| place > REACH)
        }
    };
    descriptions.iter().filter(out_of_reach).map(|(skill, _)| *skill).collect()
}

#[derive(Default)]
struct Row<'c> {
    tally: Tally,
    first: usize,
    missed: Vec<&'c Case>,
    false_alarms: Vec<&'c Case>,
    /// Messages that another skill gets, with that skill.
    stolen: Vec<(usize, &'c Case)>,
}

/// Words of missed messages that the description lacks, or words of false alarms to say no to; and who gets its
/// messages.
fn suggestion(
    skill: &SkillText,
    suite: &Suite,
    row: &Row<'_>,
    texts: &dyn Fn(usize) -> SkillText,
) -> Option<String> {
    let thief = most_frequent(row.stolen.iter().map(|(thief, _)| *thief)).map(texts);
    let apart = thief.map(|thief| {
        let known = stems(&about(&thief));
        let stolen: Vec<&Case> = row.stolen.iter().map(|(_, case)| *case).collect();
        let words = common_words(&stolen, |stem| known.contains(stem));
        let told = format!("`{}` gets its messages: say what tells the two apart", thief.name);
        if words.is_empty() { told } else { format!("{told}, such as {}", words.join(", ")) }
    });
    let parts: Vec<String> = by_words(skill, suite, row).into_iter().chain(apart).collect();
    let is_missed = row.tally.f1() < 1.0 && !row.missed.is_empty();
    match parts.as_slice() {
        [] if is_missed => {
            Some("say in the first sentence what it does and when to use it".to_owned())
        }
        [] => None,
        parts => Some(parts.join("; ")),
    }
}

fn by_words(skill: &SkillText, suite: &Suite, row: &Row<'_>) -> Option<String> {
    let known = stems(&about(skill));
    let wanted = common_words(&row.missed, |stem| known.contains(stem));
    if !wanted.is_empty() {
        return Some(format!(
            "say when to use it with the words of the messages that miss it: {}",
            wanted.join(", ")
        ));
    }
    let positives = suite.cases.iter().filter(|case| case.should_trigger);
    let of_positives: Vec<String> = positives.flat_map(|case| stems(&case.query)).collect();
    // A skill about cities cannot say that it is not for them.
    let is_own = |stem: &String| of_positives.contains(stem) || known.contains(stem);
    let unwanted = common_words(&row.false_alarms, is_own);
    (!unwanted.is_empty())
        .then(|| format!("say what it is not for: \u{201c}Not for {}\u{201d}", unwanted.join(", ")))
}

fn about(skill: &SkillText) -> String {
    format!("{} {} {}", skill.name, skill.description, skill.when_to_use)
}

/// Of equally frequent ones the first.
fn most_frequent(items: impl Iterator<Item = usize>) -> Option<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for item in items {
        *counts.entry(item).or_default() += 1;
    }
    counts
        .into_iter()
        .max_by_key(|(item, count)| (*count, std::cmp::Reverse(*item)))
        .map(|(item, _)| item)
}

fn stems(text: &str) -> Vec<String> {
    text::words(text).into_iter().filter(|word| !word.is_stop).map(|word| word.stem).collect()
}

/// The words that most of the messages hold, most frequent first, without those that are `known`.
fn common_words(cases: &[&Case], known: impl Fn(&String) -> bool) -> Vec<String> {
    let mut counts: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for case in cases {
        let mut seen = HashSet::new();
        let says = |word: &text::Word| !word.is_stop && !is_everyday(&word.plain);
        for word in text::words(&case.query).into_iter().filter(says) {
            if !known(&word.stem) && seen.insert(word.stem.clone()) {
                counts.entry(word.stem).or_insert_with(|| (0, word.plain)).0 += 1;
            }
        }
    }
    let mut words: Vec<(usize, String)> = counts.into_values().collect();
    words.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let is_common = |(count, word): &(usize, String)| {
        *count >= LEAST_COMMON.min(cases.len()) && !word.contains(|c: char| c.is_ascii_digit())
    };
    words.into_iter().filter(is_common).take(MAX_SUGGESTED).map(|(_, word)| word).collect()
}

/// Near-misses that are proposed for one skill.
const MAX_PROPOSED: usize = 5;

/// A suite for a skill that has none: what its description quotes, or its first sentence, as what should call it;
/// what it quotes as not for it, and messages of its nearest neighbours, as near-misses; for a person to confirm.
pub fn propose_suite(
    index: &Index<'_>,
    skill: &SkillText,
    own: Option<usize>,
    suites: &[(usize, Suite)],
) -> Suite {
    let pieces = text::pieces(&skill.description);
    let quoted = |wanted: bool| {
        let of_kind = pieces.iter().filter(move |(_, is_negative)| *is_negative != wanted);
        of_kind
            .flat_map(|(piece, _)| text::quotations(piece))
            .filter(|quoted| text::is_phrase(&text::words(quoted)))
            .map(move |quoted| Case { query: quoted.to_owned(), should_trigger: wanted })
    };
    let mut cases: Vec<Case> = quoted(true).collect();
    if cases.is_empty() {
        let positive = pieces.iter().filter(|(_, is_negative)| !is_negative);
        let mut sentences = positive.map(|(piece, _)| text::first_sentence(piece));
        let first = sentences.find(|sentence| !sentence.is_empty()).unwrap_or_default();
        let query = first.to_owned();
        cases.extend((!query.is_empty()).then_some(Case { query, should_trigger: true }));
    }
    cases.extend(quoted(false));
    let about = format!("{} {}", skill.name, skill.description);
    let ranking = Ranking::by_words(index, &about);
    let near = ranking.best(REACH, |other| Some(other) != own);
    let of_neighbours = near.iter().flat_map(|neighbour| {
        let suite = suites.iter().find(|(skill, _)| skill == neighbour);
        suite.into_iter().flat_map(|(_, suite)| &suite.cases).filter(|case| case.should_trigger)
    });
    let near_misses = of_neighbours
        .take(MAX_PROPOSED)
        .map(|case| Case { query: case.query.clone(), should_trigger: false });
    cases.extend(near_misses);
    Suite { cases, left_out: None }
}
