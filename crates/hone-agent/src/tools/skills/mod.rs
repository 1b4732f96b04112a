//! `skills_list`, `skills_search`, `skill_view` and `skill_manage`: the skills of one agent, over one
//! catalogue.
//!
//! The roots are the caller's. All of them are read; the agent writes into its own root only, and what it
//! writes passes the guard first. A skill that was read counts as in use for the rest of the task.

mod admits;
mod manage;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use hone_guard::policy::Policy;
use hone_library::{
    Author, Catalogue, Error, Listed, Reason, Scope, Search, Skipped, State, Tally, Watch, Whole,
    read_file, read_whole, usage,
};
use hone_router::{Answers, Index, Ranking, Secret, in_a_line};
use hone_skill::{Permissions, printable_line};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

pub use admits::{Admits, Gated, Task, Written};
pub use manage::{MAX_CONTENT_CHARS, MAX_SCANNED_BYTES, scan_planned, worst_findings};

use super::{Class, Tool, ToolResult, Working, blocking, counted, text_of};
use crate::step::Effect;

/// Most skills in one answer of a list.
pub const MAX_LISTED: usize = 100;

/// Most skills that a search finds.
pub const MAX_FOUND: usize = 10;

/// Most skills that are told not to be offered, in one list.
pub const MAX_SKIPPED: usize = 20;

/// Longest description in a list, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 300;

/// How often a view tries to get at the catalogue before it is left to a thread that may wait.
const PATIENCE: usize = 200;

/// Most skills that count as active.
const MAX_ACTIVE: usize = 32;

/// The time, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The skills of one agent.
pub struct Shelf {
    state: Mutex<State>,
    search: Box<dyn Fn() -> Search + Send + Sync>,
    own: PathBuf,
    actor: String,
    reason: String,
    policy: Policy,
    now: Clock,
    active: Mutex<Vec<Active>>,
    found: Mutex<Found>,
    changes: watch::Sender<u64>,
    /// How often the skills were looked through.
    looks: watch::Sender<u64>,
    /// Where uses are counted, when they are counted later.
    tally: Option<Tally>,
    /// The skills whose text the agent has read or written.
    known: Mutex<BTreeSet<PathBuf>>,
    gated: Option<Gated>,
    /// What skills need, each for its own commands alone.
    answers: Answers,
}

/// The catalogue that was found last.
#[derive(Default)]
struct Found {
    catalogue: Option<Arc<Catalogue>>,
    /// The agent has not changed a skill since.
    is_current: bool,
    /// Tells what else changed; none when a catalogue is good for the whole task.
    watch: Option<Watch>,
}

/// A file that a live shelf attends to.
#[derive(Debug)]
pub struct Attended {
    shelf: Weak<Shelf>,
    path: PathBuf,
}

impl Drop for Attended {
    fn drop(&mut self) {
        let Some(shelf) = self.shelf.upgrade() else { return };
        if let Some(watch) = &mut lock(&shelf.found).watch {
            watch.unname(&self.path);
        }
    }
}

/// A skill that was read in this task, so that what follows is done in its name.
#[derive(Debug, Clone)]
pub struct Active {
    /// Its name.
    pub name: String,
    /// Its folder; none for a single file, whose folder is not its own.
    pub folder: Option<PathBuf>,
    /// What it declares; nothing when it declares nothing.
    pub permissions: Option<Permissions>,
    /// What its own commands find in their environment.
    pub environment: Vec<(String, Secret)>,
}

impl std::fmt::Debug for Shelf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shelf").field("own", &self.own).finish_non_exhaustive()
    }
}

impl Shelf {
    /// The skills that `search` finds. The agent writes into `own`, one of its roots, in the name of
    /// `author`, whose time is taken from `now` instead.
    pub fn new(
        state: State,
        search: Search,
        own: PathBuf,
        author: Author,
        policy: Policy,
        now: Clock,
    ) -> Self {
        let Author { actor, reason, .. } = author;
        Self {
            state: Mutex::new(state),
            search: Box::new(move || search.clone()),
            own,
            actor,
            reason,
            policy,
            now,
            active: Mutex::default(),
            found: Mutex::default(),
            changes: watch::Sender::default(),
            looks: watch::Sender::default(),
            tally: None,
            known: Mutex::default(),
            gated: None,
            answers: Answers::default(),
        }
    }

