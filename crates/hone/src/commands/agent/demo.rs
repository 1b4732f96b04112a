//! `hone demo`: a recorded task through the real loop, tools, memory and learning, offline.

use std::fs;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use hone_agent::brain::{Brain, New};
use hone_agent::model::Model;
use hone_agent::model::recording::{Insists, Recorder, Recording};
use hone_agent::run::{Order, Space};
use tokio_util::sync::CancellationToken;

use super::folder::runtime;
use super::run::{exit_code, runner};
use super::view::{Mode, View};
use super::{failure, models, not_run};
use crate::context::Context;
use crate::output::{Failure, Outcome, say};

/// The agent of the demo.
const AGENT: &str = "demo";
const SYSTEM: &str = include_str!("../../../demo/system.md");
const TASK: &str = include_str!("../../../demo/task.txt");
/// What the model said then.
const RECORDING: &str = include_str!("../../../demo/recording.jsonl");
/// The files that the task is about.
const FILES: [(&str, &str); 3] = [
    ("README.md", include_str!("../../../demo/files/README.md")),
    ("prices.csv", include_str!("../../../demo/files/prices.csv")),
    ("rules.md", include_str!("../../../demo/files/rules.md")),
];
/// The tools of the demo: few, so that a small model can choose.
const TOOLS: [&str; 4] = ["list_files", "read_file", "note", "recall"];

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
    let work = folder.path().join("shop");
    fs::create_dir(&work).map_err(broken)?;
    for (name, text) in FILES {
        fs::write(work.join(name), text).map_err(broken)?;
    }
    let home = folder.path().join("hone");
    let new = New { system: Some(SYSTEM.to_owned()), ..New::default() };
    Brain::create(&home, AGENT, &new).map_err(failure)?;
    let mut runner = runner(context, model, CancellationToken::new())?;
    runner.hone_home = home;
    // Nothing leaves this machine.
    runner.client = None;
    let order = Order {
        agent: AGENT.to_owned(),
        input: TASK.trim().to_owned(),
        space: Some(Space::Read(work)),
        tools: Some(TOOLS.map(str::to_owned).to_vec()),
        ..Order::default()
    };
    if !as_json {
        say(&format!("task: {}", order.input));
    }
    let view = View::new(if as_json { Mode::Json } else { Mode::Lines });
    let report = runtime.block_on(runner.run(&order, &view)).map_err(not_run)?;
    view.report(&report)?;
    if record.is_some() || as_json {
        return Ok(exit_code(&report));
    }
    say(
        "hint: `hone agent new NAME` makes an agent of your own, `hone run NAME 'TASK'` sets it to work",
    );
    Ok(ExitCode::SUCCESS)
}
