//! Taking a snapshot.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use tokio::sync::mpsc;

use super::super::digest::Digest;
use super::super::keeper::RECEIPTS_FILE;
use super::super::keys::{PublicKey, SigningKey};
use super::super::members::{Anew, Records, Stamp, members, now};
use super::super::state::Layout;
use super::cut::{Cut, Cutter, each_chunk};
use super::error::SnapshotError;
use super::known::Head;
use super::manifest::{MAX_MANIFEST_BYTES, Manifest, Member, SCHEMA, Signer};
use super::memo::{Memo, Pages, stamps};
use super::stage::{Staged, begins_with, stage};
use super::store::Created;
use super::work::Work;
use super::{MAX_AT_ONCE, Progress, Snapshots, Watch, blocking};

/// How long a snapshot may take: half of the time for which nothing is removed.
pub const MAX_TAKING: Duration = Duration::from_secs(12 * 3600);

/// How a brain must stand to the newest snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// Its receipts go on from those of the snapshot.
    Extends,
    /// Whatever the snapshot is: after a return to an older one.
    Replaces,
}

/// How much of a brain is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reading {
    /// Nothing, when the system says of every file what it said when the newest snapshot was taken here.
    #[default]
    Changed,
    /// All of it: what was changed behind the system's back is found.
    All,
}

/// A snapshot to be taken.
#[derive(Debug, Clone, Copy)]
pub struct Taking<'a> {
    /// The brain.
    pub brain: &'a Path,
    /// The key of the agent, which signs its receipts too.
    pub signer: &'a SigningKey,
    /// Now, in milliseconds since 1970.
    pub at: u64,
    /// How it must stand to the newest one.
    pub history: History,
    /// Whether the private half of the key goes with it, sealed.
    pub with_signer: bool,
    /// How much is read.
    pub reading: Reading,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// The newest snapshot is of the same state: nothing was written.
    Unchanged {
        /// Its number.
        number: u64,
    },
    /// A new snapshot.
    New {
        /// Its number.
        number: u64,
        /// The version of the brain in it.
        version: u64,
        /// The digest of its manifest.
        manifest: Digest,
        /// Objects that were written, the manifest included.
        objects: u64,
        /// Bytes that were written.
        bytes: u64,
        /// Chunks that were there already.
        reused: u64,
        /// Whether the last receipt is about this very state; else a task was under way, or files were
        /// changed without one.
        is_settled: bool,
    },
}

