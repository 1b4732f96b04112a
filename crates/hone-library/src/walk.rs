//! Discovery: from a root to the skill files below it, each once, with the index's help.
//!
//! A warm walk asks `stat` once for each folder and once for each skill file, and opens neither. Of a folder
//! that a watch knows to be as it was, nothing is asked.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::num::NonZeroU64;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use hone_skill::limits::MAX_READ_BYTES;

use crate::files::SUITE_FILE;
use crate::index::{FileEntry, FolderEntry, Index, Seen, Stamp, file_clock};
use crate::record::Record;
use crate::root::{Layout, Root};
use crate::state::State;
use crate::watch::Met;

/// Folders that never hold skills: dependencies, version control, caches, archives.
const PRUNED: [&str; 24] = [
    "node_modules",
    ".git",
    ".hg",
    ".svn",
    ".jj",
    ".bzr",
    "__pycache__",
    "site-packages",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".cache",
    ".pytest_cache",
    ".mypy_cache",
    ".ruff_cache",
    ".npm",
    ".Trash",
    ".archive",
    ".hub",
    ".restore-backups",
    ".curator_backups",
    "lost+found",
    ".DS_Store",
];

/// The start of the names of our own unfinished work.
pub(crate) const STAGING_PREFIX: &str = ".hone-";

/// Folders that belong to a skill and hold no skills of their own.
pub(crate) const SUPPORT_FOLDERS: [&str; 4] = ["references", "templates", "scripts", "assets"];

/// A skill file and what it said.
#[derive(Debug)]
pub(crate) struct Found {
    /// The skill file.
    pub(crate) path: PathBuf,
    /// The skill is this single file, not the folder around it.
    pub(crate) is_flat: bool,
    /// How many folders below the root the skill's folder is.
    pub(crate) depth: usize,
    /// The skill file is a symbolic link.
    pub(crate) is_link: bool,
    /// The skill folder in whose tree it stands.
    pub(crate) nested_in: Option<PathBuf>,
    /// Other paths that lead to it.
    pub(crate) also_at: Vec<PathBuf>,
    /// What `stat` said about the file, when that can be relied on.
    pub(crate) mark: Option<NonZeroU64>,
    /// A suite lies beside it.
    pub(crate) has_suite: bool,
    pub(crate) record: Record,
}

/// What a walk of one root gave.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    pub(crate) found: Vec<Found>,
    /// Folders that lie too deep to be looked into.
    pub(crate) too_deep: Vec<PathBuf>,
    /// Folders that could not be looked into, and why.
    pub(crate) closed: Vec<(PathBuf, String)>,
}

/// A skill that was found: number of the walk, place in it.
type At = (usize, usize);

/// Walks roots one after the other; a folder reachable twice is met once.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    /// Folders met, by identity, with the skill found in each.
    folders: HashMap<(u64, u64), Option<At>>,
    /// Skill files met, by identity; several when they are hard links.
    files: HashMap<(u64, u64), Vec<At>>,
    walks: Vec<Walked>,
    /// What the walks depend on, when somebody wants to know.
    met: Option<Met>,
}

/// One walk of one root.
struct Walk<'a> {
    layout: Layout,
    max_depth: usize,
    /// Links that lead out of this folder are not followed.
    confined_to: Option<&'a Path>,
    index: Index,
    real: Vec<Step>,
    /// Links wait until all real folders were met, so that a skill is known by its real path.
    links: VecDeque<Step>,
}

/// A folder still to be looked at.
struct Step {
    path: String,
    depth: usize,
    reached: Reached,
    nested_in: Option<Arc<Path>>,
    /// The folder around it is the one in which it was met before.
    is_in_place: bool,
}

/// How a walk came to a folder.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reached {
    /// Through real folders only.
    Directly,
    /// It is a link itself.
    ByLink,
    /// It lies below a link.
    BelowLink,
}

/// A folder that was looked at.
struct Visit {
    step: Step,
    identity: (u64, u64),
    /// What it holds; `None` when it was met before under another path.
    entry: Option<Box<FolderEntry>>,
    is_changed: bool,
    /// A watch knows that folder and files are as they were.
    is_still: bool,
    /// It is the folder that was met under this path before.
    is_same: bool,
}

