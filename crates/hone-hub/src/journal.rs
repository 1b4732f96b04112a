//! What is about to be done, written down before it is done. Should the process die in between, the next
//! one finds it here, looks at the disk, and finishes the books: the lock file, the generations, the
//! audit log. The files themselves are the library's to settle.

use std::collections::BTreeMap;

use hone_library::provenance::{Generation, Installed, Records};
use hone_library::{Author, State, hashes_of};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::lock::{Lock, Locked};
use crate::record::{Act, event};
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
    for body in bodies {
        // One that cannot be read says nothing; what is on disk stays as it is.
        let planned: Vec<Planned> = serde_json::from_str(&body).unwrap_or_default();
        for one in planned {
            let root = roots.get(&one.root)?;
            let folder = root.path().join(&one.name);
            let now = root.tree(&one.name).ok().flatten().map(|tree| hashes_of(&tree));
            if now != one.after {
                if now.is_none() && lock.get(&one.root, &one.name).is_none() {
                    records.forgotten.push(folder);
                }
                continue;
            }
            // The log is written last, so it does not say so yet, whatever the lock says.
            let mut row = event(author, one.act, one.entry.as_ref().or(one.was.as_ref()), &folder);
            why.clone_into(&mut row.detail);
            records.audit.push(row);
            match one.entry {
                Some(entry) => {
                    records.generations.push(generation(roots, author, &entry)?);
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
    Ok(state.record(&records)?)
}
