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

/// Ways to begin a request: longer ones before those that they begin with.
#[rustfmt::skip]
const POLITE: [&str; 47] = [
    "i would like you to ", "i'd like you to ", "i want you to ", "i need you to ", "would you please ",
    "could you please ", "can you please ", "would you ", "could you ", "can you ", "please ", "let's ",
    "lets ", "hey, ", "hi, ", "now ",
    "kannst du bitte ", "könntest du bitte ", "können sie bitte ", "könnten sie bitte ", "kannst du ",
    "könntest du ", "können sie ", "könnten sie ", "bitte ", "jetzt ",
    "por favor, ", "por favor ", "¿puedes ", "puedes ", "¿podrías ", "podrías ",
    "s'il te plaît, ", "s'il vous plaît, ", "peux-tu ", "pouvez-vous ", "pourrais-tu ", "pourriez-vous ",
    "пожалуйста, ", "пожалуйста ", "можешь ", "не мог бы ты ",
    "请你", "请", "麻烦你", "帮我", "麻烦",
];

/// Ways to end one, behind a comma or a blank.
#[rustfmt::skip]
const POLITE_END: [&str; 14] = [
    "please", "thanks", "thank you", "bitte", "danke", "por favor", "gracias", "s'il te plaît",
    "s'il vous plaît", "merci", "пожалуйста", "спасибо", "谢谢", "拜托",
];

/// Words that say nothing in a name.
#[rustfmt::skip]
const EMPTY: [&str; 98] = [
    "a", "an", "the", "to", "for", "of", "in", "on", "at", "by", "with", "and", "or", "from", "into",
    "my", "our", "your", "its", "this", "that", "these", "those", "it", "is", "are", "be", "so", "all",
    "me", "us", "we", "i", "you", "then", "just", "also", "some", "new", "there", "up", "out", "as",
    "please",
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "und", "oder",
    "auf", "zu", "zum", "zur", "im", "für", "mit", "von", "vom", "mir", "uns", "bitte", "alle",
    "el", "la", "los", "las", "un", "una", "del", "de", "en", "y", "para", "por", "con", "mi", "al",
    "le", "les", "une", "du", "et", "ou", "pour", "avec", "dans", "mon", "ma", "sur", "au",
];

/// Words of the two that belong to the verb before them: "back up", "roll out".
const WITH_VERB: [&str; 2] = ["up", "out"];

/// How a phrase is said to be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Something to do: "bump the version".
    Request,
    /// A question: "where is the limit defined".
    Question,
    /// How things are: "the build fails".
    Statement,
    /// In another language, or in a form that goes with no English words around it.
    Other,
}

const QUESTIONS: [&str; 7] = ["what", "why", "how", "where", "when", "which", "who"];
#[rustfmt::skip]
const STATEMENTS: [&str; 21] = [
    "the", "this", "that", "there", "these", "those", "my", "our", "it", "i", "we", "a", "an", "some",
    "i'm", "i've", "it's", "there's", "we're", "getting", "after",
];
const OTHERS: [&str; 24] = [
    "is", "are", "does", "did", "has", "have", "should", "der", "die", "das", "den", "ein", "eine",
    "einen", "wie", "warum", "was", "el", "la", "los", "las", "le", "les", "un",
];

/// The form of a phrase, by its first word.
pub(super) fn form(phrase: &str) -> Form {
    let first = phrase.split_whitespace().next().unwrap_or_default();
    let first = first.trim_end_matches([',', ':']).to_lowercase().replace('\u{2019}', "'");
    let is = |words: &[&str]| words.contains(&first.as_str());
    if is(&OTHERS) || phrase.chars().any(|c| c.is_alphabetic() && !c.is_ascii()) {
        Form::Other
    } else if is(&QUESTIONS) {
        Form::Question
    } else if is(&STATEMENTS) {
        Form::Statement
    } else {
        Form::Request
    }
}

/// When a skill is used, in a sentence: "Use when asked to bump the version, or to tag it."
pub(super) fn when(phrases: &[String]) -> String {
    if phrases.iter().all(|phrase| form(phrase) == Form::Request) {
        return format!("Use when asked to {}.", phrases.join(", or to "));
    }
    let all: Vec<String> =
        phrases.iter().map(|phrase| format!("{} {phrase}", lead(phrase))).collect();
    format!("Use {}.", all.join(", or "))
}

/// What leads to a phrase in a sentence.
pub fn lead(phrase: &str) -> &'static str {
    match form(phrase) {
        Form::Request => "when asked to",
        Form::Question => "when asked",
        Form::Statement => "when",
        Form::Other => "when asked:",
    }
}

/// The first sentence of a task, as something that is asked for: "bump the version". Of "the test is
/// flaky, can you fix it" the request comes first: "fix it: the test is flaky".
pub(crate) fn of_task(task: &str) -> String {
    let sentence = polished(sentence(task));
    let phrase = match asked_behind(sentence) {
        Some((request, about)) => format!("{request}: {}", lower(about)),
        None => sentence.to_owned(),
    };
    lower(at_word(&phrase, MAX_PHRASE_CHARS))
}

/// A sentence without its polite beginning and its end.
fn polished(mut sentence: &str) -> &str {
    while let Some(rest) = POLITE.iter().find_map(|start| strip(sentence, start)) {
        sentence = rest;
    }
    let ends = ['.', '!', '?', ':', ' ', ',', '。', '！', '？', '，'];
    sentence = sentence.trim_end_matches(ends);
    while let Some(rest) = POLITE_END.iter().find_map(|end| strip_end(sentence, end, &ends)) {
        sentence = rest.trim_end_matches(ends);
    }
    sentence
}

