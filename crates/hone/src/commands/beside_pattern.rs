//! What a command wrote in a folder that was opened to it for the sake of a pattern, and that the pattern does not name.
//!
//! The kernel opens files and folders, not patterns: for `Write(out/*.md)` all of `out` is open. So every such folder is
//! looked at before the command and after it, and a file that came, went or changed without being declared is told.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use hone_skill::Permissions;

/// Files and folders that are looked at below one folder; with more it cannot be said what was written.
pub(crate) const MAX_WATCHED: usize = 100_000;

/// A folder that is open further than it was declared.
pub(crate) struct Opened {
    /// As the entry names it.
    name: String,
    path: PathBuf,
    before: BTreeMap<String, Stamp>,
}

/// What changes when a file is written: its inode, and when it was changed last.
#[derive(PartialEq, Eq)]
struct Stamp(u64, i64, i64);

impl Opened {
    /// A folder as it is before the command, if an entry names some of what may be in it and none all of it.
    pub(crate) fn before(
        permissions: &Permissions,
        name: &str,
        path: &Path,
    ) -> io::Result<Option<Self>> {
        // A name that nobody writes out: who permits it permits everything.
        let any = format!("{name}/\u{1}/\u{1}");
        if permissions.write(&any).is_some() {
            return Ok(None);
        }
        let before = stamps(path)?;
        Ok(Some(Self { name: name.to_owned(), path: path.to_owned(), before }))
    }

    /// A file in it, as the entry would name it, that is not as it was and that no entry permits.
    pub(crate) fn written_beside(&self, permissions: &Permissions) -> io::Result<Option<String>> {
        let after = stamps(&self.path)?;
        let names = self.before.keys().chain(after.keys());
        let changed = names.filter(|name| self.before.get(*name) != after.get(*name));
        let mut named = changed.map(|below| format!("{}/{below}", self.name));
        Ok(named.find(|name| permissions.write(name).is_none()))
    }
}

/// Everything below a folder but folders, which change with what is in them, by its path in it.
fn stamps(folder: &Path) -> io::Result<BTreeMap<String, Stamp>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![(folder.to_owned(), String::new())];
    let mut seen = 0;
    while let Some((folder, below)) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            seen += 1;
            if seen > MAX_WATCHED {
                let why = format!("more than {MAX_WATCHED} files and folders to look at");
                return Err(io::Error::other(why));
            }
            let name = format!("{below}{}", entry.file_name().to_string_lossy());
            let about = entry.metadata()?;
            if about.is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else {
                found.insert(name, Stamp(about.ino(), about.ctime(), about.ctime_nsec()));
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    #[test]
    fn a_folder_is_looked_at_to_the_bound_and_refused_past_it() {
        let folder = tempfile::tempdir().unwrap();
        // One folder of them is counted as well.
        let inner = folder.path().join("inner");
        std::fs::create_dir(&inner).unwrap();
        for at in 1..MAX_WATCHED {
            std::fs::write(inner.join(at.to_string()), "").unwrap();
        }
        let permissions = Permissions::parse("Write(out/*.md)");
        let before = || Opened::before(&permissions, "out", folder.path());
        assert!(before().unwrap().is_some());
        std::fs::write(folder.path().join("more"), "").unwrap();
        let told = before().err().unwrap().to_string();
        assert_eq!(told, "more than 100000 files and folders to look at");
        // All of it is declared: nothing has to be looked at.
        let all = Permissions::parse("Write(out/*.md) Write(out/**)");
        assert!(Opened::before(&all, "out", folder.path()).unwrap().is_none());
    }
}