    /// The same, where what the agent writes has to pass a gate.
    #[must_use]
    pub fn gated(self, gated: Gated) -> Self {
        Self { gated: Some(gated), ..self }
    }

    /// The same with answers of a person: the commands of each skill get those that were given to it.
    #[must_use]
    pub fn answered(self, answers: Answers) -> Self {
        Self { answers, ..self }
    }

    /// The answers of a person.
    pub(crate) fn answers(&self) -> &Answers {
        &self.answers
    }

    /// The same for whoever outlives a task: every question is answered from the skills as they are then,
    /// wherever `search` finds them then.
    #[must_use]
    pub fn live(mut self, search: impl Fn() -> Search + Send + Sync + 'static) -> Self {
        self.search = Box::new(search);
        let state = State::open(self.state().home());
        self.tally = Some(Tally::new(state));
        lock(&self.found).watch = Some(Watch::new());
        self
    }

    /// Whether it outlives tasks, so that no task has the brain that it writes into.
    fn is_live(&self) -> bool {
        self.tally.is_some()
    }

    /// The three tools that every agent has.
    pub fn tools(self: &Arc<Self>) -> Vec<Box<dyn Tool>> {
        [Kind::List, Kind::View, Kind::Manage].map(|kind| self.tool(kind)).into()
    }

    /// The tool that finds skills by what a message is about, for whoever has no router of their own.
    pub fn search_tool(self: &Arc<Self>) -> Box<dyn Tool> {
        self.tool(Kind::Search)
    }

    fn tool(self: &Arc<Self>, kind: Kind) -> Box<dyn Tool> {
        Box::new(SkillTool { shelf: Arc::clone(self), kind, schema: kind.schema() })
    }

