//! The tables of `state.db`, and what a look at the file says about them.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::Error;

/// Format of the database; a larger number than this is a newer hone's.
pub(crate) const FORMAT: i64 = 3;

/// The tables of the index.
pub(crate) const INDEX_SCHEMA: &str = "
CREATE TABLE IF NOT EXISTS folder(path TEXT PRIMARY KEY, entry BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

/// The other tables.
const SCHEMA: &str = "
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
CREATE INDEX IF NOT EXISTS ledger_unfinished ON ledger(skill) WHERE done = 0;
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
CREATE TABLE IF NOT EXISTS use_day(
  day INTEGER NOT NULL,
  skill TEXT NOT NULL,
  version TEXT NOT NULL,
  name TEXT NOT NULL,
  uses INTEGER NOT NULL,
  PRIMARY KEY(day, skill, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dismissal(
  digest TEXT NOT NULL,
  rule TEXT NOT NULL,
  file TEXT NOT NULL,
  line INTEGER NOT NULL,
  skill TEXT NOT NULL,
  reason TEXT NOT NULL,
  actor TEXT NOT NULL,
  at INTEGER NOT NULL,
  expires INTEGER NOT NULL,
  PRIMARY KEY(digest, rule, file, line)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS memo(
  topic TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(topic, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS report(
  path TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  verdict TEXT NOT NULL,
  at INTEGER NOT NULL,
  body TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS report_key ON report(key);
CREATE INDEX IF NOT EXISTS report_at ON report(at);
CREATE TABLE IF NOT EXISTS installed(
  skill TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  source TEXT NOT NULL,
  lock TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS generation(
  skill TEXT NOT NULL,
  content TEXT NOT NULL,
  entry TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(skill, content)
);
CREATE TABLE IF NOT EXISTS intent(id INTEGER PRIMARY KEY, lock TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS approval(
  id TEXT PRIMARY KEY,
  lock TEXT NOT NULL,
  content TEXT NOT NULL,
  body TEXT NOT NULL,
  at INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS share(
  path TEXT PRIMARY KEY,
  skill TEXT NOT NULL,
  agent TEXT NOT NULL,
  kind TEXT NOT NULL,
  made TEXT NOT NULL,
  at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  skill TEXT NOT NULL,
  place TEXT NOT NULL,
  source TEXT NOT NULL,
  content TEXT NOT NULL,
  verdict TEXT NOT NULL,
  detail TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL
);
";

/// A table of the database.
pub(crate) struct Table {
    name: &'static str,
    columns: &'static str,
    /// What a person calls its content; empty when it can be built anew from the files.
    pub(crate) holds: &'static str,
}

pub(crate) const TABLES: [Table; 16] = [
    Table { name: "folder", columns: "path, entry", holds: "" },
    Table { name: "meta", columns: "key, value", holds: "" },
    Table {
        name: "ledger",
        columns: "id, skill, revision, at, actor, action, reason, name, slug, from_version, to_version, \
                  changes, done",
        holds: "history",
    },
    Table { name: "trust", columns: "path, at", holds: "trust" },
    Table { name: "pin", columns: "skill, at", holds: "pins" },
    Table {
        name: "usage",
        columns: "skill, version, name, views, uses, patches, last_viewed, last_used, last_patched, \
                  created",
        holds: "usage",
    },
    Table {
        name: "dismissal",
        columns: "digest, rule, file, line, skill, reason, actor, at, expires",
        holds: "dismissals",
    },
    // What these hold is worth having, but nothing that a person would miss.
    Table { name: "use_day", columns: "day, skill, version, name, uses", holds: "" },
    Table { name: "memo", columns: "topic, key, value, at", holds: "" },
    Table { name: "report", columns: "path, key, verdict, at, body", holds: "" },
    Table { name: "installed", columns: "skill, origin, source, lock, at", holds: "origins" },
    Table { name: "generation", columns: "skill, content, entry, at", holds: "" },
    Table { name: "intent", columns: "id, lock, body", holds: "" },
    Table { name: "approval", columns: "id, lock, content, body, at", holds: "approvals" },
    Table { name: "share", columns: "path, skill, agent, kind, made, at", holds: "shares" },
    Table {
        name: "audit",
        columns: "seq, at, actor, action, skill, place, source, content, verdict, detail, previous, \
                  hash",
        holds: "audit log",
    },
];

/// What a look at the whole database says.
pub(crate) enum Health {
    Sound,
    /// Tables that should be there are not.
    Missing(Vec<&'static Table>),
    Damaged,
}

pub(crate) fn format_of(db: &Connection) -> Result<i64, Error> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

pub(crate) fn make_tables(db: &Connection) -> Result<(), Error> {
    db.execute_batch(&format!(
        "BEGIN IMMEDIATE; {INDEX_SCHEMA} {SCHEMA} PRAGMA user_version = {FORMAT}; COMMIT;"
    ))?;
    Ok(())
}

pub(crate) fn health(db: &Connection) -> Result<Health, Error> {
    let answer: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if answer != "ok" {
        return Ok(Health::Damaged);
    }
    let mut missing = Vec::new();
    for table in &TABLES {
        let known = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if !db.prepare(known)?.exists([table.name])? {
            missing.push(table);
        } else if db.prepare(&format!("SELECT {} FROM {}", table.columns, table.name)).is_err() {
            return Ok(Health::Damaged);
        }
    }
    Ok(if missing.is_empty() { Health::Sound } else { Health::Missing(missing) })
}

/// What tables hold, as a list.
pub(crate) fn spoken<'t>(tables: impl Iterator<Item = &'t Table>) -> String {
    let words: Vec<&str> =
        tables.map(|table| table.holds).filter(|word| !word.is_empty()).collect();
    words.join(", ")
}

impl Table {
    /// Copies the rows of a damaged file, all of them or, when the table itself is damaged, none:
    /// half a history would be a wrong one.
    pub(crate) fn take_over(&self, from: &Path, to: &Connection) -> Result<(), Error> {
        let old = Connection::open_with_flags(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let check = format!("PRAGMA quick_check({})", self.name);
        let answer: String = old.query_row(&check, [], |row| row.get(0))?;
        if answer != "ok" {
            return Err(rusqlite::Error::InvalidQuery.into());
        }
        let count = self.columns.split(',').count();
        let places: Vec<String> = (1..=count).map(|n| format!("?{n}")).collect();
        let (name, columns) = (self.name, self.columns);
        let mut select = old.prepare(&format!("SELECT {columns} FROM {name}"))?;
        let transaction = to.unchecked_transaction()?;
        let mut insert = transaction
            .prepare(&format!("INSERT INTO {name}({columns}) VALUES ({})", places.join(", ")))?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let values: Vec<rusqlite::types::Value> =
                (0..count).map(|at| row.get(at)).collect::<Result<_, _>>()?;
            insert.execute(rusqlite::params_from_iter(values))?;
        }
        drop(insert);
        transaction.commit()?;
        Ok(())
    }
}
