//! A home with the agent `ada`, a workspace with prices, and a model that is a recording.

use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use hone_agent::brain::{Brain, New};
use hone_agent::lineage::receipt::{Kind, Receipt};
use hone_agent::lineage::{RECEIPTS_FILE, chain};
use hone_agent::model::recording::{Insists, Recording};
use hone_agent::model::{Message, Model, Pending, Request};
use hone_agent::run::{Order, Report, Runner, Silence, Space};
use hone_agent::task::Limits;
use hone_guard::policy::Policy;
use hone_learn::after::{Aftermath, Host, after_task};
use hone_learn::gate::{Known, Porter};
use hone_learn::records::Records;
use hone_learn::redact::Redactor;
use hone_library::{LearnSettings, State, read_text};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// The first moment of every test.
pub(crate) const NOW: i64 = 1_790_000_000_000;

/// A recording, and what it was asked.
pub(crate) struct Spy {
    recording: Recording,
    pub(crate) asked: Mutex<Vec<Vec<Message>>>,
}

impl Model for Spy {
    fn backend(&self) -> &str {
        self.recording.backend()
    }

    fn name(&self) -> &str {
        self.recording.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        self.asked.lock().unwrap().push(request.messages.clone());
        self.recording.ask(request, cancelled)
    }
}

pub(crate) struct Stage {
    folder: TempDir,
    pub(crate) brain: Brain,
    pub(crate) runner: Runner,
    pub(crate) settings: LearnSettings,
    spy: Arc<Spy>,
    count: usize,
    clock: Arc<AtomicI64>,
}

impl Stage {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("hone");
        let brain = Brain::create(&home, "ada", &New::default()).unwrap();
        let work = folder.path().join("work");
        std::fs::create_dir(&work).unwrap();
        std::fs::write(work.join("prices.csv"), "apples,120\npears,120\n").unwrap();
        let spy = spy(&folder.path().join("recording-0.jsonl"), &[]);
        let clock = Arc::new(AtomicI64::new(NOW));
        let now = Arc::clone(&clock);
        let runner = Runner {
            hone_home: home,
            policy: Policy::default(),
            model: Arc::clone(&spy) as Arc<dyn Model>,
            helper: None,
            unconfined: false,
            client: None,
            secrets: Vec::new(),
            tools: Vec::new(),
            servers: Vec::new(),
            gate: Some(Arc::new(Porter::new(Policy::default(), Redactor::new(None), true))),
            packer: None,
            limits: Limits::default(),
            max_tokens: None,
            max_cost: None,
            prices: None,
            now: Arc::new(move || now.fetch_add(1, Ordering::SeqCst)),
            cancelled: CancellationToken::new(),
        };
        let settings = LearnSettings { replays: 0, ..LearnSettings::default() };
        Self { folder, brain, runner, settings, spy, count: 0, clock }
    }

    /// What the model says from here on.
    pub(crate) fn says(&mut self, replies: &[String]) {
        self.count += 1;
        let path = self.folder.path().join(format!("recording-{}.jsonl", self.count));
        self.spy = spy(&path, replies);
        self.runner.model = Arc::clone(&self.spy) as Arc<dyn Model>;
    }

    /// The messages of the n-th request since the model was last told what to say, from 1.
    pub(crate) fn asked(&self, number: usize) -> Vec<Message> {
        self.spy.asked.lock().unwrap()[number - 1].clone()
    }

    /// How often the model was asked since then.
    pub(crate) fn requests(&self) -> usize {
        self.spy.asked.lock().unwrap().len()
    }

    pub(crate) fn pass_days(&self, days: i64) {
        self.clock.fetch_add(days * 24 * 60 * 60 * 1_000, Ordering::SeqCst);
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.load(Ordering::SeqCst)
    }

    pub(crate) fn order(&self, input: &str) -> Order {
        let space = Some(Space::Read(self.folder.path().join("work")));
        Order { agent: "ada".to_owned(), input: input.to_owned(), space, ..Order::default() }
    }

    pub(crate) async fn run(&self, input: &str) -> (Order, Report) {
        let order = self.order(input);
        let report = self.runner.run(&order, &Silence).await.unwrap();
        (order, report)
    }

    pub(crate) async fn look_back(&self, order: &Order, report: &Report) -> Aftermath {
        let redactor = Redactor::new(None);
        let (runner, settings) = (&self.runner, &self.settings);
        let host = Host { runner, settings, redactor: &redactor, referenced: &[] };
        after_task(&host, order, report).await
    }

    /// A task and what came of it.
    pub(crate) async fn task(&self, input: &str) -> (Report, Aftermath) {
        let (order, report) = self.run(input).await;
        let aftermath = self.look_back(&order, &report).await;
        (report, aftermath)
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.runner.hone_home.clone()
    }

    pub(crate) fn records(&self) -> Records {
        Records::open(&self.home()).unwrap()
    }

    pub(crate) fn known(&self) -> Known {
        Known::of(&self.brain, &State::open(&self.home()))
    }

    /// Names and versions of the skills that tasks see.
    pub(crate) fn skills(&self) -> Vec<(String, String)> {
        let known = self.known();
        let summary = known.listed.iter().map(|skill| &skill.summary);
        summary.map(|s| (s.name.clone(), s.version.clone().unwrap_or_default())).collect()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        let known = self.known();
        String::from_utf8(read_text(known.find(name).unwrap()).unwrap()).unwrap()
    }

    /// The kinds of all receipts, whose chain must hold.
    pub(crate) fn receipts(&self) -> Vec<Kind> {
        let text = std::fs::read_to_string(self.brain.member(RECEIPTS_FILE)).unwrap();
        let receipts: Vec<Receipt> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let key = self.brain.signing_key().unwrap().public();
        let checked = chain::check(&self.brain.member(RECEIPTS_FILE), key).unwrap();
        assert!(checked.holds(), "{:?}", checked.breaks);
        receipts.iter().map(|receipt| receipt.kind).collect()
    }
}

