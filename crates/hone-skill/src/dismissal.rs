//! A person's word that one finding about one content of a skill is no reason to hold it back.

use serde::{Deserialize, Serialize};

/// One finding that was dismissed. It counts for exactly this content of the skill, and not for ever.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dismissal {
    /// The skill's name when it was dismissed; for people only.
    pub skill: String,
    /// The digest over all files of the skill.
    pub digest: String,
    /// The rule that found it.
    pub rule: String,
    /// The file of the finding, relative to the skill.
    pub file: String,
    /// The line of the finding, from 1; 0 for a whole file.
    pub line: usize,
    /// Why it is no danger.
    pub reason: String,
    /// Who said so.
    pub actor: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// From when on it counts no more, in milliseconds since 1970.
    pub expires: i64,
}
