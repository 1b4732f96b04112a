//! Skills that came from elsewhere, in `state.db`: where each came from, which versions were installed,
//! what waits for a person's word, and what was shared into other folders. What the texts mean is the
//! hub's business; this crate reads only the origin, for the catalogue.
//!
//! Everything that belongs together is written in one transaction ([`State::record`]).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hone_skill::Origin;
use rusqlite::{Connection, OptionalExtension};

use crate::audit::{self, Event};
use crate::catalogue::Listed;
use crate::error::Error;
use crate::place::canonical_or_same;
use crate::state::{State, note_decision, utf8};

/// A skill that came from elsewhere. It is known by its folder even after it was removed, so that one
/// that is brought back is not taken for the person's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The skill's folder, links resolved.
    pub skill: PathBuf,
    /// Whose word it is.
    pub origin: Origin,
    /// Where it came from.
    pub source: String,
    /// The lock file that names it.
    pub lock: PathBuf,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// One content that was installed as a skill, with what the lock said about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    /// The skill's folder, links resolved.
    pub skill: PathBuf,
    /// The hash of the content.
    pub content: String,
    /// The entry of the lock.
    pub entry: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// Something that waits for a person's word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// What a person calls it by.
    pub id: String,
    /// The lock file that it is for.
    pub lock: PathBuf,
    /// The hash of the content that it is bound to.
    pub content: String,
    /// What is asked.
    pub body: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// A skill made visible in another folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Share {
    /// The link or copy.
    pub path: PathBuf,
    /// The skill's folder.
    pub skill: PathBuf,
    /// For which agent; several that look in one folder with commas between them.
    pub agent: String,
    /// `link` or `copy`.
    pub kind: String,
    /// What was made: the target of the link, or the hash of the copy.
    pub made: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
}

/// What is written in one transaction, in this order.
#[derive(Debug, Clone, Default)]
pub struct Records {
    /// Skills that came from elsewhere; one of the same folder is replaced.
    pub installed: Vec<Installed>,
    /// Folders that never came from elsewhere after all.
    pub forgotten: Vec<PathBuf>,
    /// Contents that were installed.
    pub generations: Vec<Generation>,
    /// Lock files whose intents are carried out or given up.
    pub settled: Vec<PathBuf>,
    /// What is about to be done, by lock file.
    pub intents: Vec<(PathBuf, String)>,
    /// What waits for a person's word; one of the same id is replaced.
    pub approvals: Vec<Approval>,
    /// Ids that wait no more.
    pub decided: Vec<String>,
    /// What was shared; one of the same path is replaced.
    pub shares: Vec<Share>,
    /// Paths that are shared no more.
    pub unshared: Vec<PathBuf>,
    /// What the audit log shall say.
    pub audit: Vec<Event>,
}

impl State {
    /// Writes all of it, or nothing.
    pub fn record(&self, records: &Records) -> Result<(), Error> {
        self.write(|db| write(db, records))
    }

