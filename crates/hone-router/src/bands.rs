//! Whether a skill should be used for a message: a calibrated confidence, and one of three bands.
//!
//! The confidence is a small logistic model over what [`crate::rank`] measured; its weights stand in
//! one table, held against all sets of `cargo xtask bench route`: a fit to some of them (`--fit`) can do worse on the
//! others than the sum of words. Another table orders the best skills: what
//! tells a skill from its rivals is not what tells a message for it from one about something else. A
//! skill with a suite is calibrated by it: the
//! model judges the messages it remembers, and the middle between those that should and those that
//! should not call it moves to even odds. The band *activate* needs more than a high confidence: see
//! [`crate::said`].

use serde::Serialize;

use crate::index::{Index, Remembered};
use crate::query::Query;
use crate::rank::{Lists, Scores, glance};
use crate::remembered::Similarity;

/// What a host should do about a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Band {
    /// Leave it alone.
    Nothing,
    /// Put its line before the model, which decides.
    Offer,
    /// Load it.
    Activate,
}

impl Band {
    /// The band's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::Offer => "offer",
            Self::Activate => "activate",
        }
    }
}

/// What is known about a message and a skill, as numbers of about the same size.
pub const FEATURES: [&str; 13] = [
    // logarithm of BM25F over words and pairs
    "words",
    // that, as a share of it and the best rival's
    "share",
    // how far above the mean in the order
    "standing",
    // share of the message's words, by rarity, in name or description
    "described",
    // share of the message's trigrams, by rarity
    "trigrams",
    // logarithm of BM25F over pairs
    "pairs",
    // logarithm of the rarity of the message's words in the name
    "named",
    // share of the message's words, by rarity, in what the skill is not for
    "not-for",
    // logarithm of the number of different words in the message
    "length",
    // whether the message says its name or one of its phrases, and plainly
    "said",
    // logarithm of how well each of the message's words is met, however rare it is: among skills that all speak of
    // one thing, its name is no rare word, and yet tells a message about it from any other
    "hits",
    // cosine of the vectors of message and description; 0 without a sentence model
    "meaning",
    // how far that is above the best rival's
    "meaning-lead",
];

/// Which of them is which.
const STANDING: usize = 2;
const TRIGRAMS: usize = 4;
const MEANING: usize = 11;

/// The values of [`FEATURES`] for one message and skill.
pub type Features = [f32; FEATURES.len()];

/// Weights of the confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Model {
    /// One for each of [`FEATURES`].
    pub weights: Features,
    /// Added to their sum.
    pub constant: f32,
    /// How far the middle of the remembered messages moves the odds.
    pub midpoint: f32,
    /// For the nearest remembered message that should call the skill.
    pub remembered: f32,
    /// For the nearest that should not.
    pub remembered_not: f32,
}

/// The confidence by words alone. Fitted on labelled messages of public skills, and on those of `xtask/data`.
pub const MODEL: Model = Model {
    weights: [0.59, 3.8, 0.11, 0.85, 0.88, 0.29, 0.4, -3.0, 0.0, 2.1, 1.53, 0.0, 0.0],
    constant: -5.9,
    midpoint: -2.0,
    remembered: 1.5,
    remembered_not: -1.0,
};

/// The confidence with a sentence model, fitted the same way.
pub const MODEL_WITH_MEANING: Model = Model {
    weights: [0.59, 3.8, 0.11, 0.85, 0.88, 0.29, 0.4, -3.0, 0.0, 2.1, 1.53, 3.5, 1.0],
    constant: -6.0,
    midpoint: -1.4,
    remembered: 1.5,
    remembered_not: -1.0,
};

/// What the best skills are ordered by; [`Model::order`] has the weight of meaning.
pub const ORDER: Model = Model {
    weights: [0.23, 3.2, 0.28, 0.75, 2.1, 0.23, 0.3, -4.1, 0.0, 3.0, 0.0, 0.0, 0.0],
    constant: 0.0,
    midpoint: -0.4,
    remembered: 1.0,
    remembered_not: -0.5,
};

