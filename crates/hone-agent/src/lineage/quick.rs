//! The state of a brain that was looked at before, at the cost of what changed since.
//!
//! The database keeps the digest of each group of rows, and triggers that forget it when a row of the
//! group changes, whoever changes it. It keeps the digest of each file and the names in each folder, with
//! what the system said about them then: a write moves the time of a change, which nobody can set. All are a
//! shortcut and no proof. [`state`] believes none of them and reads everything: `hone agent verify` and `hash`, snapshots
//! and restores look that way, so whoever gets past the shortcut is found out there.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::digest::Digest;
use super::members::{Found, Listings, Records, STAMP_BYTES, Stamp, members, now};
use super::rows::{self, GROUP_BITS, Groups, Sequence};
use super::state::{Layout, Look, Rows, StateError, StateHash, Table, connect, state};

const NOTES: &str = "
CREATE TABLE IF NOT EXISTS digest(
  tbl TEXT NOT NULL, grp INTEGER NOT NULL, digest BLOB, PRIMARY KEY(tbl, grp)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS stamp(
  path TEXT PRIMARY KEY, stamp BLOB NOT NULL, digest BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS listing(
  path TEXT PRIMARY KEY, stamp BLOB NOT NULL, names BLOB NOT NULL
) STRICT, WITHOUT ROWID;
";
/// The newest of these tables: where it is missing, all are made.
const NEWEST_NOTES: &str = "listing";
/// What stands between two names.
const BETWEEN: char = '\0';

/// The state of the brain in a folder, as [`state`] gives it, by what is remembered of it.
pub fn quick(folder: &Path, layout: &Layout) -> Result<StateHash, StateError> {
    if !folder.join(layout.database).is_file() {
        return state(folder, layout);
    }
    let path = folder.join(layout.database);
    let failed = |error| StateError::Database { path: path.clone(), error };
    let started = now();
    let mut look = Look::new(folder);
    let db = connect(&path).map_err(failed)?;
    // What is remembered may be lost in a crash, together with what it is about.
    db.execute_batch("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE").map_err(failed)?;
    watch(&db, layout.tables).map_err(failed)?;
    let mut folders = Folders::load(&db).map_err(failed)?;
    let (dir, members) = members(folder, layout, Records::Skip, &mut folders)?;
    folders.keep(started).map_err(failed)?;
    let mut remembered = Remembered::load(&db).map_err(failed)?;
    for (path, Found { root, stamp, .. }) in &members.files {
        let digest = if let Some(digest) = remembered.take(path, stamp) {
            digest
        } else {
            let digest = look.digest(&dir, path)?;
            if stamp.is_settled(started) {
                remembered.learn(path, stamp, digest).map_err(failed)?;
            }
            digest
        };
        look.file(path, *root, digest);
    }
    remembered.forget().map_err(failed)?;
    for table in layout.tables {
        let digest = table_digest(&db, table).map_err(failed)?;
        look.table(layout, table, digest);
    }
    db.execute_batch("COMMIT").map_err(failed)?;
    Ok(look.end())
}

/// Files as they were, by their paths.
struct Remembered<'a> {
    db: &'a Connection,
    files: HashMap<String, (Stamp, Digest)>,
}

impl<'a> Remembered<'a> {
    fn load(db: &'a Connection) -> rusqlite::Result<Self> {
        let mut statement = db.prepare("SELECT path, stamp, digest FROM stamp")?;
        let mut rows = statement.query([])?;
        let mut files = HashMap::new();
        while let Some(row) = rows.next()? {
            let stamp: [u8; STAMP_BYTES] = row.get(1)?;
            files.insert(row.get(0)?, (Stamp(stamp), Digest(row.get(2)?)));
        }
        Ok(Self { db, files })
    }

    /// The digest of a file that is as it was.
    fn take(&mut self, path: &str, stamp: &Stamp) -> Option<Digest> {
        let (known, digest) = self.files.remove(path)?;
        (known == *stamp).then_some(digest)
    }

    fn learn(&self, path: &str, stamp: &Stamp, digest: Digest) -> rusqlite::Result<()> {
        let write = "INSERT OR REPLACE INTO stamp VALUES (?1, ?2, ?3)";
        let mut statement = self.db.prepare_cached(write)?;
        statement.execute(params![path, stamp.0, digest.0]).map(drop)
    }

    /// Forgets the files that nobody asked for: they are gone.
    fn forget(&self) -> rusqlite::Result<()> {
        for path in self.files.keys() {
            self.db.execute("DELETE FROM stamp WHERE path = ?1", [path])?;
        }
        Ok(())
    }
}

/// Folders as they were, by their paths.
struct Folders<'a> {
    db: &'a Connection,
    known: HashMap<String, (Stamp, Vec<u8>)>,
    new: Vec<(String, Stamp, String)>,
}

