//! Learning from one task: when to ask, what to ask, and what becomes of the reply.
//!
//! The host asks after a hard task that came to its end; typed outcomes decide, never words. The author
//! sees the redacted task and the nearest skill, and its reply becomes a [`Proposal`], or nothing. The same
//! kind of task leads to the same skill: a name that is taken, or a twin, is a refinement.

mod prompt;
pub mod reply;

use hone_agent::brain::Brain;
use hone_agent::model::Budget;
use hone_agent::run::Runner;
use hone_agent::task::Allowance;
use hone_library::{Listed, Matching, hash, patch, read_text};
use hone_router::{Index, Ranking};
use hone_skill::{Slug, Value};

use crate::error::LearnError;
use crate::experience::{Experience, Outcome, Step, bounded};
use crate::gate::replay::ask;
use crate::gate::{Known, routing_text, twin_of};
use crate::proposal::{Edit, Evidence, Kind, Proposal, Spent, Stage, Trigger};
use crate::redact::Redactor;
pub(crate) use prompt::{Shown, UMBRELLA, umbrella_question};
use reply::{Change, Decision, Example, MAX_EXAMPLE_CHARS, Replaced};

pub use prompt::{MAX_NAMED, MAX_QUESTION_CHARS, MAX_SHOWN_STEPS, MAX_SKILL_CHARS, MAX_STEP_CHARS};

/// A task of so many calls is hard.
pub const MIN_CALLS: usize = 5;

/// Tokens of the author's reply.
pub(crate) const AUTHOR_TOKENS: u32 = 4_096;

/// Characters that say what a step did.
const MAX_EVIDENCE_CHARS: usize = 160;

/// Why a task is worth a lesson; nothing when it is not. A task that came to no end, or that wrote a
/// skill itself, is not.
pub fn trigger(experience: &Experience) -> Option<Trigger> {
    let wrote = experience
        .steps
        .iter()
        .any(|step| step.tool == "skill_manage" && step.outcome == Outcome::Ok);
    if !experience.converged || wrote {
        return None;
    }
    if !experience.corrections.is_empty() {
        return Some(Trigger::Corrected);
    }
    if experience.recovered() {
        return Some(Trigger::Recovered);
    }
    let calls = experience.steps.len();
    (calls >= MIN_CALLS).then_some(Trigger::ManyCalls { calls })
}

/// What came of asking the author.
#[derive(Debug, Clone, PartialEq)]
pub enum Lesson {
    /// A candidate, unchecked.
    Proposed(Box<Proposal>),
    /// The skills say it already.
    Kept,
    /// There is nothing to learn.
    Skipped,
    /// The reply cannot be used, and why.
    Unusable(String),
}

/// What the author needs.
pub struct Learner<'a> {
    /// The brain that learns.
    pub brain: &'a Brain,
    /// The model and the clock.
    pub runner: &'a Runner,
    /// What may be used up.
    pub budget: &'a Budget,
    /// Takes out what is private.
    pub redactor: &'a Redactor,
    /// The brain's skills.
    pub known: &'a Known,
}

impl std::fmt::Debug for Learner<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Learner").field("brain", &self.brain.id).finish_non_exhaustive()
    }
}