    /// The skills as they were when the task first asked, or last changed one; as they are now when the
    /// shelf is live. Links in the agent's own root are withheld: what lies outside a brain must not
    /// change it unseen.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        let mut found = lock(&self.found);
        let state = self.state();
        self.take_notes(&mut found, &state);
        if let Some(catalogue) = found.catalogue.as_ref().filter(|_| found.is_current) {
            return Arc::clone(catalogue);
        }
        let before = found.catalogue.clone();
        let catalogue = match &mut found.watch {
            Some(watch) => watch.find(&*self.search, &state, before.as_deref()),
            None => Catalogue::find((self.search)(), &state),
        };
        let catalogue = Arc::new(without_links(catalogue));
        found.catalogue = Some(Arc::clone(&catalogue));
        found.is_current = true;
        self.looks.send_modify(|count| *count += 1);
        if before.is_some_and(|before| before.skills != catalogue.skills) {
            self.changes.send_modify(|count| *count += 1);
        }
        catalogue
    }

    /// The skills of a live shelf, when they are known to be as they were and nobody has to wait for that;
    /// none when they have to be looked for.
    pub fn ready(&self) -> Option<Arc<Catalogue>> {
        // Another view has it for a moment; who looks for skills has it for long.
        let tried = || {
            self.found.try_lock().ok().or_else(|| {
                std::hint::spin_loop();
                None
            })
        };
        let mut found = (0..PATIENCE).find_map(|_| tried())?;
        let state = self.state.try_lock().ok()?;
        self.take_notes(&mut found, &state);
        found.watch.as_ref()?;
        found.catalogue.clone().filter(|_| found.is_current)
    }

    /// Takes what a watch noted since the last question.
    fn take_notes(&self, found: &mut Found, state: &State) {
        let Some(watch) = &mut found.watch else { return };
        let is_stale = watch.is_stale(state);
        if watch.take_news() {
            self.looks.send_modify(|count| *count += 1);
        }
        found.is_current &= !is_stale;
    }

    /// Watches a file of a skill too, for as long as what is given back is kept: when it changes,
    /// [`Self::looks`] counts one more.
    pub fn attend_to(self: &Arc<Self>, path: PathBuf) -> Attended {
        if let Some(watch) = &mut lock(&self.found).watch {
            watch.name(&path);
        }
        Attended { shelf: Arc::downgrade(self), path }
    }

    /// Looks again the next time, at what was changed through us: a watch has noted it.
    pub fn changed(&self) {
        lock(&self.found).is_current = false;
    }

    /// Looks again at everything the next time.
    pub fn refresh(&self) {
        let mut found = lock(&self.found);
        found.is_current = false;
        if let Some(watch) = &mut found.watch {
            watch.doubt();
        }
    }

    /// Counts how often the skills of a live shelf turned out to be others than before.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Counts how often a file of a skill may have changed: the skills were looked through, or one that is
    /// attended to was noted.
    pub fn looks(&self) -> watch::Receiver<u64> {
        self.looks.subscribe()
    }

    /// Counts an event; a live shelf does so a little later.
    pub fn count(&self, skill: &Listed, event: usage::Event) {
        match &self.tally {
            Some(tally) => tally.count(skill, event, (self.now)()),
            None => {
                usage::count(&self.state(), skill, event, (self.now)());
            }
        }
    }

    /// Writes down what was counted so far.
    pub fn settle_counts(&self) {
        if let Some(tally) = &self.tally {
            tally.flush();
        }
    }

    /// A handle that can be read from once something changed; none when nothing can be watched, so that
    /// only a question finds out.
    pub fn handle(&self) -> Option<OwnedFd> {
        lock(&self.found).watch.as_ref()?.handle()
    }

    /// The skills that were read in this task.
    pub fn active(&self) -> Vec<Active> {
        lock(&self.active).clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn list(&self, query: &str, cursor: Option<&str>) -> ToolResult {
        let catalogue = self.catalogue();
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let fits = |skill: &&Listed| {
            let text =
                format!("{} {}", skill.summary.name, skill.summary.description).to_lowercase();
            skill.summary.model_invocable && words.iter().all(|word| text.contains(word))
        };
        let found: Vec<&Listed> = catalogue.skills.iter().filter(fits).collect();
        let is_place = |from: &usize| (1..found.len()).contains(from);
        let from = match cursor {
            None => 0,
            Some(cursor) => match cursor.parse().ok().filter(is_place) {
                Some(from) => from,
                None => return ToolResult::failed("There is nothing at this cursor."),
            },
        };
        let to = from.saturating_add(MAX_LISTED).min(found.len());
        let mut text: String = found[from..to].iter().map(|skill| line(skill)).collect();
        if found.is_empty() {
            text.push_str("No skills.\n");
        } else if to < found.len() {
            let more = found.len() - to;
            let _ = writeln!(
                text,
                "{more} more: call again with `cursor` \"{to}\", or give a `query`."
            );
        }
        if words.is_empty() && to == found.len() && !catalogue.skipped.is_empty() {
            let _ = writeln!(text, "\nNot offered:");
            for skipped in catalogue.skipped.iter().take(MAX_SKIPPED) {
                let (name, why) = (shown_name(skipped, &self.own), shown(&skipped.message));
                let _ = writeln!(text, "- {name}: {why}");
            }
            if catalogue.skipped.len() > MAX_SKIPPED {
                let _ = writeln!(text, "- and {} more", catalogue.skipped.len() - MAX_SKIPPED);
            }
        }
        ToolResult::ok(text, counted(found.len(), "skill"))
    }

    /// The skills that a message is most about, the best first.
    fn search(&self, query: &str) -> ToolResult {
        let catalogue = self.catalogue();
        let state = self.state();
        let opened = Index::open(&state, &catalogue.roots, &catalogue.skills);
        let is_shown = |skill: usize| catalogue.skills[skill].summary.model_invocable;
        let best = Ranking::new(&opened.index, query).best(MAX_FOUND, is_shown);
        if best.is_empty() {
            return ToolResult::ok("No skill has anything to do with that.\n", "0 skills");
        }
        let text: String = best.iter().map(|skill| line(&catalogue.skills[*skill])).collect();
        ToolResult::ok(text, counted(best.len(), "skill"))
    }

    fn view(&self, catalogue: &Catalogue, name: &str, file: Option<&str>) -> ToolResult {
        let skill = match catalogue.resolve(name, &self.own) {
            Ok(skill) => skill,
            Err(error) => return ToolResult::failed(told(&error)),
        };
        let name = &skill.summary.name;
        if !skill.summary.model_invocable {
            let name = shown(name);
            return ToolResult::refused(format!("`{name}` is for people to call, not for agents."));
        }
        let read = match file {
            Some(file) => read_file(skill, file).map(|text| Whole { text, files: Ok(Vec::new()) }),
            None => read_whole(skill),
        };
        let read = read.map(|Whole { text, files }| (String::from_utf8(text), files));
        let (text, files) = match read {
            Ok((Ok(text), files)) => (text, files),
            Ok((Err(_), _)) => return ToolResult::failed("It is not text, so it cannot be shown."),
            Err(error) => return ToolResult::failed(told(&error)),
        };
        if let Some(file) = file {
            return ToolResult::ok(text, format!("{name}/{file}"));
        }
        for event in [usage::Event::View, usage::Event::Use] {
            self.count(skill, event);
        }
        self.activate(skill);
        lock(&self.known).insert(skill.key().to_owned());
        let files = files.unwrap_or_default();
        let files = if files.is_empty() {
            String::new()
        } else {
            // What a model sends back must be the name: nothing but what ends a line or hides is escaped.
            let names: Vec<Cow<'_, str>> = files.iter().map(|file| printable_line(file)).collect();
            format!("\n[its files, for `file`: {}]\n", names.join(", "))
        };
        let version = skill.summary.version.clone();
        let sha256 = Some(hone_library::hash(text.as_bytes()));
        ToolResult::ok(text + &files, format!("read {name}")).with(Effect::SkillRead {
            name: name.clone(),
            version,
            sha256,
        })
    }

    /// What follows is done in the name of a skill too.
    pub(crate) fn activate(&self, skill: &Listed) {
        let mut active = lock(&self.active);
        active.retain(|other| other.name != skill.summary.name);
        if active.len() >= MAX_ACTIVE {
            active.remove(0);
        }
        let declared = &skill.summary.allowed_tools;
        active.push(Active {
            name: skill.summary.name.clone(),
            folder: (!skill.is_flat && skill.scope != Scope::Builtin)
                .then(|| skill.folder().to_owned()),
            permissions: (!declared.is_empty()).then(|| Permissions::new(declared)),
            environment: self
                .answers
                .of(&skill.path)
                .map(|(name, value)| (name.to_owned(), value.clone()))
                .collect(),
        });
    }
}

