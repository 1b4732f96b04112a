//! What somebody who holds the keys, or a bug of ours, could put into a store, and that a restore refuses
//! all the same.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use object_store::memory::InMemory;
use tokio_util::sync::CancellationToken;
use zeroize::Zeroizing;

use super::manifest::{MAX_SEALED_CHUNK, chunk_bound};
use super::*;
use crate::lineage::members::{Anew, Records, members};
use crate::lineage::receipt::{Entry, Kind, State};
use crate::lineage::state::{Root, state};
use crate::lineage::{Chain, SigningKey};

const LAYOUT: Layout = Layout {
    files: &[("system.md", Root::Knowledge)],
    folders: &[("skills", Root::Knowledge)],
    database: "memory.db",
    tables: &[],
    records: &["transcripts"],
    apart: &["receipts.jsonl"],
    locks: &["task.lock"],
};

struct Lab {
    home: tempfile::TempDir,
    store: Store,
    known: Known,
    signer: SigningKey,
    secret: Secret,
}

impl Lab {
    /// A store with one good snapshot.
    async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        let brain = home.path().join("brain");
        fs::create_dir_all(brain.join("skills")).unwrap();
        fs::write(brain.join("system.md"), "You audit.\n").unwrap();
        fs::write(brain.join("skills/a.md"), vec![b'a'; CHUNK_BYTES + 10]).unwrap();
        let signer = SigningKey::from_seed(&[1; 32]);
        let hash = state(&brain, &LAYOUT).unwrap();
        let after = State { knowledge: hash.knowledge, activity: hash.activity, version: 1 };
        let changes = Vec::new();
        let entry =
            Entry { kind: Kind::Created, at: 1, after, changes, task: None, handover: None };
        let mut chain = Chain::open(&brain.join("receipts.jsonl")).unwrap();
        chain.append("ada", entry, &signer).unwrap();
        let retry = Retry { tries: 1, pause: Duration::ZERO };
        let lab = Self {
            store: Store::over(Arc::new(InMemory::new()), "lab", retry),
            known: Known::at(&home.path().join("known.json")),
            signer,
            secret: Secret::Key(Zeroizing::new([7; 32])),
            home,
        };
        let cancelled = CancellationToken::new();
        let history = History::Extends;
        let (signer, reading) = (&lab.signer, Reading::default());
        let taking = Taking { brain: &brain, signer, at: 1, history, with_signer: true, reading };
        lab.snapshots().await.take(&taking, &watch(&cancelled)).await.unwrap();
        lab
    }

    async fn snapshots(&self) -> Snapshots<'_> {
        let open = Snapshots::open(&self.store, Some(&self.secret), &self.known, "ada", &LAYOUT);
        open.await.unwrap()
    }

    /// Puts the first snapshot again as the second one, changed, and restores it.
    async fn restored(
        &self,
        change: impl FnOnce(&mut Manifest),
    ) -> Result<Restored, SnapshotError> {
        let snapshots = self.snapshots().await;
        let (mut manifest, _) = snapshots.manifest(1).await?;
        manifest.number = 2;
        change(&mut manifest);
        let sealed = manifest.seal(&self.signer, &snapshots.key)?;
        self.store.put(&snapshots.manifest_path(2), sealed.into()).await?;
        let target = self.home.path().join("target");
        let restoring = Restoring { target: &target, which: Which::Newest, key: None };
        let restored = snapshots.restore(&restoring, &watch(&CancellationToken::new())).await;
        assert_eq!(restored.is_ok(), target.exists());
        if target.exists() {
            fs::remove_dir_all(target).unwrap();
        }
        restored
    }

    async fn why(&self, change: impl FnOnce(&mut Manifest)) -> String {
        self.restored(change).await.unwrap_err().to_string()
    }
}

fn watch(cancelled: &CancellationToken) -> Watch<'_> {
    Watch { cancelled, progress: &|_| {} }
}