impl Learner<'_> {
    /// Asks the author about a task.
    pub async fn ask(&self, experience: &Experience, why: Trigger) -> Result<Lesson, LearnError> {
        let redacted = experience.redacted(self.redactor);
        let nearest = self.nearest(experience);
        let text = nearest.map(text_of).transpose()?;
        let shown = nearest.zip(text.as_deref());
        let shown = shown.map(|(skill, text)| Shown { name: &skill.summary.name, text });
        let others: Vec<(String, String)> = self
            .known
            .listed
            .iter()
            .filter(|skill| nearest.is_none_or(|nearest| nearest.path != skill.path))
            .map(|skill| (skill.summary.name.clone(), skill.summary.description.clone()))
            .collect();
        let question = prompt::question(&redacted, shown, &others, &why.to_string());
        let decision = match self.reply(question).await? {
            Ok(decision) => decision,
            Err(why) => return Ok(Lesson::Unusable(why)),
        };
        let in_view = nearest.map(|skill| skill.summary.name.as_str());
        let decision = self.refined_twin(&redacted, decision, in_view).await?;
        Ok(self.lesson(&redacted, why, decision))
    }

    async fn reply(&self, question: String) -> Result<Result<Decision, String>, LearnError> {
        if let Some(why) = self.budget.exhausted() {
            return Ok(Err(why));
        }
        let (model, cancelled) = (&*self.runner.model, &self.runner.cancelled);
        let most = self.runner.limits.reply_tokens.min(AUTHOR_TOKENS);
        let said = ask(model, self.budget, cancelled, prompt::FRAME, question, most).await?;
        Ok(reply::read(&said).map_err(|why| why.to_string()))
    }

    /// The skill that the task is nearest to: one that it read, else the one that its words lead to.
    fn nearest(&self, experience: &Experience) -> Option<&Listed> {
        let read = experience.skills.iter().rev().find_map(|skill| self.known.find(&skill.name));
        read.or_else(|| {
            let index = Index::in_memory(self.known.texts());
            let first = Ranking::new(&index, &experience.task).first()?;
            Some(&self.known.listed[first])
        })
    }

    /// A new skill that has the name of one that the author had not seen, or is its twin: the author is
    /// asked once more, with that one in view.
    async fn refined_twin(
        &self,
        redacted: &Experience,
        decision: Decision,
        in_view: Option<&str>,
    ) -> Result<Decision, LearnError> {
        let Decision::Create(written) = &decision else { return Ok(decision) };
        let twin = self.known.find(&written.name).or_else(|| {
            let (twin, _) = twin_of(self.known, &routing_text(&written.name, &written.text), &[])?;
            self.known.find(&twin)
        });
        let skill = twin.filter(|twin| in_view != Some(twin.summary.name.as_str()));
        let Some(skill) = skill else { return Ok(decision) };
        let text = text_of(skill)?;
        let shown = Shown { name: &skill.summary.name, text: &text };
        let question = prompt::twin_question(redacted, &written.text, shown);
        match self.reply(question).await? {
            Ok(decided @ (Decision::Refine { .. } | Decision::Keep | Decision::Skip)) => {
                Ok(decided)
            }
            // The gate will say that it is a twin.
            Ok(Decision::Create(_)) | Err(_) => Ok(decision),
        }
    }

    fn lesson(&self, experience: &Experience, why: Trigger, decision: Decision) -> Lesson {
        match decision {
            Decision::Keep => Lesson::Kept,
            Decision::Skip => Lesson::Skipped,
            Decision::Create(written) => match self.known.find(&written.name) {
                None => {
                    let proposal = self.proposal(experience, why, &written.name, written.examples);
                    Lesson::Proposed(Box::new(Proposal { text: written.text, ..proposal }))
                }
                // The same kind of task, the same skill: its next version.
                Some(skill) => {
                    let change = Change::Whole(written.text);
                    self.refinement(experience, why, skill, change, written.examples)
                }
            },
            Decision::Refine { name, change, examples } => match self.known.find(&name) {
                Some(skill) => self.refinement(experience, why, skill, change, examples),
                None => Lesson::Unusable(format!(
                    "it refines `{}`, which is not there",
                    bounded(&name, 64).escape_debug()
                )),
            },
        }
    }

    fn refinement(
        &self,
        experience: &Experience,
        why: Trigger,
        skill: &Listed,
        change: Change,
        examples: Vec<Example>,
    ) -> Lesson {
        let old = match text_of(skill) {
            Ok(old) => old,
            Err(error) => return Lesson::Unusable(error.to_string()),
        };
        let (text, edits) = match change {
            Change::Edits(edits) => match apply(&old, edits, experience) {
                Ok(applied) => applied,
                Err(why) => return Lesson::Unusable(why),
            },
            Change::Whole(new) => (new, Vec::new()),
        };
        let is_same = body_of(&text).trim() == body_of(&old).trim() && edits.is_empty();
        if is_same || says_the_same(&text, &old) {
            return Lesson::Unusable("none of its edits fits the skill".to_owned());
        }
        let kind =
            Kind::Refine { base: hash(old.as_bytes()), version: skill.summary.version.clone() };
        let proposal = self.proposal(experience, why, &skill.summary.name, examples);
        Lesson::Proposed(Box::new(Proposal { kind, text, edits, ..proposal }))
    }

    /// A candidate without its text.
    fn proposal(
        &self,
        experience: &Experience,
        why: Trigger,
        name: &str,
        examples: Vec<Example>,
    ) -> Proposal {
        let at = (self.runner.now)();
        let task = experience.source.session.clone();
        let name = Slug::new(name).map_or_else(|_| name.to_owned(), |slug| slug.to_string());
        let mut own = vec![bounded(&experience.task, MAX_EXAMPLE_CHARS)];
        let mut near_misses = Vec::new();
        for example in examples {
            let list = if example.should_call { &mut own } else { &mut near_misses };
            if !list.contains(&example.message) {
                list.push(example.message);
            }
        }
        Proposal {
            id: new_id(at, &format!("{} {task} {name}", self.brain.id)),
            at,
            agent: self.brain.id.clone(),
            root: None,
            name,
            kind: Kind::Create,
            text: String::new(),
            files: Vec::new(),
            examples: own,
            near_misses,
            edits: Vec::new(),
            task,
            why,
            said: None,
            is_foreign: !experience.source.subscriber.is_empty(),
            checks: Vec::new(),
            stage: Stage::Draft,
            decided: None,
            edited_by: None,
            spent: Spent::default(),
        }
    }
}

