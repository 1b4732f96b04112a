//! One run of `git`: an environment in which a repository can do nothing, and an end to its time and its
//! bytes.

use std::io::{Read, Write};
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use hone_net::{Reach, Settings, why_not_public};
use rustix::process::{Pid, Signal, kill_process_group};
#[cfg(target_os = "linux")]
use rustix::process::{Resource, Rlimit, prlimit};
use url::{Host, Url};

use super::bytes_below;
use crate::download;
use crate::fetch::{FetchOptions, Progress, Prompts, Report};
use crate::fetch_error::FetchError;
use crate::limits::{MAX_GIT_MEMORY_BYTES, MAX_GIT_MESSAGE_BYTES, MAX_REPOSITORY_BYTES};

/// How often time and bytes are looked at while git runs.
const LOOK: Duration = Duration::from_millis(50);
/// How often a question is asked when the connection breaks.
const MAX_ATTEMPTS: usize = 4;
/// Longest part of git's words that a message shows, in characters.
const MAX_SHOWN: usize = 300;

/// Variables of git that a person sets for all their repositories. All others that start with `GIT_`
/// are about one repository, and not this one.
const KEPT_VARIABLES: [&str; 15] = [
    "GIT_ASKPASS",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_PROXY_SSL_CAINFO",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSH_VARIANT",
    "GIT_SSL_CAINFO",
    "GIT_SSL_CAPATH",
    "GIT_SSL_CERT",
    "GIT_SSL_KEY",
    "GIT_SSL_NO_VERIFY",
];

/// A repository here, and the server it is fetched from.
#[derive(Clone)]
pub(crate) struct Git {
    url: String,
    folder: PathBuf,
    prompts: Prompts,
    settings: Settings,
    stall: Duration,
    limit: Duration,
    deadline: Instant,
    max_bytes: u64,
    max_memory: u64,
    /// The addresses that were checked, in the form of `http.curloptResolve`.
    pins: Vec<String>,
    report: Report,
}

/// What a run came to.
pub(super) struct Said {
    output: Vec<u8>,
    /// What it said about itself.
    words: String,
}

impl Said {
    /// Whether the server left out nothing of what it was asked to leave out.
    pub(super) fn is_unfiltered(&self) -> bool {
        self.words.lines().any(|line| line.starts_with("warning: filtering not recognized"))
    }
}

/// Why a run came to nothing.
pub(super) enum Failed {
    /// Git said so.
    Said { doing: &'static str, url: String, words: String },
    /// It could not be run to its end.
    Error(FetchError),
}

impl Failed {
    /// Whether the server could do it in a plainer way.
    pub(super) fn is_about_the_way(&self) -> bool {
        const WAYS: [&str; 5] =
            ["shallow", "filter", "unadvertised object", "not our ref", "expected 'packfile'"];
        matches!(self, Self::Said { words, .. } if WAYS.iter().any(|way| words.contains(way)))
    }

    /// Whether the server does not give a commit by its id.
    pub(super) fn is_about_the_id(&self) -> bool {
        const IDS: [&str; 3] = ["unadvertised object", "not our ref", "couldn't find remote ref"];
        matches!(self, Self::Said { words, .. } if IDS.iter().any(|id| words.contains(id)))
    }

    /// Whether the connection broke, so that the same question may get an answer.
    fn is_broken(&self) -> bool {
        const BROKEN: [&str; 5] = [
            "early EOF",
            "unexpected disconnect",
            "transfer closed with",
            "Connection reset",
            "Empty reply from server",
        ];
        matches!(self, Self::Said { words, .. } if BROKEN.iter().any(|how| words.contains(how)))
            && !self.is_about_the_way()
            && !self.is_about_the_id()
    }

    /// Whether the server sends on to another address.
    fn is_redirect(&self) -> bool {
        const REDIRECTS: [&str; 5] = ["301", "302", "303", "307", "308"];
        let Self::Said { words, .. } = self else { return false };
        words.contains("unable to update url base from redirection")
            || REDIRECTS.iter().any(|code| words.contains(&format!("returned error: {code}")))
    }

