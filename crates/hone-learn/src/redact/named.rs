//! Secrets by the name that they are given to: assignments, options, headers, logins in addresses.

use super::{Cut, marks};

/// What a name of a secret ends with, without case, dashes and underscores.
const SURE: [&str; 8] =
    ["password", "passwd", "passphrase", "pwd", "secret", "secretkey", "credential", "credentials"];

/// Likewise, but also the end of names in code and prose: the value has to look like one, unless the name
/// is that of a variable of the environment, an option or a header.
const LIKELY: [&str; 8] =
    ["token", "apikey", "accesskey", "privatekey", "authkey", "auth", "sessionid", "sid"];

/// Those of them that are sure where the name is a key in quotes, or ends in camel case right before its value.
const KEYS: [&str; 5] = ["token", "apikey", "accesskey", "privatekey", "authkey"];

/// Likewise, where they are a parameter of an address.
const PARAMETERS: [&str; 3] = ["key", "sig", "signature"];

/// The last part of a name (`db_pass`), which is also a word of its own (`pass: 12`).
const SHORT: [&str; 6] = ["pass", "passcode", "pw", "psw", "otp", "totp"];

/// Digits of a personal number, at least and at most; fewer are a place on a board.
const PIN_DIGITS: std::ops::RangeInclusive<usize> = 4..=12;

/// Bytes before a sign that are looked at for a name.
const MAX_NAME: usize = 64;

/// Bytes of a line that are looked at for the value of a header.
const MAX_LINE: usize = 16 * 1024;

pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    let mut done = 0;
    for (at, _) in text.match_indices(['=', ':']) {
        if at >= done {
            done = assigned(text, at, cuts).unwrap_or(done);
        }
    }
    for (at, _) in text.match_indices("--") {
        option(text, at, cuts);
    }
    for (at, _) in text.match_indices("-u ") {
        login(text, at, cuts);
    }
    for (at, _) in text.match_indices("://") {
        user_information(text, at + 3, cuts);
    }
    for word in ["Bearer ", "bearer ", "Basic ", "basic "] {
        for (at, _) in text.match_indices(word) {
            credentials(text, at + word.len(), cuts);
        }
    }
    let mut done = 0;
    for (at, _) in text.match_indices("ookie:") {
        if at >= done {
            done = cut_line(text, at + "ookie:".len(), cuts);
        }
    }
    keys(text, cuts);
}

/// Whether a value that stands under a name is a secret.
pub(super) fn is_secret(name: &str, value: &str) -> bool {
    let suspicion = match suspicion(name).or_else(|| short(name, true)) {
        Some(Suspicion::Likely) if is_key_of_secret(name) => Some(Suspicion::Sure),
        suspicion => suspicion,
    };
    suspicion.is_some_and(|suspicion| suspicion.fits(value))
}

/// Whether a name that is a key, as in JSON, is one of a secret.
fn is_key_of_secret(name: &str) -> bool {
    let plain: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    KEYS.iter().any(|key| plain.ends_with(key))
}

/// Whether a name ends in camel case with the name of a secret: `_authToken`.
fn is_camel_key(name: &str) -> bool {
    let last = name.rfind(|c: char| c.is_ascii_uppercase());
    let is_camel = last.is_some_and(|at| name[..at].ends_with(|c: char| c.is_ascii_lowercase()));
    is_camel && is_key_of_secret(name)
}

/// How much a name says about its value.
#[derive(Clone, Copy)]
enum Suspicion {
    Sure,
    Likely,
    /// Unless it counts something.
    Short,
    Pin,
}

impl Suspicion {
    fn fits(self, value: &str) -> bool {
        !value.is_empty()
            && !is_reference(value)
            && match self {
                Self::Sure => true,
                Self::Likely => looks_made(value),
                Self::Short => value.len() > 3 || !is_number(value),
                Self::Pin => PIN_DIGITS.contains(&value.len()) && is_number(value),
            }
    }
}

fn suspicion(name: &str) -> Option<Suspicion> {
    let plain: String =
        name.chars().filter(|c| !matches!(c, '-' | '_')).flat_map(char::to_lowercase).collect();
    let ends = |ends: &[&str]| ends.iter().any(|end| plain.ends_with(end));
    if ends(&SURE) {
        return Some(Suspicion::Sure);
    }
    let is_variable =
        name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let is_header = name.starts_with("X-") || name.starts_with("x-");
    let is_option = name.starts_with("--");
    let given =
        if is_variable || is_header || is_option { Suspicion::Sure } else { Suspicion::Likely };
    ends(&LIKELY).then_some(given)
}

