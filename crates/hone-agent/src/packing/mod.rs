//! Where the brain of an agent is packed to, and how it comes back by its name alone.
//!
//! Store and key come from what was asked for, else from the environment, else from the configuration. So
//! a machine that has nothing but these two brings an agent back with one command, and may be thrown
//! away after it. The formats are those of [`crate::lineage::snapshot`].

mod packer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use hone_library::SnapshotSettings;
use zeroize::Zeroizing;

pub use packer::{Packed, Packer, Tell};

pub use crate::brain::SignerFrom;
use crate::brain::{Brain, BrainError, LAYOUT};
use crate::lineage::snapshot::{
    History, Known, Manifest, Reading, Restored, Restoring, Secret, Signer, SnapshotError,
    Snapshots, Store, Taken, Taking, Watch, Which,
};
use crate::lineage::{PublicKey, Receipt, SigningKey};

/// The variable that names the store.
pub const STORE_VARIABLE: &str = "HONE_SNAPSHOT_STORE";
/// The variable that names the file with the key.
pub const KEY_FILE_VARIABLE: &str = "HONE_SNAPSHOT_KEY_FILE";
/// The variable that holds a passphrase in place of a key file.
pub const PASSPHRASE_VARIABLE: &str = "HONE_SNAPSHOT_PASSPHRASE";
/// Snapshots that are listed, the newest ones.
pub const MAX_SHOWN: usize = 100;
/// Manifests that are read at once for a list.
const MAX_AT_ONCE: usize = 4;

/// What a depot is found by.
#[derive(Clone)]
pub struct Around {
    /// Where the brains are.
    pub hone_home: PathBuf,
    /// What `~` stands for.
    pub user_home: PathBuf,
    /// What a path on the command line is below.
    pub cwd: PathBuf,
    /// `[snapshots]`.
    pub settings: SnapshotSettings,
    /// The variables of the environment: store, key, and what a store wants to know.
    pub variables: BTreeMap<String, String>,
}

impl std::fmt::Debug for Around {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Variables hold secrets.
        f.debug_struct("Around").field("hone_home", &self.hone_home).finish_non_exhaustive()
    }
}

/// What was asked for, which counts more than environment and configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// A store: a folder or a URL.
    pub store: Option<String>,
    /// The file with the key.
    pub key_file: Option<PathBuf>,
}

impl Around {
    fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    fn path(&self, path: &Path) -> PathBuf {
        match path.strip_prefix("~") {
            Ok(below) => self.user_home.join(below),
            Err(_) => hone_library::normal(&self.cwd.join(path)),
        }
    }

    /// The URL of an agent's store; none when nobody named one.
    pub fn store(&self, agent: &str, asked: &Asked) -> Option<String> {
        let named = asked.store.as_deref().or_else(|| self.variable(STORE_VARIABLE));
        let named = named.or_else(|| self.settings.store_of(agent))?;
        if named.contains("://") {
            return Some(named.to_owned());
        }
        let folder = self.path(Path::new(named));
        let url = url::Url::from_directory_path(&folder);
        Some(url.map_or_else(|()| named.to_owned(), String::from))
    }

    /// What seals an agent's snapshots; none when nobody gave it.
    fn secret(&self, agent: &str, asked: &Asked) -> Result<Option<Secret>, SnapshotError> {
        let read = |path: &Path| Secret::read(&self.path(path)).map(Some);
        if let Some(path) = &asked.key_file {
            return read(path);
        }
        if let Some(path) = self.variable(KEY_FILE_VARIABLE) {
            return read(Path::new(path));
        }
        if let Some(passphrase) = self.variable(PASSPHRASE_VARIABLE) {
            return Secret::passphrase(Zeroizing::new(passphrase.to_owned())).map(Some);
        }
        self.settings.key_file_of(agent).map_or(Ok(None), read)
    }

    /// How far the newest snapshot of an agent is behind what was signed of it; nothing when it is not, and
    /// when there is no store. Nobody but this machine is asked.
    pub fn lag(&self, brain: &Brain, asked: &Asked) -> Option<Lag> {
        let store = self.store(&brain.id, asked)?;
        let last = brain.last_receipt().ok().flatten()?;
        self.behind(brain, &store, &last)
    }

    fn behind(&self, brain: &Brain, store: &str, receipt: &Receipt) -> Option<Lag> {
        let store = Store::name_of(store);
        let packed = self.known().head(&store, &brain.id).ok().flatten();
        let packed = packed.map(|head| head.version);
        let version = receipt.after.version;
        (packed != Some(version)).then_some(Lag { store, version, packed })
    }

    /// The heads that are known on this machine.
    fn known(&self) -> Known {
        known(&self.hone_home)
    }
}

/// The heads that are known on a machine.
pub(crate) fn known(hone_home: &Path) -> Known {
    Known::at(&hone_home.join("snapshots.json"))
}

/// A snapshot that is behind its agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lag {
    /// The store's name.
    pub store: String,
    /// The version that was signed last.
    pub version: u64,
    /// The version of the newest snapshot that is known here; none when none is.
    pub packed: Option<u64>,
}

/// The place of one agent's snapshots, with what opens them.
#[derive(Debug)]
pub struct Depot {
    agent: String,
    hone_home: PathBuf,
    store: Store,
    secret: Secret,
    known: Known,
    with_signer: bool,
    reading: Reading,
}

