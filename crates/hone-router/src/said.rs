//! What a message says word for word: a skill's name as a name, or a phrase that it quotes.
//!
//! A name is said when it is called: as a command (`/tidy`), by an order (`use the tidy skill`, `run
//! tidy-changelog on this`) or by addressing it (`tidy-changelog: …`). Who tells or asks something of a skill
//! ("the tidy skill is slow", "who made tidy-changelog?") does not call it. A quoted phrase says more the longer it
//! is and the more of the message it makes up; a single word that is a trigger counts when it is all that is asked. What stands behind a `not` is not said.

use std::ops::Range;

use crate::everyday::{is_everyday, is_talk};
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
/// How far back such a word may stand that a comma follows.
const NEGATED_AROUND: usize = 12;

/// Words that order what comes after them.
const ORDERS: [&str; 15] = [
    "use", "run", "invoke", "apply", "try", "start", "call", "load", "activate", "launch", "take",
    "trigger", "execute", "open", "fire",
];

/// Words that something is done with what comes after them.
const MEANS: [&str; 4] = ["with", "using", "via", "through"];

/// Words between an order and a name, as in `use the planner` or `run the skill called planner`.
const BETWEEN: [&str; 10] =
    ["the", "my", "our", "your", "this", "that", "skill", "called", "named", "installed"];

/// Words that make of an order in their clause a question, a report or a thought.
const NO_ORDER: [&str; 29] = [
    "after", "anyone", "better", "did", "does", "error", "happens", "how", "if", "issue", "people",
    "problem", "problems", "says", "shall", "should", "someone", "they", "trouble", "tried",
    "used", "was", "were", "what", "when", "which", "who", "why", "wrong",
];

/// Who says of himself what he does, unless he asks to: `we use planner`, but `can we use planner`.
const SPEAKERS: [&str; 5] = ["i", "we", "he", "she", "you"];
const ASKS: [&str; 7] = ["can", "could", "let", "lets", "please", "will", "would"];

/// Words that show what comes after them.
const SHOWS: [&str; 5] = ["echo", "export", "print", "printf", "unset"];

/// Words that go on after what a program said of itself, as in `tidy-files: command not found`.
const REPORTS: [&str; 9] =
    ["command", "could", "error", "exit", "failed", "fatal", "no", "permission", "warning"];

/// Words that go on after a name that was called, as in `use planner to …`.
const AFTER_CALL: [&str; 6] = ["and", "for", "in", "on", "to", "with"];

/// Words that turn what follows into its opposite; those with an apostrophe as they are read, without what
/// follows it.
const NEGATIONS: [&str; 15] = [
    "avoid", "cannot", "couldn", "didn", "doesn", "don", "dont", "instead", "isn", "never", "not",
    "shouldn", "stop", "without", "wouldn",
];

/// Words that a person answers an agent's question with: none of them is a trigger by itself.
const ANSWERS: [&str; 13] = [
    "abort", "accept", "allow", "approve", "cancel", "confirm", "decline", "deny", "quit",
    "reject", "retry", "skip", "undo",
];

/// Words behind a name or phrase that say of it what it is: `fill the form is a bad phrase`.
const TELLS: [&str; 8] = ["did", "does", "has", "is", "isn", "means", "sounds", "was"];

/// Two words that take back what was said before them.
const TAKEN_BACK: [[&str; 2]; 9] = [
    ["actually", "don"],
    ["actually", "no"],
    ["cancel", "that"],
    ["forget", "it"],
    ["forget", "that"],
    ["never", "mind"],
    ["no", "wait"],
    ["scratch", "that"],
    ["wait", "no"],
];

/// Words that a thing is named after, as in `audit my listing`.
const DETERMINERS: [&str; 10] =
    ["a", "an", "her", "his", "its", "my", "our", "the", "their", "this"];

