//! Four questions that turn a draft into a skill: what it was, when it should come back, what it may
//! use, where it belongs.
//!
//! A state machine without input or output: a question out, an answer in, the draft in between. Every
//! question has a default that makes a working skill, so four times "keep" is an answer. The terminal,
//! a file of answers and other front ends ask the same questions.
//!
//! ```
//! use hone_learn::draft::Draft;
//! use hone_learn::wizard::{Answer, Place, Wizard};
//! # let experience: hone_learn::Experience = serde_json::from_value(serde_json::json!({
//! #     "source": {"agent": {"agent": "plain"}, "session": "1", "path": null, "subscriber": "",
//! #                "folder": null, "model": null, "started": 0},
//! #     "task": "Tidy the changelog", "skills": [], "corrections": [], "converged": true,
//! #     "answer": null, "skipped": 0,
//! #     "steps": [{"id": "1", "tool": "shell", "arguments": {"command": "cargo test"}, "result": "",
//! #                "outcome": "ok", "started": 0, "ended": 0}],
//! #     "cost": {"turns": 0, "tokens_in": 0, "tokens_out": 0, "milliseconds": 0}})).unwrap();
//!
//! let draft = Draft::from_experience(&experience);
//! let places = vec![Place { id: "user".to_owned(), path: "~/.agents/skills".into(), taken: vec![] }];
//! let mut wizard = Wizard::new(draft, places);
//! while wizard.question().is_some() {
//!     wizard.answer(Answer::Keep)?;
//! }
//! let (draft, place) = wizard.finish().expect("every question is answered");
//! assert_eq!((draft.name.as_str(), place.id.as_str()), ("tidy-changelog", "user"));
//! assert!(draft.text()?.contains("allowed-tools: Bash(cargo test:*)"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::path::PathBuf;

use hone_skill::{Permission, Slug, limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draft::{Context, Draft, MAX_MESSAGES, NotASkill, Step, Tool, When, taken_from};

/// Questions.
pub const ROUNDS: usize = 4;

/// Steps that an answer may have.
pub const MAX_ANSWERED_STEPS: usize = 50;

/// Characters of one text of an answer.
pub const MAX_ANSWER_CHARS: usize = 2_000;

/// Permissions that an answer may have.
pub const MAX_ANSWERED_TOOLS: usize = 100;

/// Where a skill can be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// `user` or `project`, or what the front end calls it.
    pub id: String,
    /// The folder of skills.
    pub path: PathBuf,
    /// The slugs of the skills that are there.
    pub taken: Vec<String>,
}

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
    pub when: Option<When>,
    /// What may it use?
    #[serde(default)]
    pub tools: Option<Vec<String>>,
    /// Where does it belong?
    #[serde(default, rename = "where")]
    pub place: Option<Where>,
}

/// An answer to the question that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The default is fine.
    Keep,
    /// To the first question.
    What(What),
    /// To the second.
    When(When),
    /// To the third: the permissions, all of them.
    Tools(Vec<String>),
    /// To the fourth.
    Where(Where),
    /// To any: the whole text of the skill, edited. The question stays open.
    Text(String),
}

