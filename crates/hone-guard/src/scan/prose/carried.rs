//! Links that carry a file inside their address instead of leading to one, with an order to open it.
//!
//! A picture or a font in an address is ordinary. A page, a script or a program there has no address
//! that anybody could look up, and no download that anybody could check.

use super::super::finding::{Context, Flow, Severity};
use super::super::findings::{Findings, Match};
use super::super::kind::Language;
use super::super::passage::Passage;
use super::super::rules;
use super::super::text::floor;

/// Bytes after `data:` in which the kind of content ends.
const MAX_KIND: usize = 80;
/// Shortest content that can do something.
const MIN_CONTENT: usize = 24;
/// Bytes around a link that say what it is for.
const AROUND: usize = 400;

/// Kinds of content that are shown, not run.
const SHOWN: [&str; 5] = ["image/", "font/", "audio/", "video/", "application/font"];

/// Words that have a reader open or start something.
const STARTS: [&str; 16] = [
    "install",
    "run ",
    "start",
    "launch",
    "execute",
    "double-click",
    "double click",
    "save it",
    "save the",
    "set up",
    "setup",
    "open it",
    "open the",
    "安装",
    "instal",
    "ausfuhr",
];

/// Looks for such links in prose.
pub(super) fn look(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    let prose = matches!(passage.language, Language::Markdown | Language::Plain | Language::Html)
        && !matches!(passage.context, Context::Fence | Context::InlineCode | Context::Script);
    let text: &str = &passage.text;
    if !prose || !text.contains("data:") {
        return;
    }
    for (at, _) in text.match_indices("data:").take(16) {
        // A link's target: in parentheses, in angle brackets, or after the colon of a definition.
        if !text[..at].trim_end().ends_with(['(', '<', ':']) {
            continue;
        }
        let rest = &text[at + "data:".len()..];
        let head = &rest[..floor(rest, MAX_KIND)];
        let Some(comma) = head.find(',') else { continue };
        let kind = head[..comma].to_ascii_lowercase();
        let content = rest[comma + 1..]
            .find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"'))
            .unwrap_or(rest.len() - comma - 1);
        if content < MIN_CONTENT || SHOWN.iter().any(|shown| kind.starts_with(shown)) {
            continue;
        }
        let end = at + "data:".len() + comma + 1 + content;
        let before = &text[floor(text, at.saturating_sub(AROUND))..at];
        let after = &text[end..floor(text, (end + AROUND).min(text.len()))];
        let said = format!("{before} {after} {}", passage.headings).to_lowercase();
        if STARTS.iter().any(|word| said.contains(word)) {
            let flow = Flow::new("a file inside an address", "a program that the reader starts");
            let message = "a link carries a file of its own, to be opened or run";
            let found = Match::new(&rules::DROPPER, Severity::Warn, message).with(flow);
            findings.add(passage, at..at + "data:".len(), found);
        }
    }
}
