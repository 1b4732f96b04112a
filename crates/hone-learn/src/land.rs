//! From a candidate to a skill: written through the library, in a brain that is held, and signed.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use hone_agent::brain::{Brain, Owner, Waiting};
use hone_library::{
    ARCHIVED, Action, Author, Change, Listed, Mode, Revision, State, Store, hash, read_text, usage,
};
use hone_router::{SUITE_FILE, Suite, suite_of};
use tokio_util::sync::CancellationToken;

use crate::destination::Destination;
use crate::error::LearnError;
use crate::gate::attach;
use crate::proposal::{Decided, Kind, Outcome, Proposal, Stage};
use crate::records::{Event, Records};

/// How long learning waits for a brain that a task has.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Messages of a suite that learning adds to at most.
pub const MAX_SUITE: usize = 64;

/// Who changes skills in the name of learning.
pub const ACTOR: &str = "learn";
/// Who decides where no person does.
pub(crate) const GATE: &str = "gate";

/// A candidate that became a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Landed {
    /// The version that it declares now.
    pub version: Option<String>,
    /// The receipt that signs it.
    pub receipt: Option<u64>,
}

/// Who decides that a candidate lands, and when.
#[derive(Debug, Clone, Copy)]
pub struct Decider<'a> {
    /// A person, or `gate`.
    pub by: &'a str,
    /// Why.
    pub why: &'a str,
    /// Now, in milliseconds since 1970.
    pub now: i64,
    /// Stops waiting for the brain.
    pub cancelled: &'a CancellationToken,
}

/// The actor in whose name a task's lesson is written.
pub fn actor(task: &str) -> String {
    if task.is_empty() { ACTOR.to_owned() } else { format!("{ACTOR}:{task}") }
}

/// Whether a name in the ledger is one of learning or of a task, and so no person's.
pub fn is_machine(actor: &str) -> bool {
    actor == ACTOR || actor.starts_with("learn:") || actor.starts_with("task:")
}

/// Whether a skill was made by its agent and no person has changed it since. A person who took it away, or
/// brought back what a machine wrote, changed nothing of it.
pub fn is_agents_own(state: &State, skill: &Listed) -> bool {
    let key = hone_library::canonical_or_same(skill.key());
    let Ok(history) = hone_library::history(state, &key) else { return false };
    !history.is_empty() && is_machine_made(&history) && is_as_recorded(skill, &history)
}

fn is_machine_made(history: &[Revision]) -> bool {
    let mut written: HashSet<(&str, &str)> = HashSet::new();
    history.iter().all(|row| {
        let mut left = row.changes.iter().filter_map(|change| {
            change.after.as_deref().map(|after| (change.file.as_str(), after))
        });
        if is_machine(&row.actor) {
            written.extend(left);
            return true;
        }
        matches!(row.action, Action::Delete | Action::Rollback)
            && left.all(|file| written.contains(&file))
    })
}

/// Whether the text on disk is the one that the ledger knows.
fn is_as_recorded(skill: &Listed, history: &[Revision]) -> bool {
    let main = main_file(skill);
    let last = history.iter().rev().flat_map(|row| &row.changes).find(|change| change.file == main);
    let Ok(text) = read_text(skill) else { return false };
    last.and_then(|change| change.after.as_deref()) == Some(hash(&text).as_str())
}

