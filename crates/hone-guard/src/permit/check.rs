//! The walk over everything a command line would do.

use std::collections::BTreeSet;
use std::rc::Rc;

use hone_skill::Permissions;

use super::argument::Argument;
use super::variable::{may_prefix, may_set};
use super::{Decision, Grant, MAX_REFUSALS, Refusal};
use crate::shell::{
    Assignment, Command, Compound, CompoundKind, Connector, Parameter, Part, PartKind, Redirect,
    RedirectOperator, Script, SimpleCommand, Span, Word,
};

const EVALUATED_INDEX: &str = "an index that is evaluated when it runs";

/// Where the text that is being checked stands in the command line.
#[derive(Debug, Clone)]
pub(super) enum Place {
    /// Byte for byte, from here.
    From(usize),
    /// Somewhere in this span.
    In(Span),
}

pub(super) struct Checker<'p> {
    pub(super) permissions: &'p Permissions,
    pub(super) place: Place,
    /// Commands inside commands around this one.
    pub(super) wrapped: usize,
    /// Functions that are certainly defined here.
    pub(super) functions: BTreeSet<String>,
    /// The text that is being checked.
    pub(super) source: Rc<str>,
    /// Whether a shell other than bash reads it, which takes some of bash's constructs for commands.
    pub(super) is_other_shell: bool,
    /// Whether some function may be taken away again.
    pub(super) unsets: bool,
    /// Whether the current folder may be another one.
    pub(super) moves: bool,
    /// Commands and files that are permitted by a path from the current folder.
    relative: Vec<Span>,
    /// Calls of functions.
    calls: Vec<Span>,
    decision: Decision,
}

impl<'p> Checker<'p> {
    pub(super) fn new(permissions: &'p Permissions, source: &str) -> Self {
        Self {
            permissions,
            source: Rc::from(source),
            is_other_shell: false,
            unsets: false,
            moves: false,
            relative: Vec::new(),
            calls: Vec::new(),
            place: Place::From(0),
            wrapped: 0,
            functions: BTreeSet::new(),
            decision: Decision::default(),
        }
    }

    pub(super) fn decision(mut self) -> Decision {
        if self.unsets {
            let reason = "a function that may be gone when it is called, because of `unset`";
            let calls = std::mem::take(&mut self.calls);
            self.refuse_all(calls, reason);
        }
        if self.moves {
            // In which order is not asked: functions and loops run in another one than they stand in.
            let reason = "a path from the current folder, which the same line may change";
            let relative = std::mem::take(&mut self.relative);
            self.refuse_all(relative, reason);
        }
        self.decision.refusals.sort_by_key(|refusal| (refusal.span.start, refusal.span.end));
        self.decision.refusals.dedup();
        self.decision
    }

    fn refuse_all(&mut self, spans: Vec<Span>, reason: &str) {
        for span in spans {
            self.push(Refusal { span, reason: reason.to_owned(), hint: None, writes: None });
        }
    }

    /// Takes note of something that is permitted by a path from the current folder.
    pub(super) fn relative(&mut self, span: &Span) {
        let span = self.placed(span);
        self.relative.push(span);
    }

    /// A span of the text that is being checked, in the command line.
    pub(super) fn placed(&self, span: &Span) -> Span {
        match &self.place {
            Place::From(base) => base + span.start..base + span.end,
            Place::In(whole) => whole.clone(),
        }
    }

    pub(super) fn refuse(&mut self, span: &Span, reason: impl Into<String>) {
        self.refuse_with(span, reason, None);
    }

    pub(super) fn refuse_with(
        &mut self,
        span: &Span,
        reason: impl Into<String>,
        hint: Option<String>,
    ) {
        let span = self.placed(span);
        self.push(Refusal { span, reason: reason.into(), hint, writes: None });
    }

    fn push(&mut self, refusal: Refusal) {
        if self.decision.refusals.len() < MAX_REFUSALS {
            self.decision.refusals.push(refusal);
        }
    }

    pub(super) fn grant(&mut self, span: &Span, by: Option<&str>) {
        let span = self.placed(span);
        self.decision.granted.push(Grant { span, by: by.map(str::to_owned) });
    }

