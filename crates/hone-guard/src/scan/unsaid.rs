//! Recipients that no document speaks of: a script reads what the person works on and sends it to a
//! host that the skill never mentions. A service that a skill is made for is named somewhere, if only by
//! a word of its name.

use std::collections::HashSet;
use std::ops::Range;

use super::Skill;
use super::destination::{Class, addresses, classify};
use super::finding::{Context, Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::rules;
use super::subject::{is_domain, registered};
use super::text::floor;

/// How the content of files, arguments and histories is read.
#[rustfmt::skip]
const READS: &[&str] = &[
    "open(", "read_text", "read_bytes", "readfile", "sys.argv", "process.argv", "sys.stdin", "git diff", "git log", "argv[", "os.walk", "glob(", "file_get_contents",
    "get-content", "@$1", "@\"$1", "< \"$1", "<\"$1", "cat \"$", "cat $", "$1", "argf", "file.read", "getoutput(", "check_output(",
];

/// How something is sent in code, and by commands.
#[rustfmt::skip]
const SENDS: &[&str] = &[
    ".post(", ".put(", ".patch(", "requests.request(", "\"post\"", "'post'", "\"put\"", "'put'", "urlopen(", "sendbeacon", "-method post", "-method put", "uploadfile",
    "uploadstring", "uploaddata", "storbinary", "post_form", "http.post", "curlopt_postfields", " --data", " -d @", " -f \"", " -t ", " -t \"", "--upload-file", "--post-file",
    " -f f", "-f file=", ".send(",
];

/// How what is sent is given to a request that may be one that only fetches.
#[rustfmt::skip]
const BODIES: &[&str] = &["data=", "data:", "json=", "files=", "content=", "body=", "body:", "body,", "method=", "method:", "\"post\"", "'post'", "\"put\"", "'put'"];

/// Hosts of one script that the documents are searched for.
const MAX_HOSTS: usize = 64;

/// Looks at one script.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context != Context::Script || !passage.language.runs() || passage.decoded.is_some() {
        return;
    }
    let lower = passage.text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    credentials(passage, &lower, skill, findings);
    if !has(READS) {
        return;
    }
    if has(LOOKUPS) {
        lookups(passage, skill, findings);
    }
    let sends = || SENDS.iter().any(|way| is_way(&lower, way));
    if has(CONNECTS) {
        connections(passage, &lower, skill, findings);
    }
    if !sends() || !sends_more_than_its_address(&lower) {
        return;
    }
    // Each host is asked about once.
    let mut known = HashSet::new();
    let mut namespaces = 0..MAX_HOSTS;
    let marks = marks(&passage.text);
    let unsaid = addresses(&passage.text).into_iter().find(|address| {
        matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
            && !is_read_only(&lower, address.range.start)
            && !is_written_text(&passage.text, &marks, address.range.clone())
            && !is_shown(&lower, address.range.clone())
            && !is_vocabulary(&lower, address.range.clone())
            && !is_only_asked(&lower, address.range.clone())
            && !namespaces.next().is_some_and(|_| is_namespace(&lower, address.range.clone()))
            && known.len() < MAX_HOSTS
            && known.insert(address.host())
            && !skill.speaks_of(&address.host())
    });
    if let Some(address) = unsaid {
        let host = address.host();
        let message = format!("what a script reads goes to {host}, which no document speaks of");
        let flow = Flow::new("what the person works on", "a request").to(host);
        let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message).with(flow);
        findings.add(passage, address.range, found);
    }
}

/// Whether a way to send stands in a script: `[ -f "$file" ]` asks for a file, and `draw_quote(` is no `quote(`.
fn is_way(lower: &str, way: &str) -> bool {
    const TESTS: [&str; 6] = ["[", "!", "test", "&&", "||", "-a"];
    if !way.starts_with(" -") && way != "quote(" {
        return lower.contains(way);
    }
    lower.match_indices(way).any(|(at, _)| {
        let before = &lower[..at];
        if way.starts_with(' ') {
            !TESTS.iter().any(|test| before.ends_with(test))
        } else {
            !before.ends_with('_')
        }
    })
}

