//! Values as data: what JSON they become, and what a side file's policy says.

mod findings;

use findings::skill;
use hone_skill::{OpenAiPolicy, Slug, Value, split_tools};
use serde_json::json;

fn value(written: &str) -> Value {
    let skill = skill(&format!("---\nname: greet\ndescription: d\nx: {written}\n---\n"), "greet");
    skill.get("x").cloned().unwrap_or(Value::Null)
}

#[test]
fn values_become_the_json_that_yaml_means() {
    for (written, expected) in [
        ("text", json!("text")),
        ("''", json!("")),
        ("", json!(null)),
        ("~", json!(null)),
        ("Null", json!(null)),
        ("'null'", json!("null")),
        ("True", json!(true)),
        ("false", json!(false)),
        ("yes", json!("yes")),
        ("42", json!(42)),
        ("-7", json!(-7)),
        ("+7", json!(7)),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("017", json!(17)),
        ("1.50", json!(1.5)),
        (".5", json!(0.5)),
        ("1e3", json!(1000.0)),
        ("1_000", json!("1_000")),
        ("1.2.3", json!("1.2.3")),
        ("2026-11-16", json!("2026-11-16")),
        (".inf", json!(".inf")),
        ("1e999", json!("1e999")),
        ("'42'", json!("42")),
        ("!!str 42", json!("42")),
        ("[a, 1, [true]]", json!(["a", 1, [true]])),
        ("{b: 1, a: {c: ~}}", json!({"b": 1, "a": {"c": null}})),
        ("{a: 1, a: 2}", json!({"a": 2})),
    ] {
        assert_eq!(serde_json::to_value(value(written)).unwrap(), expected, "{written}");
    }
    let ordered = serde_json::to_string(&value("{b: 1, a: 2, b: 3}")).unwrap();
    assert_eq!(ordered, r#"{"b":3,"a":2}"#);
}

#[test]
fn numbers_keep_their_spelling() {
    assert_eq!(value("1.10"), Value::Number("1.10".into()));
    assert_eq!(value("1.10").text(), Some("1.10"));
}

#[test]
fn booleans_come_in_many_words() {
    for (written, expected) in [
        ("true", Some(true)),
        ("YES", Some(true)),
        ("on", Some(true)),
        ("1", Some(true)),
        ("False", Some(false)),
        ("no", Some(false)),
        ("Off", Some(false)),
        ("'0'", Some(false)),
        ("maybe", None),
        ("", None),
        ("[true]", None),
    ] {
        assert_eq!(value(written).as_bool(), expected, "{written}");
    }
}

#[test]
fn words_are_a_list_however_it_is_written() {
    for (written, expected) in [
        ("[a, b]", vec!["a", "b"]),
        ("a, b", vec!["a", "b"]),
        ("\"[a, 'b']\"", vec!["a", "b"]),
        ("a", vec!["a"]),
        ("[a, [b], ~, '']", vec!["a"]),
        ("", vec![]),
        ("{a: b}", vec![]),
    ] {
        assert_eq!(value(written).words(), expected, "{written}");
    }
}

#[test]
fn tools_are_split_outside_parentheses() {
    for (text, expected) in [
        ("Bash(git add *) Read", vec!["Bash(git add *)", "Read"]),
        ("Read,Write, Edit", vec!["Read", "Write", "Edit"]),
        ("Bash(a, (b c)), Read", vec!["Bash(a, (b c))", "Read"]),
        ("Bash(never closed, Read", vec!["Bash(never closed, Read"]),
        (") Read", vec![")", "Read"]),
        (" , ,\n\t", vec![]),
    ] {
        assert_eq!(split_tools(text), expected, "{text:?}");
    }
}

#[test]
fn a_stored_slug_is_checked_when_it_is_read() {
    let slug = Slug::new("Oracle Check").unwrap();
    assert_eq!(serde_json::to_value(&slug).unwrap(), json!("oracle-check"));
    assert_eq!(serde_json::from_value::<Slug>(json!("oracle-check")).unwrap(), slug);
    for no_slug in ["../etc", "Oracle", "", "a--b"] {
        assert!(serde_json::from_value::<Slug>(json!(no_slug)).is_err(), "{no_slug:?}");
    }
}

#[test]
fn a_side_file_that_cannot_be_understood_closes_the_policy() {
    for (file, allowed) in [
        ("", true),
        ("# nothing\n", true),
        ("interface:\n  display_name: X\n", true),
        ("policy:\n", true),
        ("policy:\n  products: [x]\n", true),
        ("policy:\n  allow_implicit_invocation: yes\n", true),
        ("policy:\n  allow_implicit_invocation: false\n", false),
        ("policy:\n  allow_implicit_invocation: maybe\n", false),
        ("policy:\n  allow_implicit_invocation:\n", false),
        ("policy: [a]\n", false),
        ("policy: [broken\n", false),
        ("- a\n", false),
        ("a: &a [*a]\n", false),
    ] {
        let policy = OpenAiPolicy::read(file.as_bytes());
        assert_eq!(policy.allow_implicit_invocation, allowed, "{file:?}");
        let is_broken = !allowed && !file.ends_with("false\n");
        assert_eq!(policy.problem.is_some(), is_broken, "{file:?}: {policy:?}");
    }
    assert!(!OpenAiPolicy::read(b"\xff").allow_implicit_invocation);
    let huge = "#".repeat(hone_skill::limits::MAX_FRONTMATTER_BYTES + 1);
    assert!(!OpenAiPolicy::read(huge.as_bytes()).allow_implicit_invocation);
    let problem = OpenAiPolicy::read(b"a: b\nc: d: e\n").problem.unwrap();
    assert!(problem.contains("line 2: "), "{problem}");
}
