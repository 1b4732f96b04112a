//! What a message says word for word: a skill's name as a name, or a phrase that it quotes.
//!
//! A name that is an everyday word says nothing by standing in a message; one that is written as a
//! name (`tidy-changelog`, `/tidy`, "the tidy skill") does. A quoted phrase says more the longer it is
//! and the more of the message it makes up. What stands behind a `not` is not said.

use std::ops::Range;

use crate::everyday::is_everyday;
use crate::index::Index;
use crate::query::Query;
use crate::text::Word;

/// A phrase of this many words counts wherever it stands, when two of them say something; of one word
/// less, they must be more than everyday talk.
const LONG_PHRASE: usize = 4;
/// A shorter one counts when it makes up this share of the message's words, and the others ask for nothing.
const LEAST_SHARE: f32 = 0.5;
/// How many words before a name or phrase are looked at for one that turns it into its opposite.
const NEGATED_FROM: usize = 5;

/// Words that call for what comes after them.
const CALLS: [&str; 12] = [
    "use", "using", "run", "with", "via", "invoke", "apply", "try", "start", "call", "load",
    "activate",
];

/// Words that go on after a name that was called, as in `use planner to …`.
const AFTER_CALL: [&str; 6] = ["and", "for", "in", "on", "to", "with"];

/// Words that turn what follows into its opposite; those with an apostrophe as they are read, without what
/// follows it.
const NEGATIONS: [&str; 15] = [
    "avoid", "cannot", "couldn", "didn", "doesn", "don", "dont", "instead", "isn", "never", "not",
    "shouldn", "stop", "without", "wouldn",
];

/// Words that a thing is named after, as in `audit my listing`.
const DETERMINERS: [&str; 10] =
    ["a", "an", "her", "his", "its", "my", "our", "the", "their", "this"];

/// How plainly a message says a name or a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Plain {
    /// It may mean something else.
    No,
    /// It can hardly mean anything but this skill.
    Said,
    /// As `/name` or `$name`.
    Called,
    /// As `/name` or `$name` at the start of the message.
    Command,
}

/// A phrase of a skill that a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) skill: usize,
    /// As the message has it.
    pub(crate) words: String,
    /// It is the skill's name.
    pub(crate) is_name: bool,
    pub(crate) plain: Plain,
}

/// Every phrase of a skill that a message says.
pub(crate) fn said(index: &Index<'_>, query: &Query) -> Vec<Said> {
    let all = query.words();
    let mut found = Vec::new();
    query.runs(index.longest_phrase(), |hash, place| {
        index.phrase(hash, |skill, is_name| {
            let words = &all[place.clone()];
            let plain = if is_name {
                name(all, &place, query.is_command)
            } else if is_phrase(all, &place) && !is_negated(all, place.start) {
                Plain::Said
            } else {
                Plain::No
            };
            let spoken: Vec<&str> = words.iter().map(|word| word.plain.as_str()).collect();
            let words = spoken.join(if is_name && words.len() > 1 { "-" } else { " " });
            found.push(Said { skill, words, is_name, plain });
        });
    });
    // The order of segments must not show.
    found.sort_by_key(|said| said.skill);
    found
}

/// How plainly a name at a place of a message is one.
fn name(all: &[Word], place: &Range<usize>, is_command: bool) -> Plain {
    let words = &all[place.clone()];
    let (last, next) = (place.start.checked_sub(1), all.get(place.end));
    // `pdf-forms` does not say `pdf`, nor does the path `/pdf/forms`.
    if words[0].is_joined || next.is_some_and(|next| next.is_joined || next.is_below) {
        return Plain::No;
    }
    if is_command && place.start == 0 {
        return Plain::Command;
    }
    if is_negated(all, place.start) {
        return Plain::No;
    }
    let before = last.map(|at| all[at].plain.as_str());
    // `a /loop` is a thing of that kind, `/loop` is the skill.
    if words[0].is_called && before.is_none_or(|before| !matches!(before, "a" | "an")) {
        return Plain::Called;
    }
    // Skills, by the number, are what a person has.
    let is_skill = |word: Option<&Word>| word.is_some_and(|word| word.plain == "skill");
    let is_called_for = before.is_none_or(|before| CALLS.contains(&before));
    let is_joined = words.len() > 1 && words[1..].iter().all(|word| word.is_joined);
    // A single word may be any thing, unless the message begins with the call for it: `use planner to …`.
    let goes_on = |next: &Word| next.is_apart || AFTER_CALL.contains(&next.plain.as_str());
    let is_asked_for = before == Some("use")
        && all[..place.start - 1].iter().all(|word| word.plain == "please")
        && next.is_none_or(goes_on)
        && !words.iter().all(|word| word.is_stop || is_everyday(&word.plain));
    let is_said = is_skill(last.map(|at| &all[at]))
        || is_skill(next)
        || is_joined && is_called_for
        || is_asked_for;
    if is_said { Plain::Said } else { Plain::No }
}

/// Whether a phrase at a place of a message says enough.
fn is_phrase(all: &[Word], place: &Range<usize>) -> bool {
    let words = &all[place.clone()];
    let content = words.iter().filter(|word| !word.is_stop);
    let telling = content.clone().filter(|word| !is_everyday(&word.plain));
    // `delete my pull request` is no `pull request`. Of scripts without blanks nobody knows.
    let asks_nothing = |word: &Word| word.is_stop || word.is_unspaced || is_everyday(&word.plain);
    let is_most = || {
        words.len() as f32 >= LEAST_SHARE * all.len() as f32
            && all[..place.start].iter().chain(&all[place.end..]).all(asks_nothing)
    };
    !is_cut_short(words, all.get(place.end))
        && (words.len() >= LONG_PHRASE && content.count() > 1
            || words.len() + 1 >= LONG_PHRASE && telling.count() > 1
            || is_most())
}

/// Whether one of the words before a place, in the same clause, turns it into its opposite.
fn is_negated(all: &[Word], place: usize) -> bool {
    let clause = all[..place].iter().zip(&all[1..=place]).rev().take(NEGATED_FROM);
    clause
        .take_while(|(_, following)| !following.is_apart)
        .any(|(word, _)| NEGATIONS.contains(&word.plain.as_str()))
}

/// Whether the thing that a phrase is about goes on after it: who says `audit my listing feature` does not
/// say `audit my listing`.
fn is_cut_short(phrase: &[Word], next: Option<&Word>) -> bool {
    let is_determiner = |word: &Word| DETERMINERS.contains(&word.plain.as_str());
    phrase.iter().skip(1).any(is_determiner)
        && next.is_some_and(|next| !next.is_apart && !next.is_stop && !is_everyday(&next.plain))
}
