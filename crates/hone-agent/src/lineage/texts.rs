//! What an agent's files and facts said when they were signed last, so that a change which no task made can
//! be shown.
//!
//! The texts lie in the database of the brain, beside its state and no part of it, and are packed with it.
//! They are for people: nothing is decided by them, and where one is missing a change is named only.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::digest::Digest;
use super::rows;
use super::state::{Layout, Rows, Table, connect};

/// Bytes of a file that are kept; of a larger one nothing is.
pub const MAX_KEPT_BYTES: u64 = 64 * 1024;
/// Rows of a table that are kept; of a larger one nothing is.
pub const MAX_KEPT_ROWS: usize = 2_000;
/// Changes that are kept, the newest ones.
pub const MAX_KEPT_CHANGES: usize = 1_000;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS signed_text(
  member TEXT PRIMARY KEY, text BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS signed_row(
  member TEXT NOT NULL, row TEXT NOT NULL, PRIMARY KEY(member, row)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS signed_change(
  receipt INTEGER NOT NULL, member TEXT NOT NULL, before BLOB, after BLOB,
  PRIMARY KEY(receipt, member)
) STRICT, WITHOUT ROWID;
";

/// A file, or a table, that a receipt found changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its path in the brain; that of the database and a name for a table.
    pub member: String,
    /// What it said, of a table the rows that are gone; none when it is new.
    pub before: Option<Vec<u8>>,
    /// What it says, of a table the rows that are new; none when it is gone.
    pub after: Option<Vec<u8>>,
}

/// Members with their digests.
type Members = BTreeMap<String, Digest>;

/// Keeps what files say now that a receipt was written, and with `shown` what they said before.
pub(super) fn follow(
    folder: &Path,
    layout: &Layout,
    before: &Members,
    after: &Members,
    shown: Option<u64>,
) -> io::Result<()> {
    let path = folder.join(layout.database);
    if !path.is_file() {
        return Ok(());
    }
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    let mut db = connect(&path).map_err(io::Error::other)?;
    write(&mut db, &dir, layout, (before, after), shown).map_err(io::Error::other)
}

fn write(
    db: &mut Connection,
    dir: &Dir,
    layout: &Layout,
    (before, after): (&Members, &Members),
    shown: Option<u64>,
) -> rusqlite::Result<()> {
    // What is kept may be lost in a crash: it is for people.
    db.execute_batch("PRAGMA synchronous = NORMAL")?;
    let work = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    work.execute_batch(TABLES)?;
    for table in layout.tables.iter().filter(|table| table.rows == Rows::Keyed) {
        let member = format!("{}/{}", layout.database, table.name);
        let digests = (before.get(&member), after.get(&member));
        if let (was, Some(now)) = digests {
            follow_rows(&work, table, &member, (was, now), shown)?;
        }
    }
    let is_table = |member: &String| member.starts_with(&format!("{}/", layout.database));
    let mut changed = super::keeper::differing(before, after);
    changed.retain(|member| !is_table(member));
    // A brain that was signed before texts were kept begins with all of them.
    let is_first = !work
        .prepare("SELECT 1 FROM signed_text WHERE member NOT LIKE ?1 || '/%'")?
        .exists([layout.database])?;
    let all = after.keys().filter(|name| is_first && before.get(*name) == after.get(*name));
    for member in all.cloned().collect::<Vec<_>>() {
        let text = after.get(&member).and_then(|digest| text(dir, &member, digest));
        if let Some(text) = text {
            work.execute("INSERT INTO signed_text VALUES (?1, ?2)", params![member, text])?;
        }
    }
    for member in changed {
        let now = after.get(&member).map(|digest| text(dir, &member, digest));
        let was = before.get(&member).map(|digest| kept(&work, &member, digest)).transpose()?;
        // A text that should be there and is not leaves nothing to show.
        let is_known = !matches!(now, Some(None)) && !matches!(was, Some(None));
        if let Some(receipt) = shown.filter(|_| is_known) {
            let (was, now) = (was.flatten(), now.clone().flatten());
            show(&work, receipt, &member, was.as_deref(), now.as_deref())?;
        }
        sign(&work, &member, now.flatten().as_deref())?;
    }
    work.execute(
        "DELETE FROM signed_change WHERE (receipt, member) NOT IN
         (SELECT receipt, member FROM signed_change ORDER BY receipt DESC, member LIMIT ?1)",
        [i64::try_from(MAX_KEPT_CHANGES).unwrap_or(i64::MAX)],
    )?;
    work.commit()
}

/// Keeps the rows of a table as they are now, and with `shown` which ones are others than before. What is
/// kept in place of a text is the digest of the table whose rows are kept.
fn follow_rows(
    db: &Connection,
    table: &Table,
    member: &str,
    (was, now): (Option<&Digest>, &Digest),
    shown: Option<u64>,
) -> rusqlite::Result<()> {
    let query = "SELECT text FROM signed_text WHERE member = ?1";
    let kept: Option<Vec<u8>> = db.query_row(query, [member], |row| row.get(0)).optional()?;
    if kept.as_deref() == Some(&now.0[..]) {
        return Ok(());
    }
    let Some(rows) = rows::lines(db, table, MAX_KEPT_ROWS)? else {
        db.execute("DELETE FROM signed_row WHERE member = ?1", [member])?;
        return sign(db, member, None);
    };
    let query = "SELECT row FROM signed_row WHERE member = ?1";
    let old: BTreeSet<String> =
        db.prepare(query)?.query_map([member], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let is_known = was.is_some_and(|was| kept.as_deref() == Some(&was.0[..]));
    let text = |lines: Vec<&String>| {
        let text: String = lines.into_iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        (text.len() as u64 <= MAX_KEPT_BYTES).then(|| text.into_bytes())
    };
    let gone = text(old.difference(&rows).collect());
    let new = text(rows.difference(&old).collect());
    if let (Some(receipt), true, Some(gone), Some(new)) = (shown, is_known, gone, new) {
        show(db, receipt, member, Some(&gone), Some(&new))?;
    }
    for row in old.difference(&rows) {
        db.execute("DELETE FROM signed_row WHERE member = ?1 AND row = ?2", [member, row])?;
    }
    for row in rows.difference(&old) {
        db.execute("INSERT INTO signed_row VALUES (?1, ?2)", [member, row])?;
    }
    sign(db, member, Some(&now.0))
}

/// Keeps what a receipt found changed.
fn show(
    db: &Connection,
    receipt: u64,
    member: &str,
    was: Option<&[u8]>,
    now: Option<&[u8]>,
) -> rusqlite::Result<()> {
    let receipt = i64::try_from(receipt).unwrap_or(i64::MAX);
    let write = "INSERT OR REPLACE INTO signed_change VALUES (?1, ?2, ?3, ?4)";
    db.execute(write, params![receipt, member, was, now]).map(drop)
}

/// Keeps what a member says; nothing when there is nothing to keep.
fn sign(db: &Connection, member: &str, text: Option<&[u8]>) -> rusqlite::Result<()> {
    match text {
        Some(text) => {
            let write = "INSERT OR REPLACE INTO signed_text VALUES (?1, ?2)";
            db.execute(write, params![member, text]).map(drop)
        }
        None => db.execute("DELETE FROM signed_text WHERE member = ?1", [member]).map(drop),
    }
}

/// What was kept of a member, when it is what was signed.
fn kept(db: &Connection, member: &str, digest: &Digest) -> rusqlite::Result<Option<Vec<u8>>> {
    let query = "SELECT text FROM signed_text WHERE member = ?1";
    let text: Option<Vec<u8>> = db.query_row(query, [member], |row| row.get(0)).optional()?;
    Ok(text.filter(|text| Digest::of(text) == *digest))
}

/// What a file says; nothing when it is no file, too large, or another one by now.
fn text(dir: &Dir, member: &str, digest: &Digest) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = dir.open(member).ok()?;
    file.take(MAX_KEPT_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= MAX_KEPT_BYTES && Digest::of(&bytes) == *digest).then_some(bytes)
}

/// What is kept of the change that a receipt found.
pub fn changed(folder: &Path, layout: &Layout, receipt: u64) -> rusqlite::Result<Vec<Changed>> {
    let path = folder.join(layout.database);
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let db = connect(&path)?;
    let has_table = "SELECT 1 FROM sqlite_schema WHERE name = 'signed_change'";
    if !db.prepare(has_table)?.exists([])? {
        return Ok(Vec::new());
    }
    let query =
        "SELECT member, before, after FROM signed_change WHERE receipt = ?1 ORDER BY member";
    let mut statement = db.prepare(query)?;
    let rows = statement.query_map([i64::try_from(receipt).unwrap_or(i64::MAX)], |row| {
        Ok(Changed { member: row.get(0)?, before: row.get(1)?, after: row.get(2)? })
    })?;
    rows.collect()
}
