//! `cargo xtask bench learn`: families of tasks, cold, after learning, and with the gate off.
//!
//! Without `--model` the model is a pupil: a program that looks for what is asked by a fixed, long way,
//! follows a skill to the letter when one seems to be about the task, and has a lesson for each family, of
//! which some are bad on purpose. Its replies are recorded, and the figures are those of the recording
//! played again. That shows what the machinery does with good and bad lessons. It says nothing about how
//! good a model's lessons are; `--model NAME` asks one.

#![allow(clippy::cast_precision_loss, reason = "counts are small")]

mod families;
mod pupil;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hone_agent::brain::{Brain, New};
use hone_agent::model::find::{find, usual_places};
use hone_agent::model::recording::{Insists, Recorder, Recording};
use hone_agent::model::{Budget, Model, Retries, client, connect};
use hone_agent::run::{Order, Report, Runner, Silence, Space};
use hone_agent::task::Limits;
use hone_agent::tools::skills::Admits;
use hone_guard::policy::Policy;
use hone_learn::after::{Aftermath, Host, Taught, after_task};
use hone_learn::destination::Destination;
use hone_learn::experience::Experience;
use hone_learn::gate::{Known, Porter};
use hone_learn::land::{Decider, land};
use hone_learn::learner::{Learner, Lesson, trigger};
use hone_learn::records::Records;
use hone_learn::redact::Redactor;
use hone_library::{LearnSettings, ModelSettings, State};
use tokio_util::sync::CancellationToken;

use super::table::Table;
use crate::failure::{Doing, Failure};
use families::{FAMILIES, Family};
use pupil::Pupil;

/// Tokens of a reply in a task. A call or an answer of these families has fewer than a hundred; a small
/// model that does not come to an end should not take minutes for it.
const REPLY_TOKENS: u32 = 160;

/// How lessons are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arm {
    Cold,
    Gated,
    Ungated,
}

/// What an arm came to.
#[derive(Debug, Clone, Default, PartialEq)]
struct Figures {
    tasks: usize,
    right: usize,
    turns: usize,
    tokens: u64,
    skills: usize,
    refused: usize,
    spent: u64,
    /// What became of the lesson of each family.
    lessons: Vec<String>,
}

/// What to measure.
#[derive(Debug, Default, PartialEq, Eq)]
struct Options {
    /// A real model.
    model: Option<String>,
    /// Where its server is; found as `hone run` finds one when left out.
    url: Option<String>,
    /// The families, by name; all when none is named.
    only: Vec<String>,
}

impl Options {
    fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value =
                || words.next().ok_or_else(|| Failure::Usage(format!("`{word}` needs a value")));
            match *word {
                "--model" => options.model = Some((*value()?).to_owned()),
                "--url" => options.url = Some((*value()?).to_owned()),
                "--only" => options.only = value()?.split(',').map(str::to_owned).collect(),
                _ => return Err(Failure::Usage(format!("`bench learn` does not know `{word}`"))),
            }
        }
        let is_unknown = |name: &&String| FAMILIES.iter().all(|family| family.name != *name);
        if let Some(name) = options.only.iter().find(is_unknown) {
            let all: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            let all = all.join(", ");
            return Err(Failure::Usage(format!("there is no family `{name}`; there are {all}")));
        }
        Ok(options)
    }

    fn families(&self) -> Vec<&'static Family> {
        let is_meant =
            |family: &&Family| self.only.is_empty() || self.only.iter().any(|n| n == family.name);
        FAMILIES.iter().filter(is_meant).collect()
    }
}

fn other(error: impl std::fmt::Display) -> Failure {
    Failure::Unmet(format!("the bench failed: {error}"))
}

/// Runs all arms and prints the tables.
pub(crate) fn bench(words: &[&str]) -> Result<(), Failure> {
    let options = Options::parse(words)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .doing(|| "start the runtime".to_owned())?;
    let mut table = Table::new(&[
        "",
        "tasks",
        "right",
        "turns a task",
        "tokens a task",
        "skills",
        "lessons held back",
        "tokens of learning",
    ]);
    let mut lessons = Vec::new();
    for (arm, name) in
        [(Arm::Cold, "cold"), (Arm::Gated, "after learning"), (Arm::Ungated, "gate off")]
    {
        let figures = runtime.block_on(measured(arm, &options))?;
        let mean = |sum: f64| format!("{:.1}", sum / figures.tasks as f64);
        table.row([
            name.to_owned(),
            figures.tasks.to_string(),
            format!(
                "{} ({:.0} %)",
                figures.right,
                100.0 * figures.right as f64 / figures.tasks as f64
            ),
            mean(figures.turns as f64),
            format!("{:.0}", figures.tokens as f64 / figures.tasks as f64),
            figures.skills.to_string(),
            figures.refused.to_string(),
            figures.spent.to_string(),
        ]);
        if arm == Arm::Gated {
            lessons = figures.lessons;
        }
    }
    println!("{table}");
    let mut table = Table::new(&["family", "lesson", "what became of it"]);
    for (family, became) in options.families().into_iter().zip(lessons) {
        // A model writes its own lessons; what the pupil's are like says nothing of them.
        let like = match options.model {
            Some(_) => "the model's".to_owned(),
            None => format!("{:?}", family.taught).to_lowercase(),
        };
        table.row([family.name.to_owned(), like, became]);
    }
    println!("{table}");
    Ok(())
}

