//! Files of our own that are replaced whole or not at all.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::Error;
use crate::folder::sync_path;
use crate::walk::STAGING_PREFIX;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The start of the names that writers of `key` use for unfinished work.
pub(crate) fn staging_prefix(key: &Path) -> String {
    let hash = crate::objects::hash(key.as_os_str().as_encoded_bytes());
    format!("{STAGING_PREFIX}{}-", &hash[..12])
}

/// A name that no other writer uses, hidden from discovery, for unfinished work on `key`.
pub(crate) fn staging_name(key: &Path) -> String {
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    format!("{}{}-{time:x}-{count}", staging_prefix(key), std::process::id())
}

/// Replaces a file: temporary file, fsync, rename, fsync of the folder. A link is followed, and the
/// file that it leads to keeps its permissions.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    replace_from(path, bytes, &folder.join(staging_name(path)))?;
    sync_path(folder)
}

/// Removes what dead writers of a file left beside it. Only for whoever alone may write it now.
pub fn sweep(path: &Path) {
    let path = &std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Some(entries) = path.parent().and_then(|folder| folder.read_dir().ok()) else { return };
    let prefix = staging_prefix(path);
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Writes `staged`, makes it durable and gives it the name `path`.
pub(crate) fn replace_from(path: &Path, bytes: &[u8], staged: &Path) -> Result<(), Error> {
    let old = std::fs::metadata(path).ok().map(|old| old.permissions());
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        // Whoever may not read the old file may not read the new one either, not even for a moment.
        .mode(old.as_ref().map_or(0o666, |old| old.mode() & 0o666))
        .open(staged)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            if let Some(old) = old {
                file.set_permissions(old)?;
            }
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(staged, path));
    written.map_err(|error| {
        let _ = std::fs::remove_file(staged);
        Error::io("write", path)(error)
    })
}
