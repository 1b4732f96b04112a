//! The store: every change of a skill.
//!
//! Each write is validated, locked, recorded, atomic and reversible. The order of a write is: lock the
//! folder around the skill, settle what a dead writer left, read the old bytes through a directory
//! handle, build and validate the new ones, keep both by hash, write the ledger row, rename, mark the
//! row done. Whatever stops it, the files are the old or the new ones, and the ledger says which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use hone_skill::limits::MAX_SKILL_CHARS;
use hone_skill::{
    Diagnostic, FIRST_VERSION, Reading, Slug, ensure_frontmatter, next_version, read, same_name,
    write_problems,
};

use crate::atomic::{replace_in, sync};
use crate::catalogue::Listed;
use crate::error::Error;
use crate::files::{MAX_FILE_BYTES, check_support_path};
use crate::ledger::{self, Action, Draft, FileChange};
use crate::objects;
use crate::patch::{Matching, Patched, patch};
use crate::place::{Place, SKILL_FILE, canonical_or_same, confined, no_file, read_in};
use crate::state::{State, utf8};
use crate::tree;
use crate::walk::{STAGING_PREFIX, SUPPORT_FOLDERS};

/// Who writes, why, and when.
#[derive(Debug, Clone)]
pub struct Author {
    /// Who.
    pub actor: String,
    /// Why; may be empty.
    pub reason: String,
    /// Now, in milliseconds since 1970.
    pub now: i64,
}

/// Whether a write is carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Do it.
    Write,
    /// Do everything but write.
    DryRun,
}

/// One file of a change, with its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDelta {
    /// Path inside the skill.
    pub file: String,
    /// The bytes before; none when the file is new.
    pub before: Option<Vec<u8>>,
    /// The bytes after; none when the file goes.
    pub after: Option<Vec<u8>>,
}

/// What a write did, or would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What was asked for.
    pub action: Action,
    /// The skill's name afterwards.
    pub name: String,
    /// The skill's folder, or its single file.
    pub path: PathBuf,
    /// The files that change.
    pub files: Vec<FileDelta>,
    /// The number of the new revision; none in a dry run.
    pub revision: Option<u64>,
    /// The declared version before.
    pub from_version: Option<String>,
    /// The declared version after.
    pub to_version: Option<String>,
    /// What could be better about the result.
    pub warnings: Vec<Diagnostic>,
    /// What a patch matched.
    pub patched: Option<Patched>,
}

/// The writer of skills.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) state: &'a State,
    author: Author,
    pub(crate) mode: Mode,
}

/// A file to be written or taken away.
pub(crate) struct Pending {
    pub(crate) file: String,
    pub(crate) after: Option<Vec<u8>>,
    pub(crate) executable: bool,
}

/// What a write is about, for the ledger.
pub(crate) struct About<'a> {
    pub(crate) action: Action,
    pub(crate) name: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) from_version: Option<String>,
    pub(crate) to_version: Option<String>,
}

impl<'a> Store<'a> {
    /// A store that writes in the name of `author`.
    pub fn new(state: &'a State, author: Author, mode: Mode) -> Self {
        Self { state, author, mode }
    }

    /// Creates a skill as `root[/category]/slug/SKILL.md` from a text with or without frontmatter.
    /// `existing` are the skills that the root holds already.
    pub fn create(
        &self,
        root: &Path,
        category: Option<&str>,
        name: &str,
        content: &str,
        existing: &[Listed],
    ) -> Result<Change, Error> {
        let slug = Slug::new(name)?;
        refuse_existing(existing, root, name)?;
        let mut parent = root.to_owned();
        if let Some(category) = category {
            if !hone_skill::is_valid_name(category) {
                return Err(Error::Refused(format!(
                    "`{}` cannot be a category: use lower-case letters, digits and hyphens",
                    category.escape_debug()
                )));
            }
            parent.push(category);
        }
        let text = ensure_frontmatter(content, &slug, name, FIRST_VERSION)?;
        self.create_at(&parent, &slug, text, Action::Create)
    }

