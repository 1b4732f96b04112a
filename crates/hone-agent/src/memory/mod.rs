//! What an agent remembers.
//!
//! Layer 1 is `MEMORY.md` and a file for each subscriber, frozen when a task begins. Layer 2 is
//! `memory.db`: what was said, noted and done, by subscriber. A task writes nothing until it ends:
//! then everything is one transaction, and the files of layer 1 follow from it, again should the
//! process die in between. Layer 3, the skills, is the library's.

mod draft;
mod frozen;
mod index;
mod judged;
mod layer1;
mod recall;
mod rows;
mod schema;
mod subscriber;
mod words;

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

pub use draft::{Draft, MAX_MESSAGE_CHARS, Note, NoteError, Quarantined, Said};
pub use frozen::{MAX_ENTRY_CHARS, MAX_KEY_CHARS, MAX_MEMORY_CHARS, MAX_USER_CHARS};
pub use judged::{Objection, objection};
pub use layer1::Frozen;
pub use recall::{Hit, Kind, MAX_EXCERPT_CHARS, MAX_HITS, MAX_QUERY_CHARS, MAX_QUERY_WORDS};
pub use rows::{Counts, Ending, Fact, LoggedTask, TaskRow};
pub use subscriber::{MAX_SUBSCRIBER_BYTES, NotASubscriber, Subscriber};

use crate::brain::{BrainError, files, members};
use frozen::Entry;
pub(crate) use frozen::Page;
pub(crate) use layer1::page_of;
use schema::FORMAT;

/// How long a writer waits for another process.
const BUSY: Duration = Duration::from_secs(10);

/// How rows are found by words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finder {
    /// By SQLite's full-text index.
    Index,
    /// By reading the newest rows, where SQLite has no such index.
    Scan,
}

/// How a task ended, by the log of a database that nobody else uses; none when there is none.
pub(crate) fn ending_in(path: &Path, task: &str) -> Result<Option<Ending>, BrainError> {
    if !path.exists() {
        return Ok(None);
    }
    let found = Connection::open(path).and_then(|db| ending(&db, task));
    found.map_err(|source| BrainError::Database { path: path.to_owned(), source })
}

/// The tasks in the log of a database, oldest first; none when there is none.
pub(crate) fn tasks_in(path: &Path) -> Result<Vec<String>, BrainError> {
    if !path.exists() {
        return Ok(Vec::new());
    }
    let read = || {
        let db = Connection::open(path)?;
        db.busy_timeout(BUSY)?;
        let has_table = "SELECT 1 FROM sqlite_schema WHERE name = 'task'";
        if !db.prepare(has_table)?.exists([])? {
            return Ok(Vec::new());
        }
        let mut statement = db.prepare("SELECT task FROM task ORDER BY id")?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect()
    };
    read().map_err(|source| BrainError::Database { path: path.to_owned(), source })
}

fn ending(db: &Connection, task: &str) -> rusqlite::Result<Option<Ending>> {
    let query = "SELECT ending FROM task WHERE task = ?1";
    let word: Option<String> = db.query_row(query, [task], |row| row.get(0)).optional()?;
    Ok(word.and_then(|word| Ending::from_word(&word)))
}

/// The memory of one brain, open.
#[derive(Debug)]
pub struct Memory {
    folder: PathBuf,
    db: Connection,
    finder: Finder,
}

impl Memory {
    /// Opens the memory of the brain in `folder`, made when it is not there.
    pub fn open(folder: &Path) -> Result<Self, BrainError> {
        Self::open_with(folder, Finder::Index)
    }

    /// Opens the memory, and finds by `finder` if this SQLite can.
    pub fn open_with(folder: &Path, finder: Finder) -> Result<Self, BrainError> {
        let path = folder.join(members::DATABASE);
        drop(files::open_private(&path)?);
        let failed = |source| BrainError::Database { path: path.clone(), source };
        let mut db = Connection::open(&path).map_err(failed)?;
        db.busy_timeout(BUSY).map_err(failed)?;
        let found = schema::format_of(&db).map_err(failed)?;
        if found > FORMAT {
            return Err(BrainError::Newer { path: path.clone(), found, known: FORMAT });
        }
        if found < FORMAT {
            schema::make(&mut db).map_err(failed)?;
        }
        db.pragma_update(None, "synchronous", "FULL").map_err(failed)?;
        let mut memory = Self { folder: folder.to_owned(), db, finder };
        if finder == Finder::Index {
            memory.finder = index::whole(&mut memory.db).map_err(failed)?;
        }
        Ok(memory)
    }

