//! What is known about skills and what learning cost, in figures.

mod page;

use std::path::Path;

use hone_agent::brain::Brain;
use hone_library::{Listed, State, canonical_or_same, history};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::LearnError;
use crate::gate::called;
use crate::outcomes::{Seen, standing};
use crate::proposal::{Spent, Stage};
use crate::records::{Event, Records};

pub use page::page;
pub(crate) use page::{Bars, bar_chart};

/// Things that happened which are listed.
const MAX_EVENTS: u32 = 50;

/// Weeks back from now that are told one by one.
pub const WEEKS: usize = 26;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Tasks of one kind together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// How many.
    pub tasks: usize,
    /// Those that were answered and not corrected.
    pub well: usize,
    /// Turns on average, of those tasks whose turns were counted; 0 when there is none.
    pub turns: f64,
    /// Tokens on average, the same.
    pub tokens: f64,
}

impl Rate {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn of<'s>(seen: impl Iterator<Item = &'s Seen>) -> Self {
        let mut rate = Self::default();
        let (mut counted, mut turns, mut tokens) = (0_usize, 0, 0);
        for one in seen {
            rate.tasks += 1;
            rate.well += usize::from(one.success());
            counted += usize::from(one.turns > 0);
            turns += one.turns;
            tokens += one.tokens;
        }
        if counted > 0 {
            rate.turns = turns as f64 / counted as f64;
            rate.tokens = tokens as f64 / counted as f64;
        }
        rate
    }

    /// The share that went well; none without tasks.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn share(&self) -> Option<f64> {
        (self.tasks > 0).then(|| self.well as f64 / self.tasks as f64)
    }
}

/// One version of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VersionStats {
    /// The version.
    pub version: String,
    /// The tasks that read it.
    pub with: Rate,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SkillStats {
    /// Whose; empty for a person's own.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub stage: Stage,
    /// The version that is there; none when it is gone.
    pub version: Option<String>,
    /// The tasks that read it.
    pub with: Rate,
    /// Comparable tasks, that came near it and did not read it.
    pub without: Rate,
    /// The tasks that read it, by version, oldest first.
    pub versions: Vec<VersionStats>,
    /// Days since it was made, as far as that is known.
    pub age_days: Option<i64>,
    /// When it was last read: milliseconds since 1970, in JSON a text such as `2026-01-31T12:00:00Z`.
    #[serde(serialize_with = "crate::moment::option::serialize")]
    #[schemars(with = "Option<String>")]
    pub last_use: Option<i64>,
    /// The last weeks, oldest first, without those in which nothing happened.
    pub weeks: Vec<Week>,
}

/// What happened to a skill in seven days.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Week {
    /// How many weeks ago it ended: 0 is the one that ends now.
    pub ago: usize,
    /// Tasks that read it.
    pub uses: usize,
    /// Those that were answered and not corrected.
    pub well: usize,
    /// Comparable tasks that did not read it.
    pub missed: usize,
}

/// What one agent's learning used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSpent {
    /// The agent.
    pub agent: String,
    /// What.
    pub spent: Spent,
}

/// Something that happened to a skill by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Happened {
    /// When: milliseconds since 1970, in JSON a text such as `2026-01-31T12:00:00Z`.
    #[serde(serialize_with = "crate::moment::serialize")]
    #[schemars(with = "String")]
    pub at: i64,
    /// Whose skill.
    pub agent: String,
    /// Which.
    pub skill: String,
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

impl From<Event> for Happened {
    fn from(event: Event) -> Self {
        let Event { at, agent, skill, what, why } = event;
        Self { at, agent, skill, what, why }
    }
}

/// All figures: `hone stats --json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// Every skill that learning knows something about, by agent and name.
    pub skills: Vec<SkillStats>,
    /// What learning used up.
    pub spent: Vec<AgentSpent>,
    /// What happened by itself, newest first.
    pub happened: Vec<Happened>,
}

