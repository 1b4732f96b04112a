//! The on-disk index: what each folder held and what its `SKILL.md` said, keyed by what `stat` gives.
//!
//! A folder's modification time tells whether entries came or went, a file's whether its text did. A
//! timestamp that is not yet in the past when it is read could hide a later change in the same tick
//! of the clock; such an entry is kept as unsettled and read again next time.

use std::collections::{HashMap, HashSet};
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroU64;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::record::Record;
use crate::state::State;

/// Changes whenever the meaning of an entry does; an index of another format is built anew.
const INDEX_FORMAT: &str = concat!(env!("CARGO_PKG_VERSION"), "/5");

/// Writing more folders than this at once leaves SQLite's log for another time.
const MANY_FOLDERS: usize = 500;

/// SQLite's own measure of when its log is to be folded in.
const CHECKPOINT_PAGES: i64 = 1_000;

/// How many folders of any root each writer looks at to see whether they are still there.
const VANISHED_LOOKED_AT: usize = 4;

/// File systems with whole-second times need this much to be sure.
const COARSE_NANOSECONDS: i64 = 2_000_000_000;

/// What `stat` says about a file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    /// Nanoseconds since 1970, as are the other times.
    modified: i64,
    changed: i64,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            modified: nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// The same file or folder, whatever path leads to it.
    pub(crate) fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// Whether a change after `now` would give another stamp. `now` is the clock that file times
    /// are taken from, read before the file was.
    fn is_settled(&self, now: i64) -> bool {
        let newest = self.modified.max(self.changed);
        // The time of change cannot be set by hand, so it tells how fine the clock of the disk is.
        let whole_seconds = self.changed % 1_000_000_000 == 0;
        newest < now - if whole_seconds { COARSE_NANOSECONDS } else { 0 }
    }
}

/// The clock that the kernel stamps files with.
pub(crate) fn file_clock() -> i64 {
    #[cfg(target_os = "linux")]
    let clock = rustix::time::ClockId::RealtimeCoarse;
    #[cfg(not(target_os = "linux"))]
    let clock = rustix::time::ClockId::Realtime;
    let now = rustix::time::clock_gettime(clock);
    nanoseconds(now.tv_sec, now.tv_nsec)
}

fn nanoseconds(seconds: i64, nanoseconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds)
}

/// A stamp with the answer whether it can be relied on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Packed", into = "Packed")]
pub(crate) struct Seen {
    stamp: Stamp,
    settled: bool,
}

/// A [`Seen`] in the index: there are two for each skill, so they are kept short.
type Packed = (u64, u64, u64, i64, i64, bool);

impl From<Packed> for Seen {
    fn from((device, inode, size, modified, changed, settled): Packed) -> Self {
        Self { stamp: Stamp { device, inode, size, modified, changed }, settled }
    }
}

impl From<Seen> for Packed {
    fn from(Seen { stamp, settled }: Seen) -> Self {
        (stamp.device, stamp.inode, stamp.size, stamp.modified, stamp.changed, settled)
    }
}

impl Seen {
    pub(crate) fn new(stamp: Stamp, now: i64) -> Self {
        Self { stamp, settled: stamp.is_settled(now) }
    }

    /// Stands for a file that was not there.
    pub(crate) fn never() -> Self {
        let stamp = Stamp { device: 0, inode: 0, size: 0, modified: 0, changed: 0 };
        Self { stamp, settled: false }
    }

    pub(crate) fn is_never(&self) -> bool {
        self.stamp.inode == 0
    }

    pub(crate) fn identity(&self) -> (u64, u64) {
        self.stamp.identity()
    }

    /// The stamp as one number, to compare with another; `None` when it cannot be relied on.
    pub(crate) fn mark(&self) -> Option<NonZeroU64> {
        let mut hasher = DefaultHasher::new();
        self.stamp.hash(&mut hasher);
        NonZeroU64::new(hasher.finish()).filter(|_| self.settled)
    }

    /// What `stat` said.
    pub(crate) fn stamp(&self) -> Stamp {
        self.stamp
    }

    /// Whether what was read under this stamp is still what is there.
    pub(crate) fn still(&self, stamp: Stamp) -> bool {
        self.settled && self.stamp == stamp
    }
}

