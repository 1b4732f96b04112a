//! The server from outside: real folders, and messages as they travel.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod changes;
mod doors;
mod tools;
mod wire;
