//! The way of every skill that arrives: quarantine → scan → compare → decide → swap → record. Each step
//! is one function and is taken for all skills of an action before the next, so that five hundred cost
//! one lock file and a handful of transactions. A step that fails leaves everything as it was.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use hone_guard::policy::{Action, DEFAULT_DISMISSAL_DAYS, dismissal, judge};
use hone_guard::{Finding, RULES_VERSION, Verdict};
use hone_library::provenance::{Approval, Records};
use hone_library::{
    Arrival, Author, Mode, NewFile, Store, TreeFile, keep_object, kept_object, read_tree, reports,
};
use hone_skill::{Dismissal, Slug};

use crate::approve::Pending;
use crate::bundle::{Bundle, BundleFile};
use crate::compare::{Abilities, News};
use crate::content::{LockedFile, content_hash, hashes, of_bundle, of_tree};
use crate::decide::{Decision, Occasion, decide};
use crate::error::Error;
use crate::hold::{HOLD_WAIT, Hold};
use crate::hub::{Answer, Ask, Fate, Hub, Outcome, Question, Step, Taken};
use crate::inspect::{Inspected, inspect};
use crate::journal::{self, Planned};
use crate::lock::{Lock, Locked};
use crate::merge::{Edits, Merge, merge};
use crate::quarantine::{Cell, Quarantine};
use crate::record::{Act, event};
use crate::takes::{MAX_ASKED, takes};
use crate::target::Target;

/// A skill that arrived, and where it is to go.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    pub(crate) slug: Slug,
    pub(crate) root: String,
    pub(crate) source: String,
    /// Where it lies in its source.
    pub(crate) path: String,
    pub(crate) commit: Option<String>,
    pub(crate) digest: Option<String>,
    pub(crate) files: BTreeMap<String, BundleFile>,
}

impl Candidate {
    /// A bundle of a delivery.
    pub(crate) fn new(
        bundle: Bundle,
        root: &str,
        source: &str,
        commit: Option<&String>,
        digest: Option<&String>,
    ) -> Result<Self, Error> {
        let slug = Slug::new(&bundle.name).map_err(hone_library::Error::from)?;
        Ok(Self {
            slug,
            root: root.to_owned(),
            source: source.to_owned(),
            path: bundle.path,
            commit: commit.cloned(),
            digest: digest.cloned(),
            files: bundle.files,
        })
    }
}

/// A finding that a person sets aside while installing, as `hone policy dismiss` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dismiss {
    /// The skill, by its name.
    pub skill: String,
    /// The rule.
    pub rule: String,
    /// File and line, where the rule found several places.
    pub place: Option<(String, usize)>,
    /// Why the finding is no danger.
    pub reason: String,
}

/// How an action goes about it.
pub(crate) struct How<'h> {
    /// The command, for whoever waits.
    pub(crate) doing: &'static str,
    /// A lock file is made true, rather than something new installed.
    pub(crate) restores: bool,
    pub(crate) edits: Edits,
    /// One that cannot be done holds back all.
    pub(crate) all_or_none: bool,
    pub(crate) dismiss: &'h [Dismiss],
    /// What a person approved.
    pub(crate) approved: Option<&'h Pending>,
}

/// A skill on its way.
struct Weighed<'q> {
    candidate: Candidate,
    files: Vec<LockedFile>,
    content: String,
    folder: PathBuf,
    cell: Cell<'q>,
    inspected: Inspected,
    verdict: Verdict,
    findings: Vec<Finding>,
    entry: Locked,
    before: Option<Locked>,
    tree: Option<BTreeMap<String, TreeFile>>,
    merge: Merge,
    news: News,
    takes: Vec<Taken>,
    decision: Decision,
    fate: Option<Fate>,
}

