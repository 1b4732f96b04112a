//! Lines of a file, one at a time: a line that is too long is passed over, and a file that is too
//! large is read to its bound.

use std::io::{self, BufRead};

/// Bytes of one line at most: more than any record that is not an image.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// What the next line is.
pub(super) enum Line<'b> {
    /// A line without its end.
    Whole(&'b [u8]),
    /// One that was too long.
    TooLong,
}

/// A file as lines.
pub(super) struct Lines<R> {
    from: R,
    buffer: Vec<u8>,
    left: u64,
    /// Whether the file was longer than the bound.
    pub(super) is_cut: bool,
}

impl<R: BufRead> Lines<R> {
    /// Lines of at most `most` bytes together.
    pub(super) fn new(from: R, most: u64) -> Self {
        Self { from, buffer: Vec::new(), left: most, is_cut: false }
    }

    /// The next line; none at the end, or at the bound.
    pub(super) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.buffer.clear();
        let mut is_too_long = false;
        let mut is_empty = true;
        loop {
            let read = self.from.fill_buf()?;
            if read.is_empty() {
                break;
            }
            if self.left == 0 {
                self.is_cut = true;
                // What was read of this line is not all of it.
                return Ok(None);
            }
            is_empty = false;
            let end = read.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(read.len(), |end| end + 1);
            let taken = usize::try_from(self.left).map_or(taken, |left| taken.min(left));
            let is_whole = end.is_some_and(|end| end < taken);
            let text = &read[..if is_whole { taken - 1 } else { taken }];
            if self.buffer.len() + text.len() > MAX_LINE_BYTES {
                is_too_long = true;
                self.buffer.clear();
            } else if !is_too_long {
                self.buffer.extend_from_slice(text);
            }
            self.from.consume(taken);
            self.left -= taken as u64;
            if is_whole {
                break;
            }
        }
        if is_empty {
            return Ok(None);
        }
        Ok(Some(if is_too_long { Line::TooLong } else { Line::Whole(&self.buffer) }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &[u8], most: u64) -> (Vec<String>, bool) {
        let mut lines = Lines::new(io::BufReader::with_capacity(7, text), most);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            found.push(match line {
                Line::Whole(bytes) if bytes.len() > 20 => format!("{} bytes", bytes.len()),
                Line::Whole(bytes) => String::from_utf8(bytes.to_vec()).unwrap(),
                Line::TooLong => "too long".to_owned(),
            });
        }
        (found, lines.is_cut)
    }

    #[test]
    fn lines_come_whole_with_and_without_a_last_end() {
        assert_eq!(all(b"a\n\nbcdefghijklm\nn", 100).0, ["a", "", "bcdefghijklm", "n"]);
        assert_eq!(all(b"a\n", 100).0, ["a"]);
        assert!(all(b"", 100).0.is_empty());
    }

    #[test]
    fn a_file_past_its_bound_ends_with_its_last_whole_line() {
        assert_eq!(all(b"ab\ncd\nef\n", 6), (vec!["ab".to_owned(), "cd".to_owned()], true));
        assert_eq!(all(b"ab\ncd\n", 6), (vec!["ab".to_owned(), "cd".to_owned()], false));
        assert_eq!(all(b"ab\ncd\nef\n", 7), (vec!["ab".to_owned(), "cd".to_owned()], true));
    }

    #[test]
    fn a_line_at_the_bound_is_read_and_one_past_it_is_passed_over() {
        let text =
            format!("{}\n{}\nb\n", "x".repeat(MAX_LINE_BYTES), "y".repeat(MAX_LINE_BYTES + 1));
        let at = format!("{MAX_LINE_BYTES} bytes");
        assert_eq!(all(text.as_bytes(), u64::MAX).0, [at.as_str(), "too long", "b"]);
    }
}
