//! From files to chunks in packs.
//!
//! A chunk that the newest snapshot has is not written again. One of the database of which few pages changed
//! is written as those pages: a patch of the whole chunk that lies in the store, never of another patch, so
//! that a chunk is read from two places at most.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{self, ScopedJoinHandle};

use tokio::sync::mpsc::Sender;

use super::super::digest::Digest;
use super::error::SnapshotError;
use super::manifest::{
    CHUNK_BYTES, Chunk, Manifest, Member, PACK_BYTES, PAGE_BYTES, PAGES, Pack, chunk_bound,
};
use super::memo::{Pages, pages};
use super::seal::AgentKey;

/// Chunks that are worked on at a time.
const BATCH: usize = 128;
/// Threads that work on them at most.
const MAX_HANDS: usize = 16;
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
    /// Cuts everything; packs go out as they fill. Chunks are read, hashed, packed and sealed on all cores, a
    /// batch at a time. Where each lies is decided in their order, so the number of cores does not show.
    pub(super) fn run(self, send: Sender<(Digest, Vec<u8>)>) -> Result<Cut, SnapshotError> {
        let mut hands = Hands::new().map_err(SnapshotError::io(&self.folder))?;
        let mut cutting = Cutting {
            places: self.head.as_ref().map(reusable).unwrap_or_default(),
            packs: Packs { list: Vec::new(), again: HashMap::new(), open: None, send },
            fresh: HashMap::new(),
            pages: Pages::default(),
            reused: 0,
            before: self.before(),
            cutter: &self,
        };
        let empty = |(path, bytes, executable): &(String, u64, bool)| {
            let (path, chunks) = (path.clone(), Vec::new());
            Member { path, bytes: *bytes, executable: *executable, chunks }
        };
        let mut members: Vec<Member> = self.files.iter().map(empty).collect();
        let mut spots = self.files.iter().enumerate().flat_map(|(file, (_, bytes, _))| {
            let starts = (0..*bytes).step_by(CHUNK_BYTES);
            starts.enumerate().map(move |(at, start)| Spot { file, at, start })
        });
        loop {
            let batch: Vec<Spot> = spots.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                break;
            }
            let looked = hands.each(batch, |_, spot| cutting.look(spot))?;
            let fated = looked.into_iter().map(|looked| {
                let fate = cutting.fate(&looked);
                (looked, fate)
            });
            let fated: Vec<(Looked, Fate)> = fated.collect();
            let sealed = hands.each(fated, |compressor, (looked, fate)| {
                let sealed = cutting.sealed(compressor, &looked, &fate)?;
                Ok((looked, fate, sealed))
            })?;
            for (looked, fate, sealed) in sealed {
                let chunk = cutting.placed(&looked, fate, &sealed)?;
                self.done.fetch_add(looked.bytes.len() as u64, Ordering::Relaxed);
                let member = &mut members[looked.spot.file];
                member.chunks.push(for_member(chunk, &member.path));
            }
        }
        cutting.packs.close()?;
        let Cutting { packs, pages, reused, .. } = cutting;
        Ok(Cut { packs: packs.list, members, reused, pages })
    }

    /// The database as the newest snapshot has it: what patches can be made of.
    fn before(&self) -> Option<&Member> {
        let mut members = self.head.as_ref()?.members.iter();
        members.find(|member| member.path == self.database)
    }
}

/// Who works on chunks: one on each core.
struct Hands(Vec<Compressor>);

type Compressor = zstd::bulk::Compressor<'static>;

impl Hands {
    fn new() -> io::Result<Self> {
        let cores = thread::available_parallelism().map_or(1, usize::from).min(MAX_HANDS);
        (0..cores).map(|_| Compressor::new(LEVEL)).collect::<io::Result<_>>().map(Self)
    }

