//! The bytes of old versions, kept by their SHA-256 in `objects/`.
//!
//! Bytes are kept before a row of `state.db` refers to them. Whoever keeps some is in a [`Keeping`]: all of
//! them share a lock on `objects/staging`, and a note there names what each one added. So when the row
//! is never written, for want of room or because the process died, whoever is alone there next knows what
//! nothing refers to, and takes that away; nobody can be about to refer to it.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::atomic;
use crate::cores;
use crate::error::Error;
use crate::folder::sync_path;
use crate::state::{State, create_private_folder};

/// How the name of a note ends that says what is being kept, for a row of the ledger or for an action that
/// is written down.
const FOR_A_ROW: &str = ".row";
const FOR_AN_ACTION: &str = ".action";

/// What refers to kept bytes.
const REFERRED: [&str; 2] =
    ["SELECT changes FROM ledger WHERE done = 1", "SELECT entry FROM generation"];
/// What will once it is settled, unless it is taken back.
const BEGUN: &str = "SELECT changes FROM ledger WHERE done = 0";
const PLANNED: &str = "SELECT body FROM intent";

/// The hash of some bytes, in lower-case hex.
pub fn hash(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Bytes in lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The time from keeping bytes until something refers to them. What nothing refers to at its end is taken
/// away, by it or by whoever keeps something next.
#[derive(Debug)]
pub struct Keeping<'s> {
    state: &'s State,
    objects: PathBuf,
    /// Locked by all who keep something, together.
    staging: File,
    /// Names what was added; made when something is.
    note: Option<(PathBuf, File)>,
    /// How its name ends.
    kind: &'static str,
    /// The folder of the objects itself need not be on the disk yet.
    is_new: bool,
}

impl<'s> Keeping<'s> {
    /// Joins those who keep something. Whoever is alone first clears away what dead writers left.
    pub(crate) fn begin(state: &'s State) -> Result<Self, Error> {
        Self::join(state, FOR_A_ROW)
    }

    /// The same for bytes that an action needs which is written down in `state.db` as an intent: what it
    /// names is not taken away before it is settled.
    pub fn for_action(state: &'s State) -> Result<Self, Error> {
        Self::join(state, FOR_AN_ACTION)
    }

    fn join(state: &'s State, kind: &'static str) -> Result<Self, Error> {
        let objects = state.home().join("objects");
        let is_new = !objects.is_dir();
        let staging = objects.join("staging");
        create_private_folder(&staging)?;
        let failed = || Error::io("lock", &staging);
        let lock = File::open(&staging).map_err(failed())?;
        if lock.try_lock().is_ok() {
            clear(state, &objects);
        }
        lock.lock_shared().map_err(failed())?;
        Ok(Self { state, objects, staging: lock, note: None, kind, is_new })
    }

    /// Keeps bytes; the same bytes are kept once. What was kept and got damaged is mended.
    pub fn keep(&mut self, bytes: &[u8]) -> Result<String, Error> {
        let hash = hash(bytes);
        let path = path_of(&self.objects, &hash);
        let is_kept = is_kept(&path, bytes);
        // What is there already may be noted by somebody who gives it up.
        if !is_kept || self.kind == FOR_AN_ACTION {
            self.note(&[&hash])?;
        }
        if is_kept {
            return Ok(hash);
        }
        let folder = path.parent().unwrap_or(&self.objects).to_owned();
        if !folder.is_dir() {
            create_private_folder(&folder)?;
            sync_path(&self.objects)?;
        }
        let staged = self.objects.join("staging").join(atomic::staging_name(&path));
        atomic::replace_from(&path, bytes, &staged)?;
        sync_path(&folder)?;
        if std::mem::take(&mut self.is_new) {
            sync_path(self.state.home())?;
        }
        Ok(hash)
    }

    /// Keeps many bytes and leaves it to the caller to make all of `objects/` durable at once, before
    /// anything refers to them: what a power cut damages until then, the next [`Keeping::keep`] mends.
    /// All are written before the first gets its name, so that one for which there is no room leaves
    /// nothing of the others.
    pub(crate) fn keep_lightly(&mut self, all: &[&[u8]]) -> Result<(), Error> {
        let objects = &self.objects;
        let staging = objects.join("staging");
        let write = |bytes: &&[u8]| {
            let hash = hash(bytes);
            let path = path_of(objects, &hash);
            if is_kept(&path, bytes) {
                return Ok(None);
            }
            let staged = staging.join(atomic::staging_name(&path));
            if let Err(error) = std::fs::write(&staged, bytes) {
                let _ = std::fs::remove_file(&staged);
                return Err(Error::io("write", &path)(error));
            }
            Ok(Some((staged, hash)))
        };
        let written = cores::each(all, write);
        let staged: Vec<PathBuf> =
            written.iter().flatten().flatten().map(|(staged, _)| staged.clone()).collect();
        let named = written.into_iter().collect::<Result<Vec<_>, _>>().and_then(|written| {
            let written: Vec<(PathBuf, String)> = written.into_iter().flatten().collect();
            self.note(&written.iter().map(|(_, hash)| hash).collect::<Vec<_>>())?;
            let objects = &self.objects;
            let name = |(staged, hash): &(PathBuf, String)| {
                let path = path_of(objects, hash);
                create_private_folder(path.parent().unwrap_or(objects))?;
                std::fs::rename(staged, &path).map_err(Error::io("write", &path))
            };
            cores::each(&written, name).into_iter().collect()
        });
        if named.is_err() {
            for staged in staged {
                let _ = std::fs::remove_file(staged);
            }
        }
        named
    }

