//! Bringing a brain back: into a folder beside the target, everything checked, then one rename.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt as _, OpenOptions, OpenOptionsExt as _};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::mpsc::{self, Receiver, Sender};

use super::super::chain::{check, first};
use super::super::keeper::RECEIPTS_FILE;
use super::super::keys::PublicKey;
use super::super::receipt::State;
use super::super::state::{Layout, state};
use super::error::SnapshotError;
use super::known::Head;
use super::manifest::{CHUNK_BYTES, Manifest, Signer};
use super::open::Opener;
use super::stage::{begins_with, private_folder};
use super::work::Work;
use super::{MAX_AT_ONCE, Progress, Snapshots, Watch, blocking, is_named};

/// Bytes from which on a file is put on the disk by itself.
const LARGE_BYTES: u64 = 4 * 1024 * 1024;
/// Bytes after which that begins.
const FLUSH_BYTES: u64 = 64 * 1024 * 1024;

/// Which snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The newest; an older or another one than is known here is refused.
    Newest,
    /// The one with this number: an older one is what was asked for.
    Exactly(u64),
}

/// Why a chain of receipts is believed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trust {
    /// The key was given.
    Given,
    /// The key was known here.
    Known,
    /// Nobody told the key: it is the one that the receipts themselves name, inside a snapshot that only
    /// a holder of the secret can make. It is known from now on.
    FirstUse,
}

/// A restore.
#[derive(Debug, Clone, Copy)]
pub struct Restoring<'a> {
    /// Where the brain goes: nothing may be there, or an empty folder.
    pub target: &'a Path,
    /// Which snapshot.
    pub which: Which,
    /// The key that must have signed the first receipt, when it was given.
    pub key: Option<PublicKey>,
}

/// What came back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// The snapshot.
    pub number: u64,
    /// The state of the brain.
    pub state: State,
    /// Receipts of it.
    pub receipts: u64,
    /// Why they are believed.
    pub trust: Trust,
    /// Whether the last receipt is about this very state.
    pub is_settled: bool,
    /// The key that signs its next receipt.
    pub key: PublicKey,
    /// The private half of it, when it was sealed with the rest.
    pub signer: Option<Signer>,
    /// Files.
    pub members: u64,
    /// Bytes of them.
    pub bytes: u64,
}

/// A chunk's places: member and chunk, each by its place.
type Places = Vec<(usize, usize)>;

