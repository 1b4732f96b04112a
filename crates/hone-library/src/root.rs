//! Roots: the folders in which skills are looked for, in order of precedence.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::agents::AGENTS;
use crate::config::Config;
use crate::error::Error;
use crate::scope::Scope;
use crate::surroundings::Surroundings;

/// Folders that an administrator fills.
const ADMIN_ROOTS: [&str; 4] = [
    "/etc/agents/skills",
    "/etc/hone/skills",
    "/etc/claude-code/.claude/skills",
    "/etc/codex/skills",
];

/// Files that make the folder beside `skills/` a brain.
const BRAIN_MARKS: [&str; 4] = ["bundle.lock.json", "memory.db", "system.md", "receipts.jsonl"];

/// What counts as a skill right below a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Folders with a `SKILL.md`.
    Folders,
    /// Those, and single `<slug>.md` files with frontmatter, as in a brain.
    FoldersAndFiles,
}

/// A folder that holds skills.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The folder.
    pub path: PathBuf,
    /// Who sees its skills.
    pub scope: Scope,
    /// What counts as a skill in it.
    pub layout: Layout,
    /// The project folder that must be trusted first.
    pub project: Option<PathBuf>,
}

/// The project that a folder belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Its top folder.
    pub root: PathBuf,
    /// The folders from the working one up to the top, nearest first.
    pub folders: Vec<PathBuf>,
}

impl Project {
    /// Finds the project around the working folder: up to the nearest folder with `.git` or
    /// `hone.toml`, else the working folder alone. The user's home is no project.
    pub fn find(around: &Surroundings) -> Option<Self> {
        let is_top =
            |folder: &&Path| folder.join(".git").exists() || folder.join("hone.toml").exists();
        // The working folder has its links resolved, the home may not.
        let home = std::fs::canonicalize(&around.user_home).ok();
        let is_home = |folder: &Path| folder == around.user_home || Some(folder) == home.as_deref();
        let root = around
            .cwd
            .ancestors()
            .take_while(|folder| !is_home(folder))
            .find(is_top)
            .unwrap_or(&around.cwd)
            .to_owned();
        if is_home(&root) {
            return None;
        }
        let folders =
            around.cwd.ancestors().take_while(|f| f.starts_with(&root)).map(Path::to_owned);
        Some(Self { folders: folders.collect(), root })
    }
}

impl Root {
    /// A root given by hand, with the user's scope.
    pub fn explicit(path: &Path, cwd: &Path) -> Result<Self, Error> {
        let has_parent = path.components().any(|part| part == std::path::Component::ParentDir);
        let path = cwd.join(path);
        // `link/..` is where the link leads, which only the system knows.
        let path = match std::fs::canonicalize(&path) {
            Ok(real) if has_parent => real,
            _ => normal(&path),
        };
        let metadata = std::fs::metadata(&path).map_err(Error::io("read the root", &path))?;
        if !metadata.is_dir() {
            let not_folder = std::io::Error::from(std::io::ErrorKind::NotADirectory);
            return Err(Error::io("read the root", &path)(not_folder));
        }
        Ok(Self { path, scope: Scope::User, layout: Layout::FoldersAndFiles, project: None })
    }

    /// A brain's own skills.
    pub fn of_agent(hone_home: &Path, id: &str) -> Self {
        Self {
            path: hone_home.join("agents").join(id).join("skills"),
            scope: Scope::Agent,
            layout: Layout::FoldersAndFiles,
            project: None,
        }
    }

    /// Those of some candidates that are there.
    pub(crate) fn existing(mut candidates: Vec<Self>) -> Vec<Self> {
        candidates.retain(|root| root.path.is_dir());
        for root in &mut candidates {
            root.layout = layout_of(&root.path);
        }
        candidates
    }

    /// Every folder that would be a root in these surroundings, there or not, the first scope first.
    pub(crate) fn candidates(around: &Surroundings, config: &Config) -> Vec<Self> {
        let mut roots: Vec<Self> = Vec::new();
        let mut known: HashSet<PathBuf> = HashSet::new();
        let mut add = |path: PathBuf, scope: Scope, project: Option<&Path>| {
            if known.insert(path.clone()) {
                let project = project.map(Path::to_owned);
                roots.push(Self { path, scope, layout: Layout::Folders, project });
            }
        };
        let user_roots: Vec<PathBuf> = AGENTS
            .iter()
            .filter(|agent| !agent.home.is_empty())
            .map(|agent| around.below_home(agent.home))
            .collect();
        if let Some(project) = Project::find(around) {
            for folder in &project.folders {
                for agent in AGENTS {
                    let path = folder.join(agent.project);
                    if !user_roots.contains(&path) {
                        add(path, Scope::Project, Some(&project.root));
                    }
                }
            }
        }
        for extra in config.roots.iter().filter(|extra| extra.scope == Scope::Project) {
            add(expand(&extra.path, around), Scope::Project, None);
        }
        for path in user_roots {
            add(path, Scope::User, None);
        }
        for scope in [Scope::User, Scope::Agent, Scope::Admin] {
            for extra in config.roots.iter().filter(|extra| extra.scope == scope) {
                add(expand(&extra.path, around), scope, None);
            }
        }
        for path in ADMIN_ROOTS {
            add(PathBuf::from(path), Scope::Admin, None);
        }
        roots
    }
}

/// `~/x` below the user's home; anything else relative to it.
fn expand(path: &Path, around: &Surroundings) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) => around.user_home.join(rest),
        Err(_) => around.user_home.join(path),
    }
}

fn layout_of(root: &Path) -> Layout {
    let brain = root.parent().filter(|_| root.file_name().is_some_and(|name| name == "skills"));
    let is_brain =
        brain.is_some_and(|brain| BRAIN_MARKS.iter().any(|mark| brain.join(mark).is_file()));
    if is_brain { Layout::FoldersAndFiles } else { Layout::Folders }
}

/// Removes `.` and resolves `..` by name, without looking at the disk.
pub fn normal(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for part in path.components() {
        match part {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}
