//! A folder that somebody else changed between reading and swapping is swapped back.

use std::path::PathBuf;

use super::*;
use crate::place::{Missing, Place};

fn place() -> (tempfile::TempDir, Place, PathBuf) {
    let around = tempfile::tempdir().unwrap();
    let key = std::fs::canonicalize(around.path()).unwrap().join("skill");
    std::fs::create_dir(&key).unwrap();
    std::fs::write(key.join("SKILL.md"), "text").unwrap();
    std::fs::write(key.join("a"), "a").unwrap();
    let place = Place::at(key.clone(), false, "SKILL.md".to_owned());
    (around, place, key)
}

fn content(text: &str) -> Content {
    Content::new(text.as_bytes().to_vec(), None)
}

fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let folder = Folder::open(folder).unwrap();
    folder.all().unwrap().into_iter().map(|(name, content)| (name, content.bytes)).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn several_files_change_at_once() {
    let (around, place, key) = place();
    let held = place.lock(Missing::Fail).unwrap();
    let (text, a, new) = (content("text"), content("a"), content("new"));
    let before = BTreeMap::from([("SKILL.md", Some(&text)), ("a", Some(&a)), ("deep/b", None)]);
    let after = BTreeMap::from([("SKILL.md", Some(&new)), ("a", None), ("deep/b", Some(&new))]);
    assert_eq!(exchange(&held, &before, &after, "staged").unwrap(), Swapped::Done);
    assert_eq!(
        files(&key),
        [("SKILL.md".to_owned(), b"new".to_vec()), ("deep/b".to_owned(), b"new".to_vec())]
    );
    assert_eq!(names(around.path()), ["skill"]);
}

#[test]
fn a_file_that_changed_or_came_is_not_lost_in_a_swap() {
    let (around, place, key) = place();
    let held = place.lock(Missing::Fail).unwrap();
    let (stale, a, new) = (content("as it was read"), content("a"), content("new"));
    let before = BTreeMap::from([("SKILL.md", Some(&stale)), ("a", Some(&a))]);
    let after = BTreeMap::from([("SKILL.md", Some(&new)), ("a", Some(&new))]);
    let there = files(&key);
    let error = exchange(&held, &before, &after, "staged").unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(files(&key), there);
    // A file that nobody knew of when the skill was read.
    let known = BTreeMap::from([("SKILL.md".to_owned(), content("text"))]);
    let error = take_away(&held, &known, "staged").unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(files(&key), there);
    assert_eq!(names(around.path()), ["skill"]);
}

#[test]
fn a_skill_is_not_built_over_what_is_there() {
    let (around, place, key) = place();
    let held = place.lock(Missing::Fail).unwrap();
    let new = content("new");
    let there = files(&key);
    let error = build(&held, &BTreeMap::from([("SKILL.md", Some(&new))]), "staged").unwrap_err();
    assert!(matches!(error, Error::Changed { .. }), "{error}");
    assert_eq!(files(&key), there);
    assert_eq!(names(around.path()), ["skill"]);
}

#[test]
fn a_lock_on_a_folder_that_was_replaced_is_taken_anew() {
    let (around, place, _key) = place();
    let parent = place.parent.clone();
    let held = place.lock(Missing::Fail).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let held = place.lock(Missing::Make).unwrap();
            held.folder().unwrap().is_none()
        });
        // The folder that the other one waits for goes, and a new one takes its name.
        let aside = parent.with_extension("aside");
        std::fs::rename(&parent, &aside).unwrap();
        drop(held);
        assert!(waiting.join().unwrap(), "the lock was taken on the folder that went");
        std::fs::remove_dir_all(&parent).unwrap();
        std::fs::rename(&aside, &parent).unwrap();
    });
    drop(around);
}
