//! `hone trust`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_library::Project;
use hone_library::usage::iso;

use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, print_json, print_lines, say};

pub(crate) fn trust(
    context: &Context,
    folder: Option<&Path>,
    revoke: bool,
    list: bool,
    as_json: bool,
) -> Outcome {
    if !list {
        let folder = project(context, folder, revoke)?;
        let changed = if revoke {
            context.state.distrust(&folder)?
        } else {
            context.state.trust(&folder, now())?
        };
        let word = match (revoke, changed) {
            (false, true) => "is trusted now",
            (false, false) => "was trusted already",
            (true, true) => "is no longer trusted",
            (true, false) => "was not trusted",
        };
        say(&format!("`{}` {word}", context.shown(&folder)));
        if !as_json {
            return Ok(ExitCode::SUCCESS);
        }
    }
    let trusted = context.state.trusted()?;
    if as_json {
        let trusted = trusted
            .into_iter()
            .map(|(path, since)| json::TrustedFolder {
                path: path.to_string_lossy().into_owned(),
                since: iso(since),
            })
            .collect();
        return print_json(&json::Trust { trusted });
    }
    if trusted.is_empty() {
        say("no project is trusted yet");
    }
    print_lines(trusted.into_iter().map(|(path, _)| path.to_string_lossy().into_owned()))
}

/// The project that is meant: the one around a folder, or one that was trusted and is gone.
fn project(context: &Context, folder: Option<&Path>, revoke: bool) -> Result<PathBuf, Failure> {
    let mut around = context.around.clone();
    if let Some(folder) = folder {
        let path = hone_library::normal(&context.around.cwd.join(folder));
        match std::fs::canonicalize(&path) {
            Ok(real) if revoke && context.state.is_trusted(&real) => return Ok(real),
            Ok(real) if real.is_dir() => around.cwd = real,
            Err(_) if revoke => return Ok(path),
            Ok(_) => {
                return Err(Failure::no(
                    format!("`{}` is not a folder", path.display()),
                    "name the project's folder",
                ));
            }
            Err(error) => {
                return Err(Failure::no(
                    format!("could not find `{}`: {error}", path.display()),
                    "",
                ));
            }
        }
    }
    let project = Project::find(&around).ok_or_else(|| {
        Failure::no("your home folder is not a project", "name the project: `hone trust DIR`")
    })?;
    Ok(project.root)
}
