//! Whether a server that a client is told to start answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use serde_json::{Value, json};

use super::Server;

/// How long a server may take for both answers.
pub const ANSWERS_IN: Duration = Duration::from_secs(20);
/// Bytes of an answer at most.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;
/// Characters of what a server said on its way out.
const MAX_SAID_CHARS: usize = 300;
/// How long the last words of a server are waited for once it has ended.
const LAST_WORDS_IN: Duration = Duration::from_secs(1);
/// How long nothing comes before it is asked whether the server is still there: what it started may hold
/// its output.
const GLANCE: Duration = Duration::from_millis(100);
/// What every client passes on to a server. Some pass on all they have, but none can be relied on to.
const PASSED_ON: [&str; 10] =
    ["HOME", "LANG", "LC_ALL", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/// What a server said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// What it calls itself.
    pub server: String,
    /// The names of its tools.
    pub tools: Vec<String>,
}

/// Why a server did not answer.
#[derive(Debug, thiserror::Error)]
pub enum ProbeError {
    /// It did not start.
    #[error("`{command}` does not start: {error}")]
    Start {
        /// The program.
        command: String,
        /// Why.
        error: std::io::Error,
    },
    /// It said nothing in time, or went away.
    #[error("it does not answer `{method}`{}", last_words(.said))]
    Silent {
        /// What it was asked.
        method: &'static str,
        /// The last line of its error output; empty when there is none.
        said: String,
    },
    /// It answered something else.
    #[error("it answers `{0}` with what is no answer")]
    Odd(&'static str),
}

fn last_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(", and said last: {said}") }
}

/// A server under way; it ends with this, and so does what it started.
struct Running {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<String>,
    until: Instant,
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// The lines of an output, as they come.
fn lines(output: Option<impl Read + Send + 'static>) -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    if let Some(output) = output {
        std::thread::spawn(move || {
            for line in BufReader::new(output.take(MAX_ANSWER_BYTES)).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
    }
    lines
}

/// Starts a server as a client would, in an environment of what every client passes on, and asks it who
/// it is and which tools it has.
pub fn probe(server: &Server) -> Result<Answer, ProbeError> {
    let passed_on = PASSED_ON.iter().filter_map(|name| Some((*name, std::env::var_os(name)?)));
    let started = Command::new(&server.command)
        .args(&server.arguments)
        .env_clear()
        .envs(passed_on)
        .envs(&server.environment)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn();
    let mut child =
        started.map_err(|error| ProbeError::Start { command: server.command.clone(), error })?;
    let (lines, errors) = (lines(child.stdout.take()), lines(child.stderr.take()));
    let mut running = Running { child, lines, errors, until: Instant::now() + ANSWERS_IN };
    let hello = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "hone-doctor", "version": env!("CARGO_PKG_VERSION")},
    });
    let hello = running.ask(1, "initialize", &hello)?;
    let name =
        hello["serverInfo"]["name"].as_str().ok_or(ProbeError::Odd("initialize"))?.to_owned();
    running
        .send("tools/list", &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
    let tools = running.ask(2, "tools/list", &json!({}))?;
    let tools = tools["tools"].as_array().ok_or(ProbeError::Odd("tools/list"))?;
    let tools = tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)).collect();
    Ok(Answer { server: name, tools })
}

impl Running {
    fn id(&self) -> Option<Pid> {
        i32::try_from(self.child.id()).ok().and_then(Pid::from_raw)
    }

    /// Whether it has ended. Its id stays its own.
    fn has_ended(&self) -> bool {
        let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.id().is_some_and(|id| matches!(waitid(WaitId::Pid(id), how), Ok(Some(_))))
    }

    fn end(&mut self) {
        if let Some(group) = self.id() {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.child.wait();
    }

    /// It is ended, and asked for its last words.
    fn silent(&mut self, method: &'static str) -> ProbeError {
        self.end();
        let until = Instant::now() + LAST_WORDS_IN;
        let mut said = String::new();
        let left = || until.saturating_duration_since(Instant::now());
        while let Ok(line) = self.errors.recv_timeout(left()) {
            if !line.trim().is_empty() {
                said = line.trim().chars().take(MAX_SAID_CHARS).collect();
            }
        }
        ProbeError::Silent { method, said }
    }

    fn send(&mut self, method: &'static str, message: &Value) -> Result<(), ProbeError> {
        let sent = self.child.stdin.as_mut().map(|input| {
            input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush())
        });
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.silent(method)),
        }
    }

    /// The result of a request.
    fn ask(&mut self, id: u64, method: &'static str, params: &Value) -> Result<Value, ProbeError> {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(method, &message)?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = match self.lines.recv_timeout(left.min(GLANCE)) {
                Ok(line) => line,
                Err(RecvTimeoutError::Timeout) if !left.is_zero() => {
                    if self.has_ended() {
                        self.until = self.until.min(Instant::now() + LAST_WORDS_IN);
                    }
                    continue;
                }
                Err(_) => return Err(self.silent(method)),
            };
            let Ok(mut answer) = serde_json::from_str::<Value>(&line) else {
                return Err(ProbeError::Odd(method));
            };
            if answer["id"] == id {
                return Ok(answer["result"].take());
            }
        }
    }
}
