//! What the host does after a task: note what came of it, take back what does worse, and ask for a lesson.
//!
//! The answer has been given by then, so nobody waits. Learning has a budget of its own, and whatever goes
//! wrong in it is told and leaves the task as it is.

use hone_agent::brain::Brain;
use hone_agent::model::Budget;
use hone_agent::run::{Order, Report, Runner, Space};
use hone_library::{LearnSettings, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::comparable;
use crate::curator::{self, Curating, Due, Wording};
use crate::destination::Destination;
use crate::error::LearnError;
use crate::experience::Experience;
use crate::gate::replay::{Replay, not_replayable};
use crate::gate::{Check, Checked, Finding, Gate, Known, Verdict, verdict};
use crate::land::{Decider, GATE, is_agents_own, land};
use crate::learner::{Learner, Lesson, trigger};
use crate::outcomes::{LookedAfter, count, look_after, observe};
use crate::proposal::{Decided, Outcome, Proposal, Spent, Stage, Trigger};
use crate::records::{Event, Records};
use crate::redact::Redactor;

/// What the host brings.
pub struct Host<'a> {
    /// How tasks are run.
    pub runner: &'a Runner,
    /// What the configuration says about learning.
    pub settings: &'a LearnSettings,
    /// Takes out what is private.
    pub redactor: &'a Redactor,
    /// Names of skills that the configuration refers to.
    pub referenced: &'a [String],
}

impl std::fmt::Debug for Host<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Host").field("settings", self.settings).finish_non_exhaustive()
    }
}

/// What came of a task beside its answer.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Aftermath {
    /// Skills whose version went back because it does worse: name, and why.
    pub rolled_back: Vec<Told>,
    /// Skills that aged by themselves, with what became of them.
    pub aged: Vec<Told>,
    /// Why the author was asked; none when it was not.
    pub asked: Option<String>,
    /// What came of asking.
    pub result: Option<Taught>,
    /// What learning used up.
    pub spent: Spent,
    /// What somebody should know.
    pub notes: Vec<String>,
}

/// A skill and something about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    /// Its name.
    pub skill: String,
    /// What happened, and why.
    pub why: String,
}

/// What came of a lesson.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "result", rename_all = "kebab-case")]
pub enum Taught {
    /// It is a skill now, on trial.
    Landed {
        /// The skill.
        name: String,
        /// `create` or `refine`.
        kind: String,
        /// Its version.
        version: Option<String>,
        /// The proposal.
        proposal: String,
        /// The receipt that signs it.
        receipt: Option<u64>,
    },
    /// It waits for a person.
    Waits {
        /// The skill.
        name: String,
        /// The proposal.
        proposal: String,
        /// For what.
        why: String,
    },
    /// A check said no.
    Refused {
        /// The skill.
        name: String,
        /// The proposal.
        proposal: String,
        /// Which, and why.
        why: String,
    },
    /// The skills say it already.
    Kept,
    /// There was nothing to learn.
    Skipped,
    /// The reply could not be used.
    Unusable {
        /// Why.
        why: String,
    },
}

/// What a task was, for whoever learns from it.
pub fn experience_of(order: &Order, report: &Report) -> Experience {
    let mut experience =
        Experience::of_run(&order.agent, &order.subscriber, &order.input, &report.finished);
    if let Some(Space::Read(folder) | Space::Write(folder)) = &order.space {
        experience.source.folder = Some(folder.clone());
    }
    experience
}

/// Counts a task for the skills that it read, and learns nothing from it.
pub fn count_task(runner: &Runner, order: &Order, report: &Report) -> Aftermath {
    let experience = experience_of(order, report);
    let mut aftermath = Aftermath::default();
    let counted = || {
        if experience.skills.is_empty() {
            return Ok(());
        }
        let records = Records::open(&runner.hone_home)?;
        count(&records, &order.agent, &experience, (runner.now)()).map(drop)
    };
    if let Err(error) = written(runner, order, report, &mut aftermath).and_then(|()| counted()) {
        aftermath.notes.push(format!("what came of the task is not counted: {error}"));
    }
    aftermath
}

