//! Skills as people write them: every style of YAML value, comments, line ends, and mistakes.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::ops::Range;

use proptest::prelude::*;

/// A text, and where each of its entries stands in it.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) text: String,
    /// Key and byte range of every entry, from its key to the line break after its value.
    pub(crate) entries: Vec<(String, Range<usize>)>,
    /// Comments, in the order of the file. No two are the same.
    pub(crate) comments: Vec<String>,
    pub(crate) body: String,
    pub(crate) line_end: &'static str,
}

impl Written {
    /// Where the last entry with this key stands.
    pub(crate) fn last(&self, key: &str) -> Option<Range<usize>> {
        self.entries.iter().rev().find(|(k, _)| k == key).map(|(_, range)| range.clone())
    }
}

/// A value as it stands after `key:`, without the final line break. `#` marks a place for a comment.
fn value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " plain",
        " plain text #",
        "   'single ''quoted'' text' #",
        " \"double \\\"quoted\\\" \\u00e9\"",
        " \"over\n  two lines\" #",
        "\n  on the next line",
        " plain\n  over\n  lines",
        " |\n  literal\n   text\n  ---\n  # no comment",
        " > #\n  folded\n\n  text",
        " >-\n  stripped\n\n",
        " |+\n  kept\n\n",
        " [a, 'b', c] #",
        " {a: b, c: [d]}",
        " [a, #\n  b]",
        "\n  - a #\n  - b",
        "\n- a\n- b",
        "\n  a: b #\n  c: |\n    block",
        "\n  a:\n    b: c",
        "",
        " #",
        " ~",
        " 42",
        " true #",
        "\ttab",
        " é😀 wide",
    ])
}

/// A value that is not YAML, or not what its author thinks. A `#` in what is not YAML is text.
fn broken_value() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        " use when: asked",
        " [BETA] text",
        " @someone",
        " `code` first",
        " \"open",
        " \"not\nindented\"",
        " a: b\n  c: d",
        "\n\ttabbed",
        "\n  k: v: w\n  x: y",
        " Read, Write #",
        " *unknown",
        " %x",
    ])
}

fn key() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "license",
        "compatibility",
        "version",
        "tags",
        "paths",
        "risk",
        "\"quoted\"",
        "'single'",
        "spaced ",
        "allowed-tools",
        "metadata",
        "when_to_use",
        "x.y",
        "größe",
    ])
    .prop_map(str::to_owned)
}

fn metadata() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "\n  author: us #\n  version: \"1\"",
        "\n    # deep\n    author: us",
        " {author: us, version: 1}",
        " {}",
        "",
        " # none",
        " null",
        "\n  note: |\n    at the end",
    ])
}

/// How an entry comes about: its key, its value, and what stands above it.
#[derive(Debug, Clone)]
struct Line {
    key: String,
    value: String,
    above: Above,
}

#[derive(Debug, Clone, Copy)]
enum Above {
    Nothing,
    Blank,
    Comment,
}

fn line(
    key: impl Strategy<Value = String>,
    value: impl Strategy<Value = &'static str>,
) -> impl Strategy<Value = Line> {
    let above =
        prop_oneof![4 => Just(Above::Nothing), 1 => Just(Above::Blank), 2 => Just(Above::Comment)];
    (key, value, above).prop_map(|(key, value, above)| Line { key, value: value.to_owned(), above })
}

/// A skill that is valid YAML, with unique keys.
pub(crate) fn valid_skill() -> impl Strategy<Value = Written> {
    let description = prop::sample::select(vec![
        " Says hello",
        " 'Says: hello' #",
        " >\n  Says\n  hello",
        " |-\n  Says\n  hello",
        "\n  Says hello #",
        " \"Says\n  hello\"",
    ]);
    let lines = (
        line(Just("name".to_owned()), prop::sample::select(vec![" greet", " 'greet'  #"])),
        line(Just("description".to_owned()), description),
        prop::option::of(line(Just("metadata".to_owned()), metadata())),
        prop::collection::vec(line(key(), value()), 0..5),
    )
        .prop_map(|(name, description, metadata, mut rest)| {
            rest.retain(|line| line.key != "metadata");
            let mut lines = vec![name, description];
            lines.extend(metadata);
            lines.extend(rest);
            let mut seen = std::collections::HashSet::new();
            lines.retain(|line| seen.insert(plain(&line.key)));
            lines
        });
    (lines.prop_shuffle(), layout()).prop_map(|(lines, layout)| write(&lines, &layout))
}