    fn create_at(
        &self,
        parent: &Path,
        slug: &Slug,
        text: String,
        action: Action,
    ) -> Result<Change, Error> {
        let reading = validate(None, &text, Some(slug.as_str()))?;
        let (name, to_version) = described(&reading);
        let mut change = Change {
            action,
            name: name.clone(),
            path: parent.join(slug.as_str()),
            files: vec![FileDelta {
                file: SKILL_FILE.to_owned(),
                before: None,
                after: Some(text.clone().into_bytes()),
            }],
            revision: None,
            from_version: None,
            to_version: to_version.clone(),
            warnings: warnings(&reading),
            patched: None,
        };
        let exists = |path: PathBuf| Error::Exists { name: name.clone(), path };
        if self.mode == Mode::DryRun {
            return if change.path.exists() { Err(exists(change.path)) } else { Ok(change) };
        }
        std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        let parent = std::fs::canonicalize(parent).map_err(Error::io("find", parent))?;
        let place = Place::at(parent.join(slug.as_str()), false, SKILL_FILE.to_owned());
        let _lock = place.lock()?;
        self.settle(&place)?;
        if place.key.symlink_metadata().is_ok() {
            return Err(exists(place.key));
        }
        let about =
            About { action, name: &name, slug: slug.as_str(), from_version: None, to_version };
        let pending = vec![Pending {
            file: SKILL_FILE.to_owned(),
            after: Some(text.into_bytes()),
            executable: false,
        }];
        change.revision = Some(self.commit(&place, &about, &[], pending)?);
        change.path = place.key;
        Ok(change)
    }

