//! What a skill consists of, by hash: the same bytes and execute bits are the same content on every
//! machine and in every locale.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::install::TreeFile;
use crate::objects;

/// Names the way in which files become the hash of a content.
const FORM: &str = "hone-content-1\n";

/// A file by its hash.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockedFile {
    /// Its path inside the skill, with `/`.
    pub path: String,
    /// SHA-256 of its bytes, in lower-case hex.
    pub sha256: String,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it may be run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
}

impl LockedFile {
    /// A file of these bytes.
    pub fn new(path: &str, bytes: &[u8], executable: bool) -> Self {
        let (path, sha256) = (path.to_owned(), objects::hash(bytes));
        Self { path, sha256, size: bytes.len() as u64, executable }
    }
}

/// The files of a folder, by path. A link counts as what it says, and never equals a file.
pub fn files_of(tree: &BTreeMap<String, TreeFile>) -> Vec<LockedFile> {
    let locked = |(path, file): (&String, &TreeFile)| {
        let mut locked = LockedFile::new(path, &file.bytes, file.is_executable);
        if file.is_link {
            locked.sha256.insert_str(0, "link:");
        }
        locked
    };
    tree.iter().map(locked).collect()
}

/// The hash of every file of a folder, as an [`crate::Arrival`] expects them.
pub fn hashes_of(tree: &BTreeMap<String, TreeFile>) -> BTreeMap<String, String> {
    tree.iter().map(|(path, file)| (path.clone(), objects::hash(&file.bytes))).collect()
}

/// The hash of a content: SHA-256 over the name of the form and, for each file by path, the length of
/// its path, the path, its SHA-256, its size and `x` or `-`.
pub fn content_hash(files: &[LockedFile]) -> String {
    let mut hash = Sha256::new();
    hash.update(FORM);
    for file in files {
        let executable = if file.executable { 'x' } else { '-' };
        let (path, sha256, size) = (&file.path, &file.sha256, file.size);
        hash.update(format!("{}:{path}\n{sha256} {size} {executable}\n", path.len()));
    }
    objects::hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_bytes_and_execute_bits_are_content_and_nothing_else_is() {
        let file = LockedFile::new;
        let of = |files: &[LockedFile]| content_hash(files);
        let one = of(&[file("a", b"x", false)]);
        assert_eq!(one, of(&[file("a", b"x", false)]));
        for other in [
            of(&[]),
            of(&[file("b", b"x", false)]),
            of(&[file("a", b"y", false)]),
            of(&[file("a", b"x", true)]),
            of(&[file("a", b"x", false), file("b", b"", false)]),
        ] {
            assert_ne!(one, other);
        }
    }
}
