//! What a skill that is not there yet would change: which messages it would get, and from whom.

use crate::bands::Band;
use crate::document::SkillText;
use crate::index::Index;
use crate::matching::Ranking;

/// A message that the new skill would be called for.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The message.
    pub query: String,
    /// The skill that stood first before, if it was offered.
    pub taken_from: Option<usize>,
    /// How sure, from 0 to 1.
    pub score: f32,
    /// Its band.
    pub band: Band,
}

/// What a new skill would change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WhatIf {
    /// Messages that were asked.
    pub asked: usize,
    /// Messages for which it would stand first and be offered.
    pub first: Vec<Change>,
    /// Messages for which it would be offered among others.
    pub also_offered: usize,
    /// Messages that the skill which it replaces gets, and it would not.
    pub lost: Vec<String>,
    /// The skills most like it, the nearest first.
    pub neighbours: Vec<usize>,
}

/// Neighbours that are named.
const MAX_NEIGHBOURS: usize = 5;

/// Asks messages before a skill is added and after it.
///
/// `after` has the skills of `before` in their order, without the one that is replaced, and the new one last. Places
/// are those of `before`, and the new skill's is the one behind its last. Only those that `counts` are rivals: a new
/// skill that a model may not load gets no message and takes none.
pub fn what_if(
    before: &Index<'_>,
    after: &Index<'_>,
    skill: &SkillText,
    replaces: Option<usize>,
    messages: &[String],
    counts: &dyn Fn(usize) -> bool,
) -> WhatIf {
    let new = after.len().saturating_sub(1);
    let place_before = |place: usize| match replaces {
        _ if place == new => before.len(),
        Some(old) if place >= old => place + 1,
        _ => place,
    };
    let about = format!("{} {} {}", skill.name, skill.description, skill.when_to_use);
    let is_other = |other: usize| Some(other) != replaces;
    let neighbours = Ranking::by_words(before, &about).best(MAX_NEIGHBOURS, is_other);
    let mut answer = WhatIf { asked: messages.len(), neighbours, ..WhatIf::default() };
    let is_heard_of = counts(before.len());
    for message in messages {
        let then = || Ranking::of_sample(before, message).among(counts);
        let gets = |then: Ranking<'_, '_>| then.first().filter(|first| then.is_offered(*first));
        let now = Ranking::of_sample(after, message).among(|other| counts(place_before(other)));
        let found = now.look_at(new);
        let is_offered = is_heard_of && found.band > Band::Nothing;
        if is_offered && now.first() == Some(new) {
            answer.first.push(Change {
                query: message.clone(),
                taken_from: gets(then()).filter(|first| is_other(*first)),
                score: found.score,
                band: found.band,
            });
            continue;
        }
        answer.also_offered += usize::from(is_offered);
        if replaces.is_some() && gets(then()) == replaces {
            answer.lost.push(message.clone());
        }
    }
    answer
}
