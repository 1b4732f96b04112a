//! What every command starts from: surroundings, settings, state, and the catalogue.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};

use hone_agent::brain::{Editor, Owner};
use hone_library::usage::iso;
use hone_library::{
    ARCHIVED, Author, Catalogue, Config, Error, Listed, Mode, Project, Reason, Root, Scope, Search,
    Skipped, State, Store, Surroundings, deleted,
};
use hone_router::Encoder;
use hone_skill::Slug;

use crate::cli::{Places, Writing};
use crate::output::{Failure, quoted, say};

pub(crate) struct Context {
    pub(crate) around: Surroundings,
    pub(crate) config: Config,
    pub(crate) state: State,
    pub(crate) places: Places,
    encoder: OnceCell<Option<Encoder>>,
}

impl Context {
    pub(crate) fn new(places: Places) -> Result<Self, Failure> {
        let around = surroundings()?;
        let config = Config::load(&around.hone_home).map_err(|error| {
            let advice = match &error {
                Error::Config { .. } => "mend that file, or take it away to use the defaults",
                _ => "set `HONE_HOME` to a folder that can be used",
            };
            Failure::from(error).advised(advice.to_owned())
        })?;
        Ok(Self::with(around, config, places))
    }

    pub(crate) fn with(around: Surroundings, mut config: Config, places: Places) -> Self {
        if let Some(depth) = places.depth {
            config.skills.depth = usize::from(depth);
        }
        let state = State::open(&around.hone_home);
        Self { around, config, state, places, encoder: OnceCell::new() }
    }

