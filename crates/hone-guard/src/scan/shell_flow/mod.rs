//! Flows through shell text: what runs through pipes, variables, substitutions and files, and where
//! it ends.
//!
//! The tree of [`crate::shell`] is walked once in order. Every command has a meaning ([`commands`]):
//! what it reads, what it makes of its input, where it sends or writes. Nothing is run.

mod apple_script;
mod batch;
mod commands;
mod compound;
mod dialect;
mod files;
mod left;
mod members;
mod memory;
mod nested;
mod raw_text;
mod redirects;
mod simple;
mod variables;
mod words;

#[cfg(test)]
mod limits;

#[cfg(test)]
mod tests;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::Skill;
use super::finding::{Context, Severity};
use super::findings::{Findings, Match};
use super::flow::{self, Taint};
use super::kind::Language;
use super::passage::Passage;
use crate::shell::{self, Command, Pipeline, Script};
use apple_script::apple_script;
use batch::batch;
use dialect::{console, fish, recipes, without_spans};
pub(crate) use memory::{Memories, Memory};

/// A value: its text as far as it is known, and what it carries.
#[derive(Debug, Clone, Default)]
struct Value {
    text: String,
    taint: Taint,
}

/// Code of another language inside shell text: `python -c '…'`, a here-document for `node`.
#[derive(Debug)]
pub(crate) struct Embedded {
    pub(crate) language: Language,
    pub(crate) text: String,
    pub(crate) at: usize,
}

/// Follows the flows of one passage; gives back the code of other languages inside it.
pub(crate) fn look(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    memory: &mut Memory,
    findings: &mut Findings<'_>,
) -> Vec<Embedded> {
    walked(passage, skill, memory, findings).1
}

/// What a script prints when it is run.
pub(crate) fn printed(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    memory: &mut Memory,
    findings: &mut Findings<'_>,
) -> Taint {
    walked(passage, skill, memory, findings).0
}

/// Follows the flows of one passage; gives what it prints, and the code of other languages inside it.
fn walked(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    memory: &mut Memory,
    findings: &mut Findings<'_>,
) -> (Taint, Vec<Embedded>) {
    let source = match passage.language {
        Language::Shell => console(&passage.text),
        Language::Fish => fish(&passage.text),
        Language::Make => recipes(&passage.text),
        Language::Batch => batch(&passage.text),
        Language::AppleScript => {
            apple_script(passage, skill, memory, findings);
            return (Taint::default(), Vec::new());
        }
        Language::Plain if passage.context == Context::Fence => {
            console(&without_spans(&passage.text))
        }
        _ => return (Taint::default(), Vec::new()),
    };
    let mut walk = Walk {
        passage,
        skill,
        memory,
        findings,
        source: &source,
        offset: 0,
        place: if matches!(passage.language, Language::Shell | Language::Plain) {
            At::Offset
        } else {
            At::Line(lines(&source), lines(&passage.text))
        },
        text: OnceCell::new(),
        embedded: Vec::new(),
        depth: 0,
        strings: 0,
        level: 0,
        looping: 0,
        branching: 0,
        shell_on_pipe: OnceCell::new(),
        piped: String::new(),
        printed: String::new(),
        heard: None,
    };
    let printed = walk.all_of(&source, &Taint::default());
    if walk.memory.variables.was_short() {
        walk.unfinished(0, "its variables hold too much text");
    }
    walk.raw_text();
    (printed, walk.embedded)
}

/// Why a text was not read on.
fn why_unread(problem: shell::Problem) -> &'static str {
    match problem {
        shell::Problem::TooLarge => "a statement of the shell has too many parts",
        _ => "constructs of the shell stand too deep inside one another",
    }
}

/// Where each line of a text begins.
fn lines(text: &str) -> Rc<[usize]> {
    let ends = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).collect()
}

/// How a place in the text being walked becomes a place in the passage.
#[derive(Debug, Clone)]
enum At {
    /// The same byte, counted from an offset.
    Offset,
    /// The same line: where lines begin in the text, and in the passage.
    Line(Rc<[usize]>, Rc<[usize]>),
    /// Always this one: a text from elsewhere, at the place that brings it in.
    Fixed(usize),
}

struct Walk<'w, 'f, 's> {
    passage: &'w Passage<'w>,
    skill: &'w Skill<'s>,
    memory: &'w mut Memory,
    findings: &'w mut Findings<'f>,
    source: &'w str,
    /// What to add to a span of the text being walked to get a byte of the passage.
    offset: usize,
    place: At,
    /// The text being walked, for functions that are called from another.
    text: OnceCell<Rc<str>>,
    embedded: Vec<Embedded>,
    /// Calls and strings that the text being walked stands in.
    depth: usize,
    /// Strings of scripts that the text being walked stands in.
    strings: usize,
    /// Scripts that are walked inside one another: bodies, substitutions, calls, strings.
    level: usize,
    looping: usize,
    /// Branches of conditions around: what one assigns, another may have assigned otherwise.
    branching: usize,
    /// Whether the text gives a shell a named pipe: asked once, not at every connection.
    shell_on_pipe: OnceCell<bool>,
    /// The text that a compound command reads, as far as it is known.
    piped: String,
    /// What the commands of a group have printed, as far as it is known.
    printed: String,
    /// The command of a substitution whose words are wanted.
    heard: Option<Heard>,
}

