//! Questions to an MCP server over streamable HTTP, within bounds.
//!
//! The protocol without sessions is tried first; a server that does not speak it is greeted with the
//! older handshake. An answer comes as JSON or as the events of a stream, and whatever else the server
//! sends meanwhile is passed over.

use std::time::Instant;

use hone_net::{Answer, Client, HeaderMap, HeaderName, HeaderValue, Limits, PlainHttp, Settings};
use serde_json::{Map, Value, json};
use tokio::runtime::Runtime;
use url::Url;

use crate::download::runtime;
use crate::fetch::FetchOptions;
use crate::fetch_error::FetchError;
use crate::limits::MAX_INDEX_BYTES;
use crate::mcp::VARIABLE;

/// The version without sessions.
const MODERN: &str = "2026-07-28";
/// The versions with a handshake, the newest first.
const HANDSHAKES: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
/// What a server says about a method that it does not have.
pub(super) const NO_SUCH_METHOD: i64 = -32601;
/// Most characters of what a server says about an error.
const MAX_MESSAGE_CHARS: usize = 300;

/// A server that was greeted.
pub(super) struct Session {
    url: Url,
    client: Client,
    runtime: Runtime,
    limits: Limits,
    started: Instant,
    version: &'static str,
    /// What it wants to see.
    token: Option<HeaderValue>,
    /// What the server calls this session.
    id: Option<HeaderValue>,
    asked: u64,
}

/// Why a question was not answered.
pub(super) enum Unanswered {
    /// The server says no.
    Said { code: i64, message: String },
    /// Nothing came, or nothing that is an answer.
    Failed(FetchError),
}

impl From<FetchError> for Unanswered {
    fn from(error: FetchError) -> Self {
        Self::Failed(error)
    }
}

impl From<hone_net::Error> for Unanswered {
    fn from(error: hone_net::Error) -> Self {
        Self::Failed(error.into())
    }
}

impl Session {
    /// Greets a server.
    pub(super) fn open(url: &Url, options: &FetchOptions) -> Result<Self, FetchError> {
        // A source names http only for this machine.
        let settings = Settings { plain_http: PlainHttp::Allowed, ..options.net.clone() };
        let mut session = Self {
            url: url.clone(),
            client: Client::new(settings)?,
            runtime: runtime()?,
            limits: Limits {
                bytes: MAX_INDEX_BYTES,
                redirects: 0,
                silence: options.stall,
                total: options.time,
            },
            started: Instant::now(),
            version: MODERN,
            token: options.tokens.of(url).and_then(bearer),
            id: None,
            asked: 0,
        };
        if !session.discovered()? {
            session.shake_hands()?;
        }
        Ok(session)
    }

    pub(super) fn wrong(&self, why: impl Into<String>) -> FetchError {
        FetchError::Mcp { url: self.url.to_string(), why: why.into() }
    }

    /// Whether the server speaks the protocol without sessions. That it says no in any way is a no.
    fn discovered(&mut self) -> Result<bool, FetchError> {
        match self.ask("server/discover", Map::new(), MAX_INDEX_BYTES) {
            Ok(answer) => {
                let versions = answer.get("supportedVersions").and_then(Value::as_array);
                Ok(versions.is_some_and(|all| all.iter().any(|one| one == MODERN)))
            }
            Err(
                Unanswered::Said { .. }
                | Unanswered::Failed(FetchError::Download(hone_net::Error::Status {
                    code: 400 | 404 | 405 | 406 | 415,
                    ..
                })),
            ) => Ok(false),
            Err(Unanswered::Failed(error)) => Err(error),
        }
    }

    fn shake_hands(&mut self) -> Result<(), FetchError> {
        self.version = HANDSHAKES[0];
        let params = json!({
            "protocolVersion": self.version,
            "capabilities": {},
            "clientInfo": client_info(),
        });
        let Value::Object(params) = params else { return Ok(()) };
        let answer = self.answer("initialize", params, MAX_INDEX_BYTES)?;
        let version = answer.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        let known = HANDSHAKES.into_iter().find(|known| *known == version);
        self.version = known
            .ok_or_else(|| self.wrong(format!("it speaks version `{}`", version.escape_debug())))?;
        let told = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.post("notifications/initialized", None, &told, MAX_INDEX_BYTES)
            .map_err(|why| self.said("notifications/initialized", why))?;
        Ok(())
    }

