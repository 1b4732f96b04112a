//! What a skill does as far as it can be seen: hosts, variables, programs, hooks. Never a verdict.

use super::Skill;
use super::code::Program;
use super::finding::Inventory;
use super::passage::Passage;

/// Takes stock.
pub(crate) fn take(_skill: &Skill<'_>, _passages: &[Passage<'_>], _program: &Program<'_>) -> Inventory {
    Inventory::default()
}
