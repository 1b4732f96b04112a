//! The walk over the blocks of a Markdown text: each block, span and comment becomes a passage with the
//! headings above it and what stands before it. Positions stay those of the file.

use std::borrow::Cow;
use std::ops::Range;

use super::attributes::{attributes, is_sentence};
use super::html::{CHAT_TAGS, element, is_placeholder, parts_after};
use crate::scan::finding::Context;
use crate::scan::invisible;
use crate::scan::kind::Language;
use crate::scan::passage::{Passage, Place};
use crate::scan::text::{Text, floor};
use crate::scan::unfenced::command_in;

/// Bytes before a passage that are kept with it: there may be as many passages as there are words.
pub(super) const MAX_LEAD: usize = 512;

/// Nesting of blocks that is followed.
const MAX_NESTING: usize = 64;

/// The end of a text, in small letters, for what follows it.
fn lead_of(text: &str) -> String {
    text[floor(text, text.len().saturating_sub(MAX_LEAD))..].to_lowercase()
}

#[derive(Default)]
pub(super) struct Block {
    pub(super) text: String,
    pieces: Vec<(usize, usize)>,
    /// Where lines of the source end.
    pub(super) breaks: Vec<usize>,
    html: String,
    html_at: usize,
}

impl Block {
    pub(super) fn push(&mut self, piece: &str, at: usize) {
        self.pieces.push((self.text.len(), at));
        self.text.push_str(piece);
    }

    pub(super) fn push_html(&mut self, piece: &str, at: usize) {
        if self.html.is_empty() {
            self.html_at = at;
        }
        self.html.push_str(piece);
    }
}

pub(super) struct Walk<'a> {
    pub(super) text: &'a Text,
    pub(super) file: usize,
    pub(super) base: usize,
    pub(super) context: Context,
    pub(super) found: Vec<Passage<'a>>,
    pub(super) headings: Vec<(usize, String)>,
    /// Whether a heading was there already.
    pub(super) has_title: bool,
    pub(super) block: Block,
    pub(super) lead: String,
    /// What stands before the list, while inside it.
    pub(super) list_lead: Option<String>,
    pub(super) table: usize,
    /// Whether a column of the table holds commands to run.
    pub(super) table_runs: bool,
    /// The name of the element whose content a page does not show, while inside it.
    pub(super) hidden: Option<String>,
    /// The text inside that element.
    pub(super) unseen: Block,
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

    pub(super) fn prose(&mut self, piece: &str, range: Range<usize>) {
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

    pub(super) fn hide(&mut self, piece: &str, at: usize) {
        let place = Place::Straight { text: self.text, start: self.base + at };
        self.passage(Language::Markdown, Context::Hidden, piece.to_owned(), place);
    }

    pub(super) fn span(&mut self, piece: &str, range: Range<usize>) {
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

    pub(super) fn code(
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

    pub(super) fn heading(&mut self, level: usize) {
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

    pub(super) fn end_block(&mut self) {
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

    pub(super) fn end_html(&mut self) {
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
        self.attributes(&html, at);
        let (parts, hidden) = parts_after(&html, self.hidden.take());
        self.hidden = hidden;
        for part in parts {
            let context = if part.hidden { Context::Hidden } else { self.context };
            let place = Place::Straight { text: self.text, start: at + part.range.start };
            self.passage(Language::Markdown, context, html[part.range].to_owned(), place);
        }
    }

    /// What the attributes of tags say that start at a byte of the file.
    fn attributes(&mut self, html: &str, at: usize) {
        for attribute in attributes(html) {
            let context = if attribute.hidden { Context::Hidden } else { self.context };
            let place = Place::Straight { text: self.text, start: at + attribute.range.start };
            let value = html[attribute.range].to_owned();
            self.passage(Language::Markdown, context, value, place);
        }
    }

    /// What stands behind the language of a block of code, which no page shows.
    pub(super) fn info(&mut self, info: &str, at: usize) {
        let rest = info.trim_start().split_once(char::is_whitespace).map_or("", |(_, rest)| rest);
        let value = rest.split_once(['"', '\'']).map_or(rest, |(_, value)| value);
        let said = if is_sentence(value) { value } else { rest };
        if is_sentence(said) {
            self.hide(said.trim_end_matches(['"', '\'', '}', ' ']), at);
        }
    }

    /// The title of a link or a picture, which shows only under a pointer.
    pub(super) fn title(&mut self, title: &str, range: Range<usize>) {
        if is_sentence(title) {
            self.hide(title, range.start);
        }
    }

    pub(super) fn inline_html(&mut self, piece: &str, range: Range<usize>) {
        self.attributes(piece, self.base + range.start);
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
    pub(super) fn definition(
        &mut self,
        label: &str,
        dest: &str,
        title: Option<&str>,
        span: Range<usize>,
    ) {
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

/// Whether a command names what it runs by an address.
fn fetches(command: &str) -> bool {
    ["://", "github:", "gitlab:"].iter().any(|mark| command.contains(mark))
}
