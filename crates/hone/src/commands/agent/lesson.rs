//! What an agent learns from a task, after its answer was given.

use hone_agent::run::{Order, Report, Runner};
use hone_learn::Experience;
use hone_learn::after::{Aftermath, Host, Taught, after_correction, after_task, count_task};
use hone_learn::redact::Redactor;
use tokio::runtime::Runtime;

use super::view::View;
use crate::context::Context;

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

/// Learns nothing from a task, which counts all the same for the skills that it read.
pub(super) fn only_count(runner: &Runner, order: &Order, report: &Report, view: &View) {
    view.lesson(&count_task(runner, order, report));
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
    }
    if aftermath.asked.is_some() || aftermath.spent.replies > 0 {
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
