//! The folder for what is on its way. It goes when its process is done; of one that was killed, the next
//! process takes it away.

use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::fetch_error::FetchError;

const PREFIX: &str = "hone-fetch-";
/// How old a folder is before it is taken for one that nobody holds: its maker locks it right away.
const MIN_AGE: Duration = Duration::from_secs(60);

/// A folder that this process holds.
#[derive(Debug)]
pub(crate) struct WorkFolder {
    folder: TempDir,
    _held: File,
}

impl WorkFolder {
    /// A new folder in the system's folder for temporary files.
    pub(crate) fn new() -> Result<Self, FetchError> {
        Self::new_in(&std::env::temp_dir(), SystemTime::now())
    }

    fn new_in(parent: &Path, now: SystemTime) -> Result<Self, FetchError> {
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(parent);
        let folder = folder.map_err(FetchError::io("create a folder in", parent))?;
        let held = File::open(folder.path()).and_then(|held| held.lock().map(|()| held));
        let held = held.map_err(FetchError::io("lock", folder.path()))?;
        sweep(parent, folder.path(), now);
        Ok(Self { folder, _held: held })
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Takes away the folders of the same person that no process holds. What cannot be taken away stays.
fn sweep(parent: &Path, own: &Path, now: SystemTime) {
    let Ok(owner) = own.symlink_metadata().map(|metadata| metadata.uid()) else { return };
    for entry in parent.read_dir().into_iter().flatten().flatten() {
        let path = entry.path();
        let is_ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        let Ok(metadata) = path.symlink_metadata() else { continue };
        let age = metadata.modified().ok().and_then(|made| now.duration_since(made).ok());
        let is_old = age.is_some_and(|age| age >= MIN_AGE);
        if is_ours
            && is_old
            && metadata.is_dir()
            && metadata.uid() == owner
            && File::open(&path).is_ok_and(|folder| folder.try_lock().is_ok())
        {
            let _ = std::fs::remove_dir_all(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_process_left_is_taken_away_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(name);
        let held = WorkFolder::new_in(parent.path(), SystemTime::now()).unwrap();
        for name in ["hone-fetch-left", "another", "target"] {
            std::fs::create_dir_all(at(name).join("git/objects")).unwrap();
        }
        std::os::unix::fs::symlink(at("target"), at("hone-fetch-link")).unwrap();
        // Right after it was made, it may be about to be locked.
        drop(WorkFolder::new_in(parent.path(), SystemTime::now()).unwrap());
        assert!(at("hone-fetch-left").exists());
        let later = SystemTime::now() + MIN_AGE;
        let next = WorkFolder::new_in(parent.path(), later).unwrap();
        assert!(!at("hone-fetch-left").exists());
        for kept in [held.path(), next.path(), &at("another"), &at("target/git/objects")] {
            assert!(kept.is_dir(), "{}", kept.display());
        }
        assert!(at("hone-fetch-link").is_symlink());
        let gone = held.path().to_owned();
        drop(held);
        assert!(!gone.exists());
    }
}
