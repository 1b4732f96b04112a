use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use hone_agent::lineage::chain::check;
use hone_agent::lineage::receipt::{Handover, Kind};
use hone_agent::lineage::snapshot::{
    CHUNK_BYTES, History, MIN_PASSPHRASE_BYTES, Progress, Reading, Restoring, Secret, Signer,
    SnapshotError, Snapshots, Store, Taken, Taking, Trust, Watch, Which,
};
use hone_agent::lineage::{PublicKey, SigningKey, state};
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use crate::sample::{AGENT, Home, LAYOUT, files, folder_store, record, secret, signer, watch};

#[tokio::test]
async fn r1_a_wiped_brain_comes_back_by_name_with_its_hash_and_its_rows() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.learn("twap");
    let script = home.brain().join("skills/deep/run.sh");
    fs::write(&script, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    home.write("skills/empty.md", "");
    home.record(Kind::Outside);
    let before = home.state();
    let Taken::New { number: 1, is_settled: true, .. } = home.take(&store).await.unwrap() else {
        panic!("not the first, settled snapshot")
    };

    // Another machine: nothing but the name, the store and the secret.
    let other = Home::empty();
    let known = other.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let restoring = Restoring { target: &other.brain(), which: Which::Newest, key: None };
    let restored = snapshots.restore(&restoring, &watch(&CancellationToken::new())).await.unwrap();
    assert_eq!((restored.number, restored.receipts, restored.trust), (1, 3, Trust::FirstUse));
    assert!(restored.is_settled);
    assert_eq!(other.state(), before);
    assert!(check(&other.brain().join("receipts.jsonl"), signer().public()).unwrap().holds());
    let count = "SELECT count(*) FROM messages";
    let rows: i64 = other.database().query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(rows, 301);
    let (mut old, mut new) = (files(&home.brain()), files(&other.brain()));
    for files in [&mut old, &mut new] {
        files.retain(|path, _| !path.starts_with("memory.db"));
    }
    assert_eq!(old, new, "also what is apart from the state");
    let mode = |path: &str| fs::metadata(other.brain().join(path)).unwrap().permissions().mode();
    assert_eq!(mode("skills/deep/run.sh") & 0o777, 0o700);
    assert_eq!(mode("skills/oracle.md") & 0o777, 0o600);
    assert_eq!(other.beside(), [AGENT]);

    // From now on the key is known, and the brain goes on.
    other.wipe();
    let restored = snapshots.restore(&restoring, &watch(&CancellationToken::new())).await.unwrap();
    assert_eq!(restored.trust, Trust::Known);
    other.learn("more");
    assert!(matches!(other.take(&store).await.unwrap(), Taken::New { number: 2, .. }));
}

#[tokio::test]
async fn r2_the_same_state_twice_writes_nothing() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let first = files(away.path());
    // Another file of the same rows, and another time.
    home.database().execute_batch("PRAGMA wal_checkpoint(TRUNCATE); VACUUM").unwrap();
    home.write("system.md", "You audit.\n");
    assert_eq!(home.take(&store).await.unwrap(), Taken::Unchanged { number: 1 });
    assert_eq!(files(away.path()), first);
    assert_eq!(home.beside(), [AGENT]);
    // What is apart from the state counts as well.
    home.write("bundle.lock.json", "{\"version\":2}\n");
    assert!(matches!(home.take(&store).await.unwrap(), Taken::New { number: 2, .. }));
}

#[tokio::test]
async fn r2_a_small_change_costs_little() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(20_000);
    home.record(Kind::Outside);
    let Taken::New { bytes: first, objects, .. } = home.take(&store).await.unwrap() else {
        panic!("nothing taken")
    };
    assert!(first > 10_000_000 && objects <= 3, "{first} bytes in {objects} objects");
    home.add_messages(200);
    home.record(Kind::Outside);
    let Taken::New { bytes: second, objects, reused, .. } = home.take(&store).await.unwrap() else {
        panic!("nothing taken")
    };
    assert!(second < first / 20, "{second} bytes after {first}");
    assert_eq!(objects, 2, "one pack and the manifest");
    assert!(reused > 200, "{reused}");
    let before = home.state();
    home.wipe();
    home.restore(&store).await.unwrap();
    assert_eq!(home.state(), before);
}

