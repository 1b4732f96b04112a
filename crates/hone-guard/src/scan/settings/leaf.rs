//! Values of configuration files with their keys and places, whatever the form: JSON with or
//! without comments, YAML, TOML, INI. The reading is lenient and linear: what a strict parser would
//! refuse still gives its values, since the program that is meant to read the file may be lenient too.

use std::ops::Range;
use std::rc::Rc;

use crate::scan::kind::Language;

/// Values of one file that are looked at one by one; the text as a whole is always looked at.
pub(crate) const MAX_LEAVES: usize = 50_000;
/// Keys inside keys that are told apart; deeper ones count as this deep.
pub(crate) const MAX_LEAF_DEPTH: usize = 32;

/// A scalar and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// The keys that lead to it; `#0`, `#1` … in lists.
    pub(crate) path: Vec<Rc<str>>,
    pub(crate) value: String,
    /// At each byte of the value (first) begins a byte of the text (second).
    pub(crate) pieces: Vec<(usize, usize)>,
}

impl Leaf {
    /// The last key that is not a place in a list.
    pub(crate) fn key(&self) -> &str {
        self.path.iter().rev().find(|part| !part.starts_with('#')).map_or("", |part| &**part)
    }

    /// The keys above the last one that is not a place in a list.
    pub(crate) fn owner(&self) -> &[Rc<str>] {
        let at = self.path.iter().rposition(|part| !part.starts_with('#')).unwrap_or(0);
        &self.path[..at]
    }

    /// Whether a key leads to it.
    pub(crate) fn is_under(&self, key: &str) -> bool {
        self.path.iter().any(|part| part.eq_ignore_ascii_case(key))
    }

    /// Where it begins in the text.
    pub(crate) fn start(&self) -> usize {
        self.pieces.first().map_or(0, |(_, at)| *at)
    }
}

/// The values around one, where those of the same entry stand: a bound on what is compared.
pub(crate) fn near(leaves: &[Leaf], at: usize) -> &[Leaf] {
    const BEFORE: usize = 64;
    const AFTER: usize = 256;
    &leaves[at.saturating_sub(BEFORE)..leaves.len().min(at + AFTER)]
}

/// The values of a text.
pub(crate) fn leaves(language: Language, text: &str) -> Vec<Leaf> {
    let mut found = Found { leaves: Vec::new() };
    match language {
        Language::Json => json(text, 0..text.len(), &[], &mut found),
        Language::Yaml if text.trim_start().starts_with('{') => {
            json(text, 0..text.len(), &[], &mut found);
        }
        Language::Yaml => yaml(text, &mut found),
        Language::Toml => toml(text, &mut found),
        Language::Ini => ini(text, &mut found),
        _ => {}
    }
    found.leaves
}

struct Found {
    leaves: Vec<Leaf>,
}

impl Found {
    fn push(&mut self, path: &[Rc<str>], value: String, pieces: Vec<(usize, usize)>) {
        if self.leaves.len() < MAX_LEAVES {
            let path = path[..path.len().min(MAX_LEAF_DEPTH)].to_vec();
            self.leaves.push(Leaf { path, value, pieces });
        }
    }

    fn is_full(&self) -> bool {
        self.leaves.len() >= MAX_LEAVES
    }
}

fn index(at: usize) -> Rc<str> {
    Rc::from(format!("#{at}"))
}

enum Frame {
    Map { expects_key: bool },
    List { next: usize },
}

