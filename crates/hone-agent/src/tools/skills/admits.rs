//! Who says whether a skill that a task writes may be seen by other tasks.
//!
//! The checks belong to whoever looks after learning; the shelf only asks, before anything is written and
//! unless the policy said no for good.

use std::path::PathBuf;
use std::sync::Arc;

use hone_library::FileDelta;

use crate::memory::Subscriber;

/// A skill as a task would leave it.
#[derive(Debug, Clone, Copy)]
pub struct Written<'a> {
    /// The task that writes it.
    pub by: &'a Task,
    /// The skill's name.
    pub name: &'a str,
    /// Its whole text.
    pub text: &'a str,
    /// Its other files that are written with it.
    pub files: &'a [FileDelta],
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// The task that writes a skill. Of a client that is no agent of ours, agent, id and input are empty.
#[derive(Debug, Clone)]
pub struct Task {
    /// Where the brains are.
    pub hone_home: PathBuf,
    /// The agent.
    pub agent: String,
    /// The task's id.
    pub id: String,
    /// What was asked.
    pub input: String,
    /// For whom it is done.
    pub subscriber: Subscriber,
}

/// Says whether other tasks may see what a task writes.
pub trait Admits: Send + Sync {
    /// Why a skill must not be written, and whether a person is asked; nothing when it may.
    fn refuses(&self, written: Written<'_>) -> Option<String>;
}

/// A task, and who is asked about the skills that it writes.
#[derive(Clone)]
pub struct Gated {
    /// Who is asked.
    pub gate: Arc<dyn Admits>,
    /// The task.
    pub by: Task,
}
