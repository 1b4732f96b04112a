//! What flows, and what it means where it ends: one judgement for shell and for code.

mod logins;
mod taint;

use super::Skill;
use super::destination::{
    Class, classify, host, is_akin, is_anybodys_project, is_vendors, registry,
};
use super::finding::{Context, Flow, Severity};
use super::findings::Match;
use super::kind::has_extension;
use super::passage::Passage;
use super::places::{Spot, is_global};
use super::rules;
use super::text::visible;
use taint::OWN;
pub(crate) use taint::{Keys, PACKED, Taint, is_key_name, is_vendor_key, own_files, printed_by};

/// Hosts of a skill among which the service of a key is looked for; of more, one is taken to be.
const MAX_AKIN: usize = 512;

/// A value that reaches the network at an address (empty when it is only known at run time).
pub(crate) fn to_network(
    taint: &Taint,
    address: &str,
    via: &str,
    context: Context,
    skill: &Skill<'_>,
) -> Option<Match> {
    let class = if address.is_empty() { None } else { Some(classify(address)) };
    if class == Some(Class::Local) {
        return None;
    }
    if let Some((own, said)) = OWN.iter().find(|(own, _)| taint.secrets.contains(own)) {
        let mut rest = taint.clone();
        rest.secrets.remove(own);
        let worse = to_network(&rest, address, via, context, skill);
        return worse.or_else(|| own_to_network(own, said, address, via, skill));
    }
    let to = host(address).unwrap_or_default();
    // A document shows a command with a place to fill in; a script with such a place still runs.
    let example = class == Some(Class::Placeholder)
        && context != Context::Script
        && context != Context::Hidden;
    let flow = |transform: Option<&str>| {
        let flow = Flow::new(taint.described(), via).to(to.clone());
        match transform {
            Some(transform) => flow.through(transform),
            None => flow,
        }
    };
    if taint.environment {
        let severity = if example { Severity::Info } else { Severity::Critical };
        return Some(
            Match::new(
                &rules::ENVIRONMENT_TO_NETWORK,
                severity,
                format!("the whole environment goes to {}", shown(&to)),
            )
            .with(flow(None)),
        );
    }
    // A report on one's own use, to a place that the person configures.
    let is_mild = |what: &str| {
        matches!(
            what,
            ".env file"
                | "agent transcripts"
                | "shell history"
                | "agent memory"
                | "clipboard"
                | "screenshots"
        )
    };
    // A page that everybody reads is not where a credential belongs, whoever's page it is.
    let own_service = |what: &str| class != Some(Class::Paste) && is_own_service(what, &to);
    let worst = taint.secrets.iter().find(|what| !is_mild(what) && !own_service(what));
    if let Some(what) = worst.or(taint.secrets.first()) {
        let mild = is_mild(what);
        // A password that is typed in to log in somewhere that the skill speaks of, or that is named with it
        // when the script is called.
        let given = to.strip_prefix('$').is_some_and(|name| name.parse::<u8>().is_ok());
        let typed = *what == "a password that is typed in"
            && (to.is_empty() || given || skill.speaks_of(&to) || class == Some(Class::Service));
        let own = typed || mild && class.is_none() || own_service(what);
        let severity = if example || own { Severity::Info } else { Severity::Critical };
        return Some(
            Match::new(
                &rules::SECRET_TO_NETWORK,
                severity,
                format!("{what}: the content goes to {}", shown(&to)),
            )
            .with(flow(None)),
        );
    }
    // A page of the service that everybody reads is not where its key belongs.
    let public = class == Some(Class::Paste);
    let strangers: Vec<&str> = taint
        .keys
        .iter()
        .filter(|key| is_vendor_key(key) && (public || !is_akin(&to, key)))
        .collect();
    if let Some(first) = strangers.first() {
        let open = class.is_none_or(|class| {
            matches!(class, Class::Placeholder | Class::Service | Class::Installer)
        });
        let declared =
            skill.is_about(&to) && taint.keys.iter().any(|key| skill.subject.declares(key));
        let severity =
            if open || declared || example { Severity::Info } else { Severity::Critical };
        return Some(
            Match::new(
                &rules::KEY_TO_FOREIGN_HOST,
                severity,
                format!("`{first}` goes to {}, which is not its service", shown(&to)),
            )
            .with(flow(None)),
        );
    }
    if let Some(key) =
        taint.keys.iter().find(|key| is_key_name(key) && skill.promises.breaks(key, &to))
        && class.is_some_and(|class| !matches!(class, Class::Placeholder | Class::Local))
        // Whatever else stands beside its name: a known service gets the key that it gave out.
        && !(class == Some(Class::Service) && is_akin(&to, key))
        && !example
    {
        return Some(
            Match::new(
                &rules::KEY_TO_FOREIGN_HOST,
                Severity::Critical,
                format!("`{key}` goes to {}, and the skill names another host for it", shown(&to)),
            )
            .with(flow(None)),
        );
    }
    // A key goes where its service is, and somewhere that no document speaks of.
    if let Some(key) = taint.keys.iter().find(|key| is_key_name(key) && !is_akin(&to, key))
        && class == Some(Class::Foreign)
        && context == Context::Script
        && !skill.speaks_of(&to)
        && (skill.host_counts.len() > MAX_AKIN
            || skill.host_counts.keys().any(|host| *host != to && is_akin(host, key)))
    {
        let message = format!("`{key}` goes to {}, which no document speaks of", shown(&to));
        let found = Match::new(&rules::KEY_TO_FOREIGN_HOST, Severity::Critical, message);
        return Some(found.with(flow(None)));
    }
    let is_other =
        |key: &&str| is_key_name(key) && !is_akin(&to, key) && !names_itself(address, key);
    let others = taint.keys.iter().filter(is_other).count();
    if others > 0
        && class.is_some_and(|class| matches!(class, Class::Inbox | Class::Paste | Class::Address))
    {
        let auth = matches!(class, Some(Class::Address));
        let severity = if auth && others == 1 { Severity::Warn } else { Severity::Critical };
        return Some(
            Match::new(
                &rules::KEY_TO_FOREIGN_HOST,
                severity,
                format!("{} goes to {}", taint.described(), shown(&to)),
            )
            .with(flow(None)),
        );
    }
    None
}