    /// Does `work` for each item; the results come in the order of the items.
    fn each<T: Send, R: Send>(
        &mut self,
        items: Vec<T>,
        work: impl Fn(&mut Compressor, T) -> Result<R, SnapshotError> + Sync,
    ) -> Result<Vec<R>, SnapshotError> {
        let share = items.len().div_ceil(self.0.len());
        let (mut items, work) = (items.into_iter(), &work);
        thread::scope(|scope| {
            let mut started: Vec<ScopedJoinHandle<'_, Result<Vec<R>, _>>> = Vec::new();
            for hand in &mut self.0 {
                let mine: Vec<T> = items.by_ref().take(share).collect();
                let work = move || mine.into_iter().map(|item| work(&mut *hand, item)).collect();
                started.push(scope.spawn(work));
            }
            let mut all = Vec::new();
            for thread in started {
                let done = thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                all.extend(done?);
            }
            Ok(all)
        })
    }
}

/// A chunk of a file, by their places and where it starts.
#[derive(Clone, Copy)]
struct Spot {
    file: usize,
    at: usize,
    start: u64,
}

/// A chunk that was read.
struct Looked {
    spot: Spot,
    bytes: Vec<u8>,
    digest: Digest,
    /// The digests of its pages, when it is one of the database and they are not known.
    pages: Option<[Digest; PAGES]>,
}

/// What becomes of a chunk.
enum Fate {
    /// One before it is the same.
    Again,
    /// It lies in the store.
    Lies(Chunk),
    /// Its pages are written that the whole chunk that lies in the store has not.
    Patch { base: Chunk, plain: Vec<u8> },
    /// All of it is written.
    Whole,
}

/// Cutting under way.
struct Cutting<'a> {
    cutter: &'a Cutter,
    /// The database as the newest snapshot has it.
    before: Option<&'a Member>,
    /// Chunks of the newest snapshot that may be used again.
    places: HashMap<Digest, Chunk>,
    packs: Packs,
    /// Chunks of this one; nothing yet of one whose place is still to come.
    fresh: HashMap<Digest, Option<Chunk>>,
    pages: Pages,
    reused: u64,
}

