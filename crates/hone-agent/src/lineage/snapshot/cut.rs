//! From files to chunks in packs.
//!
//! A chunk that the newest snapshot has is not written again. One of the database of which few pages changed
//! is written as those pages: a patch of the whole chunk that lies in the store, never of another patch, so
//! that a chunk is read from two places at most.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::mpsc::Sender;

use super::super::digest::Digest;
use super::error::SnapshotError;
use super::manifest::{
    CHUNK_BYTES, Chunk, Manifest, Member, PACK_BYTES, PAGE_BYTES, PAGES, Pack, chunk_bound,
};
use super::memo::{Pages, pages};
use super::seal::AgentKey;

/// How hard to pack: more takes long and gains little.
const LEVEL: i32 = 3;
/// A chunk that lies there as it is.
pub(super) const PLAIN: u8 = 0;
/// A chunk that is packed with zstd.
pub(super) const PACKED: u8 = 1;
/// Pages of a chunk, packed with zstd: which ones, by two bytes with a bit for each, and their bytes.
pub(super) const PATCH: u8 = 2;
/// Pages of a patch at most: of a chunk that changed more than that all is written.
const MAX_PATCHED_PAGES: usize = PAGES / 2;
/// Of a pack that is used again, one part in this many is still needed at least; what is needed of
/// others is written anew, so that removal can free the rest.
const MIN_LIVE: u64 = 2;

/// What was cut.
pub(super) struct Cut {
    pub(super) packs: Vec<Pack>,
    pub(super) members: Vec<Member>,
    /// Chunks that were there already.
    pub(super) reused: u64,
    /// The pages of the whole chunks of the database.
    pub(super) pages: Pages,
}

/// Cuts the files of a copy of a brain.
pub(super) struct Cutter {
    pub(super) agent: String,
    pub(super) number: u64,
    pub(super) version: u64,
    pub(super) key: AgentKey,
    pub(super) folder: PathBuf,
    pub(super) files: Vec<(String, u64, bool)>,
    /// The file whose pages are looked at.
    pub(super) database: &'static str,
    /// The newest snapshot, whose chunks are used again.
    pub(super) head: Option<Manifest>,
    /// What is remembered of pages.
    pub(super) known: Pages,
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

    /// A chunk of the newest snapshot, with the places of its packs in the new one.
    fn carried(&mut self, head: &Manifest, mut chunk: Chunk) -> Chunk {
        let known = self.again.get(&chunk.0).copied();
        let pack = known.unwrap_or_else(|| self.add(head.packs[chunk.0 as usize]));
        self.again.insert(chunk.0, pack);
        chunk.0 = pack;
        chunk.5 = chunk.5.map(|base| Box::new(self.carried(head, *base)));
        chunk
    }

    /// Puts what is sealed into the pack under way; gives pack, offset and length.
    fn put(
        &mut self,
        sealed: &[u8],
        (number, version): (u64, u64),
    ) -> Result<(u32, u64, u32), SnapshotError> {
        let (at, mut bytes) = self.open.take().unwrap_or_else(|| {
            let pack = Pack { name: Digest([0; 32]), bytes: 0, number, version };
            (self.add(pack), Vec::with_capacity(PACK_BYTES))
        });
        let place = (at, bytes.len() as u64, u32::try_from(sealed.len()).unwrap_or(u32::MAX));
        bytes.extend_from_slice(sealed);
        let is_full = bytes.len() >= PACK_BYTES;
        self.open = Some((at, bytes));
        if is_full {
            self.close()?;
        }
        Ok(place)
    }
}