/// Whether a script sends by more than requests of fixed addresses: `urlopen("https://…")` alone only fetches.
fn sends_more_than_its_address(lower: &str) -> bool {
    const URLOPEN: &str = "urlopen(";
    // What is put into an address, or given to a call behind it.
    const FILLS: [&str; 8] =
        ["={", "=\" +", "=' +", "=%s", "/{", "urlencode", "quote(", ".format("];
    const BODY: [&str; 3] = ["data=", "body=", "method="];
    let more = SENDS.iter().filter(|way| **way != URLOPEN).chain(&BODY).chain(&FILLS);
    more.into_iter().any(|way| is_way(lower, way))
        || lower.split(URLOPEN).skip(1).chain(lower.split("request(").skip(1)).any(|call| {
            let call = call.split(['\n', ')']).next().unwrap_or_default();
            call.split(',').skip(1).any(|given| !given.contains('='))
        })
}

/// How names are looked up.
#[rustfmt::skip]
const LOOKUPS: &[&str] = &[
    "getresource", "resolv::dns", "dns.resolve", "dns.lookup", "resolver.resolve", "resolver.query", "gethostbyname", "getaddrinfo", "lookuphost", "lookuptxt", "dns_get_record", "resolve-dnsname", "nslookup",
    "dig +", "dig ", "checkdnsrr", "net.lookup", "query_txt", "resolvetxt", "resolve4",
];

/// How connections are opened by a bare name.
#[rustfmt::skip]
const CONNECTS: &[&str] = &[
    "httpsconnection(", "httpconnection(", "https.request", "http.request", "from 'node:https'", "from \"https\"", "from 'https'", "require('https')", "require(\"https\")", "net::http", "net.connect",
    "net.dial", "fsockopen", "smtplib.smtp", "ftplib.ftp", "tlssocket", "tls.connect",
];

/// A text between quotation marks.
struct Quoted<'t> {
    at: usize,
    text: &'t str,
}

/// Longest text that is read as the name of a host.
const MAX_NAME: usize = 120;

/// Short texts between quotation marks on one line.
fn quoted(text: &str) -> impl Iterator<Item = Quoted<'_>> {
    text.match_indices(['"', '\'']).filter_map(|(at, quote)| {
        let rest = &text[at + 1..floor(text, at + 1 + MAX_NAME)];
        let end = rest.find([quote.chars().next()?, '\n'])?;
        Some(Quoted { at: at + 1, text: &rest[..end] })
    })
}

/// `"#{chunk}.#{i}.t.somewhere.org"`: what a script reads, put into names that somebody's server is asked
/// for.
fn lookups(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let asked = quoted(&passage.text).find_map(|name| {
        let (_, fixed) = name.text.rsplit_once(['}', '+'])?;
        let host = fixed.trim_start_matches('.').to_ascii_lowercase();
        let filled = name.text.contains(['{', '$', '%']) && fixed.starts_with('.');
        (filled && is_stranger(&host, skill)).then_some((name.at, host))
    });
    if let Some((at, host)) = asked {
        let message = format!("what a script reads goes into names that {host} is asked for");
        let flow = Flow::new("what the person works on", "DNS names").to(host);
        let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message).with(flow);
        findings.add(passage, at..at + 1, found);
    }
}

