//! The tools an agent may call, and the rules that hold for all of them.
//!
//! A tool is a name, a sentence, a JSON schema of its arguments and a call. [`Tools`] is the set that one
//! task has: names are unique, a whitelist narrows it, and the tools for skills are always in it.

pub mod ask_agent;
pub mod command;
pub mod fetch;
pub mod files;
mod git;
#[cfg(feature = "mcp")]
pub mod mcp;
pub mod memory;
pub mod patterns;
pub mod schema;
pub mod skills;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::step::{Effect, Outcome};

/// Tools that no whitelist takes away: without them, the skills of the index could not be read.
pub const CORE: [&str; 4] = ["skills_list", "skills_search", "skill_view", "skill_manage"];

/// Longest name of a tool, in bytes.
pub const MAX_NAME_BYTES: usize = 128;

/// Most tools of one task.
pub const MAX_TOOLS: usize = 256;

/// What a tool is for. Only evidence lets a task end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// It looks at or changes the world outside the brain.
    Evidence,
    /// It looks at or changes the brain.
    Introspection,
}

/// What a tool gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolResult {
    /// How it ended.
    pub outcome: Outcome,
    /// What the model gets to see; capped by the loop.
    pub text: String,
    /// One line for people.
    pub summary: String,
    /// What it did to skills and memory.
    pub effects: Vec<Effect>,
}

impl ToolResult {
    /// It did what it was asked.
    pub fn ok(text: impl Into<String>, summary: impl Into<String>) -> Self {
        Self::new(Outcome::Ok, text.into(), summary.into())
    }

    /// It was tried and failed; the model gets the reason.
    pub fn failed(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::new(Outcome::Failed, why.clone(), first_line(&why))
    }

    /// It was not tried; the model gets the reason.
    pub fn refused(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::new(Outcome::Refused, why.clone(), first_line(&why))
    }

    /// It took too long; the model gets to know.
    pub fn timed_out(why: impl Into<String>) -> Self {
        let why = why.into();
        Self::new(Outcome::TimedOut, why.clone(), first_line(&why))
    }

    fn new(outcome: Outcome, text: String, summary: String) -> Self {
        Self { outcome, text, summary, effects: Vec::new() }
    }

    /// The same, with something that it did.
    #[must_use]
    pub fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }
}

/// Longest summary, in characters.
const MAX_SUMMARY_CHARS: usize = 160;

/// `1 file`, `2 files`: for whoever watches.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(MAX_SUMMARY_CHARS) {
        None => line.to_owned(),
        Some(_) => line.chars().take(MAX_SUMMARY_CHARS - 1).chain(['…']).collect(),
    }
}

/// A result that is on its way.
pub type Working<'a> = Pin<Box<dyn Future<Output = ToolResult> + Send + 'a>>;

/// A tool. What it works on (brain, memory, workspace) it holds itself; it lives for one task.
pub trait Tool: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;
    /// What it does, in a sentence for the model.
    fn description(&self) -> &str;
    /// The JSON schema of its arguments: an object.
    fn schema(&self) -> &Value;
    /// What it is for.
    fn class(&self) -> Class;
    /// Calls it with arguments that fit the schema. Once cancelled, it ends as soon as what it began is
    /// whole; the loop waits for it a little, then drops it.
    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a>;
    /// How long a call may take, when that is not the task's usual time.
    fn time(&self) -> Option<Duration> {
        None
    }
    /// Whether a call may change what other calls would see, so that repeating those makes sense.
    fn changes(&self) -> bool {
        false
    }
}

/// A tool that several tasks share.
impl Tool for Arc<dyn Tool> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn description(&self) -> &str {
        (**self).description()
    }

    fn schema(&self) -> &Value {
        (**self).schema()
    }

    fn class(&self) -> Class {
        (**self).class()
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        (**self).call(arguments, cancelled)
    }

    fn time(&self) -> Option<Duration> {
        (**self).time()
    }

    fn changes(&self) -> bool {
        (**self).changes()
    }
}