/// An id that a person can type the beginning of.
pub(crate) fn new_id(at: i64, about: &str) -> String {
    hash(format!("{at} {about}").as_bytes())[..10].to_owned()
}

fn text_of(skill: &Listed) -> Result<String, LearnError> {
    Ok(String::from_utf8_lossy(&read_text(skill)?).into_owned())
}

/// Whether two texts differ in nothing but the name and the version, which a text gets anyway.
fn says_the_same(one: &str, other: &str) -> bool {
    let said = |text: &str| {
        let skill = hone_skill::read(text.as_bytes(), None).skill?;
        let mut fields = skill.frontmatter;
        fields.retain(|(key, _)| !matches!(key.as_str(), "name" | "version"));
        for (_, value) in fields.iter_mut().filter(|(key, _)| key == "metadata") {
            if let Value::Map(entries) = value {
                entries.retain(|(key, _)| key != "version");
            }
        }
        fields.retain(|(_, value)| *value != Value::Map(Vec::new()));
        Some((fields, text.get(skill.body)?.trim().to_owned()))
    };
    one == other || said(one).is_some_and(|said_of| said(other) == Some(said_of))
}

fn body_of(text: &str) -> &str {
    let skill = hone_skill::read(text.as_bytes(), None).skill;
    skill.and_then(|skill| text.get(skill.body)).unwrap_or(text)
}

/// Carries out those edits that fit, each with its evidence; an edit that nothing taught is none.
fn apply(
    old: &str,
    edits: Vec<Replaced>,
    experience: &Experience,
) -> Result<(String, Vec<Edit>), String> {
    let mut text = old.to_owned();
    let mut done = Vec::new();
    let mut untaught = None;
    for Replaced { because, old, new } in edits {
        let evidence = evidence(&because, experience);
        if evidence.is_empty() {
            untaught = Some(match because.first() {
                Some(step) => {
                    format!("an edit names step {}, which there is not", step.escape_debug())
                }
                None => "an edit does not say which step taught it".to_owned(),
            });
            continue;
        }
        let Ok(patched) = patch(&text, &old, &new, Matching::Fuzzy) else { continue };
        text = patched.text;
        done.push(Edit { old, new, evidence, helped: 0, hurt: 0 });
    }
    match untaught {
        Some(why) if done.is_empty() => Err(why),
        _ => Ok((text, done)),
    }
}

/// The steps that an edit names, as far as there are such. One that names none was taught by what the
/// person said last, if they said anything.
fn evidence(named: &[String], experience: &Experience) -> Vec<Evidence> {
    let task = &experience.source.session;
    if named.is_empty() {
        let said = experience.corrections.last().map(|said| Evidence {
            task: task.clone(),
            step: None,
            what: bounded(&format!("the person said: {}", said.text), MAX_EVIDENCE_CHARS),
        });
        return said.into_iter().collect();
    }
    let step_of = |name: &String| {
        let number = name.rsplit('.').next().and_then(|number| number.parse::<usize>().ok());
        let by_id = experience.steps.iter().find(|step| step.id == *name);
        by_id.or_else(|| experience.steps.get(number?.checked_sub(1)?))
    };
    let of = |step: &Step| Evidence {
        task: task.clone(),
        step: Some(step.id.clone()),
        what: bounded(
            &format!("{} {} {}", step.tool, step.outcome.id(), step.arguments),
            MAX_EVIDENCE_CHARS,
        ),
    };
    named.iter().filter_map(step_of).map(of).collect()
}