/// `HTTPSConnection("somewhere.net")`, `request({ host: "somewhere.net", method: "POST" })`.
fn connections(passage: &Passage<'_>, lower: &str, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !SENDS.iter().any(|way| lower.contains(way))
        && !["createreadstream", ".write(", ".end(", "storbinary", "sendmail("]
            .iter()
            .any(|way| lower.contains(way))
    {
        return;
    }
    let mut known = HashSet::new();
    let reached = quoted(&passage.text).find(|name| {
        let line = lower[..name.at].rsplit('\n').next().unwrap_or_default();
        ["host", "connection(", "connect", "dial", "socket", "smtp(", "ftp(", "start("]
            .iter()
            .any(|word| line.contains(word))
            && known.len() < MAX_HOSTS
            && known.insert(name.text)
            && is_stranger(&name.text.to_ascii_lowercase(), skill)
    });
    if let Some(name) = reached {
        let host = name.text.to_ascii_lowercase();
        let message = format!("what a script reads goes to {host}, which no document speaks of");
        let flow = Flow::new("what the person works on", "a connection").to(host);
        let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message).with(flow);
        findings.add(passage, name.at..name.at + 1, found);
    }
}

/// Bytes around an address in which its request is written.
const MAX_AROUND: usize = 160;

/// The headers, cookies or logins of one client in a request to another host: what it was made for is
/// elsewhere.
fn credentials(passage: &Passage<'_>, lower: &str, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    #[rustfmt::skip]
    const TAKEN: [&str; 12] = [
        "session.headers", "s.headers", "client.headers", "self.headers", "this.headers", "defaults.headers", "session.cookies", "s.cookies", "self.cookies", "self.auth", "session.auth", "request.headers",
    ];
    if !TAKEN.iter().any(|word| lower.contains(word)) {
        return;
    }
    let stranger = addresses(&passage.text).into_iter().take(MAX_HOSTS).find(|address| {
        let after = &lower[address.range.end..floor(lower, address.range.end + MAX_AROUND)];
        let call = after.split(['\n', ';']).next().unwrap_or(after);
        matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
            && TAKEN.iter().any(|word| call.contains(word))
            && !skill.speaks_of(&address.host())
    });
    if let Some(address) = stranger {
        let host = address.host();
        let message =
            format!("what a client logs in with goes to {host}, which no document speaks of");
        let flow = Flow::new("the headers of a client", "a request").to(host);
        let found = Match::new(&rules::KEY_TO_FOREIGN_HOST, Severity::Warn, message).with(flow);
        findings.add(passage, address.range, found);
    }
}

/// Whether a bare name is a host that nobody knows and no document speaks of.
fn is_stranger(host: &str, skill: &Skill<'_>) -> bool {
    is_domain(&registered(host))
        && host.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
        && matches!(classify(host), Class::Foreign | Class::Address | Class::Inbox)
        && !skill.speaks_of(host)
}

/// Whether an address stands in a comment, or right in a call that only fetches.
fn is_read_only(lower: &str, at: usize) -> bool {
    const FETCHES: [&str; 8] = [
        ".get(",
        "urlretrieve(",
        "wget ",
        "git clone",
        "xmlns",
        "user-agent",
        // Names of vocabularies, which nobody asks for.
        "\"@context\"",
        "\"$schema\"",
    ];
    let line = lower[..at].rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start();
    line.starts_with(['#', '*'])
        || line.starts_with("//")
        || FETCHES.iter().any(|way| line.contains(way))
}

/// Whether an address is part of what a line prints: a usage, an example, a link. What is handed on in the same
/// line is not.
fn is_shown(lower: &str, address: Range<usize>) -> bool {
    const PRINTS: [&str; 9] = [
        "print(",
        "echo ",
        "console.log(",
        "console.error(",
        "printf ",
        "puts ",
        "help=",
        "epilog=",
        "usage=",
    ];
    let before = lower[..address.start].rsplit('\n').next().unwrap_or_default();
    let behind = lower[address.end..].split('\n').next().unwrap_or_default();
    PRINTS.iter().any(|way| before.trim_start().starts_with(way))
        && ![before, behind].iter().any(|part| part.contains(['|', '`']) || part.contains("$("))
}

/// Lines of a statement behind the one in which an address or its name stands.
const MAX_BEHIND: usize = 6;
/// Places of a name that are looked at.
const MAX_USES: usize = 32;

