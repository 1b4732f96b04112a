//! `hone connect`: the entry that makes another program start `hone mcp`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use hone_library::{Project, Surroundings, unified};
use hone_server::connect::{CLIENTS, Client, ConnectError, Connection, Plan, Reach, Server, probe};

use super::hub::line;
use super::needs::can_ask;
use crate::cli::Connect;
use crate::context::{Context, now};
use crate::diff::painted;
use crate::json::DoctorCheck;
use crate::json::connect::{Client as ClientJson, ClientFile, ConnectChange, Connections};
use crate::output::{Failure, NO, Outcome, print, print_json, quoted, say, say_rendered};
use crate::terminal::{printable_line, stderr_style};

/// What the server is called unless somebody says otherwise.
const NAME: &str = "hone";

pub(crate) fn connect(context: &Context, how: &Connect) -> Outcome {
    match how.client.as_deref().and_then(Client::find) {
        None => list(context, how),
        Some(client) => change(context, client, how),
    }
}

/// The folder that `--scope project` means.
fn project(around: &Surroundings) -> PathBuf {
    Project::find(around).map_or_else(|| around.cwd.clone(), |project| project.root)
}

fn files(client: &Client, around: &Surroundings) -> Vec<(Reach, &'static str, PathBuf)> {
    let project = project(around);
    let mut files: Vec<_> = [(Reach::User, "user"), (Reach::Project, "project")]
        .into_iter()
        .filter_map(|(reach, scope)| Some((reach, scope, client.file(around, &project, reach)?)))
        .collect();
    // In the home folder both are one.
    files.dedup_by(|(_, _, second), (_, _, first)| second == first);
    files
}

/// What is started, as one types it.
fn command_line(server: &Server) -> String {
    let set = server.environment.iter().map(|(name, value)| format!("{name}={}", quoted(value)));
    let words = std::iter::once(&server.command).chain(&server.arguments);
    set.chain(words.map(|word| quoted(word).into_owned())).collect::<Vec<_>>().join(" ")
}

fn list(context: &Context, how: &Connect) -> Outcome {
    let entries = |client: &Client, scope: &'static str, path: &Path| {
        let entry = |name: &str, state, detail| ClientFile {
            scope,
            path: path.to_string_lossy().into_owned(),
            name: name.to_owned(),
            state,
            detail,
        };
        let connections = match client.connections(&context.state, path) {
            Ok(connections) => connections,
            Err(error) => return vec![entry(&how.name, "unreadable", Some(error.to_string()))],
        };
        let mut entries: Vec<ClientFile> = connections
            .iter()
            .filter_map(|(name, connection)| match connection {
                Connection::Ours(server) => {
                    Some(entry(name, "connected", Some(command_line(server))))
                }
                _ if *name == how.name => Some(entry(name, "taken", None)),
                _ => None,
            })
            .collect();
        if entries.is_empty() {
            entries.push(entry(&how.name, "not-connected", None));
        }
        entries
    };
    let clients = CLIENTS.iter().map(|client| ClientJson {
        id: client.id,
        name: client.name,
        is_found: client.is_found(&context.around),
        files: files(client, &context.around)
            .iter()
            .flat_map(|(_, scope, path)| entries(client, scope, path))
            .collect(),
    });
    let clients: Vec<ClientJson> = clients.collect();
    if how.json {
        return print_json(&Connections { clients });
    }
    let mut text = String::new();
    for client in &clients {
        let is_silent =
            |file: &&ClientFile| file.state == "not-connected" && file.scope == "project";
        let shown: Vec<String> = client
            .files
            .iter()
            .filter(|file| !is_silent(file))
            .map(|file| {
                let path = context.shown(Path::new(&file.path));
                let state = match file.state {
                    "connected" if file.name != NAME => format!("connected as {}", file.name),
                    state => state.to_owned(),
                };
                match &file.detail {
                    Some(detail) => format!("{state} ({path}: {detail})"),
                    None if !client.is_found => "not found".to_owned(),
                    None => format!("{state} ({path})"),
                }
            })
            .collect();
        let _ = writeln!(text, "{:12} {}", client.id, printable_line(&shown.join(", ")));
    }
    print(&text)
}

