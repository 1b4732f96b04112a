//! What of the tools was really used, as `allowed-tools` says it: down to the sub-command.
//!
//! Only what worked counts. What destroys, reaches others or runs any code is offered and not chosen:
//! the agent will ask. Whatever is chosen permits the very command that was run, or it is not chosen.

use std::path::Path;

use hone_agent::step::Outcome;
use hone_guard::permit::{inner, permit};
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

impl Tool {
    /// Whether a text names what this permits: `cargo test` for `Bash(cargo test:*)`.
    pub(super) fn is_named_in(&self, text: &str) -> bool {
        let inside = self.permission.split_once('(').map(|(_, rest)| rest.trim_end_matches(')'));
        let name = inside.map_or(self.permission.as_str(), |inside| {
            inside.trim_end_matches(":*").trim_end_matches("**").trim_start_matches("domain:")
        });
        let is_apart = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
        !name.is_empty()
            && text.match_indices(name).any(|(at, _)| {
                let (before, after) = (&text[..at], &text[at + name.len()..]);
                let is_end = name.ends_with('/') || is_apart(after.chars().next());
                is_apart(before.chars().next_back()) && is_end
            })
    }
}

const DESTROYS: &str = "it can destroy things";
const REACHES: &str = "it reaches others";
const ANY_CODE: &str = "it runs any code";
const WRITES: &str = "it can write any file";
const INSTALLS: &str = "it installs the code of others";
const OUTSIDE: &str = "it is outside the folder of the work";
const LEFT_OUT: &str = "its step was left out";
const REFUSED: &str = "it would not permit the command that was run";

/// Programs whose first word is what they do.
#[rustfmt::skip]
const WITH_SUBCOMMANDS: [&str; 37] = [
    "git", "cargo", "npm", "pnpm", "yarn", "bun", "go", "pip", "pip3", "uv", "poetry", "docker",
    "podman", "kubectl", "helm", "terraform", "systemctl", "apt", "apt-get", "brew", "rustup", "gh",
    "glab", "aws", "gcloud", "az", "make", "just", "mvn", "gradle", "dotnet", "hone", "bundle", "rake",
    "mix", "composer", "flutter",
];

/// Programs whose first word is what they work on. Of any other, a bare word is taken for what it does: should
/// it be something else, the permission is narrower than it could be.
#[rustfmt::skip]
const WITHOUT_SUBCOMMANDS: [&str; 72] = [
    "ls", "cat", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "wc", "pwd", "cd", "echo", "which", "tree",
    "file", "stat", "less", "more", "sort", "uniq", "true", "false", "sleep", "type", "printf", "cp", "ln", "install",
    "mkdir", "touch", "tee", "diff", "cmp", "cut", "tr", "date", "seq", "test", "[", "export", "set", "unset", "read",
    "wait", "exit", "break", "continue", "df", "du", "basename", "dirname", "realpath", "readlink", "id", "uname",
    "ps", "jq", "yq", "column", "comm", "paste", "join", "fold", "nl", "tar", "gzip", "gunzip", "zip", "unzip",
    "pushd", "popd",
];

/// Programs that write where they are told: in the folder of the work, or anywhere.
const COPYING: [&str; 3] = ["cp", "ln", "install"];

/// Words that say the same of any program.
#[rustfmt::skip]
const VERBS: [(&str, &str); 20] = [
    ("publish", REACHES), ("deploy", REACHES), ("push", REACHES), ("upload", REACHES), ("login", REACHES),
    ("send", REACHES), ("release", REACHES),
    ("delete", DESTROYS), ("destroy", DESTROYS), ("remove", DESTROYS), ("rm", DESTROYS), ("prune", DESTROYS),
    ("purge", DESTROYS), ("uninstall", DESTROYS),
    ("install", INSTALLS), ("add", INSTALLS), ("get", INSTALLS), ("upgrade", INSTALLS),
    ("exec", ANY_CODE), ("eval", ANY_CODE),
];

