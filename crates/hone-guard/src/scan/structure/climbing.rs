//! Paths in prose that climb out of the skill to where keys lie: a skill has no business above its own
//! folder, and one that has such a file read names it so because the place is the same on most machines.

use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::{Language, has_extension};
use crate::scan::passage::Passage;
use crate::scan::places::{Spot, classify};
use crate::scan::rules;

/// Steps up that leave any project.
const CLIMB: &str = "../../";
/// Paths of one text that are looked at.
const MAX_PATHS: usize = 64;

/// Words of texts about such paths, which do not have them read.
#[rustfmt::skip]
const ABOUT: [&str; 26] = [
    "traversal", "attack", "reject", "refuse", "block", "validat", "sanitis", "sanitiz", "malicious", "vulnerab", "never", "not ", "n't", "escape", "escapes", "outside of", "exploit", "inject", "unsafe", "deny", "denied", "forbid", "flag ", "detect",
    "例如", "такие как",
];

/// Having something read, taken over or shown, in the languages that skills are written in.
#[rustfmt::skip]
const READS: [&str; 44] = [
    "copy", "read", "include", "open", "load", "quote", "paste", "put ", "use ", "look at", "see ", "take", "insert", "embed", "add ", "attach", "show", "print", "append", "collect", "gather", "reference", "refer", "consult", "import", "cat ",
    "lies", "lives", "found in", "find it", "stored", "summar", "kopier", "lies ", "lee ", "copia", "lis ", "copie", "读取", "复制", "查看", "прочит", "скопир", "open ",
];

/// Showing or handing on what was read.
#[rustfmt::skip]
const SHOWS: [&str; 26] = [
    "copy", "include", "quote", "paste", "put ", "insert", "embed", "attach", "show", "print", "append", "answer", "reply", "output", "send", "list ", "keep their", "keep its", "content", "what you find", "use their", "kopier", "copia", "copie",
    "复制", "скопир",
];

/// What a file above the skill holds that is nobody else's; settings count where they are shown.
fn kept(path: &str, lower: &str) -> Option<&'static str> {
    let shows = || SHOWS.iter().any(|word| lower.contains(word));
    match classify(path) {
        Some(Spot::Secret(what)) => Some(what),
        Some(Spot::DotEnv) if shows() => Some("settings of a project"),
        Some(Spot::PackageConfig) if shows() => Some("registry logins"),
        Some(Spot::Logins(what)) if shows() => Some(what),
        Some(Spot::Transcripts) => Some("conversations"),
        Some(Spot::Traces) if shows() => Some("histories"),
        None => {
            const NAMES: [&str; 7] =
                ["credential", "secret", "token", "passw", "private", "oauth", "api_key"];
            let name = path.rsplit("../").next().unwrap_or(path).to_lowercase();
            let is_kept = NAMES.iter().any(|word| name.contains(word))
                || has_extension(&name, "pem")
                || has_extension(&name, "key");
            (is_kept && !has_extension(&name, "md") && shows()).then_some("secrets")
        }
        Some(_) => None,
    }
}

/// Looks at one passage.
pub(crate) fn look(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    if passage.context != Context::Prose
        || passage.language != Language::Markdown
        || !passage.text.contains(CLIMB)
    {
        return;
    }
    let lower = passage.text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&ABOUT) || !has(&READS) {
        return;
    }
    for (at, _) in passage.text.match_indices(CLIMB).take(MAX_PATHS) {
        let rest = &passage.text[at..];
        let end = rest
            .find(|c: char| {
                c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ')' | ',' | '>' | ']')
            })
            .unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches(['.', ':', ';']);
        if let Some(what) = kept(path, &lower) {
            let message = format!("the text has a file outside of the skill read: {what}");
            let flow = Flow { source: Some(path.to_owned()), ..Flow::default() };
            let found = Match::new(&rules::LINK_OUTSIDE, Severity::Warn, message).with(flow);
            findings.add(passage, at..at + path.len(), found);
        }
    }
}
