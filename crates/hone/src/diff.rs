//! Differences between two texts.

use std::fmt::Write as _;

use hone_library::{FileDelta, unified};

use crate::terminal::{Style, printable, printable_line};

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
