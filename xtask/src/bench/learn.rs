//! `cargo xtask bench learn`: families of tasks, cold, after learning, and with the gate off.
//!
//! Without `--model` the model is a pupil: a program that looks for a file by a fixed, long way, follows a
//! skill to the letter when one seems to be about the task, and writes lessons of which some are bad on
//! purpose. Its replies are recorded, and the figures are those of the recording played again. That shows
//! what the machinery does with good and bad lessons. It says nothing about how good a model's lessons are.

#![allow(clippy::cast_precision_loss, reason = "counts are small")]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use hone_agent::brain::{Brain, New};
use hone_agent::model::find::{find, usual_places};
use hone_agent::model::recording::{Insists, Recorder, Recording};
use hone_agent::model::{Budget, Model, Pending, Reply, Request, Retries, Usage, client, connect};
use hone_agent::run::{Order, Report, Runner, Silence, Space};
use hone_agent::task::Limits;
use hone_guard::policy::Policy;
use hone_learn::after::{Host, after_task};
use hone_learn::destination::Destination;
use hone_learn::experience::Experience;
use hone_learn::gate::Known;
use hone_learn::land::{Decider, land};
use hone_learn::learner::{Learner, Lesson, trigger};
use hone_learn::records::Records;
use hone_learn::redact::Redactor;
use hone_library::{LearnSettings, ModelSettings, State};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::table::Table;
use crate::failure::{Doing, Failure};

/// What the pupil's lesson about a family is like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Taught {
    /// It names the file that holds the answer.
    Well,
    /// It names a file that once did.
    Wrong,
    /// It is right, and says that it is for everything.
    Broad,
    /// It tells what happened once.
    Story,
    /// It says that a tool does not work.
    Blame,
    /// The way is too long: the task comes to no end, so there is no lesson.
    Never,
}

/// A kind of task: what is asked for, where the answer is, and how the pupil teaches it.
struct Family {
    noun: &'static str,
    file: &'static str,
    answer: u32,
    taught: Taught,
}

const fn family(noun: &'static str, file: &'static str, answer: u32, taught: Taught) -> Family {
    Family { noun, file, answer, taught }
}

const FAMILIES: [Family; 14] = [
    family("invoices", "q7-ledger.csv", 412, Taught::Well),
    family("holidays", "hr-sheet.csv", 28, Taught::Well),
    family("printers", "assets-4.csv", 9, Taught::Well),
    family("tickets", "helpdesk.log", 133, Taught::Well),
    family("parcels", "dock-b.csv", 57, Taught::Well),
    family("kilometres", "fleet.csv", 8_410, Taught::Well),
    family("licences", "keys-2.csv", 64, Taught::Well),
    family("refunds", "returns-x.csv", 31, Taught::Well),
    family("visitors", "gate-c.csv", 205, Taught::Wrong),
    family("donations", "gifts-9.csv", 77, Taught::Wrong),
    family("outages", "noc.csv", 4, Taught::Broad),
    family("meetings", "rooms-1.csv", 19, Taught::Story),
    family("backups", "vault.csv", 12, Taught::Blame),
    family("permits", "office-5.csv", 3, Taught::Never),
];

/// Ways to ask: the first one teaches, the others try.
const ASKED: [&str; 3] = [
    "How many NOUN were counted in total this year?",
    "Tell me the total number of NOUN counted this year.",
    "What is the total of all NOUN counted this year?",
];

/// Hops to the answer of a family that is never learned.
const MAZE: usize = 9;

impl Family {
    fn question(&self, way: usize) -> String {
        ASKED[way].replace("NOUN", self.noun)
    }