/// At or above this confidence a skill is offered.
pub const OFFER: f32 = 0.2;

/// A skill that a message names is activated at or above this confidence.
pub const ACTIVATE: f32 = 0.5;

/// Log odds of a typical message that should, or with the other sign should not, call a skill: what a
/// skill with few remembered messages is taken to have, as so many messages more of each kind.
const TYPICAL: f32 = 1.0;
const TYPICAL_MESSAGES: f32 = 5.0;

/// What lies between typical messages that should and that should not call a skill. Both need
/// trigrams, whose lists are the longest; with them, near-misses were told apart no better.
const TYPICAL_STANDING: f32 = 1.9;
const TYPICAL_TRIGRAMS: f32 = 0.4;

/// Remembered messages of each kind that a skill is calibrated by: each is asked once.
const CALIBRATED_BY: usize = 3;

/// The weight of meaning among one skill, what a skill more takes from it (by the logarithm of their
/// number), and the most that it can be. Among thousands, one that means something alike is found for
/// any message, and words tell more.
const MEANING_ALONE: f32 = 18.0;
const MEANING_LOST: f32 = 1.75;
const MEANING_MOST: f32 = 12.0;

impl Model {
    /// The model of a confidence, by what an index goes by.
    pub(crate) fn of(index: &Index<'_>) -> &'static Self {
        if index.meanings.is_some() { &MODEL_WITH_MEANING } else { &MODEL }
    }

    /// What the best of so many skills are ordered by.
    pub fn order(skills: usize) -> Self {
        let mut order = ORDER;
        let lost = MEANING_LOST * (skills.max(1) as f32).ln();
        order.weights[MEANING] = (MEANING_ALONE - lost).clamp(0.0, MEANING_MOST);
        order
    }

    /// Log odds without what is remembered.
    pub fn by_features(&self, features: &Features) -> f32 {
        let sum: f32 =
            self.weights.iter().zip(features).map(|(weight, value)| weight * value).sum();
        sum + self.constant
    }

    /// Log odds.
    pub(crate) fn odds(&self, features: &Features, midpoint: f32, similar: Similarity) -> f32 {
        self.by_features(features)
            + self.midpoint * midpoint
            + self.remembered * similar.positive
            + self.remembered_not * similar.negative
    }
}

/// Log odds as a chance, from 0 to 1.
pub(crate) fn chance(odds: f32) -> f32 {
    1.0 / (1.0 + (-odds).exp())
}

/// Whether a skill remembers messages of both kinds. One kind alone tells skills from each other, not where
/// one of them begins.
pub(crate) fn remembers_both(index: &Index<'_>, skill: usize) -> bool {
    let own = &index.messages.all[index.messages.of(skill)];
    let is_yes = |one: Option<&Remembered>| one.map(|one| index.message(one).should_trigger);
    // Those that should call it come first.
    is_yes(own.first()) == Some(true) && is_yes(own.last()) == Some(false)
}

/// The middle between the log odds, if nothing were remembered, of the messages that should call a skill and of
/// those that should not; 0 for a skill that remembers none.
pub(crate) fn midpoint(index: &Index<'_>, skill: usize, lists: &Lists) -> f32 {
    let own = index.messages.of(skill);
    if own.is_empty() {
        return 0.0;
    }
    *index.midpoints[skill].get_or_init(|| {
        let mut yes = (TYPICAL * TYPICAL_MESSAGES, TYPICAL_MESSAGES);
        let mut no = (-TYPICAL * TYPICAL_MESSAGES, TYPICAL_MESSAGES);
        let messages = index.messages.all[own].iter().map(|remembered| index.message(remembered));
        let of =
            |kind: bool| messages.clone().filter(move |message| message.should_trigger == kind);
        for message in of(true).take(CALIBRATED_BY).chain(of(false).take(CALIBRATED_BY)) {
            let query = Query::of_words(&message.text);
            let asked = index.meanings.as_ref().and_then(|known| known.asked(&message.text));
            let measured = glance(index, &query, asked.as_ref(), skill, lists);
            // That a message names the skill says nothing about where its other messages lie.
            let mut features = measured.features(&query, false);
            (features[STANDING], features[TRIGRAMS]) = (TYPICAL_STANDING, TYPICAL_TRIGRAMS);
            let odds = Model::of(index).by_features(&features);
            let (sum, count) = if message.should_trigger { &mut yes } else { &mut no };
            *sum += odds;
            *count += 1.0;
        }
        f32::midpoint(yes.0 / yes.1, no.0 / no.1)
    })
}

/// The two best skills, to tell how far ahead one is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Leaders {
    lexical: Lead,
    meaning: Lead,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Lead {
    best: f32,
    who: usize,
    second: f32,
}

impl Lead {
    pub(crate) fn of(values: impl Iterator<Item = (usize, f32)>) -> Self {
        let mut lead = Self { best: f32::NEG_INFINITY, who: usize::MAX, second: f32::NEG_INFINITY };
        for (at, value) in values {
            if value > lead.best {
                lead = Self { best: value, who: at, second: lead.best };
            } else {
                lead.second = lead.second.max(value);
            }
        }
        lead
    }

