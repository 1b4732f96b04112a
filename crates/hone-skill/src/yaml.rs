//! YAML with positions: the only place that knows the parser crate.
//!
//! Builds a tree of nodes with byte ranges, within the limits of [`crate::limits`]. Aliases are
//! replaced by a copy of what they stand for, and the copies count against the limits, so that the
//! cost stays linear in the allowed size whatever the input says.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle};

use crate::limits::{MAX_YAML_DEPTH, MAX_YAML_NODES, MAX_YAML_TEXT_BYTES};
use crate::value::Value;

/// A YAML node and where it stands in the parsed text.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
    /// The node carries an anchor, a tag, or came from an alias.
    pub(crate) decorated: bool,
}

#[derive(Debug, Clone)]
pub(crate) enum Kind {
    Scalar { text: String, style: Style },
    List { items: Vec<Node>, flow: bool },
    Map { entries: Vec<(Node, Node)>, flow: bool },
}

/// How a scalar was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Quoted,
    /// `|` or `>`.
    Block,
    /// Not YAML as it stands: the exact text was kept.
    Repaired,
}

/// Why a text is not YAML, or not YAML that we read.
#[derive(Debug)]
pub(crate) enum YamlError {
    Syntax { message: String, at: usize },
    Limit { message: String, at: usize },
}

impl Node {
    pub(crate) fn to_value(&self) -> Value {
        match &self.kind {
            Kind::Scalar { text, style: Style::Plain } => {
                if self.span.is_empty() {
                    Value::Null
                } else {
                    Value::from_plain(text)
                }
            }
            Kind::Scalar { text, .. } => Value::String(text.clone()),
            Kind::List { items, .. } => Value::List(items.iter().map(Node::to_value).collect()),
            Kind::Map { entries, .. } => {
                let mut values: Vec<(String, Value)> = Vec::with_capacity(entries.len());
                let mut places = HashMap::with_capacity(entries.len());
                for (key, value) in entries {
                    let Some(key) = key.key_text() else { continue };
                    let value = value.to_value();
                    match places.get(key) {
                        Some(&at) => values[at] = (key.to_owned(), value),
                        None => {
                            places.insert(key, values.len());
                            values.push((key.to_owned(), value));
                        }
                    }
                }
                Value::Map(values)
            }
        }
    }

    pub(crate) fn key_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    fn shift(&mut self, by: usize) {
        self.span = self.span.start + by..self.span.end + by;
        match &mut self.kind {
            Kind::Scalar { .. } => {}
            Kind::List { items, .. } => items.iter_mut().for_each(|item| item.shift(by)),
            Kind::Map { entries, .. } => {
                for (key, value) in entries {
                    key.shift(by);
                    value.shift(by);
                }
            }
        }
    }
}

/// Parses one YAML document; `None` when there is nothing in it. Positions are offset by `base`.
pub(crate) fn parse(text: &str, base: usize) -> Result<Option<Node>, YamlError> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_YAML_DEPTH,
        block_nesting_limit: MAX_YAML_DEPTH,
        emit_comments: false,
    };
    let mut builder = Builder::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| {
            let at = base + error.marker().byte_offset().unwrap_or(0);
            match error.kind() {
                ErrorKind::RecursionLimitExceeded => YamlError::Limit {
                    message: format!(
                        "lists and maps are nested deeper than {MAX_YAML_DEPTH} levels"
                    ),
                    at,
                },
                _ => YamlError::Syntax { message: error.info(), at },
            }
        })?;
        builder.event(event, span.byte_range().unwrap_or(0..0)).map_err(|error| match error {
            YamlError::Syntax { message, at } => YamlError::Syntax { message, at: at + base },
            YamlError::Limit { message, at } => YamlError::Limit { message, at: at + base },
        })?;
    }
    Ok(builder.root.map(|mut node| {
        if base > 0 {
            node.shift(base);
        }
        node
    }))
}

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, Weight)>,
    root: Option<Node>,
    spent: Weight,
    documents: usize,
}

struct Open {
    node: Node,
    anchor: usize,
    pending_key: Option<Node>,
    spent_before: Weight,
}

#[derive(Default, Clone, Copy)]
struct Weight {
    nodes: usize,
    text: usize,
}

