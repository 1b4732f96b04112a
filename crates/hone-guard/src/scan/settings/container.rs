//! Containers that get the person's home, or the whole machine.

use std::collections::HashMap;
use std::rc::Rc;

use super::File;
use super::leaf::Leaf;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::rules;
use crate::scan::text::floor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mount {
    Home,
    Root,
    Socket,
    Agent,
}

/// Folders of a home that hold keys, settings of agents or both.
#[rustfmt::skip]
const AGENTS: &[&str] = &[
    ".claude", ".codex", ".openclaw", ".hermes", ".gemini", ".cursor", ".agents", ".ssh", ".gnupg",
    ".aws", ".kube", ".azure", ".config",
];
/// Tags that move.
const MOVING: &[&str] =
    &["latest", "main", "master", "stable", "edge", "dev", "nightly", "test", "beta", ""];

/// What a mount's source is, where it is more than a project.
fn mount(source: &str) -> Option<Mount> {
    let source = source.trim_matches(['"', '\'']).trim_end_matches('/');
    match source {
        "" => Some(Mount::Root),
        "~" | "$HOME" | "${HOME}" | "$(HOME)" | "$$HOME" | "$${HOME}" | "%USERPROFILE%"
        | "$env:USERPROFILE" | "/root" | "/home" | "/Users" | "/home/$USER" | "/Users/$USER"
        | "/home/${USER}" => Some(Mount::Home),
        "/var/run/docker.sock" | "/run/docker.sock" => Some(Mount::Socket),
        _ => {
            let inside = ["~/", "$HOME/", "${HOME}/", "$(HOME)/", "$$HOME/"]
                .iter()
                .find_map(|home| source.strip_prefix(home))?;
            AGENTS.contains(&inside).then_some(Mount::Agent)
        }
    }
}

/// Whether an image is fixed: by its digest, or by a version.
fn is_pinned(image: &str) -> bool {
    let image = image.trim_matches(['"', '\'']);
    if image.contains("@sha256:") {
        return true;
    }
    let tag = image.rsplit('/').next().and_then(|last| last.split_once(':')).map(|(_, tag)| tag);
    tag.is_some_and(|tag| !MOVING.contains(&tag))
}

/// Whether an image is one of the well-known agents that measure a machine.
fn is_monitor(image: &str) -> bool {
    const MONITORS: [&str; 12] = [
        "prom/node-exporter",
        "quay.io/prometheus/node-exporter",
        "gcr.io/cadvisor/cadvisor",
        "google/cadvisor",
        "datadog/agent",
        "gcr.io/datadoghq/agent",
        "netdata/netdata",
        "grafana/alloy",
        "grafana/promtail",
        "telegraf",
        "otel/opentelemetry-collector",
        "otel/opentelemetry-collector-contrib",
    ];
    let image = image.trim_matches(['"', '\'']);
    let name = image.split('@').next().unwrap_or(image);
    let name = name.rsplit_once(':').map_or(name, |(name, _)| name);
    MONITORS.contains(&name)
}

fn found(severity: Severity, message: &str) -> Match {
    Match::new(&rules::HOST_MOUNT, severity, message)
}

/// Bytes of a command that are read, and of what stands before its `run`.
const MAX_COMMAND: usize = 2048;
const MAX_BEFORE: usize = 120;
/// Words of it.
const MAX_WORDS: usize = 100;

/// `docker run` and `podman run`.
pub(super) fn look_commands(passage: &Passage<'_>, findings: &mut Findings<'_>) {
    if !matches!(
        passage.language,
        Language::Shell | Language::Make | Language::Batch | Language::PowerShell | Language::Fish
    ) {
        return;
    }
    let text = &*passage.text;
    for (at, _) in text.match_indices(" run ") {
        // `docker run`, `podman container run`, `$(ENGINE) run`
        let near = floor(text, at.saturating_sub(MAX_BEFORE));
        let line = text[near..at].rfind('\n').map_or(near, |i| near + i + 1);
        let before = text[line..at].trim_end_matches(" container").rsplit(' ').next().unwrap_or("");
        let engine = ["docker", "podman", "nerdctl"].iter().any(|name| before.ends_with(name));
        if engine || before.trim_start_matches(['@', '\t', '-']).starts_with('$') {
            let rest = &text[at + 5..floor(text, at + 5 + MAX_COMMAND)];
            let rest = &rest[..logical_line(rest)];
            let words: Vec<&str> =
                rest.split_whitespace().filter(|word| *word != "\\").take(MAX_WORDS).collect();
            let (mounts, image, privileged) = run(&words);
            let unpinned = image.is_none_or(|image| !is_pinned(image));
            let home = mounts.contains(&Mount::Home);
            let agents = mounts.iter().filter(|mount| **mount == Mount::Agent).count();
            let serious = home && (unpinned || agents > 0)
                || agents > 1 && unpinned
                || mounts.contains(&Mount::Root) && privileged;
            // A span inside a sentence talks about a command more often than it tells to run it.
            let severity = if serious && passage.context != Context::InlineCode {
                Severity::Warn
            } else if mounts.is_empty() {
                continue;
            } else {
                Severity::Info
            };
            findings.add(
                passage,
                line..floor(text, at + 5 + rest.len().min(160)),
                found(severity, "a container gets the person's home or the whole machine"),
            );
        }
    }
}

