//! Messages of the chat form that most programs keep: `role`, `content`, `tool_calls`, `tool_call_id`.

use hone_agent::step::Outcome;
use serde_json::{Value, json};

use super::building::{Building, text_of, time};

/// Takes one message.
pub(super) fn take(into: &mut Building, message: &Value) {
    let at = time(&message["timestamp"]);
    into.at(at);
    match message["role"].as_str() {
        Some("user" | "human") => into.person(&text_of(&message["content"])),
        Some("assistant" | "ai") => {
            into.experience.cost.turns += 1;
            into.agent(&text_of(&message["content"]));
            // A list, or the text of one.
            let calls = match &message["tool_calls"] {
                Value::String(text) => serde_json::from_str(text).unwrap_or(Value::Null),
                calls => calls.clone(),
            };
            for call in calls.as_array().into_iter().flatten() {
                self::call(into, call, at);
            }
        }
        Some("tool" | "function") => {
            let text = text_of(&message["content"]);
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            into.result(id, &text, outcome(&text), at);
        }
        Some("system" | "developer" | "session_meta") => {}
        _ => into.skip(),
    }
}

fn call(into: &mut Building, call: &Value, at: i64) {
    let function = if call["function"].is_object() { &call["function"] } else { call };
    let id = call["id"].as_str().or_else(|| call["call_id"].as_str()).unwrap_or_default();
    let Some(tool) = function["name"].as_str() else { return into.skip() };
    let arguments = match &function["arguments"] {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| json!(text)),
        arguments => arguments.clone(),
    };
    into.call(id, tool, arguments, at);
}

/// How a result says that it ended, where it is an object with the usual keys.
fn outcome(text: &str) -> Outcome {
    let Ok(result) = serde_json::from_str::<Value>(text) else {
        let is_error = text.starts_with("Error") || text.starts_with("error:");
        return if is_error { Outcome::Failed } else { Outcome::Ok };
    };
    let is_blocked = matches!(result["status"].as_str(), Some("blocked" | "approval_required"));
    let has_error = match &result["error"] {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        _ => true,
    };
    match result["exit_code"].as_i64() {
        _ if is_blocked => Outcome::Refused,
        Some(124) => Outcome::TimedOut,
        Some(0) if !has_error => Outcome::Ok,
        Some(_) => Outcome::Failed,
        None if has_error || result["success"] == false => Outcome::Failed,
        None => Outcome::Ok,
    }
}
