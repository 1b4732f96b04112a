//! The scanner: one skill in, a report out.
//!
//! Files are read once ([`bundle`]), told apart by content ([`kind`]), normalised ([`text`]) and
//! taken apart into passages ([`markdown`], [`passage`]); encoded texts are decoded and looked at
//! again ([`decode`]). Then each kind of question has its module: shell flows, flows through code,
//! prose, settings, structure, secrets. All of them speak through [`findings`].

mod awk;
mod bundle;
mod code;
mod decode;
mod destination;
mod files;
mod finding;
mod findings;
mod flow;
mod forks;
mod given;
mod grams;
mod hidden;
mod inventory;
mod invisible;
mod judge;
mod kind;
mod label;
mod markdown;
mod mention;
mod packed;
mod passage;
mod placeholders;
mod places;
mod prose;
mod quoted;
mod reach;
mod report;
mod rules;
mod secrets;
mod settings;
mod shell_flow;
mod structure;
mod subject;
mod text;
mod unfenced;
mod unsaid;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use finding::Context as In;
use findings::Findings;
use kind::{Kind, Language};
use passage::{Passage, Place};
use subject::Subject;
use text::Text;

use decode::{MAX_DECODE_DEPTH, MAX_DECODED_BYTES};
pub use files::Files;
pub use finding::{Context, Coverage, Finding, Flow, Inventory, Report, Severity, Verdict};
pub use judge::{
    Case, Concern, Excerpt, Judge, JudgeError, MAX_CONCERNS, MAX_EXCERPT_BYTES, MAX_EXCERPTS_BYTES,
    SECOND_OPINION, second_opinion,
};
pub use packed::{Packed, Unpacked};
pub use rules::{RULES, RULES_VERSION, Rule, rule};
pub use secrets::{Secret, find as secrets};

/// Why a skill could not be scanned.
#[derive(Debug, thiserror::Error)]
pub enum ScanError {
    /// The folder or file could not be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// What the analyses know of the whole skill.
pub(crate) struct Skill<'a> {
    pub(crate) subject: Subject,
    pub(crate) members: &'a [bundle::Member],
    /// All text of the skill that is not code, in lower case, for questions about its subject.
    pub(crate) host_counts: std::collections::HashMap<String, usize>,
    /// Where the document says that a key goes.
    pub(crate) promises: subject::Promises,
    /// Hosts that the documents of the skill name.
    pub(crate) documented: std::collections::HashSet<String>,
    /// For each file whether it lists what to detect or to withstand.
    pub(crate) catalogues: Vec<bool>,
    /// What the documents say, in lower case: put together when it is asked for.
    said: std::cell::OnceCell<String>,
}

impl Skill<'_> {
    /// Whether a host belongs to what the skill is about: declared, named, or used throughout.
    pub(crate) fn is_about(&self, host: &str) -> bool {
        const THROUGHOUT: usize = 4;
        self.subject.is_about(host)
            || self.host_counts.get(host).copied().unwrap_or(0) >= THROUGHOUT
    }
}

impl Skill<'_> {
    /// Whether the skill says that it has to do with a host.
    pub(crate) fn documents(&self, host: &str) -> bool {
        self.documented.contains(host) || self.subject.hosts.iter().any(|known| known == host)
    }

    /// Whether a document of the skill speaks of a host, by its name or by a word of it.
    pub(crate) fn speaks_of(&self, host: &str) -> bool {
        // A shorter word says nothing.
        const SHORTEST: usize = 4;
        // Bytes of the documents that are looked at.
        const MOST: usize = 512 * 1024;
        if self.is_about(host) || self.documents(host) {
            return true;
        }
        let said = self.said.get_or_init(|| {
            let documents = self.members.iter().filter(|member| {
                matches!(member.kind, Kind::Text(Language::Markdown | Language::Plain))
            });
            let mut said = String::new();
            for member in documents {
                if said.len() > MOST {
                    break;
                }
                said.push_str(&String::from_utf8_lossy(&member.bytes).to_lowercase());
            }
            said
        });
        let owner = subject::registered(host);
        let label = owner.split('.').next().unwrap_or(&owner);
        label.parse::<u8>().is_err()
            && (label.len() >= SHORTEST && said.contains(label)
                || label
                    .split('-')
                    .any(|word| word.len() >= SHORTEST && mention::has_word(said, word)))
    }

    /// Whether a word stands in the name or the description of the skill.
    pub(crate) fn says(&self, word: &str) -> bool {
        let said = format!("{} {}", self.subject.name, self.subject.description).to_lowercase();
        mention::has_word(&said, word)
    }

    /// Whether making things run by themselves is what the skill says it is for.
    pub(crate) fn schedules(&self) -> bool {
        const WORDS: [&str; 12] = [
            "cron",
            "launchd",
            "launch agent",
            "systemd",
            "schedul",
            "timer",
            "service",
            "daemon",
            "startup",
            "autostart",
            "login item",
            "background job",
        ];
        let said = format!("{} {}", self.subject.name, self.subject.description).to_lowercase();
        WORDS.iter().any(|word| said.contains(word))
    }
}

