//! One file or block of code: its statements, its names, and what they carry.

mod assigned;
mod callbacks;
mod calls;
mod commands;
mod events;
mod expression;
mod files;
mod folding;
mod named;
mod names;
mod native;
mod network;
mod other_calls;
mod powershell;
mod printed;
mod ruby;
mod running;
mod statements;
mod targets;
mod variables;
mod wrapped;

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::ops::Range;
use std::rc::Rc;

use super::lexer::{Lexeme, Token, brackets, lex};
use super::scopes::{plain, tell_apart};
use super::{MAX_TEXTS, World};
use crate::scan::Skill;
use crate::scan::decode::{Encoded, turned_by_constant};
use crate::scan::finding::Context;
use crate::scan::findings::{Findings, Match};
use crate::scan::flow::{self, Taint};
use crate::scan::kind::Language;
use crate::scan::passage::{Passage, Place};
use crate::scan::text::visible;

pub(super) use commands::Command;
use expression::Value;
use statements::SEVERAL;

/// Calls inside calls that are followed.
const MAX_DEPTH: usize = 40;
/// Longest text of a value that is kept.
const MAX_TEXT: usize = 16 * 1024;
/// Parameters of a function that a call may name.
const MAX_PARAMETERS: usize = 256;
/// Longest text of a function's result that is kept.
const MAX_RETURNED: usize = 400;
/// Texts of one file that are looked at as shell text or code of their own.
const MAX_SHELL: usize = 200;
/// Arguments of a function that is called where it is written.
const MAX_CALLED_WITH: usize = 8;
/// Names and texts of a call's result that are kept.
const MAX_OF_CALL: usize = 8;
/// Characters of a decoded text that a finding shows.
const MAX_SHOWN: usize = 80;
/// In front of a text that stands for a running interpreter.
const INTERPRETER: &str = "\u{0}interpreter ";

/// A file or block of code.
pub(crate) struct Unit<'a> {
    pub(super) passage: &'a Passage<'a>,
    pub(super) tokens: Vec<Lexeme>,
    /// For each opening bracket the index of its closing one.
    close: Vec<usize>,
    statements: Vec<Statement>,
    functions: Vec<Function>,
    /// The first function of each name.
    by_name: HashMap<String, usize>,
    aliases: HashMap<String, String>,
    /// Names that come out of other files of the skill, with what they are called there.
    imported: HashMap<String, String>,
    variables: HashMap<String, Taint>,
    texts: HashMap<String, Vec<String>>,
    /// Names and texts that a file variable was opened with.
    origins: HashMap<String, Vec<String>>,
    /// Lists that are commands, by the name that holds one; nothing for names that hold other things too.
    commands: HashMap<String, Option<Command>>,
    /// Functions that are declared as part of something: `function love.load()`.
    methods: HashSet<String>,
    /// The class whose methods are being read.
    class: Option<String>,
    /// Whether functions of Perl take what they are called with by its place: `$_[0]`.
    takes_by_place: bool,
    /// Functions whose body is one expression, with that body.
    arrows: Vec<(usize, Range<usize>)>,
    /// Functions that are called where they are written, with the bracket of their arguments.
    immediate: Vec<(usize, usize)>,
    /// Shell texts that the code runs.
    pub(super) shell: Vec<Passage<'a>>,
    /// Whether variables hold more text than was kept.
    is_short: Cell<bool>,
    /// What stands left of the pipes of the statement being read, by the pipe: with the calls around
    /// it then, since inside more of them less is followed.
    left_of_pipes: HashMap<usize, (usize, Value)>,
    /// Strings and lists of numbers that a constant makes readable, in their order.
    turned: Vec<Encoded>,
}

/// Small, since a file may have as many as it has lines.
struct Statement {
    start: u32,
    end: u32,
    function: Option<u32>,
}

impl Statement {
    fn new(tokens: Range<usize>, function: Option<usize>) -> Self {
        // Files have fewer bytes than that.
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { start: short(tokens.start), end: short(tokens.end), function: function.map(short) }
    }