    /// Asks, and takes a refusal for a failure.
    pub(super) fn answer(
        &mut self,
        method: &str,
        params: Map<String, Value>,
        max: u64,
    ) -> Result<Value, FetchError> {
        self.ask(method, params, max).map_err(|why| self.said(method, why))
    }

    fn said(&self, method: &str, why: Unanswered) -> FetchError {
        match why {
            Unanswered::Failed(error) => error,
            Unanswered::Said { code: NO_SUCH_METHOD, .. } => {
                self.wrong(format!("it does not know `{method}`: it serves no skills"))
            }
            Unanswered::Said { code, message } => {
                self.wrong(format!("it answers `{method}` with {code}: {message}"))
            }
        }
    }

    /// Asks a question whose answer has at most `max` bytes.
    pub(super) fn ask(
        &mut self,
        method: &str,
        mut params: Map<String, Value>,
        max: u64,
    ) -> Result<Value, Unanswered> {
        self.asked += 1;
        let name = params.get("uri").filter(|_| method == "resources/read");
        let name = name.and_then(Value::as_str).map(str::to_owned);
        if self.version == MODERN {
            params.insert(
                "_meta".to_owned(),
                json!({
                    "io.modelcontextprotocol/protocolVersion": MODERN,
                    "io.modelcontextprotocol/clientInfo": client_info(),
                    "io.modelcontextprotocol/clientCapabilities": {},
                }),
            );
        }
        let question =
            json!({"jsonrpc": "2.0", "id": self.asked, "method": method, "params": params});
        let answer = self.post(method, name.as_deref(), &question, max)?;
        let mut answer = answer.ok_or_else(|| self.wrong("it sent no answer"))?;
        if let Some(error) = answer.get("error") {
            let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
            return Err(Unanswered::Said {
                code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
                message: message.chars().take(MAX_MESSAGE_CHARS).collect(),
            });
        }
        Ok(answer.get_mut("result").map(Value::take).unwrap_or_default())
    }

    /// Sends a message, and gives the answer to it where there is one.
    fn post(
        &mut self,
        method: &str,
        name: Option<&str>,
        message: &Value,
        max: u64,
    ) -> Result<Option<Value>, Unanswered> {
        let headers = self.headers(method, name)?;
        let total = self.limits.total.saturating_sub(self.started.elapsed());
        let limits = Limits { bytes: max, total, ..self.limits };
        let id = message.get("id");
        let task = async {
            let body = message.to_string();
            let answer = self.client.post_json(&self.url, &headers, body, &limits).await?;
            let session = answer.header("mcp-session-id").map(str::to_owned);
            let found = self.read(answer, id).await?;
            Ok::<_, Unanswered>((session, found))
        };
        let (session, found) = self.runtime.block_on(task)?;
        if let Some(session) = session {
            self.id = HeaderValue::from_str(&session).ok();
        }
        Ok(found)
    }

