//! Tools of MCP servers: programs that are started here, or addresses that are asked.
//!
//! Each tool of a server becomes a [`Tool`] named `mcp__server__tool`. What a server says about its tools
//! is bounded, calls have a time and answers a length, and a server that cannot be reached, dies or
//! misbehaves costs its own tools and calls, never the task. A program gets only the variables that its
//! entry in the configuration names and those that no program can do without; it ends when its tools are
//! dropped.

mod http;

use std::path::Path;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hone_library::McpServer;
use hone_net::Client;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ContentBlock,
    Implementation, PaginatedRequestParams, ResourceContents,
};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError, ServiceExt};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use self::http::BoundedClient;
use super::{Class, MAX_NAME_BYTES, Tool, ToolResult, Working};

pub use self::http::MAX_ANSWER_BYTES;

/// How long a server may take to start and to list its tools.
pub const START_TIME: Duration = Duration::from_secs(20);

/// Most tools that are taken from one server.
pub const MAX_TOOLS_OF_A_SERVER: usize = 64;

/// Longest description that is taken over, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 1_000;

/// Longest schema that is taken over, in bytes.
pub const MAX_SCHEMA_BYTES: usize = 8_000;

/// Longest result of a call, in bytes.
pub const MAX_RESULT_BYTES: usize = 1_000_000;

/// How much of what a program writes to its standard error is kept, in bytes.
const MAX_STDERR_BYTES: usize = 2_000;

/// Variables that every program gets: without them it finds no other program, no home and no letters.
const USUAL_VARIABLES: [&str; 12] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TMPDIR",
    "TZ",
    "SYSTEMROOT",
];

/// What came of connecting to the servers.
pub struct Connected {
    /// The tools, by the order of the servers, and sorted by name within each. Tasks may share them.
    pub tools: Vec<Arc<dyn Tool>>,
    /// What did not work.
    pub problems: Vec<Problem>,
}

/// A server, or one of its tools, that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The server's name.
    pub server: String,
    /// Why.
    pub why: String,
}

/// Connects to servers, side by side. Programs are started in `folder`.
pub async fn connect(
    servers: &[McpServer],
    variable: &(dyn Fn(&str) -> Option<String> + Sync),
    client: &Client,
    folder: &Path,
) -> Connected {
    let mut connecting = tokio::task::JoinSet::new();
    let mut connected: Vec<Result<Opened, String>> = Vec::new();
    for (place, server) in servers.iter().enumerate() {
        connected.push(Err("it did not start".to_owned()));
        let prepared = Prepared::new(server, variable, client, folder);
        connecting.spawn(async move {
            let opened = match prepared {
                Ok(prepared) => open(prepared).await,
                Err(why) => Err(why),
            };
            (place, opened)
        });
    }
    while let Some(joined) = connecting.join_next().await {
        if let Ok((place, opened)) = joined {
            connected[place] = opened;
        }
    }
    let mut all = Connected { tools: Vec::new(), problems: Vec::new() };
    for (server, opened) in servers.iter().zip(connected) {
        let problem = |why| Problem { server: server.name.clone(), why };
        match opened {
            Ok(opened) => take_tools(server, opened, &mut all),
            Err(why) => all.problems.push(problem(why)),
        }
    }
    all
}

/// A server that runs.
struct Server {
    service: RunningService<RoleClient, ClientConfig>,
    process: Option<Process>,
    timeout: Duration,
}

/// The program behind a server. It is killed when dropped.
struct Process {
    _child: Child,
    stderr: Arc<Mutex<Vec<u8>>>,
}

struct Opened {
    server: Server,
    tools: Vec<rmcp::model::Tool>,
}

/// How a server is reached.
enum Prepared {
    Program { command: Command, timeout: Duration },
    Address { transport: StreamableHttpClientTransport<BoundedClient>, timeout: Duration },
}

