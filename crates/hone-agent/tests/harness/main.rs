//! The harness, offline: a model that says what a script tells it, and the real loop and tools.
//!
//! Tests carry the ids of the lists in which the behaviour was first written down: P (replies), L (loop),
//! K (skills), T (tools).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod ask_agent;
mod fetch;
mod files;
mod names;
mod patterns;
mod prompt;
mod reply;
mod reply_invariants;
mod schema;
mod script;
mod skills;
mod task;
mod transcript;
