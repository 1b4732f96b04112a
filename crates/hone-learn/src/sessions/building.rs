//! An experience while its records are read: calls find their results, and the person's words find
//! their place. Every reader of a format speaks through it.

use std::collections::HashMap;

use hone_agent::step::Outcome;
use serde_json::Value;

use super::parts::{MAX_TASKS, Part};
use super::words::{is_against, is_new};
use crate::experience::{
    Agent, Cost, Experience, Loaded, MAX_NAME_CHARS, MAX_RESULT_CHARS, MAX_STEPS, MAX_TASK_CHARS,
    Source, Step, bounded,
};

/// An experience that is being read.
#[derive(Debug)]
pub(super) struct Building {
    pub(super) experience: Experience,
    /// The calls that have no result yet: the source's id, and the place of the step.
    open: HashMap<String, usize>,
    is_interrupted: bool,
    spoke_last: bool,
    last_said: String,
    /// A command to the agent itself, such as `/clear`: the task if nothing else was said.
    command: String,
    last: i64,
    /// How often the agent said something.
    said: usize,
    parts: Vec<Part>,
}

/// A session that was read: all of it, and where its later tasks begin.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) whole: Experience,
    pub(super) parts: Vec<Part>,
    /// How often the agent said something.
    pub(super) said: usize,
}

impl Building {
    pub(super) fn new(agent: Agent, session: &str) -> Self {
        let source = Source {
            agent,
            session: bounded(session, MAX_NAME_CHARS),
            path: None,
            subscriber: String::new(),
            folder: None,
            model: None,
            started: 0,
        };
        let experience = Experience {
            source,
            task: String::new(),
            steps: Vec::new(),
            skills: Vec::new(),
            corrections: Vec::new(),
            converged: false,
            answer: None,
            cost: Cost::default(),
            skipped: 0,
        };
        Self {
            experience,
            open: HashMap::new(),
            is_interrupted: false,
            spoke_last: false,
            last_said: String::new(),
            command: String::new(),
            last: 0,
            said: 0,
            parts: Vec::new(),
        }
    }

    /// Notes a record that is not understood.
    pub(super) fn skip(&mut self) {
        self.experience.skipped += 1;
    }

    /// Notes when something happened.
    pub(super) fn at(&mut self, time: i64) {
        if time > 0 {
            if self.experience.source.started == 0 {
                self.experience.source.started = time;
            }
            self.last = self.last.max(time);
        }
    }

    /// Notes where the work is done; the first folder counts.
    pub(super) fn folder(&mut self, folder: Option<&str>) {
        if let (None, Some(folder)) = (&self.experience.source.folder, folder) {
            self.experience.source.folder = Some(bounded(folder, MAX_TASK_CHARS).into());
        }
    }

    pub(super) fn model(&mut self, model: Option<&str>) {
        if let Some(model) = model {
            self.experience.source.model = Some(bounded(model, MAX_NAME_CHARS));
        }
    }

    /// The person says something. What is said twice in a row is one message in two records.
    pub(super) fn person(&mut self, text: &str) {
        let text = text.trim();
        if text.is_empty() || text == self.last_said {
            return;
        }
        self.last_said = bounded(text, MAX_TASK_CHARS);
        let is_answered = std::mem::take(&mut self.spoke_last);
        let is_begun = !self.experience.steps.is_empty();
        if self.experience.task.is_empty() {
            self.experience.task.clone_from(&self.last_said);
        } else if !is_begun {
            // "Hi", then what it is about: one task.
            let task = format!("{}\n{text}", self.experience.task);
            self.experience.task = bounded(&task, MAX_TASK_CHARS);
        } else if is_against(text) {
            self.experience.correct(text);
        } else if is_answered && is_new(text) && self.parts.len() + 1 < MAX_TASKS {
            let converged = !self.is_interrupted && self.open.is_empty();
            let part = Part::begin(&self.experience, self.said, text, converged, self.last);
            self.parts.push(part);
        }
    }

    /// The person gives a command without words.
    pub(super) fn command(&mut self, name: &str) {
        self.command = bounded(name, MAX_NAME_CHARS);
    }

