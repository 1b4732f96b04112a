//! A passage: one piece of text in one language and one context, which knows its place in a file.

use std::borrow::Cow;
use std::ops::Range;

use super::finding::Context;
use super::kind::Language;
use super::masked::{MAX_AROUND, redact_part};
use super::text::{Text, floor, visible};

/// A piece of text that rules look at.
#[derive(Debug, Clone)]
pub(crate) struct Passage<'a> {
    /// The index of its file among the members of the bundle.
    pub(crate) file: usize,
    pub(crate) language: Language,
    pub(crate) context: Context,
    pub(crate) text: Cow<'a, str>,
    pub(crate) place: Place<'a>,
    /// The headings above it, outermost first, lower case, joined by ` / `.
    pub(crate) headings: Cow<'a, str>,
    /// The prose just before it, lower case: what introduces a code block.
    pub(crate) lead: Cow<'a, str>,
    /// How the text was decoded, where it does not stand in the file as such.
    pub(crate) decoded: Option<String>,
}

/// Where the bytes of a passage stand in its file.
#[derive(Debug, Clone)]
pub(crate) enum Place<'a> {
    /// The passage starts at a byte of the plain text and runs on.
    Straight { text: &'a Text, start: usize },
    /// Pieces: at each byte of the passage (first) begins a byte of the plain text (second).
    Pieces { text: &'a Text, pieces: Vec<(usize, usize)> },
    /// All of it stands at one place.
    Fixed { line: usize, column: usize },
}

impl Place<'_> {
    /// Line and column of a byte of the passage.
    pub(crate) fn position(&self, offset: usize) -> (usize, usize) {
        match self {
            Self::Straight { text, start } => text.position(start + offset),
            Self::Pieces { text, pieces } => {
                let at = pieces.partition_point(|(from, _)| *from <= offset).saturating_sub(1);
                let (from, to) = pieces.get(at).copied().unwrap_or_default();
                text.position(to + offset.saturating_sub(from))
            }
            Self::Fixed { line, column } => (*line, *column),
        }
    }
}

/// Characters of evidence that a report shows.
pub(crate) const MAX_EVIDENCE: usize = 160;

impl Passage<'_> {
    /// The same passage on its own, at the place where it begins.
    pub(crate) fn detached(self) -> Passage<'static> {
        let (line, column) = self.place.position(0);
        Passage {
            file: self.file,
            language: self.language,
            context: self.context,
            text: Cow::Owned(self.text.into_owned()),
            place: Place::Fixed { line, column },
            headings: Cow::Owned(self.headings.into_owned()),
            lead: Cow::Owned(self.lead.into_owned()),
            decoded: self.decoded,
        }
    }

    /// The line or lines that hold a range, made visible, cut around the range.
    pub(crate) fn evidence(&self, range: &Range<usize>) -> String {
        const AROUND: usize = 60;
        // A line of many megabytes must not be walked through for each finding on it.
        const LONGEST: usize = 4 * MAX_EVIDENCE;
        let text = &self.text;
        let middle = floor(text, range.start);
        let before = floor(text, middle.saturating_sub(AROUND));
        let from = text[before..middle].rfind('\n').map_or(before, |at| before + at + 1);
        let start = floor(text, range.end.clamp(middle, middle + LONGEST));
        let most = floor(text, start + LONGEST);
        let end = text[start..most].find('\n').map_or(most, |at| start + at);
        // Masked before it is cut: a half of a secret is known by nothing.
        let around = floor(text, from.saturating_sub(MAX_AROUND));
        let line = text[around..from].rfind('\n').map_or(around, |at| around + at + 1);
        let until = floor(text, end + MAX_AROUND);
        let shown = redact_part(&text[line..until], from - line..end - line);
        let shown = visible(&shown, MAX_EVIDENCE);
        match &self.decoded {
            Some(how) => format!("{shown} (decoded from {how})"),
            None => shown,
        }
    }
}
