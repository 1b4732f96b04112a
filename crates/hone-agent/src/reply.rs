//! Reads a model's reply: a call of a tool, a final answer, or neither.
//!
//! A reply is plain text with one JSON object in it, wherever it stands: after prose, in a code fence,
//! in an array. A call is `{"tool": …, "args": {…}}` or one of the shapes that providers use; any other
//! object is a final answer, given back as the very bytes of the reply. What a model thinks aloud is
//! left out. No reply can crash the reader, make it recurse, or cost more than linear work.

use serde_json::{Map, Value};

/// Longest reply that is read, in bytes.
pub const MAX_REPLY_BYTES: usize = 1024 * 1024;

/// Deepest nesting of an object that is read.
pub const MAX_NESTING: usize = 100;

/// Bytes that may be looked at for each byte of a reply, over all attempts to find an object in it.
const WORK_PER_BYTE: usize = 16;

/// Tags around what a model thinks aloud.
const THINKING: [&str; 3] = ["think", "thinking", "reasoning"];

/// What a reply says.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading<'t> {
    /// The call, the answer, or why there is neither.
    pub said: Said<'t>,
    /// The object was not JSON and had to be mended: single quotes, a trailing comma, raw line breaks.
    pub is_mended: bool,
    /// Other objects of the reply, which are ignored: one reply is one call or one answer.
    pub ignored: usize,
}

/// The call, the answer, or why there is neither.
#[derive(Debug, Clone, PartialEq)]
pub enum Said<'t> {
    /// A call of a tool.
    Call(Call),
    /// A final answer: a JSON object as it stands in the reply.
    Answer(&'t str),
    /// Neither.
    Unreadable(Unreadable),
}

/// A call of a tool, before anything is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The tool's name, as the model gave it.
    pub tool: String,
    /// The arguments; an object unless the model gave something else.
    pub arguments: Value,
}

/// Why a reply is neither a call nor an answer.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Unreadable {
    /// There is nothing in it but what the model thought aloud.
    Empty,
    /// There is no JSON object in it.
    NoObject,
    /// It ends in the middle of an object.
    Unfinished,
    /// What looks like an object is not JSON.
    NotJson,
    /// An object is nested deeper than [`MAX_NESTING`].
    TooDeep,
    /// It is longer than [`MAX_REPLY_BYTES`].
    TooLong,
}

/// Reads a reply.
///
/// ```
/// use hone_agent::reply::{Said, read};
///
/// let reading = read("I will look: {\"tool\": \"read_file\", \"args\": {\"path\": \"a\"}}");
/// let Said::Call(call) = reading.said else { panic!("a call") };
/// assert_eq!((call.tool.as_str(), call.arguments["path"].as_str()), ("read_file", Some("a")));
///
/// assert_eq!(read("Done. { \"n\": 1e2 }").said, Said::Answer("{ \"n\": 1e2 }"));
/// ```
pub fn read(text: &str) -> Reading<'_> {
    if text.len() > MAX_REPLY_BYTES {
        let said = Said::Unreadable(Unreadable::TooLong);
        return Reading { said, is_mended: false, ignored: 0 };
    }
    Scan::new(text).run()
}

/// An object that was found.
struct Found<'t> {
    text: &'t str,
    object: Map<String, Value>,
    is_mended: bool,
}

struct Scan<'t> {
    text: &'t str,
    at: usize,
    /// Bytes looked at by attempts to find the end of an object and to parse it.
    work: usize,
    call: Option<(Call, bool)>,
    answer: Option<(&'t str, bool)>,
    objects: usize,
    problem: Option<Unreadable>,
    has_words: bool,
}

