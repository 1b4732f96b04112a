//! What this machine remembers of the newest snapshot that it took of an agent, so that the next one costs
//! what changed.
//!
//! It says what the system told about each file when it was packed: a file of which it tells the same is the
//! same, since a write moves the time of its change, which nobody can set. And it says what the pages of
//! each chunk of the database were, so that a chunk of which few changed can be written as a patch. It is a
//! shortcut and no proof: it is about one manifest, a memo that is damaged or about another is no memo, and
//! [`super::Reading::All`] does without.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read as _, Write};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::super::digest::{Digest, from_hex, to_hex};
use super::super::keys::PublicKey;
use super::super::members::{Members, STAMP_BYTES, Stamp};
use super::manifest::{CHUNK_BYTES, PAGE_BYTES, PAGES};

/// The format of the file.
const SCHEMA: &str = "hone/snapshot-memo/1";
/// Chunks whose pages are remembered at most: those of 16 GiB. What is past them is written whole.
pub(super) const MAX_PAGED_CHUNKS: usize = 262_144;
/// Bytes of the file at most.
const MAX_MEMO_BYTES: u64 = 512 * 1024 * 1024;
/// Bytes of a digest.
const DIGEST: usize = 32;
/// Bytes of the pages of a chunk: its digest, and theirs.
const RECORD: usize = DIGEST * (1 + PAGES);

/// What the pages of chunks were, by the digest of the chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pages(BTreeMap<Digest, Box<[Digest; PAGES]>>);

impl Pages {
    /// Those of a chunk.
    pub(super) fn of(&self, chunk: &Digest) -> Option<&[Digest; PAGES]> {
        self.0.get(chunk).map(Box::as_ref)
    }

    /// Remembers those of a chunk, when there is room.
    pub(super) fn keep(&mut self, chunk: Digest, pages: &[Digest; PAGES]) {
        if self.0.len() < MAX_PAGED_CHUNKS {
            self.0.insert(chunk, Box::new(*pages));
        }
    }
}

/// The digest of each page of a whole chunk; none of a shorter one.
pub(super) fn pages(chunk: &[u8]) -> Option<[Digest; PAGES]> {
    if chunk.len() != CHUNK_BYTES {
        return None;
    }
    let mut pages = [Digest([0; DIGEST]); PAGES];
    for (page, bytes) in pages.iter_mut().zip(chunk.chunks_exact(PAGE_BYTES)) {
        *page = Digest::of(bytes);
    }
    Some(pages)
}

/// What the system said about the files of a brain.
pub(super) type Stamps = BTreeMap<String, Stamp>;

/// What the system says about everything that a snapshot of a brain is made of.
pub(super) fn stamps(members: &Members) -> Stamps {
    let files = members.files.iter().chain(&members.apart);
    let files = files.map(|(path, found)| (path.clone(), found.stamp));
    files.chain(members.database.iter().map(|(path, stamp)| (path.clone(), *stamp))).collect()
}

/// What is remembered of one snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Memo {
    /// The digest of its manifest.
    pub(super) manifest: Digest,
    /// The key that signed the first receipt in it.
    pub(super) root: PublicKey,
    /// Each file with what the system said; one that may have changed again in the same moment is left out.
    pub(super) stamps: Stamps,
    /// The pages of its database.
    pub(super) pages: Pages,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    schema: String,
    manifest: Digest,
    root: PublicKey,
    stamps: BTreeMap<String, String>,
    chunks: usize,
}

