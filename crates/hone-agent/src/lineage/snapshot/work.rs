//! A folder to work in beside a brain, for one snapshot or restore at a time.
//!
//! The lock says that nobody else works there, so every folder of the same name is left over from a run
//! that was cut short, and is removed.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::error::SnapshotError;
use super::stage::private_folder;

/// A folder to work in; removed with everything in it at the end.
pub(super) struct Work {
    folder: TempDir,
    /// Released after the folder is gone: fields are dropped in their order.
    _lock: Lock,
}

/// A locked file. Closing it would release the lock only when nobody has it open: a process that this
/// one is just starting has, until its program runs.
struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.unlock();
    }
}

impl Work {
    /// A new folder beside `brain`, and none of an earlier run.
    pub(super) fn beside(brain: &Path, what: &str) -> Result<Self, SnapshotError> {
        let (Some(around), Some(name)) = (brain.parent(), brain.file_name()) else {
            let error = std::io::Error::other("it is no folder in a folder");
            return Err(SnapshotError::Io { path: brain.to_owned(), error });
        };
        let around = if around.as_os_str().is_empty() { Path::new(".") } else { around };
        private_folder(around)?;
        let stem = format!(".hone-{what}-{}", name.to_string_lossy());
        let path = around.join(format!("{stem}.lock"));
        let file = File::options()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&path)
            .map_err(SnapshotError::io(&path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(SnapshotError::Busy { path }),
            Err(TryLockError::Error(error)) => return Err(SnapshotError::Io { path, error }),
        }
        let prefix = format!("{stem}.tmp-");
        for entry in fs::read_dir(around).map_err(SnapshotError::io(around))? {
            let entry = entry.map_err(SnapshotError::io(around))?;
            if entry.file_name().to_string_lossy().starts_with(&prefix) {
                fs::remove_dir_all(entry.path()).map_err(SnapshotError::io(&entry.path()))?;
            }
        }
        let folder = tempfile::Builder::new()
            .prefix(&prefix)
            .tempdir_in(around)
            .map_err(SnapshotError::io(around))?;
        Ok(Self { folder, _lock: Lock { file } })
    }

    /// A place in the folder.
    pub(super) fn join(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lock_is_free_though_a_new_process_still_has_the_file() {
        let around = tempfile::tempdir().unwrap();
        let brain = around.path().join("brain");
        let Work { folder, _lock: lock } = Work::beside(&brain, "snapshot").unwrap();
        assert!(matches!(Work::beside(&brain, "snapshot"), Err(SnapshotError::Busy { .. })));
        // What a child has between its start and its program.
        let _inherited = lock.file.try_clone().unwrap();
        drop((folder, lock));
        Work::beside(&brain, "snapshot").unwrap();
    }
}
