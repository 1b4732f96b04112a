//! Files and folders of a brain: for their owner only, replaced whole or not at all.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

use super::BrainError;

/// The start of the names of unfinished files; nobody reads one, and discovery skips it.
pub(crate) const STAGED: &str = ".hone-";

/// Makes a folder, and those around it, that only its owner can read.
pub(crate) fn make_folder(path: &Path) -> Result<(), BrainError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(BrainError::io("create", path))
}

/// Replaces a file, or makes it: temporary file, fsync, rename, fsync of the folder.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), BrainError> {
    let failed = |error| BrainError::io("write", path)(error);
    let folder = path.parent().unwrap_or(Path::new("."));
    // A temporary file belongs to its owner alone.
    let mut staged = tempfile::Builder::new().prefix(STAGED).tempfile_in(folder).map_err(failed)?;
    staged.write_all(bytes).map_err(failed)?;
    staged.as_file().sync_all().map_err(failed)?;
    staged.persist(path).map_err(|error| failed(error.error))?;
    sync(folder)
}

/// Takes a file away; one that is not there is gone already.
pub(crate) fn remove(path: &Path) -> Result<(), BrainError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(BrainError::io("remove", path)(error))
        }
        _ => sync(path.parent().unwrap_or(Path::new("."))),
    }
}

/// Waits until a folder's entries are on the disk.
pub(crate) fn sync(folder: &Path) -> Result<(), BrainError> {
    let opened = File::open(folder).and_then(|folder| folder.sync_all());
    opened.map_err(BrainError::io("write", folder))
}

/// Opens a file for writing, made for its owner alone when it is not there. Links are not followed.
pub(crate) fn open_private(path: &Path) -> Result<File, BrainError> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
        .map_err(BrainError::io("open", path))
}

/// The text of a file of at most so many bytes; none when it is not there. Links are not followed.
pub(crate) fn read(path: &Path, most: u64) -> Result<Option<String>, BrainError> {
    let Some(bytes) = read_bytes(path, most)? else { return Ok(None) };
    String::from_utf8(bytes).map(Some).map_err(|_| BrainError::Content {
        path: path.to_owned(),
        message: "it is not UTF-8".to_owned(),
    })
}

/// The bytes of a file of at most so many; none when it is not there. Links are not followed.
pub(crate) fn read_bytes(path: &Path, most: u64) -> Result<Option<Vec<u8>>, BrainError> {
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path);
    let file = match opened {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        file => file.map_err(BrainError::io("read", path))?,
    };
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).map_err(BrainError::io("read", path))?;
    if bytes.len() as u64 > most {
        let message = format!("it has more than {most} bytes");
        return Err(BrainError::Content { path: path.to_owned(), message });
    }
    Ok(Some(bytes))
}
