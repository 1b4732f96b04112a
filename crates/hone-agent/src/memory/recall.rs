//! Finding what was said, noted and done before, by plain words.
//!
//! For each word the newest rows that have it are looked up, so the work follows the question and not
//! the memory. Rare words count more than common ones. Rows of other subscribers are never looked at:
//! the index knows a word only together with who may see it.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use rusqlite::{Connection, OptionalExtension, params};

use super::Finder;
use super::subscriber::Subscriber;
use super::words::words;

/// Characters of a question that are read.
pub const MAX_QUERY_CHARS: usize = 2_048;
/// Different words of a question that are looked up.
pub const MAX_QUERY_WORDS: usize = 16;
/// Hits of one question at most.
pub const MAX_HITS: usize = 8;
/// Characters of a hit's excerpt at most.
pub const MAX_EXCERPT_CHARS: usize = 300;

/// Rows that are looked up for one word in one table: the newest.
const MAX_ROWS_A_WORD: usize = 100;
/// So many rows make a word common: one that this many have is worth twice as much as one that all have.
const COMMON: f64 = 1_200.0;
/// Rows whose text is read to put them in order.
const MAX_CANDIDATES: usize = 32;
/// Rows of a table that are read where there is no index of words: the newest.
const MAX_SCANNED: u32 = 20_000;

/// What marks a word of a fact as everybody's.
pub(super) const SHARED: &str = "\u{a7}shared";

/// A word as the index has it. Neither part can contain what stands between them.
pub(super) fn marked(mark: &str, word: &str) -> String {
    format!("{mark}\u{a7}{word}")
}

/// What a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Something that was noted.
    Fact,
    /// A task that was done.
    Task,
    /// Something that was said.
    Message,
}

impl Kind {
    const ALL: [Self; 3] = [Self::Fact, Self::Task, Self::Message];

    /// The word for it, which is its table too.
    pub fn word(self) -> &'static str {
        match self {
            Self::Fact => "fact",
            Self::Task => "task",
            Self::Message => "message",
        }
    }

    /// One row: who said it or what it is about, its text, its time and its task.
    fn select(self) -> &'static str {
        match self {
            Self::Fact => "SELECT key, value, at, task FROM fact WHERE id = ?1",
            Self::Task => {
                "SELECT ending, input || char(10) || answer, ended, task FROM task WHERE id = ?1"
            }
            Self::Message => "SELECT role, content, at, task FROM message WHERE id = ?1",
        }
    }

    /// The newest rows that a subscriber may see.
    fn scan(self) -> &'static str {
        match self {
            Self::Fact => {
                "SELECT id, key || ' ' || value FROM fact WHERE shared = 1 OR audience = ?1 \
                 ORDER BY id DESC LIMIT ?2"
            }
            Self::Task => {
                "SELECT id, input || ' ' || answer FROM task WHERE subscriber = ?1 \
                 ORDER BY id DESC LIMIT ?2"
            }
            Self::Message => {
                "SELECT id, content FROM message WHERE subscriber = ?1 ORDER BY id DESC LIMIT ?2"
            }
        }
    }

    /// The number of the newest row.
    fn newest(self) -> &'static str {
        match self {
            Self::Fact => "SELECT coalesce(max(id), 0) FROM fact",
            Self::Task => "SELECT coalesce(max(id), 0) FROM task",
            Self::Message => "SELECT coalesce(max(id), 0) FROM message",
        }
    }

    /// What the index of words is asked.
    fn question(self, subscriber: &Subscriber, word: &str) -> String {
        let own = marked(&subscriber.mark(), word);
        match self {
            Self::Fact => format!("\"{own}\" OR \"{}\"", marked(SHARED, word)),
            Self::Task | Self::Message => format!("\"{own}\""),
        }
    }
}

/// Something that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// What it is.
    pub kind: Kind,
    /// A fact's key, a task's ending, a message's role.
    pub label: String,
    /// The task that it comes from; empty for what a person wrote.
    pub task: String,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// The part of its text that answers the question.
    pub excerpt: String,
}

/// Answers a question with at most [`MAX_HITS`] hits, the best first.
pub(super) fn recall(
    db: &Connection,
    finder: Finder,
    query: &str,
    subscriber: &Subscriber,
) -> rusqlite::Result<Vec<Hit>> {
    let asked = asked(query);
    if asked.is_empty() {
        return Ok(Vec::new());
    }
    // Which words each row has, as far as looking up can tell.
    let mut found: BTreeMap<(Kind, i64), u32> = BTreeMap::new();
    let mut counts = vec![0.0; asked.len()];
    for kind in Kind::ALL {
        let rows = match finder {
            Finder::Index => indexed(db, kind, subscriber, &asked)?,
            Finder::Scan => scanned(db, kind, subscriber, &asked)?,
        };
        // Asked only where a word has more rows than were looked up.
        let newest = if rows.iter().any(|rows| rows.len() == MAX_ROWS_A_WORD) {
            db.prepare_cached(kind.newest())?.query_row([], |row| row.get(0))?
        } else {
            0
        };
        for (at, rows) in rows.into_iter().enumerate() {
            counts[at] += how_many(&rows, newest);
            for row in rows {
                *found.entry((kind, row)).or_default() |= 1 << at;
            }
        }
    }
    let weights: Vec<f64> = counts.into_iter().map(weight).collect();
    let score = |mask: u32| {
        let has = |at: &usize| mask & (1 << at) != 0;
        (0..asked.len()).filter(has).map(|at| weights[at]).sum::<f64>()
    };
    let mut candidates: Vec<((Kind, i64), f64)> =
        found.into_iter().map(|(row, mask)| (row, score(mask))).collect();
    // The better first; among equals, the newer.
    candidates.sort_by(|(a, a_score), (b, b_score)| {
        b_score.total_cmp(a_score).then(b.1.cmp(&a.1)).then(a.0.cmp(&b.0))
    });
    candidates.truncate(MAX_CANDIDATES);
    let mut hits = Vec::new();
    for ((kind, id), _) in candidates {
        if let Some((hit, mask)) = read(db, kind, id, &asked)? {
            hits.push((hit, score(mask)));
        }
    }
    hits.sort_by(|(a, a_score), (b, b_score)| {
        b_score.total_cmp(a_score).then(a.kind.cmp(&b.kind)).then(b.at.cmp(&a.at))
    });
    hits.truncate(MAX_HITS);
    Ok(hits.into_iter().map(|(hit, _)| hit).collect())
}

