//! `hone chat`: one task a line, with what was said before.

use std::io::{BufRead, IsTerminal, Write as _};
use std::process::ExitCode;
use std::sync::Arc;

use hone_agent::brain::Brain;
use hone_agent::model::{Message, Role, Spent};
use hone_agent::run::{Order, Report, Runner};
use hone_agent::task::{Cost, End};
use hone_learn::after::experience_of;
use hone_learn::sessions::is_against;
use tokio_util::sync::CancellationToken;

use super::folder::background_runtime;
use super::interrupt::Interrupt;
use super::run::{order, runner, wanted};
use super::snapshot::packer;
use super::view::{Mode, View, cost};
use super::{lesson, models, not_run, servers};
use crate::cli::Running;
use crate::context::Context;
use crate::output::{Failure, Outcome, say};

/// Characters of earlier words that go with a task; the oldest are left out first.
const MAX_EARLIER_CHARS: usize = 24_000;

const HELP: &str = "/quit ends, /new forgets the talk so far, /cost says what it cost, /wrong WHAT says what \
    was wrong with the last answer, /help is this";

pub(crate) fn chat(context: &Context, agent: &str, how: &Running) -> Outcome {
    let brain = Brain::find(&context.around.hone_home, agent).map_err(|error| {
        let hint = error.hint().unwrap_or_default();
        Failure::failed(error.to_string(), &hint)
    })?;
    let order = order(context, &brain, how)?;
    let runtime = background_runtime()?;
    let found = runtime.block_on(models::find(context, wanted(&brain, how)?.as_deref()))?;
    say(&format!("{agent} asks {} ({}); {HELP}", found.model.name(), found.why));
    let servers = servers::connect(context, &runtime);
    let interrupt = Interrupt::listen();
    let mut talk = Talk::default();
    let view = Arc::new(View::new(Mode::Lines));
    let packing = CancellationToken::new();
    let shown = Arc::clone(&view);
    let packer = packer(context, packing.clone(), move |packed| shown.packed(packed));
    while let Some(line) = next_line(agent)? {
        let input = line.trim();
        match input {
            "" => {}
            "/quit" | "/exit" => break,
            "/help" => say(HELP),
            "/new" => {
                talk.earlier.clear();
                say("the talk so far is forgotten; what was learned is not");
            }
            "/cost" => say(&cost(&talk.cost, &talk.spent)),
            input if is_correction(input) => {
                let what = input["/wrong".len()..].trim();
                match talk.last.take() {
                    _ if what.is_empty() => {
                        say("say what was wrong: `/wrong it is the other file`");
                    }
                    None => say("there is no answer that could be wrong"),
                    Some(_) if how.no_learn => say("nothing is learned here (`--no-learn`)"),
                    Some((order, report)) => {
                        let runner = runner(context, found.model.clone(), interrupt.task())?;
                        let experience = experience_of(&order, &report);
                        lesson::correct(context, &runtime, &runner, experience, what, &view);
                        interrupt.done();
                        say("it is noted; say what you want instead to have it done anew");
                    }
                }
            }
            command if is_command(command) => {
                say(&format!("there is no command `{command}`; {HELP}"));
            }
            input => {
                if talk.last.is_some() && is_against(input) {
                    say("hint: `/wrong WHAT` lets the agent learn from what was wrong");
                }
                let runner = Runner {
                    tools: servers.clone(),
                    packer: Some(Arc::clone(&packer)),
                    ..runner(context, found.model.clone(), interrupt.task())?
                };
                let order = Order {
                    input: input.to_owned(),
                    earlier: talk.earlier.clone(),
                    ..order.clone()
                };
                let report = runtime.block_on(runner.run(&order, &*view));
                interrupt.done();
                match report {
                    Ok(report) => {
                        view.report(&report)?;
                        talk.add(input, &report);
                        if how.no_learn {
                            lesson::only_count(&runner, &order, &report, &view);
                        } else {
                            let runner = Runner { cancelled: interrupt.task(), ..runner };
                            lesson::learn(context, &runtime, &runner, &order, &report, &view);
                            interrupt.done();
                            let _inside = runtime.enter();
                            packer.after_lesson(&brain, &report.receipt);
                        }
                        talk.last = Some((order, report));
                    }
                    Err(_) if runner.cancelled.is_cancelled() => say("stopped before it began"),
                    Err(error) => return Err(not_run(error)),
                }
            }
        }
    }
    interrupt.stops(&packing);
    runtime.block_on(packer.finish());
    Ok(ExitCode::SUCCESS)
}

/// What was said so far.
#[derive(Debug, Default)]
struct Talk {
    earlier: Vec<Message>,
    cost: Cost,
    /// With the agents that were asked.
    spent: Spent,
    /// The last task, until it is corrected.
    last: Option<(Order, Report)>,
}

impl Talk {
    fn add(&mut self, input: &str, report: &Report) {
        let cost = &report.finished.cost;
        self.cost.turns += cost.turns;
        self.cost.calls += cost.calls;
        self.cost.milliseconds += cost.milliseconds;
        self.cost.usage.add(cost.usage);
        self.spent.replies += report.spent.replies;
        self.spent.usage.add(report.spent.usage);
        if let Some(money) = report.spent.cost {
            *self.spent.cost.get_or_insert_default() += money;
        }
        // What was stopped or broke is not part of the talk.
        let End::Answered { text } = &report.finished.end else { return };
        for (role, content) in [(Role::User, input), (Role::Assistant, text)] {
            self.earlier.push(Message { role, content: content.to_owned() });
        }
        let chars = |message: &Message| message.content.chars().count();
        let mut all: usize = self.earlier.iter().map(chars).sum();
        while all > MAX_EARLIER_CHARS && !self.earlier.is_empty() {
            let gone: usize = self.earlier.drain(..2).map(|message| chars(&message)).sum();
            all -= gone;
        }
    }
}

/// Whether a line says what was wrong.
fn is_correction(line: &str) -> bool {
    let rest = line.strip_prefix("/wrong");
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
}

/// A slash and one word, which no path and no sentence is.
fn is_command(line: &str) -> bool {
    line.strip_prefix('/').is_some_and(|word| word.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The next line; none at the end of the input.
fn next_line(agent: &str) -> Result<Option<String>, Failure> {
    let input = std::io::stdin();
    if input.is_terminal() {
        let mut errors = std::io::stderr();
        write!(errors, "{agent}> ")?;
        errors.flush()?;
    }
    let mut line = String::new();
    let count = input
        .lock()
        .read_line(&mut line)
        .map_err(|error| Failure::failed(format!("could not read: {error}"), ""))?;
    Ok((count > 0).then_some(line))
}
