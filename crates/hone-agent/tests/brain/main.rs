//! A brain: its folder, its memory, its tasks, and what is left of it when one dies.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod folder;
mod life;
mod memory;
mod running;
mod seed;
#[allow(dead_code, reason = "a server that other tests use more of")]
#[path = "../backends/server.rs"]
mod server;
mod session;
mod shelf;
mod signing;
