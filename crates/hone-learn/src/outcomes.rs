//! What came of tasks, by skill and version, and what follows from it.
//!
//! A task counts for every skill that it read, and as a missed opportunity for those that its words led
//! to and that it did not read. A version that does significantly worse than the one before goes back;
//! one that has served its trial becomes active.

use hone_agent::brain::Brain;
use hone_library::{
    ARCHIVED, Action, Author, Listed, Mode, Revision, State, Store, canonical_or_same, history,
};
use hone_router::{Band, Index, Ranking};
use rusqlite::params;
use tokio_util::sync::CancellationToken;

use crate::error::LearnError;
use crate::experience::Experience;
use crate::gate::Known;
use crate::land::{self, hold, is_agents_own, is_machine};
use crate::proposal::{Outcome, Stage};
use crate::records::{Event, Records};
use crate::significance::{SIGNIFICANT, fewer_successes, larger_values};

/// Uses after which a skill on trial is active.
pub const TRIAL_USES: usize = 3;

/// Uses of a version before it is judged: fewer say nothing, however well the one before did.
pub const MIN_USES: usize = 3;

/// The newest uses of a version that are compared.
pub const WINDOW: usize = 20;

/// Skills that one message can be an opportunity for.
const MAX_NEAR: usize = 5;

/// One task, as far as a skill is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// The task.
    pub task: String,
    /// The version that was there; empty when it declares none.
    pub version: String,
    /// Whether the task read it.
    pub loaded: bool,
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whether the task was answered.
    pub answered: bool,
    /// Whether the person said that it was wrong.
    pub corrected: bool,
    /// Turns of the model; 0 when nobody counted them, as in what another agent reports.
    pub turns: u64,
    /// Tokens, in and out; the same.
    pub tokens: u64,
}

impl Seen {
    /// Whether it went well.
    pub fn success(&self) -> bool {
        self.answered && !self.corrected
    }
}

/// A version that went back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    /// The skill.
    pub skill: String,
    /// The version that did worse.
    pub from: String,
    /// The version that is there again; none when the skill is gone.
    pub to: Option<String>,
    /// Why.
    pub why: String,
}

/// What became of the skills that a task read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LookedAfter {
    /// Versions that went back.
    pub gone: Vec<RolledBack>,
    /// What somebody should know: what stays although it does worse, and what could not be done.
    pub notes: Vec<String>,
}

impl Records {
    /// Notes what came of a task for one skill; one that was seen before keeps its time.
    pub fn see(&self, agent: &str, skill: &str, seen: &Seen) -> Result<(), LearnError> {
        let number = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        self.run(|db| {
            db.execute(
                "INSERT INTO outcome(agent, skill, task, version, loaded, at, answered, corrected, \
                 turns, tokens) VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10) \
                 ON CONFLICT(agent, skill, task) DO UPDATE SET version = excluded.version, \
                 loaded = excluded.loaded, answered = excluded.answered, \
                 corrected = excluded.corrected, turns = excluded.turns, tokens = excluded.tokens",
                params![
                    agent,
                    skill,
                    seen.task,
                    seen.version,
                    seen.loaded,
                    seen.at,
                    seen.answered,
                    seen.corrected,
                    number(seen.turns),
                    number(seen.tokens),
                ],
            )
        })
        .map(drop)
    }

    /// What came of tasks for a skill, oldest first.
    pub fn seen(&self, agent: &str, skill: &str) -> Result<Vec<Seen>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare(
                "SELECT task, version, loaded, at, answered, corrected, turns, tokens FROM outcome \
                 WHERE agent = ?1 AND skill = ?2 ORDER BY at, task",
            )?;
            let rows = statement.query_map([agent, skill], |row| {
                let count = |at: usize| {
                    row.get::<_, i64>(at).map(|count| u64::try_from(count).unwrap_or_default())
                };
                Ok(Seen {
                    task: row.get(0)?,
                    version: row.get(1)?,
                    loaded: row.get(2)?,
                    at: row.get(3)?,
                    answered: row.get(4)?,
                    corrected: row.get(5)?,
                    turns: count(6)?,
                    tokens: count(7)?,
                })
            })?;
            rows.collect()
        })
    }

    /// The skills of an agent that tasks were seen for, sorted.
    pub fn seen_skills(&self, agent: &str) -> Result<Vec<String>, LearnError> {
        self.run(|db| {
            let mut statement =
                db.prepare("SELECT DISTINCT skill FROM outcome WHERE agent = ?1 ORDER BY skill")?;
            let rows = statement.query_map([agent], |row| row.get(0))?;
            rows.collect()
        })
    }

    /// The person said that a task was done wrong: every skill that it read is told. False when the task
    /// is not known.
    pub fn correct(&self, agent: &str, task: &str) -> Result<bool, LearnError> {
        let sql = "UPDATE outcome SET corrected = 1 WHERE agent = ?1 AND task = ?2";
        self.run(|db| Ok(db.execute(sql, [agent, task])? > 0))
    }
}

