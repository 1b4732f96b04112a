//! Skills in a temporary folder: `user` and `admin` are roots of those scopes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::{Catalogue, Config, Listed, Root, Scope, Search, State, Surroundings};
use tempfile::TempDir;

pub(crate) struct Shelf {
    pub(crate) folder: PathBuf,
    _guard: TempDir,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(guard.path()).unwrap();
        for root in ["user", "admin"] {
            std::fs::create_dir(folder.join(root)).unwrap();
        }
        Self { folder, _guard: guard }
    }

    /// With skills of those names in the user's root.
    pub(crate) fn with(names: &[&str]) -> Self {
        let shelf = Self::new();
        for name in names {
            shelf.skill(&format!("user/{name}"), "", "Do it.");
        }
        shelf
    }

    pub(crate) fn write(&self, below: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.join(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// A skill in `folder`, named after it unless `more` says otherwise.
    pub(crate) fn skill(&self, folder: &str, more: &str, body: &str) -> PathBuf {
        let name = folder.rsplit('/').next().unwrap();
        let name = if more.contains("name:") { String::new() } else { format!("name: {name}\n") };
        let text = format!("---\n{name}description: About it.\n{more}\n---\n{body}\n");
        self.write(&format!("{folder}/SKILL.md"), text)
    }

    pub(crate) fn state(&self) -> State {
        State::open(&self.folder.join("state"))
    }

    pub(crate) fn catalogue(&self) -> Catalogue {
        self.catalogue_without(&[])
    }

    /// The catalogue when skills of those names are switched off.
    pub(crate) fn catalogue_without(&self, disabled: &[&str]) -> Catalogue {
        let root = |name: &str, scope| {
            let root = Root::explicit(&self.folder.join(name), &self.folder).unwrap();
            Root { scope, ..root }
        };
        let roots = vec![root("user", Scope::User), root("admin", Scope::Admin)];
        let around = Surroundings {
            cwd: self.folder.clone(),
            user_home: self.folder.clone(),
            hone_home: self.folder.join("state"),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        };
        let mut config = Config::default();
        config.skills.disabled = disabled.iter().map(|&name| name.to_owned()).collect();
        Catalogue::find(Search::only(roots, &around, &config), &self.state())
    }

    /// A path without the temporary folder.
    pub(crate) fn below(&self, path: &Path) -> String {
        path.strip_prefix(&self.folder).unwrap_or(path).to_string_lossy().into_owned()
    }

    pub(crate) fn shown(&self, text: &str) -> String {
        text.replace(self.folder.to_str().unwrap(), "SHELF")
    }
}

/// The names of skills.
pub(crate) fn names(skills: &[&Listed]) -> Vec<String> {
    skills.iter().map(|skill| skill.summary.name.clone()).collect()
}
