//! Secrets that a text says are such: by the name of a field, an option or a header, by their place in an
//! address. They are masked wherever a report shows a text; whether they are real is not asked.

use std::ops::Range;

use super::secrets::find;
use super::text::floor;

/// Bytes of a name, and of a value, that are looked at.
const MAX_NAME: usize = 64;
const MAX_VALUE: usize = 512;
/// Fewest bytes of a value that is worth masking.
const MIN_VALUE: usize = 4;
/// Bytes around what is shown that are looked at, so that a value is known whose name is cut off.
pub(super) const MAX_AROUND: usize = 640;

/// What stands for a secret.
const MASK: &str = "…redacted…";

/// Words of a name that say its value is secret.
#[rustfmt::skip]
const WORDS: [&str; 20] = [
    "password", "passwd", "passphrase", "passwort", "secret", "token", "apikey", "api_key", "api-key", "accesskey", "access_key",
    "access-key", "privatekey", "private_key", "private-key", "credential", "authorization", "signature", "cookie", "bearer",
];
/// Names that say so as a whole or as their last word.
const LAST: [&str; 10] =
    ["pass", "pwd", "pw", "auth", "sig", "psk", "pat", "key", "passcode", "jwt"];
/// Last words of names that speak about a secret and are none: `token_count`, `password_file`.
#[rustfmt::skip]
const ABOUT: [&str; 26] = [
    "count", "type", "name", "file", "path", "limit", "len", "length", "id", "ids", "ttl", "expiry", "env", "var", "field", "budget",
    "usage", "url", "uri", "endpoint", "tokens", "size", "policy", "header", "prefix", "version",
];
/// Programs whose option `-p` or `-a` takes a password.
const LOGINS: [&str; 12] = [
    "mysql",
    "mysqldump",
    "mysqladmin",
    "mariadb",
    "sshpass",
    "redis-cli",
    "mongo",
    "mongosh",
    "mongodump",
    "docker",
    "podman",
    "smbclient",
];
/// Addresses whose path is the secret, and how many parts of it may be shown.
const HOOKS: [(&str, usize); 6] = [
    ("hooks.slack.com/services/", 0),
    ("discord.com/api/webhooks/", 1),
    ("discordapp.com/api/webhooks/", 1),
    ("api.telegram.org/bot", 0),
    ("webhook.office.com/webhookb2/", 0),
    ("hooks.zapier.com/hooks/catch/", 1),
];

/// Whether a name says that its value is secret.
fn names_secret(name: &str) -> bool {
    let lower = name.trim_matches(['-', '.', '_']).to_ascii_lowercase();
    let last = lower.rsplit(['_', '-', '.']).next().unwrap_or(&lower);
    if lower.starts_with("max") || lower.starts_with("num") || ABOUT.contains(&last) {
        return false;
    }
    let bare = last == "key" && lower == "key";
    WORDS.iter().any(|word| lower.contains(word)) || LAST.contains(&last) && !bare
}

/// Whether a value stands for another: a variable, a place to fill in, an expression.
fn is_reference(value: &str) -> bool {
    const STARTS: [&str; 16] = [
        "your",
        "xxx",
        "example",
        "placeholder",
        "process.",
        "os.",
        "env.",
        "ENV",
        "System.",
        "http:",
        "https:",
        "none",
        "null",
        "true",
        "false",
        "redacted",
    ];
    let lower = value.to_ascii_lowercase();
    value.starts_with(|c: char| {
        !c.is_ascii_alphanumeric() && !matches!(c, '_' | '-' | '+' | '/' | '!' | '#' | '^')
    }) || value.starts_with("--")
        || value.starts_with('/') && value.matches('/').count() > 1 && !value.contains(['+', '='])
        || value.contains(['(', '{', '…'])
        || value.contains("...")
        || STARTS.iter().any(|start| lower.starts_with(&start.to_ascii_lowercase()))
}

/// Where a value ends that starts at a byte: at its quote, or where the word does.
fn end_of(text: &str, start: usize, quote: Option<char>) -> usize {
    let rest = &text[start..floor(text, start + MAX_VALUE)];
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => c.is_whitespace() || "\"'`,;&|<>)}]".contains(c),
    };
    start + rest.find(ends).unwrap_or(rest.len())
}

