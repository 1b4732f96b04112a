//! How a task ended, and what is known of it afterwards.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::{Message, Usage};
use crate::step::{Outcome, Step, ToolStep, What};

/// A task that is over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The task's id.
    pub id: String,
    /// How it ended.
    pub end: End,
    /// Every step, in order.
    pub steps: Vec<Step>,
    /// Everything that was said, the system message first.
    pub conversation: Vec<Message>,
    /// What it cost.
    pub cost: Cost,
}

/// How a task ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "end", rename_all = "kebab-case")]
pub enum End {
    /// With an answer.
    Answered {
        /// The answer: a JSON object, byte for byte as the model wrote it.
        text: String,
    },
    /// Without an answer, because it came to a limit.
    NotConverged {
        /// Which.
        limit: Limit,
    },
    /// Something that it needs failed.
    Failed {
        /// What.
        failure: Failure,
        /// Why, in a sentence.
        message: String,
    },
    /// Somebody stopped it.
    Cancelled,
    /// Its process died. Only what is kept of a task says so, once the next one found it.
    Died,
}

/// The limit that a task came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Limit {
    /// All its turns were used.
    Turns {
        /// How many.
        turns: usize,
    },
    /// It made the same call again and again.
    Repeating {
        /// Which tool.
        tool: String,
    },
    /// Its budget is used up.
    Budget {
        /// Which, in a sentence.
        why: String,
    },
}

/// What failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Failure {
    /// The model did not answer in time.
    OutOfTime,
    /// The model's backend refused the request.
    Refused,
    /// The model's backend failed.
    Backend,
    /// A text of the task is longer than [`MAX_PART_CHARS`](super::MAX_PART_CHARS).
    TooLong,
}

/// What a task cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cost {
    /// Replies of the model.
    pub turns: usize,
    /// Calls of tools, those that failed included.
    pub calls: usize,
    /// Tokens.
    #[schemars(with = "Value")]
    pub usage: Usage,
    /// Time from start to end.
    pub milliseconds: u64,
}

/// One call that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tried<'a> {
    /// The tool.
    pub tool: &'a str,
    /// How it ended.
    pub outcome: Outcome,
    /// In a line.
    pub summary: &'a str,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered { .. } => f.write_str("answered"),
            Self::NotConverged { limit: Limit::Turns { turns } } => {
                let turn = if *turns == 1 { "turn" } else { "turns" };
                write!(f, "did not converge: no answer after {turns} {turn}")
            }
            Self::NotConverged { limit: Limit::Repeating { tool } } => {
                write!(f, "did not converge: the same call of `{tool}` again and again")
            }
            Self::NotConverged { limit: Limit::Budget { why } } => {
                write!(f, "did not converge: {why}")
            }
            Self::Failed { message, .. } => write!(f, "failed: {message}"),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Died => f.write_str("died: its process ended before it did"),
        }
    }
}

impl Finished {
    /// Every call of a tool, in order.
    pub fn calls(&self) -> impl Iterator<Item = &ToolStep> {
        self.steps.iter().filter_map(|step| match &step.what {
            What::Tool(call) => Some(call),
            _ => None,
        })
    }

    /// What was tried, in order.
    pub fn tried(&self) -> impl Iterator<Item = Tried<'_>> {
        self.calls().map(|call| Tried {
            tool: &call.tool,
            outcome: call.outcome,
            summary: &call.summary,
        })
    }

    /// The answer for a person: the text of `answer` when that is all there is, else the object.
    pub fn answer(&self) -> Option<Cow<'_, str>> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Plain<'t> {
            #[serde(borrow)]
            answer: Cow<'t, str>,
        }
        let End::Answered { text } = &self.end else { return None };
        Some(match serde_json::from_str::<Plain<'_>>(text) {
            Ok(plain) => plain.answer,
            Err(_) => Cow::Borrowed(text),
        })
    }
}
