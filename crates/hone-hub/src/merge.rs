//! Local edits survive an update: for each file, what was installed, what is on disk and what arrives.
//! A file that changed on one side is taken from there; one that changed on both is merged line by line
//! or, where that is not clean, refuses the whole update by name.

use std::collections::{BTreeMap, BTreeSet};

use hone_library::{DiffOp, NewFile, TreeFile, files_of, line_changes};

use crate::bundle::BundleFile;
use crate::lock::Locked;

/// Longest text that is merged line by line, in lines; the time for it grows with the square.
pub const MAX_MERGED_LINES: usize = 4_000;

/// What becomes of what is on disk where it differs from what was installed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Edits {
    /// It stays, or refuses what would destroy it.
    #[default]
    Keep,
    /// It goes; `hone rollback` brings it back.
    Discard,
}

/// The files of an update.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Merge {
    /// What to write, or with none, to take away.
    pub(crate) files: BTreeMap<String, Option<NewFile>>,
    /// Files that stay as somebody edited them.
    pub(crate) kept: Vec<String>,
    /// Files in which both changes are now.
    pub(crate) merged: Vec<String>,
    /// Files that changed on both sides and could not be merged.
    pub(crate) conflicts: Vec<String>,
}

impl Merge {
    /// Lets nothing stand that is not in the lock: it is to be true, not nearly true. The error names what
    /// would have to go.
    pub(crate) fn made_true(&mut self, edits: Edits) -> Result<(), String> {
        let mut other: Vec<String> = std::mem::take(&mut self.kept);
        if edits == Edits::Discard {
            // What is left of the edits is what was never installed.
            self.files.extend(other.into_iter().map(|file| (file, None)));
            return Ok(());
        }
        other.extend_from_slice(&self.merged);
        other.extend_from_slice(&self.conflicts);
        if other.is_empty() {
            return Ok(());
        }
        other.sort();
        Err(format!(
            "it is not as the lock says: {}; `--discard-edits` gives local edits up",
            other.join(", ")
        ))
    }
}

/// A file as three sides have it: content, and whether it can be run.
type Version<'a> = Option<(&'a str, bool)>;

/// Puts an update together. `base_of` gives the bytes that were installed, where they are still known.
pub(crate) fn merge(
    base: &Locked,
    ours: &BTreeMap<String, TreeFile>,
    theirs: &BTreeMap<String, BundleFile>,
    edits: Edits,
    base_of: impl Fn(&str) -> Option<Vec<u8>>,
) -> Merge {
    let mut merge = Merge::default();
    let disk = files_of(ours);
    let disk: BTreeMap<&str, (&str, bool)> = disk
        .iter()
        .map(|file| (file.path.as_str(), (file.sha256.as_str(), file.executable)))
        .collect();
    let new = crate::bundle::of_bundle(theirs);
    let new: BTreeMap<&str, (&str, bool)> = new
        .iter()
        .map(|file| (file.path.as_str(), (file.sha256.as_str(), file.executable)))
        .collect();
    let names: BTreeSet<&str> = base
        .files
        .iter()
        .map(|file| file.path.as_str())
        .chain(disk.keys().copied())
        .chain(new.keys().copied())
        .collect();
    for name in names {
        let was: Version<'_> = base.file(name).map(|file| (file.sha256.as_str(), file.executable));
        let (is, comes): (Version<'_>, Version<'_>) =
            (disk.get(name).copied(), new.get(name).copied());
        let take = || theirs.get(name).map(new_file);
        if is == comes {
            continue;
        }
        if is == was || (edits == Edits::Discard && (was.is_some() || comes.is_some())) {
            merge.files.insert(name.to_owned(), take());
        } else if comes == was {
            merge.kept.push(name.to_owned());
        } else if let Some(text) =
            merged_text(was, is, comes, ours.get(name), theirs.get(name), &base_of)
        {
            merge.files.insert(name.to_owned(), Some(text));
            merge.merged.push(name.to_owned());
        } else {
            merge.conflicts.push(name.to_owned());
        }
    }
    merge
}

fn new_file(file: &BundleFile) -> NewFile {
    NewFile { bytes: file.bytes.clone(), is_executable: file.is_executable }
}

