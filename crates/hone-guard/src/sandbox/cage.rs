//! A hard bound on the number of processes: looking now and then is too slow for a program that does
//! nothing but fork.
//!
//! A user other than root is bounded by a resource limit. Root is not; there, a control group does it.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, getpid, getuid, setrlimit};

use super::Layer;

/// Room above the limit, so that passing it is seen before the kernel says no.
const ROOM: usize = 8;

/// What keeps the number of processes and threads below this one bounded.
pub(super) struct Cage {
    group: Option<PathBuf>,
    pub(super) layer: Layer,
}

impl Cage {
    /// Bounds this process and everything it starts to `most` more processes and threads.
    pub(super) fn new(most: usize) -> Self {
        let (group, result) = if getuid().is_root() {
            match Self::enter_group(most) {
                Ok(group) => (Some(group), Ok("by a control group")),
                Err(error) => (None, Err(format!("no control group for root: {error}"))),
            }
        } else {
            let limit = tasks_of_user() + most + ROOM;
            let limit = u64::try_from(limit).ok();
            let result = setrlimit(Resource::Nproc, Rlimit { current: limit, maximum: limit });
            (None, result.map(|()| "by a resource limit").map_err(|error| error.to_string()))
        };
        let (held, note) = match result {
            Ok(note) => (true, note.to_owned()),
            Err(why) => (false, why),
        };
        Self { group, layer: Layer { name: "processes".to_owned(), held, note } }
    }

    fn enter_group(most: usize) -> io::Result<PathBuf> {
        let own = fs::read_to_string("/proc/self/cgroup")?;
        let mut problem = io::Error::from(io::ErrorKind::NotFound);
        for base in bases(&own) {
            let group = base.join(format!("hone-run-{}", getpid().as_raw_nonzero()));
            let entered = fs::create_dir(&group)
                .and_then(|()| fs::write(group.join("pids.max"), (most + ROOM + 1).to_string()))
                .and_then(|()| fs::write(group.join("cgroup.procs"), "0"));
            match entered {
                Ok(()) => return Ok(group),
                Err(error) => {
                    let _ = fs::remove_dir(&group);
                    problem = error;
                }
            }
        }
        Err(problem)
    }

    /// Leaves the control group and takes it away; the processes in it have ended.
    pub(super) fn leave(&self) {
        if let Some(group) = &self.group {
            let around = group.parent().unwrap_or(Path::new("/"));
            let _ = fs::write(around.join("cgroup.procs"), "0");
            let _ = fs::remove_dir(group);
        }
    }
}

/// The control groups of this process that can count processes, for both versions.
fn bases(own: &str) -> Vec<PathBuf> {
    let mut bases = Vec::new();
    for line in own.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(number), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let path = path.trim_start_matches('/');
        if controllers.split(',').any(|controller| controller == "pids") {
            bases.push(Path::new("/sys/fs/cgroup/pids").join(path));
        } else if number == "0" && controllers.is_empty() {
            bases.push(Path::new("/sys/fs/cgroup").join(path));
            bases.push(Path::new("/sys/fs/cgroup/unified").join(path));
        }
    }
    bases
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
    use super::bases;

    #[test]
    fn control_groups_of_both_versions_are_found() {
        let found = bases("8:pids:/a\n5:devices,pids:/b\n4:memory:/c\n0::/user.slice/x\n");
        let expected = [
            "/sys/fs/cgroup/pids/a",
            "/sys/fs/cgroup/pids/b",
            "/sys/fs/cgroup/user.slice/x",
            "/sys/fs/cgroup/unified/user.slice/x",
        ];
        assert_eq!(found, expected.map(std::path::PathBuf::from));
    }
}
