//! Scans every skill below the given folders and prints those that are not safe:
//! `cargo run -p hone-guard --example corpus -- FOLDER…`. With `-v`, every finding.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints")]

use std::path::Path;

fn main() {
    let mut verbose = false;
    let (mut skills, mut unsafe_ones) = (0_usize, 0_usize);
    for argument in std::env::args().skip(1) {
        if argument == "-v" {
            verbose = true;
            continue;
        }
        walk(Path::new(&argument), &mut |skill| {
            let report = hone_guard::scan(skill).unwrap();
            skills += 1;
            unsafe_ones += usize::from(report.verdict > hone_guard::Verdict::Safe);
            for finding in report
                .findings
                .iter()
                .filter(|f| verbose || f.severity > hone_guard::Severity::Info)
            {
                println!(
                    "{} {} {} {}:{} [{}] {} | {}",
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
        });
    }
    println!("{unsafe_ones} of {skills} skills are not safe");
}

fn walk(folder: &Path, each: &mut dyn FnMut(&Path)) {
    if folder.join("SKILL.md").is_file() {
        each(folder);
        return;
    }
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<_> = entries
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    paths.sort();
    for path in paths {
        walk(&path, each);
    }
}
