//! Replacing one piece of a text by another, when it is certain which piece is meant.

use std::ops::Range;

/// Most lines shown as a hint when the text is not found.
const NEAR_LINES: usize = 3;

/// How the old text is compared with the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Matching {
    /// Byte for byte.
    Exact,
    /// Blanks, indentation, smart quotes and dashes may differ.
    Fuzzy,
}

/// A patched text and what was replaced in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patched {
    /// The whole new text.
    pub text: String,
    /// What the old text matched in the file.
    pub matched: String,
    /// The line where the match starts, from 1.
    pub line: usize,
    /// The match was not byte for byte.
    pub fuzzy: bool,
}

/// Why a patch was not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// There is nothing to look for.
    #[error("the old text is empty")]
    Empty,
    /// Old and new text are the same.
    #[error("the old and the new text are the same")]
    Same,
    /// The old text is not there.
    #[error("the old text occurs 0 times")]
    None {
        /// Lines that come near: number and text.
        near: Vec<(usize, String)>,
        /// A fuzzy comparison would have found it exactly once.
        fuzzy_would: bool,
    },
    /// The old text is there more than once.
    #[error("the old text occurs {count} times, at lines {}", join(lines))]
    Several {
        /// How often.
        count: usize,
        /// At which lines, the first few.
        lines: Vec<usize>,
    },
}

fn join(lines: &[usize]) -> String {
    lines.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

impl PatchError {
    /// What to do next.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Empty | Self::Same => None,
            Self::None { fuzzy_would: true, .. } => Some(
                "it would match with `--fuzzy`, which lets blanks and quotes differ".to_owned(),
            ),
            Self::None { near, .. } if near.is_empty() => {
                Some("`hone view NAME --raw` shows the text as it is".to_owned())
            }
            Self::None { near, .. } => {
                let lines: Vec<String> =
                    near.iter().map(|(line, text)| format!("{line}: {text}")).collect();
                Some(format!("the nearest lines are\n{}", lines.join("\n")))
            }
            Self::Several { .. } => {
                Some("give a longer piece of text that occurs only once".to_owned())
            }
        }
    }
}

/// Replaces `old`, which must occur exactly once, by `new`.
///
/// ```
/// use hone_library::{Matching, patch};
///
/// let patched = patch("a\nb b\n", "a\n", "c\n", Matching::Exact)?;
/// assert_eq!(patched.text, "c\nb b\n");
/// assert!(patch("aaa", "aa", "b", Matching::Exact).is_err()); // overlapping: two occurrences
/// # Ok::<(), hone_library::PatchError>(())
/// ```
pub fn patch(text: &str, old: &str, new: &str, matching: Matching) -> Result<Patched, PatchError> {
    if old.is_empty() {
        return Err(PatchError::Empty);
    }
    if old == new {
        return Err(PatchError::Same);
    }
    match occurrences(text, old).as_slice() {
        [at] => {
            let range = *at..at + old.len();
            return Ok(replace(text, range, new, false));
        }
        [] => {}
        several => return Err(several_error(text, several.iter().copied())),
    }
    let loose = Loose::new(text);
    let ranges = loose.find(old);
    match (matching, ranges.as_slice()) {
        (Matching::Fuzzy, [range]) => {
            let new = reindent(text, range, old, new);
            Ok(replace(text, range.clone(), &new, true))
        }
        (Matching::Fuzzy, [_, _, ..]) => {
            Err(several_error(text, ranges.iter().map(|range| range.start)))
        }
        (_, ranges) => Err(PatchError::None {
            near: near_lines(text, old),
            fuzzy_would: matching == Matching::Exact && ranges.len() == 1,
        }),
    }
}

fn replace(text: &str, range: Range<usize>, new: &str, fuzzy: bool) -> Patched {
    Patched {
        text: format!("{}{new}{}", &text[..range.start], &text[range.end..]),
        matched: text[range.clone()].to_owned(),
        line: line_of(text, range.start),
        fuzzy,
    }
}

fn line_of(text: &str, at: usize) -> usize {
    text[..at].matches('\n').count() + 1
}

fn several_error(text: &str, starts: impl Iterator<Item = usize> + Clone) -> PatchError {
    const LINES: usize = 8;
    let lines = starts.clone().take(LINES).map(|at| line_of(text, at)).collect();
    PatchError::Several { count: starts.count(), lines }
}

