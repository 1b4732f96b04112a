//! Assignments before a command and as arguments of `declare`: a name, an index, a word or a list. Anything
//! else with a `=` in it is an ordinary word.

use super::cursor::{Parser, is_name_byte, is_name_start};
use super::tree::{Assignment, Part, PartKind, Problem, Span, Word};
use super::word::Mode;

/// The places in `NAME[index]+=`.
struct Assigned {
    name_end: usize,
    index: Option<Span>,
    value_start: usize,
}

impl Parser<'_> {
    /// `NAME=`, `NAME+=` or `NAME[index]=` from here.
    fn assigned(&self) -> Option<Assigned> {
        if !self.peek().is_some_and(is_name_start) {
            return None;
        }
        let mut at = self.pos;
        while self.byte_at(at).is_some_and(is_name_byte) {
            at += 1;
        }
        let name_end = at;
        let mut index = None;
        if self.byte_at(at) == Some(b'[') {
            let from = at + 1;
            at = from;
            // Anything else in an index makes it an ordinary word, whose parts are then looked at.
            while self.byte_at(at).is_some_and(|b| is_name_byte(b) || b"@*+-$".contains(&b)) {
                at += 1;
            }
            if self.byte_at(at) != Some(b']') {
                return None;
            }
            index = Some(from..at);
            at += 1;
        }
        if self.byte_at(at) == Some(b'+') {
            at += 1;
        }
        (self.byte_at(at) == Some(b'=')).then_some(Assigned {
            name_end,
            index,
            value_start: at + 1,
        })
    }

    pub(super) fn assignment(&mut self) -> Option<Assignment> {
        let start = self.pos;
        let Assigned { name_end, index, value_start } = self.assigned()?;
        let name = self.text[start..name_end].to_owned();
        let append = self.byte_at(value_start - 2) == Some(b'+');
        let index = index.map(|index| self.text[index].to_owned());
        self.pos = value_start;
        let value = match self.array() {
            Some(part) => Word { span: part.span.clone(), parts: vec![part] },
            None => self.word(Mode::Value),
        };
        Some(Assignment { name, index, append, value, span: self.span_from(start) })
    }

    /// `NAME=(…)` as an argument of `declare` and the like.
    pub(super) fn declared_list(&mut self, declares: bool) -> Option<Word> {
        let start = self.pos;
        let value_start = self.assigned().filter(|_| declares)?.value_start;
        if self.byte_at(value_start) != Some(b'(') {
            return None;
        }
        self.pos = value_start;
        let name = PartKind::Literal(self.text[start..value_start].to_owned());
        let name = Part { kind: name, span: self.span_from(start) };
        let list = self.array()?;
        Some(Word { parts: vec![name, list], span: self.span_from(start) })
    }

    /// `( word … )` after `NAME=`.
    fn array(&mut self) -> Option<Part> {
        if self.peek() != Some(b'(') {
            return None;
        }
        let start = self.pos;
        let words = self.deeper(|parser| {
            parser.pos += 1;
            let mut words = Vec::new();
            loop {
                parser.skip_lines();
                let at = parser.pos;
                match parser.peek() {
                    None | Some(b')') => break,
                    _ => words.push(parser.word(Mode::Command)),
                }
                if parser.pos == at {
                    words.pop();
                    parser.error(at, Problem::Unexpected, "this cannot stand in a list");
                    parser.take_char();
                }
            }
            parser.close(")", start, "this list is not closed");
            words
        });
        let kind = PartKind::Array(words.unwrap_or_default());
        Some(Part { kind, span: self.span_from(start) })
    }
}
