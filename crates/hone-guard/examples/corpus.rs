//! Scans every skill below the given folders and prints how many are blocked, and by which rules:
//! `cargo run -p hone-guard --example corpus -- [-v] [--rule=ID] FOLDER…`. With `-v`, the findings too.

#![allow(clippy::print_stdout, reason = "a runner that prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_guard::{Severity, Verdict};

fn main() {
    let mut verbose = false;
    let mut rule = None;
    let mut skills = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.strip_prefix("--rule=") {
            Some(id) => rule = Some(id.to_owned()),
            None if argument == "-v" => verbose = true,
            None => find(Path::new(&argument), &mut skills),
        }
    }
    skills.sort();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let mut verdicts: BTreeMap<Verdict, usize> = BTreeMap::new();
    let started = std::time::Instant::now();
    for skill in &skills {
        let Ok(report) = hone_guard::scan(skill) else {
            println!("{}: could not be read", skill.display());
            continue;
        };
        *verdicts.entry(report.verdict).or_default() += 1;
        let mut blocking: Vec<_> =
            report.findings.iter().filter(|f| f.severity > Severity::Info).collect();
        for finding in
            blocking.iter().filter(|f| verbose && rule.as_ref().is_none_or(|rule| f.rule == *rule))
        {
            println!(
                "{}: {} {} {}:{} [{}] {} | {}",
                skill.display(),
                finding.severity,
                finding.rule,
                finding.file,
                finding.line,
                finding.context.words(),
                finding.message,
                finding.evidence
            );
        }
        blocking.sort_by(|a, b| a.rule.cmp(&b.rule));
        blocking.dedup_by(|a, b| a.rule == b.rule);
        for finding in blocking {
            *rules.entry(finding.rule.clone()).or_default() += 1;
        }
    }
    for (rule, count) in &rules {
        println!("{count:6} {rule}");
    }
    let safe = verdicts.get(&Verdict::Safe).copied().unwrap_or(0);
    println!(
        "{} skills in {:?}; blocked {} ({:?})",
        skills.len(),
        started.elapsed(),
        skills.len() - safe,
        verdicts
    );
}

/// The folders that hold a `SKILL.md`.
fn find(folder: &Path, skills: &mut Vec<PathBuf>) {
    if folder.join("SKILL.md").is_file() {
        skills.push(folder.to_owned());
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            find(&entry.path(), skills);
        }
    }
}
