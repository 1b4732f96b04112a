//! What is written of a database of which rows all over the file changed, and what comes back of it.

use std::fs;
use std::num::NonZeroUsize;

use hone_agent::lineage::receipt::Kind;
use hone_agent::lineage::snapshot::{Chunk, GRACE, Manifest, Snapshots, Store, Taken, Which};

use crate::sample::{AGENT, Home, LAYOUT, folder_store, secret};

async fn take(home: &Home, store: &Store) -> u64 {
    home.record(Kind::Outside);
    match home.take(store).await.unwrap() {
        Taken::New { bytes, .. } => bytes,
        Taken::Unchanged { .. } => panic!("nothing was taken"),
    }
}

async fn manifest(home: &Home, store: &Store, number: u64) -> Manifest {
    let known = home.known();
    let snapshots = Snapshots::open(store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    snapshots.manifest(number).await.unwrap().0
}

/// How many chunks of the database are patches, and how many whole ones the snapshot wrote itself.
fn kinds(manifest: &Manifest) -> (usize, usize) {
    let database = manifest.members.iter().find(|member| member.path == "memory.db").unwrap();
    let (patches, whole): (Vec<&Chunk>, Vec<&Chunk>) =
        database.chunks.iter().partition(|chunk| chunk.5.is_some());
    let is_new = |chunk: &&&Chunk| manifest.packs[chunk.0 as usize].number == manifest.number;
    (patches.len(), whole.iter().filter(is_new).count())
}

async fn comes_back(home: &Home, store: &Store) {
    let other = Home::empty();
    other.restore(store).await.unwrap();
    assert_eq!(other.state(), home.state());
}

#[tokio::test]
async fn rows_all_over_the_database_cost_their_pages_and_not_their_chunks() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(5_000);
    let first = take(&home, &store).await;
    // One row of a hundred, four to a page: one page of most chunks.
    home.scatter(100, 7);
    let second = take(&home, &store).await;
    let (patches, whole) = kinds(&manifest(&home, &store, 2).await);
    assert!(patches > 35 && whole < 5, "{patches} patches and {whole} whole chunks");
    assert!(second < first / 10, "{second} bytes after {first}");
    comes_back(&home, &store).await;
    // Other rows: patches are of what lay there whole, never of each other.
    home.scatter(100, 57);
    let third = take(&home, &store).await;
    assert!(third < first / 8, "{third} bytes after {first}");
    let third = manifest(&home, &store, 3).await;
    assert!(kinds(&third).0 > 50 && kinds(&third).1 < 5, "{:?}", kinds(&third));
    let chunks = third.members.iter().flat_map(|member| &member.chunks);
    assert!(chunks.filter_map(|chunk| chunk.5.as_ref()).all(|base| base.5.is_none()));
    comes_back(&home, &store).await;
    // One file of it is read the same way.
    let (known, secret) = (home.known(), secret());
    let snapshots = Snapshots::open(&store, Some(&secret), &known, AGENT, &LAYOUT).await.unwrap();
    let read = snapshots.read(&third, "memory.db", u64::MAX).await.unwrap().unwrap();
    let back = Home::empty();
    back.restore(&store).await.unwrap();
    assert!(read == fs::read(back.brain().join("memory.db")).unwrap(), "another database");
}

#[tokio::test]
async fn a_chunk_of_which_much_changed_is_written_whole() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(2_000);
    take(&home, &store).await;
    // Every other row: nearly every page.
    home.scatter(2, 1);
    take(&home, &store).await;
    let (patches, whole) = kinds(&manifest(&home, &store, 2).await);
    assert!(patches < 5 && whole > 20, "{patches} patches and {whole} whole chunks");
    comes_back(&home, &store).await;
}

#[tokio::test]
async fn what_a_patch_is_made_of_is_kept_when_older_snapshots_go() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(2_000);
    take(&home, &store).await;
    for round in 0..3 {
        home.scatter(100, round * 30);
        take(&home, &store).await;
    }
    assert!(kinds(&manifest(&home, &store, 4).await).0 > 20);
    let far = u64::try_from(GRACE.as_millis()).unwrap() * 365 * 100;
    let (known, secret) = (home.known(), secret());
    let snapshots = Snapshots::open(&store, Some(&secret), &known, AGENT, &LAYOUT).await.unwrap();
    let pruned = snapshots.prune(NonZeroUsize::MIN, far).await.unwrap();
    assert_eq!((pruned.kept, pruned.snapshots), (1, 3));
    comes_back(&home, &store).await;
}

#[tokio::test]
async fn a_machine_that_remembers_nothing_of_the_pages_writes_chunks_whole() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(2_000);
    take(&home, &store).await;
    fs::remove_dir_all(home.folder.path().join("snapshots.seen")).unwrap();
    home.scatter(100, 7);
    take(&home, &store).await;
    assert_eq!(kinds(&manifest(&home, &store, 2).await).0, 0);
    // From then on it does.
    home.scatter(100, 8);
    take(&home, &store).await;
    assert!(kinds(&manifest(&home, &store, 3).await).0 > 20);
    comes_back(&home, &store).await;
    // Each of them is still there.
    for number in 1..=3 {
        let other = Home::empty();
        let which = Which::Exactly(number);
        other.restore_as(&store, &secret(), AGENT, which).await.unwrap();
    }
}
