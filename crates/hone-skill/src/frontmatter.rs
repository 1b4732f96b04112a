//! The entries of a frontmatter, repaired where an author forgot to quote a value.

use std::ops::Range;

use crate::diagnostic::Edit;
use crate::limits::MAX_YAML_DEPTH;
use crate::yaml::{self, Kind, Node, Spent, Style, WHITE, YamlError, floor_boundary, quote_always};

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
    pub(crate) key: String,
    /// What is wrong, in our words or the parser's, and where.
    pub(crate) message: String,
    pub(crate) at: usize,
    /// Where the value ends.
    pub(crate) end: usize,
    /// A missing pair of quotes is all that was wrong.
    pub(crate) unquoted: bool,
    /// Quotes around the value, when they make it YAML.
    pub(crate) fix: Option<Edit>,
}

#[derive(Debug, Default)]
pub(crate) struct Frontmatter {
    pub(crate) entries: Vec<Entry>,
    pub(crate) repairs: Vec<Repair>,
    /// Keys that are not text, such as lists.
    pub(crate) odd_keys: Vec<Range<usize>>,
    /// The whole frontmatter is one `{…}` that starts here.
    pub(crate) flow: Option<usize>,
    /// The whole frontmatter carries an anchor or a tag.
    pub(crate) decorated: bool,
}

