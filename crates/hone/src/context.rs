//! What every command starts from: surroundings, settings, state, and the catalogue.

use std::path::{Path, PathBuf};

use hone_library::{
    Author, Catalogue, Config, Error, Listed, Mode, Project, Root, Search, State, Store,
    Surroundings, deleted,
};
use hone_skill::Slug;

use crate::cli::{Places, Writing};
use crate::output::{Failure, say};

pub(crate) struct Context {
    pub(crate) around: Surroundings,
    pub(crate) config: Config,
    pub(crate) state: State,
    pub(crate) places: Places,
}

impl Context {
    pub(crate) fn new(places: Places) -> Result<Self, Failure> {
        let around = Surroundings::from_env().ok_or_else(|| {
            Failure::failed("there is no home folder, or no current one", "set `HOME`")
        })?;
        let mut config = Config::load(&around.hone_home)?;
        if let Some(depth) = places.depth {
            config.skills.depth = usize::from(depth);
        }
        let state = State::open(&around.hone_home);
        Ok(Self { around, config, state, places })
    }

    /// The roots given by hand, if any.
    pub(crate) fn explicit_roots(&self) -> Result<Option<Vec<Root>>, Failure> {
        if self.places.root.is_empty() && self.places.agent.is_none() {
            return Ok(None);
        }
        let mut roots = Vec::new();
        for path in &self.places.root {
            roots.push(Root::explicit(path, &self.around.cwd)?);
        }
        Ok(Some(roots))
    }

    fn agent_root(&self) -> Result<Option<Root>, Failure> {
        let Some(id) = &self.places.agent else { return Ok(None) };
        let is_id = Slug::new(id).is_ok_and(|slug| slug.as_str() == id);
        let root = Root::of_agent(&self.around.hone_home, id);
        if !is_id || !root.path.is_dir() {
            return Err(Failure::no(format!("there is no agent `{id}`"), ""));
        }
        Ok(Some(root))
    }

    pub(crate) fn catalogue(&self) -> Result<Catalogue, Failure> {
        let mut search = match self.explicit_roots()? {
            Some(roots) if !roots.is_empty() => Search::only(roots, &self.around, &self.config),
            _ => Search::everywhere(&self.around, &self.config, &self.state)?,
        };
        search.roots.extend(self.agent_root()?);
        let catalogue = Catalogue::find(search, &self.state);
        self.tell_notes();
        Ok(catalogue)
    }

    /// Every skill below one root, offered or not.
    pub(crate) fn skills_in(&self, root: &Path) -> Result<Vec<Listed>, Failure> {
        if !root.is_dir() {
            return Ok(Vec::new());
        }
        let root = Root::explicit(root, &self.around.cwd)?;
        let search = Search::only(vec![root], &self.around, &self.config);
        let Catalogue { mut skills, skipped, .. } = Catalogue::find(search, &self.state);
        skills.extend(skipped.into_iter().filter_map(|skipped| skipped.skill.map(|skill| *skill)));
        Ok(skills)
    }

    /// Passes on what the state has to say.
    pub(crate) fn tell_notes(&self) {
        for note in self.state.take_notes() {
            say(&format!("warning: {note}"));
        }
    }

    /// The root that a new skill goes to.
    pub(crate) fn root_for_new(&self, in_project: bool) -> Result<PathBuf, Failure> {
        if let Some(root) = self.places.root.first() {
            return Ok(hone_library::normal(&self.around.cwd.join(root)));
        }
        if let Some(root) = self.agent_root()? {
            return Ok(root.path);
        }
        if in_project {
            let project = Project::find(&self.around).ok_or_else(|| {
                Failure::no("your home folder is not a project", "leave out `--project`")
            })?;
            return Ok(project.root.join(".agents/skills"));
        }
        Ok(self.around.below_home(".agents/skills"))
    }

    pub(crate) fn store(&self, writing: &Writing) -> Store<'_> {
        let author = Author { actor: actor(), reason: writing.why.clone(), now: now() };
        let mode = if writing.dry_run { Mode::DryRun } else { Mode::Write };
        Store::new(&self.state, author, mode)
    }

    /// The folder or file of a skill that is there, or of one that was removed.
    pub(crate) fn key_of(&self, catalogue: &Catalogue, name: &str) -> Result<PathBuf, Failure> {
        let error = match catalogue.resolve(name, &self.around.cwd) {
            Ok(skill) => return Ok(skill.key().to_owned()),
            Err(error) => error,
        };
        if let (Error::NotFound { .. }, Ok(slug)) = (&error, Slug::new(name)) {
            let removed = deleted(&self.state, slug.as_str())?;
            let within = |key: &PathBuf| {
                self.places.root.is_empty()
                    || catalogue.roots.iter().any(|root| {
                        std::fs::canonicalize(&root.path).is_ok_and(|root| key.starts_with(root))
                    })
            };
            if let Some(key) = removed.into_iter().find(within) {
                return Ok(key);
            }
        }
        Err(error.into())
    }

    /// A path as a person wants to see it: below the current folder or the home, shortened.
    pub(crate) fn shown(&self, path: &Path) -> String {
        if let Ok(below) = path.strip_prefix(&self.around.cwd)
            && !below.as_os_str().is_empty()
        {
            return below.display().to_string();
        }
        match path.strip_prefix(&self.around.user_home) {
            Ok(below) => Path::new("~").join(below).display().to_string(),
            Err(_) => path.display().to_string(),
        }
    }

    pub(crate) fn skill<'c>(
        &self,
        catalogue: &'c Catalogue,
        name: &str,
    ) -> Result<&'c Listed, Failure> {
        Ok(catalogue.resolve(name, &self.around.cwd)?)
    }
}

/// Who writes: `HONE_ACTOR`, else the user.
pub(crate) fn actor() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    variable("HONE_ACTOR")
        .or_else(|| variable("USER"))
        .or_else(|| variable("LOGNAME"))
        .unwrap_or_else(|| "unknown".to_owned())
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .unwrap_or(0)
}
