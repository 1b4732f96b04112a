//! `note` and `recall`: what an agent writes into its memory and finds there again.
//!
//! A note reaches no prompt before the task is answered, and none at all when the guard objects to it.
//! `recall` takes plain words and gives what this subscriber may see, the running task left out.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::skills::Clock;
use super::{Class, Tool, ToolResult, Working, text_of};
use crate::brain::Remembering;
use crate::memory::{Hit, MAX_ENTRY_CHARS, MAX_KEY_CHARS, MAX_QUERY_CHARS, NoteError};
use crate::step::Effect;

/// The two tools of a task.
pub fn tools(remembering: &Arc<Remembering>, now: &Clock) -> Vec<Box<dyn Tool>> {
    let mut properties = json!({
        "key": {
            "type": "string", "minLength": 1, "maxLength": MAX_KEY_CHARS,
            "description": "what it is about; a note with the same key is replaced",
        },
        "value": {"type": "string", "minLength": 1, "maxLength": MAX_ENTRY_CHARS},
    });
    if remembering.may_share {
        properties["shared"] = json!({
            "type": "boolean",
            "description": "true: knowledge about the work, for everybody; false: about this person",
        });
    }
    let note = json!({
        "type": "object",
        "properties": properties,
        "required": ["key", "value"],
        "additionalProperties": false,
    });
    let recall = json!({
        "type": "object",
        "properties": {
            "query": {
                "type": "string", "minLength": 1, "maxLength": MAX_QUERY_CHARS,
                "description": "plain words",
            },
        },
        "required": ["query"],
        "additionalProperties": false,
    });
    vec![
        Box::new(Note { remembering: Arc::clone(remembering), now: Arc::clone(now), schema: note }),
        Box::new(Recall { remembering: Arc::clone(remembering), schema: recall }),
    ]
}

struct Note {
    remembering: Arc<Remembering>,
    now: Clock,
    schema: Value,
}

impl Note {
    fn take(&self, arguments: &Value) -> ToolResult {
        let key = text_of(arguments, "key").unwrap_or_default();
        let value = text_of(arguments, "value").unwrap_or_default();
        let shared = arguments.get("shared").and_then(Value::as_bool).unwrap_or(false);
        if shared && !self.remembering.may_share {
            return ToolResult::refused(NoteError::NotShared.to_string());
        }
        let mut draft = self.remembering.draft();
        match draft.note(key, value, shared, (self.now)()) {
            Ok(note) => ToolResult::ok(
                format!("Noted under `{}`; later tasks will see it.", note.key),
                format!("noted {}", note.key),
            )
            .with(Effect::MemoryWritten {
                key: note.key.clone(),
                value: note.value.clone(),
                shared: note.shared,
            }),
            Err(error @ NoteError::Quarantined(_)) => {
                let key = key.to_owned();
                let reason = error.to_string();
                ToolResult::refused(reason.clone()).with(Effect::MemoryQuarantined { key, reason })
            }
            Err(error) => ToolResult::refused(error.to_string()),
        }
    }
}

impl Tool for Note {
    fn name(&self) -> &'static str {
        "note"
    }

    fn description(&self) -> &'static str {
        "Writes one fact into the memory, for later tasks: something learned about the work or the \
         person that would have saved time today."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Introspection
    }

    fn call<'a>(&'a self, arguments: &'a Value, _cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move { self.take(arguments) })
    }
}

struct Recall {
    remembering: Arc<Remembering>,
    schema: Value,
}

impl Recall {
    fn find(&self, query: &str) -> ToolResult {
        let Remembering { subscriber, .. } = &*self.remembering;
        let hits = match self.remembering.memory().recall(query, subscriber) {
            Ok(hits) => hits,
            Err(error) => return ToolResult::failed(error.to_string()),
        };
        let found = hits.len();
        let text = if hits.is_empty() {
            "Nothing is remembered that has one of these words.\n".to_owned()
        } else {
            hits.iter().map(shown).collect()
        };
        let read = Effect::MemoryRead { query: query.to_owned(), found };
        ToolResult::ok(text, format!("{found} found")).with(read)
    }
}

/// A hit as a line: the day, what it is, its words.
fn shown(hit: &Hit) -> String {
    let Hit { kind, label, task, at, excerpt } = hit;
    let time = jiff::Timestamp::from_millisecond(*at).unwrap_or_default();
    let mut line = format!("- {}", time.strftime("%Y-%m-%d"));
    let _ = write!(line, " {} ({label})", kind.word());
    if !task.is_empty() {
        let _ = write!(line, " of {task}");
    }
    let _ = writeln!(line, ": {excerpt}");
    line
}

impl Tool for Recall {
    fn name(&self) -> &'static str {
        "recall"
    }

    fn description(&self) -> &'static str {
        "Finds what was said, noted and done in earlier tasks, by words."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Introspection
    }

    fn call<'a>(&'a self, arguments: &'a Value, _cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move { self.find(text_of(arguments, "query").unwrap_or_default()) })
    }
}
