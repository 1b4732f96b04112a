//! Secrets that stand in a text: found by their shape, told from placeholders, and never shown whole.

use std::ops::Range;

/// A secret in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Secret {
    /// Where it stands; of a private key, the line that begins it.
    pub range: Range<usize>,
    /// What kind it is, in words.
    pub what: &'static str,
}

/// A prefix, the least number of characters after it, and what it is.
const SHAPES: &[(&str, usize, &str)] = &[
    ("AKIA", 16, "AWS access key id"),
    ("ASIA", 16, "AWS access key id"),
    ("ghp_", 30, "GitHub token"),
    ("gho_", 30, "GitHub token"),
    ("ghs_", 30, "GitHub token"),
    ("ghu_", 30, "GitHub token"),
    ("github_pat_", 40, "GitHub token"),
    ("glpat-", 18, "GitLab token"),
    ("sk-ant-", 30, "Anthropic key"),
    ("sk-proj-", 30, "OpenAI key"),
    ("sk-or-v1-", 30, "OpenRouter key"),
    ("sk-", 32, "model provider key"),
    ("sk_live_", 20, "Stripe key"),
    ("rk_live_", 20, "Stripe key"),
    ("xoxb-", 24, "Slack token"),
    ("xoxp-", 24, "Slack token"),
    ("xoxa-", 24, "Slack token"),
    ("xapp-", 24, "Slack token"),
    ("AIza", 35, "Google API key"),
    ("ya29.", 40, "Google token"),
    ("hf_", 30, "Hugging Face token"),
    ("npm_", 34, "npm token"),
    ("pypi-AgEIcHlwaS", 40, "PyPI token"),
    ("SG.", 40, "SendGrid key"),
    ("dop_v1_", 40, "DigitalOcean token"),
    ("shpat_", 30, "Shopify token"),
    ("lin_api_", 32, "Linear key"),
    ("ntn_", 40, "Notion token"),
    ("gsk_", 40, "Groq key"),
    ("r8_", 30, "Replicate token"),
    ("tvly-", 24, "Tavily key"),
    ("xoxe-", 24, "Slack token"),
    ("xoxs-", 24, "Slack token"),
    ("xoxr-", 24, "Slack token"),
    ("xoxe.xoxp-", 24, "Slack token"),
    ("sk-svcacct-", 30, "OpenAI key"),
    ("sk-admin-", 30, "OpenAI key"),
    ("xai-", 40, "xAI key"),
    ("pplx-", 40, "Perplexity key"),
    ("fc-", 32, "Firecrawl key"),
    ("dckr_pat_", 20, "Docker token"),
    ("figd_", 30, "Figma token"),
    ("hvs.", 24, "Vault token"),
    ("glsa_", 30, "Grafana token"),
    ("ATATT3", 60, "Atlassian token"),
    ("PMAK-", 40, "Postman key"),
    ("rubygems_", 40, "RubyGems key"),
    ("sbp_", 40, "Supabase token"),
    ("whsec_", 30, "webhook secret"),
    ("AGE-SECRET-KEY-1", 50, "age key"),
];

/// Bytes of a key's armour, and of a database's address, that are looked at.
const MAX_PEM: usize = 16 * 1024;
const MAX_URL: usize = 1024;

/// A bit for the first three bytes of each prefix: hardly any word of a text starts with such.
static STARTS: [u64; 64] = {
    let mut starts = [0; 64];
    let mut at = 0;
    while at < SHAPES.len() {
        let prefix = SHAPES[at].0.as_bytes();
        let (word, bit) = start(prefix[0], prefix[1], prefix[2]);
        starts[word] |= bit;
        at += 1;
    }
    starts
};

const fn start(first: u8, second: u8, third: u8) -> (usize, u64) {
    let at = (first as usize) << 6 ^ (second as usize) << 3 ^ third as usize;
    (at / 64 % 64, 1 << (at % 64))
}

/// Databases, queues, directories and mail servers whose addresses carry a login. A driver may follow
/// behind a plus sign: `mysql+pymysql://`.
const STORES: [&str; 32] = [
    "postgres",
    "postgresql",
    "mysql",
    "mariadb",
    "mongodb",
    "redis",
    "rediss",
    "amqp",
    "amqps",
    "mssql",
    "sqlserver",
    "oracle",
    "clickhouse",
    "cockroachdb",
    "couchdb",
    "couchbase",
    "influxdb",
    "neo4j",
    "bolt",
    "cassandra",
    "snowflake",
    "redshift",
    "nats",
    "mqtt",
    "mqtts",
    "ldap",
    "ldaps",
    "smtp",
    "smtps",
    "imap",
    "imaps",
    "timescaledb",
];
/// Longest name of a scheme with its driver.
const MAX_SCHEME: usize = 40;