    pub(super) fn into_error(self) -> FetchError {
        match self {
            Self::Said { doing, url, words } => FetchError::Git { doing, url, why: gist(&words) },
            Self::Error(error) => error,
        }
    }
}

impl From<FetchError> for Failed {
    fn from(error: FetchError) -> Self {
        Self::Error(error)
    }
}

impl Git {
    /// Checks the server's address and gets ready; `folder` is where git runs.
    pub(super) fn new(
        url: &str,
        folder: &Path,
        options: &FetchOptions,
    ) -> Result<Self, FetchError> {
        let mut git = Self {
            url: url.to_owned(),
            folder: folder.to_owned(),
            prompts: options.prompts,
            settings: options.net.clone(),
            stall: options.stall,
            limit: options.time,
            deadline: Instant::now() + options.time,
            max_bytes: options.repository_bytes.min(MAX_REPOSITORY_BYTES),
            max_memory: options.git_memory_bytes.min(MAX_GIT_MEMORY_BYTES),
            pins: Vec::new(),
            report: options.progress.clone(),
        };
        git.pins = git.check_address()?;
        Ok(git)
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// An error in git's name.
    pub(super) fn said(&self, doing: &'static str, why: &str) -> FetchError {
        FetchError::Git { doing, url: self.url.clone(), why: why.to_owned() }
    }

    /// Asks the server for the objects on the input.
    pub(super) fn feed(
        &self,
        doing: &'static str,
        arguments: &[&str],
        input: &[u8],
    ) -> Result<(), FetchError> {
        self.complete(doing, arguments, Some(input), 0).map_err(Failed::into_error).map(drop)
    }

    /// Asks the server.
    pub(super) fn ask(
        &mut self,
        doing: &'static str,
        arguments: &[&str],
        max: usize,
    ) -> Result<Vec<u8>, FetchError> {
        self.try_ask(doing, arguments, max).map_err(Failed::into_error).map(|said| said.output)
    }

    /// As [`Self::ask`], for who wants to know what git said. A redirect is followed once, by us.
    pub(super) fn try_ask(
        &mut self,
        doing: &'static str,
        arguments: &[&str],
        max: usize,
    ) -> Result<Said, Failed> {
        self.report.say(&Progress::Asking(&self.url));
        let failed = match self.complete(doing, arguments, None, max) {
            Err(failed) if failed.is_redirect() => failed,
            done => return done,
        };
        let Ok(url) = Url::parse(&self.url) else { return Err(failed) };
        let Some(moved) = download::redirected(&url, &self.settings)? else { return Err(failed) };
        self.url = moved;
        self.pins = self.check_address()?;
        self.complete(doing, arguments, None, max)
    }

    /// Resolves the server's name and refuses addresses that may not be asked.
    fn check_address(&self) -> Result<Vec<String>, FetchError> {
        let refuse = |host: &str, address: IpAddr, what: &str| FetchError::NotPublic {
            url: self.url.clone(),
            why: if host == address.to_string() {
                format!("`{host}` is {what}")
            } else {
                format!("`{host}` is {address}, {what}")
            },
        };
        let Some((host, port, transport)) = server(&self.url) else { return Ok(Vec::new()) };
        if self.settings.reach == Reach::Anywhere {
            return Ok(Vec::new());
        }
        let what = |address: IpAddr| {
            why_not_public(address).filter(|_| !self.settings.exceptions.contains(&address))
        };
        let name = match host {
            Host::Ipv4(address) => return checked(refuse, address.into(), what),
            Host::Ipv6(address) => return checked(refuse, address.into(), what),
            Host::Domain(name) => name,
        };
        let addresses = match download::addresses(&name, &self.settings)? {
            Ok(addresses) => addresses,
            // An alias of ssh's own configuration, or a name that only the proxy knows.
            Err(_)
                if transport == Transport::Ssh
                    || self.settings.proxies != hone_net::Proxies::default() =>
            {
                return Ok(Vec::new());
            }
            Err(error) => {
                let why = format!("`{name}` has no address ({error})");
                return Err(FetchError::Git { doing: "find", url: self.url.clone(), why });
            }
        };
        let public: Vec<IpAddr> =
            addresses.iter().copied().filter(|address| what(*address).is_none()).collect();
        if public.is_empty()
            && let Some(address) = addresses.first()
        {
            return Err(refuse(&name, *address, what(*address).unwrap_or_default()));
        }
        if transport == Transport::Ssh {
            return Ok(Vec::new());
        }
        let list: Vec<String> = public
            .iter()
            .map(|address| match address {
                IpAddr::V4(address) => address.to_string(),
                IpAddr::V6(address) => format!("[{address}]"),
            })
            .collect();
        Ok(vec![format!("{name}:{port}:{}", list.join(","))])
    }

    /// A command of git's in which nothing of the repository, and nothing meant for another repository,
    /// has a say.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("git");
        command.current_dir(&self.folder).env_clear();
        let is_kept = |name: &str| {
            !name.starts_with("GIT_")
                || KEPT_VARIABLES.contains(&name)
                || name.starts_with("GIT_CONFIG_KEY_")
                || name.starts_with("GIT_CONFIG_VALUE_")
        };
        command.envs(std::env::vars_os().filter(|(name, _)| is_kept(&name.to_string_lossy())));
        command
            .env("GIT_DIR", ".")
            .env("GIT_ALLOW_PROTOCOL", allowed(&self.url))
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_NO_REPLACE_OBJECTS", "1")
            .env("GIT_LFS_SKIP_SMUDGE", "1")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("LC_ALL", "C");
        if self.prompts == Prompts::Never {
            command.env("GIT_TERMINAL_PROMPT", "0").env("SSH_ASKPASS_REQUIRE", "never");
            if self.is_ssh() && !self.has_own_ssh() {
                command.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes");
            }
            // So that all of it can be ended; a group of its own could not ask at the terminal.
            command.process_group(0);
        }
        let stall = self.stall.as_secs().max(1).to_string();
        let settings = [
            ("core.hooksPath", "/dev/null"),
            ("core.fsmonitor", "false"),
            ("core.attributesFile", "/dev/null"),
            // Nothing of this repository outlives the process.
            ("core.fsync", "none"),
            ("fetch.recurseSubmodules", "false"),
            ("fetch.unpackLimit", "1"),
            ("fetch.writeCommitGraph", "false"),
            ("fetch.negotiationAlgorithm", "noop"),
            ("gc.auto", "0"),
            ("maintenance.auto", "false"),
            ("http.followRedirects", "false"),
            ("http.lowSpeedLimit", "1"),
            ("http.lowSpeedTime", &stall),
            ("protocol.version", "2"),
            ("transfer.bundleURI", "false"),
            ("remote.origin.url", &self.url),
        ];
        for (key, value) in settings {
            command.arg("-c").arg(format!("{key}={value}"));
        }
        for pin in &self.pins {
            command.arg("-c").arg(format!("http.curloptResolve={pin}"));
        }
        command.args(arguments);
        command
    }