    fn failed(&self) -> impl Fn(rusqlite::Error) -> BrainError + use<> {
        let path = self.folder.join(members::DATABASE);
        move |source| BrainError::Database { path: path.clone(), source }
    }

    /// How rows are found.
    pub fn finder(&self) -> Finder {
        self.finder
    }

    /// How a task ended, if it is in the log.
    pub fn ending(&self, task: &str) -> Result<Option<Ending>, BrainError> {
        ending(&self.db, task).map_err(self.failed())
    }

    /// Finds what was said, noted and done before, for one subscriber and what is shared.
    pub fn recall(&self, query: &str, subscriber: &Subscriber) -> Result<Vec<Hit>, BrainError> {
        recall::recall(&self.db, self.finder, query, subscriber).map_err(self.failed())
    }

    /// Ends a task: what it said and noted becomes part of the memory, at once and for good. Notes
    /// of a task without an answer do not.
    pub fn commit(&mut self, row: &TaskRow, draft: &Draft) -> Result<(), BrainError> {
        self.write(row, draft).map_err(self.failed())?;
        self.settle()
    }

    fn write(&mut self, row: &TaskRow, draft: &Draft) -> rusqlite::Result<()> {
        let has_index = self.finder == Finder::Index;
        let db = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if !has_index {
            db.execute("INSERT OR REPLACE INTO meta VALUES ('words', 'stale')", [])?;
        }
        let subscriber = row.subscriber.as_text();
        let own = index::mark(false, &row.subscriber);
        let (input, answer) = (draft::cut(&row.input), draft::cut(&row.answer));
        let count = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        db.execute(
            "INSERT INTO task(task, subscriber, started, ended, ending, input, answer, model, turns, \
             calls, tokens_in, tokens_out) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
            params![
                row.task,
                subscriber,
                row.started,
                row.ended,
                row.ending.word(),
                input,
                answer,
                row.model,
                count(row.turns),
                count(row.calls),
                count(row.tokens_in),
                count(row.tokens_out),
            ],
        )?;
        if has_index {
            let text = format!("{input} {answer}");
            index::put(&db, "task_words", db.last_insert_rowid(), &own, &text)?;
        }
        let mut said_now = Vec::new();
        for said in &draft.messages {
            db.prepare_cached(
                "INSERT INTO message(task, subscriber, at, role, content) VALUES (?1,?2,?3,?4,?5)",
            )?
            .execute(params![
                row.task,
                subscriber,
                said.at,
                said.role,
                said.content
            ])?;
            said_now.push((db.last_insert_rowid(), &said.content));
        }
        for (id, content) in said_now.into_iter().rev().filter(|_| has_index) {
            index::put(&db, "message_words", id, &own, content)?;
        }
        for held in &draft.quarantined {
            db.execute(
                "INSERT INTO quarantine(at, task, subscriber, shared, key, value, rule, reason) \
                 VALUES (?1,?2,?3,?4,?5,?6,?7,?8)",
                params![
                    held.at,
                    row.task,
                    subscriber,
                    held.note.shared,
                    held.note.key,
                    held.note.value,
                    held.objection.rule,
                    held.objection.message,
                ],
            )?;
        }
        let notes = draft.notes().filter(|_| row.ending == Ending::Answered);
        for (note, at) in notes {
            let audience = if note.shared { &Subscriber::Owner } else { &row.subscriber };
            let fact = Fact {
                key: note.key.clone(),
                value: note.value.clone(),
                at,
                task: row.task.clone(),
                subscriber: row.subscriber.clone(),
                shared: note.shared,
            };
            put_fact(&db, &fact, audience, has_index)?;
            db.execute(
                "INSERT INTO pending(shared, audience, key, value, at) VALUES (?1,?2,?3,?4,?5)",
                params![note.shared, audience.as_text(), note.key, note.value, at],
            )?;
        }
        db.commit()
    }

