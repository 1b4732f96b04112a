//! `AppleScript`: the shell scripts in it are walked like any other, and windows that ask for a password
//! are reported.

use std::cell::OnceCell;

use super::memory::Memory;
use super::{At, Walk};
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::passage::Passage;
use crate::scan::text::floor;
use crate::scan::{Skill, rules};

/// Bytes behind the word for a shell script that are looked at for it.
const MAX_STATEMENT: usize = 64 * 1024;

/// `AppleScript`: the shell scripts in it, and windows that ask for a password.
pub(super) fn apple_script(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    memory: &mut Memory,
    findings: &mut Findings<'_>,
) {
    let text: &str = &passage.text;
    for (at, _) in text.match_indices("do shell script") {
        // Bounded: each of many in one line would be looked for its end through all the others.
        let near = &text[at..floor(text, at + MAX_STATEMENT + 1)];
        let line = near.split('\n').next().unwrap_or_default();
        if line.len() > MAX_STATEMENT {
            let why = "a command stands in a line that is too long";
            findings.unfinished(passage, at..at, why);
        }
        let mut walk = Walk {
            passage,
            skill,
            memory,
            findings,
            source: line,
            offset: at,
            place: At::Offset,
            text: OnceCell::new(),
            embedded: Vec::new(),
            depth: 0,
            strings: 0,
            level: 0,
            looping: 0,
            branching: 0,
            shell_on_pipe: OnceCell::new(),
            piped: String::new(),
            printed: String::new(),
            heard: None,
        };
        walk.apple_script(line, 0);
    }
    if let Some(at) = text.find("hidden answer").filter(|_| text.contains("display dialog")) {
        findings.add(
            passage,
            at..at + 1,
            Match::new(
                &rules::DECEIVE_USER,
                Severity::Critical,
                "a window asks for the person's password",
            ),
        );
    }
}
