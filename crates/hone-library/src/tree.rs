//! The files of a skill as one value: read, written and taken away whole.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, MetadataExt, PermissionsExt};
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::atomic::{staging_name, sync};
use crate::error::Error;
use crate::walk::STAGING_PREFIX;

/// Most bytes of a skill that is read whole (to be deleted or rolled back).
pub(crate) const MAX_TREE_BYTES: u64 = 256 * 1024 * 1024;
/// Most files that are listed for a skill.
pub(crate) const MAX_LISTED_FILES: usize = 1_000;
/// Deepest folder inside a skill.
const MAX_TREE_DEPTH: usize = 32;

/// What a file of a skill is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Content {
    File {
        bytes: Vec<u8>,
        executable: bool,
    },
    /// A symbolic link; it is kept as it is and never followed.
    Link {
        target: PathBuf,
    },
}

impl Content {
    pub(crate) fn link(target: &[u8]) -> Self {
        Self::Link { target: PathBuf::from(std::ffi::OsString::from_vec(target.to_vec())) }
    }

    /// The bytes that are kept for it: the file's, or the link's target.
    pub(crate) fn stored(&self) -> Vec<u8> {
        match self {
            Self::File { bytes, .. } => bytes.clone(),
            Self::Link { target } => target.as_os_str().as_bytes().to_vec(),
        }
    }

    /// The bytes to show in a difference.
    pub(crate) fn shown(&self) -> Vec<u8> {
        match self {
            Self::File { bytes, .. } => bytes.clone(),
            Self::Link { target } => format!("link to {}\n", target.display()).into_bytes(),
        }
    }

    pub(crate) fn is_executable(&self) -> bool {
        matches!(self, Self::File { executable: true, .. })
    }

    pub(crate) fn is_link(&self) -> bool {
        matches!(self, Self::Link { .. })
    }
}

/// Whether a file has an execute bit.
pub(crate) fn is_executable(folder: &Dir, file: &Path) -> bool {
    folder
        .symlink_metadata(file)
        .is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o111 != 0)
}

