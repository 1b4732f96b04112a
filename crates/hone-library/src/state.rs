//! `state.db`: index, trust, ledger and usage in one SQLite file.
//!
//! A damaged file is set aside under another name and reported, never overwritten. A file of a newer
//! format is left alone: reading goes on without it, writing stops.

use std::cell::RefCell;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use crate::error::Error;

/// Format of the database; a larger number than this is a newer hone's.
const FORMAT: i64 = 1;

/// How long a writer waits for another process.
const BUSY: Duration = Duration::from_secs(30);

/// How long bookkeeping that may fail (index, usage) waits for another process.
const BUSY_BEST_EFFORT: Duration = Duration::from_millis(500);

const SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS folder(path TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trust(path TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS pin(skill TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger(
  id INTEGER PRIMARY KEY,
  skill TEXT NOT NULL,
  revision INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  reason TEXT NOT NULL,
  name TEXT NOT NULL,
  slug TEXT NOT NULL,
  from_version TEXT,
  to_version TEXT,
  changes TEXT NOT NULL,
  done INTEGER NOT NULL,
  UNIQUE(skill, revision)
);
CREATE INDEX IF NOT EXISTS ledger_slug ON ledger(slug);
CREATE TABLE IF NOT EXISTS usage(
  skill TEXT NOT NULL,
  version TEXT NOT NULL,
  name TEXT NOT NULL,
  views INTEGER NOT NULL DEFAULT 0,
  uses INTEGER NOT NULL DEFAULT 0,
  patches INTEGER NOT NULL DEFAULT 0,
  last_viewed INTEGER,
  last_used INTEGER,
  last_patched INTEGER,
  created INTEGER NOT NULL,
  PRIMARY KEY(skill, version)
) WITHOUT ROWID;
";

/// The open state of one `HONE_HOME`.
#[derive(Debug)]
pub struct State {
    home: PathBuf,
    db: RefCell<Option<Connection>>,
    problem: RefCell<Option<Error>>,
    notes: RefCell<Vec<String>>,
}

impl State {
    /// Opens the state below `home`; creates nothing until something is written.
    ///
    /// Never fails: a state that cannot be opened is reported by whatever needs it.
    pub fn open(home: &Path) -> Self {
        let state = Self {
            home: home.to_owned(),
            db: RefCell::new(None),
            problem: RefCell::new(None),
            notes: RefCell::new(Vec::new()),
        };
        match state.connect() {
            Ok(db) => *state.db.borrow_mut() = Some(db),
            Err(error) => *state.problem.borrow_mut() = Some(error),
        }
        state
    }

    /// The folder that holds everything.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// Things that the person should hear about, such as a damaged database that was set aside.
    pub fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut self.notes.borrow_mut())
    }

    /// Why there is no usable database, when there is none.
    pub fn problem(&self) -> Option<String> {
        self.problem.borrow().as_ref().map(ToString::to_string)
    }

    fn path(&self) -> PathBuf {
        self.home.join("state.db")
    }

    fn connect(&self) -> Result<Connection, Error> {
        match self.try_connect() {
            Err(Error::State(error)) if is_damage(&error) => {
                self.set_aside()?;
                self.try_connect()
            }
            other => other,
        }
    }

    fn try_connect(&self) -> Result<Connection, Error> {
        create_private_folder(&self.home)?;
        let path = self.path();
        let db = Connection::open(&path)?;
        db.busy_timeout(BUSY)?;
        let format: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
        if format > FORMAT {
            return Err(Error::NewerState { path, found: format, known: FORMAT });
        }
        if format < FORMAT {
            db.pragma_update(None, "journal_mode", "WAL")?;
            db.execute_batch("BEGIN IMMEDIATE")?;
            db.execute_batch(SCHEMA)?;
            db.pragma_update(None, "user_version", FORMAT)?;
            db.execute_batch("COMMIT")?;
        }
        db.pragma_update(None, "synchronous", "NORMAL")?;
        // The log is folded into the file when it has grown, not whenever a process ends.
        db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
        Ok(db)
    }

    /// Moves a damaged database out of the way, once, however many processes find it.
    fn set_aside(&self) -> Result<(), Error> {
        let lock_path = self.home.join("state.lock");
        let lock = File::create(&lock_path).map_err(Error::io("create", &lock_path))?;
        lock.lock().map_err(Error::io("lock", &lock_path))?;
        // Another process may have done it while we waited.
        match self.try_connect().and_then(|db| check(&db)) {
            Err(Error::State(error)) if is_damage(&error) => {}
            _ => return Ok(()),
        }
        let path = self.path();
        let aside = (1_u32..)
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
        self.notes.borrow_mut().push(format!(
            "`{}` was damaged and is kept as `{}`; history, trust and usage start anew",
            path.display(),
            aside.display()
        ));
        Ok(())
    }

    /// Runs `work` on the database; one that turns out to be damaged is set aside and `work` is
    /// repeated on a new one.
    pub(crate) fn with<T>(
        &self,
        mut work: impl FnMut(&mut Connection) -> Result<T, Error>,
    ) -> Result<T, Error> {
        if let Some(problem) = self.problem() {
            return Err(Error::io("use", &self.path())(std::io::Error::other(problem)));
        }
        let result = match self.db.borrow_mut().as_mut() {
            Some(db) => work(db),
            None => {
                return Err(Error::io("open", &self.path())(std::io::ErrorKind::NotFound.into()));
            }
        };
        match result {
            Err(Error::State(error)) if is_damage(&error) => {
                *self.db.borrow_mut() = None;
                self.set_aside()?;
                let mut db = self.try_connect()?;
                let result = work(&mut db);
                *self.db.borrow_mut() = Some(db);
                result
            }
            other => other,
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
            let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let value = work(&transaction)?;
            transaction.commit()?;
            Ok(value)
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
        let Some(path) = folder.to_str() else { return false };
        self.with(|db| {
            let found: Option<i64> = db
                .query_row("SELECT at FROM trust WHERE path = ?1", [path], |row| row.get(0))
                .optional()?;
            Ok(found.is_some())
        })
        .unwrap_or(false)
    }

    /// Trusts a project folder; false when it was trusted already.
    pub fn trust(&self, folder: &Path, now: i64) -> Result<bool, Error> {
        let path = utf8(folder)?;
        self.write(|db| {
            let changed =
                db.execute("INSERT OR IGNORE INTO trust(path, at) VALUES (?1, ?2)", (path, now))?;
            Ok(changed > 0)
        })
    }

    /// Takes trust in a project folder back; false when it was not trusted.
    pub fn distrust(&self, folder: &Path) -> Result<bool, Error> {
        let path = utf8(folder)?;
        self.write(|db| Ok(db.execute("DELETE FROM trust WHERE path = ?1", [path])? > 0))
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

fn check(db: &Connection) -> Result<(), Error> {
    let answer: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer == "ok" {
        Ok(())
    } else {
        let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
        Err(Error::State(rusqlite::Error::SqliteFailure(code, Some(answer))))
    }
}

fn is_damage(error: &rusqlite::Error) -> bool {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => true,
        // A table that should be there is not: another program's file, or half of one.
        Some(ErrorCode::Unknown) => error.to_string().contains("no such"),
        _ => false,
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