impl<'a> Folders<'a> {
    fn load(db: &'a Connection) -> rusqlite::Result<Self> {
        let mut statement = db.prepare("SELECT path, stamp, names FROM listing")?;
        let mut rows = statement.query([])?;
        let mut known = HashMap::new();
        while let Some(row) = rows.next()? {
            known.insert(row.get(0)?, (Stamp(row.get(1)?), row.get(2)?));
        }
        Ok(Self { db, known, new: Vec::new() })
    }

    /// Keeps what was listed, and forgets the folders that are gone.
    fn keep(self, started: Duration) -> rusqlite::Result<()> {
        for path in self.known.keys() {
            self.db.execute("DELETE FROM listing WHERE path = ?1", [path])?;
        }
        for (path, stamp, names) in
            self.new.iter().filter(|(_, stamp, _)| stamp.is_settled(started))
        {
            let write = "INSERT OR REPLACE INTO listing VALUES (?1, ?2, ?3)";
            let row = params![path, stamp.0, names.as_bytes()];
            self.db.prepare_cached(write)?.execute(row)?;
        }
        Ok(())
    }
}

impl Listings for Folders<'_> {
    fn known(&mut self, path: &str, stamp: &Stamp) -> Option<Vec<String>> {
        let (known, names) = self.known.get(path)?;
        if known != stamp {
            return None;
        }
        let names = String::from_utf8(names.clone()).ok()?;
        self.known.remove(path);
        Some(names.split_terminator(BETWEEN).map(str::to_owned).collect())
    }

    fn listed(&mut self, path: &str, stamp: &Stamp, names: &[String]) {
        let names = names.iter().fold(String::new(), |mut all, name| {
            all.push_str(name);
            all.push(BETWEEN);
            all
        });
        self.new.push((path.to_owned(), *stamp, names));
    }
}

/// Has the database forget a digest whenever a row behind it changes. Digests that nobody watched over
/// are forgotten.
fn watch(db: &Connection, tables: &[Table]) -> rusqlite::Result<()> {
    let mut written: HashMap<String, String> = HashMap::new();
    {
        let query = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' OR name = ?1";
        let mut statement = db.prepare(query)?;
        let mut rows = statement.query([NEWEST_NOTES])?;
        while let Some(row) = rows.next()? {
            written.insert(row.get(0)?, row.get(1)?);
        }
    }
    if !written.contains_key(NEWEST_NOTES) {
        db.execute_batch(NOTES)?;
    }
    for table in tables {
        let triggers = triggers(table);
        if triggers.iter().all(|(name, sql)| written.get(name) == Some(sql)) {
            continue;
        }
        for (name, sql) in &triggers {
            db.execute_batch(&format!("DROP TRIGGER IF EXISTS {name}; {sql}"))?;
        }
        let Table { name, key, .. } = table;
        db.execute("DELETE FROM digest WHERE tbl = ?1", [name])?;
        db.execute_batch(&match table.rows {
            Rows::Keyed => format!("INSERT INTO digest VALUES ('{name}', 0, NULL)"),
            Rows::Numbered => format!(
                "INSERT INTO digest SELECT DISTINCT '{name}', {} >> {GROUP_BITS}, NULL FROM {name}",
                key[0]
            ),
        })?;
    }
    Ok(())
}

