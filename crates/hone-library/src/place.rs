//! Where a skill is on disk: its lock, its directory handle, and reading through it.

use std::fs::File;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use crate::catalogue::Listed;
use crate::error::Error;
use crate::files::check_inside;
use crate::scope::Scope;
use crate::tree;

pub(crate) const SKILL_FILE: &str = "SKILL.md";

/// Where a skill is on disk, links resolved.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The folder around the skill; it is locked.
    pub(crate) parent: PathBuf,
    /// The skill's folder, or its single file: its key in the ledger.
    pub(crate) key: PathBuf,
    /// The skill file inside [`Place::folder`].
    pub(crate) main: String,
    pub(crate) is_flat: bool,
}

impl Place {
    pub(crate) fn of(skill: &Listed) -> Result<Self, Error> {
        if skill.scope == Scope::Builtin {
            return Err(Error::Refused(format!(
                "`{}` is part of hone and cannot be changed; copy it with `hone new`",
                skill.summary.name
            )));
        }
        let key = std::fs::canonicalize(skill.key()).map_err(Error::io("find", skill.key()))?;
        let main = skill.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self::at(key, skill.is_flat, main))
    }

    pub(crate) fn at(key: PathBuf, is_flat: bool, main: String) -> Self {
        let parent = key.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned);
        Self { parent, key, main, is_flat }
    }

    /// The folder whose files belong to the skill.
    pub(crate) fn folder(&self) -> &Path {
        if self.is_flat { &self.parent } else { &self.key }
    }

    pub(crate) fn name_of_folder(&self) -> Option<&str> {
        let name = self.key.file_name()?.to_str()?;
        if self.is_flat { name.strip_suffix(".md") } else { Some(name) }
    }

    pub(crate) fn lock(&self) -> Result<File, Error> {
        // The folder itself is the lock: no file is left behind, and every hone sees it.
        let lock = File::open(&self.parent).map_err(Error::io("open", &self.parent))?;
        lock.lock().map_err(Error::io("lock", &self.parent))?;
        Ok(lock)
    }

    pub(crate) fn open(&self) -> Result<Dir, Error> {
        open_dir(self.folder())
    }
}

pub(crate) fn no_file(place: &Place, file: &str) -> Error {
    let files = place.open().and_then(|folder| tree::list(&folder)).unwrap_or_default();
    Error::NoFile { path: file.to_owned(), files }
}

/// The bytes of a file of a skill for a reader, through the directory handle.
pub fn read_file(skill: &Listed, file: &str) -> Result<Vec<u8>, Error> {
    check_inside(file)?;
    if skill.scope == Scope::Builtin {
        let text = crate::builtin::text_of(&skill.path.to_string_lossy()).unwrap_or_default();
        return if file == SKILL_FILE {
            Ok(text.as_bytes().to_vec())
        } else {
            Err(Error::NoFile { path: file.to_owned(), files: Vec::new() })
        };
    }
    let place = Place::of(skill)?;
    if place.is_flat && file != place.main {
        return Err(Error::NoFile { path: file.to_owned(), files: Vec::new() });
    }
    let shown = place.folder().join(file);
    let folder = place.open()?;
    if folder.metadata(file).is_ok_and(|metadata| metadata.is_dir()) {
        return Err(Error::FilePath { path: file.to_owned(), why: "it is a folder".to_owned() });
    }
    read_in(&folder, file, &shown)?.ok_or_else(|| no_file(&place, file))
}

/// The text of a skill as it is now.
pub fn read_text(skill: &Listed) -> Result<Vec<u8>, Error> {
    if skill.is_link {
        // Found by following the link, so it is read the same way.
        return crate::walk::read_bounded(&skill.path).map_err(Error::io("read", &skill.path));
    }
    let main = skill.path.file_name().unwrap_or_default().to_string_lossy();
    read_file(skill, &main)
}

/// The files of a skill, its `SKILL.md` left out, sorted.
pub fn list_files(skill: &Listed) -> Result<Vec<String>, Error> {
    if skill.scope == Scope::Builtin || skill.is_flat {
        return Ok(Vec::new());
    }
    let files = tree::list(&open_dir(skill.folder())?)?;
    Ok(files
        .into_iter()
        .filter(|file| Path::new(file) != Path::new(skill.path.file_name().unwrap_or_default()))
        .collect())
}

pub(crate) fn open_dir(path: &Path) -> Result<Dir, Error> {
    Dir::open_ambient_dir(path, ambient_authority()).map_err(Error::io("open", path))
}

/// Reads a file below a folder; a way out of it is refused, a missing file is none.
pub(crate) fn read_in(folder: &Dir, file: &str, shown: &Path) -> Result<Option<Vec<u8>>, Error> {
    match tree::read_one(folder, file) {
        Err(Error::Io { source, .. }) => Err(confined(source, file, shown)),
        // A link is followed by the handle, which does not let it lead out.
        Ok(Some(tree::Content::Link { .. })) => {
            folder.read(file).map(Some).map_err(|error| confined(error, file, shown))
        }
        Ok(Some(content)) => Ok(Some(content.stored())),
        Ok(None) => Ok(None),
        Err(other) => Err(other),
    }
}

/// The directory handle says "permission denied" when a path leads out of it.
pub(crate) fn confined(error: std::io::Error, file: &str, shown: &Path) -> Error {
    match error.kind() {
        std::io::ErrorKind::PermissionDenied => Error::FilePath {
            path: file.to_owned(),
            why: format!("it leads out of the skill ({error})"),
        },
        std::io::ErrorKind::NotADirectory | std::io::ErrorKind::IsADirectory => {
            Error::FilePath { path: file.to_owned(), why: error.to_string() }
        }
        _ => Error::io("write", shown)(error),
    }
}

pub(crate) fn canonical_or_same(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent().map(std::fs::canonicalize), path.file_name()) {
        (Some(Ok(parent)), Some(name)) => parent.join(name),
        _ => path.to_owned(),
    }
}
