//! The rules for people: a page on one, a list of all, and the page of the book that holds them.

use std::fmt::Write as _;

use hone_guard::{RULES, RULES_VERSION, Rule, SECOND_OPINION};

use crate::cli::ScanFormat;
use crate::json::{RuleExample, ScanRule, ScanRules};
use crate::output::{Failure, Outcome, print, print_json};
use crate::terminal::printable;

/// What an example starts with when its first line belongs into the frontmatter.
const FRONTMATTER: &str = "frontmatter: ";

fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().copied().chain([&SECOND_OPINION])
}

/// `--explain RULE`.
pub(super) fn explain(id: &str, format: ScanFormat) -> Outcome {
    let rule = hone_guard::rule(id).ok_or_else(|| {
        let known = all().map(|rule| rule.id).filter(|known| known.contains(id));
        let hint = match known.min() {
            Some(known) if !id.is_empty() => format!("did you mean `{known}`?"),
            _ => "`hone scan --rules` lists them".to_owned(),
        };
        Failure::failed(format!("there is no rule `{id}`"), &hint)
    })?;
    match format {
        ScanFormat::Table => print(&plain(rule)),
        ScanFormat::Markdown => print(&section(rule, 1)),
        ScanFormat::Json => print_json(&json([rule])),
        ScanFormat::Sarif | ScanFormat::Html => Err(no_such_form()),
    }
}

/// `--rules`.
pub(super) fn list(format: ScanFormat) -> Outcome {
    match format {
        ScanFormat::Table => {
            let room = all().map(|rule| rule.id.len()).max().unwrap_or(0);
            let line =
                |rule: &Rule| format!("{:room$}  {}  {}\n", rule.id, rule.category, rule.sentence);
            print(&all().map(line).collect::<String>())
        }
        ScanFormat::Markdown => print(&book()),
        ScanFormat::Json => print_json(&json(all())),
        ScanFormat::Sarif | ScanFormat::Html => Err(no_such_form()),
    }
}

fn no_such_form() -> Failure {
    Failure::failed("rules are printed as table, json or markdown", "")
}

fn json(rules: impl IntoIterator<Item = &'static Rule>) -> ScanRules {
    let rules = rules.into_iter().map(|rule| ScanRule {
        id: rule.id,
        category: rule.category,
        sentence: rule.sentence,
        why: rule.why,
        fix: rule.fix,
        fires: example(rule.fires),
        quiet: example(rule.quiet),
    });
    ScanRules { rules: rules.collect(), rules_version: RULES_VERSION }
}

/// An example as it stands in a skill, unless it is empty: then a text cannot show the rule.
fn example((file, text): (&'static str, &str)) -> Option<RuleExample> {
    if text.is_empty() {
        return None;
    }
    let text = match text.strip_prefix(FRONTMATTER) {
        Some(rest) => {
            let (key, body) = rest.split_once('\n').unwrap_or((rest, ""));
            format!("---\n{key}\n---\n{body}")
        }
        None => text.to_owned(),
    };
    Some(RuleExample { file, text })
}

/// Both examples with what is said before them.
fn examples(rule: &Rule) -> impl Iterator<Item = (&'static str, RuleExample)> {
    let fires = example(rule.fires).map(|example| ("Found", example));
    fires.into_iter().chain(example(rule.quiet).map(|example| ("Left alone", example)))
}

fn plain(rule: &Rule) -> String {
    let mut text = format!("{} ({})\n{}.\n\n", rule.id, rule.category, rule.sentence);
    let _ = write!(text, "Why: {}.\nWhat to do: {}.\n", rule.why, rule.fix);
    for (word, example) in examples(rule) {
        let _ = write!(text, "\n{word}, in {}:\n", printable(example.file));
        for line in example.text.lines() {
            let _ = writeln!(text, "    {}", printable(line));
        }
    }
    text
}

/// The page of the book: every rule.
fn book() -> String {
    let mut text = "# Rules of the scanner\n\n\
         This page is made from the rules themselves: `hone scan --rules --format markdown` prints it, and \
         `hone scan --explain RULE` prints one of them. Each rule has a text that it must find and a look-alike \
         that it must leave alone; both are tests. Hidden characters are spelled out here. The code in brackets is that of the OWASP Agentic \
         Skills Top 10.\n\n| rule | what it finds |\n|---|---|\n"
        .to_owned();
    for rule in all() {
        let _ = writeln!(text, "| [`{0}`](#{0}) | {1} |", rule.id, rule.sentence);
    }
    for rule in all() {
        text.push('\n');
        text.push_str(&section(rule, 2));
    }
    text
}

fn section(rule: &Rule, level: usize) -> String {
    let mut text = format!("{} {}\n\n", "#".repeat(level), rule.id);
    let _ = write!(
        text,
        "{} ({}).\n\n{}.\n\n**What to do:** {}.\n",
        rule.sentence, rule.category, rule.why, rule.fix
    );
    for (word, example) in examples(rule) {
        let _ = write!(text, "\n{word}, in `{}`:\n\n", printable(example.file));
        let fence = if example.text.contains("```") { "````" } else { "```" };
        let _ = writeln!(
            text,
            "{fence}text\n{}\n{fence}",
            printable(&example.text).trim_end_matches('\n')
        );
    }
    text
}