/// Scans a skill: a folder, or a single file.
///
/// ```
/// let skill = tempfile::tempdir().unwrap();
/// std::fs::write(skill.path().join("SKILL.md"), "---\nname: a\ndescription: b\n---\nTidy up.\n").unwrap();
/// assert_eq!(hone_guard::scan(skill.path()).unwrap().verdict, hone_guard::Verdict::Safe);
/// ```
pub fn scan(path: &Path) -> Result<Report, ScanError> {
    Ok(Files::read(path)?.scan())
}

fn look(bundle: &bundle::Bundle) -> Report {
    let members = &bundle.members;
    let texts: Vec<Option<Text>> = members
        .iter()
        .map(|member| matches!(member.kind, Kind::Text(_)).then(|| Text::from_bytes(&member.bytes)))
        .collect();
    let subject = subject_of(members, &texts);
    let references = mention::References::of(members, &texts);
    let mut coverage = Coverage {
        files: members.len(),
        scanned: members.len(),
        bytes: bundle.bytes,
        ..Coverage::default()
    };
    let copies = settings::copies(members, &texts);
    let mut passages = Vec::new();
    for (file, (member, text)) in members.iter().zip(&texts).enumerate() {
        if let (Kind::Text(language), Some(text)) = (member.kind, text) {
            let (path, language) = copies
                .get(&file)
                .map_or((&*member.path, language), |copied| (&copied.path, copied.language));
            passages.extend(passages_of(file, path, language, text, &references));
        }
    }
    let mut unread = Vec::new();
    for (file, given) in given::languages(members, &texts) {
        match (members[file].kind, &texts[file]) {
            (Kind::Text(language), Some(text)) if language != given => {
                passages.push(straight(file, given, In::Script, text, 0..text.plain.len()));
            }
            (Kind::Media(_) | Kind::Binary, _) => unread.push(file),
            _ => {}
        }
    }
    let blocks = settings::blocks(&passages);
    let inside = settings::inside(&blocks, &passages);
    passages.extend(inside);
    passages.extend(placeholders::filled(&passages));
    let undecoded = decode_all(&mut passages, &mut coverage);
    let mut host_counts = std::collections::HashMap::new();
    let mut documented = std::collections::HashSet::new();
    for (member, text) in members.iter().zip(&texts) {
        let Some(text) = text else { continue };
        let is_document = matches!(member.kind, Kind::Text(Language::Markdown | Language::Plain));
        for address in destination::addresses(&text.plain) {
            let host = address.host();
            if is_document && !documented.contains(&host) {
                documented.insert(host.clone());
            }
            *host_counts.entry(host).or_insert(0) += 1;
        }
    }
    let main =
        members.iter().zip(&texts).find(|(member, _)| member.path.eq_ignore_ascii_case("skill.md"));
    let promises =
        main.and_then(|(_, text)| text.as_ref()).map(|text| subject::Promises::of(&text.plain));
    let catalogues = members.iter().zip(&texts).map(|(member, text)| {
        let is_settings = matches!(
            member.kind,
            Kind::Text(Language::Json | Language::Yaml | Language::Toml | Language::Ini)
        );
        is_settings && text.as_ref().is_some_and(|text| prose::is_list(&text.plain))
    });
    let skill = Skill {
        subject,
        members,
        host_counts,
        promises: promises.unwrap_or_default(),
        documented,
        catalogues: catalogues.collect(),
        said: std::cell::OnceCell::new(),
    };
    let mut findings = Findings::new(members);
    for (at, why) in undecoded {
        findings.unfinished(&passages[at], 0..0, why);
    }
    for file in unread {
        let why = "it is given to an interpreter and is no text";
        findings.unfinished_file(file, &members[file].path, why);
    }
    structure::look(bundle, &skill, &texts, &references, &mut findings, &mut coverage);
    settings::look(&skill, &texts, &references, &copies, &mut findings);
    settings::look_blocks(&blocks, &passages, &skill, &mut findings);
    let mut memories = shell_flow::Memories::default();
    let mut embedded = Vec::new();
    for passage in &passages {
        prose::look(passage, &skill, &mut findings);
        awk::look(passage, &skill, &mut findings);
        unsaid::look(passage, &skill, &mut findings);
        settings::look_passage(passage, &skill, &mut findings);
        structure::climbing::look(passage, &mut findings);
        // `irm … | iex` in a block that does not say its language.
        if passage.decoded.is_none()
            && matches!(passage.language, Language::Plain | Language::Shell)
            && matches!(passage.context, In::Fence | In::InlineCode)
            && quoted::language_of(&passage.text) == Some(Language::PowerShell)
        {
            embedded.push(Passage { language: Language::PowerShell, ..passage.clone() });
        }
        let memory = memories.of(passage.file);
        for inner in shell_flow::look(passage, &skill, memory, &mut findings) {
            let (line, column) = passage.place.position(inner.at);
            embedded.push(Passage {
                language: inner.language,
                text: Cow::Owned(inner.text),
                place: Place::Fixed { line, column },
                ..passage.clone()
            });
        }
    }
    // Settings and plain data: what their strings would do.
    for passage in passages.iter().filter(|p| {
        matches!(
            p.language,
            Language::Json
                | Language::Yaml
                | Language::Toml
                | Language::Ini
                | Language::Plain
                | Language::Html
        )
    }) {
        embedded.extend(strings_of(passage));
    }
    let mut program = code::Program::default();
    for memory in memories.all() {
        program.inherit(memory.carried());
        program.find(memory.saved());
    }
    for passage in passages.iter().chain(&embedded) {
        program.add(passage);
    }
    // Shell inside code inside shell: each round goes one string deeper.
    let mut inner: Vec<Passage<'static>> =
        program.solve(&skill, &mut findings).into_iter().map(Passage::detached).collect();
    inner.extend(
        embedded
            .iter()
            .filter(|passage| passage.language == Language::Shell)
            .cloned()
            .map(Passage::detached),
    );
    for _ in 0..MAX_STRING_DEPTH {
        let mut deeper = Vec::new();
        for passage in &inner {
            let memory = memories.of(passage.file);
            for code in shell_flow::look(passage, &skill, memory, &mut findings) {
                deeper.push(
                    Passage {
                        language: code.language,
                        text: Cow::Owned(code.text),
                        ..passage.clone()
                    }
                    .detached(),
                );
            }
        }
        let code: Vec<Passage<'static>> = inner
            .into_iter()
            .filter(|passage| passage.language != Language::Shell)
            .chain(deeper)
            .collect();
        if code.is_empty() {
            break;
        }
        let mut program = code::Program::default();
        for passage in &code {
            program.add(passage);
        }
        inner = program.solve(&skill, &mut findings).into_iter().map(Passage::detached).collect();
    }
    prose::look_across(&passages, &skill, &mut findings);
    let observed = inventory::Observed::of(&passages);
    settings::compare(&skill, &passages, &observed, &mut findings);
    let inventory = inventory::take(&skill, observed, &findings);
    for file in findings.unfinished_files() {
        let path = &members[file].path;
        if !coverage.incomplete.contains(path) {
            coverage.incomplete.push(path.clone());
        }
    }
    Report {
        verdict: Verdict::of(findings.worst()),
        findings: findings.finish(),
        coverage,
        inventory,
        digest: bundle.digest.clone(),
        rules: RULES_VERSION.to_owned(),
    }
}

