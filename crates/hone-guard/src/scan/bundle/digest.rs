//! The digest of a skill, over paths and contents, and the key that a report on it is kept under. Each part
//! counts with its length, so that no two skills look alike.

use super::Bundle;
use sha2::{Digest as _, Sha256};

pub(super) fn hexadecimal(hash: Sha256) -> String {
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        use std::fmt::Write as _;
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Bundle {
    /// What a report on it depends on: the content, and what the disk said besides. The digest alone
    /// does not know that a file could not be read or where a link leads today.
    pub(crate) fn key(&self) -> String {
        let mut hash = Sha256::new();
        add(
            &mut hash,
            b"content",
            self.digest.as_bytes(),
            format!("{:?}", self.oddities).as_bytes(),
        );
        hexadecimal(hash)
    }
}

pub(super) fn add(hash: &mut Sha256, kind: &[u8], path: &[u8], content: &[u8]) {
    for part in [kind, path, content] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
}
