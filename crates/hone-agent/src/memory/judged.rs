//! What a task wants to be remembered is data of unknown origin: the guard looks at it before it may
//! reach a later prompt. What looks like an instruction is set aside with the reason.

use hone_guard::{Files, Verdict};
use hone_skill::first_hidden;

/// Why a text may not reach a later prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Objection {
    /// The rule of the guard that it breaks.
    pub rule: String,
    /// What the guard says.
    pub message: String,
}

/// What speaks against a text, if anything does.
pub fn objection(text: &str) -> Option<Objection> {
    if let Some(hidden) = first_hidden(text) {
        let message = format!("it has the invisible character U+{:04X}", u32::from(hidden));
        return Some(Objection { rule: "hidden-text".to_owned(), message });
    }
    let report = Files::of_text("MEMORY.md", text.as_bytes().to_vec()).scan();
    if report.verdict == Verdict::Safe {
        return None;
    }
    let worst = report.findings.iter().max_by_key(|finding| finding.severity)?;
    Some(Objection { rule: worst.rule.clone(), message: worst.message.clone() })
}
