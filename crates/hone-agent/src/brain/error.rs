//! What can go wrong with a brain, each with the place and the next step.

use std::path::{Path, PathBuf};

use super::lock::Owner;

/// An error of a brain.
#[derive(Debug, thiserror::Error)]
pub enum BrainError {
    /// A file operation failed.
    #[error("could not {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On which path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The library of skills failed.
    #[error(transparent)]
    Library(#[from] hone_library::Error),
    /// Its lineage cannot go on.
    #[error(transparent)]
    Lineage(Box<crate::lineage::LineageError>),
    /// A snapshot.
    #[error(transparent)]
    Snapshot(Box<crate::lineage::snapshot::SnapshotError>),
    /// The key that signs cannot be used.
    #[error(transparent)]
    Key(#[from] crate::lineage::KeyError),
    /// The memory's database failed.
    #[error("`{}` failed: {source}", path.display())]
    Database {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The memory's database belongs to a newer hone.
    #[error("`{}` was written by a newer hone (format {found}, this one knows {known})", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// A name that no agent can have.
    #[error("`{}` cannot be the name of an agent", id.escape_debug())]
    BadId {
        /// The name as given.
        id: String,
        /// One that could be used instead.
        instead: Option<String>,
    },
    /// No agent of that name.
    #[error("there is no agent `{id}`")]
    NoAgent {
        /// What was asked for.
        id: String,
        /// The agents that there are.
        agents: Vec<String>,
    },
    /// The agent is there already.
    #[error("the agent `{id}` exists already at `{}`", folder.display())]
    Exists {
        /// Its name.
        id: String,
        /// Its brain.
        folder: PathBuf,
    },
    /// A member of a brain is a link.
    #[error("`{}` is a link, and a brain has none", path.display())]
    Link {
        /// Where it is.
        path: PathBuf,
    },
    /// A member of a brain is a folder where a file is expected, or the other way round.
    #[error("`{}` is not a {expected}", path.display())]
    Shape {
        /// Where it is.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
    },
    /// A file of a brain cannot be used.
    #[error("`{}`: {message}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where there is one.
        message: String,
    },
    /// Another task has the brain.
    #[error("the agent is busy with {owner}")]
    Busy {
        /// Who has it.
        owner: Owner,
    },
    /// The caller stopped waiting.
    #[error("cancelled")]
    Cancelled,
}

impl BrainError {
    /// Wraps an I/O error with what was tried and where.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Whether the answer is "no" (exit code 1) rather than "could not run" (exit code 2).
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Library(error) => error.is_answer(),
            Self::Snapshot(error) => error.is_answer(),
            Self::BadId { .. } | Self::NoAgent { .. } | Self::Exists { .. } => true,
            _ => false,
        }
    }

    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Library(error) => return error.hint(),
            Self::Snapshot(error) => return error.hint(),
            Self::Newer { .. } => "update hone".to_owned(),
            Self::BadId { instead: Some(instead), .. } => format!("`{instead}` would do"),
            Self::BadId { .. } => "use lower-case letters, digits and hyphens".to_owned(),
            Self::NoAgent { id, agents } if agents.is_empty() => {
                format!("`hone agent new {id} --system FILE` makes it")
            }
            Self::NoAgent { agents, .. } => format!("there are: {}", agents.join(", ")),
            Self::Exists { id, .. } => {
                format!(
                    "`hone agent rm {id}` takes it away, `hone agent update {id} --seed DIR` brings it a newer seed"
                )
            }
            Self::Link { .. } => "put the file itself there".to_owned(),
            Self::Database { .. } => {
                "bring the brain back from a snapshot, or move the file away to start without memory"
                    .to_owned()
            }
            Self::Busy { .. } => "wait for it, or stop it".to_owned(),
            _ => return None,
        })
    }
}
