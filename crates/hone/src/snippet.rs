//! A finding with its line of source, as a compiler would show it.

use std::fmt::Write as _;
use std::ops::Range;

use anstyle::{AnsiColor, Effects};
use hone_skill::{Diagnostic, Profile, Severity};
use unicode_width::UnicodeWidthStr;

use crate::terminal::{
    Style, columns, fit, fit_end, printable, printable_line, stdout_is_terminal,
};

/// Columns of source shown where the width of the output is nobody's business.
const SOURCE_COLUMNS: usize = 100;
/// The fewest columns of source that still show something.
const MIN_SOURCE_COLUMNS: usize = 12;

/// A text that findings are about.
pub(crate) struct Source<'t> {
    path: String,
    text: &'t str,
    lines: Vec<&'t str>,
    room: usize,
}

/// A place in the text, and what is said about it.
struct Mark<'m> {
    severity: Severity,
    title: &'m str,
    message: &'m str,
    line: usize,
    column: usize,
    range: Range<usize>,
    hint: Option<&'m str>,
}

/// The part of a line that is shown: before the finding, the finding, after it.
struct Excerpt {
    before: String,
    marked: String,
    after: String,
}

impl<'t> Source<'t> {
    pub(crate) fn new(path: &str, text: &'t str) -> Self {
        let room = if stdout_is_terminal() { columns() } else { SOURCE_COLUMNS };
        Self { path: printable_line(path).into_owned(), text, lines: text.lines().collect(), room }
    }

    /// A diagnostic as `profile` weighs it.
    pub(crate) fn rendered(
        &self,
        diagnostic: &Diagnostic,
        profile: Profile,
        style: Style,
    ) -> String {
        let mark = Mark {
            severity: diagnostic.severity(profile).unwrap_or(Severity::Info),
            title: diagnostic.rule.id(),
            message: &diagnostic.message,
            line: diagnostic.line,
            column: diagnostic.column,
            range: diagnostic.range.clone(),
            hint: diagnostic.hint.as_deref(),
        };
        self.marked(&mark, style)
    }

    /// A part of the text, as an error.
    pub(crate) fn rendered_range(
        &self,
        title: &str,
        message: &str,
        range: Range<usize>,
        hint: Option<&str>,
        style: Style,
    ) -> String {
        let before = self.text.get(..range.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let mark = Mark {
            severity: Severity::Error,
            title,
            message,
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            range,
            hint,
        };
        self.marked(&mark, style)
    }

    fn marked(&self, mark: &Mark<'_>, style: Style) -> String {
        let paint = Paint { severity: mark.severity, style };
        let mut page = paint.head(mark.title, mark.message);
        let number = mark.line.to_string();
        let gutter = " ".repeat(number.len());
        let _ = writeln!(page, "{gutter}--> {}:{}:{}", self.path, mark.line, mark.column);
        let line = self.lines.get(mark.line - 1).copied().unwrap_or_default();
        if !line.trim().is_empty() {
            let Excerpt { before, marked, after } = self.excerpt(line, mark, number.len());
            let blanks = " ".repeat(before.width());
            let carets = "^".repeat(marked.width().max(1));
            let _ = writeln!(page, "{gutter} |\n{number} | {before}{marked}{after}");
            let _ = writeln!(page, "{gutter} | {blanks}{}", paint.accented(&carets));
        }
        if let Some(hint) = mark.hint {
            let _ = writeln!(page, "{gutter} = hint: {}", printable(hint));
        }
        page
    }

    /// Something about the whole file.
    pub(crate) fn rendered_whole(&self, rule: &str, message: &str, style: Style) -> String {
        let head = Paint { severity: Severity::Error, style }.head(rule, message);
        format!("{head} --> {}\n", self.path)
    }

    fn excerpt(&self, line: &str, mark: &Mark<'_>, number_columns: usize) -> Excerpt {
        let at = |chars: usize| line.char_indices().nth(chars).map_or(line.len(), |(at, _)| at);
        let source = self.text.get(mark.range.clone()).unwrap_or_default();
        let length = source.split('\n').next().unwrap_or_default().chars().count().max(1);
        let (start, end) = (at(mark.column - 1), at(mark.column - 1 + length));
        // A tab takes as many columns as the reader's terminal likes; one keeps the caret in place.
        let visible = |text: &str| printable(text).replace('\t', " ");
        let (before, marked, after) =
            (visible(&line[..start]), visible(&line[start..end]), visible(&line[end..]));
        let room = self.room.saturating_sub(number_columns + " | ".len()).max(MIN_SOURCE_COLUMNS);
        if before.width() + marked.width() + after.width() <= room {
            return Excerpt { before, marked, after };
        }
        // The finding may take half of the room, and what the text around it leaves.
        let wanted = marked.width().min(room / 2);
        let before = fit_end(&before, (room - wanted) * 3 / 4).into_owned();
        let marked = fit(&marked, room - before.width()).into_owned();
        let after = fit(&after, room - before.width() - marked.width()).into_owned();
        Excerpt { before, marked, after }
    }
}

struct Paint {
    severity: Severity,
    style: Style,
}

impl Paint {
    fn head(&self, rule: &str, message: &str) -> String {
        let word = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "info",
        };
        let bold = anstyle::Style::new().effects(Effects::BOLD);
        format!(
            "{}{}\n",
            self.accented(&format!("{word}[{rule}]")),
            self.painted(bold, &format!(": {}", printable(message)))
        )
    }

    fn accented(&self, text: &str) -> String {
        let colour = match self.severity {
            Severity::Error => AnsiColor::Red,
            Severity::Warning => AnsiColor::Yellow,
            Severity::Info => AnsiColor::Cyan,
        };
        self.painted(colour.on_default().effects(Effects::BOLD), text)
    }

    fn painted(&self, paint: anstyle::Style, text: &str) -> String {
        match self.style {
            Style::Ansi => format!("{paint}{text}{paint:#}"),
            Style::Plain => text.to_owned(),
        }
    }
}