/// Said of a link that an untrusted project may not lead us along.
const LEADS_OUT: &str = "it leads out of the project, which is not trusted";

impl Walker {
    /// A walker that remembers what its walks depend on, where it is wanted.
    pub(crate) fn noting(met: Option<Met>) -> Self {
        Self { met, ..Self::default() }
    }

    /// Looks for skills below `root`, at most `max_depth` folders deep. With `confined_to`, links
    /// that lead out of that folder are reported and not followed.
    ///
    /// One core looks at folders, the others at the skill files in them.
    pub(crate) fn walk(
        &mut self,
        state: &State,
        root: &Root,
        max_depth: usize,
        confined_to: Option<&Path>,
    ) {
        self.walks.push(Walked::default());
        let Some(start) = root.path.to_str() else {
            self.close(&root.path, "the path is not UTF-8");
            return;
        };
        let start = Step {
            path: start.to_owned(),
            depth: 0,
            reached: Reached::Directly,
            nested_in: None,
            is_in_place: true,
        };
        let mut walk = Walk {
            layout: root.layout,
            max_depth,
            confined_to,
            index: Index::load(state, &start.path),
            real: vec![start],
            links: VecDeque::new(),
        };
        let visits = refreshed(|| {
            while let Some(step) = walk.real.pop().or_else(|| walk.links.pop_front()) {
                let Some(visit) = self.visit(step, &mut walk) else { continue };
                self.descend(&visit, &mut walk);
                return Some(visit);
            }
            None
        });
        let changed = visits
            .iter()
            .filter(|visit| visit.is_changed)
            .filter_map(|visit| Some((visit.step.path.as_str(), visit.entry.as_deref()?)));
        walk.index.store(state, max_depth, &changed);
        for visit in visits {
            self.collect(visit, confined_to);
        }
    }

    /// The walks, in the order in which they were made, and what they depend on.
    pub(crate) fn finish(self) -> (Vec<Walked>, Option<Met>) {
        (self.walks, self.met)
    }

    fn current(&mut self) -> &mut Walked {
        self.walks.last_mut().expect("a walk is under way")
    }

    fn close(&mut self, path: &Path, message: impl Into<String>) {
        self.current().closed.push((path.to_owned(), message.into()));
    }

    /// Looks at a folder; `None` when there is none.
    fn visit(&mut self, step: Step, walk: &mut Walk<'_>) -> Option<Visit> {
        let path = Path::new(&step.path);
        if let Some(met) = self.met.as_mut().filter(|_| step.reached == Reached::ByLink) {
            met.paths.push(path.to_owned());
        }
        let now = file_clock();
        let known = self.known(&step, &walk.index);
        let stamp = match known {
            Some(stamp) => stamp,
            None => match std::fs::metadata(path) {
                Ok(metadata) if metadata.is_dir() => Stamp::of(&metadata),
                Ok(_) => return None,
                Err(error) => {
                    self.unreachable(path, step.reached, &error);
                    return None;
                }
            },
        };
        let identity = stamp.identity();
        let met = self.met.as_mut();
        let is_same = met.is_some_and(|met| met.meet(&step.path, identity, known.is_some()));
        let mut visit =
            Visit { step, identity, entry: None, is_changed: false, is_still: false, is_same };
        let step = &visit.step;
        let path = Path::new(&step.path);
        if self.folders.contains_key(&identity) {
            walk.index.leave(&step.path);
            return Some(visit);
        }
        let may_jump = step.depth == 0 || step.reached == Reached::ByLink;
        if may_jump && leads_out(path, walk.confined_to) {
            walk.index.leave(&step.path);
            self.close(path, LEADS_OUT);
            return None;
        }
        self.folders.insert(identity, None);
        let with_flat = walk.layout == Layout::FoldersAndFiles && step.depth == 0;
        let indexed = walk.index.take(&step.path);
        let is_current =
            |entry: &FolderEntry| entry.seen.still(stamp) && entry.with_flat == with_flat;
        let is_changed = !indexed.as_deref().is_some_and(is_current);
        let entry = match indexed {
            Some(entry) if !is_changed => entry,
            indexed => match list(path, with_flat, Seen::new(stamp, now)) {
                Ok(entry) => Box::new(entry.with_known_files(indexed)),
                Err(error) => {
                    self.close(path, error.to_string());
                    return None;
                }
            },
        };
        for name in &entry.odd {
            self.close(&path.join(name), "the folder's name is not UTF-8");
        }
        visit.is_still = known.is_some() && !is_changed;
        visit.is_changed = is_changed;
        visit.entry = Some(entry);
        Some(visit)
    }

