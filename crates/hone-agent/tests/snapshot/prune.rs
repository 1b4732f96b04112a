use std::fs;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{SystemTime, UNIX_EPOCH};

use hone_agent::lineage::receipt::Kind;
use hone_agent::lineage::snapshot::{GRACE, Pruned, SnapshotError, Snapshots, Store, Taken, Which};
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;

use crate::faults::{FAULTS, Faulty, Slow};
use crate::sample::{AGENT, Home, LAYOUT, files, folder_store, once, secret};

fn now() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

/// A time at which everything that is there now is older than the grace.
fn later() -> u64 {
    now() + u64::try_from(GRACE.as_millis()).unwrap() + 60_000
}

async fn prune(home: &Home, store: &Store, keep: usize, at: u64) -> Result<Pruned, SnapshotError> {
    let known = home.known();
    let snapshots = Snapshots::open(store, Some(&secret()), &known, AGENT, &LAYOUT).await?;
    snapshots.prune(NonZeroUsize::new(keep).unwrap(), at).await
}

/// Four snapshots; each has a large skill of its own, and one large skill stays.
async fn four(home: &Home, store: &Store) -> Vec<hone_agent::lineage::StateHash> {
    let noise = |seed: u64| -> Vec<u8> {
        let mut value = seed;
        let next = |_| {
            value = value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (value >> 33) as u8
        };
        (0..100_000).map(next).collect()
    };
    home.write("skills/stays.bin", noise(99));
    let mut states = Vec::new();
    for number in 1..=4 {
        home.write("skills/moves.bin", noise(number));
        home.record(Kind::Outside);
        home.take(store).await.unwrap();
        states.push(home.state());
    }
    states
}

#[tokio::test]
async fn what_a_kept_snapshot_needs_is_kept_and_the_rest_goes() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    let states = four(&home, &store).await;
    let orphan = away.path().join("agents").join(AGENT).join("objects").join("ab".repeat(32));
    fs::write(&orphan, "left by a snapshot that was cut short").unwrap();
    let before = files(away.path());

    // Nothing is old enough.
    let pruned = prune(&home, &store, 1, now()).await.unwrap();
    assert_eq!(pruned, Pruned { kept: 4, ..Pruned::default() });
    assert_eq!(files(away.path()), before);

    let pruned = prune(&home, &store, 2, later()).await.unwrap();
    assert_eq!((pruned.kept, pruned.snapshots), (2, 2));
    assert!(pruned.objects >= 2, "the orphan and a skill that moved on: {pruned:?}");
    assert!(!orphan.exists());
    for (number, state) in [(3, &states[2]), (4, &states[3])] {
        let other = Home::empty();
        let which = Which::Exactly(number);
        other.restore_as(&store, &secret(), AGENT, which).await.unwrap();
        assert_eq!(other.state(), *state);
    }
    let gone = Home::empty().restore_as(&store, &secret(), AGENT, Which::Exactly(2)).await;
    assert!(matches!(gone, Err(SnapshotError::Missing { number: Some(2), .. })), "{gone:?}");
    // The newest stays whatever is asked for, and the next one goes on from it.
    let pruned = prune(&home, &store, 1, later()).await.unwrap();
    assert_eq!((pruned.kept, pruned.snapshots), (1, 1));
    home.learn("more");
    assert!(matches!(home.take(&store).await.unwrap(), Taken::New { number: 5, .. }));
    let other = Home::empty();
    other.restore(&store).await.unwrap();
    assert_eq!(other.state(), home.state());
}

#[tokio::test]
async fn when_a_kept_snapshot_cannot_be_read_nothing_is_removed() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    four(&home, &store).await;
    let path = away.path().join("agents").join(AGENT).join("snapshots/000000000003");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60] ^= 1;
    fs::write(&path, bytes).unwrap();
    let before = files(away.path());
    let error = prune(&home, &store, 2, later()).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Damaged { .. }), "{error}");
    assert_eq!(files(away.path()), before);
}

#[tokio::test]
async fn after_any_fault_of_a_removal_what_is_kept_is_whole() {
    for fault in FAULTS {
        for at in 0.. {
            let (home, objects) = (Home::new(), Arc::new(InMemory::new()));
            let store = once(objects.clone());
            let states = four(&home, &store).await;
            let faulty = Faulty::new(objects.clone(), fault, at);
            let pruned = prune(&home, &once(faulty.clone()), 2, later()).await;
            let is_over = faulty.requests.load(Ordering::SeqCst) <= at;
            assert_eq!(is_over, pruned.is_ok(), "{fault:?} at {at}: {pruned:?}");
            for (number, state) in [(3, &states[2]), (4, &states[3])] {
                let other = Home::empty();
                let which = Which::Exactly(number);
                other.restore_as(&store, &secret(), AGENT, which).await.unwrap();
                assert_eq!(other.state(), *state, "{fault:?} at {at}");
            }
            assert_eq!(prune(&home, &store, 2, later()).await.unwrap().kept, 2);
            if is_over {
                break;
            }
        }
    }
}

/// A snapshot has its packs in the store and is about to take its number when all that is old goes.
#[tokio::test]
async fn a_removal_while_a_snapshot_is_under_way_takes_nothing_from_it() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    four(&home, &store).await;
    let two_days_ago = SystemTime::now() - 2 * GRACE;
    for name in files(away.path()).into_keys() {
        let file = fs::File::options().write(true).open(away.path().join(name)).unwrap();
        file.set_modified(two_days_ago).unwrap();
    }
    home.learn("under-way");
    let slow = Slow::new(Arc::new(LocalFileSystem::new_with_prefix(away.path()).unwrap()));
    let under_way = once(slow.clone());
    let removal = async {
        slow.until_waiting().await;
        let pruned = prune(&Home::empty(), &store, 1, now()).await.unwrap();
        assert_eq!((pruned.kept, pruned.snapshots), (1, 3));
        assert!(pruned.objects > 0, "{pruned:?}");
        slow.open();
    };
    let (taken, ()) = tokio::join!(home.take(&under_way), removal);
    let Taken::New { number: 5, reused, .. } = taken.unwrap() else { panic!("not the fifth") };
    assert!(reused > 0);
    let other = Home::empty();
    other.restore(&store).await.unwrap();
    assert_eq!(other.state(), home.state());
}
