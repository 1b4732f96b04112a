//! Edits that keep every byte they do not touch: comments, order, quoting, line ends.

use std::ops::Range;

use crate::diagnostic::{Edit, Severity};
use crate::fence::{self, NoParts, Parts};
use crate::frontmatter::{self, Frontmatter, Refusal};
use crate::reader::own_lines;
use crate::rule::{Profile, Rule};
use crate::skill::{DescriptionSource, Reading, read};
use crate::value::Value;
use crate::yaml::{Kind, Node, Style, WHITE, is_break, quote, quote_always};

/// A frontmatter field that holds text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field<'a> {
    /// A top-level key.
    Top(&'a str),
    /// A key under `metadata`.
    Metadata(&'a str),
}

/// Why a text could not be edited.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// There is no frontmatter to edit.
    #[error("there is no frontmatter to edit")]
    NoFrontmatter,
    /// The frontmatter cannot be parsed.
    #[error("the frontmatter cannot be edited: {0}")]
    Unreadable(String),
    /// `metadata` is something else than a map.
    #[error("`metadata` is not a map: write `key: value` lines under it")]
    MetadataNotMap,
    /// Other fields depend on the one to change, for example through an alias.
    #[error("changing `{0}` would change other fields too: edit the file by hand")]
    Entangled(String),
}

/// Applies edits to a text. Of two that overlap, the later one is left out, as is one that does not
/// fit the text.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.dedup();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        let fits = text.get(edit.range.clone()).is_some();
        if fits && edit.range.start >= at {
            result.push_str(&text[at..edit.range.start]);
            result.push_str(&edit.text);
            at = edit.range.end;
        }
    }
    result.push_str(&text[at..]);
    result
}

/// The text with all mends applied that `profile` calls for, and the rules that they mended.
///
/// ```
/// use hone_skill::{Profile, fix};
///
/// let text = "---\nname: greet # short\ndescription: Says: hello\n---\nSay hello.\n";
/// let (fixed, rules) = fix(text, Some("greet"), Profile::Spec);
/// assert_eq!(fixed, "---\nname: greet # short\ndescription: \"Says: hello\"\n---\nSay hello.\n");
/// assert_eq!(rules[0].id(), "yaml-unquoted");
/// ```
pub fn fix(text: &str, folder: Option<&str>, profile: Profile) -> (String, Vec<Rule>) {
    /// A mend may uncover the next, never more often than this.
    const MAX_PASSES: usize = 16;
    let mut text = text.to_owned();
    let mut reading = read(text.as_bytes(), folder);
    let mut mended = Vec::new();
    for _ in 0..MAX_PASSES {
        let mut edits: Vec<Edit> = Vec::new();
        let mut rules = Vec::new();
        for diagnostic in &reading.diagnostics {
            let matters = diagnostic.severity(profile) >= Some(Severity::Warning);
            if let Some(fix) = diagnostic.fix.as_ref().filter(|_| matters) {
                edits.extend(fix.iter().cloned());
                rules.push(diagnostic.rule);
            }
        }
        let next = apply_edits(&text, &edits);
        if next == text {
            break;
        }
        let after = read(next.as_bytes(), folder);
        if !keeps(&reading, &after) {
            break;
        }
        text = next;
        reading = after;
        mended.extend(rules);
    }
    mended.sort_unstable();
    mended.dedup();
    (text, mended)
}

/// Whether a mended skill still says what it said.
fn keeps(before: &Reading, after: &Reading) -> bool {
    match (&before.skill, &after.skill) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(before), Some(after)) => {
            before.description_source == DescriptionSource::Body
                || before.description == after.description
        }
    }
}