    /// The call of a function whose commands were checked where it is defined.
    pub(super) fn call(&mut self, span: &Span) {
        self.grant(span, None);
        let span = self.placed(span);
        self.calls.push(span);
    }

    /// Whether the text at a place begins like this.
    fn is_written(&self, at: usize, text: &str) -> bool {
        self.source.get(at..).is_some_and(|rest| rest.starts_with(text))
    }

    /// Refuses what another shell would not read as bash does.
    fn only_bash(&mut self, is_so: bool, span: &Span) {
        if is_so && self.is_other_shell {
            self.refuse(span, "only bash reads this so; to another shell it may be a command");
        }
    }

    pub(super) fn script(&mut self, script: &Script) {
        self.items(script, false);
    }

    /// Checks a list; `defines` when its functions are there for what follows.
    pub(super) fn items(&mut self, script: &Script, defines: bool) {
        let around = self.functions.clone();
        let mut is_certain = true;
        for item in &script.items {
            for command in &item.pipeline.commands {
                self.command(command);
            }
            for pair in item.pipeline.commands.windows(2) {
                let between = span_of(&pair[0]).end..span_of(&pair[1]).start;
                let joined = self.source.get(between.clone()).unwrap_or("|&");
                self.only_bash(joined.contains("|&"), &between);
            }
            // A function is certainly there when its definition is certainly reached, in this shell.
            if let [Command::Compound(Compound { kind: CompoundKind::Function { name, .. }, .. })] =
                item.pipeline.commands.as_slice()
                && is_certain
                && item.connector != Connector::Background
                && let Some(name) = name.literal()
            {
                self.functions.insert(name.into_owned());
            }
            is_certain = !matches!(item.connector, Connector::And | Connector::Or);
        }
        if !defines {
            self.functions = around;
        }
    }

