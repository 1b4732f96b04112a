//! What a skill that is not there yet would change: which messages it would get, and from whom.

use crate::bands::Band;
use crate::document::SkillText;
use crate::eval::is_offered;
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
    /// The skills most like it, the nearest first.
    pub neighbours: Vec<usize>,
}

/// Neighbours that are named.
const MAX_NEIGHBOURS: usize = 5;

/// Asks messages before and after a skill is added. Of the others, only those that `counts` are rivals.
pub fn what_if(
    before: &Index<'_>,
    after: &Index<'_>,
    skill: &SkillText,
    messages: &[String],
    counts: &dyn Fn(usize) -> bool,
) -> WhatIf {
    let new = before.len();
    let about = format!("{} {} {}", skill.name, skill.description, skill.when_to_use);
    let neighbours = Ranking::by_words(before, &about).best(MAX_NEIGHBOURS, |_| true);
    let mut answer = WhatIf { asked: messages.len(), neighbours, ..WhatIf::default() };
    for message in messages {
        let now = Ranking::new(after, message).among(|other| other == new || counts(other));
        let found = now.look_at(new);
        if found.band == Band::Nothing {
            continue;
        }
        if now.first() != Some(new) {
            answer.also_offered += 1;
            continue;
        }
        let then = Ranking::new(before, message).among(counts);
        let taken_from = then.first().filter(|first| is_offered(then.confidence(*first)));
        answer.first.push(Change {
            query: message.clone(),
            taken_from,
            score: found.score,
            band: found.band,
        });
    }
    answer
}
