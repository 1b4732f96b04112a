//! `skills_list`, `skill_view` and `skill_manage`: the skills of one agent, over one catalogue.
//!
//! The roots are the caller's. The agent writes into its own root only, through the library's store, and
//! what it writes is scanned first, whole, as it would be on disk: the policy for skills that agents
//! create decides, and what it does not allow becomes a [`Proposal`] for a person, with nothing written.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hone_guard::policy::{Action, Policy};
use hone_guard::{Files, Report};
use hone_library::{
    Author, Catalogue, Change, Error, Listed, Matching, Mode, Reason, Scope, Search, Skipped,
    State, Store, list_files, read_file, read_text, usage,
};
use hone_skill::{Origin, Permissions, Slug};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Class, Tool, ToolResult, Working, blocking, text_of};
use crate::step::{Effect, Proposal};

/// Most skills in one list.
pub const MAX_LISTED: usize = 200;

/// Most skills that are told not to be offered, in one list.
pub const MAX_SKIPPED: usize = 20;

/// Longest description in a list, in characters.
pub const MAX_DESCRIPTION_CHARS: usize = 300;

/// Longest text of a skill or a file that is written, in characters.
pub const MAX_CONTENT_CHARS: usize = 100_000;

/// Most bytes of all files of a skill that is scanned before it is written.
pub const MAX_SCANNED_BYTES: usize = 16 * 1024 * 1024;

/// Most findings that are told.
const MAX_FINDINGS: usize = 5;

/// Most skills that count as active.
const MAX_ACTIVE: usize = 32;

