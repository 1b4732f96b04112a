//! The newest snapshot that this machine has seen of each agent, so that a store that was set back, or
//! that shows another history, is found out.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::super::digest::{Digest, to_hex};
use super::super::keys::PublicKey;
use super::error::SnapshotError;
use super::manifest::ReceiptsMark;
use super::stage::private_folder;

/// The format of the file.
const SCHEMA: &str = "hone/known-snapshots/1";
/// Bytes of the file at most.
const MAX_KNOWN_BYTES: u64 = 16 * 1024 * 1024;

/// What is known of the snapshots of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// The newest one.
    pub number: u64,
    /// The digest of its manifest, as it lies in the store.
    pub manifest: Digest,
    /// Its receipts.
    pub receipts: ReceiptsMark,
    /// The version of the brain in it.
    #[serde(default)]
    pub version: u64,
    /// The key that must have signed the first receipt, when it is known.
    pub key: Option<PublicKey>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Heads {
    schema: String,
    /// By the name of the store and the agent.
    stores: BTreeMap<String, BTreeMap<String, Head>>,
}

/// The file of heads that are known.
#[derive(Debug, Clone)]
pub struct Known {
    path: PathBuf,
}

impl Known {
    /// Heads in a file; it is made when there is something to write.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    fn read(&self) -> Result<Heads, SnapshotError> {
        let damaged = |why: String| SnapshotError::damaged(self.path.display().to_string(), why);
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Heads { schema: SCHEMA.to_owned(), stores: BTreeMap::new() });
            }
            Ok(about) if about.len() > MAX_KNOWN_BYTES => {
                return Err(damaged(format!("it is larger than {MAX_KNOWN_BYTES} bytes")));
            }
            _ => {}
        }
        let text = fs::read(&self.path).map_err(SnapshotError::io(&self.path))?;
        let heads: Heads =
            serde_json::from_slice(&text).map_err(|error| damaged(error.to_string()))?;
        if heads.schema != SCHEMA {
            return Err(damaged(format!("`schema` is not `{SCHEMA}`")));
        }
        Ok(heads)
    }

    /// What is known of an agent in a store.
    pub fn head(&self, store: &str, agent: &str) -> Result<Option<Head>, SnapshotError> {
        Ok(self.read()?.stores.get(store).and_then(|agents| agents.get(agent)).cloned())
    }

    /// What is known of an agent in every store but one, by the names of the stores.
    pub(super) fn elsewhere(
        &self,
        store: &str,
        agent: &str,
    ) -> Result<Vec<(String, Head)>, SnapshotError> {
        let stores = self.read()?.stores.into_iter().filter(|(name, _)| name != store);
        Ok(stores.filter_map(|(name, mut agents)| Some((name, agents.remove(agent)?))).collect())
    }

    /// Where what this machine remembers of an agent's newest snapshot in a store is kept.
    pub(super) fn memo(&self, store: &str, agent: &str) -> PathBuf {
        self.memos(agent).join(to_hex(&Digest::of(store.as_bytes()).0))
    }

    fn memos(&self, agent: &str) -> PathBuf {
        self.path.with_extension("seen").join(agent)
    }

    /// Forgets what the pages and files of an agent were; which snapshot is its newest stays known.
    pub(crate) fn forget_memos(&self, agent: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.memos(agent)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// Remembers a head, unless a newer one is known. A key that is known stays known.
    pub(super) fn remember(
        &self,
        store: &str,
        agent: &str,
        mut head: Head,
    ) -> Result<(), SnapshotError> {
        let failed = || SnapshotError::io(&self.path);
        let around = self.path.parent().unwrap_or(Path::new("."));
        private_folder(around)?;
        let lock_path = self.path.with_extension("lock");
        let lock = fs::File::options().write(true).create(true).truncate(false).open(&lock_path);
        let lock = lock.map_err(SnapshotError::io(&lock_path))?;
        lock.lock().map_err(SnapshotError::io(&lock_path))?;
        let mut heads = self.read()?;
        let agents = heads.stores.entry(store.to_owned()).or_default();
        if let Some(known) = agents.get(agent) {
            head.key = known.key.or(head.key);
            if *known == head || known.number > head.number {
                return Ok(());
            }
        }
        agents.insert(agent.to_owned(), head);
        let mut file = tempfile::NamedTempFile::new_in(around).map_err(failed())?;
        let text = serde_json::to_vec_pretty(&heads).map_err(io::Error::other).map_err(failed())?;
        file.write_all(&text).and_then(|()| file.as_file().sync_all()).map_err(failed())?;
        file.persist(&self.path).map_err(|error| failed()(error.error))?;
        fs::File::open(around).and_then(|around| around.sync_all()).map_err(failed())
    }
}
