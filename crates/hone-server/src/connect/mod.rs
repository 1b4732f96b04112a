//! `hone` in the configuration of other programs, so that they start its server.
//!
//! A file of somebody else is only ever changed by one entry, shown first and written whole or not at
//! all. What was there before stays byte for byte, and the entry can be taken back.

mod clients;
mod document;
mod jsonc;
mod probe;
mod toml;
mod yaml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::{State, memo};
use serde_json::Value;

pub use clients::{CLIENTS, Client, Server};
pub use document::{MAX_BYTES, Unreadable};
pub use probe::{ANSWERS_IN, Answer, ProbeError, probe};

use document::Edit;

/// What remembers edits.
const TOPIC: &str = "connect";
/// What remembers how many folders had to be made for a file.
const FOLDERS: &str = "connect-folders";
/// Files whose edits are remembered.
const MAX_REMEMBERED: usize = 100;

/// Whose configuration is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The person's: everywhere.
    User,
    /// The project's: for everybody who works on it.
    Project,
}

/// What a file says about a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// Nothing of that name.
    Absent,
    /// It starts `hone mcp`.
    Ours(Server),
    /// Something else has the name.
    Other,
}

/// Why a client cannot be connected.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The file cannot be read as what it should be.
    #[error("`{}` was left alone: {why}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: Unreadable,
    },
    /// It cannot be read or written at all.
    #[error("could not {doing} `{}`: {error}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// Somebody else's entry has the name.
    #[error("`{}` has a server `{name}` that is not ours", path.display())]
    Taken {
        /// The file.
        path: PathBuf,
        /// The entry.
        name: String,
    },
    /// Somebody wrote the file in between.
    #[error("`{}` was changed by somebody else meanwhile; nothing was written", .0.display())]
    Changed(PathBuf),
    /// The library could not write.
    #[error(transparent)]
    Library(#[from] hone_library::Error),
}

/// A change of a file that has yet to be made.
#[derive(Debug)]
pub struct Plan {
    /// The file.
    pub path: PathBuf,
    /// What it says; none when it is not there.
    pub before: Option<String>,
    /// What it will say; none when it goes.
    pub after: Option<String>,
    /// What takes our entry out again; none when there will be none.
    edit: Option<Edit>,
}

impl Plan {
    /// Whether there is anything to do.
    pub fn is_change(&self) -> bool {
        self.before != self.after
    }

    /// Makes the change, unless somebody else changed the file since it was read.
    pub fn carry_out(&self, state: &State, now: i64) -> Result<(), ConnectError> {
        if read(&self.path)? != self.before {
            return Err(ConnectError::Changed(self.path.clone()));
        }
        let key = self.path.to_string_lossy();
        if let Some(after) = &self.after {
            if let Some(folder) = self.path.parent() {
                let is_missing = |folder: &&Path| folder.symlink_metadata().is_err();
                let made = folder.ancestors().take_while(is_missing).count();
                std::fs::create_dir_all(folder).map_err(io("make", folder))?;
                if made > 0 {
                    let made = made.to_string();
                    memo::remember(state, FOLDERS, &key, &made, MAX_REMEMBERED, now);
                }
            }
            hone_library::replace(&self.path, after.as_bytes())?;
            if let Some(edit) = &self.edit {
                let edit = serde_json::to_string(edit).unwrap_or_default();
                memo::remember(state, TOPIC, &key, &edit, MAX_REMEMBERED, now);
            }
        } else {
            std::fs::remove_file(&self.path).map_err(io("remove", &self.path))?;
            let made = memo::recall(state, FOLDERS, &key).ok().flatten();
            let made = made.and_then(|made| made.parse().ok()).unwrap_or(0);
            for folder in self.path.ancestors().skip(1).take(made) {
                // One that others use by now stays, and so do those around it.
                if std::fs::remove_dir(folder).is_err() {
                    break;
                }
            }
        }
        Ok(())
    }
}

fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> ConnectError {
    let path = path.to_owned();
    move |error| ConnectError::Io { doing, path, error }
}

