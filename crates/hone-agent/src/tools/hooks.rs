//! What git runs by itself: hooks, and programs that its configuration names.
//!
//! A command may write its workspace, and what it left there would run with all of its owner's rights
//! the next time somebody uses git in it. So both are as they were when the command is over.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Hooks at most; a repository with more is not one to run commands in.
const MAX_HOOKS: usize = 256;

/// Bytes of hooks and configuration at most.
const MAX_HOOK_BYTES: u64 = 4 * 1024 * 1024;

/// Files of a repository that can name programs.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];

/// The hooks and settings of a repository as they were.
#[derive(Debug)]
pub(super) struct Hooks {
    git: PathBuf,
    files: BTreeMap<PathBuf, Kept>,
}

#[derive(Debug, PartialEq, Eq)]
enum Kept {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
}

impl Hooks {
    /// Those of the repository in a workspace, or why no command may run beside them. A repository that
    /// is a link, or whose folder is elsewhere, lies outside of what a command may write.
    pub(super) fn of(workspace: &Path) -> Result<Self, String> {
        let git = workspace.join(".git");
        let files = look(&git).map_err(|error| {
            format!("what git runs by itself in `{}` cannot be kept: {error}", git.display())
        })?;
        Ok(Self { git, files })
    }

    /// Puts everything back that is not as it was, and names it.
    pub(super) fn put_back(&self) -> Result<Vec<String>, String> {
        let failed = |error: io::Error| {
            format!(
                "what git runs by itself in `{}` cannot be put back: {error}",
                self.git.display()
            )
        };
        if !is_folder(&self.git) {
            return Ok(Vec::new());
        }
        let hooks = self.git.join("hooks");
        // Whatever stands in the place of the folder goes: nothing is written through a link.
        if hooks.symlink_metadata().is_ok() && !is_folder(&hooks) {
            fs::remove_file(&hooks).map_err(failed)?;
        }
        let now = names(&self.git).map_err(failed)?;
        let all: BTreeSet<&PathBuf> = now.iter().chain(self.files.keys()).collect();
        let mut changed = Vec::new();
        for path in all {
            let is = keep(path).ok();
            let was = self.files.get(path);
            // The samples of a new repository run for nobody.
            let is_sample = path.extension().is_some_and(|end| end == "sample");
            let is_new_setting =
                was.is_none() && self.files.is_empty() && !path.starts_with(&hooks);
            if is.as_ref() == was || was.is_none() && (is_sample || is_new_setting) {
                continue;
            }
            put(path, was).map_err(failed)?;
            let name = path.strip_prefix(&self.git).unwrap_or(path);
            changed.push(format!(".git/{}", name.display()));
        }
        Ok(changed)
    }
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// The files of a repository that matter here.
fn names(git: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names: Vec<PathBuf> = SETTINGS.iter().map(|name| git.join(name)).collect();
    names.retain(|path| path.symlink_metadata().is_ok());
    let hooks = git.join("hooks");
    if is_folder(&hooks) {
        for entry in fs::read_dir(&hooks)? {
            names.push(entry?.path());
            if names.len() > MAX_HOOKS {
                return Err(io::Error::other(format!("there are more than {MAX_HOOKS} hooks")));
            }
        }
    }
    Ok(names)
}

fn look(git: &Path) -> io::Result<BTreeMap<PathBuf, Kept>> {
    let mut files = BTreeMap::new();
    if !is_folder(git) {
        return Ok(files);
    }
    let mut bytes = 0;
    for path in names(git)? {
        let about = path.symlink_metadata()?;
        if about.is_dir() {
            continue;
        }
        bytes += about.len();
        if bytes > MAX_HOOK_BYTES {
            return Err(io::Error::other(format!("they have more than {MAX_HOOK_BYTES} bytes")));
        }
        files.insert(path.clone(), keep(&path)?);
    }
    Ok(files)
}

fn keep(path: &Path) -> io::Result<Kept> {
    let about = path.symlink_metadata()?;
    if about.is_symlink() {
        return fs::read_link(path).map(Kept::Link);
    }
    if about.len() > MAX_HOOK_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Kept::File { bytes: fs::read(path)?, mode: about.permissions().mode() })
}

