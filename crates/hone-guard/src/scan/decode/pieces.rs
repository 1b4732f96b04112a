//! Texts cut into neighbouring strings: `["cur", "l -s ", …]`, `"aGVs" + "bG8="`; also where numbers
//! say in which order they belong, beside each (`{2: "l -s", 1: "cur"}`) or in a list of their own.

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

/// Fewest strings that are put together.
const FEWEST: usize = 3;
/// Most strings that are put into an order.
const MOST_ORDERED: usize = 64;
/// Lists of numbers of one text that are tried as an order.
const MAX_ORDERS: usize = 8;

/// The texts that pieces give in the orders that numbers in the same text spell out.
pub(super) fn ordered(text: &str, runs: &[Pieces<'_>]) -> Vec<(Range<usize>, String)> {
    let mut found: Vec<(Range<usize>, String)> = numbered(text)
        .into_iter()
        .map(|(range, mut parts)| {
            parts.sort_by_key(|(number, _)| *number);
            (range, parts.into_iter().map(|(_, part)| part).collect())
        })
        .collect();
    if runs.iter().any(|run| run.parts.len() <= MOST_ORDERED) {
        let orders = orders(text);
        for run in runs {
            for order in orders.iter().filter(|order| order.len() == run.parts.len()) {
                // Either the places that the pieces are taken from, or those that they go to.
                let taken: String = order.iter().map(|place| run.parts[*place]).collect();
                let mut sorted: Vec<(usize, &str)> =
                    order.iter().copied().zip(run.parts.iter().copied()).collect();
                sorted.sort_unstable_by_key(|(place, _)| *place);
                let put: String = sorted.into_iter().map(|(_, part)| part).collect();
                found.extend([taken, put].map(|text| (run.range.clone(), text)));
            }
        }
    }
    found
}

/// A string and its number.
type Numbered<'t> = (usize, &'t str);

/// Strings each with its number before it: `{3: "x", 1: "y"}`, `[(2, 'x'), (0, 'y')]`, `["2", "x"]`.
fn numbered(text: &str) -> Vec<(Range<usize>, Vec<Numbered<'_>>)> {
    let bytes = text.as_bytes();
    let is_sign = |b: &u8| b.is_ascii_whitespace() || b",:=>()[]{}\"'".contains(b);
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() || at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        let mut parts: Vec<Numbered<'_>> = Vec::new();
        let mut end = at;
        while let Some((number, length)) = small(&bytes[at..]) {
            let closes = at > 0 && matches!(bytes[at - 1], b'"' | b'\'');
            let from = at + length + usize::from(closes);
            let signs = bytes.get(from..).unwrap_or_default().iter().take(MAX_BETWEEN);
            let open = from + signs.take_while(|b| is_sign(b) && !b"\"'".contains(b)).count();
            let Some(part) = piece(text, open).filter(|_| parts.len() < MOST_ORDERED) else {
                break;
            };
            parts.push((number, part));
            end = open + part.len() + 2;
            let between = bytes[end..].iter().take(MAX_BETWEEN).take_while(|b| is_sign(b)).count();
            at = end + between;
        }
        let is_new = |(at, (number, _)): (usize, &(usize, &str))| {
            parts[..at].iter().all(|(other, _)| other != number)
        };
        if parts.len() >= FEWEST && parts.iter().enumerate().all(is_new) {
            found.push((start..end, parts));
        }
        at = end.max(start + 1);
    }
    found
}

/// Lists of numbers that name each of so many places once, counted from 0.
fn orders(text: &str) -> Vec<Vec<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() && found.len() < MAX_ORDERS {
        if !bytes[at].is_ascii_digit() || at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let mut numbers = Vec::new();
        while let Some((number, length)) =
            small(&bytes[at..]).filter(|_| numbers.len() < MOST_ORDERED)
        {
            numbers.push(number);
            at += length;
            let between = bytes[at..]
                .iter()
                .take(MAX_BETWEEN)
                .take_while(|b| b.is_ascii_whitespace() || **b == b',')
                .count();
            if between == 0 {
                break;
            }
            at += between;
        }
        let first = numbers.iter().copied().min().unwrap_or(0);
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let is_order = first <= 1 && sorted.iter().enumerate().all(|(at, n)| *n == at + first);
        if numbers.len() >= FEWEST && is_order && sorted != numbers {
            found.push(numbers.into_iter().map(|number| number - first).collect());
        }
        at += 1;
    }
    found
}

/// A number of one or two digits, and its length.
fn small(bytes: &[u8]) -> Option<(usize, usize)> {
    let length = bytes.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    let digits = std::str::from_utf8(&bytes[..length]).ok().filter(|_| length < 3)?;
    Some((digits.parse().ok()?, length))
}

/// The runs of three strings and more.
pub(super) fn pieces(text: &str) -> Vec<Pieces<'_>> {
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

    fn said(text: &str) -> Vec<String> {
        ordered(text, &pieces(text)).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn numbers_beside_pieces_say_their_order() {
        assert_eq!(said("{3: 'c', 1: 'a', 2: 'b'}"), ["abc"]);
        assert_eq!(said("[[2, \"c\"], [0, \"a\"], [1, \"b\"]]"), ["abc"]);
        assert_eq!(said("{\"2\": \"c\", \"0\": \"a\", \"1\": \"b\"}"), ["abc"]);
        assert_eq!(said("f(1, 'a'), f(1, 'b'), f(1, 'c')"), Vec::<String>::new());
    }

    #[test]
    fn a_list_of_places_is_an_order() {
        assert_eq!(said("p = ['b', 'c', 'a']\no = [2, 0, 1]"), ["abc", "cab"]);
        assert_eq!(said("p = ['b', 'c', 'a']\no = [3, 1, 2]"), ["abc", "cab"]);
        // Already in order, too few, or of another length.
        assert_eq!(said("p = ['b', 'c', 'a']\no = [0, 1, 2]; q = [1, 0]"), Vec::<String>::new());
    }
}
