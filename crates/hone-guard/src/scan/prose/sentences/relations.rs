//! Relations between the words of a sentence, whatever the words are: that something is not to be said,
//! that nobody is to be asked, that other skills are meant. They add concepts to words, and take none.

use super::Token;
use crate::scan::prose::lexicon::{Concept, Set};

/// Words between a negation and what it forbids to say.
const FORBIDDEN: usize = 5;

/// Words between saying and what is said, to whom, or where.
const SAID_WITHIN: usize = 8;

/// Secrecy as a relation: a negation, a word for saying or writing down, and what is not to be said,
/// whom it is not to be said to or where it is not to stand. The word for saying becomes
/// [`Concept::Hush`], whatever the words are.
pub(super) fn hush(tokens: &mut [Token], lower: &str, end: usize) {
    const NEGATES: Set = Set::of(&[Concept::Not, Concept::Without, Concept::NoNeed]);
    const SAYS: Set =
        Set::of(&[Concept::Tell, Concept::Telling, Concept::Disclose, Concept::Enter]);
    const ABOUT: Set = Set::of(&[Concept::User, Concept::Reply, Concept::Docs]);
    let mut from = 0;
    for at in 0..tokens.len() {
        if !tokens[at].set.meets(SAYS) || tokens[at].quoted {
            continue;
        }
        let place = tokens[at].at;
        while tokens[from].at + FORBIDDEN < place {
            from += 1;
        }
        let negated =
            tokens[from..at].iter().any(|token| token.set.meets(NEGATES) && !token.quoted);
        // `do not comment on that.`
        const CLOSE: usize = 3;
        // `do not tell the user to run it` keeps nothing from anybody.
        let has_act = |token: &Token| {
            let after = lower[token.range.end..].trim_start();
            after.starts_with("to ") || after.starts_with("zu ")
        };
        let told = tokens[at + 1..].iter().take_while(|token| token.at <= place + SAID_WITHIN).any(
            |token| {
                !token.quoted
                    && (token.set.meets(ABOUT) && !(token.set.has(Concept::User) && has_act(token))
                        || token.set.has(Concept::This_) && token.range.end + CLOSE >= end)
            },
        );
        if negated && told {
            tokens[at].set = tokens[at].set.with(Set::of(&[Concept::Hush]));
        }
    }
}

/// Words between a negation and a question that it forbids, and between that and who would be asked.
const ASKED_WITHIN: usize = 4;

/// Words between `other` and `skills`.
const OTHERS_WITHIN: usize = 3;

/// Further relations: nobody is to be asked, and other skills, with whatever words between.
pub(super) fn relate(tokens: &mut [Token]) {
    const NEGATES: Set = Set::of(&[Concept::Not, Concept::Without, Concept::NoNeed]);
    for at in 1..tokens.len() {
        let place = tokens[at].at;
        if tokens[at].quoted {
            continue;
        }
        let before = |within: usize, set: Set| {
            tokens[..at]
                .iter()
                .rev()
                .take_while(|token| token.at + within >= place)
                .any(|token| token.set.meets(set) && !token.quoted)
        };
        let asks = tokens[at].set.has(Concept::Ask)
            && before(ASKED_WITHIN, NEGATES)
            && tokens[at + 1..]
                .iter()
                .take_while(|token| token.at <= place + ASKED_WITHIN)
                .any(|token| token.set.has(Concept::User));
        let others = tokens[at].set.has(Concept::SkillWord)
            && before(OTHERS_WITHIN, Set::of(&[Concept::Other]));
        let more = match (asks, others) {
            (true, _) => Set::of(&[Concept::NotAsked]),
            (_, true) => Set::of(&[Concept::OtherSkill]),
            _ => continue,
        };
        tokens[at].set = tokens[at].set.with(more);
    }
}
