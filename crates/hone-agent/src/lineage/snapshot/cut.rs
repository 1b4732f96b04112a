//! From files to chunks in packs, and from packs to chunks.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::Sender;

use super::super::digest::Digest;
use super::error::SnapshotError;
use super::manifest::{CHUNK_BYTES, Chunk, Manifest, Member, PACK_BYTES, Pack, chunk_bound};
use super::seal::AgentKey;

/// How hard to pack: more takes long and gains little.
const LEVEL: i32 = 3;
/// A chunk that lies there as it is.
const PLAIN: u8 = 0;
/// A chunk that is packed with zstd.
const PACKED: u8 = 1;
/// Of a pack that is used again, one part in this many is still needed at least; what is needed of
/// others is written anew, so that removal can free the rest.
const MIN_LIVE: u64 = 2;

/// Where a chunk lies already.
struct Place {
    pack: u32,
    offset: u64,
    length: u32,
    path: String,
}

/// What was cut.
pub(super) struct Cut {
    pub(super) packs: Vec<Pack>,
    pub(super) members: Vec<Member>,
    /// Chunks that were there already.
    pub(super) reused: u64,
}

/// Cuts the files of a copy of a brain.
pub(super) struct Cutter {
    pub(super) agent: String,
    pub(super) number: u64,
    pub(super) version: u64,
    pub(super) key: AgentKey,
    pub(super) folder: PathBuf,
    pub(super) files: Vec<(String, u64, bool)>,
    /// The newest snapshot, whose chunks are used again.
    pub(super) head: Option<Manifest>,
    /// Bytes that are cut.
    pub(super) done: Arc<AtomicU64>,
}

/// Packs under way.
struct Packs {
    /// All of the manifest, with the last one under way.
    list: Vec<Pack>,
    /// Those of the newest snapshot, by their place there.
    again: HashMap<u32, u32>,
    /// The one under way, and what it is among all.
    open: Option<(u32, Vec<u8>)>,
    send: Sender<(Digest, Vec<u8>)>,
}

impl Packs {
    /// Ends the pack under way and hands it on.
    fn close(&mut self) -> Result<(), SnapshotError> {
        if let Some((at, bytes)) = self.open.take() {
            let name = Digest::of(&bytes);
            let pack = &mut self.list[at as usize];
            (pack.name, pack.bytes) = (name, bytes.len() as u64);
            // Nobody takes it: the upload failed or was cancelled, and says so itself.
            self.send.blocking_send((name, bytes)).map_err(|_| SnapshotError::Cancelled)?;
        }
        Ok(())
    }

    fn add(&mut self, pack: Pack) -> u32 {
        self.list.push(pack);
        u32::try_from(self.list.len() - 1).unwrap_or(u32::MAX)
    }
}

impl Cutter {
    /// Cuts everything; packs go out as they fill.
    pub(super) fn run(self, send: Sender<(Digest, Vec<u8>)>) -> Result<Cut, SnapshotError> {
        let failed = |error| SnapshotError::Io { path: self.folder.clone(), error };
        let mut compressor = zstd::bulk::Compressor::new(LEVEL).map_err(failed)?;
        let mut places = self.head.as_ref().map(reusable).unwrap_or_default();
        let mut packs = Packs { list: Vec::new(), again: HashMap::new(), open: None, send };
        let (mut members, mut reused) = (Vec::with_capacity(self.files.len()), 0);
        let mut fresh: HashMap<Digest, Chunk> = HashMap::new();
        for (path, bytes, executable) in &self.files {
            let mut chunks = Vec::new();
            each_chunk(&self.folder.join(path), |bytes| {
                let digest = Digest::of(bytes);
                self.done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                if let Some(known) = fresh.get(&digest) {
                    chunks.push(for_member(known.clone(), path));
                    reused += 1;
                    return Ok(());
                }
                let chunk = if let Some(place) = places.remove(&digest) {
                    let pack = *packs.again.entry(place.pack).or_insert_with(|| {
                        let pack = self.head.as_ref().map(|head| head.packs[place.pack as usize]);
                        // There is a head, since it told the place.
                        packs.list.extend(pack);
                        u32::try_from(packs.list.len() - 1).unwrap_or(u32::MAX)
                    });
                    reused += 1;
                    Chunk(pack, place.offset, place.length, digest, Some(place.path))
                } else {
                    let packed = compressor.compress(bytes).map_err(failed)?;
                    let (mark, body) = if packed.len() < bytes.len() {
                        (PACKED, &packed[..])
                    } else {
                        (PLAIN, bytes)
                    };
                    let mut plain = Vec::with_capacity(1 + body.len());
                    plain.push(mark);
                    plain.extend_from_slice(body);
                    let bound = chunk_bound(&self.agent, self.number, self.version, path);
                    let sealed = self.key.seal(&bound, &plain)?;
                    if packs.open.is_none() {
                        let (number, version) = (self.number, self.version);
                        let at =
                            packs.add(Pack { name: Digest([0; 32]), bytes: 0, number, version });
                        packs.open = Some((at, Vec::with_capacity(PACK_BYTES)));
                    }
                    let Some((at, open)) = &mut packs.open else { return Ok(()) };
                    let length = u32::try_from(sealed.len()).unwrap_or(u32::MAX);
                    let chunk = Chunk(*at, open.len() as u64, length, digest, Some(path.clone()));
                    open.extend_from_slice(&sealed);
                    if open.len() >= PACK_BYTES {
                        packs.close()?;
                    }
                    chunk
                };
                fresh.insert(digest, chunk.clone());
                chunks.push(for_member(chunk, path));
                Ok(())
            })?;
            members.push(Member {
                path: path.clone(),
                bytes: *bytes,
                executable: *executable,
                chunks,
            });
        }
        packs.close()?;
        Ok(Cut { packs: packs.list, members, reused })
    }
}

