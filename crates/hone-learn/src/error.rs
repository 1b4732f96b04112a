//! What can go wrong while learning.

use std::path::PathBuf;

use hone_agent::brain::BrainError;
use hone_agent::model::ModelError;

/// Why something could not be learned, kept or changed.
#[derive(Debug, thiserror::Error)]
pub enum LearnError {
    /// The records of learning.
    #[error("`{}`: {source}", path.display())]
    Records {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// The records are of a newer hone.
    #[error("`{}` has format {found}, this hone knows {known}", path.display())]
    Newer {
        /// The database.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest that is known.
        known: i64,
    },
    /// A file.
    #[error("could not {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A skill could not be read or written.
    #[error(transparent)]
    Library(#[from] hone_library::Error),
    /// The brain cannot be used.
    #[error(transparent)]
    Brain(#[from] BrainError),
    /// The model gave no reply.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A task could not be run.
    #[error(transparent)]
    Run(#[from] hone_agent::run::RunError),
    /// There is no such proposal.
    #[error("there is no proposal `{0}`")]
    NoProposal(String),
    /// It is not to be done, and why.
    #[error("{0}")]
    Refused(String),
}

impl LearnError {
    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Library(error) => error.hint(),
            Self::Brain(error) => error.hint(),
            Self::Run(error) => error.hint(),
            Self::NoProposal(_) => Some("`hone review` lists them".to_owned()),
            Self::Newer { .. } => Some("update hone".to_owned()),
            Self::Records { .. } | Self::Io { .. } | Self::Model(_) | Self::Refused(_) => None,
        }
    }

    /// Whether it is an answer (no) rather than a failure.
    pub fn is_answer(&self) -> bool {
        match self {
            Self::Library(error) => error.is_answer(),
            Self::NoProposal(_) | Self::Refused(_) => true,
            _ => false,
        }
    }
}
