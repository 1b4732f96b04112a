//! What the files of a skill are: links, programs, disguises, archives, hidden characters, secrets.

use super::Skill;
use super::bundle::Bundle;
use super::finding::Coverage;
use super::findings::Findings;
use super::text::Text;

/// Looks at the tree and at each file's form.
pub(crate) fn look(_bundle: &Bundle, _skill: &Skill<'_>, _texts: &[Option<Text>], _findings: &mut Findings<'_>, _coverage: &mut Coverage) {}
