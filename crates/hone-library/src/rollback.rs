//! Going back: a skill becomes what it was after an earlier revision.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use hone_skill::{Slug, read};

use crate::error::Error;
use crate::ledger::{self, Action, Revision};
use crate::objects;
use crate::place::{Place, SKILL_FILE, canonical_or_same};
use crate::state::State;
use crate::store::{About, Change, FileDelta, Mode, Pending, Store, described};
use crate::tree;

impl Store<'_> {
    /// Makes a skill what it was after `to` (by default, after the revision before the newest), as a
    /// new revision. `key` is the skill's folder or single file, whether it exists or not.
    pub fn rollback(&self, key: &Path, to: Option<u64>) -> Result<Change, Error> {
        let is_flat = key.extension().is_some_and(|extension| extension == "md") && !key.is_dir();
        let key = canonical_or_same(key);
        let main = if is_flat {
            key.file_name().unwrap_or_default().to_string_lossy().into_owned()
        } else {
            SKILL_FILE.to_owned()
        };
        let place = Place::at(key, is_flat, main);
        if self.mode == Mode::Write {
            std::fs::create_dir_all(&place.parent).map_err(Error::io("create", &place.parent))?;
        }
        let _lock = place.lock()?;
        self.settle(&place)?;
        let history = ledger::history(self.state, &place.key)?;
        let Some(newest) = history.last() else {
            let name = place.name_of_folder().unwrap_or_default();
            return Err(Error::Refused(format!(
                "hone never changed `{name}`: there is nothing to go back to"
            )));
        };
        let touched = touched(&history);
        let now = self.present(&place, &touched)?;
        let recorded = state_after(&history, newest.revision);
        let outside =
            touched.iter().any(|file| now.get(file) != recorded.get(file).map(|c| &c.hash));
        let back = if outside { newest.revision } else { newest.revision.saturating_sub(1) };
        let to = to.unwrap_or(back);
        if to == 0 || to > newest.revision {
            return Err(Error::NoRevision {
                name: newest.name.clone(),
                revision: to,
                newest: newest.revision,
            });
        }
        let wanted = state_after(&history, to);
        self.restore(&place, &history, to, &wanted, &now)
    }

    fn restore(
        &self,
        place: &Place,
        history: &[Revision],
        to: u64,
        wanted: &BTreeMap<String, Kept>,
        now: &BTreeMap<String, String>,
    ) -> Result<Change, Error> {
        let home = self.state.home();
        let mut files = Vec::new();
        let mut pending = Vec::new();
        let mut found = Vec::new();
        let mut links = BTreeMap::new();
        let all = now.keys().chain(wanted.keys()).collect::<BTreeSet<_>>();
        for file in all {
            let kept = wanted.get(file);
            if now.get(file) == kept.map(|kept| &kept.hash) {
                continue;
            }
            let after = kept.map(|kept| objects::get(home, &kept.hash)).transpose()?;
            let before = if place.folder().is_dir() {
                tree::read_one(&place.open()?, file)?.map(|content| content.stored())
            } else {
                None
            };
            files.push(FileDelta {
                file: file.clone(),
                before: before.clone(),
                after: after.clone(),
            });
            found.push((file.clone(), before));
            if kept.is_some_and(|kept| kept.link) {
                links.insert(file.clone(), after.clone().unwrap_or_default());
            }
            let executable = kept.is_some_and(|kept| kept.executable);
            pending.push(Pending { file: file.clone(), after, executable });
        }
        if pending.is_empty() {
            return Err(Error::Refused(format!("it is already as it was in revision {to}")));
        }
        let version_of = |bytes: Option<&Vec<u8>>| {
            bytes.map(|bytes| described(&read(bytes, place.name_of_folder())))
        };
        let main = files.iter().find(|delta| delta.file == place.main);
        let before = version_of(main.and_then(|delta| delta.before.as_ref()));
        let after = version_of(main.and_then(|delta| delta.after.as_ref()));
        let then = history.iter().find(|revision| revision.revision == to);
        let name = after.as_ref().map_or_else(
            || then.map_or(String::new(), |revision| revision.name.clone()),
            |(name, _)| name.clone(),
        );
        let slug = Slug::new(&name).map_or(String::new(), |slug| slug.to_string());
        let mut change = Change {
            action: Action::Rollback,
            name: name.clone(),
            path: place.key.clone(),
            files,
            revision: None,
            from_version: before.and_then(|(_, version)| version),
            to_version: after.and_then(|(_, version)| version),
            warnings: Vec::new(),
            patched: None,
        };
        if self.mode == Mode::Write {
            let about = About {
                action: Action::Rollback,
                name: &name,
                slug: &slug,
                from_version: change.from_version.clone(),
                to_version: change.to_version.clone(),
            };
            let reason = format!("to revision {to}");
            change.revision =
                Some(self.commit_with(place, &about, &found, pending, &links, Some(&reason))?);
        }
        Ok(change)
    }

    /// The hashes of those files that are there now.
    pub(crate) fn present(
        &self,
        place: &Place,
        files: &[String],
    ) -> Result<BTreeMap<String, String>, Error> {
        let mut present = BTreeMap::new();
        if place.folder().is_dir() {
            let folder = place.open()?;
            for file in files {
                if let Some(content) = tree::read_one(&folder, file)? {
                    present.insert(file.clone(), objects::hash(&content.stored()));
                }
            }
        }
        Ok(present)
    }
}

/// A file as some revision left it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Kept {
    hash: String,
    executable: bool,
    link: bool,
}

fn touched(history: &[Revision]) -> Vec<String> {
    let files =
        history.iter().flat_map(|revision| &revision.changes).map(|change| change.file.clone());
    files.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The files that hone knew of after a revision.
fn state_after(history: &[Revision], revision: u64) -> BTreeMap<String, Kept> {
    let mut files = BTreeMap::new();
    for change in history.iter().flat_map(|revision| &revision.changes) {
        // A file that enters the ledger later was there before, as that later row found it.
        if let Some(hash) = &change.before {
            files.entry(change.file.clone()).or_insert_with(|| Kept {
                hash: hash.clone(),
                executable: change.executable,
                link: change.link,
            });
        }
    }
    let created: Vec<&str> = history
        .iter()
        .flat_map(|row| row.changes.iter().map(move |change| (row, change)))
        .fold(BTreeMap::new(), |mut first: BTreeMap<&str, bool>, (_, change)| {
            first.entry(&change.file).or_insert(change.before.is_none());
            first
        })
        .into_iter()
        .filter(|(_, is_new)| *is_new)
        .map(|(file, _)| file)
        .collect();
    for file in created {
        files.remove(file);
    }
    for row in history.iter().filter(|row| row.revision <= revision) {
        for change in &row.changes {
            match &change.after {
                Some(hash) => {
                    let kept = Kept {
                        hash: hash.clone(),
                        executable: change.executable,
                        link: change.link,
                    };
                    files.insert(change.file.clone(), kept);
                }
                None => {
                    files.remove(&change.file);
                }
            }
        }
    }
    files
}

/// The files of a skill that hone knew of after a revision (0: before the first), with their bytes.
pub fn files_at(
    state: &State,
    history: &[Revision],
    revision: u64,
) -> Result<BTreeMap<String, Vec<u8>>, Error> {
    let known = state_after(history, revision);
    let bytes = known.into_iter().map(|(file, kept)| {
        let bytes = objects::get(state.home(), &kept.hash)?;
        Ok((file, bytes))
    });
    bytes.collect()
}
