//! The reader against arbitrary bytes. The invariants are those of the bounded test
//! `crates/hone-skill/tests/fuzz_read.rs`. Run: `cargo +nightly fuzz run read`.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/hone-skill/tests/invariants/mod.rs"]
mod invariants;

fuzz_target!(|bytes: &[u8]| invariants::check(bytes));
