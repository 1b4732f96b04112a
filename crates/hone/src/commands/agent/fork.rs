//! A skill with `context: fork`: a task of its own, with the tools that the skill declares and no others.
//!
//! It runs in the brain of `--agent`, else in one that is thrown away. Its answer is what is left of it.

use std::sync::Arc;

use hone_agent::brain::{Brain, New};
use hone_agent::run::{Listener, Order, Report, Silence, Space};
use hone_library::Listed;
use hone_router::Answers;

use super::folder::runtime;
use super::interrupt::Interrupt;
use super::run::{readable, runner};
use super::view::{Mode, View};
use super::{failure, models, not_run};
use crate::context::Context;
use crate::output::{Failure, say};

/// What the tools that skills declare are called here.
const NAMES: [(&str, &[&str]); 12] = [
    ("read", &["read_file", "list_files", "search_files"]),
    ("glob", &["list_files"]),
    ("ls", &["list_files"]),
    ("grep", &["search_files"]),
    ("search", &["search_files"]),
    ("write", &["write_file"]),
    ("edit", &["read_file", "write_file"]),
    ("multiedit", &["read_file", "write_file"]),
    ("bash", &["run_command"]),
    ("shell", &["run_command"]),
    ("webfetch", &["fetch_url"]),
    ("fetch", &["fetch_url"]),
];

/// What a skill gets that declares nothing: it may read the files that the task is about.
const UNDECLARED: &str = "Read";

/// The tools of ours that `allowed-tools` stands for.
fn tools_of(declared: &[String]) -> Vec<String> {
    let mut tools: Vec<String> = Vec::new();
    let undeclared = declared.is_empty().then_some(UNDECLARED);
    for entry in declared.iter().map(String::as_str).chain(undeclared) {
        let name = entry.split('(').next().unwrap_or_default().trim().to_lowercase();
        let known = NAMES.iter().find(|(known, _)| *known == name).map(|(_, tools)| *tools);
        let own = hone_agent::run::TOOLS.iter().filter(|tool| **tool == name);
        for tool in known.into_iter().flatten().chain(own) {
            if !tools.iter().any(|other| other == tool) {
                tools.push((*tool).to_owned());
            }
        }
    }
    tools
}

/// A model that is ready for a task of its own.
pub(crate) struct Fork {
    runtime: tokio::runtime::Runtime,
    found: models::Found,
}

impl Fork {
    /// Finds the model.
    pub(crate) fn ready(context: &Context) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let found = runtime.block_on(models::find(context, None))?;
        Ok(Self { runtime, found })
    }

    /// Runs called skills as a task. Their answers go to their own commands and into no text.
    pub(crate) fn run(
        self,
        context: &Context,
        text: &str,
        skills: &[&Listed],
        answers: &Answers,
        declared: &[String],
        is_silent: bool,
    ) -> Result<Report, Failure> {
        let Self { runtime, found } = self;
        let interrupt = Interrupt::listen();
        let mut runner = runner(context, Arc::clone(&found.model), interrupt.task())?;
        let broken =
            |error: std::io::Error| Failure::failed(format!("no place to work: {error}"), "");
        let scratch = tempfile::Builder::new().prefix("hone-fork-").tempdir().map_err(broken)?;
        let agent = if let Some(agent) = &context.places.agent {
            agent.clone()
        } else {
            scratch.path().clone_into(&mut runner.hone_home);
            Brain::create(&runner.hone_home, "fork", &New::default()).map_err(failure)?.id
        };
        let tools = tools_of(declared);
        let writes = ["write_file", "run_command"];
        let may_write = tools.iter().any(|tool| writes.contains(&tool.as_str()));
        let place = if may_write { Space::Write } else { Space::Read };
        let space = readable(context).map(place);
        if space.is_none() {
            say("note: it can read no files here, where your whole home is: `cd` to a project");
        }
        let order = Order {
            agent,
            input: text.to_owned(),
            space,
            tools: Some(tools),
            skills: skills.iter().map(|skill| (*skill).clone()).collect(),
            answers: answers.clone(),
            ..Order::default()
        };
        let view = View::new(Mode::Lines);
        let listener: &dyn Listener = if is_silent { &Silence } else { &view };
        if !is_silent {
            say(&format!("a task of its own asks {} ({})", found.model.name(), found.why));
        }
        let report = runtime.block_on(runner.run(&order, listener));
        interrupt.done();
        let report = report.map_err(not_run)?;
        if !is_silent {
            view.report(&report)?;
        }
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::tools_of;

    #[test]
    fn declared_tools_have_names_here() {
        let declared =
            |words: &[&str]| tools_of(&words.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>());
        let names = |words: &[&str]| declared(words).join(" ");
        assert_eq!(names(&[]), names(&["Read"]));
        assert_eq!(names(&["Bash(git diff *)", "Grep"]), "run_command search_files");
        assert_eq!(names(&["Read", "Glob", "recall"]), "read_file list_files search_files recall");
        assert_eq!(names(&["Frobnicate"]), "");
    }
}
