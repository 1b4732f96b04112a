//! What the files of a skill are: links, programs, disguises, archives, bytecode, twins, active
//! documents, hidden characters, look-alike hosts, secrets. What could not be looked at is said.

mod bytecode;
pub(crate) mod climbing;
mod document;
mod host;
mod name;
mod repository;

use std::collections::{HashMap, HashSet};

use hone_skill::Value;
use unicode_normalization::UnicodeNormalization as _;

use super::Skill;
use super::bundle::{Bundle, Member, Oddity};
use super::file_passages::frontmatter_end;
use super::finding::{Context, Coverage, Severity};
use super::findings::{Findings, MAX_PER_RULE_AND_FILE, Match};
use super::kind::{Kind, Language, has_extension, is_disguised};
use super::mention::References;
use super::places;
use super::rules;
use super::text::{Text, floor, visible};
use super::{destination, hidden};
use super::{masked, secrets};

/// Looks at the tree and at each file's form.
pub(crate) fn look(
    bundle: &Bundle,
    skill: &Skill<'_>,
    texts: &[Option<Text>],
    references: &References,
    findings: &mut Findings<'_>,
    coverage: &mut Coverage,
) {
    for oddity in &bundle.oddities {
        say_oddity(oddity, findings, coverage);
    }
    for (file, member) in bundle.members.iter().enumerate() {
        form(file, member, skill, texts, findings);
        if let Some(text) = &texts[file] {
            let context = references.context(file);
            hidden_characters(file, text, context, member, findings);
            if member.kind == Kind::Text(Language::Markdown) {
                escaped_characters(file, text, context, findings);
            }
            host::look(file, text, context, findings);
            hard_coded(file, member, text, context, findings);
        }
    }
    bytecode::look(&bundle.members, findings);
    document::look(&bundle.members, texts, findings);
    repository::look(&bundle.members, texts, findings);
    twins(&bundle.members, findings);
    coverage.scanned = coverage
        .files
        .saturating_sub(bundle.members.iter().filter(|member| is_opaque(member)).count());
}

fn is_opaque(member: &Member) -> bool {
    matches!(member.kind, Kind::Opaque(_) | Kind::Binary | Kind::Executable(_))
}

fn say_oddity(oddity: &Oddity, findings: &mut Findings<'_>, coverage: &mut Coverage) {
    match oddity {
        Oddity::Link { path, target, outside: true, .. } => {
            let secret = matches!(
                places::classify(target),
                Some(
                    places::Spot::Secret(_)
                        | places::Spot::DotEnv
                        | places::Spot::Transcripts
                        | places::Spot::AgentSettings
                )
            );
            let severity = if secret || target.starts_with(['/', '~']) {
                Severity::Critical
            } else {
                Severity::Warn
            };
            findings.add_path(
                path,
                &format!("{path} → {target}"),
                Match::new(
                    &rules::LINK_OUTSIDE,
                    severity,
                    format!("the link leads outside of the skill, to `{}`", visible(target, 80)),
                ),
            );
        }
        Oddity::Followed { path, target } => findings.add_path(
            path,
            &format!("{path} → {target}"),
            Match::new(
                &rules::LINK_OUTSIDE,
                Severity::Info,
                "a link to a file of the repository around the skill, read in its place",
            ),
        ),
        Oddity::Link { path, target, broken, .. } => {
            let message = if *broken {
                "a link to a file that is not there"
            } else {
                "a link inside the skill"
            };
            findings.add_path(
                path,
                &format!("{path} → {target}"),
                Match::new(&rules::LINK_OUTSIDE, Severity::Info, message),
            );
        }
        Oddity::Special { path, what } => {
            coverage.incomplete.push(path.clone());
            findings.add_path(
                path,
                path,
                Match::new(
                    &rules::UNFINISHED,
                    Severity::Warn,
                    format!("a {what} in a skill cannot be looked at"),
                ),
            );
        }
        Oddity::Unread { path, why } => {
            coverage.incomplete.push(path.clone());
            findings.add_path(
                path,
                path,
                Match::new(
                    &rules::UNFINISHED,
                    Severity::Warn,
                    format!("not looked at in full: {}", visible(why, 120)),
                ),
            );
        }
        Oddity::Escape { path, member } => {
            findings.add_path(
                path,
                member,
                Match::new(
                    &rules::ARCHIVE,
                    Severity::Critical,
                    "unpacking the archive writes outside of its folder",
                ),
            );
        }
        Oddity::Encrypted { path, member } => {
            coverage.incomplete.push(format!("{path}!{member}"));
            findings.add_path(
                path,
                member,
                Match::new(
                    &rules::ARCHIVE,
                    Severity::Warn,
                    "the archive is locked with a password, so that nobody can look inside",
                ),
            );
        }
        Oddity::Bomb { path, why } => {
            coverage.incomplete.push(path.clone());
            findings.add_path(
                path,
                path,
                Match::new(
                    &rules::ARCHIVE,
                    Severity::Warn,
                    format!(
                        "the archive is built to overwhelm who unpacks it: {}",
                        visible(why, 80)
                    ),
                ),
            );
        }
        Oddity::Name { path } => {
            findings.add_path(
                path,
                path,
                Match::new(&rules::MISLEADING_NAME, Severity::Info, "the name is not Unicode"),
            );
        }
    }
}

