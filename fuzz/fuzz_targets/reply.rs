//! The reader of replies against arbitrary text. The invariants are those of the bounded test in
//! `crates/hone-agent/tests/harness/reply.rs`. Run: `cargo +nightly fuzz run reply`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/hone-agent/tests/harness/reply_invariants.rs"]
mod reply_invariants;

fuzz_target!(|text: &str| reply_invariants::check(text));
