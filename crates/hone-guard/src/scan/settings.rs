//! Settings that take effect by themselves, and what a skill declares against what it does.

use super::Skill;
use super::code::Program;
use super::findings::Findings;
use super::mention::References;
use super::passage::Passage;
use super::text::Text;

/// Looks at the configuration files of a skill and at its frontmatter.
pub(crate) fn look(_skill: &Skill<'_>, _texts: &[Option<Text>], _references: &References, _findings: &mut Findings<'_>) {}

/// Compares what the skill declares with what was observed.
pub(crate) fn compare(_skill: &Skill<'_>, _passages: &[Passage<'_>], _program: &Program<'_>, _findings: &mut Findings<'_>) {}
