//! Recipients that no document speaks of: a script reads what the person works on and sends it to a
//! host that the skill never mentions. A service that a skill is made for is named somewhere, if only by
//! a word of its name.

use super::Skill;
use super::destination::{Class, addresses};
use super::finding::{Context, Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::rules;

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

/// Looks at one script.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context != Context::Script
        || !passage.language.runs()
        || passage.decoded.is_some()
        || !passage.text.contains("://")
    {
        return;
    }
    let lower = passage.text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if !has(READS) || !has(SENDS) {
        return;
    }
    let unsaid = addresses(&passage.text).into_iter().find(|address| {
        matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
            && !is_read_only(&lower, address.range.start)
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

/// Whether an address stands in a comment, or right in a call that only fetches.
fn is_read_only(lower: &str, at: usize) -> bool {
    const FETCHES: [&str; 6] =
        [".get(", "urlretrieve(", "wget ", "git clone", "xmlns", "user-agent"];
    let line = lower[..at].rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start();
    line.starts_with(['#', '*'])
        || line.starts_with("//")
        || FETCHES.iter().any(|way| line.contains(way))
}
