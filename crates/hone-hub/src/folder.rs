//! A folder of this machine, read through a handle that cannot be left. Links are never followed.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt, PermissionsExt};
use rustix::fs::OFlags;

use crate::discover::is_foreign;
use crate::fetch_error::FetchError;
use crate::limits::{MAX_FOLDERS, MAX_SKILL_DEPTH, MAX_TREE_ENTRIES};
use crate::tree::{Kind, Tree};

/// A folder and what was in it when it was listed.
pub(crate) struct Folder {
    dir: Dir,
    path: PathBuf,
    entries: BTreeMap<String, Kind>,
}

impl Folder {
    /// Opens a folder and lists it; outside of skills, not what is foreign to a project.
    pub(crate) fn open(path: &Path) -> Result<Self, FetchError> {
        let dir = Dir::open_ambient_dir(path, ambient_authority());
        let dir = dir.map_err(|error| match error.kind() {
            std::io::ErrorKind::NotADirectory => FetchError::NotAFolder(path.to_owned()),
            _ => FetchError::io("open", path)(error),
        })?;
        let mut folder = Self { dir, path: path.to_owned(), entries: BTreeMap::new() };
        let top = folder.dir.try_clone().map_err(FetchError::io("open", path))?;
        folder.list(&top, "", Inside::Tree, 0)?;
        Ok(folder)
    }

    fn list(&mut self, dir: &Dir, at: &str, place: Inside, depth: usize) -> Result<(), FetchError> {
        let failed = |error| FetchError::io("read", &self.path.join(at))(error);
        let mut found = Vec::new();
        for entry in dir.entries().map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            found.push((entry.file_name(), kind, entry));
        }
        let has_skill = |name: &std::ffi::OsString| name == "SKILL.md" || name == "skill.md";
        let is_skill = found.iter().any(|(name, _, _)| has_skill(name));
        let place = if is_skill { Inside::Skill } else { place };
        for (name, kind, entry) in found {
            let Ok(name) = name.into_string() else {
                let name = entry.file_name().to_string_lossy().into_owned();
                self.add(join(at, &name), Kind::Other("something whose name is not UTF-8"))?;
                continue;
            };
            if name.eq_ignore_ascii_case(".git") {
                continue;
            }
            let path = join(at, &name);
            if kind.is_symlink() {
                self.add(path, Kind::Other("a link"))?;
            } else if kind.is_file() {
                let metadata = entry.metadata();
                let metadata = metadata.map_err(FetchError::io("read", &self.path.join(&path)))?;
                let is_executable = metadata.permissions().mode() & 0o100 != 0;
                self.add(path, Kind::File { is_executable })?;
            } else if !kind.is_dir() {
                self.add(path, Kind::Other("no regular file"))?;
            } else if place == Inside::Skill && depth >= MAX_FOLDERS + MAX_SKILL_DEPTH {
                self.add(path, Kind::Other("a folder too deep"))?;
            } else if place == Inside::Skill || (!is_foreign(&name) && depth <= MAX_SKILL_DEPTH + 1)
            {
                // Another file system's or another owner's folder may be closed to us.
                let Ok(inner) = entry.open_dir() else {
                    self.add(path, Kind::Other("a folder that cannot be opened"))?;
                    continue;
                };
                self.list(&inner, &path, place, depth + 1)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, path: String, kind: Kind) -> Result<(), FetchError> {
        if self.entries.len() == MAX_TREE_ENTRIES {
            let source_text = self.path.display().to_string();
            let limit = format!("{MAX_TREE_ENTRIES} files");
            return Err(FetchError::TooMany { source_text, limit });
        }
        self.entries.insert(path, kind);
        Ok(())
    }
}

/// Whether a folder belongs to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Inside {
    Tree,
    Skill,
}

fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

impl Tree for Folder {
    fn entries(&self) -> &BTreeMap<String, Kind> {
        &self.entries
    }

    fn read(&mut self, path: &str, max: u64) -> Result<Option<Vec<u8>>, FetchError> {
        let failed = |error| FetchError::io("read", &self.path.join(path))(error);
        let mut options = OpenOptions::new();
        // A link that took the file's place is refused, and nobody waits on a pipe.
        let flags = OFlags::NONBLOCK | OFlags::NOFOLLOW;
        options.read(true).custom_flags(flags.bits().cast_signed());
        let file = self.dir.open_with(path, &options).map_err(failed)?;
        if !file.metadata().map_err(failed)?.is_file() {
            return Err(failed(std::io::Error::other("it is no regular file any more")));
        }
        let mut bytes = Vec::new();
        file.take(max + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok((bytes.len() as u64 <= max).then_some(bytes))
    }
}
