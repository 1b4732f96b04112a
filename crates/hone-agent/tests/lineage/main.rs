//! A brain's state, its receipts, and what a check of them says. The ids are those of the lists H and V
//! of black-box cases.

mod chain;
mod sample;
mod state;
mod vectors;