    /// What `stat` would say about a folder, where a watch would have noted anything else.
    fn known(&self, step: &Step, index: &Index) -> Option<Stamp> {
        let met = self.met.as_ref().filter(|_| step.is_in_place)?;
        let mark = met.known(&step.path)?.mark?;
        // What is kept on the disk may be from before.
        let entry = index.get(&step.path)?;
        (entry.mark() == Some(mark)).then(|| entry.seen.stamp())
    }

    /// A folder that just went away holds no skill; a link that leads nowhere may have been one.
    fn unreachable(&mut self, path: &Path, reached: Reached, error: &std::io::Error) {
        let is_hidden =
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if error.kind() == std::io::ErrorKind::PermissionDenied {
            self.close(path, error.to_string());
        } else if reached == Reached::ByLink && !is_hidden {
            // Hidden ones are how editors lock files.
            self.close(path, format!("the link leads nowhere ({error})"));
        }
    }

    /// Puts the folders and links below a folder on the list.
    fn descend(&mut self, visit: &Visit, walk: &mut Walk<'_>) {
        let Visit { step, entry: Some(entry), .. } = visit else { return };
        let path = Path::new(&step.path);
        if step.depth >= walk.max_depth {
            let has_more = || {
                !entry.folders.is_empty() || entry.links.iter().any(|link| path.join(link).is_dir())
            };
            if step.nested_in.is_none() && !entry.holds_skill() && has_more() {
                self.current().too_deep.push(path.to_owned());
            }
            return;
        }
        if entry.folders.is_empty() && entry.links.is_empty() {
            return;
        }
        let nested_in =
            if entry.holds_skill() { Some(path.into()) } else { step.nested_in.clone() };
        // Another folder of the same name has others below it, which nobody has watched.
        let is_same = step.is_in_place && visit.is_same;
        let below = |name: &String, reached: Reached| Step {
            path: format!("{}/{name}", step.path.trim_end_matches('/')),
            depth: step.depth + 1,
            reached,
            nested_in: nested_in.clone(),
            is_in_place: is_same && reached == Reached::Directly,
        };
        // The next to be taken goes on last, so that folders are met in order, depth first.
        for name in entry.folders.iter().rev() {
            if step.reached == Reached::Directly {
                walk.real.push(below(name, Reached::Directly));
            } else {
                walk.links.push_front(below(name, Reached::BelowLink));
            }
        }
        walk.links.extend(entry.links.iter().map(|name| below(name, Reached::ByLink)));
    }

    /// Adds the skills of a folder to what was found.
    fn collect(&mut self, visit: Visit, confined_to: Option<&Path>) {
        let Visit { step, identity, entry, .. } = visit;
        let folder = Path::new(&step.path);
        if let (Some(met), Some(entry)) = (&mut self.met, &entry) {
            met.mark(&step.path, entry.mark());
        }
        let Some(entry) = entry else {
            if let Some(Some((walk, at))) = self.folders.get(&identity) {
                let found = &mut self.walks[*walk].found[*at];
                let file = found.path.file_name().unwrap_or_default();
                found.also_at.push(folder.join(file));
            }
            return;
        };
        for file in entry.files {
            let path = folder.join(&file.name);
            if let Some(met) = &mut self.met {
                met.paths.extend(file.is_link.then(|| path.clone()));
                met.paths.extend(file.policy.map(|_| folder.join("agents/openai.yaml")));
            }
            if file.is_link && leads_out(&path, confined_to) {
                self.close(&path, LEADS_OUT);
                continue;
            }
            let found = Found {
                path,
                is_flat: !is_skill_file(&file.name),
                depth: step.depth,
                is_link: file.is_link,
                nested_in: step.nested_in.as_deref().map(Path::to_owned),
                also_at: Vec::new(),
                mark: file.seen.and_then(|seen| seen.mark()),
                has_suite: entry.has_suite && is_skill_file(&file.name),
                record: file.record,
            };
            let is_folder = !found.is_flat;
            let at = self.add(found, file.seen.map(|seen| seen.identity()));
            if is_folder && let Some(at) = at {
                self.folders.insert(identity, Some(at));
            }
        }
    }