fn subject_of(members: &[bundle::Member], texts: &[Option<Text>]) -> Subject {
    let main = members
        .iter()
        .position(|member| member.path == "SKILL.md")
        .or_else(|| members.iter().position(|member| member.path.eq_ignore_ascii_case("skill.md")))
        .or_else(|| {
            members.iter().position(|member| member.kind == Kind::Text(Language::Markdown))
        });
    let Some(text) = main.and_then(|at| texts[at].as_ref()) else { return Subject::default() };
    hone_skill::read(text.plain.as_bytes(), None)
        .skill
        .map(|skill| Subject::of(&skill))
        .unwrap_or_default()
}

/// The passages of one file.
fn passages_of<'a>(
    file: usize,
    path: &str,
    language: Language,
    text: &'a Text,
    references: &mention::References,
) -> Vec<Passage<'a>> {
    let context = references.context(file);
    match language {
        Language::Markdown => {
            let body = frontmatter_end(&text.plain);
            let mut found = markdown::passages(text, file, body..text.plain.len(), context);
            if body > 0 {
                let setting = if context == In::Prose { In::Setting } else { context };
                found.push(straight(file, Language::Yaml, setting, text, 0..body));
                found.extend(settings::passages(
                    file,
                    path,
                    Language::Yaml,
                    text,
                    0..body,
                    setting,
                ));
            }
            found.extend(letter_spaced(text, file, context));
            found.extend(pushed_aside(text, file));
            mention::mark(&mut found);
            found
        }
        Language::Html => markdown::html_parts(&text.plain)
            .into_iter()
            .map(|part| {
                let context = if part.hidden { In::Hidden } else { context };
                straight(file, Language::Html, context, text, part.range)
            })
            .chain(std::iter::once(straight(
                file,
                Language::Html,
                context,
                text,
                0..text.plain.len(),
            )))
            .chain(settings::scripts_of_html(file, text, context))
            .chain(settings::passages(file, path, language, text, 0..text.plain.len(), context))
            .collect(),
        language => {
            let all = 0..text.plain.len();
            let mut found = vec![straight(file, language, context, text, all.clone())];
            found.extend(settings::passages(file, path, language, text, all, context));
            found
        }
    }
}

