//! A repository's own folder inside a skill: git runs what its configuration and hooks name.

use crate::scan::bundle::Member;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::{Kind, Language};
use crate::scan::rules;
use crate::scan::settings::leaf::{Leaf, leaves};
use crate::scan::text::Text;

/// Settings of git whose value is run as a command.
pub(crate) fn runs(leaf: &Leaf) -> bool {
    let section = leaf.path.first().map_or("", |part| &**part);
    let section = section.split_whitespace().next().unwrap_or("");
    let key = leaf.key().to_ascii_lowercase();
    let value = leaf.value.trim();
    match (section, &*key) {
        ("core", "fsmonitor") => !matches!(value, "true" | "false" | "1" | "0" | ""),
        ("core" | "sequence", "editor") | ("core", "pager" | "askpass") | ("pager", _) => {
            is_shell_text(value)
        }
        ("alias", _) => value.starts_with('!') && is_shell_text(value),
        ("credential", "helper") => value.starts_with(['!', '/', '.']),
        ("filter", "clean" | "smudge" | "process") => !value.starts_with("git-lfs"),
        ("core", "sshcommand" | "hookspath" | "gitproxy" | "alternaterefscommand")
        | ("diff" | "difftool" | "mergetool", "command" | "textconv" | "cmd" | "external")
        | ("merge", "driver")
        | ("gpg", "program")
        | ("uploadpack", "packobjectshook") => true,
        ("protocol", "allow") => {
            value == "always" && leaf.path.first().is_some_and(|part| part.contains("ext"))
        }
        _ => false,
    }
}

/// More than the name of a program and its options.
fn is_shell_text(value: &str) -> bool {
    value.contains(['|', ';', '&', '$', '`', '>'])
        || value.contains("curl")
        || value.contains("wget")
        || value.contains('/') && !value.starts_with("/usr/bin/")
}

pub(super) fn look(members: &[Member], texts: &[Option<Text>], findings: &mut Findings<'_>) {
    for (file, member) in members.iter().enumerate() {
        let (folder, name) = member.path.rsplit_once('/').unwrap_or(("", &member.path));
        let in_git = member.path.starts_with(".git/") || member.path.contains("/.git/");
        let in_hooks = folder.ends_with("/hooks") || folder == "hooks";
        if in_git && in_hooks && !name.ends_with(".sample") {
            findings.add_file(
                file,
                &member.path,
                Match::new(
                    &rules::BUNDLED_REPOSITORY,
                    Severity::Warn,
                    "a hook that git runs by itself",
                ),
            );
        }
        let beside = |name: &str| {
            members.iter().any(|other| {
                other.path
                    == if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
            })
        };
        let is_config = name == "config" && (in_git || beside("HEAD"))
            || name == "config.worktree"
            || name == ".gitmodules";
        let Some(text) = texts[file].as_ref().filter(|_| is_config || name.ends_with("gitconfig"))
        else {
            continue;
        };
        for leaf in leaves(Language::Ini, &text.plain).iter().filter(|leaf| runs(leaf)) {
            let severity = if is_config { Severity::Critical } else { Severity::Info };
            let evidence = format!("{} = {}", leaf.key(), leaf.value);
            findings.add_at(
                file,
                text.position(leaf.start()),
                Context::Setting,
                &evidence,
                Match::new(
                    &rules::BUNDLED_REPOSITORY,
                    severity,
                    "git runs this command when the folder is used",
                ),
            );
        }
    }
    if let Some(file) = members.iter().position(|member| {
        member.path == ".git/HEAD"
            || matches!(member.kind, Kind::Text(_)) && member.path.ends_with("/.git/HEAD")
    }) {
        findings.add_file(
            file,
            ".git",
            Match::new(
                &rules::BUNDLED_REPOSITORY,
                Severity::Info,
                "the skill ships a repository's own folder",
            ),
        );
    }
}
