//! Shell text as a tree: POSIX sh with what bash and zsh add.
//!
//! [`parse`] always gives as much of the tree as could be read, and says in
//! [`errors`](Parsed::errors) where it could not; whoever decides on the tree refuses a text with
//! errors, whoever only looks for things may go on. Time is linear in the text, nesting is bounded by
//! [`MAX_DEPTH`], and nothing is ever run or expanded.
//!
//! Where shells disagree on what a text means, the reading that runs more is taken, or the place is
//! an [`Ambiguous`](Problem::Ambiguous) error.
//!
//! ```
//! let parsed = hone_guard::shell::parse("echo \"$(git status)\" | tee log");
//! assert!(parsed.errors.is_empty());
//! let names: Vec<_> = parsed.script.commands().iter().filter_map(|c| c.name()).collect();
//! assert_eq!(names, ["echo", "git", "tee"]);
//! ```

mod assignment;
mod command;
mod compound;
mod cursor;
mod expansion;
mod heredoc;
mod redirect;
mod tree;
mod visit;
mod word;

#[cfg(test)]
mod tests;

pub use tree::{
    Arm, Assignment, Command, Compound, CompoundKind, Connector, Direction, Heredoc, Item,
    Parameter, Parsed, Part, PartKind, Pipeline, Problem, Redirect, RedirectOperator, Script,
    SimpleCommand, Span, SyntaxError, Word,
};

use command::Stop;
use cursor::Parser;

/// Constructs inside one another (substitutions, quotes, compound commands) that are followed.
pub const MAX_DEPTH: usize = 48;

/// Words, expansions and constructs of one statement that are read.
pub const MAX_PARTS: usize = 1_000_000;

/// Reads `text` as a shell script.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text, 0);
    let script = parser.script(Stop::End);
    parser.finish_heredocs();
    Parsed { script, errors: parser.errors }
}

/// A shell script read statement by statement: whoever walks a long one keeps one of them at a time.
///
/// Together they are what [`parse`] gives. A statement that announces a here-document comes with all that
/// stands before its lines.
pub struct Statements<'t> {
    parser: Parser<'t>,
    unread: Option<SyntaxError>,
}

impl<'t> Statements<'t> {
    /// The statements of `text`.
    pub fn of(text: &'t str) -> Self {
        Self { parser: Parser::new(text, 0), unread: None }
    }

    /// Where the text was not read on, as far as it was walked.
    pub fn unread(&self) -> Option<&SyntaxError> {
        self.unread.as_ref()
    }
}

impl Iterator for Statements<'_> {
    type Item = Script;

    fn next(&mut self) -> Option<Script> {
        self.parser.parts = 0;
        let mut items = Vec::with_capacity(1);
        loop {
            let item = self.parser.item(Stop::End);
            let is_last = item.is_none();
            items.extend(item);
            if is_last {
                self.parser.finish_heredocs();
            }
            if is_last || self.parser.pending.is_empty() {
                break;
            }
        }
        let is_unread =
            |error: &SyntaxError| matches!(error.problem, Problem::TooDeep | Problem::TooLarge);
        let unread = self.parser.errors.drain(..).find(is_unread);
        self.unread = self.unread.take().or(unread);
        let (first, last) = (items.first()?, items.last()?);
        let span = first.pipeline.span.start..last.pipeline.span.end;
        Some(Script { items, span })
    }
}
