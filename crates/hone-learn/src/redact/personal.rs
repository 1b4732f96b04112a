//! What is personal or random by its shape: mail addresses, telephone and card numbers, addresses of
//! machines, home folders, ids, hashes, and words that no person would make up.

use super::named::floor;
use super::{Cut, marks};

/// Digits of a hash at least.
const MIN_HASH_CHARS: usize = 32;

/// Characters of a random word at least.
const MIN_RANDOM_CHARS: usize = 24;

/// Bytes of a mail address to either side of its sign.
const MAX_MAIL_PART: usize = 64;

pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    for (at, _) in text.match_indices('@') {
        mail(text, at, cuts);
    }
    words(text, cuts);
    numbers(text, cuts);
    accounts(text, cuts);
    hexadecimal(text, cuts);
}

/// Home folders of whoever: `/home/NAME`, `/Users/NAME`, `C:\Users\NAME`, `/root`.
pub(super) fn homes(text: &str, cuts: &mut Vec<Cut>) {
    for (at, root) in text.match_indices("/root") {
        let ends = |c: char| marks::is_word(c) || matches!(c, '.' | '-');
        let is_inside = text[..at].ends_with(|c: char| ends(c) || matches!(c, '~' | '/' | '}'));
        let after = &text[at + root.len()..];
        let is_longer = after.starts_with(marks::is_word)
            || (after.starts_with(['.', '-']) && after[1..].starts_with(marks::is_word));
        if !is_inside && !is_longer {
            cuts.push(Cut { range: at..at + root.len(), by: marks::HOME });
        }
    }
    for root in ["/home/", "/Users/", ":\\Users\\", ":\\\\Users\\\\"] {
        for (at, _) in text.match_indices(root) {
            let name = at + root.len();
            let length = text[name..]
                .bytes()
                .take(MAX_MAIL_PART)
                .take_while(|byte| {
                    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-')
                })
                .count();
            let is_drive = root.starts_with(':');
            let before = text[..at].chars().next_back();
            let start = match before {
                Some(c) if is_drive && c.is_ascii_alphabetic() => at - 1,
                _ if is_drive => continue,
                Some(c) if marks::is_word(c) || matches!(c, '.' | '-' | '~') => continue,
                _ => at,
            };
            if length > 0 {
                cuts.push(Cut { range: start..name + length, by: marks::HOME });
            }
        }
    }
}

/// An address of somebody; not `git@host:path`, which is nobody's.
fn mail(text: &str, at: usize, cuts: &mut Vec<Cut>) {
    let name = text[..at]
        .bytes()
        .rev()
        .take(MAX_MAIL_PART)
        .take_while(|byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+')
        })
        .count();
    let host = text[at + 1..]
        .bytes()
        .take(MAX_MAIL_PART)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
        .count();
    let host = text[at + 1..at + 1 + host].trim_end_matches(['.', '-']);
    let has_dot = host.rsplit_once('.').is_some_and(|(front, end)| {
        !front.is_empty() && end.len() >= 2 && end.bytes().all(|byte| byte.is_ascii_alphabetic())
    });
    // What stands before the sign in a URL is a login.
    let front = &text[floor(text, (at - name).saturating_sub(MAX_MAIL_PART))..at - name];
    let is_login = front
        .rsplit_once("://")
        .is_some_and(|(_, login)| !login.contains(|c: char| c.is_whitespace() || c == '/'));
    if name > 0 && has_dot && !is_login && !text[..at].ends_with("git") {
        cuts.push(Cut { range: at - name..at + 1 + host.len(), by: marks::EMAIL });
    }
}

fn words(text: &str, cuts: &mut Vec<Cut>) {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+');
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if length >= MIN_RANDOM_CHARS {
            let word = &text[at..at + length];
            if let Some(by) = kind(word) {
                let end = at + length + padding(&text[at + length..]);
                cuts.push(Cut { range: at..end, by });
            }
        }
        at += length.max(1);
    }
}

/// The signs that fill up base 64.
fn padding(text: &str) -> usize {
    text.bytes().take(2).take_while(|byte| *byte == b'=').count()
}

fn kind(word: &str) -> Option<&'static str> {
    let is_hex = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let groups: Vec<usize> = word.split('-').map(str::len).take(6).collect();
    if groups == [8, 4, 4, 4, 12] && word.split('-').all(is_hex) {
        return Some(marks::ID);
    }
    let digits = word.bytes().filter(u8::is_ascii_digit).count();
    if word.len() >= MIN_HASH_CHARS && is_hex(word) && digits > 0 && digits < word.len() {
        return Some(marks::HASH);
    }
    is_random(word).then_some(marks::SECRET)
}

/// Whether upper case, lower case and digits alternate as they do in no name.
fn is_random(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 0,
        b'A'..=b'Z' => 1,
        b'a'..=b'z' => 2,
        _ => 3,
    };
    let mut seen = [0_usize; 4];
    let mut groups = [0_usize; 4];
    let mut before = 4;
    for byte in word.bytes() {
        let class = class(byte);
        seen[class] += 1;
        groups[class] += usize::from(class != before);
        before = class;
    }
    let changes: usize = groups.iter().sum();
    seen[..3].iter().all(|count| *count > 0) && groups[0] >= 3 && changes * 3 >= word.len()
}

