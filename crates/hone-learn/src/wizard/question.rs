//! Questions and answers as other front ends get and give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draft::{Context, Step, Tool, When};

/// A question and the answer that stands if nobody gives another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "id", rename_all = "lowercase")]
pub enum Question {
    /// What was it?
    What {
        /// The question in words.
        ask: String,
        /// The default.
        default: What,
        /// The skill that it becomes another version of; another name makes another skill.
        #[serde(skip_serializing_if = "Option::is_none")]
        refines: Option<String>,
    },
    /// When should it come back?
    When {
        /// The question in words.
        ask: String,
        /// The default.
        default: When,
    },
    /// What may it use?
    Tools {
        /// The question in words.
        ask: String,
        /// Everything that was used; the default has what is chosen.
        choices: Vec<Tool>,
        /// The default.
        default: Vec<String>,
    },
    /// Where does it run, and where does it belong?
    Where {
        /// The question in words.
        ask: String,
        /// The places by their names.
        choices: Vec<PlaceChoice>,
        /// The default.
        default: Where,
    },
}

/// A place that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct PlaceChoice {
    /// Its name.
    pub place: String,
    /// Its folder.
    pub path: String,
}

/// The answer to the first question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct What {
    /// The skill's name; made from the sentence when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does, in a sentence; as it was when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
    /// How it is done; as it was when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Vec<Step>>,
    /// What to mind; as it was when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<Vec<String>>,
}

/// The answer to the second question; a list that is left out stays as it was.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SomeWhen {
    /// What somebody asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phrases: Option<Vec<String>>,
    /// Messages that should call it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<Vec<String>>,
    /// Messages, or kinds of work, that it is not for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_for: Option<Vec<String>>,
}

impl SomeWhen {
    pub(super) fn over(self, default: &When) -> When {
        let or = |given: Option<Vec<String>>, default: &Vec<String>| {
            given.unwrap_or_else(|| default.clone())
        };
        When {
            phrases: or(self.phrases, &default.phrases),
            examples: or(self.examples, &default.examples),
            not_for: or(self.not_for, &default.not_for),
        }
    }
}

/// The answer to the last question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Where {
    /// Inline or fork.
    #[serde(default)]
    pub context: Context,
    /// The name of the place; the first one when left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
}

/// Answers to all questions; a question without one keeps its default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// What was it?
    #[serde(default)]
    pub what: Option<What>,
    /// When should it come back?
    #[serde(default)]
    pub when: Option<SomeWhen>,
    /// What may it use?
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// Where does it belong?
    #[serde(default, rename = "where")]
    pub place: Option<Where>,
}