#[tokio::test]
async fn r2_thousands_of_small_files_are_few_objects() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    for number in 0..2_000 {
        home.write(&format!("skills/s{number}.md"), format!("# Skill {number}\n").repeat(20));
    }
    home.record(Kind::Outside);
    let Taken::New { objects, .. } = home.take(&store).await.unwrap() else {
        panic!("nothing taken")
    };
    assert_eq!(objects, 2);
}

#[tokio::test]
async fn r3_another_key_opens_nothing_and_leaves_the_target() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let other = Secret::Key(Zeroizing::new([8; 32]));
    home.wipe();
    let error = home.restore_as(&store, &other, AGENT, Which::Newest).await.unwrap_err();
    assert!(matches!(error, SnapshotError::WrongKey { .. }), "{error}");
    assert_eq!(home.beside(), Vec::<String>::new());
    // Nor is anything put beside what another key sealed.
    let home = Home::new();
    let before = files(away.path());
    let error = home.take_as(&store, &other, History::Extends).await.unwrap_err();
    assert!(matches!(error, SnapshotError::WrongKey { .. }), "{error}");
    assert_eq!(files(away.path()), before);
}

#[tokio::test]
async fn r3_a_passphrase_opens_what_it_sealed() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    let secret = |text: &str| Secret::passphrase(Zeroizing::new(text.to_owned())).unwrap();
    assert!(Secret::passphrase(Zeroizing::new("x".repeat(MIN_PASSPHRASE_BYTES - 1))).is_err());
    let right = secret("correct horse battery");
    home.take_as(&store, &right, History::Extends).await.unwrap();
    let before = home.state();
    home.wipe();
    let wrong = secret("correct horse batterz");
    let error = home.restore_as(&store, &wrong, AGENT, Which::Newest).await.unwrap_err();
    assert!(matches!(error, SnapshotError::WrongKey { .. }), "{error}");
    home.restore_as(&store, &right, AGENT, Which::Newest).await.unwrap();
    assert_eq!(home.state(), before);

    // A passphrase where a key file was used makes no second key.
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let error = home.take_as(&store, &right, History::Extends).await.unwrap_err();
    assert!(matches!(error, SnapshotError::WrongKey { .. }), "{error}");
}

#[tokio::test]
async fn r6_the_snapshots_of_one_agent_are_no_other_agents() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let agents = away.path().join("agents");
    fs::create_dir_all(agents.join("bob")).unwrap();
    for part in ["snapshots", "objects"] {
        let (from, to) = (agents.join(AGENT).join(part), agents.join("bob").join(part));
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let other = Home::empty();
    let error = other.restore_as(&store, &secret(), "bob", Which::Newest).await.unwrap_err();
    assert!(matches!(error, SnapshotError::WrongKey { .. }), "{error}");
    assert!(!other.brain().exists());
    for name in ["", ".", "..", "a/b", "a b", &"x".repeat(65), ".hidden"] {
        let error = other.restore_as(&store, &secret(), name, Which::Newest).await.unwrap_err();
        assert!(matches!(error, SnapshotError::Agent(_)), "{name}: {error}");
    }
    let missing = other.restore_as(&store, &secret(), &"x".repeat(64), Which::Newest).await;
    assert!(matches!(missing, Err(SnapshotError::Missing { number: None, .. })), "{missing:?}");
}

