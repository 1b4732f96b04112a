//! One file or block of code: its statements, its names, and what they carry.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::World;
use super::lexer::{ESCAPED, Spot, Token, lex};
use super::tables::{Meaning, meaning, meaning_any_case};
use crate::scan::Skill;
use crate::scan::destination::{Class, classify};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::flow::{self, Taint, is_key_name};
use crate::scan::kind::{Language, of_interpreter};
use crate::scan::passage::{Passage, Place};
use crate::scan::places::normalise;
use crate::scan::rules;
use crate::scan::subject::is_environment_name;

/// Calls inside calls that are followed.
const MAX_DEPTH: usize = 48;
/// Longest text of a value that is kept.
const MAX_TEXT: usize = 16 * 1024;
/// In front of a text that stands for a running interpreter.
const INTERPRETER: &str = "\u{0}interpreter ";

/// A file or block of code.
pub(crate) struct Unit<'a> {
    pub(super) passage: &'a Passage<'a>,
    pub(super) tokens: Vec<Spot>,
    /// For each opening bracket the index of its closing one.
    close: Vec<usize>,
    statements: Vec<Statement>,
    functions: Vec<Function>,
    aliases: HashMap<String, String>,
    variables: HashMap<String, Taint>,
    texts: HashMap<String, Vec<String>>,
    /// Names and texts that a file variable was opened with.
    origins: HashMap<String, Vec<String>>,
    /// Shell texts that the code runs.
    pub(super) shell: Vec<Passage<'a>>,
}

struct Statement {
    tokens: Range<usize>,
    function: Option<usize>,
}

struct Function {
    name: String,
    parameters: Vec<String>,
}

/// What an expression gives.
#[derive(Debug, Clone, Default)]
struct Value {
    taint: Taint,
    /// Texts in it; pieces joined by `+` are one.
    texts: Vec<String>,
    /// Names in it.
    names: Vec<String>,
    /// The thing it is another name for: `getattr(os, "system")`.
    alias: Option<String>,
    /// It starts with something only known at run time.
    dynamic_start: bool,
    /// What its first part carries: the program of a command.
    head: Taint,
}

impl Value {
    fn path(&self) -> String {
        self.texts.join("/")
    }

    fn text(&self) -> String {
        self.texts.concat()
    }

    fn add(&mut self, other: &Self) {
        self.taint.add(&other.taint);
        if self.texts.iter().map(String::len).sum::<usize>() < MAX_TEXT {
            self.texts.extend(other.texts.iter().cloned());
        }
        if self.names.len() < 64 {
            self.names.extend(other.names.iter().cloned());
        }
    }

    /// The address among its texts.
    fn address(&self) -> Option<&str> {
        self.texts.iter().map(String::as_str).find(|text| text.contains("://"))
    }

    /// Something like a host among its texts.
    fn host(&self) -> Option<&str> {
        self.address().or_else(|| {
            self.texts.iter().map(String::as_str).find(|text| {
                text.contains('.')
                    && !text.contains([' ', '/', '\n'])
                    && text.len() > 3
                    && text.len() < 200
                    && text.parse::<f64>().is_err()
            })
        })
    }
}

type Out<'r, 's, 'f> = Option<(&'r Skill<'s>, &'r mut Findings<'f>)>;

impl<'a> Unit<'a> {
    pub(super) fn new(passage: &'a Passage<'a>) -> Self {
        let tokens = lex(&passage.text, passage.language);
        let close = brackets(&tokens);
        let mut unit = Self {
            passage,
            tokens,
            close,
            statements: Vec::new(),
            functions: Vec::new(),
            aliases: HashMap::new(),
            variables: HashMap::new(),
            texts: HashMap::new(),
            origins: HashMap::new(),
            shell: Vec::new(),
        };
        unit.split();
        unit.imports();
        unit
    }

    fn token(&self, at: usize) -> Option<&Token> {
        self.tokens.get(at).map(|spot| &spot.token)
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

    /// Cuts the tokens into statements, and finds the functions they stand in.
    fn split(&mut self) {
        let braces = !matches!(
            self.passage.language,
            Language::Python | Language::Ruby | Language::Lua | Language::Batch
        );
        let mut start = 0;
        let mut function: Option<usize> = None;
        // Open blocks, with the function that was current before each.
        let mut blocks: Vec<(usize, Option<usize>)> = Vec::new();
        let mut parens = 0_usize;
        let mut saved: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            let end_statement = match &self.tokens[at].token {
                Token::Line => parens == 0 && !self.continues(at),
                Token::Op(';') => {
                    parens == 0 || braces && self.passage.language != Language::PowerShell
                }
                Token::Op('(' | '[') => {
                    parens += 1;
                    false
                }
                Token::Op(')' | ']') => {
                    parens = parens.saturating_sub(1);
                    false
                }
                Token::Op('{') if braces => {
                    if self.is_block(at) {
                        self.statements.push(Statement { tokens: start..at, function });
                        let inner = self.declared(start..at);
                        blocks.push((self.close[at], function));
                        saved.push(parens);
                        parens = 0;
                        function = inner.or(function);
                        start = at + 1;
                    } else {
                        parens += 1;
                    }
                    false
                }
                Token::Op('}') if braces => {
                    if blocks.last().is_some_and(|(close, _)| *close == at) {
                        self.statements.push(Statement { tokens: start..at, function });
                        let (_, before) = blocks.pop().unwrap_or_default();
                        function = before;
                        parens = saved.pop().unwrap_or(0);
                        start = at + 1;
                    } else {
                        parens = parens.saturating_sub(1);
                    }
                    false
                }
                _ => false,
            };
            if end_statement {
                let range = start..at;
                if !braces {
                    let column = self.tokens.get(start).map_or(0, |spot| spot.column);
                    let declared = self.declared(range.clone());
                    if declared.is_some() {
                        function = declared;
                    } else if column == 0
                        && self.passage.language == Language::Python
                        && !range.is_empty()
                    {
                        function = None;
                    }
                }
                if !range.is_empty() {
                    self.statements.push(Statement { tokens: range, function });
                }
                start = at + 1;
            }
            at += 1;
        }
        if start < self.tokens.len() {
            self.statements.push(Statement { tokens: start..self.tokens.len(), function });
        }
    }

    /// Whether the line goes on: the next begins with a dot or a pipe, or this ends with an operator.
    fn continues(&self, at: usize) -> bool {
        // Bounded: a thousand empty lines are not one statement.
        const LINES: usize = 32;
        let next = self.tokens[at + 1..]
            .iter()
            .take(LINES)
            .map(|spot| &spot.token)
            .find(|token| **token != Token::Line);
        let before = at.checked_sub(1).and_then(|i| self.token(i));
        let semicolons = matches!(self.passage.language, Language::Perl | Language::Php);
        semicolons && !matches!(before, Some(Token::Op(';' | '{' | '}')) | None)
            || matches!(next, Some(Token::Op('.' | '|')))
            || matches!(before, Some(Token::Op('|' | '+' | ',' | '=' | '&' | '?')))
                && !matches!(self.passage.language, Language::Ruby)
            || matches!(before, Some(Token::Op('-')))
                && self.passage.language == Language::PowerShell
    }

    /// Whether a brace opens a block rather than a table.
    fn is_block(&self, at: usize) -> bool {
        match at.checked_sub(1).and_then(|i| self.token(i)) {
            Some(Token::Op(')' | ';' | '{' | '}') | Token::Line) | None => true,
            Some(Token::Op('>')) => self.is_op(at.saturating_sub(2), '='),
            Some(Token::Name(name)) => {
                matches!(name.as_str(), "else" | "try" | "finally" | "do" | "catch" | "BEGIN" | "static" | "process" | "begin" | "end")
                    || self.passage.language == Language::PowerShell
                    || self.passage.language == Language::Go
                    // class X {, sub name {, function name {
                    || at >= 2 && matches!(self.name_at(at - 2), Some("class" | "sub" | "function" | "extends" | "interface" | "namespace" | "enum" | "catch"))
            }
            _ => false,
        }
    }

    /// The function that a statement begins, if it does.
    fn declared(&mut self, range: Range<usize>) -> Option<usize> {
        let mut name = None;
        let mut open = None;
        for at in range.clone() {
            if let Some("def" | "function" | "func" | "sub" | "fn" | "Function" | "filter") =
                self.name_at(at)
            {
                // Go methods: func (r *T) Name(…)
                let mut next = at + 1;
                if self.is_op(next, '(') && self.passage.language == Language::Go {
                    next = self.close[next] + 1;
                }
                if let Some(found) = self.name_at(next) {
                    name = Some(found.rsplit('.').next().unwrap_or(found).to_owned());
                    open = (self.is_op(next + 1, '(')).then_some(next + 1);
                } else if self.is_op(next, '(') {
                    // An expression: the name stands before, `name = function (`.
                    name = (range.start..at).rev().find_map(|i| {
                        self.name_at(i)
                            .filter(|n| {
                                !matches!(
                                    *n,
                                    "async"
                                        | "const"
                                        | "let"
                                        | "var"
                                        | "export"
                                        | "default"
                                        | "local"
                                )
                            })
                            .map(str::to_owned)
                    });
                    open = Some(next);
                }
                break;
            }
            // name = (a, b) =>, name = x =>, name: (a) =>
            if self.is_op(at, '=') && self.is_op(at + 1, '>') && at > range.start {
                let parameters = if self.is_op(at - 1, ')') {
                    (range.start..at)
                        .rev()
                        .find(|i| self.is_op(*i, '(') && self.close[*i] == at - 1)
                } else {
                    Some(at - 1)
                };
                let Some(first) = parameters else { break };
                let mut before = first;
                if before > range.start && self.name_at(before - 1) == Some("async") {
                    before -= 1;
                }
                if before >= range.start + 2
                    && (self.is_op(before - 1, '=') || self.is_op(before - 1, ':'))
                {
                    name = self.name_at(before - 2).map(str::to_owned);
                    open = self.is_op(first, '(').then_some(first);
                }
                break;
            }
        }
        if name.is_none() && self.passage.language == Language::JavaScript && range.len() >= 3 {
            // A method: name(a, b) {
            let at = range.clone().find(|i| self.is_op(*i, '('))?;
            let found = at.checked_sub(1).and_then(|i| self.name_at(i))?;
            if at - range.start <= 2
                && self.close[at] + 1 >= range.end
                && !matches!(found, "if" | "for" | "while" | "switch" | "catch" | "with")
                && !found.contains('.')
            {
                name = Some(found.to_owned());
                open = Some(at);
            }
        }
        let name = name?;
        let parameters = open.map(|open| self.parameters(open)).unwrap_or_default();
        self.functions.push(Function { name, parameters });
        Some(self.functions.len() - 1)
    }

