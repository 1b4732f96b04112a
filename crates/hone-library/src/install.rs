//! Skills that arrive whole, from elsewhere: one at a time or hundreds, each by one rename.
//!
//! The order is that of every write (lock, settle, keep, record, change, mark as done), but each step is
//! taken for all of them before the next: one lock, one transaction, and past [`SYNCED_EACH`] files one
//! wait for the whole file system instead of one for each file. What is there is replaced only when it
//! is what the caller saw.

use std::collections::BTreeMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hone_skill::{Reading, Slug, read};

use crate::atomic::staging_name;
use crate::commit::{FileEdit, Plan, apply};
use crate::cores;
use crate::error::Error;
use crate::files::check_arriving;
use crate::folder::{Content, Durability, Folder, is_executable, is_link, sync};
use crate::ledger::{self, Action, Draft, FileChange};
use crate::objects::{self, Keeping};
use crate::place::{Held, Missing, Place, SKILL_FILE, canonical_or_same, folder_in};
use crate::recovery::settle;
use crate::shares::follow;
use crate::state::State;
use crate::store::{Change, Mode, NEW_PROGRAM, Store, refuse_folder_name};
use crate::tree::{self, Files};
use crate::validate::{described, warnings};
use crate::walk::is_skill_file;

/// Files up to which each is made durable by itself; more are waited for together.
pub const SYNCED_EACH: usize = 16;

/// A file of a skill that arrives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewFile {
    /// Its content.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub is_executable: bool,
}

/// A skill that arrives.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The name of its folder.
    pub slug: Slug,
    /// The hash of every file that is in its folder now, as [`read_tree`] has them; `None` when there
    /// is no folder. Anything else on disk refuses the arrival.
    pub expected: Option<BTreeMap<String, String>>,
    /// The files to write, or with none, to take away. All others stay.
    pub files: BTreeMap<String, Option<NewFile>>,
    /// Where it comes from, for its history.
    pub reason: String,
}

/// A file of a skill's folder as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeFile {
    /// Its bytes; of a symbolic link, the target.
    pub bytes: Vec<u8>,
    /// Whether it may be run.
    pub is_executable: bool,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

impl From<Content> for TreeFile {
    fn from(content: Content) -> Self {
        let (is_executable, is_link) = (is_executable(content.mode), is_link(content.mode));
        Self { bytes: content.bytes, is_executable, is_link }
    }
}

/// A folder around skills, resolved and opened once to read any number of them.
#[derive(Debug)]
pub struct OpenRoot {
    path: PathBuf,
    /// None when it is not there.
    around: Option<Folder>,
}

impl OpenRoot {
    /// Opens a folder. One that is not there holds nothing.
    pub fn at(path: &Path) -> Result<Self, Error> {
        let path = canonical_or_same(path);
        let around = if path.is_dir() { Some(Folder::open(&path)?) } else { None };
        Ok(Self { path, around })
    }

    /// The folder, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Every file of a skill's folder, through a directory handle; `None` when there is no such folder.
    /// A link in its place is an error.
    pub fn tree(
        &self,
        name: impl AsRef<Path>,
    ) -> Result<Option<BTreeMap<String, TreeFile>>, Error> {
        let place = Place::at(self.path.join(name), false, SKILL_FILE.to_owned());
        let Some(around) = &self.around else { return Ok(None) };
        let Some(folder) = folder_in(around, &place)? else { return Ok(None) };
        let files = folder.all()?.into_iter().map(|(path, content)| (path, content.into()));
        Ok(Some(files.collect()))
    }
}

/// Every file of one skill's folder, as [`OpenRoot::tree`] has them.
pub fn read_tree(key: &Path) -> Result<Option<BTreeMap<String, TreeFile>>, Error> {
    let root = OpenRoot::at(key.parent().unwrap_or(Path::new("/")))?;
    root.tree(key.file_name().unwrap_or_default())
}

/// The kept bytes with a hash.
pub fn kept_object(state: &State, hash: &str) -> Result<Vec<u8>, Error> {
    objects::get(state.home(), hash)
}

/// The place of a skill's folder. The folder itself is not followed when it is a link.
fn place_at(key: &Path) -> Place {
    let parent = key.parent().unwrap_or(Path::new("/"));
    let name = key.file_name().unwrap_or_default();
    Place::at(canonical_or_same(parent).join(name), false, SKILL_FILE.to_owned())
}

