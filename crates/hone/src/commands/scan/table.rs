//! The report for people at a terminal: a line a skill, and below it what was found.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Effects};
use hone_guard::{Finding, Severity, Verdict};
use unicode_width::UnicodeWidthStr;

use super::{Page, Scanned};
use crate::output::count;
use crate::terminal::{Style, fit, hung, printable_line, room};

/// Columns that the names of skills get at most.
const NAME_COLUMNS: usize = 32;
/// Columns of the longest verdict.
const VERDICT_COLUMNS: usize = "dangerous".len();

pub(super) fn page(page: &Page<'_>, style: Style) -> String {
    let names: Vec<String> = page
        .scanned
        .iter()
        .map(|skill| fit(&printable_line(&skill.name), NAME_COLUMNS).into_owned())
        .collect();
    let room = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let mut text = String::new();
    for (skill, name) in page.scanned.iter().zip(&names) {
        let verdict = skill.report.verdict;
        let word = format!("{:VERDICT_COLUMNS$}", verdict.word());
        let blanks = " ".repeat(room - name.width());
        let path = (page.shown)(&skill.path);
        let _ = writeln!(
            text,
            "{}  {name}{blanks}  {}",
            painted(style, colour(verdict), &word),
            printable_line(&path)
        );
        let is_long = text_of(&mut text, skill, page.verbose, style);
        if is_long {
            text.push('\n');
        }
    }
    text
}

/// What there is to say about one skill; whether that was anything.
fn text_of(text: &mut String, skill: &Scanned, verbose: bool, style: Style) -> bool {
    let before = text.len();
    for found in skill.shown(verbose) {
        finding(text, found, style);
    }
    for dismissed in &skill.dismissed {
        let found = &dismissed.finding;
        let mut line = |lead: &str, words: &str| {
            let _ = writeln!(text, "{}", hung(lead, &printable_line(words), room()));
        };
        line(&format!("  dismissed[{}]: ", printable_line(&found.rule)), &found.message);
        line("   --> ", &found.place());
        line("     = ", &dismissed.words());
    }
    if verbose {
        inventory(text, skill);
    } else if text.len() > before && skill.notes() > 0 {
        let _ = writeln!(text, "  and {}", count(skill.notes(), "note"));
    }
    text.len() > before
}

/// One finding: what, where, the evidence and what to do, as wide as the terminal.
pub(crate) fn finding(text: &mut String, found: &Finding, style: Style) {
    finding_within(text, found, style, room());
}

/// The same within so many columns.
pub(super) fn finding_within(text: &mut String, found: &Finding, style: Style, room: usize) {
    let (word, colour) = match found.severity {
        Severity::Critical => ("critical", AnsiColor::Red),
        Severity::Warn => ("warn", AnsiColor::Yellow),
        Severity::Info => ("note", AnsiColor::Cyan),
    };
    // The colour takes no column.
    let lead = format!("  {word}[{}]: ", printable_line(&found.rule));
    let said = hung(&lead, &printable_line(&found.message), room);
    let _ = writeln!(text, "{}", said.replacen(word, &painted(style, colour, word), 1));
    let mut line = |lead: &str, words: &str| {
        if !words.is_empty() {
            let _ = writeln!(text, "{}", hung(lead, &printable_line(words), room));
        }
    };
    line("   --> ", &format!("{} ({})", found.place(), found.context.words()));
    line("     | ", &found.evidence);
    line("     = flow: ", &found.flow.as_ref().map(ToString::to_string).unwrap_or_default());
    if found.severity > Severity::Info {
        line("     = do: ", &found.hint);
    }
}

/// What the skill reaches, reads and runs, and how much of it was looked at.
fn inventory(text: &mut String, skill: &Scanned) {
    for (what, items) in lists(skill) {
        let items: Vec<_> = items.iter().map(|item| printable_line(item)).collect();
        if !items.is_empty() {
            let _ = writeln!(text, "  {what}: {}", items.join(", "));
        }
    }
    let _ = writeln!(text, "  {}", coverage(skill));
}

/// The inventory, each list with its name.
pub(super) fn lists(skill: &Scanned) -> [(&'static str, &[String]); 6] {
    let inventory = &skill.report.inventory;
    [
        ("hosts", &inventory.hosts),
        ("environment", &inventory.environment),
        ("commands", &inventory.commands),
        ("tools", &inventory.tools),
        ("scripts", &inventory.scripts),
        ("hooks", &inventory.hooks),
    ]
}

/// How much was looked at, in a sentence.
pub(super) fn coverage(skill: &Scanned) -> String {
    let coverage = &skill.report.coverage;
    let mut text = format!(
        "looked at {} of {}, {}",
        coverage.scanned,
        count(coverage.files, "file"),
        count(usize::try_from(coverage.bytes).unwrap_or(usize::MAX), "byte")
    );
    if coverage.decoded > 0 {
        let _ = write!(text, ", {} decoded", count(coverage.decoded, "text"));
    }
    if !coverage.incomplete.is_empty() {
        let _ = write!(text, ", {} not whole", count(coverage.incomplete.len(), "file"));
    }
    text
}

fn colour(verdict: Verdict) -> AnsiColor {
    match verdict {
        Verdict::Safe => AnsiColor::Green,
        Verdict::Caution => AnsiColor::Yellow,
        Verdict::Dangerous => AnsiColor::Red,
    }
}

fn painted(style: Style, colour: AnsiColor, text: &str) -> String {
    let paint = colour.on_default().effects(Effects::BOLD);
    match style {
        Style::Ansi => format!("{paint}{text}{paint:#}"),
        Style::Plain => text.to_owned(),
    }
}
