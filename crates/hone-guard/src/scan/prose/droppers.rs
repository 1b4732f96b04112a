//! Prerequisites that are the attack: an unknown program to fetch and start before a skill works.
//!
//! One sign says nothing: real skills link to releases, name passwords and ask for tools. A section
//! that links to a file or a paste of a stranger, and also says how to unlock it, that it must run,
//! or how to get past the system's warnings, adds up.

use std::borrow::Cow;
use std::cell::LazyCell;
use std::ops::Range;

use super::super::Skill;
use super::super::destination::{Address, Class, addresses, host, is_known_owner, registry};
use super::super::finding::{Context, Flow, Severity};
use super::super::findings::{Findings, Match};
use super::super::kind::{Language, has_extension};
use super::super::mention::{has_word, starts};
use super::super::passage::{Passage, Place};
use super::super::report;
use super::super::rules;
use super::super::text::floor;
use super::dropper_signs::{
    ARCHIVES, FILE_HOSTS, LOGIN, PAGE, PASTED, PIPED, PROGRAMS, PUT, REPOSITORY, SIGNS, STARTABLE,
    STRANGER, TAKING, is_clicked, is_pasted,
};

/// Parts of a section before and after the link that speak of it, and their bytes: whatever stands
/// further away speaks of something else.
const BEFORE: usize = 5;
const AFTER: usize = 9;
const MAX_BEFORE: usize = 1024;
const MAX_AFTER: usize = 2048;
/// Bytes between a terminal and the words for putting something into it.
const MAX_TO_PUT: usize = 120;
/// Bytes between a password and the archive that it opens.
const MAX_TO_ARCHIVE: usize = 160;
/// Weight at which a section is worth a look, and at which it is an attack.
const CAUTION: usize = 4;
const CERTAIN: usize = 6;

/// Looks at the sections of a skill.
pub(super) fn look(passages: &[Passage<'_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let mut from = 0;
    while from < passages.len() {
        let key = section(&passages[from]);
        let to =
            from + passages[from..].iter().take_while(|passage| section(passage) == key).count();
        weigh(&passages[from..to], skill, findings);
        from = to;
    }
}

/// What belongs together: the parts of one file under the same two outer headings.
fn section<'p>(passage: &'p Passage<'_>) -> (usize, Option<&'p str>, &'p str) {
    let headings = passage.headings.as_ref();
    let second = headings.match_indices(" / ").nth(1).map_or(headings.len(), |(at, _)| at);
    (passage.file, passage.decoded.as_deref(), &headings[..second])
}

