//! Every process below this one, from `/proc`.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use nix::errno::Errno;
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, getpid, getppid, kill_process, wait};

/// Rounds in which processes are stopped before they are ended: one that forks meanwhile is met in the
/// next round.
const ROUNDS: usize = 200;

/// How far up processes are kept from signals: supervisor, keeper, caller and who started that one.
const DEPTH: usize = 8;

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

/// The processes above this one, but for the first of the system.
pub(super) fn ancestors() -> Vec<Pid> {
    let mut found = Vec::new();
    let mut next = getppid();
    while let Some(pid) = next.filter(|pid| pid.as_raw_nonzero().get() > 1 && found.len() < DEPTH) {
        found.push(pid);
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero()));
        let parent = |stat: &str| stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok();
        next = stat.ok().as_deref().and_then(parent).and_then(Pid::from_raw);
    }
    found
}

/// How many sockets these processes hold, each counted once. One that lets nobody look holds `most`.
pub(super) fn sockets(processes: &[Process], most: usize) -> usize {
    let (mut found, mut hidden) = (BTreeSet::new(), 0);
    for process in processes.iter().filter(|process| !process.is_dead) {
        // A thread may have descriptors of its own.
        let tasks = std::fs::read_dir(format!("/proc/{}/task", process.pid.as_raw_nonzero()));
        for task in tasks.into_iter().flatten().flatten() {
            let held = std::fs::read_dir(task.path().join("fd"));
            if held.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied) {
                hidden += most;
            }
            for entry in held.into_iter().flatten().flatten() {
                let Ok(target) = std::fs::read_link(entry.path()) else { continue };
                if target.as_os_str().as_encoded_bytes().starts_with(b"socket:") {
                    found.insert(target);
                }
            }
        }
    }
    found.len() + hidden
}

/// Closes every descriptor above standard error. Only at the start of a helper, when it has opened none
/// itself: they are the caller's, and each would be a way out for the command.
pub(super) fn close_inherited() -> io::Result<()> {
    let numbers: Vec<i32> = std::fs::read_dir("/proc/self/fd")?
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        match nix::unistd::close(number) {
            // The one by which they were listed is closed already.
            Ok(()) | Err(Errno::EBADF | Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Takes note of every child that ended, whatever its group.
pub(super) fn reap(mut ended: impl FnMut(Pid, WaitStatus)) {
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
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
