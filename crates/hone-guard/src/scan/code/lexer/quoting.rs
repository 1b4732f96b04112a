//! Other ways to quote than quotation marks: `%q(…)` of Ruby, `qx{…}` of Perl, `[==[…]==]` of Lua. Those that
//! run what they quote become a call of it.

use super::{Lexer, Token, closing, is_name};

impl Lexer<'_> {
    /// `?'` of Ruby: one character, where a value may begin.
    pub(super) fn is_character(&self) -> bool {
        let opens = match self.out.last().map(|lexeme| &lexeme.token) {
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
    pub(super) fn long_bracket(&self, ahead: usize) -> Option<(usize, String)> {
        const MOST: usize = 16;
        if self.peek(ahead) != b'[' {
            return None;
        }
        let level = (1..MOST).take_while(|i| self.peek(ahead + i) == b'=').count();
        (self.peek(ahead + 1 + level) == b'[')
            .then(|| (ahead + level + 2, format!("]{}]", "=".repeat(level))))
    }

    /// `%x(…)`, `%q{…}`, `%w[…]`, `%r{…}`, `%(…)` of Ruby.
    pub(super) fn percent(&mut self, start: usize) -> bool {
        let kind = self.peek(1);
        let letter = matches!(kind, b'x' | b'q' | b'Q' | b'w' | b'W' | b'i' | b'I' | b'r' | b's');
        let open = self.peek(1 + usize::from(letter));
        let value = matches!(
            self.out.last().map(|lexeme| &lexeme.token),
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
                    self.push(Token::Text(word.into()), start);
                    self.push(Token::Op(','), start);
                }
                self.push(Token::Op(']'), start);
            }
            b'x' => {
                self.push_name("qx", start);
                self.push(Token::Op('('), start);
                self.push(Token::Text(inner.as_str().into()), start);
                self.interpolate(&inner, start);
                self.push(Token::Op(')'), start);
            }
            _ => {
                self.push(Token::Text(inner.as_str().into()), start);
                self.interpolate(&inner, start);
            }
        }
        true
    }

    /// `qx(…)`, `qq{…}`, `q[…]`.
    pub(super) fn perl_quote(&mut self, start: usize) -> bool {
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
                self.push(Token::Text(word.into()), start);
                self.push(Token::Op(','), start);
            }
            self.push(Token::Op(')'), start);
        } else if kind == "qx" {
            // A call, so that what is put into it is seen as its argument.
            self.push_name("qx", start);
            self.push(Token::Op('('), start);
            self.push(Token::Text(inner.as_str().into()), start);
            self.interpolate(&inner, start);
            self.push(Token::Op(')'), start);
        } else {
            self.push(Token::Text(inner.as_str().into()), start);
            if kind == "qq" {
                self.interpolate(&inner, start);
            }
        }
        true
    }
}
