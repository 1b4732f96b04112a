//! One task of one agent, put together: brain, memory, skills, tools, loop, commit.
//!
//! A task is a fresh session: role, skills and frozen memory are read from the disk first, under the
//! brain's lock. What it said and learned is committed at its end, as [`crate::brain`] promises.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::future::Future;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hone_guard::policy::Policy;
use hone_guard::sandbox::Helper;
use hone_library::{
    Author, Catalogue, DEFAULT_BUDGET, DEFAULT_DEPTH, Listed, Search, Standing, State, standings,
};
use hone_router::{Answers, Index, Ranked, Ranking, level0};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::brain::steps::{self, StepLog};
use crate::brain::{
    Brain, BrainError, Evidence, Opening, Owner, Session, Settings, Waiting, actor, members,
};
use crate::event::Event;
use crate::lineage::Receipt;
use crate::memory::{Ending, Frozen, Note, Objection, Quarantined, Subscriber, TaskRow};
use crate::model::{Budget, Discreet, Message, Model, NoPrice, Prices, Spent};
use crate::packing::Packer;
use crate::prompt::Frame;
use crate::step::{Effect, Proposal};
use crate::task::{self, Allowance, End, Finished, Guard, Limits, Task};
use crate::tools::ask_agent::{Answering, AskAgent, Colleagues, MAX_DEPTH, Question};
use crate::tools::command::RunCommand;
use crate::tools::fetch::{BoundSecret, FetchUrl};
use crate::tools::files::Workspace;
use crate::tools::patterns::PatternSearch;
use crate::tools::skills::{self, Admits, Clock, Gated, Shelf};
use crate::tools::{CORE, Tool, Tools, ToolsError, memory};

/// How long a task waits for its turn, unless somebody says otherwise.
pub const DEFAULT_PATIENCE: Duration = Duration::from_secs(300);

/// How a model finds the skills that the index leaves out.
const SEARCH: &str = "`skills_search`";

/// So many skills count as answers to a task when not all fit into the index.
const ANSWERS: usize = 50;

/// Why a task could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The brain cannot be used.
    #[error(transparent)]
    Brain(#[from] BrainError),
    /// The tools cannot be used.
    #[error(transparent)]
    Tools(#[from] ToolsError),
    /// A cost cannot be limited.
    #[error(transparent)]
    Price(#[from] NoPrice),
    /// The workspace cannot be opened.
    #[error("could not open the workspace `{}`: {source}", path.display())]
    Workspace {
        /// Where it should be.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

impl RunError {
    /// What to do next, where there is a good guess.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Brain(error) => error.hint(),
            Self::Tools(ToolsError::NotThere { .. }) => {
                Some("mend `tools` in the agent's `agent.toml`".to_owned())
            }
            Self::Tools(_) | Self::Price(_) | Self::Workspace { .. } => None,
        }
    }
}

/// What the files of a workspace are open to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Space {
    /// Its files can be read.
    Read(PathBuf),
    /// Its files can be read and written, and commands run in it.
    Write(PathBuf),
}

/// What all tasks of a process share.
#[derive(Clone)]
pub struct Runner {
    /// Where the brains are.
    pub hone_home: PathBuf,
    /// What may be written as a skill.
    pub policy: Policy,
    /// The model.
    pub model: Arc<dyn Model>,
    /// The program that confines commands; without one, none run.
    pub helper: Option<Helper>,
    /// The person's leave to run commands where nothing confines.
    pub unconfined: bool,
    /// The way to the public network; without one, nothing is fetched.
    pub client: Option<Arc<hone_net::Client>>,
    /// Secrets that may be fetched with, each for one origin.
    pub secrets: Vec<BoundSecret>,
    /// Tools of servers, which all tasks share.
    pub tools: Vec<Arc<dyn Tool>>,
    /// The names of those servers, also of those that could not be reached.
    pub servers: Vec<String>,
    /// How much a task may take, where neither it nor its agent says so.
    pub limits: Limits,
    /// Tokens of a task at most, where neither it nor its agent says so.
    pub max_tokens: Option<u64>,
    /// What a task may cost, in the currency of the prices.
    pub max_cost: Option<f64>,
    /// What tokens cost.
    pub prices: Option<Prices>,
    /// Says which skills that a task writes others may see; without one, the guard alone does.
    pub gate: Option<Arc<dyn Admits>>,
    /// Packs agents after tasks; without one, nothing is packed by itself.
    pub packer: Option<Arc<Packer>>,
    /// Now, in milliseconds since 1970.
    pub now: Clock,
    /// Stops everything.
    pub cancelled: CancellationToken,
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Runner").field("hone_home", &self.hone_home).finish_non_exhaustive()
    }
}

