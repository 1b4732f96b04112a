//! Texts behind an XOR with a constant that stands in the same text: beside the operator, under the name beside
//! it, or anywhere else as a number. The constant is tried on every list of numbers and every string, and counts
//! where it makes words of them.

use std::ops::Range;

use super::codes::Numbers;
use super::speech::speaks;
use super::{Budget, MIN_CODES, language_of};
use crate::scan::text::floor;

/// Constants of one text that are tried.
const MAX_KEYS: usize = 32;
/// Bytes of a constant that is a text, used over and over.
const MAX_KEY: usize = 64;
/// Places of one text at which an operator is looked for.
const MAX_OPERATORS: usize = 4096;
/// Bytes of one line around an operator that may hold its operands.
const MAX_OPERAND: usize = 48;

/// How an XOR of two values is written.
pub(super) const OPERATORS: [&str; 6] = ["^", "-bxor", "-BXOR", "bxor", "xor", " ~ "];

/// The constants that a text may be turned with.
#[derive(Debug, Default)]
pub(super) struct Keys(Vec<Vec<u8>>);

impl Keys {
    /// The constants of a text that has such operators, the likely ones first.
    pub(super) fn of(text: &str, runs: &[Numbers]) -> Self {
        let mut keys = Self::default();
        let operands = operands(text);
        if operands.is_empty() {
            return keys;
        }
        for number in operands.iter().filter_map(|operand| number(operand)) {
            keys.add(vec![number]);
        }
        for name in operands.iter().filter(|operand| !starts_as_number(operand)) {
            keys.add_named(text, name);
        }
        // dec([51, 62, …], 90): what is passed to a function of its own.
        for run in runs {
            for value in run.values.first().into_iter().chain(run.values.last()) {
                keys.0
                    .extend(u8::try_from(*value).ok().filter(|key| *key > 0).map(|key| vec![key]));
            }
            if keys.is_full() {
                break;
            }
        }
        for key in words(text).filter_map(number) {
            if keys.is_full() {
                break;
            }
            keys.add(vec![key]);
        }
        keys.0.truncate(MAX_KEYS);
        keys
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    fn is_full(&self) -> bool {
        self.0.len() >= MAX_KEYS
    }

    fn add(&mut self, key: Vec<u8>) {
        if !self.is_full() && (1..=MAX_KEY).contains(&key.len()) && !self.0.contains(&key) {
            self.0.push(key);
        }
    }

    /// `KEY = 0x5a`, `$k = 90`, `key := "secret"`: what a name stands for.
    fn add_named(&mut self, text: &str, name: &str) {
        const MOST: usize = 64;
        for (at, _) in text.match_indices(name).take(MOST) {
            let is_whole = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let behind = text[at + name.len()..].trim_start_matches([' ', ':', '\t']);
            let Some(value) = behind.strip_prefix('=').filter(|_| is_whole) else { continue };
            let value = value.trim_start_matches([' ', '(', '\t']);
            let value = value
                .strip_prefix(['b', '@'])
                .filter(|rest| quote_of(rest).is_some())
                .unwrap_or(value);
            if let Some(quote) = quote_of(value)
                && let Some(length) = value[1..].bytes().take(MAX_KEY + 1).position(|b| b == quote)
            {
                self.add(value.as_bytes()[1..=length].to_vec());
            } else if let Some(key) = words(first_line(value)).next().and_then(number) {
                self.add(vec![key]);
            }
        }
    }

    /// The text that bytes become with one of the constants, where that says more than before.
    pub(super) fn reveal(&self, bytes: &[u8], budget: &mut Budget) -> Option<String> {
        if bytes.len() < MIN_CODES {
            return None;
        }
        let mut plain = self.0.iter().find_map(|key| {
            // Most constants give no text, which the first bytes tell.
            const HEAD: usize = 64;
            let head: Vec<u8> = turned(&bytes[..bytes.len().min(HEAD)], key).collect();
            if trimmed(&head).iter().any(|b| is_control(*b)) {
                return None;
            }
            let plain: Vec<u8> = turned(bytes, key).collect();
            let plain = trimmed(&plain);
            says_more(plain, bytes).then(|| plain.to_vec())
        })?;
        budget.take(&mut plain);
        String::from_utf8(plain).ok()
    }
}

/// Whether a text has an XOR of two values.
pub(super) fn has_xor(text: &str) -> bool {
    !operands(text).is_empty()
}

fn turned<'k>(bytes: &'k [u8], key: &'k [u8]) -> impl Iterator<Item = u8> + 'k {
    bytes.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key)
}

/// Without the constant itself, which may stand beside the list as one number more.
fn trimmed(plain: &[u8]) -> &[u8] {
    let plain = plain.strip_prefix(&[0]).unwrap_or(plain);
    plain.strip_suffix(&[0]).unwrap_or(plain)
}

fn is_control(byte: u8) -> bool {
    byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r')
}

