//! A brain's state, its receipts, and what a check of them says. The ids are those of the lists H and V
//! of black-box cases.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod chain;
mod keeper;
mod quick;
mod sample;
mod state;
mod vectors;
