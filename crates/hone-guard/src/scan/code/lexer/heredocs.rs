//! Texts that follow the line they are opened on, `<<TAG` of Ruby, Perl and PHP. The rest of the opening
//! line is lexed before what comes after the text.

use super::{Lexer, Token};
use crate::scan::kind::Language;

impl Lexer<'_> {
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
            self.push(Token::Text(body.as_str().into()), start);
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

    pub(super) fn heredoc(&mut self, start: usize) {
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
        self.push(Token::Text(body.as_str().into()), start);
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
