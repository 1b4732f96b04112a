//! One lexer for the languages that are not shell: names, strings, operators, line ends.
//!
//! It knows just enough of each language to tell code from strings and comments, joins dotted names,
//! and shows what stands inside a string's interpolation as code. Linear, never fails.

mod bare;
mod heredocs;
mod interpolation;
mod names;
mod patterns;
mod quoting;
mod strings;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::rc::Rc;

use crate::scan::kind::Language;

/// A piece of code.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `os.environ`, `$client->post`, `Net::HTTP.get`, `Invoke-RestMethod`: joined by dots.
    Name(Rc<str>),
    /// A string's text, escapes resolved where they are plain.
    Text(Rc<str>),
    Number,
    Op(char),
    /// The end of a line.
    Line,
}

/// A token and where it stands. Small, since a file may have nearly as many as it has bytes.
#[derive(Debug, Clone)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    at: u32,
    column: u32,
}

impl Lexeme {
    fn new(token: Token, at: usize, column: usize) -> Self {
        // Files have fewer bytes than that.
        let short = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { token, at: short(at), column: short(column) }
    }

    /// The byte that it begins with.
    pub(super) fn at(&self) -> usize {
        self.at as usize
    }

    /// The column, for languages where it matters.
    pub(super) fn column(&self) -> usize {
        self.column as usize
    }
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_start: usize,
    language: Language,
    out: Vec<Lexeme>,
    /// The names so far: one that stands a million times is kept once.
    names: HashSet<Rc<str>>,
    depth: usize,
}

/// A name that no code can have: the string before it is written in escapes.
pub(super) const ESCAPED: &str = "\u{0}escaped";

