//! Is this command inside what a skill declares?
//!
//! [`permit`] parses the command line as bash reads it and looks at everything it would run: each simple
//! command in lists, pipes, subshells, functions and substitutions, the commands behind `env`, `xargs`,
//! `find -exec`, `sh -c` and their kin, the files that redirections write, variables that change what
//! runs, and options that make an allowed program run another. One part that is not declared refuses
//! the whole. What cannot be parsed, or is only known when it runs, is refused as well.
//!
//! ```
//! use hone_guard::permit::permit;
//! use hone_skill::Permissions;
//!
//! let permissions = Permissions::parse("Bash(git status:*) Bash(git log:*)");
//! assert!(permit(&permissions, "git status -s && git log -1").is_allowed());
//!
//! let line = "git status; echo $(git push)";
//! let refusals = permit(&permissions, line).refusals;
//! let parts: Vec<&str> = refusals.iter().map(|refusal| &line[refusal.span.clone()]).collect();
//! assert_eq!(parts, ["echo", "git push"]);
//! ```

mod argument;
mod awk;
mod check;
mod command;
mod git;
mod interpreter;
mod language;
mod program;
mod stdin;
mod variable;
mod wrapper;

#[cfg(test)]
mod tests;

use hone_skill::Permissions;

use crate::shell::{self, Span};

pub use wrapper::inner;

/// Longest command line that is looked at, in bytes.
pub const MAX_COMMAND_BYTES: usize = 64 * 1024;

/// Commands inside commands (`env nice sh -c …`) that are followed.
pub const MAX_WRAPPED: usize = 16;

/// Refusals that are reported; the answer is no after the first.
pub const MAX_REFUSALS: usize = 20;

/// The answer for one command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Decision {
    /// What would be run, as far as it was looked at, each with the entry that permits it.
    pub granted: Vec<Grant>,
    /// What is not permitted, in order of the text; empty when all is.
    pub refusals: Vec<Refusal>,
}

/// A command that is permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Where it stands in the command line.
    pub span: Span,
    /// The entry of `allowed-tools` that permits it; nothing for what runs nothing (`true`).
    pub by: Option<String>,
}

/// A part of a command line that is not permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Where it stands in the command line.
    pub span: Span,
    /// What it would do that is not permitted.
    pub reason: String,
    /// What to declare, when a declaration would permit it.
    pub hint: Option<String>,
    /// The file that it would write, when that is what is not permitted.
    pub writes: Option<String>,
}

impl Decision {
    /// Whether all of the command line is inside what is declared.
    pub fn is_allowed(&self) -> bool {
        self.refusals.is_empty()
    }

    fn refused(span: Span, reason: &str) -> Self {
        let refusal = Refusal { span, reason: reason.to_owned(), hint: None, writes: None };
        Self { granted: Vec::new(), refusals: vec![refusal] }
    }
}

/// Whether `command`, a line of shell, is inside `permissions`.
pub fn permit(permissions: &Permissions, command: &str) -> Decision {
    if command.len() > MAX_COMMAND_BYTES {
        let reason = format!("longer than {MAX_COMMAND_BYTES} bytes");
        return Decision::refused(0..0, &reason);
    }
    if let Some(at) = command.find('\0') {
        return Decision::refused(at..at + 1, "a zero byte");
    }
    let parsed = shell::parse(command);
    if let Some(error) = parsed.errors.first() {
        let width = command[error.at.min(command.len())..].chars().next().map_or(0, char::len_utf8);
        let reason = format!("cannot be read as shell: {}", error.message);
        return Decision::refused(error.at..error.at + width, &reason);
    }
    if parsed.script.items.is_empty() {
        return Decision::refused(0..command.len(), "there is no command");
    }
    if let Some(entry) = permissions.unlimited() {
        let grant = Grant { span: parsed.script.span, by: Some(entry.text.clone()) };
        return Decision { granted: vec![grant], refusals: Vec::new() };
    }
    let mut checker = check::Checker::new(permissions, command);
    checker.script(&parsed.script);
    checker.decision()
}

/// One command line of these words, quoted so that a shell reads each as it is.
pub fn joined<T: AsRef<str>>(words: &[T]) -> String {
    let quoted = words.iter().map(|word| {
        let word = word.as_ref();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./:=@%+,".contains(c);
        // A plain word may still be a reserved one, or an assignment: quotes keep it a word.
        let first_is_plain =
            word.starts_with(|c: char| c.is_ascii_alphanumeric() || "_-./".contains(c));
        if !word.is_empty() && word.chars().all(is_plain) && first_is_plain && !word.contains('=') {
            word.to_owned()
        } else {
            format!("'{}'", word.replace('\'', r"'\''"))
        }
    });
    quoted.collect::<Vec<_>>().join(" ")
}
