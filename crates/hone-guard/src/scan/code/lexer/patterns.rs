//! Regular expressions that stand in code between slashes or other marks: they are passed over, since
//! a quotation mark in a pattern opens no string. A slash that divides is told from one that opens.

use super::{Lexeme, Lexer, Token, closing};
use crate::scan::kind::Language;

impl Lexer<'_> {
    /// Passes over patterns of Perl and Ruby, `=~ /…/`, `split /…/`, `s{…}{…}`, `%r{…}`: a quotation mark
    /// in a pattern opens no string.
    pub(super) fn matched(&mut self) -> bool {
        let is = |back: usize, op: char| {
            self.out
                .len()
                .checked_sub(back)
                .and_then(|i| self.out.get(i))
                .map(|lexeme| &lexeme.token)
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
                    && !b"$@%".contains(&self.bytes[last.at()])
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
    pub(super) fn pattern(&mut self) -> bool {
        let opens = match self.out.last().map(|lexeme| &lexeme.token) {
            None | Some(Token::Line) => true,
            Some(Token::Op(op)) => "(,=:[!&|?{};>+*%^~".contains(*op),
            Some(Token::Name(name)) => {
                matches!(
                    &**name,
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
                self.out.push(Lexeme::new(Token::Text("".into()), start, 0));
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
}
