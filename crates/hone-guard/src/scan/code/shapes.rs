//! What shows in the shape of code rather than in a flow: shells on sockets, encrypt-and-delete,
//! code written so that nobody can read it, protections switched off by name.

use super::hidden_names::{built_names, chosen_builtins};
use super::lexer::Token;
use super::scripting_host;
use super::sockets::socket_shell;
use super::unit::Unit;
use super::wholesale::deletes_everything;
use super::windows::windows;
use crate::scan::Skill;
use crate::scan::destination::{Class, addresses, classify};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::Place;
use crate::scan::rules;
use crate::scan::text::floor;

/// Looks at one unit.
pub(super) fn look(unit: &Unit<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let passage = unit.passage;
    let text: &str = &passage.text;
    let mut report =
        |at: usize, found: Match| findings.add(passage, at..(at + 1).min(text.len()), found);
    let has = |word: &str| text.contains(word);
    let lower = text.to_ascii_lowercase();
    let find = |word: &str| lower.find(word).unwrap_or(0);

    if let Some(at) = socket_shell(&lower, passage.language) {
        let example = matches!(passage.context, Context::Fence) && lower.contains("attacker")
            || addresses(text).iter().any(|a| a.class() == Class::Placeholder)
                && passage.context == Context::Fence;
        let severity = if example { Severity::Info } else { Severity::Critical };
        report(
            at,
            Match::new(&rules::REVERSE_SHELL, severity, "a shell is connected to a socket")
                .with(Flow::new("a shell", "a network connection")),
        );
    }
    if passage.language == Language::JavaScript {
        let names: std::collections::HashSet<&str> = unit
            .tokens
            .iter()
            .filter_map(|s| match &s.token {
                Token::Name(n) if n.starts_with("_0x") && n.len() >= 5 => Some(&**n),
                _ => None,
            })
            .collect();
        if names.len() >= 3 {
            report(
                text.find("_0x").unwrap_or(0),
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Critical,
                    format!(
                        "{} names such as `_0x…`: the code was run through an obfuscator",
                        names.len()
                    ),
                ),
            );
        }
    }
    let clips = [
        "pyperclip.copy(",
        "clipboard.copy(",
        "set-clipboard",
        "clipboardy.write",
        "clipboard.writetext(",
    ];
    if clips.iter().any(|way| lower.contains(way))
        && ["bc1", "0x", "[13]", "wallet", "bitcoin", "ethereum"]
            .iter()
            .any(|word| lower.contains(word))
        && ["paste(", "get-clipboard", "readtext(", "clipboardy.read"]
            .iter()
            .any(|way| lower.contains(way))
    {
        report(
            clips.iter().find_map(|way| lower.find(way)).unwrap_or(0),
            Match::new(
                &rules::DECEIVE_USER,
                Severity::Critical,
                "what is in the clipboard is replaced by an account",
            ),
        );
    }
    if let Some((at, host)) = packed(text, skill) {
        let message = format!("packed data is put into an address at {host}");
        let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message);
        report(at, found.with(Flow::new("packed data", "an address").to(host)));
    }
    built_names(unit, &mut report);
    chosen_builtins(unit, &mut report);
    scripting_host::look(unit, skill, &mut report);
    if matches!(passage.language, Language::PowerShell | Language::Batch)
        || lower.contains("winreg.setvalue")
    {
        windows(&lower, text, passage.context, skill, &mut report);
    }
    if let Some(at) = owners_rights(&lower) {
        report(
            at,
            Match::new(
                &rules::CREDENTIAL_WRITE,
                Severity::Critical,
                "a program is made to run with its owner's rights",
            ),
        );
    }
    if let Some(at) = deletes_everything(&lower) {
        report(
            at,
            Match::new(
                &rules::DESTRUCTIVE,
                Severity::Critical,
                "everything of a kind is deleted, one after the other",
            ),
        );
    }
    if ["mining.subscribe", "mining.authorize", "mining.submit"].iter().filter(|w| has(w)).count()
        >= 2
    {
        report(
            find("mining."),
            Match::new(&rules::RESOURCE_ABUSE, Severity::Critical, "a miner speaks to its pool"),
        );
    }
    if has("administratorPrivileges") && has("doShellScript") {
        report(
            find("administratorprivileges"),
            Match::new(
                &rules::CREDENTIAL_WRITE,
                Severity::Critical,
                "a shell command asks for the administrator's rights",
            ),
        );
    }
    if (has("stratum+tcp") || has("stratum+ssl")) && passage.context != Context::Fence {
        report(
            find("stratum"),
            Match::new(
                &rules::RESOURCE_ABUSE,
                Severity::Critical,
                "a miner is connected to its pool",
            ),
        );
    }
    // A block without a language is a request or an answer; what of it is a command is looked at as one.
    let shown = passage.context == Context::Fence && passage.language == Language::Plain;
    if !shown
        && (has("169.254.169.254") || has("metadata.google.internal"))
        && ["security-credentials", "service-accounts", "oauth2/token"].iter().any(|w| has(w))
    {
        report(
            find("169.254.169.254").max(find("metadata.google.internal")),
            Match::new(
                &rules::METADATA_CREDENTIALS,
                Severity::Critical,
                "the cloud's metadata service is asked for credentials",
            ),
        );
    }
    let forks = has("os.fork()")
        && (has("while True") || has("while 1"))
        && !has("waitpid")
        && !has("sys.exit")
        && !has("os._exit");
    let again = if forks {
        Some(find("os.fork"))
    } else {
        crate::scan::forks::without_end(passage.language, text)
    };
    if let Some(at) = again {
        let message = "processes are started without end";
        report(at, Match::new(&rules::RESOURCE_ABUSE, Severity::Critical, message));
    }
    let any = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let strange = || {
        addresses(text).iter().any(|address| {
            matches!(classify(address.url), Class::Foreign | Class::Address | Class::Paste)
                && !skill.is_about(&address.host())
        })
    };
    if passage.context == Context::Script
        && any(&["urlretrieve(", "download_file(", "downloadfile(", "copyfileobj("])
        && any(&["s_ixusr", "0o755", "0o700", "0o777", "s_irwxu", ".chmod("])
        && any(&["popen([str(", "popen([p", "run([str(", "run([p", "start_new_session=true"])
        && strange()
    {
        report(
            find("chmod"),
            Match::new(
                &rules::REMOTE_TO_INTERPRETER,
                Severity::Critical,
                "a program is fetched from a stranger's host, made executable and started",
            ),
        );
    }
    // Everything in the home folder, in one line: a place below it would be named.
    if let Some(line) = lower.lines().find(|line| {
        ["dir.home", "path.home()", "homedir()", "expanduser", "userhomedir"]
            .iter()
            .any(|home| line.contains(home))
            && ["rm_rf", "rmtree", "rmsync", "removeall"].iter().any(|word| line.contains(word))
            && ["\"{*,.*}\"", "\"*\"", "'*'", "\"**\"", "iterdir()"]
                .iter()
                .any(|all| line.contains(all))
    }) {
        report(
            lower.find(line).unwrap_or(0),
            Match::new(
                &rules::DESTRUCTIVE,
                Severity::Critical,
                "everything in the home folder is deleted",
            ),
        );
    }
    if any(&["/dev/sd?", "/dev/sd*", "/dev/{sd", "/dev/nvme*", "/dev/sd[", "/dev/disk*"])
        && any(&["wipefs", "'dd'", "\"dd\"", "dd if=", "shred", "blkdiscard"])
    {
        report(
            find("/dev/"),
            Match::new(&rules::DESTRUCTIVE, Severity::Critical, "every disk is overwritten"),
        );
    }
    // A single line that fetches and evaluates has no other use, however it hands the text on.
    if matches!(passage.place, Place::Fixed { .. })
        && !text.trim().contains('\n')
        && ["eval(", "eval)(", "exec(", "new function(", "runinthiscontext(", "instance_eval"]
            .iter()
            .any(|word| lower.contains(word))
        && ["get(", "fetch(", "urlopen(", "open(", "request(", "file_get_contents("]
            .iter()
            .any(|word| lower.contains(word))
        && addresses(text).iter().any(|address| {
            matches!(classify(address.url), Class::Foreign | Class::Address | Class::Paste)
        })
    {
        report(
            find("eval"),
            Match::new(
                &rules::REMOTE_TO_INTERPRETER,
                Severity::Critical,
                "one line fetches a text and runs it",
            ),
        );
    }
    if passage.context == Context::Script
        && let Some(at) = waits_for_a_date(&lower)
    {
        report(
            at,
            Match::new(
                &rules::DESTRUCTIVE,
                Severity::Warn,
                "folders are deleted once a fixed date has passed",
            )
            .with(Flow::new("a date", "folders that are deleted").when("after that date")),
        );
    }
    base_url(unit, skill, &mut report);
}

