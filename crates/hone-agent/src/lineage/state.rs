//! The logical hash of a brain, with two roots: *knowledge* and *activity*.
//!
//! The same logical state has the same hash, whatever the history of its SQLite file, its journals,
//! times, modes, order of creation or stray files of an editor. What belongs to a brain is an explicit
//! list; a link or anything that is not on the list is an error that names it. Everything is streamed.
//!
//! - A file's leaf is the SHA-256 of its bytes.
//! - A table's leaf is the digest of its rows (`rows`).
//! - A root is the SHA-256 of `hone/state/1`, a zero byte, its name, a zero byte, the number of leaves,
//!   and for each leaf in the order of its name's bytes: length of the name, name, `f` or `t`, digest.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use cap_std::fs::{Dir, File, Metadata, MetadataExt as _};
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest as _, Sha256};

use super::digest::Digest;
use super::members::{Anew, Found, Records, members};
use super::rows;

/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;
/// How long a writer may keep the database locked.
const BUSY: Duration = Duration::from_secs(10);
/// How deep folders may lie.
pub const MAX_DEPTH: usize = 16;

/// The part of a state that something belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// What the agent knows: skills, facts, memory, its role.
    Knowledge,
    /// What happened: messages, tasks.
    Activity,
}

impl Root {
    fn name(self) -> &'static str {
        match self {
            Self::Knowledge => "knowledge",
            Self::Activity => "activity",
        }
    }
}

/// A table that is part of the state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns, in the order they are hashed.
    pub columns: &'static [&'static str],
    /// The columns of its key, which order the rows.
    pub key: &'static [&'static str],
    /// What it belongs to.
    pub root: Root,
    /// How its rows are told apart.
    pub rows: Rows,
}

/// How the rows of a table are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rows {
    /// By a key of any kind: they are hashed as one.
    Keyed,
    /// By a whole number that new rows count up: they are hashed in groups.
    Numbered,
}

/// What a brain consists of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Single files.
    pub files: &'static [(&'static str, Root)],
    /// Folders with everything in them.
    pub folders: &'static [(&'static str, Root)],
    /// The database.
    pub database: &'static str,
    /// The tables of it that count.
    pub tables: &'static [Table],
    /// Folders of files that receipts prove one by one, and that are no part of the state.
    pub records: &'static [&'static str],
    /// What lies in a brain and is no part of its state: receipts about it.
    pub apart: &'static [&'static str],
    /// What is locked by whoever works there, and says nothing about the brain.
    pub locks: &'static [&'static str],
}

impl Layout {
    /// Whether a file that lies in a brain is no part of its state.
    pub(super) fn is_apart(&self, path: &str) -> bool {
        let top = path.split('/').next().unwrap_or(path);
        self.apart.contains(&path) || self.records.contains(&top)
    }
}

/// The state of a brain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateHash {
    /// The root of what it knows.
    pub knowledge: Digest,
    /// The root of what happened.
    pub activity: Digest,
    /// Each member with its digest, so that two states can be compared.
    pub members: BTreeMap<String, Digest>,
}

/// Why a brain has no hash.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// Something could not be read.
    #[error("`{path}`: {error}")]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The database could not be read.
    #[error("`{path}`: {error}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        error: rusqlite::Error,
    },
    /// A link.
    #[error("`{path}` is a link; a brain holds its own files only")]
    Link {
        /// Where.
        path: PathBuf,
    },
    /// Neither a file nor a folder, or the other one of the two.
    #[error("`{path}` is not what belongs there")]
    Kind {
        /// Where.
        path: PathBuf,
    },
    /// Not on the list.
    #[error("`{path}` does not belong to a brain; move it away")]
    Unknown {
        /// Where.
        path: PathBuf,
    },
    /// Folders in folders without end.
    #[error("`{path}` lies deeper than {MAX_DEPTH} folders")]
    TooDeep {
        /// Where.
        path: PathBuf,
    },
    /// Somebody wrote while it was read.
    #[error("`{path}` was changed while it was read; try again when nothing writes there")]
    Changed {
        /// Where.
        path: PathBuf,
    },
}

impl StateHash {
    /// Both roots as one.
    pub fn whole(&self) -> Digest {
        whole(self.knowledge, self.activity)
    }
}

/// Two roots as one hash.
pub fn whole(knowledge: Digest, activity: Digest) -> Digest {
    let hash = Sha256::new_with_prefix(b"hone/bundle/1\0");
    Digest(hash.chain_update(knowledge.0).chain_update(activity.0).finalize().into())
}

