//! Why a skill was or was not chosen for a message, and what would have changed it.

use crate::bands::{Band, FEATURES, OFFER};
use crate::eval::REACH;
use crate::matching::{Match, Part, Ranking};

/// How one measurement moved the odds of a skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    /// What was measured.
    pub what: &'static str,
    /// Its value.
    pub value: f32,
    /// How far it moved the odds, as a logarithm; negative is away from the skill.
    pub moved: f32,
}

/// A word of the message that one skill has and another lacks.
#[derive(Debug, Clone, PartialEq)]
pub struct Word {
    /// As the message has it.
    pub word: String,
    /// How much it says: the rarer in the library, the more.
    pub weight: f32,
}

/// Everything about one message and one skill.
#[derive(Debug, Clone, PartialEq)]
pub struct Why {
    /// The skill, its band, confidence and reasons.
    pub found: Match,
    /// Its place in the order, from 1; `None` when nothing leads to it, or no model may load it.
    pub place: Option<usize>,
    /// What its place is made from.
    pub total: f32,
    /// What its confidence is made from, the heaviest first.
    pub contributions: Vec<Contribution>,
    /// Words of the message that are nowhere in the skill, the heaviest first.
    pub lacks: Vec<Word>,
    /// What would have changed the answer.
    pub would_change: Option<String>,
}

/// Words that are named as lacking.
const MAX_LACKING: usize = 5;

/// Others that are named as called just as well.
const MAX_RIVALS: usize = 3;

/// Explains what a ranking says about one skill; `name` is what the others are called. Of a ranking among some
/// skills, the others are those that a model may not load.
pub fn why(ranking: &Ranking<'_, '_>, skill: usize, name: &dyn Fn(usize) -> String) -> Why {
    let mut found = ranking.look_at(skill);
    let may_be_loaded = ranking.counts(skill);
    if !may_be_loaded {
        found.band = Band::Nothing;
    }
    let (features, model) = (ranking.features(skill), ranking.model());
    let mut contributions: Vec<Contribution> = FEATURES
        .into_iter()
        .zip(features)
        .zip(model.weights)
        .map(|((what, value), weight)| Contribution { what, value, moved: weight * value })
        .collect();
    let [midpoint, positive, negative] = ranking.remembered(skill);
    let suite = [
        ("suite", midpoint, model.midpoint),
        ("remembered", positive, model.remembered),
        ("remembered-not", negative, model.remembered_not),
    ];
    for (what, value, weight) in suite {
        contributions.push(Contribution { what, value, moved: weight * value });
    }
    // The length of the message is the same for every skill: it tips nothing.
    contributions.retain(|contribution| contribution.moved != 0.0 && contribution.what != "length");
    contributions.sort_by(|a, b| b.moved.abs().total_cmp(&a.moved.abs()));
    let mut lacks: Vec<Word> = ranking
        .words_without(skill)
        .into_iter()
        .map(|(word, weight)| Word { word, weight })
        .collect();
    lacks.sort_by(|a, b| b.weight.total_cmp(&a.weight));
    lacks.truncate(MAX_LACKING);
    let place = ranking.place(skill).filter(|_| may_be_loaded);
    let rivals: Vec<String> =
        ranking.rivals(skill).into_iter().take(MAX_RIVALS).map(name).collect();
    let would_change = if !may_be_loaded {
        Some(
            "a model may not load it by itself, so no message leads to it; a person calls it by `/name` or `$name`"
                .to_owned(),
        )
    } else if ranking.is_wordless() {
        Some("the message has no words".to_owned())
    } else if found.band == Band::Nothing
        && ranking.is_small_talk()
        && ranking.words_said(skill).is_empty()
    {
        Some(
            "the message is nothing but everyday talk: only its name, one of its phrases or a message of its triggers.json would call it"
                .to_owned(),
        )
    } else if found.band == Band::Nothing && ranking.is_refused(skill) {
        Some("its triggers.json says that this message is not for it".to_owned())
    } else {
        would_change(&found, place, &lacks, &ranking.words_said(skill), &rivals)
    };
    Why { found, place, total: ranking.total(skill), contributions, lacks, would_change }
}

fn would_change(
    found: &Match,
    place: Option<usize>,
    lacks: &[Word],
    said: &[&str],
    rivals: &[String],
) -> Option<String> {
    let quoted = |words: &[&str]| {
        words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
    };
    let lacking: Vec<&str> = lacks.iter().map(|word| word.word.as_str()).collect();
    let against = found.reasons.iter().filter(|reason| reason.part == Part::NotFor);
    let against: Vec<&str> = against.map(|reason| reason.words.as_str()).collect();
    match found.band {
        Band::Activate => None,
        Band::Offer if place == Some(1) && !rivals.is_empty() => Some(format!(
            "it is offered, not activated: the message is ambiguous with {}",
            quoted(&rivals.iter().map(String::as_str).collect::<Vec<_>>())
        )),
        Band::Offer if place == Some(1) && !said.is_empty() => Some(format!(
            "it is offered, not activated: {} may mean something else in this message; `/name` at its start would call it",
            quoted(said)
        )),
        Band::Offer if place == Some(1) => Some(
            "it is offered, not activated: the message does not say its name or one of its trigger phrases"
                .to_owned(),
        ),
        Band::Offer if place.is_none_or(|place| place > REACH) => Some(format!(
            "it would be offered, but stands below the first {REACH}: a shortlist of that length leaves it out"
        )),
        Band::Offer => Some("others stand before it; it is offered all the same".to_owned()),
        Band::Nothing if !against.is_empty() => Some(format!(
            "it says that it is not for {}, which counts against it",
            quoted(&against)
        )),
        Band::Nothing if lacking.is_empty() => Some(format!(
            "its confidence is below {OFFER:.2} although it has every word; add the message to its triggers.json"
        )),
        Band::Nothing => Some(format!(
            "its description has none of {}; words like these, or the message in its triggers.json, would lift it",
            quoted(&lacking)
        )),
    }
}
