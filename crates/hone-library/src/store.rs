//! The store: every change of a skill.
//!
//! Each write is validated, locked, recorded, atomic and reversible. The order of a write is: lock the
//! folder around the skill, settle what a dead writer left, read the old bytes through a directory
//! handle, build and validate the new ones, keep both by hash, write the ledger row, rename, mark the
//! row done. Whatever stops it, the files are the old or the new ones, and the ledger says which.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_skill::{
    Diagnostic, FIRST_VERSION, Field, Profile, Reading, Rule, Slug, ensure_frontmatter, fix,
    next_version, read, same_name, set_field, set_version,
};

use crate::catalogue::Listed;
use crate::commit::{FileEdit, Plan};
use crate::error::Error;
use crate::files::{MAX_FILE_BYTES, check_support_path};
use crate::folder::{Content, Folder};
use crate::history::{history, touched};
use crate::ledger::{self, Action};
use crate::patch::{Matching, Patched, patch};
use crate::place::{Held, Missing, Place, SKILL_FILE, canonical_or_same, no_file};
use crate::recovery::settle;
use crate::shares::Stale;
use crate::state::{State, utf8};
use crate::validate::{described, validate, warnings};
use crate::walk::{SUPPORT_FOLDERS, is_pruned, is_skill_file};

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
    /// Rules that the given text broke and that it was mended to keep.
    pub mended: Vec<Rule>,
    /// What a patch matched.
    pub patched: Option<Patched>,
    /// What was made of it in other agents' folders and stays as it was.
    pub stale: Vec<Stale>,
    /// Links and copies in other agents' folders that went with it.
    pub taken_back: Vec<PathBuf>,
}

/// The writer of skills.
#[derive(Debug)]
pub struct Store<'a> {
    pub(crate) state: &'a State,
    pub(crate) author: Author,
    pub(crate) mode: Mode,
    /// Supporting files that are written with a skill's text.
    beside: Vec<(String, Vec<u8>)>,
}

impl<'a> Store<'a> {
    /// A store that writes in the name of `author`.
    pub fn new(state: &'a State, author: Author, mode: Mode) -> Self {
        Self { state, author, mode, beside: Vec::new() }
    }