/// What a folder holds, as far as skills go.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FolderEntry {
    pub(crate) seen: Seen,
    /// Single-file skills were looked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) with_flat: bool,
    /// Folders to look into, sorted.
    pub(crate) folders: Vec<String>,
    /// Symbolic links that may lead to folders, sorted.
    pub(crate) links: Vec<String>,
    /// Skill files in it, sorted.
    pub(crate) files: Vec<FileEntry>,
    /// A suite of trigger messages lies in it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_suite: bool,
    /// Folders whose names are not UTF-8, as far as they can be shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) odd: Vec<String>,
}

impl FolderEntry {
    /// Takes over what is known about files that are still there under the same name.
    pub(crate) fn with_known_files(mut self, known: Option<Box<Self>>) -> Self {
        let known = known.map(|entry| entry.files).unwrap_or_default();
        let mut known: HashMap<String, FileEntry> =
            known.into_iter().map(|file| (file.name.clone(), file)).collect();
        for file in &mut self.files {
            let same = |old: &FileEntry| {
                old.is_link == file.is_link && old.policy.is_some() == file.policy.is_some()
            };
            if let Some(old) = known.remove(&file.name).filter(same) {
                *file = old;
            }
        }
        self
    }

    /// What `stat` said about the folder and its skill files, as one number to compare; `None` when it cannot
    /// be relied on, or when more than these files counts: a link's target, a policy.
    pub(crate) fn mark(&self) -> Option<NonZeroU64> {
        let mut hasher = DefaultHasher::new();
        self.seen.mark()?.hash(&mut hasher);
        for file in &self.files {
            if file.is_link || file.policy.is_some() {
                return None;
            }
            (&file.name, file.seen?.mark()?).hash(&mut hasher);
        }
        NonZeroU64::new(hasher.finish())
    }

    /// The folder itself is a skill.
    pub(crate) fn holds_skill(&self) -> bool {
        self.files.iter().any(|file| crate::walk::is_skill_file(&file.name))
    }
}

/// A file that holds a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileEntry {
    pub(crate) name: String,
    pub(crate) is_link: bool,
    pub(crate) seen: Option<Seen>,
    /// `agents/openai.yaml` beside it, when the folder has an `agents` folder.
    pub(crate) policy: Option<Seen>,
    pub(crate) record: Record,
}

/// The part of the index below one root, in memory.
#[derive(Debug, Default)]
pub(crate) struct Index {
    /// The root, without a slash at its end.
    root: String,
    entries: HashMap<String, Box<FolderEntry>>,
    /// Folders that another walk answers for.
    left: HashSet<String>,
}

impl Index {
    /// Loads what is known about the folders at and below `root`. No index is an empty one.
    pub(crate) fn load(state: &State, root: &str) -> Self {
        let root = root.trim_end_matches('/').to_owned();
        let known = || state.with(|db| Self::read(db, &root)).unwrap_or_default();
        let entries = if state.is_new() { HashMap::new() } else { known() };
        Self { root, entries, left: HashSet::new() }
    }

    fn read(
        db: &rusqlite::Connection,
        root: &str,
    ) -> Result<HashMap<String, Box<FolderEntry>>, Error> {
        let mut entries = HashMap::new();
        if format(db)?.as_deref() != Some(INDEX_FORMAT) {
            return Ok(entries);
        }
        let mut statement = db.prepare_cached(
            "SELECT path, entry FROM folder WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')",
        )?;
        let mut rows = statement.query([root])?;
        while let Some(row) = rows.next()? {
            // An entry that cannot be decoded is one that is not there.
            let Ok(path) = row.get_ref(0)?.as_str() else { continue };
            let Ok(entry) = row.get_ref(1)?.as_blob() else { continue };
            if let Ok(entry) = serde_json::from_slice(entry) {
                entries.insert(path.to_owned(), entry);
            }
        }
        Ok(entries)
    }

    pub(crate) fn get(&self, path: &str) -> Option<&FolderEntry> {
        self.entries.get(path).map(Box::as_ref)
    }

    pub(crate) fn take(&mut self, path: &str) -> Option<Box<FolderEntry>> {
        self.entries.remove(path)
    }

    /// Keeps what is known below a folder that this walk does not enter.
    pub(crate) fn leave(&mut self, path: &str) {
        self.left.insert(path.to_owned());
    }

