//! From packs to chunks.

use std::path::Path;

use super::super::digest::Digest;
use super::cut::{PACKED, PATCH, PLAIN};
use super::error::SnapshotError;
use super::manifest::{CHUNK_BYTES, Chunk, Manifest, Member, PAGE_BYTES, chunk_bound};
use super::seal::AgentKey;

/// Bytes in front of the pages of a patch.
const PATCH_HEAD: usize = 2;

/// Opens chunks of an agent.
pub(super) struct Opener<'a> {
    agent: &'a str,
    key: &'a AgentKey,
    decompressor: zstd::bulk::Decompressor<'static>,
    plain: Vec<u8>,
    patch: Vec<u8>,
}

impl<'a> Opener<'a> {
    pub(super) fn new(agent: &'a str, key: &'a AgentKey) -> Result<Self, SnapshotError> {
        let decompressor =
            zstd::bulk::Decompressor::new().map_err(SnapshotError::io(Path::new("zstd")))?;
        let (plain, patch) = (vec![0; CHUNK_BYTES], vec![0; PATCH_HEAD + CHUNK_BYTES]);
        Ok(Self { agent, key, decompressor, plain, patch })
    }

    /// The whole chunk at a place of a member, or the one that the chunk there is a patch of, from the bytes
    /// of its pack.
    pub(super) fn whole(
        &mut self,
        manifest: &Manifest,
        member: &Member,
        at: usize,
        bytes: &[u8],
    ) -> Result<&[u8], SnapshotError> {
        let wrong = |why: &str| wrong(member, at, why);
        let chunk = member.chunks[at].whole();
        let opened = self.opened(manifest, member, chunk, bytes);
        let opened = opened.ok_or_else(|| wrong("does not open"))?;
        let expected = member.chunk_bytes(at);
        match opened.split_first() {
            Some((&PLAIN, plain)) if plain.len() == expected => {
                self.plain[..expected].copy_from_slice(plain);
            }
            Some((&PACKED, packed)) => {
                // Into a space of the expected size: a bomb does not fit.
                let size = self
                    .decompressor
                    .decompress_to_buffer(packed, &mut self.plain[..expected])
                    .map_err(|_| wrong("does not unpack to its size"))?;
                if size != expected {
                    return Err(wrong("does not unpack to its size"));
                }
            }
            _ => return Err(wrong("has another size")),
        }
        let plain = &self.plain[..expected];
        if Digest::of(plain) != chunk.3 {
            return Err(wrong("is not the one that was signed"));
        }
        Ok(plain)
    }

    /// Makes the chunk at a place of a member of the whole one that it is a patch of, from the bytes of the
    /// pack of the patch.
    pub(super) fn patch(
        &mut self,
        manifest: &Manifest,
        member: &Member,
        at: usize,
        bytes: &[u8],
        plain: &mut [u8],
    ) -> Result<(), SnapshotError> {
        let wrong = |why: &str| wrong(member, at, why);
        let chunk = &member.chunks[at];
        let opened = self.opened(manifest, member, chunk, bytes);
        let opened = opened.ok_or_else(|| wrong("does not open"))?;
        let Some((&PATCH, packed)) = opened.split_first() else {
            return Err(wrong("is no patch"));
        };
        let size = self
            .decompressor
            .decompress_to_buffer(packed, &mut self.patch[..])
            .map_err(|_| wrong("does not unpack to its size"))?;
        let Some((bits, pages)) = self.patch[..size].split_first_chunk::<PATCH_HEAD>() else {
            return Err(wrong("is no patch"));
        };
        let bits = u16::from_be_bytes(*bits);
        if pages.len() != bits.count_ones() as usize * PAGE_BYTES {
            return Err(wrong("does not unpack to its size"));
        }
        let mut pages = pages.chunks_exact(PAGE_BYTES);
        for (page, into) in plain.chunks_exact_mut(PAGE_BYTES).enumerate() {
            if bits & (1 << page) != 0 {
                into.copy_from_slice(pages.next().ok_or_else(|| wrong("is no patch"))?);
            }
        }
        if Digest::of(plain) != chunk.3 {
            return Err(wrong("is not the one that was signed"));
        }
        Ok(())
    }

    /// What was sealed for a chunk of a member; nothing when it is not that.
    fn opened(
        &self,
        manifest: &Manifest,
        member: &Member,
        Chunk(pack, offset, length, _, born, _): &Chunk,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        let pack = &manifest.packs[*pack as usize];
        let path = born.as_ref().unwrap_or(&member.path);
        let bound = chunk_bound(self.agent, pack.number, pack.version, path);
        let start = usize::try_from(*offset).ok()?;
        let sealed = bytes.get(start..start.checked_add(*length as usize)?)?;
        self.key.open(&bound, sealed)
    }
}

fn wrong(member: &Member, at: usize, why: &str) -> SnapshotError {
    SnapshotError::damaged(&member.path, format!("its chunk {at} {why}"))
}