/// JSON, its dialects, and the flow forms of YAML and TOML: `{a: b, c = "d"}`, `[a, b]`.
fn json(text: &str, range: Range<usize>, above: &[Rc<str>], found: &mut Found) {
    let bytes = text.as_bytes();
    let mut at = range.start;
    let mut stack: Vec<Frame> = Vec::new();
    let mut path: Vec<Rc<str>> = above.to_vec();
    // Brackets beyond the depth are only counted.
    let mut deeper = 0_usize;
    while at < range.end && !found.is_full() {
        match bytes[at] {
            b'/' if bytes.get(at + 1) == Some(&b'/') => at = line_end(text, at),
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = text[at + 2..].find("*/").map_or(range.end, |i| at + 2 + i + 2);
            }
            b'#' => at = line_end(text, at),
            b'{' | b'[' if stack.len() == MAX_LEAF_DEPTH => {
                deeper += 1;
                at += 1;
            }
            b'}' | b']' if deeper > 0 => {
                deeper -= 1;
                at += 1;
            }
            open @ (b'{' | b'[') => {
                stack.push(if open == b'{' {
                    Frame::Map { expects_key: true }
                } else {
                    Frame::List { next: 0 }
                });
                path.push(if open == b'{' { Rc::from("") } else { index(0) });
                at += 1;
            }
            b'}' | b']' => {
                if stack.pop().is_some() {
                    path.pop();
                }
                at += 1;
            }
            b',' => {
                match (stack.last_mut(), path.last_mut()) {
                    (Some(Frame::Map { expects_key }), _) => *expects_key = true,
                    (Some(Frame::List { next }), Some(part)) => {
                        *next += 1;
                        *part = index(*next);
                    }
                    _ => {}
                }
                at += 1;
            }
            b if b.is_ascii_whitespace() || matches!(b, b':' | b'=') => at += 1,
            _ => {
                let (value, pieces, end) = scalar(text, at, range.end);
                at = end.max(at + 1);
                if let (Some(Frame::Map { expects_key }), Some(part)) =
                    (stack.last_mut(), path.last_mut())
                    && *expects_key
                {
                    *expects_key = false;
                    *part = Rc::from(value);
                } else {
                    found.push(&path, value, pieces);
                }
            }
        }
    }
}

type Scalar = (String, Vec<(usize, usize)>, usize);

/// A quoted or bare scalar: its value, its pieces and where it ends.
fn scalar(text: &str, start: usize, end: usize) -> Scalar {
    match text.as_bytes()[start] {
        b'"' => double_quoted(text, start, end),
        b'\'' => single_quoted(text, start, end),
        _ => {
            let stop =
                text[start..end].find([',', '}', ']', '\n', ':', '=']).map_or(end, |i| start + i);
            let value = text[start..stop].trim_end();
            (value.to_owned(), vec![(0, start)], stop)
        }
    }
}

fn double_quoted(text: &str, start: usize, end: usize) -> Scalar {
    let mut value = String::new();
    let mut pieces = vec![(0, start + 1)];
    let mut at = start + 1;
    while at < end {
        let rest = &text[at..end];
        let Some(stop) = rest.find(['"', '\\']) else { break };
        value.push_str(&rest[..stop]);
        at += stop;
        if text.as_bytes()[at] == b'"' {
            return (value, pieces, at + 1);
        }
        let (c, length) = escape(&text[at..end]);
        value.extend(c);
        at += length;
        pieces.push((value.len(), at));
    }
    // Not closed: the rest of the line.
    let stop = line_end(text, start).min(end);
    (text[(start + 1).min(stop)..stop].to_owned(), vec![(0, start + 1)], stop)
}

/// What an escape stands for and how long it is.
fn escape(text: &str) -> (Option<char>, usize) {
    let mut chars = text.chars();
    chars.next();
    let Some(c) = chars.next() else { return (None, 1) };
    let simple = match c {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' | 'x' | 'U' => {
            let digits = match c {
                'x' => 2,
                'u' => 4,
                _ => 8,
            };
            let hex = text.get(2..2 + digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
            return match hex {
                // A pair of surrogates is one character.
                Some(high @ 0xD800..=0xDBFF) => {
                    let low = text
                        .get(6..12)
                        .and_then(|next| next.strip_prefix("\\u"))
                        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
                    match low {
                        Some(low @ 0xDC00..=0xDFFF) => {
                            (char::from_u32(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)), 12)
                        }
                        _ => (None, 6),
                    }
                }
                Some(code) => (char::from_u32(code), 2 + digits),
                None => (Some(c), 2),
            };
        }
        // A line that is joined to the next.
        '\n' => return (None, 2),
        other => other,
    };
    (Some(simple), 1 + c.len_utf8())
}

