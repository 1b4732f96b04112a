//! Skills that come from elsewhere: arguments and terminal around `hone-hub`.

mod add;
mod approve;
mod audit;
mod lock;
mod person;
mod search;
mod share;
mod shown;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_agent::brain::{Brain, Editing};
use hone_guard::policy::Policy;
use hone_hub::{Ask, Error, FetchError, Fetcher, Hub, Lock, Prompts, Target, edited_hint};
use hone_library::{Author, Catalogue, Change, Project};
use hone_net::Reach;

use self::person::Person;
pub(super) use self::person::line;
use super::needs::can_ask;
use super::policy::configured;
use crate::cli::{AuditCommand, HubCommand, Network, Whose};
use crate::context::{Context, actor, now};
use crate::output::{Failure, NO, Outcome, quoted, say};
use crate::terminal::Live;

pub(crate) use search::{Asked, search};

/// Runs a command of the hub.
pub(crate) fn run(context: &Context, command: HubCommand) -> Outcome {
    match command {
        HubCommand::Add(add) => add::add(context, &add),
        HubCommand::Remove { name, whose, discard_edits, json } => {
            lock::remove(context, &name, whose, edits(discard_edits), json)
        }
        HubCommand::Update(update) => add::update(context, &update),
        HubCommand::Outdated { name, whose, network, json } => {
            let desk = Desk::open(context, whose, network)?;
            let found = desk.act(false, |hub, _| hub.outdated(&desk.target, &name))?;
            lock::outdated(&found, json)
        }
        HubCommand::Install(install) => lock::install(context, &install),
        HubCommand::Verify { name, whose, json } => lock::verify(context, &name, whose, json),
        HubCommand::Audit { command: None, limit, json } => audit::log(context, limit, json),
        HubCommand::Audit { command: Some(AuditCommand::Verify), json, .. } => {
            audit::chain(context, json)
        }
        HubCommand::Approve { id: None, json, .. } => approve::list(context, json),
        HubCommand::Approve { id: Some(id), show: true, json, .. } => {
            approve::show(context, &id, json)
        }
        HubCommand::Approve { id: Some(id), reject: true, json, .. } => {
            approve::reject(context, &id, json)
        }
        HubCommand::Approve { id: Some(id), json, .. } => approve::approve(context, &id, json),
        HubCommand::Share { agents: true, json, .. } => share::agents(json),
        HubCommand::Share { name, agent, undo, copy, whose, json, .. } => {
            share::share(context, &name, agent.as_deref(), share::How { undo, copy, whose, json })
        }
    }
}

fn edits(discard: bool) -> hone_hub::Edits {
    if discard { hone_hub::Edits::Discard } else { hone_hub::Edits::Keep }
}

/// A skill that a lock file names is taken away through the hub, which takes its entry and its links too.
pub(crate) fn refuse_locked(context: &Context, skill: &Path) -> Result<(), Failure> {
    let project = Whose { project: true, ..Whose::default() };
    let user = Whose { user: true, ..Whose::default() };
    let usual = target(context, Whose::default())?.lock;
    for (whose, flag) in [(project, " --project"), (user, " --user")] {
        let Ok(target) = target(context, whose) else { continue };
        let Some(entry) = target.locked(skill).map_err(hub_failure)? else { continue };
        let flag = if target.lock == usual { "" } else { flag };
        let name = quoted(&entry.name);
        return Err(Failure::no(
            format!("`{}` was installed from {}", entry.name, entry.source),
            &format!(
                "`hone remove {name}{flag}` takes it away, with its entry in `{}`",
                context.shown(&target.lock)
            ),
        ));
    }
    Ok(())
}

/// Says what a change meant for other agents' folders.
pub(crate) fn tell_shares(context: &Context, change: &Change) {
    for path in &change.taken_back {
        say(&format!("taken back: `{}`", context.shown(path)));
    }
    for stale in &change.stale {
        let path = context.shown(&stale.path);
        say(&format!("note: `{path}` stays as it is: {}", stale.why));
    }
}

/// Where a command acts: the policy, the way to the sources, and whose skills are meant.
struct Desk<'c> {
    context: &'c Context,
    policy: Policy,
    fetcher: Fetcher,
    target: Target,
    catalogue: Catalogue,
    live: Live,
}

