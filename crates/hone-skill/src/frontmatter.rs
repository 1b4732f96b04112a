//! The entries of a frontmatter, repaired where an author forgot to quote a value.

use std::ops::Range;

use crate::yaml::{self, Kind, Node, Style, YamlError};

/// One top-level `key: value`.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_span: Range<usize>,
    pub(crate) value: Node,
}

/// A value that was not YAML and was kept as its exact text.
#[derive(Debug)]
pub(crate) struct Repair {
    /// Index of the entry in [`Frontmatter::entries`].
    pub(crate) entry: usize,
    /// What the parser said, and where.
    pub(crate) message: String,
    pub(crate) at: usize,
    /// A missing pair of quotes is all that was wrong.
    pub(crate) unquoted: bool,
}

#[derive(Debug, Default)]
pub(crate) struct Frontmatter {
    pub(crate) entries: Vec<Entry>,
    pub(crate) repairs: Vec<Repair>,
    /// Keys that are not text, such as lists.
    pub(crate) odd_keys: Vec<Range<usize>>,
    /// The whole frontmatter is one `{…}`.
    pub(crate) flow: bool,
}

#[derive(Debug)]
pub(crate) enum Refusal {
    NotMap { found: &'static str, at: usize },
    Limit { message: String, at: usize },
    Syntax { message: String, at: usize },
}

/// Parses the frontmatter at `range` of `text`.
pub(crate) fn parse(text: &str, range: Range<usize>) -> Result<Frontmatter, Refusal> {
    let source = &text[range.clone()];
    match yaml::parse(source, range.start) {
        Ok(root) => from_root(root),
        Err(YamlError::Limit { message, at }) => Err(Refusal::Limit { message, at }),
        Err(YamlError::Syntax { message, at }) => by_entry(text, range, message, at),
    }
}

fn from_root(root: Option<Node>) -> Result<Frontmatter, Refusal> {
    let Some(root) = root else { return Ok(Frontmatter::default()) };
    let at = root.span.start;
    match root.kind {
        Kind::Scalar { style: Style::Plain, .. } if root.span.is_empty() => {
            Ok(Frontmatter::default())
        }
        Kind::Scalar { .. } => Err(Refusal::NotMap { found: "a single value", at }),
        Kind::List { .. } => Err(Refusal::NotMap { found: "a list", at }),
        Kind::Map { entries, flow } => {
            let mut frontmatter = Frontmatter { flow, ..Frontmatter::default() };
            for (key, value) in entries {
                match key.key_text() {
                    Some(text) => frontmatter.entries.push(Entry {
                        key: text.to_owned(),
                        key_span: key.span.clone(),
                        value,
                    }),
                    None => frontmatter.odd_keys.push(key.span),
                }
            }
            Ok(frontmatter)
        }
    }
}

/// The repair: each top-level entry is parsed alone, and one that is not YAML keeps its exact text.
fn by_entry(
    text: &str,
    range: Range<usize>,
    message: String,
    at: usize,
) -> Result<Frontmatter, Refusal> {
    let chunks = chunks(text, range);
    if chunks.is_empty() {
        return Err(Refusal::Syntax { message, at });
    }
    let mut frontmatter = Frontmatter::default();
    for chunk in chunks {
        match yaml::parse(&text[chunk.range.clone()], chunk.range.start) {
            Ok(Some(Node { kind: Kind::Map { entries, .. }, .. })) if entries.len() == 1 => {
                for (key, value) in entries {
                    let key_text = key.key_text().unwrap_or_default().to_owned();
                    frontmatter.entries.push(Entry { key: key_text, key_span: key.span, value });
                }
            }
            Err(YamlError::Limit { message, at }) => return Err(Refusal::Limit { message, at }),
            other => {
                let (message, at) = match other {
                    Err(YamlError::Syntax { message, at }) => (message, at),
                    _ => (message.clone(), chunk.value.start),
                };
                let (kept, span) = exact_text(text, chunk.value.clone());
                frontmatter.repairs.push(Repair {
                    entry: frontmatter.entries.len(),
                    message,
                    at: at.min(chunk.range.end.saturating_sub(1)).max(chunk.range.start),
                    unquoted: needs_quotes(&kept),
                });
                frontmatter.entries.push(Entry {
                    key: chunk.key,
                    key_span: chunk.key_span,
                    value: Node {
                        span,
                        kind: Kind::Scalar { text: kept, style: Style::Repaired },
                        decorated: false,
                    },
                });
            }
        }
    }
    Ok(frontmatter)
}

struct Chunk {
    range: Range<usize>,
    key: String,
    key_span: Range<usize>,
    /// From after the colon to the end of the chunk.
    value: Range<usize>,
}

/// Cuts the frontmatter before every line that starts with `key:` at column one.
fn chunks(text: &str, range: Range<usize>) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let line_end = text[at..range.end].find('\n').map_or(range.end, |n| at + n + 1);
        let line = &text[at..line_end];
        if let Some((key, key_len, colon)) = leading_key(line) {
            chunks.push(Chunk {
                range: at..line_end,
                key,
                key_span: at..at + key_len,
                value: at + colon + 1..line_end,
            });
        } else if let Some(last) = chunks.last_mut() {
            last.range.end = line_end;
            last.value.end = line_end;
        } else if !line.trim().is_empty() && !line.starts_with('#') {
            return Vec::new();
        }
        at = line_end;
    }
    chunks
}

/// The key, its length in the source, and where its colon stands.
fn leading_key(line: &str) -> Option<(String, usize, usize)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, key_len) = match quote {
        Some(quote) => {
            let end = line[1..].find(quote)? + 1;
            (&line[1..end], end + 1)
        }
        None => {
            let end = line
                .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
                .unwrap_or(line.len());
            (&line[..end], end)
        }
    };
    let rest = &line[key_len..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let after = rest[blanks..].strip_prefix(':')?;
    let starts_key = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (starts_key && (after.is_empty() || after.starts_with(char::is_whitespace)))
        .then(|| (key.to_owned(), key_len, key_len + blanks))
}

/// The text of a value as its author meant it: one line as it stands, more lines folded.
fn exact_text(text: &str, value: Range<usize>) -> (String, Range<usize>) {
    let source = &text[value.clone()];
    let start = value.start + (source.len() - source.trim_start().len());
    let trimmed = source.trim();
    let span = start.min(value.end)..start.min(value.end) + trimmed.len();
    let mut lines = trimmed.lines();
    let first = lines.next().unwrap_or_default().trim_end();
    let is_block_header = first.starts_with(['|', '>']) && first.len() <= 3;
    let rest: Vec<&str> = lines.map(str::trim).filter(|line| !line.is_empty()).collect();
    let kept = match (is_block_header && !rest.is_empty(), rest.is_empty()) {
        (true, _) if first.starts_with('|') => rest.join("\n"),
        (true, _) => rest.join(" "),
        (_, true) => first.to_owned(),
        _ => format!("{first} {}", rest.join(" ")),
    };
    (kept, span)
}

fn needs_quotes(value: &str) -> bool {
    value.contains(": ")
        || value.ends_with(':')
        || value.starts_with(['[', '{', '@', '`', '*', '&', '!', '%', '|', '>', ']', '}', ','])
}
