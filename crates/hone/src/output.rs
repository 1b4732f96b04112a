//! Where output goes: data to standard output, words to standard error.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use hone_library::Error;
use hone_skill::Profile;
use serde::Serialize;
use serde_json::ser::Formatter;

use crate::context::shortened_from;
use crate::snippet::Source;
use crate::terminal::{is_forbidden, printable, stderr_style, stdout_is_terminal};

/// Exit code: the answer is no.
pub(crate) const NO: u8 = 1;
/// Exit code: wrong usage, or could not run.
pub(crate) const FAILED: u8 = 2;

/// What ends a command early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Library(#[from] Error),
    /// Could not run.
    #[error("{message}")]
    Failed { message: String, hint: Option<String> },
    /// The answer is no.
    #[error("{message}")]
    No { message: String, hint: Option<String> },
    /// Another failure, with more to say about what to do next.
    #[error("{failure}")]
    Advised { failure: Box<Failure>, advice: String },
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

    pub(crate) fn advised(self, advice: String) -> Self {
        Self::Advised { failure: Box::new(self), advice }
    }

    /// Prints the failure and gives its exit code. A reader that went away is no failure.
    pub(crate) fn report(&self) -> ExitCode {
        if let Self::Output(error) = self
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        self.explain();
        ExitCode::from(self.code())
    }

    fn explain(&self) {
        match self {
            Self::Advised { failure, advice } => {
                failure.explain();
                say(&shortened(&format!("hint: {advice}")));
                return;
            }
            Self::Library(Error::Invalid { problems, text }) => {
                let source = Source::new("SKILL.md", text);
                for problem in problems {
                    say_rendered(&source.rendered(problem, Profile::Spec, stderr_style()));
                }
                say("error: the result would not be a valid skill, so nothing was written");
                return;
            }
            _ => say(&shortened(&format!("error: {self}"))),
        }
        if let Some(hint) = self.hint() {
            say(&shortened(&format!("hint: {hint}")));
        }
    }

    /// What to do next, where there is a good guess.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Library(Error::NoSlug(_)) => Some("use at least one letter or digit".to_owned()),
            Self::Library(error) => error.hint(),
            Self::Failed { hint, .. } | Self::No { hint, .. } => hint.clone(),
            Self::Advised { advice, .. } => Some(advice.clone()),
            Self::Output(_) => None,
        }
    }

    fn code(&self) -> u8 {
        match self {
            Self::Library(error) if error.is_answer() => NO,
            Self::No { .. } => NO,
            Self::Advised { failure, .. } => failure.code(),
            Self::Library(_) | Self::Failed { .. } | Self::Output(_) => FAILED,
        }
    }
}

/// A sentence of a crate that does not know whose home this is, with paths below it shortened.
fn shortened(text: &str) -> String {
    match std::env::home_dir() {
        Some(home) => shortened_from(&home, text),
        None => text.to_owned(),
    }
}

/// Prints what the command line's own parser has to say, and gives the exit code.
pub(crate) fn report_usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // It quotes the arguments, and those may come from anywhere.
        say(error.to_string().trim_end());
        return ExitCode::from(FAILED);
    }
    let _ = error.print();
    ExitCode::SUCCESS
}

fn some(hint: &str) -> Option<String> {
    (!hint.is_empty()).then(|| hint.to_owned())
}

/// `1 skill`, `2 skills`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// A word of a command that a person may copy into a shell.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./~:+@%,=".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(format!("'{}'", word.replace('\'', r"'\''")))
    }
}

/// Says something to the person, on standard error.
pub(crate) fn say(text: &str) {
    say_rendered(&format!("{}\n", printable(text)));
}