/// Sets a text field, adding it when it is not there, and leaves everything else as it was.
///
/// ```
/// use hone_skill::{Field, set_field};
///
/// let text = "---\nname: greet\n# who\ndescription: 'Old'  # keep\n---\nHi\n";
/// let new = set_field(text, Field::Top("description"), "New: better")?;
/// assert_eq!(new, "---\nname: greet\n# who\ndescription: \"New: better\"  # keep\n---\nHi\n");
/// # Ok::<(), hone_skill::EditError>(())
/// ```
pub fn set_field(text: &str, field: Field<'_>, value: &str) -> Result<String, EditError> {
    let (parts, found) = open(text)?;
    let (name, edit) = match field {
        Field::Top(key) => (key.to_owned(), set_top(text, &parts, &found, key, value)),
        Field::Metadata(key) => {
            (format!("metadata.{key}"), set_metadata(text, &parts, &found, key, value)?)
        }
    };
    let new = apply_edits(text, &[edit]);
    let (_, reread) = open(&new)?;
    if values(&reread) == expected(values(&found), field, value, &found) {
        Ok(new)
    } else {
        Err(EditError::Entangled(name))
    }
}

pub(crate) fn open(text: &str) -> Result<(Parts, Frontmatter), EditError> {
    let parts = fence::split(text).map_err(|error| match error {
        NoParts::Missing => EditError::NoFrontmatter,
        NoParts::Unclosed(_) => EditError::Unreadable("it is never closed".to_owned()),
    })?;
    let found = frontmatter::parse(text, parts.frontmatter.clone()).map_err(|refusal| {
        EditError::Unreadable(match refusal {
            Refusal::NotMap { found, .. } => format!("it is {found}"),
            Refusal::Limit { message, .. } | Refusal::Syntax { message, .. } => message,
        })
    })?;
    Ok((parts, found))
}

fn values(found: &Frontmatter) -> Vec<(String, Value)> {
    found.entries.iter().map(|entry| (entry.key.clone(), entry.value.to_value())).collect()
}

/// What the values must be after the edit.
fn expected(
    mut before: Vec<(String, Value)>,
    field: Field<'_>,
    value: &str,
    found: &Frontmatter,
) -> Vec<(String, Value)> {
    let new_at = place_of_new(found);
    match field {
        Field::Top(key) => match before.iter_mut().rev().find(|(k, _)| k == key) {
            Some((_, old)) => *old = written_value(key, old, value),
            None => before.insert(new_at, (key.to_owned(), Value::String(value.to_owned()))),
        },
        Field::Metadata(key) => {
            let at = before.iter().rposition(|(k, _)| k == "metadata").unwrap_or_else(|| {
                before.insert(new_at, ("metadata".to_owned(), Value::Null));
                new_at
            });
            let metadata = &mut before[at].1;
            if *metadata == Value::Null {
                *metadata = Value::Map(Vec::new());
            }
            if let Value::Map(entries) = metadata {
                match entries.iter_mut().find(|(k, _)| k == key) {
                    Some((_, old)) => *old = written_value(key, old, value),
                    None => entries.insert(0, (key.to_owned(), Value::String(value.to_owned()))),
                }
            }
        }
    }
    before
}

/// A version that was written as a number stays one; everything else becomes text.
fn written_value(key: &str, old: &Value, new: &str) -> Value {
    match (old, Value::from_plain(new)) {
        (Value::Number(_), number @ Value::Number(_)) if key == "version" => number,
        _ => Value::String(new.to_owned()),
    }
}

/// Which entry a new one comes to stand before. That is after the last, unless a block scalar ends
/// the frontmatter, because what follows one decides about its last line break.
fn place_of_new(found: &Frontmatter) -> usize {
    fn ends_in_block_scalar(node: &Node) -> bool {
        match &node.kind {
            _ if node.alias => false,
            Kind::Scalar { style, .. } => *style == Style::Block,
            Kind::List { items, .. } => items.last().is_some_and(ends_in_block_scalar),
            Kind::Map { entries, .. } => {
                entries.last().is_some_and(|(_, value)| ends_in_block_scalar(value))
            }
        }
    }
    let last = found.entries.last();
    if found.flow.is_some() {
        0
    } else if last.is_some_and(|entry| ends_in_block_scalar(&entry.value)) {
        found.entries.len() - 1
    } else {
        found.entries.len()
    }
}