    /// Adds a skill; gives its place, or none when it is another way to one that is known.
    fn add(&mut self, new: Found, identity: Option<(u64, u64)>) -> Option<At> {
        let here = self.walks.len() - 1;
        match identity.and_then(|identity| self.same_file(&new, identity)) {
            None => {
                let at = (here, self.current().found.len());
                if let Some(identity) = identity {
                    self.files.entry(identity).or_default().push(at);
                }
                self.current().found.push(new);
                Some(at)
            }
            Some((walk, place)) if walk == here && !new.is_link => {
                // The file itself takes the place of the link that was met before it.
                let known = &mut self.walks[walk].found[place];
                let link = std::mem::replace(known, new);
                known.also_at = link.also_at;
                known.also_at.push(link.path);
                Some((walk, place))
            }
            Some((walk, place)) => {
                self.walks[walk].found[place].also_at.push(new.path);
                None
            }
        }
    }

    /// The skill that this file is already known as. Hard links are files of their own.
    fn same_file(&self, new: &Found, identity: (u64, u64)) -> Option<At> {
        let known = self.files.get(&identity)?;
        let real = std::fs::canonicalize(&new.path).ok()?;
        known.iter().copied().find(|(walk, place)| {
            let other = &self.walks[*walk].found[*place];
            (other.is_link || new.is_link)
                && std::fs::canonicalize(&other.path).is_ok_and(|other| other == real)
        })
    }
}

/// Whether a path, its links followed, leaves the folder that it is confined to.
fn leads_out(path: &Path, confined_to: Option<&Path>) -> bool {
    confined_to.is_some_and(|project| {
        let is_inside = std::fs::canonicalize(project)
            .and_then(|project| Ok(std::fs::canonicalize(path)?.starts_with(project)));
        // What leads nowhere is reported elsewhere.
        is_inside.is_ok_and(|is_inside| !is_inside)
    })
}

/// Takes visits from `next` until there are no more, and brings the records of their skill files up to
/// date: on other cores while `next` goes on, when there are many. Gives them in their order.
fn refreshed(mut next: impl FnMut() -> Option<Visit>) -> Vec<Visit> {
    /// Fewer visits are done sooner than another core is at work, more so when that core is busy.
    const FEW: usize = 128;
    /// Visits that go to another core at a time.
    const BATCH: usize = 16;
    /// Batches that one other core is enough for: to ask how many there are takes a while.
    const FEW_BATCHES: usize = 32;
    let mut first: Vec<Visit> = std::iter::from_fn(&mut next).take(FEW).collect();
    if first.len() < FEW {
        refresh_batch(&mut first);
        return first;
    }
    let mut visits = first.into_iter().chain(std::iter::from_fn(next));
    let batches = std::iter::from_fn(|| {
        let batch: Vec<Visit> = visits.by_ref().take(BATCH).collect();
        (!batch.is_empty()).then_some(batch)
    });
    let (send, receive) = std::sync::mpsc::channel::<(usize, Vec<Visit>)>();
    let (waiting, done) = (Mutex::new(receive), Mutex::new(Vec::new()));
    let work = || {
        loop {
            // The lock is held only while a batch is taken.
            let taken = waiting.lock().ok().and_then(|waiting| waiting.recv().ok());
            let Some((place, mut batch)) = taken else { break };
            refresh_batch(&mut batch);
            if let Ok(mut done) = done.lock() {
                done.push((place, batch));
            }
        }
    };
    std::thread::scope(|scope| {
        // Where no thread is to be had, this one does it all.
        let help = || std::thread::Builder::new().spawn_scoped(scope, work);
        let _ = help();
        for (place, batch) in batches.enumerate() {
            if place == FEW_BATCHES {
                let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
                (2..cores).for_each(|_| drop(help()));
            }
            let _ = send.send((place, batch));
        }
        drop(send);
        work();
    });
    let mut done = done.into_inner().unwrap_or_default();
    done.sort_unstable_by_key(|(place, _)| *place);
    done.into_iter().flat_map(|(_, batch)| batch).collect()
}

