//! Settings of agents, editors and package managers that a skill ships: hooks, permissions, servers,
//! base addresses, tasks, registries; and commands that run when the skill is loaded.

use super::File;
use super::command::{Judged, judge};
use super::leaf::{Leaf, near};
use super::packages::is_usual_index;
use crate::scan::Skill;
use crate::scan::destination::{Class, classify, is_akin};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::{Passage, Place};
use crate::scan::rules;
use crate::scan::subject::{registered, shares_label};
use crate::scan::text::visible;

/// What a file of settings is for, by its path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// An agent's settings or its servers.
    Agent,
    /// An editor's tasks, workspace or container.
    Editor,
    /// Where packages come from.
    Registry,
}

fn form(path: &str) -> Option<Form> {
    let lower = path.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once(['/', '!']).unwrap_or(("", &lower));
    let agent_folder = folders.split('/').any(|part| {
        matches!(
            part,
            ".claude"
                | ".codex"
                | ".cursor"
                | ".gemini"
                | ".openclaw"
                | ".opencode"
                | ".windsurf"
                | ".kiro"
                | ".hermes"
                | ".continue"
                | ".cline"
                | ".roo"
                | ".qwen"
                | ".vscode"
                | ".zed"
                | ".amp"
                | ".factory"
                | ".augment"
        )
    });
    match name {
        "mcp.json"
        | ".mcp.json"
        | "mcp_config.json"
        | "mcp-config.json"
        | "claude_desktop_config.json"
        | "mcp_settings.json"
        | "cline_mcp_settings.json"
        | "opencode.json"
        | "openclaw.json"
        | ".claude.json"
        | "hooks.json"
        | "exec-approvals.json"
        | "opencode.jsonc" => Some(Form::Agent),
        "tasks.json" | "devcontainer.json" | ".devcontainer.json" | "launch.json" => {
            Some(Form::Editor)
        }
        ".npmrc" | "pip.conf" | "pip.ini" | ".yarnrc" | ".yarnrc.yml" | "uv.toml" | ".pypirc"
        | "bunfig.toml" | ".bowerrc" => Some(Form::Registry),
        "config.toml" if folders.rsplit('/').next() == Some(".cargo") => Some(Form::Registry),
        _ if name.ends_with(".code-workspace") => Some(Form::Editor),
        "settings.json"
        | "settings.local.json"
        | "config.json"
        | "config.toml"
        | "config.yaml"
        | "config.yml"
        | "managed-settings.json"
        | "permissions.json"
        | "cli-config.json"
        | "environment.json"
            if agent_folder =>
        {
            Some(Form::Agent)
        }
        _ => None,
    }
}

/// Looks at a configuration file.
pub(super) fn look(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    match form(file.path) {
        Some(Form::Agent) => {
            hooks(file, leaves, skill, Strictness::Shipped, findings);
            permissions(file, leaves, findings);
            addresses(file, leaves, skill, findings);
            servers(file, leaves, skill, findings);
        }
        Some(Form::Editor) => {
            tasks(file, leaves, skill, findings);
            servers(file, leaves, skill, findings);
        }
        Some(Form::Registry) => registry(file, leaves, findings),
        // Servers in a file of another name are only worth a look where they are shells.
        None if leaves.iter().any(|leaf| leaf.is_under("mcpServers")) => {
            servers(file, leaves, skill, findings);
        }
        // So are addresses that only an agent reads, wherever they will be copied to.
        None => {
            let is_agents = |leaf: &&Leaf| {
                AGENTS_OWN.contains(&leaf.key())
                    || leaf.is_under("model_providers")
                    || leaf.is_under("modelProviders")
            };
            let own: Vec<Leaf> = leaves.iter().filter(is_agents).cloned().collect();
            addresses(file, &own, skill, findings);
        }
    }
}

/// Variables that lead an agent's own conversations somewhere.
const AGENTS_OWN: [&str; 5] = [
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_BEDROCK_BASE_URL",
    "ANTHROPIC_VERTEX_BASE_URL",
    "CLAUDE_BASE_URL",
    "GOOGLE_GEMINI_BASE_URL",
];

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

