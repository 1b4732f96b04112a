//! A brain: its folder, its memory, its tasks, and what is left of it when one dies.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod crash;
mod folder;
mod memory;
mod running;
mod seed;
mod session;
mod shelf;
