//! The form of a candidate: within limits, says what and when, a lesson and no story; and how far a
//! refinement may go without a person.

use hone_agent::run::TOOLS;

use super::{Check, Checked, Finding, Gate, text_of};
use crate::proposal::{Kind, Proposal, Trigger};

/// Characters of a learned skill at most.
pub const MAX_LEARNED_CHARS: usize = 20_000;

/// A refinement that keeps less than this share of the old lines is a rewrite: a person decides.
pub const MIN_KEPT_SHARE: f64 = 0.5;

/// A refinement that takes away more than this share of the old text: a person decides.
pub const MAX_SHRUNK_SHARE: f64 = 0.2;

/// How a failure says that a candidate is too large.
pub(super) const TOO_LARGE: &str = "too large to be looked at";

/// Words that say when a skill is used, in English, German, Spanish, French and Russian.
#[rustfmt::skip]
const WHEN: [&str; 41] = [
    "when", "whenever", "before", "after", "if", "while", "during", "asked", "asks",
    "wenn", "sobald", "falls", "bevor", "nachdem", "sooft", "beim", "während",
    "cuando", "si", "antes", "después", "siempre", "durante", "al",
    "quand", "lorsque", "lorsqu", "avant", "après", "dès", "lors", "pendant",
    "когда", "если", "перед", "после", "при", "прежде", "пока", "всякий", "каждый",
];

/// The same in Chinese, where words are not set apart.
const WHEN_IN_CHINESE: [&str; 8] = ["时", "當", "当", "如果", "若", "之前", "之后", "用于"];

/// Ways to say that a tool is no good, which is seldom true tomorrow.
const NO_GOOD: [&str; 10] = [
    "does not work",
    "doesn't work",
    "is broken",
    "is not available",
    "is unavailable",
    "cannot be used",
    "never works",
    "always fails",
    "do not use",
    "don't use",
];

/// What was wrong with a machine for a moment.
const MOMENTS: [&str; 7] = [
    "was down",
    "was unavailable",
    "were unavailable",
    "had timed out",
    "was rate limited",
    "refused the connection",
    "was out of memory",
];

pub(super) fn check(gate: &Gate<'_>, proposal: &Proposal) -> Checked {
    let count = proposal.text.chars().count();
    if count > MAX_LEARNED_CHARS {
        let why = format!("{TOO_LARGE}: {count} characters, {MAX_LEARNED_CHARS} are allowed");
        return Checked::failed(Check::Form, why);
    }
    let text = text_of(proposal);
    if hone_skill::read(proposal.text.as_bytes(), None).skill.is_none() {
        let why = "it has no frontmatter with a name and a description";
        return Checked::failed(Check::Form, why);
    }
    if text.body.trim().is_empty() {
        return Checked::failed(Check::Form, "it has no steps, only frontmatter");
    }
    if !says_when(&text.description) && !says_when(&text.when_to_use) {
        let why = "its description says what it does and not when to use it";
        return Checked::failed(Check::Form, why);
    }
    if let Some(why) = story(proposal, &text.body) {
        return Checked::failed(Check::Form, why);
    }
    if proposal.examples.is_empty() && proposal.why != Trigger::Written {
        return Checked::failed(Check::Form, "it has no example of a message that calls it");
    }
    match too_far(gate, proposal) {
        Some(why) => Checked::new(Check::Form, Finding::NeedsPerson, why),
        None => Checked::passed(Check::Form, format!("valid, {count} characters, says when")),
    }
}

/// Whether a text says when something is used.
pub fn says_when(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| WHEN.contains(&word.to_lowercase().as_str()))
        || WHEN_IN_CHINESE.iter().any(|when| text.contains(when))
}

/// Why a text is no lesson: it tells of one task, of a moment, or against a tool.
fn story(proposal: &Proposal, body: &str) -> Option<String> {
    if !proposal.task.is_empty() && body.contains(&proposal.task) {
        return Some("it tells the story of one task".to_owned());
    }
    for line in body.lines() {
        let lower = line.to_lowercase();
        let names_tool = || TOOLS.iter().any(|tool| lower.contains(tool)) || lower.contains("tool");
        if let Some(claim) = NO_GOOD.iter().find(|claim| lower.contains(*claim))
            && names_tool()
        {
            return Some(format!(
                "it says that a tool \u{201c}{claim}\u{201d}, which is no lesson"
            ));
        }
        if let Some(moment) = MOMENTS.iter().find(|moment| lower.contains(*moment)) {
            return Some(format!("\u{201c}{moment}\u{201d} is about a moment, not about the task"));
        }
    }
    None
}

/// Why a candidate goes too far for anyone but a person.
fn too_far(gate: &Gate<'_>, proposal: &Proposal) -> Option<String> {
    let skill = gate.known.find(&proposal.name);
    let granted = skill.map_or(&[][..], |skill| skill.summary.allowed_tools.as_slice());
    let wanted = hone_skill::read(proposal.text.as_bytes(), None).skill?.allowed_tools;
    if let Some(more) = wanted.iter().find(|tool| !granted.contains(tool)) {
        return Some(format!("it would allow itself `{}`", more.escape_debug()));
    }
    let skill = skill?;
    if let Kind::Merge { absorbs, .. } = &proposal.kind {
        return Some(format!("it would archive {}", absorbs.join(", ")));
    }
    let old = hone_library::read_text(skill).ok()?;
    changed_too_much(&String::from_utf8_lossy(&old), &proposal.text)
}

