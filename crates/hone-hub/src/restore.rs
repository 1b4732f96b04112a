//! A lock file made true: what it pins is fetched, every hash is checked before anything can be seen, and
//! either all of it is there afterwards or nothing changed.

use std::collections::BTreeMap;
use std::path::Path;

use crate::actions::chosen;
use crate::bundle::of_bundle;
use crate::error::Error;
use crate::foreign::{Foreign, ForeignSkill, Recorded};
use crate::hub::{Ask, Fate, Hub, Outcome, Step};
use crate::lock::{Lock, Locked};
use crate::pipeline::{Candidate, How, Manner};
use crate::roots::Roots;
use crate::supply::{Delivery, Pin};
use crate::target::Target;
use crate::verify::{Standing, Verified, differences, unknown};

/// What became of a lock file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restored {
    /// Each skill of it.
    pub outcomes: Vec<Outcome>,
    /// Skills that are there and that it does not name. They stay.
    pub extra: Vec<Verified>,
    /// What a person should know.
    pub notes: Vec<String>,
}

impl Restored {
    /// Whether everything is as the lock file says.
    pub fn is_true(&self) -> bool {
        self.outcomes.iter().all(|outcome| outcome.fate.is_good())
    }
}

impl Hub<'_> {
    /// Makes the lock file of a target true. Local edits refuse it, unless they are to go.
    pub fn install(
        &self,
        target: &Target,
        manner: &Manner<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Restored, Error> {
        let lock = self.settled(target, "install")?;
        lock.writable()?;
        let standing = self.verify(target, &[])?;
        let mut wanted: Vec<&Locked> = Vec::new();
        let mut restored = Restored { outcomes: Vec::new(), extra: Vec::new(), notes: Vec::new() };
        let (there, unknown): (Vec<Verified>, Vec<Verified>) =
            standing.into_iter().partition(|one| one.standing != Standing::Unknown);
        for (one, entry) in there.into_iter().zip(lock.skills()) {
            if one.standing == Standing::Ok {
                restored.outcomes.push(self.of_entry(target, entry, Fate::Unchanged));
            } else {
                wanted.push(entry);
            }
        }
        restored.extra.extend(unknown);
        if wanted.is_empty() && manner.dismiss.is_empty() {
            return Ok(restored);
        }
        let (candidates, failed) = self.pinned(target, &wanted, ask);
        let how =
            How { doing: "install", restores: true, all_or_none: true, manner, approved: None };
        restored.outcomes.extend(self.all_or_none(target, candidates, failed, &how, ask)?);
        restored.outcomes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(restored)
    }

    /// Installs what another lock file names: a `hone.lock`, `skills-lock.json` (version 1) or
    /// `.skill-lock.json` (version 3). The file itself is only read.
    pub fn install_from(
        &self,
        target: &Target,
        file: &Path,
        manner: &Manner<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Restored, Error> {
        let is_json = file.extension().is_some_and(|extension| extension == "json");
        let how =
            How { doing: "install", restores: false, all_or_none: true, manner, approved: None };
        let mut notes = Vec::new();
        let (candidates, failed) = if is_json {
            self.foreign(target, &Foreign::read(file)?, &mut notes)
        } else {
            if !file.is_file() {
                return Err(Error::io("read", file)(std::io::ErrorKind::NotFound.into()));
            }
            let lock = Lock::read(file)?;
            lock.writable()?;
            // Whosever file it is, it may only name folders in which skills are looked for.
            for entry in lock.skills() {
                target.checked(&entry.root)?;
            }
            self.pinned(target, &chosen(&lock, &[])?, ask)
        };
        let outcomes = self.all_or_none(target, candidates, failed, &how, ask)?;
        let extra = unknown(&Roots::new(target), &Lock::read(&target.lock)?)?;
        Ok(Restored { outcomes, extra, notes })
    }

    fn all_or_none(
        &self,
        target: &Target,
        candidates: Vec<Candidate>,
        failed: Vec<Outcome>,
        how: &How<'_>,
        ask: &mut dyn Ask,
    ) -> Result<Vec<Outcome>, Error> {
        if failed.is_empty() {
            return self.run(target, candidates, how, ask);
        }
        let mut outcomes = failed;
        for one in candidates {
            let outcome = self.outcome(one.slug.as_str(), &one.source, target, Fate::HeldBack);
            let path = target.base.join(&one.root).join(one.slug.as_str());
            outcomes.push(Outcome { path, ..outcome });
        }
        Ok(outcomes)
    }

    fn of_entry(&self, target: &Target, entry: &Locked, fate: Fate) -> Outcome {
        let outcome = self.outcome(&entry.name, &entry.source, target, fate);
        Outcome {
            path: target.base.join(&entry.root).join(&entry.name),
            pin: entry.commit.clone().or_else(|| entry.digest.clone()),
            ..outcome
        }
    }

    /// Fetches entries exactly as they are pinned. One whose files are not those of the lock is refused.
    fn pinned(
        &self,
        target: &Target,
        entries: &[&Locked],
        ask: &mut dyn Ask,
    ) -> (Vec<Candidate>, Vec<Outcome>) {
        let mut groups: BTreeMap<_, Vec<&Locked>> = BTreeMap::new();
        for entry in entries {
            // A skill's own digest follows from its files, which are compared one by one.
            let is_download = !entry.source.starts_with(crate::source::MCP);
            let digest = entry.digest.as_deref().filter(|_| is_download);
            let key = (entry.source.as_str(), entry.commit.as_deref(), digest);
            groups.entry(key).or_default().push(entry);
        }
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for ((source, commit, digest), entries) in groups {
            let pin = match (commit, digest) {
                (Some(commit), _) => Pin::Commit(commit),
                (None, Some(digest)) => Pin::Digest(digest),
                (None, None) => Pin::Newest,
            };
            let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
            let delivery = match self.fetch(&target.resolved(source), pin, Some(&paths)) {
                Ok(delivery) => delivery,
                Err(error) => {
                    let fate = Fate::Refused(error.to_string());
                    bad.extend(entries.iter().map(|e| self.of_entry(target, e, fate.clone())));
                    continue;
                }
            };
            let mut bundles: BTreeMap<String, _> =
                delivery.bundles.into_iter().map(|bundle| (bundle.path.clone(), bundle)).collect();
            for entry in entries {
                let refuse = |why: String| self.of_entry(target, entry, Fate::Refused(why));
                let Some(bundle) = bundles.remove(&entry.path) else {
                    bad.push(refuse("its source has it no more".to_owned()));
                    continue;
                };
                let other = differences(entry, &of_bundle(&bundle.files));
                if !other.is_empty() {
                    let files: Vec<String> = other.into_keys().collect();
                    let files = files.join(", ");
                    bad.push(refuse(format!(
                        "its source gives other files than the lock: {files}"
                    )));
                    continue;
                }
                match hone_skill::Slug::new(&entry.name) {
                    Ok(slug) => good.push(Candidate {
                        slug,
                        root: entry.root.clone(),
                        source: entry.source.clone(),
                        path: entry.path.clone(),
                        commit: entry.commit.clone(),
                        digest: entry.digest.clone(),
                        files: bundle.files,
                    }),
                    Err(error) => bad.push(refuse(error.to_string())),
                }
            }
        }
        ask.progress(Step::Fetch, good.len(), entries.len());
        (good, bad)
    }

    /// Fetches what the lock file of another tool names. It pins no commit, so what comes is scanned and
    /// locked like anything new.
    fn foreign(
        &self,
        target: &Target,
        foreign: &Foreign,
        notes: &mut Vec<String>,
    ) -> (Vec<Candidate>, Vec<Outcome>) {
        let mut groups: BTreeMap<&str, Vec<&ForeignSkill>> = BTreeMap::new();
        for skill in &foreign.skills {
            groups.entry(&skill.source).or_default().push(skill);
        }
        let (mut good, mut bad) = (Vec::new(), Vec::new());
        for (source, skills) in groups {
            let paths: Option<Vec<String>> =
                skills.iter().map(|skill| skill.path.clone()).collect();
            let delivery = match self.fetch(&target.resolved(source), Pin::Newest, paths.as_deref())
            {
                Ok(delivery) => delivery,
                Err(error) => {
                    let why = error.to_string();
                    bad.extend(
                        skills.iter().map(|s| self.refused(&s.name, source, target, why.clone())),
                    );
                    continue;
                }
            };
            let Delivery { source, commit, digest, bundles, .. } = delivery;
            let source = target.portable(&source);
            for skill in skills {
                let is_meant = |bundle: &&crate::bundle::Bundle| match &skill.path {
                    Some(path) => bundle.path == *path,
                    None => bundle.name == skill.name,
                };
                let Some(bundle) = bundles.iter().find(is_meant) else {
                    let why = "its source has it no more".to_owned();
                    bad.push(self.refused(&skill.name, &source, target, why));
                    continue;
                };
                match skill.held_against(&bundle.files) {
                    Recorded::Same => {}
                    Recorded::Other => {
                        let (name, lock) = (&skill.name, foreign.path.display());
                        let why = format!(
                            "it is not what `{lock}` recorded: its source has moved on; \
                             `hone add {source} --skill {name}` takes what is there now"
                        );
                        bad.push(self.refused(name, &source, target, why));
                        continue;
                    }
                    Recorded::Unknown => notes.push(format!(
                        "`{}` could not be compared with what `{}` recorded",
                        skill.name,
                        foreign.path.display()
                    )),
                }
                // The name of the lock is the name of the folder.
                let mut bundle = bundle.clone();
                bundle.name.clone_from(&skill.name);
                match Candidate::new(
                    bundle,
                    &target.root,
                    &source,
                    commit.as_ref(),
                    digest.as_ref(),
                ) {
                    Ok(candidate) => good.push(candidate),
                    Err(error) => {
                        bad.push(self.refused(&skill.name, &source, target, error.to_string()));
                    }
                }
            }
        }
        (good, bad)
    }
}
