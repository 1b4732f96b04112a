//! What became of skills, for a person and for a program.

use std::fmt::Write as _;

use hone_guard::{Finding, Severity};
use hone_hub::{Fate, News, Outcome, Taken, Takes};

use crate::commands::scan::finding_text;
use crate::context::Context;
use crate::json::hub::{Arrival, HubFinding, TakenMessage};
use crate::json::{Dismissed, text};
use crate::output::count;
use crate::terminal::{Style, printable_line};

/// Columns of the longest word for a fate.
const FATE_COLUMNS: usize = "installed".len();
/// Columns of the longest verdict.
const VERDICT_COLUMNS: usize = "dangerous".len();
/// Digits of a commit or digest that are shown.
const PIN_DIGITS: usize = 10;

/// A source and the start of what it is pinned to.
pub(super) fn pinned(source: &str, pin: Option<&str>) -> String {
    let source = printable_line(source);
    match pin {
        Some(pin) => format!("{source} at {}", pin.chars().take(PIN_DIGITS).collect::<String>()),
        None => source.into_owned(),
    }
}

/// One skill: a line, and below it what there is to know.
pub(super) fn outcome(context: &Context, outcome: &Outcome, style: Style) -> String {
    let verdict = outcome.verdict.map_or("", |verdict| verdict.word());
    let mut page = format!(
        "{:FATE_COLUMNS$}  {:VERDICT_COLUMNS$}  {}  {}",
        outcome.fate.word(),
        verdict,
        printable_line(&outcome.name),
        printable_line(&context.shown(&outcome.path)),
    );
    if !outcome.source.is_empty() {
        let _ = write!(page, "  ({})", pinned(&outcome.source, outcome.pin.as_deref()));
    }
    page.push('\n');
    if let Some(why) = why(&outcome.fate) {
        let _ = writeln!(page, "  {}", printable_line(&why));
    }
    let findings: &[Finding] = if outcome.fate.is_good() { &[] } else { &outcome.findings };
    let news = match outcome.fate {
        Fate::Unchanged => &News::default(),
        _ => &outcome.news,
    };
    for (found, dismissal) in &outcome.dismissed {
        let (rule, place) = (&found.rule, found.place());
        let words = Dismissed::new(found, dismissal).words();
        let _ =
            writeln!(page, "  `{rule}` at {}: {}", printable_line(&place), printable_line(&words));
    }
    page.push_str(&details(findings, news, &outcome.takes, style));
    for (what, files) in [("kept your edits in", &outcome.kept), ("merged", &outcome.merged)] {
        if !files.is_empty() {
            let _ = writeln!(page, "  {what}: {}", printable_line(&files.join(", ")));
        }
    }
    for path in &outcome.stale {
        let path = printable_line(&context.shown(path)).into_owned();
        let _ = writeln!(
            page,
            "  the copy {path} was changed or cannot be written, and stays as it is"
        );
    }
    page
}

/// Why a skill is not what was asked for.
pub(super) fn why(fate: &Fate) -> Option<String> {
    match fate {
        Fate::Blocked(why) | Fate::Refused(why) | Fate::Waits { why, .. } => Some(why.clone()),
        Fate::HeldBack => Some("another skill of the same action could not be had".to_owned()),
        Fate::Gone => Some("its source no longer has it; what is installed stays".to_owned()),
        Fate::Declined => Some("you said no".to_owned()),
        Fate::Installed | Fate::Updated | Fate::Unchanged => None,
    }
}

/// What was found, what is new, and which messages it would take.
pub(super) fn details(findings: &[Finding], news: &News, takes: &Takes, style: Style) -> String {
    let mut page = String::new();
    for found in findings.iter().filter(|found| found.severity > Severity::Info) {
        finding_text(&mut page, found, style);
    }
    // Findings are shown whole above.
    for (what, list) in news.lists().into_iter().filter(|(what, _)| *what != "findings") {
        if !list.is_empty() {
            let _ = writeln!(page, "  new {what}: {}", printable_line(&list.join(", ")));
        }
    }
    for taken in &takes.messages {
        let (message, from) = (printable_line(&taken.message), printable_line(&taken.from));
        let _ = writeln!(page, "  would take `{message}` from `{from}`");
    }
    if takes.unnamed > 0 {
        let _ = writeln!(page, "  would take {} more", count(takes.unnamed, "message"));
    }
    page
}

/// The same for a program.
pub(super) fn arrival(outcome: Outcome) -> Arrival {
    let finding = |found: &Finding| HubFinding {
        rule: found.rule.clone(),
        severity: match found.severity {
            Severity::Critical => "critical",
            Severity::Warn => "warn",
            Severity::Info => "info",
        },
        file: found.file.clone(),
        line: found.line,
        message: found.message.clone(),
        evidence: found.evidence.clone(),
    };
    let taken = |taken: Taken| TakenMessage { message: taken.message, from: taken.from };
    let approval = match &outcome.fate {
        Fate::Waits { id, .. } => Some(id.clone()),
        _ => None,
    };
    Arrival {
        path: text(&outcome.path),
        origin: outcome.origin.id(),
        verdict: outcome.verdict.map(hone_guard::Verdict::word),
        fate: outcome.fate.word(),
        why: why(&outcome.fate),
        approval,
        findings: outcome.findings.iter().map(finding).collect(),
        dismissed: outcome.dismissed.iter().map(|(found, by)| Dismissed::new(found, by)).collect(),
        news: outcome.news,
        takes: outcome.takes.messages.into_iter().map(taken).collect(),
        takes_unnamed: Some(outcome.takes.unnamed).filter(|unnamed| *unnamed > 0),
        takes_unasked: outcome.takes.is_unasked,
        name: outcome.name,
        source: outcome.source,
        pin: outcome.pin,
        kept: outcome.kept,
        merged: outcome.merged,
        stale: outcome.stale.iter().map(|path| text(path)).collect(),
    }
}
