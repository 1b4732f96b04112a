//! Tasks that agents work on for clients of the server.
//!
//! A run is written down before its start is confirmed, so that none is forgotten: one whose server died
//! is found again as interrupted. A file beside it is locked for as long as it is worked on, so that another
//! server of the same `HONE_HOME` leaves it alone. What happens is told to whoever follows, from the beginning.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hone_agent::brain::Owner;
use hone_agent::event::Event;
use hone_agent::run::{Listener, Order, Report, Runner};
use hone_agent::task::End;
use hone_agent::tools::skills::Clock;
use hone_learn::after::{Aftermath, Host, after_task};
use hone_learn::redact::Redactor;
use hone_library::LearnSettings;
use hone_library::usage::iso;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::limits::RUN_GRACE;

/// Tasks that are worked on at once; others wait.
pub const MAX_AT_ONCE: usize = 4;
/// Tasks that wait or are worked on.
pub const MAX_OPEN: usize = 64;
/// Runs that are remembered.
pub const MAX_KEPT: usize = 1_000;
/// Events of a run that are remembered for whoever follows late.
pub const MAX_EVENTS: usize = 2_000;
/// Bytes of one event; of a longer one only its kind is told.
pub const MAX_EVENT_BYTES: usize = 256 * 1024;

/// Who makes what a task needs: model, tools, limits.
pub trait Workshop: Send + Sync {
    /// A runner for a task, stopped by `cancelled`.
    fn runner<'a>(&'a self, order: &'a Wish, cancelled: CancellationToken) -> Making<'a>;
}

/// A runner that is being made, and the order that it is for.
pub type Making<'a> =
    std::pin::Pin<Box<dyn Future<Output = Result<(Runner, Order), String>> + Send + 'a>>;

/// A task that somebody wants done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Wish {
    /// The agent.
    #[schemars(length(min = 1, max = 64))]
    pub agent: String,
    /// What is to be done.
    #[schemars(length(min = 1, max = 800_000))]
    pub input: String,
    /// For whom: what is remembered about one subscriber is never shown to another.
    #[serde(default)]
    pub subscriber: Option<String>,
    /// The model; the agent's own, or one that is found, when left out.
    #[serde(default)]
    pub model: Option<String>,
    /// Replies of the model at most.
    #[serde(default)]
    #[schemars(range(min = 1, max = 64))]
    pub turns: Option<u32>,
    /// Tokens at most.
    #[serde(default)]
    pub tokens: Option<u64>,
}

/// How far a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// It waits for its turn.
    Waiting,
    /// It is worked on.
    Running,
    /// It ended with an answer.
    Answered,
    /// It ended without one.
    Failed,
    /// Somebody stopped it.
    Cancelled,
    /// Its server stopped or died.
    Interrupted,
}

impl Progress {
    /// Whether nothing more will happen.
    pub fn is_over(self) -> bool {
        !matches!(self, Self::Waiting | Self::Running)
    }
}

/// A run, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its id.
    pub id: String,
    /// What was asked for.
    pub wish: Wish,
    /// Who asked.
    pub actor: String,
    /// How far it is.
    pub progress: Progress,
    /// When it was asked for.
    pub asked: String,
    /// When it ended.
    pub ended: Option<String>,
    /// The answer: a JSON object, as the model wrote it.
    pub answer: Option<String>,
    /// Why there is none.
    pub problem: Option<String>,
    /// The task, as the agent's log knows it.
    pub task: Option<String>,
    /// What was learned from it, after the answer; none while that is under way, or when it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub learned: Option<Aftermath>,
}

/// One thing that happened in a run.
pub(crate) type Happened = Arc<(usize, String)>;

struct Live {
    run: Mutex<Run>,
    events: Mutex<(usize, VecDeque<Happened>)>,
    /// Counts events; closed at the end.
    news: watch::Sender<usize>,
    cancelled: CancellationToken,
}

