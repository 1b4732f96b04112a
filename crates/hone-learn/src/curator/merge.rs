//! Skills that say nearly the same, proposed as one. A person decides; the one that goes is archived.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hone_agent::brain::Brain;
use hone_guard::policy::Policy;
use hone_library::{State, hash, read_text, standings};
use hone_router::Index;

use crate::error::LearnError;
use crate::gate::{Gate, Known, TWIN, Verdict, nearest, verdict};
use crate::land::is_agents_own;
use crate::learner::new_id;
use crate::proposal::{Decided, Kind, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::Records;

/// Messages that an umbrella takes over at most.
const MAX_EXAMPLES: usize = 16;

/// Proposes to merge twins among the skills that the agent made. A merge that was proposed before is not
/// proposed again, whatever became of it. Gives the new ones that wait; one that the gate refuses is kept
/// and told by `hone review --all`.
pub fn propose_merges(
    brain: &Brain,
    records: &Records,
    policy: &Policy,
    now: i64,
) -> Result<Vec<Proposal>, LearnError> {
    let state = State::open(brain.hone_home());
    let known = Known::of(brain, &state);
    let index = Index::in_memory(known.texts());
    let standings = standings(&state, &known.listed)?;
    let before = records.proposals()?;
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut proposed = Vec::new();
    for at in 0..known.listed.len() {
        if taken.contains(&at) || !is_agents_own(&state, &known.listed[at]) {
            continue;
        }
        let own = [known.listed[at].summary.name.clone()];
        let twin = nearest(&known, &index, &known.texts()[at], &own)
            .filter(|(_, alike)| *alike >= TWIN)
            .and_then(|(name, _)| known.position(&name));
        let Some(twin) = twin
            .filter(|twin| !taken.contains(twin) && is_agents_own(&state, &known.listed[*twin]))
        else {
            continue;
        };
        // The one that is used more stays; of two alike, the first.
        let uses = |at: usize| standings.get(at).map_or(0, |standing| standing.uses);
        let (stays, goes) = if uses(twin) > uses(at) { (twin, at) } else { (at, twin) };
        taken.extend([stays, goes]);
        let mut proposal = merged(brain, &known, stays, goes, now)?;
        let is_known = |old: &Proposal| {
            old.agent == proposal.agent && old.name == proposal.name && old.kind == proposal.kind
        };
        if before.iter().any(is_known) {
            continue;
        }
        let gate = Gate { known: &known, policy, state: &state };
        proposal.checks = gate.check(&proposal);
        match verdict(&proposal.checks) {
            Verdict::Refused(why) => {
                let (by, outcome) = ("gate".to_owned(), Outcome::Refused);
                proposal.decided = Some(Decided { outcome, by, why, at: now });
            }
            Verdict::Quarantined(_) => proposal.stage = Stage::Quarantined,
            Verdict::Waits(_) | Verdict::Lands => {}
        }
        records.keep(&proposal)?;
        if proposal.waits() {
            proposed.push(proposal);
        }
    }
    Ok(proposed)
}

/// One skill that says what both say: the lines of the other that it lacks come behind its own.
fn merged(
    brain: &Brain,
    known: &Known,
    stays: usize,
    goes: usize,
    now: i64,
) -> Result<Proposal, LearnError> {
    let old = read_text(&known.listed[stays])?;
    let mut text = String::from_utf8_lossy(&old).into_owned();
    let lines: BTreeSet<String> = text.lines().map(|line| line.trim().to_owned()).collect();
    let more: Vec<&str> = known.texts()[goes]
        .body
        .lines()
        .filter(|line| !line.trim().is_empty() && !lines.contains(line.trim()))
        .collect();
    let other = &known.listed[goes].summary;
    if !more.is_empty() {
        let about = other.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let _ = write!(text, "\n## Also\n\n{about}\n\n{}\n", more.join("\n"));
    }
    let messages = |should: bool| -> Vec<String> {
        let cases = [stays, goes].into_iter().flat_map(|at| &known.texts()[at].suite.cases);
        let mut messages: Vec<String> = Vec::new();
        for case in cases.filter(|case| case.should_trigger == should) {
            if messages.len() < MAX_EXAMPLES && !messages.contains(&case.query) {
                messages.push(case.query.clone());
            }
        }
        messages
    };
    let name = known.listed[stays].summary.name.clone();
    let absorbs = vec![other.name.clone()];
    Ok(Proposal {
        id: new_id(now, &format!("{} {name} {}", brain.id, other.name)),
        at: now,
        agent: brain.id.clone(),
        root: None,
        kind: Kind::Merge { base: hash(&old), absorbs },
        text,
        files: Vec::new(),
        examples: messages(true),
        near_misses: messages(false),
        edits: Vec::new(),
        task: String::new(),
        why: Trigger::Twins,
        said: None,
        is_foreign: false,
        checks: Vec::new(),
        stage: Stage::Draft,
        decided: None,
        edited_by: None,
        spent: Spent::default(),
        name,
    })
}
