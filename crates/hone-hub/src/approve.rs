//! What waits for a person's word: kept in quarantine, bound to its content. An approval counts for
//! exactly what was shown; hash, scan and policy are checked again before anything happens.

use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use hone_guard::Verdict;
use hone_library::provenance::Records;
use hone_library::usage::iso;
use hone_library::{LockedFile, Origin, State, content_hash};
use hone_skill::Slug;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::bundle::BundleFile;
use crate::compare::News;
use crate::error::Error;
use crate::hub::{Ask, Hub, Outcome};
use crate::lock::Locked;
use crate::pipeline::{Candidate, How, Manner};
use crate::quarantine::Quarantine;
use crate::record::{Act, event};
use crate::target::{Reach, Target};

/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 8;

/// Something that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// What it is called by.
    pub id: String,
    /// The hash of its content.
    pub content: String,
    /// Why a person decides.
    pub why: String,
    /// What it can do that the installed version cannot.
    pub news: News,
    /// What the lock will say.
    pub entry: Locked,
    lock: PathBuf,
    base: PathBuf,
    is_project: bool,
    /// When it arrived, in milliseconds since 1970.
    #[serde(skip)]
    pub at: i64,
}

/// Something that waits, as programs are told of it; its files are left to whoever tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Approval {
    /// What it is called by.
    pub id: String,
    /// The skill's name.
    pub name: String,
    /// Where it came from.
    pub source: String,
    /// Whose word it is.
    pub origin: &'static str,
    /// What the scan said.
    pub verdict: &'static str,
    /// Why a person decides.
    pub why: String,
    /// What it can do that the installed version cannot.
    pub news: News,
    /// SHA-256 over its files: an approval counts for these and no others.
    pub content: String,
    /// The lock file that will name it.
    pub lock: String,
    /// When it arrived: ISO 8601, UTC.
    pub at: String,
}

impl From<&Pending> for Approval {
    fn from(one: &Pending) -> Self {
        Self {
            id: one.id.clone(),
            name: one.name().to_owned(),
            source: one.entry.source.clone(),
            origin: one.origin().id(),
            verdict: one.verdict().word(),
            why: one.why.clone(),
            news: one.news.clone(),
            content: one.content.clone(),
            lock: one.lock.to_string_lossy().into_owned(),
            at: iso(one.at),
        }
    }
}

impl Pending {
    pub(crate) fn new(
        target: &Target,
        entry: &Locked,
        content: &str,
        news: &News,
        id: &str,
        why: &str,
    ) -> Self {
        Self {
            id: id.to_owned(),
            content: content.to_owned(),
            why: why.to_owned(),
            news: news.clone(),
            entry: entry.clone(),
            lock: target.lock.clone(),
            base: target.base.clone(),
            is_project: target.reach == Reach::Project,
            at: 0,
        }
    }

    /// The id of a content at a place: asking twice is asking once.
    pub(crate) fn id(folder: &Path, content: &str) -> String {
        let mut text = folder.as_os_str().as_encoded_bytes().to_vec();
        text.push(0);
        text.extend(content.bytes());
        hone_library::hash(&text)[..ID_DIGITS].to_owned()
    }

    /// The skill.
    pub fn name(&self) -> &str {
        &self.entry.name
    }

    /// Whose word it is.
    pub fn origin(&self) -> Origin {
        self.entry.origin
    }

    /// What the scan said.
    pub fn verdict(&self) -> Verdict {
        self.entry.verdict
    }

    /// Its files.
    pub fn files(&self) -> &[LockedFile] {
        &self.entry.files
    }

    /// Where it is to go.
    pub fn target(&self) -> Target {
        Target {
            lock: self.lock.clone(),
            base: self.base.clone(),
            root: self.entry.root.clone(),
            reach: if self.is_project { Reach::Project } else { Reach::User },
        }
    }

    /// Whether it is for the skill of that name in that root of a lock file.
    pub(crate) fn is_for(&self, lock: &Path, root: &str, name: &str) -> bool {
        self.lock == lock && self.entry.root == root && self.entry.name == name
    }

    /// Its files, in quarantine.
    pub fn folder(&self, home: &Path) -> PathBuf {
        home.join("quarantine").join(&self.content)
    }
}

