//! Where the agents of this machine keep their sessions.

use std::collections::VecDeque;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use hone_agent::brain::{Brain, members};
use hone_library::Surroundings;

use super::{Format, Found, SessionError, hermes, in_file, read_some};
use crate::experience::Agent;

/// Sessions that are looked at, at most, of each agent.
pub const MAX_SESSIONS: usize = 50_000;

/// Folders inside one another that are looked into.
const MAX_DEPTH: usize = 5;

/// Characters that the beginning of an id must have.
const MIN_ID_CHARS: usize = 4;

/// Sessions that are named when an id could be any of them.
const MAX_NAMED: usize = 5;

/// Characters of an id that are shown at least.
pub const MIN_SHOWN_CHARS: usize = 13;

/// The ids of all sessions, to show each in short.
#[derive(Debug, Clone, Default)]
pub struct Ids(Vec<String>);

impl Ids {
    /// These ids.
    pub fn new(ids: impl IntoIterator<Item = String>) -> Self {
        let mut ids: Vec<String> = ids.into_iter().collect();
        ids.sort_unstable();
        ids.dedup();
        Self(ids)
    }

    /// So much of an id that it is the beginning of no other.
    pub fn short<'i>(&self, id: &'i str) -> &'i str {
        let at = self.0.partition_point(|other| other.as_str() < id);
        let before = at.checked_sub(1).and_then(|at| self.0.get(at));
        let after = self.0[at..].iter().find(|other| *other != id);
        let shared =
            |other: &String| id.chars().zip(other.chars()).take_while(|(a, b)| a == b).count();
        let others = before.into_iter().chain(after);
        let most = others.map(|other| shared(other) + 1).max().unwrap_or_default();
        let end = id.char_indices().nth(most.max(MIN_SHOWN_CHARS));
        end.map_or(id, |(end, _)| &id[..end])
    }
}

/// Where to look.
#[derive(Debug, Clone)]
pub struct Places {
    claude: PathBuf,
    codex: Vec<PathBuf>,
    hermes: PathBuf,
    hone_home: PathBuf,
}

/// Whether the work of helpers inside of sessions counts as sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Helpers {
    /// It does not.
    LeftOut,
    /// It does: each helper's is one.
    Too,
}

/// A place that could not be looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which.
    pub path: PathBuf,
    /// Why.
    pub message: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Located {
    /// The sessions, newest first.
    pub sessions: Vec<Found>,
    /// What could not be looked at.
    pub problems: Vec<Problem>,
}

impl Places {
    /// The places of whoever runs this.
    pub fn of(around: &Surroundings) -> Self {
        let codex = ["sessions", "archived_sessions"];
        Self {
            claude: around.below_home(".claude/projects"),
            codex: codex.map(|name| around.below_home(&format!(".codex/{name}"))).to_vec(),
            hermes: around.below_home(".hermes"),
            hone_home: around.hone_home.clone(),
        }
    }

    /// Finds every session of the agents that `wanted` says, without reading any.
    pub fn locate(&self, wanted: impl Fn(&str) -> bool) -> Located {
        self.locate_with(wanted, Helpers::LeftOut)
    }

    /// The same, with or without what helpers did inside of sessions.
    pub fn locate_with(&self, wanted: impl Fn(&str) -> bool, helpers: Helpers) -> Located {
        let mut located = Located::default();
        if wanted("claude-code") {
            // What starts with `agent-` is the work of a helper inside another session.
            let is_wanted = |name: &str| helpers == Helpers::Too || !name.starts_with("agent-");
            let is_session = |name: &str| is_lines(name) && is_wanted(name);
            located.walk(&self.claude, &Agent::ClaudeCode, Format::Claude, is_session);
        }
        if wanted("codex") {
            let is_session = |name: &str| is_lines(name) && name.starts_with("rollout-");
            for folder in &self.codex {
                located.walk(folder, &Agent::Codex, Format::Codex, is_session);
            }
        }
        if wanted("hermes") {
            located.hermes(&self.hermes);
        }
        if wanted("hone") {
            located.own(&self.hone_home);
        }
        located.sessions.sort_by(|a, b| {
            b.modified
                .cmp(&a.modified)
                .then_with(|| a.id.cmp(&b.id))
                .then_with(|| a.path.cmp(&b.path))
        });
        located
    }

    /// The ids that [`Places::find`] knows.
    pub fn ids(&self) -> Ids {
        Ids::new(
            self.locate_with(|_| true, Helpers::Too).sessions.into_iter().map(|found| found.id),
        )
    }

    /// The session that is meant by an id, the beginning of one, or a file.
    pub fn find(&self, meant: &str, cwd: &Path) -> Result<Found, SessionError> {
        let path = cwd.join(meant);
        if path.is_file() {
            return in_file(&path);
        }
        let mut sessions = self.locate_with(|_| true, Helpers::Too).sessions;
        if let Some(exact) = sessions.iter().position(|found| found.id == meant) {
            return Ok(sessions.swap_remove(exact));
        }
        if meant.chars().count() >= MIN_ID_CHARS {
            sessions.retain(|found| found.id.starts_with(meant));
        } else {
            sessions.clear();
        }
        match sessions.len() {
            0 => Err(SessionError::NotFound(meant.to_owned())),
            1 => Ok(sessions.swap_remove(0)),
            count => {
                let others = sessions.into_iter().take(MAX_NAMED).map(|found| found.id).collect();
                Err(SessionError::Ambiguous { id: meant.to_owned(), count, others })
            }
        }
    }

