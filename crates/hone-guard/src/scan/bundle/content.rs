//! What is taken of one file: all of it, or of a long one its start and its end. From a disk and from
//! memory it is the same.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::path::Path;

pub(super) enum Content {
    Whole(Vec<u8>),
    /// Of a long file its start and its end, with a line break between, and its length.
    Ends {
        bytes: Vec<u8>,
        length: u64,
        /// Absent where too much is left out to be counted.
        gap: Option<Gap>,
    },
}

/// What is left out of a long file, as lines: the place of its end in what is looked at, and in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Gap {
    /// The line, from 1, at which the end begins in what is looked at.
    shown: usize,
    /// The line, from 1, at which the end begins in the file.
    line: usize,
    /// Bytes of that line in the file that stand before the end.
    column: usize,
}

impl Gap {
    /// Line and column in the file for those in what is looked at.
    pub(crate) fn in_file(&self, (line, column): (usize, usize)) -> (usize, usize) {
        match line.checked_sub(self.shown) {
            None => (line, column),
            Some(0) => (self.line, column + self.column),
            Some(below) => (self.line + below, column),
        }
    }

    /// The line in what is looked at for one in the file.
    pub(crate) fn in_shown(&self, line: usize) -> usize {
        line.checked_sub(self.line).map_or(line, |below| self.shown + below)
    }

    /// The line in what is looked at with which the end begins.
    pub(crate) fn end(&self) -> usize {
        self.shown
    }
}

/// Counts lines: the line breaks so far, and the bytes behind the last one.
#[derive(Default)]
struct Lines {
    breaks: usize,
    column: usize,
}

impl Lines {
    fn add(&mut self, bytes: &[u8]) {
        self.breaks += bytes.split(|byte| *byte == b'\n').count() - 1;
        match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(last) => self.column = bytes.len() - last - 1,
            None => self.column += bytes.len(),
        }
    }

    /// Counts what is left out behind a start, in parts.
    fn gap(start: &[u8], mut left_out: impl Read) -> io::Result<Gap> {
        const PART: usize = 64 * 1024;
        let mut lines = Self::default();
        lines.add(start);
        // The line break between both ends begins one more line.
        let shown = lines.breaks + 2;
        let mut part = vec![0; PART];
        loop {
            let read = left_out.read(&mut part)?;
            if read == 0 {
                return Ok(Gap { shown, line: lines.breaks + 1, column: lines.column });
            }
            lines.add(&part[..read]);
        }
    }
}

/// Takes so many bytes of a file. What is left out is read to count its lines, unless it is more than
/// `counted` bytes.
pub(super) fn read_bounded(path: &Path, most: u64, counted: u64) -> io::Result<Content> {
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(most).read_to_end(&mut bytes)?;
    let length = file.metadata()?.len();
    if length <= bytes.len() as u64 {
        return Ok(Content::Whole(bytes));
    }
    bytes.truncate(bytes.len() / 2);
    let half = bytes.len() as u64;
    let left_out = length - 2 * half;
    let gap = if left_out <= counted {
        file.seek(SeekFrom::Start(half))?;
        Some(Lines::gap(&bytes, (&mut file).take(left_out))?)
    } else {
        None
    };
    bytes.push(b'\n');
    file.seek(SeekFrom::Start(length - half))?;
    file.take(half).read_to_end(&mut bytes)?;
    Ok(Content::Ends { bytes, length, gap })
}

/// As [`read_bounded`], of bytes in memory.
pub(super) fn bounded(bytes: &[u8], most: u64, counted: u64) -> Content {
    let (length, most) = (bytes.len(), usize::try_from(most).unwrap_or(usize::MAX));
    if length <= most {
        return Content::Whole(bytes.to_vec());
    }
    let half = most / 2;
    let (start, left_out) = (&bytes[..half], &bytes[half..length - half]);
    let is_counted = left_out.len() as u64 <= counted;
    let gap = if is_counted { Lines::gap(start, left_out).ok() } else { None };
    let bytes = [start, b"\n", &bytes[length - half..]].concat();
    Content::Ends { bytes, length: length as u64, gap }
}
