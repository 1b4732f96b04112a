//! Replacing one piece of a text by another, when it is certain which piece is meant.

use std::collections::HashSet;
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

/// Replaces `old`, which must occur exactly once, by `new`. Where all lines end in CR LF, the new
/// ones do too.
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
        [at] => return Ok(replace(text, *at..at + old.len(), new, false)),
        [] => {}
        several => return Err(several_error(text, several.iter().copied())),
    }
    let found = Loose::new(text).find(old);
    match (matching, found.as_slice()) {
        (Matching::Fuzzy, [found]) => {
            let (range, new) = found.fit(text, old, new);
            Ok(replace(text, range, &new, true))
        }
        (Matching::Fuzzy, [_, _, ..]) => {
            Err(several_error(text, found.iter().map(|found| found.first)))
        }
        (_, found) => Err(PatchError::None {
            near: near_lines(text, old),
            fuzzy_would: matching == Matching::Exact && found.len() == 1,
        }),
    }
}

fn replace(text: &str, range: Range<usize>, new: &str, fuzzy: bool) -> Patched {
    let breaks = text.matches('\n').count();
    let is_crlf = breaks > 0 && text.matches("\r\n").count() == breaks;
    let new = if is_crlf && new.contains('\n') {
        new.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        new.to_owned()
    };
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

    /// Where `old` stands in the original.
    fn find(&self, old: &str) -> Vec<FuzzyMatch> {
        let wanted = Self::new(old).text;
        let bare = wanted.trim_matches('\n');
        if bare.trim().is_empty() {
            return Vec::new();
        }
        let found = self.find_all(&wanted, false);
        // The first or the last line of a text may lack the line break that the old text has.
        if found.is_empty() && bare != wanted { self.find_all(bare, true) } else { found }
    }

    fn find_all(&self, wanted: &str, is_trimmed: bool) -> Vec<FuzzyMatch> {
        let breaks = wanted.len() - wanted.trim_start_matches('\n').len();
        // A character that stands for several, such as an ellipsis, matches as a whole or not at all.
        let is_edge =
            |at: usize| at == 0 || at == self.from.len() || self.from[at - 1] != self.from[at];
        occurrences(&self.text, wanted)
            .into_iter()
            .filter(|at| is_edge(*at) && is_edge(at + wanted.len()))
            .map(|at| FuzzyMatch {
                range: self.from[at].start..self.from[at + wanted.len() - 1].end,
                first: self.from[at + breaks].start,
                is_trimmed,
            })
            .collect()
    }
}

/// A place where the old text stands, but for what a fuzzy match forgives.
struct FuzzyMatch {
    range: Range<usize>,
    /// Where its first line that is not empty starts, behind the indentation.
    first: usize,
    /// Line breaks at the ends of the old text are not part of it.
    is_trimmed: bool,
}

impl FuzzyMatch {
    /// The range to replace and what to put there: the new text, indented like the place that it
    /// goes to.
    fn fit(&self, text: &str, old: &str, new: &str) -> (Range<usize>, String) {
        let indent_of = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let new = if self.is_trimmed { new.trim_matches('\n') } else { new };
        let line_start = text[..self.first].rfind('\n').map_or(0, |at| at + 1);
        let there = &text[line_start..self.first];
        if !there.trim().is_empty() {
            return (self.range.clone(), new.to_owned());
        }
        let first_old = old.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
        let given = &first_old[..indent_of(first_old)];
        let starts_line = self.range.start == self.first;
        let lines = new.split('\n').enumerate().map(|(at, line)| {
            let rest = if at == 0 && starts_line {
                Some(&line[indent_of(line)..])
            } else {
                line.strip_prefix(given).filter(|_| at > 0)
            };
            match rest {
                Some(rest) if !rest.trim().is_empty() => format!("{there}{rest}"),
                _ => line.to_owned(),
            }
        });
        let start = if starts_line { line_start } else { self.range.start };
        (start..self.range.end, lines.collect::<Vec<_>>().join("\n"))
    }
}

/// The lines that come nearest to the old text's first line, by the pairs of letters they share.
fn near_lines(text: &str, old: &str) -> Vec<(usize, String)> {
    const SHOWN_CHARS: usize = 120;
    /// Of 1,000; less is not near.
    const LEAST: usize = 250;
    let pairs = |line: &str| -> HashSet<(char, char)> {
        let chars: Vec<char> = line.trim().chars().flat_map(char::to_lowercase).collect();
        chars.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let wanted = pairs(old.lines().find(|line| !line.trim().is_empty()).unwrap_or_default());
    let mut scored: Vec<(usize, usize, &str)> = text
        .lines()
        .enumerate()
        .filter_map(|(at, line)| {
            let here = pairs(line);
            let shared = wanted.intersection(&here).count();
            let score = (2_000 * shared).checked_div(wanted.len() + here.len())?;
            (score >= LEAST).then_some((score, at + 1, line.trim()))
        })
        .collect();
    scored.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .into_iter()
        .take(NEAR_LINES)
        .map(|(_, line, text)| (line, text.chars().take(SHOWN_CHARS).collect()))
        .collect()
}
