//! Settings that take effect by themselves, where packages come from, and what a skill declares
//! against what it does. Commands and sentences inside settings become passages ([`passages`]), so
//! that the analyses of flows and of prose look at them too.

mod agent;
pub(crate) mod cluster;
mod command;
mod container;
mod declared;
mod destined;
mod editor;
mod forks;
mod forms;
mod grants;
mod hooked;
pub(crate) mod leaf;
mod logins;
mod names;
mod packages;
mod passages;
mod recipes;
mod sources;
mod started;
mod switches;
mod told;
mod workflow;

use std::collections::HashMap;

use super::Skill;
use super::finding::Severity;
use super::findings::{Findings, Match};
use super::inventory::Observed;
use super::kind::{Kind, Language};
use super::mention::References;
use super::passage::{Passage, Place};
use super::rules;
use super::text::Text;

pub(crate) use container::image;
pub(crate) use destined::{Block, Copied, blocks, copies, inside};
pub(crate) use passages::{passages, scripts_of_html};

/// Looks at the configuration files of a skill and at its frontmatter.
pub(crate) fn look(
    skill: &Skill<'_>,
    texts: &[Option<Text>],
    references: &References,
    copies: &HashMap<usize, Copied>,
    findings: &mut Findings<'_>,
) {
    for (file, (member, text)) in skill.members.iter().zip(texts).enumerate() {
        let (Kind::Text(language), Some(text)) = (member.kind, text) else { continue };
        let context = references.context(file);
        let (path, language) = copies
            .get(&file)
            .map_or((&*member.path, language), |copied| (&copied.path, copied.language));
        let found = File { index: file, path, language, text, context, place: None };
        if language == Language::Markdown {
            let end = super::file_passages::frontmatter_end(&text.plain);
            let leaves = leaf::leaves(Language::Yaml, &text.plain[..end]);
            if is_main(&member.path) {
                agent::look_frontmatter(&found, &leaves, skill, findings);
                packages::look_installers(&found, &leaves, findings);
                declared::look(&found, skill, &leaves, findings);
            }
        } else {
            look_file(&found, skill, findings);
        }
        editor::look(&found, findings);
        logins::look(&found, findings);
        workflow::look(&found, findings);
    }
}

/// Looks at the blocks of documents that will be files of settings.
pub(crate) fn look_blocks(
    blocks: &[Block],
    passages: &[Passage<'_>],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    for block in blocks {
        let outer = &passages[block.passage];
        let found = File {
            index: outer.file,
            path: &block.path,
            language: block.language,
            text: &block.text,
            context: outer.context,
            place: Some(&outer.place),
        };
        look_file(&found, skill, findings);
        if !block.path.is_empty() {
            workflow::look(&found, findings);
        }
    }
}

/// What settings, manifests and recipes say, wherever they stand.
fn look_file(file: &File<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    match file.language {
        Language::Json | Language::Yaml | Language::Toml | Language::Ini => {
            let leaves = leaf::leaves(file.language, &file.text.plain);
            agent::look(file, &leaves, skill, findings);
            packages::look_settings(file, &leaves, skill, findings);
            forks::look_settings(file, &leaves, findings);
            container::look_settings(file, &leaves, findings);
            look_for_pools(file, &leaves, skill, findings);
        }
        Language::Plain => packages::look_requirements(file, skill, findings),
        _ => {}
    }
    agent::look_variables(file, skill, findings);
    packages::look_build(file, findings);
    packages::look_gemfile(file, skill, findings);
    sources::look(file, skill, findings);
    grants::look(file, findings);
    forks::look_modules(file, findings);
}

/// A miner's settings: where its pool is. A skill that says it is about mining may have them.
fn look_for_pools(
    file: &File<'_>,
    leaves: &[leaf::Leaf],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    let said = format!("{} {}", skill.subject.name, skill.subject.description).to_lowercase();
    let about = ["mining", "miner", "hashrate", "stratum"].iter().any(|word| said.contains(word));
    if let Some(leaf) =
        leaves.iter().find(|leaf| leaf.value.starts_with("stratum") && leaf.value.contains("://"))
    {
        let severity = if about { Severity::Info } else { Severity::Critical };
        let found = Match::new(
            &rules::RESOURCE_ABUSE,
            severity,
            "a miner's settings: the address of its pool",
        );
        file.add(leaf.start(), &leaf.value, found, findings);
    }
}

/// One file that is looked at.
struct File<'a> {
    index: usize,
    path: &'a str,
    language: Language,
    text: &'a Text,
    context: super::finding::Context,
    /// Of a block in a document, where its bytes stand there.
    place: Option<&'a Place<'a>>,
}

impl File<'_> {
    /// Whether it is a block of a document, which somebody reads before it takes effect.
    fn is_block(&self) -> bool {
        self.place.is_some()
    }

    fn name(&self) -> &str {
        self.path.rsplit(['/', '!']).next().unwrap_or(self.path)
    }

    fn add(
        &self,
        at: usize,
        evidence: &str,
        found: super::findings::Match,
        findings: &mut Findings<'_>,
    ) {
        let position = match self.place {
            Some(place) => place.position(at),
            None => self.text.position(at),
        };
        findings.add_at(self.index, position, self.context, evidence, found);
    }
}

fn is_main(path: &str) -> bool {
    path.eq_ignore_ascii_case("skill.md") || !path.contains(['/', '!'])
}

/// Looks at the commands of one passage: what they install, what they mount, whether they run when
/// the skill is loaded.
pub(crate) fn look_passage(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    agent::look_load_time(passage, skill, findings);
    told::look(passage, skill, findings);
    packages::look_commands(passage, skill, findings);
    container::look_commands(passage, findings);
    cluster::look(passage, skill, findings);
}

/// Compares what the skill declares with what was observed.
pub(crate) fn compare(
    skill: &Skill<'_>,
    passages: &[Passage<'_>],
    observed: &Observed,
    findings: &mut Findings<'_>,
) {
    declared::compare(skill, passages, observed, findings);
}
