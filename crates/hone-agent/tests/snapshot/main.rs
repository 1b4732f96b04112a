//! Snapshots of a brain and what comes back of them. The ids are those of the list R of black-box cases.

mod cases;
mod faults;
mod history;
mod prune;
mod s3;
mod sample;
mod sequence;
mod tamper;
