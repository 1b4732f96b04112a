//! `agent.toml`: what an agent may use and how much.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{BrainError, files, members};

/// Bytes of `agent.toml` at most.
const MAX_SETTINGS_BYTES: u64 = 64 * 1024;

/// The settings of an agent. What is left out is hone's to choose.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The tools that it may call, beside those for its own skills and memory; all when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// The model; found when left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The other agents of this machine that it may ask.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// Whether an answer needs a successful look at something, while there are tools for that.
    #[serde(skip_serializing_if = "Evidence::is_default")]
    pub evidence: Evidence,
    /// `[limits]`.
    #[serde(skip_serializing_if = "LimitSettings::is_default")]
    pub limits: LimitSettings,
    /// `[memory]`.
    #[serde(skip_serializing_if = "MemorySettings::is_default")]
    pub memory: MemorySettings,
}

/// Whether an answer needs evidence.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Evidence {
    /// It does, while there are tools that give some.
    #[default]
    Needed,
    /// Any answer is taken.
    Optional,
}

impl Evidence {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// `[limits]` of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LimitSettings {
    /// Turns of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Tokens, in and out together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// `[memory]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MemorySettings {
    /// Whose tasks may write notes that every subscriber's tasks read.
    pub share: Share,
}

/// Who may share a note with everybody.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Share {
    /// The owner of the agent.
    #[default]
    Owner,
    /// Every subscriber: for agents whose subscribers trust each other.
    Everyone,
}

impl LimitSettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl MemorySettings {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Settings {
    /// Reads the settings of the brain in `folder`; the defaults when it has none.
    pub fn load(folder: &Path) -> Result<Self, BrainError> {
        let path = folder.join(members::SETTINGS);
        let text = files::read(&path, MAX_SETTINGS_BYTES)?.unwrap_or_default();
        let broken = |error: toml_edit::de::Error| {
            let message = error.to_string().trim().to_owned();
            BrainError::Content { path: path.clone(), message }
        };
        let settings: Self = toml_edit::de::from_str(&text).map_err(broken)?;
        if settings.limits.turns == Some(0) {
            let message = "`limits.turns` must be at least 1".to_owned();
            return Err(BrainError::Content { path, message });
        }
        Ok(settings)
    }

    /// The settings as `agent.toml` has them.
    pub(crate) fn to_text(&self) -> String {
        toml_edit::ser::to_string_pretty(self).unwrap_or_default()
    }
}
