//! What `git` runs because of its arguments: configuration on the command line, helpers, hooks.

use super::argument::Argument;
use super::program::{Deed, PLAIN, Program, RUNS_ANOTHER};

/// Options before the subcommand.
const GLOBAL: Program = Program {
    names: &["git"],
    runs: "c",
    valued: "C",
    long_runs: &["--config-env", "--exec-path", "--git-dir"],
    ..PLAIN
};

/// Options of any subcommand.
const EVERY: Program = Program {
    names: &["git"],
    long_runs: &[
        "--upload-pack",
        "--receive-pack",
        "--exec",
        "--extcmd",
        "--open-files-in-pager",
        "--config",
        "--template",
        "--sendmail-cmd",
        "--smtp-server",
        "--to-cmd",
        "--cc-cmd",
        "--header-cmd",
        "--ext-diff",
        "--textconv",
        "--config-env",
    ],
    long_writes: &["--output", "--output-directory"],
    harmless: &["--text"],
    prefixes: &["ext::", "fd::"],
    ..PLAIN
};

/// Letters that run something, and letters with a value, by subcommand.
const LETTERS: [(&str, &str, &str, &str); 8] = [
    ("rebase", "x", "", "sXC"),
    ("difftool", "xt", "", ""),
    ("mergetool", "t", "", ""),
    ("grep", "O", "", "ABCefm"),
    ("clone", "uc", "", "objb"),
    ("ls-remote", "u", "", "o"),
    ("archive", "", "o", ""),
    ("format-patch", "", "o", ""),
];

/// Subcommands that run what they are told, or what a file tells.
const OPAQUE: [&str; 15] = [
    "credential",
    "cvsserver",
    "daemon",
    "fast-import",
    "filter-branch",
    "filter-repo",
    "for-each-repo",
    "hook",
    "http-backend",
    "instaweb",
    "p4",
    "send-email",
    "shell",
    "svn",
    "web--browse",
];

/// Options before the subcommand that take the next word.
const TAKES_NEXT: [&str; 7] =
    ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env", "--super-prefix"];

pub(super) fn deeds(arguments: &[Argument]) -> Vec<Deed> {
    let rest = &arguments[1..];
    let mut at = 0;
    while let Some(option) = rest.get(at).map(Argument::text).filter(|text| text.starts_with('-')) {
        at += 1 + usize::from(TAKES_NEXT.contains(&option));
    }
    let at = at.min(rest.len());
    let mut deeds = GLOBAL.found(&rest[..at]);
    let Some((subcommand, rest)) = rest[at..].split_first() else { return deeds };
    let Some(name) = subcommand.value.as_deref() else {
        deeds.push(Deed::runs(subcommand, "", "runs a subcommand that is only known when it runs"));
        return deeds;
    };
    if OPAQUE.contains(&name) || name.starts_with("remote-") || name.starts_with("credential-") {
        deeds.push(Deed::runs(subcommand, name, RUNS_ANOTHER));
    }
    let action = rest.iter().find(|argument| !argument.text().starts_with('-'));
    match (name, action.map(Argument::text)) {
        ("bisect", Some("run")) | ("submodule", Some("foreach")) => {
            deeds.extend(action.map(|action| Deed::runs(action, action.text(), RUNS_ANOTHER)));
        }
        ("config", _) => deeds.extend(config(subcommand, rest)),
        _ => {}
    }
    let letters = LETTERS.iter().find(|(known, ..)| *known == name);
    let (_, runs, writes, valued) = letters.copied().unwrap_or_default();
    deeds.extend(Program { runs, writes, valued, ..EVERY }.found(rest));
    deeds
}

/// Settings name programs that later commands run; reading them does not.
fn config(subcommand: &Argument, rest: &[Argument]) -> Option<Deed> {
    let options = rest.iter().map(Argument::text).filter(|text| text.starts_with('-'));
    let operands: Vec<&Argument> =
        rest.iter().filter(|argument| !argument.text().starts_with('-')).collect();
    let first = operands.first().map(|first| first.text()).unwrap_or_default();
    let only_reads = |option: &str| {
        matches!(
            option,
            "-l" | "--list" | "--show-origin" | "--show-scope" | "--name-only" | "-z" | "--null"
        ) || matches!(option, "--global" | "--local" | "--system" | "--worktree" | "--includes")
            || option.starts_with("--get")
    };
    let is_plain = options.clone().all(only_reads);
    let is_listed = options.clone().any(|o| matches!(o, "-l" | "--list") || o.starts_with("--get"));
    let reads = is_listed || matches!(first, "get" | "list") || operands.len() <= 1;
    let is_own = first.starts_with("user.") && operands.len() == 2;
    let is_known = operands.iter().all(|operand| operand.value.is_some());
    if is_plain && is_known && (reads && !matches!(first, "set" | "unset" | "edit") || is_own) {
        return None;
    }
    Some(Deed::runs(subcommand, "config", "changes settings, which name programs to run"))
}
