//! What an expression gives: the texts, names and taints of its parts, put together.

use super::calls::Call;
use super::powershell::powershell;
use super::{MAX_DEPTH, MAX_OF_CALL, MAX_TEXT, Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::flow::Taint;
use crate::scan::kind::Language;
use std::ops::Range;

/// The home folder as strings of several languages put it in.
const HOMES: [&str; 10] = [
    "$ENV{HOME}",
    "${os.homedir()}",
    "${homedir()}",
    "${process.env.HOME}",
    "#{Dir.home}",
    "#{ENV['HOME']}",
    "{Path.home()}",
    "{pathlib.Path.home()}",
    "{os.path.expanduser('~')}",
    "$env:USERPROFILE",
];

/// Longest text that may be a list of paths.
const MAX_LIST: usize = 400;

/// Texts and names that the thing has which a method is called on: the last ones before it.
const MAX_OF_RECEIVER: usize = 256;
/// Names that a value is made from.
const MAX_NAMES: usize = 64;

/// Texts that may be the parts of a path.
const MAX_PARTS: usize = 11;
/// Bytes of a text that may be a host.
const MAX_HOST: usize = 199;

/// Fewest letters by their numbers that hide a text.
const MIN_LETTERS: usize = 5;

/// Whether a function makes a letter from its number.
pub(super) fn is_letter_maker(name: &str) -> bool {
    matches!(name, "chr" | "fromCharCode" | "fromCodePoint" | "char" | "unichr")
}

/// What an expression gives.
#[derive(Debug, Clone, Default)]
pub(super) struct Value {
    pub(super) taint: Taint,
    /// Texts in it; pieces joined by `+` are one.
    pub(super) texts: Vec<String>,
    /// Names in it.
    pub(super) names: Vec<String>,
    /// The thing it is another name for: `getattr(os, "system")`.
    pub(super) alias: Option<String>,
    /// It starts with something only known at run time.
    pub(super) dynamic_start: bool,
    /// What its first part carries: the program of a command.
    pub(super) head: Taint,
    /// Its texts are all that it is: joined, turned, replaced.
    pub(super) folded: bool,
    /// Pieces of a list are picked by places that are computed.
    pub(super) picked: bool,
    /// A list of numbers is in it that may be letters.
    pub(super) codes: bool,
}

impl Value {
    pub(super) fn path(&self) -> String {
        self.texts.join("/")
    }

    pub(super) fn text(&self) -> String {
        self.texts.concat()
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.taint.add(&other.taint);
        self.picked |= other.picked;
        self.codes |= other.codes;
        if self.is_shorter_than(MAX_TEXT) {
            self.texts.extend(other.texts.iter().cloned());
        }
        if self.names.len() < MAX_NAMES {
            self.names.extend(other.names.iter().cloned());
        }
    }

    /// Whether its texts, with something between them, have fewer bytes than that.
    pub(super) fn is_shorter_than(&self, bytes: usize) -> bool {
        self.texts.len() < bytes
            && self.texts.iter().map(|text| text.len() + 1).sum::<usize>() <= bytes
    }

    /// What a method is called on that stands behind all this: of many texts the last ones.
    fn receiver(&self, literal: Option<&String>) -> Self {
        let texts = match literal {
            Some(literal) => vec![literal.clone()],
            None => last(&self.texts).to_vec(),
        };
        Self {
            taint: self.taint.clone(),
            texts,
            names: last(&self.names).to_vec(),
            alias: self.alias.clone(),
            head: self.head.clone(),
            ..*self
        }
    }

    /// The address among its texts.
    pub(super) fn address(&self) -> Option<&str> {
        self.texts.iter().map(String::as_str).find(|text| text.contains("://"))
    }

    /// Something like a host among its texts.
    pub(super) fn host(&self) -> Option<&str> {
        self.address().or_else(|| {
            self.texts.iter().map(String::as_str).find(|text| {
                text.contains('.')
                    && !text.contains(NOT_IN_HOSTS)
                    && text.len() > 3
                    && text.len() <= MAX_HOST
                    && text.parse::<f64>().is_err()
                    && !is_file_name(text)
            })
        })
    }
}

/// Characters that no host has, nor a place in one that is filled in: those of paths, sentences, patterns, tables.
const NOT_IN_HOSTS: [char; 15] =
    [' ', '/', '\n', '\\', '*', '(', '^', '|', '?', '"', '\'', ',', ';', '=', '!'];

/// Whether a text ends as files do and no host does.
fn is_file_name(text: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: [&str; 32] = [
        "json", "jsonl", "txt", "yaml", "yml", "toml", "csv", "tsv", "log", "db", "sqlite", "ini", "cfg", "conf", "lock", "env",
        "html", "xml", "sql", "js", "cjs", "mjs", "ts", "tmp", "pem", "crt", "sock", "png", "jpg", "svg", "pdf", "wav",
    ];
    text.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
}

fn last(texts: &[String]) -> &[String] {
    &texts[texts.len().saturating_sub(MAX_OF_RECEIVER)..]
}

impl Unit<'_> {
    /// The value of an expression.
    pub(super) fn value(
        &mut self,
        range: Range<usize>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Value {
        let mut value = Value::default();
        world.steps += 1;
        if depth > MAX_DEPTH {
            self.too_deep(&range, out);
            return value;
        }
        let mut joins = false;
        let mut at = range.start;
        let mut first = true;
        // Letters that are written by their numbers.
        let mut codes = 0_usize;
        while at < range.end {
            let token = self.tokens[at].token.clone();
            match token {
                // What it says is known, and not what it says here.
                Token::Text(_) | Token::Number if self.is_turned(at) => {
                    value.taint.add(&Taint::decoded("XOR"));
                    value.dynamic_start |= first;
                    at += 1;
                }
                Token::Text(text) => {
                    let text = self.filled(&text, world);
                    value.taint.add(&Taint::of_file(&text));
                    // glob("~/.netrc ~/.pgpass"), and not "a key, else .env is looked for"
                    let is_listed = || text.split_whitespace().all(|w| w.contains(['/', '~', '.']));
                    if text.len() < MAX_LIST
                        && (text.contains(" ~") || text.contains(" ."))
                        && is_listed()
                    {
                        for path in text.split_whitespace() {
                            value.taint.add(&Taint::of_file(path));
                        }
                    }
                    match value.texts.last_mut() {
                        Some(last) if joins => last.push_str(&text),
                        _ => value.texts.push(text),
                    }
                    joins = false;
                    at += 1;
                }
                // f(x) for x in list: x is each of the list, for what stands before and after.
                Token::Name(word)
                    if *word == *"for"
                        && self.passage.language == Language::Python
                        && at > range.start
                        && depth < MAX_DEPTH =>
                {
                    at = match self.each_of(at..range.end, world, out, depth) {
                        Some((next, list)) => {
                            value.add(&list);
                            next
                        }
                        None => at + 1,
                    };
                }
                // (data := f()): bound where it stands.
                Token::Name(name)
                    if self.passage.language == Language::Python
                        && self.is_op(at + 1, ':')
                        && self.is_op(at + 2, '=') =>
                {
                    let end = self.enclosing_end(at, range.end);
                    let bound = self.value(at + 3..end, world, out, depth + 1);
                    self.assign(&name, &bound, world);
                    value.add(&bound);
                    at = end.max(at + 3);
                }
                // list.each do |item|, list.each { |item|
                Token::Name(word)
                    if *word == *"do"
                        && self.passage.language == Language::Ruby
                        && self.is_op(at + 1, '|') =>
                {
                    self.block_parameters(at, range.end, &value, world);
                    at += 1;
                }
                Token::Op('{')
                    if self.passage.language == Language::Ruby && self.is_op(at + 1, '|') =>
                {
                    self.block_parameters(at, range.end, &value, world);
                    at += 1;
                }
                Token::Name(name) => {
                    // (…).method(…), [...].map(…), "…".join(…): called on all that stands before.
                    let arrow =
                        at >= range.start + 2 && self.is_op(at - 1, '>') && self.is_op(at - 2, '-');
                    let on_value = at > range.start + 1
                        && (self.is_op(at - 1, '.')
                            && !matches!(self.passage.language, Language::Php | Language::Perl)
                            // a .. b of Lua joins.
                            && !self.is_op(at - 2, '.')
                            || arrow)
                        && (self.is_op(at + 1, '(') || self.folds_alone(&name));
                    if on_value {
                        // "-".join(…): called on that text alone, whatever was put before it.
                        let literal = match self.token(at - 2) {
                            Some(Token::Text(text)) if !arrow => Some(self.filled(text, world)),
                            _ => None,
                        };
                        let receiver = value.receiver(literal.as_ref());
                        let called = self.is_op(at + 1, '(');
                        let arguments = if called { self.arguments(at + 1) } else { Vec::new() };
                        let callee = format!(
                            "{}.{name}",
                            value.alias.clone().unwrap_or_else(|| "?".to_owned())
                        );
                        let result = self.call(
                            Call {
                                callee: &callee,
                                shown: &name,
                                ranges: &arguments,
                                receiver: &receiver,
                                at,
                            },
                            world,
                            out,
                            depth + 1,
                        );
                        value.taint.add(&result.taint);
                        value.picked |= result.picked;
                        value.alias.clone_from(&result.alias);
                        if result.folded
                            && let Some(literal) = &literal
                            && let Some(before) = value
                                .texts
                                .last()
                                .and_then(|text| text.strip_suffix(literal.as_str()))
                        {
                            let joined = format!("{before}{}", result.texts.concat());
                            value.texts.pop();
                            value.texts.push(joined);
                        } else if result.folded {
                            value.texts = result.texts;
                        } else if *name != *"join" {
                            value.texts.extend(result.texts.into_iter().take(MAX_OF_CALL));
                        }
                        at = if called { (self.close[at + 1] + 1).max(at + 1) } else { at + 1 };
                        continue;
                    }
                    let (next, piece) = self.named(&name, at, range.end, world, out, depth);
                    codes += usize::from(
                        piece.folded && name.rsplit('.').next().is_some_and(is_letter_maker),
                    );
                    if first && piece.texts.is_empty() {
                        value.dynamic_start = true;
                    }
                    if first {
                        value.head = piece.taint.clone();
                    }
                    value.taint.add(&piece.taint);
                    value.picked |= piece.picked;
                    value.codes |= piece.codes;
                    // (0, eval): the last of a list is what the list gives.
                    let last = self.is_op(at.wrapping_sub(1), ',') && self.is_op(next, ')');
                    value.alias = if first || last { piece.alias.clone() } else { None };
                    value.names.extend(piece.names.iter().take(MAX_OF_CALL).cloned());
                    for text in piece.texts {
                        match value.texts.last_mut() {
                            Some(last) if joins => last.push_str(&text),
                            _ => value.texts.push(text),
                        }
                        joins = false;
                    }
                    at = next;
                }
                // (0, eval)(text), table["constructor"](text): what stands before is called.
                Token::Op('(')
                    if at > range.start
                        && (self.is_op(at - 1, ')') || self.is_op(at - 1, ']'))
                        && value.alias.as_deref().is_some_and(|a| self.meaning(a).is_some()) =>
                {
                    let callee = value.alias.take().unwrap_or_default();
                    let arguments = self.arguments(at);
                    let result = self.call(
                        Call {
                            callee: &callee,
                            shown: &callee,
                            ranges: &arguments,
                            receiver: &Value::default(),
                            at,
                        },
                        world,
                        out,
                        depth + 1,
                    );
                    value.add(&result);
                    at = (self.close[at] + 1).max(at + 1);
                }
                // & $name text, & ('i' + 'ex') text: PowerShell runs what a text names.
                Token::Op('&') if self.passage.language == Language::PowerShell => {
                    at = match self.invoked(at, range.end, world, out, depth) {
                        Some((next, result)) => {
                            value.add(&result);
                            next
                        }
                        None => at + 1,
                    };
                }
                // "{1}{0}" -f 'b', 'a'
                Token::Op('-')
                    if self.passage.language == Language::PowerShell
                        && self.name_at(at + 1) == Some("f")
                        && value.texts.last().is_some_and(|text| text.contains("{0}")) =>
                {
                    let pieces = self.value(at + 2..range.end, world, out, depth + 1);
                    if let Some(text) = value.texts.last_mut() {
                        for (place, piece) in pieces.texts.iter().enumerate().take(64) {
                            *text = text.replace(&format!("{{{place}}}"), piece);
                        }
                    }
                    value.taint.add(&pieces.taint);
                    at = range.end;
                }
                Token::Op(op) => {
                    match op {
                        '[' if at > range.start
                            && matches!(self.token(at - 1), Some(Token::Op(')' | ']' | '}')))
                            && matches!(self.token(at + 1), Some(Token::Text(t)) if **t == *"constructor") =>
                        {
                            value.alias = Some("Function".to_owned());
                            at = self.close[at].clamp(at, range.end);
                        }
                        '+' => joins = true,
                        '.' if matches!(
                            self.passage.language,
                            Language::Php | Language::Perl | Language::Lua
                        ) =>
                        {
                            joins = true;
                        }
                        // [115, 121, 115, …]: letters by their numbers, if they are made so.
                        '[' | '{' | '(' if self.is_codes(at) => value.codes = true,
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
        if codes >= MIN_LETTERS {
            value.taint.add(&Taint::decoded("character codes"));
        }
        // Path.home() / ".aws" / "credentials"; os.path.join(home, ".ssh", "id_rsa")
        if value.texts.len() > 1 && value.texts.len() <= MAX_PARTS {
            value.taint.add(&Taint::of_file(&format!("~/{}", value.path())));
        }
        value
    }

    /// Says that what stands here is not looked at, where nothing else will.
    fn too_deep(&self, range: &Range<usize>, out: &mut Out<'_, '_, '_>) {
        let Some((_, findings)) = out.as_mut() else { return };
        // Numbers and brackets alone hide nothing.
        let says = |at| matches!(self.token(at), Some(Token::Name(_) | Token::Text(_)));
        if range.clone().any(says)
            && let Some(lexeme) = self.tokens.get(range.start)
        {
            let why = "calls stand too deep inside one another";
            findings.unfinished(self.passage, lexeme.at()..lexeme.at(), why);
        }
    }

    /// Where the brackets around a place end, or what is left does.
    fn enclosing_end(&self, at: usize, end: usize) -> usize {
        let mut i = at;
        while i < end {
            match self.token(i) {
                Some(Token::Op('(' | '[' | '{')) => i = self.close[i].max(i),
                Some(Token::Op(')' | ']' | '}' | ',')) => return i,
                _ => {}
            }
            i += 1;
        }
        end
    }

    /// Whether a bracket opens a list of numbers that may be letters.
    fn is_codes(&self, open: usize) -> bool {
        let mut numbers = 0;
        for i in open + 1..(open + 1 + 2 * MIN_LETTERS).min(self.tokens.len()) {
            match self.token(i) {
                Some(Token::Number) => numbers += 1,
                Some(Token::Op(',') | Token::Line) => {}
                _ => break,
            }
        }
        numbers >= MIN_LETTERS
    }

    /// `for x in list if …` inside an expression: binds its names. Gives where the list ends, and what
    /// it gives, so that it is looked at once: twice at every level would double with every list inside
    /// another.
    fn each_of(
        &mut self,
        range: Range<usize>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Option<(usize, Value)> {
        const NAMES: usize = 8;
        let word = range.clone().take(NAMES).find(|i| self.name_at(*i) == Some("in"))?;
        let mut end = word + 1;
        while end < range.end && !matches!(self.name_at(end), Some("if" | "for" | "else")) {
            end = match self.token(end) {
                Some(Token::Op('(' | '[' | '{')) => (self.close[end] + 1).max(end + 1),
                Some(Token::Op(')' | ']' | '}')) | None => break,
                _ => end + 1,
            };
        }
        let end = end.min(range.end);
        let list = self.value(word + 1..end, world, out, depth + 1);
        for name in self.targets(range.start + 1..word) {
            self.assign(&name, &list, world);
        }
        Some((end.max(word + 1), list))
    }

    /// What PowerShell's `&` runs, when a text names it: where that ends, and what it gives.
    fn invoked(
        &mut self,
        at: usize,
        end: usize,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
        depth: usize,
    ) -> Option<(usize, Value)> {
        // Bounded, and none inside another: what is looked at here is looked at again if it is nothing.
        const LONGEST: usize = 32;
        let operand = if self.is_op(at + 1, '(') { self.close[at + 1].min(end) } else { at + 1 };
        if operand > at + LONGEST || (at + 1..operand).any(|i| self.is_op(i, '&')) {
            return None;
        }
        let held = self.name_at(at + 1).and_then(|name| self.known_text(name, world));
        let name = match held {
            Some(texts) => texts.concat(),
            None => self.value(at + 1..(operand + 1).min(end), world, &mut None, depth + 1).text(),
        };
        if !self.is_dangerous(&name) {
            return None;
        }
        let from = (operand + 1).min(end);
        let stop = (from..end).find(|i| self.is_op(*i, '|') || self.is_op(*i, ';')).unwrap_or(end);
        let arguments = powershell(self, from..stop);
        let call = Call {
            callee: &name,
            shown: &name,
            ranges: &arguments,
            receiver: &Value::default(),
            at,
        };
        Some((stop, self.call(call, world, out, depth + 1)))
    }

    /// `https://{HOST}/x` with the constants that are known.
    pub(super) fn filled(&self, text: &str, world: &World) -> String {
        if !text.contains('{') && !text.contains('$') || text.len() > MAX_TEXT {
            return text.to_owned();
        }
        let mut text = std::borrow::Cow::Borrowed(text);
        for home in HOMES.iter().filter(|home| text.contains(**home)).collect::<Vec<_>>() {
            text = text.replace(*home, "~").into();
        }
        let text = &*text;
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
}

#[cfg(test)]
mod tests {
    use super::super::test_passage;
    use super::*;

    fn many(count: usize) -> Vec<String> {
        (0..count).map(|at| at.to_string()).collect()
    }

    #[test]
    fn the_last_texts_and_names_are_those_of_a_receiver() {
        let of = |count: usize| {
            let value = Value { texts: many(count), names: many(count), ..Value::default() };
            let receiver = value.receiver(None);
            (receiver.texts, receiver.names)
        };
        let most = many(MAX_OF_RECEIVER);
        assert_eq!(of(MAX_OF_RECEIVER), (most.clone(), most));
        let last = many(MAX_OF_RECEIVER + 1)[1..].to_vec();
        assert_eq!(of(MAX_OF_RECEIVER + 1), (last.clone(), last));
    }

    #[test]
    fn a_host_has_so_many_bytes() {
        let is_host = |bytes: usize| {
            let name = format!("{}.example", "a".repeat(bytes - ".example".len()));
            Value { texts: vec![name], ..Value::default() }.host().is_some()
        };
        assert!(is_host(MAX_HOST));
        assert!(!is_host(MAX_HOST + 1));
    }

    #[test]
    fn as_many_texts_are_the_parts_of_a_path() {
        let is_key = |parts: usize| {
            let before = "'a', ".repeat(parts - 2);
            let code = format!("x = [{before}'.docker', 'config.json']\n");
            let passage = test_passage(code);
            let mut unit = Unit::new(&passage);
            let (all, mut world) = (2..unit.tokens.len() - 1, World::default());
            !unit.value(all, &mut world, &mut None, 0).taint.is_clean()
        };
        assert!(is_key(MAX_PARTS));
        assert!(!is_key(MAX_PARTS + 1));
    }

    #[test]
    fn a_value_is_made_from_as_many_names() {
        let joined = |count: usize| {
            let mut value = Value { names: many(count), ..Value::default() };
            value.add(&Value { names: many(1), ..Value::default() });
            value.names.len()
        };
        assert_eq!(joined(MAX_NAMES - 1), MAX_NAMES);
        assert_eq!(joined(MAX_NAMES), MAX_NAMES);
    }
}
