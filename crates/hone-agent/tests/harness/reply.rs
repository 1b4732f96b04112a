//! Replies: the list P, and that no text breaks the reader.

use hone_agent::reply::{Call, MAX_NESTING, MAX_REPLY_BYTES, Said, Unreadable, read};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::reply_invariants::check;

fn call(tool: &str, arguments: Value) -> Said<'static> {
    Said::Call(Call { tool: tool.to_owned(), arguments })
}

/// What a reply says: id, reply, reading, mended, ignored.
type Case = (&'static str, &'static str, Said<'static>, bool, usize);

fn cases() -> Vec<Case> {
    let unreadable = Said::Unreadable;
    vec![
        (
            "P1",
            r#"{"tool":"recall","args":{"query":"x"}}"#,
            call("recall", json!({"query": "x"})),
            false,
            0,
        ),
        ("P2", "```json\n{\"tool\":\"a\",\"args\":{}}\n```", call("a", json!({})), false, 0),
        (
            "P3",
            "I look.\n```\n{\"tool\":\"a\"}\n```\nThen I answer.",
            call("a", json!({})),
            false,
            0,
        ),
        ("P4", r#"{"tool":"a"}{"tool":"b"}"#, call("a", json!({})), false, 1),
        (
            "P4, a call and a made-up end",
            r#"{"tool":"a"} {"answer":1}"#,
            call("a", json!({})),
            false,
            1,
        ),
        (
            "P4, an object before",
            r#"From {"x":1} on: {"tool":"a"}"#,
            call("a", json!({})),
            false,
            1,
        ),
        ("P5", r#"use {x} then {"tool":"a"}"#, call("a", json!({})), false, 0),
        ("P5, code", r#"fn f() { g() } {"tool":"a"}"#, call("a", json!({})), false, 0),
        ("P5, a set", r#"the set {"a", "b"}, so {"tool":"a"}"#, call("a", json!({})), false, 0),
        ("P5, a lone quote", r#"say {"hi} and {"tool":"a"}"#, call("a", json!({})), false, 0),
        (
            "P6",
            r#"<think>{"tool":"x"}</think>{"answer":1}"#,
            Said::Answer(r#"{"answer":1}"#),
            false,
            0,
        ),
        (
            "P6, other tag",
            r#"<Thinking>{"tool":"x"}</THINKING>{"n":1}"#,
            Said::Answer(r#"{"n":1}"#),
            false,
            0,
        ),
        (
            "P6, only its end",
            r#"maybe {"tool":"x"}</think>{"n":1}"#,
            Said::Answer(r#"{"n":1}"#),
            false,
            0,
        ),
        ("P6, no end", r#"<think>{"tool":"x"}"#, unreadable(Unreadable::Empty), false, 0),
        ("P6, in an answer", r#"{"a":"</think>"}"#, Said::Answer(r#"{"a":"</think>"}"#), false, 0),
        (
            "P6, two marks of byte order",
            "\u{feff}\u{feff}é</think>{\"n\":1}",
            Said::Answer("{\"n\":1}"),
            false,
            0,
        ),
        ("P7", r#"{"tool":5}"#, Said::Answer(r#"{"tool":5}"#), false, 0),
        ("P8", r#"{"tool":""}"#, call("", json!({})), false, 0),
        ("P9, text", r#"{"tool":"a","args":"x"}"#, call("a", json!({})), false, 0),
        ("P9, null", r#"{"tool":"a","args":null}"#, call("a", json!({})), false, 0),
        ("P10", r#"{"tool":"a","args":[1]}"#, call("a", json!([1])), false, 0),
        ("P11", r#"[{"tool":"a"}]"#, call("a", json!({})), false, 0),
        ("P12", "{}", Said::Answer("{}"), false, 0),
        ("P13", r#"{"r":{"tool":"a"}}"#, Said::Answer(r#"{"r":{"tool":"a"}}"#), false, 0),
        (
            "P14",
            r#"{"answer":"say {\"tool\":\"a\"}"}"#,
            Said::Answer(r#"{"answer":"say {\"tool\":\"a\"}"}"#),
            false,
            0,
        ),
        (
            "P15",
            r#"{"tool":"w","args":{"t":"a } \" { \n 'b'"}}"#,
            call("w", json!({"t": "a } \" { \n 'b'"})),
            false,
            0,
        ),
        ("P16", r#"{"tool":"a","args":{"q":"x"#, unreadable(Unreadable::Unfinished), false, 0),
        (
            "P16, inside whole",
            r#"{"tool":"a","args":{"q":1}"#,
            unreadable(Unreadable::Unfinished),
            false,
            0,
        ),
        (
            "P17, quotes",
            r#"{'tool': 'a', 'args': {'q': 'say \'x\' "y"'}}"#,
            call("a", json!({"q": "say 'x' \"y\""})),
            true,
            0,
        ),
        (
            "P17, comma",
            r#"{"tool":"a","args":{"q":[1,2,],},}"#,
            call("a", json!({"q": [1, 2]})),
            true,
            0,
        ),
        (
            "P17, words",
            r#"{"tool":"a","args":{"q":True,"r":None}}"#,
            call("a", json!({"q": true, "r": null})),
            true,
            0,
        ),
        (
            "P17, line break",
            "{\"tool\":\"a\",\"args\":{\"q\":\"x\ny\"}}",
            call("a", json!({"q": "x\ny"})),
            true,
            0,
        ),
        ("P17, an answer", r#"{"answer":1,}"#, Said::Answer(r#"{"answer":1,}"#), true, 0),
        (
            "P17, beyond repair",
            r#"{"tool":"a","args":{"q":"he said "hi" {"x":1}"}}"#,
            unreadable(Unreadable::NotJson),
            false,
            0,
        ),
        ("P18", "", unreadable(Unreadable::Empty), false, 0),
        ("P18, blanks", " \n\t", unreadable(Unreadable::Empty), false, 0),
        ("P18, prose", "The answer is 4.", unreadable(Unreadable::NoObject), false, 0),
        ("P19", r#"{"name":"a","arguments":{"q":1}}"#, call("a", json!({"q": 1})), false, 0),
        (
            "P19, parameters",
            r#"{"name":"a","parameters":{"q":1}}"#,
            call("a", json!({"q": 1})),
            false,
            0,
        ),
        (
            "P19, tags",
            r#"<tool_call>{"name":"a","arguments":{}}</tool_call>"#,
            call("a", json!({})),
            false,
            0,
        ),
        (
            "P19, function",
            r#"{"type":"function","function":{"name":"a","arguments":"{\"q\":1}"}}"#,
            call("a", json!({"q": 1})),
            false,
            0,
        ),
        (
            "P19, calls",
            r#"{"tool_calls":[{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}},{"name":"b","arguments":{}}]}"#,
            call("a", json!({})),
            false,
            1,
        ),
        (
            "P19, function_call",
            r#"{"function_call":{"name":"a","arguments":"{}"}}"#,
            call("a", json!({})),
            false,
            0,
        ),
        (
            "P19, tool_use",
            r#"{"type":"tool_use","id":"1","name":"a","input":{"q":1}}"#,
            call("a", json!({"q": 1})),
            false,
            0,
        ),
        (
            "P19, an answer that has a name",
            r#"{"name":"a","arguments":{},"verdict":"fine"}"#,
            Said::Answer(r#"{"name":"a","arguments":{},"verdict":"fine"}"#),
            false,
            0,
        ),
        ("P19, a name alone", r#"{"name":"Ada"}"#, Said::Answer(r#"{"name":"Ada"}"#), false, 0),
        ("P20", r#"{"tool":"a","arguments":{"q":1}}"#, call("a", json!({"q": 1})), false, 0),
        (
            "P21",
            r#"Here: { "b":12345678901234567890123, "2": 1.0, "1":"\u00e9" }"#,
            Said::Answer(r#"{ "b":12345678901234567890123, "2": 1.0, "1":"\u00e9" }"#),
            false,
            0,
        ),
        ("P22", "\u{feff}{\"tool\":\"a\"}", call("a", json!({})), false, 0),
        ("P23", r#"{"tool":"constructor"}"#, call("constructor", json!({})), false, 0),
    ]
}

#[test]
fn p1_to_p23_each_reply_is_read_as_listed() {
    for (id, text, said, is_mended, ignored) in cases() {
        let reading = read(text);
        assert_eq!(
            (reading.said, reading.is_mended, reading.ignored),
            (said, is_mended, ignored),
            "{id}: {text}"
        );
    }
}

#[test]
fn p24_nesting_is_read_to_the_limit_and_no_deeper() {
    let nested = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let deepest = nested(MAX_NESTING);
    assert_eq!(read(&deepest).said, Said::Answer(&deepest));
    for depth in [MAX_NESTING + 1, 10_000] {
        assert_eq!(read(&nested(depth)).said, Said::Unreadable(Unreadable::TooDeep));
    }
    let arrays = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(read(&arrays).said, Said::Unreadable(Unreadable::TooDeep));
    let unclosed = "{\"a\":[".repeat(100_000);
    assert_eq!(read(&unclosed).said, Said::Unreadable(Unreadable::TooDeep));
}

#[test]
fn p24_a_reply_is_read_to_the_limit_of_its_length_and_no_further() {
    let frame = r#"{"answer":""}"#.len();
    let longest = format!(r#"{{"answer":"{}"}}"#, "x".repeat(MAX_REPLY_BYTES - frame));
    assert_eq!(longest.len(), MAX_REPLY_BYTES);
    assert_eq!(read(&longest).said, Said::Answer(&longest));
    for length in [MAX_REPLY_BYTES + 1, 10_000_000] {
        let text = "{}".repeat(length / 2 + 1);
        assert_eq!(read(&text).said, Said::Unreadable(Unreadable::TooLong));
    }
}

/// Pieces of which replies are made, good and bad.
const PIECES: [&str; 26] = [
    "{",
    "}",
    "[",
    "]",
    "\"",
    "'",
    "\\",
    ":",
    ",",
    "\"tool\":\"a\"",
    "\"args\":{}",
    "{\"answer\":1}",
    "{x}",
    "<think>",
    "</think>",
    "```json\n",
    "\u{feff}",
    "é",
    "\u{1f600}",
    " ",
    "\n",
    "None",
    "1e9",
    "\u{0}",
    "<",
    "a",
];

proptest! {
    #[test]
    fn no_text_breaks_the_reader_and_an_answer_is_a_piece_of_it(
        text in prop_oneof![
            any::<String>(),
            prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..60)
                .prop_map(|pieces| pieces.concat()),
        ],
    ) {
        check(&text);
    }

    #[test]
    fn an_object_in_prose_comes_back_byte_for_byte(
        before in "[a-z .,!<>/]{0,40}",
        words in prop::collection::btree_map("[a-z]{1,8}x", any::<String>(), 0..5),
        after in "[a-z .,!}]{0,40}",
    ) {
        prop_assume!(!before.contains("think>") && !before.contains("reasoning>"));
        prop_assume!(!after.contains("think>") && !after.contains("reasoning>"));
        let object = serde_json::to_string(&words).unwrap();
        let text = format!("{before}{object}{after}");
        prop_assert_eq!(read(&text).said, Said::Answer(&object));
    }
}
