//! `learning.db`: proposals, what came of tasks by skill and version, stages of skills, what learning cost.
//!
//! A damaged file is set aside under another name and reported, never overwritten. Deleting it loses
//! what is known about skills, never a skill.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, params};

use crate::error::LearnError;
use crate::proposal::{Outcome, Proposal, Spent, Stage, Trigger};

/// The file, below `HONE_HOME`.
pub const RECORDS_FILE: &str = "learning.db";

/// Format of the database; a larger number is a newer hone's.
const FORMAT: i64 = 1;

/// How long a writer waits for another process.
const BUSY: Duration = Duration::from_secs(10);

/// Damaged files that are kept.
const MAX_SET_ASIDE: u32 = 1_000;

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS proposal(
  id TEXT PRIMARY KEY,
  agent TEXT NOT NULL,
  name TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS proposal_skill ON proposal(agent, name);
CREATE TABLE IF NOT EXISTS outcome(
  agent TEXT NOT NULL,
  skill TEXT NOT NULL,
  task TEXT NOT NULL,
  version TEXT NOT NULL,
  loaded INTEGER NOT NULL,
  at INTEGER NOT NULL,
  answered INTEGER NOT NULL,
  corrected INTEGER NOT NULL,
  turns INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  PRIMARY KEY(agent, skill, task)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS outcome_task ON outcome(agent, task);
CREATE TABLE IF NOT EXISTS task(
  agent TEXT NOT NULL,
  task TEXT NOT NULL,
  at INTEGER NOT NULL,
  folder TEXT,
  PRIMARY KEY(agent, task)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS objected(
  agent TEXT NOT NULL,
  task TEXT NOT NULL,
  PRIMARY KEY(agent, task)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS skill(
  agent TEXT NOT NULL,
  name TEXT NOT NULL,
  stage TEXT NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY(agent, name)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS spent(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  agent TEXT NOT NULL,
  task TEXT NOT NULL,
  what TEXT NOT NULL,
  replies INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  is_estimate INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS event(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  agent TEXT NOT NULL,
  skill TEXT NOT NULL,
  what TEXT NOT NULL,
  why TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS curated(agent TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
";

/// The records of one `HONE_HOME`.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    db: Connection,
    note: Option<String>,
}

/// Something that happened to a skill by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whose skill.
    pub agent: String,
    /// Which.
    pub skill: String,
    /// `landed`, `rolled-back`, `archived` and the like.
    pub what: String,
    /// Why.
    pub why: String,
}

impl Records {
    /// Opens the records below `hone_home`; makes them when there are none.
    pub fn open(hone_home: &Path) -> Result<Self, LearnError> {
        let path = hone_home.join(RECORDS_FILE);
        std::fs::create_dir_all(hone_home).map_err(|source| LearnError::Io {
            doing: "create",
            path: hone_home.to_owned(),
            source,
        })?;
        match Self::connect(&path) {
            Err(LearnError::Records { source, .. }) if is_damage(&source) => {
                let aside = set_aside(&path)?;
                let note = format!(
                    "`{}` was damaged and is kept as `{}`; what was learned about skills starts anew",
                    path.display(),
                    aside.display()
                );
                Ok(Self { note: Some(note), ..Self::connect(&path)? })
            }
            opened => opened,
        }
    }

    fn connect(path: &Path) -> Result<Self, LearnError> {
        let failed = |source| LearnError::Records { path: path.to_owned(), source };
        let db = Connection::open(path).map_err(failed)?;
        db.busy_timeout(BUSY).map_err(failed)?;
        let format: i64 =
            db.query_row("PRAGMA user_version", [], |row| row.get(0)).map_err(failed)?;
        if format > FORMAT {
            let path = path.to_owned();
            return Err(LearnError::Newer { path, found: format, known: FORMAT });
        }
        db.pragma_update(None, "journal_mode", "WAL").map_err(failed)?;
        if format < FORMAT {
            let sql = format!("BEGIN IMMEDIATE; {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;");
            db.execute_batch(&sql).map_err(failed)?;
        }
        Ok(Self { path: path.to_owned(), db, note: None })
    }

    /// What somebody should know about the file.
    pub fn take_note(&mut self) -> Option<String> {
        self.note.take()
    }

    pub(crate) fn run<T>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LearnError> {
        work(&self.db).map_err(|source| LearnError::Records { path: self.path.clone(), source })
    }

    /// Keeps a proposal, in place of its earlier self.
    pub fn keep(&self, proposal: &Proposal) -> Result<(), LearnError> {
        let body = serde_json::to_string(proposal).unwrap_or_default();
        self.run(|db| {
            db.execute(
                "INSERT OR REPLACE INTO proposal(id, agent, name, at, body) VALUES (?1,?2,?3,?4,?5)",
                params![proposal.id, proposal.agent, proposal.name, proposal.at, body],
            )
        })
        .map(drop)
    }

    /// Whether a person rejected the proposal with that id.
    pub fn is_rejected(&self, id: &str) -> Result<bool, LearnError> {
        let sql = "SELECT body FROM proposal WHERE id = ?1";
        let body: Option<String> =
            self.run(|db| db.query_row(sql, [id], |row| row.get(0)).optional())?;
        let kept: Option<Proposal> = body.and_then(|body| serde_json::from_str(&body).ok());
        let outcome = kept.and_then(|kept| kept.decided).map(|decided| decided.outcome);
        Ok(outcome == Some(Outcome::Rejected))
    }

    /// Keeps what a task or a client tried to write, in place of what it tried before: the same skill, or
    /// the same files of it.
    pub fn keep_attempt(&self, proposal: &Proposal) -> Result<(), LearnError> {
        let files = |one: &Proposal| -> Vec<String> {
            one.files.iter().map(|attached| attached.file.clone()).collect()
        };
        let place = |one: &Proposal| {
            (one.root.clone(), one.agent.clone(), one.task.clone(), one.name.clone(), files(one))
        };
        let is_earlier = |other: &Proposal| {
            other.why == Trigger::Written && other.is_open() && place(other) == place(proposal)
        };
        for earlier in self.proposals()?.into_iter().filter(is_earlier) {
            self.run(|db| db.execute("DELETE FROM proposal WHERE id = ?1", [&earlier.id]))?;
        }
        self.keep(proposal)
    }

    /// All proposals, newest first. One that cannot be understood is left out.
    pub fn proposals(&self) -> Result<Vec<Proposal>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare("SELECT body FROM proposal ORDER BY at DESC, id")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            let bodies: Vec<String> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(bodies.iter().filter_map(|body| serde_json::from_str(body).ok()).collect())
        })
    }

    /// The proposals about one skill, newest first.
    pub fn proposals_of(&self, agent: &str, name: &str) -> Result<Vec<Proposal>, LearnError> {
        let mut all = self.proposals()?;
        all.retain(|proposal| proposal.agent == agent && proposal.name == name);
        Ok(all)
    }

    /// The proposal with that id, or the only one whose id begins so.
    pub fn proposal(&self, id: &str) -> Result<Proposal, LearnError> {
        let mut found: Vec<Proposal> = self.proposals()?;
        found.retain(|proposal| proposal.id.starts_with(id));
        if let Some(exact) = found.iter().position(|proposal| proposal.id == id) {
            return Ok(found.swap_remove(exact));
        }
        match found.len() {
            1 if !id.is_empty() => Ok(found.remove(0)),
            0 | 1 => Err(LearnError::NoProposal(id.to_owned())),
            several => {
                let why =
                    format!("`{id}` could be any of {several} proposals; give more of the id");
                Err(LearnError::Refused(why))
            }
        }
    }

    /// Notes a task that can be run again, with the folder that it could read.
    pub fn remember_task(
        &self,
        agent: &str,
        task: &str,
        folder: Option<&Path>,
        now: i64,
    ) -> Result<(), LearnError> {
        let folder = folder.and_then(Path::to_str);
        self.run(|db| {
            db.execute(
                "INSERT OR REPLACE INTO task(agent, task, at, folder) VALUES (?1,?2,?3,?4)",
                params![agent, task, now, folder],
            )
        })
        .map(drop)
    }

    /// The folder that a task could read; none when it had none, or is not known.
    pub fn folder_of(&self, agent: &str, task: &str) -> Result<Option<PathBuf>, LearnError> {
        let sql = "SELECT folder FROM task WHERE agent = ?1 AND task = ?2";
        let folder: Option<Option<String>> =
            self.run(|db| db.query_row(sql, [agent, task], |row| row.get(0)).optional())?;
        Ok(folder.flatten().map(PathBuf::from))
    }

    /// The newest tasks that went well, that one of these skills was read in and that can be run again,
    /// newest first; `but` is left out.
    pub fn earlier_tasks(
        &self,
        agent: &str,
        skills: &[String],
        but: &str,
        most: usize,
    ) -> Result<Vec<(String, Option<PathBuf>)>, LearnError> {
        let mut found: Vec<(i64, String, Option<PathBuf>)> = Vec::new();
        for skill in skills {
            let rows = self.run(|db| {
                let mut statement = db.prepare_cached(
                    "SELECT task.at, task.task, task.folder FROM task JOIN outcome \
                     ON outcome.agent = task.agent AND outcome.task = task.task \
                     WHERE task.agent = ?1 AND outcome.skill = ?2 AND outcome.loaded = 1 \
                     AND outcome.answered = 1 AND outcome.corrected = 0 AND task.task <> ?3 \
                     ORDER BY task.at DESC, task.task LIMIT ?4",
                )?;
                let most = i64::try_from(most).unwrap_or(i64::MAX);
                let rows = statement.query_map(params![agent, skill, but, most], |row| {
                    let folder: Option<String> = row.get(2)?;
                    Ok((row.get(0)?, row.get(1)?, folder.map(PathBuf::from)))
                })?;
                rows.collect::<rusqlite::Result<Vec<_>>>()
            })?;
            found.extend(rows);
        }
        found.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        found.dedup_by(|a, b| a.1 == b.1);
        found.truncate(most);
        Ok(found.into_iter().map(|(_, task, folder)| (task, folder)).collect())
    }

    /// The stage of a skill, and since when; none for one that learning has nothing to do with.
    pub fn stage(&self, agent: &str, name: &str) -> Result<Option<(Stage, i64)>, LearnError> {
        self.run(|db| {
            let sql = "SELECT stage, since FROM skill WHERE agent = ?1 AND name = ?2";
            let found = db.query_row(sql, [agent, name], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))
            });
            let found = found.optional()?;
            Ok(found.and_then(|(stage, since)| Some((Stage::from_id(&stage)?, since))))
        })
    }

    /// The stages of an agent's skills.
    pub fn stages(&self, agent: &str) -> Result<Vec<(String, Stage, i64)>, LearnError> {
        self.run(|db| {
            let mut statement =
                db.prepare("SELECT name, stage, since FROM skill WHERE agent = ?1 ORDER BY name")?;
            let rows = statement.query_map([agent], |row| {
                Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(2)?))
            })?;
            let rows: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
            let known = rows
                .into_iter()
                .filter_map(|(name, stage, since)| Some((name, Stage::from_id(&stage)?, since)));
            Ok(known.collect())
        })
    }

    /// Says where a skill stands now.
    pub fn set_stage(
        &self,
        agent: &str,
        name: &str,
        stage: Stage,
        now: i64,
    ) -> Result<(), LearnError> {
        self.run(|db| {
            db.execute(
                "INSERT OR REPLACE INTO skill(agent, name, stage, since) VALUES (?1,?2,?3,?4)",
                params![agent, name, stage.id(), now],
            )
        })
        .map(drop)
    }

    /// Notes what learning used up.
    pub fn spend(
        &self,
        agent: &str,
        task: &str,
        what: &str,
        spent: Spent,
        now: i64,
    ) -> Result<(), LearnError> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.run(|db| {
            db.execute(
                "INSERT INTO spent(at, agent, task, what, replies, tokens_in, tokens_out, is_estimate) \
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                params![
                    now,
                    agent,
                    task,
                    what,
                    number(spent.replies),
                    number(spent.tokens_in),
                    number(spent.tokens_out),
                    spent.is_estimate,
                ],
            )
        })
        .map(drop)
    }

    /// What learning used up for each agent, sorted by name.
    pub fn spending(&self) -> Result<Vec<(String, Spent)>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT agent, sum(replies), sum(tokens_in), sum(tokens_out), max(is_estimate) \
                 FROM spent GROUP BY agent ORDER BY agent",
            )?;
            let rows = statement.query_map([], |row| {
                let count = |at: usize| {
                    row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or_default())
                };
                let spent = Spent {
                    replies: count(1)?,
                    tokens_in: count(2)?,
                    tokens_out: count(3)?,
                    is_estimate: row.get(4)?,
                };
                Ok((row.get(0)?, spent))
            })?;
            rows.collect()
        })
    }

    /// Notes something that happened to a skill by itself.
    pub fn tell(&self, event: &Event) -> Result<(), LearnError> {
        self.run(|db| {
            db.execute(
                "INSERT INTO event(at, agent, skill, what, why) VALUES (?1,?2,?3,?4,?5)",
                params![event.at, event.agent, event.skill, event.what, event.why],
            )
        })
        .map(drop)
    }

    /// The newest things that happened to skills by themselves, newest first.
    pub fn events(&self, most: u32) -> Result<Vec<Event>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT at, agent, skill, what, why FROM event ORDER BY id DESC LIMIT ?1",
            )?;
            let rows = statement.query_map([most], |row| {
                Ok(Event {
                    at: row.get(0)?,
                    agent: row.get(1)?,
                    skill: row.get(2)?,
                    what: row.get(3)?,
                    why: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Moves a damaged database, with its log, to a name that is free.
fn set_aside(path: &Path) -> Result<PathBuf, LearnError> {
    let io = |source| LearnError::Io { doing: "set aside", path: path.to_owned(), source };
    let named = |number: u32| PathBuf::from(format!("{}.damaged-{number}", path.display()));
    let free = (1..=MAX_SET_ASIDE).map(named).find(|aside| aside.symlink_metadata().is_err());
    let aside = free.unwrap_or_else(|| named(MAX_SET_ASIDE));
    std::fs::rename(path, &aside).map_err(io)?;
    for log in ["-wal", "-shm"] {
        let _ = std::fs::remove_file(format!("{}{log}", path.display()));
    }
    Ok(aside)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u01_damaged_records_are_kept_under_another_name_and_reported() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(RECORDS_FILE);
        std::fs::write(
            &path,
            "this is no database, and long enough to be taken for one\n".repeat(99),
        )
        .unwrap();
        let mut records = Records::open(home.path()).unwrap();
        let note = records.take_note().unwrap();
        assert!(note.contains("learning.db.damaged-1"), "{note}");
        let kept = std::fs::read_to_string(home.path().join("learning.db.damaged-1")).unwrap();
        assert!(kept.starts_with("this is no database"));
        records.set_stage("ada", "tidy", Stage::Trial, 7).unwrap();
        drop(records);
        let mut again = Records::open(home.path()).unwrap();
        assert_eq!(again.take_note(), None);
        assert_eq!(again.stage("ada", "tidy").unwrap(), Some((Stage::Trial, 7)));
    }

    #[test]
    fn u05_a_stage_that_is_none_is_no_stage_and_harms_no_other() {
        let home = tempfile::tempdir().unwrap();
        let records = Records::open(home.path()).unwrap();
        records.set_stage("ada", "tidy", Stage::Stale, 7).unwrap();
        records
            .run(|db| db.execute("INSERT INTO skill VALUES ('ada', 'odd', 'asleep', 1)", []))
            .unwrap();
        assert_eq!(records.stage("ada", "odd").unwrap(), None);
        assert_eq!(records.stages("ada").unwrap(), [("tidy".to_owned(), Stage::Stale, 7)]);
    }

    #[test]
    fn u06_where_a_skill_stands_has_its_time_and_the_next_stage_its_own() {
        let home = tempfile::tempdir().unwrap();
        let records = Records::open(home.path()).unwrap();
        for (stage, at) in [(Stage::Archived, 7), (Stage::Active, 9)] {
            records.set_stage("ada", "tidy", stage, at).unwrap();
            assert_eq!(records.stage("ada", "tidy").unwrap(), Some((stage, at)));
        }
    }

    #[test]
    fn records_of_a_newer_hone_are_left_alone() {
        let home = tempfile::tempdir().unwrap();
        drop(Records::open(home.path()).unwrap());
        let db = Connection::open(home.path().join(RECORDS_FILE)).unwrap();
        db.pragma_update(None, "user_version", FORMAT + 1).unwrap();
        drop(db);
        let error = Records::open(home.path()).unwrap_err();
        assert!(matches!(error, LearnError::Newer { found: 2, known: 1, .. }), "{error}");
    }

    #[test]
    fn what_was_spent_is_summed_by_agent() {
        let home = tempfile::tempdir().unwrap();
        let records = Records::open(home.path()).unwrap();
        let spent =
            |tokens_in, is_estimate| Spent { replies: 1, tokens_in, tokens_out: 2, is_estimate };
        records.spend("ada", "t1", "author", spent(10, false), 1).unwrap();
        records.spend("ada", "t2", "judge", spent(20, true), 2).unwrap();
        records.spend("bob", "t3", "author", spent(5, false), 3).unwrap();
        let of = |tokens_in, replies, tokens_out, is_estimate| Spent {
            replies,
            tokens_in,
            tokens_out,
            is_estimate,
        };
        assert_eq!(
            records.spending().unwrap(),
            [("ada".to_owned(), of(30, 2, 4, true)), ("bob".to_owned(), of(5, 1, 2, false))]
        );
    }
}