impl Hub<'_> {
    /// Takes skills all the way.
    pub(crate) fn run(
        &self,
        target: &Target,
        candidates: Vec<Candidate>,
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        let of = candidates.len();
        let quarantine = Quarantine::open(self.state)?;
        let cells = quarantine_all(&quarantine, &candidates, ask)?;
        let inspected = self.scan(&cells, ask)?;
        self.dismiss(&candidates, &inspected, how)?;

        let _hold = Hold::take(&target.lock, self.state.home(), how.doing, HOLD_WAIT)?;
        let mut lock = Lock::read(&target.lock)?;
        lock.writable()?;
        journal::settle(self.state, target, &self.author, &mut lock)?;
        let mut weighed = self.compare(target, &lock, candidates, cells, inspected, how)?;
        ask.progress(Step::Compare, of, of);
        decide_all(&mut weighed, how, ask);
        ask.progress(Step::Decide, of, of);

        if how.all_or_none && weighed.iter().any(|one| !one.is_allowed()) {
            for one in weighed.iter_mut().filter(|one| one.fate.is_none()) {
                one.fate = Some(Fate::HeldBack);
            }
        }
        self.swap(target, &mut weighed, how, ask)?;
        self.record(target, &mut lock, weighed, how, ask)
    }

    /// Scan: on all cores, kept reports at hand. What cannot be scanned cannot be judged.
    fn scan(
        &self,
        cells: &[(Vec<LockedFile>, String, Cell<'_>)],
        ask: &mut dyn Ask,
    ) -> Result<Vec<Inspected>, Error> {
        let folders: Vec<PathBuf> = cells.iter().map(|(_, _, cell)| cell.path()).collect();
        let inspected =
            inspect(self.state, &folders, |done| ask.progress(Step::Scan, done, folders.len()));
        Ok(inspected.into_iter().collect::<Result<_, _>>()?)
    }

    /// Sets findings aside that a person named, each bound to the content that was scanned.
    fn dismiss(
        &self,
        candidates: &[Candidate],
        inspected: &[Inspected],
        how: &How<'_>,
    ) -> Result<(), Error> {
        for wish in how.dismiss {
            let at = candidates.iter().position(|candidate| candidate.slug.as_str() == wish.skill);
            let Some(inspected) = at.map(|at| &inspected[at]) else {
                return Err(Error::Refused(format!("there is no skill `{}` here", wish.skill)));
            };
            let place = wish.place.as_ref().map(|(file, line)| (file.as_str(), *line));
            let one = dismissal(
                &inspected.report,
                &wish.skill,
                &wish.rule,
                place,
                &wish.reason,
                &self.author.actor,
                DEFAULT_DISMISSAL_DAYS,
                self.author.now,
            )
            .map_err(Error::Refused)?;
            self.state.dismiss(&one)?;
        }
        Ok(())
    }

    /// Compare: with the lock, with what is on disk, and with what the installed version can do.
    fn compare<'q>(
        &self,
        target: &Target,
        lock: &Lock,
        candidates: Vec<Candidate>,
        cells: Vec<(Vec<LockedFile>, String, Cell<'q>)>,
        inspected: Vec<Inspected>,
        how: &How<'_>,
    ) -> Result<Vec<Weighed<'q>>, Error> {
        // A dismissal that cannot be read does not count.
        let dismissals = self.state.dismissals().unwrap_or_default();
        let is_asked = candidates.len() <= MAX_ASKED;
        let mut weighed = Vec::with_capacity(candidates.len());
        let mut seen = HashSet::new();
        for ((candidate, cell), inspected) in candidates.into_iter().zip(cells).zip(inspected) {
            let (files, content, cell) = cell;
            let folder = journal::key(target, &candidate.root, candidate.slug.as_str())?;
            let entry = self.entry(&candidate, &files, &inspected);
            let before = lock.get(&candidate.root, candidate.slug.as_str()).cloned();
            let (verdict, findings) = judged(&inspected, &dismissals, self.author.now);
            let mut one = Weighed {
                takes: match self.catalogue.filter(|_| is_asked) {
                    Some(library) => {
                        takes(self.state, library, candidate.slug.as_str(), &candidate.files)
                    }
                    None => Vec::new(),
                },
                files,
                content,
                cell,
                inspected,
                verdict,
                findings,
                entry,
                before,
                tree: None,
                merge: Merge::default(),
                news: News::default(),
                decision: Decision { action: Action::Block, why: String::new() },
                fate: None,
                folder,
                candidate,
            };
            if seen.insert(one.folder.clone()) {
                if let Err(why) = self.place(&mut one, how) {
                    one.fate = Some(Fate::Refused(why));
                }
            } else {
                let why = "another skill of this source has the same name";
                one.fate = Some(Fate::Refused(why.to_owned()));
            }
            weighed.push(one);
        }
        self.weigh(&mut weighed, &dismissals, how);
        Ok(weighed)
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
    fn place(&self, one: &mut Weighed<'_>, how: &How<'_>) -> Result<(), String> {
        let name = one.candidate.slug.to_string();
        one.tree = read_tree(&one.folder).map_err(|error| error.to_string())?;
        let there = one.tree.as_ref().map(of_tree);
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
                one.merge = merge(before, ours, &one.candidate.files, how.edits, base_of);
                let mut edited = one.merge.conflicts.clone();
                if how.restores && how.edits == Edits::Keep {
                    // The lock is to be true, not nearly true; what it does not name may stay.
                    let named = |file: &&String| one.entry.file(file).is_some();
                    edited.extend(one.merge.kept.iter().filter(named).cloned());
                    edited.extend(one.merge.merged.iter().cloned());
                }
                if !edited.is_empty() {
                    return Err(format!(
                        "local edits and the new version do not go together in {}; `--discard-edits` gives \
                         them up",
                        edited.join(", ")
                    ));
                }
            }
            (None, Some(_)) => {}
        }
        Ok(())
    }

    /// What each skill can do that its installed version cannot, and what follows.
    fn weigh(&self, weighed: &mut [Weighed<'_>], dismissals: &[Dismissal], how: &How<'_>) {
        let installed: Vec<usize> = (0..weighed.len())
            .filter(|at| weighed[*at].before.is_some() && weighed[*at].tree.is_some())
            .filter(|at| weighed[*at].fate.is_none() && !weighed[*at].is_unchanged())
            .collect();
        let folders: Vec<PathBuf> =
            installed.iter().map(|at| weighed[*at].folder.clone()).collect();
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
        }
    }

    /// Swap: written down first, then all files by one rename a skill.
    fn swap(
        &self,
        target: &Target,
        weighed: &mut [Weighed<'_>],
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<(), Error> {
        let planned: Vec<Planned> = weighed
            .iter()
            .filter(|one| one.fate.is_none() && !(one.is_unchanged() && one.before.is_some()))
            .map(|one| Planned {
                act: one.act(how),
                root: one.candidate.root.clone(),
                name: one.candidate.slug.to_string(),
                was: one.before.clone(),
                entry: Some(one.entry.clone()),
                after: Some(one.after()),
            })
            .collect();
        let count = planned.len();
        if count > 0 {
            journal::intend(self.state, target, &self.author, &planned)?;
        }
        ask.progress(Step::Intend, count, count);
        let author = Author { reason: self.author.reason.clone(), ..self.author.clone() };
        let store = Store::new(self.state, author, Mode::Write);
        let roots: HashSet<String> = weighed.iter().map(|one| one.candidate.root.clone()).collect();
        for root in roots {
            let mut places = Vec::new();
            let mut arrivals = Vec::new();
            for (at, one) in weighed.iter_mut().enumerate() {
                if one.fate.is_none() && one.candidate.root == root && !one.merge.files.is_empty() {
                    // The next update needs what was installed, also where an edit stays in its place.
                    for file in one.merge.kept.iter().chain(&one.merge.merged) {
                        if let Some(new) = one.candidate.files.get(file) {
                            keep_object(self.state, &new.bytes)?;
                        }
                    }
                    places.push(at);
                    arrivals.push(Arrival {
                        slug: one.candidate.slug.clone(),
                        expected: one.tree.as_ref().map(hashes),
                        files: std::mem::take(&mut one.merge.files),
                        reason: format!("from {}", crate::record::pinned(&one.entry)),
                    });
                }
            }
            let changes = store.install(&target.folder(&root)?, arrivals)?;
            for (at, change) in places.into_iter().zip(changes) {
                weighed[at].fate = match change {
                    Ok(_) if weighed[at].tree.is_none() => Some(Fate::Installed),
                    Ok(_) => Some(Fate::Updated),
                    Err(error) => Some(Fate::Refused(error.to_string())),
                };
            }
        }
        for one in weighed.iter_mut().filter(|one| one.fate.is_none()) {
            one.fate = Some(Fate::Unchanged);
        }
        ask.progress(Step::Swap, count, count);
        Ok(())
    }

    /// Record: the lock file, the generations, what waits, and the log.
    fn record(
        &self,
        target: &Target,
        lock: &mut Lock,
        weighed: Vec<Weighed<'_>>,
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        let of = weighed.len();
        let mut records = Records { settled: vec![target.lock.clone()], ..Records::default() };
        let mut outcomes = Vec::with_capacity(of);
        let mut scans = Vec::new();
        for mut one in weighed {
            let fate = one.fate.take().unwrap_or(Fate::HeldBack);
            if let Some(act) = one.logged(&fate, how) {
                let mut row = event(&self.author, act, Some(&one.entry), &one.folder);
                row.detail = match &fate {
                    Fate::Blocked(why) | Fate::Waits { why, .. } => why.clone(),
                    _ => row.detail,
                };
                records.audit.push(row);
            }
            match &fate {
                Fate::Installed | Fate::Updated | Fate::Unchanged => {
                    // What a lock file says is made true, not changed.
                    if !how.restores {
                        lock.put(one.entry.clone());
                    }
                    if !(fate == Fate::Unchanged && one.before.is_some()) {
                        records.generations.push(journal::generation(
                            target,
                            &self.author,
                            &one.entry,
                        )?);
                    }
                    if one.merge.kept.is_empty() && one.merge.merged.is_empty() {
                        scans.push(one.inspected.kept(&one.folder));
                    }
                    if let Some(pending) = how.approved {
                        records.decided.push(pending.id.clone());
                    }
                }
                Fate::Waits { id, why } => {
                    let pending =
                        Pending::new(target, &one.entry, &one.content, &one.news, id, why);
                    records.approvals.push(Approval {
                        id: id.clone(),
                        lock: target.lock.clone(),
                        content: one.content.clone(),
                        body: serde_json::to_string(&pending).unwrap_or_default(),
                        at: self.author.now,
                    });
                }
                // It was written down whose word it is before it failed to arrive.
                Fate::Refused(_) if one.before.is_none() && one.tree.is_none() => {
                    records.forgotten.push(one.folder.clone());
                }
                _ => {}
            }
            let outcome = Outcome {
                name: one.candidate.slug.to_string(),
                path: one.folder,
                source: one.entry.source,
                pin: one.entry.commit.or(one.entry.digest),
                origin: one.entry.origin,
                verdict: Some(one.verdict),
                findings: one.findings,
                news: one.news,
                takes: one.takes,
                kept: one.merge.kept,
                merged: one.merge.merged,
                stale: Vec::new(),
                fate,
            };
            if matches!(outcome.fate, Fate::Waits { .. }) {
                one.cell.keep()?;
            }
            outcomes.push(outcome);
        }
        lock.save()?;
        ask.progress(Step::Lock, of, of);
        self.state.record(&records)?;
        reports::keep(self.state, &scans, self.author.now);
        ask.progress(Step::Record, of, of);
        for outcome in outcomes.iter_mut().filter(|one| one.fate == Fate::Updated) {
            outcome.stale = self.refresh_copies(&outcome.path)?;
        }
        Ok(outcomes)
    }
}

/// Quarantine: every skill is on disk where nobody looks, before anybody looks at it.
fn quarantine_all<'q>(
    quarantine: &'q Quarantine,
    candidates: &[Candidate],
    ask: &mut dyn Ask,
) -> Result<Vec<(Vec<LockedFile>, String, Cell<'q>)>, Error> {
    let mut cells = Vec::with_capacity(candidates.len());
    for (done, candidate) in candidates.iter().enumerate() {
        let files = of_bundle(&candidate.files);
        let content = content_hash(&files);
        let cell = quarantine.put(&content, &candidate.files)?;
        cells.push((files, content, cell));
        ask.progress(Step::Quarantine, done + 1, candidates.len());
    }
    Ok(cells)
}

