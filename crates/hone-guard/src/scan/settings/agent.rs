//! Settings of agents, editors and package managers that a skill ships: hooks, permissions, servers,
//! base addresses, tasks, registries; and commands that run when the skill is loaded.

use super::File;
use super::command::{Judged, judge};
use super::forms::{Form, form};
use super::hooked;
use super::leaf::Leaf;
use super::packages::is_usual_index;
use super::started::{servers, tasks};
use super::switches;
use crate::scan::Skill;
use crate::scan::destination::{Class, classify, is_akin};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::{Passage, Place};
use crate::scan::rules;
use crate::scan::subject::{registered, shares_label};
use crate::scan::text::visible;

/// Looks at a configuration file.
pub(super) fn look(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    match form(file.path) {
        Some(Form::Agent) => {
            hooks(file, leaves, skill, Strictness::of(file), findings);
            permissions(file, leaves, skill, findings);
            addresses(file, leaves, skill, findings);
            servers(file, leaves, skill, findings);
        }
        Some(Form::Editor) => {
            tasks(file, leaves, skill, findings);
            servers(file, leaves, skill, findings);
            addresses(file, &agents_own(leaves), skill, findings);
        }
        Some(Form::Registry) => {
            registry(file, leaves, findings);
            addresses(file, leaves, skill, findings);
        }
        Some(Form::Network) => addresses(file, leaves, skill, findings),
        None => {
            // In a file of another name only what an agent alone reads is worth a look.
            let events: Vec<Leaf> = leaves.iter().filter(|leaf| is_event(leaf)).cloned().collect();
            hooks(file, &events, skill, Strictness::Declared, findings);
            if leaves.iter().any(|leaf| leaf.is_under("mcpServers")) {
                servers(file, leaves, skill, findings);
            }
            addresses(file, &agents_own(leaves), skill, findings);
        }
    }
}

/// The values that only an agent reads, wherever they will be copied to.
fn agents_own(leaves: &[Leaf]) -> Vec<Leaf> {
    let is_agents = |leaf: &&Leaf| {
        AGENTS_OWN.contains(&leaf.key())
            || leaf.is_under("model_providers")
            || leaf.is_under("modelProviders")
    };
    leaves.iter().filter(is_agents).cloned().collect()
}

/// Whether a value belongs to a hook for an event that only agents know.
fn is_event(leaf: &Leaf) -> bool {
    leaf.is_under("hooks") && leaf.path.iter().any(|part| hooked::EVENTS.contains(&&**part))
}

/// Variables that lead an agent's own conversations somewhere.
pub(super) const AGENTS_OWN: [&str; 8] = [
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "ANTHROPIC_FOUNDRY_BASE_URL",
    "CLAUDE_BASE_URL",
    "CLAUDE_CODE_API_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
    "CODEX_BASE_URL",
];

/// Looks for those variables in files that are no settings by form: `.env`, a container's recipe, a list
/// of `NAME=value`.
pub(super) fn look_variables(file: &File<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if file.language.runs() || file.language == Language::Markdown {
        return;
    }
    let text = &file.text.plain;
    for variable in AGENTS_OWN {
        for (at, _) in text.match_indices(variable).take(MAX_VARIABLES) {
            let rest = &text[at + variable.len()..];
            let line = rest.split('\n').next().unwrap_or_default();
            let value = line.trim_start_matches([' ', '=', ':', '"', '\'']);
            let value =
                value.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',')).next();
            if let Some(value) = value.filter(|value| is_led_away(value, variable, skill)) {
                file.add(at, &format!("{variable}: {value}"), led_away(), findings);
            }
        }
    }
}

/// Uses of one variable in a file that are looked at.
const MAX_VARIABLES: usize = 16;

/// Looks at the hooks of a frontmatter.
pub(super) fn look_frontmatter(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    hooks(file, leaves, skill, Strictness::Declared, findings);
}

/// Whether a command that is neither known nor in the skill counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strictness {
    /// A shipped file takes effect unseen: it counts.
    Shipped,
    /// The frontmatter is what a person reads: it does not.
    Declared,
}

impl Strictness {
    /// A block is read by whoever puts it into a file.
    fn of(file: &File<'_>) -> Self {
        if file.is_block() { Self::Declared } else { Self::Shipped }
    }
}

/// Whether a value is a command that the agent runs by itself.
fn is_hook(leaf: &Leaf) -> bool {
    const OTHERS: [&str; 17] = [
        "matcher",
        "type",
        "timeout",
        "description",
        "name",
        "id",
        "once",
        "statusMessage",
        "async",
        "if",
        "model",
        "prompt",
        "enabled",
        "version",
        "$schema",
        "url",
        "failClosed",
    ];
    match leaf.key() {
        "apiKeyHelper"
        | "awsAuthRefresh"
        | "awsCredentialExport"
        | "otelHeadersHelper"
        | "gcpAuthRefresh"
        | "discoveryCommand"
        | "callCommand"
        | "toolDiscoveryCommand"
        | "toolCallCommand"
        | "proxyAuthHelper"
        | "lint-cmd"
        | "test-cmd"
        | "notifications-command" => true,
        "install" | "start" if leaf.path.len() == 1 => true,
        "command" if leaf.is_under("statusLine") => true,
        key => leaf.is_under("hooks") && !OTHERS.contains(&key),
    }
}

