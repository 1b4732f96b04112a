//! A skill in the folders of other agents: a relative link, or a copy where links do not work. What is
//! made is written down, nothing that is there is overwritten, and exactly what was made is taken back.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use hone_library::provenance::{Records, Share};
use hone_library::{
    AGENTS, Arrival, Author, Mode, NewFile, State, Store, Surroundings, TreeFile,
    canonical_or_same, read_tree,
};
use hone_skill::Slug;

use crate::content::{content_hash, hashes, of_tree};
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

/// What became of shares that were to be taken back.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unshared {
    /// Links and copies that are gone.
    pub taken: Vec<PathBuf>,
    /// Links and copies that stay for others.
    pub kept: Vec<KeptShare>,
}

/// A link or copy in a folder in which several agents look, which stays for some of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptShare {
    /// The link or copy.
    pub path: PathBuf,
    /// The agent that still sees it.
    pub agent: String,
    /// Those for whom it stays.
    pub stays_for: Vec<String>,
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
                None => self.share_at(&key, &name, agent, &path, means)?,
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
        if users(&share).any(|user| user == agent) {
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
        name: &str,
        agent: &str,
        path: &Path,
        means: Means,
    ) -> Result<ShareFate, Error> {
        let known = self.state.shares()?.into_iter().find(|share| share.path == path);
        if path.symlink_metadata().is_ok() {
            return match known {
                Some(share) if share.skill == key && is_as_made(&share) => {
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
        let plain = plain_files(key)?;
        "copy".clone_into(&mut share.kind);
        share.made = content_hash(&of_tree(&plain));
        row.detail = format!("{agent}: copy at {}", path.display());
        self.state.record(&records(&share, row))?;
        let arrival = Arrival {
            slug: Slug::new(name).map_err(hone_library::Error::from)?,
            expected: None,
            files: plain.into_iter().map(|(path, file)| (path, Some(new_file(file)))).collect(),
            reason: format!("shared from {}", key.display()),
        };
        let store = Store::new(self.state, self.author.clone(), Mode::Write);
        for change in store.install(folder, vec![arrival])? {
            change?;
        }
        Ok(ShareFate::Copied)
    }

    /// Takes back what was shared of a skill, as [`take_back`] does.
    pub fn unshare(&self, skill: &Path, from: Option<&[String]>) -> Result<Unshared, Error> {
        take_back(self.state, &self.author, skill, from)
    }
}

/// Brings copies of a skill to what it is now. A copy that somebody changed stays as it is, and is
/// named. A skill that is gone leaves its copies alone.
pub fn refresh_copies(state: &State, author: &Author, skill: &Path) -> Result<Vec<PathBuf>, Error> {
    let key = &canonical_or_same(skill);
    if !key.is_dir() {
        return Ok(Vec::new());
    }
    let mut stale = Vec::new();
    for mut share in state.shares()? {
        if share.skill != *key || share.kind != "copy" {
            continue;
        }
        if !is_as_made(&share) {
            stale.push(share.path);
            continue;
        }
        let mut files: BTreeMap<String, Option<NewFile>> = read_tree(&share.path)?
            .unwrap_or_default()
            .into_keys()
            .map(|path| (path, None))
            .collect();
        let expected = read_tree(&share.path)?.as_ref().map(hashes);
        let plain = plain_files(key)?;
        share.made = content_hash(&of_tree(&plain));
        files.extend(plain.into_iter().map(|(path, file)| (path, Some(new_file(file)))));
        let name = key.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let arrival = Arrival {
            slug: Slug::new(name).map_err(hone_library::Error::from)?,
            expected,
            files,
            reason: format!("shared from {}", key.display()),
        };
        let folder = share.path.parent().unwrap_or(Path::new("/"));
        let store = Store::new(state, author.clone(), Mode::Write);
        for change in store.install(folder, vec![arrival])? {
            change?;
        }
        state.record(&Records { shares: vec![share], ..Records::default() })?;
    }
    Ok(stale)
}

/// Takes back what was shared of a skill; without agents, all of it. What stands in a folder in which
/// other agents look as well stays for those it was shared with. What somebody changed since stays, and
/// is an error.
pub fn take_back(
    state: &State,
    author: &Author,
    skill: &Path,
    from: Option<&[String]>,
) -> Result<Unshared, Error> {
    let key = &canonical_or_same(skill);
    let mut done = Unshared::default();
    for mut share in state.shares()?.into_iter().filter(|share| share.skill == *key) {
        let is_meant = |user: &str| from.is_none_or(|from| from.iter().any(|one| one == user));
        let (leaving, staying): (Vec<String>, Vec<String>) =
            users(&share).map(str::to_owned).partition(|user| is_meant(user));
        let kept = |agent: &String| KeptShare {
            path: share.path.clone(),
            agent: agent.clone(),
            stays_for: staying.clone(),
        };
        if leaving.is_empty() {
            let from = from.unwrap_or_default().iter();
            done.kept.extend(from.filter(|agent| looks_in(agent, &share.path)).map(kept));
            continue;
        }
        let mut row = event(author, Act::Unshare, None, key);
        let gone = leaving.join(",");
        row.detail = format!("{gone}: {} at {}", share.kind, share.path.display());
        if !staying.is_empty() {
            done.kept.extend(leaving.iter().map(kept));
            share.agent = staying.join(",");
            let (shares, audit) = (vec![share], vec![row]);
            state.record(&Records { shares, audit, ..Records::default() })?;
            continue;
        }
        let is_there = share.path.symlink_metadata().is_ok();
        if is_there && !is_as_made(&share) {
            return Err(Error::Refused(format!(
                "`{}` is not what hone put there; move it out of the way",
                share.path.display()
            )));
        }
        if is_there && share.kind == "link" {
            std::fs::remove_file(&share.path).map_err(Error::io("remove", &share.path))?;
        } else if is_there {
            let tree = read_tree(&share.path)?.unwrap_or_default();
            let store = Store::new(state, author.clone(), Mode::Write);
            store.uninstall(&share.path, &hashes(&tree))?;
        }
        state.record(&Records {
            unshared: vec![share.path.clone()],
            audit: vec![row],
            ..Records::default()
        })?;
        if is_there {
            done.taken.push(share.path);
        }
    }
    Ok(done)
}

/// The agents that a share was made for: several may look in one folder.
fn users(share: &Share) -> impl Iterator<Item = &str> {
    share.agent.split(',')
}

/// Whether an agent looks in the folder around a share, be it a project's or the person's.
fn looks_in(agent: &str, share: &Path) -> bool {
    let Some(folder) = share.parent() else { return false };
    let ends = |place: &str| !place.is_empty() && folder.ends_with(place);
    AGENTS.iter().any(|row| row.id == agent && (ends(row.project) || ends(row.home)))
}

/// The files of a skill that a copy has: links would lead elsewhere from there.
fn plain_files(key: &Path) -> Result<BTreeMap<String, TreeFile>, Error> {
    let mut files = read_tree(key)?.unwrap_or_default();
    files.retain(|_, file| !file.is_link);
    Ok(files)
}

fn new_file(file: TreeFile) -> NewFile {
    NewFile { bytes: file.bytes, is_executable: file.is_executable }
}

/// Whether what was made is still there as it was made.
fn is_as_made(share: &Share) -> bool {
    if share.kind == "link" {
        return std::fs::read_link(&share.path)
            .is_ok_and(|target| target == Path::new(&share.made));
    }
    let tree = read_tree(&share.path).ok().flatten();
    tree.is_some_and(|tree| content_hash(&of_tree(&tree)) == share.made)
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
