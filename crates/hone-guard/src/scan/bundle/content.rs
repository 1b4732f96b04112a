//! What is taken of one file: all of it, or of a long one its start and its end. From a disk and from
//! memory it is the same.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

pub(super) enum Content {
    Whole(Vec<u8>),
    /// Of a long file its start and its end, with a line break between, and its length.
    Ends {
        bytes: Vec<u8>,
        length: u64,
    },
}

pub(super) fn read_bounded(path: &Path, most: u64) -> io::Result<Content> {
    use std::io::{Seek as _, SeekFrom};
    let mut file = File::open(path)?;
    let mut bytes = Vec::new();
    (&mut file).take(most).read_to_end(&mut bytes)?;
    let length = file.metadata()?.len();
    if length <= bytes.len() as u64 {
        return Ok(Content::Whole(bytes));
    }
    bytes.truncate(bytes.len() / 2);
    let half = bytes.len() as u64;
    bytes.push(b'\n');
    file.seek(SeekFrom::Start(length - half))?;
    file.take(half).read_to_end(&mut bytes)?;
    Ok(Content::Ends { bytes, length })
}

/// As [`read_bounded`], of bytes in memory.
pub(super) fn bounded(bytes: &[u8], most: u64) -> Content {
    let (length, most) = (bytes.len(), usize::try_from(most).unwrap_or(usize::MAX));
    if length <= most {
        return Content::Whole(bytes.to_vec());
    }
    let half = most / 2;
    let bytes = [&bytes[..half], b"\n", &bytes[length - half..]].concat();
    Content::Ends { bytes, length: length as u64 }
}
