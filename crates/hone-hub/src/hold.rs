//! One process at a time works on a lock file. The lock is a `flock` on the folder around it: nothing is
//! left behind, and it ends with its process. A note in `HONE_HOME` says who holds it.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::Error;

/// How long one process waits for another.
pub const HOLD_WAIT: Duration = Duration::from_secs(60);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(20);

/// The right to work on a lock file, until it is dropped.
#[derive(Debug)]
pub(crate) struct Hold {
    _folder: File,
    note: PathBuf,
}

impl Hold {
    /// Waits for the right to work on a lock file, at most `wait`.
    pub(crate) fn take(
        lock: &Path,
        home: &Path,
        doing: &str,
        wait: Duration,
    ) -> Result<Self, Error> {
        let folder = lock.parent().unwrap_or(Path::new("/"));
        std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
        let holders = home.join("holders");
        std::fs::create_dir_all(&holders).map_err(Error::io("create", &holders))?;
        let name = hone_library::hash(lock.as_os_str().as_encoded_bytes());
        let note = holders.join(&name[..16]);
        let file = File::open(folder).map_err(Error::io("open", folder))?;
        let until = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < until => {
                    std::thread::sleep(LOOK);
                }
                Err(TryLockError::WouldBlock) => {
                    let owner = std::fs::read_to_string(&note);
                    let owner = owner.unwrap_or_else(|_| "another process".to_owned());
                    return Err(Error::Busy { path: lock.to_owned(), owner });
                }
                Err(TryLockError::Error(error)) => return Err(Error::io("lock", folder)(error)),
            }
        }
        let text = format!("`hone {doing}` (process {})", std::process::id());
        // Only for the message; the lock itself does not need it.
        let _ = std::fs::write(&note, text);
        Ok(Self { _folder: file, note })
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_its_time_and_is_told_who_holds_it() {
        let folder = tempfile::tempdir().unwrap();
        let (lock, home) = (folder.path().join("p/hone.lock"), folder.path().join("home"));
        let first = Hold::take(&lock, &home, "add", HOLD_WAIT).unwrap();
        let error = Hold::take(&lock, &home, "update", Duration::from_millis(30)).unwrap_err();
        let expected = format!("`hone add` (process {}) is at work on `", std::process::id());
        assert!(error.to_string().starts_with(&expected), "{error}");
        let waiting = std::thread::spawn({
            let (lock, home) = (lock.clone(), home.clone());
            move || Hold::take(&lock, &home, "update", HOLD_WAIT).map(|_| ())
        });
        drop(first);
        waiting.join().unwrap().unwrap();
        Hold::take(&folder.path().join("other/hone.lock"), &home, "add", HOLD_WAIT).unwrap();
    }
}
