//! `hone agent new`, `update` and `rm`: the folder of a brain.

use std::fmt::Write as _;
use std::io::{BufRead, IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use hone_agent::brain::{Brain, Held, MAX_SYSTEM_BYTES, New, Owner, Settings, Waiting};
use hone_agent::run::TOOLS;
use hone_library::{Author, State};
use tokio_util::sync::CancellationToken;

use super::{failure, show};
use crate::context::{Context, actor, now};
use crate::json::agent::{KeptFile, SeedUpdate};
use crate::output::{Failure, Outcome, count, print, print_json, quoted, say};
use crate::terminal::printable_line;

/// How long `rm` and whoever looks at a whole agent wait for a task.
const PATIENCE: Duration = Duration::from_secs(10);

/// What a new agent is made of.
pub(crate) struct Made {
    pub(crate) system: Option<PathBuf>,
    pub(crate) skills: Option<PathBuf>,
    pub(crate) patterns: Option<PathBuf>,
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) agents: Vec<String>,
    pub(crate) model: Option<String>,
    pub(crate) seed: Option<PathBuf>,
}

pub(crate) fn new(context: &Context, id: &str, made: Made, as_json: bool) -> Outcome {
    let tools = made.tools.map(|tools| {
        tools.into_iter().map(|tool| tool.trim().to_owned()).filter(|tool| !tool.is_empty())
    });
    let tools: Option<Vec<String>> = tools.map(Iterator::collect);
    // A server's tools are known when it is asked.
    let is_known = |tool: &&String| TOOLS.contains(&tool.as_str()) || tool.starts_with("mcp__");
    if let Some(unknown) = tools.iter().flatten().find(|tool| !is_known(tool)) {
        let hint = format!("there are {}", TOOLS.join(", "));
        return Err(Failure::no(format!("there is no tool `{unknown}`"), &hint));
    }
    let system = made.system.map(|path| read_role(context, &path)).transpose()?;
    let below = |path: PathBuf| context.around.cwd.join(path);
    let new = New {
        system,
        skills: made.skills.map(below),
        patterns: made.patterns.map(below),
        seed: made.seed.map(below),
        settings: Settings { tools, agents: made.agents, model: made.model, ..Settings::default() },
    };
    let has_role = new.system.is_some() || new.seed.is_some();
    let agents = context.around.hone_home.join("agents");
    let missing = |other: &&String| *other != id && !agents.join(other).is_dir();
    let missing: Vec<String> = new.settings.agents.iter().filter(missing).cloned().collect();
    let brain = Brain::create(&context.around.hone_home, id, &new).map_err(failure)?;
    if as_json {
        return print_json(&show::agent(context, &brain)?);
    }
    let agent = show::agent(context, &brain)?;
    print(&format!(
        "made {id} in {} with {}\n",
        context.shown(&brain.folder),
        count(agent.skills.len(), "skill")
    ))?;
    for skipped in show::not_offered(&agent) {
        say(&format!("note: not offered: {}", printable_line(&skipped)));
    }
    for stranger in show::few(&agent.strangers) {
        say(&format!("note: it belongs to no skill: {}", printable_line(&stranger)));
    }
    for other in missing {
        say(&format!(
            "note: there is no agent `{other}` yet; `hone agent new {}` makes it",
            quoted(&other)
        ));
    }
    if !has_role {
        say("note: it has a plain role; write your own into its `system.md`");
    }
    say(&format!("hint: `hone run {id} 'TASK'` gives it a task"));
    Ok(ExitCode::SUCCESS)
}

fn read_role(context: &Context, path: &Path) -> Result<String, Failure> {
    let path = context.around.cwd.join(path);
    let read = hone_library::read_bounded(&path).and_then(|bytes| {
        String::from_utf8(bytes)
            .map_err(|_| std::io::Error::new(std::io::ErrorKind::InvalidData, "it is not UTF-8"))
    });
    let shown = context.shown(&path);
    let text =
        read.map_err(|error| Failure::failed(format!("could not read `{shown}`: {error}"), ""))?;
    if text.len() as u64 > MAX_SYSTEM_BYTES {
        let message = format!("`{shown}` has more than {MAX_SYSTEM_BYTES} bytes");
        return Err(Failure::no(message, "keep the role short; knowledge belongs into skills"));
    }
    Ok(text)
}

/// Takes an agent for a command that changes it.
pub(super) fn hold(brain: &Brain, what: &str) -> Result<Held, Failure> {
    let runtime = runtime()?;
    let cancelled = CancellationToken::new();
    let tell = |owner: &Owner| say(&format!("note: waiting for {owner}"));
    let waiting = Waiting { patience: PATIENCE, cancelled: &cancelled, tell: &tell };
    let owner = Owner { what: what.to_owned(), pid: std::process::id(), since: now() };
    runtime.block_on(brain.hold(&owner, &waiting)).map_err(failure)
}

/// The runtime of a command, on this thread.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("could not start: {error}"), ""))
}

/// A runtime that goes on while this thread waits for somebody to type.
pub(super) fn background_runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| Failure::failed(format!("could not start: {error}"), ""))
}

pub(crate) fn update(context: &Context, id: &str, seed: &Path, as_json: bool) -> Outcome {
    let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
    let seed = context.around.cwd.join(seed);
    let author = Author { actor: actor(), reason: "a newer seed".to_owned(), now: now() };
    let updated = context.editor("hone agent update", |editor| {
        let update = |state: &State| brain.update(&seed, state, author);
        editor.edit(&brain.folder, || &context.state, update)
    });
    let updated = updated.map_err(failure)?;
    if as_json {
        let kept = updated.kept.into_iter();
        return print_json(&SeedUpdate {
            added: updated.added,
            updated: updated.updated,
            kept: kept.map(|kept| KeptFile { file: kept.file, why: kept.why }).collect(),
        });
    }
    let mut text = String::new();
    for (word, files) in [("added", &updated.added), ("updated", &updated.updated)] {
        for file in files {
            let _ = writeln!(text, "{word}  {}", printable_line(file));
        }
    }
    for kept in &updated.kept {
        let _ = writeln!(text, "kept  {}: {}", printable_line(&kept.file), kept.why);
    }
    if text.is_empty() {
        text.push_str("nothing new\n");
    }
    print(&text)
}

pub(crate) fn remove(context: &Context, id: &str, yes: bool) -> Outcome {
    let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
    if !yes && !is_agreed(id)? {
        return Err(Failure::no(format!("{id} stays"), ""));
    }
    let held = hold(&brain, "hone agent rm")?;
    brain.remove(held).map_err(failure)?;
    print(&format!("removed {id}\n"))
}

/// Asks a person; without one, nothing is agreed.
fn is_agreed(id: &str) -> Result<bool, Failure> {
    let (input, mut errors) = (std::io::stdin(), std::io::stderr());
    if !input.is_terminal() || !errors.is_terminal() {
        let hint = format!("`hone agent rm {} --yes`", quoted(id));
        return Err(Failure::no(format!("{id} would be gone for good, with all it knows"), &hint));
    }
    write!(errors, "remove {id} for good, with all it knows? [y/N] ")?;
    errors.flush()?;
    let mut answer = String::new();
    input.lock().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
