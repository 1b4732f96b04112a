//! What happened in a task, step by step, typed.

use serde::{Deserialize, Serialize};

/// How a call of a tool ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
