//! `state.db`: index, trust, ledger, usage and scan reports in one SQLite file.
//!
//! A damaged file is set aside under another name and reported, never overwritten; every table of it
//! that is still sound is taken over. A file of a newer format is left alone: reading goes on without
//! it, writing stops.

use std::cell::{Cell, RefCell};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use crate::error::Error;
use crate::folder::sync_path;
use crate::index::FolderEntry;
use crate::newborn;
use crate::place::canonical_or_same;
use crate::schema::{FORMAT, Health, TABLES, Table, format_of, health, make_tables, spoken};

/// How long a writer waits for another process.
const BUSY: Duration = Duration::from_secs(30);

/// Damaged databases that are kept; the last place is used again.
const MAX_SET_ASIDE: u32 = 1_000;

/// How long bookkeeping that may fail (index, usage) waits for another process.
const BUSY_BEST_EFFORT: Duration = Duration::from_millis(500);

/// The open state of one `HONE_HOME`.
#[derive(Debug)]
pub struct State {
    home: PathBuf,
    db: RefCell<Option<Connection>>,
    problem: RefCell<Option<Error>>,
    notes: RefCell<Vec<String>>,
    is_durable: Cell<bool>,
    stage: Cell<Stage>,
}

/// What a catalogue took from the state. Two are the same when they say the same.
#[derive(Debug, Clone)]
pub(crate) struct Mark {
    /// Changes when another connection wrote to the file.
    version: i64,
    /// Counts what was decided since there is the file.
    decisions: i64,
    says: Arc<[(String, String)]>,
}

impl PartialEq for Mark {
    fn eq(&self, other: &Self) -> bool {
        self.says == other.says
    }
}

const DECISIONS: &str = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'decisions'";

/// Counts a change of trust or origin, in the transaction that makes it: whoever keeps a catalogue looks
/// at this number instead of at all of them.
pub(crate) fn note_decision(db: &Connection) -> Result<(), Error> {
    db.execute(
        "INSERT INTO meta VALUES ('decisions', '1') \
         ON CONFLICT(key) DO UPDATE SET value = CAST(value AS INTEGER) + 1",
        [],
    )?;
    Ok(())
}

/// How far the state is on its way from the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// There is no file: nothing is known, and nothing has been asked for.
    New,
    /// The file is made, and SQLite has not opened it.
    Made,
    /// SQLite has opened it, or could not.
    Opened,
}

impl State {
    /// Opens the state below `home`. One that is not there is made when it is needed.
    ///
    /// Never fails: a state that cannot be opened is reported by whatever needs it.
    pub fn open(home: &Path) -> Self {
        let state = Self {
            home: home.to_owned(),
            db: RefCell::new(None),
            problem: RefCell::new(None),
            notes: RefCell::new(Vec::new()),
            is_durable: Cell::new(false),
            stage: Cell::new(Stage::New),
        };
        if state.path().exists() {
            state.open_file_now();
        }
        state
    }

    fn open_file_now(&self) {
        self.stage.set(Stage::Opened);
        match self.connect() {
            Ok(db) => *self.db.borrow_mut() = Some(db),
            Err(error) => *self.problem.borrow_mut() = Some(error),
        }
    }

