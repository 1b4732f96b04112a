//! One signed receipt of a brain's chain: how it was made, a task, a change from outside, a new key.
//!
//! A receipt is canonical JSON. The signature covers all of it but itself; the link to the receipt before
//! covers that one with its signature. Nothing of a task's text is in it, only hashes.

use serde::{Deserialize, Serialize};

use super::digest::Digest;
use super::keys::{PublicKey, SigningKey};
use super::state;
use crate::canonical::canonical;

/// The format of a receipt.
pub const SCHEMA: &str = "hone/receipt/1";

/// What is proven about a model when its backend proves nothing.
pub const UNPROVEN: &str = "nothing: the names are what the configuration and the backend said";

/// What a receipt is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The brain was made.
    Created,
    /// A task was run.
    Task,
    /// Files changed without a task, and not through hone.
    Outside,
    /// Files were changed through hone, by somebody's word.
    Edited,
    /// Skills were changed by what was learned from tasks, or aged.
    Learned,
    /// Another key signs from here on.
    Handover,
    /// The brain was brought back from a snapshot.
    Restored,
}

/// A state as a receipt names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// The root of what the agent knows.
    pub knowledge: Digest,
    /// The root of what happened.
    pub activity: Digest,
    /// How often knowledge moved.
    pub version: u64,
}

impl State {
    /// Both roots as one.
    pub fn whole(&self) -> Digest {
        state::whole(self.knowledge, self.activity)
    }
}

/// A skill, as a task met it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SkillMark {
    /// Its name.
    pub name: String,
    /// The version it declares, when it does.
    pub version: Option<String>,
    /// The digest of its text: as it was read, or as the task left it; none when that is not known.
    pub digest: Option<Digest>,
}

/// The skills of a task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skills {
    /// Those whose text was read.
    pub loaded: Vec<SkillMark>,
    /// Those that were not there before.
    pub created: Vec<SkillMark>,
    /// Those that were, with their new text.
    pub changed: Vec<SkillMark>,
    /// Those that are gone.
    pub removed: Vec<String>,
}

/// The model of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelMark {
    /// The backend.
    pub backend: String,
    /// The model as configured.
    pub name: String,
    /// The model as the backend named it, when it did.
    pub reported: Option<String>,
    /// What is proven about all this.
    pub proven: String,
}

/// A transcript as a receipt names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TranscriptMark {
    /// Its Merkle root.
    pub root: Digest,
    /// Its number of steps.
    pub steps: u64,
}

/// What a task cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Costs {
    /// Turns of the loop.
    pub turns: u64,
    /// Calls of tools.
    pub tool_calls: u64,
    /// Tokens that went in.
    pub input_tokens: u64,
    /// Tokens that came out.
    pub output_tokens: u64,
    /// Whether tokens are estimates.
    pub is_estimate: bool,
    /// How long it took.
    pub milliseconds: u64,
}

/// A task as a receipt names it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskMark {
    /// Its id.
    pub id: String,
    /// For whom it was run.
    pub subscriber: String,
    /// The digest of what was asked.
    pub input: Digest,
    /// The digest of the answer, when there is one.
    pub output: Option<Digest>,
    /// How it ended.
    pub outcome: String,
    /// The model.
    pub model: ModelMark,
    /// The skills.
    pub skills: Skills,
    /// The transcript.
    pub transcript: TranscriptMark,
    /// What it cost.
    pub costs: Costs,
}

/// A new key, with the proof that whoever has it agrees.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Handover {
    /// The key that signs from the next receipt on.
    pub key: PublicKey,
    /// Its signature over `hone/handover/1`, a zero byte, the agent, a zero byte and the old key's digits.
    pub consent: String,
}

impl Handover {
    /// The consent of a new key.
    pub fn new(agent: &str, old: PublicKey, new: &SigningKey) -> Self {
        Self { key: new.public(), consent: new.sign(&Self::words(agent, old)) }
    }

    /// Whether the new key agreed.
    pub fn holds(&self, agent: &str, old: PublicKey) -> bool {
        self.key.verifies(&Self::words(agent, old), &self.consent)
    }

    fn words(agent: &str, old: PublicKey) -> Vec<u8> {
        format!("hone/handover/1\0{agent}\0{old}").into_bytes()
    }
}

/// What a receipt says, before it has its place in a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What it is about.
    pub kind: Kind,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The state afterwards.
    pub after: State,
    /// The members that changed, for a change from outside; at most [`MAX_CHANGES`].
    pub changes: Vec<String>,
    /// The task.
    pub task: Option<TaskMark>,
    /// The new key.
    pub handover: Option<Handover>,
}

/// Names of changed members in a receipt at most.
pub const MAX_CHANGES: usize = 100;

/// A signed receipt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Receipt {
    /// [`SCHEMA`].
    pub schema: String,
    /// What it is about.
    pub kind: Kind,
    /// Its place in the chain, from 0.
    pub index: u64,
    /// The agent.
    pub agent: String,
    /// When, in milliseconds since 1970.
    pub at: u64,
    /// The state before; none for the first.
    pub before: Option<State>,
    /// The state afterwards.
    pub after: State,
    /// The members that changed, for a change from outside.
    pub changes: Vec<String>,
    /// The task.
    pub task: Option<TaskMark>,
    /// The new key.
    pub handover: Option<Handover>,
    /// The digest of the receipt before, with its signature; none for the first.
    pub previous: Option<Digest>,
    /// The key that signed.
    pub key: PublicKey,
    /// The signature, 128 hexadecimal digits, over everything else as canonical JSON.
    pub signature: String,
}

impl Receipt {
    /// Gives an entry its place after `previous` and signs it.
    pub fn sign(agent: &str, entry: Entry, previous: Option<&Self>, key: &SigningKey) -> Self {
        let mut receipt = Self {
            schema: SCHEMA.to_owned(),
            kind: entry.kind,
            index: previous.map_or(0, |previous| previous.index + 1),
            agent: agent.to_owned(),
            at: entry.at,
            before: previous.map(|previous| previous.after),
            after: entry.after,
            changes: entry.changes,
            task: entry.task,
            handover: entry.handover,
            previous: previous.map(Self::digest),
            key: key.public(),
            signature: String::new(),
        };
        receipt.signature = key.sign(&receipt.signed_bytes());
        receipt
    }

    /// The bytes that are signed.
    fn signed_bytes(&self) -> Vec<u8> {
        let mut value = serde_json::to_value(self).unwrap_or_default();
        if let Some(fields) = value.as_object_mut() {
            fields.remove("signature");
        }
        canonical(&value).into_bytes()
    }

    /// Whether the key it names signed all of it.
    pub fn is_signed(&self) -> bool {
        self.key.verifies(&self.signed_bytes(), &self.signature)
    }

    /// Its line in the file of receipts, without the end.
    pub fn line(&self) -> Vec<u8> {
        canonical(self).into_bytes()
    }

    /// Its digest, signature included.
    pub fn digest(&self) -> Digest {
        Digest::of(&self.line())
    }
}
