//! The tools an agent may call, and the rules that hold for all of them.

use std::future::Future;
use std::pin::Pin;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::step::Outcome;

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
    /// Calls it with arguments that fit the schema.
    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a>;
}