impl<'t> Scan<'t> {
    fn new(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            text,
            at: 0,
            work: 0,
            call: None,
            answer: None,
            objects: 0,
            problem: None,
            has_words: false,
        }
    }

    fn run(mut self) -> Reading<'t> {
        self.scan();
        self.reading()
    }

    fn reading(self) -> Reading<'t> {
        let ignored = self.objects.saturating_sub(1);
        match (self.call, self.answer) {
            (Some((call, is_mended)), _) => Reading { said: Said::Call(call), is_mended, ignored },
            (None, Some((text, is_mended))) => {
                Reading { said: Said::Answer(text), is_mended, ignored }
            }
            (None, None) => {
                let otherwise =
                    if self.has_words { Unreadable::NoObject } else { Unreadable::Empty };
                let said = Said::Unreadable(self.problem.unwrap_or(otherwise));
                Reading { said, is_mended: false, ignored: 0 }
            }
        }
    }

    fn scan(&mut self) {
        let bytes = self.text.as_bytes();
        let most = self.text.len().saturating_mul(WORK_PER_BYTE);
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'<' => self.tag(),
                b'{' if self.work > most => return self.note(Unreadable::NotJson),
                b'{' => {
                    self.has_words = true;
                    if !self.brace() {
                        return;
                    }
                }
                byte => {
                    self.has_words |= !byte.is_ascii_whitespace();
                    self.at += 1;
                }
            }
        }
    }

    fn note(&mut self, problem: Unreadable) {
        self.problem.get_or_insert(problem);
    }

    /// Passes a tag. What stands between thinking tags is passed too; before an end without a start,
    /// all was thought aloud.
    fn tag(&mut self) {
        let rest = &self.text[self.at..];
        if let Some(length) = thinking(rest, "<") {
            let inside = &rest[length..];
            self.at += length + end_of_thinking(inside).unwrap_or(inside.len());
        } else if let Some(length) = thinking(rest, "</") {
            self.at += length;
            (self.call, self.answer, self.problem) = (None, None, None);
            (self.objects, self.has_words) = (0, false);
        } else {
            self.has_words = true;
            self.at += 1;
        }
    }

    /// Reads what starts at a brace; false when nothing after it can be trusted.
    fn brace(&mut self) -> bool {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let next = bytes[start + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
        if !matches!(next, Some(b'"' | b'\'' | b'}') | None) {
            // A brace of prose or code. What comes after it is looked at as if it were not there.
            self.at += 1;
            return true;
        }
        let extent = extent(bytes, start);
        self.work += extent.looked;
        if extent.depth > MAX_NESTING {
            self.note(Unreadable::TooDeep);
            return self.skip(start);
        }
        if let Some(end) = extent.end {
            self.work += end - start;
            let text = &self.text[start..end];
            if let Ok(object) = serde_json::from_str(text) {
                self.take(Found { text, object, is_mended: false });
                self.at = end;
                return true;
            }
        }
        let mended = mend(self.text, start);
        self.work += mended.looked;
        if let Some(end) = mended.end {
            self.work += mended.text.len();
            if let Ok(object) = serde_json::from_str(&mended.text) {
                self.take(Found { text: &self.text[start..end], object, is_mended: true });
                self.at = end;
                return true;
            }
        }
        let is_single_quoted = next == Some(&b'\'');
        if mended.end.is_none() && (is_single_quoted || self.is_unfinished(start)) {
            // Cut in the middle: its inner objects are parts of it, not answers.
            self.note(Unreadable::Unfinished);
            return false;
        }
        self.note(Unreadable::NotJson);
        self.skip(start)
    }

    /// Whether the rest of the text is the start of a JSON object.
    fn is_unfinished(&mut self, start: usize) -> bool {
        self.work += self.text.len() - start;
        let read = serde_json::from_str::<serde::de::IgnoredAny>(&self.text[start..]);
        read.is_err_and(|error| error.is_eof())
    }

    /// Passes an object that cannot be read, by its braces alone: where its strings end is not known.
    fn skip(&mut self, start: usize) -> bool {
        let mut depth = 0_usize;
        for (offset, byte) in self.text.as_bytes()[start..].iter().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.work += offset;
                self.at = start + offset + 1;
                return true;
            }
        }
        false
    }

    fn take(&mut self, found: Found<'t>) {
        if let Some((call, count)) = call_of(found.object) {
            self.objects += count;
            self.call.get_or_insert((call, found.is_mended));
        } else {
            self.objects += 1;
            self.answer.get_or_insert((found.text, found.is_mended));
        }
    }
}

/// The length of a thinking tag with this opening at the start of `text`.
fn thinking(text: &str, opening: &str) -> Option<usize> {
    let rest = text.strip_prefix(opening)?;
    THINKING.iter().find_map(|name| {
        let is_name = rest.get(..name.len())?.eq_ignore_ascii_case(name);
        (is_name && rest.as_bytes().get(name.len()) == Some(&b'>'))
            .then_some(opening.len() + name.len() + 1)
    })
}

/// Where the text after the next end of thinking starts.
fn end_of_thinking(text: &str) -> Option<usize> {
    let mut ends = text.match_indices("</");
    ends.find_map(|(at, _)| Some(at + thinking(&text[at..], "</")?))
}

struct Extent {
    end: Option<usize>,
    depth: usize,
    looked: usize,
}

/// Where the object at `start` ends, if its strings are those of JSON.
fn extent(bytes: &[u8], start: usize) -> Extent {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut is_escaped) = (false, false);
    for (offset, byte) in bytes[start..].iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
        if depth == 0 {
            return Extent { end: Some(start + offset + 1), depth: deepest, looked: offset };
        }
    }
    Extent { end: None, depth: deepest, looked: bytes.len() - start }
}

struct Mended {
    end: Option<usize>,
    text: String,
    looked: usize,
}

