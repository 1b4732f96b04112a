//! Runs of hone's own agents: the task, every step, the end, one object a line.

use hone_agent::memory::MAX_SUBSCRIBER_BYTES;
use hone_agent::task::{Cost, End};
use serde::Deserialize;
use serde_json::Value;

use super::building::Building;
use crate::experience::{Agent, MAX_NAME_CHARS, MAX_TASK_CHARS, bounded};

#[derive(Deserialize)]
struct Foot {
    end: End,
    cost: Cost,
}

/// Takes one record; the last says how it ended.
pub(super) fn take(into: &mut Building, record: Value) {
    match record["kind"].as_str() {
        Some("task") => {
            if let Some(agent) = record["agent"].as_str() {
                into.experience.source.agent = Agent::Hone(bounded(agent, MAX_NAME_CHARS));
            }
            if let Some(task) = record["task"].as_str() {
                into.experience.source.session = bounded(task, MAX_NAME_CHARS);
            }
            into.experience.source.subscriber =
                bounded(record["subscriber"].as_str().unwrap_or_default(), MAX_SUBSCRIBER_BYTES);
            into.person(record["input"].as_str().unwrap_or_default());
        }
        Some("end") => match serde_json::from_value::<Foot>(record) {
            Ok(Foot { end, cost }) => {
                if let End::Answered { text } = &end {
                    into.experience.answer = Some(bounded(text, MAX_TASK_CHARS));
                }
                into.experience.end(&end, cost);
            }
            Err(_) => into.skip(),
        },
        _ => match serde_json::from_value::<hone_agent::step::Step>(record) {
            Ok(step) => {
                into.at(step.started);
                into.at(step.ended);
                into.experience.take(&step);
            }
            Err(_) => into.skip(),
        },
    }
}