/// A chunk as the list of a member names it: with a path only when that is another one.
fn for_member(mut chunk: Chunk, path: &str) -> Chunk {
    chunk.4 = chunk.4.filter(|born| born != path);
    chunk
}

/// Calls `each` with every chunk of a file.
pub(super) fn each_chunk(
    path: &Path,
    mut each: impl FnMut(&[u8]) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    let mut file = File::open(path).map_err(SnapshotError::io(path))?;
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        let mut filled = 0;
        while filled < CHUNK_BYTES {
            match file.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(read) => filled += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(SnapshotError::io(path)(error)),
            }
        }
        if filled == 0 {
            return Ok(());
        }
        each(&buffer[..filled])?;
    }
}

/// The chunks of a snapshot that lie in packs of which enough is needed.
fn reusable(head: &Manifest) -> HashMap<Digest, Place> {
    let chunks = || {
        head.members
            .iter()
            .flat_map(|member| member.chunks.iter().map(move |chunk| (member, chunk)))
    };
    let mut live = vec![0_u64; head.packs.len()];
    let mut seen = HashSet::new();
    for (_, Chunk(pack, offset, length, ..)) in chunks() {
        if seen.insert((*pack, *offset)) {
            live[*pack as usize] += u64::from(*length);
        }
    }
    let is_worth = |pack: u32| {
        let at = pack as usize;
        live[at].saturating_mul(MIN_LIVE) >= head.packs[at].bytes
    };
    chunks()
        .filter(|(_, chunk)| is_worth(chunk.0))
        .map(|(member, Chunk(pack, offset, length, digest, born))| {
            let path = born.as_ref().unwrap_or(&member.path).clone();
            (*digest, Place { pack: *pack, offset: *offset, length: *length, path })
        })
        .collect()
}

/// Opens chunks of an agent.
pub(super) struct Opener<'a> {
    agent: &'a str,
    key: &'a AgentKey,
    decompressor: zstd::bulk::Decompressor<'static>,
    plain: Vec<u8>,
}

impl<'a> Opener<'a> {
    pub(super) fn new(agent: &'a str, key: &'a AgentKey) -> Result<Self, SnapshotError> {
        let decompressor =
            zstd::bulk::Decompressor::new().map_err(SnapshotError::io(Path::new("zstd")))?;
        Ok(Self { agent, key, decompressor, plain: vec![0; CHUNK_BYTES] })
    }

    /// A chunk of a member, from the bytes of its pack.
    pub(super) fn chunk(
        &mut self,
        manifest: &Manifest,
        member: &Member,
        at: usize,
        bytes: &[u8],
    ) -> Result<&[u8], SnapshotError> {
        let wrong =
            |why: &str| SnapshotError::damaged(&member.path, format!("its chunk {at} {why}"));
        let Chunk(pack, offset, length, digest, born) = &member.chunks[at];
        let pack = &manifest.packs[*pack as usize];
        let path = born.as_ref().unwrap_or(&member.path);
        let bound = chunk_bound(self.agent, pack.number, pack.version, path);
        let start = usize::try_from(*offset).unwrap_or(usize::MAX);
        let sealed = start.checked_add(*length as usize).and_then(|end| bytes.get(start..end));
        let opened = sealed.and_then(|sealed| self.key.open(&bound, sealed));
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
        if Digest::of(plain) != *digest {
            return Err(wrong("is not the one that was signed"));
        }
        Ok(plain)
    }
}
