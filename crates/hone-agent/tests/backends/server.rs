//! A scripted server: it answers the requests in order and keeps what was asked.

use std::collections::VecDeque;
use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::Response;
use hone_agent::model::{
    Choice, Expects, Message, Model, ModelError, Reply, Request, Retries, Role, ToolSpec, Usage,
    Wire, client, connect,
};
use hone_net::Url;
use hone_router::Secret;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "sk-test-0123456789";

/// One answer of the server.
#[derive(Clone)]
pub(crate) struct Scripted {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
    /// Whether the connection breaks after the body.
    pub(crate) is_cut: bool,
    /// Whether nothing more comes after the body.
    pub(crate) hangs: bool,
}

impl Scripted {
    pub(crate) fn new(status: u16, kind: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type", kind.to_owned())];
        Self { status, headers, body: body.into(), is_cut: false, hangs: false }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::new(status, "application/json", body.to_string())
    }

    /// Server-sent events with these data.
    pub(crate) fn events(data: &[Value]) -> Self {
        let lines: Vec<String> = data.iter().map(|data| format!("data: {data}\n\n")).collect();
        let text = lines.concat();
        Self::new(200, "text/event-stream", text)
    }

    pub(crate) fn then_text(mut self, text: &str) -> Self {
        self.body.extend_from_slice(text.as_bytes());
        self
    }

    pub(crate) fn with(mut self, header: &'static str, value: &str) -> Self {
        self.headers.push((header, value.to_owned()));
        self
    }

    pub(crate) fn cut(mut self) -> Self {
        self.is_cut = true;
        self
    }

    pub(crate) fn hanging(mut self) -> Self {
        self.hangs = true;
        self
    }
}

/// A request as it came.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

#[derive(Clone, Default)]
struct Shared {
    answers: Arc<Mutex<VecDeque<Scripted>>>,
    asked: Arc<Mutex<Vec<Asked>>>,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    shared: Shared,
}

impl Server {
    pub(crate) async fn start(answers: impl IntoIterator<Item = Scripted>) -> Self {
        let shared = Shared::default();
        shared.answers.lock().unwrap().extend(answers);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let router = Router::new().fallback(answer).with_state(shared.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { port, shared }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.shared.asked.lock().unwrap().clone()
    }

    pub(crate) fn base(&self, path: &str) -> Url {
        Url::parse(&format!("http://127.0.0.1:{}{path}", self.port)).unwrap()
    }

    pub(crate) fn choice(&self, wire: Wire) -> Choice {
        Choice {
            wire,
            base_url: self.base(if wire == Wire::OpenAi { "/v1" } else { "" }),
            model: "small".to_owned(),
            key: Some(Secret::new(KEY)),
            has_native_tools: false,
            streams: false,
            constrains: false,
            timeout: Duration::from_secs(30),
        }
    }
}

async fn answer(
    State(shared): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let body = serde_json::from_slice(&body).unwrap_or_default();
    shared.asked.lock().unwrap().push(Asked { method, path: uri.path().to_owned(), headers, body });
    let scripted = shared.answers.lock().unwrap().pop_front();
    let Some(scripted) = scripted else {
        let mut response = Response::new(Body::from("the script is over"));
        *response.status_mut() = StatusCode::NOT_IMPLEMENTED;
        return response;
    };
    let mut response = Response::builder().status(scripted.status);
    for (name, value) in &scripted.headers {
        response = response.header(*name, value);
    }
    let body = if scripted.is_cut || scripted.hangs {
        Body::new(Broken { bytes: Some(scripted.body.into()), hangs: scripted.hangs })
    } else {
        Body::from(scripted.body)
    };
    response.body(body).unwrap()
}

/// A body that breaks, or never ends, after its bytes.
struct Broken {
    bytes: Option<Bytes>,
    hangs: bool,
}

impl http_body::Body for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, std::io::Error>>> {
        use std::task::Poll;
        match self.bytes.take() {
            Some(bytes) => Poll::Ready(Some(Ok(http_body::Frame::data(bytes)))),
            None if self.hangs => Poll::Pending,
            None => Poll::Ready(Some(Err(std::io::Error::other("cut")))),
        }
    }
}

/// Three retries that a test need not wait for.
pub(crate) fn quick() -> Retries {
    Retries {
        most: 3,
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(4),
        jitter: Arc::new(|| 1.0),
    }
}

pub(crate) fn model(choice: &Choice) -> Arc<dyn Model> {
    connect(choice, client(|_| None).unwrap(), quick()).unwrap()
}

/// A short conversation.
pub(crate) fn request() -> Request {
    let message = |role, content: &str| Message { role, content: content.to_owned() };
    Request {
        messages: vec![
            message(Role::System, "be brief"),
            message(Role::User, "one"),
            message(Role::Assistant, "two"),
            message(Role::User, "three"),
            message(Role::User, "four"),
            message(Role::Assistant, ""),
        ],
        temperature: 0.1,
        max_tokens: 50,
        tools: Arc::new([ToolSpec {
            name: "look".to_owned(),
            description: "Looks.".to_owned(),
            schema: json!({"type": "object", "properties": {"at": {"type": "string"}}}),
        }]),
        expects: Expects::CallOrAnswer,
    }
}

pub(crate) async fn ask(choice: &Choice) -> Result<Reply, ModelError> {
    model(choice).ask(&request(), &CancellationToken::new()).await
}

pub(crate) fn reply(text: &str, input: u64, output: u64) -> Reply {
    Reply {
        text: text.to_owned(),
        model: "small-1".to_owned(),
        usage: Usage { input, output, is_estimate: false },
        is_cut: false,
    }
}

/// A whole answer of the chat API.
pub(crate) fn chat(text: &str) -> Scripted {
    Scripted::json(
        200,
        &json!({
            "model": "small-1",
            "choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        }),
    )
}
