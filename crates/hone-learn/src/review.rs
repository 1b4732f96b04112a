//! A person's word about a candidate: accept, edit, reject.
//!
//! A person may say yes where twins, routing or a replay said no. Nobody may say yes to a text that is no
//! skill, or that the policy blocks.

use std::path::Path;

use hone_guard::policy::Policy;
use hone_library::usage::iso;
use hone_library::{
    FileDelta, Listed, State, canonical_or_same, files_at, hash, history, read_file, read_text,
    unified,
};
use hone_router::SUITE_FILE;
use schemars::JsonSchema;
use serde::Serialize;
use tokio_util::sync::CancellationToken;

use crate::destination::Destination;
use crate::error::LearnError;
use crate::gate::{Check, Checked, Finding, Gate, Verdict, verdict};
use crate::land::{Decider, Landed, by_word, land};
use crate::proposal::{Attachment, Decided, Kind, Outcome, Proposal, Stage};
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
    /// Whose word it is.
    pub word: Word,
}

/// Whose word a decision is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// A person's, who has looked at it.
    Person,
    /// A program's: what the scan wants a person to look at stays where it is.
    Program,
}

/// Candidates: `hone review --json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewList {
    /// Newest first.
    pub proposals: Vec<ReviewRow>,
}

/// A candidate in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReviewRow {
    /// Its id.
    pub id: String,
    /// When it was made.
    pub at: String,
    /// The agent whose brain it is for; empty when it is for a person's own skills.
    pub agent: String,
    /// The skill's name.
    pub name: String,
    /// `create`, `refine` or `merge`.
    pub kind: &'static str,
    /// `draft`, `quarantined`, `trial` or `archived`.
    pub stage: &'static str,
    /// Whether it waits for a person.
    pub waits: bool,
    /// What a person has to look at, or what became of it.
    pub why: String,
}

impl From<&Proposal> for ReviewRow {
    fn from(proposal: &Proposal) -> Self {
        let why = match (&proposal.decided, verdict(&proposal.checks)) {
            (Some(decided), _) => by_word(&decided.by, &decided.why),
            (None, Verdict::Waits(why) | Verdict::Quarantined(why) | Verdict::Refused(why)) => why,
            (None, Verdict::Lands) => "passed; it waits for your word".to_owned(),
        };
        Self {
            id: proposal.id.clone(),
            at: iso(proposal.at),
            agent: proposal.agent.clone(),
            name: proposal.name.clone(),
            kind: proposal.kind.id(),
            stage: proposal.stage.id(),
            waits: proposal.waits(),
            why,
        }
    }
}

/// A candidate with what it changes: `hone review show|accept|edit|reject --json`.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Review {
    /// The candidate, with all that is known about it.
    pub proposal: Proposal,
    /// The difference to the skill that is there; for a new one, all of its text.
    pub diff: Option<String>,
    /// The version that it became.
    pub version: Option<String>,
}

impl Review {
    /// A candidate held against the skill that is there.
    pub fn of(hone_home: &Path, proposal: Proposal) -> Self {
        let one = |FileDelta { file, before, after }: FileDelta| {
            unified(&file, before.as_deref(), after.as_deref())
        };
        let diff = Some(changes(hone_home, &proposal).into_iter().filter_map(one).collect());
        Self { proposal, diff, version: None }
    }
}

/// What a candidate would write, file by file, and what it would replace: nothing for a new skill, or when
/// the skill is gone. Of one that landed, what it wrote and what it replaced.
pub fn changes(hone_home: &Path, proposal: &Proposal) -> Vec<FileDelta> {
    if proposal.stage > Stage::Quarantined
        && let Some(landed) = landed(hone_home, proposal)
    {
        return landed;
    }
    let skill = target(hone_home, proposal);
    let delta = |file: &str, before: Option<Vec<u8>>, after: &str| FileDelta {
        file: file.to_owned(),
        before,
        after: Some(after.as_bytes().to_vec()),
    };
    if proposal.files.is_empty() {
        let old = skill.as_ref().and_then(|skill| read_text(skill).ok());
        return vec![delta("SKILL.md", old, &proposal.text)];
    }
    let old = |file: &str| skill.as_ref().and_then(|skill| read_file(skill, file).ok());
    let files = proposal.files.iter();
    files.map(|Attachment { file, text }| delta(file, old(file), text)).collect()
}

