//! `[learn]` of `config.toml`: what happens by itself after a task.

use serde::Deserialize;

/// Tokens that learning from one task may use up, unless the configuration says otherwise.
pub const DEFAULT_LEARN_TOKENS: u64 = 60_000;

/// Earlier tasks that are run again beside the one that taught, unless the configuration says otherwise.
pub const DEFAULT_REPLAYS: usize = 2;

/// Most earlier tasks that can be asked for.
pub const MAX_REPLAYS: usize = 20;

/// `[learn]`: what an agent learns by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LearnSettings {
    /// Whether a hard task is asked for a lesson.
    pub after_task: bool,
    /// Whether what passed the gate becomes a skill by itself; only ever an agent's own.
    pub land: bool,
    /// Tokens that learning from one task may use up.
    pub tokens: u64,
    /// Earlier tasks that are run again, with and without a candidate.
    pub replays: usize,
    /// Whether unused skills of an agent's own go stale and to the archive by themselves.
    pub curate: bool,
}

impl Default for LearnSettings {
    fn default() -> Self {
        Self {
            after_task: true,
            land: true,
            tokens: DEFAULT_LEARN_TOKENS,
            replays: DEFAULT_REPLAYS,
            curate: true,
        }
    }
}

impl LearnSettings {
    /// What is wrong with it.
    pub(crate) fn problem(&self) -> Option<String> {
        (self.replays > MAX_REPLAYS)
            .then(|| format!("`learn.replays` is {}, {MAX_REPLAYS} is the most", self.replays))
    }
}