/// Decide: what the policy leaves open is asked; without an answer it waits.
fn decide_all(weighed: &mut [Weighed<'_>], how: &How<'_>, ask: &mut dyn Ask) {
    for one in weighed.iter_mut().filter(|one| one.fate.is_none()) {
        let why = one.decision.why.clone();
        let is_approved = how.approved.is_some_and(|pending| {
            pending.content == one.content && one.news.is_within(&pending.news)
        });
        one.fate = match one.decision.action {
            Action::Allow => None,
            // What is there was approved when it came.
            Action::Ask if one.is_unchanged() || is_approved => None,
            Action::Block => Some(Fate::Blocked(why)),
            Action::Ask => {
                let source = crate::record::pinned(&one.entry);
                let question = Question {
                    name: one.candidate.slug.as_str(),
                    source: &source,
                    origin: one.entry.origin,
                    verdict: one.verdict,
                    why: &why,
                    news: &one.news,
                    findings: &one.findings,
                    takes: &one.takes,
                };
                match ask.ask(&question) {
                    Answer::Yes => None,
                    Answer::No => Some(Fate::Declined),
                    Answer::Later => {
                        Some(Fate::Waits { id: Pending::id(&one.folder, &one.content), why })
                    }
                }
            }
        };
    }
}

impl Weighed<'_> {
    fn is_allowed(&self) -> bool {
        self.fate.is_none()
    }

    /// Nothing is to be written.
    fn is_unchanged(&self) -> bool {
        self.tree.is_some() && self.merge.files.is_empty()
    }

    fn act(&self, how: &How<'_>) -> Act {
        match (how.restores, how.approved, &self.tree) {
            (_, Some(_), _) => Act::Approve,
            (true, ..) => Act::Restore,
            (_, _, None) => Act::Install,
            _ => Act::Update,
        }
    }

    /// What the log says of a fate; what changes nothing is not said.
    fn logged(&self, fate: &Fate, how: &How<'_>) -> Option<Act> {
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
    fn after(&self) -> BTreeMap<String, String> {
        let mut after = self.tree.as_ref().map(hashes).unwrap_or_default();
        for (path, file) in &self.merge.files {
            match file {
                Some(file) => after.insert(path.clone(), hone_library::hash(&file.bytes)),
                None => after.remove(path),
            };
        }
        after
    }
}

/// The verdict and the findings that count.
fn judged(inspected: &Inspected, dismissals: &[Dismissal], now: i64) -> (Verdict, Vec<Finding>) {
    let judgement = judge(&inspected.report, dismissals, now);
    (judgement.verdict, judgement.findings.into_iter().cloned().collect())
}

/// Whether two sources are the same skill of one place, named with another reference.
fn is_same_repository(was: &str, is: &str, before: &Locked, candidate: &Candidate) -> bool {
    let place = |source: &str| source.split('#').next().unwrap_or_default().to_owned();
    place(was) == place(is) && before.path == candidate.path
}