fn path_of(manifest: &mut Manifest) -> &mut String {
    let member = manifest.members.iter_mut().find(|member| member.path == "skills/a.md");
    &mut member.unwrap().path
}

#[tokio::test]
async fn r8_a_state_that_is_not_the_recorded_one_is_refused() {
    let lab = Lab::new().await;
    let other = Digest::of(b"other");
    let why = lab.why(|manifest| manifest.state.knowledge = other).await;
    assert!(why.contains("state"), "{why}");
    let why = lab.why(|manifest| manifest.state.version = 2).await;
    assert!(why.contains("version"), "{why}");
    let why = lab.why(|manifest| manifest.receipts.head = other).await;
    assert!(why.contains("receipts"), "{why}");
    let why = lab.why(|manifest| manifest.receipts.count = 2).await;
    assert!(why.contains("receipts"), "{why}");
    let why = lab.why(|manifest| drop(manifest.members.pop())).await;
    assert!(why.contains("state"), "a member is missing: {why}");
    let why = lab.why(|manifest| manifest.members.retain(|at| at.path != "receipts.jsonl")).await;
    assert!(why.contains("no receipts"), "{why}");
    assert_eq!(lab.restored(|_| {}).await.unwrap().number, 2, "unchanged it is good");
}

#[tokio::test]
async fn r8_r16_a_manifest_that_another_key_signed_is_refused() {
    let lab = Lab::new().await;
    let snapshots = lab.snapshots().await;
    let other = SigningKey::from_seed(&[2; 32]);
    let (mut manifest, _) = snapshots.manifest(1).await.unwrap();
    manifest.number = 2;
    let (own, foreign) = (Signer::of(&lab.signer), other.public());
    for (key, signer, expected) in [
        (lab.signer.public(), None, "signature"),
        (foreign, None, "receipts say"),
        (foreign, Some(own), "its private key is not the one that signed"),
    ] {
        (manifest.key, manifest.signer) = (key, signer);
        let sealed = manifest.seal(&other, &snapshots.key).unwrap();
        lab.store.put(&snapshots.manifest_path(2), sealed.into()).await.unwrap();
        let target = lab.home.path().join("target");
        let restoring = Restoring { target: &target, which: Which::Newest, key: None };
        let cancelled = CancellationToken::new();
        let restored = snapshots.restore(&restoring, &watch(&cancelled)).await;
        let error = restored.unwrap_err().to_string();
        assert!(error.contains(expected) && !target.exists(), "{error}");
    }
}

#[tokio::test]
async fn r10_a_path_that_leads_elsewhere_is_refused() {
    let lab = Lab::new().await;
    let deep = format!("skills{}/x", "/d".repeat(crate::lineage::state::MAX_DEPTH));
    let long = format!("skills/{}", "x".repeat(MAX_PATH_BYTES));
    for path in [
        "../a",
        "skills/../../a",
        "/etc/passwd",
        "skills//a",
        "skills/./a",
        "skills/",
        "",
        ".",
        "other/a",
        "stranger.md",
        "memory.db-wal",
        "skills/.hone-x/a",
        "skills/a~",
        "skills/a\0b",
        "system.md/a",
        "memory.db/a",
        "skills",
        &deep,
        &long,
    ] {
        let why = lab.why(|manifest| path.clone_into(path_of(manifest))).await;
        assert!(why.contains("the member") || why.contains("out of order"), "{path}: {why}");
    }
    let twice = lab.why(|manifest| {
        let last = manifest.members.last().unwrap().clone();
        manifest.members.push(last);
    });
    assert!(twice.await.contains("twice"));
    let both = lab.why(|manifest| {
        let mut inner =
            manifest.members.iter().find(|at| at.path == "skills/a.md").unwrap().clone();
        inner.path = "skills/a.md/b".to_owned();
        manifest.members.push(inner);
        manifest.members.sort_by(|one, two| one.path.cmp(&two.path));
    });
    assert!(both.await.contains("a file and a folder"));
    let deepest = format!("skills{}/x", "/d".repeat(crate::lineage::state::MAX_DEPTH - 1));
    let why = lab.why(|manifest| *path_of(manifest) = deepest).await;
    assert!(why.contains("does not open"), "at the limit it is a path, only not its own: {why}");
}

