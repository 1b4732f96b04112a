//! Who *uses* a skill?
//!
//! An agent with a brain on disk: it runs tasks in a bounded loop with tools, remembers, and records
//! every step.

pub mod brain;
pub mod memory;
pub mod model;
pub mod step;
pub mod tools;
