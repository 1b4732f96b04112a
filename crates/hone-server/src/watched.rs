//! Standard input on its way to the protocol. A line that cannot be a message is passed over there
//! without an answer, so that two programs never answer each other's errors; here the first is told.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// A reader whose lines are looked at in passing: only at how each begins.
pub(crate) struct Watched<R> {
    inner: R,
    note: fn(&str),
    is_told: bool,
    at_start: bool,
}

impl<R> Watched<R> {
    pub(crate) fn new(inner: R, note: fn(&str)) -> Self {
        Self { inner, note, is_told: false, at_start: true }
    }

    /// Whether a line starts here with something else than an object or a list of them.
    fn is_foreign(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                b'\n' => self.at_start = true,
                // Blanks, and the three bytes of a mark at the start of a file.
                b' ' | b'\t' | b'\r' | 0xef | 0xbb | 0xbf if self.at_start => {}
                b'{' | b'[' => self.at_start = false,
                _ if self.at_start => return true,
                _ => {}
            }
        }
        false
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
        if !self.is_told && self.is_foreign(&buffer.filled()[before..]) {
            self.is_told = true;
            (self.note)("a line that is no JSON was passed over; MCP has one message a line");
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_start_of_a_line_counts_however_it_is_cut() {
        let foreign = |pieces: &[&str]| {
            let mut watched = Watched::new(io::empty(), |_| {});
            pieces.iter().any(|piece| watched.is_foreign(piece.as_bytes()))
        };
        assert!(!foreign(&["{\"a\": \"x", "y\"}\n", "\r\n", " [{}]\n", "\u{feff}{}"]));
        assert!(foreign(&["{}\n", "hello\n"]));
        assert!(foreign(&["{}\n ", "x"]));
        assert!(foreign(&["GET / HTTP/1.1\r\n"]));
    }
}
