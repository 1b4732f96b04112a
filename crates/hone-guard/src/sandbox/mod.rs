//! Runs what a skill executes, confined.
//!
//! No network unless declared, writes only to a scratch folder and declared paths, an environment of
//! declared names, and limits on time, processor, memory, processes and output. The kernel's means are
//! used (Landlock, seccomp, resource limits, and bubblewrap where it works), applied by a helper process
//! before it becomes the command. Where they do not hold, the command is refused: the outcome says which
//! layers held, and nothing is pretended.
//!
//! A supervisor process stands between the caller and the command. It is the one that every process
//! started inside ends up below, so that it can end all of them: at the end of the command, at a limit,
//! and when the caller goes away. A keeper stands above it and does the same when the supervisor itself
//! is ended; when the keeper is, the supervisor ends everything.

#[cfg(target_os = "linux")]
mod apply;
#[cfg(target_os = "linux")]
mod cage;
#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
mod filter;
#[cfg(target_os = "linux")]
mod keep;
#[cfg(target_os = "linux")]
mod mounts;
#[cfg(target_os = "linux")]
mod run;
#[cfg(target_os = "linux")]
mod supervise;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

/// Exit code of the helper when it refused to run the command.
pub const REFUSED: u8 = 125;

/// What is to be run, and what it may do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The program and its arguments; the program is looked for in [`PATH`].
    pub command: Vec<String>,
    /// The folder to start in; the scratch folder when there is none.
    pub folder: Option<PathBuf>,
    /// Files and folders that may be read, besides the system's own.
    pub reads: Vec<PathBuf>,
    /// Files and folders that may be read and written, each by a path without links: through one, a
    /// command could have had another place opened to the next.
    pub writes: Vec<PathBuf>,
    /// Whether the network may be used.
    pub network: bool,
    /// Variables of the environment, besides `PATH`, `HOME`, `TMPDIR` and `LANG`. They may be secrets,
    /// so they are on no disk: the environments of the helpers carry them.
    #[serde(skip)]
    pub environment: BTreeMap<String, String>,
    /// How much it may use.
    pub limits: Limits,
    /// Whether to run even where nothing confines.
    pub unconfined: bool,
    /// The `bwrap` to use, when there is one.
    pub bubblewrap: Option<PathBuf>,
}

/// Where programs are looked for inside.
pub const PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How much a command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Milliseconds until everything is ended.
    pub milliseconds: u64,
    /// Seconds of processor time, for each process.
    pub cpu_seconds: u64,
    /// Bytes of memory, for each process and for all together.
    pub memory_bytes: u64,
    /// Processes and threads at once.
    pub processes: usize,
    /// Bytes of standard output, and of standard error.
    pub output_bytes: usize,
    /// Bytes of one file.
    pub file_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            milliseconds: 60_000,
            cpu_seconds: 60,
            memory_bytes: 2 << 30,
            processes: 256,
            output_bytes: 1 << 20,
            file_bytes: 256 << 20,
        }
    }
}

impl Plan {
    /// A plan that permits nothing but running the command.
    pub fn new<T: Into<String>>(command: impl IntoIterator<Item = T>) -> Self {
        Self {
            command: command.into_iter().map(Into::into).collect(),
            folder: None,
            reads: Vec::new(),
            writes: Vec::new(),
            network: false,
            environment: BTreeMap::new(),
            limits: Limits::default(),
            unconfined: false,
            bubblewrap: find("bwrap"),
        }
    }
}

/// A program that calls [`confine`] with the arguments after `argument`.
#[derive(Debug, Clone)]
pub struct Helper {
    /// The program, usually the running one.
    pub program: PathBuf,
    /// The word that makes it call [`confine`].
    pub argument: String,
}

/// What became of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// What it wrote to standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// What confined it.
    pub layers: Vec<Layer>,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// It took too long.
    OutOfTime,
    /// It had too many processes.
    TooManyProcesses,
    /// It used too much memory.
    TooMuchMemory,
    /// It wrote too much.
    TooMuchOutput,
    /// The caller went away.
    Cancelled,
    /// It could not be started.
    NotStarted(String),
    /// It was not started, because nothing would have confined it.
    Refused(String),
}

/// One means of confinement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layer {
    /// `processes`, `bubblewrap`, `limits`, `landlock` or `seccomp`.
    pub name: String,
    /// Whether it was in force.
    pub held: bool,
    /// What it did, or why it did not hold.
    pub note: String,
}

/// A command could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// This system has no means that is used here.
    #[error("there is no sandbox on this system; only Linux has one")]
    Unsupported,
    /// A line of shell is read as bash reads it, and no other shell may run it.
    #[error(
        "there is no `bash` in {PATH}; a line of shell is checked as bash reads it, so nothing else runs it"
    )]
    NoBash,
    /// Something of the preparation failed.
    #[error("could not {what}: {error}")]
    Io {
        /// What failed.
        what: String,
        /// Why.
        error: io::Error,
    },
}

/// A program in a folder of the system.
fn find(program: &str) -> Option<PathBuf> {
    PATH.split(':').map(|folder| Path::new(folder).join(program)).find(|path| path.is_file())
}

/// The words that run a line of shell: by bash, because [`crate::permit`] reads it as bash does, and with
/// nothing that changes what bash reads (`-p`: no functions and no file from the environment).
pub fn shell(line: &str) -> Result<Vec<String>, SandboxError> {
    find("bash").ok_or(SandboxError::NoBash)?;
    let words = ["bash", "--norc", "--noprofile", "-p", "-c", line];
    Ok(words.map(str::to_owned).to_vec())
}