    /// Replaces the whole text of a skill.
    pub fn edit(&self, skill: &Listed, content: &str) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        self.rewrite(&place, Action::Edit, |_| Ok((content.to_owned(), None)))
    }

    /// Replaces one piece of a skill's text, or of one of its files.
    pub fn patch(
        &self,
        skill: &Listed,
        file: Option<&str>,
        old: &str,
        new: &str,
        matching: Matching,
    ) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        match file.filter(|file| *file != place.main) {
            None => self.rewrite(&place, Action::Patch, |text| {
                let patched = patch(text, old, new, matching)?;
                Ok((patched.text.clone(), Some(patched)))
            }),
            Some(file) => self.write_support(
                &place,
                skill,
                file,
                Action::Patch,
                |before| {
                    let before = before.ok_or_else(|| no_file(&place, file))?;
                    let text = std::str::from_utf8(before)
                        .map_err(|_| Error::Refused(format!("`{file}` is not text")))?;
                    let patched = patch(text, old, new, matching)?;
                    Ok((patched.text.clone().into_bytes(), Some(patched)))
                },
                None,
            ),
        }
    }

    /// Mends a skill's text.
    pub fn fix(&self, skill: &Listed, fixed: &str) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        self.rewrite(&place, Action::Fix, |_| Ok((fixed.to_owned(), None)))
    }

    /// Creates the skill, or brings it to its next version in place. Keyed by slug.
    pub fn upsert(
        &self,
        root: &Path,
        name: &str,
        content: &str,
        existing: &[Listed],
    ) -> Result<Change, Error> {
        let slug = Slug::new(name)?;
        let Some(skill) = same_slug(existing, root, &slug) else {
            let text = ensure_frontmatter(content, &slug, name, FIRST_VERSION)?;
            return match self.create_at(root, &slug, text, Action::Upsert) {
                // Somebody was faster: then there is something to bring to its next version.
                Err(Error::Exists { path, .. }) if path.join(SKILL_FILE).is_file() => {
                    let place = Place::at(path, false, SKILL_FILE.to_owned());
                    self.upgrade(&place, &slug, name, content)
                }
                other => other,
            };
        };
        self.upgrade(&Place::of(skill)?, &slug, name, content)
    }

    fn upgrade(
        &self,
        place: &Place,
        slug: &Slug,
        name: &str,
        content: &str,
    ) -> Result<Change, Error> {
        self.rewrite(place, Action::Upsert, |text| {
            let reading = read(text.as_bytes(), place.name_of_folder());
            let prior = reading.skill.as_ref();
            if let Some(prior) = prior.filter(|prior| !same_name(prior.title(), name)) {
                return Err(Error::SlugConflict {
                    new: name.to_owned(),
                    old: prior.title().to_owned(),
                    slug: slug.to_string(),
                });
            }
            let version = next_version(prior.and_then(|prior| prior.version.as_deref()));
            Ok((ensure_frontmatter(content, slug, name, &version)?, None))
        })
    }

    /// The way of every change of a skill's own text.
    fn rewrite(
        &self,
        place: &Place,
        action: Action,
        make: impl FnOnce(&str) -> Result<(String, Option<Patched>), Error>,
    ) -> Result<Change, Error> {
        let _lock = place.lock()?;
        self.settle(place)?;
        let folder = place.open()?;
        let before = read_in(&folder, &place.main, &place.folder().join(&place.main))?
            .ok_or_else(|| no_file(place, &place.main))?;
        let text = std::str::from_utf8(&before)
            .map_err(|_| Error::Refused(format!("`{}` is not UTF-8", place.main)))?;
        let (after, patched) = make(text)?;
        let old = read(&before, place.name_of_folder());
        let reading = validate(Some(&old), &after, place.name_of_folder())?;
        let (name, to_version) = described(&reading);
        let mut change = Change {
            action,
            name: name.clone(),
            path: place.key.clone(),
            files: vec![FileDelta {
                file: place.main.clone(),
                before: Some(before.clone()),
                after: Some(after.clone().into_bytes()),
            }],
            revision: None,
            from_version: described(&old).1,
            to_version,
            warnings: warnings(&reading),
            patched,
        };
        if after.as_bytes() == before {
            return Err(Error::Refused("nothing would change".to_owned()));
        }
        if self.mode == Mode::Write {
            let slug = reading.skill.as_ref().map_or(String::new(), |skill| skill.slug.to_string());
            let about = About {
                action,
                name: &name,
                slug: &slug,
                from_version: change.from_version.clone(),
                to_version: change.to_version.clone(),
            };
            let found = [(place.main.clone(), Some(before))];
            let pending = vec![Pending {
                file: place.main.clone(),
                after: Some(after.into_bytes()),
                executable: false,
            }];
            change.revision = Some(self.commit(place, &about, &found, pending)?);
        }
        Ok(change)
    }

    /// Writes a supporting file; `SKILL.md` goes the way of an edit.
    pub fn write_file(
        &self,
        skill: &Listed,
        file: &str,
        content: &[u8],
        executable: bool,
    ) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        if file == place.main {
            let text = std::str::from_utf8(content)
                .map_err(|_| Error::Refused(format!("`{file}` must be UTF-8")))?;
            return self.rewrite(&place, Action::WriteFile, |_| Ok((text.to_owned(), None)));
        }
        self.write_support(
            &place,
            skill,
            file,
            Action::WriteFile,
            |_| Ok((content.to_vec(), None)),
            Some(executable),
        )
    }

    fn write_support(
        &self,
        place: &Place,
        skill: &Listed,
        file: &str,
        action: Action,
        make: impl FnOnce(Option<&[u8]>) -> Result<(Vec<u8>, Option<Patched>), Error>,
        executable: Option<bool>,
    ) -> Result<Change, Error> {
        check_support_path(file)?;
        refuse_flat(place, skill)?;
        let _lock = place.lock()?;
        self.settle(place)?;
        let folder = place.open()?;
        let shown = place.folder().join(file);
        let before = read_in(&folder, file, &shown)?;
        let (after, patched) = make(before.as_deref())?;
        if after.len() > MAX_FILE_BYTES {
            return Err(Error::TooLarge {
                what: file.to_owned(),
                found: after.len(),
                limit: MAX_FILE_BYTES,
                unit: "bytes",
            });
        }
        if before.as_deref() == Some(after.as_slice()) {
            return Err(Error::Refused("nothing would change".to_owned()));
        }
        let version = skill.summary.version.clone();
        let mut change = Change {
            action,
            name: skill.summary.name.clone(),
            path: place.key.clone(),
            files: vec![FileDelta {
                file: file.to_owned(),
                before: before.clone(),
                after: Some(after.clone()),
            }],
            revision: None,
            from_version: version.clone(),
            to_version: version,
            warnings: Vec::new(),
            patched,
        };
        if self.mode == Mode::Write {
            let about = about_skill(action, skill);
            let pending = vec![Pending {
                file: file.to_owned(),
                after: Some(after),
                executable: executable.unwrap_or(false),
            }];
            change.revision =
                Some(self.commit(place, &about, &[(file.to_owned(), before)], pending)?);
        }
        Ok(change)
    }

    /// Takes a supporting file away.
    pub fn remove_file(&self, skill: &Listed, file: &str) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        if file == place.main {
            return Err(Error::Refused(format!(
                "without `{file}` there is no skill; `hone rm {}` takes the whole skill away",
                skill.summary.name
            )));
        }
        check_support_path(file)?;
        refuse_flat(&place, skill)?;
        let _lock = place.lock()?;
        self.settle(&place)?;
        let folder = place.open()?;
        let shown = place.folder().join(file);
        let before = read_in(&folder, file, &shown)?.ok_or_else(|| no_file(&place, file))?;
        let version = skill.summary.version.clone();
        let mut change = Change {
            action: Action::RemoveFile,
            name: skill.summary.name.clone(),
            path: place.key.clone(),
            files: vec![FileDelta {
                file: file.to_owned(),
                before: Some(before.clone()),
                after: None,
            }],
            revision: None,
            from_version: version.clone(),
            to_version: version,
            warnings: Vec::new(),
            patched: None,
        };
        if self.mode == Mode::Write {
            let about = about_skill(Action::RemoveFile, skill);
            let executable = tree::is_executable(&folder, Path::new(file));
            let pending = vec![Pending { file: file.to_owned(), after: None, executable }];
            change.revision =
                Some(self.commit(&place, &about, &[(file.to_owned(), Some(before))], pending)?);
        }
        Ok(change)
    }

    /// Takes a skill away; [`Store::rollback`] brings it back.
    pub fn delete(&self, skill: &Listed) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        if self.is_pinned(skill)? {
            return Err(Error::Refused(format!(
                "`{0}` is pinned; `hone unpin {0}` first",
                skill.summary.name
            )));
        }
        let is_link = skill.key().symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link {
            return Err(Error::Refused(format!(
                "`{}` is a link to `{}`; remove the link by hand, or the skill where it really is",
                skill.key().display(),
                place.key.display()
            )));
        }
        if std::fs::canonicalize(&skill.root).is_ok_and(|root| root == place.key) {
            return Err(Error::Refused(format!(
                "`{}` is a whole root of skills",
                place.key.display()
            )));
        }
        let _lock = place.lock()?;
        self.settle(&place)?;
        let files = if place.is_flat {
            let folder = place.open()?;
            let bytes = read_in(&folder, &place.main, &place.key)?;
            let bytes = bytes.ok_or_else(|| no_file(&place, &place.main))?;
            let content = tree::Content::File { bytes, executable: false };
            BTreeMap::from([(place.main.clone(), content)])
        } else {
            tree::read(&place.open()?, &place.key)?
        };
        if let Some(other) = files.keys().find(|file| is_nested_skill(file)) {
            return Err(Error::Refused(format!(
                "another skill stands inside it at `{other}`; move or remove that one first"
            )));
        }
        let mut change = Change {
            action: Action::Delete,
            name: skill.summary.name.clone(),
            path: place.key.clone(),
            files: files
                .iter()
                .map(|(file, content)| FileDelta {
                    file: file.clone(),
                    before: Some(content.shown()),
                    after: None,
                })
                .collect(),
            revision: None,
            from_version: skill.summary.version.clone(),
            to_version: None,
            warnings: Vec::new(),
            patched: None,
        };
        if self.mode == Mode::Write {
            let mut changes = Vec::new();
            for (file, content) in &files {
                let hash = objects::put(self.state.home(), &content.stored())?;
                changes.push(FileChange {
                    file: file.clone(),
                    before: Some(hash),
                    after: None,
                    executable: content.is_executable(),
                    link: content.is_link(),
                });
            }
            let about = about_skill(Action::Delete, skill);
            let (id, revision) = self.begin(&place, &about, &changes)?;
            tree::remove(&place.parent, &place.key)?;
            ledger::finish(self.state, id)?;
            remove_empty_category(&place.parent, &skill.root);
            change.revision = Some(revision);
        }
        Ok(change)
    }

    /// Keeps a skill from being deleted or curated away.
    pub fn pin(&self, skill: &Listed) -> Result<bool, Error> {
        let key = canonical_or_same(skill.key());
        let key = utf8(&key)?;
        self.state.write(|db| {
            Ok(db.execute("INSERT OR IGNORE INTO pin VALUES (?1, ?2)", (key, self.author.now))? > 0)
        })
    }

    /// Takes a pin away; false when there was none.
    pub fn unpin(&self, skill: &Listed) -> Result<bool, Error> {
        let key = canonical_or_same(skill.key());
        let key = utf8(&key)?;
        self.state.write(|db| Ok(db.execute("DELETE FROM pin WHERE skill = ?1", [key])? > 0))
    }

    /// Whether a skill is pinned.
    pub fn is_pinned(&self, skill: &Listed) -> Result<bool, Error> {
        let key = canonical_or_same(skill.key());
        let key = utf8(&key)?;
        self.state.with(|db| {
            let mut statement = db.prepare_cached("SELECT 1 FROM pin WHERE skill = ?1")?;
            Ok(statement.exists([key])?)
        })
    }

    fn commit(
        &self,
        place: &Place,
        about: &About<'_>,
        found: &[(String, Option<Vec<u8>>)],
        pending: Vec<Pending>,
    ) -> Result<u64, Error> {
        self.commit_with(place, about, found, pending, &BTreeMap::new(), None)
    }

    /// Keeps the bytes, writes the ledger row, changes the files, marks the row done.
    pub(crate) fn commit_with(
        &self,
        place: &Place,
        about: &About<'_>,
        found: &[(String, Option<Vec<u8>>)],
        pending: Vec<Pending>,
        links: &BTreeMap<String, Vec<u8>>,
        reason: Option<&str>,
    ) -> Result<u64, Error> {
        self.record_outside(place, about, found)?;
        let home = self.state.home();
        let mut changes = Vec::new();
        for Pending { file, after, executable } in &pending {
            let before =
                found.iter().find(|(name, _)| name == file).and_then(|(_, bytes)| bytes.as_ref());
            changes.push(FileChange {
                file: file.clone(),
                before: before.map(|bytes| objects::put(home, bytes)).transpose()?,
                after: after.as_ref().map(|bytes| objects::put(home, bytes)).transpose()?,
                executable: *executable,
                link: links.contains_key(file),
            });
        }
        let (id, revision) = self.begin_with(place, about, &changes, reason)?;
        match self.apply(place, &pending, links) {
            Ok(()) => {
                ledger::finish(self.state, id)?;
                Ok(revision)
            }
            Err(error) => {
                // Nothing was renamed into place, so the row never happened.
                ledger::cancel(self.state, id)?;
                Err(error)
            }
        }
    }

    fn begin(
        &self,
        place: &Place,
        about: &About<'_>,
        changes: &[FileChange],
    ) -> Result<(i64, u64), Error> {
        self.begin_with(place, about, changes, None)
    }

    fn begin_with(
        &self,
        place: &Place,
        about: &About<'_>,
        changes: &[FileChange],
        reason: Option<&str>,
    ) -> Result<(i64, u64), Error> {
        let reason = match (reason, self.author.reason.as_str()) {
            (Some(what), "") => what.to_owned(),
            (Some(what), why) => format!("{what}: {why}"),
            (None, why) => why.to_owned(),
        };
        ledger::begin(
            self.state,
            &Draft {
                key: &place.key,
                at: self.author.now,
                actor: &self.author.actor,
                action: about.action,
                reason: &reason,
                name: about.name,
                slug: about.slug,
                from_version: about.from_version.as_deref(),
                to_version: about.to_version.as_deref(),
                changes,
            },
        )
    }

    /// Records what somebody changed without hone, so that history has no hole.
    fn record_outside(
        &self,
        place: &Place,
        about: &About<'_>,
        found: &[(String, Option<Vec<u8>>)],
    ) -> Result<(), Error> {
        let mut changes = Vec::new();
        for (file, bytes) in found {
            let known = ledger::last_hash(self.state, &place.key, file)?;
            let now = bytes.as_ref().map(|bytes| objects::hash(bytes));
            if known.clone().unwrap_or_default() != now {
                if let Some(bytes) = bytes {
                    objects::put(self.state.home(), bytes)?;
                }
                changes.push(FileChange {
                    file: file.clone(),
                    before: known.flatten(),
                    after: now,
                    executable: false,
                    link: false,
                });
            }
        }
        if changes.is_empty() {
            return Ok(());
        }
        let is_first = ledger::newest(self.state, &place.key)?.is_none();
        let (id, _) = ledger::begin(
            self.state,
            &Draft {
                key: &place.key,
                at: self.author.now,
                actor: "",
                action: Action::Outside,
                reason: if is_first { "as it was found" } else { "changed without hone" },
                name: about.name,
                slug: about.slug,
                from_version: None,
                to_version: about.from_version.as_deref(),
                changes: &changes,
            },
        )?;
        ledger::finish(self.state, id)
    }

    fn apply(
        &self,
        place: &Place,
        pending: &[Pending],
        links: &BTreeMap<String, Vec<u8>>,
    ) -> Result<(), Error> {
        let is_new = !place.is_flat && !place.key.is_dir();
        if is_new || pending.len() > 1 || !links.is_empty() {
            let current =
                if is_new { BTreeMap::new() } else { tree::read(&place.open()?, &place.key)? };
            let mut files = current;
            for Pending { file, after, executable } in pending {
                match after {
                    None => files.remove(file),
                    Some(bytes) if links.contains_key(file) => {
                        files.insert(file.clone(), tree::Content::link(bytes))
                    }
                    Some(bytes) => files.insert(
                        file.clone(),
                        tree::Content::File { bytes: bytes.clone(), executable: *executable },
                    ),
                };
            }
            return tree::write(&place.parent, &place.key, &files);
        }
        let folder = place.open()?;
        for Pending { file, after, executable } in pending {
            let path = Path::new(file);
            let shown = place.folder().join(file);
            match after {
                Some(bytes) => {
                    if let Some(parent) =
                        path.parent().filter(|parent| !parent.as_os_str().is_empty())
                    {
                        folder
                            .create_dir_all(parent)
                            .map_err(|error| confined(error, file, &shown))?;
                    }
                    replace_in(&folder, path, bytes, *executable, &shown)?;
                }
                None => {
                    folder.remove_file(path).map_err(|error| confined(error, file, &shown))?;
                    remove_empty_parents(&folder, path);
                    sync(&folder).map_err(Error::io("write", &shown))?;
                }
            }
        }
        Ok(())
    }

    /// Finishes or takes back the row of a writer that died, and removes what it had staged.
    pub(crate) fn settle(&self, place: &Place) -> Result<(), Error> {
        let Some((id, row)) = ledger::unfinished(self.state, &place.key)? else { return Ok(()) };
        if self.mode == Mode::DryRun {
            return Ok(());
        }
        sweep(&place.parent);
        let files: Vec<String> = row.changes.iter().map(|change| change.file.clone()).collect();
        if place.folder().is_dir() && !place.is_flat {
            sweep(&place.key);
            for support in SUPPORT_FOLDERS {
                sweep(&place.key.join(support));
            }
        }
        let now = self.present(place, &files)?;
        let happened =
            row.changes.iter().all(|change| now.get(&change.file) == change.after.as_ref());
        if happened { ledger::finish(self.state, id) } else { ledger::cancel(self.state, id) }
    }
}