/// The object at `start` as JSON, where single quotes are quotes, a comma may trail, strings may hold
/// line breaks, and `True`, `False` and `None` are words. Whether the result is JSON is for the parser.
fn mend(text: &str, start: usize) -> Mended {
    let mut out = String::new();
    let mut depth = 0_usize;
    let mut quote: Option<char> = None;
    let mut chars = text[start..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let Some(open) = quote else {
            match c {
                '"' | '\'' => {
                    quote = Some(c);
                    out.push('"');
                }
                '{' | '[' => {
                    depth += 1;
                    out.push(c);
                }
                '}' | ']' => {
                    depth = depth.saturating_sub(1);
                    if let Some(before) = out.trim_end().strip_suffix(',') {
                        out.truncate(before.len());
                    }
                    out.push(c);
                    if depth == 0 {
                        return Mended { end: Some(start + offset + 1), text: out, looked: offset };
                    }
                }
                c if c.is_ascii_alphabetic() => {
                    let mut word = String::from(c);
                    while let Some((_, c)) = chars.next_if(|(_, c)| c.is_ascii_alphabetic()) {
                        word.push(c);
                    }
                    out.push_str(match word.as_str() {
                        "True" => "true",
                        "False" => "false",
                        "None" => "null",
                        word => word,
                    });
                }
                c => out.push(c),
            }
            if depth > MAX_NESTING {
                return Mended { end: None, text: out, looked: offset };
            }
            continue;
        };
        match c {
            '\\' => match chars.next() {
                Some((_, '\'')) => out.push('\''),
                Some((_, c)) if c.is_control() => push_control(&mut out, c),
                Some((_, c)) => out.extend(['\\', c]),
                None => {}
            },
            c if c == open => {
                quote = None;
                out.push('"');
            }
            '"' => out.push_str("\\\""),
            c if c.is_ascii_control() => push_control(&mut out, c),
            c => out.push(c),
        }
    }
    Mended { end: None, text: out, looked: text.len() - start }
}

fn push_control(out: &mut String, c: char) {
    use std::fmt::Write as _;
    let _ = write!(out, "\\u{:04x}", u32::from(c));
}

/// The call that an object is, and how many calls it holds.
fn call_of(mut object: Map<String, Value>) -> Option<(Call, usize)> {
    if let Some(Value::String(tool)) = object.get("tool") {
        let tool = tool.clone();
        return Some((Call { tool, arguments: arguments_of(&mut object) }, 1));
    }
    if let Some(Value::Array(calls)) = object.get_mut("tool_calls") {
        let count = calls.len();
        let first = calls.first_mut().map(Value::take)?;
        let Value::Object(first) = first else { return None };
        return named(first).map(|call| (call, count));
    }
    if let Some(Value::Object(function)) = object.get_mut("function_call") {
        return named(std::mem::take(function)).map(|call| (call, 1));
    }
    named(object).map(|call| (call, 1))
}

/// A call in the shape of a provider: a name beside arguments, or both below `function`.
fn named(mut object: Map<String, Value>) -> Option<Call> {
    const KEYS: [&str; 8] =
        ["name", "arguments", "parameters", "input", "function", "type", "id", "index"];
    if !object.keys().all(|key| KEYS.contains(&key.as_str())) {
        return None;
    }
    if let Some(Value::Object(function)) = object.get_mut("function") {
        object = std::mem::take(function);
    } else {
        let is_tool_use = object.get("type").is_some_and(|kind| kind == "tool_use");
        let key = if is_tool_use { "input" } else { "arguments" };
        if !object.contains_key(key) && !object.contains_key("parameters") {
            return None;
        }
    }
    let Some(Value::String(tool)) = object.get("name") else { return None };
    let tool = tool.clone();
    Some(Call { tool, arguments: arguments_of(&mut object) })
}

/// The arguments under any of their names. A text that holds an object is that object; no arguments,
/// or a text that holds none, are an empty object.
fn arguments_of(object: &mut Map<String, Value>) -> Value {
    let names = ["args", "arguments", "parameters", "input"];
    let given = names.iter().find_map(|name| object.remove(*name));
    match given.unwrap_or_default() {
        Value::Null => Value::Object(Map::new()),
        Value::String(text) => Value::Object(serde_json::from_str(&text).unwrap_or_default()),
        given => given,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts that look like the start of an object again and again: a head, and a piece to repeat.
    const HOSTILE: [(&str, &str); 13] = [
        ("", "{"),
        ("", "{\"a\":"),
        ("", "{\""),
        ("", "{'"),
        ("", "{\"a\":\"}\",\"a\":\"{\","),
        ("", "{\":\":\",\":\"}\",\":\":\"{\""),
        ("", "{\"a\" \"b\"}"),
        ("", "{}"),
        ("", "<think>{\"a\":1}"),
        ("", "</think>{\""),
        ("", "{\"a\":1,},"),
        ("{\"a\":1", " "),
        ("", "{ "),
    ];

    #[test]
    fn work_grows_with_the_length_of_the_reply_and_not_faster() {
        for (head, piece) in HOSTILE {
            for length in [1_000, 10_000, 100_000, 1_000_000] {
                let text = format!("{head}{}", piece.repeat(length / piece.len()));
                let mut scan = Scan::new(&text);
                scan.scan();
                // One attempt may start below the limit and look at all the rest a few times.
                let most = text.len() * (WORK_PER_BYTE + 4);
                assert!(scan.work <= most, "{piece}: {} for {} bytes", scan.work, text.len());
            }
        }
    }

    #[test]
    fn plain_replies_stay_far_from_the_limit_of_work() {
        let text =
            format!("Look: {{x}} {{\"a\", b}} {{'tool': 'a', 'args': {{}},}}{}", "{} ".repeat(9));
        let mut scan = Scan::new(&text);
        scan.scan();
        assert!(scan.work * 4 < text.len() * WORK_PER_BYTE, "{}", scan.work);
    }
}
