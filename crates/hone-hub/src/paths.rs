//! The paths of a tree that arrives: refused as a whole when one of them leads out of it, or when two of
//! them are one on some file system.

use std::collections::HashMap;

use unicode_normalization::UnicodeNormalization;

use crate::limits::{MAX_FOLDERS, MAX_PATH_BYTES};

/// Paths seen so far, by the form in which a careless file system keeps them.
#[derive(Debug, Default)]
pub(crate) struct Paths {
    seen: HashMap<String, (String, Kind)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
}

impl Paths {
    /// Notes a file. The error is a sentence about it.
    pub(crate) fn add_file(&mut self, path: &str) -> Result<(), String> {
        self.add(path, Kind::File)
    }

    /// Notes a folder, which may be named more than once.
    pub(crate) fn add_folder(&mut self, path: &str) -> Result<(), String> {
        self.add(path, Kind::Folder)
    }

    fn add(&mut self, path: &str, kind: Kind) -> Result<(), String> {
        check_path(path)?;
        // Every folder above it is noted too; the path is short, so this stays linear.
        for (at, _) in path.match_indices('/') {
            self.note(&path[..at], Kind::Folder)?;
        }
        self.note(path, kind)
    }

    fn note(&mut self, path: &str, kind: Kind) -> Result<(), String> {
        let Some((other, other_kind)) = self.seen.get(&folded(path)) else {
            self.seen.insert(folded(path), (path.to_owned(), kind));
            return Ok(());
        };
        match (kind, *other_kind) {
            (Kind::Folder, Kind::Folder) if other == path => Ok(()),
            (Kind::File, Kind::File) if other == path => Err("it is there twice".to_owned()),
            _ if other == path => Err("it is a file and a folder".to_owned()),
            _ => Err(format!("it is the same as `{other}` on some file systems")),
        }
    }
}

/// What file systems that ignore case or Unicode form make of a path.
fn folded(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    // Upper, then lower: `ß` and `SS` meet, as they do in full case folding.
    let folded: String =
        path.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    folded.nfkc().collect()
}

/// Checks one path: relative, forward slashes, no way out, nothing that a terminal or another system
/// would take for something else.
pub(crate) fn check_path(path: &str) -> Result<(), String> {
    let refuse = |why: &str| Err(why.to_owned());
    if path.is_empty() {
        return refuse("it has no name");
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(format!("its path is longer than {MAX_PATH_BYTES} bytes"));
    }
    if path.contains('\0') {
        return refuse("its path holds a NUL");
    }
    if path.contains('\\') {
        return refuse("its path holds a backslash");
    }
    let top = path.split('/').next().unwrap_or_default();
    let is_drive = matches!(top.as_bytes(), [letter, b':'] if letter.is_ascii_alphabetic());
    if path.starts_with('/') || is_drive {
        return refuse("its path is absolute");
    }
    if path.chars().any(char::is_control) {
        return refuse("its path holds a control character");
    }
    if path.split('/').count() > MAX_FOLDERS + 1 {
        return Err(format!("it lies deeper than {MAX_FOLDERS} folders"));
    }
    for segment in path.split('/') {
        if matches!(segment, "" | "." | "..") {
            return refuse("its path holds an empty part, `.` or `..`");
        }
        if let Some(why) = hone_library::refused_name(segment) {
            return Err(why);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::MAX_SEGMENT_BYTES;

    fn add(paths: &[&str]) -> Result<(), String> {
        let mut seen = Paths::default();
        paths.iter().try_for_each(|path| match path.strip_suffix('/') {
            Some(folder) => seen.add_folder(folder),
            None => seen.add_file(path),
        })
    }

    #[test]
    fn a_path_that_leads_out_or_hides_something_is_refused() {
        for (path, why) in [
            ("", "it has no name"),
            ("/etc/passwd", "its path is absolute"),
            ("C:/x", "its path is absolute"),
            ("a/../b", "its path holds an empty part, `.` or `..`"),
            ("..", "its path holds an empty part, `.` or `..`"),
            ("./a", "its path holds an empty part, `.` or `..`"),
            ("a//b", "its path holds an empty part, `.` or `..`"),
            ("a\\b", "its path holds a backslash"),
            ("a\0b", "its path holds a NUL"),
            ("a\x1b[2J", "its path holds a control character"),
            ("a/.hone-x", "names that start with `.hone-` are ours"),
            ("C:x", "a name in it holds `:`"),
            ("a/C:x", "a name in it holds `:`"),
            ("a/C:/x", "a name in it holds `:`"),
            ("a/CON", "`CON` is a reserved name"),
            ("a/nul.txt/b", "`nul.txt` is a reserved name"),
            ("a/x.", "a name in it ends in a dot or a blank"),
            ("a /x", "a name in it ends in a dot or a blank"),
            ("a/x\u{202e}y", "a name in it holds `\\u{202e}`"),
        ] {
            assert_eq!(check_path(path), Err(why.to_owned()), "{path:?}");
        }
        assert_eq!(check_path("scripts/..hidden/a b.é"), Ok(()));
    }

    #[test]
    fn depth_and_length_hold_at_the_bound_and_not_past_it() {
        let deep = |folders: usize| "d/".repeat(folders) + "f";
        assert_eq!(check_path(&deep(MAX_FOLDERS)), Ok(()));
        assert!(check_path(&deep(MAX_FOLDERS + 1)).is_err());
        assert_eq!(check_path(&"x".repeat(MAX_SEGMENT_BYTES)), Ok(()));
        assert!(check_path(&"x".repeat(MAX_SEGMENT_BYTES + 1)).is_err());
        let long =
            |bytes: usize| ("a".repeat(99) + "/").repeat(bytes / 100) + &"a".repeat(bytes % 100);
        assert_eq!(long(MAX_PATH_BYTES).len(), MAX_PATH_BYTES);
        assert_eq!(check_path(&long(MAX_PATH_BYTES)), Ok(()));
        assert!(check_path(&long(MAX_PATH_BYTES + 1)).is_err());
    }

    #[test]
    fn two_paths_that_some_file_system_takes_for_one_are_refused() {
        let same = |other: &str| Err(format!("it is the same as `{other}` on some file systems"));
        assert_eq!(add(&["a", "a"]), Err("it is there twice".to_owned()));
        assert_eq!(add(&["README.md", "readme.md"]), same("README.md"));
        assert_eq!(add(&["é", "e\u{301}"]), same("é"));
        assert_eq!(add(&["ﬁle", "file"]), same("ﬁle"));
        assert_eq!(add(&["straße", "STRASSE"]), same("straße"));
        assert_eq!(add(&["Docs/a", "docs/b"]), same("Docs"));
        assert_eq!(add(&["a", "a/b"]), Err("it is a file and a folder".to_owned()));
        assert_eq!(add(&["a/b", "a"]), Err("it is a file and a folder".to_owned()));
        assert_eq!(add(&["a/", "a"]), Err("it is a file and a folder".to_owned()));
        assert_eq!(add(&["a/", "a/b", "a/", "a/c"]), Ok(()));
    }
}
