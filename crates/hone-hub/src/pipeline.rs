//! The way of every skill that arrives: quarantine → scan → compare → decide → swap → record. Each step
//! is one function and is taken for all skills of an action before the next, so that five hundred cost
//! one lock file and a handful of transactions. A step that fails leaves everything as it was.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use hone_guard::policy::{Action, DEFAULT_DISMISSAL_DAYS, dismissal};
use hone_library::provenance::{Approval, Records};
use hone_library::{
    Arrival, Author, Keeping, LockedFile, Mode, Store, content_hash, follow, hashes_of, reports,
    sweep_objects,
};
use hone_skill::{Dismissal, Slug};

use crate::approve::Pending;
use crate::bundle::{Bundle, BundleFile, of_bundle};
use crate::error::Error;
use crate::hold::{HOLD_WAIT, Hold};
use crate::hub::{Answer, Ask, Fate, Hub, Nobody, Outcome, Question, Step};
use crate::inspect::{Inspected, Subject, inspect};
use crate::journal::{self, Planned};
use crate::lock::Lock;
use crate::merge::Edits;
use crate::quarantine::Quarantine;
use crate::record::{arrived_from, event, with_detail};
use crate::roots::Roots;
use crate::target::Target;
use crate::weigh::{Arrived, Weighed};

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
            digest: bundle.digest.or_else(|| digest.cloned()),
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

/// Whether something is done, or only tried out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rehearsal {
    /// It is fetched, scanned, compared with what is installed and decided about, and nothing is changed.
    Yes,
    /// It is done.
    #[default]
    No,
}

/// What a person says about how something is to be done.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner<'a> {
    /// What happens to changes that somebody made to installed skills.
    pub edits: Edits,
    /// Findings to set aside.
    pub dismiss: &'a [Dismiss],
    /// Whether it is done.
    pub rehearsal: Rehearsal,
}

/// How an action goes about it.
pub(crate) struct How<'h> {
    /// The command, for whoever waits.
    pub(crate) doing: &'static str,
    /// A lock file is made true, rather than something new installed.
    pub(crate) restores: bool,
    /// One that cannot be done holds back all.
    pub(crate) all_or_none: bool,
    pub(crate) manner: &'h Manner<'h>,
    /// What a person approved.
    pub(crate) approved: Option<&'h Pending>,
}