/// Whether bytes are words where the others were none.
fn says_more(plain: &[u8], before: &[u8]) -> bool {
    /// Hundredths of small letters and blanks in words, and how many more they are than before.
    const WORDS: usize = 60;
    const MORE: usize = 30;
    /// Hundredths of letters, digits and blanks in texts that are encoded once more.
    const CODES: usize = 90;
    /// Letters of which shares say something: of a few, some constant makes words every time.
    const ENOUGH: usize = 12;
    let Ok(text) = std::str::from_utf8(plain) else { return false };
    if plain.len() < MIN_CODES || plain.iter().any(|b| is_control(*b)) {
        return false;
    }
    let before_as_text = String::from_utf8_lossy(before);
    if speaks(text) >= 2 && speaks(text) > speaks(&before_as_text) {
        return true;
    }
    if language_of(text).is_some() && language_of(&before_as_text).is_none() {
        return true;
    }
    if plain.len() < ENOUGH {
        return false;
    }
    let is_word = |b: u8| b.is_ascii_lowercase() || b == b' ';
    let is_code = |b: u8| b.is_ascii_alphanumeric() || b == b' ';
    let gains = |is_it: &dyn Fn(u8) -> bool, least: usize| {
        let share = share(plain, is_it);
        share >= least && share >= self::share(before, is_it) + MORE
    };
    plain.contains(&b' ') && gains(&is_word, WORDS) || gains(&is_code, CODES)
}

/// How many hundredths of some bytes are of a kind.
fn share(bytes: &[u8], is_it: &dyn Fn(u8) -> bool) -> usize {
    bytes.iter().filter(|b| is_it(**b)).count() * 100 / bytes.len().max(1)
}

/// What stands on both sides of each operator: numbers and names.
fn operands(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = Vec::new();
    for operator in OPERATORS {
        for (at, _) in text.match_indices(operator).take(MAX_OPERATORS) {
            let from = floor(text, at.saturating_sub(MAX_OPERAND));
            let behind = at + operator.len();
            let until = floor(text, behind + MAX_OPERAND);
            let before = text[from..at].trim_end_matches([' ', ')', ']']);
            let after = first_line(&text[behind..until]).trim_start_matches([' ', '=', '(', '[']);
            // bxor(c, 90): both stand behind.
            let call: Vec<&str> = match first_line(&text[behind..until]).strip_prefix('(') {
                Some(rest) => {
                    rest.split_once(')').map_or(rest, |(inside, _)| inside).split(',').collect()
                }
                None => Vec::new(),
            };
            let sides = match call.as_slice() {
                [one, other] => [last_word(one.trim()), first_word(other.trim())],
                _ => [last_word(before), first_word(after)],
            };
            if sides.iter().all(|side| !side.is_empty()) {
                for side in sides {
                    if !found.contains(&side) && found.len() < MAX_KEYS {
                        found.push(side);
                    }
                }
            }
        }
    }
    found
}

fn first_line(text: &str) -> &str {
    text.split('\n').next().unwrap_or(text)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$' | '@')
}

fn first_word(text: &str) -> &str {
    &text[..text.find(|c| !is_word(c)).unwrap_or(text.len())]
}

fn last_word(text: &str) -> &str {
    let end = text.char_indices().rev().find(|(_, c)| !is_word(*c));
    &text[end.map_or(0, |(at, c)| at + c.len_utf8())..]
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

fn starts_as_number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// A number of one byte that changes something.
fn number(word: &str) -> Option<u8> {
    let value = match word.strip_prefix("0x").or_else(|| word.strip_prefix("0X")) {
        Some(hex) => u8::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    };
    value.filter(|value| *value > 0)
}

fn quote_of(text: &str) -> Option<u8> {
    text.bytes().next().filter(|b| matches!(b, b'"' | b'\''))
}

/// Strings of a text with their bytes, escapes resolved: `b'\x39/(6z'`.
pub(super) fn literals(text: &str) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut at = 0;
        while let Some(open) = line[at..].find(['"', '\'', '`']).map(|open| at + open) {
            let Some((length, bytes)) = literal(&line[open..]) else {
                at = open + 1;
                continue;
            };
            if bytes.len() >= MIN_CODES {
                found.push((start + open + 1..start + open + length - 1, bytes));
            }
            at = open + length;
        }
        start += line.len();
    }
    found
}

/// The bytes of the string that a text begins with, and its length with its quotes.
fn literal(text: &str) -> Option<(usize, Vec<u8>)> {
    let quote = text.chars().next()?;
    let mut bytes = Vec::new();
    let mut at = 1;
    while let Some(c) = text.get(at..)?.chars().next() {
        if c == quote {
            return Some((at + 1, bytes));
        }
        let (byte, length) = if c == '\\' {
            escape(&text.as_bytes()[at..])?
        } else {
            (u8::try_from(u32::from(c)).ok()?, c.len_utf8())
        };
        bytes.push(byte);
        at += length;
    }
    None
}

