//! Steps from a transcript: what worked, in its order, each with what shows that it did.
//!
//! An attempt that failed is folded into the one that worked after it; one that nothing followed is
//! left out, for it teaches about that day only. What was done again counts where it was done last.

use std::fmt::Write as _;
use std::path::Path;

use hone_agent::step::Outcome;

use super::phrase::LOOKS;
use super::render::{MAX_COMMAND_CHARS, code};
use super::{Step, tools};
use crate::deed::{Deed, deed, folder};
use crate::experience::{self, Experience};

/// Steps of a draft at most.
pub const MAX_STEPS: usize = 12;

/// Files and words that one step names.
const MAX_NAMED: usize = 5;

/// Characters of an output's last line that a step quotes.
const MAX_QUOTED_CHARS: usize = 60;

/// Particulars of a task that are named.
const MAX_INPUTS: usize = 5;

enum Act {
    Run { command: String, failed: Option<String>, says: Option<String>, more: usize },
    Change(Vec<String>),
    Look(Vec<String>),
    Fetch(String),
    Call(String),
}

/// The steps, and how many were too many.
pub(super) fn distil(experience: &Experience) -> (Vec<Step>, usize) {
    let mut acts = acts(experience);
    keep_last(&mut acts);
    gather(&mut acts);
    let is_look = |act: &Act| matches!(act, Act::Look(_));
    if acts.len() > MAX_STEPS && acts.iter().any(|act| !is_look(act)) {
        acts.retain(|act| !is_look(act));
    }
    let left_out = acts.len().saturating_sub(MAX_STEPS);
    acts.truncate(MAX_STEPS);
    (acts.iter().map(step).collect(), left_out)
}

/// What was done, one after the other; what looks the same is one act.
fn acts(experience: &Experience) -> Vec<Act> {
    let folder = folder(experience);
    let mut acts: Vec<Act> = Vec::new();
    // The newest failure of each command, until it works.
    let mut failures: Vec<Failure> = Vec::new();
    // Whether nothing else was run since the newest of them.
    let mut is_next = false;
    for step in &experience.steps {
        let deed = deed(step, folder);
        if step.outcome != Outcome::Ok {
            if let Deed::Run(command) = deed {
                let kind = kind(&command);
                failures.retain(|failure| failure.kind != kind);
                failures.push(Failure { kind, command });
                is_next = true;
            }
            continue;
        }
        match deed {
            Deed::Run(command) if is_look(&command) => look(&mut acts, &code(&command)),
            Deed::Run(command) => {
                let kind = kind(&command);
                let same = failures.iter().position(|failure| failure.kind == kind);
                let newest = failures.len().checked_sub(1).filter(|_| is_next);
                let near = newest.filter(|at| program(&failures[*at].command) == program(&command));
                let at = same.or(near);
                let failed = at.map(|at| failures.remove(at).command);
                let failed = failed.filter(|old| *old != command);
                is_next = false;
                acts.push(Act::Run { failed, says: says(step, folder), command, more: 0 });
            }
            Deed::Change(paths) => change(&mut acts, paths),
            Deed::Look(_, what) => look(&mut acts, &code(&what)),
            Deed::Fetch(url) => acts.push(Act::Fetch(url)),
            Deed::Call(tool) => acts.push(Act::Call(tool)),
            Deed::Aside => {}
        }
    }
    acts
}

/// A command that failed.
struct Failure {
    kind: String,
    command: String,
}

/// The program with its sub-command: what a second attempt has in common with the first.
fn kind(command: &str) -> String {
    let mut permissions = tools::of_command(command).into_iter().map(|tool| tool.permission);
    let last = permissions.rfind(|name| !name.starts_with("Bash(cd"));
    last.unwrap_or_else(|| program(command).to_owned())
}

/// What commands have in common that can stand for one another: the program with its sub-command, or,
/// where a program has none, all but the last word.
fn shape(command: &str) -> String {
    let kind = kind(command);
    if kind.contains(' ') {
        return kind;
    }
    let words: Vec<&str> = command.split_whitespace().collect();
    words[..words.len().saturating_sub(1)].join(" ")
}

fn program(command: &str) -> &str {
    command.split_whitespace().next().unwrap_or_default()
}

/// Whether a command only looks at things.
fn is_look(command: &str) -> bool {
    let tools = tools::of_command(command);
    let name = |tool: &tools::Tool| {
        let inside = tool.permission.strip_prefix("Bash(").unwrap_or_default();
        inside.split([' ', ':', ')']).next().unwrap_or_default().to_owned()
    };
    !tools.is_empty()
        && tools.iter().all(|tool| LOOKS.contains(&name(tool).as_str()))
        && !command.contains('>')
}

fn look(acts: &mut Vec<Act>, what: &str) {
    if what == "``" {
        return;
    }
    match acts.last_mut() {
        Some(Act::Look(seen)) => {
            if !seen.iter().any(|other| other == what) {
                seen.push(what.to_owned());
            }
        }
        _ => acts.push(Act::Look(vec![what.to_owned()])),
    }
}

fn change(acts: &mut Vec<Act>, paths: Vec<String>) {
    match acts.last_mut() {
        Some(Act::Change(changed)) => {
            for path in paths {
                if !changed.contains(&path) {
                    changed.push(path);
                }
            }
        }
        _ if paths.is_empty() => {}
        _ => acts.push(Act::Change(paths)),
    }
}

