//! Markers of chat formats in prose, which pretend that a message of the system begins.

use super::super::finding::{Context, Severity};
use super::super::findings::{Findings, Match};
use super::super::kind::Language;
use super::super::passage::Passage;
use super::super::rules;

/// The markers of the common formats, lower case.
#[rustfmt::skip]
const MARKERS: &[&str] = &[
    "<|im_start|>", "<|im_end|>", "<|system|>", "<|assistant|>", "<|user|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|begin_of_text|>", "<|endoftext|>",
    "<|end|>", "[inst]", "[/inst]", "<<sys>>", "<</sys>>", "<start_of_turn>", "<end_of_turn>", "<system>", "</system>", "<system_message>", "<system-message>",
    "<tool_result", "<function_results", "[system]", "[system message]", "[/system]", "### system:", "<assistant>", "</assistant>", "<|channel|>", "<|message|>",
];

/// Occurrences of one marker that are looked at.
const MAX_EACH: usize = 16;

/// Words after a marker that make it a message and not a name.
const MIN_WORDS: usize = 5;

/// Looks for markers that are followed by a message. In code they are an example of the format.
pub(super) fn look(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    let prose = matches!(passage.language, Language::Markdown | Language::Plain | Language::Html)
        && !matches!(passage.context, Context::Fence | Context::InlineCode | Context::Script);
    if !prose || !passage.text.contains(['<', '[', '#']) {
        return;
    }
    let text = passage.text.to_ascii_lowercase();
    let mut found = MARKERS
        .iter()
        .flat_map(|marker| text.match_indices(marker).take(MAX_EACH))
        .filter(|(at, marker)| !in_code(&text, *at) && !quoted(&text, *at, marker.len()))
        .filter(|(at, marker)| begins(&text, *at, marker.len()))
        .map(|(at, marker)| at..at + marker.len())
        .collect::<Vec<_>>();
    found.sort_by_key(|range| range.start);
    let Some(first) = found.first() else { return };
    let words = text[first.end..]
        .split_whitespace()
        .filter(|word| !word.contains(['<', '|']))
        .take(MIN_WORDS)
        .count();
    if words >= MIN_WORDS || found.len() >= 2 {
        let message = "a marker of a chat format is followed by a message";
        findings.add(
            passage,
            first.clone(),
            Match::new(&rules::FORGED_DELIMITER, Severity::Warn, message),
        );
    }
}

/// Whether a message may begin with a marker: at the start of a line or a sentence, or before the name of who
/// speaks. Amid a sentence it is spoken of.
fn begins(text: &str, at: usize, length: usize) -> bool {
    const SPEAKERS: [&str; 5] = ["system", "assistant", "user", "developer", "tool"];
    let before = text[..at].trim_end_matches([' ', '\t', '*', '_', '-']);
    let after = text[at + length..].trim_start();
    before.is_empty()
        || before.ends_with(['\n', '.', ':', '!', '?', '>', '。', ']'])
        || SPEAKERS.iter().any(|speaker| after.starts_with(speaker))
}

/// Whether a place is inside a code span.
fn in_code(text: &str, at: usize) -> bool {
    text[..at].bytes().filter(|b| *b == b'`').count() % 2 == 1
}

fn quoted(text: &str, at: usize, length: usize) -> bool {
    let mark = |c: Option<char>| c.is_some_and(|c| matches!(c, '"' | '\'' | '“' | '”'));
    mark(text[..at].chars().next_back()) && mark(text[at + length..].chars().next())
}