/// Runs a command as planned and waits for its end. Everything it started is gone afterwards.
pub fn run(plan: &Plan, helper: &Helper) -> Result<Outcome, SandboxError> {
    run_until(plan, helper, &Stop::default())
}

/// The same, unless it is stopped before; then the end is [`End::Cancelled`].
#[cfg(target_os = "linux")]
pub fn run_until(plan: &Plan, helper: &Helper, stop: &Stop) -> Result<Outcome, SandboxError> {
    run::run(plan, helper, stop)
}

/// The same, unless it is stopped before; then the end is [`End::Cancelled`].
#[cfg(not(target_os = "linux"))]
pub fn run_until(_plan: &Plan, _helper: &Helper, _stop: &Stop) -> Result<Outcome, SandboxError> {
    Err(SandboxError::Unsupported)
}

/// Stops a command from another thread, whether it runs already or is yet to start.
#[derive(Clone, Default)]
pub struct Stop(Arc<Mutex<Stopping>>);

#[derive(Default)]
struct Stopping {
    is_stopped: bool,
    end: Option<Box<dyn Fn() + Send>>,
}

impl Stop {
    /// Stops it.
    pub fn stop(&self) {
        let mut stopping = self.stopping();
        stopping.is_stopped = true;
        if let Some(end) = &stopping.end {
            end();
        }
    }

    /// Whether it was stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopping().is_stopped
    }

    /// What stops a command that runs, until there is nothing to stop.
    #[cfg(target_os = "linux")]
    fn by(&self, end: Option<Box<dyn Fn() + Send>>) {
        let mut stopping = self.stopping();
        if let (Some(end), true) = (&end, stopping.is_stopped) {
            end();
        }
        stopping.end = end;
    }

    fn stopping(&self) -> MutexGuard<'_, Stopping> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Stop").field(&self.is_stopped()).finish()
    }
}

/// The helper's side: `arguments` are those after [`Helper::argument`]. Gives the exit code; a command
/// that is started takes the place of this process instead.
#[cfg(target_os = "linux")]
pub fn confine(arguments: &[std::ffi::OsString]) -> u8 {
    if descendants::close_inherited().is_err() {
        return REFUSED;
    }
    match arguments {
        [folder, stage] if stage == "keep" => keep::keep(Path::new(folder)),
        [folder, stage] if stage == "supervise" => supervise::supervise(Path::new(folder)),
        [folder, stage, memory] if stage == "apply" => {
            apply::apply(Path::new(folder), memory == supervise::COUNTED)
        }
        _ => 2,
    }
}

/// The helper's side, which does nothing on this system.
#[cfg(not(target_os = "linux"))]
pub fn confine(_arguments: &[std::ffi::OsString]) -> u8 {
    REFUSED
}

/// The files by which caller, supervisor and helper talk, in a folder that the command cannot see.
#[cfg(target_os = "linux")]
mod talk {
    use std::ffi::OsString;
    use std::fs::{File, OpenOptions};
    use std::io::{self, Write};
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    use std::path::{Path, PathBuf};

    use serde::{Deserialize, Serialize};

    use super::{End, Layer, Plan};

    #[derive(Debug, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub(super) enum Note {
        Layer(Layer),
        End(End),
    }

    pub(super) fn scratch(folder: &Path) -> PathBuf {
        folder.join("scratch")
    }

    pub(super) fn read_plan(folder: &Path) -> io::Result<Plan> {
        Ok(serde_json::from_slice(&std::fs::read(folder.join("plan.json"))?)?)
    }

    pub(super) fn write_plan(folder: &Path, plan: &Plan) -> io::Result<()> {
        std::fs::write(folder.join("plan.json"), serde_json::to_vec(plan)?)
    }

    /// What carries a variable through the helpers, so that it means nothing to them.
    const CARRIED: &str = "HONE_CARRIED_";

    /// The environment of the first helper.
    pub(super) fn carry(plan: &Plan) -> impl Iterator<Item = (String, &String)> {
        plan.environment.iter().map(|(name, value)| (format!("{CARRIED}{name}"), value))
    }

    /// What the environment of this process carries, as the next helper gets it.
    pub(super) fn carried() -> impl Iterator<Item = (OsString, OsString)> {
        let is_carried = |name: &OsString| name.as_bytes().starts_with(CARRIED.as_bytes());
        std::env::vars_os().filter(move |(name, _)| is_carried(name))
    }

    /// The same, as the command gets it.
    pub(super) fn unpacked() -> impl Iterator<Item = (OsString, OsString)> {
        let own = |name: &OsString| OsString::from_vec(name.as_bytes()[CARRIED.len()..].to_vec());
        carried().map(move |(name, value)| (own(&name), value))
    }

    /// Opened before the confinement, written through it.
    pub(super) fn open_notes(folder: &Path) -> io::Result<File> {
        OpenOptions::new().create(true).append(true).open(folder.join("notes"))
    }

    pub(super) fn write_note(notes: &mut File, note: &Note) -> io::Result<()> {
        let mut line = serde_json::to_vec(note)?;
        line.push(b'\n');
        notes.write_all(&line)
    }

    pub(super) fn read_notes(folder: &Path) -> Vec<Note> {
        let text = std::fs::read_to_string(folder.join("notes")).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}
