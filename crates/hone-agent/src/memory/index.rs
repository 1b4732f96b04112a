//! The indexes of words by which rows are found: what is put there, and made again where it is missing.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::Finder;
use super::recall;
use super::schema::{self, SEARCHED};
use super::subscriber::Subscriber;
use super::words::words;

/// What the database says of an index of words that is whole; a number more when its form changes, so
/// that one of an older form is made again.
const INDEXED: &str = "whole-3";

/// Makes the index of words, or makes it again where somebody wrote without it; says how rows are found then.
pub(super) fn whole(db: &mut Connection) -> rusqlite::Result<Finder> {
    const STATE: &str = "SELECT value FROM meta WHERE key = 'words'";
    let state: Option<String> = db.query_row(STATE, [], |row| row.get(0)).optional()?;
    if state.as_deref() == Some(INDEXED) {
        return Ok(Finder::Index);
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if !schema::make_words(&transaction)? {
        return Ok(Finder::Scan);
    }
    for (table, index) in SEARCHED {
        transaction.execute(&format!("INSERT INTO {index}({index}) VALUES ('delete-all')"), [])?;
        let rows = match table {
            "fact" => "SELECT id, shared, audience, key || ' ' || value FROM fact ORDER BY id DESC",
            "task" => "SELECT id, 0, subscriber, input || ' ' || answer FROM task ORDER BY id DESC",
            _ => "SELECT id, 0, subscriber, content FROM message ORDER BY id DESC",
        };
        let mut rows = transaction.prepare(rows)?;
        let mut rows = rows.query([])?;
        while let Some(row) = rows.next()? {
            let shared: bool = row.get(1)?;
            let audience = Subscriber::from_text(row.get(2)?);
            let mark = mark(shared, &audience);
            put(&transaction, index, row.get(0)?, &mark, row.get_ref(3)?.as_str()?)?;
        }
    }
    transaction.execute("INSERT OR REPLACE INTO meta VALUES ('words', ?1)", [INDEXED])?;
    transaction.commit()?;
    Ok(Finder::Index)
}

/// What says of the words of a row who may see it.
pub(super) fn mark(shared: bool, audience: &Subscriber) -> String {
    if shared { recall::SHARED.to_owned() } else { audience.mark() }
}

/// Puts a row into the index of words. It has the number of its row there, negative: SQLite goes through an
/// index forwards at no cost, and backwards only by reading the end of all its parts, so the newest have to
/// come first. Of rows that come together the newest is put there first, for the same reason.
pub(super) fn put(
    db: &Connection,
    index: &str,
    id: i64,
    mark: &str,
    text: &str,
) -> rusqlite::Result<()> {
    let words = words(text);
    let marked: Vec<String> = words.iter().map(|(_, word)| recall::marked(mark, word)).collect();
    let line = marked.join(" ");
    let sql = format!("INSERT INTO {index}(rowid, text) VALUES (?1, ?2)");
    db.prepare_cached(&sql)?.execute(params![-id, line])?;
    Ok(())
}
