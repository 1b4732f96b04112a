//! Routing with the candidate in place: its own examples lead to it, and nobody else's stop leading to
//! theirs. Every message is asked as if it were not remembered, so that names and texts have to do it.

use hone_router::{CALLED, Index, Ranking, SkillText};

use super::{Check, Checked, Gate, Known, text_of};
use crate::proposal::{Kind, Proposal};

/// Share of a candidate's own examples that must put it first.
pub const MIN_OWN_SHARE: f64 = 0.5;

/// Messages that are told of each kind.
const MAX_TOLD: usize = 5;

#[expect(clippy::cast_precision_loss, reason = "a suite has few messages")]
pub(super) fn check(gate: &Gate<'_>, proposal: &Proposal) -> Checked {
    let (texts, place) = with_candidate(gate.known, proposal);
    let before = Index::in_memory(gate.known.texts());
    let after = Index::in_memory(&texts);
    let leads = |message: &&String| Ranking::unremembered(&after, message).first() == Some(place);
    let own = proposal.examples.iter().filter(leads).count();
    let all = proposal.examples.len();
    if (own as f64) < MIN_OWN_SHARE * all as f64 {
        let others = proposal.examples.iter().filter(|message| !leads(message));
        let told = others.take(MAX_TOLD).map(|message| lost(message, &after, &texts)).collect();
        let why = format!("{own} of its {all} examples lead to it, at least half must");
        return Checked::failed(Check::Routing, why).with(told);
    }
    let stolen = stolen(gate, proposal, &before, &after, place);
    if !stolen.is_empty() {
        let why = format!("it would take {} of other skills' messages", stolen.len());
        let told = stolen.into_iter().take(MAX_TOLD).collect();
        return Checked::failed(Check::Routing, why).with(told);
    }
    // A near-miss has the words of an example by its nature. Whoever names one must not be worse off than
    // who names none: the router remembers it, and is told here what words alone would do.
    let calls =
        |message: &&String| Ranking::unremembered(&after, message).confidence(place) >= CALLED;
    let called = proposal.near_misses.iter().filter(calls).take(MAX_TOLD);
    let told = called
        .map(|message| format!("`{}` would call it by its words alone", message.escape_debug()));
    let why = match all {
        0 => "it takes no message of another skill".to_owned(),
        _ => format!("{own} of its {all} examples lead to it"),
    };
    Checked::passed(Check::Routing, why).with(told.collect())
}

/// Which of these messages a candidate would be called for, were it there.
pub(crate) fn would_call(known: &Known, proposal: &Proposal, messages: &[&str]) -> Vec<bool> {
    let (texts, place) = with_candidate(known, proposal);
    let index = Index::in_memory(&texts);
    let calls = |message: &&str| {
        let ranking = Ranking::unremembered(&index, message);
        ranking.first() == Some(place) && ranking.confidence(place) >= CALLED
    };
    messages.iter().map(calls).collect()
}

/// The texts with the candidate in its place, or behind them.
fn with_candidate(known: &Known, proposal: &Proposal) -> (Vec<SkillText>, usize) {
    let mut texts = known.texts().to_vec();
    let text = text_of(proposal);
    if let Kind::Merge { absorbs, .. } = &proposal.kind {
        // What would be archived takes no messages; its place stays, so that places still fit.
        for name in absorbs {
            if let Some(at) = known.position(name) {
                texts[at] = SkillText::default();
            }
        }
    }
    if let Some(place) = known.position(&proposal.name) {
        texts[place] = text;
        return (texts, place);
    }
    texts.push(text);
    let place = texts.len() - 1;
    (texts, place)
}

/// Messages of other skills that led to them and would lead to the candidate.
fn stolen(
    gate: &Gate<'_>,
    proposal: &Proposal,
    before: &Index<'_>,
    after: &Index<'_>,
    candidate: usize,
) -> Vec<String> {
    let is_absorbed = |text: &SkillText| match &proposal.kind {
        Kind::Merge { absorbs, .. } => absorbs.contains(&text.name),
        _ => false,
    };
    let others = gate.known.texts().iter().enumerate();
    let mut stolen = Vec::new();
    for (at, text) in others.filter(|(at, text)| *at != candidate && !is_absorbed(text)) {
        for case in text.suite.cases.iter().filter(|case| case.should_trigger) {
            let leads_to = |index| Ranking::unremembered(index, &case.query).first();
            if leads_to(after) == Some(candidate) && leads_to(before) == Some(at) {
                stolen.push(format!("`{}` of `{}`", case.query.escape_debug(), text.name));
            }
        }
    }
    stolen
}

fn lost(message: &str, index: &Index<'_>, texts: &[SkillText]) -> String {
    let message = message.escape_debug();
    match Ranking::unremembered(index, message.to_string().as_str()).first() {
        Some(other) => format!("`{message}` leads to `{}`", texts[other].name),
        None => format!("`{message}` leads nowhere"),
    }
}