/// An edit that adds lines for a new entry, indented like the others.
fn insert_entry(text: &str, parts: &Parts, found: &Frontmatter, lines: &[String]) -> Edit {
    let line_start = |at: usize| text[..at].rfind(is_break).map_or(0, |at| at + 1);
    let indent = found.entries.first().map_or("", |first| {
        let before = &text[line_start(first.key_span.start)..first.key_span.start];
        if before.bytes().all(|b| b == b' ') { before } else { "" }
    });
    let mut at = match found.entries.get(place_of_new(found)) {
        Some(next) => line_start(next.key_span.start),
        None => parts.close.start,
    };
    if at < parts.close.start {
        // Comments right above an entry belong to it.
        while at > parts.frontmatter.start {
            let above = line_start(at - 1);
            let comment = text[above..at].strip_prefix(indent);
            if !comment.is_some_and(|line| line.starts_with('#')) {
                break;
            }
            at = above;
        }
    }
    let end = line_end(text);
    let text = lines.iter().flat_map(|line| [indent, line, end]).collect();
    Edit { range: at..at, text }
}

/// An edit that adds an entry at the start of the `{…}` that opens at `brace`.
fn insert_in_flow(brace: usize, is_empty: bool, entry: &str) -> Edit {
    let comma = if is_empty { "" } else { ", " };
    Edit { range: brace + 1..brace + 1, text: format!("{entry}{comma}") }
}

fn set_top(text: &str, parts: &Parts, found: &Frontmatter, key: &str, value: &str) -> Edit {
    if let Some(entry) = found.entries.iter().rev().find(|entry| entry.key == key) {
        let written = written(text, key, &entry.value, value, found.flow.is_some());
        return replacement(text, &entry.key_span, &entry.value, &written);
    }
    if let Some(brace) = found.flow {
        let entry = format!("{}: {}", quote_always(key), quote_always(value));
        let is_empty = found.entries.is_empty() && found.odd_keys.is_empty();
        return insert_in_flow(brace, is_empty, &entry);
    }
    insert_entry(text, parts, found, &[format!("{}: {}", quote(key), quote(value))])
}

fn set_metadata(
    text: &str,
    parts: &Parts,
    found: &Frontmatter,
    key: &str,
    value: &str,
) -> Result<Edit, EditError> {
    let line = format!("{}: {}", quote(key), quote_always(value));
    let flow_line = format!("{}: {}", quote_always(key), quote_always(value));
    let Some(entry) = found.entries.iter().rev().find(|entry| entry.key == "metadata") else {
        return Ok(match found.flow {
            Some(brace) => {
                let is_empty = found.entries.is_empty() && found.odd_keys.is_empty();
                insert_in_flow(brace, is_empty, &format!("metadata: {{{flow_line}}}"))
            }
            None => {
                insert_entry(text, parts, found, &["metadata:".to_owned(), format!("  {line}")])
            }
        });
    };
    let Kind::Map { entries, flow } = &entry.value.kind else {
        if entry.value.to_value() != Value::Null {
            return Err(EditError::MetadataNotMap);
        }
        let range = value_region(text, &entry.key_span, &entry.value.span);
        let new = if found.flow.is_some() {
            format!(" {{{flow_line}}}")
        } else {
            let start = text[..entry.key_span.start].rfind(is_break).map_or(0, |at| at + 1);
            let indent = " ".repeat(entry.key_span.start - start);
            format!("{}{indent}  {line}", line_end(text))
        };
        return Ok(Edit { range, text: new });
    };
    let in_flow = *flow || found.flow.is_some();
    if let Some((at, node)) = entries.iter().rev().find(|(k, _)| k.key_text() == Some(key)) {
        let written = written(text, key, node, value, in_flow);
        return Ok(replacement(text, &at.span, node, &written));
    }
    if in_flow {
        return Ok(insert_in_flow(entry.value.span.start, entries.is_empty(), &flow_line));
    }
    let first = entries.first().map_or(entry.value.span.start, |(key, _)| key.span.start);
    let start = text[..first].rfind(is_break).map_or(0, |at| at + 1);
    let text = format!("{}{line}{}", &text[start..first], line_end(text));
    Ok(Edit { range: start..start, text })
}

