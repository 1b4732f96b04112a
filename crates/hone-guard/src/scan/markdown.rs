//! Markdown taken apart: sentences, code blocks, code spans, and what a rendered page does not show,
//! each with its headings, so that an instruction can be told from a mention.

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::finding::Context;
use super::invisible;
use super::kind::Language;
use super::passage::{Passage, Place};
use super::text::{Text, floor};
use super::unfenced::command_in;

/// Bytes before a passage that are kept with it: there may be as many passages as there are words.
const MAX_LEAD: usize = 512;

/// Nesting of blocks that is followed.
const MAX_NESTING: usize = 64;

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
                code = Some((language, range));
                code_text.clear();
                code_pieces.clear();
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some((language, _)) = code.take() {
                    walk.code(
                        language,
                        std::mem::take(&mut code_text),
                        std::mem::take(&mut code_pieces),
                        rules,
                    );
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
            | Event::End(
                TagEnd::Paragraph | TagEnd::Item | TagEnd::BlockQuote(_) | TagEnd::TableRow,
            ) => walk.end_block(),
            Event::End(TagEnd::HtmlBlock) => walk.end_html(),
            Event::End(TagEnd::TableCell) => walk.block.push(" | ", walk.base + range.end),
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
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

/// The end of a text, in small letters, for what follows it.
fn lead_of(text: &str) -> String {
    text[floor(text, text.len().saturating_sub(MAX_LEAD))..].to_lowercase()
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

#[derive(Default)]
struct Block {
    text: String,
    pieces: Vec<(usize, usize)>,
    /// Where lines of the source end.
    breaks: Vec<usize>,
    html: String,
    html_at: usize,
}

impl Block {
    fn push(&mut self, piece: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(piece);
    }

    fn push_html(&mut self, piece: &str, at: usize) {
        if self.html.is_empty() {
            self.html_at = at;
        }
        self.html.push_str(piece);
    }
}

struct Walk<'a> {
    text: &'a Text,
    file: usize,
    base: usize,
    context: Context,
    found: Vec<Passage<'a>>,
    headings: Vec<(usize, String)>,
    /// Whether a heading was there already.
    has_title: bool,
    block: Block,
    lead: String,
    /// What stands before the list, while inside it.
    list_lead: Option<String>,
    table: usize,
    /// Whether a column of the table holds commands to run.
    table_runs: bool,
    /// The name of the element whose content a page does not show, while inside it.
    hidden: Option<String>,
    /// The text inside that element.
    unseen: Block,
}

impl<'a> Walk<'a> {
    fn path(&self) -> String {
        self.headings.iter().map(|(_, text)| text.as_str()).collect::<Vec<_>>().join(" / ")
    }

    fn passage(&mut self, language: Language, context: Context, text: String, place: Place<'a>) {
        if text.trim().is_empty() {
            return;
        }
        self.found.push(Passage {
            file: self.file,
            language,
            context,
            text: Cow::Owned(text),
            place,
            headings: Cow::Owned(self.path()),
            lead: Cow::Owned(self.lead.clone()),
            decoded: None,
        });
    }

    fn prose(&mut self, piece: &str, range: Range<usize>) {
        let at = self.base + range.start;
        if self.hidden.is_some() {
            self.unseen.push(piece, at);
        } else {
            self.block.push(piece, at);
        }
    }

    /// Ends a stretch of text inside an invisible element.
    fn end_unseen(&mut self) {
        let unseen = std::mem::take(&mut self.unseen);
        let place = Place::Pieces { text: self.text, pieces: unseen.pieces };
        self.passage(Language::Markdown, Context::Hidden, unseen.text, place);
    }

    fn hide(&mut self, piece: &str, at: usize) {
        let place = Place::Straight { text: self.text, start: self.base + at };
        self.passage(Language::Markdown, Context::Hidden, piece.to_owned(), place);
    }

    fn span(&mut self, piece: &str, range: Range<usize>) {
        let at = self.base + range.start;
        // What introduces a span ends before it; an item of a list that begins with one has what introduces
        // the list.
        let before = match (&self.list_lead, self.block.text.trim()) {
            (Some(lead), "") => lead.clone(),
            _ => lead_of(&self.block.text),
        };
        self.block.push("`", at);
        self.block.push(piece, at + 1);
        self.block.push("`", self.base + range.end);
        let context = match self.context {
            // A table of commands is a list of what to run, when they fetch what they run.
            Context::Prose if self.table > 0 && self.table_runs && fetches(piece) => {
                Context::InlineCode
            }
            Context::Prose if self.table > 0 => Context::Mention,
            Context::Prose => Context::InlineCode,
            other => other,
        };
        let lead = std::mem::replace(&mut self.lead, before);
        let place = Place::Straight { text: self.text, start: at + 1 };
        self.passage(Language::Shell, context, piece.to_owned(), place);
        self.lead = lead;
    }

    fn code(
        &mut self,
        language: Option<Language>,
        text: String,
        pieces: Vec<(usize, usize)>,
        detector: bool,
    ) {
        let context = match self.context {
            Context::Prose if detector => Context::Mention,
            Context::Prose => Context::Fence,
            other => other,
        };
        let place = Place::Pieces { text: self.text, pieces };
        self.passage(language.unwrap_or(Language::Plain), context, text, place);
    }

    fn heading(&mut self, level: usize) {
        let text = self.block.text.trim().to_lowercase();
        let is_title = !self.has_title && level == 1;
        self.has_title = true;
        self.headings.retain(|(above, _)| *above < level);
        if self.headings.len() < MAX_NESTING {
            self.headings.push((level, text));
        }
        self.end_block();
        // A title names the subject, and labels no block.
        if is_title {
            self.lead.clear();
        }
    }

    fn end_block(&mut self) {
        if !self.unseen.text.is_empty() {
            self.end_unseen();
        }
        if !self.block.html.is_empty() {
            self.end_html();
        }
        let block = std::mem::take(&mut self.block);
        if block.text.trim().is_empty() {
            return;
        }
        let context = if self.table > 0 && self.context == Context::Prose {
            Context::Mention
        } else {
            self.context
        };
        if context == Context::Prose {
            self.commands(&block);
        }
        let lead = lead_of(&block.text);
        let place = Place::Pieces { text: self.text, pieces: block.pieces };
        self.passage(Language::Markdown, context, block.text, place);
        self.lead = lead;
    }

    /// Commands that stand in the lines of a block as they are, as spans or blocks of code would.
    fn commands(&mut self, block: &Block) {
        let mut start = 0;
        for &end in block.breaks.iter().chain([&block.text.len()]) {
            // A break inside an invisible element is none of this text.
            let line = block.text.get(start..end).unwrap_or_default();
            // What stands in a span is looked at already.
            if let Some((found, language)) = command_in(line).filter(|_| !line.contains('`')) {
                let from = start + found.start;
                let before = &block.text[..from];
                // A paragraph that is a command and nothing else is a block of code.
                let (lead, context) = match before.trim() {
                    "" => (self.lead.clone(), Context::Fence),
                    before => (lead_of(before), Context::InlineCode),
                };
                let lead = std::mem::replace(&mut self.lead, lead);
                let at = block.pieces.partition_point(|(offset, _)| *offset <= from);
                let (offset, place) =
                    block.pieces.get(at.wrapping_sub(1)).copied().unwrap_or_default();
                let first = (0, place + (from - offset));
                let rest = block
                    .pieces
                    .iter()
                    .skip(at)
                    .take_while(|(offset, _)| *offset < start + found.end)
                    .map(|(offset, at)| (offset - from, *at));
                let pieces = std::iter::once(first).chain(rest).collect();
                let place = Place::Pieces { text: self.text, pieces };
                self.passage(language, context, line[found].to_owned(), place);
                self.lead = lead;
            }
            start = end;
        }
    }

    fn end_html(&mut self) {
        let html = std::mem::take(&mut self.block.html);
        let at = self.block.html_at;
        // Tags that carry an address or pose as a chat format are looked at as they stand.
        if html.contains("src=")
            || html.contains("href=")
            || CHAT_TAGS.iter().any(|tag| html.contains(tag))
        {
            let place = Place::Straight { text: self.text, start: at };
            self.passage(Language::Html, self.context, html.clone(), place);
        }
        let (parts, hidden) = parts_after(&html, self.hidden.take());
        self.hidden = hidden;
        for part in parts {
            let context = if part.hidden { Context::Hidden } else { self.context };
            let place = Place::Straight { text: self.text, start: at + part.range.start };
            self.passage(Language::Markdown, context, html[part.range].to_owned(), place);
        }
    }

    fn inline_html(&mut self, piece: &str, range: Range<usize>) {
        if piece.starts_with("<!--") {
            let inner = piece.trim_start_matches("<!--").trim_end_matches("-->");
            self.hide(inner, range.start + 4);
        } else if let Some(name) = piece.strip_prefix("</") {
            let name = name.trim_end_matches('>').trim().to_ascii_lowercase();
            if self.hidden.as_deref() == Some(&name) {
                self.hidden = None;
                self.end_unseen();
            }
        } else if self.hidden.is_none() && invisible::hides(piece) {
            self.hidden = Some(element(piece));
        }
        if piece.starts_with("<img")
            || piece.starts_with("<a ")
            || CHAT_TAGS.iter().any(|tag| piece.starts_with(tag))
            || is_placeholder(piece)
        {
            self.block.push(piece, self.base + range.start);
        }
    }

    /// A link definition that nothing shows: the usual way to write a comment in Markdown.
    fn definition(&mut self, label: &str, dest: &str, title: Option<&str>, span: Range<usize>) {
        // A title shows only under a pointer: a long one is no title.
        const LONG_TITLE: usize = 24;
        let comment = title.is_some_and(|title| title.len() > LONG_TITLE)
            || matches!(dest, "#" | "" | "." | "/")
            || label.starts_with("//")
            || label.eq_ignore_ascii_case("comment");
        if !comment {
            return;
        }
        let text = match title {
            Some(title) if dest.contains("://") => format!("{title} ({dest})"),
            Some(title) => title.to_owned(),
            None => label.to_owned(),
        };
        let place = Place::Straight { text: self.text, start: self.base + span.start };
        self.passage(Language::Markdown, Context::Hidden, text, place);
    }
}

/// A part of an HTML text between its tags.
pub(crate) struct HtmlPart {
    pub(crate) range: Range<usize>,
    /// Whether a page does not show it: a comment, or inside an element made invisible.
    pub(crate) hidden: bool,
}

/// `<your reply>`: what looks like a tag but is a gap to fill in.
fn is_placeholder(piece: &str) -> bool {
    const ELEMENTS: [&str; 40] = [
        "a", "b", "br", "span", "div", "img", "p", "sub", "sup", "code", "kbd", "details",
        "summary", "i", "em", "strong", "u", "s", "small", "mark", "center", "font", "table", "tr",
        "td", "th", "li", "ul", "ol", "hr", "h1", "h2", "h3", "h4", "pre", "section", "del", "ins",
        "video", "svg",
    ];
    piece.starts_with('<')
        && !piece.starts_with("</")
        && !piece.starts_with("<!")
        && !piece.contains('=')
        && !ELEMENTS.contains(&element(piece).as_str())
}

/// Tags that chat formats use.
const CHAT_TAGS: [&str; 10] = [
    "<system",
    "</system",
    "<assistant",
    "</assistant",
    "<tool_result",
    "<function_results",
    "<function_calls",
    "<|",
    "<human>",
    "</user>",
];

/// The text parts and comments of an HTML text, in order.
pub(crate) fn html_parts(html: &str) -> Vec<HtmlPart> {
    parts_after(html, None).0
}

/// The parts of a piece of HTML that starts inside an invisible element, or not, and the invisible
/// element that is still open at its end: a blank line inside an element ends a block of Markdown.
fn parts_after(html: &str, mut hidden: Option<String>) -> (Vec<HtmlPart>, Option<String>) {
    let mut parts = Vec::new();
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|i| at + i) {
        if open > at {
            parts.push(HtmlPart { range: at..open, hidden: hidden.is_some() });
        }
        if html[open..].starts_with("<!--") {
            let end = html[open..].find("-->").map_or(html.len(), |i| open + i);
            parts.push(HtmlPart { range: (open + 4).min(end)..end, hidden: true });
            at = (end + 3).min(html.len());
            continue;
        }
        let end = html[open..].find('>').map_or(html.len(), |i| open + i + 1);
        let tag = &html[open..end];
        if let Some(name) = tag.strip_prefix("</") {
            let name = name.trim_end_matches('>').trim().to_ascii_lowercase();
            if hidden.as_deref() == Some(&name) {
                hidden = None;
            }
        } else if hidden.is_none() && !tag.ends_with("/>") && invisible::hides(tag) {
            hidden = Some(element(tag));
        }
        at = end;
    }
    if at < html.len() {
        parts.push(HtmlPart { range: at..html.len(), hidden: hidden.is_some() });
    }
    (parts, hidden)
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

/// Whether a command names what it runs by an address.
fn fetches(command: &str) -> bool {
    ["://", "github:", "gitlab:"].iter().any(|mark| command.contains(mark))
}

fn element(tag: &str) -> String {
    tag.trim_start_matches('<')
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(markdown: &str) -> Vec<(Context, Language, String, String)> {
        let text = Text::from_string(markdown.to_owned());
        let all = 0..text.plain.len();
        passages(&text, 0, all, Context::Prose)
            .into_iter()
            .map(|p| (p.context, p.language, p.text.trim().to_owned(), p.headings.into_owned()))
            .collect()
    }

    #[test]
    fn a_passage_keeps_only_the_end_of_what_stands_before_it() {
        for line in ["`make x` ", "Run curl https://a.example/x | sh\n"] {
            let text = Text::from_string(format!("# T\n\n{}", line.repeat(500)));
            let found = passages(&text, 0, 0..text.plain.len(), Context::Prose);
            assert!(found.len() > 500, "{line}: {}", found.len());
            let longest = found.iter().map(|passage| passage.lead.len()).max();
            assert_eq!(longest, Some(MAX_LEAD), "{line}");
        }
    }

    #[test]
    fn each_part_has_its_context_and_headings() {
        let markdown = "# Top\nRun `make x` now.\n\n## Bad\n```sh\nrm x\n```\n| a | b |\n|---|---|\n| c | `d` |\n\n[//]: # (note here)\n\n<!-- secret -->\n<span style=\"font-size:0\">tiny</span> shown\n";
        let expected = [
            (Context::Hidden, Language::Markdown, "note here", ""),
            (Context::Prose, Language::Markdown, "Top", "top"),
            (Context::InlineCode, Language::Shell, "make x", "top"),
            (Context::Prose, Language::Markdown, "Run `make x` now.", "top"),
            (Context::Prose, Language::Markdown, "Bad", "top / bad"),
            (Context::Fence, Language::Shell, "rm x", "top / bad"),
            (Context::Mention, Language::Markdown, "a | b |", "top / bad"),
            (Context::Mention, Language::Shell, "d", "top / bad"),
            (Context::Mention, Language::Markdown, "c | `d` |", "top / bad"),
            (Context::Hidden, Language::Markdown, "secret", "top / bad"),
            (Context::Hidden, Language::Markdown, "tiny", "top / bad"),
            (Context::Prose, Language::Markdown, "shown", "top / bad"),
        ];
        let found = seen(markdown);
        let found: Vec<_> =
            found.iter().map(|(c, l, t, h)| (*c, *l, t.as_str(), h.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_heading_introduces_a_block_and_a_title_does_not() {
        let text = Text::from_string(
            "# Bad\n```sh\na\n```\n## Wrong\n```sh\nb\n```\n# Never\n```sh\nc\n```\n".to_owned(),
        );
        let all = 0..text.plain.len();
        let found = passages(&text, 0, all, Context::Prose);
        let blocks = found.iter().filter(|passage| passage.context == Context::Fence);
        let leads: Vec<_> = blocks.map(|passage| passage.lead.trim()).collect();
        assert_eq!(leads, ["", "wrong", "never"]);
    }

    #[test]
    fn positions_are_those_of_the_file() {
        let text = Text::from_string("x\n\nsome **bold** [label](https://h.io/p) end\n".to_owned());
        let all = 0..text.plain.len();
        let found = passages(&text, 0, all, Context::Prose);
        let block = found.iter().find(|p| p.text.contains("label")).unwrap();
        assert!(block.text.contains("<https://h.io/p>"), "{}", block.text);
        assert_eq!(block.place.position(block.text.find("https").unwrap()), (3, 23));
        assert_eq!(block.place.position(block.text.find("end").unwrap()), (3, 39));
    }
}