/// The time, in milliseconds since 1970.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// The skills of one agent.
pub struct Shelf {
    state: Mutex<State>,
    search: Search,
    own: PathBuf,
    actor: String,
    reason: String,
    policy: Policy,
    now: Clock,
    active: Mutex<Vec<Active>>,
    /// The catalogue, until the agent changes a skill.
    found: Mutex<Option<Arc<Catalogue>>>,
    /// The skills whose text the agent has read or written.
    known: Mutex<BTreeSet<PathBuf>>,
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
            search,
            own,
            actor,
            reason,
            policy,
            now,
            active: Mutex::default(),
            found: Mutex::default(),
            known: Mutex::default(),
        }
    }

    /// The three tools.
    pub fn tools(self: &Arc<Self>) -> Vec<Box<dyn Tool>> {
        let tool = |kind: Kind| SkillTool { shelf: Arc::clone(self), kind, schema: kind.schema() };
        [Kind::List, Kind::View, Kind::Manage]
            .map(|kind| Box::new(tool(kind)) as Box<dyn Tool>)
            .into()
    }

    /// The skills as they were when the task first asked, or last changed one. Links in the agent's own
    /// root are withheld: what lies outside a brain must not change it unseen.
    pub fn catalogue(&self) -> Arc<Catalogue> {
        Arc::clone(lock(&self.found).get_or_insert_with(|| Arc::new(self.look())))
    }

    fn look(&self) -> Catalogue {
        let mut catalogue = Catalogue::find(self.search.clone(), &self.state());
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

    /// The skills that were read in this task.
    pub fn active(&self) -> Vec<Active> {
        lock(&self.active).clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn list(&self, query: &str) -> ToolResult {
        let catalogue = self.catalogue();
        let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        let fits = |skill: &&Listed| {
            let text =
                format!("{} {}", skill.summary.name, skill.summary.description).to_lowercase();
            skill.summary.model_invocable && words.iter().all(|word| text.contains(word))
        };
        let found: Vec<&Listed> = catalogue.skills.iter().filter(fits).collect();
        let mut text = String::new();
        for skill in found.iter().take(MAX_LISTED) {
            let words = skill.summary.description.split_whitespace().collect::<Vec<_>>().join(" ");
            let description: String = words.chars().take(MAX_DESCRIPTION_CHARS).collect();
            let more = if description.len() < words.len() { "…" } else { "" };
            let _ = writeln!(text, "- {}: {description}{more}", skill.summary.name);
        }
        if found.is_empty() {
            text.push_str("No skills.\n");
        } else if found.len() > MAX_LISTED {
            let more = found.len() - MAX_LISTED;
            let _ = writeln!(text, "{more} more are not shown; give a `query`.");
        }
        if words.is_empty() && !catalogue.skipped.is_empty() {
            let _ = writeln!(text, "\nNot offered:");
            for skipped in catalogue.skipped.iter().take(MAX_SKIPPED) {
                let _ = writeln!(text, "- {}: {}", shown_name(skipped, &self.own), skipped.message);
            }
            if catalogue.skipped.len() > MAX_SKIPPED {
                let _ = writeln!(text, "- and {} more", catalogue.skipped.len() - MAX_SKIPPED);
            }
        }
        ToolResult::ok(text, format!("{} skills", found.len()))
    }

    fn view(&self, name: &str, file: Option<&str>) -> ToolResult {
        let catalogue = self.catalogue();
        let skill = match catalogue.resolve(name, &self.own) {
            Ok(skill) => skill,
            Err(error) => return ToolResult::failed(told(&error)),
        };
        let name = &skill.summary.name;
        if !skill.summary.model_invocable {
            return ToolResult::refused(format!("`{name}` is for people to call, not for agents."));
        }
        let bytes = match file {
            Some(file) => read_file(skill, file),
            None => read_text(skill),
        };
        let text = match bytes.map(String::from_utf8) {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => return ToolResult::failed("It is not text, so it cannot be shown."),
            Err(error) => return ToolResult::failed(told(&error)),
        };
        if let Some(file) = file {
            return ToolResult::ok(text, format!("{name}/{file}"));
        }
        let state = self.state();
        for event in [usage::Event::View, usage::Event::Use] {
            usage::count(&state, skill, event, (self.now)());
        }
        drop(state);
        self.activate(skill);
        lock(&self.known).insert(real(skill.key()));
        let files = list_files(skill).unwrap_or_default();
        let files = if files.is_empty() {
            String::new()
        } else {
            format!("\n[its files, for `file`: {}]\n", files.join(", "))
        };
        let version = skill.summary.version.clone();
        ToolResult::ok(text + &files, format!("read {name}"))
            .with(Effect::SkillRead { name: name.clone(), version })
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
        });
    }

    fn manage(&self, arguments: &Value) -> ToolResult {
        let change = match Wanted::of(arguments) {
            Ok(change) => change,
            Err(why) => return ToolResult::refused(why),
        };
        let catalogue = self.catalogue();
        let skill = match change.what {
            What::Create { .. } => None,
            _ => match catalogue.resolve(change.name, &self.own) {
                Ok(skill) if skill.root == self.own => Some(skill),
                Ok(skill) => {
                    return ToolResult::refused(format!(
                        "`{}` is not this agent's own: it belongs to the {}. Create one of your own.",
                        skill.summary.name,
                        skill.scope.id()
                    ));
                }
                Err(error) => return ToolResult::failed(told(&error)),
            },
        };
        if let (What::Edit { .. } | What::Delete, Some(skill)) = (&change.what, skill)
            && !lock(&self.known).contains(&real(skill.key()))
        {
            return ToolResult::refused(format!(
                "Read `{}` with `skill_view` first: `{}` takes away all that it says.",
                skill.summary.name, change.action
            ));
        }
        let state = self.state();
        let carry_out = |mode| {
            let author = Author {
                actor: self.actor.clone(),
                reason: self.reason.clone(),
                now: (self.now)(),
            };
            let store = Store::new(&state, author, mode);
            change.carry_out(&store, &self.own, skill, &catalogue.skills)
        };
        let planned = match carry_out(Mode::DryRun) {
            Ok(planned) => planned,
            Err(error) => return ToolResult::failed(told(&error)),
        };
        if !matches!(change.what, What::Delete | What::RemoveFile { .. })
            && let Err(refused) = self.admit(&planned, skill, arguments)
        {
            return refused;
        }
        match carry_out(Mode::Write) {
            Ok(done) => {
                lock(&self.found).take();
                if !matches!(change.what, What::WriteFile { .. } | What::RemoveFile { .. }) {
                    lock(&self.known).insert(real(&done.path));
                }
                changed(change.action, &done)
            }
            Err(error) => ToolResult::failed(told(&error)),
        }
    }

    /// Scans a skill as it would be after a change, and asks the policy.
    fn admit(
        &self,
        planned: &Change,
        skill: Option<&Listed>,
        arguments: &Value,
    ) -> Result<(), ToolResult> {
        let report = scan(planned, skill).map_err(ToolResult::failed)?;
        let ruling = self.policy.decide(Origin::AgentCreated, report.verdict);
        if ruling.action == Action::Allow {
            return Ok(());
        }
        let shown = report.findings.iter().take(MAX_FINDINGS);
        let findings: Vec<String> = shown
            .map(|finding| {
                format!(
                    "{} in {}:{}: {}",
                    finding.rule, finding.file, finding.line, finding.message
                )
            })
            .collect();
        let why = format!(
            "Nothing was written: the scan says {}.\n- {}\nIt waits for a person. Go on without it, or write \
             it without what was found.",
            report.verdict.word(),
            findings.join("\n- ")
        );
        let proposal = Proposal {
            name: planned.name.clone(),
            arguments: arguments.clone(),
            verdict: report.verdict.word().to_owned(),
            action: ruling.action.id().to_owned(),
            findings,
            digest: report.digest,
        };
        Err(ToolResult::refused(why).with(Effect::SkillPending(proposal)))
    }
}

