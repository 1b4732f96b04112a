//! Which messages a newcomer would take from the skills that are there, as `hone what-if` says it.

use hone_library::Catalogue;
use hone_router::{Index, SkillText, Suite, skill_text, what_if};

use crate::bundle::BundleFile;
use crate::hub::Taken;
use std::collections::BTreeMap;

/// Newcomers of one action up to which the question is asked; it costs a look at every message.
pub(crate) const MAX_ASKED: usize = 8;
/// Messages that are named.
pub(crate) const MAX_TAKEN: usize = 20;

/// Asks every message that the library's suites remember, before and after.
pub(crate) fn takes(
    state: &hone_library::State,
    catalogue: &Catalogue,
    name: &str,
    files: &BTreeMap<String, BundleFile>,
) -> Vec<Taken> {
    let Some(text) = text_of(name, files) else { return Vec::new() };
    // A version that is installed already is what it would replace.
    let skills: Vec<_> =
        catalogue.skills.iter().filter(|skill| skill.summary.name != text.name).cloned().collect();
    let messages: Vec<String> = skills
        .iter()
        .filter(|skill| !skill.is_flat)
        .flat_map(|skill| skill_text(skill).0.suite.cases)
        .filter(|case| case.should_trigger)
        .map(|case| case.query)
        .collect();
    if messages.is_empty() {
        return Vec::new();
    }
    let open = || Index::open(state, &catalogue.roots, &skills).index;
    let answer = what_if(&open(), &open().plus(&text), &text, &messages);
    let taken = answer.first.into_iter().filter_map(|change| {
        let from = skills.get(change.taken_from?)?.summary.name.clone();
        Some(Taken { message: change.query, from })
    });
    taken.take(MAX_TAKEN).collect()
}

fn text_of(name: &str, files: &BTreeMap<String, BundleFile>) -> Option<SkillText> {
    let bytes = &files.get("SKILL.md").or_else(|| files.get("skill.md"))?.bytes;
    let skill = hone_skill::read(bytes, Some(name)).skill?;
    let suite = files.get(hone_router::SUITE_FILE);
    Some(SkillText {
        name: skill.name.clone(),
        description: skill.description.clone(),
        when_to_use: skill.when_to_use.clone().unwrap_or_default(),
        body: String::from_utf8_lossy(&bytes[skill.body.clone()]).into_owned(),
        suite: suite.and_then(|file| Suite::read(&file.bytes).ok()).unwrap_or_default(),
        ..SkillText::default()
    })
}