/// A task to be done.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// The agent.
    pub agent: String,
    /// What is to be done.
    pub input: String,
    /// For whom.
    pub subscriber: Subscriber,
    /// What was said before in the same chat.
    pub earlier: Vec<Message>,
    /// The files that it is about.
    pub space: Option<Space>,
    /// Turns at most; the agent's setting when left out.
    pub turns: Option<u32>,
    /// Tokens at most; the agent's setting when left out.
    pub tokens: Option<u64>,
    /// The tools that may be called, of those that the agent's settings allow, besides those that read skills.
    pub tools: Option<Vec<String>>,
    /// Skills that it was called with: what they declare holds for its commands.
    pub skills: Vec<Listed>,
    /// What those skills need, each for its own commands alone; in no text of the task.
    pub answers: Answers,
    /// How long it waits for its turn; [`DEFAULT_PATIENCE`] when left out.
    pub patience: Option<Duration>,
}

/// What is heard of a task while it runs.
pub trait Listener: Send + Sync {
    /// Another task has the brain.
    fn waiting(&self, _owner: &Owner) {}
    /// Something happened.
    fn event(&self, _event: &Event<'_>) {}
}

/// Nobody listens.
#[derive(Debug, Clone, Copy)]
pub struct Silence;

impl Listener for Silence {}

/// What a task changed in the brain.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Learned {
    /// Skills that were created, changed or taken away.
    pub skills: Vec<LearnedSkill>,
    /// Keys that were noted.
    pub notes: Vec<String>,
    /// Notes that the guard set aside: key and reason.
    pub quarantined: Vec<Objected>,
    /// Changes of skills that the policy did not let through.
    pub proposals: Vec<Proposal>,
}

/// A skill that a task changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LearnedSkill {
    /// Its name.
    pub name: String,
    /// What was done to it, the last thing last.
    pub actions: Vec<String>,
    /// Its version afterwards.
    pub version: Option<String>,
}

/// A note that was set aside.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Objected {
    /// What it was about.
    pub key: String,
    /// Why.
    pub reason: String,
}

/// A task that was run.
#[derive(Debug, Clone)]
pub struct Report {
    /// The task: its end, its steps, what was said and what it cost.
    pub finished: Finished,
    /// What it left in the brain; nothing unless it was answered.
    pub learned: Learned,
    /// What was used up by it and by the agents that it asked.
    pub spent: Spent,
    /// What was signed about it.
    pub receipt: Receipt,
    /// What somebody should know about the brain.
    pub notes: Vec<String>,
}

/// How deep agents ask one another, and who is already asked.
#[derive(Debug, Clone, Default)]
struct Chain {
    agents: Vec<String>,
    budget: Option<Arc<Budget>>,
}

impl Runner {
    /// Runs a task to its end. An error means that it was not begun, or could not be committed.
    pub async fn run(&self, order: &Order, listener: &dyn Listener) -> Result<Report, RunError> {
        self.run_in(order, listener, Chain::default()).await
    }

