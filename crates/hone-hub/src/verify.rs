//! What is on disk, held against the lock: every file is hashed again, and nothing is changed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hone_library::{LockedFile, OpenRoot, files_of};
use serde::Serialize;

use crate::error::Error;
use crate::hub::Hub;
use crate::lock::{Lock, Locked};
use crate::roots::Roots;
use crate::target::Target;

/// How a skill stands to its lock entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Standing {
    /// Every file is what the lock says.
    Ok,
    /// Files differ, are missing, or are there besides.
    Modified,
    /// Its folder is not there.
    Missing,
    /// Its folder cannot be read.
    Unreadable,
    /// The lock does not know it.
    Unknown,
}

/// How a file stands to the lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Difference {
    /// Other bytes, or another execute bit.
    Modified,
    /// Not there.
    Missing,
    /// Not in the lock.
    Extra,
}

/// A skill held against the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// The skill.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// How it stands.
    pub standing: Standing,
    /// The files that differ, by path.
    pub files: BTreeMap<String, Difference>,
    /// Why its folder cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

/// The files in which a folder and the lock differ.
pub(crate) fn differences(entry: &Locked, there: &[LockedFile]) -> BTreeMap<String, Difference> {
    let known: BTreeMap<&str, &LockedFile> =
        entry.files.iter().map(|file| (file.path.as_str(), file)).collect();
    let now: BTreeMap<&str, &LockedFile> =
        there.iter().map(|file| (file.path.as_str(), file)).collect();
    let mut differences = BTreeMap::new();
    for (path, file) in &known {
        match now.get(path) {
            None => differences.insert((*path).to_owned(), Difference::Missing),
            Some(now) if now == file => None,
            Some(_) => differences.insert((*path).to_owned(), Difference::Modified),
        };
    }
    for path in now.keys().filter(|path| !known.contains_key(*path)) {
        differences.insert((*path).to_owned(), Difference::Extra);
    }
    differences
}

impl Hub<'_> {
    /// Hashes every file of the lock's skills again, on all cores, and names folders beside them that
    /// the lock does not know.
    pub fn verify(&self, target: &Target, names: &[String]) -> Result<Vec<Verified>, Error> {
        let lock = Lock::read(&target.lock)?;
        let entries = crate::actions::chosen(&lock, names)?;
        let mut places = Vec::with_capacity(entries.len());
        let roots = Roots::new(target);
        for entry in &entries {
            places.push((roots.get(&entry.root)?, *entry));
        }
        let mut verified = verify_all(&places);
        if names.is_empty() {
            verified.extend(unknown(&roots, &lock)?);
        }
        Ok(verified)
    }
}

fn verify_all(places: &[(Arc<OpenRoot>, &Locked)]) -> Vec<Verified> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Verified)>> = Mutex::new(Vec::with_capacity(places.len()));
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((root, entry)) = places.get(at) else { break };
            let verified = verify_one(root, entry);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((at, verified));
        }
    };
    thread::scope(|scope| {
        for _ in 1..thread::available_parallelism().map_or(1, usize::from).min(places.len()) {
            scope.spawn(work);
        }
        work();
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, verified)| verified).collect()
}

fn verify_one(root: &OpenRoot, entry: &Locked) -> Verified {
    let (standing, files, problem) = match root.tree(&entry.name) {
        Ok(None) => (Standing::Missing, BTreeMap::new(), None),
        Ok(Some(tree)) => match differences(entry, &files_of(&tree)) {
            files if files.is_empty() => (Standing::Ok, files, None),
            files => (Standing::Modified, files, None),
        },
        Err(error) => (Standing::Unreadable, BTreeMap::new(), Some(error.to_string())),
    };
    let path = root.path().join(&entry.name);
    Verified { name: entry.name.clone(), path, standing, files, problem }
}

/// Folders with a skill in the roots of a lock that the lock does not name.
pub(crate) fn unknown(roots: &Roots<'_>, lock: &Lock) -> Result<Vec<Verified>, Error> {
    let mut names: Vec<&str> = lock.skills().iter().map(|skill| skill.root.as_str()).collect();
    names.dedup();
    let mut found = Vec::new();
    for root in names {
        let Ok(entries) = roots.get(root)?.path().read_dir() else { continue };
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let is_skill = entry.path().join("SKILL.md").is_file();
            if is_skill && lock.get(root, &name).is_none() {
                found.push(Verified {
                    name,
                    path: entry.path(),
                    standing: Standing::Unknown,
                    files: BTreeMap::new(),
                    problem: None,
                });
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
