//! What shows in the words of any command: names put together from pieces, tell-tale arguments.

use super::call::Call;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::Match;
use crate::scan::rules;
use crate::scan::shell_flow::{Value, Walk};
use crate::shell::SimpleCommand;
use std::ops::Range;

impl Walk<'_, '_, '_> {
    /// A name put together from several variables hides what runs.
    pub(super) fn check_built_name(
        &mut self,
        simple: &SimpleCommand,
        name: &Value,
        at: &Range<usize>,
    ) {
        let Some(word) = simple.words.first() else { return };
        let expansions =
            self.source.get(word.span.clone()).unwrap_or_default().matches('$').count();
        let letters = !name.text.is_empty()
            && name
                .text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'-' | b'_' | b'.'));
        let known = matches!(
            name.text.rsplit('/').next(),
            Some(
                "curl"
                    | "wget"
                    | "sh"
                    | "bash"
                    | "zsh"
                    | "python"
                    | "python3"
                    | "nc"
                    | "eval"
                    | "perl"
                    | "ruby"
                    | "node"
                    | "base64"
                    | "exec"
                    | "ssh"
                    | "osascript"
            )
        );
        if expansions >= 2 && letters && known {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    format!("the command `{}` is put together from pieces", name.text),
                ),
            );
        }
        let source = self.source.get(word.span.clone()).unwrap_or_default();
        let variable =
            source.trim_matches('"').trim_start_matches(['$', '{']).trim_end_matches('}');
        if source.contains('$')
            && is_pieced(self.source, variable)
            && self.passage.context != Context::InlineCode
        {
            let message = format!("the command in `{variable}` is put together from pieces");
            self.report(at, Match::new(&rules::OBFUSCATED_CODE, Severity::Warn, message));
        }
        // … | $(g 1 0 18 7): what runs is only known when it runs. `$(which x)` is a lookup.
        let lookup = [
            "which", "command", "brew", "npm", "type", "dirname", "pwd", "realpath", "readlink",
            "git", "pyenv", "rbenv", "xcrun", "go env", "python", "node", "nvm",
        ]
        .iter()
        .any(|tool| source.contains(tool));
        if source.starts_with("$(")
            && source.ends_with(')')
            && !lookup
            && !matches!(name.text.as_str(), "")
            && self.passage.context == Context::Script
            && self
                .source
                .get(..word.span.start)
                .is_some_and(|before| before.trim_end().ends_with('|'))
        {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    "the command that gets the text is put together when it runs",
                ),
            );
        }
        // c''u''r''l, c\u\r\l: quotes and backslashes inside a name have no other use.
        if known
            && expansions == 0
            && (source.matches("''").count() + source.matches("\"\"").count() >= 1
                || source.matches('\\').count() >= 2)
        {
            self.report(
                at,
                Match::new(
                    &rules::OBFUSCATED_CODE,
                    Severity::Warn,
                    format!(
                        "the command `{}` is written so that a search does not find it",
                        name.text
                    ),
                ),
            );
        }
    }

    /// `$(curl …)` or `$answer` as the command itself: what was fetched or decoded is run.
    pub(super) fn check_fetched_name(
        &mut self,
        simple: &SimpleCommand,
        name: &Value,
        at: &Range<usize>,
    ) {
        let Some(word) = simple.words.first() else { return };
        let written = self.source.get(word.span.clone()).unwrap_or_default().trim_matches('"');
        let substituted = written.starts_with("$(") && written.ends_with(')')
            || written.starts_with('`') && written.ends_with('`')
            || written.starts_with('$')
                && written[1..].bytes().all(|b| b.is_ascii_alphanumeric() || b"_{}".contains(&b));
        if substituted && !name.taint.is_clean() {
            let found = self.runs(&name.taint, "the shell");
            self.report_some(at, found);
        }
    }

    /// Words that matter wherever they stand in a command.
    pub(super) fn check_words(&mut self, call: &Call, at: &Range<usize>) {
        let text = call.text();
        let all = format!("{} {text}", call.name);
        let mention = self.passage.context == Context::InlineCode && call.arguments.is_empty();
        let searches = matches!(
            call.name.as_str(),
            "grep"
                | "egrep"
                | "rg"
                | "pgrep"
                | "pkill"
                | "ps"
                | "find"
                | "ss"
                | "awk"
                | "sed"
                | "echo"
                | "printf"
        );
        let miner = matches!(
            call.name.rsplit('/').next(),
            Some(
                "xmrig"
                    | "minerd"
                    | "cpuminer"
                    | "cgminer"
                    | "ethminer"
                    | "nbminer"
                    | "t-rex"
                    | "lolMiner"
                    | "xmr-stak"
            )
        );
        let told = self.passage.context == Context::Fence && is_told(call);
        let pool = all.contains("stratum+tcp")
            || all.contains("stratum+ssl")
            || call.arguments.iter().any(|argument| is_monero(&argument.text));
        if !mention && !searches && !told && (pool || miner) {
            self.report(
                at,
                Match::new(&rules::RESOURCE_ABUSE, Severity::Critical, "a miner is started"),
            );
        }
        if text.contains("169.254.169.254")
            || text.contains("metadata.google.internal")
            || text.contains("169.254.170.2")
            || text.contains("100.100.100.200")
        {
            let credentials =
                ["security-credentials", "service-accounts", "oauth2/token", "identity/", "ram/"]
                    .iter()
                    .any(|part| text.contains(part))
                    || text.contains("169.254.170.2");
            let asked = asks_itself(call) && credentials;
            let severity = if asked { Severity::Critical } else { Severity::Info };
            self.report(
                at,
                Match::new(
                    &rules::METADATA_CREDENTIALS,
                    severity,
                    "the cloud's metadata service is asked for credentials",
                ),
            );
        }
    }
}

