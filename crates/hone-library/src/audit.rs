//! The audit log: what was installed, blocked, approved, shared and taken away, by whom. Each row is
//! chained to the one before by a SHA-256, so a row that was changed, moved or taken out later shows.
//!
//! The chain proves order and content, not completeness: whoever may write `state.db` may write a whole
//! new chain. Noting the head ([`Chain::head`]) somewhere else closes that.

use rusqlite::{Connection, OptionalExtension, Row};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::error::Error;
use crate::state::State;

/// What the first row is chained to.
pub const START: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Names the way in which the fields of a row become its hash.
const FORM: &str = "hone-audit-1";

const COLUMNS: &str =
    "seq, at, actor, action, skill, place, source, content, verdict, detail, previous, hash";

/// What happened, before it is a row. Texts that do not apply are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub actor: String,
    /// What, in a word.
    pub action: String,
    /// The skill's name.
    pub skill: String,
    /// Where the skill is, or would have been.
    pub place: String,
    /// Where it came from.
    pub source: String,
    /// The hash of its content.
    pub content: String,
    /// What the scan said.
    pub verdict: String,
    /// What else there is to know, in words.
    pub detail: String,
}

/// A row of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// Its number, from 1, without gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Who.
    pub actor: String,
    /// What, in a word.
    pub action: String,
    /// The skill's name.
    pub skill: String,
    /// Where the skill is, or would have been.
    pub place: String,
    /// Where it came from.
    pub source: String,
    /// The hash of its content.
    pub content: String,
    /// What the scan said.
    pub verdict: String,
    /// What else there is to know, in words.
    pub detail: String,
    /// The hash of the row before; [`START`] for the first.
    pub previous: String,
    /// The hash of this row.
    pub hash: String,
}

/// What a look at the whole chain says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chain {
    /// Rows that follow from each other, from the first on.
    pub sound: u64,
    /// The hash of the last of them; [`START`] when there is none.
    pub head: String,
    /// Where and how the chain breaks; `None` when it is whole.
    pub broken: Option<Break>,
}

/// Where a chain breaks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Break {
    /// The number of the first row that does not follow.
    pub seq: u64,
    /// What is wrong with it, in words.
    pub why: String,
}

impl Entry {
    /// The hash that these fields have: SHA-256 over the name of the form and every field but the hash
    /// itself, each as its length in bytes, a colon, its UTF-8 and a line feed.
    pub fn computed(&self) -> String {
        let (seq, at) = (self.seq.to_string(), self.at.to_string());
        let fields = [
            FORM,
            &seq,
            &at,
            &self.actor,
            &self.action,
            &self.skill,
            &self.place,
            &self.source,
            &self.content,
            &self.verdict,
            &self.detail,
            &self.previous,
        ];
        let mut hash = Sha256::new();
        for field in fields {
            hash.update(format!("{}:", field.len()));
            hash.update(field);
            hash.update(b"\n");
        }
        crate::objects::hex(&hash.finalize())
    }
}

