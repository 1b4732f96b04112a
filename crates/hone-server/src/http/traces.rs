//! A span for each request, for an OpenTelemetry collector: OTLP over HTTP, in JSON.
//!
//! Written here in a few lines, because the libraries for it bring about ninety more crates. Spans wait in a
//! bounded queue; when the collector is slow they are dropped, and no request waits. That spans do not
//! arrive is noted once.

use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderMap;
use hone_net::{Client, Limits, Url};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::token::hex;

/// Spans that wait at most.
const MAX_WAITING: usize = 4_096;
/// Spans in one request to the collector.
const MAX_AT_ONCE: usize = 512;
/// How long spans are gathered.
const GATHERED: Duration = Duration::from_secs(1);
/// How long the last spans may take when the server stops.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Where spans go.
#[derive(Debug, Clone)]
pub struct Collector {
    /// The way there.
    pub client: Arc<Client>,
    /// The address, with its path, such as `http://127.0.0.1:4318/v1/traces`.
    pub url: Url,
    /// Who hears why the first spans do not arrive.
    pub note: fn(&str),
}

/// The queue of spans.
#[derive(Debug)]
pub(crate) struct Traces(Sender<Value>);

/// One request.
pub(crate) struct Span<'a> {
    pub(crate) method: &'a str,
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    /// When it ended, in milliseconds since 1970.
    pub(crate) ended: i64,
    pub(crate) took: Duration,
    /// The caller's trace and span, when it names them.
    pub(crate) parent: Option<(String, String)>,
}

impl Traces {
    /// Starts to send spans; the task ends when the queue is gone and empty.
    pub(crate) fn to(collector: Collector) -> (Self, JoinHandle<()>) {
        let (queue, waiting) = channel(MAX_WAITING);
        (Self(queue), tokio::spawn(send_all(collector, waiting)))
    }

    /// Queues a span, or drops it.
    pub(crate) fn tell(&self, span: &Span<'_>) {
        let _ = self.0.try_send(span.json());
    }
}

/// Waits for the last spans, for a while.
pub(crate) async fn finish(sending: JoinHandle<()>) {
    let _ = timeout(LAST_WORDS, sending).await;
}

async fn send_all(collector: Collector, mut waiting: Receiver<Value>) {
    let limits = Limits { redirects: 0, ..Limits::default() };
    let (mut spans, mut is_told) = (Vec::new(), false);
    while waiting.recv_many(&mut spans, MAX_AT_ONCE).await > 0 {
        let gather = async {
            while spans.len() < MAX_AT_ONCE {
                let Some(span) = waiting.recv().await else { return };
                spans.push(span);
            }
        };
        let _ = timeout(GATHERED, gather).await;
        let body = json!({"resourceSpans": [{
            "resource": {"attributes": [text("service.name", "hone")]},
            "scopeSpans": [{"scope": {"name": "hone-server"}, "spans": std::mem::take(&mut spans)}],
        }]});
        let sent = collector
            .client
            .post_json(&collector.url, &HeaderMap::new(), body.to_string(), &limits)
            .await;
        let lost = match sent {
            Ok(answer) if answer.status() < 300 => None,
            Ok(answer) => Some(format!("it answers with {}", answer.status())),
            Err(error) => Some(error.to_string()),
        };
        // The server serves on without its collector.
        if let Some(why) = lost.filter(|_| !is_told) {
            is_told = true;
            (collector.note)(&format!(
                "spans do not reach `{}`, and are dropped: {why}",
                collector.url
            ));
        }
    }
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

impl Span<'_> {
    fn json(&self) -> Value {
        let ended = i128::from(self.ended) * 1_000_000;
        let started = ended - i128::try_from(self.took.as_nanos()).unwrap_or_default();
        let mut bytes = [0; 24];
        let _ = getrandom::fill(&mut bytes);
        let (trace, parent) = match &self.parent {
            Some((trace, parent)) => (trace.clone(), parent.clone()),
            None => (hex(&bytes[..16]), String::new()),
        };
        let code = if self.status >= 500 { 2 } else { 0 };
        json!({
            "traceId": trace,
            "spanId": hex(&bytes[16..]),
            "parentSpanId": parent,
            "name": format!("{} {}", self.method, self.route),
            "kind": 2,
            "startTimeUnixNano": started.to_string(),
            "endTimeUnixNano": ended.to_string(),
            "attributes": [
                text("http.request.method", self.method),
                text("http.route", self.route),
                {"key": "http.response.status_code", "value": {"intValue": self.status.to_string()}},
            ],
            "status": {"code": code},
        })
    }
}

/// The trace and the span that a request belongs to (W3C Trace Context).
pub(crate) fn parent(headers: &HeaderMap) -> Option<(String, String)> {
    let text = headers.get("traceparent")?.to_str().ok()?;
    let mut parts = text.split('-');
    let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length: usize| {
        text.len() == length
            && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
            && text.bytes().any(|b| b != b'0')
    };
    (version == "00" && is_hex(trace, 32) && is_hex(span, 16))
        .then(|| (trace.to_owned(), span.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_that_names_its_trace_is_followed_and_nonsense_is_not() {
        let asked = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("traceparent", text.parse().unwrap());
            parent(&headers)
        };
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let known = Some((trace.to_owned(), span.to_owned()));
        assert_eq!(asked(&format!("00-{trace}-{span}-01")), known);
        for wrong in [
            String::new(),
            format!("01-{trace}-{span}-01"),
            format!("00-{trace}-{}-01", "0".repeat(16)),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{trace}"),
        ] {
            assert_eq!(asked(&wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_span_is_as_long_as_its_request() {
        let span = Span {
            method: "GET",
            route: "/a/{b}",
            status: 500,
            ended: 1_000,
            took: Duration::from_millis(250),
            parent: None,
        };
        let made = span.json();
        assert_eq!(
            [&made["startTimeUnixNano"], &made["endTimeUnixNano"], &made["name"]],
            [&json!("750000000"), &json!("1000000000"), &json!("GET /a/{b}")]
        );
        assert_eq!(made["traceId"].as_str().unwrap().len(), 32);
        assert_eq!(made["status"]["code"], 2);
    }
}
