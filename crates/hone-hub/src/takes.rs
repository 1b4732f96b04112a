//! Which messages a newcomer would take from the skills that are there, as `hone what-if` says it.

use std::collections::BTreeMap;

use hone_library::{Catalogue, Listed, State};
use hone_router::{Index, SkillText, Suite, skill_text, what_if};

use crate::bundle::BundleFile;
use crate::hub::{Taken, Takes};

/// Newcomers of one action up to which the question is asked; it costs a look at every message for each.
pub const MAX_NEWCOMERS: usize = 8;
/// Messages that are named for each of them.
pub const MAX_TAKEN: usize = 20;

/// The skills of one action that are new here, and what they are held against.
pub(crate) struct Newcomers<'a> {
    state: &'a State,
    catalogue: &'a Catalogue,
    /// Every message that a suite of the library remembers, with the skill that it is for; none when
    /// there are too many newcomers to ask.
    messages: Option<Vec<(&'a Listed, String)>>,
}

impl<'a> Newcomers<'a> {
    /// So many of them.
    pub(crate) fn new(state: &'a State, catalogue: &'a Catalogue, count: usize) -> Self {
        let of = |skill: &'a Listed| {
            let cases = skill_text(skill).0.suite.cases.into_iter();
            cases.filter(|case| case.should_trigger).map(move |case| (skill, case.query))
        };
        let skills = || catalogue.skills.iter().filter(|skill| !skill.is_flat);
        let messages = match count {
            0 => Some(Vec::new()),
            1..=MAX_NEWCOMERS => Some(skills().flat_map(of).collect()),
            _ => None,
        };
        Self { state, catalogue, messages }
    }

    /// Asks every message before and after one of them. A skill of the same name is what it replaces.
    pub(crate) fn takes(&self, name: &str, files: &BTreeMap<String, BundleFile>) -> Takes {
        let Some(messages) = &self.messages else {
            return Takes { is_unasked: !self.catalogue.skills.is_empty(), ..Takes::default() };
        };
        let Some((text, is_for_models)) = text_of(name, files) else { return Takes::default() };
        let is_other = |skill: &Listed| skill.summary.name != text.name;
        let messages: Vec<String> = messages
            .iter()
            .filter(|(skill, _)| is_other(skill))
            .map(|(_, message)| message.clone())
            .collect();
        if messages.is_empty() {
            return Takes::default();
        }
        let skills: Vec<Listed> =
            self.catalogue.skills.iter().filter(|skill| is_other(skill)).cloned().collect();
        let open = || Index::open(self.state, &self.catalogue.roots, &skills).index;
        let for_models = |skill: usize| {
            skills.get(skill).map_or(is_for_models, |skill| skill.summary.model_invocable)
        };
        let answer = what_if(&open(), &open().plus(&text), &text, None, &messages, &for_models);
        let mut taken: Vec<Taken> = answer
            .first
            .into_iter()
            .filter_map(|change| {
                let from = skills.get(change.taken_from?)?.summary.name.clone();
                Some(Taken { message: change.query, from })
            })
            .collect();
        let unnamed = taken.len().saturating_sub(MAX_TAKEN);
        taken.truncate(MAX_TAKEN);
        Takes { messages: taken, unnamed, is_unasked: false }
    }
}

/// The text of a newcomer, and whether a model may load it.
fn text_of(name: &str, files: &BTreeMap<String, BundleFile>) -> Option<(SkillText, bool)> {
    let bytes = &files.get("SKILL.md").or_else(|| files.get("skill.md"))?.bytes;
    let skill = hone_skill::read(bytes, Some(name)).skill?;
    let suite = files.get(hone_router::SUITE_FILE);
    let is_for_models = !skill.disable_model_invocation;
    let text = SkillText {
        name: skill.name.clone(),
        description: skill.description.clone(),
        when_to_use: skill.when_to_use.clone().unwrap_or_default(),
        body: String::from_utf8_lossy(&bytes[skill.body.clone()]).into_owned(),
        suite: suite.and_then(|file| Suite::read(&file.bytes).ok()).unwrap_or_default(),
        ..SkillText::default()
    };
    Some((text, is_for_models))
}