/// One file of a folder, not following it when it is a link; `None` when it is not there.
pub(crate) fn read_one(folder: &Dir, file: &str) -> Result<Option<Content>, Error> {
    let path = Path::new(file);
    let failed = |error| Error::io("read", path)(error);
    let metadata = match folder.symlink_metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if metadata.is_symlink() {
        return Ok(Some(Content::Link {
            target: folder.read_link_contents(path).map_err(failed)?,
        }));
    }
    if !metadata.is_file() {
        return Err(Error::FilePath {
            path: file.to_owned(),
            why: if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" }
                .to_owned(),
        });
    }
    if metadata.len() > MAX_TREE_BYTES {
        return Err(Error::TooLarge {
            what: file.to_owned(),
            found: usize::try_from(metadata.len()).unwrap_or(usize::MAX),
            limit: usize::try_from(MAX_TREE_BYTES).unwrap_or(usize::MAX),
            unit: "bytes",
        });
    }
    let mut bytes = Vec::new();
    let opened = folder.open(path).map_err(failed)?;
    opened.take(MAX_TREE_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    Ok(Some(Content::File { bytes, executable: metadata.mode() & 0o111 != 0 }))
}

/// Every file of a folder, by its path inside it.
pub(crate) fn read(folder: &Dir, shown: &Path) -> Result<BTreeMap<String, Content>, Error> {
    let mut files = BTreeMap::new();
    let mut bytes = 0;
    walk(folder, "", 0, &mut |folder, name, path| {
        if let Some(content) = read_one(folder, name)? {
            bytes += content.stored().len() as u64;
            if bytes > MAX_TREE_BYTES {
                return Err(Error::Refused(format!(
                    "`{}` holds more than {MAX_TREE_BYTES} bytes; remove it by hand",
                    shown.display()
                )));
            }
            files.insert(path, content);
        }
        Ok(true)
    })?;
    Ok(files)
}

/// The paths of the files in a folder, sorted; at most [`MAX_LISTED_FILES`].
pub(crate) fn list(folder: &Dir) -> Result<Vec<String>, Error> {
    let mut files = Vec::new();
    walk(folder, "", 0, &mut |_, _, path| {
        files.push(path);
        Ok(files.len() < MAX_LISTED_FILES)
    })?;
    files.sort_unstable();
    Ok(files)
}

/// Calls `visit` with each file's folder, name and path; stops when it says so.
fn walk(
    folder: &Dir,
    prefix: &str,
    depth: usize,
    visit: &mut dyn FnMut(&Dir, &str, String) -> Result<bool, Error>,
) -> Result<bool, Error> {
    let shown = Path::new(prefix);
    let failed = |error| Error::io("read", shown)(error);
    if depth > MAX_TREE_DEPTH {
        return Err(Error::Refused(format!(
            "`{prefix}` is nested deeper than {MAX_TREE_DEPTH} folders"
        )));
    }
    for entry in folder.entries().map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            return Err(Error::Refused(format!(
                "`{prefix}{}` is not a UTF-8 name",
                name.display()
            )));
        };
        if name.starts_with(STAGING_PREFIX) {
            continue;
        }
        let path = format!("{prefix}{name}");
        let goes_on = if entry.file_type().map_err(failed)?.is_dir() {
            let below = entry.open_dir().map_err(failed)?;
            walk(&below, &format!("{path}/"), depth + 1, visit)?
        } else {
            visit(folder, name, path)?
        };
        if !goes_on {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Makes a folder hold exactly these files: built beside it, then swapped in by one rename.
pub(crate) fn write(
    parent: &Path,
    key: &Path,
    files: &BTreeMap<String, Content>,
) -> Result<(), Error> {
    let staged = parent.join(staging_name());
    let result = stage(&staged, files).and_then(|()| {
        let flags = if key.symlink_metadata().is_ok() {
            RenameFlags::EXCHANGE
        } else {
            RenameFlags::NOREPLACE
        };
        renameat_with(CWD, &staged, CWD, key, flags)
            .map_err(|error| Error::io("write", key)(error.into()))?;
        sync_path(parent)
    });
    // After an exchange this is the old folder, after a failure the unfinished new one.
    let _ = std::fs::remove_dir_all(&staged);
    result
}

fn stage(staged: &Path, files: &BTreeMap<String, Content>) -> Result<(), Error> {
    let failed = |error| Error::io("write", staged)(error);
    std::fs::create_dir(staged).map_err(failed)?;
    let folder = Dir::open_ambient_dir(staged, ambient_authority()).map_err(failed)?;
    for (file, content) in files {
        let path = Path::new(file);
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            folder.create_dir_all(parent).map_err(failed)?;
        }
        match content {
            Content::File { bytes, executable } => {
                let mut out = folder.create(path).map_err(failed)?;
                out.write_all(bytes).map_err(failed)?;
                if *executable {
                    out.set_permissions(cap_std::fs::Permissions::from_mode(0o755))
                        .map_err(failed)?;
                }
                out.sync_all().map_err(failed)?;
            }
            Content::Link { target } => {
                // The link is data that was there before; it is put back, not followed.
                std::os::unix::fs::symlink(target, staged.join(path)).map_err(failed)?;
            }
        }
    }
    let folders: std::collections::BTreeSet<&Path> =
        files.keys().flat_map(|file| Path::new(file).ancestors().skip(1)).collect();
    for inner in folders.into_iter().filter(|inner| !inner.as_os_str().is_empty()) {
        sync(&folder.open_dir(inner).map_err(failed)?).map_err(failed)?;
    }
    sync(&folder).map_err(failed)
}

/// Takes a folder or a file away by one rename, then clears it up.
pub(crate) fn remove(parent: &Path, key: &Path) -> Result<(), Error> {
    let staged = parent.join(staging_name());
    std::fs::rename(key, &staged).map_err(Error::io("remove", key))?;
    sync_path(parent)?;
    let cleared = if staged.is_dir() {
        std::fs::remove_dir_all(&staged)
    } else {
        std::fs::remove_file(&staged)
    };
    cleared.map_err(Error::io("remove", &staged))
}

fn sync_path(folder: &Path) -> Result<(), Error> {
    std::fs::File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(Error::io("write", folder))
}