fn straight(
    file: usize,
    language: Language,
    context: In,
    text: &Text,
    range: std::ops::Range<usize>,
) -> Passage<'_> {
    Passage {
        file,
        language,
        context,
        place: Place::Straight { text, start: range.start },
        text: Cow::Borrowed(&text.plain[range]),
        headings: Cow::Borrowed(""),
        lead: Cow::Borrowed(""),
        decoded: None,
    }
}

/// Strings inside strings that are followed as code.
const MAX_STRING_DEPTH: usize = 2;

/// The strings of a setting or data file that look like something to be run.
fn strings_of<'a>(passage: &Passage<'a>) -> Vec<Passage<'a>> {
    const MOST: usize = 200;
    let mut found = Vec::new();
    if quoted::language_of(&passage.text[..text::floor(&passage.text, 64 * 1024)]).is_none()
        && passage.text.len() <= 64 * 1024
    {
        return found;
    }
    let mut at = 0;
    for line in passage.text.split_inclusive('\n') {
        let body = line.trim();
        let split = body.split_once(['=', ':']).map_or(body, |(_, value)| value.trim());
        // `os.system("curl https://…")` has a colon too, and is no key with a value.
        let item = body.trim_start_matches(['-', ' ', '"', '\'']);
        let value = if quoted::language_of(split).is_none() && quoted::language_of(item).is_some() {
            item
        } else {
            split
        };
        let value = value
            .trim_start_matches(['"', '\'', '-', '[', ' '])
            .trim_end_matches([',', ']', '"', '\'', ' ']);
        let value = value.replace("\\\"", "\"").replace("\", \"", " ").replace("\",\"", " ");
        // (call-process-shell-command "…"), \write18{…}, Command="…": the string inside is what runs.
        let value = value.replace("&quot;", "'").replace("&amp;", "&").replace("&lt;", "<");
        let inner = ["\"", "'"]
            .iter()
            .flat_map(|quote| value.split(quote).skip(1).step_by(2))
            .chain(
                value
                    .split_once('{')
                    .and_then(|(_, rest)| rest.rsplit_once('}'))
                    .map(|(inner, _)| inner),
            )
            .find(|text| quoted::language_of(text).is_some())
            .map(str::to_owned);
        let value = inner.unwrap_or(value);
        if let Some(language) = quoted::language_of(&value)
            && found.len() < MOST
        {
            let (line, column) = passage.place.position(at);
            found.push(Passage {
                language,
                text: Cow::Owned(value),
                place: Place::Fixed { line, column },
                ..passage.clone()
            });
        }
        at += line.len();
    }
    found
}

/// Where the frontmatter of a Markdown text ends, or 0.
fn frontmatter_end(text: &str) -> usize {
    let trimmed = text.trim_start_matches(['\u{FEFF}', '\n', '\r', ' ']);
    if !trimmed.starts_with("---") {
        return 0;
    }
    let start = text.len() - trimmed.len();
    let mut at = start;
    for (count, line) in trimmed.split_inclusive('\n').enumerate() {
        at += line.len();
        if count > 0 && line.trim_end() == "---" {
            return at;
        }
    }
    0
}

/// What stands on a line behind so many blanks that nobody sees it, also where a table drops it.
fn pushed_aside(text: &Text, file: usize) -> Vec<Passage<'_>> {
    const BLANKS: &str =
        "                                                                                ";
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text.plain[from..].find(BLANKS).map(|at| from + at) {
        let end = text.plain[at..].find('\n').map_or(text.plain.len(), |end| at + end);
        let rest = text.plain[at..end].trim_start();
        if rest.len() > 12 {
            found.push(straight(file, Language::Markdown, In::Hidden, text, end - rest.len()..end));
        }
        from = end;
    }
    found
}

