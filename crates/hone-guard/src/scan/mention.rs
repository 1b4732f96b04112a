//! Use or mention: whether a text tells the reader to do something, or talks about it.
//!
//! A file of tests, evaluations or documentation that nothing refers to is a fixture. A block under
//! a heading about attacks, introduced as a bad example, or inside a table is a mention. Both are
//! shown and decide nothing.

use std::collections::HashMap;

use super::bundle::Member;
use super::finding::Context;
use super::kind::{Kind, Language};
use super::label;
use super::passage::Passage;
use super::report;
use super::text::Text;

/// Which files of a skill other files refer to.
#[derive(Debug)]
pub(crate) struct References {
    contexts: Vec<Context>,
}

impl References {
    /// Reads the references of all texts: a file's name, or for code the stem that an import uses.
    pub(crate) fn of(members: &[Member], texts: &[Option<Text>]) -> Self {
        // For each name and stem the first two files that hold it: enough to know of another one.
        let mut named: HashMap<&str, Option<[usize; 2]>> = HashMap::new();
        // Of a skill that is one file, no other can speak.
        if members.len() > 1 {
            named.extend(
                members
                    .iter()
                    .flat_map(|member| <[&str; 2]>::from(names(member)))
                    .map(|name| (name, None)),
            );
        }
        // Most words are as long as no name, which is told without a hash of each.
        let longest = named.keys().map(|name| name.len()).max().unwrap_or(0);
        let mut is_length = vec![false; longest + 1];
        for name in named.keys() {
            is_length[name.len()] = true;
        }
        for (file, text) in texts.iter().enumerate().filter(|_| longest > 0) {
            let words = text.iter().flat_map(|text| {
                text.plain
                    .split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '-')))
                    .filter(|word| word.len() > 2)
            });
            for word in words.map(|word| word.trim_matches('.')) {
                if is_length.get(word.len()) == Some(&true)
                    && let Some(files) = named.get_mut(word)
                {
                    let files = files.get_or_insert([file, file]);
                    if files[1] == files[0] {
                        files[1] = file;
                    }
                }
            }
        }
        let elsewhere = |word: &str, file: usize| {
            named
                .get(word)
                .copied()
                .flatten()
                .is_some_and(|files| files.iter().any(|other| *other != file))
        };
        let context = |(at, member): (usize, &Member)| {
            let (name, stem) = names(member);
            let runs = matches!(member.kind, Kind::Text(language) if language.runs());
            let is_named = elsewhere(name, at) || runs && stem.len() > 3 && elsewhere(stem, at);
            context_of(member, is_named)
        };
        Self { contexts: members.iter().enumerate().map(context).collect() }
    }

    /// What the text of a file counts as.
    pub(crate) fn context(&self, file: usize) -> Context {
        self.contexts.get(file).copied().unwrap_or(Context::Prose)
    }
}

/// The name of a file, and its stem.
fn names(member: &Member) -> (&str, &str) {
    let name = member.path.rsplit(['/', '!']).next().unwrap_or(&member.path);
    (name, name.rsplit_once('.').map_or(name, |(stem, _)| stem))
}

fn context_of(member: &Member, is_named: bool) -> Context {
    const FIXTURES: [&str; 16] = [
        "test",
        "tests",
        "__tests__",
        "testdata",
        "fixtures",
        "fixture",
        "evals",
        "eval",
        "evaluations",
        "spec",
        "specs",
        "examples",
        "samples",
        "docs",
        "doc",
        "benchmarks",
    ];
    let Kind::Text(language) = member.kind else { return Context::Setting };
    if language.runs() || member.path.to_ascii_lowercase().ends_with(".ipynb") {
        return Context::Script;
    }
    let folders = member.path.rsplit_once('/').map_or("", |(folders, _)| folders);
    let fixture =
        folders.split('/').any(|part| FIXTURES.contains(&part.to_ascii_lowercase().as_str()))
            || member
                .path
                .rsplit('/')
                .next()
                .is_some_and(|name| name.starts_with("evals.") || name.starts_with("triggers."));
    // Cases of an evaluation are data, whoever names them: a text for the skill to be tried on.
    let evaluation = folders
        .split('/')
        .any(|part| matches!(part, "evals" | "eval" | "evaluations" | "testdata" | "fixtures"));
    let data =
        matches!(language, Language::Json | Language::Yaml | Language::Toml | Language::Plain);
    if fixture && (!is_named || evaluation && data) {
        return Context::Fixture;
    }
    match language {
        Language::Markdown | Language::Plain | Language::Html => Context::Prose,
        _ => Context::Setting,
    }
}

