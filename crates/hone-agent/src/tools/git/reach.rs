//! What git reaches in a workspace by a person's own settings: hooks in a folder that `core.hooksPath` names,
//! settings that others include, and files that any other setting names: filters, `core.fsmonitor`, aliases.
//! Git itself is asked what its settings are; that runs nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Kept, MAX_FILES, Place, SETTINGS, is_folder, keep, settings, too_many};

/// Paths of a workspace that settings name; a file or a folder need not be there.
#[derive(Debug, Default)]
pub(super) struct Reached {
    /// Settings that others include.
    settings: BTreeSet<PathBuf>,
    /// Folders whose files git runs.
    hooks: BTreeSet<PathBuf>,
    /// Files that other settings name, as programs or within commands.
    programs: BTreeSet<PathBuf>,
    /// Folders of the above that are work trees: most of their files are no hooks.
    trees: BTreeSet<PathBuf>,
}

/// One setting: the folder of the file that it stands in, its name and its value.
struct Setting {
    folder: PathBuf,
    key: String,
    value: String,
}

impl Reached {
    /// What is reached in a workspace with these repositories.
    pub(super) fn of(workspace: &Path, places: &[Place]) -> io::Result<Self> {
        let mut reached = Self::default();
        let Some(base) = ask(workspace, None)? else { return Ok(reached) };
        let has_conditions = base.iter().any(|one| one.key.starts_with("includeif."));
        let around = workspace.ancestors().filter(|folder| folder.join(".git").exists());
        let mut trees: BTreeSet<PathBuf> = around.map(Path::to_owned).collect();
        trees.extend(places.iter().flat_map(|place| work_trees(&place.path)));
        let mut all = vec![(None, base)];
        for place in places.iter().filter(|place| has_conditions || names_others(&place.path)) {
            // What git does not take for a repository has no settings of its own.
            if let Ok(Some(own)) = ask(workspace, Some(&place.path)) {
                let moved = own.iter().filter(|one| one.key == "core.worktree");
                trees.extend(moved.map(|one| place.path.join(&one.value)));
                all.push((Some(place), own));
            }
        }
        for (place, one) in
            all.iter().flat_map(|(place, own)| own.iter().map(move |one| (place, one)))
        {
            let is_include = one.key == "include.path"
                || one.key.starts_with("includeif.") && one.key.rsplit('.').next() == Some("path");
            if is_include {
                reached.settings.extend(inside(workspace, &one.folder, &one.value));
                continue;
            }
            let of_place = place.map(|place| place.path.clone());
            for tree in trees.iter().chain(&of_place) {
                if one.key == "core.hookspath" {
                    reached.hooks.extend(inside(workspace, tree, &one.value));
                } else if !settings::is_harmless(&one.key) {
                    let named = paths(&one.value).flat_map(|path| inside(workspace, tree, path));
                    reached.programs.extend(named.filter(|path| path != workspace));
                }
            }
        }
        let is_tree = |folder: &&PathBuf| {
            trees.iter().any(|tree| same(tree) == **folder || tree.starts_with(folder))
        };
        reached.trees = reached.hooks.iter().filter(is_tree).cloned().collect();
        Ok(reached)
    }

    /// Everything that another look reached as well.
    pub(super) fn and(&self, other: Self) -> Self {
        let both =
            |a: &BTreeSet<PathBuf>, b: BTreeSet<PathBuf>| a.iter().cloned().chain(b).collect();
        Self {
            settings: both(&self.settings, other.settings),
            hooks: both(&self.hooks, other.hooks),
            programs: both(&self.programs, other.programs),
            trees: both(&self.trees, other.trees),
        }
    }

    /// Whether a path is a file that is reached.
    pub(super) fn has(&self, path: &Path) -> bool {
        let in_hooks = path.parent().is_some_and(|folder| self.hooks.contains(folder));
        let is_hook = in_hooks && path.file_name().is_some_and(|name| self.is_hook(path, name));
        let is_named = |path: &Path| self.settings.contains(path) || self.programs.contains(path);
        is_hook || is_named(path) || is_named(&same(path))
    }

    /// Whether a file in a folder of hooks may be one. In a work tree only what is called like a hook is.
    fn is_hook(&self, path: &Path, name: &OsStr) -> bool {
        let is_tree = path.parent().is_some_and(|folder| self.trees.contains(folder));
        !is_tree || name.as_encoded_bytes().iter().all(|c| c.is_ascii_lowercase() || *c == b'-')
    }

