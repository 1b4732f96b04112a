//! What `git` runs because of its arguments: configuration on the command line, helpers, hooks.

use super::argument::Argument;
use super::program::{Deed, MAY_BECOME, PLAIN, Program, RUNS_ANOTHER};

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
    long_writes: &["--output", "--output-directory", "--export-marks"],
    harmless: &["--text"],
    prefixes: &["ext::", "fd::"],
    ..PLAIN
};

/// Letters that run something, and letters with a value, by subcommand.
const LETTERS: [(&str, &str, &str, &str); 12] = [
    ("bugreport", "", "o", "s"),
    ("diagnose", "", "o", "s"),
    ("mailsplit", "", "o", "df"),
    ("index-pack", "", "o", ""),
    ("rebase", "x", "", "sXC"),
    ("difftool", "xt", "", ""),
    ("mergetool", "t", "", ""),
    ("grep", "O", "", "ABCefm"),
    ("clone", "uc", "", "objb"),
    ("ls-remote", "u", "", "o"),
    ("archive", "", "o", ""),
    ("format-patch", "", "o", ""),
];

/// Subcommands that take the address of a repository.
const FROM_ELSEWHERE: [&str; 11] = [
    "archive",
    "clone",
    "fetch",
    "fetch-pack",
    "ls-remote",
    "pull",
    "push",
    "remote",
    "request-pull",
    "send-pack",
    "submodule",
];

/// Subcommands that run what they are told, or what a file tells.
const OPAQUE: [&str; 16] = [
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
    "merge-index",
    "p4",
    "send-email",
    "shell",
    "svn",
    "web--browse",
];

/// Options before the subcommand that change nothing about what runs.
const FLAGS: [&str; 21] = [
    "-p",
    "--paginate",
    "-P",
    "--no-pager",
    "-v",
    "--version",
    "-h",
    "--help",
    "--bare",
    "--no-replace-objects",
    "--no-lazy-fetch",
    "--no-optional-locks",
    "--no-advice",
    "--literal-pathspecs",
    "--glob-pathspecs",
    "--noglob-pathspecs",
    "--icase-pathspecs",
    "--exec-path",
    "--html-path",
    "--man-path",
    "--info-path",
];

/// The same with a value: after `=`, or the next word.
const VALUED: [&str; 5] = ["-C", "--work-tree", "--namespace", "--attr-source", "--super-prefix"];

/// Options before the subcommand that run something, with a value.
const RUNS: [&str; 3] = ["-c", "--config-env", "--git-dir"];

/// Git's own commands. Any other word is an alias, or a program `git-WORD`.
const OWN: &[&str] = &[
    "add",
    "am",
    "annotate",
    "apply",
    "archive",
    "backfill",
    "bisect",
    "blame",
    "branch",
    "bugreport",
    "bundle",
    "cat-file",
    "check-attr",
    "check-ignore",
    "check-mailmap",
    "check-ref-format",
    "checkout",
    "checkout-index",
    "cherry",
    "cherry-pick",
    "clean",
    "clone",
    "column",
    "commit",
    "commit-graph",
    "commit-tree",
    "config",
    "count-objects",
    "describe",
    "diagnose",
    "diff",
    "diff-files",
    "diff-index",
    "diff-pairs",
    "diff-tree",
    "difftool",
    "fast-export",
    "fetch",
    "fetch-pack",
    "fmt-merge-msg",
    "for-each-ref",
    "format-patch",
    "fsck",
    "gc",
    "get-tar-commit-id",
    "grep",
    "hash-object",
    "help",
    "index-pack",
    "init",
    "init-db",
    "interpret-trailers",
    "lfs",
    "log",
    "ls-files",
    "ls-remote",
    "ls-tree",
    "mailinfo",
    "mailsplit",
    "maintenance",
    "merge",
    "merge-base",
    "merge-file",
    "merge-tree",
    "mergetool",
    "mktag",
    "mktree",
    "multi-pack-index",
    "mv",
    "name-rev",
    "notes",
    "pack-objects",
    "pack-refs",
    "patch-id",
    "prune",
    "prune-packed",
    "pull",
    "push",
    "range-diff",
    "read-tree",
    "rebase",
    "reflog",
    "refs",
    "remote",
    "repack",
    "replace",
    "replay",
    "repo",
    "request-pull",
    "rerere",
    "reset",
    "restore",
    "rev-list",
    "rev-parse",
    "revert",
    "rm",
    "send-pack",
    "shortlog",
    "show",
    "show-branch",
    "show-index",
    "show-ref",
    "sparse-checkout",
    "stage",
    "stash",
    "status",
    "stripspace",
    "submodule",
    "switch",
    "symbolic-ref",
    "tag",
    "unpack-file",
    "unpack-objects",
    "update-index",
    "update-ref",
    "update-server-info",
    "var",
    "verify-commit",
    "verify-pack",
    "verify-tag",
    "version",
    "worktree",
    "write-tree",
];

