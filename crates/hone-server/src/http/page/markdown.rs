//! A skill's Markdown as HTML that can do nothing.
//!
//! Of the document only its structure becomes markup: raw HTML is shown as text, pictures as their words,
//! and a link stays one when it leads to the web or to a file of the skill. Nothing of the document
//! becomes an id, a class or a style.

use std::ops::Range;

use hone_skill::{is_costly_markdown, printable};
use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{
    Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd,
    html::push_html,
};

use super::words::href;

/// Bytes that are laid out; the rest of a longer text is shown in its file.
const MAX_BYTES: usize = 256 * 1024;
/// Characters of a link's target that are told when it does not lead anywhere.
const MAX_TARGET_CHARS: usize = 200;

/// A remark about a line of the source, put before the block that holds it.
#[derive(Debug)]
pub(super) struct Remark {
    /// The line, from 1.
    pub(super) line: usize,
    /// What is said.
    pub(super) what: Markup,
}

/// Lays a text out; links to files lead to those of the skill `id`.
pub(super) fn render(source: &str, id: &str, remarks: &[Remark]) -> Markup {
    let mut end = source.len().min(MAX_BYTES);
    while !source.is_char_boundary(end) {
        end -= 1;
    }
    let shown = &source[..end];
    let body = if is_costly_markdown(shown) {
        html! { pre { (printable(shown)) } }
    } else {
        let mut page = Page { id, remarks, starts: starts(shown), ..Page::default() };
        let options =
            Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
        let mut events = Vec::new();
        for (event, range) in Parser::new_ext(shown, options).into_offset_iter() {
            page.event(event, &range, &mut events);
        }
        let mut text = String::with_capacity(shown.len() * 2);
        push_html(&mut text, events.into_iter());
        PreEscaped(text)
    };
    html! {
        (body)
        @if end < source.len() { p { "The text goes on; the file below has all of it." } }
    }
}

/// Where lines start.
fn starts(text: &str) -> Vec<usize> {
    std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect()
}

#[derive(Default)]
struct Page<'a> {
    id: &'a str,
    remarks: &'a [Remark],
    starts: Vec<usize>,
    /// Open elements.
    depth: usize,
    /// For each open link: what follows its words.
    links: Vec<String>,
}

impl Page<'_> {
    fn event<'e>(&mut self, event: Event<'e>, range: &Range<usize>, out: &mut Vec<Event<'e>>) {
        if self.depth == 0 && !matches!(event, Event::End(_)) {
            self.remark(range, out);
        }
        match event {
            Event::Start(tag) => {
                self.depth += 1;
                if let Some(event) = self.start(tag) {
                    out.push(event);
                }
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                match tag {
                    TagEnd::Link | TagEnd::Image => {
                        let after = self.links.pop().unwrap_or_default();
                        out.push(Event::InlineHtml(after.into()));
                    }
                    TagEnd::HtmlBlock => out.push(Event::End(TagEnd::CodeBlock)),
                    TagEnd::Heading(level) => out.push(Event::End(TagEnd::Heading(lower(level)))),
                    tag => out.push(Event::End(tag)),
                }
            }
            Event::Text(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::FootnoteReference(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text) => {
                out.push(Event::Text(visible(&text)));
            }
            Event::Code(text) => out.push(Event::Code(visible(&text))),
            Event::TaskListMarker(is_done) => {
                out.push(Event::Text(if is_done { "[x] " } else { "[ ] " }.into()));
            }
            Event::SoftBreak | Event::HardBreak | Event::Rule => out.push(event),
        }
    }

    fn start<'e>(&mut self, tag: Tag<'e>) -> Option<Event<'e>> {
        match tag {
            Tag::Link { dest_url, .. } => match target(&dest_url, self.id) {
                Some(href) => {
                    self.links.push("</a>".to_owned());
                    let link = html! { a href=(href) rel="noopener noreferrer nofollow" { "|" } };
                    let link = link.into_string();
                    let open = link.split('|').next().unwrap_or_default().to_owned();
                    return Some(Event::InlineHtml(open.into()));
                }
                None => self.links.push(told(&dest_url)),
            },
            Tag::Image { dest_url, .. } => {
                self.links.push(format!("]{}", told(&dest_url)));
                return Some(Event::InlineHtml("[picture: ".into()));
            }
            Tag::Heading { level, .. } => {
                let (id, classes, attrs) = (None, Vec::new(), Vec::new());
                return Some(Event::Start(Tag::Heading {
                    level: lower(level),
                    id,
                    classes,
                    attrs,
                }));
            }
            // An alignment becomes a style, an info string a class.
            Tag::Table(columns) => {
                return Some(Event::Start(Tag::Table(vec![Alignment::None; columns.len()])));
            }
            Tag::CodeBlock(_) | Tag::HtmlBlock => {
                return Some(Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)));
            }
            tag => return Some(Event::Start(tag)),
        }
        None
    }

    fn remark(&self, range: &Range<usize>, out: &mut Vec<Event<'_>>) {
        let line_of = |at: usize| self.starts.partition_point(|start| *start <= at);
        let lines = line_of(range.start)..=line_of(range.end.saturating_sub(1).max(range.start));
        for remark in self.remarks.iter().filter(|remark| lines.contains(&remark.line)) {
            out.push(Event::Html(remark.what.clone().into_string().into()));
        }
    }
}

fn visible<'e>(text: &str) -> CowStr<'e> {
    CowStr::from(printable(text).into_owned())
}