/// The name of the file that a skill's text is in.
pub(crate) fn main_file(skill: &Listed) -> String {
    skill.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Makes a candidate a skill on trial. A brain is held meanwhile, and the change is signed.
pub async fn land(
    destination: &Destination,
    records: &Records,
    proposal: &mut Proposal,
    decider: Decider<'_>,
) -> Result<Landed, LearnError> {
    let Decider { by, why, now, cancelled } = decider;
    let mut reason = format!("{} ({}): {}", proposal.kind.id(), proposal.id, proposal.why);
    if by != GATE {
        let _ = write!(reason, "; accepted by {by}");
    }
    // A text that a person wrote in is the person's.
    let actor = proposal.edited_by.clone().unwrap_or_else(|| actor(&proposal.task));
    let author = Author { actor, reason, now };
    let carry_out = |state: &State| {
        let change = write(destination, state, &author, proposal)?;
        absorb(destination, state, &author, proposal)?;
        Ok::<_, LearnError>(change)
    };
    let (change, receipt) = match destination {
        Destination::Brain(brain) => {
            let held = hold(brain, "learning", now, cancelled).await?;
            brain.learn(&held, now, carry_out)?
        }
        Destination::Folder { hone_home, .. } => (carry_out(&State::open(hone_home))?, None),
    };
    proposal.stage = Stage::Trial;
    proposal.decided = Some(Decided {
        outcome: Outcome::Landed,
        by: by.to_owned(),
        why: why.to_owned(),
        at: now,
        version: change.to_version.clone(),
    });
    records.keep(proposal)?;
    records.set_stage(&proposal.agent, &proposal.name, Stage::Trial, now)?;
    if let Kind::Merge { absorbs, .. } = &proposal.kind {
        for name in absorbs {
            records.set_stage(&proposal.agent, name, Stage::Archived, now)?;
        }
    }
    let version = change.to_version.clone();
    let told = version.as_ref().map_or(String::new(), |version| format!(" as version {version}"));
    records.tell(&Event {
        at: now,
        agent: proposal.agent.clone(),
        skill: proposal.name.clone(),
        what: "landed".to_owned(),
        why: format!("{}{told}, {}", proposal.kind.id(), by_word(by, why)),
    })?;
    Ok(Landed { version, receipt: receipt.map(|receipt| receipt.index) })
}

/// Who decided, and why if they said.
pub(crate) fn by_word(by: &str, why: &str) -> String {
    if why.is_empty() { format!("by {by}") } else { format!("by {by}: {why}") }
}

/// Holds a brain for learning.
pub(crate) async fn hold(
    brain: &Brain,
    what: &str,
    now: i64,
    cancelled: &CancellationToken,
) -> Result<hone_agent::brain::Held, LearnError> {
    let owner = Owner { what: what.to_owned(), pid: std::process::id(), since: now };
    let waiting = Waiting { patience: PATIENCE, cancelled, tell: &|_| {} };
    Ok(brain.hold(&owner, &waiting).await?)
}

/// Writes the text and the examples of a candidate, as one revision.
pub(crate) fn write(
    destination: &Destination,
    state: &State,
    author: &Author,
    candidate: &Proposal,
) -> Result<Change, LearnError> {
    let mut known = destination.known(state);
    let store = Store::new(state, author.clone(), Mode::Write);
    if let (Some(base), Some(skill)) = (candidate.kind.base(), known.find(&candidate.name)) {
        if base != hash(&read_text(skill)?) {
            return Err(LearnError::Refused(format!(
                "`{}` was changed since the candidate was written; look at it with `hone review edit {}`",
                candidate.name, candidate.id
            )));
        }
        // A single file has no room for a suite. One that a person wrote in, or pinned, keeps its name,
        // and with it the history that says so.
        let may_unfold = is_agents_own(state, skill) && !store.is_pinned(skill)?;
        if skill.is_flat && may_unfold && suite_with(skill, candidate).is_some() {
            store.unfold(skill)?;
            known = destination.known(state);
        }
    }
    let skill = known.find(&candidate.name);
    let has_room = skill.is_none_or(|skill| !skill.is_flat);
    let suite = match skill {
        Some(skill) => suite_with(skill, candidate),
        None => Some(candidate.suite()).filter(|suite| !suite.cases.is_empty()),
    };
    let store = match suite.filter(|_| has_room) {
        Some(suite) => store.with_file(SUITE_FILE, suite.to_json().into_bytes()),
        None => store,
    };
    match (&candidate.kind, skill) {
        (Kind::Create, _) => {
            Ok(store.create(&known.root, None, &candidate.name, &candidate.text, &known.listed)?)
        }
        (_, Some(skill)) => {
            usage::count(state, skill, usage::Event::Patch, author.now);
            if !candidate.files.is_empty() {
                return Ok(attach(&store, skill, &candidate.files)?);
            }
            let title = skill.summary.title();
            Ok(store.upsert(&known.root, title, &candidate.text, &known.listed)?)
        }
        (_, None) => {
            let why = format!("there is no skill `{}` any more", candidate.name);
            Err(LearnError::Refused(why))
        }
    }
}

/// The examples that a skill remembers with those of a candidate; none when it remembers them all, or when its file
/// has what is not read and would be lost.
fn suite_with(skill: &Listed, candidate: &Proposal) -> Option<Suite> {
    let mut suite = suite_of(skill).ok().filter(|suite| suite.left_out.is_none())?;
    suite.take_in(candidate.suite().cases, MAX_SUITE).then_some(suite)
}

/// Archives what a merge takes in; each can be brought back on its own.
fn absorb(
    destination: &Destination,
    state: &State,
    author: &Author,
    candidate: &Proposal,
) -> Result<(), LearnError> {
    let Kind::Merge { absorbs, .. } = &candidate.kind else { return Ok(()) };
    let known = destination.known(state);
    for name in absorbs {
        if let Some(skill) = known.find(name) {
            let reason = format!("{ARCHIVED}: `{}` says it too", candidate.name);
            let author = Author { reason, ..author.clone() };
            Store::new(state, author, Mode::Write).delete(skill)?;
        }
    }
    Ok(())
}
