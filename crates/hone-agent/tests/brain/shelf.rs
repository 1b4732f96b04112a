//! A `HONE_HOME` in a temporary folder, with one agent.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;

use hone_agent::brain::{Brain, BrainError, New, Opening, Owner, Session, Waiting, actor};
use hone_agent::memory::{Ending, Memory, Subscriber, TaskRow};
use hone_library::{Author, Mode, State, Store};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// 2026-11-16 06:00 UTC, in milliseconds.
pub(crate) const NOW: i64 = 1_794_808_800_000;

pub(crate) struct Shelf {
    _guard: TempDir,
    pub(crate) home: PathBuf,
    pub(crate) state: Mutex<State>,
}

impl Shelf {
    pub(crate) fn new() -> Self {
        let guard = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(guard.path()).unwrap().join("hone");
        let state = Mutex::new(State::open(&home));
        Self { _guard: guard, home, state }
    }

    /// With the agent `ada`.
    pub(crate) fn with_ada() -> (Self, Brain) {
        let shelf = Self::new();
        let new = New { system: Some("You are Ada.\n".to_owned()), ..New::default() };
        let brain = Brain::create(&shelf.home, "ada", &new).unwrap();
        (shelf, brain)
    }

    pub(crate) async fn begin(&self, brain: &Brain, task: &str, who: &Subscriber) -> Session {
        self.try_begin(brain, task, who, Duration::from_secs(10)).await.unwrap()
    }

    pub(crate) async fn try_begin(
        &self,
        brain: &Brain,
        task: &str,
        who: &Subscriber,
        patience: Duration,
    ) -> Result<Session, BrainError> {
        let cancelled = CancellationToken::new();
        let waiting = Waiting { patience, cancelled: &cancelled, tell: &|_: &Owner| {} };
        brain.begin(&opening(task, who), &waiting, NOW).await
    }

    /// Runs a task that leaves what `work` puts into its draft.
    pub(crate) async fn task(
        &self,
        brain: &Brain,
        task: &str,
        who: &Subscriber,
        work: impl FnOnce(&Session),
    ) {
        let session = self.begin(brain, task, who).await;
        work(&session);
        session.finish(&row(task, who, Ending::Answered)).unwrap();
    }

    /// Changes a skill in the name of a task.
    pub(crate) fn upsert(&self, brain: &Brain, task: &str, name: &str, text: &str) {
        let state = self.state.lock().unwrap();
        let catalogue = brain.catalogue(&state);
        let author = Author { actor: actor(task), reason: String::new(), now: NOW };
        let store = Store::new(&state, author, Mode::Write);
        store.upsert(&brain.member("skills"), name, text, &catalogue.skills).unwrap();
    }

    pub(crate) fn skills(&self, brain: &Brain) -> Vec<String> {
        let catalogue = brain.catalogue(&self.state.lock().unwrap());
        catalogue.skills.iter().map(|skill| skill.summary.name.clone()).collect()
    }
}

/// A task that nobody has a model for.
pub(crate) fn opening<'a>(task: &'a str, subscriber: &'a Subscriber) -> Opening<'a> {
    Opening { task, subscriber, input: "", backend: "none", model: "none" }
}

/// The log row of a task.
pub(crate) fn row(task: &str, who: &Subscriber, ending: Ending) -> TaskRow {
    TaskRow {
        task: task.to_owned(),
        subscriber: who.clone(),
        started: NOW,
        ended: NOW,
        ending,
        input: String::new(),
        answer: String::new(),
        model: "none".to_owned(),
        turns: 1,
        calls: 0,
        tokens_in: 0,
        tokens_out: 0,
    }
}

pub(crate) fn somebody(name: &str) -> Subscriber {
    Subscriber::named(name).unwrap()
}

/// What the agent knows: every file of knowledge and every fact, whoever's.
pub(crate) fn knowledge(brain: &Brain) -> BTreeMap<String, String> {
    let mut known = BTreeMap::new();
    for name in ["MEMORY.md", "USER.md", "system.md", "agent.toml"] {
        if let Ok(text) = std::fs::read_to_string(brain.member(name)) {
            known.insert(name.to_owned(), text);
        }
    }
    for folder in ["skills", "users", "patterns"] {
        walk(&brain.member(folder), &mut known);
    }
    let db = rusqlite::Connection::open(brain.member("memory.db")).unwrap();
    let facts = "SELECT shared || '|' || audience || '|' || key, value FROM fact";
    if let Ok(mut facts) = db.prepare(facts) {
        let rows = facts.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
        known.extend(
            rows.map(|row| row.unwrap())
                .map(|(key, value): (String, String)| (format!("fact|{key}"), value)),
        );
    }
    known
}

fn walk(folder: &Path, known: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(&path, known);
        } else {
            let text = std::fs::read_to_string(&path).unwrap();
            known.insert(path.to_str().unwrap().to_owned(), text);
        }
    }
}

pub(crate) fn open(brain: &Brain) -> Memory {
    Memory::open(&brain.folder).unwrap()
}