fn single_quoted(text: &str, start: usize, end: usize) -> Scalar {
    let mut value = String::new();
    let mut pieces = vec![(0, start + 1)];
    let mut at = start + 1;
    while let Some(stop) = text[at..end].find('\'').map(|i| at + i) {
        value.push_str(&text[at..stop]);
        if text.as_bytes().get(stop + 1) != Some(&b'\'') {
            return (value, pieces, stop + 1);
        }
        value.push('\'');
        at = stop + 2;
        pieces.push((value.len(), at));
    }
    let stop = line_end(text, start).min(end);
    (text[(start + 1).min(stop)..stop].to_owned(), vec![(0, start + 1)], stop)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |i| at + i)
}

/// Lines of a text with where they begin, without their ends.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut start = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = start;
        start += line.len();
        (at, line.trim_end_matches(['\n', '\r']))
    })
}

struct Level {
    indent: usize,
    part: Rc<str>,
    /// The next place, where this is a list.
    next: usize,
}

/// Block YAML by its indentation.
fn yaml(text: &str, found: &mut Found) {
    let all: Vec<(usize, &str)> = lines(text).collect();
    let mut stack: Vec<Level> = Vec::new();
    let mut last_indent: Option<usize> = None;
    let mut number = 0;
    while number < all.len() && !found.is_full() {
        let (start, line) = all[number];
        number += 1;
        let trimmed = line.trim_start();
        if trimmed.is_empty() || trimmed.starts_with('#') || matches!(line, "---" | "...") {
            continue;
        }
        let mut indent = line.len() - trimmed.len();
        let mut rest = trimmed;
        let mut at = start + indent;
        let is_item = rest.starts_with("- ") || rest == "-";
        // A line that goes on with the value above it.
        if !is_item && key_of(rest).is_none() {
            if last_indent.is_some_and(|above| indent > above)
                && let Some(leaf) = found.leaves.last_mut()
                && leaf.value.len() < MAX_FOLDED
            {
                leaf.value.push(' ');
                leaf.pieces.push((leaf.value.len(), at));
                leaf.value.push_str(rest);
            }
            continue;
        }
        while stack.last().is_some_and(|level| {
            level.indent > indent
                || level.indent == indent
                    && !(is_item && level.part.starts_with('#'))
                    && !is_list_of(level, indent, is_item)
        }) {
            stack.pop();
        }
        last_indent = None;
        while rest.starts_with("- ") || rest == "-" {
            match stack.last_mut() {
                Some(level) if level.indent == indent && level.part.starts_with('#') => {
                    level.part = index(level.next);
                    level.next += 1;
                }
                _ => push_level(&mut stack, Level { indent, part: index(0), next: 1 }),
            }
            let inner = rest[1..].trim_start();
            let skipped = rest.len() - inner.len();
            at += skipped;
            indent += skipped;
            rest = inner;
        }
        if rest.is_empty() {
            continue;
        }
        let value_indent;
        if let Some((key, length)) = key_of(rest) {
            while stack
                .last()
                .is_some_and(|level| level.indent >= indent && !level.part.starts_with('#'))
            {
                stack.pop();
            }
            value_indent = indent;
            push_level(&mut stack, Level { indent, part: Rc::from(key), next: 0 });
            let inner = rest[length..].trim_start();
            at += rest.len() - inner.len();
            rest = inner;
        } else {
            value_indent = indent.saturating_sub(1);
        }
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        let path: Vec<Rc<str>> = stack.iter().map(|level| Rc::clone(&level.part)).collect();
        if rest.starts_with(['|', '>']) {
            let folded = rest.starts_with('>');
            let (mut value, mut pieces) = (String::new(), Vec::new());
            let mut margin = None;
            while let Some((start, line)) = all.get(number) {
                let inner = line.trim_start();
                let depth = line.len() - inner.len();
                if !inner.is_empty() && depth <= value_indent {
                    break;
                }
                number += 1;
                let cut = (*margin.get_or_insert(depth)).min(depth);
                pieces.push((value.len(), start + cut));
                value.push_str(&line[cut..]);
                value.push(if folded { ' ' } else { '\n' });
            }
            found.push(&path, value, pieces);
        } else if rest.starts_with(['[', '{']) {
            let end = flow_end(text, at);
            json(text, at..end, &path, found);
            while number < all.len() && all[number].0 < end {
                number += 1;
            }
        } else if rest.starts_with(['"', '\'']) {
            let (value, pieces, end) = scalar(text, at, text.len());
            found.push(&path, value, pieces);
            while number < all.len() && all[number].0 < end {
                number += 1;
            }
        } else {
            let value = rest.find(" #").map_or(rest, |i| &rest[..i]).trim_end();
            found.push(&path, value.to_owned(), vec![(0, at)]);
            last_indent = Some(value_indent);
        }
    }
}

