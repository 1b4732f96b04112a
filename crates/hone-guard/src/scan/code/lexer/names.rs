//! Names, joined over dots, colons and arrows to one, however a language writes it. What follows a name
//! without a blank and belongs to it is joined too.

use super::{Lexer, Token, is_name};
use crate::scan::kind::Language;

impl Lexer<'_> {
    /// `[Type]::Member` as one name.
    pub(super) fn static_member(&mut self, start: usize) -> bool {
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
        self.push_name(&full, start);
        true
    }

    pub(super) fn sigil(&self) -> bool {
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
    pub(super) fn name(&mut self) {
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
            self.push_name(&name, start);
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
}
