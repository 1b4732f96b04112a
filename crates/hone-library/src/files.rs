//! Paths of files inside a skill: the rules in front of the directory handle.

use crate::error::Error;
use crate::walk::SUPPORT_FOLDERS;

/// Largest supporting file, in bytes.
pub const MAX_FILE_BYTES: usize = 1024 * 1024;
/// Longest path of a supporting file, in bytes.
pub const MAX_PATH_BYTES: usize = 512;
/// Longest name of a file or folder in such a path, in bytes.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// Deepest supporting file, in folders.
pub const MAX_FOLDERS: usize = 16;

/// Device names that Windows reserves in every folder.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// Checks the path of a file that is read: relative, forward slashes, no way out.
pub(crate) fn check_inside(path: &str) -> Result<(), Error> {
    let refuse = |why: &str| Err(Error::FilePath { path: path.to_owned(), why: why.to_owned() });
    if path.is_empty() {
        return refuse("it is empty");
    }
    if path.len() > MAX_PATH_BYTES {
        return refuse(&format!("it is longer than {MAX_PATH_BYTES} bytes"));
    }
    if path.contains('\0') {
        return refuse("it holds a NUL");
    }
    if path.contains('\\') {
        return refuse("use forward slashes");
    }
    if path.starts_with('/') || path.as_bytes().get(1) == Some(&b':') {
        return refuse("it is not relative to the skill");
    }
    for segment in path.split('/') {
        if segment.is_empty() || segment == "." || segment == ".." {
            return refuse("empty parts, `.` and `..` are not allowed");
        }
    }
    Ok(())
}

/// The one supporting file that stands beside `SKILL.md`: messages that should and should not call
/// the skill.
pub const SUITE_FILE: &str = "triggers.json";

/// Checks the path of a supporting file that is written.
///
/// ```
/// assert!(hone_library::check_support_path("references/notes.md").is_ok());
/// assert!(hone_library::check_support_path("references/../SKILL.md").is_err());
/// ```
pub fn check_support_path(path: &str) -> Result<(), Error> {
    check_inside(path)?;
    if path == SUITE_FILE {
        return Ok(());
    }
    let refuse = |why: String| Err(Error::FilePath { path: path.to_owned(), why });
    let mut segments = path.split('/');
    let first = segments.next().unwrap_or_default();
    if !SUPPORT_FOLDERS.contains(&first) {
        return refuse(format!("`{}` is not one of its folders", first.escape_debug()));
    }
    if segments.clone().next().is_none() {
        return refuse("it names a folder, not a file in it".to_owned());
    }
    if segments.clone().count() > MAX_FOLDERS {
        return refuse(format!("it is deeper than {MAX_FOLDERS} folders"));
    }
    segments.try_for_each(|segment| check_segment(path, segment))
}

/// Checks the path of a file of a skill that arrives whole: its author chose the folders.
pub(crate) fn check_arriving(path: &str) -> Result<(), Error> {
    check_inside(path)?;
    if path.split('/').count() > MAX_FOLDERS + 1 {
        let why = format!("it is deeper than {MAX_FOLDERS} folders");
        return Err(Error::FilePath { path: path.to_owned(), why });
    }
    path.split('/').try_for_each(|segment| check_segment(path, segment))
}

fn check_segment(path: &str, segment: &str) -> Result<(), Error> {
    match refused_name(segment) {
        Some(why) => Err(Error::FilePath { path: path.to_owned(), why }),
        None => Ok(()),
    }
}

/// Why a name cannot be one of a file or folder in a skill, on whatever system it comes to lie; none when
/// it can.
pub fn refused_name(name: &str) -> Option<String> {
    if name.len() > MAX_SEGMENT_BYTES {
        return Some(format!("a name in it is longer than {MAX_SEGMENT_BYTES} bytes"));
    }
    if name.ends_with(['.', ' ']) {
        return Some("a name in it ends in a dot or a blank".to_owned());
    }
    let is_odd = |c: &char| c.is_control() || hone_skill::is_hidden(*c) || "<>:\"|?*".contains(*c);
    if let Some(odd) = name.chars().find(is_odd) {
        return Some(format!("a name in it holds `{}`", odd.escape_debug()));
    }
    if is_device(name) {
        return Some(format!("`{name}` is a reserved name"));
    }
    if name.starts_with(crate::walk::STAGING_PREFIX) {
        return Some("names that start with `.hone-` are ours".to_owned());
    }
    None
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let port = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    DEVICES.contains(&stem.as_str())
        || port.is_some_and(|number| matches!(number.as_bytes(), [b'1'..=b'9']))
}