fn merged_text(
    was: Version<'_>,
    is: Version<'_>,
    comes: Version<'_>,
    ours: Option<&TreeFile>,
    theirs: Option<&BundleFile>,
    base_of: impl Fn(&str) -> Option<Vec<u8>>,
) -> Option<NewFile> {
    let ((base, was_program), (_, is_program), (_, comes_program)) = (was?, is?, comes?);
    let (ours, theirs) = (ours.filter(|file| !file.is_link)?, theirs?);
    let base = base_of(base)?;
    let text = |bytes: &[u8]| std::str::from_utf8(bytes).ok().map(ToOwned::to_owned);
    let merged = merge_lines(&text(&base)?, &text(&ours.bytes)?, &text(&theirs.bytes)?)?;
    let is_executable = if is_program == was_program { comes_program } else { is_program };
    Some(NewFile { bytes: merged.into_bytes(), is_executable })
}

/// Three texts become one; `None` when both sides changed the same place differently.
fn merge_lines(base: &str, ours: &str, theirs: &str) -> Option<String> {
    let lines = |text: &str| -> Option<Vec<String>> {
        let lines: Vec<String> = text.split_inclusive('\n').map(ToOwned::to_owned).collect();
        (lines.len() <= MAX_MERGED_LINES).then_some(lines)
    };
    let (base, ours, theirs) = (lines(base)?, lines(ours)?, lines(theirs)?);
    let (mine, other) = (changes(&base, &ours), changes(&base, &theirs));
    let (mut mine, mut other) = (mine.into_iter().peekable(), other.into_iter().peekable());
    let mut text = String::new();
    let mut at = 0;
    loop {
        let next = match (mine.peek(), other.peek()) {
            (None, None) => break,
            (Some(a), Some(b)) if a == b => {
                mine.next();
                other.next()
            }
            // Changes that touch each other are one place.
            (Some(a), Some(b)) if a.start <= b.end && b.start <= a.end => return None,
            (Some(a), Some(b)) if a.start < b.start => mine.next(),
            (Some(_), None) => mine.next(),
            _ => other.next(),
        };
        let change = next?;
        text.extend(base[at..change.start].iter().map(String::as_str));
        text.push_str(&change.text);
        at = change.end;
    }
    text.extend(base[at..].iter().map(String::as_str));
    Some(text)
}

/// Lines of the base that became a text.
#[derive(PartialEq, Eq)]
struct LineChange {
    start: usize,
    end: usize,
    text: String,
}

fn changes(base: &[String], side: &[String]) -> Vec<LineChange> {
    let mut changes: Vec<LineChange> = Vec::new();
    let olds: Vec<&str> = base.iter().map(String::as_str).collect();
    let news: Vec<&str> = side.iter().map(String::as_str).collect();
    for op in line_changes(&olds, &news) {
        if matches!(op, DiffOp::Equal { .. }) {
            continue;
        }
        let (old, text) = (op.old_range(), side[op.new_range()].concat());
        match changes.last_mut() {
            Some(last) if last.end == old.start => {
                last.end = old.end;
                last.text.push_str(&text);
            }
            _ => changes.push(LineChange { start: old.start, end: old.end, text }),
        }
    }
    changes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_different_places_are_both_kept() {
        let base = "a\nb\nc\nd\ne\n";
        for (ours, theirs, merged) in [
            ("A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", Some("A\nb\nc\nd\nE\n")),
            ("a\nb\nc\nd\ne\nf\n", "b\nc\nd\ne\n", Some("b\nc\nd\ne\nf\n")),
            ("a\nX\nc\nd\ne\n", "a\nX\nc\nd\nE\n", Some("a\nX\nc\nd\nE\n")),
            (base, "", Some("")),
            ("a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n", None),
            ("a\nX\nc\nd\ne\n", "a\nb\nY\nd\ne\n", None),
            ("a\nb\nc\nd\ne", "a\nb\nc\nd\ne\nf\n", None),
        ] {
            assert_eq!(merge_lines(base, ours, theirs).as_deref(), merged, "{ours:?} {theirs:?}");
            assert_eq!(merge_lines(base, theirs, ours).as_deref(), merged, "{theirs:?} {ours:?}");
        }
    }

    #[test]
    fn a_text_at_the_bound_is_merged_and_a_longer_one_is_not() {
        let text = |lines: usize| "line\n".repeat(lines);
        let most = text(MAX_MERGED_LINES);
        let ours = format!("mine\n{}", text(MAX_MERGED_LINES - 1));
        assert_eq!(merge_lines(&most, &ours, &most).as_deref(), Some(ours.as_str()));
        assert_eq!(merge_lines(&text(MAX_MERGED_LINES + 1), &ours, &most), None);
    }
}
