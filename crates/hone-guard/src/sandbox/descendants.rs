//! Every process below this one, from `/proc`.

use std::collections::BTreeMap;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, waitpid};

/// Rounds in which processes are stopped before they are ended: one that forks meanwhile is met in the
/// next round.
const ROUNDS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    /// Threads, at least the one.
    pub(super) threads: usize,
    /// Resident memory in pages.
    pub(super) pages: u64,
    is_dead: bool,
}

/// The processes below this one; this one must be their reaper, so that none can leave.
pub(super) fn descendants() -> Vec<Process> {
    let mut children: BTreeMap<i32, Vec<Process>> = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        // The name of the program may hold anything, but only up to the last parenthesis.
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        let (Some(parent), Some(pid)) =
            (fields.get(1).and_then(|field| field.parse().ok()), Pid::from_raw(pid))
        else {
            continue;
        };
        let pages = fields.get(21).and_then(|field| field.parse().ok()).unwrap_or(0);
        let threads = fields.get(17).and_then(|field| field.parse().ok()).unwrap_or(1);
        let is_dead = matches!(fields.first(), Some(&"Z" | &"X"));
        children.entry(parent).or_default().push(Process { pid, threads, pages, is_dead });
    }
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![getpid().as_raw_nonzero().get()];
    while let Some(parent) = parents.pop() {
        for child in children.remove(&parent).into_iter().flatten() {
            parents.push(child.pid.as_raw_nonzero().get());
            found.push(child);
        }
    }
    found
}

/// Takes note of every child that ended.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) {
    while let Ok(Some((pid, status))) = waitpid(None, WaitOptions::NOHANG) {
        ended(pid, status);
    }
}

/// Ends every process below this one; false when some are left.
pub(super) fn end_all() -> bool {
    let mut before: Vec<Pid> = Vec::new();
    for _ in 0..ROUNDS {
        let living: Vec<Pid> =
            descendants().iter().filter(|p| !p.is_dead).map(|process| process.pid).collect();
        // Whoever is stopped cannot fork; when nobody new appears, nobody is left running.
        let is_still = living == before;
        let signal = if is_still { Signal::KILL } else { Signal::STOP };
        for pid in &living {
            let _ = kill_process(*pid, signal);
        }
        reap(|_, _| {});
        if living.is_empty() {
            return true;
        }
        before = if is_still { Vec::new() } else { living };
    }
    false
}