/// Telephone and card numbers, and addresses of machines.
fn numbers(text: &str, cuts: &mut Vec<Cut>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let starts = bytes[at].is_ascii_digit() || bytes[at] == b'+';
        let is_inside = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
        if !starts || is_inside {
            at += 1;
            continue;
        }
        let length = bytes[at + 1..]
            .iter()
            .take_while(|byte| {
                byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'(' | b')')
            })
            .count()
            + 1;
        let run = text[at..at + length].trim_end_matches(|c: char| !c.is_ascii_digit());
        let is_cut =
            text[at + run.len()..].starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if let Some(by) = number(run).filter(|_| !is_cut) {
            cuts.push(Cut { range: at..at + run.len(), by });
        } else {
            addresses(text, at, run, cuts);
        }
        at += length;
    }
}

fn number(run: &str) -> Option<&'static str> {
    let digits: Vec<u8> = run.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect();
    let groups: Vec<usize> = run.split('-').map(str::len).take(4).collect();
    if groups == [3, 2, 4] && digits.len() == 9 {
        return Some(marks::ID);
    }
    if run.starts_with('+') && (8..=15).contains(&digits.len()) {
        return Some(marks::PHONE);
    }
    let only = run.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-'));
    // A time in milliseconds has 13 digits in one piece; a card is written in groups or longer.
    let is_card =
        only && (14..=19).contains(&digits.len()) && !run.starts_with('0') && luhn(&digits);
    is_card.then_some(marks::CARD)
}

fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let value = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            value / 10 + value % 10
        })
        .sum();
    sum.is_multiple_of(10)
}

/// Addresses of four numbers in a run, but those that mean every machine or this one.
fn addresses(text: &str, start: usize, run: &str, cuts: &mut Vec<Cut>) {
    let mut from = 0;
    for part in run.split([' ', '-', '(', ')']) {
        let at = start + from;
        from += part.len() + 1;
        let part = part.trim_end_matches('.');
        let Ok(address) = part.parse::<std::net::Ipv4Addr>() else { continue };
        let is_ours = address.is_loopback() || address.is_unspecified() || address.is_broadcast();
        let is_version = text[at + part.len()..].starts_with(|c: char| c.is_ascii_alphabetic());
        if !is_ours && !is_version {
            cuts.push(Cut { range: at..at + part.len(), by: marks::ADDRESS });
        }
    }
}

/// Characters of an account number, by its standard (ISO 13616).
const IBAN_CHARS: std::ops::RangeInclusive<usize> = 15..=34;

/// Account numbers: a country, two digits that check the rest, and the rest, in groups or in one piece.
fn accounts(text: &str, cuts: &mut Vec<Cut>) {
    let bytes = text.as_bytes();
    let is_start = |at: usize| {
        bytes[at..].len() > 4
            && bytes[at..at + 2].iter().all(u8::is_ascii_uppercase)
            && bytes[at + 2..at + 4].iter().all(u8::is_ascii_digit)
            && !text[..at].ends_with(marks::is_word)
    };
    let mut at = 0;
    while at < bytes.len() {
        if !text.is_char_boundary(at) || !is_start(at) {
            at += 1;
            continue;
        }
        let mut ends: Vec<usize> = Vec::new();
        let mut chars = 0;
        for (offset, byte) in bytes[at..].iter().enumerate() {
            let is_part = byte.is_ascii_uppercase() || byte.is_ascii_digit();
            let is_gap = *byte == b' ' && chars % 4 == 0;
            chars += usize::from(is_part);
            if !(is_part || is_gap) || chars > *IBAN_CHARS.end() {
                break;
            }
            let next = bytes.get(at + offset + 1);
            let is_end = next.is_none_or(|next| !next.is_ascii_alphanumeric() && *next != b'_');
            if is_part && is_end && IBAN_CHARS.contains(&chars) {
                ends.push(at + offset + 1);
            }
        }
        let end = ends.into_iter().rev().find(|end| is_checked(&text[at..*end]));
        if let Some(end) = end {
            cuts.push(Cut { range: at..end, by: marks::ACCOUNT });
        }
        at = end.unwrap_or(at + 4);
    }
}

/// Whether the digits that check an account number fit it.
fn is_checked(account: &str) -> bool {
    let plain: String = account.chars().filter(|c| *c != ' ').collect();
    let (front, rest) = plain.split_at(4);
    let rest = rest.chars().chain(front.chars());
    let value = rest.filter_map(|c| c.to_digit(36)).fold(0, |value, digit| {
        if digit < 10 { (value * 10 + digit) % 97 } else { (value * 100 + digit) % 97 }
    });
    value == 1
}

/// Groups of an address of a network card.
const CARD_GROUPS: usize = 6;

/// Addresses of machines in hexadecimal digits, but those that mean every machine or this one.
fn hexadecimal(text: &str, cuts: &mut Vec<Cut>) {
    let bytes = text.as_bytes();
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b':';
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_part(**byte)).count();
        if length < "::0".len() {
            at += length.max(1);
            continue;
        }
        let run = &text[at..at + length];
        let is_inside =
            text[..at].ends_with(marks::is_word) || text[at + length..].starts_with(marks::is_word);
        let groups: Vec<&str> = run.split(':').take(CARD_GROUPS + 1).collect();
        let is_card = groups.len() == CARD_GROUPS && groups.iter().all(|group| group.len() == 2);
        let is_address = run
            .parse::<std::net::Ipv6Addr>()
            .is_ok_and(|address| !address.is_loopback() && !address.is_unspecified());
        let has_digit = run.bytes().any(|byte| byte.is_ascii_digit());
        if (is_address || is_card) && has_digit && !is_inside {
            cuts.push(Cut { range: at..at + length, by: marks::ADDRESS });
        }
        at += length.max(1);
    }
}
