//! What happened in a task, step by step, typed.
//!
//! A step says what was done, when, and how it ended. Arguments and results are kept in full beside
//! their hashes, so that a transcript can be read here and committed to elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::model::Usage;
use crate::reply::Unreadable;

/// How a call of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It did what it was asked.
    Ok,
    /// It was tried and failed.
    Failed,
    /// It was not tried: unknown, not allowed, wrong arguments, against a rule.
    Refused,
    /// It took too long and was ended.
    TimedOut,
}

impl Outcome {
    /// The outcome's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failed => "failed",
            Self::Refused => "refused",
            Self::TimedOut => "timed-out",
        }
    }
}

/// One step of a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Its id: the task's, a dot, and its place from 1.
    pub id: String,
    /// When it began, in milliseconds since 1970. Never before the end of the step before.
    pub started: i64,
    /// When it ended.
    pub ended: i64,
    /// What was done.
    #[serde(flatten)]
    pub what: What,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum What {
    /// Skills were offered, by name and description.
    Skills {
        /// Their names, in the order of the index.
        names: Vec<String>,
    },
    /// The model replied.
    Model {
        /// The turn, from 1.
        turn: usize,
        /// The backend.
        backend: String,
        /// The model, as the backend named it.
        model: String,
        /// What the reply cost.
        #[schemars(with = "Value")]
        usage: Usage,
        /// Whether it was cut at the limit of tokens.
        is_cut: bool,
        /// The reply, byte for byte.
        text: String,
        /// SHA-256 of the reply, in hexadecimal.
        sha256: String,
        /// What the loop made of it.
        reading: Reply,
        /// Whether its object was not JSON and had to be mended.
        is_mended: bool,
        /// Other objects in it, which were ignored.
        ignored: usize,
    },
    /// The model gave no reply.
    NoReply {
        /// The turn, from 1.
        turn: usize,
        /// The backend.
        backend: String,
        /// The model, as configured.
        model: String,
        /// Why.
        error: String,
    },
    /// A tool was called.
    Tool(ToolStep),
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolStep {
    /// The turn that called it, from 1.
    pub turn: usize,
    /// The tool's name, as the model gave it.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// SHA-256 of the arguments in canonical form, in hexadecimal: the order of keys does not count.
    pub arguments_sha256: String,
    /// How it ended.
    pub outcome: Outcome,
    /// One line for people.
    pub summary: String,
    /// The result in full.
    pub text: String,
    /// SHA-256 of the result in full, in hexadecimal.
    pub result_sha256: String,
    /// Whether the model got only a part of it.
    pub is_cut: bool,
    /// What it did to skills and memory.
    pub effects: Vec<Effect>,
}

/// What the loop made of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reply {
    /// A call of a tool.
    Call,
    /// The final answer.
    Answer,
    /// An answer that came before any evidence.
    RefusedAnswer,
    /// Neither, and why.
    Unreadable(Unreadable),
}

/// What a tool did to skills or memory: facts for the learner and the receipt, not words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "effect", rename_all = "kebab-case")]
pub enum Effect {
    /// The text of a skill was read.
    SkillRead {
        /// Its name.
        name: String,
        /// Its version, when it declares one.
        version: Option<String>,
        /// SHA-256 of the text that was read, in hexadecimal.
        #[serde(default)]
        sha256: Option<String>,
    },
    /// A skill was created, changed or taken away.
    SkillChanged {
        /// Its name.
        name: String,
        /// `create`, `edit`, `patch`, `delete`, `write-file` or `remove-file`.
        action: String,
        /// Its version before.
        from_version: Option<String>,
        /// Its version after.
        to_version: Option<String>,
    },
    /// The policy did not let a change of a skill through.
    SkillPending(Proposal),
    /// Memory was searched.
    MemoryRead {
        /// For what.
        query: String,
        /// How much was found.
        found: usize,
    },
    /// Memory was written.
    MemoryWritten {
        /// Under which key.
        key: String,
        /// What.
        #[serde(default)]
        value: String,
        /// Whether it is everybody's.
        #[serde(default)]
        shared: bool,
    },
    /// Something was kept out of memory.
    MemoryQuarantined {
        /// Under which key it was to be.
        key: String,
        /// Why.
        reason: String,
    },
    /// Another agent was asked.
    AgentAsked {
        /// Which.
        agent: String,
    },
}

/// A change of a skill that the policy did not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// The skill.
    pub name: String,
    /// The arguments of the call, as given: what a person would approve.
    pub arguments: Value,
    /// What the scan said.
    pub verdict: String,
    /// What the policy said: `ask` or `block`.
    pub action: String,
    /// Rule, file and line of each finding, worst first.
    pub findings: Vec<String>,
    /// SHA-256 over the files as they would be.
    pub digest: String,
}
