//! `hone scan`: is a skill safe?
//!
//! Finds what is meant ([`targets`]), scans it on all cores with the kept reports at hand ([`work`]),
//! and prints the result in one of five forms. What a skill says reaches the output only escaped.

mod deep;
mod formats;
mod html;
mod markdown;
mod rules;
mod table;
mod targets;
mod work;

pub(crate) use table::finding as finding_text;
pub(crate) use targets::MAX_DEPTH;

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_guard::policy::judge;
use hone_guard::{Files, Finding, Report, Severity, Verdict};
use hone_library::{Listed, State, reports};
use hone_skill::Dismissal;

use crate::cli::{self, ScanFormat};
use crate::context::{Context, now};
use crate::json::Dismissed;
use crate::output::{FAILED, NO, Outcome, count, print, print_json, say};
use crate::terminal::style;

/// A skill and what was found in it.
#[derive(Debug, Clone)]
struct Scanned {
    /// Its folder or file.
    path: PathBuf,
    name: String,
    report: Report,
    /// Findings that a person dismissed: shown apart, they do not count.
    dismissed: Vec<Dismissed>,
    /// The report was made before.
    is_kept: bool,
}

impl Scanned {
    /// The findings to show: with `verbose` all, else those that count.
    fn shown(&self, verbose: bool) -> impl Iterator<Item = &Finding> {
        self.report.findings.iter().filter(move |found| verbose || found.severity > Severity::Info)
    }

    /// Sets aside what a person dismissed of this very content, while the dismissal lasts.
    fn set_aside(&mut self, dismissals: &[Dismissal], now: i64) {
        let judgement = judge(&self.report, dismissals, now);
        let dismissed = judgement
            .dismissed
            .iter()
            .map(|(finding, dismissal)| Dismissed::new(finding, dismissal));
        self.dismissed = dismissed.collect();
        let findings = judgement.findings.into_iter().cloned().collect();
        self.report.verdict = judgement.verdict;
        self.report.findings = findings;
    }

    fn notes(&self) -> usize {
        self.report.findings.iter().filter(|found| found.severity == Severity::Info).count()
    }
}

/// Something that could not be scanned.
#[derive(Debug, Clone)]
struct Failed {
    path: PathBuf,
    message: String,
}

/// Everything that one call has to tell.
struct Page<'a> {
    scanned: Vec<Scanned>,
    failed: Vec<Failed>,
    verbose: bool,
    /// A path as a person wants to see it.
    shown: &'a dyn Fn(&Path) -> String,
}

impl Page<'_> {
    /// How many skills have a verdict.
    fn with(&self, verdict: Verdict) -> usize {
        self.scanned.iter().filter(|skill| skill.report.verdict == verdict).count()
    }

    /// The worst verdict of all.
    fn worst(&self) -> Verdict {
        self.scanned.iter().map(|skill| skill.report.verdict).max().unwrap_or(Verdict::Safe)
    }

    /// The result in one sentence.
    fn summary(&self) -> String {
        let found = self.scanned.iter().map(|skill| skill.shown(false).count()).sum();
        let verdicts: Vec<String> = Verdict::ALL
            .iter()
            .rev()
            .filter(|verdict| self.with(**verdict) > 0)
            .map(|verdict| format!("{} {verdict}", self.with(*verdict)))
            .collect();
        let mut text = format!("{} scanned", count(self.scanned.len(), "skill"));
        if !verdicts.is_empty() {
            text.push_str(": ");
            text.push_str(&verdicts.join(", "));
        }
        text.push_str("; ");
        text.push_str(&count(found, "finding"));
        let dismissed: usize = self.scanned.iter().map(|skill| skill.dismissed.len()).sum();
        if dismissed > 0 {
            let _ = write!(text, ", {dismissed} dismissed");
        }
        if !self.failed.is_empty() {
            let _ = write!(text, "; {} could not be scanned", self.failed.len());
        }
        text
    }
}

pub(crate) fn scan(context: &Context, options: &cli::Scan) -> Outcome {
    let format = if options.json { ScanFormat::Json } else { options.format };
    if let Some(id) = &options.explain {
        return rules::explain(id, format);
    }
    if options.rules {
        return rules::list(format);
    }
    let targets::Found { targets, failed, notes } = targets::find(context, &options.what)?;
    for note in notes {
        say(&format!("note: {note}"));
    }
    let cache = (!options.no_cache).then_some(&context.state);
    let reader = options.deep.then(|| deep::Reader::find(context)).transpose()?;
    let held = reader.as_ref().map(|_| deep::held(&targets)).unwrap_or_default();
    let (mut scanned, mut more) = work::scan_all(targets, cache);
    if let Some(reader) = reader {
        let unread = reader.read(&held, &mut scanned);
        // What the second reader said nothing about is not safe for that.
        let is_unread = |skill: &Scanned| unread.iter().any(|failed| failed.path == skill.path);
        scanned.retain(|skill| skill.report.verdict > Verdict::Safe || !is_unread(skill));
        more.extend(unread);
    }
    // A dismissal that cannot be read does not count.
    let dismissals = context.state.dismissals().unwrap_or_default();
    for skill in &mut scanned {
        skill.set_aside(&dismissals, now());
    }
    context.tell_notes();
    let shown = |path: &Path| context.shown(path);
    let failed = failed.into_iter().chain(more).collect();
    let page = Page { scanned, failed, verbose: options.verbose, shown: &shown };
    match format {
        ScanFormat::Table => print(&table::page(&page, style()))?,
        ScanFormat::Json => print_json(&formats::json(&page))?,
        ScanFormat::Sarif => print_json(&formats::sarif(&page, &context.around.cwd))?,
        ScanFormat::Markdown => print(&markdown::page(&page))?,
        ScanFormat::Html => print(&html::page(&page))?,
    };
    for failed in &page.failed {
        say(&format!("error: {}: {}", context.shown(&failed.path), failed.message));
    }
    if format == ScanFormat::Table {
        say(&closing(&page));
    }
    // What was found is an answer, though something else could not be read.
    Ok(if page.worst() >= options.fail_on.into() {
        ExitCode::from(NO)
    } else if page.failed.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(FAILED)
    })
}

/// The summary with what else a person at a terminal wants to know.
fn closing(page: &Page<'_>) -> String {
    let mut text = page.summary();
    let notes: usize = page.scanned.iter().map(Scanned::notes).sum();
    if notes > 0 && !page.verbose {
        let _ = write!(text, ", {} (`-v` shows them)", count(notes, "note"));
    }
    let kept = page.scanned.iter().filter(|skill| skill.is_kept).count();
    if kept > 0 {
        let _ = write!(text, "; {kept} unchanged since the last scan");
    }
    let rule = page.scanned.iter().flat_map(|skill| skill.shown(false)).map(|found| &found.rule);
    if let Some(rule) = rule.min() {
        let _ = write!(text, "\n`hone scan --explain {rule}` tells more about a rule");
    }
    text
}

/// The verdict of the newest scan of a skill over the findings that count, if its files are still the
/// ones that were scanned.
pub(crate) fn known_verdict(state: &State, skill: &Listed) -> Option<Verdict> {
    let (key, _) = reports::newest(state, skill.key())?;
    if Files::read(skill.key()).ok()?.key() != key {
        return None;
    }
    let report: Report = serde_json::from_str(&reports::find(state, &key)?).ok()?;
    let dismissals = state.dismissals().unwrap_or_default();
    Some(judge(&report, &dismissals, now()).verdict)
}
