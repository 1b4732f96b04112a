//! The journal of the running task: enough to take its changes of skills back should it die.
//!
//! Skills are changed one by one through the library, in the name of `task:ID`. What the memory's
//! database says about that task decides: answered, and they stay; anything else, and each goes back
//! to what it was. Going back twice is going back once.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hone_library::{
    Author, Error, Mode, Revision, State, Store, changed_since, files_at, history, ledger_position,
};
use serde::{Deserialize, Serialize};

use super::session::Opening;
use super::signing::Unsigned;
use super::{Brain, BrainError, files, members};
use crate::lineage::Digest;
use crate::memory::{Ending, Memory};

/// Bytes of a journal at most.
const MAX_JOURNAL_BYTES: u64 = 64 * 1024;

/// What the running task noted before it began.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Journal {
    /// The task.
    pub(crate) task: String,
    /// The newest row of the library's ledger before the task.
    pub(crate) position: i64,
    /// What its receipt says should it die; an older hone noted nothing.
    #[serde(default)]
    pub(crate) asked: Option<Asked>,
}

/// What is known of a task when it begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// For whom it is done.
    pub(crate) subscriber: String,
    /// The digest of what was asked.
    pub(crate) input: Digest,
    /// The backend of the model.
    pub(crate) backend: String,
    /// The model as configured.
    pub(crate) model: String,
}

/// What was found and done when a brain was opened.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Settled {
    /// A task that died and whose changes were taken back.
    pub dead: Option<String>,
    /// A task that was committed and whose receipt may not be written yet.
    pub unsigned: Option<String>,
    /// Skills whose changes could not be taken back, and why.
    pub kept: Vec<(PathBuf, String)>,
    /// What its lineage has to say.
    pub notes: Vec<String>,
}

/// How the names begin in which tasks change skills.
pub(crate) const TASK: &str = "task:";

/// The name in which a task changes skills.
pub fn actor(task: &str) -> String {
    format!("{TASK}{task}")
}

impl Journal {
    /// Writes the journal of a task that is about to begin.
    pub(crate) fn begin(
        brain: &Brain,
        state: &State,
        opening: &Opening<'_>,
    ) -> Result<Self, BrainError> {
        let asked = Asked {
            subscriber: opening.subscriber.as_text().to_owned(),
            input: Digest::of(opening.input.as_bytes()),
            backend: opening.backend.to_owned(),
            model: opening.model.to_owned(),
        };
        let task = opening.task.to_owned();
        let journal = Self { task, position: ledger_position(state)?, asked: Some(asked) };
        let text = serde_json::to_vec(&journal).unwrap_or_default();
        files::write(&brain.member(members::JOURNAL), &text)?;
        Ok(journal)
    }

    /// The journal in a file; none when there is none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>, BrainError> {
        let Some(text) = files::read(path, MAX_JOURNAL_BYTES)? else { return Ok(None) };
        let broken = |error: serde_json::Error| {
            let message = format!("{error}; look at the skills, then remove this file");
            BrainError::Content { path: path.to_owned(), message }
        };
        serde_json::from_str(&text).map(Some).map_err(broken)
    }

    /// Takes every change of skills back that the task made. Gives those that somebody else changed
    /// since: they stay.
    pub(crate) fn take_back(
        &self,
        brain: &Brain,
        state: &State,
        now: i64,
    ) -> Result<Vec<(PathBuf, String)>, BrainError> {
        let actor = actor(&self.task);
        let folder = real(&brain.folder);
        let mut kept = Vec::new();
        for (key, first) in changed_since(state, self.position, &actor)? {
            if !key.starts_with(&folder) {
                continue;
            }
            let history = history(state, &key)?;
            if let Some(why) = reason_to_keep(state, &key, &history, first, &actor)? {
                kept.push((key, why));
                continue;
            }
            let reason = "the task was not completed".to_owned();
            let author = Author { actor: actor.clone(), reason, now };
            let store = Store::new(state, author, Mode::Write);
            if first > 1 {
                match store.rollback(&key, Some(first - 1)) {
                    // It is there already.
                    Ok(_) | Err(Error::Refused(_)) => {}
                    Err(error) => return Err(error.into()),
                }
            } else if key.symlink_metadata().is_ok() {
                let catalogue = brain.catalogue(state);
                let skipped =
                    catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
                let mut all = catalogue.skills.iter().chain(skipped);
                let skill = all.find(|skill| real(skill.key()) == key);
                match skill {
                    Some(skill) => drop(store.delete(skill)?),
                    None => kept.push((key, "it is no skill any more".to_owned())),
                }
            }
        }
        Ok(kept)
    }

    /// The task is over and everything is where it belongs.
    pub(crate) fn end(brain: &Brain) -> Result<(), BrainError> {
        files::remove(&brain.member(members::JOURNAL))
    }
}

/// Settles what a task that died left; whoever does it holds the brain.
pub(crate) fn settle(
    brain: &Brain,
    state: &State,
    memory: &mut Memory,
    now: i64,
) -> Result<Settled, BrainError> {
    let (mut settled, mut unsigned) = (Settled::default(), None);
    if let Some(journal) = Journal::read(&brain.member(members::JOURNAL))? {
        let ending = memory.ending(&journal.task)?;
        if ending != Some(Ending::Answered) {
            settled.kept = journal.take_back(brain, state, now)?;
        }
        match ending {
            None => settled.dead = Some(journal.task.clone()),
            Some(_) => settled.unsigned = Some(journal.task.clone()),
        }
        unsigned = Some(Unsigned { journal, is_logged: ending.is_some() });
    }
    // The files of a committed task and its receipt come before its journal goes.
    memory.settle()?;
    settled.notes = brain.settle_lineage(memory, unsigned.as_ref(), now)?;
    Journal::end(brain)?;
    Ok(settled)
}

/// Why a skill that a task changed must stay as it is: somebody else changed it since.
fn reason_to_keep(
    state: &State,
    key: &Path,
    history: &[Revision],
    first: u64,
    actor: &str,
) -> Result<Option<String>, BrainError> {
    let since = history.iter().filter(|revision| revision.revision >= first);
    if let Some(other) = since.clone().find(|revision| revision.actor != actor) {
        let by = if other.actor.is_empty() { "by hand".to_owned() } else { other.actor.clone() };
        return Ok(Some(format!("it was changed since: {by}")));
    }
    let Some(newest) = history.last() else { return Ok(None) };
    let recorded = files_at(state, history, newest.revision)?;
    let now: BTreeMap<String, Vec<u8>> = recorded
        .keys()
        .filter_map(|file| {
            let path = if key.is_dir() { key.join(file) } else { key.to_owned() };
            Some((file.clone(), fs::read(path).ok()?))
        })
        .collect();
    Ok((now != recorded).then(|| "it was changed since, by hand".to_owned()))
}

/// A path with its links resolved, as the ledger has it.
fn real(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}
