//! What changed in a file, as programs and people read it.

use schemars::JsonSchema;
use serde::Serialize;
use similar::TextDiff;

use crate::store::FileDelta;

/// Lines of unchanged text around a change.
const CONTEXT_LINES: usize = 3;

/// A unified difference; `None` when a side is not text.
pub fn unified(file: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<String> {
    let old = std::str::from_utf8(before.unwrap_or_default()).ok()?;
    let new = std::str::from_utf8(after.unwrap_or_default()).ok()?;
    let from = if before.is_some() { format!("a/{file}") } else { "/dev/null".to_owned() };
    let to = if after.is_some() { format!("b/{file}") } else { "/dev/null".to_owned() };
    let diff = TextDiff::from_lines(old, new);
    Some(diff.unified_diff().context_radius(CONTEXT_LINES).header(&from, &to).to_string())
}

/// A file of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ChangedFile {
    /// Its path inside the skill.
    pub file: String,
    /// added, changed or removed.
    pub status: &'static str,
    /// A unified difference; null when a side is not text.
    pub diff: Option<String>,
}

impl From<&FileDelta> for ChangedFile {
    fn from(delta: &FileDelta) -> Self {
        Self {
            status: match (&delta.before, &delta.after) {
                (None, _) => "added",
                (_, None) => "removed",
                _ => "changed",
            },
            diff: unified(&delta.file, delta.before.as_deref(), delta.after.as_deref()),
            file: delta.file.clone(),
        }
    }
}
