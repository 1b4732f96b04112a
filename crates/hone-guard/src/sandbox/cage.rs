//! Hard bounds on the number of processes and on memory: looking now and then is too slow for a program
//! that does nothing but fork, and what the kernel holds for a program stands in no file to look at.
//!
//! Control groups do it, where they can be had: for root, and for whom a part of them was handed to.
//! Elsewhere a resource limit bounds the processes of a user other than root, and nothing bounds root's.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, getuid, kill_process, setrlimit};

use super::{Layer, Limits};

/// Room above the limit, so that passing it is seen before the kernel says no.
const ROOM: usize = 8;

/// How often, and how far apart, a control group is looked at until it is empty.
const ROUNDS: usize = 500;
const BETWEEN: Duration = Duration::from_millis(10);

/// What keeps the processes that are started in it bounded.
pub(super) struct Cage {
    groups: Vec<Group>,
    pub(super) layer: Layer,
}

/// A control group that was made, and the one that this process is in.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Group {
    path: PathBuf,
    home: PathBuf,
    counts_memory: bool,
}

/// Where a control group may be made.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Place {
    base: PathBuf,
    home: PathBuf,
    version: Version,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    /// The first, by the one thing that it counts.
    First(Counted),
    Second,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counted {
    Processes,
    Memory,
}

impl Cage {
    /// Bounds what will be started inside to `most` processes and threads and to the limit of memory.
    /// The groups are written down in the folder, so that others can take them away.
    pub(super) fn new(folder: &Path, most: usize, limits: &Limits) -> Self {
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let (groups, problem) = made(folder, &places(&own), most + ROOM + 1, limits.memory_bytes);
        let counts_memory = groups.iter().any(|group| group.counts_memory);
        let memory = if counts_memory { ", memory as well" } else { "" };
        let result = if getuid().is_root() {
            match problem {
                None => Ok(format!("by a control group{memory}")),
                Some(error) => Err(format!("no control group for root: {error}")),
            }
        } else {
            let limit = u64::try_from(tasks_of_user() + most + ROOM).ok();
            setrlimit(Resource::Nproc, Rlimit { current: limit, maximum: limit })
                .map(|()| {
                    let memory = if counts_memory { ", memory by a control group" } else { "" };
                    format!("by a resource limit{memory}")
                })
                .map_err(|error| error.to_string())
        };
        let (held, note) = match result {
            Ok(note) => (true, note),
            Err(why) => (false, why),
        };
        let mut cage = Self { groups, layer: Layer { name: "processes".to_owned(), held, note } };
        // Whoever cannot be let in now cannot be later.
        if cage.inside(|| ()).is_err() {
            cage.leave();
            cage.groups.clear();
            if getuid().is_root() {
                cage.layer.held = false;
                cage.layer.note = String::from("no control group for root: it cannot be entered");
            } else {
                cage.layer.note = String::from("by a resource limit");
            }
        }
        cage
    }

    /// Does something inside, such as starting a process, and comes out again: the kernel ends whom it
    /// likes in a group that has too little memory.
    pub(super) fn inside<T>(&self, what: impl FnOnce() -> T) -> io::Result<T> {
        for group in &self.groups {
            if let Err(error) = set(&group.path, "cgroup.procs", "0") {
                self.come_out();
                return Err(error);
            }
        }
        let result = what();
        self.come_out();
        Ok(result)
    }

    fn come_out(&self) {
        for group in &self.groups {
            let _ = set(&group.home, "cgroup.procs", "0");
        }
    }

    /// Whether the kernel bounds the memory of everything inside.
    pub(super) fn counts_memory(&self) -> bool {
        self.groups.iter().any(|group| group.counts_memory)
    }

    /// Whether the kernel ended a process inside because there was no memory left for all.
    pub(super) fn is_out_of_memory(&self) -> bool {
        let ended = |path: PathBuf| {
            let events = fs::read_to_string(path).unwrap_or_default();
            let count = |line: &str| line.strip_prefix("oom_kill ")?.trim().parse::<u64>().ok();
            events.lines().find_map(count).is_some_and(|count| count > 0)
        };
        self.groups.iter().filter(|group| group.counts_memory).any(|group| {
            ended(group.path.join("memory.events")) || ended(group.path.join("memory.oom_control"))
        })
    }