    async fn run_in(
        &self,
        order: &Order,
        listener: &dyn Listener,
        mut chain: Chain,
    ) -> Result<Report, RunError> {
        let model = Discreet { model: &*self.model, answers: &order.answers };
        let concealed;
        let order = match model.conceal(&order.input) {
            Cow::Borrowed(_) => order,
            Cow::Owned(input) => {
                concealed = Order { input, ..order.clone() };
                &concealed
            }
        };
        let brain = Brain::find(&self.hone_home, &order.agent)?;
        let now = (self.now)();
        let id = new_id(now);
        let tell = |owner: &Owner| listener.waiting(owner);
        let waiting = Waiting {
            patience: order.patience.unwrap_or(DEFAULT_PATIENCE),
            cancelled: &self.cancelled,
            tell: &tell,
        };
        let opening = Opening {
            task: &id,
            subscriber: &order.subscriber,
            input: &order.input,
            backend: self.model.backend(),
            model: self.model.name(),
        };
        let session = brain.begin(&opening, &waiting, now).await?;
        let ready = match self.ready(&brain, &session, order, &mut chain) {
            Ok(ready) => ready,
            Err(error) => {
                // Nothing was done, so there is nothing to log.
                session.abandon()?;
                return Err(error);
            }
        };
        let memory = ready.frozen.block().unwrap_or_default();
        let frame = Frame { role: &ready.role, memory: &memory, index: &ready.index };
        let task = Task {
            id: &id,
            frame,
            skills: &ready.skills,
            earlier: &order.earlier,
            input: &order.input,
            tools: &ready.tools,
            model: &model,
            limits: ready.limits,
            allowance: chain.budget.as_deref().map(|budget| budget as &dyn Allowance),
            now: &*self.now,
            cancelled: &self.cancelled,
            tell: &|_| {},
        };
        let head = json!({
            "kind": "task",
            "task": id,
            "agent": brain.id,
            "subscriber": order.subscriber.as_text(),
            "started": now,
            "input": order.input,
            "system": model.conceal(&task.system()),
        });
        let log = match StepLog::begin(&brain, &id, &head) {
            Ok(log) => log,
            Err(error) => {
                session.abandon()?;
                return Err(error.into());
            }
        };
        let tell = |event: &Event<'_>| {
            if let Event::Step { step } = event {
                log.add(&serde_json::to_string(step).unwrap_or_default());
            }
            listener.event(event);
        };
        let finished = task::run(&Task { tell: &tell, ..task }).await;
        log.end(&steps::foot(&finished.end, &finished.cost))?;
        let spent = chain.budget.as_deref().map(Budget::spent).unwrap_or_default();
        let report = self.conclude(session, order, finished, spent, ready.notes)?;
        if let Some(packer) = &self.packer {
            packer.after(&brain, &report.receipt);
        }
        Ok(report)
    }

    /// Reads everything that a task starts from.
    fn ready(
        &self,
        brain: &Brain,
        session: &Session,
        order: &Order,
        chain: &mut Chain,
    ) -> Result<Ready, RunError> {
        let mut notes = said(brain, session);
        let settings = brain.settings()?;
        let role = brain.system()?;
        let frozen = Frozen::load(&brain.folder, &order.subscriber)?;
        for (file, objection) in &frozen.left_out {
            let why = &objection.message;
            notes.push(format!("a part of `{file}` is left out of the prompt: {why}"));
        }
        let shelf = Arc::new(self.shelf(brain, session.task(), order));
        for skill in &order.skills {
            shelf.activate(skill);
        }
        let catalogue = shelf.catalogue();
        let (index, skills) = index(&catalogue, session.state(), &order.input);
        chain.agents.push(brain.id.clone());
        if chain.budget.is_none() {
            let tokens = order.tokens.or(settings.limits.tokens).or(self.max_tokens);
            let budget = Budget::new(tokens, self.max_cost, self.prices)?;
            chain.budget = Some(Arc::new(budget));
        }
        let mut tools = self.tools(brain, &settings, session, order, &shelf, chain)?;
        // Whose tools are counted out for one task gets none that writes without being among them.
        if let Some(named) = &order.tools {
            let writes = |tool: &dyn Tool| CORE.contains(&tool.name()) && tool.changes();
            tools.retain(|tool| !writes(tool.as_ref()) || named.iter().any(|n| n == tool.name()));
        }
        let whitelist = self.whitelist(&settings, order.tools.as_deref(), &tools, &mut notes);
        let tools = Tools::new(tools, whitelist.as_deref())?;
        let turns = order.turns.or(settings.limits.turns);
        let limits = Limits {
            turns: turns.map_or(self.limits.turns, |turns| turns as usize),
            guard: match settings.evidence {
                Evidence::Needed => Guard::Evidence,
                Evidence::Optional => Guard::Off,
            },
            ..self.limits
        };
        Ok(Ready { role, frozen, index, skills, tools, limits, notes })
    }

    /// The tools that the settings and the order both allow. A tool that is known and that this task does not
    /// have, such as one for a workspace or of a server that cannot be reached, is noted; one that nobody
    /// knows is an error later.
    fn whitelist(
        &self,
        settings: &Settings,
        ordered: Option<&[String]>,
        tools: &[Box<dyn Tool>],
        notes: &mut Vec<String>,
    ) -> Option<Vec<String>> {
        let mut allowed = match (&settings.tools, ordered) {
            (None, None) => return None,
            (Some(names), None) => names.clone(),
            (None, Some(names)) => names.to_vec(),
            (Some(names), Some(ordered)) => {
                names.iter().filter(|name| ordered.contains(name)).cloned().collect()
            }
        };
        let is_served = |name: &str| {
            let server = name.strip_prefix("mcp__").and_then(|name| name.split_once("__"));
            server.is_some_and(|(server, _)| self.servers.iter().any(|known| known == server))
        };
        allowed.retain(|name| {
            let is_here = tools.iter().any(|tool| tool.name() == name);
            let is_known = TOOLS.contains(&name.as_str()) || is_served(name);
            if !is_here && is_known {
                notes.push(format!("the tool `{name}` is not there in this task"));
            }
            is_here || !is_known
        });
        Some(allowed)
    }

    fn shelf(&self, brain: &Brain, task: &str, order: &Order) -> Shelf {
        let root = brain.skills_root();
        let own = root.path.clone();
        let search = Search {
            roots: vec![root],
            depth: DEFAULT_DEPTH,
            disabled: Vec::new(),
            platform: std::env::consts::OS.to_owned(),
            builtin: false,
            depends: Vec::new(),
        };
        let author = Author { actor: actor(task), reason: String::new(), now: 0 };
        let state = State::open(&self.hone_home);
        let shelf =
            Shelf::new(state, search, own, author, self.policy.clone(), Arc::clone(&self.now))
                .answered(order.answers.clone());
        let Some(gate) = self.gate.clone() else { return shelf };
        let by = skills::Task {
            hone_home: self.hone_home.clone(),
            agent: brain.id.clone(),
            id: task.to_owned(),
            input: order.input.clone(),
            subscriber: order.subscriber.clone(),
        };
        shelf.gated(Gated { gate, by })
    }

    /// Every tool that there is for this task, before any whitelist.
    fn tools(
        &self,
        brain: &Brain,
        settings: &Settings,
        session: &Session,
        order: &Order,
        shelf: &Arc<Shelf>,
        chain: &Chain,
    ) -> Result<Vec<Box<dyn Tool>>, RunError> {
        let mut tools = shelf.tools();
        tools.push(shelf.search_tool());
        tools.extend(memory::tools(session.remembering(), &self.now));
        if let Some(space) = &order.space {
            let (Space::Read(path) | Space::Write(path)) = space;
            let opened = Workspace::open(path)
                .map_err(|source| RunError::Workspace { path: path.clone(), source })?;
            let workspace = Arc::new(opened);
            let may_write = matches!(space, Space::Write(_));
            tools.extend(workspace.tools().into_iter().filter(|tool| may_write || !tool.changes()));
            if let Some(helper) = self.helper.clone().filter(|_| may_write) {
                let (shelf, unconfined) = (Some(Arc::clone(shelf)), self.unconfined);
                tools.push(Box::new(RunCommand::new(workspace, shelf, helper, unconfined)));
            }
        }
        if let Some(client) = &self.client {
            tools.push(Box::new(FetchUrl::new(Arc::clone(client), self.secrets.clone())));
        }
        let shared = self.tools.iter().map(|tool| Box::new(Arc::clone(tool)) as Box<dyn Tool>);
        tools.extend(shared);
        let patterns = brain.member(members::PATTERNS);
        if has_files(&patterns) {
            let search = PatternSearch::open(&patterns).map_err(|source| BrainError::Io {
                doing: "open",
                path: patterns,
                source,
            })?;
            tools.push(Box::new(search));
        }
        let others = Others {
            runner: self.clone(),
            names: settings.agents.clone(),
            subscriber: order.subscriber.clone(),
            chain: chain.clone(),
        };
        let depth = chain.agents.len() - 1;
        if depth < MAX_DEPTH && !others.names().is_empty() {
            tools.push(Box::new(AskAgent::new(Arc::new(others), depth)));
        }
        Ok(tools)
    }

    /// Commits, and says what came of it.
    fn conclude(
        &self,
        session: Session,
        order: &Order,
        finished: Finished,
        spent: Spent,
        mut notes: Vec<String>,
    ) -> Result<Report, RunError> {
        let ending = ending(&finished.end);
        let answer = match finished.answer() {
            Some(answer) => answer.into_owned(),
            None => finished.end.to_string(),
        };
        let ended = (self.now)();
        let mut learned = Learned::default();
        {
            let mut draft = session.remembering().draft();
            draft.say("user", &order.input, session.started());
            draft.say("assistant", &answer, ended);
            learned.quarantined = draft
                .quarantined()
                .iter()
                .map(|held| Objected {
                    key: held.note.key.clone(),
                    reason: format!("{} ({})", held.objection.message, held.objection.rule),
                })
                .collect();
            if ending == Ending::Answered {
                learned.notes = draft.notes().map(|(note, _)| note.key.clone()).collect();
            }
        }
        learn(&mut learned, &finished, ending);
        for proposal in &learned.proposals {
            session.remembering().draft().set_aside(held_back(proposal, ended));
        }
        let row = TaskRow {
            task: finished.id.clone(),
            subscriber: order.subscriber.clone(),
            started: session.started(),
            ended,
            ending,
            input: order.input.clone(),
            answer,
            model: self.model.name().to_owned(),
            turns: finished.cost.turns as u64,
            calls: finished.cost.calls as u64,
            tokens_in: finished.cost.usage.input,
            tokens_out: finished.cost.usage.output,
        };
        let (kept, receipt) = session.finish(&row)?;
        for (path, why) in kept {
            notes.push(format!("`{}` stays as the task left it: {why}", path.display()));
        }
        Ok(Report { finished, learned, spent, receipt, notes })
    }
}

