//! What the memory gives and takes: tasks as the log has them, facts, and how much of each there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::subscriber::Subscriber;

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// With an answer.
    Answered,
    /// It ran out of turns or of its budget.
    NotConverged,
    /// Something broke.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// Its process died.
    Died,
}

impl Ending {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::NotConverged => "not-converged",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Died => "died",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Answered, Self::NotConverged, Self::Failed, Self::Cancelled, Self::Died];
        all.into_iter().find(|ending| ending.word() == word)
    }
}

/// A task as the log has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its id.
    pub task: String,
    /// For whom it was done.
    pub subscriber: Subscriber,
    /// When it began, in milliseconds since 1970.
    pub started: i64,
    /// When it ended.
    pub ended: i64,
    /// How it ended.
    pub ending: Ending,
    /// What was asked, cut to [`MAX_MESSAGE_CHARS`](super::MAX_MESSAGE_CHARS).
    pub input: String,
    /// What was answered, or why not; cut alike.
    pub answer: String,
    /// The model.
    pub model: String,
    /// Turns of the model.
    pub turns: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Tokens that went in.
    pub tokens_in: u64,
    /// Tokens that came out.
    pub tokens_out: u64,
}

/// A task in the log, as programs get it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LoggedTask {
    /// Its id.
    pub task: String,
    /// For whom it was done; null for the owner.
    pub subscriber: Option<String>,
    /// When it ended.
    pub ended: String,
    /// `answered`, `not-converged`, `failed`, `cancelled` or `died`.
    pub ending: &'static str,
    /// What was asked.
    pub input: String,
    /// What was answered, or why not.
    pub answer: String,
    /// The model.
    pub model: String,
    /// Turns of the model.
    pub turns: u64,
    /// Calls of tools.
    pub calls: u64,
    /// Tokens, in and out.
    pub tokens: u64,
}

impl From<TaskRow> for LoggedTask {
    fn from(row: TaskRow) -> Self {
        Self {
            task: row.task,
            subscriber: match row.subscriber {
                Subscriber::Owner => None,
                Subscriber::Named(name) => Some(name),
            },
            ended: hone_library::usage::iso(row.ended),
            ending: row.ending.word(),
            input: row.input,
            answer: row.answer,
            model: row.model,
            turns: row.turns,
            calls: row.calls,
            tokens: row.tokens_in.saturating_add(row.tokens_out),
        }
    }
}

/// A fact as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub key: String,
    /// What is known.
    pub value: String,
    /// When it was noted, in milliseconds since 1970.
    pub at: i64,
    /// The task that noted it; empty for what a person wrote.
    pub task: String,
    /// For whom that task was done.
    pub subscriber: Subscriber,
    /// Whether every subscriber's tasks may read it.
    pub shared: bool,
}

/// How much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// Messages.
    pub messages: u64,
    /// Facts.
    pub facts: u64,
    /// Tasks.
    pub tasks: u64,
    /// Notes that were set aside.
    pub quarantined: u64,
}
