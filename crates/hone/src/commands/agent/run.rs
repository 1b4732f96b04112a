//! `hone run`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hone_agent::brain::Brain;
use hone_agent::memory::Subscriber;
use hone_agent::model::{Model, Prices};
use hone_agent::run::{Order, Report, Runner, Space};
use hone_agent::task::{End, Limits};
use hone_agent::tools::fetch::BoundSecret;
use hone_agent::tools::skills::Admits;
use hone_guard::policy::Policy;
use hone_guard::sandbox::Helper;
use hone_learn::gate::Porter;
use hone_learn::redact::Redactor;
use hone_library::{FetchSecret, ModelSettings};
use hone_router::Secret;
use tokio_util::sync::CancellationToken;

use super::folder::runtime;
use super::interrupt::{INTERRUPTED, Interrupt};
use super::models::{self, variable};
use super::snapshot::packer;
use super::view::{Mode, View};
use super::{failure, lesson, not_run, servers};
use crate::cli::Running;
use crate::commands::CONFINE;
use crate::commands::policy::configured;
use crate::context::{Context, now};
use crate::output::{Failure, NO, Outcome, say};

/// Largest task that is read from standard input, in bytes.
const MAX_INPUT_BYTES: u64 = 800_000;

pub(crate) fn run(
    context: &Context,
    agent: &str,
    words: &[String],
    how: &Running,
    as_json: bool,
) -> Outcome {
    let brain = Brain::find(&context.around.hone_home, agent).map_err(|error| {
        let hint = error.hint().unwrap_or_default();
        Failure::failed(error.to_string(), &hint)
    })?;
    let order = Order { input: input(words)?, ..order(context, &brain, how)? };
    let runtime = runtime()?;
    let wanted = wanted(&brain, how)?;
    let found = runtime.block_on(models::find(context, wanted.as_deref()))?;
    if !as_json {
        say(&format!("{agent} asks {} ({})", found.model.name(), found.why));
    }
    let servers = servers::connect(context, &runtime);
    let interrupt = Interrupt::listen();
    let runner = Runner { tools: servers, ..runner(context, found.model, interrupt.task())? };
    let view = Arc::new(View::new(if as_json { Mode::Json } else { Mode::Lines }));
    let packing = CancellationToken::new();
    let (shown, reported) = (Arc::clone(&view), Arc::new(Mutex::new(())));
    let told = Arc::clone(&reported);
    let packer = packer(context, packing.clone(), move |packed| {
        // What the task came to is told first.
        drop(told.lock());
        shown.packed(packed);
    });
    let untold = reported.lock();
    let runner = Runner { packer: Some(Arc::clone(&packer)), ..runner };
    let report = runtime.block_on(runner.run(&order, &*view));
    interrupt.done();
    let report = match report {
        Err(_) if runner.cancelled.is_cancelled() => {
            say("stopped before it began");
            return Ok(ExitCode::from(INTERRUPTED));
        }
        report => report.map_err(not_run)?,
    };
    view.report(&report)?;
    drop(untold);
    if how.no_learn {
        lesson::only_count(&runner, &order, &report, &view);
    } else {
        let runner = Runner { cancelled: interrupt.task(), ..runner };
        lesson::learn(context, &runtime, &runner, &order, &report, &view);
        let _inside = runtime.enter();
        packer.after_lesson(&brain, &report.receipt);
    }
    // The answer is out and the agent is free; only this program waits.
    interrupt.stops(&packing);
    runtime.block_on(packer.finish());
    Ok(exit_code(&report))
}

/// The exit code of a task.
pub(crate) fn exit_code(report: &Report) -> ExitCode {
    match report.finished.end {
        End::Answered { .. } => ExitCode::SUCCESS,
        End::NotConverged { .. } | End::Failed { .. } | End::Died => ExitCode::from(NO),
        End::Cancelled => ExitCode::from(INTERRUPTED),
    }
}

/// The model that was asked for: on the command line, or in the agent's settings.
pub(super) fn wanted(brain: &Brain, how: &Running) -> Result<Option<String>, Failure> {
    match &how.model {
        Some(model) => Ok(Some(model.clone())),
        None => Ok(brain.settings().map_err(failure)?.model),
    }
}

/// Everything of an order but what is to be done.
pub(super) fn order(context: &Context, brain: &Brain, how: &Running) -> Result<Order, Failure> {
    let subscriber = match &how.subscriber {
        None => Subscriber::Owner,
        Some(name) => Subscriber::named(name)
            .map_err(|error| Failure::failed(error.to_string(), "use `--subscriber NAME`"))?,
    };
    let space = match &how.workspace {
        Some(folder) => Some(Space::Write(context.around.cwd.join(folder))),
        None => readable(context).map(Space::Read),
    };
    if space.is_none() {
        say(
            "note: it can read no files here, where your whole home is: `cd` to a project, or name a folder \
             with `--workspace DIR`",
        );
    }
    Ok(Order {
        agent: brain.id.clone(),
        subscriber,
        space,
        turns: how.turns,
        tokens: how.max_tokens,
        patience: Some(Duration::from_secs(how.wait)),
        ..Order::default()
    })
}