impl How<'_> {
    /// Whether something that waits for a skill waits no more once this content is in its place: what came
    /// later than what was approved still does, and so does all else when a lock file is made true.
    fn decides(&self, waits: &Pending, content: &str) -> bool {
        waits.content == content
            || match self.approved {
                Some(approved) => waits.at < approved.at,
                None => !self.restores,
            }
    }
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
        let held = hold(&candidates, ask);
        let inspected = self.scan(&candidates, ask)?;
        let wished = self.wished(&candidates, &inspected, how)?;
        let arrived: Vec<Arrived> = candidates
            .into_iter()
            .zip(held)
            .zip(inspected)
            .map(|((candidate, (files, content)), inspected)| Arrived {
                candidate,
                files,
                content,
                inspected,
            })
            .collect();
        // A dismissal that cannot be read does not count.
        let mut dismissals = self.state.dismissals().unwrap_or_default();
        dismissals.extend(wished.iter().cloned());
        if how.manner.rehearsal == Rehearsal::Yes {
            let lock = Lock::read(&target.lock)?;
            let mut weighed =
                self.compare(&Roots::new(target), &lock, arrived, &dismissals, how)?;
            decide_all(&mut weighed, how, &mut Nobody);
            return Ok(weighed.into_iter().map(Weighed::rehearsed).collect());
        }
        for one in &wished {
            self.state.dismiss(one)?;
        }

        let _hold = Hold::take(&target.lock, self.state.home(), how.doing, HOLD_WAIT)?;
        let mut lock = Lock::read(&target.lock)?;
        lock.writable()?;
        // Nobody else works on them from here on.
        let roots = Roots::new(target);
        journal::settle(self.state, &roots, &self.author, &mut lock, journal::DIED)?;
        let mut weighed = self.compare(&roots, &lock, arrived, &dismissals, how)?;
        ask.progress(Step::Compare, of, of);
        decide_all(&mut weighed, how, ask);
        ask.progress(Step::Decide, of, of);

        let kept = match self.swap(&roots, &mut weighed, how, ask) {
            Ok(kept) => kept,
            Err(error) => {
                // What cannot be settled now, for want of room, the next action settles.
                let _ =
                    journal::settle(self.state, &roots, &self.author, &mut lock, journal::FAILED);
                sweep_objects(self.state);
                return Err(error);
            }
        };
        let outcomes = self.record(&quarantine, &roots, &mut lock, weighed, how, ask)?;
        // Nothing is left of those that were refused, now that nobody plans them any more, nor of what a process
        // that died had begun.
        drop(kept);
        sweep_objects(self.state);
        Ok(outcomes)
    }

    /// Scan: on all cores, kept reports at hand. What cannot be scanned cannot be judged.
    fn scan(&self, candidates: &[Candidate], ask: &mut dyn Ask) -> Result<Vec<Inspected>, Error> {
        let subjects: Vec<Subject<'_>> =
            candidates.iter().map(|candidate| Subject::Files(&candidate.files)).collect();
        let of = subjects.len();
        let inspected = inspect(self.state, &subjects, |done| ask.progress(Step::Scan, done, of));
        Ok(inspected.into_iter().collect::<Result<_, _>>()?)
    }

    /// The findings that a person sets aside, each bound to the content that was scanned.
    fn wished(
        &self,
        candidates: &[Candidate],
        inspected: &[Inspected],
        how: &How<'_>,
    ) -> Result<Vec<Dismissal>, Error> {
        let dismissed = |wish: &Dismiss| {
            let at = candidates.iter().position(|candidate| candidate.slug.as_str() == wish.skill);
            let Some(inspected) = at.map(|at| &inspected[at]) else {
                return Err(Error::Refused(format!("there is no skill `{}` here", wish.skill)));
            };
            let place = wish.place.as_ref().map(|(file, line)| (file.as_str(), *line));
            dismissal(
                &inspected.report,
                &wish.skill,
                &wish.rule,
                place,
                &wish.reason,
                &self.author.actor,
                DEFAULT_DISMISSAL_DAYS,
                self.author.now,
            )
            .map_err(Error::Refused)
        };
        how.manner.dismiss.iter().map(dismissed).collect()
    }

    /// Swap: written down first, then all files by one rename a skill. Gives what is kept besides, until
    /// the record refers to it.
    fn swap<'s>(
        &'s self,
        roots: &Roots<'_>,
        weighed: &mut [Weighed],
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Option<Keeping<'s>>, Error> {
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
                detail: one.grounds.join("; "),
            })
            .collect();
        let count = planned.len();
        if count > 0 {
            journal::intend(self.state, roots, &self.author, &planned)?;
        }
        ask.progress(Step::Intend, count, count);
        let author = Author { reason: self.author.reason.clone(), ..self.author.clone() };
        let store = Store::new(self.state, author, Mode::Write);
        let mut kept = None;
        let names: HashSet<String> = weighed.iter().map(|one| one.candidate.root.clone()).collect();
        for root in names {
            let mut places = Vec::new();
            let mut arrivals = Vec::new();
            for (at, one) in weighed.iter_mut().enumerate() {
                if one.fate.is_none() && one.candidate.root == root && !one.merge.files.is_empty() {
                    // The next update needs what was installed, also where an edit stays in its place.
                    for file in one.merge.kept.iter().chain(&one.merge.merged) {
                        if let Some(new) = one.candidate.files.get(file) {
                            let kept = match &mut kept {
                                Some(kept) => kept,
                                none => none.insert(Keeping::for_action(self.state)?),
                            };
                            kept.keep(&new.bytes)?;
                        }
                    }
                    places.push(at);
                    arrivals.push(Arrival {
                        slug: one.candidate.slug.clone(),
                        expected: one.tree.as_ref().map(hashes_of),
                        files: std::mem::take(&mut one.merge.files),
                        reason: arrived_from(&one.entry),
                    });
                }
            }
            let changes = store.install(roots.get(&root)?.path(), arrivals)?;
            for (at, change) in places.into_iter().zip(changes) {
                let one = &mut weighed[at];
                one.fate = match change {
                    Ok(change) => {
                        one.stale = change.stale.into_iter().map(|stale| stale.path).collect();
                        let is_new = one.tree.is_none();
                        Some(if is_new { Fate::Installed } else { Fate::Updated })
                    }
                    Err(error) => Some(Fate::Refused(error.to_string())),
                };
            }
        }
        let unchanged = weighed.iter_mut().filter(|one| one.fate.is_none());
        let mut unchanged: Vec<&mut Weighed> = unchanged.collect();
        // A process that died after its files were in place had no time for copies of them.
        let skills: Vec<&Path> = unchanged.iter().map(|one| one.folder.as_path()).collect();
        let stale = follow(self.state, &self.author, &skills);
        for one in &mut unchanged {
            one.fate = Some(Fate::Unchanged);
            let stale = stale.iter().filter(|stale| stale.skill == one.folder);
            one.stale = stale.map(|stale| stale.path.clone()).collect();
        }
        ask.progress(Step::Swap, count, count);
        Ok(kept)
    }

    /// Record: the lock file, the generations, what waits, and the log.
    fn record(
        &self,
        quarantine: &Quarantine,
        roots: &Roots<'_>,
        lock: &mut Lock,
        weighed: Vec<Weighed>,
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        let (of, target) = (weighed.len(), roots.target);
        let mut records = Records { settled: vec![target.lock.clone()], ..Records::default() };
        let mut outcomes = Vec::with_capacity(of);
        let mut scans = Vec::new();
        let waiting = self.pending()?;
        let mut stale = Vec::new();
        for mut one in weighed {
            let fate = one.fate.take().unwrap_or(Fate::HeldBack);
            if let Some(act) = one.logged(&fate, how) {
                let detail = match &fate {
                    Fate::Blocked(why) | Fate::Waits { why, .. } => why.clone(),
                    _ => one.grounds.join("; "),
                };
                let row = event(&self.author, act, Some(&one.entry), &one.folder);
                records.audit.push(with_detail(row, &detail));
            }
            match &fate {
                Fate::Installed | Fate::Updated | Fate::Unchanged => {
                    // What a lock file says is made true, not changed.
                    if !how.restores {
                        lock.put(one.entry.clone());
                    }
                    if !(fate == Fate::Unchanged && one.before.is_some()) {
                        records.generations.push(journal::generation(
                            roots,
                            &self.author,
                            &one.entry,
                        )?);
                    }
                    if one.merge.kept.is_empty() && one.merge.merged.is_empty() {
                        scans.push(one.inspected.kept(&one.folder));
                    }
                    let is_stale = |waits: &&Pending| {
                        let (root, name) = (&one.candidate.root, one.candidate.slug.as_str());
                        waits.is_for(&target.lock, root, name) && how.decides(waits, &one.content)
                    };
                    stale.extend(waiting.iter().filter(is_stale).cloned());
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
            if matches!(fate, Fate::Waits { .. }) {
                quarantine.keep(&one.content, &one.candidate.files)?;
            }
            outcomes.push(one.into_outcome(fate));
        }
        let is_in_place = |one: &Outcome| matches!(one.fate, Fate::Installed | Fate::Updated);
        if let Err(error) = lock.save() {
            let is_partly_done = outcomes.iter().any(is_in_place);
            return Err(if is_partly_done { Error::Unrecorded(Box::new(error)) } else { error });
        }
        ask.progress(Step::Lock, of, of);
        records.decided.extend(stale.iter().map(|waits| waits.id.clone()));
        self.state.record(&records)?;
        reports::keep(self.state, &scans, self.author.now);
        ask.progress(Step::Record, of, of);
        self.forget(&stale)?;
        Ok(outcomes)
    }
}

/// Quarantine: every skill is held in memory, named by its content, before anybody looks at it.
fn hold(candidates: &[Candidate], ask: &mut dyn Ask) -> Vec<(Vec<LockedFile>, String)> {
    let held = candidates.iter().map(|candidate| {
        let files = of_bundle(&candidate.files);
        let content = content_hash(&files);
        (files, content)
    });
    let held: Vec<(Vec<LockedFile>, String)> = held.collect();
    ask.progress(Step::Quarantine, held.len(), held.len());
    held
}

/// Decide: what the policy leaves open is asked; without an answer it waits. Where all or none are to
/// be done, one that may not holds back the others.
fn decide_all(weighed: &mut [Weighed], how: &How<'_>, ask: &mut dyn Ask) {
    for one in weighed.iter_mut().filter(|one| one.fate.is_none()) {
        let why = one.decision.why.clone();
        let is_approved = how.approved.is_some_and(|pending| {
            pending.content == one.content && one.news.is_within(&pending.news)
        });
        one.fate = match one.decision.action {
            Action::Allow => None,
            // What is there was approved when it came.
            Action::Ask if one.is_unchanged() => None,
            Action::Ask if is_approved => {
                one.grounds.push(format!("approved: {why}"));
                None
            }
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
                    Answer::Yes => {
                        one.grounds.push(format!("asked, and {} said yes: {why}", ask.voice()));
                        None
                    }
                    Answer::No => Some(Fate::Declined),
                    Answer::Later => {
                        Some(Fate::Waits { id: Pending::id(&one.folder, &one.content), why })
                    }
                }
            }
        };
    }
    if how.all_or_none && weighed.iter().any(|one| one.fate.is_some()) {
        for one in weighed.iter_mut().filter(|one| one.fate.is_none()) {
            one.fate = Some(Fate::HeldBack);
        }
    }
}
