//! Keeps a brain's lineage: compares what is on the disk with what was signed last, and signs what
//! happened since.
//!
//! `bundle.lock.json` names the state that was signed last, with the digest of every member, so that a
//! change made outside can be told member by member. The receipts are what counts: a lock file that
//! disagrees with them is reported ([`LockFault`]) and written anew.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chain::{Chain, ChainError};
use super::digest::Digest;
use super::keys::{PublicKey, SigningKey};
use super::quick::quick;
use super::receipt::{Entry, Handover, Kind, MAX_CHANGES, Receipt, State, TaskMark};
use super::state::{Layout, StateError, StateHash, state};
use super::texts;

/// The file that names the state that was signed last.
pub const LOCK_FILE: &str = "bundle.lock.json";
/// The file of receipts.
pub const RECEIPTS_FILE: &str = "receipts.jsonl";
/// Bytes of a lock file at most.
const MAX_LOCK_BYTES: u64 = 64 * 1024 * 1024;

/// What the lock file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Lock {
    /// Both roots as one.
    pub bundle_hash: Digest,
    /// How often knowledge moved.
    pub version: u64,
    /// When, in milliseconds since 1970.
    pub last_updated: u64,
    /// The root of what the agent knows.
    pub knowledge: Digest,
    /// The root of what happened.
    pub activity: Digest,
    /// How many receipts there are.
    pub receipts: u64,
    /// Each member with its digest.
    pub members: BTreeMap<String, Digest>,
}

/// Why a brain's lineage cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum LineageError {
    /// The state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The receipts.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The lock file.
    #[error("`{path}`: {error}")]
    Lock {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// Receipts that were there are not.
    #[error(
        "`{path}` has {found} receipts, and {known} were written; bring the file back, or restore a snapshot"
    )]
    Shortened {
        /// Which.
        path: PathBuf,
        /// As many are there.
        found: u64,
        /// As many were.
        known: u64,
    },
    /// The log has a task that no receipt is about.
    #[error(
        "`{path}` has no receipt of the task {task}, which the agent has done: receipts are gone; bring the file back, or restore a snapshot"
    )]
    Unsigned {
        /// Which.
        path: PathBuf,
        /// The task.
        task: String,
    },
    /// Another agent's receipts.
    #[error("`{path}` is the lineage of `{found}`, not of `{agent}`")]
    OtherAgent {
        /// Which.
        path: PathBuf,
        /// Whose it is.
        found: String,
        /// Whose it should be.
        agent: String,
    },
}

/// What was found when a brain was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It has no receipts yet.
    New,
    /// It is what was signed last.
    Same,
    /// It was changed outside; the names of members that are known to differ.
    Changed(Vec<String>),
}

/// What is wrong with a lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LockFault {
    /// There is none.
    #[error("it is not there")]
    Missing,
    /// It is no lock file.
    #[error("it cannot be understood")]
    Damaged,
    /// It names something else than the receipts do.
    #[error("it is not about the state that was signed last")]
    Other,
}

/// The lineage of one brain, for its one writer.
#[derive(Debug)]
pub struct Lineage<'a> {
    folder: &'a Path,
    agent: &'a str,
    layout: &'a Layout,
    look: Look,
    chain: Chain,
    found: StateHash,
    lock: Option<Lock>,
    lock_fault: Option<LockFault>,
}

/// How to look at a brain.
type Look = fn(&Path, &Layout) -> Result<StateHash, StateError>;

impl<'a> Lineage<'a> {
    /// Looks at all of a brain. Nothing is written but an empty file of receipts.
    pub fn open(
        folder: &'a Path,
        agent: &'a str,
        layout: &'a Layout,
    ) -> Result<Self, LineageError> {
        Self::open_by(state, folder, agent, layout)
    }

    /// Looks at what changed in a brain since it was looked at this way.
    pub fn open_quickly(
        folder: &'a Path,
        agent: &'a str,
        layout: &'a Layout,
    ) -> Result<Self, LineageError> {
        Self::open_by(quick, folder, agent, layout)
    }

    fn open_by(
        look: Look,
        folder: &'a Path,
        agent: &'a str,
        layout: &'a Layout,
    ) -> Result<Self, LineageError> {
        let path = folder.join(RECEIPTS_FILE);
        let chain = Chain::open(&path)?;
        let lock = read_lock(folder)?;
        let count = chain.last().map_or(0, |last| last.index + 1);
        let known = lock.as_ref().map_or(0, |lock| lock.receipts);
        if count < known {
            return Err(LineageError::Shortened { path, found: count, known });
        }
        if let Some(last) = chain.last().filter(|last| last.agent != agent) {
            let (found, agent) = (last.agent.clone(), agent.to_owned());
            return Err(LineageError::OtherAgent { path, found, agent });
        }
        let found = look(folder, layout)?;
        let lock_fault =
            chain.last().and_then(|last| lock_fault(folder, lock.as_ref(), last, Some(&found)));
        Ok(Self { folder, agent, layout, look, chain, found, lock, lock_fault })
    }

