//! One task at a time for one brain: a lock on a file that says who has it.
//!
//! The lock is the system's, so it goes with its process, however that ends. Whoever waits is told
//! the owner, waits no longer than it said, and can be stopped.

use std::fmt;
use std::fs::{File, TryLockError};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::{BrainError, files, members};

/// How often a waiting task looks whether it is its turn.
const LOOK_AGAIN: Duration = Duration::from_millis(20);
/// Bytes of the note that an owner leaves.
const MAX_OWNER_BYTES: u64 = 4_096;

/// Who has a brain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// What it is doing: `task ID`, `hone agent rm`.
    pub what: String,
    /// Its process.
    pub pid: u32,
    /// Since when, in milliseconds since 1970.
    pub since: i64,
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.what.is_empty() {
            return f.write_str("another task");
        }
        let since = jiff::Timestamp::from_millisecond(self.since).unwrap_or_default();
        write!(f, "{} of process {} since {since:.0}", self.what.escape_debug(), self.pid)
    }
}

/// A brain that is held until this is dropped.
#[derive(Debug)]
pub struct Held {
    file: File,
}

impl Drop for Held {
    fn drop(&mut self) {
        // The note is for people.
        let _ = self.file.set_len(0);
        // Closing alone would not do: a process that is just being started has the file until its program runs.
        let _ = self.file.unlock();
    }
}

/// Takes the brain in `folder` for `owner`, after at most `patience`. `waiting` hears once who is in
/// the way.
pub async fn hold(
    folder: &Path,
    owner: &Owner,
    patience: Duration,
    cancelled: &CancellationToken,
    waiting: impl FnMut(&Owner),
) -> Result<Held, BrainError> {
    let mut queue = Queue::new(folder, patience, waiting)?;
    while let Some(pause) = queue.look()? {
        tokio::select! {
            () = cancelled.cancelled() => return Err(BrainError::Cancelled),
            () = tokio::time::sleep(pause) => {}
        }
    }
    queue.take(owner)
}

/// The same for whoever has a thread to wait on.
pub fn hold_here(
    folder: &Path,
    owner: &Owner,
    patience: Duration,
    waiting: impl FnMut(&Owner),
) -> Result<Held, BrainError> {
    let mut queue = Queue::new(folder, patience, waiting)?;
    while let Some(pause) = queue.look()? {
        std::thread::sleep(pause);
    }
    queue.take(owner)
}

/// Somebody who waits for a brain.
struct Queue<W> {
    path: PathBuf,
    file: File,
    start: Instant,
    patience: Duration,
    /// Hears who is in the way, once.
    waiting: Option<W>,
}

impl<W: FnMut(&Owner)> Queue<W> {
    fn new(folder: &Path, patience: Duration, waiting: W) -> Result<Self, BrainError> {
        let path = folder.join(members::LOCK);
        let file = files::open_private(&path)?;
        Ok(Self { path, file, start: Instant::now(), patience, waiting: Some(waiting) })
    }

    /// How long to wait before the next look; nothing when it is our turn.
    fn look(&mut self) -> Result<Option<Duration>, BrainError> {
        match self.file.try_lock() {
            Ok(()) => return Ok(None),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(BrainError::io("lock", &self.path)(error));
            }
        }
        let other = || {
            let note = files::read(&self.path, MAX_OWNER_BYTES).ok().flatten().unwrap_or_default();
            // It may be in the middle of writing its note.
            serde_json::from_str::<Owner>(&note).unwrap_or_default()
        };
        let waited = self.start.elapsed();
        if waited >= self.patience {
            return Err(BrainError::Busy { owner: other() });
        }
        if let Some(mut waiting) = self.waiting.take() {
            waiting(&other());
        }
        Ok(Some(LOOK_AGAIN.min(self.patience.saturating_sub(waited))))
    }

    fn take(self, owner: &Owner) -> Result<Held, BrainError> {
        let Self { path, mut file, .. } = self;
        let note = serde_json::to_vec(owner).unwrap_or_default();
        let written =
            file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(&note));
        written.map_err(BrainError::io("write", &path))?;
        Ok(Held { file })
    }
}
