//! What a person or a program sees of a task while it runs.
//!
//! Steps go to standard error, one a line, with a line that says what is going on now while that is a
//! terminal. For programs, every event is a line of JSON on standard output. Whatever a model or a tool
//! says is made printable first.

use std::fmt::Write as _;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};

use hone_agent::brain::Owner;
use hone_agent::event::Event;
use hone_agent::lineage::snapshot::Taken;
use hone_agent::model::{Spent, Usage};
use hone_agent::packing::Packed;
use hone_agent::run::{Learned, Listener, Report};
use hone_agent::step::{Outcome, Reply, Step, What};
use hone_agent::task::{Cost, Finished};
use hone_learn::after::Aftermath;
use serde_json::Value;

use super::snapshot;
use crate::json::agent::{RunLine, TaskReport};
use crate::output::{Failure, count, print_data, print_json, say, say_rendered};
use crate::terminal::{columns, fit, printable_line};

/// Columns of a call's arguments in a line.
const ARGUMENT_COLUMNS: usize = 60;

/// How a task is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Lines for people.
    Lines,
    /// A line of JSON for each event.
    Json,
}

/// Shows a task.
#[derive(Debug)]
pub(crate) struct View {
    mode: Mode,
    is_live: bool,
    /// Whether the line that says what is going on stands there.
    has_status: AtomicBool,
    /// Whether standard output can still be written to.
    is_broken: AtomicBool,
}

impl View {
    pub(crate) fn new(mode: Mode) -> Self {
        Self {
            mode,
            is_live: mode == Mode::Lines && std::io::stderr().is_terminal(),
            has_status: AtomicBool::new(false),
            is_broken: AtomicBool::new(false),
        }
    }

    fn line(&self, text: &str) {
        self.clear();
        say(text);
    }

    /// Says what is going on, until something happened.
    fn status(&self, text: &str) {
        if self.is_live {
            self.clear();
            let text = printable_line(text);
            let text = fit(&text, columns().saturating_sub(1));
            say_rendered(&text);
            self.has_status.store(true, Ordering::Relaxed);
        }
    }

    fn clear(&self) {
        if self.has_status.swap(false, Ordering::Relaxed) {
            say_rendered("\r\u{1b}[K");
        }
    }

    fn json(&self, line: &RunLine) {
        // A reader that went away does not stop the task: what it learns counts.
        if !self.is_broken.load(Ordering::Relaxed) && print_json(line).is_err() {
            self.is_broken.store(true, Ordering::Relaxed);
        }
    }

    /// What became of a snapshot after the task.
    pub(crate) fn packed(&self, packed: &Packed<'_>) {
        if self.mode == Mode::Lines {
            if let Some(line) = snapshot::packed(packed) {
                self.line(&line);
            }
            return;
        }
        let number = match packed.taken {
            Ok(Taken::New { number, .. } | Taken::Unchanged { number }) => Some(*number),
            Err(_) => None,
        };
        let error = packed.taken.err().map(ToString::to_string);
        self.json(&RunLine::Snapshot { agent: packed.agent.to_owned(), number, error });
    }

    /// The end: the answer on standard output, the rest on standard error.
    pub(crate) fn report(&self, report: &Report) -> Result<(), Failure> {
        self.clear();
        if self.mode == Mode::Json {
            self.json(&RunLine::Report(Box::new(TaskReport::from(report))));
            return Ok(());
        }
        if let Some(answer) = report.finished.answer() {
            let end = if answer.ends_with('\n') { "" } else { "\n" };
            print_data(&format!("{answer}{end}"))?;
        } else {
            say(&report.finished.end.to_string());
            for tried in report.finished.tried() {
                let result = outcome(tried.outcome, tried.summary);
                say(&format!("  tried {}: {result}", tried.tool));
            }
            if let Some(hint) = without_a_look(&report.finished) {
                say(hint);
            }
        }
        for note in &report.notes {
            say(&format!("note: {note}"));
        }
        for line in learned(&report.learned) {
            say(&line);
        }
        say(&cost(&report.finished.cost, &report.spent));
        let (index, version) = (report.receipt.index, report.receipt.after.version);
        say(&format!("signed: receipt {index}, version {version} of what it knows"));
        Ok(())
    }
}

impl View {
    /// What came of a task beside its answer; nothing when nothing did.
    pub(crate) fn lesson(&self, aftermath: &Aftermath) {
        self.clear();
        if *aftermath == Aftermath::default() {
            return;
        }
        if self.mode == Mode::Json {
            return self.json(&RunLine::Lesson(Box::new(aftermath.clone())));
        }
        for line in super::lesson::told(aftermath) {
            say(&line);
        }
    }
}

impl Listener for View {
    fn waiting(&self, owner: &Owner) {
        match self.mode {
            Mode::Json => self.json(&RunLine::Waiting { owner: owner.to_string() }),
            Mode::Lines => self.line(&format!("note: waiting for {owner}")),
        }
    }