impl Builder {
    fn event(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    return Err(YamlError::Syntax {
                        message: "a second YAML document starts here".to_owned(),
                        at: span.start,
                    });
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let style = match style {
                    ScalarStyle::Plain if tag.is_none() => Style::Plain,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                    _ => Style::Quoted,
                };
                self.spend(Weight { nodes: 1, text: text.len() }, span.start)?;
                let node = Node {
                    decorated: anchor != 0 || tag.is_some(),
                    kind: Kind::Scalar { text: text.into_owned(), style },
                    span,
                };
                let weight = Weight { nodes: 1, text: node.key_text().map_or(0, str::len) };
                self.close(node, anchor, weight);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let kind = Kind::List { items: Vec::new(), flow: style == StructureStyle::Flow };
                self.open(kind, span, anchor, tag.is_some())?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = Kind::Map { entries: Vec::new(), flow: style == StructureStyle::Flow };
                self.open(kind, span, anchor, tag.is_some())?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(mut open) = self.open.pop() {
                    open.node.span.end = open.node.span.end.max(span.end);
                    let weight = Weight {
                        nodes: self.spent.nodes - open.spent_before.nodes,
                        text: self.spent.text - open.spent_before.text,
                    };
                    self.close(open.node, open.anchor, weight);
                }
            }
            Event::Alias(id) => match self.anchors.get(&id) {
                Some((target, weight)) => {
                    let (mut node, weight) = (target.clone(), *weight);
                    self.spend(weight, span.start)?;
                    node.span = span;
                    node.decorated = true;
                    self.close(node, 0, weight);
                }
                None => {
                    return Err(YamlError::Limit {
                        message: "an alias stands inside the value that it repeats".to_owned(),
                        at: span.start,
                    });
                }
            },
            _ => {}
        }
        Ok(())
    }

    fn open(
        &mut self,
        kind: Kind,
        span: Range<usize>,
        anchor: usize,
        tagged: bool,
    ) -> Result<(), YamlError> {
        let spent_before = self.spent;
        self.spend(Weight { nodes: 1, text: 0 }, span.start)?;
        let node = Node { span, kind, decorated: anchor != 0 || tagged };
        self.open.push(Open { node, anchor, pending_key: None, spent_before });
        Ok(())
    }

    fn close(&mut self, node: Node, anchor: usize, weight: Weight) {
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), weight));
        }
        let Some(parent) = self.open.last_mut() else {
            self.root = Some(node);
            return;
        };
        match &mut parent.node.kind {
            Kind::List { items, .. } => items.push(node),
            Kind::Map { entries, .. } => match parent.pending_key.take() {
                Some(key) => entries.push((key, node)),
                None => parent.pending_key = Some(node),
            },
            Kind::Scalar { .. } => {}
        }
    }

    fn spend(&mut self, weight: Weight, at: usize) -> Result<(), YamlError> {
        self.spent.nodes = self.spent.nodes.saturating_add(weight.nodes);
        self.spent.text = self.spent.text.saturating_add(weight.text);
        if self.spent.nodes > MAX_YAML_NODES || self.spent.text > MAX_YAML_TEXT_BYTES {
            return Err(YamlError::Limit {
                message: format!(
                    "the frontmatter stands for more than {MAX_YAML_NODES} values or \
                     {MAX_YAML_TEXT_BYTES} bytes of text"
                ),
                at,
            });
        }
        Ok(())
    }
}

/// Writes `text` as a one-line YAML scalar that reads back as exactly that string.
pub(crate) fn quote(text: &str) -> String {
    if is_safe_plain(text) {
        return text.to_owned();
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            c if must_escape(c) => {
                let code = u32::from(c);
                if code <= 0xFF {
                    quoted.push_str(&format!("\\x{code:02X}"));
                } else if code <= 0xFFFF {
                    quoted.push_str(&format!("\\u{code:04X}"));
                } else {
                    quoted.push_str(&format!("\\U{code:08X}"));
                }
            }
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Characters that a YAML file may not hold raw, or that would break a line or hide text.
fn must_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}')
        || matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

fn is_safe_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return false };
    let reads_as_string = matches!(Value::from_plain(text), Value::String(_))
        && !["yes", "no", "on", "off", "y", "n"].iter().any(|w| text.eq_ignore_ascii_case(w))
        && !text.starts_with("0b")
        && !text.starts_with(|c: char| c.is_ascii_digit());
    reads_as_string
        && (first.is_alphanumeric() || matches!(first, '_' | '/' | '(' | '.' | '$' | '^'))
        && !text.starts_with("...")
        && !text.ends_with(char::is_whitespace)
        && !text.ends_with(':')
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains(['\n', '\r', '\t'])
        && !text.chars().any(must_escape)
}