fn weigh(section: &[Passage<'_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    // The strongest link decides where the finding stands.
    let mut best: Option<(usize, Address<'_>, usize, &'static str)> = None;
    let mut programs = 0;
    let path = section.first().and_then(|passage| skill.members.get(passage.file));
    let is_data =
        path.is_some_and(|file| ["csv", "tsv"].iter().any(|name| has_extension(&file.path, name)));
    let split: Vec<Passage<'_>> = section
        .iter()
        .filter(|passage| {
            (passage.context.acts() || is_row(passage))
                && !matches!(passage.context, Context::Setting | Context::InlineCode)
        })
        .flat_map(|passage| paragraphs(passage, is_data))
        .collect();
    let parts: Vec<&Passage<'_>> = split.iter().collect();
    if parts.iter().all(|passage| is_row(passage)) {
        return;
    }
    // A skill about attacks tells of them.
    let parts: Vec<&Passage<'_>> = if is_about_incidents(skill) {
        let told = |passage: &Passage<'_>| report::is_told(&passage.text.to_lowercase());
        parts.into_iter().filter(|passage| !told(passage)).collect()
    } else {
        parts
    };
    for (at, passage) in parts.iter().enumerate() {
        // Code spans repeat what the prose around them says.
        let named = passage.context == Context::Prose && names_program(&passage.text);
        if !passage.text.contains("://") && !passage.text.contains(".com/") && !named {
            continue;
        }
        let taking = passage.context == Context::Prose && !is_row(passage) && {
            let text = passage.text.to_lowercase();
            TAKING.iter().any(|word| text.contains(word))
        };
        let clicks = LazyCell::new(|| {
            around(&parts, at, is_data).iter().any(|passage| is_clicked(&passage.text))
        });
        let pasted = LazyCell::new(|| is_pasted_somewhere(around(&parts, at, is_data)));
        for address in addresses(&passage.text).into_iter().chain(bare(&passage.text, named)) {
            let piped = is_piped(&passage.text[address.range.end..]);
            let (weight, says) = match link(&address, taking) {
                // A page whose text ends up in a terminal.
                (..4, _) if is_page(&address) && *pasted => (4, PASTED),
                (0 | 1, _) if piped && matches!(address.class(), Class::Foreign | Class::Inbox) => {
                    (2, PIPED)
                }
                // A page that has the reader press keys blindly.
                (0, _) if matches!(address.class(), Class::Foreign | Class::Inbox) && *clicks => {
                    (1, PAGE)
                }
                // The program is named beside its page.
                (0 | 1, _)
                    if taking
                        && matches!(class(&address), Class::Foreign | Class::Inbox)
                        && named =>
                {
                    (3, STRANGER)
                }
                link => link,
            };
            programs += usize::from(weight > 0);
            if weight > best.as_ref().map_or(0, |(_, _, best, _)| *best) {
                best = Some((at, address, weight, says));
            }
        }
    }
    let Some((at, address, mut weight, says)) = best else { return };
    let passage = parts[at];
    let script = passage.context == Context::Script;
    let near = around(&parts, at, is_data);
    let mut text = String::new();
    // In code, a password is a parameter and a quarantine a subject.
    let mut code: Vec<Range<usize>> = Vec::new();
    for part in near {
        let from = text.len();
        // The paragraph of the link may be a whole page without a blank line.
        let shown = if std::ptr::eq(*part, passage) {
            let from = floor(&part.text, address.range.start.saturating_sub(MAX_BEFORE));
            from..floor(&part.text, address.range.end + MAX_AFTER)
        } else {
            0..part.text.len()
        };
        text.push_str(&part.text[shown].to_lowercase());
        if part.context == Context::Fence {
            code.push(from..text.len());
        }
        text.push('\n');
    }
    let is_said = |at: &usize| !code.iter().any(|code| code.contains(at));
    text.push_str(&passage.headings.to_lowercase());
    let mut signs = vec![says];
    let mut strong = false;
    for sign in SIGNS {
        let mut places = sign.words.iter().flat_map(|word| starts(&text, word));
        let found = match sign.says {
            "a password to unpack it" => places
                .filter(is_said)
                .any(|at| ARCHIVES.iter().any(|word| is_near(&text, at, word, MAX_TO_ARCHIVE))),
            // A terminal is named by every guide; a text is put into it by few.
            "pasting into a terminal" => {
                places.any(|at| PUT.iter().any(|word| is_near(&text, at, word, MAX_TO_PUT)))
            }
            "one file for each system" => {
                programs >= 2
                    && has_word(&text, "windows")
                    && (text.contains("macos") || text.contains("linux") || has_word(&text, "mac"))
            }
            // `on your own behalf` is of contracts.
            _ => places.any(|at| !text[at..].starts_with("on your own behalf")),
        };
        if found {
            weight += sign.weight;
            strong |= sign.weight >= 2;
            signs.push(sign.says);
        }
    }
    // A link and the words of any installation guide are not enough.
    let known = matches!(class(&address), Class::Installer | Class::Local | Class::Placeholder)
        || skill.subject.hosts.contains(&address.host());
    let foreign = says == STRANGER;
    // Every guide has pages and repositories, and says of them what a guide says.
    if matches!(says, PAGE | REPOSITORY) && !(strong && signs.len() >= 3) {
        return;
    }
    let bare = matches!(address.class(), Class::Address | Class::Paste | Class::Shortener);
    // In a block of commands, weak signs are those of any installation; so are they beside an archive.
    let in_code = passage.context == Context::Fence;
    if in_code && !strong && !bare && says != PIPED && (!foreign || is_archive(address.url)) {
        return;
    }
    let sure = says == PASTED
        || strong && signs.len() >= 3
        || foreign && (signs.len() >= 3 || signs.len() == 2 && !in_code)
        || signs.len() >= 4 && weight > CAUTION
        || weight >= CERTAIN
        || bare && signs.len() >= 2;
    // Installers are piped into shells every day; those that want the password are another matter.
    let plain = says == PIPED && !strong && !signs.contains(&LOGIN);
    if weight < CAUTION || known || !sure || (script && !strong) || plain {
        return;
    }
    let severity = if weight >= CERTAIN { Severity::Critical } else { Severity::Warn };
    let flow = Flow {
        source: Some(address.url.to_owned()),
        sink: Some("a program that the reader starts".to_owned()),
        ..Flow::default()
    };
    let message = format!("a prerequisite asks for a stranger's program: {}", signs.join(", "));
    let range = address.range.clone();
    // A row of a table of downloads is an instruction here.
    let passage = Passage { context: shown(passage), ..(*passage).clone() };
    findings.add(&passage, range, Match::new(&rules::DROPPER, severity, message).with(flow));
}

