//! The report for programs: JSON and SARIF.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hone_guard::{Finding, RULES, RULES_VERSION, Rule, SECOND_OPINION, Severity};
use serde_json::{Value, json};

use super::{Page, Scanned};
use crate::json::{Scan, ScannedSkill, Unscanned};
use crate::sarif;

pub(super) fn json<'a>(page: &'a Page<'_>) -> Scan<'a> {
    let skill = |skill: &'a Scanned| ScannedSkill {
        path: skill.path.to_string_lossy().into_owned(),
        name: &skill.name,
        verdict: skill.report.verdict,
        findings: &skill.report.findings,
        dismissed: &skill.dismissed,
        coverage: &skill.report.coverage,
        inventory: &skill.report.inventory,
        digest: &skill.report.digest,
    };
    let failed = page.failed.iter().map(|failed| Unscanned {
        path: failed.path.to_string_lossy().into_owned(),
        message: failed.message.clone(),
    });
    Scan {
        skills: page.scanned.iter().map(skill).collect(),
        failed: failed.collect(),
        rules_version: RULES_VERSION,
    }
}

/// SARIF 2.1.0. What a person dismissed is there as suppressed. Notes only with `--verbose`: a code scanning page shows each as an alert.
pub(super) fn sarif<'a>(page: &'a Page<'_>, cwd: &'a Path) -> Value {
    let rules: Vec<Value> = RULES.iter().copied().chain([&SECOND_OPINION]).map(rule).collect();
    let results = page.scanned.iter().flat_map(|skill| {
        let result = move |finding: &'a Finding, dismissed: Option<String>| sarif::Result {
            rule: &finding.rule,
            level: level(finding.severity),
            message: message(finding),
            uri: sarif::uri(&file_of(&skill.path, &finding.file), cwd),
            line: finding.line,
            column: finding.column,
            dismissed,
        };
        let counting = skill.shown(page.verbose).map(move |finding| result(finding, None));
        let dismissed = skill.dismissed.iter();
        counting.chain(dismissed.map(move |one| result(&one.finding, Some(one.words()))))
    });
    sarif::log(&rules, results)
}

fn rule(rule: &Rule) -> Value {
    let mut shown = sarif::rule(rule.id, rule.sentence);
    shown["fullDescription"] = json!({"text": format!("{}. {}.", rule.sentence, rule.why)});
    shown["help"] = json!({
        "text": format!("{}.\n\n{}.", rule.why, rule.fix),
        "markdown": format!("{}.\n\n**What to do:** {}.", rule.why, rule.fix),
    });
    shown["properties"] = json!({"tags": ["security", rule.category]});
    shown
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "error",
        Severity::Warn => "warning",
        Severity::Info => "note",
    }
}

fn message(finding: &Finding) -> String {
    let mut text = finding.message.clone();
    if let Some(flow) = &finding.flow {
        let _ = write!(text, " [{flow}]");
    }
    if !finding.evidence.is_empty() {
        let _ = write!(text, ": {}", finding.evidence);
    }
    if finding.file.contains('!') {
        // The location is that of the archive.
        let _ = write!(text, " (in {})", finding.file);
    }
    text
}

/// The file on disk that a finding is about; of a member of an archive, the archive.
fn file_of(skill: &Path, file: &str) -> PathBuf {
    let folder = if skill.is_file() { skill.parent().unwrap_or(skill) } else { skill };
    let whole = folder.join(file);
    match file.split_once('!') {
        Some((archive, _)) if whole.symlink_metadata().is_err() => folder.join(archive),
        _ => whole,
    }
}
