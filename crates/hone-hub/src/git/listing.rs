//! The files of a commit, out of its trees.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use super::command::Git;
use super::objects::Objects;
use crate::fetch_error::FetchError;
use crate::limits::{MAX_PATH_BYTES, MAX_TREE_ENTRIES, MAX_TREE_LIST_BYTES};
use crate::source::GitPlace;
use crate::tree::Kind;

/// Bytes of an id in a tree.
const ID_BYTES: usize = 20;

/// What lies at each path, and the ids of the files.
pub(super) type Listed = (BTreeMap<String, Kind>, HashMap<String, String>);

/// The files of a folder, given the tree of its commit.
pub(super) fn list(
    objects: &mut Objects,
    git: &Git,
    tree: &str,
    place: &GitPlace,
) -> Result<Listed, FetchError> {
    let damaged = |id: &str| git.said("read", &format!("the tree {id} is damaged"));
    let mut top = tree.to_owned();
    for part in place.path.split('/').filter(|part| !part.is_empty()) {
        let bytes = objects.read(git, &top, "tree", MAX_TREE_LIST_BYTES as u64)?;
        let here = entries(&bytes.ok_or_else(|| too_many(place))?).ok_or_else(|| damaged(&top))?;
        let next = here.into_iter().find(|one| one.name == part.as_bytes() && one.is_folder());
        let (source_text, path) = (place.url.clone(), place.path.clone());
        top = next.ok_or(FetchError::NoFolder { source_text, path })?.id;
    }
    let (mut found, mut ids) = (BTreeMap::new(), HashMap::new());
    let mut open = vec![(String::new(), top)];
    // Folders count too: they may hold no file at all.
    let (mut count, mut left) = (0, MAX_TREE_LIST_BYTES as u64);
    // Level by level, each asked for at once.
    while !open.is_empty() {
        let level = std::mem::take(&mut open);
        let trees: Vec<String> = level.iter().map(|(_, id)| id.clone()).collect();
        let mut contents = Vec::with_capacity(trees.len());
        let read = objects.read_all(git, &trees, "tree", left, |_, bytes| contents.push(bytes))?;
        read.ok_or_else(|| too_many(place))?;
        for ((folder, id), bytes) in level.iter().zip(contents) {
            left = left.saturating_sub(bytes.len() as u64);
            for one in entries(&bytes).ok_or_else(|| damaged(id))? {
                count += 1;
                let is_text = std::str::from_utf8(&one.name).is_ok();
                let path = format!("{folder}{}", String::from_utf8_lossy(&one.name));
                let kind = match one.mode.as_str() {
                    _ if !is_text => Kind::Other("something whose name is not UTF-8"),
                    _ if one.is_folder() && path.len() > MAX_PATH_BYTES => {
                        Kind::Other("a folder too deep")
                    }
                    _ if one.is_folder() => {
                        open.push((format!("{path}/"), one.id));
                        continue;
                    }
                    "120000" => Kind::Other("a link"),
                    "160000" => Kind::Other("a submodule"),
                    mode => Kind::File { is_executable: mode == "100755" },
                };
                ids.insert(path.clone(), one.id);
                found.insert(path, kind);
                if found.len() > MAX_TREE_ENTRIES {
                    return Err(too_many(place));
                }
            }
            if count > 2 * MAX_TREE_ENTRIES {
                return Err(too_many(place));
            }
        }
    }
    Ok((found, ids))
}

fn too_many(place: &GitPlace) -> FetchError {
    let limit = format!("{MAX_TREE_ENTRIES} files");
    FetchError::TooMany { source_text: place.url.clone(), limit }
}

/// An entry of a tree.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    mode: String,
    name: Vec<u8>,
    id: String,
}

impl Entry {
    fn is_folder(&self) -> bool {
        matches!(self.mode.as_str(), "40000" | "040000")
    }
}

/// The entries of a tree; none when it is not one.
fn entries(mut bytes: &[u8]) -> Option<Vec<Entry>> {
    let mut entries = Vec::new();
    while !bytes.is_empty() {
        let blank = bytes.iter().position(|byte| *byte == b' ')?;
        let end = blank + 1 + bytes[blank + 1..].iter().position(|byte| *byte == 0)?;
        let id = bytes.get(end + 1..end + 1 + ID_BYTES)?;
        let id = id.iter().fold(String::with_capacity(2 * ID_BYTES), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        });
        let mode = std::str::from_utf8(&bytes[..blank]).ok()?.to_owned();
        entries.push(Entry { mode, name: bytes[blank + 1..end].to_vec(), id });
        bytes = &bytes[end + 1 + ID_BYTES..];
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_whole_or_not_at_all() {
        let tree = [b"100755 run\0".as_slice(), &[0xab; 20], b"40000 a b\0", &[1; 20]].concat();
        let entry = |mode: &str, name: &str, id: &str| Entry {
            mode: mode.to_owned(),
            name: name.into(),
            id: id.repeat(20),
        };
        let both = [entry("100755", "run", "ab"), entry("40000", "a b", "01")];
        assert_eq!(entries(&tree).unwrap(), both);
        assert_eq!(entries(b"").unwrap(), []);
        for cut in [1, 8, 15, tree.len() - 1] {
            assert_eq!(entries(&tree[..cut]), None, "{cut}");
        }
    }
}
