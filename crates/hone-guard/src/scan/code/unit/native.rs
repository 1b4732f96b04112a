//! Programs that a script starts by their names: in PowerShell without a cmdlet, as `net localgroup …`
//! and `curl.exe …`, each followed as the same line of a batch file; in Julia between backticks.

use super::Unit;
use crate::scan::code::lexer::Lexeme;
use crate::scan::kind::Language;
use crate::scan::passage::{Passage, Place};
use std::borrow::Cow;

/// Programs whose lines are followed.
#[rustfmt::skip]
const PROGRAMS: [&str; 23] = [
    "net", "reg", "cmd", "sc", "schtasks", "netsh", "bcdedit", "vssadmin", "wevtutil", "wmic",
    "certutil", "bitsadmin", "mshta", "rundll32", "regsvr32", "msiexec", "curl", "scp", "sftp", "ssh",
    "git", "wscript", "cscript",
];
/// Lines of one script that are followed so.
const MOST: usize = 100;

impl Unit<'_> {
    /// Hands the lines that start a program to those who read commands.
    pub(super) fn native_commands(&mut self) {
        if self.passage.language != Language::PowerShell {
            return;
        }
        let mut found = Vec::new();
        for statement in self.statements.iter().take(MOST * MOST) {
            let range = self.without_lines(statement.tokens());
            let Some(name) = self.name_at(range.start) else { continue };
            let program = name.strip_suffix(".exe").unwrap_or(name);
            // `curl` alone is another name for a cmdlet.
            if !PROGRAMS.iter().any(|known| program.eq_ignore_ascii_case(known))
                || name.eq_ignore_ascii_case("curl")
                || found.len() >= MOST
            {
                continue;
            }
            let start = self.tokens[range.start].at();
            let end = self.tokens.get(range.end).map_or(self.passage.text.len(), Lexeme::at);
            if let Some(line) = self.passage.text.get(start..end) {
                found.push((start, as_batch(line)));
            }
        }
        for (start, line) in found {
            let (line_number, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                language: Language::Batch,
                text: Cow::Owned(line),
                place: Place::Fixed { line: line_number, column },
                ..self.passage.clone()
            });
        }
    }
}

impl Unit<'_> {
    /// ``run(pipeline(`curl …`, `sh`))``: Julia's commands, one into the other.
    pub(super) fn piped_commands(&mut self) {
        const LONGEST: usize = 2_000;
        const CALL: &str = "pipeline(`";
        let text = &self.passage.text;
        if self.passage.language != Language::Braces || !text.contains(CALL) {
            return;
        }
        let mut found = Vec::new();
        for (start, _) in text.match_indices(CALL).take(MOST) {
            let line: String = text[start..].chars().take(LONGEST).collect();
            let line = line.split('\n').next().unwrap_or_default();
            let stages: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
            found.push((start, stages.join(" | ")));
        }
        for (start, command) in found {
            let (line, column) = self.passage.place.position(start);
            self.shell.push(Passage {
                language: Language::Shell,
                text: Cow::Owned(command),
                place: Place::Fixed { line, column },
                ..self.passage.clone()
            });
        }
    }
}

/// `$env:NAME` as `%NAME%`, `$HOME` as `%USERPROFILE%`.
fn as_batch(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once("$env:") {
        let name = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (name, behind) = after.split_at(name.unwrap_or(after.len()));
        out.push_str(before);
        out.push('%');
        out.push_str(name);
        out.push('%');
        rest = behind;
    }
    out.push_str(rest);
    out.replace("$HOME", "%USERPROFILE%")
}
