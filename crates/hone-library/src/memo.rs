//! Small facts that outlive a process and nothing else: what the last reload saw, what a session has
//! loaded. Best effort like usage: a memo that is lost costs a repetition, never a skill.

use rusqlite::OptionalExtension;

use crate::error::Error;
use crate::state::State;

/// What was last kept under `key` of a topic.
pub fn recall(state: &State, topic: &str, key: &str) -> Result<Option<String>, Error> {
    state.with(|db| {
        let mut statement =
            db.prepare_cached("SELECT value FROM memo WHERE topic = ?1 AND key = ?2")?;
        Ok(statement.query_row([topic, key], |row| row.get(0)).optional()?)
    })
}

/// Keeps `value` under `key` of a topic, and of that topic only the `most` newest; false when it
/// could not be written.
pub fn remember(state: &State, topic: &str, key: &str, value: &str, most: usize, now: i64) -> bool {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    state.write_best_effort(|db| {
        db.prepare_cached(
            "INSERT OR REPLACE INTO memo(topic, key, value, at) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((topic, key, value, now))?;
        db.prepare_cached(
            "DELETE FROM memo WHERE topic = ?1 AND key IN (SELECT key FROM memo WHERE topic = ?1 \
             ORDER BY at DESC, key LIMIT -1 OFFSET ?2)",
        )?
        .execute((topic, most))?;
        Ok(())
    })
}
