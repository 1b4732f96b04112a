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

    /// Passes over patterns of Perl and Ruby, `=~ /…/`, `split /…/`, `s{…}{…}`, `%r{…}`: a quotation mark
    /// in a pattern opens no string.
    fn matched(&mut self) -> bool {
        let is = |back: usize, op: char| {
            self.out.len().checked_sub(back).and_then(|i| self.out.get(i)).map(|spot| &spot.token)
                == Some(&Token::Op(op))
        };
        let rest = &self.bytes[self.at..];
        let before = self.at.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        let letters = rest.iter().take(2).take_while(|b| b.is_ascii_lowercase()).count();
        let word = &rest[..letters];
        let open = rest.get(letters).copied().unwrap_or(0);
        if letters == 0 {
            return self.starts_pattern() && self.skip_pattern(self.at, 1);
        }
        let binds = is(1, '~') && (is(2, '=') || is(2, '!'));
        let parts = if matches!(word, b"s" | b"y" | b"tr") { 2 } else { 1 };
        // A key or a method may have such a name.
        let alone = !before.is_ascii_alphanumeric() && !b"_$@%&->{".contains(&before);
        let known = match self.language {
            Language::Perl => matches!(word, b"m" | b"qr" | b"s" | b"y" | b"tr") && alone,
            _ => false,
        };
        match open {
            b'{' | b'(' | b'[' if known && (binds || matches!(word, b"m" | b"qr")) => (0..parts)
                .all(|_| {
                    let open = self.bytes[self.at..]
                        .iter()
                        .take(4)
                        .position(|b| matches!(b, b'{' | b'(' | b'['));
                    open.is_some_and(|open| self.skip_brackets(self.at + open))
                }),
            b'/' if binds || known => self.skip_pattern(self.at + letters, parts),
            b'|' | b'!' | b'#' | b',' if known && binds => {
                self.skip_pattern(self.at + letters, parts)
            }
            _ => false,
        }
    }

    /// Whether a slash opens a pattern of Perl or Ruby: no value stands before it.
    fn starts_pattern(&self) -> bool {
        let Some(last) = self.out.last() else { return true };
        let next = self.peek(1);
        let spaced = self.at.checked_sub(1).is_some_and(|i| self.bytes[i] == b' ');
        match &last.token {
            Token::Line => true,
            Token::Op(op) => "(,=:[!&|?{};~>".contains(*op) && !(*op == '}' && next == b' '),
            // split /x/, when /x/: a variable would be divided.
            Token::Name(name) => {
                spaced
                    && !matches!(next, b' ' | b'=' | b'/')
                    && !b"$@%".contains(&self.bytes[last.at])
                    && name.bytes().all(|b| b.is_ascii_lowercase() || b"_.".contains(&b))
            }
            _ => false,
        }
    }

    /// Goes behind the bracket that closes one, if that is on the line.
    fn skip_brackets(&mut self, open: usize) -> bool {
        let close = closing(self.bytes[open]);
        let mut depth = 0_usize;
        let mut at = open;
        while let Some(b) = self.bytes.get(at).filter(|b| **b != b'\n') {
            match *b {
                b'\\' => at += 1,
                b if b == self.bytes[open] => depth += 1,
                b if b == close => depth = depth.saturating_sub(1),
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
            Some(Token::Op(op)) => "(,=:[!&|?{};>+*%^~".contains(*op),
            Some(Token::Name(name)) => {
                matches!(
                    name.as_str(),
                    "return"
                        | "typeof"
                        | "case"
                        | "in"
                        | "of"
                        | "else"
                        | "await"
                        | "yield"
                        | "throw"
                )
            }
            _ => false,
        };
        let start = self.at;
        let skipped = opens && self.skip_pattern(start, 1);
        // `/a/.exec(text)` is a method of the pattern, and not the function of that name.
        if skipped {
            let flags = self.bytes[self.at..].iter().take_while(|b| b.is_ascii_lowercase()).count();
            if self.bytes.get(self.at + flags) == Some(&b'.') {
                self.at += flags;
                self.out.push(Spot { token: Token::Text(String::new()), at: start, column: 0 });
            }
        }
        skipped
    }

    /// Goes behind so many parts of a pattern that opens at a mark, if they end on the line.
    fn skip_pattern(&mut self, open: usize, parts: usize) -> bool {
        let mark = self.bytes[open];
        let mut left = parts;
        let mut class = false;
        let mut at = open + 1;
        while let Some(b) = self.bytes.get(at).filter(|b| **b != b'\n') {
            match b {
                b'\\' => at += 1,
                b'[' if mark == b'/' => class = true,
                b']' => class = false,
                b if *b == mark && (!class || parts > 1) => {
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

    /// `~/.ssh/id_rsa`, `.\data.txt`, and what follows in `$HOME\.aws\credentials`: a path without quotes.
    fn bare_path(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let is_end = |c: char| c.is_whitespace() || "|);,\"'`}{(&<>$".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let path = rest[..end].replace('\\', "/");
        self.push(Token::Text(path), start);
        self.at += end;
    }

    /// Whether a path begins here that stands without quotes, after a blank.
    fn is_bare_path(&self) -> bool {
        let before = self.at.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        let begins = matches!((self.peek(0), self.peek(1)), (b'~', b'/' | b'\\') | (b'.', b'\\'));
        matches!(before, b' ' | b'(' | b'\t') && begins && self.peek(2) > b' '
    }

    fn push(&mut self, token: Token, at: usize) {
        let column = at.saturating_sub(self.line_start);
        self.out.push(Spot { token, at, column });
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
                b'[' if self.language == Lua && self.long_bracket(0).is_some() => {
                    let (length, close) = self.long_bracket(0).unwrap_or_default();
                    let from = self.at + length;
                    let end = self.text[from..].find(&close).map_or(self.bytes.len(), |i| from + i);
                    self.push(Token::Text(self.text[from..end].to_owned()), start);
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

    /// `?'` of Ruby: one character, where a value may begin.
    fn is_character(&self) -> bool {
        let opens = match self.out.last().map(|spot| &spot.token) {
            None | Some(Token::Line) => true,
            Some(Token::Op(op)) => "(,=[{|&<>+".contains(*op),
            _ => false,
        };
        opens
            && matches!(self.peek(1), b'"' | b'\'' | b'`' | b'#')
            && !is_name(self.peek(2))
            && !self.peek(2).is_ascii_digit()
    }

    /// `[[`, `[==[` of Lua so far ahead: how long it is, and what closes it.
    fn long_bracket(&self, ahead: usize) -> Option<(usize, String)> {
        const MOST: usize = 16;
        if self.peek(ahead) != b'[' {
            return None;
        }
        let level = (1..MOST).take_while(|i| self.peek(ahead + i) == b'=').count();
        (self.peek(ahead + 1 + level) == b'[')
            .then(|| (ahead + level + 2, format!("]{}]", "=".repeat(level))))
    }

    /// `%x(…)`, `%q{…}`, `%w[…]`, `%r{…}`, `%(…)` of Ruby.
    fn percent(&mut self, start: usize) -> bool {
        let kind = self.peek(1);
        let letter = matches!(kind, b'x' | b'q' | b'Q' | b'w' | b'W' | b'i' | b'I' | b'r' | b's');
        let open = self.peek(1 + usize::from(letter));
        let value = matches!(
            self.out.last().map(|spot| &spot.token),
            Some(Token::Name(_) | Token::Text(_) | Token::Number | Token::Op(')' | ']' | '}'))
        );
        let bracket = matches!(open, b'(' | b'{' | b'[' | b'<');
        // 5 %(x): a remainder.
        if !(bracket || letter && matches!(open, b'|' | b'!' | b'/')) || value && !letter {
            return false;
        }
        let from = self.at + 2 + usize::from(letter);
        let close = closing(open);
        let mut depth = 1_usize;
        let mut end = from;
        while let Some(b) = self.bytes.get(end) {
            match *b {
                b'\\' => end += 1,
                b if b == close => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b if b == open => depth += 1,
                _ => {}
            }
            end += 1;
        }
        let mut end = end.min(self.bytes.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        let inner = self.text[from.min(end)..end].to_owned();
        self.at = (end + 1).min(self.bytes.len());
        match kind {
            b'r' => {}
            b'w' | b'W' | b'i' | b'I' => {
                self.push(Token::Op('['), start);
                for word in inner.split_whitespace() {
                    self.push(Token::Text(word.to_owned()), start);
                    self.push(Token::Op(','), start);
                }
                self.push(Token::Op(']'), start);
            }
            b'x' => {
                self.push(Token::Name("qx".to_owned()), start);
                self.push(Token::Op('('), start);
                self.push(Token::Text(inner.clone()), start);
                self.interpolate(&inner, start);
                self.push(Token::Op(')'), start);
            }
            _ => {
                self.push(Token::Text(inner.clone()), start);
                self.interpolate(&inner, start);
            }
        }
        true
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
        } else if rest.starts_with("qw") {
            "qw"
        } else if rest.starts_with("qq") {
            "qq"
        } else {
            "q"
        };
        let before = start.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        // qw (…): a space may stand between.
        let rest = if kind == "qw" && rest[2..].starts_with(" (") {
            self.at += 1;
            &rest[1..]
        } else {
            rest
        };
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
        if kind == "qw" {
            self.push(Token::Op('('), start);
            for word in inner.split_whitespace() {
                self.push(Token::Text(word.to_owned()), start);
                self.push(Token::Op(','), start);
            }
            self.push(Token::Op(')'), start);
        } else if kind == "qx" {
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
                (b'\\', c) if self.language == Language::Php && is_name(c) => 1,
                (b'.', b'#') if self.language == Language::JavaScript => 2,
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
            // $HOME\.aws\credentials, $env:APPDATA\x: joined to what the name stands for.
            if self.language == Language::PowerShell
                && self.bytes[start] == b'$'
                && matches!(self.peek(0), b'\\' | b'/')
                && (is_name(self.peek(1)) || self.peek(1) == b'.')
            {
                let at = self.at;
                self.push(Token::Op('+'), at);
                self.bare_path(at);
            }
            // fetch?.(address), table?.[key]: called or indexed, if it is there at all.
            if self.language == Language::JavaScript
                && (self.peek(0), self.peek(1)) == (b'?', b'.')
                && matches!(self.peek(2), b'(' | b'[')
            {
                self.at += 2;
            }
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
            // "#{h["x"]}", `${`x`}`, f"{d["x"]}": quotation marks of the code inside.
            let opens = match self.language {
                Language::JavaScript => quote == b'`' && c == b'$' && self.peek(1) == b'{',
                Language::Ruby => quote == b'"' && c == b'#' && self.peek(1) == b'{',
                Language::Php => quote == b'"' && c == b'{' && self.peek(1) == b'$',
                Language::Python => formatted && c == b'{',
                _ => false,
            };
            if opens && self.language == Language::Python && self.peek(1) == b'{' {
                value.push_str("{{");
                self.at += 2;
                continue;
            }
            if opens && let Some(end) = self.code_end() {
                value.push_str(&self.text[self.at..end]);
                self.at = end;
                continue;
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
            let last = self.text[start..self.at].rfind('\n');
            self.line_start = last.map_or(self.line_start, |i| start + i + 1);
        }
        // Escapes for letters that need none hide them from a reader.
        let hidden = inner.matches("\\x").count()
            + inner.matches("\\u00").count()
            + inner.matches("\\u{").count()
            + inner.as_bytes().windows(3).filter(|w| is_numbered(w)).count();
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

    /// Where the code in braces inside a string ends, with the strings in it passed over.
    fn code_end(&self) -> Option<usize> {
        const LONGEST: usize = 512;
        let mut depth = 0_usize;
        let mut inside: Option<u8> = None;
        let end = self.bytes.len().min(self.at + LONGEST);
        let mut at = self.at;
        while at < end {
            let b = self.bytes[at];
            match inside {
                Some(_) if b == b'\\' => at += 1,
                Some(quote) if b == quote => inside = None,
                // A mark without its like: what is read here is no code.
                Some(_) if b == b'\n' => return None,
                Some(_) => {}
                None => match b {
                    b'"' | b'\'' => inside = Some(b),
                    b'`' if self.language == Language::JavaScript => inside = Some(b),
                    b'{' => depth += 1,
                    b'}' => {
                        depth -= 1;
                        if depth == 0 {
                            return Some(at + 1);
                        }
                    }
                    b'\n' if self.language == Language::Python => return None,
                    _ => {}
                },
            }
            at += 1;
        }
        None
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
            b'u' if self.peek(2) == b'{' => {
                let length = (3..10).take_while(|i| self.peek(*i).is_ascii_hexdigit()).count();
                (hex(3, length), length + 4)
            }
            b'u' => (hex(2, 4), 6),
            b'0'..=b'9' => {
                let most = if next == b'0' && self.language != Language::Lua { 4 } else { 3 };
                let length =
                    (1..=most).take_while(|i| self.peek(*i).is_ascii_digit()).count().max(1);
                let base = if self.language == Language::Lua { 10 } else { 8 };
                let digits = &self.text[self.at + 1..self.at + 1 + length];
                let number = u32::from_str_radix(digits, base).ok();
                (number.and_then(char::from_u32).or(Some(char::from(next))), length + 1)
            }
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
                && (bytes[i] == b'$' || bytes[i] == b'@' && self.language == Language::Perl)
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

    /// Takes the texts of further tags on a line; gives the line without them, and where they end.
    fn more_heredocs(
        &mut self,
        mut tail: String,
        rest: &str,
        mut after: usize,
        start: usize,
    ) -> (String, usize) {
        const MOST: usize = 4;
        for _ in 0..MOST {
            let Some(open) = tail.find("<<") else { break };
            let marks = tail[open..].trim_start_matches(['<', '-', '~', '"', '\'']);
            let from = tail.len() - marks.len();
            let tag: String =
                marks.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            let below = rest.get(after..).unwrap_or_default();
            let mut at = 0;
            let end = below.split_inclusive('\n').find_map(|line| {
                let start = at;
                at += line.len();
                (line.trim() == tag).then_some((start, at))
            });
            let Some((end, next)) = end.filter(|_| !tag.is_empty()) else { break };
            let body = below[..end].to_owned();
            self.push(Token::Text(body.clone()), start);
            self.interpolate(&body, start);
            after += next;
            tail = format!(
                "{} {}",
                &tail[..open],
                tail[from + tag.len()..].trim_start_matches(['"', '\''])
            );
        }
        (tail, after)
    }

    fn heredoc(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let tag: String = rest
            .trim_start_matches(['<', '-', '~', '"', '\'', ' '])
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let opener = rest.len() - rest.trim_start_matches(['<', '-', '~', '"', '\'', ' ']).len();
        // arr <<x appends; <<x with its end somewhere below is a text.
        let marked = rest[2..].starts_with(['~', '"', '\''])
            || rest.starts_with("<<-") && self.language == Language::Ruby;
        let upper = tag.chars().next().is_some_and(|c| c.is_ascii_uppercase());
        let ends = || {
            const FAR: usize = 16 * 1024;
            let near = &rest[..crate::scan::text::floor(rest, FAR)];
            near.lines().skip(1).any(|line| line.trim().trim_end_matches(';') == tag)
        };
        // parts << ENV.to_h
        let apart = rest[2..].starts_with(' ')
            && !(self.language == Language::Perl
                && rest[2..].trim_start().starts_with(['"', '\'']));
        if tag.len() < 2 && !marked
            || apart
            || tag.is_empty()
            || !(upper || marked || self.language == Language::Perl)
            || !upper && !ends()
        {
            self.push(Token::Op('<'), start);
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
            let bare = line.trim();
            // PHP goes on behind the tag.
            let goes_on = self.language == Language::Php
                && bare
                    .strip_prefix(tag.as_str())
                    .is_some_and(|more| more.starts_with([')', ',', ']', '.']));
            if goes_on {
                end = at;
                after = at + line.find(tag.as_str()).unwrap_or(0) + tag.len();
                break;
            }
            if bare.trim_end_matches(';') == tag {
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
        // f(<<A, <<B): the next text follows on the first.
        let (tail, after) = self.more_heredocs(tail, rest, after, start);
        self.sub(&tail, start);
        let next = self.at + after;
        self.push(Token::Line, start);
        self.at = next.min(self.bytes.len());
        self.line_start = self.at;
    }
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

/// `\163`: a character by its number.
fn is_numbered(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\\', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
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
