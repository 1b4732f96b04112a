//! Snapshots of a brain and what comes back of them. The ids are those of the list R of black-box cases.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![allow(clippy::needless_pass_by_value, reason = "what was taken is over")]
#![allow(clippy::case_sensitive_file_extension_comparisons, reason = "names of our own")]
#![allow(clippy::cast_possible_truncation, reason = "patterns of bytes")]

mod cases;
mod faults;
mod history;
mod patches;
mod prune;
mod s3;
mod sample;
mod sequence;
mod tamper;