#[derive(Debug)]
pub(crate) enum Refusal {
    NotMap { found: &'static str, at: usize },
    Limit { message: String, at: usize },
    Syntax { message: String, at: usize },
}

/// Keys whose value is text whatever it looks like: `Note: this` under them is a sentence.
const TEXT_KEYS: [&str; 5] = ["name", "description", "license", "compatibility", "when_to_use"];

/// Parses the frontmatter at `range` of `text`.
///
/// Its last line break belongs to the closing fence, as in the readers of most agents: a block
/// scalar at the very end has no line break of its own.
pub(crate) fn parse(text: &str, range: Range<usize>) -> Result<Frontmatter, Refusal> {
    let source = &text[range.clone()];
    let source = source.strip_suffix('\n').map_or(source, |s| s.strip_suffix('\r').unwrap_or(s));
    match yaml::parse(source, range.start, &mut Spent::default()) {
        Ok(root) => from_root(root),
        Err(YamlError::Limit { message, at }) => Err(Refusal::Limit { message, at }),
        Err(YamlError::Syntax { message, at }) => {
            let mut repairer = Repairer {
                text,
                spent: Spent::default(),
                repairs: Vec::new(),
                depth: 0,
                has_anchors: source.contains('&'),
            };
            match repairer.entries(range.start..range.start + source.len(), &message) {
                Ok(entries) if entries.is_empty() => Err(Refusal::Syntax { message, at }),
                Ok(entries) => {
                    Ok(Frontmatter { entries, repairs: repairer.repairs, ..Frontmatter::default() })
                }
                Err((message, at)) => Err(Refusal::Limit { message, at }),
            }
        }
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
            let mut frontmatter = Frontmatter {
                flow: flow.then_some(at),
                decorated: root.decorated,
                ..Frontmatter::default()
            };
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

/// The repair: each entry is parsed alone, and one that is not YAML is taken apart into its own
/// entries, or keeps its exact text.
struct Repairer<'a> {
    text: &'a str,
    spent: Spent,
    repairs: Vec<Repair>,
    /// Levels of maps above the entries being looked at.
    depth: usize,
    has_anchors: bool,
}

impl Repairer<'_> {
    /// The entries at `range`; none when it does not consist of entries. An error is a limit.
    fn entries(
        &mut self,
        range: Range<usize>,
        message: &str,
    ) -> Result<Vec<Entry>, (String, usize)> {
        let mut entries = Vec::new();
        for chunk in chunks(self.text, range) {
            let source = &self.text[chunk.range.clone()];
            match yaml::parse(source, chunk.range.start, &mut self.spent) {
                Ok(Some(Node { kind: Kind::Map { entries: mut found, .. }, .. }))
                    if found.len() == 1 =>
                {
                    entries.extend(found.pop().map(|(key, value)| Entry {
                        key: key.key_text().unwrap_or_default().to_owned(),
                        key_span: key.span,
                        value,
                    }));
                }
                Err(YamlError::Limit { message, at }) => return Err((message, at)),
                Err(YamlError::Syntax { message, at }) => {
                    entries.push(self.mended(chunk, message, at)?);
                }
                Ok(_) => {
                    let at = chunk.value.start;
                    entries.push(self.mended(chunk, message.to_owned(), at)?);
                }
            }
        }
        Ok(entries)
    }

    fn mended(
        &mut self,
        chunk: Chunk,
        message: String,
        at: usize,
    ) -> Result<Entry, (String, usize)> {
        let first_line = first_line(&self.text[chunk.value.clone()]);
        let is_below = first_line.trim_start_matches(WHITE).is_empty()
            || first_line.trim_start_matches(WHITE).starts_with('#');
        let is_text = TEXT_KEYS.contains(&chunk.key.as_str());
        if is_below && !is_text {
            let inside = chunk.value.start + first_line.len()..chunk.value.end;
            if indent_of_first(self.text, inside.clone()) > chunk.indent {
                if self.depth >= MAX_YAML_DEPTH {
                    return Err((yaml::too_deep(), inside.start));
                }
                self.depth += 1;
                let entries = self.entries(inside, &message)?;
                self.depth -= 1;
                if let (Some(first), Some(last)) = (entries.first(), entries.last()) {
                    let span = first.key_span.start..last.value.span.end;
                    return Ok(chunk.entry(span, Kind::map(entries)));
                }
            }
        }
        let (mut kept, span) = exact_text(self.text, chunk.value.clone());
        let why_quotes = why_quotes(&kept);
        let mut unquoted = why_quotes.is_some();
        if let Some(text) = self.quoted_text(&kept) {
            (kept, unquoted) = (text, false);
        }
        // A broken list or map is not a text: quotes would only hide what is wrong with it.
        let is_one_line = !self.text[span.clone()].contains('\n');
        let is_structure = kept.starts_with("- ") || leading_key(&kept).is_some() || !is_one_line;
        let fix = if is_below && !is_text && is_structure {
            unquoted = false;
            None
        } else {
            self.quotes(&chunk, &span, &kept, &message)
        };
        let at = floor_boundary(self.text, at.clamp(chunk.range.start, span.end));
        self.repairs.push(Repair {
            key: chunk.key.clone(),
            message: why_quotes.filter(|_| unquoted).unwrap_or(message),
            at,
            end: span.end.max(at),
            unquoted,
            fix,
        });
        Ok(chunk.entry(span, Kind::Scalar { text: kept, style: Style::Repaired }))
    }

    /// The text inside quotes, whose lines are only not indented as they should be.
    fn quoted_text(&mut self, kept: &str) -> Option<String> {
        if !kept.starts_with(['"', '\'']) {
            return None;
        }
        match yaml::parse(kept, 0, &mut self.spent) {
            Ok(Some(Node { kind: Kind::Scalar { text, style: Style::Quoted }, .. })) => Some(text),
            _ => None,
        }
    }

    /// Quotes around the exact text, if that is all it takes.
    fn quotes(
        &mut self,
        chunk: &Chunk,
        span: &Range<usize>,
        kept: &str,
        message: &str,
    ) -> Option<Edit> {
        // The anchor may well be there, in an entry that was not looked at together with this one.
        if self.has_anchors && message.contains("unknown anchor") {
            return None;
        }
        let before = &self.text[chunk.value.start..span.start];
        let edit = if !before.is_empty() && before.chars().all(|c| matches!(c, ' ' | '\t')) {
            Edit { range: span.clone(), text: quote_always(kept) }
        } else {
            Edit { range: chunk.value.start..span.end, text: format!(" {}", quote_always(kept)) }
        };
        let mended = format!(
            "{}{}{}",
            &self.text[chunk.range.start..edit.range.start],
            edit.text,
            &self.text[edit.range.end..chunk.range.end]
        );
        let Ok(Some(Node { kind: Kind::Map { entries, .. }, .. })) =
            yaml::parse(&mended, 0, &mut self.spent)
        else {
            return None;
        };
        let reads_back = entries.len() == 1 && entries[0].1.key_text() == Some(kept);
        reads_back.then_some(edit)
    }
}

#[derive(Debug)]
struct Chunk {
    range: Range<usize>,
    indent: usize,
    key: String,
    key_span: Range<usize>,
    /// From after the colon to the end of the value, comments after it left out.
    value: Range<usize>,
    /// The value starts with `|` or `>`.
    is_block: bool,
}

impl Chunk {
    fn entry(self, span: Range<usize>, kind: Kind) -> Entry {
        Entry {
            key: self.key,
            key_span: self.key_span,
            value: Node { span, kind, decorated: false, tagged: false, alias: false },
        }
    }
}

impl Kind {
    fn map(entries: Vec<Entry>) -> Self {
        let node = |key: String, span| Node {
            span,
            kind: Kind::Scalar { text: key, style: Style::Quoted },
            decorated: false,
            tagged: false,
            alias: false,
        };
        let entries =
            entries.into_iter().map(|entry| (node(entry.key, entry.key_span), entry.value));
        Self::Map { entries: entries.collect(), flow: false }
    }
}

/// Cuts a range of whole lines before every `key:` that is indented like the first one.
///
/// Nothing when something else than blank lines and comments stands before the first.
fn chunks(text: &str, range: Range<usize>) -> Vec<Chunk> {
    let indent = indent_of_first(text, range.clone());
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let line_end = text[at..range.end].find('\n').map_or(range.end, |n| at + n + 1);
        let line = &text[at..line_end];
        let content = line.trim_start_matches(' ');
        let key = (line.len() - content.len() == indent).then(|| leading_key(content)).flatten();
        if let Some((key, key_len, colon)) = key {
            let start = at + indent;
            let value = line[indent + colon + 1..].trim_start_matches([' ', '\t']);
            chunks.push(Chunk {
                range: at..line_end,
                indent,
                key,
                key_span: start..start + key_len,
                value: start + colon + 1..line_end,
                is_block: value.starts_with(['|', '>']),
            });
        } else if let Some(last) = chunks.last_mut() {
            last.range.end = line_end;
            let is_comment = content.starts_with('#')
                && (!last.is_block || line.len() - content.len() <= indent);
            if !content.trim_matches(WHITE).is_empty() && !is_comment {
                last.value.end = line_end;
            }
        } else if !content.trim_matches(WHITE).is_empty() && !content.starts_with('#') {
            return Vec::new();
        }
        at = line_end;
    }
    chunks
}