fn refresh_batch(visits: &mut [Visit]) {
    for visit in visits {
        let Some(entry) = visit.entry.as_mut().filter(|_| !visit.is_still) else { continue };
        for file in &mut entry.files {
            visit.is_changed |= refresh(Path::new(&visit.step.path), file);
        }
    }
}

pub(crate) fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

/// Reads a folder's entries; skill files are named here and read by [`refresh`].
fn list(path: &Path, with_flat: bool, seen: Seen) -> std::io::Result<FolderEntry> {
    let mut folders = Vec::new();
    let mut links = Vec::new();
    let mut odd = Vec::new();
    let mut names: Vec<(String, bool)> = Vec::new();
    let (mut has_policy, mut has_suite) = (false, false);
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = match entry.file_name().into_string() {
            Ok(name) => name,
            Err(name) if kind.is_dir() || kind.is_symlink() => {
                odd.push(name.to_string_lossy().into_owned());
                continue;
            }
            Err(_) => continue,
        };
        has_policy |= name == "agents";
        has_suite |= name == SUITE_FILE;
        if is_skill_file(&name) {
            names.push((name, kind.is_symlink()));
        } else if kind.is_dir() {
            if !is_pruned(&name) {
                folders.push(name);
            }
        } else if with_flat && is_flat_skill(&name) {
            names.push((name, kind.is_symlink()));
        } else if kind.is_symlink() && !is_pruned(&name) {
            links.push(name);
        }
    }
    names.sort_unstable();
    let exact = ["SKILL.md", "skill.md"];
    let chosen = exact.iter().find(|exact| names.iter().any(|(name, _)| name == *exact));
    names.retain(|(name, _)| !is_skill_file(name) || chosen.is_none_or(|chosen| name == chosen));
    let holds_skill = names.iter().any(|(name, _)| is_skill_file(name));
    if holds_skill {
        folders.retain(|name| !SUPPORT_FOLDERS.contains(&name.as_str()));
        links.retain(|name| !SUPPORT_FOLDERS.contains(&name.as_str()));
    }
    folders.sort_unstable();
    links.sort_unstable();
    let files = names
        .into_iter()
        .map(|(name, is_link)| FileEntry {
            policy: (has_policy && is_skill_file(&name)).then(Seen::never),
            name,
            is_link,
            seen: None,
            record: Record { skill: None, notes: Vec::new() },
        })
        .collect();
    odd.sort_unstable();
    Ok(FolderEntry { seen, with_flat, folders, links, files, has_suite, odd })
}

/// Whether a folder of that name is never looked into.
pub(crate) fn is_pruned(name: &str) -> bool {
    PRUNED.contains(&name) || name.starts_with(STAGING_PREFIX)
}

/// A name that has a slug, such as `greet.md` or `CEI_Pattern.md`. A name in capitals is a document that
/// repositories have: `README.md`, `CHANGELOG.md`.
fn is_flat_skill(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(|stem| {
        let is_capitals = stem == stem.to_uppercase() && stem != stem.to_lowercase();
        !is_capitals && !stem.starts_with('.') && hone_skill::Slug::new(stem).is_ok()
    })
}

