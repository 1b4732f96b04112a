//! What can go wrong in the library, each with the place and the next step.

use std::path::{Path, PathBuf};

use hone_skill::{Diagnostic, EditError, NoSlug};

use crate::files::check_support_path;

/// An error of the library.
#[derive(Debug, thiserror::Error)]
pub enum Error {
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
    /// The state database failed.
    #[error("the state database failed: {0}")]
    State(#[from] rusqlite::Error),
    /// The state database belongs to a newer hone.
    #[error("`{}` was written by a newer hone (format {found}, this one knows {known})", path.display())]
    NewerState {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// Ours.
        known: i64,
    },
    /// A configuration file is not right.
    #[error("`{}`: {message}", path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where there is one.
        message: String,
    },
    /// No skill of that name.
    #[error("there is no skill `{name}`")]
    NotFound {
        /// What was asked for.
        name: String,
        /// Names that come near.
        near: Vec<String>,
        /// A skill of that name exists but is not available, and why.
        hidden: Option<String>,
    },
    /// Several skills answer to the name.
    #[error("`{name}` could be any of {}", choices.join(", "))]
    Ambiguous {
        /// What was asked for.
        name: String,
        /// How to address each of them.
        choices: Vec<String>,
    },
    /// The skill is there already.
    #[error("the skill `{name}` exists already at `{}`", path.display())]
    Exists {
        /// Its name.
        name: String,
        /// Where it is.
        path: PathBuf,
    },
    /// Two declared names share a slug.
    #[error("`{new}` and the existing `{old}` would share the slug `{slug}`")]
    SlugConflict {
        /// The name to be written.
        new: String,
        /// The name that is there.
        old: String,
        /// Their slug.
        slug: String,
    },
    /// A name that has no slug.
    #[error(transparent)]
    NoSlug(#[from] NoSlug),
    /// The result would not be a valid skill, so nothing was written.
    #[error("the result would not be a valid skill: {}", problems.first().map_or("", |d| d.message.as_str()))]
    Invalid {
        /// All that is wrong with it.
        problems: Vec<Diagnostic>,
        /// The text that was refused.
        text: String,
    },
    /// A text could not be edited in place.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// The text to replace is not there exactly once.
    #[error("{0}")]
    Patch(#[from] crate::patch::PatchError),
    /// A path inside a skill that we do not write to.
    #[error("`{}` cannot be a file of a skill: {why}", path.escape_debug())]
    FilePath {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// The skill has no such file.
    #[error("the skill has no file `{}`", path.escape_debug())]
    NoFile {
        /// The path as given.
        path: String,
        /// The files that it has.
        files: Vec<String>,
    },
    /// A file over a limit.
    #[error("`{what}` has {found} {unit}, {limit} are allowed")]
    TooLarge {
        /// The file.
        what: String,
        /// Its size.
        found: usize,
        /// The limit.
        limit: usize,
        /// `bytes` or `characters`.
        unit: &'static str,
    },
    /// The action is not allowed on this skill.
    #[error("{0}")]
    Refused(String),
    /// The file changed since it was read.
    #[error("`{}` changed in the meantime", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// No such revision.
    #[error("`{name}` has no revision {revision}")]
    NoRevision {
        /// The skill.
        name: String,
        /// What was asked for.
        revision: u64,
        /// The newest one.
        newest: u64,
    },
    /// An old version's bytes are gone or damaged.
    #[error("the kept object {hash} is missing or damaged")]
    Object {
        /// Its hash.
        hash: String,
    },
}

impl Error {
    /// Wraps an I/O error with what was tried and where.
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Whether the answer is "no" (exit code 1) rather than "could not run" (exit code 2).
    pub fn is_answer(&self) -> bool {
        !matches!(
            self,
            Self::Io { .. } | Self::State(_) | Self::NewerState { .. } | Self::Config { .. }
        )
    }

    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NewerState { .. } => {
                Some("update hone, or set `HONE_HOME` to another folder".to_owned())
            }
            Self::NotFound { hidden: Some(hidden), .. } => Some(hidden.clone()),
            Self::NotFound { near, .. } if !near.is_empty() => {
                let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
                Some(format!("did you mean {}?", near.join(" or ")))
            }
            Self::NotFound { .. } => Some("`hone list` shows what is there".to_owned()),
            Self::Ambiguous { .. } => Some("use one of them as it is written here".to_owned()),
            Self::Exists { name, .. } => {
                Some(format!("change it with `hone edit {name}` or `hone patch {name}`"))
            }
            Self::SlugConflict { .. } => {
                Some("choose a name that differs in letters or digits".to_owned())
            }
            Self::Invalid { problems, .. } => {
                problems.first().and_then(|problem| problem.hint.clone())
            }
            Self::Patch(error) => error.hint(),
            Self::FilePath { path, .. } if check_support_path(path).is_err() => Some(
                "files live under `references/`, `templates/`, `scripts/` or `assets/`".to_owned(),
            ),
            Self::NoFile { files, .. } if files.is_empty() => {
                Some("it has no supporting files".to_owned())
            }
            Self::NoFile { files, .. } => {
                const SHOWN: usize = 20;
                let more = files.len().saturating_sub(SHOWN);
                let shown = files[..files.len() - more].join(", ");
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                Some(format!("it has {shown}{more}"))
            }
            Self::Changed { .. } => Some("look at it again and repeat the change".to_owned()),
            Self::NoRevision { newest, .. } => Some(format!("the newest is {newest}")),
            Self::Object { .. } => {
                Some("revisions that do not need it can still be brought back".to_owned())
            }
            _ => None,
        }
    }
}