/// A skill in a line: its name and what it is for.
fn line(skill: &Listed) -> String {
    format!("- {}: {}\n", shown(&skill.summary.name), shown(&skill.summary.description))
}

/// A text of a skill in a line for a model.
fn shown(text: &str) -> String {
    in_a_line(text, MAX_DESCRIPTION_CHARS)
}

/// What a lock guards, also when somebody broke down with it: each of these is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path with its links resolved.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// Withholds all links in agents' own roots.
fn without_links(mut catalogue: Catalogue) -> Catalogue {
    let (linked, kept) = catalogue
        .skills
        .drain(..)
        .partition(|skill| skill.scope == Scope::Agent && is_linked(skill));
    catalogue.skills = kept;
    for link in Vec::into_iter(linked) {
        withhold(&mut catalogue, link);
    }
    catalogue.skills.sort_by(|a, b| a.summary.name.cmp(&b.summary.name));
    catalogue.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    catalogue
}

/// Withholds a link; a skill that it went before takes its place.
fn withhold(catalogue: &mut Catalogue, link: Listed) {
    let shadowed = catalogue.skipped.iter().position(|skipped| {
        skipped.reason == Reason::Shadowed
            && skipped.skill.as_ref().is_some_and(|skill| {
                skill.summary.name == link.summary.name
                    && !(skill.scope == Scope::Agent && is_linked(skill))
            })
    });
    let next = shadowed.and_then(|at| catalogue.skipped.remove(at).skill);
    catalogue.skills.extend(next.map(|skill| *skill));
    catalogue.skipped.push(Skipped {
        path: link.path.clone(),
        reason: Reason::Client,
        message: "it is a link, and an agent's own skills are files of its own".to_owned(),
        notes: Vec::new(),
        skill: Some(Box::new(link)),
    });
}

/// Whether a symbolic link lies between a skill's root and its file.
fn is_linked(skill: &Listed) -> bool {
    let links = skill.path.ancestors().take_while(|path| *path != skill.root);
    links.into_iter().any(Path::is_symlink)
}

fn shown_name(skipped: &Skipped, own: &Path) -> String {
    let path = skipped.path.strip_prefix(own).unwrap_or(&skipped.path);
    let name = skipped.skill.as_ref().map(|skill| skill.summary.name.as_str());
    shown(name.unwrap_or(&path.to_string_lossy()))
}

