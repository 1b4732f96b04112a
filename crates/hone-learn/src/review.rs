//! A person's word about a candidate: accept, edit, reject.
//!
//! A person may say yes where twins, routing or a replay said no. Nobody may say yes to a text that is no
//! skill, or that the policy blocks.

use std::path::Path;

use hone_agent::brain::Brain;
use hone_guard::policy::Policy;
use hone_library::{State, hash, read_text};
use tokio_util::sync::CancellationToken;

use crate::error::LearnError;
use crate::gate::{Check, Finding, Gate, Known};
use crate::land::{Decider, Landed, land};
use crate::proposal::{Decided, Kind, Outcome, Proposal, Stage};
use crate::records::{Event, Records};

/// A person who decides.
#[derive(Debug, Clone, Copy)]
pub struct Person<'a> {
    /// Who.
    pub name: &'a str,
    /// Why; may be empty.
    pub why: &'a str,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// The text that a candidate would replace; none for a new skill, or when the skill is gone.
pub fn replaced(hone_home: &Path, proposal: &Proposal) -> Option<String> {
    let brain = Brain::find(hone_home, &proposal.agent).ok()?;
    let state = State::open(hone_home);
    let known = Known::of(&brain, &state);
    let text = read_text(known.find(&proposal.name)?).ok()?;
    Some(String::from_utf8_lossy(&text).into_owned())
}

/// Makes a candidate a skill on trial. One that cannot land stays where it is.
pub async fn accept(
    hone_home: &Path,
    policy: &Policy,
    records: &Records,
    id: &str,
    person: Person<'_>,
    cancelled: &CancellationToken,
) -> Result<(Proposal, Landed), LearnError> {
    let mut proposal = open(records, id)?;
    let brain = Brain::find(hone_home, &proposal.agent)?;
    let state = State::open(hone_home);
    let known = Known::of(&brain, &state);
    let gate = Gate { known: &known, policy, state: &state };
    let is_barred = |check: Check| matches!(check, Check::Form | Check::Scan);
    let checks = gate.check(&proposal);
    let barred = checks
        .iter()
        .find(|checked| checked.finding == Finding::Failed && is_barred(checked.check));
    if let Some(no) = barred {
        return Err(LearnError::Refused(format!("{}: {}", no.check.id(), no.why)));
    }
    let decider = Decider { by: person.name, why: person.why, now: person.now, cancelled };
    let landed = land(&brain, records, &mut proposal, decider).await?;
    Ok((proposal, landed))
}

/// Puts a candidate aside for good.
pub fn reject(records: &Records, id: &str, person: Person<'_>) -> Result<Proposal, LearnError> {
    let mut proposal = open(records, id)?;
    let Person { name, why, now } = person;
    proposal.decided = Some(Decided {
        outcome: Outcome::Rejected,
        by: name.to_owned(),
        why: why.to_owned(),
        at: now,
    });
    records.keep(&proposal)?;
    records.tell(&Event {
        at: now,
        agent: proposal.agent.clone(),
        skill: proposal.name.clone(),
        what: "rejected".to_owned(),
        why: format!("by {name}: {why}"),
    })?;
    Ok(proposal)
}

/// Gives a candidate another text, for the skill as it is now, and checks it again without a model.
pub fn edit(
    hone_home: &Path,
    policy: &Policy,
    records: &Records,
    id: &str,
    text: &str,
    person: Person<'_>,
) -> Result<Proposal, LearnError> {
    let mut proposal = open(records, id)?;
    let brain = Brain::find(hone_home, &proposal.agent)?;
    let state = State::open(hone_home);
    let known = Known::of(&brain, &state);
    if let (Kind::Refine { base, version }, Some(skill)) =
        (&mut proposal.kind, known.find(&proposal.name))
    {
        *base = hash(&read_text(skill)?);
        version.clone_from(&skill.summary.version);
    }
    text.clone_into(&mut proposal.text);
    proposal.edits.clear();
    proposal.edited_by = Some(person.name.to_owned());
    proposal.decided = None;
    proposal.stage = Stage::Draft;
    let gate = Gate { known: &known, policy, state: &state };
    proposal.checks = gate.check(&proposal);
    records.keep(&proposal)?;
    Ok(proposal)
}

/// A candidate that somebody can still decide about.
fn open(records: &Records, id: &str) -> Result<Proposal, LearnError> {
    let proposal = records.proposal(id)?;
    match &proposal.decided {
        Some(decided) if !proposal.is_open() => {
            let what = match decided.outcome {
                Outcome::Landed => "landed",
                Outcome::Rejected => "was rejected",
                Outcome::RolledBack => "landed and was rolled back",
                Outcome::Refused => "was refused",
            };
            Err(LearnError::Refused(format!("`{}` {what} already", proposal.id)))
        }
        _ => Ok(proposal),
    }
}
