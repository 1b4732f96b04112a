//! What an agent or an editor starts by itself: MCP servers, tasks of a folder, commands of a container.

use super::File;
use super::agent::is_wildcard;
use super::command::{Judged, judge};
use super::leaf::{Leaf, near};
use crate::scan::Skill;
use crate::scan::destination::{Class, classify};
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::rules;
use crate::scan::text::visible;

/// Arguments of a server that are judged.
const MAX_ARGUMENTS: usize = 32;

/// Looks at the servers of an agent.
pub(super) fn servers(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    for (at, leaf) in leaves.iter().enumerate() {
        let in_servers = leaf.path.iter().any(|part| {
            matches!(
                &**part,
                "mcpServers"
                    | "mcp_servers"
                    | "servers"
                    | "mcp"
                    | "context_servers"
                    | "extensions"
                    | "amp.mcpServers"
            )
        });
        if !in_servers {
            continue;
        }
        match leaf.key() {
            "command" | "cmd" | "path"
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
                // `npx mcp-remote https://…` talks to a server, and runs nothing of it.
                let bridge = words.iter().any(|word| {
                    ["mcp-remote", "mcp-proxy", "supergateway", "--url", "--sse", "--endpoint"]
                        .iter()
                        .any(|name| word.trim_matches('\'').starts_with(name))
                });
                let remote = !bridge
                    && words[1..].iter().any(|word| {
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
pub(super) fn tasks(
    file: &File<'_>,
    leaves: &[Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
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
    for (at, leaf) in leaves.iter().enumerate() {
        let listed = leaf.path.last().is_some_and(|part| part.starts_with('#'));
        if !matches!(
            leaf.key(),
            "postCreateCommand"
                | "onCreateCommand"
                | "initializeCommand"
                | "postStartCommand"
                | "postAttachCommand"
                | "updateContentCommand"
        ) || listed && leaf.path.last().is_some_and(|part| &**part != "#0")
        {
            continue;
        }
        // A list is one command, word by word.
        let line = if listed {
            let words = near(leaves, at)
                .iter()
                .filter(|other| other.key() == leaf.key() && other.owner() == leaf.owner());
            let words: Vec<String> = words
                .take(MAX_ARGUMENTS)
                .map(|word| format!("'{}'", word.value.replace('\'', "'\\''")))
                .collect();
            words.join(" ")
        } else {
            leaf.value.clone()
        };
        if let Judged::Reaches(why) = judge(&line, skill.members) {
            let message = format!("a command that starts with the container: {why}");
            let found = Match::new(&rules::SHIPS_AGENT_SETTINGS, Severity::Warn, message);
            file.add(leaf.start(), &leaf.value, found, findings);
        }
    }
}
