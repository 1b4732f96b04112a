//! Standard input on its way to the protocol.
//!
//! A line that cannot be read is passed over there without an answer, so that two programs never answer
//! each other's errors; here the first is told. A request that is only too long or too deep to be read is
//! answered all the same: whoever sent it waits.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde::Deserialize;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// Bytes of a message, its line break included.
pub const MAX_MESSAGE_BYTES: usize = DEFAULT_MAX_LINE_LENGTH;
/// How deep lists and maps of a message are nested, itself included.
pub const MAX_MESSAGE_DEPTH: usize = 127;
/// Bytes that the outline of a message may have.
const MAX_OUTLINE_BYTES: usize = 4096;

type Sending = Pin<Box<dyn Future<Output = io::Result<()>> + Send>>;

/// A client on an input and an output.
pub(crate) struct Lines<R: AsyncRead + Unpin, W: AsyncWrite> {
    read: AsyncRwTransport<RoleServer, Watched<R>, W>,
    refused: UnboundedReceiver<TxJsonRpcMessage<RoleServer>>,
    /// An answer under way: who waits for a message may stop waiting at any time.
    sending: Option<Sending>,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(input: R, output: W, note: fn(&str)) -> Self {
        let (refuse, refused) = unbounded_channel();
        let read = AsyncRwTransport::new(Watched::new(input, note, refuse), output);
        Self { read, refused, sending: None }
    }

    async fn settle(&mut self) -> io::Result<()> {
        let settled = match &mut self.sending {
            Some(sending) => sending.await,
            None => Ok(()),
        };
        self.sending = None;
        settled
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        item: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        self.read.send(item)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            self.settle().await.ok()?;
            let refused = tokio::select! {
                biased;
                Some(refused) = self.refused.recv() => refused,
                message = self.read.receive() => match message {
                    Some(message) => return Some(message),
                    // The end may be read together with what is refused.
                    None => self.refused.try_recv().ok()?,
                },
            };
            self.sending = Some(Box::pin(self.read.send(refused)));
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.read.close().await
    }
}

/// A reader whose lines are looked at in passing.
struct Watched<R> {
    inner: R,
    note: fn(&str),
    is_told: bool,
    line: Line,
    refuse: UnboundedSender<TxJsonRpcMessage<RoleServer>>,
}

/// What is known of the line that is being read.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Line {
    length: usize,
    depth: usize,
    deepest: usize,
    is_foreign: bool,
    in_text: bool,
    is_escaped: bool,
    /// The message without what is nested in it.
    outline: Vec<u8>,
}

/// What an outline tells of a request.
#[derive(Debug, Deserialize)]
struct Asked {
    id: RequestId,
    #[serde(rename = "method")]
    _method: String,
}

impl Line {
    fn take(&mut self, byte: u8) {
        self.length += 1;
        match byte {
            _ if self.in_text => {
                (self.in_text, self.is_escaped) =
                    (self.is_escaped || byte != b'"', !self.is_escaped && byte == b'\\');
                self.sketch(&[byte]);
            }
            b'{' | b'[' => {
                self.sketch(if self.depth == 0 { &b"{"[..] } else { &b"null"[..] });
                self.depth += 1;
                self.deepest = self.deepest.max(self.depth);
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.sketch(if self.depth == 0 { &b"}"[..] } else { &[] });
            }
            // Blanks, and the three bytes of a mark at the start of a file.
            b' ' | b'\t' | b'\r' | 0xef | 0xbb | 0xbf if self.depth == 0 => {}
            // Something else than an object or a list of them.
            _ if self.deepest == 0 => self.is_foreign = true,
            _ => {
                self.in_text = byte == b'"';
                self.sketch(&[byte]);
            }
        }
    }

    fn sketch(&mut self, bytes: &[u8]) {
        if self.depth <= 1 && self.outline.len() <= MAX_OUTLINE_BYTES {
            self.outline.extend_from_slice(bytes);
        }
    }

    /// Why the line cannot be read, as a sentence; none when it may be a message.
    fn problem(&self) -> Option<String> {
        if self.is_foreign {
            return Some(
                "a line that is no JSON was passed over; MCP has one message a line".into(),
            );
        }
        // With its line break.
        if self.length >= MAX_MESSAGE_BYTES {
            return Some(format!("a message of more than {MAX_MESSAGE_BYTES} bytes is not read"));
        }
        (self.deepest > MAX_MESSAGE_DEPTH)
            .then(|| format!("a message nested deeper than {MAX_MESSAGE_DEPTH} levels is not read"))
    }
}

