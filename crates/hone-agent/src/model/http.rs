//! What the backends over HTTP share: one call, its faults, and keys that never show.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use hone_net::{Answer, Client, Error, HeaderMap, Limits, Url, Wait};
use hone_router::Secret;
use serde_json::Value;

use super::{Message, Reply, Request, Role, ToolSpec, Usage};
use crate::model::sse::Events;

/// Largest answer of a backend, in bytes: a stream spends some hundred bytes on every token.
const MAX_ANSWER_BYTES: u64 = 64_000_000;

/// Most bytes of an answer that is an error which are read.
const MAX_ERROR_BYTES: usize = 64_000;

/// Longest reason that is shown, in characters.
const MAX_REASON_CHARS: usize = 400;

/// Shortest key that is taken out of a text; a shorter one would blank out words.
const MIN_REDACTED_BYTES: usize = 6;

/// Shortest key that is taken out of what a task reads and says, in bytes. Servers of this machine take any
/// key, so people give them words (`ollama`, `lm-studio`), which an answer may need.
pub const MIN_CONCEALED_BYTES: usize = 16;

/// What stands in the place of a key.
const REDACTED: &str = "[redacted]";

/// Shortest part of a key that is taken out of a text, in bytes.
const MIN_PART_BYTES: usize = 8;

/// Why one call gave no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) kind: FaultKind,
    /// In words, bounded and without the key.
    pub(super) why: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// The next call may work; the backend may ask to wait before.
    Passing(Option<Duration>),
    /// The next call would end the same.
    Lasting,
    /// It took longer than it may.
    OutOfTime(Duration),
}

impl Fault {
    pub(super) fn lasting(why: impl Into<String>) -> Self {
        Self { kind: FaultKind::Lasting, why: why.into() }
    }

    pub(super) fn passing(why: impl Into<String>) -> Self {
        Self { kind: FaultKind::Passing(None), why: why.into() }
    }
}

/// A call that is on its way.
pub(super) type Calling<'a> = Pin<Box<dyn Future<Output = Result<Reply, Fault>> + Send + 'a>>;

/// A backend, one call at a time.
pub(super) trait Backend: Send + Sync {
    fn backend(&self) -> &'static str;
    fn name(&self) -> &str;
    fn call<'a>(&'a self, request: &'a Request) -> Calling<'a>;
    fn endpoint(&self) -> &Endpoint;
}

/// Where a backend is asked.
pub(super) struct Endpoint {
    pub(super) client: Arc<Client>,
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) key: Option<Secret>,
    pub(super) timeout: Duration,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &self.url.as_str()).finish_non_exhaustive()
    }
}

/// A backend that said no.
pub(super) struct Refusal {
    pub(super) status: u16,
    /// The body, if it is JSON.
    pub(super) body: Value,
    pub(super) fault: Fault,
}

impl Endpoint {
    /// Sends a request. A status that is not good is a refusal.
    pub(super) async fn post(&self, body: String) -> Result<Answer, Refusal> {
        let limits = Limits {
            bytes: MAX_ANSWER_BYTES,
            redirects: 0,
            silence: self.timeout,
            total: self.timeout,
        };
        let answer =
            self.client.post_json(&self.url, &self.headers, body, &limits).await.map_err(
                |error| Refusal { status: 0, body: Value::Null, fault: self.fault(&error) },
            )?;
        if answer.is_success() { Ok(answer) } else { Err(self.refusal(answer).await) }
    }

    async fn refusal(&self, mut answer: Answer) -> Refusal {
        let (status, retry_after) = (answer.status(), answer.retry_after());
        let mut bytes = Vec::new();
        while bytes.len() < MAX_ERROR_BYTES {
            match answer.chunk().await {
                Ok(Some(chunk)) => bytes.extend(chunk),
                // The status says enough when the reason cannot be read.
                Ok(None) | Err(_) => break,
            }
        }
        bytes.truncate(MAX_ERROR_BYTES);
        let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
        let words = reason(&body)
            .map_or_else(|| String::from_utf8_lossy(&bytes).into_owned(), str::to_owned);
        let words = self.shown(&words);
        let why = match (status, words.is_empty()) {
            (401 | 403, _) => format!("it does not take the key ({status}): {words}"),
            (_, true) => format!("status {status}"),
            (_, false) => format!("status {status}: {words}"),
        };
        // A spent account is reported as too many requests, but waiting does not fill it.
        let is_passing = matches!(status, 408 | 409 | 425 | 429 | 500..=599)
            && body.pointer("/error/code").and_then(Value::as_str) != Some("insufficient_quota");
        let kind = if is_passing { FaultKind::Passing(retry_after) } else { FaultKind::Lasting };
        Refusal { status, body, fault: Fault { kind, why } }
    }