#[tokio::test]
async fn r7_an_older_snapshot_is_given_only_when_it_is_asked_for() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let first = home.state();
    home.learn("twap");
    home.take(&store).await.unwrap();
    let newest = away.path().join("agents").join(AGENT).join("snapshots/000000000002");
    let hidden = away.path().join("hidden");
    fs::rename(&newest, &hidden).unwrap();
    home.wipe();
    let error = home.restore(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Older { known: 2, found: 1 }), "{error}");
    assert!(!home.brain().exists());
    home.restore_as(&store, &secret(), AGENT, Which::Exactly(1)).await.unwrap();
    assert_eq!(home.state(), first);

    // A brain that was set back does not silently become the newest.
    fs::rename(&hidden, &newest).unwrap();
    home.learn("other");
    let error = home.take(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Behind { number: 2 }), "{error}");
    let taken = home.take_as(&store, &secret(), History::Replaces).await.unwrap();
    assert!(matches!(taken, Taken::New { number: 3, .. }));
    // And whoever knew the other history hears of it.
    let error = {
        let other = Home::empty();
        fs::create_dir_all(other.brain().parent().unwrap()).unwrap();
        other.restore_as(&store, &secret(), AGENT, Which::Exactly(2)).await.unwrap();
        other.wipe();
        other.restore(&store).await.unwrap_err()
    };
    assert!(matches!(error, SnapshotError::Forked { number: 3, .. }), "{error}");
}

#[tokio::test]
async fn r9_r15_what_is_there_is_not_touched_and_leftovers_go() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let before = files(&home.brain());
    let error = home.restore(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Occupied { .. }), "{error}");
    assert_eq!(files(&home.brain()), before);
    // A folder that holds only a part is something that is there.
    home.wipe();
    fs::create_dir(home.brain()).unwrap();
    home.write("system.md", "half\n");
    let error = home.restore(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Occupied { .. }), "{error}");
    // An empty folder is not; what an earlier run left beside it goes.
    fs::remove_file(home.brain().join("system.md")).unwrap();
    let left = home.brain().with_file_name(format!(".hone-restore-{AGENT}.tmp-left"));
    fs::create_dir_all(left.join("brain/skills")).unwrap();
    let left = home.brain().with_file_name(format!(".hone-snapshot-{AGENT}.tmp-left"));
    fs::create_dir_all(left.join("brain")).unwrap();
    home.restore(&store).await.unwrap();
    home.take(&store).await.unwrap();
    assert_eq!(home.beside(), [AGENT]);
    // A link to nowhere is something that is there, too.
    home.wipe();
    std::os::unix::fs::symlink("nowhere", home.brain()).unwrap();
    let error = home.restore(&store).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Occupied { .. }), "{error}");
}

#[tokio::test]
async fn r9_a_cancelled_restore_or_snapshot_leaves_nothing() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let known = home.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let cancelled = CancellationToken::new();
    let stop = |_: Progress| cancelled.cancel();
    let watch = Watch { cancelled: &cancelled, progress: &stop };
    home.learn("twap");
    let (brain, signer) = (home.brain(), signer());
    let history = History::Extends;
    let reading = Reading::default();
    let taking =
        Taking { brain: &brain, signer: &signer, at: 0, history, with_signer: true, reading };
    let error = snapshots.take(&taking, &watch).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Cancelled), "{error}");
    assert_eq!(snapshots.numbers().await.unwrap(), [1]);
    home.wipe();
    let cancelled = CancellationToken::new();
    let stop = |_: Progress| cancelled.cancel();
    let watch = Watch { cancelled: &cancelled, progress: &stop };
    let restoring = Restoring { target: &brain, which: Which::Newest, key: None };
    let error = snapshots.restore(&restoring, &watch).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Cancelled), "{error}");
    assert_eq!(home.beside(), Vec::<String>::new());
}