impl<'c> Desk<'c> {
    fn open(context: &'c Context, whose: Whose, network: Network) -> Result<Self, Failure> {
        let live = Live::new();
        let report = live.report();
        let fetcher = Fetcher::new(&context.around.cwd, |options| {
            options.progress = report;
            if network.allow_private {
                options.net.reach = Reach::Anywhere;
            }
            if can_ask() {
                options.prompts = Prompts::Terminal;
            }
        });
        Ok(Self {
            context,
            policy: configured(context)?,
            fetcher: fetcher.map_err(|error| fetch_failure(&error))?,
            target: target(context, whose)?,
            catalogue: context.catalogue()?,
            live,
        })
    }

    fn hub(&self) -> Hub<'_> {
        Hub {
            state: &self.context.state,
            policy: &self.policy,
            supply: &self.fetcher,
            author: author(),
            catalogue: Some(&self.catalogue),
        }
    }

    /// The brains that skills are installed into, held. What is wrong with a lock file, the action tells.
    fn brains(&self) -> Result<Vec<Editing>, Failure> {
        let Target { lock, base, root, .. } = &self.target;
        let lock = Lock::read(lock).ok();
        let locked = lock.iter().flat_map(Lock::skills).map(|skill| &skill.root);
        let roots: BTreeSet<&String> = locked.chain([root]).collect();
        let mut folders = BTreeSet::new();
        for root in roots {
            let brain = Brain::around(&self.context.around.hone_home, &base.join(root))?;
            folders.extend(brain.map(|brain| brain.folder));
        }
        let hold = |folder: PathBuf| self.context.editor("hone", |editor| editor.begin(&folder));
        let held: Result<Vec<_>, _> = folders.into_iter().map(hold).collect();
        Ok(held?.into_iter().flatten().collect())
    }

    /// Does something with a person at hand; with `yes`, one who agrees to everything.
    fn act<T>(
        &self,
        yes: bool,
        act: impl FnOnce(&Hub<'_>, &mut dyn Ask) -> Result<T, Error>,
    ) -> Result<T, Failure> {
        let mut person = Person::new(yes, &self.live);
        let brains = self.brains()?;
        let done = act(&self.hub(), &mut person);
        self.live.clear();
        for brain in brains {
            brain.end()?;
        }
        self.context.tell_notes();
        done.map_err(|error| match &error {
            Error::Edited { path, .. } => {
                Failure::no(error.to_string(), &edited_hint(&self.context.typed(path)))
            }
            _ => hub_failure(error),
        })
    }
}

fn author() -> Author {
    Author { actor: actor(), reason: String::new(), now: now() }
}

/// Whose skills are meant: the project's where it has a lock file, unless somebody says otherwise.
fn target(context: &Context, whose: Whose) -> Result<Target, Failure> {
    let project = Project::find(&context.around).map(|project| Target::project(&project.root));
    let target = match project {
        None if whose.project => {
            return Err(Failure::no("your home folder is not a project", "leave out `--project`"));
        }
        Some(project) if whose.project || (!whose.user && project.lock.exists()) => project,
        _ => Target::user(&context.around),
    };
    match context.places.root.first() {
        Some(root) => {
            let root = hone_library::normal(&context.around.cwd.join(root));
            target.with_root(&root).map_err(hub_failure)
        }
        None => Ok(target),
    }
}

/// An error of the hub, with its exit code and its hint.
pub(super) fn hub_failure(error: Error) -> Failure {
    let mut hint = error.hint().unwrap_or_default();
    if let Error::Fetch { why, .. } = &error
        && let Some(fetch) = why.downcast_ref::<FetchError>()
    {
        fetch.hint().unwrap_or_default().clone_into(&mut hint);
    }
    let is_answer = match &error {
        Error::Fetch { why, .. } => {
            why.downcast_ref::<FetchError>().is_some_and(FetchError::is_answer)
        }
        error => error.is_answer(),
    };
    match error {
        Error::Library(error) => error.into(),
        error if is_answer => Failure::no(error.to_string(), &hint),
        error => Failure::failed(error.to_string(), &hint),
    }
}

fn fetch_failure(error: &FetchError) -> Failure {
    let hint = error.hint().unwrap_or_default();
    if error.is_answer() {
        return Failure::no(error.to_string(), hint);
    }
    Failure::failed(error.to_string(), hint)
}

/// Exit code 0 when all is good.
fn code(is_good: bool) -> ExitCode {
    if is_good { ExitCode::SUCCESS } else { ExitCode::from(NO) }
}