    /// The sentence model that the configuration names, opened once; a broken one is told and left out.
    pub(crate) fn encoder(&self) -> Option<&Encoder> {
        // Empty is what `hone config` shows for none.
        let named = self.config.router.embeddings.as_deref();
        let folder = named.filter(|folder| !folder.as_os_str().is_empty())?;
        let opened = self.encoder.get_or_init(|| {
            let folder = folder.strip_prefix("~").unwrap_or(folder);
            Encoder::open(&self.around.user_home.join(folder))
                .inspect_err(|error| {
                    say(&format!("warning: {error}; words alone count (`router.embeddings`)"));
                })
                .ok()
        });
        opened.as_ref()
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
            let agents = self.around.hone_home.join("agents");
            let hint = format!("an agent is a folder with `skills` in `{}`", agents.display());
            return Err(Failure::no(format!("there is no agent `{id}`"), &hint));
        }
        Ok(Some(root))
    }

    /// Where skills are looked for.
    pub(crate) fn search(&self) -> Result<Search, Failure> {
        let mut search = match self.explicit_roots()? {
            Some(roots) if !roots.is_empty() => Search::only(roots, &self.around, &self.config),
            _ => Search::everywhere(&self.around, &self.config, &self.state)?,
        };
        if let Some(root) = self.agent_root()? {
            let below = search.roots.iter().position(|other| other.scope > root.scope);
            search.roots.insert(below.unwrap_or(search.roots.len()), root);
        }
        Ok(search)
    }

    pub(crate) fn catalogue(&self) -> Result<Catalogue, Failure> {
        let catalogue = Catalogue::find(self.search()?, &self.state);
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

    /// Warns that a listing was made without the state, so that a trusted project looks like any other.
    pub(crate) fn tell_problem(&self) {
        if let Some(problem) = self.state.problem() {
            let problem = self.shortened(&problem);
            say(&format!("warning: {problem}; nothing is known about trust (`hone doctor`)"));
        }
    }

    /// Passes on what the state has to say.
    pub(crate) fn tell_notes(&self) {
        for note in self.state.take_notes() {
            say(&format!("warning: {}", self.shortened(&note)));
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

    /// The library as far as pins are concerned, which lie in no skill.
    pub(crate) fn pins(&self) -> Store<'_> {
        let author = Author { actor: actor(), reason: String::new(), now: now() };
        Store::new(&self.state, author, Mode::Write)
    }

    /// Changes skills below `place`: every command that writes a skill does it here. What is in a brain
    /// is changed while no task has the brain, and signed.
    pub(crate) fn write<T, E: Into<Failure>>(
        &self,
        place: &Path,
        writing: &Writing,
        work: impl FnOnce(Store<'_>) -> Result<T, E>,
    ) -> Result<T, Failure> {
        let author =
            Author { actor: actor(), reason: writing.why.clone().unwrap_or_default(), now: now() };
        if writing.dry_run {
            return work(Store::new(&self.state, author, Mode::DryRun)).map_err(Into::into);
        }
        let write =
            |state: &State| work(Store::new(state, author, Mode::Write)).map_err(Into::into);
        self.editor("a command", |editor| editor.edit(place, || &self.state, write))
    }

    /// Whoever changes something in the name of a command; says who has a brain that is waited for.
    pub(crate) fn editor<T>(&self, what: &str, with: impl FnOnce(Editor<'_>) -> T) -> T {
        let tell = |owner: &Owner| say(&format!("note: waiting for {owner}"));
        with(Editor { hone_home: &self.around.hone_home, what, now: now(), tell: &tell })
    }

    /// The folder or file of a skill that is there, or of one that was removed.
    pub(crate) fn key_of(&self, catalogue: &Catalogue, name: &str) -> Result<PathBuf, Failure> {
        let error = match self.find(catalogue, name) {
            Ok(skill) => return Ok(skill.key().to_owned()),
            Err(error) => error,
        };
        if let Some(key) = self.removed(catalogue, name, &error)? {
            return Ok(key);
        }
        // What is no skill any more has a past all the same.
        let path = match Self::broken(catalogue, name) {
            Some(broken) => broken.path.clone(),
            None => hone_library::normal(&self.around.cwd.join(name)),
        };
        let is_main = path.file_name().is_some_and(|file| file.eq_ignore_ascii_case("SKILL.md"));
        let key = path.parent().filter(|_| is_main).unwrap_or(&path);
        let key = std::fs::canonicalize(key).unwrap_or_else(|_| key.to_owned());
        match hone_library::history(&self.state, &key) {
            Ok(revisions) if !revisions.is_empty() => Ok(key),
            _ => Err(error.into()),
        }
    }

    /// The file that is no skill to anybody, in a folder of this name.
    pub(crate) fn broken<'c>(catalogue: &'c Catalogue, name: &str) -> Option<&'c Skipped> {
        catalogue.skipped.iter().find(|skipped| {
            let folder = skipped.path.parent().and_then(Path::file_name);
            skipped.reason == Reason::Broken && folder.is_some_and(|folder| folder == name)
        })
    }

    /// The skill that is meant by a name, a slug, `scope:name`, or a path.
    pub(crate) fn skill(&self, catalogue: &Catalogue, name: &str) -> Result<Listed, Failure> {
        let error = match self.find(catalogue, name) {
            Ok(skill) => return Ok(skill),
            Err(error) => error,
        };
        let is_gone = !matches!(&error, Error::NotFound { hidden: Some(_), .. });
        if let Some(broken) = Self::broken(catalogue, name).filter(|_| !is_gone) {
            let advice = format!("`hone check {}` shows the place", self.typed(&broken.path));
            return Err(Failure::from(error).advised(advice));
        }
        if is_gone && let Ok(Some(key)) = self.removed(catalogue, name, &error) {
            let past = hone_library::history(&self.state, &key).unwrap_or_default();
            let is_archived = past.last().is_some_and(|last| last.reason.starts_with(ARCHIVED));
            let (was, command) =
                if is_archived { ("archived", "restore") } else { ("removed", "rollback") };
            let hint = format!("it was {was}; `hone {command} {}` brings it back", quoted(name));
            return Err(Failure::no(error.to_string(), &hint));
        }
        Err(error.into())
    }

    /// The skill that is meant, offered or not: to be looked at, it need not be trusted.
    pub(crate) fn known(&self, catalogue: &Catalogue, name: &str) -> Result<Listed, Failure> {
        let failure = match self.skill(catalogue, name) {
            Ok(skill) => return Ok(skill),
            Err(failure) => failure,
        };
        let scoped = name.split_once(':').and_then(|(scope, name)| {
            Scope::ALL.into_iter().find(|known| known.id() == scope).map(|scope| (scope, name))
        });
        let wanted = scoped.map_or(name, |(_, name)| name);
        let slug = Slug::new(wanted).ok();
        let hidden = || {
            let skills = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
            skills.filter(|skill| scoped.is_none_or(|(scope, _)| skill.scope == scope))
        };
        hidden()
            .find(|skill| skill.summary.name == wanted)
            .or_else(|| hidden().find(|skill| Some(&skill.summary.slug) == slug.as_ref()))
            .cloned()
            .ok_or(failure)
    }

    /// A skill of the catalogue, or the one that a path leads to: whoever names a path has decided
    /// what to look at, so neither roots nor trust matter.
    fn find(&self, catalogue: &Catalogue, name: &str) -> Result<Listed, Error> {
        let error = match catalogue.resolve(name, &self.around.cwd) {
            Ok(skill) => return Ok(skill.clone()),
            Err(error @ Error::NotFound { .. }) => error,
            Err(error) => return Err(error),
        };
        let path = hone_library::normal(&self.around.cwd.join(name));
        let known = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
        let at_path = |skill: &&Listed| skill.path == path || skill.key() == path;
        if let Some(skill) = known.into_iter().find(at_path) {
            return Ok(skill.clone());
        }
        self.at_path(&path).ok_or(error)
    }

    /// The skill whose folder or file this is.
    pub(crate) fn at_path(&self, path: &Path) -> Option<Listed> {
        let folder = if path.is_dir() { path } else { path.parent()? };
        let root = Root::explicit(folder, &self.around.cwd).ok()?;
        let mut search = Search::only(vec![root], &self.around, &self.config);
        (search.depth, search.disabled) = (0, Vec::new());
        let Catalogue { skills, skipped, .. } = Catalogue::find(search, &self.state);
        let skipped = skipped.into_iter().filter_map(|skipped| skipped.skill.map(|skill| *skill));
        let is_meant = |skill: &Listed| skill.path == path || skill.key() == path;
        skills.into_iter().chain(skipped).find(is_meant)
    }

    /// The skill of that name, or at that path, that was removed last.
    fn removed(
        &self,
        catalogue: &Catalogue,
        name: &str,
        error: &Error,
    ) -> Result<Option<PathBuf>, Error> {
        let path = name.contains('/').then(|| real(&self.around.cwd.join(name)));
        let scoped = name.split_once(':').and_then(|(scope, name)| {
            Scope::ALL.into_iter().find(|known| known.id() == scope).map(|scope| (scope, name))
        });
        let last = scoped.map_or(name, |(_, name)| name);
        let last = last.rsplit('/').next().unwrap_or(last);
        let (Error::NotFound { .. }, Ok(slug)) = (error, Slug::new(last)) else { return Ok(None) };
        let is_meant = |key: &PathBuf| match &path {
            Some(path) => key == path,
            None if self.places.root.is_empty() && scoped.is_none() => true,
            None => catalogue
                .roots
                .iter()
                .filter(|root| scoped.is_none_or(|(scope, _)| scope == root.scope))
                .any(|root| key.starts_with(real(&root.path))),
        };
        Ok(deleted(&self.state, slug.as_str())?.into_iter().find(is_meant))
    }

    /// Skills of this name that were removed from folders in which skills are looked for. Whoever says
    /// where has said which is meant.
    pub(crate) fn removed_namesakes(
        &self,
        catalogue: &Catalogue,
        name: &str,
    ) -> Result<Vec<PathBuf>, Error> {
        let Some(slug) = Slug::new(name).ok().filter(|_| !name.contains(['/', ':'])) else {
            return Ok(Vec::new());
        };
        let roots: Vec<PathBuf> = catalogue.roots.iter().map(|root| real(&root.path)).collect();
        let mut removed = deleted(&self.state, slug.as_str())?;
        removed.retain(|key| roots.iter().any(|root| key.starts_with(root)));
        Ok(removed)
    }

    /// A path as a person can type it.
    pub(crate) fn typed(&self, path: &Path) -> String {
        let shown = self.shown(path);
        if quoted(&shown) == shown {
            return shown;
        }
        // A shell does not expand `~` inside quotes.
        let below = path.strip_prefix(&self.around.cwd).unwrap_or(path);
        quoted(&below.to_string_lossy()).into_owned()
    }

    /// A sentence in which paths below the home are shortened.
    pub(crate) fn shortened(&self, text: &str) -> String {
        shortened_from(&self.around.user_home, text)
    }

    /// A path as a person wants to see it: below the current folder or the home, shortened.
    pub(crate) fn shown(&self, path: &Path) -> String {
        shown_from(&self.around, path)
    }
}

/// The same where there is no context yet.
pub(crate) fn shown_from(around: &Surroundings, path: &Path) -> String {
    if let Ok(below) = path.strip_prefix(&around.cwd)
        && !below.as_os_str().is_empty()
    {
        return below.display().to_string();
    }
    match path.strip_prefix(&around.user_home) {
        Ok(below) => Path::new("~").join(below).display().to_string(),
        Err(_) => path.display().to_string(),
    }
}

/// A sentence in which paths below this home are shortened.
pub(crate) fn shortened_from(user_home: &Path, text: &str) -> String {
    let home = user_home.to_string_lossy();
    if home.len() < 2 {
        return text.to_owned();
    }
    text.replace(&format!("`{home}/"), "`~/")
}

/// Where we are, and whose home it is.
pub(crate) fn surroundings() -> Result<Surroundings, Failure> {
    Surroundings::from_env()
        .ok_or_else(|| Failure::failed("there is no home folder, or no current one", "set `HOME`"))
}

/// A path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let path = hone_library::normal(path);
    let (parent, name) = (path.parent(), path.file_name());
    std::fs::canonicalize(&path)
        .ok()
        .or_else(|| Some(std::fs::canonicalize(parent?).ok()?.join(name?)))
        .unwrap_or(path)
}

/// Who writes: `HONE_ACTOR`, else the user.
pub(crate) fn actor() -> String {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    variable("HONE_ACTOR")
        .or_else(|| variable("USER"))
        .or_else(|| variable("LOGNAME"))
        .unwrap_or_else(|| "unknown".to_owned())
}

/// A time for people, in UTC and to the second: `2026-01-02 03:04:05Z`.
pub(crate) fn to_the_second(at: i64) -> String {
    let text = iso(at);
    text.split('.').next().unwrap_or(&text).trim_end_matches('Z').replace('T', " ") + "Z"
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .ok()
        .and_then(|time| i64::try_from(time.as_millis()).ok())
        .unwrap_or(0)
}