/// Refuses a name that a skill of the root has already, or whose slug another name has taken.
pub fn refuse_existing(existing: &[Listed], root: &Path, name: &str) -> Result<(), Error> {
    let slug = Slug::new(name)?;
    match same_slug(existing, root, &slug) {
        None => Ok(()),
        Some(there) if same_name(there.summary.title(), name) => {
            Err(Error::Exists { name: slug.to_string(), path: there.path.clone() })
        }
        Some(there) => Err(Error::SlugConflict {
            new: name.to_owned(),
            old: there.summary.title().to_owned(),
            slug: slug.to_string(),
        }),
    }
}

fn same_slug<'s>(existing: &'s [Listed], root: &Path, slug: &Slug) -> Option<&'s Listed> {
    existing.iter().find(|skill| skill.root == root && skill.summary.slug == *slug)
}

fn about_skill(action: Action, skill: &Listed) -> About<'_> {
    About {
        action,
        name: &skill.summary.name,
        slug: skill.summary.slug.as_str(),
        from_version: skill.summary.version.clone(),
        to_version: if action == Action::Delete { None } else { skill.summary.version.clone() },
    }
}

/// Name and version that a reading declares.
pub(crate) fn described(reading: &Reading) -> (String, Option<String>) {
    reading
        .skill
        .as_ref()
        .map_or((String::new(), None), |skill| (skill.name.clone(), skill.version.clone()))
}

