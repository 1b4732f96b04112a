//! The form of a reply as a JSON schema: what holds a model to a call or an answer.
//!
//! A grammar is made in the order in which a schema is written, and a model that names the tool first
//! fits the arguments to it: that is why these are structures and not values, which sort their keys.

use serde::Serialize;
use serde_json::{Value, json};

use super::{Expects, Request, ToolSpec};

/// The schema of every reply that the loop takes.
#[derive(Serialize)]
pub(super) struct ReplyForm<'a> {
    #[serde(rename = "anyOf")]
    any_of: Vec<Object<'a>>,
}

#[derive(Serialize)]
struct Object<'a> {
    r#type: &'static str,
    properties: Properties<'a>,
    required: &'static [&'static str],
    #[serde(rename = "additionalProperties")]
    additional_properties: bool,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Properties<'a> {
    Call { tool: Value, args: &'a Value },
    Answer { answer: Value },
}

impl<'a> ReplyForm<'a> {
    /// A call of one of the tools, or an answer when one may be given; none where words are free.
    pub(super) fn of(request: &'a Request) -> Option<Self> {
        let object = |properties, required| Object {
            r#type: "object",
            properties,
            required,
            additional_properties: false,
        };
        let call = |tool: &'a ToolSpec| {
            let name = json!({"const": tool.name});
            object(Properties::Call { tool: name, args: &tool.schema }, &["tool", "args"])
        };
        let answer = Properties::Answer { answer: json!({"type": "string"}) };
        let may_answer = match request.expects {
            Expects::Words => return None,
            Expects::Call => request.tools.is_empty(),
            Expects::CallOrAnswer => true,
        };
        let answer = may_answer.then(|| object(answer, &["answer"]));
        Some(Self { any_of: request.tools.iter().map(call).chain(answer).collect() })
    }
}
