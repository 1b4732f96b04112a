//! What git runs by itself: hooks, and programs that its configuration names.
//!
//! A command may write its workspace, and what it left there would run with all of its owner's rights
//! the next time somebody uses git in it. So in every repository of the workspace both are as they were
//! when the command is over. A repository that the command made has no hooks, and of its settings those
//! that can name no program. The same holds for what a person's own settings name in the workspace: a
//! folder of hooks, and settings that others include ([`reach`]).
//!
//! A repository is known by what git asks of one, not by its name: it may be called anything, and lie in
//! the folder of another. Links are not followed: what they lead to lies in the workspace too, and is
//! met there, or outside of what a command may write.

mod reach;
mod settings;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use reach::Reached;

/// Files and folders of a workspace at most; in a larger one no command runs.
const MAX_ENTRIES: usize = 1_000_000;

/// Hooks and settings of all repositories at most.
const MAX_FILES: usize = 4_096;

/// Bytes of hooks and settings at most.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The folder of a repository whose files git runs.
const HOOKS: &str = "hooks";

/// Files of a repository that can name programs.
const SETTINGS: [&str; 2] = ["config", "config.worktree"];

/// The hooks and settings of all repositories in a workspace as they were.
#[derive(Debug)]
pub(super) struct Repositories {
    workspace: PathBuf,
    known: Vec<Known>,
    reached: Reached,
    /// The files that are reached, as they were.
    files: BTreeMap<PathBuf, Kept>,
}

/// A repository as it was.
#[derive(Debug)]
struct Known {
    place: Place,
    /// What matters in it, by its path there.
    files: BTreeMap<PathBuf, Kept>,
}

/// The folder of a repository. One that is moved stays the same folder.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: PathBuf,
    device: u64,
    inode: u64,
}

#[derive(Debug, PartialEq, Eq)]
enum Kept {
    File { bytes: Vec<u8>, mode: u32 },
    Link(PathBuf),
}

impl Place {
    fn of(path: PathBuf) -> io::Result<Self> {
        let about = path.symlink_metadata()?;
        Ok(Self { path, device: about.dev(), inode: about.ino() })
    }

    fn is_same_folder(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

impl Repositories {
    /// Those of a workspace, or why no command may run beside them.
    pub(super) fn of(workspace: &Path) -> Result<Self, String> {
        Self::look(workspace).map_err(|error| {
            format!("what git runs by itself in `{}` cannot be kept: {error}", workspace.display())
        })
    }

    fn look(workspace: &Path) -> io::Result<Self> {
        let places = places(workspace, MAX_ENTRIES)?;
        let reached = Reached::of(workspace, &places)?;
        let files = reached.files()?;
        let known = look(places)?;
        Ok(Self { workspace: workspace.to_owned(), known, reached, files })
    }

    /// Puts everything back that is not as it was, and names it.
    pub(super) fn put_back(&self) -> Result<Vec<String>, String> {
        self.restore().map_err(|error| {
            format!(
                "what git runs by itself in `{}` cannot be put back: {error}",
                self.workspace.display()
            )
        })
    }

    fn restore(&self) -> io::Result<Vec<String>> {
        let places = places(&self.workspace, MAX_ENTRIES)?;
        let mut changed = Vec::new();
        for place in &places {
            match self.was(place, &places) {
                Some(files) => put_back(&place.path, files, &mut changed)?,
                None => disarm(&place.path, &mut changed)?,
            }
        }
        // The settings are what they were, so git can be asked about what is new.
        let reached = self.reached.and(Reached::of(&self.workspace, &places)?);
        let now = reached.files()?;
        for path in now.keys().chain(self.files.keys()).collect::<BTreeSet<_>>() {
            let was = self.files.get(path);
            // What went with its whole folder runs for nobody.
            let is_gone = !now.contains_key(path) && !path.parent().is_some_and(is_folder);
            if now.get(path) != was && !is_gone {
                reach::make_solid(&self.workspace, path)?;
                put(path, was)?;
                changed.push(path.clone());
            }
        }
        let shown = |path: &PathBuf| {
            path.strip_prefix(&self.workspace).unwrap_or(path).display().to_string()
        };
        Ok(changed.iter().map(shown).collect())
    }

    /// What a repository had before; nothing when it is new. One that is gone may have been made again
    /// in its place.
    fn was(&self, place: &Place, now: &[Place]) -> Option<&BTreeMap<PathBuf, Kept>> {
        let is_gone = |known: &Known| !now.iter().any(|other| known.place.is_same_folder(other));
        let same = self.known.iter().find(|known| known.place.is_same_folder(place));
        let again =
            || self.known.iter().find(|known| known.place.path == place.path && is_gone(known));
        same.or_else(again).map(|known| &known.files)
    }
}

/// Whether git runs, or reads as its settings, a file of a workspace that a person's settings lead to; the
/// path is below the workspace.
pub(super) fn reaches(workspace: &Path, path: &Path) -> io::Result<bool> {
    let path = workspace.join(path);
    let around = path.ancestors().skip(1).take_while(|folder| folder.starts_with(workspace));
    let places = around.map(|folder| folder.join(".git")).filter(|git| is_folder(git));
    let places: io::Result<Vec<Place>> = places.map(Place::of).collect();
    Ok(Reached::of(workspace, &places?)?.has(&path))
}

/// Brings a repository that was there before to what it was.
fn put_back(
    folder: &Path,
    files: &BTreeMap<PathBuf, Kept>,
    changed: &mut Vec<PathBuf>,
) -> io::Result<()> {
    let hooks = folder.join(HOOKS);
    // Whatever stands in the place of the folder goes: nothing is written through a link.
    if hooks.symlink_metadata().is_ok() && !is_folder(&hooks) {
        fs::remove_file(&hooks)?;
    }
    let now = names(folder)?;
    for name in now.iter().chain(files.keys()).collect::<BTreeSet<_>>() {
        let (path, was) = (folder.join(name), files.get(name));
        if keep(&path).ok().as_ref() != was {
            put(&path, was)?;
            changed.push(path);
        }
    }
    Ok(())
}

/// Takes everything from a new repository that could run by itself.
fn disarm(folder: &Path, changed: &mut Vec<PathBuf>) -> io::Result<()> {
    let hooks = folder.join(HOOKS);
    if hooks.symlink_metadata().is_ok() && !is_folder(&hooks) {
        fs::remove_file(&hooks)?;
        changed.push(hooks);
    }
    for name in names(folder)? {
        let path = folder.join(&name);
        let is_hook = name.starts_with(HOOKS);
        let now = keep(&path).ok();
        let harmless = match &now {
            Some(Kept::File { bytes, mode }) if !is_hook => {
                let bytes = settings::harmless(&String::from_utf8_lossy(bytes)).into_bytes();
                Some(Kept::File { bytes, mode: *mode })
            }
            _ => None,
        };
        if now.is_none() || now != harmless {
            put(&path, harmless.as_ref())?;
            changed.push(path);
        }
    }
    Ok(())
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|about| about.is_dir())
}

/// The folders of all repositories in a workspace.
fn places(workspace: &Path, most: usize) -> io::Result<Vec<Place>> {
    let mut found = Vec::new();
    let mut ahead = vec![workspace.to_owned()];
    let mut met = 0;
    while let Some(folder) = ahead.pop() {
        let entries = match fs::read_dir(&folder) {
            // Whoever may not look into a folder can have no repository in it.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => continue,
            entries => entries?,
        };
        let mut marks = Marks::default();
        for entry in entries {
            let entry = entry?;
            met += 1;
            if met > most {
                return Err(io::Error::other(format!("it has more than {most} files and folders")));
            }
            marks.see(&entry.file_name());
            if entry.file_type()?.is_dir() {
                ahead.push(entry.path());
            }
        }
        let is_named = folder.file_name().is_some_and(|name| name.eq_ignore_ascii_case(".git"));
        if is_named || marks.are_of_a_repository() {
            found.push(Place::of(folder)?);
        }
    }
    found.sort();
    Ok(found)
}

/// What git looks for in a folder before it takes it for a repository, or for a part of one.
#[derive(Debug, Default)]
struct Marks {
    head: bool,
    objects: bool,
    refs: bool,
    common: bool,
}

impl Marks {
    fn see(&mut self, name: &OsStr) {
        let is = |mark: &str| name.eq_ignore_ascii_case(mark);
        self.head |= is("HEAD");
        self.objects |= is("objects");
        self.refs |= is("refs");
        self.common |= is("commondir");
    }