/// The value behind a name and its sign.
fn value(text: &str, from: usize, sign: u8) -> Option<Range<usize>> {
    let rest = &text[from..floor(text, from + MAX_NAME)];
    let spaces = rest.len() - rest.trim_start_matches(' ').len();
    let mut start = from + spaces;
    let mut quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    // "token": "…"
    start += usize::from(quote.is_some());
    let inner = &text[start..];
    for scheme in ["bearer ", "basic ", "token ", "bot ", "digest ", "apikey "] {
        if inner.get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme)) {
            start += scheme.len();
            break;
        }
    }
    // Its words are one value only where a short quotation says so.
    let end = end_of(text, start, quote);
    let end = if text[start..end].len() >= MAX_NAME { end_of(text, start, None) } else { end };
    if quote.is_some() && !text[end..].starts_with(['"', '\'', '`']) {
        quote = None;
    }
    let value = &text[start..end];
    if value.len() < MIN_VALUE || is_reference(value) {
        return None;
    }
    let plain = value.bytes().all(|b| b.is_ascii_lowercase() || matches!(b, b'_' | b'.'));
    // `token=token`, `password: send it`: a name or a sentence.
    let said = plain && quote.is_none() && (sign == b':' || spaces > 0 || names_secret(value));
    (!said).then_some(start..end)
}

/// The values of a text that it says are secret, in order.
fn labelled(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'=' | b':' if bytes.get(at + 1).is_none_or(|next| !matches!(next, b'=' | b':')) => {
                let before = text[floor(text, at.saturating_sub(MAX_NAME))..at]
                    .trim_end_matches([' ', '"', '\'', ']']);
                let length = before
                    .bytes()
                    .rev()
                    .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
                    .count();
                let name = &before[before.len() - length..];
                let asked = before[..before.len() - length].ends_with(['?', '&'])
                    && matches!(name.to_ascii_lowercase().as_str(), "key" | "code" | "sig");
                if names_secret(name) || asked {
                    found.extend(value(text, at + 1, *byte));
                }
            }
            b'-' if at == 0 || bytes[at - 1].is_ascii_whitespace() => {
                found.extend(option(text, at));
            }
            _ => {}
        }
    }
    for (mark, _) in text.match_indices("://") {
        let start = mark + "://".len();
        let rest = &text[start..floor(text, start + MAX_VALUE)];
        let end = rest
            .find(|c: char| c.is_whitespace() || "\"'`<>/?#)".contains(c))
            .unwrap_or(rest.len());
        let Some((login, _)) = rest[..end].rsplit_once('@') else { continue };
        let from = login.find(':').map_or(0, |colon| colon + 1);
        // A name alone is a login, a long one is a token.
        if (from > 0 || login.len() >= 16) && !is_reference(&login[from..]) && from < login.len() {
            found.push(start + from..start + login.len());
        }
    }
    for (hook, shown) in HOOKS {
        for (at, _) in text.match_indices(hook) {
            let start = at + hook.len();
            let end = end_of(text, start, None);
            let skipped: usize =
                text[start..end].split_inclusive('/').take(shown).map(str::len).sum();
            if end - start - skipped >= MIN_VALUE && !is_reference(&text[start + skipped..end]) {
                found.push(start + skipped..end);
            }
        }
    }
    // A signed token says by its first letters what it is.
    for (at, _) in text.match_indices("eyJ") {
        let rest = &text[at..floor(text, at + 4 * MAX_VALUE)];
        let length = rest
            .bytes()
            .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
            .count();
        if rest[..length].matches('.').count() >= 1 && length >= 40 {
            found.push(at..at + length);
        }
    }
    found
}

/// `--password hunter2`, `-u bob:hunter2`, `mysql -phunter2`.
fn option(text: &str, at: usize) -> Option<Range<usize>> {
    let end = end_of(text, at, None);
    let word = &text[at..end];
    let next = || {
        let gap = text[end..].bytes().take_while(|b| *b == b' ').count();
        let from = end + gap;
        let quote = text[from..].chars().next().filter(|c| matches!(c, '"' | '\''));
        let from = from + usize::from(quote.is_some());
        let to = end_of(text, from, quote);
        (gap > 0 && to - from >= MIN_VALUE && !is_reference(&text[from..to])).then_some(from..to)
    };
    if matches!(word, "-u" | "--user" | "--proxy-user" | "-U") {
        let login = next()?;
        let colon = text[login.clone()].find(':')?;
        let from = login.start + colon + 1;
        return (from < login.end && !is_reference(&text[from..login.end]))
            .then_some(from..login.end);
    }
    if word.starts_with("--") && !word.contains('=') && names_secret(word) {
        return next();
    }
    // The program stands before its options.
    let line =
        text[floor(text, at.saturating_sub(MAX_VALUE))..at].rsplit(['\n', ';', '|', '&']).next()?;
    let is_login = || {
        line.split_whitespace()
            .any(|word| LOGINS.contains(&word.rsplit('/').next().unwrap_or(word)))
    };
    if matches!(word, "-p" | "-a") && is_login() {
        let value = next()?;
        // docker run -p 8080:80
        return (!text[value.clone()]
            .bytes()
            .all(|b| b.is_ascii_digit() || b == b':' || b == b'.'))
        .then_some(value);
    }
    let joined = word.strip_prefix("-p").filter(|value| value.len() >= MIN_VALUE)?;
    (is_login() && !is_reference(joined)).then_some(at + 2..end)
}

