//! `hone demo`: recorded tasks through the real loop, tools, memory, gate and lineage, offline.
//!
//! What the model says is a recording. Which request gets which reply is decided by their order alone, so
//! nothing that a person has configured may change the course of the tasks.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hone_agent::brain::{Brain, New, Settings};
use hone_agent::model::Model;
use hone_agent::model::recording::{Insists, Recorder, Recording};
use hone_agent::run::{Order, Runner, Space};
use hone_agent::task::Limits;
use hone_guard::policy::Policy;
use hone_learn::after::Host;
use hone_learn::redact::Redactor;
use hone_library::LearnSettings;
use tokio_util::sync::CancellationToken;

use super::folder::runtime;
use super::lesson::learn_as;
use super::run::{exit_code, runner};
use super::view::{Mode, View};
use super::{failure, models, not_run};
use crate::context::Context;
use crate::output::{Failure, Outcome, say};

/// The agent of the demo.
const AGENT: &str = "demo";
const SYSTEM: &str = include_str!("../../../demo/system.md");
/// One task a line.
const TASKS: &str = include_str!("../../../demo/tasks.txt");
/// What the model said then.
const RECORDING: &str = include_str!("../../../demo/recording.jsonl");
/// The files that the tasks are about.
const FILES: [(&str, &str); 17] = [
    ("README.md", include_str!("../../../demo/files/README.md")),
    ("exports/01.csv", include_str!("../../../demo/files/exports/01.csv")),
    ("exports/02.csv", include_str!("../../../demo/files/exports/02.csv")),
    ("exports/03.csv", include_str!("../../../demo/files/exports/03.csv")),
    ("exports/04.csv", include_str!("../../../demo/files/exports/04.csv")),
    ("exports/05.csv", include_str!("../../../demo/files/exports/05.csv")),
    ("exports/06.csv", include_str!("../../../demo/files/exports/06.csv")),
    ("logs/J03.log", include_str!("../../../demo/files/logs/J03.log")),
    ("logs/J07.log", include_str!("../../../demo/files/logs/J07.log")),
    ("logs/J11.log", include_str!("../../../demo/files/logs/J11.log")),
    ("logs/J12.log", include_str!("../../../demo/files/logs/J12.log")),
    ("pages/21.md", include_str!("../../../demo/files/pages/21.md")),
    ("pages/22.md", include_str!("../../../demo/files/pages/22.md")),
    ("pages/23.md", include_str!("../../../demo/files/pages/23.md")),
    ("pages/24.md", include_str!("../../../demo/files/pages/24.md")),
    ("pages/25.md", include_str!("../../../demo/files/pages/25.md")),
    ("pages/26.md", include_str!("../../../demo/files/pages/26.md")),
];
/// The tools of the demo beside those for skills.
const TOOLS: [&str; 3] = ["list_files", "read_file", "note"];
/// Who does not know the tables has to look through them.
const TURNS: usize = 16;
/// Tokens of a reply.
const REPLY_TOKENS: u32 = 1200;

/// Runs the demo; with `record`, against a real model, whose replies are kept there.
pub(crate) fn demo(context: &Context, record: Option<&Path>, as_json: bool) -> Outcome {
    let runtime = runtime()?;
    let model: Arc<dyn Model> = if let Some(path) = record {
        let found = runtime.block_on(models::find(context, None))?;
        let recorder = Recorder::create(found.model, path, Vec::new());
        Arc::new(recorder.map_err(|error| Failure::failed(error.to_string(), ""))?)
    } else {
        let recording = Recording::parse(RECORDING, Insists::OnOrder)
            .map_err(|error| Failure::failed(error.to_string(), ""))?;
        let (_, name) = recording.of();
        say(&format!(
            "this is a recording of {name}: what it says was said then, and all else happens now, in a \
             brain that is thrown away"
        ));
        Arc::new(recording)
    };
    let broken =
        |error: std::io::Error| Failure::failed(format!("no place for the demo: {error}"), "");
    let folder = tempfile::Builder::new().prefix("hone-demo-").tempdir().map_err(broken)?;
    let work = folder.path().join("jobs");
    for (name, text) in FILES {
        let path = work.join(name);
        fs::create_dir_all(path.parent().unwrap_or(&work)).map_err(broken)?;
        fs::write(path, text).map_err(broken)?;
    }
    let home = folder.path().join("hone");
    let tools = Some(TOOLS.map(str::to_owned).to_vec());
    let settings = Settings { tools, ..Settings::default() };
    let new = New { system: Some(SYSTEM.to_owned()), settings, ..New::default() };
    Brain::create(&home, AGENT, &new).map_err(failure)?;
    let configured = runner(context, model, CancellationToken::new())?;
    let temperature = configured.limits.temperature;
    let runner = Runner {
        hone_home: home,
        policy: Policy::default(),
        limits: Limits {
            turns: TURNS,
            reply_tokens: REPLY_TOKENS,
            temperature,
            ..Limits::default()
        },
        max_tokens: None,
        max_cost: None,
        prices: None,
        // Nothing leaves this machine.
        client: None,
        ..configured
    };
    let redactor = Redactor::new(Some(&context.around.user_home));
    // A lesson is tried on the task that taught it; earlier ones would only make the demo longer.
    let settings = LearnSettings { replays: 0, ..LearnSettings::default() };
    let host = Host { runner: &runner, settings: &settings, redactor: &redactor, referenced: &[] };
    let view = View::new(if as_json { Mode::Json } else { Mode::Lines });
    let mut code = ExitCode::SUCCESS;
    for task in TASKS.lines() {
        let order = Order {
            agent: AGENT.to_owned(),
            input: task.to_owned(),
            space: Some(Space::Read(work.clone())),
            ..Order::default()
        };
        if !as_json {
            say(&format!("task: {task}"));
        }
        let report = runtime.block_on(runner.run(&order, &view)).map_err(not_run)?;
        view.report(&report)?;
        learn_as(&host, &runtime, &order, &report, &view);
        code = exit_code(&report);
    }
    if record.is_none() && !as_json {
        say(
            "hint: `hone agent new NAME` makes an agent of your own, `hone run NAME 'TASK'` sets it to work",
        );
    }
    Ok(code)
}