/// Looks back at a task that is over.
pub async fn after_task(host: &Host<'_>, order: &Order, report: &Report) -> Aftermath {
    let experience = experience_of(order, report);
    let mut aftermath = Aftermath::default();
    if let Err(error) = written(host.runner, order, report, &mut aftermath) {
        aftermath.notes.push(format!("what the task wrote is not on trial: {error}"));
    }
    if let Err(error) = look_back(host, &experience, &mut aftermath).await {
        aftermath.notes.push(format!("learning stopped: {error}"));
    }
    aftermath
}

/// What the task wrote itself: on trial when the gate let it through, told when it waits.
fn written(
    runner: &Runner,
    order: &Order,
    report: &Report,
    aftermath: &mut Aftermath,
) -> Result<(), LearnError> {
    let called = report.finished.calls().any(|call| call.tool == "skill_manage");
    if !called {
        return Ok(());
    }
    let records = Records::open(&runner.hone_home)?;
    let (agent, task, now) = (&order.agent, &report.finished.id, (runner.now)());
    for skill in &report.learned.skills {
        // Files beside the text, and what was taken away again, begin no trial.
        let last = skill.actions.last().map(String::as_str);
        if !skill.actions.iter().any(|action| ["create", "edit", "patch"].contains(&&**action))
            || last == Some("delete")
        {
            continue;
        }
        records.set_stage(agent, &skill.name, Stage::Trial, now)?;
        let version = skill.version.as_deref().unwrap_or("?");
        records.tell(&Event {
            at: now,
            agent: agent.clone(),
            skill: skill.name.clone(),
            what: "landed".to_owned(),
            why: format!("version {version}, written by the task {task} itself"),
        })?;
    }
    let waits = |one: &&Proposal| {
        one.agent == *agent && one.task == *task && one.why == Trigger::Written && one.waits()
    };
    for proposal in records.proposals()?.iter().filter(waits) {
        let (name, id) = (&proposal.name, &proposal.id);
        aftermath.notes.push(format!("`{name}` waits for you: `hone review show {id}`"));
    }
    Ok(())
}

/// Learns from a correction: the person said what was wrong with a task of an agent.
pub async fn after_correction(
    host: &Host<'_>,
    mut experience: Experience,
    words: &str,
) -> Aftermath {
    experience.correct(words);
    let mut aftermath = Aftermath::default();
    if let Err(error) = look_back(host, &experience, &mut aftermath).await {
        aftermath.notes.push(format!("learning stopped: {error}"));
    }
    aftermath
}

async fn look_back(
    host: &Host<'_>,
    experience: &Experience,
    aftermath: &mut Aftermath,
) -> Result<(), LearnError> {
    let runner = host.runner;
    let crate::experience::Agent::Hone(agent) = &experience.source.agent else { return Ok(()) };
    let brain = Brain::find(&runner.hone_home, agent)?;
    let mut records = Records::open(&runner.hone_home)?;
    aftermath.notes.extend(records.take_note());
    let state = State::open(&runner.hone_home);
    let mut known = Known::of(&brain, &state);
    let now = (runner.now)();
    let read = observe(&records, (&brain, &state), &known, experience, now)?;
    if not_replayable(experience).is_none() {
        let folder = experience.source.folder.as_deref();
        records.remember_task(&brain.id, &experience.source.session, folder, now)?;
    }
    if !experience.corrections.is_empty() {
        records.object(&brain.id, &experience.source.session)?;
    }
    let looked = (experience, &read[..]);
    let LookedAfter { gone, notes } =
        look_after(&records, (&brain, &state), &known, looked, now, &runner.cancelled).await;
    aftermath.notes.extend(notes);
    aftermath.rolled_back.extend(gone.into_iter().map(|gone| {
        let to = gone.to.map_or("archived".to_owned(), |to| format!("back to version {to}"));
        Told { why: format!("version {} {}; {to}", gone.from, gone.why), skill: gone.skill }
    }));
    let curated = host.settings.curate && curate(host, &brain, &records, now, aftermath).await?;
    let budget = match Budget::new(Some(host.settings.tokens), None, runner.prices) {
        Ok(budget) => budget,
        Err(error) => return Err(LearnError::Refused(error.to_string())),
    };
    // The skills may be others than before: one may just have gone back.
    if !(aftermath.rolled_back.is_empty() && aftermath.aged.is_empty()) {
        known = Known::of(&brain, &state);
    }
    if let Some(why) = trigger(experience).filter(|_| host.settings.after_task) {
        let desk = (&brain, &records, &state, &known);
        teach(host, desk, &budget, experience, why, now, aftermath).await?;
    }
    if curated {
        merge(host, &brain, &records, &budget, now, aftermath).await?;
    }
    Ok(())
}