    /// Starts a git whose memory, and that of whatever it starts, has an end.
    pub(super) fn spawn(&self, command: &mut Command) -> Result<Child, FetchError> {
        let child = command.spawn().map_err(FetchError::NoGit)?;
        #[cfg(target_os = "linux")]
        if let Some(git) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
            let most = Some(self.max_memory);
            // A git that has ended by now needs no bound.
            let _ = prlimit(Some(git), Resource::Data, Rlimit { current: most, maximum: most });
        }
        Ok(child)
    }

    fn is_ssh(&self) -> bool {
        !self.url.contains("://") || self.url.starts_with("ssh:")
    }

    /// Whether a person chose another ssh than the usual one.
    fn has_own_ssh(&self) -> bool {
        ["GIT_SSH", "GIT_SSH_COMMAND"].iter().any(|name| std::env::var_os(name).is_some())
            || Command::new("git")
                .args(["config", "--get", "core.sshCommand"])
                .current_dir(&self.folder)
                .stdin(Stdio::null())
                .output()
                .is_ok_and(|output| output.status.success())
    }

    /// Runs git to its end, and again when a connection broke: what had come whole stays here.
    fn complete(
        &self,
        doing: &'static str,
        arguments: &[&str],
        input: Option<&[u8]>,
        max: usize,
    ) -> Result<Said, Failed> {
        let mut attempt = 1;
        loop {
            match self.once(doing, arguments, input, max) {
                Err(failed) if failed.is_broken() && attempt < MAX_ATTEMPTS => attempt += 1,
                done => return done,
            }
        }
    }

