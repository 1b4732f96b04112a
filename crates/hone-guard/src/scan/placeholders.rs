//! Places to fill in that the same document explains elsewhere: a command sends a file to
//! `https://<HUB>/in`, and three paragraphs on `<HUB>` is said to be somebody's host. What the reader is to
//! do is the command with the place filled in, so that is looked at too.

use std::borrow::Cow;
use std::ops::Range;

use super::destination::addresses;
use super::finding::Context;
use super::kind::Language;
use super::passage::{Passage, Place};
use super::places::classify;
use super::quoted::language_of;
use super::subject::is_domain;
use super::text::floor;

/// Places of one skill that are filled in.
const MAX_PLACES: usize = 16;
/// Passages of one skill that are filled in.
const MAX_FILLED: usize = 64;
/// Longest passage that is looked at: documents explain themselves in paragraphs.
const MAX_PASSAGE: usize = 8 * 1024;
/// Longest name of a place.
const MAX_NAME: usize = 40;
/// Bytes between a place and what is said to stand there.
const MAX_BETWEEN: usize = 48;

/// The passages with a place that the document explains, filled in.
pub(super) fn filled<'a>(passages: &[Passage<'a>]) -> Vec<Passage<'a>> {
    let mut places: Vec<(String, String)> = Vec::new();
    for passage in passages.iter().filter(|passage| is_document(passage)) {
        for range in marked(&passage.text) {
            let token = &passage.text[range];
            if places.len() < MAX_PLACES && places.iter().all(|(known, _)| known != token) {
                let name = token.trim_matches(|c: char| !c.is_alphanumeric());
                places.push((token.to_owned(), name.to_owned()));
            }
        }
    }
    let known: Vec<(String, String)> = places
        .into_iter()
        .filter_map(|(token, name)| {
            let mut prose =
                passages.iter().filter(|passage| is_document(passage) && is_prose(passage));
            let value = prose.find_map(|passage| explained(passage, &token, &name))?;
            let value = value.trim_end_matches(['/', '.', ',']).to_owned();
            Some((token, value))
        })
        .collect();
    let is_open = |passage: &&Passage<'_>| {
        is_document(passage) && known.iter().any(|(token, _)| passage.text.contains(token.as_str()))
    };
    passages.iter().filter(is_open).take(MAX_FILLED).map(|passage| fill(passage, &known)).collect()
}

fn is_document(passage: &Passage<'_>) -> bool {
    passage.decoded.is_none()
        && passage.text.len() <= MAX_PASSAGE
        && matches!(
            passage.context,
            Context::Prose | Context::Fence | Context::InlineCode | Context::Mention
        )
}

fn is_prose(passage: &Passage<'_>) -> bool {
    matches!(passage.language, Language::Markdown | Language::Plain)
}

fn fill<'a>(passage: &Passage<'a>, known: &[(String, String)]) -> Passage<'a> {
    let mut text = passage.text.to_string();
    let mut first = text.len();
    for (token, value) in known {
        let Some(at) = passage.text.find(token.as_str()) else { continue };
        first = first.min(at);
        // `https://<HUB>/in` with an address for `<HUB>`: the scheme stands there once.
        let bare = value.split_once("://").map_or(value.as_str(), |(_, rest)| rest);
        text = text
            .replace(&format!("${{{token}}}"), token)
            .replace(&format!("${token}"), token)
            .replace(&format!("://{token}"), &format!("://{bare}"))
            .replace(token, value);
    }
    let (line, column) = passage.place.position(first);
    Passage { text: Cow::Owned(text), place: Place::Fixed { line, column }, ..passage.clone() }
}

/// Where a text has places to fill in: `<HUB>`, `{hub}`, `{{hub}}`, `[HUB]`, `%HUB%`, `@@HUB@@`, `HUB_URL`.
fn marked(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_part = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b' ');
    let is_loud = |b: &u8| b.is_ascii_uppercase() || b.is_ascii_digit() || *b == b'_';
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (open, close): (&str, &str) = match bytes[at] {
            b'<' => ("<", ">"),
            b'{' if bytes[at..].starts_with(b"{{") => ("{{", "}}"),
            b'{' => ("{", "}"),
            b'[' => ("[", "]"),
            b'%' => ("%", "%"),
            b'@' if bytes[at..].starts_with(b"@@") => ("@@", "@@"),
            b'A'..=b'Z' => {
                let length = bytes[at..].iter().take_while(|b| is_loud(b)).count();
                let word = &text[at..at + length];
                let whole = at == 0 || !(bytes[at - 1].is_ascii_alphanumeric());
                let ends = bytes.get(at + length).is_none_or(|b| !b.is_ascii_alphanumeric());
                if whole && ends && length <= MAX_NAME && word.trim_matches('_').contains('_') {
                    found.push(at..at + length);
                }
                at += length;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        let inner = at + open.len();
        let length = bytes[inner..].iter().take(MAX_NAME).take_while(|b| is_part(b)).count();
        let end = inner + length;
        let named = bytes[inner..end].iter().any(u8::is_ascii_alphabetic)
            && (!matches!(bytes[at], b'[' | b'%') || bytes[inner..end].iter().all(is_loud));
        if named && length > 1 && bytes[end..].starts_with(close.as_bytes()) {
            found.push(at..end + close.len());
            at = end + close.len();
        } else {
            at = inner;
        }
    }
    found
}

