//! The digest of a table: its rows, typed and in the order of its key.
//!
//! - A row is `R`, and per value a letter for its type and its bytes (`n`; `i` and `r` with 8 bytes, big
//!   end first; `t` and `b` with a length of 8 bytes in front).
//! - Rows by a key of their own are one sequence: the SHA-256 of all rows, `E` and their number.
//! - Rows by a number come in groups of 256 by that number. Each group is such a sequence, and the
//!   table is the SHA-256 of, for each group, `G`, its number and its digest, and at the end `E` and the
//!   number of groups. So a row that is added costs one group, and the rest can be remembered.

use std::collections::BTreeSet;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;
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

/// The rows of a table, each as a line of JSON for people; none when there are more than `most`.
pub(super) fn lines(
    db: &Connection,
    table: &Table,
    most: usize,
) -> rusqlite::Result<Option<BTreeSet<String>>> {
    let mut statement = db.prepare(&select(table, ""))?;
    let mut rows = statement.query([])?;
    let mut lines = BTreeSet::new();
    while let Some(row) = rows.next()? {
        if lines.len() == most {
            return Ok(None);
        }
        let mut line = serde_json::Map::new();
        for (at, column) in table.columns.iter().enumerate() {
            let value = match row.get_ref(at)? {
                ValueRef::Null => Value::Null,
                ValueRef::Integer(value) => value.into(),
                ValueRef::Real(value) => value.into(),
                ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into(),
                ValueRef::Blob(bytes) => format!("x'{}'", to_hex(bytes)).into(),
            };
            line.insert((*column).to_owned(), value);
        }
        lines.insert(Value::from(line).to_string());
    }
    Ok(Some(lines))
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
