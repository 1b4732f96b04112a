//! What of the tools was really used, as `allowed-tools` says it: down to the sub-command.
//!
//! Only what worked counts. What destroys, reaches others or runs any code is offered and not chosen:
//! the agent will ask. Whatever is chosen permits the very command that was run, or it is not chosen.

use std::collections::HashSet;
use std::path::Path;

use hone_agent::step::Outcome;
use hone_guard::permit::permit;
use hone_guard::shell;
use hone_skill::{Permission, Permissions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::deed::{Deed, deed, folder};
use crate::experience::Experience;

/// Tools that are offered at most.
pub const MAX_TOOLS: usize = 40;

/// Bytes of a command that is looked at.
const MAX_COMMAND_BYTES: usize = 4 * 1024;

/// A permission that is offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// The entry of `allowed-tools`.
    pub permission: String,
    /// How often it was used.
    pub count: usize,
    /// Whether the skill may use it.
    pub chosen: bool,
    /// Why it was not chosen.
    pub why: Option<String>,
}

const DESTROYS: &str = "it can destroy things";
const REACHES: &str = "it reaches others";
const ANY_CODE: &str = "it runs any code";
const OUTSIDE: &str = "it is outside the folder of the work";

/// Programs whose first word is what they do.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: [&str; 37] = [
    "git", "cargo", "npm", "pnpm", "yarn", "bun", "go", "pip", "pip3", "uv", "poetry", "docker",
    "podman", "kubectl", "helm", "terraform", "systemctl", "apt", "apt-get", "brew", "rustup", "gh",
    "glab", "aws", "gcloud", "az", "make", "just", "mvn", "gradle", "dotnet", "hone", "bundle", "rake",
    "mix", "composer", "flutter",
];

/// Those that need a second word to say it.
const TWO_WORDS: [(&str, &str); 19] = [
    ("npm", "run"),
    ("pnpm", "run"),
    ("yarn", "run"),
    ("bun", "run"),
    ("uv", "run"),
    ("uv", "pip"),
    ("uv", "tool"),
    ("poetry", "run"),
    ("docker", "compose"),
    ("docker", "image"),
    ("docker", "container"),
    ("cargo", "xtask"),
    ("cargo", "nextest"),
    ("git", "stash"),
    ("git", "remote"),
    ("git", "worktree"),
    ("git", "submodule"),
    ("go", "mod"),
    ("bundle", "exec"),
];

const THREE_PARTS: [&str; 5] = ["gh", "glab", "aws", "gcloud", "az"];

const INTERPRETERS: [&str; 16] = [
    "python", "python3", "node", "ruby", "perl", "bash", "sh", "zsh", "deno", "npx", "uvx", "bunx",
    "php", "lua", "Rscript", "tsx",
];

#[rustfmt::skip]
const DESTRUCTIVE: [&str; 18] = [
    "rm", "rmdir", "dd", "mkfs", "shred", "truncate", "kill", "pkill", "killall", "shutdown", "reboot",
    "sudo", "doas", "su", "chmod", "chown", "mv", "xargs",
];

const REACHING: [&str; 12] = [
    "curl", "wget", "ssh", "scp", "sftp", "rsync", "nc", "telnet", "ftp", "mail", "sendmail",
    "ngrok",
];

const RUNNING: [&str; 4] = ["eval", "source", ".", "exec"];

/// Sub-commands that destroy or publish, as the beginning of a permission.
const MARKED: [(&str, &str); 22] = [
    ("git reset", DESTROYS),
    ("git clean", DESTROYS),
    ("git checkout", DESTROYS),
    ("git restore", DESTROYS),
    ("git rebase", DESTROYS),
    ("git push", REACHES),
    ("npm publish", REACHES),
    ("pnpm publish", REACHES),
    ("yarn publish", REACHES),
    ("cargo publish", REACHES),
    ("poetry publish", REACHES),
    ("docker push", REACHES),
    ("docker run", ANY_CODE),
    ("docker exec", ANY_CODE),
    ("podman run", ANY_CODE),
    ("kubectl delete", DESTROYS),
    ("kubectl exec", ANY_CODE),
    ("terraform destroy", DESTROYS),
    ("terraform apply", REACHES),
    ("gh api", REACHES),
    ("gh pr merge", REACHES),
    ("gh release create", REACHES),
];