/// Where `old` starts in `text`, overlapping occurrences included, in linear time (Knuth, Morris and
/// Pratt: the table says how much of `old` a mismatch leaves matched).
fn occurrences(text: &str, old: &str) -> Vec<usize> {
    let (text, old) = (text.as_bytes(), old.as_bytes());
    let mut table = vec![0; old.len()];
    let mut matched = 0;
    for at in 1..old.len() {
        while matched > 0 && old[at] != old[matched] {
            matched = table[matched - 1];
        }
        matched += usize::from(old[at] == old[matched]);
        table[at] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (at, byte) in text.iter().enumerate() {
        while matched > 0 && *byte != old[matched] {
            matched = table[matched - 1];
        }
        matched += usize::from(*byte == old[matched]);
        if matched == old.len() {
            found.push(at + 1 - old.len());
            matched = table[matched - 1];
        }
    }
    found
}

/// A text without the differences that a fuzzy match forgives, and where each byte came from.
struct Loose {
    text: String,
    /// For each byte of `text`, the range in the original that it stands for.
    from: Vec<Range<usize>>,
}

impl Loose {
    fn new(original: &str) -> Self {
        let mut loose = Self { text: String::new(), from: Vec::new() };
        let mut at_line_start = true;
        let mut blanks: Option<Range<usize>> = None;
        for (at, c) in original.char_indices() {
            let here = at..at + c.len_utf8();
            if c == '\n' || c == '\r' {
                blanks = None;
                if c == '\n' {
                    loose.push("\n", &here);
                    at_line_start = true;
                }
            } else if c == '\t' || c == '\u{a0}' || (c.is_whitespace() && c != '\u{2028}') {
                let start = blanks.map_or(here.start, |range| range.start);
                blanks = Some(start..here.end);
            } else {
                if let Some(range) = blanks.take().filter(|_| !at_line_start) {
                    loose.push(" ", &range);
                }
                at_line_start = false;
                match c {
                    '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{2032}' => loose.push("'", &here),
                    '\u{201C}' | '\u{201D}' | '\u{2033}' => loose.push("\"", &here),
                    '\u{2010}'..='\u{2015}' | '\u{2212}' => loose.push("-", &here),
                    '\u{2026}' => loose.push("...", &here),
                    c => loose.push(c.encode_utf8(&mut [0; 4]), &here),
                }
            }
        }
        loose
    }

    fn push(&mut self, text: &str, from: &Range<usize>) {
        self.text.push_str(text);
        self.from.extend(std::iter::repeat_n(from.clone(), text.len()));
    }

    /// The ranges of the original that match `old`.
    fn find(&self, old: &str) -> Vec<Range<usize>> {
        let wanted = Self::new(old);
        let needle = wanted.text.trim_matches('\n');
        if needle.trim().is_empty() {
            return Vec::new();
        }
        let mut ranges: Vec<Range<usize>> = occurrences(&self.text, needle)
            .into_iter()
            .map(|at| self.from[at].start..self.from[at + needle.len() - 1].end)
            .collect();
        ranges.dedup();
        ranges
    }
}

/// Gives the new text the indentation of the place that it goes to.
fn reindent(text: &str, range: &Range<usize>, old: &str, new: &str) -> String {
    let indent_of =
        |line: &str| line[..line.len() - line.trim_start_matches([' ', '\t']).len()].to_owned();
    let line_start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
    let there = text[line_start..range.start].to_owned();
    let new = new.trim_matches('\n');
    let first_old = old.trim_start_matches('\n').lines().next().unwrap_or_default();
    let given = indent_of(first_old);
    if !there.trim().is_empty() {
        return new.to_owned();
    }
    let mut lines = new.split('\n');
    let first = lines.next().unwrap_or_default().trim_start_matches([' ', '\t']).to_owned();
    lines.fold(first, |mut result, line| {
        result.push('\n');
        match line.strip_prefix(given.as_str()) {
            Some(rest) if !line.trim().is_empty() => {
                result.push_str(&there);
                result.push_str(rest);
            }
            _ => result.push_str(line),
        }
        result
    })
}

/// The lines that share most words with the old text's first line.
fn near_lines(text: &str, old: &str) -> Vec<(usize, String)> {
    const SHOWN_CHARS: usize = 120;
    let first = old.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let words: std::collections::HashSet<&str> = first.split_whitespace().collect();
    let mut scored: Vec<(usize, usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| {
            let shared = line.split_whitespace().filter(|word| words.contains(word)).count();
            (shared * 2 >= words.len().max(1)).then_some((shared, at + 1, line.trim()))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .into_iter()
        .take(NEAR_LINES)
        .map(|(_, line, text)| (line, text.chars().take(SHOWN_CHARS).collect()))
        .collect()
}