    fn tokens(&self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The function that it stands in.
    fn function(&self) -> Option<usize> {
        self.function.map(|at| at as usize)
    }
}

struct Function {
    name: String,
    parameters: Vec<String>,
    /// Names of what it gives back, where it has them.
    results: Vec<String>,
}

type Out<'r, 's, 'f> = Option<(&'r Skill<'s>, &'r mut Findings<'f>)>;

impl<'a> Unit<'a> {
    pub(super) fn new(passage: &'a Passage<'a>) -> Self {
        let mut tokens = lex(&passage.text, passage.language);
        tell_apart(&mut tokens, passage.language);
        let close = brackets(&tokens);
        let mut unit = Self {
            passage,
            tokens,
            close,
            statements: Vec::new(),
            functions: Vec::new(),
            by_name: HashMap::new(),
            aliases: HashMap::new(),
            imported: HashMap::new(),
            variables: HashMap::new(),
            texts: HashMap::new(),
            origins: HashMap::new(),
            commands: HashMap::new(),
            methods: HashSet::new(),
            class: None,
            takes_by_place: passage.language == Language::Perl && passage.text.contains("$_["),
            arrows: Vec::new(),
            immediate: Vec::new(),
            shell: Vec::new(),
            is_short: Cell::new(false),
            left_of_pipes: HashMap::new(),
            turned: turned_by_constant(&passage.text),
        };
        unit.split();
        unit.find_arrows();
        let own = |function: &&Function| !unit.methods.contains(&function.name);
        for (at, function) in unit.functions.iter().enumerate().filter(|(_, f)| own(f)) {
            unit.by_name.entry(function.name.clone()).or_insert(at);
        }
        unit.imports();
        unit
    }

    /// Whether variables hold more text than was kept.
    #[cfg(test)]
    pub(super) fn is_short(&self) -> bool {
        self.is_short.get()
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).map(|lexeme| &lexeme.token)
    }

    fn name_at(&self, at: usize) -> Option<&str> {
        match self.token(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is_op(&self, at: usize, op: char) -> bool {
        self.token(at) == Some(&Token::Op(op))
    }

    /// Whether a call is given more than texts that stand there.
    pub(super) fn takes_names(&self, at: usize) -> bool {
        const LONGEST: usize = 64;
        self.is_op(at + 1, '(')
            && (at + 2..self.close[at + 1].min(at + 2 + LONGEST)).any(|i| self.name_at(i).is_some())
            || self.passage.language == Language::PowerShell
                && !matches!(self.token(at + 1), Some(Token::Text(_)))
    }

    /// What its functions are called.
    pub(super) fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|function| function.name.as_str())
    }

    /// Marks functions that only this file knows, wherever it names them. What has a meaning of its own keeps it.
    pub(super) fn rename_functions(&mut self, names: &HashSet<String>, mark: &str) {
        let is_own = |name: &str| {
            names.contains(name)
                && self.meaning(name).is_none()
                && self.meaning(&format!("x.{name}")).is_none()
        };
        let names: HashSet<&str> = names.iter().map(String::as_str).filter(|n| is_own(n)).collect();
        if names.is_empty() {
            return;
        }
        let mut marked: HashMap<Rc<str>, Rc<str>> = HashMap::new();
        for lexeme in &mut self.tokens {
            let Token::Name(name) = &lexeme.token else { continue };
            if names.contains(name.rsplit('.').next().unwrap_or(name)) {
                let new =
                    marked.entry(Rc::clone(name)).or_insert_with(|| format!("{name}{mark}").into());
                lexeme.token = Token::Name(Rc::clone(new));
            }
        }
        for function in &mut self.functions {
            if names.contains(function.name.as_str()) {
                function.name.push_str(mark);
            }
        }
        self.by_name.clear();
        for (at, function) in self.functions.iter().enumerate() {
            if !self.methods.contains(plain(&function.name).as_str()) {
                self.by_name.entry(function.name.clone()).or_insert(at);
            }
        }
    }

    /// Tells the world of this file's functions.
    pub(super) fn declare(&mut self, world: &mut World) {
        for function in &self.functions {
            world.returns.entry(function.name.clone()).or_default();
            world.parameters.entry(function.name.clone()).or_insert_with(|| {
                let names = function.parameters.iter().take(MAX_PARAMETERS);
                names.map(|name| plain(name)).collect()
            });
        }
    }

