//! Other programs that list skills, for the same table. Those that are on `PATH` (or, for the
//! reference validator, where `cargo xtask test` put it) are shown the same folder in the place
//! where they look for skills; those that are not are named as missing.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::command::{is_executable, on_path};
use crate::failure::{Doing, Failure};
use crate::workspace;

/// How a peer is told which skills to list.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sight {
    /// It looks into the skill folders of the project it is started in.
    Project,
    /// It takes the folder of each skill as an argument.
    Arguments,
}

/// A program that lists skills.
pub(crate) struct Peer {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [&'static str],
    pub(crate) sight: Sight,
}

pub(crate) const PEERS: &[Peer] = &[
    Peer { name: "skills", arguments: &["list", "--json"], sight: Sight::Project },
    Peer { name: "openskills", arguments: &["list"], sight: Sight::Project },
    Peer { name: "knack", arguments: &["list"], sight: Sight::Project },
    Peer { name: "agentskills", arguments: &["to-prompt"], sight: Sight::Arguments },
];

impl Peer {
    /// Where the program is, if it is installed.
    pub(crate) fn find(&self) -> Result<Option<PathBuf>, Failure> {
        if let Some(found) = on_path(self.name) {
            return Ok(Some(found));
        }
        let venv = workspace::target()?.join("xtask-venv/bin").join(self.name);
        Ok(is_executable(&venv).then_some(venv))
    }
}

/// Makes `project` a folder whose skill folders are `skills`.
pub(crate) fn make_project(project: &Path, skills: &Path) -> Result<(), Failure> {
    for agent in [".agents", ".claude"] {
        let home = project.join(agent);
        fs::create_dir_all(&home)
            .and_then(|()| symlink(skills, home.join("skills")))
            .doing(|| format!("make `{}`", home.display()))?;
    }
    Ok(())
}
