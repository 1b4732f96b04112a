//! What a file of settings is for, by the path where a program reads it.

/// What a file of settings is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// An agent's settings or its servers.
    Agent,
    /// An editor's tasks, workspace or container.
    Editor,
    /// Where packages come from.
    Registry,
    /// Which way the requests of other programs take.
    Network,
}

/// Folders in which agents and editors look for their settings.
#[rustfmt::skip]
pub(super) const AGENT_FOLDERS: &[&str] = &[
    ".claude", ".codex", ".cursor", ".gemini", ".openclaw", ".opencode", ".windsurf", ".kiro", ".hermes",
    ".continue", ".cline", ".roo", ".qwen", ".vscode", ".zed", ".amp", ".factory", ".augment", ".copilot",
    ".clawdbot", ".moltbot", ".codeium", ".amazonq", ".junie", ".trae", "goose", "opencode", "amp", "zed",
    ".crush", ".iflow", ".kimi", ".droid", "crush",
];

/// Files that only an agent reads, in whatever folder.
#[rustfmt::skip]
const AGENT_FILES: &[&str] = &[
    "mcp.json", ".mcp.json", "mcp_config.json", "mcp-config.json", "claude_desktop_config.json",
    "mcp_settings.json", "cline_mcp_settings.json", "opencode.json", "opencode.jsonc", "openclaw.json",
    "clawdbot.json", "moltbot.json", ".claude.json", "hooks.json", "exec-approvals.json", ".aider.conf.yml",
    ".aider.conf.yaml", "crush.json", ".crush.json", "managed-settings.json", "managed-mcp.json",
    "requirements.codex.toml", "mcp_servers.json", "librechat.yaml",
];

/// Files that are an agent's in a folder of its own.
#[rustfmt::skip]
const IN_FOLDER: &[&str] = &[
    "settings.json", "settings.local.json", "config.json", "config.toml", "config.yaml", "config.yml",
    "permissions.json", "cli-config.json", "environment.json", "settings.jsonc", "config.jsonc",
    "managed_config.toml", "trustedfolders.json", "keymap.json", "models.json", "agents.json", ".env",
];

const EDITOR_FILES: &[&str] =
    &["tasks.json", "devcontainer.json", ".devcontainer.json", "launch.json"];

#[rustfmt::skip]
const REGISTRY_FILES: &[&str] = &[
    ".npmrc", "npmrc", "pip.conf", "pip.ini", ".yarnrc", ".yarnrc.yml", "yarnrc.yml", "uv.toml", ".pypirc",
    "bunfig.toml", ".bowerrc",
];

const NETWORK_FILES: &[&str] = &[
    ".gitconfig",
    "gitconfig",
    ".curlrc",
    "curlrc",
    ".wgetrc",
    ".env",
    "proxy.conf",
    "daemon.json",
];

/// What a file is for, by its path.
pub(super) fn form(path: &str) -> Option<Form> {
    let lower = path.to_ascii_lowercase().replace('\\', "/");
    let (folders, name) = lower.rsplit_once(['/', '!']).unwrap_or(("", &lower));
    let above = folders.rsplit('/').next().unwrap_or_default();
    let agent_folder = folders.split('/').any(|part| AGENT_FOLDERS.contains(&part));
    let is = |names: &[&str]| names.contains(&name);
    if is(AGENT_FILES)
        || agent_folder && is(IN_FOLDER)
        || lower.ends_with("code/user/settings.json")
    {
        Some(Form::Agent)
    } else if is(EDITOR_FILES) || name.ends_with(".code-workspace") {
        Some(Form::Editor)
    } else if is(REGISTRY_FILES) || name == "config.toml" && above == ".cargo" {
        Some(Form::Registry)
    } else if is(NETWORK_FILES)
        || name == "config.json" && above == ".docker"
        || name == "config" && above == "git"
        || above == "environment.d"
    {
        Some(Form::Network)
    } else {
        None
    }
}

/// Endings of files that some program reads as settings or as a recipe.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "json", "jsonc", "json5", "toml", "yaml", "yml", "ini", "cfg", "conf", "service", "timer", "plist",
    "desktop", "tf", "hcl", "nix", "xml", "properties", "gradle", "kts", "config", "ign", "bu", "sls", "pp",
    "repo", "list", "code-workspace", "rb", "reg", "socket", "path",
];

/// Files without such an ending.
#[rustfmt::skip]
const NAMES: &[&str] = &[
    "dockerfile", "containerfile", "makefile", "justfile", "vagrantfile", "jenkinsfile", "procfile", "gemfile",
    "pipfile", "crontab", "brewfile", "tiltfile", "rakefile", ".npmrc", ".yarnrc", ".pypirc", ".gitconfig",
    ".curlrc", ".wgetrc", ".gemrc", ".condarc", ".bowerrc", ".replit", ".envrc", ".env", ".rprofile",
    "requirements.txt", "sudoers", "authorized_keys", ".bazelrc", ".netrc",
];

/// Whether a word names a file that a program reads by itself.
pub(super) fn is_file(word: &str) -> bool {
    if word.len() < 4 || word.contains("://") || word.contains(['*', '<', '{', '=', '(']) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    let (folders, name) = lower.rsplit_once(['/', '\\']).unwrap_or(("", &lower));
    if NAMES.contains(&name)
        || ["cron.d", "sudoers.d", "profile.d"].iter().any(|folder| folders.ends_with(folder))
    {
        return true;
    }
    // The template of a file is that file.
    let name = ["j2", "tmpl", "tpl", "erb", "template"]
        .iter()
        .find_map(|ending| name.strip_suffix(ending)?.strip_suffix('.'))
        .unwrap_or(name);
    if NAMES.contains(&name) || lower == "/etc/hosts" || lower.ends_with("drivers/etc/hosts") {
        return true;
    }
    if matches!(name, "config" | "env") {
        return [".ssh", ".git", "git", ".bundle", "go", ".kube"]
            .iter()
            .any(|owner| folders.rsplit('/').next() == Some(owner));
    }
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    ENDINGS.contains(&ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_where_they_lie() {
        let cases = [
            ("~/.claude/settings.json", Some(Form::Agent)),
            ("settings.json", None),
            ("x/.mcp.json", Some(Form::Agent)),
            ("~/.config/goose/config.yaml", Some(Form::Agent)),
            (".vscode/tasks.json", Some(Form::Editor)),
            (".cargo/config.toml", Some(Form::Registry)),
            ("~/.docker/config.json", Some(Form::Network)),
            ("data/config.json", None),
        ];
        for (path, expected) in cases {
            assert_eq!(form(path), expected, "{path}");
        }
        for file in ["~/.ssh/config", "/etc/sudoers.d/x", "Dockerfile", "a/b.yml", ".env"] {
            assert!(is_file(file), "{file}");
        }
        for other in ["config", "https://a.io/x.json", "and/or", "a.py", "*.json"] {
            assert!(!is_file(other), "{other}");
        }
    }
}
