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

/// Reads `text` as a shell script.
pub fn parse(text: &str) -> Parsed {
    let mut parser = Parser::new(text, 0);
    let script = parser.script(Stop::End);
    parser.finish_heredocs();
    Parsed { script, errors: parser.errors }
}