impl Snapshots<'_> {
    /// Takes a snapshot of a brain, while tasks may go on.
    ///
    /// Until its last request nothing changes for anyone; after it the snapshot is whole. Cut short, it
    /// leaves objects that nobody names, which [`Snapshots::prune`] removes.
    pub async fn take(
        &self,
        taking: &Taking<'_>,
        watch: &Watch<'_>,
    ) -> Result<Taken, SnapshotError> {
        let started = Instant::now();
        let work = Work::beside(taking.brain, "snapshot")?;
        let head = watch.unless_cancelled(self.newest()).await?;
        let memo = {
            let path = self.known.memo(self.store.name(), &self.agent);
            blocking(move || Ok(Memo::read(&path))).await?
        };
        let is_believed = taking.reading == Reading::Changed;
        if is_believed
            && let (Some((head, digest)), Some(memo)) = (&head, &memo)
            && head.key == taking.signer.public()
            && self.is_as_packed(taking.brain, *digest, memo).await?
        {
            self.remember(head, *digest, memo.root)?;
            return Ok(Taken::Unchanged { number: head.number });
        }
        let staged = {
            let (agent, layout, settle) = (self.agent.clone(), self.layout, self.settle.clone());
            let (brain, folder) = (taking.brain.to_owned(), work.join("brain"));
            blocking(move || stage(&agent, &brain, &layout, folder, settle.as_ref())).await?
        };
        if staged.signer != taking.signer.public() {
            let (expected, found) = (staged.signer, taking.signer.public());
            return Err(SnapshotError::OtherSigner { expected, found });
        }
        if let Some((head, digest)) = &head {
            let extends = begins_with(&staged.folder.join(RECEIPTS_FILE), head.receipts)?;
            if taking.history == History::Extends && !extends {
                return Err(SnapshotError::Behind { number: head.number });
            }
            if is_same(head, &staged, &self.layout)? {
                self.remember(head, *digest, staged.root)?;
                let pages = memo.map(|memo| memo.pages).unwrap_or_default();
                self.note(taking.brain, head, *digest, staged, pages).await?;
                return Ok(Taken::Unchanged { number: head.number });
            }
        }
        let number = head.as_ref().map_or(1, |(head, _)| head.number + 1);
        let previous = head.as_ref().map(|(_, digest)| *digest);
        let (before, memo) = (head.map(|(head, _)| head), memo.filter(|_| is_believed));
        let (cut, objects, bytes) = self.upload(&staged, number, before, memo, watch).await?;

        let manifest = Manifest {
            schema: SCHEMA.to_owned(),
            agent: self.agent.clone(),
            number,
            at: taking.at,
            previous,
            state: staged.state,
            tables: staged.tables.clone(),
            receipts: staged.receipts,
            packs: cut.packs,
            members: cut.members,
            key: staged.signer,
            signer: taking.with_signer.then(|| Signer::of(taking.signer)),
        };
        // What a restore would refuse is not packed.
        let refused = |why| SnapshotError::damaged(taking.brain.display().to_string(), why);
        manifest.check(&self.layout).map_err(refused)?;
        let sealed = manifest.seal(taking.signer, &self.key)?;
        let digest = Digest::of(&sealed);
        if started.elapsed() > MAX_TAKING {
            return Err(SnapshotError::TooSlow { hours: MAX_TAKING.as_secs() / 3600 });
        }
        let size = sealed.len() as u64;
        watch.unless_cancelled(self.commit(number, sealed)).await?;
        self.remember(&manifest, digest, staged.root)?;
        let taken = Taken::New {
            number,
            version: manifest.state.version,
            manifest: digest,
            objects: objects + 1,
            bytes: bytes + size,
            reused: cut.reused,
            is_settled: staged.is_settled,
        };
        self.note(taking.brain, &manifest, digest, staged, cut.pages).await?;
        Ok(taken)
    }

    /// Takes the number, or finds out who has it.
    async fn commit(&self, number: u64, sealed: Vec<u8>) -> Result<(), SnapshotError> {
        let path = self.manifest_path(number);
        match self.store.create(&path, sealed.clone().into()).await? {
            Created::New => Ok(()),
            // Ours, when only the answer was lost.
            Created::Taken => match self.store.get(&path, MAX_MANIFEST_BYTES).await? {
                Some(found) if found == sealed => Ok(()),
                _ => Err(SnapshotError::Lost { number }),
            },
        }
    }

    fn remember(
        &self,
        manifest: &Manifest,
        digest: Digest,
        root: PublicKey,
    ) -> Result<(), SnapshotError> {
        let head = Head {
            number: manifest.number,
            manifest: digest,
            receipts: manifest.receipts,
            version: manifest.state.version,
            key: Some(root),
        };
        self.known.remember(self.store.name(), &self.agent, head)
    }

    /// Whether the system says of every file of a brain what it said when a snapshot was taken of it.
    async fn is_as_packed(
        &self,
        brain: &Path,
        manifest: Digest,
        memo: &Memo,
    ) -> Result<bool, SnapshotError> {
        if memo.manifest != manifest {
            return Ok(false);
        }
        let (brain, layout) = (brain.to_owned(), self.layout);
        let found =
            blocking(move || Ok(members(&brain, &layout, Records::List, &mut Anew)?.1)).await;
        // What cannot be listed now, the copy tells, or gets past.
        Ok(found.is_ok_and(|found| stamps(&found) == memo.stamps))
    }

    /// Remembers what the system says about a brain that is in a snapshot now. A snapshot whose memo cannot
    /// be written is as good; only the next one reads more.
    async fn note(
        &self,
        brain: &Path,
        manifest: &Manifest,
        digest: Digest,
        staged: Staged,
        pages: Pages,
    ) -> Result<(), SnapshotError> {
        let path = self.known.memo(self.store.name(), &self.agent);
        let (brain, now) = (brain.to_owned(), now());
        let (root, mut stamps, unsettled) = (staged.root, staged.stamps, staged.unsettled);
        // Members are in the order of their paths.
        let member = |(path, stamp): (String, Stamp)| {
            let at = manifest.members.binary_search_by(|member| member.path.cmp(&path)).ok()?;
            Some((manifest.members[at].clone(), stamp))
        };
        let unsettled: Vec<(Member, Stamp)> = unsettled.into_iter().filter_map(member).collect();
        blocking(move || {
            for (member, stamp) in unsettled {
                if is_still(&brain, &member, &stamp, now) {
                    stamps.insert(member.path, stamp);
                }
            }
            let _ = Memo { manifest: digest, root, stamps, pages }.write(&path);
            Ok(())
        })
        .await
    }

    /// Cuts a copy of a brain and puts the packs into the store as they fill. Gives their number and
    /// bytes as well.
    async fn upload(
        &self,
        staged: &Staged,
        number: u64,
        head: Option<Manifest>,
        memo: Option<Memo>,
        watch: &Watch<'_>,
    ) -> Result<(Cut, u64, u64), SnapshotError> {
        let total = staged.files.iter().map(|(_, bytes, _)| bytes).sum();
        let done = Arc::new(AtomicU64::new(0));
        let cutter = Cutter {
            agent: self.agent.clone(),
            number,
            version: staged.state.version,
            key: self.key.clone(),
            folder: staged.folder.clone(),
            files: staged.files.clone(),
            database: self.layout.database,
            head,
            known: memo.map(|memo| memo.pages).unwrap_or_default(),
            done: Arc::clone(&done),
        };
        let (send, receive) = mpsc::channel(1);
        let cut = blocking(move || cutter.run(send));
        let packs = stream::unfold(receive, async |mut receive| {
            receive.recv().await.map(|pack| (pack, receive))
        });
        let uploaded = packs
            .map(async |(name, bytes): (Digest, Vec<u8>)| {
                let size = bytes.len() as u64;
                self.store.put(&self.pack_path(name), bytes.into()).await.map(|()| size)
            })
            .buffer_unordered(MAX_AT_ONCE)
            .try_fold((0, 0), async |(objects, bytes), size| {
                (watch.progress)(Progress { done: done.load(Ordering::Relaxed), total });
                Ok((objects + 1, bytes + size))
            });
        // Both ends are waited for: a failed upload stops the cutter, which still reads the copy.
        let (cut, uploaded) = tokio::join!(cut, watch.unless_cancelled(uploaded));
        let (objects, bytes) = uploaded?;
        Ok((cut?, objects, bytes))
    }
}

