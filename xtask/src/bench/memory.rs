//! What this process has in memory.

use std::fs;

use crate::failure::{Doing, Failure};

/// Bytes of this process that are in memory.
pub(crate) fn now() -> Result<u64, Failure> {
    read("VmRSS:")
}

/// Begins to watch for the most.
pub(crate) fn watch() -> Result<(), Failure> {
    fs::write("/proc/self/clear_refs", "5").doing(|| "watch the memory".to_owned())
}

/// The most since then.
pub(crate) fn most() -> Result<u64, Failure> {
    read("VmHWM:")
}

fn read(name: &str) -> Result<u64, Failure> {
    let status = fs::read_to_string("/proc/self/status").doing(|| "read the memory".to_owned())?;
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
    kib.map(|kib| kib * 1024).ok_or_else(|| Failure::Unmet(format!("the system says no `{name}`")))
}
