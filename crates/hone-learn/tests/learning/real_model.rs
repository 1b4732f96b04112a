//! Learning with a real model, from a task that it did itself: it need not be wise, but whatever it does is a
//! task with a typed end, whatever it says is one of the lessons there are, and all stays within bounds.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use hone_agent::lineage::receipt::Kind;
use hone_agent::model::find::{Place, find};
use hone_agent::model::{
    Budget, Expects, Model, Pending, Request, Retries, Role, ToolSpec, client, connect,
};
use hone_learn::Experience;
use hone_learn::after::{Aftermath, Host, Taught, after_correction, experience_of};
use hone_learn::gate::{Check, Finding, Gate};
use hone_learn::learner::{Learner, Lesson, trigger};
use hone_learn::proposal::{Proposal, Trigger};
use hone_learn::redact::Redactor;
use hone_library::{ModelSettings, State};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use crate::stage::{QUESTION, Stage};

/// A lesson as far as its form goes: the words are the model's.
const LESSON: &str = r#"root ::= "CREATE\n---\nname: " word "-" word "\ndescription: " sentence " Use when " words ".\n---\n# Steps\n\n1. " sentence "\n2. " sentence "\n\nTRIGGERS\n- " words "\n"
sentence ::= [A-Z] [a-z]{1,8} " " words "."
words ::= word (" " word){2,4}
word ::= [a-z]{2,9}
"#;

/// An answer as far as its form goes. A model of this size does not find the end of one by itself.
const ANSWER: &str = r#"root ::= "{\"answer\": \"" [A-Za-z0-9 .,]{1,40} "\"}"
"#;

/// Tokens of a reply: more than the longest lesson takes.
const REPLY_TOKENS: u32 = 300;

/// A server of the model, which ends when it is dropped, and the model. What no request holds to another form
/// keeps to the grammar.
async fn serve(grammar: Option<&str>) -> (Child, Arc<dyn Model>) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("grammar.gbnf");
    std::fs::write(&file, grammar.unwrap_or_default()).unwrap();
    let python = std::env::var_os("HONE_TEST_PYTHON")
        .expect("HONE_TEST_PYTHON names a Python with a model: run `cargo xtask test`");
    let script =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../hone-agent/tests/backends/model_server.py");
    let mut child = Command::new(python)
        .arg(script)
        .args(grammar.map(|_| file))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = tokio::time::timeout(Duration::from_secs(120), lines.next_line()).await;
    let address = line.expect("the model did not load").unwrap().expect("the server ended");
    (child, connected(&address).await)
}

/// The model of a server, found as a person's would be.
async fn connected(address: &str) -> Arc<dyn Model> {
    let place = Place { name: "llama.cpp".to_owned(), base_url: format!("{address}/v1") };
    let settings = ModelSettings { constrain: true, ..ModelSettings::default() };
    // Under load even a local server takes its time; the probe is tried until it is seen.
    for _ in 0..50 {
        let http = client(|_| None).unwrap();
        if let Ok(found) = find(&settings, &|_| None, &http, std::slice::from_ref(&place)).await {
            let retries = Retries { most: 0, ..Retries::default() };
            return connect(&found.choice, client(|_| None).unwrap(), retries).unwrap();
        }
    }
    panic!("the server was not found");
}

/// The model, with fewer choices the longer a task takes: at first its own, then one file to look at, and
/// once it has looked, only an answer is left. Every word is the model's, and always its likeliest.
struct Hurried {
    model: Arc<dyn Model>,
    answering: Arc<dyn Model>,
}

impl Model for Hurried {
    fn backend(&self) -> &str {
        self.model.backend()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        let mut request = Request { temperature: 0.0, ..request.clone() };
        let said = |message: &&hone_agent::model::Message| message.role == Role::Assistant;
        let turns = request.messages.iter().filter(said).count();
        let only_file = |tool: &ToolSpec| {
            let path = json!({"path": {"const": "prices.csv"}});
            let schema = json!({"type": "object", "properties": path, "required": ["path"],
                "additionalProperties": false});
            ToolSpec { schema, ..tool.clone() }
        };
        match request.expects {
            Expects::Words => {}
            Expects::Call if turns == 0 => {
                let first = |tool: &&ToolSpec| ["list_files", "read_file"].contains(&&*tool.name);
                request.tools = request.tools.iter().filter(first).cloned().collect();
            }
            Expects::Call => {
                let reads = request.tools.iter().filter(|tool| tool.name == "read_file");
                request.tools = reads.map(only_file).collect();
            }
            Expects::CallOrAnswer => {
                request.expects = Expects::Words;
                return Box::pin(async move { self.answering.ask(&request, cancelled).await });
            }
        }
        Box::pin(async move { self.model.ask(&request, cancelled).await })
    }
}