/// Words written with blanks between their letters, put together again.
fn letter_spaced(text: &Text, file: usize, context: In) -> Vec<Passage<'_>> {
    const MIN_LETTERS: usize = 12;
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.plain.split_inclusive('\n') {
        let (mut words, mut single) = (0, 0);
        let is_between = |c: char| matches!(c, ' ' | '.' | '-' | '_' | '*' | '\u{00B7}');
        for word in line.split(is_between).filter(|word| !word.is_empty()) {
            let mut letters = word.chars();
            let is_one =
                letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
            (words, single) = (words + 1, single + usize::from(is_one));
        }
        if single >= MIN_LETTERS && single * 4 >= words * 3 {
            let joined = join_letters(line);
            let mut passage =
                straight(file, Language::Markdown, In::Hidden, text, start..start + line.len());
            if !context.acts() {
                passage.context = context;
            }
            passage.text = Cow::Owned(joined);
            passage.place = Place::Fixed { line: text.position(start).0, column: 1 };
            passage.decoded = Some("spaced letters".to_owned());
            found.push(passage);
        }
        start += line.len();
    }
    found
}

/// Puts spaced letters together. Where dots or dashes stand between letters, blanks part the words;
/// where blanks do, two blanks or more.
fn join_letters(line: &str) -> String {
    let is_mark = |c: char| matches!(c, '.' | '-' | '_' | '*' | '\u{00B7}');
    let marked =
        line.chars().filter(|c| is_mark(*c)).count() > line.chars().filter(|c| *c == ' ').count();
    let words: Vec<String> = line
        .split(if marked { " " } else { "  " })
        .map(|word| word.chars().filter(|c| !(is_mark(*c) || *c == ' ')).collect())
        .filter(|word: &String| !word.trim().is_empty())
        .collect();
    words.join(" ")
}

/// Adds what is encoded in the passages as passages of their own, to the depth and the budget. Gives
/// the passages of which something was not decoded, with the reason.
fn decode_all(
    passages: &mut Vec<Passage<'_>>,
    coverage: &mut Coverage,
) -> Vec<(usize, &'static str)> {
    let mut budget = decode::Budget::new(MAX_DECODED_BYTES);
    let mut unfinished = Vec::new();
    let mut from = 0;
    for depth in 0..MAX_DECODE_DEPTH {
        let until = passages.len();
        let mut inner = Vec::new();
        for (at, outer) in passages.iter().enumerate().skip(from) {
            // Spans and prose of one paragraph would be decoded twice.
            if outer.context == In::InlineCode || depth > 0 && outer.decoded.is_none() {
                continue;
            }
            for encoded in decode::find(&outer.text, &outer.lead, &mut budget) {
                let (line, column) = outer.place.position(encoded.range.start);
                let how = match &outer.decoded {
                    Some(before) => format!("{before}, then {}", encoded.how),
                    None => encoded.how.to_owned(),
                };
                coverage.decoded += 1;
                coverage.bytes += encoded.text.len() as u64;
                let context = if outer.context.acts() { In::Hidden } else { outer.context };
                let language = match (
                    quoted::language_of(&encoded.text),
                    kind::classify("", encoded.text.as_bytes()),
                ) {
                    (Some(language), _) => language,
                    (None, Kind::Text(language)) if language.runs() => language,
                    _ => Language::Shell,
                };
                let text = Text::from_string(encoded.text).plain;
                for language in [language, Language::Markdown] {
                    let passage = Passage {
                        file: outer.file,
                        language,
                        context,
                        text: Cow::Owned(text.clone()),
                        place: Place::Fixed { line, column },
                        headings: outer.headings.clone(),
                        lead: outer.lead.clone(),
                        decoded: Some(how.clone()),
                    };
                    inner.push(passage);
                }
            }
            if budget.was_short() {
                unfinished.push((at, "more is encoded than is decoded in one skill"));
            }
        }
        passages.append(&mut inner);
        from = until;
        if from == passages.len() {
            break;
        }
    }
    // Each text stands there as code and as prose: one of the two is asked.
    let deepest = passages.iter().enumerate().skip(from).step_by(2);
    for (at, passage) in deepest {
        if !decode::find(&passage.text, "", &mut budget).is_empty() || budget.was_short() {
            unfinished.push((at, "it is encoded more often than is decoded"));
        }
    }
    unfinished
}
