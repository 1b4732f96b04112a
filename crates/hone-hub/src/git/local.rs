//! A repository on this machine is read where it is: its store of objects is looked into from our empty
//! repository, so nothing is packed, sent and unpacked, and its configuration has no say. Its references
//! are asked for as those of any other server, by which git also judges whose it is.

use std::fs;
use std::path::{Path, PathBuf};

use crate::fetch_error::FetchError;
use crate::source::unescape;

/// The store of a repository that can be read where it is.
pub(super) fn store(url: &str) -> Option<PathBuf> {
    let path = unescape(url.strip_prefix("file://")?).ok()?;
    let path = Path::new(path.strip_prefix('/').map(|_| path.as_str())?);
    let is_repository = |folder: &PathBuf| folder.join("HEAD").is_file();
    let store =
        [path.join(".git"), path.to_owned()].into_iter().find(is_repository)?.join("objects");
    let mut packs = store.join("pack").read_dir().ok()?.flatten();
    // One that left things out itself asks its own server for them.
    let is_partial = |name: &str| Path::new(name).extension().is_some_and(|end| end == "promisor");
    let is_whole = !packs.any(|pack| pack.file_name().to_str().is_none_or(is_partial));
    is_whole.then_some(store)
}

/// Lets a repository of ours look into a store, until what is given back is gone.
pub(super) fn look_into(store: &Path, ours: &Path) -> Result<PathBuf, FetchError> {
    let alternates = ours.join("objects/info/alternates");
    let line = [store.as_os_str().as_encoded_bytes(), b"\n"].concat();
    fs::create_dir_all(ours.join("objects/info"))
        .and_then(|()| fs::write(&alternates, line))
        .map_err(FetchError::io("write into", ours))?;
    Ok(alternates)
}
