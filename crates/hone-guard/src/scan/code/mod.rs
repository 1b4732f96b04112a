//! Flows through code.

use super::Skill;
use super::findings::Findings;
use super::passage::Passage;

/// All code of a skill.
#[derive(Default)]
pub(crate) struct Program<'a> {
    passages: Vec<&'a Passage<'a>>,
}

impl<'a> Program<'a> {
    /// Takes in a passage, if it is code.
    pub(crate) fn add(&mut self, passage: &'a Passage<'a>) {
        self.passages.push(passage);
    }

    /// Follows the flows.
    pub(crate) fn solve(&mut self, _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}
}
