//! Runs of hone's own agents: the task, every step, the end, one object a line.

use hone_agent::task::{Cost, End};
use serde::Deserialize;
use serde_json::Value;

use super::building::Building;
use crate::experience::{Agent, MAX_TASK_CHARS, bounded};

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
                into.experience.source.agent = Agent::Hone(bounded(agent, 200));
            }
            if let Some(task) = record["task"].as_str() {
                into.experience.source.session = bounded(task, 200);
            }
            into.experience.source.subscriber =
                bounded(record["subscriber"].as_str().unwrap_or_default(), 256);
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