const NOT_KNOWN: &str = "may get an option from this, which is only known when it runs";

/// Where the subcommand stands, and what the options before it do. One that is not known may take the
/// next word or not, so that it cannot be told where the subcommand is: it ends the look.
fn global(rest: &[Argument]) -> (Vec<Deed>, Option<usize>) {
    let (mut deeds, mut at) = (Vec::new(), 0);
    while let Some(argument) = rest.get(at) {
        let Some(text) = argument.value.as_deref() else {
            if argument.prefix.starts_with('-') {
                deeds.push(Deed::runs(argument, "", NOT_KNOWN));
                return (deeds, None);
            }
            break;
        };
        if !text.starts_with('-') {
            break;
        }
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        let is_valued = VALUED.contains(&name);
        at += 1;
        if RUNS.contains(&name) || value.is_some() && name == "--exec-path" {
            deeds.push(Deed::runs(argument, name, RUNS_ANOTHER));
            at += usize::from(value.is_none());
        } else if is_valued && value.is_none() {
            if let Some(unknown) = rest.get(at).filter(|value| value.may_be_option()) {
                deeds.push(Deed::runs(unknown, "", NOT_KNOWN));
            }
            at += 1;
        } else if !is_valued && !FLAGS.contains(&text) {
            let option = if text.starts_with("-c") { "-c" } else { name };
            let what = "gets an option that is not understood, and that may run something";
            deeds.push(Deed::runs(argument, option, what));
            return (deeds, None);
        }
    }
    (deeds, Some(at.min(rest.len())))
}

pub(super) fn deeds(arguments: &[Argument]) -> Vec<Deed> {
    let rest = &arguments[1..];
    let (mut deeds, at) = global(rest);
    let Some(at) = at else { return deeds };
    let Some((subcommand, rest)) = rest[at..].split_first() else { return deeds };
    let Some(name) = subcommand.value.as_deref() else {
        deeds.push(Deed::runs(subcommand, "", "runs a subcommand that is only known when it runs"));
        return deeds;
    };
    if OPAQUE.contains(&name) {
        deeds.push(Deed::runs(subcommand, name, RUNS_ANOTHER));
    } else if !OWN.contains(&name) {
        deeds.push(Deed::runs(subcommand, name, "runs an alias or another program by this name"));
    }
    let action = rest.iter().find(|argument| !argument.prefix.starts_with('-'));
    let operands: Vec<&Argument> = rest
        .iter()
        .filter(|argument| argument.text() == "-" || !argument.prefix.starts_with('-'))
        .collect();
    let writes = |file: &&Argument| Deed::writes(file, file.text(), (*file).clone());
    let runs = |action: &Argument| {
        let what = if action.value.is_some() { RUNS_ANOTHER } else { MAY_BECOME };
        Deed::runs(action, action.text(), what)
    };
    match (name, action) {
        ("bisect", Some(action)) if action.may_be("run") => deeds.push(runs(action)),
        ("submodule", Some(action)) if action.may_be("foreach") => deeds.push(runs(action)),
        ("config", _) => deeds.extend(config(subcommand, rest)),
        ("bundle", Some(action)) if action.may_be("create") => {
            deeds.extend(operands.get(1).map(writes));
        }
        ("mailinfo", _) => deeds.extend(operands.iter().map(writes)),
        _ => {}
    }
    let letters = LETTERS.iter().find(|(known, ..)| *known == name);
    let (_, runs, writes, valued) = letters.copied().unwrap_or_default();
    let prefixes = if FROM_ELSEWHERE.contains(&name) { EVERY.prefixes } else { &[] };
    deeds.extend(Program { runs, writes, valued, prefixes, ..EVERY }.found(rest));
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