/// How agents learn from their tasks.
#[derive(Debug, Clone)]
pub struct Learning {
    /// What the configuration says about it.
    pub settings: LearnSettings,
    /// Takes out what is private.
    pub redactor: Redactor,
    /// Names of skills that the configuration refers to.
    pub referenced: Vec<String>,
}

/// All runs of a server.
pub(crate) struct Runs {
    folder: PathBuf,
    now: Clock,
    workshop: Arc<dyn Workshop>,
    learning: Arc<Learning>,
    live: Mutex<BTreeMap<String, Arc<Live>>>,
    places: Arc<Semaphore>,
    tasks: TaskTracker,
}

/// Why a run was not begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// There are too many.
    TooMany,
    /// The server is stopping.
    Stopping,
    /// It could not be written down.
    Disk(String),
}

fn lock<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Runs {
    /// The runs below a `HONE_HOME`. Those that a dead server left are interrupted.
    pub(crate) fn open(
        hone_home: &Path,
        now: Clock,
        workshop: Arc<dyn Workshop>,
        learning: Learning,
    ) -> Self {
        let folder = hone_home.join("serve").join("runs");
        let runs = Self {
            folder,
            now,
            workshop,
            learning: Arc::new(learning),
            live: Mutex::default(),
            places: Arc::new(Semaphore::new(MAX_AT_ONCE)),
            tasks: TaskTracker::new(),
        };
        for mut run in runs.kept(MAX_KEPT) {
            if !run.progress.is_over() && !runs.is_worked_on(&run.id) {
                run.end(Progress::Interrupted, (runs.now)());
                run.problem = Some("the server died while it was under way".to_owned());
                let _ = runs.keep(&run);
            }
        }
        runs.prune();
        runs
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn mark(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.lock"))
    }

    /// Marks a run as worked on, until the file is closed.
    fn marked(&self, id: &str) -> std::io::Result<File> {
        let file = File::create(self.mark(id))?;
        file.lock()?;
        Ok(file)
    }

    /// Whether some server works on a run. The mark of a dead one is taken away.
    fn is_worked_on(&self, id: &str) -> bool {
        let Ok(file) = File::open(self.mark(id)) else { return false };
        let is_free = file.try_lock().is_ok();
        if is_free {
            let _ = std::fs::remove_file(self.mark(id));
        }
        !is_free
    }

    fn make_folder(&self) -> std::io::Result<()> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)
    }

    fn keep(&self, run: &Run) -> Result<(), String> {
        self.make_folder().map_err(|error| error.to_string())?;
        let bytes = serde_json::to_vec(run).map_err(|error| error.to_string())?;
        hone_library::replace(&self.path(&run.id), &bytes).map_err(|error| error.to_string())
    }

    /// Ids of all runs on the disk, newest first.
    fn ids(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut ids: Vec<String> = entries
            .filter_map(|entry| {
                entry.file_name().to_str()?.strip_suffix(".json").map(str::to_owned)
            })
            .filter(|id| is_id(id))
            .collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids
    }

    fn kept(&self, most: usize) -> Vec<Run> {
        self.ids().iter().take(most).filter_map(|id| self.read(id)).collect()
    }

    fn read(&self, id: &str) -> Option<Run> {
        serde_json::from_slice(&std::fs::read(self.path(id)).ok()?).ok()
    }

    /// Takes the oldest away, past [`MAX_KEPT`].
    fn prune(&self) {
        for id in self.ids().into_iter().skip(MAX_KEPT) {
            let _ = std::fs::remove_file(self.path(&id));
        }
    }

    /// The newest runs, newest first.
    pub(crate) fn list(&self, most: usize) -> Vec<Run> {
        let kept = self.kept(most).into_iter();
        kept.map(|run| self.live(&run.id).map_or(run, |live| lock(&live.run).clone())).collect()
    }

    /// One run.
    pub(crate) fn one(&self, id: &str) -> Option<Run> {
        if !is_id(id) {
            return None;
        }
        self.live(id).map(|live| lock(&live.run).clone()).or_else(|| self.read(id))
    }

    fn live(&self, id: &str) -> Option<Arc<Live>> {
        lock(&self.live).get(id).cloned()
    }

    /// Runs that wait or are worked on.
    pub(crate) fn open_count(&self) -> usize {
        self.tasks.len()
    }

    /// Writes a run down and lets it begin.
    pub(crate) fn start(self: &Arc<Self>, wish: Wish, actor: String) -> Result<Run, NotBegun> {
        if self.tasks.is_closed() {
            return Err(NotBegun::Stopping);
        }
        if self.tasks.len() >= MAX_OPEN {
            return Err(NotBegun::TooMany);
        }
        let now = (self.now)();
        let run = Run {
            id: new_id(now),
            wish,
            actor,
            progress: Progress::Waiting,
            asked: iso(now),
            ended: None,
            answer: None,
            problem: None,
            task: None,
            learned: None,
        };
        let marked = self.make_folder().and_then(|()| self.marked(&run.id));
        let mark = marked.map_err(|error| NotBegun::Disk(error.to_string()))?;
        self.keep(&run).map_err(NotBegun::Disk)?;
        let live = Arc::new(Live {
            run: Mutex::new(run.clone()),
            events: Mutex::default(),
            news: watch::Sender::default(),
            cancelled: CancellationToken::new(),
        });
        lock(&self.live).insert(run.id.clone(), Arc::clone(&live));
        let runs = Arc::clone(self);
        self.tasks.spawn(async move {
            runs.work(&live).await;
            let run = lock(&live.run).clone();
            let _ = runs.keep(&run);
            let _ = std::fs::remove_file(runs.mark(&run.id));
            drop(mark);
            lock(&runs.live).remove(&run.id);
        });
        Ok(run)
    }

    async fn work(&self, live: &Live) {
        let place = tokio::select! {
            place = self.places.acquire() => place.ok(),
            () = live.cancelled.cancelled() => None,
        };
        let Some(_place) = place else {
            live.end(Progress::Cancelled, None, Some("it had not begun".to_owned()), &self.now);
            return;
        };
        let wish = {
            let mut run = lock(&live.run);
            run.progress = Progress::Running;
            let _ = self.keep(&run);
            run.wish.clone()
        };
        let made = self.workshop.runner(&wish, live.cancelled.clone()).await;
        let (runner, order) = match made {
            Ok(made) => made,
            Err(why) => return live.end(Progress::Failed, None, Some(why), &self.now),
        };
        match runner.run(&order, live).await {
            Ok(report) => {
                live.concluded(&report, &self.now);
                // The answer is given, and stays whatever comes of learning.
                let run = lock(&live.run).clone();
                let _ = self.keep(&run);
                if let Some(learned) = self.look_back(runner, order, report).await {
                    live.tell(&json!({"event": "learned", "learned": learned}));
                    lock(&live.run).learned = Some(learned);
                }
            }
            Err(_) if live.cancelled.is_cancelled() => {
                let why = "it was stopped before it began".to_owned();
                live.end(Progress::Cancelled, None, Some(why), &self.now);
            }
            Err(error) => live.end(Progress::Failed, None, Some(error.to_string()), &self.now),
        }
    }

    /// Learns from a task that is over. Whatever goes wrong in it leaves the task as it is.
    async fn look_back(&self, runner: Runner, order: Order, report: Report) -> Option<Aftermath> {
        let (learning, here) = (Arc::clone(&self.learning), tokio::runtime::Handle::current());
        let work = tokio::task::spawn_blocking(move || {
            let Learning { settings, redactor, referenced } = &*learning;
            let host = Host { runner: &runner, settings, redactor, referenced };
            here.block_on(after_task(&host, &order, &report))
        });
        // A task that nothing came of says nothing about it.
        work.await.ok().filter(|learned| *learned != Aftermath::default())
    }

    /// Stops a run; what it had not committed is taken back.
    pub(crate) fn cancel(&self, id: &str) -> Option<Run> {
        if let Some(live) = self.live(id) {
            live.cancelled.cancel();
        }
        self.one(id)
    }

    /// Somebody who has seen so many events of a run; none when it is over.
    pub(crate) fn follow(&self, id: &str, seen: usize) -> Option<Follower> {
        let live = self.live(id)?;
        let news = live.news.subscribe();
        Some(Follower { live, news, seen })
    }

    /// Lets what runs end, for [`RUN_GRACE`]; then it is stopped, and recorded as interrupted.
    pub(crate) async fn finish(&self) {
        self.tasks.close();
        if tokio::time::timeout(RUN_GRACE, self.tasks.wait()).await.is_ok() {
            return;
        }
        let all: Vec<Arc<Live>> = lock(&self.live).values().cloned().collect();
        for live in &all {
            live.cancelled.cancel();
        }
        let _ = tokio::time::timeout(RUN_GRACE, self.tasks.wait()).await;
        for live in all {
            let mut run = lock(&live.run);
            if matches!(run.progress, Progress::Cancelled | Progress::Waiting | Progress::Running) {
                run.end(Progress::Interrupted, (self.now)());
                run.problem = Some("the server stopped while it was under way".to_owned());
                let _ = self.keep(&run);
            }
        }
    }
}

