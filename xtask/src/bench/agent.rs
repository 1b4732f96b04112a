//! `cargo xtask bench agent`: what a task costs beside its model, with a model that answers at once.
//! A task of many turns and one of few differ by the turns alone; what is left is the task itself.

#![allow(clippy::cast_precision_loss, reason = "times and sizes are small")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hone_agent::brain::{Brain, Evidence, New, Opening, Settings, Waiting};
use hone_agent::memory::{Ending, Subscriber, TaskRow};
use hone_agent::model::{Model, Pending, Reply, Request, Usage};
use hone_agent::run::{Order, Runner, Silence, Space};
use hone_agent::task::{End, Limits};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::bench::generate::generate;
use crate::bench::memory;
use crate::bench::table::{Table, grouped};
use crate::failure::{Doing, Failure};

/// A turn may cost this many milliseconds beside the model.
const MAX_TURN_MS: f64 = 1.0;
/// Turns of the short and of the long task.
const SHORT: usize = 2;
const LONG: usize = 42;
/// Brains that work side by side.
const BRAINS: usize = 100;
/// Brains that are held and do nothing.
const HANDLES: usize = 100_000;

/// How much is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scale {
    Full,
    Quick,
}

impl Scale {
    fn runs(self) -> usize {
        if self == Self::Full { 9 } else { 3 }
    }

    /// Skills and messages of a brain.
    fn sizes(self) -> &'static [(usize, usize)] {
        match self {
            Self::Full => &[(0, 0), (1_000, 0), (0, 100_000), (1_000, 10_000), (1_000, 100_000)],
            Self::Quick => &[(0, 0), (1_000, 10_000)],
        }
    }
}

/// A model that calls one tool, with other arguments each time, and answers in its last turn.
struct Instantly {
    tool: &'static str,
    turns: usize,
    asked: AtomicUsize,
}

impl Model for Instantly {
    fn backend(&self) -> &'static str {
        "bench"
    }

    fn name(&self) -> &'static str {
        "instantly"
    }

    fn ask<'a>(&'a self, _: &'a Request, _: &'a CancellationToken) -> Pending<'a> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed);
        let text = if turn % self.turns + 1 == self.turns {
            json!({"answer": "done"}).to_string()
        } else {
            json!({"tool": self.tool, "args": arguments(self.tool, turn)}).to_string()
        };
        let usage = Usage { input: 100, output: 10, is_estimate: false };
        let reply = Reply { text, model: "instantly".to_owned(), usage, is_cut: false };
        Box::pin(async move { Ok(reply) })
    }
}

fn arguments(tool: &str, turn: usize) -> Value {
    match tool {
        "recall" => json!({"query": format!("what was round {turn} about, in words?")}),
        "note" => json!({"key": format!("key {turn}"), "value": "something that was learned"}),
        "skills_list" => json!({"query": format!("changelog {turn}")}),
        "read_file" => json!({"path": format!("file-{}.txt", turn % 50)}),
        _ => json!({}),
    }
}

/// An agent whose answers need no evidence: only some of the tools give any.
fn settings() -> Settings {
    Settings { evidence: Evidence::Optional, ..Settings::default() }
}

fn other(error: impl std::fmt::Display) -> Failure {
    Failure::Unmet(format!("the bench failed: {error}"))
}

/// A home with one agent of a size.
async fn home(folder: &Path, skills: usize, messages: usize) -> Result<(), Failure> {
    let made = folder.join("made");
    std::fs::create_dir_all(&made).doing(|| "make skills".to_owned())?;
    if skills > 0 {
        generate(&made, skills)?;
    }
    let new = New { skills: Some(made), settings: settings(), ..New::default() };
    let brain = Brain::create(&folder.join("hone"), "ada", &new).map_err(other)?;
    let opening = Opening {
        task: "before",
        subscriber: &Subscriber::Owner,
        input: "",
        backend: "instantly",
        model: "",
    };
    let cancelled = CancellationToken::new();
    let waiting = Waiting { patience: Duration::ZERO, cancelled: &cancelled, tell: &|_| {} };
    let session = brain.begin(&opening, &waiting, 0).await.map_err(other)?;
    for n in 0..messages {
        let text =
            format!("In round {n} the words were about topic {} and case {}.", n % 97, n % 1_009);
        session.remembering().draft().say(if n % 2 == 0 { "user" } else { "assistant" }, &text, 0);
    }
    let row = TaskRow {
        task: opening.task.to_owned(),
        subscriber: Subscriber::Owner,
        started: 0,
        ended: 0,
        ending: Ending::Answered,
        input: String::new(),
        answer: String::new(),
        model: String::new(),
        turns: 0,
        calls: 0,
        tokens_in: 0,
        tokens_out: 0,
    };
    session.finish(&row).map_err(other)?;
    let work = folder.join("work");
    std::fs::create_dir_all(&work).doing(|| "make files".to_owned())?;
    for n in 0..50 {
        let text = format!("line of file {n}\n").repeat(100);
        std::fs::write(work.join(format!("file-{n}.txt")), text)
            .doing(|| "make files".to_owned())?;
    }
    Ok(())
}