#[tokio::test]
async fn progress_goes_up_to_the_whole() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.add_messages(10_000);
    home.record(Kind::Outside);
    let (last, total) = (AtomicU64::new(0), AtomicU64::new(0));
    let note = |progress: Progress| {
        assert!(last.swap(progress.done, Ordering::SeqCst) <= progress.done);
        total.store(progress.total, Ordering::SeqCst);
    };
    let cancelled = CancellationToken::new();
    let watch = Watch { cancelled: &cancelled, progress: &note };
    let known = home.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let (brain, signer) = (home.brain(), signer());
    let history = History::Extends;
    snapshots
        .take(
            &Taking {
                brain: &brain,
                signer: &signer,
                at: 0,
                history,
                with_signer: true,
                reading: Reading::default(),
            },
            &watch,
        )
        .await
        .unwrap();
    assert_eq!(last.swap(0, Ordering::SeqCst), total.load(Ordering::SeqCst));
    home.wipe();
    let restoring = Restoring { target: &brain, which: Which::Newest, key: None };
    snapshots.restore(&restoring, &watch).await.unwrap();
    assert_eq!(last.load(Ordering::SeqCst), total.load(Ordering::SeqCst));
}

/// Ends the writer of a test also when the test fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A writer goes on all the time; a fact says how many messages there are.
#[test]
fn r11_a_snapshot_under_writes_is_the_brain_at_one_moment() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    home.database()
        .execute_batch("DELETE FROM messages; INSERT INTO facts VALUES ('count', 0)")
        .unwrap();
    let stop = AtomicBool::new(false);
    let taken: Vec<Taken> = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let db = home.database();
            db.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
            let mut written = 0;
            while !stop.load(Ordering::SeqCst) {
                db.execute_batch(
                    "BEGIN IMMEDIATE; INSERT INTO messages(text) VALUES (hex(randomblob(2000)));
                     UPDATE facts SET value = value + 1 WHERE key = 'count'; COMMIT",
                )
                .unwrap();
                written += 1;
            }
            written
        });
        let stop = Stop(&stop);
        let taken = (0..3).map(|_| runtime.block_on(home.take(&store)).unwrap()).collect();
        drop(stop);
        assert!(writer.join().unwrap() > 3);
        taken
    });
    for taken in taken {
        let Taken::New { number, is_settled, .. } = taken else { panic!("{taken:?}") };
        assert!(!is_settled, "no receipt is about a task under way");
        let (other, which) = (Home::empty(), Which::Exactly(number));
        let restored = runtime.block_on(other.restore_as(&store, &secret(), AGENT, which)).unwrap();
        assert!(!restored.is_settled);
        let sums = "SELECT (SELECT count(*) FROM messages),
                           (SELECT value FROM facts WHERE key = 'count')";
        let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
        let (rows, counted): (i64, i64) = other.database().query_row(sums, [], row).unwrap();
        assert_eq!(rows, counted);
    }
}

#[tokio::test]
async fn r13_nothing_is_put_over_what_was_learned() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.write("system.md", "You audit, and better than at first.\n");
    home.record(Kind::Outside);
    home.take(&store).await.unwrap();
    home.wipe();
    home.restore(&store).await.unwrap();
    let text = fs::read_to_string(home.brain().join("system.md")).unwrap();
    assert_eq!(text, "You audit, and better than at first.\n");
    assert!(matches!(home.restore(&store).await, Err(SnapshotError::Occupied { .. })));
}

#[tokio::test]
async fn r14_without_a_key_nothing_is_written() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    let known = home.known();
    let refused = Snapshots::open(&store, None, &known, AGENT, &LAYOUT).await;
    assert!(matches!(refused, Err(SnapshotError::NoKey)));
    assert!(files(away.path()).is_empty());
}

