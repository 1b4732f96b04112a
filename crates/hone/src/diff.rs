//! Differences between two texts.

use std::fmt::Write as _;

use hone_library::FileDelta;
use similar::TextDiff;

use crate::json::ChangedFile;
use crate::terminal::{Style, printable, printable_line};

/// Lines of unchanged text around a change.
const CONTEXT_LINES: usize = 3;

/// A unified difference; `None` when a side is not text.
pub(crate) fn unified(file: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<String> {
    let old = std::str::from_utf8(before.unwrap_or_default()).ok()?;
    let new = std::str::from_utf8(after.unwrap_or_default()).ok()?;
    let from = if before.is_some() { format!("a/{file}") } else { "/dev/null".to_owned() };
    let to = if after.is_some() { format!("b/{file}") } else { "/dev/null".to_owned() };
    let diff = TextDiff::from_lines(old, new);
    Some(diff.unified_diff().context_radius(CONTEXT_LINES).header(&from, &to).to_string())
}

/// A file of a change, for JSON.
pub(crate) fn changed_file(delta: &FileDelta) -> ChangedFile {
    ChangedFile {
        status: match (&delta.before, &delta.after) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        },
        diff: unified(&delta.file, delta.before.as_deref(), delta.after.as_deref()),
        file: delta.file.clone(),
    }
}

/// The differences of all files, for a person.
pub(crate) fn shown(files: &[FileDelta], style: Style) -> String {
    let mut text = String::new();
    for delta in files {
        match unified(&delta.file, delta.before.as_deref(), delta.after.as_deref()) {
            Some(diff) => text.push_str(&painted(&diff, style)),
            None => {
                let _ = writeln!(text, "{} is not text", printable_line(&delta.file));
            }
        }
    }
    text
}

/// A unified difference, safe for a terminal.
pub(crate) fn painted(diff: &str, style: Style) -> String {
    let mut text = String::new();
    diff.lines().for_each(|line| push_line(&mut text, line, style));
    text
}

fn push_line(text: &mut String, line: &str, style: Style) {
    let line = printable(line);
    let colour = match line.as_bytes().first() {
        Some(b'+') => Some(anstyle::AnsiColor::Green),
        Some(b'-') => Some(anstyle::AnsiColor::Red),
        Some(b'@') => Some(anstyle::AnsiColor::Cyan),
        _ => None,
    };
    if let Some(colour) = colour.filter(|_| style == Style::Ansi) {
        let style = colour.on_default();
        let _ = writeln!(text, "{style}{line}{style:#}");
    } else {
        let _ = writeln!(text, "{line}");
    }
}
