//! Whether a skill should be used for a message: a calibrated confidence, and one of three bands.
//!
//! The confidence is a small logistic model over what [`crate::rank`] measured; its weights stand in
//! one table, fitted by `cargo xtask bench route --fit`. A skill with a suite is calibrated by it: the
//! model judges the messages it remembers, and the middle between those that should and those that
//! should not call it moves to even odds. The band *activate* needs more than a high confidence: see
//! [`crate::said`].

use serde::Serialize;

use crate::index::Index;
use crate::matching::Ranking;
use crate::query::Query;
use crate::rank::Scores;
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
pub const FEATURES: [&str; 9] = [
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
];

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

/// Fitted on labelled messages of public skills.
pub const MODEL: Model = Model {
    weights: [0.23, 3.2, 0.28, 0.75, 2.1, 0.23, 0.3, -4.1, 1.1],
    constant: -5.7,
    midpoint: -0.72,
    remembered: 1.5,
    remembered_not: -1.0,
};

/// At or above this confidence a skill is offered.
pub const OFFER: f32 = 0.2;

/// A skill that a message names is activated at or above this confidence.
pub const ACTIVATE: f32 = 0.5;

/// Log odds of a typical message that should, or with the other sign should not, call a skill: what a
/// skill with few remembered messages is taken to have, as one message more of each kind.
const TYPICAL: f32 = 1.0;

impl Model {
    /// Log odds by words alone.
    pub fn by_words(&self, features: &Features) -> f32 {
        let sum: f32 =
            self.weights.iter().zip(features).map(|(weight, value)| weight * value).sum();
        sum + self.constant
    }

    /// How sure by words alone, from 0 to 1.
    pub(crate) fn chance(&self, features: &Features) -> f32 {
        self.confidence(features, 0.0, Similarity::default())
    }

    pub(crate) fn confidence(
        &self,
        features: &Features,
        midpoint: f32,
        similar: Similarity,
    ) -> f32 {
        let odds = self.by_words(features)
            + self.midpoint * midpoint
            + self.remembered * similar.positive
            + self.remembered_not * similar.negative;
        1.0 / (1.0 + (-odds).exp())
    }
}

/// The middle between the log odds, by words alone, of the messages that should call a skill and of
/// those that should not; 0 for a skill that remembers none.
pub(crate) fn midpoint(index: &Index<'_>, skill: usize) -> f32 {
    let messages = &index.messages;
    let Some(own) = u32::try_from(skill).ok().and_then(|skill| messages.by_skill.get(&skill))
    else {
        return 0.0;
    };
    *index.midpoints[skill].get_or_init(|| {
        let (mut yes, mut no) = ((TYPICAL, 1.0), (-TYPICAL, 1.0));
        for &number in own {
            let message = &messages.all[number as usize].message;
            let ranking = Ranking::by_words(index, &message.text);
            let odds = MODEL.by_words(&ranking.features(skill));
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
}

#[derive(Debug, Clone, Copy)]
struct Lead {
    best: f32,
    who: usize,
    second: f32,
}

impl Lead {
    fn of(values: impl Iterator<Item = f32>) -> Self {
        let mut lead = Self { best: f32::NEG_INFINITY, who: usize::MAX, second: f32::NEG_INFINITY };
        for (at, value) in values.enumerate() {
            if value > lead.best {
                lead = Self { best: value, who: at, second: lead.best };
            } else {
                lead.second = lead.second.max(value);
            }
        }
        lead
    }

    /// The best of the others; 0 when there are none.
    fn rival(&self, skill: usize) -> f32 {
        let rival = if self.who == skill { self.second } else { self.best };
        if rival.is_finite() { rival } else { 0.0 }
    }
}

impl Leaders {
    pub(crate) fn of(scores: &Scores) -> Self {
        Self { lexical: Lead::of((0..scores.total.len()).map(|skill| scores.lexical(skill))) }
    }
}

pub(crate) fn features(
    scores: &Scores,
    leaders: &Leaders,
    query: &Query,
    skill: usize,
) -> Features {
    let lexical = scores.lexical(skill);
    let rival = leaders.lexical.rival(skill);
    let part = |value: f32, whole: f32| if whole > 0.0 { value / whole } else { 0.0 };
    [
        (1.0 + lexical).ln(),
        part(lexical, lexical + rival),
        scores.by_words[skill] / 4.0,
        2.0 * part(scores.described[skill], scores.ideal / 2.0),
        2.0 * part(scores.trigrams[skill], scores.ideal_trigrams),
        (1.0 + scores.pairs[skill]).ln(),
        (1.0 + scores.named[skill]).ln(),
        2.0 * part(scores.negative[skill], scores.ideal / 2.0),
        (1.0 + query.stems.len() as f32).ln(),
    ]
}