/// What a task was for a version of a skill.
fn seen_in(experience: &Experience, version: Option<&str>, loaded: bool, now: i64) -> Seen {
    Seen {
        task: experience.source.session.clone(),
        version: version.unwrap_or_default().to_owned(),
        loaded,
        at: now,
        answered: experience.converged,
        corrected: !experience.corrections.is_empty(),
        turns: experience.cost.turns,
        tokens: experience.cost.tokens_in.saturating_add(experience.cost.tokens_out),
    }
}

/// Notes what came of a task for the skills that it read, and gives their names.
pub fn count(
    records: &Records,
    agent: &str,
    experience: &Experience,
    now: i64,
) -> Result<Vec<String>, LearnError> {
    let mut read = Vec::new();
    for skill in &experience.skills {
        let seen = seen_in(experience, skill.version.as_deref(), true, now);
        records.see(agent, &skill.name, &seen)?;
        read.push(skill.name.clone());
    }
    Ok(read)
}

/// Notes what came of a task, for the skills that it read and for those that it was near to. Gives the
/// names of those that it read.
pub fn observe(
    records: &Records,
    (brain, state): (&Brain, &State),
    known: &Known,
    experience: &Experience,
    now: i64,
) -> Result<Vec<String>, LearnError> {
    let read = count(records, &brain.id, experience, now)?;
    for at in near((brain, state), known, &experience.task) {
        let summary = &known.listed[at].summary;
        if !read.contains(&summary.name) {
            let seen = seen_in(experience, summary.version.as_deref(), false, now);
            records.see(&brain.id, &summary.name, &seen)?;
        }
    }
    Ok(read)
}

/// The skills that a message leads to, by the index that is kept: no skill that stayed is opened.
fn near((brain, state): (&Brain, &State), known: &Known, message: &str) -> Vec<usize> {
    if known.listed.is_empty() {
        return Vec::new();
    }
    let opened = Index::open(state, &[brain.skills_root()], &known.listed);
    let found = Ranking::new(&opened.index, message).matches(MAX_NEAR, |_| true);
    found.into_iter().filter(|one| one.band != Band::Nothing).map(|one| one.skill).collect()
}

/// Why a version does worse than the one before; nothing when it does not, or when too little is known.
/// Success comes first; among tasks that went well, turns.
pub fn worse(before: &[&Seen], now: &[&Seen]) -> Option<String> {
    if now.len() < MIN_USES {
        return None;
    }
    let newest = |all: &[&Seen]| -> Vec<Seen> {
        all.iter().rev().take(WINDOW).map(|seen| (*seen).clone()).collect()
    };
    let (before, now) = (newest(before), newest(now));
    let good = |all: &[Seen]| (all.iter().filter(|seen| seen.success()).count(), all.len());
    let (then, since) = (good(&before), good(&now));
    let chance = fewer_successes(then, since);
    // A sum of logarithms is not exact in its last digits.
    if chance <= SIGNIFICANT + 1e-9 {
        return Some(format!(
            "{} of {} tasks went well, {} of {} before (p {chance:.2})",
            since.0, since.1, then.0, then.1
        ));
    }
    let turns = |all: &[Seen]| -> Vec<u64> {
        let went_well = all.iter().filter(|seen| seen.success() && seen.turns > 0);
        went_well.map(|seen| seen.turns).collect()
    };
    let (then, since) = (turns(&before), turns(&now));
    let chance = larger_values(&then, &since);
    (chance <= SIGNIFICANT + 1e-9).then(|| {
        format!("it takes {} turns, {} before (p {chance:.2})", middle(&since), middle(&then))
    })
}

/// The middle value.
fn middle(values: &[u64]) -> u64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len() / 2).copied().unwrap_or_default()
}

