//! The curator: skills that an agent made and nobody uses go stale, then to the archive.
//!
//! Ageing goes by opportunity: a skill that no message came near to does not age, so that one for a task
//! of every year survives. What is pinned, referenced, or not wholly the agent's own is left alone.
//! Planning is pure, with the time passed in; applying a plan is one step for each skill, and each can be
//! undone on its own.

mod archive;
mod merge;
mod neighbours;
mod plan;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use hone_agent::brain::Brain;
use hone_library::usage::{self, Usage};
use hone_library::{
    ARCHIVED, Author, Listed, Mode, State, Store, canonical_or_same, history, standings,
};
use tokio_util::sync::CancellationToken;

use crate::error::LearnError;
use crate::gate::Known;
use crate::land::{ACTOR, hold, is_agents_own};
use crate::outcomes::standing;
use crate::proposal::Stage;
use crate::records::{Event, Records};

pub use archive::{archive, restore};
pub use merge::{Wording, find_merges, propose_merges};
pub use plan::{
    ARCHIVE_DAYS, Due, INTERVAL_HOURS, Left, Maker, Move, Plan, Planned, STALE_DAYS, Subject, due,
    plan,
};

/// What curating needs to know beside the brain.
#[derive(Debug, Clone, Copy)]
pub struct Curating<'a> {
    /// Names that a configuration refers to, such as those of bundles.
    pub referenced: &'a [String],
    /// Now, in milliseconds since 1970.
    pub now: i64,
    /// Stops waiting for the brain.
    pub cancelled: &'a CancellationToken,
}

impl Records {
    /// When the skills of an agent were last curated; none when they never were.
    pub fn curated(&self, agent: &str) -> Result<Option<i64>, LearnError> {
        use rusqlite::OptionalExtension as _;
        let sql = "SELECT at FROM curated WHERE agent = ?1";
        self.run(|db| db.query_row(sql, [agent], |row| row.get(0)).optional())
    }

    /// Notes that the skills of an agent were curated, or first looked at.
    pub fn set_curated(&self, agent: &str, now: i64) -> Result<(), LearnError> {
        self.run(|db| {
            db.execute("INSERT OR REPLACE INTO curated(agent, at) VALUES (?1, ?2)", (agent, now))
        })
        .map(drop)
    }

    /// When a message last came near each skill of an agent that did not read it.
    fn missed(&self, agent: &str) -> Result<BTreeMap<String, i64>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT skill, max(at) FROM outcome WHERE agent = ?1 AND loaded = 0 GROUP BY skill",
            )?;
            let rows = statement.query_map([agent], |row| Ok((row.get(0)?, row.get(1)?)))?;
            rows.collect()
        })
    }
}

/// What is known about each skill of a brain. Linear in their number.
pub fn subjects(
    brain: &Brain,
    state: &State,
    records: &Records,
    known: &Known,
    referenced: &[String],
) -> Result<Vec<Subject>, LearnError> {
    let mut used: BTreeMap<PathBuf, Vec<Usage>> = BTreeMap::new();
    for row in usage::all(state)? {
        used.entry(PathBuf::from(&row.skill)).or_default().push(row);
    }
    let stages: BTreeMap<String, (Stage, i64)> = records
        .stages(&brain.id)?
        .into_iter()
        .map(|(name, stage, since)| (name, (stage, since)))
        .collect();
    let missed = records.missed(&brain.id)?;
    let mentioned = mentioned(known);
    let standings = standings(state, &known.listed)?;
    let mut subjects = Vec::new();
    for (at, skill) in known.listed.iter().enumerate() {
        let name = skill.summary.name.clone();
        let key = canonical_or_same(skill.key());
        let rows = used.get(&key).map_or(&[][..], Vec::as_slice);
        let last = |row: &Usage| [row.last_used, row.last_viewed, row.last_patched];
        let past = history(state, &key)?;
        let changed = past.last().map(|last| last.at);
        let by_machine = is_agents_own(state, skill);
        subjects.push(Subject {
            maker: if by_machine { Maker::Agent } else { Maker::Other },
            is_pinned: standings.get(at).is_some_and(|standing| standing.pinned),
            is_referenced: referenced.contains(&name) || mentioned.contains(&name),
            stage: stages.get(&name).map_or(Stage::Active, |(stage, _)| *stage),
            created: past.first().map(|first| first.at),
            last_active: rows.iter().flat_map(last).flatten().chain(changed).max(),
            last_missed: missed.get(&name).copied(),
            name,
        });
    }
    Ok(subjects)
}

/// The skills that another one's text names in backticks or calls with a slash.
fn mentioned(known: &Known) -> BTreeSet<String> {
    let names: BTreeSet<&str> =
        known.listed.iter().map(|skill| skill.summary.name.as_str()).collect();
    let mut mentioned = BTreeSet::new();
    for (skill, text) in known.listed.iter().zip(known.texts()) {
        let mut before = ' ';
        for word in text.body.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '-')) {
            let bare = word.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
            let is_called = matches!(before, '`' | '/' | '$');
            if is_called && names.contains(bare) && bare != skill.summary.name {
                mentioned.insert(bare.to_owned());
            }
            before = word.chars().last().unwrap_or(' ');
        }
    }
    mentioned
}

/// The plan for the skills of a brain; nothing is changed.
pub fn plan_for(
    brain: &Brain,
    records: &Records,
    curating: Curating<'_>,
) -> Result<Plan, LearnError> {
    let state = State::open(brain.hone_home());
    let known = Known::of(brain, &state);
    let subjects = subjects(brain, &state, records, &known, curating.referenced)?;
    Ok(plan(&subjects, curating.now))
}

/// Carries a plan out. What goes to the archive goes through the ledger, in a brain that is held, and is
/// signed.
pub async fn apply(
    brain: &Brain,
    records: &Records,
    plan: &Plan,
    curating: Curating<'_>,
) -> Result<(), LearnError> {
    let now = curating.now;
    let archived: Vec<&Planned> =
        plan.moves.iter().filter(|planned| planned.to == Move::Archive).collect();
    if !archived.is_empty() {
        let held = hold(brain, "hone curate", now, curating.cancelled).await?;
        brain.learn(&held, now, |state| {
            let known = Known::of(brain, state);
            let places: BTreeMap<&str, &Listed> =
                known.listed.iter().map(|skill| (skill.summary.name.as_str(), skill)).collect();
            for planned in &archived {
                if let Some(skill) = places.get(planned.name.as_str()) {
                    let reason = format!("{ARCHIVED}: {}", planned.why);
                    let author = Author { actor: ACTOR.to_owned(), reason, now };
                    Store::new(state, author, Mode::Write).delete(skill)?;
                }
            }
            Ok::<_, LearnError>(())
        })?;
    }
    let is_lifted = plan.moves.iter().any(|planned| planned.to == Move::Activate);
    let state = State::open(brain.hone_home());
    let known = is_lifted.then(|| Known::of(brain, &state));
    for planned in &plan.moves {
        let stage = match planned.to {
            Move::Stale => Stage::Stale,
            Move::Archive => Stage::Archived,
            Move::Activate => match known.as_ref().and_then(|known| known.find(&planned.name)) {
                Some(skill) => standing(records, &state, &brain.id, skill)?,
                None => Stage::Active,
            },
        };
        records.set_stage(&brain.id, &planned.name, stage, now)?;
        records.tell(&Event {
            at: now,
            agent: brain.id.clone(),
            skill: planned.name.clone(),
            what: stage.id().to_owned(),
            why: planned.why.clone(),
        })?;
    }
    records.set_curated(&brain.id, now)
}