/// What of a text is masked, in order and without overlaps; what is kept of each is its start.
fn masks(text: &str) -> Vec<(Range<usize>, usize)> {
    let shaped = find(text).into_iter().map(|secret| {
        let keep = floor(text, secret.range.start + 6).max(secret.range.start);
        (secret.range, keep)
    });
    let said = labelled(text).into_iter().map(|range| (range.clone(), range.start));
    let mut all: Vec<(Range<usize>, usize)> = said.chain(shaped).collect();
    all.sort_by_key(|(range, _)| range.start);
    let mut end = 0;
    all.retain(|(range, _)| {
        let is_new = range.start >= end;
        if is_new {
            end = range.end;
        }
        is_new
    });
    all
}

/// A text with its secrets masked.
pub(crate) fn redact(text: &str) -> String {
    redact_part(text, 0..text.len())
}

/// A part of a text with its secrets masked, those too whose name or start stands before the part.
pub(super) fn redact_part(text: &str, part: Range<usize>) -> String {
    let mut shown = String::with_capacity(part.len());
    let mut at = part.start;
    for (range, keep) in masks(text) {
        if range.end <= at || range.start >= part.end {
            continue;
        }
        shown.push_str(&text[at..keep.clamp(at, part.end)]);
        shown.push_str(MASK);
        at = range.end.min(part.end);
    }
    shown.push_str(&text[at..part.end]);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_text_says_is_secret_is_masked() {
        let secret = "Zr7kQ2mXw9tLp4";
        for text in [
            "curl -u ann:@ https://files.brightpath.site",
            "curl --user 'ann:@' https://files.brightpath.site",
            "git clone https://ann:@@git.brightpath.site/a.git",
            "DB_PASSWORD=@ ./run.sh",
            "export AWS_SECRET_ACCESS_KEY='@'",
            "{\"clientSecret\": \"@\", \"retries\": 3}",
            "password: @",
            "curl -H \"X-Api-Key: @\" https://files.brightpath.site",
            "curl -H 'Authorization: Bearer @' https://files.brightpath.site",
            "GET https://files.brightpath.site/a?page=2&access_token=@&b=1",
            "mysql -uroot -p@ shop",
            "sshpass -p @ ssh ann@files.brightpath.site",
            "tool --api-token @ --verbose",
            "https://hooks.slack.com/services/T0AAA/B0BBB/@",
            "https://api.telegram.org/bot123456789:@/sendMessage",
        ] {
            let text = text.replacen('@', secret, 1);
            let shown = redact(&text);
            assert!(!shown.contains(secret) && shown.contains(MASK), "{text} => {shown}");
        }
        let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJlLW9mLWFubg";
        assert!(!redact(&format!("curl -d {token} x")).contains("c2lnbm"));
    }

    #[test]
    fn references_and_talk_of_secrets_stay_readable() {
        for text in [
            "curl -u \"$USER:$PASS\" https://files.brightpath.site",
            "curl -H \"Authorization: Bearer $TOKEN\" https://files.brightpath.site",
            "PASSWORD=${DB_PASSWORD}",
            "token = os.environ['TOKEN']",
            "requests.post(url, token=token)",
            "max_tokens: 40960000",
            "password: send it to nobody",
            "api_key: <your key>",
            "API_KEY=your-key-goes-here",
            "git clone https://git@github.com/a/b.git",
            "docker run -p 8080:80 image",
            "mkdir -path/to/place",
            "token_url: https://login.brightpath.site/oauth",
            "curl -d @~/.ssh/id_rsa https://files.brightpath.site",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn a_value_whose_name_is_cut_off_is_masked() {
        let text = format!("X-Api-Key: {} rest", "Zr7kQ2mXw9".repeat(6));
        let shown = redact_part(&text, 30..text.len());
        assert_eq!(shown, format!("{MASK} rest"));
    }
}
