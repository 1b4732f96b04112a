//! The last step before the command: limits, Landlock and seccomp, then the command takes the place of
//! this process.

use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::process::{
    Resource, Rlimit, Signal, getppid, set_parent_process_death_signal, setrlimit, setsid,
};

use super::supervise::{MAX_OPEN_FILES, SYSTEM};
use super::talk::{self, Note};
use super::{End, Layer, Limits, PATH, Plan, REFUSED, descendants, filter, mounts};

/// Devices that hold nothing and lead nowhere.
const DEVICES: [&str; 4] = ["/dev/null", "/dev/full", "/dev/random", "/dev/urandom"];

/// One that holds memory which no process has when it is written through a shared mapping.
const READ_DEVICE: &str = "/dev/zero";

/// What may be read of `/proc`: nothing of other processes, whose environment stands there.
const PROC: [&str; 9] = [
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/self",
    "/proc/stat",
    "/proc/sys",
    "/proc/uptime",
    "/proc/version",
];

pub(super) fn apply(folder: &Path, counts_memory: bool) -> u8 {
    let (Ok(plan), Ok(mut notes)) = (talk::read_plan(folder), talk::open_notes(folder)) else {
        return REFUSED;
    };
    let end = confined(&plan, folder, counts_memory, &mut notes);
    let _ = talk::write_note(&mut notes, &Note::End(end));
    REFUSED
}

/// Comes back only when the command was not started.
fn confined(plan: &Plan, folder: &Path, counts_memory: bool, notes: &mut File) -> End {
    let parent = getppid();
    let scratch = talk::scratch(folder);
    // No terminal, whose output nobody counts, and no signal to the supervisor's group. Inside bubblewrap
    // it leads a session already.
    let _ = setsid();
    if let Some(end) = linked(plan) {
        return end;
    }
    let writable: Vec<PathBuf> = plan.writes.iter().cloned().chain([scratch.clone()]).collect();
    let above = descendants::ancestors();
    // Before Landlock, which lets nobody mount.
    let holds_files = mounts::close(&writable).is_ok();
    let dropped = mounts::drop_capabilities(holds_files)
        .map_err(|error| format!("capabilities cannot be dropped: {error}"));
    let layers = [
        ("limits", dropped.and_then(|()| limit(&plan.limits))),
        ("landlock", restrict(plan, &writable).map_err(|error| error.to_string())),
        ("seccomp", {
            let above = above.as_slice();
            filter::install(&filter::Open {
                network: plan.network,
                holds_files,
                counts_memory,
                above,
            })
        }),
    ];
    let mut missing = Vec::new();
    for (name, result) in layers {
        let (held, note) = match result {
            Ok(note) => (true, note),
            Err(why) => (false, why),
        };
        if !held {
            missing.push(format!("{name} ({note})"));
        }
        let layer = Layer { name: name.to_owned(), held, note };
        if talk::write_note(notes, &Note::Layer(layer)).is_err() {
            return End::Refused("what confines it could not be recorded".to_owned());
        }
    }
    if !missing.is_empty() && !plan.unconfined {
        return End::Refused(format!("not in force: {}", missing.join(", ")));
    }
    let Some((program, arguments)) = plan.command.split_first() else {
        return End::NotStarted("there is no command".to_owned());
    };
    let start = plan.folder.as_deref().unwrap_or(&scratch);
    if let Err(error) = std::env::set_current_dir(start) {
        return End::NotStarted(format!("could not enter `{}`: {error}", start.display()));
    }
    // Last of all: a change of credentials takes it back.
    let follows = set_parent_process_death_signal(Some(Signal::KILL));
    if follows.is_err() || getppid() != parent {
        return End::NotStarted("its supervisor is gone".to_owned());
    }
    let error = Command::new(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .env("LANG", "C.UTF-8")
        .envs(talk::unpacked())
        .env("HOME", &scratch)
        .env("TMPDIR", &scratch)
        .exec();
    End::NotStarted(format!("could not run `{program}`: {error}"))
}

/// Says that nothing starts when what may be written is a link: what it leads to was not declared. Bubblewrap follows
/// links, and inside it they cannot be seen any more, so this is asked before it as well.
pub(super) fn linked(plan: &Plan) -> Option<End> {
    let is_link = |path: &&PathBuf| path.canonicalize().is_ok_and(|real| real != **path);
    let path = plan.writes.iter().find(is_link)?;
    Some(End::NotStarted(format!("`{}` is a link or below one", path.display())))
}

fn limit(limits: &Limits) -> Result<String, String> {
    let set = |resource: Resource, most: u64| {
        let limit = Rlimit { current: Some(most), maximum: Some(most) };
        setrlimit(resource, limit).map_err(|error| format!("{resource:?}: {error}"))
    };
    set(Resource::Cpu, limits.cpu_seconds)?;
    set(Resource::Data, limits.memory_bytes)?;
    set(Resource::Fsize, limits.file_bytes)?;
    set(Resource::Nofile, MAX_OPEN_FILES as u64)?;
    set(Resource::Core, 0)?;
    Ok("processor, memory, file size, open files".to_owned())
}

/// Files by Landlock; the network too, where the kernel can.
fn restrict(plan: &Plan, writable: &[PathBuf]) -> Result<String, RulesetError> {
    let newest = ABI::V6;
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(ABI::V3))?
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(newest))?
        .scope(Scope::from_all(newest))?;
    if !plan.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(newest))?;
    }
    let read = AccessFs::from_read(newest);
    let write = AccessFs::from_all(newest) & !AccessFs::MakeBlock & !AccessFs::MakeChar;
    let everywhere = SYSTEM.iter().chain(&PROC).map(PathBuf::from);
    let devices = AccessFs::ReadFile | AccessFs::WriteFile;
    let status = ruleset
        .create()?
        .add_rules(path_beneath_rules(everywhere.chain(plan.reads.iter().cloned()), read))?
        .add_rules(path_beneath_rules(DEVICES, devices))?
        .add_rules(path_beneath_rules([READ_DEVICE], AccessFs::ReadFile))?
        .add_rules(path_beneath_rules(writable, write))?
        .restrict_self()?;
    Ok(match status.ruleset {
        RulesetStatus::FullyEnforced => "files, TCP, signals and abstract sockets",
        _ => "files; this kernel cannot restrict more",
    }
    .to_owned())
}
