//! `hone rollback` of a skill that came from elsewhere: files, lock file and log go back together, in the
//! order of every other action (hold, intend, swap, lock, record), so that a process that dies or fails in
//! between leaves the old or the new of all three.

use std::path::Path;

use hone_library::provenance::Records;
use hone_library::{
    Action, Change, Mode, Revision, Store, Surroundings, canonical_or_same, content_hash, files_of,
    hashes_of, history,
};

use crate::error::Error;
use crate::hold::{HOLD_WAIT, Hold};
use crate::hub::{Ask, Step};
use crate::journal::{self, Planned};
use crate::lock::{Lock, Locked};
use crate::record::{Act, arrived_from};
use crate::roots::Roots;
use crate::target::Target;

/// Brings an earlier revision of a skill back, as [`Store::rollback`] does. The lock file names the version
/// that the files are of then, with or without edits; a skill that did not come through the hub has none.
pub fn rollback(
    store: &Store<'_>,
    around: &Surroundings,
    skill: &Path,
    to: Option<u64>,
    ask: &mut dyn Ask,
) -> Result<Change, Error> {
    let (state, author) = (store.state(), store.author());
    let key = canonical_or_same(skill);
    let Some(installed) = state.installed_at(&key)? else { return Ok(store.rollback(&key, to)?) };
    let target = Target::of_lock(around, &installed.lock);
    if store.mode() == Mode::DryRun {
        Lock::read(&target.lock)?.writable()?;
        return Ok(store.rollback(&key, to)?);
    }
    let _hold = Hold::take(&target.lock, state.home(), "rollback", HOLD_WAIT)?;
    let mut lock = Lock::read(&target.lock)?;
    lock.writable()?;
    let roots = Roots::new(&target);
    journal::settle(state, &roots, author, &mut lock, journal::DIED)?;

    let known = versions(store, &key)?;
    let Some(place) = known.last().map(|known| known.entry.clone()) else {
        return Ok(store.rollback(&key, to)?);
    };
    let was = lock.get(&place.root, &place.name).cloned();
    let mut planned = None;
    let done = store.rollback_noting(&key, to, |coming| {
        let content = coming.tree.as_ref().map(|tree| content_hash(&files_of(tree)));
        let then = || version_at(&history(state, &key).ok()?, coming.to, &known);
        let entry = content.as_ref().and_then(|content| {
            let is_it = |known: &&Version| known.entry.content() == *content;
            let version = known.iter().find(is_it).map(|known| &known.entry);
            // What nobody installed while the ledger was kept was there before all else.
            version.or_else(then).or(known.first().map(|known| &known.entry)).cloned()
        });
        let edits = match (&content, &entry) {
            (None, _) => ", in which it was gone",
            (Some(content), Some(entry)) if entry.content() != *content => ", with edits",
            _ => "",
        };
        let planned = planned.insert(Planned {
            act: Act::Rollback,
            root: place.root.clone(),
            name: place.name.clone(),
            was: was.clone(),
            after: coming.tree.as_ref().map(hashes_of),
            entry,
            detail: format!("to revision {}{edits}", coming.to),
        });
        journal::intend(state, &roots, author, std::slice::from_ref(planned))?;
        ask.progress(Step::Intend, 1, 1);
        Ok(())
    });
    let (change, planned) = match (done, planned) {
        (Ok(change), Some(planned)) => (change, planned),
        (Ok(change), None) => return Ok(change),
        (Err(error), None) => return Err(error),
        (Err(error), Some(_)) => {
            // What cannot be settled now, for want of room, the next action settles.
            let _ = journal::settle(state, &roots, author, &mut lock, journal::FAILED);
            return Err(error);
        }
    };
    ask.progress(Step::Swap, 1, 1);
    match &planned.entry {
        Some(entry) => lock.put(entry.clone()),
        None => drop(lock.remove(&planned.root, &planned.name)),
    }
    lock.save().map_err(|error| Error::Unrecorded(Box::new(error)))?;
    ask.progress(Step::Lock, 1, 1);
    let audit = vec![planned.row(author, &key)];
    state.record(&Records { settled: vec![target.lock.clone()], audit, ..Records::default() })?;
    ask.progress(Step::Record, 1, 1);
    Ok(change)
}

/// A version that was installed, and when.
struct Version {
    entry: Locked,
    at: i64,
}

/// The versions of a skill that were ever installed, oldest first.
fn versions(store: &Store<'_>, key: &Path) -> Result<Vec<Version>, Error> {
    let generations = store.state().generations(key)?.into_iter();
    let read = generations.filter_map(|generation| {
        let entry = serde_json::from_str(&generation.entry).ok()?;
        Some(Version { entry, at: generation.at })
    });
    Ok(read.collect())
}

/// The version that a skill was of after a revision, whatever was edited since it came.
fn version_at<'v>(history: &[Revision], to: u64, known: &'v [Version]) -> Option<&'v Locked> {
    let mut to = to;
    for row in history.iter().rev() {
        if row.revision > to {
            continue;
        }
        if let Some(earlier) = row.back_to() {
            to = earlier;
        } else if matches!(row.action, Action::Install | Action::Update) {
            let is_it = |version: &&Version| {
                let rest = row.reason.strip_prefix(&arrived_from(&version.entry));
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
            };
            // A source without a pin has one name for all its versions.
            let mut named = known.iter().filter(is_it);
            let last = named.clone().rfind(|version| version.at <= row.at);
            if let Some(version) = last.or_else(|| named.next()) {
                return Some(&version.entry);
            }
        }
    }
    None
}