fn change(context: &Context, client: &'static Client, how: &Connect) -> Outcome {
    let reach: Reach = how.scope.into();
    let Some(path) = client.file(&context.around, &project(&context.around), reach) else {
        let message = format!("{} has no configuration in a project", client.name);
        return Err(Failure::no(message, "leave out `--scope project`"));
    };
    let plan = if how.undo {
        client.disconnect(&context.state, &path, &how.name)
    } else {
        client.connect(&context.state, &path, &how.name, &server(context, how, reach)?)
    };
    let plan = plan.map_err(|error| match error {
        ConnectError::Taken { .. } if how.undo => Failure::no(
            error.to_string(),
            "it is left alone; if yours has another name, give it with `--name`",
        ),
        error => failed(error),
    })?;
    let diff = shown(context, &plan);
    let mut is_written = false;
    if plan.is_change() && !how.dry_run {
        if !how.json {
            say_rendered(&painted(&diff, stderr_style()));
        }
        if !how.yes && !agrees(&plan)? {
            return Ok(ExitCode::from(NO));
        }
        plan.carry_out(&context.state, now()).map_err(failed)?;
        is_written = true;
    }
    if how.json {
        return print_json(&ConnectChange {
            client: client.id,
            path: path.to_string_lossy().into_owned(),
            is_change: plan.is_change(),
            is_written,
            diff,
        });
    }
    if how.dry_run {
        return print(&painted(&diff, crate::terminal::style()));
    }
    let file = context.shown(&path);
    // This file first, under another name.
    let elsewhere = || {
        let mut files = files(client, &context.around);
        files.sort_by_key(|(_, _, at)| *at != path);
        files.into_iter().find_map(|(reach, _, at)| {
            let name = ours(context, client, &at).ok()?.into_iter().next()?.0;
            Some((reach, at, name))
        })
    };
    say(&match (plan.is_change(), how.undo) {
        (true, false) => format!(
            "{} starts hone from its next start on; `hone doctor` tries it, `{} --undo` takes it back",
            client.name,
            typed(client, reach, &how.name)
        ),
        (true, true) => format!("{} does not start hone any more", client.name),
        (false, false) => format!("{} is connected already (`{file}`)", client.name),
        (false, true) => match elsewhere() {
            Some((reach, at, name)) if at == path => format!(
                "`{file}` has no server `{}`, but `{name}`: `{} --undo` takes that out",
                how.name,
                typed(client, reach, &name)
            ),
            Some((reach, other, name)) => format!(
                "`{file}` does not mention hone, `{}` does: `{} --undo` takes it out of that",
                context.shown(&other),
                typed(client, reach, &name)
            ),
            None => format!("`{file}` does not mention hone"),
        },
    });
    Ok(ExitCode::SUCCESS)
}

/// The servers of a file that are ours, with their names.
fn ours(
    context: &Context,
    client: &Client,
    path: &Path,
) -> Result<Vec<(String, Server)>, ConnectError> {
    let connections = client.connections(&context.state, path)?;
    let ours = connections.into_iter().filter_map(|(name, connection)| match connection {
        Connection::Ours(server) => Some((name, server)),
        Connection::Absent | Connection::Other => None,
    });
    Ok(ours.collect())
}

/// The command that is about the entry of a client, as one types it.
fn typed(client: &Client, reach: Reach, name: &str) -> String {
    let mut words = format!("hone connect {}", client.id);
    if reach == Reach::Project {
        words.push_str(" --scope project");
    }
    if name != NAME {
        let _ = write!(words, " --name {name}");
    }
    words
}

fn shown(context: &Context, plan: &Plan) -> String {
    let name = context.shown(&plan.path);
    let bytes = |text: &Option<String>| text.as_ref().map(|text| text.clone().into_bytes());
    let (before, after) = (bytes(&plan.before), bytes(&plan.after));
    unified(&name, before.as_deref(), after.as_deref()).unwrap_or_default()
}