    /// Reads a stream of events until `each` says that it is complete.
    pub(super) async fn read_events(
        &self,
        mut answer: Answer,
        mut each: impl FnMut(&str) -> Result<Progress, Fault>,
    ) -> Result<Progress, Fault> {
        let mut events = Events::default();
        while let Some(chunk) = answer.chunk().await.map_err(|error| self.fault(&error))? {
            let done = events.push(&chunk);
            for data in done.map_err(|_| Fault::lasting("it sent a line without end"))? {
                if each(&data)? == Progress::Complete {
                    return Ok(Progress::Complete);
                }
            }
        }
        events.finish().map_or(Ok(Progress::Open), |data| each(&data))
    }

    /// Reads a whole answer.
    pub(super) async fn read_json<T: serde::de::DeserializeOwned>(
        &self,
        answer: Answer,
    ) -> Result<T, Fault> {
        let bytes = answer.bytes().await.map_err(|error| self.fault(&error))?;
        serde_json::from_slice(&bytes).map_err(|error| not_understood(&error))
    }

    pub(super) fn fault(&self, error: &Error) -> Fault {
        let kind = match error {
            Error::OutOfTime { wait: Wait::Bytes | Wait::All, limit, .. } => {
                FaultKind::OutOfTime(*limit)
            }
            // The start of an answer that is not HTTP is what a connection that broke looks like.
            Error::Protocol { .. } => FaultKind::Passing(None),
            error if error.is_passing() => FaultKind::Passing(None),
            _ => FaultKind::Lasting,
        };
        Fault { kind, why: self.shown(&error.to_string()) }
    }

    /// Words of a backend for a message: on one line, bounded, without the key.
    pub(super) fn shown(&self, text: &str) -> String {
        let text = match self.key_of(MIN_REDACTED_BYTES) {
            Some(key) => without_parts(&text.replace(key, REDACTED), key),
            None => text.to_owned(),
        };
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut shown: String = words.chars().take(MAX_REASON_CHARS).collect();
        if shown.len() < words.len() {
            shown.push('…');
        }
        shown.chars().filter(|c| !c.is_control()).collect()
    }

    /// The key, if it has at least so many bytes.
    fn key_of(&self, least: usize) -> Option<&str> {
        self.key.as_ref().map(Secret::expose).filter(|key| key.len() >= least)
    }

    /// What a task reads or says, without the whole key. Parts of one stay: in a document they are words.
    pub(super) fn conceal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match self.key_of(MIN_CONCEALED_BYTES) {
            Some(key) if text.contains(key) => Cow::Owned(text.replace(key, REDACTED)),
            _ => Cow::Borrowed(text),
        }
    }
}

/// A text without any part of a key that is long enough to be one, in letters of any case: a server may
/// give back the key shortened.
fn without_parts(text: &str, key: &str) -> String {
    let lower =
        |text: &str| text.bytes().map(|byte| byte.to_ascii_lowercase()).collect::<Vec<u8>>();
    let (low, key) = (lower(text), lower(key));
    let parts: std::collections::HashSet<&[u8]> = key.windows(MIN_PART_BYTES).collect();
    let mut is_key = vec![false; low.len()];
    for (at, part) in low.windows(MIN_PART_BYTES).enumerate() {
        if parts.contains(part) {
            is_key[at..at + MIN_PART_BYTES].fill(true);
        }
    }
    let (mut shown, mut was_key) = (String::new(), false);
    for (at, c) in text.char_indices() {
        if is_key[at] && !was_key {
            shown.push_str(REDACTED);
        } else if !is_key[at] {
            shown.push(c);
        }
        was_key = is_key[at];
    }
    shown
}