/// The text of a file; none when it is not there.
fn read(path: &Path) -> Result<Option<String>, ConnectError> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io("read", path)(error)),
        Ok(metadata) if metadata.len() > MAX_BYTES as u64 => {
            let error = std::io::Error::other(format!("it has more than {MAX_BYTES} bytes"));
            return Err(io("read", path)(error));
        }
        Ok(_) => {}
    }
    std::fs::read_to_string(path).map(Some).map_err(io("read", path))
}

/// What put our entry into a file, as far as that is remembered.
fn remembered(state: &State, path: &Path) -> Option<Edit> {
    let known = memo::recall(state, TOPIC, &path.to_string_lossy()).ok().flatten();
    known.and_then(|known| serde_json::from_str(&known).ok())
}

impl Client {
    /// What a file says about each server that it names.
    pub fn connections(
        &self,
        state: &State,
        path: &Path,
    ) -> Result<BTreeMap<String, Connection>, ConnectError> {
        let Some(text) = read(path)? else { return Ok(BTreeMap::new()) };
        let servers = self.format.entry(&text, &[self.section]);
        let servers =
            servers.map_err(|why| ConnectError::Unreadable { path: path.to_owned(), why })?;
        let edit = remembered(state, path);
        let servers = servers.as_ref().and_then(Value::as_object).into_iter().flatten();
        let servers = servers.filter(|(_, entry)| !entry.is_null()).map(|(name, entry)| {
            let server = self.server(entry).filter(|server| server.is_hone(edit.as_ref()));
            (name.clone(), server.map_or(Connection::Other, Connection::Ours))
        });
        Ok(servers.collect())
    }

    /// What a file says about the server `name`.
    pub fn connection(
        &self,
        state: &State,
        path: &Path,
        name: &str,
    ) -> Result<Connection, ConnectError> {
        Ok(self.connections(state, path)?.remove(name).unwrap_or(Connection::Absent))
    }

    /// The change that makes this client start `server` under `name`.
    pub fn connect(
        &self,
        state: &State,
        path: &Path,
        name: &str,
        server: &Server,
    ) -> Result<Plan, ConnectError> {
        if self.connection(state, path, name)? == Connection::Other {
            return Err(ConnectError::Taken { path: path.to_owned(), name: name.to_owned() });
        }
        let before = read(path)?;
        let text = before.as_deref().unwrap_or_default();
        let keys = [self.section, name];
        let after = self.format.with(text, &keys, &self.entry(name, server));
        let after = after.map_err(|why| ConnectError::Unreadable { path: path.to_owned(), why })?;
        // A second time, what was there before the first is still what it goes back to.
        let first = remembered(state, path);
        let edit = match first.and_then(|edit| self.format.taken_back(text, &edit, &keys)) {
            Some((old, true)) if old.is_empty() => Edit::between(None, &after),
            Some((old, _)) => Edit::between(Some(&old), &after),
            None => Edit::between(before.as_deref(), &after),
        };
        Ok(Plan { path: path.to_owned(), before, after: Some(after), edit: Some(edit) })
    }

    /// The change that takes the server `name` out again, so that the file is what it was before
    /// wherever nobody else touched it.
    pub fn disconnect(&self, state: &State, path: &Path, name: &str) -> Result<Plan, ConnectError> {
        let before = read(path)?;
        match self.connection(state, path, name)? {
            Connection::Ours(_) => {}
            Connection::Absent => {
                let after = before.clone();
                return Ok(Plan { path: path.to_owned(), before, after, edit: None });
            }
            Connection::Other => {
                return Err(ConnectError::Taken { path: path.to_owned(), name: name.to_owned() });
            }
        }
        let text = before.as_deref().unwrap_or_default();
        let keys = [self.section, name];
        let edit = remembered(state, path);
        let after = match edit.and_then(|edit| self.format.taken_back(text, &edit, &keys)) {
            Some((after, true)) if after.is_empty() => None,
            Some((after, _)) => Some(after),
            None => {
                let after = self.format.without(text, &keys);
                after.map_err(|why| ConnectError::Unreadable { path: path.to_owned(), why })?
            }
        };
        Ok(Plan { path: path.to_owned(), before, after, edit: None })
    }
}
