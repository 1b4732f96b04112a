//! What changed in each version of a brain, from its receipts, its transcripts and the library's ledger.

use std::collections::{BTreeMap, BTreeSet};

use hone_library::{FileDelta, State, changed_since, files_at, history};

use super::{Brain, BrainError, LAYOUT, actor};
use crate::lineage::receipt::Receipt;
use crate::lineage::{Chain, RECEIPTS_FILE, chain, texts};
use crate::memory::Ending;
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
    /// The receipts, damaged ones left out.
    pub fn receipts(&self) -> Result<Vec<Receipt>, BrainError> {
        let path = self.member(RECEIPTS_FILE);
        let mut receipts = Vec::new();
        if path.exists() {
            let read = chain::read(&path, |_, receipt| receipts.extend(receipt.ok()));
            read.map_err(crate::lineage::LineageError::from)?;
        }
        Ok(receipts)
    }

    /// The newest receipt; none when nothing was signed yet.
    pub fn last_receipt(&self) -> Result<Option<Receipt>, BrainError> {
        let path = self.member(RECEIPTS_FILE);
        if !path.exists() {
            return Ok(None);
        }
        let chain = Chain::open(&path).map_err(crate::lineage::LineageError::from)?;
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
            return self.changed_files(state, &task.id);
        }
        let changed = texts::changed(&self.folder, &LAYOUT, receipt.index);
        let changed = changed.map_err(|source| BrainError::Database {
            path: self.member(super::members::DATABASE),
            source,
        })?;
        let delta =
            |texts::Changed { member: file, before, after }| FileDelta { file, before, after };
        Ok(changed.into_iter().map(delta).collect())
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