/// The same command again is one step, where it was done last; likewise the same files.
fn keep_last(acts: &mut Vec<Act>) {
    let key = |act: &Act| match act {
        Act::Run { command, .. } => Some(format!("run {command}")),
        Act::Change(paths) => Some(format!("change {}", paths.join("\n"))),
        Act::Fetch(url) => Some(format!("fetch {url}")),
        Act::Call(tool) => Some(format!("call {tool}")),
        Act::Look(_) => None,
    };
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<Act> = Vec::new();
    for act in acts.drain(..).rev() {
        if key(&act).is_none_or(|key| seen.insert(key)) {
            kept.push(act);
        }
    }
    kept.reverse();
    *acts = kept;
}

/// Commands of one kind in a row that become one step, at least.
const MIN_ALIKE: usize = 3;

/// Many commands of one kind in a row are one step: the last, and how many were like it.
fn gather(acts: &mut Vec<Act>) {
    let mut gathered: Vec<Act> = Vec::new();
    let mut alike: Vec<Act> = Vec::new();
    let mut of = None;
    for act in acts.drain(..) {
        let next = match &act {
            Act::Run { command, .. } => Some(shape(command)),
            _ => None,
        };
        if next.is_none() || next != of {
            close(&mut gathered, &mut alike);
        }
        of = next;
        alike.push(act);
    }
    close(&mut gathered, &mut alike);
    *acts = gathered;
}

fn close(gathered: &mut Vec<Act>, alike: &mut Vec<Act>) {
    let count = alike.len();
    match alike.pop() {
        Some(Act::Run { command, failed, says, .. }) if count >= MIN_ALIKE => {
            gathered.push(Act::Run { command, failed, says, more: count - 1 });
            alike.clear();
        }
        Some(last) => {
            gathered.append(alike);
            gathered.push(last);
        }
        None => {}
    }
}

/// The last line of an output, when it is short and says something.
fn says(step: &experience::Step, folder: Option<&Path>) -> Option<String> {
    let line = step.result.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let is_quotable = line.chars().count() <= MAX_QUOTED_CHARS
        && line.split_whitespace().count() >= 2
        && line.chars().all(|c| !c.is_control() && !hone_skill::is_hidden(c))
        && !line.contains(['`', '[', '{', '}', '…'])
        // Figures and times differ from run to run.
        && !line.contains(|c: char| c.is_ascii_digit());
    let is_path = folder.is_some_and(|folder| line.contains(&*folder.to_string_lossy()));
    (is_quotable && !is_path).then(|| line.to_owned())
}

fn step(act: &Act) -> Step {
    match act {
        Act::Run { command, failed, says, more } => {
            let mut action = format!("Run {}", code(command));
            if *more > 0 {
                let _ = write!(action, ", and what is like it ({more} more)");
            }
            action.push('.');
            if let Some(failed) = failed.as_ref().filter(|old| old.len() <= MAX_COMMAND_CHARS) {
                let _ = write!(action, " {} did not work.", code(failed));
            }
            let done = match says {
                Some(says) => format!("it exits with 0 and ends with {}", code(says)),
                None => "it exits with 0".to_owned(),
            };
            Step { action, done }
        }
        Act::Change(paths) => {
            let named = listed(paths.iter().map(|path| code(path)));
            let done = match paths.len() {
                1 => "it says what was asked for, and nothing else in it changed",
                _ => "they say what was asked for, and nothing else in them changed",
            };
            Step { action: format!("Change {named}."), done: done.to_owned() }
        }
        Act::Look(seen) => Step {
            action: format!("Look first: {}.", listed(seen.iter().cloned())),
            done: "you know what the next step needs".to_owned(),
        },
        Act::Fetch(url) => Step {
            action: format!("Fetch {}.", code(url)),
            done: "the page came and is about the task".to_owned(),
        },
        Act::Call(tool) => Step {
            action: format!("Call the tool {}.", code(tool)),
            done: "it answers without an error".to_owned(),
        },
    }
}

fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(MAX_NAMED);
    let mut text = names[..names.len() - more].join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}

/// Words of the task with digits, dots or slashes that commands and files of the work had too: they
/// will be others next time.
pub(super) fn inputs(experience: &Experience) -> Vec<String> {
    let folder = folder(experience);
    let mut used = String::new();
    for step in &experience.steps {
        match deed(step, folder) {
            Deed::Run(text) | Deed::Look(_, text) | Deed::Fetch(text) => used.push_str(&text),
            Deed::Change(paths) => used.push_str(&paths.join(" ")),
            Deed::Call(_) | Deed::Aside => {}
        }
        used.push('\n');
        if used.len() > MAX_SEARCHED_BYTES {
            break;
        }
    }
    let mut inputs: Vec<String> = Vec::new();
    for word in experience.task.split_whitespace().take(MAX_TASK_WORDS) {
        let word = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~'));
        let is_particular = word.len() >= 3
            && word.contains(|c: char| c.is_ascii_digit() || matches!(c, '/' | '.' | '#'))
            && !word.contains(['`', '[']);
        if is_particular && used.contains(word) && !inputs.iter().any(|known| known == word) {
            inputs.push(word.to_owned());
        }
        if inputs.len() == MAX_INPUTS {
            break;
        }
    }
    inputs
}

/// Words of a task, and bytes of the work, that are compared.
const MAX_TASK_WORDS: usize = 60;
const MAX_SEARCHED_BYTES: usize = 256 * 1024;
