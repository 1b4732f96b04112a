//! The bytes of old versions, kept by their SHA-256 in `objects/`.

use std::fs::File;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::atomic;
use crate::cores;
use crate::error::Error;
use crate::folder::sync_path;
use crate::state::create_private_folder;

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

/// Keeps bytes; the same bytes are kept once. What was kept and got damaged is mended.
pub(crate) fn put(home: &Path, bytes: &[u8]) -> Result<String, Error> {
    let hash = hash(bytes);
    let path = path_of(home, &hash);
    if std::fs::read(&path).is_ok_and(|kept| kept == bytes) {
        return Ok(hash);
    }
    let objects = home.join("objects");
    let staging = objects.join("staging");
    let folder = path.parent().unwrap_or(&objects).to_owned();
    for folder in [&objects, &staging, &folder] {
        if !folder.is_dir() {
            create_private_folder(folder)?;
            sync_path(folder.parent().unwrap_or(home))?;
        }
    }
    let _lock = share_staging(&staging)?;
    atomic::replace_from(&path, bytes, &staging.join(atomic::staging_name(&path)))?;
    sync_path(&folder)?;
    Ok(hash)
}

/// Keeps many bytes and leaves it to the caller to make all of `objects/` durable at once, before
/// anything refers to them: what a power cut damages until then, the next [`put`] mends. All are written
/// before the first gets its name, so that one for which there is no room leaves nothing of the others.
pub(crate) fn put_lightly(home: &Path, all: &[&[u8]]) -> Result<(), Error> {
    let objects = home.join("objects");
    let staging = objects.join("staging");
    create_private_folder(&staging)?;
    let _lock = share_staging(&staging)?;
    let write = |bytes: &&[u8]| {
        let path = path_of(home, &hash(bytes));
        if std::fs::read(&path).is_ok_and(|kept| kept == *bytes) {
            return Ok(None);
        }
        create_private_folder(path.parent().unwrap_or(&objects))?;
        let staged = staging.join(atomic::staging_name(&path));
        if let Err(error) = std::fs::write(&staged, bytes) {
            let _ = std::fs::remove_file(&staged);
            return Err(Error::io("write", &path)(error));
        }
        Ok(Some((staged, path)))
    };
    let written = cores::each(all, write);
    if written.iter().any(Result::is_err) {
        for (staged, _) in written.iter().flatten().flatten() {
            let _ = std::fs::remove_file(staged);
        }
    }
    let written: Vec<Option<(PathBuf, PathBuf)>> = written.into_iter().collect::<Result<_, _>>()?;
    let written: Vec<(PathBuf, PathBuf)> = written.into_iter().flatten().collect();
    let name = |(staged, path): &(PathBuf, PathBuf)| {
        std::fs::rename(staged, path).map_err(Error::io("write", path))
    };
    cores::each(&written, name).into_iter().collect()
}

/// Joins those who are writing objects. Whoever is alone first clears away what dead writers left.
fn share_staging(staging: &Path) -> Result<File, Error> {
    let failed = || Error::io("lock", staging);
    let lock = File::open(staging).map_err(failed())?;
    if lock.try_lock().is_ok() {
        for left in std::fs::read_dir(staging).map_err(failed())?.flatten() {
            let _ = std::fs::remove_file(left.path());
        }
    }
    lock.lock_shared().map_err(failed())?;
    Ok(lock)
}

/// Gives kept bytes back, after checking them.
pub(crate) fn get(home: &Path, wanted: &str) -> Result<Vec<u8>, Error> {
    let damaged = || Error::Object { hash: wanted.to_owned() };
    let is_hash = wanted.len() == 64 && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash {
        return Err(damaged());
    }
    let bytes = std::fs::read(path_of(home, wanted)).map_err(|_| damaged())?;
    if hash(&bytes) == wanted { Ok(bytes) } else { Err(damaged()) }
}

fn path_of(home: &Path, hash: &str) -> PathBuf {
    home.join("objects").join(&hash[..2]).join(&hash[2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every file below `objects/`.
    fn kept(home: &Path) -> Vec<PathBuf> {
        let folders = std::fs::read_dir(home.join("objects")).unwrap().flatten();
        let mut files: Vec<PathBuf> = folders
            .filter(|folder| folder.path().is_dir())
            .flat_map(|folder| std::fs::read_dir(folder.path()).unwrap().flatten())
            .map(|file| file.path())
            .collect();
        files.sort();
        files
    }

    #[test]
    fn of_many_that_are_kept_at_once_none_stays_when_one_cannot_be_written() {
        let home = tempfile::tempdir().unwrap();
        let texts: Vec<String> = (0..100).map(|number| number.to_string()).collect();
        let all: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
        let mut paths: Vec<PathBuf> =
            all.iter().map(|one| path_of(home.path(), &hash(one))).collect();
        paths.sort();
        // No folder can be made where a file is.
        let taken = path_of(home.path(), &hash(b"99")).parent().unwrap().to_owned();
        create_private_folder(&home.path().join("objects")).unwrap();
        std::fs::write(&taken, "").unwrap();
        put_lightly(home.path(), &all).unwrap_err();
        assert_eq!(kept(home.path()), Vec::<PathBuf>::new());

        std::fs::remove_file(&taken).unwrap();
        put_lightly(home.path(), &all).unwrap();
        assert_eq!(kept(home.path()), paths);
    }
}
