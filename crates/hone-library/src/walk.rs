//! Discovery: from a root to the skill files below it, each once, with the index's help.
//!
//! A warm walk asks `stat` once for each folder and once for each skill file, and opens neither.

use std::collections::{HashMap, VecDeque};
use std::fs::{File, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hone_skill::limits::MAX_READ_BYTES;

use crate::index::{FileEntry, FolderEntry, Index, Seen, Stamp, file_clock};
use crate::record::Record;
use crate::root::{Layout, Root};
use crate::state::State;

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

/// Walks roots one after the other; a folder reachable twice is met once.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    /// Folders met, by identity, with the skill found in each (root number and place).
    folders: HashMap<(u64, u64), Option<(usize, usize)>>,
    /// Skill files met, by identity.
    files: HashMap<(u64, u64), (usize, usize)>,
    walks: Vec<Walked>,
}

/// A folder still to be looked at.
struct Step {
    path: String,
    depth: usize,
    is_link: bool,
    nested_in: Option<Arc<Path>>,
}

/// A folder that was looked at.
struct Visit {
    step: Step,
    identity: (u64, u64),
    /// What it holds; `None` when it was met before under another path.
    entry: Option<FolderEntry>,
    is_changed: bool,
}

impl Walker {
    /// Looks for skills below `root`, at most `max_depth` folders deep.
    ///
    /// First the folders, one after the other; then the skill files in them, on all cores.
    pub(crate) fn walk(&mut self, state: &State, root: &Root, max_depth: usize) {
        self.walks.push(Walked::default());
        let Some(start) = root.path.to_str() else {
            self.close(&root.path, "the path is not UTF-8".to_owned());
            return;
        };
        let mut index = Index::load(state, &root.path);
        let mut visits = Vec::new();
        // Links wait until all real folders were met, so that a skill is known by its real path.
        let mut real =
            vec![Step { path: start.to_owned(), depth: 0, is_link: false, nested_in: None }];
        let mut links: VecDeque<Step> = VecDeque::new();
        while let Some(step) = real.pop().or_else(|| links.pop_front()) {
            let Some(visit) = self.visit(step, root.layout, &mut index) else { continue };
            self.descend(&visit, max_depth, &mut real, &mut links);
            visits.push(visit);
        }
        refresh_all(&mut visits);
        let changed = visits.iter().filter(|visit| visit.is_changed);
        let changed =
            changed.filter_map(|visit| Some((visit.step.path.as_str(), visit.entry.as_ref()?)));
        index.store(state, changed);
        for visit in visits {
            self.collect(visit);
        }
    }

    /// The walks, in the order of their roots.
    pub(crate) fn finish(self) -> Vec<Walked> {
        self.walks
    }

    fn current(&mut self) -> &mut Walked {
        self.walks.last_mut().expect("a walk is under way")
    }

    fn close(&mut self, path: &Path, message: String) {
        self.current().closed.push((path.to_owned(), message));
    }

    /// Looks at a folder; `None` when there is none.
    fn visit(&mut self, step: Step, layout: Layout, index: &mut Index) -> Option<Visit> {
        let path = Path::new(&step.path);
        let now = file_clock();
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => metadata,
            Ok(_) => return None,
            Err(error) => {
                // A link that leads nowhere, or a folder that just went away, holds no skill.
                if error.kind() == std::io::ErrorKind::PermissionDenied {
                    self.close(path, error.to_string());
                }
                return None;
            }
        };
        let stamp = Stamp::of(&metadata);
        let identity = stamp.identity();
        if self.folders.contains_key(&identity) {
            return Some(Visit { step, identity, entry: None, is_changed: false });
        }
        self.folders.insert(identity, None);
        let known = index.take(&step.path);
        let is_changed = !known.as_ref().is_some_and(|entry| entry.seen.still(stamp));
        let entry = match known {
            Some(entry) if !is_changed => entry,
            known => match list(path, step.depth, layout, Seen::new(stamp, now)) {
                Ok(entry) => entry.with_known_files(known),
                Err(error) => {
                    self.close(path, error.to_string());
                    return None;
                }
            },
        };
        for name in &entry.odd {
            self.close(&path.join(name), "the folder's name is not UTF-8".to_owned());
        }
        Some(Visit { step, identity, entry: Some(entry), is_changed })
    }

    /// Puts the folders and links below a folder on the list.
    fn descend(
        &mut self,
        visit: &Visit,
        max_depth: usize,
        real: &mut Vec<Step>,
        links: &mut VecDeque<Step>,
    ) {
        let Visit { step, entry: Some(entry), .. } = visit else { return };
        if step.depth >= max_depth {
            let hidden =
                step.nested_in.is_none() && !entry.holds_skill() && !entry.folders.is_empty();
            if hidden {
                self.current().too_deep.push(PathBuf::from(&step.path));
            }
            return;
        }
        if entry.folders.is_empty() && entry.links.is_empty() {
            return;
        }
        let nested_in = if entry.holds_skill() {
            Some(Path::new(&step.path).into())
        } else {
            step.nested_in.clone()
        };
        let below = |name: &String, is_link: bool| Step {
            path: format!("{}/{name}", step.path.trim_end_matches('/')),
            depth: step.depth + 1,
            is_link,
            nested_in: nested_in.clone(),
        };
        // The next to be taken goes on last, so that folders are met in order, depth first.
        for name in entry.folders.iter().rev() {
            if step.is_link {
                links.push_front(below(name, true));
            } else {
                real.push(below(name, false));
            }
        }
        links.extend(entry.links.iter().map(|name| below(name, true)));
    }

    /// Adds the skills of a folder to what was found.
    fn collect(&mut self, visit: Visit) {
        let Visit { step, identity, entry, .. } = visit;
        let folder = Path::new(&step.path);
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
            let is_flat = !is_skill_file(&file.name);
            let place = (self.walks.len() - 1, self.current().found.len());
            if let Some(seen) = file.seen {
                let known = self.files.get(&seen.identity()).copied();
                if let Some((walk, at)) = known.filter(|_| file.is_link) {
                    self.walks[walk].found[at].also_at.push(path);
                    continue;
                }
                self.files.insert(seen.identity(), place);
            }
            if !is_flat {
                self.folders.insert(identity, Some(place));
            }
            self.current().found.push(Found {
                path,
                is_flat,
                depth: step.depth,
                is_link: file.is_link,
                nested_in: step.nested_in.as_deref().map(Path::to_owned),
                also_at: Vec::new(),
                record: file.record,
            });
        }
    }
}

