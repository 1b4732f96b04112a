//! Encoded texts of all passages, made passages of their own, to a depth and a budget for one skill. What is
//! not decoded because of either is said.

use std::borrow::Cow;

use super::decode::{self, MAX_DECODE_DEPTH, MAX_DECODED_BYTES};
use super::finding::{Context as In, Coverage};
use super::kind::{self, Kind, Language};
use super::mention;
use super::passage::{Passage, Place};
use super::quoted;
use super::text::Text;

/// Adds what is encoded in the passages as passages of their own, to the depth and the budget. Gives
/// the passages of which something was not decoded, with the reason.
pub(super) fn decode_all(
    passages: &mut Vec<Passage<'_>>,
    coverage: &mut Coverage,
) -> Vec<(usize, &'static str)> {
    let mut budget = decode::Budget::new(MAX_DECODED_BYTES);
    let mut searches = 0;
    let mut unfinished = Vec::new();
    let mut from = 0;
    for depth in 0..MAX_DECODE_DEPTH {
        let until = passages.len();
        let mut inner = Vec::new();
        for (at, outer) in passages.iter().enumerate().skip(from) {
            // Spans and prose of one paragraph would be decoded twice.
            if outer.context == In::InlineCode || depth > 0 && outer.decoded.is_none() {
                continue;
            }
            for encoded in decode::find(&outer.text, &outer.lead, &mut budget) {
                let (line, column) = outer.place.position(encoded.range.start);
                let how = match &outer.decoded {
                    Some(before) => format!("{before}, then {}", encoded.how),
                    None => encoded.how.to_owned(),
                };
                coverage.decoded += 1;
                coverage.bytes += encoded.text.len() as u64;
                let context = if outer.context.acts() || is_cell(outer, &encoded.range) {
                    In::Hidden
                } else {
                    outer.context
                };
                let language = match (
                    quoted::language_of(&encoded.text),
                    kind::classify("", encoded.text.as_bytes()),
                ) {
                    (Some(language), _) => language,
                    (None, Kind::Text(language)) if language.runs() => language,
                    _ => Language::Shell,
                };
                let text = Text::from_string(encoded.text).plain;
                let context = if searches < MAX_SEARCHES && is_document(outer) {
                    searches += 1;
                    if is_shown(&text, outer.file, passages) { In::Mention } else { context }
                } else {
                    context
                };
                for language in [language, Language::Markdown] {
                    let passage = Passage {
                        file: outer.file,
                        language,
                        context,
                        text: Cow::Owned(text.clone()),
                        place: Place::Fixed { line, column },
                        headings: outer.headings.clone(),
                        lead: outer.lead.clone(),
                        decoded: Some(how.clone()),
                    };
                    inner.push(passage);
                }
            }
            if budget.was_short() {
                unfinished.push((at, "more is encoded than is decoded in one skill"));
            }
        }
        passages.append(&mut inner);
        from = until;
        if from == passages.len() {
            break;
        }
    }
    // Each text stands there as code and as prose: one of the two is asked.
    let deepest = passages.iter().enumerate().skip(from).step_by(2);
    for (at, passage) in deepest {
        if !decode::find(&passage.text, "", &mut budget).is_empty() || budget.was_short() {
            unfinished.push((at, "it is encoded more often than is decoded"));
        }
    }
    unfinished
}

/// Whether an encoded text stands in a table as it is: a cell shows words, and nobody who shows an attack
/// encodes it without marks of code around it or a heading that says so.
fn is_cell(outer: &Passage<'_>, range: &std::ops::Range<usize>) -> bool {
    let Place::Pieces { text, pieces } = &outer.place else { return false };
    let Some((_, start)) = pieces.first() else { return false };
    let before = &text.plain[..*start];
    let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
    outer.context == In::Mention
        && line.trim_start().starts_with('|')
        && !mention::is_about_mistakes(&outer.headings)
        && !outer.text[..range.start].ends_with('`')
}

/// Decoded texts of a skill that its documents are searched for.
const MAX_SEARCHES: usize = 64;

/// Shortest text that tells what another one says.
const MIN_SHOWN: usize = 16;

/// Whether a passage is one that a reader sees, and nothing runs.
fn is_document(passage: &Passage<'_>) -> bool {
    matches!(passage.context, In::Prose | In::Fence | In::Mention)
        && matches!(passage.language, Language::Markdown | Language::Plain | Language::Shell)
}

/// Whether a text stands in the same document for everybody to read: whoever shows what he encodes gives an
/// example. What he shows is looked at as what it is.
fn is_shown(text: &str, file: usize, passages: &[Passage<'_>]) -> bool {
    let text = text.trim();
    text.len() >= MIN_SHOWN
        && passages.iter().any(|passage| {
            passage.file == file
                && passage.decoded.is_none()
                && is_document(passage)
                && passage.text.contains(text)
        })
}
