//! The tasks that a candidate is tried on: the one that taught it, earlier ones that the skill or its rival
//! served, and, for a new skill, earlier ones that it would be called for.
//!
//! A lesson can be right for the task that taught it and wrong for others of its kind. Where such others
//! have been, they say so before it lands.

use std::path::PathBuf;

use hone_agent::brain::Brain;
use hone_agent::memory::Subscriber;
use rusqlite::params;
use serde_json::Value;

use crate::error::LearnError;
use crate::experience::Experience;
use crate::gate::replay::Again;
use crate::gate::{Known, would_call};
use crate::proposal::{Kind, Proposal};
use crate::records::Records;

/// Earlier tasks whose messages are held against a new skill, the newest ones.
pub const MAX_LOOKED_AT: usize = 50;

/// A task of the records, and the folder that it could read.
type Noted = (String, Option<PathBuf>);

/// What a candidate is tried on: the task that taught it first, then at most so many earlier ones.
pub(crate) fn tasks(
    brain: &Brain,
    records: &Records,
    known: &Known,
    proposal: &Proposal,
    experience: &Experience,
    most: usize,
) -> Result<Vec<Again>, LearnError> {
    let this = &experience.source.session;
    let mut tasks = vec![Again {
        task: this.clone(),
        input: experience.task.clone(),
        folder: experience.source.folder.clone(),
        answer: experience.answer.clone().filter(|_| experience.corrections.is_empty()),
        subscriber: subscriber_of(&experience.source.subscriber),
    }];
    let rivals = match &proposal.kind {
        Kind::Create => experience.skills.iter().map(|skill| skill.name.clone()).collect(),
        _ => vec![proposal.name.clone()],
    };
    let served = records.earlier_tasks(&brain.id, &rivals, this, most)?;
    tasks.extend(served.into_iter().filter_map(|noted| again(brain, noted)));
    if proposal.kind == Kind::Create && tasks.len() <= most {
        let newest = records.newest_tasks(&brain.id, this, MAX_LOOKED_AT)?;
        let is_there = |noted: &Noted| tasks.iter().any(|task| task.task == noted.0);
        let others: Vec<Again> = newest
            .into_iter()
            .filter(|noted| !is_there(noted))
            .filter_map(|noted| again(brain, noted))
            .filter(|task| task.answer.is_some())
            .collect();
        let messages: Vec<&str> = others.iter().map(|task| task.input.as_str()).collect();
        let calls = would_call(known, proposal, &messages);
        let near = others.into_iter().zip(calls).filter(|(_, calls)| *calls);
        let room = most + 1 - tasks.len();
        tasks.extend(near.map(|(task, _)| task).take(room));
    }
    Ok(tasks)
}

impl Records {
    /// Notes that a person objected to what a task answered.
    pub(crate) fn object(&self, agent: &str, task: &str) -> Result<(), LearnError> {
        let sql = "INSERT OR IGNORE INTO objected(agent, task) VALUES (?1, ?2)";
        self.run(|db| db.execute(sql, [agent, task])).map(drop)
    }

    /// The newest tasks that can be run again and that nobody objected to, newest first; `but` is left out.
    fn newest_tasks(&self, agent: &str, but: &str, most: usize) -> Result<Vec<Noted>, LearnError> {
        self.run(|db| {
            let mut statement = db.prepare_cached(
                "SELECT task, folder FROM task WHERE agent = ?1 AND task <> ?2 \
                 AND task NOT IN (SELECT task FROM objected WHERE agent = ?1) \
                 ORDER BY at DESC, task LIMIT ?3",
            )?;
            let most = i64::try_from(most).unwrap_or(i64::MAX);
            let rows = statement.query_map(params![agent, but, most], |row| {
                let folder: Option<String> = row.get(1)?;
                Ok((row.get(0)?, folder.map(PathBuf::from)))
            })?;
            rows.collect()
        })
    }
}

/// An earlier task to be run again, from its transcript.
fn again(brain: &Brain, (task, folder): Noted) -> Option<Again> {
    let lines = brain.transcript(&task).ok().flatten()?;
    let head = lines.first()?;
    let input = head.get("input")?.as_str()?.to_owned();
    let subscriber = head.get("subscriber").and_then(Value::as_str).unwrap_or_default();
    let subscriber = subscriber_of(subscriber);
    let text = lines.last()?.get("end")?.get("text").and_then(Value::as_str);
    // The answer as a person saw it: the text of `answer`, when that is all there is.
    let answer = text.map(|text| {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let plain = value.as_object().filter(|object| object.len() == 1);
        let plain = plain.and_then(|object| object.get("answer")).and_then(Value::as_str);
        plain.map_or_else(|| text.to_owned(), str::to_owned)
    });
    Some(Again { task, input, folder, answer, subscriber })
}

/// The subscriber of a name as records have it: none is the owner.
fn subscriber_of(name: &str) -> Subscriber {
    Subscriber::named(name).unwrap_or(Subscriber::Owner)
}
