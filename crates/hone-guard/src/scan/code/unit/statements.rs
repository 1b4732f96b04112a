//! The statements of a unit: where each begins and ends, and which function it stands in.
//!
//! Cut by lines and semicolons, or by braces where the language has them; no grammar is needed,
//! since order and nesting do not matter to what flows.

use super::{Function, Statement, Unit};
use crate::scan::code::lexer::{Lexeme, Token};
use crate::scan::code::scopes::plain;
use crate::scan::kind::Language;
use std::ops::Range;

/// Between the names of one parameter that is taken apart.
pub(super) const SEVERAL: &str = ",";

impl Unit<'_> {
    /// Cuts the tokens into statements, and finds the functions they stand in.
    pub(super) fn split(&mut self) {
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
        // Lua's open blocks, with the parentheses around those that are functions.
        let mut ends: Vec<Option<usize>> = Vec::new();
        // Where Ruby's open tables end.
        let mut hashes: Vec<usize> = Vec::new();
        let mut at = 0;
        while at < self.tokens.len() {
            if self.passage.language == Language::Lua {
                match self.name_at(at) {
                    Some("function") => ends.push(Some(std::mem::take(&mut parens))),
                    Some("do" | "if") => ends.push(None),
                    Some("end") => parens = ends.pop().flatten().unwrap_or(parens),
                    _ => {}
                }
            }
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
                // A table over several lines is one statement.
                Token::Op('{')
                    if matches!(self.passage.language, Language::Python | Language::Lua) =>
                {
                    parens += 1;
                    false
                }
                Token::Op('}')
                    if matches!(self.passage.language, Language::Python | Language::Lua) =>
                {
                    parens = parens.saturating_sub(1);
                    false
                }
                Token::Op('{') if self.passage.language == Language::Ruby && self.is_hash(at) => {
                    hashes.push(self.close[at]);
                    parens += 1;
                    false
                }
                Token::Op('}') if hashes.last() == Some(&at) => {
                    hashes.pop();
                    parens = parens.saturating_sub(1);
                    false
                }
                Token::Op('{') if braces => {
                    // function () {}: nothing stands in it.
                    if self.is_block(at) && !self.is_op(at + 1, '}') {
                        self.statements.push(Statement::new(start..at, function));
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
                        self.statements.push(Statement::new(start..at, function));
                        let (_, before) = blocks.pop().unwrap_or_default();
                        // {…}(x), {…})(x): called where it is written.
                        let open = if self.is_op(at + 1, ')') { at + 2 } else { at + 1 };
                        if let Some(own) = function.filter(|own| Some(*own) != before)
                            && self.is_op(open, '(')
                        {
                            self.immediate.push((own, open));
                        }
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
                    let column = self.tokens.get(start).map_or(0, Lexeme::column);
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
                    self.statements.push(Statement::new(range, function));
                }
                start = at + 1;
            }
            at += 1;
        }
        if start < self.tokens.len() {
            self.statements.push(Statement::new(start..self.tokens.len(), function));
        }
    }

    /// Whether the line goes on: the next begins with a dot or a pipe, or this ends with an operator.
    pub(super) fn continues(&self, at: usize) -> bool {
        // Bounded: a thousand empty lines are not one statement.
        const LINES: usize = 32;
        let next = self.tokens[at + 1..]
            .iter()
            .take(LINES)
            .map(|lexeme| &lexeme.token)
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
    pub(super) fn is_block(&self, at: usize) -> bool {
        match at.checked_sub(1).and_then(|i| self.token(i)) {
            // map[string]interface{}{…}
            Some(Token::Op('}'))
                if self.passage.language == Language::Go
                    && at > 2
                    && self.is_op(at - 2, '{')
                    && matches!(self.name_at(at - 3), Some("interface" | "struct")) =>
            {
                false
            }
            Some(Token::Op(')' | ';' | '{' | '}') | Token::Line) | None => true,
            _ if self.is_typed(at) => true,
            Some(Token::Op('>')) => self.is_op(at.saturating_sub(2), '='),
            Some(Token::Op(':')) => self.is_case(at - 1),
            Some(Token::Name(name)) => {
                matches!(&**name, "else" | "try" | "finally" | "do" | "catch" | "BEGIN" | "static" | "process" | "begin" | "end")
                    || self.passage.language == Language::Perl
                        && matches!(&**name, "eval" | "END" | "INIT" | "CHECK" | "sub")
                    || self.passage.language == Language::PowerShell
                    || self.passage.language == Language::Go && !self.is_literal(at)
                    // class X {, sub name {, function name {
                    || at >= 2 && matches!(self.name_at(at - 2), Some("class" | "sub" | "function" | "extends" | "interface" | "namespace" | "enum" | "catch"))
            }
            _ => false,
        }
    }

    /// Whether a brace of Ruby opens a table rather than a block.
    fn is_hash(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|i| self.token(i));
        !self.is_op(at + 1, '|')
            && (matches!(before, Some(Token::Op('=' | '(' | ',' | '[' | ':' | '>')))
                || matches!(before, Some(Token::Name(word)) if **word == *"return"))
            && self.close[at] < self.tokens.len()
    }

    /// Whether a colon ends the head of a `case`.
    fn is_case(&self, colon: usize) -> bool {
        const HEAD: usize = 12;
        (colon.saturating_sub(HEAD)..colon)
            .rev()
            .take_while(|i| {
                !matches!(self.token(*i), Some(Token::Line | Token::Op(';' | '{' | '}')))
            })
            .any(|i| matches!(self.name_at(i), Some("case" | "default")))
    }

    /// Whether a word begins a function in the language.
    fn declares(&self, word: &str) -> bool {
        match self.passage.language {
            Language::Python | Language::Ruby => word == "def",
            Language::JavaScript | Language::Lua => word == "function",
            Language::Php => matches!(word, "function" | "fn"),
            Language::Perl => word == "sub",
            Language::Go => word == "func",
            Language::PowerShell => {
                word.eq_ignore_ascii_case("function") || word.eq_ignore_ascii_case("filter")
            }
            _ => matches!(word, "def" | "function" | "func" | "sub" | "fn" | "Function"),
        }
    }

    /// Go's `[]string{…}`, `map[string]int{…}` and `&T{…}`, unless a function's result stands there.
    fn is_literal(&self, at: usize) -> bool {
        const HEADER: usize = 32;
        let is_header = || {
            (at.saturating_sub(HEADER)..at)
                .rev()
                .take_while(|i| {
                    !matches!(self.token(*i), Some(Token::Line | Token::Op(';' | '{' | '}')))
                })
                .any(|i| self.name_at(i) == Some("func"))
        };
        matches!(at.checked_sub(2).and_then(|i| self.token(i)), Some(Token::Op(']' | '&')))
            && !is_header()
    }

    /// `function f(): array {`, `async f(): Promise<void> {`: a type between parameters and body.
    fn is_typed(&self, at: usize) -> bool {
        const TYPE: usize = 24;
        matches!(self.passage.language, Language::Php | Language::JavaScript)
            && (at.saturating_sub(TYPE)..at)
                .rev()
                .take_while(|i| {
                    matches!(
                        self.token(*i),
                        Some(
                            Token::Name(_)
                                | Token::Op(
                                    '<' | '>' | '[' | ']' | '|' | '?' | ':' | '(' | ')' | '=' | ','
                                )
                        )
                    )
                })
                .any(|i| self.is_op(i, ':') && self.is_op(i.wrapping_sub(1), ')'))
    }

    /// The function that a statement begins, if it does.
    pub(super) fn declared(&mut self, range: Range<usize>) -> Option<usize> {
        if let Some(at) = range.clone().take(3).find(|i| self.name_at(*i) == Some("class")) {
            self.class = self.name_at(at + 1).map(str::to_owned);
        }
        let mut name = None;
        let mut open = None;
        // x => …: the one parameter of a function without parentheses.
        let mut bare = None;
        for at in range.clone() {
            if self.name_at(at).is_some_and(|word| self.declares(word)) {
                // Go methods: func (r *T) Name(…); generators: function* name(…)
                let mut next = at + 1 + usize::from(self.is_op(at + 1, '*'));
                if self.is_op(next, '(')
                    && self.passage.language == Language::Go
                    && self.is_op(self.close[next] + 2, '(')
                {
                    next = self.close[next] + 1;
                }
                if let Some(found) = self.name_at(next).map(str::to_owned) {
                    if let Some((_, method)) = found.rsplit_once('.') {
                        self.methods.insert(method.to_owned());
                    }
                    name = Some(found.rsplit('.').next().unwrap_or(&found).to_owned());
                    open = (self.is_op(next + 1, '(')).then_some(next + 1);
                    // def ship data, sub
                    if open.is_none() && self.passage.language == Language::Ruby {
                        bare = (next + 1..range.end)
                            .find_map(|i| self.name_at(i).map(str::to_owned))
                            .filter(|_| !self.is_op(next + 1, '='));
                    }
                } else if self.is_op(next, '(') {
                    // An expression: the name stands before, `name = function (`.
                    // go func(x) {…}: one without a name.
                    let nameless = self.passage.language == Language::Go
                        && !(range.start..at).any(|i| self.is_op(i, '='));
                    name = nameless.then(|| format!("{at}func")).or_else(|| {
                        (range.start..at).rev().find_map(|i| {
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
                        })
                    });
                    // (function (x) {…})(y)
                    if name.is_none() && self.passage.language == Language::JavaScript {
                        name = Some(format!("{at}function"));
                    }
                    open = Some(next);
                }
                break;
            }
            // name = (a, b) =>, name = x =>, name: (a) =>
            if self.is_op(at, '=') && self.is_op(at + 1, '>') && at > range.start {
                let Some(first) = self.arrow_parameters(at) else { break };
                if first < range.start {
                    break;
                }
                let mut before = first;
                if before > range.start && self.name_at(before - 1) == Some("async") {
                    before -= 1;
                }
                if before >= range.start + 2
                    && (self.is_op(before - 1, '=') || self.is_op(before - 1, ':'))
                {
                    name = self
                        .name_at(before - 2)
                        .map(|name| name.rsplit('.').next().unwrap_or(name).to_owned());
                    open = self.is_op(first, '(').then_some(first);
                    bare = self.name_at(first).map(str::to_owned);
                }
                break;
            }
        }
        if name.is_none() && self.passage.language == Language::JavaScript && range.len() >= 3 {
            // A method: name(a, b) {, also in a table: x = { name(a, b) {
            let at = range
                .clone()
                .find(|i| self.is_op(*i, '(') && (i - range.start <= 2 || self.is_entry(*i)))?;
            let found = at.checked_sub(1).and_then(|i| self.name_at(i))?;
            // eval(list.map((x) => {: its parentheses end behind the block, and not before.
            if self.close[at] + 1 == range.end
                && !matches!(found, "if" | "for" | "while" | "switch" | "catch" | "with")
                && !found.contains('.')
            {
                name = Some(found.to_owned());
                open = Some(at);
            }
        }
        let name = name?;
        let name = name.rsplit('.').next().unwrap_or(&name).to_owned();
        if self.passage.language == Language::PowerShell && open.is_none() {
            open = self.parameter_block(range.end);
        }
        let parameters = match open {
            Some(open) => {
                self.defaults(open);
                self.parameters(open)
            }
            // `$_[0]` of Perl is what a function is called with, whichever place it has.
            None if self.takes_by_place => {
                const PLACES: usize = 4;
                vec!["_".to_owned(); PLACES]
            }
            None => bare.into_iter().collect(),
        };
        // What a class is made with goes to its constructor.
        if matches!(name.as_str(), "__init__" | "constructor" | "initialize" | "__construct")
            && let Some(class) = self.class.clone()
        {
            self.functions.push(Function {
                name: class,
                parameters: parameters.clone(),
                results: Vec::new(),
            });
        }
        // func f() (out string, err error)
        let results = open
            .filter(|_| self.passage.language == Language::Go)
            .map(|open| self.close[open] + 1)
            .filter(|open| self.is_op(*open, '(') && *open < range.end)
            .map(|open| self.parameters(open))
            .unwrap_or_default();
        self.functions.push(Function { name, parameters, results });
        Some(self.functions.len() - 1)
    }

    /// Whether a method of a table has its parameters here.
    fn is_entry(&self, open: usize) -> bool {
        let before = (open.saturating_sub(3)..open.saturating_sub(1)).rev().find(|i| {
            !matches!(self.name_at(*i), Some("async" | "get" | "set")) && !self.is_op(*i, '*')
        });
        open > 1
            && self.name_at(open - 1).is_some()
            && before.is_some_and(|i| {
                matches!(self.token(i), Some(Token::Op('{' | ',' | '}') | Token::Line))
            })
    }

    /// `(host = "a.io", private port = 1)`: texts that parameters hold unless they are given.
    fn defaults(&mut self, open: usize) {
        for range in self.arguments(open) {
            let Some(equals) = range.clone().find(|i| self.is_op(*i, '=')) else { continue };
            let name = (range.start..equals).rev().find_map(|i| self.name_at(i).map(str::to_owned));
            if let (Some(name), Some(Token::Text(text))) = (name, self.token(equals + 1).cloned()) {
                if self.passage.language == Language::JavaScript {
                    self.texts
                        .entry(format!("this.{}", plain(&name)))
                        .or_insert_with(|| vec![text.to_string()]);
                }
                self.texts.entry(name).or_insert_with(|| vec![text.to_string()]);
            }
        }
    }

    /// `function Send { param($a, $b) …`: where the parameters of a `PowerShell` function stand.
    fn parameter_block(&self, brace: usize) -> Option<usize> {
        const NEAR: usize = 12;
        (brace..brace + NEAR)
            .find(|i| self.name_at(*i).is_some_and(|n| n.eq_ignore_ascii_case("param")))
            .map(|i| i + 1)
            .filter(|open| self.is_op(*open, '('))
    }

    /// Functions whose body is one expression: `name = (a, b) => …`, `name: x => …`.
    pub(super) fn find_arrows(&mut self) {
        // Bodies inside bodies that are looked at on their own.
        const NESTED: usize = 3;
        if self.passage.language != Language::JavaScript {
            return;
        }
        let mut open: Vec<usize> = Vec::new();
        for at in 1..self.tokens.len() {
            open.retain(|end| *end > at);
            if !(self.is_op(at, '=') && self.is_op(at + 1, '>'))
                || self.is_op(at + 2, '{')
                || open.len() >= NESTED
            {
                continue;
            }
            let Some((name, parameters)) = self.arrow_head(at) else { continue };
            let body = at + 2..self.arrow_end(at + 2);
            open.push(body.end);
            self.functions.push(Function { name, parameters, results: Vec::new() });
            self.arrows.push((self.functions.len() - 1, body));
        }
    }

    /// The name and the parameters of the function whose arrow stands at `at`.
    fn arrow_head(&self, at: usize) -> Option<(String, Vec<String>)> {
        let first = self.arrow_parameters(at)?;
        let parameters = if self.is_op(first, '(') {
            self.parameters(first)
        } else {
            vec![self.name_at(first)?.to_owned()]
        };
        let before = first
            .checked_sub(1)
            .map(|i| if self.name_at(i) == Some("async") { i.saturating_sub(1) } else { i })?;
        if !(self.is_op(before, '=') || self.is_op(before, ':')) {
            return None;
        }
        let name = before.checked_sub(1).and_then(|i| self.name_at(i))?;
        Some((name.rsplit('.').next().unwrap_or(name).to_owned(), parameters))
    }

    /// Where the parameters before an arrow begin: `(a, b) =>`, `x =>`, `(a): Promise<T> =>`.
    fn arrow_parameters(&self, at: usize) -> Option<usize> {
        const FAR: usize = 64;
        const TYPE: usize = 24;
        let typed = (at.saturating_sub(TYPE)..at)
            .rev()
            .take_while(|i| !matches!(self.token(*i), Some(Token::Line | Token::Op(';' | '='))))
            .find(|i| self.is_op(*i, ':') && self.is_op(i.wrapping_sub(1), ')'));
        let last = if self.is_op(at - 1, ')') { at - 1 } else { typed.map_or(at - 1, |i| i - 1) };
        if !self.is_op(last, ')') {
            return Some(last);
        }
        (last.saturating_sub(FAR)..last)
            .rev()
            .find(|i| self.is_op(*i, '(') && self.close[*i] == last)
    }

    /// Where an expression that starts at `at` ends: at a comma or bracket of what is around it, or
    /// with its line.
    fn arrow_end(&self, at: usize) -> usize {
        let mut i = at;
        while i < self.tokens.len() {
            match &self.tokens[i].token {
                Token::Op('(' | '[' | '{') => i = self.close[i].max(i),
                Token::Op(')' | ']' | '}' | ',' | ';') => return i,
                Token::Line if i > at && !self.continues(i) => return i,
                _ => {}
            }
            i += 1;
        }
        self.tokens.len()
    }

    pub(super) fn parameters(&self, open: usize) -> Vec<String> {
        // PHP and PowerShell write the type first.
        let last = matches!(self.passage.language, Language::Php | Language::PowerShell);
        self.arguments(open)
            .into_iter()
            .filter_map(|range| {
                let end = range.clone().find(|i| self.is_op(*i, '=')).unwrap_or(range.end);
                let mut names = (range.start..end)
                    .filter_map(|i| self.name_at(i).map(str::to_owned))
                    .filter(|name| {
                        !matches!(name.as_str(), "private" | "public" | "protected" | "readonly")
                    });
                // { kind, data }: all of them at one place.
                if self.is_op(range.start, '{') && self.passage.language == Language::JavaScript {
                    let close = self.close[range.start].min(range.end);
                    let names: Vec<&str> = (range.start..close)
                        .filter(|i| {
                            self.is_op(i - 1, ',')
                                || self.is_op(i - 1, '{')
                                || self.is_op(i - 1, ':')
                        })
                        .filter_map(|i| self.name_at(i))
                        .collect();
                    return Some(names.join(SEVERAL)).filter(|names| !names.is_empty());
                }
                if last { names.next_back() } else { names.next() }
            })
            .filter(|name| !matches!(name.as_str(), "self" | "cls"))
            .collect()
    }

    /// The arguments between brackets, as ranges.
    pub(super) fn arguments(&self, open: usize) -> Vec<Range<usize>> {
        let end = self.close[open].min(self.tokens.len());
        self.commas(open + 1..end)
    }

    pub(super) fn commas(&self, range: Range<usize>) -> Vec<Range<usize>> {
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
}