impl Run {
    fn end(&mut self, progress: Progress, now: i64) {
        self.progress = progress;
        self.ended = Some(iso(now));
    }
}

impl Live {
    fn tell(&self, event: &Value) {
        let mut text = event.to_string();
        if text.len() > MAX_EVENT_BYTES {
            text = json!({"event": event["event"], "cut": text.len()}).to_string();
        }
        let mut events = lock(&self.events);
        events.0 += 1;
        let number = events.0;
        events.1.push_back(Arc::new((number, text)));
        if events.1.len() > MAX_EVENTS {
            events.1.pop_front();
        }
        drop(events);
        self.news.send_replace(number);
    }

    fn end(
        &self,
        progress: Progress,
        answer: Option<String>,
        problem: Option<String>,
        now: &Clock,
    ) {
        let told = {
            let mut run = lock(&self.run);
            run.end(progress, now());
            run.answer = answer;
            run.problem = problem;
            json!({"event": "over", "run": *run})
        };
        self.tell(&told);
    }

    fn concluded(&self, report: &Report, now: &Clock) {
        lock(&self.run).task = Some(report.finished.id.clone());
        let end = &report.finished.end;
        let progress = match end {
            End::Answered { .. } => Progress::Answered,
            End::Cancelled => Progress::Cancelled,
            End::NotConverged { .. } | End::Failed { .. } | End::Died => Progress::Failed,
        };
        let answer = report.finished.answer().map(std::borrow::Cow::into_owned);
        let problem = answer.is_none().then(|| end.to_string());
        self.end(progress, answer, problem, now);
    }
}

