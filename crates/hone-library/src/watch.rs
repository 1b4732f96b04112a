//! Whether a catalogue may have changed since it was read, without a look at every folder.
//!
//! The kernel notes a change of a watched folder before the call that made it returns, and a question
//! here takes all that was noted. So the answer is right for whatever was done before it, which one that
//! travels through a thread would not be. Where the kernel does not note everything (a file system that
//! others write to, more folders than may be watched, another system than Linux) every catalogue may
//! have changed, and whoever looks again pays one `stat` for each folder and skill. A write through a
//! memory map or another hard link is not noted; whoever lives long looks again from time to time.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use crate::catalogue::{Catalogue, Search};
use crate::files::SUITE_FILE;
use crate::state::{Mark, State};
use crate::walk::STAGING_PREFIX;

/// Looks at a library that keeps changing, before it is read without being watched.
const MAX_ROUNDS: usize = 5;

/// Files that are read again by themselves; when there are more, all are looked at.
const MAX_EDITED: usize = 64;

/// Links that are followed on the way to one path; Linux follows as many.
const MAX_LINKS: usize = 40;

/// What a catalogue was made from, beyond the roots.
#[derive(Debug, Default)]
pub(crate) struct Met {
    /// Folders that were met by an earlier look, and watched since.
    before: HashMap<String, Known>,
    /// Folders whose entries were read, or are known to be as they were.
    folders: HashMap<String, Known>,
    /// Paths that may lead elsewhere another time.
    pub(crate) paths: Vec<PathBuf>,
}

/// A folder as a look found it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Known {
    /// Which it is, whatever path leads to it.
    identity: (u64, u64),
    /// The mark of its entry in the index; none when it has to be looked at again.
    pub(crate) mark: Option<NonZeroU64>,
    /// What the kernel calls it, once it is watched.
    watch: Option<i32>,
}

impl Met {
    /// What is known about the folder at a path.
    pub(crate) fn known(&self, path: &str) -> Option<&Known> {
        self.folders.get(path).or_else(|| self.before.get(path))
    }

    /// Notes a folder, which may be known to be as it was; true when it is the one that was there before.
    pub(crate) fn meet(&mut self, path: &str, identity: (u64, u64), is_still: bool) -> bool {
        let known = self.known(path).copied().filter(|known| known.identity == identity);
        // What is watched is the folder, not the path to it.
        let new = Known { identity, mark: None, watch: known.and_then(|known| known.watch) };
        self.folders.insert(path.to_owned(), known.filter(|_| is_still).unwrap_or(new));
        known.is_some()
    }

    /// Notes what a folder was like when it was looked at.
    pub(crate) fn mark(&mut self, path: &str, mark: Option<NonZeroU64>) {
        if let Some(known) = self.folders.get_mut(path) {
            known.mark = mark;
        }
    }
}

/// Watches everything that a catalogue depends on.
#[derive(Debug, Default)]
pub struct Watch {
    notes: Option<OwnedFd>,
    wanted: HashMap<i32, Interest>,
    /// The folders of the last look, each as it was then. What is noted about one takes its mark.
    known: HashMap<String, Known>,
    mark: Option<Mark>,
    is_stale: bool,
    is_blind: bool,
    /// What was noted since the last look.
    edited: Edited,
    /// Files that somebody wants to hear of besides, and how many do.
    named: BTreeMap<PathBuf, usize>,
    /// Something was noted about one of them.
    has_news: bool,
}

/// What may be other than at the last look.
#[derive(Debug, Default)]
enum Edited {
    /// Anything.
    #[default]
    Anything,
    /// These files of these folders, and nothing else.
    Files(HashSet<(i32, OsString)>),
}

impl Edited {
    /// One more file.
    fn add(&mut self, folder: i32, name: &OsStr) {
        match self {
            Self::Files(files) if files.len() < MAX_EDITED => {
                files.insert((folder, name.to_owned()));
            }
            _ => *self = Self::Anything,
        }
    }
}

/// What matters about a watched folder.
#[derive(Debug, Default)]
struct Interest {
    /// Everything that can be a skill or lead to one.
    skills: bool,
    /// The paths that it was entered by.
    paths: Vec<String>,
    /// These names, whatever they are.
    names: HashSet<OsString>,
    /// These as well, which no catalogue depends on.
    named: HashSet<OsString>,
}

