//! The bytes of old versions, kept by their SHA-256 in `objects/`.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::atomic;
use crate::error::Error;
use crate::state::create_private_folder;

/// The hash of some bytes, in lower-case hex.
pub fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps bytes; the same bytes are kept once.
pub(crate) fn put(home: &Path, bytes: &[u8]) -> Result<String, Error> {
    let hash = hash(bytes);
    let path = path_of(home, &hash);
    let is_there =
        std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() == bytes.len() as u64);
    if !is_there {
        let folder = path.parent().unwrap_or(home);
        create_private_folder(folder)?;
        atomic::replace(&path, bytes)?;
    }
    Ok(hash)
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