    /// Skills that came from elsewhere, by folder.
    pub fn installed(&self) -> Result<Vec<Installed>, Error> {
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT skill, origin, source, lock, at FROM installed ORDER BY skill",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Installed {
                    skill: path(row.get(0)?),
                    origin: origin(&row.get::<_, String>(1)?),
                    source: row.get(2)?,
                    lock: path(row.get(3)?),
                    at: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What is known about a folder, when its skill came from elsewhere.
    pub fn installed_at(&self, skill: &Path) -> Result<Option<Installed>, Error> {
        let skill = canonical_or_same(skill);
        let key = utf8(&skill)?;
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT origin, source, lock, at FROM installed WHERE skill = ?1",
            )?;
            let found = statement.query_row([key], |row| {
                Ok(Installed {
                    skill: skill.clone(),
                    origin: origin(&row.get::<_, String>(0)?),
                    source: row.get(1)?,
                    lock: path(row.get(2)?),
                    at: row.get(3)?,
                })
            });
            Ok(found.optional()?)
        })
    }

    /// The content with this hash, when it was ever installed as this skill.
    pub fn generation(&self, skill: &Path, content: &str) -> Result<Option<Generation>, Error> {
        let skill = canonical_or_same(skill);
        let key = utf8(&skill)?;
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT entry, at FROM generation WHERE skill = ?1 AND content = ?2",
            )?;
            let found = statement.query_row([key, content], |row| {
                Ok(Generation {
                    skill: skill.clone(),
                    content: content.to_owned(),
                    entry: row.get(0)?,
                    at: row.get(1)?,
                })
            });
            Ok(found.optional()?)
        })
    }

    /// Every content that was ever installed as this skill, oldest first.
    pub fn generations(&self, skill: &Path) -> Result<Vec<Generation>, Error> {
        let skill = canonical_or_same(skill);
        let key = utf8(&skill)?;
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT content, entry, at FROM generation WHERE skill = ?1 ORDER BY at, rowid",
            )?;
            let rows = statement.query_map([key], |row| {
                Ok(Generation {
                    skill: skill.clone(),
                    content: row.get(0)?,
                    entry: row.get(1)?,
                    at: row.get(2)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What somebody was about to do to the skills of a lock file, and did not finish.
    pub fn intents(&self, lock: &Path) -> Result<Vec<String>, Error> {
        let lock = utf8(lock)?;
        self.with(|db| {
            let mut statement =
                db.prepare_cached("SELECT body FROM intent WHERE lock = ?1 ORDER BY id")?;
            let rows = statement.query_map([lock], |row| row.get(0))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What waits for a person's word, oldest first.
    pub fn approvals(&self) -> Result<Vec<Approval>, Error> {
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT id, lock, content, body, at FROM approval ORDER BY at, id",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Approval {
                    id: row.get(0)?,
                    lock: path(row.get(1)?),
                    content: row.get(2)?,
                    body: row.get(3)?,
                    at: row.get(4)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What was shared into other folders, by path.
    pub fn shares(&self) -> Result<Vec<Share>, Error> {
        self.with(|db| {
            let mut statement = db.prepare_cached(
                "SELECT path, skill, agent, kind, made, at FROM share ORDER BY path",
            )?;
            let rows = statement.query_map([], |row| {
                Ok(Share {
                    path: path(row.get(0)?),
                    skill: path(row.get(1)?),
                    agent: row.get(2)?,
                    kind: row.get(3)?,
                    made: row.get(4)?,
                    at: row.get(5)?,
                })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// A new skill of the person's own stands where one from elsewhere was.
    pub(crate) fn is_own(&self, skill: &Path) -> Result<(), Error> {
        if self.installed_at(skill)?.is_some() {
            self.record(&Records { forgotten: vec![skill.to_owned()], ..Records::default() })?;
        }
        Ok(())
    }
}

/// Gives each skill that came from elsewhere its origin: one look at the database for all of them.
pub(crate) fn set_origins(state: &State, skills: &mut [Listed]) {
    if state.is_young() || skills.is_empty() {
        return;
    }
    let query = "SELECT skill, origin FROM installed";
    let known = state.with(|db| {
        let mut statement = db.prepare_cached(query)?;
        let rows = statement
            .query_map([], |row| Ok((path(row.get(0)?), origin(&row.get::<_, String>(1)?))))?;
        Ok(rows.collect::<Result<HashMap<PathBuf, Origin>, _>>()?)
    });
    let Ok(known) = known else { return };
    if known.is_empty() {
        return;
    }
    // Rows are kept under real paths; only the root is resolved for each skill.
    let mut roots: HashMap<PathBuf, PathBuf> = HashMap::new();
    for skill in skills {
        let root =
            roots.entry(skill.root.clone()).or_insert_with(|| canonical_or_same(&skill.root));
        let below = skill.key().strip_prefix(&skill.root).map(|below| root.join(below)).ok();
        let found = known.get(skill.key()).or_else(|| known.get(&below?));
        skill.origin = found.copied().unwrap_or(skill.origin);
    }
}

fn write(db: &Connection, records: &Records) -> Result<(), Error> {
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO installed(skill, origin, source, lock, at) VALUES (?1,?2,?3,?4,?5)",
    )?;
    for one in &records.installed {
        let (skill, lock) = (utf8(&one.skill)?, utf8(&one.lock)?);
        insert.execute((skill, one.origin.id(), &one.source, lock, one.at))?;
    }
    let mut delete = db.prepare_cached("DELETE FROM installed WHERE skill = ?1")?;
    for skill in &records.forgotten {
        delete.execute([utf8(skill)?])?;
    }
    if !(records.installed.is_empty() && records.forgotten.is_empty()) {
        note_decision(db)?;
    }
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO generation(skill, content, entry, at) VALUES (?1,?2,?3,?4)",
    )?;
    for one in &records.generations {
        insert.execute((utf8(&one.skill)?, &one.content, &one.entry, one.at))?;
    }
    let mut delete = db.prepare_cached("DELETE FROM intent WHERE lock = ?1")?;
    for lock in &records.settled {
        delete.execute([utf8(lock)?])?;
    }
    let mut insert = db.prepare_cached("INSERT INTO intent(lock, body) VALUES (?1,?2)")?;
    for (lock, body) in &records.intents {
        insert.execute((utf8(lock)?, body))?;
    }
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO approval(id, lock, content, body, at) VALUES (?1,?2,?3,?4,?5)",
    )?;
    for one in &records.approvals {
        insert.execute((&one.id, utf8(&one.lock)?, &one.content, &one.body, one.at))?;
    }
    let mut delete = db.prepare_cached("DELETE FROM approval WHERE id = ?1")?;
    for id in &records.decided {
        delete.execute([id])?;
    }
    let mut insert = db.prepare_cached(
        "INSERT OR REPLACE INTO share(path, skill, agent, kind, made, at) VALUES (?1,?2,?3,?4,?5,?6)",
    )?;
    for one in &records.shares {
        let (path, skill) = (utf8(&one.path)?, utf8(&one.skill)?);
        insert.execute((path, skill, &one.agent, &one.kind, &one.made, one.at))?;
    }
    let mut delete = db.prepare_cached("DELETE FROM share WHERE path = ?1")?;
    for path in &records.unshared {
        delete.execute([utf8(path)?])?;
    }
    audit::append(db, &records.audit)
}

fn path(text: String) -> PathBuf {
    PathBuf::from(text)
}

/// An origin that is not known is anyone's.
fn origin(id: &str) -> Origin {
    Origin::ALL.into_iter().find(|known| known.id() == id).unwrap_or(Origin::Community)
}