/// Gathers the figures; those of one agent when it is named.
pub fn stats(
    hone_home: &Path,
    records: &Records,
    agent: Option<&str>,
    now: i64,
) -> Result<Stats, LearnError> {
    let state = State::open(hone_home);
    let mut stats = Stats::default();
    for id in Brain::all(hone_home)? {
        if agent.is_some_and(|agent| agent != id) {
            continue;
        }
        let brain = Brain::find(hone_home, &id)?;
        let listed = brain.catalogue(&state).skills;
        let mut names = records.seen_skills(&id)?;
        names.extend(records.stages(&id)?.into_iter().map(|(name, _, _)| name));
        names.sort();
        names.dedup();
        for name in names {
            stats.skills.push(skill_stats(records, &state, &listed, &id, name, now)?);
        }
    }
    // What other programs told about a person's own skills.
    if agent.is_none() {
        for name in records.seen_skills("")? {
            let mut own = skill_stats(records, &state, &[], "", name, now)?;
            own.version = own.versions.last().map(|last| last.version.clone());
            stats.skills.push(own);
        }
    }
    let is_meant = |id: &str| agent.is_none_or(|agent| agent == id);
    let spent = records.spending()?.into_iter().filter(|(id, _)| is_meant(id));
    stats.spent = spent.map(|(agent, spent)| AgentSpent { agent, spent }).collect();
    let happened = records.events(MAX_EVENTS)?.into_iter().filter(|event| is_meant(&event.agent));
    stats.happened = happened.map(Happened::from).collect();
    Ok(stats)
}

fn skill_stats(
    records: &Records,
    state: &State,
    listed: &[Listed],
    agent: &str,
    name: String,
    now: i64,
) -> Result<SkillStats, LearnError> {
    let seen = records.seen(agent, &name)?;
    let skill = called(listed, &name).map(|at| &listed[at]);
    let mut versions: Vec<VersionStats> = Vec::new();
    for one in seen.iter().filter(|one| one.loaded) {
        if versions.iter().all(|known| known.version != one.version) {
            let of = seen.iter().filter(|other| other.loaded && other.version == one.version);
            versions.push(VersionStats { version: one.version.clone(), with: Rate::of(of) });
        }
    }
    let made = match skill {
        Some(skill) => {
            let key = canonical_or_same(skill.key());
            history(state, &key)?.first().map(|first| first.at)
        }
        None => None,
    };
    let noted = records.stage(agent, &name)?.map_or(Stage::Active, |(stage, _)| stage);
    // What was archived and brought back by its history is there.
    let stage = match skill {
        Some(skill) if noted == Stage::Archived => standing(records, state, agent, skill)?,
        _ => noted,
    };
    Ok(SkillStats {
        agent: agent.to_owned(),
        stage,
        version: skill.and_then(|skill| skill.summary.version.clone()),
        with: Rate::of(seen.iter().filter(|one| one.loaded)),
        without: Rate::of(seen.iter().filter(|one| !one.loaded)),
        versions,
        age_days: made.map(|made| (now - made).max(0) / DAY),
        last_use: seen.iter().filter(|one| one.loaded).map(|one| one.at).max(),
        weeks: weeks(&seen, now),
        name,
    })
}

/// The last weeks in which something happened, oldest first. What is ahead of the clock is not told.
fn weeks(seen: &[Seen], now: i64) -> Vec<Week> {
    let mut all: Vec<Week> =
        (0..WEEKS).rev().map(|ago| Week { ago, uses: 0, well: 0, missed: 0 }).collect();
    for one in seen {
        let ago = usize::try_from((now - one.at).div_euclid(7 * DAY)).unwrap_or(WEEKS);
        let Some(week) = all.iter_mut().find(|week| week.ago == ago) else { continue };
        week.uses += usize::from(one.loaded);
        week.well += usize::from(one.loaded && one.success());
        week.missed += usize::from(!one.loaded);
    }
    all.retain(|week| week.uses + week.missed > 0);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weeks_are_told_back_to_the_last_that_counts() {
        let now = 1_000 * DAY;
        let seen = |ago: i64, loaded, answered| Seen {
            task: format!("t{ago}"),
            version: "1".to_owned(),
            loaded,
            at: now - ago,
            answered,
            corrected: false,
            turns: 1,
            tokens: 1,
        };
        let span = i64::try_from(WEEKS).unwrap() * 7 * DAY;
        let all = [
            seen(span, true, true),
            seen(span - 1, true, true),
            seen(7 * DAY, true, false),
            seen(7 * DAY - 1, false, true),
            seen(0, true, true),
            seen(-1, true, true),
        ];
        let week = |ago, uses, well, missed| Week { ago, uses, well, missed };
        assert_eq!(
            weeks(&all, now),
            [week(WEEKS - 1, 1, 1, 0), week(1, 1, 0, 0), week(0, 1, 1, 1)]
        );
    }
}
