//! Where output goes: data to standard output, words to standard error.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

use crate::terminal::printable;

/// Exit code: the answer is no.
pub(crate) const NO: u8 = 1;
/// Exit code: wrong usage, or could not run.
pub(crate) const FAILED: u8 = 2;

/// What ends a command early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Library(#[from] hone_library::Error),
    /// Could not run.
    #[error("{message}")]
    Failed { message: String, hint: Option<String> },
    /// The answer is no.
    #[error("{message}")]
    No { message: String, hint: Option<String> },
    /// Standard output failed.
    #[error("could not write to standard output: {0}")]
    Output(#[from] io::Error),
}

/// What a command ends with.
pub(crate) type Outcome = Result<ExitCode, Failure>;

impl Failure {
    pub(crate) fn failed(message: impl Into<String>, hint: &str) -> Self {
        Self::Failed { message: message.into(), hint: some(hint) }
    }

    pub(crate) fn no(message: impl Into<String>, hint: &str) -> Self {
        Self::No { message: message.into(), hint: some(hint) }
    }

    /// Prints the failure and gives its exit code. A reader that went away is no failure.
    pub(crate) fn report(&self) -> ExitCode {
        if let Self::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        let (hint, code) = match self {
            Self::Library(error) => (error.hint(), if error.is_answer() { NO } else { FAILED }),
            Self::Failed { hint, .. } => (hint.clone(), FAILED),
            Self::No { hint, .. } => (hint.clone(), NO),
            Self::Output(_) => (None, FAILED),
        };
        say(&format!("error: {self}"));
        if let Some(hint) = hint {
            say(&format!("hint: {hint}"));
        }
        ExitCode::from(code)
    }
}

fn some(hint: &str) -> Option<String> {
    (!hint.is_empty()).then(|| hint.to_owned())
}

/// Says something to the person, on standard error.
pub(crate) fn say(text: &str) {
    // A person who cannot be told is no reason to stop.
    let _ = writeln!(io::stderr().lock(), "{}", printable(text));
}

/// Standard output, written whole.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

/// Prints a value as JSON with a line end.
pub(crate) fn print_json<T: serde::Serialize>(value: &T) -> Outcome {
    let mut out = stdout();
    serde_json::to_writer(&mut out, value).map_err(io::Error::from)?;
    out.write_all(b"\n")?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Prints text that is already safe for a terminal.
pub(crate) fn print(text: &str) -> Outcome {
    let mut out = stdout();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
