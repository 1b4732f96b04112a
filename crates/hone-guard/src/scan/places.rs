//! Paths that matter: where secrets lie, where things are made to run again, where agents keep their
//! settings. One table for shell, code and prose.

use std::borrow::Cow;
use std::sync::LazyLock;

/// What a path is to an attacker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Spot {
    /// Keys, tokens, cookies, wallets: what it holds.
    Secret(&'static str),
    /// `.env`: settings of a project, often with keys.
    DotEnv,
    /// Conversations of an agent.
    Transcripts,
    /// Start-up files of shells.
    ShellStart,
    /// Schedulers, services, launch agents, autostart.
    Autorun(&'static str),
    /// An agent's settings, hooks, MCP servers.
    AgentSettings,
    /// An agent's standing instructions and memory.
    AgentMemory,
    /// Folders where agents look for skills.
    Skills,
    /// Who may log in, who may become root.
    Logins(&'static str),
    /// Hooks of a repository.
    GitHooks,
    /// Tasks that an editor runs by itself.
    EditorTasks,
    /// Where packages come from.
    PackageConfig,
    /// Shell histories and system logs.
    Traces,
}

/// Substrings of a normalised path (`~` for the home folder, `/` between parts, lower case).
const SPOTS: &[(&str, Spot)] = &[
    ("authorized_keys", Spot::Logins("SSH logins")),
    ("/etc/sudoers", Spot::Logins("sudo rules")),
    ("/etc/shadow", Spot::Secret("password hashes")),
    ("/etc/passwd-", Spot::Secret("password hashes")),
    ("/etc/pam.d/", Spot::Logins("login rules")),
    ("/etc/doas.conf", Spot::Logins("sudo rules")),
    ("/etc/polkit-1/", Spot::Logins("sudo rules")),
    ("polkit-1/rules.d", Spot::Logins("sudo rules")),
    ("/etc/security/access.conf", Spot::Logins("login rules")),
    (".ssh/rc", Spot::ShellStart),
    ("/etc/ssh/sshrc", Spot::ShellStart),
    (".ssh/config", Spot::Logins("SSH settings")),
    (".ssh/id_", Spot::Secret("SSH keys")),
    ("id_rsa", Spot::Secret("SSH keys")),
    ("id_ed25519", Spot::Secret("SSH keys")),
    ("id_ecdsa", Spot::Secret("SSH keys")),
    ("/.ssh", Spot::Secret("SSH keys")),
    (".aws/credentials", Spot::Secret("AWS credentials")),
    (".aws/", Spot::Secret("AWS credentials")),
    ("/.aws", Spot::Secret("AWS credentials")),
    (".azure/", Spot::Secret("Azure credentials")),
    ("application_default_credentials", Spot::Secret("Google Cloud credentials")),
    (".config/gcloud", Spot::Secret("Google Cloud credentials")),
    ("gcloud/credentials", Spot::Secret("Google Cloud credentials")),
    (".kube/config", Spot::Secret("Kubernetes credentials")),
    ("/.kube", Spot::Secret("Kubernetes credentials")),
    ("credentials.xml", Spot::Secret("build server credentials")),
    ("hudson.util.secret", Spot::Secret("build server credentials")),
    ("secrets/master.key", Spot::Secret("build server credentials")),
    ("settings-security.xml", Spot::Secret("registry credentials")),
    ("serviceaccount/token", Spot::Secret("Kubernetes credentials")),
    (".docker/config.json", Spot::Secret("registry credentials")),
    ("privkey", Spot::Secret("TLS keys")),
    (".pfx", Spot::Secret("certificates with their keys")),
    (".p12", Spot::Secret("certificates with their keys")),
    (".jks", Spot::Secret("certificates with their keys")),
    (".keystore", Spot::Secret("certificates with their keys")),
    (".p8", Spot::Secret("signing keys")),
    (".mobileprovision", Spot::Secret("signing keys")),
    (".appstoreconnect", Spot::Secret("signing keys")),
    ("private_keys/", Spot::Secret("signing keys")),
    ("/etc/ssl/private", Spot::Secret("TLS keys")),
    ("/etc/letsencrypt", Spot::Secret("TLS keys")),
    ("/etc/wireguard", Spot::Secret("VPN keys")),
    (".config/rclone", Spot::Secret("cloud storage logins")),
    (".s3cfg", Spot::Secret("cloud storage logins")),
    ("/.boto", Spot::Secret("cloud storage logins")),
    (".config/doctl", Spot::Secret("cloud credentials")),
    (".config/hcloud", Spot::Secret("cloud credentials")),
    (".config/heroku", Spot::Secret("cloud credentials")),
    (".fly/config", Spot::Secret("cloud credentials")),
    (".oci/", Spot::Secret("cloud credentials")),
    (".terraformrc", Spot::Secret("Terraform credentials")),
    (".m2/settings", Spot::Secret("registry credentials")),
    (".gradle/gradle.properties", Spot::Secret("registry credentials")),
    ("composer/auth.json", Spot::Secret("registry credentials")),
    (".kaggle/kaggle.json", Spot::Secret("service tokens")),
    ("huggingface/token", Spot::Secret("Hugging Face token")),
    (".config/github-copilot", Spot::Secret("agent credentials")),
    (".config/wandb", Spot::Secret("service tokens")),
    ("sops/age", Spot::Secret("encryption keys")),
    ("age/keys.txt", Spot::Secret("encryption keys")),
    (".talos/config", Spot::Secret("Kubernetes credentials")),
    ("config/master.key", Spot::Secret("application secrets")),
    ("config/database.yml", Spot::Secret("database passwords")),
    ("wp-config.php", Spot::Secret("database passwords")),
    (".htpasswd", Spot::Secret("password hashes")),
    ("library/messages/chat.db", Spot::Secret("messages")),
    ("library/mail", Spot::Secret("messages")),
    ("library/safari", Spot::Secret("browser profile")),
    ("thunderbird/profiles", Spot::Secret("messages")),
    ("cookies.binarycookies", Spot::Secret("browser cookies")),
    (".netrc", Spot::Secret("logins")),
    ("_netrc", Spot::Secret("logins")),
    (".pgpass", Spot::Secret("database passwords")),
    (".my.cnf", Spot::Secret("database passwords")),
    (".git-credentials", Spot::Secret("git credentials")),
    (".config/gh/hosts", Spot::Secret("GitHub credentials")),
    (".config/gh", Spot::Secret("GitHub credentials")),
    (".config/glab-cli", Spot::Secret("GitHub credentials")),
    (".config/hub", Spot::Secret("GitHub credentials")),
    (".npmrc", Spot::PackageConfig),
    (".pypirc", Spot::Secret("PyPI credentials")),
    (".cargo/credentials", Spot::Secret("registry credentials")),
    (".gem/credentials", Spot::Secret("registry credentials")),
    (".terraform.d/credentials", Spot::Secret("Terraform credentials")),
    (".vault-token", Spot::Secret("Vault token")),
    (".gnupg", Spot::Secret("GPG keys")),
    (".password-store", Spot::Secret("passwords")),
    ("keychain", Spot::Secret("keychain")),
    ("login.keychain", Spot::Secret("keychain")),
    (".local/share/keyrings", Spot::Secret("keyring")),
    ("kwallet", Spot::Secret("keyring")),
    ("1password", Spot::Secret("passwords")),
    ("bitwarden", Spot::Secret("passwords")),
    (".kdbx", Spot::Secret("passwords")),
    ("login data", Spot::Secret("browser logins")),
    ("logins.json", Spot::Secret("browser logins")),
    ("key4.db", Spot::Secret("browser logins")),
    ("cookies.sqlite", Spot::Secret("browser cookies")),
    ("/cookies", Spot::Secret("browser cookies")),
    ("google/chrome", Spot::Secret("browser profile")),
    ("google-chrome", Spot::Secret("browser profile")),
    ("bravesoftware", Spot::Secret("browser profile")),
    ("microsoft/edge", Spot::Secret("browser profile")),
    (".mozilla/firefox", Spot::Secret("browser profile")),
    ("firefox/profiles", Spot::Secret("browser profile")),
    ("chromium/default", Spot::Secret("browser profile")),
    ("web data", Spot::Secret("browser data")),
    ("local extension settings", Spot::Secret("wallet")),
    ("wallet.dat", Spot::Secret("wallet")),
    (".bitcoin", Spot::Secret("wallet")),
    (".ethereum", Spot::Secret("wallet")),
    ("ethereum/keystore", Spot::Secret("wallet")),
    ("solana/id.json", Spot::Secret("wallet")),
    (".config/solana", Spot::Secret("wallet")),
    (".exodus", Spot::Secret("wallet")),
    ("exodus.wallet", Spot::Secret("wallet")),
    ("support/exodus", Spot::Secret("wallet")),
    ("roaming/exodus", Spot::Secret("wallet")),
    (".config/exodus", Spot::Secret("wallet")),
    ("electrum/wallets", Spot::Secret("wallet")),
    ("metamask", Spot::Secret("wallet")),
    ("keypair.json", Spot::Secret("wallet")),
    (".claude/.credentials", Spot::Secret("agent credentials")),
    (".claude.json", Spot::AgentSettings),
    (".codex/auth.json", Spot::Secret("agent credentials")),
    (".openclaw/credentials", Spot::Secret("agent credentials")),
    ("auth-profiles.json", Spot::Secret("agent credentials")),
    (".gemini/oauth", Spot::Secret("agent credentials")),
    (".hermes/.env", Spot::Secret("agent credentials")),
    (".openclaw/.env", Spot::Secret("agent credentials")),
    (".clawdbot/.env", Spot::Secret("agent credentials")),
    ("/proc/self/environ", Spot::Secret("environment")),
    ("/environ", Spot::Secret("environment")),
    ("globalstorage/state.vscdb", Spot::Transcripts),
    ("workspacestorage", Spot::Transcripts),
    (".claude/projects", Spot::Transcripts),
    (".claude/history", Spot::Transcripts),
    (".codex/sessions", Spot::Transcripts),
    (".codex/history", Spot::Transcripts),
    (".openclaw/sessions", Spot::Transcripts),
    (".openclaw/agents", Spot::Transcripts),
    (".hermes/sessions", Spot::Transcripts),
    ("rollout-", Spot::Transcripts),
    (".hermes/state.db", Spot::Transcripts),
    ("telegram desktop/tdata", Spot::Secret("chat logins")),
    ("discord/local storage", Spot::Secret("chat logins")),
    ("slack/local storage", Spot::Secret("chat logins")),
    (".bashrc", Spot::ShellStart),
    (".bash_profile", Spot::ShellStart),
    (".bash_login", Spot::ShellStart),
    (".zshrc", Spot::ShellStart),
    (".zprofile", Spot::ShellStart),
    (".zshenv", Spot::ShellStart),
    (".zlogin", Spot::ShellStart),
    ("/.profile", Spot::ShellStart),
    ("/etc/profile", Spot::ShellStart),
    ("/etc/bash.bashrc", Spot::ShellStart),
    ("/etc/zsh", Spot::ShellStart),
    ("fish/config.fish", Spot::ShellStart),
    ("fish/conf.d", Spot::ShellStart),
    ("fish_config_dir/config.fish", Spot::ShellStart),
    ("fish_config_dir/conf.d", Spot::ShellStart),
    ("microsoft.powershell_profile", Spot::ShellStart),
    ("/etc/ld.so.preload", Spot::Autorun("preloaded library")),
    ("/etc/environment", Spot::ShellStart),
    ("environment.d/", Spot::ShellStart),
    (".pam_environment", Spot::ShellStart),
    (".kshrc", Spot::ShellStart),
    (".cshrc", Spot::ShellStart),
    (".tcshrc", Spot::ShellStart),
    (".xsession", Spot::ShellStart),
    (".envrc", Spot::ShellStart),
    ("plasma-workspace/env", Spot::ShellStart),
    ("/etc/x11/xsession.d", Spot::ShellStart),
    ("/etc/local.d", Spot::ShellStart),
    ("networkmanager/dispatcher.d", Spot::ShellStart),
    (".bash_logout", Spot::ShellStart),
    (".bash_aliases", Spot::ShellStart),
    (".xprofile", Spot::ShellStart),
    (".xinitrc", Spot::ShellStart),
    (".xsessionrc", Spot::ShellStart),
    (".direnvrc", Spot::ShellStart),
    (".pythonrc", Spot::ShellStart),
    ("sitecustomize.py", Spot::ShellStart),
    ("usercustomize.py", Spot::ShellStart),
    (".rprofile", Spot::ShellStart),
    (".irbrc", Spot::ShellStart),
    (".pryrc", Spot::ShellStart),
    (".vimrc", Spot::ShellStart),
    ("nvim/init.", Spot::ShellStart),
    (".emacs", Spot::ShellStart),
    (".tmux.conf", Spot::ShellStart),
    ("/.gitconfig", Spot::ShellStart),
    (".config/git/config", Spot::ShellStart),
    ("/etc/cron", Spot::Autorun("scheduler")),
    ("/var/spool/cron", Spot::Autorun("scheduler")),
    ("systemd/system/", Spot::Autorun("service")),
    ("systemd/user/", Spot::Autorun("service")),
    (".config/systemd", Spot::Autorun("service")),
    ("launchagents", Spot::Autorun("launch agent")),
    ("launchdaemons", Spot::Autorun("launch agent")),
    ("/etc/rc.local", Spot::Autorun("start-up script")),
    ("/etc/init.d/", Spot::Autorun("start-up script")),
    (".config/autostart", Spot::Autorun("autostart entry")),
    ("start menu/programs/startup", Spot::Autorun("autostart entry")),
    ("currentversion/run", Spot::Autorun("registry Run key")),
    ("winlogon", Spot::Autorun("registry logon key")),
    ("/etc/udev/rules.d", Spot::Autorun("device rule")),
    ("/etc/hosts", Spot::Autorun("list of host names")),
    ("/etc/resolv.conf", Spot::Autorun("name server setting")),
    ("/ca-certificates/", Spot::Autorun("trusted certificate")),
    ("/etc/motd.d", Spot::Autorun("login script")),
    ("/etc/update-motd.d", Spot::Autorun("login script")),
    (".git/hooks", Spot::GitHooks),
    (".config/git/hooks", Spot::GitHooks),
    (".husky/", Spot::GitHooks),
    ("/hooks/pre-commit", Spot::GitHooks),
    ("/hooks/pre-push", Spot::GitHooks),
    ("/hooks/post-commit", Spot::GitHooks),
    ("/hooks/post-checkout", Spot::GitHooks),
    ("/hooks/post-merge", Spot::GitHooks),
    ("/hooks/commit-msg", Spot::GitHooks),
    ("/hooks/prepare-commit-msg", Spot::GitHooks),
    ("core.hookspath", Spot::GitHooks),
    (".vscode/tasks.json", Spot::EditorTasks),
    (".vscode/settings.json", Spot::EditorTasks),
    (".idea/workspace.xml", Spot::EditorTasks),
    (".config/zed/settings.json", Spot::AgentSettings),
    ("zed/settings.json", Spot::AgentSettings),
    ("code/user/settings.json", Spot::AgentSettings),
    ("code/user/mcp.json", Spot::AgentSettings),
    ("cursor/user/settings.json", Spot::AgentSettings),
    ("windsurf/user/settings.json", Spot::AgentSettings),
    (".windsurf/", Spot::AgentSettings),
    (".gemini/extensions", Spot::AgentSettings),
    (".gemini/policies", Spot::AgentSettings),
    (".gemini/trustedfolders", Spot::AgentSettings),
    (".cursor/cli-config", Spot::AgentSettings),
    (".cursor/permissions", Spot::AgentSettings),
    (".codex/rules", Spot::AgentSettings),
    (".openclaw/hooks", Spot::AgentSettings),
    (".openclaw/cron", Spot::AgentSettings),
    (".clawdbot/clawdbot.json", Spot::AgentSettings),
    (".moltbot/moltbot.json", Spot::AgentSettings),
    (".hermes/plugins", Spot::AgentSettings),
    (".hermes/hooks", Spot::AgentSettings),
    (".hermes/cron", Spot::AgentSettings),
    (".copilot/config", Spot::AgentSettings),
    (".copilot/mcp-config", Spot::AgentSettings),
    (".config/amp/settings", Spot::AgentSettings),
    (".factory/settings", Spot::AgentSettings),
    (".factory/mcp.json", Spot::AgentSettings),
    (".amazonq/", Spot::AgentSettings),
    ("cline_mcp_settings.json", Spot::AgentSettings),
    (".claude/settings", Spot::AgentSettings),
    (".claude/hooks", Spot::AgentSettings),
    (".claude/commands", Spot::AgentSettings),
    (".claude/agents", Spot::AgentSettings),
    (".codex/config.toml", Spot::AgentSettings),
    (".codex/hooks", Spot::AgentSettings),
    (".cursor/mcp.json", Spot::AgentSettings),
    (".cursor/hooks", Spot::AgentSettings),
    (".cursor/rules", Spot::AgentMemory),
    (".cursorrules", Spot::AgentMemory),
    (".windsurfrules", Spot::AgentMemory),
    (".clinerules", Spot::AgentMemory),
    (".gemini/settings.json", Spot::AgentSettings),
    (".openclaw/openclaw.json", Spot::AgentSettings),
    (".openclaw/config", Spot::AgentSettings),
    (".hermes/config.yaml", Spot::AgentSettings),
    (".config/opencode", Spot::AgentSettings),
    ("opencode.json", Spot::AgentSettings),
    (".mcp.json", Spot::AgentSettings),
    ("claude_desktop_config.json", Spot::AgentSettings),
    ("mcp_config.json", Spot::AgentSettings),
    (".continue/config", Spot::AgentSettings),
    (".config/goose", Spot::AgentSettings),
    (".aider.conf", Spot::AgentSettings),
    (".codeium/windsurf", Spot::AgentSettings),
    (".kiro/settings", Spot::AgentSettings),
    (".roo/mcp.json", Spot::AgentSettings),
    (".qwen/settings", Spot::AgentSettings),
    (".vscode/mcp.json", Spot::AgentSettings),
    (".claude/plugins", Spot::AgentSettings),
    (".claude/output-styles", Spot::AgentMemory),
    (".codex/prompts", Spot::AgentMemory),
    (".kiro/steering", Spot::AgentMemory),
    (".roo/rules", Spot::AgentMemory),
    (".trae/rules", Spot::AgentMemory),
    (".junie/guidelines", Spot::AgentMemory),
    (".github/instructions", Spot::AgentMemory),
    ("exec-approvals.json", Spot::AgentSettings),
    ("claude.md", Spot::AgentMemory),
    ("claude.local.md", Spot::AgentMemory),
    ("agents.md", Spot::AgentMemory),
    ("gemini.md", Spot::AgentMemory),
    ("soul.md", Spot::AgentMemory),
    ("memory.md", Spot::AgentMemory),
    ("heartbeat.md", Spot::AgentMemory),
    ("identity.md", Spot::AgentMemory),
    ("user.md", Spot::AgentMemory),
    ("tools.md", Spot::AgentMemory),
    ("copilot-instructions.md", Spot::AgentMemory),
    (".claude/skills", Spot::Skills),
    (".agents/skills", Spot::Skills),
    (".codex/skills", Spot::Skills),
    (".openclaw/skills", Spot::Skills),
    (".openclaw/workspace/skills", Spot::Skills),
    (".hermes/skills", Spot::Skills),
    (".gemini/skills", Spot::Skills),
    (".cursor/skills", Spot::Skills),
    (".opencode/skill", Spot::Skills),
    (".config/opencode/skill", Spot::Skills),
    (".factory/skills", Spot::Skills),
    (".copilot/skills", Spot::Skills),
    (".windsurf/skills", Spot::Skills),
    (".clawdbot/skills", Spot::Skills),
    ("pip.conf", Spot::PackageConfig),
    ("pip/pip.ini", Spot::PackageConfig),
    (".yarnrc", Spot::PackageConfig),
    (".cargo/config", Spot::PackageConfig),
    (".bash_history", Spot::Traces),
    (".zsh_history", Spot::Traces),
    ("consolehost_history", Spot::Traces),
    ("/var/log", Spot::Traces),
    (".python_history", Spot::Traces),
];

/// What a path is, if it is anything.
pub(crate) fn classify(path: &str) -> Option<Spot> {
    if path.len() < 4 || path.len() > 4096 {
        return None;
    }
    let path = normalise(path);
    let name = path.rsplit('/').next().unwrap_or(&path);
    if (name == ".env" || name.starts_with(".env.") || name == ".env*")
        && !matches!(
            name,
            ".env.example" | ".env.sample" | ".env.template" | ".env.dist" | ".env.test"
        )
    {
        return SPOTS
            .iter()
            .find(|(part, spot)| {
                part.rsplit('/').next() == Some(".env")
                    && path.contains(part)
                    && matches!(spot, Spot::Secret(_))
            })
            .map_or(Some(Spot::DotEnv), |(_, spot)| Some(*spot));
    }
    if path.ends_with("authorized_keys.txt") || path.ends_with("authorized_keys.md") {
        return None;
    }
    // A public key is made to be given away.
    if path.rsplit('.').next() == Some("pub") {
        return None;
    }
    // The first of the table counts, wherever in the path it stands.
    let first = (0..path.len().saturating_sub(KEY - 1))
        .flat_map(|at| {
            STARTS[key(&path.as_bytes()[at..at + KEY])].iter().map(move |spot| (at, *spot))
        })
        .filter(|(at, spot)| stands(&path, *at, SPOTS[usize::from(*spot)].0))
        .filter(|(at, _)| !is_public(&path[*at..]))
        .map(|(_, spot)| spot)
        .min()?;
    let spot = SPOTS[usize::from(first)].1;
    // Where a browser listens on this machine is nothing of the person's.
    let is_port = spot == Spot::Secret("browser profile") && path.contains("/devtoolsactiveport");
    (!is_port).then_some(spot)
}

/// Whether the name that goes on here is one of a public key: the path may stand among other words.
fn is_public(rest: &str) -> bool {
    let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | ','));
    rest[..end.unwrap_or(rest.len())].rsplit('.').next() == Some("pub")
}

