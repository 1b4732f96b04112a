//! The explicit half of the router from outside: real folders, real files, real processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod asking;
mod attribution;
mod budget;
mod commands;
mod embeddings;
mod inline_shell;
mod level0;
mod mentions;
mod payload;
mod properties;
mod requirements;
mod shelf;
mod variables;