/// A set of tools that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsError {
    /// Two tools have the same name.
    #[error("two tools are called `{0}`")]
    Twice(String),
    /// A tool's name cannot be one.
    #[error(
        "`{}` cannot be a tool's name: use up to {MAX_NAME_BYTES} letters, digits, `_`, `-`, `.`, `:` and `/`",
        .0.escape_debug()
    )]
    Name(String),
    /// There are more tools than a task may have.
    #[error("there are {0} tools, {MAX_TOOLS} are allowed")]
    TooMany(usize),
    /// A whitelist names tools that are not there.
    #[error("the whitelist of tools names {}, which {} not there; there are {}",
        quoted(names), if names.len() == 1 { "is" } else { "are" }, quoted(known))]
    NotThere {
        /// The names.
        names: Vec<String>,
        /// The tools there are.
        known: Vec<String>,
    },
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> =
        names.iter().map(|name| format!("`{}`", name.escape_debug())).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

/// The tools of one task.
pub struct Tools {
    allowed: Vec<Box<dyn Tool>>,
    withheld: Vec<String>,
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.allowed.iter().map(|tool| tool.name()).collect();
        f.debug_struct("Tools").field("allowed", &names).field("withheld", &self.withheld).finish()
    }
}

/// What a name means in a set of tools.
pub enum Lookup<'t> {
    /// A tool that may be called.
    Tool(&'t dyn Tool),
    /// A tool that the whitelist withholds.
    Withheld,
    /// Nothing.
    Unknown,
}

impl Tools {
    /// These tools; with a whitelist, those that it names and the [`CORE`]. A whitelist that names
    /// something that is not there is an error, so that no task waits for a tool that cannot come.
    pub fn new(
        tools: Vec<Box<dyn Tool>>,
        whitelist: Option<&[String]>,
    ) -> Result<Self, ToolsError> {
        if tools.len() > MAX_TOOLS {
            return Err(ToolsError::TooMany(tools.len()));
        }
        let mut known: Vec<String> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        if let Some(name) = known.iter().find(|name| !is_name(name)) {
            return Err(ToolsError::Name(name.clone()));
        }
        known.sort_unstable();
        if let Some(pair) = known.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(ToolsError::Twice(pair[0].clone()));
        }
        let Some(whitelist) = whitelist else {
            return Ok(Self { allowed: tools, withheld: Vec::new() });
        };
        let names: Vec<String> =
            whitelist.iter().filter(|name| !known.contains(name)).cloned().collect();
        if !names.is_empty() {
            return Err(ToolsError::NotThere { names, known });
        }
        let is_allowed = |tool: &dyn Tool| {
            CORE.contains(&tool.name()) || whitelist.iter().any(|name| name == tool.name())
        };
        let (allowed, withheld): (Vec<_>, Vec<_>) =
            tools.into_iter().partition(|tool| is_allowed(tool.as_ref()));
        let withheld = withheld.iter().map(|tool| tool.name().to_owned()).collect();
        Ok(Self { allowed, withheld })
    }

    /// The tools that may be called, in their order.
    pub fn allowed(&self) -> impl Iterator<Item = &dyn Tool> {
        self.allowed.iter().map(AsRef::as_ref)
    }

    /// What a name means.
    pub fn find(&self, name: &str) -> Lookup<'_> {
        match self.allowed().find(|tool| tool.name() == name) {
            Some(tool) => Lookup::Tool(tool),
            None if self.withheld.iter().any(|withheld| withheld == name) => Lookup::Withheld,
            None => Lookup::Unknown,
        }
    }

    /// Whether there is a tool that gives evidence.
    pub fn has_evidence(&self) -> bool {
        self.allowed().any(|tool| tool.class() == Class::Evidence)
    }
}

fn is_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
    !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_plain)
}

/// A text of the arguments; they fit the schema, so what is not there was not given.
pub(crate) fn text_of<'a>(arguments: &'a Value, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}
/// A whole number of the arguments.
pub(crate) fn number_of(arguments: &Value, name: &str) -> Option<usize> {
    arguments.get(name).and_then(Value::as_u64).and_then(|number| usize::try_from(number).ok())
}

/// Runs what blocks on a thread of its own. Once begun it is not interrupted, so that no write is left
/// half way.
pub(crate) async fn blocking(work: impl FnOnce() -> ToolResult + Send + 'static) -> ToolResult {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(_) => {
            ToolResult::failed("the tool broke down; this is a fault of hone, not of the call")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_is_cut_says_so() {
        let most = "a".repeat(MAX_SUMMARY_CHARS);
        assert_eq!(ToolResult::failed(most.as_str()).summary, most);
        let cut = ToolResult::refused(format!("{most}b")).summary;
        assert_eq!(cut, format!("{}…", &most[1..]));
        assert_eq!(ToolResult::failed("one\ntwo").summary, "one");
    }
}
