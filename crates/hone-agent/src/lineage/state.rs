//! The logical hash of a brain, with two roots: *knowledge* and *activity*.
//!
//! The same logical state has the same hash, whatever the history of its SQLite file, its journals,
//! times, modes, order of creation or stray files of an editor. What belongs to a brain is an explicit
//! list; a link or anything that is not on the list is an error that names it. Everything is streamed.
//!
//! - A file's leaf is the SHA-256 of its bytes.
//! - A table's leaf is the SHA-256 of its rows in the order of its key: per row `R`, per value a letter
//!   for its type and its bytes (`n`; `i` and `r` with 8 bytes, big end first; `t` and `b` with a length
//!   of 8 bytes in front), and at the end `E` with the number of rows in 8 bytes.
//! - A root is the SHA-256 of `hone/state/1`, a zero byte, its name, a zero byte, the number of leaves,
//!   and for each leaf in the order of its name's bytes: length of the name, name, `f` or `t`, digest.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, MetadataExt as _};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags};
use sha2::{Digest as _, Sha256};

use super::digest::Digest;

/// Bytes that are read at once.
const CHUNK: usize = 256 * 1024;
/// How deep folders may lie.
pub const MAX_DEPTH: usize = 16;

/// The part of a state that something belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    /// What the agent knows: skills, facts, memory, its role.
    Knowledge,
    /// What happened: messages, tasks, transcripts.
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
    /// What lies in a brain and is no part of its state: receipts about it, locks.
    pub apart: &'static [&'static str],
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

/// The state of the brain in a folder.
pub fn state(folder: &Path, layout: &Layout) -> Result<StateHash, StateError> {
    let mut reader = Reader { folder, leaves: BTreeMap::new(), buffer: vec![0; CHUNK] };
    let (dir, members) = members(folder, layout)?;
    for (path, root) in members.files {
        reader.file(&dir, &path, root)?;
    }
    if members.has_database {
        reader.database(layout)?;
    }
    Ok(StateHash {
        knowledge: reader.root(Root::Knowledge),
        activity: reader.root(Root::Activity),
        members: reader.leaves.into_iter().map(|(name, leaf)| (name, leaf.digest)).collect(),
    })
}

/// What lies in a brain, by the list of its layout.
pub(super) struct Members {
    /// Files of the state, by their path with `/`.
    pub(super) files: BTreeMap<String, Root>,
    /// Files that are no part of the state.
    pub(super) apart: Vec<String>,
    /// Whether the database is there.
    pub(super) has_database: bool,
}

/// The members of the brain in a folder, and a handle that cannot leave it. A link anywhere, and
/// anything that is not on the list, is refused.
pub(super) fn members(folder: &Path, layout: &Layout) -> Result<(Dir, Members), StateError> {
    let failed = |error| StateError::Io { path: folder.to_owned(), error };
    let dir = Dir::open_ambient_dir(folder, ambient_authority()).map_err(failed)?;
    let journals = ["-wal", "-shm", "-journal"].map(|end| format!("{}{end}", layout.database));
    let mut walk = Walk { folder, files: BTreeMap::new() };
    let (mut apart, mut has_database) = (Vec::new(), false);
    for (name, about) in walk.entries(&dir, "")? {
        let kind = || StateError::Kind { path: folder.join(&name) };
        if let Some((_, root)) = layout.files.iter().find(|(file, _)| *file == name) {
            walk.files.insert(name, *root);
        } else if let Some((_, root)) = layout.folders.iter().find(|(folder, _)| *folder == name) {
            if !about.is_dir() {
                return Err(kind());
            }
            walk.folder(&dir, &name, &name, *root, 1)?;
        } else if name == layout.database {
            has_database = true;
            if !about.is_file() {
                return Err(kind());
            }
        } else if layout.apart.contains(&name.as_str()) {
            apart.push(name);
        } else if !journals.contains(&name) && !is_stray(&name) {
            return Err(StateError::Unknown { path: folder.join(&name) });
        }
    }
    apart.sort_unstable();
    Ok((dir, Members { files: walk.files, apart, has_database }))
}

