//! How does a skill get *better*?
//!
//! An [`Experience`] is what happened once, whoever did it: a task of hone's own agent or a session of
//! another one. It is the only thing that skills are made from, and it is [redacted](redact::Redactor)
//! before a model or a file gets to see any of it.

pub mod experience;
pub mod redact;

pub use experience::Experience;