    /// One round over the statements. With a place to report, findings are made.
    pub(super) fn round(&mut self, world: &mut World, mut out: Out<'_, '_, '_>) {
        for at in 0..self.functions.len() {
            let calls = world.calls.get(&self.functions[at].name).cloned().unwrap_or_default();
            for (position, taint) in calls.iter().enumerate() {
                if let Some(parameter) = self.functions[at].parameters.get(position).cloned() {
                    for name in parameter.split(SEVERAL) {
                        self.gain(name, taint, world);
                    }
                }
            }
            let given = world.given.get(&self.functions[at].name).cloned().unwrap_or_default();
            for (position, texts) in given.iter().enumerate().filter(|(_, t)| !t.is_empty()) {
                if let Some(parameter) = self.functions[at].parameters.get(position).cloned() {
                    for name in parameter.split(SEVERAL) {
                        self.may_hold(name, texts, world);
                    }
                }
            }
        }
        for at in 0..self.arrows.len() {
            let (function, body) = self.arrows[at].clone();
            let value = self.value(body, world, &mut None, 0);
            self.returns(function, &value, world);
        }
        self.called_at_once(world);
        // The name that the block below it is for, and how far it is indented.
        let mut awaits: Option<(String, usize)> = None;
        for at in 0..self.statements.len() {
            self.left_of_pipes.clear();
            self.decorator(at, world);
            let given = self.statement(at, world, &mut out);
            let start = self.without_lines(self.statements[at].tokens()).start;
            let column = self.tokens.get(start).map_or(0, Lexeme::column);
            match &awaits {
                Some((name, indent)) if column > *indent => {
                    let name = name.clone();
                    self.gain(&name, &given, world);
                }
                _ => awaits = self.awaits(at),
            }
        }
        if let Some((_, findings)) = &mut out
            && self.is_short.get()
        {
            findings.unfinished(self.passage, 0..0, "its variables hold too much text");
        }
        if let Some((skill, _)) = &out
            && !self.is_test(skill)
        {
            self.strings(world);
            self.native_commands();
            self.piped_commands();
        }
    }

    /// `func(data string) {…}(x)`, `(function (data) {…})(x)`: the parameters hold what stands behind.
    fn called_at_once(&mut self, world: &mut World) {
        for at in 0..self.immediate.len() {
            let (function, open) = self.immediate[at];
            let arguments = self.arguments(open);
            for (position, range) in arguments.into_iter().enumerate().take(MAX_CALLED_WITH) {
                let value = self.value(range, world, &mut None, 1);
                if let Some(parameter) = self.functions[function].parameters.get(position).cloned()
                {
                    for name in parameter.split(SEVERAL) {
                        self.assign(name, &value, world);
                    }
                }
            }
        }
    }

    /// A test by its name that starts nothing: its strings are samples.
    fn is_test(&self, skill: &Skill<'_>) -> bool {
        const STARTS: [&str; 7] =
            ["exec", "spawn", "system(", "popen", "eval(", "subprocess", "Function("];
        let path = skill.members.get(self.passage.file).map_or("", |member| member.path.as_str());
        let path = path.rsplit('/').next().unwrap_or_default();
        let is_named =
            path.contains(".test.") || path.contains(".spec.") || path.starts_with("test_");
        is_named && !STARTS.iter().any(|word| self.passage.text.contains(word))
    }

