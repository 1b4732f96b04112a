//! What a step did, whatever its agent calls the tool: ran a command, changed a file, looked at
//! something, fetched something.

use std::path::Path;

use hone_guard::permit::joined;
use serde_json::Value;

use crate::experience::{Experience, Step};

/// What a step did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Deed {
    /// Ran a line of shell.
    Run(String),
    /// Changed files.
    Change(Vec<String>),
    /// Looked at files, or for words; the tool as permissions name it, and what.
    Look(&'static str, String),
    /// Fetched from an address.
    Fetch(String),
    /// Called another tool.
    Call(String),
    /// Planned, loaded a skill, asked: no part of the procedure.
    Aside,
}

const SHELLS: [&str; 10] = [
    "bash",
    "shell",
    "exec_command",
    "shell_command",
    "local_shell",
    "terminal",
    "run_command",
    "container.exec",
    "execute_command",
    "run_shell_command",
];
const CHANGES: [&str; 10] = [
    "edit",
    "write",
    "multiedit",
    "notebookedit",
    "apply_patch",
    "write_file",
    "patch",
    "edit_file",
    "create_file",
    "str_replace_editor",
];
const READS: [&str; 5] = ["read", "read_file", "view_file", "notebookread", "view_image"];
const GREPS: [&str; 4] = ["grep", "search_files", "search_file_content", "pattern_search"];
const GLOBS: [&str; 4] = ["glob", "ls", "list_files", "list_dir"];
const FETCHES: [&str; 4] = ["webfetch", "fetch_url", "web_extract", "web_fetch"];
const ASIDES: [&str; 24] = [
    "todowrite",
    "todo",
    "update_plan",
    "task",
    "agent",
    "skill",
    "skill_view",
    "skills_list",
    "skill_manage",
    "exitplanmode",
    "enterplanmode",
    "askuserquestion",
    "request_user_input",
    "clarify",
    "bashoutput",
    "killshell",
    "write_stdin",
    "note",
    "recall",
    "memory",
    "session_search",
    "delegate_task",
    "process",
    "ask_agent",
];

/// What a step did.
pub(crate) fn deed(step: &Step, folder: Option<&Path>) -> Deed {
    let tool = step.tool.to_lowercase();
    let is = |names: &[&str]| names.contains(&tool.as_str());
    let text = |keys: &[&str]| {
        keys.iter().find_map(|key| step.arguments.get(key)?.as_str()).unwrap_or_default()
    };
    let path = || relative(text(&["file_path", "path", "notebook_path", "filename"]), folder);
    if is(&SHELLS) {
        match command(&step.arguments) {
            Some(command) => Deed::Run(relative_command(&command, folder)),
            None => Deed::Aside,
        }
    } else if is(&CHANGES) {
        let patched = patched(text(&["input", "patch"]));
        let paths = if patched.is_empty() { vec![path()] } else { patched };
        let paths = paths.into_iter().map(|path| relative(&path, folder));
        Deed::Change(paths.filter(|path| !path.is_empty()).collect())
    } else if is(&READS) {
        Deed::Look("Read", path())
    } else if is(&GREPS) {
        Deed::Look("Grep", text(&["pattern", "query"]).to_owned())
    } else if is(&GLOBS) {
        Deed::Look("Glob", text(&["pattern", "glob", "path"]).to_owned())
    } else if is(&FETCHES) {
        let listed = step.arguments["urls"][0].as_str().unwrap_or_default();
        let url = text(&["url"]);
        Deed::Fetch(if url.is_empty() { listed } else { url }.to_owned())
    } else if is(&ASIDES) {
        Deed::Aside
    } else {
        Deed::Call(step.tool.clone())
    }
}

/// The folder that paths are shortened by.
pub(crate) fn folder(experience: &Experience) -> Option<&Path> {
    experience.source.folder.as_deref().filter(|folder| folder.parent().is_some())
}

/// The line of shell that a call runs.
fn command(arguments: &Value) -> Option<String> {
    let given = arguments.get("command").or_else(|| arguments.get("cmd"))?;
    let line = match given {
        Value::String(line) => line.clone(),
        Value::Array(words) => {
            let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, option, line]
                    if shell.ends_with("sh") && matches!(*option, "-c" | "-lc" | "-ic") =>
                {
                    (*line).to_owned()
                }
                words => joined(words),
            }
        }
        _ => return None,
    };
    let line = line.trim();
    (!line.is_empty()).then(|| line.to_owned())
}

/// The files that a patch of Codex' kind names.
fn patched(patch: &str) -> Vec<String> {
    let marks = ["*** Update File: ", "*** Add File: ", "*** Delete File: "];
    let paths =
        patch.lines().filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    paths.map(|path| path.trim().to_owned()).collect()
}

/// A path below the folder of the work, without it.
fn relative(path: &str, folder: Option<&Path>) -> String {
    let below = folder.and_then(|folder| Path::new(path).strip_prefix(folder).ok());
    below.map_or_else(|| path.to_owned(), |below| below.to_string_lossy().into_owned())
}

/// A command without the way to the folder of the work.
fn relative_command(command: &str, folder: Option<&Path>) -> String {
    let Some(folder) = folder.and_then(Path::to_str) else { return command.to_owned() };
    let command = [" && ", "; ", "\n"]
        .iter()
        .find_map(|and| command.strip_prefix(&format!("cd {folder}{and}")))
        .unwrap_or(command);
    command.replace(&format!("{folder}/"), "").replace(folder, ".")
}