    fn headers(&self, method: &str, name: Option<&str>) -> Result<HeaderMap, FetchError> {
        let mut headers = HeaderMap::new();
        let mut put = |key: &'static str, text: &str| {
            let value = HeaderValue::from_str(text).map_err(|_| {
                self.wrong(format!("`{}` cannot be asked for", text.escape_debug()))
            })?;
            headers.insert(HeaderName::from_static(key), value);
            Ok::<_, FetchError>(())
        };
        put("accept", "application/json, text/event-stream")?;
        put("mcp-protocol-version", self.version)?;
        if self.version == MODERN {
            put("mcp-method", method)?;
            if let Some(name) = name {
                put("mcp-name", name)?;
            }
        }
        if let Some(token) = &self.token {
            headers.insert(HeaderName::from_static("authorization"), token.clone());
        }
        if let Some(id) = &self.id {
            headers.insert(HeaderName::from_static("mcp-session-id"), id.clone());
        }
        Ok(headers)
    }

    /// The message that answers the question of this id.
    async fn read(
        &self,
        mut answer: Answer,
        id: Option<&Value>,
    ) -> Result<Option<Value>, Unanswered> {
        let Some(id) = id else { return Ok(answer.good().map(|_| None)?) };
        let is_it = |message: &Value| {
            message.get("id") == Some(id)
                && (message.get("result").is_some() || message.get("error").is_some())
        };
        let kind = answer.header("content-type").unwrap_or_default().to_ascii_lowercase();
        if kind.starts_with("text/event-stream") {
            answer = answer.good()?;
            let mut events = Events::default();
            while let Some(chunk) = answer.chunk().await? {
                for data in events.push(&chunk) {
                    // What is no message is none of ours.
                    let message = serde_json::from_slice::<Value>(&data).ok();
                    if let Some(message) = message.filter(&is_it) {
                        return Ok(Some(message));
                    }
                }
            }
            return Err(self.wrong("its stream ended without an answer").into());
        }
        if matches!(answer.status(), 401 | 403) {
            let origin = self.url.origin().ascii_serialization();
            let why = format!(
                "it answers {}: it wants a token, as in `{VARIABLE}={origin}=TOKEN`",
                answer.status()
            );
            return Err(self.wrong(why).into());
        }
        let status = hone_net::Error::Status {
            url: self.url.to_string(),
            code: answer.status(),
            retry_after: answer.retry_after(),
        };
        let is_good = answer.is_success();
        let bytes = answer.bytes().await?;
        match serde_json::from_slice::<Value>(&bytes) {
            Ok(message) if is_it(&message) => Ok(Some(message)),
            // A server that could not even read the question does not know its id.
            Ok(message) if !is_good && message.get("error").is_some() => Ok(Some(message)),
            _ if !is_good => Err(status.into()),
            Ok(_) => Err(self.wrong("its answer is to another question").into()),
            Err(error) => Err(self.wrong(format!("its answer is no JSON: {error}")).into()),
        }
    }
}

fn bearer(token: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn client_info() -> Value {
    json!({"name": "hone", "version": env!("CARGO_PKG_VERSION")})
}

/// The events of a stream, as their bytes come. The stream's own bound is the bound on what is kept.
#[derive(Default)]
struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    is_after_return: bool,
}

impl Events {
    /// Takes more bytes, and gives the data of the events that are whole.
    fn push(&mut self, bytes: &[u8]) -> Vec<Vec<u8>> {
        let mut whole = Vec::new();
        for byte in bytes {
            let is_second = *byte == b'\n' && std::mem::take(&mut self.is_after_return);
            match byte {
                b'\n' if is_second => {}
                b'\n' | b'\r' => {
                    self.is_after_return = *byte == b'\r';
                    let line = std::mem::take(&mut self.line);
                    if line.is_empty() && !self.data.is_empty() {
                        whole.push(std::mem::take(&mut self.data));
                    } else if let Some(data) = line.strip_prefix(b"data:") {
                        self.data.extend(data.strip_prefix(b" ").unwrap_or(data));
                        self.data.push(b'\n');
                    }
                }
                _ => self.line.push(*byte),
            }
        }
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_stream_is_cut() {
        let stream =
            b": hello\r\n\r\nevent: message\r\nid: 7\r\ndata: {\"a\":\r\ndata:1}\r\n\r\ndata: x\n\ndata: y\r\r";
        let all: Vec<&[u8]> = vec![b"{\"a\":\n1}\n", b"x\n", b"y\n"];
        for size in 1..stream.len() {
            let mut events = Events::default();
            let found: Vec<Vec<u8>> =
                stream.chunks(size).flat_map(|chunk| events.push(chunk)).collect();
            assert_eq!(found, all, "in pieces of {size}");
        }
    }
}
