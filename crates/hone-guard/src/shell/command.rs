//! Lists, pipelines and simple commands. Whatever stands in the text, each of them ends, and what cannot stand
//! where it does is an error with its place.

use super::cursor::{Parser, is_meta};
use super::tree::{
    Command, Compound, CompoundKind, Connector, Item, Pipeline, Problem, Script, SimpleCommand,
};
use super::word::Mode;

/// Where a list of commands ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    /// With the text.
    End,
    /// At `)`.
    Parenthesis,
    /// At one of these reserved words.
    Word(&'static [&'static str]),
    /// At `;;`, `;&` or `esac`.
    Arm,
}

const RESERVED: [&str; 21] = [
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for",
    "select", "function", "{", "}", "!", "[[", "time", "coproc", "]]",
];

/// Reserved words that end something.
pub(super) const CLOSING: [&str; 9] =
    ["then", "else", "elif", "fi", "do", "done", "esac", "}", "]]"];

/// Commands whose arguments may be assignments of lists.
const DECLARING: [&str; 5] = ["declare", "typeset", "local", "export", "readonly"];

impl Parser<'_> {
    /// Commands up to `stop`, which is left in place.
    pub(super) fn script(&mut self, stop: Stop) -> Script {
        self.skip_lines();
        let start = self.pos;
        let mut items: Vec<Item> = Vec::new();
        while let Some(item) = self.item(stop) {
            items.push(item);
        }
        Script { items, span: self.span_from(start) }
    }

    /// The next pipeline before `stop`, with what joins it to the one behind it.
    pub(super) fn item(&mut self, stop: Stop) -> Option<Item> {
        loop {
            self.skip_lines();
            let byte = self.peek()?;
            if self.is_at_stop(stop) {
                return None;
            }
            let at = self.pos;
            if matches!(byte, b')' | b';' | b'&' | b'|') && !self.is_at("&>") {
                self.error(at, Problem::Unexpected, "an operator without a command before it");
                while matches!(self.peek(), Some(b')' | b';' | b'&' | b'|'))
                    && !self.is_at_stop(stop)
                {
                    self.pos += 1;
                }
                continue;
            }
            if let Some(word) = self.reserved().filter(|word| CLOSING.contains(word)) {
                self.error(at, Problem::Unexpected, "a reserved word that ends nothing");
                self.pos += word.len();
                continue;
            }
            let pipeline = self.pipeline();
            let connector = self.connector();
            if self.pos == at {
                self.error(at, Problem::Unexpected, "this cannot stand here");
                self.take_char();
            }
            self.after(connector, stop);
            return Some(Item { pipeline, connector });
        }
    }

    /// Says what is wrong behind a connector.
    fn after(&mut self, connector: Connector, stop: Stop) {
        let before = self.pos;
        match connector {
            Connector::And | Connector::Or => {
                self.skip_lines();
                if self.peek().is_none() || self.is_at_stop(stop) {
                    self.error(before, Problem::Unfinished, "an operator without a command");
                }
            }
            Connector::End if self.peek().is_some() && !self.is_at_stop(stop) => {
                self.error(before, Problem::Unexpected, "this cannot stand here");
            }
            _ => {}
        }
    }

    fn is_at_stop(&self, stop: Stop) -> bool {
        match stop {
            Stop::End => false,
            Stop::Parenthesis => self.peek() == Some(b')'),
            Stop::Word(words) => self.reserved().is_some_and(|word| words.contains(&word)),
            Stop::Arm => self.is_at(";;") || self.is_at(";&") || self.reserved() == Some("esac"),
        }
    }

    /// The reserved word that stands here.
    pub(super) fn reserved(&self) -> Option<&'static str> {
        if !b"itefdcwus{}![]".contains(&self.peek()?) {
            return None;
        }
        let bytes = &self.text.as_bytes()[self.pos..self.end];
        RESERVED.into_iter().find(|word| {
            bytes.starts_with(word.as_bytes())
                && bytes.get(word.len()).is_none_or(|byte| is_meta(*byte) || *byte == b'\r')
        })
    }

    pub(super) fn eat_reserved(&mut self, word: &'static str, message: &'static str) {
        self.skip_lines();
        if self.reserved() == Some(word) {
            self.pos += word.len();
        } else {
            self.error(self.pos, Problem::Unfinished, message);
        }
    }

    fn connector(&mut self) -> Connector {
        self.skip_blanks();
        if self.peek() == Some(b'#') {
            self.skip_comment();
        }
        if self.eat("&&") {
            return Connector::And;
        }
        if self.eat("||") {
            return Connector::Or;
        }
        match self.peek() {
            Some(b';') if !self.is_at(";;") && !self.is_at(";&") => {
                self.pos += 1;
                Connector::Then
            }
            Some(b'&') => {
                self.pos += 1;
                Connector::Background
            }
            Some(b'\n') => {
                self.newline();
                Connector::Then
            }
            _ => Connector::End,
        }
    }

    fn pipeline(&mut self) -> Pipeline {
        let start = self.pos;
        let mut negated = false;
        loop {
            match self.reserved() {
                Some("!") => {
                    self.pos += 1;
                    negated = !negated;
                }
                Some("time") => {
                    self.pos += 4;
                    self.skip_blanks();
                    if self.is_at("-p") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
                        self.pos += 2;
                    }
                }
                _ => break,
            }
            self.skip_blanks();
        }
        let mut commands = Vec::new();
        loop {
            match self.command() {
                Some(command) => commands.push(command),
                None if commands.is_empty() && start != self.pos => break,
                None => {
                    self.error(self.pos, Problem::Unexpected, "a command is missing here");
                    break;
                }
            }
            self.skip_blanks();
            if self.peek() != Some(b'|') || self.peek_second() == Some(b'|') {
                break;
            }
            self.pos += 1;
            if self.peek() == Some(b'&') {
                self.pos += 1;
            }
            self.skip_lines();
        }
        // Most pipelines are one command: room for more of these large things is what a long script costs.
        commands.shrink_to_fit();
        Pipeline { negated, commands, span: self.span_from(start) }
    }

    pub(super) fn command(&mut self) -> Option<Command> {
        self.skip_blanks();
        let start = self.pos;
        let kind = match self.reserved() {
            Some("{") => self.deeper(Self::group),
            Some("if") => self.deeper(Self::conditional),
            Some("while") => self.deeper(|parser| parser.repeated("while")),
            Some("until") => self.deeper(|parser| parser.repeated("until")),
            Some("for") => self.deeper(|parser| parser.each("for")),
            Some("select") => self.deeper(|parser| parser.each("select")),
            Some("case") => self.deeper(Self::case),
            Some("[[") => self.deeper(Self::test),
            Some("function") => self.deeper(Self::function),
            Some("coproc") => self.deeper(Self::coproc),
            _ if self.is_at("((") && self.closes_as_arithmetic(self.pos + 2) => {
                self.deeper(|parser| {
                    parser.pos += 2;
                    CompoundKind::Arithmetic(parser.arithmetic("))"))
                })
            }
            _ if self.peek() == Some(b'(') => self.deeper(Self::subshell),
            _ => return self.simple(start),
        };
        let kind = kind?;
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect() {
                Some(redirect) => redirects.push(redirect),
                None => break,
            }
        }
        Some(Command::Compound(Compound { kind, redirects, span: self.span_from(start) }))
    }

    /// Goes past a closing delimiter, or says that what began at `start` has none.
    pub(super) fn close(&mut self, delimiter: &str, start: usize, message: &'static str) {
        if !self.eat(delimiter) {
            self.error(start, Problem::Unfinished, message);
        }
    }

    fn simple(&mut self, start: usize) -> Option<Command> {
        let mut simple = SimpleCommand::default();
        let mut declares = false;
        let mut end = start;
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect() {
                simple.redirects.push(redirect);
                end = self.pos;
                continue;
            }
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b')' | b'#') => break,
                Some(b'(') => {
                    if simple.words.len() == 1 && simple.assignments.is_empty() {
                        let at = self.pos;
                        self.pos += 1;
                        self.skip_blanks();
                        if self.eat(")") {
                            let name = simple.words.remove(0);
                            let kind = self.deeper(|parser| parser.function_body(name))?;
                            let redirects = simple.redirects;
                            let span = self.span_from(start);
                            return Some(Command::Compound(Compound { kind, redirects, span }));
                        }
                        self.pos = at;
                    }
                    break;
                }
                _ => {}
            }
            let at = self.pos;
            if simple.words.is_empty()
                && let Some(assignment) = self.assignment()
            {
                simple.assignments.push(assignment);
            } else {
                let word = match self.declared_list(declares) {
                    Some(word) => word,
                    None => self.word(Mode::Command),
                };
                if simple.words.is_empty() {
                    declares = word.literal().is_some_and(|name| DECLARING.contains(&&*name));
                }
                simple.words.push(word);
            }
            if self.pos == at {
                simple.words.pop();
                break;
            }
            end = self.pos;
        }
        simple.span = self.span(start, end);
        simple.words.shrink_to_fit();
        simple.assignments.shrink_to_fit();
        simple.redirects.shrink_to_fit();
        let is_empty =
            simple.words.is_empty() && simple.assignments.is_empty() && simple.redirects.is_empty();
        (!is_empty).then_some(Command::Simple(simple))
    }
}
