//! `hone commands`.

use std::fmt::Write as _;
use std::process::ExitCode;

use hone_library::{Catalogue, hash, memo};
use hone_router::{CORE_COMMANDS, Commands, Snapshot, With};
use unicode_width::UnicodeWidthStr;

use crate::context::{Context, now};
use crate::json::routing;
use crate::output::{Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// What the last reload saw is kept for so many sets of roots.
const MAX_RELOADS: usize = 64;
const TOPIC: &str = "commands";

/// Widest column for commands on a terminal.
const COMMAND_COLUMNS: usize = 32;

pub(crate) fn commands(context: &Context, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let commands = Commands::new(&catalogue, &context.config.bundles, &CORE_COMMANDS);
    if as_json {
        return print_json(&routing::Menu {
            commands: commands.commands.into_iter().map(Into::into).collect(),
            collisions: commands.collisions.into_iter().map(Into::into).collect(),
            hidden: commands.hidden,
            problems: commands.problems,
        });
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let typed = |command: &hone_router::SlashCommand| {
        let hint = command.argument_hint.as_ref().map_or(String::new(), |hint| format!(" {hint}"));
        printable_line(&format!("/{}{hint}", command.command)).into_owned()
    };
    let lines: Vec<(String, &str)> = commands
        .commands
        .iter()
        .map(|command| (typed(command), command.description.as_str()))
        .collect();
    let widest = lines.iter().map(|(typed, _)| typed.width()).max().unwrap_or(0);
    let widest = widest.min(COMMAND_COLUMNS);
    let mut text = String::new();
    for (typed, description) in &lines {
        let padding = " ".repeat(widest.saturating_sub(typed.width()));
        let line = format!("{typed}{padding}  {}", printable_line(description));
        text.push_str(fit(&line, room).trim_end());
        text.push('\n');
    }
    print(&text)?;
    if lines.is_empty() {
        say("there are no commands here; `hone new NAME` creates a skill");
    }
    for collision in &commands.collisions {
        let mut line = format!(
            "note: `/{}` is {}, not {}",
            collision.command,
            match collision.with {
                With::Core => "a command of the chat",
                With::Bundle => "a bundle",
                With::Skill => "another skill",
            },
            match &collision.path {
                Some(path) => format!("`{}`", context.shown(path)),
                None => format!("the bundle `{}`", collision.name),
            }
        );
        match &collision.instead {
            Some(instead) => {
                let _ = write!(line, ": type `/{instead}`");
            }
            None if collision.path.is_some() => {
                // The slug, which a name with blanks is mentioned by as well.
                let _ = write!(line, ": mention it by its path, `[${}](PATH)`", collision.command);
            }
            None => {}
        }
        say(&line);
    }
    if !commands.hidden.is_empty() {
        say(&format!("not for people to call: {}", commands.hidden.join(", ")));
    }
    for problem in &commands.problems {
        say(&format!("warning: {problem}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The commands as the last reload of these roots saw them, compared with what is there now.
pub(crate) fn reload(context: &Context, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let commands = Commands::new(&catalogue, &context.config.bundles, &CORE_COMMANDS);
    let key = roots_key(&catalogue);
    let before = memo::recall(&context.state, TOPIC, &key)?;
    let before: Option<Snapshot> = before.and_then(|text| serde_json::from_str(&text).ok());
    let reload = commands.since(before.as_ref());
    let snapshot = serde_json::to_string(&commands.snapshot()).unwrap_or_default();
    if !memo::remember(&context.state, TOPIC, &key, &snapshot, MAX_RELOADS, now()) {
        say("warning: what is there now could not be kept for the next reload");
    }
    if as_json {
        return print_json(&routing::Reload::from(reload));
    }
    let mut text = String::new();
    for (mark, commands) in [('+', &reload.added), ('-', &reload.removed), ('~', &reload.changed)] {
        for command in commands {
            let _ = writeln!(text, "{mark} /{}", printable_line(command));
        }
    }
    print(&text)?;
    say(&format!(
        "{} added, {} removed, {} changed; {} in all",
        reload.added.len(),
        reload.removed.len(),
        reload.changed.len(),
        count(reload.total, "command")
    ));
    Ok(ExitCode::SUCCESS)
}

fn roots_key(catalogue: &Catalogue) -> String {
    let paths: Vec<_> = catalogue.roots.iter().map(|root| root.path.to_string_lossy()).collect();
    hash(paths.join("\0").as_bytes())
}
