//! One lexer for the languages that are not shell: names, strings, operators, line ends.
//!
//! It knows just enough of each language to tell code from strings and comments, joins dotted names,
//! and shows what stands inside a string's interpolation as code. Linear, never fails.

use crate::scan::kind::Language;

/// A piece of code.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    /// `os.environ`, `$client->post`, `Net::HTTP.get`, `Invoke-RestMethod`: joined by dots.
    Name(String),
    /// A string's text, escapes resolved where they are plain.
    Text(String),
    Number,
    Op(char),
    /// The end of a line.
    Line,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) token: Token,
    pub(super) at: usize,
    /// The column, for languages where it matters.
    pub(super) column: usize,
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line_start: usize,
    language: Language,
    out: Vec<Spot>,
    depth: usize,
}

/// A name that no code can have: the string before it is written in escapes.
pub(super) const ESCAPED: &str = "\u{0}escaped";

/// Strings inside interpolations inside strings that are followed.
const MAX_INTERPOLATION: usize = 3;

/// Takes a text apart.
pub(super) fn lex(text: &str, language: Language) -> Vec<Spot> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        line_start: 0,
        language,
        out: Vec::new(),
        depth: 0,
    };
    lexer.run();
    lexer.out
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Passes over `=~ /…/`, `=~ s/…/…/`: a quotation mark in a pattern opens no string.
    fn matched(&mut self) -> bool {
        let is = |back: usize, op: char| {
            self.out.len().checked_sub(back).and_then(|i| self.out.get(i)).map(|spot| &spot.token)
                == Some(&Token::Op(op))
        };
        let rest = &self.bytes[self.at..];
        // m{…}, qr{…}: wherever they stand.
        let before = self.at.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        let braces = match rest {
            [b'm', b'{', ..] => 1,
            [b'q', b'r', b'{', ..] => 2,
            _ => 0,
        };
        if self.language == Language::Perl
            && braces > 0
            && !before.is_ascii_alphanumeric()
            && !b"_$@%->".contains(&before)
        {
            return self.skip_braces(self.at + braces);
        }
        if !(is(1, '~') && is(2, '=')) {
            return false;
        }
        let letters = rest.iter().take(2).take_while(|b| b.is_ascii_lowercase()).count();
        if rest.get(letters) != Some(&b'/') {
            return false;
        }
        let parts = if matches!(&rest[..letters], b"s" | b"y" | b"tr") { 2 } else { 1 };
        self.skip_pattern(self.at + letters, parts)
    }

    /// Goes behind the brace that closes one, if that is on the line.
    fn skip_braces(&mut self, open: usize) -> bool {
        let mut depth = 0_usize;
        let mut at = open;
        while let Some(b) = self.bytes.get(at).filter(|b| **b != b'\n') {
            match b {
                b'\\' => at += 1,
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            at += 1;
            if depth == 0 {
                self.at = at;
                return true;
            }
        }
        false
    }

    /// Passes over a pattern of JavaScript: a slash where no value stands before it.
    fn pattern(&mut self) -> bool {
        let opens = match self.out.last().map(|spot| &spot.token) {
            None | Some(Token::Line) => true,
            Some(Token::Op(op)) => "(,=:[!&|?{};".contains(*op),
            Some(Token::Name(name)) => name == "return",
            _ => false,
        };
        opens && self.skip_pattern(self.at, 1)
    }

    /// Goes behind so many parts of a pattern that opens at a slash, if they end on the line.
    fn skip_pattern(&mut self, open: usize, parts: usize) -> bool {
        let mut left = parts;
        let mut class = false;
        let mut at = open + 1;
        while let Some(b) = self.bytes.get(at).filter(|b| **b != b'\n') {
            match b {
                b'\\' => at += 1,
                b'[' => class = true,
                b']' => class = false,
                b'/' if !class || parts > 1 => {
                    left -= 1;
                    if left == 0 {
                        self.at = at + 1;
                        return true;
                    }
                }
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// `irm https://…`: a command line takes an address without quotation marks.
    fn bare_address(&mut self, start: usize) -> bool {
        let rest = &self.text[start..];
        if !(rest.starts_with("https://") || rest.starts_with("http://")) {
            return false;
        }
        let is_end = |c: char| c.is_whitespace() || "|);,\"'`".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        self.push(Token::Text(rest[..end].to_owned()), start);
        self.at = start + end;
        true
    }

    fn push(&mut self, token: Token, at: usize) {
        let column = at.saturating_sub(self.line_start);
        self.out.push(Spot { token, at, column });
    }

    fn run(&mut self) {
        use Language::{Batch, Go, JavaScript, Lua, Perl, Php, PowerShell, Python, Ruby};
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
                    if self.text[self.at..].starts_with("--[[") {
                        self.skip_past("]]");
                    } else {
                        self.skip_line();
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
                b'/' | b'm' | b's' | b'q' | b'y' | b't'
                    if matches!(self.language, Perl | Ruby) && self.matched() => {}
                b'/' if self.language == JavaScript && self.pattern() => {}
                b'"' | b'\'' => self.string(c),
                b'`' if matches!(self.language, JavaScript) => self.string(c),
                b'`' if matches!(self.language, Go) => {
                    let end = self.text[self.at + 1..]
                        .find('`')
                        .map_or(self.bytes.len(), |i| self.at + 1 + i);
                    self.push(Token::Text(self.text[self.at + 1..end].to_owned()), start);
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'`' if matches!(self.language, Ruby | Perl | Php) => {
                    let end = self.text[self.at + 1..]
                        .find('`')
                        .map_or(self.bytes.len(), |i| self.at + 1 + i);
                    let inner = self.text[self.at + 1..end].to_owned();
                    self.push(Token::Name("qx".to_owned()), start);
                    self.push(Token::Op('('), start);
                    self.push(Token::Text(inner.clone()), start);
                    self.interpolate(&inner, start);
                    self.push(Token::Op(')'), start);
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'[' if self.language == Lua && self.peek(1) == b'[' => {
                    let end =
                        self.text[self.at..].find("]]").map_or(self.bytes.len(), |i| self.at + i);
                    self.push(
                        Token::Text(self.text[(self.at + 2).min(end)..end].to_owned()),
                        start,
                    );
                    self.at = (end + 2).min(self.bytes.len());
                }
                b'%' if self.language == Ruby
                    && matches!(self.peek(1), b'x' | b'q' | b'Q' | b'w')
                    && matches!(self.peek(2), b'(' | b'{' | b'[') =>
                {
                    let close = match self.peek(2) {
                        b'(' => ')',
                        b'{' => '}',
                        _ => ']',
                    };
                    let end = self.text[self.at + 3..]
                        .find(close)
                        .map_or(self.bytes.len(), |i| self.at + 3 + i);
                    let inner = self.text[(self.at + 3).min(end)..end].to_owned();
                    let runs = self.peek(1) == b'x';
                    if self.peek(1) == b'w' {
                        self.push(Token::Op('['), start);
                        for word in inner.split_whitespace() {
                            self.push(Token::Text(word.to_owned()), start);
                            self.push(Token::Op(','), start);
                        }
                        self.push(Token::Op(']'), start);
                        self.at = (end + 1).min(self.bytes.len());
                        continue;
                    }
                    if runs {
                        self.push(Token::Name("qx".to_owned()), start);
                        self.push(Token::Op('('), start);
                    }
                    self.push(Token::Text(inner.clone()), start);
                    self.interpolate(&inner, start);
                    if runs {
                        self.push(Token::Op(')'), start);
                    }
                    self.at = (end + 1).min(self.bytes.len());
                }
                b'[' if self.language == PowerShell && self.static_member(start) => {}
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

    /// `[Type]::Member` as one name.
    fn static_member(&mut self, start: usize) -> bool {
        let rest = &self.text[self.at + 1..];
        let length = rest
            .bytes()
            .take(80)
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_'))
            .count();
        let Some(member) = rest.get(length..).and_then(|tail| tail.strip_prefix("]::")) else {
            return false;
        };
        let name =
            member.bytes().take(80).take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
        if length == 0 || name == 0 {
            return false;
        }
        let full = format!("{}.{}", &rest[..length], &member[..name]);
        self.at += 1 + length + 3 + name;
        self.push(Token::Name(full), start);
        true
    }

    /// `qx(…)`, `qq{…}`, `q[…]`.
    fn perl_quote(&mut self, start: usize) -> bool {
        let rest = &self.text[self.at..];
        let kind = if rest.starts_with("qx") {
            "qx"
        } else if rest.starts_with("qq") {
            "qq"
        } else {
            "q"
        };
        let before = start.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        let Some(open) = rest[kind.len()..].chars().next() else { return false };
        let close = match open {
            '(' => ')',
            '{' => '}',
            '[' => ']',
            '<' => '>',
            '/' | '!' | '|' => open,
            _ => return false,
        };
        if before.is_ascii_alphanumeric() || matches!(before, b'_' | b'$' | b'%' | b'@') {
            return false;
        }
        let from = kind.len() + open.len_utf8();
        let end = rest[from..].find(close).map_or(rest.len(), |i| from + i);
        let inner = rest[from..end].to_owned();
        self.at = (self.at + end + close.len_utf8()).min(self.bytes.len());
        if kind == "qx" {
            // A call, so that what is put into it is seen as its argument.
            self.push(Token::Name("qx".to_owned()), start);
            self.push(Token::Op('('), start);
            self.push(Token::Text(inner.clone()), start);
            self.interpolate(&inner, start);
            self.push(Token::Op(')'), start);
        } else {
            self.push(Token::Text(inner.clone()), start);
            if kind == "qq" {
                self.interpolate(&inner, start);
            }
        }
        true
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

    fn sigil(&self) -> bool {
        let next = self.peek(1);
        let variable = is_name(next)
            || next == b'{' && self.bytes[self.at] == b'$' && self.language == Language::PowerShell
            || next == b'$';
        variable
            && matches!(
                self.language,
                Language::Perl
                    | Language::Php
                    | Language::PowerShell
                    | Language::Ruby
                    | Language::JavaScript
                    | Language::Batch
            )
            && (self.bytes[self.at] != b'%'
                || self.language == Language::Perl
                || self.language == Language::Batch)
    }

    /// A name with everything that dots, colons and arrows join to it.
    fn name(&mut self) {
        let start = self.at;
        let mut name = String::new();
        // A prefix such as f"…", r'…', b"…" belongs to the string.
        if self.language == Language::Python {
            let letters = self.bytes[self.at..]
                .iter()
                .take(3)
                .take_while(|b| b.is_ascii_alphabetic())
                .count();
            if letters <= 2
                && matches!(self.peek(letters), b'"' | b'\'')
                && self.text[self.at..self.at + letters]
                    .bytes()
                    .all(|b| matches!(b.to_ascii_lowercase(), b'f' | b'r' | b'b' | b'u'))
                && letters > 0
            {
                self.at += letters;
                let quote = self.peek(0);
                self.string(quote);
                return;
            }
        }
        loop {
            while matches!(self.peek(0), b'$' | b'@' | b'%' | b'{')
                && (name.is_empty() || name.ends_with('.'))
                && (self.peek(0) != b'{'
                    || self.language == Language::PowerShell && self.at > start)
            {
                self.at += 1;
            }
            let from = self.at;
            while is_name(self.peek(0))
                || self.peek(0).is_ascii_digit()
                || self.peek(0) == b'-'
                    && matches!(self.language, Language::PowerShell)
                    && self.peek(1).is_ascii_alphabetic()
                    && !self.bytes[start].eq(&b'$')
            {
                self.at += 1;
            }
            name.push_str(&self.text[from..self.at]);
            if self.peek(0) == b'}'
                && self.language == Language::PowerShell
                && self.bytes[start] == b'$'
                && self.text[start..self.at].contains('{')
            {
                self.at += 1;
            }
            // `$env:NAME`
            if self.language == Language::PowerShell
                && self.peek(0) == b':'
                && self.peek(1) != b':'
                && name.eq_ignore_ascii_case("env")
            {
                name.push(':');
                self.at += 1;
                continue;
            }
            let mut ahead = 0;
            // Chains go on after a line end in the languages that write them so.
            if self.language == Language::JavaScript || self.language == Language::Ruby {
                let rest = self.text[self.at..].trim_start();
                let skipped = self.text.len() - self.at - rest.len();
                if skipped > 0
                    && skipped < 200
                    && rest.starts_with('.')
                    && rest.as_bytes().get(1).is_some_and(|b| is_name(*b))
                    && self.text[self.at..self.at + skipped].contains('\n')
                {
                    ahead = skipped;
                }
            }
            let joined = match (self.peek(ahead), self.peek(ahead + 1)) {
                (b'.', c) if is_name(c) => 1,
                (b'?', b'.') => 2,
                (b':', b':')
                    if !matches!(self.language, Language::Python | Language::JavaScript) =>
                {
                    2
                }
                (b'-', b'>')
                    if matches!(self.language, Language::Php | Language::Perl)
                        && is_name(self.peek(ahead + 2)) =>
                {
                    2
                }
                (b':', c) if self.language == Language::Lua && is_name(c) => 1,
                _ => 0,
            };
            if joined == 0
                || !is_name(self.peek(ahead + joined)) && self.peek(ahead + joined) != b'$'
            {
                break;
            }
            self.at += ahead + joined;
            name.push('.');
        }
        if self.at == start {
            self.at += 1;
        }
        if !name.is_empty() {
            self.push(Token::Name(name), start);
        }
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        let triple =
            self.language == Language::Python && self.peek(1) == quote && self.peek(2) == quote;
        let before = start.checked_sub(1).map_or(0, |i| self.bytes[i]);
        let raw = before.eq_ignore_ascii_case(&b'r') && self.language == Language::Python;
        let formatted = before.eq_ignore_ascii_case(&b'f') && self.language == Language::Python
            || start >= 2
                && self.language == Language::Python
                && self.bytes[start - 2].eq_ignore_ascii_case(&b'f')
                && before.is_ascii_alphabetic();
        self.at += if triple { 3 } else { 1 };
        let mut value = String::new();
        let from = self.at;
        while self.at < self.bytes.len() {
            let c = self.bytes[self.at];
            if triple {
                if c == quote && self.peek(1) == quote && self.peek(2) == quote {
                    break;
                }
            } else if c == quote {
                // '' inside '…' is a quote in PowerShell.
                if self.language == Language::PowerShell && self.peek(1) == quote {
                    self.at += 1;
                } else {
                    break;
                }
            } else if c == b'\n'
                && quote != b'`'
                && !matches!(
                    self.language,
                    Language::Perl | Language::Php | Language::PowerShell | Language::Ruby
                )
            {
                break;
            }
            if c == b'\\'
                && !raw
                && self.language != Language::PowerShell
                && self.language != Language::Batch
            {
                self.escape(&mut value);
                continue;
            }
            let width = self.text[self.at..].chars().next().map_or(1, char::len_utf8);
            value.push_str(&self.text[self.at..self.at + width]);
            self.at += width;
        }
        let inner = self.text[from..self.at.min(self.bytes.len())].to_owned();
        self.at = (self.at + if triple { 3 } else { 1 }).min(self.bytes.len());
        if triple {
            self.line_start = self.text[..self.at].rfind('\n').map_or(0, |i| i + 1);
        }
        // Escapes for letters that need none hide them from a reader.
        let hidden = inner.matches("\\x").count() + inner.matches("\\u00").count();
        self.push(Token::Text(value), start);
        if hidden >= 6 {
            self.push(Token::Name(ESCAPED.to_owned()), start);
        }
        let interpolates = match self.language {
            Language::Python => formatted,
            Language::JavaScript => quote == b'`',
            Language::Ruby | Language::Perl | Language::Php | Language::PowerShell => quote == b'"',
            _ => false,
        };
        if interpolates {
            self.interpolate(&inner, start);
        }
    }

    fn escape(&mut self, value: &mut String) {
        let next = self.peek(1);
        let hex = |from: usize, length: usize| {
            self.text
                .get(self.at + from..self.at + from + length)
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .and_then(char::from_u32)
        };
        let (c, length) = match next {
            b'n' => (Some('\n'), 2),
            b't' => (Some('\t'), 2),
            b'x' => (hex(2, 2), 4),
            b'u' => (hex(2, 4), 6),
            b'\n' => (None, 2),
            c if c < 0x80 => (Some(char::from(c)), 2),
            _ => (None, 1),
        };
        if let Some(c) = c.filter(|c| *c != '\0') {
            value.push(c);
        }
        self.at += length;
        while self.at < self.bytes.len() && !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    /// The code inside `{…}`, `${…}`, `#{…}`, `$name` of a string, in parentheses of its own.
    fn interpolate(&mut self, inner: &str, at: usize) {
        if self.depth >= MAX_INTERPOLATION {
            return;
        }
        let bytes = inner.as_bytes();
        let mut i = 0;
        while i < bytes.len() {
            let open = match self.language {
                Language::Python if bytes[i] == b'{' && bytes.get(i + 1) != Some(&b'{') => {
                    Some(i + 1)
                }
                Language::JavaScript if bytes[i] == b'$' && bytes.get(i + 1) == Some(&b'{') => {
                    Some(i + 2)
                }
                Language::Ruby if bytes[i] == b'#' && bytes.get(i + 1) == Some(&b'{') => {
                    Some(i + 2)
                }
                Language::PowerShell if bytes[i] == b'$' && bytes.get(i + 1) == Some(&b'(') => {
                    Some(i + 2)
                }
                _ => None,
            };
            if let Some(from) = open {
                let close = if self.language == Language::PowerShell { b')' } else { b'}' };
                let opener = if close == b')' { b'(' } else { b'{' };
                let mut depth = 1;
                let mut end = from;
                while end < bytes.len() && depth > 0 {
                    if bytes[end] == opener {
                        depth += 1;
                    } else if bytes[end] == close {
                        depth -= 1;
                    }
                    end += 1;
                }
                let code = &inner[from..end.saturating_sub(1).max(from)];
                self.sub(code, at);
                i = end.max(i + 1);
            } else if matches!(self.language, Language::Perl | Language::Php | Language::PowerShell)
                && bytes[i] == b'$'
                && bytes.get(i + 1).is_some_and(|b| is_name(*b) || *b == b'{')
            {
                let rest = &inner[i + 1..];
                let length = rest
                    .bytes()
                    .take_while(|b| {
                        is_name(*b) || b.is_ascii_digit() || matches!(b, b'{' | b'}' | b':')
                    })
                    .count();
                self.sub(&inner[i..i + 1 + length], at);
                i += 1 + length;
            } else {
                i += 1;
            }
        }
    }

    fn sub(&mut self, code: &str, at: usize) {
        let mut inner = Lexer {
            text: code,
            bytes: code.as_bytes(),
            at: 0,
            line_start: 0,
            language: self.language,
            out: Vec::new(),
            depth: self.depth + 1,
        };
        inner.run();
        for spot in inner.out {
            if spot.token != Token::Line {
                self.push(spot.token, at);
            }
        }
    }

    fn heredoc(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let tag: String = rest
            .trim_start_matches(['<', '-', '~', '"', '\'', ' '])
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let opener = rest.len() - rest.trim_start_matches(['<', '-', '~', '"', '\'', ' ']).len();
        if tag.len() < 2 || !tag.chars().next().is_some_and(|c| c.is_ascii_uppercase()) {
            self.push(Token::Op('<'), start);
            self.at += 2;
            return;
        }
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let body_start = line_end + 1;
        let mut end = rest.len();
        let mut after = rest.len();
        let mut at = body_start;
        for line in rest.get(body_start..).unwrap_or_default().split_inclusive('\n') {
            if line.trim().trim_end_matches(';') == tag {
                end = at;
                after = at + line.len();
                break;
            }
            at += line.len();
        }
        let body = rest.get(body_start..end.max(body_start)).unwrap_or_default().to_owned();
        self.push(Token::Text(body.clone()), start);
        self.interpolate(&body, start);
        // The rest of the opening line first, then on after the body.
        let tail = rest
            .get(opener + tag.len()..line_end)
            .unwrap_or_default()
            .trim_matches(['"', '\''])
            .to_owned();
        self.sub(&tail, start);
        let next = self.at + after;
        self.push(Token::Line, start);
        self.at = next.min(self.bytes.len());
        self.line_start = self.at;
    }
}

fn is_name(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, language: Language) -> Vec<String> {
        lex(text, language)
            .into_iter()
            .filter_map(|spot| match spot.token {
                Token::Name(name) => Some(name),
                Token::Text(text) => Some(format!("'{text}'")),
                Token::Op(c) => Some(c.to_string()),
                Token::Number => Some("0".into()),
                Token::Line => None,
            })
            .collect()
    }

    #[test]
    fn names_are_joined_and_strings_opened() {
        assert_eq!(
            shown("x = os.environ['A'] # no\n", Language::Python),
            ["x", "=", "os.environ", "[", "'A'", "]"]
        );
        assert_eq!(shown("f\"a{b.c}d\"", Language::Python), ["'a{b.c}d'", "b.c"]);
        assert_eq!(
            shown("`u/${process.env.K}`", Language::JavaScript),
            ["'u/${process.env.K}'", "process.env.K"]
        );
        assert_eq!(
            shown("$c->post($ENV{X});", Language::Perl),
            ["c.post", "(", "ENV", "{", "X", "}", ")", ";"]
        );
        assert_eq!(
            shown("Invoke-RestMethod -Body $env:KEY", Language::PowerShell),
            ["Invoke-RestMethod", "-", "Body", "env:KEY"]
        );
        assert_eq!(
            shown("Net::HTTP.get(u) # x\n", Language::Ruby),
            ["Net.HTTP.get", "(", "u", ")"]
        );
        assert_eq!(shown("a /* x */ 'it\\'s' // y", Language::JavaScript), ["a", "'it's'"]);
        assert_eq!(shown("'''a\nb''' + c", Language::Python), ["'a\nb'", "+", "c"]);
    }

    #[test]
    fn unfinished_and_odd_texts_end() {
        for text in ["'", "\"\\", "`${", "f\"{", "<<EOT\n", "$", "/*", "é́'é"] {
            for language in [
                Language::Python,
                Language::JavaScript,
                Language::Ruby,
                Language::Perl,
                Language::PowerShell,
                Language::Php,
                Language::Go,
                Language::Lua,
                Language::Batch,
            ] {
                lex(text, language);
            }
        }
    }
}
