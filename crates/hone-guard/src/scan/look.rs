//! The order of a scan: files become passages, every analysis looks at them, and what they find becomes the
//! report. Code inside strings inside code is followed to a depth.

use std::borrow::Cow;

use super::captions::Captions;
use super::decoded::decode_all;
use super::file_passages::{passages_of, straight, strings_of};
use super::finding::{Context as In, Coverage, Report, Verdict};
use super::findings::Findings;
use super::kind::{Kind, Language};
use super::passage::{Passage, Place};
use super::rules::RULES_VERSION;
use super::skill::{Skill, subject_of};
use super::text::Text;
use super::{
    awk, bundle, code, destination, formulas, given, inventory, locks, mention, outputs,
    placeholders, prose, quoted, settings, shell_flow, structure, subject, unsaid, wallets,
};

pub(super) fn look(bundle: &bundle::Bundle) -> Report {
    let members = &bundle.members;
    let texts: Vec<Option<Text>> = members
        .iter()
        .map(|member| matches!(member.kind, Kind::Text(_)).then(|| member.text()))
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
    let mut cut = Vec::new();
    for (file, member) in members.iter().enumerate() {
        let captions = Captions::of(member);
        if captions.is_cut {
            cut.push(file);
        }
        passages.extend(captions.passages(file));
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
    let mut skill = Skill {
        subject,
        members,
        host_counts,
        promises: promises.unwrap_or_default(),
        documented,
        catalogues: catalogues.collect(),
        outputs: outputs::Outputs::default(),
        said: std::cell::OnceCell::new(),
        asked: std::cell::RefCell::default(),
        loaded: std::cell::RefCell::default(),
    };
    outputs::gather(&passages, &mut skill);
    let skill = skill;
    let mut findings = Findings::new(members);
    for (at, why) in undecoded {
        findings.unfinished(&passages[at], 0..0, why);
    }
    for file in unread {
        let why = "it is given to an interpreter and is no text";
        findings.unfinished_file(file, &members[file].path, why);
    }
    for file in cut {
        let why = "it is a picture with more text inside than is read";
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
        formulas::look(passage, &skill, &mut findings);
        wallets::look(passage, &skill, &mut findings);
        locks::look(passage, &skill, &mut findings);
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
    program.hear(&skill);
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

/// Strings inside strings that are followed as code.
const MAX_STRING_DEPTH: usize = 2;
