//! Flows through shell text: what runs through pipes, variables, substitutions and files, and where
//! it ends.
//!
//! The tree of [`crate::shell`] is walked once in order. Every command has a meaning ([`commands`]):
//! what it reads, what it makes of its input, where it sends or writes. Nothing is run.

mod batch;
mod commands;
mod dialect;
mod left;
mod members;
mod variables;
mod words;

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

use batch::batch;
use dialect::{console, fish, recipes};
use variables::Variables;

use super::Skill;
use super::destination::{Class, classify};
use super::finding::{Context, Flow, Severity};
use super::findings::{Findings, Match};
use super::flow::{self, Taint};
use super::forks;
use super::kind::Language;
use super::passage::Passage;
use super::places::normalise;
use super::rules;
use crate::shell::{
    self, Command, CompoundKind, Part, PartKind, Pipeline, RedirectOperator, Script, SimpleCommand,
};

/// What is known while the text of one file is walked: it carries over from one block of a document
/// to the next, because its reader runs them in order.
#[derive(Default)]
pub(crate) struct Memory {
    variables: Variables,
    files: HashMap<String, Taint>,
    /// Texts of files that the script wrote, as far as they are known.
    texts: HashMap<String, String>,
    /// Folders that repositories were cloned into, with their addresses.
    clones: BTreeMap<String, String>,
    /// Network devices that were opened, by the number or the variable they are written to.
    devices: HashMap<String, String>,
    /// What is read through numbered descriptors that were opened before.
    descriptors: HashMap<String, Taint>,
    /// Folders that fetched archives were unpacked into.
    unpacked: BTreeMap<String, Taint>,
    /// Functions, each with the text it was written in.
    functions: HashMap<String, (Rc<Command>, Rc<str>)>,
    /// The folder that the script went to.
    folder: Option<String>,
    /// How many texts this one was found in that are left somewhere to be run.
    judged: usize,
    /// The functions that are called at the moment, outermost first.
    calls: Vec<String>,
    /// Work done inside called functions and nested scripts.
    called: usize,
    /// Commands that were walked.
    #[cfg(test)]
    walked: usize,
}

/// What is known of each file of a skill.
#[derive(Default)]
pub(crate) struct Memories {
    files: HashMap<usize, Memory>,
    /// What the variables of all of them cost.
    cost: Rc<variables::Cost>,
}

impl Memories {
    pub(crate) fn of(&mut self, file: usize) -> &mut Memory {
        self.files.entry(file).or_insert_with(|| Memory {
            variables: Variables::beside(&self.cost),
            ..Memory::default()
        })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Memory> {
        self.files.values()
    }
}

impl Memory {
    /// What files hold that the script wrote, for programs that read them.
    pub(crate) fn saved(&self) -> impl Iterator<Item = (&str, &Taint)> {
        let known = self.files.iter().map(|(path, taint)| (path.as_str(), taint));
        known.filter(|(_, taint)| !taint.secrets.is_empty() || taint.environment)
    }

    /// What variables carry that a program started from the script may find in its environment.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (&str, &Taint)> {
        let known = self.variables.iter().map(|(name, value)| (name, &value.taint));
        known.filter(|(_, taint)| {
            !taint.secrets.is_empty()
                || taint.environment
                || taint.remote.is_some()
                || taint.decoded.is_some()
        })
    }
}

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
    let source = match passage.language {
        Language::Shell => console(&passage.text),
        Language::Fish => fish(&passage.text),
        Language::Make => recipes(&passage.text),
        Language::Batch => batch(&passage.text),
        Language::AppleScript => {
            apple_script(passage, skill, memory, findings);
            return Vec::new();
        }
        Language::Plain if passage.context == Context::Fence => console(&passage.text),
        _ => return Vec::new(),
    };
    let parsed = shell::parse(&source);
    let too_deep = is_too_deep(&parsed);
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
    if let Some(at) = too_deep {
        walk.unfinished(at, TOO_DEEP);
    }
    walk.script(&parsed.script, &Taint::default());
    if walk.memory.variables.was_short() {
        walk.unfinished(0, "its variables hold too much text");
    }
    walk.raw_text();
    walk.embedded
}

const TOO_DEEP: &str = "constructs of the shell stand too deep inside one another";

