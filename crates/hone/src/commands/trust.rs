//! `hone trust`.

use std::path::Path;
use std::process::ExitCode;

use hone_library::Project;
use hone_library::usage::iso;

use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, print, print_json, say};
use crate::terminal::printable;

pub(crate) fn trust(
    context: &Context,
    folder: Option<&Path>,
    revoke: bool,
    list: bool,
    as_json: bool,
) -> Outcome {
    if !list {
        let folder = match folder {
            Some(folder) => {
                let path = context.around.cwd.join(folder);
                std::fs::canonicalize(&path).map_err(|error| {
                    Failure::no(format!("could not find `{}`: {error}", path.display()), "")
                })?
            }
            None => {
                let project = Project::find(&context.around).ok_or_else(|| {
                    Failure::no(
                        "your home folder is not a project",
                        "name the project: `hone trust DIR`",
                    )
                })?;
                project.root
            }
        };
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
        say(&format!("`{}` {word}", folder.display()));
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
    let lines = trusted.iter().map(|(path, _)| format!("{}\n", printable(&path.to_string_lossy())));
    print(&lines.collect::<String>())
}