/// An error in words for a model: hints about commands that only a person has are left out.
fn told(error: &Error) -> String {
    let hint = match error {
        Error::Exists { .. } => Some("Change it with the action `edit` or `patch`".to_owned()),
        Error::NotFound { .. } => match error.hint() {
            Some(hint) if !hint.starts_with("`hone ") => Some(hint),
            _ => Some("`skills_list` shows what is there".to_owned()),
        },
        _ => error.hint().filter(|hint| !hint.contains("`hone ") && !hint.contains("`--")),
    };
    // It may name skills and files.
    let told = match hint {
        Some(hint) if hint.ends_with('?') => format!("{error}; {hint}"),
        Some(hint) => format!("{error}. {hint}."),
        None => format!("{error}."),
    };
    printable_line(&told).into_owned()
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    List,
    Search,
    View,
    Manage,
}

impl Kind {
    fn schema(self) -> Value {
        let text = json!({"type": "string", "minLength": 1, "maxLength": 512});
        match self {
            Self::List => json!({
                "type": "object",
                "properties": {
                    "query": {"type": "string", "maxLength": 512},
                    "cursor": {"type": "string", "maxLength": 20},
                },
                "additionalProperties": false,
            }),
            Self::Search => json!({
                "type": "object",
                "properties": {"query": {"type": "string", "minLength": 1, "maxLength": 2_000}},
                "required": ["query"],
                "additionalProperties": false,
            }),
            Self::View => json!({
                "type": "object",
                "properties": {"name": text, "file": text},
                "required": ["name"],
                "additionalProperties": false,
            }),
            Self::Manage => {
                let long = json!({"type": "string", "maxLength": MAX_CONTENT_CHARS});
                let actions = ["create", "edit", "patch", "delete", "write_file", "remove_file"];
                json!({
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": actions},
                        "name": text,
                        "content": long,
                        "old": long,
                        "new": long,
                        "file": text,
                    },
                    "required": ["action", "name"],
                    "additionalProperties": false,
                })
            }
        }
    }
}

struct SkillTool {
    shelf: Arc<Shelf>,
    kind: Kind,
    schema: Value,
}

impl Tool for SkillTool {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::List => "skills_list",
            Kind::Search => "skills_search",
            Kind::View => "skill_view",
            Kind::Manage => "skill_manage",
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            Kind::List => {
                "Lists the skills with their descriptions; `query` narrows it to words, `cursor` goes on \
                 where an answer ended."
            }
            Kind::Search => {
                "Finds the skills that a question or a piece of work is about, best first."
            }
            Kind::View => "Gives the text of a skill, or one of its files with `file`.",
            Kind::Manage => {
                "Writes a skill for later tasks: `create` and `edit` take the whole Markdown in `content`, \
                 with a `description` that says what it is for and when; `patch` replaces the one place \
                 that reads `old` by `new`; `write_file` and `remove_file` are for its files below \
                 references/, templates/, scripts/ or assets/; `delete` takes it away. Prefer to edit what \
                 is there over making another like it."
            }
        }
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Introspection
    }

    fn changes(&self) -> bool {
        matches!(self.kind, Kind::Manage)
    }

    fn call<'a>(&'a self, arguments: &'a Value, _: &'a CancellationToken) -> Working<'a> {
        let shelf = &self.shelf;
        // A file of a folder that is watched lies on a disk of this machine: reading it takes less time than
        // leaving it to another thread.
        if let (Kind::View, Some(catalogue)) = (self.kind, shelf.ready()) {
            let name = text_of(arguments, "name").unwrap_or_default();
            let result = shelf.view(&catalogue, name, text_of(arguments, "file"));
            return Box::pin(std::future::ready(result));
        }
        let (shelf, kind, arguments) = (Arc::clone(shelf), self.kind, arguments.clone());
        Box::pin(blocking(move || match kind {
            Kind::List => shelf.list(
                text_of(&arguments, "query").unwrap_or_default(),
                text_of(&arguments, "cursor"),
            ),
            Kind::Search => shelf.search(text_of(&arguments, "query").unwrap_or_default()),
            Kind::View => shelf.view(
                &shelf.catalogue(),
                text_of(&arguments, "name").unwrap_or_default(),
                text_of(&arguments, "file"),
            ),
            Kind::Manage => shelf.manage(&arguments),
        }))
    }
}
