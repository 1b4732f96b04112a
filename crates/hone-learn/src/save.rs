//! What has to be asked before a draft becomes a skill: the guard, and the policy.

use hone_guard::policy::{Action, Policy};
use hone_guard::{Files, Report, Verdict};
use hone_skill::Origin;

use crate::draft::{Draft, NotASkill};

/// A draft as it would be written, and what is said about it.
#[derive(Debug)]
pub struct Judged {
    /// The text of the skill.
    pub text: String,
    /// What the guard says.
    pub report: Report,
    /// What happens to it.
    pub action: Action,
    /// Why, in sentences.
    pub why: String,
}

/// Judges a draft as the person's own. What looks dangerous is asked about all the same: a transcript
/// is not the person's word.
pub fn judge(draft: &Draft, policy: &Policy) -> Result<Judged, NotASkill> {
    let text = draft.text()?;
    let report = Files::of_text("SKILL.md", text.clone().into_bytes()).scan();
    let ruling = policy.decide(Origin::Local, report.verdict);
    let action = match report.verdict {
        Verdict::Dangerous => ruling.action.max(Action::Ask),
        _ => ruling.action,
    };
    Ok(Judged { text, report, action, why: ruling.why })
}
