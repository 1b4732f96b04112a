//! What the scripts of a skill give each other: what each prints is the value of running it, and what one
//! leaves in a file another may read. It is known before anything is judged, and nothing is reported here.

use std::collections::HashMap;

use super::Skill;
use super::finding::Context;
use super::findings::Findings;
use super::flow::Taint;
use super::kind::Language;
use super::passage::{Passage, Place};
use super::{code, shell_flow};

/// Rounds over all scripts: each passes a value on through one more script at least.
const MAX_ROUNDS: usize = 4;

/// What scripts print and leave behind.
#[derive(Default)]
pub(crate) struct Outputs {
    /// What each file prints when it is run.
    printed: HashMap<usize, Taint>,
    /// What lies at paths that scripts wrote.
    left: HashMap<String, Taint>,
}

impl Outputs {
    /// What scripts left at a path.
    pub(crate) fn left(&self, path: &str) -> Option<&Taint> {
        self.left.get(path)
    }

    /// What scripts left, by path.
    pub(crate) fn all_left(&self) -> impl Iterator<Item = (&str, &Taint)> {
        self.left.iter().map(|(path, taint)| (path.as_str(), taint))
    }

    /// What files print that anything is known of.
    pub(crate) fn all_printed(&self) -> impl Iterator<Item = (usize, &Taint)> {
        self.printed.iter().map(|(file, taint)| (*file, taint))
    }

    fn prints(&mut self, file: usize, taint: &Taint) -> bool {
        !taint.is_clean() && self.printed.entry(file).or_default().add(taint)
    }

    fn leaves<'n>(&mut self, saved: impl Iterator<Item = (&'n str, &'n Taint)>) -> bool {
        let mut gained = false;
        for (path, taint) in saved {
            gained |= self.left.entry(path.to_owned()).or_default().add(&taint.carried());
        }
        gained
    }
}

/// Runs all whole scripts in the mind until what they give each other is known.
pub(super) fn gather(passages: &[Passage<'_>], skill: &mut Skill<'_>) {
    let is_script = |passage: &&Passage<'_>| {
        passage.decoded.is_none()
            && passage.context == Context::Script
            && matches!(passage.place, Place::Straight { start: 0, .. })
    };
    let scripts: Vec<&Passage<'_>> = passages.iter().filter(is_script).collect();
    let is_shell = |passage: &Passage<'_>| {
        matches!(passage.language, Language::Shell | Language::Fish | Language::Batch)
    };
    // One script alone gives to nobody but a document that runs it.
    let others = passages.iter().any(|passage| {
        passage.context != Context::Script
            && (is_shell(passage) || passage.language == Language::Plain)
    });
    if scripts.is_empty() || scripts.len() == 1 && !others {
        return;
    }
    for _ in 0..MAX_ROUNDS {
        let mut program = code::Program::default();
        program.hear(skill);
        for passage in &scripts {
            program.add(passage);
        }
        let mut gained = false;
        for (file, printed, saved) in program.outputs(skill) {
            gained |= skill.outputs.prints(file, &printed);
            gained |=
                skill.outputs.leaves(saved.iter().map(|(path, taint)| (path.as_str(), taint)));
        }
        let mut memories = shell_flow::Memories::default();
        let mut nowhere = Findings::new(skill.members);
        for passage in scripts.iter().filter(|passage| is_shell(passage)) {
            let memory = memories.of(passage.file);
            let printed = shell_flow::printed(passage, skill, memory, &mut nowhere);
            gained |= skill.outputs.prints(passage.file, &printed);
        }
        for memory in memories.all() {
            gained |= skill.outputs.leaves(memory.saved());
        }
        if !gained {
            break;
        }
    }
}
