//! One step of a transcript, cut out so that it can be checked alone against a signed receipt.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::receipt::Receipt;
use super::{Digest, merkle};
use crate::canonical::canonical;

/// The format of a proof.
pub const SCHEMA: &str = "hone/step-proof/1";

/// A step, and the way from it to the root that a receipt signs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepProof {
    /// [`SCHEMA`].
    pub schema: String,
    /// The receipt, signature included.
    pub receipt: Receipt,
    /// Which step, from 0.
    pub index: u64,
    /// The step itself.
    pub step: Value,
    /// The neighbours on the way to the root, nearest first.
    pub path: Vec<Digest>,
}

/// Why a step is not proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unproven {
    /// Another format.
    #[error("its schema is not `{SCHEMA}`")]
    Schema,
    /// The receipt was changed, or is signed by nobody.
    #[error("the signature does not fit the receipt")]
    Signature,
    /// The receipt is about something else.
    #[error("the receipt is not about a task")]
    NoTask,
    /// The step is not in the transcript.
    #[error(
        "the step does not lead to the transcript's root: it was changed, or is from elsewhere"
    )]
    Root,
}

/// The hash of a step.
pub fn leaf(step: &Value) -> Digest {
    merkle::leaf(canonical(step).as_bytes())
}

impl StepProof {
    /// Cuts a step out of a whole transcript; none when there is no such step.
    pub fn cut(receipt: &Receipt, transcript: &[Value], index: usize) -> Option<Self> {
        let leaves: Vec<Digest> = transcript.iter().map(leaf).collect();
        Some(Self {
            schema: SCHEMA.to_owned(),
            receipt: receipt.clone(),
            index: index as u64,
            step: transcript.get(index)?.clone(),
            path: merkle::proof(&leaves, index)?,
        })
    }

    /// Whether the key that the receipt names signed a transcript with this step at this place.
    /// Whose key it is, the caller knows: it is in [`Receipt::key`].
    pub fn check(&self) -> Result<(), Unproven> {
        if self.schema != SCHEMA || self.receipt.schema != super::SCHEMA {
            return Err(Unproven::Schema);
        }
        if !self.receipt.is_signed() {
            return Err(Unproven::Signature);
        }
        let transcript = self.receipt.task.as_ref().ok_or(Unproven::NoTask)?.transcript;
        let lead = merkle::lead(leaf(&self.step), self.index, transcript.steps, &self.path);
        if lead == Some(transcript.root) { Ok(()) } else { Err(Unproven::Root) }
    }
}
