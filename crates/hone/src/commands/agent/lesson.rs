//! What an agent learns from a task, after its answer was given.

use std::sync::{Arc, Mutex, PoisonError};

use hone_agent::run::{Afterwards, Order, Report, Runner};
use hone_learn::Experience;
use hone_learn::after::{Aftermath, Host, Taught, after_correction, after_task};
use hone_learn::redact::Redactor;
use hone_library::LearnSettings;
use tokio::runtime::{Handle, Runtime};
use tokio_util::sync::CancellationToken;

use super::view::View;
use crate::context::Context;
use crate::output::say;

/// Looks back at a task, and tells what came of it.
pub(super) fn learn(
    context: &Context,
    runtime: &Runtime,
    runner: &Runner,
    order: &Order,
    report: &Report,
    view: &View,
) {
    let (redactor, referenced) = supplies(context);
    let settings = &context.config.learn;
    let host = Host { runner, settings, redactor: &redactor, referenced: &referenced };
    learn_as(&host, runtime, order, report, view);
}

/// The same, for whoever brings the rest.
pub(super) fn learn_as(
    host: &Host<'_>,
    runtime: &Runtime,
    order: &Order,
    report: &Report,
    view: &View,
) {
    view.lesson(&runtime.block_on(after_task(host, order, report)));
}

/// Learns from what a person says was wrong with a task, and tells what came of it.
pub(super) fn correct(
    context: &Context,
    runtime: &Runtime,
    runner: &Runner,
    experience: Experience,
    words: &str,
    view: &View,
) {
    let (redactor, referenced) = supplies(context);
    let settings = &context.config.learn;
    let host = Host { runner, settings, redactor: &redactor, referenced: &referenced };
    view.lesson(&runtime.block_on(after_correction(&host, experience, words)));
}

/// Lets agents learn from tasks that a server runs: one after the other, beside it.
#[derive(Clone)]
pub(crate) struct Beside(Arc<School>);

struct School {
    settings: LearnSettings,
    redactor: Redactor,
    referenced: Vec<String>,
    runtime: Handle,
    stops: CancellationToken,
    /// Whoever holds it learns; none begins once it is closed.
    turn: Mutex<Door>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Door {
    #[default]
    Open,
    Closed,
}

impl Beside {
    /// With the settings of this process. It has to be ended before the runtime is.
    pub(crate) fn new(context: &Context, runtime: &Runtime) -> Self {
        let (redactor, referenced) = supplies(context);
        Self(Arc::new(School {
            settings: context.config.learn.clone(),
            redactor,
            referenced,
            runtime: runtime.handle().clone(),
            stops: CancellationToken::new(),
            turn: Mutex::default(),
        }))
    }

    /// Stops what is being learned, waits until it has, and begins nothing more.
    pub(crate) fn end(&self) {
        self.0.stops.cancel();
        *self.0.turn.lock().unwrap_or_else(PoisonError::into_inner) = Door::Closed;
    }
}

impl Afterwards for Beside {
    fn over(&self, runner: &Runner, order: &Order, report: &Report) {
        let school = Arc::clone(&self.0);
        let cancelled = school.stops.clone();
        let runner = Runner { afterwards: None, cancelled, ..runner.clone() };
        let (order, report) = (order.clone(), report.clone());
        // What is learned cannot leave its thread, and nobody waits for it.
        std::thread::spawn(move || {
            let turn = school.turn.lock().unwrap_or_else(PoisonError::into_inner);
            if *turn == Door::Closed {
                return;
            }
            let School { settings, redactor, referenced, runtime, .. } = &*school;
            let host = Host { runner: &runner, settings, redactor, referenced };
            for line in told(&runtime.block_on(after_task(&host, &order, &report))) {
                say(&format!("{}: {line}", order.agent));
            }
        });
    }
}

fn supplies(context: &Context) -> (Redactor, Vec<String>) {
    (Redactor::new(Some(&context.around.user_home)), referenced(context))
}

/// The skills that bundles of the configuration name.
pub(crate) fn referenced(context: &Context) -> Vec<String> {
    let names = context.config.bundles.iter().flat_map(|bundle| &bundle.skills);
    names.map(|name| name.rsplit(':').next().unwrap_or(name).to_owned()).collect()
}

/// What came of a task beside its answer, a line each.
pub(super) fn told(aftermath: &Aftermath) -> Vec<String> {
    let mut lines = Vec::new();
    for gone in &aftermath.rolled_back {
        lines.push(format!("taken back: skill {}: {}", gone.skill, gone.why));
    }
    for aged in &aftermath.aged {
        lines.push(format!("curated: skill {}: {}", aged.skill, aged.why));
    }
    if let Some(why) = &aftermath.asked {
        let result = match &aftermath.result {
            Some(result) => said(result),
            None => "nothing came of it".to_owned(),
        };
        lines.push(format!("lesson ({why}): {result}"));
        let (spent, about) =
            (aftermath.spent, if aftermath.spent.is_estimate { "about " } else { "" });
        lines.push(format!(
            "cost of learning: {about}{} tokens ({} in, {} out)",
            spent.tokens(),
            spent.tokens_in,
            spent.tokens_out
        ));
    }
    lines.extend(aftermath.notes.iter().map(|note| format!("note: {note}")));
    lines
}

fn said(taught: &Taught) -> String {
    match taught {
        Taught::Landed { name, kind, version, .. } => {
            let version = version.as_ref().map(|version| format!(", version {version}"));
            format!("{kind} {name}{}: on trial from the next task on", version.unwrap_or_default())
        }
        Taught::Waits { name, proposal, why } => {
            format!("{name} waits for you ({why}): `hone review show {proposal}`")
        }
        Taught::Refused { name, proposal, why } => {
            format!("{name} did not pass the gate ({why}): `hone review show {proposal}`")
        }
        Taught::Kept => "the skills say it already".to_owned(),
        Taught::Skipped => "nothing to learn".to_owned(),
        Taught::Unusable { why } => format!("the reply could not be used: {why}"),
    }
}