/// How much a name says whose last part is a short word. One that stands alone counts where it is a `key`.
fn short(name: &str, is_key: bool) -> Option<Suspicion> {
    let mut parts = name.split(['-', '_']).filter(|part| !part.is_empty()).rev();
    let last = parts.next()?;
    let is_camel = |word: &&str| {
        let split = name.len().checked_sub(word.len()).filter(|at| name.is_char_boundary(*at));
        split.map(|at| name.split_at(at)).is_some_and(|(front, end)| {
            front.ends_with(|c: char| c.is_ascii_lowercase())
                && end.starts_with(|c: char| c.is_ascii_uppercase())
                && end.eq_ignore_ascii_case(word)
        })
    };
    let is_shouted = name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let is_part = parts.next().is_some() && (name.contains('_') || name.starts_with("--"));
    if SHORT.iter().any(|word| last.eq_ignore_ascii_case(word)) {
        return (is_part || is_key || is_shouted).then_some(Suspicion::Short);
    }
    if SHORT.iter().any(is_camel) {
        return Some(Suspicion::Short);
    }
    (is_key && last.eq_ignore_ascii_case("pin") && !is_part).then_some(Suspicion::Pin)
}

fn is_number(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a value only says where the secret is, or that there is none.
fn is_reference(value: &str) -> bool {
    value.starts_with(['$', '[', '<', '{', '%', '*', '(', '`'])
        || matches!(value, "true" | "false" | "null" | "none" | "None" | "yes" | "no")
}

fn looks_made(value: &str) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    value.len() >= 8 && digits > 0 && digits < value.len() && !value.contains(' ')
        || value.len() >= 20 && !value.contains([' ', '/', '.'])
}

/// The value that begins a text, without its quotes, which may have a backslash inside of others, and how
/// many bytes come before it.
fn value_of(text: &str) -> (usize, &str) {
    let escape = usize::from(text.starts_with("\\\"") || text.starts_with("\\'"));
    let quote = text[escape..].chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = escape + usize::from(quote.is_some());
    let rest = &text[start..];
    let most = floor(rest, MAX_LINE);
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n' || c == '\\' && escape > 0,
        None => {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '&' | '|' | ')' | '}')
        }
    };
    let end = rest[..most].find(ends).unwrap_or(most);
    (start, &rest[..end])
}

