//! The rows of the audit log that the hub writes.

use std::path::Path;

use hone_library::Author;
use hone_library::audit::Event;
use serde::{Deserialize, Serialize};

use crate::lock::Locked;

/// What the hub did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Act {
    /// A skill was installed.
    Install,
    /// A later version was installed.
    Update,
    /// A lock file was made true.
    Restore,
    /// A skill was removed.
    Remove,
    /// The policy said no.
    Block,
    /// A person is to decide.
    Ask,
    /// A person said yes.
    Approve,
    /// A person said no.
    Reject,
    /// An earlier version was brought back.
    Rollback,
    /// A skill was made visible in another folder. That it was taken back is the library's to say.
    Share,
}

impl Act {
    /// The word in the log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Install => "install",
            Self::Update => "update",
            Self::Restore => "restore",
            Self::Remove => "remove",
            Self::Block => "block",
            Self::Ask => "ask",
            Self::Approve => "approve",
            Self::Reject => "reject",
            Self::Rollback => "rollback",
            Self::Share => "share",
        }
    }
}

/// A row about a skill at a place; what the lock says about it, where it says something.
pub(crate) fn event(author: &Author, act: Act, entry: Option<&Locked>, place: &Path) -> Event {
    let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Event {
        at: author.now,
        actor: author.actor.clone(),
        action: act.word().to_owned(),
        skill: entry.map_or(name, |entry| entry.name.clone()),
        place: place.to_string_lossy().into_owned(),
        source: entry.map(pinned).unwrap_or_default(),
        content: entry.map(Locked::content).unwrap_or_default(),
        verdict: entry.map(|entry| entry.verdict.word().to_owned()).unwrap_or_default(),
        detail: author.reason.clone(),
    }
}

/// The same row with more to know.
pub(crate) fn with_detail(mut row: Event, detail: &str) -> Event {
    match (row.detail.is_empty(), detail.is_empty()) {
        (true, _) => detail.clone_into(&mut row.detail),
        (false, true) => {}
        (false, false) => row.detail = format!("{detail}; {}", row.detail),
    }
    row
}

/// What the ledger says of a version that arrives.
pub(crate) fn arrived_from(entry: &Locked) -> String {
    format!("from {}", pinned(entry))
}

/// A source with what it is pinned to.
pub(crate) fn pinned(entry: &Locked) -> String {
    let pin = entry.commit.as_ref().or(entry.digest.as_ref());
    match pin {
        Some(pin) => format!("{} at {pin}", entry.source),
        None => entry.source.clone(),
    }
}
