//! The step from what arrived to what is to be done: held against the lock, against the disk, and
//! against what the installed version can do. Nothing is written here.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use hone_guard::policy::{Action, judge};
use hone_guard::{Finding, RULES_VERSION, Verdict};
use hone_library::{LockedFile, NewFile, OpenRoot, TreeFile, files_of, hashes_of, kept_object};
use hone_skill::Dismissal;

use crate::bundle::BundleFile;
use crate::compare::{Abilities, News};
use crate::decide::{Decision, Occasion, decide};
use crate::error::Error;
use crate::hub::{Fate, Hub, Outcome, Takes};
use crate::inspect::{Inspected, Subject, inspect};
use crate::lock::{Lock, Locked};
use crate::merge::{Merge, merge};
use crate::pipeline::{Candidate, How};
use crate::record::Act;
use crate::roots::Roots;
use crate::takes::Newcomers;

/// A skill in quarantine, scanned.
pub(crate) struct Arrived {
    pub(crate) candidate: Candidate,
    pub(crate) files: Vec<LockedFile>,
    pub(crate) content: String,
    pub(crate) inspected: Inspected,
}

/// A skill on its way.
pub(crate) struct Weighed {
    pub(crate) candidate: Candidate,
    pub(crate) files: Vec<LockedFile>,
    pub(crate) content: String,
    pub(crate) folder: PathBuf,
    pub(crate) inspected: Inspected,
    pub(crate) verdict: Verdict,
    pub(crate) findings: Vec<Finding>,
    pub(crate) dismissed: Vec<(Finding, Dismissal)>,
    pub(crate) entry: Locked,
    /// What the lock said before.
    pub(crate) before: Option<Locked>,
    /// What is on the disk.
    pub(crate) tree: Option<BTreeMap<String, TreeFile>>,
    pub(crate) merge: Merge,
    pub(crate) news: News,
    pub(crate) takes: Takes,
    pub(crate) decision: Decision,
    /// Whose word lets it pass, for the log.
    pub(crate) grounds: Vec<String>,
    pub(crate) fate: Option<Fate>,
    /// Copies of it that did not follow.
    pub(crate) stale: Vec<PathBuf>,
}