/// What a paragraph says that a place stands for, where that matters.
fn explained<'p>(passage: &'p Passage<'_>, token: &str, name: &str) -> Option<&'p str> {
    let text: &'p str = &passage.text;
    let named = text.match_indices(token).map(|(at, _)| at..at + token.len());
    let bare = text.match_indices(name).map(|(at, _)| at..at + name.len()).filter(|range| {
        let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric() && c != '_');
        name.chars().all(|c| c.is_ascii_uppercase() || !c.is_ascii_alphabetic())
            && edge(text[..range.start].chars().next_back())
            && edge(text[range.end..].chars().next())
    });
    named.chain(bare).find_map(|range| {
        // The place first: `HUB is …`, `put … for HUB` the other way round.
        let after = &text[range.end..floor(text, range.end + 4 * MAX_BETWEEN)];
        let before = &text[floor(text, range.start.saturating_sub(4 * MAX_BETWEEN))..range.start];
        following(after).or_else(|| preceding(before))
    })
}

fn is_end(between: &str) -> bool {
    between.len() > MAX_BETWEEN || between.contains(". ") || between.contains('\n')
}

/// The first thing that matters behind a place, if it follows soon: `HUB is …`, `with …`, `| … |`.
fn following(after: &str) -> Option<&str> {
    const LINKS: [&str; 14] = [
        " is ",
        " are ",
        "=",
        ":",
        "|",
        " with ",
        " by ",
        " means ",
        " stands for ",
        " to ",
        " refers to ",
        "→",
        "->",
        " being ",
    ];
    let (between, value) = first_value(after)?;
    (!is_end(between) && LINKS.iter().any(|link| between.contains(link))).then_some(value)
}

/// The last thing that matters before a place: `… for HUB`, `… as HUB`, `… in place of HUB`.
fn preceding(before: &str) -> Option<&str> {
    const LINKS: [&str; 6] = [" for ", " as ", " in place of ", " instead of ", " at ", " where "];
    let mut rest = before;
    let mut last = None;
    while let Some((between, value)) = first_value(rest) {
        rest = &rest[between.len() + value.len()..];
        last = Some((rest, value));
    }
    let (between, value) = last?;
    (!is_end(between) && LINKS.iter().any(|link| between.contains(link))).then_some(value)
}

/// The first host, address, path that matters or command of a text, and what stands before it.
fn first_value(text: &str) -> Option<(&str, &str)> {
    let address = addresses(text).first().map(|address| address.range.clone());
    let mut at = 0;
    let mut word = None;
    for part in text.split_inclusive([' ', '\n', '|', '(', ')']) {
        let value =
            part.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '~' | '/' | '.')));
        let value = value.trim_end_matches('.');
        if is_domain(value) || value.contains(['/', '.']) && classify(value).is_some() {
            let start = at + (value.as_ptr() as usize - part.as_ptr() as usize);
            word = Some(start..start + value.len());
            break;
        }
        at += part.len();
    }
    let code = text.find('`').and_then(|open| {
        let close = text[open + 1..].find('`')?;
        let range = open + 1..open + 1 + close;
        language_of(&text[range.clone()]).map(|_| range)
    });
    let range = [address, word, code].into_iter().flatten().min_by_key(|range| range.start)?;
    Some((&text[..range.start], &text[range]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_marked_in_many_ways() {
        fn seen(text: &str) -> Vec<&str> {
            marked(text).into_iter().map(|range| &text[range]).collect()
        }
        assert_eq!(
            seen("a <hub url> b {hub} {{ hub }} [HUB] %HUB% @@HUB@@ HUB_URL"),
            ["<hub url>", "{hub}", "{{ hub }}", "[HUB]", "%HUB%", "@@HUB@@", "HUB_URL"]
        );
        assert_eq!(seen("x < 3 {} [a link] 100% JSON myHUB_URL f({a: 1})"), Vec::<&str>::new());
    }

    #[test]
    fn what_a_place_stands_for_is_read_in_both_directions() {
        assert_eq!(following("> is `sink.qv-data.net` here"), Some("sink.qv-data.net"));
        assert_eq!(
            following(" | https://sink.qv-data.net/in |"),
            Some("https://sink.qv-data.net/in")
        );
        assert_eq!(following(": `~/.ssh/id_rsa`"), Some("~/.ssh/id_rsa"));
        assert_eq!(preceding("Put sink.qv-data.net for "), Some("sink.qv-data.net"));
        assert_eq!(following(" is yours. See sink.qv-data.net"), None);
        assert_eq!(following(" and sink.qv-data.net"), None);
    }
}