/// What one file is, apart from its text.
fn form(
    file: usize,
    member: &Member,
    skill: &Skill<'_>,
    texts: &[Option<Text>],
    findings: &mut Findings<'_>,
) {
    if let Some(why) = name::misleads(&member.path, member.kind) {
        let severity = if matches!(member.kind, Kind::Text(language) if !language.runs())
            && !member.path.contains(['\u{202D}', '\u{202E}'])
        {
            Severity::Info
        } else {
            Severity::Critical
        };
        findings.add_file(file, &member.path, Match::new(&rules::MISLEADING_NAME, severity, why));
    }
    if is_disguised(&member.path, member.kind) {
        let (severity, what) = match member.kind {
            Kind::Executable(what) | Kind::Bytecode(what) => (Severity::Critical, what),
            Kind::Pickle => (Severity::Warn, "pickle"),
            Kind::Text(_) => (Severity::Warn, "script"),
            _ => (Severity::Warn, "archive"),
        };
        findings.add_file(
            file,
            &member.path,
            Match::new(
                &rules::DISGUISED_FILE,
                severity,
                format!("by its content this is a {what}, by its name something else"),
            ),
        );
    } else if let Kind::Executable(what) = member.kind {
        // WebAssembly runs inside a sandbox of its host.
        let severity =
            if what.starts_with("WebAssembly") { Severity::Info } else { Severity::Warn };
        findings.add_file(
            file,
            &member.path,
            Match::new(
                &rules::EXECUTABLE_FILE,
                severity,
                format!("a compiled program ({what}), which nobody can read"),
            ),
        );
    }
    match member.kind {
        // An installer of Windows has the form of an old Office file.
        Kind::Opaque("old Office file")
            if ["msi", "msp", "mst"].iter().any(|ending| has_extension(&member.path, ending)) =>
        {
            let message = "an installer of Windows, which nobody can read";
            let found = Match::new(&rules::EXECUTABLE_FILE, Severity::Warn, message);
            findings.add_file(file, &member.path, found);
        }
        Kind::Media(what) if carries(&member.bytes) => {
            let message = format!("behind the {what} follows an archive or a program");
            let found = Match::new(&rules::DISGUISED_FILE, Severity::Warn, message);
            findings.add_file(file, &member.path, found);
        }
        Kind::Opaque(what @ "old Office file") => {
            let utf16: Vec<u8> = "_VBA_PROJECT".encode_utf16().flat_map(u16::to_le_bytes).collect();
            if contains(&member.bytes, &utf16) {
                findings.add_file(
                    file,
                    &member.path,
                    Match::new(
                        &rules::ACTIVE_DOCUMENT,
                        Severity::Warn,
                        "an Office file with macros",
                    ),
                );
            } else {
                findings.add_file(
                    file,
                    &member.path,
                    Match::new(
                        &rules::UNFINISHED,
                        Severity::Info,
                        format!("an {what}; its content is not looked into"),
                    ),
                );
            }
        }
        Kind::Opaque(what) => {
            findings.add_file(
                file,
                &member.path,
                Match::new(
                    &rules::ARCHIVE,
                    Severity::Warn,
                    format!("a {what}, which cannot be looked into"),
                ),
            );
        }
        Kind::Binary if !member.bytes.is_empty() => {
            findings.add_file(
                file,
                &member.path,
                Match::new(
                    &rules::UNFINISHED,
                    Severity::Info,
                    "bytes of no known form; they are not looked into",
                ),
            );
        }
        Kind::Pickle => pickle(file, member, findings),
        Kind::Text(language) => {
            if is_text_pickle(&member.bytes) {
                pickle(file, member, findings);
            }
            if language.runs() && name::is_hidden_script(&member.path) && !is_resource_fork(member)
            {
                findings.add_file(file, &member.path, Match::new(&rules::HIDDEN_SCRIPT, Severity::Warn, "a script whose name or folder starts with a dot, so that listings do not show it"));
            }
        }
        _ => {}
    }
    if member.nested > 0 {
        packed(file, member, skill, texts, findings);
    }
}

