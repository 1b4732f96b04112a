//! Skills that say nearly the same, proposed as one. A person decides; the one that goes is archived.
//!
//! With a model, one text is made of both; without, the lines of one stand behind the other's.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use hone_agent::brain::Brain;
use hone_agent::model::{Budget, Model};
use hone_agent::task::Allowance;
use hone_guard::policy::Policy;
use hone_library::{State, hash, read_text, standings};
use hone_skill::{Field, set_field};
use tokio_util::sync::CancellationToken;

use super::neighbours::Neighbours;
use crate::error::LearnError;
use crate::gate::replay::ask;
use crate::gate::{Check, Checked, Finding, Gate, Known, TWIN, Verdict, verdict};
use crate::land::is_agents_own;
use crate::learner::reply::{self, Change, Decision, Written};
use crate::learner::{AUTHOR_TOKENS, Shown, UMBRELLA, new_id, umbrella_question};
use crate::proposal::{Decided, Kind, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::Records;

/// Messages that an umbrella takes over at most.
const MAX_EXAMPLES: usize = 16;

/// A model that words umbrellas: a call of its own for each, which sees the two texts and nothing else.
#[derive(Clone, Copy)]
pub struct Wording<'a> {
    /// Who words.
    pub model: &'a dyn Model,
    /// What may be used up.
    pub budget: &'a Budget,
    /// Stops waiting for the model.
    pub cancelled: &'a CancellationToken,
}

impl std::fmt::Debug for Wording<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wording").field("model", &self.model.name()).finish_non_exhaustive()
    }
}

/// Twins among the skills that the agent made, each pair as a merge that was not proposed before, whatever
/// became of it. Nothing is kept.
pub fn find_merges(
    brain: &Brain,
    records: &Records,
    now: i64,
) -> Result<Vec<Proposal>, LearnError> {
    let state = State::open(brain.hone_home());
    let known = Known::of(brain, &state);
    let neighbours = Neighbours::new(known.texts());
    let standings = standings(&state, &known.listed)?;
    let before = records.proposals()?;
    let mut taken: BTreeSet<usize> = BTreeSet::new();
    let mut merges = Vec::new();
    for at in 0..known.listed.len() {
        if taken.contains(&at) || !is_agents_own(&state, &known.listed[at]) {
            continue;
        }
        let is_free =
            |twin: usize| !taken.contains(&twin) && is_agents_own(&state, &known.listed[twin]);
        let twin = neighbours.nearest(at).filter(|(twin, alike)| *alike >= TWIN && is_free(*twin));
        let Some((twin, _)) = twin else { continue };
        // The one that is used more stays; of two alike, the first.
        let uses = |at: usize| standings.get(at).map_or(0, |standing| standing.uses);
        let (stays, goes) = if uses(twin) > uses(at) { (twin, at) } else { (at, twin) };
        taken.extend([stays, goes]);
        let merge = merged(brain, &known, stays, goes, now)?;
        // One that landed changed a text: a person who brought the other back does not want them as one.
        let is_known = |old: &Proposal| {
            let is_same = old.name == merge.name && old.kind == merge.kind;
            let is_undone = has_landed(old) && pair(old).is_some() && pair(old) == pair(&merge);
            old.agent == merge.agent && (is_same || is_undone)
        };
        if !before.iter().any(is_known) {
            merges.push(merge);
        }
    }
    Ok(merges)
}

/// The two that a merge makes one, in any order.
fn pair(merge: &Proposal) -> Option<BTreeSet<&str>> {
    let Kind::Merge { absorbs, .. } = &merge.kind else { return None };
    Some(absorbs.iter().map(String::as_str).chain([merge.name.as_str()]).collect())
}

fn has_landed(proposal: &Proposal) -> bool {
    let is_landed =
        |decided: &Decided| matches!(decided.outcome, Outcome::Landed | Outcome::RolledBack);
    proposal.decided.as_ref().is_some_and(is_landed)
}