    /// Makes the file, unless it is there, with the first folders of the index; true when they are
    /// in it.
    pub(crate) fn make<'e>(
        &self,
        folders: impl Iterator<Item = (&'e str, &'e FolderEntry)> + Clone,
    ) -> bool {
        if self.stage.get() != Stage::New {
            return false;
        }
        let is_made = matches!(newborn::place(&self.path(), folders), Ok(true));
        if is_made {
            self.stage.set(Stage::Made);
        } else {
            // Not on this disk, or somebody was faster: SQLite's own way knows what to do.
            self.open_file_now();
        }
        is_made
    }

    /// Whether there is no file yet, so that nothing can be known from it.
    pub(crate) fn is_new(&self) -> bool {
        self.stage.get() == Stage::New
    }

    /// Whether nothing but the index of this very process can be in it.
    pub(crate) fn is_young(&self) -> bool {
        self.stage.get() != Stage::Opened
    }

    /// The folder that holds everything.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Things that the person should hear about, such as a damaged database that was set aside.
    pub fn take_notes(&self) -> Vec<String> {
        self.make(std::iter::empty());
        std::mem::take(&mut self.notes.borrow_mut())
    }

    /// Why there is no usable database, when there is none.
    pub fn problem(&self) -> Option<String> {
        self.make(std::iter::empty());
        self.problem.borrow().as_ref().map(ToString::to_string)
    }

    fn path(&self) -> PathBuf {
        self.home.join("state.db")
    }

    fn connect(&self) -> Result<Connection, Error> {
        match self.try_connect() {
            Err(Error::State(error)) if is_damage(&error) => self.mend(),
            other => other,
        }
    }

    fn try_connect(&self) -> Result<Connection, Error> {
        create_private_folder(&self.home)?;
        let (db, format) = self.open_file()?;
        if format < FORMAT {
            let _lock = self.lock()?;
            self.create(&db)?;
        }
        Ok(db)
    }

    /// Opens the file as it is; gives the format that it has.
    fn open_file(&self) -> Result<(Connection, i64), Error> {
        let path = self.path();
        let db = Connection::open(&path)?;
        db.busy_timeout(BUSY)?;
        let format = format_of(&db)?;
        if format > FORMAT {
            return Err(Error::NewerState { path, found: format, known: FORMAT });
        }
        db.pragma_update(None, "synchronous", "NORMAL")?;
        // The log is folded into the file when it has grown, not whenever a process ends.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok((db, format))
    }

    /// The file as it is now, on a connection of its own that sees nothing of what is written later;
    /// `None` on a disk where such a reader would keep writers waiting.
    pub(crate) fn snapshot(&self) -> Result<Option<Connection>, Error> {
        let (db, _) = self.open_file()?;
        let journal: String = db.query_row("PRAGMA journal_mode", [], |row| row.get(0))?;
        if journal != "wal" {
            return Ok(None);
        }
        // A read transaction begins with the first read, which whoever asks does next.
        db.execute_batch("BEGIN")?;
        Ok(Some(db))
    }

    /// Only one process at a time creates or mends the database: SQLite does not wait when two
    /// change the journal mode at once.
    fn lock(&self) -> Result<File, Error> {
        let path = self.home.join("state.lock");
        let lock = File::create(&path).map_err(Error::io("create", &path))?;
        lock.lock().map_err(Error::io("lock", &path))?;
        Ok(lock)
    }

    /// Makes the tables; the caller holds the lock.
    fn create(&self, db: &Connection) -> Result<(), Error> {
        let format = format_of(db)?;
        if format == FORMAT {
            return Ok(());
        }
        // Empty tables need not survive a power cut; the first write that must does the waiting.
        db.pragma_update(None, "synchronous", "OFF")?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        make_tables(db)?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        // An older format only lacks tables that were never there.
        if format == 0 && self.home.join("objects").is_dir() {
            self.note(format!(
                "`{}` was gone or empty, though old versions are kept beside it; lost: {}",
                self.path().display(),
                spoken(TABLES.iter())
            ));
        }
        Ok(())
    }

    fn note(&self, note: String) {
        self.notes.borrow_mut().push(note);
    }

    /// Makes a damaged database whole or sets it aside, once, however many processes find it.
    fn mend(&self) -> Result<Connection, Error> {
        let _lock = self.lock()?;
        let opened = self.open_file().and_then(|(db, _)| Ok((health(&db)?, db)));
        match opened {
            // Another process mended it while this one waited.
            Ok((Health::Sound, db)) => return Ok(db),
            Ok((Health::Missing(tables), db)) => {
                make_tables(&db)?;
                let lost = spoken(tables.iter().copied());
                if !lost.is_empty() {
                    let path = self.path();
                    self.note(format!("`{}` had tables missing; lost: {lost}", path.display()));
                }
                return Ok(db);
            }
            Ok((Health::Damaged, db)) => drop(db),
            Err(Error::State(error)) if is_damage(&error) => {}
            Err(other) => return Err(other),
        }
        let aside = self.set_aside()?;
        let (db, _) = self.open_file()?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        make_tables(&db)?;
        let (kept, lost): (Vec<&Table>, Vec<&Table>) = TABLES
            .iter()
            .filter(|table| !table.holds.is_empty())
            .partition(|table| table.take_over(&aside, &db).is_ok());
        let mut fate = String::new();
        for (word, tables) in [("saved", kept), ("lost", lost)] {
            if !tables.is_empty() {
                fate.extend(["; ", word, ": ", &spoken(tables.into_iter())]);
            }
        }
        self.note(format!(
            "`{}` was damaged and is kept as `{}`{fate}",
            self.path().display(),
            aside.display()
        ));
        Ok(db)
    }

    /// Moves the database to a name that nobody uses.
    fn set_aside(&self) -> Result<PathBuf, Error> {
        let path = self.path();
        let aside = (1..=MAX_SET_ASIDE)
            .map(|n| self.home.join(format!("state.db.damaged-{n}")))
            .find(|candidate| !candidate.exists())
            .unwrap_or_else(|| self.home.join("state.db.damaged"));
        std::fs::rename(&path, &aside).map_err(Error::io("set aside", &path))?;
        for suffix in ["-wal", "-shm"] {
            let from = self.home.join(format!("state.db{suffix}"));
            let mut to = aside.clone().into_os_string();
            to.push(suffix);
            match std::fs::rename(&from, &to) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io("set aside", &from)(error));
                }
                _ => {}
            }
        }
        Ok(aside)
    }

    /// Runs `work` on the database; one that turns out to be damaged is mended or set aside, and
    /// `work` is repeated.
    pub(crate) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.make(std::iter::empty());
        if self.stage.get() == Stage::Made {
            self.open_file_now();
        }
        let result = match self.db.borrow_mut().as_mut() {
            Some(db) => work(db),
            None => return Err(self.why_closed()),
        };
        match result {
            Err(Error::State(error)) if is_damage(&error) => {
                *self.db.borrow_mut() = None;
                match self.mend() {
                    Ok(mut db) => {
                        let result = work(&mut db);
                        *self.db.borrow_mut() = Some(db);
                        result
                    }
                    Err(error) => {
                        *self.problem.borrow_mut() = Some(error);
                        Err(self.why_closed())
                    }
                }
            }
            other => other,
        }
    }

    fn why_closed(&self) -> Error {
        match &*self.problem.borrow() {
            Some(Error::NewerState { path, found, known }) => {
                Error::NewerState { path: path.clone(), found: *found, known: *known }
            }
            Some(problem) => {
                Error::io("use", &self.path())(std::io::Error::other(problem.to_string()))
            }
            None => Error::io("use", &self.path())(std::io::ErrorKind::NotFound.into()),
        }
    }

    /// Runs `work` in a write transaction that survives a power cut once it is committed.
    pub(crate) fn write<T>(
        &self,
        mut work: impl FnMut(&rusqlite::Transaction<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with(|db| {
            db.busy_timeout(BUSY)?;
            db.pragma_update(None, "synchronous", "FULL")?;
            self.make_durable(db)?;
            let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
        })
    }

    /// Makes sure, once for a file, that the file itself is on the disk, which its making did not wait
    /// for. SQLite does that when it folds its log in: closing a second handle on the file would take
    /// away the locks that it holds.
    fn make_durable(&self, db: &Connection) -> Result<(), Error> {
        const DURABLE: &str = "SELECT value = 'yes' FROM meta WHERE key = 'durable'";
        if self.is_durable.get() {
            return Ok(());
        }
        let is_durable: Option<bool> = db.query_row(DURABLE, [], |row| row.get(0)).optional()?;
        if is_durable != Some(true) {
            // Something must be in the log, or there is nothing to wait for.
            db.execute("INSERT OR REPLACE INTO meta VALUES ('durable', 'no')", [])?;
            let is_folded: bool = db.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| {
                let (busy, pages, folded): (i64, i64, i64) =
                    (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(busy == 0 && pages == folded)
            })?;
            sync_path(&self.home)?;
            if is_folded {
                db.execute("UPDATE meta SET value = 'yes' WHERE key = 'durable'", [])?;
            }
        }
        self.is_durable.set(true);
        Ok(())
    }

    /// Runs one write that a power cut may undo.
    pub(crate) fn write_lightly<T>(
        &self,
        mut work: impl FnMut(&Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.with(|db| {
            db.busy_timeout(BUSY)?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            work(db)
        })
    }

    /// Runs `work` in a write transaction that may be lost: it waits little and never fails.
    pub(crate) fn write_best_effort(
        &self,
        mut work: impl FnMut(&rusqlite::Transaction<'_>) -> Result<(), Error>,
    ) -> bool {
        self.with(|db| {
            db.busy_timeout(BUSY_BEST_EFFORT)?;
            db.pragma_update(None, "synchronous", "NORMAL")?;
            let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            work(&transaction)?;
            transaction.commit()?;
            Ok(())
        })
        .is_ok()
    }

    /// Whether a project folder is trusted. When in doubt, it is not.
    pub fn is_trusted(&self, folder: &Path) -> bool {
        if self.is_new() {
            return false;
        }
        let folder = canonical_or_same(folder);
        let Some(path) = folder.to_str() else { return false };
        self.with(|db| {
            let found: Option<i64> = db
                .query_row("SELECT at FROM trust WHERE path = ?1", [path], |row| row.get(0))
                .optional()?;
            Ok(found.is_some())
        })
        .unwrap_or(false)
    }

    /// What a catalogue takes from here: trust, and whose word installed skills are. With `known`, it is
    /// read only when somebody wrote to the file since.
    pub(crate) fn mark(&self, known: Option<&Mark>) -> Option<Mark> {
        let mark = self.with(|db| {
            let version: i64 =
                db.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))?;
            if let Some(known) = known.filter(|known| known.version == version) {
                return Ok(known.clone());
            }
            // Most of what is written are counters, several times a second where many ask.
            let decisions: Option<i64> =
                db.prepare_cached(DECISIONS)?.query_row([], |row| row.get(0)).optional()?;
            let decisions = decisions.unwrap_or(0);
            if let Some(known) = known.filter(|known| known.decisions == decisions) {
                return Ok(Mark { version, ..known.clone() });
            }
            let mut statement = db.prepare_cached(
                "SELECT path, 'trusted' FROM trust UNION ALL SELECT skill, origin FROM installed",
            )?;
            let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Ok(Mark { version, decisions, says: rows.collect::<Result<_, _>>()? })
        });
        mark.ok()
    }

    /// Trusts a project folder, wherever links to it lead later; false when it was trusted already.
    pub fn trust(&self, folder: &Path, now: i64) -> Result<bool, Error> {
        let folder = canonical_or_same(folder);
        let path = utf8(&folder)?;
        self.write(|db| {
            let changed =
                db.execute("INSERT OR IGNORE INTO trust(path, at) VALUES (?1, ?2)", (path, now))?;
            note_decision(db)?;
            Ok(changed > 0)
        })
    }

    /// Takes trust in a project folder back; false when it was not trusted.
    pub fn distrust(&self, folder: &Path) -> Result<bool, Error> {
        let folder = canonical_or_same(folder);
        let path = utf8(&folder)?;
        self.write(|db| {
            note_decision(db)?;
            Ok(db.execute("DELETE FROM trust WHERE path = ?1", [path])? > 0)
        })
    }

    /// The trusted folders and when they became so, in milliseconds since 1970.
    pub fn trusted(&self) -> Result<Vec<(PathBuf, i64)>, Error> {
        self.with(|db| {
            let mut statement = db.prepare("SELECT path, at FROM trust ORDER BY path")?;
            let rows = statement
                .query_map([], |row| Ok((PathBuf::from(row.get::<_, String>(0)?), row.get(1)?)))?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Checks the whole database; the findings are empty when it is sound.
    pub fn integrity(&self) -> Result<Vec<String>, Error> {
        self.with(|db| {
            let mut statement = db.prepare("PRAGMA integrity_check(20)")?;
            let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
            let rows: Vec<String> = rows.collect::<Result<_, _>>()?;
            Ok(rows.into_iter().filter(|row| row != "ok").collect())
        })
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    // A table or column that should be there is not: another program's file, or half of one.
    let is_missing = || {
        let message = error.to_string();
        message.contains("no such") || message.contains("has no column")
    };
    match error {
        rusqlite::Error::SqlInputError { .. } => is_missing(),
        _ => match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
            Some(ErrorCode::Unknown) => is_missing(),
            _ => false,
        },
    }
}

/// Creates a folder that only its owner can read.
pub(crate) fn create_private_folder(path: &Path) -> Result<(), Error> {
    if path.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path).map_err(Error::io("create", path))
}

/// A path as the database keeps it.
pub(crate) fn utf8(path: &Path) -> Result<&str, Error> {
    path.to_str().ok_or_else(|| {
        Error::io("use", path)(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "the path is not UTF-8",
        ))
    })
}
