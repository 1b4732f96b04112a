//! The supervisor: starts the helper that becomes the command, watches limits and the caller, and ends
//! everything below it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::param::page_size;
use rustix::process::{Pid, WaitStatus, getpid, set_child_subreaper};

use super::apply::linked;
use super::cage::Cage;
use super::descendants::{Process, descendants, end_all, reap, sockets};
use super::talk::{self, Note};
use super::{End, Layer, Plan, REFUSED};

/// How often limits are looked at.
const INTERVAL: Duration = Duration::from_millis(20);

/// The word by which the helper knows that the kernel bounds the memory of all together.
pub(super) const COUNTED: &str = "memory-counted";

/// In how many rounds sockets are counted once, which takes longer.
const SOCKET_ROUNDS: u64 = 5;

/// Files at once, for each process.
pub(super) const MAX_OPEN_FILES: usize = 1_024;

/// Processes of bubblewrap's own.
const BUBBLEWRAP_PROCESSES: usize = 2;

/// What every program may read.
pub(super) const SYSTEM: [&str; 31] = [
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/run/current-system/sw",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/group",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/resolv.conf",
    "/etc/services",
    "/etc/ssl",
    "/etc/timezone",
];

pub(super) fn supervise(folder: &Path) -> u8 {
    let Ok(mut notes) = talk::open_notes(folder) else { return REFUSED };
    let plan = match talk::read_plan(folder) {
        Ok(plan) => plan,
        Err(error) => {
            let _ = talk::write_note(&mut notes, &Note::End(End::NotStarted(error.to_string())));
            return REFUSED;
        }
    };
    let cage = Cage::new(folder, plan.limits.processes + BUBBLEWRAP_PROCESSES, &plan.limits);
    let end = if talk::write_note(&mut notes, &Note::Layer(cage.layer.clone())).is_err() {
        End::Refused("what confines it could not be recorded".to_owned())
    } else if cage.layer.held || plan.unconfined {
        prepared(&plan, folder, &cage, &mut notes)
            .unwrap_or_else(|error| End::NotStarted(error.to_string()))
    } else {
        End::Refused(format!("not in force: processes ({})", cage.layer.note))
    };
    let is_clean = end_all();
    cage.leave();
    let code = match &end {
        End::Exited(code) => u8::try_from(*code).unwrap_or(REFUSED),
        _ => REFUSED,
    };
    let _ = talk::write_note(&mut notes, &Note::End(end));
    if nobody_reads() {
        // The caller was killed, so nobody else takes the scratch folder away.
        let _ = std::fs::remove_dir_all(folder);
    }
    if is_clean { code } else { REFUSED }
}

/// Whether the caller is gone, who reads what the command prints to its end.
pub(super) fn nobody_reads() -> bool {
    let stdout = io::stdout();
    let mut events = [PollFd::new(&stdout, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut events, Some(&at_once)).is_ok() && events[0].revents().contains(PollFlags::ERR)
}

fn prepared(plan: &Plan, folder: &Path, cage: &Cage, notes: &mut File) -> io::Result<End> {
    set_child_subreaper(Some(getpid()))?;
    let deadline = Instant::now() + Duration::from_millis(plan.limits.milliseconds);
    if let Some(bubblewrap) = &plan.bubblewrap {
        if let Some(end) = linked(plan) {
            return Ok(end);
        }
        let command = wrapped(plan, bubblewrap, folder, cage)?;
        let processes = plan.limits.processes + BUBBLEWRAP_PROCESSES;
        let end = watch(command, plan, cage, processes, deadline)?;
        // The helper inside takes note of its own layers before anything else.
        let inside = |note: &Note| matches!(note, Note::Layer(layer) if layer.name == "limits");
        let started = talk::read_notes(folder).iter().any(inside);
        let note = if started { "own file, process and network spaces" } else { "could not start" };
        let layer = Layer { name: "bubblewrap".to_owned(), held: started, note: note.to_owned() };
        talk::write_note(notes, &Note::Layer(layer))?;
        if started || !matches!(end, End::Exited(_)) {
            return Ok(end);
        }
    }
    watch(helper(folder, cage)?, plan, cage, plan.limits.processes, deadline)
}

/// This program again, to confine itself and become the command.
fn helper(folder: &Path, cage: &Cage) -> io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(confining(folder, cage)?);
    Ok(command)
}

