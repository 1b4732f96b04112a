//! Adding, updating and removing: from a source to the pipeline.

use std::collections::BTreeMap;

use hone_library::provenance::Records;
use hone_library::{Mode, Store, files_of, hashes_of, take_back};

use crate::approve::Pending;
use crate::error::Error;
use crate::hold::{HOLD_WAIT, Hold};
use crate::hub::{Ask, Fate, Hub, Outcome, Step};
use crate::journal::{self, Planned};
use crate::lock::{Lock, Locked};
use crate::merge::Edits;
use crate::pipeline::{Candidate, How, Manner};
use crate::record::{Act, event};
use crate::roots::Roots;
use crate::supply::{Delivery, Pin};
use crate::target::Target;

/// A skill that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// What the lock said about it.
    pub entry: Locked,
    /// Where it was.
    pub path: std::path::PathBuf,
    /// Links and copies of it in other agents' folders that were taken back.
    pub unshared: Vec<std::path::PathBuf>,
    /// Its files were there.
    pub was_there: bool,
}

impl Hub<'_> {
    /// Fetches a source and installs its skills. With `names`, only those.
    pub fn add(
        &self,
        target: &Target,
        source: &str,
        names: &[String],
        manner: &Manner<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        let delivery = self.fetch(source, Pin::Newest, None)?;
        self.add_delivered(target, delivery, names, manner, ask)
    }

    /// Installs skills that were fetched already.
    pub fn add_delivered(
        &self,
        target: &Target,
        mut delivery: Delivery,
        names: &[String],
        manner: &Manner<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        if !names.is_empty() {
            let all = delivery.bundles.iter().map(|bundle| bundle.name.clone()).collect::<Vec<_>>();
            if let Some(name) = names.iter().find(|name| !all.contains(name)) {
                return Err(Error::Refused(format!(
                    "there is no skill `{}` in `{}`; there are {}",
                    name.escape_debug(),
                    delivery.source,
                    all.join(", ")
                )));
            }
            delivery.bundles.retain(|bundle| names.contains(&bundle.name));
        }
        delivery.source = target.portable(&delivery.source);
        ask.progress(Step::Fetch, delivery.bundles.len(), delivery.bundles.len());
        let how = How { doing: "add", restores: false, all_or_none: false, manner, approved: None };
        let refused = std::mem::take(&mut delivery.refused);
        let (candidates, mut bad) = self.candidates(delivery, &target.root, target);
        bad.extend(refused.into_iter().map(|(name, why)| self.refused(&name, "", target, why)));
        let mut outcomes = self.run(target, candidates, &how, ask)?;
        outcomes.extend(bad);
        Ok(outcomes)
    }

    pub(crate) fn fetch(
        &self,
        source: &str,
        pin: Pin<'_>,
        paths: Option<&[String]>,
    ) -> Result<Delivery, Error> {
        let fetched = self.supply.fetch(source, pin, paths);
        fetched.map_err(|why| Error::Fetch { source_text: source.to_owned(), why })
    }

    /// The skills of a delivery as candidates for a root, and those that have no usable name.
    pub(crate) fn candidates(
        &self,
        delivery: Delivery,
        root: &str,
        target: &Target,
    ) -> (Vec<Candidate>, Vec<Outcome>) {
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        let Delivery { source, commit, digest, bundles, .. } = delivery;
        for bundle in bundles {
            let name = bundle.name.clone();
            match Candidate::new(bundle, root, &source, commit.as_ref(), digest.as_ref()) {
                Ok(candidate) => good.push(candidate),
                Err(error) => bad.push(self.refused(&name, &source, target, error.to_string())),
            }
        }
        (good, bad)
    }

    /// The outcome for a skill that never got as far as the quarantine.
    pub(crate) fn refused(
        &self,
        name: &str,
        source: &str,
        target: &Target,
        why: String,
    ) -> Outcome {
        self.outcome(name, source, target, Fate::Refused(why))
    }

    pub(crate) fn outcome(&self, name: &str, source: &str, target: &Target, fate: Fate) -> Outcome {
        Outcome {
            name: name.to_owned(),
            path: target.base.join(&target.root).join(name),
            source: source.to_owned(),
            pin: None,
            origin: self.policy.origin_of(source),
            verdict: None,
            findings: Vec::new(),
            dismissed: Vec::new(),
            news: crate::compare::News::default(),
            takes: crate::hub::Takes::default(),
            kept: Vec::new(),
            merged: Vec::new(),
            stale: Vec::new(),
            fate,
        }
    }

    /// Brings installed skills to what their sources have now; without names, all of them.
    pub fn update(
        &self,
        target: &Target,
        names: &[String],
        manner: &Manner<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        let lock = self.settled(target, "update")?;
        lock.writable()?;
        let mut candidates = Vec::new();
        let mut outcomes = Vec::new();
        for (source, entries) in by_source(&chosen(&lock, names)?) {
            let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
            let fetched = self.fetch(&target.resolved(&source), Pin::Newest, Some(&paths));
            let delivery = match fetched {
                Ok(delivery) => delivery,
                Err(error) => {
                    let why = error.to_string();
                    outcomes.extend(
                        entries
                            .iter()
                            .map(|entry| self.refused(&entry.name, &source, target, why.clone())),
                    );
                    continue;
                }
            };
            for entry in entries {
                let Some(bundle) = delivery.bundles.iter().find(|bundle| bundle.path == entry.path)
                else {
                    outcomes.push(self.outcome(&entry.name, &source, target, Fate::Gone));
                    continue;
                };
                candidates.push(Candidate {
                    // Whatever it calls itself now, it stays where it is.
                    slug: hone_skill::Slug::new(&entry.name).map_err(hone_library::Error::from)?,
                    root: entry.root.clone(),
                    source: source.clone(),
                    path: entry.path.clone(),
                    commit: delivery.commit.clone(),
                    digest: bundle.digest.clone().or_else(|| delivery.digest.clone()),
                    files: bundle.files.clone(),
                });
            }
        }
        ask.progress(Step::Fetch, candidates.len(), candidates.len());
        let how =
            How { doing: "update", restores: false, all_or_none: false, manner, approved: None };
        let mut done = self.run(target, candidates, &how, ask)?;
        done.extend(outcomes);
        done.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(done)
    }

    /// The lock file, with what a process that died had put in place and not written down.
    pub(crate) fn settled(&self, target: &Target, doing: &str) -> Result<Lock, Error> {
        if !self.state.intents(&target.lock)?.is_empty() {
            let _hold = Hold::take(&target.lock, self.state.home(), doing, HOLD_WAIT)?;
            let mut lock = Lock::read(&target.lock)?;
            lock.writable()?;
            journal::settle(
                self.state,
                &Roots::new(target),
                &self.author,
                &mut lock,
                journal::DIED,
            )?;
        }
        Lock::read(&target.lock)
    }

    /// Takes installed skills away: files, links and copies, lock entry. Local edits refuse it, unless
    /// they are to go too.
    pub fn remove(
        &self,
        target: &Target,
        names: &[String],
        edits: Edits,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Removed>, Error> {
        let _hold = Hold::take(&target.lock, self.state.home(), "remove", HOLD_WAIT)?;
        let mut lock = Lock::read(&target.lock)?;
        lock.writable()?;
        let roots = Roots::new(target);
        journal::settle(self.state, &roots, &self.author, &mut lock, journal::DIED)?;
        let entries: Vec<Locked> = chosen(&lock, names)?.into_iter().cloned().collect();
        let mut trees = Vec::new();
        for entry in &entries {
            let root = roots.get(&entry.root)?;
            let (key, tree) = (root.path().join(&entry.name), root.tree(&entry.name)?);
            let there = tree.as_ref().map(files_of);
            if let (Some(there), Edits::Keep) = (there, edits)
                && there != entry.files
            {
                let files = crate::verify::differences(entry, &there);
                let files = files.into_keys().collect();
                return Err(Error::Edited { name: entry.name.clone(), path: key, files });
            }
            trees.push((key, tree));
        }
        let planned: Vec<Planned> = entries
            .iter()
            .map(|entry| Planned {
                act: Act::Remove,
                root: entry.root.clone(),
                name: entry.name.clone(),
                was: Some(entry.clone()),
                entry: None,
                after: None,
                detail: String::new(),
            })
            .collect();
        journal::intend(self.state, &roots, &self.author, &planned)?;
        ask.progress(Step::Intend, entries.len(), entries.len());
        let store = Store::new(self.state, self.author.clone(), Mode::Write);
        let mut records = Records { settled: vec![target.lock.clone()], ..Records::default() };
        let waiting = self.pending()?;
        let (mut removed, mut stale) = (Vec::new(), Vec::new());
        let mut failed = None;
        for (entry, (key, tree)) in entries.into_iter().zip(trees) {
            let was_there = tree.is_some();
            let unshared = match tree {
                Some(tree) => {
                    store.uninstall(&key, &hashes_of(&tree)).map(|change| change.taken_back)
                }
                None => take_back(self.state, &self.author, &key, None).map(|back| back.taken),
            };
            let unshared = match unshared {
                Ok(unshared) => unshared,
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            };
            lock.remove(&entry.root, &entry.name);
            records.audit.push(event(&self.author, Act::Remove, Some(&entry), &key));
            let is_stale = |one: &&Pending| one.is_for(&target.lock, &entry.root, &entry.name);
            stale.extend(waiting.iter().filter(is_stale).cloned());
            removed.push(Removed { entry, path: key, unshared, was_there });
        }
        ask.progress(Step::Swap, removed.len(), removed.len());
        lock.save()?;
        ask.progress(Step::Lock, removed.len(), removed.len());
        records.decided.extend(stale.iter().map(|one| one.id.clone()));
        self.state.record(&records)?;
        ask.progress(Step::Record, removed.len(), removed.len());
        self.forget(&stale)?;
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(removed),
        }
    }
}

/// The entries that names mean; without names, all.
pub(crate) fn chosen<'l>(lock: &'l Lock, names: &[String]) -> Result<Vec<&'l Locked>, Error> {
    if names.is_empty() {
        return Ok(lock.skills().iter().collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let slug = hone_skill::Slug::new(name).map(|slug| slug.to_string()).unwrap_or_default();
        let named = lock.named(&slug);
        if named.is_empty() {
            let (name, path) = (name.clone(), lock.path().to_owned());
            return Err(if path.exists() {
                Error::NotInstalled { name, path }
            } else {
                Error::NoLock { name, path }
            });
        }
        chosen.extend(named);
    }
    Ok(chosen)
}

/// Entries by their source.
pub(crate) fn by_source<'l>(entries: &[&'l Locked]) -> BTreeMap<String, Vec<&'l Locked>> {
    let mut groups: BTreeMap<String, Vec<&'l Locked>> = BTreeMap::new();
    for entry in entries {
        groups.entry(entry.source.clone()).or_default().push(entry);
    }
    groups
}
