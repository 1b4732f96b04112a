//! `hone --help`: the commands in groups, because nobody reads a list of thirty.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};

use crate::cli::Cli;

/// Every command, by what one wants to do.
const GROUPS: [(&str, &[&str]); 10] = [
    ("Find and read", &["list", "search", "view", "history", "diff", "usage"]),
    ("Write", &["new", "edit", "patch", "file", "rm", "rollback", "pin", "unpin"]),
    ("Check and guard", &["check", "scan", "policy", "permit", "trust", "doctor"]),
    (
        "Install",
        &["add", "remove", "update", "outdated", "install", "verify", "approve", "audit", "share"],
    ),
    ("Call", &["invoke", "commands", "needs"]),
    ("Serve", &["connect", "serve", "mcp"]),
    ("Route", &["prompt", "match", "why", "what-if", "eval"]),
    ("Learn", &["learn", "sessions", "correct", "review", "stats", "curate", "archive", "restore"]),
    ("Run agents", &["agent", "run", "chat", "demo"]),
    ("hone itself", &["config", "completions", "man", "schema", "help"]),
];

/// The command line with the grouped help.
pub(crate) fn command() -> Command {
    let mut command = Cli::command();
    command.build();
    let commands = groups(&command);
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{commands}\n\
         Options:\n{{options}}{{after-help}}"
    );
    Cli::command().help_template(template)
}

fn groups(command: &Command) -> String {
    let longest = GROUPS.iter().flat_map(|(_, names)| names.iter()).map(|name| name.len()).max();
    let width = longest.unwrap_or(0);
    let mut text = String::new();
    for (title, names) in GROUPS {
        let _ = write!(text, "\n{title}:\n");
        for name in names {
            let about = command.find_subcommand(name).and_then(Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "  {name:width$}  {about}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::{GROUPS, groups};
    use crate::cli::Cli;

    #[test]
    fn every_command_is_in_one_group_and_every_line_fits() {
        let mut command = Cli::command();
        command.build();
        let mut known: Vec<&str> = command
            .get_subcommands()
            .filter(|one| !one.is_hide_set())
            .map(clap::Command::get_name)
            .collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| *names).copied().collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
        for line in groups(&command).lines() {
            assert!(line.chars().count() <= 80, "{line}");
        }
    }
}
