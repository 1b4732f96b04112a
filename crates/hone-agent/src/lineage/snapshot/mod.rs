//! How a brain is packed up and comes back.
//!
//! The snapshots of an agent lie in a [`Store`] under `agents/<agent>/`: numbered manifests in
//! `snapshots/`, packs of sealed chunks in `objects/`. The newest manifest has the highest number, and a
//! number is taken by creating its object if it is absent, which every store can do: of two that want the
//! same number one wins, and what was slower and older finds its number taken. Nothing a store can do
//! makes it show more than sizes and times, or makes a restore give anything but what was packed.
//!
//! Removal and taking do not know of each other. They are safe together because chunks are shared with
//! the newest manifest only, which is always kept, because nothing younger than [`GRACE`] is removed, and
//! because a snapshot that took longer than [`MAX_TAKING`] is given up. The formats are written down in
//! `docs/src/snapshots.md`.

mod cut;
mod error;
#[cfg(test)]
mod hostile;
mod known;
mod manifest;
mod memo;
mod open;
mod prune;
mod restore;
mod seal;
mod stage;
mod store;
mod take;
mod work;

pub use error::SnapshotError;
pub use known::{Head, Known};
pub use manifest::{
    CHUNK_BYTES, Chunk, MAX_BRAIN_BYTES, MAX_MANIFEST_BYTES, MAX_MEMBERS, MAX_PACK_BYTES,
    MAX_PATH_BYTES, Manifest, Member, PAGE_BYTES, Pack, ReceiptsMark, SCHEMA, Signer,
};
pub use prune::{GRACE, Pruned};
pub use restore::{Restored, Restoring, Trust, Which};
pub use seal::{
    MAX_MEMORY_KIB, MAX_PASSES, MIN_MEMORY_KIB, MIN_PASSES, MIN_PASSPHRASE_BYTES, Secret,
};
pub use store::{MAX_LISTED, Retry, Store};
pub use take::{History, MAX_TAKING, Reading, Taken, Taking};

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::Path;
use std::sync::Arc;

use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

use super::digest::{Digest, to_hex};
use super::keys::PublicKey;
use super::state::Layout;
use seal::{AgentKey, Derivation};
use store::Created;

use crate::canonical::canonical;

/// Requests that are under way at once.
const MAX_AT_ONCE: usize = 4;
/// Bytes of an agent's name at most.
const MAX_AGENT_BYTES: usize = 64;
/// Bytes of a description of how a passphrase becomes a key at most.
const MAX_DERIVATION_BYTES: u64 = 4096;

/// How far something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that are done.
    pub done: u64,
    /// Bytes in all.
    pub total: u64,
}

/// Who watches, and may stop it.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Asked to stop?
    pub cancelled: &'a CancellationToken,
    /// Told how far it is.
    pub progress: &'a (dyn Fn(Progress) + Sync),
}

impl Watch<'_> {
    /// Does something unless, and until, it is asked to stop.
    async fn unless_cancelled<T>(
        &self,
        work: impl Future<Output = Result<T, SnapshotError>>,
    ) -> Result<T, SnapshotError> {
        tokio::select! {
            biased;
            () = self.cancelled.cancelled() => Err(SnapshotError::Cancelled),
            done = work => done,
        }
    }
}

/// Takes out of a copy of a brain what is not decided yet, before it is packed. Gives the paths in it that
/// are others than before, or why it cannot.
pub type Settle = Arc<dyn Fn(&Path) -> Result<Vec<String>, String> + Send + Sync>;

/// Keeps the key that signs for a brain that is about to appear, given its public half and, where it was sealed
/// with the rest, its private one.
pub type Keep = Arc<dyn Fn(PublicKey, Option<&Signer>) -> Result<(), SnapshotError> + Send + Sync>;

/// The snapshots of one agent in a store.
pub struct Snapshots<'a> {
    store: &'a Store,
    known: &'a Known,
    agent: String,
    layout: Layout,
    key: AgentKey,
    settle: Option<Settle>,
    keep: Option<Keep>,
}

