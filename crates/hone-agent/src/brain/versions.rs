//! What changed in each version of a brain, from its receipts, its transcripts and the library's ledger.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hone_library::{FileDelta, State, changed_since, files_at, history};

use super::journal::Journal;
use super::{Brain, BrainError, LAYOUT, actor};
use crate::lineage::receipt::Receipt;
use crate::lineage::{Chain, LineageError, RECEIPTS_FILE, chain, keeper, texts};
use crate::memory::{self, Ending};
use crate::step::{Effect, Step, What};

/// A version of what an agent knows, and how it came about.
#[derive(Debug, Clone)]
pub struct Version {
    /// The receipt that brought it.
    pub receipt: Receipt,
    /// Facts that are others than before.
    pub facts: Vec<FactDelta>,
}

/// A fact that is another one than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FactDelta {
    /// What it is about.
    pub key: String,
    /// Whose it is; none when it is everybody's.
    pub subscriber: Option<String>,
    /// What was noted before, as far as transcripts say so.
    pub before: Option<String>,
    /// What is noted now.
    pub after: String,
}

/// Whose fact under which key, and what it says.
pub(super) type Facts = BTreeMap<(Option<String>, String), String>;

impl Brain {
    /// The receipts, damaged ones left out. That there are none of a brain that has some is an error.
    pub fn receipts(&self) -> Result<Vec<Receipt>, BrainError> {
        let path = self.member(RECEIPTS_FILE);
        let mut receipts = Vec::new();
        if path.metadata().map_or(0, |about| about.len()) == 0
            && let Some(lost) = Self::lost_receipts(&self.folder)?
        {
            return Err(lost.into());
        }
        if path.exists() {
            let read = chain::read(&path, |_, receipt| receipts.extend(receipt.ok()));
            read.map_err(LineageError::from)?;
        }
        Ok(receipts)
    }

    /// The first receipt; none when nothing was signed yet, or it is damaged.
    pub fn first_receipt(&self) -> Result<Option<Receipt>, BrainError> {
        let path = self.member(RECEIPTS_FILE);
        let first = if path.exists() { chain::first(&path) } else { Ok(None) };
        Ok(first.map_err(LineageError::from)?)
    }

    /// How it shows that a brain without receipts had some; nothing when it is new.
    pub fn lost_receipts(folder: &Path) -> Result<Option<LineageError>, BrainError> {
        let path = folder.join(RECEIPTS_FILE);
        if let Some(lock) = keeper::read_lock(folder)?.filter(|lock| lock.receipts > 0) {
            return Ok(Some(LineageError::Shortened { path, found: 0, known: lock.receipts }));
        }
        let newest = memory::tasks_in(&folder.join(super::members::DATABASE))?.pop();
        Ok(newest.map(|task| LineageError::Unsigned { path, task }))
    }

    /// The tasks that the brain in a folder has done, oldest first, by its log and its transcripts.
    pub fn tasks_in(folder: &Path) -> Result<Vec<String>, BrainError> {
        let mut tasks = memory::tasks_in(&folder.join(super::members::DATABASE))?;
        let known: BTreeSet<String> = tasks.iter().cloned().collect();
        let transcripts = std::fs::read_dir(folder.join(super::members::TRANSCRIPTS));
        let names = transcripts.into_iter().flatten().flatten().map(|entry| entry.file_name());
        let names =
            names.filter_map(|name| Some(name.to_str()?.strip_suffix(".jsonl")?.to_owned()));
        let strays: BTreeSet<String> =
            names.filter(|name| !name.starts_with('.') && !known.contains(name)).collect();
        tasks.extend(strays);
        Ok(tasks)
    }

    /// The task that is under way in the brain in a folder, or died there.
    pub fn task_in(folder: &Path) -> Result<Option<String>, BrainError> {
        Ok(Journal::read(&folder.join(super::members::JOURNAL))?.map(|journal| journal.task))
    }