    fn once(
        &self,
        doing: &'static str,
        arguments: &[&str],
        input: Option<&[u8]>,
        max: usize,
    ) -> Result<Said, Failed> {
        let mut command = self.command(arguments);
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let child = self.spawn(&mut command)?;
        let mut running =
            Running { child, is_group: self.prompts == Prompts::Never, is_done: false };
        let events = running.events(input.map(<[u8]>::to_vec), max);
        let ended = self.watch(doing, &mut running, &events)?;
        let words = String::from_utf8_lossy(&ended.words).into_owned();
        if ended.output.len() > max {
            let why = format!("it says more than {max} bytes");
            return Err(self.said(doing, &why).into());
        }
        if !ended.status.success() {
            return Err(Failed::Said { doing, url: self.url.clone(), words });
        }
        Ok(Said { output: ended.output, words })
    }

    /// Waits for the end of a run, and ends it when it is too long or too much.
    fn watch(
        &self,
        doing: &'static str,
        running: &mut Running,
        events: &Receiver<Event>,
    ) -> Result<Ended, FetchError> {
        let (mut output, mut words, mut open) = (Vec::new(), Vec::new(), 2);
        let mut looked = Instant::now();
        loop {
            match events.recv_timeout(LOOK) {
                Ok(Event::Output(bytes)) => output.extend(bytes),
                Ok(Event::Words(bytes)) => {
                    if let Some(progress) = objects(&bytes) {
                        self.report.say(&progress);
                    } else if words.len() < MAX_GIT_MESSAGE_BYTES {
                        words.extend(bytes);
                        words.push(b'\n');
                    }
                }
                Ok(Event::End) => open -= 1,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => open = 0,
            }
            let status = if open == 0 { running.ended() } else { None };
            if status.is_some() || looked.elapsed() >= LOOK {
                looked = Instant::now();
                if bytes_below(&self.folder) > self.max_bytes {
                    let (url, limit) = (self.url.clone(), self.max_bytes);
                    return Err(FetchError::TooLarge { url, limit });
                }
            }
            if let Some(status) = status {
                return Ok(Ended { output, words, status });
            }
            if Instant::now() >= self.deadline {
                let (url, limit) = (self.url.clone(), self.limit);
                return Err(FetchError::OutOfTime { doing, url, limit });
            }
        }
    }
}

struct Ended {
    output: Vec<u8>,
    words: Vec<u8>,
    status: ExitStatus,
}

/// A git that runs, and does not outlive this value.
struct Running {
    child: Child,
    is_group: bool,
    is_done: bool,
}

enum Event {
    /// A part of its output.
    Output(Vec<u8>),
    /// A line of what it says about itself.
    Words(Vec<u8>),
    /// One of the two is closed.
    End,
}

impl Running {
    /// Reads both outputs and writes the input, each in a thread of its own.
    fn events(&mut self, input: Option<Vec<u8>>, max: usize) -> Receiver<Event> {
        let (sender, events) = channel();
        if let (Some(mut pipe), Some(input)) = (self.child.stdin.take(), input) {
            // When git has enough, it closes the pipe; that it then failed is said by its status.
            std::thread::spawn(move || pipe.write_all(&input));
        }
        if let Some(pipe) = self.child.stdout.take() {
            let sender = sender.clone();
            std::thread::spawn(move || send_output(pipe, max, &sender));
        }
        if let Some(pipe) = self.child.stderr.take() {
            std::thread::spawn(move || send_lines(pipe, &sender));
        }
        events
    }