/// Where a program gets the right to run as its owner. A pattern that looks for such a command is none.
fn owners_rights(lower: &str) -> Option<usize> {
    const MODES: [&str; 5] = ["s_isuid", "0o4755", "0o6755", "04755", "0o4777"];
    const PATTERNS: [&str; 5] = ["\\b", "\\d", "\\s", ".*", "[0-7]"];
    let lines =
        || lower.split('\n').filter(|line| !PATTERNS.iter().any(|sign| line.contains(sign)));
    // `mode & S_ISUID` asks whether it has the right.
    let gives = |line: &str| {
        MODES.iter().any(|mode| line.contains(mode))
            && !["& stat.s_isuid", "& s_isuid", "& 0o4"].iter().any(|test| line.contains(test))
    };
    let calls = |line: &str| {
        line.match_indices("chmod").any(|(at, word)| {
            let behind = line[at + word.len()..].trim_start_matches(' ');
            behind.starts_with(['(', '"', '\'', ',', '0', '4', '6'])
                || behind.starts_with("sync(")
                || behind.starts_with("u+")
        })
    };
    let line = lines().find(|line| calls(line)).filter(|_| lines().any(gives))?;
    lower.find(line).map(|start| start + line.find("chmod").unwrap_or(0))
}

/// Where code compares the time with a date that is written in it, and deletes whole folders. What is
/// only old compares with its age.
fn waits_for_a_date(lower: &str) -> Option<usize> {
    const DELETES: [&str; 8] = [
        "rmtree(",
        "rm_rf",
        "rmsync(",
        "fs.rm(",
        "rimraf",
        "removeall(",
        "remove-item",
        "remove_tree(",
    ];
    const NOW: [&str; 9] = [
        "time.time()",
        "date.now()",
        "datetime.now(",
        "datetime.utcnow(",
        "date.today()",
        "time.now",
        "new date()",
        "get-date",
        "unixtime",
    ];
    if !DELETES.iter().any(|word| lower.contains(word)) || !names_a_date(lower) {
        return None;
    }
    let mut at = 0;
    for line in lower.split_inclusive('\n') {
        let compares = line.contains(['<', '>'])
            || [" -gt ", " -lt ", " -ge ", " -le ", ".after(", ".before("]
                .iter()
                .any(|word| line.contains(word));
        if compares && NOW.iter().any(|word| line.contains(word)) {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// `datetime(2031, 1, 1)`, `"2031-01-01"`, or the seconds or milliseconds of a date.
fn names_a_date(lower: &str) -> bool {
    const SECONDS: std::ops::Range<u64> = 1_600_000_000..2_500_000_000;
    let written = lower.contains("date(20")
        || lower.contains("datetime(20")
        || lower.contains("date(\"20")
        || lower.contains("date('20")
        || lower.contains("isoformat(\"20")
        || lower.contains("isoformat('20");
    // `task_1709000002` is a name, `1_709_000_002` a number.
    let mut numbers = lower
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .map(|word| word.trim_end_matches(|c: char| c.is_ascii_alphabetic()))
        .filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    written
        || numbers.any(|digits| {
            let number = digits.replace('_', "").parse::<u64>().unwrap_or(0);
            SECONDS.contains(&number) || SECONDS.contains(&(number / 1000))
        })
}

/// `"https://host/" + b64encode(compress(data))`, where no document of the skill speaks of that host.
fn packed(text: &str, skill: &Skill<'_>) -> Option<(usize, String)> {
    const PACKS: [&str; 9] = [
        "b64encode",
        "b32encode",
        "btoa(",
        "compress(",
        "hexlify",
        "deflate",
        "'base64'",
        "\"base64\"",
        ".hex()",
    ];
    const REACH: usize = 120;
    if !PACKS.iter().any(|way| text.contains(way)) {
        return None;
    }
    addresses(text).into_iter().find_map(|address| {
        let rest = &text[address.range.end..];
        let rest = rest[..floor(rest, REACH)].split('\n').next().unwrap_or_default();
        let after = rest.trim_start_matches(['"', '\'', '`', '/']).trim_start();
        let host = address.host();
        (after.starts_with('+')
            && PACKS.iter().any(|way| after.contains(way))
            && matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
            && !skill.documents(&host)
            && !skill.is_about(&host))
        .then_some((address.range.start, host))
    })
}

/// An agent's base URL set in code: `os.environ["ANTHROPIC_BASE_URL"] = "https://…"`.
fn base_url(unit: &Unit<'_>, skill: &Skill<'_>, report: &mut impl FnMut(usize, Match)) {
    let tokens = &unit.tokens;
    for at in 0..tokens.len() {
        let name = match &tokens[at].token {
            Token::Text(text) => &**text,
            Token::Name(name) => name.rsplit(['.', ':']).next().unwrap_or(name),
            _ => continue,
        };
        let vendor = [
            "ANTHROPIC_BASE_URL",
            "OPENAI_BASE_URL",
            "OPENAI_API_BASE",
            "CLAUDE_BASE_URL",
            "GEMINI_BASE_URL",
            "ANTHROPIC_API_URL",
            "HTTPS_PROXY",
            "ANTHROPIC_BEDROCK_BASE_URL",
        ]
        .contains(&name);
        if !vendor {
            continue;
        }
        let address = tokens[at + 1..].iter().take(8).find_map(|lexeme| match &lexeme.token {
            Token::Text(text) if text.contains("://") => Some(text.clone()),
            _ => None,
        });
        if let Some(address) = address
            && matches!(classify(&address), Class::Foreign | Class::Address | Class::Inbox)
            && !skill.is_about(&crate::scan::destination::host(&address).unwrap_or_default())
            && unit.passage.context != Context::Fence
        {
            let flow = Flow::new("every prompt and answer", "model base URL")
                .to(crate::scan::destination::host(&address).unwrap_or_default());
            report(
                tokens[at].at(),
                Match::new(
                    &rules::CONTROL_PLANE_WRITE,
                    Severity::Critical,
                    format!("`{name}` sends the agent's conversations to another host"),
                )
                .with(flow),
            );
        }
    }
}
