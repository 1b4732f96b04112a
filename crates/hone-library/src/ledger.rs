//! The ledger: who changed which skill, why, from what to what.
//!
//! A row is written before the files change and marked done after. A row that is not done belongs to
//! a writer that died: what is on disk then says whether it happened.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use hone_skill::next_version;
use rusqlite::{Connection, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::folder::{Content, is_executable, is_link};
use crate::objects;
use crate::state::{State, utf8};
use crate::usage::iso;

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
    /// A skill that arrived from elsewhere.
    Install,
    /// A later version of a skill that arrived from elsewhere.
    Update,
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
            Self::Install => "install",
            Self::Update => "update",
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
    /// Type and permissions before, as `stat` has them; of a symbolic link the bytes are its target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_before: Option<u32>,
    /// Type and permissions after; none for a new file with the usual ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_after: Option<u32>,
}

/// A file as some revision left it.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    pub(crate) hash: String,
    pub(crate) mode: Option<u32>,
}

impl FileChange {
    pub(crate) fn kept_before(&self) -> Option<Kept> {
        Some(Kept { hash: self.before.clone()?, mode: self.mode_before })
    }

    pub(crate) fn kept_after(&self) -> Option<Kept> {
        Some(Kept { hash: self.after.clone()?, mode: self.mode_after })
    }
}

impl Kept {
    /// Whether a file is still the one that was kept: bytes, link or file, program or not.
    pub(crate) fn is(&self, content: &Content) -> bool {
        is_link(self.mode) == is_link(content.mode)
            && is_executable(self.mode) == is_executable(content.mode)
            && self.hash == objects::hash(&content.bytes)
    }

    /// The file with its bytes.
    pub(crate) fn content(&self, state: &State) -> Result<Content, Error> {
        Ok(Content::new(objects::get(state.home(), &self.hash)?, self.mode))
    }
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

/// A revision as programs are told of it: who did what and why, its files left to whoever tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PastRevision {
    /// Number, from 1, without gaps.
    pub revision: u64,
    /// ISO 8601, UTC.
    pub at: String,
    /// Who.
    pub actor: String,
    /// What.
    pub action: &'static str,
    /// Why.
    pub reason: String,
    /// The skill's name afterwards.
    pub name: String,
    /// The declared version before.
    pub from_version: Option<String>,
    /// The declared version after.
    pub to_version: Option<String>,
}

/// A file of a revision, by the SHA-256 of its content; null where there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PastFile {
    /// Path inside the skill; for a single-file skill, its file name.
    pub file: String,
    /// Before.
    pub before: Option<String>,
    /// After.
    pub after: Option<String>,
}

impl Revision {
    /// The revision as it is told, and its files.
    pub fn told(self) -> (PastRevision, Vec<PastFile>) {
        let past = PastRevision {
            revision: self.revision,
            at: iso(self.at),
            actor: self.actor,
            action: self.action.id(),
            reason: self.reason,
            name: self.name,
            from_version: self.from_version,
            to_version: self.to_version,
        };
        let file = |FileChange { file, before, after, .. }| PastFile { file, before, after };
        (past, self.changes.into_iter().map(file).collect())
    }
}

/// A row about to be written.
pub(crate) struct Draft<'a> {
    pub(crate) key: &'a Path,
    pub(crate) at: i64,
    pub(crate) actor: &'a str,
    pub(crate) action: Action,
    pub(crate) reason: Cow<'a, str>,
    pub(crate) name: &'a str,
    pub(crate) slug: &'a str,
    pub(crate) from_version: Option<&'a str>,
    pub(crate) to_version: Option<&'a str>,
    pub(crate) changes: &'a [FileChange],
}

/// Writes a row that is not done yet; gives its id and its revision.
pub(crate) fn begin(state: &State, draft: &Draft<'_>) -> Result<(i64, u64), Error> {
    state.write(|db| insert(db, draft))
}