/// Whether a value is a command that the agent runs by itself.
fn is_hook(leaf: &Leaf) -> bool {
    const OTHERS: [&str; 15] = [
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
    ];
    match leaf.key() {
        "apiKeyHelper" | "awsAuthRefresh" | "otelHeadersHelper" => true,
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

fn permissions(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    for leaf in leaves {
        let value = leaf.value.trim();
        let key = leaf.key().to_ascii_lowercase();
        let allows = leaf.path.iter().any(|part| {
            matches!(
                part.to_ascii_lowercase().as_str(),
                "allow"
                    | "alwaysallow"
                    | "autoapprove"
                    | "allowedtools"
                    | "allowed_tools"
                    | "auto_approve"
                    | "trustedtools"
                    | "coretools"
            )
        });
        let wide = allows && is_wildcard(value);
        let unchecked = match &*key {
            "defaultmode" | "permissionmode" | "approvalmode" | "approval_mode"
            | "permission_mode" => matches!(
                value,
                "bypassPermissions" | "yolo" | "dontAsk" | "auto-approve" | "full-auto" | "never"
            ),
            "approval_policy" | "ask" | "askmode" => matches!(value, "never" | "off"),
            "sandbox_mode" | "sandbox" => matches!(value, "danger-full-access" | "off" | "none"),
            "dangerouslyskippermissions"
            | "skipdangerousmodepermissionprompt"
            | "bypasspermissions"
            | "yolo"
            | "autoaccept"
            | "enableallprojectmcpservers"
            | "autoapproveall"
            | "trust"
            | "hastrustdialogaccepted"
            | "autorun"
            | "chat.tools.autoapprove" => value == "true",
            _ => false,
        };
        if wide || unchecked {
            file.add(
                leaf.start(),
                &format!("{}: {value}", leaf.key()),
                Match::new(
                    &rules::SHIPS_AGENT_SETTINGS,
                    Severity::Warn,
                    "shipped settings take the agent's questions away",
                ),
                findings,
            );
        }
    }
}

/// Whether a permission has no limit.
pub(super) fn is_wildcard(tool: &str) -> bool {
    let tool = tool.trim();
    let inner = tool.split_once('(').map(|(name, rest)| (name, rest.trim_end_matches(')')));
    match inner {
        Some((name, inner)) => {
            matches!(
                inner.trim(),
                "*" | "**"
                    | "*:*"
                    | ":*"
                    | "**/*"
                    | "/**"
                    | "*:*:*"
                    | "sudo *"
                    | "sudo:*"
                    | "domain:*"
                    | "//**"
            ) && !matches!(name, "Read" | "Grep" | "Glob" | "LS" | "Skill" | "Task")
        }
        None => matches!(tool, "*" | "**" | "all" | "ALL" | "mcp__*" | "mcp__*__*" | "*:*" | "any"),
    }
}

/// Base addresses, proxies and switched-off checks for the agent's own connections.
fn addresses(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for leaf in leaves {
        let key = leaf.key().to_ascii_uppercase().replace('-', "_");
        let value = leaf.value.trim();
        let foreign = || {
            matches!(
                classify(value),
                Class::Foreign | Class::Address | Class::Inbox | Class::Paste | Class::Shortener
            )
        };
        let is_own = |host: &str| {
            skill.subject.hosts.iter().any(|known| host.ends_with(known.as_str()))
                || shares_label(&registered(host), &skill.subject.name)
        };
        let redirected = (key.ends_with("BASE_URL")
            || key.ends_with("BASEURL")
            || key.ends_with("API_BASE")
            || key.ends_with("_ENDPOINT")
            || key.ends_with("_PROXY")
            || key == "PROXY")
            && value.contains("://")
            && foreign()
            && !crate::scan::destination::host(value)
                .is_some_and(|host| is_akin(&host, &key) || is_own(&host));
        let unchecked =
            value == "0" && matches!(&*key, "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY");
        if redirected || unchecked {
            file.add(
                leaf.start(),
                &format!("{}: {value}", leaf.key()),
                Match::new(
                    &rules::SHIPS_AGENT_SETTINGS,
                    Severity::Warn,
                    "shipped settings lead the agent's conversations through another host",
                ),
                findings,
            );
        }
    }
}

/// Arguments of a server that are judged.
const MAX_ARGUMENTS: usize = 32;

fn servers(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for (at, leaf) in leaves.iter().enumerate() {
        let in_servers = leaf
            .path
            .iter()
            .any(|part| matches!(&**part, "mcpServers" | "mcp_servers" | "servers" | "mcp"));
        if !in_servers {
            continue;
        }
        match leaf.key() {
            "command"
                if !leaf
                    .path
                    .last()
                    .is_some_and(|part| part.starts_with('#') && &**part != "#0") =>
            {
                let others = near(leaves, at).iter().filter(|other| other.path != leaf.path);
                let beside = others
                    .filter(|other| {
                        matches!(other.key(), "args" | "command") && other.owner() == leaf.owner()
                    })
                    .take(MAX_ARGUMENTS);
                let words: Vec<String> = std::iter::once(&leaf.value)
                    .chain(beside.map(|other| &other.value))
                    .map(|word| format!("'{}'", word.replace('\'', "'\\''")))
                    .collect();
                let line = words.join(" ");
                let remote = words[1..].iter().any(|word| {
                    word.contains("://")
                        && matches!(
                            classify(word.trim_matches('\'').trim_start_matches("git+")),
                            Class::Foreign
                                | Class::Address
                                | Class::Paste
                                | Class::Shortener
                                | Class::Inbox
                        )
                        || word.contains("raw.githubusercontent.com")
                        || word.contains("gist.github")
                });
                let inline = matches!(judge(&line, skill.members), Judged::Reaches(_)) && !remote;
                let shell = matches!(
                    leaf.value.rsplit('/').next().unwrap_or(""),
                    "sh" | "bash" | "zsh" | "cmd" | "powershell" | "pwsh"
                ) && words
                    .iter()
                    .any(|word| matches!(word.as_str(), "'-c'" | "'-lc'" | "'/c'" | "'-Command'"));
                if remote
                    && matches!(
                        words[0].trim_matches('\''),
                        "npx"
                            | "bunx"
                            | "uvx"
                            | "pipx"
                            | "deno"
                            | "bun"
                            | "node"
                            | "uv"
                            | "npm"
                            | "python"
                            | "python3"
                            | "go"
                            | "pnpm"
                    )
                    || inline
                {
                    file.add(leaf.start(), &line, Match::new(&rules::SHIPS_AGENT_SETTINGS, Severity::Warn, "a shipped MCP server runs code from somebody's host, or code written into the setting"), findings);
                } else if shell {
                    file.add(
                        leaf.start(),
                        &line,
                        Match::new(
                            &rules::SHIPS_AGENT_SETTINGS,
                            Severity::Info,
                            "a shipped MCP server is a shell command",
                        ),
                        findings,
                    );
                }
            }
            "alwaysAllow" | "autoApprove" | "autoAllow" if is_wildcard(&leaf.value) => {
                file.add(
                    leaf.start(),
                    &leaf.value,
                    Match::new(
                        &rules::SHIPS_AGENT_SETTINGS,
                        Severity::Warn,
                        "every tool of a shipped MCP server is allowed without a question",
                    ),
                    findings,
                );
            }
            "trust" if leaf.value == "true" => {
                file.add(
                    leaf.start(),
                    "trust: true",
                    Match::new(
                        &rules::SHIPS_AGENT_SETTINGS,
                        Severity::Warn,
                        "a shipped MCP server is trusted without a question",
                    ),
                    findings,
                );
            }
            _ => {}
        }
    }
}

/// Tasks that an editor runs when a folder is opened.
fn tasks(file: &File<'_>, leaves: &[Leaf], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for (at, leaf) in leaves
        .iter()
        .enumerate()
        .filter(|(_, leaf)| leaf.key() == "runOn" && leaf.value == "folderOpen")
    {
        // tasks, #n, runOptions, runOn: the task is two above.
        let owner = leaf.owner();
        let task = &owner[..owner.len().saturating_sub(1)];
        let of_task = |key: &str| {
            near(leaves, at)
                .iter()
                .filter(|other| other.path.starts_with(task) && other.key() == key)
                .map(|other| other.value.as_str())
                .collect::<Vec<_>>()
        };
        let line =
            of_task("command").into_iter().chain(of_task("args")).collect::<Vec<_>>().join(" ");
        let (severity, why) = match judge(&line, skill.members) {
            Judged::Reaches(why) => (Severity::Warn, why),
            Judged::Unknown(what) => (
                Severity::Warn,
                format!("it runs `{}`, which is not part of the skill", visible(&what, 60)),
            ),
            _ => (Severity::Info, "it runs by itself".to_owned()),
        };
        file.add(
            leaf.start(),
            &line,
            Match::new(
                &rules::SHIPS_AGENT_SETTINGS,
                severity,
                format!("a task that starts when the folder is opened: {why}"),
            ),
            findings,
        );
    }
    for leaf in leaves {
        if matches!(
            leaf.key(),
            "postCreateCommand"
                | "onCreateCommand"
                | "initializeCommand"
                | "postStartCommand"
                | "postAttachCommand"
                | "updateContentCommand"
        ) && let Judged::Reaches(why) = judge(&leaf.value, skill.members)
        {
            file.add(
                leaf.start(),
                &leaf.value,
                Match::new(
                    &rules::SHIPS_AGENT_SETTINGS,
                    Severity::Warn,
                    format!("a command that starts with the container: {why}"),
                ),
                findings,
            );
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
                && bang.is_some_and(|rest| {
                    !rest.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '!' | ')' | ']'))
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
