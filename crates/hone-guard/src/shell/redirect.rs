//! Redirections, with their descriptor and target; the text of a here-document is taken where its line ends.
//! `<(` and `>(` begin a word, and no redirection.

use super::cursor::{Parser, is_name_byte};
use super::tree::{Problem, Redirect, RedirectOperator, Word};
use super::word::Mode;

impl Parser<'_> {
    /// The redirection that stands here.
    pub(super) fn redirect(&mut self) -> Option<Redirect> {
        let start = self.pos;
        let bytes = &self.text.as_bytes()[start..self.end];
        let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut prefix = digits;
        if bytes.first() == Some(&b'{') {
            let name = bytes[1..].iter().take_while(|byte| is_name_byte(**byte)).count();
            if name > 0 && bytes.get(name + 1) == Some(&b'}') {
                prefix = name + 2;
            }
        }
        let rest = &bytes[prefix..];
        use RedirectOperator as Op;
        let both = [("&>>", Op::AppendBoth), ("&>", Op::WriteBoth)];
        let plain = [
            ("<<<", Op::HereString),
            ("<<-", Op::Heredoc),
            ("<<", Op::Heredoc),
            ("<&", Op::DuplicateInput),
            ("<>", Op::ReadWrite),
            ("<", Op::Read),
            (">>", Op::Append),
            (">&", Op::DuplicateOutput),
            (">|", Op::Clobber),
            (">", Op::Write),
        ];
        let candidates = both.iter().filter(|_| prefix == 0).chain(plain.iter());
        let (text, operator) =
            candidates.copied().find(|(text, _)| rest.starts_with(text.as_bytes()))?;
        let follows = rest.get(text.len());
        // `<(` and `>(` begin a word.
        if matches!(text, "<" | ">") && follows == Some(&b'(') {
            return None;
        }
        let descriptor = (prefix > 0).then(|| self.text[start..start + prefix].to_owned());
        self.pos = start + prefix + text.len();
        self.skip_blanks();
        let (target, body) = if operator == Op::Heredoc {
            let (word, body) = self.heredoc_delimiter(text == "<<-");
            (word, Some(body))
        } else {
            let at = self.pos;
            let is_comment = self.peek() == Some(b'#') && at > start + prefix + text.len();
            let word = if is_comment { Word::default() } else { self.word(Mode::Command) };
            if self.pos == at {
                self.error(start, Problem::Unexpected, "a redirection needs a target");
            }
            (word, None)
        };
        Some(Redirect { descriptor, operator, target, span: self.span_from(start), body })
    }
}