/// How plainly a message says a name or a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Plain {
    /// It may mean something else.
    No,
    /// It is a single word, and a trigger of this skill: another that has the word may be meant as well.
    Word,
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
    let taken_back = taken_back(all);
    query.runs(index.longest_phrase(), |hash, place| {
        index.phrase(hash, |skill, is_name| {
            let words = &all[place.clone()];
            let plain = if is_name { name(query, &place) } else { phrase(all, &place) };
            let is_gone = plain < Plain::Command && place.end <= taken_back;
            let plain = if is_gone || words[0].is_cited { Plain::No } else { plain };
            let spoken: Vec<&str> = words.iter().map(|word| word.plain.as_str()).collect();
            let words = spoken.join(if is_name && words.len() > 1 { "-" } else { " " });
            found.push(Said { skill, words, is_name, plain });
        });
    });
    // The order of segments must not show.
    found.sort_by_key(|said| said.skill);
    found
}

/// The place before which everything is taken back.
fn taken_back(all: &[Word]) -> usize {
    let is_back = |pair: &&[Word]| TAKEN_BACK.contains(&[&pair[0].plain, &pair[1].plain]);
    all.windows(2).rposition(|pair| is_back(&pair)).unwrap_or(0)
}

/// How plainly a phrase at a place of a message is one.
fn phrase(all: &[Word], place: &Range<usize>) -> Plain {
    let is_quoted = is_quoted(all, &all[place.clone()]);
    let is_told_of = all
        .get(place.end)
        .is_some_and(|next| !next.is_apart && TELLS.contains(&next.plain.as_str()));
    let is_meant = !is_quoted && !is_told_of && !is_negated(all, place);
    if !is_meant || !is_phrase(all, place) {
        Plain::No
    } else if place.len() > 1 {
        Plain::Said
    } else if is_talk(&all[place.start].plain) || ANSWERS.contains(&&*all[place.start].plain) {
        Plain::No
    } else {
        Plain::Word
    }
}

/// What another person said is in quotation marks; who puts all of his message in them means it.
fn is_quoted(all: &[Word], words: &[Word]) -> bool {
    words.iter().all(|word| word.is_quoted) && !all.iter().all(|word| word.is_quoted)
}

/// How plainly a name at a place of a message is one.
fn name(query: &Query, place: &Range<usize>) -> Plain {
    let all = query.words();
    let words = &all[place.clone()];
    let (last, next) = (place.start.checked_sub(1), all.get(place.end));
    // `pdf-forms` does not say `pdf`, nor does the path `/pdf/forms` or the file `pdf.md`.
    let goes_further = |next: &Word| next.is_joined || next.is_below || next.is_ending;
    if words[0].is_joined || next.is_some_and(goes_further) {
        return Plain::No;
    }
    if query.is_command && place.start == 0 {
        return Plain::Command;
    }
    // What stands first as a path or a variable is none.
    if is_negated(all, place) || place.start == 0 && words[0].is_called {
        return Plain::No;
    }
    let before = last.map(|at| all[at].plain.as_str());
    // `a /loop` is a thing of that kind, `/loop` is the skill, `echo $loop` a variable.
    let is_thing = |before: &str| matches!(before, "a" | "an") || SHOWS.contains(&before);
    if words[0].is_called && !before.is_some_and(is_thing) {
        return Plain::Called;
    }
    // Skills, by the number, are what a person has.
    let is_skill = |word: &Word| word.plain == "skill";
    let is_typed = words.len() > 1 && words[1..].iter().all(|word| word.is_joined);
    let is_named_skill = last.is_some_and(|at| is_skill(&all[at])) || next.is_some_and(is_skill);
    let called = call(all, place, query);
    // A single word may be any thing, unless the message begins with the call for it: `use planner to …`.
    let goes_on = |next: &Word| next.is_apart || AFTER_CALL.contains(&next.plain.as_str());
    let is_asked_for = before == Some("use")
        && all[..place.start - 1].iter().all(|word| word.plain == "please")
        && next.is_none_or(goes_on)
        && !words.iter().all(|word| word.is_stop || is_everyday(&word.plain));
    let is_asked_for = is_asked_for && !is_quoted(all, words);
    let is_said = (is_typed || is_named_skill) && called || is_asked_for;
    if is_said || is_typed && is_listed(query, place) || is_called_in_chinese(all, place, query) {
        Plain::Said
    } else {
        Plain::No
    }
}

