//! `HONE_HOME/quarantine`: skills that arrived and are not decided about. Nothing here may be run, no
//! agent looks here, and every file is written and read through a directory handle.
//!
//! A process holds a shared lock on the folder while it works. Whoever comes while nobody works clears
//! away what dead processes left; what waits for a person's word stays, named by its content.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, DirBuilderExt, OpenOptions};
use hone_library::State;

use crate::bundle::BundleFile;
use crate::content::LockedFile;
use crate::error::Error;

static COUNTER: AtomicU32 = AtomicU32::new(0);

/// The folder, while a process works in it.
#[derive(Debug)]
pub(crate) struct Quarantine {
    path: PathBuf,
    dir: Dir,
    _shared: File,
}

/// A skill in quarantine; it goes when this is dropped, unless it was kept.
#[derive(Debug)]
pub(crate) struct Cell<'q> {
    quarantine: &'q Quarantine,
    name: String,
    content: String,
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

    /// Writes a skill down. Nothing is made durable: what is lost is fetched again.
    pub(crate) fn put(
        &self,
        content: &str,
        files: &BTreeMap<String, BundleFile>,
    ) -> Result<Cell<'_>, Error> {
        let count = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!("{content}.{}-{count}", std::process::id());
        let mut private = DirBuilder::new();
        private.mode(0o700);
        let made = self.dir.create_dir_with(&name, &private);
        made.map_err(Error::io("write", &self.path.join(&name)))?;
        let cell = Cell { quarantine: self, name, content: content.to_owned() };
        let folder = self.dir.open_dir(&cell.name);
        let folder = folder.map_err(Error::io("open", &cell.path()))?;
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        for (path, file) in files {
            let written = (|| {
                if let Some((inner, _)) = path.rsplit_once('/') {
                    folder.create_dir_all(inner)?;
                }
                folder.open_with(path, &options)?.write_all(&file.bytes)
            })();
            written.map_err(Error::io("write", &cell.path().join(path)))?;
        }
        Ok(cell)
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

impl Cell<'_> {
    /// The folder.
    pub(crate) fn path(&self) -> PathBuf {
        self.quarantine.path.join(&self.name)
    }

    /// Keeps the skill until a person decides.
    pub(crate) fn keep(mut self) -> Result<PathBuf, Error> {
        let (dir, to) = (&self.quarantine.dir, self.quarantine.path.join(&self.content));
        // The same content may wait already; it is replaced, in case somebody changed it.
        let _ = dir.remove_dir_all(&self.content);
        dir.rename(&self.name, dir, &self.content).map_err(Error::io("write", &to))?;
        sync(&to).map_err(Error::io("write", &to))?;
        sync(&self.quarantine.path).map_err(Error::io("write", &to))?;
        self.name.clear();
        Ok(to)
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

impl Drop for Cell<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            let _ = self.quarantine.dir.remove_dir_all(&self.name);
        }
    }
}
