//! The JSON of `hone curate`.

use schemars::JsonSchema;
use serde::Serialize;

/// `hone curate --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Curated {
    /// Whether it was carried out.
    pub(crate) done: bool,
    pub(crate) agents: Vec<CuratedAgent>,
}

/// One agent's skills.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CuratedAgent {
    pub(crate) agent: String,
    /// Skills that were looked at.
    pub(crate) checked: usize,
    pub(crate) moves: Vec<CuratedMove>,
    /// Old ones that stay as they are.
    pub(crate) left: Vec<CuratedLeft>,
    /// Twins that are to be one skill, and were not proposed before.
    pub(crate) merges: Vec<CuratedMerge>,
    /// Merges that were proposed: `hone review` shows them.
    pub(crate) proposed: Vec<String>,
}

/// Two skills that say nearly the same.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CuratedMerge {
    /// The one that would say what both say.
    pub(crate) stays: String,
    /// The one that would be archived.
    pub(crate) goes: String,
}

/// A skill that something becomes of.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CuratedMove {
    pub(crate) name: String,
    /// `stale`, `archived` or `active`.
    pub(crate) to: &'static str,
    pub(crate) why: String,
}

/// A skill that stays as it is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CuratedLeft {
    pub(crate) name: String,
    pub(crate) why: &'static str,
}
