//! How does a skill get *better*?
//!
//! An [`Experience`] is what happened once, whoever did it: a task of hone's own agent or a session of
//! another one. It is the only thing that skills are made from, and it is [redacted](redact::Redactor)
//! before a model or a file gets to see any of it. The [sessions] of the agents that people use give
//! experiences; a [draft] is what one says by itself, and the [wizard] asks about it.
//!
//! After a hard task the [`learner`] asks a model for a lesson. The reply is a [`proposal`] that no task
//! sees until it passed the [`gate`]; what landed is watched, and goes back when it does worse.

pub mod after;
pub mod comparable;
pub mod curator;
mod deed;
pub mod destination;
pub mod draft;
pub mod error;
pub mod evals;
pub mod experience;
pub mod gate;
pub mod land;
pub mod learner;
mod moment;
pub mod outcomes;
pub mod proposal;
pub mod propose;
pub mod records;
pub mod redact;
pub mod review;
pub mod save;
pub mod sessions;
pub mod significance;
pub mod stats;
pub mod wizard;

pub use error::LearnError;
pub use experience::Experience;
