//! What can go wrong in the hub, each with the place and the next step.

use std::path::{Path, PathBuf};

/// An error of the hub. Whatever was there before is as it was, but for [`Error::Unrecorded`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The library failed.
    #[error(transparent)]
    Library(#[from] hone_library::Error),
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
    /// Nothing came from a source.
    #[error("`{}`: {why}", source_text.escape_debug())]
    Fetch {
        /// The source.
        source_text: String,
        /// Why.
        why: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A skill could not be scanned, so it cannot be judged.
    #[error(transparent)]
    Scan(#[from] hone_guard::ScanError),
    /// Another process is at work on the same lock file.
    #[error("{owner} is at work on `{}`", path.display())]
    Busy {
        /// The lock file.
        path: PathBuf,
        /// Who, as far as it is known.
        owner: String,
    },
    /// A lock file of a newer version is read, never written.
    #[error("`{}` has version {found}, this hone knows {known}: nothing was changed", path.display())]
    NewerLock {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u64,
        /// Ours.
        known: u64,
    },
    /// A lock file that cannot be read.
    #[error("`{}`: {message}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        message: String,
    },
    /// No such skill in the lock.
    #[error("`{}` is not in `{}`", name.escape_debug(), path.display())]
    NotInstalled {
        /// What was asked for.
        name: String,
        /// The lock file.
        path: PathBuf,
    },
    /// No such skill, and no lock file either.
    #[error("`{}` is not installed: there is no `{}`", name.escape_debug(), path.display())]
    NoLock {
        /// What was asked for.
        name: String,
        /// Where the lock file would be.
        path: PathBuf,
    },
    /// The files of a skill are not what was installed.
    #[error("`{name}` has local edits: {}", files.join(", "))]
    Edited {
        /// The skill.
        name: String,
        /// Its folder.
        path: PathBuf,
        /// The files that differ.
        files: Vec<String>,
    },
    /// Nothing waits under that id.
    #[error("nothing waits for approval as `{}`", id.escape_debug())]
    NoApproval {
        /// What was asked for.
        id: String,
    },
    /// The files are in place, and the lock file could not be written.
    #[error("{0}; the skills are in place and not written down yet")]
    Unrecorded(Box<Error>),
    /// The action is not allowed.
    #[error("{0}")]
    Refused(String),
}

impl Error {
    /// Wraps an I/O error with what was tried and where.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Whether the answer is "no" (exit code 1) rather than "could not run" (exit code 2).
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Library(error) => error.is_answer(),
            Self::NotInstalled { .. }
            | Self::NoLock { .. }
            | Self::Edited { .. }
            | Self::NoApproval { .. }
            | Self::Refused(_) => true,
            _ => false,
        }
    }

    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Library(error) => error.hint(),
            Self::Busy { .. } => Some("wait until it is done, and try again".to_owned()),
            Self::NewerLock { .. } => Some("update hone".to_owned()),
            Self::Lock { .. } => Some("mend it, or bring it back from version control".to_owned()),
            Self::NotInstalled { .. } => Some("`hone verify` lists what is in it".to_owned()),
            Self::NoLock { .. } => {
                Some("`hone add` installs skills; `hone rm` takes away one of your own".to_owned())
            }
            Self::Edited { path, .. } => Some(edited_hint(&path.display().to_string())),
            Self::NoApproval { .. } => Some("`hone approve` lists what waits".to_owned()),
            Self::Unrecorded(_) => {
                Some("when that is mended, the next `hone update` writes them down".to_owned())
            }
            _ => None,
        }
    }
}

/// What to do about edits, for a path as a person types it.
pub fn edited_hint(path: &str) -> String {
    format!(
        "`hone diff {path} --locked` shows them; `--discard-edits` gives them up, `hone rollback {path}` brings them back"
    )
}