/// Whether a picture goes on behind its end as an archive or a program.
fn carries(bytes: &[u8]) -> bool {
    // The end of a zip archive stands in its last bytes, whatever stands before it.
    const ZIP_END: usize = 22 + 1024;
    let last = &bytes[bytes.len().saturating_sub(ZIP_END)..];
    if contains(last, b"PK\x05\x06") {
        return true;
    }
    // What follows the last chunk of a PNG, or the end mark of a JPEG.
    let behind = if bytes.starts_with(b"\x89PNG") {
        find(bytes, b"IEND").map(|at| at + 8)
    } else if bytes.starts_with(&[0xFF, 0xD8, 0xFF]) {
        find(bytes, &[0xFF, 0xD9]).map(|at| at + 2)
    } else {
        None
    };
    let rest = behind.and_then(|at| bytes.get(at..)).unwrap_or_default();
    let starts: [&[u8]; 8] = [
        b"PK\x03\x04",
        b"Rar!\x1A\x07",
        b"7z\xBC\xAF",
        b"\x7fELF",
        b"MZ",
        b"#!",
        b"\x1F\x8B\x08",
        b"<?php",
    ];
    starts.iter().any(|start| rest.starts_with(start))
}

/// A script or program inside an archive.
fn packed(
    file: usize,
    member: &Member,
    skill: &Skill<'_>,
    texts: &[Option<Text>],
    findings: &mut Findings<'_>,
) {
    let archive = member.path.rsplit_once('!').map_or("", |(archive, _)| archive);
    let outer = archive.split('!').next().unwrap_or(archive);
    let in_office = document::is_office(archive);
    let what = match member.kind {
        Kind::Executable(what) | Kind::Bytecode(what) => what,
        Kind::Text(language) if language.runs() => "script",
        _ => return,
    };
    let name = member.path.rsplit(['/', '!']).next().unwrap_or(&member.path);
    // A reader sees what lies beside the archive as well.
    let is_beside =
        skill.members.iter().any(|other| other.nested == 0 && other.bytes == member.bytes);
    if is_beside || is_resource_fork(member) {
        return;
    }
    if in_office {
        findings.add_file(
            file,
            &member.path,
            Match::new(
                &rules::ACTIVE_DOCUMENT,
                Severity::Warn,
                format!("a {what} inside an Office file"),
            ),
        );
        return;
    }
    let bare = matches!(
        member.kind,
        Kind::Text(
            Language::Shell
                | Language::Batch
                | Language::PowerShell
                | Language::AppleScript
                | Language::Fish
        )
    );
    // A sample project in an archive is data, also where a document names its files; a script that the skill
    // has run is none.
    let is_named = skill.members.iter().zip(texts).any(|(other, text)| {
        other.nested == 0
            && other.path != outer
            && text.as_ref().is_some_and(|text| name.len() > 3 && is_run(&text.plain, name))
    });
    let severity = if bare || is_named || !matches!(member.kind, Kind::Text(_)) {
        Severity::Warn
    } else {
        Severity::Info
    };
    findings.add_file(
        file,
        &member.path,
        Match::new(
            &rules::ARCHIVE,
            severity,
            format!("a {what} inside an archive, where a reader does not see it"),
        ),
    );
}

/// Whether a text has a file run: an interpreter, or a word for running it, stands right before its path.
fn is_run(text: &str, name: &str) -> bool {
    const WORDS: [&str; 6] = ["run", "runs", "execute", "executes", "launch", "exec"];
    const MOST: usize = 64;
    // Bytes of the line before the name that are looked at, and options between.
    const NEAR: usize = 160;
    const OPTIONS: usize = 3;
    text.match_indices(name).take(MOST).any(|(at, _)| {
        let from = floor(text, at.saturating_sub(NEAR));
        let line = text[from..at].rsplit('\n').next().unwrap_or_default();
        let is_end = |c: char| c.is_whitespace() || matches!(c, '`' | '"' | '\'' | '(');
        let path = line.rfind(is_end).map_or(0, |end| end + 1);
        let mut before = line[..path].split(is_end).rev().filter(|word| !word.is_empty());
        line[path..].starts_with("./")
            || before.by_ref().take(OPTIONS).find(|word| !word.starts_with('-')).is_some_and(
                |word| {
                    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known))
                        || super::kind::of_interpreter(word).is_some()
                },
            )
    })
}

