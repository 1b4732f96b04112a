//! How does a skill get *better*?
//!
//! An [`Experience`] is what happened once, whoever did it: a task of hone's own agent or a session of
//! another one. It is the only thing that skills are made from, and it is [redacted](redact::Redactor)
//! before a model or a file gets to see any of it. The [sessions] of the agents that people use give
//! experiences; a [draft] is what one says by itself, and the [wizard] asks about it.

mod deed;
pub mod draft;
pub mod experience;
pub mod redact;
pub mod save;
pub mod sessions;
pub mod wizard;

pub use experience::Experience;