impl Cutting<'_> {
    fn path(&self, spot: Spot) -> &str {
        &self.cutter.files[spot.file].0
    }

    fn has_pages(&self, spot: Spot) -> bool {
        self.path(spot) == self.cutter.database
    }

    /// Reads a chunk of the copy.
    fn look(&self, spot: Spot) -> Result<Looked, SnapshotError> {
        let path = self.cutter.folder.join(self.path(spot));
        let left = self.cutter.files[spot.file].1 - spot.start;
        let mut bytes =
            vec![0; usize::try_from(left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES))];
        File::open(&path)
            .and_then(|file| file.read_exact_at(&mut bytes, spot.start))
            .map_err(SnapshotError::io(&path))?;
        let digest = Digest::of(&bytes);
        let is_known =
            |place: &Chunk| place.5.is_some() || self.cutter.known.of(&place.whole().3).is_some();
        let wants_pages = self.has_pages(spot) && !self.places.get(&digest).is_some_and(is_known);
        let pages = wants_pages.then(|| pages(&bytes)).flatten();
        Ok(Looked { spot, bytes, digest, pages })
    }

    /// Where a chunk lies already, or what is written of it.
    fn fate(&mut self, looked: &Looked) -> Fate {
        let Looked { spot, digest, pages, .. } = looked;
        if self.fresh.contains_key(digest) {
            self.reused += 1;
            return Fate::Again;
        }
        self.fresh.insert(*digest, None);
        if let (Some(place), Some(head)) = (self.places.get(digest), &self.cutter.head) {
            self.reused += 1;
            let chunk = self.packs.carried(head, place.clone());
            if self.has_pages(*spot) {
                self.keep_carried(&chunk, pages.as_ref());
            }
            return Fate::Lies(chunk);
        }
        if let Some(patch) = self.patch(looked) {
            return patch;
        }
        if let Some(pages) = pages {
            self.pages.keep(*digest, pages);
        }
        Fate::Whole
    }

    /// Remembers the pages of a chunk that was there already. Those of one that is there as a patch cannot be
    /// told from its bytes.
    fn keep_carried(&mut self, chunk: &Chunk, own: Option<&[Digest; PAGES]>) {
        let whole = chunk.whole().3;
        if let Some(pages) = self.cutter.known.of(&whole).or(own) {
            self.pages.keep(whole, pages);
        }
    }

    /// A chunk as a patch of the whole chunk that was in its place, when few pages are others.
    fn patch(&mut self, looked: &Looked) -> Option<Fate> {
        let Looked { spot, bytes, pages: now, .. } = looked;
        let (now, head) = (now.as_ref()?, self.cutter.head.as_ref()?);
        let before = self.before.filter(|_| self.has_pages(*spot))?.chunks.get(spot.at)?;
        // A chunk in a pack of which little is needed is not used again.
        let base = self.places.get(&before.whole().3).filter(|base| base.5.is_none())?;
        let was = self.cutter.known.of(&base.3)?;
        let changed: Vec<usize> = (0..PAGES).filter(|at| was[*at] != now[*at]).collect();
        if changed.len() > MAX_PATCHED_PAGES {
            return None;
        }
        let base = self.packs.carried(head, base.clone());
        self.pages.keep(base.3, was);
        let bits = changed.iter().fold(0_u16, |bits, at| bits | 1 << at);
        let mut plain = bits.to_be_bytes().to_vec();
        for at in changed {
            plain.extend_from_slice(&bytes[at * PAGE_BYTES..(at + 1) * PAGE_BYTES]);
        }
        Some(Fate::Patch { base, plain })
    }

    /// What is written of a chunk, packed and sealed; nothing when it lies somewhere.
    fn sealed(
        &self,
        compressor: &mut Compressor,
        looked: &Looked,
        fate: &Fate,
    ) -> Result<Vec<u8>, SnapshotError> {
        let mut packed = |bytes: &[u8]| {
            compressor.compress(bytes).map_err(SnapshotError::io(&self.cutter.folder))
        };
        let path = self.path(looked.spot);
        match fate {
            Fate::Again | Fate::Lies(_) => Ok(Vec::new()),
            Fate::Patch { plain, .. } => self.seal(path, PATCH, &packed(plain)?),
            Fate::Whole => {
                let packed = packed(&looked.bytes)?;
                if packed.len() < looked.bytes.len() {
                    self.seal(path, PACKED, &packed)
                } else {
                    self.seal(path, PLAIN, &looked.bytes)
                }
            }
        }
    }

    /// Seals bytes behind a mark.
    fn seal(&self, path: &str, mark: u8, body: &[u8]) -> Result<Vec<u8>, SnapshotError> {
        let Cutter { agent, number, version, key, .. } = self.cutter;
        let mut plain = Vec::with_capacity(1 + body.len());
        plain.push(mark);
        plain.extend_from_slice(body);
        key.seal(&chunk_bound(agent, *number, *version, path), &plain)
    }

    /// Where a chunk lies: where it lay already, or where it is put now.
    fn placed(
        &mut self,
        looked: &Looked,
        fate: Fate,
        sealed: &[u8],
    ) -> Result<Chunk, SnapshotError> {
        let digest = looked.digest;
        let base = match fate {
            Fate::Again => {
                // The first of them came before it.
                let first = self.fresh.get(&digest).cloned().flatten();
                let none =
                    || SnapshotError::io(&self.cutter.folder)(io::ErrorKind::NotFound.into());
                return first.ok_or_else(none);
            }
            Fate::Lies(chunk) => {
                self.fresh.insert(digest, Some(chunk.clone()));
                return Ok(chunk);
            }
            Fate::Patch { base, .. } => Some(Box::new(base)),
            Fate::Whole => None,
        };
        let (number, version) = (self.cutter.number, self.cutter.version);
        let (pack, offset, length) = self.packs.put(sealed, (number, version))?;
        let path = Some(self.path(looked.spot).to_owned());
        let chunk = Chunk(pack, offset, length, digest, path, base);
        self.fresh.insert(digest, Some(chunk.clone()));
        Ok(chunk)
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
