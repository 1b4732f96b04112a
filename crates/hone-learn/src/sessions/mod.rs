//! Sessions of the agents that people use, found on disk and read as [`Experience`]s.
//!
//! Claude Code, Codex, Hermes, hone's own runs, and transcripts that are just messages or text. Formats
//! drift: a record that is not understood is passed over and counted. Reading is one pass over a
//! bounded part of a file, whatever is in it; nothing is written, and no link is followed.

mod building;
mod chat;
mod claude;
mod codex;
mod hermes;
mod lines;
mod own;
mod parts;
mod places;
mod plain;
mod summary;
mod words;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::experience::{Agent, Experience};
use building::{Building, Session};
use lines::{Line, Lines};

pub use lines::MAX_LINE_BYTES;
pub use parts::MAX_TASKS;
pub use places::{Helpers, Ids, Located, MAX_SESSIONS, MIN_SHOWN_CHARS, Places, Problem};
pub use summary::{Summary, ToolCount};
pub use words::is_against;

/// Bytes of a session that are read to learn from it.
pub const MAX_SESSION_BYTES: u64 = 256 * 1024 * 1024;

/// Bytes of a session that are read to list it.
pub const MAX_LISTED_BYTES: u64 = 16 * 1024 * 1024;

/// Lines of a file that are looked at to tell its format.
const SNIFFED_LINES: usize = 20;

/// Bytes of those lines.
const SNIFFED_BYTES: u64 = 1024 * 1024;

/// How a session is written down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Claude Code's lines.
    Claude,
    /// Codex' rollouts.
    Codex,
    /// The database of Hermes.
    Hermes,
    /// The transcript of a run of hone.
    Own,
    /// Messages with a role, one a line.
    Chat,
    /// Text.
    Plain,
}

/// A session that was found and not read yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// Who did the work.
    pub agent: Agent,
    /// How it is written down.
    pub format: Format,
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// When it was last written to, in milliseconds since 1970.
    pub modified: i64,
    /// How large its file is; 0 for one that shares it with others.
    pub bytes: u64,
}

/// Why a session cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The file cannot be read.
    #[error("could not read `{}`: {source}", path.display())]
    Io {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The database cannot be read.
    #[error("could not read the sessions in `{}`: {source}", path.display())]
    Database {
        /// Which.
        path: PathBuf,
        /// What SQLite said.
        source: rusqlite::Error,
    },
    /// There is no such session.
    #[error("there is no session `{0}`")]
    NotFound(String),
    /// More than one could be meant.
    #[error(
        "`{id}` is the beginning of {count} sessions: {}{}",
        others.join(", "),
        if *count > others.len() { ", …" } else { "" }
    )]
    Ambiguous {
        /// What was given.
        id: String,
        /// How many begin so.
        count: usize,
        /// A few that begin so.
        others: Vec<String>,
    },
    /// The file is something else.
    #[error("`{}` is neither a session nor a transcript", .0.display())]
    NotASession(PathBuf),
    /// Nothing can be learned from it.
    #[error("nothing was asked and no tool was called in `{0}`")]
    Empty(String),
}

/// Reads a session to learn from it, all of it as one.
pub fn read(found: &Found) -> Result<Experience, SessionError> {
    Ok(read_session(found)?.whole)
}

/// Reads a session task by task: what was asked for after an answer is a task of its own. At least one.
pub fn read_tasks(found: &Found) -> Result<Vec<Experience>, SessionError> {
    let session = read_session(found)?;
    Ok(parts::tasks(&session))
}

fn read_session(found: &Found) -> Result<Session, SessionError> {
    let (session, _) = read_some(found, MAX_SESSION_BYTES)?;
    if session.whole.task.is_empty() && session.whole.steps.is_empty() {
        return Err(SessionError::Empty(found.id.clone()));
    }
    Ok(session)
}

/// Reads at most so many bytes of a session; true when there was more.
fn read_some(found: &Found, most: u64) -> Result<(Session, bool), SessionError> {
    if found.format == Format::Hermes {
        let failed = |source| SessionError::Database { path: found.path.clone(), source };
        return hermes::read(found).map(|session| (session, false)).map_err(failed);
    }
    let failed = |source| SessionError::Io { path: found.path.clone(), source };
    let file = open(&found.path).map_err(failed)?;
    read_lines(found, file, most).map_err(failed)
}

