//! What a task tells while it runs: for a live view, plain lines, or JSON lines.

use serde::Serialize;
use serde_json::Value;

use crate::step::Step;
use crate::task::{Cost, End};

/// Something that just happened. The steps are those of the transcript.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event<'a> {
    /// The task begins.
    Started {
        /// Its id.
        task: &'a str,
        /// The backend.
        backend: &'a str,
        /// The model, as configured.
        model: &'a str,
        /// Turns at most.
        turns: usize,
        /// The tools that may be called.
        tools: Vec<&'a str>,
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
        /// The tool's name, as the model gave it.
        tool: &'a str,
        /// The arguments.
        arguments: &'a Value,
    },
    /// A step is done.
    Step {
        /// The step.
        step: &'a Step,
    },
    /// The task is over.
    Ended {
        /// How.
        end: &'a End,
        /// What it cost.
        cost: &'a Cost,
    },
}
