//! Where prose hides in files that are not prose: strings of settings, comments of code.

use std::ops::Range;

use crate::scan::kind::Language;

/// Shortest string that can hold an order.
const MIN_STRING: usize = 20;

/// The strings of a settings file that may hold sentences.
pub(crate) fn strings(language: Language, text: &str) -> Vec<Range<usize>> {
    match language {
        Language::Json => json(text),
        _ => entries(text),
    }
}

fn json(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'"' {
            at += 1;
            continue;
        }
        let start = at + 1;
        at = start;
        while at < bytes.len() && bytes[at] != b'"' {
            at += if bytes[at] == b'\\' { 2 } else { 1 };
        }
        let end = at.min(bytes.len());
        if end - start >= MIN_STRING && text.is_char_boundary(end) {
            found.push(start..end);
        }
        at += 1;
    }
    found
}

/// The values of `key: value` and `key = value` lines, with the lines that continue them.
fn entries(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_end();
        match value_at(bare) {
            Some(value) => found.push(start + value..start + bare.len()),
            None => match found.last_mut() {
                Some(last) if !bare.is_empty() && !bare.starts_with("---") => {
                    last.end = start + bare.len();
                }
                _ => {}
            },
        }
    }
    found.retain_mut(|range| {
        let value = &text[range.clone()];
        // Quotation marks around a whole value are syntax.
        for mark in ['"', '\''] {
            if value.len() > 2 && value.starts_with(mark) && value.ends_with(mark) {
                *range = range.start + 1..range.end - 1;
                break;
            }
        }
        range.len() >= MIN_STRING
    });
    found
}

/// Where the value of a line starts, when the line is a key with a value or a list item.
fn value_at(line: &str) -> Option<usize> {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let (dash, rest) = rest.strip_prefix("- ").map_or((0, rest), |after| (2, after));
    let key = rest
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '"' | '\'')));
    if let Some(key) = key
        && key > 0
    {
        let after = rest[key..].trim_start();
        let sign = after
            .strip_prefix(": ")
            .or_else(|| after.strip_prefix("= "))
            .or(if after == ":" { Some("") } else { None });
        if let Some(value) = sign {
            return Some(line.len() - value.trim_start().len());
        }
    }
    (dash > 0 || rest.starts_with('#')).then_some(indent + dash)
}

/// Keys by which a list of attacks for a detector, a course or a test is known.
#[rustfmt::skip]
const CATALOGUE: &[&str] = &[
    "expected", "should_trigger", "is_attack", "attack", "attacks", "injection", "benign", "malicious", "expected_behavior", "expected_output", "assert", "must_not", "should_refuse", "detect",
    "verdict", "indicator", "indicators", "signature", "signatures", "jailbreak", "jailbreaks", "secrecy", "exfiltration",
];

/// Keys that other lists have too: two of them make a catalogue.
#[rustfmt::skip]
const COMMON: &[&str] = &[
    "expect", "label", "labels", "pattern", "patterns", "phrase", "phrases", "category", "regex",
];

/// Whether a settings text is a list of what to detect or to withstand.
pub(crate) fn is_catalogue(text: &str) -> bool {
    const LOOKED_AT: usize = 16 * 1024;
    let head = text[..crate::scan::text::floor(text, LOOKED_AT)].to_ascii_lowercase();
    let is_key = |key: &&&str| {
        head.match_indices(**key).any(|(at, _)| {
            let before = head[..at].trim_end_matches(['"', '\'']).chars().next_back();
            let after = head[at + key.len()..].trim_start_matches(['"', '\'']);
            before.is_none_or(|c| c.is_whitespace() || matches!(c, '{' | ',' | '-'))
                && (after.starts_with(':') || after.starts_with(" ="))
        })
    };
    CATALOGUE.iter().any(|key| is_key(&key))
        || COMMON.iter().filter(is_key).count() >= 2
        || COMMON.iter().any(|key| is_key(&key))
            && ["attack", "inject", "jailbreak", "malicious"].iter().any(|word| head.contains(word))
}