/// Adds rows, inside a transaction of the caller's.
pub(crate) fn append(db: &Connection, events: &[Event]) -> Result<(), Error> {
    if events.is_empty() {
        return Ok(());
    }
    let newest = "SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1";
    let newest: Option<(i64, String)> =
        db.query_row(newest, [], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    // A number that was given once is not given again, so that a row taken off the end shows.
    let given: Option<i64> = db
        .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'audit'", [], |row| row.get(0))
        .optional()?;
    let (last, mut previous) = newest.unwrap_or((0, START.to_owned()));
    let mut seq = last.max(given.unwrap_or(0));
    let places = (1..=12).map(|at| format!("?{at}")).collect::<Vec<_>>().join(", ");
    let mut insert =
        db.prepare_cached(&format!("INSERT INTO audit({COLUMNS}) VALUES ({places})"))?;
    for event in events {
        seq += 1;
        let mut entry = Entry {
            seq: u64::try_from(seq).unwrap_or_default(),
            at: event.at,
            actor: event.actor.clone(),
            action: event.action.clone(),
            skill: event.skill.clone(),
            place: event.place.clone(),
            source: event.source.clone(),
            content: event.content.clone(),
            verdict: event.verdict.clone(),
            detail: event.detail.clone(),
            previous,
            hash: String::new(),
        };
        entry.hash = entry.computed();
        insert.execute(rusqlite::params![
            seq,
            entry.at,
            entry.actor,
            entry.action,
            entry.skill,
            entry.place,
            entry.source,
            entry.content,
            entry.verdict,
            entry.detail,
            entry.previous,
            entry.hash,
        ])?;
        previous = entry.hash;
    }
    Ok(())
}

/// The newest rows, at most `most`, oldest first.
pub fn newest(state: &State, most: usize) -> Result<Vec<Entry>, Error> {
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    state.with(|db| {
        let query = format!("SELECT {COLUMNS} FROM audit ORDER BY seq DESC LIMIT ?1");
        let mut statement = db.prepare_cached(&query)?;
        let mut rows: Vec<Entry> = statement.query_map([most], entry)?.collect::<Result<_, _>>()?;
        rows.reverse();
        Ok(rows)
    })
}

/// Follows the chain from the first row on.
pub fn verify(state: &State) -> Result<Chain, Error> {
    state.with(|db| {
        let query = format!("SELECT {COLUMNS} FROM audit ORDER BY seq");
        let mut statement = db.prepare_cached(&query)?;
        let mut rows = statement.query([])?;
        let mut chain = Chain { sound: 0, head: START.to_owned(), broken: None };
        while let Some(row) = rows.next()? {
            let entry = entry(row)?;
            let expected = chain.sound + 1;
            let why = if entry.seq != expected {
                Some(format!("row {expected} is missing"))
            } else if entry.previous != chain.head {
                Some("it does not follow the row before".to_owned())
            } else if entry.computed() != entry.hash {
                Some("its fields do not have its hash".to_owned())
            } else {
                None
            };
            if let Some(why) = why {
                chain.broken = Some(Break { seq: entry.seq, why });
                return Ok(chain);
            }
            chain.sound = entry.seq;
            chain.head = entry.hash;
        }
        let given = "SELECT seq FROM sqlite_sequence WHERE name = 'audit'";
        let given: Option<i64> = db.query_row(given, [], |row| row.get(0)).optional()?;
        let given = given.and_then(|given| u64::try_from(given).ok()).unwrap_or(0);
        if given > chain.sound {
            let why = format!("the rows up to {given} are missing");
            chain.broken = Some(Break { seq: chain.sound + 1, why });
        }
        Ok(chain)
    })
}

fn entry(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        seq: u64::try_from(row.get::<_, i64>(0)?).unwrap_or_default(),
        at: row.get(1)?,
        actor: row.get(2)?,
        action: row.get(3)?,
        skill: row.get(4)?,
        place: row.get(5)?,
        source: row.get(6)?,
        content: row.get(7)?,
        verdict: row.get(8)?,
        detail: row.get(9)?,
        previous: row.get(10)?,
        hash: row.get(11)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provenance::Records;

    fn state_with(events: usize) -> (tempfile::TempDir, State) {
        let home = tempfile::tempdir().unwrap();
        let state = State::open(home.path());
        for number in 0..events {
            let event = Event {
                at: 7,
                actor: "ada".to_owned(),
                action: "install".to_owned(),
                skill: format!("skill-{number}"),
                ..Event::default()
            };
            let records = Records { audit: vec![event], ..Records::default() };
            state.record(&records).unwrap();
        }
        (home, state)
    }

    fn tampered(sql: &str) -> Chain {
        let (home, state) = state_with(4);
        rusqlite::Connection::open(home.path().join("state.db"))
            .unwrap()
            .execute_batch(sql)
            .unwrap();
        verify(&state).unwrap()
    }

    #[test]
    fn a_chain_nobody_touched_is_whole() {
        let (_home, state) = state_with(3);
        let rows = newest(&state, 9).unwrap();
        let head = rows[2].hash.clone();
        assert_eq!(verify(&state).unwrap(), Chain { sound: 3, head, broken: None });
        assert_eq!((rows[0].previous.as_str(), &rows[1].previous), (START, &rows[0].hash));
        assert_eq!(newest(&state, 1).unwrap(), rows[2..]);
        let (_home, state) = state_with(0);
        let nothing = Chain { sound: 0, head: START.to_owned(), broken: None };
        assert_eq!(verify(&state).unwrap(), nothing);
    }

    #[test]
    fn every_way_to_change_the_past_shows_where() {
        let rehash = "UPDATE audit SET hash = 'x' WHERE seq = 2";
        for (sql, sound, seq, why) in [
            (
                "UPDATE audit SET actor = 'eve' WHERE seq = 2",
                1,
                2,
                "its fields do not have its hash",
            ),
            ("UPDATE audit SET at = 8 WHERE seq = 4", 3, 4, "its fields do not have its hash"),
            (rehash, 1, 2, "its fields do not have its hash"),
            ("DELETE FROM audit WHERE seq = 3", 2, 4, "row 3 is missing"),
            ("DELETE FROM audit WHERE seq = 1", 0, 2, "row 1 is missing"),
            ("DELETE FROM audit WHERE seq = 4", 3, 4, "the rows up to 4 are missing"),
            ("DELETE FROM audit", 0, 1, "the rows up to 4 are missing"),
            (
                "UPDATE audit SET previous = hash WHERE seq = 3",
                2,
                3,
                "it does not follow the row before",
            ),
        ] {
            let chain = tampered(sql);
            assert_eq!(chain.sound, sound, "{sql}");
            assert_eq!(chain.broken, Some(Break { seq, why: why.to_owned() }), "{sql}");
        }
    }

    #[test]
    fn a_row_moved_from_one_field_to_another_has_another_hash() {
        let entry = |skill: &str, place: &str| Entry {
            seq: 1,
            at: 0,
            actor: String::new(),
            action: String::new(),
            skill: skill.to_owned(),
            place: place.to_owned(),
            source: String::new(),
            content: String::new(),
            verdict: String::new(),
            detail: String::new(),
            previous: START.to_owned(),
            hash: String::new(),
        };
        assert_ne!(entry("ab", "c").computed(), entry("a", "bc").computed());
        // The form is fixed: others compute it too.
        assert_eq!(
            entry("a", "b").computed(),
            "142aa4b3526ab6d62b6d4db4621b455c7524ac84c522514275d897b2a388dcdb"
        );
    }

    #[test]
    fn rows_go_on_after_a_tail_was_cut_and_the_gap_stays() {
        let (home, state) = state_with(3);
        rusqlite::Connection::open(home.path().join("state.db"))
            .unwrap()
            .execute_batch("DELETE FROM audit WHERE seq = 3")
            .unwrap();
        let event = Event { action: "remove".to_owned(), ..Event::default() };
        state.record(&Records { audit: vec![event], ..Records::default() }).unwrap();
        let chain = verify(&state).unwrap();
        assert_eq!(chain.broken, Some(Break { seq: 4, why: "row 3 is missing".to_owned() }));
    }
}
