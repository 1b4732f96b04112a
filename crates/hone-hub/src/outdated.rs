//! Which installed skills have a later version. Nothing on the disk is changed.

use serde::Serialize;

use crate::actions::{by_source, chosen};
use crate::bundle::of_bundle;
use crate::error::Error;
use crate::hub::Hub;
use crate::lock::{Lock, Locked};
use crate::supply::Pin;
use crate::target::Target;
use crate::verify::differences;

/// How an installed skill stands to its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Freshness {
    /// The source has what is installed.
    Current,
    /// The source has another version.
    Outdated,
    /// The source no longer has it.
    Gone,
    /// The source could not be asked, and why.
    Unknown(String),
}

/// An installed skill, held against its source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Outdated {
    /// The skill.
    pub name: String,
    /// The root that it is in.
    pub root: String,
    /// Its source.
    pub source: String,
    /// What is installed: a commit or a digest.
    pub installed: Option<String>,
    /// What the source has now.
    pub newest: Option<String>,
    /// The files that differ.
    pub files: Vec<String>,
    /// How it stands.
    pub freshness: Freshness,
}

impl Hub<'_> {
    /// Asks the sources of installed skills what they have now; without names, of all. A source that
    /// moved on without touching a skill does not make it outdated.
    pub fn outdated(&self, target: &Target, names: &[String]) -> Result<Vec<Outdated>, Error> {
        let lock = Lock::read(&target.lock)?;
        let mut all = Vec::new();
        for (source, entries) in by_source(&chosen(&lock, names)?) {
            all.extend(self.outdated_of(&source, &target.resolved(&source), &entries));
        }
        all.sort_by(|a, b| (&a.root, &a.name).cmp(&(&b.root, &b.name)));
        Ok(all)
    }

    fn outdated_of(&self, source: &str, from: &str, entries: &[&Locked]) -> Vec<Outdated> {
        let pin = |entry: &Locked| entry.commit.clone().or_else(|| entry.digest.clone());
        let of = |entry: &Locked, newest: Option<String>, files, freshness| Outdated {
            name: entry.name.clone(),
            root: entry.root.clone(),
            source: source.to_owned(),
            installed: pin(entry),
            newest,
            files,
            freshness,
        };
        let unknown = |error: &dyn std::fmt::Display| {
            let why = error.to_string();
            let one =
                |entry: &&Locked| of(entry, None, Vec::new(), Freshness::Unknown(why.clone()));
            entries.iter().map(one).collect::<Vec<_>>()
        };
        let newest = match self.supply.newest(from) {
            Ok(newest) => newest.and_then(|newest| newest.commit.or(newest.digest)),
            Err(error) => return unknown(&error),
        };
        if newest.is_some() && entries.iter().all(|entry| pin(entry) == newest) {
            let current =
                |entry: &&Locked| of(entry, newest.clone(), Vec::new(), Freshness::Current);
            return entries.iter().map(current).collect();
        }
        let paths: Vec<String> = entries.iter().map(|entry| entry.path.clone()).collect();
        let delivery = match self.fetch(from, Pin::Newest, Some(&paths)) {
            Ok(delivery) => delivery,
            Err(error) => return unknown(&error),
        };
        let newest = delivery.commit.clone().or_else(|| delivery.digest.clone());
        let compare = |entry: &&Locked| {
            let bundle = delivery.bundles.iter().find(|bundle| bundle.path == entry.path);
            let Some(bundle) = bundle else {
                return of(entry, newest.clone(), Vec::new(), Freshness::Gone);
            };
            let newest = newest.clone().or_else(|| bundle.digest.clone());
            let files: Vec<String> =
                differences(entry, &of_bundle(&bundle.files)).into_keys().collect();
            let freshness = if files.is_empty() { Freshness::Current } else { Freshness::Outdated };
            of(entry, newest, files, freshness)
        };
        entries.iter().map(compare).collect()
    }
}
