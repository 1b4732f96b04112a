//! `[snapshots]` of the configuration: where the brains of agents are packed to, and what seals them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// `[snapshots]`: without a store, nothing is packed by itself.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnapshotSettings {
    /// A folder, or the URL of a store.
    pub store: Option<String>,
    /// The file with the key that seals; `~/` is the user's home.
    pub key_file: Option<PathBuf>,
    /// Whether an agent is packed after a task whose knowledge moved.
    pub automatic: bool,
    /// Whether the key that signs an agent's receipts is sealed into its snapshots.
    pub signing_key: bool,
    /// `[snapshots.agents.NAME]`: what is different for one agent.
    pub agents: BTreeMap<String, AgentSnapshots>,
}

/// `[snapshots.agents.NAME]`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentSnapshots {
    /// Its store.
    pub store: Option<String>,
    /// The file with its key.
    pub key_file: Option<PathBuf>,
}

impl Default for SnapshotSettings {
    fn default() -> Self {
        Self {
            store: None,
            key_file: None,
            automatic: true,
            signing_key: true,
            agents: BTreeMap::new(),
        }
    }
}

impl SnapshotSettings {
    /// The store of an agent: its own, or that of all.
    pub fn store_of(&self, agent: &str) -> Option<&str> {
        let own = self.agents.get(agent).and_then(|own| own.store.as_deref());
        own.or(self.store.as_deref())
    }

    /// The key file of an agent: its own, or that of all.
    pub fn key_file_of(&self, agent: &str) -> Option<&Path> {
        let own = self.agents.get(agent).and_then(|own| own.key_file.as_deref());
        own.or(self.key_file.as_deref())
    }
}
