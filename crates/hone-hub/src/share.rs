//! A skill in the folders of other agents: a relative link, or a copy where links do not work. What is
//! made is written down, nothing that is there is overwritten, and exactly what was made is taken back. What
//! becomes of it when the skill changes is the library's to see to, which makes every change.

use std::path::{Component, Path, PathBuf};

use hone_library::provenance::{Records, Share};
use hone_library::{
    AGENTS, Copied, Mode, Store, Surroundings, Unshared, canonical_or_same, read_tree, take_back,
};

use crate::error::Error;
use crate::hub::Hub;
use crate::record::{Act, event};

/// How a skill is made visible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// A link, or where links do not work, a copy.
    Link,
    /// A copy.
    Copy,
}

/// What became of one share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shared {
    /// The agent.
    pub agent: String,
    /// The link or copy.
    pub path: PathBuf,
    /// What became of it.
    pub fate: ShareFate,
}

/// What became of one share.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShareFate {
    /// A link is there now.
    Linked,
    /// A copy is there now.
    Copied,
    /// The agent sees the skill where it is, or what was shared before.
    Visible,
    /// Something else is there, which stays.
    Refused(String),
}

/// Where an agent looks for skills.
#[derive(Debug, Clone, Copy)]
pub enum ShareScope<'a> {
    /// In this project.
    Project(&'a Path),
    /// In the person's home.
    User(&'a Surroundings),
}

/// Every agent's name, in order, once.
pub fn agents() -> Vec<&'static str> {
    let mut ids: Vec<&str> = AGENTS.iter().map(|agent| agent.id).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The folders in which an agent looks for skills, the first of them first.
fn folders(agent: &str, scope: ShareScope<'_>) -> Result<Vec<PathBuf>, Error> {
    let rows: Vec<_> = AGENTS.iter().filter(|row| row.id == agent).collect();
    if rows.is_empty() {
        let near = agents().into_iter().find(|id| id.starts_with(agent) || agent.starts_with(id));
        let near = near.map_or_else(
            || "; `hone share --agents` lists them".to_owned(),
            |id| format!("; did you mean `{id}`?"),
        );
        let agent = agent.escape_debug();
        return Err(Error::Refused(format!("there is no agent `{agent}`{near}")));
    }
    let folders: Vec<PathBuf> = match scope {
        ShareScope::Project(top) => rows.iter().map(|row| top.join(row.project)).collect(),
        ShareScope::User(around) => rows
            .iter()
            .filter(|row| !row.home.is_empty())
            .map(|row| around.below_home(row.home))
            .collect(),
    };
    if folders.is_empty() {
        return Err(Error::Refused(format!("`{agent}` looks for skills in projects only")));
    }
    Ok(folders.iter().map(|folder| canonical_or_same(folder)).collect())
}

impl Hub<'_> {
    /// Makes a skill, by its folder, visible to agents.
    pub fn share(
        &self,
        skill: &Path,
        to: &[String],
        scope: ShareScope<'_>,
        means: Means,
    ) -> Result<Vec<Shared>, Error> {
        let key = canonical_or_same(skill);
        let name = key.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if read_tree(&key)?.is_none_or(|files| !files.contains_key("SKILL.md")) {
            return Err(Error::Refused(format!("`{}` is no folder with a skill", skill.display())));
        }
        let mut wanted = Vec::new();
        for agent in to {
            wanted.push((agent, folders(agent, scope)?));
        }
        let mut shared: Vec<Shared> = Vec::new();
        for (agent, folders) in wanted {
            let sees = |folder: &PathBuf| {
                folder.join(&name) == key || canonical_or_same(&folder.join(&name)) == key
            };
            let seen = folders.iter().find(|folder| sees(folder));
            let path = seen.unwrap_or(&folders[0]).join(&name);
            let fate = match seen {
                Some(_) => {
                    self.join(&key, agent, &path)?;
                    ShareFate::Visible
                }
                None => self.share_at(&key, agent, &path, means)?,
            };
            shared.push(Shared { agent: agent.clone(), path, fate });
        }
        Ok(shared)
    }

    /// Writes down that an agent, too, is to see what was put into a folder in which others look as well.
    fn join(&self, key: &Path, agent: &str, path: &Path) -> Result<(), Error> {
        let shares = self.state.shares()?.into_iter();
        let Some(mut share) = shares.into_iter().find(|one| one.path == path && one.skill == key)
        else {
            return Ok(());
        };
        if share.users().any(|user| user == agent) {
            return Ok(());
        }
        let mut row = event(&self.author, Act::Share, None, key);
        row.detail = format!("{agent}: {} at {}", share.kind, path.display());
        share.agent = format!("{},{agent}", share.agent);
        let (shares, audit) = (vec![share], vec![row]);
        Ok(self.state.record(&Records { shares, audit, ..Records::default() })?)
    }

    fn share_at(
        &self,
        key: &Path,
        agent: &str,
        path: &Path,
        means: Means,
    ) -> Result<ShareFate, Error> {
        let known = self.state.shares()?.into_iter().find(|share| share.path == path);
        if path.symlink_metadata().is_ok() {
            return match known {
                Some(share) if share.skill == key && share.is_as_made() => {
                    self.join(key, agent, path)?;
                    Ok(ShareFate::Visible)
                }
                _ => Ok(ShareFate::Refused(format!(
                    "`{}` is there, and hone did not put it there",
                    path.display()
                ))),
            };
        }
        let folder = path.parent().unwrap_or(Path::new("/"));
        let target = relative(folder, key);
        let mut share = Share {
            path: path.to_owned(),
            skill: key.to_owned(),
            agent: agent.to_owned(),
            kind: "link".to_owned(),
            made: target.to_string_lossy().into_owned(),
            at: self.author.now,
        };
        let mut row = event(&self.author, Act::Share, None, key);
        row.detail = format!("{agent}: link at {}", path.display());
        // Written down first: what is not there after all is easily taken back.
        let records = |share: &Share, row| Records {
            shares: vec![share.clone()],
            audit: vec![row],
            ..Records::default()
        };
        if means == Means::Link {
            std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
            self.state.record(&records(&share, row.clone()))?;
            match std::os::unix::fs::symlink(&target, path) {
                Ok(()) => return Ok(ShareFate::Linked),
                Err(error) if is_unsupported(&error) => {}
                Err(error) => {
                    let unshared = vec![path.to_owned()];
                    self.state.record(&Records { unshared, ..Records::default() })?;
                    return Err(Error::io("link", path)(error));
                }
            }
        }
        let copied = Copied::of(key)?;
        "copy".clone_into(&mut share.kind);
        share.made.clone_from(&copied.made);
        row.detail = format!("{agent}: copy at {}", path.display());
        self.state.record(&records(&share, row))?;
        let arrival = copied.arrival(key, None)?;
        let store = Store::new(self.state, self.author.clone(), Mode::Write);
        for change in store.install(folder, vec![arrival])? {
            change?;
        }
        Ok(ShareFate::Copied)
    }

    /// Takes back what was shared of a skill, as [`take_back`] does.
    pub fn unshare(&self, skill: &Path, from: Option<&[String]>) -> Result<Unshared, Error> {
        Ok(take_back(self.state, &self.author, skill, from)?)
    }
}

/// The way from a folder to a path, both without links.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<Component<'_>>, Vec<Component<'_>>) =
        (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Component::ParentDir, from.len() - common);
    up.chain(to[common..].iter().copied()).collect()
}

fn is_unsupported(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{PermissionDenied, Unsupported};
    matches!(error.kind(), PermissionDenied | Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_between_two_folders_is_relative() {
        for (from, to, way) in [
            ("/h/.claude/skills", "/h/.agents/skills/x", "../../.agents/skills/x"),
            ("/h", "/h/skills/x", "skills/x"),
            ("/a/b", "/c", "../../c"),
        ] {
            assert_eq!(relative(Path::new(from), Path::new(to)), Path::new(way));
        }
    }

    #[test]
    fn every_agent_has_a_folder_in_a_project() {
        assert!(agents().len() > 80);
        for agent in agents() {
            assert!(!folders(agent, ShareScope::Project(Path::new("/p"))).unwrap().is_empty());
        }
        let error = folders("claude", ShareScope::Project(Path::new("/p"))).unwrap_err();
        assert_eq!(error.to_string(), "there is no agent `claude`; did you mean `claude-code`?");
    }
}
