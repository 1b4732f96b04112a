//! A brain's whole life: any sequence of tasks, edits, snapshots, crashes and restores ends in a state that a
//! prefix of what was done explains. Tasks are real ones, with a model behind the chat API on this machine;
//! a crash drops whatever is under way at any of its steps.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use hone_agent::brain::Brain;
use hone_agent::lineage::snapshot::{History, Taken, Watch};
use hone_agent::lineage::{RECEIPTS_FILE, Standing, chain};
use hone_agent::model::{Model, Wire};
use hone_agent::packing::{Around, Asked, Depot, Point};
use hone_agent::run::{Order, Report, Runner, Silence};
use hone_agent::task::{End, Limits};
use hone_guard::policy::Policy;
use hone_library::SnapshotSettings;
use proptest::prelude::*;
use serde_json::json;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::server::{Scripted, Server, chat, model};
use crate::shelf::{NOW, Shelf, knowledge, open};

/// What is done to a brain.
#[derive(Debug, Clone)]
enum Step {
    /// A task that writes a skill and a note, and answers.
    Learn(u8),
    /// The same, and the model falls silent before the answer.
    Fail(u8),
    /// The same, out of turns before the answer.
    Stall(u8),
    /// The same, cut off after so many steps.
    CutTask {
        skill: u8,
        after: usize,
    },
    /// A task of another process, which dies at one of its writes: also inside of its commit.
    Die {
        at: usize,
    },
    /// Somebody writes into the role, or into a skill.
    Edit(u8),
    /// A snapshot, whole or cut off; also while a task is under way.
    Take,
    CutTake {
        after: usize,
    },
    TakeMeanwhile(u8),
    /// Everything is lost and comes back, at once or at the second try.
    Restore,
    CutRestore {
        after: usize,
    },
    /// An older snapshot comes back.
    Return(u64),
    /// Only the newest ones are kept.
    Prune(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let skill = 0..3_u8;
    prop_oneof![
        4 => skill.clone().prop_map(Step::Learn),
        1 => skill.clone().prop_map(Step::Fail),
        1 => skill.clone().prop_map(Step::Stall),
        3 => (skill.clone(), 1..60_usize).prop_map(|(skill, after)| Step::CutTask { skill, after }),
        2 => (1..90_usize).prop_map(|at| Step::Die { at }),
        1 => any::<u8>().prop_map(Step::Edit),
        3 => Just(Step::Take),
        2 => (1..40_usize).prop_map(|after| Step::CutTake { after }),
        2 => skill.prop_map(Step::TakeMeanwhile),
        2 => Just(Step::Restore),
        2 => (1..30_usize).prop_map(|after| Step::CutRestore { after }),
        1 => (1..5_u64).prop_map(Step::Return),
        1 => (1..3_usize).prop_map(Step::Prune),
    ]
}

/// What an agent knows, by paths below its brain.
type Knowledge = BTreeMap<String, String>;

/// What a future comes to, unless it is dropped after so many steps of its own.
async fn cut<T>(work: impl Future<Output = T>, after: usize) -> Option<T> {
    let mut work = pin!(work);
    let mut left = after;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(None);
        }
        left -= 1;
        work.as_mut().poll(context).map(Some)
    })
    .await
}

/// A runtime that is gone, with all that it began, when its step is over: as a process would be.
fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

struct Life {
    shelf: Shelf,
    brain: Brain,
    /// Where the model answers.
    http: Runtime,
    away: tempfile::TempDir,
    /// Marks what a task writes.
    mark: u32,
    /// What the agent knew, for each snapshot that must be there.
    packed: BTreeMap<u64, Knowledge>,
    history: History,
}