    /// What was wrong with the lock file when the brain was opened. What is signed next writes it anew.
    pub fn lock_fault(&self) -> Option<LockFault> {
        self.lock_fault
    }

    /// How what is on the disk compares with what was signed last.
    pub fn standing(&self) -> Standing {
        let Some(last) = self.chain.last() else { return Standing::New };
        if (last.after.knowledge, last.after.activity)
            == (self.found.knowledge, self.found.activity)
        {
            return Standing::Same;
        }
        // The lock's list only helps when it is that of the state that was signed.
        let lock = self.lock.as_ref().filter(|lock| lock.bundle_hash == last.after.whole());
        Standing::Changed(
            lock.map_or_else(Vec::new, |lock| differing(&lock.members, &self.found.members)),
        )
    }

    /// The last receipt.
    pub fn last(&self) -> Option<&Receipt> {
        self.chain.last()
    }

    /// Whether a receipt is about a task, by its words alone.
    pub fn names(&self, task: &str) -> Result<bool, LineageError> {
        Ok(self.chain.names(task)?)
    }

    /// The key that signs next; none before the first receipt.
    pub fn key(&self) -> Option<PublicKey> {
        self.chain.key()
    }

    /// The state on the disk, as it was looked at last.
    pub fn found(&self) -> &StateHash {
        &self.found
    }

    /// The state on the disk with its version: one more than the last signed one when knowledge moved.
    pub fn current(&self) -> State {
        let (knowledge, activity) = (self.found.knowledge, self.found.activity);
        let version = self
            .chain
            .last()
            .map_or(1, |last| last.after.version + u64::from(last.after.knowledge != knowledge));
        State { knowledge, activity, version }
    }

    /// Signs that the brain was made, or that it was changed outside; does nothing when it is as it was. A
    /// key that cannot sign what comes next is refused in any case.
    pub fn settle(&mut self, at: u64, key: &SigningKey) -> Result<Standing, LineageError> {
        self.chain.accepts(key)?;
        let standing = self.standing();
        let (kind, changes) = match &standing {
            Standing::Same => {
                self.write_lock(at)?;
                return Ok(standing);
            }
            Standing::New => (Kind::Created, Vec::new()),
            Standing::Changed(changes) => {
                (Kind::Outside, changes.iter().take(MAX_CHANGES).cloned().collect())
            }
        };
        self.append(Entry { changes, ..self.entry(kind, at) }, key)?;
        Ok(standing)
    }

    /// Looks at the disk again, and signs a task that brought the brain there.
    pub fn task(
        &mut self,
        at: u64,
        task: TaskMark,
        key: &SigningKey,
    ) -> Result<&Receipt, LineageError> {
        self.found = (self.look)(self.folder, self.layout)?;
        self.task_as_found(at, task, key)
    }

    /// Signs a task that brought the brain to where it was found.
    pub fn task_as_found(
        &mut self,
        at: u64,
        task: TaskMark,
        key: &SigningKey,
    ) -> Result<&Receipt, LineageError> {
        self.append(Entry { task: Some(task), ..self.entry(Kind::Task, at) }, key)
    }

    /// Signs what brought the brain where it is; nothing when it is as it was.
    pub fn changed(
        &mut self,
        kind: Kind,
        at: u64,
        key: &SigningKey,
    ) -> Result<Option<&Receipt>, LineageError> {
        let Standing::Changed(mut changes) = self.standing() else { return Ok(None) };
        changes.truncate(MAX_CHANGES);
        self.append(Entry { changes, ..self.entry(kind, at) }, key).map(Some)
    }

    /// Hands the signing over to another key.
    pub fn hand_over(
        &mut self,
        at: u64,
        old: &SigningKey,
        new: &SigningKey,
    ) -> Result<&Receipt, LineageError> {
        let handover = Some(Handover::new(self.agent, old.public(), new));
        self.append(Entry { handover, ..self.entry(Kind::Handover, at) }, old)
    }

    /// Signs that the brain came back from a snapshot.
    pub fn restored(&mut self, at: u64, key: &SigningKey) -> Result<&Receipt, LineageError> {
        self.append(self.entry(Kind::Restored, at), key)
    }

    fn entry(&self, kind: Kind, at: u64) -> Entry {
        Entry { kind, at, after: self.current(), changes: Vec::new(), task: None, handover: None }
    }

    fn append(&mut self, entry: Entry, key: &SigningKey) -> Result<&Receipt, LineageError> {
        let at = entry.at;
        let (kind, before) = (entry.kind, self.chain.last().map(|last| last.after.knowledge));
        self.chain.append(self.agent, entry, key)?;
        if before != Some(self.found.knowledge) {
            self.keep_texts(kind);
        }
        self.write_lock(at)?;
        // There is one: it was just written.
        self.chain.last().ok_or_else(|| LineageError::Lock {
            path: self.folder.to_owned(),
            error: io::ErrorKind::NotFound.into(),
        })
    }

