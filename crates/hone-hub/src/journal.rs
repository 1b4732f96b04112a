//! What is about to be done, written down before it is done. Should the process die in between, the next
//! one finds it here, looks at the disk, and finishes the books: the lock file, the generations, the
//! audit log. The files themselves are the library's to settle.

use std::collections::BTreeMap;
use std::path::Path;

use hone_library::audit::Event;
use hone_library::provenance::{Generation, Installed, Records};
use hone_library::{Author, Mode, State, Store, hashes_of, sweep_objects};
use serde::{Deserialize, Serialize};

use crate::approve::waiting;
use crate::error::Error;
use crate::lock::{Lock, Locked};
use crate::record::{Act, event, with_detail};
use crate::roots::Roots;

/// One skill of an intent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Planned {
    pub(crate) act: Act,
    pub(crate) root: String,
    pub(crate) name: String,
    /// What the lock said before.
    pub(crate) was: Option<Locked>,
    /// What the lock shall say; none when the skill goes.
    pub(crate) entry: Option<Locked>,
    /// The hashes of its files when it is done; none when the skill goes.
    pub(crate) after: Option<BTreeMap<String, String>>,
    /// What the log shall say besides.
    #[serde(default)]
    pub(crate) detail: String,
}

impl Planned {
    /// What the log says when it is done.
    pub(crate) fn row(&self, author: &Author, folder: &Path) -> Event {
        let entry = self.entry.as_ref().or(self.was.as_ref());
        with_detail(event(author, self.act, entry, folder), &self.detail)
    }
}

/// Writes down what is about to be done, and whose word each skill is, before anybody can see it.
pub(crate) fn intend(
    state: &State,
    roots: &Roots<'_>,
    author: &Author,
    planned: &[Planned],
) -> Result<(), Error> {
    let mut records = Records::default();
    for one in planned {
        if let Some(entry) = &one.entry {
            records.installed.push(installed(roots, author, entry)?);
        }
        // A version that came with its lock file, from version control, was never installed here.
        if let Some(was) = &one.was
            && state.generation(&roots.key(&was.root, &was.name)?, &was.content())?.is_none()
        {
            records.generations.push(generation(roots, author, was)?);
        }
    }
    let body = serde_json::to_string(planned).unwrap_or_default();
    records.intents.push((roots.target.lock.clone(), body));
    Ok(state.record(&records)?)
}

pub(crate) fn installed(
    roots: &Roots<'_>,
    author: &Author,
    entry: &Locked,
) -> Result<Installed, Error> {
    Ok(Installed {
        skill: roots.key(&entry.root, &entry.name)?,
        origin: entry.origin,
        source: entry.source.clone(),
        lock: roots.target.lock.clone(),
        at: author.now,
    })
}

pub(crate) fn generation(
    roots: &Roots<'_>,
    author: &Author,
    entry: &Locked,
) -> Result<Generation, Error> {
    Ok(Generation {
        skill: roots.key(&entry.root, &entry.name)?,
        content: entry.content(),
        entry: serde_json::to_string(entry).unwrap_or_default(),
        at: author.now,
    })
}

/// Why the books of an action are finished by another.
pub(crate) const DIED: &str = "finished after the process that began it had died";
/// Why they are finished before its end.
pub(crate) const FAILED: &str = "finished after a later part of it had failed";

/// Finishes the books of an action that did not, and says why. The caller holds the lock file's lock.
pub(crate) fn settle(
    state: &State,
    roots: &Roots<'_>,
    author: &Author,
    lock: &mut Lock,
    why: &str,
) -> Result<(), Error> {
    let bodies = state.intents(&roots.target.lock)?;
    if bodies.is_empty() {
        return Ok(());
    }
    let mut records = Records { settled: vec![roots.target.lock.clone()], ..Records::default() };
    let waiting = waiting(state)?;
    let store = Store::new(state, author.clone(), Mode::Write);
    for body in bodies {
        // One that cannot be read says nothing; what is on disk stays as it is.
        let planned: Vec<Planned> = serde_json::from_str(&body).unwrap_or_default();
        for one in planned {
            let root = roots.get(&one.root)?;
            let folder = root.path().join(&one.name);
            // The files first: what cannot be settled now, the next writer of the folder settles.
            let _ = store.settle(&folder);
            let now = root.tree(&one.name).ok().flatten().map(|tree| hashes_of(&tree));
            if now != one.after {
                if now.is_none() && lock.get(&one.root, &one.name).is_none() {
                    records.forgotten.push(folder);
                }
                continue;
            }
            // The log is written last, so it does not say so yet, whatever the lock says.
            let mut row = one.row(author, &folder);
            row = with_detail(row, why);
            records.audit.push(row);
            let content = one.entry.as_ref().map(Locked::content);
            let stale = waiting.iter().filter(|waits| {
                waits.is_for(&roots.target.lock, &one.root, &one.name)
                    && content.as_ref().is_none_or(|content| waits.content == *content)
            });
            records.decided.extend(stale.map(|waits| waits.id.clone()));
            match one.entry {
                Some(entry) => {
                    if one.act != Act::Rollback {
                        records.generations.push(generation(roots, author, &entry)?);
                    }
                    if one.act != Act::Restore {
                        lock.put(entry);
                    }
                }
                None => {
                    lock.remove(&one.root, &one.name);
                }
            }
        }
    }
    lock.save()?;
    state.record(&records)?;
    sweep_objects(state);
    Ok(())
}
