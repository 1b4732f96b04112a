//! What a skill says of itself: name, description, tools, hosts, environment. What it does is
//! compared with this; none of it makes anything safe by itself.

use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use hone_skill::{Skill, Value};

use super::destination::{addresses, host};

/// What the frontmatter declares.
#[derive(Debug, Default)]
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) description: String,
    /// The tools of `allowed-tools`; `None` when the skill does not say.
    pub(crate) tools: Option<Vec<String>>,
    /// Environment variables that it declares.
    pub(crate) environment: Vec<String>,
    /// Hosts that it declares: `homepage`, `WebFetch(domain:…)`, anything in the frontmatter.
    pub(crate) hosts: Vec<String>,
}

impl Subject {
    /// Reads the declarations of a skill.
    pub(crate) fn of(skill: &Skill) -> Self {
        let mut subject = Self {
            name: skill.name.clone(),
            description: skill.description.clone(),
            tools: skill
                .get("allowed-tools")
                .or_else(|| skill.get("allowed_tools"))
                .map(|_| skill.allowed_tools.clone()),
            ..Self::default()
        };
        for (key, value) in &skill.frontmatter {
            subject.take(key, value, 0);
        }
        for tool in &skill.allowed_tools {
            if let Some(domain) = tool.split_once("domain:") {
                subject
                    .hosts
                    .push(domain.1.trim_end_matches(')').trim_start_matches("*.").to_lowercase());
            }
        }
        subject
    }