/// Asks for a lesson, and brings it through the gate.
async fn teach(
    host: &Host<'_>,
    (brain, records, state, known): (&Brain, &Records, &State, &Known),
    budget: &Budget,
    experience: &Experience,
    why: Trigger,
    now: i64,
    aftermath: &mut Aftermath,
) -> Result<(), LearnError> {
    aftermath.asked = Some(why.to_string());
    let runner = host.runner;
    let learner = Learner { brain, runner, budget, redactor: host.redactor, known };
    let lesson = learner.ask(experience, why).await;
    let taught = match lesson {
        Ok(Lesson::Proposed(proposal)) => {
            let school = School { host, brain, records, state, known, budget };
            school.admit(*proposal, experience).await
        }
        Ok(Lesson::Kept) => Ok(Taught::Kept),
        Ok(Lesson::Skipped) => Ok(Taught::Skipped),
        Ok(Lesson::Unusable(why)) => Ok(Taught::Unusable { why }),
        Err(error) => Err(error),
    };
    aftermath.spent = Spent::from(budget.spent());
    let task = &experience.source.session;
    records.spend(&brain.id, task, "lesson", aftermath.spent, now)?;
    aftermath.result = Some(taught?);
    Ok(())
}

/// Proposes twins as one skill, with what the lesson left of the budget.
async fn merge(
    host: &Host<'_>,
    brain: &Brain,
    records: &Records,
    budget: &Budget,
    now: i64,
    aftermath: &mut Aftermath,
) -> Result<(), LearnError> {
    let runner = host.runner;
    let merges = curator::find_merges(brain, records, now)?;
    let wording = Wording { model: &*runner.model, budget, cancelled: &runner.cancelled };
    let waiting =
        curator::propose_merges(brain, records, &runner.policy, merges, Some(wording)).await?;
    for merge in waiting {
        let (name, id) = (&merge.name, &merge.id);
        aftermath.notes.push(format!(
            "`{name}` could be one skill with its twin; it waits for you: `hone review show {id}`"
        ));
    }
    aftermath.spent = Spent::from(budget.spent());
    Ok(())
}

/// Lets unused skills age, when it is time to look again; whether it was.
async fn curate(
    host: &Host<'_>,
    brain: &Brain,
    records: &Records,
    now: i64,
    aftermath: &mut Aftermath,
) -> Result<bool, LearnError> {
    match curator::due(records.curated(&brain.id)?, now) {
        Due::No => return Ok(false),
        Due::First => return records.set_curated(&brain.id, now).map(|()| false),
        Due::Yes => {}
    }
    let cancelled = &host.runner.cancelled;
    let curating = Curating { referenced: host.referenced, now, cancelled };
    let plan = curator::plan_for(brain, records, curating)?;
    curator::apply(brain, records, &plan, curating).await?;
    let told = plan.moves.into_iter().map(|moved| Told {
        why: format!("{}: {}", moved.to.word(), moved.why),
        skill: moved.name,
    });
    aftermath.aged.extend(told);
    Ok(true)
}

/// What it takes to bring a candidate through the gate.
struct School<'a> {
    host: &'a Host<'a>,
    brain: &'a Brain,
    records: &'a Records,
    state: &'a State,
    known: &'a Known,
    budget: &'a Budget,
}