fn runner(hone_home: &Path, tool: &'static str, turns: usize) -> Runner {
    Runner {
        hone_home: hone_home.to_owned(),
        policy: hone_guard::policy::Policy::default(),
        model: Arc::new(Instantly { tool, turns, asked: AtomicUsize::new(0) }),
        helper: None,
        unconfined: false,
        client: None,
        secrets: Vec::new(),
        tools: Vec::new(),
        servers: Vec::new(),
        limits: Limits { turns, ..Limits::default() },
        max_tokens: None,
        max_cost: None,
        prices: None,
        gate: None,
        packer: None,
        now: Arc::new(|| 0),
        cancelled: CancellationToken::new(),
    }
}

/// What a task took: time of the processor, and time on the clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Took {
    processor: Duration,
    clock: Duration,
}

/// What this process has used of the processor so far.
fn processor() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// The median time of a task of so many turns.
async fn task_time(
    folder: &Path,
    tool: &'static str,
    turns: usize,
    runs: usize,
) -> Result<Took, Failure> {
    let runner = runner(&folder.join("hone"), tool, turns);
    let order = Order {
        agent: "ada".to_owned(),
        input: "measure".to_owned(),
        space: Some(Space::Read(folder.join("work"))),
        ..Order::default()
    };
    let mut times = Vec::new();
    for run in 0..=runs {
        let (start, used) = (Instant::now(), processor());
        let report = runner.run(&order, &Silence).await.map_err(other)?;
        let took = Took { processor: processor().saturating_sub(used), clock: start.elapsed() };
        if !matches!(report.finished.end, End::Answered { .. }) {
            return Err(other(report.finished.end));
        }
        // The first one warms up.
        if run > 0 {
            times.push(took);
        }
    }
    times.sort_unstable();
    Ok(times[times.len() / 2])
}

/// Measures, and prints the tables.
pub(crate) fn bench(scale: Scale) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .doing(|| "start".to_owned())?;
    println!("### Harness of an agent\n");
    println!(
        "`cargo xtask bench agent`: a model that answers at once, {} runs each. A turn is one reply and one call \
         of the tool; a task is everything else: lock, settings, skills, index, memory, transcript, commit. Times \
         are of the processor; on the clock, a task of {SHORT} turns waits for the disk as well.\n",
        scale.runs()
    );
    let mut table =
        Table::new(&["skills", "messages", "tool", "a turn", "target", "a task", "on the clock"]);
    for (skills, messages) in scale.sizes() {
        let folder = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
        runtime.block_on(home(folder.path(), *skills, *messages))?;
        for tool in ["recall", "note", "read_file", "skills_list"] {
            let time = |turns| task_time(folder.path(), tool, turns, scale.runs());
            let short = runtime.block_on(time(SHORT))?;
            let long = runtime.block_on(time(LONG))?;
            let turns = long.processor.saturating_sub(short.processor);
            let turn = turns.as_secs_f64() * 1e3 / (LONG - SHORT) as f64;
            let task = short.processor.as_secs_f64() * 1e3 - turn * SHORT as f64;
            table.row([
                grouped(*skills),
                grouped(*messages),
                format!("`{tool}`"),
                format!("{turn:.3} ms"),
                format!(
                    "≤ {MAX_TURN_MS} ms{}",
                    if turn <= MAX_TURN_MS { "" } else { " **missed**" }
                ),
                format!("{task:.1} ms"),
                format!("{:.1} ms", short.clock.as_secs_f64() * 1e3),
            ]);
        }
    }
    println!("{table}");
    runtime.block_on(many())
}

/// Many brains at once, and what one costs that does nothing.
async fn many() -> Result<(), Failure> {
    let folder = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
    let hone_home = folder.path().join("hone");
    for n in 0..BRAINS {
        Brain::create(&hone_home, &format!("agent-{n}"), &New::default()).map_err(other)?;
    }
    let order = |n: usize| Order {
        agent: format!("agent-{n}"),
        input: "measure".to_owned(),
        ..Order::default()
    };
    let alone = Instant::now();
    runner(&hone_home, "recall", 8).run(&order(0), &Silence).await.map_err(other)?;
    let alone = alone.elapsed();
    let before = memory::now()?;
    let start = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for n in 0..BRAINS {
        let (runner, order) = (runner(&hone_home, "recall", 8), order(n));
        running.spawn(async move { runner.run(&order, &Silence).await.map(|_| ()) });
    }
    while let Some(done) = running.join_next().await {
        done.map_err(other)?.map_err(other)?;
    }
    let took = start.elapsed();
    let after = memory::now()?;
    let brains: Vec<Brain> = (0..HANDLES)
        .map(|n| Brain::find(&hone_home, &format!("agent-{}", n % BRAINS)).map_err(other))
        .collect::<Result<_, _>>()?;
    let idle = memory::now()?.saturating_sub(after) / brains.len() as u64;
    let mut table = Table::new(&["what", "value"]);
    table.row([
        "one task of 8 turns, alone".to_owned(),
        format!("{:.1} ms", alone.as_secs_f64() * 1e3),
    ]);
    table.row([
        format!("{BRAINS} brains, a task of 8 turns each, side by side"),
        format!("{:.0} ms", took.as_secs_f64() * 1e3),
    ]);
    table.row([
        "memory of the process: before, after".to_owned(),
        format!("{:.1} MB, {:.1} MB", before as f64 / 1e6, after as f64 / 1e6),
    ]);
    table.row([
        format!("memory of an idle brain, of {} held", grouped(HANDLES)),
        format!("{idle} bytes"),
    ]);
    println!("{table}");
    Ok(())
}
