//! A session in a few words, for a list.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::building::Session;
use super::{Found, MAX_LISTED_BYTES, SessionError, parts, read_some};
use crate::experience::Agent;
use crate::redact::Redactor;

/// Characters of a task that a list has.
const MAX_SHOWN_CHARS: usize = 300;

/// Tools that a list names.
const MAX_TOOLS: usize = 8;

/// A session in a few words; nothing private is in them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// Who did the work.
    pub agent: Agent,
    /// The id of the session.
    pub session: String,
    /// What was asked, on one line.
    pub task: String,
    /// The tools that were called, most often first.
    pub tools: Vec<ToolCount>,
    /// Calls of tools.
    pub steps: usize,
    /// Tasks of it that can be learned from one by one.
    pub tasks: usize,
    /// Replies of the model.
    pub turns: u64,
    /// When it began, in milliseconds since 1970; 0 when nobody wrote it down.
    pub started: i64,
    /// When its file was last written to.
    pub modified: i64,
    /// Its file.
    pub path: PathBuf,
    /// The folder that the work was done in.
    pub folder: Option<PathBuf>,
    /// Whether it came to its end.
    pub converged: bool,
    /// Records that were not understood.
    pub skipped: u64,
    /// Whether only a part of it was read, so that the numbers are at least these.
    pub partial: bool,
}

/// How often a tool was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCount {
    /// Its name.
    pub tool: String,
    /// How often.
    pub count: usize,
}

impl Summary {
    /// Reads as much of a session as a list needs.
    pub fn of(found: &Found, redactor: &Redactor) -> Result<Self, SessionError> {
        let (session, partial) = read_some(found, MAX_LISTED_BYTES)?;
        Ok(Self::new(&session, found, partial, redactor))
    }

    fn new(session: &Session, found: &Found, partial: bool, redactor: &Redactor) -> Self {
        let experience = &session.whole;
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for step in &experience.steps {
            *counts.entry(&step.tool).or_default() += 1;
        }
        let mut tools: Vec<ToolCount> = counts
            .into_iter()
            .map(|(tool, count)| ToolCount { tool: one_line(&redactor.redact(tool)), count })
            .collect();
        tools.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.tool.cmp(&b.tool)));
        tools.truncate(MAX_TOOLS);
        let source = &experience.source;
        Self {
            agent: source.agent.clone(),
            session: source.session.clone(),
            task: one_line(&redactor.redact(&experience.task)),
            tools,
            steps: experience.steps.len(),
            tasks: parts::count(session),
            turns: experience.cost.turns,
            started: source.started,
            modified: found.modified,
            path: found.path.clone(),
            folder: source.folder.clone(),
            converged: experience.converged,
            skipped: experience.skipped,
            partial,
        }
    }

    /// Whether nothing happened in it.
    pub fn is_empty(&self) -> bool {
        self.task.is_empty() && self.steps == 0
    }
}

/// The beginning of a text, blanks and line ends as one blank each.
fn one_line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match words.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((at, _)) => format!("{}…", &words[..at]),
        None => words,
    }
}
