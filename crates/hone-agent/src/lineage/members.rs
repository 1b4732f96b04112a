//! What lies in a brain: the files that its layout lists, each with what the system says about it.
//!
//! A link anywhere, and anything that is not on the list, is an error that names it. A folder of which the
//! system says what it said before need not be listed again, for who remembers what was in it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, MetadataExt as _, PermissionsExt as _};

use super::state::{Layout, MAX_DEPTH, Root, StateError};

/// For this long after a change of a file another one may leave its times as they are.
const UNSETTLED: Duration = Duration::from_millis(100);

/// Whether a file is one that editors, systems and a write under way leave about.
pub(super) fn is_stray(name: &str) -> bool {
    let has_extension =
        |wanted: &[&str]| name.rsplit_once('.').is_some_and(|(_, last)| wanted.contains(&last));
    matches!(name, ".DS_Store" | "Thumbs.db" | "desktop.ini" | ".directory")
        || name.ends_with('~')
        || name.starts_with(".#")
        || name.starts_with(".hone-")
        || (name.starts_with('#') && name.ends_with('#'))
        || (name.starts_with('.') && has_extension(&["swp", "swo", "swx"]))
}

/// What the system says about a file, and changes when somebody writes to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp(pub(super) [u8; STAMP_BYTES]);

/// Bytes of a stamp.
pub(super) const STAMP_BYTES: usize = 56;
/// Where in a stamp the size is.
const BYTES: usize = 16;
/// Where in a stamp the time of the last change is.
const CHANGED: usize = 40;

impl Stamp {
    fn of(about: &Metadata) -> Self {
        let mut stamp = [0; STAMP_BYTES];
        let parts = [
            about.dev().to_be_bytes(),
            about.ino().to_be_bytes(),
            about.len().to_be_bytes(),
            about.mtime().to_be_bytes(),
            about.mtime_nsec().to_be_bytes(),
            about.ctime().to_be_bytes(),
            about.ctime_nsec().to_be_bytes(),
        ];
        stamp.copy_from_slice(parts.as_flattened());
        Self(stamp)
    }

    /// What the system says about a file now.
    pub(super) fn at(path: &Path) -> io::Result<Self> {
        std::fs::symlink_metadata(path).map(|about| Self::of(&Metadata::from_just_metadata(about)))
    }

    fn part(&self, at: usize) -> u64 {
        let bytes = self.0[at..at + 8].try_into().unwrap_or_default();
        u64::try_from(i64::from_be_bytes(bytes)).unwrap_or(0)
    }

    /// Bytes of the file.
    pub(super) fn bytes(&self) -> u64 {
        self.part(BYTES)
    }

    /// Whether whoever reads the file from a moment on, since 1970, sees every change in its times: a file
    /// that changed just before may change again without its times showing it.
    pub(super) fn is_settled(&self, from: Duration) -> bool {
        let changed =
            Duration::from_secs(self.part(CHANGED)) + Duration::from_nanos(self.part(CHANGED + 8));
        changed + UNSETTLED < from
    }
}

/// The time since 1970, by the clock that files are stamped with.
pub(super) fn now() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

/// Whether records are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Records {
    /// They are listed with what is apart.
    List,
    /// Their folders are not entered.
    Skip,
}

/// A file that lies in a brain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// What it belongs to.
    pub(super) root: Root,
    /// What the system says about it.
    pub(super) stamp: Stamp,
    /// Whether it may be executed.
    pub(super) is_executable: bool,
}

impl Found {
    fn new(root: Root, about: &Metadata) -> Self {
        let is_executable = about.permissions().mode() & 0o111 != 0;
        Self { root, stamp: Stamp::of(about), is_executable }
    }
}

/// What lies in a brain, by the list of its layout.
pub(super) struct Members {
    /// Files of the state, by their path with `/`.
    pub(super) files: BTreeMap<String, Found>,
    /// Files that are no part of the state.
    pub(super) apart: BTreeMap<String, Found>,
    /// Whether the database is there.
    pub(super) has_database: bool,
    /// The database, and its journals when there is anything in them.
    pub(super) database: BTreeMap<String, Stamp>,
}

/// What was in folders when they were looked at before.
pub(super) trait Listings {
    /// The names that count in a folder of which the system says this; those of folders end with `/`.
    fn known(&mut self, path: &str, stamp: &Stamp) -> Option<Vec<String>>;

    /// Takes note of the names that count in a folder of which the system said this before it was listed.
    fn listed(&mut self, path: &str, stamp: &Stamp, names: &[String]);
}

/// Every folder is listed anew.
pub(super) struct Anew;

impl Listings for Anew {
    fn known(&mut self, _: &str, _: &Stamp) -> Option<Vec<String>> {
        None
    }

    fn listed(&mut self, _: &str, _: &Stamp, _: &[String]) {}
}

