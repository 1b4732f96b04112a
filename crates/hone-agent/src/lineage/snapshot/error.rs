//! What can stand in the way of a snapshot or a restore.

use std::io;
use std::path::{Path, PathBuf};

use super::super::chain::{Break, ChainError};
use super::super::keys::{KeyError, PublicKey};
use super::super::state::StateError;

/// Why a snapshot was not taken, read, restored or removed.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A file here.
    #[error("`{path}`: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The database could not be copied.
    #[error("`{path}`: {error}")]
    Database {
        /// Which.
        path: PathBuf,
        /// Why.
        error: rusqlite::Error,
    },
    /// The brain has no state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The brain's receipts cannot be read.
    #[error(transparent)]
    Chain(#[from] ChainError),
    /// The store did not do what it was asked, not even after several tries.
    #[error("the store, `{path}`: {error}")]
    Store {
        /// The object.
        path: String,
        /// Why.
        error: object_store::Error,
    },
    /// A text that names no store.
    #[error(
        "`{url}` names no store: {why}; give file:///FOLDER, s3://BUCKET/…, gs://BUCKET/… or az://CONTAINER/…"
    )]
    Url {
        /// What was given.
        url: String,
        /// What is wrong.
        why: String,
    },
    /// A text that names no agent.
    #[error(
        "`{0}` is no name of an agent: at most 64 letters, digits, `-`, `_` and `.`, and no `.` in front"
    )]
    Agent(String),
    /// Nobody said where to.
    #[error("there is no store for the snapshots of `{agent}`")]
    NoStore {
        /// The agent.
        agent: String,
    },
    /// No key, so nothing can be encrypted.
    #[error("there is no key for snapshots, and without one nothing is packed or opened")]
    NoKey,
    /// The key cannot be used.
    #[error("the key for snapshots, {what}: {why}")]
    Key {
        /// Which.
        what: String,
        /// What is wrong.
        why: String,
    },
    /// The key that signs the agent's receipts.
    #[error(transparent)]
    Signing(#[from] KeyError),
    /// Sealed under another key.
    #[error("`{path}` is sealed under another key than the one given")]
    WrongKey {
        /// The object.
        path: String,
    },
    /// Not what was put there.
    #[error("`{path}` is damaged or not genuine: {why}")]
    Damaged {
        /// The object.
        path: String,
        /// What is wrong.
        why: String,
    },
    /// Beyond a limit.
    #[error("{what} is larger than {most}")]
    TooLarge {
        /// What.
        what: String,
        /// The limit.
        most: u64,
    },
    /// Files changed each time they were copied.
    #[error(
        "`{path}` kept changing while it was copied; take the snapshot when nothing writes files there"
    )]
    Moving {
        /// The brain.
        path: PathBuf,
    },
    /// A brain without a history.
    #[error(
        "`{path}` has no receipts yet: its first task, or the first change through hone, signs how it was made"
    )]
    NoReceipts {
        /// The brain.
        path: PathBuf,
    },
    /// Receipts that are not this agent's.
    #[error("`{path}` has receipts of the agent `{found}`, not of `{expected}`")]
    OtherAgent {
        /// The brain.
        path: PathBuf,
        /// Whose they should be.
        expected: String,
        /// Whose they are.
        found: String,
    },
    /// Signed, or to be signed, by a key that the receipts do not know.
    #[error("signed by the key {found}, but the receipts say {expected}")]
    OtherSigner {
        /// The key of the receipts.
        expected: PublicKey,
        /// The key at hand.
        found: PublicKey,
    },
    /// The chain of receipts does not hold.
    #[error("the receipts do not hold: {}", .0.first().map_or_else(String::new, |first| format!("receipt {}, {}: {}", first.index, first.field, first.why)))]
    Broken(Vec<Break>),
    /// The newest snapshot has a history that this brain has not.
    #[error(
        "the newest snapshot ({number}) has receipts that this brain has not: this brain is older, or another one; restore first, or say that this one replaces it"
    )]
    Behind {
        /// The newest snapshot.
        number: u64,
    },
    /// Somebody else was faster.
    #[error(
        "another snapshot took the number {number} first; look at it before you take another one"
    )]
    Lost {
        /// The number.
        number: u64,
    },
    /// Too long under way to be safe from a removal of old objects.
    #[error("the snapshot took longer than {hours} hours and was given up; try again")]
    TooSlow {
        /// The limit.
        hours: u64,
    },
    /// Nothing to restore.
    #[error("the store has no snapshot{} of the agent `{agent}`", .number.map_or_else(String::new, |number| format!(" {number}")))]
    Missing {
        /// The agent.
        agent: String,
        /// The snapshot that was asked for.
        number: Option<u64>,
    },
    /// No snapshot of that version.
    #[error("the store has no snapshot of version {version} of `{agent}`")]
    NoVersion {
        /// The agent.
        agent: String,
        /// The version that was asked for.
        version: u64,
    },
    /// The store offers less than it had.
    #[error(
        "the newest snapshot in the store is {found}, but {known} is known here: the store was set back; name a snapshot if you want an older one"
    )]
    Older {
        /// The newest that is known.
        known: u64,
        /// The newest that is there.
        found: u64,
    },
    /// The store offers less than another one had.
    #[error(
        "the newest snapshot in the store has {found} receipts, but one with {known} is known here from `{store}`: the store is behind, or was set back; name a snapshot if you want an older one"
    )]
    OlderThanElsewhere {
        /// Where the newer one was seen.
        store: String,
        /// Its receipts.
        known: u64,
        /// Those of the newest that is there.
        found: u64,
    },
    /// The store offers another history than the one that is known.
    #[error("snapshot {number} has another history than the one that is known here: {why}")]
    Forked {
        /// The snapshot.
        number: u64,
        /// What differs.
        why: String,
    },
    /// Something is where the brain should go.
    #[error("`{path}` is there already; nothing is restored over it, so move it away first")]
    Occupied {
        /// The target.
        path: PathBuf,
    },
    /// The same thing is under way.
    #[error("`{path}` is locked: another snapshot or restore of this brain is under way")]
    Busy {
        /// The lock.
        path: PathBuf,
    },
    /// What a task under way has changed cannot be told from what was there before it.
    #[error("what the running task changed cannot be taken out of the copy `{path}`: {why}")]
    Unsettled {
        /// The copy.
        path: String,
        /// Why.
        why: String,
    },
    /// Asked to stop.
    #[error("cancelled")]
    Cancelled,
}

