//! Prerequisites that are the attack: an unknown program to fetch and start before a skill works.

use super::super::Skill;
use super::super::findings::Findings;
use super::super::passage::Passage;

/// Looks at the sections of a skill.
pub(super) fn look(_passages: &[Passage<'_>], _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}
