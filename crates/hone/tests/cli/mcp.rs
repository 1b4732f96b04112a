//! `hone mcp`, asked by the reference client of the protocol in both of its eras.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Sandbox, TIDY};
use crate::serve::harness::Server;

/// The variable that names a Python with the package `mcp`.
const VARIABLE: &str = "HONE_TEST_PYTHON";

/// What the client got.
fn asked(sandbox: &Sandbox, era: &str, arguments: &[&str]) -> Value {
    asked_at(sandbox, era, env!("CARGO_BIN_EXE_hone"), arguments)
}

/// What the client got from a program, or at an address.
fn asked_at(sandbox: &Sandbox, era: &str, server: &str, arguments: &[&str]) -> Value {
    let python = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).unwrap_or_else(|| {
        panic!(
            "this test needs a Python with the package `mcp`: run `cargo xtask test`, or set {VARIABLE}"
        )
    });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp_client.py");
    let output = Command::new(python)
        .arg(script)
        .args([era, server])
        .args(arguments)
        .current_dir(sandbox.path("project"))
        .env("HOME", sandbox.path("home"))
        .env("HONE_HOME", sandbox.path("state"))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    assert!(!errors.contains("Session termination failed"), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_client_of_either_era_gets_the_same_through_every_door() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/secret", "not for anybody");
    let modern = asked(&sandbox, "auto", &["mcp"]);
    let mut legacy = asked(&sandbox, "legacy", &["mcp"]);
    assert_eq!(
        (modern["era"].as_str(), legacy["era"].as_str()),
        (Some("2026-07-28"), Some("2025-11-25"))
    );
    legacy["era"] = modern["era"].clone();
    assert_eq!(modern["outside"], -32602);
    assert_eq!(modern["encoded"], -32602);
    assert_eq!(modern["unknown"], -32602);
    for refused in ["outside", "encoded", "unknown"] {
        assert_ne!(legacy[refused], 0, "{refused}");
        legacy[refused] = modern[refused].clone();
    }
    assert_eq!(legacy, modern);

    let tools = [
        "skills_list",
        "skill_view",
        "skill_manage",
        "skills_search",
        "skill_match",
        "skill_invoke",
        "skill_scan",
        "learn_propose",
        "usage_report",
    ];
    assert_eq!(modern["tools"], serde_json::json!(tools));
    let addresses = modern["resources"].as_array().unwrap();
    assert!(addresses.contains(&"skill://tidy/SKILL.md".into()), "{addresses:?}");
    assert!(modern["prompts"].as_array().unwrap().contains(&"tidy".into()));
    assert_eq!(modern["resource"], TIDY);
    for answer in ["list", "search", "match", "invoke"] {
        let text = modern[answer]["text"].as_str().unwrap();
        assert!(text.contains("tidy") && modern[answer]["error"] == false, "{answer}: {text}");
    }
    assert!(modern["view"]["text"].as_str().unwrap().starts_with(TIDY));
    assert!(modern["scan"]["text"].as_str().unwrap().starts_with("verdict: safe"));
    assert!(modern["prompt"].as_str().unwrap().contains("the last release"));
    assert_eq!(modern["wrong"]["error"], true);
    assert!(modern["wrong"]["text"].as_str().unwrap().contains("`nam` is not an argument"));
    assert_eq!(modern["gone"]["error"], true);
}

#[test]
fn over_http_the_same_client_gets_the_same_answers() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let url = format!("http://{}/mcp", server.address);
    for era in ["auto", "legacy"] {
        let over_http = asked_at(&sandbox, era, &url, &[&server.token]);
        assert_eq!(over_http, asked(&sandbox, era, &["mcp"]), "{era}");
    }
}

#[test]
fn a_server_that_only_reads_offers_no_way_to_write() {
    let sandbox = Sandbox::with_tidy();
    let got = asked(&sandbox, "auto", &["mcp", "--read-only"]);
    let tools = got["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 7);
    assert!(!tools.contains(&"skill_manage".into()));
}

#[test]
fn a_line_that_is_no_message_is_told_and_a_client_that_says_nothing_is_no_error() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("mcp").stdin("hello\nhello again\n").run();
    let note = "note: a line that is no JSON was passed over; MCP has one message a line\n";
    assert_eq!((run.code, run.text().as_str(), run.errors().as_str()), (0, "", note), "{run}");
    let run = sandbox.hone("mcp").stdin("").run();
    assert_eq!((run.code, run.errors().as_str()), (0, ""), "{run}");
}

