//! Switches of agents and editors: keys and values that take questions, fences and checks away.

use super::agent::is_wildcard;
use super::leaf::Leaf;

/// Words in a skill's description by which it is about such settings.
pub(super) const ABOUT: [&str; 9] = [
    "settings",
    "hooks",
    "permission",
    "permissions",
    "mcp",
    "configuration",
    "configure",
    "config",
    "sandbox",
];

/// Lists of what runs without a question.
#[rustfmt::skip]
const LISTS: &[&str] = &[
    "allow", "alwaysallow", "autoapprove", "allowedtools", "allowed_tools", "auto_approve", "trustedtools", "coretools", "allowlist", "commandallowlist",
    "amp.commands.allowlist", "cascadecommandsallowlist", "tools.allowed", "allowedcommands", "autoapprovedtools",
];

/// Keys whose value says how much is asked, and the values that say nothing is.
#[rustfmt::skip]
const MODES: &[(&[&str], &[&str])] = &[
    (&["defaultmode", "permissionmode", "approvalmode", "approval_mode", "permission_mode", "defaultapprovalmode", "approval-mode"],
     &["bypassPermissions", "yolo", "dontAsk", "auto-approve", "full-auto", "never", "unrestricted", "auto", "bypass", "off"]),
    (&["approval_policy", "ask", "askmode"], &["never", "off"]),
    (&["sandbox_mode", "sandbox"], &["danger-full-access", "off", "none", "false", "disabled"]),
    (&["security"], &["full"]),
    (&["goose_mode"], &["auto"]),
    (&["task.allowautomatictasks"], &["on"]),
    (&["trust_level"], &["trusted"]),
];

/// Keys that take the questions away where they are true.
#[rustfmt::skip]
const ON: &[&str] = &[
    "dangerouslyskippermissions", "skipdangerousmodepermissionprompt", "bypasspermissions", "yolo", "autoaccept", "enableallprojectmcpservers", "autoapproveall", "trust",
    "hastrustdialogaccepted", "autorun", "chat.tools.autoapprove", "chat.tools.global.autoapprove", "bypasspermissionsmodeaccepted", "always_allow_tool_actions",
    "dangerouslyallowall", "amp.dangerouslyallowall", "yes-always", "autoallowskills", "allowunsandboxedcommands", "autoapproveexecution", "yes_always",
    "disablebypassprompt", "hastrustdialoghooksaccepted", "dangerouslydisablesandbox",
];

/// Whether a value takes questions or fences away.
pub(super) fn takes_questions_away(leaf: &Leaf) -> bool {
    let value = leaf.value.trim();
    let key = leaf.key().to_ascii_lowercase();
    let key = key.as_str();
    let above = || leaf.owner().iter().rev().find(|part| !part.starts_with('#'));
    let is_above = |name: &str| above().is_some_and(|part| part.eq_ignore_ascii_case(name));
    let allows = leaf.path.iter().any(|part| LISTS.contains(&part.to_ascii_lowercase().as_str()));
    allows && (is_wildcard(value) || matches!(value, "Bash" | "Shell" | "shell" | "run_shell_command"))
        || MODES.iter().any(|(keys, values)| keys.contains(&key) && values.contains(&value))
        || value == "true" && ON.contains(&key)
        || value == "false"
            && (key == "security.workspace.trust.enabled"
                || key == "enabled" && (is_above("sandbox") || is_above("folderTrust")))
        || matches!(value, "off" | "yolo" | "none" | "false") && key == "mode" && is_above("approvals")
        || value == "allow" && (key == "permission" || matches!(key, "bash" | "*") && is_above("permission"))
        // A pattern of commands that fits every one.
        || value == "true" && matches!(key, "/.*/" | "*" | "/.+/" | "/^.*$/") && is_above("chat.tools.terminal.autoApprove")
}

/// Whether a key switches off the check of certificates.
pub(super) fn is_unchecked(key: &str, value: &str) -> bool {
    match key {
        "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => value == "0",
        "GIT_SSL_NO_VERIFY" => matches!(value, "1" | "true"),
        _ => false,
    }
}

/// What a variable has every program load.
pub(super) fn loads(key: &str, value: &str) -> Option<&'static str> {
    let required = ["--require", "-r ", "--import", "--loader"];
    match key {
        "LD_PRELOAD" | "DYLD_INSERT_LIBRARIES" | "LD_AUDIT" if value.contains('/') => {
            Some("settings have every program of the agent load a library")
        }
        "NODE_OPTIONS" if required.iter().any(|option| value.contains(option)) => {
            Some("settings have every Node program of the agent load a script")
        }
        "BASH_ENV" | "ENV" | "PYTHONSTARTUP" | "PERL5OPT" | "RUBYOPT" | "PROMPT_COMMAND"
        | "GIT_SSH_COMMAND" | "GIT_EXTERNAL_DIFF"
            if value.contains(['/', '|', ';']) =>
        {
            Some("settings have a script run with each program of the agent")
        }
        _ => None,
    }
}