/// How far the first line that is neither blank nor a comment is indented.
fn indent_of_first(text: &str, range: Range<usize>) -> usize {
    let mut lines = text[range].split('\n').map(|line| {
        let content = line.trim_start_matches(' ');
        (line.len() - content.len(), content.trim_matches(WHITE))
    });
    lines.find(|(_, content)| !content.is_empty() && !content.starts_with('#')).map_or(0, |l| l.0)
}

/// The first line of a text with its line break.
fn first_line(text: &str) -> &str {
    text.find('\n').map_or(text, |at| &text[..=at])
}

/// The key, its length in the source, and where its colon stands.
fn leading_key(line: &str) -> Option<(String, usize, usize)> {
    let quote = line.chars().next().filter(|c| matches!(c, '"' | '\''));
    let (key, key_len) = if let Some(quote) = quote {
        let end = line[1..].find(quote)? + 1;
        (&line[1..end], end + 1)
    } else {
        let end = line
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')))
            .unwrap_or(line.len());
        (&line[..end], end)
    };
    let rest = &line[key_len..];
    let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let after = rest[blanks..].strip_prefix(':')?;
    let starts_key = key.starts_with(|c: char| c.is_alphabetic() || c == '_');
    (starts_key && (after.is_empty() || after.starts_with(WHITE)))
        .then(|| (key.to_owned(), key_len, key_len + blanks))
}

/// The text of a value as its author meant it: one line as it stands, more lines folded, and the
/// lines under a `|` kept.
fn exact_text(text: &str, value: Range<usize>) -> (String, Range<usize>) {
    let source = &text[value.clone()];
    let trimmed = source.trim_matches(WHITE);
    let start = if trimmed.is_empty() {
        value.start
    } else {
        value.start + (source.len() - source.trim_start_matches(WHITE).len())
    };
    let span = start..start + trimmed.len();
    let mut lines = trimmed.lines();
    let first = lines.next().unwrap_or_default().trim_end_matches(WHITE);
    let rest: Vec<&str> = lines.map(|line| line.trim_end_matches(WHITE)).collect();
    let header = first.strip_prefix(['|', '>']);
    let is_block = !rest.is_empty()
        && header.is_some_and(|rest| rest.chars().all(|c| "+-0123456789".contains(c)));
    let words = || rest.iter().map(|line| line.trim_matches(WHITE)).filter(|line| !line.is_empty());
    let kept = if is_block && first.starts_with('|') {
        let indent = |line: &&&str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let common = rest.iter().filter(|line| !line.is_empty()).map(|line| indent(&line)).min();
        let common = common.unwrap_or(0);
        rest.iter()
            .map(|line| line.get(common..).unwrap_or_default())
            .collect::<Vec<_>>()
            .join("\n")
    } else if is_block {
        words().collect::<Vec<_>>().join(" ")
    } else {
        std::iter::once(first).chain(words()).collect::<Vec<_>>().join(" ")
    };
    (kept, span)
}

/// Why a value must be quoted, when quotes are what it lacks.
fn why_quotes(value: &str) -> Option<String> {
    const INDICATORS: [char; 13] =
        ['[', '{', '@', '`', '*', '&', '!', '%', '|', '>', ']', '}', ','];
    if let Some(indicator) = value.chars().next().filter(|c| INDICATORS.contains(c)) {
        // A backtick cannot stand between backticks.
        let shown =
            if indicator == '`' { "a backtick".to_owned() } else { format!("`{indicator}`") };
        return Some(format!("it starts with {shown}"));
    }
    let found = if value.starts_with("- ") {
        "it starts with `- `"
    } else if value.contains(": ") {
        "it holds `: `"
    } else if value.ends_with(':') {
        "it ends in `:`"
    } else {
        return None;
    };
    Some(found.to_owned())
}