    /// Takes the control groups away; the processes in them have ended.
    pub(super) fn leave(&self) {
        for group in &self.groups {
            take_away(&group.path);
        }
    }
}

/// Where the control groups of a run are written down.
fn record(folder: &Path) -> PathBuf {
    folder.join("groups")
}

/// Ends whatever is left in the control groups of a run whose supervisor is gone, and takes them away.
pub(super) fn clear(folder: &Path) {
    for group in fs::read_to_string(record(folder)).unwrap_or_default().lines() {
        take_away(Path::new(group));
    }
}

fn take_away(group: &Path) {
    for _ in 0..ROUNDS {
        match fs::remove_dir(group) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {}
            _ => return,
        }
        let _ = set(group, "cgroup.kill", "1");
        let inside = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        let inside = inside.lines().filter_map(|line| Pid::from_raw(line.parse().ok()?));
        for pid in inside.filter(|pid| *pid != getpid()) {
            let _ = kill_process(pid, Signal::KILL);
        }
        std::thread::sleep(BETWEEN);
    }
}

/// Makes what groups can be had, and says why there is none for processes.
fn made(
    folder: &Path,
    places: &[Place],
    most: usize,
    bytes: u64,
) -> (Vec<Group>, Option<io::Error>) {
    let mut groups: Vec<Group> = Vec::new();
    let mut missing = Vec::new();
    let mut problem = io::Error::from(io::ErrorKind::NotFound);
    for counted in [Counted::Processes, Counted::Memory] {
        let place = places.iter().find(|place| place.version == Version::First(counted));
        match place.map(|place| make(folder, place, &[counted], most, bytes)) {
            Some(Ok(group)) => groups.push(group),
            other => {
                missing.push(counted);
                if let (Counted::Processes, Some(Err(error))) = (counted, other) {
                    problem = error;
                }
            }
        }
    }
    let second = || places.iter().filter(|place| place.version == Version::Second);
    // Both at once before either alone.
    let mut wanted = vec![missing.clone()];
    wanted.extend(missing.iter().filter(|_| missing.len() > 1).map(|counted| vec![*counted]));
    for counted in wanted.iter().filter(|counted| !counted.is_empty()) {
        let mut tried = second().map(|place| make(folder, place, counted, most, bytes));
        if let Some(group) = tried.find_map(|group| group.map_err(|error| problem = error).ok()) {
            missing.retain(|one| !counted.contains(one));
            groups.push(group);
            // A process is in one group of the second version.
            break;
        }
    }
    (groups, missing.contains(&Counted::Processes).then_some(problem))
}

fn make(
    folder: &Path,
    place: &Place,
    counted: &[Counted],
    most: usize,
    bytes: u64,
) -> io::Result<Group> {
    // The folder's name is of this run alone, unlike the number of a process.
    let name = folder.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let path = place.base.join(name);
    fs::create_dir(&path)?;
    // Only what was made here: whatever is written down will be ended.
    let written_down = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(record(folder))
        .and_then(|mut record| writeln!(record, "{}", path.display()));
    let bounded = counted.iter().try_for_each(|counted| match counted {
        Counted::Processes => {
            let most = bound(place, "pids.max").min(most as u64);
            set(&path, "pids.max", &most.to_string())
        }
        Counted::Memory => bound_memory(place, &path, bytes),
    });
    if let Err(error) = written_down.and(bounded) {
        let _ = fs::remove_dir(&path);
        return Err(error);
    }
    let counts_memory = counted.contains(&Counted::Memory);
    Ok(Group { path, home: place.home.clone(), counts_memory })
}

/// Sets what a group has: a folder that is no control group has nothing of the kind.
fn set(group: &Path, name: &str, value: &str) -> io::Result<()> {
    fs::OpenOptions::new().write(true).open(group.join(name))?.write_all(value.as_bytes())
}

