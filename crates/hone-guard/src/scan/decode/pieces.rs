//! Texts cut into neighbouring strings: `["cur", "l -s ", …]`, `"aGVs" + "bG8="`.

use std::ops::Range;

/// Longest piece.
const MAX_PIECE: usize = 80;
/// Bytes between two pieces: quotation marks, commas, signs, the end of a line.
const MAX_BETWEEN: usize = 24;
/// Longest text that is put together.
const MAX_JOINED: usize = 8 * 1024;

/// Strings that stand beside each other with nothing but signs between them.
pub(super) struct Pieces<'t> {
    pub(super) range: Range<usize>,
    pub(super) parts: Vec<&'t str>,
}

impl Pieces<'_> {
    pub(super) fn joined(&self) -> String {
        self.parts.concat()
    }

    /// Each piece turned round.
    pub(super) fn turned(&self) -> String {
        self.parts.iter().flat_map(|part| part.chars().rev()).collect()
    }
}

/// The runs of three strings and more.
pub(super) fn pieces(text: &str) -> Vec<Pieces<'_>> {
    const FEWEST: usize = 3;
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'"' | b'\'') {
            at += 1;
            continue;
        }
        let start = at;
        let mut parts = Vec::new();
        let mut length = 0;
        let mut end = at;
        while let Some(part) = piece(text, at).filter(|part| length + part.len() <= MAX_JOINED) {
            length += part.len();
            at += part.len() + 2;
            end = at;
            parts.push(part);
            let between = bytes[at..]
                .iter()
                .take(MAX_BETWEEN)
                .take_while(|b| b.is_ascii_whitespace() || b",+.\\&".contains(b))
                .count();
            if between == 0 {
                break;
            }
            at += between;
        }
        if parts.len() >= FEWEST {
            found.push(Pieces { range: start..end, parts });
        }
        at = end.max(start + 1);
    }
    found
}

/// The string that opens at a quotation mark, if it closes soon and on its line.
fn piece(text: &str, at: usize) -> Option<&str> {
    let bytes = text.as_bytes();
    let quote = *bytes.get(at).filter(|b| matches!(b, b'"' | b'\''))?;
    let length = bytes[at + 1..]
        .iter()
        .take(MAX_PIECE)
        .position(|b| *b == quote || matches!(b, b'\n' | b'\\'))?;
    (bytes[at + 1 + length] == quote).then(|| &text[at + 1..at + 1 + length])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_one_run() {
        let text = "x = ['ab', 'cd',\n 'ef'] + y; it's 'one' more";
        let found: Vec<String> = pieces(text).iter().map(Pieces::joined).collect();
        assert_eq!(found, ["abcdef"]);
        assert_eq!(pieces("'ab' + 'cd' + 'ef'")[0].turned(), "badcfe");
    }
}
