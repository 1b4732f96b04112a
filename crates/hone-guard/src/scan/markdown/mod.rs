//! Markdown taken apart: sentences, code blocks, code spans, and what a rendered page does not show,
//! each with its headings, so that an instruction can be told from a mention.

mod attributes;
mod html;
mod walk;

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::finding::Context;
use super::kind::Language;
use super::passage::Passage;
use super::text::Text;
pub(crate) use attributes::attributes;
pub(crate) use html::html_parts;
use pulldown_cmark::{CodeBlockKind, Event, LinkType, Options, Parser, Tag, TagEnd};
use walk::{Block, Walk};

/// The passages of a Markdown text. `file` is its index, `context` what its prose counts as.
pub(crate) fn passages(
    text: &Text,
    file: usize,
    body: Range<usize>,
    context: Context,
) -> Vec<Passage<'_>> {
    let source = &text.plain[body.clone()];
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(source, options);
    let mut walk = Walk {
        text,
        file,
        base: body.start,
        context,
        found: Vec::new(),
        headings: Vec::new(),
        has_title: false,
        block: Block::default(),
        lead: String::new(),
        list_lead: None,
        table: 0,
        table_runs: false,
        hidden: None,
        unseen: Block::default(),
    };
    for (label, definition) in parser.reference_definitions().iter() {
        walk.definition(
            label,
            &definition.dest,
            definition.title.as_deref(),
            definition.span.clone(),
        );
    }
    // Of several definitions of one label only the first is kept by the parser.
    let known: std::collections::HashSet<usize> =
        parser.reference_definitions().iter().map(|(_, known)| known.span.start).collect();
    for (label, dest, title, span) in definitions(source) {
        if !known.contains(&span.start) {
            walk.definition(label, dest, Some(title), span);
        }
    }
    let mut code: Option<(Option<Language>, Range<usize>)> = None;
    let mut rules = false;
    let mut code_text = String::new();
    let mut code_pieces = Vec::new();
    let mut heading: Option<usize> = None;
    let mut target = String::new();
    let mut last_cell = 0;
    for (event, range) in parser.into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(kind)) => {
                walk.end_block();
                let language = match &kind {
                    CodeBlockKind::Fenced(info) => Language::of_fence(info)
                        .or(if info.trim().is_empty() { Some(Language::Shell) } else { None }),
                    CodeBlockKind::Indented => Some(Language::Shell),
                };
                // Rules of detectors hold what they look for.
                rules = matches!(&kind, CodeBlockKind::Fenced(info) if is_detector(info));
                if let CodeBlockKind::Fenced(info) = &kind {
                    walk.info(info, range.start);
                }
                code = Some((language, range));
                code_text.clear();
                code_pieces.clear();
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, _)) = code.take() {
                    let text = std::mem::take(&mut code_text);
                    let pieces = std::mem::take(&mut code_pieces);
                    // A document inside a block: each of its own blocks is one.
                    for (inner, range) in inner_blocks(&text) {
                        let pieces = pieces_of(&pieces, &range);
                        let language = inner.map_or(language, Language::of_fence);
                        walk.code(language, text[range].to_owned(), pieces, rules);
                    }
                }
            }
            Event::Text(piece) if code.is_some() => {
                code_pieces.push((code_text.len(), walk.base + range.start));
                code_text.push_str(&piece);
            }
            Event::Start(Tag::Heading { level, .. }) => {
                walk.end_block();
                heading = Some(level as usize);
            }
            Event::End(TagEnd::Heading(_)) => {
                if let Some(level) = heading.take() {
                    walk.heading(level);
                }
            }
            Event::Start(Tag::List(_)) => {
                walk.end_block();
                walk.list_lead = Some(walk.lead.clone());
            }
            Event::End(TagEnd::List(_)) => {
                walk.end_block();
                walk.list_lead = None;
            }
            Event::Start(Tag::Table(_)) => {
                walk.end_block();
                walk.table += 1;
                walk.table_runs = false;
            }
            Event::End(TagEnd::TableHead) => {
                let head = walk.block.text.to_lowercase();
                walk.table_runs = RUN_COLUMNS.iter().any(|word| head.contains(word));
                walk.end_block();
            }
            Event::End(TagEnd::Table) => {
                walk.end_block();
                walk.table = walk.table.saturating_sub(1);
            }
            Event::Start(
                Tag::Paragraph
                | Tag::Item
                | Tag::BlockQuote(_)
                | Tag::HtmlBlock
                | Tag::TableRow
                | Tag::TableHead,
            )
            | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_)) => {
                walk.end_block();
            }
            Event::End(TagEnd::TableRow) => {
                walk.end_block();
                // Cells beyond the columns of the head: a page drops them, an agent reads them.
                if let Some(dropped) = source.get(last_cell..range.end)
                    && dropped.contains(char::is_alphanumeric)
                {
                    walk.hide(dropped, last_cell);
                }
            }
            Event::End(TagEnd::HtmlBlock) => walk.end_html(),
            Event::End(TagEnd::TableCell) => {
                last_cell = range.end;
                walk.block.push(" | ", walk.base + range.end);
            }
            Event::Start(
                Tag::Link { link_type, dest_url, title, .. }
                | Tag::Image { link_type, dest_url, title, .. },
            ) => {
                // That of a definition is read there.
                if link_type == LinkType::Inline {
                    walk.title(&title, range);
                }
                target = dest_url.into_string();
            }
            Event::End(TagEnd::Link | TagEnd::Image) => {
                // The address stands in the source after the label; show it to the rules in place.
                let piece = &source[range.clone()];
                if let Some(at) = piece.rfind("](") {
                    let start = range.start + at + 2;
                    let inner = source[start..range.end].trim_end_matches(')');
                    walk.block.push(" <", walk.base + start);
                    walk.block.push(inner, walk.base + start);
                    walk.block.push("> ", walk.base + start);
                } else if !piece.starts_with('<') && !piece.contains(&*target) {
                    // The address stands elsewhere: `[label][name]`.
                    walk.block.push(" <", walk.base + range.end);
                    walk.block.push(&target, walk.base + range.start);
                    walk.block.push("> ", walk.base + range.end);
                }
            }
            Event::Text(piece) => walk.prose(&piece, range),
            Event::Code(piece) => {
                walk.span(&piece, range);
            }
            Event::SoftBreak | Event::HardBreak => {
                walk.block.breaks.push(walk.block.text.len());
                walk.prose(" ", range);
            }
            Event::Html(piece) => walk.block.push_html(&piece, walk.base + range.start),
            Event::InlineHtml(piece) => walk.inline_html(&piece, range),
            _ => {}
        }
    }
    walk.end_block();
    walk.found
}