impl Prepared {
    fn new(
        server: &McpServer,
        variable: &(dyn Fn(&str) -> Option<String> + Sync),
        client: &Client,
        folder: &Path,
    ) -> Result<Self, String> {
        let timeout = Duration::from_secs(server.timeout);
        if let Some(program) = &server.command {
            let declared = server.env.iter().map(String::as_str);
            let names = USUAL_VARIABLES.iter().copied().chain(declared);
            let mut command = Command::new(program);
            command
                .args(&server.args)
                .env_clear()
                .envs(names.filter_map(|name| Some((name, variable(name)?))))
                .current_dir(folder)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true);
            return Ok(Self::Program { command, timeout });
        }
        let url = hone_net::parse(server.url.as_deref().unwrap_or_default())
            .map_err(|error| error.to_string())?;
        let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        if let Some(name) = &server.api_key_env {
            let key = variable(name).ok_or_else(|| format!("the variable `{name}` is not set"))?;
            if url.scheme() != "https" && !hone_net::is_local(&url) {
                return Err(format!("`{url}` would get the key unencrypted; use https"));
            }
            config = config.auth_header(key.trim());
        }
        let transport = client.transport_for(&url).map_err(|error| error.to_string())?;
        let transport =
            StreamableHttpClientTransport::with_client(BoundedClient(transport), config);
        Ok(Self::Address { transport, timeout })
    }
}

async fn open(prepared: Prepared) -> Result<Opened, String> {
    let hone = Implementation::new("hone", env!("CARGO_PKG_VERSION"));
    let config = ClientConfig::new(ClientCapabilities::default(), hone);
    let late = |_| format!("it did not answer within {} s", START_TIME.as_secs());
    let deadline = tokio::time::Instant::now() + START_TIME;
    let (service, process, timeout) = match prepared {
        Prepared::Program { mut command, timeout } => {
            let program = command.as_std().get_program().to_string_lossy().into_owned();
            let mut child =
                command.spawn().map_err(|error| format!("cannot start `{program}`: {error}"))?;
            let (Some(stdin), Some(stdout), Some(stderr)) =
                (child.stdin.take(), child.stdout.take(), child.stderr.take())
            else {
                return Err("it has no standard input and output".to_owned());
            };
            let kept = Arc::default();
            tokio::spawn(keep_end(stderr, Arc::clone(&kept)));
            let process = Process { _child: child, stderr: kept };
            let started = tokio::time::timeout_at(deadline, config.serve((stdout, stdin))).await;
            let service = started
                .map_err(late)
                .and_then(|started| started.map_err(|error| not_started(&error)))
                .map_err(|why| process.with_last_words(why))?;
            (service, Some(process), timeout)
        }
        Prepared::Address { transport, timeout } => {
            let started = tokio::time::timeout_at(deadline, config.serve(transport)).await;
            let service = started.map_err(late)?.map_err(|error| not_started(&error))?;
            (service, None, timeout)
        }
    };
    let server = Server { service, process, timeout };
    let tools = tokio::time::timeout_at(deadline, list(&server)).await.map_err(late)??;
    Ok(Opened { server, tools })
}

/// Why a server could not be begun with.
fn not_started(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => {
            format!("it cannot be asked: {}", bottom(&*error.error))
        }
        other => other.to_string(),
    }
}

/// What is at the bottom of an error: the words above it name the inside of a library.
fn bottom(mut error: &dyn std::error::Error) -> String {
    while let Some(deeper) = error.source() {
        error = deeper;
    }
    error.to_string()
}

/// The tools of a server, page by page, up to a limit.
async fn list(server: &Server) -> Result<Vec<rmcp::model::Tool>, String> {
    let mut tools = Vec::new();
    let mut cursor = None;
    loop {
        let page = PaginatedRequestParams::default().with_cursor(cursor);
        let page = server.service.list_tools(Some(page)).await.map_err(|error| {
            server.with_last_words(match &error {
                ServiceError::TransportSend(error) => {
                    format!("it does not list its tools: {}", bottom(&*error.error))
                }
                error => format!("it does not list its tools: {error}"),
            })
        })?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        // One more than is taken, so that it is seen when there are too many.
        if cursor.is_none() || tools.len() > MAX_TOOLS_OF_A_SERVER {
            return Ok(tools);
        }
    }
}

