//! A program that works as a model: it looks for what is asked by the way of its family, follows a skill
//! to the letter when the words of one are about the task, and has one lesson for each family.

use std::collections::BTreeSet;

use hone_agent::model::{Message, Model, Pending, Reply, Request, Role, Usage};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::families::{Asked, Call, Family, about};

/// Words that a task and the line of a skill must share before the pupil reads the skill.
const MIN_SHARED: usize = 2;

/// Letters of a word that are compared, so that `parcel` and `parcels` are one.
const STEM: usize = 5;

const DAYS: [&str; 3] = ["Monday", "Tuesday", "Wednesday"];

/// The tools that a step of a skill can name.
const TOOLS: [&str; 3] = ["read_file", "list_files", "search_files"];

/// The pupil.
#[derive(Debug)]
pub(super) struct Pupil;

impl Model for Pupil {
    fn backend(&self) -> &'static str {
        "pupil"
    }

    fn name(&self) -> &'static str {
        "pupil"
    }

    fn ask<'a>(&'a self, request: &'a Request, _: &'a CancellationToken) -> Pending<'a> {
        let text = reply(&request.messages);
        let chars: usize = request.messages.iter().map(|message| message.content.len()).sum();
        let usage =
            Usage { input: chars as u64 / 4, output: text.len() as u64 / 4, is_estimate: true };
        let reply = Reply { text, model: "pupil".to_owned(), usage, is_cut: false };
        Box::pin(async move { Ok(reply) })
    }
}

fn reply(messages: &[Message]) -> String {
    let content = |message: Option<&Message>| {
        message.map(|message| message.content.clone()).unwrap_or_default()
    };
    let (system, last) = (content(messages.first()), content(messages.last()));
    if system.starts_with("You compare two answers") {
        let same = inside(&last, "right") == inside(&last, "answer");
        return if same { "YES" } else { "NO" }.to_owned();
    }
    if system.starts_with("You write skills") {
        // Asked about a twin, the pupil insists on the skill that it wrote.
        let written = inside(&last, "new").map(|new| format!("CREATE\n{new}\n"));
        let lesson = || about(inside(&last, "task")?).map(|(family, _)| family.lesson.to_owned());
        return written.or_else(lesson).unwrap_or_else(|| "SKIP".to_owned());
    }
    let task = content(messages.get(1));
    match about(&task) {
        Some((family, asked)) => next_step(family, asked, messages),
        None => json!({"answer": "I do not know"}).to_string(),
    }
}

/// What stands between two tags.
fn inside<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    rest.split_once(&format!("</{tag}>")).map(|(inside, _)| inside.trim())
}

fn next_step(family: &Family, asked: &Asked, messages: &[Message]) -> String {
    let said = messages.iter().filter(|message| message.role == Role::Assistant);
    let calls: Vec<&str> = said.map(|message| message.content.as_str()).collect();
    let last = messages.last().map_or("", |message| message.content.as_str());
    let looked = calls.last().is_some_and(|call| !call.contains("\"skill_view\""));
    if let Some(value) = value(last, asked.key).filter(|_| looked) {
        return json!({"answer": value}).to_string();
    }
    let Some(first) = calls.first() else {
        let system = messages.first().map_or("", |message| message.content.as_str());
        return match chosen(system, asked.question) {
            Some(skill) => json!({"tool": "skill_view", "args": {"name": skill}}).to_string(),
            None => on_the_long_way(family, asked, 0),
        };
    };
    if !first.contains("\"skill_view\"") {
        return on_the_long_way(family, asked, calls.len());
    }
    let steps = steps(messages.get(3).map_or("", |message| message.content.as_str()));
    let done = calls.len() - 1;
    match steps.get(done) {
        Some(step) => step.clone(),
        None => on_the_long_way(family, asked, done - steps.len()),
    }
}

/// What stands behind a key at the beginning of a line, or behind the place that a search names.
fn value<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    let at = text.find(&format!("{key}: "))? + key.len() + 2;
    text[at..].lines().next().map(str::trim)
}

/// The n-th step of a family's long way, which begins with places where nothing is.
fn on_the_long_way(family: &Family, asked: &Asked, at: usize) -> String {
    if at < asked.lost {
        return read(&format!("{}-{at}.txt", family.name));
    }
    match family.long_way.get(at - asked.lost) {
        Some(Call::Read(path)) => read(&on_day(path, asked.question)),
        Some(Call::Search(text)) => {
            json!({"tool": "search_files", "args": {"text": text}}).to_string()
        }
        Some(Call::List) | None => json!({"tool": "list_files", "args": {}}).to_string(),
    }
}

fn read(path: &str) -> String {
    json!({"tool": "read_file", "args": {"path": path}}).to_string()
}

/// A path with the weekday of a question in place of `DAY`.
pub(super) fn on_day(path: &str, question: &str) -> String {
    let day = DAYS.into_iter().find(|day| question.contains(day)).unwrap_or_default();
    path.replace("DAY", &day.to_lowercase())
}

/// The calls that the numbered steps of a skill name: a tool and what it is called with, both as code.
fn steps(text: &str) -> Vec<String> {
    let numbered = |line: &&str| line.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let call = |line: &str| {
        let code: Vec<&str> = line.split('`').skip(1).step_by(2).collect();
        let tool = code.iter().find(|code| TOOLS.contains(code))?;
        let with = code.iter().find(|code| !TOOLS.contains(code))?;
        let argument = if *tool == "search_files" { "text" } else { "path" };
        Some(json!({"tool": tool, "args": {argument: with}}).to_string())
    };
    text.lines().filter(numbered).filter_map(call).collect()
}

/// The skill of the index that shares most words with a question; of equals, the first.
fn chosen(system: &str, question: &str) -> Option<String> {
    let asked = stems(question);
    let mut best = (MIN_SHARED - 1, None);
    for line in system.lines() {
        let Some(line) = line.strip_prefix("▸ ") else { continue };
        let shared = stems(line).intersection(&asked).count();
        if shared > best.0 {
            best = (shared, line.split(':').next().map(str::to_owned));
        }
    }
    best.1
}

fn stems(text: &str) -> BTreeSet<String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 3);
    words.map(|word| word.to_lowercase().chars().take(STEM).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_is_followed_to_the_letter() {
        let text = "# Steps\n\n1. Open `a/b.csv` with `read_file`. Done when it is read.\n2. Look for `x y` \
                    (`search_files`).\n3. Answer.\n";
        let calls = [
            json!({"tool": "read_file", "args": {"path": "a/b.csv"}}).to_string(),
            json!({"tool": "search_files", "args": {"text": "x y"}}).to_string(),
        ];
        assert_eq!(steps(text), calls);
    }

    #[test]
    fn a_skill_is_chosen_by_its_words_and_one_word_is_not_enough() {
        let system = "x\n▸ bread: Bakes loaves. Use when bread is baked\n▸ parcel: Counts parcels of docks\n";
        assert_eq!(chosen(system, "How many parcels left our docks?").as_deref(), Some("parcel"));
        assert_eq!(chosen(system, "Where are the docks?"), None);
    }
}
