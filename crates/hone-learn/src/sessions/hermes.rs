//! Sessions of Hermes: the tables `sessions` and `messages` of its `state.db`, opened for reading only.
//!
//! Columns come and go between its versions. Only what a session cannot do without must be there; the
//! rest is asked for when it is.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, Row};
use serde_json::{Value, json};

use super::building::{Building, Session, from_seconds};
use super::{Format, Found, MAX_SESSIONS, chat};
use crate::experience::Agent;

/// Messages of one session that are read.
const MAX_MESSAGES: usize = 50_000;

/// Characters of one cell that are read.
const MAX_CELL_CHARS: usize = 256 * 1024;

/// How long to wait for Hermes to finish a write.
const BUSY: Duration = Duration::from_secs(2);

/// Opens a database so that nothing is made beside it: one without a log is taken as it is. A log is read
/// the usual way, for which SQLite may need its file of locks.
fn open(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let db = match path.to_str().filter(|_| !has_log) {
        Some(path) => {
            let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
            let address = format!("file:{path}?immutable=1");
            Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?
        }
        None => Connection::open_with_flags(path, flags)?,
    };
    db.busy_timeout(BUSY)?;
    Ok(db)
}

/// The columns that a table has.
fn columns(db: &Connection, table: &str) -> rusqlite::Result<HashSet<String>> {
    let mut statement = db.prepare(&format!("SELECT name FROM pragma_table_info('{table}')"))?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// A column, or NULL where there is none of that name.
fn or_null(known: &HashSet<String>, column: &str) -> String {
    if known.contains(column) { column.to_owned() } else { "NULL".to_owned() }
}

/// The sessions of a database, newest first, up to a bound.
pub(super) fn locate(path: &Path) -> rusqlite::Result<Vec<Found>> {
    let db = open(path)?;
    let known = columns(&db, "sessions")?;
    let (started, latest) = (or_null(&known, "started_at"), or_null(&known, "last_activity_at"));
    let said = if columns(&db, "messages")?.contains("timestamp") {
        "(SELECT max(timestamp) FROM messages WHERE session_id = sessions.id \
         AND typeof(timestamp) IN ('integer', 'real'))"
    } else {
        "NULL"
    };
    let mut statement = db.prepare(&format!(
        "SELECT id, coalesce({latest}, {said}, {started}, 0) FROM sessions \
         ORDER BY 2 DESC LIMIT {MAX_SESSIONS}"
    ))?;
    let rows = statement.query_map([], |row| {
        Ok(Found {
            agent: Agent::Hermes,
            format: Format::Hermes,
            id: text(row, 0),
            path: path.to_owned(),
            modified: from_seconds(row.get(1).unwrap_or(0.0)),
            bytes: 0,
        })
    })?;
    rows.filter(|row| row.as_ref().map_or(true, |found| !found.id.is_empty())).collect()
}

/// Reads one session.
pub(super) fn read(found: &Found) -> rusqlite::Result<Session> {
    let db = open(&found.path)?;
    let mut into = Building::new(Agent::Hermes, &found.id);
    into.experience.source.path = Some(found.path.clone());
    about(&db, &found.id, &mut into)?;
    let known = columns(&db, "messages")?;
    let cell = |name: &str| {
        let column = or_null(&known, name);
        format!(
            "CASE typeof({column}) WHEN 'text' THEN substr({column}, 1, {MAX_CELL_CHARS}) ELSE {column} END"
        )
    };
    let only = if known.contains("active") { "AND coalesce(active, 1) <> 0" } else { "" };
    let mut statement = db.prepare(&format!(
        "SELECT role, {}, {}, {}, {} FROM messages WHERE session_id = ?1 {only} ORDER BY id LIMIT {}",
        cell("content"),
        cell("tool_calls"),
        cell("tool_call_id"),
        or_null(&known, "timestamp"),
        MAX_MESSAGES + 1,
    ))?;
    let mut rows = statement.query([&found.id])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        count += 1;
        if count > MAX_MESSAGES {
            into.skip();
            break;
        }
        chat::take(&mut into, &message(row));
    }
    Ok(into.finish())
}

/// What the table of sessions knows.
fn about(db: &Connection, id: &str, into: &mut Building) -> rusqlite::Result<()> {
    let known = columns(db, "sessions")?;
    let names = ["started_at", "cwd", "model", "input_tokens", "output_tokens"];
    let list = names.map(|name| or_null(&known, name)).join(", ");
    let mut statement = db.prepare(&format!("SELECT {list} FROM sessions WHERE id = ?1"))?;
    let mut rows = statement.query([id])?;
    let Some(row) = rows.next()? else { return Ok(()) };
    into.at(from_seconds(row.get(0).unwrap_or(0.0)));
    let filled = |place: usize| Some(text(row, place)).filter(|text| !text.is_empty());
    into.folder(filled(1).as_deref());
    into.model(filled(2).as_deref());
    let tokens = |place: usize| row.get::<_, i64>(place).ok().and_then(|n| u64::try_from(n).ok());
    into.experience.cost.tokens_in = tokens(3).unwrap_or(0);
    into.experience.cost.tokens_out = tokens(4).unwrap_or(0);
    Ok(())
}

fn message(row: &Row<'_>) -> Value {
    // A content of several parts is kept as the text of a list.
    let content = text(row, 1);
    let parts: Option<Value> =
        content.starts_with('[').then(|| serde_json::from_str(&content).ok()).flatten();
    let is_parts = |value: &Value| {
        value.as_array().is_some_and(|parts| parts.iter().all(|part| part["type"].is_string()))
    };
    let content = parts.filter(is_parts).unwrap_or_else(|| json!(content));
    let mut message = json!({
        "role": text(row, 0),
        "content": content,
        "tool_call_id": text(row, 3),
        "timestamp": row.get::<_, f64>(4).unwrap_or(0.0),
    });
    let calls = text(row, 2);
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    message
}

/// A cell as text, whatever it is.
fn text(row: &Row<'_>, place: usize) -> String {
    match row.get_ref(place) {
        Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
            String::from_utf8_lossy(&bytes[..bytes.len().min(4 * MAX_CELL_CHARS)]).into_owned()
        }
        Ok(ValueRef::Integer(number)) => number.to_string(),
        _ => String::new(),
    }
}
