//! One entry of a map at the top of a YAML file, added and removed by whole lines.

use std::fmt::Write as _;

use serde_json::Value;

use super::document::{Unreadable, inline, ordered};

/// Where a map at the top of a file lies.
struct Section<'t> {
    /// What follows its name, comments aside.
    rest: &'t str,
    /// The line of its name.
    head: std::ops::Range<usize>,
    /// The end of its last line that is neither blank nor a comment.
    end: usize,
    /// The blanks before its first entry.
    indent: Option<&'t str>,
}

/// Lines with where they start and end, newline included.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line)
    })
}

fn indent_of(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

fn is_empty(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

/// The key of a line, unquoted, and what follows its colon.
fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, rest) = line.trim().split_once(':')?;
    let key = key.trim();
    let bare = ['"', '\''].iter().find_map(|quote| key.strip_prefix(*quote)?.strip_suffix(*quote));
    let is_end = rest.is_empty() || rest.starts_with([' ', '\t']);
    is_end.then(|| (bare.unwrap_or(key), rest.trim()))
}

fn section<'t>(text: &'t str, name: &str) -> Option<Section<'t>> {
    let mut found: Option<Section<'t>> = None;
    for (start, line) in lines(text) {
        let end = start + line.len();
        if is_empty(line) {
            continue;
        }
        let indent = indent_of(line);
        match &mut found {
            // A list may stand as far left as its name.
            Some(section) if !indent.is_empty() || line.starts_with("- ") => {
                section.indent = section.indent.or(Some(indent));
                section.end = end;
            }
            Some(_) => break,
            None => {
                let key = key_of(line).filter(|(key, _)| indent.is_empty() && *key == name);
                found = key.map(|(_, rest)| {
                    let rest = if rest.starts_with('#') { "" } else { rest };
                    let rest = rest.split(" #").next().unwrap_or_default().trim_end();
                    Section { rest, head: start..end, end, indent: None }
                });
            }
        }
    }
    found
}

/// An entry as lines.
fn rendered(name: &str, entry: &Value, indent: &str, unit: &str, newline: &str) -> String {
    let mut text = format!("{indent}{}:{newline}", plain(name));
    for (key, value) in entry.as_object().map(ordered).into_iter().flatten() {
        let _ = write!(text, "{indent}{unit}{key}: {}{newline}", inline(value));
    }
    text
}

fn plain(name: &str) -> String {
    let is_plain = name.starts_with(|c: char| c.is_ascii_alphabetic());
    if is_plain { name.to_owned() } else { Value::from(name).to_string() }
}

/// The text with an entry in a map at its top.
pub(super) fn with(text: &str, path: &[&str], entry: &Value) -> Result<String, Unreadable> {
    let [map, name] = path else { return Err(Unreadable::at(text, 0, "this path is no entry")) };
    if let Some(text) = without(text, path)? {
        return with(&text, path, entry);
    }
    if let Some((at, _)) =
        lines(text).skip(1).find(|(_, line)| line.starts_with("---") || line.starts_with("..."))
    {
        return Err(Unreadable::at(text, at, "there is more than one document"));
    }
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let gap = |text: &str| if text.is_empty() || text.ends_with('\n') { "" } else { newline };
    let Some(section) = section(text, map) else {
        let entry = rendered(name, entry, "  ", "  ", newline);
        return Ok(format!("{text}{}{map}:{newline}{entry}", gap(text)));
    };
    let indent = section.indent.unwrap_or("  ");
    let entry = rendered(name, entry, indent, indent, newline);
    match section.rest {
        "" => {
            let (head, tail) = text.split_at(section.end);
            Ok(format!("{head}{}{entry}{tail}", gap(head)))
        }
        "{}" | "null" | "~" => {
            let head = &text[section.head.clone()];
            let head = head.replacen(section.rest, "", 1);
            let head = head.trim_end_matches(['\r', '\n']).trim_end();
            let (before, after) = (&text[..section.head.start], &text[section.head.end..]);
            Ok(format!("{before}{head}{newline}{entry}{after}"))
        }
        _ => Err(Unreadable::at(text, section.head.start, "this map is written on one line")),
    }
}

/// The text without an entry; none when it is not there.
pub(super) fn without(text: &str, path: &[&str]) -> Result<Option<String>, Unreadable> {
    let [map, name] = path else { return Err(Unreadable::at(text, 0, "this path is no entry")) };
    let Some(section) = section(text, map) else { return Ok(None) };
    let Some(indent) = section.indent else { return Ok(None) };
    let mut range: Option<std::ops::Range<usize>> = None;
    for (start, line) in lines(text) {
        if start < section.head.end || start >= section.end || is_empty(line) {
            continue;
        }
        match &mut range {
            Some(range) if indent_of(line).len() > indent.len() => range.end = start + line.len(),
            Some(_) => break,
            None => {
                let is_it =
                    indent_of(line) == indent && key_of(line).is_some_and(|(key, _)| key == *name);
                range = is_it.then(|| start..start + line.len());
            }
        }
    }
    Ok(range.map(|range| {
        let mut new = text.to_owned();
        new.replace_range(range, "");
        new
    }))
}
