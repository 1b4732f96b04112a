//! Whether a server that a client is told to start answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Server;

/// How long a server may take for both answers.
pub const ANSWERS_IN: Duration = Duration::from_secs(20);
/// Bytes of an answer at most.
const MAX_ANSWER_BYTES: u64 = 4 * 1024 * 1024;

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
    #[error("it does not answer `{0}`")]
    Silent(&'static str),
    /// It answered something else.
    #[error("it answers `{0}` with what is no answer")]
    Odd(&'static str),
}

/// A server under way; it ends with this.
struct Running {
    child: Child,
    lines: Receiver<String>,
    until: Instant,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Starts a server as a client would, and asks it who it is and which tools it has.
pub fn probe(server: &Server) -> Result<Answer, ProbeError> {
    let started = Command::new(&server.command)
        .args(&server.arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let mut child =
        started.map_err(|error| ProbeError::Start { command: server.command.clone(), error })?;
    let (send, lines) = mpsc::channel();
    if let Some(output) = child.stdout.take() {
        std::thread::spawn(move || {
            for line in BufReader::new(output.take(MAX_ANSWER_BYTES)).lines() {
                let Ok(line) = line else { return };
                if send.send(line).is_err() {
                    return;
                }
            }
        });
    }
    let mut running = Running { child, lines, until: Instant::now() + ANSWERS_IN };
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
    fn send(&mut self, method: &'static str, message: &Value) -> Result<(), ProbeError> {
        let input = self.child.stdin.as_mut().ok_or(ProbeError::Silent(method))?;
        let sent = input.write_all(format!("{message}\n").as_bytes()).and_then(|()| input.flush());
        sent.map_err(|_| ProbeError::Silent(method))
    }

    /// The result of a request.
    fn ask(&mut self, id: u64, method: &'static str, params: &Value) -> Result<Value, ProbeError> {
        let message = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.send(method, &message)?;
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|_| ProbeError::Silent(method))?;
            let Ok(mut answer) = serde_json::from_str::<Value>(&line) else {
                return Err(ProbeError::Odd(method));
            };
            if answer["id"] == id {
                return Ok(answer["result"].take());
            }
        }
    }
}
