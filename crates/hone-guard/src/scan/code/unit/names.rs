//! What names stand for: imports, aliases, and the meaning of a call in the table of its language.

use super::Unit;
use crate::scan::code::lexer::Token;
use crate::scan::code::scopes::plain;
use crate::scan::code::tables::{Meaning, asked, meaning, meaning_any_case, php};
use crate::scan::kind::Language;
use std::ops::Range;

impl Unit<'_> {
    /// `F = Object.getPrototypeOf(async function () {}).constructor`: another name for what makes
    /// functions from texts.
    fn constructors(&mut self) {
        const BACK: usize = 64;
        for at in 4..self.tokens.len() {
            if self.name_at(at) != Some("constructor")
                || !self.is_op(at - 1, '.')
                || !self.is_op(at - 2, ')')
            {
                continue;
            }
            let open = (at.saturating_sub(BACK)..at - 2).rev().find(|i| self.close[*i] == at - 2);
            let Some(open) = open.filter(|open| *open > 1) else { continue };
            let start = if self.name_at(open - 1).is_some() { open - 1 } else { open };
            if start > 1
                && self.is_op(start - 1, '=')
                && let Some(target) = self.name_at(start - 2).map(str::to_owned)
            {
                self.aliases.insert(target, "Function".to_owned());
            }
        }
    }

    /// Other names of modules and functions.
    pub(super) fn imports(&mut self) {
        self.constructors();
        for at in 0..self.statements.len() {
            let range = self.without_lines(self.statements[at].tokens());
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
                        let local = alias.unwrap_or_else(|| name.clone());
                        self.imported.insert(local.clone(), name.clone());
                        self.aliases.insert(local, format!("{module}.{name}"));
                    }
                }
                (Language::JavaScript, Some("import")) => {
                    let module = range.clone().rev().find_map(|i| match self.token(i) {
                        Some(Token::Text(text)) => Some(text.clone()),
                        _ => None,
                    });
                    match module {
                        Some(module) if module.starts_with('.') => {
                            self.rename(range.start + 1..range.end);
                        }
                        Some(module) => {
                            self.bind(range.start + 1..range.end, &js_module(&module));
                        }
                        None => {}
                    }
                }
                (Language::JavaScript, Some("const" | "let" | "var"))
                    if self.commas(range.start + 1..range.end).len() > 1 =>
                {
                    for one in self.commas(range.start + 1..range.end) {
                        self.required(one.start - 1..one.end);
                    }
                }
                (Language::JavaScript, Some("const" | "let" | "var")) => self.required(range),
                (Language::Perl, Some("use"))
                    if self.name_at(range.start + 1) == Some("LWP.Simple") =>
                {
                    for name in ["get", "getstore", "head", "mirror", "getprint"] {
                        self.aliases.insert(name.to_owned(), format!("LWP.Simple.{name}"));
                    }
                }
                (Language::Php, Some("use")) => {
                    let class = self.name_at(range.start + 1).map(str::to_owned);
                    let alias = range.clone().rev().find_map(|i| self.name_at(i));
                    let alias =
                        alias.map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
                    if let (Some(class), Some(alias)) = (class, alias) {
                        self.aliases.insert(alias, class);
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

    /// `const x = require("y")`: one name, or several in braces.
    fn required(&mut self, range: Range<usize>) {
        let module = range.clone().find_map(|i| {
            let is_require = matches!(self.name_at(i), Some("require" | "import"));
            match (is_require, self.token(i + 2)) {
                (true, Some(Token::Text(text))) if self.is_op(i + 1, '(') => {
                    Some((i, text.clone()))
                }
                _ => None,
            }
        });
        if let Some((at, module)) = module.clone().filter(|(_, module)| !module.starts_with('.')) {
            let mut module = js_module(&module);
            let at = at - usize::from(at > range.start && self.name_at(at - 1) == Some("await"));
            // require('x').y
            let at = at + usize::from(self.name_at(at) == Some("await"));
            if self.is_op(at + 3, ')')
                && self.is_op(at + 4, '.')
                && let Some(member) = self.name_at(at + 5)
            {
                // require('x').y(z): what it gives is no other name for it.
                if self.is_op(at + 6, '(') {
                    return;
                }
                module = format!("{module}.{member}");
            }
            let at = at - usize::from(at > range.start && self.name_at(at - 1) == Some("await"));
            self.bind(range.start + 1..at, &module);
        } else if let (Some(_), Some(equals)) = (&module, self.assignment(&range)) {
            self.import(range.start + 1..equals);
        } else if self.is_op(range.start + 1, '{')
            && let Some(equals) = self.assignment(&range)
            && let (Some(thing), true) =
                (self.name_at(equals + 1).map(str::to_owned), equals + 2 >= range.end)
            && matches!(thing.as_str(), "process" | "os" | "fs" | "child_process" | "globalThis")
        {
            // const { env } = process
            self.bind(range.start + 1..equals, &thing);
        }
    }

    /// Binds the names of an import: `x`, `{ a, b as c, d: e }`, `* as x`.
    pub(super) fn bind(&mut self, range: Range<usize>, module: &str) {
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
                self.aliases.insert(alias, format!("{module}.{}", plain(&name)));
            }
        }
    }

    /// `{ send as ship }` of a file of the skill's own: another name for its function.
    fn rename(&mut self, range: Range<usize>) {
        self.import(range.clone());
        for at in range {
            if self.name_at(at) == Some("as")
                && let (Some(name), Some(alias)) =
                    (at.checked_sub(1).and_then(|i| self.name_at(i)), self.name_at(at + 1))
            {
                self.aliases.insert(alias.to_owned(), name.to_owned());
            }
        }
    }

    /// The names that another file of the skill is asked for: `{ a, b as c, d: e }`.
    fn import(&mut self, range: Range<usize>) {
        for at in range.clone() {
            let Some(name) = self.name_at(at).map(str::to_owned) else { continue };
            let renames = |i: usize| self.name_at(i) == Some("as") || self.is_op(i, ':');
            if matches!(name.as_str(), "as" | "from" | "type" | "default") {
                continue;
            }
            let original = match at.checked_sub(2).filter(|_| at > 0 && renames(at - 1)) {
                Some(before) if range.contains(&before) => self.name_at(before),
                _ => None,
            };
            let original = original.map_or_else(|| name.clone(), str::to_owned);
            self.imported.insert(name, plain(&original));
        }
    }

    /// `a, b = map(__import__, ("base64", "zlib"))`: as many modules as names.
    pub(super) fn several_modules(&mut self, targets: &[String], range: Range<usize>) {
        let imports =
            |name: &str| matches!(name.rsplit('.').next(), Some("import_module" | "__import__"));
        if self.passage.language != Language::Python
            || targets.len() < 2
            || !range.clone().any(|i| self.name_at(i).is_some_and(imports))
        {
            return;
        }
        let modules: Vec<String> = range
            .filter_map(|i| match self.token(i) {
                Some(Token::Text(text)) => Some(text),
                _ => None,
            })
            .flat_map(|text| text.split([' ', ',']).filter(|part| !part.is_empty()))
            .map(str::to_owned)
            .collect();
        if modules.len() == targets.len() {
            self.aliases.extend(targets.iter().cloned().zip(modules));
        }
    }

    /// A name with its first part resolved through imports.
    pub(in crate::scan::code) fn resolve(&self, name: &str) -> String {
        if let Some(whole) = self.aliases.get(name) {
            return whole.clone();
        }
        // globalThis.process.env is process.env.
        let global = match self.passage.language {
            Language::JavaScript => &["globalThis.", "window.", "global.", "self."][..],
            Language::Lua => &["_G.", "_ENV."],
            _ => &[],
        };
        let global = global.iter().find_map(|prefix| name.strip_prefix(prefix));
        if let Some(member) = global {
            return self.resolve(member);
        }
        match name.split_once('.') {
            Some((first, rest)) => match self.aliases.get(first) {
                Some(module) => format!("{module}.{rest}"),
                None => name.to_owned(),
            },
            None => name.to_owned(),
        }
    }

    pub(in crate::scan::code) fn meaning(&self, resolved: &str) -> Option<Meaning> {
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
            // A name like any other where the environment is called otherwise.
            Language::Python | Language::JavaScript | Language::Go
                if matches!(resolved, "ENV" | "_ENV" | "_SERVER") =>
            {
                None
            }
            Language::JavaScript if resolved == "import" => Some(Meaning::Evaluate),
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
            // df.eval(…), redis.eval(…): a method of theirs, in a language of its own.
            Language::Python
                if resolved.rsplit_once('.').is_some_and(|(of, last)| {
                    last == "eval" && !of.contains("builtins") && of != "?"
                }) =>
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
                        | "setInterval"
                        | "setImmediate"
                        | "rename"
                        | "thaw"
                        | "retrieve"
                        | "uncompress"
                        | "ws"
                        | "needle"
                        | "bent"
                ) =>
            {
                None
            }
            // Elsewhere it says what must be true, and gives what it is given.
            Language::Lua | Language::Ruby | Language::Perl | Language::Go
                if resolved == "assert" =>
            {
                None
            }
            Language::Ruby | Language::Perl if resolved == "require" => Some(Meaning::Evaluate),
            // do '/tmp/x.pl'
            Language::Perl if resolved == "do" => Some(Meaning::Evaluate),
            Language::Php => php(resolved).or_else(|| meaning(resolved)),
            _ => meaning(resolved.strip_prefix("Kernel.").unwrap_or(resolved)),
        };
        let found = found.or_else(|| asked(resolved));
        // A helper of the skill's own with such a name is followed, not presumed.
        if found.is_some() && !resolved.contains('.') && self.by_name.contains_key(resolved) {
            return None;
        }
        found
    }
}

/// `node:fs/promises` as `fs.promises`.
pub(super) fn js_module(name: &str) -> String {
    match name.trim_start_matches("node:") {
        // A class by the name of its package.
        "ws" => "WebSocket".to_owned(),
        name => name.replace('/', "."),
    }
}
