//! Markdown as text for a terminal. Everything from the document passes [`printable`] before it is
//! styled, so the only escape sequences in the result are this module's own, and [`Style::Plain`]
//! has none. Time and output are linear in the input: indentation, labels and columns that repeat
//! per line are bounded by the `MAX_…` constants below.

use std::fmt::Write as _;
use std::iter;
use std::mem;
use std::ops::Range;

use anstyle::{AnsiColor, Effects};
use hone_skill::is_costly_markdown;
use pulldown_cmark::{
    Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, TextMergeStream,
};
use unicode_width::UnicodeWidthStr as _;

use super::fit::{fit, wrap};
use super::{printable, printable_line};

/// The narrowest layout, in columns: below it text is laid out as if the terminal were this wide.
pub(super) const MIN_COLUMNS: usize = 20;
/// The widest layout, in columns: rules and tables do not grow beyond it.
const MAX_COLUMNS: usize = 200;
/// The deepest indentation, in columns: quotes and lists nested beyond it share the last one that
/// fits.
const MAX_INDENT: usize = 24;
/// The least room for text next to an indentation and a marker, in columns.
const MIN_ROOM: usize = 8;
/// The longest column title that is repeated in front of each value of a table too wide to align,
/// in columns.
const MAX_LABEL: usize = 24;
/// The most code points in such a title, since combining marks take no column.
const MAX_LABEL_CHARS: usize = 64;

const CODE_INDENT: &str = "    ";
const NOTE_INDENT: &str = "    ";
const HANGING_INDENT: &str = "  ";
/// Columns of the ` │ ` between two cells.
const CELL_GAP: usize = 3;

const NORMAL: anstyle::Style = anstyle::Style::new();
const MUTED: anstyle::Style = anstyle::Style::new().dimmed();
const CODE: anstyle::Style = AnsiColor::Yellow.on_default();

/// How a page marks headings, emphasis and code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Style {
    /// With Markdown's own marks and no escape sequences.
    #[default]
    Plain,
    /// With ANSI colours and effects.
    Ansi,
}

/// Renders Markdown as lines of at most `columns` columns, code blocks excepted: their lines are
/// never wrapped or cut.
///
/// A width below 20 or above 200 counts as that bound.
pub(crate) fn render(markdown: &str, columns: usize, style: Style) -> String {
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut page =
        Page { columns: columns.clamp(MIN_COLUMNS, MAX_COLUMNS), style, ..Page::default() };
    if is_costly_markdown(markdown) {
        page.show_source(markdown, NORMAL);
    } else {
        for event in TextMergeStream::new(Parser::new_ext(markdown, options)) {
            page.event(event);
        }
        page.flow_inline();
    }
    page.out
}

/// Text of one paragraph or cell, with the look of each part.
#[derive(Default)]
struct Inline {
    text: String,
    runs: Vec<Run>,
}

#[derive(Clone, Copy)]
struct Run {
    end: usize,
    look: anstyle::Style,
}

impl Inline {
    fn push(&mut self, text: &str, look: anstyle::Style) {
        self.text.push_str(text);
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(run) if run.look == look => run.end = end,
            _ => self.runs.push(Run { end, look }),
        }
    }

    /// Appends document text with each run of white space as one space, and none at the start of a
    /// line.
    fn push_words(&mut self, text: &str, look: anstyle::Style) {
        let mut words = String::with_capacity(text.len());
        let mut after_space = self.text.is_empty() || self.text.ends_with([' ', '\n']);
        for character in printable(text).chars() {
            let is_space = character.is_ascii_whitespace();
            if !is_space {
                words.push(character);
            } else if !after_space {
                words.push(' ');
            }
            after_space = is_space;
        }
        self.push(&words, look);
    }

    fn append(&mut self, other: &Inline) {
        let mut start = 0;
        for run in &other.runs {
            self.push(&other.text[start..run.end], run.look);
            start = run.end;
        }
    }

    fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
        for run in self.runs.iter_mut().rev() {
            if run.end <= length {
                break;
            }
            run.end = length;
        }
    }
}

/// What stands before the text of a line, and its width.
#[derive(Clone, Default)]
struct Prefix {
    text: String,
    columns: usize,
}

impl Prefix {
    fn push(&mut self, text: &str, look: anstyle::Style, style: Style) {
        paint(&mut self.text, text, look, style);
        self.columns += text.width();
    }
}

struct List {
    next: Option<u64>,
    has_paragraphs: bool,
}

struct Link {
    start: usize,
    url: String,
}

#[derive(Default)]
struct Table {
    alignments: Vec<Alignment>,
    rows: Vec<Vec<Inline>>,
}