    fn event(&self, event: &Event<'_>) {
        if self.mode == Mode::Json {
            return self.json(&line_of(event));
        }
        match event {
            Event::Started { .. } | Event::Ended { .. } => self.clear(),
            Event::Asking { turn, of } => self.status(&format!("  {turn} of {of}: asking …")),
            Event::Calling { turn, tool, arguments } => {
                self.status(&format!("  {turn} {} …", called(tool, arguments)));
            }
            Event::Step { step } => {
                if let Some(line) = shown(step) {
                    self.line(&line);
                }
            }
        }
    }
}

/// An event as programs get it.
fn line_of(event: &Event<'_>) -> RunLine {
    match event {
        Event::Started { task, backend, model, turns, tools } => RunLine::Started {
            task: (*task).to_owned(),
            backend: (*backend).to_owned(),
            model: (*model).to_owned(),
            turns: *turns,
            tools: tools.iter().map(|tool| (*tool).to_owned()).collect(),
        },
        Event::Asking { turn, of } => RunLine::Asking { turn: *turn, of: *of },
        Event::Calling { turn, tool, arguments } => RunLine::Calling {
            turn: *turn,
            tool: (*tool).to_owned(),
            arguments: (*arguments).clone(),
        },
        Event::Step { step } => RunLine::Step { step: (*step).clone() },
        Event::Ended { end, cost } => RunLine::Ended { end: (*end).clone(), cost: **cost },
    }
}

/// A step in a line; none for one that the next line tells better.
fn shown(step: &Step) -> Option<String> {
    Some(match &step.what {
        What::Skills { .. } => return None,
        What::Model { turn, reading, .. } => match reading {
            Reply::Call | Reply::Answer => return None,
            Reply::RefusedAnswer => format!("  {turn} answered without having looked: asked again"),
            Reply::Unreadable(_) => {
                format!("  {turn} said something that is no reply: asked again")
            }
        },
        What::NoReply { turn, error, .. } => format!("  {turn} no reply: {error}"),
        What::Tool(call) => {
            let result = outcome(call.outcome, &call.summary);
            format!("  {} {}: {result}", call.turn, called(&call.tool, &call.arguments))
        }
    })
}

fn outcome(outcome: Outcome, summary: &str) -> String {
    match outcome {
        Outcome::Ok => summary.to_owned(),
        other => format!("{}: {summary}", other.id()),
    }
}

/// A call in few words: its arguments without the names that every call of the tool has.
fn called(tool: &str, arguments: &Value) -> String {
    let text = match arguments.as_object() {
        Some(fields) if fields.len() == 1 => match fields.values().next() {
            Some(Value::String(only)) => only.clone(),
            _ => arguments.to_string(),
        },
        Some(fields) if fields.is_empty() => return tool.to_owned(),
        _ => arguments.to_string(),
    };
    let text = printable_line(&text);
    format!("{tool} {}", fit(&text, ARGUMENT_COLUMNS))
}

fn learned(learned: &Learned) -> Vec<String> {
    let mut lines = Vec::new();
    for skill in &learned.skills {
        let version = skill.version.as_ref().map(|version| format!(", version {version}"));
        let actions = skill.actions.join(", ");
        lines.push(format!(
            "learned: skill {} ({actions}{})",
            skill.name,
            version.unwrap_or_default()
        ));
    }
    for note in &learned.notes {
        lines.push(format!("learned: noted {note}"));
    }
    for held in &learned.quarantined {
        lines.push(format!("quarantined: {}: {}", held.key, held.reason));
    }
    for proposal in &learned.proposals {
        let findings = proposal.findings.join("; ");
        lines.push(format!(
            "not written: skill {}: {} ({findings})",
            proposal.name, proposal.verdict
        ));
    }
    lines
}

/// What a task cost, with the agents that it asked, and in money where the prices are known.
pub(super) fn cost(cost: &Cost, spent: &Spent) -> String {
    let seconds = cost.milliseconds / 100;
    let mut line = format!(
        "cost: {}, {}, {}, {}.{} s",
        count(cost.turns, "turn"),
        count(cost.calls, "call"),
        tokens(cost.usage),
        seconds / 10,
        seconds % 10
    );
    if spent.replies > cost.turns as u64 {
        let turns = count(usize::try_from(spent.replies).unwrap_or(usize::MAX), "turn");
        let _ = write!(line, "; with the agents that it asked: {turns}, {}", tokens(spent.usage));
    }
    if let Some(money) = spent.cost {
        let _ = write!(line, "; {money:.4} by your prices");
    }
    line
}

fn tokens(usage: Usage) -> String {
    let all = usage.input.saturating_add(usage.output);
    let about = if usage.is_estimate { "about " } else { "" };
    format!("{about}{all} tokens ({} in, {} out)", usage.input, usage.output)
}

/// What to do about a task whose last word was an answer that nothing had been looked at for.
fn without_a_look(finished: &Finished) -> Option<&'static str> {
    let last = finished.steps.iter().rev().find_map(|step| match &step.what {
        What::Model { reading, .. } => Some(*reading),
        _ => None,
    });
    (last == Some(Reply::RefusedAnswer)).then_some(
        "hint: it answered without having looked at anything. Give it files to look at (`cd` to a project, or \
         `--workspace DIR`), or let it answer without: `evidence = \"optional\"` in its `agent.toml`",
    )
}