/// Whether a key stands where the address of a service has its own: `https://api.telegram.org/bot$TOKEN/…`.
fn names_itself(address: &str, key: &str) -> bool {
    let rest = address.split_once("://api.telegram.org/bot").map(|(_, rest)| rest);
    rest.and_then(|rest| rest.strip_prefix('$')).is_some_and(|rest| {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let behind = rest.strip_prefix(key).unwrap_or("_");
        !behind.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// Whether a kind of content counts only where a host is a stranger's.
pub(crate) fn is_own(what: &str) -> bool {
    OWN.iter().any(|(own, _)| *own == what)
}

/// What is the person's own in a request to somebody's host that the skill names nowhere else.
fn own_to_network(
    own: &str,
    said: &str,
    address: &str,
    via: &str,
    skill: &Skill<'_>,
) -> Option<Match> {
    let to = host(address)?;
    let strange = matches!(
        classify(address),
        Class::Foreign | Class::Address | Class::Inbox | Class::Paste | Class::Shortener
    );
    let named = skill.host_counts.get(&to).copied().unwrap_or(0) > 1;
    if !strange || named || skill.subject.is_about(&to) {
        return None;
    }
    let flow = Flow::new(own, via.to_owned()).to(to.clone());
    let message = format!("{said} to {}", shown(&to));
    Some(Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message).with(flow))
}

/// Whether a host is the one that a kind of credential is for.
fn is_own_service(what: &str, host: &str) -> bool {
    let hosts: &[&str] = match what {
        "git credentials" | "GitHub credentials" => {
            &["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"]
        }
        "AWS credentials" => &["amazonaws.com"],
        "Hugging Face token" => &["huggingface.co"],
        "Azure credentials" => &["azure.com", "microsoftonline.com"],
        "Google Cloud credentials" | "cloud access token" => &["googleapis.com", "azure.com"],
        "registry credentials" => &["docker.io", "docker.com", "pkg.github.com"],
        "service tokens" => &["huggingface.co", "kaggle.com", "wandb.ai"],
        _ => &[],
    };
    let registry = registry(host).is_some_and(|registry| match what {
        "registry credentials" => registry.packages != "pypi",
        "PyPI credentials" => registry.packages == "pypi",
        _ => false,
    });
    registry || hosts.iter().any(|known| host == *known || host.ends_with(&format!(".{known}")))
}

fn shown(host: &str) -> String {
    if host.is_empty() { "the network".to_owned() } else { format!("`{}`", visible(host, 80)) }
}

/// A text that reaches an interpreter.
pub(crate) fn to_interpreter(taint: &Taint, interpreter: &str, context: Context) -> Option<Match> {
    if let Some(from) = &taint.remote {
        let class = classify(from);
        let host = host(from).unwrap_or_default();
        let severity = match class {
            _ if from.is_empty() => Severity::Warn,
            class if class.is_trusted_installer() => Severity::Info,
            Class::Foreign | Class::Service if is_vendors(from) => Severity::Info,
            Class::Service
                if is_anybodys_project(from)
                    && !matches!(context, Context::Script | Context::Hidden) =>
            {
                Severity::Info
            }
            Class::Placeholder if !matches!(context, Context::Script | Context::Hidden) => {
                Severity::Info
            }
            Class::Service => Severity::Warn,
            _ => Severity::Critical,
        };
        let mut flow = Flow::new(format!("a text from {}", shown(&host)), interpreter.to_owned());
        if let Some(how) = taint.decoded {
            flow = flow.through(how);
        }
        return Some(
            Match::new(
                &rules::REMOTE_TO_INTERPRETER,
                severity,
                format!("what {} answers is run by {interpreter}", shown(&host)),
            )
            .with(flow),
        );
    }
    let Some(how) = taint.decoded else {
        let file = taint.bundled.as_ref()?;
        let flow = Flow::new(format!("`{}`", visible(file, 60)), interpreter.to_owned());
        return Some(
            Match::new(
                &rules::DECODED_TO_INTERPRETER,
                Severity::Critical,
                format!(
                    "a text out of the data file `{}` is run by {interpreter}",
                    visible(file, 60)
                ),
            )
            .with(flow),
        );
    };
    let flow = Flow::new("an encoded text", interpreter.to_owned()).through(how);
    Some(
        Match::new(
            &rules::DECODED_TO_INTERPRETER,
            Severity::Critical,
            format!("a text made readable by {how} is run by {interpreter}"),
        )
        .with(flow),
    )
}

/// A write to a path, with what is written as far as it is known.
pub(crate) fn to_file(
    path: &str,
    content: &str,
    taint: &Taint,
    passage: &Passage<'_>,
    skill: &Skill<'_>,
) -> Option<Match> {
    let context = passage.context;
    if is_disk(path) {
        return Some(Match::new(
            &rules::DESTRUCTIVE,
            Severity::Critical,
            format!("a disk is overwritten: `{}`", visible(path, 80)),
        ));
    }
    // Lines of a `.pth` file that start with `import` run whenever Python starts.
    if has_extension(path, "pth") && content.contains("import ") {
        let message =
            format!("Python is made to run code whenever it starts: `{}`", visible(path, 80));
        return Some(Match::new(&rules::PERSISTENCE_WRITE, Severity::Critical, message));
    }
    if let Some(found) = logins::opened(path, content)
        .filter(|_| matches!(context, Context::Script | Context::Hidden))
    {
        return Some(found);
    }
    let spot = super::places::classify(path)?;
    if matches!(spot, Spot::AgentSettings | Spot::AgentMemory) && is_backup(path) {
        return None;
    }
    let active = is_active(content);
    let dirty = taint.remote.is_some() || taint.decoded.is_some();
    let known = !content.trim().is_empty();
    let global = is_global(path);
    let shown = visible(path, 80);
    let flow = |what: &str| Flow::new(what.to_owned(), "file write").to(shown.clone());
    let found = match spot {
        Spot::Logins(what) => {
            let settings = what == "SSH settings" && !active;
            let severity = if settings { Severity::Info } else { Severity::Critical };
            Match::new(&rules::CREDENTIAL_WRITE, severity, format!("{what} are changed: `{shown}`"))
                .with(flow("a login"))
        }
        Spot::ShellStart => {
            let severity = if active || dirty { Severity::Critical } else { Severity::Info };
            Match::new(
                &rules::PERSISTENCE_WRITE,
                severity,
                format!("a shell's start-up file is changed: `{shown}`"),
            )
            .with(flow("a command").when("every new shell"))
        }
        Spot::Autorun(what) => {
            // A skill that says it is about the list of hosts may change it.
            let own = what == "list of host names" && skill.says("hosts");
            let severity = if own {
                Severity::Info
            } else if active || dirty {
                Severity::Critical
            } else if context == Context::Script
                && global
                && (!skill.schedules() || what == "preloaded library")
            {
                Severity::Warn
            } else {
                Severity::Info
            };
            Match::new(
                &rules::PERSISTENCE_WRITE,
                severity,
                format!("a {what} is written: `{shown}`"),
            )
            .with(flow("a command").when("by itself"))
        }
        Spot::GitHooks => {
            let severity = if active || dirty { Severity::Critical } else { Severity::Info };
            Match::new(
                &rules::PERSISTENCE_WRITE,
                severity,
                format!("a git hook is written: `{shown}`"),
            )
            .with(flow("a command").when("on git commands"))
        }
        Spot::EditorTasks => {
            let opens = loosens_agent(content) && context == Context::Script;
            let severity = if active || opens || content.contains("folderOpen") {
                Severity::Critical
            } else {
                Severity::Info
            };
            Match::new(
                &rules::CONTROL_PLANE_WRITE,
                severity,
                format!("an editor's tasks are changed: `{shown}`"),
            )
            .with(flow("a command"))
        }
        Spot::AgentSettings => {
            let loosens =
                loosens_agent(content) && !matches!(context, Context::Fence | Context::InlineCode);
            let severity = if active || dirty || loosens {
                Severity::Critical
            } else if context == Context::Script && global && !is_declared(path, passage, skill) {
                Severity::Warn
            } else {
                Severity::Info
            };
            Match::new(
                &rules::CONTROL_PLANE_WRITE,
                severity,
                format!("an agent's settings are changed: `{shown}`"),
            )
            .with(flow("settings"))
        }
        Spot::AgentMemory => {
            let order = known
                && (is_standing_order(content)
                    || content.contains("://") && context == Context::Script);
            let severity = if active || dirty || order {
                Severity::Critical
            } else if context == Context::Script && global {
                Severity::Warn
            } else {
                Severity::Info
            };
            Match::new(
                &rules::CONTROL_PLANE_WRITE,
                severity,
                format!("an agent's memory is changed: `{shown}`"),
            )
            .with(flow("a standing order").when("every session"))
        }
        Spot::Skills => {
            let severity = if context == Context::Script && (dirty || active || !is_data(path)) {
                Severity::Warn
            } else {
                Severity::Info
            };
            Match::new(
                &rules::CONTROL_PLANE_WRITE,
                severity,
                format!("other skills are changed: `{shown}`"),
            )
            .with(flow("a skill"))
        }
        Spot::PackageConfig => {
            let redirect = content.contains("registry")
                || content.contains("index-url")
                || content.contains("strict-ssl");
            let token = content.contains("_authToken");
            let severity = if redirect
                && !token
                && super::destination::addresses(content)
                    .iter()
                    .any(|a| matches!(a.class(), Class::Foreign | Class::Address | Class::Inbox))
            {
                Severity::Critical
            } else {
                Severity::Info
            };
            Match::new(
                &rules::PACKAGE_SOURCE,
                severity,
                format!("where packages come from is changed: `{shown}`"),
            )
            .with(flow("a registry"))
        }
        Spot::Traces => {
            let severity = if content.trim().is_empty() && path.contains("history") {
                Severity::Warn
            } else {
                Severity::Info
            };
            Match::new(
                &rules::TRACE_WIPING,
                severity,
                format!("a history or log is overwritten: `{shown}`"),
            )
            .with(flow("nothing"))
        }
        Spot::Secret(what) => Match::new(
            &rules::CREDENTIAL_WRITE,
            Severity::Info,
            format!("{what}: a file there is written: `{shown}`"),
        ),
        Spot::DotEnv | Spot::Transcripts => return None,
    };
    Some(found)
}

/// Whether a document of the skill names the settings that a script changes, and nothing in the script says that
/// they open the agent up: what is written is seldom known in full.
fn is_declared(path: &str, passage: &Passage<'_>, skill: &Skill<'_>) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    skill.mentions(&name) && !loosens_agent(&passage.text) && !is_active(&passage.text)
}

/// Whether a path is a copy that is kept beside a file: `settings.json.bak`, `MEMORY.md.bak.20250101`.
fn is_backup(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with('~') || [".bak", ".backup", ".orig"].iter().any(|mark| name.contains(mark))
}

/// Whether a file of a skill is read by nothing but its own scripts: `.last-run.json`, and not `hooks.json`.
fn is_data(path: &str) -> bool {
    const DATA: [&str; 8] = ["json", "jsonl", "txt", "log", "csv", "tsv", "db", "lock"];
    const READ: [&str; 9] = [
        "hooks",
        "plugin",
        "mcp",
        "settings",
        "marketplace",
        "package",
        "skill",
        "agents",
        "claude",
    ];
    let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
    DATA.iter().any(|ending| has_extension(&name, ending))
        && !READ.iter().any(|word| name.contains(word))
}

/// Whether a text that is written somewhere would fetch, decode, send or hide when it runs.
pub(crate) fn is_active(text: &str) -> bool {
    const PAIRS: &[&[&str]] = &[
        &["curl", "| sh"],
        &["curl", "|sh"],
        &["curl", "bash"],
        &["curl", "| python"],
        &["wget", "| sh"],
        &["wget", "|sh"],
        &["wget", "bash"],
        &["curl", "| source"],
        &["wget", "| source"],
        &["wget", "&& sh"],
        &["$(curl"],
        &["`curl"],
        &["<(curl"],
        &["$(wget"],
        &["curl", "eval"],
        &["curl", "-d "],
        &["curl", "--data"],
        &["curl", "-f "],
        &["curl", "-t "],
        &["curl", "-o ", "chmod"],
        &["curl", "-x post"],
        &["base64 -d"],
        &["base64 --decode"],
        &["base64 -D"],
        &["/dev/tcp/"],
        &["nc -e"],
        &["nc ", "/bin/sh"],
        &["mkfifo"],
        &["iex"],
        &["iwr", "http"],
        &["irm", "http"],
        &["invoke-webrequest", "http"],
        &["invoke-restmethod", "http"],
        &["scriptblock]::create", "http"],
        &["downloadstring"],
        &["-encodedcommand"],
        &["-enc "],
        &["urlopen", "exec"],
        &["requests.get", "exec"],
        &["ld_preload"],
        &["prompt_command", "curl"],
        &["prompt_command", "wget"],
        &["nohup", "/tmp/"],
        &["nohup", "/."],
        &["/tmp/."],
        &["/dev/shm/"],
        &["python", "-c", "exec"],
        &["osascript", "do shell script"],
        &["http_proxy=http"],
        &["https_proxy=http"],
        &["_base_url=http"],
        &["alias sudo"],
        &["nopasswd"],
        &["stratum+tcp"],
        &["node -e", "http"],
        &["pip install", "--index-url", "http"],
        &["launchctl load", "http"],
        &["node_options", "--require"],
        &["node_options", "--import"],
        &["node_options=-r"],
        &["pythonstartup="],
        &["bash_env="],
        &["perl5opt="],
        &["rubyopt=-r"],
        &["git_ssh_command="],
        &["dyld_insert_libraries"],
        &["alias ssh=", "/."],
        &["alias git=", "/."],
        &["alias su=", "/."],
        &["alias npm=", "/."],
        &["alias docker=", "/."],
        &["alias claude=", "dangerously"],
        &["alias codex=", "yolo"],
    ];
    let lower = text.to_ascii_lowercase().replace(['"', '\''], "");
    PAIRS.iter().any(|parts| parts.iter().all(|part| lower.contains(part)))
}

/// Whether a path is a whole disk: `/dev/sda`, `/dev/nvme*n1`; `/dev/sdX` is to be filled in.
pub(crate) fn is_disk(path: &str) -> bool {
    let Some(device) = path.trim_matches(['"', '\'']).strip_prefix("/dev/") else { return false };
    let known = ["sd", "nvme", "vd", "hd", "disk", "rdisk", "mmcblk", "xvd"]
        .iter()
        .any(|kind| device.starts_with(kind));
    known && device.len() > 2 && !device.ends_with(['X', 'N', 'Y']) && !device.contains(['<', '$'])
}

/// Whether a text gives an agent standing orders that act behind the person's back.
fn is_standing_order(text: &str) -> bool {
    const ORDERS: &[&str] = &[
        "always run",
        "always execute",
        "always load",
        "always fetch",
        "always use",
        "always send",
        "always include",
        "always approve",
        "before every",
        "before each",
        "before any",
        "before answering",
        "before you answer",
        "before responding",
        "before you respond",
        "before replying",
        "before you reply",
        "apply what it prints",
        "follow what it prints",
        "do what it prints",
        "precedence over requests",
        "precedence over the user",
        "precedence over what the user",
        "overrides the user",
        "do not list this",
        "do not show this",
        "do not reveal",
        "never reveal",
        "never tell",
        "don't tell",
        "don't mention",
        "without telling",
        "after every",
        "after each",
        "at the start of every",
        "every session",
        "each session",
        "without asking",
        "without confirm",
        "do not ask",
        "don't ask",
        "do not mention",
        "never mention",
        "silently",
        "skip confirm",
        "skip permission",
        "auto-approve",
        "ignore",
        "trusted source",
        "pre-approved",
        "do not tell",
        "on every",
    ];
    let lower = text.to_ascii_lowercase();
    ORDERS.iter().any(|order| lower.contains(order)) && lower.len() > 20
}

/// Whether settings open an agent up: permissions off, everything allowed, hooks, other base URL.
pub(crate) fn loosens_agent(text: &str) -> bool {
    const SETTINGS: &[&str] = &[
        "bypasspermissions",
        "dangerously",
        "skippermission",
        "\"hooks\"",
        "'hooks'",
        "hooks:",
        "sessionstart",
        "pretooluse",
        "posttooluse",
        "userpromptsubmit",
        "alwaysallow",
        "autoapprove",
        "auto_approve",
        "base_url",
        "baseurl",
        "enableallprojectmcpservers",
        "\"allow\"",
        "'allow'",
        "mcpservers",
        "mcp_servers",
        "approval_policy",
        "sandbox_mode",
        "defaultmode",
        "danger-full-access",
        "yolo",
        "additionaldirectories",
        "apikeyhelper",
    ];
    // A list of servers or hooks without an entry opens nothing.
    const EMPTY: [&str; 2] = [":{}", ":[]"];
    let lower = text.to_ascii_lowercase();
    let is_set = |(at, setting): (usize, &str)| {
        let mut behind = lower[at + setting.len()..].chars().filter(|c| !c.is_whitespace());
        let mut next = || behind.find(|c| !matches!(c, '"' | '\'' | '\\'));
        let value: String = [next(), next(), next()].into_iter().flatten().collect();
        !EMPTY.contains(&value.as_str())
    };
    SETTINGS.iter().any(|setting| lower.match_indices(setting).any(is_set))
}