impl Hub<'_> {
    /// Compare: with the lock, with what is on disk, and with what the installed version can do.
    pub(crate) fn compare(
        &self,
        roots: &Roots<'_>,
        lock: &Lock,
        arrived: Vec<Arrived>,
        dismissals: &[Dismissal],
        how: &How<'_>,
    ) -> Result<Vec<Weighed>, Error> {
        let mut weighed = Vec::with_capacity(arrived.len());
        let mut seen = HashSet::new();
        for Arrived { candidate, files, content, inspected } in arrived {
            let root = roots.get(&candidate.root)?;
            let folder = root.path().join(candidate.slug.as_str());
            let entry = self.entry(&candidate, &files, &inspected);
            let before = lock.get(&candidate.root, candidate.slug.as_str()).cloned();
            let judgement = judge(&inspected.report, dismissals, self.author.now);
            let (verdict, findings) =
                (judgement.verdict, judgement.findings.into_iter().cloned().collect());
            let dismissed = judgement.dismissed.into_iter();
            let dismissed = dismissed.map(|(found, by)| (found.clone(), by.clone())).collect();
            let mut one = Weighed {
                files,
                content,
                inspected,
                verdict,
                findings,
                dismissed,
                entry,
                before,
                tree: None,
                merge: Merge::default(),
                news: News::default(),
                takes: Takes::default(),
                decision: Decision { action: Action::Block, why: String::new() },
                grounds: Vec::new(),
                fate: None,
                stale: Vec::new(),
                folder,
                candidate,
            };
            if seen.insert(one.folder.clone()) {
                if let Err(why) = self.place(&root, &mut one, how) {
                    one.fate = Some(Fate::Refused(why));
                }
            } else {
                let why = "another skill of this source has the same name";
                one.fate = Some(Fate::Refused(why.to_owned()));
            }
            weighed.push(one);
        }
        self.weigh(&mut weighed, dismissals, how);
        self.ask_takes(&mut weighed);
        Ok(weighed)
    }

    /// Which messages those that are new here would take from the skills that are there.
    fn ask_takes(&self, weighed: &mut [Weighed]) {
        let Some(catalogue) = self.catalogue else { return };
        let is_new = |one: &&mut Weighed| one.fate.is_none() && !one.is_unchanged();
        let mut new: Vec<&mut Weighed> = weighed.iter_mut().filter(is_new).collect();
        let newcomers = Newcomers::new(self.state, catalogue, new.len());
        for one in &mut new {
            one.takes = newcomers.takes(one.candidate.slug.as_str(), &one.candidate.files);
        }
    }

    fn entry(&self, candidate: &Candidate, files: &[LockedFile], inspected: &Inspected) -> Locked {
        Locked {
            name: candidate.slug.to_string(),
            root: candidate.root.clone(),
            source: candidate.source.clone(),
            path: candidate.path.clone(),
            commit: candidate.commit.clone(),
            digest: candidate.digest.clone(),
            origin: self.policy.origin_of(&candidate.source),
            verdict: inspected.report.verdict,
            rules: RULES_VERSION.to_owned(),
            files: files.to_vec(),
        }
    }

    /// What is at the skill's place, and what is to be written there. The error says why it cannot be.
    fn place(&self, root: &OpenRoot, one: &mut Weighed, how: &How<'_>) -> Result<(), String> {
        let name = one.candidate.slug.to_string();
        one.tree = root.tree(&name).map_err(|error| error.to_string())?;
        let there = one.tree.as_ref().map(files_of);
        if let Some(before) = &one.before
            && (&before.source, &before.path) != (&one.candidate.source, &one.candidate.path)
            && !is_same_repository(&before.source, &one.candidate.source, before, &one.candidate)
        {
            return Err(format!(
                "`{name}` is installed from {}; `hone remove {name}` first",
                before.source
            ));
        }
        match (&one.before, &there) {
            (None, Some(there)) if *there != one.files => {
                return Err(format!(
                    "`{}` is there, and hone did not install it; move it out of the way",
                    one.folder.display()
                ));
            }
            // What is there already need not be written.
            (_, Some(there)) if *there == one.files => {}
            (_, None) => {
                let new = |file: &BundleFile| {
                    Some(NewFile { bytes: file.bytes.clone(), is_executable: file.is_executable })
                };
                let files = one.candidate.files.iter();
                one.merge.files = files.map(|(path, file)| (path.clone(), new(file))).collect();
            }
            (Some(before), Some(_)) => {
                let empty = BTreeMap::new();
                let ours = one.tree.as_ref().unwrap_or(&empty);
                let base_of = |hash: &str| kept_object(self.state, hash).ok();
                one.merge = merge(before, ours, &one.candidate.files, how.manner.edits, base_of);
                if how.restores {
                    return one.merge.made_true(how.manner.edits);
                }
                if !one.merge.conflicts.is_empty() {
                    return Err(format!(
                        "local edits and the new version do not go together in {}; `--discard-edits` gives \
                         them up",
                        one.merge.conflicts.join(", ")
                    ));
                }
            }
            (None, Some(_)) => {}
        }
        Ok(())
    }

    /// What each skill can do that its installed version cannot, and what follows.
    fn weigh(&self, weighed: &mut [Weighed], dismissals: &[Dismissal], how: &How<'_>) {
        let installed: Vec<usize> = (0..weighed.len())
            .filter(|at| weighed[*at].before.is_some() && weighed[*at].tree.is_some())
            .filter(|at| weighed[*at].fate.is_none() && !weighed[*at].is_unchanged())
            .collect();
        let folders: Vec<PathBuf> =
            installed.iter().map(|at| weighed[*at].folder.clone()).collect();
        let folders: Vec<Subject<'_>> =
            folders.iter().map(|folder| Subject::Folder(folder)).collect();
        let reports = inspect(self.state, &folders, |_| {});
        let mut old: BTreeMap<usize, Abilities> = BTreeMap::new();
        for (at, report) in installed.into_iter().zip(reports) {
            let files = weighed[at].tree.iter().flatten().map(|(path, file)| {
                let (bytes, is_executable) = (file.bytes.clone(), file.is_executable);
                (path.clone(), BundleFile { bytes, is_executable })
            });
            // A version that cannot be scanned is one that could do nothing.
            let abilities = report.map_or_else(
                |_| Abilities::default(),
                |old| Abilities::of(&old.report, &files.collect()),
            );
            old.insert(at, abilities);
        }
        for (at, one) in weighed.iter_mut().enumerate() {
            if one.fate.is_some() {
                continue;
            }
            let now = Abilities::of(&one.inspected.report, &one.candidate.files);
            let occasion = match (how.restores, old.get(&at)) {
                (true, _) => Occasion::Restore,
                (false, Some(_)) => Occasion::Update,
                (false, None) => Occasion::New,
            };
            if !one.is_unchanged() {
                one.news = News::since(&old.remove(&at).unwrap_or_default(), &now);
            }
            let judgement = judge(&one.inspected.report, dismissals, self.author.now);
            one.decision = decide(self.policy, one.entry.origin, &judgement, &one.news, occasion);
            one.grounds.extend(judgement.dismissed.iter().map(|(found, dismissal)| {
                format!(
                    "{} dismissed `{}` at {}:{}: {}",
                    dismissal.actor, found.rule, found.file, found.line, dismissal.reason
                )
            }));
        }
    }
}

