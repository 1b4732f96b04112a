//! Orders whose parts stand in different steps: what the first has done becomes a harm only by what a
//! later step says about it.

use super::super::finding::Severity;
use super::super::findings::{Findings, Match};
use super::super::rules::{self, Rule};
use super::Piece;
#[allow(clippy::enum_glob_use, reason = "orders are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::Set;
use super::sending::first;
use super::sentences::Sentence;

/// Two steps of one section that are harmful together.
struct Steps {
    rule: &'static Rule,
    message: &'static str,
    /// What meets in a sentence of the first step.
    one: &'static [Set],
    /// What meets in a sentence of a later step.
    then: &'static [Set],
    /// What takes the harm away, in the one and in the other.
    unless: [Set; 2],
}

#[rustfmt::skip]
static STEPS: &[Steps] = &[
    Steps {
        rule: &rules::DECEIVE_USER,
        message: "has checks switched off, and calls them passed in a later step",
        one: &[Set::of(&[Disable]), Set::of(&[Control])],
        then: &[Set::of(&[Tell, Told, Copy, Remember]), Set::of(&[AllPass])],
        unless: [Set::of(&[Not, Unless, Consent, Detect]), Set::of(&[Not, If_, Unless, Consent, Detect, Ask])],
    },
    Steps {
        rule: &rules::TRACE_WIPING,
        message: "has traces wiped, and a later step keeps that from the report",
        one: &[Set::of(&[Wipe, DestroyVerb, Destroy]), Set::of(&[TracesWord, TracePath])],
        then: &[Set::of(&[Unsaid, Covert, Dark, LeaveOut, Unheard, Unaware])],
        unless: [Set::of(&[Unless, Consent, Detect, Ask]); 2],
    },
];

/// Looks at the steps of one section, in their order.
pub(super) fn look(section: &[Piece<'_, '_>], findings: &mut Findings<'_>) {
    let all = section.iter().fold(Set::NONE, |set, piece| set.with(piece.set));
    for steps in STEPS {
        if !steps.one.iter().chain(steps.then).all(|need| need.meets(all)) {
            continue;
        }
        let is = |sentence: &Sentence, needs: &[Set], unless: Set| {
            !unless.meets(sentence.set())
                && needs.iter().all(|need| first(sentence, *need).is_some())
        };
        let mut sentences = section
            .iter()
            .flat_map(|piece| piece.sentences.iter().map(move |sentence| (piece, sentence)));
        if sentences.by_ref().any(|(_, sentence)| is(sentence, steps.one, steps.unless[0]))
            && let Some((piece, sentence)) =
                sentences.find(|(_, s)| is(s, steps.then, steps.unless[1]))
        {
            let found = Match::new(steps.rule, Severity::Warn, steps.message);
            piece.weigh(findings, sentence.range.clone(), found);
        }
    }
}