struct Walk<'a> {
    folder: &'a Path,
    files: BTreeMap<String, Root>,
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
        around: &Dir,
        name: &str,
        path: &str,
        root: Root,
        depth: usize,
    ) -> Result<(), StateError> {
        if depth > MAX_DEPTH {
            return Err(StateError::TooDeep { path: self.folder.join(path) });
        }
        let dir = around.open_dir(name).map_err(self.failed(path))?;
        for (name, about) in self.entries(&dir, path)? {
            let path = format!("{path}/{name}");
            if about.is_dir() && !name.starts_with(".hone-") {
                self.folder(&dir, &name, &path, root, depth + 1)?;
            } else if about.is_file() && !is_stray(&name) {
                self.files.insert(path, root);
            } else if !about.is_file() && !about.is_dir() {
                return Err(StateError::Kind { path: self.folder.join(path) });
            }
        }
        Ok(())
    }
}

struct Leaf {
    root: Root,
    kind: u8,
    digest: Digest,
}

struct Reader<'a> {
    folder: &'a Path,
    leaves: BTreeMap<String, Leaf>,
    buffer: Vec<u8>,
}

impl Reader<'_> {
    fn failed(&self, path: &str) -> impl FnOnce(io::Error) -> StateError {
        let path = self.folder.join(path);
        |error| StateError::Io { path, error }
    }

    fn file(&mut self, dir: &Dir, path: &str, root: Root) -> Result<(), StateError> {
        let mut file = dir.open(path).map_err(self.failed(path))?;
        let before = file.metadata().map_err(self.failed(path))?;
        if !before.is_file() {
            return Err(StateError::Kind { path: self.folder.join(path) });
        }
        let (digest, bytes) = self.stream(&mut file).map_err(self.failed(path))?;
        let after = file.metadata().map_err(self.failed(path))?;
        let stamp = |about: &Metadata| (about.len(), about.mtime(), about.mtime_nsec());
        if stamp(&before) != stamp(&after) || bytes != after.len() {
            return Err(StateError::Changed { path: self.folder.join(path) });
        }
        self.leaves.insert(path.to_owned(), Leaf { root, kind: b'f', digest });
        Ok(())
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
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let db = Connection::open_with_flags(&path, flags).map_err(failed)?;
        db.busy_timeout(std::time::Duration::from_secs(10)).map_err(failed)?;
        db.execute_batch("PRAGMA query_only = 1; BEGIN").map_err(failed)?;
        for table in layout.tables {
            let digest = rows(&db, table).map_err(failed)?;
            let name = format!("{}/{}", layout.database, table.name);
            self.leaves.insert(name, Leaf { root: table.root, kind: b't', digest });
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

/// The rows of a table, typed and in the order of its key.
fn rows(db: &Connection, table: &Table) -> Result<Digest, rusqlite::Error> {
    let query = format!(
        "SELECT {} FROM {} ORDER BY {}",
        table.columns.join(", "),
        table.name,
        table.key.join(", ")
    );
    let mut statement = db.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut hash = Sha256::new();
    let mut count: u64 = 0;
    let sized = |hash: &mut Sha256, letter: u8, bytes: &[u8]| {
        hash.update([letter]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    while let Some(row) = rows.next()? {
        count += 1;
        hash.update(b"R");
        for at in 0..table.columns.len() {
            match row.get_ref(at)? {
                ValueRef::Null => hash.update(b"n"),
                ValueRef::Integer(value) => {
                    hash.update(b"i");
                    hash.update(value.to_be_bytes());
                }
                ValueRef::Real(value) => {
                    hash.update(b"r");
                    hash.update(value.to_bits().to_be_bytes());
                }
                ValueRef::Text(bytes) => sized(&mut hash, b't', bytes),
                ValueRef::Blob(bytes) => sized(&mut hash, b'b', bytes),
            }
        }
    }
    hash.update(b"E");
    hash.update(count.to_be_bytes());
    Ok(Digest(hash.finalize().into()))
}
