//! The JSON of a brain's lineage.

use hone_agent::brain::FactDelta;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use hone_library::ChangedFile;

/// `hone agent hash --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentHash {
    pub(crate) agent: String,
    /// Both roots as one.
    pub(crate) bundle: String,
    pub(crate) knowledge: String,
    pub(crate) activity: String,
    pub(crate) version: u64,
    /// `new`, `same` or `changed` since the last receipt.
    pub(crate) standing: &'static str,
    /// Members that changed since then.
    pub(crate) changes: Vec<String>,
    /// The public key that signs; null before the first receipt.
    pub(crate) key: Option<String>,
    /// The public key that signed the first receipt, which `agent verify --key` takes; null before it.
    pub(crate) first_key: Option<String>,
}

/// `hone agent receipts --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentReceipts {
    /// The receipts as they stand in the file; docs/src/lineage.md describes them.
    pub(crate) receipts: Vec<Value>,
}

/// `hone agent verify --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Verified {
    pub(crate) holds: bool,
    pub(crate) agent: Option<String>,
    pub(crate) receipts: u64,
    pub(crate) tasks: u64,
    pub(crate) handovers: u64,
    /// The key that signs next.
    pub(crate) key: String,
    /// The digest of the last receipt.
    pub(crate) head: Option<String>,
    /// Transcripts that fit their receipts, and those that are not there.
    pub(crate) transcripts: u64,
    pub(crate) transcripts_missing: u64,
    /// Where it does not hold.
    pub(crate) breaks: Vec<BrokenAt>,
}

/// A place where a chain does not hold.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct BrokenAt {
    /// The receipt, from 0; null when it is about the brain as a whole.
    pub(crate) index: Option<u64>,
    pub(crate) field: String,
    pub(crate) why: String,
}

/// `hone agent log --json`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentLog {
    /// Newest first.
    pub(crate) versions: Vec<LoggedVersion>,
    /// Older ones that are not listed.
    pub(crate) older: usize,
}

/// A version of a brain.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoggedVersion {
    pub(crate) version: u64,
    pub(crate) at: String,
    /// The receipt that brought it.
    pub(crate) receipt: u64,
    /// `created`, `task`, `outside`, `learned`, `handover` or `restored`.
    pub(crate) kind: String,
    pub(crate) task: Option<String>,
    pub(crate) created: Vec<String>,
    pub(crate) changed: Vec<String>,
    pub(crate) removed: Vec<String>,
    /// Keys of facts that this task noted.
    pub(crate) facts: Vec<String>,
    /// The same facts with what they say.
    pub(crate) fact_changes: Vec<ChangedFact>,
    /// Members that changed, for a change from outside or by learning.
    pub(crate) members: Vec<String>,
    /// With `--diff`: what changed in its files, as far as their texts are kept.
    pub(crate) files: Vec<ChangedFile>,
}

/// A fact that a task noted.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedFact {
    pub(crate) key: String,
    /// Whose it is: empty for the owner, null for everybody.
    pub(crate) subscriber: Option<String>,
    /// What was noted before; null when nothing was.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

impl From<&FactDelta> for ChangedFact {
    fn from(fact: &FactDelta) -> Self {
        let FactDelta { key, subscriber, before, after } = fact.clone();
        Self { key, subscriber, before, after }
    }
}
