//! A candidate: a new skill, or a change of one, that no task sees until it passed the gate.

use std::path::PathBuf;

use hone_library::hash;
use hone_router::{Case, Suite};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gate::Checked;

/// Where a skill, or a candidate for one, stands in its life.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// A candidate that no task sees.
    Draft,
    /// A candidate that the scan did not let through.
    Quarantined,
    /// Visible to tasks, and watched.
    Trial,
    /// It has proved itself.
    Active,
    /// Not used for long.
    Stale,
    /// Taken out of sight; it can be brought back.
    Archived,
}

impl Stage {
    /// All stages, in the order of a life.
    pub const ALL: [Self; 6] =
        [Self::Draft, Self::Quarantined, Self::Trial, Self::Active, Self::Stale, Self::Archived];

    /// The stage's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Quarantined => "quarantined",
            Self::Trial => "trial",
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Archived => "archived",
        }
    }

    /// The stage of that name.
    pub fn from_id(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stage| stage.id() == id)
    }
}

/// What a candidate is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Kind {
    /// A skill that is not there yet.
    Create,
    /// Another version of one that is.
    Refine {
        /// SHA-256 of the text that it was written for.
        base: String,
        /// The version of that text.
        version: Option<String>,
    },
    /// One skill in place of several that say nearly the same.
    Merge {
        /// SHA-256 of the text of the one that stays.
        base: String,
        /// The skills that would be archived.
        absorbs: Vec<String>,
    },
}

impl Kind {
    /// The kind's name.
    pub fn id(&self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Refine { .. } => "refine",
            Self::Merge { .. } => "merge",
        }
    }

    /// The hash of the text that it changes.
    pub fn base(&self) -> Option<&str> {
        match self {
            Self::Create => None,
            Self::Refine { base, .. } | Self::Merge { base, .. } => Some(base),
        }
    }
}

/// Why a task was worth a lesson.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "trigger", rename_all = "kebab-case")]
pub enum Trigger {
    /// It took many calls.
    ManyCalls {
        /// How many.
        calls: usize,
    },
    /// A call failed and a later one worked.
    Recovered,
    /// The person corrected it.
    Corrected,
    /// Skills that say nearly the same were found.
    Twins,
    /// The task wrote it itself.
    Written,
    /// Another agent proposed it.
    Proposed,
}

impl std::fmt::Display for Trigger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::ManyCalls { calls } => write!(f, "it took {calls} calls"),
            Self::Recovered => f.write_str("a call failed and a later one worked"),
            Self::Corrected => f.write_str("it was corrected"),
            Self::Twins => f.write_str("two skills say nearly the same"),
            Self::Written => f.write_str("the task wrote it itself"),
            Self::Proposed => f.write_str("an agent proposed it"),
        }
    }
}

/// One small change of a refinement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Edit {
    /// What is there.
    pub old: String,
    /// What should be.
    pub new: String,
    /// What taught it.
    pub evidence: Vec<Evidence>,
    /// Tasks that went well with it, since it landed.
    pub helped: u32,
    /// Tasks that did not.
    pub hurt: u32,
}

/// A step of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// The task.
    pub task: String,
    /// The step's id; none when it is all of the task.
    pub step: Option<String>,
    /// What happened there, in a line.
    pub what: String,
}

/// A file of a skill beside its text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Attachment {
    /// Its path in the skill.
    pub file: String,
    /// What it would say.
    pub text: String,
}

/// Who decided about a candidate, and what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Decided {
    /// `landed`, `rejected` or `refused`.
    pub outcome: Outcome,
    /// A person, or `gate`.
    pub by: String,
    /// Why.
    pub why: String,
    /// When: milliseconds since 1970, in JSON a text such as `2026-01-31T12:00:00Z`.
    #[serde(with = "crate::moment")]
    #[schemars(with = "String")]
    pub at: i64,
    /// The version that it became, when it landed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It is a skill now.
    Landed,
    /// A person did not want it.
    Rejected,
    /// A check did not let it through; a person still may.
    Refused,
    /// It did worse than what was there before, and went.
    RolledBack,
}

