//! Steps from a transcript: what worked, in its order, each with what shows that it did.
//!
//! An attempt that failed is folded into the one that worked after it; one that nothing followed is
//! left out, for it teaches about that day only. What was done again counts where it was done last.

use std::fmt::Write as _;
use std::path::Path;

use hone_agent::step::Outcome;

use super::phrase::{LOOKS, LOOKS_OF};
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

/// Characters of such a line that is looked at.
const MAX_LINE_CHARS: usize = 200;

/// Particulars of a task that are named.
const MAX_INPUTS: usize = 5;

/// Something that was done, and the permissions that it needs.
struct Done {
    act: Act,
    needs: Vec<String>,
}

enum Act {
    Run { command: String, failed: Option<String>, says: Option<String>, more: usize },
    Change(Vec<String>),
    Look(Vec<String>),
    Fetch(String),
    Call(String),
}

/// The steps, the permissions that each needs, and how many were too many.
pub(super) fn distil(experience: &Experience) -> (Vec<Step>, Vec<Vec<String>>, usize) {
    let mut acts = acts(experience);
    keep_last(&mut acts);
    gather(&mut acts);
    let is_look = |done: &Done| matches!(done.act, Act::Look(_));
    if acts.len() > MAX_STEPS && acts.iter().any(|done| !is_look(done)) {
        acts.retain(|done| !is_look(done));
    }
    let left_out = acts.len().saturating_sub(MAX_STEPS);
    acts.truncate(MAX_STEPS);
    let last = acts.len().saturating_sub(1);
    let place = |at: usize| Place { is_first: at == 0, is_last: at == last };
    let steps = acts.iter().enumerate().map(|(at, done)| step(&done.act, place(at))).collect();
    (steps, acts.into_iter().map(|done| done.needs).collect(), left_out)
}

/// What was done, one after the other; what looks the same is one act.
fn acts(experience: &Experience) -> Vec<Done> {
    let folder = folder(experience);
    let mut acts: Vec<Done> = Vec::new();
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
                failures.push(Failure { kind, command: tidied(&command) });
                is_next = true;
            }
            continue;
        }
        let needs = tools::of_deed(&deed, &[]).into_iter().map(|tool| tool.permission).collect();
        match deed {
            Deed::Run(command) if is_look(&command) => look(&mut acts, &code(&command), needs),
            Deed::Run(command) => {
                let command = tidied(&command);
                let kind = kind(&command);
                let same = failures.iter().position(|failure| failure.kind == kind);
                let newest = failures.len().checked_sub(1).filter(|_| is_next);
                let near = newest.filter(|at| program(&failures[*at].command) == program(&command));
                let at = same.or(near);
                let failed = at.map(|at| failures.remove(at).command);
                let failed = failed.filter(|old| *old != command);
                is_next = false;
                let act = Act::Run { failed, says: says(step, folder), command, more: 0 };
                acts.push(Done { act, needs });
            }
            Deed::Change(paths) => {
                // What failed before a change may have been right, and what it looked at wrong.
                failures.clear();
                change(&mut acts, paths, needs);
            }
            Deed::Look(_, what) => look(&mut acts, &code(&what), needs),
            Deed::Fetch(url) => acts.push(Done { act: Act::Fetch(url), needs }),
            Deed::Call(tool) => acts.push(Done { act: Act::Call(tool), needs }),
            Deed::Aside => {}
        }
    }
    acts
}

/// A command without what only made its output shorter, and without the text of a message, which is
/// another one next time.
fn tidied(command: &str) -> String {
    const MESSAGE: &str = "$(cat <<";
    let mut command = command.trim().to_owned();
    if let Some(at) = command.find(MESSAGE) {
        let rest = &command[at + MESSAGE.len()..];
        let word: String = rest
            .chars()
            .skip_while(|c| matches!(c, '\'' | '"' | '-'))
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let mut lines = rest.split_inclusive('\n');
        let mut length = lines.next().map_or(0, str::len);
        let is_ended = !word.is_empty()
            && lines.any(|line| {
                length += line.len();
                line.trim() == word
            });
        let closed = &rest[length.min(rest.len())..];
        if let Some(after) = closed.trim_start().strip_prefix(')').filter(|_| is_ended) {
            command = format!("{}…{after}", &command[..at]);
        }
    }
    if command.contains('\n') {
        return command;
    }
    let Some((before, last)) = command.rsplit_once('|') else { return command };
    let mut words = last.split_whitespace();
    let cuts = words.next().is_some_and(|word| word == "tail" || word == "head");
    let is_plain = words
        .all(|word| word.trim_start_matches('-').chars().all(|c| c.is_ascii_digit() || c == 'n'));
    if !cuts || !is_plain || before.ends_with('|') {
        return command;
    }
    let before = before.trim_end();
    before.strip_suffix("2>&1").unwrap_or(before).trim_end().to_owned()
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
    let looks = |tool: &tools::Tool| {
        let inside = tool.permission.strip_prefix("Bash(").unwrap_or_default();
        let whole = inside.trim_end_matches(')').trim_end_matches(":*");
        let prints = whole == "sed -n";
        LOOKS.contains(&name(tool).as_str()) || LOOKS_OF.contains(&whole) || prints
    };
    let is_written = command.replace("2>&1", "").replace("2>/dev/null", "").contains('>')
        || (command.starts_with("sort ") && command.contains(" -o "));
    !tools.is_empty() && tools.iter().all(looks) && !is_written
}