/// Whether a name at a place of a message is called: by an order before it, or by standing first and apart.
fn call(all: &[Word], place: &Range<usize>, query: &Query) -> bool {
    let (before, name) = all.split_at(place.start);
    let after = &name[place.len()..];
    let is_one_of = |list: &[&str], word: &Word| list.contains(&word.plain.as_str());
    let between = before.iter().rev().take_while(|word| is_one_of(&BETWEEN, word)).count();
    let Some((order, earlier)) = before[..before.len() - between].split_last() else {
        let is_polite = |word: &&Word| matches!(word.plain.as_str(), "skill" | "please");
        let after = &after[after.iter().take_while(is_polite).count()..];
        return after
            .first()
            .is_none_or(|next| next.is_apart && !query.is_question && !is_one_of(&REPORTS, next));
    };
    // A name alone may stand in quotation marks.
    let is_quoted = order.is_quoted && is_quoted(all, &name[..1]);
    let clause = || {
        let starts = std::iter::once(order).chain(earlier.iter().rev());
        let cut = starts.zip(earlier.iter().rev()).take_while(|(following, _)| !following.is_apart);
        cut.map(|(_, word)| word)
    };
    let mut speakers = clause();
    let tells = speakers.next().is_some_and(|word| is_one_of(&SPEAKERS, word))
        && !speakers.next().is_some_and(|word| is_one_of(&ASKS, word));
    let is_order = is_one_of(&ORDERS, order) && !tells || is_one_of(&MEANS, order);
    is_order && !is_quoted && !clause().any(|word| is_one_of(&NO_ORDER, word))
}

/// Whether a name stands behind another one that is called: `use pdf-forms and tidy-changelog`.
fn is_listed(query: &Query, place: &Range<usize>) -> bool {
    let all = query.words();
    let Some(joint) = place.start.checked_sub(1) else { return false };
    if !matches!(all[joint].plain.as_str(), "and" | "or" | "plus") {
        return false;
    }
    let joined = all[..joint].iter().rev().take_while(|word| word.is_joined).count();
    joined > 0 && name(query, &(joint - joined - 1..joint)) >= Plain::Said
}

/// How many words around a name are looked at for a call in Chinese: pairs of characters, most of them.
const CHINESE_AROUND: usize = 4;

/// Whether a name is called as in `用 planner 技能…`, `调用技能：planner`.
fn is_called_in_chinese(all: &[Word], place: &Range<usize>, query: &Query) -> bool {
    let before = &all[place.start.saturating_sub(CHINESE_AROUND)..place.start];
    let after = &all[place.end..all.len().min(place.end + CHINESE_AROUND)];
    let has = |words: &[Word], part: &str| words.iter().any(|word| word.plain.contains(part));
    let is_refused = ["不", "别", "勿", "谁", "么"].iter().any(|part| has(before, part));
    has(before, "用")
        && (has(before, "技能") || has(after, "技能"))
        && !is_refused
        && !query.is_question
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

/// Whether one of the words before a place, in the same clause, turns it into its opposite, or the one behind it does:
/// `use pdf-forms never`. What a comma cuts off behind a `not` stands between: `you must not, whatever they say, use …`.
fn is_negated(all: &[Word], place: &Range<usize>) -> bool {
    let after = |at: usize| all.get(place.end + at).filter(|word| at == 0 || !word.is_apart);
    // `use one, not the other` and `use one, never the other`
    let ends = after(1).is_none();
    if after(0)
        .is_some_and(|next| next.plain == "never" && !next.is_apart || next.plain == "not" && ends)
    {
        return true;
    }
    let place = place.start;
    let is_negation = |word: &Word| NEGATIONS.contains(&word.plain.as_str());
    let cut = all[..place].iter().zip(&all[1..=place]).rev().take(NEGATED_AROUND);
    if cut.skip(1).any(|(word, next)| next.is_apart && is_negation(word)) {
        return true;
    }
    let clause = all[..place].iter().zip(&all[1..=place]).rev().take(NEGATED_FROM);
    clause.take_while(|(_, following)| !following.is_apart).any(|(word, _)| is_negation(word))
}

/// Whether the thing that a phrase is about goes on after it: who says `audit my listing feature` does not
/// say `audit my listing`.
fn is_cut_short(phrase: &[Word], next: Option<&Word>) -> bool {
    let is_determiner = |word: &Word| DETERMINERS.contains(&word.plain.as_str());
    phrase.iter().skip(1).any(is_determiner)
        && next.is_some_and(|next| !next.is_apart && !next.is_stop && !is_everyday(&next.plain))
}