    /// Where it keeps its books.
    pub fn state(&self) -> &'a State {
        self.state
    }

    /// In whose name it writes.
    pub fn author(&self) -> &Author {
        &self.author
    }

    /// Whether it writes.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The same store, which writes this supporting file together with the text of a skill: what one act
    /// makes is one revision, and goes back as one.
    #[must_use]
    pub fn with_file(mut self, file: &str, content: Vec<u8>) -> Self {
        self.beside.push((file.to_owned(), content));
        self
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
        let parent = match category {
            None => root.to_owned(),
            Some(category) => root.join(checked_category(root, category)?),
        };
        let text = ensure_frontmatter(content, &slug, name, FIRST_VERSION)?;
        let place = folder_place(&parent, &slug)?;
        let change = self.create_at(&place, &slug, name, text, Action::Create)?;
        Ok(Change { mended: mended(content, &slug), ..change })
    }

    /// Creates a skill as the single file `root/slug.md`, for a root in which files are skills too.
    pub fn create_file(
        &self,
        root: &Path,
        name: &str,
        content: &str,
        existing: &[Listed],
    ) -> Result<Change, Error> {
        let slug = Slug::new(name)?;
        let file = format!("{slug}.md");
        let is_taken = |name: &str| root.join(name).symlink_metadata().is_ok();
        if is_skill_file(&file) || is_taken(slug.as_str()) || is_taken(&file) {
            // A file of that name would make the whole root a skill, or is something else already.
            return self.create(root, None, name, content, existing);
        }
        refuse_existing(existing, root, name)?;
        let text = ensure_frontmatter(content, &slug, name, FIRST_VERSION)?;
        let place = Place::at(canonical_or_same(root).join(&file), true, file);
        let change = self.create_at(&place, &slug, name, text, Action::Create)?;
        Ok(Change { mended: mended(content, &slug), ..change })
    }

    fn create_at(
        &self,
        place: &Place,
        slug: &Slug,
        title: &str,
        mut text: String,
        action: Action,
    ) -> Result<Change, Error> {
        let mut reading = validate(None, &text, Some(slug.as_str()))?;
        let held = self.lock(place, Missing::Make)?;
        if place.key.symlink_metadata().is_ok() {
            let old =
                held.folder().ok().flatten().and_then(|folder| folder.read(&place.main).ok()?);
            let old = old.and_then(|old| read(&old.bytes, Some(slug.as_str())).skill);
            return Err(match old {
                Some(old) if !same_name(old.title(), title) => Error::SlugConflict {
                    new: title.to_owned(),
                    old: old.title().to_owned(),
                    slug: slug.to_string(),
                },
                _ => Error::Exists { name: slug.to_string(), path: place.key.clone() },
            });
        }
        // Where a skill of that name was before, its versions are taken.
        let version = ledger::unused_version(self.state, &place.key, FIRST_VERSION.to_owned())?;
        if version != FIRST_VERSION {
            text = set_version(&text, &version)?;
            reading = validate(None, &text, Some(slug.as_str()))?;
        }
        let after = Content::new(text.into_bytes(), None);
        let mut plan = main_plan(place, action, None, after, &reading);
        plan.edits.extend(self.edits_beside(place, None)?);
        let change = self.carry_out(&held, &plan)?;
        if self.mode == Mode::Write {
            self.state.is_own(&place.key)?;
        }
        Ok(self.followed(held, change))
    }

    /// Makes a folder of a skill that is a single file: `slug.md` becomes `slug/SKILL.md`, with the same
    /// text. Two revisions say so, one for each of the two; should the process die between them both are
    /// there, and the next try goes on.
    pub fn unfold(&self, skill: &Listed) -> Result<Change, Error> {
        let from = Place::of(skill)?;
        let Some(name) = from.name_of_folder().filter(|_| from.is_flat) else {
            return Err(Error::Refused(format!("`{}` is a folder", skill.summary.name)));
        };
        let to = folder_place(&from.parent, &Slug::new(name)?)?;
        let held = self.lock(&from, Missing::Fail)?;
        let removal = self.removal(&held)?;
        let text = removal.iter().find(|edit| edit.file == from.main);
        let Some(text) = text.and_then(|edit| edit.before.clone()) else {
            return Err(no_file(&held.opened()?, &from.main));
        };
        refuse_link(&from.main, &text)?;
        let beside = held.beside(&to);
        let there = beside.folder()?.map(|folder| folder.read(SKILL_FILE)).transpose()?.flatten();
        let change = match there {
            Some(there) if there.bytes == text.bytes => None,
            Some(_) => {
                return Err(Error::Exists { name: name.to_owned(), path: to.key.clone() });
            }
            None => {
                let reading = read(&text.bytes, to.name_of_folder());
                let after = Content::new(text.bytes.clone(), None);
                let plan = main_plan(&to, Action::Create, None, after, &reading);
                let reason = Some(format!("a folder for `{}`", from.main));
                Some(self.carry_out(&beside, &Plan { reason, ..plan })?)
            }
        };
        let reason = Some(format!("it is the folder `{name}` now"));
        let plan = file_plan(skill, Action::Delete, removal);
        let gone = self.carry_out(&held, &Plan { reason, ..plan })?;
        if self.mode == Mode::Write {
            self.state.is_own(&to.key)?;
        }
        Ok(change.unwrap_or(gone))
    }

    /// Replaces the whole text of a skill.
    pub fn edit(&self, skill: &Listed, content: &str) -> Result<Change, Error> {
        self.rewrite(&Place::of(skill)?, Action::Edit, |_| Ok((content.to_owned(), None)))
    }

    /// Mends a skill's text.
    pub fn fix(&self, skill: &Listed, fixed: &str) -> Result<Change, Error> {
        self.rewrite(&Place::of(skill)?, Action::Fix, |_| Ok((fixed.to_owned(), None)))
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
        let Some(file) = file.filter(|file| *file != place.main) else {
            return self.rewrite(&place, Action::Patch, |text| {
                let patched = patch(text, old, new, matching)?;
                Ok((patched.text.clone(), Some(patched)))
            });
        };
        self.write_support(&place, skill, file, Action::Patch, |folder, before| {
            let before = before.ok_or_else(|| no_file(folder, file))?;
            let text = std::str::from_utf8(&before.bytes)
                .map_err(|_| Error::Refused(format!("`{file}` is not text")))?;
            let patched = patch(text, old, new, matching)?;
            let after = Content::new(patched.text.clone().into_bytes(), before.mode);
            Ok((after, Some(patched)))
        })
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
        let change = if let Some(skill) = same_slug(existing, root, &slug) {
            self.upgrade(&Place::of(skill)?, &slug, name, content)
        } else {
            let text = ensure_frontmatter(content, &slug, name, FIRST_VERSION)?;
            let place = folder_place(root, &slug)?;
            match self.create_at(&place, &slug, name, text, Action::Upsert) {
                // Somebody was faster: then there is something to bring to its next version.
                Err(Error::Exists { path, .. }) if path.join(SKILL_FILE).is_file() => {
                    let place = Place::at(path, false, SKILL_FILE.to_owned());
                    self.upgrade(&place, &slug, name, content)
                }
                other => other,
            }
        };
        Ok(Change { mended: mended(content, &slug), ..change? })
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
            let next = next_version(prior.and_then(|prior| prior.version.as_deref()));
            let version = ledger::unused_version(self.state, &place.key, next)?;
            let mut text = ensure_frontmatter(content, slug, name, &version)?;
            // A folder that somebody named otherwise keeps its name, and the skill with it.
            if let (Some(prior), Some(folder)) = (prior, place.name_of_folder())
                && prior.name == folder
                && prior.name != slug.as_str()
            {
                text = set_field(&text, Field::Top("name"), &prior.name)?;
            }
            Ok((text, None))
        })
    }

    /// The way of every change of a skill's own text.
    fn rewrite(
        &self,
        place: &Place,
        action: Action,
        make: impl FnOnce(&str) -> Result<(String, Option<Patched>), Error>,
    ) -> Result<Change, Error> {
        let held = self.lock(place, Missing::Fail)?;
        let folder = held.opened()?;
        let before = folder.read(&place.main)?.ok_or_else(|| no_file(&folder, &place.main))?;
        refuse_link(&place.main, &before)?;
        let text = std::str::from_utf8(&before.bytes)
            .map_err(|_| Error::Refused(format!("`{}` is not UTF-8", place.main)))?;
        let (text, patched) = make(text)?;
        let old = read(&before.bytes, place.name_of_folder());
        let reading = validate(Some((&old, &before.bytes)), &text, place.name_of_folder())?;
        let after = Content::new(text.into_bytes(), before.mode);
        let mut plan = main_plan(place, action, Some(before), after, &reading);
        plan.from_version = described(&old).1;
        plan.patched = patched;
        plan.edits.extend(self.edits_beside(place, Some(&folder))?);
        let change = self.carry_out(&held, &plan)?;
        Ok(self.followed(held, change))
    }

    /// The supporting files that come with a text, each with what is there.
    fn edits_beside(&self, place: &Place, folder: Option<&Folder>) -> Result<Vec<FileEdit>, Error> {
        let edit = |(file, content): &(String, Vec<u8>)| {
            check_support_path(file)?;
            refuse_flat(place, place.name_of_folder().unwrap_or_default())?;
            let before = folder.map(|folder| folder.read(file)).transpose()?.flatten();
            if let Some(before) = &before {
                refuse_link(file, before)?;
            }
            let mode = before.as_ref().and_then(|before| before.mode);
            let after = Content::new(content.clone(), mode);
            refuse_large(file, &after)?;
            Ok(FileEdit { file: file.clone(), before, after: Some(after) })
        };
        self.beside.iter().map(edit).collect()
    }

    /// Writes a supporting file; `SKILL.md` goes the way of an edit. A file that is there keeps its
    /// permissions; `executable` adds the right to run it.
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
        self.write_support(&place, skill, file, Action::WriteFile, |_, before| {
            let old = before.and_then(|before| before.mode);
            let mode = match old {
                // Whoever may read it may run it.
                Some(mode) if executable => Some(mode | (mode & 0o444) >> 2),
                None if executable => Some(NEW_PROGRAM),
                old => old,
            };
            Ok((Content::new(content.to_vec(), mode), None))
        })
    }

    fn write_support(
        &self,
        place: &Place,
        skill: &Listed,
        file: &str,
        action: Action,
        make: impl FnOnce(&Folder, Option<&Content>) -> Result<(Content, Option<Patched>), Error>,
    ) -> Result<Change, Error> {
        check_support_path(file)?;
        refuse_flat(place, &skill.summary.name)?;
        let held = self.lock(place, Missing::Fail)?;
        let folder = held.opened()?;
        let before = folder.read(file)?;
        if let Some(before) = &before {
            refuse_link(file, before)?;
        }
        let (after, patched) = make(&folder, before.as_ref())?;
        refuse_large(file, &after)?;
        let edit = FileEdit { file: file.to_owned(), before, after: Some(after) };
        let plan = Plan { patched, ..file_plan(skill, action, vec![edit]) };
        let change = self.carry_out(&held, &plan)?;
        Ok(self.followed(held, change))
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
        refuse_flat(&place, &skill.summary.name)?;
        let held = self.lock(&place, Missing::Fail)?;
        let folder = held.opened()?;
        let before = folder.read(file)?.ok_or_else(|| no_file(&folder, file))?;
        let edit = FileEdit { file: file.to_owned(), before: Some(before), after: None };
        let change = self.carry_out(&held, &file_plan(skill, Action::RemoveFile, vec![edit]))?;
        Ok(self.followed(held, change))
    }

    /// Takes a skill away, with links and copies of it in other agents' folders; [`Store::rollback`]
    /// brings it back.
    pub fn delete(&self, skill: &Listed) -> Result<Change, Error> {
        let place = Place::of(skill)?;
        let is_link = skill.key().symlink_metadata().is_ok_and(|metadata| metadata.is_symlink());
        if is_link {
            return Err(Error::Refused(format!(
                "`{}` is a link to `{}`; remove the link by hand, or the skill where it really is",
                skill.key().display(),
                place.key.display()
            )));
        }
        let root = std::fs::canonicalize(&skill.root).unwrap_or_else(|_| skill.root.clone());
        if root == place.key {
            return Err(Error::Refused(format!(
                "`{}` is a whole root of skills",
                place.key.display()
            )));
        }
        let held = self.lock(&place, Missing::Fail)?;
        let edits = self.removal(&held)?;
        let change = self.carry_out(&held, &file_plan(skill, Action::Delete, edits))?;
        // A category that is left empty goes too; the root stays.
        if self.mode == Mode::Write && place.parent != root && place.parent.starts_with(&root) {
            let _ = std::fs::remove_dir(&place.parent);
        }
        Ok(self.followed(held, change))
    }

    /// The edits that take a whole skill away, with those files that somebody else took before.
    pub(crate) fn removal(&self, held: &Held<'_>) -> Result<Vec<FileEdit>, Error> {
        let place = held.place;
        if self.is_pinned_at(&place.key)? {
            let name = place.name_of_folder().unwrap_or_default();
            return Err(Error::Refused(format!("`{name}` is pinned; `hone unpin {name}` first")));
        }
        let folder = held.opened()?;
        let mut files = if place.is_flat {
            let file = folder.read(&place.main)?.ok_or_else(|| no_file(&folder, &place.main))?;
            BTreeMap::from([(place.main.clone(), Some(file))])
        } else {
            folder.all()?.into_iter().map(|(file, content)| (file, Some(content))).collect()
        };
        if let Some(other) = files.keys().find(|file| is_nested_skill(file)) {
            return Err(Error::Refused(format!(
                "another skill stands inside it at `{other}`; move or remove that one first"
            )));
        }
        for file in touched(&history(self.state, &place.key)?) {
            files.entry(file.to_owned()).or_default();
        }
        Ok(files.into_iter().map(|(file, before)| FileEdit { file, before, after: None }).collect())
    }

    /// Keeps a skill from being deleted or curated away; false when it was pinned already.
    pub fn pin(&self, skill: &Listed) -> Result<bool, Error> {
        let key = canonical_or_same(skill.key());
        if self.mode == Mode::DryRun {
            return Ok(!self.is_pinned_at(&key)?);
        }
        let key = utf8(&key)?;
        self.state.write(|db| {
            Ok(db.execute("INSERT OR IGNORE INTO pin VALUES (?1, ?2)", (key, self.author.now))? > 0)
        })
    }

    /// Takes a pin away; false when there was none.
    pub fn unpin(&self, skill: &Listed) -> Result<bool, Error> {
        let key = canonical_or_same(skill.key());
        if self.mode == Mode::DryRun {
            return self.is_pinned_at(&key);
        }
        let key = utf8(&key)?;
        self.state.write(|db| Ok(db.execute("DELETE FROM pin WHERE skill = ?1", [key])? > 0))
    }

    /// Whether a skill is pinned.
    pub fn is_pinned(&self, skill: &Listed) -> Result<bool, Error> {
        self.is_pinned_at(&canonical_or_same(skill.key()))
    }

    fn is_pinned_at(&self, key: &Path) -> Result<bool, Error> {
        let key = utf8(key)?;
        self.state.with(|db| {
            let mut statement = db.prepare_cached("SELECT 1 FROM pin WHERE skill = ?1")?;
            Ok(statement.exists([key])?)
        })
    }

    /// Locks a place and settles what dead writers left there.
    pub(crate) fn lock<'p>(&self, place: &'p Place, missing: Missing) -> Result<Held<'p>, Error> {
        let missing = match self.mode {
            Mode::DryRun if missing == Missing::Make => Missing::Ignore,
            _ => missing,
        };
        let held = place.lock(missing)?;
        if self.mode == Mode::Write {
            settle(self.state, &held)?;
        }
        Ok(held)
    }
}

