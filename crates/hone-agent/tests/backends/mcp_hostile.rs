//! A server of tools over HTTP that answers more than anyone can use.

use std::convert::Infallible;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Json;
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_util::StreamExt;
use futures_util::stream::repeat;
use hone_agent::step::Outcome;
use hone_agent::tools::ToolResult;
use hone_agent::tools::mcp::{Connected, MAX_ANSWER_BYTES};
use hone_library::McpServer;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::mcp::{call, connect_to};

/// What the tools of the server do.
const TOOLS: [&str; 7] =
    ["at", "past", "endless_json", "endless_events", "endless_refusal", "forbidden", "no_message"];

/// How much of an endless answer may be on its way when nobody reads it any more: the buffers of both
/// ends, which systems make as large as 32 MiB each.
const ON_ITS_WAY: usize = 64 * 1024 * 1024;

#[derive(Clone, Default)]
struct Sent(Arc<AtomicUsize>);

impl Sent {
    /// The same byte for ever.
    fn endless(&self, byte: u8) -> Body {
        let sent = self.clone();
        Body::from_stream(repeat(Bytes::from(vec![byte; 65_536])).map(move |piece| {
            sent.0.fetch_add(piece.len(), Ordering::Relaxed);
            Ok::<_, Infallible>(piece)
        }))
    }
}

async fn answer(State(sent): State<Sent>, Json(asked): Json<Value>) -> Response {
    let is_past = asked["params"]["name"] == "past";
    let result = match asked["method"].as_str().unwrap() {
        "initialize" => json!({
            "protocolVersion": asked["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        }),
        "tools/list" => {
            let tool = |name| json!({"name": name, "inputSchema": {"type": "object"}});
            json!({"tools": TOOLS.map(tool)})
        }
        "tools/call" => match asked["params"]["name"].as_str().unwrap() {
            "at" | "past" => json!({"content": [{"type": "text", "text": "small"}]}),
            "endless_json" => return typed("application/json", sent.endless(b' ')),
            // One comment that never ends.
            "endless_events" => return typed("text/event-stream", sent.endless(b':')),
            "endless_refusal" => {
                let body = sent.endless(b'x');
                return (StatusCode::INTERNAL_SERVER_ERROR, body).into_response();
            }
            "forbidden" => return StatusCode::UNAUTHORIZED.into_response(),
            _ => return typed("application/json", Body::from("{}")),
        },
        _ => return StatusCode::ACCEPTED.into_response(),
    };
    let mut body = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
    if asked["method"] == "tools/call" {
        let padding = MAX_ANSWER_BYTES - body.len() + usize::from(is_past);
        body.push_str(&" ".repeat(padding));
    }
    typed("application/json", Body::from(body))
}

fn typed(kind: &'static str, body: Body) -> Response {
    ([("content-type", kind)], body).into_response()
}

async fn hostile() -> (Connected, Sent) {
    let sent = Sent::default();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}/mcp?token=hidden", listener.local_addr().unwrap());
    let router = Router::new().route("/mcp", post(answer)).with_state(sent.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let server = McpServer {
        name: "one".to_owned(),
        command: None,
        args: Vec::new(),
        env: Vec::new(),
        url: Some(url),
        api_key_env: None,
        tools: None,
        timeout: 60,
    };
    let connected = connect_to(&[server]).await;
    assert_eq!(connected.problems, []);
    (connected, sent)
}

#[tokio::test]
async fn an_answer_has_an_end_and_the_next_call_works() {
    let (connected, sent) = hostile().await;
    let good = ToolResult::ok("small", "mcp__one__at: 5 characters");
    let too_long = format!("is longer than {MAX_ANSWER_BYTES} bytes");
    for name in ["past", "endless_json", "endless_events", "endless_refusal"] {
        assert_eq!(call(&connected, "mcp__one__at", json!({})).await, good);
        sent.0.store(0, Ordering::Relaxed);
        let stopped = call(&connected, &format!("mcp__one__{name}"), json!({})).await;
        assert_eq!(stopped.outcome, Outcome::Failed, "{name}");
        assert!(stopped.text.contains(&too_long), "{name}: {}", stopped.text);
        let taken = sent.0.load(Ordering::Relaxed);
        assert!(taken <= MAX_ANSWER_BYTES + ON_ITS_WAY, "{name}: {taken} bytes");
    }
    assert_eq!(call(&connected, "mcp__one__at", json!({})).await, good);
}

#[tokio::test]
async fn a_refusal_says_what_to_do_and_hides_the_address() {
    let (connected, _) = hostile().await;
    let forbidden = call(&connected, "mcp__one__forbidden", json!({})).await;
    assert!(forbidden.text.contains("HTTP 401 Unauthorized; `api_key_env`"), "{}", forbidden.text);
    let no_message = call(&connected, "mcp__one__no_message", json!({})).await;
    assert!(no_message.text.contains("no message of the protocol"), "{}", no_message.text);
    for result in [forbidden, no_message] {
        assert_eq!(result.outcome, Outcome::Failed);
        assert!(!result.text.contains("hidden"), "{}", result.text);
    }
}
