//! What an `awk` program does besides reading and printing.
//!
//! A quote in a regular expression or in a comment is no string, and whether `/` begins an expression
//! depends on what stands before it. Where that is in doubt, the rest of the line is looked at as if
//! nothing in it were quoted. What is not understood is an effect.

const NOT_READ: &str = "gets a program that cannot be read for certain";

/// Words after which `/` may begin an expression, or divide.
const OPEN_WORDS: [&str; 11] = [
    "case", "delete", "do", "else", "exit", "getline", "in", "length", "print", "printf", "return",
];

/// What stands before a place, as far as it decides what `/` means there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Before {
    /// An operand must follow: `/` begins an expression.
    Opening,
    /// An operand: `/` divides.
    Operand,
    /// Either.
    Unclear,
}

/// What of an `awk` program is more than reading and printing.
pub(super) fn effect(program: &str) -> Option<&'static str> {
    let bytes = program.as_bytes();
    let mut before = Before::Opening;
    // Inside a statement that prints, and in how many parentheses of it.
    let (mut prints, mut depth) = (false, 0_usize);
    // From a `/` whose meaning is in doubt up to the end of its line.
    let mut is_raw = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let start = at;
        at += 1;
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'0'..=b'9' => {
                while bytes.get(at).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_') {
                    at += 1;
                }
                let word = &program[start..at];
                match word {
                    "system" => return Some("runs another program with `system`"),
                    "getline" => return Some("may read from another program with `getline`"),
                    "print" | "printf" => (prints, depth) = (true, 0),
                    _ => {}
                }
                let is_open = OPEN_WORDS.contains(&word);
                before = if is_open { Before::Unclear } else { Before::Operand };
            }
            b'\n' => {
                // A statement may go on here; nothing quoted does.
                is_raw = false;
                before = if before == Before::Operand { Before::Unclear } else { before };
                if matches!(
                    bytes[..start].iter().rfind(|b| !b" \t".contains(b)),
                    None | Some(b';' | b'{' | b'}' | b'\n')
                ) {
                    before = Before::Opening;
                }
            }
            b'|' => {
                let length = bytes[start..].iter().take_while(|b| **b == b'|').count();
                if length != 2 {
                    return Some("may run another program through `|`");
                }
                at += 1;
                before = Before::Opening;
            }
            b'@' => return Some("calls or loads what is only known when it runs"),
            b'>' if is_raw || prints && depth == 0 => return Some("may write a file with `>`"),
            // The end of a line that goes on; anywhere else it is not of the language.
            b'\\' if !is_raw && bytes.get(at) == Some(&b'\n') => at += 1,
            b'\\' if !is_raw || bytes.get(at) == Some(&b'\n') => return Some(NOT_READ),
            _ if is_raw => {}
            b'"' => match string(bytes, at) {
                Some(end) => (at, before) = (end, Before::Unclear),
                None => return Some(NOT_READ),
            },
            b'#' => {
                let rest = &bytes[at..];
                at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                if bytes[..at].ends_with(b"\\") {
                    return Some(NOT_READ);
                }
            }
            b'/' if before == Before::Operand => before = Before::Opening,
            b'/' => match expression(bytes, at).filter(|_| before == Before::Opening) {
                Some(end) => (at, before) = (end, Before::Unclear),
                None => is_raw = true,
            },
            b'(' => (depth, before) = (depth + 1, Before::Opening),
            b')' => (depth, before) = (depth.saturating_sub(1), Before::Unclear),
            b']' => before = Before::Operand,
            b';' | b'}' => (prints, before) = (false, Before::Opening),
            b'{' | b',' | b'!' | b'~' | b'&' | b'[' => before = Before::Opening,
            b' ' | b'\t' => {}
            _ => before = Before::Unclear,
        }
    }
    None
}

/// The place after a string that began before `from`.
fn string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
}

/// The place after a regular expression that began before `from`, where every `awk` ends it.
fn expression(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        match bytes.get(at)? {
            b'/' => return Some(at + 1),
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => return None,
            b'\\' => at += 2,
            b'\n' => return None,
            b'[' => at = bracket(bytes, at + 1)?,
            _ => at += 1,
        }
    }
}

/// The place after `[…]`, when it holds nothing that one `awk` takes for its end and another does not.
fn bracket(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + usize::from(bytes.get(from) == Some(&b'^'));
    let first = at;
    loop {
        match bytes.get(at)? {
            b']' if at > first => return Some(at + 1),
            b'[' if bytes.get(at + 1) == Some(&b':') => {
                let name = bytes[at + 2..].iter().take_while(|b| b.is_ascii_lowercase()).count();
                at += 2 + name;
                if !bytes[at..].starts_with(b":]") {
                    return None;
                }
                at += 2;
            }
            b'\\'
                if bytes
                    .get(at + 1)
                    .is_some_and(|b| b.is_ascii_alphanumeric() || b".-+\"".contains(b)) =>
            {
                at += 2;
            }
            b'[' | b']' | b'/' | b'\n' | b'\\' => return None,
            _ => at += 1,
        }
    }
}
