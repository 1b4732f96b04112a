//! Who *uses* a skill?
//!
//! An agent with a brain on disk: it runs tasks in a bounded loop with tools, remembers, and records
//! every step.

pub mod brain;
pub mod canonical;
pub mod event;
pub mod judge;
pub mod lineage;
pub mod memory;
pub mod model;
pub mod packing;
pub mod prompt;
pub mod reply;
pub mod run;
pub mod step;
pub mod task;
pub mod tools;