/// Writes rows that are not done yet, all or none.
pub(crate) fn begin_all(state: &State, drafts: &[Draft<'_>]) -> Result<Vec<(i64, u64)>, Error> {
    state.write(|db| drafts.iter().map(|draft| insert(db, draft)).collect())
}

fn insert(db: &Connection, draft: &Draft<'_>) -> Result<(i64, u64), Error> {
    let key = utf8(draft.key)?;
    let changes = serde_json::to_string(draft.changes).unwrap_or_default();
    let newest: i64 = db
        .prepare_cached("SELECT coalesce(max(revision), 0) FROM ledger WHERE skill = ?1")?
        .query_row([key], |row| row.get(0))?;
    db.prepare_cached(
        "INSERT INTO ledger(skill, revision, at, actor, action, reason, name, slug, \
         from_version, to_version, changes, done) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,0)",
    )?
    .execute(params![
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
    ])?;
    Ok((db.last_insert_rowid(), u64::try_from(newest + 1).unwrap_or_default()))
}

/// Marks a row as done. Should a power cut undo that, the next writer finds it out.
pub(crate) fn finish(state: &State, id: i64) -> Result<(), Error> {
    state.write_lightly(|db| {
        db.prepare_cached("UPDATE ledger SET done = 1 WHERE id = ?1")?.execute([id])?;
        Ok(())
    })
}

/// Marks rows as done, in one go.
pub(crate) fn finish_all(state: &State, ids: &[i64]) -> Result<(), Error> {
    state.write_lightly(|db| {
        let transaction = db.unchecked_transaction()?;
        let mut done = transaction.prepare_cached("UPDATE ledger SET done = 1 WHERE id = ?1")?;
        for id in ids {
            done.execute([id])?;
        }
        drop(done);
        transaction.commit()?;
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

/// A row that is not done: its writer is at work, or dead.
pub(crate) struct Unfinished {
    pub(crate) id: i64,
    pub(crate) key: PathBuf,
    pub(crate) changes: Vec<FileChange>,
}

/// The rows that are not done, of all skills.
pub(crate) fn unfinished(state: &State) -> Result<Vec<Unfinished>, Error> {
    state.with(|db| {
        let mut statement =
            db.prepare_cached("SELECT id, skill, changes FROM ledger WHERE done = 0 ORDER BY id")?;
        let mut rows = statement.query([])?;
        let mut unfinished = Vec::new();
        while let Some(row) = rows.next()? {
            // A row that cannot be read keeps nobody from writing another skill.
            if let Ok(changes) = changes(row, 2) {
                let key = PathBuf::from(row.get::<_, String>(1)?);
                unfinished.push(Unfinished { id: row.get(0)?, key, changes });
            }
        }
        Ok(unfinished)
    })
}

/// All rows of a skill, oldest first, and whether the newest is done.
pub(crate) fn rows(state: &State, key: &Path) -> Result<(Vec<Revision>, bool), Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT revision, at, actor, action, reason, name, from_version, to_version, changes, done \
             FROM ledger WHERE skill = ?1 ORDER BY revision",
        )?;
        let mut is_done = true;
        let rows = statement.query_map([key], |row| {
            is_done = row.get::<_, i64>(9)? != 0;
            revision(row)
        })?;
        let rows = rows.collect::<Result<_, _>>()?;
        Ok((rows, is_done))
    })
}

/// The first version from `version` on that no revision of the skill left behind: one that was taken back
/// is not given to another text.
pub(crate) fn unused_version(state: &State, key: &Path, version: String) -> Result<String, Error> {
    if state.is_young() {
        return Ok(version);
    }
    let key = utf8(key)?;
    let used: HashSet<String> = state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT DISTINCT to_version FROM ledger WHERE skill = ?1 AND to_version IS NOT NULL",
        )?;
        let rows = statement.query_map([key], |row| row.get(0))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })?;
    let mut versions = std::iter::successors(Some(version), |one| Some(next_version(Some(one))));
    Ok(versions.find(|one| !used.contains(one)).unwrap_or_default())
}

/// The number of the newest row, whoever wrote it; what [`changed_since`] starts from.
pub fn ledger_position(state: &State) -> Result<i64, Error> {
    state.with(|db| {
        Ok(db.query_row("SELECT coalesce(max(id), 0) FROM ledger", [], |row| row.get(0))?)
    })
}