/// Where a text was not read on, because too much stands inside one another.
fn is_too_deep(parsed: &shell::Parsed) -> Option<usize> {
    let error = parsed.errors.iter().find(|error| error.problem == shell::Problem::TooDeep)?;
    Some(error.at)
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

/// Bytes of commands that are walked inside called functions, in all: functions that call each other
/// many times would multiply. A command costs its length and [`COMMAND_COST`].
const MAX_CALLED: usize = 1024 * 1024;
/// What a command costs besides its length.
const COMMAND_COST: usize = 16;

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

/// Lines of an input that a loop is taken to go over.
const MAX_LINES: usize = 64;
/// Texts that a variable takes one after the other, of which the one that matters is looked for.
const MAX_TOLD: usize = 64;
/// Files whose text is remembered, and bytes of each.
const MAX_KEPT: usize = 64;
const MAX_KEPT_TEXT: usize = 8 * 1024;
/// Texts that leave texts to be run that are judged inside each other.
const MAX_JUDGED: usize = 2;
/// Folders that are known to hold what somebody's host sent.
const MAX_UNPACKED: usize = 16;

/// Scripts inside strings inside scripts that are followed, and calls of a function inside itself.
const MAX_NESTED: usize = 4;
/// Calls of functions inside one another that are followed.
const MAX_CALLS: usize = 16;
/// Scripts inside one another past which no call is followed.
const MAX_LEVEL: usize = 4 * shell::MAX_DEPTH;

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

    /// What a loop or a group reads: a file, a text, a descriptor, what a command prints.
    fn redirect_compound(&mut self, redirect: &shell::Redirect, input: &mut Taint) {
        match redirect.operator {
            RedirectOperator::Read | RedirectOperator::ReadWrite => {
                if let [Part { kind: PartKind::ProcessSubstitution { script, .. }, .. }] =
                    redirect.target.parts.as_slice()
                {
                    let (taint, text) = self.printed_by(script);
                    input.add(&taint);
                    self.piped = text;
                } else {
                    let value = self.word(&redirect.target);
                    self.opens(redirect, &value.text, &value.taint);
                    input.add(&self.file(&value.text));
                    input.add(&value.taint);
                }
            }
            RedirectOperator::HereString => {
                let value = self.word(&redirect.target);
                input.add(&Taint::of_file(&value.text));
                input.add(&value.taint);
                self.piped = value.text;
            }
            RedirectOperator::Heredoc => {
                if let Some(heredoc) = redirect.heredoc() {
                    let value = self.word(&heredoc.body);
                    input.add(&value.taint);
                    self.piped = value.text;
                }
            }
            RedirectOperator::DuplicateInput => {
                let value = self.word(&redirect.target);
                input.add(&self.descriptor(&value.text));
            }
            _ => {}
        }
    }

    /// What is read through a descriptor.
    fn descriptor(&self, name: &str) -> Taint {
        let mut taint = self.memory.descriptors.get(name).cloned().unwrap_or_default();
        if let Some(device) = self.memory.devices.get(name) {
            taint.add(&Taint::remote(address_of(device)));
        }
        taint
    }

    /// Walks a script; gives what it writes, and that text where it is known.
    fn printed_by(&mut self, script: &Script) -> (Taint, String) {
        let before = std::mem::take(&mut self.printed);
        let output = self.script(script, &Taint::default());
        let text = std::mem::replace(&mut self.printed, before);
        (output, text.trim_end_matches('\n').to_owned())
    }

    /// Gives a variable a value. In a branch it may still have the one that another branch gave it.
    fn assign(&mut self, name: String, mut value: Value) {
        if self.branching > 0
            && let Some(before) = self.memory.variables.get(&name)
        {
            value.taint.add(&before.taint);
            value.taint.add(&Taint::of_file(&before.text));
            if value.text.is_empty() {
                value.text.clone_from(&before.text);
            }
        }
        self.memory.variables.insert(name, value);
    }

    fn compound(&mut self, kind: &CompoundKind, input: &Taint) -> Taint {
        match kind {
            CompoundKind::Subshell(script) | CompoundKind::Group(script) => {
                self.script(script, input)
            }
            CompoundKind::If { branches, otherwise } => {
                let mut output = Taint::default();
                self.branching += 1;
                for (condition, body) in branches {
                    self.script(condition, input);
                    output.add(&self.script(body, input));
                }
                if let Some(otherwise) = otherwise {
                    output.add(&self.script(otherwise, input));
                }
                self.branching -= 1;
                output
            }
            CompoundKind::For { variable, words, body }
            | CompoundKind::Select { variable, words, body } => {
                let mut value = Value::default();
                let mut texts = Vec::new();
                // `for x; do` goes over the arguments.
                if words.is_none()
                    && let Some(all) = self.memory.variables.get("@")
                {
                    value.taint.add(&all.taint);
                    texts.extend(all.text.split_whitespace().map(str::to_owned));
                }
                for word in words.as_deref().unwrap_or_default() {
                    let several = self.several(word);
                    let next = several.unwrap_or_else(|| vec![self.word(word)]);
                    for next in next {
                        value.taint.add(&next.taint);
                        value.taint.add(&Taint::of_file(&next.text));
                        // $(ls folder)
                        if word.is_quoted() {
                            texts.push(next.text);
                        } else {
                            texts.extend(next.text.split(['\n', ' ']).map(str::to_owned));
                        }
                    }
                }
                value.text = telling(texts);
                let name = variable.static_prefix();
                self.memory.variables.insert(name, value);
                self.looping += 1;
                let output = self.script(body, input);
                self.looping -= 1;
                output
            }
            CompoundKind::ArithmeticFor { body, .. } => self.script(body, input),
            CompoundKind::While { condition, body, .. } => {
                // `while read -r line; do … done` reads the input into its variables.
                for command in condition.commands() {
                    if command.name().as_deref() == Some("read") {
                        for word in command.words.iter().skip(1) {
                            if let Some(name) = word.literal().filter(|name| !name.starts_with('-'))
                            {
                                let text = telling(
                                    self.piped.lines().take(MAX_LINES).map(str::to_owned).collect(),
                                );
                                let value = Value { text, taint: input.clone() };
                                self.memory.variables.insert(name.into_owned(), value);
                            }
                        }
                    }
                }
                let condition = self.script(condition, input);
                let mut input = input.clone();
                input.add(&condition);
                self.looping += 1;
                let output = self.script(body, &input);
                self.looping -= 1;
                output
            }
            CompoundKind::Case { subject, arms } => {
                self.word(subject);
                let mut output = Taint::default();
                self.branching += 1;
                for arm in arms {
                    output.add(&self.script(&arm.body, input));
                }
                self.branching -= 1;
                output
            }
            CompoundKind::Test(words) => {
                for word in words {
                    self.word(word);
                }
                Taint::default()
            }
            CompoundKind::Arithmetic(_) => Taint::default(),
            CompoundKind::Function { name, body } => {
                let name = name.static_prefix();
                if let Some(body) = body {
                    self.command(body, &Taint::default(), "");
                    let text = self.text();
                    self.memory.functions.insert(name, (Rc::new((**body).clone()), text));
                }
                Taint::default()
            }
            CompoundKind::Coproc { body } => {
                let output = body.as_ref().map(|body| self.command(body, input, "").0);
                let output = output.unwrap_or_default();
                if output.remote.is_some() {
                    self.memory.descriptors.insert("$COPROC".to_owned(), output.clone());
                }
                output
            }
        }
    }

    fn simple(
        &mut self,
        simple: &SimpleCommand,
        input: &Taint,
        input_text: &str,
    ) -> (Taint, String) {
        #[cfg(test)]
        {
            self.memory.walked += 1;
        }
        if self.depth > 0 {
            self.memory.called += simple.span.len() + COMMAND_COST;
        }
        let mut input = input.clone();
        let mut input_text = input_text.to_owned();
        for redirect in &simple.redirects {
            match redirect.operator {
                RedirectOperator::Read | RedirectOperator::ReadWrite => {
                    let value = self.word(&redirect.target);
                    self.device(&value.text, &redirect.span);
                    let mut read = value.taint;
                    read.add(&self.file(&value.text));
                    if is_device(&value.text) {
                        read.add(&Taint::remote(address_of(&value.text)));
                    }
                    self.opens(redirect, &value.text, &read);
                    // 3< file is for later.
                    if redirect.descriptor.as_deref().is_none_or(|number| number == "0") {
                        input.add(&read);
                    }
                }
                RedirectOperator::DuplicateInput => {
                    let value = self.word(&redirect.target);
                    input.add(&self.descriptor(&value.text));
                }
                // 0>&3
                RedirectOperator::DuplicateOutput
                    if redirect.descriptor.as_deref() == Some("0") =>
                {
                    let value = self.word(&redirect.target);
                    input.add(&self.descriptor(&value.text));
                }
                RedirectOperator::HereString => {
                    let value = self.word(&redirect.target);
                    input.add(&value.taint);
                    input_text = value.text;
                }
                RedirectOperator::Heredoc => {
                    if let Some(heredoc) = redirect.heredoc() {
                        let mut value = self.word(&heredoc.body);
                        // The script stands here; a variable in it is data, and what was piped is not read.
                        if value.text.len() > 80 {
                            value.taint.remote = None;
                            value.taint.decoded = None;
                        }
                        input = value.taint;
                        input_text = value.text;
                        if let Some(language) = simple.name().and_then(|name| {
                            super::kind::of_interpreter(name.rsplit('/').next().unwrap_or(&name))
                        }) {
                            self.embed(language, &input_text, heredoc.body.span.start);
                        }
                    }
                }
                _ => {}
            }
        }
        for assignment in &simple.assignments {
            let mut value = self.word(&assignment.value);
            // In a document, `NAME=value command` shows one command.
            let shown = !simple.words.is_empty() && self.passage.context == Context::Fence;
            if !(shown && assignment.name == "LD_PRELOAD") {
                self.check_assignment(&assignment.name, &value, &assignment.span);
            }
            // Taken out and put back: a copy at each addition would cost the square of their number.
            if assignment.append
                && let Some(mut before) = self.memory.variables.remove(&assignment.name)
            {
                value.taint.add(&before.taint);
                if self.branching > 0 {
                    value.taint.add(&Taint::of_file(&before.text));
                }
                before.text.push_str(&value.text);
                value.text = before.text;
            }
            // It runs before each prompt.
            if assignment.name == "PROMPT_COMMAND" {
                let found = self.runs(&value.taint, "every prompt");
                self.report_some(&assignment.span, found);
                self.nested(&value.text, assignment.span.start, &Taint::default());
            }
            self.assign(assignment.name.clone(), value);
        }
        let (output, text) = if simple.words.is_empty() {
            // $(< file)
            if simple.assignments.is_empty() {
                (input, input_text)
            } else {
                (Taint::default(), String::new())
            }
        } else {
            self.run(simple, &input, &input_text)
        };
        for redirect in &simple.redirects {
            self.redirect_output(redirect, &output, &text);
        }
        (output, text)
    }

    fn redirect_output(&mut self, redirect: &shell::Redirect, output: &Taint, text: &str) {
        let writes = matches!(
            redirect.operator,
            RedirectOperator::Write
                | RedirectOperator::Append
                | RedirectOperator::Clobber
                | RedirectOperator::WriteBoth
                | RedirectOperator::AppendBoth
                | RedirectOperator::DuplicateOutput
        );
        if !writes {
            return;
        }
        let mut target = self.word(&redirect.target);
        // `… >&3`, where 3 was opened on a network device before.
        if redirect.operator == RedirectOperator::DuplicateOutput
            && let Some(device) = self.memory.devices.get(&target.text)
        {
            target.text.clone_from(device);
        }
        self.device(&target.text, &redirect.span);
        // … > >(command)
        if let [Part { kind: PartKind::ProcessSubstitution { script, .. }, .. }] =
            redirect.target.parts.as_slice()
        {
            self.script(script, output);
            return;
        }
        self.write(&target.text, text, output, &redirect.span);
    }

    /// `exec 3<>/dev/tcp/host/port`: what is written to that number from now on goes there.
    fn opens(&mut self, redirect: &shell::Redirect, path: &str, taint: &Taint) {
        let Some(number) = redirect.descriptor.as_ref() else { return };
        let number = number.trim_matches(['{', '}']);
        for name in [number.to_owned(), format!("${number}")] {
            if is_device(path) {
                self.memory.devices.insert(name, path.to_owned());
            } else if !taint.is_clean() {
                self.memory.descriptors.insert(name, taint.clone());
            }
        }
    }

    /// A network device whose name is put together from pieces.
    fn device(&mut self, path: &str, at: &Range<usize>) {
        if is_device(path) && !self.source.contains("/dev/tcp") && !self.source.contains("/dev/udp")
        {
            let message = "a network device is opened under a name that is put together";
            let flow = Flow::new("a network device", "the shell");
            self.report(
                at,
                Match::new(&rules::REVERSE_SHELL, Severity::Critical, message).with(flow),
            );
        }
    }

    /// A write to a path.
    fn write(&mut self, path: &str, text: &str, taint: &Taint, at: &Range<usize>) {
        if is_device(path) {
            let address = address_of(path);
            let via = "a network device";
            let found = flow::to_network(taint, &address, via, self.passage.context, self.skill);
            self.report_some(at, found);
            return;
        }
        // What the text would do when it runs counts as if it had been fetched or decoded.
        let mut judged = taint.clone();
        if judged.decoded.is_none() && starts_by_itself(path) && self.does_harm(text) {
            judged.decoded = Some("its own commands");
        }
        let found = flow::to_file(path, text, &judged, self.passage.context, self.skill);
        self.report_some(at, found);
        if !path.is_empty() && path != "/dev/null" && !path.starts_with('&') {
            self.keep(path, text);
            self.memory.files.entry(key(path)).or_default().add(taint);
            if let Some(whole) = self.located(path).filter(|_| !taint.is_clean()) {
                self.memory.files.entry(key(&whole)).or_default().add(taint);
            }
            // What lies in a folder of programs is started by its name alone.
            if let Some((folder, name)) = path.rsplit_once('/')
                && folder.ends_with("/bin")
                && taint.remote.as_deref().is_some_and(|from| {
                    !matches!(classify(from), Class::Service | Class::Installer)
                })
            {
                self.memory.files.entry(key(name)).or_default().add(taint);
            }
        }
    }

    /// Remembers what is written to a file.
    fn keep(&mut self, path: &str, text: &str) {
        let full = self.memory.texts.len() >= MAX_KEPT;
        let known = self.memory.texts.get(&key(path)).map_or(0, String::len);
        if text.trim().is_empty() || full || known + text.len() > MAX_KEPT_TEXT {
            return;
        }
        let kept = self.memory.texts.entry(key(path)).or_default();
        kept.push_str(text);
        kept.push('\n');
    }

    /// Whether a text that is left somewhere to be run would do what is found in scripts.
    fn does_harm(&mut self, text: &str) -> bool {
        if text.trim().is_empty()
            || self.memory.judged >= MAX_JUDGED
            || self.memory.called >= MAX_CALLED
        {
            return false;
        }
        self.memory.called += text.len();
        let commands = left::commands(text);
        let passage = Passage {
            language: Language::Shell,
            context: Context::Script,
            text: commands.into(),
            ..self.passage.clone()
        };
        let mut memory = Memory {
            judged: self.memory.judged + 1,
            called: self.memory.called,
            ..Memory::default()
        };
        let mut findings = Findings::new(self.skill.members);
        look(&passage, self.skill, &mut memory, &mut findings);
        self.memory.called = memory.called;
        findings.harm()
    }

    /// What reading a path gives.
    fn file(&self, path: &str) -> Taint {
        let mut taint = Taint::of_file(path);
        let number = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/"));
        if let Some(number) = number {
            taint.add(&self.descriptor(number));
        }
        if let Some(known) = self.memory.files.get(&key(path)) {
            taint.add(known);
        }
        if let Some(whole) = self.located(path) {
            taint.add(&Taint::of_file(&whole));
            if let Some(known) = self.memory.files.get(&key(&whole)) {
                taint.add(known);
            }
        }
        if let Some(known) = self.unpacked(path) {
            taint.add(known);
        }
        taint
    }

    /// What lies below a folder that a fetched archive was unpacked into.
    fn unpacked(&self, path: &str) -> Option<&Taint> {
        let path = key(path);
        let inside =
            |folder: &str| path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
        self.memory.unpacked.iter().find(|(folder, _)| inside(folder)).map(|(_, taint)| taint)
    }

    /// A path below the folder that the script went to.
    fn located(&self, path: &str) -> Option<String> {
        let folder = self.memory.folder.as_deref()?.trim_end_matches('/');
        let below = !path.is_empty() && !path.starts_with(['/', '~', '$', '-', '<']);
        below.then(|| format!("{folder}/{}", path.trim_start_matches("./")))
    }

    /// What a file holds that is to be run: fetched, decoded, unpacked or cloned before.
    fn held(&self, path: &str) -> Taint {
        let mut taint = Taint::default();
        let whole = self.located(path);
        for name in std::iter::once(path).chain(whole.as_deref()) {
            if let Some(known) = self.memory.files.get(&key(name)) {
                taint.add(known);
            }
            if let Some(known) = self.unpacked(name) {
                taint.add(known);
            }
        }
        if let Some(number) = path.strip_prefix("/dev/fd/") {
            taint.add(&self.descriptor(number));
        }
        taint.add(&self.of_clone(path));
        taint
    }

    /// An archive that somebody's host sent is unpacked: what lies in that folder is the host's.
    fn unpack(&mut self, folder: &str, taint: &Taint) {
        let strange = taint.remote.as_deref().is_some_and(|from| {
            !matches!(
                classify(from),
                Class::Service | Class::Installer | Class::Placeholder | Class::Local
            )
        });
        let folder = key(folder.trim_end_matches('/'));
        let folder = self.located(&folder).unwrap_or(folder);
        if strange && self.memory.unpacked.len() < MAX_UNPACKED {
            self.memory.unpacked.insert(folder, taint.clone());
        }
    }

    fn embed(&mut self, language: Language, text: &str, at: usize) {
        const MAX_EMBEDDED: usize = 200;
        if language != Language::Shell
            && self.embedded.len() < MAX_EMBEDDED
            && !text.trim().is_empty()
        {
            let at = self.place(at);
            self.embedded.push(Embedded { language, text: text.to_owned(), at });
        } else if language == Language::Shell {
            self.nested(text, at, &Taint::default());
        } else if !text.trim().is_empty() {
            self.unfinished(at, "it holds too many programs of other languages");
        }
    }

    /// Walks the body of a function with the arguments of a call; gives what it writes.
    fn called(
        &mut self,
        name: &str,
        arguments: &[Value],
        input: &Taint,
        at: usize,
    ) -> Option<Taint> {
        let (body, source) = self.memory.functions.get(name).cloned()?;
        let again = self.memory.calls.iter().filter(|call| *call == name).count();
        if again >= MAX_NESTED {
            return None;
        }
        if self.memory.calls.len() >= MAX_CALLS
            || self.level >= MAX_LEVEL
            || self.memory.called >= MAX_CALLED
        {
            // The body was walked where it stands: only what it is given is not known there.
            let matters =
                |value: &Value| value.taint.matters() || Taint::of_file(&value.text).matters();
            if input.matters() || arguments.iter().any(matters) {
                self.unfinished(at, "too many functions call one another");
            }
            return None;
        }
        self.memory.calls.push(name.to_owned());
        let own = self.text.get().is_some_and(|text| Rc::ptr_eq(text, &source));
        let output = self.with_arguments(arguments, |walk| {
            if own {
                walk.depth += 1;
                let output = walk.command(&body, input, "").0;
                walk.depth -= 1;
                output
            } else {
                // Written in another block or file: the call itself is named.
                walk.elsewhere(&source, at, |inner| inner.command(&body, input, "").0)
            }
        });
        self.memory.calls.pop();
        Some(output)
    }

    /// Does something with the arguments of a call as `$1` and so on.
    fn with_arguments<T>(&mut self, arguments: &[Value], act: impl FnOnce(&mut Self) -> T) -> T {
        let before: Vec<(String, Option<Value>)> = (1..=9)
            .map(|i| i.to_string())
            .chain(["@".to_owned(), "*".to_owned()])
            .map(|name| {
                let value = self.memory.variables.get(&name).cloned();
                (name, value)
            })
            .collect();
        for (name, _) in &before {
            self.memory.variables.remove(name);
        }
        let mut all = Value::default();
        for (position, argument) in arguments.iter().enumerate().take(9) {
            self.memory.variables.insert((position + 1).to_string(), argument.clone());
            all.taint.add(&argument.taint);
            all.text.push_str(&argument.text);
            all.text.push(' ');
        }
        self.memory.variables.insert("@".to_owned(), all.clone());
        self.memory.variables.insert("*".to_owned(), all);
        let output = act(self);
        for (name, value) in before {
            match value {
                Some(value) => self.memory.variables.insert(name, value),
                None => {
                    self.memory.variables.remove(&name);
                }
            }
        }
        output
    }

    /// Walks something written in another text; what is found there is reported at one place here.
    fn elsewhere<T>(
        &mut self,
        source: &Rc<str>,
        at: usize,
        act: impl FnOnce(&mut Walk<'_, '_, '_>) -> T,
    ) -> T {
        let place = self.place(at);
        let mut inner = Walk {
            passage: self.passage,
            skill: self.skill,
            memory: &mut *self.memory,
            findings: &mut *self.findings,
            source,
            offset: 0,
            place: At::Fixed(place),
            text: OnceCell::from(Rc::clone(source)),
            embedded: Vec::new(),
            depth: self.depth + 1,
            strings: self.strings,
            level: self.level,
            looping: self.looping,
            branching: self.branching,
            shell_on_pipe: OnceCell::new(),
            piped: String::new(),
            printed: String::new(),
            heard: None,
        };
        let output = act(&mut inner);
        let embedded = std::mem::take(&mut inner.embedded);
        self.embedded.extend(embedded);
        output
    }

    /// Walks a script that stands inside a string.
    fn nested(&mut self, text: &str, at: usize, input: &Taint) -> Taint {
        if self.strings >= MAX_NESTED {
            if !text.trim().is_empty() {
                self.unfinished(at, "scripts stand too deep in the strings of scripts");
            }
            return Taint::default();
        }
        let parsed = shell::parse(text);
        if is_too_deep(&parsed).is_some() {
            self.unfinished(at, TOO_DEEP);
        }
        self.strings += 1;
        let output =
            self.elsewhere(&Rc::from(text), at, |inner| inner.script(&parsed.script, input));
        self.strings -= 1;
        output
    }

    /// What only shows in the text itself.
    fn raw_text(&mut self) {
        let source = self.source;
        let script = matches!(self.passage.context, Context::Script | Context::Hidden);
        let any = |words: &[&str]| words.iter().any(|word| source.contains(word));
        let encrypts = any(&[
            "gpg ",
            "openssl enc",
            "7z a -p",
            "zip -e",
            "age -",
            "ccrypt",
            "openssl smime",
            "openssl cms",
        ]) && any(&[
            "-c ",
            "--symmetric",
            "-aes",
            "-p",
            "-e ",
            "-P ",
            "-encrypt",
            "--encrypt",
            "-r ",
        ]);
        if script
            && encrypts
            && self.depth == 0
            && any(&["shred", "rm -f \"$", "rm \"$", "rm -f $", "srm "])
            && (any(&["$HOME", "~/", "/home", "/Users"])
                || any(&["@", "://"]) && any(&["-print0", "-type f"]))
            && any(&["while ", "for ", "-exec "])
            && any(&["find ", "for "])
            && any(&[
                "RECOVER",
                "DECRYPT",
                "README",
                "held",
                "code ",
                "contact",
                "Write to",
                "pay",
                "key.",
                "nseal",
                "restore",
                "reference",
                "nlock",
                "READ_ME",
                "READ ME",
                "BTC",
                "bc1",
                "XMR",
            ])
        {
            let at = source.find("gpg ").or_else(|| source.find("openssl enc")).unwrap_or(0);
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::DESTRUCTIVE,
                    Severity::Critical,
                    "files are encrypted and their originals removed, with a note left",
                ),
            );
        }
        if source.contains("169.254.169.254")
            && ["security-credentials", "service-accounts", "oauth2/token"]
                .iter()
                .any(|part| source.contains(part))
            && matches!(self.passage.context, Context::Script | Context::Hidden)
        {
            let at = source.find("169.254.169.254").unwrap_or(0);
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::METADATA_CREDENTIALS,
                    Severity::Critical,
                    "the cloud's metadata service is asked for credentials",
                ),
            );
        }
        // zsh's own connection, and keys in what is written to it.
        if let Some(at) = source.find("ztcp ").filter(|_| script) {
            let keys = source
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .any(|word| super::subject::is_environment_name(word) && flow::is_vendor_key(word));
            if keys || source.contains("parameters[") {
                self.report(
                    &(at..at + 1),
                    Match::new(
                        &rules::SECRET_TO_NETWORK,
                        Severity::Critical,
                        "keys are written to a connection of the shell's own",
                    ),
                );
            }
        }
        // awk reads commands from a connection and writes back what they print.
        if let Some(at) = source.find("/inet/tcp/").filter(|_| {
            source.contains("|&") && source.contains("getline") && source.matches('|').count() > 2
        }) {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::REVERSE_SHELL,
                    Severity::Critical,
                    "commands are read from a connection",
                ),
            );
        }
        let line = source.find("/dev/tcp/").or_else(|| source.find("ztcp "));
        if let Some(at) = line
            && [
                "eval ", "; do $", "do $", "bash -i", "sh -i", "| sh", "|sh", "| bash", "<&3 |",
                "sh <&", "bash <&",
            ]
            .iter()
            .any(|part| source.contains(part))
            && matches!(self.passage.context, Context::Script | Context::Hidden)
        {
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::REVERSE_SHELL,
                    Severity::Critical,
                    "what comes through a network device is run",
                ),
            );
        }
        if forks::is_function_bomb(source)
            || forks::without_end(self.passage.language, source).is_some()
        {
            let at = self.source.find("()").or_else(|| self.source.find('(')).unwrap_or(0);
            // Named in a sentence it is talked about.
            let named = self.passage.context == Context::InlineCode;
            self.report(
                &(at..at + 1),
                Match::new(
                    &rules::RESOURCE_ABUSE,
                    if named { Severity::Info } else { Severity::Critical },
                    "a fork bomb: something that starts itself again and again, without end",
                ),
            );
        }
    }
}