/// Where the scheme of a store's address starts that ends before `://`.
fn store(text: &str, mark: usize) -> Option<usize> {
    let from = super::text::floor(text, mark.saturating_sub(MAX_SCHEME));
    let before = &text[from..mark];
    let length = before
        .bytes()
        .rev()
        .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'_' | b'-'))
        .count();
    let scheme = &before[before.len() - length..];
    let name = scheme.split('+').next().unwrap_or(scheme).to_ascii_lowercase();
    STORES.contains(&name.as_str()).then_some(mark - length)
}

/// Whether a password of an address stands there as it is: its percent signs are escapes of characters.
fn is_written_out(password: &str) -> bool {
    let escaped = password.match_indices('%').all(|(at, _)| {
        password.get(at + 1..at + 3).is_some_and(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))
    });
    password.len() >= 8
        && escaped
        && !is_placeholder(password)
        && !password.contains(['$', '{', '*', '<', '['])
}

/// Whether a server is one that somebody runs: not this machine, and no place to fill in.
fn is_real(server: &str) -> bool {
    use super::destination::{Class, classify, host};
    matches!(classify(server), Class::Foreign | Class::Address | Class::Service | Class::Local)
        && !matches!(host(server).as_deref(), Some("localhost" | "127.0.0.1" | "0.0.0.0"))
}

/// Names of a password and of its server in settings of one line: `Server=…;Pwd=…`, `jdbc:…&password=…`.
const PASSWORDS: [&str; 3] = ["password=", "pwd=", "password%3d"];
const SERVERS: [&str; 6] =
    ["server=", "data source=", "host=", "jdbc:", "accountendpoint=", "hostname="];

/// The password of a connection in settings of one line, and its bytes.
fn connection(line: &str) -> Option<Range<usize>> {
    let lower = line.to_ascii_lowercase();
    let server = SERVERS.iter().find_map(|name| {
        let at = lower.find(name)? + name.len();
        let value = &line[at..];
        let value = value.split_once("//").map_or(value, |(_, rest)| rest);
        let value = value.trim_start_matches("tcp:");
        Some(value.split([';', ',', '/', '?', '"', '\'', ' ', '&']).next().unwrap_or(value))
    })?;
    let start = PASSWORDS.iter().find_map(|name| lower.find(name).map(|at| at + name.len()))?;
    let rest = &line[start..];
    let end = rest
        .find(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '"' | '\'' | '`' | '<' | ')'))
        .unwrap_or(rest.len());
    let separated = lower.contains(';') || lower.contains("jdbc:");
    (separated && server.contains('.') && is_real(server) && is_written_out(&rest[..end]))
        .then_some(start..start + end)
}

/// Prefixes whose keys are letters and digits alone: `hf_xet-1.1.5-cp37-abi3` is the name of a package.
fn is_of_letters(prefix: &str) -> bool {
    matches!(prefix, "hf_" | "ghp_" | "gho_" | "ghs_" | "ghu_" | "npm_" | "gsk_" | "r8_")
}

fn letters(body: &str) -> usize {
    body.bytes().take_while(u8::is_ascii_alphanumeric).count()
}

