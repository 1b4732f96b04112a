//! A skill's whole folder, changed by one rename: built beside the old one, then swapped in.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cap_std::fs::{Dir, MetadataExt, Permissions, PermissionsExt};
use rustix::fs::{FlockOperation, RenameFlags, flock, renameat_with};
use rustix::io::Errno;

use crate::error::Error;
use crate::folder::{Content, Durability, Folder, explained, split, sync, write_file};
use crate::place::Held;
use crate::walk::is_skill_file;

/// Files to be written, or with none, to be left out.
pub(crate) type Files<'a> = BTreeMap<&'a str, Option<&'a Content>>;

/// How a change of a whole folder ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Swapped {
    Done,
    /// The file system cannot rename this folder; nothing was changed.
    Unsupported,
}

/// Makes a skill's folder, which is not there yet.
pub(crate) fn build(held: &Held<'_>, files: &Files<'_>, staged: &str) -> Result<(), Error> {
    let around = held.around()?;
    stage(held, files, staged, Durability::Each)?;
    bring_in(held, staged)?;
    sync(&around.dir).map_err(failed(held))
}

/// Builds a skill's folder under another name.
pub(crate) fn stage(
    held: &Held<'_>,
    files: &Files<'_>,
    staged: &str,
    durability: Durability,
) -> Result<(), Error> {
    let around = held.around()?;
    let result = (|| {
        let new = new_folder(&around.dir, staged, None)?;
        fill(&new, files, durability)?;
        if durability == Durability::Each { sync_all(&new) } else { Ok(()) }
    })();
    if result.is_err() {
        clear(&around.dir, staged);
    }
    result.map_err(|error| changed_or(held, error))
}

/// Gives a folder that was built its name, over nothing that is there.
pub(crate) fn bring_in(held: &Held<'_>, staged: &str) -> Result<(), Error> {
    let around = held.around()?;
    let result = around.rename(staged, held.place.entry()?);
    if result.is_err() {
        clear(&around.dir, staged);
    }
    result.map_err(|error| changed_or(held, error))
}

/// Changes several files of a skill's folder at once. What does not change is not copied: the new
/// folder holds the same files.
pub(crate) fn exchange(
    held: &Held<'_>,
    before: &Files<'_>,
    files: &Files<'_>,
    staged: &str,
) -> Result<Swapped, Error> {
    let around = held.around()?;
    let entry = held.place.entry()?;
    let failed = failed(held);
    let old = held.opened()?;
    let _nested = lock_nested(&old).map_err(&failed)?;
    let swap = || renameat_with(&around.dir, staged, &around.dir, entry, RenameFlags::EXCHANGE);
    let names = old.list()?;
    let result = (|| {
        let new = new_folder(&around.dir, staged, Some(&old.dir))?;
        mirror(&old.dir, &new, "", files)?;
        fill(&new, files, Durability::Each)?;
        sync_all(&new)?;
        match swap() {
            Ok(()) => {}
            Err(Errno::XDEV | Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
                return Ok(Swapped::Unsupported);
            }
            Err(error) => return Err(error.into()),
        }
        // What came out must be what was read, else somebody was at work in between.
        let out = Folder::new(around.dir.open_dir(staged)?, &held.place.key);
        let is_expected = out.list().is_ok_and(|now| now == names)
            && before
                .iter()
                .all(|(file, content)| out.read(file).is_ok_and(|now| now.as_ref() == *content));
        if !is_expected {
            swap()?;
            return Err(std::io::ErrorKind::AlreadyExists.into());
        }
        sync(&around.dir)?;
        Ok(Swapped::Done)
    })();
    clear(&around.dir, staged);
    result.map_err(|error| changed_or(held, error))
}

/// A name that is suddenly taken, or a folder that is not what was read, is somebody else's work.
fn changed_or(held: &Held<'_>, error: std::io::Error) -> Error {
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => Error::Changed { path: held.place.key.clone() },
        _ => failed(held)(error),
    }
}