#[tokio::test]
async fn r16_receipts_that_do_not_hold_are_not_restored() {
    let store_of = || tempfile::tempdir().unwrap();
    // A line in the middle that was changed: the last one still signs. What would not come back is not packed.
    let (home, away) = (Home::new(), store_of());
    home.learn("a");
    home.learn("b");
    let path = home.brain().join("receipts.jsonl");
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let changed = lines[1].replace("\"at\":1,", "\"at\":2,");
    assert_ne!(changed, lines[1]);
    fs::write(&path, format!("{}\n{changed}\n{}\n", lines[0], lines[2])).unwrap();
    let store = folder_store(away.path());
    let error = home.take(&store).await.unwrap_err();
    let SnapshotError::Broken(breaks) = error else { panic!("{error}") };
    assert_eq!((breaks[0].index, breaks[0].field.as_str()), (1, "signature"));
    assert!(files(away.path()).is_empty());
    fs::write(&path, text).unwrap();
    home.take(&store).await.unwrap();

    // Another agent's receipts, and another key, are not even packed.
    let (home, away) = (Home::new(), store_of());
    let store = folder_store(away.path());
    fs::remove_file(home.brain().join("receipts.jsonl")).unwrap();
    assert!(matches!(home.take(&store).await, Err(SnapshotError::NoReceipts { .. })));
    record(&home.brain(), "bob", Kind::Created, &signer());
    assert!(matches!(home.take(&store).await, Err(SnapshotError::OtherAgent { .. })));
    fs::remove_file(home.brain().join("receipts.jsonl")).unwrap();
    record(&home.brain(), AGENT, Kind::Created, &SigningKey::from_seed(&[2; 32]));
    assert!(matches!(home.take(&store).await, Err(SnapshotError::OtherSigner { .. })));
    assert!(files(away.path()).is_empty());

    // A key that is not the one that was given.
    let (home, away) = (Home::new(), store_of());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let known = home.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    home.wipe();
    let key = Some(SigningKey::from_seed(&[3; 32]).public());
    let restoring = Restoring { target: &home.brain(), which: Which::Newest, key };
    let error = snapshots.restore(&restoring, &watch(&CancellationToken::new())).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Broken(_)), "{error}");
}

#[tokio::test]
async fn a_key_that_was_handed_over_signs_the_next_snapshot() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let new = SigningKey::from_seed(&[5; 32]);
    let mut chain = hone_agent::lineage::Chain::open(&home.brain().join("receipts.jsonl")).unwrap();
    let after = chain.last().unwrap().after;
    let handover = Some(Handover::new(AGENT, signer().public(), &new));
    let entry = hone_agent::lineage::receipt::Entry {
        kind: Kind::Handover,
        at: 2,
        after,
        changes: Vec::new(),
        task: None,
        handover,
    };
    chain.append(AGENT, entry, &signer()).unwrap();
    assert!(matches!(home.take(&store).await, Err(SnapshotError::OtherSigner { .. })));
    let known = home.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let taking = Taking {
        brain: &home.brain(),
        signer: &new,
        at: 0,
        history: History::Extends,
        with_signer: true,
        reading: Reading::default(),
    };
    snapshots.take(&taking, &watch(&CancellationToken::new())).await.unwrap();
    home.wipe();
    assert_eq!(home.restore(&store).await.unwrap().number, 2);
}

#[tokio::test]
async fn a_link_or_a_stranger_in_a_brain_is_named_and_nothing_is_written() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    std::os::unix::fs::symlink("/etc/passwd", home.brain().join("skills/link.md")).unwrap();
    let error = home.take(&store).await.unwrap_err().to_string();
    assert!(error.contains("skills/link.md") && error.contains("link"), "{error}");
    assert!(files(away.path()).is_empty());
}

#[tokio::test]
async fn sizes_around_a_chunk_come_back() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    for (at, size) in [0, 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES]
        .into_iter()
        .enumerate()
    {
        let bytes: Vec<u8> = (0..size).map(|byte| (byte * (at + 7) / 3 % 251) as u8).collect();
        home.write(&format!("skills/size-{size}.bin"), bytes);
    }
    home.record(Kind::Outside);
    home.take(&store).await.unwrap();
    let before = files(&home.brain().join("skills"));
    home.wipe();
    home.restore(&store).await.unwrap();
    assert_eq!(files(&home.brain().join("skills")), before);
    assert_eq!(state::state(&home.brain(), &LAYOUT).unwrap(), home.state());
}

