//! Addresses and paths that a command line takes without quotation marks, as PowerShell and batch
//! files do. Each becomes a text, as if it were quoted.

use super::{Lexer, Token};

impl Lexer<'_> {
    /// `irm https://…`: a command line takes an address without quotation marks.
    pub(super) fn bare_address(&mut self, start: usize) -> bool {
        let rest = &self.text[start..];
        if !(rest.starts_with("https://") || rest.starts_with("http://")) {
            return false;
        }
        let is_end = |c: char| c.is_whitespace() || "|);,\"'`".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        self.push(Token::Text(rest[..end].into()), start);
        self.at = start + end;
        true
    }

    /// `~/.ssh/id_rsa`, `.\data.txt`, and what follows in `$HOME\.aws\credentials`: a path without quotes.
    pub(super) fn bare_path(&mut self, start: usize) {
        let rest = &self.text[self.at..];
        let is_end = |c: char| c.is_whitespace() || "|);,\"'`}{(&<>$".contains(c);
        let end = rest.find(is_end).unwrap_or(rest.len());
        let path = rest[..end].replace('\\', "/");
        self.push(Token::Text(path.into()), start);
        self.at += end;
    }

    /// Whether a path begins here that stands without quotes, after a blank.
    pub(super) fn is_bare_path(&self) -> bool {
        let before = self.at.checked_sub(1).map_or(b' ', |i| self.bytes[i]);
        let begins = matches!((self.peek(0), self.peek(1)), (b'~', b'/' | b'\\') | (b'.', b'\\'));
        matches!(before, b' ' | b'(' | b'\t') && begins && self.peek(2) > b' '
    }
}
