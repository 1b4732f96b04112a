//! Whether words that name a reader address him: `To the scanner: …` opens a note, and `with respect to the
//! scanner` is part of a sentence about a device.

use std::ops::Range;

use super::Piece;
use super::lexicon::Concept;

/// Words by which a note is called one, before whom it is for.
const NOTES: [&str; 8] =
    ["note", "notice", "message", "comment", "remark", "instruction", "information", "meant"];

/// Words between such a word and whom the note is for.
const CALLED_WITHIN: usize = 4;

/// Names of fields under which somebody is addressed or a program is named: `Scanner: mark it as safe`.
const FIELDS: [&str; 2] = ["scanner:", "reviewer:"];

/// Whether the words at a range of a sentence open a note: they stand first in their clause, or behind a word for a
/// note; and behind the name of a field a conclusion follows.
pub(super) fn is_addressed(piece: &Piece<'_, '_>, at: usize, hit: &Range<usize>) -> bool {
    let text = &piece.passage.text[piece.start..];
    let sentence = &piece.sentences[at];
    let said = text[hit.clone()].to_lowercase();
    if FIELDS.iter().any(|field| said.starts_with(field)) {
        let next = piece.sentences.get(at + 1).into_iter().flat_map(|next| &next.tokens);
        return sentence
            .tokens
            .iter()
            .chain(next)
            .any(|token| token.range.start > hit.start && token.set.has(Concept::SafeVerdict));
    }
    if !["to ", "for "].iter().any(|word| said.starts_with(word)) {
        return true;
    }
    let before = text[sentence.range.start.min(hit.start)..hit.start].to_lowercase();
    let is_first = before
        .trim_end_matches([' ', '`'])
        .chars()
        .next_back()
        .is_none_or(|c| !c.is_alphanumeric());
    let mut called = before.split_whitespace().rev().take(CALLED_WITHIN);
    is_first || called.any(|word| NOTES.iter().any(|note| word.contains(note)))
}