/// Everything that was used and worked, in the order of first use.
pub(super) fn used(experience: &Experience) -> Vec<Tool> {
    let folder = folder(experience);
    let mut tools: Vec<Tool> = Vec::new();
    for step in experience.steps.iter().filter(|step| step.outcome == Outcome::Ok) {
        let found = match deed(step, folder) {
            Deed::Run(command) => {
                let mut found = of_command(&command);
                found.extend(written(&command, &found, &tools));
                found
            }
            Deed::Change(paths) => paths.iter().filter_map(|path| file("Edit", path)).collect(),
            Deed::Look(tool, _) => vec![one(tool, None)],
            Deed::Fetch(url) => host(&url)
                .map(|host| one(&format!("WebFetch(domain:{host})"), None))
                .into_iter()
                .collect(),
            Deed::Call(tool) if tool.starts_with("mcp__") => vec![one(&tool, None)],
            Deed::Call(tool) if tool.to_lowercase().replace('_', "") == "websearch" => {
                vec![one("WebSearch", None)]
            }
            Deed::Call(_) | Deed::Aside => Vec::new(),
        };
        let nameable = |tool: &Tool| Permission::parse(&tool.permission).is_ok();
        for tool in found.into_iter().filter(nameable) {
            let known = tools.iter().position(|known| known.permission == tool.permission);
            match known {
                Some(at) => tools[at].count += 1,
                None if tools.len() < MAX_TOOLS => tools.push(tool),
                None => {}
            }
        }
    }
    tools
}

fn one(permission: &str, why: Option<&str>) -> Tool {
    Tool {
        permission: permission.to_owned(),
        count: 1,
        chosen: why.is_none(),
        why: why.map(str::to_owned),
    }
}

/// The files that a line of shell writes, by redirection or by an option of a program, as far as nothing
/// that is known permits it.
fn written(line: &str, found: &[Tool], known: &[Tool]) -> Vec<Tool> {
    if line.len() > MAX_COMMAND_BYTES {
        return Vec::new();
    }
    let all = found.iter().chain(known.iter().filter(|tool| tool.chosen));
    let all = Permissions::new(all.map(|tool| tool.permission.as_str()));
    let mut tools: Vec<Tool> = Vec::new();
    for path in permit(&all, line).refusals.into_iter().filter_map(|refusal| refusal.writes) {
        let tool = file("Write", &path);
        tools.extend(tool.filter(|tool| !tools.iter().any(|t| t.permission == tool.permission)));
    }
    tools
}

/// A file at the top of the work by its name, one below by its first folder. A path with the
/// punctuation of permissions cannot be named by one.
fn file(tool: &str, path: &str) -> Option<Tool> {
    let path = path.trim_start_matches("./");
    if path.is_empty() || path.contains(['(', ')', ',', '*']) || path.chars().any(char::is_control)
    {
        return None;
    }
    let is_outside = path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..");
    if is_outside {
        let folder = Path::new(path)
            .parent()
            .map_or_else(String::new, |folder| folder.to_string_lossy().into_owned());
        return Some(one(&format!("{tool}({folder}/**)"), Some(OUTSIDE)));
    }
    Some(match path.split_once('/') {
        Some((folder, _)) => one(&format!("{tool}({folder}/**)"), None),
        None => one(&format!("{tool}({path})"), None),
    })
}

fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#', ':']).next()?;
    let is_host =
        host.contains('.') && host.chars().all(|c| c.is_ascii_alphanumeric() || ".-".contains(c));
    is_host.then_some(host)
}