/// Takes a skill away, folder or single file, when it holds exactly these files.
pub(crate) fn take_away(
    held: &Held<'_>,
    files: &BTreeMap<String, Content>,
    staged: &str,
) -> Result<Swapped, Error> {
    let around = held.around()?;
    let entry = held.place.entry()?;
    let failed = failed(held);
    match around.rename(entry, staged) {
        Err(error) if error.raw_os_error() == Some(Errno::XDEV.raw_os_error()) => {
            return Ok(Swapped::Unsupported);
        }
        renamed => renamed.map_err(&failed)?,
    }
    let now = if held.place.is_flat {
        around
            .read(staged)
            .map(|now| now.map(|now| (held.place.main.clone(), now)).into_iter().collect())
    } else {
        let out = around.dir.open_dir(staged).map_err(&failed)?;
        Folder::new(out, &held.place.key).all()
    };
    if !now.is_ok_and(|now: BTreeMap<String, Content>| now == *files) {
        around.rename(staged, entry).map_err(&failed)?;
        return Err(Error::Changed { path: held.place.key.clone() });
    }
    sync(&around.dir).map_err(&failed)?;
    clear(&around.dir, staged);
    Ok(Swapped::Done)
}

fn failed(held: &Held<'_>) -> impl Fn(std::io::Error) -> Error {
    let (key, entry) = (held.place.key.clone(), held.place.key.display().to_string());
    move |error| explained("write", error, &entry, &key)
}

fn new_folder(around: &Dir, name: impl AsRef<Path>, like: Option<&Dir>) -> std::io::Result<Dir> {
    let name = name.as_ref();
    around.create_dir(name)?;
    let new = around.open_dir(name)?;
    if let Some(like) = like {
        let mode = like.dir_metadata()?.mode() & 0o777;
        around.set_permissions(name, Permissions::from_mode(mode | 0o700))?;
    }
    Ok(new)
}

/// Links everything that stays into the new folder.
fn mirror(old: &Dir, new: &Dir, prefix: &str, files: &Files<'_>) -> std::io::Result<()> {
    for entry in old.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        let path = format!("{prefix}{}", name.to_string_lossy());
        let kind = entry.file_type()?;
        if files.contains_key(path.as_str()) {
            continue;
        }
        if kind.is_dir() {
            let below = entry.open_dir()?;
            let inside = format!("{path}/");
            let name = Path::new(&name);
            let copy = new_folder(new, name, Some(&below))?;
            mirror(&below, &copy, &inside, files)?;
            // A folder that is left empty because its files go, goes too.
            let was_emptied = files.keys().any(|file| file.starts_with(&inside));
            if was_emptied && copy.entries()?.next().is_none() {
                new.remove_dir(name)?;
            }
        } else if kind.is_symlink() {
            new.symlink_contents(old.read_link_contents(&name)?, &name)?;
        } else if old.hard_link(&name, new, &name).is_err() {
            // Not allowed here: then a copy.
            old.copy(&name, new, &name)?;
            new.open(&name)?.sync_all()?;
        }
    }
    Ok(())
}

fn fill(new: &Dir, files: &Files<'_>, durability: Durability) -> std::io::Result<()> {
    for (file, content) in files {
        let Some(content) = content else { continue };
        let (inner, name) = split(file);
        if inner.as_os_str().is_empty() {
            write_file(new, name, content, durability)?;
        } else {
            new.create_dir_all(inner)?;
            write_file(&new.open_dir(inner)?, name, content, durability)?;
        }
    }
    Ok(())
}

fn sync_all(folder: &Dir) -> std::io::Result<()> {
    for entry in folder.entries()? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_all(&entry.open_dir()?)?;
        }
    }
    sync(folder)
}

/// Locks every folder that holds a skill inside this one, so that nobody writes there meanwhile.
fn lock_nested(old: &Folder) -> std::io::Result<Vec<cap_std::fs::File>> {
    let files = old.list().unwrap_or_default();
    let folders: BTreeSet<&Path> = files
        .iter()
        .filter(|file| is_skill_file(split(file).1))
        .filter_map(|file| split(file).0.parent())
        .collect();
    let mut locks = Vec::new();
    for folder in folders {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let lock = old.dir.open(here)?;
        flock(&lock, FlockOperation::LockExclusive)?;
        locks.push(lock);
    }
    Ok(locks)
}

/// Removes what was staged, or after a swap, what it took the place of.
pub(crate) fn clear(around: &Dir, staged: &str) {
    let is_folder = around.symlink_metadata(staged).is_ok_and(|metadata| metadata.is_dir());
    let _ = if is_folder { around.remove_dir_all(staged) } else { around.remove_file(staged) };
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;