/// `AppleScript`: the shell scripts in it, and windows that ask for a password.
fn apple_script(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    memory: &mut Memory,
    findings: &mut Findings<'_>,
) {
    let text: &str = &passage.text;
    for (at, _) in text.match_indices("do shell script") {
        let line = text[at..].split('\n').next().unwrap_or_default();
        let mut walk = Walk {
            passage,
            skill,
            memory,
            findings,
            source: line,
            offset: at,
            place: At::Offset,
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
        walk.apple_script(line, 0);
    }
    if let Some(at) = text.find("hidden answer").filter(|_| text.contains("display dialog")) {
        findings.add(
            passage,
            at..at + 1,
            Match::new(
                &rules::DECEIVE_USER,
                Severity::Critical,
                "a window asks for the person's password",
            ),
        );
    }
}

/// Whether what lies at a path runs without anybody starting it.
fn starts_by_itself(path: &str) -> bool {
    use super::places::{Spot, classify};
    matches!(
        classify(path),
        Some(Spot::ShellStart | Spot::Autorun(_) | Spot::GitHooks | Spot::EditorTasks)
    )
}

/// Whether a path is a connection that the shell opens itself.
fn is_device(path: &str) -> bool {
    path.starts_with("/dev/tcp/") || path.starts_with("/dev/udp/")
}

/// Where a network device leads: `/dev/tcp/host/port` as an address.
fn address_of(device: &str) -> String {
    let rest = device.trim_start_matches("/dev/tcp/").trim_start_matches("/dev/udp/");
    format!("tcp://{}", rest.replacen('/', ":", 1))
}

/// Of several texts that a variable takes one after the other, the one that matters most.
fn telling(mut texts: Vec<String>) -> String {
    let matters = |text: &String| {
        !Taint::of_file(text).is_clean() || !Taint::of_file(&format!("~/{text}")).is_clean()
    };
    // Whole homes and disks, for what is deleted.
    let whole = |text: &String| {
        matches!(&*normalise(text), "/" | "/*" | "~" | "~/" | "~/*" | "/home" | "/users" | "/etc")
    };
    let at = texts.iter().take(MAX_TOLD).position(matters);
    let at = at.or_else(|| texts.iter().take(MAX_TOLD).position(whole));
    let at = at.or_else(|| texts.iter().position(|text| !text.is_empty()));
    at.map(|at| texts.swap_remove(at)).unwrap_or_default()
}

/// A path as a key: without `./` in front and quotes around.
fn key(path: &str) -> String {
    path.trim_matches(['"', '\'']).trim_start_matches("./").to_owned()
}

#[cfg(test)]
mod limits;

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::super::passage::Place;
    use super::super::subject::Subject;
    use super::*;

    pub(super) fn memory(text: String) -> Memory {
        walked(text, Memory::default()).0
    }

    /// What a script leaves behind that starts with a memory, and how bad it is.
    pub(super) fn walked(text: String, mut memory: Memory) -> (Memory, Option<Severity>) {
        let passage = Passage {
            file: 0,
            language: Language::Shell,
            context: Context::Script,
            text: Cow::Owned(text),
            place: Place::Fixed { line: 1, column: 1 },
            headings: Cow::Borrowed(""),
            lead: Cow::Borrowed(""),
            decoded: None,
        };
        let skill = Skill {
            subject: Subject::default(),
            members: &[],
            host_counts: HashMap::new(),
            promises: crate::scan::subject::Promises::default(),
            documented: std::collections::HashSet::new(),
            catalogues: Vec::new(),
            said: OnceCell::new(),
        };
        let mut findings = Findings::new(&[]);
        look(&passage, &skill, &mut memory, &mut findings);
        (memory, findings.worst())
    }

    fn work(text: String) -> usize {
        memory(text).called
    }

    #[test]
    fn every_command_of_nested_substitutions_is_walked_once() {
        let shapes = [
            ("echo $(", ")"),
            ("echo \"$(echo ", ")\""),
            ("${a:-$(", ")}"),
            ("git `", "`"),
            ("printf %s $(", ")"),
        ];
        for (open, close) in shapes {
            for depth in [1, 8, 20, shell::MAX_DEPTH, 2_000] {
                let inside = open.repeat(depth);
                for text in [format!("{inside}echo{}", close.repeat(depth)), inside] {
                    let walked = memory(text).walked;
                    // One command for every opening, and the one in the middle.
                    assert!(walked <= 2 * depth + 1, "{open:?} {depth}: {walked}");
                }
            }
        }
        let seen =
            memory("a=$(echo one $(printf %s two)); b=$(git rev-parse --git-dir)/hooks".to_owned());
        assert_eq!(seen.variables.get("a").unwrap().text, "one two");
        assert_eq!(seen.variables.get("b").unwrap().text, ".git/hooks");
    }

    #[test]
    fn functions_that_call_themselves_do_not_multiply() {
        let body = |calls: usize| format!("f() {{ {} }}\nf\n", "f;".repeat(calls));
        // Within the bound every call is followed.
        let few = work(body(4));
        assert!(few > 4 * 4 * 4 * COMMAND_COST && few < MAX_CALLED, "{few}");
        // Past it calls are not: what is under way is ended, at one level after the other.
        let many = work(body(200));
        assert!((MAX_CALLED..2 * MAX_CALLED).contains(&many), "{many}");
    }
}