/// Whether an address has a name that is used for requests that only fetch: with no body, and with nothing in the
/// address that was read or encoded.
fn is_only_asked(lower: &str, address: Range<usize>) -> bool {
    const FETCHES: [&str; 4] = ["get(", "urlopen(", "request(", "fetch("];
    #[rustfmt::skip]
    const FILLED: [&str; 16] = [
        "read", "open(", "b64", "base64", "hex", "encode(", "content", "data", "text", "body", "payload", "chunk", "dump", "stdin", "output", "result",
    ];
    let start = lower[..address.start].rfind('\n').map_or(0, |at| at + 1);
    let end = lower[address.end..].find('\n').map_or(lower.len(), |at| address.end + at);
    let line = &lower[start..end];
    let Some((name, _)) = line.split_once('=') else { return false };
    let name = name.trim();
    let is_name = name.len() > 1 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    if !is_name || FILLED.iter().any(|word| line[name.len()..].contains(word)) {
        return false;
    }
    let behind = |at: usize| {
        let rest = &lower[at..];
        let end = rest.match_indices('\n').nth(MAX_BEHIND).map_or(rest.len(), |(at, _)| at);
        &rest[..end]
    };
    // What a function calls so ends with the function, or where the name gets another value.
    let is_own = line.starts_with([' ', '\t']);
    let again = [format!("{name} ="), "\ndef ".into(), "\n    def ".into(), "\nfunction ".into()];
    let until = |ends: &String| lower[end..].find(ends.as_str()).map_or(lower.len(), |at| end + at);
    let (from, to) = match again.iter().map(until).min() {
        Some(to) if is_own => (end, to),
        _ => (0, lower.len()),
    };
    let uses: Vec<usize> = lower[from..to]
        .match_indices(name)
        .map(|(at, _)| from + at)
        .filter(|at| {
            let is_part = |c: char| c.is_alphanumeric() || c == '_';
            !(start..end).contains(at)
                && !lower[..*at].ends_with(is_part)
                && !lower[at + name.len()..].starts_with(is_part)
        })
        .take(MAX_USES + 1)
        .collect();
    (1..=MAX_USES).contains(&uses.len())
        && uses.iter().any(|at| {
            let before = lower[..*at].rsplit('\n').next().unwrap_or_default();
            FETCHES.iter().any(|way| before.ends_with(way))
        })
        && !uses.iter().any(|at| is_given_more(&lower[at + name.len()..]))
        && !uses.iter().any(|at| BODIES.iter().any(|word| behind(*at.min(&to)).contains(word)))
}

/// `url, body)`: whether a call is given more behind an address than options by their names.
fn is_given_more(behind: &str) -> bool {
    let given = behind.strip_prefix(',').and_then(|rest| rest.split([',', ')', '\n']).next());
    given.is_some_and(|given| !given.trim().is_empty() && !given.contains('='))
}

/// `"owl": "http://…#"`: whether an address is the name of a vocabulary in a table of them, which nobody asks for.
fn is_vocabulary(lower: &str, address: Range<usize>) -> bool {
    let (text, behind) = (&lower[address.clone()], &lower[address.end..]);
    let before = lower[..address.start].trim_end_matches(['"', '\'']).trim_end();
    let is_entry =
        before.strip_suffix(':').is_some_and(|key| key.trim_end().ends_with(['"', '\'']));
    let ends =
        text.ends_with(['/', '#']) && behind.starts_with(['"', '\'']) || behind.starts_with('#');
    is_entry && ends && text.starts_with("http://")
}