/// A skill with mistakes: broken values, duplicate and misspelt keys, odd names and fences.
pub(crate) fn careless_skill() -> impl Strategy<Value = Written> {
    let name = prop::sample::select(vec![
        " greet",
        " Greet Me #",
        " 123",
        " |\n  Two Words",
        " [a]",
        "",
        " a: b",
        " 'Größe'",
        "\n  Next_Line",
        " !!str Tagged",
        " &n Anchor",
    ]);
    let names = prop::sample::select(vec![
        "name",
        "Name",
        "description",
        "Description",
        "user-invokable",
        "allowed_tools",
        "Allowed-Tools",
        "metadata",
    ]);
    let any_key = prop_oneof![names.prop_map(str::to_owned), key()];
    let any_value = prop_oneof![3 => value(), 1 => broken_value()];
    let lines = (
        line(Just("name".to_owned()), name),
        line(Just("description".to_owned()), prop_oneof![value(), broken_value()]),
        prop::collection::vec(line(any_key, any_value), 0..6),
    )
        .prop_map(|(name, description, mut lines)| {
            lines.extend([name, description]);
            lines
        });
    (lines.prop_shuffle(), careless_layout()).prop_map(|(lines, layout)| write(&lines, &layout))
}

#[derive(Debug, Clone)]
struct Layout {
    before: &'static str,
    close: &'static str,
    body: &'static str,
    indent: &'static str,
    line_end: &'static str,
}

fn layout() -> impl Strategy<Value = Layout> {
    let body =
        prop::sample::select(vec!["", "Say hello.\n", "# T\n\n---\n\nname: x\n", "no line end"]);
    let indent = prop_oneof![5 => Just(""), 1 => Just("  ")];
    (body, indent, prop_oneof![Just("\n"), Just("\r\n")]).prop_map(|(body, indent, line_end)| {
        Layout { before: "---\n", close: "---\n", body, indent, line_end }
    })
}

fn careless_layout() -> impl Strategy<Value = Layout> {
    let before = prop::sample::select(vec![
        "---\n",
        "---\n",
        "\u{feff}---\n",
        "\n\n---\n",
        " --- \n",
        "```yaml\n---\n",
    ]);
    let close = prop::sample::select(vec!["---\n", "---\n", "... \n", "---\t\n"]);
    (layout(), before, close).prop_map(|(layout, before, close)| Layout { before, close, ..layout })
}

fn plain(key: &str) -> String {
    key.trim().trim_matches(['"', '\'']).to_owned()
}

fn write(lines: &[Line], layout: &Layout) -> Written {
    let Layout { before, close, body, indent, line_end } = layout;
    let with_ends = |text: &str| text.replace('\n', line_end);
    let mut text = with_ends(before);
    let mut entries = Vec::new();
    let mut comments = Vec::new();
    let mut next_comment = || {
        comments.push(format!("# comment {}.", comments.len()));
        comments.last().cloned().unwrap_or_default()
    };
    for line in lines {
        match line.above {
            Above::Nothing => {}
            Above::Blank => text += line_end,
            Above::Comment => text.extend([*indent, &next_comment(), *line_end]),
        }
        let mut value = String::new();
        for (at, piece) in line.value.split_inclusive('\n').enumerate() {
            let is_comment = piece.trim_end_matches('\n').ends_with(" #");
            if at > 0 && !piece.trim().is_empty() {
                value += indent;
            }
            if is_comment {
                value += &piece.replacen(" #", &format!(" {}", next_comment()), 1);
            } else {
                value += piece;
            }
        }
        text += indent;
        let start = text.len();
        text.extend([&line.key, ":", &with_ends(&value), *line_end]);
        entries.push((plain(&line.key), start..text.len()));
    }
    text += &with_ends(close);
    let body = with_ends(body);
    text += &body;
    Written { text, entries, comments, body, line_end }
}