    /// The newest session that something can be learned from: one of this folder if there is any among
    /// the newest, else of any.
    pub fn newest(&self, cwd: &Path) -> Option<Found> {
        const LOOKED_AT: usize = 20;
        let mut useful = Vec::new();
        for found in self.locate(|_| true).sessions.into_iter().take(LOOKED_AT) {
            let Ok((session, _)) = read_some(&found, super::MAX_LISTED_BYTES) else { continue };
            let experience = session.whole;
            if experience.task.is_empty() || experience.steps.is_empty() {
                continue;
            }
            if experience.source.folder.as_deref() == Some(cwd) {
                return Some(found);
            }
            useful.push(found);
        }
        useful.into_iter().next()
    }
}

fn is_lines(name: &str) -> bool {
    name.strip_suffix(".jsonl").is_some_and(|stem| !stem.is_empty())
}

impl Located {
    fn problem(&mut self, path: &Path, message: &dyn std::fmt::Display) {
        self.problems.push(Problem { path: path.to_owned(), message: message.to_string() });
    }

    /// Goes through a folder and those in it; a folder that is not there has no sessions.
    fn walk(
        &mut self,
        top: &Path,
        agent: &Agent,
        format: Format,
        is_session: impl Fn(&str) -> bool,
    ) {
        let mut folders = VecDeque::from([(top.to_owned(), 0)]);
        let mut count = 0;
        while let Some((folder, depth)) = folders.pop_front() {
            let entries = match fs::read_dir(&folder) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    self.problem(&folder, &error);
                    continue;
                }
                Ok(entries) => entries,
            };
            for entry in entries.flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() && depth < MAX_DEPTH {
                    folders.push_back((entry.path(), depth + 1));
                    continue;
                }
                let name = entry.file_name();
                if !kind.is_file() || !name.to_str().is_some_and(&is_session) {
                    continue;
                }
                if count == MAX_SESSIONS {
                    let why = format!("only {MAX_SESSIONS} sessions are looked at");
                    return self.problem(top, &why);
                }
                count += 1;
                match entry.metadata() {
                    Ok(metadata) => {
                        self.sessions.push(found(agent.clone(), format, &entry.path(), &metadata));
                    }
                    Err(error) => self.problem(&entry.path(), &error),
                }
            }
        }
    }

    /// The database of Hermes, and those of its profiles.
    fn hermes(&mut self, home: &Path) {
        let profiles = fs::read_dir(home.join("profiles")).into_iter().flatten().flatten();
        let mut folders: Vec<PathBuf> = profiles.map(|entry| entry.path()).collect();
        folders.sort();
        folders.insert(0, home.to_owned());
        for path in folders.iter().map(|folder| folder.join("state.db")) {
            if !path.symlink_metadata().is_ok_and(|metadata| metadata.is_file()) {
                continue;
            }
            match hermes::locate(&path) {
                Ok(sessions) => self.sessions.extend(sessions),
                Err(error) => self.problem(&path, &error),
            }
        }
    }

    fn own(&mut self, hone_home: &Path) {
        let agents = match Brain::all(hone_home) {
            Ok(agents) => agents,
            Err(error) => return self.problem(hone_home, &error),
        };
        for name in agents {
            let Ok(brain) = Brain::find(hone_home, &name) else { continue };
            let folder = brain.member(members::TRANSCRIPTS);
            self.walk(&folder, &Agent::Hone(name), Format::Own, is_lines);
        }
    }
}

/// A session in a file of its own.
pub(super) fn found(agent: Agent, format: Format, path: &Path, metadata: &Metadata) -> Found {
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    Found {
        agent,
        format,
        id: session_id(&stem, format).to_owned(),
        path: path.to_owned(),
        modified: modified.and_then(|time| i64::try_from(time.as_millis()).ok()).unwrap_or(0),
        bytes: metadata.len(),
    }
}

/// `rollout-2026-01-18T02-01-28-ID` carries the id behind its time.
fn session_id(stem: &str, format: Format) -> &str {
    const TIME: usize = "2026-01-18T02-01-28-".len();
    let rollout = stem.strip_prefix("rollout-").filter(|_| format == Format::Codex);
    rollout.and_then(|rest| rest.get(TIME..)).filter(|id| !id.is_empty()).unwrap_or(stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_shown_as_far_as_it_takes_to_tell_it_from_all_others() {
        let all = ["20261102T101320Z-abcd1234", "20261102T101355Z-00ff", "20261102T101355Z-00fe"];
        let ids = Ids::new(all.iter().chain(&["short"]).map(|id| (*id).to_owned()));
        let shown = all.map(|id| ids.short(id));
        assert_eq!(shown, ["20261102T10132", "20261102T101355Z-00ff", "20261102T101355Z-00fe"]);
        for short in shown {
            assert_eq!(all.iter().filter(|id| id.starts_with(short)).count(), 1, "{short}");
        }
        assert_eq!(ids.short("short"), "short");
        assert_eq!(Ids::new(["0123456789abcdef".to_owned()]).short("0123456789abcdef").len(), 13);
        // One that is the beginning of another is named by all of it.
        let ids = Ids::new(["0123456789abcd".to_owned(), "0123456789abcdef".to_owned()]);
        assert_eq!(ids.short("0123456789abcd"), "0123456789abcd");
        assert_eq!(ids.short("0123456789abcdef"), "0123456789abcde");
        assert_eq!(Ids::default().short("ä"), "ä");
    }
}