/// Proposes these merges: worded by a model where there is one, and through the gate. Gives those that
/// wait; one that the gate refuses is kept and told by `hone review --all`.
pub async fn propose_merges(
    brain: &Brain,
    records: &Records,
    policy: &Policy,
    merges: Vec<Proposal>,
    wording: Option<Wording<'_>>,
) -> Result<Vec<Proposal>, LearnError> {
    let state = State::open(brain.hone_home());
    let known = Known::of(brain, &state);
    let gate = Gate { known: &known, policy, state: &state };
    let mut proposed = Vec::new();
    for mut merge in merges {
        if let Some(wording) = wording {
            let before = wording.budget.spent();
            word(&gate, &mut merge, wording).await;
            merge.spent = Spent::from(wording.budget.spent()).since(Spent::from(before));
            if merge.spent.replies > 0 {
                records.spend(&brain.id, "", "merge", merge.spent, merge.at)?;
            }
        }
        merge.checks = gate.check(&merge);
        match verdict(&merge.checks) {
            Verdict::Refused(why) => {
                let (by, outcome) = ("gate".to_owned(), Outcome::Refused);
                merge.decided = Some(Decided { outcome, by, why, at: merge.at, version: None });
            }
            Verdict::Quarantined(_) => merge.stage = Stage::Quarantined,
            Verdict::Waits(_) | Verdict::Lands => {
                let why = "no task taught it, so none can be run again";
                merge.checks.push(Checked::new(Check::Replay, Finding::NotMeasured, why));
            }
        }
        records.keep(&merge)?;
        if merge.waits() {
            proposed.push(merge);
        }
    }
    Ok(proposed)
}

/// Lets a model word an umbrella. A text that is none, or that the gate refuses, leaves the merge as it is,
/// and the merge says so.
async fn word(gate: &Gate<'_>, merge: &mut Proposal, wording: Wording<'_>) {
    let model = wording.model.name();
    let text = worded(gate.known, merge, wording).await.and_then(|text| {
        let candidate = Proposal { text, ..merge.clone() };
        match verdict(&gate.check(&candidate)) {
            Verdict::Waits(_) | Verdict::Lands => Ok(candidate.text),
            Verdict::Refused(why) | Verdict::Quarantined(why) => Err(why),
        }
    });
    match text {
        Ok(text) => {
            merge.said = Some(format!("{model} made one text of both"));
            merge.text = text;
        }
        Err(why) => {
            merge.said = Some(format!(
                "the text of {model} was not taken ({why}), so the lines of one stand behind the other's"
            ));
        }
    }
}

async fn worded(known: &Known, merge: &Proposal, wording: Wording<'_>) -> Result<String, String> {
    let Wording { model, budget, cancelled } = wording;
    if let Some(why) = budget.exhausted() {
        return Err(why);
    }
    let Kind::Merge { absorbs, .. } = &merge.kind else { return Err("it is no merge".to_owned()) };
    let text_of = |name: &str| -> Result<String, String> {
        let skill = known.find(name).ok_or_else(|| format!("there is no skill `{name}`"))?;
        let text = read_text(skill).map_err(|error| error.to_string())?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    };
    let goes = absorbs.first().map_or("", String::as_str);
    let (old, other) = (text_of(&merge.name)?, text_of(goes)?);
    let stays = Shown { name: &merge.name, text: &old };
    let question = umbrella_question(stays, Shown { name: goes, text: &other });
    let said = ask(model, budget, cancelled, UMBRELLA, question, AUTHOR_TOKENS).await;
    let said = said.map_err(|error| error.to_string())?;
    match reply::read(&said).map_err(|why| why.to_string())? {
        Decision::Create(Written { text, .. })
        | Decision::Refine { change: Change::Whole(text), .. } => in_place_of(&old, &text),
        _ => Err("its reply is no skill".to_owned()),
    }
}

/// A new description and body under the frontmatter that is there: a model decides neither what the skill is
/// called nor what it may use.
fn in_place_of(old: &str, new: &str) -> Result<String, String> {
    let read = |text: &str| hone_skill::read(text.as_bytes(), None).skill;
    let (Some(kept), Some(given)) = (read(old), read(new)) else {
        return Err("its reply is no skill".to_owned());
    };
    let text = format!("{}{}", &old[..kept.body.start], &new[given.body.clone()]);
    let field = Field::Top("description");
    set_field(&text, field, &given.description).map_err(|error| error.to_string())
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
