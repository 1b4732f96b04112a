use hone_agent::lineage::receipt::Kind;
use hone_agent::lineage::snapshot::{Change, SnapshotError, Snapshots, changes};

use crate::sample::{AGENT, Home, LAYOUT, folder_store, secret};

#[tokio::test]
async fn what_changed_from_one_snapshot_to_the_next_can_be_told_and_read() {
    let (home, away) = (Home::new(), tempfile::tempdir().unwrap());
    let store = folder_store(away.path());
    home.take(&store).await.unwrap();
    home.write("skills/oracle.md", "---\nname: oracle\n---\nLook twice.\n");
    home.write("skills/new.md", "---\nname: new\n---\n");
    std::fs::remove_file(home.brain().join("skills/deep/SKILL.md")).unwrap();
    home.database().execute("INSERT INTO facts VALUES ('new', 1)", []).unwrap();
    home.record(Kind::Outside);
    home.take(&store).await.unwrap();

    let known = home.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    assert_eq!(snapshots.numbers().await.unwrap(), [1, 2]);
    let (first, digest) = snapshots.manifest(1).await.unwrap();
    let (second, _) = snapshots.manifest(2).await.unwrap();
    assert_eq!(second.previous, Some(digest));
    assert_eq!((first.state.version, second.state.version), (1, 2));
    assert_eq!(
        changes(Some(&first), &second, &LAYOUT),
        [
            Change::Changed("memory.db/facts"),
            Change::Changed("receipts.jsonl"),
            Change::Removed("skills/deep/SKILL.md"),
            Change::Added("skills/new.md"),
            Change::Changed("skills/oracle.md"),
        ]
    );
    assert_eq!(changes(Some(&second), &second, &LAYOUT), []);
    assert!(changes(None, &first, &LAYOUT).contains(&Change::Added("system.md")));

    let old = snapshots.read(&first, "skills/oracle.md", 1024).await.unwrap().unwrap();
    assert_eq!(old, b"---\nname: oracle\n---\nLook.\n");
    assert_eq!(snapshots.read(&second, "skills/deep/SKILL.md", 1024).await.unwrap(), None);
    let exact = old.len() as u64;
    assert!(snapshots.read(&first, "skills/oracle.md", exact).await.unwrap().is_some());
    let error = snapshots.read(&first, "skills/oracle.md", exact - 1).await.unwrap_err();
    assert!(matches!(error, SnapshotError::TooLarge { .. }), "{error}");
    let error = snapshots.manifest(3).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Missing { number: Some(3), .. }), "{error}");
}
