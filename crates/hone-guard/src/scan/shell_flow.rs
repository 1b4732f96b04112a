//! Flows through shell text.

use super::Skill;
use super::findings::Findings;
use super::passage::Passage;

/// Follows the flows of one passage.
pub(crate) fn look(_passage: &Passage<'_>, _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}