/// What stands before a polite end; one that is a part of a word is none.
fn strip_end<'t>(text: &'t str, end: &str, before: &[char]) -> Option<&'t str> {
    let at = text.len().checked_sub(end.len())?;
    let tail = text.get(at..)?;
    let rest = &text[..at];
    let is_apart = rest.ends_with(before) || !end.starts_with(|c: char| c < '\u{2e80}');
    (tail.to_lowercase() == end && is_apart && !rest.is_empty()).then_some(rest)
}

/// With a small letter first; `README` and `I` stay as they are.
fn lower(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) if !chars.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

/// What is asked for behind how things are, and how they are.
fn asked_behind(sentence: &str) -> Option<(&str, &str)> {
    for (at, mark) in sentence.match_indices([',', ';']) {
        let rest = sentence[at + mark.len()..].trim_start();
        let request = polished(rest);
        if request.len() < rest.trim_end_matches(['.', '!', '?']).len()
            && form(request) == Form::Request
            && !request.is_empty()
        {
            return Some((request, sentence[..at].trim_end()));
        }
    }
    None
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
    let ends = |(at, mark): &(usize, &str)| {
        let is_end = line[at + mark.len()..].chars().next().is_none_or(char::is_whitespace);
        is_end || !mark.is_ascii()
    };
    let end = line.match_indices(['.', '!', '?', '。', '！', '？']).find(ends);
    end.map_or(line, |(at, mark)| &line[..at + mark.len()])
}

/// At most so many characters, cut between words.
fn at_word(text: &str, most: usize) -> &str {
    let Some((end, _)) = text.char_indices().nth(most) else { return text };
    let cut = &text[..end];
    cut.rfind(' ').map_or(cut, |blank| &cut[..blank])
}

/// A name from the words that say something, else from the commands.
pub(super) fn name(phrase: &str, tools: &[Tool]) -> String {
    let all: Vec<&str> = named(phrase)
        .split(|c: char| !c.is_alphanumeric() && c != '\'')
        .filter(|word| !word.is_empty() && !word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    let says = |at: usize| {
        let word = all[at].to_lowercase();
        !EMPTY.contains(&word.as_str()) || (at == 1 && WITH_VERB.contains(&word.as_str()))
    };
    let words: Vec<&str> = (0..all.len()).filter(|at| says(*at)).map(|at| all[at]).collect();
    // A word in another script would be a number in a slug.
    let plain = words.iter().copied().filter(|word| word.chars().all(is_latin));
    let plain: Vec<&str> = plain.take(NAME_WORDS).collect();
    let commands = programs(tools).into_iter().take(2).collect::<Vec<_>>().join("-");
    let is_whole =
        plain.len() >= MIN_SAYING_WORDS || words.iter().all(|word| word.chars().all(is_latin));
    let plain = Some(plain.join("-")).filter(|_| is_whole);
    let words = words.into_iter().take(NAME_WORDS).collect::<Vec<_>>().join("-");
    [plain.unwrap_or_default(), commands, words]
        .iter()
        .find_map(|name| Slug::new(name).ok())
        .map_or_else(|| "learned-procedure".to_owned(), |slug| slug.as_str().to_owned())
}

/// Whether a letter is one that a slug can have, with or without an accent.
fn is_latin(c: char) -> bool {
    c <= '\u{24f}'
}

/// The part of a phrase that names it: of "fix it: the test is flaky" what `it` stands for.
fn named(phrase: &str) -> &str {
    let is_it = |word: &str| matches!(word, "it" | "this" | "that" | "them");
    match phrase.split_once(": ") {
        Some((request, about)) if request.split_whitespace().any(is_it) => about,
        _ => phrase,
    }
}

/// The programs with their sub-commands: `cargo test`.
fn programs(tools: &[Tool]) -> Vec<String> {
    let inside = |tool: &Tool| -> Option<String> {
        let inside = tool.permission.strip_prefix("Bash(")?.strip_suffix(')')?;
        Some(inside.trim_end_matches(":*").to_owned())
    };
    let is_plain = |program: &String| {
        !LOOKS.contains(&program.as_str())
            && !LOOKS_OF.contains(&program.as_str())
            && !GLUE.contains(&program.as_str())
    };
    tools.iter().filter_map(inside).filter(is_plain).collect()
}

/// Commands that only look.
#[rustfmt::skip]
pub(super) const LOOKS: [&str; 22] = [
    "ls", "cat", "head", "tail", "grep", "rg", "find", "wc", "pwd", "cd", "echo", "which", "tree",
    "file", "stat", "less", "sort", "uniq", "true", "sleep", "type", "printf",
];

/// Commands with a sub-command that only look.
pub(super) const LOOKS_OF: [&str; 8] = [
    "git status",
    "git log",
    "git diff",
    "git show",
    "git branch",
    "git blame",
    "git ls-files",
    "crontab -l",
];

/// What holds commands together and says nothing about the work.
#[rustfmt::skip]
const GLUE: [&str; 15] = [
    "seq", "break", "continue", "exit", "test", "[", "export", "set", "read", "wait", "sed", "sed -n", "date",
    "git add", "mkdir",
];

/// A sentence: the phrase, and what it is done with. No code in it: what stands in quotes or backticks
/// of a description counts as a message that calls the skill.
pub(super) fn what(phrase: &str, tools: &[Tool]) -> String {
    let mut with: Vec<String> = programs(tools);
    with.dedup();
    with.truncate(3);
    let phrase = match form(phrase) {
        Form::Question => format!("answers {phrase}"),
        Form::Statement => format!("what to do when {phrase}"),
        Form::Request | Form::Other => phrase.to_owned(),
    };
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
