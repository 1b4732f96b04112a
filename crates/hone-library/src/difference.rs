//! What changed in a file, as programs and people read it. All comparisons of lines are made here: the
//! code for them is large, and every crate that made its own would hold it once more.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use similar::{Algorithm, TextDiff, TextDiffConfig, capture_diff_slices};

pub use similar::DiffOp;

use crate::store::FileDelta;

/// Lines of unchanged text around a change.
const CONTEXT_LINES: usize = 3;

/// After so long a difference that is shown need not be the smallest any more: two texts can be made
/// that take the square of their lengths.
const MAX_TIME: Duration = Duration::from_secs(1);

fn shown() -> TextDiffConfig {
    let mut config = TextDiff::configure();
    config.timeout(MAX_TIME);
    config
}

/// What leads from some lines to others, smallest of all. The time for it grows with the square in the
/// worst case, so the caller bounds the lines.
pub fn line_changes(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// The same to be shown: changes that are near to each other together, with the lines around them.
pub fn changed_places(old: &[&str], new: &[&str]) -> Vec<Vec<DiffOp>> {
    shown().diff_slices(old, new).grouped_ops(CONTEXT_LINES)
}

/// A unified difference; `None` when a side is not text.
pub fn unified(file: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Option<String> {
    let old = std::str::from_utf8(before.unwrap_or_default()).ok()?;
    let new = std::str::from_utf8(after.unwrap_or_default()).ok()?;
    let from = if before.is_some() { format!("a/{file}") } else { "/dev/null".to_owned() };
    let to = if after.is_some() { format!("b/{file}") } else { "/dev/null".to_owned() };
    let diff = shown().diff_lines(old, new);
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
