//! What a skill says of itself: name, description, tools, hosts, environment. What it does is
//! compared with this; none of it makes anything safe by itself.

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

/// `API_KEY`, not `OK`.
pub(crate) fn is_environment_name(text: &str) -> bool {
    text.len() >= 4
        && text.contains('_')
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}
