//! Scans every folder given (or each folder inside it that holds a `SKILL.md`) and prints which get
//! caution or dangerous, by rule: `cargo run --release -p hone-guard --example corpus -- DIR…`.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

fn main() {
    let mut folders = Vec::new();
    for argument in std::env::args().skip(1) {
        gather(Path::new(&argument), &mut folders, 0);
    }
    folders.sort();
    let mut rules: BTreeMap<String, usize> = BTreeMap::new();
    let (mut caution, mut dangerous) = (0, 0);
    for folder in &folders {
        let report = hone_guard::scan(folder).unwrap();
        match report.verdict {
            hone_guard::Verdict::Safe => continue,
            hone_guard::Verdict::Caution => caution += 1,
            hone_guard::Verdict::Dangerous => dangerous += 1,
        }
        println!("{} {}", report.verdict, folder.display());
        let mut seen = Vec::new();
        for finding in report.findings.iter().filter(|f| f.severity > hone_guard::Severity::Info) {
            println!(
                "    {} {} {}:{} [{}] {} | {}",
                finding.severity,
                finding.rule,
                finding.file,
                finding.line,
                finding.context.words(),
                finding.message,
                finding.evidence
            );
            if !seen.contains(&finding.rule) {
                seen.push(finding.rule.clone());
                *rules.entry(finding.rule.clone()).or_default() += 1;
            }
        }
    }
    for (rule, count) in rules {
        println!("{count:5} {rule}");
    }
    println!("{} skills, caution {caution}, dangerous {dangerous}", folders.len());
}

fn gather(folder: &Path, found: &mut Vec<PathBuf>, depth: usize) {
    if folder.join("SKILL.md").exists() {
        found.push(folder.to_owned());
        return;
    }
    if depth < 8
        && let Ok(entries) = std::fs::read_dir(folder)
    {
        for entry in entries.filter_map(Result::ok).filter(|e| e.path().is_dir()) {
            gather(&entry.path(), found, depth + 1);
        }
    }
}