/// The parts that stand near one of them, itself among them. A row of a table of data speaks of itself.
fn around<'p, 'a>(parts: &'p [&'p Passage<'a>], at: usize, is_data: bool) -> &'p [&'p Passage<'a>] {
    if is_data {
        return &parts[at..=at];
    }
    let before = parts[..at].iter().rev().map(|part| part.text.len()).take(BEFORE);
    let after = parts[at + 1..].iter().map(|part| part.text.len()).take(AFTER);
    &parts[at - fitting(before, MAX_BEFORE)..=at + fitting(after, MAX_AFTER)]
}

/// How many of some lengths, in their order, fit into a room.
fn fitting(lengths: impl Iterator<Item = usize>, mut room: usize) -> usize {
    lengths
        .take_while(|length| {
            let fits = *length <= room;
            room = room.saturating_sub(*length);
            fits
        })
        .count()
}

/// The paragraphs of a text that is one passage as a whole, or the rows of a table.
fn paragraphs<'a>(passage: &Passage<'a>, is_data: bool) -> Vec<Passage<'a>> {
    let Place::Straight { text, start } = passage.place else { return vec![passage.clone()] };
    if !matches!(passage.context, Context::Script)
        && !matches!(passage.language, Language::Plain | Language::Html)
    {
        return vec![passage.clone()];
    }
    let mut found = Vec::new();
    let mut from = 0;
    let mut at = 0;
    for line in passage.text.split_inclusive('\n') {
        at += line.len();
        if (is_data || line.trim().is_empty() || at == passage.text.len()) && at > from {
            found.push(Passage {
                text: Cow::Owned(passage.text[from..at].to_owned()),
                place: Place::Straight { text, start: start + from },
                ..passage.clone()
            });
            from = at;
        }
    }
    found
}

/// Whether a word starts within some bytes of a place.
fn is_near(text: &str, at: usize, word: &str, most: usize) -> bool {
    let near = &text[floor(text, at.saturating_sub(most))..floor(text, at + most)];
    starts(near, word).next().is_some()
}

/// Whether a skill says that it is about attacks and what is done after them.
fn is_about_incidents(skill: &Skill<'_>) -> bool {
    const WORDS: [&str; 16] = [
        "incident",
        "phish",
        "malware",
        "ransomware",
        "forensic",
        "threat",
        "post-mortem",
        "postmortem",
        "soc ",
        "soc-",
        "breach",
        "security training",
        "awareness",
        "helpdesk",
        "help desk",
        "vorfall",
    ];
    let said = format!("{} {}", skill.subject.name, skill.subject.description).to_lowercase();
    WORDS.iter().any(|word| said.contains(word))
}

/// Longest page that is named without its scheme.
const MAX_BARE: usize = 200;

