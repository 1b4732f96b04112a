//! Recipes for machines that let somebody in or have something started: whatever the tool, a path that
//! decides about logins and starts, and beside it what is written there.

use super::File;
use crate::scan::destination::{self, Class};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::flow::is_active;
use crate::scan::grams::Grams;
use crate::scan::kind::Language;
use crate::scan::rules::{self, Rule};
use crate::scan::subject;
use crate::scan::text::floor;

/// Bytes of a file that are looked at.
const MAX_LOOKED_AT: usize = 512 * 1024;
/// Bytes before and after a path in which its content stands.
const NEAR: usize = 320;
/// Places of one kind that are looked at.
const MAX_PLACES: usize = 64;
/// Shortest body of a public key that is one and not a place to fill in.
const KEY_LETTERS: usize = 40;

/// What is written beside a path.
#[derive(Clone, Copy)]
enum Holds {
    /// A rule of `sudo` that asks nothing.
    Rights,
    /// A public key that stands there.
    Key,
    /// A command that fetches, sends or decodes.
    Command,
    /// A library that every program loads.
    Library,
}

struct Grant {
    place: &'static str,
    holds: Holds,
    rule: &'static Rule,
    says: &'static str,
}

const fn grant(
    place: &'static str,
    holds: Holds,
    rule: &'static Rule,
    says: &'static str,
) -> Grant {
    Grant { place, holds, rule, says }
}

const ROOT: &str = "somebody becomes root without a password";
const LOGIN: &str = "a key that stands in the text is given a login";
const START: &str = "a command that reaches out is made to start by itself";