impl School<'_> {
    async fn admit(
        &self,
        mut proposal: Proposal,
        experience: &Experience,
    ) -> Result<Taught, LearnError> {
        let runner = self.host.runner;
        let gate = Gate { known: self.known, policy: &runner.policy, state: self.state };
        proposal.checks = gate.check(&proposal);
        if !matches!(verdict(&proposal.checks), Verdict::Refused(_) | Verdict::Quarantined(_)) {
            let checked = self.replayed(&proposal, experience).await?;
            proposal.checks.push(checked);
        }
        proposal.spent = Spent::from(self.budget.spent());
        let now = (runner.now)();
        let (name, id) = (proposal.name.clone(), proposal.id.clone());
        let refuse = |proposal: &mut Proposal, why: &str| {
            let (by, why) = (GATE.to_owned(), why.to_owned());
            proposal.decided =
                Some(Decided { outcome: Outcome::Refused, by, why, at: now, version: None });
        };
        match verdict(&proposal.checks) {
            Verdict::Refused(why) => {
                refuse(&mut proposal, &why);
                self.records.keep(&proposal)?;
                self.told(&name, "refused", &why, now)?;
                Ok(Taught::Refused { name, proposal: id, why })
            }
            Verdict::Quarantined(why) => {
                proposal.stage = Stage::Quarantined;
                self.records.keep(&proposal)?;
                self.told(&name, "quarantined", &why, now)?;
                Ok(Taught::Waits { name, proposal: id, why })
            }
            Verdict::Waits(why) => {
                self.records.keep(&proposal)?;
                Ok(Taught::Waits { name, proposal: id, why })
            }
            Verdict::Lands => match self.persons(&proposal) {
                Some(why) => {
                    self.records.keep(&proposal)?;
                    Ok(Taught::Waits { name, proposal: id, why })
                }
                None => self.land(proposal).await,
            },
        }
    }

    fn told(&self, skill: &str, what: &str, why: &str, at: i64) -> Result<(), LearnError> {
        self.records.tell(&Event {
            at,
            agent: self.brain.id.clone(),
            skill: skill.to_owned(),
            what: what.to_owned(),
            why: why.to_owned(),
        })
    }

    async fn land(&self, mut proposal: Proposal) -> Result<Taught, LearnError> {
        // Kept first: should the process die now, the candidate is still there to be seen.
        self.records.keep(&proposal)?;
        let runner = self.host.runner;
        let decider = Decider {
            by: GATE,
            why: "every check that could be made passed",
            now: (runner.now)(),
            cancelled: &runner.cancelled,
        };
        let kind = proposal.kind.id().to_owned();
        let landed =
            land(&Destination::Brain(self.brain.clone()), self.records, &mut proposal, decider)
                .await?;
        Ok(Taught::Landed {
            name: proposal.name,
            kind,
            version: landed.version,
            proposal: proposal.id,
            receipt: landed.receipt,
        })
    }

    /// Why a person has to say yes although every check passed.
    fn persons(&self, proposal: &Proposal) -> Option<String> {
        if !self.host.settings.land {
            return Some("`learn.land` is off".to_owned());
        }
        if proposal.is_foreign {
            return Some("it was learned from a task of another subscriber".to_owned());
        }
        let skill = self.known.find(&proposal.name)?;
        (!is_agents_own(self.state, skill))
            .then(|| format!("`{}` is not the agent's own: a person wrote in it", proposal.name))
    }

    /// Check 5, for the task that taught and earlier ones like it.
    async fn replayed(
        &self,
        proposal: &Proposal,
        experience: &Experience,
    ) -> Result<Checked, LearnError> {
        if let Some(why) = not_replayable(experience) {
            return Ok(Checked::new(Check::Replay, Finding::NotMeasured, why));
        }
        let most = self.host.settings.replays;
        let tasks =
            comparable::tasks(self.brain, self.records, self.known, proposal, experience, most)?;
        let replay = Replay { brain: self.brain, runner: self.host.runner, budget: self.budget };
        Ok(replay.check(proposal, &tasks).await)
    }
}
