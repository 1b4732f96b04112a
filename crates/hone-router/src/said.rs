//! What a message says word for word: a skill's name as a name, or a phrase that it quotes.
//!
//! A name that is an everyday word says nothing by standing in a message; one that is written as a
//! name (`tidy-changelog`, `/tidy`, "the tidy skill") does. A quoted phrase says more the longer it is
//! and the more of the message it makes up.

use crate::everyday::is_everyday;
use crate::index::Index;
use crate::query::Query;
use crate::text::Word;

/// A phrase of this many words counts wherever it stands, when two of them say something; of one word
/// less, they must be more than everyday talk.
const LONG_PHRASE: usize = 4;
/// A shorter one counts when it makes up this share of the message's words.
const LEAST_SHARE: f32 = 0.5;

/// Words that call for what comes after them.
const CALLS: [&str; 12] = [
    "use", "using", "run", "with", "via", "invoke", "apply", "try", "start", "call", "load",
    "activate",
];

/// Words that a thing is named after, as in `audit my listing`.
const DETERMINERS: [&str; 10] =
    ["a", "an", "her", "his", "its", "my", "our", "the", "their", "this"];

/// A phrase of a skill that a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) skill: usize,
    /// As the message has it.
    pub(crate) words: String,
    /// It is the skill's name.
    pub(crate) is_name: bool,
    /// It can hardly mean anything but this skill.
    pub(crate) is_plain: bool,
}

/// Every phrase of a skill that a message says.
pub(crate) fn said(index: &Index<'_>, query: &Query) -> Vec<Said> {
    let all = query.words();
    let mut found = Vec::new();
    query.runs(index.longest_phrase(), |hash, place| {
        index.phrase(hash, |skill, is_name| {
            let words = &all[place.clone()];
            let is_skill = |at: Option<usize>| {
                // Skills, by the number, are what a person has.
                at.and_then(|at| all.get(at)).is_some_and(|word| word.plain == "skill")
            };
            let is_plain = if is_name {
                let before = place.start.checked_sub(1).map(|at| all[at].plain.as_str());
                let is_joined = words.len() > 1 && words[1..].iter().all(|word| word.is_joined);
                // `a /loop` is a thing of that kind, `/loop` is the skill.
                words[0].is_called && before.is_none_or(|before| !matches!(before, "a" | "an"))
                    || is_skill(place.start.checked_sub(1))
                    || is_skill(Some(place.end))
                    || is_joined && before.is_none_or(|before| CALLS.contains(&before))
            } else {
                let content = words.iter().filter(|word| !word.is_stop);
                let telling = content.clone().filter(|word| !is_everyday(&word.plain));
                !is_cut_short(words, all.get(place.end))
                    && (words.len() >= LONG_PHRASE && content.count() > 1
                        || words.len() + 1 >= LONG_PHRASE && telling.count() > 1
                        || words.len() as f32 >= LEAST_SHARE * all.len() as f32)
            };
            let plain: Vec<&str> = words.iter().map(|word| word.plain.as_str()).collect();
            let words = plain.join(if is_name && words.len() > 1 { "-" } else { " " });
            found.push(Said { skill, words, is_name, is_plain });
        });
    });
    // The order of segments must not show.
    found.sort_by_key(|said| said.skill);
    found
}

/// Whether the thing that a phrase is about goes on after it: who says `audit my listing feature` does not
/// say `audit my listing`.
fn is_cut_short(phrase: &[Word], next: Option<&Word>) -> bool {
    let is_determiner = |word: &Word| DETERMINERS.contains(&word.plain.as_str());
    phrase.iter().skip(1).any(is_determiner)
        && next.is_some_and(|next| !next.is_apart && !next.is_stop && !is_everyday(&next.plain))
}
