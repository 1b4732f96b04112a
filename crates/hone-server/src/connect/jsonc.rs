//! JSON with comments and trailing commas, changed without touching what is not meant.

use std::ops::Range;

use serde_json::{Map, Value};

use super::document::{Unreadable, inline, ordered};

/// How deep objects and lists may lie in each other.
const MAX_DEPTH: usize = 128;

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Node {
    span: Range<usize>,
    pub(super) value: Value,
    members: Vec<Member>,
}

/// A member of an object.
#[derive(Debug)]
struct Member {
    key: String,
    start: usize,
    value: Node,
    /// Where the comma after it stands.
    comma: Option<usize>,
}

/// Reads a whole text; one that holds nothing is an object without members.
pub(super) fn parse(text: &str) -> Result<Option<Node>, Unreadable> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    reader.skip()?;
    if reader.at == text.len() {
        return Ok(None);
    }
    let node = reader.value(0)?;
    reader.skip()?;
    if reader.at < text.len() {
        return Err(reader.wrong("something follows the end"));
    }
    Ok(Some(node))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn wrong(&self, what: &str) -> Unreadable {
        Unreadable::at(self.text, self.at, what)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Passes blanks and comments.
    fn skip(&mut self) -> Result<(), Unreadable> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if blank > 0 {
                self.at += blank;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.wrong("a comment does not end"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Unreadable> {
        if depth > MAX_DEPTH {
            return Err(self.wrong("values lie too deep in each other"));
        }
        let start = self.at;
        let (value, members) = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => (self.list(depth)?, Vec::new()),
            Some(b'"') => (Value::String(self.string()?), Vec::new()),
            _ => (self.word()?, Vec::new()),
        };
        Ok(Node { span: start..self.at, value, members })
    }

    fn object(&mut self, depth: usize) -> Result<(Value, Vec<Member>), Unreadable> {
        self.at += 1;
        let mut members: Vec<Member> = Vec::new();
        loop {
            self.skip()?;
            if self.peek() == Some(b'}') {
                self.at += 1;
                break;
            }
            if members.last().is_some_and(|last| last.comma.is_none()) {
                return Err(self.wrong("a comma or `}` is missing"));
            }
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("a name in quotes is missing"));
            }
            let key = self.string()?;
            self.skip()?;
            if self.peek() != Some(b':') {
                return Err(self.wrong("a colon is missing"));
            }
            self.at += 1;
            self.skip()?;
            let value = self.value(depth + 1)?;
            self.skip()?;
            let comma = (self.peek() == Some(b',')).then_some(self.at);
            self.at += usize::from(comma.is_some());
            members.push(Member { key, start, value, comma });
        }
        let values: Map<String, Value> =
            members.iter().map(|member| (member.key.clone(), member.value.value.clone())).collect();
        Ok((Value::Object(values), members))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Unreadable> {
        self.at += 1;
        let mut items = Vec::new();
        let mut is_open = true;
        loop {
            self.skip()?;
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::Array(items));
            }
            if !is_open {
                return Err(self.wrong("a comma or `]` is missing"));
            }
            items.push(self.value(depth + 1)?.value);
            self.skip()?;
            is_open = self.peek() == Some(b',');
            self.at += usize::from(is_open);
        }
    }

    fn string(&mut self) -> Result<String, Unreadable> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 2,
                b'"' => {
                    let literal = self.text.get(self.at..=end);
                    let text = literal.and_then(|literal| serde_json::from_str(literal).ok());
                    let text = text.ok_or_else(|| self.wrong("this is no text"))?;
                    self.at = end + 1;
                    return Ok(text);
                }
                _ => end += 1,
            }
        }
        Err(self.wrong("a text does not end"))
    }

    fn word(&mut self) -> Result<Value, Unreadable> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && !"+-.".contains(c));
        let word = &rest[..end.unwrap_or(rest.len())];
        let value = serde_json::from_str(word).map_err(|_| self.wrong("a value is missing"))?;
        self.at += word.len();
        Ok(value)
    }
}

impl Node {
    fn member(&self, key: &str) -> Option<&Member> {
        self.members.iter().rev().find(|member| member.key == key)
    }
}

/// The text with a member at the end of a path; objects on the way are made.
pub(super) fn with(text: &str, path: &[&str], value: &Value) -> Result<String, Unreadable> {
    let style = Style::of(text);
    let Some(root) = parse(text)? else {
        let nested = nest(path, value);
        let gap =
            if text.is_empty() || text.ends_with(['\n', '\u{feff}']) { "" } else { style.newline };
        return Ok(format!("{text}{gap}{}{}", style.rendered(&nested, ""), style.newline));
    };
    let mut object = &root;
    for (depth, key) in path.iter().enumerate() {
        if !object.value.is_object() {
            return Err(Unreadable::at(text, object.span.start, "this should be an object"));
        }
        let member = object.member(key);
        match member {
            Some(member) if depth + 1 == path.len() => {
                let indent = Style::indent_at(text, member.start);
                let mut new = text.to_owned();
                new.replace_range(member.value.span.clone(), &style.rendered(value, indent));
                return Ok(new);
            }
            Some(member) => object = &member.value,
            None => {
                return Ok(inserted(text, object, key, &nest(&path[depth + 1..], value), &style));
            }
        }
    }
    Ok(text.to_owned())
}

