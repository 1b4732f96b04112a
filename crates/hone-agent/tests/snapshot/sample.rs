//! A brain, a store and the keys that the tests share.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hone_agent::lineage::receipt::{Entry, Kind, State};
use hone_agent::lineage::snapshot::{
    History, Known, Reading, Restored, Restoring, Retry, Secret, SnapshotError, Snapshots, Store,
    Taken, Taking, Watch, Which,
};
use hone_agent::lineage::{Chain, Layout, Root, Rows, SigningKey, StateHash, Table, state};
use object_store::ObjectStore;
use rusqlite::Connection;
use tokio_util::sync::CancellationToken;

pub(crate) const AGENT: &str = "auditor";
pub(crate) const LAYOUT: Layout = Layout {
    files: &[("system.md", Root::Knowledge), ("MEMORY.md", Root::Knowledge)],
    folders: &[("skills", Root::Knowledge)],
    database: "memory.db",
    tables: &[
        Table {
            name: "facts",
            columns: &["key", "value"],
            key: &["key"],
            root: Root::Knowledge,
            rows: Rows::Keyed,
        },
        Table {
            name: "messages",
            columns: &["id", "text"],
            key: &["id"],
            root: Root::Activity,
            rows: Rows::Numbered,
        },
    ],
    records: &["transcripts"],
    apart: &["receipts.jsonl", "bundle.lock.json"],
    locks: &["task.lock"],
};

pub(crate) fn signer() -> SigningKey {
    SigningKey::from_seed(&[1; 32])
}

pub(crate) fn secret() -> Secret {
    Secret::Key(zeroize::Zeroizing::new([9; 32]))
}

/// A home with a brain in `agents/auditor`.
pub(crate) struct Home {
    pub(crate) folder: tempfile::TempDir,
}

impl Home {
    pub(crate) fn empty() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn new() -> Self {
        let home = Self::empty();
        let brain = home.brain();
        fs::create_dir_all(brain.join("skills/deep")).unwrap();
        home.write("system.md", "You audit.\n");
        home.write("skills/oracle.md", "---\nname: oracle\n---\nLook.\n");
        home.write("skills/deep/SKILL.md", "---\nname: deep\n---\nDig.\n");
        home.write("bundle.lock.json", "{\"version\":1}\n");
        let db = home.database();
        db.execute_batch(
            "PRAGMA journal_mode = WAL;
             CREATE TABLE facts(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
             CREATE TABLE messages(id INTEGER PRIMARY KEY, text TEXT);
             INSERT INTO facts VALUES ('oracle', 'use TWAP'), ('blob', x'00ff');",
        )
        .unwrap();
        home.add_messages(300);
        home.record(Kind::Created);
        home
    }

    pub(crate) fn brain(&self) -> PathBuf {
        self.folder.path().join("agents").join(AGENT)
    }

    pub(crate) fn known(&self) -> Known {
        Known::at(&self.folder.path().join("snapshots.json"))
    }

    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        fs::write(self.brain().join(path), text).unwrap();
    }

    pub(crate) fn database(&self) -> Connection {
        Connection::open(self.brain().join("memory.db")).unwrap()
    }

    /// Adds messages of about a kilobyte that do not pack well.
    pub(crate) fn add_messages(&self, count: u64) {
        let mut db = self.database();
        let work = db.transaction().unwrap();
        for _ in 0..count {
            work.execute("INSERT INTO messages(text) VALUES (hex(randomblob(500)))", []).unwrap();
        }
        work.commit().unwrap();
    }

    /// Changes one message of so many, all over the database.
    pub(crate) fn scatter(&self, of: u64, which: u64) {
        let change =
            format!("UPDATE messages SET text = hex(randomblob(500)) WHERE id % {of} = {which}");
        self.database().execute_batch(&change).unwrap();
    }

    pub(crate) fn state(&self) -> StateHash {
        state::state(&self.brain(), &LAYOUT).unwrap()
    }

    /// Appends a receipt about the state as it is now.
    pub(crate) fn record(&self, kind: Kind) -> State {
        record(&self.brain(), AGENT, kind, &signer())
    }

    /// A task that learns: one skill, one message, one receipt.
    pub(crate) fn learn(&self, name: &str) {
        self.write(&format!("skills/{name}.md"), format!("---\nname: {name}\n---\nDo {name}.\n"));
        self.add_messages(1);
        self.record(Kind::Outside);
    }

    pub(crate) async fn take(&self, store: &Store) -> Result<Taken, SnapshotError> {
        self.take_as(store, &secret(), History::Extends).await
    }

    pub(crate) async fn take_as(
        &self,
        store: &Store,
        secret: &Secret,
        history: History,
    ) -> Result<Taken, SnapshotError> {
        let known = self.known();
        let (brain, signer) = (self.brain(), signer());
        let snapshots = Snapshots::open(store, Some(secret), &known, AGENT, &LAYOUT).await?;
        let reading = Reading::Changed;
        let taking = Taking {
            brain: &brain,
            signer: &signer,
            at: 1_000,
            history,
            with_signer: true,
            reading,
        };
        snapshots.take(&taking, &watch(&CancellationToken::new())).await
    }

    pub(crate) async fn restore(&self, store: &Store) -> Result<Restored, SnapshotError> {
        self.restore_as(store, &secret(), AGENT, Which::Newest).await
    }

    pub(crate) async fn restore_as(
        &self,
        store: &Store,
        secret: &Secret,
        agent: &str,
        which: Which,
    ) -> Result<Restored, SnapshotError> {
        let known = self.known();
        let snapshots = Snapshots::open(store, Some(secret), &known, agent, &LAYOUT).await?;
        let restoring = Restoring { target: &self.brain(), which, key: Some(signer().public()) };
        snapshots.restore(&restoring, &watch(&CancellationToken::new())).await
    }

    /// Everything in the folder of brains but locks: nothing may be left beside a brain.
    pub(crate) fn beside(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir(self.folder.path().join("agents")) else {
            return Vec::new();
        };
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = names.filter(|name| !name.ends_with(".lock")).collect();
        names.sort();
        names
    }

    pub(crate) fn wipe(&self) {
        fs::remove_dir_all(self.brain()).unwrap();
    }
}

pub(crate) fn record(brain: &Path, agent: &str, kind: Kind, key: &SigningKey) -> State {
    let hash = state::state(brain, &LAYOUT).unwrap();
    let mut chain = Chain::open(&brain.join("receipts.jsonl")).unwrap();
    let before = chain.last().map(|last| last.after);
    let moved = before.is_some_and(|before| before.knowledge != hash.knowledge);
    let version = before.map_or(1, |before| before.version + u64::from(moved));
    let after = State { knowledge: hash.knowledge, activity: hash.activity, version };
    let entry = Entry { kind, at: 1, after, changes: Vec::new(), task: None, handover: None };
    chain.append(agent, entry, key).unwrap();
    after
}

pub(crate) fn watch(cancelled: &CancellationToken) -> Watch<'_> {
    Watch { cancelled, progress: &|_| {} }
}

/// A store in a folder.
pub(crate) fn folder_store(folder: &Path) -> Store {
    Store::open(&format!("file://{}", folder.display()), Vec::new()).unwrap()
}

/// A store over objects, that tries once.
pub(crate) fn once(objects: Arc<dyn ObjectStore>) -> Store {
    Store::over(objects, "test", Retry { tries: 1, pause: Duration::ZERO })
}

/// Every file below a folder, with its bytes.
pub(crate) fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}