/// The different words of a question, as many as are looked up.
fn asked(query: &str) -> Vec<String> {
    let end = query.char_indices().nth(MAX_QUERY_CHARS).map_or(query.len(), |(end, _)| end);
    let mut asked: Vec<String> = Vec::new();
    for (_, word) in words(&query[..end]) {
        if asked.len() < MAX_QUERY_WORDS && !asked.contains(&word) {
            asked.push(word);
        }
    }
    asked
}

/// How many rows of a table have a word, by the newest that have it: all of them, or as many as there are
/// when the older ones have it as often.
#[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
fn how_many(rows: &[i64], newest: i64) -> f64 {
    let found = rows.len() as f64;
    let Some(oldest) = rows.last().filter(|_| rows.len() == MAX_ROWS_A_WORD) else {
        return found;
    };
    let among = newest.saturating_sub(*oldest).saturating_add(1).max(1);
    found.max(found * newest as f64 / among as f64)
}

/// What a word that so many rows have is worth: two words that are everywhere less than one that is not.
fn weight(rows: f64) -> f64 {
    1.0 + COMMON / rows.max(1.0)
}

/// For each word, the newest rows that have it.
fn indexed(
    db: &Connection,
    kind: Kind,
    subscriber: &Subscriber,
    asked: &[String],
) -> rusqlite::Result<Vec<Vec<i64>>> {
    let table = format!("{}_words", kind.word());
    let sql = format!(
        "SELECT -rowid FROM {table} WHERE {table} MATCH ?1 ORDER BY rowid LIMIT {MAX_ROWS_A_WORD}"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut found = Vec::new();
    for word in asked {
        let question = kind.question(subscriber, word);
        let rows = statement.query_map([question], |row| row.get(0))?;
        found.push(rows.collect::<Result<_, _>>()?);
    }
    Ok(found)
}

/// The same without an index: the newest rows are read.
fn scanned(
    db: &Connection,
    kind: Kind,
    subscriber: &Subscriber,
    asked: &[String],
) -> rusqlite::Result<Vec<Vec<i64>>> {
    let places: HashMap<&str, usize> =
        asked.iter().enumerate().map(|(at, word)| (word.as_str(), at)).collect();
    let mut found = vec![Vec::new(); asked.len()];
    let mut statement = db.prepare_cached(kind.scan())?;
    let mut rows = statement.query(params![subscriber.as_text(), MAX_SCANNED])?;
    while let Some(row) = rows.next()? {
        let id: i64 = row.get(0)?;
        for (_, word) in words(row.get_ref(1)?.as_str()?) {
            if let Some(at) = places.get(word.as_str())
                && found[*at].last() != Some(&id)
                && found[*at].len() < MAX_ROWS_A_WORD
            {
                found[*at].push(id);
            }
        }
        if found.iter().all(|rows| rows.len() == MAX_ROWS_A_WORD) {
            break;
        }
    }
    Ok(found)
}

/// One row as a hit, with the words that it really has.
fn read(
    db: &Connection,
    kind: Kind,
    id: i64,
    asked: &[String],
) -> rusqlite::Result<Option<(Hit, u32)>> {
    let row = db
        .prepare_cached(kind.select())?
        .query_row([id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
        .optional()?;
    let Some((label, text, at, task)) = row else { return Ok(None) };
    let (label, text): (String, String) = (label, text);
    let mut mask = 0;
    let mut first = None;
    for (place, word) in words(&text) {
        if let Some(at) = asked.iter().position(|asked| *asked == word) {
            mask |= 1 << at;
            first = first.or(Some(place));
        }
    }
    if kind == Kind::Fact {
        for (_, word) in words(&label) {
            if let Some(at) = asked.iter().position(|asked| *asked == word) {
                mask |= 1 << at;
            }
        }
    }
    let excerpt = excerpt(&text, first.unwrap_or(0));
    Ok(Some((Hit { kind, label, task, at, excerpt }, mask)))
}

/// One line of the text around a place.
fn excerpt(text: &str, place: usize) -> String {
    const BEFORE: usize = 80;
    let start = text[..place].char_indices().rev().nth(BEFORE).map_or(0, |(start, _)| start);
    let line = super::frozen::one_line(&text[start..]);
    let mut cut = String::new();
    if start > 0 {
        cut.push('…');
    }
    match line.char_indices().nth(MAX_EXCERPT_CHARS) {
        Some((end, _)) => {
            let _ = write!(cut, "{}…", &line[..end]);
        }
        None => cut.push_str(&line),
    }
    cut
}
