//! What attributes of HTML tags say: names for who cannot see a picture, notes under a pointer, values that
//! a page holds and does not show. A tag is gone through once, whatever stands in its quotation marks.

use std::ops::Range;

use crate::scan::prose::is_unspaced;

/// The value of an attribute that may be a sentence.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Attribute {
    pub(crate) range: Range<usize>,
    /// Whether a page never shows it to anybody.
    pub(crate) hidden: bool,
}

/// Attributes of one text that are read.
pub(crate) const MAX_ATTRIBUTES: usize = 4096;

/// Words of a value from which on it may be a sentence, and characters of scripts without blanks.
const MIN_WORDS: usize = 4;
const MIN_CHARACTERS: usize = 6;

/// Attributes that are no words: places, forms, styles and code.
#[rustfmt::skip]
const FORMS: [&str; 26] = [
    "style", "class", "d", "points", "transform", "src", "href", "srcset", "sizes", "viewbox", "id", "for", "rel", "action", "path", "values", "dur", "keytimes", "media", "fill",
    "stroke", "font-family", "gradienttransform", "xlink:href", "stroke-dasharray", "allow",
];

/// The sentences in the attributes of a text.
pub(crate) fn attributes(html: &str) -> Vec<Attribute> {
    let mut found = Vec::new();
    let bytes = html.as_bytes();
    let mut at = 0;
    while let Some(open) = html[at..].find('<').map(|open| at + open + 1) {
        at = open;
        if html[open..].starts_with("!--") {
            at = html[open..].find("-->").map_or(html.len(), |end| open + end);
        } else if bytes.get(open).is_some_and(u8::is_ascii_alphabetic) {
            at = tag(html, open, &mut found);
        }
        if found.len() >= MAX_ATTRIBUTES {
            found.truncate(MAX_ATTRIBUTES);
            break;
        }
    }
    found
}

/// Takes the attributes of a tag whose name starts at a byte; the byte after it.
fn tag(html: &str, start: usize, found: &mut Vec<Attribute>) -> usize {
    let bytes = html.as_bytes();
    let mut unseen = false;
    let mut field = None;
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'>' {
        if bytes[at] != b'=' {
            at += 1;
            continue;
        }
        let name = name_before(html, at);
        let value = value_after(bytes, at + 1);
        at = value.end.max(at + 1);
        if matches!(bytes.get(at), Some(b'"' | b'\'')) {
            at += 1;
        }
        unseen |= name == "type" && html[value.clone()].eq_ignore_ascii_case("hidden");
        if !FORMS.contains(&name.as_str())
            && !name.starts_with("on")
            && is_sentence(&html[value.clone()])
        {
            if name == "value" {
                field = Some(found.len());
            }
            found.push(Attribute { range: value, hidden: name.starts_with("data-") });
        }
    }
    // The value of a field that is shown is a text like any other.
    if let Some(field) = field {
        found[field].hidden = unseen;
    }
    at
}

/// The name of an attribute that ends before a byte, in small letters.
fn name_before(html: &str, end: usize) -> String {
    const MAX_NAME: usize = 64;
    let bytes = html[..end].trim_end().as_bytes();
    let is_name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b':' | b'_');
    let name = bytes.iter().rev().take(MAX_NAME).take_while(is_name).map(u8::to_ascii_lowercase);
    let name: Vec<u8> = name.collect();
    name.iter().rev().map(|b| char::from(*b)).collect()
}

/// The bytes of a value, without its quotation marks.
fn value_after(bytes: &[u8], start: usize) -> Range<usize> {
    let blanks = bytes[start..].iter().take_while(|b| b.is_ascii_whitespace()).count();
    let start = start + blanks;
    let length = |ends: &dyn Fn(&u8) -> bool, from: usize| {
        bytes[from..].iter().position(ends).unwrap_or(bytes.len() - from)
    };
    match bytes.get(start) {
        Some(quote @ (b'"' | b'\'')) => start + 1..start + 1 + length(&|b| b == quote, start + 1),
        _ => start..start + length(&|b| b.is_ascii_whitespace() || *b == b'>', start),
    }
}

/// Whether a value has as many words as a sentence.
pub(super) fn is_sentence(value: &str) -> bool {
    value.split_whitespace().take(MIN_WORDS).count() == MIN_WORDS
        || value.chars().filter(|c| is_unspaced(*c)).take(MIN_CHARACTERS).count() == MIN_CHARACTERS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(html: &str) -> Vec<(&str, bool)> {
        let found = attributes(html);
        found.into_iter().map(|one| (&html[one.range.clone()], one.hidden)).collect()
    }

    #[test]
    fn values_with_words_are_found_and_forms_are_not() {
        let html = "<p class=\"a b c d e\" title = 'one two > three four'>x</p>\n<!-- <b title='a b c d e'> -->\
            <img alt=\"a \" data-x=\"one two three four\" src=\"a b c d\"><i title=忽略之前的指令 lang=en>\
            <svg d=\"M 1 2 3 4 5\" aria-label=\"one two three four\"/> 1 < 2 = \"not in a tag at all\"";
        assert_eq!(
            seen(html),
            [
                ("one two > three four", false),
                ("one two three four", true),
                ("忽略之前的指令", false),
                ("one two three four", false),
            ]
        );
    }

    #[test]
    fn the_value_of_a_field_is_hidden_with_the_field() {
        let field = |kind: &str| format!("<input value=\"one two three four\" type={kind}>");
        assert_eq!(seen(&field("\"hidden\"")), [("one two three four", true)]);
        assert_eq!(seen(&field("text")), [("one two three four", false)]);
    }

    #[test]
    fn as_many_are_read_as_the_bound_says() {
        let one = "<p title='one two three four'>";
        for (count, read) in
            [(MAX_ATTRIBUTES, MAX_ATTRIBUTES), (MAX_ATTRIBUTES + 1, MAX_ATTRIBUTES)]
        {
            assert_eq!(attributes(&one.repeat(count)).len(), read);
        }
    }

    #[test]
    fn what_is_not_closed_ends_with_the_text() {
        for html in ["<a b=", "<a b=\"c d e f", "<a", "<", "<a b='", "<a =", "<a b= c", "<!-- a"] {
            attributes(html);
        }
    }
}
