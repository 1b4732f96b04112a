//! `hone` alone: what is here, what was skipped and why, and what to type next.

use std::fmt::Write;

use hone_library::{Reason, Scope};

use super::list::{counts, lines};
use crate::context::Context;
use crate::output::{Outcome, count, print};
use crate::terminal::{columns, fit, printable_line};

/// Skills that are named on the one screen.
const NAMED: usize = 6;
/// Skipped ones that are named there.
const SKIPPED: usize = 3;

pub(crate) fn run(context: &Context) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let room = columns();
    let mut text =
        format!("hone {} · {}", env!("CARGO_PKG_VERSION"), count(catalogue.skills.len(), "skill"));
    let by_scope: Vec<String> = Scope::ALL
        .iter()
        .map(|scope| (scope, catalogue.skills.iter().filter(|skill| skill.scope == *scope).count()))
        .filter(|(_, count)| *count > 0)
        .map(|(scope, count)| format!("{count} {}", scope.id()))
        .collect();
    if !by_scope.is_empty() {
        let _ = write!(text, " ({})", by_scope.join(", "));
    }
    let mut text = format!("{}\n", fit(&text, room));
    if !catalogue.skills.is_empty() {
        text.push('\n');
    }
    text.push_str(&lines(&catalogue.skills[..catalogue.skills.len().min(NAMED)], room));
    if catalogue.skills.len() > NAMED {
        let _ = writeln!(text, "… and {} more", catalogue.skills.len() - NAMED);
    }
    if !catalogue.skipped.is_empty() {
        let _ =
            writeln!(text, "\n{} skipped: {}", catalogue.skipped.len(), counts(&catalogue.skipped));
        for skipped in catalogue.skipped.iter().take(SKIPPED) {
            let message = context.shortened(&skipped.message);
            let line = format!("{}: {message}", context.shown(&skipped.path));
            let _ = writeln!(text, "{}", fit(&format!("  {}", printable_line(&line)), room));
        }
    }
    text.push_str("\nNext:\n");
    let untrusted = catalogue.skipped.iter().any(|skipped| skipped.reason == Reason::Untrusted);
    let broken = catalogue.skipped.iter().any(|skipped| skipped.reason == Reason::Broken);
    let mut next: Vec<(&str, &str)> = Vec::new();
    if untrusted {
        next.push(("hone trust", "offer the skills of this project"));
    }
    if catalogue.skills.iter().all(|skill| skill.scope == Scope::Builtin) {
        next.push(("hone new my-skill", "write your first skill"));
    }
    next.push(("hone list [WORDS]", "find a skill"));
    next.push(("hone view NAME", "read it"));
    next.push(("hone invoke /NAME", "see what a model gets when you call it"));
    next.push(("hone scan", "look for what makes a skill unsafe"));
    if broken {
        next.push(("hone doctor", "see what is broken and how to mend it"));
    } else if !catalogue.skipped.is_empty() {
        next.push(("hone list --all", "see why skills were skipped"));
    }
    next.push(("hone --help", "everything else"));
    for (command, about) in next {
        let _ = writeln!(text, "{}", fit(&format!("  {command:<20} {about}"), room));
    }
    print(&text)
}