/// Languages in which rules of detectors are written.
fn is_detector(info: &str) -> bool {
    const DETECTORS: [&str; 9] =
        ["yara", "yar", "sigma", "snort", "suricata", "spl", "kql", "semgrep", "regex"];
    let word = info.split_whitespace().next().unwrap_or_default();
    DETECTORS.iter().any(|detector| word.eq_ignore_ascii_case(detector))
}

/// The link definitions with a title that stand on one line each: label, address, title and place.
fn definitions(source: &str) -> Vec<(&str, &str, &str, Range<usize>)> {
    let mut found = Vec::new();
    let mut fenced = false;
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let body = line.trim();
        fenced ^= body.starts_with("```") || body.starts_with("~~~");
        let parts = body.strip_prefix('[').filter(|_| !fenced).and_then(|rest| {
            let (label, rest) = rest.split_once("]:")?;
            let (dest, title) = rest.trim_start().split_once(' ')?;
            let title = title.trim().strip_prefix(['(', '"', '\''])?;
            Some((label, dest, title.strip_suffix([')', '"', '\''])?))
        });
        if let Some((label, dest, title)) = parts {
            let start = at + (line.len() - line.trim_start().len());
            found.push((label, dest, title, start..at + line.len()));
        }
        at += line.len();
    }
    found
}

/// Headings of columns that hold commands.
const RUN_COLUMNS: [&str; 26] = [
    "command",
    "run",
    "install",
    "befehl",
    "comando",
    "commande",
    "команд",
    "命令",
    "invocation",
    "how to start",
    "how to get",
    "get it",
    "get with",
    "obtain",
    "set up",
    "setup",
    "bootstrap",
    "one-liner",
    "einricht",
    "instalar",
    "obtener",
    "obtenir",
    "установ",
    "安装",
    "获取",
    "download",
];

/// The blocks that a block of code holds, each with its label, and what stands between them. Without blocks of
/// its own it is one piece.
fn inner_blocks(text: &str) -> Vec<(Option<&str>, Range<usize>)> {
    const FENCE: &str = "```";
    let mut found = Vec::new();
    let mut label = None;
    let mut start = 0;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if let Some(info) = line.trim().strip_prefix(FENCE).filter(|info| !info.contains('`')) {
            if start < at {
                found.push((label, start..at));
            }
            start = end;
            label = if label.is_none() && !info.trim().is_empty() { Some(info) } else { None };
        }
        at = end;
    }
    if start < at || found.is_empty() {
        found.push((label, start..at));
    }
    found
}

/// The places of a part of a text.
fn pieces_of(pieces: &[(usize, usize)], range: &Range<usize>) -> Vec<(usize, usize)> {
    let first = pieces.partition_point(|(from, _)| *from <= range.start).saturating_sub(1);
    pieces[first.min(pieces.len())..]
        .iter()
        .take_while(|(from, _)| *from < range.end)
        .map(|(from, to)| {
            (from.saturating_sub(range.start), to + range.start.saturating_sub(*from))
        })
        .collect()
}
