//! Who sees a skill, and whose word it is.

use serde::{Deserialize, Serialize};

/// Who sees a skill. The order is the precedence: the first scope wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The project that the command runs in.
    Project,
    /// The person.
    User,
    /// One agent of ours: a brain's own skills.
    Agent,
    /// The machine, set up by its administrator.
    Admin,
    /// Inside the binary.
    Builtin,
}

impl Scope {
    /// All scopes, in order of precedence.
    pub const ALL: [Self; 5] = [Self::Project, Self::User, Self::Agent, Self::Admin, Self::Builtin];

    /// The scope's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Agent => "agent",
            Self::Admin => "admin",
            Self::Builtin => "builtin",
        }
    }
}

/// Whose word a skill is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