impl Memo {
    /// What a file says; nothing when it is not there, or not whole.
    pub(super) fn read(path: &Path) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(path).ok()?.take(MAX_MEMO_BYTES + 1).read_to_end(&mut bytes).ok()?;
        let (body, sum) = bytes.split_last_chunk::<DIGEST>()?;
        if bytes.len() as u64 > MAX_MEMO_BYTES || Digest::of(body).0 != *sum {
            return None;
        }
        let end = body.iter().position(|byte| *byte == b'\n')?;
        let head: Head = serde_json::from_slice(&body[..end]).ok()?;
        let records = &body[end + 1..];
        if head.schema != SCHEMA || records.len() != head.chunks.checked_mul(RECORD)? {
            return None;
        }
        let stamp = |(path, hex): (String, String)| {
            from_hex::<STAMP_BYTES>(&hex).map(|bytes| (path, Stamp(bytes)))
        };
        let stamps = head.stamps.into_iter().map(stamp).collect::<Option<_>>()?;
        let mut pages = Pages::default();
        for record in records.chunks_exact(RECORD) {
            let (digests, []) = record.as_chunks::<DIGEST>() else { return None };
            let (chunk, rest) = digests.split_first()?;
            let rest: [[u8; DIGEST]; PAGES] = rest.try_into().ok()?;
            pages.keep(Digest(*chunk), &rest.map(Digest));
        }
        Some(Self { manifest: head.manifest, root: head.root, stamps, pages })
    }

    /// Writes it into a file of its owner, in place of the one that is there.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let around = path.parent().unwrap_or(Path::new("."));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(around)?;
        let file = tempfile::NamedTempFile::new_in(around)?;
        let stamps = self.stamps.iter().map(|(path, stamp)| (path.clone(), to_hex(&stamp.0)));
        let head = Head {
            schema: SCHEMA.to_owned(),
            manifest: self.manifest,
            root: self.root,
            stamps: stamps.collect(),
            chunks: self.pages.0.len(),
        };
        let mut sum = Summed { file: BufWriter::new(file.as_file()), hash: Sha256::new() };
        self.write_to(&mut sum, &head)?;
        sum.flush()?;
        drop(sum);
        // A crash may lose it: what is not whole is not believed.
        file.persist(path).map(drop).map_err(|error| error.error)
    }
}

impl Memo {
    fn write_to(&self, sum: &mut Summed<'_>, head: &Head) -> io::Result<()> {
        serde_json::to_writer(&mut *sum, head)?;
        sum.write_all(b"\n")?;
        for (chunk, pages) in &self.pages.0 {
            sum.write_all(&chunk.0)?;
            for page in pages.iter() {
                sum.write_all(&page.0)?;
            }
        }
        let whole = sum.hash.finalize_reset();
        sum.file.write_all(&whole)
    }
}

/// Bytes on their way into a file, and their digest.
struct Summed<'a> {
    file: BufWriter<&'a File>,
    hash: Sha256,
}

impl Write for Summed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.hash.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lineage::SigningKey;

    fn memo() -> Memo {
        let mut kept = Pages::default();
        kept.keep(Digest::of(b"chunk"), &pages(&vec![7; CHUNK_BYTES]).unwrap());
        Memo {
            manifest: Digest::of(b"manifest"),
            root: SigningKey::from_seed(&[1; 32]).public(),
            stamps: BTreeMap::from([("a\n\"b".to_owned(), Stamp([3; STAMP_BYTES]))]),
            pages: kept,
        }
    }

    #[test]
    fn what_is_remembered_is_read_as_it_was_written_and_not_when_a_byte_is_another() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("seen/memo");
        memo().write(&path).unwrap();
        assert_eq!(Memo::read(&path), Some(memo()));
        let whole = fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, changed).unwrap();
            assert_eq!(Memo::read(&path), None, "byte {at}");
            fs::write(&path, &whole[..at]).unwrap();
            assert_eq!(Memo::read(&path), None, "cut at {at}");
        }
    }

    #[test]
    fn only_whole_chunks_have_pages() {
        assert!(pages(&vec![0; CHUNK_BYTES]).is_some());
        assert_eq!(pages(&vec![0; CHUNK_BYTES - 1]), None);
    }

    #[test]
    fn pages_of_more_chunks_than_there_is_room_for_are_not_kept() {
        let mut kept = Pages::default();
        let none = [Digest([0; DIGEST]); PAGES];
        for at in 0..=MAX_PAGED_CHUNKS {
            kept.keep(Digest::of(&at.to_be_bytes()), &none);
            assert_eq!(kept.of(&Digest::of(&at.to_be_bytes())).is_some(), at < MAX_PAGED_CHUNKS);
        }
    }
}