/// A stage whose model is the real one, and a task that it did.
async fn own_task(model: Arc<dyn Model>, answering: Arc<dyn Model>) -> (Stage, Experience) {
    let mut stage = Stage::new();
    stage.runner.model = Arc::new(Hurried { model, answering });
    stage.runner.limits.reply_tokens = REPLY_TOKENS;
    stage.runner.limits.turns = 5;
    stage.settings.tokens = 60_000;
    let (order, report) = stage.run(QUESTION).await;
    let experience = experience_of(&order, &report);
    let cost = experience.cost;
    assert!((2..=5).contains(&cost.turns), "{cost:?}");
    assert!(cost.tokens_in > 200, "{cost:?}");
    assert!((1..=5 * u64::from(REPLY_TOKENS)).contains(&cost.tokens_out), "{cost:?}");
    assert!(experience.converged, "{experience:#?}");
    assert!((1..=4).contains(&experience.steps.len()), "{experience:#?}");
    assert_eq!(experience.source.model.as_deref(), Some(stage.runner.model.name()));
    assert_eq!(stage.receipts(), [Kind::Created, Kind::Task]);
    (stage, experience)
}

/// Asks the same model, held to no form, about the same task: what it says is one of the lessons there are.
async fn free(stage: &Stage, experience: &Experience) {
    let (_server, model) = serve(None).await;
    let mut runner = stage.runner.clone();
    (runner.model, runner.limits.reply_tokens) = (model, 40);
    let mut experience = experience.clone();
    experience.correct("the second column, not the first");
    let budget = Budget::new(Some(100_000), None, None).unwrap();
    let (redactor, known) = (Redactor::new(None), stage.known());
    let (brain, runner) = (&stage.brain, &runner);
    let learner = Learner { brain, runner, budget: &budget, redactor: &redactor, known: &known };
    let lesson = learner.ask(&experience, trigger(&experience).unwrap()).await.unwrap();
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
}

async fn corrected(stage: &Stage, experience: Experience) -> Aftermath {
    let redactor = Redactor::new(None);
    let (runner, settings) = (&stage.runner, &stage.settings);
    let host = Host { runner, settings, redactor: &redactor, referenced: &[] };
    after_correction(&host, experience, "it is the sum of the second column").await
}

#[tokio::test]
async fn a_real_model_learns_from_its_own_task_through_the_gate_and_does_the_next_one() {
    let (_server, model) = serve(Some(LESSON)).await;
    let (_second, answering) = serve(Some(ANSWER)).await;
    let (stage, experience) = own_task(model, answering).await;
    let task = experience.source.session.clone();
    free(&stage, &experience).await;

    let aftermath = corrected(&stage, experience).await;

    assert_eq!(aftermath.asked.as_deref(), Some("it was corrected"));
    assert_eq!(aftermath.notes, Vec::<String>::new());
    let (name, id, version) = match aftermath.result.clone().unwrap() {
        Taught::Landed { name, proposal, version, .. } => (name, proposal, Some(version)),
        Taught::Waits { name, proposal, .. } | Taught::Refused { name, proposal, .. } => {
            (name, proposal, None)
        }
        other => panic!("its reply has the form of a skill: {other:?}"),
    };
    let proposal: Proposal = stage.records().proposal(&id).unwrap();
    assert_eq!(
        (&proposal.name, &proposal.task, &proposal.why),
        (&name, &task, &Trigger::Corrected)
    );
    assert_eq!(proposal.examples[0], QUESTION);
    // Each check said something, and the replay is made only of what passed the others.
    let checks: Vec<Check> = proposal.checks.iter().map(|checked| checked.check).collect();
    assert_eq!(checks, Check::ALL[..checks.len()]);
    assert!((4..=5).contains(&checks.len()), "{proposal:#?}");
    let is_form = |checked: &&hone_learn::gate::Checked| checked.check == Check::Form;
    let form = proposal.checks.iter().find(is_form).unwrap();
    assert_eq!(form.finding, Finding::Passed, "{proposal:#?}");
    // The author, and its second word; both ways of one replay, of five turns each; and two judges.
    assert!((1..=14).contains(&aftermath.spent.replies), "{aftermath:?}");
    assert!(aftermath.spent.tokens() <= stage.settings.tokens + 8_192, "{aftermath:?}");
    let landed = usize::from(version.is_some());
    assert_eq!(stage.skills().len(), landed);
    let learned = stage.receipts().iter().filter(|kind| **kind == Kind::Learned).count();
    assert_eq!(learned, landed);

    // The next task sees what landed, and nothing that did not.
    let (_, report) = stage.run("What do the goods cost together?").await;
    assert!(report.finished.answer().is_some(), "{:?}", report.finished.end);
    let told = &report.finished.conversation[0].content;
    assert_eq!(told.contains(&name), version.is_some(), "{told}");
}