/// Whether a line of a report tells of something instead of starting it: `Mining Pool: …`, `- Process: …`.
fn is_told(call: &Call) -> bool {
    #[rustfmt::skip]
    const ORDERS: [&str; 10] =
        ["run", "start", "execute", "command", "cmd", "launch", "then", "usage", "install", "step"];
    // Words of a label.
    const MOST: usize = 4;
    let arguments = call.arguments.iter().map(|argument| argument.text.as_str());
    let words = std::iter::once(call.written.as_str()).chain(arguments);
    let label = words.take(MOST).find_map(|word| word.strip_suffix(':'));
    label.is_some_and(|label| {
        label.starts_with(|c: char| c.is_alphabetic())
            && label.chars().all(char::is_alphabetic)
            && !ORDERS.iter().any(|order| label.eq_ignore_ascii_case(order))
    })
}

/// Whether a command asks an address itself, and does not hand it to another host inside of a request, as
/// who looks for holes in that host does.
fn asks_itself(call: &Call) -> bool {
    let fetches = matches!(
        call.name.as_str(),
        "curl" | "wget" | "http" | "https" | "xh" | "httpie" | "GET" | "POST" | "PUT" | "HEAD"
    );
    let is_metadata = |text: &str| {
        ["169.254.", "metadata.google.internal", "100.100.100.200"]
            .iter()
            .any(|host| text.starts_with(host))
    };
    !fetches
        || call.arguments.iter().any(|argument| {
            let text = argument.text.trim_start_matches("--url=");
            let is_scheme = |scheme: &str| scheme.bytes().all(|b| b.is_ascii_alphabetic());
            let rest = text.split_once("://").filter(|(scheme, _)| is_scheme(scheme));
            is_metadata(rest.map_or(text, |(_, rest)| rest))
        })
}

/// Whether a variable is given a row of expansions with nothing between them: `w=$(at 22)$(at 6)$(at 4)`,
/// `w=${a:3:1}${a:9:1}${b}`.
fn is_pieced(source: &str, variable: &str) -> bool {
    const LEAST: usize = 3;
    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if variable.is_empty() || !variable.bytes().all(name) {
        return false;
    }
    let given = format!("{variable}=");
    source.match_indices(&given).any(|(at, _)| {
        let value = source[at + given.len()..].split(['\n', ';']).next().unwrap_or_default();
        let starts = !source[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        // What is left when the expansions are taken out.
        let (mut rest, mut pieces, mut depth) = (String::new(), 0, 0_usize);
        let mut letters = value.chars().peekable();
        while let Some(c) = letters.next() {
            match c {
                '$' if depth == 0 => {
                    pieces += 1;
                    if matches!(letters.peek(), Some('(' | '{')) {
                        letters.next();
                        depth = 1;
                    } else {
                        while letters.next_if(|c| c.is_ascii_alphanumeric() || *c == '_').is_some()
                        {
                        }
                    }
                }
                '(' | '{' if depth > 0 => depth += 1,
                ')' | '}' if depth > 0 => depth -= 1,
                _ if depth == 0 => rest.push(c),
                _ => {}
            }
        }
        starts && pieces >= LEAST && rest.trim_matches(['"', ' ']).is_empty()
    })
}

/// The address of a wallet of the coin that is mined on other people's processors.
fn is_monero(word: &str) -> bool {
    const LENGTHS: [usize; 2] = [95, 106];
    let address = word.split('.').next().unwrap_or(word);
    LENGTHS.contains(&address.len())
        && address.starts_with(['4', '8'])
        && address.bytes().all(|b| b.is_ascii_alphanumeric())
}