/// What a lock guards, also when somebody broke down with it: each of these is whole at any time.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A path with its links resolved.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
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
    match &skipped.skill {
        Some(skill) => skill.summary.name.clone(),
        None => skipped.path.strip_prefix(own).unwrap_or(&skipped.path).display().to_string(),
    }
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
    match hint {
        Some(hint) if hint.ends_with('?') => format!("{error}; {hint}"),
        Some(hint) => format!("{error}. {hint}."),
        None => format!("{error}."),
    }
}

/// The report on a skill as it would be after a change.
fn scan(planned: &Change, skill: Option<&Listed>) -> Result<Report, String> {
    let could_not = |error: &dyn std::fmt::Display| format!("It could not be scanned: {error}.");
    if let ([delta], true) = (planned.files.as_slice(), skill.is_none_or(|skill| skill.is_flat)) {
        return Ok(Files::of_text("SKILL.md", delta.after.clone().unwrap_or_default()).scan());
    }
    let stage = tempfile::tempdir().map_err(|error| could_not(&error))?;
    // The name is whatever somebody wrote into a file; its slug is a name for a folder.
    let slug = Slug::new(&planned.name).map_err(|error| could_not(&error))?;
    let folder = stage.path().join(slug.as_str());
    let mut total = 0;
    let mut put = |file: &str, bytes: &[u8]| -> Result<(), String> {
        total += bytes.len();
        if total > MAX_SCANNED_BYTES {
            return Err(format!(
                "It has more than {MAX_SCANNED_BYTES} bytes, too many to be scanned and so to be written."
            ));
        }
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(&folder))
            .map_err(|error| could_not(&error))?;
        std::fs::write(path, bytes).map_err(|error| could_not(&error))
    };
    if let Some(skill) = skill {
        let main = skill.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let files = list_files(skill).map_err(|error| could_not(&error))?;
        for file in files.into_iter().chain([main]) {
            if planned.files.iter().all(|delta| delta.file != file) {
                put(&file, &read_file(skill, &file).map_err(|error| could_not(&error))?)?;
            }
        }
    }
    for delta in &planned.files {
        if let Some(after) = &delta.after {
            put(&delta.file, after)?;
        }
    }
    hone_guard::scan(&folder).map_err(|error| could_not(&error))
}

fn changed(action: &str, done: &Change) -> ToolResult {
    let name = &done.name;
    let version = done.to_version.as_deref().map(|version| format!(", version {version}"));
    let version = version.unwrap_or_default();
    let said = match action {
        "create" => format!("created {name}{version}"),
        "delete" => format!("deleted {name}; its history is kept"),
        _ => format!("changed {name}{version}"),
    };
    let mut text = format!("Done: {said}. The next task will see it so.\n");
    for warning in &done.warnings {
        let _ = writeln!(text, "- could be better: {}", warning.message);
    }
    ToolResult::ok(text, said).with(Effect::SkillChanged {
        name: name.clone(),
        action: action.replace('_', "-"),
        from_version: done.from_version.clone(),
        to_version: done.to_version.clone(),
    })
}

