//! The keeper: starts the supervisor, and ends everything when that one is gone before its time.

use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, getpid, pidfd_open, set_child_subreaper};

use super::descendants::end_all;
use super::supervise::nobody_reads;
use super::talk::{self, Note};
use super::{End, REFUSED, cage};

/// How long the supervisor may take to clean up when the caller went away; half of the caller's patience.
const GRACE: Duration = Duration::from_secs(5);

pub(super) fn keep(folder: &Path) -> u8 {
    let ended = start(folder).and_then(await_end);
    // Whoever the supervisor could not end is below this process now.
    let is_clean = end_all();
    cage::clear(folder);
    let why = match ended {
        Ok(Some(status)) if status.code().is_some() => {
            let code = status.code().and_then(|code| u8::try_from(code).ok());
            return code.filter(|_| is_clean).unwrap_or(REFUSED);
        }
        Ok(Some(status)) => {
            let signal = status.signal().unwrap_or_default();
            format!("its supervisor was ended by signal {signal}, and everything with it")
        }
        Ok(None) => "its supervisor did not end by itself, and was ended with it".to_owned(),
        Err(error) => format!("it has no supervisor: {error}"),
    };
    if let Ok(mut notes) = talk::open_notes(folder) {
        let _ = talk::write_note(&mut notes, &Note::End(End::NotStarted(why)));
    }
    if nobody_reads() {
        let _ = std::fs::remove_dir_all(folder);
    }
    REFUSED
}

/// The supervisor lives as long as its standard input is open, whatever happens to this process. It leads
/// a group of its own, so that no signal to one group ends both.
fn start(folder: &Path) -> io::Result<Child> {
    set_child_subreaper(Some(getpid()))?;
    let argument = std::env::args_os().nth(1).ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(std::env::current_exe()?)
        .arg(argument)
        .arg(folder)
        .arg("supervise")
        .env_clear()
        .envs(talk::carried())
        .stdin(Stdio::piped())
        .process_group(0)
        .spawn()
}

/// Waits for the supervisor; when the caller goes away, not for long.
fn await_end(mut supervisor: Child) -> io::Result<Option<ExitStatus>> {
    let pid = i32::try_from(supervisor.id()).ok().and_then(Pid::from_raw);
    let end = pidfd_open(pid.ok_or(io::ErrorKind::InvalidInput)?, PidfdFlags::empty())?;
    let stdin = io::stdin();
    // Nothing is ever written to us: anything that happens here is the caller going away.
    let mut events = [PollFd::new(&stdin, PollFlags::IN), PollFd::new(&end, PollFlags::IN)];
    while matches!(poll(&mut events, None), Err(rustix::io::Errno::INTR)) {}
    drop(supervisor.stdin.take());
    let patience = Timespec { tv_sec: GRACE.as_secs().try_into().unwrap_or(0), tv_nsec: 0 };
    let mut events = [PollFd::new(&end, PollFlags::IN)];
    while matches!(poll(&mut events, Some(&patience)), Err(rustix::io::Errno::INTR)) {}
    supervisor.try_wait()
}