    /// Writes what is still to be written into the files of layer 1. Doing it twice is doing it once.
    pub fn settle(&mut self) -> Result<(), BrainError> {
        let failed = self.failed();
        let pending = self.pending().map_err(&failed)?;
        for ((shared, audience), notes) in pending {
            let (file, title, cap) = layer1::place(shared, &audience);
            let path = self.folder.join(&file);
            if let Some(folder) = path.parent() {
                files::make_folder(folder)?;
            }
            let text = files::read(&path, layer1::MAX_PAGE_BYTES)?.unwrap_or_default();
            let mut page = Page::parse(&text);
            let entries = notes.iter().map(|note| Entry::new(&note.key, &note.value)).collect();
            let newest = notes.iter().map(|note| note.id).max().unwrap_or_default();
            let at = notes.iter().map(|note| note.at).max().unwrap_or_default();
            // A file that a person filled up since stays; the facts are in the database.
            if let Ok(gone) = page.put(entries, title, cap) {
                // What goes is kept before it goes.
                self.keep(&gone, shared, &audience, at).map_err(&failed)?;
                files::write(&path, page.to_text(title).as_bytes())?;
            }
            self.db
                .execute(
                    "DELETE FROM pending WHERE shared = ?1 AND audience = ?2 AND id <= ?3",
                    params![shared, audience.as_text(), newest],
                )
                .map_err(&failed)?;
        }
        Ok(())
    }

    fn pending(&self) -> rusqlite::Result<Vec<(Place, Vec<Pending>)>> {
        let mut statement = self.db.prepare_cached(
            "SELECT id, shared, audience, key, value, at FROM pending ORDER BY shared, audience, id",
        )?;
        let mut rows = statement.query([])?;
        let mut pending: Vec<(Place, Vec<Pending>)> = Vec::new();
        while let Some(row) = rows.next()? {
            let place = (row.get(1)?, Subscriber::from_text(row.get(2)?));
            let note =
                Pending { id: row.get(0)?, key: row.get(3)?, value: row.get(4)?, at: row.get(5)? };
            match pending.last_mut() {
                Some((last, notes)) if *last == place => notes.push(note),
                _ => pending.push((place, vec![note])),
            }
        }
        Ok(pending)
    }

    /// Keeps entries that leave a file of layer 1, unless they are facts already.
    fn keep(
        &mut self,
        gone: &[Entry],
        shared: bool,
        audience: &Subscriber,
        at: i64,
    ) -> rusqlite::Result<()> {
        let has_index = self.finder == Finder::Index;
        let db = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        for entry in gone {
            let (key, value) = entry.parts();
            let key = key.map_or_else(
                || format!("entry {}", &hone_library::hash(entry.text().as_bytes())[..12]),
                str::to_owned,
            );
            const KNOWN: &str =
                "SELECT value FROM fact WHERE shared = ?1 AND audience = ?2 AND key = ?3";
            let known: Option<String> = db
                .query_row(KNOWN, params![shared, audience.as_text(), key], |row| row.get(0))
                .optional()?;
            if known.as_deref() != Some(value) {
                let fact = Fact {
                    key,
                    value: value.to_owned(),
                    at,
                    task: String::new(),
                    subscriber: audience.clone(),
                    shared,
                };
                put_fact(&db, &fact, audience, has_index)?;
            }
        }
        db.commit()
    }