fn confining(folder: &Path, cage: &Cage) -> io::Result<[PathBuf; 4]> {
    let argument = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    let memory = if cage.counts_memory() { COUNTED } else { "memory-watched" };
    Ok([argument.into(), folder.to_owned(), "apply".into(), memory.into()])
}

/// The same inside bubblewrap.
fn wrapped(plan: &Plan, bubblewrap: &Path, folder: &Path, cage: &Cage) -> io::Result<Command> {
    let program = std::env::current_exe()?;
    let mut command = Command::new(bubblewrap);
    command.args(["--unshare-user-try", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]);
    command.args(["--unshare-cgroup-try", "--die-with-parent", "--new-session"]);
    if !plan.network {
        command.arg("--unshare-net");
    }
    for path in SYSTEM {
        command.args(["--ro-bind-try", path, path]);
    }
    command.args(["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"]);
    let mut bind = |how: &str, path: &Path| {
        command.arg(how).arg(path).arg(path);
    };
    for path in &plan.reads {
        bind("--ro-bind-try", path);
    }
    bind("--ro-bind", &program);
    for path in &plan.writes {
        bind("--bind-try", path);
    }
    bind("--bind", folder);
    command.arg("--").arg(program).args(confining(folder, cage)?);
    Ok(command)
}

/// Runs a command to its end, or to a limit, or until the caller goes away.
fn watch(
    mut command: Command,
    plan: &Plan,
    cage: &Cage,
    processes: usize,
    deadline: Instant,
) -> io::Result<End> {
    command.env_clear().envs(talk::carried()).stdin(Stdio::null());
    let child = cage.inside(|| command.spawn())??;
    let main = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let stdin = io::stdin();
    let wait = Timespec { tv_sec: 0, tv_nsec: i64::from(INTERVAL.subsec_nanos()) };
    for round in 0_u64.. {
        let mut end = None;
        reap(|pid, status| {
            if Some(pid) == main {
                end = Some(ended(status));
            }
        });
        if cage.is_out_of_memory() {
            return Ok(End::TooMuchMemory);
        }
        if let Some(end) = end {
            return Ok(end);
        }
        // Nothing is ever written to us: anything that happens here is the caller going away.
        let mut events = [PollFd::new(&stdin, PollFlags::IN)];
        if poll(&mut events, Some(&wait)).is_ok_and(|count| count > 0) {
            return Ok(End::Cancelled);
        }
        if Instant::now() >= deadline {
            return Ok(End::OutOfTime);
        }
        let below = descendants();
        let tasks: usize = below.iter().map(|process| process.threads).sum();
        if tasks > processes {
            return Ok(End::TooManyProcesses);
        }
        let pages: u64 = below.iter().map(|process| process.pages).sum();
        let mut bytes = pages.saturating_mul(page_size() as u64);
        if !cage.counts_memory() && round.is_multiple_of(SOCKET_ROUNDS) {
            bytes = bytes.saturating_add(buffered(&below, plan.limits.memory_bytes));
        }
        if bytes > plan.limits.memory_bytes {
            return Ok(End::TooMuchMemory);
        }
    }
    Ok(End::OutOfTime)
}

/// How much memory the kernel may hold in the sockets of these processes at most: what one has sent, and
/// what a closed one at its other end has. Pairs that hold nothing count as well, but a program has few.
fn buffered(below: &[Process], most: u64) -> u64 {
    let read = std::fs::read_to_string("/proc/sys/net/core/wmem_default");
    let buffer: u64 = read.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(212_992);
    let each = buffer.saturating_mul(2).max(1);
    let held =
        u64::try_from(sockets(below, MAX_OPEN_FILES)).unwrap_or(u64::MAX).saturating_mul(each);
    // Only what would be too much by itself: an empty pair is no reason to end anything.
    if held > most { held } else { 0 }
}

fn ended(status: WaitStatus) -> End {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => End::Exited(code),
        (None, Some(signal)) => End::Signalled(signal),
        (None, None) => End::NotStarted("ended for no known reason".to_owned()),
    }
}
