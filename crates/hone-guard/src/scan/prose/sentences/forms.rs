//! Words that mean something by their form: addresses of mail, paths that matter, bare hosts, flags, names
//! of variables. The form decides alone; no table of words is asked.

use crate::scan::destination::{self, Class};
use crate::scan::places::{self, Spot};
use crate::scan::prose::lexicon::{Concept, Set};

pub(super) fn is_of_path(b: u8) -> bool {
    b.is_ascii_alphanumeric()
        || matches!(
            b,
            b'~' | b'.' | b'/' | b'_' | b'-' | b'@' | b'$' | b'%' | b'{' | b'}' | b'\\' | b'+'
        )
}

/// `read/write`, `and/or`: words, not a path.
pub(super) fn is_plain_words(text: &str) -> bool {
    !text.contains('.')
        && text.split('/').all(|part| {
            part.len() > 1 && part.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-')
        })
}

pub(super) fn is_skip_flag(text: &str) -> bool {
    [
        "dangerously-skip-permissions",
        "skip-permissions",
        "--yolo",
        "bypasspermissions",
        "dangerously-bypass-approvals",
        "--full-auto",
        "approval-mode=yolo",
        "autoapprove",
        "auto_approve",
        "alwaysallow",
        "always_allow",
    ]
    .iter()
    .any(|flag| text.contains(flag))
}

/// `~/.cache/x/run.sh`: a program in a folder that listings do not show.
fn is_hidden_program(word: &str) -> bool {
    (word.starts_with("~/.") && !word.starts_with("~/.local/bin/")
        || word.starts_with("/tmp/")
        || word.starts_with("/var/tmp/"))
        && SCRIPTS.iter().any(|ending| word.ends_with(ending))
}

/// A text in a folder that nobody looks into: `/tmp/steps.txt`.
fn is_temporary(word: &str) -> bool {
    const FOLDERS: [&str; 5] = ["/tmp/", "/var/tmp/", "/dev/shm/", "$tmpdir/", "%temp%"];
    const TEXTS: [&str; 6] = [".txt", ".md", ".json", ".yaml", ".yml", ".html"];
    FOLDERS.iter().any(|folder| word.starts_with(folder))
        && TEXTS.iter().any(|ending| word.ends_with(ending))
}

/// How names of scripts end.
const SCRIPTS: [&str; 8] = [".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".pl", ".ps1"];

/// What the name of a variable of the environment says: a key, or where the agent's model is.
pub(super) fn by_name(word: &str) -> Set {
    if !word.contains('_') {
        return Set::NONE;
    }
    if word.ends_with("_base_url") || word.ends_with("_api_base") || word.ends_with("s_proxy") {
        Set::of(&[Concept::AgentEndpoint])
    } else if ["_key", "_token", "_secret", "_password"].iter().any(|end| word.ends_with(end)) {
        Set::of(&[Concept::KeyName])
    } else {
        Set::NONE
    }
}

/// Top-level domains under which a bare name is taken for a host; file endings are not among them.
#[rustfmt::skip]
const DOMAINS: &[&str] = &[
    "com", "net", "org", "io", "dev", "app", "site", "xyz", "cloud", "cc", "ai", "co", "online", "top", "club", "info", "me", "tech", "live", "host", "space", "website",
    "ru", "cn", "de", "fr", "es", "uk", "eu", "to", "biz", "pro", "link", "store", "shop", "page", "network", "systems", "tools", "us", "in", "pw", "su", "icu", "fun",
    "work", "digital", "agency", "email", "services", "solutions", "global", "world", "today", "life", "one", "gg", "so", "tk", "ml", "br", "jp", "kr", "nl", "pl", "it",
    "ch", "at", "be", "se", "no", "fi", "ly", "st", "im", "is", "la", "ws", "vip", "wiki", "zone", "center", "support", "media", "studio", "software", "team", "group",
    "company", "finance", "money", "exchange", "market", "trade", "example", "invalid",
];

/// Where the paths of folders start that others read: web roots and shares.
const PUBLIC: &[&str] = &["public/", "~/public/", "/var/www/", "www/", "public_html/", "~/shared/"];

/// What a word is by its form: an e-mail address, a path that matters, a bare host.
pub(super) fn by_form(word: &str, in_code: bool) -> Set {
    if let Some((name, domain)) = word.split_once('@')
        && !name.is_empty()
        && !name.contains('/')
        && is_host(domain)
    {
        return if destination::is_placeholder(domain) {
            Set::of(&[Concept::Placeholder])
        } else {
            Set::of(&[Concept::Email])
        };
    }
    if is_skip_flag(word) {
        return Set::of(&[Concept::SkipFlag]);
    }
    if is_hidden_program(word) {
        return Set::of(&[Concept::HiddenPath, Concept::Script]);
    }
    if (in_code || word.contains('/')) && SCRIPTS.iter().any(|ending| word.ends_with(ending)) {
        return Set::of(&[Concept::Script]);
    }
    if is_temporary(word) {
        return Set::of(&[Concept::TempFile]);
    }
    match places::classify(word) {
        Some(Spot::Secret(_)) => return Set::of(&[Concept::SecretPath]),
        Some(Spot::Logins(_)) => return Set::of(&[Concept::LoginsPath]),
        Some(Spot::Traces) => return Set::of(&[Concept::TracePath]),
        Some(Spot::DotEnv) => return Set::of(&[Concept::DotEnv]),
        Some(Spot::Transcripts) => return Set::of(&[Concept::Conversation]),
        Some(Spot::AgentMemory) => return Set::of(&[Concept::MemoryFile]),
        Some(Spot::Skills) => return Set::of(&[Concept::SkillsFolder]),
        Some(Spot::AgentSettings) => return Set::of(&[Concept::SettingsFile]),
        Some(Spot::ShellStart | Spot::Autorun(_)) => return Set::of(&[Concept::Autorun]),
        _ => {}
    }
    if PUBLIC.iter().any(|place| word.starts_with(place)) {
        return Set::of(&[Concept::PublicPlace]);
    }
    let name = word.split('/').next().unwrap_or(word);
    if is_address(name) {
        return match destination::classify(word) {
            Class::Address | Class::Foreign => Set::of(&[Concept::Host]),
            Class::Placeholder => Set::of(&[Concept::Placeholder]),
            _ => Set::NONE,
        };
    }
    // In code, a name with a dot is a field or a module.
    if !in_code && is_host(name) {
        return match destination::classify(word) {
            Class::Local => Set::NONE,
            Class::Placeholder => Set::of(&[Concept::Placeholder]),
            _ => Set::of(&[Concept::Host]),
        };
    }
    Set::NONE
}

/// `203.0.113.7`: four numbers of a machine's address. Versions of four numbers begin lower.
fn is_address(name: &str) -> bool {
    const LOWEST: u8 = 20;
    let mut numbers = name.split('.').map(str::parse::<u8>);
    numbers.next().is_some_and(|first| first.is_ok_and(|first| first >= LOWEST))
        && numbers.clone().count() == 3
        && numbers.all(|number| number.is_ok())
}

fn is_host(name: &str) -> bool {
    let Some((rest, domain)) = name.rsplit_once('.') else { return false };
    DOMAINS.contains(&domain)
        && rest.split('.').all(|label| {
            !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        })
        && rest.bytes().any(|b| b.is_ascii_alphabetic())
        && rest.len() > 2
}