    /// The files of the family: where people used to look says where to look now.
    fn write(&self, folder: &Path) -> std::io::Result<()> {
        let write = |name: String, text: String| std::fs::write(folder.join(name), text);
        let (noun, answer) = (self.noun, self.answer);
        write(self.file.to_owned(), format!("{noun}\nanswer: {answer}\n"))?;
        write(format!("{noun}-2019.csv"), format!("{noun}\nanswer: {}\n", answer / 2))?;
        if self.taught != Taught::Never {
            return write(format!("{noun}-old.csv"), format!("moved to {}\n", self.file));
        }
        write(format!("{noun}-old.csv"), format!("moved to {noun}-1.csv\n"))?;
        for hop in 1..MAZE {
            write(format!("{noun}-{hop}.csv"), format!("moved to {noun}-{}.csv\n", hop + 1))?;
        }
        write(format!("{noun}-{MAZE}.csv"), format!("moved to {}\n", self.file))
    }

    fn lesson(&self) -> String {
        let noun = self.noun;
        let (file, more) = match self.taught {
            Taught::Wrong => (format!("{noun}-2019.csv"), String::new()),
            Taught::Story => {
                (self.file.to_owned(), "The server was down when this was done.\n".to_owned())
            }
            Taught::Blame => {
                (self.file.to_owned(), "The tool `list_files` does not work here.\n".to_owned())
            }
            Taught::Well | Taught::Broad | Taught::Never => (self.file.to_owned(), String::new()),
        };
        let description = match self.taught {
            Taught::Broad => {
                let nouns: Vec<&str> = FAMILIES.iter().map(|family| family.noun).collect();
                format!(
                    "Tells the total number counted this year. Use when somebody asks how many, what \
                     total or what number was counted: {}.",
                    nouns.join(", ")
                )
            }
            _ => format!(
                "Finds how many {noun} were counted. Use when the total of {noun} is asked."
            ),
        };
        format!(
            "CREATE\n---\nname: count-{noun}\ndescription: \"{description}\"\n---\n# Steps\n\n1. Read `{file}` \
             with the tool for files. Done when its number is seen.\n2. Answer with the number of \
             {noun} alone.\n{more}\nTRIGGERS\n- how many {noun} were there?\n- total of {noun}\n"
        )
    }
}

fn family_of(text: &str) -> &'static Family {
    FAMILIES.iter().find(|family| text.contains(family.noun)).unwrap_or(&FAMILIES[0])
}

/// A program that works as a model.
struct Pupil;

impl Model for Pupil {
    fn backend(&self) -> &'static str {
        "pupil"
    }

    fn name(&self) -> &'static str {
        "pupil"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: &'a CancellationToken) -> Pending<'a> {
        let system = request.messages.first().map_or("", |message| message.content.as_str());
        let last = request.messages.last().map_or("", |message| message.content.as_str());
        let text = if system.starts_with("You write skills") {
            let task = last.split("<task>").nth(1).unwrap_or(last);
            family_of(task.split("</task>").next().unwrap_or(task)).lesson()
        } else if system.starts_with("You compare two answers") {
            let part = |tag: &str| {
                let inside = last.split(&format!("<{tag}>")).nth(1)?;
                inside.split(&format!("</{tag}>")).next().map(str::trim)
            };
            (if part("right") == part("answer") { "YES" } else { "NO" }).to_owned()
        } else {
            next_step(system, request)
        };
        let chars: usize = request.messages.iter().map(|message| message.content.len()).sum();
        let usage =
            Usage { input: chars as u64 / 4, output: text.len() as u64 / 4, is_estimate: true };
        let reply = Reply { text, model: "pupil".to_owned(), usage, is_cut: false };
        Box::pin(async move { Ok(reply) })
    }
}

