//! What we write: frontmatter that is always there, always valid, with one version that goes up.

use crate::diagnostic::{Diagnostic, Severity};
use crate::edit::{EditError, Field, drop_metadata, fix, line_end, open, set_field};
use crate::fence::{self, NoParts};
use crate::frontmatter::{self, Frontmatter};
use crate::limits::MAX_DESCRIPTION_CHARS;
use crate::rule::{Profile, Rule};
use crate::skill::{DescriptionSource, Reading, first_prose_line, read};
use crate::slug::Slug;
use crate::yaml::{quote, quote_always};

/// The key under `metadata` that keeps a declared name which is not its own slug.
pub(crate) const TITLE_KEY: &str = "hone.title";

/// The first version of a skill.
pub const FIRST_VERSION: &str = "1";

/// Gives a text the frontmatter that every stored skill has: the slug as name, a description, and
/// `version` at its only place. A bare body is wrapped; an existing frontmatter is edited in place.
///
/// ```
/// use hone_skill::{Slug, ensure_frontmatter};
///
/// let slug = Slug::new("Oracle Check")?;
/// let text = ensure_frontmatter("Check: freshness\n", &slug, "oracle-check", "1")?;
/// assert_eq!(
///     text,
///     "---\nname: oracle-check\ndescription: \"Check: freshness\"\nmetadata:\n  version: \"1\"\n---\n\
///      Check: freshness\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn ensure_frontmatter(
    text: &str,
    slug: &Slug,
    title: &str,
    version: &str,
) -> Result<String, EditError> {
    let mut text = if is_bare(text) {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = [
            "---".to_owned(),
            format!("name: {}", quote(slug.as_str())),
            format!("description: {}", quote(&default_description(body, slug, title))),
            "metadata:".to_owned(),
            format!("  version: {}", quote_always(version)),
            "---".to_owned(),
        ];
        let end = line_end(body);
        lines.map(|line| line + end).concat() + body
    } else {
        let (text, _) = fix(text, Some(slug.as_str()), Profile::Spec);
        let reading = read(text.as_bytes(), Some(slug.as_str()));
        complete(text, &reading, slug, title, version)?
    };
    if title != slug.as_str() {
        text = set_field(&text, Field::Metadata(TITLE_KEY), title)?;
    }
    Ok(text)
}

/// Whether a text has no frontmatter yet. A code block at its start may well hold some YAML that
/// is none, and a line of hyphens that nothing closes is a rule, unless a key of frontmatter follows.
fn is_bare(text: &str) -> bool {
    match fence::split(text) {
        Err(NoParts::Missing) => true,
        Err(NoParts::Unclosed(open)) => {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
            let declares = |line: &str| {
                line.split_once(':')
                    .is_some_and(|(key, _)| !key.is_empty() && key.chars().all(is_word))
            };
            let lines = text[open.end..].lines().skip(1);
            !lines.take_while(|line| !line.trim().is_empty()).any(declares)
        }
        Ok(parts) => {
            let declares = |found: Frontmatter| {
                found.entries.iter().any(|e| matches!(e.key.as_str(), "name" | "description"))
            };
            parts.in_code_block && !frontmatter::parse(text, parts.frontmatter).is_ok_and(declares)
        }
    }
}

fn complete(
    mut text: String,
    reading: &Reading,
    slug: &Slug,
    title: &str,
    version: &str,
) -> Result<String, EditError> {
    let declared = reading.skill.as_ref().and_then(|skill| skill.get("name")?.text());
    if declared.map(str::trim) != Some(slug.as_str()) {
        text = set_field(&text, Field::Top("name"), slug.as_str())?;
    }
    let description = match &reading.skill {
        Some(skill) if skill.description_source == DescriptionSource::Frontmatter => None,
        Some(skill) => Some(skill.description.clone()),
        None => {
            let body = fence::split(&text).map_or(0..0, |parts| parts.body);
            Some(default_description(&text[body], slug, title))
        }
    };
    if let Some(description) = description {
        text = set_field(&text, Field::Top("description"), &description)?;
    }
    set_version(&text, version)
}

fn default_description(body: &str, slug: &Slug, title: &str) -> String {
    let title = if title.trim().is_empty() { slug.as_str() } else { title.trim() };
    let line = first_prose_line(body).unwrap_or(title);
    line.chars().take(MAX_DESCRIPTION_CHARS).collect::<String>().trim_end().to_owned()
}

/// Sets the version where the skill has it: at the top level, else under `metadata`. Of two, the
/// one under `metadata` goes, so that there is one answer.
pub fn set_version(text: &str, version: &str) -> Result<String, EditError> {
    if !has_top_version(text)? {
        match set_field(text, Field::Metadata("version"), version) {
            Err(EditError::MetadataNotMap) => {}
            result => return result,
        }
    }
    let text = set_field(text, Field::Top("version"), version)?;
    drop_metadata(&text, "version")
}

fn has_top_version(text: &str) -> Result<bool, EditError> {
    let (_, found) = open(text)?;
    Ok(found.entries.iter().any(|entry| entry.key == "version"))
}

/// The version after `prior`: an integer plus one, or the last number of a dotted one plus one.
/// A skill that never had a version counts as its first.
///
/// ```
/// use hone_skill::next_version;
///
/// assert_eq!(next_version(Some("1")), "2");
/// assert_eq!(next_version(Some("1.2.9")), "1.2.10");
/// assert_eq!(next_version(None), "2");
/// ```
pub fn next_version(prior: Option<&str>) -> String {
    let prior = prior.map(str::trim).filter(|prior| !prior.is_empty()).unwrap_or(FIRST_VERSION);
    let Some(last) = prior.rfind(|c: char| c.is_ascii_digit()) else {
        return format!("{prior}.2");
    };
    let start = prior[..=last]
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |at| at + prior[at..].chars().next().map_or(1, char::len_utf8));
    format!("{}{}{}", &prior[..start], increment(&prior[start..=last]), &prior[last + 1..])
}

/// Decimal digits plus one, whatever their number.
fn increment(digits: &str) -> String {
    let mut digits = digits.as_bytes().to_vec();
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return String::from_utf8_lossy(&digits).into_owned();
        }
        *digit = b'0';
    }
    format!("1{}", String::from_utf8_lossy(&digits))
}

/// What keeps a text from being written as the skill that was read.
///
/// Stricter than reading: the specification's rules, but for keys that agents add and that we keep
/// as they are.
pub fn write_problems(reading: &Reading) -> Vec<&Diagnostic> {
    reading
        .diagnostics
        .iter()
        .filter(|diagnostic| {
            let tolerated = diagnostic.rule == Rule::UnknownKey;
            let too_long = diagnostic.rule == Rule::FileLong;
            too_long || (!tolerated && diagnostic.severity(Profile::Spec) == Some(Severity::Error))
        })
        .collect()
}
