//! After `hone rollback`: the lock follows what is on disk, when that is a version that was installed
//! before.

use std::path::Path;

use hone_library::provenance::Records;
use hone_library::{Author, State, canonical_or_same, content_hash, files_of, read_tree};

use crate::error::Error;
use crate::hold::{HOLD_WAIT, Hold};
use crate::lock::{Lock, Locked};
use crate::record::{Act, event};

/// Makes the lock name the version of a skill that is on disk now, and logs the rollback. Gives the
/// entry, when there is one; a skill that did not come through the hub is left alone.
pub fn after_rollback(
    state: &State,
    author: &Author,
    skill: &Path,
) -> Result<Option<Locked>, Error> {
    let key = canonical_or_same(skill);
    let Some(installed) = state.installed_at(&key)? else { return Ok(None) };
    let _hold = Hold::take(&installed.lock, state.home(), "rollback", HOLD_WAIT)?;
    let content = read_tree(&key)?.map(|tree| content_hash(&files_of(&tree)));
    let generation = match &content {
        Some(content) => state.generation(&key, content)?,
        None => None,
    };
    let entry: Option<Locked> =
        generation.and_then(|generation| serde_json::from_str(&generation.entry).ok());
    if let Some(entry) = &entry {
        let mut lock = Lock::read(&installed.lock)?;
        lock.put(entry.clone());
        lock.save()?;
    }
    let mut row = event(author, Act::Rollback, entry.as_ref(), &key);
    if entry.is_none() {
        row.content = content.unwrap_or_default();
        "to files that were never installed as they are".clone_into(&mut row.detail);
    }
    state.record(&Records { audit: vec![row], ..Records::default() })?;
    Ok(entry)
}
