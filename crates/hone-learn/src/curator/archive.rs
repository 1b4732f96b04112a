//! To the archive and back, by a person's word. The archive is the library's history: every file of the
//! skill is kept there, with its place, and comes back to it.

use std::path::Path;

use hone_agent::brain::Brain;
use hone_library::{
    ARCHIVED, Author, Change, Listed, Mode, State, Store, canonical_or_same, history, usage,
};
use tokio_util::sync::CancellationToken;

use crate::error::LearnError;
use crate::gate::Known;
use crate::land::hold;
use crate::outcomes::standing;
use crate::proposal::Stage;
use crate::records::{Event, Records};

/// Takes a skill out of sight.
pub async fn archive(
    hone_home: &Path,
    records: &Records,
    skill: &Listed,
    author: Author,
    cancelled: &CancellationToken,
) -> Result<Change, LearnError> {
    let (name, now) = (skill.summary.name.clone(), author.now);
    let why = author.reason.clone();
    let reason = if why.is_empty() { ARCHIVED.to_owned() } else { format!("{ARCHIVED}: {why}") };
    let author = Author { reason, ..author };
    let brain = Brain::around(hone_home, skill.key())?;
    let change = changed(hone_home, brain.as_ref(), now, cancelled, |state| {
        Ok(Store::new(state, author, Mode::Write).delete(skill)?)
    })
    .await?;
    noted(records, brain.as_ref(), &name, Stage::Archived, &why, now)?;
    Ok(change)
}

/// Brings an archived skill back to where it was, with all its files; its clock begins anew. Gives its
/// version.
pub async fn restore(
    hone_home: &Path,
    records: &Records,
    key: &Path,
    author: Author,
    cancelled: &CancellationToken,
) -> Result<Option<String>, LearnError> {
    let key = canonical_or_same(key);
    if key.symlink_metadata().is_ok() {
        let name = key.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Err(LearnError::Refused(format!("`{name}` is there: it is not archived")));
    }
    let (now, why) = (author.now, author.reason.clone());
    let brain = Brain::around(hone_home, &key)?;
    let change = changed(hone_home, brain.as_ref(), now, cancelled, |state| {
        let rows = history(state, &key)?;
        let before = rows.last().map_or(0, |last| last.revision.saturating_sub(1));
        let reason =
            if why.is_empty() { "restored".to_owned() } else { format!("restored: {why}") };
        let store = Store::new(state, Author { reason, ..author.clone() }, Mode::Write);
        Ok(store.rollback(&key, Some(before))?)
    })
    .await?;
    let mut stage = Stage::Active;
    if let Some(brain) = &brain {
        let state = State::open(hone_home);
        if let Some(skill) = Known::of(brain, &state).find(&change.name) {
            // Whoever brings it back looked at it.
            usage::count(&state, skill, usage::Event::View, now);
            stage = standing(records, &state, &brain.id, skill)?;
        }
    }
    noted(records, brain.as_ref(), &change.name, stage, "restored", now)?;
    Ok(change.to_version)
}

/// Changes a skill, in its brain when it has one.
async fn changed<T>(
    hone_home: &Path,
    brain: Option<&Brain>,
    now: i64,
    cancelled: &CancellationToken,
    work: impl FnOnce(&State) -> Result<T, LearnError>,
) -> Result<T, LearnError> {
    let Some(brain) = brain else { return work(&State::open(hone_home)) };
    let held = hold(brain, "hone curate", now, cancelled).await?;
    let (done, _) = brain.learn(&held, now, work)?;
    Ok(done)
}

fn noted(
    records: &Records,
    brain: Option<&Brain>,
    name: &str,
    stage: Stage,
    why: &str,
    now: i64,
) -> Result<(), LearnError> {
    let agent = brain.map_or("", |brain| brain.id.as_str());
    records.set_stage(agent, name, stage, now)?;
    records.tell(&Event {
        at: now,
        agent: agent.to_owned(),
        skill: name.to_owned(),
        what: stage.id().to_owned(),
        why: why.to_owned(),
    })
}