/// All that a task starts from.
struct Ready {
    role: String,
    frozen: Frozen,
    index: String,
    skills: Vec<String>,
    tools: Tools,
    limits: Limits,
    notes: Vec<String>,
}

/// What the opening of the brain has to say.
fn said(brain: &Brain, session: &Session) -> Vec<String> {
    let mut notes = Vec::new();
    let settled = session.settled();
    if let Some(dead) = &settled.dead {
        notes.push(format!("the task {dead} died; what it had changed was taken back"));
    }
    notes.extend(settled.notes.iter().cloned());
    for (path, why) in &settled.kept {
        notes.push(format!("`{}` stays as a dead task left it: {why}", path.display()));
    }
    for path in session.strangers() {
        let name = path.strip_prefix(&brain.folder).unwrap_or(path).display();
        notes.push(format!("`{name}` is no part of the brain and is not used"));
    }
    notes
}

/// The level-0 index and the names in it. What the task is about decides when not everything fits.
fn index(catalogue: &Catalogue, state: &State, input: &str) -> (String, Vec<String>) {
    let skills = &catalogue.skills;
    // Habits decide what is shown first, so an index without them is still an index.
    let mut habits = standings(state, skills).unwrap_or_default();
    habits.resize(skills.len(), Standing::default());
    let mut relevance = vec![0.0; skills.len()];
    let write = |relevance: &[f64]| {
        let ranked: Vec<Ranked<'_>> = skills
            .iter()
            .zip(&habits)
            .zip(relevance)
            .map(|((skill, standing), relevance)| Ranked {
                skill,
                relevance: *relevance,
                standing: *standing,
            })
            .collect();
        level0(&ranked, DEFAULT_BUDGET, SEARCH)
    };
    let mut index = write(&relevance);
    if !index.left_out.is_empty() || !index.named.is_empty() {
        let opened = Index::open(state, &catalogue.roots, skills);
        let is_shown = |skill: usize| skills[skill].summary.model_invocable;
        let best = Ranking::new(&opened.index, input).best(ANSWERS, is_shown);
        for (place, skill) in best.iter().enumerate() {
            relevance[*skill] = 1.0 / (1.0 + f64::from(u32::try_from(place).unwrap_or(u32::MAX)));
        }
        index = write(&relevance);
    }
    let mut names = index.full;
    names.extend(index.named);
    (index.text, names)
}

