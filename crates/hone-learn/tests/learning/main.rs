//! Learning, with a real brain, library, ledger and receipts; the model is a recording.

mod asking;
mod curating;
mod loops;
mod real_model;
mod review;
mod stage;
