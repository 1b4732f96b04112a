//! Printable text cut and wrapped to the columns of a terminal.

use std::borrow::Cow;
use std::iter;
use std::mem;
use std::ops::Range;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const ZERO_WIDTH_JOINER: char = '\u{200d}';

/// Cuts printable text to a display width; a cut ends with `…` and never falls inside a character
/// as the reader sees it.
pub(crate) fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut used = 0;
    let mut end = 0;
    for cluster in clusters(text) {
        used += cluster.width();
        if used >= columns {
            break;
        }
        end += cluster.len();
    }
    Cow::Owned(format!("{}…", text[..end].trim_end()))
}

/// Cuts printable text to a display width from the left: its end stays, after a `…`.
pub(crate) fn fit_end(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut over = text.width() + 1;
    let mut start = 0;
    for cluster in clusters(text) {
        if over <= columns {
            break;
        }
        over = over.saturating_sub(cluster.width());
        start += cluster.len();
    }
    let kept = if columns == 0 { "" } else { "…" };
    Cow::Owned(format!("{kept}{}", &text[start..]))
}

/// Splits printable text into lines of at most `first_room` and then `room` columns, as byte ranges
/// without the spaces between.
///
/// A newline always ends a line. Other lines end at a space or between two wide letters, and inside
/// a word only when the word alone is wider than a line.
pub(super) fn wrap(text: &str, first_room: usize, room: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut available = first_room;
    let mut start = 0;
    for paragraph in text.split('\n') {
        let mut line = start..start;
        let mut used = 0;
        for word in words(paragraph, start) {
            if used + word.gap + word.width <= available {
                line.end = word.range.end;
                used += word.gap + word.width;
                continue;
            }
            if !line.is_empty() {
                lines.push(line);
                available = room;
            }
            line = word.range.start..word.range.start;
            used = 0;
            for cluster in clusters(&text[word.range]) {
                let width = cluster.width();
                if used + width > available && !line.is_empty() {
                    let next = line.end..line.end;
                    lines.push(mem::replace(&mut line, next));
                    available = room;
                    used = 0;
                }
                line.end += cluster.len();
                used += width;
            }
        }
        lines.push(line);
        available = room;
        start += paragraph.len() + 1;
    }
    lines
}

/// Printable text behind a lead, wrapped to a display width; further lines begin where the text does, or
/// where there is still room for it.
pub(crate) fn hung(lead: &str, text: &str, columns: usize) -> String {
    let indent = lead.width().min(columns / 2);
    let room = columns.saturating_sub(indent).max(1);
    let first_room = columns.saturating_sub(lead.width()).max(1);
    let pad = " ".repeat(indent);
    // A word is cut only when it fits nowhere: one that does not fit behind the lead begins the next line.
    let paragraph = text.split('\n').next().unwrap_or_default();
    let is_pushed = |word: &Word| word.width > first_room && word.width <= room;
    if words(paragraph, 0).first().is_some_and(is_pushed) {
        let lines = wrap(text, room, room);
        let lines = lines.into_iter().map(|line| format!("\n{pad}{}", &text[line]));
        return lead.trim_end().to_owned() + &lines.collect::<String>();
    }
    let lines = wrap(text, first_room, room);
    let lines = lines.into_iter().enumerate().map(|(at, line)| {
        let before = if at == 0 { lead } else { &pad };
        format!("{before}{}", &text[line])
    });
    lines.collect::<Vec<_>>().join("\n")
}

struct Word {
    range: Range<usize>,
    width: usize,
    /// Spaces before it.
    gap: usize,
}

fn words(text: &str, offset: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut start = offset;
    let mut gap = 0;
    let mut after_wide_letter = false;
    for cluster in clusters(text) {
        let end = start + cluster.len();
        if cluster == " " {
            gap += 1;
        } else {
            let width = cluster.width();
            let is_wide_letter = width == 2 && cluster.starts_with(char::is_alphanumeric);
            let may_break = gap > 0 || (after_wide_letter && is_wide_letter);
            match words.last_mut() {
                Some(word) if !may_break => {
                    word.range.end = end;
                    word.width += width;
                }
                _ => words.push(Word { range: start..end, width, gap }),
            }
            gap = 0;
            after_wide_letter = is_wide_letter;
        }
        start = end;
    }
    words
}

/// Splits text into characters as a reader sees them, near enough to grapheme clusters for cutting
/// and wrapping lines.
pub(super) fn clusters(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    iter::from_fn(move || {
        let (cluster, after) = rest.split_at(cluster_end(rest)?);
        rest = after;
        Some(cluster)
    })
}

fn cluster_end(text: &str) -> Option<usize> {
    let mut characters = text.char_indices();
    let (_, mut previous) = characters.next()?;
    let mut half_a_flag = is_regional_indicator(previous);
    for (start, character) in characters {
        let joined = previous == ZERO_WIDTH_JOINER && !character.is_ascii();
        let completes_flag = half_a_flag && is_regional_indicator(character);
        if !(joined || completes_flag || is_extending(character)) {
            return Some(start);
        }
        half_a_flag = false;
        previous = character;
    }
    Some(text.len())
}

fn is_extending(character: char) -> bool {
    let is_skin_tone = matches!(character, '\u{1f3fb}'..='\u{1f3ff}');
    is_skin_tone || character.width() == Some(0)
}

fn is_regional_indicator(character: char) -> bool {
    matches!(character, '\u{1f1e6}'..='\u{1f1ff}')
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