/// The tools that hone has; which of them a task gets depends on what it was given.
pub const TOOLS: [&str; 14] = [
    "skills_list",
    "skills_search",
    "skill_view",
    "skill_manage",
    "note",
    "recall",
    "read_file",
    "list_files",
    "search_files",
    "write_file",
    "run_command",
    "fetch_url",
    "pattern_search",
    "ask_agent",
];

fn ending(end: &End) -> Ending {
    match end {
        End::Answered { .. } => Ending::Answered,
        End::NotConverged { .. } => Ending::NotConverged,
        End::Failed { .. } => Ending::Failed,
        End::Cancelled => Ending::Cancelled,
        End::Died => Ending::Died,
    }
}

/// What the steps say about skills.
fn learn(learned: &mut Learned, finished: &Finished, ending: Ending) {
    let mut skills: BTreeMap<&str, LearnedSkill> = BTreeMap::new();
    for effect in finished.calls().flat_map(|call| &call.effects) {
        match effect {
            Effect::SkillChanged { name, action, to_version, .. } => {
                let skill = skills.entry(name).or_insert_with(|| LearnedSkill {
                    name: name.clone(),
                    actions: Vec::new(),
                    version: None,
                });
                skill.actions.push(action.clone());
                skill.version.clone_from(to_version);
            }
            Effect::SkillPending(proposal) => learned.proposals.push(proposal.clone()),
            _ => {}
        }
    }
    if ending == Ending::Answered {
        learned.skills = skills.into_values().collect();
    }
}

