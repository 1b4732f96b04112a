//! A skill's command in the sandbox, for `hone permit --run` and for inline shell.
//!
//! It starts in the current folder and reads the project around it, the skill and the system; it writes
//! what the skill declares and a scratch folder, and reaches the network only if that is declared.

use std::path::{Component, Path, PathBuf};

use hone_guard::sandbox::{self, End, Helper, Plan};
use hone_library::{Listed, Project, Scope};
use hone_skill::Permissions;

use super::beside_pattern::Opened;
use crate::context::Context;
use crate::output::Failure;

/// The word that makes this program the sandbox's helper.
pub(crate) const CONFINE: &str = "__confine";

/// A skill's command, and what it may do.
pub(crate) struct Confined<'p> {
    pub(crate) plan: Plan,
    permissions: &'p Permissions,
    opened: Vec<Opened>,
}

/// What a skill's command may do. The folders and files that the skill may write are made.
pub(crate) fn confined<'p, T: Into<String>>(
    context: &Context,
    skill: &Listed,
    permissions: &'p Permissions,
    command: impl IntoIterator<Item = T>,
) -> Result<Confined<'p>, Failure> {
    let around = &context.around;
    let mut plan = Plan::new(command);
    // Whoever may read the home may read every secret in it.
    let home = std::fs::canonicalize(&around.user_home).ok();
    let holds_home = |folder: &Path| {
        around.user_home.starts_with(folder)
            || home.as_ref().is_some_and(|home| home.starts_with(folder))
    };
    if !holds_home(&around.cwd) {
        plan.folder = Some(around.cwd.clone());
        let root = Project::find(around).map(|project| project.root);
        plan.reads
            .push(root.filter(|root| !holds_home(root)).unwrap_or_else(|| around.cwd.clone()));
    }
    if skill.scope != Scope::Builtin {
        plan.reads.push(skill.key().to_owned());
    }
    let mut opened = Vec::new();
    for (path, is_folder) in permissions.written_paths() {
        let (base, below) = match (path.strip_prefix("~/"), path.strip_prefix('/')) {
            (Some(below), _) => (around.user_home.as_path(), below),
            (None, Some(below)) => (Path::new("/"), below),
            (None, None) => (around.cwd.as_path(), path.as_str()),
        };
        // Only what is there can be opened to the command.
        let writable = made(base, Path::new(below), is_folder)?;
        if is_folder {
            opened.extend(
                Opened::before(permissions, &path, &writable)
                    .map_err(|error| not_watched(&error))?,
            );
        }
        plan.writes.push(writable);
    }
    plan.network = permissions.fetch_anything().is_some();
    plan.unconfined = context.config.sandbox.unconfined;
    Ok(Confined { plan, permissions, opened })
}

fn not_watched(error: &std::io::Error) -> Failure {
    Failure::failed(
        format!("could not look at what the skill may write: {error}"),
        "a folder that is declared whole, as in `Write(out/**)`, is not looked at",
    )
}

impl Confined<'_> {
    /// Runs it. What comes with the outcome is why it counts as failed although it came to its end: it did not keep
    /// to the patterns of what it may write.
    pub(crate) fn run(&self) -> Result<(sandbox::Outcome, Option<String>), Failure> {
        let outcome = run(&self.plan)?;
        let beside = |opened: &Opened| opened.written_beside(self.permissions).transpose();
        let file =
            self.opened.iter().find_map(beside).transpose().map_err(|error| not_watched(&error))?;
        Ok((outcome, file.map(|file| format!("it changed `{file}`, which is not declared"))))
    }
}

/// The file or folder `below` a base, made where it is not there yet. Nothing on the way from the base
/// may be a link: an earlier command, or the project itself, could have it lead anywhere.
fn made(base: &Path, below: &Path, is_folder: bool) -> Result<PathBuf, Failure> {
    let failed = |path: &Path, error: &std::io::Error| {
        Failure::failed(format!("could not make `{}`: {error}", path.display()), "")
    };
    let mut path = std::fs::canonicalize(base).map_err(|error| failed(base, &error))?;
    let mut parts =
        below.components().filter(|part| matches!(part, Component::Normal(_))).peekable();
    while let Some(part) = parts.next() {
        path.push(part);
        let is_file = parts.peek().is_none() && !is_folder;
        match path.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                return Err(Failure::failed(
                    format!("`{}` is a link, and the skill may write there", path.display()),
                    "a command could reach another place through it: put the folder itself there, \
                     or have the skill declare the place that is meant",
                ));
            }
            Ok(_) => continue,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&path, &error)),
        }
        let result = if is_file {
            std::fs::OpenOptions::new().create_new(true).write(true).open(&path).map(drop)
        } else {
            std::fs::create_dir(&path)
        };
        match result {
            // Somebody else made it; the sandbox looks again for links.
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                return Err(failed(&path, &error));
            }
            _ => {}
        }
    }
    Ok(path)
}

/// Runs a plan, with this program as the helper.
pub(crate) fn run(plan: &Plan) -> Result<sandbox::Outcome, Failure> {
    let program = std::env::current_exe()
        .map_err(|error| Failure::failed(format!("could not find this program: {error}"), ""))?;
    let helper = Helper { program, argument: CONFINE.to_owned() };
    sandbox::run(plan, &helper).map_err(|error| Failure::failed(error.to_string(), ""))
}

/// Why a command did not end by itself.
pub(crate) fn why(end: &End) -> Option<String> {
    Some(match end {
        End::Exited(_) => return None,
        End::Signalled(signal) => format!("ended by signal {signal}"),
        End::OutOfTime => "it took too long and was ended".to_owned(),
        End::TooManyProcesses => "it started too many processes and was ended".to_owned(),
        End::TooMuchMemory => "it used too much memory and was ended".to_owned(),
        End::TooMuchOutput => "it wrote too much and was ended".to_owned(),
        End::Cancelled => "it was cancelled".to_owned(),
        End::NotStarted(why) => why.clone(),
        End::Refused(why) => format!("there is no sandbox to run it in: {why}"),
    })
}
