//! Seeds: a brain is copied once, and the hash of every copied file is kept. A later update touches
//! only files that nobody changed since, and says what it kept.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use hone_library::{Author, Catalogue, Listed, Mode, State, Store, hash};
use serde::{Deserialize, Serialize};

use super::members::{MEMORY, PATTERNS, SEED, SETTINGS, SKILLS, SYSTEM, USER};
use super::{Brain, BrainError, files};

/// Files of a seed at most.
pub const MAX_SEED_FILES: usize = 20_000;
/// Bytes of all files of a seed together, at most.
pub const MAX_SEED_BYTES: u64 = 64 * 1024 * 1024;
/// Folders inside each other at most.
const MAX_SEED_DEPTH: usize = 16;
/// Bytes of the note of hashes at most.
const MAX_NOTE_BYTES: u64 = 16 * 1024 * 1024;

/// The members that a seed may bring.
const SEEDED: [&str; 6] = [MEMORY, USER, SETTINGS, PATTERNS, SKILLS, SYSTEM];

/// A file that is copied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Copied {
    bytes: Vec<u8>,
    is_program: bool,
}

impl From<Vec<u8>> for Copied {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, is_program: false }
    }
}

/// Files by their path in the brain, with slashes.
pub(super) type Files = BTreeMap<String, Copied>;

/// Hashes of the files that came from a seed.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seed {
    /// Where the seed was.
    from: PathBuf,
    /// Path in the brain → SHA-256 of what was copied there.
    files: BTreeMap<String, String>,
}

/// What an update did.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Updated {
    /// Files that are new.
    pub added: Vec<String>,
    /// Files that became those of the seed.
    pub updated: Vec<String>,
    /// Files that stayed as they are, and why.
    pub kept: Vec<Kept>,
}

/// A file that an update left alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kept {
    /// Its path in the brain.
    pub file: String,
    /// Why.
    pub why: String,
}

impl Seed {
    /// The note about files that are copied now.
    pub(super) fn of(from: &Path, files: &Files) -> Self {
        let files = files.iter().map(|(path, copied)| (path.clone(), hash(&copied.bytes)));
        Self { from: from.to_owned(), files: files.collect() }
    }

    pub(super) fn save(&self, folder: &Path) -> Result<(), BrainError> {
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        files::write(&folder.join(SEED), &text)
    }

    fn load(folder: &Path) -> Result<Self, BrainError> {
        let path = folder.join(SEED);
        let Some(text) = files::read(&path, MAX_NOTE_BYTES)? else { return Ok(Self::default()) };
        let broken = |error: serde_json::Error| BrainError::Content {
            path,
            message: format!("{error}; without it nobody knows which files are the seed's"),
        };
        serde_json::from_str(&text).map_err(broken)
    }
}

/// Reads a seed: the members that one may bring.
pub(super) fn read(from: &Path) -> Result<Files, BrainError> {
    let mut read = Files::new();
    let mut tree = Tree::new(from);
    let found = fs::read_dir(from).map_err(BrainError::io("read the seed", from))?;
    drop(found);
    for name in SEEDED {
        let path = from.join(name);
        if path.symlink_metadata().is_ok() {
            tree.enter(&path, name, 0, &mut read)?;
        }
    }
    Ok(read)
}

/// A folder that is read within limits; links are refused.
pub(super) struct Tree<'p> {
    from: &'p Path,
    bytes: u64,
}

impl<'p> Tree<'p> {
    pub(super) fn new(from: &'p Path) -> Self {
        Self { from, bytes: 0 }
    }

    /// Reads the folder; what is in it goes below `to`.
    pub(super) fn read(mut self, to: &str, read: &mut Files) -> Result<(), BrainError> {
        self.enter(self.from, to, 0, read)
    }

    fn enter(
        &mut self,
        path: &Path,
        to: &str,
        depth: usize,
        read: &mut Files,
    ) -> Result<(), BrainError> {
        let refuse = |message: String| BrainError::Content { path: path.to_owned(), message };
        let found = path.symlink_metadata().map_err(BrainError::io("read", path))?;
        if found.is_symlink() {
            return Err(BrainError::Link { path: path.to_owned() });
        }
        if found.is_dir() {
            if depth >= MAX_SEED_DEPTH {
                return Err(refuse(format!("folders are nested more than {MAX_SEED_DEPTH} deep")));
            }
            let entries = fs::read_dir(path).map_err(BrainError::io("read", path))?;
            for entry in entries {
                let entry = entry.map_err(BrainError::io("read", path))?;
                let name = entry.file_name().into_string();
                let name = name.map_err(|_| refuse("a name in it is not UTF-8".to_owned()))?;
                // What editors and version control leave is nobody's knowledge.
                if !name.starts_with('.') {
                    self.enter(&entry.path(), &format!("{to}/{name}"), depth + 1, read)?;
                }
            }
            return Ok(());
        }
        if !found.is_file() {
            return Err(BrainError::Shape { path: path.to_owned(), expected: "file or folder" });
        }
        self.bytes += found.len();
        if read.len() >= MAX_SEED_FILES || self.bytes > MAX_SEED_BYTES {
            return Err(refuse(format!(
                "it is over the limit of {MAX_SEED_FILES} files and {MAX_SEED_BYTES} bytes together"
            )));
        }
        let bytes = fs::read(path).map_err(BrainError::io("read", path))?;
        let is_program = found.permissions().mode() & 0o100 != 0;
        read.insert(to.to_owned(), Copied { bytes, is_program });
        Ok(())
    }
}

