//! A copy of a brain as it was at one moment, while tasks go on.
//!
//! The files are copied, and beside them the database through SQLite's own backup, which takes it as it is at
//! one moment. When no file has changed between a look before all that and a look after it, the copy is the
//! brain at that moment; else it is made again.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::super::chain::{Chain, MAX_RECEIPT_BYTES, check, first};
use super::super::digest::Digest;
use super::super::keeper::RECEIPTS_FILE;
use super::super::keys::PublicKey;
use super::super::members::{Anew, Members, Records, members, now};
use super::super::receipt::State;
use super::super::state::{Layout, StateError, state};
use super::Settle;
use super::error::SnapshotError;
use super::manifest::ReceiptsMark;
use super::memo::Stamps;

/// How often a copy is tried before the brain counts as moving.
const MAX_TRIES: usize = 5;
/// How long a writer may keep the database locked.
const PATIENCE: Duration = Duration::from_secs(30);

/// A brain at one moment.
pub(super) struct Staged {
    /// Where the copy is.
    pub(super) folder: PathBuf,
    /// Its files: path, bytes, whether executable.
    pub(super) files: Vec<(String, u64, bool)>,
    /// Its state.
    pub(super) state: State,
    /// The digest of each table.
    pub(super) tables: BTreeMap<String, Digest>,
    /// Its receipts.
    pub(super) receipts: ReceiptsMark,
    /// The key that signed its first receipt.
    pub(super) root: PublicKey,
    /// The key that signs its next receipt.
    pub(super) signer: PublicKey,
    /// Whether the last receipt is about this very state.
    pub(super) is_settled: bool,
    /// What the system said about what was copied, where that tells any later change.
    pub(super) stamps: Stamps,
    /// The same for files that had just been changed: they may have changed again since.
    pub(super) unsettled: Stamps,
}

/// Copies the brain of an agent.
pub(super) fn stage(
    agent: &str,
    brain: &Path,
    layout: &Layout,
    folder: PathBuf,
    settle: Option<&Settle>,
) -> Result<Staged, SnapshotError> {
    for _ in 0..MAX_TRIES {
        match copy(brain, layout, &folder) {
            Ok(Some(mut copied)) => {
                if let Some(settle) = settle {
                    settled(&mut copied, &folder, settle)?;
                }
                return read(agent, brain, layout, folder, copied);
            }
            Ok(None) => {}
            // A file that went away between two looks.
            Err(
                SnapshotError::Io { error, .. }
                | SnapshotError::State(StateError::Io { error, .. }),
            ) if error.kind() == io::ErrorKind::NotFound && brain.is_dir() => {}
            Err(error) => return Err(error),
        }
        fs::remove_dir_all(&folder).map_err(SnapshotError::io(&folder))?;
    }
    Err(SnapshotError::Moving { path: brain.to_owned() })
}

/// What was copied.
struct Copied {
    /// Files: path, bytes, and whether it may be executed.
    files: Vec<(String, u64, bool)>,
    stamps: Stamps,
    unsettled: Stamps,
}

/// Copies once; nothing when a file changed meanwhile.
fn copy(brain: &Path, layout: &Layout, folder: &Path) -> Result<Option<Copied>, SnapshotError> {
    private_folder(folder)?;
    let (dir, before) = members(brain, layout, Records::List, &mut Anew)?;
    let began = now();
    let is_same = thread::scope(|scope| {
        let database = before.has_database.then(|| {
            scope.spawn(|| backup(&brain.join(layout.database), &folder.join(layout.database)))
        });
        let copied = copy_files(brain, &dir, &before, folder);
        if let Some(database) = database {
            database.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        }
        copied
    })?;
    if !is_same {
        return Ok(None);
    }
    let (_, after) = members(brain, layout, Records::List, &mut Anew)?;
    if (&before.files, &before.apart, before.has_database)
        != (&after.files, &after.apart, after.has_database)
    {
        return Ok(None);
    }
    let files = before.files.iter().chain(&before.apart);
    let (mut stamps, unsettled): (Stamps, Stamps) = files
        .clone()
        .map(|(path, found)| (path.clone(), found.stamp))
        .partition(|(_, stamp)| stamp.is_settled(began));
    // A database that was written to meanwhile is not what its stamps say.
    if before.database == after.database
        && after.database.values().all(|stamp| stamp.is_settled(began))
    {
        stamps.extend(after.database);
    }
    let mut files: Vec<_> = files
        .map(|(path, found)| (path.clone(), found.stamp.bytes(), found.is_executable))
        .collect();
    if before.has_database {
        let path = folder.join(layout.database);
        let bytes = fs::metadata(&path).map_err(SnapshotError::io(&path))?.len();
        files.push((layout.database.to_owned(), bytes, false));
    }
    files.sort_unstable();
    Ok(Some(Copied { files, stamps, unsettled }))
}

