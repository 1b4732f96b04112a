//! Values that other rooms computed from skills and would rather not compute again, in `state.db`.
//!
//! A space belongs to one reader and holds numbered values. Everything here may be lost at any time and
//! is then computed anew: writing is best effort, reading answers with nothing, and of many spaces the
//! ones written first are forgotten. The table makes itself, so that a state without it is sound.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::path::Path;

use rusqlite::{Connection, OptionalExtension};

use crate::error::Error;
use crate::index::{Seen, Stamp, file_clock};
use crate::state::State;

/// Spaces that are kept.
pub const MAX_SPACES: u32 = 16;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS derived_space(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS derived(id INTEGER PRIMARY KEY, value BLOB NOT NULL);
";

/// The numbered values of one reader.
#[derive(Debug, Clone)]
pub struct Derived<'s> {
    state: &'s State,
    /// The upper half of the row ids; `None` when nothing was ever written.
    space: Option<i64>,
    name: String,
}

impl<'s> Derived<'s> {
    /// The space of that name.
    pub fn open(state: &'s State, name: &str) -> Self {
        let space = state.with(|db| space_of(db, name)).ok().flatten();
        Self { state, space, name: name.to_owned() }
    }

    /// The value with this number; `None` when there is none.
    pub fn get(&self, number: u32) -> Option<Vec<u8>> {
        let space = self.space?;
        self.state.with(|db| value_of(db, space, number)).ok().flatten()
    }

    /// The values as they are now, whatever others write from here on; `None` when nothing was ever
    /// written, or when they cannot be read that way.
    pub fn snapshot(&self) -> Option<Snapshot<'s>> {
        let space = self.space?;
        let values = match self.state.snapshot().ok()? {
            Some(db) => {
                // Between the look at the space and the snapshot it may have been made anew.
                let space = space_of(&db, &self.name).ok().flatten()?;
                Values::Held { state: self.state, db, space }
            }
            None => Values::Read(self.state.with(|db| values_of(db, space)).ok()?),
        };
        Some(Snapshot(values))
    }

    /// Writes values over those of the same numbers; false when they could not be written.
    pub fn put(&mut self, values: &[(u32, &[u8])]) -> bool {
        self.write(values, false)
    }

    /// Writes these values and forgets all others of the space; false when they could not be written.
    pub fn replace(&mut self, values: &[(u32, &[u8])]) -> bool {
        self.write(values, true)
    }

    fn write(&mut self, values: &[(u32, &[u8])], forget: bool) -> bool {
        let mut written = None;
        let done = self.state.write_best_effort(|db| {
            db.execute_batch(TABLES)?;
            let space = match space_of(db, &self.name)? {
                Some(space) => space,
                None => make_space(db, &self.name)?,
            };
            if forget {
                forget_values(db, space)?;
            }
            let mut insert =
                db.prepare_cached("INSERT OR REPLACE INTO derived(id, value) VALUES (?1, ?2)")?;
            for (number, value) in values {
                insert.execute((row(space, *number), value))?;
            }
            written = Some(space);
            Ok(())
        });
        if done {
            self.space = written;
        }
        done
    }
}

/// The values of one reader at one moment. As long as it lives, what others write is kept apart from the
/// file, so it is for an answer or a few, not for the life of a server.
#[derive(Debug)]
pub struct Snapshot<'s>(Values<'s>);

#[derive(Debug)]
enum Values<'s> {
    /// Each is read when it is asked for.
    Held { state: &'s State, db: Connection, space: i64 },
    /// All were read at once.
    Read(HashMap<u32, Vec<u8>>),
}

impl Snapshot<'_> {
    /// The value with this number; `None` when there was none.
    pub fn get(&self, number: u32) -> Option<Vec<u8>> {
        match &self.0 {
            Values::Held { state, db, space } => {
                value_of(db, *space, number).unwrap_or_else(|_| {
                    // What is damaged is mended where everybody reads.
                    let _ = state.with(|db| value_of(db, *space, number));
                    None
                })
            }
            Values::Read(values) => values.get(&number).cloned(),
        }
    }
}

