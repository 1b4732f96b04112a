//! Scans the skills of case files and prints how each came out:
//! `cargo run -p hone-guard --example cases -- FILE.cases…`. With `-v`, the findings too.

#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "an example that prints")]

#[path = "../tests/cases/mod.rs"]
mod cases;

fn main() {
    let mut verbose = false;
    let mut only: Option<String> = None;
    let mut totals = [0_usize; 4];
    for argument in std::env::args().skip(1) {
        if argument == "-v" {
            verbose = true;
            continue;
        }
        if let Some(id) = argument.strip_prefix("--only=") {
            only = Some(id.to_owned());
            continue;
        }
        let text = std::fs::read_to_string(&argument).unwrap();
        let mut wrong = Vec::new();
        for case in cases::parse(&text) {
            if only.as_ref().is_some_and(|only| !case.id.starts_with(only.as_str())) {
                continue;
            }
            let report = cases::scan(&case);
            let blocked = report.verdict > hone_guard::Verdict::Safe;
            let good = blocked == case.fires;
            totals[usize::from(case.fires) * 2 + usize::from(good)] += 1;
            if !good {
                wrong.push(format!(
                    "\n    {} {}: {}",
                    case.id,
                    if case.fires { "missed" } else { "benign" },
                    case.title
                ));
            }
            if !good || verbose {
                let shown = report
                    .findings
                    .iter()
                    .filter(|f| verbose && (case.fires || f.severity > hone_guard::Severity::Info));
                for finding in shown {
                    println!(
                        "  {} {} {} {}:{} [{}] {} | {}",
                        case.id,
                        finding.severity,
                        finding.rule,
                        finding.file,
                        finding.line,
                        finding.context.words(),
                        finding.message,
                        finding.evidence
                    );
                }
            }
        }
        println!("{argument}: wrong {} {}", wrong.len(), wrong.join(" "));
    }
    println!(
        "malicious blocked {}/{}; benign left alone {}/{}",
        totals[3],
        totals[2] + totals[3],
        totals[1],
        totals[0] + totals[1]
    );
}
