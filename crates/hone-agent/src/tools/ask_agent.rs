//! `ask_agent`: a question to another local agent.
//!
//! The other agent runs a task of its own, with its own brain; how is for the caller, who passes a
//! [`Colleagues`] in. Questions go [`MAX_DEPTH`] agents deep, and everybody spends one budget.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Class, Tool, ToolResult, Working, text_of};
use crate::step::Effect;

/// How many agents may ask one another in a row: the first asks one, that one asks another.
pub const MAX_DEPTH: usize = 2;

/// Longest question, in characters.
pub const MAX_QUESTION_CHARS: usize = 8_000;

/// How long another agent may take.
pub const TIME: Duration = Duration::from_secs(300);

/// A question for another agent.
#[derive(Debug, Clone)]
pub struct Question {
    /// The agent.
    pub agent: String,
    /// What it is asked.
    pub text: String,
    /// How deep the agent that answers is: 1 when a person's task asks.
    pub depth: usize,
    /// Stops it.
    pub cancelled: CancellationToken,
}

/// An answer that is on its way; an error is a sentence for the model.
pub type Answering<'a> = Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'a>>;

/// The other agents on this machine.
pub trait Colleagues: Send + Sync {
    /// Their names, for the model to choose from.
    fn names(&self) -> Vec<String>;
    /// Asks one. What it costs goes to the budget of the task that asks.
    fn ask(&self, question: Question) -> Answering<'_>;
}

/// The tool.
pub struct AskAgent {
    colleagues: Arc<dyn Colleagues>,
    depth: usize,
    names: Vec<String>,
    schema: Value,
}

impl AskAgent {
    /// The tool for an agent that is itself `depth` deep: 0 for a person's task.
    pub fn new(colleagues: Arc<dyn Colleagues>, depth: usize) -> Self {
        let names = colleagues.names();
        let schema = json!({
            "type": "object",
            "properties": {
                "agent": {"type": "string", "enum": names},
                "question": {"type": "string", "minLength": 1, "maxLength": MAX_QUESTION_CHARS},
            },
            "required": ["agent", "question"],
            "additionalProperties": false,
        });
        Self { colleagues, depth, names, schema }
    }
}

impl Tool for AskAgent {
    fn name(&self) -> &'static str {
        "ask_agent"
    }

    fn description(&self) -> &'static str {
        "Asks another local agent a question and gives its answer. It knows nothing of this task but the \
         question."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn time(&self) -> Option<Duration> {
        Some(TIME)
    }

    fn changes(&self) -> bool {
        true
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move {
            if self.depth >= MAX_DEPTH {
                return ToolResult::refused(format!(
                    "Agents ask one another at most {MAX_DEPTH} deep, and this is the last; answer it yourself."
                ));
            }
            let agent = text_of(arguments, "agent").unwrap_or_default().to_owned();
            if !self.names.contains(&agent) {
                return ToolResult::refused(format!(
                    "There is no agent `{}`.",
                    agent.escape_debug()
                ));
            }
            let question = Question {
                agent: agent.clone(),
                text: text_of(arguments, "question").unwrap_or_default().to_owned(),
                depth: self.depth + 1,
                cancelled: cancelled.clone(),
            };
            let asked = Effect::AgentAsked { agent: agent.clone() };
            match self.colleagues.ask(question).await {
                Ok(answer) => ToolResult::ok(answer, format!("{agent} answered")).with(asked),
                Err(why) => ToolResult::failed(format!("{agent}: {why}")).with(asked),
            }
        })
    }
}