    /// The files that are reached, as they are.
    pub(super) fn files(&self) -> io::Result<BTreeMap<PathBuf, Kept>> {
        let mut files = BTreeMap::new();
        let is_file = |path: &&PathBuf| path.symlink_metadata().is_ok_and(|about| !about.is_dir());
        // A link in the place of a folder of hooks is one of these too.
        let named = self.settings.iter().chain(&self.hooks).chain(&self.programs);
        for path in named.filter(is_file) {
            files.insert(path.clone(), keep(path)?);
            if files.len() > MAX_FILES {
                return Err(too_many());
            }
        }
        for folder in self.hooks.iter().filter(|folder| is_folder(folder)) {
            for entry in fs::read_dir(folder)? {
                let entry = entry?;
                let path = entry.path();
                if self.is_hook(&path, &entry.file_name()) && !entry.file_type()?.is_dir() {
                    files.insert(path.clone(), keep(&path)?);
                }
                if files.len() > MAX_FILES {
                    return Err(too_many());
                }
            }
        }
        Ok(files)
    }
}

/// The settings that git has for a folder, or for a repository; none where there is no git.
fn ask(folder: &Path, repository: Option<&Path>) -> io::Result<Option<Vec<Setting>>> {
    let mut git = Command::new("git");
    git.args(["config", "--list", "--show-origin", "-z"]).current_dir(folder);
    git.env_remove("GIT_DIR").env_remove("GIT_WORK_TREE").stdin(Stdio::null());
    if let Some(repository) = repository {
        git.env("GIT_DIR", repository);
    }
    let said = match git.output() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        said => said?,
    };
    if !said.status.success() {
        let why = String::from_utf8_lossy(&said.stderr).trim().to_owned();
        return Err(io::Error::other(format!("git says: {why}")));
    }
    Ok(Some(listed(&said.stdout, folder)))
}

/// Settings as git lists them: an origin, and a name and its value, each with an end.
fn listed(said: &[u8], cwd: &Path) -> Vec<Setting> {
    let mut parts = said.split(|byte| *byte == 0);
    let mut found = Vec::new();
    while let (Some(origin), Some(setting)) = (parts.next(), parts.next()) {
        let file = origin.strip_prefix(b"file:").map(|file| OsString::from_vec(file.to_vec()));
        let folder = file.as_deref().and_then(|file| Path::new(file).parent());
        let folder = folder.map_or_else(|| cwd.to_owned(), |folder| cwd.join(folder));
        let setting = String::from_utf8_lossy(setting);
        let (key, value) = setting.split_once('\n').unwrap_or((&setting, ""));
        found.push(Setting { folder, key: key.to_lowercase(), value: value.to_owned() });
    }
    found
}

/// The folders that hooks of a repository run in.
fn work_trees(repository: &Path) -> Vec<PathBuf> {
    let mut trees = Vec::new();
    if repository.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git")) {
        trees.extend(repository.parent().map(Path::to_owned));
    } else {
        trees.push(repository.to_owned());
    }
    // One tree of several says where it is.
    let link = fs::read_to_string(repository.join("gitdir")).unwrap_or_default();
    let link = repository.join(link.trim_end());
    trees.extend(link.parent().filter(|_| link.is_file()).map(Path::to_owned));
    trees
}

/// Whether the settings of a repository may lead anywhere else.
fn names_others(repository: &Path) -> bool {
    SETTINGS.iter().any(|name| {
        let text = fs::read(repository.join(name)).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let is_said = |line: &&str| !line.is_empty() && !line.starts_with(['#', ';']);
        let said = text.lines().map(str::trim).filter(is_said).count();
        settings::harmless(&text).lines().count() < said
    })
}

/// What can be a path in a setting that may be a command. A name without a folder is looked for elsewhere.
fn paths(value: &str) -> impl Iterator<Item = &str> {
    let ends = |c: char| c.is_whitespace() || "'\"`;|&()<>$!=,".contains(c);
    let is_path = |word: &&str| word.contains('/') && !word.starts_with("refs/");
    value.split(ends).map(|word| word.trim_start_matches('+')).filter(is_path)
}

/// The paths in a workspace that a value stands for: as it is written, and where links lead.
fn inside(workspace: &Path, from: &Path, value: &str) -> Vec<PathBuf> {
    let path = match value.strip_prefix("~/") {
        Some(below) => match std::env::var_os("HOME") {
            Some(home) => PathBuf::from(home).join(below),
            None => return Vec::new(),
        },
        None => from.join(value),
    };
    let written = hone_library::normal(&path);
    let mut paths = vec![same(&written), written];
    paths.dedup();
    paths.retain(|path| path.starts_with(workspace));
    paths
}

/// A path with its links resolved, as far as it is there.
fn same(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Makes every folder around a path, inside of a workspace, a folder: nothing is written through a link.
pub(super) fn make_solid(workspace: &Path, path: &Path) -> io::Result<()> {
    let below = path.parent().and_then(|around| around.strip_prefix(workspace).ok());
    let mut folder = workspace.to_owned();
    for part in below.into_iter().flat_map(Path::components) {
        let Component::Normal(name) = part else { continue };
        folder.push(name);
        match folder.symlink_metadata() {
            Ok(about) if about.is_dir() => {}
            Ok(_) => {
                fs::remove_file(&folder)?;
                fs::create_dir(&folder)?;
            }
            Err(_) => fs::create_dir(&folder)?,
        }
    }
    Ok(())
}