/// The one command of a substitution: where it stands, and its words once they are known. A word is
/// looked at once; twice at every level would double with every substitution inside another.
struct Heard {
    span: Range<usize>,
    words: Option<Vec<String>>,
}

/// Bytes of what a group prints that are kept.
const MAX_PRINTED: usize = 16 * 1024;

/// How scripts check what they fetched.
const CHECKS: [&str; 8] = [
    "sha256sum -c",
    "sha256sum --check",
    "sha256sum --status -c",
    "sha512sum -c",
    "shasum -a 256 -c",
    "gpg --verify",
    "minisign -V",
    "cosign verify",
];

impl Walk<'_, '_, '_> {
    /// Says that something is not followed to its end.
    fn unfinished(&mut self, at: usize, why: &str) {
        let at = self.place(at).min(self.passage.text.len());
        let at = super::text::floor(&self.passage.text, at);
        self.findings.unfinished(self.passage, at..at, why);
    }

    fn report(&mut self, at: &Range<usize>, found: Match) {
        let last = self.passage.text.len();
        let start = self.place(at.start).min(last);
        let length = if matches!(self.place, At::Offset) { at.len() } else { 1 };
        let end = super::text::floor(&self.passage.text, (start + length).min(last));
        self.findings.add(self.passage, start..end.max(start), found);
    }

    /// What it means that an interpreter gets a text.
    fn runs(&self, taint: &Taint, interpreter: &str) -> Option<Match> {
        let mut found = flow::to_interpreter(taint, interpreter, self.passage.context)?;
        // Somebody's release on a code forge, checked against its digest or signature.
        if found.severity == Severity::Warn && CHECKS.iter().any(|way| self.source.contains(way)) {
            found.severity = Severity::Info;
        }
        Some(found)
    }

    /// The byte of the passage behind a byte of the text being walked.
    fn place(&self, at: usize) -> usize {
        match &self.place {
            At::Offset => at + self.offset,
            At::Fixed(start) => *start,
            At::Line(from, to) => {
                let line = from.partition_point(|start| *start <= at).saturating_sub(1);
                to.get(line).or(to.last()).copied().unwrap_or(0)
            }
        }
    }

    /// The text being walked, to be kept with the functions in it.
    fn text(&self) -> Rc<str> {
        self.text.get_or_init(|| Rc::from(self.source)).clone()
    }

    fn report_some(&mut self, at: &Range<usize>, found: Option<Match>) {
        if let Some(found) = found {
            self.report(at, found);
        }
    }

    /// Walks a text statement by statement, so that one of them is kept at a time; gives what it writes to
    /// its output. What is not read is said.
    fn all_of(&mut self, text: &str, input: &Taint) -> Taint {
        let mut output = Taint::default();
        let mut statements = shell::Statements::of(text);
        for statement in &mut statements {
            output.add(&self.script(&statement, input));
        }
        if let Some(unread) = statements.unread() {
            self.unfinished(unread.at, why_unread(unread.problem));
        }
        output
    }

    /// Walks a script; gives what it writes to its output.
    fn script(&mut self, script: &Script, input: &Taint) -> Taint {
        let mut output = Taint::default();
        self.level += 1;
        for item in &script.items {
            let made = self.pipeline(&item.pipeline, input);
            output.add(&made);
        }
        self.level -= 1;
        output
    }

    fn pipeline(&mut self, pipeline: &Pipeline, input: &Taint) -> Taint {
        let mut flowing = input.clone();
        let mut text = String::new();
        for command in &pipeline.commands {
            let (taint, written) = self.command(command, &flowing, &text);
            flowing = taint;
            text = written;
        }
        if !text.is_empty() && self.printed.len() + text.len() < MAX_PRINTED {
            self.printed.push_str(&text);
            self.printed.push('\n');
        }
        flowing
    }

    /// Walks one command; gives what it writes to its output, and that text where it is known.
    fn command(&mut self, command: &Command, input: &Taint, input_text: &str) -> (Taint, String) {
        match command {
            Command::Simple(simple) => self.simple(simple, input, input_text),
            Command::Compound(compound) => {
                let mut input = input.clone();
                input_text.clone_into(&mut self.piped);
                for redirect in &compound.redirects {
                    self.redirect_compound(redirect, &mut input);
                }
                let before = std::mem::take(&mut self.printed);
                let output = self.compound(&compound.kind, &input);
                let printed = std::mem::replace(&mut self.printed, before);
                for redirect in &compound.redirects {
                    self.redirect_output(redirect, &output, &printed);
                }
                (output, printed)
            }
        }
    }

    /// Walks a script; gives what it writes, and that text where it is known.
    fn printed_by(&mut self, script: &Script) -> (Taint, String) {
        let before = std::mem::take(&mut self.printed);
        let output = self.script(script, &Taint::default());
        let text = std::mem::replace(&mut self.printed, before);
        (output, text.trim_end_matches('\n').to_owned())
    }
}
