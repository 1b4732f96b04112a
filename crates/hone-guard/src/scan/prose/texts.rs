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
        if let Some(comment) = comment_at(text, at) {
            at = comment.end;
            if comment.len() >= MIN_STRING {
                found.push(comment);
            }
            continue;
        }
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

/// A comment that starts at a byte: JSON has none, but what reads settings often allows them.
fn comment_at(text: &str, at: usize) -> Option<Range<usize>> {
    let rest = text.as_bytes().get(at..).filter(|rest| rest.starts_with(b"/"))?;
    let end = match rest.get(1)? {
        b'/' => text[at..].find('\n'),
        b'*' => text[at..].find("*/"),
        _ => return None,
    };
    Some(at + 2..(at + end.unwrap_or(rest.len())).max(at + 2))
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
    // Comments of many lines, which no mark need begin.
    let (opens, closes) = match language {
        Language::JavaScript | Language::Go | Language::Php => ("/*", "*/"),
        Language::PowerShell => ("<#", "#>"),
        Language::Lua => ("--[[", "]]"),
        Language::Ruby => ("=begin", "=end"),
        Language::Perl => ("=pod", "=cut"),
        _ => ("", ""),
    };
    let mut found: Vec<Range<usize>> = Vec::new();
    let mut at = 0;
    let mut open = false;
    let mut doc = false;
    let mut block = false;
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
        let started = block || !opens.is_empty() && bare.starts_with(opens);
        block = started && !bare.contains(closes);
        let comment = inside
            || quotes
            || started
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
    if language == Language::Python {
        for range in &mut found {
            *range = without_quotes(text, range.clone());
        }
    }
    found.retain(|range| range.len() >= MIN_STRING);
    found
}

/// A docstring without the quotation marks around it: what it says is not quoted.
fn without_quotes(text: &str, range: Range<usize>) -> Range<usize> {
    let is_around = |c: char| c.is_whitespace() || matches!(c, '"' | '\'');
    let piece = text[range.clone()].trim_end_matches(is_around);
    let inner = piece.trim_start_matches(|c: char| is_around(c) || matches!(c, 'r' | 'f' | 'u'));
    // Letters before the marks are part of them; others are words.
    let inner = if piece[..piece.len() - inner.len()].contains(['"', '\'']) {
        inner
    } else {
        piece.trim_start_matches(is_around)
    };
    let start = range.start + piece.len() - inner.len();
    start..start + inner.len()
}

/// Bytes of a line of code that is looked at for strings.
const MAX_LINE: usize = 16 * 1024;

/// The strings of a script that may hold sentences: on one line, with words between blanks.
pub(crate) fn literals(language: Language, text: &str) -> Vec<Range<usize>> {
    const MIN_WORDS: usize = 6;
    let quotes: &[char] = match language {
        Language::JavaScript | Language::Go => &['"', '\'', '`'],
        Language::Batch => &['"'],
        _ => &['"', '\''],
    };
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        if line.len() > MAX_LINE {
            continue;
        }
        let mut from = 0;
        while let Some(open) = line[from..].find(quotes).map(|found| from + found) {
            let quote = line.as_bytes()[open];
            let mut end = open + 1;
            let bytes = line.as_bytes();
            while end < bytes.len() && bytes[end] != quote {
                end += if bytes[end] == b'\\' { 2 } else { 1 };
            }
            let end = end.min(bytes.len());
            let inner = line.get(open + 1..end).unwrap_or_default();
            if inner.len() >= MIN_STRING
                && inner.split_whitespace().take(MIN_WORDS).count() == MIN_WORDS
            {
                found.push(start + open + 1..start + end);
            }
            from = (end + 1).min(line.len());
            while !line.is_char_boundary(from) {
                from += 1;
            }
        }
    }
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

/// Whether a line is the title of something with its link behind it in parentheses: `- File Upload - Cheat
/// Sheets (https://…)`. A title has capitals and no articles; an order has an object.
pub(super) fn is_citation(line: &str) -> bool {
    #[rustfmt::skip]
    const OBJECTS: [&str; 20] = [
        "the", "this", "that", "these", "those", "all", "every", "each", "any", "it", "its", "them", "their", "your", "you", "my", "our", "to", "me", "everything",
    ];
    /// Words shorter than this are written small in titles.
    const SMALL: usize = 4;
    const FEWEST: usize = 3;
    let line = line.trim().trim_start_matches(['-', '*', '+', ' ']);
    let Some((title, link)) = line.split_once("(http") else { return false };
    let is_closed = link.trim_end().ends_with(')') && !link.trim_end().contains(' ');
    let words: Vec<&str> = title
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty())
        .collect();
    let is_title = |word: &&str| {
        word.len() < SMALL || word.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit())
    };
    let is_object = |word: &&str| OBJECTS.iter().any(|object| word.eq_ignore_ascii_case(object));
    is_closed
        && words.len() >= FEWEST
        && words.iter().all(is_title)
        && !words.iter().any(is_object)
        && !title.contains([':', ',', '!'])
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

    #[test]
    fn comments_of_many_lines_need_no_mark_on_each() {
        for (language, text) in [
            (Language::JavaScript, "x()\n/*\n one line of text\n and another\n*/\ny()\n"),
            (Language::PowerShell, "x\n<#\n one line of text\n and another\n#>\ny\n"),
            (Language::Ruby, "x\n=begin\n one line of text\n and another\n=end\ny\n"),
            (Language::Lua, "x()\n--[[\n one line of text\n and another\n]]\ny()\n"),
        ] {
            let found: Vec<&str> =
                comments(language, text).into_iter().map(|range| &text[range]).collect();
            let inner = &text[text.find('\n').unwrap() + 1..=text.trim_end().rfind('\n').unwrap()];
            assert_eq!(found, [inner], "{language:?}");
        }
    }

    #[test]
    fn a_docstring_is_not_quoted() {
        let text = "def f():\n    r\"\"\"Tells what this function does.\n\n    And more.\n    \"\"\"\n    return 1\n# for it is so long now\n";
        let found: Vec<&str> =
            comments(Language::Python, text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(
            found,
            ["Tells what this function does.\n\n    And more.", "# for it is so long now"]
        );
    }

    #[test]
    fn strings_of_code_with_sentences_are_found() {
        let text = "x = 'no'\nprint(\"one two three \\\"four\\\" five six\") # 'a b c d e f g h i j k l'\n";
        let found: Vec<&str> =
            literals(Language::Python, text).into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, ["one two three \\\"four\\\" five six", "a b c d e f g h i j k l"]);
        assert!(literals(Language::Python, "'ends in a quote \\").is_empty());
        assert!(literals(Language::Python, "\"äöü \\ü é").is_empty());
    }
}