impl SnapshotError {
    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NoStore { .. } => {
                "name one: `--to STORE` or `--from STORE`, the variable HONE_SNAPSHOT_STORE, or `hone config set snapshots.store STORE`"
            }
            Self::NoKey => {
                "make one with `head -c 32 /dev/urandom > KEY && chmod 600 KEY`, keep a copy elsewhere, and name it: `--key-file KEY`, HONE_SNAPSHOT_KEY_FILE, or `hone config set snapshots.key_file KEY`; or set HONE_SNAPSHOT_PASSPHRASE"
            }
            Self::WrongKey { .. } => "give the key that the snapshot was taken with",
            Self::Damaged { .. } => {
                "an older snapshot may be whole: `--list` shows them, `--number N` restores one"
            }
            Self::Broken(_) => {
                "`hone agent verify ID` names every place; an older snapshot may hold: `--list` shows them, `--number N` restores one"
            }
            Self::Behind { .. } => {
                "restore the newest one elsewhere and compare, or take this one with `--replace`"
            }
            Self::Older { .. } | Self::OlderThanElsewhere { .. } | Self::Forked { .. } => {
                "find out who changed the store; `--number N` restores a snapshot that you name"
            }
            Self::Missing { .. } | Self::NoVersion { .. } => "`--list` shows the snapshots that are there",
            _ => return None,
        }
        .to_owned())
    }

    /// Whether it is an answer to what was asked, and not a failure to find out.
    pub fn is_answer(&self) -> bool {
        !matches!(
            self,
            Self::Io { .. }
                | Self::Database { .. }
                | Self::Store { .. }
                | Self::Url { .. }
                | Self::NoStore { .. }
                | Self::NoKey
                | Self::Key { .. }
                | Self::Signing(_)
                | Self::Unsettled { .. }
                | Self::Cancelled
        )
    }

    pub(super) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        |error| Self::Io { path, error }
    }

    pub(super) fn damaged(path: impl Into<String>, why: impl Into<String>) -> Self {
        Self::Damaged { path: path.into(), why: why.into() }
    }
}