/// Why a path is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// A catalogue depends on it.
    Catalogue,
    /// Somebody named it.
    Named,
}

impl Watch {
    /// Watches nothing yet.
    pub fn new() -> Self {
        let notes = kernel::start();
        Self { is_blind: notes.is_none(), notes, is_stale: true, ..Self::default() }
    }

    /// Whether every catalogue counts as changed, because not everything can be watched.
    pub fn is_blind(&self) -> bool {
        self.is_blind
    }

    /// A handle that can be read from when something was noted; none when nothing is watched.
    pub fn handle(&self) -> Option<OwnedFd> {
        self.notes.as_ref().filter(|_| !self.is_blind)?.try_clone().ok()
    }

    /// Whether the catalogue that was found last may have changed.
    pub fn is_stale(&mut self, state: &State) -> bool {
        let mark = state.mark(self.mark.as_ref());
        let is_noted = self.take_notes();
        if mark != self.mark {
            self.edited = Edited::Anything;
            self.is_stale = true;
        }
        self.is_stale |= is_noted;
        self.mark = mark;
        self.is_stale || self.is_blind
    }

    /// Whatever was found before, the next look is at everything.
    pub fn doubt(&mut self) {
        self.edited = Edited::Anything;
        self.known.values_mut().for_each(|known| known.mark = None);
    }

    /// Finds the skills and watches what they depend on. What changes meanwhile makes them stale. Of
    /// skills that were found `before`, only the files that were noted since are read, where that is
    /// enough; otherwise only folders that something was noted about are looked at.
    pub fn find(
        &mut self,
        search: &dyn Fn() -> Search,
        state: &State,
        before: Option<&Catalogue>,
    ) -> Catalogue {
        let edited = std::mem::replace(&mut self.edited, Edited::Files(HashSet::new()));
        if let Some(catalogue) = before.and_then(|before| self.read_again(&edited, before)) {
            self.is_stale = false;
            return catalogue;
        }
        self.look(state, &|met| {
            let search = search();
            met.paths.extend(search.depends.iter().cloned());
            met.paths.extend(search.roots.iter().map(|root| root.path.clone()));
            Catalogue::find_noting(search, state, met)
        })
    }

    /// Looks until what was found is watched as it was found.
    pub(crate) fn look<T>(&mut self, state: &State, find: &dyn Fn(&mut Met) -> T) -> T {
        self.is_blind = self.notes.is_none();
        let mut round = 1;
        loop {
            self.take_notes();
            self.edited = Edited::Files(HashSet::new());
            self.mark = state.mark(None);
            let mut met = Met { before: std::mem::take(&mut self.known), ..Met::default() };
            let found = find(&mut met);
            // What is watched only now may have changed since it was read.
            self.is_stale = self.attend(met);
            if self.is_stale {
                self.edited = Edited::Anything;
            }
            if self.is_blind || !self.is_stale || round == MAX_ROUNDS {
                return found;
            }
            round += 1;
        }
    }

    /// The catalogue with some of its files read again; none when more than their texts may be other.
    fn read_again(&self, edited: &Edited, before: &Catalogue) -> Option<Catalogue> {
        let Edited::Files(files) = edited else { return None };
        if self.is_blind || files.is_empty() {
            return None;
        }
        let mut catalogue = before.clone();
        for (folder, name) in files {
            let [path] = self.wanted.get(folder)?.paths.as_slice() else { return None };
            catalogue.read_again(&Path::new(path).join(name))?;
        }
        Some(catalogue)
    }

    /// Watches a file besides, whatever a catalogue says; as often as it is named, [`Self::unname`] is
    /// called. Where the kernel does not note everything, it is not heard of.
    pub fn name(&mut self, path: &Path) {
        *self.named.entry(path.to_owned()).or_default() += 1;
        self.attend_named([path].into_iter());
    }

    /// One less wants to hear of a file.
    pub fn unname(&mut self, path: &Path) {
        if let Some(count) = self.named.get_mut(path) {
            *count -= 1;
            if *count == 0 {
                self.named.remove(path);
            }
        }
    }