/// Why an answer does not fit; the question stays open.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WrongAnswer {
    /// Another question is open, or none.
    #[error("this is no answer to the question that is open")]
    OtherQuestion,
    /// The name is taken.
    #[error("there is a skill `{name}` in {place} already; give another name")]
    Taken {
        /// The name.
        name: String,
        /// Where.
        place: String,
    },
    /// There is no such place.
    #[error("there is no place `{given}`; there are: {known}")]
    NoPlace {
        /// What was given.
        given: String,
        /// What there is.
        known: String,
    },
    /// Something is too long or too many.
    #[error("{what}: at most {most}")]
    TooMuch {
        /// What.
        what: &'static str,
        /// The bound.
        most: usize,
    },
    /// Something is missing.
    #[error("{0}")]
    Missing(&'static str),
    /// An entry of `allowed-tools` cannot be read.
    #[error("{0}")]
    Permission(String),
    /// With it the draft would be no skill.
    #[error(transparent)]
    NotASkill(#[from] NotASkill),
}

/// The questions about one draft.
#[derive(Debug, Clone)]
pub struct Wizard {
    draft: Draft,
    places: Vec<Place>,
    place: usize,
    round: usize,
    /// The draft as it was before each round that is answered.
    before: Vec<(Draft, usize)>,
}

impl Wizard {
    /// The questions about a draft that can be saved in these places, of which there is at least one.
    /// A name that is taken in any of them is given a number.
    pub fn new(mut draft: Draft, places: Vec<Place>) -> Self {
        let is_taken =
            |name: &str| places.iter().any(|place| place.taken.iter().any(|t| t == name));
        if is_taken(&draft.name) {
            let stem: String = draft.name.chars().take(limits::MAX_NAME_CHARS - 4).collect();
            let stem = stem.trim_end_matches('-');
            let free = (2..1_000).map(|number| format!("{stem}-{number}"));
            if let Some(free) = free.into_iter().find(|name| !is_taken(name)) {
                draft.name = free;
            }
        }
        Self { draft, places, place: 0, round: 0, before: Vec::new() }
    }

    /// The draft as it is now.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// The number of the open question, from 1; past [`ROUNDS`] when all are answered.
    pub fn round(&self) -> usize {
        self.round + 1
    }

    /// The place as it is now.
    pub fn place(&self) -> &Place {
        &self.places[self.place]
    }

    /// The places that can be chosen.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The open question; none when all are answered.
    pub fn question(&self) -> Option<Question> {
        self.asked(self.round)
    }

    /// All questions with their defaults as they are now.
    pub fn questions(&self) -> Vec<Question> {
        (0..ROUNDS).filter_map(|round| self.asked(round)).collect()
    }

    fn asked(&self, round: usize) -> Option<Question> {
        let draft = &self.draft;
        match round {
            0 => Some(Question::What {
                ask: "What was it, in one sentence? And are these the steps?".to_owned(),
                default: What {
                    name: Some(draft.name.clone()),
                    what: Some(draft.what.clone()),
                    steps: Some(draft.steps.clone()),
                },
            }),
            1 => Some(Question::When {
                ask: "When should it come back, and what is it not for?".to_owned(),
                default: draft.when.clone(),
            }),
            2 => Some(Question::Tools {
                ask: "Which of the tools that were used may it use without asking?".to_owned(),
                choices: draft.tools.clone(),
                default: draft.allowed().map(str::to_owned).collect(),
            }),
            3 => Some(Question::Where {
                ask: "Does it run in the conversation or apart from it, and where does it belong?"
                    .to_owned(),
                choices: self
                    .places
                    .iter()
                    .map(|place| PlaceChoice {
                        place: place.id.clone(),
                        path: place.path.display().to_string(),
                    })
                    .collect(),
                default: Where { context: draft.context, place: Some(self.place().id.clone()) },
            }),
            _ => None,
        }
    }

    /// Takes an answer to the open question and goes on to the next. An answer that does not fit
    /// changes nothing.
    pub fn answer(&mut self, answer: Answer) -> Result<(), WrongAnswer> {
        let is_text = matches!(answer, Answer::Text(_));
        let before = (self.draft.clone(), self.place);
        self.change(answer)?;
        if !is_text {
            self.before.push(before);
            self.round += 1;
        }
        Ok(())
    }

    /// Takes an answer and leaves the question open, with the answer as its default.
    pub fn change(&mut self, answer: Answer) -> Result<(), WrongAnswer> {
        let mut draft = self.draft.clone();
        let mut place = self.place;
        match (self.round, answer) {
            (ROUNDS.., _) => return Err(WrongAnswer::OtherQuestion),
            (_, Answer::Text(text)) => draft = taken_from(&draft, &text)?,
            (_, Answer::Keep) => {}
            (0, Answer::What(what)) => take_what(&mut draft, what)?,
            (1, Answer::When(when)) => take_when(&mut draft, when)?,
            (2, Answer::Tools(tools)) => take_tools(&mut draft, tools)?,
            (3, Answer::Where(chosen)) => {
                draft.context = chosen.context;
                if let Some(id) = chosen.place {
                    place = self.place_of(&id)?;
                }
            }
            _ => return Err(WrongAnswer::OtherQuestion),
        }
        if draft.steps.is_empty() && draft.body.is_none() {
            return Err(WrongAnswer::Missing(
                "nothing that worked was found in the session; give the steps yourself",
            ));
        }
        if let Some(at) = self.places.iter().find(|at| at.taken.contains(&draft.name)) {
            let place = at.path.display().to_string();
            return Err(WrongAnswer::Taken { name: draft.name, place });
        }
        draft.text()?;
        (self.draft, self.place) = (draft, place);
        Ok(())
    }

    /// Goes back to the question before, with the draft as it was then; false at the first.
    pub fn back(&mut self) -> bool {
        let Some((draft, place)) = self.before.pop() else { return false };
        (self.draft, self.place) = (draft, place);
        self.round -= 1;
        true
    }

    /// Answers every open question.
    pub fn answer_all(&mut self, answers: Answers) -> Result<(), WrongAnswer> {
        let Answers { what, when, tools, place } = answers;
        let given = [
            what.map(Answer::What),
            when.map(Answer::When),
            tools.map(Answer::Tools),
            place.map(Answer::Where),
        ];
        for answer in given.into_iter().skip(self.round) {
            self.answer(answer.unwrap_or(Answer::Keep))?;
        }
        Ok(())
    }

    /// The skill and its place, once every question is answered.
    pub fn finish(self) -> Option<(Draft, Place)> {
        let Self { draft, mut places, place, round, .. } = self;
        (round == ROUNDS).then(|| (draft, places.swap_remove(place)))
    }

    fn place_of(&self, id: &str) -> Result<usize, WrongAnswer> {
        self.places.iter().position(|place| place.id == id).ok_or_else(|| WrongAnswer::NoPlace {
            given: id.to_owned(),
            known: self.places.iter().map(|place| place.id.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

fn checked(what: &'static str, text: &str) -> Result<(), WrongAnswer> {
    if text.chars().count() > MAX_ANSWER_CHARS {
        return Err(WrongAnswer::TooMuch { what, most: MAX_ANSWER_CHARS });
    }
    Ok(())
}

fn take_what(draft: &mut Draft, what: What) -> Result<(), WrongAnswer> {
    let has_sentence = what.what.is_some();
    if let Some(sentence) = what.what {
        checked("characters of the sentence", &sentence)?;
        if sentence.trim().is_empty() {
            return Err(WrongAnswer::Missing("a sentence says what it does; this one is empty"));
        }
        sentence.trim().clone_into(&mut draft.what);
        draft.description = None;
    }
    if let Some(name) = &what.name {
        let slug =
            Slug::new(name).map_err(|_| WrongAnswer::Missing("a name has a letter or a digit"))?;
        slug.as_str().clone_into(&mut draft.name);
    } else if has_sentence {
        draft.name = draft.name_of_what();
    }
    if let Some(steps) = what.steps {
        if steps.len() > MAX_ANSWERED_STEPS {
            return Err(WrongAnswer::TooMuch { what: "steps", most: MAX_ANSWERED_STEPS });
        }
        for step in &steps {
            checked("characters of a step", &step.action)?;
            checked("characters of a step", &step.done)?;
            if step.action.trim().is_empty() || step.done.trim().is_empty() {
                return Err(WrongAnswer::Missing(
                    "every step says what to do and what shows that it is done",
                ));
            }
        }
        if steps != draft.steps {
            draft.steps = steps;
            draft.left_out = 0;
            draft.body = None;
        }
    }
    Ok(())
}

fn take_when(draft: &mut Draft, when: When) -> Result<(), WrongAnswer> {
    let lists = [&when.phrases, &when.examples, &when.not_for];
    if lists.iter().any(|list| list.len() > MAX_MESSAGES) {
        return Err(WrongAnswer::TooMuch { what: "messages of one kind", most: MAX_MESSAGES });
    }
    for text in lists.into_iter().flatten() {
        checked("characters of a message", text)?;
        if text.trim().is_empty() {
            return Err(WrongAnswer::Missing("a message is empty"));
        }
    }
    if when != draft.when {
        draft.when = when;
        draft.description = None;
    }
    Ok(())
}

fn take_tools(draft: &mut Draft, tools: Vec<String>) -> Result<(), WrongAnswer> {
    if tools.len() > MAX_ANSWERED_TOOLS {
        return Err(WrongAnswer::TooMuch { what: "permissions", most: MAX_ANSWERED_TOOLS });
    }
    for tool in &tools {
        Permission::parse(tool).map_err(|error| WrongAnswer::Permission(error.to_string()))?;
    }
    for tool in &mut draft.tools {
        tool.chosen = tools.contains(&tool.permission);
    }
    for permission in tools {
        if !draft.tools.iter().any(|tool| tool.permission == permission) {
            draft.tools.push(Tool { permission, count: 0, chosen: true, why: None });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draft::tests::release;

    fn wizard(taken: &[&str]) -> Wizard {
        let taken: Vec<String> = taken.iter().map(|name| (*name).to_owned()).collect();
        let place = |id: &str| Place { id: id.to_owned(), path: id.into(), taken: taken.clone() };
        Wizard::new(Draft::from_experience(&release()), vec![place("user"), place("project")])
    }

    #[test]
    fn four_times_keep_is_a_skill() {
        let mut wizard = wizard(&[]);
        for round in 1..=ROUNDS {
            assert_eq!(wizard.round(), round);
            wizard.answer(Answer::Keep).unwrap();
        }
        assert_eq!(wizard.question(), None);
        assert_eq!(wizard.answer(Answer::Keep), Err(WrongAnswer::OtherQuestion));
        let (draft, place) = wizard.finish().unwrap();
        assert_eq!(place.id, "user");
        assert!(draft.text().is_ok());
    }

    #[test]
    fn back_undoes_the_answer_before() {
        let mut wizard = wizard(&[]);
        let first = wizard.question();
        assert!(!wizard.back());
        let what = What { name: None, what: Some("Ship it".to_owned()), steps: None };
        wizard.answer(Answer::What(what)).unwrap();
        assert_eq!(wizard.draft().name, "ship");
        assert!(wizard.back());
        assert_eq!(wizard.question(), first);
        assert_eq!(wizard.finish(), None);
    }

    #[test]
    fn an_answer_that_does_not_fit_changes_nothing() {
        let mut wizard = wizard(&["old"]);
        let before = wizard.question();
        let what = |name: &str| {
            Answer::What(What { name: Some(name.to_owned()), what: None, steps: None })
        };
        assert!(matches!(wizard.answer(what("old")), Err(WrongAnswer::Taken { .. })));
        assert!(matches!(wizard.answer(what("!!")), Err(WrongAnswer::Missing(_))));
        assert_eq!(wizard.answer(Answer::Tools(vec![])), Err(WrongAnswer::OtherQuestion));
        let long = "x".repeat(MAX_ANSWER_CHARS + 1);
        let long = What { name: None, what: Some(long), steps: None };
        assert!(matches!(wizard.answer(Answer::What(long)), Err(WrongAnswer::TooMuch { .. })));
        let at = "x".repeat(MAX_ANSWER_CHARS);
        let at = What { name: None, what: Some(at), steps: None };
        assert_eq!(wizard.question(), before);
        assert!(wizard.answer(Answer::What(at)).is_ok());
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let name = wizard(&[]).draft().name.clone();
        assert_eq!(wizard(&[&name]).draft().name, format!("{name}-2"));
        assert_eq!(wizard(&[&name, &format!("{name}-2")]).draft().name, format!("{name}-3"));
    }

    #[test]
    fn answers_of_every_kind_are_taken() {
        let mut wizard = wizard(&[]);
        let answers: Answers = serde_json::from_str(
            r#"{"what": {"name": "Ship It", "steps": [{"do": "Ship.", "done": "it is out"}]},
                "when": {"examples": ["ship it"], "not_for": ["a demo"]},
                "tools": ["Read", "Bash(git tag:*)"],
                "where": {"context": "fork", "place": "project"}}"#,
        )
        .unwrap();
        wizard.answer_all(answers).unwrap();
        let (draft, place) = wizard.finish().unwrap();
        assert_eq!(place.id, "project");
        let text = draft.text().unwrap();
        for part in [
            "name: ship-it\n",
            "context: fork\n",
            "Not for: a demo.",
            "1. Ship.\n   Done when: it is out.\n",
            "# Not for\n\n- a demo\n",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        assert_eq!(draft.allowed().collect::<Vec<_>>().len(), 2);
        assert!(serde_json::from_str::<Answers>(r#"{"wat": {}}"#).is_err());
    }

    #[test]
    fn too_many_steps_messages_and_permissions_are_refused() {
        let step = Step { action: "Do.".to_owned(), done: "done".to_owned() };
        let what = |count| What { name: None, what: None, steps: Some(vec![step.clone(); count]) };
        assert!(wizard(&[]).answer(Answer::What(what(MAX_ANSWERED_STEPS))).is_ok());
        assert!(wizard(&[]).answer(Answer::What(what(MAX_ANSWERED_STEPS + 1))).is_err());
        let mut wizard = wizard(&[]);
        wizard.answer(Answer::Keep).unwrap();
        let when = |count| When { examples: vec!["a".to_owned(); count], ..When::default() };
        assert!(wizard.answer(Answer::When(when(MAX_MESSAGES + 1))).is_err());
        wizard.answer(Answer::When(when(MAX_MESSAGES))).unwrap();
        let tools = |count| Answer::Tools(vec!["Read".to_owned(); count]);
        assert!(wizard.answer(tools(MAX_ANSWERED_TOOLS + 1)).is_err());
        assert!(wizard.answer(Answer::Tools(vec!["Bash(".to_owned()])).is_err());
        wizard.answer(tools(MAX_ANSWERED_TOOLS)).unwrap();
    }

    #[test]
    fn a_text_that_was_edited_counts() {
        let mut wizard = wizard(&[]);
        let text = wizard.draft().text().unwrap();
        let edited = text.replace("# Steps", "# How").replace("name: bump", "name: lift");
        wizard.answer(Answer::Text(edited)).unwrap();
        assert_eq!(wizard.round(), 1);
        assert!(wizard.draft().name.starts_with("lift"));
        assert!(wizard.draft().text().unwrap().contains("# How"));
        assert!(wizard.answer(Answer::Text("no frontmatter".to_owned())).is_err());
    }
}
