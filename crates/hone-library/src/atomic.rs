//! Files that are replaced whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::fs::Dir;

use crate::error::Error;
use crate::walk::STAGING_PREFIX;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// A name that no other writer uses, hidden from discovery.
pub(crate) fn staging_name() -> String {
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    let time = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    format!("{STAGING_PREFIX}{}-{time:x}-{count}", std::process::id())
}

/// Replaces a file of our own: temporary file, fsync, rename, fsync of the folder.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let staged = folder.join(staging_name());
    let written = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&staged)
        .and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        })
        .and_then(|()| std::fs::rename(&staged, path));
    if let Err(error) = written {
        let _ = std::fs::remove_file(&staged);
        return Err(Error::io("write", path)(error));
    }
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io("write", folder))
}

/// Replaces a file inside a folder that must not be left, keeping its permissions.
pub(crate) fn replace_in(
    folder: &Dir,
    name: &Path,
    bytes: &[u8],
    executable: bool,
    shown: &Path,
) -> Result<(), Error> {
    let parent = match name.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => Some(folder.open_dir(parent).map_err(Error::io("write", shown))?),
        None => None,
    };
    let folder = parent.as_ref().unwrap_or(folder);
    let name = Path::new(name.file_name().unwrap_or_default());
    let staged = staging_name();
    let written = (|| {
        let mut options = cap_std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = folder.open_with(&staged, &options)?;
        file.write_all(bytes)?;
        let permissions = match folder.metadata(name) {
            Ok(metadata) => Some(metadata.permissions()),
            Err(_) if executable => {
                let mode = cap_std::fs::PermissionsExt::from_mode(0o755);
                Some(mode)
            }
            Err(_) => None,
        };
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        folder.rename(&staged, folder, name)?;
        sync(folder)
    })();
    written.map_err(|error| {
        let _ = folder.remove_file(&staged);
        Error::io("write", shown)(error)
    })
}

/// Makes a folder's entries durable.
pub(crate) fn sync(folder: &Dir) -> std::io::Result<()> {
    // The handle itself may be good for lookups only, so the folder is opened anew, through it.
    folder.open(".")?.sync_all()
}