/// What has to happen when a row comes, changes or goes, each by its name. Never a `REPLACE`: how a
/// statement deals with conflicts is up to the one that fired the trigger.
fn triggers(table: &Table) -> [(String, String); 3] {
    let Table { name, key, .. } = table;
    let forget = |row: &str| {
        let group = match table.rows {
            Rows::Keyed => "0".to_owned(),
            Rows::Numbered => format!("{row}.{} >> {GROUP_BITS}", key[0]),
        };
        format!(
            "DELETE FROM digest WHERE tbl = '{name}' AND grp = {group}; \
             INSERT INTO digest VALUES ('{name}', {group}, NULL);"
        )
    };
    let both = format!("{} {}", forget("OLD"), forget("NEW"));
    [("INSERT", forget("NEW")), ("DELETE", forget("OLD")), ("UPDATE", both)].map(
        |(event, action)| {
            let trigger = format!("digest_{name}_{}", event.to_ascii_lowercase());
            let sql =
                format!("CREATE TRIGGER {trigger} AFTER {event} ON {name} BEGIN {action} END");
            (trigger, sql)
        },
    )
}

/// The digest of a table, by those of its groups that are remembered.
fn table_digest(db: &Connection, table: &Table) -> rusqlite::Result<Digest> {
    match table.rows {
        Rows::Keyed => keyed(db, table),
        Rows::Numbered => numbered(db, table),
    }
}

fn keyed(db: &Connection, table: &Table) -> rusqlite::Result<Digest> {
    let query = "SELECT digest FROM digest WHERE tbl = ?1 AND grp = 0";
    let known: Option<Option<[u8; 32]>> =
        db.query_row(query, [table.name], |row| row.get(0)).optional()?;
    if let Some(known) = known.flatten() {
        return Ok(Digest(known));
    }
    let digest = rows::digest(db, table)?;
    let write = "INSERT OR REPLACE INTO digest VALUES (?1, 0, ?2)";
    db.execute(write, params![table.name, digest.0])?;
    Ok(digest)
}

fn numbered(db: &Connection, table: &Table) -> rusqlite::Result<Digest> {
    let mut groups = Groups::default();
    let mut known = db.prepare("SELECT grp, digest FROM digest WHERE tbl = ?1 ORDER BY grp")?;
    let known: Vec<(i64, Option<[u8; 32]>)> = known
        .query_map([table.name], |row| Ok((row.get(0)?, row.get(1)?)))?
        .collect::<rusqlite::Result<_>>()?;
    let condition = format!("WHERE {} BETWEEN ?1 AND ?2", table.key[0]);
    let mut of_group = db.prepare(&rows::select(table, &condition))?;
    for (group, known) in known {
        if let Some(known) = known {
            groups.group(group, Digest(known));
            continue;
        }
        let first = group << GROUP_BITS;
        let mut rows = of_group.query([first, first | ((1 << GROUP_BITS) - 1)])?;
        let mut sequence = Sequence::default();
        while let Some(row) = rows.next()? {
            sequence.row(row, table.columns.len())?;
        }
        if let Some(digest) = sequence.end() {
            groups.group(group, digest);
            let write = "UPDATE digest SET digest = ?3 WHERE tbl = ?1 AND grp = ?2";
            db.prepare_cached(write)?.execute(params![table.name, group, digest.0])?;
        } else {
            let gone = "DELETE FROM digest WHERE tbl = ?1 AND grp = ?2";
            db.execute(gone, params![table.name, group])?;
        }
    }
    Ok(groups.end())
}