#[tokio::test]
async fn r10_sizes_that_are_not_true_are_refused() {
    let lab = Lab::new().await;
    let first = |manifest: &mut Manifest| manifest.members[1].clone();
    for (change, expected) in [
        ((|chunk, _| chunk.0 = 9) as fn(&mut Chunk, &mut Pack), "where none can lie"),
        (|chunk, _| chunk.1 = (1 << 53) - 1, "where none can lie"),
        (|chunk, pack| chunk.1 = pack.bytes, "where none can lie"),
        (|chunk, _| chunk.2 = u32::try_from(MAX_SEALED_CHUNK).unwrap() + 1, "where none can lie"),
        (|chunk, _| chunk.2 -= 1, "does not open"),
        (|chunk, _| chunk.1 += 1, "does not open"),
        (|chunk, _| chunk.4 = Some("system.md".to_owned()), "does not open"),
        (|chunk, _| chunk.3 = Digest::of(b"other"), "not the one that was signed"),
        (|_, pack| pack.bytes = MAX_PACK_BYTES + 1, "more than"),
        (|_, pack| pack.bytes += 1, "not those its name says"),
        (|_, pack| pack.bytes -= 1, ""),
        (|_, pack| pack.number += 1, "does not open"),
        (|_, pack| pack.version += 1, "does not open"),
        (|_, pack| pack.name = Digest::of(b"other"), "gone"),
    ] {
        let why = lab
            .why(|manifest| {
                let mut packs = manifest.packs.clone();
                change(&mut manifest.members[1].chunks[0], &mut packs[0]);
                manifest.packs = packs;
            })
            .await;
        assert!(why.contains(expected), "{expected}: {why}");
    }
    for (bytes, expected) in [
        (0, "number of chunks"),
        ((1 << 53) - 1, "bytes in all"),
        (MAX_BRAIN_BYTES + 1, "bytes in all"),
        (MAX_BRAIN_BYTES, "bytes in all"),
        (2 * CHUNK_BYTES as u64 + 1, "number of chunks"),
        (2 * CHUNK_BYTES as u64, "size"),
        (CHUNK_BYTES as u64 + 9, "size"),
    ] {
        let why = lab.why(|manifest| {
            assert_eq!(first(manifest).path, "skills/a.md");
            manifest.members[1].bytes = bytes;
        });
        let why = why.await;
        assert!(why.contains(expected), "{bytes}: {why}");
    }
}

#[tokio::test]
async fn r10_a_bomb_does_not_unpack() {
    let lab = Lab::new().await;
    let snapshots = lab.snapshots().await;
    // Sealed as it should be, and a gigabyte of zeros inside.
    let zeros = std::io::Read::take(std::io::repeat(0), 1 << 30);
    let mut plain = vec![1];
    plain.extend(zstd::encode_all(zeros, 3).unwrap());
    let bound = chunk_bound("ada", 1, 1, "skills/a.md");
    let sealed = snapshots.key.seal(&bound, &plain).unwrap();
    assert!(sealed.len() < MAX_SEALED_CHUNK, "{}", sealed.len());
    let name = Digest::of(&sealed);
    lab.store.put(&snapshots.pack_path(name), sealed.clone().into()).await.unwrap();
    let why = lab.why(|manifest| {
        let bytes = sealed.len() as u64;
        manifest.packs.push(Pack { name, bytes, number: 1, version: 1 });
        let chunk = &mut manifest.members[1].chunks[0];
        (chunk.0, chunk.1, chunk.2) = (1, 0, u32::try_from(bytes).unwrap());
    });
    let why = why.await;
    assert!(why.contains("does not unpack to its size"), "{why}");
}

