//! The digest of a table: its rows, typed and in the order of its key.
//!
//! - A row is `R`, and per value a letter for its type and its bytes (`n`; `i` and `r` with 8 bytes, big
//!   end first; `t` and `b` with a length of 8 bytes in front).
//! - Rows by a key of their own are one sequence: the SHA-256 of all rows, `E` and their number.
//! - Rows by a number come in groups of 256 by that number. Each group is such a sequence, and the
//!   table is the SHA-256 of, for each group, `G`, its number and its digest, and at the end `E` and the
//!   number of groups. So a row that is added costs one group, and the rest can be remembered.

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Row, params_from_iter};
use sha2::{Digest as _, Sha256};

use super::digest::{Digest, to_hex};
use super::state::{Rows, Table};

/// Rows of a group have numbers that differ in so many of the last bits.
pub(super) const GROUP_BITS: u32 = 8;

/// A sequence of rows under way.
#[derive(Default)]
pub(super) struct Sequence {
    hash: Sha256,
    count: u64,
}

impl Sequence {
    pub(super) fn row(&mut self, row: &Row<'_>, columns: usize) -> rusqlite::Result<()> {
        let Self { hash, count } = self;
        let sized = |hash: &mut Sha256, letter: u8, bytes: &[u8]| {
            hash.update([letter]);
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        *count += 1;
        hash.update(b"R");
        for at in 0..columns {
            match row.get_ref(at)? {
                ValueRef::Null => hash.update(b"n"),
                ValueRef::Integer(value) => {
                    hash.update(b"i");
                    hash.update(value.to_be_bytes());
                }
                ValueRef::Real(value) => {
                    hash.update(b"r");
                    hash.update(value.to_bits().to_be_bytes());
                }
                ValueRef::Text(bytes) => sized(hash, b't', bytes),
                ValueRef::Blob(bytes) => sized(hash, b'b', bytes),
            }
        }
        Ok(())
    }

    /// The digest; none of no rows.
    pub(super) fn end(self) -> Option<Digest> {
        (self.count > 0).then(|| self.whole())
    }

    fn whole(mut self) -> Digest {
        self.hash.update(b"E");
        self.hash.update(self.count.to_be_bytes());
        Digest(self.hash.finalize().into())
    }
}

/// Groups under way.
#[derive(Default)]
pub(super) struct Groups {
    hash: Sha256,
    count: u64,
}

impl Groups {
    pub(super) fn group(&mut self, number: i64, digest: Digest) {
        self.count += 1;
        self.hash.update(b"G");
        self.hash.update(number.to_be_bytes());
        self.hash.update(digest.0);
    }

    pub(super) fn end(mut self) -> Digest {
        self.hash.update(b"E");
        self.hash.update(self.count.to_be_bytes());
        Digest(self.hash.finalize().into())
    }
}

/// The statement that gives rows in the order of their key.
pub(super) fn select(table: &Table, condition: &str) -> String {
    format!(
        "SELECT {} FROM {} {condition} ORDER BY {}",
        table.columns.join(", "),
        table.name,
        table.key.join(", ")
    )
}

/// A row of a table, for people.
pub(super) struct Line {
    /// Its key.
    pub(super) key: Vec<Value>,
    /// The same in bytes, which are in the order of the rows.
    pub(super) order: Vec<u8>,
    /// The row as a line of JSON.
    pub(super) text: String,
}

/// The first rows of a table in the order of its key, or those behind the one with the key `behind`.
pub(super) fn lines(
    db: &Connection,
    table: &Table,
    behind: Option<&[Value]>,
    most: usize,
) -> rusqlite::Result<Vec<Line>> {
    let condition = behind.map_or(String::new(), |key| {
        let places = vec!["?"; key.len()].join(", ");
        format!("WHERE ({}) > ({places})", table.key.join(", "))
    });
    let sql = format!("{} LIMIT {most}", select(table, &condition));
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query(params_from_iter(behind.unwrap_or_default()))?;
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let mut text = serde_json::Map::new();
        let mut key = vec![Value::Null; table.key.len()];
        for (at, column) in table.columns.iter().enumerate() {
            let value = row.get_ref(at)?;
            if let Some(place) = table.key.iter().position(|name| name == column) {
                key[place] = row.get(at)?;
            }
            text.insert((*column).to_owned(), json(value));
        }
        let mut order = Vec::new();
        for value in &key {
            in_order(value, &mut order);
        }
        lines.push(Line { key, order, text: serde_json::Value::from(text).to_string() });
    }
    Ok(lines)
}