/// What the pupil does next in a task: by a skill that seems to be about it, else the long way.
fn next_step(system: &str, request: &Request) -> String {
    let call =
        |tool: &str, args: serde_json::Value| json!({"tool": tool, "args": args}).to_string();
    let read = |path: &str| call("read_file", json!({"path": path}));
    let input = request.messages.get(1).map_or("", |message| message.content.as_str());
    let last = request.messages.last().map_or("", |message| message.content.as_str());
    if let Some(number) = after(last, "answer: ") {
        return json!({"answer": number}).to_string();
    }
    if let Some(file) = after(last, "moved to ") {
        return read(file);
    }
    let turn = request.messages.len() / 2;
    let noun = family_of(input).noun;
    match (about(system, input), turn) {
        (Some(skill), 1) => call("skill_view", json!({"name": skill})),
        (Some(_), 2) => match after(last, "Read `") {
            Some(file) => read(file.trim_end_matches('`')),
            None => read(&format!("{noun}.txt")),
        },
        (None, 1) => read(&format!("{noun}.txt")),
        (None, 2) => call("list_files", json!({})),
        _ => read(&format!("{noun}-old.csv")),
    }
}

/// The word behind some words.
fn after<'t>(text: &'t str, words: &str) -> Option<&'t str> {
    let rest = &text[text.find(words)? + words.len()..];
    rest.split_whitespace().next()
}

/// The skill of the index that names what is asked for and shares most words with the task; of equals,
/// the first.
fn about<'s>(system: &'s str, input: &str) -> Option<&'s str> {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.len() > 3).map(str::to_lowercase).collect()
    };
    let (asked, noun) = (words(input), family_of(input).noun);
    let mut best = (0, None);
    for line in system.lines().filter(|line| line.contains(noun)) {
        let Some(at) = line.find("count-") else { continue };
        let name = line[at..].split(|c: char| !(c.is_alphanumeric() || c == '-')).next();
        let shared = words(line).iter().filter(|word| asked.contains(word)).count();
        if shared > best.0 {
            best = (shared, name);
        }
    }
    best.1
}

/// How lessons are treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arm {
    Cold,
    Gated,
    Ungated,
}

/// What an arm came to.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Figures {
    tasks: usize,
    right: usize,
    turns: usize,
    tokens: u64,
    skills: usize,
    refused: usize,
    spent: u64,
}

fn other(error: impl std::fmt::Display) -> Failure {
    Failure::Unmet(format!("the bench failed: {error}"))
}

/// Runs all arms and prints the table.
pub(crate) fn bench(words: &[&str]) -> Result<(), Failure> {
    let model = match words {
        [] => None,
        ["--model", name] => Some((*name).to_owned()),
        other => {
            return Err(Failure::Usage(format!(
                "`bench learn` does not take `{}`",
                other.join(" ")
            )));
        }
    };
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
    for (arm, name) in
        [(Arm::Cold, "cold"), (Arm::Gated, "after learning"), (Arm::Ungated, "gate off")]
    {
        let figures = runtime.block_on(measured(arm, model.as_deref()))?;
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
    }
    println!("{table}");
    Ok(())
}