    /// A part may have its head in one folder and all the rest in another.
    fn are_of_a_repository(&self) -> bool {
        self.objects && self.refs || self.head && self.common
    }
}

/// The files of a repository that matter here, by their paths in it. Samples of hooks run for nobody,
/// nor does a folder among them.
fn names(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut names: Vec<PathBuf> = SETTINGS.iter().map(PathBuf::from).collect();
    names.retain(|name| folder.join(name).symlink_metadata().is_ok());
    let hooks = folder.join(HOOKS);
    if is_folder(&hooks) {
        for entry in fs::read_dir(&hooks)? {
            let entry = entry?;
            let name = Path::new(HOOKS).join(entry.file_name());
            let is_sample = name.extension().is_some_and(|end| end == "sample");
            if !is_sample && !entry.file_type()?.is_dir() {
                names.push(name);
            }
            if names.len() > MAX_FILES {
                return Err(too_many());
            }
        }
    }
    Ok(names)
}

fn too_many() -> io::Error {
    io::Error::other(format!("there are more than {MAX_FILES} hooks and settings"))
}

fn look(places: Vec<Place>) -> io::Result<Vec<Known>> {
    let (mut bytes, mut count) = (0, 0);
    let mut known = Vec::new();
    for place in places {
        let mut files = BTreeMap::new();
        for name in names(&place.path)? {
            let path = place.path.join(&name);
            count += 1;
            if count > MAX_FILES {
                return Err(too_many());
            }
            bytes += path.symlink_metadata()?.len();
            if bytes > MAX_BYTES {
                return Err(io::Error::other(format!("they have more than {MAX_BYTES} bytes")));
            }
            files.insert(name, keep(&path)?);
        }
        known.push(Known { place, files });
    }
    Ok(known)
}

/// A file as it is. Of anything else than a file or a link nothing can be kept.
fn keep(path: &Path) -> io::Result<Kept> {
    let about = path.symlink_metadata()?;
    if about.is_symlink() {
        return fs::read_link(path).map(Kept::Link);
    }
    if !about.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    if about.len() > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Kept::File { bytes: fs::read(path)?, mode: about.permissions().mode() })
}

/// Brings a path to what it was.
fn put(path: &Path, was: Option<&Kept>) -> io::Result<()> {
    match path.symlink_metadata() {
        Ok(about) if about.is_dir() => fs::remove_dir_all(path)?,
        Ok(_) => fs::remove_file(path)?,
        Err(_) => {}
    }
    let Some(was) = was else { return Ok(()) };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    match was {
        Kept::Link(target) => std::os::unix::fs::symlink(target, path),
        Kept::File { bytes, mode } => {
            fs::write(path, bytes)?;
            fs::set_permissions(path, fs::Permissions::from_mode(*mode))
        }
    }
}

#[cfg(test)]
mod tests;