/// Why a text must not take the place of another while nobody looks: it would be called by other messages,
/// may do more, or is another text.
pub fn changed_unseen(old: &str, new: &str) -> Option<String> {
    let read = |text: &str| hone_skill::read(text.as_bytes(), None).skill;
    if let Some(why) = changed_too_much(old, new) {
        return Some(why);
    }
    if let (Some(old), Some(new)) = (read(old), read(new)) {
        if let Some(more) = new.allowed_tools.iter().find(|tool| !old.allowed_tools.contains(tool))
        {
            return Some(format!("it would allow itself `{}`", more.escape_debug()));
        }
        if old.description.trim() != new.description.trim() {
            return Some("its description would be another".to_owned());
        }
    }
    None
}

/// Why a text is another one rather than the old one changed.
#[expect(clippy::cast_precision_loss, reason = "a text has far fewer than 2^52 lines")]
pub fn changed_too_much(old: &str, new: &str) -> Option<String> {
    let body = |text: &str| {
        let read = hone_skill::read(text.as_bytes(), None).skill;
        read.and_then(|skill| text.get(skill.body)).unwrap_or(text).to_owned()
    };
    let (old, new) = (body(old), body(new));
    let lines = |text: &str| -> Vec<String> {
        text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let (before, mut after) = (lines(&old), lines(&new));
    if before.is_empty() {
        return None;
    }
    let count = before.len();
    let mut take = |fits: &dyn Fn(&str) -> bool| {
        let found = after.iter().position(|other| fits(other));
        found.map(|at| after.swap_remove(at)).is_some()
    };
    let (same, changed): (Vec<String>, Vec<String>) =
        before.into_iter().partition(|line| take(&|other| other == line));
    // A line that goes on behind its old words is kept too.
    let longer = changed.iter().filter(|line| {
        let start = line.trim_end_matches(['.', ';', ':', ',']);
        !start.is_empty() && take(&|other| other.starts_with(start))
    });
    let share = (same.len() + longer.count()) as f64 / count as f64;
    if share < MIN_KEPT_SHARE {
        return Some(format!("it keeps {:.0} % of the lines: a rewrite", share * 100.0));
    }
    let length = |text: &str| -> f64 {
        lines(text).iter().map(|line| line.chars().count()).sum::<usize>() as f64
    };
    let shrunk = 1.0 - length(&new) / length(&old).max(1.0);
    (shrunk > MAX_SHRUNK_SHARE)
        .then(|| format!("it takes away {:.0} % of the text", shrunk * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_says_when_with_a_word_of_its_own() {
        assert!(says_when("Sums columns. Use when a table needs a total."));
        assert!(says_when("Before a release: tidies the changelog"));
        assert!(!says_when("Sums columns of tables."));
        assert!(!says_when("A whenevery thing"));
        for text in [
            "Summiert Spalten. Nimm es, wenn eine Tabelle eine Summe braucht.",
            "Suma columnas. Úsalo cuando falte un total.",
            "Additionne des colonnes. À utiliser lorsqu'il manque un total.",
            "Складывает столбцы. Используй, когда нужна сумма.",
            "对列求和。需要合计时使用。",
        ] {
            assert!(says_when(text), "{text}");
        }
        assert!(!says_when("Summiert die Spalten von Tabellen."));
        assert!(!says_when("对表格的列求和"));
    }

    #[test]
    fn what_nobody_looks_at_neither_widens_nor_calls_for_other_messages() {
        let text = |tools: &str, about: &str| {
            format!("---\nname: x\ndescription: {about}\nallowed-tools: {tools}\n---\nDo it.\n")
        };
        let old = text("Read Grep", "Does it. Use when asked.");
        assert_eq!(changed_unseen(&old, &old), None);
        assert_eq!(changed_unseen(&old, &text("Read", "Does it. Use when asked.")), None);
        let wider = changed_unseen(&old, &text("Read Grep Bash(x:*)", "Does it. Use when asked."));
        assert_eq!(wider.unwrap(), "it would allow itself `Bash(x:*)`");
        let other = changed_unseen(&old, &text("Read Grep", "Does that. Use when asked."));
        assert_eq!(other.unwrap(), "its description would be another");
    }

    #[test]
    fn a_change_is_small_up_to_its_bounds_and_a_persons_beyond() {
        let line = |n: usize| format!("{n}. step number {n:02}\n");
        let old: String = (0..10).map(line).collect();
        let rewritten = |count: usize| -> String {
            let new = (0..count).map(|n| format!("{n}. other words {n:02}\n"));
            new.chain((count..10).map(line)).collect()
        };
        assert_eq!(changed_too_much(&old, &rewritten(5)), None);
        let why = changed_too_much(&old, &rewritten(6)).unwrap();
        assert_eq!(why, "it keeps 40 % of the lines: a rewrite");
        let shorter = |count: usize| -> String { (0..count).map(line).collect() };
        assert_eq!(changed_too_much(&old, &shorter(8)), None);
        assert_eq!(changed_too_much(&old, &shorter(7)).unwrap(), "it takes away 30 % of the text");
        assert_eq!(changed_too_much("", "anything"), None);
        // What is added to a line is no rewrite of it.
        let longer = "1. Read prices.csv, then say the date.";
        assert_eq!(changed_too_much("1. Read prices.csv.", longer), None);
        assert!(changed_too_much("1. Read prices.csv.", "1. Read costs.csv.").is_some());
    }
}