impl<R> Watched<R> {
    fn new(
        inner: R,
        note: fn(&str),
        refuse: UnboundedSender<TxJsonRpcMessage<RoleServer>>,
    ) -> Self {
        Self { inner, note, is_told: false, line: Line::default(), refuse }
    }

    fn look(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if *byte != b'\n' {
                self.line.take(*byte);
                continue;
            }
            let line = std::mem::take(&mut self.line);
            let Some(problem) = line.problem() else { continue };
            match serde_json::from_slice::<Asked>(&line.outline) {
                Ok(asked) => {
                    let error = ErrorData::invalid_request(problem, None);
                    let _ = self
                        .refuse
                        .send(TxJsonRpcMessage::<RoleServer>::error(error, Some(asked.id)));
                }
                Err(_) if !self.is_told => {
                    self.is_told = true;
                    (self.note)(&problem);
                }
                Err(_) => {}
            }
        }
    }
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.look(&buffer.filled()[before..]);
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pieces: &[&str]) -> Line {
        let mut line = Line::default();
        pieces.iter().flat_map(|piece| piece.bytes()).for_each(|byte| line.take(byte));
        line
    }

    fn problem(pieces: &[&str]) -> Option<String> {
        line(pieces).problem()
    }

    #[test]
    fn only_the_start_of_a_line_makes_it_foreign_however_it_is_cut() {
        for good in [&["{\"a\": \"x", "y\"}"][..], &["\r"], &[" [{}]"], &["\u{feff}{}"], &[]] {
            assert_eq!(problem(good), None, "{good:?}");
        }
        for foreign in [&["hello"][..], &[" ", "x"], &["GET / HTTP/1.1\r"], &["\"{}\""]] {
            assert!(problem(foreign).unwrap().starts_with("a line that is no JSON"), "{foreign:?}");
        }
    }

    #[test]
    fn a_message_is_so_deep_and_so_long_at_most() {
        let nested = |depth: usize| {
            format!("{{\"a\": {}\"}}]\\\"[[\"{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1))
        };
        assert_eq!(problem(&[&nested(MAX_MESSAGE_DEPTH)]), None);
        let deeper = "a message nested deeper than 127 levels is not read";
        assert_eq!(problem(&[&nested(MAX_MESSAGE_DEPTH + 1)]).as_deref(), Some(deeper));
        let long = |length: usize| format!("{{\"a\": \"{}\"}}", "x".repeat(length - 9));
        assert_eq!(problem(&[&long(MAX_MESSAGE_BYTES - 1)]), None);
        let longer = "a message of more than 16777216 bytes is not read";
        assert_eq!(problem(&[&long(MAX_MESSAGE_BYTES)]).as_deref(), Some(longer));
    }

    #[test]
    fn the_outline_of_a_request_has_its_id_wherever_that_stands() {
        let id = |text: &str| {
            let outline = line(&[text]).outline;
            serde_json::from_slice::<Asked>(&outline).ok().map(|asked| asked.id.to_string())
        };
        let params = "\"params\": {\"id\": 3, \"x\": [{\"id\": \"}\\\"\"}, 1]}";
        for text in [
            format!("{{\"jsonrpc\": \"2.0\", \"id\": 7, \"method\": \"a{{b\", {params}}}"),
            format!("{{\"method\": \"a\\\"\", {params}, \"jsonrpc\": \"2.0\", \"id\": \"7\"}}"),
        ] {
            assert_eq!(id(&text).as_deref(), Some("7"), "{text}");
        }
        // A notification, an answer, a list, and one whose outline is too long.
        for text in [
            format!("{{\"method\": \"a\", {params}}}"),
            "{\"id\": 7, \"result\": {}}".to_owned(),
            format!("[{{\"id\": 7, \"method\": \"a\", {params}}}]"),
            format!(
                "{{\"x\": \"{}\", \"id\": 7, \"method\": \"a\"}}",
                "x".repeat(MAX_OUTLINE_BYTES)
            ),
        ] {
            assert_eq!(id(&text), None, "{text}");
        }
    }
}
