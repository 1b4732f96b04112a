//! Where a skill is on disk: its lock, its directory handle, and reading through it.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Dir;
use rustix::fs::{Mode as Permissions, OFlags, openat};
use rustix::io::Errno;

use crate::catalogue::Listed;
use crate::error::Error;
use crate::files::check_inside;
use crate::folder::{Folder, sync_path};
use crate::scope::Scope;

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

/// What to do when the folder around a skill is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Make it.
    Make,
    /// Go on without it and without a lock: nothing will be written.
    Ignore,
    /// Fail.
    Fail,
}

/// A place whose lock is held until this is dropped.
#[derive(Debug)]
pub(crate) struct Held<'p> {
    pub(crate) place: &'p Place,
    /// The locked folder itself: no file is left behind, and every hone sees it.
    around: Option<Arc<Folder>>,
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
        let main = if skill.is_flat { key.file_name() } else { skill.path.file_name() };
        let main = main.unwrap_or_default().to_string_lossy().into_owned();
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

    /// The name of the skill's folder, or of its file, in the folder around it.
    pub(crate) fn entry(&self) -> Result<&str, Error> {
        let name = self.key.file_name().and_then(|name| name.to_str());
        name.ok_or_else(|| {
            Error::Refused(format!("`{}` has no name that can be used", self.key.display()))
        })
    }

    /// Locks the folder around the skill against every other writer.
    pub(crate) fn lock(&self, missing: Missing) -> Result<Held<'_>, Error> {
        loop {
            if missing == Missing::Make {
                make_folders(&self.parent)?;
            }
            let file = match File::open(&self.parent) {
                Err(error)
                    if missing == Missing::Ignore
                        && error.kind() == std::io::ErrorKind::NotFound =>
                {
                    return Ok(Held { place: self, around: None });
                }
                file => file.map_err(Error::io("open", &self.parent))?,
            };
            file.lock().map_err(Error::io("lock", &self.parent))?;
            // While this one waited, another writer may have removed or replaced the folder.
            let locked = file.metadata().map_err(Error::io("open", &self.parent))?;
            let is_same = std::fs::metadata(&self.parent)
                .is_ok_and(|now| (now.dev(), now.ino()) == (locked.dev(), locked.ino()));
            if is_same {
                let around = Folder::new(Dir::from_std_file(file), &self.parent);
                return Ok(Held { place: self, around: Some(Arc::new(around)) });
            }
        }
    }
}

impl Held<'_> {
    /// Another skill with the same folder around it, under the same lock.
    pub(crate) fn beside<'q>(&self, place: &'q Place) -> Held<'q> {
        Held { place, around: self.around.clone() }
    }

    /// The folder around the skill.
    pub(crate) fn around(&self) -> Result<&Folder, Error> {
        let gone = || Error::io("open", &self.place.parent)(std::io::ErrorKind::NotFound.into());
        self.around.as_deref().ok_or_else(gone)
    }

    /// The folder whose files belong to the skill; none when it is not there.
    pub(crate) fn folder(&self) -> Result<Option<Folder>, Error> {
        self.folder_of(self.place)
    }

    /// The folder of another skill with the same folder around it.
    pub(crate) fn folder_of(&self, place: &Place) -> Result<Option<Folder>, Error> {
        self.around.as_ref().map_or(Ok(None), |around| folder_in(around, place))
    }

    /// The skill's folder, which must be there.
    pub(crate) fn opened(&self) -> Result<Folder, Error> {
        let gone = || Error::io("open", &self.place.key)(std::io::ErrorKind::NotFound.into());
        self.folder()?.ok_or_else(gone)
    }
}