fn read_lines(found: &Found, from: impl Read, most: u64) -> io::Result<(Session, bool)> {
    let mut into = Building::new(found.agent.clone(), &found.id);
    into.experience.source.path = Some(found.path.clone());
    let mut lines = Lines::new(BufReader::new(from), most);
    let mut claude = claude::Reader::default();
    let mut plain = plain::Reader::new();
    while let Some(line) = lines.next()? {
        let Line::Whole(bytes) = line else {
            into.skip();
            continue;
        };
        if found.format == Format::Plain {
            plain.take(&mut into, &String::from_utf8_lossy(bytes));
            continue;
        }
        if bytes.trim_ascii().is_empty() {
            continue;
        }
        let Ok(record) = serde_json::from_slice::<Value>(bytes) else {
            into.skip();
            continue;
        };
        match found.format {
            Format::Claude => claude.take(&mut into, &record),
            Format::Codex => codex::take(&mut into, &record),
            Format::Own => own::take(&mut into, record),
            Format::Chat | Format::Plain | Format::Hermes => chat::take(&mut into, &record),
        }
    }
    plain.settle(&mut into);
    let is_cut = lines.is_cut;
    // The end of one of our own runs says how it ended and what it cost.
    let ended = (found.format == Format::Own).then_some(into.experience.converged);
    let cost = into.experience.cost;
    let mut session = into.finish();
    if let Some(converged) = ended {
        session.whole.converged = converged;
        session.whole.cost = cost;
    }
    Ok((session, is_cut))
}

/// Opens a regular file.
fn open(path: &Path) -> io::Result<File> {
    let file = File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a file"));
    }
    Ok(file)
}

/// The session in a file that a person names, whatever its format. Of a database, the newest.
pub fn in_file(path: &Path) -> Result<Found, SessionError> {
    let failed = |source| SessionError::Io { path: path.to_owned(), source };
    let mut file = open(path).map_err(failed)?;
    let mut head = [0; 16];
    let length = file.read(&mut head).map_err(failed)?;
    if head[..length].starts_with(b"SQLite format 3") {
        let broken = |source| SessionError::Database { path: path.to_owned(), source };
        let newest = hermes::locate(path).map_err(broken)?.into_iter().next();
        return newest.ok_or_else(|| SessionError::Empty(path.display().to_string()));
    }
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let sniffed = sniff(&file).map_err(failed)?;
    let (agent, format) = sniffed.ok_or_else(|| SessionError::NotASession(path.to_owned()))?;
    let metadata = file.metadata().map_err(failed)?;
    Ok(places::found(agent, format, path, &metadata))
}

/// Tells a format by the first records that are one of any; none when it is not even text.
fn sniff(file: &File) -> io::Result<Option<(Agent, Format)>> {
    let mut lines = Lines::new(BufReader::new(file), SNIFFED_BYTES);
    for _ in 0..SNIFFED_LINES {
        let Some(line) = lines.next()? else { break };
        let Line::Whole(bytes) = line else { continue };
        if bytes.contains(&0) {
            return Ok(None);
        }
        let Ok(record) = serde_json::from_slice::<Value>(bytes) else { continue };
        let has = |key: &str| record.get(key).is_some();
        let kind = record["type"].as_str();
        if record["kind"] == "task" && has("input") {
            return Ok(Some((Agent::Hone(String::new()), Format::Own)));
        } else if has("payload")
            || has("record_type")
            || has("id") && has("timestamp") && kind.is_none()
        {
            return Ok(Some((Agent::Codex, Format::Codex)));
        } else if has("sessionId") || has("parentUuid") || matches!(kind, Some("summary")) {
            return Ok(Some((Agent::ClaudeCode, Format::Claude)));
        } else if has("role") && has("content") {
            return Ok(Some((Agent::Plain, Format::Chat)));
        }
    }
    Ok(Some((Agent::Plain, Format::Plain)))
}

#[cfg(test)]
mod parts_tests;
#[cfg(test)]
mod tests;