/// Makes tools of what a server offers, and problems of what cannot be one.
fn take_tools(settings: &McpServer, opened: Opened, all: &mut Connected) {
    let Opened { server, mut tools } = opened;
    let server = Arc::new(server);
    let mut problem = |why| all.problems.push(Problem { server: settings.name.clone(), why });
    tools.sort_by(|one, other| one.name.cmp(&other.name));
    tools.dedup_by(|one, other| one.name == other.name);
    if let Some(wanted) = &settings.tools {
        for name in wanted.iter().filter(|name| !tools.iter().any(|tool| tool.name == **name)) {
            problem(format!("it has no tool `{}`", name.escape_debug()));
        }
        tools.retain(|tool| wanted.iter().any(|name| *name == tool.name));
    }
    if tools.len() > MAX_TOOLS_OF_A_SERVER {
        problem(format!(
            "it has more than {MAX_TOOLS_OF_A_SERVER} tools, the first of them are taken; choose with `tools`"
        ));
        tools.truncate(MAX_TOOLS_OF_A_SERVER);
    }
    let mut taken: Vec<Arc<dyn Tool>> = Vec::new();
    for tool in tools {
        let name = format!("mcp__{}__{}", settings.name, tool.name);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:/".contains(c);
        if tool.name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(is_plain) {
            let shown: String = tool.name.escape_debug().take(80).collect();
            problem(format!("its tool `{shown}` has a name that cannot be called"));
            continue;
        }
        let schema = Value::Object((*tool.input_schema).clone());
        // A schema that is too long to be shown cannot be kept to either: the server checks it.
        let is_short = schema.to_string().len() <= MAX_SCHEMA_BYTES;
        let description = tool.description.as_deref().or(tool.title.as_deref());
        taken.push(Arc::new(McpTool {
            name,
            remote: tool.name.into_owned(),
            description: bounded(description.unwrap_or("No description.")),
            schema: if is_short { schema } else { json!({"type": "object"}) },
            only_reads: tool.annotations.and_then(|hints| hints.read_only_hint) == Some(true),
            server: Arc::clone(&server),
        }));
    }
    all.tools.append(&mut taken);
}

/// A description on one line, without what is not seen, and not too long.
fn bounded(text: &str) -> String {
    let seen = |c: &char| {
        !c.is_control()
            && !matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
    };
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = words.chars().filter(seen).take(MAX_DESCRIPTION_CHARS).collect();
    if words.chars().filter(seen).count() > MAX_DESCRIPTION_CHARS {
        short.push('…');
    }
    short
}

/// A tool of a server.
struct McpTool {
    name: String,
    /// Its name there.
    remote: String,
    description: String,
    schema: Value,
    only_reads: bool,
    server: Arc<Server>,
}

impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn time(&self) -> Option<Duration> {
        Some(self.server.timeout)
    }

    fn changes(&self) -> bool {
        !self.only_reads
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move {
            let arguments = arguments.as_object().cloned().unwrap_or_default();
            let request = CallToolRequestParams::new(self.remote.clone()).with_arguments(arguments);
            let limit = self.server.timeout;
            let call = tokio::time::timeout(limit, self.server.service.call_tool(request));
            tokio::select! {
                biased;
                () = cancelled.cancelled() => ToolResult::failed("cancelled"),
                called = call => match called {
                    Ok(Ok(result)) => as_result(&self.name, &result),
                    Ok(Err(error)) => ToolResult::failed(self.server.failure(&error)),
                    Err(_) => ToolResult::timed_out(format!(
                        "the server did not answer within {} s",
                        limit.as_secs()
                    )),
                },
            }
        })
    }
}

