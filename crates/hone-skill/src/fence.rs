//! Where the frontmatter of a file starts and ends.
//!
//! A fence is a line of exactly three hyphens, blanks allowed after them. A `---` inside a value,
//! or an indented one inside a block scalar, is not a line of its own at column one and so never a
//! fence.

use std::ops::Range;

/// The parts of a file, as byte ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// The text between the fences, its last line break included.
    pub(crate) frontmatter: Range<usize>,
    /// Everything after the closing fence's line.
    pub(crate) body: Range<usize>,
    /// The opening fence's line, without its line break.
    pub(crate) open: Range<usize>,
    /// The closing fence's line, without its line break.
    pub(crate) close: Range<usize>,
    /// The file starts with a byte order mark.
    pub(crate) bom: bool,
    /// The fences stand inside a code block that the file starts with.
    pub(crate) in_code_block: bool,
    /// The line that closes that code block, with its line break.
    pub(crate) code_close: Option<Range<usize>>,
}

/// Why a file has no frontmatter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoParts {
    /// No opening fence.
    Missing,
    /// The fence opened at this range is never closed.
    Unclosed(Range<usize>),
}

const BOM: &str = "\u{feff}";

/// Finds the frontmatter; blank lines, a byte order mark or a code fence may stand before it.
pub(crate) fn split(text: &str) -> Result<Parts, NoParts> {
    let bom = text.starts_with(BOM);
    let mut lines = Lines { text, at: if bom { BOM.len() } else { 0 } };
    let mut marker = "";
    let open = loop {
        let line = lines.next().ok_or(NoParts::Missing)?;
        let content = text[line.clone()].trim();
        if content == "---" {
            break line;
        }
        let code = code_marker(content);
        if !content.is_empty() && (code.is_empty() || !marker.is_empty()) {
            return Err(NoParts::Missing);
        }
        marker = if marker.is_empty() { code } else { marker };
    };
    let start = lines.at;
    let close = lines
        .find(|line| matches!(text[line.clone()].trim_end(), "---" | "..."))
        // A code sample may well show a lone `---`.
        .ok_or(if marker.is_empty() {
            NoParts::Unclosed(open.clone())
        } else {
            NoParts::Missing
        })?;
    let mut body = lines.at..text.len();
    let code_close = if marker.is_empty() { None } else { code_close(text, &body, marker) };
    if let Some(line) = &code_close {
        if line.start == body.start {
            body.start = line.end;
        } else {
            body.end = line.start;
        }
    }
    Ok(Parts {
        frontmatter: start..close.start,
        body,
        open,
        close,
        bom,
        in_code_block: !marker.is_empty(),
        code_close,
    })
}

/// The backticks or tildes that open or close a code block.
fn code_marker(line: &str) -> &str {
    ['`', '~']
        .map(|c| &line[..line.len() - line.trim_start_matches(c).len()])
        .into_iter()
        .find(|run| run.len() >= 3)
        .unwrap_or_default()
}

/// The line that closes the block which `marker` opened: right after the frontmatter when the block
/// holds nothing else, or the last line of the file when the block holds all of it.
fn code_close(text: &str, body: &Range<usize>, marker: &str) -> Option<Range<usize>> {
    let mut lines = Lines { text, at: body.start };
    let closes = |line: &Range<usize>| {
        let content = text[line.clone()].trim();
        code_marker(content) == content && content.starts_with(marker)
    };
    let first = lines.next().map(|line| (line, lines.at));
    if let Some((line, end)) = first.filter(|(line, _)| closes(line)) {
        return Some(line.start..end);
    }
    let mut markers = 0;
    let mut last = None;
    let mut lines = Lines { text, at: body.start };
    while let Some(line) = lines.next() {
        let content = text[line.clone()].trim();
        markers += usize::from(content.starts_with(marker));
        if !content.is_empty() {
            last = Some((line, lines.at));
        }
    }
    let (line, end) = last.filter(|(line, _)| markers % 2 == 1 && closes(line))?;
    Some(line.start..end)
}

struct Lines<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Lines<'_> {
    type Item = Range<usize>;

    /// The next line without its line break.
    fn next(&mut self) -> Option<Range<usize>> {
        let start = self.at;
        let rest = &self.text[start..];
        if rest.is_empty() {
            return None;
        }
        let (end, next) = match rest.find('\n') {
            Some(at) => (start + at, start + at + 1),
            None => (self.text.len(), self.text.len()),
        };
        self.at = next;
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        Some(start..end)
    }
}
