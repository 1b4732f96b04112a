//! Variables in a skill's text: its folder, the session, and the words it was called with.
//!
//! One pass: what is put in is never looked at again, so no argument can bring in another variable. What
//! has no value stays as it is written, for the reader to see.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Highest position of an argument, as in `$99`.
const MAX_POSITION_DIGITS: usize = 2;
/// So many arguments can have a name.
pub(crate) const MAX_ARGUMENT_NAMES: usize = 100;

/// The names of the skill's folder, by agent.
const FOLDER_NAMES: [&str; 3] = ["SKILL_DIR", "HERMES_SKILL_DIR", "CLAUDE_SKILL_DIR"];
/// The names of the session, by agent.
const SESSION_NAMES: [&str; 3] = ["SESSION_ID", "HERMES_SESSION_ID", "CLAUDE_SESSION_ID"];

/// The values that a skill's text may ask for.
#[derive(Debug, Clone, Default)]
pub struct Variables<'v> {
    /// The skill's folder; none for one inside the binary.
    pub folder: Option<&'v str>,
    /// The session, when there is one.
    pub session: Option<&'v str>,
    /// The words that the skill was called with; none when it was not called but loaded.
    pub arguments: Option<&'v str>,
    /// The names of the arguments, from the frontmatter.
    pub names: &'v [String],
}

/// A variable, as it stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Variable {
    Folder,
    Session,
    Arguments,
    Position(usize),
}

impl Variables<'_> {
    /// The text with every variable that has a value filled in.
    ///
    /// ```
    /// use hone_router::Variables;
    ///
    /// let variables = Variables { folder: Some("/s/x"), arguments: Some("a 'b c'"), ..Variables::default() };
    /// assert_eq!(variables.fill("${SKILL_DIR}/run $1 \\$1 $7 ${SESSION_ID}"), "/s/x/run b c $1 $7 ${SESSION_ID}");
    /// ```
    pub fn fill<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.fill_from(text, &self.words())
    }

    /// The arguments, one by one.
    pub(crate) fn words(&self) -> Vec<String> {
        self.arguments.map(split_arguments).unwrap_or_default()
    }

    /// The same as [`Variables::fill`], for a text in many pieces: `words` are split once.
    pub(crate) fn fill_from<'t>(&self, text: &'t str, words: &[String]) -> Cow<'t, str> {
        if !text.contains('$') {
            return Cow::Borrowed(text);
        }
        let mut filled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            let Some((variable, length)) = self.variable(from) else {
                filled.push_str(&rest[..=at]);
                rest = &rest[at + 1..];
                continue;
            };
            if let Some(before) = before.strip_suffix('\\') {
                filled.push_str(before);
                filled.push_str(&from[..length]);
            } else {
                filled.push_str(before);
                filled.push_str(self.value(variable, words).unwrap_or(&from[..length]));
            }
            rest = &from[length..];
        }
        filled.push_str(rest);
        Cow::Owned(filled)
    }

    fn value<'w>(&'w self, variable: Variable, words: &'w [String]) -> Option<&'w str> {
        match variable {
            Variable::Folder => self.folder,
            Variable::Session => self.session,
            Variable::Arguments => self.arguments,
            Variable::Position(at) => words.get(at).map(String::as_str),
        }
    }

    /// A command in the text, for a shell that gets the values beside it: the shell fills them in, so
    /// no argument can become a part of the command.
    pub(crate) fn for_shell(&self, command: &str) -> String {
        let mut written = String::with_capacity(command.len());
        let mut rest = command;
        while let Some(at) = rest.find('$') {
            written.push_str(&rest[..at]);
            let from = &rest[at..];
            let is_escaped = rest[..at].ends_with('\\');
            let length = match self.variable(from).filter(|_| !is_escaped) {
                Some((Variable::Position(position), length)) => {
                    let _ = write!(written, "${{{position}}}");
                    length
                }
                Some((_, length)) => {
                    written.push_str(&from[..length]);
                    length
                }
                None => {
                    written.push('$');
                    1
                }
            };
            rest = &from[length..];
        }
        written.push_str(rest);
        written
    }

    /// What such a shell needs in its environment.
    pub(crate) fn environment(&self) -> Vec<(&'static str, &str)> {
        let folders = self.folder.iter().flat_map(|value| FOLDER_NAMES.map(|name| (name, *value)));
        let sessions =
            self.session.iter().flat_map(|value| SESSION_NAMES.map(|name| (name, *value)));
        let words = self.arguments.iter().map(|words| ("ARGUMENTS", *words));
        folders.chain(sessions).chain(words).collect()
    }

    /// The variable that a text starts with, and its length.
    fn variable(&self, text: &str) -> Option<(Variable, usize)> {
        let rest = text.strip_prefix('$')?;
        if let Some(braced) = rest.strip_prefix('{') {
            let longest = "CLAUDE_SESSION_ID".len() + 1;
            let end = braced.bytes().take(longest).position(|byte| byte == b'}')?;
            let name = &braced[..end];
            let variable = if FOLDER_NAMES.contains(&name) {
                Variable::Folder
            } else if SESSION_NAMES.contains(&name) {
                Variable::Session
            } else {
                return None;
            };
            return Some((variable, "${}".len() + end));
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 {
            let after = &rest.as_bytes()[digits..];
            // `$5.00` is money.
            let is_money = matches!(after, [b'.' | b',', digit, ..] if digit.is_ascii_digit());
            if digits > MAX_POSITION_DIGITS
                || is_money
                || after.first().copied().is_some_and(is_word_byte)
            {
                return None;
            }
            return Some((Variable::Position(rest[..digits].parse().ok()?), 1 + digits));
        }
        let length = rest.bytes().take_while(|byte| is_word_byte(*byte)).count();
        let word = &rest[..length];
        if word == "ARGUMENTS" {
            let position = position(&rest[length..]);
            return Some(match position {
                Some((at, more)) => (Variable::Position(at), 1 + length + more),
                None => (Variable::Arguments, 1 + length),
            });
        }
        // `$issue-id` is the argument `issue-id` if there is one, else `issue` and a hyphen.
        let long = rest.bytes().take_while(|byte| is_word_byte(*byte) || *byte == b'-').count();
        [long, length].into_iter().find_map(|length| {
            let at = self.names.iter().position(|name| *name == rest[..length])?;
            (length > 0).then_some((Variable::Position(at), 1 + length))
        })
    }
}