/// The target of a link that leads nowhere, in words.
fn told(target: &str) -> String {
    let target = super::words::line(target, MAX_TARGET_CHARS);
    if target.is_empty() {
        String::new()
    } else {
        html! { " (" code { (target) } ")" }.into_string()
    }
}

/// Where a link may lead: the web, or a file of the skill.
fn target(link: &str, id: &str) -> Option<String> {
    let link = link.trim();
    if link.chars().any(|c| hone_skill::is_forbidden(c) || c.is_whitespace() || c == '\\') {
        return None;
    }
    let lower = link.to_ascii_lowercase();
    if lower.starts_with("https://") || lower.starts_with("http://") {
        return Some(link.to_owned());
    }
    let path = link.split(['#', '?']).next().unwrap_or_default();
    let path = path.strip_prefix("./").unwrap_or(path);
    let is_inside = !path.is_empty()
        && !path.contains([':', '%'])
        && !path.split('/').any(|segment| matches!(segment, "" | "." | ".."));
    is_inside.then(|| href(id, &format!("files/{path}")))
}

/// The page has two headings above those of a skill.
fn lower(level: HeadingLevel) -> HeadingLevel {
    match level {
        HeadingLevel::H1 => HeadingLevel::H3,
        HeadingLevel::H2 => HeadingLevel::H4,
        HeadingLevel::H3 => HeadingLevel::H5,
        _ => HeadingLevel::H6,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(source: &str) -> String {
        render(source, "tidy", &[]).into_string()
    }

    #[test]
    fn markup_of_the_document_is_text() {
        assert_eq!(
            shown("Hi <b onclick=x>you</b> <script>alert(1)</script>\n"),
            "<p>Hi &lt;b onclick=x&gt;you&lt;/b&gt; &lt;script&gt;alert(1)&lt;/script&gt;</p>\n"
        );
        assert_eq!(
            shown("<img src=x onerror=alert(1)>\n\n</main>\n"),
            "<pre><code>&lt;img src=x onerror=alert(1)&gt;\n</code></pre>\n\
             <pre><code>&lt;/main&gt;\n</code></pre>\n"
        );
    }

    #[test]
    fn a_link_leads_to_the_web_or_to_a_file_of_the_skill() {
        let rel = "rel=\"noopener noreferrer nofollow\"";
        for (source, href) in [
            ("[a](https://example.com/?a=1&b=%22)", "https://example.com/?a=1&amp;b=%22"),
            ("[a](HTTP://example.com)", "HTTP://example.com"),
            ("[a](references/one.md#top)", "/skills/tidy/files/references/one.md"),
            ("[a](./one.md)", "/skills/tidy/files/one.md"),
        ] {
            assert_eq!(
                shown(source),
                format!("<p><a href=\"{href}\" {rel}>a</a></p>\n"),
                "{source}"
            );
        }
    }

    #[test]
    fn any_other_link_is_told_in_words() {
        for target in [
            "javascript:alert(1)",
            "JaVaScRiPt:alert(1)",
            "data:text/html,x",
            "vbscript:x",
            "//evil.example/x",
            "/etc/passwd",
            "../other/SKILL.md",
            "a/../../b",
            "%2e%2e/b",
            "#results",
            "mailto:a@b.c",
            "file:///etc/passwd",
        ] {
            let shown = shown(&format!("[a]({target})"));
            assert_eq!(shown, format!("<p>a (<code>{target}</code>)</p>\n"));
        }
        assert_eq!(
            shown("[a](<java\u{1}script:x>)"),
            "<p>a (<code>java\\u{1}script:x</code>)</p>\n"
        );
        assert_eq!(
            shown("![p](http://x.y/p.png \"t\")"),
            "<p>[picture: p] (<code>http://x.y/p.png</code>)</p>\n"
        );
    }

    #[test]
    fn nothing_of_the_document_becomes_an_attribute() {
        let table = shown("| a | b |\n|:--|--:|\n| 1 | 2 |\n");
        assert!(!table.contains("style") && table.contains("<td>2</td>"), "{table}");
        assert_eq!(shown("```\"onload=x\nx\n```\n"), "<pre><code>x\n</code></pre>\n");
        assert_eq!(shown("# A {#main .x}\n"), "<h3>A {#main .x}</h3>\n");
        assert_eq!(shown("- [x] done\n"), "<ul>\n<li>[x] done</li>\n</ul>\n");
    }

    #[test]
    fn hidden_characters_are_seen() {
        assert_eq!(
            shown("safe\u{202e}x `a\u{200b}b`"),
            "<p>safe\\u{202e}x <code>a\\u{200b}b</code></p>\n"
        );
    }

    #[test]
    fn a_remark_stands_before_the_block_that_holds_its_line() {
        let remarks = [Remark { line: 4, what: html! { p.found { "look" } } }];
        assert_eq!(
            render("one\n\ntwo\nthree\n\nfour\n", "tidy", &remarks).into_string(),
            "<p>one</p>\n<p class=\"found\">look</p>\n<p>two\nthree</p>\n<p>four</p>\n"
        );
    }

    #[test]
    fn what_would_take_long_is_shown_as_it_is_written() {
        let costly = format!("{}<b>\n{}", "> ".repeat(2_000), "x\n".repeat(4_000));
        let shown = shown(&costly);
        assert!(shown.starts_with("<pre>&gt; &gt; ") && shown.contains("&lt;b&gt;"));
    }

    #[test]
    fn a_long_text_is_cut_at_its_bound() {
        let fits = "é".repeat(MAX_BYTES / 2);
        assert!(!shown(&fits).contains("goes on"));
        assert!(shown(&format!("{fits}é")).contains("goes on"));
    }
}
