//! Near-duplicates: a candidate that says what another skill says is a refinement of that one.

use hone_router::{Index, Ranking, SkillText, likeness};

use super::{Check, Checked, Gate, Known, called, text_of};
use crate::proposal::{Kind, Proposal};

/// Two skills that are this much alike are twins.
pub const TWIN: f32 = 0.55;

/// Neighbours that are compared word by word.
const NEIGHBOURS: usize = 5;

pub(super) fn check(gate: &Gate<'_>, proposal: &Proposal) -> Checked {
    let own = match &proposal.kind {
        Kind::Create => Vec::new(),
        Kind::Refine { .. } => vec![proposal.name.clone()],
        Kind::Merge { absorbs, .. } => absorbs.iter().chain([&proposal.name]).cloned().collect(),
    };
    match twin_of(gate.known, &text_of(proposal), &own) {
        Some((name, alike)) if were_twins(gate.known, proposal, &name) => Checked::passed(
            Check::Twins,
            format!("it says nearly the same as `{name}` ({alike:.2}), and did so before"),
        ),
        Some((name, alike)) => Checked::failed(
            Check::Twins,
            format!("it says nearly the same as `{name}` ({alike:.2}, {TWIN} is a twin)"),
        ),
        None => Checked::passed(Check::Twins, "no other skill says nearly the same"),
    }
}

/// Whether a refinement is about a skill that said nearly the same as another one already: then it did not
/// make a twin, and to have both as one is the curator's to propose.
fn were_twins(known: &Known, proposal: &Proposal, other: &str) -> bool {
    let text = |name: &str| called(&known.listed, name).map(|at| &known.texts()[at]);
    let (Kind::Refine { .. }, Some(old), Some(other)) =
        (&proposal.kind, text(&proposal.name), text(other))
    else {
        return false;
    };
    likeness(old, other) >= TWIN
}

/// The skill that says nearly the same as a text, and how much; those in `own` do not count.
pub fn twin_of(known: &Known, text: &SkillText, own: &[String]) -> Option<(String, f32)> {
    let index = Index::in_memory(known.texts());
    nearest(known, &index, text, own).filter(|(_, alike)| *alike >= TWIN)
}

/// The skill that is most like a text, of those that the index leads to.
fn nearest(
    known: &Known,
    index: &Index<'_>,
    text: &SkillText,
    own: &[String],
) -> Option<(String, f32)> {
    let about = format!("{} {} {}", text.name, text.description, text.when_to_use);
    let is_other = |at: usize| !own.contains(&known.listed[at].summary.name);
    let near = Ranking::by_words(index, &about).best(NEIGHBOURS, is_other);
    let compared = near.into_iter().map(|at| (at, likeness(text, &known.texts()[at])));
    let nearest = compared.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    Some((known.listed[nearest.0].summary.name.clone(), nearest.1))
}
