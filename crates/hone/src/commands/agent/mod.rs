//! `hone agent`, `hone run`, `hone chat` and `hone demo`.

mod chat;
mod correct;
mod demo;
mod folder;
mod fork;
mod interrupt;
mod lesson;
mod lineage;
mod log;
pub(super) mod models;
mod run;
mod servers;
mod show;
mod snapshot;
mod view;

use hone_agent::brain::BrainError;
use hone_agent::lineage::snapshot::{History, Reading};
use hone_agent::packing::{Asked, Point};
use hone_agent::run::RunError;

pub(crate) use chat::chat;
pub(crate) use correct::correct;
pub(crate) use demo::demo;
pub(crate) use folder::runtime;
pub(crate) use fork::Fork;
pub(crate) use interrupt::{INTERRUPTED, Interrupt};
pub(crate) use lesson::referenced;
pub(crate) use models::find_with;
pub(crate) use run::{Supplies, exit_code, readable, run, runner};
pub(crate) use servers::connect;
pub(crate) use snapshot::{catch_up, packed, packer};

use crate::cli::AgentCommand;
use crate::context::Context;
use crate::output::{Failure, Outcome};

pub(crate) fn agent(context: &Context, command: AgentCommand) -> Outcome {
    match command {
        AgentCommand::New { id, system, skills, patterns, tools, agents, model, seed, json } => {
            let made = folder::Made { system, skills, patterns, tools, agents, model, seed };
            folder::new(context, &id, made, json)
        }
        AgentCommand::List { json } => show::list(context, json),
        AgentCommand::Show { id, json } => show::show(context, &id, json),
        AgentCommand::Update { id, seed, json } => folder::update(context, &id, &seed, json),
        AgentCommand::Rm { id, yes } => folder::remove(context, &id, yes),
        AgentCommand::Hash { id, json } => lineage::hash(context, &id, json),
        AgentCommand::Receipts { id, json } => lineage::receipts(context, &id, json),
        AgentCommand::Verify { what, key, json } => {
            lineage::verify(context, &what, key.as_deref(), json)
        }
        AgentCommand::Proof { id, task, step } => lineage::proof(context, &id, &task, step),
        AgentCommand::Log { id, limit, diff, json } => log::log(context, &id, limit, diff, json),
        AgentCommand::Snapshot { id: None, to, key_file, json, .. } => {
            snapshot::take_all(context, &Asked { store: to, key_file }, json)
        }
        AgentCommand::Snapshot { id: Some(id), to, key_file, replace, full, list, json } => {
            let asked = Asked { store: to, key_file };
            if list {
                return snapshot::list(context, &id, &asked, json);
            }
            let history = if replace { History::Replaces } else { History::Extends };
            let reading = if full { Reading::All } else { Reading::Changed };
            snapshot::take(context, &id, &asked, (history, reading), json)
        }
        AgentCommand::Restore { id, from, key_file, version, number, key, list, json } => {
            let asked = Asked { store: from, key_file };
            if list {
                return snapshot::list(context, &id, &asked, json);
            }
            let point = match (number, version) {
                (Some(number), _) => Point::Number(number),
                (None, Some(version)) => Point::Version(version),
                (None, None) => Point::Newest,
            };
            snapshot::restore(context, &id, &asked, point, key.as_deref(), json)
        }
        AgentCommand::Prune { id, keep, from, key_file, json } => {
            snapshot::prune(context, &id, &Asked { store: from, key_file }, keep, json)
        }
        AgentCommand::Rotate { id } => lineage::rotate(context, &id),
    }
}

/// A brain's error as the command line tells it.
fn failure(error: BrainError) -> Failure {
    let hint = error.hint().unwrap_or_default();
    match error {
        BrainError::Library(error) => Failure::from(error),
        error if error.is_answer() => Failure::no(error.to_string(), &hint),
        error => Failure::failed(error.to_string(), &hint),
    }
}

impl From<BrainError> for Failure {
    fn from(error: BrainError) -> Self {
        failure(error)
    }
}

/// Why a task could not be run, as the command line tells it. It did not run, whatever the reason.
fn not_run(error: RunError) -> Failure {
    let hint = error.hint().unwrap_or_default();
    match error {
        RunError::Brain(BrainError::NoAgent { .. } | BrainError::BadId { .. }) => {
            Failure::failed(error.to_string(), &hint)
        }
        RunError::Brain(error) => failure(error),
        error => Failure::failed(error.to_string(), &hint),
    }
}
