//! Where a text will be read from: blocks of a document that the prose has put into a file, and files of
//! the skill that are to be copied elsewhere. What such a text does depends on that place, and not on
//! where it stands now.

use std::borrow::Cow;
use std::collections::HashMap;

use super::forms::{form, is_file};
use super::passages;
use crate::scan::bundle::Member;
use crate::scan::finding::Context;
use crate::scan::kind::{Kind, Language, classify};
use crate::scan::passage::{Passage, Place};
use crate::scan::text::{Text, floor};

/// Bytes of a block that are read as a file.
const MAX_BLOCK: usize = 64 * 1024;
/// Parts of a document behind a block that may say where it goes.
const AFTER: usize = 8;

/// Bytes of a paragraph beside a block that may say it.
const MAX_SAID: usize = 2 * 1024;

/// A block of a document, as the file that it will be.
pub(crate) struct Block {
    /// Its place among the passages.
    pub(crate) passage: usize,
    /// Where it goes, or what kind of file it is; empty where nothing says so.
    pub(crate) path: String,
    pub(crate) language: Language,
    pub(crate) text: Text,
}

/// The blocks of settings and recipes among the passages.
pub(crate) fn blocks(passages: &[Passage<'_>]) -> Vec<Block> {
    let is_block = |(_, passage): &(usize, &Passage<'_>)| {
        passage.context == Context::Fence
            && passage.decoded.is_none()
            && passage.text.len() <= MAX_BLOCK
            && matches!(passage.place, Place::Pieces { .. })
    };
    passages.iter().enumerate().filter(is_block).filter_map(|(at, _)| block(passages, at)).collect()
}

fn block(passages: &[Passage<'_>], at: usize) -> Option<Block> {
    let passage = &passages[at];
    let info = info(passage);
    let word = info.split([' ', ',', '{', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let is_data = matches!(
        passage.language,
        Language::Json | Language::Yaml | Language::Toml | Language::Ini | Language::Html
    );
    // Code that is marked as such is read as what it is.
    if passage.language.runs()
        && !word.is_empty()
        && by_word(&word).is_none()
        && !info.contains(['.', '/'])
        && !matches!(passage.language, Language::Braces | Language::Ruby | Language::Make)
    {
        return None;
    }
    let path = by_info(&info)
        .or_else(|| by_comment(&passage.text))
        .or_else(|| {
            last_file(
                &passage.lead[floor(&passage.lead, passage.lead.len().saturating_sub(MAX_SAID))..],
            )
        })
        .or_else(|| by_rest(passages, at))
        .or_else(|| last_file(passage.headings.rsplit(" / ").next().unwrap_or_default()))
        .or_else(|| by_word(&word).map(str::to_owned))
        .or_else(|| by_content(passage).map(str::to_owned));
    if path.is_none() && !is_data {
        return None;
    }
    let path = path.unwrap_or_default();
    let language = match classify(&path, passage.text.as_bytes()) {
        Kind::Text(Language::Markdown | Language::Plain) if is_data => passage.language,
        Kind::Text(Language::Json | Language::Yaml | Language::Toml | Language::Ini)
            if is_data && path.is_empty() =>
        {
            passage.language
        }
        Kind::Text(Language::Html) if passage.language == Language::Yaml => passage.language,
        Kind::Text(language) => language,
        _ => passage.language,
    };
    let text = Text::from_string(passage.text.clone().into_owned());
    Some(Block { passage: at, path, language, text })
}

/// What stands behind the marks that open a block.
fn info(passage: &Passage<'_>) -> String {
    const LONGEST: usize = 200;
    let Place::Pieces { text, pieces } = &passage.place else { return String::new() };
    let Some((_, at)) = pieces.first() else { return String::new() };
    let above = text.plain[..*at].trim_end_matches([' ', '\t', '>']);
    let above = above.strip_suffix('\n').unwrap_or(above);
    let from = floor(above, above.len().saturating_sub(LONGEST));
    let line = above[from..].rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start_matches([' ', '\t', '>', '-', '*']);
    let marks = line.trim_start_matches(['`', '~']);
    if line.len() - marks.len() < 3 { String::new() } else { marks.trim().to_owned() }
}

/// `json title="~/.x/settings.json"`, `yaml:.github/workflows/a.yml`, `json .mcp.json`.
fn by_info(info: &str) -> Option<String> {
    let words =
        info.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '=' | '{' | '}' | ':'));
    words.skip(1).find(|word| is_file(word)).map(str::to_owned)
}

/// A first line that only names a file: `# ~/.codex/config.toml`.
fn by_comment(text: &str) -> Option<String> {
    let first = text.lines().find(|line| !line.trim().is_empty())?.trim();
    let bare = first.trim_start_matches(['#', '/', ';', '-', '<', '!', ' ', '*']);
    if bare.len() == first.len() || bare.len() > 200 {
        return None;
    }
    // `// ~/.x` lost its slash above only where it is part of the comment's mark.
    let bare = if first.starts_with("# /") { first.trim_start_matches(['#', ' ']) } else { bare };
    let word = bare.split_whitespace().next()?;
    let word = word.trim_matches(['`', '"', '\'', ':', '(', ')', ',']);
    is_file(word).then(|| word.to_owned())
}

/// The last file that a text names.
fn last_file(text: &str) -> Option<String> {
    files(text).last().map(str::to_owned)
}

/// The files that a text names.
fn files(text: &str) -> impl Iterator<Item = &str> {
    words(text).filter(|word| is_file(word))
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        c.is_whitespace() || matches!(c, '`' | '"' | '\'' | ',' | ';' | '|' | '>' | '“' | '”')
    })
    .map(|word| {
        word.trim_matches(['(', ')', '[', ']', '*', '<', '!', '?']).trim_end_matches(['.', ':'])
    })
}