/// Bytes of a part that it is looked up by.
const KEY: usize = 3;
/// Rows of the look-up table.
const ROWS: usize = 1024;

/// The parts that may start with three bytes, as places in [`SPOTS`]: a path is looked at once, and not
/// once for each of them.
static STARTS: LazyLock<Vec<Vec<u16>>> = LazyLock::new(|| {
    let mut rows = vec![Vec::new(); ROWS];
    for (at, (part, _)) in (0_u16..).zip(SPOTS) {
        rows[key(&part.as_bytes()[..KEY])].push(at);
    }
    rows
});

fn key(bytes: &[u8]) -> usize {
    bytes.iter().fold(0_usize, |key, byte| key * 37 + usize::from(*byte)) % ROWS
}

/// Whether a part stands at a byte of a path as a whole.
fn stands(path: &str, at: usize, part: &str) -> bool {
    let bytes = path.as_bytes();
    if !bytes[at..].starts_with(part.as_bytes()) {
        return false;
    }
    let after = bytes.get(at + part.len());
    let before = at.checked_sub(1).and_then(|i| bytes.get(i));
    let starts = part.starts_with(['/', '.']) || before.is_none_or(|b| !b.is_ascii_alphanumeric());
    let ends = part.ends_with(['/', '_', '-', '.'])
        || after.is_none_or(|b| !b.is_ascii_alphabetic())
        || matches!(
            part,
            "launchagents"
                | "keychain"
                | ".bash_history"
                | "/etc/sudoers"
                | "/etc/cron"
                | "/etc/profile"
                | ".claude/settings"
                | ".claude/.credentials"
                | "local extension settings"
                | "/etc/zsh"
                | "currentversion/run"
                | ".claude/history"
        );
    starts && ends
}