/// The members of the brain in a folder, and a handle that cannot leave it. A link anywhere, and
/// anything that is not on the list, is refused.
pub(super) fn members(
    folder: &Path,
    layout: &Layout,
    records: Records,
    listings: &mut dyn Listings,
) -> Result<(Dir, Members), StateError> {
    let failed = |error| StateError::Io { path: folder.to_owned(), error };
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
    let journals = ["-wal", "-shm", "-journal"].map(|end| format!("{}{end}", layout.database));
    let mut walk = Walk { folder, dir: &dir, listings, files: BTreeMap::new() };
    let (mut apart, mut database) = (BTreeMap::new(), BTreeMap::new());
    for (name, about) in walk.entries(&dir, "")? {
        let kind = || StateError::Kind { path: folder.join(&name) };
        if let Some((_, root)) = layout.files.iter().find(|(file, _)| *file == name) {
            walk.files.insert(name, Found::new(*root, &about));
        } else if let Some((_, root)) = layout.folders.iter().find(|(folder, _)| *folder == name) {
            if !about.is_dir() {
                return Err(kind());
            }
            walk.folder(&name, &Stamp::of(&about), *root, 1)?;
        } else if layout.records.contains(&name.as_str()) {
            if !about.is_dir() {
                return Err(kind());
            }
            if records == Records::List {
                let listings = &mut Anew;
                let mut below = Walk { folder, dir: &dir, listings, files: BTreeMap::new() };
                below.folder(&name, &Stamp::of(&about), Root::Activity, 1)?;
                apart.append(&mut below.files);
            }
        } else if name == layout.database {
            if !about.is_file() {
                return Err(kind());
            }
            database.insert(name, Stamp::of(&about));
        } else if layout.apart.contains(&name.as_str()) {
            if !about.is_file() {
                return Err(kind());
            }
            apart.insert(name, Found::new(Root::Activity, &about));
        } else if layout.locks.contains(&name.as_str()) {
            if !about.is_file() {
                return Err(kind());
            }
        } else if journals.contains(&name) {
            // The index of the journal (`-shm`) is made from it.
            if about.len() > 0 && !name.ends_with("-shm") {
                database.insert(name, Stamp::of(&about));
            }
        } else if !is_stray(&name) {
            return Err(StateError::Unknown { path: folder.join(&name) });
        }
    }
    let has_database = database.contains_key(layout.database);
    let files = walk.files;
    Ok((dir, Members { files, apart, has_database, database }))
}

struct Walk<'a> {
    folder: &'a Path,
    dir: &'a Dir,
    listings: &'a mut dyn Listings,
    files: BTreeMap<String, Found>,
}

impl Walk<'_> {
    fn failed(&self, path: &str) -> impl FnOnce(io::Error) -> StateError {
        let path = self.folder.join(path);
        |error| StateError::Io { path, error }
    }

    /// What lies in a folder; a link anywhere is refused.
    fn entries(&self, dir: &Dir, path: &str) -> Result<Vec<(String, Metadata)>, StateError> {
        let mut entries = Vec::new();
        for entry in dir.entries().map_err(self.failed(path))? {
            let entry = entry.map_err(self.failed(path))?;
            let name = entry.file_name();
            let at = || self.folder.join(path).join(&name);
            let about = entry.metadata().map_err(|error| StateError::Io { path: at(), error })?;
            if about.is_symlink() {
                return Err(StateError::Link { path: at() });
            }
            let Some(name) = name.to_str() else { return Err(StateError::Unknown { path: at() }) };
            entries.push((name.to_owned(), about));
        }
        Ok(entries)
    }

    fn folder(
        &mut self,
        path: &str,
        stamp: &Stamp,
        root: Root,
        depth: usize,
    ) -> Result<(), StateError> {
        if depth > MAX_DEPTH {
            return Err(StateError::TooDeep { path: self.folder.join(path) });
        }
        let known = self.listings.known(path, stamp);
        let entries = if let Some(still) = known.and_then(|names| self.still(path, names)) {
            still
        } else {
            self.listed(path, stamp)?
        };
        for (name, about) in entries {
            let path = format!("{path}/{name}");
            if about.is_dir() {
                self.folder(&path, &Stamp::of(&about), root, depth + 1)?;
            } else {
                self.files.insert(path, Found::new(root, &about));
            }
        }
        Ok(())
    }

    /// What counts in a folder, listed anew.
    fn listed(&mut self, path: &str, stamp: &Stamp) -> Result<Vec<(String, Metadata)>, StateError> {
        let dir = self.dir.open_dir(path).map_err(self.failed(path))?;
        let mut entries = self.entries(&dir, path)?;
        let other = entries.iter().find(|(_, about)| !about.is_file() && !about.is_dir());
        if let Some((name, _)) = other {
            return Err(StateError::Kind { path: self.folder.join(path).join(name) });
        }
        entries.retain(
            |(name, about)| {
                if about.is_dir() { !name.starts_with(".hone-") } else { !is_stray(name) }
            },
        );
        let named = |(name, about): &(String, Metadata)| {
            if about.is_dir() { format!("{name}/") } else { name.clone() }
        };
        let names: Vec<String> = entries.iter().map(named).collect();
        self.listings.listed(path, stamp, &names);
        Ok(entries)
    }

    /// What lies in a folder whose names are known; nothing when one of them is something else by now.
    fn still(&self, path: &str, names: Vec<String>) -> Option<Vec<(String, Metadata)>> {
        let around = self.folder.join(path);
        let mut entries = Vec::with_capacity(names.len());
        for mut name in names {
            let is_folder = name.ends_with('/');
            name.truncate(name.len() - usize::from(is_folder));
            let about = std::fs::symlink_metadata(around.join(&name)).ok()?;
            if about.is_dir() != is_folder || about.is_file() == is_folder {
                return None;
            }
            entries.push((name, Metadata::from_just_metadata(about)));
        }
        Some(entries)
    }
}
