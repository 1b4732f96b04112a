//! Code inside strings: what stands in the braces of a string is lexed as code behind it, in its place.
//! Strings inside such code are followed to a depth.

use super::{Lexer, Token, is_name};
use crate::scan::kind::Language;

/// Strings inside interpolations inside strings that are followed.
const MAX_INTERPOLATION: usize = 3;

impl Lexer<'_> {
    /// The code inside `{…}`, `${…}`, `#{…}`, `$name` of a string, in parentheses of its own.
    pub(super) fn interpolate(&mut self, inner: &str, at: usize) {
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

    pub(super) fn sub(&mut self, code: &str, at: usize) {
        let mut inner = Lexer {
            text: code,
            bytes: code.as_bytes(),
            at: 0,
            line_start: 0,
            language: self.language,
            out: Vec::new(),
            names: std::mem::take(&mut self.names),
            depth: self.depth + 1,
        };
        inner.run();
        self.names = std::mem::take(&mut inner.names);
        for lexeme in inner.out {
            if lexeme.token != Token::Line {
                self.push(lexeme.token, at);
            }
        }
    }
}