    /// Writes back what changed, and forgets the folders that a walk of this depth should have met
    /// and did not.
    pub(crate) fn store<'e>(
        self,
        state: &State,
        depth: usize,
        changed: &(impl Iterator<Item = (&'e str, &'e FolderEntry)> + Clone),
    ) {
        let gone: Vec<&String> =
            self.entries.keys().filter(|path| self.is_gone(path, depth)).collect();
        let count = changed.clone().count();
        if (count == 0 && gone.is_empty()) || state.make(changed.clone()) {
            return;
        }
        state.write_best_effort(|db| {
            // A first listing writes megabytes: let a later, smaller write fold them in.
            let pages = if count > MANY_FOLDERS { 0 } else { CHECKPOINT_PAGES };
            db.pragma_update(None, "wal_autocheckpoint", pages)?;
            let mut remove = db.prepare_cached("DELETE FROM folder WHERE path = ?1")?;
            for path in &gone {
                remove.execute([path])?;
            }
            insert(db, changed.clone())?;
            // What was found counts, whether or not the rest of the index can be tidied.
            let _ = forget_vanished(db);
            Ok(())
        });
    }

    fn is_gone(&self, path: &str, depth: usize) -> bool {
        let below = path.get(self.root.len()..).unwrap_or_default();
        let is_left = Path::new(path)
            .ancestors()
            .take_while(|folder| folder.as_os_str().len() >= self.root.len())
            .any(|folder| folder.to_str().is_some_and(|folder| self.left.contains(folder)));
        below.matches('/').count() <= depth && !is_left
    }
}

/// Writes entries into the index; one of another format is emptied first.
pub(crate) fn insert<'e>(
    db: &rusqlite::Connection,
    entries: impl Iterator<Item = (&'e str, &'e FolderEntry)>,
) -> Result<(), Error> {
    if format(db)?.as_deref() != Some(INDEX_FORMAT) {
        db.execute("DELETE FROM folder", [])?;
        db.execute("INSERT OR REPLACE INTO meta VALUES ('index', ?1)", [INDEX_FORMAT])?;
    }
    let mut insert = db.prepare_cached("INSERT OR REPLACE INTO folder VALUES (?1, ?2)")?;
    let mut encoded = Vec::new();
    for (path, entry) in entries {
        encoded.clear();
        // An entry that cannot be written down is read again next time.
        if serde_json::to_writer(&mut encoded, entry).is_ok() {
            insert.execute((path, &encoded))?;
        }
    }
    Ok(())
}

/// Forgets folders that are gone and that no walk asks for any more, such as those of a project that
/// was removed. Whoever writes looks at a few and leaves a mark for the next.
fn forget_vanished(db: &rusqlite::Connection) -> Result<(), Error> {
    let mark: Option<String> = db
        .query_row("SELECT value FROM meta WHERE key = 'swept'", [], |row| row.get(0))
        .optional()?;
    let mut at = mark.unwrap_or_default();
    // A path is text, and every blob sorts behind it: this is no row of ours.
    db.execute("DELETE FROM folder WHERE path >= x''", [])?;
    for _ in 0..VANISHED_LOOKED_AT {
        // What lies below a folder that is there is for the walk of that folder to find out.
        let mut next = db.prepare_cached(
            "SELECT coalesce(\
             (SELECT min(path) FROM folder WHERE path > ?1 AND (?1 = '' OR path < ?1 || '/')), \
             (SELECT min(path) FROM folder WHERE path >= ?1 || '0'))",
        )?;
        let Some(path) = next.query_row([&at], |row| row.get::<_, Option<String>>(0))? else {
            at.clear();
            break;
        };
        let is_gone = |folder: &&Path| {
            let found = folder.symlink_metadata();
            found.is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
        };
        let gone = Path::new(&path).ancestors().take_while(is_gone).last();
        if let Some(gone) = gone.and_then(Path::to_str) {
            db.prepare_cached(
                "DELETE FROM folder WHERE path = ?1 OR (path > ?1 || '/' AND path < ?1 || '0')",
            )?
            .execute([gone])?;
        }
        at = path;
    }
    db.execute("INSERT OR REPLACE INTO meta VALUES ('swept', ?1)", [&at])?;
    Ok(())
}

fn format(db: &rusqlite::Connection) -> Result<Option<String>, Error> {
    let query = "SELECT value FROM meta WHERE key = 'index'";
    Ok(db.query_row(query, [], |row| row.get(0)).optional()?)
}

#[cfg(test)]
#[path = "index_tests.rs"]
mod tests;