/// `POM = {"m": "http://maven.apache.org/POM/4.0.0"}`: whether an address has a name by which elements of XML are
/// looked for, and which stands nowhere else.
fn is_namespace(lower: &str, address: Range<usize>) -> bool {
    #[rustfmt::skip]
    const LOOKS: [&str; 8] = ["find(", "findall(", "findtext(", "iterfind(", "iter(", "xpath(", "register_namespace(", "fromstring("];
    let start = lower[..address.start].rfind('\n').map_or(0, |at| at + 1);
    let Some((name, _)) = lower[start..address.start].split_once('=') else { return false };
    let name = name.trim();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    if name.len() < 2 || !name.chars().all(is_part) || !lower[address.start..].starts_with("http:")
    {
        return false;
    }
    // What a function calls so ends with the function.
    let end = ["\ndef ", "\nclass ", "\n    def "]
        .iter()
        .filter_map(|word| lower[address.end..].find(word))
        .min()
        .filter(|_| lower[start..].starts_with([' ', '\t']))
        .map_or(lower.len(), |at| address.end + at);
    let mut uses = lower[..end].match_indices(name).map(|(at, _)| at).filter(|at| {
        *at >= start + name.len()
            && !lower[..*at].ends_with(is_part)
            && !lower[at + name.len()..].starts_with(is_part)
    });
    let is_looked_for = |at: usize| {
        let line = lower[..at].rsplit('\n').next().unwrap_or_default();
        LOOKS.iter().any(|way| line.contains(way)) && !SENDS.iter().any(|way| line.contains(way))
    };
    let mut seen = 0;
    uses.by_ref().take(MAX_USES + 1).all(|at| {
        seen += 1;
        seen <= MAX_USES && is_looked_for(at)
    }) && seen > 0
}

/// Where strings of several lines begin and end: every other one ends one.
fn marks(text: &str) -> Vec<usize> {
    let mut found: Vec<usize> =
        MARKS.iter().flat_map(|mark| text.match_indices(mark)).map(|(at, _)| at).collect();
    found.sort_unstable();
    found
}

/// Marks of strings of several lines.
const MARKS: [&str; 2] = ["\"\"\"", "'''"];

/// Whether an address stands in a page or a text of several lines that a script has in it, among other words:
/// a link there is for a reader.
fn is_written_text(text: &str, marks: &[usize], address: Range<usize>) -> bool {
    let inside = marks.partition_point(|mark| *mark < address.start) % 2 == 1;
    if !inside {
        return false;
    }
    let start = floor(text, address.start.saturating_sub(MAX_AROUND));
    let end = floor(text, address.end + MAX_AROUND);
    let before = text[start..address.start].rsplit('\n').next().unwrap_or_default();
    let behind = text[address.end..end].split('\n').next().unwrap_or_default();
    let line = [before, behind];
    let is_alone = !line.iter().any(|part| part.contains(char::is_alphabetic));
    let ends = MARKS.iter().any(|mark| line.iter().any(|part| part.contains(mark)));
    // Code inside of such a text is written in braces.
    let is_filled = line.iter().any(|part| part.contains(['{', '}', '$']));
    !is_alone && !ends && !is_filled
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether the first address of a script is only asked.
    fn is_asked(script: &str) -> bool {
        let address = addresses(script).into_iter().next().map(|address| address.range);
        address.is_some_and(|address| is_only_asked(script, address))
    }

    #[test]
    fn as_many_uses_of_an_address_are_looked_at() {
        let script = |uses: usize| {
            format!("url = \"https://a.wordroot.dev/x\"\n{}", "get(url)\n".repeat(uses))
        };
        assert!(is_asked(&script(MAX_USES)));
        assert!(!is_asked(&script(MAX_USES + 1)));
    }

    #[test]
    fn the_body_of_a_request_stands_in_as_many_lines() {
        let script = |lines: usize| {
            let between = "  a,\n".repeat(lines - 1);
            format!("url = \"https://a.wordroot.dev/x\"\nget(url, b=1,\n{between}  data=c)\n")
        };
        assert!(!is_asked(&script(MAX_BEHIND)));
        assert!(is_asked(&script(MAX_BEHIND + 1)));
    }
}
