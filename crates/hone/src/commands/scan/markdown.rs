//! The report as Markdown, for a pull request or an issue. Words of a skill are escaped or stand in
//! code spans, so they neither format, link nor mention anybody.

use std::fmt::Write as _;

use hone_guard::{Finding, Severity, Verdict};

use super::table::{coverage, lists};
use super::{Page, Scanned};
use crate::output::count;
use crate::terminal::printable_line;

pub(super) fn page(page: &Page<'_>) -> String {
    let mut text = format!("# Skill scan\n\n{}.\n", page.summary());
    if !page.scanned.is_empty() {
        text.push_str("\n| verdict | skill | findings | path |\n|---|---|---|---|\n");
    }
    for skill in &page.scanned {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            marked(skill.report.verdict),
            escaped(&skill.name),
            skill.shown(false).count(),
            in_table(&code(&(page.shown)(&skill.path))),
        );
    }
    for failed in &page.failed {
        let path = code(&(page.shown)(&failed.path));
        let _ = write!(text, "\nNot scanned: {path}: {}\n", escaped(&failed.message));
    }
    for skill in &page.scanned {
        about(&mut text, skill, page.verbose);
    }
    text
}

fn about(text: &mut String, skill: &Scanned, verbose: bool) {
    if !verbose && skill.shown(false).next().is_none() && skill.dismissed.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {}: {}\n", escaped(&skill.name), skill.report.verdict);
    for found in skill.shown(verbose) {
        finding(text, found);
    }
    if !skill.dismissed.is_empty() {
        text.push_str("\nDismissed:\n\n");
        for dismissed in &skill.dismissed {
            let found = &dismissed.finding;
            let (rule, place) = (code(&found.rule), code(&found.place()));
            let words = escaped(&dismissed.words());
            let _ = writeln!(text, "- {rule} {place}: {}; {words}", escaped(&found.message));
        }
    }
    let notes = skill.notes();
    if verbose {
        text.push('\n');
        for (what, items) in lists(skill) {
            let items: Vec<String> = items.iter().map(|item| code(item)).collect();
            if !items.is_empty() {
                let _ = writeln!(text, "- {what}: {}", items.join(", "));
            }
        }
        let _ = writeln!(text, "- {}", coverage(skill));
    } else if notes > 0 {
        let _ = write!(text, "\nAnd {}.\n", count(notes, "note"));
    }
}

fn finding(text: &mut String, found: &Finding) {
    let word = match found.severity {
        Severity::Critical => "**critical**",
        Severity::Warn => "**warn**",
        Severity::Info => "note",
    };
    let place = code(&found.place());
    let _ = write!(text, "\n### {} {word}\n\n", code(&found.rule));
    let _ = writeln!(text, "{} in {place} ({})\n", escaped(&found.message), found.context.words());
    if !found.evidence.is_empty() {
        let _ = writeln!(text, "- Evidence: {}", code(&found.evidence));
    }
    if let Some(flow) = &found.flow {
        let _ = writeln!(text, "- Flow: {}", code(&flow.to_string()));
    }
    let _ = writeln!(text, "- Why: {}", escaped(&found.why));
    let _ = writeln!(text, "- What to do: {}", escaped(&found.hint));
}

fn marked(verdict: Verdict) -> String {
    match verdict {
        Verdict::Safe => verdict.to_string(),
        Verdict::Caution | Verdict::Dangerous => format!("**{verdict}**"),
    }
}

/// Words on one line that mean themselves: no markup, no link, no mention.
pub(super) fn escaped(words: &str) -> String {
    let mut text = String::new();
    for character in printable_line(words).chars() {
        match character {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            // These make a link or a mention of plain words.
            '@' => text.push_str("&#64;"),
            ':' => text.push_str("&#58;"),
            '.' => text.push_str("&#46;"),
            '#' => text.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '+' | '!' | '|' | '~'
            | '$' => {
                text.push('\\');
                text.push(character);
            }
            _ => text.push(character),
        }
    }
    text
}

/// Words on one line as a code span, whatever backticks they hold.
pub(super) fn code(words: &str) -> String {
    let words = printable_line(words);
    let (mut longest, mut run) = (0, 0);
    for character in words.chars() {
        run = if character == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    let blank =
        if words.is_empty() || words.starts_with('`') || words.ends_with('`') { " " } else { "" };
    format!("{fence}{blank}{words}{blank}{fence}")
}

/// A code span inside a table, where `|` ends a cell even in code.
fn in_table(code: &str) -> String {
    code.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;

    fn events(text: &str) -> Vec<Event<'_>> {
        // Typographic quotes are a choice of the page, not a meaning of the text.
        Parser::new_ext(text, Options::all() - Options::ENABLE_SMART_PUNCTUATION).collect()
    }

    #[test]
    fn escaped_words_are_one_text_and_nothing_else() {
        for words in [
            "a *b* _c_ `d` [e](http://f) <g> ![h](i) &amp; | j \\ ~~k~~ $l$ {#m}",
            "https://x.example www.x.example me@x.example @you #1 - 1. + x",
            "<!-- x --> <script>alert(1)</script>",
            "\u{1b}[31m\u{202e}x",
        ] {
            let text = escaped(words);
            let mut read = String::new();
            for event in events(&format!("x {text}")) {
                match event {
                    Event::Text(part) => read.push_str(&part),
                    Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
                    other => panic!("{words}: {other:?} in {text}"),
                }
            }
            assert_eq!(read, format!("x {}", printable_line(words)));
        }
    }

    #[test]
    fn a_code_span_holds_any_backticks() {
        for words in ["x", "`", "``x`", "a`b``c", " ", ""] {
            let text = code(words);
            let spans: Vec<_> = events(&text)
                .into_iter()
                .filter_map(|event| match event {
                    Event::Code(span) => Some(span.trim().to_owned()),
                    _ => None,
                })
                .collect();
            assert_eq!(spans, [words.trim()], "{text}");
        }
    }
}