/// What a Mac leaves beside each file of an archive: a record of attributes, under the name of the file.
fn is_resource_fork(member: &Member) -> bool {
    const MAGIC: &[u8] = &[0, 5, 22, 7];
    const MAX_RECORD: usize = 4096;
    let name = member.path.rsplit(['/', '!']).next().unwrap_or(&member.path);
    name.starts_with("._")
        && member.path.contains("__MACOSX/")
        && member.bytes.starts_with(MAGIC)
        && member.bytes.len() <= MAX_RECORD
}

/// A pickle in its oldest form is text.
fn is_text_pickle(bytes: &[u8]) -> bool {
    [
        &b"cos\n"[..],
        b"cposix\n",
        b"cnt\n",
        b"csubprocess\n",
        b"c__builtin__\n",
        b"cbuiltins\n",
        b"(cos\n",
        b"(cposix\n",
    ]
    .iter()
    .any(|start| bytes.starts_with(start))
}

fn pickle(file: usize, member: &Member, findings: &mut Findings<'_>) {
    let modules = [
        &b"posix"[..],
        b"cos\n",
        b"\x02os",
        b"subprocess",
        b"builtins",
        b"__builtin__",
        b"runpy",
        b"socket",
        b"importlib",
        b"\x02nt",
    ];
    let calls = [
        &b"system"[..],
        b"popen",
        b"Popen",
        b"exec",
        b"eval",
        b"check_output",
        b"getattr",
        b"__import__",
        b"run_path",
        b"create_connection",
    ];
    let acts = modules.iter().any(|module| contains(&member.bytes, module))
        && calls.iter().any(|call| contains(&member.bytes, call));
    let (severity, message) = if acts {
        (Severity::Critical, "serialised objects that run programs when they are loaded")
    } else {
        (Severity::Info, "serialised objects, which run code when they are loaded")
    };
    findings.add_file(file, &member.path, Match::new(&rules::UNSAFE_LOAD, severity, message));
}

