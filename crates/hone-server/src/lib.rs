//! How do others *reach* hone?
//!
//! One server of the Model Context Protocol, for both of its eras. Clients differ in what they can use,
//! so every skill is offered through four doors at once: as an entry of the skills extension, as
//! resources, as a prompt, and through tools. [`http`] serves the same over HTTP, beside an interface for
//! programs and a page for people, and [`connect`] tells other programs to start it.

pub mod connect;
pub mod http;
mod manifest;
mod mcp;
mod seeker;
mod tools;
mod uri;
mod watcher;

pub use manifest::{MAX_FILES, MAX_SKILL_BYTES};
pub use mcp::{Door, PAGE, serve_stdio};
pub use seeker::Seeker;
pub use tools::{MAX_RESULT_CHARS, Offer};
pub use watcher::attend;