fn json(value: ValueRef<'_>) -> serde_json::Value {
    match value {
        ValueRef::Null => serde_json::Value::Null,
        ValueRef::Integer(value) => value.into(),
        ValueRef::Real(value) => value.into(),
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into(),
        ValueRef::Blob(bytes) => format!("x'{}'", to_hex(bytes)).into(),
    }
}

/// Puts a value behind others so that bytes compare as SQLite compares values of one type.
fn in_order(value: &Value, into: &mut Vec<u8>) {
    let sized = |letter: u8, bytes: &[u8], into: &mut Vec<u8>| {
        into.push(letter);
        for byte in bytes {
            into.push(*byte);
            // A zero goes on; two of them end it.
            into.extend((*byte == 0).then_some(0xff));
        }
        into.extend([0, 0]);
    };
    match value {
        Value::Null => into.push(b'0'),
        Value::Integer(value) => {
            into.push(b'1');
            into.extend((value ^ i64::MIN).to_be_bytes());
        }
        Value::Real(value) => {
            let bits = value.to_bits();
            into.push(b'2');
            into.extend(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }.to_be_bytes());
        }
        Value::Text(text) => sized(b'3', text.as_bytes(), into),
        Value::Blob(bytes) => sized(b'4', bytes, into),
    }
}

/// The digest of a table, from its rows alone.
pub(super) fn digest(db: &Connection, table: &Table) -> rusqlite::Result<Digest> {
    let mut statement = db.prepare(&select(table, ""))?;
    let columns = table.columns.len();
    let number = match table.rows {
        Rows::Keyed => None,
        Rows::Numbered => table.columns.iter().position(|column| table.key.first() == Some(column)),
    };
    let mut rows = statement.query([])?;
    let mut sequence = Sequence::default();
    let Some(number) = number else {
        while let Some(row) = rows.next()? {
            sequence.row(row, columns)?;
        }
        return Ok(sequence.whole());
    };
    let mut groups = Groups::default();
    let mut open: Option<i64> = None;
    while let Some(row) = rows.next()? {
        let group = row.get::<_, i64>(number)? >> GROUP_BITS;
        if let Some(before) = open.replace(group).filter(|before| *before != group)
            && let Some(digest) = std::mem::take(&mut sequence).end()
        {
            groups.group(before, digest);
        }
        sequence.row(row, columns)?;
    }
    if let (Some(last), Some(digest)) = (open, sequence.end()) {
        groups.group(last, digest);
    }
    Ok(groups.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_in_bytes_are_in_the_order_of_sqlite() {
        let text = |text: &str| Value::Text(text.to_owned());
        let keys = [
            vec![Value::Null, text("z")],
            vec![Value::Integer(i64::MIN), text("")],
            vec![Value::Integer(-1), text("z")],
            vec![Value::Integer(0), text("")],
            vec![Value::Integer(0), text("a")],
            vec![Value::Integer(0), text("a\0")],
            vec![Value::Integer(0), text("a\0b")],
            vec![Value::Integer(0), text("a\u{1}")],
            vec![Value::Integer(0), text("ab")],
            vec![Value::Integer(0), text("é")],
            vec![Value::Integer(i64::MAX), text("")],
            vec![text("a"), Value::Real(-2.5)],
            vec![text("a"), Value::Real(-1.0)],
            vec![text("a"), Value::Real(0.0)],
            vec![text("a"), Value::Real(7.5)],
            vec![text("b"), Value::Blob(vec![0])],
            vec![text("b"), Value::Blob(vec![0, 0])],
        ];
        let db = Connection::open_in_memory().unwrap();
        let is_less = |a: &[Value], b: &[Value]| -> bool {
            let values = params_from_iter(a.iter().chain(b));
            // Nothing is less than nothing, and no key has any.
            let less = "SELECT coalesce((?1, ?2) < (?3, ?4), ?1 IS NULL)";
            db.query_row(less, values, |row| row.get(0)).unwrap()
        };
        for pair in keys.windows(2) {
            assert!(is_less(&pair[0], &pair[1]), "{pair:?}");
            let [a, b] = [0, 1].map(|at| {
                let mut order = Vec::new();
                pair[at].iter().for_each(|value| in_order(value, &mut order));
                order
            });
            assert!(a < b, "{pair:?}");
        }
    }
}
