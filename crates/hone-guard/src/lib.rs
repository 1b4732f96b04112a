//! Is it *safe*?
//!
//! Whether a skill may be used, and what it may do when it is: a command line against the tools it
//! declares. Pure where it can be; only the sandbox starts a process.

pub mod permit;
pub mod shell;