/// Whether a text names a file that starts when it is opened: `setup.exe`.
fn names_program(text: &str) -> bool {
    const ENDINGS: [&str; 9] =
        ["exe", "msi", "dmg", "pkg", "appimage", "bat", "scr", "msix", "command"];
    let bytes = text.as_bytes();
    text.match_indices('.').any(|(at, _)| {
        let rest = &bytes[at + 1..];
        at > 0
            && bytes[at - 1].is_ascii_alphanumeric()
            && ENDINGS.iter().any(|ending| {
                rest.get(..ending.len())
                    .is_some_and(|word| word.eq_ignore_ascii_case(ending.as_bytes()))
                    && !goes_on(&rest[ending.len()..])
            })
    })
}

/// Whether a name goes on, so that what seemed its ending is a label: `docker.pkg.dev`.
fn goes_on(rest: &[u8]) -> bool {
    let is_part = |at: usize| rest.get(at).is_some_and(u8::is_ascii_alphanumeric);
    is_part(0) || matches!(rest.first(), Some(b'.' | b'-')) && is_part(1)
}

/// Endings of hosts that are named without `https://`, where a program is to be taken from them.
#[rustfmt::skip]
const DOMAINS: [&str; 26] = [
    ".com", ".net", ".org", ".io", ".dev", ".site", ".download", ".xyz", ".top", ".info", ".online", ".store", ".live", ".tech", ".cloud", ".pro", ".club", ".link", ".click",
    ".space", ".website", ".fun", ".cc", ".example", ".ru", ".cn",
];

/// Pages of code forges that are named without `https://`, and hosts beside a program's name.
fn bare(text: &str, named: bool) -> Vec<Address<'_>> {
    let mut found = Vec::new();
    if named {
        let mut at = 0;
        for word in text.split_inclusive(char::is_whitespace) {
            let start = at;
            at += word.len();
            let trimmed = word.trim_start_matches(['`', '(', '<', '*', '"']);
            let start = start + word.len() - trimmed.len();
            let host =
                trimmed.trim_end().trim_end_matches(['`', ')', '>', '*', '"', '.', ',', ':', ';']);
            let name = host.split('/').next().unwrap_or(host);
            if name.len() < MAX_BARE
                && DOMAINS
                    .iter()
                    .any(|ending| name.len() > ending.len() + 2 && name.ends_with(ending))
                && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-'))
            {
                found.push(Address { range: start..start + host.len(), url: host });
            }
        }
    }
    for forge in ["github.com/", "gitlab.com/", "bitbucket.org/"] {
        for (at, _) in text.match_indices(forge) {
            if text[..at]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '@'))
            {
                continue;
            }
            let rest = &text[at..floor(text, at + MAX_BARE)];
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '`' | ')' | '"' | ',' | '>' | ']'))
                .unwrap_or(rest.len());
            let url = rest[..end].trim_end_matches(['.', ':', ';']);
            found.push(Address { range: at..at + url.len(), url });
        }
    }
    found
}

/// A row of a table, which elsewhere only mentions.
fn is_row(passage: &Passage<'_>) -> bool {
    passage.context == Context::Mention
        && passage.language == Language::Markdown
        && passage.text.contains(" | ")
}

fn shown(passage: &Passage<'_>) -> Context {
    if is_row(passage) { Context::Prose } else { passage.context }
}

/// Whether what follows an address feeds it to an interpreter.
fn is_piped(after: &str) -> bool {
    const REACH: usize = 60;
    let after = after[..floor(after, REACH)].split('\n').next().unwrap_or_default();
    after.split('|').skip(1).take(2).any(|next| {
        let mut words = next.split([' ', '`', '"', '\'', ')']).filter(|word| !word.is_empty());
        let name = words.find(|word| *word != "sudo" && !word.starts_with('-'));
        matches!(name, Some("sh" | "bash" | "zsh" | "iex" | "python3" | "python"))
    })
}