/// Where a command ends: at the end of the line that does not go on.
fn logical_line(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if !line.trim_end().ends_with(['\\', '`']) {
            break;
        }
    }
    at
}

/// The image of a container, by the words behind `run`.
pub(crate) fn image<'a>(words: &[&'a str]) -> Option<&'a str> {
    run(words).1
}

fn run<'a>(words: &[&'a str]) -> (Vec<Mount>, Option<&'a str>, bool) {
    #[rustfmt::skip]
    const ALONE: &[&str] = &[
        "--rm", "-d", "-it", "-i", "-t", "-ti", "--privileged", "--init", "--detach", "--interactive",
        "--tty", "-dit", "-itd", "--read-only", "--no-healthcheck", "-P",
    ];
    let mut mounts = Vec::new();
    let mut privileged = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        privileged |= matches!(*word, "--privileged" | "--pid=host" | "--userns=host");
        let value = match word.split_once('=') {
            Some((option, value)) if option.starts_with("--") => Some((option, value)),
            _ if word.starts_with("-v") && word.len() > 2 => Some(("-v", &word[2..])),
            _ if word.starts_with('-') && !ALONE.contains(word) => {
                at += 1;
                words.get(at - 1).map(|value| (*word, *value))
            }
            _ if word.starts_with('-') => continue,
            _ => return (mounts, Some(word), privileged),
        };
        if let Some(("-v" | "--volume", value)) = value {
            mounts.extend(
                mount(value.trim_matches(['"', '\'']).split(':').next().unwrap_or(""))
                    .filter(|_| value.contains(':')),
            );
        } else if let Some(("--mount", value)) = value {
            let source = value.split(',').find_map(|part| {
                part.strip_prefix("source=").or_else(|| part.strip_prefix("src="))
            });
            mounts.extend(source.and_then(mount));
        }
    }
    (mounts, None, privileged)
}

/// The container that an editor works in: what it mounts, and how it is started.
fn devcontainer(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    let has = |key: &str, values: &[&str]| {
        leaves.iter().any(|leaf| leaf.key() == key && values.contains(&leaf.value.as_str()))
    };
    let privileged = has("runArgs", &["--privileged", "--pid=host", "--userns=host"])
        || has("privileged", &["true"]);
    let unpinned = leaves
        .iter()
        .find(|leaf| leaf.key() == "image")
        .is_none_or(|image| !is_pinned(&image.value));
    for leaf in leaves.iter().filter(|leaf| leaf.is_under("mounts")) {
        let source = if leaf.key() == "source" {
            Some(leaf.value.as_str())
        } else {
            leaf.value
                .split(',')
                .find_map(|part| part.strip_prefix("source=").or_else(|| part.strip_prefix("src=")))
        };
        let source = source.map(|source| {
            source
                .replace("${localEnv:HOME}${localEnv:USERPROFILE}", "~")
                .replace("${localEnv:HOME}", "~")
        });
        let Some(mount) = source.as_deref().and_then(mount) else { continue };
        let serious = match mount {
            Mount::Home | Mount::Root => unpinned || privileged,
            Mount::Socket | Mount::Agent => false,
        };
        let severity = if serious { Severity::Warn } else { Severity::Info };
        let message = "a container gets the person's home or the whole machine";
        file.add(leaf.start(), &leaf.value, found(severity, message), findings);
    }
}

