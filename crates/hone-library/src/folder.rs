//! A skill's files through one directory handle, which nothing that is done here can leave.
//!
//! A file is replaced by a rename that swaps old and new, so that what was taken out can be compared
//! with what was read before: a change that somebody made in between is never lost.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Write};
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt};
use rustix::fs::{FileType, OFlags, RawDir, RenameFlags, renameat_with};
use rustix::io::Errno;

use crate::error::Error;
use crate::walk::STAGING_PREFIX;

/// Most bytes of a skill that is read whole.
const MAX_TREE_BYTES: u64 = 256 * 1024 * 1024;
/// Deepest folder inside a skill.
pub(crate) const MAX_TREE_DEPTH: usize = 32;

const TYPE_BITS: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const PERMISSIONS: u32 = 0o777;

/// A file of a skill.
#[derive(Debug, Clone)]
pub(crate) struct Content {
    /// Its bytes; of a symbolic link, the target.
    pub(crate) bytes: Vec<u8>,
    /// Type and permissions as `stat` has them; none for a new file that gets the usual ones.
    pub(crate) mode: Option<u32>,
}

/// Whether a mode is a symbolic link's.
pub(crate) fn is_link(mode: Option<u32>) -> bool {
    mode.is_some_and(|mode| mode & TYPE_BITS == LINK)
}

/// Whether a mode is a program's.
pub(crate) fn is_executable(mode: Option<u32>) -> bool {
    mode.is_some_and(|mode| mode & 0o111 != 0) && !is_link(mode)
}

impl Content {
    pub(crate) fn new(bytes: Vec<u8>, mode: Option<u32>) -> Self {
        Self { bytes, mode }
    }

    /// Where it leads, when it is a symbolic link.
    pub(crate) fn target(&self) -> Option<PathBuf> {
        let target = || PathBuf::from(std::ffi::OsString::from_vec(self.bytes.clone()));
        is_link(self.mode).then(target)
    }

    /// The bytes to show in a difference.
    pub(crate) fn shown(&self) -> Vec<u8> {
        match self.target() {
            Some(target) => format!("link to {}\n", target.display()).into_bytes(),
            None => self.bytes.clone(),
        }
    }
}

/// Equal in what a history tells apart: bytes, link or file, program or not.
impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
            && is_link(self.mode) == is_link(other.mode)
            && is_executable(self.mode) == is_executable(other.mode)
    }
}

impl Eq for Content {}

