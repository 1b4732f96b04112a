//! `hone usage`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_library::usage::{Event, Usage, all, count as count_event, from_hermes, iso, to_hermes};
use hone_library::{Catalogue, Listed, normal};
use hone_router::{Attribution, How, Used};

use crate::cli::UsageCommand;
use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, count, print, print_json, say, visible_json};
use crate::terminal::printable_line;

pub(crate) fn usage(context: &Context, command: Option<UsageCommand>, as_json: bool) -> Outcome {
    match command {
        None => show(context, as_json),
        Some(UsageCommand::Record { command, file, cwd }) => {
            record(context, command.as_deref(), file.as_deref(), cwd.as_deref(), as_json)
        }
        Some(UsageCommand::Import { file }) => {
            let text = std::fs::read_to_string(&file).map_err(|error| {
                Failure::failed(format!("could not read `{}`: {error}", file.display()), "")
            })?;
            let catalogue = context.catalogue()?;
            let find = |name: &str| -> Option<Listed> {
                catalogue.skills.iter().find(|skill| skill.summary.name == name).cloned()
            };
            let imported = from_hermes(&context.state, &text, &file, find, now())?;
            let (imported, ignored) = (imported.imported, imported.ignored);
            say(&format!("took over {}", count(imported.len(), "record")));
            if !ignored.is_empty() {
                say(&format!("no such skill here: {}", ignored.join(", ")));
            }
            if as_json {
                return print_json(&json::UsageImport { imported, ignored });
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(UsageCommand::Export { file }) => {
            let catalogue = context.catalogue()?;
            let store = context.pins();
            let pinned = |row: &Usage| {
                let skill = catalogue.skills.iter().find(|skill| skill.summary.name == row.name);
                skill.is_some_and(|skill| store.is_pinned(skill).unwrap_or(false))
            };
            let records = to_hermes(&counted(context)?, pinned);
            let text = serde_json::to_string_pretty(&records).unwrap_or_default();
            let text = format!("{}\n", visible_json(&text));
            let Some(file) = file else { return print(&text) };
            let path = context.around.cwd.join(file);
            let written = records.as_object().map_or(0, serde_json::Map::len);
            hone_library::replace(&path, text.as_bytes())?;
            say(&format!("wrote {} to `{}`", count(written, "record"), path.display()));
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// Counts the skills that a command or a tool used. None is an answer too: most commands use none.
fn record(
    context: &Context,
    command: Option<&str>,
    file: Option<&str>,
    cwd: Option<&Path>,
    as_json: bool,
) -> Outcome {
    let catalogue = context.catalogue()?;
    let cwd = normal(&context.around.cwd.join(cwd.unwrap_or(Path::new(""))));
    // An agent may well use what is not offered here: a skill that another one shadows, say.
    let others = catalogue.skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
    let skills = catalogue.skills.iter().chain(others);
    let index = Attribution::new(skills, &context.around.user_home).only_existing();
    let used: Vec<Used<'_>> = match (command, file) {
        (Some(command), _) => index.command(command, &cwd),
        (None, file) => file.and_then(|file| index.file(file, &cwd)).into_iter().collect(),
    };
    for used in &used {
        let event = match used.how {
            How::Script | How::Instructions => Event::Use,
            How::File => Event::View,
        };
        if !count_event(&context.state, used.skill, event, now()) {
            say(&format!("warning: `{}` could not be counted", used.skill.summary.name));
        }
        if !as_json {
            let (name, how) = (&used.skill.summary.name, used.how.id());
            say(&format!("`{name}` ({how}: {})", used.file));
        }
    }
    if as_json {
        return print_json(&json::routing::UsageRecord::of(&used));
    }
    if used.is_empty() {
        say("it used no skill");
    }
    Ok(ExitCode::SUCCESS)
}

/// What was counted; with `--root`, of the skills there, also of those that are gone.
fn counted(context: &Context) -> Result<Vec<Usage>, Failure> {
    let mut rows = all(&context.state)?;
    if context.places.root.is_empty() {
        return Ok(rows);
    }
    let Catalogue { roots, skills, skipped, .. } = context.catalogue()?;
    let others = skipped.iter().filter_map(|skipped| skipped.skill.as_deref());
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    // A link leads to a skill that lies elsewhere.
    let keys: BTreeSet<PathBuf> =
        skills.iter().chain(others).map(|skill| real(skill.key())).collect();
    let roots: Vec<PathBuf> = roots.iter().map(|root| real(&root.path)).collect();
    rows.retain(|row| {
        let path = Path::new(&row.skill);
        keys.contains(path) || roots.iter().any(|root| path.starts_with(root))
    });
    Ok(rows)
}

fn show(context: &Context, as_json: bool) -> Outcome {
    let rows = counted(context)?;
    if as_json {
        let usage = rows
            .into_iter()
            .map(|row| json::UsageRow {
                name: row.name,
                version: row.version,
                path: row.skill,
                views: row.views,
                uses: row.uses,
                patches: row.patches,
                last_viewed: row.last_viewed.map(iso),
                last_used: row.last_used.map(iso),
                last_patched: row.last_patched.map(iso),
            })
            .collect();
        return print_json(&json::UsageReport { usage });
    }
    if rows.is_empty() {
        say("nothing was counted yet");
        return Ok(ExitCode::SUCCESS);
    }
    let mut text = format!("{:>6} {:>6} {:>7}  skill\n", "views", "uses", "changes");
    for row in &rows {
        let version = match row.version.as_str() {
            "" => String::new(),
            version => format!(" ({})", printable_line(version)),
        };
        let name = printable_line(&row.name);
        let _ =
            writeln!(text, "{:>6} {:>6} {:>7}  {name}{version}", row.views, row.uses, row.patches);
    }
    print(&text)
}