/// Words in a heading that make what stands under it a description of attacks or mistakes.
const HEADINGS: &[&str] = &[
    "auffällig",
    "verdächtig",
    "angriff",
    "schadcode",
    "sospechos",
    "ataque",
    "malicios",
    "attaque",
    "suspect",
    "malveillant",
    "атак",
    "подозрительн",
    "вредонос",
    "攻击",
    "可疑",
    "恶意",
    "入侵",
    "anti-pattern",
    "antipattern",
    "anti pattern",
    "bad example",
    "what not to",
    "don't",
    "do not",
    "don’t",
    "red flag",
    "attack",
    "injection",
    "threat",
    "vulnerab",
    "malicious",
    "exploit",
    "payload",
    "adversarial",
    "jailbreak",
    "dangerous",
    "forbidden",
    "blocked",
    "suspicious",
    "indicator",
    "ioc",
    "signatures",
    "detect",
    "reverse shell",
    "privilege escalation",
    "persistence",
    "exfiltration",
    "malware",
    "abuse",
    "never",
    "avoid",
    "unsafe",
    "insecure",
    "common mistakes",
    "pitfall",
    "warning sign",
    "what to look for",
    "what we flag",
    "checks for",
    "scan for",
    "test case",
    "false positive",
    "phishing",
    "incident",
    "compromise",
    "post-exploitation",
    "enumeration",
    "lateral movement",
    "red team",
    "cheat sheet",
    "hunting",
    "denied",
    "deny",
    "risk",
    "footgun",
    "反模式",
    "攻击",
    "恶意",
    "危险",
    "检测",
    "禁止",
    "错误示例",
];

/// Words that keep a heading from being about mistakes: what stands under it is to be done.
const DOING: &[&str] = &[
    "setup",
    "set up",
    "set-up",
    "install",
    "prerequisite",
    "requirement",
    "getting started",
    "quick start",
    "quickstart",
    "usage",
    "before you",
    "first run",
    "configuration",
    "activate",
    "initial",
];

