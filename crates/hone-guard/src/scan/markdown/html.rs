//! HTML, alone or inside Markdown: its texts and comments in order, and which of them a page does not show.
//! A tag that is none, but a gap to fill in, counts as text.

use std::ops::Range;

use crate::scan::invisible;

/// A part of an HTML text between its tags.
pub(crate) struct HtmlPart {
    pub(crate) range: Range<usize>,
    /// Whether a page does not show it: a comment, or inside an element made invisible.
    pub(crate) hidden: bool,
}

/// `<your reply>`: what looks like a tag but is a gap to fill in.
pub(super) fn is_placeholder(piece: &str) -> bool {
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
pub(super) const CHAT_TAGS: [&str; 10] = [
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
pub(super) fn parts_after(
    html: &str,
    mut hidden: Option<String>,
) -> (Vec<HtmlPart>, Option<String>) {
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

pub(super) fn element(tag: &str) -> String {
    tag.trim_start_matches('<')
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase()
}
