//! The JSON of agents: what they are, and what happens in a task.

use hone_agent::memory::LoggedTask;
use hone_agent::model::Spent;
use hone_agent::run::{Learned, Report};
use hone_agent::step::Step;
use hone_agent::task::{Cost, End};
use hone_learn::after::Aftermath;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// `hone agent list --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Agents {
    pub(crate) agents: Vec<ListedAgent>,
}

/// An agent in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedAgent {
    pub(crate) id: String,
    /// The first line of its role.
    pub(crate) role: String,
    pub(crate) skills: usize,
    pub(crate) facts: u64,
    pub(crate) tasks: u64,
    /// When its last task ended.
    pub(crate) last_task: Option<String>,
    /// Why it cannot be used, when it cannot.
    pub(crate) problem: Option<String>,
}

/// `hone agent show --json`, and what `hone agent new --json` made.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Agent {
    pub(crate) id: String,
    pub(crate) folder: String,
    pub(crate) role: String,
    /// The tools that it may call; null for all.
    pub(crate) tools: Option<Vec<String>>,
    /// Other agents that it may ask.
    pub(crate) agents: Vec<String>,
    pub(crate) model: Option<String>,
    pub(crate) turns: Option<u32>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) skills: Vec<AgentSkill>,
    /// Skills that no task is offered.
    pub(crate) skipped: Vec<SkippedSkill>,
    /// The files that every task gets to see.
    pub(crate) files: Vec<MemoryFile>,
    pub(crate) messages: u64,
    pub(crate) facts: u64,
    pub(crate) tasks: u64,
    /// The newest tasks, newest first.
    pub(crate) last_tasks: Vec<LoggedTask>,
    /// The newest texts that were kept out of memory and skills, newest first.
    pub(crate) quarantined: Vec<SetAside>,
    /// What lies in its folder and is no part of it, or of no skill.
    pub(crate) strangers: Vec<String>,
    /// The version that no snapshot has yet; null when it is packed, or has no store.
    pub(crate) unpacked: Option<u64>,
}

/// A skill of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentSkill {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: Option<String>,
}

/// A skill of an agent that is not offered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SkippedSkill {
    /// The file or folder, in the agent's folder.
    pub(crate) file: String,
    pub(crate) reason: &'static str,
    /// Why, in a sentence.
    pub(crate) message: String,
}

/// A file of frozen memory.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryFile {
    pub(crate) file: String,
    pub(crate) characters: usize,
    /// How many a task gets to see at most.
    pub(crate) most: usize,
}

/// A text that was kept out of memory or a skill.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SetAside {
    pub(crate) task: String,
    pub(crate) at: String,
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) rule: String,
    pub(crate) reason: String,
}

/// `hone agent update --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SeedUpdate {
    /// Files that are new.
    pub(crate) added: Vec<String>,
    /// Files that became those of the seed.
    pub(crate) updated: Vec<String>,
    /// Files that stayed as they are.
    pub(crate) kept: Vec<KeptFile>,
}

/// A file that an update left alone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeptFile {
    pub(crate) file: String,
    pub(crate) why: String,
}

/// A line of `hone run --json`: something that just happened.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub(crate) enum RunLine {
    /// Another task has the agent.
    Waiting {
        /// Who it is.
        owner: String,
    },
    /// The task begins.
    Started {
        task: String,
        backend: String,
        model: String,
        /// Turns at most.
        turns: usize,
        tools: Vec<String>,
    },
    /// The model is being asked.
    Asking {
        /// The turn, from 1.
        turn: usize,
        /// Turns at most.
        of: usize,
    },
    /// A tool is being called.
    Calling {
        /// The turn, from 1.
        turn: usize,
        tool: String,
        arguments: Value,
    },
    /// A step is done.
    Step { step: Step },
    /// The task is over, and nothing is committed yet.
    Ended { end: End, cost: Cost },
    /// The task is committed. The last line, unless a lesson or a snapshot follows.
    Report(Box<TaskReport>),
    /// The agent was packed after the task, or was not.
    Snapshot {
        agent: String,
        /// The snapshot; null when there is none.
        number: Option<u64>,
        /// Why there is none; null when there is one.
        error: Option<String>,
    },
    /// What came of the task beside its answer.
    Lesson(Box<Aftermath>),
}

/// What became of a task.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TaskReport {
    pub(crate) task: String,
    /// The answer; null when there is none.
    pub(crate) answer: Option<String>,
    pub(crate) end: End,
    pub(crate) cost: Cost,
    /// What it used up together with the agents that it asked; `cost` is money, null without prices.
    pub(crate) spent: Spent,
    pub(crate) learned: Learned,
    /// The receipt that signs it: its place in the chain.
    pub(crate) receipt: u64,
    /// The version of what the agent knows afterwards.
    pub(crate) version: u64,
    /// What somebody should know about the brain.
    pub(crate) notes: Vec<String>,
}

impl From<&Report> for TaskReport {
    fn from(report: &Report) -> Self {
        Self {
            task: report.finished.id.clone(),
            answer: report.finished.answer().map(std::borrow::Cow::into_owned),
            end: report.finished.end.clone(),
            cost: report.finished.cost,
            spent: report.spent,
            learned: report.learned.clone(),
            receipt: report.receipt.index,
            version: report.receipt.after.version,
            notes: report.notes.clone(),
        }
    }
}
