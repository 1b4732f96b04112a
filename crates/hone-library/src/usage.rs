//! How often and when each version of a skill was seen, used and changed.
//!
//! One row, and one more for the day of a use, whatever the number of skills. Best effort: a counter that cannot be written is
//! lost, and nobody waits for it for long.

use std::collections::BTreeMap;
use std::path::Path;

use rusqlite::Connection;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::catalogue::Listed;
use crate::error::Error;
use crate::place::canonical_or_same;
use crate::state::State;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Days whose uses are kept apart.
pub const KEPT_DAYS: i64 = 400;

/// What happened to a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Its text was shown.
    View,
    /// It was put to work.
    Use,
    /// It was changed.
    Patch,
}

/// Kinds of events.
pub(crate) const EVENTS: usize = 3;

/// The counters of one version of a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Usage {
    /// The skill's folder or single file.
    pub skill: String,
    /// Its name.
    pub name: String,
    /// Its version; empty when it declares none.
    pub version: String,
    /// How often it was shown.
    pub views: u64,
    /// How often it was used.
    pub uses: u64,
    /// How often it was changed.
    pub patches: u64,
    /// When it was last shown, in milliseconds since 1970.
    pub last_viewed: Option<i64>,
    /// When it was last used.
    pub last_used: Option<i64>,
    /// When it was last changed.
    pub last_patched: Option<i64>,
    /// When it was first met.
    pub created: i64,
}

/// Counts an event; false when it could not be written.
pub fn count(state: &State, skill: &Listed, event: Event, now: i64) -> bool {
    let key = canonical_or_same(skill.key());
    let Some(key) = key.to_str() else { return false };
    let version = skill.summary.version.as_deref().unwrap_or_default();
    let mut times = [0; EVENTS];
    times[event as usize] = 1;
    let counted = Counted { key, version, name: &skill.summary.name, times, at: now };
    state.write_best_effort(|db| counted.add(db))
}

/// What happened to one version of a skill.
pub(crate) struct Counted<'a> {
    /// The real path of the skill.
    pub(crate) key: &'a str,
    pub(crate) version: &'a str,
    pub(crate) name: &'a str,
    /// How often each [`Event`] was.
    pub(crate) times: [u64; EVENTS],
    /// When the last of them was.
    pub(crate) at: i64,
}

impl Counted<'_> {
    /// Adds it to what is there: one row, and one of the day for uses.
    pub(crate) fn add(&self, db: &Connection) -> Result<(), Error> {
        let [views, uses, patches] =
            self.times.map(|times| i64::try_from(times).unwrap_or(i64::MAX));
        let row = (self.key, self.version, self.name, self.at, views, uses, patches);
        db.prepare_cached(UPSERT)?.execute(row)?;
        if uses == 0 {
            return Ok(());
        }
        let day = self.at.div_euclid(DAY);
        let today: i64 = db
            .prepare_cached(UPSERT_DAY)?
            .query_row((day, self.key, self.version, self.name, uses), |row| row.get(0))?;
        // The first use of a day takes away what is too old.
        if today == uses {
            db.prepare_cached("DELETE FROM use_day WHERE day < ?1")?
                .execute([day.saturating_sub(KEPT_DAYS)])?;
        }
        Ok(())
    }
}

/// Of a count that does not grow the date stays, too.
const UPSERT: &str = "INSERT INTO usage(skill, version, name, created, \
    views, uses, patches, last_viewed, last_used, last_patched) \
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, iif(?5, ?4, NULL), iif(?6, ?4, NULL), iif(?7, ?4, NULL)) \
    ON CONFLICT(skill, version) DO UPDATE SET name = ?3, \
    views = views + ?5, uses = uses + ?6, patches = patches + ?7, \
    last_viewed = iif(?5, coalesce(max(last_viewed, ?4), ?4), last_viewed), \
    last_used = iif(?6, coalesce(max(last_used, ?4), ?4), last_used), \
    last_patched = iif(?7, coalesce(max(last_patched, ?4), ?4), last_patched)";