fn warnings(reading: &Reading) -> Vec<Diagnostic> {
    reading
        .diagnostics
        .iter()
        .filter(|d| d.severity(hone_skill::Profile::Lenient) >= Some(hone_skill::Severity::Warning))
        .cloned()
        .collect()
}

/// A text may be written when it is a valid skill, or at least breaks no rule that the old one kept.
fn validate(old: Option<&Reading>, text: &str, folder: Option<&str>) -> Result<Reading, Error> {
    let count = text.chars().count();
    let before = old.map(write_problems).unwrap_or_default();
    let was_long = before.iter().any(|problem| problem.rule == hone_skill::Rule::FileLong);
    if count > MAX_SKILL_CHARS && !was_long {
        return Err(Error::TooLarge {
            what: SKILL_FILE.to_owned(),
            found: count,
            limit: MAX_SKILL_CHARS,
            unit: "characters",
        });
    }
    let reading = read(text.as_bytes(), folder);
    let readable_before = old.is_some_and(|old| old.skill.is_some());
    let problems: Vec<Diagnostic> = write_problems(&reading)
        .into_iter()
        .filter(|problem| {
            problem.refuses
                || !readable_before
                || !before.iter().any(|known| known.rule == problem.rule)
        })
        .cloned()
        .collect();
    if !problems.is_empty() {
        return Err(Error::Invalid { problems, text: text.to_owned() });
    }
    let body_is_empty =
        reading.skill.as_ref().is_some_and(|skill| text[skill.body.clone()].trim().is_empty());
    if body_is_empty {
        return Err(Error::Refused("the skill has no body: write down what to do".to_owned()));
    }
    Ok(reading)
}

