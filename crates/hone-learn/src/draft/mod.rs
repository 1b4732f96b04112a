//! A skill that is not one yet: what an experience says, in the form that questions are asked about.
//!
//! Without a model it comes from the transcript itself: the commands that worked, in their order, each
//! with what shows that it did. Everything in it is redacted; nothing in it is ever run.

mod arguments;
mod model;
mod phrase;
mod render;
mod steps;
mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::experience::Experience;

pub use model::{Drafted, MAX_PROMPT_CHARS, NoDraft, ask};
pub use phrase::{MAX_EXAMPLE_CHARS, MAX_WHAT_CHARS, lead};
pub use render::{MAX_COMMAND_CHARS, MAX_SCRIPT_CHARS, NotASkill, taken_from};
pub use steps::MAX_STEPS;
pub use tools::{MAX_TOOLS, Tool};

/// Messages of each kind at most.
pub const MAX_MESSAGES: usize = 8;

/// A skill that is not one yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// Its name: a slug.
    pub name: String,
    /// What it does, in a sentence.
    pub what: String,
    /// When it should come back.
    pub when: When,
    /// How it is done.
    pub steps: Vec<Step>,
    /// What the person said against the way it was done.
    pub notes: Vec<String>,
    /// What of the task was particular to it: the arguments of the skill, in their order.
    pub inputs: Vec<String>,
    /// What was used, and whether the skill may use it.
    pub tools: Vec<Tool>,
    /// Where it runs.
    pub context: Context,
    /// Steps that were too many.
    pub left_out: usize,
    /// The body as a person wrote it, in place of the steps.
    pub(crate) body: Option<String>,
    /// The description as a person wrote it, in place of what and when.
    pub(crate) description: Option<String>,
}

/// When a skill should come back.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// What somebody asks for, as in "when asked to …".
    #[serde(default)]
    pub phrases: Vec<String>,
    /// Messages that should call it.
    #[serde(default)]
    pub examples: Vec<String>,
    /// Messages, or kinds of work, that it is not for.
    #[serde(default)]
    pub not_for: Vec<String>,
}

/// A step of the procedure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// What to do.
    #[serde(rename = "do")]
    pub action: String,
    /// What shows that it is done.
    pub done: String,
}

/// Where a skill runs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// In the conversation: the person can step in.
    #[default]
    Inline,
    /// Apart from it: only the result comes back.
    Fork,
}

impl Draft {
    /// The draft that a redacted experience gives by itself.
    pub fn from_experience(experience: &Experience) -> Self {
        let (mut steps, left_out) = steps::distil(experience);
        let inputs = steps::inputs(experience);
        arguments::put(&mut steps, &inputs);
        let tools = tools::used(experience);
        let phrase = arguments::without(&phrase::of_task(&experience.task), &inputs);
        let example = phrase::example(&experience.task);
        Self {
            name: phrase::name(&phrase, &tools),
            what: phrase::what(&phrase, &tools),
            when: When {
                phrases: vec![phrase].into_iter().filter(|phrase| !phrase.is_empty()).collect(),
                examples: example.into_iter().collect(),
                not_for: Vec::new(),
            },
            notes: phrase::notes(experience),
            inputs,
            steps,
            tools,
            context: Context::Inline,
            left_out,
            body: None,
            description: None,
        }
    }

    /// The permissions that were chosen.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|tool| tool.chosen).map(|tool| tool.permission.as_str())
    }
}

#[cfg(test)]
pub(crate) mod tests;
