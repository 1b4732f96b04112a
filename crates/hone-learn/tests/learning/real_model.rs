//! The author's call with a real model: it need not be wise, but whatever it says becomes one of the
//! lessons there are, within bounds, and nothing of it is seen by a task.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use hone_agent::lineage::receipt::Kind;
use hone_agent::model::find::{Place, find};
use hone_agent::model::{Budget, Retries, client, connect};
use hone_learn::Experience;
use hone_learn::after::{Host, Taught, after_correction};
use hone_learn::gate::{Check, Gate};
use hone_learn::learner::{Learner, Lesson, trigger};
use hone_learn::redact::Redactor;
use hone_library::{ModelSettings, State};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use crate::asking::{FAILED, OK, experience};
use crate::stage::{QUESTION, Stage};

/// A server of a model, which ends when it is dropped, and its address.
async fn serve() -> (Child, String) {
    let python = std::env::var_os("HONE_TEST_PYTHON")
        .expect("HONE_TEST_PYTHON names a Python with a model: run `cargo xtask test`");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../hone-agent/tests/backends/model_server.py");
    let mut child = Command::new(python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(120), lines.next_line()).await;
    (child, line.expect("the model did not load").unwrap().expect("the server ended"))
}

#[tokio::test]
async fn a_real_model_is_asked_for_a_lesson_and_whatever_it_says_is_one_of_a_few() {
    let (_server, address) = serve().await;
    let place = Place { name: "llama.cpp".to_owned(), base_url: format!("{address}/v1") };
    let mut found = None;
    // Under load even a local server takes its time; the probe is tried until it is seen.
    for _ in 0..50 {
        let http = client(|_| None).unwrap();
        let places = std::slice::from_ref(&place);
        found = find(&ModelSettings::default(), &|_| None, &http, places).await.ok();
        if found.is_some() {
            break;
        }
    }
    let retries = Retries { most: 0, ..Retries::default() };
    let choice = found.expect("the server was not found").choice;
    let mut stage = Stage::new();
    stage.runner.model = connect(&choice, client(|_| None).unwrap(), retries).unwrap();
    stage.runner.limits.reply_tokens = 40;
    let hard = experience(&[FAILED, OK]);
    let budget = Budget::new(Some(100_000), None, None).unwrap();
    let (redactor, known) = (Redactor::new(None), stage.known());
    let learner = Learner {
        brain: &stage.brain,
        runner: &stage.runner,
        budget: &budget,
        redactor: &redactor,
        known: &known,
    };
    let lesson = learner.ask(&hard, trigger(&hard).unwrap()).await.unwrap();
    let spent = budget.spent();
    assert!((1..=2).contains(&spent.replies), "{spent:?}");
    assert!(spent.usage.input > 200 && spent.usage.output > 0, "{spent:?}");
    assert!(spent.usage.output <= 2 * 41, "{spent:?}");
    if let Lesson::Proposed(proposal) = &lesson {
        let state = State::open(&stage.home());
        let gate = Gate { known: &known, policy: &stage.runner.policy, state: &state };
        assert!(gate.check(proposal).len() < Check::ALL.len());
    }
    assert_eq!(stage.skills(), []);
    loops(&mut stage, hard).await;
}

/// The whole loop: a task, a correction, the author, the gate, and the replay where it comes to that. Whatever
/// the model says, it ends within its bounds and leaves a brain whose receipts hold.
async fn loops(stage: &mut Stage, hard: Experience) {
    stage.runner.limits.turns = 2;
    stage.settings.tokens = 20_000;
    let (_, report) = stage.run(QUESTION).await;
    assert!((1..=2).contains(&report.finished.cost.turns), "{:?}", report.finished.cost);
    let redactor = Redactor::new(None);
    let (runner, settings) = (&stage.runner, &stage.settings);
    let host = Host { runner, settings, redactor: &redactor, referenced: &[] };
    let aftermath = after_correction(&host, hard, "the second column, not the first").await;
    assert_eq!(aftermath.asked.as_deref(), Some("it was corrected"));
    assert!(aftermath.result.is_some(), "{aftermath:?}");
    // The author and its second word, both ways of one replay, and two judges.
    assert!((1..=8).contains(&aftermath.spent.replies), "{aftermath:?}");
    let landed = matches!(aftermath.result, Some(Taught::Landed { .. }));
    assert_eq!(stage.skills().len(), usize::from(landed));
    let learned = stage.receipts().iter().filter(|kind| **kind == Kind::Learned).count();
    assert_eq!(learned, usize::from(landed));
}