/// Hooks of one file that are judged one by one.
const MAX_HOOKS: usize = 500;

fn hooks(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    strictness: Strictness,
    findings: &mut Findings<'_>,
) {
    let hooks = leaves.iter().filter(|leaf| is_hook(leaf));
    for (count, leaf) in hooks.enumerate() {
        if count == MAX_HOOKS {
            file.add(
                leaf.start(),
                &leaf.value,
                Match::new(
                    &rules::UNFINISHED,
                    Severity::Warn,
                    format!("more than {MAX_HOOKS} hooks; the rest are not judged"),
                ),
                findings,
            );
            break;
        }
        let event = leaf
            .path
            .iter()
            .skip_while(|part| &***part != "hooks")
            .nth(1)
            .map_or("load", |part| &**part);
        if hooked::approves(&leaf.value, skill) {
            let message =
                format!("a hook for {} answers every question with yes", visible(event, 40));
            let found = Match::new(&rules::SHIPS_AGENT_SETTINGS, Severity::Warn, message);
            file.add(leaf.start(), &leaf.value, found, findings);
            continue;
        }
        if let Some(host) = hooked::tells(&leaf.value, skill) {
            let message = format!(
                "a hook for {}: its script sends what it is told to {host}",
                visible(event, 40)
            );
            let found = Match::new(&rules::SHIPS_AGENT_SETTINGS, Severity::Warn, message);
            file.add(leaf.start(), &leaf.value, found, findings);
            continue;
        }
        let (severity, why) = match judge(&leaf.value, skill.members) {
            Judged::Reaches(why) => (Severity::Warn, why),
            Judged::Unknown(what) if strictness == Strictness::Shipped => (
                Severity::Warn,
                format!("it runs `{}`, which is not part of the skill", visible(&what, 60)),
            ),
            _ => (Severity::Info, "it runs by itself".to_owned()),
        };
        file.add(
            leaf.start(),
            &leaf.value,
            Match::new(
                &rules::SHIPS_AGENT_SETTINGS,
                severity,
                format!("a hook for {}: {why}", visible(event, 40)),
            ),
            findings,
        );
    }
}

fn permissions(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    // A skill about an agent's settings shows them.
    let about = file.is_block() && switches::ABOUT.iter().any(|word| skill.says(word));
    for leaf in leaves.iter().filter(|leaf| switches::takes_questions_away(leaf)) {
        file.add(
            leaf.start(),
            &format!("{}: {}", leaf.key(), leaf.value.trim()),
            Match::new(
                &rules::SHIPS_AGENT_SETTINGS,
                if about { Severity::Info } else { Severity::Warn },
                "settings take the agent's questions away",
            ),
            findings,
        );
    }
}

/// Whether a permission has no limit.
pub(super) fn is_wildcard(tool: &str) -> bool {
    let tool = tool.trim();
    let inner = tool.split_once('(').map(|(name, rest)| (name, rest.trim_end_matches(')')));
    match inner {
        Some((name, inner)) => {
            // Stars, however they are put: `* *`, `**/*`, `*:*`, `/*`.
            let is_bare = inner.contains('*')
                && inner.chars().all(|c| c.is_whitespace() || "*:/'\"".contains(c));
            (is_bare || matches!(inner.trim(), "sudo *" | "sudo:*" | "domain:*"))
                && !matches!(name, "Read" | "Grep" | "Glob" | "LS" | "Skill" | "Task")
        }
        None => matches!(tool, "*" | "**" | "all" | "ALL" | "mcp__*" | "mcp__*__*" | "*:*" | "any"),
    }
}

/// Keys that end in one of these lead requests somewhere.
#[rustfmt::skip]
const LEADING: &[&str] = &[
    "BASE_URL", "BASEURL", "API_BASE", "APIBASE", "_ENDPOINT", "ENDPOINT", "_PROXY", "PROXY", "API_URL", "APIURL", "_HOST", "PROXYURL", "CAPIURL",
    "API_HOST", "GATEWAY_URL", "HTTPSPROXY", "HTTPPROXY", "AMP.URL", "SERVER_URL",
];

/// Whether a value leads what a key is about to somebody's host.
pub(super) fn is_led_away(value: &str, key: &str, skill: &Skill<'_>) -> bool {
    let is_own = |host: &str| {
        skill.subject.hosts.iter().any(|known| host.ends_with(known.as_str()))
            || shares_label(&registered(host), &skill.subject.name)
    };
    value.contains("://")
        && matches!(
            classify(value),
            Class::Foreign | Class::Address | Class::Inbox | Class::Paste | Class::Shortener
        )
        && !crate::scan::destination::host(value)
            .is_some_and(|host| is_akin(&host, key) || is_own(&host))
}

pub(super) fn led_away() -> Match {
    Match::new(
        &rules::SHIPS_AGENT_SETTINGS,
        Severity::Warn,
        "settings lead the agent's conversations through another host",
    )
}