/// Bytes of one value that lines are folded into.
const MAX_FOLDED: usize = 64 * 1024;

fn push_level(stack: &mut Vec<Level>, level: Level) {
    if stack.len() < MAX_LEAF_DEPTH {
        stack.push(level);
    }
}

/// A list may stand at the same indentation as its key.
fn is_list_of(level: &Level, indent: usize, is_item: bool) -> bool {
    is_item && level.indent == indent && !level.part.starts_with('#')
}

/// The key that a line begins with, and the length of it and its colon.
fn key_of(line: &str) -> Option<(&str, usize)> {
    if let Some(quote @ ('"' | '\'')) = line.chars().next() {
        let close = line[1..].find(quote)? + 1;
        let after = &line[close + 1..];
        return (after.starts_with(": ") || after == ":").then(|| (&line[1..close], close + 2));
    }
    if line.starts_with(['[', '{', '#', '&', '*', '!', '|', '>', '%', '@', '`']) {
        return None;
    }
    let at = line.find(": ").or_else(|| line.ends_with(':').then(|| line.len() - 1))?;
    Some((line[..at].trim_end(), at + 1))
}

/// Where a flow form ends: at its closing bracket, or with the text.
fn flow_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'"' | b'\'' => at = scalar(text, at, text.len()).2.max(at + 1) - 1,
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn toml(text: &str, found: &mut Found) {
    let mut section: Vec<Rc<str>> = Vec::new();
    let mut tables = 0;
    let mut skip_to = 0;
    for (start, line) in lines(text) {
        let trimmed = line.trim();
        if start < skip_to || trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix("[[") {
            section = dotted(name.split("]]").next().unwrap_or(name));
            section.push(index(tables));
            tables += 1;
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[') {
            section = dotted(name.split(']').next().unwrap_or(name));
            continue;
        }
        let Some((key, value)) = line.split_once('=') else { continue };
        let inner = value.trim_start();
        let at = start + line.len() - inner.len();
        let mut path = section.clone();
        path.extend(dotted(key));
        let many = ["\"\"\"", "'''"].into_iter().find(|quote| inner.starts_with(quote));
        if let Some(quote) = many {
            let body = at + 3;
            let end = text[body..].find(quote).map_or(text.len(), |i| body + i);
            found.push(&path, text[body..end].to_owned(), vec![(0, body)]);
            skip_to = end + 3;
        } else if inner.starts_with(['[', '{']) {
            let end = flow_end(text, at);
            json(text, at..end, &path, found);
            skip_to = end;
        } else if inner.starts_with(['"', '\'']) {
            let (value, pieces, _) = scalar(text, at, text.len());
            found.push(&path, value, pieces);
        } else if !inner.is_empty() {
            let value = inner.find('#').map_or(inner, |i| &inner[..i]).trim_end();
            found.push(&path, value.to_owned(), vec![(0, at)]);
        }
    }
}

fn dotted(keys: &str) -> Vec<Rc<str>> {
    keys.split('.').map(|part| Rc::from(part.trim().trim_matches(['"', '\'']))).collect()
}

fn ini(text: &str, found: &mut Found) {
    let mut section: Vec<Rc<str>> = Vec::new();
    for (start, line) in lines(text) {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[') {
            section = vec![Rc::from(name.trim_end_matches(']').to_ascii_lowercase())];
            continue;
        }
        let Some((key, value)) = line.split_once('=').or_else(|| line.split_once(": ")) else {
            continue;
        };
        let inner = value.trim_start();
        let at = start + line.len() - inner.len();
        let mut path = section.clone();
        path.push(Rc::from(key.trim()));
        let value = inner.trim_end();
        let quoted = value.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let (value, at) = quoted.map_or((value, at), |inner| (inner, at + 1));
        found.push(&path, value.to_owned(), vec![(0, at)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(language: Language, text: &str) -> Vec<(String, String)> {
        leaves(language, text).into_iter().map(|leaf| (leaf.path.join("."), leaf.value)).collect()
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
    }

    #[test]
    fn json_gives_keys_values_and_places_even_with_comments_and_escapes() {
        let text =
            "{ // note\n \"a\": {\"b\": [\"x\", 2, {\"c\": \"l\\n\\u00e9m\"}]},\n \"d\": true, }";
        assert_eq!(
            read(Language::Json, text),
            pairs(&[("a.b.#0", "x"), ("a.b.#1", "2"), ("a.b.#2.c", "l\ném"), ("d", "true")])
        );
        let found = leaves(Language::Json, text);
        assert_eq!(&text[found[0].start()..=found[0].start()], "x");
        assert_eq!(found[2].pieces.len(), 3);
    }

    #[test]
    fn yaml_gives_nested_lists_blocks_flows_and_quotes() {
        let text = "on:\n  pull_request:\njobs:\n  a:\n    steps:\n      - uses: x@v1 # c\n        with:\n          ref: y\n      - run: |\n          one\n          two\n        env: {K: v, L: \"w: z\"}\n    list: [a, 'b']\nlast: folded\n  over lines\nitems:\n- p\n- q\n";
        assert_eq!(
            read(Language::Yaml, text),
            pairs(&[
                ("jobs.a.steps.#0.uses", "x@v1"),
                ("jobs.a.steps.#0.with.ref", "y"),
                ("jobs.a.steps.#1.run", "one\ntwo\n"),
                ("jobs.a.steps.#1.env.K", "v"),
                ("jobs.a.steps.#1.env.L", "w: z"),
                ("jobs.a.list.#0", "a"),
                ("jobs.a.list.#1", "b"),
                ("last", "folded over lines"),
                ("items.#0", "p"),
                ("items.#1", "q"),
            ])
        );
    }

    #[test]
    fn toml_and_ini_give_sections() {
        let text = "[a.b]\nc = \"d\" # e\nf = [\"g\",\n \"h\"]\n[[s]]\nu = { v = \"w\" }\nt = '''x\ny'''\n";
        assert_eq!(
            read(Language::Toml, text),
            pairs(&[
                ("a.b.c", "d"),
                ("a.b.f.#0", "g"),
                ("a.b.f.#1", "h"),
                ("s.#0.u.v", "w"),
                ("s.#0.t", "x\ny")
            ])
        );
        assert_eq!(
            read(Language::Ini, "[core]\n\tpager = less\nx=\"y z\"\n"),
            pairs(&[("core.pager", "less"), ("core.x", "y z")])
        );
    }

    #[test]
    fn values_and_depth_are_bounded() {
        let many = format!("[{}]", vec!["1"; MAX_LEAVES + 1].join(","));
        assert_eq!(leaves(Language::Json, &many).len(), MAX_LEAVES);
        let exact = format!("[{}]", vec!["1"; MAX_LEAVES].join(","));
        assert_eq!(leaves(Language::Json, &exact).len(), MAX_LEAVES);
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        assert_eq!(leaves(Language::Json, &deep)[0].path.len(), MAX_LEAF_DEPTH);
    }
}
