//! A copy of a brain without what a task under way has changed in it.
//!
//! A task changes skills at once, and only its end says whether they stay. Whoever packs a brain meanwhile
//! packs it as it was before the task: the machine that it comes back on has no ledger to take half of a
//! task back with.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use hone_library::{FileChange, Revision, State, changed_since, files_at, hash, history};

use super::journal::{Journal, actor};
use super::{Brain, BrainError, files, members};
use crate::memory;

impl Brain {
    /// Brings a copy of this brain to what it was before the task that was under way when it was made.
    /// Gives the paths in it that changed; a skill that somebody else changed meanwhile stays.
    pub(crate) fn settle_copy(&self, copy: &Path) -> Result<Vec<String>, BrainError> {
        let Some(journal) = Journal::read(&copy.join(members::JOURNAL))? else {
            return Ok(Vec::new());
        };
        if memory::ending_in(&copy.join(members::DATABASE), &journal.task)?.is_some() {
            // Its end was decided; only its receipt may be missing, and the next task writes that.
            return Ok(Vec::new());
        }
        let state = State::open(&self.hone_home);
        let folder = hone_library::canonical_or_same(&self.folder);
        let by = actor(&journal.task);
        let mut changed = vec![members::JOURNAL.to_owned()];
        for (key, first) in changed_since(&state, journal.position, &by)? {
            let Ok(below) = key.strip_prefix(&folder) else { continue };
            let rows = history(&state, &key)?;
            if rows.iter().any(|row| row.revision >= first && row.actor != by) {
                continue;
            }
            let before = files_at(&state, &rows, first.saturating_sub(1))?;
            for (file, change) in first_changes(&rows, first) {
                let is_flat = key.file_name().is_some_and(|name| name == file);
                let path = if is_flat { below.to_owned() } else { below.join(file) };
                if is_recorded(&copy.join(&path), file, &rows, first) {
                    put(&copy.join(&path), before.get(file).map(Vec::as_slice), change)?;
                    changed.push(path.to_string_lossy().into_owned());
                }
            }
        }
        files::remove(&copy.join(members::JOURNAL))?;
        Ok(changed)
    }
}

/// The first change of each file since a revision.
fn first_changes(rows: &[Revision], first: u64) -> BTreeMap<&str, &FileChange> {
    let mut changes = BTreeMap::new();
    for change in rows.iter().filter(|row| row.revision >= first).flat_map(|row| &row.changes) {
        changes.entry(change.file.as_str()).or_insert(change);
    }
    changes
}

/// Whether a file is what the ledger knows of it since a revision, or what it was before.
fn is_recorded(path: &Path, file: &str, rows: &[Revision], first: u64) -> bool {
    let now = fs::read(path).ok().map(|bytes| hash(&bytes));
    let rows = rows.iter().filter(|row| row.revision >= first);
    let mut changes = rows.flat_map(|row| &row.changes).filter(|change| change.file == file);
    changes.any(|change| change.before == now || change.after == now)
}

/// Brings a file of a copy to what it was before a change.
fn put(path: &Path, bytes: Option<&[u8]>, change: &FileChange) -> Result<(), BrainError> {
    let failed = |error: io::Error| BrainError::io("write", path)(error);
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    let Some(bytes) = bytes else { return Ok(()) };
    files::make_folder(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, bytes).map_err(failed)?;
    let is_program = change.mode_before.is_some_and(|mode| mode & 0o111 != 0);
    let mode = if is_program { 0o700 } else { 0o600 };
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(failed)
}