impl Listener for Live {
    fn waiting(&self, owner: &Owner) {
        self.tell(&json!({"event": "waiting", "for": owner.to_string()}));
    }

    fn event(&self, event: &Event<'_>) {
        if let Event::Started { task, .. } = event {
            lock(&self.run).task = Some((*task).to_owned());
        }
        self.tell(&serde_json::to_value(event).unwrap_or_default());
    }
}

/// Somebody who follows a run.
pub(crate) struct Follower {
    live: Arc<Live>,
    news: watch::Receiver<usize>,
    seen: usize,
}

impl Follower {
    /// The next event; none at the end.
    pub(crate) async fn next(&mut self) -> Option<Happened> {
        loop {
            let next = {
                let events = lock(&self.live.events);
                events.1.iter().find(|event| event.0 > self.seen).cloned()
            };
            if let Some(next) = next {
                self.seen = next.0;
                return Some(next);
            }
            if lock(&self.live.run).progress.is_over() {
                return None;
            }
            self.news.changed().await.ok()?;
        }
    }
}

fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= 64 && id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// An id that sorts by time and cannot be guessed.
fn new_id(now: i64) -> String {
    let mut bytes = [0; 8];
    // Without randomness two runs of one millisecond could meet, and the second would not be written.
    let _ = getrandom::fill(&mut bytes);
    format!("{now:012x}-{}", super::token::hex(&bytes))
}
