//! What a shell text consists of. Every span is a range of bytes in the text that was parsed.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// A range of bytes in the text.
pub type Span = Range<usize>;

/// What [`parse`](super::parse) could read.
#[derive(Debug, Clone)]
pub struct Parsed {
    /// The tree, as far as it could be read.
    pub script: Script,
    /// Where it could not, in order of discovery.
    pub errors: Vec<SyntaxError>,
}

/// A place that could not be read with certainty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where it begins, in bytes.
    pub at: usize,
    /// What kind of trouble it is.
    pub problem: Problem,
    /// What is wrong, in words.
    pub message: &'static str,
}

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Problem {
    /// Something stands where it cannot.
    Unexpected,
    /// Something was begun and not ended.
    Unfinished,
    /// More constructs inside one another than [`MAX_DEPTH`](super::MAX_DEPTH); the rest was not read.
    TooDeep,
    /// More parts in one statement than [`MAX_PARTS`](super::MAX_PARTS); the rest was not read.
    TooLarge,
    /// Shells disagree on what this means.
    Ambiguous,
}

/// Commands one after the other.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// Pipelines, each with what joins it to the next.
    pub items: Vec<Item>,
    /// Where it stands, without the delimiters around it.
    pub span: Span,
}

/// A pipeline and what follows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The commands joined by `|`.
    pub pipeline: Pipeline,
    /// What stands between it and the next.
    pub connector: Connector,
}

/// What joins a pipeline to the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Connector {
    /// `&&`
    And,
    /// `||`
    Or,
    /// `;` or the end of a line
    Then,
    /// `&`
    Background,
    /// Nothing follows.
    End,
}

/// Commands joined by `|` or `|&`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pipeline {
    /// `!` stands in front.
    pub negated: bool,
    /// The commands, in order.
    pub commands: Vec<Command>,
    /// Where it stands.
    pub span: Span,
}

/// One command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Words, assignments and redirections.
    Simple(SimpleCommand),
    /// A construct with commands inside.
    Compound(Compound),
}

/// Assignments, words and redirections; any of them may be missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SimpleCommand {
    /// `NAME=value` in front of the words.
    pub assignments: Vec<Assignment>,
    /// The command and its arguments.
    pub words: Vec<Word>,
    /// Redirections, wherever they stand in it.
    pub redirects: Vec<Redirect>,
    /// Where it stands.
    pub span: Span,
}

/// `NAME=value`, `NAME+=value`, `NAME[index]=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// The variable.
    pub name: String,
    /// The text between `[` and `]`, when there is one.
    pub index: Option<String>,
    /// `+=`
    pub append: bool,
    /// The value; a list is one [`PartKind::Array`].
    pub value: Word,
    /// Where it stands.
    pub span: Span,
}

/// A construct with commands inside, and the redirections behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compound {
    /// Which one.
    pub kind: CompoundKind,
    /// Redirections for all of it.
    pub redirects: Vec<Redirect>,
    /// Where it stands.
    pub span: Span,
}

/// Constructs with commands inside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompoundKind {
    /// `( … )`
    Subshell(Script),
    /// `{ …; }`
    Group(Script),
    /// `if … then … elif … then … else … fi`
    If {
        /// Each condition with what it leads to.
        branches: Vec<(Script, Script)>,
        /// After `else`.
        otherwise: Option<Script>,
    },
    /// `for NAME in …; do …; done`
    For {
        /// The variable.
        variable: Word,
        /// The words after `in`; without `in`, the positional parameters.
        words: Option<Vec<Word>>,
        /// The loop.
        body: Script,
    },
    /// `for (( … )); do …; done`
    ArithmeticFor {
        /// What stands in the parentheses.
        header: Vec<Part>,
        /// The loop.
        body: Script,
    },
    /// `while …; do …; done`, and `until`
    While {
        /// Whether it is `until`.
        until: bool,
        /// The condition.
        condition: Script,
        /// The loop.
        body: Script,
    },
    /// `case WORD in … esac`
    Case {
        /// What is compared.
        subject: Word,
        /// The cases.
        arms: Vec<Arm>,
    },
    /// `select NAME in …; do …; done`
    Select {
        /// The variable.
        variable: Word,
        /// The words after `in`.
        words: Option<Vec<Word>>,
        /// The loop.
        body: Script,
    },
    /// `[[ … ]]`, operators as words too
    Test(Vec<Word>),
    /// `(( … ))`
    Arithmetic(Vec<Part>),
    /// `NAME() …` or `function NAME …`
    Function {
        /// Its name.
        name: Word,
        /// What it runs; nothing when the text ends before. Shared, since it is kept for its calls.
        body: Option<Arc<Command>>,
    },
    /// `coproc …`
    Coproc {
        /// What it runs; nothing when the text ends before.
        body: Option<Arc<Command>>,
    },
}

/// `PATTERN | PATTERN) …;;`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arm {
    /// The patterns.
    pub patterns: Vec<Word>,
    /// What is run.
    pub body: Script,
}

/// A word before expansion.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Word {
    /// What it is made of, in order.
    pub parts: Vec<Part>,
    /// Where it stands, quotes included.
    pub span: Span,
}

/// A piece of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Which one.
    pub kind: PartKind,
    /// Where it stands, delimiters included.
    pub span: Span,
}

