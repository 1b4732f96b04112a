//! Who sees a skill.

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