/// The text without a key under `metadata`. Where its lines cannot go without something else, it
/// stays and takes the top-level value of the same key instead.
pub(crate) fn drop_metadata(text: &str, key: &str) -> Result<String, EditError> {
    let (_, found) = open(text)?;
    let Some(entry) = found.entries.iter().rev().find(|entry| entry.key == "metadata") else {
        return Ok(text.to_owned());
    };
    let Kind::Map { entries, flow } = &entry.value.kind else { return Ok(text.to_owned()) };
    let Some((at, value)) = entries.iter().find(|(k, _)| k.key_text() == Some(key)) else {
        return Ok(text.to_owned());
    };
    let lines = match entries.len() {
        _ if *flow || found.flow.is_some() || entry.value.alias => None,
        1 => own_lines(text, &entry.key_span, &entry.value),
        _ => own_lines(text, &at.span, value),
    };
    let removed = lines.map(|range| apply_edits(text, &[Edit { range, text: String::new() }]));
    let others = |found: &Frontmatter| {
        let mut others = values(found);
        for (_, value) in others.iter_mut().filter(|(k, _)| k == "metadata") {
            if let Value::Map(entries) = value {
                entries.retain(|(k, _)| k != key);
            }
        }
        others.retain(|(_, value)| *value != Value::Map(Vec::new()));
        others
    };
    match removed {
        Some(new) if open(&new).is_ok_and(|(_, after)| others(&after) == others(&found)) => Ok(new),
        _ => {
            let top = values(&found).into_iter().rev().find(|(k, _)| k == key);
            match top.as_ref().and_then(|(_, value)| value.text()) {
                Some(value) => set_field(text, Field::Metadata(key), value),
                None => Ok(text.to_owned()),
            }
        }
    }
}

/// How to write a value in the place of an old one.
fn written(text: &str, key: &str, old: &Node, value: &str, in_flow: bool) -> String {
    if let number @ Value::Number(_) = written_value(key, &old.to_value(), value) {
        return number.text().unwrap_or_default().to_owned();
    }
    // A version written as "1.2" keeps its quotes.
    let is_quoted = matches!(old.kind, Kind::Scalar { style: Style::Quoted, .. })
        && text[old.span.clone()].starts_with(['"', '\'']);
    if in_flow || is_quoted { quote_always(value) } else { quote(value) }
}

/// An edit that puts `written` in the place of a value.
pub(crate) fn replacement(text: &str, key: &Range<usize>, old: &Node, written: &str) -> Edit {
    let Kind::Scalar { style, .. } = old.kind else {
        return after_colon(text, key, old, written, "");
    };
    let in_place = match style {
        Style::Plain | Style::Quoted => true,
        // An exact text may start on a later line, where its repaired form need not be YAML.
        Style::Repaired => {
            let before = &text[key.end..old.span.start];
            before.ends_with([' ', '\t']) && !before.contains(is_break)
        }
        Style::Block => false,
    };
    if in_place && !old.span.is_empty() && !old.decorated {
        return Edit { range: old.span.clone(), text: written.to_owned() };
    }
    let header = text[old.span.clone()].split(is_break).next().unwrap_or_default();
    let after_header = header.trim_start_matches(|c: char| "|>+-0123456789".contains(c));
    let comment =
        if style == Style::Block && after_header.contains('#') { after_header } else { "" };
    after_colon(text, key, old, written, comment)
}

fn after_colon(text: &str, key: &Range<usize>, old: &Node, written: &str, comment: &str) -> Edit {
    let range = value_region(text, key, &old.span);
    Edit { range, text: format!(" {written}{comment}") }
}

/// Everything after an entry's colon, up to the end of its value, without trailing line breaks.
fn value_region(text: &str, key: &Range<usize>, value: &Range<usize>) -> Range<usize> {
    let colon = key.end + text[key.end..].find(':').map_or(0, |at| at + 1);
    let end = value.end.max(colon);
    colon..colon + text[colon..end].trim_end_matches(WHITE).len()
}

/// The line end that the file uses.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