/// An arm, with a real model, or with the pupil: recorded, and played again from the recording.
async fn measured(arm: Arm, options: &Options) -> Result<Figures, Failure> {
    let families = options.families();
    if let Some(name) = &options.model {
        let settings = ModelSettings {
            name: Some(name.to_owned()),
            base_url: options.url.clone(),
            // A small model needs it; a server that cannot leaves it out.
            constrain: options.url.is_some(),
            ..ModelSettings::default()
        };
        let variable = |name: &str| std::env::var(name).ok();
        let http = client(variable).map_err(other)?;
        let found = find(&settings, &variable, &http, &usual_places(&variable)).await;
        let found = found.map_err(other)?;
        let model = connect(&found.choice, http, Retries::default()).map_err(other)?;
        return figures(arm, &families, model, &|line| eprintln!("{line}")).await;
    }
    let folder = tempfile::tempdir().doing(|| "make a folder".to_owned())?;
    let path = folder.path().join("recording.jsonl");
    let recorder = Recorder::create(Arc::new(Pupil), &path, Vec::new()).map_err(other)?;
    let first = figures(arm, &families, Arc::new(recorder), &|_| {}).await?;
    let recording = Recording::open(&path, Insists::OnOrder).map_err(other)?;
    let again = figures(arm, &families, Arc::new(recording), &|_| {}).await?;
    if first != again {
        return Err(other(format!("the recording says {again:?}, the pupil said {first:?}")));
    }
    Ok(again)
}

/// Everything of one arm.
struct Stage {
    runner: Runner,
    brain: Brain,
    work: PathBuf,
    settings: LearnSettings,
    redactor: Redactor,
}

impl Stage {
    fn new(folder: &Path, model: Arc<dyn Model>, arm: Arm) -> Result<Self, Failure> {
        let (home, work) = (folder.join("hone"), folder.join("work"));
        let brain = Brain::create(&home, "pupil", &New::default()).map_err(other)?;
        std::fs::create_dir_all(&work).doing(|| "make files".to_owned())?;
        for family in &FAMILIES {
            family.write(&work).doing(|| "make files".to_owned())?;
        }
        let gate = Porter::new(Policy::default(), Redactor::new(None), true);
        let gate: Arc<dyn Admits> = Arc::new(gate);
        let clock = AtomicI64::new(1_790_000_000_000);
        let runner = Runner {
            hone_home: home,
            policy: Policy::default(),
            model,
            helper: None,
            unconfined: false,
            client: None,
            secrets: Vec::new(),
            tools: Vec::new(),
            servers: Vec::new(),
            gate: (arm != Arm::Ungated).then_some(gate),
            packer: None,
            limits: Limits { reply_tokens: REPLY_TOKENS, ..Limits::default() },
            max_tokens: None,
            max_cost: None,
            prices: None,
            now: Arc::new(move || clock.fetch_add(1, Ordering::Relaxed)),
            cancelled: CancellationToken::new(),
        };
        let settings = LearnSettings { tokens: 10_000_000, ..LearnSettings::default() };
        Ok(Self { runner, brain, work, settings, redactor: Redactor::new(None) })
    }

    fn order(&self, input: &str) -> Order {
        let space = Some(Space::Read(self.work.clone()));
        let (agent, input) = (self.brain.id.clone(), input.to_owned());
        Order { agent, input, space, ..Order::default() }
    }

    async fn run(&self, order: &Order) -> Result<Report, Failure> {
        self.runner.run(order, &Silence).await.map_err(other)
    }

    /// Teaches with the gate.
    async fn teach(&self, order: &Order, report: &Report) -> (u64, String) {
        let host = Host {
            runner: &self.runner,
            settings: &self.settings,
            redactor: &self.redactor,
            referenced: &[],
        };
        let aftermath = after_task(&host, order, report).await;
        (aftermath.spent.tokens(), became(&aftermath))
    }

