//! YAML with positions: the only place that knows the parser crate.
//!
//! Builds a tree of nodes with byte ranges, within the limits of [`crate::limits`]. Aliases are
//! replaced by a copy of what they stand for, and the copies count against the limits, so that the
//! cost stays linear in the allowed size whatever the input says.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, StructureStyle};

use crate::limits::{MAX_YAML_DEPTH, MAX_YAML_NODES, MAX_YAML_TEXT_BYTES};
use crate::value::{Value, is_json_number};

/// A YAML node and where it stands in the parsed text.
///
/// A block scalar spans from its `|` or `>` to its last character, a block list or map from its
/// first item to the end of its last: comments and blank lines after a node are not part of it.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
    /// The node carries an anchor, a tag, or came from an alias.
    pub(crate) decorated: bool,
    /// The node carries a tag, such as `!!binary`.
    pub(crate) tagged: bool,
    /// The node is a copy: what is inside it stands where its anchor is.
    pub(crate) alias: bool,
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
                    let at = *places.entry(key).or_insert(values.len());
                    if at < values.len() {
                        values[at].1 = value;
                    } else {
                        values.push((key.to_owned(), value));
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

    pub(crate) fn is_flow(&self) -> bool {
        matches!(self.kind, Kind::List { flow: true, .. } | Kind::Map { flow: true, .. })
    }

    /// Calls `visit` for this node and everything written inside it, in the order of the text.
    pub(crate) fn walk(&self, visit: &mut dyn FnMut(&Node)) {
        visit(self);
        match &self.kind {
            _ if self.alias => {}
            Kind::Scalar { .. } => {}
            Kind::List { items, .. } => items.iter().for_each(|item| item.walk(visit)),
            Kind::Map { entries, .. } => {
                for (key, value) in entries {
                    key.walk(visit);
                    value.walk(visit);
                }
            }
        }
    }

    /// What JSON cannot say of this node itself, or of the keys of this map.
    fn beyond_json(&self, text: &str) -> Option<(usize, String)> {
        let told = |node: &Self, what: &str| Some((node.span.start, what.to_owned()));
        if self.tagged {
            return told(self, "a value with a tag is read differently by others");
        }
        match &self.kind {
            Kind::Scalar { text: number, style: Style::Plain } if !is_json_number(number) => {
                told(self, &format!("JSON has no number `{number:.50}`"))
            }
            // Where it ends is for the fence to say, and some count that as a line.
            Kind::Scalar { style: Style::Block, .. } if text[self.span.end..].trim().is_empty() => {
                let header = text[self.span.clone()].lines().next().unwrap_or_default();
                let header = header.split([' ', '\t']).next().unwrap_or_default();
                let what = "a text that keeps its last line breaks ends with the frontmatter";
                header.contains('+').then(|| told(self, what)).flatten()
            }
            Kind::Scalar { .. } | Kind::List { .. } => None,
            Kind::Map { entries, .. } => entries.iter().find_map(|(key, _)| match &key.kind {
                Kind::Scalar { text, .. } if text == "__proto__" => {
                    told(key, "not every program can have a key `__proto__`")
                }
                _ if matches!(key.to_value(), Value::String(_)) => None,
                _ => told(key, "a key is no text"),
            }),
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

/// What has been built so far: never more than the limits allow, over however many parses.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Spent {
    nodes: usize,
    text: usize,
}

/// Parses one YAML document; `None` when there is nothing in it. Positions are offset by `base`.
pub(crate) fn parse(text: &str, base: usize, spent: &mut Spent) -> Result<Option<Node>, YamlError> {
    let options = granit_parser::options! {
        flow_nesting_limit: MAX_YAML_DEPTH + 1,
        block_nesting_limit: MAX_YAML_DEPTH + 1,
        emit_comments: false,
    };
    let mut builder = Builder::new(text, spent);
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| {
            let at = base + floor_boundary(text, error.marker().byte_offset().unwrap_or(0));
            match error.kind() {
                ErrorKind::RecursionLimitExceeded => YamlError::Limit { message: too_deep(), at },
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

/// What a YAML text of one document says, within the limits of frontmatter; else the byte at which it is
/// wrong, and how.
pub fn yaml_value(text: &str) -> Result<Value, (usize, String)> {
    match parse(text, 0, &mut Spent::default()) {
        Ok(node) => Ok(node.map_or(Value::Null, |node| node.to_value())),
        Err(YamlError::Syntax { message, at } | YamlError::Limit { message, at }) => {
            Err((at, message))
        }
    }
}

/// The first place where a YAML text says what JSON cannot say, or what programs that turn YAML into JSON
/// make different things of; and what it is. None when there is none, or the text is no YAML.
pub fn beyond_json(text: &str) -> Option<(usize, String)> {
    let root = parse(text, 0, &mut Spent::default()).ok()??;
    let mut found = None;
    root.walk(&mut |node| {
        if found.is_none() {
            found = node.beyond_json(text);
        }
    });
    found
}

pub(crate) fn too_deep() -> String {
    format!("lists and maps are nested deeper than {MAX_YAML_DEPTH} levels")
}

struct Builder<'a> {
    text: &'a str,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, Weight)>,
    root: Option<Node>,
    spent: &'a mut Spent,
    documents: usize,
    /// Where the last event ended.
    at: usize,
}

struct Open {
    node: Node,
    anchor: usize,
    pending_key: Option<Node>,
    weight: Weight,
}

/// What a copy of a node costs.
#[derive(Clone, Copy)]
struct Weight {
    nodes: usize,
    text: usize,
    /// Levels of lists and maps.
    height: usize,
}

impl<'a> Builder<'a> {
    fn new(text: &'a str, spent: &'a mut Spent) -> Self {
        Self {
            text,
            open: Vec::new(),
            anchors: HashMap::new(),
            root: None,
            spent,
            documents: 0,
            at: 0,
        }
    }

    fn event(&mut self, event: Event<'_>, span: Range<usize>) -> Result<(), YamlError> {
        let event_end = span.end;
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
                let mut text = text.into_owned();
                if style == Style::Block
                    && self.ends_without_break(span.end)
                    && text.ends_with('\n')
                {
                    text.pop();
                }
                let span = match style {
                    Style::Block => block_scalar_span(self.text, self.at, &span),
                    Style::Plain if span.is_empty() => self.null_span(span),
                    _ => span,
                };
                let weight = Weight { nodes: 1, text: text.len(), height: 0 };
                self.spend(weight, span.start)?;
                let node = Node {
                    decorated: anchor != 0 || tag.is_some(),
                    tagged: tag.is_some(),
                    alias: false,
                    kind: Kind::Scalar { text, style },
                    span,
                };
                self.close(node, anchor, weight);
            }
            Event::SequenceStart(style, anchor, tag) => {
                let flow = style == StructureStyle::Flow;
                let start = if flow { span.start } else { self.list_start(span.start) };
                let kind = Kind::List { items: Vec::new(), flow };
                self.open(kind, start..span.end, anchor, tag.is_some())?;
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = Kind::Map { entries: Vec::new(), flow: style == StructureStyle::Flow };
                self.open(kind, span, anchor, tag.is_some())?;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(mut open) = self.open.pop() {
                    // The end of a block list or map is only noticed at whatever comes after it.
                    if open.node.is_flow() {
                        open.node.span.end = open.node.span.end.max(span.end);
                    }
                    self.close(open.node, open.anchor, open.weight);
                }
            }
            Event::Alias(id) => {
                let Some((target, weight)) = self.anchors.get(&id) else {
                    return Err(YamlError::Limit {
                        message: "an alias stands inside the value that it repeats".to_owned(),
                        at: span.start,
                    });
                };
                let (mut node, weight) = (target.clone(), *weight);
                if self.open.len() + weight.height > MAX_YAML_DEPTH {
                    return Err(YamlError::Limit { message: too_deep(), at: span.start });
                }
                self.spend(weight, span.start)?;
                node.span = span;
                node.decorated = true;
                node.alias = true;
                self.close(node, 0, weight);
            }
            _ => {}
        }
        self.at = self.at.max(event_end);
        Ok(())
    }

    fn open(
        &mut self,
        kind: Kind,
        span: Range<usize>,
        anchor: usize,
        tagged: bool,
    ) -> Result<(), YamlError> {
        if self.open.len() >= MAX_YAML_DEPTH {
            return Err(YamlError::Limit { message: too_deep(), at: span.start });
        }
        let weight = Weight { nodes: 1, text: 0, height: 1 };
        self.spend(weight, span.start)?;
        let node = Node { span, kind, decorated: anchor != 0 || tagged, tagged, alias: false };
        self.open.push(Open { node, anchor, pending_key: None, weight });
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
        parent.node.span.end = parent.node.span.end.max(node.span.end);
        parent.weight.nodes += weight.nodes;
        parent.weight.text += weight.text;
        parent.weight.height = parent.weight.height.max(weight.height + 1);
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
        self.spent.nodes += weight.nodes;
        self.spent.text += weight.text;
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

    /// A last line without a line break gives a block scalar none; the parser adds it.
    fn ends_without_break(&self, at: usize) -> bool {
        let last_line = || self.text.rsplit(is_break).next().unwrap_or_default();
        at == self.text.len() && !last_line().trim_matches(' ').is_empty()
    }

    /// A value that is not there stands after its colon; the parser puts it before.
    fn null_span(&self, span: Range<usize>) -> Range<usize> {
        let is_value = self.open.last().is_some_and(|open| open.pending_key.is_some());
        let rest = &self.text[span.start..];
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if is_value && rest[blanks..].starts_with(':') {
            let at = span.start + blanks + 1;
            return at..at;
        }
        span
    }

    /// A list that is not indented starts at its first dash; the parser puts it after.
    fn list_start(&self, start: usize) -> usize {
        let gap = &self.text[self.at.min(start)..start];
        let line = gap.rfind(is_break).map_or(start, |at| start - gap.len() + at + 1);
        let indent = &self.text[line..start];
        if indent.trim_matches([' ', '\t']) == "-" {
            line + indent.find('-').unwrap_or(0)
        } else {
            start
        }
    }
}

/// The nearest place at or before `at` where a character starts.
pub(crate) fn floor_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Line breaks as YAML has them.
pub(crate) fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r')
}

/// What YAML takes for white space.
pub(crate) const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

/// From the `|` or `>` to the last character: the parser gives only the text under the header.
fn block_scalar_span(text: &str, after: usize, content: &Range<usize>) -> Range<usize> {
    let after = after.min(content.start);
    let gap = text[after..content.start].trim_end_matches(WHITE);
    let line = gap.rfind(is_break).map_or(0, |at| at + 1);
    let is_header = |(at, _): &(usize, &str)| {
        let rest = gap[line + at + 1..].trim_start_matches(|c: char| "+-0123456789".contains(c));
        let blank_before = gap[..line + at].ends_with(WHITE) || line + at == 0;
        blank_before && (rest.is_empty() || rest.starts_with([' ', '\t']))
    };
    let header = gap[line..].match_indices(['|', '>']).find(is_header);
    let start = header.map_or(content.start, |(at, _)| after + line + at);
    let length = text[start..content.end].trim_end_matches(WHITE).len();
    start..start + length
}

/// Writes `text` as a one-line YAML scalar that reads back as exactly that string.
pub(crate) fn quote(text: &str) -> String {
    if is_safe_plain(text) { text.to_owned() } else { quote_always(text) }
}

/// A double-quoted YAML string, even where a plain one would do.
pub(crate) fn quote_always(text: &str) -> String {
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
                let escape = match u32::from(c) {
                    code @ ..=0xFF => format!("\\x{code:02X}"),
                    code @ ..=0xFFFF => format!("\\u{code:04X}"),
                    code => format!("\\U{code:08X}"),
                };
                quoted.push_str(&escape);
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
        && (!first.is_ascii_digit() || is_dotted_version(text));
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

/// `1.2.3`: digits with at least two dots, which no version of YAML takes for a number or a date.
fn is_dotted_version(text: &str) -> bool {
    let mut parts = 0;
    text.split('.').all(|part| {
        parts += 1;
        !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit())
    }) && parts >= 3
}
