//! Words for a draft: the task as something that one asks for, a name, a sentence.

use hone_skill::Slug;

use super::MAX_MESSAGES;
use super::tools::Tool;
use crate::experience::{Experience, bounded};

/// Characters of a sentence about what a skill does.
pub const MAX_WHAT_CHARS: usize = 300;

/// Characters of an example message.
pub const MAX_EXAMPLE_CHARS: usize = 200;

const MAX_PHRASE_CHARS: usize = 120;

/// Words that a name is made of.
const NAME_WORDS: usize = 4;

/// Ways to begin a request, longest first.
const POLITE: [&str; 16] = [
    "i would like you to ",
    "i'd like you to ",
    "i want you to ",
    "i need you to ",
    "would you please ",
    "could you please ",
    "can you please ",
    "would you ",
    "could you ",
    "can you ",
    "please ",
    "let's ",
    "lets ",
    "hey, ",
    "hi, ",
    "now ",
];

/// Words that say nothing in a name.
#[rustfmt::skip]
const EMPTY: [&str; 44] = [
    "a", "an", "the", "to", "for", "of", "in", "on", "at", "by", "with", "and", "or", "from", "into",
    "my", "our", "your", "its", "this", "that", "these", "those", "it", "is", "are", "be", "so", "all",
    "me", "us", "we", "i", "you", "then", "just", "also", "some", "new", "there", "up", "out", "as",
    "please",
];

/// The first sentence of a task, as something that is asked for: "bump the version".
pub(crate) fn of_task(task: &str) -> String {
    let mut sentence = sentence(task);
    while let Some(rest) = POLITE.iter().find_map(|start| strip(sentence, start)) {
        sentence = rest;
    }
    let sentence = sentence.trim_end_matches(['.', '!', '?', ':', ' ', ',']);
    let cut = at_word(sentence, MAX_PHRASE_CHARS);
    let mut chars = cut.chars();
    match chars.next() {
        // `README` and `I` stay as they are.
        Some(first) if !chars.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => cut.to_owned(),
    }
}

fn strip<'t>(text: &'t str, start: &str) -> Option<&'t str> {
    let head = text.get(..start.len())?;
    head.eq_ignore_ascii_case(start).then(|| text[start.len()..].trim_start())
}

/// A message like the task: its first sentence as it was typed.
pub(super) fn example(task: &str) -> Option<String> {
    let sentence = at_word(sentence(task), MAX_EXAMPLE_CHARS).trim_end_matches('.');
    (!sentence.is_empty()).then(|| sentence.replace('"', "'"))
}

/// Words of a line that says what it is about: not "Hi".
const MIN_SAYING_WORDS: usize = 2;

/// What the person corrected, each on a line, once.
pub(super) fn notes(experience: &Experience) -> Vec<String> {
    let mut notes: Vec<String> = Vec::new();
    for said in &experience.corrections {
        let line = said.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let note = bounded(&line, MAX_EXAMPLE_CHARS);
        if notes.len() < MAX_MESSAGES && !notes.contains(&note) {
            notes.push(note);
        }
    }
    notes
}

/// The first line that says something, up to the end of its first sentence.
fn sentence(text: &str) -> &str {
    let says = |line: &&str| line.chars().any(char::is_alphanumeric);
    let is_long = |line: &&str| line.split_whitespace().count() >= MIN_SAYING_WORDS;
    let lines = || text.lines().map(str::trim).filter(says);
    let line = lines().find(is_long).or_else(|| lines().next());
    let line = line.unwrap_or_default().trim_start_matches(['#', '*', '-', '>', ' ']);
    let end = line
        .match_indices(['.', '!', '?'])
        .find(|(at, _)| line[at + 1..].chars().next().is_none_or(char::is_whitespace));
    end.map_or(line, |(at, _)| &line[..=at])
}

/// At most so many characters, cut between words.
fn at_word(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let cut = &text[..end];
    cut.rfind(' ').map_or(cut, |blank| &cut[..blank])
}

/// A name from the words that say something, else from the commands.
pub(super) fn name(phrase: &str, tools: &[Tool]) -> String {
    let words = phrase
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()))
        .filter(|word| !EMPTY.contains(&word.to_lowercase().as_str()))
        .take(NAME_WORDS)
        .collect::<Vec<_>>()
        .join("-");
    let commands = || programs(tools).into_iter().take(2).collect::<Vec<_>>().join("-");
    [words, commands()]
        .iter()
        .find_map(|name| Slug::new(name).ok())
        .map_or_else(|| "learned-procedure".to_owned(), |slug| slug.as_str().to_owned())
}

/// The programs with their sub-commands: `cargo test`.
fn programs(tools: &[Tool]) -> Vec<String> {
    let inside = |tool: &Tool| -> Option<String> {
        let inside = tool.permission.strip_prefix("Bash(")?.strip_suffix(')')?;
        Some(inside.trim_end_matches(":*").to_owned())
    };
    let is_plain = |program: &String| !LOOKS.contains(&program.as_str());
    tools.iter().filter_map(inside).filter(is_plain).collect()
}

/// Commands that only look.
#[rustfmt::skip]
pub(super) const LOOKS: [&str; 22] = [
    "ls", "cat", "head", "tail", "grep", "rg", "find", "wc", "pwd", "cd", "echo", "which", "tree",
    "file", "stat", "less", "sort", "uniq", "true", "sleep", "type", "printf",
];

/// A sentence: the phrase, and what it is done with. No code in it: what stands in quotes or backticks
/// of a description counts as a message that calls the skill.
pub(super) fn what(phrase: &str, tools: &[Tool]) -> String {
    let mut with: Vec<String> = programs(tools);
    with.dedup();
    with.truncate(3);
    let mut first = phrase.chars();
    let phrase: String = match first.next() {
        Some(c) => c.to_uppercase().chain(first).collect(),
        None => "Repeats a recorded procedure".to_owned(),
    };
    let tail = match with.as_slice() {
        [] => String::new(),
        [one] => format!(", with {one}"),
        [front @ .., last] => format!(", with {} and {last}", front.join(", ")),
    };
    format!("{}{tail}.", at_word(&phrase, MAX_WHAT_CHARS - tail.len().min(MAX_WHAT_CHARS) - 1))
}

impl super::Draft {
    /// A name made from the sentence that says what it does.
    pub(crate) fn name_of_what(&self) -> String {
        name(&of_task(&self.what), &self.tools)
    }
}
