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

mod question;
mod take;

use std::path::PathBuf;

use hone_skill::limits;

use crate::draft::{Draft, NotASkill, When, taken_from};
use take::{take_tools, take_what, take_when};

pub use question::{Answers, PlaceChoice, Question, SomeWhen, What, Where};

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
    /// The skills that are there.
    pub taken: Vec<Taken>,
}

impl Place {
    fn holds(&self, name: &str) -> Option<&Taken> {
        self.taken.iter().find(|taken| taken.slug == name)
    }

    /// Whether what is learned can be another version of the skill of that name.
    fn refines(&self, name: &str) -> bool {
        self.holds(name).is_some_and(|taken| taken.learned.is_some())
    }
}

/// A skill that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Taken {
    /// Its slug.
    pub slug: String,
    /// How it was learned; none when it was not.
    pub learned: Option<Learned>,
}

/// What is known about a skill that was learned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Learned {
    /// Whether it came of the very task that is learned from.
    pub from_this: bool,
    /// Whether its text is still what was learned.
    pub is_as_learned: bool,
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
    /// A person edited what the answer would make anew.
    #[error("the {0} is as you edited it, and this would make it anew; change it with `edit`")]
    Edited(&'static str),
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
    /// The draft as it was proposed.
    proposed: Draft,
    places: Vec<Place>,
    place: usize,
    round: usize,
    /// The draft as it was before each round that is answered.
    before: Vec<(Draft, usize)>,
}

impl Wizard {
    /// The questions about a draft that can be saved in these places, of which there is at least one.
    ///
    /// What the same task taught before, or a task of the same name, becomes its next version as long as
    /// nobody else wrote in it. Any other name that is taken is given a number.
    pub fn new(mut draft: Draft, places: Vec<Place>) -> Self {
        let is_taken = |name: &str| places.iter().any(|place| place.holds(name).is_some());
        let first = |fits: &dyn Fn(&Taken, Learned) -> bool| {
            let is_one = |taken: &&Taken| {
                taken.learned.is_some_and(|learned| learned.is_as_learned && fits(taken, learned))
            };
            let found = |place: &Place| Some(place.taken.iter().find(is_one)?.slug.clone());
            places.iter().enumerate().find_map(|(at, place)| Some((at, found(place)?)))
        };
        let again = first(&|taken, learned| learned.from_this && taken.slug == draft.name)
            .or_else(|| first(&|_, learned| learned.from_this))
            .or_else(|| first(&|taken, _| taken.slug == draft.name));
        let mut place = 0;
        if let Some((at, slug)) = again {
            (place, draft.name) = (at, slug);
        } else if is_taken(&draft.name) {
            let stem: String = draft.name.chars().take(limits::MAX_NAME_CHARS - 4).collect();
            let stem = stem.trim_end_matches('-');
            let free = (2..1_000).map(|number| format!("{stem}-{number}"));
            if let Some(free) = free.into_iter().find(|name| !is_taken(name)) {
                draft.name = free;
            }
        }
        let proposed = draft.clone();
        Self { draft, proposed, places, place, round: 0, before: Vec::new() }
    }

    /// The draft as it is now.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Whether what is proposed stands, whatever it is called: nobody worded it, or allowed it more or less.
    pub fn is_as_proposed(&self) -> bool {
        Draft { name: self.proposed.name.clone(), ..self.draft.clone() } == self.proposed
    }

    /// The number of the open question, from 1; past [`ROUNDS`] when all are answered.
    pub fn round(&self) -> usize {
        self.round + 1
    }

    /// The place as it is now.
    pub fn place(&self) -> &Place {
        &self.places[self.place]
    }

    /// The skill that this becomes another version of; none when it is a new one.
    pub fn refines(&self) -> Option<&Taken> {
        self.place().holds(&self.draft.name)
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
                    what: Some(draft.sentence().to_owned()),
                    steps: Some(draft.steps.clone()),
                    notes: Some(draft.notes.clone()),
                },
                refines: self.refines().map(|taken| taken.slug.clone()),
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
            (_, Answer::Text(text)) => {
                draft = taken_from(&draft, &text)?;
                place = self.home_of(&draft.name);
            }
            (_, Answer::Keep) => {}
            (0, Answer::What(what)) => {
                take_what(&mut draft, what)?;
                place = self.home_of(&draft.name);
            }
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
        let holder = self.places.iter().find(|place| place.holds(&draft.name).is_some());
        if let Some(holder) = holder.filter(|_| !self.places[place].refines(&draft.name)) {
            let place = holder.path.display().to_string();
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
            when.map(|given| Answer::When(given.over(&self.draft.when))),
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

    /// The place of a skill that was learned, else the one that is chosen.
    fn home_of(&self, name: &str) -> usize {
        let is_home = |at: &usize| self.places[*at].refines(name);
        let mut all = (self.place..self.places.len()).chain(0..self.place);
        all.find(is_home).unwrap_or(self.place)
    }

    fn place_of(&self, id: &str) -> Result<usize, WrongAnswer> {
        self.places.iter().position(|place| place.id == id).ok_or_else(|| WrongAnswer::NoPlace {
            given: id.to_owned(),
            known: self.places.iter().map(|place| place.id.as_str()).collect::<Vec<_>>().join(", "),
        })
    }
}

#[cfg(test)]
mod tests;