fn refuse_flat(place: &Place, skill: &Listed) -> Result<(), Error> {
    if place.is_flat {
        return Err(Error::Refused(format!(
            "`{}` is a single file and has no supporting files; make it a folder with `SKILL.md` first",
            skill.summary.name
        )));
    }
    Ok(())
}

/// A `SKILL.md` below a folder that is not one of the outer skill's own.
fn is_nested_skill(file: &str) -> bool {
    let mut parts = file.split('/');
    let first = parts.next().unwrap_or_default();
    file.ends_with("/SKILL.md") && !SUPPORT_FOLDERS.contains(&first)
}

fn remove_empty_parents(folder: &Dir, path: &Path) {
    for parent in path.ancestors().skip(1).take_while(|parent| !parent.as_os_str().is_empty()) {
        if folder.remove_dir(parent).is_err() {
            break;
        }
    }
}

/// A category folder that a deletion left empty goes too; the root stays.
fn remove_empty_category(parent: &Path, root: &Path) {
    let is_root = std::fs::canonicalize(root).is_ok_and(|root| root == parent);
    if !is_root {
        let _ = std::fs::remove_dir(parent);
    }
}

/// Removes what dead writers staged in a folder; the caller holds its lock.
fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(STAGING_PREFIX) {
            let path = entry.path();
            let _ = if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
        }
    }
}