    /// Whether something was noted about a named file since this was last asked.
    pub fn take_news(&mut self) -> bool {
        let has_news = std::mem::take(&mut self.has_news);
        if has_news {
            // A folder on the way may be another one now.
            let named: Vec<PathBuf> = self.named.keys().cloned().collect();
            self.attend_named(named.iter().map(PathBuf::as_path));
        }
        has_news
    }

    /// Watches what is on the way to files, beside all else.
    fn attend_named<'p>(&mut self, files: impl Iterator<Item = &'p Path>) {
        let Some(notes) = &self.notes else { return };
        let mut attention = Attention::new(notes, &self.wanted);
        files.for_each(|path| attention.path(path, Why::Named));
        for (folder, interest) in attention.wanted {
            self.wanted.entry(folder).or_default().named.extend(interest.named);
        }
    }

    /// Watches this and nothing else; true when something of it was not watched before.
    fn attend(&mut self, met: Met) -> bool {
        let Some(notes) = &self.notes else { return false };
        let Met { mut folders, paths, .. } = met;
        let mut attention = Attention::new(notes, &self.wanted);
        attention.wanted.reserve(self.wanted.len());
        for (path, known) in &mut folders {
            attention.folder(path, known);
        }
        for path in &paths {
            attention.path(path, Why::Catalogue);
        }
        // Whoever named a file looks at it again after every look at the skills.
        let (is_new, is_blind) = (attention.is_new, attention.is_blind);
        self.named.keys().for_each(|path| attention.path(path, Why::Named));
        let wanted = attention.wanted;
        for gone in self.wanted.keys().filter(|folder| !wanted.contains_key(folder)) {
            kernel::forget(notes, *gone);
        }
        self.wanted = wanted;
        self.is_blind = is_blind;
        if !is_blind {
            self.known = folders;
        }
        is_new
    }

    /// Takes what was noted; true when it matters.
    fn take_notes(&mut self) -> bool {
        let (Some(notes), wanted) = (&self.notes, &self.wanted) else { return false };
        let (has_news, edited, known) = (&mut self.has_news, &mut self.edited, &mut self.known);
        kernel::take(notes, &mut |note| {
            if note.about == About::Lost {
                *edited = Edited::Anything;
                known.clear();
                return true;
            }
            let Some(interest) = wanted.get(&note.folder) else { return false };
            *has_news |= note.name.is_some_and(|name| interest.named.contains(name));
            if !interest.is_touched_by(note) {
                return false;
            }
            if interest.leads_elsewhere(note) {
                known.clear();
            }
            for path in &interest.paths {
                if let Some(known) = known.get_mut(path) {
                    known.mark = None;
                    // Of a folder that is gone nothing is noted any more.
                    known.watch = known.watch.filter(|_| note.about != About::Moved);
                }
            }
            match note.name.filter(|name| interest.may_be_text(name)) {
                Some(name) => edited.add(note.folder, name),
                None => *edited = Edited::Anything,
            }
            true
        })
    }
}

impl Interest {
    /// Whether a name is at most that of a skill's text, and no way to anywhere.
    fn may_be_text(&self, name: &OsStr) -> bool {
        self.skills && !self.names.contains(name) && is_markdown(name)
    }

    /// Whether paths through the folder may lead elsewhere, or nowhere. Of one that moved or went, the folder
    /// around it tells; where it was, nothing below it is taken for what it was.
    fn leads_elsewhere(&self, note: &Note<'_>) -> bool {
        match note.name {
            Some(name) => self.names.contains(name),
            None => !self.skills || note.about != About::Moved,
        }
    }

    fn is_touched_by(&self, note: &Note<'_>) -> bool {
        let Some(name) = note.name else { return true };
        if self.names.contains(name) {
            return true;
        }
        let bytes = name.as_encoded_bytes();
        if !self.skills || bytes.starts_with(STAGING_PREFIX.as_bytes()) {
            return false;
        }
        // Any new name may be a folder or a link; of the files that are there, few are read.
        note.about == About::Names
            || is_markdown(name)
            || name == "openai.yaml"
            || name == SUITE_FILE
    }
}

fn is_markdown(name: &OsStr) -> bool {
    name.as_encoded_bytes().to_ascii_lowercase().ends_with(b".md")
}

