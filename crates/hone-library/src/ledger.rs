//! The ledger: who changed which skill, why, from what to what.
//!
//! A row is written before the files change and marked done after. A row that is not done belongs to
//! a writer that died: what is on disk then says whether it happened.

use std::path::Path;

use rusqlite::{Row, params};
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::state::{State, utf8};

/// What was done to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Action {
    /// A new skill.
    Create,
    /// A whole new text.
    Edit,
    /// A piece of text replaced.
    Patch,
    /// A skill taken away.
    Delete,
    /// A supporting file written.
    WriteFile,
    /// A supporting file taken away.
    RemoveFile,
    /// A new skill, or the next version of it in place.
    Upsert,
    /// An old version brought back.
    Rollback,
    /// Mends applied by `hone check --fix`.
    Fix,
    /// A change that somebody made without hone, seen at the next write.
    Outside,
}

impl Action {
    /// The action's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Edit => "edit",
            Self::Patch => "patch",
            Self::Delete => "delete",
            Self::WriteFile => "write-file",
            Self::RemoveFile => "remove-file",
            Self::Upsert => "upsert",
            Self::Rollback => "rollback",
            Self::Fix => "fix",
            Self::Outside => "outside",
        }
    }

    fn from_id(id: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::String(id.to_owned())).ok()
    }
}

/// One file of a skill before and after.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Path inside the skill; for a single-file skill, its file name.
    pub file: String,
    /// Hash of the bytes before; none when the file is new.
    pub before: Option<String>,
    /// Hash of the bytes after; none when the file is gone.
    pub after: Option<String>,
    /// The file is a program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub executable: bool,
    /// The file is a symbolic link, and the bytes are its target.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub link: bool,
}

/// One revision of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Revision {
    /// Number, from 1, without gaps.
    pub revision: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub actor: String,
    /// What.
    pub action: Action,
    /// Why.
    pub reason: String,
    /// The skill's name afterwards.
    pub name: String,
    /// The declared version before.
    pub from_version: Option<String>,
    /// The declared version after.
    pub to_version: Option<String>,
    /// The files that changed.
    pub changes: Vec<FileChange>,
}

/// A row about to be written.
pub(crate) struct Draft<'a> {
    pub(crate) key: &'a Path,
    pub(crate) at: i64,
    pub(crate) actor: &'a str,
    pub(crate) action: Action,
    pub(crate) reason: &'a str,
    pub(crate) name: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) from_version: Option<&'a str>,
    pub(crate) to_version: Option<&'a str>,
    pub(crate) changes: &'a [FileChange],
}

/// Writes a row that is not done yet; gives its id and its revision.
pub(crate) fn begin(state: &State, draft: &Draft<'_>) -> Result<(i64, u64), Error> {
    let key = utf8(draft.key)?;
    let changes = serde_json::to_string(draft.changes).unwrap_or_default();
    state.write(|db| {
        let newest: i64 = db.query_row(
            "SELECT coalesce(max(revision), 0) FROM ledger WHERE skill = ?1",
            [key],
            |row| row.get(0),
        )?;
        db.execute(
            "INSERT INTO ledger(skill, revision, at, actor, action, reason, name, slug, \
             from_version, to_version, changes, done) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,0)",
            params![
                key,
                newest + 1,
                draft.at,
                draft.actor,
                draft.action.id(),
                draft.reason,
                draft.name,
                draft.slug,
                draft.from_version,
                draft.to_version,
                changes,
            ],
        )?;
        Ok((db.last_insert_rowid(), u64::try_from(newest + 1).unwrap_or_default()))
    })
}

/// Marks a row as done.
pub(crate) fn finish(state: &State, id: i64) -> Result<(), Error> {
    state.with(|db| {
        db.execute("UPDATE ledger SET done = 1 WHERE id = ?1", [id])?;
        Ok(())
    })
}

/// Takes back a row whose change did not happen.
pub(crate) fn cancel(state: &State, id: i64) -> Result<(), Error> {
    state.write(|db| {
        db.execute("DELETE FROM ledger WHERE id = ?1", [id])?;
        Ok(())
    })
}

/// The row of a writer that died, if there is one: its id and what it was about to change.
/// Only the newest row can be one, because every writer settles it first.
pub(crate) fn unfinished(state: &State, key: &Path) -> Result<Option<(i64, Revision)>, Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT id, done, revision, at, actor, action, reason, name, from_version, to_version, \
             changes FROM ledger WHERE skill = ?1 ORDER BY revision DESC LIMIT 1",
        )?;
        let mut rows = statement.query([key])?;
        match rows.next()? {
            Some(row) if row.get::<_, i64>(1)? == 0 => Ok(Some((row.get(0)?, revision(row, 2)?))),
            _ => Ok(None),
        }
    })
}

/// All revisions of a skill, oldest first.
pub fn history(state: &State, key: &Path) -> Result<Vec<Revision>, Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT revision, at, actor, action, reason, name, from_version, to_version, changes \
             FROM ledger WHERE skill = ?1 ORDER BY revision",
        )?;
        let rows = statement.query_map([key], |row| revision(row, 0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// The newest revision of a skill.
pub(crate) fn newest(state: &State, key: &Path) -> Result<Option<Revision>, Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT revision, at, actor, action, reason, name, from_version, to_version, changes \
             FROM ledger WHERE skill = ?1 ORDER BY revision DESC LIMIT 1",
        )?;
        let mut rows = statement.query([key])?;
        match rows.next()? {
            Some(row) => Ok(Some(revision(row, 0)?)),
            None => Ok(None),
        }
    })
}

/// The hash that a file of a skill had when hone last changed it; `None` when it never did.
pub(crate) fn last_hash(
    state: &State,
    key: &Path,
    file: &str,
) -> Result<Option<Option<String>>, Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT json_extract(change.value, '$.after') FROM ledger, json_each(ledger.changes) AS change \
             WHERE skill = ?1 AND done = 1 AND json_extract(change.value, '$.file') = ?2 \
             ORDER BY revision DESC LIMIT 1",
        )?;
        let mut rows = statement.query([key, file])?;
        match rows.next()? {
            Some(row) => Ok(Some(row.get(0)?)),
            None => Ok(None),
        }
    })
}

/// Skills of that slug which were deleted and not brought back: their keys, newest first.
pub fn deleted(state: &State, slug: &str) -> Result<Vec<std::path::PathBuf>, Error> {
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT skill FROM ledger AS l WHERE slug = ?1 AND action = 'delete' AND revision = \
             (SELECT max(revision) FROM ledger WHERE skill = l.skill) ORDER BY at DESC, id DESC",
        )?;
        let rows = statement.query_map([slug], |row| row.get::<_, String>(0))?;
        Ok(rows.map(|row| row.map(Into::into)).collect::<Result<_, _>>()?)
    })
}

fn revision(row: &Row<'_>, from: usize) -> rusqlite::Result<Revision> {
    let number: i64 = row.get(from)?;
    let action: String = row.get(from + 3)?;
    let changes: String = row.get(from + 8)?;
    Ok(Revision {
        revision: u64::try_from(number).unwrap_or_default(),
        at: row.get(from + 1)?,
        actor: row.get(from + 2)?,
        action: Action::from_id(&action).unwrap_or(Action::Outside),
        reason: row.get(from + 4)?,
        name: row.get(from + 5)?,
        from_version: row.get(from + 6)?,
        to_version: row.get(from + 7)?,
        changes: serde_json::from_str(&changes).unwrap_or_default(),
    })
}