impl Store<'_> {
    /// Installs skills into a root, new ones and later versions; the answers are in their order. The
    /// error is that of the state or the root, and then nothing arrived.
    pub fn install(
        &self,
        root: &Path,
        arrivals: Vec<Arrival>,
    ) -> Result<Vec<Result<Change, Error>>, Error> {
        let mut answers = self.bring(root, arrivals)?;
        let done = answers.iter_mut().flatten().filter(|change| change.revision.is_some());
        let mut done: Vec<&mut Change> = done.collect();
        let skills: Vec<&Path> = done.iter().map(|change| change.path.as_path()).collect();
        for stale in follow(self.state, &self.author, &skills) {
            if let Some(change) = done.iter_mut().find(|change| change.path == stale.skill) {
                change.stale.push(stale);
            }
        }
        Ok(answers)
    }

    /// As [`Store::install`], and copies in other agents' folders stay as they are.
    pub(crate) fn bring(
        &self,
        root: &Path,
        arrivals: Vec<Arrival>,
    ) -> Result<Vec<Result<Change, Error>>, Error> {
        let root = canonical_or_same(root);
        let place = |arrival: &Arrival| {
            Place::at(root.join(arrival.slug.as_str()), false, SKILL_FILE.to_owned())
        };
        let places: Vec<Place> = arrivals.iter().map(place).collect();
        let Some(first) = places.first() else { return Ok(Vec::new()) };
        let held = self.lock(first, Missing::Make)?;
        let mut answers = Vec::new();
        let mut plans = Vec::new();
        for (arrival, place) in arrivals.into_iter().zip(&places) {
            let held = held.beside(place);
            match plan(&held, arrival) {
                Ok(plan) => {
                    answers.push(Ok(plan.change(&place.key)));
                    plans.push((answers.len() - 1, held, plan));
                }
                Err(error) => answers.push(Err(error)),
            }
        }
        plans.retain(|(_, _, plan)| plan.changed().next().is_some());
        if self.mode == Mode::Write && !plans.is_empty() {
            self.arrive(&held, &plans, &mut answers)?;
        }
        Ok(answers)
    }

    fn arrive(
        &self,
        held: &Held<'_>,
        plans: &[(usize, Held<'_>, Plan)],
        answers: &mut [Result<Change, Error>],
    ) -> Result<(), Error> {
        let mut keeping = Keeping::begin(self.state)?;
        let count: usize = plans.iter().map(|(_, _, plan)| plan.changed().count()).sum();
        let durability = if CAN_SYNC_AT_ONCE && count > SYNCED_EACH {
            Durability::Later
        } else {
            Durability::Each
        };
        if durability == Durability::Later {
            let edits = || plans.iter().flat_map(|(_, _, plan)| plan.changed());
            let contents = edits().flat_map(|edit| [&edit.before, &edit.after]).flatten();
            let contents: Vec<&[u8]> = contents.map(|content| content.bytes.as_slice()).collect();
            keeping.keep_lightly(&contents)?;
        }
        // A row that is not done says nothing about what was kept: until something changes on the disk,
        // it is taken back. So what is new waits for the disk once, after its folders are built.
        let mut is_known = Vec::new();
        for (_, held, _) in plans {
            is_known.push(held.folder()?.is_some() || ledger::knows(self.state, &held.place.key)?);
        }
        let objects = self.state.home().join("objects");
        let waits_later = durability == Durability::Later && !is_known.contains(&true);
        if durability == Durability::Later && !waits_later {
            sync_file_system(&objects)?;
        }
        let mut changes: Vec<Vec<FileChange>> = Vec::new();
        for ((_, held, plan), is_known) in plans.iter().zip(is_known) {
            if is_known {
                self.record_outside(held, plan, &mut keeping)?;
            }
            let of_plan = plan.changed().map(|edit| match durability {
                Durability::Each => edit.kept(&mut keeping),
                Durability::Later => Ok(edit.hashed()),
            });
            changes.push(of_plan.collect::<Result<_, Error>>()?);
        }
        let drafts: Vec<Draft<'_>> = plans
            .iter()
            .zip(&changes)
            .map(|((_, held, plan), changes)| self.draft(held, plan, changes))
            .collect();
        let begun = ledger::begin_all(self.state, &drafts)?;
        let results = write_all(held, plans, durability, waits_later.then_some(&objects));
        let mut done = Vec::new();
        let mut has_failed = false;
        for (((at, ..), (id, revision)), result) in plans.iter().zip(begun).zip(results) {
            match (&mut answers[*at], result) {
                (Ok(change), Ok(())) => {
                    change.revision = Some(revision);
                    done.push(id);
                }
                (answer, result) => {
                    has_failed = true;
                    if let Err(error) = result {
                        *answer = Err(error);
                    }
                }
            }
        }
        ledger::finish_all(self.state, &done)?;
        if has_failed {
            // The files say whether each failed before or after they changed; what was kept for rows
            // that are taken back goes with them.
            let _ = settle(self.state, held);
        } else {
            keeping.done();
        }
        Ok(())
    }

    /// Finishes or takes back what a writer that died left in the folder around a skill.
    pub fn settle(&self, key: &Path) -> Result<(), Error> {
        let place = place_at(key);
        if place.parent.is_dir() {
            self.lock(&place, Missing::Fail)?;
        }
        Ok(())
    }

    /// Takes a skill's folder away when it holds exactly these files, by their hashes, with links and
    /// copies of it in other agents' folders; [`Store::rollback`] brings it back.
    pub fn uninstall(
        &self,
        key: &Path,
        expected: &BTreeMap<String, String>,
    ) -> Result<Change, Error> {
        let place = place_at(key);
        let held = self.lock(&place, Missing::Fail)?;
        let edits = self.removal(&held)?;
        let there = edits.iter().filter_map(|edit| Some((&edit.file, edit.before.as_ref()?)));
        let there: BTreeMap<String, String> =
            there.map(|(file, content)| (file.clone(), objects::hash(&content.bytes))).collect();
        if there != *expected {
            return Err(Error::Changed { path: place.key.clone() });
        }
        let main = edits.iter().find(|edit| is_skill_file(&edit.file));
        let main = main.and_then(|edit| edit.before.as_ref());
        let reading = main.map(|main| read(&main.bytes, place.name_of_folder()));
        let (name, version) = reading.as_ref().map(described).unwrap_or_default();
        let plan = Plan {
            action: Action::Delete,
            name,
            slug: place.name_of_folder().unwrap_or_default().to_owned(),
            from_version: version,
            to_version: None,
            reason: None,
            edits,
            warnings: Vec::new(),
            patched: None,
        };
        let change = self.carry_out(&held, &plan)?;
        Ok(self.followed(held, change))
    }
}

/// What an arrival changes.
fn plan(held: &Held<'_>, arrival: Arrival) -> Result<Plan, Error> {
    let place = held.place;
    refuse_folder_name(&place.parent, arrival.slug.as_str())?;
    arrival.files.keys().try_for_each(|file| check_arriving(file))?;
    let there = held.folder()?.map(|folder| folder.all()).transpose()?;
    let mut before = match (there, &arrival.expected) {
        (None, None) => BTreeMap::new(),
        (Some(_), None) => {
            let name = arrival.slug.to_string();
            return Err(Error::Exists { name, path: place.key.clone() });
        }
        (Some(there), Some(expected)) if is_as_expected(&there, expected) => there,
        _ => return Err(Error::Changed { path: place.key.clone() }),
    };
    let old = main_of(&before).map(|main| read(&main.bytes, place.name_of_folder()));
    let mut edits = Vec::new();
    for (file, new) in arrival.files {
        let old = before.remove(&file);
        let after = new.map(|new| Content::new(new.bytes, mode(old.as_ref(), new.is_executable)));
        edits.push(FileEdit { file, before: old, after });
    }
    let after = edits.iter().filter_map(|edit| Some((&edit.file, edit.after.as_ref()?)));
    let after: BTreeMap<&String, &Content> = after.chain(&before).collect();
    let main = after.iter().find(|(file, _)| file.as_str() == SKILL_FILE);
    let main = main.or_else(|| after.iter().find(|(file, _)| is_skill_file(file)));
    let Some((_, main)) = main else {
        return Err(Error::Refused(format!("there is no `{SKILL_FILE}` in `{}`", arrival.slug)));
    };
    let reading = readable(&main.bytes, place)?;
    let (name, to_version) = described(&reading);
    Ok(Plan {
        action: if arrival.expected.is_some() { Action::Update } else { Action::Install },
        name,
        slug: arrival.slug.to_string(),
        from_version: old.as_ref().and_then(|old| described(old).1),
        to_version,
        reason: Some(arrival.reason),
        edits,
        warnings: warnings(&reading),
        patched: None,
    })
}

fn main_of(files: &BTreeMap<String, Content>) -> Option<&Content> {
    files.get(SKILL_FILE).or_else(|| Some(files.iter().find(|(file, _)| is_skill_file(file))?.1))
}

fn is_as_expected(there: &BTreeMap<String, Content>, expected: &BTreeMap<String, String>) -> bool {
    there.len() == expected.len()
        && there.iter().zip(expected).all(|((file, content), (known, hash))| {
            file == known && objects::hash(&content.bytes) == *hash
        })
}

/// Reading is lenient: what arrives need not keep every rule, but it must be a skill.
fn readable(bytes: &[u8], place: &Place) -> Result<Reading, Error> {
    let reading = read(bytes, place.name_of_folder());
    if reading.skill.is_some() {
        return Ok(reading);
    }
    let text = String::from_utf8_lossy(bytes).into_owned();
    Err(Error::Invalid { problems: reading.diagnostics, text })
}

/// The permissions of a file: its own where they say the same, else the usual ones.
fn mode(old: Option<&Content>, executable: bool) -> Option<u32> {
    let old = old.and_then(|old| old.mode).filter(|mode| !is_link(Some(*mode)));
    match old {
        Some(mode) if is_executable(Some(mode)) == executable => Some(mode),
        Some(mode) => Some(mode & !0o111 | if executable { (mode & 0o444) >> 2 } else { 0 }),
        None => executable.then_some(NEW_PROGRAM),
    }
}

/// Changes the files of all plans. New folders that need not be durable one by one are built first,
/// waited for together with what else was `written`, and then get their names.
fn write_all(
    held: &Held<'_>,
    plans: &[(usize, Held<'_>, Plan)],
    durability: Durability,
    written: Option<&PathBuf>,
) -> Vec<Result<(), Error>> {
    if durability == Durability::Each {
        return plans.iter().map(|(_, held, plan)| apply(held, plan)).collect();
    }
    let staged = cores::each(plans, |(_, held, plan)| -> Result<Option<String>, Error> {
        if held.folder()?.is_some() {
            return Ok(None);
        }
        let staged = staging_name(&held.place.key);
        let files: Files<'_> =
            plan.changed().map(|edit| (edit.file.as_str(), edit.after.as_ref())).collect();
        tree::stage(held, &files, &staged, durability)?;
        Ok(Some(staged))
    });
    let elsewhere = written.filter(|written| !is_one_file_system(written, &held.place.parent));
    let synced = elsewhere
        .map_or(Ok(()), |written| sync_file_system(written))
        .and_then(|()| sync_file_system(&held.place.parent));
    let mut results: Vec<Result<(), Error>> = plans
        .iter()
        .zip(staged)
        .map(|((_, held, plan), staged)| match (staged?, &synced) {
            (None, _) => apply(held, plan),
            (Some(staged), Ok(())) => tree::bring_in(held, &staged),
            (Some(staged), Err(_)) => {
                tree::clear(&held.around()?.dir, &staged);
                Err(Error::Refused("the file system could not be waited for".to_owned()))
            }
        })
        .collect();
    let durable = held
        .around()
        .and_then(|around| sync(&around.dir).map_err(Error::io("write", &held.place.parent)));
    if let (Err(error), Some(first)) = (durable, results.first_mut()) {
        *first = Err(error);
    }
    results
}

#[cfg(target_os = "linux")]
const CAN_SYNC_AT_ONCE: bool = true;
#[cfg(not(target_os = "linux"))]
const CAN_SYNC_AT_ONCE: bool = false;

/// Whether two folders are waited for together.
fn is_one_file_system(one: &Path, other: &Path) -> bool {
    let device = |folder: &Path| folder.metadata().ok().map(|folder| folder.dev());
    device(one).is_some_and(|one| device(other) == Some(one))
}

/// Makes everything that was written to the file system of a folder durable.
#[cfg(target_os = "linux")]
fn sync_file_system(folder: &Path) -> Result<(), Error> {
    let synced = File::open(folder).and_then(|folder| Ok(rustix::fs::syncfs(folder)?));
    synced.map_err(Error::io("write", folder))
}

#[cfg(not(target_os = "linux"))]
fn sync_file_system(folder: &Path) -> Result<(), Error> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(Error::io("write", folder))
}