/// The byte that an escape stands for, and its length.
fn escape(text: &[u8]) -> Option<(u8, usize)> {
    let hex = |digits: Option<&[u8]>| {
        let digits = std::str::from_utf8(digits?).ok()?;
        u8::from_str_radix(digits, 16).ok()
    };
    Some(match text.get(1)? {
        b'x' => (hex(text.get(2..4))?, 4),
        b'u' => (hex(text.get(4..6)).filter(|_| text[2..4] == *b"00")?, 6),
        b'n' => (b'\n', 2),
        b't' => (b'\t', 2),
        b'r' => (b'\r', 2),
        b'0' => (0, 2),
        other => (*other, 2),
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Budget, MAX_DECODED_BYTES, find};
    use super::*;

    const COMMAND: &str = "id; uname -a; rm -rf ~/work";

    fn list(key: u8) -> String {
        COMMAND.bytes().map(|b| (b ^ key).to_string()).collect::<Vec<_>>().join(", ")
    }

    fn xored(text: &str) -> Vec<String> {
        let found = find(text, "", &mut Budget::new(MAX_DECODED_BYTES)).into_iter();
        found.filter(|one| one.how == "XOR with a constant").map(|one| one.text).collect()
    }

    #[test]
    fn the_constant_is_found_beside_the_operator_under_its_name_and_as_an_argument() {
        for code in [
            format!("bytes(c ^ 0x5a for c in [{}])", list(90)),
            format!("bytes(0x5a^c for c in [{}])", list(90)),
            format!("k = 90\nbytes(c^k for c in [{}])", list(90)),
            format!("const KEY = 0x5a;\n[{}].map(c => c ^ KEY)", list(90)),
            format!("def dec(d, k):\n  return bytes(c ^ k for c in d)\ndec([{}], 90)", list(90)),
            format!("def dec(k, d):\n  return bytes(c ^ k for c in d)\ndec(90, [{}])", list(90)),
            format!("$d = {} | % {{ $_ -bxor 90 }}", list(90)),
            format!("for i in d do bit32.bxor(i, 90) end d = {{{}}}", list(90)),
            format!("o = o .. string.char(c ~ 0x5a) d = {{{}}}", list(90)),
        ] {
            assert_eq!(xored(&code), [COMMAND], "{code}");
        }
    }

    #[test]
    fn strings_are_turned_with_their_escapes_and_by_a_constant_of_several_letters() {
        let raw: Vec<String> = COMMAND.bytes().map(|b| format!("\\x{:02x}", b ^ 0x5a)).collect();
        let raw = raw.concat();
        assert_eq!(xored(&format!("x = b'{raw}'\nbytes(c ^ 0x5a for c in x)")), [COMMAND]);
        let hex: Vec<String> = COMMAND
            .bytes()
            .zip(b"key".iter().cycle())
            .map(|(b, k)| format!("{:02x}", b ^ k))
            .collect();
        let hex = hex.concat();
        let code = format!("key = b'key'\nd = '{hex}'\nbytes(c ^ key[i % 3] for i, c in d)");
        assert_eq!(xored(&code), [COMMAND]);
    }

    #[test]
    fn sums_flags_and_tables_say_nothing() {
        let table = (0..256_u32).map(|n| (n * 167 + 13) % 256).map(|n| n.to_string());
        let table = table.collect::<Vec<_>>().join(", ");
        for code in [
            "c = 0\nfor b in b'some plain text in here':\n    c ^= b\nprint(c)".to_owned(),
            "flag ^= 1\nprint('Usage: tool [--yes] FILE!!')".to_owned(),
            "x = c ^ 0x20\nprint('Hello, reader! How are you?')".to_owned(),
            format!("S = [{table}]\nx = S[a ^ 0x63]"),
            "re.match('^[a-z]+$', 'some text'); 2 ** 8".to_owned(),
        ] {
            assert_eq!(xored(&code), [""; 0], "{code}");
        }
    }

    #[test]
    fn as_many_constants_are_tried() {
        let code = |others: usize| {
            let others: Vec<String> = (1..=others).map(|n| format!("f({n})\n")).collect();
            let others = others.concat();
            format!("def d(x, k): return x ^ k\n{others}d(y, 90)\ns = [{}]", list(90))
        };
        let keys = |others: usize| Keys::of(&code(others), &[]).0;
        assert!(keys(MAX_KEYS - 1).contains(&vec![90]));
        assert!(!keys(MAX_KEYS).contains(&vec![90]));
    }

    #[test]
    fn an_operand_stands_within_so_many_bytes() {
        let operand = |bytes: usize| {
            let text = format!("x ^{}90", " ".repeat(bytes - 2));
            operands(&text).contains(&"90")
        };
        assert!(operand(MAX_OPERAND));
        assert!(!operand(MAX_OPERAND + 1));
    }

    #[test]
    fn as_many_operators_are_looked_at() {
        let operands = |before: usize| operands(&format!("{}x ^ 90", "^\n".repeat(before))).len();
        assert_eq!(operands(MAX_OPERATORS - 1), 2);
        assert_eq!(operands(MAX_OPERATORS), 0);
    }

    #[test]
    fn a_constant_has_so_many_bytes() {
        let keys = |length: usize| {
            Keys::of(&format!("key = '{}'\nx = c ^ key[i]", "k".repeat(length)), &[]).0
        };
        assert_eq!(keys(MAX_KEY), [vec![b'k'; MAX_KEY]]);
        assert_eq!(keys(MAX_KEY + 1), [[0_u8; 0]; 0]);
    }
}