    /// Keeps what files say now, for whoever wants to see what changed. A brain without it is as good.
    fn keep_texts(&self, kind: Kind) {
        let Some(last) = self.chain.last() else { return };
        let none = BTreeMap::new();
        let lock = self.lock.as_ref().filter(|lock| lock.receipts == last.index);
        let before = lock.map_or(&none, |lock| &lock.members);
        let receipt = Some(last.index).filter(|_| lock.is_some());
        let shown = match kind {
            Kind::Outside | Kind::Edited | Kind::Learned => {
                texts::Shown { files: receipt, rows: receipt }
            }
            // What a task noted, its transcript tells.
            Kind::Task => texts::Shown { files: receipt, rows: None },
            Kind::Created | Kind::Handover | Kind::Restored => texts::Shown::default(),
        };
        let _ = texts::follow(self.folder, self.layout, before, &self.found.members, shown);
    }

    /// Writes the lock file, when it says anything else.
    fn write_lock(&mut self, at: u64) -> Result<(), LineageError> {
        let Some(last) = self.chain.last() else { return Ok(()) };
        let mut lock = Lock {
            bundle_hash: last.after.whole(),
            version: last.after.version,
            last_updated: self.lock.as_ref().map_or(at, |lock| lock.last_updated),
            knowledge: last.after.knowledge,
            activity: last.after.activity,
            receipts: last.index + 1,
            members: self.found.members.clone(),
        };
        if self.lock.as_ref() == Some(&lock) {
            return Ok(());
        }
        lock.last_updated = at;
        let path = self.folder.join(LOCK_FILE);
        let mut text = serde_json::to_vec_pretty(&lock).unwrap_or_default();
        text.push(b'\n');
        crate::brain::files::write(&path, &text)
            .map_err(|error| LineageError::Lock { path, error: io::Error::other(error) })?;
        self.lock = Some(lock);
        Ok(())
    }
}

/// What the lock file of a brain says; none when there is none or it cannot be understood.
pub fn read_lock(folder: &Path) -> Result<Option<Lock>, LineageError> {
    let path = folder.join(LOCK_FILE);
    match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Ok(about) if about.is_file() && about.len() <= MAX_LOCK_BYTES => {}
        Ok(_) => return Ok(None),
        Err(error) => return Err(LineageError::Lock { path, error }),
    }
    let text = fs::read(&path).map_err(|error| LineageError::Lock { path, error })?;
    Ok(serde_json::from_slice(&text).ok())
}

/// What is wrong with the lock file of a brain whose newest receipt is `last`. Written after the receipt, it
/// may be one behind: then it is about the state before. With a look at the brain, its list is compared as
/// well, where that can be told.
pub fn lock_fault(
    folder: &Path,
    lock: Option<&Lock>,
    last: &Receipt,
    found: Option<&StateHash>,
) -> Option<LockFault> {
    let Some(lock) = lock else {
        let is_there = folder.join(LOCK_FILE).symlink_metadata().is_ok();
        let may_be_missing = last.index == 0;
        return match (is_there, may_be_missing) {
            (true, _) => Some(LockFault::Damaged),
            (false, false) => Some(LockFault::Missing),
            (false, true) => None,
        };
    };
    let (knowledge, activity, version) = (lock.knowledge, lock.activity, lock.version);
    let says = State { knowledge, activity, version };
    let is_newest = lock.receipts == last.index + 1 && says == last.after;
    let is_behind = lock.receipts == last.index && Some(says) == last.before;
    let is_as_found = |found: &StateHash| {
        (found.knowledge, found.activity) != (knowledge, activity) || found.members == lock.members
    };
    let holds = (is_newest || is_behind)
        && lock.bundle_hash == says.whole()
        && found.is_none_or(is_as_found);
    (!holds).then_some(LockFault::Other)
}

/// The members of a brain that differ from what was signed last, as far as its lock file can tell. It is
/// not signed: it says where to look, not what holds.
pub fn differing_from(folder: &Path, signed: &State, found: &StateHash) -> Vec<String> {
    let lock = read_lock(folder).ok().flatten();
    let lock = lock.filter(|lock| lock.bundle_hash == signed.whole());
    lock.map_or_else(Vec::new, |lock| differing(&lock.members, &found.members))
}

/// The names whose digests differ, or that only one side has.
pub fn differing(
    before: &BTreeMap<String, Digest>,
    after: &BTreeMap<String, Digest>,
) -> Vec<String> {
    let gone = before.iter().filter(|(name, digest)| after.get(*name) != Some(digest));
    let new = after.iter().filter(|(name, _)| !before.contains_key(*name));
    let mut names: Vec<String> = gone.chain(new).map(|(name, _)| name.clone()).collect();
    names.sort();
    names
}