/// The state of the brain in a folder, from all that is in it.
pub fn state(folder: &Path, layout: &Layout) -> Result<StateHash, StateError> {
    let mut look = Look::new(folder);
    let (dir, members) = members(folder, layout, Records::Skip, &mut Anew)?;
    for (path, Found { root, .. }) in &members.files {
        let digest = look.digest(&dir, path)?;
        look.file(path, *root, digest);
    }
    if members.has_database {
        look.database(layout)?;
    }
    Ok(look.end())
}

struct Leaf {
    root: Root,
    kind: u8,
    digest: Digest,
}

/// A look at a brain under way.
pub(super) struct Look<'a> {
    folder: &'a Path,
    leaves: BTreeMap<String, Leaf>,
    buffer: Vec<u8>,
}

impl<'a> Look<'a> {
    pub(super) fn new(folder: &'a Path) -> Self {
        Self { folder, leaves: BTreeMap::new(), buffer: Vec::new() }
    }

    fn failed(&self, path: &str) -> impl FnOnce(io::Error) -> StateError {
        let path = self.folder.join(path);
        |error| StateError::Io { path, error }
    }

    /// The digest of a file.
    pub(super) fn digest(&mut self, dir: &Dir, path: &str) -> Result<Digest, StateError> {
        let mut file = dir.open(path).map_err(self.failed(path))?;
        let before = file.metadata().map_err(self.failed(path))?;
        if !before.is_file() {
            return Err(StateError::Kind { path: self.folder.join(path) });
        }
        self.buffer.resize(CHUNK, 0);
        let (digest, bytes) = self.stream(&mut file).map_err(self.failed(path))?;
        let after = file.metadata().map_err(self.failed(path))?;
        let stamp = |about: &Metadata| (about.len(), about.mtime(), about.mtime_nsec());
        if stamp(&before) != stamp(&after) || bytes != after.len() {
            return Err(StateError::Changed { path: self.folder.join(path) });
        }
        Ok(digest)
    }

    /// A file with its digest.
    pub(super) fn file(&mut self, path: &str, root: Root, digest: Digest) {
        self.leaves.insert(path.to_owned(), Leaf { root, kind: b'f', digest });
    }

    /// A table with its digest.
    pub(super) fn table(&mut self, layout: &Layout, table: &Table, digest: Digest) {
        let name = format!("{}/{}", layout.database, table.name);
        self.leaves.insert(name, Leaf { root: table.root, kind: b't', digest });
    }

    /// All that was looked at.
    pub(super) fn end(self) -> StateHash {
        StateHash {
            knowledge: self.root(Root::Knowledge),
            activity: self.root(Root::Activity),
            members: self.leaves.into_iter().map(|(name, leaf)| (name, leaf.digest)).collect(),
        }
    }

    fn stream(&mut self, file: &mut File) -> io::Result<(Digest, u64)> {
        let mut hash = Sha256::new();
        let mut bytes = 0;
        loop {
            match file.read(&mut self.buffer) {
                Ok(0) => return Ok((Digest(hash.finalize().into()), bytes)),
                Ok(read) => {
                    hash.update(&self.buffer[..read]);
                    bytes += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// All tables, as they were at one moment.
    fn database(&mut self, layout: &Layout) -> Result<(), StateError> {
        let path = self.folder.join(layout.database);
        let failed = |error| StateError::Database { path: path.clone(), error };
        let db = connect(&path).map_err(failed)?;
        db.execute_batch("PRAGMA query_only = 1; BEGIN").map_err(failed)?;
        for table in layout.tables {
            let digest = rows::digest(&db, table).map_err(failed)?;
            self.table(layout, table, digest);
        }
        db.execute_batch("COMMIT").map_err(failed)
    }

    fn root(&self, root: Root) -> Digest {
        let mut hash = Sha256::new_with_prefix(b"hone/state/1\0");
        hash.update(root.name());
        hash.update([0]);
        let leaves = || self.leaves.iter().filter(|(_, leaf)| leaf.root == root);
        hash.update((leaves().count() as u64).to_be_bytes());
        for (name, leaf) in leaves() {
            hash.update((name.len() as u64).to_be_bytes());
            hash.update(name);
            hash.update([leaf.kind]);
            hash.update(leaf.digest.0);
        }
        Digest(hash.finalize().into())
    }
}

/// The database of a brain, which must be there.
pub(super) fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(BUSY)?;
    Ok(db)
}