/// Copies a store as it is.
fn copied(from: &Path) -> tempfile::TempDir {
    let to = tempfile::tempdir().unwrap();
    for (name, bytes) in files(from) {
        let path = to.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    to
}

#[tokio::test]
async fn a_store_under_another_name_is_held_against_what_is_known_of_the_agent() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let old = copied(away.path());
    home.learn("a");
    home.take(&store).await.unwrap();
    let new = copied(away.path());
    home.wipe();
    let old = folder_store(old.path());
    let error = home.restore(&old).await.unwrap_err();
    let SnapshotError::OlderThanElsewhere { store: seen, known, found } = &error else {
        panic!("{error}")
    };
    assert_eq!((seen.as_str(), *known, *found), (store.name(), 2, 1));
    assert!(!home.brain().exists());
    // Who names it gets it, and the key is known from the other store.
    let restore = async |home: &Home, store: &Store, which: Which| {
        let known = home.known();
        let snapshots =
            Snapshots::open(store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
        let restoring = Restoring { target: &home.brain(), which, key: None };
        snapshots.restore(&restoring, &watch(&CancellationToken::new())).await
    };
    let restored = restore(&home, &old, Which::Exactly(1)).await.unwrap();
    assert_eq!(restored.trust, Trust::Known);
    // What goes on from what is known is the same history.
    home.wipe();
    let restored = restore(&home, &folder_store(new.path()), Which::Newest).await.unwrap();
    assert_eq!((restored.trust, restored.receipts), (Trust::Known, 2));
    // Another agent of the same name, in a store that was never seen: not by its own word.
    let (other, away) = (Home::new(), tempfile::tempdir().unwrap());
    let stranger = SigningKey::from_seed(&[2; 32]);
    fs::remove_file(other.brain().join("receipts.jsonl")).unwrap();
    record(&other.brain(), AGENT, Kind::Created, &stranger);
    let foreign = folder_store(away.path());
    let known = other.known();
    let snapshots =
        Snapshots::open(&foreign, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let taking = Taking {
        brain: &other.brain(),
        signer: &stranger,
        at: 1,
        history: History::Extends,
        with_signer: true,
        reading: Reading::All,
    };
    snapshots.take(&taking, &watch(&CancellationToken::new())).await.unwrap();
    home.wipe();
    let error = restore(&home, &foreign, Which::Newest).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Broken(_)), "{error}");
}

#[tokio::test]
async fn who_holds_a_brain_is_no_part_of_a_snapshot() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.write("task.lock", "");
    home.take(&store).await.unwrap();
    let objects = files(away.path());
    home.write("task.lock", "{\"what\":\"task t1\"}");
    assert_eq!(home.take(&store).await.unwrap(), Taken::Unchanged { number: 1 });
    assert_eq!(files(away.path()), objects);
    home.wipe();
    home.restore(&store).await.unwrap();
    assert!(!home.brain().join("task.lock").exists());
}

#[tokio::test]
async fn what_comes_back_is_its_owners_alone_and_has_its_key_before_it_appears() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    let fresh = Home::empty();
    let known = fresh.known();
    let brain = fresh.brain();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let keep = {
        let (brain, seen) = (brain.clone(), Arc::clone(&seen));
        move |key: PublicKey, packed: Option<&Signer>| {
            let is_packed = packed.is_some_and(|packed| packed.key().public() == key);
            seen.lock().unwrap().push((key, is_packed, brain.exists()));
            Ok(())
        }
    };
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let restoring = Restoring { target: &brain, which: Which::Newest, key: None };
    let cancelled = CancellationToken::new();
    let snapshots = snapshots.keeping(Arc::new(keep));
    snapshots.restore(&restoring, &watch(&cancelled)).await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [(signer().public(), true, false)]);
    for folder in ["", "skills", "skills/deep", "transcripts", ".."] {
        let mode = fs::metadata(brain.join(folder)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "{folder}");
    }
}
