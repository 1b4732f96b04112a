//! The JSON of `hone sessions` and `hone learn`.

use hone_learn::experience::Experience;
use hone_learn::sessions::{Problem, Summary};
use hone_learn::wizard::Question;
use hone_library::usage::iso;
use schemars::JsonSchema;
use serde::Serialize;

use super::text;

/// `hone sessions --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Sessions {
    /// Newest first.
    pub(crate) sessions: Vec<ListedSession>,
    /// Places and sessions that could not be read.
    pub(crate) problems: Vec<Unread>,
}

/// One session.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ListedSession {
    /// `claude-code`, `codex`, `hermes` or `hone`.
    pub(crate) agent: &'static str,
    /// The name of an agent of hone's own.
    pub(crate) name: Option<String>,
    /// Its id, for `hone learn`.
    pub(crate) session: String,
    /// What was asked, on one line, without anything private.
    pub(crate) task: String,
    /// The tools that were called, most often first.
    pub(crate) tools: Vec<UsedTool>,
    /// Calls of tools.
    pub(crate) steps: usize,
    /// Tasks that can be learned from one by one, with `--task`.
    pub(crate) tasks: usize,
    /// Replies of the model.
    pub(crate) turns: u64,
    /// When it began; null when nobody wrote it down.
    pub(crate) started: Option<String>,
    /// When it was last written to.
    pub(crate) modified: String,
    /// Its file.
    pub(crate) path: String,
    /// The folder that the work was done in.
    pub(crate) folder: Option<String>,
    /// Whether it came to its end.
    pub(crate) converged: bool,
    /// Records that were not understood.
    pub(crate) skipped: u64,
    /// Whether only a part of it was read, so that the numbers are at least these.
    pub(crate) partial: bool,
}

/// How often a tool was called.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UsedTool {
    pub(crate) tool: String,
    pub(crate) count: usize,
}

/// What could not be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Unread {
    pub(crate) path: String,
    pub(crate) message: String,
}

impl From<&Problem> for Unread {
    fn from(problem: &Problem) -> Self {
        Self { path: text(&problem.path), message: problem.message.clone() }
    }
}

impl From<&Summary> for ListedSession {
    fn from(summary: &Summary) -> Self {
        Self {
            agent: summary.agent.id(),
            name: summary.agent.name().map(str::to_owned),
            session: summary.session.clone(),
            task: summary.task.clone(),
            tools: summary
                .tools
                .iter()
                .map(|used| UsedTool { tool: used.tool.clone(), count: used.count })
                .collect(),
            steps: summary.steps,
            tasks: summary.tasks,
            turns: summary.turns,
            started: (summary.started > 0).then(|| iso(summary.started)),
            modified: iso(summary.modified),
            path: text(&summary.path),
            folder: summary.folder.as_deref().map(text),
            converged: summary.converged,
            skipped: summary.skipped,
            partial: summary.partial,
        }
    }
}

/// `hone learn --questions`: what would be asked. An answer has the form of its default, and
/// `hone learn --answers` takes an object of them by their ids.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Questions {
    /// What is learned from.
    pub(crate) source: LearnedFrom,
    /// The four questions, in order.
    pub(crate) questions: Vec<Question>,
}

/// What was learned from.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LearnedFrom {
    /// `claude-code`, `codex`, `hermes`, `hone` or `plain`.
    pub(crate) agent: &'static str,
    /// The session.
    pub(crate) session: String,
    /// What was asked, without anything private.
    pub(crate) task: String,
    /// Calls of tools.
    pub(crate) steps: usize,
    /// Whether it came to its end.
    pub(crate) converged: bool,
    /// Records that were not understood.
    pub(crate) skipped: u64,
    /// The model that worded the draft; null when the transcript did by itself.
    pub(crate) model: Option<String>,
}

impl LearnedFrom {
    pub(crate) fn new(experience: &Experience, model: Option<String>) -> Self {
        Self {
            agent: experience.source.agent.id(),
            session: experience.source.session.clone(),
            task: experience.task.clone(),
            steps: experience.steps.len(),
            converged: experience.converged,
            skipped: experience.skipped,
            model,
        }
    }
}

/// `hone learn --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Learned {
    /// What was learned from.
    pub(crate) source: LearnedFrom,
    /// The place that was chosen.
    pub(crate) place: String,
    /// What the guard says about the skill.
    pub(crate) verdict: &'static str,
    /// What it found, worst first.
    pub(crate) findings: Vec<hone_guard::Finding>,
    /// What was written.
    pub(crate) change: super::Changed,
}
