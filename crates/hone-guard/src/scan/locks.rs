//! Lock files that a script rewrites: they say where each package comes from and what it must hash to, and
//! nobody reads them. A lock file that names somebody's host installs that host's packages from then on.

use super::Skill;
use super::destination::{Class, addresses};
use super::finding::{Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::rules;

/// Files that pin packages.
#[rustfmt::skip]
const LOCKS: [&str; 14] = [
    "package-lock.json", "npm-shrinkwrap.json", "yarn.lock", "pnpm-lock.yaml", "bun.lock", "poetry.lock", "pipfile.lock", "uv.lock", "pdm.lock", "cargo.lock", "gemfile.lock", "composer.lock", "go.sum",
    "packages.lock.json",
];

/// Ways to write a file, in code and by commands.
#[rustfmt::skip]
const WRITES: [&str; 14] = [
    "writefile", "write_text", ".write(", "json.dump(", "sed -i", "perl -pi", "perl -i", "file.write", "file_put_contents", "set-content", "out-file", "sponge", "ruby -pi", "fs.promises",
];

/// What of a lock file is changed: where a package comes from, or what it must be.
#[rustfmt::skip]
const PINS: [&str; 10] = [
    "resolved", "integrity", "tarball", "checksum", "registry.npmjs", "files.pythonhosted", "registry.yarnpkg", "sha512", "rubygems.org", "crates.io",
];

/// Addresses of one text that are asked about.
const MAX_ADDRESSES: usize = 32;

/// Looks at one script or block of commands.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if !passage.context.acts() || !passage.language.runs() || passage.decoded.is_some() {
        return;
    }
    let lower = passage.text.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let Some(at) = LOCKS.iter().find_map(|lock| named_for_use(&lower, lock)) else { return };
    if !has(&WRITES) || !has(&PINS) {
        return;
    }
    // `s#https://one#https://other#`
    let parted = passage.text.replace(['#', '|', '!', ','], " ");
    let stranger = addresses(&parted).into_iter().take(MAX_ADDRESSES).find(|address| {
        matches!(address.class(), Class::Foreign | Class::Address | Class::Inbox)
            && !skill.subject.is_about(&address.host())
    });
    if let Some(address) = stranger {
        let host = address.host();
        let message = format!("a lock file is rewritten, with `{host}` as a source of packages");
        let flow = Flow::new("packages", "a lock file").to(host);
        let found = Match::new(&rules::PACKAGE_SOURCE, Severity::Warn, message).with(flow);
        findings.add(passage, at..at + 1, found);
    }
}

/// Where a lock file is named so that something may be done with it: not as the key of a table of readers,
/// nor in a comment, in what a function says of itself or in a message.
fn named_for_use(lower: &str, lock: &str) -> Option<usize> {
    const SAYS: [&str; 7] = ["#", "//", "*", "\"\"\"", "'''", "print(", "console."];
    let is_used = |at: &usize| {
        let line = lower[..*at].rsplit('\n').next().unwrap_or_default().trim_start();
        let behind = &lower[at + lock.len()..];
        let is_key = behind.starts_with(['"', '\''])
            && behind[1..].trim_start_matches([' ', '\t']).starts_with(':');
        let is_comment = line.contains("# ") || line.contains("// ");
        !is_key && !is_comment && !SAYS.iter().any(|way| line.starts_with(way))
    };
    lower.match_indices(lock).map(|(at, _)| at).take(MAX_ADDRESSES).find(is_used)
}
