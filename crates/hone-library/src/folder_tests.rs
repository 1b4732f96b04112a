//! A file that somebody else changed between reading and writing is never overwritten.

use super::*;

fn folder() -> (tempfile::TempDir, Folder) {
    let path = tempfile::tempdir().unwrap();
    std::fs::write(path.path().join("file"), "theirs").unwrap();
    let folder = Folder::open(path.path()).unwrap();
    (path, folder)
}

fn content(text: &str) -> Content {
    Content::new(text.as_bytes().to_vec(), None)
}

/// Everything in a folder: names and bytes.
fn all(folder: &Folder) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for entry in folder.dir.entries().unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let text = folder.dir.read_to_string(&name).unwrap_or_default();
        all.push((name, text));
    }
    all.sort();
    all
}

fn only_theirs() -> Vec<(String, String)> {
    vec![("file".to_owned(), "theirs".to_owned())]
}

#[test]
fn a_file_that_is_still_what_it_was_is_replaced_and_removed() {
    let (_path, folder) = folder();
    folder.put("file", Some(&content("theirs")), Some(&content("ours")), "staged").unwrap();
    assert_eq!(all(&folder), [("file".to_owned(), "ours".to_owned())]);
    folder.put("file", Some(&content("ours")), None, "staged").unwrap();
    assert_eq!(all(&folder), []);
    folder.put("file", None, Some(&content("new")), "staged").unwrap();
    assert_eq!(all(&folder), [("file".to_owned(), "new".to_owned())]);
}

#[test]
fn a_file_that_changed_since_it_was_read_stays_as_it_is() {
    let (_path, folder) = folder();
    let stale = content("as it was read");
    for after in [Some(content("ours")), None] {
        let error = folder.put("file", Some(&stale), after.as_ref(), "staged").unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
        assert_eq!(all(&folder), only_theirs());
    }
}

#[test]
fn a_file_that_came_since_it_was_looked_for_stays() {
    let (_path, folder) = folder();
    let error = folder.put("file", None, Some(&content("ours")), "staged").unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(all(&folder), only_theirs());
}

#[test]
fn a_file_that_went_since_it_was_read_is_not_made_again() {
    let (_path, folder) = folder();
    for after in [Some(content("ours")), None] {
        let error =
            folder.put("gone", Some(&content("was")), after.as_ref(), "staged").unwrap_err();
        assert!(matches!(error, Error::Changed { .. }), "{error}");
        assert_eq!(all(&folder), only_theirs());
    }
}

#[test]
fn a_file_that_became_a_link_or_a_folder_is_left_alone() {
    let (path, folder) = folder();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("target");
    std::fs::write(&target, "theirs").unwrap();
    std::fs::remove_file(path.path().join("file")).unwrap();
    std::os::unix::fs::symlink(&target, path.path().join("file")).unwrap();
    let put = || folder.put("file", Some(&content("theirs")), Some(&content("ours")), "staged");
    assert!(matches!(put(), Err(Error::Changed { .. })));
    assert_eq!(std::fs::read_link(path.path().join("file")).unwrap(), target);
    assert_eq!(std::fs::read(&target).unwrap(), b"theirs");
    std::fs::remove_file(path.path().join("file")).unwrap();
    std::fs::create_dir_all(path.path().join("file/inside")).unwrap();
    assert!(matches!(put(), Err(Error::Changed { .. })));
    assert!(path.path().join("file/inside").is_dir());
    assert!(!path.path().join("staged").exists());
}