    fn command(&mut self, command: &Command) {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Compound(compound) => self.compound(compound),
        }
    }

    fn compound(&mut self, compound: &Compound) {
        for redirect in &compound.redirects {
            self.redirect(redirect);
        }
        let is_only_bash = match &compound.kind {
            CompoundKind::Test(_)
            | CompoundKind::Arithmetic(_)
            | CompoundKind::ArithmeticFor { .. }
            | CompoundKind::Select { .. }
            | CompoundKind::Coproc { .. } => true,
            CompoundKind::Function { .. } => self.is_written(compound.span.start, "function"),
            _ => false,
        };
        self.only_bash(is_only_bash, &compound.span);
        match &compound.kind {
            CompoundKind::Subshell(script) | CompoundKind::Group(script) => self.script(script),
            CompoundKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    self.script(condition);
                    self.script(body);
                }
                if let Some(script) = otherwise {
                    self.script(script);
                }
            }
            CompoundKind::For { variable, words, body }
            | CompoundKind::Select { variable, words, body } => {
                match variable.literal() {
                    Some(name) if may_set(&name, None) => {}
                    _ => self.refuse(&variable.span, "sets a variable that changes what runs"),
                }
                for word in words.iter().flatten() {
                    self.word(word);
                }
                self.script(body);
            }
            CompoundKind::ArithmeticFor { header, body } => {
                self.arithmetic(header, &compound.span);
                self.script(body);
            }
            CompoundKind::While { condition, body, .. } => {
                self.script(condition);
                self.script(body);
            }
            CompoundKind::Case { subject, arms } => {
                self.parts(&subject.parts);
                for arm in arms {
                    for pattern in &arm.patterns {
                        self.parts(&pattern.parts);
                    }
                    self.script(&arm.body);
                }
            }
            CompoundKind::Test(words) => self.test(words),
            CompoundKind::Arithmetic(parts) => self.arithmetic(parts, &compound.span),
            CompoundKind::Function { name, body } => {
                let is_name = |name: &str| {
                    name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
                };
                // A name in quotes is none to bash: it goes on without the function.
                let is_bare = |part: &Part| {
                    matches!(&part.kind, PartKind::Literal(text)
                        if text.len() == part.span.len() && is_name(text))
                };
                if !matches!(name.parts.as_slice(), [part] if is_bare(part)) {
                    self.refuse(&name.span, "a function whose name is not plain");
                }
                if let Some(command) = body {
                    // Whether it is there when it is called is not known inside of it.
                    let around = std::mem::take(&mut self.functions);
                    self.command(command);
                    self.functions = around;
                }
            }
            CompoundKind::Coproc { body } => {
                if let Some(command) = body {
                    // `coproc NAME { …; }` sets a variable of that name.
                    let before = compound.span.start + "coproc".len()..span_of(command).start;
                    let name = self.source.get(before).unwrap_or_default().trim().to_owned();
                    if !name.is_empty() && !may_set(&name, None) {
                        self.refuse(&compound.span, "sets a variable that changes what runs");
                    }
                    self.command(command);
                }
            }
        }
    }

    fn simple(&mut self, simple: &SimpleCommand) {
        let is_prefix = !simple.words.is_empty();
        for assignment in &simple.assignments {
            self.assignment(assignment, is_prefix);
        }
        for word in &simple.words {
            self.word(word);
        }
        for redirect in &simple.redirects {
            // `{name[…]}>file`, and a name over two lines, is a word only to the parser.
            let stands_before = |word: &&Word| word.span.end == redirect.span.start;
            if let Some(word) = simple.words.iter().find(stands_before)
                && names_descriptor(self.source.get(word.span.clone()).unwrap_or("{[}"))
            {
                self.refuse(&word.span, EVALUATED_INDEX);
            }
            self.redirect(redirect);
        }
        if is_prefix {
            let arguments: Vec<Argument> = simple.words.iter().map(Argument::new).collect();
            self.run(&arguments);
        }
    }

    fn assignment(&mut self, assignment: &Assignment, is_prefix: bool) {
        self.parts(&assignment.value.parts);
        let value = assignment.value.literal();
        let is_fine = if is_prefix {
            may_prefix(&assignment.name, value.as_deref())
        } else {
            may_set(&assignment.name, value.as_deref())
        };
        let is_only_bash = assignment.append || assignment.index.is_some();
        self.only_bash(is_only_bash, &assignment.span);
        let is_plain_index = |index: &str| index.chars().all(|c| c.is_ascii_digit());
        if !is_fine {
            let reason = format!("sets `{}`, which may change what runs", assignment.name);
            self.refuse(&assignment.span, reason);
        } else if !assignment.index.as_deref().is_none_or(is_plain_index) {
            self.refuse(&assignment.span, EVALUATED_INDEX);
        }
    }

    /// A word of a command, where an extended glob may be code (zsh).
    fn word(&mut self, word: &Word) {
        if word.parts.iter().any(|part| matches!(part.kind, PartKind::ExtendedGlob(_))) {
            self.refuse(&word.span, "an extended glob, which some shells run");
        }
        self.parts(&word.parts);
    }

    fn parts(&mut self, parts: &[Part]) {
        for part in parts {
            let at = part.span.start;
            let is_only_bash = match &part.kind {
                PartKind::AnsiC(_)
                | PartKind::ProcessSubstitution { .. }
                | PartKind::Array(_)
                | PartKind::ExtendedGlob(_) => true,
                PartKind::DoubleQuoted(_) => self.is_written(at, "$"),
                PartKind::Arithmetic(_) => self.is_written(at, "$["),
                PartKind::CommandSubstitution(_) => self.is_written(at, "${"),
                _ => false,
            };
            self.only_bash(is_only_bash, &part.span);
            match &part.kind {
                PartKind::CommandSubstitution(script)
                | PartKind::ProcessSubstitution { script, .. } => self.script(script),
                PartKind::DoubleQuoted(parts) | PartKind::ExtendedGlob(parts) => {
                    self.parts(parts);
                }
                PartKind::Arithmetic(parts) => self.arithmetic(parts, &part.span),
                PartKind::Brace(words) => {
                    for word in words {
                        self.parts(&word.parts);
                    }
                }
                PartKind::Array(words) => {
                    for word in words {
                        if !is_plain_element(&word.parts) {
                            self.refuse(&word.span, EVALUATED_INDEX);
                        }
                        self.parts(&word.parts);
                    }
                }
                PartKind::Parameter(parameter) => self.parameter(parameter, &part.span),
                PartKind::Literal(_)
                | PartKind::SingleQuoted(_)
                | PartKind::AnsiC(_)
                | PartKind::Glob(_)
                | PartKind::Tilde(_) => {}
            }
        }
    }

    fn parameter(&mut self, parameter: &Parameter, span: &Span) {
        let is_number = |word: &Word| {
            word.literal().is_some_and(|index| {
                index.chars().all(|c| c.is_ascii_digit()) || matches!(&*index, "@" | "*")
            })
        };
        let argument = parameter.argument.as_ref();
        let evaluates = parameter.indirect
            || parameter.index.as_ref().is_some_and(|index| !is_number(index))
            || parameter.operator == "@"
            || (parameter.operator == ":"
                && !argument.and_then(Word::literal).is_some_and(|range| {
                    range.chars().all(|c| c.is_ascii_digit() || ": -".contains(c))
                }));
        if evaluates {
            self.refuse(span, "a parameter whose value is evaluated when it runs");
        }
        if matches!(parameter.operator.as_str(), "=" | ":=") && !may_set(&parameter.name, None) {
            let reason = format!("sets `{}`, which may change what runs", parameter.name);
            self.refuse(span, reason);
        }
        for word in parameter.index.iter().chain(argument) {
            self.parts(&word.parts);
        }
    }

    /// Variables in arithmetic are evaluated as expressions, and those may run commands.
    fn arithmetic(&mut self, parts: &[Part], span: &Span) {
        self.parts(parts);
        let is_plain = |part: &Part| match &part.kind {
            PartKind::Literal(text) => {
                text.chars().all(|c| c.is_ascii_digit() || " \t\n+-*/%()<>=!&|^~?:,".contains(c))
            }
            _ => false,
        };
        if !parts.iter().all(is_plain) {
            self.refuse(span, "arithmetic with variables, which are evaluated when it runs");
        }
    }

    fn test(&mut self, words: &[Word]) {
        for word in words {
            self.parts(&word.parts);
        }
        let texts: Vec<Option<String>> =
            words.iter().map(|word| word.literal().map(std::borrow::Cow::into_owned)).collect();
        let is_number = |at: Option<usize>| {
            let text = at.and_then(|at| texts.get(at)).and_then(Option::as_deref);
            text.is_some_and(|text| text.strip_prefix('-').unwrap_or(text).parse::<u64>().is_ok())
        };
        for (at, (word, text)) in words.iter().zip(&texts).enumerate() {
            let evaluates = match text.as_deref() {
                Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => {
                    !(is_number(at.checked_sub(1)) && is_number(Some(at + 1)))
                }
                Some("-v" | "-R") => true,
                _ => false,
            };
            if evaluates {
                self.refuse(&word.span, "a test whose operands are evaluated when it runs");
            }
        }
    }

    fn redirect(&mut self, redirect: &Redirect) {
        self.word(&redirect.target);
        if let Some(heredoc) = redirect.heredoc()
            && heredoc.expands
        {
            self.parts(&heredoc.body.parts);
        }
        use RedirectOperator as Op;
        // `{name}>file` sets a variable.
        if let Some(name) = redirect.descriptor.as_deref().and_then(|name| name.strip_prefix('{')) {
            self.only_bash(true, &redirect.span);
            if !may_set(name.trim_end_matches('}'), None) {
                self.refuse(&redirect.span, "sets a variable that changes what runs");
            }
        }
        let target = redirect.target.literal();
        let is_descriptor =
            |text: &str| text.strip_suffix('-').unwrap_or(text).chars().all(|c| c.is_ascii_digit());
        let is_only_bash = match redirect.operator {
            Op::HereString | Op::WriteBoth | Op::AppendBoth => true,
            Op::DuplicateOutput => !target.as_deref().is_some_and(is_descriptor),
            _ => false,
        };
        self.only_bash(is_only_bash, &redirect.span);
        match redirect.operator {
            Op::Heredoc | Op::HereString => {}
            Op::DuplicateInput | Op::DuplicateOutput
                if target.as_deref().is_some_and(is_descriptor) => {}
            Op::Read | Op::DuplicateInput => {
                let prefix = match &target {
                    Some(path) => path.clone().into_owned(),
                    None => Argument::new(&redirect.target).prefix,
                };
                let may_be_device = match &target {
                    Some(path) => reaches_network(path),
                    None => "/dev/".starts_with(&*prefix) || prefix.starts_with("/dev"),
                };
                if may_be_device {
                    self.refuse(&redirect.span, "may open a network connection");
                }
            }
            Op::Write
            | Op::Append
            | Op::Clobber
            | Op::ReadWrite
            | Op::WriteBoth
            | Op::AppendBoth
            | Op::DuplicateOutput => {
                let argument = Argument::new(&redirect.target);
                self.write(&redirect.span, &argument);
            }
        }
    }

    /// Checks that a file may be written.
    pub(super) fn write(&mut self, span: &Span, file: &Argument) {
        let Some(path) = file.value.clone().or_else(|| file.home.clone()) else {
            let is_file = !file.prefix.is_empty() && !file.prefix.starts_with('/');
            if is_file && self.permissions.write_anything().is_some() {
                return;
            }
            self.refuse(span, "writes a file whose name is only known when it runs");
            return;
        };
        if reaches_network(&path) {
            self.refuse(span, "opens a network connection");
            return;
        }
        let is_harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]
            .contains(&path.as_str())
            || path.strip_prefix("/dev/fd/").is_some_and(|fd| fd.parse::<u8>().is_ok());
        if is_harmless {
            return;
        }
        if self.permissions.write(&path).is_none() {
            let hint = format!("`Write({path})` would permit it");
            let is_quotable = !path.contains(|c: char| c.is_control() || "() ".contains(c));
            let (span, reason) = (self.placed(span), format!("writes `{path}`"));
            let hint = is_quotable.then_some(hint);
            self.push(Refusal { span, reason, hint, writes: Some(path) });
        } else if is_relative(&path) {
            self.relative(span);
        }
    }
}

