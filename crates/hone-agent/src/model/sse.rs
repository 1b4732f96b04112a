//! Server-sent events: the `data` of each, from bytes in pieces of any size.

/// Longest line, in bytes.
pub(super) const MAX_LINE_BYTES: usize = 4_000_000;

/// A line is longer than [`MAX_LINE_BYTES`].
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LineTooLong;

/// Reads a stream of events.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Option<String>,
}

impl Events {
    /// Takes the next bytes and gives the data of the events that they complete.
    pub(super) fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, LineTooLong> {
        let mut done = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.line.len() + part.len() > MAX_LINE_BYTES {
                return Err(LineTooLong);
            }
            self.line.extend_from_slice(part);
            if part.ends_with(b"\n") {
                self.end_line(&mut done);
            }
        }
        Ok(done)
    }

    /// The data of an event that the end of the stream completes.
    pub(super) fn finish(mut self) -> Option<String> {
        let mut done = Vec::new();
        self.end_line(&mut done);
        done.pop().or(self.data)
    }

    fn end_line(&mut self, done: &mut Vec<String>) {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end_matches(['\r', '\n']);
        if line.is_empty() {
            done.extend(self.data.take());
        } else if let Some(value) = line.strip_prefix("data:") {
            let value = value.strip_prefix(' ').unwrap_or(value);
            match &mut self.data {
                Some(data) => {
                    data.push('\n');
                    data.push_str(value);
                }
                None => self.data = Some(value.to_owned()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        ": ping\r\nevent: x\r\ndata: {\"a\":1}\r\n\r\ndata:one\ndata: two\n\nid: 3\n\ndata: last";

    #[test]
    fn the_data_of_events_is_the_same_in_pieces_of_any_size() {
        for size in 1..=STREAM.len() {
            let mut events = Events::default();
            let mut all = Vec::new();
            for piece in STREAM.as_bytes().chunks(size) {
                all.extend(events.push(piece).unwrap());
            }
            all.extend(events.finish());
            assert_eq!(all, ["{\"a\":1}", "one\ntwo", "last"], "{size}");
        }
    }

    #[test]
    fn a_line_may_be_as_long_as_the_limit_and_not_one_byte_more() {
        let mut events = Events::default();
        let line = vec![b'x'; MAX_LINE_BYTES];
        assert_eq!(events.push(&line), Ok(vec![]));
        assert_eq!(events.push(b"x"), Err(LineTooLong));
    }
}
