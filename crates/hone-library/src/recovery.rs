//! What a writer that died left behind: a ledger row that is not done, and unfinished files.
//!
//! What is on disk decides. All files as they were: the row goes. Otherwise it happened. A mixture can
//! only come from a file system that cannot swap folders, and is put back to what it was.

use std::path::Path;

use crate::atomic::{staging_name, staging_prefix};
use crate::error::Error;
use crate::folder::{Folder, split};
use crate::ledger::{self, FileChange, Unfinished};
use crate::place::{Held, Place, SKILL_FILE};
use crate::state::State;
use crate::tree::clear;
use crate::walk::is_skill_file;

/// How far a change got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing of it is on disk.
    Undone,
    /// All of it is, or was until somebody else changed the files again.
    Done,
    /// A part of it is.
    Half,
}

/// How far some changes got, as the files have it.
pub(crate) fn fate(folder: Option<&Folder>, changes: &[FileChange]) -> Fate {
    let mut is_before = true;
    let mut is_after = true;
    let mut is_either = true;
    for change in changes {
        let now = match folder {
            Some(folder) => folder.read(&change.file),
            None => Ok(None),
        };
        let is = |kept: Option<ledger::Kept>| match (&now, kept) {
            (Ok(Some(now)), Some(kept)) => kept.is(now),
            (Ok(None), None) => true,
            _ => false,
        };
        let (before, after) = (is(change.kept_before()), is(change.kept_after()));
        is_before &= before;
        is_after &= after;
        is_either &= before || after;
    }
    match (is_before, is_after, is_either) {
        (_, true, _) => Fate::Done,
        (true, ..) => Fate::Undone,
        (_, _, true) => Fate::Half,
        _ => Fate::Done,
    }
}

/// The place of a skill, as its ledger rows have it.
pub(crate) fn place_of<'c>(
    key: &Path,
    changes: impl Iterator<Item = &'c FileChange> + Clone,
) -> Place {
    let name = key.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let mut files = changes.map(|change| change.file.as_str());
    let has_skill_file = files.clone().find(|file| is_skill_file(file));
    let is_flat = has_skill_file.is_none() && !key.is_dir() && files.all(|file| file == name);
    let main = if is_flat { name } else { has_skill_file.unwrap_or(SKILL_FILE) };
    Place::at(key.to_owned(), is_flat, main.to_owned())
}

/// Settles what dead writers left in the folder that is held.
pub(crate) fn settle(state: &State, held: &Held<'_>) -> Result<(), Error> {
    for row in ledger::unfinished(state)? {
        if row.key.parent() == Some(&held.place.parent) {
            settle_row(state, held, &row)?;
        }
    }
    Ok(())
}

fn settle_row(state: &State, held: &Held<'_>, row: &Unfinished) -> Result<(), Error> {
    let place = place_of(&row.key, row.changes.iter());
    // Something else may be where the skill was; then there is nothing of it left to look at.
    let folder = held.folder_of(&place).ok().flatten();
    sweep(held.around()?, "", &place.key);
    if let Some(folder) = &folder {
        for change in &row.changes {
            let (inner, _) = split(&change.file);
            sweep(folder, &inner.to_string_lossy(), &place.key);
            if !place.is_flat {
                // Made for a file that never came, or left by one that went.
                let _ = folder.remove_empty(inner);
            }
        }
    }
    match fate(folder.as_ref(), &row.changes) {
        Fate::Done => ledger::finish(state, row.id),
        Fate::Undone => ledger::cancel(state, row.id),
        Fate::Half => {
            // What cannot be put back stays, and the next writer records it as found.
            let is_back = folder.is_some_and(|folder| put_back(state, &folder, row).is_ok());
            if is_back { ledger::cancel(state, row.id) } else { ledger::finish(state, row.id) }
        }
    }
}

/// Makes every file of a row what it was before.
fn put_back(state: &State, folder: &Folder, row: &Unfinished) -> Result<(), Error> {
    for change in &row.changes {
        let before = change.kept_before().map(|kept| kept.content(state)).transpose()?;
        let now = folder.read(&change.file)?;
        if now != before {
            let staged = staging_name(&row.key);
            folder.put(&change.file, now.as_ref(), before.as_ref(), &staged)?;
        }
    }
    Ok(())
}

/// Removes what dead writers of a skill staged in a folder.
fn sweep(folder: &Folder, inner: &str, key: &Path) {
    let prefix = staging_prefix(key);
    let dir = if inner.is_empty() { folder.dir.try_clone() } else { folder.dir.open_dir(inner) };
    let Ok(dir) = dir else { return };
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with(&prefix) {
            clear(&dir, &name);
        }
    }
}
