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
    /// The permissions that each step needs; empty when a person gave the steps.
    pub(crate) needs: Vec<Vec<String>>,
    /// The frontmatter as a person wrote it, with its fences: fields that are not asked about stay in it.
    pub(crate) frontmatter: Option<String>,
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
        let (mut steps, needs, left_out) = steps::distil(experience);
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
            needs,
            frontmatter: None,
            body: None,
            description: None,
        }
    }

    /// The sentence that says what it does: the description itself once a person edited that.
    pub fn sentence(&self) -> &str {
        self.description.as_deref().unwrap_or(&self.what)
    }

    /// Leaves out the steps that are not kept, with what only they needed: permissions are no longer
    /// chosen, inputs go, and a sentence that nobody worded is made anew.
    pub(crate) fn keep_steps(&mut self, is_kept: &[bool]) {
        let mut kept = is_kept.iter().copied().chain(std::iter::repeat(true));
        let used = arguments::used(&self.steps, self.inputs.len());
        self.steps.retain(|_| kept.next().unwrap_or(true));
        arguments::forget(&mut self.steps, &mut self.inputs, &used);
        let mut kept = is_kept.iter().copied().chain(std::iter::repeat(true));
        let all = std::mem::take(&mut self.needs);
        let (needs, gone): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|_| kept.next().unwrap_or(true));
        let is_gone = |tool: &Tool| {
            let needs_it =
                |all: &[Vec<String>]| all.iter().flatten().any(|one| *one == tool.permission);
            needs_it(&gone) && !needs_it(&needs)
        };
        let phrase = self.when.phrases.first().map_or("", String::as_str);
        let made = |tools: &[Tool]| {
            let used: Vec<Tool> =
                tools.iter().filter(|tool| !tools::is_left_out(tool)).cloned().collect();
            phrase::what(phrase, &used)
        };
        let is_made = self.what == made(&self.tools);
        self.tools.iter_mut().filter(|tool| is_gone(tool)).for_each(tools::leave_out);
        if is_made {
            self.what = made(&self.tools);
        }
        self.needs = needs;
    }

    /// The permissions that were chosen.
    pub fn allowed(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().filter(|tool| tool.chosen).map(|tool| tool.permission.as_str())
    }
}

#[cfg(test)]
pub(crate) mod tests;
