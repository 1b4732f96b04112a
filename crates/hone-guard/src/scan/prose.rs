//! Sentences that turn an agent against its user.

use super::Skill;
use super::findings::Findings;
use super::passage::Passage;

/// Looks at one passage.
pub(crate) fn look(_passage: &Passage<'_>, _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}

/// Looks at what stands together only across passages: a section's steps.
pub(crate) fn look_across(_passages: &[Passage<'_>], _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}