/// Brings a path to what it was.
fn put(path: &Path, was: Option<&Kept>) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    let Some(was) = was else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match was {
        Kept::Link(target) => std::os::unix::fs::symlink(target, path),
        Kept::File { bytes, mode } => {
            fs::write(path, bytes)?;
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repository() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let hooks = folder.path().join(".git/hooks");
        fs::create_dir_all(&hooks).unwrap();
        fs::write(hooks.join("pre-push"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(hooks.join("pre-push"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.path().join(".git/config"), "[core]\n").unwrap();
        folder
    }

    #[test]
    fn what_a_command_does_to_hooks_and_settings_is_undone() {
        let folder = repository();
        let at = |name: &str| folder.path().join(".git").join(name);
        let hooks = Hooks::of(folder.path()).unwrap();
        assert_eq!(hooks.put_back().unwrap(), Vec::<String>::new());
        fs::write(at("hooks/pre-commit"), "evil").unwrap();
        fs::write(at("hooks/pre-push"), "evil").unwrap();
        fs::write(at("config"), "[core]\n\thooksPath = /tmp/evil\n").unwrap();
        fs::write(at("index"), "work").unwrap();
        let expected = [".git/config", ".git/hooks/pre-commit", ".git/hooks/pre-push"];
        assert_eq!(hooks.put_back().unwrap(), expected);
        assert_eq!(Hooks::of(folder.path()).unwrap().files, hooks.files);
        assert!(at("index").exists(), "the rest is the command's to write");
    }

    #[test]
    fn a_link_in_place_of_the_folder_is_not_followed() {
        let folder = repository();
        let elsewhere = tempfile::tempdir().unwrap();
        fs::write(elsewhere.path().join("pre-push"), "theirs").unwrap();
        let hooks = Hooks::of(folder.path()).unwrap();
        let at = folder.path().join(".git/hooks");
        fs::remove_dir_all(&at).unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), &at).unwrap();
        assert_eq!(hooks.put_back().unwrap(), [".git/hooks/pre-push"]);
        assert_eq!(fs::read_to_string(elsewhere.path().join("pre-push")).unwrap(), "theirs");
        assert_eq!(Hooks::of(folder.path()).unwrap().files, hooks.files);
    }

    #[test]
    fn a_new_repository_gets_its_settings_and_no_hooks() {
        let folder = tempfile::tempdir().unwrap();
        let hooks = Hooks::of(folder.path()).unwrap();
        let at = |name: &str| folder.path().join(".git").join(name);
        fs::create_dir_all(at("hooks")).unwrap();
        for name in ["config", "hooks/pre-commit.sample", "hooks/pre-commit"] {
            fs::write(at(name), "x").unwrap();
        }
        assert_eq!(hooks.put_back().unwrap(), [".git/hooks/pre-commit"]);
        assert!(at("config").exists() && at("hooks/pre-commit.sample").exists());
    }

    #[test]
    fn hooks_are_kept_up_to_their_limit() {
        let folder = repository();
        let at = |name: usize| folder.path().join(format!(".git/hooks/h{name}"));
        for name in 0..MAX_HOOKS - 2 {
            fs::write(at(name), "").unwrap();
        }
        assert_eq!(Hooks::of(folder.path()).unwrap().files.len(), MAX_HOOKS);
        fs::write(at(MAX_HOOKS), "").unwrap();
        assert!(Hooks::of(folder.path()).unwrap_err().contains("more than 256 hooks"));
        fs::write(at(MAX_HOOKS), "").unwrap();
        let large = repository();
        let big = fs::File::create(large.path().join(".git/hooks/big")).unwrap();
        big.set_len(MAX_HOOK_BYTES).unwrap();
        assert!(Hooks::of(large.path()).unwrap_err().contains("bytes"));
    }
}