/// Whether a path is in the person's home or in a place for the whole system, not in the project.
pub(crate) fn is_global(path: &str) -> bool {
    let path = normalise(path);
    path.starts_with('~')
        || path.starts_with("/etc")
        || path.starts_with("/home/")
        || path.starts_with("/users/")
        || path.starts_with("/root")
        || path.contains("library/")
        || path.contains("appdata")
}

/// `~` for the home folder however it is written, `/` between parts, lower case, no quotes.
pub(crate) fn normalise(path: &str) -> Cow<'_, str> {
    const HOMES: [(&str, &str); 12] = [
        ("${home}", "~"),
        ("$home", "~"),
        ("$env:userprofile", "~"),
        ("${env:userprofile}", "~"),
        ("%userprofile%", "~"),
        ("$env:home", "~"),
        ("%homepath%", "~"),
        ("$env:appdata", "~/appdata"),
        ("%appdata%", "~/appdata"),
        ("$env:localappdata", "~/appdata"),
        ("%localappdata%", "~/appdata"),
        ("file://", ""),
    ];
    let path = path.trim().trim_matches(['"', '\'', '`', '<', '>', '(', ')', ',']);
    // Most are as they should be.
    let is_odd = |b: u8| b.is_ascii_uppercase() || !b.is_ascii() || b"\\$%".contains(&b);
    if !path.bytes().any(is_odd) && !path.contains("//") {
        return Cow::Borrowed(path);
    }
    let mut path = path.to_lowercase().replace('\\', "/");
    for (home, short) in HOMES {
        if path.contains(home) {
            path = path.replace(home, short);
        }
    }
    while path.contains("//") {
        path = path.replace("//", "/");
    }
    Cow::Owned(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_known_however_the_home_folder_is_written() {
        let cases = [
            ("~/.ssh/id_rsa", Some(Spot::Secret("SSH keys"))),
            ("$HOME/.aws/credentials", Some(Spot::Secret("AWS credentials"))),
            (
                "%APPDATA%\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\x.bat",
                Some(Spot::Autorun("autostart entry")),
            ),
            ("~/.zshrc", Some(Spot::ShellStart)),
            ("${HOME}/.claude/settings.json", Some(Spot::AgentSettings)),
            ("./.env", Some(Spot::DotEnv)),
            (".env.example", None),
            ("~/.ssh/id_rsa.pub", None),
            ("src/exodusted.rs", None),
            ("README.md", None),
            ("docs/user.md.txt", Some(Spot::AgentMemory)),
        ];
        for (path, spot) in cases {
            assert_eq!(classify(path), spot, "{path}");
        }
    }
}