/// Marks the passages that only mention.
pub(crate) fn mark(passages: &mut [Passage<'_>]) {
    // Neighbours mostly stand under the same headings, which are asked about once.
    let (mut headings, mut about) = (String::new(), false);
    for passage in passages {
        if *passage.headings != headings {
            passage.headings.as_ref().clone_into(&mut headings);
            about = is_about_mistakes(&headings);
        }
        let mention = match passage.context {
            Context::Fence => {
                about && !(is_ambiguous(&headings) && is_ordered(&passage.lead))
                    || is_labelled(passage)
                    || report::is_timeline(&passage.text)
            }
            Context::InlineCode => about || is_labelled(passage),
            Context::Prose => about || report::is_report(passage),
            _ => false,
        };
        if mention {
            passage.context = Context::Mention;
        }
    }
}

/// Whether headings are about mistakes by such words alone.
fn is_ambiguous(headings: &str) -> bool {
    let sections = headings.split_once(" / ").map_or("", |(_, below)| below);
    HEADINGS
        .iter()
        .filter(|word| starts_a_word(sections, word))
        .all(|word| AMBIGUOUS.contains(word))
}

/// Whether a heading has a word that starts so: an asterisk is no risk.
pub(crate) fn starts_a_word(heading: &str, start: &str) -> bool {
    starts(heading, start).next().is_some()
}

/// Where in a text a word starts so.
pub(crate) fn starts<'a>(text: &'a str, start: &'a str) -> impl Iterator<Item = usize> + 'a {
    let is_word = start.starts_with(|c: char| c.is_ascii_alphanumeric()) && start.is_ascii();
    text.match_indices(start)
        .map(|(at, _)| at)
        .filter(move |at| !is_word || !text[..*at].ends_with(|c: char| c.is_ascii_alphanumeric()))
}

/// Whether a section is about attacks or mistakes, by the headings above a text.
pub(crate) fn is_about_mistakes(headings: &str) -> bool {
    // The title names the subject; the sections below it say what is done with it.
    let sections = headings.split_once(" / ").map_or("", |(_, below)| below);
    HEADINGS.iter().any(|word| starts_a_word(sections, word))
        && !DOING.iter().any(|word| sections.contains(word))
}

fn is_labelled(passage: &Passage<'_>) -> bool {
    let lead = passage.lead.trim_end();
    if report::is_quoted(lead) {
        return true;
    }
    if passage.context == Context::InlineCode {
        return label::of_span(&passage.lead);
    }
    label::of_block(lead)
        || passage
            .text
            .lines()
            .take(2)
            .map(str::trim)
            .filter(|line| line.starts_with(['#', '/', '-', ';']))
            .any(|line| label::of_comment(&line.to_lowercase()))
}

/// Words of a heading that may as well say what a step is for: `Avoid password prompts`.
const AMBIGUOUS: [&str; 12] = [
    "avoid",
    "never",
    "don't",
    "don’t",
    "do not",
    "denied",
    "deny",
    "blocked",
    "risk",
    "pitfall",
    "cheat sheet",
    "compromise",
];

/// Whether the sentence before a block has the reader do what stands in it.
fn is_ordered(lead: &str) -> bool {
    const DOING: [&str; 40] = [
        "run", "execute", "start", "open", "add", "put", "install", "paste", "apply", "set",
        "save", "create", "clear", "switch", "turn", "enable", "disable", "fix", "type", "enter",
        "launch", "call", "copy", "write", "append", "download", "fetch", "load", "allow", "grant",
        "give", "let", "make", "do", "use", "change", "spare", "first", "then", "once",
    ];
    let sentence = lead.trim_end();
    let last = sentence.trim_end_matches(':').rsplit(['.', '!', '?', '\n', '。']).next();
    let first = last.unwrap_or_default().trim_start_matches(|c: char| !c.is_alphanumeric());
    let first = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    sentence.ends_with(':') && DOING.contains(&first)
}

/// Whether a text holds a word: not as a part of another where it starts and ends with a letter.
pub(crate) fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        let letter = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
        let starts = word.chars().next().is_some_and(|c| c.is_ascii_alphanumeric());
        let ends = word.chars().next_back().is_some_and(|c| c.is_ascii_alphanumeric());
        let inside = starts && letter(before)
            || ends && letter(after) && !text[at + word.len()..].starts_with('s');
        !inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::markdown::passages;

    fn contexts(markdown: &str) -> Vec<Context> {
        let text = Text::from_string(markdown.to_owned());
        let all = 0..text.plain.len();
        let mut found = passages(&text, 0, all, Context::Prose);
        mark(&mut found);
        found.iter().filter(|p| p.language == Language::Shell).map(|p| p.context).collect()
    }

    #[test]
    fn examples_of_what_not_to_do_are_mentions() {
        assert_eq!(contexts("# T\nNever run this:\n```sh\nx\n```\n"), [Context::Mention]);
        assert_eq!(contexts("# T\n## Red flags\n```sh\nx\n```\n"), [Context::Mention]);
        assert_eq!(contexts("# T\n## Avoid\n```sh\nx\n```\n"), [Context::Mention]);
        assert_eq!(contexts("# T\n## Avoid\nDo not use:\n```sh\nx\n```\n"), [Context::Mention]);
        assert_eq!(
            contexts("# T\n## Avoid prompts\nRun this once:\n```sh\nx\n```\n"),
            [Context::Fence]
        );
        assert_eq!(
            contexts("# T\n## Attack\nRun this on the target:\n```sh\nx\n```\n"),
            [Context::Mention]
        );
        assert_eq!(contexts("# T\nFlag this line:\n```sh\nx\n```\n"), [Context::Mention]);
        assert_eq!(contexts("# T\nClear the flag and go:\n```sh\nx\n```\n"), [Context::Fence]);
        assert_eq!(
            contexts("# T\nText\n```sh\n# BAD: pipes to a shell\nx\n```\n"),
            [Context::Mention]
        );
        assert_eq!(
            contexts("# Injection guide\nRun this first:\n```sh\nx\n```\n"),
            [Context::Fence]
        );
        assert_eq!(
            contexts("# T\nDo not worry about errors. Run this:\n```sh\nx\n```\n"),
            [Context::Fence]
        );
        assert_eq!(contexts("# T\nRun `make` now\n"), [Context::InlineCode]);
        assert_eq!(
            contexts(
                "# T\n> 03:12 The alert fired. The process list showed `x` with PHP as parent.\n"
            ),
            [Context::Mention]
        );
        assert_eq!(
            contexts("# T\n> 02:14:07 web2 auditd: `www` started `x`\n> 02:15 web2: `y` failed\n"),
            [Context::Mention; 3]
        );
        assert_eq!(contexts("# T\n02:14 is when `x` runs\n"), [Context::InlineCode]);
        assert_eq!(contexts("# T\nWe found that `x` works best\n"), [Context::InlineCode]);
    }
}
