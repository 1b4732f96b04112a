//! Whose word a skill is.

use serde::{Deserialize, Serialize};

/// Whose word a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// Part of hone.
    Builtin,
    /// From a source that the person trusts.
    Trusted,
    /// From anyone.
    Community,
    /// Written by an agent.
    AgentCreated,
    /// The person's own files.
    Local,
}

impl Origin {
    /// All origins.
    pub const ALL: [Self; 5] =
        [Self::Builtin, Self::Trusted, Self::Community, Self::AgentCreated, Self::Local];

    /// The origin's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Builtin => "builtin",
            Self::Trusted => "trusted",
            Self::Community => "community",
            Self::AgentCreated => "agent-created",
            Self::Local => "local",
        }
    }
}