/// The secrets of a text that are not placeholders, in order.
pub fn find(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut is_inside = false;
    for (at, three) in bytes.windows(3).enumerate() {
        let was_inside = is_inside;
        is_inside = three[0].is_ascii_alphanumeric() || matches!(three[0], b'_' | b'-');
        if was_inside {
            continue;
        }
        let (word, bit) = start(three[0], three[1], three[2]);
        if STARTS[word] & bit == 0 {
            continue;
        }
        for &(prefix, least, what) in SHAPES {
            if !bytes[at..].starts_with(prefix.as_bytes()) {
                continue;
            }
            let rest = &text[at + prefix.len()..];
            let length = rest
                .bytes()
                .take(400)
                .take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
                .count();
            let body = rest[..length].trim_end_matches('.');
            let upper_only = matches!(prefix, "AKIA" | "ASIA");
            let fits = if upper_only {
                body.len() == 16
                    && body.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit())
            } else {
                body.len() >= least && (!is_of_letters(prefix) || letters(body) >= least)
            };
            if fits && !is_placeholder(body) {
                found.push(Secret { range: at..at + prefix.len() + body.len(), what });
            }
        }
    }
    // The longer prefix stands first in the table, and first among those of one place.
    let mut end = 0;
    found.retain(|secret: &Secret| {
        let is_new = secret.range.start >= end;
        end = end.max(secret.range.end);
        is_new
    });
    for (at, _) in text.match_indices("-----BEGIN ") {
        let rest = &text[at..super::text::floor(text, at + MAX_PEM)];
        // In JSON the whole key stands on one line.
        let Some(header) = rest
            .get(11..)
            .and_then(|after| after.find("-----"))
            .map(|end| &rest[..(11 + end + 5).min(rest.len())])
        else {
            continue;
        };
        let end = rest.find("-----END ").unwrap_or(rest.len().min(200));
        let body = rest.get(header.len()..end).unwrap_or_default();
        // Lines of a key are long; the words of a sentence about one are not.
        let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
        let key: usize = body
            .replace("\\n", "\n")
            .split(|c| !is_code(c))
            .map(str::len)
            .filter(|length| *length >= 24)
            .sum();
        if header.contains("PRIVATE KEY") && header.len() < 60 && key >= 120 && !is_repetitive(body)
        {
            found.push(Secret { range: at..at + header.len(), what: "private key" });
        }
    }
    for (mark, _) in text.match_indices("://") {
        let start = mark + "://".len();
        let Some(at) = store(text, mark) else { continue };
        let rest = &text[start..super::text::floor(text, start + MAX_URL)];
        let end = rest
            .find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')'))
            .unwrap_or(rest.len());
        let Some((login, server)) = rest[..end].rsplit_once('@') else { continue };
        let Some((_, password)) = login.split_once(':') else { continue };
        if is_real(server) && is_written_out(password) {
            found.push(Secret { range: at..start + end, what: "database password" });
        }
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.len() <= MAX_URL
            && line.contains('=')
            && let Some(range) = connection(line)
        {
            let range = at + range.start..at + range.end;
            found.push(Secret { range, what: "database password" });
        }
        at += line.len();
    }
    found.sort_by_key(|secret| secret.range.start);
    found
}

/// Whether a value is a stand-in: repeated, counted up, or made of words that say so.
pub(crate) fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 26] = [
        "example",
        "your",
        "xxxx",
        "placeholder",
        "fake",
        "dummy",
        "sample",
        "test",
        "redacted",
        "changeme",
        "replace",
        "insert",
        "secret-here",
        "key-here",
        "abcdef",
        "012345",
        "123456",
        "todo",
        "password",
        "secret",
        "token",
        "foobar",
        "....",
        "****",
        "-here",
        "demo",
    ];
    let lower = value.to_ascii_lowercase();
    if WORDS.iter().any(|word| lower.contains(word)) {
        return true;
    }
    is_repetitive(value)
}

/// Whether a value has too few different characters to be random.
fn is_repetitive(value: &str) -> bool {
    let mut seen = [0_usize; 256];
    for b in value.bytes() {
        seen[usize::from(b)] += 1;
    }
    let distinct = seen.iter().filter(|count| **count > 0).count();
    distinct < 7.min(value.len()) || seen.iter().any(|count| *count * 2 > value.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_placeholders() {
        let real = [
            "AKIAQ4VTN7W2JH5ZKX3M",
            "ghp_x8Kd02mZq71LpW4vT9sRb6YcN3fHj5Ge1uAo",
            "postgres://app:Vt9x-Lq2mPz@db.brightpath.site/main",
            "mysql+pymysql://svc:fPaTPsu2%21Bvqo4M@db.brightpath.site/orders",
            "rediss://:Vt9x-Lq2mPz@cache.brightpath.site:6380/0",
            "Server=tcp:db.brightpath.site,1433;User ID=app;Pwd=Vt9x-Lq2mPz;",
            "jdbc:postgresql://db.brightpath.site/main?user=app&password=Vt9x-Lq2mPz",
        ];
        for text in real {
            assert_eq!(find(text).len(), 1, "{text}");
            assert!(crate::scan::masked::redact(text).contains("redacted"));
        }
        let fake = [
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "sk-your-api-key-goes-here-000000000000",
            "postgres://user:password@localhost/db",
            "mysql+pymysql://svc:%DB_PASSWORD%@db.brightpath.site/orders",
            "Server=localhost;Pwd=Vt9x-Lq2mPz;",
            "Server=db.brightpath.site;Pwd=${DB_PASSWORD};",
            "read_host=db.brightpath.site, password=Vt9x-Lq2mPz",
            "sk-1234567890abcdef1234567890abcdef",
        ];
        for text in fake {
            assert_eq!(find(text), [], "{text}");
        }
    }
}
