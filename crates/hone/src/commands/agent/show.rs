//! `hone agent list` and `show`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hone_agent::brain::{Brain, members};
use hone_agent::memory::{Counts, LoggedTask, MAX_MEMORY_CHARS, MAX_USER_CHARS, Memory};
use hone_library::Catalogue;
use hone_library::usage::iso;

use super::snapshot::number;
use super::{failure, snapshot};
use crate::context::Context;
use crate::json::agent::{
    Agent, AgentSkill, Agents, ListedAgent, MemoryFile, SetAside, SkippedSkill,
};
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line};

/// Tasks and quarantined texts that are shown.
const SHOWN: u32 = 10;
/// Skills and files that are shown by name on a page.
const SKILLS_SHOWN: usize = 20;

pub(crate) fn list(context: &Context, as_json: bool) -> Outcome {
    let names = Brain::all(&context.around.hone_home).map_err(failure)?;
    let agents: Vec<ListedAgent> = names.iter().map(|name| listed(context, name)).collect();
    if as_json {
        return print_json(&Agents { agents });
    }
    if agents.is_empty() {
        say("there are no agents yet");
        say("hint: `hone agent new NAME --system FILE` makes one, `hone demo` shows one at work");
    }
    let width = names.iter().map(String::len).max().unwrap_or(0);
    let mut text = String::new();
    for agent in agents {
        let what = match &agent.problem {
            Some(problem) => format!("cannot be used: {problem}"),
            None => format!(
                "{}, {}, {}: {}",
                count(agent.skills, "skill"),
                count(usize::try_from(agent.facts).unwrap_or(usize::MAX), "fact"),
                count(usize::try_from(agent.tasks).unwrap_or(usize::MAX), "task"),
                agent.role
            ),
        };
        let line = format!("{:width$}  {}", agent.id, printable_line(&what));
        let _ = writeln!(text, "{}", fit(&line, columns()));
    }
    print(&text)
}

fn listed(context: &Context, id: &str) -> ListedAgent {
    let look = || -> Result<ListedAgent, Failure> {
        let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
        members::look(&brain.folder).map_err(failure)?;
        let role = brain.system().map_err(failure)?;
        let remembered = remembered(&brain)?;
        let last = remembered.as_ref().map(|memory| memory.tasks(1)).transpose();
        let counts = counts(remembered.as_ref())?;
        Ok(ListedAgent {
            id: id.to_owned(),
            role: role.lines().next().unwrap_or_default().to_owned(),
            skills: brain.catalogue(&context.state).skills.len(),
            facts: counts.facts,
            tasks: counts.tasks,
            last_task: last.map_err(failure)?.and_then(|last| Some(iso(last.first()?.ended))),
            problem: None,
        })
    };
    look().unwrap_or_else(|problem| ListedAgent {
        id: id.to_owned(),
        role: String::new(),
        skills: 0,
        facts: 0,
        tasks: 0,
        last_task: None,
        problem: Some(problem.to_string()),
    })
}

/// The memory of an agent that has one; looking at an agent makes none.
fn remembered(brain: &Brain) -> Result<Option<Memory>, Failure> {
    if !brain.member(members::DATABASE).exists() {
        return Ok(None);
    }
    Memory::open(&brain.folder).map(Some).map_err(failure)
}

fn counts(memory: Option<&Memory>) -> Result<Counts, Failure> {
    match memory {
        Some(memory) => memory.counts().map_err(failure),
        None => Ok(Counts { messages: 0, facts: 0, tasks: 0, quarantined: 0 }),
    }
}

/// Everything about an agent.
pub(super) fn agent(context: &Context, brain: &Brain) -> Result<Agent, Failure> {
    let mut strangers = members::look(&brain.folder).map_err(failure)?;
    let settings = brain.settings().map_err(failure)?;
    let catalogue = brain.catalogue(&context.state);
    strangers.extend(loose(brain, &catalogue));
    let inside = |path: &Path| crate::json::text(path.strip_prefix(&brain.folder).unwrap_or(path));
    let skills = catalogue.skills.iter().map(|skill| AgentSkill {
        name: skill.summary.name.clone(),
        description: skill.summary.description.clone(),
        version: skill.summary.version.clone(),
    });
    let skipped = catalogue.skipped.iter().map(|skipped| SkippedSkill {
        file: inside(&skipped.path),
        reason: skipped.reason.id(),
        message: skipped.message.clone(),
    });
    let memory = remembered(brain)?;
    let counts = counts(memory.as_ref())?;
    let (mut last_tasks, mut quarantined) = (Vec::new(), Vec::new());
    if let Some(memory) = &memory {
        last_tasks = memory.tasks(SHOWN).map_err(failure)?;
        quarantined = memory.quarantined(SHOWN).map_err(failure)?;
    }
    let files = [(members::MEMORY, MAX_MEMORY_CHARS), (members::USER, MAX_USER_CHARS)];
    let files = files.into_iter().filter_map(|(file, most)| {
        let bytes = hone_library::read_bounded(&brain.member(file)).ok()?;
        let characters = String::from_utf8_lossy(&bytes).chars().count();
        Some(MemoryFile { file: file.to_owned(), characters, most })
    });
    Ok(Agent {
        id: brain.id.clone(),
        folder: crate::json::text(&brain.folder),
        role: brain.system().map_err(failure)?,
        tools: settings.tools,
        agents: settings.agents,
        model: settings.model,
        turns: settings.limits.turns,
        max_tokens: settings.limits.tokens,
        skills: skills.collect(),
        skipped: skipped.collect(),
        files: files.collect(),
        messages: counts.messages,
        facts: counts.facts,
        tasks: counts.tasks,
        last_tasks: last_tasks.into_iter().map(LoggedTask::from).collect(),
        quarantined: quarantined
            .into_iter()
            .map(|(task, held)| SetAside {
                task,
                at: iso(held.at),
                key: held.note.key,
                value: held.note.value,
                rule: held.objection.rule,
                reason: held.objection.message,
            })
            .collect(),
        strangers: strangers.iter().map(|path| inside(path)).collect(),
        unpacked: snapshot::lag(context, brain).map(|lag| lag.version),
    })
}

