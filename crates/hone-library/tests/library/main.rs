//! The library from outside: real folders, real SQLite files, real processes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod catalogue;
mod clients;
mod crash;
mod discovery;
mod dismissal;
mod history;
mod index;
mod install;
mod memo;
mod patching;
mod shares;
mod shelf;
mod store;
mod usage;
mod watch;