/// Whether a section has the text of a page copied as a whole and pasted into a terminal.
fn is_pasted_somewhere(parts: &[&Passage<'_>]) -> bool {
    let mut said = String::new();
    for part in parts.iter().filter(|part| part.context == Context::Prose) {
        said.push_str(&part.text);
        said.push('\n');
    }
    is_pasted(&said.to_lowercase())
}

/// Whether an address may be a page that somebody wrote for this.
fn is_page(address: &Address<'_>) -> bool {
    let url = address.url.to_ascii_lowercase();
    matches!(
        class(address),
        Class::Foreign | Class::Inbox | Class::Paste | Class::Shortener | Class::Address
    ) || url.contains("gist.github")
        || url.contains("raw.githubusercontent.com")
}

/// What is known of an address. A file of a name of its own is not a place to fill in, though its host
/// ends in a reserved word.
fn class(address: &Address<'_>) -> Class {
    const ANYBODY: [&str; 12] = [
        "example", "acme", "corp", "company", "domain", "test", "host", "server", "site",
        "website", "customer", "evil",
    ];
    let class = address.class();
    let host = address.host();
    let named = host.rsplit_once('.').is_some_and(|(name, ending)| {
        let name = name.rsplit('.').next().unwrap_or(name);
        matches!(ending, "example" | "test" | "invalid")
            && name.len() >= 4
            && !name.contains("your")
            && !name.starts_with("my-")
            && !ANYBODY.contains(&name)
    });
    let path = address.url.split("://").last().unwrap_or_default();
    if class == Class::Placeholder && named && path.contains('/') { Class::Foreign } else { class }
}

/// How much a link weighs by itself, and what it is.
fn link(address: &Address<'_>, taking: bool) -> (usize, &'static str) {
    let url = address.url.to_ascii_lowercase();
    let path = url.split(['?', '#']).next().unwrap_or(&url);
    let host_end = path.find("://").map_or(0, |at| at + 3);
    let file =
        path[host_end..].contains('/') && PROGRAMS.iter().any(|ending| path.ends_with(ending));
    let file = file && !(class(address) == Class::Service && is_source(path));
    match class(address) {
        Class::Local | Class::Placeholder | Class::Installer => (0, ""),
        Class::Paste => (2, "a text on a paste site"),
        Class::Shortener => (2, "a shortened link"),
        Class::Address => (3, "a bare network address"),
        _ if FILE_HOSTS.iter().any(|host| url.contains(host)) => {
            // Programs of projects lie on these too.
            let shared = ["sourceforge.net", "s3.amazonaws.com", "drive.google.com", "ipfs.io"];
            let startable = file && STARTABLE.iter().any(|ending| path.ends_with(ending));
            if startable && !shared.iter().any(|host| url.contains(host)) {
                (3, STRANGER)
            } else {
                (2, "a file host")
            }
        }
        Class::Foreign | Class::Inbox
            if file && STARTABLE.iter().any(|ending| path.ends_with(ending)) =>
        {
            (3, STRANGER)
        }
        _ if file => (2, "a link to a program or archive"),
        Class::Service
            if path.contains("/releases/download/")
                || path.contains("/releases/latest/download/") =>
        {
            (2, "a program among somebody's releases")
        }
        Class::Service if is_known_page(path) => (0, ""),
        Class::Service if path.contains("/releases") => (1, "a page of releases"),
        Class::Service if taking && !url.contains("://") && path.matches('/').count() == 2 => {
            (1, REPOSITORY)
        }
        Class::Foreign | Class::Inbox if taking => (1, PAGE),
        Class::Foreign | Class::Inbox | Class::Service => (0, ""),
    }
}

/// Whether a page on GitHub is of somebody who is known for his projects.
fn is_known_page(path: &str) -> bool {
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    path.strip_prefix("github.com/").is_some_and(is_known_owner)
}

/// Whether a file has to be unpacked before anything of it starts.
fn is_archive(url: &str) -> bool {
    let path = url.split(['?', '#']).next().unwrap_or(url).to_ascii_lowercase();
    [".zip", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2", ".7z", ".rar", ".gz"]
        .iter()
        .any(|ending| path.ends_with(ending))
}

/// Archives of source code, and packages of registries.
fn is_source(path: &str) -> bool {
    path.contains("/archive/")
        || path.contains("/refs/")
        || host(path).is_some_and(|host| registry(&host).is_some())
        || path.contains("googleapis.com/")
}