/// `[12]`, and its length.
fn position(text: &str) -> Option<(usize, usize)> {
    let inside = text.strip_prefix('[')?;
    let digits = inside.bytes().take_while(u8::is_ascii_digit).count();
    let is_position = (1..=MAX_POSITION_DIGITS).contains(&digits);
    (is_position && inside[digits..].starts_with(']'))
        .then(|| Some((inside[..digits].parse().ok()?, digits + 2)))
        .flatten()
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// A text that [`split_arguments`] takes apart into these words again.
///
/// ```
/// use hone_router::{join_arguments, split_arguments};
///
/// let words = ["Bob", "cats and \"dogs\"", "", "C:\\new"];
/// assert_eq!(join_arguments(words), r#"Bob "cats and \"dogs\"" "" "C:\\new""#);
/// assert_eq!(split_arguments(&join_arguments(words)), words);
/// ```
pub fn join_arguments<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut text = String::new();
    for (at, word) in words.into_iter().enumerate() {
        if at > 0 {
            text.push(' ');
        }
        let is_plain = |c: char| !c.is_whitespace() && !matches!(c, '"' | '\'' | '\\');
        if !word.is_empty() && word.chars().all(is_plain) {
            text.push_str(word);
            continue;
        }
        text.push('"');
        for c in word.chars() {
            if matches!(c, '"' | '\\') {
                text.push('\\');
            }
            text.push(c);
        }
        text.push('"');
    }
    text
}

/// The words of an argument text, as a shell would split them; an open quote reaches to the end.
pub fn split_arguments(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => {
                let next = chars.next();
                let word = word.get_or_insert_default();
                // Inside double quotes a backslash only escapes what would end or expand them.
                if quote.is_some() && !matches!(next, Some('"' | '\\' | '$' | '`')) {
                    word.push('\\');
                }
                word.extend(next);
            }
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    words
}