/// Bounds the memory of a group: programs', the kernel's for them, and what is written to the swap.
fn bound_memory(place: &Place, group: &Path, bytes: u64) -> io::Result<()> {
    // What comes after the first is not counted by every kernel.
    if place.version == Version::Second {
        set(group, "memory.max", &bytes.min(bound(place, "memory.max")).to_string())?;
        let _ = set(group, "memory.swap.max", "0");
        let _ = set(group, "memory.oom.group", "1");
    } else {
        set(group, "memory.limit_in_bytes", &bytes.to_string())?;
        let _ = set(group, "memory.memsw.limit_in_bytes", &bytes.to_string());
        let _ = set(group, "memory.kmem.tcp.limit_in_bytes", &bytes.to_string());
    }
    Ok(())
}

/// What the groups between a place and where this process is allow: a group further up is not held to
/// it by itself.
fn bound(place: &Place, name: &str) -> u64 {
    let between = place.home.ancestors().take_while(|group| *group != place.base);
    let bounds = between.filter_map(|group| fs::read_to_string(group.join(name)).ok());
    bounds.filter_map(|text| text.trim().parse().ok()).min().unwrap_or(u64::MAX)
}

/// Where control groups can be made for this process, the nearest first, for both versions. A group of
/// the second version that has processes cannot have groups that count, so that one further up has to.
fn places(own: &str) -> Vec<Place> {
    let mut places = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = path.trim_start_matches('/');
        let first = [("pids", Counted::Processes), ("memory", Counted::Memory)];
        for (name, counted) in first {
            if controllers.split(',').any(|controller| controller == name) {
                let home = Path::new("/sys/fs/cgroup").join(name).join(path);
                let version = Version::First(counted);
                places.push(Place { base: home.clone(), home, version });
            }
        }
        if number == "0" && controllers.is_empty() {
            for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"].map(Path::new) {
                let home = root.join(path);
                let bases = home.ancestors().take_while(|base| base.starts_with(root));
                places.extend(bases.map(|base| Place {
                    base: base.to_owned(),
                    home: home.clone(),
                    version: Version::Second,
                }));
            }
        }
    }
    places
}

/// Processes and threads of this user, all over the system.
fn tasks_of_user() -> usize {
    let user = getuid().as_raw();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.uid() == user))
        .filter_map(|entry| fs::read_dir(entry.path().join("task")).ok())
        .map(Iterator::count)
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_groups_of_both_versions_are_found() {
        let found = places("8:pids:/a\n5:devices,pids:/b\n4:memory:/c\n0::/user.slice/x\n");
        let found: Vec<&Path> = found.iter().map(|place| place.base.as_path()).collect();
        let expected = [
            "/sys/fs/cgroup/pids/a",
            "/sys/fs/cgroup/pids/b",
            "/sys/fs/cgroup/memory/c",
            "/sys/fs/cgroup/user.slice/x",
            "/sys/fs/cgroup/user.slice",
            "/sys/fs/cgroup",
            "/sys/fs/cgroup/unified/user.slice/x",
            "/sys/fs/cgroup/unified/user.slice",
            "/sys/fs/cgroup/unified",
        ];
        assert_eq!(found, expected.map(Path::new));
    }

    #[test]
    fn a_group_further_up_is_held_to_what_is_between() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("a/b/c");
        fs::create_dir_all(&home).unwrap();
        fs::write(home.join("memory.max"), "max\n").unwrap();
        fs::write(folder.path().join("a/b/memory.max"), "4096\n").unwrap();
        fs::write(folder.path().join("a/memory.max"), "1024\n").unwrap();
        let base = folder.path().join("a");
        let mut place = Place { base, home: home.clone(), version: Version::Second };
        assert_eq!(bound(&place, "memory.max"), 4096);
        assert_eq!(bound(&place, "pids.max"), u64::MAX);
        place.base = home;
        assert_eq!(bound(&place, "memory.max"), u64::MAX);
    }

    #[test]
    fn a_folder_that_is_no_control_group_bounds_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("groups-here");
        fs::create_dir(&base).unwrap();
        let place = Place { base: base.clone(), home: base.clone(), version: Version::Second };
        let (groups, problem) = made(folder.path(), &[place], 8, 1 << 20);
        assert_eq!(groups, []);
        assert!(problem.is_some());
        assert_eq!(fs::read_dir(base).unwrap().count(), 0);
    }
}