/// What learning used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Spent {
    /// Replies of the model.
    pub replies: u64,
    /// Tokens that went in.
    pub tokens_in: u64,
    /// Tokens that came out.
    pub tokens_out: u64,
    /// Whether the backend did not count and these are estimates.
    pub is_estimate: bool,
}

impl Spent {
    /// In and out together.
    pub fn tokens(self) -> u64 {
        self.tokens_in.saturating_add(self.tokens_out)
    }

    /// What was used up since an earlier moment.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            replies: self.replies.saturating_sub(before.replies),
            tokens_in: self.tokens_in.saturating_sub(before.tokens_in),
            tokens_out: self.tokens_out.saturating_sub(before.tokens_out),
            is_estimate: self.is_estimate,
        }
    }
}

impl From<hone_agent::model::Spent> for Spent {
    fn from(spent: hone_agent::model::Spent) -> Self {
        Self {
            replies: spent.replies,
            tokens_in: spent.usage.input,
            tokens_out: spent.usage.output,
            is_estimate: spent.usage.is_estimate,
        }
    }
}

/// A candidate with all that is known about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proposal {
    /// Its id.
    pub id: String,
    /// When it was made: milliseconds since 1970, in JSON a text such as `2026-01-31T12:00:00Z`.
    #[serde(with = "crate::moment")]
    #[schemars(with = "String")]
    pub at: i64,
    /// The agent whose brain it is for; empty when it is for a person's own skills.
    pub agent: String,
    /// The folder of skills that it is for, when it is for no brain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<PathBuf>,
    /// The skill's name.
    pub name: String,
    /// What it is.
    #[serde(flatten)]
    pub kind: Kind,
    /// The whole text of the skill as it would be.
    pub text: String,
    /// The files beside it that it is about; then the text stays as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<Attachment>,
    /// Messages that should call it.
    pub examples: Vec<String>,
    /// Messages that should not.
    pub near_misses: Vec<String>,
    /// The changes of a refinement; empty when it is a whole new text.
    pub edits: Vec<Edit>,
    /// The task that taught it.
    pub task: String,
    /// Why that task.
    pub why: Trigger,
    /// What whoever proposed it said about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Whether the task was another subscriber's, so that a person has to look.
    pub is_foreign: bool,
    /// What the checks said, in their order.
    pub checks: Vec<Checked>,
    /// Where it stands.
    pub stage: Stage,
    /// What became of it.
    pub decided: Option<Decided>,
    /// The person who wrote in its text.
    #[serde(default)]
    pub edited_by: Option<String>,
    /// What it cost.
    pub spent: Spent,
}

impl Proposal {
    /// Its messages as a suite.
    pub fn suite(&self) -> Suite {
        let case = |query: &String, should_trigger| Case { query: query.clone(), should_trigger };
        let yes = self.examples.iter().map(|query| case(query, true));
        let no = self.near_misses.iter().map(|query| case(query, false));
        Suite { cases: yes.chain(no).collect(), left_out: None }
    }

    /// SHA-256 of what it would write.
    pub fn tag(&self) -> String {
        if self.files.is_empty() {
            return hash(self.text.as_bytes());
        }
        let files = serde_json::to_string(&self.files).unwrap_or_default();
        hash(format!("{}\n{files}", self.text).as_bytes())
    }

    /// Whose skill it would be, in words.
    pub fn whose(&self) -> &str {
        if self.root.is_some() { "your library" } else { &self.agent }
    }

    /// Whether a version of its skill is what it became.
    pub fn became(&self, version: &str) -> bool {
        self.decided.as_ref().is_some_and(|decided| {
            decided.outcome == Outcome::Landed && decided.version.as_deref() == Some(version)
        })
    }

    /// Whether somebody could still decide about it.
    pub fn is_open(&self) -> bool {
        let is_over = |decided: &Decided| decided.outcome != Outcome::Refused;
        !self.decided.as_ref().is_some_and(is_over)
    }

    /// Whether it waits for a person: open, and not refused by the gate.
    pub fn waits(&self) -> bool {
        self.decided.is_none()
    }
}
