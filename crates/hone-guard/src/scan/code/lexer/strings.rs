//! Strings between quotation marks: where they end, what their escapes say, and whether they are written
//! in escapes. A string that is not closed ends with its line or with the text.

use super::{ESCAPED, Lexer, Token};
use crate::scan::kind::Language;

impl Lexer<'_> {
    pub(super) fn string(&mut self, quote: u8) {
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
        // Escapes for letters that need none hide them from a reader.
        let hidden = letters_behind(&inner, "\\x")
            + letters_behind(&inner, "\\u00")
            + letters_behind(&inner, "\\u{")
            + inner.as_bytes().windows(3).filter(|w| is_numbered(w)).count();
        self.push(Token::Text(value.into()), start);
        if hidden >= 6 {
            self.push_name(ESCAPED, start);
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
        // It stands where it begins; what comes behind it, in the line that it ends in.
        if triple {
            let last = self.text[start..self.at].rfind('\n');
            self.line_start = last.map_or(self.line_start, |i| start + i + 1);
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
}

/// Escapes that begin so and stand for what could have been written as it is: not the bytes of a picture.
fn letters_behind(text: &str, opening: &str) -> usize {
    let is_letter = |(at, _): &(usize, &str)| {
        let digits = text[at + opening.len()..].trim_start_matches('0');
        matches!(digits.as_bytes(), [b'2'..=b'7', second, ..] if second.is_ascii_hexdigit())
    };
    text.match_indices(opening).filter(is_letter).count()
}

/// `\163`: a character by its number.
fn is_numbered(bytes: &[u8]) -> bool {
    matches!(bytes, [b'\\', a, b] if a.is_ascii_digit() && b.is_ascii_digit())
}
