//! Characters written as escapes.

use std::ops::Range;

use super::MIN_CODES;

/// Runs of `\x41`, `\u0041`, `\101`, `%41`, `&#65;`.
pub(super) fn escapes(text: &str) -> Vec<(Range<usize>, Vec<u8>)> {
    let bytes = text.as_bytes();
    let one = |at: usize| -> Option<(u8, usize)> {
        let rest = &bytes[at..];
        let hex = |from: usize, length: usize| {
            let digits = rest.get(from..from + length)?;
            let text = std::str::from_utf8(digits).ok()?;
            u32::from_str_radix(text, 16).ok().and_then(|v| u8::try_from(v).ok())
        };
        match rest {
            [b'\\', b'x', ..] => Some((hex(2, 2)?, 4)),
            [b'\\', b'u', b'{', ..] => {
                let end = rest.iter().take(10).position(|b| *b == b'}')?;
                Some((hex(3, end - 3)?, end + 1))
            }
            [b'\\', b'u', ..] => Some((hex(2, 4)?, 6)),
            [b'\\', a @ b'0'..=b'1', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
                Some(((a - b'0') * 64 + (b - b'0') * 8 + (c - b'0'), 4))
            }
            [b'%', _, _, ..] => Some((hex(1, 2)?, 3)),
            [b'&', b'#', b'x', ..] => {
                let end = rest.iter().take(10).position(|b| *b == b';')?;
                Some((hex(3, end - 3)?, end + 1))
            }
            [b'&', b'#', ..] => {
                let end = rest.iter().take(10).position(|b| *b == b';')?;
                Some((std::str::from_utf8(&rest[2..end]).ok()?.parse().ok()?, end + 1))
            }
            _ => None,
        }
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'\\' | b'%' | b'&') || one(at).is_none() {
            at += 1;
            continue;
        }
        let start = at;
        let mut decoded = Vec::new();
        let mut count = 0;
        // A run may hold a few plain characters, as percent-encoding does.
        let mut plain = 0;
        while at < bytes.len() {
            if let Some((byte, length)) = one(at) {
                decoded.push(byte);
                at += length;
                count += 1;
                plain = 0;
            } else if plain < if bytes[start] == b'%' { 24 } else { 3 }
                && bytes[at].is_ascii_graphic()
                && !matches!(bytes[at], b'"' | b'\'' | b'`' | b'<' | b'>')
            {
                decoded.push(bytes[at]);
                at += 1;
                plain += 1;
            } else {
                break;
            }
        }
        if count >= MIN_CODES {
            decoded.truncate(decoded.len() - plain);
            found.push((start..at - plain, decoded));
        }
    }
    found
}
