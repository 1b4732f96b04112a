//! How a brain *proves* how it moved.
//!
//! A brain's state has a logical hash with two roots ([`state`]). Every task leaves a signed receipt that
//! names the state before and after, the transcript as a Merkle root, and the receipt before it
//! ([`receipt`], [`chain`]). Whoever has the file and the public key can check all of it offline; the
//! formats are written down in `docs/src/lineage.md`, with test vectors and a second verifier.

pub mod chain;
pub mod digest;
pub mod keeper;
pub mod keys;
mod members;
pub mod merkle;
pub mod proof;
pub mod quick;
pub mod receipt;
mod rows;
pub mod snapshot;
pub mod state;
pub mod texts;

pub use chain::{Chain, ChainError};
pub use digest::Digest;
pub use keeper::{LOCK_FILE, Lineage, LineageError, Lock, LockFault, RECEIPTS_FILE, Standing};
pub use keys::{KeyError, PublicKey, SigningKey};
pub use proof::StepProof;
pub use receipt::{Receipt, SCHEMA};
pub use state::{Layout, Root, Rows, StateError, StateHash, Table};
