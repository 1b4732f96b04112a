//! The brain of an agent: a folder below `HONE_HOME/agents`, with an explicit list of members.
//!
//! A brain is made whole or not at all, belongs to its owner alone, and is held by one task at a
//! time. Whatever a task changes is committed at its end; what a dead task left is taken back when
//! the brain is next opened.

mod before;
mod create;
mod edit;
mod error;
pub(crate) mod files;
pub(crate) mod journal;
pub mod lock;
pub mod members;
mod seed;
mod session;
mod settings;
mod signing;
pub(crate) mod steps;
mod unfinished;
mod versions;

use std::path::{Path, PathBuf};

use hone_library::{Catalogue, DEFAULT_DEPTH, Root, Search, State};
use hone_skill::Slug;

pub use create::New;
pub use edit::{Editing, Editor, PATIENCE};
pub use error::BrainError;
pub(crate) use journal::TASK;
pub use journal::{Settled, actor};
pub use lock::{Held, Owner};
pub use seed::{Kept, MAX_SEED_BYTES, MAX_SEED_FILES, Updated};
pub use session::{Opening, Remembering, Session, Waiting};
pub use settings::{Evidence, LimitSettings, MemorySettings, Settings, Share};
pub use signing::{DIED, LAYOUT, MAX_TRANSCRIPT_BYTES, SignerFrom};
pub use versions::{FactDelta, Version};

/// Bytes of `system.md` at most.
pub const MAX_SYSTEM_BYTES: u64 = 64 * 1024;

/// The role of an agent without `system.md`.
const DEFAULT_ROLE: &str = "You are a careful assistant. Check what you say with your tools.\n";

/// The folder of the brains.
pub(crate) fn agents(hone_home: &Path) -> PathBuf {
    hone_home.join("agents")
}

/// A brain on disk. Cheap to hold: everything is read when a task needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brain {
    /// The agent's name: a slug.
    pub id: String,
    /// Its folder.
    pub folder: PathBuf,
    hone_home: PathBuf,
}

impl Brain {
    /// The brain of that agent, which must be there.
    pub fn find(hone_home: &Path, id: &str) -> Result<Self, BrainError> {
        let brain = Self::named(hone_home, id)?;
        // A brain that `--agent` made by hand may have nothing but skills.
        match brain.folder.symlink_metadata() {
            Ok(found) if found.is_symlink() => Err(BrainError::Link { path: brain.folder }),
            Ok(found) if found.is_dir() => Ok(brain),
            _ => Err(BrainError::NoAgent { id: id.to_owned(), agents: Self::all(hone_home)? }),
        }
    }

    /// The brain that an agent of that name has or would have.
    pub(crate) fn named(hone_home: &Path, id: &str) -> Result<Self, BrainError> {
        let slug = Slug::new(id).ok();
        if slug.as_ref().is_none_or(|slug| slug.as_str() != id) {
            let instead = slug.map(|slug| slug.as_str().to_owned());
            return Err(BrainError::BadId { id: id.to_owned(), instead });
        }
        let folder = agents(hone_home).join(id);
        Ok(Self { id: id.to_owned(), folder, hone_home: hone_home.to_owned() })
    }

    /// The names of all agents, sorted.
    pub fn all(hone_home: &Path) -> Result<Vec<String>, BrainError> {
        let folder = agents(hone_home);
        let read = match std::fs::read_dir(&folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            read => read.map_err(BrainError::io("read", &folder))?,
        };
        let mut names = Vec::new();
        for entry in read {
            let entry = entry.map_err(BrainError::io("read", &folder))?;
            let is_folder = entry.file_type().is_ok_and(|found| found.is_dir());
            let name = entry.file_name().into_string().ok();
            let name = name.filter(|name| Slug::new(name).is_ok_and(|slug| slug.as_str() == name));
            if let Some(name) = name.filter(|_| is_folder) {
                names.push(name);
            }
        }
        names.sort();
        Ok(names)
    }

    /// A member's path.
    pub fn member(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The `HONE_HOME` that it is below.
    pub fn hone_home(&self) -> &Path {
        &self.hone_home
    }

    /// The root of its skills.
    pub fn skills_root(&self) -> Root {
        Root::of_agent(&self.hone_home, &self.id)
    }

    /// Its skills as they are now. One that lies outside, behind a link, is none of them.
    pub fn catalogue(&self, state: &State) -> Catalogue {
        let root = self.skills_root();
        let search = Search {
            roots: vec![root.clone()],
            depth: DEFAULT_DEPTH,
            disabled: Vec::new(),
            platform: std::env::consts::OS.to_owned(),
            builtin: false,
            depends: Vec::new(),
        };
        let mut catalogue = Catalogue::find(search, state);
        let real = std::fs::canonicalize(&root.path).unwrap_or_else(|_| root.path.clone());
        let is_inside = |path: &Path| path.starts_with(&root.path) || path.starts_with(&real);
        catalogue.skills.retain(|skill| !skill.is_link && is_inside(&skill.path));
        catalogue
    }

    /// Its settings as they are now.
    pub fn settings(&self) -> Result<Settings, BrainError> {
        Settings::load(&self.folder)
    }

    /// Its role as it is now.
    pub fn system(&self) -> Result<String, BrainError> {
        let text = files::read(&self.member(members::SYSTEM), MAX_SYSTEM_BYTES)?;
        Ok(text.filter(|text| !text.trim().is_empty()).unwrap_or_else(|| DEFAULT_ROLE.to_owned()))
    }

    /// Takes the whole brain away, for good. Whoever does it holds the brain.
    pub fn remove(self, held: Held) -> Result<(), BrainError> {
        // Out of sight by one rename: nobody meets half a brain.
        let gone = agents(&self.hone_home).join(format!("{}gone-{}", files::STAGED, self.id));
        let _ = std::fs::remove_dir_all(&gone);
        std::fs::rename(&self.folder, &gone).map_err(BrainError::io("remove", &self.folder))?;
        drop(held);
        std::fs::remove_dir_all(&gone).map_err(BrainError::io("remove", &gone))?;
        let forgotten = crate::packing::known(&self.hone_home).forget_memos(&self.id);
        forgotten.map_err(BrainError::io("remove", &self.hone_home))
    }
}