/// What is to be watched from now on, while it is put together.
struct Attention<'w> {
    notes: &'w OwnedFd,
    before: &'w HashMap<i32, Interest>,
    wanted: HashMap<i32, Interest>,
    /// Folders on the way to somewhere, and what the kernel calls them.
    on_the_way: HashMap<PathBuf, i32>,
    is_new: bool,
    is_blind: bool,
}

impl<'w> Attention<'w> {
    fn new(notes: &'w OwnedFd, before: &'w HashMap<i32, Interest>) -> Self {
        Self {
            notes,
            before,
            wanted: HashMap::new(),
            on_the_way: HashMap::new(),
            is_new: false,
            is_blind: false,
        }
    }

    /// A folder whose entries matter, unless it is known to be watched. One that may not be read is told of
    /// by the folder around it. What is watched only now has to be looked at again.
    fn folder(&mut self, folder: &str, known: &mut Known) {
        let watched = match known.watch {
            Some(id) => Ok(Some(id)),
            None => self.watch(Path::new(folder)),
        };
        known.watch = watched.ok().flatten();
        known.mark =
            known.mark.filter(|_| known.watch.is_some_and(|id| self.before.contains_key(&id)));
        match watched {
            Ok(Some(id)) => {
                let interest = self.wanted.entry(id).or_default();
                interest.skills = true;
                interest.paths.push(folder.to_owned());
            }
            Ok(None) | Err(Unwatched::Closed) => {}
            Err(Unwatched::Never) => self.is_blind = true,
        }
    }

    /// Whatever a path leads to: in each folder on the way, the name that is followed.
    fn path(&mut self, path: &Path, why: Why) {
        let mut at = PathBuf::from("/");
        let mut links = 0;
        let mut rest: Vec<OsString> = names(path);
        while let Some(name) = rest.pop() {
            if name == ".." {
                at.pop();
                continue;
            }
            self.name(&at, &name, why);
            at.push(&name);
            match std::fs::read_link(&at) {
                Ok(target) if links < MAX_LINKS => {
                    links += 1;
                    if target.is_absolute() {
                        at = PathBuf::from("/");
                    } else {
                        at.pop();
                    }
                    rest.extend(names(&target));
                }
                Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => {}
                // It leads nowhere, as long as what was passed stays as it is.
                _ => return,
            }
        }
    }

    fn name(&mut self, folder: &Path, name: &OsStr, why: Why) {
        let id = match self.on_the_way.get(folder) {
            Some(id) => *id,
            None => match self.watch(folder) {
                Ok(Some(id)) => {
                    self.on_the_way.insert(folder.to_owned(), id);
                    id
                }
                Ok(None) => return,
                Err(_) => {
                    self.is_blind = true;
                    return;
                }
            },
        };
        let interest = self.wanted.entry(id).or_default();
        match why {
            Why::Catalogue => interest.names.insert(name.to_owned()),
            Why::Named => interest.named.insert(name.to_owned()),
        };
    }

    /// Watches a folder; none when it went away, which is noted in the folder around it.
    fn watch(&mut self, folder: &Path) -> Result<Option<i32>, Unwatched> {
        let id = kernel::watch(self.notes, folder)?;
        let Some(id) = id else {
            self.is_new = true;
            return Ok(None);
        };
        let is_known = self.before.contains_key(&id) || self.wanted.contains_key(&id);
        if !is_known {
            self.is_new = true;
            if !kernel::notes_everything(folder) {
                return Err(Unwatched::Never);
            }
        }
        Ok(Some(id))
    }
}

/// The names of a path, last first.
fn names(path: &Path) -> Vec<OsString> {
    let name = |part: Component<'_>| match part {
        Component::Normal(name) => Some(name.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    };
    path.components().rev().filter_map(name).collect()
}

/// Why a folder is not watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unwatched {
    /// It may not be read.
    Closed,
    /// The kernel would not note everything, or watches enough already.
    Never,
}