impl Hub<'_> {
    /// What waits, oldest first. One that cannot be read is left out.
    pub fn pending(&self) -> Result<Vec<Pending>, Error> {
        waiting(self.state)
    }

    /// The one thing that an id, or the start of one, means.
    pub fn pending_as(&self, id: &str) -> Result<Pending, Error> {
        let mut meant: Vec<Pending> = self
            .pending()?
            .into_iter()
            .filter(|one| !id.is_empty() && one.id.starts_with(id))
            .collect();
        match meant.len() {
            0 => Err(Error::NoApproval { id: id.to_owned() }),
            1 => Ok(meant.remove(0)),
            _ => {
                let ids: Vec<&str> = meant.iter().map(|one| one.id.as_str()).collect();
                let (id, ids) = (id.escape_debug(), ids.join(", "));
                Err(Error::Refused(format!("`{id}` is the start of several that wait: {ids}")))
            }
        }
    }

    /// The files of what waits, each exactly what it was when it arrived: what is shown is what would be
    /// installed.
    pub fn waiting_files(&self, pending: &Pending) -> Result<BTreeMap<String, BundleFile>, Error> {
        let (id, files) = (&pending.id, pending.files());
        let lost = |why: String| {
            let why = format!("{why}; `hone approve {id} --reject` drops it");
            Err(Error::Refused(why))
        };
        if content_hash(files) != pending.content {
            return lost(format!("`{id}` is not bound to its content"));
        }
        match Quarantine::open(self.state)?.waiting(&pending.content, files) {
            Err(Error::Io { path, source, .. }) if source.kind() == ErrorKind::NotFound => {
                lost(format!("`{}` is gone", path.display()))
            }
            Err(Error::Refused(why)) => lost(why),
            read => read,
        }
    }

    /// Installs what waited, when it is still what was shown and the policy still leaves it to a person.
    pub fn approve(&self, id: &str, ask: &mut dyn Ask) -> Result<Outcome, Error> {
        let pending = self.pending_as(id)?;
        let entry = &pending.entry;
        let files = self.waiting_files(&pending)?;
        let candidate = Candidate {
            slug: Slug::new(&entry.name).map_err(hone_library::Error::from)?,
            root: entry.root.clone(),
            source: entry.source.clone(),
            path: entry.path.clone(),
            commit: entry.commit.clone(),
            digest: entry.digest.clone(),
            files,
        };
        let how = How {
            doing: "approve",
            restores: false,
            all_or_none: false,
            manner: &Manner::default(),
            approved: Some(&pending),
        };
        let mut outcomes = self.run(&pending.target(), vec![candidate], &how, ask)?;
        outcomes.pop().ok_or_else(|| Error::NoApproval { id: id.to_owned() })
    }

    /// Takes what waited away.
    pub fn reject(&self, id: &str) -> Result<Pending, Error> {
        let pending = self.pending_as(id)?;
        let target = pending.target();
        let folder = target.base.join(&pending.entry.root).join(&pending.entry.name);
        let row = event(&self.author, Act::Reject, Some(&pending.entry), &folder);
        let decided = vec![pending.id.clone()];
        self.state.record(&Records { decided, audit: vec![row], ..Records::default() })?;
        self.forget(std::slice::from_ref(&pending))?;
        Ok(pending)
    }

    /// Clears the quarantine of what waits no more, unless it waits elsewhere too.
    pub(crate) fn forget(&self, decided: &[Pending]) -> Result<(), Error> {
        if decided.is_empty() {
            return Ok(());
        }
        let still = self.state.approvals()?;
        let quarantine = Quarantine::open(self.state)?;
        for one in decided.iter().filter(|one| still.iter().all(|s| s.content != one.content)) {
            quarantine.discard(&one.content);
        }
        Ok(())
    }
}

/// What waits, oldest first. One that cannot be read is left out.
pub(crate) fn waiting(state: &State) -> Result<Vec<Pending>, Error> {
    let approvals = state.approvals()?;
    let read = approvals.into_iter().filter_map(|approval| {
        let pending: Pending = serde_json::from_str(&approval.body).ok()?;
        Some(Pending { at: approval.at, ..pending })
    });
    Ok(read.collect())
}