    /// Strings that look like something to be run, wherever they go first.
    fn strings(&mut self, world: &World) {
        for at in 0..self.tokens.len() {
            let Token::Text(text) = &self.tokens[at].token else { continue };
            let Some(language) = crate::scan::quoted::language_of(text) else { continue };
            if self.shell.len() >= MAX_SHELL {
                break;
            }
            let text = self.filled(text, world);
            let (line, column) = self.passage.place.position(self.tokens[at].at());
            // Not a command yet: a host to be filled in makes it an example.
            let context = if self.passage.context == Context::Script {
                Context::Setting
            } else {
                self.passage.context
            };
            self.shell.push(Passage {
                language,
                context,
                text: Cow::Owned(text),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
    }

    fn gain(&mut self, name: &str, taint: &Taint, world: &mut World) {
        if !taint.is_clean() && self.variables.entry(name.to_owned()).or_default().add(taint) {
            world.moved = true;
        }
    }

    /// Texts that a name may stand for, given from elsewhere.
    fn may_hold(&mut self, name: &str, texts: &[String], world: &mut World) {
        let origins = self.origins.entry(name.to_owned()).or_default();
        for text in texts {
            if origins.len() < MAX_TEXTS && !origins.contains(text) {
                origins.push(text.clone());
                world.moved = true;
            }
        }
        self.texts.entry(name.to_owned()).or_insert_with(|| texts.to_vec());
    }

    /// A function of this file gives a value to whoever calls it.
    fn returns(&mut self, function: usize, value: &Value, world: &mut World) {
        let name = &self.functions[function].name;
        if !value.taint.is_clean()
            && world.returns.entry(name.clone()).or_default().add(&value.taint)
        {
            world.moved = true;
        }
        if value.texts.is_empty() {
            return;
        }
        // The parts of a path are one text, a list of texts is many.
        let path = value.texts[0] == "~" && value.texts.len() > 1;
        let texts = if path { vec![value.path()] } else { value.texts.clone() };
        let known = world.returned.entry(name.clone()).or_default();
        for text in texts.into_iter().filter(|text| text.len() < MAX_RETURNED) {
            if known.len() < MAX_TEXTS && !known.contains(&text) {
                known.push(text);
                world.moved = true;
            }
        }
    }

    fn report(&self, at: usize, found: Option<Match>, out: &mut Out<'_, '_, '_>) {
        if let (Some(found), Some((_, findings))) = (found, out.as_mut()) {
            let start = self.tokens.get(at).map_or(0, Lexeme::at);
            findings.add(self.passage, start..(start + 1).min(self.passage.text.len()), found);
        }
    }

    fn to_network(
        &self,
        taint: &Taint,
        address: &str,
        via: &str,
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) {
        let found = out.as_ref().and_then(|(skill, _)| {
            flow::to_network(taint, address, &plain(via), self.passage.context, skill)
        });
        self.report(at, found, out);
    }

    fn to_interpreter(&self, taint: &Taint, name: &str, at: usize, out: &mut Out<'_, '_, '_>) {
        let mut found =
            flow::to_interpreter(taint, &format!("`{}`", plain(name)), self.passage.context);
        if let Some(found) = &mut found
            && taint.decoded.is_some()
            && let Some(text) = self.turned_before(at)
        {
            let _ = write!(found.message, ": `{}`", visible(text, MAX_SHOWN));
        }
        self.report(at, found, out);
    }

    /// Whether a constant makes readable what stands at a token.
    fn is_turned(&self, at: usize) -> bool {
        if self.turned.is_empty() {
            return false;
        }
        let from = self.tokens[at].at();
        // Behind a string in escapes stands a name at the same place.
        let later = self.tokens[at..].iter().map(Lexeme::at).find(|later| *later > from);
        let until = later.unwrap_or(self.passage.text.len());
        let next = self.turned.partition_point(|one| one.range.end <= from);
        self.turned.get(next).is_some_and(|one| one.range.start < until)
    }

    /// The last text before the end of a statement that a constant makes readable.
    fn turned_before(&self, at: usize) -> Option<&str> {
        let start = self.tokens.get(at)?.at();
        let line = self.passage.text.get(start..)?.find('\n').map(|end| start + end);
        let end = line.unwrap_or(self.passage.text.len());
        let next = self.turned.partition_point(|one| one.range.start < end);
        self.turned[..next].last().map(|one| one.text.as_str())
    }

    fn to_file(&self, path: &str, content: &Value, at: usize, out: &mut Out<'_, '_, '_>) {
        let found = out.as_ref().and_then(|(skill, _)| {
            flow::to_file(path, &content.text(), &content.taint, self.passage, skill)
        });
        self.report(at, found, out);
    }
}

/// A script of Python on its own.
#[cfg(test)]
fn test_passage(code: String) -> Passage<'static> {
    Passage {
        file: 0,
        language: Language::Python,
        context: Context::Script,
        text: Cow::Owned(code),
        place: Place::Fixed { line: 1, column: 1 },
        headings: Cow::Borrowed(""),
        lead: Cow::Borrowed(""),
        decoded: None,
    }
}