/// What a candidate changed when it landed, but for the messages that are told beside it; none when the
/// ledger does not know of it.
fn landed(hone_home: &Path, proposal: &Proposal) -> Option<Vec<FileDelta>> {
    let state = State::open(hone_home);
    let destination = Destination::of(hone_home, proposal).ok()?;
    let key = match destination.find(&state, &proposal.name) {
        Some(skill) => skill.key().to_owned(),
        None => destination.root().join(&proposal.name),
    };
    let rows = history(&state, &canonical_or_same(&key)).ok()?;
    let reason = format!("{} ({})", proposal.kind.id(), proposal.id);
    let row = rows.iter().find(|row| row.reason.starts_with(&reason))?;
    let mut before = files_at(&state, &rows, row.revision - 1).ok()?;
    let mut after = files_at(&state, &rows, row.revision).ok()?;
    let files = row.changes.iter().map(|change| &change.file).filter(|file| *file != SUITE_FILE);
    let delta = |file: &String| FileDelta {
        file: file.clone(),
        before: before.remove(file),
        after: after.remove(file),
    };
    Some(files.map(delta).collect())
}

/// The skill that a candidate would change; none for a new skill, for one that landed, or when the skill is
/// gone.
fn target(hone_home: &Path, proposal: &Proposal) -> Option<Listed> {
    if proposal.stage > Stage::Quarantined {
        return None;
    }
    let state = State::open(hone_home);
    Destination::of(hone_home, proposal).ok()?.find(&state, &proposal.name)
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
    let destination = Destination::of(hone_home, &proposal)?;
    let checks = checked(hone_home, policy, &destination, &proposal);
    refuse_barred(&checks, person.word)?;
    refuse_other(records, &mut proposal, checks)?;
    let decider = Decider { by: person.name, why: person.why, now: person.now, cancelled };
    let landed = land(&destination, records, &mut proposal, decider).await?;
    Ok((proposal, landed))
}

/// What the checks without a model say about a candidate now.
fn checked(
    hone_home: &Path,
    policy: &Policy,
    destination: &Destination,
    proposal: &Proposal,
) -> Vec<Checked> {
    let state = State::open(hone_home);
    let known = destination.known(&state);
    Gate { known: &known, policy, state: &state }.check(proposal)
}

/// No, to what nobody may say yes to, or not this one.
fn refuse_barred(checks: &[Checked], word: Word) -> Result<(), LearnError> {
    let is_barred = |checked: &&Checked| match (checked.check, checked.finding) {
        (Check::Form | Check::Scan, Finding::Failed) => true,
        (Check::Scan, Finding::NeedsPerson) => word == Word::Program,
        _ => false,
    };
    let Some(no) = checks.iter().find(is_barred) else { return Ok(()) };
    let needs = if no.finding == Finding::Failed { "" } else { "; a person has to decide" };
    Err(LearnError::Refused(format!("{}: {}{needs}", no.check.id(), no.why)))
}

/// No, when the files that would be written are others than those that were scanned and shown. What they
/// are now is kept, so that it can be looked at and decided about.
fn refuse_other(
    records: &Records,
    proposal: &mut Proposal,
    checks: Vec<Checked>,
) -> Result<(), LearnError> {
    let digest = |checks: &[Checked]| checks.iter().find_map(|checked| checked.digest.clone());
    let (shown, now) = (digest(&proposal.checks), digest(&checks));
    if shown.is_none() || shown == now {
        return Ok(());
    }
    let rest = proposal.checks.drain(..).filter(|checked| checked.check == Check::Replay);
    proposal.checks = checks.into_iter().chain(rest.collect::<Vec<_>>()).collect();
    records.keep(proposal)?;
    Err(LearnError::Refused(format!(
        "files of `{}` were changed since it was scanned; look at it again with `hone review show {}`",
        proposal.name, proposal.id
    )))
}

/// Puts a candidate aside for good.
pub fn reject(records: &Records, id: &str, person: Person<'_>) -> Result<Proposal, LearnError> {
    let mut proposal = open(records, id)?;
    let Person { name, why, now, .. } = person;
    proposal.decided = Some(Decided {
        outcome: Outcome::Rejected,
        by: name.to_owned(),
        why: why.to_owned(),
        at: now,
        version: None,
    });
    records.keep(&proposal)?;
    records.tell(&Event {
        at: now,
        agent: proposal.agent.clone(),
        skill: proposal.name.clone(),
        what: "rejected".to_owned(),
        why: by_word(name, why),
    })?;
    Ok(proposal)
}

/// Gives a candidate another text, for the skill as it is now, and checks it again without a model. A
/// text that could never be accepted is refused, and the candidate keeps the one that it has.
pub fn edit(
    hone_home: &Path,
    policy: &Policy,
    records: &Records,
    id: &str,
    text: &str,
    person: Person<'_>,
) -> Result<Proposal, LearnError> {
    let mut proposal = open(records, id)?;
    if let Some(file) = proposal.files.first() {
        return Err(LearnError::Refused(format!(
            "it is about `{}` and not about the text; accept it, or reject it and write the file yourself",
            file.file
        )));
    }
    let state = State::open(hone_home);
    let known = Destination::of(hone_home, &proposal)?.known(&state);
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
    if let Some(why) = gate.no_skill(&proposal) {
        let id = &proposal.id;
        return Err(LearnError::Refused(format!("form: {why}; `{id}` keeps the text that it had")));
    }
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
