//! What a brain consists of: one explicit list. Whatever else lies in the folder is no part of the
//! brain and is named as a stranger; a link is an error, because a prompt would follow it and a hash
//! would not.

use std::fs;
use std::path::{Path, PathBuf};

use super::BrainError;

/// Whether a member is a file or a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file.
    File,
    /// A folder, with all that is in it.
    Folder,
}

/// What a member says about the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// What the agent knows and is told: a change of it is a new version.
    Knowledge,
    /// What the agent did.
    Activity,
    /// Both, told apart by table: facts and quarantine are knowledge, messages and tasks activity.
    Database,
    /// What hone needs to look after the rest; no part of any state.
    Bookkeeping,
}

/// One member of a brain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// Its name in the folder.
    pub name: &'static str,
    /// File or folder.
    pub kind: Kind,
    /// What it says about the agent.
    pub part: Part,
}

const fn member(name: &'static str, kind: Kind, part: Part) -> Member {
    Member { name, kind, part }
}

/// The settings of the agent.
pub const SETTINGS: &str = "agent.toml";
/// The role of the agent: the head of its system message.
pub const SYSTEM: &str = "system.md";
/// What the agent knows, for every subscriber.
pub const MEMORY: &str = "MEMORY.md";
/// What the agent knows about its owner.
pub const USER: &str = "USER.md";
/// What the agent knows about its other subscribers, one file each.
pub const USERS: &str = "users";
/// The agent's skills.
pub const SKILLS: &str = "skills";
/// Texts to look things up in; no task writes there.
pub const PATTERNS: &str = "patterns";
/// Messages, facts and tasks.
pub const DATABASE: &str = "memory.db";
/// All steps of every task, one file each.
pub const TRANSCRIPTS: &str = "transcripts";
/// Hashes of the files that came from a seed.
pub const SEED: &str = "seed.json";
/// The running task's own note of what to take back should it die.
pub const JOURNAL: &str = "task.json";
/// The steps of the running task, until they are its transcript. Like every name that begins so, it is a write
/// under way: no state and no snapshot has it.
pub const STEPS: &str = ".hone-steps.jsonl";
/// Locked by the running task.
pub const LOCK: &str = "task.lock";

/// Every member of a brain, sorted by name.
pub const MEMBERS: [Member; 16] = [
    member(MEMORY, Kind::File, Part::Knowledge),
    member(USER, Kind::File, Part::Knowledge),
    member(SETTINGS, Kind::File, Part::Knowledge),
    member("bundle.lock.json", Kind::File, Part::Bookkeeping),
    member(DATABASE, Kind::File, Part::Database),
    member("memory.db-shm", Kind::File, Part::Bookkeeping),
    member("memory.db-wal", Kind::File, Part::Bookkeeping),
    member(PATTERNS, Kind::Folder, Part::Knowledge),
    member("receipts.jsonl", Kind::File, Part::Bookkeeping),
    member(SEED, Kind::File, Part::Bookkeeping),
    member(SKILLS, Kind::Folder, Part::Knowledge),
    member(SYSTEM, Kind::File, Part::Knowledge),
    member(JOURNAL, Kind::File, Part::Bookkeeping),
    member(LOCK, Kind::File, Part::Bookkeeping),
    member(TRANSCRIPTS, Kind::Folder, Part::Activity),
    member(USERS, Kind::Folder, Part::Knowledge),
];

/// The member of that name.
pub fn named(name: &str) -> Option<&'static Member> {
    MEMBERS.iter().find(|member| member.name == name)
}

/// Looks at the folder and one level below: no links, every member of its kind. Gives what is no
/// member, sorted.
pub fn look(folder: &Path) -> Result<Vec<PathBuf>, BrainError> {
    let mut strangers = Vec::new();
    for entry in entries(folder)? {
        let (path, kind) = entry?;
        let member = path.file_name().and_then(|name| name.to_str()).and_then(named);
        match (member, kind) {
            (None, Kind::File) if path.ends_with(STEPS) => {}
            (None, _) => strangers.push(path),
            (Some(member), found) if member.kind != found => {
                let expected = if member.kind == Kind::File { "file" } else { "folder" };
                return Err(BrainError::Shape { path, expected });
            }
            // One file for every task, and no prompt reads one.
            (Some(member), Kind::Folder) if member.name == TRANSCRIPTS => {}
            (Some(_), Kind::Folder) => {
                for entry in entries(&path)? {
                    entry?;
                }
            }
            (Some(_), Kind::File) => {}
        }
    }
    strangers.sort();
    Ok(strangers)
}

/// The entries of a folder, each a file or a folder.
fn entries(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<(PathBuf, Kind), BrainError>>, BrainError> {
    let around = folder.to_owned();
    let read = fs::read_dir(folder).map_err(BrainError::io("read", folder))?;
    Ok(read.map(move |entry| {
        let entry = entry.map_err(BrainError::io("read", &around))?;
        let path = entry.path();
        let found = entry.file_type().map_err(BrainError::io("read", &path))?;
        if found.is_symlink() {
            return Err(BrainError::Link { path });
        }
        Ok((path, if found.is_dir() { Kind::Folder } else { Kind::File }))
    }))
}