/// Writes files below a folder that nobody uses yet.
pub(super) fn lay_out(folder: &Path, files: &Files) -> Result<(), BrainError> {
    for (path, copied) in files {
        let path = folder.join(path);
        files::make_folder(path.parent().unwrap_or(folder))?;
        let mode = if copied.is_program { 0o700 } else { 0o600 };
        let made = fs::OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        let written = made.and_then(|mut file| {
            std::io::Write::write_all(&mut file, &copied.bytes)?;
            file.sync_all()
        });
        written.map_err(BrainError::io("write", &path))?;
    }
    Ok(())
}

/// What becomes of one file of a seed.
enum Fate {
    Add,
    Update,
    /// It is what the seed has.
    Same,
    Keep(&'static str),
}

fn fate(then: Option<&String>, here: Option<&String>, new: &String) -> Fate {
    match (then, here) {
        (_, Some(here)) if here == new => Fate::Same,
        (None, None) => Fate::Add,
        (None, Some(_)) => Fate::Keep("it was here before the seed had it"),
        (Some(then), None) if then == new => Fate::Same,
        (Some(_), None) => Fate::Keep("it was removed here"),
        (Some(then), Some(here)) if here == then => Fate::Update,
        (Some(then), Some(_)) if then == new => Fate::Same,
        (Some(_), Some(_)) => Fate::Keep("it was changed here"),
    }
}

impl Brain {
    /// Brings the seed's files to those of `from`, unless somebody changed them since. Changes of
    /// skills go through the library's store, so that each can be undone. Whoever does it holds the brain:
    /// see [`Editor`](super::Editor).
    pub fn update(
        &self,
        from: &Path,
        state: &State,
        author: Author,
    ) -> Result<Updated, BrainError> {
        let new = read(from)?;
        let then = Seed::load(&self.folder)?;
        let mut now = Seed::of(from, &new);
        let catalogue = self.catalogue(state);
        let store = Store::new(state, author, Mode::Write);
        let mut updated = Updated::default();
        let gone = self.removed_skills(&then);
        for (file, copied) in &new {
            let path = self.folder.join(file);
            let here = read_whole(&path)?.map(|bytes| hash(&bytes));
            let fate = fate(then.files.get(file), here.as_ref(), &now.files[file]);
            let is_of_gone = || gone.iter().any(|folder| file.starts_with(folder));
            match fate {
                Fate::Same => {}
                // A new file would make a folder where the skill comes back to.
                Fate::Add if is_of_gone() => {
                    let why = "its skill was removed here".to_owned();
                    updated.kept.push(Kept { file: file.clone(), why });
                    now.files.remove(file);
                }
                Fate::Add => {
                    self.put(file, copied, &catalogue, &store)?;
                    updated.added.push(file.clone());
                }
                Fate::Update => {
                    self.put(file, copied, &catalogue, &store)?;
                    updated.updated.push(file.clone());
                }
                Fate::Keep(why) => {
                    updated.kept.push(Kept { file: file.clone(), why: why.to_owned() });
                    // The next update compares with the same base.
                    match then.files.get(file) {
                        Some(then) => now.files.insert(file.clone(), then.clone()),
                        None => now.files.remove(file),
                    };
                }
            }
        }
        for file in then.files.keys().filter(|file| !new.contains_key(*file)) {
            if self.folder.join(file).symlink_metadata().is_ok() {
                let why = "the seed has it no longer; it is yours now".to_owned();
                updated.kept.push(Kept { file: file.clone(), why });
            }
        }
        now.save(&self.folder)?;
        Ok(updated)
    }

    /// The folders of skills that came from the seed and were removed or archived here, with a slash.
    fn removed_skills<'s>(&self, then: &'s Seed) -> Vec<&'s str> {
        let main = |file: &&'s String| file.starts_with(SKILLS) && file.ends_with("/SKILL.md");
        let is_gone = |file: &&'s String| self.folder.join(file).symlink_metadata().is_err();
        let files = then.files.keys().filter(main).filter(is_gone);
        files.map(|file| file.strip_suffix("SKILL.md").unwrap_or(file)).collect()
    }

    /// Writes one file of a seed, the way of its kind.
    fn put(
        &self,
        file: &str,
        copied: &Copied,
        catalogue: &Catalogue,
        store: &Store<'_>,
    ) -> Result<(), BrainError> {
        let path = self.folder.join(file);
        let owner = |skill: &&Listed| {
            if skill.is_flat { skill.path == path } else { path.starts_with(skill.folder()) }
        };
        if let Some(skill) = catalogue.skills.iter().find(owner) {
            let inner = if skill.is_flat { None } else { path.strip_prefix(skill.folder()).ok() };
            let main = skill.path.file_name().map(|name| name.to_string_lossy().into_owned());
            let inner = inner.map(|inner| inner.to_string_lossy().into_owned()).or(main);
            let inner = inner.unwrap_or_default();
            store.write_file(skill, &inner, &copied.bytes, copied.is_program)?;
            return Ok(());
        }
        if let Some(folder) = path.parent() {
            files::make_folder(folder)?;
        }
        files::write(&path, &copied.bytes)?;
        if copied.is_program {
            let program = fs::Permissions::from_mode(0o700);
            fs::set_permissions(&path, program).map_err(BrainError::io("write", &path))?;
        }
        Ok(())
    }
}

fn read_whole(path: &Path) -> Result<Option<Vec<u8>>, BrainError> {
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Ok(found) if found.is_symlink() => return Err(BrainError::Link { path: path.to_owned() }),
        _ => {}
    }
    fs::read(path).map(Some).map_err(BrainError::io("read", path))
}
