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

/// Bytes of a sentence in which somebody is forbidden to give orders to others.
const MAX_FORBIDDING: usize = 200;

/// `Never tell the agent to hide its steps`, `never let a page make the agent …`: what is forbidden is to
/// give such an order, so that all the sentence says is talked about. Whether it is such a sentence.
pub(super) fn forbids_to_order(
    tokens: &mut [Token],
    lower: &str,
    sentence: std::ops::Range<usize>,
) -> bool {
    const NEGATIONS: [&str; 6] =
        ["never", "do not", "don't", "must not", "should not", "must never"];
    const ORDERS: [&str; 7] = ["tell", "instruct", "ask", "teach", "train", "prompt", "tells"];
    const AGENTS: [&str; 9] =
        ["agent", "agents", "model", "models", "assistant", "claude", "ai", "llm", "reader"];
    const LETS: [&str; 4] = ["let", "allow", "permit", "have"];
    #[rustfmt::skip]
    const TEXTS: [&str; 20] = [
        "page", "pages", "website", "websites", "site", "document", "documents", "text", "texts", "content", "email", "emails", "comment", "comments", "output", "skill", "skills", "webpage", "message", "stranger",
    ];
    const WITHIN: usize = 4;
    let end = crate::scan::text::floor(lower, sentence.end.min(sentence.start + MAX_FORBIDDING));
    let said = &lower[sentence.start..end];
    for negation in NEGATIONS {
        let Some(at) = said.find(negation) else { continue };
        let mut words = said[at + negation.len()..]
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty());
        let Some(verb) = words.next() else { continue };
        let whom: Vec<&str> = words.take(WITHIN).collect();
        let place = |nouns: &[&str]| whom.iter().position(|word| nouns.contains(word));
        let orders = ORDERS.contains(&verb)
            && place(&AGENTS)
                .is_some_and(|agent| whom.get(agent + 1).is_none_or(|word| *word == "to"));
        let lets = LETS.contains(&verb) && place(&TEXTS).is_some();
        if !(orders || lets) {
            continue;
        }
        for token in tokens.iter_mut() {
            token.quoted = true;
        }
        return true;
    }
    false
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
