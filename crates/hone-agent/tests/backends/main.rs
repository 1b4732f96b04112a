//! The backends against a server that speaks their protocols over loopback, well and badly.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod anthropic;
mod faults;
mod finding;
#[cfg(feature = "local-model")]
mod in_process;
#[cfg(feature = "mcp")]
mod mcp;
#[cfg(feature = "mcp")]
mod mcp_hostile;
mod openai;
mod python;
mod real_model;
mod server;