/// Takes a text apart.
pub(super) fn lex(text: &str, language: Language) -> Vec<Lexeme> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line_start: 0,
        language,
        out: Vec::new(),
        names: HashSet::new(),
        depth: 0,
    };
    lexer.run();
    lexer.out
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push_name(&mut self, name: &str, at: usize) {
        let name = if let Some(known) = self.names.get(name) {
            Rc::clone(known)
        } else {
            let name: Rc<str> = name.into();
            self.names.insert(Rc::clone(&name));
            name
        };
        self.push(Token::Name(name), at);
    }

    fn push(&mut self, token: Token, at: usize) {
        let column = at.saturating_sub(self.line_start);
        self.out.push(Lexeme::new(token, at, column));
    }

    fn run(&mut self) {
        use Language::{Batch, Go, JavaScript, Lua, Perl, Php, PowerShell, Python, Ruby};
        // What stands before the first `<?php` is a page.
        if self.language == Php && self.depth == 0 && self.text.contains("<?php") {
            self.skip_page();
        }
        while self.at < self.bytes.len() {
            let c = self.bytes[self.at];
            let start = self.at;
            match c {
                b'\n' => {
                    self.push(Token::Line, start);
                    self.at += 1;
                    self.line_start = self.at;
                }
                b' ' | b'\t' | b'\r' => self.at += 1,
                b'\\' if self.peek(1) == b'\n' => {
                    self.at += 2;
                    self.line_start = self.at;
                }
                b'`' if self.language == PowerShell => {
                    // An escape, or the end of a line that goes on.
                    self.at += 1;
                    if self.peek(0) == b'\n' {
                        self.at += 1;
                    }
                }
                b'#' if matches!(self.language, Python | Ruby | Perl | PowerShell)
                    || self.language == Php =>
                {
                    // `#{…}` of Ruby; `$#list` of Perl is its last place.
                    let last = self.language == Perl && start > 0 && self.bytes[start - 1] == b'$';
                    if self.language == Ruby && self.peek(1) == b'{' || last {
                        self.at += 1;
                    } else {
                        self.skip_line();
                    }
                }
                b'?' if self.language == Php && self.peek(1) == b'>' && self.depth == 0 => {
                    self.push(Token::Op(';'), start);
                    self.skip_page();
                }
                b'$' if matches!(self.language, Ruby | Perl)
                    && matches!(self.peek(1), b'"' | b'\'' | b'`') =>
                {
                    self.at += 2;
                }
                b'?' if self.language == Ruby && self.is_character() => self.at += 2,
                b'<' if self.language == PowerShell && self.peek(1) == b'#' => self.skip_past("#>"),
                b'/' if self.peek(1) == b'/'
                    && matches!(self.language, JavaScript | Go | Php | Language::Braces) =>
                {
                    self.skip_line();
                }
                b'/' if self.peek(1) == b'*'
                    && matches!(self.language, JavaScript | Go | Php | Language::Braces) =>
                {
                    self.skip_past("*/");
                }
                b'-' if self.peek(1) == b'-'
                    && matches!(self.language, Lua | Language::AppleScript) =>
                {
                    match self.long_bracket(2).filter(|_| self.language == Lua) {
                        Some((_, end)) => self.skip_past(&end),
                        None => self.skip_line(),
                    }
                }
                b'r' | b'R'
                    if self.language == Batch
                        && self.text[self.at..]
                            .get(..4)
                            .is_some_and(|w| w.eq_ignore_ascii_case("rem ")) =>
                {
                    self.skip_line();
                }
                b'=' if self.language == Ruby
                    && self.column() == 0
                    && self.text[self.at..].starts_with("=begin") =>
                {
                    self.skip_past("=end");
                }
                b'=' if self.language == Perl
                    && self.column() == 0
                    && self.peek(1).is_ascii_alphabetic() =>
                {
                    self.skip_past("=cut");
                }
                b'/' if matches!(self.language, Perl | Ruby) && self.matched() => {}
                b'm' | b's' | b'q' | b'y' | b't' if self.language == Perl && self.matched() => {}
                b'/' if self.language == JavaScript && self.pattern() => {}
                b'"' | b'\'' => self.string(c),
                b'`' if matches!(self.language, JavaScript) => self.string(c),
                b'`' if matches!(self.language, Go) => {
                    let end = self.text[self.at + 1..]
                        .find('`')
                        .map_or(self.bytes.len(), |i| self.at + 1 + i);
                    self.push(Token::Text(self.text[self.at + 1..end].into()), start);
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'`' if matches!(self.language, Ruby | Perl | Php) => {
                    let end = self.text[self.at + 1..]
                        .find('`')
                        .map_or(self.bytes.len(), |i| self.at + 1 + i);
                    let inner = self.text[self.at + 1..end].to_owned();
                    self.push_name("qx", start);
                    self.push(Token::Op('('), start);
                    self.push(Token::Text(inner.as_str().into()), start);
                    self.interpolate(&inner, start);
                    self.push(Token::Op(')'), start);
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'[' if self.language == Lua && self.long_bracket(0).is_some() => {
                    let (length, close) = self.long_bracket(0).unwrap_or_default();
                    let from = self.at + length;
                    let end = self.text[from..].find(&close).map_or(self.bytes.len(), |i| from + i);
                    self.push(Token::Text(self.text[from..end].into()), start);
                    self.at = (end + close.len()).min(self.bytes.len());
                }
                b'%' if self.language == Ruby && self.percent(start) => {}
                b'[' if self.language == PowerShell && self.static_member(start) => {}
                b'~' | b'.' if self.language == PowerShell && self.is_bare_path() => {
                    self.bare_path(start);
                }
                b'q' if self.language == Perl && self.perl_quote(start) => {}
                b'h' if matches!(self.language, PowerShell | Batch) && self.bare_address(start) => {
                }
                b'<' if self.peek(1) == b'<' && matches!(self.language, Ruby | Perl | Php) => {
                    self.heredoc(start);
                }
                b'0'..=b'9' => {
                    while self.peek(0).is_ascii_alphanumeric()
                        || self.peek(0) == b'.'
                        || self.peek(0) == b'_'
                    {
                        self.at += 1;
                    }
                    self.push(Token::Number, start);
                }
                c if is_name(c) || matches!(c, b'$' | b'@' | b'%') && self.sigil() => self.name(),
                _ if c >= 0x80 => {
                    self.at += 1;
                    while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
                        self.at += 1;
                    }
                }
                c => {
                    self.push(Token::Op(char::from(c)), start);
                    self.at += 1;
                }
            }
        }
        let end = self.at;
        self.push(Token::Line, end);
    }

    /// Passes over a page, up to where PHP begins again.
    fn skip_page(&mut self) {
        match self.text[self.at..].find("<?") {
            Some(open) => {
                self.at += open + 2;
                let word =
                    ["php", "="].iter().find(|word| self.text[self.at..].starts_with(**word));
                self.at += word.map_or(0, |word| word.len());
            }
            None => self.at = self.bytes.len(),
        }
    }

    fn column(&self) -> usize {
        self.at - self.line_start
    }

    fn skip_line(&mut self) {
        self.at = self.text[self.at..].find('\n').map_or(self.bytes.len(), |i| self.at + i);
    }

    fn skip_past(&mut self, end: &str) {
        let to =
            self.text[self.at..].find(end).map_or(self.bytes.len(), |i| self.at + i + end.len());
        self.at = to;
    }
}

/// For each opening bracket the index of its closing one, or the end.
pub(super) fn brackets(tokens: &[Lexeme]) -> Vec<usize> {
    let mut close = vec![tokens.len(); tokens.len()];
    let mut open = Vec::new();
    for (at, lexeme) in tokens.iter().enumerate() {
        match lexeme.token {
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

/// What closes a bracket; any other mark closes itself.
fn closing(open: u8) -> u8 {
    match open {
        b'(' => b')',
        b'{' => b'}',
        b'[' => b']',
        b'<' => b'>',
        other => other,
    }
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}