/// A change of a skill that was not let through, beside the notes that were not.
fn held_back(proposal: &Proposal, at: i64) -> Quarantined {
    let note = Note {
        key: format!("skill {}", proposal.name),
        value: proposal.arguments.to_string(),
        shared: false,
    };
    let message = format!("{}: {}", proposal.verdict, proposal.findings.join("; "));
    Quarantined { note, at, objection: Objection { rule: proposal.action.clone(), message } }
}

/// An id that no other task has: the time, and what tells tasks of the same millisecond apart.
fn new_id(now: i64) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let clock = std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .map_or(0, |time| time.as_nanos());
    let seed = format!("{now} {} {count} {clock}", std::process::id());
    let time = jiff::Timestamp::from_millisecond(now).unwrap_or_default();
    let tail = hone_library::hash(seed.as_bytes());
    format!("{}-{}", time.strftime("%Y%m%dT%H%M%SZ"), &tail[..8])
}

/// Whether there is anything in a folder.
fn has_files(folder: &std::path::Path) -> bool {
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some())
}

/// The other agents of this machine, for `ask_agent`.
struct Others {
    runner: Runner,
    names: Vec<String>,
    subscriber: Subscriber,
    chain: Chain,
}

impl Colleagues for Others {
    fn names(&self) -> Vec<String> {
        let mut names = Brain::all(&self.runner.hone_home).unwrap_or_default();
        // Whoever waits for an answer cannot be asked for one.
        names.retain(|name| self.names.contains(name) && !self.chain.agents.contains(name));
        names
    }

    fn ask(&self, question: Question) -> Answering<'_> {
        let runner = Runner { cancelled: question.cancelled, ..self.runner.clone() };
        let order = Order {
            agent: question.agent,
            input: question.text,
            subscriber: self.subscriber.clone(),
            ..Order::default()
        };
        let chain = self.chain.clone();
        Box::pin(async move {
            let asked: Pin<Box<dyn Future<Output = Result<Report, RunError>> + Send + '_>> =
                Box::pin(runner.run_in(&order, &Silence, chain));
            match asked.await {
                Ok(Report { finished, .. }) => match finished.answer() {
                    Some(answer) => Ok(answer.into_owned()),
                    None => Err(finished.end.to_string()),
                },
                Err(error) => Err(error.to_string()),
            }
        })
    }
}