/// Whether a file that had just been changed when it was packed is what was packed, and has times by now that
/// tell any later change.
fn is_still(brain: &Path, member: &Member, stamp: &Stamp, now: Duration) -> bool {
    if !stamp.is_settled(now) {
        return false;
    }
    let mut digests = Vec::new();
    let read = each_chunk(&brain.join(&member.path), |bytes| {
        digests.push(Digest::of(bytes));
        Ok(())
    });
    read.is_ok()
        && member.chunks.iter().map(|chunk| chunk.3).eq(digests)
        && Stamp::at(&brain.join(&member.path)).is_ok_and(|found| found == *stamp)
}

/// Whether a copy has the state of a snapshot, and the same files apart from it.
fn is_same(head: &Manifest, staged: &Staged, layout: &Layout) -> Result<bool, SnapshotError> {
    if head.state != staged.state || head.receipts != staged.receipts {
        return Ok(false);
    }
    let apart = |path: &str| layout.is_apart(path);
    let old = head.members.iter().filter(|member| apart(&member.path));
    let new = staged.files.iter().filter(|(path, _, _)| apart(path));
    if !old.clone().map(|member| &member.path).eq(new.map(|(path, _, _)| path)) {
        return Ok(false);
    }
    for member in old {
        let mut digests = Vec::new();
        each_chunk(&staged.folder.join(&member.path), |bytes| {
            digests.push(Digest::of(bytes));
            Ok(())
        })?;
        if !member.chunks.iter().map(|chunk| chunk.3).eq(digests) {
            return Ok(false);
        }
    }
    Ok(true)
}