impl Life {
    fn new() -> Self {
        let (shelf, brain) = Shelf::with_ada();
        let http = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let away = tempfile::tempdir().unwrap();
        let key = away.path().join("key");
        std::fs::write(&key, [7; 32]).unwrap();
        let owner = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&key, owner).unwrap();
        Self {
            shelf,
            brain,
            http,
            away,
            mark: 0,
            packed: BTreeMap::new(),
            history: History::Extends,
        }
    }

    fn known(&self) -> Knowledge {
        below(&self.brain)
    }

    /// What a task says that writes a skill and a note, and its mark.
    fn lesson(&mut self, skill: u8) -> (String, Vec<String>) {
        self.mark += 1;
        let mark = format!("mark {}.", self.mark);
        let name = format!("s{skill}");
        let call =
            |tool: &str, args: serde_json::Value| json!({"tool": tool, "args": args}).to_string();
        let is_there = self.shelf.skills(&self.brain).contains(&name);
        let mut says = Vec::new();
        if is_there {
            says.push(call("skill_view", json!({"name": name})));
            let content = format!("Do it as in {mark}\n");
            says.push(call(
                "skill_manage",
                json!({"action": "edit", "name": name, "content": content}),
            ));
        } else {
            let content = format!(
                "---\nname: {name}\ndescription: Does {name}. Use when asked for it.\n---\nDo it as in {mark}\n"
            );
            says.push(call(
                "skill_manage",
                json!({"action": "create", "name": name, "content": content}),
            ));
        }
        says.push(call("note", json!({"key": name, "value": mark})));
        (mark, says)
    }

    fn runner(&self, says: &[String]) -> Runner {
        let answers: Vec<Scripted> = says.iter().map(|text| chat(text)).collect();
        let server = self.http.block_on(Server::start(answers));
        let model: Arc<dyn Model> = model(&server.choice(Wire::OpenAi));
        Runner {
            hone_home: self.shelf.home.clone(),
            policy: Policy::default(),
            model,
            helper: None,
            unconfined: false,
            client: None,
            secrets: Vec::new(),
            tools: Vec::new(),
            servers: Vec::new(),
            limits: Limits::default(),
            max_tokens: None,
            max_cost: None,
            prices: None,
            packer: None,
            gate: None,
            now: Arc::new(|| NOW),
            cancelled: CancellationToken::new(),
        }
    }

    fn order(&self, turns: u32) -> Order {
        Order {
            agent: self.brain.id.clone(),
            input: "learn".to_owned(),
            turns: Some(turns),
            ..Order::default()
        }
    }

    fn task(&self, says: &[String], turns: u32) -> Report {
        let runner = self.runner(says);
        runtime().block_on(runner.run(&self.order(turns), &Silence)).unwrap()
    }

    /// A task that does nothing but settle what is left of those before it; what was signed must hold then.
    fn settle(&self) {
        let report = self.task(&[answer()], 8);
        assert!(matches!(report.finished.end, End::Answered { .. }), "{:?}", report.finished.end);
        let key = self.brain.signing_key().unwrap().public();
        let checked = chain::check(&self.brain.member(RECEIPTS_FILE), key).unwrap();
        assert!(checked.holds(), "{:?}", checked.breaks);
        assert_eq!(self.brain.lineage().unwrap().standing(), Standing::Same);
    }

    fn depot(&self, home: &Path) -> Depot {
        let settings = SnapshotSettings {
            store: Some(self.away.path().join("store").display().to_string()),
            key_file: Some(self.away.path().join("key")),
            ..SnapshotSettings::default()
        };
        let around = Around {
            hone_home: home.to_owned(),
            user_home: PathBuf::from("/nowhere"),
            cwd: PathBuf::from("/nowhere"),
            settings,
            variables: BTreeMap::new(),
        };
        Depot::find(&around, &self.brain.id, &Asked::default()).unwrap()
    }

    fn took(&mut self, taken: &Taken, known: Knowledge) {
        match taken {
            Taken::New { number, .. } => {
                let last = self.packed.last_key_value().map_or(0, |(number, _)| *number);
                assert_eq!(*number, last + 1);
                self.packed.insert(*number, known);
            }
            Taken::Unchanged { number } => {
                assert_eq!(self.packed.last_key_value(), Some((number, &known)));
            }
        }
        self.history = History::Extends;
    }

    /// Brings the newest snapshot back where there was nothing, or an older one.
    fn restore(&mut self, point: Point) {
        let _ = std::fs::remove_dir_all(&self.brain.folder);
        let depot = self.depot(&self.shelf.home);
        runtime()
            .block_on(depot.restore(point, None, 1, &watch(&CancellationToken::new())))
            .unwrap();
    }

    /// After a cut: what somebody sees who knows nothing but store and key.
    fn look(&mut self, known: Knowledge) {
        let home = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(home.path()).unwrap().join("hone");
        let depot = self.depot(&home);
        let restored = runtime().block_on(depot.restore(
            Point::Newest,
            None,
            1,
            &watch(&CancellationToken::new()),
        ));
        let last = self.packed.last_key_value().map_or(0, |(number, _)| *number);
        match restored {
            Ok(back) if back.restored.number == last => {
                assert_eq!(below(&back.brain), self.packed[&last]);
            }
            Ok(back) => {
                assert_eq!(back.restored.number, last + 1);
                assert_eq!(below(&back.brain), known);
                self.packed.insert(back.restored.number, known);
                self.history = History::Extends;
            }
            Err(error) => assert_eq!(last, 0, "{error}"),
        }
    }

    fn step(&mut self, step: &Step) {
        let before = self.known();
        let cancelled = CancellationToken::new();
        match step {
            Step::Learn(skill) => {
                let (mark, mut says) = self.lesson(*skill);
                says.push(answer());
                let report = self.task(&says, 8);
                assert!(matches!(report.finished.end, End::Answered { .. }));
                assert!(is_learned(&self.known(), &before, *skill, &mark), "{:?}", self.known());
            }
            Step::Fail(skill) => {
                let (_, says) = self.lesson(*skill);
                let report = self.task(&says, 8);
                assert!(matches!(report.finished.end, End::Failed { .. }));
                assert_eq!(self.known(), before);
            }
            Step::Stall(skill) => {
                let (_, says) = self.lesson(*skill);
                let turns = u32::try_from(says.len()).unwrap();
                let report = self.task(&says, turns);
                assert!(matches!(report.finished.end, End::NotConverged { .. }));
                assert_eq!(self.known(), before);
            }
            Step::CutTask { skill, after } => {
                let (mark, mut says) = self.lesson(*skill);
                says.push(answer());
                let runner = self.runner(&says);
                runtime().block_on(cut(runner.run(&self.order(8), &Silence), *after));
                self.settle();
                let left = self.known();
                assert!(left == before || is_learned(&left, &before, *skill, &mark), "{left:?}");
            }
            Step::Die { at } => {
                self.mark += 1;
                let task = format!("dies-{}", self.mark);
                crate::crash::die(&self.shelf, &task, "pwrite64", *at);
                self.settle();
                let (left, is_logged) =
                    (self.known(), open(&self.brain).ending(&task).unwrap().is_some());
                if is_logged {
                    assert!(
                        left.values().any(|text| text.contains("Second thoughts.")),
                        "{left:?}"
                    );
                } else {
                    assert_eq!(left, before);
                }
            }
            Step::Edit(with) => {
                let name = format!("skills/s{}.md", with % 3);
                let path = self.brain.folder.join(&name);
                let path = if path.exists() { path } else { self.brain.member("system.md") };
                let text = std::fs::read_to_string(&path).unwrap();
                std::fs::write(&path, format!("{text}by hand {with}\n")).unwrap();
            }
            Step::Take => {
                self.settle();
                let depot = self.depot(&self.shelf.home);
                let watch = watch(&cancelled);
                let taking = depot.take(&self.brain, self.history, 1, &watch);
                let taken = runtime().block_on(taking).unwrap();
                self.took(&taken, before);
            }
            Step::CutTake { after } => {
                self.settle();
                let depot = self.depot(&self.shelf.home);
                let watch = watch(&cancelled);
                let taking = depot.take(&self.brain, self.history, 1, &watch);
                if let Some(taken) = runtime().block_on(cut(taking, *after)) {
                    self.took(&taken.unwrap(), before);
                } else {
                    self.look(before);
                }
            }
            Step::TakeMeanwhile(skill) => {
                self.settle();
                let (mark, says) = self.lesson(*skill);
                // The task has written all that it will, and waits for a reply that never comes.
                let runner = self.runner(&[says, vec![String::new(); 3]].concat());
                let runner = Runner { model: Arc::new(Silent(runner.model)), ..runner };
                let depot = self.depot(&self.shelf.home);
                let order = self.order(20);
                let taken = runtime().block_on(async {
                    let mut task = pin!(runner.run(&order, &Silence));
                    tokio::select! {
                        biased;
                        _ = &mut task => panic!("it was to wait"),
                        () = written(&self.brain, *skill, &mark) => {}
                    }
                    depot.take(&self.brain, self.history, 1, &watch(&cancelled)).await.unwrap()
                });
                self.took(&taken, before.clone());
                self.settle();
                assert_eq!(self.known(), before);
                self.look(before);
            }
            Step::Restore | Step::CutRestore { .. } if self.packed.is_empty() => {}
            Step::Restore => {
                self.restore(Point::Newest);
                self.came_back(None);
            }
            Step::CutRestore { after } => {
                std::fs::remove_dir_all(&self.brain.folder).unwrap();
                let depot = self.depot(&self.shelf.home);
                let watch = watch(&cancelled);
                let restoring = depot.restore(Point::Newest, None, 1, &watch);
                runtime().block_on(cut(restoring, *after));
                if !self.brain.folder.exists() {
                    self.restore(Point::Newest);
                }
                self.came_back(None);
            }
            Step::Return(number) => {
                if self.packed.contains_key(number) {
                    self.restore(Point::Number(*number));
                    self.came_back(Some(*number));
                }
            }
            Step::Prune(keep) => {
                let depot = self.depot(&self.shelf.home);
                let keep = NonZeroUsize::new(*keep).unwrap();
                let far = 1_000 * 3600 * 24 * 365 * 200;
                runtime()
                    .block_on(async { depot.snapshots().await?.prune(keep, far).await })
                    .unwrap();
                while self.packed.len() > keep.get() {
                    self.packed.pop_first();
                }
            }
        }
    }

    /// A brain that came back knows what it knew then.
    fn came_back(&mut self, number: Option<u64>) {
        let newest = *self.packed.last_key_value().unwrap().0;
        let number = number.unwrap_or(newest);
        assert_eq!(self.known(), self.packed[&number]);
        self.settle();
        assert_eq!(self.known(), self.packed[&number]);
        self.history = if number == newest { History::Extends } else { History::Replaces };
    }

    /// Every snapshot that should be there gives what was known then.
    fn audit(&self) {
        self.settle();
        for (number, known) in &self.packed {
            let home = tempfile::tempdir().unwrap();
            let home = std::fs::canonicalize(home.path()).unwrap().join("hone");
            let depot = self.depot(&home);
            let point = Point::Number(*number);
            let cancelled = CancellationToken::new();
            let back =
                runtime().block_on(depot.restore(point, None, 1, &watch(&cancelled))).unwrap();
            assert_eq!(below(&back.brain), *known, "snapshot {number}");
        }
    }
}

