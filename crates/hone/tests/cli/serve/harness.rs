//! A server of its own for a test, and a client that can be as rude as a test needs.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::harness::Sandbox;

/// How long a test waits for what should come at once, before it fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs.
pub(crate) struct Server {
    child: Child,
    stdout: BufReader<ChildStdout>,
    pub(crate) stderr: Option<ChildStderr>,
    pub(crate) address: SocketAddr,
    /// The first line of its output.
    pub(crate) link: String,
    /// The owner's token, when this start made it.
    pub(crate) token: String,
}

/// Whether something becomes true.
pub(crate) fn until(is_so: impl Fn() -> bool) -> bool {
    let start = Instant::now();
    while !is_so() {
        if start.elapsed() > PATIENCE {
            return false;
        }
    }
    true
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// A header, or nothing.
    pub(crate) fn header(&self, name: &str) -> &str {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The detail of a problem, after a check that it is one of this status.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16) -> String {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), "application/problem+json");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        problem["detail"].as_str().unwrap().to_owned()
    }
}

impl Server {
    /// Starts one on a free port of loopback, unless `more` says where.
    pub(crate) fn start(sandbox: &Sandbox, more: &str) -> Self {
        let anywhere = if more.contains("--listen") { "" } else { "--listen 127.0.0.1:0" };
        Self::of(sandbox.hone(&format!("serve {anywhere} {more}")).command())
    }

    /// The server that a command starts.
    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut link = String::new();
        stdout.read_line(&mut link).unwrap();
        let mut stderr = child.stderr.take();
        if link.is_empty() {
            let mut errors = String::new();
            stderr.take().unwrap().read_to_string(&mut errors).unwrap();
            panic!("no server: {errors}");
        }
        let link = link.trim().to_owned();
        let rest = link.split_once("://").unwrap().1;
        let host = rest.split('/').next().unwrap().replace("localhost", "127.0.0.1");
        let address = host.parse().unwrap();
        let token = link.split_once("token=").map_or("", |(_, token)| token).to_owned();
        Self { child, stdout, stderr, address, link, token }
    }

    /// The process that was started.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes as they are and reads one answer.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Response {
        let mut stream = self.connect();
        // A server that has heard enough may close before all is sent.
        let _ = stream.write_all(bytes);
        read(&mut stream)
    }

    /// A request with these headers and nobody's token.
    pub(crate) fn plain(&self, line: &str, headers: &[(&str, &str)], body: &str) -> Response {
        let mut text = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            let _ = write!(text, "Host: {}\r\n", self.address);
        }
        for (name, value) in headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        if !body.is_empty() {
            let _ = write!(text, "Content-Length: {}\r\n", body.len());
        }
        self.raw(format!("{text}\r\n{body}").as_bytes())
    }

    /// A request with a token, its body in JSON.
    pub(crate) fn ask_as(&self, token: &str, line: &str, body: &str) -> Response {
        let bearer = format!("Bearer {token}");
        let mut headers = vec![("Authorization", bearer.as_str())];
        if !body.is_empty() {
            headers.push(("Content-Type", "application/json"));
        }
        self.plain(line, &headers, body)
    }

    /// A request of the owner.
    pub(crate) fn ask(&self, line: &str) -> Response {
        self.ask_as(&self.token, line, "")
    }

    /// A request of the owner with a body.
    pub(crate) fn send(&self, line: &str, body: &Value) -> Response {
        self.ask_as(&self.token, line, &body.to_string())
    }

    /// What `/mcp` answers to a request of the newest era.
    pub(crate) fn mcp_as(&self, token: &str, method: &str, name: &str, params: Value) -> Value {
        self.mcp_at("/mcp", token, method, name, params).json()["result"].take()
    }

    /// The answer of a server of MCP.
    pub(crate) fn mcp_at(
        &self,
        path: &str,
        token: &str,
        method: &str,
        name: &str,
        mut params: Value,
    ) -> Response {
        const VERSION: &str = "2026-07-28";
        params["_meta"] = serde_json::json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let body =
            serde_json::json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let bearer = format!("Bearer {token}");
        let mut headers = vec![
            ("Authorization", bearer.as_str()),
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("MCP-Protocol-Version", VERSION),
            ("Mcp-Method", method),
        ];
        if !name.is_empty() {
            headers.push(("Mcp-Name", name));
        }
        self.plain(&format!("POST {path}"), &headers, &body.to_string())
    }

    /// Calls a tool of the owner.
    pub(crate) fn tool(&self, tool: &str, arguments: &Value) -> Value {
        let params = serde_json::json!({"name": tool, "arguments": arguments});
        self.mcp_as(&self.token, "tools/call", tool, params)
    }

    /// The status of an answer, if one came.
    pub(crate) fn try_send(&self, token: &str, line: &str, body: &str) -> Option<u16> {
        let mut stream = TcpStream::connect(self.address).ok()?;
        stream.set_read_timeout(Some(PATIENCE)).ok()?;
        let length = body.len();
        let request = format!(
            "{line} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\nConnection: close\r\n\r\n{body}",
            self.address
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).ok()?;
        parsed(&answer).map(|answer| answer.status)
    }

    /// Ends it without a word.
    pub(crate) fn kill(&self) {
        let kill = format!("kill -KILL {}", self.child.id());
        let sent = std::process::Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success());
    }

    /// Asks it to stop as a terminal or a service manager would, and gives its exit code and what it
    /// said since.
    pub(crate) fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        let kill = format!("kill -{signal} {}", self.child.id());
        let sent = std::process::Command::new("sh").args(["-c", &kill]).status().unwrap();
        assert!(sent.success());
        let mut errors = String::new();
        if let Some(mut stderr) = self.stderr.take() {
            stderr.read_to_string(&mut errors).unwrap();
        }
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        (self.child.wait().unwrap().code(), rest + &errors)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads an answer until its connection or its length ends.
pub(crate) fn read(stream: &mut impl Read) -> Response {
    let mut bytes = Vec::new();
    let mut buffer = [0; 16 * 1024];
    loop {
        if let Some(response) = whole(&bytes) {
            return response;
        }
        match stream.read(&mut buffer) {
            Ok(0) => break,
            Ok(got) => bytes.extend_from_slice(&buffer[..got]),
            Err(error) if !bytes.is_empty() => panic!("{error} after {bytes:?}"),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => break,
            Err(error) => panic!("{error}"),
        }
    }
    parsed(&bytes).unwrap_or(Response { status: 0, head: String::new(), body: bytes })
}

fn parsed(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let mut body = bytes[end + 4..].to_vec();
    let response = Response { status, head, body: Vec::new() };
    if response.header("transfer-encoding") == "chunked" {
        body = dechunked(&body).0;
    }
    Some(Response { body, ..response })
}

fn whole(bytes: &[u8]) -> Option<Response> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    let response = parsed(bytes)?;
    let is_whole = match response.header("content-length").parse::<usize>() {
        Ok(length) => response.body.len() >= length,
        Err(_) => {
            response.header("transfer-encoding") == "chunked" && dechunked(&bytes[end + 4..]).1
        }
    };
    is_whole.then_some(response)
}

/// The chunks that are there, and whether the last one is.
pub(crate) fn dechunked(mut bytes: &[u8]) -> (Vec<u8>, bool) {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&bytes[..end]).unwrap();
        let size = usize::from_str_radix(size, 16).unwrap();
        let chunk = &bytes[end + 2..];
        if size == 0 {
            return (body, true);
        }
        if chunk.len() < size + 2 {
            break;
        }
        body.extend_from_slice(&chunk[..size]);
        bytes = &chunk[size + 2..];
    }
    (body, false)
}