/// The folder of a skill, below the opened folder around it; none when it is not there.
pub(crate) fn folder_in(around: &Folder, place: &Place) -> Result<Option<Folder>, Error> {
    if place.is_flat {
        let dir = around.dir.try_clone().map_err(Error::io("open", &place.parent))?;
        return Ok(Some(Folder::new(dir, &place.parent)));
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(&around.dir, place.entry()?, flags, Permissions::empty()) {
        Ok(folder) => Ok(Some(Folder::new(Dir::from_std_file(File::from(folder)), &place.key))),
        Err(Errno::NOENT) => Ok(None),
        Err(Errno::NOTDIR | Errno::LOOP) => Err(Error::Refused(format!(
            "`{}` is no longer a folder; move what is there out of the way",
            place.key.display()
        ))),
        Err(error) => Err(Error::io("open", &place.key)(error.into())),
    }
}

/// Makes a folder and those around it, each durable.
fn make_folders(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> = path.ancestors().take_while(|folder| !folder.exists()).collect();
    std::fs::create_dir_all(path).map_err(Error::io("create", path))?;
    for folder in missing {
        match folder.parent() {
            Some(around) => sync_path(around)?,
            None => break,
        }
    }
    Ok(())
}

pub(crate) fn no_file(folder: &Folder, file: &str) -> Error {
    Error::NoFile { path: file.to_owned(), files: folder.list().unwrap_or_default() }
}

/// The bytes of a file of a skill for a reader, through the directory handle.
pub fn read_file(skill: &Listed, file: &str) -> Result<Vec<u8>, Error> {
    check_inside(file)?;
    let missing = |files| Error::NoFile { path: file.to_owned(), files };
    if skill.scope == Scope::Builtin {
        let text = crate::builtin::text_of(&skill.path.to_string_lossy()).unwrap_or_default();
        return if file == SKILL_FILE {
            Ok(text.as_bytes().to_vec())
        } else {
            Err(missing(Vec::new()))
        };
    }
    let is_main = skill.path.file_name().is_some_and(|main| main == file);
    if skill.is_flat && !is_main {
        return Err(missing(Vec::new()));
    }
    if is_main && skill.is_link {
        return read_text(skill);
    }
    let folder = Folder::open(skill.folder())?;
    folder.follow(file)?.ok_or_else(|| no_file(&folder, file))
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

/// The files of a skill, its `SKILL.md` left out, sorted. A folder nested too deep to be looked into
/// stands there itself, with a slash at its end.
pub fn list_files(skill: &Listed) -> Result<Vec<String>, Error> {
    if skill.scope == Scope::Builtin || skill.is_flat {
        return Ok(Vec::new());
    }
    let mut files = Folder::open(skill.folder())?.list()?;
    files.retain(|file| Path::new(file) != Path::new(skill.path.file_name().unwrap_or_default()));
    Ok(files)
}

/// A skill as a reader gets it.
#[derive(Debug)]
pub struct Whole {
    /// Its text, as [`read_text`] gives it.
    pub text: Vec<u8>,
    /// Its files, as [`list_files`] gives them.
    pub files: Result<Vec<String>, Error>,
}

/// The text of a skill and its files, by one look at the folder.
pub fn read_whole(skill: &Listed) -> Result<Whole, Error> {
    if skill.scope == Scope::Builtin || skill.is_flat || skill.is_link {
        return Ok(Whole { text: read_text(skill)?, files: list_files(skill) });
    }
    let main = skill.path.file_name().unwrap_or_default().to_string_lossy();
    let folder = Folder::open_readable(skill.folder())?;
    let text = folder.follow(&main)?.ok_or_else(|| no_file(&folder, &main))?;
    let files = folder.list_readable().map(|mut files| {
        files.retain(|file| *file != main);
        files
    });
    Ok(Whole { text, files })
}

/// The path with its links resolved, as far as it exists.
pub fn canonical_or_same(path: &Path) -> PathBuf {
    for there in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (std::fs::canonicalize(there), path.strip_prefix(there)) {
            return if rest.as_os_str().is_empty() { real } else { real.join(rest) };
        }
    }
    path.to_owned()
}

/// Resolves the links of many paths, those of a folder around several of them once.
#[derive(Debug, Default)]
pub struct Resolver(HashMap<PathBuf, PathBuf>);

impl Resolver {
    /// As [`canonical_or_same`].
    pub fn resolve(&mut self, path: &Path) -> PathBuf {
        match (path.parent(), path.file_name()) {
            (Some(around), Some(name)) if !path.is_symlink() => {
                let around = self.0.entry(around.to_owned());
                let around = around.or_insert_with_key(|around| canonical_or_same(around));
                around.join(name)
            }
            _ => canonical_or_same(path),
        }
    }
}
