//! Here-documents: announced in a line, their text in the lines after it.

use std::sync::{Arc, OnceLock};

use super::cursor::{Parser, Pending, is_meta};
use super::expansion::Quoting;
use super::tree::{Heredoc, Part, PartKind, Problem, Word};

impl Parser<'_> {
    /// The delimiter after `<<`, and the promise of a body.
    pub(super) fn heredoc_delimiter(
        &mut self,
        strips_tabs: bool,
    ) -> (Word, Arc<OnceLock<Heredoc>>) {
        let start = self.pos;
        let (mut delimiter, mut is_quoted) = (String::new(), false);
        while let Some(byte) = self.peek() {
            match byte {
                b'\'' | b'"' => {
                    is_quoted = true;
                    self.pos += 1;
                    loop {
                        match self.take_char() {
                            Some(c) if c == char::from(byte) => break,
                            Some(c) => delimiter.push(c),
                            None => {
                                self.error(start, Problem::Unfinished, "this quote does not end");
                                break;
                            }
                        }
                    }
                }
                b'\\' => {
                    is_quoted = true;
                    self.pos += 1;
                    delimiter.extend(self.take_char());
                }
                b'$' | b'`' => {
                    let message = "a delimiter with an expansion";
                    self.error(self.pos, Problem::Ambiguous, message);
                    delimiter.extend(self.take_char());
                }
                byte if is_meta(byte) => break,
                _ => delimiter.extend(self.take_char()),
            }
        }
        if self.pos == start {
            self.error(start, Problem::Unexpected, "a here-document needs a delimiter");
        }
        let body = Arc::new(OnceLock::new());
        let span = self.span_from(start);
        let kind = PartKind::Literal(delimiter.clone());
        let word = Word { parts: vec![Part { kind, span: span.clone() }], span };
        self.pending.push(Pending {
            delimiter,
            strips_tabs,
            expands: !is_quoted,
            body: Arc::clone(&body),
            at: start,
        });
        (word, body)
    }

    /// The end of a line, and the here-documents that begin after it.
    pub(super) fn newline(&mut self) {
        self.pos += 1;
        for pending in std::mem::take(&mut self.pending) {
            self.heredoc_body(&pending);
        }
    }

    /// Here-documents that the text ends without.
    pub(super) fn finish_heredocs(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            self.heredoc_body(&pending);
        }
    }

    fn heredoc_body(&mut self, pending: &Pending) {
        let start = self.pos;
        let mut line_start = start;
        let (body_end, after) = loop {
            if line_start >= self.end {
                let message = "this here-document does not end";
                self.error(pending.at, Problem::Unfinished, message);
                break (self.end, self.end);
            }
            let rest = &self.text[line_start..self.end];
            let line = rest.split('\n').next().unwrap_or(rest);
            let next = (line_start + line.len() + 1).min(self.end);
            let bare = if pending.strips_tabs { line.trim_start_matches('\t') } else { line };
            if bare == pending.delimiter {
                break (line_start, next);
            }
            line_start = next;
        };
        let end = std::mem::replace(&mut self.end, body_end);
        let parts = if pending.expands {
            // A body may announce here-documents of its own, inside a substitution.
            let around = std::mem::take(&mut self.pending);
            let parts = self.deeper(|parser| parser.expandable(Quoting::Heredoc));
            self.finish_heredocs();
            self.pending = around;
            parts.unwrap_or_default()
        } else {
            let text = self.text[start..body_end].to_owned();
            self.pos = body_end;
            vec![Part { kind: PartKind::Literal(text), span: self.span_from(start) }]
        };
        self.pos = body_end;
        let body = Word { parts, span: self.span_from(start) };
        self.end = end;
        self.pos = after;
        // A body is given once: the promise was just made.
        let _ = pending.body.set(Heredoc { body, expands: pending.expands });
    }
}