    /// Teaches without: whatever can be written becomes a skill.
    async fn teach_ungated(
        &self,
        order: &Order,
        report: &Report,
    ) -> Result<(u64, String), Failure> {
        let experience =
            Experience::of_run(&order.agent, &order.subscriber, &order.input, &report.finished);
        let Some(why) = trigger(&experience) else { return Ok((0, "none".to_owned())) };
        let state = State::open(&self.runner.hone_home);
        let known = Known::of(&self.brain, &state);
        let budget = Budget::new(None, None, None).map_err(other)?;
        let learner = Learner {
            brain: &self.brain,
            runner: &self.runner,
            budget: &budget,
            redactor: &self.redactor,
            known: &known,
        };
        let lesson = learner.ask(&experience, why).await.map_err(other)?;
        let became = match lesson {
            Lesson::Proposed(mut proposal) => {
                let records = Records::open(&self.runner.hone_home).map_err(other)?;
                let cancelled = &self.runner.cancelled;
                let decider = Decider { by: "nobody", why: "the gate is off", now: 0, cancelled };
                // Whatever can be written becomes a skill; what is none cannot.
                let brain = Destination::of(&self.runner.hone_home, &proposal).map_err(other)?;
                match land(&brain, &records, &mut proposal, decider).await {
                    Ok(_) => "landed".to_owned(),
                    Err(error) => error.to_string(),
                }
            }
            other => format!("{other:?}"),
        };
        let usage = budget.spent().usage;
        Ok((usage.input + usage.output, became))
    }
}

/// What became of a lesson, in words.
fn became(aftermath: &Aftermath) -> String {
    match &aftermath.result {
        Some(Taught::Landed { kind, version, .. }) => {
            format!("{kind}, version {}", version.as_deref().unwrap_or("?"))
        }
        Some(Taught::Waits { why, .. }) => format!("waits: {why}"),
        Some(Taught::Refused { why, .. }) => format!("held back: {why}"),
        Some(Taught::Unusable { why }) => format!("unusable: {why}"),
        Some(Taught::Kept) => "kept".to_owned(),
        Some(Taught::Skipped) => "skipped".to_owned(),
        None if aftermath.asked.is_none() => "no lesson".to_owned(),
        None => aftermath.notes.join("; "),
    }
}

async fn figures(
    arm: Arm,
    families: &[&'static Family],
    model: Arc<dyn Model>,
    tell: &dyn Fn(String),
) -> Result<Figures, Failure> {
    let folder = tempfile::tempdir().doing(|| "make a folder".to_owned())?;
    let stage = Stage::new(folder.path(), model, arm)?;
    let mut figures = Figures::default();
    if arm != Arm::Cold {
        for family in families {
            let order = stage.order(family.asked[0].question);
            let report = stage.run(&order).await?;
            let (spent, became) = match arm {
                Arm::Gated => stage.teach(&order, &report).await,
                _ => stage.teach_ungated(&order, &report).await?,
            };
            tell(format!("{arm:?} {}: lesson: {became}", family.name));
            figures.spent += spent;
            figures.lessons.push(became);
        }
        let state = State::open(&stage.runner.hone_home);
        figures.skills = Known::of(&stage.brain, &state).listed.len();
        let records = Records::open(&stage.runner.hone_home).map_err(other)?;
        let proposals = records.proposals().map_err(other)?;
        figures.refused = proposals.iter().filter(|one| one.is_open()).count();
    }
    for way in 1..3 {
        for family in families {
            let asked = &family.asked[way];
            let report = stage.run(&stage.order(asked.question)).await?;
            figures.tasks += 1;
            let answer = report.finished.answer();
            let is_right = answer.as_ref().is_some_and(|answer| family.is_right(asked, answer));
            figures.right += usize::from(is_right);
            let said = answer.unwrap_or_default();
            let turns = report.finished.cost.turns;
            let name = family.name;
            tell(format!("{arm:?} {name}: {turns} turns, right: {is_right}, said: {said}"));
            figures.turns += report.finished.cost.turns;
            let usage = report.finished.cost.usage;
            figures.tokens += usage.input + usage.output;
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_named_and_a_wrong_name_is_said() {
        let options = Options::parse(&["--model", "m", "--only", "leave,parcels"]).unwrap();
        let names: Vec<&str> = options.families().iter().map(|family| family.name).collect();
        assert_eq!((options.model.as_deref(), names), (Some("m"), vec!["parcels", "leave"]));
        let wrong = Options::parse(&["--only", "nothing"]).unwrap_err().to_string();
        assert!(wrong.starts_with("there is no family `nothing`; there are parcels,"), "{wrong}");
        assert!(Options::parse(&["--model"]).is_err());
    }
}
