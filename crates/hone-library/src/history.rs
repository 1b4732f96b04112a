//! A skill's past: its revisions, and its files as any of them left them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::Error;
use crate::folder::Folder;
use crate::ledger::{self, Action, Kept, Revision};
use crate::recovery::{Fate, fate, place_of};
use crate::state::State;

/// All revisions of a skill, oldest first. `key` is its folder or single file, links resolved.
pub fn history(state: &State, key: &Path) -> Result<Vec<Revision>, Error> {
    let (mut rows, is_done) = ledger::rows(state, key)?;
    if !is_done && let Some(newest) = rows.last() {
        // Its writer is at work or dead: the files say whether it happened yet.
        let place = place_of(key, newest.changes.iter());
        let folder = Folder::open(place.folder()).ok();
        if fate(folder.as_ref(), &newest.changes) != Fate::Done {
            rows.pop();
        }
    }
    Ok(rows)
}

/// The files of a skill that hone knew of after a revision (0: before the first), with their bytes.
pub fn files_at(
    state: &State,
    history: &[Revision],
    revision: u64,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    state_after(history, revision)
        .into_iter()
        .map(|(file, kept)| Ok((file, kept.content(state)?.bytes)))
        .collect()
}

/// The files that any revision is about.
pub(crate) fn touched(history: &[Revision]) -> BTreeSet<&str> {
    let changes = history.iter().flat_map(|revision| &revision.changes);
    changes.map(|change| change.file.as_str()).collect()
}

/// The files that hone knew of after a revision.
///
/// A file that enters the history later was there all the time, as it was then found; only hone's own
/// first writing of it says that it was not.
pub(crate) fn state_after(history: &[Revision], revision: u64) -> BTreeMap<String, Kept> {
    let mut files: BTreeMap<&str, Option<Kept>> = BTreeMap::new();
    for row in history {
        for change in &row.changes {
            let then = if row.action == Action::Outside {
                change.kept_after()
            } else {
                change.kept_before()
            };
            let known = files.entry(&change.file).or_insert(then);
            if row.revision <= revision {
                *known = change.kept_after();
            }
        }
    }
    let there = files.into_iter().filter_map(|(file, kept)| Some((file.to_owned(), kept?)));
    there.collect()
}
