//! What was made of a skill in other agents' folders, as the skill changes: a copy follows every write,
//! whoever makes it, and links and copies go with a skill that is taken away. The hub makes them.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use hone_skill::Slug;

use crate::agents::AGENTS;
use crate::audit::Event;
use crate::content::{content_hash, files_of, hashes_of};
use crate::error::Error;
use crate::install::{Arrival, NewFile, TreeFile, read_tree};
use crate::ledger::{Action, UNSHARED};
use crate::place::{Held, canonical_or_same};
use crate::provenance::{Records, Share};
use crate::state::State;
use crate::store::{Author, Change, Mode, Store};

/// Something that was made of a skill and did not follow it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The skill.
    pub skill: PathBuf,
    /// The link or copy.
    pub path: PathBuf,
    /// Why, as a sentence without a final period.
    pub why: String,
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

impl Stale {
    fn new(Share { skill, path, .. }: Share, why: &Error) -> Self {
        Self { skill, path, why: why.to_string() }
    }
}

impl Share {
    /// The agents that it was made for: several may look in one folder.
    pub fn users(&self) -> impl Iterator<Item = &str> {
        self.agent.split(',')
    }

    /// Whether what was made is still there as it was made.
    pub fn is_as_made(&self) -> bool {
        if self.kind == "link" {
            return std::fs::read_link(&self.path)
                .is_ok_and(|target| target == Path::new(&self.made));
        }
        let tree = read_tree(&self.path).ok().flatten();
        tree.is_some_and(|tree| content_hash(&files_of(&tree)) == self.made)
    }

    /// Refuses to take away what somebody changed.
    fn refuse_changed(&self) -> Result<(), Error> {
        if self.path.symlink_metadata().is_err() || self.is_as_made() {
            return Ok(());
        }
        Err(Error::Refused(format!(
            "`{}` is not what hone put there; move it out of the way",
            self.path.display()
        )))
    }
}

/// What a copy of a skill holds.
#[derive(Debug)]
pub struct Copied {
    /// The hash of its content, for [`Share::made`].
    pub made: String,
    /// Its files.
    pub files: BTreeMap<String, Option<NewFile>>,
}

impl Copied {
    /// The files of a skill that a copy has: links would lead elsewhere from there.
    pub fn of(skill: &Path) -> Result<Self, Error> {
        let mut files = read_tree(skill)?.unwrap_or_default();
        files.retain(|_, file| !file.is_link);
        let made = content_hash(&files_of(&files));
        let new = |TreeFile { bytes, is_executable, .. }| NewFile { bytes, is_executable };
        Ok(Self {
            made,
            files: files.into_iter().map(|(path, file)| (path, Some(new(file)))).collect(),
        })
    }

    /// The copy as it arrives in another folder.
    pub fn arrival(
        self,
        skill: &Path,
        expected: Option<BTreeMap<String, String>>,
    ) -> Result<Arrival, Error> {
        let name = skill.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        Ok(Arrival {
            slug: Slug::new(name)?,
            expected,
            files: self.files,
            reason: format!("shared from {}", skill.display()),
        })
    }
}

impl Store<'_> {
    /// What a change means for other agents' folders, once nobody waits for the one around the skill:
    /// two skills may be shared into each other's folders.
    pub(crate) fn followed(&self, held: Held<'_>, mut change: Change) -> Change {
        drop(held);
        if self.mode == Mode::DryRun {
            return change;
        }
        if change.action != Action::Delete {
            change.stale = follow(self.state, &self.author, &[&change.path]);
            return change;
        }
        match take_back(self.state, &self.author, &change.path, None) {
            Ok(unshared) => change.taken_back = unshared.taken,
            Err(error) => {
                let mut left = self.state.shares().unwrap_or_default();
                left.retain(|share| share.skill == change.path);
                change.stale = left.into_iter().map(|share| Stale::new(share, &error)).collect();
            }
        }
        change
    }

    /// Refuses to take a skill away when somebody changed what was made of it elsewhere.
    pub(crate) fn refuse_changed_shares(&self, skill: &Path) -> Result<(), Error> {
        let shares = self.state.shares()?;
        shares.iter().filter(|share| share.skill == skill).try_for_each(Share::refuse_changed)
    }
}