/// Whether a path is that of tests or evaluations.
pub(crate) fn is_test(path: &str) -> bool {
    path.to_ascii_lowercase().split(['/', '.', '_', '-']).any(|part| {
        matches!(
            part,
            "test"
                | "tests"
                | "eval"
                | "evals"
                | "evaluation"
                | "evaluations"
                | "fixture"
                | "fixtures"
                | "benchmark"
                | "benchmarks"
                | "redteam"
        )
    })
}

/// Lines of one comment that are joined.
const MAX_COMMENT: usize = 4096;

/// The comments of a script, neighbouring lines together.
pub(crate) fn comments(language: Language, text: &str) -> Vec<Range<usize>> {
    let marks: &[&str] = match language {
        Language::JavaScript | Language::Go | Language::Php => &["//", "*", "/*", "#"],
        Language::Lua => &["--"],
        Language::Batch => &["rem ", "::"],
        _ => &["#"],
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut open = false;
    let mut doc = false;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim();
        let quotes =
            language == Language::Python && (bare.contains("\"\"\"") || bare.contains("'''"));
        let inside = doc;
        if quotes && !(bare.matches("\"\"\"").count() == 2 || bare.matches("'''").count() == 2) {
            doc = !doc;
        }
        let comment = inside
            || quotes
            || marks.iter().any(|mark| bare.to_ascii_lowercase().starts_with(mark))
                && !bare.starts_with("#!");
        if comment {
            match found.last_mut() {
                Some(last) if open && at - last.start < MAX_COMMENT => last.end = at,
                _ => found.push(start..at),
            }
        } else if let Some(mark) = marks.first().filter(|mark| mark.len() <= 2)
            && let Some(tail) = line.find(&format!(" {mark} "))
        {
            // A comment at the end of a line of code; a column of them reads on.
            found.push(start + tail + 1..at);
        }
        open = comment;
    }
    found.retain(|range| range.len() >= MIN_STRING);
    found
}

/// The comments at the ends of neighbouring lines of code, read downwards: a sentence may be laid
/// out as a column.
pub(crate) fn column(language: Language, text: &str) -> String {
    let mark = match language {
        Language::JavaScript | Language::Go | Language::Php => " // ",
        Language::Lua => " -- ",
        _ => " # ",
    };
    let mut read = String::new();
    let mut run = 0;
    for line in text.lines() {
        let bare = line.trim_start();
        let comment = line
            .find(mark)
            .map(|at| &line[at + mark.len()..])
            .or_else(|| bare.strip_prefix(mark.trim_start()));
        match comment {
            Some(comment)
                if comment.split_whitespace().count() <= 4 && read.len() < MAX_COMMENT =>
            {
                run += 1;
                read.push(' ');
                read.push_str(comment.trim());
            }
            _ if run < 3 => {
                read.clear();
                run = 0;
            }
            _ => break,
        }
    }
    if run < 3 { String::new() } else { read }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(language: Language, text: &str) -> Vec<&str> {
        strings(language, text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn strings_are_found_with_the_lines_that_continue_them() {
        assert_eq!(
            seen(Language::Json, r#"{"k":"a long string with \" in it","s":"short"}"#),
            [r#"a long string with \" in it"#]
        );
        let yaml = "name: x\ndescription: >-\n  first line of it\n  and the second\nlist:\n  - \"an item that is long enough\"\n";
        assert_eq!(
            seen(Language::Yaml, yaml),
            [">-\n  first line of it\n  and the second", "an item that is long enough"]
        );
    }

    #[test]
    fn neighbouring_comment_lines_are_one_text() {
        let text = "#!/bin/sh\n# one line of text\n# and another\nx=1\n";
        let found: Vec<&str> =
            comments(Language::Shell, text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["# one line of text\n# and another\n"]);
    }
}
