//! The loop with a real model, found as a person's would be: it need not be clever, but every task has
//! to end as one of the ends there are, with what it cost, and can be told again from its recording.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hone_agent::model::find::{Found, Place, find};
use hone_agent::model::recording::{Insists, Recorder, Recording};
use hone_agent::model::{Model, Retries, client, connect};
use hone_agent::prompt::Frame;
use hone_agent::step::What;
use hone_agent::task::{End, Finished, Limits, Task, run};
use hone_agent::tools::Tools;
use hone_agent::tools::files::Workspace;
use hone_library::ModelSettings;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::python::{python, script};

/// A server of a model, which ends when it is dropped, and its address.
async fn serve() -> (Child, String) {
    let mut child = Command::new(python())
        .arg(script("model_server.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(120), lines.next_line()).await;
    let address = line.expect("the model did not load").unwrap().expect("the server ended");
    (child, address)
}

async fn found(address: &str, settings: &ModelSettings) -> Found {
    let place = Place { name: "llama.cpp".to_owned(), base_url: format!("{address}/v1") };
    // Under load even a local server takes its time; the probe is tried until it is seen.
    for _ in 0..50 {
        let client = client(|_| None).unwrap();
        let places = std::slice::from_ref(&place);
        if let Ok(found) = find(settings, &|_| None, &client, places).await {
            return found;
        }
    }
    panic!("the server was not found");
}

pub(crate) async fn carry_out(model: &dyn Model, folder: &std::path::Path) -> Finished {
    let workspace = Arc::new(Workspace::open(folder).unwrap());
    let tools = workspace.tools().into_iter().filter(|tool| tool.name() == "read_file").collect();
    let tools = Tools::new(tools, None).unwrap();
    let task = Task {
        id: "t1",
        frame: Frame { role: "You read files and answer briefly.", memory: "", index: "" },
        skills: &[],
        earlier: &[],
        input: "What does hello.txt say? Read it with read_file.",
        tools: &tools,
        model,
        limits: Limits { turns: 2, reply_tokens: 40, temperature: 0.0, ..Limits::default() },
        allowance: None,
        now: &|| 0,
        cancelled: &CancellationToken::new(),
        tell: &|_| {},
    };
    run(&task).await
}

#[tokio::test]
async fn a_real_model_is_driven_to_a_typed_end_and_its_recording_tells_the_same() {
    let (_server, address) = serve().await;
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("hello.txt"), "good morning\n").unwrap();
    for constrain in [false, true] {
        let settings = ModelSettings { constrain, ..ModelSettings::default() };
        let found = found(&address, &settings).await;
        assert_eq!(found.why, format!("llama.cpp runs at {address}"));
        let retries = Retries { most: 0, ..Retries::default() };
        let model = connect(&found.choice, client(|_| None).unwrap(), retries).unwrap();
        let path = folder.path().join(format!("recording-{constrain}.jsonl"));
        let recorder = Recorder::create(model, &path, Vec::new()).unwrap();

        let finished = carry_out(&recorder, folder.path()).await;

        assert!(
            matches!(finished.end, End::Answered { .. } | End::NotConverged { .. }),
            "{:?}",
            finished.end
        );
        let cost = finished.cost;
        assert!((1..=2).contains(&cost.turns), "{cost:?}");
        assert!(cost.usage.input > 100 && cost.usage.output > 0, "{cost:?}");
        assert!(!cost.usage.is_estimate, "{cost:?}");
        let read = |step: &hone_agent::step::Step| matches!(&step.what, What::Model { .. });
        assert_eq!(finished.steps.iter().filter(|step| read(step)).count(), cost.turns);
        // A grammar leaves only calls and answers, so the first reply had to be one of them.
        if constrain {
            let first = &finished.conversation[2].content;
            assert!(first.starts_with('{'), "{first}");
        }
        let recording = Recording::open(&path, Insists::OnRequests).unwrap();
        let mut again = carry_out(&recording, folder.path()).await;
        again.steps.clone_from(&finished.steps);
        assert_eq!(again, finished);
    }
}