fn spy(path: &std::path::Path, replies: &[String]) -> Arc<Spy> {
    let mut lines = vec![json!({"recording": 1, "backend": "script", "model": "m1"}).to_string()];
    for (position, text) in replies.iter().enumerate() {
        let usage = json!({"input": 100, "output": 10, "is_estimate": false});
        let reply = json!({"text": text, "model": "m1", "usage": usage, "is_cut": false});
        lines.push(json!({"position": position, "request": [], "reply": reply}).to_string());
    }
    std::fs::write(path, lines.join("\n") + "\n").unwrap();
    let recording = Recording::open(path, Insists::OnOrder).unwrap();
    Arc::new(Spy { recording, asked: Mutex::default() })
}

#[expect(clippy::needless_pass_by_value, reason = "what `json!` makes")]
pub(crate) fn call(tool: &str, args: Value) -> String {
    json!({"tool": tool, "args": args}).to_string()
}

pub(crate) fn answer(text: &str) -> String {
    json!({"answer": text}).to_string()
}

pub(crate) fn read(path: &str) -> String {
    call("read_file", json!({"path": path}))
}

pub(crate) fn view(name: &str) -> String {
    call("skill_view", json!({"name": name}))
}

/// The long way to the sum: two dead ends, then the file.
pub(crate) fn long_way(sum: &str) -> Vec<String> {
    vec![
        read("price-list.txt"),
        read("apples.txt"),
        call("list_files", json!({})),
        read("prices.csv"),
        answer(sum),
    ]
}

/// The short way, by the skill.
pub(crate) fn short_way(skill: &str, sum: &str) -> Vec<String> {
    vec![view(skill), read("prices.csv"), answer(sum)]
}

pub(crate) const SUM_PRICES: &str = "\
---
name: sum-prices
description: Sums the prices of goods. Use when somebody asks what goods cost in total.
---
# Steps

1. Read prices.csv with `read_file`. Done when every line is seen.
2. Add up the second column. Done when there is one number.
3. Answer with the number alone.
";

/// The author's reply that makes the skill.
pub(crate) fn create() -> String {
    format!(
        "CREATE\n{SUM_PRICES}\nTRIGGERS\n- what do the goods cost in total?\n- sum up the prices\n\
         - NOT: write a poem about pears\n"
    )
}

pub(crate) const QUESTION: &str = "What do all the goods cost in total?";