#[test]
fn limits_hold_at_the_bound_and_not_past_it() {
    let member = |path: String| Member { path, bytes: 0, executable: false, chunks: Vec::new() };
    let digest = Digest::of(b"");
    let mut manifest = Manifest {
        schema: SCHEMA.to_owned(),
        agent: "ada".to_owned(),
        number: 1,
        at: 0,
        previous: None,
        state: State { knowledge: digest, activity: digest, version: 1 },
        tables: BTreeMap::new(),
        receipts: ReceiptsMark { count: 1, head: digest },
        packs: Vec::new(),
        members: (0..MAX_MEMBERS).map(|at| member(format!("skills/{at:08}"))).collect(),
        key: SigningKey::from_seed(&[1; 32]).public(),
        signer: None,
    };
    assert_eq!(manifest.check(&LAYOUT), Ok(()));
    manifest.members.push(member("skills/x".to_owned()));
    assert!(manifest.check(&LAYOUT).unwrap_err().contains("members"));
    manifest.members = vec![member(format!("skills/{}", "x".repeat(MAX_PATH_BYTES - 7)))];
    assert_eq!(manifest.check(&LAYOUT), Ok(()));
    manifest.packs = vec![Pack { name: digest, bytes: MAX_PACK_BYTES, number: 1, version: 1 }];
    assert_eq!(manifest.check(&LAYOUT), Ok(()));
    manifest.schema = "hone/snapshot/3".to_owned();
    assert!(manifest.check(&LAYOUT).unwrap_err().contains("schema"));
}

#[tokio::test]
async fn a_file_of_a_snapshot_is_read_whole_over_several_chunks() {
    let lab = Lab::new().await;
    let snapshots = lab.snapshots().await;
    let (manifest, _) = snapshots.manifest(1).await.unwrap();
    let text = snapshots.read(&manifest, "skills/a.md", u64::MAX).await.unwrap().unwrap();
    assert_eq!(text, vec![b'a'; CHUNK_BYTES + 10]);
    assert!(Path::new(&lab.home.path().join("known.json")).is_file());
}

/// What is remembered says that nothing changed, and something did.
#[tokio::test]
async fn a_change_that_the_memo_denies_is_found_by_a_full_look() {
    let lab = Lab::new().await;
    let snapshots = lab.snapshots().await;
    let brain = lab.home.path().join("brain");
    let path = lab.known.memo("lab", "ada");
    let take = async |reading| {
        let (signer, history) = (&lab.signer, History::Extends);
        let taking = Taking { brain: &brain, signer, at: 1, history, with_signer: true, reading };
        snapshots.take(&taking, &watch(&CancellationToken::new())).await.unwrap()
    };
    fs::write(brain.join("system.md"), "You lie.\n").unwrap();
    let (_, found) = members(&brain, &LAYOUT, Records::List, &mut Anew).unwrap();
    let mut memo = memo::Memo::read(&path).unwrap();
    memo.stamps = memo::stamps(&found);
    memo.write(&path).unwrap();
    assert_eq!(take(Reading::Changed).await, Taken::Unchanged { number: 1 });
    assert!(matches!(take(Reading::All).await, Taken::New { number: 2, .. }));
    // A memo about another snapshot than the newest says nothing about this one.
    memo.write(&path).unwrap();
    fs::write(brain.join("system.md"), "You lie again.\n").unwrap();
    assert!(matches!(take(Reading::Changed).await, Taken::New { number: 3, .. }));
}