impl<'a> Snapshots<'a> {
    /// Those of an agent, to be read or taken. Without a secret there is nothing to be had.
    ///
    /// For a passphrase, what turns it into a key is read from the store, and made there when the agent
    /// has no snapshot yet.
    pub async fn open(
        store: &'a Store,
        secret: Option<&Secret>,
        known: &'a Known,
        agent: &str,
        layout: &Layout,
    ) -> Result<Self, SnapshotError> {
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if agent.is_empty()
            || agent.len() > MAX_AGENT_BYTES
            || agent.starts_with('.')
            || !agent.bytes().all(is_name)
        {
            return Err(SnapshotError::Agent(agent.to_owned()));
        }
        let key = match secret.ok_or(SnapshotError::NoKey)? {
            Secret::Key(master) => AgentKey::derive(master, agent)?,
            Secret::Passphrase(passphrase) => {
                let derivation = derivation(store, agent).await?;
                let passphrase = passphrase.clone();
                let master = blocking(move || derivation.key(&passphrase)).await?;
                AgentKey::derive(&master, agent)?
            }
        };
        let agent = agent.to_owned();
        Ok(Self { store, known, agent, layout: *layout, key, settle: None, keep: None })
    }

    /// The same, with copies of the brain settled before they are packed.
    #[must_use]
    pub fn settling(self, settle: Settle) -> Self {
        Self { settle: Some(settle), ..self }
    }

    /// The same, with the key that signs kept before a brain appears.
    #[must_use]
    pub fn keeping(self, keep: Keep) -> Self {
        Self { keep: Some(keep), ..self }
    }

    fn manifest_path(&self, number: u64) -> String {
        format!("agents/{}/snapshots/{number:012}", self.agent)
    }

    fn pack_path(&self, name: Digest) -> String {
        format!("agents/{}/objects/{}", self.agent, to_hex(&name.0))
    }

    /// The numbers of the snapshots that are there, in order.
    pub async fn numbers(&self) -> Result<Vec<u64>, SnapshotError> {
        let mut numbers: Vec<u64> = self.dated().await?.into_keys().collect();
        numbers.sort_unstable();
        Ok(numbers)
    }

    /// The numbers of the snapshots, with the time the store says, in milliseconds since 1970.
    async fn dated(&self) -> Result<BTreeMap<u64, i64>, SnapshotError> {
        let found = self.store.list(&format!("agents/{}/snapshots", self.agent)).await?;
        let number = |name: &str| -> Option<u64> {
            let is_number = name.len() == 12 && name.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| name.parse().ok())?.filter(|number| *number > 0)
        };
        let dated = found.into_iter().filter_map(|(name, about)| {
            Some((number(&name)?, about.last_modified.timestamp_millis()))
        });
        Ok(dated.collect())
    }

    /// A snapshot's manifest, opened and checked, with its digest.
    pub async fn manifest(&self, number: u64) -> Result<(Manifest, Digest), SnapshotError> {
        let path = self.manifest_path(number);
        let Some(sealed) = self.store.get(&path, MAX_MANIFEST_BYTES).await? else {
            let agent = self.agent.clone();
            return Err(SnapshotError::Missing { agent, number: Some(number) });
        };
        let (agent, key, layout) = (self.agent.clone(), self.key.clone(), self.layout);
        blocking(move || {
            let manifest = Manifest::open(&sealed, &agent, number, &path, &key, &layout)?;
            Ok((manifest, Digest::of(&sealed)))
        })
        .await
    }

    /// The newest snapshot, which must not be older than, nor another than, the one that is known here.
    pub async fn newest(&self) -> Result<Option<(Manifest, Digest)>, SnapshotError> {
        let known = self.known.head(self.store.name(), &self.agent)?;
        let found = self.numbers().await?.pop();
        if let Some(known) = &known
            && found.unwrap_or(0) < known.number
        {
            return Err(SnapshotError::Older { known: known.number, found: found.unwrap_or(0) });
        }
        let Some(number) = found else { return Ok(None) };
        let (manifest, digest) = self.manifest(number).await?;
        if known.is_some_and(|known| known.number == number && known.manifest != digest) {
            let why = "it is not the manifest that was seen before".to_owned();
            return Err(SnapshotError::Forked { number, why });
        }
        Ok(Some((manifest, digest)))
    }

    /// One file as it is in a snapshot; nothing when it is not there.
    pub async fn read(
        &self,
        manifest: &Manifest,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let Some(member) = manifest.members.iter().find(|member| member.path == path) else {
            return Ok(None);
        };
        if member.bytes > most {
            return Err(SnapshotError::TooLarge { what: format!("`{path}`"), most });
        }
        let mut whole = Vec::new();
        let mut packs: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
        let mut opener = open::Opener::new(&self.agent, &self.key)?;
        for (at, chunk) in member.chunks.iter().enumerate() {
            for part in chunk.parts() {
                if let Entry::Vacant(place) = packs.entry(part.0) {
                    place.insert(self.pack(&manifest.packs[part.0 as usize]).await?);
                }
            }
            let mut plain =
                opener.whole(manifest, member, at, &packs[&chunk.whole().0])?.to_owned();
            if chunk.5.is_some() {
                opener.patch(manifest, member, at, &packs[&chunk.0], &mut plain)?;
            }
            whole.append(&mut plain);
        }
        Ok(Some(whole))
    }

    /// A pack, whole and with the content that its name says.
    async fn pack(&self, pack: &Pack) -> Result<Vec<u8>, SnapshotError> {
        let (path, bytes) = self.packed(pack).await?;
        is_named(pack, &path, &bytes)?;
        Ok(bytes)
    }

    /// What lies where a pack should lie, and where that is.
    async fn packed(&self, pack: &Pack) -> Result<(String, Vec<u8>), SnapshotError> {
        let path = self.pack_path(pack.name);
        let gone = || SnapshotError::damaged(&path, "it is gone");
        let bytes = self.store.get(&path, pack.bytes).await?.ok_or_else(gone)?;
        Ok((path, bytes))
    }
}