/// Pieces of a word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PartKind {
    /// Plain text, backslashes taken away.
    Literal(String),
    /// `'…'`
    SingleQuoted(String),
    /// `"…"`
    DoubleQuoted(Vec<Part>),
    /// `$'…'`, decoded
    AnsiC(String),
    /// `$NAME` or `${…}`
    Parameter(Box<Parameter>),
    /// `$(…)`, `` `…` `` or `${ …; }`
    CommandSubstitution(Script),
    /// `<(…)` or `>(…)`
    ProcessSubstitution {
        /// Which of the two.
        direction: Direction,
        /// What is run.
        script: Script,
    },
    /// `$((…))` or `$[…]`
    Arithmetic(Vec<Part>),
    /// `*`, `?`, `[`
    Glob(char),
    /// `@(…|…)` and its kin, with what stands inside.
    ExtendedGlob(Vec<Part>),
    /// `{a,b}`, or `{1..3}` as one word
    Brace(Vec<Word>),
    /// `~` or `~user` at the start of a word
    Tilde(String),
    /// `(…)` after `NAME=`
    Array(Vec<Word>),
}

/// `$NAME` or `${…}`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameter {
    /// A name, a number, or a special character such as `@`.
    pub name: String,
    /// `${!NAME}`
    pub indirect: bool,
    /// `${#NAME}`
    pub length: bool,
    /// What stands in `[…]`.
    pub index: Option<Word>,
    /// `:-`, `#`, `//`, `@` and the like; empty without one.
    pub operator: String,
    /// What stands after the operator.
    pub argument: Option<Word>,
}

/// Which way a process substitution goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// `<(…)`
    Input,
    /// `>(…)`
    Output,
}

/// A redirection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    /// The descriptor in front (`2`, or `{name}`); nothing when it is left out.
    pub descriptor: Option<String>,
    /// The operator.
    pub operator: RedirectOperator,
    /// The file, descriptor, text or delimiter after it.
    pub target: Word,
    /// Where it stands, without a here-document's body.
    pub span: Span,
    pub(super) body: Option<Arc<OnceLock<Heredoc>>>,
}

/// Operators of redirections.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedirectOperator {
    /// `<`
    Read,
    /// `>`
    Write,
    /// `>>`
    Append,
    /// `>|`
    Clobber,
    /// `<>`
    ReadWrite,
    /// `<&`
    DuplicateInput,
    /// `>&`
    DuplicateOutput,
    /// `&>`
    WriteBoth,
    /// `&>>`
    AppendBoth,
    /// `<<` and `<<-`
    Heredoc,
    /// `<<<`
    HereString,
}

/// The lines of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heredoc {
    /// The lines; one literal when the delimiter was quoted.
    pub body: Word,
    /// Whether `$` and backquotes are expanded in it.
    pub expands: bool,
}

impl Redirect {
    /// The lines of a here-document, when this is one and they are there.
    pub fn heredoc(&self) -> Option<&Heredoc> {
        self.body.as_ref()?.get()
    }
}

impl SimpleCommand {
    /// The command's name, when it is known before anything is run.
    pub fn name(&self) -> Option<Cow<'_, str>> {
        self.words.first()?.literal()
    }
}

impl Word {
    /// Its value, when that is known before anything is run.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match self.parts.as_slice() {
            [] => Some(Cow::Borrowed("")),
            [part] => part.literal(),
            parts => {
                let mut value = String::new();
                for part in parts {
                    value.push_str(&part.literal()?);
                }
                Some(Cow::Owned(value))
            }
        }
    }

    /// What its value begins with, as far as that is known before anything is run.
    pub fn static_prefix(&self) -> String {
        let mut prefix = String::new();
        push_prefix(&self.parts, &mut prefix);
        prefix
    }

    /// Its text without quotes; what is only known at run time stands as it is written in `source`,
    /// the text that was parsed.
    pub fn unquoted(&self, source: &str) -> String {
        let mut text = String::new();
        push_unquoted(&self.parts, source, &mut text);
        text
    }

    /// Whether any of it is quoted.
    pub fn is_quoted(&self) -> bool {
        self.parts.iter().any(|part| {
            matches!(
                part.kind,
                PartKind::SingleQuoted(_) | PartKind::DoubleQuoted(_) | PartKind::AnsiC(_)
            )
        })
    }
}

fn push_prefix(parts: &[Part], prefix: &mut String) -> bool {
    parts.iter().all(|part| match &part.kind {
        PartKind::DoubleQuoted(parts) => push_prefix(parts, prefix),
        _ => part.literal().map(|text| prefix.push_str(&text)).is_some(),
    })
}

fn push_unquoted(parts: &[Part], source: &str, text: &mut String) {
    for part in parts {
        match (&part.kind, part.literal()) {
            (_, Some(value)) => text.push_str(&value),
            (PartKind::DoubleQuoted(parts), None) => push_unquoted(parts, source, text),
            (_, None) => text.push_str(source.get(part.span.clone()).unwrap_or_default()),
        }
    }
}

impl Part {
    /// Its value, when that is known before anything is run.
    pub fn literal(&self) -> Option<Cow<'_, str>> {
        match &self.kind {
            PartKind::Literal(text) | PartKind::SingleQuoted(text) | PartKind::AnsiC(text) => {
                Some(Cow::Borrowed(text))
            }
            PartKind::DoubleQuoted(parts) => match parts.as_slice() {
                [] => Some(Cow::Borrowed("")),
                [part] => part.literal(),
                parts => {
                    parts.iter().map(Self::literal).collect::<Option<String>>().map(Cow::Owned)
                }
            },
            _ => None,
        }
    }
}
