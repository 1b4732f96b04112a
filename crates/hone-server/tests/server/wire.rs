//! A client that writes and reads the lines of the protocol itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hone_agent::tools::skills::Shelf;
use hone_guard::policy::Policy;
use hone_library::{Author, Config, Root, Search, State, Surroundings};
use hone_server::http::limits::Rate;
use hone_server::{Access, Door, Lessons, Offer, Seeker};
use rmcp::ServiceExt as _;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf,
};

/// The two ways to talk to a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// A handshake, then a session.
    Sessions,
    /// Every request says who asks.
    Stateless,
}

/// A library in a temporary folder.
pub(crate) struct Library {
    _folder: TempDir,
    pub(crate) root: PathBuf,
    pub(crate) home: PathBuf,
}

pub(crate) fn skill_text(name: &str) -> String {
    format!(
        "---\nname: {name}\ndescription: About {name}. Use when {name} is near.\n---\nDo {name}.\n"
    )
}

impl Library {
    pub(crate) fn new(skills: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let library = Self { _folder: folder, root: base.join("skills"), home: base.join("hone") };
        std::fs::create_dir(&library.root).unwrap();
        std::fs::create_dir(&library.home).unwrap();
        for name in skills {
            library.write(&format!("{name}/SKILL.md"), skill_text(name));
        }
        library
    }

    /// Writes a file below the root.
    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        // In one step: a file that is emptied and then filled changes twice, and both may be heard of.
        let whole = self.root.with_extension("writing");
        std::fs::write(&whole, content).unwrap();
        std::fs::rename(whole, path).unwrap();
    }

    /// What a server offers of it.
    pub(crate) fn offer(&self, read_only: bool) -> Arc<Offer> {
        self.paced(read_only, None)
    }

    /// The same, changed no more often than that.
    pub(crate) fn paced(&self, read_only: bool, pace: Option<Rate>) -> Arc<Offer> {
        let around = Surroundings {
            cwd: self.root.clone(),
            user_home: self.root.parent().unwrap().to_owned(),
            hone_home: self.home.clone(),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        };
        let root = Root::explicit(&self.root, Path::new("/")).unwrap();
        let search = Search::only(vec![root], &around, &Config::default());
        let author = Author { actor: "test".to_owned(), reason: String::new(), now: 0 };
        let (state, own) = (State::open(&self.home), self.root.clone());
        let shelf =
            Shelf::new(state, search.clone(), own, author, Policy::default(), Arc::new(|| 1));
        let shelf = shelf.live(move || search.clone());
        let seeker = Arc::new(Seeker::new(&self.home));
        let access =
            if read_only { Access::Read } else { Access::Write(Box::new(self.lessons(around))) };
        let state = State::open(&self.home);
        Offer::new(Arc::new(shelf), seeker, state, Arc::new(|| 1), access, pace)
    }

    fn lessons(&self, around: Surroundings) -> Lessons {
        Lessons {
            hone_home: self.home.clone(),
            own: self.root.clone(),
            agent: None,
            policy: Policy::default(),
            user_home: around.user_home.clone(),
            sessions: Some(around),
        }
    }
}

/// A client.
pub(crate) struct Wire {
    era: Era,
    to: WriteHalf<DuplexStream>,
    from: tokio::io::Lines<BufReader<ReadHalf<DuplexStream>>>,
    asked: u64,
    /// Notifications that came while an answer was waited for.
    noted: Vec<Value>,
}

impl Wire {
    /// A client of an offer, ready to ask.
    pub(crate) async fn connect(offer: &Arc<Offer>, era: Era) -> Self {
        let (here, there) = tokio::io::duplex(1 << 20);
        let door = Door::new(Arc::clone(offer));
        tokio::spawn(async move { door.serve(there).await.unwrap().waiting().await.unwrap() });
        let (from, to) = tokio::io::split(here);
        let from = BufReader::new(from).lines();
        let mut wire = Self { era, to, from, asked: 0, noted: Vec::new() };
        if era == Era::Sessions {
            let me = json!({"name": "test", "version": "1"});
            let hello = json!({
                "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": me,
            });
            let answer = wire.ask("initialize", hello).await.unwrap();
            assert_eq!(answer["protocolVersion"], "2025-11-25");
            wire.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await;
        }
        wire
    }

    async fn send(&mut self, message: &Value) {
        self.to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        serde_json::from_str(&self.from.next_line().await.unwrap().unwrap()).unwrap()
    }

    /// Sends a request and gives its number.
    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        self.asked += 1;
        if self.era == Era::Stateless {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
                "io.modelcontextprotocol/clientCapabilities": {},
            });
        }
        let id = self.asked;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    /// The result of a request, or its error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.begin(method, params).await;
        loop {
            let mut message = self.next().await;
            if message["id"] != id {
                self.noted.push(message);
                continue;
            }
            return match message["result"].take() {
                Value::Null => Err(message["error"].take()),
                result => Ok(result),
            };
        }
    }

    /// The next message that is no answer.
    pub(crate) async fn notification(&mut self) -> Value {
        if self.noted.is_empty() { self.next().await } else { self.noted.remove(0) }
    }
}