/// All values of a space, by one statement, which no writer comes between.
fn values_of(db: &Connection, space: i64) -> Result<HashMap<u32, Vec<u8>>, Error> {
    let mut statement =
        db.prepare_cached("SELECT id & ?3, value FROM derived WHERE id BETWEEN ?1 AND ?2")?;
    let range = (row(space, 0), row(space, u32::MAX), u32::MAX);
    let rows = statement.query_map(range, |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn value_of(db: &Connection, space: i64, number: u32) -> Result<Option<Vec<u8>>, Error> {
    let mut statement = db.prepare_cached("SELECT value FROM derived WHERE id = ?1")?;
    Ok(statement.query_row([row(space, number)], |row| row.get(0)).optional()?)
}

fn row(space: i64, number: u32) -> i64 {
    space << 32 | i64::from(number)
}

fn space_of(db: &Connection, name: &str) -> Result<Option<i64>, Error> {
    let is_there = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'derived_space'";
    if !db.prepare_cached(is_there)?.exists([])? {
        return Ok(None);
    }
    let mut statement = db.prepare_cached("SELECT id FROM derived_space WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

fn make_space(db: &Connection, name: &str) -> Result<i64, Error> {
    db.execute("INSERT INTO derived_space(name) VALUES (?1)", [name])?;
    let space = db.last_insert_rowid();
    let old = "SELECT id FROM derived_space ORDER BY id DESC LIMIT -1 OFFSET ?1";
    let mut statement = db.prepare(old)?;
    let old: Vec<i64> =
        statement.query_map([MAX_SPACES], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for space in old {
        forget_values(db, space)?;
        db.execute("DELETE FROM derived_space WHERE id = ?1", [space])?;
    }
    Ok(space)
}

fn forget_values(db: &Connection, space: i64) -> Result<(), Error> {
    let range = (row(space, 0), row(space, u32::MAX));
    db.execute("DELETE FROM derived WHERE id BETWEEN ?1 AND ?2", range)?;
    Ok(())
}

/// What `stat` says about a file, as a number to compare; `None` for a file that is not there, or that
/// changed so lately that a further change could go unseen.
pub fn mark(path: &Path) -> Option<NonZeroU64> {
    let now = file_clock();
    let metadata = std::fs::metadata(path).ok()?;
    Seen::new(Stamp::of(&metadata), now).mark()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_until_they_are_replaced() {
        let home = tempfile::tempdir().unwrap();
        let state = State::open(home.path());
        let mut space = Derived::open(&state, "a");
        assert_eq!(space.get(1), None);
        assert!(space.put(&[(1, b"one"), (2, b"two")]));
        assert!(space.put(&[(2, b"zwei")]));
        let again = Derived::open(&state, "a");
        assert_eq!((again.get(1), again.get(2)), (Some(b"one".to_vec()), Some(b"zwei".to_vec())));
        assert!(space.replace(&[(3, b"three")]));
        assert_eq!((space.get(1), space.get(3)), (None, Some(b"three".to_vec())));
        assert_eq!(Derived::open(&state, "b").get(3), None);
    }

    #[test]
    fn a_snapshot_keeps_its_values_while_others_replace_them() {
        let home = tempfile::tempdir().unwrap();
        let (state, other) = (State::open(home.path()), State::open(home.path()));
        let mut space = Derived::open(&state, "a");
        assert!(space.snapshot().is_none());
        assert!(space.put(&[(1, b"one"), (2, b"two")]));
        let before = space.snapshot().unwrap();
        assert_eq!(before.get(1), Some(b"one".to_vec()));
        assert!(Derived::open(&other, "a").replace(&[(2, b"zwei"), (3, b"drei")]));
        let all = |snapshot: &Snapshot<'_>| [1, 2, 3].map(|number| snapshot.get(number));
        assert_eq!(all(&before), [Some(b"one".to_vec()), Some(b"two".to_vec()), None]);
        // Who holds a snapshot may write.
        assert!(space.put(&[(4, b"vier")]));
        assert_eq!(before.get(4), None);
        let after = space.snapshot().unwrap();
        assert_eq!(all(&after), [None, Some(b"zwei".to_vec()), Some(b"drei".to_vec())]);
        assert_eq!(after.get(4), Some(b"vier".to_vec()));
    }

    #[test]
    fn where_a_reader_would_keep_writers_waiting_a_snapshot_is_read_at_once() {
        let home = tempfile::tempdir().unwrap();
        let state = State::open(home.path());
        let mut space = Derived::open(&state, "a");
        assert!(space.put(&[(1, b"one"), (u32::MAX, b"last")]));
        assert!(Derived::open(&state, "b").put(&[(1, b"other")]));
        state.with(|db| Ok(db.pragma_update(None, "journal_mode", "DELETE")?)).unwrap();
        let before = space.snapshot().unwrap();
        assert!(matches!(before.0, Values::Read(_)));
        assert!(space.replace(&[(1, b"eins")]));
        let all = |snapshot: &Snapshot<'_>| [1, u32::MAX].map(|number| snapshot.get(number));
        assert_eq!(all(&before), [Some(b"one".to_vec()), Some(b"last".to_vec())]);
        assert_eq!(all(&space.snapshot().unwrap()), [Some(b"eins".to_vec()), None]);
    }

    #[test]
    fn the_space_written_first_is_forgotten_first() {
        let home = tempfile::tempdir().unwrap();
        let state = State::open(home.path());
        let kept = |number: u32| Derived::open(&state, &number.to_string()).get(0).is_some();
        for number in 0..MAX_SPACES {
            assert!(Derived::open(&state, &number.to_string()).put(&[(0, b"x")]));
        }
        assert!(kept(0));
        assert!(Derived::open(&state, "one more").put(&[(0, b"x")]));
        assert_eq!((kept(0), kept(1)), (false, true));
        assert!(state.integrity().unwrap().is_empty());
    }

    #[test]
    fn a_mark_tells_a_change_and_a_young_file_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one").unwrap();
        assert_eq!(mark(&folder.path().join("b")), None);
        // Wait for the clock that files are stamped with, which moves by itself.
        let settled = || loop {
            if let Some(mark) = mark(&file) {
                break mark;
            }
            std::thread::yield_now();
        };
        let first = settled();
        assert_eq!(mark(&file), Some(first));
        std::fs::write(&file, "more").unwrap();
        assert_ne!(settled(), first);
    }
}
