//! Words laid out over the items of a list, so that no item holds a sentence: a row of them is read as one.

use super::super::findings::Findings;
use super::lexicon::is_unspaced;
use super::{Bar, Piece, joined};

/// Words of a list item that may be one piece of a sentence laid out over many.
const FEW_WORDS: usize = 3;
/// Characters in which a text of few words has ended, or has shown that it is longer.
pub(super) const MAX_FEW: usize = 64;
/// Such items in a row before they are read as one.
const MIN_ITEMS: usize = 3;

/// Whether a text has few words; of a script without blanks, two characters are one.
pub(super) fn is_of_few_words(text: &str) -> bool {
    let unspaced = text.chars().take(MAX_FEW).filter(|c| is_unspaced(*c)).count();
    text.split_whitespace().take(FEW_WORDS + 1).count() + unspaced / 2 <= FEW_WORDS
}

/// Looks at the items of one section.
pub(super) fn look(section: &[Piece<'_, '_>], findings: &mut Findings<'_>) {
    let is_short = |piece: &Piece<'_, '_>| is_of_few_words(&piece.passage.text);
    for run in section.chunk_by(|one, next| is_short(one) && is_short(next)) {
        if run.len() >= MIN_ITEMS {
            let text: Vec<&str> = run.iter().map(|piece| piece.passage.text.trim()).collect();
            Piece::whole(&joined(run[0].passage, text.join(" "))).look(findings, Bar::Shown);
        }
    }
}