/// Brings a file's record up to date; true when it had to be read.
fn refresh(folder: &Path, file: &mut FileEntry) -> bool {
    let path = folder.join(&file.name);
    let now = file_clock();
    // A file that nobody has read is opened at once; one that is known may not have to be.
    let is_unread = file.seen.is_none() && !file.is_link;
    let opened = is_unread.then(|| open_readable(&path).ok()).flatten();
    let metadata = opened.as_ref().map_or_else(|| std::fs::metadata(&path), File::metadata);
    let metadata = match metadata {
        Ok(metadata) => metadata,
        Err(error) => {
            file.seen = None;
            let record = Record::unreadable(&path, &error);
            return std::mem::replace(&mut file.record, record.clone()) != record;
        }
    };
    let stamp = Stamp::of(&metadata);
    let policy_path = folder.join("agents").join("openai.yaml");
    let policy_stamp = file.policy.and_then(|_| std::fs::metadata(&policy_path).ok());
    let policy_stamp = policy_stamp.filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata));
    let policy_is_current = match (&file.policy, policy_stamp) {
        (None, _) => true,
        (Some(seen), None) => seen.is_never() && file.seen.is_some(),
        (Some(seen), Some(stamp)) => seen.still(stamp),
    };
    if policy_is_current && file.seen.is_some_and(|seen| seen.still(stamp)) {
        return false;
    }
    let policy =
        policy_stamp.map(|_| read_bounded(&policy_path).unwrap_or_else(|_| b"\0".to_vec()));
    file.seen = Some(Seen::new(stamp, now));
    file.policy =
        file.policy.map(|_| policy_stamp.map_or_else(Seen::never, |stamp| Seen::new(stamp, now)));
    file.record = read_skill(&path, &metadata, opened, policy.as_deref());
    true
}

/// Reads a skill file that is known to be there; none when it is no file of its own, or what is beside
/// it counts too.
pub(crate) fn read_again(path: &Path) -> Option<(Record, Option<NonZeroU64>)> {
    let now = file_clock();
    let metadata = std::fs::symlink_metadata(path).ok().filter(Metadata::is_file)?;
    let has_policy = path.parent()?.join("agents").symlink_metadata().is_ok();
    if has_policy {
        return None;
    }
    let mark = Seen::new(Stamp::of(&metadata), now).mark();
    Some((read_skill(path, &metadata, None, None), mark))
}

fn read_skill(
    path: &Path,
    metadata: &Metadata,
    opened: Option<File>,
    policy: Option<&[u8]>,
) -> Record {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_skill_file(name) && !matches!(name, "SKILL.md" | "skill.md") {
        let mut record = Record { skill: None, notes: Vec::new() };
        record.note_file_name(name);
        return record;
    }
    if !metadata.is_file() {
        return Record::refused(format!("`{}` is not a regular file", path.display()));
    }
    let read = match opened {
        Some(file) => read_open(file, metadata),
        None => read_bounded(path),
    };
    let bytes = match read {
        Ok(bytes) => bytes,
        Err(error) => return Record::unreadable(path, &error),
    };
    let folder = is_skill_file(name)
        .then(|| path.parent().and_then(Path::file_name).and_then(|name| name.to_str()))
        .flatten();
    let stem = name.strip_suffix(".md").filter(|_| !is_skill_file(name));
    let mut record = Record::read(&bytes, folder.or(stem), policy);
    if name == "skill.md" {
        record.note_file_name(name);
    }
    record
}

/// Reads a file up to one byte past the limit, so that the reader can tell that it is too large.
/// Never waits on a pipe that somebody put there.
pub fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let file = open_readable(path)?;
    let metadata = file.metadata()?;
    read_open(file, &metadata)
}

fn open_readable(path: &Path) -> std::io::Result<File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(nonblocking).open(path)
}

fn read_open(mut file: File, metadata: &Metadata) -> std::io::Result<Vec<u8>> {
    let size = usize::try_from(metadata.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; size.min(MAX_READ_BYTES) + 1];
    let mut filled = 0;
    loop {
        let count = file.read(&mut bytes[filled..])?;
        filled += count;
        // A regular file that gave what it promised is at its end: one call less for each skill.
        if count == 0 || filled == size || filled > MAX_READ_BYTES {
            break;
        }
        if filled == bytes.len() {
            bytes.resize(MAX_READ_BYTES + 1, 0);
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