fn look(acts: &mut Vec<Done>, what: &str, more: Vec<String>) {
    if what == "``" {
        return;
    }
    match acts.last_mut() {
        Some(Done { act: Act::Look(seen), needs }) => {
            if !seen.iter().any(|other| other == what) {
                seen.push(what.to_owned());
            }
            needs.extend(more);
        }
        _ => acts.push(Done { act: Act::Look(vec![what.to_owned()]), needs: more }),
    }
}

fn change(acts: &mut Vec<Done>, paths: Vec<String>, more: Vec<String>) {
    match acts.last_mut() {
        Some(Done { act: Act::Change(changed), needs }) => {
            for path in paths {
                if !changed.contains(&path) {
                    changed.push(path);
                }
            }
            needs.extend(more);
        }
        _ if paths.is_empty() => {}
        _ => acts.push(Done { act: Act::Change(paths), needs: more }),
    }
}

/// The same command again is one step, where it was done last; likewise the same files.
fn keep_last(acts: &mut Vec<Done>) {
    let key = |done: &Done| match &done.act {
        Act::Run { command, .. } => Some(format!("run {command}")),
        Act::Change(paths) => Some(format!("change {}", paths.join("\n"))),
        Act::Fetch(url) => Some(format!("fetch {url}")),
        Act::Call(tool) => Some(format!("call {tool}")),
        Act::Look(_) => None,
    };
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<Done> = Vec::new();
    for done in acts.drain(..).rev() {
        if key(&done).is_none_or(|key| seen.insert(key)) {
            kept.push(done);
        }
    }
    kept.reverse();
    *acts = kept;
}

/// Commands of one kind in a row that become one step, at least.
const MIN_ALIKE: usize = 3;

/// Many commands of one kind in a row are one step: the last, and how many were like it.
fn gather(acts: &mut Vec<Done>) {
    let mut gathered: Vec<Done> = Vec::new();
    let mut alike: Vec<Done> = Vec::new();
    let mut of = None;
    for done in acts.drain(..) {
        let next = match &done.act {
            Act::Run { command, .. } => Some(shape(command)),
            _ => None,
        };
        if next.is_none() || next != of {
            close(&mut gathered, &mut alike);
        }
        of = next;
        alike.push(done);
    }
    close(&mut gathered, &mut alike);
    *acts = gathered;
}

fn close(gathered: &mut Vec<Done>, alike: &mut Vec<Done>) {
    let count = alike.len();
    match alike.pop() {
        Some(Done { act: Act::Run { command, failed, says, .. }, mut needs })
            if count >= MIN_ALIKE =>
        {
            needs.extend(alike.drain(..).flat_map(|done| done.needs));
            gathered.push(Done { act: Act::Run { command, failed, says, more: count - 1 }, needs });
        }
        Some(last) => {
            gathered.append(alike);
            gathered.push(last);
        }
        None => {}
    }
}

/// What an output ends with, when that is short and will be the same next time.
fn says(step: &experience::Step, folder: Option<&Path>) -> Option<String> {
    let line = step.result.lines().map(str::trim).rfind(|line| !line.is_empty())?;
    let is_quotable = line.chars().count() <= MAX_LINE_CHARS
        && line.chars().all(|c| !c.is_control() && !hone_skill::is_hidden(c))
        && !line.contains(['`', '[', '{', '}', '…'])
        // What a tool says of itself: the script that it runs.
        && !line.starts_with(['>', '$']);
    let is_path = folder.is_some_and(|folder| line.contains(&*folder.to_string_lossy()));
    if !is_quotable || is_path {
        return None;
    }
    // Figures and times differ from run to run: what stands before them does not.
    let digit = line.find(|c: char| c.is_ascii_digit());
    let same = digit.map_or(line, |at| {
        let whole = line[..at].rfind(char::is_whitespace).unwrap_or(0);
        line[..whole].trim_end_matches([' ', ',', ';', ':', '(', '.', '-', '='])
    });
    let says_something =
        same.split_whitespace().count() >= 2 && same.chars().count() <= MAX_QUOTED_CHARS;
    let how = if digit.is_some() { "says" } else { "ends with" };
    says_something.then(|| format!("{how} {}", code(same)))
}

/// Where a step stands.
#[derive(Clone, Copy)]
struct Place {
    is_first: bool,
    is_last: bool,
}

fn step(act: &Act, place: Place) -> Step {
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
                Some(says) => format!("it exits with 0 and {says}"),
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
        Act::Look(seen) => {
            let seen = listed(seen.iter().cloned());
            let look = if place.is_first { "Look first:" } else { "Look at" };
            let done = if place.is_last {
                "it shows what was asked for"
            } else {
                "you know what the next step needs"
            };
            Step { action: format!("{look} {seen}."), done: done.to_owned() }
        }
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