#[test]
fn a_request_that_is_too_long_or_too_deep_is_answered_like_any_other() {
    let sandbox = Sandbox::with_tidy();
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    // The message, its params and their arguments are three levels.
    let asked = |id: &str, more: &str| {
        format!(
            "{{\"method\": \"tools/call\", \"params\": {{\"name\": \"skill_view\", \"arguments\": {{\"name\": \"tidy\", \
             \"x\": {more}}}}}, \"jsonrpc\": \"2.0\", \"id\": {id}}}\n"
        )
    };
    let hello = "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \
                 \"2025-11-25\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"t\", \"version\": \"1\"}}}\n\
                 {\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}\n";
    let (bytes, depth) = (hone_server::MAX_MESSAGE_BYTES, hone_server::MAX_MESSAGE_DEPTH);
    let long = |id: &str, length: usize| {
        let rest = asked(id, "\"\"").len();
        asked(id, &format!("\"{}\"", "x".repeat(length - rest)))
    };
    let input = [
        hello.to_owned(),
        asked("2", &nested(depth - 3)),
        asked("3", &nested(depth - 2)),
        long("4", bytes),
        long("\"5\"", bytes + 1),
        asked("6", "7"),
        asked("null", &nested(depth)),
    ];
    let run = sandbox.hone("mcp").stdin(input.concat()).run();
    assert_eq!(run.code, 0, "{}", run.errors());
    let text = run.text();
    let mut answers: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].to_string());
    let told: Vec<(String, String)> = answers
        .iter()
        .filter(|answer| answer["id"] != 1)
        .map(|answer| {
            let text = match &answer["error"] {
                Value::Null => answer["result"]["content"][0]["text"].to_string(),
                error => format!("{} {}", error["code"], error["message"]),
            };
            (answer["id"].to_string(), text)
        })
        .collect();
    let refused = "\"`x` is not an argument";
    let starts = [
        ("\"5\"", "-32600 \"a message of more than 16777216 bytes is not read\""),
        ("2", refused),
        ("3", "-32600 \"a message nested deeper than 127 levels is not read\""),
        ("4", refused),
        ("6", refused),
    ];
    assert_eq!(told.len(), starts.len(), "{told:?}");
    for ((id, text), (want, start)) in told.iter().zip(starts) {
        assert!(id == want && text.starts_with(start), "{id}: {text}");
    }
    let note = "note: a message nested deeper than 127 levels is not read\n";
    assert_eq!(run.errors(), note);
}

#[test]
fn a_request_that_is_no_json_behind_its_id_is_answered_and_the_next_one_too() {
    let sandbox = Sandbox::with_tidy();
    let input = [
        "{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"initialize\", \"params\": {\"protocolVersion\": \
         \"2025-11-25\", \"capabilities\": {}, \"clientInfo\": {\"name\": \"t\", \"version\": \"1\"}}}",
        "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/initialized\"}",
        "{\"jsonrpc\": \"2.0\", \"id\": 2, \"method\": \"tools/call\", \"params\": {\"name\": \"skill_match\", \
         \"arguments\": {\"message\": \"cut \\ud83d\"}}}",
        "{\"jsonrpc\": \"2.0\", \"id\": 3, \"method\": \"tools/list\"",
        "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": ",
        "{\"jsonrpc\": \"2.0\", \"id\": 4, \"method\": \"ping\"}",
        "",
    ];
    let run = sandbox.hone("mcp").stdin(input.join("\n")).run();
    let mut answers: Vec<Value> =
        run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    answers.sort_by_key(|answer| answer["id"].as_u64());
    let codes: Vec<(Option<u64>, Option<i64>)> = answers
        .iter()
        .map(|answer| (answer["id"].as_u64(), answer["error"]["code"].as_i64()))
        .collect();
    let wrong = Some(-32600);
    assert_eq!(codes, [(Some(1), None), (Some(2), wrong), (Some(3), wrong), (Some(4), None)]);
    let start = "a message that is no JSON is not read: ";
    for answer in &answers[1..3] {
        assert!(answer["error"]["message"].as_str().unwrap().starts_with(start), "{answer}");
    }
    let errors = run.errors();
    assert!(errors.starts_with(&format!("note: {start}")) && errors.lines().count() == 1, "{run}");
}