/// Brings copies of skills to what these are now, and copies of those copies. A copy that somebody changed
/// stays as it is. A skill that is gone leaves its copies alone. Answers with those that stay behind.
pub fn follow(state: &State, author: &Author, skills: &[&Path]) -> Vec<Stale> {
    // Without a database nothing was written either.
    let mut shares = state.shares().unwrap_or_default();
    shares.retain(|share| share.kind == "copy");
    if shares.is_empty() {
        return Vec::new();
    }
    let mut open: Vec<PathBuf> = skills.iter().map(|skill| canonical_or_same(skill)).collect();
    shares.retain(|share| open.contains(&share.skill));
    if shares.is_empty() {
        return Vec::new();
    }
    // One at a time, so that the last to follow is also the last to look at the skill.
    let lock = state.home().join("shares.lock");
    let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
    let _lock = match locked {
        Ok(lock) => lock,
        Err(error) => {
            let error = Error::io("lock", &lock)(error);
            return shares.into_iter().map(|share| Stale::new(share, &error)).collect();
        }
    };
    let mut stale = Vec::new();
    while let Some(skill) = open.pop() {
        // Looked up under the lock: another process may have brought a copy further.
        for share in state.shares().unwrap_or_default() {
            if share.skill != skill || share.kind != "copy" {
                continue;
            }
            match follow_one(state, author, &share) {
                Ok(true) => open.push(share.path),
                Ok(false) => {}
                Err(error) => stale.push(Stale::new(share, &error)),
            }
        }
    }
    stale
}

/// Brings one copy to what its skill is; false when there was nothing to do.
fn follow_one(state: &State, author: &Author, share: &Share) -> Result<bool, Error> {
    if !share.skill.is_dir() {
        return Ok(false);
    }
    let copied = Copied::of(&share.skill)?;
    let there = read_tree(&share.path)?;
    let now = there.as_ref().map(|tree| content_hash(&files_of(tree)));
    if now.as_ref() == Some(&copied.made) && share.made == copied.made {
        return Ok(false);
    }
    // A process that died between the two wrote the copy and not that it did.
    if now.as_ref() != Some(&share.made) && now.as_ref() != Some(&copied.made) {
        return Err(Error::Refused("somebody changed it".to_owned()));
    }
    let share = Share { made: copied.made.clone(), ..share.clone() };
    let expected = there.as_ref().map(hashes_of);
    let mut arrival = copied.arrival(&share.skill, expected)?;
    for file in there.unwrap_or_default().into_keys() {
        arrival.files.entry(file).or_insert(None);
    }
    let folder = share.path.parent().unwrap_or(Path::new("/"));
    let store = Store::new(state, author.clone(), Mode::Write);
    for change in store.bring(folder, vec![arrival])? {
        change?;
    }
    state.record(&Records { shares: vec![share], ..Records::default() })?;
    Ok(true)
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
            share.users().map(str::to_owned).partition(|user| is_meant(user));
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
        let row = unshared(author, key, &leaving.join(","), &share);
        if !staying.is_empty() {
            done.kept.extend(leaving.iter().map(kept));
            share.agent = staying.join(",");
            let (shares, audit) = (vec![share], vec![row]);
            state.record(&Records { shares, audit, ..Records::default() })?;
            continue;
        }
        share.refuse_changed()?;
        let is_there = share.path.symlink_metadata().is_ok();
        if is_there && share.kind == "link" {
            std::fs::remove_file(&share.path).map_err(Error::io("remove", &share.path))?;
        } else if is_there {
            let tree = read_tree(&share.path)?.unwrap_or_default();
            let author = Author { reason: UNSHARED.to_owned(), ..author.clone() };
            let store = Store::new(state, author, Mode::Write);
            store.uninstall(&share.path, &hashes_of(&tree))?;
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

/// What the audit log says of a share that is taken back.
fn unshared(author: &Author, skill: &Path, agents: &str, share: &Share) -> Event {
    Event {
        at: author.now,
        actor: author.actor.clone(),
        action: "unshare".to_owned(),
        skill: skill.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        place: skill.to_string_lossy().into_owned(),
        detail: format!("{agents}: {} at {}", share.kind, share.path.display()),
        ..Event::default()
    }
}

/// Whether an agent looks in the folder around a share, be it a project's or the person's.
fn looks_in(agent: &str, share: &Path) -> bool {
    let Some(folder) = share.parent() else { return false };
    let ends = |place: &str| !place.is_empty() && folder.ends_with(place);
    AGENTS.iter().any(|row| row.id == agent && (ends(row.project) || ends(row.home)))
}
