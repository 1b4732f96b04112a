//! Going back: a skill becomes what it was after an earlier revision.

use std::collections::BTreeMap;
use std::path::Path;

use hone_skill::{Slug, read};

use crate::commit::{FileEdit, Plan};
use crate::error::Error;
use crate::folder::Content;
use crate::history::{history, state_after, touched};
use crate::install::TreeFile;
use crate::ledger::{self, Action, Revision};
use crate::place::{Held, Missing, canonical_or_same};
use crate::recovery::place_of;
use crate::store::{Change, Mode, Store};
use crate::validate::described;

/// How the reason of a rollback begins.
const BACK_TO: &str = "to revision ";

impl Revision {
    /// The revision that this one went back to, when it is a rollback.
    pub fn back_to(&self) -> Option<u64> {
        let reason =
            self.reason.strip_prefix(BACK_TO).filter(|_| self.action == Action::Rollback)?;
        let number = reason.split(':').next()?.parse().ok()?;
        (number < self.revision).then_some(number)
    }
}

/// What a rollback is about to make of a skill that has a folder.
#[derive(Debug)]
pub struct Coming {
    /// The revision that it goes back to.
    pub to: u64,
    /// Every file of its folder afterwards; none when the skill goes.
    pub tree: Option<BTreeMap<String, TreeFile>>,
}

impl Store<'_> {
    /// Makes a skill what it was after `to` (by default, after the revision before the newest; when
    /// somebody changed it without hone since, after the newest), as a new revision. `key` is the
    /// skill's folder or single file, whether it exists or not.
    pub fn rollback(&self, key: &Path, to: Option<u64>) -> Result<Change, Error> {
        self.roll_back(key, to, None::<fn(&Coming) -> Result<(), Error>>)
    }

    /// As [`Store::rollback`], and tells what is coming before anything is written. An error of `note`
    /// leaves everything as it was.
    pub fn rollback_noting<E: From<Error>>(
        &self,
        key: &Path,
        to: Option<u64>,
        note: impl FnOnce(&Coming) -> Result<(), E>,
    ) -> Result<Change, E> {
        self.roll_back(key, to, Some(note))
    }

    fn roll_back<E: From<Error>>(
        &self,
        key: &Path,
        to: Option<u64>,
        note: Option<impl FnOnce(&Coming) -> Result<(), E>>,
    ) -> Result<Change, E> {
        let key = canonical_or_same(key);
        let (rows, _) = ledger::rows(self.state, &key)?;
        let place = place_of(&key, rows.iter().flat_map(|row| &row.changes));
        let name = place.name_of_folder().unwrap_or_default().to_owned();
        let Some(last) = rows.last() else {
            return Err(Error::Refused(format!(
                "hone never changed `{name}`: there is nothing to go back to"
            ))
            .into());
        };
        if let Some(revision) = to.filter(|to| *to == 0 || *to > last.revision) {
            return Err(Error::NoRevision { name, revision, newest: last.revision }.into());
        }
        let held = self.lock(&place, Missing::Make)?;
        let history = history(self.state, &place.key)?;
        let Some(newest) = history.last() else {
            return Err(Error::NoRevision { name, revision: to.unwrap_or(0), newest: 0 }.into());
        };
        let now = present(&held, &history)?;
        let recorded = state_after(&history, newest.revision);
        let is_outside = now.iter().any(|(file, now)| match (now, recorded.get(*file)) {
            (Some(now), Some(recorded)) => !recorded.is(now),
            (None, None) => false,
            _ => true,
        });
        let back = if is_outside { newest.revision } else { newest.revision - 1 };
        let to = match to {
            None if back == 0 => {
                return Err(Error::Refused(format!(
                    "there is nothing before the first revision; `hone rm {name}` takes the skill away"
                )).into());
            }
            to => to.unwrap_or(back),
        };
        if to > newest.revision {
            return Err(Error::NoRevision { name, revision: to, newest: newest.revision }.into());
        }
        let plan = self.plan_to(&held, &history, to, now)?;
        if plan.edits.iter().all(|edit| edit.before == edit.after) {
            return Err(Error::Refused(format!("it is already as it was in revision {to}")).into());
        }
        if let Some(note) = note.filter(|_| self.mode == Mode::Write) {
            note(&Coming { to, tree: coming(&held, &plan)? })?;
        }
        let change = self.carry_out(&held, &plan)?;
        Ok(self.followed(held, change))
    }

    fn plan_to(
        &self,
        held: &Held<'_>,
        history: &[Revision],
        to: u64,
        now: BTreeMap<&str, Option<Content>>,
    ) -> Result<Plan, Error> {
        let place = held.place;
        let mut wanted = state_after(history, to);
        // A revision in which the skill was gone is a deletion once more.
        let is_gone = now.contains_key(place.main.as_str()) && !wanted.contains_key(&place.main);
        let edits = if is_gone && held.folder()?.is_none() {
            Vec::new()
        } else if is_gone {
            self.removal(held)?
        } else {
            let edits = now.into_iter().map(|(file, before)| {
                let after = wanted.remove(file).map(|kept| kept.content(self.state)).transpose()?;
                Ok(FileEdit { file: file.to_owned(), before, after })
            });
            edits.collect::<Result<_, Error>>()?
        };
        let main = edits.iter().find(|edit| edit.file == place.main);
        let described = |content: Option<&Content>| {
            content.map(|content| described(&read(&content.bytes, place.name_of_folder())))
        };
        let before = described(main.and_then(|edit| edit.before.as_ref()));
        let after = described(main.and_then(|edit| edit.after.as_ref()));
        let then = history.iter().find(|revision| revision.revision == to);
        let name = after
            .as_ref()
            .map(|(name, _)| name.clone())
            .filter(|name| !name.is_empty())
            .or_else(|| then.map(|revision| revision.name.clone()))
            .unwrap_or_default();
        Ok(Plan {
            action: if is_gone { Action::Delete } else { Action::Rollback },
            slug: Slug::new(&name).map_or(String::new(), |slug| slug.to_string()),
            name,
            from_version: before.and_then(|(_, version)| version),
            to_version: after.and_then(|(_, version)| version),
            reason: Some(format!("{BACK_TO}{to}")),
            edits,
            warnings: Vec::new(),
            patched: None,
        })
    }
}

/// Every file of a skill's folder when a plan is carried out.
fn coming(held: &Held<'_>, plan: &Plan) -> Result<Option<BTreeMap<String, TreeFile>>, Error> {
    if plan.action == Action::Delete {
        return Ok(None);
    }
    let mut tree = match held.folder()? {
        Some(folder) => folder.all()?,
        None => BTreeMap::new(),
    };
    for edit in plan.changed() {
        match &edit.after {
            Some(after) => tree.insert(edit.file.clone(), after.clone()),
            None => tree.remove(&edit.file),
        };
    }
    Ok(Some(tree.into_iter().map(|(file, content)| (file, content.into())).collect()))
}

/// The files of the history as they are now.
fn present<'h>(
    held: &Held<'_>,
    history: &'h [Revision],
) -> Result<BTreeMap<&'h str, Option<Content>>, Error> {
    let folder = held.folder()?;
    let now = touched(history).into_iter().map(|file| {
        let content = folder.as_ref().map(|folder| folder.read(file)).transpose()?.flatten();
        Ok((file, content))
    });
    now.collect()
}
