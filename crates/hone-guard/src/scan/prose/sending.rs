//! The person's work, conversation or secrets sent to somebody's host or mailbox, said in prose.

use super::super::Skill;
use super::super::findings::Findings;
use super::Piece;

/// Looks at the pieces of one section.
pub(super) fn look(_section: &[Piece<'_, '_>], _skill: &Skill<'_>, _findings: &mut Findings<'_>) {}
