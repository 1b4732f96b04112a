//! Rights that are given to everybody, and configurations that copy or fetch for somebody else.

use crate::scan::Skill;
use crate::scan::destination::{Class, addresses};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::rules;

/// Roles that may do everything, and groups that everybody is in.
const ROLES: [&str; 2] = ["cluster-admin", "system:masters"];
const EVERYBODY: [&str; 3] = ["system:unauthenticated", "system:anonymous", "system:authenticated"];

/// Addresses of one text that the documents are searched for.
const MAX_ADDRESSES: usize = 32;

/// Looks at one passage.
pub(super) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !passage.context.acts() {
        return;
    }
    match passage.language {
        Language::Yaml | Language::Json => {
            bindings(passage, findings);
            policies(passage, findings);
            playbook(passage, skill, findings);
        }
        Language::Html => forms(passage, skill, findings),
        Language::Plain | Language::Ini => mirrors(passage, skill, findings),
        _ => {}
    }
}

/// A binding of a role that may do everything to a group that everybody is in.
fn bindings(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    let mut start = 0;
    for document in passage.text.split("\n---") {
        let everybody = EVERYBODY.iter().find_map(|group| document.find(group));
        if let Some(at) = everybody
            && document.contains("RoleBinding")
            && ROLES.iter().any(|role| document.contains(role))
        {
            let message = "everybody gets all rights in the cluster";
            let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message);
            findings.add(passage, start + at..start + at + 1, found);
        }
        start += document.len() + "\n---".len();
    }
}

/// A statement of a policy by which anybody may do anything with something.
fn policies(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    if !passage.text.contains("Principal") {
        return;
    }
    let mut start = 0;
    for statement in passage.text.split_inclusive('}') {
        let compact: String = statement.chars().filter(|c| !c.is_whitespace()).collect();
        let anybody = compact.contains("\"Principal\":\"*\"") || compact.contains("\"AWS\":\"*\"");
        let everything = compact.contains("\"Action\":\"*\"") || compact.contains(":*\"");
        if anybody && everything && compact.contains("Allow") && !compact.contains("Condition") {
            let message = "a policy lets anybody do everything";
            let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message);
            findings.add(passage, start..start + 1, found);
            return;
        }
        start += statement.len();
    }
}

/// A file that a playbook fetches from a stranger and then runs.
fn playbook(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let text: &str = &passage.text;
    let Some(at) = text.find("get_url").filter(|_| text.contains("dest:")) else { return };
    let rest = &text[at..];
    let target = rest.split("dest:").nth(1).unwrap_or_default().trim_start();
    let end =
        target.find(|c: char| c.is_whitespace() || matches!(c, ',' | '}')).unwrap_or(target.len());
    let path = target[..end].trim_matches(['"', '\'']);
    let runs = rest
        .lines()
        .any(|line| (line.contains("command:") || line.contains("shell:")) && line.contains(path));
    let from = addresses(rest).into_iter().take(MAX_ADDRESSES).find(|address| {
        // A block of a document does not speak for its own host.
        let known = if passage.context == Context::Fence {
            skill.is_about(&address.host())
        } else {
            skill.speaks_of(&address.host())
        };
        matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox) && !known
    });
    if let Some(address) = from.filter(|_| runs && path.len() > 2) {
        let message = format!("a file from {} is fetched and run", address.host());
        let flow = Flow::new("a file from the network", "a task");
        let found = Match::new(&rules::REMOTE_TO_INTERPRETER, Severity::Critical, message);
        findings.add(passage, at..at + 1, found.with(flow));
    }
}

/// A form that asks for a password and gives it to a stranger.
fn forms(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let lower = passage.text.to_ascii_lowercase();
    for (at, _) in lower.match_indices("<form").take(16) {
        let end = lower[at..].find("</form").map_or(lower.len(), |end| at + end);
        let tag = lower[at..end].find('>').map_or(end, |close| at + close);
        let stranger =
            addresses(&passage.text[at..tag]).into_iter().take(MAX_ADDRESSES).find(|address| {
                matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
                    && !skill.speaks_of(&address.host())
            });
        if let Some(address) = stranger
            && lower[at..end].contains("type=\"password\"")
        {
            let message = format!("a form gives a password to {}", address.host());
            let found = Match::new(&rules::SECRET_TO_NETWORK, Severity::Critical, message);
            findings.add(passage, at..at + 1, found);
            return;
        }
    }
}

/// A web server that sends a copy of every request to a stranger.
fn mirrors(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let text: &str = &passage.text;
    let Some(at) = text.find("mirror /") else { return };
    let stranger = text.match_indices("proxy_pass").take(MAX_ADDRESSES).find_map(|(pass, _)| {
        let line = text[pass..].lines().next().unwrap_or_default();
        addresses(line).into_iter().map(|address| (address.class(), address.host())).find(
            |(class, host)| {
                matches!(class, Class::Foreign | Class::Address | Class::Inbox)
                    && !skill.speaks_of(host)
            },
        )
    });
    if let Some((_, host)) = stranger {
        let message = format!("a copy of each request goes to {host}");
        let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message);
        findings.add(passage, at..at + 1, found);
    }
}
