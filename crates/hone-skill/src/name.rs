//! The specification's rules for a name.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::limits::MAX_NAME_CHARS;
use crate::rule::Rule;

/// Names that an agent or an operating system keeps for itself.
const RESERVED: [&str; 5] = ["synced", "con", "prn", "aux", "nul"];

/// The rules that `name` breaks, each with a message.
///
/// Blanks around it do not count, as in the reference validator: YAML drops them from most values.
/// Letters and digits are meant in the Unicode sense, as the specification's prose has it; a name
/// outside a-z and 0-9 is reported apart, because many agents take only those.
pub fn name_problems(name: &str) -> Vec<(Rule, String)> {
    let normal: Cow<'_, str> = match name.trim() {
        ascii if ascii.is_ascii() => Cow::Borrowed(ascii),
        other => Cow::Owned(other.nfkc().collect()),
    };
    let mut problems = Vec::new();
    let count = normal.chars().count();
    if count > MAX_NAME_CHARS {
        problems.push((
            Rule::NameTooLong,
            format!("the name has {count} characters, {MAX_NAME_CHARS} are allowed"),
        ));
    }
    if normal.to_lowercase() != normal {
        problems.push((Rule::NameUppercase, "the name is not in lower case".to_owned()));
    }
    if let Some(odd) = normal.chars().find(|c| !c.is_alphanumeric() && *c != '-') {
        problems.push((
            Rule::NameCharacters,
            format!("the name holds {}, only letters, digits and hyphens are allowed", shown(odd)),
        ));
    }
    if normal.starts_with('-') || normal.ends_with('-') || normal.contains("--") {
        problems.push((
            Rule::NameHyphens,
            "a hyphen stands at the start, at the end or next to another one".to_owned(),
        ));
    }
    if !name.is_ascii() {
        problems.push((
            Rule::NameNonAscii,
            "the name goes beyond a-z and 0-9, which some agents refuse".to_owned(),
        ));
    }
    let stem = normal.split('.').next().unwrap_or_default().to_lowercase();
    let is_port = (stem.starts_with("com") || stem.starts_with("lpt"))
        && stem.len() == 4
        && stem.ends_with(|c: char| c.is_ascii_digit() && c != '0');
    if RESERVED.contains(&stem.as_str()) || is_port {
        problems.push((Rule::NameReserved, format!("`{stem}` is a reserved name")));
    }
    problems
}

/// Whether a name and a folder's name are the same under the specification (NFKC).
pub fn name_matches_folder(name: &str, folder: &str) -> bool {
    name.trim() == folder || name.trim().nfkc().eq(folder.nfkc())
}

/// Whether `name` passes the specification's rules for a name.
pub fn is_valid_name(name: &str) -> bool {
    !name.is_empty()
        && name == name.trim()
        && name_problems(name)
            .iter()
            .all(|(rule, _)| matches!(rule, Rule::NameNonAscii | Rule::NameReserved))
}

fn shown(c: char) -> String {
    if c.is_whitespace() || c.is_control() {
        format!("U+{:04X}", u32::from(c))
    } else {
        format!("`{c}`")
    }
}