/// The current folder, unless all of the home, with every secret in it, could be read through it.
pub(crate) fn readable(context: &Context) -> Option<PathBuf> {
    let around = &context.around;
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let holds_home = real(&around.user_home).starts_with(real(&around.cwd));
    (!holds_home).then(|| around.cwd.clone())
}

/// What all tasks of this process share.
pub(crate) fn runner(
    context: &Context,
    model: Arc<dyn Model>,
    cancelled: CancellationToken,
) -> Result<Runner, Failure> {
    Ok(Supplies::of(context)?.runner(model, cancelled))
}

/// What a runner is made from, for whoever makes several.
#[derive(Clone)]
pub(crate) struct Supplies {
    pub(crate) hone_home: PathBuf,
    pub(crate) settings: ModelSettings,
    policy: Policy,
    gate: Arc<dyn Admits>,
    program: PathBuf,
    unconfined: bool,
    client: Option<Arc<hone_net::Client>>,
    secrets: Vec<BoundSecret>,
    servers: Vec<String>,
}

impl Supplies {
    pub(crate) fn of(context: &Context) -> Result<Self, Failure> {
        let program = std::env::current_exe().map_err(|error| {
            Failure::failed(format!("could not find this program: {error}"), "")
        })?;
        let client = hone_net::Client::new(hone_net::Settings::from_environment(variable));
        let policy = configured(context)?;
        let redactor = Redactor::new(Some(&context.around.user_home));
        let gate = Porter::new(policy.clone(), redactor, context.config.learn.land);
        Ok(Self {
            hone_home: context.around.hone_home.clone(),
            settings: context.config.model.clone(),
            policy,
            gate: Arc::new(gate),
            program,
            unconfined: context.config.sandbox.unconfined,
            client: client.ok().map(Arc::new),
            secrets: secrets(&context.config.secrets),
            servers: context.config.mcp.iter().map(|server| server.name.clone()).collect(),
        })
    }

    /// The same for other settings of the model.
    pub(crate) fn with(&self, settings: ModelSettings) -> Self {
        Self { settings, ..self.clone() }
    }

    #[expect(clippy::cast_possible_truncation, reason = "a temperature is between 0 and 2")]
    pub(crate) fn runner(&self, model: Arc<dyn Model>, cancelled: CancellationToken) -> Runner {
        let settings = &self.settings;
        let (program, argument) = (self.program.clone(), CONFINE.to_owned());
        Runner {
            hone_home: self.hone_home.clone(),
            policy: self.policy.clone(),
            model,
            helper: Some(Helper { program, argument }),
            unconfined: self.unconfined,
            client: self.client.clone(),
            secrets: self.secrets.clone(),
            tools: Vec::new(),
            servers: self.servers.clone(),
            limits: Limits {
                reply_tokens: settings.max_tokens,
                temperature: settings.temperature as f32,
                ..Limits::default()
            },
            max_tokens: settings.task_tokens,
            max_cost: settings.task_cost,
            prices: settings
                .price_in
                .zip(settings.price_out)
                .map(|(input, output)| Prices { input, output }),
            gate: Some(Arc::clone(&self.gate)),
            packer: None,
            now: Arc::new(now),
            cancelled,
        }
    }
}

/// The secrets that an agent may fetch with, as far as the environment has them.
fn secrets(settings: &[FetchSecret]) -> Vec<BoundSecret> {
    let bound = settings.iter().filter_map(|FetchSecret { name, origin, env }| {
        let note = |why: String| say(&format!("note: nothing is fetched with `{name}`: {why}"));
        let Ok(origin) = hone_net::parse(origin) else {
            note(format!("`{origin}` is no address"));
            return None;
        };
        let Some(value) = variable(env).filter(|value| !value.trim().is_empty()) else {
            note(format!("the variable `{env}` is not set"));
            return None;
        };
        Some(BoundSecret { name: name.clone(), origin, value: Secret::new(value.trim()) })
    });
    bound.collect()
}

/// The words of the command line, or standard input.
fn input(words: &[String]) -> Result<String, Failure> {
    let text = if words == ["-"] {
        let mut text = String::new();
        std::io::stdin()
            .take(MAX_INPUT_BYTES + 1)
            .read_to_string(&mut text)
            .map_err(|error| Failure::failed(format!("could not read the task: {error}"), ""))?;
        if text.len() as u64 > MAX_INPUT_BYTES {
            let message = format!("the task has more than {MAX_INPUT_BYTES} bytes");
            return Err(Failure::failed(message, "put it into a file of the workspace"));
        }
        text
    } else {
        words.join(" ")
    };
    if text.trim().is_empty() {
        return Err(Failure::failed("the task is empty", "say what is to be done"));
    }
    Ok(text)
}
