//! What is wrong with a skill, where, and what to do about it.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::hidden::is_hidden;
use crate::rule::{Profile, Rule};
use crate::yaml::floor_boundary;

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

/// Turns byte offsets into lines and columns, each in constant time: a file may have thousands of
/// diagnostics on one long line.
#[derive(Debug)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// How many characters start before every [`STRIDE`]-th byte.
    chars: Vec<usize>,
}

const STRIDE: usize = 256;

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(breaks).collect();
        let mut total = 0;
        let mut chars = vec![0];
        chars.extend(text.as_bytes().chunks(STRIDE).map(|chunk| {
            total += count_chars(chunk);
            total
        }));
        Self { text, starts, chars }
    }

    /// Line and column (in characters) of a byte offset, both from 1.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        let offset = floor_boundary(self.text, offset);
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        (line, self.chars_before(offset) - self.chars_before(start) + 1)
    }

    fn chars_before(&self, offset: usize) -> usize {
        let stride = offset / STRIDE;
        self.chars[stride] + count_chars(&self.text.as_bytes()[stride * STRIDE..offset])
    }
}

fn count_chars(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

/// How many line feeds a text has, counted in bytes so that the processor takes many at a time.
pub(crate) fn count_breaks(text: &str) -> usize {
    let chunks = text.as_bytes().chunks(usize::from(u8::MAX));
    chunks.map(|chunk| usize::from(chunk.iter().map(|b| u8::from(*b == b'\n')).sum::<u8>())).sum()
}

/// A text of the file as a message quotes it: nothing invisible, and not too long.
pub(crate) fn shown(text: &str) -> String {
    const MAX_SHOWN_CHARS: usize = 120;
    let mut shown = String::new();
    for (at, c) in text.chars().enumerate() {
        if at == MAX_SHOWN_CHARS {
            shown.push('…');
            break;
        }
        if c.is_control() || is_hidden(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}