    fn parameters(&self, open: usize) -> Vec<String> {
        // PHP and PowerShell write the type first.
        let last = matches!(self.passage.language, Language::Php | Language::PowerShell);
        self.arguments(open)
            .into_iter()
            .filter_map(|range| {
                let end = range.clone().find(|i| self.is_op(*i, '=')).unwrap_or(range.end);
                let mut names =
                    (range.start..end).filter_map(|i| self.name_at(i).map(str::to_owned));
                if last { names.next_back() } else { names.next() }
            })
            .filter(|name| !matches!(name.as_str(), "self" | "cls"))
            .collect()
    }

    /// The arguments between brackets, as ranges.
    fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let end = self.close[open].min(self.tokens.len());
        self.commas(open + 1..end)
    }

    fn commas(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        let mut start = range.start;
        let mut at = range.start;
        while at < range.end {
            match &self.tokens[at].token {
                Token::Op('(' | '[' | '{') => at = self.close[at].clamp(at, range.end),
                Token::Op(',') => {
                    found.push(start..at);
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        if start < range.end {
            found.push(start..range.end);
        }
        found
    }

    /// Other names of modules and functions.
    fn imports(&mut self) {
        let statements: Vec<Range<usize>> =
            self.statements.iter().map(|s| s.tokens.clone()).collect();
        for range in statements {
            let first = self.name_at(range.start).map(str::to_owned);
            match (self.passage.language, first.as_deref()) {
                (Language::Python, Some("import")) => {
                    for item in self.commas(range.start + 1..range.end) {
                        if let (Some(module), Some("as"), Some(alias)) = (
                            self.name_at(item.start),
                            self.name_at(item.start + 1),
                            self.name_at(item.start + 2),
                        ) {
                            self.aliases.insert(alias.to_owned(), module.to_owned());
                        }
                    }
                }
                (Language::Python, Some("from")) => {
                    let Some(module) = self.name_at(range.start + 1).map(str::to_owned) else {
                        continue;
                    };
                    let open = if self.is_op(range.start + 3, '(') {
                        range.start + 4
                    } else {
                        range.start + 3
                    };
                    for item in self.commas(open..range.end) {
                        let Some(name) = self.name_at(item.start).map(str::to_owned) else {
                            continue;
                        };
                        let alias = if self.name_at(item.start + 1) == Some("as") {
                            self.name_at(item.start + 2).map(str::to_owned)
                        } else {
                            None
                        };
                        self.aliases.insert(
                            alias.unwrap_or_else(|| name.clone()),
                            format!("{module}.{name}"),
                        );
                    }
                }
                (Language::JavaScript, Some("import")) => {
                    let module = range.clone().rev().find_map(|i| match self.token(i) {
                        Some(Token::Text(text)) => Some(text.clone()),
                        _ => None,
                    });
                    if let Some(module) = module.filter(|module| !module.starts_with('.')) {
                        self.bind(range.start + 1..range.end, &js_module(&module));
                    }
                }
                (Language::JavaScript, Some("const" | "let" | "var")) => {
                    let module = range.clone().find_map(|i| {
                        let is_require = matches!(self.name_at(i), Some("require" | "import"));
                        match (is_require, self.token(i + 2)) {
                            (true, Some(Token::Text(text))) if self.is_op(i + 1, '(') => {
                                Some((i, text.clone()))
                            }
                            _ => None,
                        }
                    });
                    if let Some((at, module)) =
                        module.filter(|(_, module)| !module.starts_with('.'))
                    {
                        let mut module = js_module(&module);
                        let at = at
                            - usize::from(
                                at > range.start && self.name_at(at - 1) == Some("await"),
                            );
                        // require('x').y
                        if self.is_op(at + 3, ')')
                            && self.is_op(at + 4, '.')
                            && let Some(member) = self.name_at(at + 5)
                        {
                            module = format!("{module}.{member}");
                        }
                        self.bind(range.start + 1..at, &module);
                    } else if self.is_op(range.start + 1, '{')
                        && let Some(equals) = self.assignment(&range)
                        && let (Some(thing), true) =
                            (self.name_at(equals + 1).map(str::to_owned), equals + 2 >= range.end)
                        && matches!(
                            thing.as_str(),
                            "process" | "os" | "fs" | "child_process" | "globalThis"
                        )
                    {
                        // const { env } = process
                        self.bind(range.start + 1..equals, &thing);
                    }
                }
                (Language::PowerShell, Some(word))
                    if word.eq_ignore_ascii_case("Set-Alias")
                        || word.eq_ignore_ascii_case("New-Alias")
                        || word.eq_ignore_ascii_case("sal") =>
                {
                    let names: Vec<String> = (range.start + 1..range.end)
                        .filter_map(|i| self.name_at(i).map(str::to_owned))
                        .filter(|n| !matches!(n.as_str(), "Name" | "Value"))
                        .collect();
                    if let [alias, target, ..] = names.as_slice() {
                        self.aliases.insert(alias.clone(), target.clone());
                    }
                }
                _ => {}
            }
        }
    }

    /// Binds the names of an import: `x`, `{ a, b as c, d: e }`, `* as x`.
    fn bind(&mut self, range: Range<usize>, module: &str) {
        let brace = range.clone().find(|i| self.is_op(*i, '{'));
        let end = brace.unwrap_or(range.end);
        for at in range.start..end {
            if let Some(name) = self
                .name_at(at)
                .filter(|n| !matches!(*n, "as" | "from" | "type" | "await"))
                .map(str::to_owned)
            {
                self.aliases.insert(name, module.to_owned());
            }
            if self.is_op(at, '=') {
                break;
            }
        }
        if let Some(open) = brace {
            for item in self.arguments(open) {
                let Some(name) = self.name_at(item.start).map(str::to_owned) else { continue };
                let alias = (item.start + 1..item.end)
                    .rev()
                    .find_map(|i| self.name_at(i))
                    .map_or_else(|| name.clone(), str::to_owned);
                self.aliases.insert(alias, format!("{module}.{name}"));
            }
        }
    }

    /// A name with its first part resolved through imports.
    fn resolve(&self, name: &str) -> String {
        if let Some(whole) = self.aliases.get(name) {
            return whole.clone();
        }
        match name.split_once('.') {
            Some((first, rest)) => match self.aliases.get(first) {
                Some(module) => format!("{module}.{rest}"),
                None => name.to_owned(),
            },
            None => name.to_owned(),
        }
    }

    fn meaning(&self, resolved: &str) -> Option<Meaning> {
        let found = match self.passage.language {
            Language::PowerShell | Language::Batch => meaning_any_case(resolved),
            Language::JavaScript | Language::Php | Language::Ruby | Language::Perl
                if resolved == "exec" =>
            {
                Some(Meaning::Run)
            }
            Language::Go if matches!(resolved, "load" | "exec" | "eval" | "open" | "system") => {
                None
            }
            Language::JavaScript
                if matches!(
                    resolved,
                    "load"
                        | "open"
                        | "system"
                        | "sh"
                        | "assert"
                        | "include"
                        | "Path"
                        | "curl"
                        | "wget"
                        | "download"
                ) =>
            {
                None
            }
            Language::Python
                if matches!(
                    resolved,
                    "load"
                        | "system"
                        | "assert"
                        | "include"
                        | "setTimeout"
                        | "spawn"
                        | "Function"
                        | "fetch"
                        | "curl"
                        | "wget"
                        | "sh"
                        | "popen"
                ) =>
            {
                None
            }
            _ => meaning(resolved.strip_prefix("Kernel.").unwrap_or(resolved)),
        };
        // A helper of the skill's own with such a name is followed, not presumed.
        if found.is_some()
            && !resolved.contains('.')
            && self.functions.iter().any(|f| f.name == resolved)
        {
            return None;
        }
        found
    }

    /// Tells the world of this file's functions.
    pub(super) fn declare(&mut self, world: &mut World) {
        for function in &self.functions {
            world.returns.entry(function.name.clone()).or_default();
        }
    }

    /// One round over the statements. With a place to report, findings are made.
    pub(super) fn round(&mut self, world: &mut World, mut out: Out<'_, '_, '_>) {
        for at in 0..self.functions.len() {
            let calls = world.calls.get(&self.functions[at].name).cloned().unwrap_or_default();
            for (position, taint) in calls.iter().enumerate() {
                if let Some(parameter) = self.functions[at].parameters.get(position).cloned() {
                    self.gain(&parameter, taint, world);
                }
            }
        }
        for at in 0..self.statements.len() {
            self.statement(at, world, &mut out);
        }
        if out.is_some() {
            self.strings(world);
        }
    }

    /// Strings that look like something to be run, wherever they go first.
    fn strings(&mut self, world: &World) {
        const MOST: usize = 200;
        for at in 0..self.tokens.len() {
            let Token::Text(text) = &self.tokens[at].token else { continue };
            let Some(language) = crate::scan::quoted::language_of(text) else { continue };
            if self.shell.len() >= MOST {
                break;
            }
            let text = self.filled(text, world);
            let (line, column) = self.passage.place.position(self.tokens[at].at);
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

    fn statement(&mut self, at: usize, world: &mut World, out: &mut Out<'_, '_, '_>) {
        let range = self.statements[at].tokens.clone();
        let function = self.statements[at].function;
        let first = self.name_at(range.start).map(str::to_owned);
        // for x in …, foreach (… as …), with … as x
        if matches!(first.as_deref(), Some("for" | "foreach" | "with" | "async")) {
            self.binding(&range, world, out);
            return;
        }
        if let Some(equals) = self.assignment(&range) {
            let mut value = self.value(equals + 1..range.end, world, out, 0);
            self.narrow(&range, &mut value);
            let targets = self.targets(range.start..equals);
            let destructured = (range.start..equals).any(|i| self.is_op(i, '{'));
            // fd, path = tempfile.mkstemp(): two names of one file.
            if targets.len() == 2 && value.names.iter().any(|n| n.ends_with("mkstemp")) {
                for (one, other) in [(0, 1), (1, 0)] {
                    let origins = self.origins.entry(targets[one].clone()).or_default();
                    if !origins.contains(&targets[other]) {
                        origins.push(targets[other].clone());
                    }
                }
            }
            for target in &targets {
                if destructured && value.taint.environment && equals + 2 >= range.end {
                    // const { A, B } = process.env
                    let key = Value { taint: Taint::key(target), ..Value::default() };
                    self.assign(target, &key, world);
                } else {
                    self.assign(target, &value, world);
                }
                // cmd.Stdin = conn
                if target.to_ascii_lowercase().ends_with(".stdin")
                    && value.taint.connection.is_some()
                {
                    self.shell_on_connection(equals, out);
                }
            }
            // `f = exec`: another name for the same thing.
            let right: Vec<&Token> =
                self.tokens[equals + 1..range.end].iter().map(|s| &s.token).collect();
            let alias = match right.as_slice() {
                [Token::Name(name)] => {
                    let resolved = self.resolve(name);
                    self.meaning(&resolved).map(|_| resolved)
                }
                _ => value.alias.clone().filter(|alias| {
                    self.meaning(alias).is_some()
                        || alias.len() > 1 && meaning(&format!("{alias}.x")).is_none()
                }),
            };
            // `const { a } = require(…)` was bound with the imports.
            let destructured = (range.start..equals).any(|i| self.is_op(i, '{'));
            if let (Some(alias), Some(target), false) =
                (alias, self.targets(range.start..equals).first(), destructured)
            {
                self.aliases.insert(target.clone(), alias);
            }
            return;
        }
        // if (my $s = …), while (defined(my $q = …))
        if matches!(first.as_deref(), Some("if" | "while" | "elsif" | "unless" | "until"))
            && !matches!(self.passage.language, Language::Python)
        {
            let inner = range.clone().skip(1).find(|i| {
                self.is_op(*i, '=')
                    && !self.is_op(*i + 1, '=')
                    && !self.is_op(*i + 1, '>')
                    && !self.is_op(*i + 1, '~')
                    && !matches!(self.token(*i - 1), Some(Token::Op('=' | '!' | '<' | '>')))
                    && self.name_at(*i - 1).is_some()
            });
            if let Some(equals) = inner
                && let Some(target) = self.name_at(equals - 1).map(str::to_owned)
            {
                let value = self.value(equals + 1..range.end, world, out, 1);
                self.assign(&target, &value, world);
            }
        }
        // … | ForEach-Object {: `$_` is each of what stands before the pipe.
        if self.passage.language == Language::PowerShell
            && let Some(pipe) = range.clone().rev().find(|i| self.is_op(*i, '|'))
            && self.name_at(pipe + 1).is_some_and(|n| {
                n.eq_ignore_ascii_case("ForEach-Object")
                    || n.eq_ignore_ascii_case("foreach")
                    || n.eq_ignore_ascii_case("Where-Object")
            })
        {
            let value = self.value(range.start..pipe, world, &mut None, 1);
            self.assign("_", &value, world);
        }
        let returns = matches!(first.as_deref(), Some("return" | "yield"));
        let value = self.value(
            if returns { range.start + 1..range.end } else { range.clone() },
            world,
            out,
            0,
        );
        let implicit =
            matches!(self.passage.language, Language::Ruby | Language::Perl | Language::PowerShell)
                || range.clone().any(|i| self.is_op(i, '=') && self.is_op(i + 1, '>'));
        if let Some(function) = function.filter(|_| returns || implicit) {
            let name = self.functions[function].name.clone();
            if !value.taint.is_clean() && world.returns.entry(name).or_default().add(&value.taint) {
                world.moved = true;
            }
        }
        // export const f = (x) => expression
        if let Some(arrow) = range.clone().find(|i| self.is_op(*i, '=') && self.is_op(*i + 1, '>'))
            && let Some(name) = first
        {
            let value = self.value(arrow + 2..range.end, world, &mut None, 0);
            if !value.taint.is_clean() && world.returns.entry(name).or_default().add(&value.taint) {
                world.moved = true;
            }
        }
    }

    /// `{k: v for k, v in os.environ.items() if k.startswith("APP_")}` is not the whole environment.
    fn narrow(&self, range: &Range<usize>, value: &mut Value) {
        if !value.taint.environment {
            return;
        }
        let filters = range.clone().any(|i| {
            self.name_at(i).is_some_and(|n| {
                matches!(
                    n.rsplit('.').next(),
                    Some(
                        "startswith"
                            | "startsWith"
                            | "HasPrefix"
                            | "start_with"
                            | "select"
                            | "slice"
                    )
                )
            })
        });
        let own = range.clone().any(|i| matches!(self.token(i), Some(Token::Text(text)) if text.len() >= 3 && text.bytes().all(|b| b.is_ascii_uppercase() || b == b'_') && !matches!(text.as_str(), "AWS_" | "AWS" | "GITHUB" | "GITHUB_" | "OPENAI" | "TOKEN" | "KEY" | "SECRET")));
        if filters && own {
            value.taint.environment = false;
        }
    }

    /// A shell whose input or output is a network connection.
    fn shell_on_connection(&self, at: usize, out: &mut Out<'_, '_, '_>) {
        let found = Match::new(
            &rules::REVERSE_SHELL,
            Severity::Critical,
            "a shell is connected to a network connection",
        )
        .with(crate::scan::finding::Flow::new("a shell", "a network connection"));
        self.report(at, Some(found), out);
    }

    fn binding(&mut self, range: &Range<usize>, world: &mut World, out: &mut Out<'_, '_, '_>) {
        let word =
            range.clone().find(|i| matches!(self.name_at(*i), Some("in" | "of" | "as" | "range")));
        let Some(word) = word else {
            self.value(range.clone(), world, out, 0);
            return;
        };
        let (expression, targets) = if self.name_at(word) == Some("as") {
            (range.start + 1..word, word + 1..range.end)
        } else {
            (word + 1..range.end, range.start + 1..word)
        };
        let value = self.value(expression.clone(), world, out, 0);
        let names: Vec<String> = targets
            .clone()
            .filter_map(|i| self.name_at(i).map(str::to_owned))
            .filter(|n| !matches!(n.as_str(), "const" | "let" | "var" | "my" | "await"))
            .collect();
        for name in names {
            self.assign(&name, &value, world);
        }
        // What stands after the binding on the same line: `with a as x, b as y:`, one-line bodies.
        if self.name_at(word) == Some("as") {
            let more = targets.clone().find(|i| self.name_at(*i) == Some("as"));
            if let Some(more) = more {
                let start =
                    targets.clone().find(|i| self.is_op(*i, ',')).map_or(targets.start, |i| i + 1);
                let value = self.value(start..more, world, out, 0);
                if let Some(name) = self.name_at(more + 1).map(str::to_owned) {
                    self.assign(&name, &value, world);
                }
            }
        }
    }

    /// Where a statement assigns at its top level.
    fn assignment(&self, range: &Range<usize>) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            match &self.tokens[at].token {
                Token::Op('(' | '[' | '{') => at = self.close[at].clamp(at, range.end),
                Token::Op('=') => {
                    let before = at
                        .checked_sub(1)
                        .filter(|i| *i >= range.start)
                        .and_then(|i| self.token(i).cloned());
                    let adjacent = at
                        .checked_sub(1)
                        .is_some_and(|i| self.tokens[i].at + 1 == self.tokens[at].at);
                    let compares =
                        adjacent && matches!(before, Some(Token::Op('=' | '!' | '<' | '>' | '~')));
                    if !compares
                        && !self.is_op(at + 1, '=')
                        && !self.is_op(at + 1, '>')
                        && !self.is_op(at + 1, '~')
                        && at > range.start
                    {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn targets(&self, range: Range<usize>) -> Vec<String> {
        const WORDS: [&str; 14] = [
            "const", "let", "var", "my", "our", "local", "export", "static", "public", "private",
            "readonly", "final", "global", "await",
        ];
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            match &self.tokens[at].token {
                Token::Name(name) if !WORDS.contains(&name.as_str()) => {
                    found.push(name.clone());
                    // `x: Type =`
                    if self.is_op(at + 1, ':')
                        && !self.is_op(range.start, '{')
                        && !self.is_op(range.start + 1, '{')
                        && self.passage.language != Language::Go
                    {
                        break;
                    }
                }
                Token::Op('[') if at > range.start => at = self.close[at].clamp(at, range.end),
                _ => {}
            }
            at += 1;
        }
        found
    }

    fn assign(&mut self, target: &str, value: &Value, world: &mut World) {
        self.gain(target, &value.taint, world);
        if !value.texts.is_empty() && value.path().len() < MAX_TEXT {
            world
                .constants
                .entry(target.rsplit('.').next().unwrap_or(target).to_owned())
                .or_insert_with(|| value.texts.clone());
            self.texts.entry(target.to_owned()).or_insert_with(|| value.texts.clone());
        }
        if !value.names.is_empty() || !value.texts.is_empty() {
            let origins = self.origins.entry(target.to_owned()).or_default();
            for origin in value.names.iter().chain(&value.texts) {
                if origins.len() < 8 && origin != target && !origins.contains(origin) {
                    origins.push(origin.clone());
                }
            }
        }
    }

    /// Texts that names may stand for, through what they were made from.
    fn possible(&self, names: &[String]) -> Vec<String> {
        const MOST: usize = 64;
        let mut found: Vec<String> = Vec::new();
        let mut left: Vec<String> = names.to_vec();
        let mut seen: BTreeSet<String> = BTreeSet::new();
        while let Some(name) = left.pop() {
            if found.len() > MOST || !seen.insert(name.clone()) {
                continue;
            }
            if let Some(texts) = self.texts.get(&name) {
                found.extend(texts.iter().cloned());
                found.push(texts.join("/"));
            }
            let base = name.rsplit_once('.').map(|(base, _)| base.to_owned());
            for origin in self
                .origins
                .get(&name)
                .or_else(|| base.as_ref().and_then(|b| self.origins.get(b)))
                .into_iter()
                .flatten()
            {
                found.push(origin.clone());
                left.push(origin.clone());
            }
        }
        found
    }

    /// What a variable carries, also as `self.x`, `data.y`.
    fn carried(&self, name: &str, world: &World) -> Taint {
        let mut taint = self.variables.get(name).cloned().unwrap_or_default();
        // self.X of a class attribute X
        if let Some(attribute) = name
            .strip_prefix("self.")
            .or_else(|| name.strip_prefix("this."))
            .or_else(|| name.strip_prefix("cls."))
        {
            let attribute = attribute.split('.').next().unwrap_or(attribute);
            if let Some(known) = self.variables.get(attribute) {
                taint.add(known);
            }
        }
        let mut rest = name;
        while let Some((before, _)) = rest.rsplit_once('.') {
            if let Some(known) = self.variables.get(before) {
                taint.add(known);
            }
            rest = before;
        }
        let _ = world;
        taint
    }

    fn known_text(&self, name: &str, world: &World) -> Option<Vec<String>> {
        self.texts.get(name).cloned().or_else(|| {
            let last = name.rsplit('.').next().unwrap_or(name);
            // Constants of other files are written in capitals or as attributes.
            (last.len() > 2
                && (last
                    .bytes()
                    .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
                    || name.contains('.')))
            .then(|| world.constants.get(last).cloned())
            .flatten()
        })
    }

    /// The value of an expression.
    fn value(
        &mut self,
        range: Range<usize>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Value {
        let mut value = Value::default();
        if depth > MAX_DEPTH {
            return value;
        }
        let mut joins = false;
        let mut at = range.start;
        let mut first = true;
        while at < range.end {
            let token = self.tokens[at].token.clone();
            match token {
                Token::Text(text) => {
                    let text = self.filled(&text, world);
                    value.taint.add(&Taint::of_file(&text));
                    match value.texts.last_mut() {
                        Some(last) if joins => last.push_str(&text),
                        _ => value.texts.push(text),
                    }
                    joins = false;
                    at += 1;
                }
                Token::Name(name) => {
                    // (…).method(…), [...].map(…), "…".join(…): called on all that stands before.
                    let arrow =
                        at >= range.start + 2 && self.is_op(at - 1, '>') && self.is_op(at - 2, '-');
                    let on_value = at > range.start + 1
                        && (self.is_op(at - 1, '.')
                            && !matches!(self.passage.language, Language::Php | Language::Perl)
                            || arrow)
                        && self.is_op(at + 1, '(');
                    if on_value {
                        let receiver = value.clone();
                        let arguments = self.arguments(at + 1);
                        let callee = format!(
                            "{}.{name}",
                            value.alias.clone().unwrap_or_else(|| "?".to_owned())
                        );
                        let result = self.call(
                            &callee,
                            &name,
                            &arguments,
                            &receiver,
                            at,
                            world,
                            out,
                            depth + 1,
                        );
                        value.taint.add(&result.taint);
                        value.alias.clone_from(&result.alias);
                        if name != "join" {
                            value.texts.extend(result.texts.into_iter().take(8));
                        }
                        at = (self.close[at + 1] + 1).max(at + 1);
                        continue;
                    }
                    let (next, piece) = self.named(&name, at, range.end, world, out, depth);
                    if first && piece.texts.is_empty() {
                        value.dynamic_start = true;
                    }
                    if first {
                        value.head = piece.taint.clone();
                    }
                    value.taint.add(&piece.taint);
                    value.alias = if first { piece.alias.clone() } else { None };
                    value.names.extend(piece.names.iter().take(8).cloned());
                    for text in piece.texts {
                        match value.texts.last_mut() {
                            Some(last) if joins => last.push_str(&text),
                            _ => value.texts.push(text),
                        }
                        joins = false;
                    }
                    at = next;
                }
                Token::Op(op) => {
                    match op {
                        '+' => joins = true,
                        '.' if matches!(
                            self.passage.language,
                            Language::Php | Language::Perl | Language::Lua
                        ) =>
                        {
                            joins = true;
                        }
                        '^' if matches!(
                            self.passage.language,
                            Language::Python
                                | Language::JavaScript
                                | Language::Php
                                | Language::Perl
                                | Language::Ruby
                                | Language::Go
                                | Language::Lua
                        ) =>
                        {
                            value.taint.add(&Taint::decoded("XOR"));
                        }
                        '[' if self.is_op(at + 1, ':')
                            && self.is_op(at + 2, ':')
                            && self.is_op(at + 3, '-') =>
                        {
                            value.taint.add(&Taint::decoded("reversal"));
                        }
                        _ => {}
                    }
                    at += 1;
                }
                Token::Number | Token::Line => at += 1,
            }
            if !matches!(
                self.tokens.get(at.saturating_sub(1)).map(|s| &s.token),
                Some(Token::Op('(' | '[' | '{'))
            ) {
                first = false;
            }
        }
        // Path.home() / ".aws" / "credentials"; os.path.join(home, ".ssh", "id_rsa")
        if value.texts.len() > 1 && value.texts.len() < 12 {
            value.taint.add(&Taint::of_file(&format!("~/{}", value.path())));
        }
        value
    }

    /// `https://{HOST}/x` with the constants that are known.
    fn filled(&self, text: &str, world: &World) -> String {
        if !text.contains('{') && !text.contains('$') || text.len() > MAX_TEXT {
            return text.to_owned();
        }
        let mut out = String::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{', '$']) {
            let skip = rest[open..].len() - rest[open..].trim_start_matches(['$', '{', '#']).len();
            let name: String = rest[open + skip..]
                .chars()
                .take_while(|c| c.is_alphanumeric() || matches!(c, '_' | '.'))
                .collect();
            let known = if name.is_empty() {
                None
            } else {
                self.known_text(&name, world).map(|texts| texts.join("/"))
            };
            if let Some(known) = known {
                out.push_str(&rest[..open]);
                out.push_str(&known);
                rest = rest[open + skip + name.len()..].trim_start_matches('}');
            } else {
                out.push_str(&rest[..open + skip]);
                rest = &rest[open + skip..];
            }
        }
        out.push_str(rest);
        out
    }

    /// A name and everything that is done with it: calls, indexes, methods of the result.
    fn named(
        &mut self,
        name: &str,
        at: usize,
        end: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> (usize, Value) {
        if name == ESCAPED {
            return (
                at + 1,
                Value { taint: Taint::decoded("character escapes"), ..Value::default() },
            );
        }
        let mut resolved = self.resolve(name);
        // A default import is known by its own name: `import WebSocket from "ws"`.
        if self.aliases.contains_key(name)
            && self.meaning(&resolved).is_none()
            && meaning(name).is_some()
        {
            name.clone_into(&mut resolved);
        }
        let mut next = at + 1;
        let mut value = Value { names: vec![name.to_owned()], ..Value::default() };
        let found = self.meaning(&resolved);
        let mut receiver_environment = false;
        // The environment, whole or by name.
        let variable = ["process.env.", "import.meta.env.", "Bun.env.", "env:", "Env:"]
            .iter()
            .find_map(|prefix| resolved.strip_prefix(prefix));
        if variable == Some("") {
            value.taint = Taint::environment();
        } else if let Some(variable) = variable {
            value.taint = Taint::key(variable);
        } else if ["ENV.", "os.environ.", "process.env."]
            .iter()
            .any(|root| resolved.starts_with(root))
            && found.is_none()
            && !matches!(
                resolved.rsplit('.').next(),
                Some("key" | "keys" | "include" | "has_key" | "delete" | "dig")
            )
        {
            value.taint = Taint::environment();
            receiver_environment = true;
        } else if found == Some(Meaning::Environment) {
            let index = if self.is_op(next, '[') || self.is_op(next, '{') {
                match self.token(next + 1) {
                    Some(Token::Text(text)) => Some(text.clone()),
                    Some(Token::Name(name)) if self.is_op(next, '{') => Some(name.clone()),
                    Some(Token::Name(_)) => Some(String::new()),
                    _ => None,
                }
            } else {
                None
            };
            match index {
                Some(variable) => {
                    if variable.is_empty() {
                        // os.environ[name]: the names that the variable may hold.
                        let index = self.value(
                            next + 1..self.close[next].min(end),
                            world,
                            &mut None,
                            depth + 1,
                        );
                        value.taint = keys_named(&index, self);
                    } else {
                        value.taint = Taint::key(&variable);
                    }
                    next = (self.close[next] + 1).min(end);
                }
                None => value.taint = Taint::environment(),
            }
        } else if let Some(alias) = self.aliases.get(name).filter(|_| !self.is_op(next, '(')) {
            value.alias = Some(alias.clone());
        } else if !self.is_op(next, '(') {
            value.taint = self.carried(name, world);
            if let Some(texts) = self.known_text(name, world) {
                value.texts.extend(texts);
            }
            if matches!(resolved.as_str(), "input" | "sys.argv" | "process.argv" | "ARGV" | "args")
            {
                value.taint.input = true;
            }
            if found.is_some()
                || matches!(
                    resolved.as_str(),
                    "os" | "builtins"
                        | "subprocess"
                        | "child_process"
                        | "__builtins__"
                        | "globalThis"
                        | "window"
                        | "global"
                        | "globals"
                )
            {
                value.alias = Some(resolved.clone());
            }
        }
        if matches!(
            resolved.as_str(),
            "os.homedir"
                | "Path.home"
                | "pathlib.Path.home"
                | "os.UserHomeDir"
                | "Dir.home"
                | "HOME"
                | "env:USERPROFILE"
                | "env:HOME"
                | "env:APPDATA"
                | "homedir"
        ) {
            value.texts.push("~".to_owned());
        }
        // Commands without parentheses: `Invoke-WebRequest -Uri …`, `system "…"`, `eval $x`.
        let bare = match self.passage.language {
            Language::PowerShell | Language::Batch => {
                found.is_some()
                    && !self.is_op(next, '(')
                    && !self.is_op(next, '.')
                    && found != Some(Meaning::Environment)
            }
            Language::Ruby | Language::Perl | Language::Lua | Language::Php => {
                matches!(
                    found,
                    Some(
                        Meaning::Evaluate
                            | Meaning::Run
                            | Meaning::WriteHere
                            | Meaning::Send
                            | Meaning::Decode(_)
                            | Meaning::WriteFile
                            | Meaning::Open
                    )
                ) && matches!(self.token(next), Some(Token::Text(_) | Token::Name(_)))
                    && !matches!(
                        self.name_at(next),
                        Some("if" | "unless" | "do" | "and" | "or" | "rescue")
                    )
            }
            _ => false,
        };
        if bare {
            let stop =
                (next..end).find(|i| self.is_op(*i, '|') || self.is_op(*i, ';')).unwrap_or(end);
            let arguments: Vec<Range<usize>> = if self.passage.language == Language::PowerShell {
                powershell(self, next..stop)
            } else {
                self.commas(next..stop)
            };
            let receiver = if self.passage.language == Language::PowerShell {
                self.piped(at, world, depth)
            } else {
                self.receiver(name, world)
            };
            let result = self.call(&resolved, name, &arguments, &receiver, at, world, out, depth);
            value.add(&result);
            return (stop, value);
        }
        // print $fh …, print {$fh} …: written to what is named first.
        if self.passage.language == Language::Perl && matches!(name, "print" | "printf" | "say") {
            let handle = if self.is_op(next, '{') { next + 1 } else { next };
            if let Some(to) = self
                .name_at(handle)
                .filter(|n| self.variables.contains_key(*n) || self.origins.contains_key(*n))
                .map(str::to_owned)
            {
                let from = if handle > next { handle + 2 } else { handle + 1 };
                let stop = (from..end).find(|i| self.is_op(*i, ';')).unwrap_or(end);
                let receiver = self.receiver(&format!("{to}.print"), world);
                let result = self.call(
                    &format!("{to}.print"),
                    "print",
                    &self.commas(from..stop),
                    &receiver,
                    at,
                    world,
                    out,
                    depth,
                );
                value.add(&result);
                return (stop, value);
            }
        }
        let mut callee = resolved;
        let mut shown = name.to_owned();
        let mut receiver = self.receiver(name, world);
        if receiver_environment {
            receiver.taint.add(&Taint::environment());
        }
        if self.passage.language == Language::PowerShell && name.eq_ignore_ascii_case("PROFILE") {
            value.texts.push("~/Documents/PowerShell/Microsoft.PowerShell_profile.ps1".to_owned());
        }
        for _ in 0..MAX_DEPTH {
            if next >= end {
                break;
            }
            if self.is_op(next, '(') {
                let arguments = self.arguments(next);
                let result =
                    self.call(&callee, &shown, &arguments, &receiver, at, world, out, depth);
                next = (self.close[next] + 1).min(end.max(next + 1));
                self.block_parameters(next, end, &result, world);
                callee = result.alias.clone().unwrap_or_default();
                shown.clear();
                receiver = result.clone();
                value = Value { names: value.names, ..result };
            } else if self.is_op(next, '.')
                && self.name_at(next + 1).is_some()
                && (self.passage.language != Language::Php
                    && self.passage.language != Language::Perl
                    || self.is_op(next.wrapping_sub(1), ')'))
                || self.is_op(next, '-')
                    && self.is_op(next + 1, '>')
                    && self.name_at(next + 2).is_some()
                || self.is_op(next, ':')
                    && self.is_op(next + 1, ':')
                    && self.name_at(next + 2).is_some()
            {
                let at = if self.is_op(next, '.') { next + 1 } else { next + 2 };
                let member = self.name_at(at).unwrap_or_default().to_owned();
                callee = if callee.is_empty() {
                    format!("?.{member}")
                } else {
                    format!("{callee}.{member}")
                };
                shown = member;
                value.taint.add(&receiver.taint);
                next = at + 1;
            } else if self.is_op(next, '[') {
                if self.is_op(next + 1, ':')
                    && self.is_op(next + 2, ':')
                    && self.is_op(next + 3, '-')
                {
                    value.taint.add(&Taint::decoded("reversal"));
                }
                let inner = self.value(next + 1..self.close[next].min(end), world, out, depth + 1);
                // globals()['ex' + 'ec'], process['env'], window["eval"]
                if let Some(member) = inner.texts.first().filter(|t| {
                    t.len() > 1 && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                }) {
                    let base =
                        if callee.is_empty() { "globals".to_owned() } else { callee.clone() };
                    let global = matches!(
                        base.rsplit('.').next(),
                        Some(
                            "globals"
                                | "builtins"
                                | "window"
                                | "globalThis"
                                | "global"
                                | "self"
                                | "this"
                                | "__builtins__"
                                | "__dict__"
                                | "locals"
                                | "vars"
                                | "modules"
                        )
                    );
                    callee = if global { member.clone() } else { format!("{base}.{member}") };
                    if self.meaning(&callee) == Some(Meaning::Environment) {
                        value.taint.add(&Taint::environment());
                    }
                    value.alias = self
                        .meaning(&callee)
                        .map(|_| callee.clone())
                        .or_else(|| global.then(|| member.clone()));
                } else {
                    callee.clear();
                }
                value.taint.add(&inner.taint);
                next = (self.close[next] + 1).min(end.max(next + 1));
            } else {
                break;
            }
        }
        (next, value)
    }

    /// `{ |f| …`, `do |f| …`: the names of a block get what the call gives.
    fn block_parameters(&mut self, at: usize, end: usize, result: &Value, world: &mut World) {
        if self.passage.language != Language::Ruby
            || !(self.is_op(at, '{') || self.name_at(at) == Some("do"))
            || !self.is_op(at + 1, '|')
        {
            return;
        }
        let close = (at + 2..end.min(at + 20)).find(|i| self.is_op(*i, '|')).unwrap_or(at + 2);
        let names: Vec<String> =
            (at + 2..close).filter_map(|i| self.name_at(i).map(str::to_owned)).collect();
        for name in names {
            self.assign(&name, result, world);
        }
    }

    /// What stands left of the pipe before a PowerShell command.
    fn piped(&mut self, at: usize, world: &mut World, depth: usize) -> Value {
        let pipe = (0..at)
            .rev()
            .take(64)
            .take_while(|i| {
                !matches!(self.token(*i), Some(Token::Line | Token::Op(';' | '{' | '}')))
            })
            .find(|i| self.is_op(*i, '|'));
        let Some(pipe) = pipe else { return Value::default() };
        let start = (0..pipe)
            .rev()
            .take(256)
            .find(|i| {
                matches!(self.token(*i), Some(Token::Line | Token::Op(';' | '{' | '}' | '|')))
            })
            .map_or(0, |i| i + 1);
        self.value(start..pipe, world, &mut None, depth + 1)
    }

    /// The thing that a method is called on.
    fn receiver(&self, name: &str, world: &World) -> Value {
        let Some((before, _)) = name.rsplit_once('.') else { return Value::default() };
        let mut value = Value {
            taint: self.carried(before, world),
            names: vec![before.to_owned()],
            ..Value::default()
        };
        // sh.stdin.write: what is known of sh.
        let mut known = before;
        loop {
            if let Some(texts) = self.known_text(known, world) {
                value.texts.extend(texts);
                break;
            }
            let Some((shorter, _)) = known.rsplit_once('.') else { break };
            known = shorter;
        }
        value
    }

    fn report(&self, at: usize, found: Option<Match>, out: &mut Out<'_, '_, '_>) {
        if let (Some(found), Some((_, findings))) = (found, out.as_mut()) {
            let start = self.tokens.get(at).map_or(0, |spot| spot.at);
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
            flow::to_network(taint, address, via, self.passage.context, skill)
        });
        self.report(at, found, out);
    }

    fn to_interpreter(&self, taint: &Taint, name: &str, at: usize, out: &mut Out<'_, '_, '_>) {
        let found = flow::to_interpreter(taint, &format!("`{name}`"), self.passage.context);
        self.report(at, found, out);
    }

    fn to_file(&self, path: &str, content: &Value, at: usize, out: &mut Out<'_, '_, '_>) {
        let found = out.as_ref().and_then(|(skill, _)| {
            flow::to_file(path, &content.text(), &content.taint, self.passage.context, skill)
        });
        self.report(at, found, out);
    }

    /// A call: what it does with its arguments, and what it gives.
    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn call(
        &mut self,
        callee: &str,
        shown: &str,
        ranges: &[Range<usize>],
        receiver: &Value,
        at: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Value {
        let shown =
            if shown.is_empty() { callee.rsplit('.').next().unwrap_or(callee) } else { shown };
        let found = self.meaning(callee);
        // What a callback gets: the thing itself, or what the call gives.
        let given = match found {
            Some(Meaning::Fetch | Meaning::Connect | Meaning::Send) => {
                let address = ranges
                    .first()
                    .map(|range| self.value(range.clone(), world, &mut None, depth + 1))
                    .and_then(|v| v.host().map(str::to_owned))
                    .unwrap_or_default();
                Taint::remote(address)
            }
            _ => receiver.taint.clone(),
        };
        for range in ranges {
            self.callback(range, &given, world);
            // items.forEach(send): the function gets each item.
            if range.len() == 1
                && let Some(function) = self
                    .name_at(range.start)
                    .filter(|n| world.returns.contains_key(*n))
                    .map(str::to_owned)
            {
                let calls = world.calls.entry(function).or_insert_with(|| vec![Taint::default()]);
                if calls.is_empty() {
                    calls.push(Taint::default());
                }
                if calls[0].add(&given) {
                    world.moved = true;
                }
            }
        }
        let mut arguments: Vec<Value> = Vec::with_capacity(ranges.len());
        for range in ranges {
            arguments.push(self.value(range.clone(), world, out, depth + 1));
        }
        let mut all = Value::default();
        for argument in &arguments {
            all.add(argument);
        }
        let address = all
            .address()
            .or_else(|| {
                all.host().filter(|_| matches!(found, Some(Meaning::Connect | Meaning::Lookup)))
            })
            .map(str::to_owned);
        let mut result = Value::default();
        match found {
            Some(Meaning::Environment) => {
                match arguments.first().and_then(|a| a.texts.first()).filter(|t| !t.is_empty()) {
                    Some(variable) => result.taint = Taint::key(variable),
                    None => result.taint = Taint::environment(),
                }
            }
            Some(Meaning::Variable) => {
                match arguments.first().and_then(|a| a.texts.first()) {
                    Some(variable) if is_environment_name(variable) || variable.len() > 1 => {
                        result.taint = Taint::key(variable);
                    }
                    // php: getenv() without a name is everything.
                    _ if arguments.is_empty() && callee == "getenv" => {
                        result.taint = Taint::environment();
                    }
                    _ => {
                        result.taint =
                            arguments.first().map(|a| keys_named(a, self)).unwrap_or_default();
                    }
                }
                // A default is text that the variable may hold.
                if let Some(default) = arguments.get(1) {
                    result.texts.extend(default.texts.iter().cloned());
                }
            }
            Some(Meaning::Fetch | Meaning::Send) => {
                let local = callee == "file_get_contents" && address.is_none();
                if local {
                    result.taint.add(&all.taint);
                    result.texts.clone_from(&all.texts);
                } else {
                    let to = address
                        .clone()
                        .or_else(|| receiver.taint.connection.clone())
                        .or_else(|| receiver.host().map(str::to_owned))
                        .unwrap_or_default();
                    let known = found == Some(Meaning::Fetch)
                        || !callee.starts_with('?')
                            && callee.contains('.')
                            && !matches!(
                                callee.rsplit('.').next(),
                                Some("put" | "send" | "emit" | "publish" | "request")
                            )
                        || !to.is_empty();
                    if known || all.taint.environment || !all.taint.secrets.is_empty() {
                        self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
                    }
                    result.taint = Taint::remote(to.clone());
                    if to.contains("169.254.169.254")
                        || to.contains("169.254.170.2")
                        || to.contains("metadata.google.internal")
                    {
                        result.taint = Taint::secret("cloud credentials");
                    }
                    if callee.ends_with("Request")
                        || callee == "stream_context_create"
                        || callee.starts_with("curl_setopt")
                    {
                        // Built here, sent elsewhere: it carries what it was built from.
                        result.taint.add(&all.taint);
                        result.texts.extend(address.iter().cloned());
                        result.taint.remote = None;
                    }
                    if let Some(handle) = ranges
                        .first()
                        .filter(|_| callee.starts_with("curl_setopt"))
                        .and_then(|r| self.name_at(r.start).map(str::to_owned))
                    {
                        self.gain(&handle, &all.taint, world);
                        if let Some(address) = &address {
                            self.texts.entry(handle).or_insert_with(|| vec![address.clone()]);
                        }
                    }
                    // PowerShell: -OutFile path
                    if let Some(file) = arguments.iter().zip(ranges).find(|(_, range)| {
                        self.name_at(range.start).is_some_and(|n| {
                            n.eq_ignore_ascii_case("OutFile") || n.eq_ignore_ascii_case("o")
                        })
                    }) {
                        let taint = Taint::remote(to);
                        for name in file.0.names.clone().into_iter().chain(file.0.texts.clone()) {
                            self.gain(&name, &taint, world);
                        }
                    }
                }
            }
            Some(Meaning::Connect) => {
                let to = address.clone().unwrap_or_default();
                self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
                result.taint.connection = Some(to.clone());
                result.taint.add(&Taint::remote(to.clone()));
                if !to.is_empty() {
                    result.texts.push(to);
                }
            }
            Some(Meaning::Decode(how)) => {
                result.taint.add(&all.taint);
                result.taint.add(&receiver.taint);
                let text = all.text();
                let real = match callee {
                    "codecs.decode" => {
                        text.contains("rot") || text.contains("hex") || text.contains("base64")
                    }
                    name if name.ends_with("unpack1") => {
                        text.starts_with('m') || text.ends_with('m') || text.ends_with("H*")
                    }
                    "string.char" | "String.fromCharCode" => {
                        ranges.len() > 3
                            || ranges.iter().any(|r| r.len() > 6)
                            || all.names.iter().any(|n| n.contains("apply"))
                    }
                    _ => true,
                };
                if real {
                    result.taint.add(&Taint::decoded(how));
                }
                if how == "marshal" && (all.taint.decoded.is_some() || all.taint.remote.is_some()) {
                    self.to_interpreter(&result.taint, shown, at, out);
                }
            }
            Some(Meaning::Secret(what)) => result.taint = Taint::secret(what),
            Some(Meaning::Evaluate) => {
                let mut taint = all.taint.clone();
                taint.add(&receiver.taint);
                if let Some(address) = address
                    .filter(|_| matches!(callee, "include" | "require_once" | "include_once"))
                {
                    taint.add(&Taint::remote(address));
                }
                self.to_interpreter(&taint, shown, at, out);
            }
            Some(Meaning::Run) => {
                // The command itself: no options object, no keyword arguments.
                let script = matches!(self.passage.language, Language::JavaScript);
                let mut arguments: Vec<Value> = arguments
                    .into_iter()
                    .zip(ranges)
                    .enumerate()
                    .filter(|(position, (_, range))| {
                        let keyword = self.passage.language == Language::Python
                            && self.is_op(range.start + 1, '=')
                            && self.name_at(range.start) != Some("args");
                        let object = script && *position > 0 && !self.is_op(range.start, '[');
                        !keyword && !object
                    })
                    .map(|(_, (value, _))| value)
                    .collect();
                let program = arguments
                    .first()
                    .and_then(|a| a.texts.first())
                    .map(|t| {
                        t.split_whitespace()
                            .find(|w| *w != "sudo" && !w.starts_with('-'))
                            .unwrap_or_default()
                            .to_owned()
                    })
                    .unwrap_or_default();
                let runs_input =
                    of_interpreter(program.rsplit('/').next().unwrap_or_default()).is_some();
                // subprocess.run(["bash"], input=…), execSync("sh", { input: … })
                if runs_input && (all.taint.remote.is_some() || all.taint.decoded.is_some()) {
                    self.to_interpreter(&all.taint, &program, at, out);
                }
                // Popen(…, stdin=connection)
                let tied = ranges.iter().any(|range| {
                    let stream = self
                        .name_at(range.start)
                        .is_some_and(|n| matches!(n, "stdin" | "stdout" | "stdio" | "preexec_fn"));
                    (stream || script && self.is_op(range.start, '{'))
                        && range.clone().any(|i| {
                            self.name_at(i)
                                .is_some_and(|n| self.carried(n, world).connection.is_some())
                        })
                });
                if tied {
                    self.shell_on_connection(at, out);
                }
                if arguments.is_empty() && !receiver.taint.is_clean()
                    || !receiver.taint.is_clean() && self.passage.language == Language::PowerShell
                {
                    arguments.push(receiver.clone());
                }
                result.taint = self.run(&arguments, at, world, out);
                if runs_input {
                    result.texts.push(format!("{INTERPRETER}{program}"));
                }
            }
            Some(Meaning::WriteFile) => {
                let copies = callee.to_ascii_lowercase().contains("copy")
                    || matches!(callee, "Compress-Archive" | "FileUtils.cp");
                let named = |unit: &Self, option: &str| {
                    arguments
                        .iter()
                        .zip(ranges)
                        .find(|(_, range)| {
                            unit.name_at(range.start)
                                .is_some_and(|n| n.eq_ignore_ascii_case(option))
                        })
                        .map(|(value, _)| value.clone())
                };
                let (path, content) = if self.passage.language == Language::PowerShell && !copies {
                    let path = named(self, "Path")
                        .or_else(|| named(self, "FilePath"))
                        .or_else(|| named(self, "LiteralPath"))
                        .or_else(|| arguments.first().cloned())
                        .unwrap_or_default();
                    let mut content = named(self, "Value")
                        .or_else(|| arguments.get(1).cloned())
                        .unwrap_or_default();
                    content.add(receiver);
                    (path, content)
                } else if copies {
                    // Both ends of a copy: what a target was opened from gains it too.
                    let origins: Vec<String> =
                        arguments.get(1).map(|a| self.possible(&a.names)).unwrap_or_default();
                    let taint = arguments.first().map(|a| a.taint.clone()).unwrap_or_default();
                    for origin in origins {
                        self.gain(&origin, &taint, world);
                    }
                    (
                        arguments.get(1).cloned().unwrap_or_default(),
                        arguments.first().cloned().unwrap_or_default(),
                    )
                } else {
                    (
                        arguments.first().cloned().unwrap_or_default(),
                        arguments.get(1).cloned().unwrap_or_default(),
                    )
                };
                let mut paths = vec![path.path()];
                paths.extend(self.possible(&path.names));
                let known = paths
                    .iter()
                    .find(|path| crate::scan::places::classify(path).is_some())
                    .unwrap_or(&paths[0])
                    .clone();
                self.to_file(&known, &content, at, out);
                for name in path.names.iter().chain(&path.texts) {
                    self.gain(name, &content.taint, world);
                }
            }
            Some(Meaning::WriteHere) => {
                if let Some(program) =
                    receiver.texts.iter().find_map(|t| t.strip_prefix(INTERPRETER))
                {
                    let program = program.to_owned();
                    self.to_interpreter(&all.taint, &program, at, out);
                } else if let Some(connection) = receiver.taint.connection.clone() {
                    self.to_network(&all.taint, &connection, &format!("`{shown}`"), at, out);
                } else {
                    let names: Vec<String> = receiver.names.clone();
                    let mut paths: Vec<String> = receiver.texts.clone();
                    for name in &names {
                        for origin in self.origins.get(name).cloned().unwrap_or_default() {
                            self.gain(&origin, &all.taint, world);
                            if origin.contains(['/', '.', '~']) {
                                paths.push(origin.clone());
                            }
                            paths.extend(self.texts.get(&origin).map(|texts| texts.join("/")));
                        }
                        self.gain(name, &all.taint, world);
                        if !all.taint.is_clean() {
                            for text in self.texts.get(name).cloned().unwrap_or_default() {
                                self.gain(&text, &all.taint, world);
                            }
                        }
                    }
                    paths.extend(self.possible(&names));
                    let path = paths
                        .iter()
                        .find(|path| crate::scan::places::classify(path).is_some())
                        .cloned()
                        .unwrap_or_else(|| paths.join("/"));
                    if !path.is_empty() {
                        self.to_file(&path, &all, at, out);
                    }
                }
                result.taint.add(&all.taint);
            }
            Some(Meaning::Open) => {
                let mode = arguments.iter().skip(1).map(Value::text).collect::<String>();
                let reads =
                    !mode.starts_with(['w', 'a', 'x']) && !callee.contains("createWriteStream");
                if let Some(address) = address {
                    result.taint = Taint::remote(address);
                } else if let Some(first) = arguments.first() {
                    if reads {
                        result.taint.add(&first.taint);
                    }
                    // What was saved there before.
                    for text in &first.texts {
                        if let Some(saved) = self.variables.get(text.as_str()) {
                            result.taint.add(saved);
                        }
                    }
                    if let (true, Some((skill, _))) = (reads, out.as_ref()) {
                        let data = first.texts.iter().find(|text| {
                            let name = text.rsplit('/').next().unwrap_or(text);
                            name.len() > 4 && skill.members.iter().any(|m| m.path.rsplit('/').next() == Some(name) && !matches!(m.kind, crate::scan::kind::Kind::Text(language) if language.runs()))
                        });
                        result.taint.bundled = data.cloned();
                    }
                    result.texts.clone_from(&first.texts);
                    result.names.clone_from(&first.names);
                    if first.text().starts_with('|') {
                        self.run(
                            &[Value { texts: vec![first.text()[1..].to_owned()], ..first.clone() }],
                            at,
                            world,
                            out,
                        );
                    }
                }
                result.taint.add(&receiver.taint);
            }
            Some(Meaning::Download) => {
                let to = address.unwrap_or_default();
                if !to.is_empty() {
                    self.to_network(&all.taint, &to, &format!("`{shown}`"), at, out);
                    let taint = Taint::remote(to);
                    for argument in arguments.iter().skip(1) {
                        for name in argument.names.iter().chain(&argument.texts) {
                            self.gain(name, &taint, world);
                        }
                    }
                    result.taint = taint;
                }
            }
            Some(Meaning::Load) => {
                let bundled = all.texts.iter().any(|text| {
                    let name = text.rsplit('/').next().unwrap_or(text);
                    name.len() > 3
                        && (text.starts_with("assets/")
                            || text.contains("/assets/")
                            || out.as_ref().is_some_and(|(skill, _)| {
                                skill
                                    .members
                                    .iter()
                                    .any(|m| m.path.rsplit('/').next() == Some(name))
                            }))
                });
                let found = bundled.then(|| Match::new(&rules::UNSAFE_LOAD, Severity::Warn, "serialised objects that the skill ships are loaded, which runs code in them"));
                self.report(at, found, out);
                self.to_interpreter(&all.taint, shown, at, out);
                result.taint.add(&all.taint);
            }
            Some(Meaning::Delete) => {
                let mut paths = self.possible(&all.names);
                paths.push(all.path());
                paths.extend(receiver.texts.iter().cloned());
                let path = paths.into_iter().map(|path| normalise(&path)).find(|path| {
                    matches!(
                        path.trim_end_matches('/'),
                        "~/*"
                            | "c:/*"
                            | "~"
                            | "/*"
                            | "c:"
                            | "~/documents"
                            | "~/desktop"
                            | "/home"
                            | "/users"
                            | "/etc"
                            | "/usr"
                            | "/var"
                    ) || path == "/"
                });
                let found = path.map(|path| {
                    Match::new(
                        &rules::DESTRUCTIVE,
                        Severity::Critical,
                        format!("`{path}` is deleted with everything in it"),
                    )
                });
                self.report(at, found, out);
            }
            Some(Meaning::Lookup) => {
                let to = address.unwrap_or_default();
                let mut taint = all.taint.clone();
                taint.keys.retain(|key| is_key_name(key));
                let to =
                    to.rsplit('}').next().unwrap_or_default().trim_start_matches('.').to_owned();
                if taint.keys.is_empty() {
                    self.to_network(&taint, &to, "DNS names", at, out);
                } else {
                    let flow = crate::scan::finding::Flow::new("a key", "DNS names").to(to);
                    self.report(
                        at,
                        Some(
                            Match::new(
                                &rules::KEY_TO_FOREIGN_HOST,
                                Severity::Critical,
                                "a key is put into the names that are looked up",
                            )
                            .with(flow),
                        ),
                        out,
                    );
                }
            }
            None => {
                result = self.other(callee, &arguments, receiver, all, at, world, out);
            }
        }
        if matches!(
            callee,
            "os.homedir"
                | "Path.home"
                | "pathlib.Path.home"
                | "os.UserHomeDir"
                | "homedir"
                | "Dir.home"
        ) {
            result.texts = vec!["~".to_owned()];
        }
        // `Buffer.from(x, 'base64')`
        if callee == "Buffer.from"
            && arguments_text(ranges, self).iter().any(|t| t == "base64" || t == "hex")
        {
            result.taint.add(&Taint::decoded("base64"));
        }
        result
    }

    /// A call of something that is not in the table.
    #[expect(clippy::too_many_arguments, reason = "the state of one walk")]
    fn other(
        &mut self,
        callee: &str,
        arguments: &[Value],
        receiver: &Value,
        all: Value,
        at: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Value {
        let mut result = Value::default();
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if world.returns.contains_key(last) && !matches!(last, "getattr" | "require" | "__import__")
        {
            // One of the skill's own functions: parameters by position, results by what it returns.
            let calls = world.calls.entry(last.to_owned()).or_default();
            for (position, argument) in arguments.iter().enumerate().take(16) {
                if calls.len() <= position {
                    calls.push(Taint::default());
                }
                if calls[position].add(&argument.taint) {
                    world.moved = true;
                }
            }
            for (position, argument) in arguments.iter().enumerate().take(8) {
                let parameter = self
                    .functions
                    .iter()
                    .find(|f| f.name == last)
                    .and_then(|f| f.parameters.get(position))
                    .cloned();
                if let Some(parameter) = parameter {
                    let origins = self.origins.entry(parameter).or_default();
                    for origin in argument.texts.iter().chain(&argument.names) {
                        if origins.len() < 12 && !origins.contains(origin) {
                            origins.push(origin.clone());
                        }
                    }
                }
            }
            result.taint.add(&world.returns[last]);
            result.taint.add(&receiver.taint);
            return result;
        }
        // What goes to an interpreter's input, or ties a connection to one.
        if matches!(last, "communicate" | "writeln" | "feed")
            && let Some(program) =
                receiver.texts.iter().find_map(|t| t.strip_prefix(INTERPRETER)).map(str::to_owned)
        {
            self.to_interpreter(&all.taint, &program, at, out);
        }
        // git(repo, "push", "--mirror", address)
        let all_refs = all.texts.iter().any(|t| t == "push")
            && all.texts.iter().any(|t| t == "--mirror" || t == "--all");
        if all_refs
            && all.address().is_some_and(|address| !matches!(classify(address), Class::Local))
        {
            let flow = crate::scan::finding::Flow::new("every branch", "`git push`");
            self.report(
                at,
                Some(
                    Match::new(
                        &rules::DATA_TO_FOREIGN_HOST,
                        Severity::Critical,
                        "every branch is pushed to a repository that the text names",
                    )
                    .with(flow),
                ),
                out,
            );
        }
        if matches!(last, "dup2" | "reopen" | "fdopen")
            && (all.taint.connection.is_some() || receiver.taint.connection.is_some())
        {
            self.shell_on_connection(at, out);
        }
        if last == "pipe"
            && receiver.taint.connection.is_some()
            && all.names.iter().any(|n| n.ends_with("stdin"))
        {
            self.shell_on_connection(at, out);
        }
        if last == "map" && all.names.iter().any(|n| n == "chr" || n == "String.fromCharCode") {
            result.taint.add(&Taint::decoded("character codes"));
        }
        match last {
            "__import__" | "import_module" | "require" => {
                result.alias = Some(js_module(&all.text()));
                return result;
            }
            "getattr" => {
                if let [object, member, ..] = arguments {
                    let base = object
                        .alias
                        .clone()
                        .unwrap_or_else(|| object.names.first().cloned().unwrap_or_default());
                    let dynamic = member.texts.is_empty();
                    let joined = member.texts.len() > 1
                        || member.names.iter().any(|n| n.ends_with("join") || n == "chr");
                    let member = member.text();
                    if joined && member.len() > 2 && !dynamic
                        || dynamic && matches!(base.as_str(), "builtins" | "__builtins__")
                    {
                        let message =
                            "the function that is called is put together or chosen when it runs";
                        self.report(
                            at,
                            Some(Match::new(&rules::OBFUSCATED_CODE, Severity::Warn, message)),
                            out,
                        );
                    }
                    let global = matches!(base.as_str(), "builtins" | "__builtins__");
                    result.alias = Some(if global { member } else { format!("{base}.{member}") });
                }
                return result;
            }
            "promisify" | "partial" | "bind" => {
                result.alias = arguments
                    .first()
                    .and_then(|a| {
                        a.alias.clone().or_else(|| a.names.first().map(|n| self.resolve(n)))
                    })
                    .or_else(|| receiver.alias.clone());
                return result;
            }
            "globals" | "locals" | "vars" => {
                result.alias = Some("globals".to_owned());
                return result;
            }
            "connect"
                if receiver.taint.connection.is_some()
                    || self
                        .variables
                        .get(receiver.names.first().map_or("", String::as_str))
                        .is_some_and(|t| t.connection.is_some()) =>
            {
                let to = all.host().unwrap_or_default().to_owned();
                self.to_network(&Taint::default(), &to, "`connect`", at, out);
                if let Some(name) = receiver.names.first().cloned()
                    && !to.is_empty()
                {
                    let entry = self.variables.entry(name).or_default();
                    if entry.connection.as_deref() == Some("") {
                        entry.connection = Some(to.clone());
                        entry.remote = Some(to);
                        world.moved = true;
                    }
                }
                return result;
            }
            _ if [
                "append", "push", "extend", "update", "add", "set", "insert", "unshift", "concat",
                "merge", "assign", "attach",
            ]
            .iter()
            .any(|verb| last.starts_with(verb)) =>
            {
                if let Some(name) = receiver.names.first().cloned() {
                    self.gain(&name, &all.taint, world);
                }
                result.taint.add(&all.taint);
                result.taint.add(&receiver.taint);
                return result;
            }
            "pipe" => {
                // a.pipe(b): what a carries goes into b.
                for argument in arguments {
                    if let Some(connection) = &argument.taint.connection {
                        self.to_network(&receiver.taint, &connection.clone(), "`pipe`", at, out);
                    }
                    for name in &argument.names {
                        let origins = self.origins.get(name).cloned().unwrap_or_default();
                        self.gain(name, &receiver.taint, world);
                        for origin in origins {
                            self.gain(&origin, &receiver.taint, world);
                        }
                    }
                }
                result.taint.add(&receiver.taint);
                return result;
            }
            "len" | "print" | "isinstance" | "exists" | "basename" | "dirname" | "log" | "info"
            | "warn" | "error" | "debug" | "is_file" | "exists_sync" | "existsSync" | "isfile"
            | "isdir" | "is_dir" | "stat" | "hexdigest" | "sha256" | "md5" | "length"
            | "startswith" | "endswith" | "fileno" | "mkdir" | "exit" | "echo" | "printf"
            | "Println" | "Printf" | "Write-Host" | "Write-Output" => {
                if matches!(last, "echo" | "Write-Output") {
                    result.taint.add(&all.taint);
                }
                return result;
            }
            _ => {}
        }
        result.taint.add(&all.taint);
        result.taint.add(&receiver.taint);
        result.texts = if receiver.texts.is_empty() {
            all.texts
        } else {
            receiver.texts.iter().chain(&all.texts).take(8).cloned().collect()
        };
        result.names = receiver.names.iter().chain(&all.names).take(8).cloned().collect();
        result.taint.add(&Taint::of_file(&result.path()));
        result
    }

    /// Names that a function given as an argument takes: `x => …`, `(a, b) => …`, `function (x) {`,
    /// `lambda x:`, `|x|`.
    fn callback(&mut self, range: &Range<usize>, given: &Taint, world: &mut World) {
        if given.is_clean() || range.is_empty() {
            return;
        }
        // { data: (_s, chunk) => … }: handlers inside a table.
        if self.is_op(range.start, '{') {
            let arrows: Vec<usize> = range
                .clone()
                .filter(|i| {
                    self.is_op(*i, '=') && self.is_op(*i + 1, '>') && self.is_op(*i - 1, ')')
                })
                .take(16)
                .collect();
            for arrow in arrows {
                let open = (range.start..arrow)
                    .rev()
                    .find(|i| self.is_op(*i, '(') && self.close[*i] == arrow - 1);
                let names: Vec<String> = open
                    .map(|open| {
                        (open + 1..arrow)
                            .filter_map(|i| self.name_at(i).map(str::to_owned))
                            .collect()
                    })
                    .unwrap_or_default();
                for name in names {
                    self.gain(&name, given, world);
                }
            }
        }
        let mut names = Vec::new();
        let mut at = range.start;
        while matches!(self.name_at(at), Some("async" | "function" | "lambda")) {
            at += 1;
        }
        if let Some(name) = self.name_at(at).filter(|_| {
            self.is_op(at + 1, '=') && self.is_op(at + 2, '>')
                || at > range.start && self.is_op(at + 1, ':')
        }) {
            names.push(name.to_owned());
        } else if self.is_op(at, '(')
            && (at > range.start
                || self.is_op(self.close[at] + 1, '=') && self.is_op(self.close[at] + 2, '>'))
        {
            names = (at + 1..self.close[at].min(range.end))
                .filter_map(|i| self.name_at(i).map(str::to_owned))
                .collect();
        }
        for name in names {
            self.gain(&name, given, world);
        }
        // c => s += c: the body may be an assignment.
        if let Some(arrow) = range.clone().find(|i| self.is_op(*i, '=') && self.is_op(*i + 1, '>'))
            && !self.is_op(arrow + 2, '{')
            && let Some(equals) = self.assignment(&(arrow + 2..range.end))
        {
            let value = self.value(equals + 1..range.end, world, &mut None, MAX_DEPTH - 4);
            for target in self.targets(arrow + 2..equals) {
                self.assign(&target, &value, world);
            }
        }
    }

    /// A command that the code runs.
    fn run(
        &mut self,
        arguments: &[Value],
        at: usize,
        _world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) -> Taint {
        let mut all = Value::default();
        for argument in arguments {
            all.add(argument);
        }
        let words: Vec<String> = all.texts.clone();
        let first = arguments.first().cloned().unwrap_or_default();
        let program = first
            .texts
            .first()
            .map(|t| {
                t.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']).to_owned()
            })
            .unwrap_or_default();
        let base = program.rsplit('/').next().unwrap_or(&program).to_owned();
        let words_of_first: Vec<&str> =
            first.texts.first().map(|t| t.split_whitespace().collect()).unwrap_or_default();
        let base = if base == "sudo" {
            words_of_first
                .iter()
                .skip(1)
                .find(|w| !w.starts_with('-'))
                .map_or(base.clone(), |w| (*w).to_owned())
        } else {
            base
        };
        let interpreter = of_interpreter(&base).is_some()
            || matches!(
                base.as_str(),
                "start"
                    | "open"
                    | "cmd"
                    | "cmd.exe"
                    | "chmod"
                    | "sudo"
                    | "xdg-open"
                    | "nohup"
                    | "mshta"
                    | "rundll32"
            );
        let dynamic = first.texts.is_empty() || first.dynamic_start;
        // `sh -c text`, `path`, `f"{path} --quiet"`: what runs is what was fetched or decoded. As an
        // argument of a known program it is data.
        let fetched = first.head.remote.is_some() || first.head.decoded.is_some();
        if (dynamic || interpreter || fetched)
            && (all.taint.remote.is_some() || all.taint.decoded.is_some())
        {
            self.to_interpreter(
                &all.taint,
                if base.is_empty() { "the system" } else { &base },
                at,
                out,
            );
        }
        let joined = if words.len() == 1 {
            words[0].clone()
        } else {
            words
                .iter()
                .map(|w| {
                    if w.contains([' ', '|', '>', '<', '&', ';', '$', '\n']) {
                        format!("'{}'", w.replace('\'', "'\\''"))
                    } else {
                        w.clone()
                    }
                })
                .collect::<Vec<_>>()
                .join(" ")
        };
        let address = all.address().unwrap_or_default().to_owned();
        if matches!(
            base.as_str(),
            "curl" | "wget" | "nc" | "ncat" | "scp" | "rsync" | "ssh" | "http" | "socat"
        ) {
            self.to_network(&all.taint, &address, &format!("`{base}`"), at, out);
        }
        if out.is_some() && !joined.trim().is_empty() && self.shell.len() < 200 {
            let start = self.tokens.get(at).map_or(0, |spot| spot.at);
            let (line, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                language: if self.passage.language == Language::Batch {
                    Language::Batch
                } else {
                    Language::Shell
                },
                text: Cow::Owned(joined.clone()),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
        let mut result = Taint::default();
        if joined.contains("curl ") || joined.contains("wget ") {
            result.add(&Taint::remote(address));
        }
        if matches!(joined.trim(), "env" | "printenv" | "set" | "export -p") {
            result.add(&Taint::environment());
        }
        if matches!(base.as_str(), "secret-tool" | "pass" | "op" | "bw" | "lpass" | "keyring")
            && ["lookup", "search", "show", "read", "get", "export", "list"]
                .iter()
                .any(|verb| joined.contains(verb))
        {
            result.add(&Taint::secret("passwords"));
        }
        if joined.contains("find-generic-password")
            || joined.contains("find-internet-password")
            || joined.contains("dump-keychain")
            || joined.contains("secret-tool lookup")
        {
            result.add(&Taint::secret("keychain"));
        }
        for word in joined.split_whitespace() {
            result.add(&Taint::of_file(word));
        }
        result
    }
}

/// The variables of the environment that an index may name.
fn keys_named(value: &Value, unit: &Unit<'_>) -> Taint {
    let mut taint = Taint::default();
    let origins = value.names.iter().filter_map(|name| unit.origins.get(name)).flatten();
    for text in value.texts.iter().chain(origins) {
        for part in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')) {
            if is_environment_name(part) {
                taint.keys.insert(part.to_owned());
            }
        }
    }
    taint
}

fn arguments_text(ranges: &[Range<usize>], unit: &Unit<'_>) -> Vec<String> {
    ranges
        .iter()
        .filter_map(|range| match unit.token(range.start) {
            Some(Token::Text(text)) if range.len() == 1 => Some(text.clone()),
            _ => None,
        })
        .collect()
}

/// The arguments of a PowerShell command: each option with its value, then what stands alone.
fn powershell(unit: &Unit<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let start = at;
        if unit.is_op(at, '-') {
            at += 1;
            let name_at = at;
            at += 1;
            let from = name_at;
            while at < range.end && !unit.is_op(at, '-') {
                at = if matches!(unit.token(at), Some(Token::Op('(' | '[' | '{'))) {
                    (unit.close[at] + 1).min(range.end)
                } else {
                    at + 1
                };
            }
            found.push(from..at);
        } else {
            at = if matches!(unit.token(at), Some(Token::Op('(' | '[' | '{'))) {
                (unit.close[at] + 1).min(range.end)
            } else {
                at + 1
            };
            while at < range.end
                && matches!(unit.token(at), Some(Token::Op('.' | '+' | ':' | '(' | '[')))
            {
                at = if matches!(unit.token(at), Some(Token::Op('(' | '['))) {
                    (unit.close[at] + 1).min(range.end)
                } else {
                    (at + 2).min(range.end)
                };
            }
            found.push(start..at);
        }
    }
    found
}

/// `node:fs/promises` as `fs.promises`.
fn js_module(name: &str) -> String {
    name.trim_start_matches("node:").replace('/', ".")
}

/// For each opening bracket the index of its closing one, or the end.
fn brackets(tokens: &[Spot]) -> Vec<usize> {
    let mut close = vec![tokens.len(); tokens.len()];
    let mut open = Vec::new();
    for (at, spot) in tokens.iter().enumerate() {
        match spot.token {
            Token::Op('(' | '[' | '{') => open.push(at),
            Token::Op(')' | ']' | '}') => {
                if let Some(from) = open.pop() {
                    close[from] = at;
                }
            }
            _ => {}
        }
    }
    close
}
