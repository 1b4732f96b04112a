//! Edits that keep every byte they do not touch: comments, order, quoting, line ends.

use crate::diagnostic::{Edit, Severity};
use crate::fence::{self, NoParts, Parts};
use crate::frontmatter::{self, Frontmatter, Refusal};
use crate::rule::{Profile, Rule};
use crate::skill::{quote_always, read, value_region};
use crate::value::Value;
use crate::yaml::{Kind, Node, Style, quote};

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

/// Applies edits to a text. Of two that overlap, the later one is left out.
pub fn apply_edits(text: &str, edits: &[Edit]) -> String {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    edits.dedup();
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        if edit.range.start < at {
            continue;
        }
        result.push_str(&text[at..edit.range.start]);
        result.push_str(&edit.text);
        at = edit.range.end;
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
    /// Each pass mends at least one rule for good; more passes than kinds of mend are never needed.
    const MAX_PASSES: usize = 16;
    let mut text = text.to_owned();
    let mut mended = Vec::new();
    for _ in 0..MAX_PASSES {
        let reading = read(text.as_bytes(), folder);
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
        text = next;
        mended.extend(rules);
    }
    mended.sort_unstable();
    mended.dedup();
    (text, mended)
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
    let before = values(&found);
    let edit = match field {
        Field::Top(key) => set_top(text, &parts, &found, key, value),
        Field::Metadata(key) => set_metadata(text, &parts, &found, key, value)?,
    };
    let new = apply_edits(text, &[edit]);
    let (name, expected) = expected(before, field, value);
    let (_, reread) = open(&new)?;
    if values(&reread) == expected { Ok(new) } else { Err(EditError::Entangled(name)) }
}

fn open(text: &str) -> Result<(Parts, Frontmatter), EditError> {
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
) -> (String, Vec<(String, Value)>) {
    let value = Value::String(value.to_owned());
    match field {
        Field::Top(key) => {
            match before.iter_mut().rev().find(|(k, _)| k == key) {
                Some((_, old)) => *old = value,
                None => before.push((key.to_owned(), value)),
            }
            (key.to_owned(), before)
        }
        Field::Metadata(key) => {
            let metadata = match before.iter().rposition(|(k, _)| k == "metadata") {
                Some(at) => &mut before[at].1,
                None => {
                    before.push(("metadata".to_owned(), Value::Null));
                    &mut before.last_mut().expect("just pushed").1
                }
            };
            if *metadata == Value::Null {
                *metadata = Value::Map(Vec::new());
            }
            if let Value::Map(entries) = metadata {
                match entries.iter_mut().find(|(k, _)| k == key) {
                    Some((_, old)) => *old = value,
                    None => entries.insert(0, (key.to_owned(), value)),
                }
            }
            (format!("metadata.{key}"), before)
        }
    }
}

fn set_top(text: &str, parts: &Parts, found: &Frontmatter, key: &str, value: &str) -> Edit {
    if let Some(entry) = found.entries.iter().rev().find(|entry| entry.key == key) {
        return replace_value(text, &entry.key_span, &entry.value, value, found.flow);
    }
    if found.flow {
        let brace = parts.frontmatter.start
            + text[parts.frontmatter.clone()].rfind('}').unwrap_or_default();
        let comma = if found.entries.is_empty() { "" } else { ", " };
        return insert(brace, format!("{comma}{key}: {}", quote_always(value)));
    }
    insert(parts.close.start, format!("{key}: {}{}", quote(value), line_end(text)))
}

fn set_metadata(
    text: &str,
    parts: &Parts,
    found: &Frontmatter,
    key: &str,
    value: &str,
) -> Result<Edit, EditError> {
    let Some(entry) = found.entries.iter().rev().find(|entry| entry.key == "metadata") else {
        if found.flow {
            let brace = parts.frontmatter.start
                + text[parts.frontmatter.clone()].rfind('}').unwrap_or_default();
            let comma = if found.entries.is_empty() { "" } else { ", " };
            return Ok(insert(
                brace,
                format!("{comma}metadata: {{{key}: {}}}", quote_always(value)),
            ));
        }
        let end = line_end(text);
        let lines = format!("metadata:{end}  {key}: {}{end}", quote_always(value));
        return Ok(insert(parts.close.start, lines));
    };
    let Kind::Map { entries, flow } = &entry.value.kind else {
        if entry.value.to_value() != Value::Null {
            return Err(EditError::MetadataNotMap);
        }
        let range = value_region(text, &entry.key_span, &entry.value.span);
        let new = if found.flow {
            format!(" {{{key}: {}}}", quote_always(value))
        } else {
            format!("{}  {key}: {}", line_end(text), quote_always(value))
        };
        return Ok(Edit { range, text: new });
    };
    let flow = *flow || found.flow;
    if let Some((at, node)) = entries.iter().rev().find(|(k, _)| k.key_text() == Some(key)) {
        return Ok(replace_value(text, &at.span, node, value, flow));
    }
    let value = quote_always(value);
    if flow {
        let comma = if entries.is_empty() { "" } else { ", " };
        let inside = entry.value.span.start + 1;
        return Ok(insert(inside, format!("{key}: {value}{comma}")));
    }
    let first = entries.first().map_or(entry.value.span.start, |(key, _)| key.span.start);
    let line = text[..first].rfind('\n').map_or(0, |at| at + 1);
    Ok(insert(line, format!("{}{key}: {value}{}", &text[line..first], line_end(text))))
}

fn replace_value(
    text: &str,
    key: &std::ops::Range<usize>,
    node: &Node,
    value: &str,
    flow: bool,
) -> Edit {
    let written = if flow { quote_always(value) } else { quote(value) };
    let in_place = matches!(node.kind, Kind::Scalar { style: Style::Plain | Style::Quoted, .. })
        && !node.span.is_empty()
        && !node.decorated;
    if in_place {
        // A version written as "1.2" keeps its quotes.
        let was_quoted = text[node.span.clone()].starts_with(['"', '\'']);
        let written = if was_quoted { quote_always(value) } else { written };
        return Edit { range: node.span.clone(), text: written };
    }
    Edit { range: value_region(text, key, &node.span), text: format!(" {written}") }
}

fn insert(at: usize, text: String) -> Edit {
    Edit { range: at..at, text }
}

/// The line end that the file uses.
pub(crate) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}
