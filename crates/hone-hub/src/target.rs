//! Where skills are installed: for a project or for the person, each with its lock file.

use std::path::{Component, Path, PathBuf};

use hone_library::{AGENTS, Surroundings, canonical_or_same};

use crate::error::Error;
use crate::lock::{LOCK_FILE, Lock, Locked};

/// The folder that every agent shares, which is where skills go unless somebody says otherwise.
const SHARED_ROOT: &str = ".agents/skills";

/// Where skills are installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// The lock file.
    pub lock: PathBuf,
    /// What roots are relative to.
    pub base: PathBuf,
    /// The root of new skills, relative to the base with `/`; for the person's own, it may be absolute.
    pub root: String,
    /// Whose.
    pub reach: Reach,
}

/// For whom skills are installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Whoever works on the project. Its lock file is text from strangers.
    Project,
    /// The person.
    User,
}

impl Target {
    /// A project, by its top folder.
    pub fn project(folder: &Path) -> Self {
        let base = canonical_or_same(folder);
        let (lock, root) = (base.join(LOCK_FILE), SHARED_ROOT.to_owned());
        Self { lock, base, root, reach: Reach::Project }
    }

    /// The person.
    pub fn user(around: &Surroundings) -> Self {
        Self {
            lock: canonical_or_same(&around.hone_home).join(LOCK_FILE),
            base: canonical_or_same(&around.user_home),
            root: SHARED_ROOT.to_owned(),
            reach: Reach::User,
        }
    }

    /// Whose skills a lock file names.
    pub(crate) fn of_lock(around: &Surroundings, lock: &Path) -> Self {
        let user = Self::user(around);
        if user.lock == lock {
            return user;
        }
        Self::project(lock.parent().unwrap_or(Path::new("/")))
    }

    /// The same, with another root for new skills.
    pub fn with_root(mut self, root: &Path) -> Result<Self, Error> {
        let root = canonical_or_same(&self.base.join(root));
        self.root = match (root.strip_prefix(&self.base), self.reach) {
            (Ok(below), _) => below.to_string_lossy().replace('\\', "/"),
            (Err(_), Reach::User) => root.to_string_lossy().into_owned(),
            (Err(_), Reach::Project) => {
                return Err(Error::Refused(format!(
                    "`{}` is outside of the project `{}`",
                    root.display(),
                    self.base.display()
                )));
            }
        };
        self.folder(&self.root.clone())?;
        Ok(self)
    }

    /// A source as the lock keeps it: a path inside the base is relative to it, so that the lock is the
    /// same for everybody who has the project.
    pub(crate) fn portable(&self, source: &str) -> String {
        let inside = Path::new(source).strip_prefix(&self.base).ok();
        match inside.and_then(Path::to_str) {
            Some("") => ".".to_owned(),
            Some(inside) => format!("./{inside}"),
            None => source.to_owned(),
        }
    }

    /// A source of the lock as it can be fetched from any folder.
    pub(crate) fn resolved(&self, source: &str) -> String {
        match source.strip_prefix("./").or((source == ".").then_some("")) {
            Some(inside) => self.base.join(inside).to_string_lossy().into_owned(),
            None => source.to_owned(),
        }
    }

    /// What the lock file says about the skill in this folder, if it names it.
    pub fn locked(&self, skill: &Path) -> Result<Option<Locked>, Error> {
        let lock = Lock::read(&self.lock)?;
        let skill = canonical_or_same(skill);
        let is_it = |entry: &&Locked| {
            self.folder(&entry.root)
                .is_ok_and(|root| canonical_or_same(&root).join(&entry.name) == skill)
        };
        Ok(lock.skills().iter().find(is_it).cloned())
    }

    /// The folder of a root. What a lock file says is checked: a project's may only name folders in
    /// which skills are looked for, inside the project, and no link may lead out of it.
    pub fn folder(&self, root: &str) -> Result<PathBuf, Error> {
        if self.reach == Reach::User && !root.is_empty() {
            return Ok(self.base.join(root));
        }
        self.checked(root)
    }

    /// The folder of a root that strangers named, in a project or below the home.
    pub(crate) fn checked(&self, root: &str) -> Result<PathBuf, Error> {
        let path = self.base.join(root);
        let refuse = |why: &str| {
            let (root, lock) = (root.escape_debug(), self.lock.display());
            Err(Error::Refused(format!("`{root}` in `{lock}` cannot be a root of skills: {why}")))
        };
        if root.is_empty() {
            return refuse("it is empty");
        }
        let is_plain = |part: Component<'_>| matches!(part, Component::Normal(_));
        if root.contains('\\') || !Path::new(root).components().all(is_plain) {
            return refuse("it is not a plain path inside the project or the home");
        }
        let parts: Vec<&str> = root.split('/').collect();
        let is_known = AGENTS.iter().any(|agent| [agent.project, agent.home].contains(&root));
        let is_skills = parts.last() == Some(&"skills");
        if parts.iter().any(|part| is_forbidden(part)) || !(is_known || is_skills) {
            return refuse("no agent looks for skills there");
        }
        if !canonical_or_same(&path).starts_with(&self.base) {
            return refuse("a link leads out of the project or the home");
        }
        Ok(path)
    }
}

/// Folders whose files run by themselves, or that hold nobody's skills.
fn is_forbidden(part: &str) -> bool {
    [".git", ".hg", ".svn", ".jj", ".bzr", "node_modules"]
        .iter()
        .any(|name| part.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_names_only_roots_in_which_skills_are_looked_for() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::project(folder.path());
        for root in [".agents/skills", ".claude/skills", "skills", "data/skills", "a/b/skills"] {
            assert_eq!(target.folder(root).unwrap(), target.base.join(root));
        }
        for root in [
            "",
            ".",
            "/etc/skills",
            "../skills",
            "a/../../skills",
            ".git",
            ".git/skills",
            ".GIT/skills",
            "src",
            "a\\skills",
        ] {
            assert!(target.folder(root).is_err(), "{root}");
        }
        std::os::unix::fs::symlink("/tmp", folder.path().join("out")).unwrap();
        let error = target.folder("out/skills").unwrap_err().to_string();
        assert!(error.contains("a link leads out of the project or the home"), "{error}");
    }

    #[test]
    fn a_source_inside_the_project_is_kept_relative() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::project(folder.path());
        let inside = target.base.join("vendor/skills").to_string_lossy().into_owned();
        assert_eq!(target.portable(&inside), "./vendor/skills");
        assert_eq!(target.resolved("./vendor/skills"), inside);
        assert_eq!(target.portable(&target.base.to_string_lossy()), ".");
        for other in ["github:o/r#main", "/elsewhere/skills", "https://x.example/"] {
            assert_eq!(target.portable(other), other);
            assert_eq!(target.resolved(other), other);
        }
    }

    #[test]
    fn another_root_is_kept_relative_where_it_can_be() {
        let folder = tempfile::tempdir().unwrap();
        let project = Target::project(folder.path());
        let base = project.base.clone();
        assert_eq!(
            project.clone().with_root(&base.join(".claude/skills")).unwrap().root,
            ".claude/skills"
        );
        assert!(project.clone().with_root(Path::new("/elsewhere/skills")).is_err());
        let user = Target { reach: Reach::User, ..project };
        assert_eq!(
            user.with_root(Path::new("/elsewhere/skills")).unwrap().root,
            "/elsewhere/skills"
        );
    }
}