static GRANTS: [Grant; 20] = [
    grant("/etc/sudoers", Holds::Rights, &rules::CREDENTIAL_WRITE, ROOT),
    grant("sudoers", Holds::Rights, &rules::CREDENTIAL_WRITE, ROOT),
    grant("authorized_key", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("authorizedKey", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("AuthorizedKey", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("aws_key_pair", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("_ssh_key", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("ssh-keys", Holds::Key, &rules::CREDENTIAL_WRITE, LOGIN),
    grant("/etc/cron", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("/var/spool/cron", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("/etc/profile", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant(".bashrc", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant(".zshrc", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant(".profile", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("/etc/rc.local", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("/etc/init.d/", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("systemd/system", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("LaunchDaemons", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant("LaunchAgents", Holds::Command, &rules::PERSISTENCE_WRITE, START),
    grant(
        "/etc/ld.so.preload",
        Holds::Library,
        &rules::PERSISTENCE_WRITE,
        "every program is made to load a library",
    ),
];

/// Looks at a recipe: a file of settings, or of a tool's own language.
pub(super) fn look(file: &File<'_>, findings: &mut Findings<'_>) {
    if file.context == Context::Fixture {
        return;
    }
    by_path(file, findings);
    let is_recipe = matches!(
        file.language,
        Language::Json
            | Language::Yaml
            | Language::Toml
            | Language::Ini
            | Language::Braces
            | Language::Ruby
            | Language::Make
    ) || ["pp", "nix", "ign", "bu", "sls", "list"].iter().any(|ending| {
        file.path.rsplit('.').next().is_some_and(|last| last.eq_ignore_ascii_case(ending))
    }) || file.name().to_ascii_lowercase().starts_with("dockerfile");
    if !is_recipe {
        return;
    }
    let text = &file.text.plain[..floor(&file.text.plain, MAX_LOOKED_AT)];
    let grams = Grams::of(text);
    for grant in GRANTS.iter().filter(|grant| grams.may_hold(grant.place)) {
        for (at, _) in text.match_indices(grant.place).take(MAX_PLACES) {
            let from = floor(text, at.saturating_sub(NEAR));
            let to = floor(text, at + NEAR);
            let around = if file.name().to_ascii_lowercase().starts_with("dockerfile") {
                // What is copied is looked at itself.
                instruction(text, at).filter(|said| !is_copy(said)).unwrap_or_default()
            } else {
                &text[from..to]
            };
            let holds = match grant.holds {
                Holds::Rights => is_all_rights(around),
                Holds::Key => has_key(around) && !is_filled_in(around),
                Holds::Command => around.lines().any(is_active),
                Holds::Library => around.contains(".so"),
            };
            if holds {
                let line = file.text.line_at(at);
                let flow = Flow::new("a recipe", grant.place).when("by itself");
                let found = Match::new(grant.rule, Severity::Critical, grant.says).with(flow);
                file.add(at, file.text.plain[line].trim(), found, findings);
                break;
            }
        }
    }
    words(file, text, findings);
}

/// The instruction of a recipe of an image that holds a place: a line, with those that it goes on in.
fn instruction(text: &str, at: usize) -> Option<&str> {
    let goes_on = |line: &str| line.trim_end().ends_with('\\');
    let mut start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    while start > 0 {
        let above = text[..start - 1].rfind('\n').map_or(0, |i| i + 1);
        if !goes_on(&text[above..start - 1]) {
            break;
        }
        start = above;
    }
    let mut end = at;
    for line in text[at..].split_inclusive('\n') {
        end += line.len();
        if !goes_on(line) {
            break;
        }
    }
    text.get(start..end)
}

fn is_copy(instruction: &str) -> bool {
    let word = instruction.split_whitespace().next().unwrap_or_default();
    word.eq_ignore_ascii_case("copy")
}

/// A file that is itself what lets somebody in: by its name, or by where the text has it put.
fn by_path(file: &File<'_>, findings: &mut Findings<'_>) {
    let path = file.path.to_ascii_lowercase();
    let text = &file.text.plain[..floor(&file.text.plain, MAX_LOOKED_AT)];
    let found = if path.contains("sudoers") {
        text.lines().position(is_all_rights).map(|line| (line, &rules::CREDENTIAL_WRITE, ROOT))
    } else if path.contains("authorized_keys") {
        let is_key = |line: &str| has_key(line) && !is_filled_in(line);
        text.lines().position(is_key).map(|line| (line, &rules::CREDENTIAL_WRITE, LOGIN))
    } else if path.ends_with("etc/hosts") || text.contains("/etc/hosts") {
        let says = "the name of a known service is led to somebody's machine";
        text.lines().position(is_led_astray).map(|line| (line, &rules::PERSISTENCE_WRITE, says))
    } else if path.ends_with(".ssh/config") {
        let says = "logins to a known service are led to somebody's machine";
        posing(text).map(|line| (line, &rules::CREDENTIAL_WRITE, says))
    } else if !file.language.runs()
        && GRANTS.iter().any(|grant| {
            matches!(grant.holds, Holds::Command)
                && path.contains(&grant.place.to_ascii_lowercase())
        })
    {
        text.lines().position(is_active).map(|line| (line, &rules::PERSISTENCE_WRITE, START))
    } else {
        None
    };
    if let Some((line, rule, says)) = found {
        let at: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let evidence = text.lines().nth(line).unwrap_or_default();
        file.add(at, evidence.trim(), Match::new(rule, Severity::Critical, says), findings);
    }
}

/// `203.0.113.44 api.anthropic.com`: a public address for the name of a known service.
fn is_led_astray(line: &str) -> bool {
    let line = line.trim_start_matches(['-', ' ', '"', '\'']);
    let line = line.strip_prefix("line:").unwrap_or(line).trim_start_matches([' ', '"', '\'']);
    let mut words = line.split_whitespace();
    let Some(address) = words.next() else { return false };
    address.parse::<std::net::Ipv4Addr>().is_ok()
        && destination::classify(address) == Class::Address
        && words.take_while(|word| !word.starts_with('#')).any(is_service)
}

fn is_service(host: &str) -> bool {
    let host = host.trim_matches(['"', '\'', ',']);
    matches!(destination::classify(host), Class::Service | Class::Installer)
}

/// The line of a `HostName` that has a known service's name lead to another host.
fn posing(text: &str) -> Option<usize> {
    let mut service = None;
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next().map(str::to_ascii_lowercase).as_deref() {
            Some("host") => service = words.next().filter(|host| is_service(host)),
            Some("hostname") => {
                let to = words.next().unwrap_or_default();
                let own = |host: &str| {
                    let owner = subject::registered(host);
                    to == host || to.ends_with(&owner)
                };
                let strange = matches!(destination::classify(to), Class::Foreign | Class::Address);
                if strange && service.is_some_and(|host| !own(host)) {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// What tools have words of their own for.
fn words(file: &File<'_>, text: &str, findings: &mut Findings<'_>) {
    let mut add = |at: usize, message: &str| {
        let line = file.text.line_at(at);
        let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message);
        file.add(at, file.text.plain[line].trim(), found, findings);
    };
    // A second root: an account with root's number.
    if let Some(at) = text.find("uid: 0").filter(|at| {
        let from = floor(text, at.saturating_sub(NEAR));
        text[from..floor(text, at + NEAR)].contains("non_unique")
    }) {
        add(at, "an account gets root's number");
    }
    // Whoever holds the keys of an account elsewhere gets in, and becomes root.
    if let Some(at) = text.find("ssh_import_id").filter(|_| is_all_rights(text)) {
        add(at, "the keys of an account elsewhere are given a login and all rights");
    }
    if let Some(at) = text.find("wheelNeedsPassword = false").filter(|_| has_key(text)) {
        add(at, "whoever has a key that stands here becomes root without a password");
    }
}

/// `ALL=(ALL) NOPASSWD: ALL`, or the same in the words of a module.
pub(super) fn is_all_rights(text: &str) -> bool {
    let compact: String =
        text.chars().filter(|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`')).collect();
    compact.contains("NOPASSWD:ALL")
        || compact.contains("!authenticate")
        || compact.contains("commands:ALL") && compact.contains("nopassword:true")
}

/// Whether a whole public key stands in a text.
fn has_key(text: &str) -> bool {
    text.match_indices("AAAA").take(MAX_PLACES).any(|(at, _)| {
        let body =
            text[at..].bytes().take_while(|b| b.is_ascii_alphanumeric() || b"+/=".contains(b));
        body.take(KEY_LETTERS).count() == KEY_LETTERS
    })
}

/// Whether the key is one to be replaced.
fn is_filled_in(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["your", "example", "replace", "placeholder", "changeme", "<public", "..."]
        .iter()
        .any(|word| lower.contains(word))
}