/// A change that a call asks for.
struct Wanted<'a> {
    action: &'a str,
    name: &'a str,
    what: What<'a>,
}

enum What<'a> {
    Create { content: &'a str },
    Edit { content: &'a str },
    Patch { file: Option<&'a str>, old: &'a str, new: &'a str },
    Delete,
    WriteFile { file: &'a str, content: &'a str },
    RemoveFile { file: &'a str },
}

impl<'a> Wanted<'a> {
    fn of(arguments: &'a Value) -> Result<Self, String> {
        let action = text_of(arguments, "action").unwrap_or_default();
        let needed = |name: &str| {
            text_of(arguments, name)
                .ok_or_else(|| format!("`{name}` is missing: `{action}` needs it."))
        };
        let what = match action {
            "create" => What::Create { content: needed("content")? },
            "edit" => What::Edit { content: needed("content")? },
            "patch" => What::Patch {
                file: text_of(arguments, "file"),
                old: needed("old")?,
                new: needed("new")?,
            },
            "delete" => What::Delete,
            "write_file" => What::WriteFile { file: needed("file")?, content: needed("content")? },
            "remove_file" => What::RemoveFile { file: needed("file")? },
            other => return Err(format!("`action` cannot be `{}`.", other.escape_debug())),
        };
        Ok(Self { action, name: text_of(arguments, "name").unwrap_or_default(), what })
    }

    fn carry_out(
        &self,
        store: &Store<'_>,
        own: &Path,
        skill: Option<&Listed>,
        all: &[Listed],
    ) -> Result<Change, Error> {
        let Some(skill) = skill else {
            let What::Create { content } = self.what else {
                return Err(Error::Refused("there is no skill to change".to_owned()));
            };
            return store.create(own, None, self.name, content, all);
        };
        match self.what {
            What::Create { content } => store.create(own, None, self.name, content, all),
            // An agent's edit is a new version of the whole text; a body alone keeps the frontmatter.
            What::Edit { content } => {
                let text = with_frontmatter(skill, content)?;
                store.upsert(own, skill.summary.title(), &text, all)
            }
            What::Patch { file, old, new } => store.patch(skill, file, old, new, Matching::Fuzzy),
            What::Delete => store.delete(skill),
            What::WriteFile { file, content } => {
                store.write_file(skill, file, content.as_bytes(), false)
            }
            What::RemoveFile { file } => store.remove_file(skill, file),
        }
    }
}

/// A new text for a skill, below its old frontmatter when it brings none.
fn with_frontmatter<'t>(skill: &Listed, content: &'t str) -> Result<Cow<'t, str>, Error> {
    let old = read_text(skill)?;
    let body = hone_skill::read(&old, None).skill.map(|skill| skill.body);
    let front = body.and_then(|body| std::str::from_utf8(old.get(..body.start)?).ok());
    Ok(match front {
        Some(front) if !content.trim_start().starts_with("---") => {
            Cow::Owned(format!("{front}{content}"))
        }
        _ => Cow::Borrowed(content),
    })
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    List,
    View,
    Manage,
}

impl Kind {
    fn schema(self) -> Value {
        let text = json!({"type": "string", "minLength": 1, "maxLength": 512});
        match self {
            Self::List => json!({
                "type": "object",
                "properties": {"query": {"type": "string", "maxLength": 512}},
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
            Kind::View => "skill_view",
            Kind::Manage => "skill_manage",
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            Kind::List => "Lists the skills with their descriptions; `query` narrows it to words.",
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
        let (shelf, kind, arguments) = (Arc::clone(&self.shelf), self.kind, arguments.clone());
        Box::pin(blocking(move || match kind {
            Kind::List => shelf.list(text_of(&arguments, "query").unwrap_or_default()),
            Kind::View => shelf
                .view(text_of(&arguments, "name").unwrap_or_default(), text_of(&arguments, "file")),
            Kind::Manage => shelf.manage(&arguments),
        }))
    }
}
