//! How do others *reach* hone?
//!
//! One server of the Model Context Protocol, for both of its eras. Clients differ in what they can use,
//! so every skill is offered through four doors at once: as an entry of the skills extension, as
//! resources, as a prompt, and through tools. [`http`] serves the same over HTTP, beside an interface for
//! programs and a page for people, and [`connect`] tells other programs to start it.

// A request that breaks down must end alone.
#[cfg(not(panic = "unwind"))]
compile_error!(
    "a server has to outlive a request that breaks down: build with `panic = \"unwind\"`"
);

mod answers;
pub mod connect;
mod extension;
pub mod http;
mod lessons;
mod manifest;
mod mcp;
mod prompts;
mod seeker;
mod subscriptions;
mod tools;
mod uri;
mod usage;
mod watched;
mod watcher;

pub use lessons::Lessons;
pub use manifest::{MAX_FILES, MAX_RESOURCE_BYTES, MAX_SKILL_BYTES};
pub use mcp::{Door, PAGE, serve_stdio};
pub use seeker::Seeker;
pub use subscriptions::MAX_SUBSCRIBED;
pub use tools::{Access, MAX_RESULT_CHARS, Offer};
pub use usage::MAX_REPORTED;
pub use watched::{MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH};
pub use watcher::attend;