/// Where a skill with a folder of its own would be.
fn folder_place(parent: &Path, slug: &Slug) -> Result<Place, Error> {
    refuse_folder_name(parent, slug.as_str())?;
    let key = canonical_or_same(parent).join(slug.as_str());
    Ok(Place::at(key, false, SKILL_FILE.to_owned()))
}

/// Permissions of a new program.
pub(crate) const NEW_PROGRAM: u32 = 0o100_755;

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
    let is_here =
        |other: &Path| other == root || canonical_or_same(other) == canonical_or_same(root);
    existing.iter().find(|skill| skill.summary.slug == *slug && is_here(&skill.root))
}

fn checked_category<'c>(root: &Path, category: &'c str) -> Result<&'c str, Error> {
    let shown = category.escape_debug();
    let why = if !hone_skill::is_valid_name(category) {
        "use lower-case letters, digits and hyphens"
    } else if is_pruned(category) {
        "no skill is looked for in a folder of that name"
    } else if holds_skill(&root.join(category)) {
        "it is a skill"
    } else {
        return Ok(category);
    };
    Err(Error::Refused(format!("`{shown}` cannot be a category: {why}")))
}

/// The rules that [`ensure_frontmatter`] mends a text to keep. The name is set in any case.
fn mended(content: &str, slug: &Slug) -> Vec<Rule> {
    let (_, mut rules) = fix(content, Some(slug.as_str()), Profile::Spec);
    rules.retain(|rule| !rule.id().starts_with("name-"));
    rules
}

