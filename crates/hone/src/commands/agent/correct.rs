//! `hone correct`: what was wrong with a task, so that its agent learns from it.

use std::process::ExitCode;

use hone_agent::brain::Brain;
use hone_learn::sessions::{self, Places};

use super::folder::runtime;
use super::interrupt::Interrupt;
use super::run::runner;
use super::view::{Mode, View};
use super::{failure, lesson, models};
use crate::cli::Correct;
use crate::commands::review;
use crate::context::Context;
use crate::output::{Failure, Outcome, say};

pub(crate) fn correct(context: &Context, said: &Correct) -> Outcome {
    let home = &context.around.hone_home;
    let brain = Brain::find(home, &said.agent).map_err(failure)?;
    let mut tasks = Places::of(&context.around).locate(|from| from == "hone").sessions.into_iter();
    let meant = said.task.as_deref().unwrap_or_default();
    let found = tasks
        .find(|task| task.agent.name() == Some(&*said.agent) && task.id.starts_with(meant))
        .ok_or_else(|| {
            let agent = &said.agent;
            let message = match meant {
                "" => format!("`{agent}` has not done a task yet"),
                id => format!("`{agent}` has not done a task `{id}`"),
            };
            Failure::no(message, "`hone sessions --from hone` lists them")
        })?;
    let mut experience = sessions::read(&found)
        .map_err(|error| Failure::failed(format!("the task cannot be read: {error}"), ""))?;
    let records = review::records(context)?;
    experience.source.folder =
        records.folder_of(&brain.id, &experience.source.session).map_err(review::failure)?;
    let runtime = runtime()?;
    let wanted = match &said.model {
        Some(model) => Some(model.clone()),
        None => brain.settings().map_err(failure)?.model,
    };
    let model = runtime.block_on(models::find(context, wanted.as_deref()))?.model;
    if !said.json {
        say(&format!("task {}: {}", found.id, one_line(&experience.task)));
    }
    let interrupt = Interrupt::listen();
    let runner = runner(context, model, interrupt.task())?;
    let view = View::new(if said.json { Mode::Json } else { Mode::Lines });
    lesson::correct(context, &runtime, &runner, experience, &said.words.join(" "), &view);
    interrupt.done();
    Ok(ExitCode::SUCCESS)
}

/// The beginning of a task, on one line of the terminal.
fn one_line(task: &str) -> String {
    let words = task.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::terminal::fit(&crate::terminal::printable_line(&words), 72).into_owned()
}
