//! Why a task stopped. Every variant carries what was being done, so that the one line
//! printed at the end is enough to act on.

use std::fmt;
use std::io;
use std::process::ExitStatus;

/// The reason a task did not finish.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line was not understood.
    Usage(String),
    /// A command ran and said no.
    Command { line: String, status: ExitStatus },
    /// The system refused something.
    Io { doing: String, source: io::Error },
    /// Something is not as it has to be; the text says what to do about it.
    Unmet(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Usage(text) | Self::Unmet(text) => f.write_str(text),
            Self::Command { line, status } => write!(f, "`{line}` failed ({status})"),
            Self::Io { doing, source } => write!(f, "cannot {doing}: {source}"),
        }
    }
}

impl std::error::Error for Failure {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::Usage(_) | Self::Command { .. } | Self::Unmet(_) => None,
        }
    }
}

/// Names what was being done when the system refused.
pub(crate) trait Doing<T> {
    /// `doing` completes the sentence "cannot …".
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Failure> {
        self.map_err(|source| Failure::Io { doing: doing(), source })
    }
}
