//! Standard input on its way to the protocol.
//!
//! A line that cannot be read is passed over there without an answer, so that two programs never answer
//! each other's errors; here the first is told. A request that is only too long or too deep to be read, or
//! that is no JSON somewhere behind its id, is answered all the same: whoever sent it waits.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rmcp::RoleServer;
use rmcp::model::{ErrorData, RequestId};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::{AsyncRwTransport, DEFAULT_MAX_LINE_LENGTH};
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
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
    /// The message, as long as it may be one.
    bytes: Vec<u8>,
}

/// What an outline tells of a request.
#[derive(Debug, serde::Deserialize)]
struct Asked {
    id: RequestId,
    #[serde(rename = "method")]
    _method: String,
}

/// Whatever the protocol can read as JSON; unlike `IgnoredAny`, texts and numbers are read too.
struct Readable;

impl<'de> Deserialize<'de> for Readable {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Self)
    }
}

impl<'de> Visitor<'de> for Readable {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_str<E>(self, _: &str) -> Result<Self, E> {
        Ok(self)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self, A::Error> {
        while list.next_element::<Self>()?.is_some() {}
        Ok(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self, A::Error> {
        while map.next_entry::<Self, Self>()?.is_some() {}
        Ok(self)
    }
}

impl Line {
    fn take(&mut self, byte: u8) {
        self.length += 1;
        match self.length {
            ..MAX_MESSAGE_BYTES => self.bytes.push(byte),
            _ => self.bytes = Vec::new(),
        }
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
        if self.deepest > MAX_MESSAGE_DEPTH {
            return Some(format!(
                "a message nested deeper than {MAX_MESSAGE_DEPTH} levels is not read"
            ));
        }
        // A blank line is nothing.
        if self.deepest == 0 {
            return None;
        }
        let bytes = self.bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&self.bytes);
        let error = serde_json::from_slice::<Readable>(bytes).err()?;
        Some(format!("a message that is no JSON is not read: {error}"))
    }

    /// Who waits for an answer; none when that cannot be told for sure.
    fn asked(mut self) -> Option<Asked> {
        // A text, a word or a number that the end has cut may have gone on.
        let is_whole = !self.in_text && self.outline.ends_with(b"\"");
        if self.depth > 1 || self.depth == 1 && is_whole {
            self.outline.push(b'}');
        }
        serde_json::from_slice(&self.outline).ok()
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
            match line.asked() {
                Some(asked) => {
                    let error = ErrorData::invalid_request(problem, None);
                    let _ = self
                        .refuse
                        .send(TxJsonRpcMessage::<RoleServer>::error(error, Some(asked.id)));
                }
                None if !self.is_told => {
                    self.is_told = true;
                    (self.note)(&problem);
                }
                None => {}
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
    fn what_is_no_json_is_a_problem_wherever_it_breaks() {
        for good in [
            "{\"a\": \"\\ud83d\\ude00\"}",
            "[{\"a\": [1, -2.5e3, true, null, \"x\"]}]",
            "\u{feff} {} \r",
        ] {
            assert_eq!(problem(&[good]), None, "{good}");
        }
        for bad in [
            "{\"a\": \"cut \\ud83d\"}",
            "{\"a\": \"\\ude00\"}",
            "{\"a\": 1",
            "{\"a\": \"x",
            "{\"a\": [}",
            "{\"a\": 1}}",
            "{\"a\" 1}",
            "{\"a\": NaN}",
            "{\"a\": 1e400}",
            "{\"a\": \"\t\"}",
        ] {
            let told = problem(&[bad]).unwrap();
            assert!(told.starts_with("a message that is no JSON is not read: "), "{bad}: {told}");
        }
        let mut line = line(&["{\"a\": \""]);
        b"\xff\"}".iter().for_each(|byte| line.take(*byte));
        assert!(line.problem().is_some());
    }

    #[test]
    fn of_a_request_that_was_cut_the_id_counts_only_when_it_is_whole() {
        let id = |text: &str| line(&[text]).asked().map(|asked| asked.id.to_string());
        for text in [
            "{\"id\": 10, \"method\": \"tools/list\"",
            "{\"id\": 10, \"method\": \"tools/call\", \"params\": {\"a\": [1",
            "{\"id\": 10, \"method\": \"tools/call\", \"params\": {\"a\": \"x",
        ] {
            assert_eq!(id(text).as_deref(), Some("10"), "{text}");
        }
        for text in [
            "{\"method\": \"tools/list\", \"id\": 1",
            "{\"method\": \"tools/list\", \"id\": \"1",
            "{\"id\": 1, \"method\": \"tools/li",
            "{\"id\": 1",
        ] {
            assert_eq!(id(text), None, "{text}");
        }
    }

    #[test]
    fn the_outline_of_a_request_has_its_id_wherever_that_stands() {
        let id = |text: &str| line(&[text]).asked().map(|asked| asked.id.to_string());
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