impl Server {
    fn failure(&self, error: &ServiceError) -> String {
        let why = match error {
            ServiceError::TransportSend(error) if self.process.is_none() => {
                format!("the server failed: {}", bottom(&*error.error))
            }
            // What became of a stream of events is not told.
            ServiceError::TransportClosed if self.process.is_none() => {
                format!("its answer broke off, or is longer than {MAX_ANSWER_BYTES} bytes")
            }
            ServiceError::TransportClosed | ServiceError::TransportSend(_) => {
                "the server has ended".to_owned()
            }
            ServiceError::McpError(error) => format!("the server refused: {}", error.message),
            other => format!("the server failed: {other}"),
        };
        self.with_last_words(why)
    }

    fn with_last_words(&self, why: String) -> String {
        match &self.process {
            Some(process) => process.with_last_words(why),
            None => why,
        }
    }
}

impl Process {
    /// A reason, with the last line that the program wrote to its standard error.
    fn with_last_words(&self, why: String) -> String {
        let kept = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&kept);
        match text.lines().rev().find(|line| !line.trim().is_empty()) {
            Some(line) => format!("{why} (it last said: {})", bounded(line)),
            None => why,
        }
    }
}

/// Keeps the end of what a program writes, until it ends.
async fn keep_end(mut from: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>) {
    let mut buffer = [0; 1_024];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(MAX_STDERR_BYTES);
        kept.drain(..excess);
    }
}

fn as_result(name: &str, result: &CallToolResult) -> ToolResult {
    let mut text = String::new();
    for block in &result.content {
        let part = match block {
            ContentBlock::Text(part) => part.text.clone(),
            ContentBlock::Image(part) => format!("[an image, {}]", bounded(&part.mime_type)),
            ContentBlock::Audio(part) => format!("[a sound, {}]", bounded(&part.mime_type)),
            ContentBlock::Resource(part) => match &part.resource {
                ResourceContents::TextResourceContents { text, .. } => text.clone(),
                _ => "[a file that is not text]".to_owned(),
            },
            ContentBlock::ResourceLink(link) => format!("[a link to {}]", bounded(&link.uri)),
            _ => "[something that is not text]".to_owned(),
        };
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&part);
    }
    if text.is_empty()
        && let Some(value) = &result.structured_content
    {
        text = value.to_string();
    }
    if text.len() > MAX_RESULT_BYTES {
        let is_whole = |end: &usize| text.is_char_boundary(*end);
        let end = (0..=MAX_RESULT_BYTES).rev().find(is_whole).unwrap_or_default();
        text.truncate(end);
        text.push_str("\n[cut: the result was longer]");
    }
    if result.is_error == Some(true) {
        return ToolResult::failed(text);
    }
    let summary = format!("{name}: {} characters", text.chars().count());
    ToolResult::ok(text, summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_one_line_that_can_be_seen_and_has_an_end() {
        assert_eq!(bounded("a\n\tb\u{200b}\u{202e} c\u{1b}"), "a b c");
        let long = "x".repeat(MAX_DESCRIPTION_CHARS);
        assert_eq!(bounded(&long), long);
        assert_eq!(bounded(&(long.clone() + "x")), long + "…");
    }

    #[test]
    fn a_result_is_cut_at_its_limit_on_a_letter() {
        let text = |length: usize| {
            let block = ContentBlock::text("é".repeat(length));
            as_result("t", &CallToolResult::success(vec![block])).text
        };
        assert_eq!(text(MAX_RESULT_BYTES / 2).len(), MAX_RESULT_BYTES);
        let cut = text(MAX_RESULT_BYTES / 2 + 1);
        assert!(cut.ends_with("é\n[cut: the result was longer]"));
        assert!(cut.starts_with("éé"));
    }
}