    /// The agent says something.
    pub(super) fn agent(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.experience.answer = Some(bounded(text.trim(), MAX_TASK_CHARS));
            self.said += 1;
            self.spoke_last = true;
            self.is_interrupted = false;
        }
    }

    /// The agent calls a tool; without a result it will have failed.
    pub(super) fn call(&mut self, id: &str, tool: &str, arguments: Value, at: i64) {
        if let Some(name) = skill_of(tool, &arguments) {
            self.experience.load(Loaded { name, version: None });
        }
        let place = self.experience.steps.len();
        self.experience.push(Step {
            id: (place + 1).to_string(),
            tool: tool.to_owned(),
            arguments,
            result: String::new(),
            outcome: Outcome::Failed,
            started: at,
            ended: at,
        });
        if self.experience.steps.len() > place {
            self.open.insert(bounded(id, MAX_NAME_CHARS), place);
        }
        self.spoke_last = false;
        self.is_interrupted = false;
    }

    /// A tool answers. An answer to nobody's call is not understood.
    pub(super) fn result(&mut self, id: &str, text: &str, outcome: Outcome, at: i64) {
        let Some(place) = self.open.remove(&bounded(id, MAX_NAME_CHARS)) else {
            // The call of one may have been a step too many, which is counted already.
            if self.experience.steps.len() < MAX_STEPS {
                self.skip();
            }
            return;
        };
        let step = &mut self.experience.steps[place];
        step.result = bounded(text, MAX_RESULT_CHARS);
        step.outcome = outcome;
        step.ended = step.ended.max(at);
    }

    /// The person stopped the agent.
    pub(super) fn interrupted(&mut self) {
        self.is_interrupted = true;
    }

    /// Everything was read.
    pub(super) fn finish(mut self) -> Session {
        if self.experience.task.is_empty() {
            self.experience.task = self.command;
        }
        let milliseconds = self.last - self.experience.source.started;
        self.experience.cost.milliseconds = u64::try_from(milliseconds).unwrap_or(0);
        self.experience.converged = self.spoke_last && !self.is_interrupted && self.open.is_empty();
        Session { whole: self.experience, parts: self.parts, said: self.said }
    }
}

/// The skill that a call loads: by a tool for skills, or by reading its `SKILL.md`.
fn skill_of(tool: &str, arguments: &Value) -> Option<String> {
    let text = |key: &str| arguments.get(key).and_then(Value::as_str);
    let named = match tool {
        "Skill" => text("skill").or_else(|| text("command")).or_else(|| text("name")),
        "skill_view" => text("name"),
        _ => None,
    };
    if let Some(name) = named {
        return Some(bounded(name, MAX_NAME_CHARS));
    }
    let texts = arguments.as_object()?.values().filter_map(Value::as_str);
    texts.filter_map(|text| text.split_once("/SKILL.md")).find_map(|(before, _)| {
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        let name = before.rsplit(|c: char| !is_part(c)).next()?;
        (!name.is_empty()).then(|| bounded(name, MAX_NAME_CHARS))
    })
}

/// A time as agents write it, in milliseconds since 1970; 0 when it is none.
pub(super) fn time(value: &Value) -> i64 {
    match value {
        Value::String(text) => {
            text.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_millisecond)
        }
        Value::Number(number) => number.as_f64().map_or(0, from_seconds),
        _ => 0,
    }
}

/// Seconds since 1970, as milliseconds.
#[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
pub(super) fn from_seconds(seconds: f64) -> i64 {
    const LAST: f64 = 253_402_300_799.0;
    if (0.0..=LAST).contains(&seconds) { (seconds * 1000.0) as i64 } else { 0 }
}

/// The text of a content that is a text, or a list of parts with texts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| match part {
                Value::String(text) => Some(text.as_str()),
                part => part.get("text").and_then(Value::as_str),
            });
            texts.collect::<Vec<_>>().join("\n")
        }
        Value::Object(entries) => {
            entries.get("content").or_else(|| entries.get("text")).map(text_of).unwrap_or_default()
        }
        _ => String::new(),
    }
}
