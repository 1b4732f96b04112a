//! `npm` and its kin: a command may be shortened, has other names, and may be a program of the system.

use super::{Deed, MAY_BECOME, RUNS_ANOTHER};
use crate::permit::argument::Argument;

/// Commands that run what they are told, fetch and run a package, or change settings that name programs.
const COMMANDS: [&str; 14] = [
    "c", "config", "create", "dlx", "edit", "exec", "explore", "init", "innit", "node", "pkg",
    "plugin", "set", "x",
];

/// Other names of harmless ones that begin like those.
const OTHERS: [&str; 4] = ["i", "in", "s", "se"];

/// Commands of `pnpm`, and scripts that many projects have. Any other word may be a program.
#[rustfmt::skip]
const PNPM: &[&str] = &[
    "add", "approve-builds", "audit", "bin", "cache", "cat-file", "cat-index", "ci", "clean-install", "dedupe", "deploy",
    "doctor", "env", "fetch", "find-hash", "help", "i", "ignored-builds", "import", "info", "install", "install-test", "it",
    "la", "licenses", "link", "list", "ll", "ln", "login", "logout", "ls", "m", "multi", "outdated", "pack", "patch",
    "patch-commit", "patch-remove", "ping", "prune", "publish", "rb", "rebuild", "recursive", "remove", "rm", "root", "run",
    "run-script", "search", "self-update", "server", "show", "start", "stop", "store", "t", "test", "tst", "un", "uninstall",
    "unlink", "up", "update", "upgrade", "version", "view", "whoami", "why",
    "build", "bundle", "check", "clean", "coverage", "dev", "docs", "e2e", "fmt", "format", "generate", "lint", "prepare",
    "preview", "release", "serve", "storybook", "type-check", "typecheck", "types", "validate",
];

/// Options of `init` whose value is no package.
const VALUED: [&str; 3] = ["-w", "--workspace", "--scope"];

pub(super) fn deeds(program: &str, arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut may_be_value = false;
    for (at, argument) in arguments.iter().enumerate() {
        if argument.prefix.starts_with('-') {
            may_be_value = argument.text() != "--" && !argument.prefix.contains('=');
            continue;
        }
        match argument.value.as_deref() {
            Some(text) => {
                let is_other = program == "pnpm"
                    && !may_be_value
                    && !text.contains(':')
                    && !PNPM.contains(&text);
                let is_it = runs(program, text, &arguments[at + 1..]);
                if is_it || is_other && !COMMANDS.contains(&text) {
                    deeds.push(Deed::runs(argument, text, RUNS_ANOTHER));
                }
            }
            // What may be an option is refused as that.
            None if argument.may_be_option() => {}
            None => {
                if program == "pnpm" || COMMANDS.iter().any(|word| argument.may_be(word)) {
                    deeds.push(Deed::runs(argument, "", MAY_BECOME));
                }
            }
        }
        // A word behind an option may be its value, and the command the next one.
        if !std::mem::take(&mut may_be_value) {
            break;
        }
    }
    deeds
}

fn runs(program: &str, word: &str, rest: &[Argument]) -> bool {
    let word = word.to_ascii_lowercase();
    let is_short = |command: &&&str| {
        **command == word || program == "npm" && command.starts_with(word.as_str())
    };
    if word.is_empty() || OTHERS.contains(&word.as_str()) {
        return false;
    }
    let mut meant = COMMANDS.iter().filter(is_short).peekable();
    if meant.peek().is_none() {
        return false;
    }
    // Without a package, these only ask for a description of the project.
    if meant.clone().all(|command| matches!(*command, "init" | "innit" | "create")) {
        let is_package = |(at, argument): (usize, &Argument)| {
            let before = at.checked_sub(1).and_then(|at| rest.get(at));
            !argument.prefix.starts_with('-')
                && !before.is_some_and(|option| VALUED.contains(&option.text()))
        };
        return rest.iter().enumerate().any(is_package);
    }
    if meant.clone().all(|command| *command == "pkg") {
        return rest.first().is_none_or(|action| action.text() != "get");
    }
    true
}
