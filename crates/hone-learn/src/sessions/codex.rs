//! Sessions of Codex: `rollout-*.jsonl`, one object a line, `{timestamp, type, payload}`. Older ones
//! have the payload itself on the line.

use hone_agent::step::Outcome;
use serde_json::{Value, json};

use super::building::{Building, text_of, time};
use super::claude::between;
use crate::experience::{Loaded, MAX_NAME_CHARS, bounded};

/// Takes one record.
pub(super) fn take(into: &mut Building, record: &Value) {
    let at = time(&record["timestamp"]);
    into.at(at);
    let payload = &record["payload"];
    match record["type"].as_str() {
        Some("session_meta") => meta(into, payload),
        Some("turn_context") => {
            into.folder(payload["cwd"].as_str());
            into.model(payload["model"].as_str());
        }
        Some("response_item") => item(into, payload, at),
        Some("event_msg") => event(into, payload),
        Some("compacted") => {}
        Some(_) if payload.is_null() => item(into, record, at),
        None if record["record_type"] == "state" => {}
        None if record["id"].is_string() && record["timestamp"].is_string() => meta(into, record),
        _ => into.skip(),
    }
}

fn meta(into: &mut Building, payload: &Value) {
    if let Some(id) = payload["id"].as_str().filter(|id| !id.is_empty()) {
        into.experience.source.session = bounded(id, MAX_NAME_CHARS);
    }
    into.folder(payload["cwd"].as_str());
}

fn event(into: &mut Building, payload: &Value) {
    match payload["type"].as_str() {
        Some("token_count") => {
            let total = &payload["info"]["total_token_usage"];
            let cost = &mut into.experience.cost;
            // A sum over the session, so the newest counts.
            cost.tokens_in = total["input_tokens"].as_u64().unwrap_or(cost.tokens_in);
            cost.tokens_out = total["output_tokens"].as_u64().unwrap_or(cost.tokens_out);
        }
        Some("user_message") => person(into, payload["message"].as_str().unwrap_or_default()),
        Some("turn_aborted") => into.interrupted(),
        // Events repeat what the items say.
        Some(_) => {}
        None => into.skip(),
    }
}

fn item(into: &mut Building, item: &Value, at: i64) {
    let id = || item["call_id"].as_str().or_else(|| item["id"].as_str()).unwrap_or_default();
    match item["type"].as_str() {
        Some("message") => {
            let text = text_of(&item["content"]);
            match item["role"].as_str() {
                Some("user") => person(into, &text),
                Some("assistant") => {
                    into.experience.cost.turns += 1;
                    into.agent(&text);
                }
                _ => {}
            }
        }
        Some("function_call") => {
            let arguments = item["arguments"].as_str().unwrap_or_default();
            let arguments = serde_json::from_str(arguments).unwrap_or_else(|_| json!(arguments));
            call(into, id(), item["name"].as_str(), arguments, at);
        }
        Some("custom_tool_call") => {
            call(into, id(), item["name"].as_str(), json!({"input": item["input"]}), at);
        }
        Some("local_shell_call") => {
            let arguments = json!({"command": item["action"]["command"]});
            call(into, id(), Some("shell"), arguments, at);
        }
        Some("web_search_call") => {
            call(into, id(), Some("web_search"), item["action"].clone(), at);
            into.result(id(), "", Outcome::Ok, at);
        }
        Some("function_call_output" | "custom_tool_call_output") => {
            let (text, outcome) = output(&item["output"]);
            into.result(id(), &text, outcome, at);
        }
        Some("reasoning" | "ghost_snapshot" | "compaction" | "compaction_summary") => {}
        _ => into.skip(),
    }
}

fn call(into: &mut Building, id: &str, tool: Option<&str>, arguments: Value, at: i64) {
    match tool {
        Some(tool) => into.call(id, tool, arguments, at),
        None => into.skip(),
    }
}

/// What the person typed: not the instructions and surroundings that the program sends in their name.
fn person(into: &mut Building, text: &str) {
    let text = text.trim();
    if text.starts_with("<skill>") {
        if let Some(name) = between(text, "<name>", "</name>") {
            into.experience.load(Loaded { name: bounded(name, MAX_NAME_CHARS), version: None });
        }
        return;
    }
    let is_wrapped = text.starts_with('<') && text.ends_with('>');
    if text.starts_with("<turn_aborted>") {
        into.interrupted();
    } else if !is_wrapped && !text.starts_with("# AGENTS.md") {
        into.person(text);
    }
}

/// What a tool gave, and how it ended: an exit code, a mark of success, or words at its beginning.
fn output(output: &Value) -> (String, Outcome) {
    let text = text_of(output);
    let inner: Option<Value> =
        text.starts_with('{').then(|| serde_json::from_str(&text).ok()).flatten();
    if let Some(inner) = inner {
        let code = inner["metadata"]["exit_code"].as_i64();
        let said = inner["output"].as_str().map(str::to_owned);
        return (said.unwrap_or(text), code.map_or(Outcome::Ok, by_code));
    }
    if output["success"] == false {
        return (text, Outcome::Failed);
    }
    let head: String = text.chars().take(400).collect();
    let number = |mark: &str| -> Option<i64> {
        let (_, after) = head.split_once(mark)?;
        let digits = after.trim_start().split(|c: char| !c.is_ascii_digit() && c != '-').next()?;
        digits.parse().ok()
    };
    let code = ["Exit code:", "exited with code", "exit code:"].into_iter().find_map(number);
    let outcome = if head.contains("rejected by user") || head.contains("denied by user") {
        Outcome::Refused
    } else if head.contains("timed out") {
        Outcome::TimedOut
    } else if let Some(code) = code {
        by_code(code)
    } else if head.starts_with("failed")
        || head.starts_with("error")
        || head.contains("verification failed")
    {
        Outcome::Failed
    } else {
        Outcome::Ok
    };
    (text, outcome)
}

/// 124 is what `timeout` ends with.
fn by_code(code: i64) -> Outcome {
    match code {
        0 => Outcome::Ok,
        124 => Outcome::TimedOut,
        _ => Outcome::Failed,
    }
}
