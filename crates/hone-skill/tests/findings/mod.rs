//! Diagnostics as one line each, so that a test can state all of them.

#![allow(dead_code, reason = "each test file uses its own part")]

use hone_skill::{Diagnostic, Reading, Rule, Skill, read};

/// `3:24 yaml-unquoted ": rest of the value"`: where, which rule, and the text that it covers.
pub(crate) fn finding(diagnostic: &Diagnostic, bytes: &[u8]) -> String {
    let Diagnostic { line, column, rule, range, .. } = diagnostic;
    let covered = String::from_utf8_lossy(&bytes[range.clone()]);
    format!("{line}:{column} {} {covered:?}", rule.id())
}

/// All findings of a reading, in its order.
pub(crate) fn findings(reading: &Reading, bytes: &[u8]) -> Vec<String> {
    reading.diagnostics.iter().map(|diagnostic| finding(diagnostic, bytes)).collect()
}

/// The skill in a text that must not be refused.
pub(crate) fn skill(text: &str, folder: &str) -> Skill {
    let reading = read(text.as_bytes(), Some(folder));
    let refusal = reading.refusal().map(|diagnostic| diagnostic.message.clone());
    reading.skill.unwrap_or_else(|| panic!("refused: {refusal:?}\n{text}"))
}

/// Reads `text` as `greet/SKILL.md`; it must load as `greet: Says hello` with exactly these findings.
#[track_caller]
pub(crate) fn forgives(text: &str, expected: &[&str]) {
    forgives_as(text, ("greet", "Says hello"), expected);
}

#[track_caller]
pub(crate) fn forgives_as(text: &str, (name, description): (&str, &str), expected: &[&str]) {
    let reading = read(text.as_bytes(), Some("greet"));
    assert_eq!(findings(&reading, text.as_bytes()), expected, "{text:?}");
    let skill = reading.skill.expect("forgiven, so loaded");
    assert_eq!((skill.name.as_str(), skill.description.as_str()), (name, description), "{text:?}");
}

/// Reads `bytes` as `greet/SKILL.md`; it must be refused with this one finding and message.
#[track_caller]
pub(crate) fn refuses(bytes: &[u8], finding: &str, message: &str) {
    let reading = read(bytes, Some("greet"));
    assert_eq!(reading.skill, None);
    assert_eq!(findings(&reading, bytes), [finding]);
    let refusal = reading.refusal().expect("a reason");
    assert_eq!(refusal.message, message);
    assert!(refusal.hint.is_some(), "a refusal says what to do next");
}

#[track_caller]
pub(crate) fn has(text: &str, rule: Rule) -> bool {
    let reading = read(text.as_bytes(), Some("greet"));
    reading.diagnostics.iter().any(|diagnostic| diagnostic.rule == rule)
}

#[track_caller]
pub(crate) fn refuses_first(text: &str, finding: &str) {
    let reading = read(text.as_bytes(), Some("greet"));
    assert_eq!(reading.skill, None);
    assert_eq!(findings(&reading, text.as_bytes())[0], finding);
    assert_eq!(reading.refusal(), reading.diagnostics.first());
}