/// An agent that came back.
#[derive(Debug)]
pub struct Returned {
    /// What came back.
    pub restored: Restored,
    /// Where it is.
    pub brain: Brain,
    /// Where the key that signs came from.
    pub signer: SignerFrom,
    /// The receipt that says that it came back, when it could be signed.
    pub receipt: Option<Receipt>,
}

/// What a restore is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Point {
    /// The newest snapshot.
    Newest,
    /// The snapshot with this number.
    Number(u64),
    /// The newest snapshot of this version of the brain.
    Version(u64),
}

impl Depot {
    /// The place of an agent's snapshots. Without a store or a key there is none.
    pub fn find(around: &Around, agent: &str, asked: &Asked) -> Result<Self, SnapshotError> {
        let url = around.store(agent, asked);
        let url = url.ok_or_else(|| SnapshotError::NoStore { agent: agent.to_owned() })?;
        let secret = around.secret(agent, asked)?.ok_or(SnapshotError::NoKey)?;
        let store = Store::open(&url, around.variables.clone())?;
        Ok(Self {
            agent: agent.to_owned(),
            hone_home: around.hone_home.clone(),
            store,
            secret,
            known: around.known(),
            with_signer: around.settings.signing_key,
            reading: Reading::default(),
        })
    }

    /// The same, with so much of a brain read when it is packed.
    #[must_use]
    pub fn reading(self, reading: Reading) -> Self {
        Self { reading, ..self }
    }

    /// The store's name.
    pub fn store(&self) -> &str {
        self.store.name()
    }

    /// The snapshots of the agent.
    pub async fn snapshots(&self) -> Result<Snapshots<'_>, SnapshotError> {
        Snapshots::open(&self.store, Some(&self.secret), &self.known, &self.agent, &LAYOUT).await
    }

    /// Packs the agent's brain, while tasks may go on: as it was before the one under way.
    pub async fn take(
        &self,
        brain: &Brain,
        history: History,
        at: u64,
        watch: &Watch<'_>,
    ) -> Result<Taken, SnapshotError> {
        if brain.last_receipt().is_ok_and(|last| last.is_none()) {
            return Err(SnapshotError::NoReceipts { path: brain.folder.clone() });
        }
        let signer = SigningKey::read(&brain.key_file())?;
        let copied = brain.clone();
        let settle = move |copy: &Path| copied.settle_copy(copy).map_err(|error| error.to_string());
        let snapshots = self.snapshots().await?.settling(Arc::new(settle));
        let (with_signer, reading) = (self.with_signer, self.reading);
        let taking =
            Taking { brain: &brain.folder, signer: &signer, at, history, with_signer, reading };
        snapshots.take(&taking, watch).await
    }

    /// The newest snapshots, oldest first, and how many older ones there are.
    pub async fn list(&self) -> Result<(Vec<Manifest>, usize), SnapshotError> {
        let snapshots = self.snapshots().await?;
        let mut numbers = snapshots.numbers().await?;
        let older = numbers.len().saturating_sub(MAX_SHOWN);
        let manifests = stream::iter(numbers.drain(older..))
            .map(async |number| snapshots.manifest(number).await.map(|(manifest, _)| manifest))
            .buffered(MAX_AT_ONCE)
            .try_collect()
            .await?;
        Ok((manifests, older))
    }

    /// Brings the agent back, where nothing of that name is. The whole brain appears, or nothing does.
    pub async fn restore(
        &self,
        point: Point,
        key: Option<PublicKey>,
        at: u64,
        watch: &Watch<'_>,
    ) -> Result<Returned, BrainError> {
        let brain = Brain::named(&self.hone_home, &self.agent)?;
        let from = Arc::new(Mutex::new(SignerFrom::Nowhere));
        let keep = {
            let (brain, from) = (brain.clone(), Arc::clone(&from));
            move |wanted: PublicKey, packed: Option<&Signer>| {
                let packed = packed.map(Signer::key);
                let kept = brain.take_key(wanted, packed.as_ref())?;
                *from.lock().unwrap_or_else(PoisonError::into_inner) = kept;
                Ok(())
            }
        };
        let snapshots = self.snapshots().await?.keeping(Arc::new(keep));
        let which = match point {
            Point::Newest => Which::Newest,
            Point::Number(number) => Which::Exactly(number),
            Point::Version(version) => Which::Exactly(self.of_version(&snapshots, version).await?),
        };
        let restoring = Restoring { target: &brain.folder, which, key };
        let restored = snapshots.restore(&restoring, watch).await?;
        let signer = *from.lock().unwrap_or_else(PoisonError::into_inner);
        // What a task under way had done, the next task settles.
        let receipt = if restored.is_settled && signer != SignerFrom::Nowhere {
            let key = brain.signing_key()?;
            Some(brain.lineage()?.restored(at, &key)?.clone())
        } else {
            None
        };
        Ok(Returned { restored, brain, signer, receipt })
    }

    /// The number of the newest snapshot of a version.
    async fn of_version(
        &self,
        snapshots: &Snapshots<'_>,
        version: u64,
    ) -> Result<u64, SnapshotError> {
        for number in snapshots.numbers().await?.into_iter().rev() {
            let (manifest, _) = snapshots.manifest(number).await?;
            if manifest.state.version == version {
                return Ok(number);
            }
        }
        Err(SnapshotError::NoVersion { agent: self.agent.clone(), version })
    }
}
