//! Sessions of Claude Code: one JSON object a line, `user` and `assistant` messages with blocks.
//!
//! A reply may be spread over several lines with the same message id. Side chains are other agents'
//! work and no part of the session; a file that begins with one is the work of such a helper, and nothing
//! else is in it.

use hone_agent::step::Outcome;
use serde_json::Value;

use super::building::{Building, text_of, time};

/// Records that say nothing about the work.
const KNOWN: [&str; 22] = [
    "system",
    "summary",
    "attachment",
    "progress",
    "file-history-snapshot",
    "queue-operation",
    "last-prompt",
    "ai-title",
    "custom-title",
    "agent-name",
    "agent-color",
    "agent-setting",
    "pr-link",
    "permission-mode",
    "mode",
    "tag",
    "task-summary",
    "worktree-state",
    "content-replacement",
    "marble-origami-commit",
    "speculation-accept",
    "bridge-session",
];

/// What stands around words that the person did not type.
const NOT_TYPED: [&str; 7] = [
    "<local-command",
    "<bash-",
    "<task-notification",
    "<user-memory",
    "<ide_",
    "<command-message>Init",
    "Caveat: The messages below were generated",
];

/// The reader's memory between records.
#[derive(Debug, Default)]
pub(super) struct Reader {
    message: String,
    /// Whether the file is a helper's; not known before its first message.
    is_helper: Option<bool>,
}

impl Reader {
    /// Takes one record.
    pub(super) fn take(&mut self, into: &mut Building, record: &Value) {
        let is_side = record["isSidechain"] == true;
        if matches!(record["type"].as_str(), Some("user" | "assistant")) {
            let is_helper = *self.is_helper.get_or_insert(is_side);
            if is_side != is_helper {
                return;
            }
        } else if is_side {
            return;
        }
        let at = time(&record["timestamp"]);
        match record["type"].as_str() {
            Some("user") => {
                into.at(at);
                into.folder(record["cwd"].as_str());
                if record["isMeta"] != true && record["isCompactSummary"] != true {
                    user(into, &record["message"]["content"], at);
                }
            }
            Some("assistant") => {
                into.at(at);
                into.folder(record["cwd"].as_str());
                if record["isApiErrorMessage"] != true {
                    self.assistant(into, &record["message"], at);
                }
            }
            Some(known) if KNOWN.contains(&known) => {}
            _ => into.skip(),
        }
    }

    fn assistant(&mut self, into: &mut Building, message: &Value, at: i64) {
        let id = message["id"].as_str().unwrap_or_default();
        if id.is_empty() || id != self.message {
            id.clone_into(&mut self.message);
            cost(into, &message["usage"]);
        }
        into.model(message["model"].as_str().filter(|model| !model.starts_with('<')));
        if let Some(text) = message["content"].as_str() {
            into.agent(text);
        }
        for block in message["content"].as_array().into_iter().flatten() {
            match block["type"].as_str() {
                Some("text") => into.agent(block["text"].as_str().unwrap_or_default()),
                Some("tool_use") => {
                    let (id, tool) = (block["id"].as_str(), block["name"].as_str());
                    let (Some(id), Some(tool)) = (id, tool) else {
                        into.skip();
                        continue;
                    };
                    into.call(id, tool, block["input"].clone(), at);
                }
                Some(
                    "thinking" | "redacted_thinking" | "server_tool_use" | "web_search_tool_result",
                ) => {}
                _ => into.skip(),
            }
        }
    }
}

fn cost(into: &mut Building, usage: &Value) {
    let tokens = |key: &str| usage[key].as_u64().unwrap_or(0);
    let cost = &mut into.experience.cost;
    cost.turns += 1;
    let read = tokens("input_tokens")
        .saturating_add(tokens("cache_creation_input_tokens"))
        .saturating_add(tokens("cache_read_input_tokens"));
    cost.tokens_in = cost.tokens_in.saturating_add(read);
    cost.tokens_out = cost.tokens_out.saturating_add(tokens("output_tokens"));
}

fn user(into: &mut Building, content: &Value, at: i64) {
    if let Some(text) = content.as_str() {
        return typed(into, text);
    }
    let Some(blocks) = content.as_array() else { return into.skip() };
    for block in blocks {
        match block["type"].as_str() {
            Some("text") => typed(into, block["text"].as_str().unwrap_or_default()),
            Some("tool_result") => {
                let text = text_of(&block["content"]);
                let outcome = outcome(&text, block["is_error"] == true);
                into.result(block["tool_use_id"].as_str().unwrap_or_default(), &text, outcome, at);
            }
            Some("image" | "document") => {}
            _ => into.skip(),
        }
    }
}

fn outcome(text: &str, is_error: bool) -> Outcome {
    let says = |words: &str| text.contains(words);
    if !is_error {
        Outcome::Ok
    } else if says("doesn't want to") || says("rejected") || says("permission") {
        Outcome::Refused
    } else if says("timed out") {
        Outcome::TimedOut
    } else {
        Outcome::Failed
    }
}

/// What the person typed, without what the program put around it.
fn typed(into: &mut Building, text: &str) {
    let text = text.trim_start();
    if text.starts_with("[Request interrupted by user") {
        return into.interrupted();
    }
    if NOT_TYPED.iter().any(|start| text.starts_with(start)) {
        return;
    }
    if let Some(command) = between(text, "<command-name>", "</command-name>") {
        let words = between(text, "<command-args>", "</command-args>").unwrap_or_default();
        return if words.is_empty() {
            into.command(command);
        } else {
            into.person(&format!("{command} {words}"));
        };
    }
    let mut rest = text;
    let mut kept = String::new();
    // Reminders are the program's, wherever they stand.
    while let Some((before, after)) = rest.split_once("<system-reminder>") {
        kept.push_str(before);
        rest = after.split_once("</system-reminder>").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    into.person(&kept);
}

/// What stands between two tags.
pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, after) = text.split_once(open)?;
    after.split_once(close).map(|(inside, _)| inside.trim())
}
