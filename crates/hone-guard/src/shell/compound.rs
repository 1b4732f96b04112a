//! Compound commands: groups, conditions, loops, `case`, `[[ … ]]`, functions. One that is not closed ends with
//! the text and is an error.

use std::sync::Arc;

use super::command::{CLOSING, Stop};
use super::cursor::{Parser, is_meta, is_name_byte};
use super::tree::{Arm, CompoundKind, Part, PartKind, Problem, Script, Word};
use super::word::Mode;

impl Parser<'_> {
    pub(super) fn subshell(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 1;
        let script = self.script(Stop::Parenthesis);
        self.close(")", start, "this parenthesis is not closed");
        CompoundKind::Subshell(script)
    }

    pub(super) fn group(&mut self) -> CompoundKind {
        self.pos += 1;
        let script = self.script(Stop::Word(&["}"]));
        self.eat_reserved("}", "this group needs a `}`");
        CompoundKind::Group(script)
    }

    pub(super) fn conditional(&mut self) -> CompoundKind {
        self.pos += 2;
        let (mut branches, mut otherwise) = (Vec::new(), None);
        loop {
            let condition = self.script(Stop::Word(&["then"]));
            self.eat_reserved("then", "`if` needs a `then`");
            let body = self.script(Stop::Word(&["else", "elif", "fi"]));
            branches.push((condition, body));
            match self.reserved() {
                Some("elif") => self.pos += 4,
                Some("else") => {
                    self.pos += 4;
                    otherwise = Some(self.script(Stop::Word(&["fi"])));
                    break;
                }
                _ => break,
            }
        }
        self.eat_reserved("fi", "`if` needs a `fi`");
        CompoundKind::If { branches, otherwise }
    }

    pub(super) fn repeated(&mut self, word: &'static str) -> CompoundKind {
        self.pos += word.len();
        let condition = self.script(Stop::Word(&["do"]));
        let body = self.do_group();
        CompoundKind::While { until: word == "until", condition, body }
    }

    fn do_group(&mut self) -> Script {
        self.eat_reserved("do", "this loop needs a `do`");
        let body = self.script(Stop::Word(&["done"]));
        self.eat_reserved("done", "this loop needs a `done`");
        body
    }

    pub(super) fn each(&mut self, word: &'static str) -> CompoundKind {
        self.pos += word.len();
        self.skip_blanks();
        if word == "for" && self.eat("((") {
            let header = self.arithmetic("))");
            self.skip_blanks();
            self.eat(";");
            self.skip_lines();
            return CompoundKind::ArithmeticFor { header, body: self.loop_body() };
        }
        let variable = self.word(Mode::Command);
        self.skip_lines();
        let mut words = None;
        if self.is_at("in") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
            self.pos += 2;
            words = Some(self.words());
        }
        self.skip_blanks();
        self.eat(";");
        self.skip_lines();
        let body = self.loop_body();
        if word == "for" {
            CompoundKind::For { variable, words, body }
        } else {
            CompoundKind::Select { variable, words, body }
        }
    }

    /// `do … done`, or the `{ … }` that bash and zsh take as well.
    fn loop_body(&mut self) -> Script {
        if self.reserved() != Some("{") {
            return self.do_group();
        }
        self.pos += 1;
        let script = self.script(Stop::Word(&["}"]));
        self.eat_reserved("}", "this group needs a `}`");
        script
    }

    /// Words up to the end of the line or an operator.
    fn words(&mut self) -> Vec<Word> {
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            let at = self.pos;
            match self.peek() {
                None | Some(b'\n' | b';' | b'&' | b'|' | b'#' | b')') => return words,
                _ => words.push(self.word(Mode::Command)),
            }
            if self.pos == at {
                self.error(at, Problem::Unexpected, "this cannot stand here");
                self.take_char();
            }
        }
    }

    pub(super) fn case(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 4;
        self.skip_blanks();
        let subject = self.word(Mode::Command);
        self.skip_lines();
        if self.is_at("in") && self.byte_at(self.pos + 2).is_none_or(is_meta) {
            self.pos += 2;
        } else {
            self.error(self.pos, Problem::Unexpected, "`case` needs an `in`");
        }
        let mut arms = Vec::new();
        loop {
            self.skip_lines();
            if self.peek().is_none() {
                self.error(start, Problem::Unfinished, "`case` needs an `esac`");
                break;
            }
            if self.reserved() == Some("esac") {
                self.pos += 4;
                break;
            }
            let at = self.pos;
            self.eat("(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                let before = self.pos;
                patterns.push(self.word(Mode::Command));
                if self.pos == before {
                    self.error(at, Problem::Unexpected, "a pattern is missing here");
                }
                self.skip_blanks();
                if !self.eat("|") {
                    break;
                }
            }
            self.close(")", at, "a pattern of `case` needs a `)`");
            let body = self.script(Stop::Arm);
            arms.push(Arm { patterns, body });
            let _ = self.eat(";;&") || self.eat(";;") || self.eat(";&");
            if self.pos == at {
                self.take_char();
            }
        }
        CompoundKind::Case { subject, arms }
    }

    pub(super) fn test(&mut self) -> CompoundKind {
        let start = self.pos;
        self.pos += 2;
        let mut words: Vec<Word> = Vec::new();
        loop {
            self.skip_lines();
            let at = self.pos;
            if self.reserved() == Some("]]") {
                self.pos += 2;
                break;
            }
            let operator = ["&&", "||", "(", ")", "<", ">"].into_iter().find(|op| self.is_at(op));
            let is_pattern = words.last().and_then(Word::literal).is_some_and(|word| word == "=~");
            match (self.peek(), operator) {
                (None, _) => {
                    self.error(start, Problem::Unfinished, "`[[` needs a `]]`");
                    break;
                }
                (_, Some(operator)) if !is_pattern && !self.is_at("<(") && !self.is_at(">(") => {
                    self.pos += operator.len();
                    let kind = PartKind::Literal(operator.to_owned());
                    let span = self.span_from(at);
                    words.push(Word { parts: vec![Part { kind, span: span.clone() }], span });
                }
                _ => {
                    let mode = if is_pattern { Mode::Pattern } else { Mode::Command };
                    words.push(self.word(mode));
                    if self.pos == at {
                        self.error(at, Problem::Unexpected, "this cannot stand in `[[`");
                        self.take_char();
                    }
                }
            }
        }
        CompoundKind::Test(words)
    }

    pub(super) fn function(&mut self) -> CompoundKind {
        self.pos += "function".len();
        self.skip_blanks();
        let name = self.word(Mode::Command);
        self.skip_blanks();
        if self.eat("(") {
            self.skip_blanks();
            self.close(")", self.pos, "`(` of a function needs a `)`");
        }
        self.function_body(name)
    }

    pub(super) fn function_body(&mut self, name: Word) -> CompoundKind {
        self.skip_lines();
        let body = self.command().map(Arc::new);
        if body.is_none() {
            self.error(self.pos, Problem::Unfinished, "a function needs a body");
        }
        CompoundKind::Function { name, body }
    }

    pub(super) fn coproc(&mut self) -> CompoundKind {
        self.pos += "coproc".len();
        self.skip_blanks();
        // `coproc NAME { …; }`: the name stands only in front of a compound command.
        let start = self.pos;
        let rest = &self.text.as_bytes()[start..self.end];
        let name = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let is_reserved = self.reserved().is_some();
        if name > 0 && !is_reserved {
            self.pos += name;
            self.skip_blanks();
            let opens = self.reserved().is_some_and(|word| !CLOSING.contains(&word));
            if !(opens || self.peek() == Some(b'(')) {
                self.pos = start;
            }
        }
        CompoundKind::Coproc { body: self.command().map(Arc::new) }
    }
}