    /// The facts that a subscriber's tasks may read, by key.
    pub fn facts(&self, subscriber: &Subscriber) -> Result<Vec<Fact>, BrainError> {
        let read = || {
            let mut statement = self.db.prepare(
                "SELECT key, value, at, task, subscriber, shared FROM fact \
                 WHERE shared = 1 OR audience = ?1 ORDER BY key, shared",
            )?;
            let rows = statement.query_map([subscriber.as_text()], |row| {
                Ok(Fact {
                    key: row.get(0)?,
                    value: row.get(1)?,
                    at: row.get(2)?,
                    task: row.get(3)?,
                    subscriber: Subscriber::from_text(row.get(4)?),
                    shared: row.get(5)?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(self.failed())
    }

    /// The keys of facts of one audience that a task noted, or one that came after it. A task that is not
    /// in the log noted nothing.
    pub(crate) fn noted_since(
        &self,
        task: &str,
        shared: bool,
        audience: &Subscriber,
    ) -> Result<Vec<String>, BrainError> {
        let read = || {
            let mut statement = self.db.prepare(
                "SELECT key FROM fact WHERE shared = ?1 AND audience = ?2 AND task IN \
                 (SELECT task FROM task WHERE id >= (SELECT id FROM task WHERE task = ?3)) \
                 ORDER BY key",
            )?;
            let place = params![shared, audience.as_text(), task];
            let rows = statement.query_map(place, |row| row.get(0))?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(self.failed())
    }

    /// The newest tasks, newest first.
    pub fn tasks(&self, most: u32) -> Result<Vec<TaskRow>, BrainError> {
        let read = || {
            let mut statement = self.db.prepare(
                "SELECT task, subscriber, started, ended, ending, input, answer, model, turns, calls, \
                 tokens_in, tokens_out FROM task ORDER BY id DESC LIMIT ?1",
            )?;
            let rows = statement.query_map([most], |row| {
                let count = |at: usize| {
                    row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or_default())
                };
                let ending: String = row.get(4)?;
                Ok(TaskRow {
                    task: row.get(0)?,
                    subscriber: Subscriber::from_text(row.get(1)?),
                    started: row.get(2)?,
                    ended: row.get(3)?,
                    ending: Ending::from_word(&ending).unwrap_or(Ending::Failed),
                    input: row.get(5)?,
                    answer: row.get(6)?,
                    model: row.get(7)?,
                    turns: count(8)?,
                    calls: count(9)?,
                    tokens_in: count(10)?,
                    tokens_out: count(11)?,
                })
            })?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(self.failed())
    }

    /// The newest notes that were set aside, newest first, each with its task.
    pub fn quarantined(&self, most: u32) -> Result<Vec<(String, Quarantined)>, BrainError> {
        let read = || {
            let mut statement = self.db.prepare(
                "SELECT task, at, shared, key, value, rule, reason FROM quarantine \
                 ORDER BY id DESC LIMIT ?1",
            )?;
            let rows = statement.query_map([most], |row| {
                let note = Note { key: row.get(3)?, value: row.get(4)?, shared: row.get(2)? };
                let objection = Objection { rule: row.get(5)?, message: row.get(6)? };
                Ok((row.get(0)?, Quarantined { note, at: row.get(1)?, objection }))
            })?;
            rows.collect::<rusqlite::Result<_>>()
        };
        read().map_err(self.failed())
    }

    /// How much is remembered.
    pub fn counts(&self) -> Result<Counts, BrainError> {
        let count = |table: &str| {
            let sql = format!("SELECT count(*) FROM {table}");
            let count: rusqlite::Result<i64> = self.db.query_row(&sql, [], |row| row.get(0));
            count.map(|count| u64::try_from(count).unwrap_or_default()).map_err(self.failed())
        };
        Ok(Counts {
            messages: count("message")?,
            facts: count("fact")?,
            tasks: count("task")?,
            quarantined: count("quarantine")?,
        })
    }
}

/// Where a note goes: shared or not, and whose it is.
type Place = (bool, Subscriber);

/// A note that is not in its file yet.
struct Pending {
    id: i64,
    key: String,
    value: String,
    at: i64,
}

/// Writes a fact in place of the one with its key. What is known already stays as it was noted first: to note
/// it again is to know nothing new.
fn put_fact(
    db: &Connection,
    fact: &Fact,
    audience: &Subscriber,
    has_index: bool,
) -> rusqlite::Result<()> {
    const OLD: &str =
        "DELETE FROM fact WHERE shared = ?1 AND audience = ?2 AND key = ?3 RETURNING id";
    const KNOWN: &str =
        "SELECT 1 FROM fact WHERE shared = ?1 AND audience = ?2 AND key = ?3 AND value = ?4";
    let known = params![fact.shared, audience.as_text(), fact.key, fact.value];
    if db.prepare_cached(KNOWN)?.exists(known)? {
        return Ok(());
    }
    let place = params![fact.shared, audience.as_text(), fact.key];
    let old: Option<i64> = db.query_row(OLD, place, |row| row.get(0)).optional()?;
    if let Some(old) = old.filter(|_| has_index) {
        db.execute("DELETE FROM fact_words WHERE rowid = ?1", [-old])?;
    }
    db.execute(
        "INSERT INTO fact(shared, audience, key, value, at, task, subscriber) \
         VALUES (?1,?2,?3,?4,?5,?6,?7)",
        params![
            fact.shared,
            audience.as_text(),
            fact.key,
            fact.value,
            fact.at,
            fact.task,
            fact.subscriber.as_text(),
        ],
    )?;
    if has_index {
        let text = format!("{} {}", fact.key, fact.value);
        let mark = index::mark(fact.shared, audience);
        index::put(db, "fact_words", db.last_insert_rowid(), &mark, &text)?;
    }
    Ok(())
}