/// What was there before a version came: its revision and its version; none when the skill was not there.
/// To bring a version back is not to bring it.
fn before<'r>(rows: &'r [Revision], version: &str) -> Option<(u64, &'r str)> {
    let came = rows.iter().rposition(|row| {
        !matches!(row.action, Action::Rollback | Action::Delete)
            && row.to_version.as_deref().unwrap_or_default() == version
            && row.from_version != row.to_version
    })?;
    let last = rows[..came].last().filter(|row| row.action != Action::Delete)?;
    Some((last.revision, rows[came].from_version.as_deref().unwrap_or_default()))
}

/// When a person last brought back what was there before; the uses until then are judged by that word.
fn brought_back(rows: &[Revision]) -> Option<i64> {
    let by_person = |row: &&Revision| row.action == Action::Rollback && !is_machine(&row.actor);
    rows.iter().rev().find(by_person).map(|row| row.at)
}

/// Where a version that is there again stands: one of the agent's own is on trial until it has served it.
pub(crate) fn standing(
    records: &Records,
    state: &State,
    agent: &str,
    skill: &Listed,
) -> Result<Stage, LearnError> {
    if !is_agents_own(state, skill) {
        return Ok(Stage::Active);
    }
    let version = skill.summary.version.as_deref().unwrap_or_default();
    let seen = records.seen(agent, &skill.summary.name)?;
    let uses = seen.iter().filter(|one| one.loaded && one.version == version).count();
    Ok(if uses < TRIAL_USES { Stage::Trial } else { Stage::Active })
}

/// The uses of a version, and those that it is measured by: of the version before, or, for a first one,
/// comparable tasks without it.
fn split<'s>(
    seen: &'s [Seen],
    version: &str,
    before: Option<&str>,
) -> (Vec<&'s Seen>, Vec<&'s Seen>) {
    let of = |version: &str| {
        seen.iter().filter(|one| one.loaded && one.version == version).collect::<Vec<_>>()
    };
    let then = match before {
        Some(before) => of(before),
        None => seen.iter().filter(|one| !one.loaded).collect(),
    };
    (then, of(version))
}

/// Looks after the skills that a task read: one that does worse goes back, one that served its trial or was
/// stale is active, and the edits of its version are told whether they helped. What goes wrong with one skill
/// is told, and the others are looked after all the same.
pub async fn look_after(
    records: &Records,
    (brain, state): (&Brain, &State),
    known: &Known,
    (experience, read): (&Experience, &[String]),
    now: i64,
    cancelled: &CancellationToken,
) -> LookedAfter {
    let mut looked = LookedAfter::default();
    for name in read {
        let Some(skill) = known.find(name) else { continue };
        let version = experience.skills.iter().rev().find(|read| read.name == *name);
        let version = version.and_then(|read| read.version.as_deref()).unwrap_or_default();
        let judged = judged(records, (brain, state), skill, version, now);
        let (version, why) = match judged {
            Ok(None) => continue,
            Ok(Some(judged)) => judged,
            Err(error) => {
                looked.notes.push(format!("`{name}` was not looked after: {error}"));
                continue;
            }
        };
        let author = Author { actor: land::ACTOR.to_owned(), reason: String::new(), now };
        if Store::new(state, author, Mode::Write).is_pinned(skill).unwrap_or_default() {
            looked.notes.push(format!(
                "`{name}` does worse ({why}) and stays, for it is pinned; `hone unpin {name}` lets it go back"
            ));
            continue;
        }
        match roll_back(records, brain, name, &version, &why, now, cancelled).await {
            Ok(gone) => looked.gone.push(gone),
            Err(error) => looked.notes.push(format!("`{name}` does worse and stays: {error}")),
        }
    }
    looked
}

