use proptest::prelude::*;
use serde_json::json;

use super::*;

const FORMATS: [(Format, [&str; 2]); 3] = [
    (Format::Json, ["mcpServers", "hone"]),
    (Format::Toml, ["mcp_servers", "hone"]),
    (Format::Yaml, ["mcp_servers", "hone"]),
];

fn entry() -> Value {
    json!({"command": "/opt/a \"b\"/hone", "args": ["mcp", "--read-only"]})
}

/// Adds the entry and takes it back, with what is remembered and without.
fn there_and_back(format: Format, path: &[&str], text: &str) {
    let new = format.with(text, path, &entry()).unwrap();
    assert_eq!(format.entry(&new, path).unwrap(), Some(entry()), "{new}");
    assert_eq!(format.with(&new, path, &entry()).unwrap(), new, "a second time");
    assert_eq!(Edit::between(Some(text), &new).undone(&new).as_deref(), Some(text));
    let without = format.without(&new, path).unwrap().unwrap();
    assert_eq!(format.entry(&without, path).unwrap(), None);
    assert_eq!(
        without_empty(&format.value(&without).unwrap()),
        without_empty(&format.value(text).unwrap())
    );
}

#[test]
fn json_is_laid_out_like_its_surroundings() {
    let path = &["mcpServers", "hone"];
    let entry = json!({"command": "hone", "args": ["mcp"]});
    for (old, new) in [
        (
            "",
            "{\n  \"mcpServers\": {\n    \"hone\": {\n      \"command\": \"hone\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        ),
        (
            "{}",
            "{\n  \"mcpServers\": {\n    \"hone\": {\n      \"command\": \"hone\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}",
        ),
        (
            "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {} // mine\n\t}\n}\n",
            "{\n\t\"a\": 1, // one\n\t\"mcpServers\": {\n\t\t\"x\": {}, // mine\n\t\t\"hone\": {\n\t\t\t\"command\": \"hone\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}\n",
        ),
        (
            "{\n  \"mcpServers\": {\n    \"x\": {},\n  },\n}\n",
            "{\n  \"mcpServers\": {\n    \"x\": {},\n    \"hone\": {\n      \"command\": \"hone\",\n      \"args\": [\"mcp\"]\n    },\n  },\n}\n",
        ),
        (
            "{\"mcpServers\": {\"x\": {}}}",
            "{\"mcpServers\": {\"x\": {}, \"hone\": {\"command\": \"hone\", \"args\": [\"mcp\"]}}}",
        ),
        (
            "{\r\n  \"a\": 1\r\n}",
            "{\r\n  \"a\": 1,\r\n  \"mcpServers\": {\r\n    \"hone\": {\r\n      \"command\": \"hone\",\r\n      \"args\": [\"mcp\"]\r\n    }\r\n  }\r\n}",
        ),
    ] {
        assert_eq!(Format::Json.with(old, path, &entry).unwrap(), new, "{old}");
    }
}

#[test]
fn toml_and_yaml_are_added_to_by_whole_lines() {
    let entry = json!({"command": "hone", "args": ["mcp"]});
    let path = &["mcp_servers", "hone"];
    let table = "[mcp_servers.hone]\ncommand = \"hone\"\nargs = [\"mcp\"]\n";
    for (old, new) in [
        ("", table.to_owned()),
        ("model = \"x\" # mine\n", format!("model = \"x\" # mine\n\n{table}")),
        (
            "[mcp_servers.a]\ncommand = \"a\"",
            format!("[mcp_servers.a]\ncommand = \"a\"\n\n{table}"),
        ),
    ] {
        assert_eq!(Format::Toml.with(old, path, &entry).unwrap(), new, "{old}");
    }
    let lines = "  hone:\n    command: \"hone\"\n    args: [\"mcp\"]\n";
    for (old, new) in [
        ("", format!("mcp_servers:\n{lines}")),
        ("a: 1 # one\n", format!("a: 1 # one\nmcp_servers:\n{lines}")),
        ("mcp_servers: {} # none\nb: 2\n", format!("mcp_servers:  # none\n{lines}b: 2\n")),
        (
            "mcp_servers:\n  x:\n    command: y\n\n# b is two\nb: 2\n",
            format!("mcp_servers:\n  x:\n    command: y\n{lines}\n# b is two\nb: 2\n"),
        ),
        ("mcp_servers:\n", format!("mcp_servers:\n{lines}")),
    ] {
        assert_eq!(Format::Yaml.with(old, path, &entry).unwrap(), new, "{old}");
    }
}

#[test]
fn what_cannot_be_read_or_would_change_otherwise_is_refused() {
    let told = |format: Format, text: &str| {
        let (_, path) = FORMATS.into_iter().find(|(other, _)| *other == format).unwrap();
        format.with(text, &path, &entry()).unwrap_err().to_string()
    };
    assert_eq!(
        told(Format::Json, "{\n  \"a\": 1\n  \"b\": 2\n}"),
        "line 3: a comma or `}` is missing"
    );
    assert_eq!(told(Format::Json, "{\"mcpServers\": []}"), "line 1: this should be an object");
    assert_eq!(told(Format::Json, "[1]"), "line 1: the file is not a map of settings");
    assert_eq!(told(Format::Json, "{\"a\": /* never"), "line 1: a comment does not end");
    assert_eq!(told(Format::Json, "{} {}"), "line 1: something follows the end");
    assert_eq!(told(Format::Json, "{'a': 1}"), "line 1: a name in quotes is missing");
    let deep = format!("{{\"a\": {}{}}}", "[".repeat(200), "]".repeat(200));
    assert_eq!(told(Format::Json, &deep), "line 1: values lie too deep in each other");
    assert_eq!(told(Format::Toml, "a = 1\nb = ").split(':').next(), Some("line 2"));
    let inline = "mcp_servers = { a = { command = \"a\" } }\n";
    assert_eq!(
        told(Format::Toml, inline),
        "line 1: it cannot be changed without touching something else"
    );
    assert_eq!(
        told(Format::Yaml, "mcp_servers: {a: {command: x}}\n"),
        "line 1: this map is written on one line"
    );
    assert_eq!(told(Format::Yaml, "a: 1\n---\nb: 2\n").split(':').next(), Some("line 2"));
    assert_eq!(told(Format::Yaml, "- a\n- b\n"), "line 1: the file is not a map of settings");
    assert!(told(Format::Yaml, "a: [1\n").starts_with("line "));
    // A text that only looks like the section.
    let text = "note: |\n  mcp_servers:\n    x: 1\nz: 1\n";
    there_and_back(Format::Yaml, &["mcp_servers", "hone"], text);
}

#[test]
fn an_edit_is_found_again_after_others_wrote_around_it() {
    let (format, path) = FORMATS[0];
    let old = "{\n  \"a\": 1,\n  \"mcpServers\": {\n    \"x\": {}\n  }\n}\n";
    let new = format.with(old, &path, &entry()).unwrap();
    let edit = Edit::between(Some(old), &new);
    let grown = new.replace("\"a\": 1", "\"first\": true,\n  \"a\": 1");
    let expected = old.replace("\"a\": 1", "\"first\": true,\n  \"a\": 1");
    assert_eq!(edit.undone(&grown), Some(expected));
    let rewritten = serde_json::to_string(&format.value(&new).unwrap()).unwrap();
    assert_eq!(edit.undone(&rewritten), None);
    let left = format.without(&rewritten, &path).unwrap().unwrap();
    assert_eq!(left, "{\"a\":1,\"mcpServers\":{\"x\":{}}}");
}

/// Blanks and comments.
fn gap() -> impl Strategy<Value = String> {
    proptest::sample::select(vec![
        "",
        "",
        " ",
        "\n",
        "\n  ",
        "\t",
        " // c\n",
        " /* , } */ ",
        "\r\n  ",
    ])
    .prop_map(str::to_owned)
}

fn json_value() -> impl Strategy<Value = String> {
    let leaf = proptest::sample::select(vec![
        "1",
        "-2.5e3",
        "true",
        "null",
        "\"a\\\"b}\"",
        "\"// no\"",
        "{}",
        "[]",
    ])
    .prop_map(str::to_owned);
    leaf.prop_recursive(3, 12, 3, |inner| {
        let member = (0..4_u8, gap(), gap(), inner.clone(), gap());
        let members = proptest::collection::vec(member, 0..4);
        let object = (members, gap(), any::<bool>())
            .prop_map(|(members, open, comma)| object(&members, &open, comma));
        let list = (proptest::collection::vec(inner, 0..3), gap())
            .prop_map(|(items, gap)| format!("[{gap}{}]", items.join(", ")));
        prop_oneof![object, list]
    })
}

type Members = [(u8, String, String, String, String)];

fn object(members: &Members, open: &str, comma: bool) -> String {
    let members: Vec<String> = members
        .iter()
        .enumerate()
        .map(|(at, (key, before, colon, value, after))| {
            format!("{before}\"k{key}{at}\"{colon}:{value}{after}")
        })
        .collect();
    let end = if comma && !members.is_empty() { "," } else { "" };
    format!("{{{open}{}{end}}}", members.join(","))
}

fn json_file() -> impl Strategy<Value = String> {
    let member = || (0..4_u8, gap(), gap(), json_value(), gap());
    let members = || proptest::collection::vec(member(), 0..4);
    let servers = (members(), gap(), any::<bool>());
    let servers = servers.prop_map(|(members, open, comma)| object(&members, &open, comma));
    (members(), servers, gap(), gap(), any::<bool>(), 0..3_u8).prop_map(
        |(members, servers, open, close, comma, kind)| {
            let rest = object(&members, &open, comma);
            match kind {
                0 => format!("{open}{rest}{close}"),
                1 => format!("{{{open}\"mcpServers\":{servers}{close}}}\n"),
                _ => {
                    let inside = rest[1..rest.len() - 1].to_owned();
                    let between = if members.is_empty() || comma { "" } else { "," };
                    format!("{{{inside}{between}{open}\"mcpServers\": {servers}{close}}}{close}")
                }
            }
        },
    )
}

fn toml_file() -> impl Strategy<Value = String> {
    let line = proptest::sample::select(vec![
        "# a comment",
        "",
        "[mcp_servers.x]",
        "[other]",
        "[[many]]",
        "[mcp_servers.\"y z\"] # y",
        "[deep.er.table]",
    ]);
    let value = proptest::sample::select(vec![
        "1",
        "\"t\" # c",
        "[1, 2,]",
        "{ a = 1 }",
        "'''\nlong\n'''",
        "2020-01-01",
    ]);
    let key = (0..u16::MAX, value).prop_map(|(key, value)| format!("k{key} = {value}"));
    let lines = proptest::collection::vec(prop_oneof![line.prop_map(str::to_owned), key], 0..12);
    (lines, any::<bool>()).prop_map(|(lines, end)| lines.join("\n") + if end { "\n" } else { "" })
}

fn yaml_file() -> impl Strategy<Value = String> {
    let top = proptest::sample::select(vec![
        "# a comment",
        "",
        "a: 1 # one",
        "list:\n  - a\n  - b: 2",
        "text: |\n  mcp_servers:\n    hone: 1",
        "q: \"x # y\"",
        "map:\n  hone:\n    a: 1",
        "anchor: &x [1]\nuse: *x",
        "folded: >-\n  one\n\n  two",
    ]);
    let servers = proptest::sample::select(vec![
        "",
        "mcp_servers:",
        "mcp_servers: {}",
        "mcp_servers: ~ # none",
        "mcp_servers:\n  x:\n    command: y",
        "mcp_servers:\n    x: {command: y} # flow\n    # last",
        "'mcp_servers':\n  x:\n    args:\n    - a\n    - b",
    ]);
    let tops = proptest::collection::vec(top, 0..4);
    (tops.clone(), servers, tops, any::<bool>()).prop_map(|(before, servers, after, end)| {
        let mut all = before;
        all.push(servers);
        all.extend(after);
        let unique: Vec<&str> = all
            .iter()
            .enumerate()
            .filter(|(at, line)| line.is_empty() || !all[..*at].contains(line))
            .map(|(_, line)| *line)
            .collect();
        unique.join("\n") + if end { "\n" } else { "" }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_json_comes_back_byte_for_byte(text in json_file()) {
        prop_assume!(Format::Json.value(&text).is_ok());
        there_and_back(Format::Json, &FORMATS[0].1, &text);
    }

    #[test]
    fn any_toml_comes_back_byte_for_byte(text in toml_file()) {
        prop_assume!(Format::Toml.value(&text).is_ok());
        there_and_back(Format::Toml, &FORMATS[1].1, &text);
    }

    #[test]
    fn any_yaml_comes_back_byte_for_byte(text in yaml_file()) {
        // A text in a block that ends with the file would get a line end more.
        prop_assume!(Format::Yaml.value(&text).is_ok() && (text.ends_with('\n') || !text.contains("|\n")));
        there_and_back(Format::Yaml, &FORMATS[2].1, &text);
    }

    #[test]
    fn no_text_makes_it_fail_otherwise_than_with_a_reason(text in "[\\PC\\n]{0,80}") {
        for (format, path) in FORMATS {
            if let Ok(new) = format.with(&text, &path, &entry()) {
                prop_assert_eq!(Edit::between(Some(&text), &new).undone(&new), Some(text.clone()));
            }
        }
    }

    #[test]
    fn plain_json_is_read_as_everybody_reads_it(text in json_value()) {
        if let Ok(expected) = serde_json::from_str::<Value>(&text) {
            prop_assert_eq!(jsonc::parse(&text).unwrap().unwrap().value, expected);
        }
    }
}
