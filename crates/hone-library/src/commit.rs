//! Carrying out a change: the bytes are kept, the ledger row is written, the files change, the row is
//! marked done.

use std::borrow::Cow;
use std::path::Path;

use hone_skill::Diagnostic;

use crate::atomic::staging_name;
use crate::error::Error;
use crate::folder::Content;
use crate::ledger::{self, Action, Draft, FileChange};
use crate::objects::{self, Keeping};
use crate::patch::Patched;
use crate::place::Held;
use crate::recovery::settle;
use crate::store::{Change, FileDelta, Mode, Store};
use crate::tree::{self, Swapped};

/// A file before and after; both the same when it is only looked at.
pub(crate) struct FileEdit {
    pub(crate) file: String,
    pub(crate) before: Option<Content>,
    pub(crate) after: Option<Content>,
}

/// A change that is ready to be made.
pub(crate) struct Plan {
    pub(crate) action: Action,
    pub(crate) name: String,
    pub(crate) slug: String,
    pub(crate) from_version: Option<String>,
    pub(crate) to_version: Option<String>,
    /// What the ledger says in front of the author's reason.
    pub(crate) reason: Option<String>,
    pub(crate) edits: Vec<FileEdit>,
    pub(crate) warnings: Vec<Diagnostic>,
    pub(crate) patched: Option<Patched>,
}