pub(super) fn contains(bytes: &[u8], needle: &[u8]) -> bool {
    find(bytes, needle).is_some()
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let first = needle.first()?;
    let mut from = 0;
    while let Some(at) =
        bytes.get(from..).and_then(|rest| rest.iter().position(|byte| byte == first))
    {
        if bytes[from + at..].starts_with(needle) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

fn hidden_characters(
    file: usize,
    text: &Text,
    context: Context,
    member: &Member,
    findings: &mut Findings<'_>,
) {
    let is_code = matches!(member.kind, Kind::Text(language) if language.runs());
    let mut told = HashMap::new();
    for found in hidden::find(&text.original, is_code) {
        // As many as are kept of one rule and file.
        let count = told.entry(found.kind).or_insert(0);
        *count += 1;
        if *count > MAX_PER_RULE_AND_FILE {
            continue;
        }
        let position = text.position_of_source(found.range.start);
        add_hidden(file, position, context, &text.original, &found, findings);
    }
}

fn add_hidden(
    file: usize,
    position: (usize, usize),
    context: Context,
    text: &str,
    found: &hidden::Hidden,
    findings: &mut Findings<'_>,
) {
    let severity = match found.kind {
        hidden::Kind::Tags | hidden::Kind::Selectors => Severity::Critical,
        _ => Severity::Warn,
    };
    let evidence = if found.spelled.is_empty() {
        let start = floor(text, found.range.start.saturating_sub(40));
        let end = floor(text, found.range.end + 160);
        text[start..end].to_owned()
    } else {
        format!("spells: {}", found.spelled)
    };
    let found = Match::new(&rules::HIDDEN_CHARACTERS, severity, found.kind.words());
    findings.add_at(file, position, context, &evidence, found);
}

/// Hidden characters that the frontmatter writes as escapes: an agent reads the value, not the file.
fn escaped_characters(file: usize, text: &Text, context: Context, findings: &mut Findings<'_>) {
    let front = &text.original[..floor(&text.original, frontmatter_end(&text.original))];
    if !front.contains('\\') {
        return;
    }
    let Some(skill) = hone_skill::read(text.original.as_bytes(), None).skill else { return };
    for (key, value) in &skill.frontmatter {
        let at = front.match_indices(key.as_str()).find(|(at, _)| {
            front[..*at].ends_with(['\n', '\r', '"', '\''])
                && !front[at + key.len()..].starts_with(char::is_alphanumeric)
        });
        let position = text.position_of_source(at.map_or(0, |(at, _)| at));
        let mut values = vec![value];
        let mut count = 0;
        while let Some(value) = values.pop() {
            match value {
                Value::List(items) => values.extend(items),
                Value::Map(entries) => values.extend(entries.iter().map(|(_, value)| value)),
                Value::String(value) => {
                    for found in hidden::find(value, false) {
                        // What stands in the file as it is was found there.
                        let is_told = front.contains(&value[found.range.clone()]);
                        if !is_told && count < MAX_PER_RULE_AND_FILE {
                            count += 1;
                            add_hidden(file, position, context, value, &found, findings);
                        }
                    }
                }
                Value::Null | Value::Bool(_) | Value::Number(_) => {}
            }
        }
    }
}

/// Secrets of one file that are told apart.
const MAX_SECRETS: usize = 1000;

fn hard_coded(
    file: usize,
    member: &Member,
    text: &Text,
    context: Context,
    findings: &mut Findings<'_>,
) {
    const FIXTURES: [&str; 10] = [
        "test",
        "spec",
        "fixture",
        "example",
        "sample",
        "mock",
        "template",
        ".dist",
        "__snapshots__",
        "eval",
    ];
    let lower = member.path.to_ascii_lowercase();
    let fixture = FIXTURES.iter().any(|word| lower.contains(word));
    let found = secrets::find(&text.plain);
    let value = |secret: &secrets::Secret| &text.plain[secret.range.clone()];
    // "Replace `…` by your own" in one place makes the same value elsewhere a sample too.
    let samples: HashSet<&str> = found
        .iter()
        .filter(|secret| is_sample(&text.plain, secret.range.start, secret.range.end))
        .map(value)
        .collect();
    for secret in found.iter().take(MAX_SECRETS) {
        let shown = fixture || !context.acts() || samples.contains(value(secret));
        let severity = if shown { Severity::Info } else { Severity::Warn };
        let from = floor(&text.plain, secret.range.start.saturating_sub(60));
        let from =
            text.plain[from..secret.range.start].rfind('\n').map_or(from, |at| from + at + 1);
        let evidence = masked::redact(&text.plain[from..secret.range.end]);
        let message = format!("what looks like a working {} stands in the file", secret.what);
        let found = Match::new(&rules::HARD_CODED_SECRET, severity, message);
        findings.add_at(file, text.position(secret.range.start), context, &evidence, found);
    }
}

/// Whether the line of a secret, or the one above, says that it only shows a shape.
fn is_sample(text: &str, start: usize, end: usize) -> bool {
    #[rustfmt::skip]
    const WORDS: [&str; 15] = [
        "example", "e.g.", "looks like", "look like", "placeholder", "sample", "fake", "dummy",
        "not real", "redacted", "for instance", "replace", "your own", "pattern", "regex",
    ];
    const NEAR: usize = 200;
    let near = floor(text, start.saturating_sub(NEAR));
    let mut lines = text[near..start].rmatch_indices('\n').map(|(at, _)| near + at + 1);
    let above = lines.nth(1).unwrap_or(near);
    let most = floor(text, end + NEAR);
    let below = text[end..most].find('\n').map_or(most, |at| end + at);
    let around = text[above..below].to_lowercase();
    WORDS.iter().any(|word| around.contains(word))
}

/// Files whose names differ only in case or in the form of their characters.
fn twins(members: &[Member], findings: &mut Findings<'_>) {
    let mut seen: HashMap<String, usize> = HashMap::new();
    for (file, member) in members.iter().enumerate() {
        let folded: String = member
            .path
            .nfkc()
            .flat_map(char::to_lowercase)
            .filter(|c| !super::text::is_shapeless(*c))
            .map(|c| super::text::latin_twin(c).unwrap_or(c))
            .collect();
        match seen.get(&folded) {
            Some(first) => {
                let other = &members[*first];
                let severity =
                    if other.bytes == member.bytes { Severity::Info } else { Severity::Warn };
                let evidence = format!("{} and {}", other.path, member.path);
                findings.add_file(
                    file,
                    &evidence,
                    Match::new(
                        &rules::TWIN_FILE,
                        severity,
                        format!(
                            "its name differs from `{}` only in case or form",
                            visible(&other.path, 80)
                        ),
                    ),
                );
            }
            None => {
                seen.insert(folded, file);
            }
        }
    }
}

/// Whether a host is one of somebody's own, for the checks of this module.
fn is_known(host: &str) -> bool {
    matches!(
        destination::classify(host),
        destination::Class::Service | destination::Class::Installer
    )
}