#[tokio::test]
async fn a_patch_that_is_not_the_one_that_was_signed_is_refused() {
    let lab = Lab::new().await;
    let snapshots = lab.snapshots().await;
    let bound = chunk_bound("ada", 1, 1, "skills/a.md");
    let put = async |plain: &[u8]| {
        let mut marked = vec![cut::PATCH];
        marked.extend(zstd::encode_all(plain, 3).unwrap());
        let sealed = snapshots.key.seal(&bound, &marked).unwrap();
        let name = Digest::of(&sealed);
        lab.store.put(&snapshots.pack_path(name), sealed.clone().into()).await.unwrap();
        Pack { name, bytes: sealed.len() as u64, number: 1, version: 1 }
    };
    let page = |byte: u8| vec![byte; PAGE_BYTES];
    let patched = |byte: u8| {
        let mut plain = vec![b'a'; CHUNK_BYTES];
        plain[PAGE_BYTES..2 * PAGE_BYTES].fill(byte);
        plain
    };
    let patch = |manifest: &mut Manifest, pack: Pack, byte: u8| {
        let chunk = &mut manifest.members[1].chunks[0];
        let base = Box::new(chunk.clone());
        let (at, length) = (manifest.packs.len(), u32::try_from(pack.bytes).unwrap());
        let digest = Digest::of(&patched(byte));
        *chunk = Chunk(u32::try_from(at).unwrap(), 0, length, digest, None, Some(base));
        manifest.packs.push(pack);
    };
    let good = put(&[&[0, 2][..], &page(b'b')].concat()).await;
    // It is read as it should be; only the state is another one then.
    let why = lab.why(|manifest| patch(manifest, good, b'b')).await;
    assert!(why.contains("the state of the brain"), "{why}");
    let why = lab.why(|manifest| patch(manifest, good, b'c')).await;
    assert!(why.contains("not the one that was signed"), "{why}");
    for (plain, expected) in [
        (vec![], "is no patch"),
        (vec![0], "is no patch"),
        ([&[0, 3][..], &page(b'b')].concat(), "does not unpack to its size"),
        ([&[0, 2][..], &page(b'b')[1..]].concat(), "does not unpack to its size"),
        (vec![0; 1 << 20], "does not unpack to its size"),
    ] {
        let pack = put(&plain).await;
        let why = lab.why(|manifest| patch(manifest, pack, b'b')).await;
        assert!(why.contains(expected), "{expected}: {why}");
    }
    // A whole chunk where a patch should be, and a patch where a whole one should be.
    let why = lab.why(|manifest| {
        patch(manifest, good, b'b');
        let chunk = &mut manifest.members[1].chunks[0];
        let base = chunk.5.clone().unwrap();
        (chunk.0, chunk.1, chunk.2) = (base.0, base.1, base.2);
    });
    assert!(why.await.contains("is no patch"));
    let why = lab.why(|manifest| {
        patch(manifest, good, b'b');
        let chunk = &mut manifest.members[1].chunks[0];
        let mut whole = chunk.clone();
        whole.5 = None;
        **chunk.5.as_mut().unwrap() = whole;
    });
    assert!(why.await.contains("has another size"));
    // Where none can be: in the format before, of a patch, in a chunk that is not whole.
    for change in [
        (|manifest| manifest.schema = "hone/snapshot/1".to_owned()) as fn(&mut Manifest),
        |manifest| {
            let chunk = &mut manifest.members[1].chunks[0];
            let base = chunk.5.as_mut().unwrap();
            base.5 = Some(base.clone());
        },
        |manifest| {
            let chunk = &mut manifest.members[1].chunks[1];
            chunk.5 = Some(Box::new(chunk.clone()));
        },
    ] {
        let why = lab.why(|manifest| {
            patch(manifest, good, b'b');
            change(manifest);
        });
        assert!(why.await.contains("is a patch where none can be"));
    }
    let why = lab.why(|manifest| {
        patch(manifest, good, b'b');
        manifest.members[1].chunks[0].5.as_mut().unwrap().0 = 9;
    });
    assert!(why.await.contains("where none can lie"));
    let same = put(&[&[0, 2][..], &page(b'a')].concat()).await;
    assert_eq!(lab.restored(|manifest| patch(manifest, same, b'a')).await.unwrap().number, 2);
}

#[tokio::test]
async fn a_snapshot_of_the_format_before_is_read() {
    let lab = Lab::new().await;
    let restored = lab.restored(|manifest| manifest.schema = "hone/snapshot/1".to_owned()).await;
    assert_eq!(restored.unwrap().number, 2);
}