    fn take(&mut self, key: &str, value: &Value, depth: usize) {
        const MAX_DEPTH: usize = 16;
        if depth > MAX_DEPTH {
            return;
        }
        if let Some(text) = value.text() {
            if is_environment_name(text) {
                self.environment.push(text.to_owned());
            }
            // The description is the author's advertisement, not a declaration.
            if key != "description" {
                self.hosts.extend(addresses(text).iter().filter_map(|address| host(address.url)));
            }
        }
        match value {
            Value::List(items) => items.iter().for_each(|item| self.take(key, item, depth + 1)),
            Value::Map(entries) => {
                for (key, item) in entries {
                    if is_environment_name(key) {
                        self.environment.push(key.clone());
                    }
                    self.take(key, item, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Whether a host belongs to what the skill is about.
    pub(crate) fn is_about(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| {
            known == host
                || host.ends_with(&format!(".{known}"))
                || known.ends_with(&format!(".{host}"))
        }) || super::destination::is_akin(host, &self.name)
    }

    /// Whether an environment variable is declared.
    pub(crate) fn declares(&self, variable: &str) -> bool {
        self.environment.iter().any(|name| name == variable)
    }
}

/// Where a document says that a key goes: the hosts that stand in one line with the key's name.
#[derive(Debug, Default)]
pub(crate) struct Promises(HashMap<String, Vec<Rc<HashSet<String>>>>);

impl Promises {
    /// Reads the lines of a document.
    pub(crate) fn of(text: &str) -> Self {
        let mut promises = Self::default();
        let is_part = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-'));
        for line in text.lines() {
            // Looked for once, and shared by the keys of the line: there may be as many of both.
            let hosts = LazyCell::new(|| {
                // `os.environ.get(` is called, `secrets.shared[` is looked up in.
                let pieces = line.split_inclusive(is_part);
                let pieces = pieces.filter(|piece| !piece.ends_with(['(', '[']));
                let words = pieces.map(|piece| piece.trim_end_matches(is_part));
                // `.action.status` is a place in an answer, `json.tool` and `requests.get` are of a library.
                let words = words.filter(|word| !word.starts_with('.'));
                let named = words.map(|word| word.trim_matches('.')).filter(|word| is_named(word));
                let addressed = addresses(line)
                    .iter()
                    .filter_map(|address| host(address.url))
                    .collect::<Vec<_>>();
                let named = named.map(str::to_owned).chain(addressed);
                let hosts = named.filter(|word| is_domain(word)).map(|word| registered(&word));
                Rc::new(hosts.collect::<HashSet<_>>())
            });
            for key in line.split(is_part).filter(|word| is_environment_name(word)) {
                if hosts.is_empty() {
                    break;
                }
                let lines = promises.0.entry(key.to_owned()).or_default();
                if !lines.last().is_some_and(|last| Rc::ptr_eq(last, &hosts)) {
                    lines.push(Rc::clone(&hosts));
                }
            }
        }
        promises
    }

    /// Whether the document names hosts for this key and none of them is this one, nor one that has the
    /// key's own name.
    pub(crate) fn breaks(&self, key: &str, host: &str) -> bool {
        let is_own = || shares_label(host, key) || super::destination::is_kin(host, key);
        is_domain(host)
            && self.0.get(key).is_some_and(|lines| {
                let host = registered(host);
                !lines.iter().any(|hosts| hosts.contains(&host)) && !is_own()
            })
    }
}

/// Whether a word of a name is a whole label of a host.
pub(crate) fn shares_label(host: &str, name: &str) -> bool {
    let mut words = name.split(['_', '-', ' ']).filter(|word| word.len() > 1);
    words.any(|word| host.split(['.', '-']).any(|label| label.eq_ignore_ascii_case(word)))
}

/// The part of a host that somebody registered, roughly: its last two labels.
pub(crate) fn registered(host: &str) -> String {
    let mut labels: Vec<&str> = host.rsplit('.').take(2).collect();
    labels.reverse();
    labels.join(".").to_ascii_lowercase()
}

/// `api.example.com`, not `run.sh`, `v1.2` or `a.b.c`.
pub(crate) fn is_domain(word: &str) -> bool {
    const FILES: [&str; 28] = [
        "md", "py", "sh", "js", "ts", "mjs", "json", "yaml", "yml", "toml", "txt", "env", "csv",
        "rb", "php", "go", "lua", "pl", "ps1", "bat", "html", "xml", "sql", "ini", "cfg", "conf",
        "lock", "local",
    ];
    let Some((name, ending)) = word.rsplit_once('.') else { return false };
    let is_label = |label: &str| {
        label.len() > 1 && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    };
    ending.len() >= 2
        && ending.bytes().all(|b| b.is_ascii_lowercase())
        && !FILES.contains(&ending)
        && name.split('.').all(is_label)
        && !super::destination::is_placeholder(word)
}

/// Whether a word without a scheme is a host by its ending: one of a country, or one that services have.
fn is_named(word: &str) -> bool {
    // `.run`, `.name` and `.info` are more often the ends of calls.
    #[rustfmt::skip]
    const ENDINGS: [&str; 24] = [
        "com", "org", "net", "edu", "gov", "biz", "dev", "app", "cloud", "site", "online", "xyz",
        "tech", "shop", "blog", "website", "systems", "digital", "agency", "studio", "software", "solutions", "finance", "exchange",
    ];
    // Names of countries that are more often parts of a program.
    const PARTS: [&str; 12] =
        ["py", "sh", "rs", "pl", "md", "ps", "so", "go", "id", "is", "to", "in"];
    word.rsplit_once('.').is_some_and(|(_, ending)| {
        ENDINGS.contains(&ending)
            || ending.len() == 2
                && ending.bytes().all(|b| b.is_ascii_lowercase())
                && !PARTS.contains(&ending)
    })
}

/// `API_KEY`, not `OK`.
pub(crate) fn is_environment_name(text: &str) -> bool {
    text.len() >= 4
        && text.contains('_')
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_a_line_share_its_hosts() {
        let promises = Promises::of("A_KEY, B_KEY, A_KEY: api.acme.dev\nA_KEY: api.other.dev\n");
        let (one, other) = (&promises.0["A_KEY"], &promises.0["B_KEY"]);
        assert_eq!((one.len(), other.len()), (2, 1));
        assert!(Rc::ptr_eq(&one[0], &other[0]));
        assert!(promises.breaks("B_KEY", "api.other.dev"));
        assert!(!promises.breaks("A_KEY", "api.other.dev"));
        assert!(promises.breaks("A_KEY", "third.io"));
    }
}