/// An opened folder, and the path to name in a message.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) dir: Dir,
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(dir: Dir, path: &Path) -> Self {
        Self { dir, path: path.to_owned() }
    }

    /// Opens a folder by its path, for reading.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let dir = Dir::open_ambient_dir(path, ambient_authority());
        Ok(Self::new(dir.map_err(Error::io("open", path))?, path))
    }

    fn failed(&self, doing: &'static str, file: &str) -> impl Fn(std::io::Error) -> Error {
        let (path, file) = (self.path.join(file), file.to_owned());
        move |error| explained(doing, error, &file, &path)
    }

    /// One file, not followed when it is a link; none when it is not there.
    pub(crate) fn read(&self, file: &str) -> Result<Option<Content>, Error> {
        let failed = self.failed("read", file);
        let metadata = match self.dir.symlink_metadata(file) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        if metadata.is_symlink() {
            let target = self.dir.read_link_contents(file).map_err(failed)?;
            let target = target.into_os_string().into_vec();
            return Ok(Some(Content::new(target, Some(metadata.mode()))));
        }
        self.read_to_end(file)
    }

    /// The bytes of a file for a reader, links followed as long as they stay inside.
    pub(crate) fn follow(&self, file: &str) -> Result<Option<Vec<u8>>, Error> {
        Ok(self.read_to_end(file)?.map(|content| content.bytes))
    }

    fn read_to_end(&self, file: &str) -> Result<Option<Content>, Error> {
        let failed = self.failed("read", file);
        let mut options = OpenOptions::new();
        // Nobody waits on a pipe.
        options.read(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
        let opened = match self.dir.open_with(file, &options) {
            Ok(opened) => opened,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        let metadata = opened.metadata().map_err(&failed)?;
        let refuse = |why: &str| Error::FilePath { path: file.to_owned(), why: why.to_owned() };
        if metadata.is_dir() {
            return Err(refuse("it is a folder"));
        }
        if !metadata.is_file() {
            return Err(refuse("it is not a regular file"));
        }
        // One read for all of it, and one that finds the end.
        let expected = usize::try_from(metadata.len().min(MAX_TREE_BYTES)).unwrap_or(0);
        let mut bytes = Vec::with_capacity(expected + 1);
        opened.take(MAX_TREE_BYTES + 1).read_to_end(&mut bytes).map_err(&failed)?;
        if bytes.len() as u64 > MAX_TREE_BYTES {
            return Err(Error::TooLarge {
                what: file.to_owned(),
                found: usize::try_from(metadata.len()).unwrap_or(usize::MAX).max(bytes.len()),
                limit: usize::try_from(MAX_TREE_BYTES).unwrap_or(usize::MAX),
                unit: "bytes",
            });
        }
        Ok(Some(Content::new(bytes, Some(metadata.mode()))))
    }

    /// Every file, by its path inside the folder.
    pub(crate) fn all(&self) -> Result<BTreeMap<String, Content>, Error> {
        let mut files = BTreeMap::new();
        let mut bytes = 0;
        for file in self.list()? {
            if file.ends_with('/') {
                return Err(Error::Refused(format!(
                    "`{file}` lies deeper than {MAX_TREE_DEPTH} folders; remove it by hand"
                )));
            }
            let content = self.read(&file)?.ok_or_else(|| {
                Error::Refused(format!("`{file}` has a name that is not UTF-8; remove it by hand"))
            })?;
            bytes += content.bytes.len() as u64;
            if bytes > MAX_TREE_BYTES {
                return Err(Error::Refused(format!(
                    "`{}` holds more than {MAX_TREE_BYTES} bytes; remove it by hand",
                    self.path.display()
                )));
            }
            files.insert(file, content);
        }
        Ok(files)
    }

    /// Opens a folder so that its entries can be read through the same handle.
    pub(crate) fn open_readable(path: &Path) -> Result<Self, Error> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::open(path, flags, rustix::fs::Mode::empty()) {
            Ok(folder) => Ok(Self::new(Dir::from_std_file(File::from(folder)), path)),
            // Who may not read its entries may still know the names.
            Err(_) => Self::open(path),
        }
    }

    /// What [`Self::list`] gives, of a folder that was opened for it, by one call of the system where there is
    /// no folder in it.
    pub(crate) fn list_readable(&self) -> Result<Vec<String>, Error> {
        let mut buffer = [MaybeUninit::uninit(); 8 * 1024];
        let mut entries = RawDir::new(&self.dir, &mut buffer);
        let mut files = Vec::new();
        while let Some(entry) = entries.next() {
            let Ok(entry) = entry else { return self.list() };
            let name = entry.file_name().to_bytes();
            if name == b"." || name == b".." || name.starts_with(STAGING_PREFIX.as_bytes()) {
                continue;
            }
            if matches!(entry.file_type(), FileType::Directory | FileType::Unknown) {
                return self.list();
            }
            files.push(String::from_utf8_lossy(name).into_owned());
        }
        files.sort_unstable();
        Ok(files)
    }

    /// The paths of all files, sorted. A folder that lies too deep to be looked into stands there
    /// itself, with a slash at its end.
    pub(crate) fn list(&self) -> Result<Vec<String>, Error> {
        let mut files = Vec::new();
        self.list_below(&self.dir, "", 0, &mut files)?;
        files.sort_unstable();
        Ok(files)
    }

    fn list_below(
        &self,
        dir: &Dir,
        prefix: &str,
        depth: usize,
        files: &mut Vec<String>,
    ) -> Result<(), Error> {
        let failed = self.failed("read", prefix);
        for entry in dir.entries().map_err(&failed)? {
            let entry = entry.map_err(&failed)?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with(STAGING_PREFIX) {
                continue;
            }
            let path = format!("{prefix}{name}");
            if !entry.file_type().map_err(&failed)?.is_dir() {
                files.push(path);
            } else if depth >= MAX_TREE_DEPTH {
                files.push(format!("{path}/"));
            } else {
                let below = entry.open_dir().map_err(&failed)?;
                self.list_below(&below, &format!("{path}/"), depth + 1, files)?;
            }
        }
        Ok(())
    }

    /// Makes a file what it is to be, provided that it still is what it was. `staged` is a name that
    /// nobody else uses.
    pub(crate) fn put(
        &self,
        file: &str,
        before: Option<&Content>,
        after: Option<&Content>,
        staged: &str,
    ) -> Result<(), Error> {
        let failed = self.failed("write", file);
        let (inner, name) = split(file);
        if after.is_some() && !inner.as_os_str().is_empty() {
            self.make_folders(inner).map_err(&failed)?;
        }
        let around = self.subfolder(inner).map_err(&failed)?;
        let done = match (before, after) {
            (Some(before), Some(after)) => write_new(&around.dir, staged, after)
                .and_then(|()| around.exchange(staged, name, before)),
            (None, Some(after)) => {
                write_new(&around.dir, staged, after).and_then(|()| around.bring_in(staged, name))
            }
            (Some(before), None) => around.take_out(name, staged, before),
            (None, None) => Ok(true),
        };
        match done {
            Ok(true) => {}
            Ok(false) => return Err(Error::Changed { path: self.path.join(file) }),
            Err(error) => return Err(failed(error)),
        }
        sync(&around.dir).map_err(&failed)?;
        if after.is_none() {
            self.remove_empty(inner).map_err(&failed)?;
        }
        Ok(())
    }

    fn subfolder(&self, inner: &Path) -> std::io::Result<Self> {
        let dir = if inner.as_os_str().is_empty() {
            self.dir.try_clone()?
        } else {
            self.dir.open_dir(inner)?
        };
        Ok(Self { dir, path: self.path.join(inner) })
    }

    /// Makes folders, each durable.
    fn make_folders(&self, inner: &Path) -> std::io::Result<()> {
        if self.dir.open_dir(inner).is_ok() {
            return Ok(());
        }
        self.dir.create_dir_all(inner)?;
        for around in inner.ancestors().skip(1) {
            sync(&self.subfolder(around)?.dir)?;
        }
        Ok(())
    }

    /// Takes away folders that a removed file left empty.
    pub(crate) fn remove_empty(&self, inner: &Path) -> std::io::Result<()> {
        for folder in inner.ancestors().take_while(|folder| !folder.as_os_str().is_empty()) {
            match self.dir.remove_dir(folder) {
                Ok(()) => sync(&self.subfolder(folder.parent().unwrap_or(Path::new("")))?.dir)?,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Swaps `staged` with `name`; swaps back, and says false, when what came out is not `before`.
    fn exchange(&self, staged: &str, name: &str, before: &Content) -> std::io::Result<bool> {
        let swap = || renameat_with(&self.dir, staged, &self.dir, name, RenameFlags::EXCHANGE);
        let is_expected = match swap() {
            Ok(()) => self.is_still(staged, before),
            Err(Errno::NOENT) => {
                self.dir.remove_file(staged)?;
                return Ok(false);
            }
            // Not on this file system: then without the second look.
            Err(error) if is_unsupported(error) => {
                return self.dir.rename(staged, &self.dir, name).map(|()| true);
            }
            Err(error) => {
                self.dir.remove_file(staged)?;
                return Err(error.into());
            }
        };
        if !is_expected {
            swap()?;
        }
        self.dir.remove_file(staged)?;
        Ok(is_expected)
    }

    /// Gives `staged` its name; false when the name is taken.
    fn bring_in(&self, staged: &str, name: &str) -> std::io::Result<bool> {
        let renamed = self.rename(staged, name);
        if renamed.is_err() {
            self.dir.remove_file(staged)?;
        }
        match renamed {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
            renamed => renamed.map(|()| true),
        }
    }

    /// Takes `name` away; puts it back, and says false, when it is not `before`.
    fn take_out(&self, name: &str, staged: &str, before: &Content) -> std::io::Result<bool> {
        match self.rename(name, staged) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
            renamed => renamed?,
        }
        let is_expected = self.is_still(staged, before);
        if is_expected {
            self.dir.remove_file(staged)?;
        } else {
            self.rename(staged, name)?;
        }
        Ok(is_expected)
    }

    fn is_still(&self, name: &str, before: &Content) -> bool {
        self.read(name).is_ok_and(|now| {
            now.is_some_and(|now| {
                now.bytes == before.bytes && is_link(now.mode) == is_link(before.mode)
            })
        })
    }

    /// Renames within the folder, over nothing that is there.
    pub(crate) fn rename(&self, from: &str, to: &str) -> std::io::Result<()> {
        match renameat_with(&self.dir, from, &self.dir, to, RenameFlags::NOREPLACE) {
            Err(error) if is_unsupported(error) => {
                if self.dir.symlink_metadata(to).is_ok() {
                    return Err(std::io::ErrorKind::AlreadyExists.into());
                }
                self.dir.rename(from, &self.dir, to)
            }
            other => Ok(other?),
        }
    }
}

/// The rename cannot be done in this way on this file system.
fn is_unsupported(error: Errno) -> bool {
    matches!(error, Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP)
}

/// The folder inside a skill, and the name in it.
pub(crate) fn split(file: &str) -> (&Path, &str) {
    match file.rsplit_once('/') {
        Some((inner, name)) => (Path::new(inner), name),
        None => (Path::new(""), file),
    }
}

/// Who makes written files durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Durability {
    /// Each file, as it is written.
    Each,
    /// The caller, all of them at once.
    Later,
}

/// Writes a file that is not there yet, and makes it durable.
pub(crate) fn write_new(dir: &Dir, name: &str, content: &Content) -> std::io::Result<()> {
    write_file(dir, name, content, Durability::Each)
}

/// Writes a file that is not there yet.
pub(crate) fn write_file(
    dir: &Dir,
    name: &str,
    content: &Content,
    durability: Durability,
) -> std::io::Result<()> {
    if let Some(target) = content.target() {
        return dir.symlink_contents(target, name);
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = dir.open_with(name, &options)?;
    let written = (|| {
        file.write_all(&content.bytes)?;
        if let Some(mode) = content.mode {
            file.set_permissions(Permissions::from_mode(mode & PERMISSIONS))?;
        }
        if durability == Durability::Each { file.sync_all() } else { Ok(()) }
    })();
    if written.is_err() {
        let _ = dir.remove_file(name);
    }
    written
}

/// Makes a folder's entries durable.
pub(crate) fn sync(dir: &Dir) -> std::io::Result<()> {
    // The handle itself may be good for lookups only, so the folder is opened anew, through it.
    dir.open(".")?.sync_all()
}

/// Makes the entries of a folder durable, by its path.
pub(crate) fn sync_path(path: &Path) -> Result<(), Error> {
    File::open(path).and_then(|folder| folder.sync_all()).map_err(Error::io("write", path))
}

/// What a failure inside a skill means. The directory handle says "permission denied" without a
/// number of the system's when a path leads out of it.
pub(crate) fn explained(
    doing: &'static str,
    error: std::io::Error,
    file: &str,
    shown: &Path,
) -> Error {
    use std::io::ErrorKind::{IsADirectory, NotADirectory, PermissionDenied};
    let why = match error.kind() {
        PermissionDenied if error.raw_os_error().is_none() => "it leads out of the skill",
        NotADirectory => "something on the way to it is not a folder",
        IsADirectory => "it is a folder",
        _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => "its links go in circles",
        _ => return Error::io(doing, shown)(error),
    };
    Error::FilePath { path: file.to_owned(), why: why.to_owned() }
}

#[cfg(test)]
#[path = "folder_tests.rs"]
mod tests;