impl Snapshots<'_> {
    /// Brings a brain back. The target is untouched, or the whole brain.
    pub async fn restore(
        &self,
        restoring: &Restoring<'_>,
        watch: &Watch<'_>,
    ) -> Result<Restored, SnapshotError> {
        vacant(restoring.target)?;
        let (manifest, digest) = match restoring.which {
            Which::Exactly(number) => watch.unless_cancelled(self.manifest(number)).await?,
            Which::Newest => {
                let missing = || SnapshotError::Missing { agent: self.agent.clone(), number: None };
                watch.unless_cancelled(self.newest()).await?.ok_or_else(missing)?
            }
        };
        let known = self.known.head(self.store.name(), &self.agent)?;
        // A store that was never seen here is held against those that were.
        let elsewhere = match known {
            Some(_) => Vec::new(),
            None => self.known.elsewhere(self.store.name(), &self.agent)?,
        };
        let work = Work::beside(restoring.target, "restore")?;
        let folder = work.join("brain");
        let manifest = Arc::new(manifest);
        {
            let (manifest, folder, layout) = (Arc::clone(&manifest), folder.clone(), self.layout);
            blocking(move || outline(&manifest, &folder, &layout)).await?;
        }
        // What is large goes to the disk while the rest is still opened.
        let (much, hears) = mpsc::channel(1);
        let flushed = {
            let (manifest, folder) = (Arc::clone(&manifest), folder.clone());
            blocking(move || flush_along(&manifest, &folder, hears))
        };
        let filled = watch.unless_cancelled(self.fill(&manifest, &folder, much, watch));
        let (filled, flushed) = tokio::join!(filled, flushed);
        filled?;
        flushed?;
        let check = Check {
            agent: self.agent.clone(),
            manifest: Arc::clone(&manifest),
            folder: folder.clone(),
            layout: self.layout,
            given: restoring.key,
            which: restoring.which,
            known,
            elsewhere,
        };
        // While one core checks, the disk gets what is large.
        let flushed = {
            let (manifest, folder) = (Arc::clone(&manifest), folder.clone());
            blocking(move || flush(&manifest, &folder))
        };
        let (checked, flushed) = tokio::join!(blocking(move || check.run()), flushed);
        let (trust, key, is_settled) = checked?;
        flushed?;
        if watch.cancelled.is_cancelled() {
            return Err(SnapshotError::Cancelled);
        }
        let target = restoring.target.to_owned();
        let (keep, signed) = (self.keep.clone(), Arc::clone(&manifest));
        blocking(move || {
            vacant(&target)?;
            // A brain that is there has its key.
            if let Some(keep) = keep {
                keep(signed.key, signed.signer.as_ref())?;
            }
            appear(&folder, &target)
        })
        .await?;
        let head = Head {
            number: manifest.number,
            manifest: digest,
            receipts: manifest.receipts,
            version: manifest.state.version,
            key: Some(key),
        };
        self.known.remember(self.store.name(), &self.agent, head)?;
        drop(work);
        Ok(Restored {
            number: manifest.number,
            state: manifest.state,
            receipts: manifest.receipts.count,
            trust,
            is_settled,
            key: manifest.key,
            signer: manifest.signer.clone(),
            members: manifest.members.len() as u64,
            bytes: manifest.members.iter().map(|member| member.bytes).sum(),
        })
    }

    /// Writes every chunk where it belongs: the whole ones, then what patches make of them.
    async fn fill(
        &self,
        manifest: &Arc<Manifest>,
        folder: &Path,
        much: Sender<()>,
        watch: &Watch<'_>,
    ) -> Result<(), SnapshotError> {
        let (mut whole, mut patches) = (BTreeMap::new(), BTreeMap::new());
        for (index, member) in manifest.members.iter().enumerate() {
            for (at, chunk) in member.chunks.iter().enumerate() {
                let places: &mut Places = whole.entry(chunk.whole().0).or_default();
                places.push((index, at));
                if chunk.5.is_some() {
                    let places: &mut Places = patches.entry(chunk.0).or_default();
                    places.push((index, at));
                }
            }
        }
        let total = manifest.members.iter().map(|member| member.bytes).sum();
        let done = AtomicU64::new(0);
        for (packs, write) in [(whole, write_whole as Write), (patches, write_patches)] {
            stream::iter(packs)
                .map(async |(pack, places)| {
                    let pack = manifest.packs[pack as usize];
                    let (path, bytes) = self.packed(&pack).await?;
                    let (agent, key) = (self.agent.clone(), self.key.clone());
                    let (manifest, folder) = (Arc::clone(manifest), folder.to_owned());
                    blocking(move || {
                        is_named(&pack, &path, &bytes)?;
                        let mut opener = Opener::new(&agent, &key)?;
                        write(&manifest, &folder, &bytes, &places, &mut opener)
                    })
                    .await
                })
                .buffer_unordered(MAX_AT_ONCE)
                .try_for_each(async |bytes| {
                    let before = done.fetch_add(bytes, Ordering::Relaxed);
                    let done = before + bytes;
                    (watch.progress)(Progress { done, total });
                    if before / FLUSH_BYTES != done / FLUSH_BYTES {
                        // One that is still to be heard is enough.
                        let _ = much.try_send(());
                    }
                    Ok(())
                })
                .await?;
        }
        Ok(())
    }
}

/// Whether a brain can appear at a path.
fn vacant(target: &Path) -> Result<(), SnapshotError> {
    let occupied = || Err(SnapshotError::Occupied { path: target.to_owned() });
    match fs::symlink_metadata(target) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(SnapshotError::io(target)(error)),
        Ok(about) if about.is_dir() => {
            let mut entries = fs::read_dir(target).map_err(SnapshotError::io(target))?;
            if entries.next().is_some() { occupied() } else { Ok(()) }
        }
        Ok(_) => occupied(),
    }
}