fn agrees(plan: &Plan) -> Result<bool, Failure> {
    if !can_ask() {
        let message = format!("`{}` was not changed: nobody is here to agree", plan.path.display());
        return Err(Failure::no(message, "add `--yes`, or `--dry-run` to see the change only"));
    }
    let answer = line("change it? [y]es, [n]o: ").unwrap_or_default();
    Ok(matches!(answer.trim(), "y" | "yes"))
}

fn failed(error: ConnectError) -> Failure {
    let message = error.to_string();
    match error {
        ConnectError::Unreadable { .. } => {
            Failure::no(message, "mend the file, or add the server by hand")
        }
        ConnectError::Taken { .. } => Failure::no(message, "choose another name with `--name`"),
        ConnectError::Changed(_) => Failure::no(message, "run it again"),
        ConnectError::Io { .. } => Failure::failed(message, ""),
        ConnectError::Library(error) => error.into(),
    }
}

/// What the client is to start: this program with the places that were given. What others share names no
/// path of this machine.
fn server(context: &Context, how: &Connect, reach: Reach) -> Result<Server, Failure> {
    // What cannot be served is refused here, not where the client starts it and nobody sees why.
    context.search()?;
    let command = match reach {
        Reach::Project => NAME.to_owned(),
        Reach::User => {
            let program = std::env::current_exe().map_err(|error| {
                Failure::failed(format!("this program cannot be found: {error}"), "")
            })?;
            program.to_string_lossy().into_owned()
        }
    };
    let mut arguments = vec!["mcp".to_owned()];
    arguments.extend(how.read_only.then(|| "--read-only".to_owned()));
    for root in &context.places.root {
        let root = hone_library::normal(&context.around.cwd.join(root));
        arguments.extend(["--root".to_owned(), root.to_string_lossy().into_owned()]);
    }
    if let Some(agent) = &context.places.agent {
        arguments.extend(["--agent".to_owned(), agent.clone()]);
    }
    let home = &context.around.hone_home;
    let mut environment = BTreeMap::new();
    if *home != context.around.user_home.join(".hone") {
        // A client does not pass on what this shell has.
        match reach {
            Reach::User => {
                environment.insert("HONE_HOME".to_owned(), home.to_string_lossy().into_owned());
            }
            Reach::Project => say(
                "note: `HONE_HOME` is a path of this machine, so a project's file does not name it: \
                 set it where the client starts",
            ),
        }
    }
    Ok(Server { command, arguments, environment })
}

/// Whether every client that is told to start hone would get answers.
pub(super) fn checks(context: &Context, push: &mut dyn FnMut(DoctorCheck)) {
    let mut check = |status, message: String, hint: Option<String>| {
        push(DoctorCheck { name: "connection".to_owned(), status, message, hint });
    };
    for client in &CLIENTS {
        for (reach, _, path) in files(client, &context.around) {
            let servers = match ours(context, client, &path) {
                Ok(servers) => servers,
                Err(error) => {
                    check("warning", format!("{}: {error}", client.name), None);
                    continue;
                }
            };
            for (name, server) in servers {
                let who = match name.as_str() {
                    NAME => client.name.to_owned(),
                    name => format!("{}, `{name}`", client.name),
                };
                let line = command_line(&server);
                let mend = format!("`{}` writes the entry anew", typed(client, reach, &name));
                // Whoever wrote the project chose what stands there.
                let is_plain = server.command == NAME && server.environment.is_empty();
                if reach == Reach::Project && !is_plain {
                    let message = format!("{who}: `{line}` was not tried: the project chose it");
                    check("warning", message, Some(mend));
                    continue;
                }
                match probe(&server) {
                    Ok(answer) => {
                        let tools = answer.tools.len();
                        check("good", format!("{who}: `{line}` answers with {tools} tools"), None);
                    }
                    Err(error) => check("bad", format!("{who}: {error}"), Some(mend)),
                }
            }
        }
    }
}
