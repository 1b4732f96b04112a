//! The whole way of a skill, on a real disk, with a source that lives in memory.

mod add;
mod approve;
mod crash;
mod parallel;
mod remove;
mod restore;
mod share;
mod shop;
mod update;