#[derive(Default)]
struct Page {
    out: String,
    columns: usize,
    style: Style,
    indent: Prefix,
    /// Stands in for `indent` on the next line: it ends with the marker of an item that has no text
    /// yet.
    first: Option<Prefix>,
    /// Bytes and columns of `indent` before each open quote, item or note.
    outer_indents: Vec<(usize, usize)>,
    lists: Vec<List>,
    needs_gap: bool,
    /// Where the last blank line between blocks ended in `out`.
    gap_end: usize,
    inline: Inline,
    looks: Vec<anstyle::Style>,
    links: Vec<Link>,
    /// The source of an open code or HTML block.
    literal: Option<String>,
    table: Table,
}

impl Page {
    fn event(&mut self, event: Event<'_>) {
        let look = self.look();
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => match &mut self.literal {
                Some(literal) => literal.push_str(&text),
                None => self.inline.push_words(&text, look),
            },
            Event::Code(code) => {
                let look = look.fg_color(CODE.get_fg_color());
                let code = printable(&code).replace(['\n', '\t'], " ");
                self.inline.push(&format!("`{code}`"), look);
            }
            Event::InlineHtml(html) => self.inline.push_words(&html, look | Effects::DIMMED),
            Event::FootnoteReference(label) => {
                let reference = format!("[^{}]", printable_line(&label));
                self.inline.push(&reference, look | Effects::DIMMED);
            }
            Event::SoftBreak => self.inline.push_words(" ", look),
            Event::HardBreak => self.inline.push("\n", look),
            Event::Rule => {
                self.open_block();
                let rule = "─".repeat(self.room());
                self.start_line();
                self.write(&rule, MUTED);
                self.out.push('\n');
                self.needs_gap = true;
            }
            Event::TaskListMarker(true) => self.inline.push("[x] ", look),
            Event::TaskListMarker(false) => self.inline.push("[ ] ", look),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => {
                self.open_block();
                if let Some(list) = self.lists.last_mut() {
                    list.has_paragraphs = true;
                }
            }
            Tag::Heading { level, .. } => {
                self.open_block();
                self.looks.push(heading_look(level));
                if self.style == Style::Plain {
                    let marks = "#".repeat(level as usize);
                    self.inline.push(&format!("{marks} "), NORMAL);
                }
            }
            Tag::BlockQuote(_) => {
                self.open_block();
                self.enter_quote();
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                self.open_block();
                self.literal = Some(String::new());
            }
            Tag::List(next) => {
                self.open_block();
                self.lists.push(List { next, has_paragraphs: false });
            }
            Tag::Item => {
                self.open_block();
                let marker = self.next_marker();
                self.enter(&marker, &" ".repeat(marker.width()));
            }
            Tag::FootnoteDefinition(label) => {
                self.open_block();
                let label = printable_line(&label);
                let marker = format!("[^{}]: ", fit(&label, MAX_LABEL.min(self.columns / 4)));
                self.enter(&marker, NOTE_INDENT);
            }
            Tag::Table(alignments) => {
                self.open_block();
                self.table.alignments = alignments;
            }
            Tag::TableHead => {
                self.table.rows.push(Vec::new());
                self.looks.push(NORMAL.bold());
            }
            Tag::TableRow => self.table.rows.push(Vec::new()),
            Tag::Emphasis => self.open_span(Effects::ITALIC, "*"),
            Tag::Strong => self.open_span(Effects::BOLD, "**"),
            Tag::Strikethrough => {
                self.looks.push(self.look() | Effects::STRIKETHROUGH);
                self.inline.push("~~", self.look());
            }
            Tag::Link { dest_url, .. } => {
                self.looks.push(self.look() | Effects::UNDERLINE);
                self.open_link(&dest_url);
            }
            Tag::Image { dest_url, .. } => {
                self.looks.push(self.look() | Effects::DIMMED);
                self.inline.push("[image: ", self.look());
                self.open_link(&dest_url);
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => {
                self.flow_inline();
                self.needs_gap = true;
            }
            TagEnd::Heading(_) => {
                self.looks.pop();
                self.flow_inline();
                self.needs_gap = true;
            }
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.leave();
                self.needs_gap = true;
            }
            TagEnd::CodeBlock => self.close_code(),
            TagEnd::HtmlBlock => {
                let html = self.literal.take().unwrap_or_default();
                self.show_source(&html, MUTED);
                self.needs_gap = true;
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.needs_gap |= self.lists.last().is_none_or(|list| list.has_paragraphs);
            }
            TagEnd::Item => self.leave(),
            TagEnd::Table => self.close_table(),
            TagEnd::TableCell => {
                let cell = mem::take(&mut self.inline);
                if let Some(row) = self.table.rows.last_mut() {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis => self.close_span("*"),
            TagEnd::Strong => self.close_span("**"),
            TagEnd::Strikethrough => {
                self.inline.push("~~", self.look());
                self.looks.pop();
            }
            TagEnd::Link => self.close_link(),
            TagEnd::Image => self.close_image(),
            TagEnd::TableHead => {
                self.looks.pop();
            }
            _ => {}
        }
    }

    fn look(&self) -> anstyle::Style {
        self.looks.last().copied().unwrap_or(NORMAL)
    }

    fn open_span(&mut self, effect: Effects, mark: &str) {
        self.looks.push(self.look() | effect);
        if self.style == Style::Plain {
            self.inline.push(mark, NORMAL);
        }
    }

    fn close_span(&mut self, mark: &str) {
        self.looks.pop();
        if self.style == Style::Plain {
            self.inline.push(mark, NORMAL);
        }
    }

    fn open_link(&mut self, url: &CowStr<'_>) {
        self.links
            .push(Link { start: self.inline.text.len(), url: printable_line(url).into_owned() });
    }

    fn close_link(&mut self) {
        self.looks.pop();
        let Some(Link { start, url }) = self.links.pop() else {
            return;
        };
        let text = &self.inline.text[start..];
        let look = self.look() | Effects::DIMMED;
        if text.is_empty() {
            self.inline.push(&url, look);
        } else if !url.is_empty() && text != url && Some(text) != url.strip_prefix("mailto:") {
            self.inline.push(&format!(" ({url})"), look);
        }
    }

    fn close_image(&mut self) {
        let look = self.look();
        self.looks.pop();
        let Some(Link { start, url }) = self.links.pop() else {
            return;
        };
        if self.inline.text.len() == start {
            self.inline.truncate(start - ": ".len());
        }
        self.inline.push(&format!("] ({url})"), look);
    }

    /// Puts a marker before the next line and indents the lines after it, unless that would pass
    /// [`MAX_INDENT`].
    fn enter(&mut self, marker: &str, indent: &str) {
        self.outer_indents.push((self.indent.text.len(), self.indent.columns));
        let waiting = self.first.take().filter(|_| marker.is_empty() || self.has_room_for(indent));
        let mut first = waiting.unwrap_or_else(|| self.indent.clone());
        first.push(marker, NORMAL, self.style);
        if self.has_room_for(indent) {
            self.indent.push(indent, NORMAL, self.style);
        }
        self.first = Some(first);
    }

    fn enter_quote(&mut self) {
        self.outer_indents.push((self.indent.text.len(), self.indent.columns));
        if self.has_room_for("│ ") {
            for prefix in self.first.iter_mut().chain([&mut self.indent]) {
                prefix.push("│", MUTED, self.style);
                prefix.push(" ", NORMAL, self.style);
            }
        }
    }

    fn has_room_for(&self, indent: &str) -> bool {
        self.indent.columns + indent.width() <= MAX_INDENT.min(self.columns / 2)
    }

    /// Ends a quote, item or note; a marker that never got text still gets its line.
    fn leave(&mut self) {
        self.flow_inline();
        if self.first.is_some() {
            self.blank_line();
        }
        if let Some((bytes, columns)) = self.outer_indents.pop() {
            self.indent.text.truncate(bytes);
            self.indent.columns = columns;
        }
    }

    fn next_marker(&mut self) -> String {
        let list = self.lists.last_mut();
        let Some(number) = list.and_then(|list| list.next.as_mut()) else {
            return "• ".to_owned();
        };
        let marker = format!("{number}. ");
        *number = number.saturating_add(1);
        marker
    }

    /// Ends the text of a tight item, if any, and leaves a blank line where blocks need one between
    /// them.
    fn open_block(&mut self) {
        self.flow_inline();
        let has_lines = self.out.len() > self.gap_end && self.first.is_none();
        if mem::take(&mut self.needs_gap) && has_lines {
            self.blank_line();
            self.gap_end = self.out.len();
        }
    }

    fn blank_line(&mut self) {
        self.start_line();
        self.trim_line();
        self.out.push('\n');
    }

    fn flow_inline(&mut self) {
        if !self.inline.text.is_empty() {
            let inline = mem::take(&mut self.inline);
            self.flow(&inline);
        }
    }

    fn flow(&mut self, inline: &Inline) {
        let first_room = self.room();
        let room = self.room_after(self.indent.columns);
        let mut run = 0;
        for line in wrap(&inline.text, first_room, room) {
            if line.is_empty() {
                self.blank_line();
            } else {
                self.start_line();
                self.write_part(inline, line, &mut run);
                self.out.push('\n');
            }
        }
    }

    fn room(&self) -> usize {
        self.room_after(self.first.as_ref().unwrap_or(&self.indent).columns)
    }

    fn room_after(&self, columns: usize) -> usize {
        self.columns.saturating_sub(columns).max(MIN_ROOM)
    }

    fn start_line(&mut self) {
        match self.first.take() {
            Some(first) => self.out.push_str(&first.text),
            None => self.out.push_str(&self.indent.text),
        }
    }

    fn trim_line(&mut self) {
        let end = self.out.trim_end_matches(' ').len();
        self.out.truncate(end);
    }

    fn write(&mut self, text: &str, look: anstyle::Style) {
        paint(&mut self.out, text, look, self.style);
    }

    /// Writes a part of `inline`; `run` is where the previous part of it ended.
    fn write_part(&mut self, inline: &Inline, part: Range<usize>, run: &mut usize) {
        let mut start = part.start;
        while start < part.end {
            let Run { end, look } = inline.runs[*run];
            if end <= start {
                *run += 1;
                continue;
            }
            let end = end.min(part.end);
            self.write(&inline.text[start..end], look);
            start = end;
        }
    }

    fn close_code(&mut self) {
        let code = self.literal.take().unwrap_or_default();
        for line in printable(&code).lines() {
            if line.is_empty() {
                self.blank_line();
            } else {
                self.start_line();
                self.out.push_str(CODE_INDENT);
                self.write(line, CODE);
                self.out.push('\n');
            }
        }
        self.needs_gap = true;
    }

    fn show_source(&mut self, source: &str, look: anstyle::Style) {
        let text = printable(source.trim_end()).replace('\t', CODE_INDENT);
        self.inline.push(&text, look);
        self.flow_inline();
    }

    fn close_table(&mut self) {
        let table = mem::take(&mut self.table);
        let mut widths = vec![0; table.alignments.len()];
        for row in &table.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.text.width().max(*width);
            }
        }
        let gaps = CELL_GAP * widths.len().saturating_sub(1);
        if widths.iter().sum::<usize>() + gaps <= self.room() {
            self.write_aligned(&table, &widths);
        } else {
            self.write_labelled(&table);
        }
        self.needs_gap = true;
    }

    fn write_aligned(&mut self, table: &Table, widths: &[usize]) {
        for (index, row) in table.rows.iter().enumerate() {
            self.start_line();
            for (column, (cell, &width)) in row.iter().zip(widths).enumerate() {
                if column > 0 {
                    self.out.push(' ');
                    self.write("│", MUTED);
                    self.out.push(' ');
                }
                let space = width - cell.text.width();
                let before = match table.alignments[column] {
                    Alignment::None | Alignment::Left => 0,
                    Alignment::Center => space / 2,
                    Alignment::Right => space,
                };
                self.out.extend(iter::repeat_n(' ', before));
                self.write_part(cell, 0..cell.text.len(), &mut 0);
                self.out.extend(iter::repeat_n(' ', space - before));
            }
            self.trim_line();
            self.out.push('\n');
            if index == 0 {
                let lines: Vec<String> = widths.iter().map(|&width| "─".repeat(width)).collect();
                self.start_line();
                self.write(&lines.join("─┼─"), MUTED);
                self.out.push('\n');
            }
        }
    }

    /// Writes one block per row, each value on its own lines after the title of its column.
    fn write_labelled(&mut self, table: &Table) {
        let (titles, rows) = match table.rows.as_slice() {
            [titles, rows @ ..] if !rows.is_empty() => (titles.as_slice(), rows),
            rows => (&[][..], rows),
        };
        let labels: Vec<Inline> = titles.iter().map(label).collect();
        for row in rows {
            self.open_block();
            for (column, cell) in row.iter().enumerate() {
                if cell.text.is_empty() {
                    continue;
                }
                let mut line = Inline::default();
                if let Some(label) = labels.get(column) {
                    line.append(label);
                }
                line.append(cell);
                self.enter("", HANGING_INDENT);
                self.flow(&line);
                self.leave();
                self.needs_gap = true;
            }
        }
    }
}

/// Writes text in a look: the one place where escape sequences come from.
fn paint(out: &mut String, text: &str, look: anstyle::Style, style: Style) {
    let _ = match style {
        Style::Plain => out.write_str(text),
        Style::Ansi => write!(out, "{look}{text}{look:#}"),
    };
}

fn heading_look(level: HeadingLevel) -> anstyle::Style {
    match level {
        HeadingLevel::H1 => AnsiColor::Cyan.on_default().bold().underline(),
        HeadingLevel::H2 => AnsiColor::Cyan.on_default().bold(),
        HeadingLevel::H3 => AnsiColor::Blue.on_default().bold(),
        HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => NORMAL.bold(),
    }
}

fn label(title: &Inline) -> Inline {
    let start: String = title.text.chars().take(MAX_LABEL_CHARS).collect();
    let mut label = Inline::default();
    if !start.is_empty() {
        label.push(&fit(&start, MAX_LABEL), NORMAL.bold());
        label.push(": ", NORMAL);
    }
    label
}

#[cfg(test)]
#[path = "markdown_tests.rs"]
mod tests;