/// The version of a skill that does worse, and why; none when it does not. One that served its trial, or was
/// stale, stands where it belongs then.
fn judged(
    records: &Records,
    (brain, state): (&Brain, &State),
    skill: &Listed,
    read: &str,
    now: i64,
) -> Result<Option<(String, String)>, LearnError> {
    let name = &skill.summary.name;
    count_edits(records, brain, name, read)?;
    let stage = records.stage(&brain.id, name)?.map(|(stage, _)| stage);
    if stage == Some(Stage::Stale) {
        let stage = standing(records, state, &brain.id, skill)?;
        records.set_stage(&brain.id, name, stage, now)?;
        records.tell(&Event {
            at: now,
            agent: brain.id.clone(),
            skill: name.clone(),
            what: stage.id().to_owned(),
            why: "it was used again".to_owned(),
        })?;
    }
    if !is_agents_own(state, skill) {
        return Ok(None);
    }
    let version = skill.summary.version.clone().unwrap_or_default();
    let seen = records.seen(&brain.id, name)?;
    let rows = history(state, &canonical_or_same(skill.key()))?;
    let last = before(&rows, &version).map(|(_, version)| version);
    let (then, mut uses) = split(&seen, &version, last);
    let served = uses.len() >= TRIAL_USES;
    // A person who brought it back has judged what came before.
    let since = brought_back(&rows);
    uses.retain(|one| since.is_none_or(|since| one.at > since));
    if let Some(why) = worse(&then, &uses) {
        return Ok(Some((version, why)));
    }
    if served && stage == Some(Stage::Trial) {
        records.set_stage(&brain.id, name, Stage::Active, now)?;
    }
    Ok(None)
}

/// Tells the edits that became a version how many tasks went well with it, and how many did not. All tasks
/// with that version are counted, so that a task that is corrected later is counted once.
fn count_edits(
    records: &Records,
    brain: &Brain,
    name: &str,
    version: &str,
) -> Result<(), LearnError> {
    let all = records.proposals_of(&brain.id, name)?;
    let Some(mut last) = all.into_iter().find(|one| one.became(version)) else { return Ok(()) };
    if last.edits.is_empty() {
        return Ok(());
    }
    let seen = records.seen(&brain.id, name)?;
    let (mut helped, mut hurt) = (0, 0);
    for one in seen.iter().filter(|one| one.loaded && one.version == version) {
        if one.success() {
            helped += 1;
        } else {
            hurt += 1;
        }
    }
    for edit in &mut last.edits {
        (edit.helped, edit.hurt) = (helped, hurt);
    }
    records.keep(&last)
}

