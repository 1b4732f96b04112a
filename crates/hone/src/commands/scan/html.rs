//! The report as one HTML page without scripts and without anything from elsewhere: for a browser,
//! light or dark, and for a printer.

use std::fmt::Write as _;

use hone_guard::{Finding, RULES_VERSION, Severity};

use super::table::{coverage, lists};
use super::{Page, Scanned};
use crate::output::count;
use crate::terminal::printable_line;

const STYLE: &str = "\
:root{color-scheme:light dark;--line:#8884;--soft:#8882;--bad:#c62828;--warn:#9a6700;--good:#2e7d32}
@media (prefers-color-scheme:dark){:root{--bad:#ff8a80;--warn:#ffd54f;--good:#a5d6a7}}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%}
th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
code,pre{font-family:ui-monospace,monospace;font-size:.9em;background:var(--soft);border-radius:.2rem;\
padding:.1rem .3rem;overflow-wrap:anywhere;white-space:pre-wrap}
pre{padding:.6rem;margin:.4rem 0}
article{border-left:.25rem solid var(--line);padding:.1rem 1rem;margin:1rem 0;break-inside:avoid}
article.critical{border-color:var(--bad)}article.warn{border-color:var(--warn)}
.dangerous,.critical strong{color:var(--bad)}.caution,.warn strong{color:var(--warn)}.safe{color:var(--good)}
.dangerous,.caution,.safe{font-weight:bold}
h2{margin-top:2.5rem;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
h3{margin:.5rem 0}p{margin:.4rem 0}footer{margin-top:3rem;opacity:.7}
@media print{body{margin:0;max-width:none;font-size:11pt}a{color:inherit;text-decoration:none}}
";

pub(super) fn page(page: &Page<'_>) -> String {
    let mut text = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Skill scan</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>Skill scan</h1>\n<p>{}.</p>\n",
        escaped(&page.summary())
    );
    if !page.scanned.is_empty() {
        text.push_str(
            "<table>\n<thead><tr><th>Verdict</th><th>Skill</th><th>Findings</th><th>Path</th></tr></thead>\n<tbody>\n",
        );
        for (number, skill) in page.scanned.iter().enumerate() {
            let verdict = skill.report.verdict;
            let mut name = escaped(&skill.name);
            if has_section(skill, page.verbose) {
                name = format!("<a href=\"#skill-{number}\">{name}</a>");
            }
            let _ = writeln!(
                text,
                "<tr><td class=\"{verdict}\">{verdict}</td><td>{name}</td><td>{}</td><td>{}</td></tr>",
                skill.shown(false).count(),
                code(&(page.shown)(&skill.path)),
            );
        }
        text.push_str("</tbody>\n</table>\n");
    }
    for failed in &page.failed {
        let path = code(&(page.shown)(&failed.path));
        let _ = writeln!(
            text,
            "<p><strong>Not scanned:</strong> {path}: {}</p>",
            escaped(&failed.message)
        );
    }
    for (number, skill) in page.scanned.iter().enumerate() {
        if has_section(skill, page.verbose) {
            section(&mut text, number, skill, page.verbose);
        }
    }
    let _ = writeln!(
        text,
        "<footer>hone {}, rules {RULES_VERSION}</footer>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    );
    text
}

fn has_section(skill: &Scanned, verbose: bool) -> bool {
    verbose || skill.shown(false).next().is_some() || !skill.dismissed.is_empty()
}

fn section(text: &mut String, number: usize, skill: &Scanned, verbose: bool) {
    let verdict = skill.report.verdict;
    let _ = writeln!(
        text,
        "<section id=\"skill-{number}\">\n<h2>{} <span class=\"{verdict}\">{verdict}</span></h2>",
        escaped(&skill.name)
    );
    for found in skill.shown(verbose) {
        finding(text, found);
    }
    if !skill.dismissed.is_empty() {
        text.push_str("<h3>Dismissed</h3>\n<ul>\n");
        for dismissed in &skill.dismissed {
            let found = &dismissed.finding;
            let (rule, place) = (code(&found.rule), code(&found.place()));
            let (message, words) = (escaped(&found.message), escaped(&dismissed.words()));
            let _ = writeln!(text, "<li>{rule} {place}: {message}; {words}</li>");
        }
        text.push_str("</ul>\n");
    }
    if verbose {
        text.push_str("<ul>\n");
        for (what, items) in lists(skill) {
            let items: Vec<String> = items.iter().map(|item| code(item)).collect();
            if !items.is_empty() {
                let _ = writeln!(text, "<li>{what}: {}</li>", items.join(", "));
            }
        }
        let _ = writeln!(text, "<li>{}</li>\n</ul>", coverage(skill));
    } else if skill.notes() > 0 {
        let _ = writeln!(text, "<p>And {}.</p>", count(skill.notes(), "note"));
    }
    text.push_str("</section>\n");
}

fn finding(text: &mut String, found: &Finding) {
    let word = if found.severity == Severity::Info { "note" } else { found.severity.word() };
    let _ = writeln!(
        text,
        "<article class=\"{word}\">\n<h3><strong>{word}</strong> {}</h3>\n<p>{}</p>\n<p>{} ({})</p>",
        code(&found.rule),
        escaped(&found.message),
        code(&found.place()),
        found.context.words(),
    );
    if !found.evidence.is_empty() {
        let _ = writeln!(text, "<pre>{}</pre>", escaped(&found.evidence));
    }
    if let Some(flow) = &found.flow {
        let _ = writeln!(text, "<p>Flow: {}</p>", escaped(&flow.to_string()));
    }
    let _ = writeln!(
        text,
        "<p>Why: {}</p>\n<p>What to do: {}</p>\n</article>",
        escaped(&found.why),
        escaped(&found.hint)
    );
}

fn code(words: &str) -> String {
    format!("<code>{}</code>", escaped(words))
}

fn escaped(words: &str) -> String {
    let mut text = String::new();
    for character in printable_line(words).chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\'' => text.push_str("&#39;"),
            _ => text.push(character),
        }
    }
    text
}
