//! The whole way of a skill, on a real disk, with a source that lives in memory.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod add;
mod approve;
mod crash;
mod full;
mod parallel;
mod real;
mod remove;
mod restore;
mod rollback;
mod share;
mod shop;
mod takes;
mod update;