/// A model that falls silent where the real one would say nothing.
struct Silent(Arc<dyn Model>);

impl Model for Silent {
    fn backend(&self) -> &str {
        self.0.backend()
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn ask<'a>(
        &'a self,
        request: &'a hone_agent::model::Request,
        cancelled: &'a CancellationToken,
    ) -> hone_agent::model::Pending<'a> {
        Box::pin(async move {
            let reply = self.0.ask(request, cancelled).await;
            match reply {
                Ok(reply) if !reply.text.is_empty() => Ok(reply),
                _ => std::future::pending().await,
            }
        })
    }
}

/// Waits until a task under way has written its skill.
async fn written(brain: &Brain, skill: u8, mark: &str) {
    let skills = brain.member("skills");
    let places =
        [format!("s{skill}.md"), format!("s{skill}/SKILL.md")].map(|name| skills.join(name));
    let is_there =
        |path: &PathBuf| std::fs::read_to_string(path).is_ok_and(|text| text.contains(mark));
    while !places.iter().any(is_there) {
        tokio::task::yield_now().await;
    }
}

fn answer() -> String {
    json!({"answer": "done"}).to_string()
}

fn watch(cancelled: &CancellationToken) -> Watch<'_> {
    Watch { cancelled, progress: &|_| {} }
}