    /// The newest receipt; none when nothing was signed yet.
    pub fn last_receipt(&self) -> Result<Option<Receipt>, BrainError> {
        let path = self.member(RECEIPTS_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let chain = Chain::open(&path).map_err(LineageError::from)?;
        Ok(chain.last().cloned())
    }

    /// Every version, oldest first.
    pub fn versions(&self) -> Result<Vec<Version>, BrainError> {
        let mut known = Facts::new();
        let mut versions: Vec<Version> = Vec::new();
        for receipt in self.receipts()? {
            if versions
                .last()
                .is_some_and(|last| last.receipt.after.version == receipt.after.version)
            {
                continue;
            }
            let facts = self.noted_by(&receipt, &mut known);
            versions.push(Version { receipt, facts });
        }
        Ok(versions)
    }

    /// What an answered task noted, by its transcript; nothing when the receipt is of something else.
    pub(super) fn noted(&self, receipt: &Receipt) -> Facts {
        let mut noted = Facts::new();
        let task = receipt.task.as_ref();
        let Some(task) = task.filter(|task| task.outcome == Ending::Answered.word()) else {
            return noted;
        };
        // A transcript that is damaged or gone, `verify` tells.
        for line in self.transcript(&task.id).ok().flatten().unwrap_or_default() {
            let Ok(Step { what: What::Tool(call), .. }) = serde_json::from_value(line) else {
                continue;
            };
            for effect in call.effects {
                if let Effect::MemoryWritten { key, value, shared } = effect {
                    let whose = (!shared).then(|| task.subscriber.clone());
                    noted.insert((whose, key), value);
                }
            }
        }
        noted
    }

    /// What an answered task noted; `known` becomes what is known after it.
    fn noted_by(&self, receipt: &Receipt, known: &mut Facts) -> Vec<FactDelta> {
        let delta = |(whose, after): ((Option<String>, String), String)| {
            let before = known.insert(whose.clone(), after.clone());
            let (subscriber, key) = whose;
            (before.as_ref() != Some(&after)).then_some(FactDelta {
                key,
                subscriber,
                before,
                after,
            })
        };
        self.noted(receipt).into_iter().filter_map(delta).collect()
    }

    /// What changed in the files of the brain with a version, as far as their texts are kept.
    pub fn changes(&self, state: &State, version: &Version) -> Result<Vec<FileDelta>, BrainError> {
        let receipt = &version.receipt;
        if let Some(task) = &receipt.task {
            let changed = self.changed_files(state, &task.id)?;
            if !changed.is_empty() {
                return Ok(changed);
            }
        }
        // Also of a task that was done on another machine, whose ledger is not here.
        let changed = texts::changed(&self.folder, &LAYOUT, receipt.index);
        let changed = changed.map_err(|source| BrainError::Database {
            path: self.member(super::members::DATABASE),
            source,
        })?;
        let delta =
            |texts::Changed { member: file, before, after }| FileDelta { file, before, after };
        let is_shown = |file: &str| {
            let top = file.split('/').next().unwrap_or(file);
            receipt.task.is_none() || top == super::members::SKILLS
        };
        let changed = changed.into_iter().filter(|changed| is_shown(&changed.member));
        Ok(changed.map(delta).collect())
    }

    /// What a task changed in the skills of the brain, file by file.
    pub fn changed_files(&self, state: &State, task: &str) -> Result<Vec<FileDelta>, BrainError> {
        let folder = hone_library::canonical_or_same(&self.folder);
        let actor = actor(task);
        let mut deltas = Vec::new();
        for (key, first) in changed_since(state, 0, &actor)? {
            let Ok(below) = key.strip_prefix(&folder) else { continue };
            let rows = history(state, &key)?;
            let of_task = rows.iter().filter(|row| row.actor == actor).map(|row| row.revision);
            let newest = of_task.max().unwrap_or(first);
            let before = files_at(state, &rows, first - 1)?;
            let after = files_at(state, &rows, newest)?;
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names.into_iter().filter(|name| before.get(*name) != after.get(*name)) {
                let file = if key.is_dir() { below.join(name) } else { below.to_owned() };
                deltas.push(FileDelta {
                    file: file.to_string_lossy().into_owned(),
                    before: before.get(name).cloned(),
                    after: after.get(name).cloned(),
                });
            }
        }
        Ok(deltas)
    }
}
