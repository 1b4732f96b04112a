//! The tables of `memory.db`.
//!
//! Facts are knowledge; tasks, messages and what was quarantined are activity. `pending` is what still
//! has to be written into a file of layer 1, and empty between tasks.

use rusqlite::Connection;

/// Format of the database; a larger number than this is a newer hone's.
pub(super) const FORMAT: i64 = 1;

const TABLES: &str = "
CREATE TABLE task(
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL UNIQUE,
  subscriber TEXT NOT NULL,
  started INTEGER NOT NULL,
  ended INTEGER NOT NULL,
  ending TEXT NOT NULL,
  input TEXT NOT NULL,
  answer TEXT NOT NULL,
  model TEXT NOT NULL,
  turns INTEGER NOT NULL,
  calls INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL
) STRICT;
CREATE TABLE message(
  id INTEGER PRIMARY KEY,
  task TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  at INTEGER NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL
) STRICT;
CREATE TABLE fact(
  id INTEGER PRIMARY KEY,
  shared INTEGER NOT NULL,
  audience TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL,
  task TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  UNIQUE(shared, audience, key)
) STRICT;
CREATE TABLE quarantine(
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  task TEXT NOT NULL,
  subscriber TEXT NOT NULL,
  shared INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  rule TEXT NOT NULL,
  reason TEXT NOT NULL
) STRICT;
CREATE TABLE pending(
  id INTEGER PRIMARY KEY,
  shared INTEGER NOT NULL,
  audience TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
";

/// The tables that are searched, each with the index of its words.
pub(super) const SEARCHED: [(&str, &str); 3] =
    [("message", "message_words"), ("fact", "fact_words"), ("task", "task_words")];

pub(super) fn format_of(db: &Connection) -> rusqlite::Result<i64> {
    db.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Makes the tables, unless somebody was faster.
pub(super) fn make(db: &mut Connection) -> rusqlite::Result<()> {
    db.pragma_update(None, "journal_mode", "WAL")?;
    let transaction = db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    if format_of(&transaction)? < FORMAT {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
    }
    transaction.commit()
}

/// Makes the indexes of words; false when this SQLite has none.
///
/// Words are cut and folded before they get there, so the tokenizer has nothing to decide; only which
/// row has which word is kept.
pub(super) fn make_words(db: &Connection) -> rusqlite::Result<bool> {
    for (_, words) in SEARCHED {
        let made = db.execute_batch(&format!(
            "CREATE VIRTUAL TABLE IF NOT EXISTS {words} USING fts5(\
             text, content='', contentless_delete=1, detail=none, tokenize='ascii')"
        ));
        match made {
            Err(error) if error.to_string().contains("no such module") => return Ok(false),
            made => made?,
        }
    }
    Ok(true)
}