fn span_of(command: &Command) -> &Span {
    match command {
        Command::Simple(simple) => &simple.span,
        Command::Compound(compound) => &compound.span,
    }
}

/// Whether a word right before a redirection is the variable for its descriptor.
fn names_descriptor(word: &str) -> bool {
    let word = word.replace("\\\n", "");
    let inside = word.strip_prefix('{').and_then(|word| word.strip_suffix('}'));
    inside.is_some_and(|name| {
        name.contains('[') || name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// Whether an element of a list has no index, or a number: any other is evaluated as an expression, which
/// may run commands. `[ab]*` is a glob.
fn is_plain_element(parts: &[Part]) -> bool {
    let has_bracket = match parts.first().map(|part| &part.kind) {
        Some(PartKind::Glob('[')) => true,
        Some(PartKind::Literal(text)) => text.starts_with('['),
        _ => false,
    };
    if !has_bracket {
        return true;
    }
    let [_, Part { kind: PartKind::Literal(text), span }, rest @ ..] = parts else { return false };
    let Some((index, after)) = text.split_once(']') else { return false };
    if span.len() != text.len() || index.is_empty() {
        return false;
    }
    if after.starts_with('=') || after.starts_with("+=") {
        return index.chars().all(|c| c.is_ascii_digit());
    }
    let is_class = index.chars().all(|c| c.is_ascii_alphanumeric() || "!^_.,-".contains(c));
    let follows = !after.is_empty()
        || matches!(rest.first().map(|p| &p.kind), None | Some(PartKind::Glob(_)));
    is_class && follows
}

/// Whether a path is another one in another folder.
pub(super) fn is_relative(path: &str) -> bool {
    !path.starts_with(['/', '~'])
}

/// Names that bash opens as a connection.
fn reaches_network(path: &str) -> bool {
    let mut parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    path.starts_with('/')
        && parts.next() == Some("dev")
        && matches!(parts.next(), Some("tcp" | "udp" | ".."))
}