/// Programs of which such a word says something else.
const OTHERWISE: [(&str, &str); 6] = [
    ("git", "add"),
    ("kubectl", "get"),
    ("helm", "get"),
    ("hone", "add"),
    ("gh", "release"),
    ("docker", "exec"),
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

/// Those whose second word is a verb: what only looks is chosen.
const THREE_PARTS: [&str; 5] = ["gh", "glab", "aws", "gcloud", "az"];

/// How such a verb begins that only looks.
const LOOKS: [&str; 9] =
    ["list", "ls", "view", "show", "status", "describe", "get", "diff", "checks"];

const INTERPRETERS: [&str; 17] = [
    "python", "node", "ruby", "perl", "bash", "sh", "zsh", "deno", "npx", "uvx", "bunx", "php",
    "lua", "Rscript", "tsx", "ts-node", "julia",
];

#[rustfmt::skip]
const DESTRUCTIVE: [&str; 30] = [
    "rm", "rmdir", "unlink", "del", "erase", "rd", "dd", "mkfs", "shred", "wipe", "truncate", "kill", "pkill",
    "killall", "shutdown", "reboot", "sudo", "doas", "su", "chmod", "chown", "mv", "xargs", "fdisk",
    "parted", "mkswap", "userdel", "groupdel", "iptables", "nft",
];

#[rustfmt::skip]
const REACHING: [&str; 49] = [
    "curl", "wget", "http", "https", "xh", "aria2c", "ssh", "sshpass", "scp", "sftp", "mosh", "ssh-copy-id", "rsync",
    "rclone", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "lftp", "smbclient", "mail", "mutt", "msmtp",
    "sendmail", "swaks", "ngrok", "cloudflared", "vercel", "netlify", "fly", "flyctl", "heroku", "wrangler",
    "firebase", "twine", "s3cmd", "gsutil", "azcopy", "ansible", "ansible-playbook", "redis-cli", "psql",
    "mysql", "mariadb", "mongo", "mongosh", "ldapsearch",
];

/// What runs what it is given. The first line is what is looked through where it can be told what runs.
#[rustfmt::skip]
const RUNNING: [&str; 62] = [
    "timeout", "env", "nice", "nohup", "time", "stdbuf", "command", "builtin",
    "eval", "source", ".", "exec", "trap", "watch", "parallel", "setsid", "strace", "ltrace", "busybox", "script",
    "flock", "ionice", "chrt", "taskset", "unshare", "nsenter", "chroot", "runuser", "systemd-run", "screen",
    "tmux", "crontab", "at", "batch", "expect", "pwsh", "powershell", "cmd", "osascript", "tclsh", "gdb",
    "lldb", "vim", "vi", "nvim", "ex", "ed", "emacs", "awk", "gawk", "mawk", "nawk", "sqlite3", "irb",
    "jshell", "ghci", "erl", "elixir", "scala", "groovy", "fish", "ksh",
];

/// Interpreters that fetch what they run.
const FETCHING: [&str; 3] = ["npx", "uvx", "bunx"];

/// Sub-commands that destroy, publish or run what they are given, as the beginning of a permission.
const MARKED: [(&str, &str); 75] = [
    ("npm i", INSTALLS),
    ("npm ci", INSTALLS),
    ("npm update", INSTALLS),
    ("npm link", INSTALLS),
    ("uv pip install", INSTALLS),
    ("uv pip sync", INSTALLS),
    ("uv tool", INSTALLS),
    ("uv sync", INSTALLS),
    ("pip download", INSTALLS),
    ("pip3 download", INSTALLS),
    ("composer require", INSTALLS),
    ("go run", ANY_CODE),
    ("git reset", DESTROYS),
    ("git clean", DESTROYS),
    ("git checkout", DESTROYS),
    ("git restore", DESTROYS),
    ("git rebase", DESTROYS),
    ("git branch", DESTROYS),
    ("git stash drop", DESTROYS),
    ("git stash clear", DESTROYS),
    ("git worktree remove", DESTROYS),
    ("git filter-branch", DESTROYS),
    ("git update-ref", DESTROYS),
    ("git rm", DESTROYS),
    ("git push", REACHES),
    ("git bisect", ANY_CODE),
    ("git submodule foreach", ANY_CODE),
    ("npm publish", REACHES),
    ("pnpm publish", REACHES),
    ("yarn publish", REACHES),
    ("yarn npm", REACHES),
    ("cargo publish", REACHES),
    ("poetry publish", REACHES),
    ("uv publish", REACHES),
    ("npm exec", ANY_CODE),
    ("npm x", ANY_CODE),
    ("pnpm dlx", ANY_CODE),
    ("pnpm exec", ANY_CODE),
    ("yarn dlx", ANY_CODE),
    ("yarn exec", ANY_CODE),
    ("bun x", ANY_CODE),
    ("deno run", ANY_CODE),
    ("deno eval", ANY_CODE),
    ("docker push", REACHES),
    ("docker run", ANY_CODE),
    ("docker exec", ANY_CODE),
    ("docker compose exec", ANY_CODE),
    ("docker compose run", ANY_CODE),
    ("docker compose down", DESTROYS),
    ("docker rm", DESTROYS),
    ("docker rmi", DESTROYS),
    ("docker kill", DESTROYS),
    ("docker system", DESTROYS),
    ("docker volume", DESTROYS),
    ("docker image rm", DESTROYS),
    ("docker image prune", DESTROYS),
    ("docker container rm", DESTROYS),
    ("docker container prune", DESTROYS),
    ("podman push", REACHES),
    ("podman run", ANY_CODE),
    ("podman exec", ANY_CODE),
    ("podman rm", DESTROYS),
    ("podman rmi", DESTROYS),
    ("kubectl delete", DESTROYS),
    ("kubectl drain", DESTROYS),
    ("kubectl apply", REACHES),
    ("kubectl create", REACHES),
    ("kubectl patch", REACHES),
    ("kubectl edit", REACHES),
    ("kubectl scale", REACHES),
    ("kubectl exec", ANY_CODE),
    ("kubectl run", ANY_CODE),
    ("helm uninstall", DESTROYS),
    ("terraform destroy", DESTROYS),
    ("terraform apply", REACHES),
];

/// Everything that was used and worked, in the order of first use.
pub(super) fn used(experience: &Experience) -> Vec<Tool> {
    let folder = folder(experience);
    let mut tools: Vec<Tool> = Vec::new();
    for step in experience.steps.iter().filter(|step| step.outcome == Outcome::Ok) {
        for tool in of_deed(&deed(step, folder), &tools) {
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

/// The permissions that a deed needs, beside those that are known.
pub(super) fn of_deed(deed: &Deed, known: &[Tool]) -> Vec<Tool> {
    let mut found: Vec<Tool> = match deed {
        Deed::Run(command) => {
            let mut found = of_command(command);
            found.extend(written(command, &found, known));
            found
        }
        Deed::Change(paths) => paths.iter().filter_map(|path| file("Edit", path)).collect(),
        Deed::Look(tool, _) => vec![one(tool, None)],
        Deed::Fetch(url) => {
            let host = host(url).map(|host| format!("WebFetch(domain:{host})"));
            host.map(|permission| one(&permission, Some(REACHES))).into_iter().collect()
        }
        Deed::Call(tool) if tool.starts_with("mcp__") => vec![one(tool, Some(REACHES))],
        Deed::Call(tool) if tool.to_lowercase().replace('_', "") == "websearch" => {
            vec![one("WebSearch", Some(REACHES))]
        }
        Deed::Call(_) | Deed::Aside => Vec::new(),
    };
    found.retain(|tool| Permission::parse(&tool.permission).is_ok());
    found
}

fn one(permission: &str, why: Option<&str>) -> Tool {
    Tool {
        permission: permission.to_owned(),
        count: 1,
        chosen: why.is_none(),
        why: why.map(str::to_owned),
    }
}

/// Takes back what only a step needed that was left out; what was said against it stays.
pub(super) fn leave_out(tool: &mut Tool) {
    tool.chosen = false;
    let why = tool.why.take().map_or_else(String::new, |why| format!("{why}; "));
    tool.why = Some(format!("{why}{LEFT_OUT}"));
}

/// Whether only a step needed it that was left out.
pub(super) fn is_left_out(tool: &Tool) -> bool {
    tool.why.as_deref().is_some_and(|why| why.ends_with(LEFT_OUT))
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
    if is_outside(path) {
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

/// Whether a path leaves the folder of the work.
fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
}

/// Whether a word of a command is a path that leaves the folder, or one that only the shell knows.
fn leaves_folder(words: &[Option<String>]) -> bool {
    words[1..].iter().any(|word| word.as_deref().is_none_or(is_outside))
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
    let mut tools: Vec<(Tool, shell::Span)> = Vec::new();
    for command in parsed.script.commands() {
        let words: Vec<Option<String>> = command
            .words
            .iter()
            .map(|word| word.literal().map(std::borrow::Cow::into_owned))
            .collect();
        let Some(tool) = of_words(&words) else { continue };
        let is_known = tools.iter().any(|(known, _)| known.permission == tool.permission);
        if Permission::parse(&tool.permission).is_ok() && !is_known {
            tools.push((tool, command.span.clone()));
        }
    }
    // What is chosen has to permit what was run; where it does not, a person had better look. What a line
    // writes is asked for on its own.
    let all = Permissions::new(tools.iter().map(|(tool, _)| tool.permission.as_str()));
    let refusals = permit(&all, line).refusals;
    for refusal in refusals.iter().filter(|refusal| refusal.writes.is_none()) {
        for (tool, span) in &mut tools {
            let is_inside = span.start <= refusal.span.start && refusal.span.end <= span.end;
            if tool.chosen && is_inside {
                *tool = one(&tool.permission, Some(REFUSED));
            }
        }
    }
    tools.into_iter().map(|(tool, _)| tool).collect()
}

/// The permission for one command of these words.
fn of_words(words: &[Option<String>]) -> Option<Tool> {
    let plain: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
    let words = inner(&plain).and_then(|at| words.get(at..)).unwrap_or(words);
    let name = words.first()?.as_deref()?;
    if name.is_empty() || !words_fit(name) {
        return None;
    }
    let word = |at: usize| {
        words.get(at).and_then(Option::as_deref).filter(|word| words_fit(word) && !word.is_empty())
    };
    let program = name.rsplit('/').next().unwrap_or(name).trim_end_matches(".exe");
    let open = |words: &[&str]| format!("Bash({}:*)", words.join(" "));
    if let Some(why) = mark(program) {
        return Some(one(&open(&[name]), Some(why)));
    }
    if is_interpreter(program) {
        let sub = word(1).and_then(|sub| marked(&format!("{program} {sub}")));
        return Some(match (word(1), word(2)) {
            (Some(word), _) if sub.is_some() => one(&open(&[name, word]), sub),
            (Some("-m"), Some(module)) => one(&open(&[name, "-m", module]), None),
            (Some(option), _) if option.starts_with('-') => {
                one(&open(&[name, option]), Some(ANY_CODE))
            }
            (Some(script), _) => {
                one(&open(&[name, script]), FETCHING.contains(&program).then_some(INSTALLS))
            }
            (None, _) => one(&open(&[name]), Some(ANY_CODE)),
        });
    }
    if !WITH_SUBCOMMANDS.contains(&program) {
        let has = |is_it: &dyn Fn(&str) -> bool| words.iter().flatten().any(|word| is_it(word));
        let why = match program {
            "find" if has(&|word| matches!(word, "-delete" | "-exec" | "-execdir")) => {
                Some(DESTROYS)
            }
            // Whatever it was used for, it may run others.
            "find" => Some(ANY_CODE),
            "sed" if has(&|word| word.starts_with("-i") || word.starts_with("--in-place")) => {
                return Some(one(&open(&[name, "-i"]), Some(WRITES)));
            }
            "sed" if word(1) == Some("-n") => return Some(one(&open(&[name, "-n"]), None)),
            "sed" | "tee" => Some(WRITES),
            _ if COPYING.contains(&program) && leaves_folder(words) => Some(WRITES),
            _ => None,
        };
        let takes_verb = why.is_none() && !WITHOUT_SUBCOMMANDS.contains(&program);
        let is_verb = |word: &&str| {
            takes_verb
                && word.len() > 1
                && word.starts_with(|c: char| c.is_ascii_lowercase())
                && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
        };
        return Some(match word(1).filter(is_verb) {
            Some("run") => one(&open(&[name, "run"]), Some(ANY_CODE)),
            Some(verb) => one(&open(&[name, verb]), says(program, verb)),
            None => one(&open(&[name]), why),
        });
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
    let runs_any = needs_more && word(2).is_some_and(is_interpreter);
    let acts = THREE_PARTS.contains(&program)
        && !word(2).is_some_and(|verb| LOOKS.iter().any(|look| verb.starts_with(look)));
    let why = match marked(&words) {
        None if acts => Some(REACHES),
        None if runs_any => Some(ANY_CODE),
        None if !needs_more => says(program, sub),
        why => why,
    };
    Some(one(&open(&[&words]), why))
}

/// Whether a program runs the code that it is given, whatever its version.
fn is_interpreter(program: &str) -> bool {
    let bare = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS.contains(&program) || INTERPRETERS.contains(&bare)
}

/// What a word says of any program.
fn says(program: &str, verb: &str) -> Option<&'static str> {
    let found = VERBS.iter().find(|(word, _)| *word == verb);
    found.filter(|_| !OTHERWISE.contains(&(program, verb))).map(|(_, why)| *why)
}

/// What is said against a sub-command.
fn marked(words: &str) -> Option<&'static str> {
    let is_it = |start: &str| {
        words.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    MARKED.iter().find(|(start, _)| is_it(start)).map(|(_, why)| *why)
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