/// How far a stream is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    /// More has to come.
    Open,
    /// All is there.
    Complete,
}

pub(super) fn not_understood(error: &serde_json::Error) -> Fault {
    Fault::passing(format!("its answer is not what the API promises: {error}"))
}

/// The words in the body of an error: `{"error": {"message": …}}`, `{"error": …}` or `{"message": …}`.
pub(super) fn reason(body: &Value) -> Option<&str> {
    ["/error/message", "/error", "/message", "/detail"]
        .iter()
        .find_map(|path| body.pointer(path).and_then(Value::as_str))
}

/// The conversation as every chat template takes it: nothing empty, and nobody speaks twice in a row.
pub(super) fn turns(messages: &[Message]) -> Vec<Message> {
    let mut turns: Vec<Message> = Vec::with_capacity(messages.len());
    for message in messages.iter().filter(|message| !message.content.trim().is_empty()) {
        match turns.last_mut() {
            Some(last) if last.role == message.role && last.role != Role::System => {
                last.content.push_str("\n\n");
                last.content.push_str(&message.content);
            }
            _ => turns.push(message.clone()),
        }
    }
    turns
}

/// The tools that native function calling can name.
pub(super) fn callable(tools: &[ToolSpec]) -> impl Iterator<Item = &ToolSpec> {
    const MAX_NAME_BYTES: usize = 64;
    tools.iter().filter(|tool| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        tool.name.len() <= MAX_NAME_BYTES && tool.name.bytes().all(is_plain)
    })
}

/// A native call as the loop reads it in any model's text.
pub(super) fn call_as_text(name: &str, arguments: &str) -> String {
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    format!("{{\"tool\": {}, \"args\": {arguments}}}", Value::from(name))
}

/// The text of a reply with the calls after it, each on a line.
pub(super) fn with_calls(mut text: String, calls: impl Iterator<Item = String>) -> String {
    for call in calls {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&call);
    }
    text
}

/// What a request and its reply cost, as the backend counted, else as we estimate.
pub(super) fn usage(counted: Option<(u64, u64)>, request: &Request, text: &str) -> Usage {
    match counted {
        Some((input, output)) if input > 0 => Usage { input, output, is_estimate: false },
        _ => Usage {
            input: request.messages.iter().map(|m| token_estimate(&m.content)).sum(),
            output: token_estimate(text),
            is_estimate: true,
        },
    }
}

/// What a text costs, more or less: a token is some four bytes.
fn token_estimate(text: &str) -> u64 {
    text.len().div_ceil(4) as u64
}

/// A temperature as people write it: an `f32` would show its last bits.
pub(super) fn decimal(value: f32) -> f64 {
    (f64::from(value) * 1_000.0).round() / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_concealed_from_sixteen_bytes_on() {
        let endpoint = |key: &str| Endpoint {
            client: crate::model::client(|_| None).unwrap(),
            url: Url::parse("http://localhost/").unwrap(),
            headers: HeaderMap::new(),
            key: Some(Secret::new(key)),
            timeout: Duration::from_secs(1),
        };
        let key = "k".repeat(MIN_CONCEALED_BYTES);
        let text = format!("a {key} b");
        assert_eq!(endpoint(&key).conceal(&text), "a [redacted] b");
        assert!(matches!(endpoint(&key[1..]).conceal(&text), Cow::Borrowed(_)));
        assert!(matches!(endpoint(&key).conceal("nothing"), Cow::Borrowed("nothing")));
    }

    #[test]
    fn parts_of_a_key_are_taken_out_from_eight_bytes_on() {
        let key = "sk-live-0123456789abcdefXYZ";
        for (text, expected) in [
            (
                "bad key sk-live-01234567, it ends in cdefXYZ",
                "bad key [redacted], it ends in cdefXYZ",
            ),
            ("sk-live-", "[redacted]"),
            ("sk-live", "sk-live"),
            ("it ends in BCDEFxyz", "it ends in [redacted]"),
            ("é 0123456789abcdefXYZ é", "é [redacted] é"),
            ("a key", "a key"),
            ("", ""),
        ] {
            assert_eq!(without_parts(text, key), expected);
        }
        assert_eq!(without_parts("secret", "short"), "secret");
    }
}
