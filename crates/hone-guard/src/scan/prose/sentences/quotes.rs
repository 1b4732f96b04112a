//! Stretches of a text in quotation marks or as spans of code, in order. A mark counts only when it is
//! closed within a bound.

use std::ops::Range;

/// Bytes within which a quotation mark must be closed to count.
const MAX_QUOTE: usize = 400;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quote {
    Words,
    Code,
}

/// The quoted stretches of a text, in order.
pub(super) fn quotes(text: &str) -> Vec<(Range<usize>, Quote)> {
    let mut found = Vec::new();
    let mut from = 0;
    let mark = |from: usize| {
        // No mark starts with another byte of ASCII than these two.
        let bytes = text.as_bytes()[from..].iter().enumerate();
        let mut starts = bytes.filter(|(_, b)| matches!(b, b'"' | b'`' | 0xC2..));
        starts.find_map(|(at, _)| {
            let c = text[from + at..].chars().next()?;
            matches!(c, '"' | '`' | '“' | '„' | '«' | '「' | '『').then_some((from + at, c))
        })
    };
    while let Some((at, open)) = mark(from) {
        let inner = at + open.len_utf8();
        let close: &[char] = match open {
            '“' | '„' => &['”', '“', '"'],
            '«' => &['»'],
            '「' => &['」'],
            '『' => &['』'],
            '`' => &['`'],
            _ => &['"'],
        };
        let limit = crate::scan::text::floor(text, inner + MAX_QUOTE);
        if let Some(length) = text[inner..limit].find(close) {
            let kind = if open == '`' { Quote::Code } else { Quote::Words };
            found.push((inner..inner + length, kind));
            from = inner + length + text[inner + length..].chars().next().map_or(1, char::len_utf8);
        } else {
            from = inner;
        }
    }
    found
}