/// The skills that `actor` changed since a position of the ledger, each with the first revision that
/// is its.
pub fn changed_since(
    state: &State,
    position: i64,
    actor: &str,
) -> Result<Vec<(PathBuf, u64)>, Error> {
    state.with(|db| {
        // A row that was taken back leaves its number to the next one.
        let mut statement = db.prepare_cached(
            "SELECT skill, min(revision) FROM ledger WHERE id >= ?1 AND actor = ?2 GROUP BY skill \
             ORDER BY skill",
        )?;
        let rows = statement.query_map((position, actor), |row| {
            let first: i64 = row.get(1)?;
            Ok((PathBuf::from(row.get::<_, String>(0)?), u64::try_from(first).unwrap_or_default()))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// Whether anything of a skill was ever recorded.
pub(crate) fn knows(state: &State, key: &Path) -> Result<bool, Error> {
    let key = utf8(key)?;
    state
        .with(|db| Ok(db.prepare_cached("SELECT 1 FROM ledger WHERE skill = ?1")?.exists([key])?))
}

/// What a file of a skill was when hone last changed or met it; `None` when it was not there, or when
/// hone never met it.
pub(crate) fn last_known(state: &State, key: &Path, file: &str) -> Result<Option<Kept>, Error> {
    let key = utf8(key)?;
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT change.value FROM ledger, json_each(ledger.changes) AS change \
             WHERE skill = ?1 AND done = 1 AND json_extract(change.value, '$.file') = ?2 \
             ORDER BY revision DESC LIMIT 1",
        )?;
        let mut rows = statement.query([key, file])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let change: Option<FileChange> =
            serde_json::from_str(row.get_ref(0)?.as_str().unwrap_or("")).ok();
        Ok(change.and_then(|change| change.kept_after()))
    })
}

/// Why a copy in another agent's folder went.
pub(crate) const UNSHARED: &str = "no longer shared with other agents";

/// Skills of that slug which were deleted and not brought back: their keys, newest first. A copy in another
/// agent's folder that was taken back is none.
pub fn deleted(state: &State, slug: &str) -> Result<Vec<PathBuf>, Error> {
    let keys: Vec<PathBuf> = state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT skill FROM ledger AS l WHERE slug = ?1 AND action = 'delete' AND revision = \
             (SELECT max(revision) FROM ledger WHERE skill = l.skill) AND reason <> ?2 \
             ORDER BY at DESC, id DESC",
        )?;
        let rows = statement.query_map([slug, UNSHARED], |row| row.get::<_, String>(0))?;
        Ok(rows.map(|row| row.map(PathBuf::from)).collect::<Result<_, _>>()?)
    })?;
    // The last row may be that of a writer that died before it could delete.
    Ok(keys.into_iter().filter(|key| key.symlink_metadata().is_err()).collect())
}

/// How the reason of a deletion begins that put a skill into the archive.
pub const ARCHIVED: &str = "archived";

/// A skill that is in the archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// Where it was, and where it comes back to.
    pub key: PathBuf,
    /// Its name.
    pub name: String,
    /// Since when, in milliseconds since 1970.
    pub at: i64,
    /// Why, as the ledger has it.
    pub reason: String,
}

/// The skills that were archived and not brought back, by their place.
pub fn archived(state: &State) -> Result<Vec<Archived>, Error> {
    let mut all: Vec<Archived> = state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT skill, name, at, reason FROM ledger AS l WHERE action = 'delete' \
             AND (reason = ?1 OR reason LIKE ?1 || ':%') AND revision = \
             (SELECT max(revision) FROM ledger WHERE skill = l.skill) ORDER BY skill",
        )?;
        let rows = statement.query_map([ARCHIVED], |row| {
            let key: String = row.get(0)?;
            let (name, at, reason) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(Archived { key: PathBuf::from(key), name, at, reason })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    })?;
    // The last row may be that of a writer that died before it could delete.
    all.retain(|one| one.key.symlink_metadata().is_err());
    Ok(all)
}

/// The skills that have a revision whose reason, or whose actor, begins like this.
pub fn touched_by(state: &State, reason: &str, actor: &str) -> Result<BTreeSet<PathBuf>, Error> {
    state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT DISTINCT skill FROM ledger WHERE substr(reason, 1, length(?1)) = ?1 \
             OR substr(actor, 1, length(?2)) = ?2",
        )?;
        let rows = statement.query_map([reason, actor], |row| row.get::<_, String>(0))?;
        Ok(rows.map(|key| key.map(PathBuf::from)).collect::<Result<_, _>>()?)
    })
}

fn revision(row: &Row<'_>) -> rusqlite::Result<Revision> {
    let number: i64 = row.get(0)?;
    let action: String = row.get(3)?;
    Ok(Revision {
        revision: u64::try_from(number).unwrap_or_default(),
        at: row.get(1)?,
        actor: row.get(2)?,
        action: Action::from_id(&action).unwrap_or(Action::Outside),
        reason: row.get(4)?,
        name: row.get(5)?,
        from_version: row.get(6)?,
        to_version: row.get(7)?,
        changes: changes(row, 8)?,
    })
}

/// The changes of a row. One that cannot be read must not look like one that changed nothing.
fn changes(row: &Row<'_>, at: usize) -> rusqlite::Result<Vec<FileChange>> {
    let text = row.get_ref(at)?.as_str()?;
    serde_json::from_str(text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(at, rusqlite::types::Type::Text, Box::new(error))
    })
}