/// Brings the records of all skill files up to date, on all cores when there are many.
fn refresh_all(visits: &mut [Visit]) {
    /// Fewer files than this are not worth a thread.
    const FILES_A_THREAD: usize = 128;
    let refresh_some = |visits: &mut [Visit]| {
        for visit in visits {
            let Some(entry) = &mut visit.entry else { continue };
            for file in &mut entry.files {
                visit.is_changed |= refresh(Path::new(&visit.step.path), file);
            }
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(visits.len() / FILES_A_THREAD);
    if threads < 2 {
        return refresh_some(visits);
    }
    std::thread::scope(|scope| {
        for part in visits.chunks_mut(visits.len().div_ceil(threads)) {
            scope.spawn(|| refresh_some(part));
        }
    });
}

pub(crate) fn is_skill_file(name: &str) -> bool {
    name.eq_ignore_ascii_case("SKILL.md")
}

/// Reads a folder's entries; skill files are named here and read by [`refresh`].
fn list(path: &Path, depth: usize, layout: Layout, seen: Seen) -> std::io::Result<FolderEntry> {
    let mut folders = Vec::new();
    let mut links = Vec::new();
    let mut odd = Vec::new();
    let mut names: Vec<(String, bool)> = Vec::new();
    let mut has_policy = false;
    for entry in std::fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        let name = match entry.file_name().into_string() {
            Ok(name) => name,
            Err(name) if kind.is_dir() => {
                odd.push(name.to_string_lossy().into_owned());
                continue;
            }
            Err(_) => continue,
        };
        if is_skill_file(&name) {
            names.push((name, kind.is_symlink()));
        } else if kind.is_dir() {
            has_policy |= name == "agents";
            if !is_pruned(&name) {
                folders.push(name);
            }
        } else if layout == Layout::FoldersAndFiles && depth == 0 && is_flat_skill(&name) {
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
    Ok(FolderEntry { seen, folders, links, files, odd })
}

fn is_pruned(name: &str) -> bool {
    PRUNED.contains(&name) || name.starts_with(STAGING_PREFIX)
}

/// `<slug>.md`: the stem is a slug as it stands, so `README.md` is not one.
fn is_flat_skill(name: &str) -> bool {
    name.strip_suffix(".md")
        .is_some_and(|stem| hone_skill::Slug::new(stem).is_ok_and(|slug| slug.as_str() == stem))
}

/// Brings a file's record up to date; true when it had to be read.
fn refresh(folder: &Path, file: &mut FileEntry) -> bool {
    let path = folder.join(&file.name);
    let now = file_clock();
    let metadata = match std::fs::metadata(&path) {
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
    file.record = read_skill(&path, &metadata, policy.as_deref());
    true
}

fn read_skill(path: &Path, metadata: &Metadata, policy: Option<&[u8]>) -> Record {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if is_skill_file(name) && !matches!(name, "SKILL.md" | "skill.md") {
        let mut record = Record { skill: None, notes: Vec::new() };
        record.note_file_name(name);
        return record;
    }
    if !metadata.is_file() {
        return Record::refused(format!("`{}` is not a regular file", path.display()));
    }
    let bytes = match read_bounded(path) {
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
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let mut file: File = OpenOptions::new().read(true).custom_flags(nonblocking).open(path)?;
    let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
    let mut bytes = vec![0; size.min(MAX_READ_BYTES) + 1];
    let mut filled = 0;
    loop {
        let count = file.read(&mut bytes[filled..])?;
        filled += count;
        // A regular file that gave what it promised is at its end: one call less for each skill.
        if count == 0 || filled == size || filled == bytes.len() {
            break;
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}