    /// The best of the others; 0 when there are none.
    pub(crate) fn rival(&self, skill: usize) -> f32 {
        let rival = if self.who == skill { self.second } else { self.best };
        if rival.is_finite() { rival } else { 0.0 }
    }
}

impl Leaders {
    /// Among the skills that count.
    pub(crate) fn of(scores: &Scores, counts: impl Fn(usize) -> bool) -> Self {
        let all = (0..scores.words.len()).filter(|skill| counts(*skill));
        let meaning =
            scores.meaning.iter().copied().enumerate().filter(|(skill, _)| counts(*skill));
        Self {
            lexical: Lead::of(all.map(|skill| (skill, scores.lexical(skill)))),
            meaning: Lead::of(meaning),
        }
    }
}

/// What was measured of one skill and its best rivals.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Measured {
    pub(crate) lexical: f32,
    /// The best of the others.
    pub(crate) rival: f32,
    pub(crate) standing: f32,
    pub(crate) described: f32,
    pub(crate) trigrams: f32,
    pub(crate) pairs: f32,
    pub(crate) hits: f32,
    pub(crate) named: f32,
    pub(crate) negative: f32,
    pub(crate) meaning: f32,
    /// The best of the others.
    pub(crate) meaning_rival: f32,
    /// The most that words, and trigrams, could be.
    pub(crate) ideal: f32,
    pub(crate) ideal_trigrams: f32,
}

impl Measured {
    pub(crate) fn of(scores: &Scores, leaders: &Leaders, skill: usize) -> Self {
        Self {
            lexical: scores.lexical(skill),
            rival: leaders.lexical.rival(skill),
            standing: scores.by_words[skill],
            described: scores.described[skill],
            trigrams: scores.trigrams[skill],
            pairs: scores.pairs[skill],
            hits: scores.hits[skill],
            named: scores.named[skill],
            negative: scores.negative[skill],
            meaning: scores.meaning.get(skill).copied().unwrap_or(0.0),
            meaning_rival: leaders.meaning.rival(skill),
            ideal: scores.ideal,
            ideal_trigrams: scores.ideal_trigrams,
        }
    }

    pub(crate) fn features(&self, query: &Query, is_said: bool) -> Features {
        let part = |value: f32, whole: f32| if whole > 0.0 { value / whole } else { 0.0 };
        [
            (1.0 + self.lexical).ln(),
            part(self.lexical, self.lexical + self.rival),
            self.standing / 4.0,
            2.0 * part(self.described, self.ideal / 2.0),
            2.0 * part(self.trigrams, self.ideal_trigrams),
            (1.0 + self.pairs).ln(),
            (1.0 + self.named).ln(),
            2.0 * part(self.negative, self.ideal / 2.0),
            (1.0 + query.stems.len() as f32).ln(),
            f32::from(u8::from(is_said)),
            (1.0 + self.hits).ln(),
            self.meaning,
            self.meaning - self.meaning_rival,
        ]
    }
}