    fn ended(&mut self) -> Option<ExitStatus> {
        let status = self.child.try_wait().ok().flatten();
        self.is_done |= status.is_some();
        status
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.is_done {
            return;
        }
        let group = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (true, Some(group)) = (self.is_group, group) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends on the output, one byte more than is wanted at most.
fn send_output(pipe: impl Read, max: usize, events: &Sender<Event>) {
    let mut pipe = pipe.take(max as u64 + 1);
    let mut buffer = vec![0; 64 * 1024];
    while let Ok(read @ 1..) = pipe.read(&mut buffer) {
        let _ = events.send(Event::Output(buffer[..read].to_vec()));
    }
    let _ = events.send(Event::End);
}

/// Sends on the lines; a progress line ends in a carriage return.
fn send_lines(mut pipe: impl Read, events: &Sender<Event>) {
    let (mut line, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(read @ 1..) = pipe.read(&mut buffer) {
        for byte in &buffer[..read] {
            if matches!(byte, b'\r' | b'\n') {
                let _ = events.send(Event::Words(std::mem::take(&mut line)));
            } else if line.len() < MAX_GIT_MESSAGE_BYTES {
                line.push(*byte);
            }
        }
    }
    let _ = events.send(Event::Words(line));
    let _ = events.send(Event::End);
}

/// What a progress line says: `Receiving objects:  45% (9/20), …`.
fn objects(line: &[u8]) -> Option<Progress<'static>> {
    let line = std::str::from_utf8(line).ok()?;
    let line = line.strip_prefix("remote: ").unwrap_or(line);
    let (what, rest) = line.split_once(": ")?;
    let is_known =
        ["Receiving objects", "Resolving deltas", "Counting objects", "Compressing objects"];
    if !is_known.contains(&what) {
        return what
            .starts_with("Enumerating objects")
            .then_some(Progress::Objects { done: 0, all: 0 });
    }
    let (done, all) = rest.split_once('(')?.1.split_once(')')?.0.split_once('/')?;
    let (done, all) = (done.parse().ok()?, all.parse().ok()?);
    Some(Progress::Objects { done, all })
}

/// The line of git's words that says what is wrong, without control characters, and not too long.
fn gist(words: &str) -> String {
    let lines: Vec<&str> = words.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let starts = |start: &'static str| move |line: &&&str| line.starts_with(start);
    let fatal =
        lines.iter().find(starts("fatal: ")).or_else(|| lines.iter().find(starts("error: ")));
    let line = fatal.or(lines.last()).copied().unwrap_or("it gave no reason");
    let line = line.trim_start_matches("fatal: ").trim_start_matches("error: ");
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut gist: String = line.chars().take(MAX_SHOWN).map(clean).collect();
    if words.contains("could not read Username") || words.contains("terminal prompts disabled") {
        gist.push_str(
            "; if it is private, log in with git first (its credential helpers are used)",
        );
    }
    gist
}

/// Transports that an address may use; a person's own configuration may turn https into ssh.
fn allowed(url: &str) -> &'static str {
    match url.split_once("://").map(|(scheme, _)| scheme) {
        Some("file") => "file",
        Some("http") => "http:https:ssh",
        _ => "https:ssh",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Transport {
    Http,
    Ssh,
}

/// The host of an address, its port, and how it is reached; none for a local one.
fn server(url: &str) -> Option<(Host, u16, Transport)> {
    let Some((scheme, _)) = url.split_once("://") else {
        let host = url.split_once('@')?.1.split_once(':')?.0;
        return Some((Host::parse(host).ok()?, 22, Transport::Ssh));
    };
    let parsed = Url::parse(url).ok()?;
    match scheme {
        "http" | "https" => {
            Some((parsed.host()?.to_owned(), parsed.port_or_known_default()?, Transport::Http))
        }
        "ssh" => {
            let host = Host::parse(parsed.host_str()?).ok()?;
            Some((host, parsed.port().unwrap_or(22), Transport::Ssh))
        }
        _ => None,
    }
}

fn checked(
    refuse: impl Fn(&str, IpAddr, &str) -> FetchError,
    address: IpAddr,
    what: impl Fn(IpAddr) -> Option<&'static str>,
) -> Result<Vec<String>, FetchError> {
    match what(address) {
        Some(what) => Err(refuse(&address.to_string(), address, what)),
        None => Ok(Vec::new()),
    }
}