    /// Writes down what is about to be added.
    fn note(&mut self, hashes: &[&String]) -> Result<(), Error> {
        if hashes.is_empty() {
            return Ok(());
        }
        let staging = self.objects.join("staging");
        let failed = Error::io("write", &staging);
        let mut lines = String::with_capacity(hashes.len() * 65);
        for hash in hashes {
            lines.push_str(hash);
            lines.push('\n');
        }
        let note = match &mut self.note {
            Some((_, note)) => Ok(note),
            empty => {
                let path = staging.join(atomic::staging_name(&staging) + self.kind);
                let made = OpenOptions::new().append(true).create_new(true).open(&path);
                made.map(|note| &mut empty.insert((path, note)).1)
            }
        };
        note.and_then(|note| note.write_all(lines.as_bytes())).map_err(failed)
    }

    /// Something refers to all of it now.
    pub(crate) fn done(mut self) {
        if let Some((note, _)) = self.note.take() {
            let _ = std::fs::remove_file(note);
        }
    }
}

impl Drop for Keeping<'_> {
    fn drop(&mut self) {
        if self.note.take().is_some() && self.staging.try_lock().is_ok() {
            clear(self.state, &self.objects);
        }
        // Not by closing alone: a child that was forked just now holds the file open until it runs its program.
        let _ = self.staging.unlock();
    }
}

/// Takes away what writers added whose rows were never written, unless somebody is at work.
pub fn sweep_objects(state: &State) {
    let objects = state.home().join("objects");
    let Ok(staging) = File::open(objects.join("staging")) else { return };
    if staging.try_lock().is_ok() {
        clear(state, &objects);
        let _ = staging.unlock();
    }
}

/// Clears away what dead writers staged, and what they added and nothing refers to. The caller alone holds
/// the lock, so nobody is about to refer to any of it. What a write or an action that died may still need
/// stays noted until that is settled; all of it when the database cannot be asked.
fn clear(state: &State, objects: &Path) {
    let mut notes = Vec::new();
    let mut awaited = HashSet::new();
    let Ok(entries) = std::fs::read_dir(objects.join("staging")) else { return };
    for left in entries.flatten().map(|left| left.path()) {
        let name = left.to_string_lossy();
        let is_for_action = name.ends_with(FOR_AN_ACTION);
        if !is_for_action && !name.ends_with(FOR_A_ROW) {
            let _ = std::fs::remove_file(&left);
            continue;
        }
        let text = std::fs::read_to_string(&left).unwrap_or_default();
        let hashes = text.lines().filter(|line| is_hash(line)).map(str::to_owned);
        let hashes: HashSet<String> = hashes.collect();
        if is_for_action {
            awaited.extend(hashes.iter().cloned());
        }
        notes.push((left, hashes));
    }
    if notes.is_empty() {
        return;
    }
    let mut loose: HashSet<String> = notes.iter().flat_map(|(_, hashes)| hashes).cloned().collect();
    let mut stays = HashSet::new();
    let asked = state.with(|db| {
        for query in REFERRED {
            each_hash(db, query, |hash| {
                loose.remove(hash);
            })?;
        }
        each_hash(db, BEGUN, |hash| stays.extend(loose.get(hash).cloned()))?;
        each_hash(db, PLANNED, |hash| {
            stays.extend(loose.get(hash).filter(|hash| awaited.contains(*hash)).cloned());
        })
    });
    if asked.is_err() {
        return;
    }
    for hash in loose.difference(&stays) {
        let path = path_of(objects, hash);
        let _ = std::fs::remove_file(&path);
        let _ = std::fs::remove_dir(path.parent().unwrap_or(objects));
    }
    for (note, hashes) in notes {
        if hashes.is_disjoint(&stays) {
            let _ = std::fs::remove_file(note);
        }
    }
}

/// Every hash in the texts that a query gives.
fn each_hash(
    db: &rusqlite::Connection,
    query: &str,
    mut met: impl FnMut(&str),
) -> Result<(), Error> {
    let mut statement = db.prepare(query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let text = row.get_ref(0)?.as_str().unwrap_or_default();
        text.split(|letter: char| !letter.is_ascii_hexdigit())
            .filter(|word| is_hash(word))
            .for_each(&mut met);
    }
    Ok(())
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_kept(path: &Path, bytes: &[u8]) -> bool {
    std::fs::read(path).is_ok_and(|kept| kept == bytes)
}

/// Gives kept bytes back, after checking them.
pub(crate) fn get(home: &Path, wanted: &str) -> Result<Vec<u8>, Error> {
    let damaged = || Error::Object { hash: wanted.to_owned() };
    if !is_hash(wanted) {
        return Err(damaged());
    }
    let bytes = std::fs::read(path_of(&home.join("objects"), wanted)).map_err(|_| damaged())?;
    if hash(&bytes) == wanted { Ok(bytes) } else { Err(damaged()) }
}

fn path_of(objects: &Path, hash: &str) -> PathBuf {
    objects.join(&hash[..2]).join(&hash[2..])
}

#[cfg(test)]
#[path = "objects_tests.rs"]
mod tests;