impl Weighed {
    /// What became of it.
    pub(crate) fn into_outcome(self, fate: Fate) -> Outcome {
        Outcome {
            name: self.candidate.slug.to_string(),
            path: self.folder,
            source: self.entry.source,
            pin: self.entry.commit.or(self.entry.digest),
            origin: self.entry.origin,
            verdict: Some(self.verdict),
            findings: self.findings,
            dismissed: self.dismissed,
            news: self.news,
            takes: self.takes,
            kept: self.merge.kept,
            merged: self.merge.merged,
            stale: self.stale,
            fate,
        }
    }

    /// What would become of it.
    pub(crate) fn rehearsed(mut self) -> Outcome {
        let fate = self.fate.take().unwrap_or(match (&self.tree, self.is_unchanged()) {
            (None, _) => Fate::Installed,
            (Some(_), true) => Fate::Unchanged,
            (Some(_), false) => Fate::Updated,
        });
        self.into_outcome(fate)
    }

    /// Nothing is to be written.
    pub(crate) fn is_unchanged(&self) -> bool {
        self.tree.is_some() && self.merge.files.is_empty()
    }

    pub(crate) fn act(&self, how: &How<'_>) -> Act {
        match (how.restores, how.approved, &self.tree) {
            (_, Some(_), _) => Act::Approve,
            (true, ..) => Act::Restore,
            (_, _, None) => Act::Install,
            _ => Act::Update,
        }
    }

    /// What the log says of a fate; what changes nothing is not said.
    pub(crate) fn logged(&self, fate: &Fate, how: &How<'_>) -> Option<Act> {
        match fate {
            Fate::Installed | Fate::Updated => Some(self.act(how)),
            Fate::Unchanged if self.before.is_none() => Some(Act::Install),
            Fate::Blocked(_) => Some(Act::Block),
            Fate::Waits { .. } => Some(Act::Ask),
            Fate::Declined => Some(Act::Reject),
            _ => None,
        }
    }

    /// The hashes of the files when it is done.
    pub(crate) fn after(&self) -> BTreeMap<String, String> {
        let mut after = self.tree.as_ref().map(hashes_of).unwrap_or_default();
        for (path, file) in &self.merge.files {
            match file {
                Some(file) => after.insert(path.clone(), hone_library::hash(&file.bytes)),
                None => after.remove(path),
            };
        }
        after
    }
}

/// Whether two sources are the same skill of one place, named with another reference.
fn is_same_repository(was: &str, is: &str, before: &Locked, candidate: &Candidate) -> bool {
    let place = |source: &str| source.split('#').next().unwrap_or_default().to_owned();
    place(was) == place(is) && before.path == candidate.path
}