/// Makes the folders, and every file in its size, through a handle that cannot leave the folder.
fn outline(manifest: &Manifest, folder: &Path, layout: &Layout) -> Result<(), SnapshotError> {
    private_folder(folder)?;
    let dir = Dir::open_ambient_dir(folder, ambient_authority());
    let dir = dir.map_err(SnapshotError::io(folder))?;
    let folders = layout.folders.iter().map(|(name, _)| name).chain(layout.records);
    for name in folders {
        private_below(&dir, name).map_err(SnapshotError::io(&folder.join(name)))?;
    }
    for member in &manifest.members {
        let failed = || SnapshotError::io(&folder.join(&member.path));
        if let Some((around, _)) = member.path.rsplit_once('/') {
            private_below(&dir, around).map_err(failed())?;
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(if member.executable { 0o700 } else { 0o600 });
        let file = dir.open_with(&member.path, &options).map_err(failed())?;
        file.set_len(member.bytes).map_err(failed())?;
    }
    Ok(())
}

/// Makes a folder, and those around it, that only its owner may enter.
fn private_below(dir: &Dir, path: &str) -> io::Result<()> {
    let mut folder = DirBuilder::new();
    folder.recursive(true).mode(0o700);
    dir.create_dir_with(path, &folder)
}

/// Writes what lies in one pack; gives the bytes that are new.
type Write = fn(&Manifest, &Path, &[u8], &Places, &mut Opener<'_>) -> Result<u64, SnapshotError>;

/// Writes the whole chunks of one pack.
fn write_whole(
    manifest: &Manifest,
    folder: &Path,
    bytes: &[u8],
    places: &Places,
    opener: &mut Opener<'_>,
) -> Result<u64, SnapshotError> {
    let mut written = 0;
    each_place(manifest, folder, places, |index, at, file| {
        let member = &manifest.members[index];
        let plain = opener.whole(manifest, member, at, bytes)?;
        file.write_all_at(plain, (at * CHUNK_BYTES) as u64)
            .map_err(SnapshotError::io(&folder.join(&member.path)))?;
        written += plain.len() as u64;
        Ok(())
    })?;
    Ok(written)
}

/// Replaces whole chunks by what the patches of one pack make of them.
fn write_patches(
    manifest: &Manifest,
    folder: &Path,
    bytes: &[u8],
    places: &Places,
    opener: &mut Opener<'_>,
) -> Result<u64, SnapshotError> {
    let mut plain = vec![0; CHUNK_BYTES];
    each_place(manifest, folder, places, |index, at, file| {
        let member = &manifest.members[index];
        let failed = || SnapshotError::io(&folder.join(&member.path));
        let offset = (at * CHUNK_BYTES) as u64;
        file.read_exact_at(&mut plain, offset).map_err(failed())?;
        opener.patch(manifest, member, at, bytes, &mut plain)?;
        file.write_all_at(&plain, offset).map_err(failed())
    })?;
    Ok(0)
}

/// Calls `each` with every place, and the file that it is in.
fn each_place(
    manifest: &Manifest,
    folder: &Path,
    places: &Places,
    mut each: impl FnMut(usize, usize, &File) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority());
    let dir = dir.map_err(SnapshotError::io(folder))?;
    let mut open: Option<(usize, File)> = None;
    for (index, at) in places {
        // Places come member by member.
        let file = match &mut open {
            Some((known, file)) if known == index => file,
            other => {
                let path = &manifest.members[*index].path;
                let options = OpenOptions::new().read(true).write(true).clone();
                let file = dir.open_with(path, &options);
                let file = file.map_err(SnapshotError::io(&folder.join(path)))?;
                &mut other.insert((*index, file.into_std())).1
            }
        };
        each(*index, *at, file)?;
    }
    Ok(())
}

/// What must hold before a brain may appear.
struct Check {
    agent: String,
    manifest: Arc<Manifest>,
    folder: PathBuf,
    layout: Layout,
    given: Option<PublicKey>,
    which: Which,
    /// What is known of the agent in this store.
    known: Option<Head>,
    /// What is known of it in others, when this one is new here.
    elsewhere: Vec<(String, Head)>,
}

impl Check {
    fn run(self) -> Result<(Trust, PublicKey, bool), SnapshotError> {
        let manifest = &self.manifest;
        let number = manifest.number;
        let receipts = self.folder.join(RECEIPTS_FILE);
        if !receipts.is_file() {
            return Err(SnapshotError::NoReceipts { path: self.folder });
        }
        let none = || SnapshotError::damaged(RECEIPTS_FILE, "its first line is no receipt");
        let first = first(&receipts)?.ok_or_else(none)?.key;
        let mut pins: Vec<PublicKey> = self.known.iter().filter_map(|head| head.key).collect();
        pins.extend(self.elsewhere.iter().filter_map(|(_, head)| head.key));
        let pinned = pins.iter().find(|pin| **pin == first).or(pins.first());
        let (trust, key) = match (self.given, pinned) {
            (Some(key), _) => (Trust::Given, key),
            (None, Some(key)) => (Trust::Known, *key),
            (None, None) => (Trust::FirstUse, first),
        };
        let chain = check(&receipts, key)?;
        if !chain.holds() {
            return Err(SnapshotError::Broken(chain.breaks));
        }
        if chain.agent.as_ref() != Some(&self.agent) {
            let (expected, found) = (self.agent, chain.agent.unwrap_or_default());
            return Err(SnapshotError::OtherAgent { path: receipts, expected, found });
        }
        let wrong = |why: &str| Err(SnapshotError::damaged(format!("snapshot {number}"), why));
        if (chain.receipts, chain.head) != (manifest.receipts.count, Some(manifest.receipts.head)) {
            return wrong("its receipts are not those it names");
        }
        if chain.key != manifest.key {
            let (expected, found) = (chain.key, manifest.key);
            return Err(SnapshotError::OtherSigner { expected, found });
        }
        if chain.last.map(|last| last.version) != Some(manifest.state.version) {
            return wrong("its version is not that of its receipts");
        }
        if self.which == Which::Newest {
            let forked = |why: String| Err(SnapshotError::Forked { number, why });
            if let Some(known) = self.known
                && !begins_with(&receipts, known.receipts)?
            {
                return forked("its receipts do not go on from those that are known".to_owned());
            }
            let same = self.elsewhere.into_iter().filter(|(_, head)| head.key == Some(key));
            for (store, Head { receipts: known, .. }) in same {
                if chain.receipts < known.count {
                    let (known, found) = (known.count, chain.receipts);
                    return Err(SnapshotError::OlderThanElsewhere { store, known, found });
                }
                if !begins_with(&receipts, known)? {
                    let why = format!("its receipts do not go on from those in `{store}`");
                    return forked(why);
                }
            }
        }
        let found = state(&self.folder, &self.layout)?;
        if (found.knowledge, found.activity) != (manifest.state.knowledge, manifest.state.activity)
        {
            return wrong("the state of the brain is not the one it names");
        }
        Ok((trust, key, chain.last == Some(manifest.state)))
    }
}

/// Puts large files on the disk each time much was written to them, until nobody tells any more.
fn flush_along(
    manifest: &Manifest,
    folder: &Path,
    mut hears: Receiver<()>,
) -> Result<(), SnapshotError> {
    while hears.blocking_recv().is_some() {
        flush(manifest, folder)?;
    }
    Ok(())
}

/// Puts large files on the disk.
fn flush(manifest: &Manifest, folder: &Path) -> Result<(), SnapshotError> {
    for member in manifest.members.iter().filter(|member| member.bytes >= LARGE_BYTES) {
        let path = folder.join(&member.path);
        let synced = File::open(&path).and_then(|file| file.sync_data());
        synced.map_err(SnapshotError::io(&path))?;
    }
    Ok(())
}

/// Puts everything on the disk and lets the brain appear.
fn appear(folder: &Path, target: &Path) -> Result<(), SnapshotError> {
    let failed = |path: &Path| SnapshotError::io(path);
    let handle = File::open(folder).map_err(failed(folder))?;
    #[cfg(target_os = "linux")]
    rustix::fs::syncfs(&handle).map_err(|error| failed(folder)(error.into()))?;
    #[cfg(not(target_os = "linux"))]
    {
        drop(handle);
        rustix::fs::sync();
    }
    match fs::rename(folder, target) {
        Ok(()) => {}
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::DirectoryNotEmpty
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::AlreadyExists
            ) =>
        {
            return Err(SnapshotError::Occupied { path: target.to_owned() });
        }
        Err(error) => return Err(failed(target)(error)),
    }
    let around = target.parent().filter(|around| !around.as_os_str().is_empty());
    let around = around.unwrap_or(Path::new("."));
    File::open(around).and_then(|around| around.sync_all()).map_err(failed(around))
}