impl Store<'_> {
    /// Makes a change, or in a dry run says what it would be.
    pub(crate) fn carry_out(&self, held: &Held<'_>, plan: &Plan) -> Result<Change, Error> {
        let mut change = plan.change(&held.place.key);
        if change.files.is_empty() {
            return Err(Error::Refused("nothing would change".to_owned()));
        }
        if plan.action == Action::Delete {
            self.refuse_changed_shares(&held.place.key)?;
        }
        if self.mode == Mode::Write {
            change.revision = Some(self.commit(held, plan)?);
        }
        Ok(change)
    }

    /// Keeps the bytes, writes the ledger row, changes the files, marks the row done.
    fn commit(&self, held: &Held<'_>, plan: &Plan) -> Result<u64, Error> {
        let mut keeping = Keeping::begin(self.state)?;
        self.record_outside(held, plan, &mut keeping)?;
        let changes = plan.changed().map(|edit| edit.kept(&mut keeping));
        let changes = changes.collect::<Result<Vec<_>, Error>>()?;
        let (id, revision) = ledger::begin(self.state, &self.draft(held, plan, &changes))?;
        match apply(held, plan) {
            Ok(()) => {
                ledger::finish(self.state, id)?;
                keeping.done();
                Ok(revision)
            }
            Err(error) => {
                // The files say whether it failed before or after they changed; what was kept for a
                // row that is taken back goes with it.
                let _ = settle(self.state, held);
                Err(error)
            }
        }
    }

    /// What the ledger says of a change that is about to be made.
    pub(crate) fn draft<'d>(
        &'d self,
        held: &'d Held<'_>,
        plan: &'d Plan,
        changes: &'d [FileChange],
    ) -> Draft<'d> {
        let reason = match (&plan.reason, self.author.reason.as_str()) {
            (Some(what), "") => Cow::Borrowed(what.as_str()),
            (Some(what), why) => Cow::Owned(format!("{what}: {why}")),
            (None, why) => Cow::Borrowed(why),
        };
        Draft {
            key: &held.place.key,
            at: self.author.now,
            actor: &self.author.actor,
            action: plan.action,
            reason,
            name: &plan.name,
            slug: &plan.slug,
            from_version: plan.from_version.as_deref(),
            to_version: plan.to_version.as_deref(),
            changes,
        }
    }

    /// Records what somebody changed without hone, so that history has no hole.
    pub(crate) fn record_outside(
        &self,
        held: &Held<'_>,
        plan: &Plan,
        keeping: &mut Keeping<'_>,
    ) -> Result<(), Error> {
        let key = &held.place.key;
        let mut changes = Vec::new();
        // The first time, the skill itself is recorded too: a change of another file alone must leave
        // something to go back to.
        let main = &held.place.main;
        let is_new_to_us =
            !plan.edits.iter().any(|edit| edit.file == *main) && !ledger::knows(self.state, key)?;
        let main = match held.folder()? {
            Some(folder) if is_new_to_us => folder.read(main)?.map(|now| (main, Some(now))),
            _ => None,
        };
        let main = main.iter().map(|(file, now)| (*file, now));
        for (file, now) in main.chain(plan.edits.iter().map(|edit| (&edit.file, &edit.before))) {
            let known = ledger::last_known(self.state, key, file)?;
            let is_known = match (&known, now) {
                (Some(known), Some(now)) => known.is(now),
                (None, None) => true,
                _ => false,
            };
            if !is_known {
                changes.push(FileChange {
                    file: file.clone(),
                    before: known.as_ref().map(|known| known.hash.clone()),
                    after: now.as_ref().map(|now| keeping.keep(&now.bytes)).transpose()?,
                    mode_before: known.and_then(|known| known.mode),
                    mode_after: now.as_ref().and_then(|now| now.mode),
                });
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let is_new = changes.iter().all(|change| change.before.is_none());
        let (id, _) = ledger::begin(
            self.state,
            &Draft {
                key,
                at: self.author.now,
                actor: "",
                action: Action::Outside,
                reason: Cow::Borrowed(if is_new {
                    "as it was found"
                } else {
                    "changed without hone"
                }),
                name: &plan.name,
                slug: &plan.slug,
                from_version: None,
                to_version: plan.from_version.as_deref(),
                changes: &changes,
            },
        )?;
        ledger::finish(self.state, id)
    }
}

impl FileEdit {
    /// The file by its hashes, once its bytes are kept, before and after.
    pub(crate) fn kept(&self, keeping: &mut Keeping<'_>) -> Result<FileChange, Error> {
        for content in [&self.before, &self.after].into_iter().flatten() {
            keeping.keep(&content.bytes)?;
        }
        Ok(self.hashed())
    }

    /// The file by its hashes.
    pub(crate) fn hashed(&self) -> FileChange {
        let hash = |content: &Option<Content>| content.as_ref().map(|c| objects::hash(&c.bytes));
        FileChange {
            file: self.file.clone(),
            before: hash(&self.before),
            after: hash(&self.after),
            mode_before: self.before.as_ref().and_then(|content| content.mode),
            mode_after: self.after.as_ref().and_then(|content| content.mode),
        }
    }
}

impl Plan {
    /// What the plan would do to the skill of this key.
    pub(crate) fn change(&self, key: &Path) -> Change {
        let shown = |content: &Option<Content>| content.as_ref().map(Content::shown);
        let delta = |edit: &FileEdit| FileDelta {
            file: edit.file.clone(),
            before: shown(&edit.before),
            after: shown(&edit.after),
        };
        Change {
            action: self.action,
            name: self.name.clone(),
            path: key.to_owned(),
            files: self.changed().map(delta).collect(),
            revision: None,
            from_version: self.from_version.clone(),
            to_version: self.to_version.clone(),
            warnings: self.warnings.clone(),
            mended: Vec::new(),
            patched: self.patched.clone(),
            stale: Vec::new(),
            taken_back: Vec::new(),
        }
    }

    pub(crate) fn changed(&self) -> impl Iterator<Item = &FileEdit> {
        self.edits.iter().filter(|edit| edit.before != edit.after)
    }
}

/// Changes the files.
pub(crate) fn apply(held: &Held<'_>, plan: &Plan) -> Result<(), Error> {
    let place = held.place;
    let staged = staging_name(&place.key);
    let edits: Vec<&FileEdit> = plan.changed().collect();
    let all = |content: fn(&FileEdit) -> Option<&Content>| -> tree::Files<'_> {
        edits.iter().map(|edit| (edit.file.as_str(), content(edit))).collect()
    };
    let (before, after) = (all(|edit| edit.before.as_ref()), all(|edit| edit.after.as_ref()));
    if plan.action == Action::Delete {
        let files = before
            .iter()
            .filter_map(|(file, content)| Some(((*file).to_owned(), (*content)?.clone())));
        if tree::take_away(held, &files.collect(), &staged)? == Swapped::Done {
            return Ok(());
        }
    } else if held.folder()?.is_none() {
        return tree::build(held, &after, &staged);
    } else if !place.is_flat
        && edits.len() > 1
        && tree::exchange(held, &before, &after, &staged)? == Swapped::Done
    {
        return Ok(());
    }
    // One file, or a file system that cannot swap folders: should this be cut short, the next writer
    // finds a mixture and puts it back.
    let folder = held.opened()?;
    for edit in edits {
        folder.put(&edit.file, edit.before.as_ref(), edit.after.as_ref(), &staged)?;
    }
    if plan.action == Action::Delete && !place.is_flat {
        tree::clear(&held.around()?.dir, place.entry()?);
    }
    Ok(())
}