/// `NAME=value`, `"name": "value"`, `name: value`. Gives where the value ends, if it is a secret.
fn assigned(text: &str, at: usize, cuts: &mut Vec<Cut>) -> Option<usize> {
    let before = text[..at].trim_end_matches(['"', '\'', ' ', '\\']);
    let length = before
        .bytes()
        .rev()
        .take(MAX_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
        .count();
    let (front, name) = before.split_at(before.len() - length);
    if front.ends_with("${") {
        return None;
    }
    let is_assignment = text[at..].starts_with('=');
    let is_quoted = text[at + 1..].trim_start_matches([' ', '\\']).starts_with(['"', '\'']);
    let is_key = text[..at].ends_with(['"', '\'']) || (is_assignment && before.len() == at);
    let suspicion = match suspicion(name).or_else(|| short(name, is_key)) {
        Some(Suspicion::Likely) if is_assignment && is_parameter(front) => Suspicion::Sure,
        Some(Suspicion::Likely)
            if text[..at].ends_with(['"', '\'']) && is_quoted && is_key_of_secret(name) =>
        {
            Suspicion::Sure
        }
        Some(Suspicion::Likely)
            if is_assignment
                && before.len() == at
                && !text[at + 1..].starts_with(char::is_whitespace)
                && is_camel_key(name) =>
        {
            Suspicion::Sure
        }
        None if is_assignment && is_parameter(front) && PARAMETERS.contains(&name) => {
            Suspicion::Sure
        }
        suspicion => suspicion?,
    };
    let after = &text[at + 1..];
    let blank = after.len() - after.trim_start_matches(' ').len();
    let (quote, value) = value_of(&after[blank..]);
    let start = at + 1 + blank + quote;
    let range = start..start + value.len();
    suspicion.fits(value).then(|| cuts.push(Cut { range: range.clone(), by: marks::SECRET }))?;
    Some(range.end)
}

/// Whether what stands before a name makes it a parameter of an address.
fn is_parameter(front: &str) -> bool {
    front.ends_with(['?', '&']) && !front.ends_with("&&")
}

/// `--password value`.
fn option(text: &str, at: usize, cuts: &mut Vec<Cut>) {
    let rest = &text[at + 2..];
    let end = rest
        .bytes()
        .take(MAX_NAME)
        .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        .count();
    let Some(after) = rest[end..].strip_prefix(' ') else { return };
    let (quote, value) = value_of(after);
    if !value.starts_with('-') && is_secret(&text[at..at + 2 + end], value) {
        let start = at + 2 + end + 1 + quote;
        cuts.push(Cut { range: start..start + value.len(), by: marks::SECRET });
    }
}

/// `-u name:password`.
fn login(text: &str, at: usize, cuts: &mut Vec<Cut>) {
    let after = &text[at + 3..];
    let (quote, value) = value_of(after);
    let is_login = value
        .split_once(':')
        .is_some_and(|(name, word)| !name.is_empty() && !word.is_empty() && !is_reference(word));
    if is_login && !text[..at].ends_with(marks::is_word) {
        let start = at + 3 + quote;
        cuts.push(Cut { range: start..start + value.len(), by: marks::SECRET });
    }
}

/// `scheme://name:password@host`.
fn user_information(text: &str, start: usize, cuts: &mut Vec<Cut>) {
    let rest = &text[start..floor(text, start + MAX_NAME * 8)];
    let end = rest
        .find(|c: char| {
            c.is_whitespace() || matches!(c, '/' | '"' | '\'' | '`' | '<' | '>' | '?' | '#')
        })
        .unwrap_or(rest.len());
    let Some((login, _)) = rest[..end].rsplit_once('@') else { return };
    let is_known = login.split_once(':').is_none_or(|(_, word)| is_reference(word));
    // A short name without a password is nobody's secret.
    let is_harmless = login.is_empty() || is_reference(login) || (is_known && login.len() < 16);
    if !is_harmless {
        cuts.push(Cut { range: start..start + login.len(), by: marks::SECRET });
    }
}

/// What follows the scheme of an authorization; in prose (`bearer tokens`) it has to look made.
fn credentials(text: &str, start: usize, cuts: &mut Vec<Cut>) {
    const HEADER: &str = "authorization";
    let (quote, value) = value_of(&text[start..]);
    let is_made =
        value.len() >= 8 && value.bytes().any(|byte| byte.is_ascii_digit()) || value.len() >= 20;
    let before = &text[ceil(text, start.saturating_sub(2 * HEADER.len()))..start];
    let is_header = before.to_ascii_lowercase().contains(HEADER);
    if (is_made || is_header) && !value.is_empty() && !is_reference(value) {
        let start = start + quote;
        cuts.push(Cut { range: start..start + value.len(), by: marks::SECRET });
    }
}

/// The rest of a line, or of the quotes that it stands in. Gives where that ends.
fn cut_line(text: &str, start: usize, cuts: &mut Vec<Cut>) -> usize {
    let rest = &text[start..floor(text, start + MAX_LINE)];
    let end = rest.find(['\n', '"', '\'']).unwrap_or(rest.len());
    let value = rest[..end].trim();
    if !value.is_empty() && !is_reference(value) {
        let start = start + rest.len() - rest.trim_start().len();
        cuts.push(Cut { range: start..start + value.len(), by: marks::SECRET });
    }
    start + end
}

/// Private keys in their armour, whole; one without an end to the end of the text.
fn keys(text: &str, cuts: &mut Vec<Cut>) {
    let mut from = 0;
    while let Some(at) = text[from..].find("-----BEGIN ").map(|at| from + at) {
        let after = at + "-----BEGIN ".len();
        let header = &text[after..floor(text, after + MAX_NAME)];
        let title = header.split("-----").next().unwrap_or_default();
        if !title.contains("PRIVATE KEY") {
            from = after;
            continue;
        }
        let end = text[after..].find("-----END ").map_or(text.len(), |end| {
            let end = after + end + "-----END ".len();
            text[end..].find("-----").map_or(text.len(), |close| end + close + 5)
        });
        cuts.push(Cut { range: at..end, by: marks::SECRET });
        from = end;
    }
}

/// The nearest boundary of a character at or behind an offset.
fn ceil(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}

/// The nearest boundary of a character at or before an offset.
pub(super) fn floor(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