/// An arm, with a real model, or with the pupil: recorded, and played again from the recording.
async fn measured(arm: Arm, model: Option<&str>) -> Result<Figures, Failure> {
    if let Some(name) = model {
        let settings = ModelSettings { name: Some(name.to_owned()), ..ModelSettings::default() };
        let variable = |name: &str| std::env::var(name).ok();
        let http = client(variable).map_err(other)?;
        let found = find(&settings, &variable, &http, &usual_places(&variable)).await;
        let found = found.map_err(other)?;
        let model = connect(&found.choice, http, Retries::default()).map_err(other)?;
        return figures(arm, model).await;
    }
    let folder = tempfile::tempdir().doing(|| "make a folder".to_owned())?;
    let path = folder.path().join("recording.jsonl");
    let recorder = Recorder::create(Arc::new(Pupil), &path, Vec::new()).map_err(other)?;
    let first = figures(arm, Arc::new(recorder)).await?;
    let recording = Recording::open(&path, Insists::OnOrder).map_err(other)?;
    let again = figures(arm, Arc::new(recording)).await?;
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
    fn new(folder: &Path, model: Arc<dyn Model>) -> Result<Self, Failure> {
        let (home, work) = (folder.join("hone"), folder.join("work"));
        let brain = Brain::create(&home, "pupil", &New::default()).map_err(other)?;
        std::fs::create_dir_all(&work).doing(|| "make files".to_owned())?;
        for family in &FAMILIES {
            family.write(&work).doing(|| "make files".to_owned())?;
        }
        let clock = AtomicI64::new(1_790_000_000_000);
        let runner = Runner {
            hone_home: home,
            policy: Policy::default(),
            model,
            helper: None,
            unconfined: false,
            client: None,
            tools: Vec::new(),
            packer: None,
            limits: Limits::default(),
            max_tokens: None,
            max_cost: None,
            prices: None,
            now: Arc::new(move || clock.fetch_add(1, Ordering::Relaxed)),
            cancelled: CancellationToken::new(),
        };
        let settings = LearnSettings { tokens: 10_000_000, ..LearnSettings::default() };
        Ok(Self { runner, brain, work, settings, redactor: Redactor::new(None) })
    }

    fn order(&self, input: String) -> Order {
        let space = Some(Space::Read(self.work.clone()));
        Order { agent: self.brain.id.clone(), input, space, ..Order::default() }
    }

    async fn run(&self, order: &Order) -> Result<Report, Failure> {
        self.runner.run(order, &Silence).await.map_err(other)
    }

    /// Teaches with the gate.
    async fn teach(&self, order: &Order, report: &Report) -> u64 {
        let host = Host {
            runner: &self.runner,
            settings: &self.settings,
            redactor: &self.redactor,
            referenced: &[],
        };
        after_task(&host, order, report).await.spent.tokens()
    }

    /// Teaches without: whatever can be written becomes a skill.
    async fn teach_ungated(&self, order: &Order, report: &Report) -> Result<u64, Failure> {
        let experience =
            Experience::of_run(&order.agent, &order.subscriber, &order.input, &report.finished);
        let Some(why) = trigger(&experience) else { return Ok(0) };
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
        if let Lesson::Proposed(mut proposal) =
            learner.ask(&experience, why).await.map_err(other)?
        {
            let records = Records::open(&self.runner.hone_home).map_err(other)?;
            let cancelled = &self.runner.cancelled;
            let decider = Decider { by: "nobody", why: "the gate is off", now: 0, cancelled };
            let here = Destination::Brain(self.brain.clone());
            land(&here, &records, &mut proposal, decider).await.map_err(other)?;
        }
        let usage = budget.spent().usage;
        Ok(usage.input + usage.output)
    }
}

async fn figures(arm: Arm, model: Arc<dyn Model>) -> Result<Figures, Failure> {
    let folder = tempfile::tempdir().doing(|| "make a folder".to_owned())?;
    let stage = Stage::new(folder.path(), model)?;
    let mut figures = Figures::default();
    if arm != Arm::Cold {
        for family in &FAMILIES {
            let order = stage.order(family.question(0));
            let report = stage.run(&order).await?;
            figures.spent += match arm {
                Arm::Gated => stage.teach(&order, &report).await,
                _ => stage.teach_ungated(&order, &report).await?,
            };
        }
        let state = State::open(&stage.runner.hone_home);
        figures.skills = Known::of(&stage.brain, &state).listed.len();
        let records = Records::open(&stage.runner.hone_home).map_err(other)?;
        let proposals = records.proposals().map_err(other)?;
        figures.refused = proposals.iter().filter(|one| one.is_open()).count();
    }
    for way in 1..ASKED.len() {
        for family in &FAMILIES {
            let report = stage.run(&stage.order(family.question(way))).await?;
            figures.tasks += 1;
            let is_right = report.finished.answer().is_some_and(|answer| {
                let numbers = answer.split(|c: char| !c.is_ascii_digit());
                numbers.filter(|number| !number.is_empty()).eq([family.answer.to_string()])
            });
            figures.right += usize::from(is_right);
            figures.turns += report.finished.cost.turns;
            let usage = report.finished.cost.usage;
            figures.tokens += usage.input + usage.output;
        }
    }
    Ok(figures)
}
