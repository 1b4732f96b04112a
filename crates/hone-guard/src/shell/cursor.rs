//! The parser's place in the text, and the small steps that every part of it takes.

use std::sync::{Arc, OnceLock};

use super::tree::{Heredoc, Problem, Span, SyntaxError};
use super::{MAX_DEPTH, MAX_PARTS};

/// A here-document whose lines are still to come.
pub(super) struct Pending {
    pub(super) delimiter: String,
    pub(super) strips_tabs: bool,
    pub(super) expands: bool,
    pub(super) body: Arc<OnceLock<Heredoc>>,
    pub(super) at: usize,
}

pub(super) struct Parser<'t> {
    pub(super) text: &'t str,
    pub(super) pos: usize,
    /// Where this part of the text ends.
    pub(super) end: usize,
    /// For text inside backquotes: where each byte stands in the whole.
    pub(super) origins: Option<Vec<usize>>,
    pub(super) depth: usize,
    pub(super) pending: Vec<Pending>,
    pub(super) errors: Vec<SyntaxError>,
    /// Words, expansions and constructs of the statement that is being read.
    pub(super) parts: usize,
    gave_up: bool,
}

impl<'t> Parser<'t> {
    pub(super) fn new(text: &'t str, depth: usize) -> Self {
        Self {
            text,
            pos: 0,
            end: text.len(),
            origins: None,
            depth,
            pending: Vec::new(),
            errors: Vec::new(),
            parts: 0,
            gave_up: false,
        }
    }

    pub(super) fn byte_at(&self, at: usize) -> Option<u8> {
        if at < self.end { self.text.as_bytes().get(at).copied() } else { None }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.byte_at(self.pos)
    }

    pub(super) fn peek_second(&self) -> Option<u8> {
        self.byte_at(self.pos + 1)
    }

    pub(super) fn is_at(&self, text: &str) -> bool {
        self.text.as_bytes()[self.pos..self.end].starts_with(text.as_bytes())
    }

    /// Goes past `text` if it stands here.
    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is_at = self.is_at(text);
        if is_at {
            self.pos += text.len();
        }
        is_at
    }

    /// Goes past one character and gives it.
    pub(super) fn take_char(&mut self) -> Option<char> {
        let c = self.text.get(self.pos..self.end)?.chars().next()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    /// Where a place stands in the whole text.
    pub(super) fn origin(&self, at: usize) -> usize {
        match &self.origins {
            None => at,
            Some(origins) => origins.get(at).or(origins.last()).copied().unwrap_or(at),
        }
    }

    pub(super) fn span_from(&self, start: usize) -> Span {
        self.span(start, self.pos)
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        let from = self.origin(start);
        from..if end > start { self.origin(end - 1) + 1 } else { from }
    }

    pub(super) fn error(&mut self, at: usize, problem: Problem, message: &'static str) {
        // What follows a place that was too deep is not read, so everything around it is unfinished.
        if !self.gave_up {
            let at = self.origin(at);
            self.errors.push(SyntaxError { at, problem, message });
        }
    }

    /// Reads something one level deeper; past the limit, the rest of the text is left alone.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.give_up(Problem::TooDeep, "too many constructs inside one another");
            return None;
        }
        if !self.is_counted() {
            return None;
        }
        self.depth += 1;
        let value = read(self);
        self.depth -= 1;
        Some(value)
    }

    /// Counts one more part of a statement; past the limit, the rest of the text is left alone.
    pub(super) fn is_counted(&mut self) -> bool {
        self.parts += 1;
        if self.parts > MAX_PARTS {
            self.give_up(Problem::TooLarge, "a statement of too many parts");
        }
        self.parts <= MAX_PARTS
    }

    pub(super) fn give_up(&mut self, problem: Problem, message: &'static str) {
        self.error(self.pos, problem, message);
        self.gave_up = true;
        self.pos = self.end;
    }

    /// Takes over what a parser of a part of this text found.
    pub(super) fn absorb(&mut self, errors: Vec<SyntaxError>) {
        self.errors.extend(errors);
    }

    /// Blanks and continued lines, not the end of a line.
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_second() == Some(b'\n') => self.pos += 2,
                Some(b'\r') if self.peek_second() == Some(b'\n') => {
                    self.error(self.pos, Problem::Ambiguous, "a carriage return ends the line");
                    self.pos += 1;
                }
                _ => return,
            }
        }
    }

    /// Blanks, ends of lines and comments.
    pub(super) fn skip_lines(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n') => self.newline(),
                Some(b'#') => self.skip_comment(),
                _ => return,
            }
        }
    }

    /// A comment up to the end of its line.
    pub(super) fn skip_comment(&mut self) {
        let rest = &self.text.as_bytes()[self.pos..self.end];
        self.pos += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }
}

/// Bytes that end an unquoted word.
pub(super) fn is_meta(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>')
}

pub(super) fn is_name_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
