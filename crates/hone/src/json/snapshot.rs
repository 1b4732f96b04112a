//! The JSON of snapshots.

use hone_agent::lineage::snapshot::{self, Manifest, Taken, Trust};
use hone_agent::packing::Returned;
use hone_library::usage::iso;
use schemars::JsonSchema;
use serde::Serialize;

/// `hone agent snapshot --json` without an agent.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub(crate) struct SnapshotsTaken {
    /// The agents that had moved since their newest snapshot.
    pub(crate) taken: Vec<SnapshotTaken>,
    /// Those of them that could not be packed.
    pub(crate) failed: Vec<NotTaken>,
}

/// An agent that could not be packed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NotTaken {
    pub(crate) agent: String,
    pub(crate) error: String,
}

/// `hone agent snapshot ID --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SnapshotTaken {
    pub(crate) agent: String,
    pub(crate) store: String,
    pub(crate) number: u64,
    /// False when the newest snapshot is of the same state, so that nothing was written.
    pub(crate) new: bool,
    /// The version of what the agent knows; null when nothing was written.
    pub(crate) version: Option<u64>,
    /// Objects and bytes that were written.
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
    /// Parts that were there already.
    pub(crate) reused: u64,
    /// Whether the last receipt is about this very state; null when nothing was written.
    pub(crate) settled: Option<bool>,
}

impl SnapshotTaken {
    pub(crate) fn new(agent: &str, store: &str, taken: &Taken) -> Self {
        let (agent, store) = (agent.to_owned(), store.to_owned());
        match *taken {
            Taken::Unchanged { number } => Self {
                agent,
                store,
                number,
                new: false,
                version: None,
                objects: 0,
                bytes: 0,
                reused: 0,
                settled: None,
            },
            Taken::New { number, version, objects, bytes, reused, is_settled, .. } => Self {
                agent,
                store,
                number,
                new: true,
                version: Some(version),
                objects,
                bytes,
                reused,
                settled: Some(is_settled),
            },
        }
    }
}

/// `hone agent snapshot --list --json` and `hone agent restore --list --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct SnapshotList {
    pub(crate) agent: String,
    pub(crate) store: String,
    /// Newest first.
    pub(crate) snapshots: Vec<StoredSnapshot>,
    /// Older ones that are not listed.
    pub(crate) older: usize,
}

/// A snapshot in a store.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct StoredSnapshot {
    pub(crate) number: u64,
    pub(crate) at: String,
    /// The version of what the agent knows.
    pub(crate) version: u64,
    pub(crate) knowledge: String,
    pub(crate) activity: String,
    pub(crate) receipts: u64,
    /// Files of the brain, and their bytes.
    pub(crate) members: usize,
    pub(crate) bytes: u64,
    /// The public key that signed it.
    pub(crate) key: String,
}

impl From<&Manifest> for StoredSnapshot {
    fn from(manifest: &Manifest) -> Self {
        Self {
            number: manifest.number,
            at: iso(i64::try_from(manifest.at).unwrap_or(i64::MAX)),
            version: manifest.state.version,
            knowledge: manifest.state.knowledge.to_string(),
            activity: manifest.state.activity.to_string(),
            receipts: manifest.receipts.count,
            members: manifest.members.len(),
            bytes: manifest.members.iter().map(|member| member.bytes).sum(),
            key: manifest.key.to_string(),
        }
    }
}

/// `hone agent restore --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RestoredAgent {
    pub(crate) agent: String,
    pub(crate) store: String,
    pub(crate) folder: String,
    pub(crate) number: u64,
    pub(crate) version: u64,
    pub(crate) knowledge: String,
    pub(crate) activity: String,
    pub(crate) receipts: u64,
    pub(crate) members: u64,
    pub(crate) bytes: u64,
    /// Why its receipts are believed: the key was `given`, `known` here, or named by them (`first-use`).
    pub(crate) trust: &'static str,
    /// The public key that signs its next receipt.
    pub(crate) key: String,
    /// Where the private half is from: `here`, `snapshot` or `nowhere`.
    pub(crate) signer: &'static str,
    /// Whether the last receipt is about this very state.
    pub(crate) settled: bool,
    /// The receipt that says that it came back; null when it could not be signed.
    pub(crate) receipt: Option<u64>,
}

impl RestoredAgent {
    pub(crate) fn new(store: &str, returned: &Returned) -> Self {
        let Returned { restored, brain, signer, receipt } = returned;
        Self {
            agent: brain.id.clone(),
            store: store.to_owned(),
            folder: super::text(&brain.folder),
            number: restored.number,
            version: restored.state.version,
            knowledge: restored.state.knowledge.to_string(),
            activity: restored.state.activity.to_string(),
            receipts: restored.receipts,
            members: restored.members,
            bytes: restored.bytes,
            trust: match restored.trust {
                Trust::Given => "given",
                Trust::Known => "known",
                Trust::FirstUse => "first-use",
            },
            key: restored.key.to_string(),
            signer: signer.id(),
            settled: restored.is_settled,
            receipt: receipt.as_ref().map(|receipt| receipt.index),
        }
    }
}

/// `hone agent prune --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Pruned {
    pub(crate) agent: String,
    pub(crate) store: String,
    /// Snapshots that are left.
    pub(crate) kept: u64,
    /// Snapshots, objects and bytes that were removed.
    pub(crate) snapshots: u64,
    pub(crate) objects: u64,
    pub(crate) bytes: u64,
}

impl Pruned {
    pub(crate) fn new(agent: &str, store: &str, pruned: &snapshot::Pruned) -> Self {
        Self {
            agent: agent.to_owned(),
            store: store.to_owned(),
            kept: pruned.kept,
            snapshots: pruned.snapshots,
            objects: pruned.objects,
            bytes: pruned.bytes,
        }
    }
}