impl Cutter {
    /// Cuts everything; packs go out as they fill.
    pub(super) fn run(self, send: Sender<(Digest, Vec<u8>)>) -> Result<Cut, SnapshotError> {
        let failed = |error| SnapshotError::Io { path: self.folder.clone(), error };
        let mut cutting = Cutting {
            compressor: zstd::bulk::Compressor::new(LEVEL).map_err(failed)?,
            places: self.head.as_ref().map(reusable).unwrap_or_default(),
            packs: Packs { list: Vec::new(), again: HashMap::new(), open: None, send },
            fresh: HashMap::new(),
            pages: Pages::default(),
            reused: 0,
            cutter: &self,
        };
        let mut members = Vec::with_capacity(self.files.len());
        for (path, bytes, executable) in &self.files {
            let before = self.before(path);
            let mut chunks = Vec::new();
            each_chunk(&self.folder.join(path), |bytes| {
                let before = before.and_then(|before| before.chunks.get(chunks.len()));
                let chunk = cutting.chunk(path, bytes, before)?;
                self.done.fetch_add(bytes.len() as u64, Ordering::Relaxed);
                chunks.push(for_member(chunk, path));
                Ok(())
            })?;
            let (path, bytes, executable) = (path.clone(), *bytes, *executable);
            members.push(Member { path, bytes, executable, chunks });
        }
        cutting.packs.close()?;
        let Cutting { packs, pages, reused, .. } = cutting;
        Ok(Cut { packs: packs.list, members, reused, pages })
    }

    /// The database as the newest snapshot has it: what patches can be made of.
    fn before(&self, path: &str) -> Option<&Member> {
        let members = self.head.as_ref().filter(|_| path == self.database)?.members.iter();
        members.into_iter().find(|member| member.path == path)
    }
}

/// Cutting under way.
struct Cutting<'a> {
    cutter: &'a Cutter,
    compressor: zstd::bulk::Compressor<'static>,
    /// Chunks of the newest snapshot that may be used again.
    places: HashMap<Digest, Chunk>,
    packs: Packs,
    /// Chunks of this one.
    fresh: HashMap<Digest, Chunk>,
    pages: Pages,
    reused: u64,
}

impl Cutting<'_> {
    /// Where a chunk lies: where it lay already, or where it is put now. `before` is what the newest
    /// snapshot has in its place.
    fn chunk(
        &mut self,
        path: &str,
        bytes: &[u8],
        before: Option<&Chunk>,
    ) -> Result<Chunk, SnapshotError> {
        let digest = Digest::of(bytes);
        if let Some(known) = self.fresh.get(&digest) {
            self.reused += 1;
            return Ok(known.clone());
        }
        let has_pages = path == self.cutter.database;
        let chunk = if let (Some(place), Some(head)) = (self.places.get(&digest), &self.cutter.head)
        {
            self.reused += 1;
            let chunk = self.packs.carried(head, place.clone());
            if has_pages {
                self.keep_carried(&chunk, bytes);
            }
            chunk
        } else {
            let now = has_pages.then(|| pages(bytes)).flatten();
            if let Some(patch) = self.patch(path, bytes, digest, now.as_ref(), before)? {
                patch
            } else {
                if let Some(now) = &now {
                    self.pages.keep(digest, now);
                }
                self.whole(path, bytes, digest)?
            }
        };
        self.fresh.insert(digest, chunk.clone());
        Ok(chunk)
    }

    /// Remembers the pages of a chunk that was there already. Those of one that is there as a patch cannot be
    /// told from its bytes.
    fn keep_carried(&mut self, chunk: &Chunk, bytes: &[u8]) {
        let whole = chunk.whole().3;
        if let Some(known) = self.cutter.known.of(&whole) {
            self.pages.keep(whole, known);
        } else if chunk.5.is_none()
            && let Some(own) = pages(bytes)
        {
            self.pages.keep(whole, &own);
        }
    }

    /// Writes a chunk as a patch of the whole chunk that was in its place, when few pages are others.
    fn patch(
        &mut self,
        path: &str,
        bytes: &[u8],
        digest: Digest,
        now: Option<&[Digest; PAGES]>,
        before: Option<&Chunk>,
    ) -> Result<Option<Chunk>, SnapshotError> {
        let (Some(now), Some(before), Some(head)) = (now, before, &self.cutter.head) else {
            return Ok(None);
        };
        // A chunk in a pack of which little is needed is not used again.
        let Some(base) = self.places.get(&before.whole().3).filter(|base| base.5.is_none()) else {
            return Ok(None);
        };
        let Some(was) = self.cutter.known.of(&base.3) else { return Ok(None) };
        let changed: Vec<usize> = (0..PAGES).filter(|at| was[*at] != now[*at]).collect();
        if changed.len() > MAX_PATCHED_PAGES {
            return Ok(None);
        }
        let base = self.packs.carried(head, base.clone());
        let bits = changed.iter().fold(0_u16, |bits, at| bits | 1 << at);
        let mut plain = bits.to_be_bytes().to_vec();
        for at in changed {
            plain.extend_from_slice(&bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES]);
        }
        let packed = self.packed(&plain)?;
        let (pack, offset, length) = self.seal(path, PATCH, &packed)?;
        self.pages.keep(base.3, was);
        let path = Some(path.to_owned());
        Ok(Some(Chunk(pack, offset, length, digest, path, Some(Box::new(base)))))
    }

    fn whole(&mut self, path: &str, bytes: &[u8], digest: Digest) -> Result<Chunk, SnapshotError> {
        let packed = self.packed(bytes)?;
        let (pack, offset, length) = if packed.len() < bytes.len() {
            self.seal(path, PACKED, &packed)?
        } else {
            self.seal(path, PLAIN, bytes)?
        };
        Ok(Chunk(pack, offset, length, digest, Some(path.to_owned()), None))
    }

    fn packed(&mut self, bytes: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let failed = |error| SnapshotError::Io { path: self.cutter.folder.clone(), error };
        self.compressor.compress(bytes).map_err(failed)
    }

    /// Seals bytes behind a mark, and puts them into a pack.
    fn seal(
        &mut self,
        path: &str,
        mark: u8,
        body: &[u8],
    ) -> Result<(u32, u64, u32), SnapshotError> {
        let Cutter { agent, number, version, key, .. } = self.cutter;
        let mut plain = Vec::with_capacity(1 + body.len());
        plain.push(mark);
        plain.extend_from_slice(body);
        let sealed = key.seal(&chunk_bound(agent, *number, *version, path), &plain)?;
        self.packs.put(&sealed, (*number, *version))
    }
}

