//! What an agent's files said when they were signed last, so that a change which no task made can be shown.
//!
//! The texts lie in the database of the brain, beside its state and no part of it, and are packed with it.
//! They are for people: nothing is decided by them, and where one is missing a change is named only.

use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::digest::Digest;
use super::state::{Layout, connect};

/// Bytes of a file that are kept; of a larger one nothing is.
pub const MAX_KEPT_BYTES: u64 = 64 * 1024;
/// Changes that are kept, the newest ones.
pub const MAX_KEPT_CHANGES: usize = 1_000;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS signed_text(
  member TEXT PRIMARY KEY, text BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS signed_change(
  receipt INTEGER NOT NULL, member TEXT NOT NULL, before BLOB, after BLOB,
  PRIMARY KEY(receipt, member)
) STRICT, WITHOUT ROWID;
";

/// A file that a receipt found changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Its path in the brain.
    pub member: String,
    /// What it said; none when it is new.
    pub before: Option<Vec<u8>>,
    /// What it says; none when it is gone.
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
    write(&mut db, &dir, before, after, shown).map_err(io::Error::other)
}

fn write(
    db: &mut Connection,
    dir: &Dir,
    before: &Members,
    after: &Members,
    shown: Option<u64>,
) -> rusqlite::Result<()> {
    // What is kept may be lost in a crash: it is for people.
    db.execute_batch("PRAGMA synchronous = NORMAL")?;
    let work = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    work.execute_batch(TABLES)?;
    let changed = super::keeper::differing(before, after);
    // A brain that was signed before texts were kept begins with all of them.
    let is_first = !work.prepare("SELECT 1 FROM signed_text")?.exists([])?;
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
            let receipt = i64::try_from(receipt).unwrap_or(i64::MAX);
            let row = params![receipt, member, was.flatten(), now.clone().flatten()];
            work.execute("INSERT OR REPLACE INTO signed_change VALUES (?1, ?2, ?3, ?4)", row)?;
        }
        match now.flatten() {
            Some(text) => {
                let row = params![member, text];
                work.execute("INSERT OR REPLACE INTO signed_text VALUES (?1, ?2)", row)?
            }
            None => work.execute("DELETE FROM signed_text WHERE member = ?1", [member])?,
        };
    }
    work.execute(
        "DELETE FROM signed_change WHERE (receipt, member) NOT IN
         (SELECT receipt, member FROM signed_change ORDER BY receipt DESC, member LIMIT ?1)",
        [i64::try_from(MAX_KEPT_CHANGES).unwrap_or(i64::MAX)],
    )?;
    work.commit()
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
