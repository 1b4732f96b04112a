//! What is wrong with a skill, where, and what to do about it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::rule::{Profile, Rule};

/// How much a diagnostic matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing; nothing breaks.
    Info,
    /// Some agents will stumble.
    Warning,
    /// The skill is not valid under the chosen profile.
    Error,
}

/// A replacement of a byte range of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The bytes to replace.
    pub range: Range<usize>,
    /// What to put there.
    pub text: String,
}

/// One finding about a skill's text, without a severity: that is the profile's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which rule was broken.
    pub rule: Rule,
    /// The bytes of the file that it is about.
    pub range: Range<usize>,
    /// Line in the file, from 1.
    pub line: usize,
    /// Column in the line, in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    /// Edits that mend it, when a machine can.
    pub fix: Option<Vec<Edit>>,
    /// The frontmatter key that it is about.
    pub key: Option<String>,
    /// The file cannot be read as a skill because of this.
    pub refuses: bool,
}

impl Diagnostic {
    /// How much this matters under `profile`; `None` when the profile does not care.
    pub fn severity(&self, profile: Profile) -> Option<Severity> {
        if self.refuses {
            return Some(Severity::Error);
        }
        let known = self.key.as_deref().is_some_and(|key| profile.knows_key(key));
        if self.rule == Rule::UnknownKey && known { None } else { self.rule.severity(profile) }
    }
}

/// Turns byte offsets into lines and columns.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line and column (in characters) of a byte offset, both from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = offset.min(self.text.len());
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let mut end = offset;
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        (line, self.text[start..end].chars().count() + 1)
    }
}
