//! The JSON of `hone review` and `hone curate`.

use hone_learn::proposal::Proposal;
use schemars::JsonSchema;
use serde::Serialize;

/// `hone review --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewList {
    /// Newest first.
    pub(crate) proposals: Vec<ReviewRow>,
}

/// A candidate in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReviewRow {
    pub(crate) id: String,
    pub(crate) at: String,
    pub(crate) agent: String,
    pub(crate) name: String,
    /// `create`, `refine` or `merge`.
    pub(crate) kind: &'static str,
    /// `draft`, `quarantined`, `trial` or `archived`.
    pub(crate) stage: &'static str,
    /// Whether it waits for a person.
    pub(crate) waits: bool,
    /// What a person has to look at, or what became of it.
    pub(crate) why: String,
}

/// `hone review show|accept|edit|reject --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Review {
    /// The candidate, with all that is known about it.
    pub(crate) proposal: Proposal,
    /// The difference to the skill that is there; for a new one, all of its text.
    pub(crate) diff: Option<String>,
    /// The version that it became.
    pub(crate) version: Option<String>,
}

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
    /// Merges that were proposed: `hone review` shows them.
    pub(crate) proposed: Vec<String>,
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
