//! `hone config`.

use std::process::ExitCode;

use hone_library::{Config, Project, SETTINGS, with_setting};

use crate::cli::ConfigCommand;
use crate::context::Context;
use crate::json;
use crate::output::{Failure, Outcome, print, print_json, say};
use crate::terminal::printable;

pub(crate) fn config(context: &Context, command: Option<ConfigCommand>, as_json: bool) -> Outcome {
    let path = Config::path(&context.around.hone_home);
    match command {
        None => show(context, as_json),
        Some(ConfigCommand::Path) => print(&format!("{}\n", printable(&path.to_string_lossy()))),
        Some(ConfigCommand::Get { key }) => match context.config.get(&key) {
            Some(value) => print(&format!("{}\n", printable(&value))),
            None => {
                let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
                Err(Failure::no(
                    format!("there is no setting `{key}`"),
                    &format!("there are {}", known.join(", ")),
                ))
            }
        },
        Some(ConfigCommand::Set { key, value, project }) => {
            set(context, &key, Some(&value), project)
        }
        Some(ConfigCommand::Unset { key, project }) => set(context, &key, None, project),
    }
}

fn set(context: &Context, key: &str, value: Option<&str>, project: bool) -> Outcome {
    let path = if project {
        if key != "skills.disabled" {
            return Err(Failure::no(
                format!("a project cannot set `{key}`"),
                "a project's hone.toml only takes `skills.disabled`",
            ));
        }
        let project = Project::find(&context.around)
            .ok_or_else(|| Failure::no("your home folder is not a project", ""))?;
        project.root.join("hone.toml")
    } else {
        std::fs::create_dir_all(&context.around.hone_home)
            .map_err(|error| Failure::failed(format!("could not create HONE_HOME: {error}"), ""))?;
        Config::path(&context.around.hone_home)
    };
    let (old, new) = with_setting(&path, key, value)?;
    if old != new {
        hone_library::replace(&path, new.as_bytes())?;
    }
    say(&format!("`{}` {}", path.display(), if old == new { "is as it was" } else { "written" }));
    if project && !Project::find(&context.around).is_some_and(|p| context.state.is_trusted(&p.root))
    {
        say("note: it counts once the project is trusted: `hone trust`");
    }
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, as_json: bool) -> Outcome {
    let path = Config::path(&context.around.hone_home);
    let default = Config::default();
    let values = SETTINGS.iter().map(|setting| json::SettingValue {
        key: setting.key,
        value: context.config.get(setting.key).unwrap_or_default(),
        default: default.get(setting.key).unwrap_or_default(),
        about: setting.about,
    });
    if as_json {
        let roots = context.config.roots.iter().map(|root| json::RootFolder {
            path: root.path.to_string_lossy().into_owned(),
            scope: root.scope.id(),
        });
        return print_json(&json::Settings {
            path: path.to_string_lossy().into_owned(),
            settings: values.collect(),
            roots: roots.collect(),
        });
    }
    let mut text = format!("# {}\n", printable(&path.to_string_lossy()));
    for value in values {
        text.push_str(&format!("{} = {}  # {}\n", value.key, printable(&value.value), value.about));
    }
    for root in &context.config.roots {
        let path = root.path.to_string_lossy();
        text.push_str(&format!("root = {} ({})\n", printable(&path), root.scope.id()));
    }
    print(&text)
}
