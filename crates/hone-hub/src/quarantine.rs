//! Skills that arrived and are not decided about: in memory, where nobody can run or change them, and in
//! `HONE_HOME/quarantine` once they wait for a person's word. No agent looks there, and every file is
//! written and read through a directory handle.
//!
//! A process holds a shared lock on the folder while it works. Whoever comes while nobody works clears
//! away what dead processes left; what waits stays, named by its content.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions};
use hone_library::{LockedFile, State};

use crate::bundle::BundleFile;
use crate::error::Error;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The folder, while a process works in it.
#[derive(Debug)]
pub(crate) struct Quarantine {
    path: PathBuf,
    dir: Dir,
    _shared: File,
}

impl Quarantine {
    /// Opens the folder, and clears it of what dead processes left.
    pub(crate) fn open(state: &State) -> Result<Self, Error> {
        let path = state.home().join("quarantine");
        let failed = |doing| Error::io(doing, &path);
        let mut builder = std::fs::DirBuilder::new();
        builder.recursive(true);
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path).map_err(failed("create"))?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority()).map_err(failed("open"))?;
        let shared = File::open(&path).map_err(failed("open"))?;
        if shared.try_lock().is_ok() {
            let waiting: HashSet<String> =
                state.approvals()?.into_iter().map(|approval| approval.content).collect();
            for entry in dir.entries().map_err(failed("read"))?.flatten() {
                let name = entry.file_name();
                if !name.to_str().is_some_and(|name| waiting.contains(name)) {
                    let _ = dir.remove_dir_all(&name);
                }
            }
        }
        shared.lock_shared().map_err(failed("lock"))?;
        Ok(Self { path, dir, _shared: shared })
    }

    /// Keeps a skill until a person decides, under the name of its content.
    pub(crate) fn keep(
        &self,
        content: &str,
        files: &BTreeMap<String, BundleFile>,
    ) -> Result<(), Error> {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let staged = format!("{content}.{}-{count}", std::process::id());
        let kept = self.write(&staged, files).and_then(|()| {
            let to = self.path.join(content);
            // The same content may wait already; it is replaced, in case somebody changed it.
            let _ = self.dir.remove_dir_all(content);
            self.dir.rename(&staged, &self.dir, content).map_err(Error::io("write", &to))?;
            sync(&to).and_then(|()| sync(&self.path)).map_err(Error::io("write", &to))
        });
        if kept.is_err() {
            let _ = self.dir.remove_dir_all(&staged);
        }
        kept
    }

    fn write(&self, name: &str, files: &BTreeMap<String, BundleFile>) -> Result<(), Error> {
        let path = self.path.join(name);
        let mut private = DirBuilder::new();
        private.mode(0o700);
        let made = self.dir.create_dir_with(name, &private);
        let folder = made.and_then(|()| self.dir.open_dir(name));
        let folder = folder.map_err(Error::io("write", &path))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for (file, content) in files {
            let written = (|| {
                if let Some((inner, _)) = file.rsplit_once('/') {
                    folder.create_dir_all(inner)?;
                }
                folder.open_with(file, &options)?.write_all(&content.bytes)
            })();
            written.map_err(Error::io("write", &path.join(file)))?;
        }
        Ok(())
    }

    /// The files of a skill that waits. Each must still be what it was.
    pub(crate) fn waiting(
        &self,
        content: &str,
        files: &[LockedFile],
    ) -> Result<BTreeMap<String, BundleFile>, Error> {
        let path = self.path.join(content);
        let folder = self.dir.open_dir(content).map_err(Error::io("open", &path))?;
        let mut found = BTreeMap::new();
        for file in files {
            let mut bytes = Vec::new();
            folder
                .open(&file.path)
                .and_then(|opened| opened.take(file.size + 1).read_to_end(&mut bytes))
                .map_err(Error::io("read", &path.join(&file.path)))?;
            if hone_library::hash(&bytes) != file.sha256 {
                return Err(Error::Refused(format!(
                    "`{}` is not what was to be approved",
                    path.join(&file.path).display()
                )));
            }
            found.insert(file.path.clone(), BundleFile { bytes, is_executable: file.executable });
        }
        Ok(found)
    }

    /// Forgets a skill that waited.
    pub(crate) fn discard(&self, content: &str) {
        let _ = self.dir.remove_dir_all(content);
    }
}

/// Makes a folder and everything in it durable.
fn sync(folder: &Path) -> std::io::Result<()> {
    for entry in folder.read_dir()?.flatten() {
        if entry.file_type()?.is_dir() {
            sync(&entry.path())?;
        } else {
            File::open(entry.path())?.sync_all()?;
        }
    }
    File::open(folder)?.sync_all()
}