/// The paragraph behind a block, where it speaks of what stands above: `Merge this into …`.
fn by_rest(passages: &[Passage<'_>], at: usize) -> Option<String> {
    let block = &passages[at];
    let next =
        passages[at + 1..].iter().take(AFTER).find(|next| next.context != Context::InlineCode)?;
    let speaks = next.file == block.file
        && next.context == Context::Prose
        && next.headings == block.headings
        && !next.text.trim_end().ends_with([':', '：']);
    if !speaks {
        return None;
    }
    files(&next.text[..floor(&next.text, MAX_SAID)]).next().map(str::to_owned)
}

/// What a block's language says about the file.
fn by_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "dockerfile" | "docker" | "containerfile" => "Dockerfile",
        "crontab" | "cron" => "crontab",
        "just" | "justfile" => "justfile",
        "nix" => "default.nix",
        "plist" => "agent.plist",
        "puppet" => "init.pp",
        "ini" | "conf" | "cfg" | "systemd" | "desktop" | "properties" | "gitconfig" => {
            "settings.ini"
        }
        "npmrc" => ".npmrc",
        _ => return None,
    })
}

/// What only one kind of file holds.
fn by_content(passage: &Passage<'_>) -> Option<&'static str> {
    let text: &str = &passage.text;
    let has = |words: &[&str]| words.iter().all(|word| text.contains(word));
    Some(match passage.language {
        Language::Yaml if has(&["jobs:", "runs-on:"]) => ".github/workflows/block.yml",
        Language::Json if has(&["\"scripts\"", "\"version\""]) => "package.json",
        Language::Html if has(&["<plist"]) => "agent.plist",
        Language::Plain | Language::Shell if has(&["FROM ", "\nRUN "]) => "Dockerfile",
        _ => return None,
    })
}

/// The commands and sentences inside the blocks, each at its place in the document.
pub(crate) fn inside<'a>(blocks: &[Block], passages: &[Passage<'a>]) -> Vec<Passage<'a>> {
    let mut found = Vec::new();
    for block in blocks {
        let outer = &passages[block.passage];
        let all = 0..block.text.plain.len();
        let inner = passages::passages(
            outer.file,
            &block.path,
            block.language,
            &block.text,
            all,
            outer.context,
        );
        for passage in inner.into_iter().filter(|passage| passage.language != Language::Markdown) {
            let at = match &passage.place {
                Place::Pieces { pieces, .. } => pieces.first().map_or(0, |(_, at)| *at),
                Place::Straight { start, .. } => *start,
                Place::Fixed { .. } => 0,
            };
            let (line, column) = outer.place.position(at);
            found.push(Passage {
                file: outer.file,
                language: passage.language,
                context: outer.context,
                text: Cow::Owned(passage.text.into_owned()),
                place: Place::Fixed { line, column },
                headings: outer.headings.clone(),
                lead: outer.lead.clone(),
                decoded: None,
            });
        }
        if block.language.runs() && block.language != outer.language {
            found.push(Passage { language: block.language, ..outer.clone() });
        }
    }
    found
}

/// A file of the skill that is to be copied elsewhere: what it will be there.
pub(crate) struct Copied {
    pub(crate) path: String,
    pub(crate) language: Language,
}

/// For each file of settings the place that a text has it copied to: `cp templates/a.json ~/.x/settings.json`.
pub(crate) fn copies(members: &[Member], texts: &[Option<Text>]) -> HashMap<usize, Copied> {
    let mut named: HashMap<&str, usize> = HashMap::new();
    for (at, member) in members.iter().enumerate() {
        let is_settings =
            matches!(
                member.kind,
                Kind::Text(
                    Language::Json
                        | Language::Yaml
                        | Language::Toml
                        | Language::Ini
                        | Language::Plain
                        | Language::Html
                        | Language::Braces
                )
            ) || !member.path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        if is_settings {
            named.insert(member.path.rsplit(['/', '!']).next().unwrap_or(&member.path), at);
        }
    }
    let mut found = HashMap::new();
    if named.is_empty() {
        return found;
    }
    for text in texts.iter().flatten() {
        for line in text.plain.lines().filter(|line| line.len() <= MAX_BLOCK) {
            let mut from = None;
            for word in words(line) {
                let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
                match from {
                    None => from = named.get(name).copied(),
                    Some(member)
                        if is_elsewhere(word) && may_become(&members[member].path, name) =>
                    {
                        let bytes: &[u8] = &members[member].bytes;
                        if let Kind::Text(language) = classify(word, bytes) {
                            found
                                .entry(member)
                                .or_insert_with(|| Copied { path: word.to_owned(), language });
                        }
                    }
                    Some(_) => {}
                }
            }
        }
    }
    found
}

/// Whether a file may be copied to one of this name: what has a known form already keeps its name, but for
/// a dot.
fn may_become(path: &str, name: &str) -> bool {
    let own = path.rsplit(['/', '!']).next().unwrap_or(path);
    form(path).is_none() || own.trim_start_matches('.') == name.trim_start_matches('.')
}

/// Whether a word is a place outside of the skill where a program looks for a file.
fn is_elsewhere(word: &str) -> bool {
    word.starts_with(['~', '/', '.', '$', '%']) && is_file(word) || form(word).is_some()
}
