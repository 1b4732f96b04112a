//! MCP over HTTP with an end to every answer.
//!
//! The client that `rmcp` brings reads a JSON answer whole, however long it is. This one sends the
//! messages itself and stops reading at [`MAX_ANSWER_BYTES`]; the stream of a server's own messages and
//! the end of a session are left to the other, which bounds them.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use hone_net::{HeaderName, HeaderValue, Transport, header};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use sse_stream::{Sse, SseStream};

/// Most bytes of an answer to one message: as many as `rmcp` takes from a program in one line.
pub const MAX_ANSWER_BYTES: usize = 16 * 1024 * 1024;

const JSON: &str = "application/json";
const EVENTS: &str = "text/event-stream";
const SESSION: &str = "mcp-session-id";

type Error = <Transport as StreamableHttpClient>::Error;
type Fault = StreamableHttpError<Error>;

/// Sends messages to a server, and reads what it answers within bounds.
#[derive(Clone)]
pub(super) struct BoundedClient(pub(super) Transport);

impl StreamableHttpClient for BoundedClient {
    type Error = Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let is_in_session = session_id.is_some();
        let mut request = self.0.post(&*uri).json(&message);
        request = request.header(header::ACCEPT, [JSON, EVENTS].join(", "));
        if let Some(key) = auth_header {
            request = request.bearer_auth(key);
        }
        if let Some(id) = session_id {
            request = request.header(SESSION, &*id);
        }
        for (name, value) in custom_headers {
            request = request.header(name, value);
        }
        let mut response = request.send().await.map_err(fault)?;
        let status = response.status();
        match status.as_u16() {
            202 | 204 => return Ok(StreamableHttpPostResponse::Accepted),
            404 if is_in_session => return Err(StreamableHttpError::SessionExpired),
            _ => {}
        }
        let text = |name: &str| response.headers().get(name)?.to_str().ok();
        let session = text(SESSION).map(str::to_owned);
        let streams = text(header::CONTENT_TYPE.as_str()).is_some_and(|it| it.starts_with(EVENTS));
        if status.is_success() && streams {
            let mut left = MAX_ANSWER_BYTES;
            let pieces = response.bytes_stream().map(move |piece| {
                let piece = piece.map_err(|error| io::Error::other(error.without_url()))?;
                let rest = left.checked_sub(piece.len());
                left = rest.ok_or_else(|| io::Error::other(too_long()))?;
                Ok::<_, io::Error>(piece)
            });
            let events = SseStream::from_bytes_stream(pieces).boxed();
            return Ok(StreamableHttpPostResponse::Sse(events, session));
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(fault)? {
            if body.len() + piece.len() > MAX_ANSWER_BYTES {
                return Err(unexpected(too_long()));
            }
            body.extend_from_slice(&piece);
        }
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            Ok(answer) if status.is_success() => {
                Ok(StreamableHttpPostResponse::Json(answer, session))
            }
            Ok(refusal @ ServerJsonRpcMessage::Error(_)) => {
                Ok(StreamableHttpPostResponse::Json(refusal, session))
            }
            _ if matches!(status.as_u16(), 401 | 403) => Err(unexpected(format!(
                "HTTP {status}; `api_key_env` in its entry names the variable that holds its key"
            ))),
            _ if !status.is_success() => Err(unexpected(format!("HTTP {status}"))),
            // Only a request waits for a message.
            _ if !matches!(message, ClientJsonRpcMessage::Request(_)) => {
                Ok(StreamableHttpPostResponse::Accepted)
            }
            _ => Err(unexpected("what it answered is no message of the protocol".to_owned())),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Fault> {
        self.0.delete_session(uri, session_id, auth_header, custom_headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Fault> {
        self.0.get_stream(uri, session_id, last_event_id, auth_header, custom_headers).await
    }
}

/// What is at the bottom of an error, without the address, which may hold a secret.
fn fault(error: Error) -> Fault {
    let error = error.without_url();
    StreamableHttpError::Io(io::Error::other(super::bottom(&error)))
}

fn unexpected(why: String) -> Fault {
    StreamableHttpError::UnexpectedServerResponse(why.into())
}

fn too_long() -> String {
    format!("its answer is longer than {MAX_ANSWER_BYTES} bytes")
}
