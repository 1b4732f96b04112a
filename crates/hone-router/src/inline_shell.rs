//! Commands in a skill's text: `` !`cmd` `` stands for what `cmd` prints.
//!
//! This module finds them and writes their output; running one is the caller's, through [`RunInline`],
//! who asks the guard first. Snippets are looked for in the text as its author wrote it, so neither an
//! argument nor the output of another command can become one. Inside code, after a backslash, or at the end of a
//! word (`stop!`), they are text.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use crate::requirements::{Answers, Secret};
use crate::text::is_unspaced;

/// How long one command may run.
pub const INLINE_TIMEOUT: Duration = Duration::from_secs(10);
/// How much of its output is taken, in characters.
pub const MAX_INLINE_CHARS: usize = 4_000;
/// Most commands in one skill's text; the rest is not run.
pub const MAX_INLINE_COMMANDS: usize = 16;

/// How much of a command or an error a marker quotes, in characters.
const MAX_QUOTED_CHARS: usize = 120;

/// A command of a skill's text, ready to be run by `bash -c COMMAND ARGUMENTS…`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InlineCommand {
    /// The skill whose text it is.
    pub skill: String,
    /// The skill's `allowed-tools`, which the guard holds the command against.
    pub allowed_tools: Vec<String>,
    /// The command; values are in the two next fields, never in it.
    pub command: String,
    /// The words that the skill was called with; the first is `$0`.
    pub arguments: Vec<String>,
    /// What this skill, and no other, finds in its environment.
    pub environment: Vec<(String, Secret)>,
    /// The skill's folder; where the command runs is for the runner to say.
    pub folder: Option<PathBuf>,
    /// How long it may run.
    pub timeout: Duration,
    /// How much of its output is of use, in characters.
    pub max_chars: usize,
}

/// What a command left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InlineOutput {
    /// What it printed.
    pub stdout: String,
    /// What it complained about.
    pub stderr: String,
    /// What it ended with.
    pub code: i32,
}

/// Why a command gave nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InlineError {
    /// The guard said no.
    #[error("was not run: {0}")]
    Denied(String),
    /// It ran too long.
    #[error("did not end within {} seconds", INLINE_TIMEOUT.as_secs())]
    TimedOut,
    /// It could not be started.
    #[error("could not be run: {0}")]
    Failed(String),
}

/// Runs a command of a skill's text under the permissions and the sandbox that are the caller's to keep.
pub trait RunInline {
    /// Runs it to its end, within its time.
    fn run(&self, command: &InlineCommand) -> Result<InlineOutput, InlineError>;
}

/// A snippet in a text: all of it, and the command inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Snippet {
    pub(crate) whole: Range<usize>,
    pub(crate) command: Range<usize>,
}

/// The snippets of a Markdown text, in order.
pub(crate) fn snippets(text: &str) -> Vec<Snippet> {
    let mut found = Vec::new();
    let mut fence: Option<(u8, usize)> = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        match fence {
            None => match fence_marker(opening(line)) {
                Some((mark, length, _)) => fence = Some((mark, length)),
                None => snippets_of_line(line, start, &mut found),
            },
            Some((open, least)) => {
                let marker = fence_marker(line.trim_start_matches([' ', '\t', '>']));
                let closes = |(mark, length, is_bare)| mark == open && length >= least && is_bare;
                if marker.is_some_and(closes) {
                    fence = None;
                }
            }
        }
        start += line.len();
    }
    found
}

/// A line without what may stand before a fence that opens: indentation, quotation marks, the marks of
/// a list. In doubt it is a fence: what is in one does not run.
fn opening(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
    let item = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(['.', ')']);
    item.unwrap_or(line).trim_start()
}

/// The backticks or tildes that a line starts with, how many, and whether nothing follows.
fn fence_marker(line: &str) -> Option<(u8, usize, bool)> {
    let content = line.trim_end();
    let mark = *content.as_bytes().first().filter(|byte| matches!(byte, b'`' | b'~'))?;
    let length = content.bytes().take_while(|byte| *byte == mark).count();
    let info = &content[length..];
    // Backticks after backticks make a code span, not a fence.
    let is_span = mark == b'`' && info.contains('`');
    (length >= 3 && !is_span).then_some((mark, length, info.is_empty()))
}

/// Goes from one run of backticks to the next: a code span is skipped, a lone backtick after `!` starts
/// a snippet.
fn snippets_of_line(line: &str, start: usize, found: &mut Vec<Snippet>) {
    let bytes = line.as_bytes();
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'`' {
            match runs.last_mut() {
                Some(run) if run.end == at => run.end += 1,
                _ => runs.push(at..at + 1),
            }
        }
    }
    // For each run, the next one of the same length closes it.
    let mut closing = vec![None; runs.len()];
    let mut next: HashMap<usize, usize> = HashMap::new();
    for (at, run) in runs.iter().enumerate().rev() {
        closing[at] = next.insert(run.len(), at);
    }
    let mut at = 0;
    while at < runs.len() {
        let Some(close) = closing[at] else {
            at += 1;
            continue;
        };
        let open = &runs[at];
        let before = line[..open.start].strip_suffix('!').map(|before| before.chars().next_back());
        // Behind a word, `!` ends a sentence, and what follows is code to be read; no blank parts words from what follows
        // them in scripts without any.
        let is_free = |c: Option<char>| {
            c.is_none_or(|c| {
                is_unspaced(c) || !c.is_alphanumeric() && !matches!(c, '\\' | '`' | '!')
            })
        };
        let is_escaped = line[..open.start].ends_with('\\');
        if open.len() == 1 && before.is_some_and(is_free) {
            found.push(Snippet {
                whole: start + open.start - 1..start + runs[close].end,
                command: start + open.end..start + runs[close].start,
            });
        } else if is_escaped {
            // A backtick after a backslash opens nothing.
            at += 1;
            continue;
        }
        at = close + 1;
    }
}

/// What stands in the text for a command that ran, or did not, without any of the answers.
pub(crate) fn shown(
    command: &str,
    result: Result<InlineOutput, InlineError>,
    answers: &Answers,
) -> String {
    let command = quoted(command, answers);
    let output = match result {
        Err(error) => {
            return format!("[inline shell: `{command}` {}]", answers.redact(&error.to_string()));
        }
        Ok(output) => output,
    };
    let printed = |text: &str| text.trim_end_matches(['\n', '\r']).to_owned();
    let (stdout, stderr) = (printed(&output.stdout), printed(&output.stderr));
    if output.code != 0 {
        let mut marker = format!("[inline shell: `{command}` ended with {}", output.code);
        let complaint = if stderr.is_empty() { &stdout } else { &stderr };
        if !complaint.is_empty() {
            let _ = write!(marker, ": {}", quoted(complaint, answers));
        }
        return marker + "]";
    }
    let text = if stdout.is_empty() { stderr } else { stdout };
    match text.char_indices().nth(MAX_INLINE_CHARS) {
        Some((end, _)) => format!(
            "{}\n[inline shell: cut after {MAX_INLINE_CHARS} characters]",
            answers.redact_start(&text, end)
        ),
        None => answers.redact(&text),
    }
}

/// One line of a text, shortened, without any of the answers.
fn quoted(text: &str, answers: &Answers) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_QUOTED_CHARS) {
        Some((end, _)) => format!("{}…", answers.redact_start(text, end)),
        None => answers.redact_start(text, line.len()),
    }
}