/// The permissions that a line of shell needs, one for each command in it.
pub(super) fn of_command(line: &str) -> Vec<Tool> {
    if line.len() > MAX_COMMAND_BYTES {
        return Vec::new();
    }
    let parsed = shell::parse(line);
    if !parsed.errors.is_empty() {
        return Vec::new();
    }
    let mut seen = HashSet::new();
    let mut tools = Vec::new();
    for command in parsed.script.commands() {
        let words: Vec<Option<String>> = command
            .words
            .iter()
            .map(|word| word.literal().map(std::borrow::Cow::into_owned))
            .collect();
        let Some(tool) = of_words(&words) else { continue };
        if Permission::parse(&tool.permission).is_ok() && seen.insert(tool.permission.clone()) {
            tools.push(tool);
        }
    }
    // What was chosen has to permit what was run; if it does not, a person had better look.
    let all = Permissions::new(tools.iter().map(|tool| tool.permission.as_str()));
    if tools.iter().all(|tool| tool.chosen) && !permit(&all, line).is_allowed() {
        for tool in &mut tools {
            let alone = Permissions::new([&tool.permission]);
            if alone.unlimited().is_some() {
                *tool = one(&tool.permission, Some(ANY_CODE));
            }
        }
    }
    tools
}

/// The permission for one command of these words.
fn of_words(words: &[Option<String>]) -> Option<Tool> {
    let name = words.first()?.as_deref()?;
    if name.is_empty() || !words_fit(name) {
        return None;
    }
    let word = |at: usize| {
        words.get(at).and_then(Option::as_deref).filter(|word| words_fit(word) && !word.is_empty())
    };
    let program = name.rsplit('/').next().unwrap_or(name);
    let open = |words: &[&str]| format!("Bash({}:*)", words.join(" "));
    if let Some(why) = mark(program) {
        return Some(one(&open(&[name]), Some(why)));
    }
    if INTERPRETERS.contains(&program) {
        return Some(match (word(1), word(2)) {
            (Some("-m"), Some(module)) => one(&open(&[name, "-m", module]), None),
            (Some(option), _) if option.starts_with('-') => {
                one(&open(&[name, option]), Some(ANY_CODE))
            }
            (Some(script), _) => one(&open(&[name, script]), None),
            (None, _) => one(&open(&[name]), Some(ANY_CODE)),
        });
    }
    if !WITH_SUBCOMMANDS.contains(&program) {
        let destroys = program == "find"
            && words
                .iter()
                .flatten()
                .any(|word| matches!(word.as_str(), "-delete" | "-exec" | "-execdir"));
        let rewrites =
            program == "sed" && words.iter().flatten().any(|word| word.starts_with("-i"));
        let why = if destroys { Some(DESTROYS) } else { None };
        let permission = if rewrites { open(&[name, "-i"]) } else { open(&[name]) };
        return Some(one(&permission, why));
    }
    let Some(sub) = word(1).filter(|sub| !sub.starts_with('-')) else {
        // `make` alone, or options before the sub-command: nothing narrower can be said.
        let is_alone = words.len() == 1;
        return Some(if is_alone {
            one(&format!("Bash({name})"), None)
        } else {
            one(&open(&[name]), Some(ANY_CODE))
        });
    };
    let needs_more = THREE_PARTS.contains(&program) || TWO_WORDS.contains(&(program, sub));
    let words = match word(2).filter(|next| needs_more && !next.starts_with('-')) {
        Some(next) => format!("{name} {sub} {next}"),
        None => format!("{name} {sub}"),
    };
    let marked = MARKED.iter().find(|(start, _)| {
        words == *start || words.strip_prefix(start).is_some_and(|rest| rest.starts_with(' '))
    });
    Some(one(&open(&[&words]), marked.map(|(_, why)| *why)))
}

fn mark(program: &str) -> Option<&'static str> {
    if DESTRUCTIVE.contains(&program) {
        Some(DESTROYS)
    } else if REACHING.contains(&program) {
        Some(REACHES)
    } else {
        RUNNING.contains(&program).then_some(ANY_CODE)
    }
}

/// Whether a word can stand in a permission as it is.
fn words_fit(word: &str) -> bool {
    word.len() <= 200 && word.chars().all(|c| c.is_alphanumeric() || "_-./@:+=,%~".contains(c))
}
