//! What an agent's files and facts said when they were signed last, so that a change can be shown which no
//! task made, or whose task was done on another machine.
//!
//! The texts lie in the database of the brain, beside its state and no part of it, and are packed with it.
//! They are for people: nothing is decided by them, and where one is missing a change is named only.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::digest::Digest;
use super::rows;
use super::state::{Layout, Rows, Table, connect};

/// Bytes of a file that are kept, of a larger one nothing is; and bytes of the rows that are shown of a
/// change, with a mark that says how many more there are.
pub const MAX_KEPT_BYTES: u64 = 64 * 1024;
/// Rows that are compared at a time.
pub const STRETCH: usize = 1_000;
/// Changes that are kept, the newest ones.
pub const MAX_KEPT_CHANGES: usize = 1_000;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS signed_text(
  member TEXT PRIMARY KEY, text BLOB NOT NULL
) STRICT, WITHOUT ROWID;
DROP TABLE IF EXISTS signed_row;
CREATE TABLE IF NOT EXISTS signed_line(
  member TEXT NOT NULL, key BLOB NOT NULL, row TEXT NOT NULL, PRIMARY KEY(member, key)
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

/// The receipt whose change is kept to be shown, with what was there before; none where it is not.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Shown {
    /// For files.
    pub(super) files: Option<u64>,
    /// For the rows of tables.
    pub(super) rows: Option<u64>,
}

/// Keeps what files say now that a receipt was written, and with `shown` what they said before.
pub(super) fn follow(
    folder: &Path,
    layout: &Layout,
    before: &Members,
    after: &Members,
    shown: Shown,
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
    shown: Shown,
) -> rusqlite::Result<()> {
    // What is kept may be lost in a crash: it is for people.
    db.execute_batch("PRAGMA synchronous = NORMAL")?;
    let work = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    work.execute_batch(TABLES)?;
    for table in layout.tables.iter().filter(|table| table.rows == Rows::Keyed) {
        let member = format!("{}/{}", layout.database, table.name);
        let digests = (before.get(&member), after.get(&member));
        if let (was, Some(now)) = digests {
            follow_rows(&work, table, &member, (was, now), shown.rows)?;
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
        if let Some(receipt) = shown.files.filter(|_| is_known) {
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

/// Keeps the rows of a table as they are now, and with `shown` which ones are others than before. Both
/// sides are in the order of the key, and are gone through side by side, a stretch at a time. What is kept
/// in place of a text names the table whose rows are kept.
fn follow_rows(
    db: &Connection,
    table: &Table,
    member: &str,
    (was, now): (Option<&Digest>, &Digest),
    shown: Option<u64>,
) -> rusqlite::Result<()> {
    let mark = |digest: &Digest| [&b"rows "[..], &digest.0].concat();
    let query = "SELECT text FROM signed_text WHERE member = ?1";
    let kept: Option<Vec<u8>> = db.query_row(query, [member], |row| row.get(0)).optional()?;
    if kept.as_ref() == Some(&mark(now)) {
        return Ok(());
    }
    let is_known = was.is_some_and(|was| kept.as_ref() == Some(&mark(was)));
    if !is_known {
        db.execute("DELETE FROM signed_line WHERE member = ?1", [member])?;
    }
    let (mut gone, mut new) = (Excerpt::default(), Excerpt::default());
    let (mut behind, mut seen): (Option<Vec<Value>>, Vec<u8>) = (None, Vec::new());
    loop {
        let mut after = rows::lines(db, table, behind.as_deref(), STRETCH)?;
        let mut before = kept_lines(db, member, &seen)?;
        // A side that has more must not be compared beyond what is here of it.
        let ends = [
            after.last().filter(|_| after.len() == STRETCH).map(|line| line.order.clone()),
            before.last().filter(|_| before.len() == STRETCH).map(|line| line.0.clone()),
        ];
        let end = ends.into_iter().flatten().min();
        if let Some(end) = &end {
            after.retain(|line| line.order <= *end);
            before.retain(|line| line.0 <= *end);
        }
        behind = after.last().map(|line| line.key.clone()).or(behind);
        let mut before = before.into_iter().peekable();
        for line in after {
            while let Some((order, old)) = before.next_if(|old| old.0 < line.order) {
                forget(db, member, &order)?;
                gone.add(&old);
            }
            let old = before.next_if(|old| old.0 == line.order).map(|(_, old)| old);
            if old.as_ref() == Some(&line.text) {
                continue;
            }
            let write = "INSERT OR REPLACE INTO signed_line VALUES (?1, ?2, ?3)";
            db.prepare_cached(write)?.execute(params![member, line.order, line.text])?;
            if let Some(old) = old {
                gone.add(&old);
            }
            new.add(&line.text);
        }
        for (order, old) in before {
            forget(db, member, &order)?;
            gone.add(&old);
        }
        match end {
            Some(end) => seen = end,
            None => break,
        }
    }
    if let (Some(receipt), true) = (shown, is_known) {
        show(db, receipt, member, Some(&gone.end()), Some(&new.end()))?;
    }
    sign(db, member, Some(&mark(now)))
}

/// The next kept rows of a table behind a key, with their keys.
fn kept_lines(
    db: &Connection,
    member: &str,
    behind: &[u8],
) -> rusqlite::Result<Vec<(Vec<u8>, String)>> {
    let query = format!(
        "SELECT key, row FROM signed_line WHERE member = ?1 AND key > ?2 ORDER BY key LIMIT {STRETCH}"
    );
    let mut statement = db.prepare_cached(&query)?;
    let rows =
        statement.query_map(params![member, behind], |row| Ok((row.get(0)?, row.get(1)?)))?;
    rows.collect()
}

/// A row that is no more is kept no more.
fn forget(db: &Connection, member: &str, key: &[u8]) -> rusqlite::Result<()> {
    let write = "DELETE FROM signed_line WHERE member = ?1 AND key = ?2";
    db.prepare_cached(write)?.execute(params![member, key]).map(drop)
}

/// Lines, as far as there is room for them.
#[derive(Default)]
struct Excerpt {
    text: String,
    more: usize,
}

impl Excerpt {
    fn add(&mut self, line: &str) {
        if self.more == 0 && ((self.text.len() + line.len()) as u64) < MAX_KEPT_BYTES {
            self.text.push_str(line);
            self.text.push('\n');
        } else {
            self.more += 1;
        }
    }

    /// The lines, and how many there was no room for.
    fn end(self) -> Vec<u8> {
        let Self { mut text, more } = self;
        if more > 0 {
            let _ = writeln!(text, "… and {more} more");
        }
        text.into_bytes()
    }
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
