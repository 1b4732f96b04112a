//! Words broken over the lines of a table or of a list, so that no line holds one that matters.
//!
//! A hyphen at the end of a cell that the next one goes on is how a narrow column breaks a word; a column
//! of them is a text that is meant to be put together again, and is read as one that is hidden.

use super::super::finding::Context;
use super::super::findings::Findings;
use super::super::passage::Passage;
use super::{Bar, Piece, joined};

/// Broken words in a row of lines before they are read as one text.
const MIN_BROKEN: usize = 2;

/// Looks at the lines of one section.
pub(super) fn look(section: &[Piece<'_, '_>], findings: &mut Findings<'_>) {
    let mut run: Vec<(&Piece<'_, '_>, &str)> = Vec::new();
    for piece in section {
        let line = last_cell(&piece.passage.text);
        let goes_on = run.last().is_some_and(|(_, last)| is_broken(last));
        if goes_on || is_broken(line) {
            run.push((piece, line));
        } else if !run.is_empty() {
            end(&run, findings);
            run.clear();
        }
    }
    end(&run, findings);
}

/// What a row of a table ends with, or the whole line.
fn last_cell(text: &str) -> &str {
    text.trim().trim_end_matches('|').trim_end().rsplit(" | ").next().unwrap_or_default().trim()
}

/// Whether a line ends in the middle of a word.
fn is_broken(line: &str) -> bool {
    line.strip_suffix(['-', '\u{2010}']).is_some_and(|word| word.ends_with(char::is_alphabetic))
}

fn end(run: &[(&Piece<'_, '_>, &str)], findings: &mut Findings<'_>) {
    if run.iter().filter(|(_, line)| is_broken(line)).count() < MIN_BROKEN {
        return;
    }
    let mut text = String::new();
    for (_, line) in run {
        if is_broken(line) {
            text.push_str(line.trim_end_matches(['-', '\u{2010}']));
        } else {
            text.push_str(line);
            text.push(' ');
        }
    }
    let passage = joined(run[0].0.passage, text);
    let hidden = Passage { context: Context::Hidden, ..passage };
    Piece::whole(&hidden).look(findings, Bar::Hidden);
}