/// Whether bytes are those of a pack.
fn is_named(pack: &Pack, path: &str, bytes: &[u8]) -> Result<(), SnapshotError> {
    if bytes.len() as u64 != pack.bytes || Digest::of(bytes) != pack.name {
        return Err(SnapshotError::damaged(path, "its bytes are not those its name says"));
    }
    Ok(())
}

/// How an agent's passphrase becomes a key.
async fn derivation(store: &Store, agent: &str) -> Result<Derivation, SnapshotError> {
    let path = format!("agents/{agent}/key.json");
    let parse = |text: Vec<u8>| -> Result<Derivation, SnapshotError> {
        serde_json::from_slice(&text)
            .map_err(|error| SnapshotError::damaged(&path, error.to_string()))
    };
    if let Some(text) = store.get(&path, MAX_DERIVATION_BYTES).await? {
        return parse(text);
    }
    if !store.list(&format!("agents/{agent}/snapshots")).await?.is_empty() {
        return Err(SnapshotError::WrongKey { path: format!("agents/{agent}") });
    }
    let new = Derivation::new()?;
    match store.create(&path, canonical(&new).into()).await? {
        Created::New => Ok(new),
        // Somebody else was faster, or our answer was lost: what lies there counts.
        Created::Taken => {
            let gone = || SnapshotError::damaged(&path, "it is gone");
            parse(store.get(&path, MAX_DERIVATION_BYTES).await?.ok_or_else(gone)?)
        }
    }
}

/// Does something that blocks, off the threads that must not.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, SnapshotError> + Send + 'static,
) -> Result<T, SnapshotError> {
    match spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        // The runtime is going down.
        Err(_) => Err(SnapshotError::Cancelled),
    }
}

/// A member that is not the same in two snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change<'a> {
    /// Not there before.
    Added(&'a str),
    /// There before, with other content.
    Changed(&'a str),
    /// There before, and no more.
    Removed(&'a str),
}

/// What is not the same in two snapshots: files by their path, tables by the database's name and theirs
/// in place of the database itself.
pub fn changes<'a>(
    old: Option<&'a Manifest>,
    new: &'a Manifest,
    layout: &Layout,
) -> Vec<Change<'a>> {
    let members = |manifest: &'a Manifest| -> BTreeMap<&'a str, Vec<Digest>> {
        let files = manifest.members.iter().filter(|member| member.path != layout.database);
        let digests = |member: &Member| member.chunks.iter().map(|chunk| chunk.3).collect();
        let files = files.map(|member| (member.path.as_str(), digests(member)));
        let tables = manifest.tables.iter().map(|(name, digest)| (name.as_str(), vec![*digest]));
        files.chain(tables).collect()
    };
    let (before, after) = (old.map(members).unwrap_or_default(), members(new));
    let mut changes: Vec<_> = after
        .iter()
        .filter_map(|(path, digests)| match before.get(path) {
            None => Some((*path, Change::Added(path))),
            Some(old) if old != digests => Some((*path, Change::Changed(path))),
            Some(_) => None,
        })
        .chain(
            before
                .keys()
                .filter(|path| !after.contains_key(*path))
                .map(|path| (*path, Change::Removed(path))),
        )
        .collect();
    changes.sort_unstable_by_key(|(path, _)| *path);
    changes.into_iter().map(|(_, change)| change).collect()
}