/// Something that the kernel noted.
struct Note<'n> {
    folder: i32,
    about: About,
    /// The entry of the folder; none when it is the folder itself.
    name: Option<&'n OsStr>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum About {
    /// Notes were lost.
    Lost,
    /// An entry came, went, or is a folder; of a folder itself, that its rights changed.
    Names,
    /// The folder itself moved or went.
    Moved,
    /// A file's content or rights.
    Content,
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::ffi::OsStr;
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    use rustix::fs::inotify::{self, CreateFlags, ReadFlags, Reader, WatchFlags};
    use rustix::io::{Errno, ioctl_fionread};

    use super::{About, Note, Unwatched};

    /// Bytes that are read at once.
    const BUFFER: usize = 16 * 1024;
    /// What a read gives at least while more is there: the buffer without room for one longest note.
    const LEAST_READ: usize = BUFFER - (16 + 256);

    /// File systems that only this kernel writes to: ext, XFS, Btrfs, tmpfs, ramfs, overlay, F2FS, ZFS,
    /// bcachefs.
    const LOCAL: [u32; 9] = [
        0xef53,
        0x5846_5342,
        0x9123_683e,
        0x0102_1994,
        0x8584_58f6,
        0x794c_7630,
        0xf2f5_2010,
        0x2fc1_2fc1,
        0xca45_1a4e,
    ];

    pub(super) fn start() -> Option<OwnedFd> {
        inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()
    }

    pub(super) fn watch(notes: &OwnedFd, folder: &Path) -> Result<Option<i32>, Unwatched> {
        let changes = WatchFlags::CREATE
            | WatchFlags::DELETE
            | WatchFlags::MOVE
            | WatchFlags::MODIFY
            | WatchFlags::ATTRIB
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        match inotify::add_watch(notes, folder, changes) {
            Ok(id) => Ok(Some(id)),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(Errno::ACCESS) => Err(Unwatched::Closed),
            Err(_) => Err(Unwatched::Never),
        }
    }

    pub(super) fn forget(notes: &OwnedFd, folder: i32) {
        // One that is gone is forgotten already.
        let _ = inotify::remove_watch(notes, folder);
    }

    pub(super) fn notes_everything(folder: &Path) -> bool {
        rustix::fs::statfs(folder).is_ok_and(|system| {
            u32::try_from(system.f_type).is_ok_and(|kind| LOCAL.contains(&kind))
        })
    }

    pub(super) fn take(notes: &OwnedFd, matters: &mut dyn FnMut(&Note<'_>) -> bool) -> bool {
        let mut buffer = [MaybeUninit::uninit(); BUFFER];
        let mut reader = Reader::new(notes, &mut buffer);
        let mut is_touched = false;
        // What is noted from now on is not about what was done before; who writes without a pause must not
        // keep anybody here.
        let queued =
            usize::try_from(ioctl_fionread(notes).unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
        let mut reads = queued.div_ceil(LEAST_READ);
        loop {
            if reader.is_buffer_empty() {
                if reads == 0 {
                    return is_touched;
                }
                reads -= 1;
            }
            match reader.next() {
                Ok(event) => {
                    let flags = event.events();
                    let gone = ReadFlags::MOVE_SELF | ReadFlags::DELETE_SELF | ReadFlags::IGNORED;
                    let about = if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                        About::Lost
                    } else if flags.intersects(gone) {
                        About::Moved
                    } else if !flags.contains(ReadFlags::ISDIR)
                        && flags.intersects(ReadFlags::MODIFY | ReadFlags::ATTRIB)
                    {
                        About::Content
                    } else {
                        About::Names
                    };
                    let name = event.file_name().map(|name| OsStr::from_bytes(name.to_bytes()));
                    is_touched |= matters(&Note { folder: event.wd(), about, name });
                }
                Err(Errno::INTR) => {}
                Err(Errno::WOULDBLOCK) => return is_touched,
                Err(_) => return matters(&Note { folder: 0, about: About::Lost, name: None }),
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use std::os::fd::OwnedFd;
    use std::path::Path;

    use super::{Note, Unwatched};

    pub(super) fn start() -> Option<OwnedFd> {
        None
    }

    pub(super) fn watch(_: &OwnedFd, _: &Path) -> Result<Option<i32>, Unwatched> {
        Err(Unwatched::Never)
    }

    pub(super) fn forget(_: &OwnedFd, _: i32) {}

    pub(super) fn notes_everything(_: &Path) -> bool {
        false
    }

    pub(super) fn take(_: &OwnedFd, _: &mut dyn FnMut(&Note<'_>) -> bool) -> bool {
        true
    }
}
