//! Whatever a store does to an object, a restore refuses and leaves the target alone.

use std::fs;
use std::path::{Path, PathBuf};

use hone_agent::lineage::snapshot::{SnapshotError, Store, Which};

use crate::sample::{AGENT, Home, files, folder_store, secret};

/// A store with two snapshots, and the objects in it.
async fn stored() -> (Home, tempfile::TempDir, Store) {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    home.learn("twap");
    home.take(&store).await.unwrap();
    (home, away, store)
}

async fn refused(store: &Store) -> SnapshotError {
    let home = Home::empty();
    let error = home.restore(store).await.unwrap_err();
    assert_eq!(home.beside(), Vec::<String>::new(), "{error}");
    error
}

fn objects(away: &Path) -> Vec<PathBuf> {
    let newest = ["snapshots/000000000002", "objects/"];
    let names =
        files(away).into_keys().filter(|name| newest.iter().any(|part| name.contains(part)));
    names.map(|name| away.join(name)).collect()
}

/// About sixty bytes of each object: all of its first and last ones, and some between.
fn places(length: usize) -> Vec<usize> {
    let mut places: Vec<usize> = (0..40.min(length)).collect();
    places.extend((0..10).map(|part| part * length / 10));
    places.extend(length.saturating_sub(20)..length);
    places
}

#[tokio::test]
async fn r4_a_byte_that_was_flipped_anywhere_is_found() {
    let (_home, away, store) = stored().await;
    let mut tried = 0;
    for object in objects(away.path()) {
        let good = fs::read(&object).unwrap();
        for at in places(good.len()) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            fs::write(&object, bad).unwrap();
            let error = refused(&store).await;
            let is_named =
                matches!(error, SnapshotError::Damaged { .. } | SnapshotError::WrongKey { .. });
            assert!(is_named, "byte {at} of {}: {error}", object.display());
            tried += 1;
        }
        fs::write(&object, good).unwrap();
    }
    assert!(tried > 150, "{tried}");
    Home::empty().restore(&store).await.unwrap();
}

#[tokio::test]
async fn r5_an_object_that_was_cut_or_made_longer_is_found() {
    let (_home, away, store) = stored().await;
    for object in objects(away.path()) {
        let good = fs::read(&object).unwrap();
        for length in [0, 1, 8, 24, 48, good.len() / 2, good.len() - 1, good.len() + 1] {
            let mut bad = good.clone();
            bad.resize(length, 0);
            fs::write(&object, bad).unwrap();
            refused(&store).await;
        }
        fs::remove_file(&object).unwrap();
        if object.to_string_lossy().contains("objects") {
            assert!(refused(&store).await.to_string().contains("gone"));
        }
        fs::write(&object, good).unwrap();
    }
    Home::empty().restore(&store).await.unwrap();
}

#[tokio::test]
async fn r6_r7_a_manifest_under_another_number_is_not_that_snapshot() {
    let (_home, away, store) = stored().await;
    let folder = away.path().join("agents").join(AGENT).join("snapshots");
    fs::copy(folder.join("000000000001"), folder.join("000000000003")).unwrap();
    let error = refused(&store).await;
    assert!(matches!(error, SnapshotError::Damaged { .. }), "{error}");
    // Names that are no numbers are nothing.
    fs::remove_file(folder.join("000000000003")).unwrap();
    for name in ["000000000000", "3", "00000000000x", "0000000000003"] {
        fs::write(folder.join(name), "x").unwrap();
    }
    let home = Home::empty();
    assert_eq!(home.restore(&store).await.unwrap().number, 2);
}

#[tokio::test]
async fn r7_another_manifest_under_a_known_number_is_found() {
    let (home, away, store) = stored().await;
    // Another brain of the same agent and keys, with as many snapshots.
    let (_other, elsewhere, _) = stored().await;
    let path = format!("agents/{AGENT}/snapshots/000000000002");
    fs::copy(elsewhere.path().join(&path), away.path().join(&path)).unwrap();
    home.wipe();
    let error = home.restore(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Forked { number: 2, .. }), "{error}");
    // A file of heads that cannot be read is no reason to believe anything.
    fs::write(home.folder.path().join("snapshots.json"), "{").unwrap();
    let error = home.restore_as(&store, &secret(), AGENT, Which::Newest).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Damaged { .. }), "{error}");
    assert!(!home.brain().exists());
}

#[tokio::test]
async fn what_lies_in_a_store_says_nothing_of_what_it_is() {
    let (_home, away, _store) = stored().await;
    for (name, bytes) in files(away.path()) {
        for word in ["oracle", "TWAP", "skills", "memory.db", "receipt", "You audit"] {
            let found = bytes.windows(word.len()).any(|part| part == word.as_bytes());
            assert!(!found && !name.contains(word), "`{word}` in {name}");
        }
    }
}
