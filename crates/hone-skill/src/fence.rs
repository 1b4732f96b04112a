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
    let mut in_code_block = false;
    let open = loop {
        let line = lines.next().ok_or(NoParts::Missing)?;
        let content = text[line.clone()].trim();
        if content == "---" {
            break line;
        }
        let opens_code = content.starts_with("```") || content.starts_with("~~~");
        if !content.is_empty() && (in_code_block || !opens_code) {
            return Err(NoParts::Missing);
        }
        in_code_block |= opens_code;
    };
    let start = lines.at;
    for line in lines.by_ref() {
        let content = text[line.clone()].trim_end();
        if content == "---" || content == "..." {
            let mut body = lines.at..text.len();
            if in_code_block {
                body.start = skip_code_close(text, body.start);
            }
            return Ok(Parts {
                frontmatter: start..line.start,
                body,
                open,
                close: line,
                bom,
                in_code_block,
            });
        }
    }
    Err(NoParts::Unclosed(open))
}

/// A code block that holds only the frontmatter is closed right after it.
fn skip_code_close(text: &str, at: usize) -> usize {
    let mut lines = Lines { text, at };
    match lines.next() {
        Some(line) if matches!(text[line.clone()].trim(), "```" | "~~~") => lines.at,
        _ => at,
    }
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