/// Compose files, manifests of clusters, containers of editors.
pub(super) fn look_settings(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    if file.name().ends_with("devcontainer.json") {
        devcontainer(file, leaves, findings);
    }
    if file.context == Context::Fixture || file.language != Language::Yaml {
        return;
    }
    if leaves.iter().any(|leaf| leaf.path.first().is_some_and(|part| &**part == "services")) {
        compose(file, leaves, findings);
    }
    for leaf in leaves {
        let is_host = leaf.path.len() > 1
            && leaf.key() == "path"
            && leaf.owner().last().is_some_and(|part| &**part == "hostPath");
        if is_host
            && mount(&leaf.value).is_some_and(|mount| matches!(mount, Mount::Root | Mount::Socket))
        {
            let privileged = leaves.iter().any(|other| {
                matches!(other.key(), "privileged" | "hostPID" | "hostNetwork")
                    && other.value == "true"
            });
            let severity = if privileged { Severity::Warn } else { Severity::Info };
            file.add(
                leaf.start(),
                &leaf.value,
                found(severity, "a container gets the whole machine"),
                findings,
            );
        }
    }
}

fn compose(file: &File<'_>, leaves: &[Leaf], findings: &mut Findings<'_>) {
    let mut services: HashMap<&Rc<str>, Vec<&Leaf>> = HashMap::new();
    for leaf in leaves.iter().filter(|leaf| leaf.path.len() > 2 && &*leaf.path[0] == "services") {
        services.entry(&leaf.path[1]).or_default().push(leaf);
    }
    let mut services: Vec<_> = services.into_iter().collect();
    services.sort_by_key(|(name, _)| Rc::clone(name));
    for (_, parts) in services {
        let mounts: Vec<(&Leaf, Mount)> = parts
            .iter()
            .filter(|leaf| {
                leaf.is_under("volumes") && (leaf.key() == "volumes" || leaf.key() == "source")
            })
            .filter_map(|leaf| {
                let source = if leaf.key() == "source" {
                    leaf.value.as_str()
                } else {
                    leaf.value.split_once(':')?.0
                };
                // `${HOME:-/root}` and the like hold a colon themselves.
                let source = if leaf.value.starts_with("${HOME") { "~" } else { source };
                Some((*leaf, mount(source)?))
            })
            .collect();
        let has = |kind: Mount| mounts.iter().any(|(_, mount)| *mount == kind);
        let privileged = parts.iter().any(|leaf| {
            leaf.key() == "privileged" && leaf.value == "true"
                || matches!(leaf.key(), "pid" | "network_mode") && leaf.value == "host"
        });
        let unpinned = parts
            .iter()
            .find(|leaf| leaf.key() == "image")
            .is_none_or(|image| !is_pinned(&image.value));
        let keys = mounts.iter().filter(|(_, mount)| *mount == Mount::Agent).count();
        // An agent that measures the machine looks at all of it, and writes nothing.
        let watches = parts.iter().any(|leaf| leaf.key() == "image" && is_monitor(&leaf.value))
            && mounts.iter().all(|(leaf, mount)| {
                *mount == Mount::Root && leaf.value.split(':').next_back() == Some("ro")
            });
        let serious = !watches
            && ((has(Mount::Home) || keys > 1) && unpinned
                || has(Mount::Root) && (privileged || has(Mount::Socket) || unpinned));
        if let Some((leaf, _)) = mounts.first() {
            let severity = if serious { Severity::Warn } else { Severity::Info };
            file.add(
                leaf.start(),
                &leaf.value,
                found(severity, "a container gets the person's home or the whole machine"),
                findings,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_and_images_of_a_command_are_read() {
        let words = |line: &'static str| line.split_whitespace().collect::<Vec<_>>();
        assert_eq!(
            run(&words("-d --network host -v \"$HOME\":/data a/b:latest x")),
            (vec![Mount::Home], Some("a/b:latest"), false)
        );
        assert_eq!(
            run(&words("--rm -v $PWD/x:/y:ro postgres:16.3")),
            (vec![], Some("postgres:16.3"), false)
        );
        assert_eq!(
            run(&words("--privileged --pid=host -v /:/mnt alpine:3 sh")),
            (vec![Mount::Root], Some("alpine:3"), true)
        );
        assert_eq!(
            run(&words("--mount type=bind,source=$HOME,target=/h img")),
            (vec![Mount::Home], Some("img"), false)
        );
        assert!(
            is_pinned("a/b@sha256:00")
                && is_pinned("postgres:16.3")
                && !is_pinned("a/b")
                && !is_pinned("a:latest")
                && !is_pinned("localhost:5000/a")
        );
    }
}