/// Brings back what was there before a version; a first version goes to the archive. The ledger says why.
async fn roll_back(
    records: &Records,
    brain: &Brain,
    name: &str,
    version: &str,
    why: &str,
    now: i64,
    cancelled: &CancellationToken,
) -> Result<RolledBack, LearnError> {
    let held = hold(brain, "learning", now, cancelled).await?;
    let reason = format!("version {version} does worse: {why}");
    let author = Author { actor: land::ACTOR.to_owned(), reason, now };
    let (to, _) = brain.learn(&held, now, |state| {
        let known = Known::of(brain, state);
        let Some(skill) = known.find(name) else {
            return Err(LearnError::Refused(format!("there is no skill `{name}` any more")));
        };
        let key = canonical_or_same(skill.key());
        let rows = history(state, &key)?;
        let Some((back, _)) = before(&rows, version) else {
            let reason = format!("{ARCHIVED}: {}", author.reason);
            Store::new(state, Author { reason, ..author }, Mode::Write).delete(skill)?;
            return Ok(None);
        };
        let store = Store::new(state, author, Mode::Write);
        let change = store.rollback(&key, Some(back))?;
        Ok(change.to_version)
    })?;
    drop(held);
    let state = State::open(brain.hone_home());
    let stage = match Known::of(brain, &state).find(name) {
        Some(skill) => standing(records, &state, &brain.id, skill)?,
        None => Stage::Archived,
    };
    records.set_stage(&brain.id, name, stage, now)?;
    let all = records.proposals_of(&brain.id, name)?;
    if let Some(mut proposal) = all.into_iter().find(|one| one.became(version))
        && let Some(decided) = proposal.decided.as_mut()
    {
        decided.outcome = Outcome::RolledBack;
        why.clone_into(&mut decided.why);
        decided.at = now;
        proposal.stage = Stage::Archived;
        records.keep(&proposal)?;
    }
    records.tell(&Event {
        at: now,
        agent: brain.id.clone(),
        skill: name.to_owned(),
        what: "rolled-back".to_owned(),
        why: format!("version {version}: {why}"),
    })?;
    Ok(RolledBack { skill: name.to_owned(), from: version.to_owned(), to, why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(version: &str, loaded: bool, at: i64, answered: bool, turns: u64) -> Seen {
        Seen {
            task: format!("t{at}"),
            version: version.to_owned(),
            loaded,
            at,
            answered,
            corrected: false,
            turns,
            tokens: 100 * turns,
        }
    }

    fn of(version: &str, from: i64, went: &[bool]) -> Vec<Seen> {
        let at = from..;
        at.zip(went).map(|(at, went)| seen(version, true, at, *went, 4)).collect()
    }

    #[test]
    fn a_version_is_measured_by_the_one_before_and_a_first_one_by_tasks_without_it() {
        let mut all = vec![seen("", false, 1, true, 9), seen("1", true, 2, true, 4)];
        all.push(seen("1", false, 3, true, 8));
        all.push(seen("2", true, 4, false, 4));
        let tasks = |seen: &[&Seen]| seen.iter().map(|one| one.at).collect::<Vec<_>>();
        let (before, now) = split(&all, "2", Some("1"));
        assert_eq!((tasks(&before), tasks(&now)), (vec![2], vec![4]));
        let (before, now) = split(&all[..3], "1", None);
        assert_eq!((tasks(&before), tasks(&now)), (vec![1, 3], vec![2]));
    }

    #[test]
    fn three_failures_after_three_successes_are_worse_and_two_are_not_enough() {
        let mut all = of("1", 1, &[true; 3]);
        all.extend(of("2", 10, &[false; 2]));
        let judged = |all: &[Seen]| {
            let (before, now) = split(all, "2", Some("1"));
            worse(&before, &now)
        };
        assert_eq!(judged(&all), None);
        all.push(seen("2", true, 12, false, 4));
        let why = judged(&all).unwrap();
        assert_eq!(why, "0 of 3 tasks went well, 3 of 3 before (p 0.05)");
    }

    #[test]
    fn fewer_uses_than_three_say_nothing_however_well_the_version_before_did() {
        let before = of("1", 1, &[true; WINDOW]);
        let judged = |uses: usize| {
            let mut all = before.clone();
            all.extend(of("2", 100, &[false; MIN_USES][..uses]));
            let (before, now) = split(&all, "2", Some("1"));
            worse(&before, &now).is_some()
        };
        assert_eq!([judged(1), judged(MIN_USES - 1), judged(MIN_USES)], [false, false, true]);
    }

    #[test]
    fn a_task_that_was_corrected_did_not_go_well() {
        let mut all = of("1", 1, &[true; 3]);
        let wrong = |at| Seen { corrected: true, ..seen("2", true, at, true, 4) };
        all.extend((10..13).map(wrong));
        let (before, now) = split(&all, "2", Some("1"));
        assert!(worse(&before, &now).unwrap().starts_with("0 of 3"));
    }

    #[test]
    fn more_turns_for_the_same_success_are_worse_too() {
        let mut all = of("1", 1, &[true; 3]);
        all.extend((10..13).map(|at| seen("2", true, at, true, 7)));
        let (before, now) = split(&all, "2", Some("1"));
        assert_eq!(worse(&before, &now).unwrap(), "it takes 7 turns, 4 before (p 0.05)");
        let (before, now) = (now, before);
        assert_eq!(worse(&before, &now), None);
    }

    #[test]
    fn what_was_reported_without_turns_is_not_quicker() {
        let mut all: Vec<Seen> = (1..9).map(|at| seen("1", true, at, true, 0)).collect();
        all.extend((10..13).map(|at| seen("2", true, at, true, 3)));
        let (before, now) = split(&all, "2", Some("1"));
        assert_eq!(worse(&before, &now), None);
    }

    #[test]
    fn only_the_newest_uses_count() {
        let mut all = of("1", 1, &[false; 30]);
        all.extend(of("1", 100, &[true; WINDOW]));
        all.extend(of("2", 200, &[true; 30]));
        all.extend(of("2", 300, &[false; WINDOW]));
        let (before, now) = split(&all, "2", Some("1"));
        let why = worse(&before, &now).unwrap();
        assert!(why.starts_with("0 of 20 tasks went well, 20 of 20 before"), "{why}");
    }

    #[test]
    fn a_correction_reaches_every_skill_of_the_task() {
        let home = tempfile::tempdir().unwrap();
        let records = Records::open(home.path()).unwrap();
        for skill in ["a", "b"] {
            records.see("ada", skill, &seen("1", true, 5, true, 2)).unwrap();
        }
        assert!(records.correct("ada", "t5").unwrap());
        assert!(!records.correct("ada", "t6").unwrap());
        assert!(records.seen("ada", "b").unwrap()[0].corrected);
        assert_eq!(records.seen_skills("ada").unwrap(), ["a", "b"]);
    }
}