/// A chunk as the list of a member names it: with a path only when that is another one.
fn for_member(mut chunk: Chunk, path: &str) -> Chunk {
    chunk.4 = chunk.4.filter(|born| born != path);
    chunk.5 = chunk.5.map(|base| Box::new(for_member(*base, path)));
    chunk
}

/// A chunk of a member with the path that it was sealed for.
fn with_path(chunk: &Chunk, path: &str) -> Chunk {
    let mut chunk = chunk.clone();
    chunk.4 = chunk.4.or_else(|| Some(path.to_owned()));
    chunk.5 = chunk.5.map(|base| Box::new(with_path(&base, path)));
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

/// The chunks of a snapshot that lie in packs of which enough is needed, and the whole ones that patches are
/// made of.
fn reusable(head: &Manifest) -> HashMap<Digest, Chunk> {
    let chunks = || {
        head.members
            .iter()
            .flat_map(|member| member.chunks.iter().map(move |chunk| (&member.path, chunk)))
    };
    let mut live = vec![0_u64; head.packs.len()];
    let mut seen = HashSet::new();
    for part in chunks().flat_map(|(_, chunk)| chunk.parts()) {
        if seen.insert((part.0, part.1)) {
            live[part.0 as usize] += u64::from(part.2);
        }
    }
    let is_worth = |part: &Chunk| {
        let at = part.0 as usize;
        live[at].saturating_mul(MIN_LIVE) >= head.packs[at].bytes
    };
    let mut places = HashMap::new();
    for (path, chunk) in chunks() {
        for part in chunk.parts().filter(|part| part.parts().all(is_worth)) {
            // A whole chunk before a patch that gives the same.
            let place = places.entry(part.3).or_insert_with(|| with_path(part, path));
            if place.5.is_some() && part.5.is_none() {
                *place = with_path(part, path);
            }
        }
    }
    places
}