const UPSERT_DAY: &str = "INSERT INTO use_day(day, skill, version, name, uses) \
    VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT(day, skill, version) DO UPDATE SET name = ?4, \
    uses = uses + ?5 RETURNING uses";

/// The uses of one day, in UTC.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Day {
    /// The day, as `2026-11-17`.
    pub day: String,
    /// How often a skill was used on it.
    pub uses: u64,
}

/// The uses of the newest `days` days, the last of them the day of `now`; of one skill when its real
/// path is given. A day without a use is there too.
pub fn by_day(state: &State, skill: Option<&Path>, days: u16, now: i64) -> Result<Vec<Day>, Error> {
    let today = now.div_euclid(DAY);
    let first = today - i64::from(days) + 1;
    let skill = skill.map(Path::to_string_lossy);
    let found: BTreeMap<i64, i64> = state.with(|db| {
        let mut statement = db.prepare_cached(
            "SELECT day, sum(uses) FROM use_day WHERE day BETWEEN ?1 AND ?2 \
             AND (?3 IS NULL OR skill = ?3) GROUP BY day",
        )?;
        let rows = statement
            .query_map((first, today, skill.as_deref()), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    })?;
    let day = |day: i64| Day {
        day: iso(day.saturating_mul(DAY)).chars().take(10).collect(),
        uses: found.get(&day).map_or(0, |uses| u64::try_from(*uses).unwrap_or_default()),
    };
    Ok((first..=today).map(day).collect())
}

/// All counters, sorted by name and version.
pub fn all(state: &State) -> Result<Vec<Usage>, Error> {
    state.with(|db| {
        let mut statement = db.prepare(
            "SELECT skill, name, version, views, uses, patches, last_viewed, last_used, last_patched, \
             created FROM usage ORDER BY name, skill, version",
        )?;
        let rows = statement.query_map([], |row| {
            let number = |at: usize| row.get::<_, i64>(at).map(|n| u64::try_from(n).unwrap_or_default());
            Ok(Usage {
                skill: row.get(0)?,
                name: row.get(1)?,
                version: row.get(2)?,
                views: number(3)?,
                uses: number(4)?,
                patches: number(5)?,
                last_viewed: row.get(6)?,
                last_used: row.get(7)?,
                last_patched: row.get(8)?,
                created: row.get(9)?,
            })
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    })
}

/// The counters as Hermes keeps them in `.usage.json`: one record a name, versions added up.
pub fn to_hermes(all: &[Usage], pinned: impl Fn(&Usage) -> bool) -> Value {
    let mut records: BTreeMap<&str, (Usage, bool)> = BTreeMap::new();
    for usage in all {
        let is_pinned = pinned(usage);
        match records.get_mut(usage.name.as_str()) {
            None => {
                records.insert(&usage.name, (usage.clone(), is_pinned));
            }
            Some((sum, sum_pinned)) => {
                sum.views += usage.views;
                sum.uses += usage.uses;
                sum.patches += usage.patches;
                sum.last_viewed = sum.last_viewed.max(usage.last_viewed);
                sum.last_used = sum.last_used.max(usage.last_used);
                sum.last_patched = sum.last_patched.max(usage.last_patched);
                sum.created = sum.created.min(usage.created);
                *sum_pinned |= is_pinned;
            }
        }
    }
    let records = records.into_iter().map(|(name, (usage, pinned))| {
        let record = json!({
            "use_count": usage.uses,
            "view_count": usage.views,
            "patch_count": usage.patches,
            "last_used_at": usage.last_used.map(iso),
            "last_viewed_at": usage.last_viewed.map(iso),
            "last_patched_at": usage.last_patched.map(iso),
            "created_at": iso(usage.created),
            "state": "active",
            "pinned": pinned,
            "archived_at": null,
        });
        (name.to_owned(), record)
    });
    Value::Object(records.collect::<Map<_, _>>())
}

/// What an import of Hermes' `.usage.json` did.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Names whose counters were taken over.
    pub imported: Vec<String>,
    /// Names that no skill here has, or whose record is not one.
    pub ignored: Vec<String>,
}

/// Takes Hermes' counters and pins over. A skill's counters, all versions together, become at least
/// what the file says, so that importing twice, or what was exported here, changes nothing.
pub fn from_hermes(
    state: &State,
    text: &str,
    path: &Path,
    find: impl Fn(&str) -> Option<Listed>,
    now: i64,
) -> Result<Imported, Error> {
    let broken = |message: String| Error::Config { path: path.to_owned(), message };
    let file: Value = serde_json::from_str(text).map_err(|error| broken(error.to_string()))?;
    let Value::Object(records) = file else {
        return Err(broken("this is not a map of names to records".to_owned()));
    };
    let mut imported = Imported::default();
    let mut rows = Vec::new();
    for (name, record) in &records {
        match (find(name), record) {
            (Some(skill), Value::Object(record)) => {
                let number = |key: &str| {
                    record
                        .get(key)
                        .and_then(Value::as_u64)
                        .and_then(|n| i64::try_from(n).ok())
                        .unwrap_or(0)
                };
                let time =
                    |key: &str| record.get(key).and_then(Value::as_str).and_then(milliseconds);
                let key = canonical_or_same(skill.key()).to_string_lossy().into_owned();
                let version = skill.summary.version.clone().unwrap_or_default();
                rows.push((
                    key,
                    version,
                    skill.summary.name.clone(),
                    [number("view_count"), number("use_count"), number("patch_count")],
                    [time("last_viewed_at"), time("last_used_at"), time("last_patched_at")],
                    time("created_at").unwrap_or(now),
                    record.get("pinned") == Some(&Value::Bool(true)),
                ));
                imported.imported.push(name.clone());
            }
            _ => imported.ignored.push(name.clone()),
        }
    }
    state.write(|db| {
        for (key, version, name, counts, times, created, is_pinned) in &rows {
            // What the other versions were counted for is part of the sum.
            let others = |count: &str| -> Result<i64, Error> {
                let query = format!(
                    "SELECT coalesce(sum({count}), 0) FROM usage WHERE skill = ?1 AND version <> ?2"
                );
                Ok(db.query_row(&query, [key, version], |row| row.get(0))?)
            };
            let mut here = [0; 3];
            for (at, count) in ["views", "uses", "patches"].into_iter().enumerate() {
                here[at] = counts[at].saturating_sub(others(count)?).max(0);
            }
            db.prepare_cached(
                "INSERT INTO usage(skill, version, name, views, uses, patches, last_viewed, last_used, \
                 last_patched, created) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) \
                 ON CONFLICT(skill, version) DO UPDATE SET \
                 views = max(views, ?4), uses = max(uses, ?5), patches = max(patches, ?6), \
                 last_viewed = coalesce(max(last_viewed, ?7), last_viewed, ?7), \
                 last_used = coalesce(max(last_used, ?8), last_used, ?8), \
                 last_patched = coalesce(max(last_patched, ?9), last_patched, ?9), \
                 created = min(created, ?10)",
            )?
            .execute((
                key, version, name, here[0], here[1], here[2], times[0], times[1], times[2], created,
            ))?;
            if *is_pinned {
                db.execute("INSERT OR IGNORE INTO pin VALUES (?1, ?2)", (key, now))?;
            }
        }
        Ok(())
    })?;
    Ok(imported)
}

/// Milliseconds since 1970 as ISO 8601 in UTC.
pub fn iso(milliseconds: i64) -> String {
    jiff::Timestamp::from_millisecond(milliseconds)
        .unwrap_or(jiff::Timestamp::UNIX_EPOCH)
        .to_string()
}

/// A time as Hermes writes it, with an offset or, failing that, taken as UTC.
fn milliseconds(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .or_else(|_| format!("{text}Z").parse::<jiff::Timestamp>())
        .ok()
        .map(jiff::Timestamp::as_millisecond)
}