fn below(brain: &Brain) -> Knowledge {
    let folder = brain.folder.display().to_string();
    // What a dead writer staged nobody reads.
    let known = knowledge(brain).into_iter().filter(|(key, _)| !key.contains("/.hone-"));
    known.map(|(key, value)| (key.replace(&folder, ""), value)).collect()
}

/// Whether all that was learned is one skill and one note with this mark.
fn is_learned(now: &Knowledge, before: &Knowledge, skill: u8, mark: &str) -> bool {
    let is_of_lesson = |key: &str| {
        key.starts_with(&format!("/skills/s{skill}"))
            || key == "USER.md"
            || (key.starts_with("fact|") && key.ends_with(&format!("|s{skill}")))
    };
    let rest = |known: &Knowledge| -> Knowledge {
        known.clone().into_iter().filter(|(key, _)| !is_of_lesson(key)).collect()
    };
    let marked = now.iter().filter(|(key, text)| is_of_lesson(key) && text.contains(mark));
    rest(now) == rest(before) && marked.count() == 3
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, max_shrink_iters: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_life_ends_in_a_state_that_a_prefix_explains(steps in prop::collection::vec(step(), 1..12)) {
        let mut life = Life::new();
        for step in &steps {
            life.step(step);
        }
        life.audit();
    }
}
