//! `hone agent log`: the versions of an agent and what changed in each.

use std::fmt::Write as _;

use hone_agent::brain::{FactDelta, Version};
use hone_agent::lineage::receipt::SkillMark;
use hone_library::FileDelta;
use hone_library::usage::iso;

use super::failure;
use super::lineage::{find, kind, time};
use crate::context::Context;
use crate::json::lineage::{AgentLog, ChangedFact, LoggedVersion};
use crate::output::{Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal, style};

/// Lines of a version's differences that are shown.
const MAX_DIFF_LINES: usize = 400;
/// Columns of a fact where no terminal says how wide a line may be.
const FACT_COLUMNS: usize = 400;

pub(crate) fn log(
    context: &Context,
    id: &str,
    limit: usize,
    with_diff: bool,
    as_json: bool,
) -> Outcome {
    let brain = find(context, id)?;
    let mut versions = brain.versions().map_err(failure)?;
    let older = versions.len().saturating_sub(limit);
    versions.drain(..older);
    let mut shown = Vec::new();
    for version in versions.iter().rev() {
        let files = if with_diff { brain.changes(&context.state, version) } else { Ok(Vec::new()) };
        shown.push((version, files.map_err(failure)?));
    }
    if as_json {
        let versions = shown.iter().map(|(version, files)| logged(version, files)).collect();
        return print_json(&AgentLog { versions, older });
    }
    if versions.is_empty() {
        say("nothing is signed yet; the first task does it");
    }
    let mut text = String::new();
    for (version, files) in &shown {
        page(&mut text, version, files);
    }
    print(&text)?;
    if older > 0 {
        say(&format!("and {older} older; `--limit` shows more"));
    }
    Ok(std::process::ExitCode::SUCCESS)
}

fn names(marks: &[SkillMark]) -> Vec<String> {
    marks.iter().map(|mark| mark.name.clone()).collect()
}

fn logged(version: &Version, files: &[FileDelta]) -> LoggedVersion {
    let Version { receipt, facts } = version;
    let task = receipt.task.as_ref();
    let skills = task.map(|task| &task.skills);
    LoggedVersion {
        version: receipt.after.version,
        at: iso(i64::try_from(receipt.at).unwrap_or(0)),
        receipt: receipt.index,
        kind: kind(receipt.kind),
        task: task.map(|task| task.id.clone()),
        created: skills.map(|skills| names(&skills.created)).unwrap_or_default(),
        changed: skills.map(|skills| names(&skills.changed)).unwrap_or_default(),
        removed: skills.map(|skills| skills.removed.clone()).unwrap_or_default(),
        facts: facts.iter().map(|fact| fact.key.clone()).collect(),
        fact_changes: facts.iter().map(ChangedFact::from).collect(),
        members: receipt.changes.clone(),
        files: files.iter().map(hone_library::ChangedFile::from).collect(),
    }
}

/// One version as a person reads it.
fn page(text: &mut String, version: &Version, files: &[FileDelta]) {
    let room = if stdout_is_terminal() { columns() } else { FACT_COLUMNS };
    let Version { receipt, facts } = version;
    let task = receipt.task.as_ref();
    let head = format!(
        "v{}  {}  {} {}",
        receipt.after.version,
        time(receipt.at),
        kind(receipt.kind),
        printable_line(task.map_or("", |task| &task.id))
    );
    let _ = writeln!(text, "{}", head.trim_end());
    let mut line = |words: String| {
        let words = format!("    {}", printable_line(&words));
        let _ = writeln!(text, "{}", fit(&words, room));
    };
    if let Some(task) = task {
        for (word, names) in [
            ("new skill", names(&task.skills.created)),
            ("changed skill", names(&task.skills.changed)),
            ("removed skill", task.skills.removed.clone()),
        ] {
            for name in names {
                line(format!("{word} {name}"));
            }
        }
    }
    for fact in facts {
        line(said(fact));
    }
    for name in &receipt.changes {
        line(format!("changed {name}"));
    }
    let diff = crate::diff::shown(files, style());
    let mut lines = diff.split_inclusive('\n');
    text.extend(lines.by_ref().take(MAX_DIFF_LINES));
    match lines.count() {
        0 => {}
        more => {
            let more = count(more, "more line");
            let _ = writeln!(text, "    … and {more} (`--json` has all)");
        }
    }
}

/// A fact in a line.
fn said(fact: &FactDelta) -> String {
    let FactDelta { key, subscriber, before, after } = fact;
    let whose = match subscriber.as_deref() {
        None => " (everybody's)".to_owned(),
        Some("") => String::new(),
        Some(name) => format!(" (of {name})"),
    };
    let was = before.as_ref().map_or(String::new(), |before| format!(" (was: {before})"));
    format!("fact {key}{whose}: {after}{was}")
}
