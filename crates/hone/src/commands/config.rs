//! `hone config`.

use std::fmt::Write as _;
use std::fs::{OpenOptions, Permissions};
use std::io::{BufRead as _, Read as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::ExitCode;

use hone_library::{Config, Project, SETTINGS, Setting, with_setting};

use crate::cli::ConfigCommand;
use crate::context::{Context, surroundings};
use crate::json;
use crate::output::{Failure, Outcome, print, print_data, print_json, say};
use crate::terminal::{printable, printable_line};

/// Largest key that is read, in bytes.
const MAX_SECRET_BYTES: u64 = 4_096;

/// Says where the configuration is; a broken one, too.
pub(crate) fn path() -> Outcome {
    print_data(&format!("{}\n", Config::path(&surroundings()?.hone_home).display()))
}

pub(crate) fn config(context: &Context, command: Option<ConfigCommand>, as_json: bool) -> Outcome {
    let path = Config::path(&context.around.hone_home);
    match command {
        None | Some(ConfigCommand::Path) if as_json => print_json(&settings(context)),
        None => show(context),
        Some(ConfigCommand::Path) => self::path(),
        Some(ConfigCommand::Get { key }) => {
            let setting = known(&key)?;
            let value = value_in(&context.config, setting);
            if as_json {
                one_as_json(&path, value)
            } else {
                print_data(&format!("{}\n", value.value))
            }
        }
        Some(ConfigCommand::Set { key, value, project }) => {
            let setting = known(&key)?;
            let value = if setting.is_secret() { typed(setting, &value)? } else { value };
            set(context, setting, Some(&value), project, as_json)
        }
        Some(ConfigCommand::Unset { key, project }) => {
            set(context, known(&key)?, None, project, as_json)
        }
    }
}

fn known(key: &str) -> Result<&'static Setting, Failure> {
    SETTINGS.iter().find(|setting| setting.key == key).ok_or_else(|| {
        let table = key.split('.').next().unwrap_or_default();
        let near: Vec<&str> = SETTINGS
            .iter()
            .map(|setting| setting.key)
            .filter(|known| known.split('.').next() == Some(table))
            .collect();
        let hint = if near.is_empty() {
            "`hone config` lists them all".to_owned()
        } else {
            format!("there are {}", near.join(", "))
        };
        Failure::no(format!("there is no setting `{key}`"), &hint)
    })
}

/// A secret from standard input: on the command line, others could see it.
fn typed(setting: &Setting, value: &str) -> Result<String, Failure> {
    if value != "-" {
        return Err(Failure::no(
            format!("`{}` is not taken from the command line, which others can see", setting.key),
            &format!("`hone config set {} -` reads it from standard input", setting.key),
        ));
    }
    let mut line = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_SECRET_BYTES)
        .read_line(&mut line)
        .map_err(|error| Failure::failed(format!("could not read the key: {error}"), ""))?;
    Ok(line.trim().to_owned())
}

fn set(
    context: &Context,
    setting: &'static Setting,
    value: Option<&str>,
    in_project: bool,
    as_json: bool,
) -> Outcome {
    let path = if in_project {
        if setting.key != "skills.disabled" {
            return Err(Failure::no(
                format!("a project cannot set `{}`", setting.key),
                "a project's hone.toml only takes `skills.disabled`",
            ));
        }
        let project = Project::find(&context.around).ok_or_else(|| {
            Failure::no("your home folder is not a project", "leave out `--project`")
        })?;
        project.root.join("hone.toml")
    } else {
        std::fs::create_dir_all(&context.around.hone_home)
            .map_err(|error| Failure::failed(format!("could not create HONE_HOME: {error}"), ""))?;
        Config::path(&context.around.hone_home)
    };
    if setting.key == "hub.sources" {
        let sources = value.unwrap_or_default().split(',').map(str::trim);
        for source in sources.filter(|source| !source.is_empty()) {
            hone_hub::parse(source).map_err(|error| {
                Failure::no(error.to_string(), "`hone add --help` lists what a source can be")
            })?;
        }
    }
    let (old, new) = with_setting(&path, setting.key, value)?;
    if setting.is_secret() && value.is_some() {
        keep_private(&path).map_err(|error| {
            Failure::failed(format!("could not make `{}` private: {error}", path.display()), "")
        })?;
    }
    if old != new {
        hone_library::replace(&path, new.as_bytes())?;
    }
    let is_new = if old == new { "is as it was" } else { "written" };
    say(&format!("`{}` {is_new}", context.shown(&path)));
    let is_trusted =
        || Project::find(&context.around).is_some_and(|p| context.state.is_trusted(&p.root));
    if in_project && !is_trusted() {
        say("note: it counts once the project is trusted: `hone trust`");
    }
    if !as_json {
        return Ok(ExitCode::SUCCESS);
    }
    let mut written = value_in(&context.config, setting);
    written.value = match value {
        None => written.default.clone(),
        Some(_) if setting.is_secret() => "(set)".to_owned(),
        Some(value) => value.to_owned(),
    };
    one_as_json(&path, written)
}

/// Makes a file that only its owner can read, before a secret comes into it.
fn keep_private(path: &Path) -> std::io::Result<()> {
    let file = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    file.set_permissions(Permissions::from_mode(0o600))
}

fn one_as_json(path: &Path, value: json::SettingValue) -> Outcome {
    let path = path.to_string_lossy().into_owned();
    print_json(&json::Configuration { path, settings: vec![value], roots: Vec::new() })
}

fn value_in(config: &Config, setting: &Setting) -> json::SettingValue {
    json::SettingValue {
        key: setting.key,
        value: config.get(setting.key).unwrap_or_default(),
        default: Config::default().get(setting.key).unwrap_or_default(),
        about: setting.about,
    }
}

fn settings(context: &Context) -> json::Configuration {
    let roots = context.config.roots.iter().map(|root| json::RootFolder {
        path: root.path.to_string_lossy().into_owned(),
        scope: root.scope.id(),
    });
    json::Configuration {
        path: Config::path(&context.around.hone_home).to_string_lossy().into_owned(),
        settings: SETTINGS.iter().map(|setting| value_in(&context.config, setting)).collect(),
        roots: roots.collect(),
    }
}

fn show(context: &Context) -> Outcome {
    let json::Configuration { path, settings, roots } = settings(context);
    let mut text = format!("# {}\n", printable_line(&context.shown(Path::new(&path))));
    for value in settings {
        let shown = if value.value.is_empty() { "(none)" } else { &value.value };
        let _ = writeln!(text, "{} = {}  # {}", value.key, printable(shown), value.about);
    }
    for root in roots {
        let _ = writeln!(text, "root = {} ({})", printable_line(&root.path), root.scope);
    }
    print(&text)
}