/// The skills that are not offered, each with why.
pub(super) fn not_offered(agent: &Agent) -> Vec<String> {
    let skipped = agent.skipped.iter();
    few(&skipped.map(|one| format!("{}: {}", one.file, one.message)).collect::<Vec<_>>())
}

/// The first lines, and how many there are more.
pub(super) fn few(lines: &[String]) -> Vec<String> {
    let mut shown: Vec<String> = lines.iter().take(SKILLS_SHOWN).cloned().collect();
    if lines.len() > SKILLS_SHOWN {
        shown.push(format!("and {} more", lines.len() - SKILLS_SHOWN));
    }
    shown
}

/// Files among the skills that belong to none, sorted.
fn loose(brain: &Brain, catalogue: &Catalogue) -> Vec<PathBuf> {
    let offered = catalogue.skills.iter().map(|skill| skill.key().to_owned());
    let skipped = catalogue.skipped.iter().map(|skipped| {
        let is_file = skipped.path.file_name().is_some_and(|name| name == "SKILL.md");
        let folder = skipped.path.parent().filter(|_| is_file);
        folder.unwrap_or(&skipped.path).to_owned()
    });
    let known: HashSet<PathBuf> = offered.chain(skipped).collect();
    let mut loose = Vec::new();
    let mut folders = vec![brain.member(members::SKILLS)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let (path, kind) = (entry.path(), entry.file_type());
            if known.contains(&path) || entry.file_name().as_encoded_bytes().starts_with(b".") {
                continue;
            }
            if kind.is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
            } else {
                loose.push(path);
            }
        }
    }
    loose.sort();
    loose
}

pub(crate) fn show(context: &Context, id: &str, as_json: bool) -> Outcome {
    let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
    let agent = agent(context, &brain)?;
    if as_json {
        return print_json(&agent);
    }
    let mut text = String::new();
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "{label:10}  {}", printable_line(value));
    };
    line("agent", &agent.id);
    line("folder", &context.shown(&brain.folder));
    line("role", agent.role.lines().next().unwrap_or_default());
    line("tools", &agent.tools.as_ref().map_or("all".to_owned(), |tools| tools.join(", ")));
    if !agent.agents.is_empty() {
        line("may ask", &agent.agents.join(", "));
    }
    let configured = &context.config.model;
    line(
        "model",
        &match (&agent.model, &configured.name, &configured.base_url) {
            (Some(model), ..) => model.clone(),
            (None, Some(name), _) => format!("{name}, as `model.name` says"),
            (None, None, Some(url)) => format!("the one at {url}, as `model.base_url` says"),
            (None, None, None) => "found for each task".to_owned(),
        },
    );
    for file in &agent.files {
        let size = format!("{} of {} characters", file.characters, file.most);
        line(&file.file, &size);
    }
    let known = [(agent.facts, "fact"), (agent.messages, "message"), (agent.tasks, "task")]
        .map(|(many, noun)| count(number(many), noun))
        .join(", ");
    line("remembers", &known);
    let mut section = |title: String, lines: Vec<String>| {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{title}");
            for line in lines {
                let line = format!("  {}", printable_line(&line));
                let _ = writeln!(text, "{}", fit(&line, columns()));
            }
        }
    };
    let skills = agent.skills.iter();
    let skills: Vec<String> =
        skills.map(|skill| format!("{}: {}", skill.name, skill.description)).collect();
    section(format!("{}:", count(agent.skills.len(), "skill")), few(&skills));
    section("not offered:".to_owned(), not_offered(&agent));
    let tasks = agent.last_tasks.iter();
    let tasks = tasks.map(|task| format!("{} {}: {}", task.ended, task.ending, task.input));
    section("last tasks:".to_owned(), tasks.collect());
    let held = agent.quarantined.iter();
    let held =
        held.map(|held| format!("{}: {} ({}): {}", held.key, held.reason, held.rule, held.value));
    section("quarantined, seen by no task:".to_owned(), held.collect());
    section("no part of the agent:".to_owned(), few(&agent.strangers));
    if let Some(behind) = snapshot::behind(context, &brain) {
        say(&format!("note: {behind}"));
    }
    print(&text)
}