/// Refuses the name of a folder in which no skill is looked for.
pub(crate) fn refuse_folder_name(parent: &Path, name: &str) -> Result<(), Error> {
    if is_pruned(name) || (holds_skill(parent) && is_support_folder(name)) {
        return Err(Error::Refused(format!(
            "no skill is looked for in a folder called `{name}`; choose another name"
        )));
    }
    Ok(())
}

fn holds_skill(folder: &Path) -> bool {
    [SKILL_FILE, "skill.md"].iter().any(|file| folder.join(file).symlink_metadata().is_ok())
}

fn is_support_folder(name: &str) -> bool {
    SUPPORT_FOLDERS.contains(&name)
}

/// A change of a skill's own text.
fn main_plan(
    place: &Place,
    action: Action,
    before: Option<Content>,
    after: Content,
    reading: &Reading,
) -> Plan {
    let (name, to_version) = described(reading);
    Plan {
        action,
        name,
        slug: reading.skill.as_ref().map_or(String::new(), |skill| skill.slug.to_string()),
        from_version: None,
        to_version,
        reason: None,
        edits: vec![FileEdit { file: place.main.clone(), before, after: Some(after) }],
        warnings: warnings(reading),
        patched: None,
    }
}

/// A change of a skill's files that leaves its text alone, or takes all of it away.
fn file_plan(skill: &Listed, action: Action, edits: Vec<FileEdit>) -> Plan {
    let version = &skill.summary.version;
    Plan {
        action,
        name: skill.summary.name.clone(),
        slug: skill.summary.slug.to_string(),
        from_version: version.clone(),
        to_version: version.clone().filter(|_| action != Action::Delete),
        reason: None,
        edits,
        warnings: Vec::new(),
        patched: None,
    }
}

fn refuse_link(file: &str, content: &Content) -> Result<(), Error> {
    match content.target() {
        None => Ok(()),
        Some(target) => Err(Error::Refused(format!(
            "`{file}` is a link to `{}`; change the file that it leads to",
            target.display()
        ))),
    }
}

fn refuse_flat(place: &Place, name: &str) -> Result<(), Error> {
    if place.is_flat {
        return Err(Error::Refused(format!(
            "`{name}` is a single file and has no supporting files; make it a folder with `SKILL.md` first"
        )));
    }
    Ok(())
}

fn refuse_large(file: &str, content: &Content) -> Result<(), Error> {
    if content.bytes.len() > MAX_FILE_BYTES {
        return Err(Error::TooLarge {
            what: file.to_owned(),
            found: content.bytes.len(),
            limit: MAX_FILE_BYTES,
            unit: "bytes",
        });
    }
    Ok(())
}

/// A skill file that discovery would find inside this skill.
fn is_nested_skill(file: &str) -> bool {
    let Some((folders, name)) = file.rsplit_once('/') else { return false };
    is_skill_file(name)
        && !folders.split('/').any(is_pruned)
        && !folders.split('/').next().is_some_and(is_support_folder)
}