/// Says something that is safe for a terminal already, and may carry colours.
pub(crate) fn say_rendered(text: &str) {
    // A person who cannot be told is no reason to stop.
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// How far a long task is, on a terminal and only when it takes long.
pub(crate) struct Progress {
    doing: &'static str,
    total: usize,
    done: usize,
    next: Option<Instant>,
    is_shown: bool,
}

/// How long a task runs before it says how far it is, and how often after that.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);
/// Columns of the bar.
const PROGRESS_COLUMNS: usize = 20;

impl Progress {
    pub(crate) fn new(doing: &'static str, total: usize) -> Self {
        let is_seen = io::stderr().is_terminal();
        let next = is_seen.then(|| Instant::now() + PROGRESS_INTERVAL);
        Self { doing, total, done: 0, next, is_shown: false }
    }

    pub(crate) fn step(&mut self) {
        self.done += 1;
        let Some(next) = self.next else { return };
        let now = Instant::now();
        if now >= next {
            say_rendered(&format!("\r{}", self.bar()));
            self.next = Some(now + PROGRESS_INTERVAL);
            self.is_shown = true;
        }
    }
}

impl Progress {
    fn bar(&self) -> String {
        let full = (PROGRESS_COLUMNS * self.done).checked_div(self.total).unwrap_or(0);
        let bar = format!("{:.<PROGRESS_COLUMNS$}", "#".repeat(full));
        format!("{} [{bar}] {} of {}", self.doing, self.done, self.total)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.is_shown {
            self.done = self.total;
            say_rendered(&format!("\r{}\r", " ".repeat(self.bar().len())));
        }
    }
}

/// Standard output, written whole.
pub(crate) fn stdout() -> BufWriter<io::StdoutLock<'static>> {
    BufWriter::with_capacity(64 * 1024, io::stdout().lock())
}

/// Prints a value as JSON with a line end.
pub(crate) fn print_json<T: Serialize>(value: &T) -> Outcome {
    let mut out = stdout();
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, VisibleJson);
    value.serialize(&mut serializer).map_err(io::Error::from)?;
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

/// Prints text that a program may want as it is: exact in a pipe, safe on a terminal.
pub(crate) fn print_data(text: &str) -> Outcome {
    if stdout_is_terminal() { print(&printable(text)) } else { print(text) }
}

/// Prints words that a program may want as they are, one a line.
pub(crate) fn print_lines(lines: impl IntoIterator<Item = String>) -> Outcome {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    print_data(&text)
}

/// JSON whose strings hold no character that could deceive a terminal: each is written as `\u….`,
/// which means the same to a program.
struct VisibleJson;

impl Formatter for VisibleJson {
    fn write_string_fragment<W>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()>
    where
        W: ?Sized + Write,
    {
        writer.write_all(visible_json(fragment).as_bytes())
    }
}

/// JSON text, or a piece of a string in it, without characters that could deceive a terminal.
pub(crate) fn visible_json(text: &str) -> Cow<'_, str> {
    // Almost every text is plain ASCII, and a listing has megabytes of it.
    if text.bytes().all(|byte| byte < 0x7f) || !text.contains(is_forbidden) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if is_forbidden(character) {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(visible, "\\u{unit:04x}");
            }
        } else {
            visible.push(character);
        }
    }
    Cow::Owned(visible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_spells_out_what_a_terminal_would_obey() {
        let text = "plain, ü, del \u{7f}, csi \u{9b}31m, bidi \u{202e}, tag \u{e0041}";
        let visible = visible_json(text);
        assert_eq!(visible, r"plain, ü, del \u007f, csi \u009b31m, bidi \u202e, tag \udb40\udc41");
        let back: String = serde_json::from_str(&format!("\"{visible}\"")).unwrap();
        assert_eq!(back, text);
    }

    #[test]
    fn a_word_for_a_shell_is_quoted_when_it_must_be() {
        assert_eq!(quoted("a/b-c.md"), "a/b-c.md");
        assert_eq!(quoted("my skills/x"), "'my skills/x'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_bar_fills_from_nothing_to_its_end() {
        let bar = |done, total| {
            Progress { doing: "scanning", total, done, next: None, is_shown: false }.bar()
        };
        assert_eq!(bar(0, 3), "scanning [....................] 0 of 3");
        assert_eq!(bar(1, 3), "scanning [######..............] 1 of 3");
        assert_eq!(bar(3, 3), "scanning [####################] 3 of 3");
        assert_eq!(bar(0, 0), "scanning [....................] 0 of 0");
    }

    #[test]
    fn one_thing_is_not_plural() {
        assert_eq!(count(1, "skill"), "1 skill");
        assert_eq!(count(0, "skill"), "0 skills");
    }
}
