//! What may be written as a skill.

use hone_skill::limits::MAX_SKILL_CHARS;
use hone_skill::{Diagnostic, Profile, Reading, Rule, Severity, read, write_problems};

use crate::error::Error;
use crate::place::SKILL_FILE;

/// Name and version that a reading declares.
pub(crate) fn described(reading: &Reading) -> (String, Option<String>) {
    reading
        .skill
        .as_ref()
        .map_or((String::new(), None), |skill| (skill.name.clone(), skill.version.clone()))
}

/// What could be better about a text that may be written.
pub(crate) fn warnings(reading: &Reading) -> Vec<Diagnostic> {
    reading
        .diagnostics
        .iter()
        .filter(|d| d.severity(Profile::Lenient) >= Some(Severity::Warning))
        .cloned()
        .collect()
}

/// A text may be written when it is a valid skill, or at least breaks no rule that the old one kept.
pub(crate) fn validate(
    old: Option<(&Reading, &[u8])>,
    text: &str,
    folder: Option<&str>,
) -> Result<Reading, Error> {
    let count = text.chars().count();
    let before = old.map(|(old, _)| write_problems(old)).unwrap_or_default();
    // A text that somebody made too long may become shorter, if not short, but never longer.
    let most = old
        .filter(|_| before.iter().any(|problem| problem.rule == Rule::FileLong))
        .map_or(0, |(_, bytes)| String::from_utf8_lossy(bytes).chars().count())
        .max(MAX_SKILL_CHARS);
    if count > most {
        return Err(Error::TooLarge {
            what: SKILL_FILE.to_owned(),
            found: count,
            limit: MAX_SKILL_CHARS,
            unit: "characters",
        });
    }
    let reading = read(text.as_bytes(), folder);
    let old_skill = old.and_then(|(old, _)| old.skill.as_ref());
    let problems: Vec<Diagnostic> = write_problems(&reading)
        .into_iter()
        .filter(|problem| {
            problem.refuses
                || old_skill.is_none()
                || !before.iter().any(|known| known.rule == problem.rule)
        })
        .cloned()
        .collect();
    if !problems.is_empty() {
        return Err(Error::Invalid { problems, text: text.to_owned() });
    }
    let was_written = old_skill
        .zip(old)
        .is_none_or(|(skill, (_, bytes))| !bytes[skill.body.clone()].trim_ascii().is_empty());
    let is_written =
        reading.skill.as_ref().is_none_or(|skill| !text[skill.body.clone()].trim().is_empty());
    if was_written && !is_written {
        return Err(Error::Refused("the skill has no body: write down what to do".to_owned()));
    }
    Ok(reading)
}