/// Base addresses, proxies and switched-off checks for the agent's own connections.
fn addresses(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for leaf in leaves {
        let key = leaf.key().to_ascii_uppercase().replace('-', "_");
        let value = leaf.value.trim();
        // `{"type": "http", "url": …}` among the hooks has every event sent.
        let hooked = key == "URL" && leaf.is_under("hooks");
        // `[url "https://…"] insteadOf = https://github.com/`
        let instead = matches!(&*key, "INSTEADOF" | "PUSHINSTEADOF")
            && leaf.path.first().is_some_and(|section| {
                section.split(['"', ' ']).any(|part| is_led_away(part, value, skill))
            });
        let leads = LEADING.iter().any(|end| key.ends_with(end)) || hooked;
        if instead
            || leads && is_led_away(value, &key, skill)
            || switches::is_unchecked(&key, value)
        {
            file.add(leaf.start(), &format!("{}: {value}", leaf.key()), led_away(), findings);
        }
        if let Some(what) = switches::loads(&key, value) {
            let found = Match::new(&rules::SHIPS_AGENT_SETTINGS, Severity::Warn, what);
            file.add(leaf.start(), &format!("{}: {value}", leaf.key()), found, findings);
        }
    }
}

fn registry(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    for leaf in leaves {
        let key = leaf.key().to_ascii_lowercase();
        let value = leaf.value.trim();
        let source = matches!(
            &*key,
            "registry"
                | "index-url"
                | "extra-index-url"
                | "index_url"
                | "extra_index_url"
                | "find-links"
                | "npmregistryserver"
                | "url"
                | "default"
                | "index"
                | "repository"
                | "replace-with"
        ) && value.contains("://");
        if source && !is_usual_index(value) {
            file.add(
                leaf.start(),
                &format!("{key} = {value}"),
                Match::new(
                    &rules::PACKAGE_SOURCE,
                    Severity::Warn,
                    "shipped settings take packages from somebody's host",
                ),
                findings,
            );
        }
        let unchecked = matches!(
            (&*key, value),
            ("strict-ssl" | "strict_ssl" | "enablestrictssl" | "check-revoke", "false")
        ) || key == "trusted-host" && !is_usual_index(&format!("https://{value}"));
        if unchecked {
            file.add(
                leaf.start(),
                &format!("{key} = {value}"),
                Match::new(
                    &rules::PACKAGE_SOURCE,
                    Severity::Warn,
                    "shipped settings switch off the check of the registry's certificate",
                ),
                findings,
            );
        }
    }
}

/// Looks at a command that runs when the skill is loaded: `` !`command` `` and ` ```! `.
pub(super) fn look_load_time(
    passage: &Passage<'_>,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    if passage.language != Language::Shell || passage.decoded.is_some() {
        return;
    }
    let marked = match (&passage.place, passage.context) {
        (Place::Straight { text, start }, Context::InlineCode | Context::Mention) => {
            let before = text.plain[..*start].trim_end_matches('`');
            let bang = before.strip_suffix('!');
            before.len() < *start
                // `Done!` is a word; behind a letter of a script without blanks a command runs.
                && bang.is_some_and(|rest| {
                    !rest.ends_with(|c: char| {
                        c.is_ascii_alphanumeric() || matches!(c, '!' | ')' | ']')
                    })
                })
        }
        (Place::Pieces { text, pieces }, Context::Fence) => {
            pieces.first().is_some_and(|(_, at)| {
                let above = text.plain[..*at].trim_end_matches('\n');
                let line = above.rfind('\n').map_or(above, |i| &above[i + 1..]);
                line.trim_start().starts_with("```!")
            })
        }
        _ => false,
    };
    let is_skill = skill
        .members
        .get(passage.file)
        .is_some_and(|member| member.path.to_ascii_lowercase().ends_with(".md"));
    if !marked || !is_skill {
        return;
    }
    let (severity, why) = match judge(&passage.text, skill.members) {
        Judged::Reaches(why) => (Severity::Warn, why),
        Judged::Unknown(what) => (Severity::Info, format!("it runs `{}`", visible(&what, 60))),
        Judged::Tool => (Severity::Info, "it runs a tool".to_owned()),
        Judged::ReadOnly => (Severity::Info, "it only shows something".to_owned()),
    };
    findings.add(
        passage,
        0..passage.text.len(),
        Match::new(
            &rules::LOAD_TIME_COMMAND,
            severity,
            format!("a command runs when the skill is loaded: {why}"),
        ),
    );
}

#[cfg(test)]
mod tests {
    use super::is_wildcard;

    #[test]
    fn stars_are_everything_however_they_are_put() {
        for tool in
            ["Bash(*)", "Bash(* *)", "Bash(*  * :*)", "Bash('*' *)", "Bash(/*)", "Write(**/*)"]
        {
            assert!(is_wildcard(tool), "{tool}");
        }
        for tool in ["Bash(git *)", "Bash(./*)", "Bash(* --version)", "Read(**)", "Write(out/**)"] {
            assert!(!is_wildcard(tool), "{tool}");
        }
    }
}
