//! Learning, with a real brain, library, ledger and receipts; the model is a recording.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod again;
mod asking;
mod curating;
mod loops;
mod real_model;
mod review;
mod stage;