/// Copies the files; no when one is another by now.
fn copy_files(
    brain: &Path,
    dir: &Dir,
    before: &Members,
    folder: &Path,
) -> Result<bool, SnapshotError> {
    let mut around = None;
    for (path, found) in before.files.iter().chain(&before.apart) {
        let to = folder.join(path);
        if around.as_deref() != to.parent() {
            around = to.parent().map(Path::to_owned);
            private_folder(around.as_deref().unwrap_or(folder))?;
        }
        let mut from = dir.open(path).map_err(SnapshotError::io(&brain.join(path)))?;
        let mut file = File::options()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&to)
            .map_err(SnapshotError::io(&to))?;
        // One byte more than there should be shows a file that grows without end.
        let copied = io::copy(&mut from.by_ref().take(found.stamp.bytes() + 1), &mut file)
            .map_err(SnapshotError::io(&to))?;
        if copied != found.stamp.bytes() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Has a copy settled, and brings the list of its files to what they are then.
fn settled(copied: &mut Copied, folder: &Path, settle: &Settle) -> Result<(), SnapshotError> {
    let unsettled = |why| SnapshotError::Unsettled { path: folder.display().to_string(), why };
    for path in settle(folder).map_err(unsettled)? {
        copied.files.retain(|(known, _, _)| *known != path);
        // The brain's own file is another than what is packed.
        copied.stamps.remove(&path);
        copied.unsettled.remove(&path);
        let about = match fs::symlink_metadata(folder.join(&path)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            about => about.map_err(SnapshotError::io(&folder.join(&path)))?,
        };
        copied.files.push((path, about.len(), about.permissions().mode() & 0o111 != 0));
    }
    copied.files.sort_unstable();
    Ok(())
}

/// Makes a folder, and those around it, that only its owner may enter.
pub(super) fn private_folder(path: &Path) -> Result<(), SnapshotError> {
    let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(path);
    made.map_err(SnapshotError::io(path))
}

/// Copies a database as it is at one moment. Writers go on where the journal is a WAL.
fn backup(from: &Path, to: &Path) -> Result<(), SnapshotError> {
    let failed = |error| SnapshotError::Database { path: from.to_owned(), error };
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let source = Connection::open_with_flags(from, flags).map_err(failed)?;
    source.busy_timeout(PATIENCE).map_err(failed)?;
    let mut copy = Connection::open(to).map_err(failed)?;
    // Nobody needs the copy after a crash.
    copy.execute_batch("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF").map_err(failed)?;
    let backup = Backup::new(&source, &mut copy).map_err(failed)?;
    let start = Instant::now();
    loop {
        match backup.step(-1).map_err(failed)? {
            StepResult::Done => return Ok(()),
            // Another process has it; SQLite has no way to be woken.
            _ if start.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(20)),
            _ => return Err(SnapshotError::Moving { path: from.to_owned() }),
        }
    }
}

/// What the copy is, by its own files.
fn read(
    agent: &str,
    brain: &Path,
    layout: &Layout,
    folder: PathBuf,
    copied: Copied,
) -> Result<Staged, SnapshotError> {
    let none = || SnapshotError::NoReceipts { path: brain.to_owned() };
    let Copied { files, stamps, unsettled } = copied;
    if !files.iter().any(|(path, _, _)| path == RECEIPTS_FILE) {
        return Err(none());
    }
    let hash = state(&folder, layout)?;
    let path = folder.join(RECEIPTS_FILE);
    let root = first(&path)?.ok_or_else(none)?.key;
    // What a restore would refuse is not packed.
    let checked = check(&path, root)?;
    if !checked.holds() {
        return Err(SnapshotError::Broken(checked.breaks));
    }
    let chain = Chain::open(&path)?;
    let (Some(last), Some(signer)) = (chain.last(), chain.key()) else { return Err(none()) };
    if last.agent != agent {
        let (expected, found) = (agent.to_owned(), last.agent.clone());
        return Err(SnapshotError::OtherAgent { path: brain.to_owned(), expected, found });
    }
    let (knowledge, activity) = (hash.knowledge, hash.activity);
    let state = State { knowledge, activity, version: last.after.version };
    let receipts = ReceiptsMark { count: last.index + 1, head: last.digest() };
    let is_settled = last.after == state;
    let tables = layout.tables.iter().filter_map(|table| {
        let name = format!("{}/{}", layout.database, table.name);
        let digest = *hash.members.get(&name)?;
        Some((name, digest))
    });
    let tables = tables.collect();
    Ok(Staged {
        folder,
        files,
        state,
        tables,
        receipts,
        root,
        signer,
        is_settled,
        stamps,
        unsettled,
    })
}

/// Whether a file of receipts begins with the chain that a mark names.
pub(super) fn begins_with(path: &Path, mark: ReceiptsMark) -> Result<bool, SnapshotError> {
    let mut lines = BufReader::new(File::open(path).map_err(SnapshotError::io(path))?);
    let mut line = Vec::new();
    for index in 1..=mark.count {
        line.clear();
        let most = MAX_RECEIPT_BYTES as u64 + 1;
        let read = lines.by_ref().take(most).read_until(b'\n', &mut line);
        read.map_err(SnapshotError::io(path))?;
        if line.pop() != Some(b'\n') {
            return Ok(false);
        }
        if index == mark.count {
            return Ok(Digest::of(&line) == mark.head);
        }
    }
    Ok(false)
}