/// A value below names.
fn nest(path: &[&str], value: &Value) -> Value {
    path.iter().rev().fold(value.clone(), |value, key| {
        Value::Object(Map::from_iter([((*key).to_owned(), value)]))
    })
}

/// The text with one more member at the end of an object.
fn inserted(text: &str, object: &Node, key: &str, value: &Value, style: &Style) -> String {
    let key = Value::from(key);
    let inside = &text[object.span.start + 1..object.span.end - 1];
    let outer = Style::indent_at(text, object.span.start);
    let Some(last) = object.members.last() else {
        let inner = format!("{outer}{}", style.unit);
        let end =
            if inside.contains('\n') { String::new() } else { format!("{}{outer}", style.newline) };
        let member =
            format!("{}{inner}{key}: {}{end}", style.newline, style.rendered(value, &inner));
        let mut new = text.to_owned();
        new.insert_str(object.span.start + 1, &member);
        return new;
    };
    let end = last.comma.map_or(last.value.span.end, |comma| comma + 1);
    let (before, after) = if last.comma.is_some() { ("", ",") } else { (",", "") };
    if !inside.contains('\n') {
        let (head, tail) = text.split_at(end);
        return format!("{head}{before} {key}: {}{after}{tail}", inline(value));
    }
    // A comment on the same line belongs to the member before.
    let at = end_of_remark(text, end);
    let indent = Style::indent_at(text, last.start);
    let member =
        format!("{}{indent}{key}: {}{after}", style.newline, style.rendered(value, indent));
    format!("{}{before}{}{member}{}", &text[..end], &text[end..at], &text[at..])
}

/// Where a comment that starts on the line of `from` ends, or `from` when there is none.
fn end_of_remark(text: &str, from: usize) -> usize {
    let mut at = from;
    loop {
        let rest = &text[at..];
        let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let rest = &rest[blank..];
        let length = if rest.starts_with("//") {
            rest.find(['\r', '\n'])
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            None
        };
        match length {
            Some(length) => at += blank + length,
            None => return at,
        }
    }
}

/// The text without a member, and its comma; none when it is not there.
pub(super) fn without(text: &str, path: &[&str]) -> Result<Option<String>, Unreadable> {
    let Some(root) = parse(text)? else { return Ok(None) };
    let Some((last, parents)) = path.split_last() else { return Ok(None) };
    let mut object = &root;
    for key in parents {
        let Some(member) = object.member(key) else { return Ok(None) };
        object = &member.value;
    }
    let Some(at) = object.members.iter().rposition(|member| member.key == *last) else {
        return Ok(None);
    };
    let member = &object.members[at];
    let before = &text[..member.start];
    let start = before.trim_end_matches([' ', '\t']).len();
    let start = text[..start]
        .strip_suffix('\n')
        .map_or(start, |line| line.strip_suffix('\r').unwrap_or(line).len());
    let end = member.comma.map_or(member.value.span.end, |comma| comma + 1);
    let mut new = text.to_owned();
    new.replace_range(start..end, "");
    let comma = at.checked_sub(1).and_then(|before| object.members[before].comma);
    if let (None, Some(comma)) = (member.comma, comma) {
        new.replace_range(comma..=comma, "");
    }
    Ok(Some(new))
}

/// How a text is laid out.
struct Style {
    newline: &'static str,
    unit: String,
}

impl Style {
    fn of(text: &str) -> Self {
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = text.lines().find_map(|line| {
            let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            (!indent.is_empty() && line.trim_start().starts_with('"')).then(|| indent.to_owned())
        });
        Self { newline, unit: first.unwrap_or_else(|| "  ".to_owned()) }
    }

    /// The blanks that the line of a place starts with.
    fn indent_at(text: &str, at: usize) -> &str {
        let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let rest = &text[line..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// A value over several lines, those after the first indented.
    fn rendered(&self, value: &Value, indent: &str) -> String {
        match value {
            Value::Object(members) if !members.is_empty() => {
                let inner = format!("{indent}{}", self.unit);
                let members: Vec<String> = ordered(members)
                    .into_iter()
                    .map(|(key, value)| {
                        format!(
                            "{inner}{}: {}",
                            Value::from(key.as_str()),
                            self.rendered(value, &inner)
                        )
                    })
                    .collect();
                let (newline, between) = (self.newline, format!(",{}", self.newline));
                format!("{{{newline}{}{newline}{indent}}}", members.join(&between))
            }
            other => inline(other),
        }
    }
}
