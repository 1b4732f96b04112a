//! What a model said, kept and said again: a file of JSON lines, its head first, then one reply a line
//! in the order in which they were asked for.
//!
//! Requests are kept as hashes, one for each message, so a recording holds no conversation and no key,
//! and a replay can still say which message is another one than then.

use std::borrow::Cow;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use hone_router::Secret;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::{Model, ModelError, Pending, Reply, Request};
use crate::canonical::{canonical, sha256};

/// The format of the file.
const FORMAT: u32 = 1;

/// Largest recording that is read, in bytes.
pub const MAX_RECORDING_BYTES: u64 = 16_000_000;

/// The first line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    recording: u32,
    backend: String,
    model: String,
}

/// One reply.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    /// From 0.
    position: usize,
    /// A hash of each message of the request, in order.
    request: Vec<String>,
    reply: Reply,
}

/// What a replay insists on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Insists {
    /// Every request is the recorded one, message for message.
    OnRequests,
    /// Only the order counts: the words around a task may have changed since.
    OnOrder,
}

/// A recording that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordingError {
    /// It cannot be read or written.
    #[error("cannot {what} the recording `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is not one.
    #[error("line {line} of the recording is not one of a recording: {why}")]
    Broken {
        /// The line, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
}

/// A model that says again what another said.
#[derive(Debug)]
pub struct Recording {
    head: Head,
    entries: Vec<Entry>,
    insists: Insists,
    next: Mutex<usize>,
}

impl Recording {
    /// Reads a recording from a file.
    pub fn open(path: &Path, insists: Insists) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { what: "read", path: path.to_owned(), source };
        let size = std::fs::metadata(path).map_err(io)?.len();
        if size > MAX_RECORDING_BYTES {
            let why = format!("it is larger than {MAX_RECORDING_BYTES} bytes");
            return Err(io(std::io::Error::other(why)));
        }
        Self::parse(&std::fs::read_to_string(path).map_err(io)?, insists)
    }

    /// Reads a recording from its text.
    pub fn parse(text: &str, insists: Insists) -> Result<Self, RecordingError> {
        let broken = |line: usize, why: String| RecordingError::Broken { line: line + 1, why };
        let mut lines = text.lines().enumerate();
        let first = lines.next().map_or("", |(_, line)| line);
        let head: Head =
            serde_json::from_str(first).map_err(|error| broken(0, error.to_string()))?;
        if head.recording != FORMAT {
            let why = format!("it has format {}, this program reads {FORMAT}", head.recording);
            return Err(broken(0, why));
        }
        let mut entries = Vec::new();
        for (line, text) in lines.filter(|(_, text)| !text.trim().is_empty()) {
            let entry: Entry =
                serde_json::from_str(text).map_err(|error| broken(line, error.to_string()))?;
            if entry.position != entries.len() {
                let why = format!("reply {} where {} is due", entry.position, entries.len());
                return Err(broken(line, why));
            }
            entries.push(entry);
        }
        Ok(Self { head, entries, insists, next: Mutex::new(0) })
    }

    /// Who was recorded: the backend and the model.
    pub fn of(&self) -> (&str, &str) {
        (&self.head.backend, &self.head.model)
    }

    /// How many replies there are.
    pub fn replies(&self) -> usize {
        self.entries.len()
    }

    fn next(&self, request: &Request) -> Result<Reply, ModelError> {
        let refused = |why| Err(ModelError::Refused { backend: "recording".to_owned(), why });
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = self.entries.get(*next) else {
            let count = self.entries.len();
            return refused(format!(
                "it ends after {count} replies, and one more was asked for; record it anew"
            ));
        };
        if self.insists == Insists::OnRequests {
            let asked = hashes(request);
            if let Some(why) = difference(&asked, &entry.request, request) {
                return refused(format!("request {} is not the recorded one: {why}", *next + 1));
            }
        }
        *next += 1;
        Ok(entry.reply.clone())
    }
}

impl Model for Recording {
    fn backend(&self) -> &'static str {
        "recording"
    }

    fn name(&self) -> &str {
        &self.head.model
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        Box::pin(async move {
            if cancelled.is_cancelled() { Err(ModelError::Cancelled) } else { self.next(request) }
        })
    }
}

/// A model that keeps what another says.
pub struct Recorder {
    model: Arc<dyn Model>,
    secrets: Vec<Secret>,
    path: PathBuf,
    file: Mutex<(File, usize)>,
}

impl Recorder {
    /// Keeps what a model says in a new file; these secrets are taken out of it.
    pub fn create(
        model: Arc<dyn Model>,
        path: &Path,
        secrets: Vec<Secret>,
    ) -> Result<Self, RecordingError> {
        let io = |source| RecordingError::Io { what: "write", path: path.to_owned(), source };
        let head = Head {
            recording: FORMAT,
            backend: model.backend().to_owned(),
            model: model.name().to_owned(),
        };
        let mut file = File::create_new(path).map_err(io)?;
        writeln!(file, "{}", json!(head)).map_err(io)?;
        Ok(Self { model, secrets, path: path.to_owned(), file: Mutex::new((file, 0)) })
    }

    fn keep(&self, request: &Request, reply: &Reply) -> std::io::Result<()> {
        let mut reply = reply.clone();
        for secret in self.secrets.iter().filter(|secret| !secret.expose().is_empty()) {
            reply.text = reply.text.replace(secret.expose(), "[redacted]");
        }
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = Entry { position: file.1, request: hashes(request), reply };
        writeln!(file.0, "{}", json!(entry))?;
        file.1 += 1;
        Ok(())
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("path", &self.path).finish_non_exhaustive()
    }
}

impl Model for Recorder {
    fn backend(&self) -> &str {
        self.model.backend()
    }

    fn name(&self) -> &str {
        self.model.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        Box::pin(async move {
            let reply = self.model.ask(request, cancelled).await?;
            self.keep(request, &reply).map_err(|error| ModelError::Failed {
                backend: "recording".to_owned(),
                why: format!("cannot write `{}`: {error}", self.path.display()),
            })?;
            Ok(reply)
        })
    }

    fn conceal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.model.conceal(text)
    }
}

/// A hash of each message of a request.
fn hashes(request: &Request) -> Vec<String> {
    const SHOWN: usize = 16;
    let hash = |message| {
        let mut hash = sha256(&canonical(&json!(message)));
        hash.truncate(SHOWN);
        hash
    };
    request.messages.iter().map(hash).collect()
}

fn difference(asked: &[String], recorded: &[String], request: &Request) -> Option<String> {
    let first = asked.iter().zip(recorded).position(|(asked, recorded)| asked != recorded);
    if let Some(index) = first {
        let role = json!(request.messages[index].role);
        let role = role.as_str().unwrap_or_default();
        return Some(format!("message {} (of the {role}) is another", index + 1));
    }
    (asked.len() != recorded.len())
        .then(|| format!("it has {} messages, then it had {}", asked.len(), recorded.len()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Expects, Message, Role, Usage};

    struct Parrot;

    impl Model for Parrot {
        fn backend(&self) -> &'static str {
            "parrot"
        }
        fn name(&self) -> &'static str {
            "grey"
        }
        fn ask<'a>(&'a self, request: &'a Request, _: &'a CancellationToken) -> Pending<'a> {
            Box::pin(async move {
                let text = request.messages.last().map(|last| last.content.clone());
                Ok(Reply {
                    text: text.unwrap_or_default(),
                    model: "grey".to_owned(),
                    usage: Usage { input: 1, output: 2, is_estimate: false },
                    is_cut: false,
                })
            })
        }
    }

    fn request(words: &[&str]) -> Request {
        let message = |word: &&str| Message { role: Role::User, content: (*word).to_owned() };
        Request {
            messages: words.iter().map(message).collect(),
            temperature: 0.1,
            max_tokens: 9,
            tools: Arc::new([]),
            expects: Expects::Words,
        }
    }

    async fn ask(model: &dyn Model, words: &[&str]) -> Result<String, String> {
        let reply = model.ask(&request(words), &CancellationToken::new()).await;
        reply.map(|reply| reply.text).map_err(|error| error.to_string())
    }

    async fn recorded() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.jsonl");
        let secrets = vec![Secret::new("key-123")];
        let recorder = Recorder::create(Arc::new(Parrot), &path, secrets).unwrap();
        assert_eq!(ask(&recorder, &["a"]).await.as_deref(), Ok("a"));
        assert_eq!(ask(&recorder, &["a", "my key-123"]).await.as_deref(), Ok("my key-123"));
        (folder, path)
    }

    #[tokio::test]
    async fn what_was_said_is_said_again_in_the_same_order_and_then_no_more() {
        let (_folder, path) = recorded().await;
        let recording = Recording::open(&path, Insists::OnRequests).unwrap();
        assert_eq!((recording.of(), recording.replies()), (("parrot", "grey"), 2));
        assert_eq!(ask(&recording, &["a"]).await.as_deref(), Ok("a"));
        assert_eq!(ask(&recording, &["a", "my key-123"]).await.as_deref(), Ok("my [redacted]"));
        assert_eq!(
            ask(&recording, &["a"]).await.unwrap_err(),
            "recording refused: it ends after 2 replies, and one more was asked for; record it anew"
        );
    }

    #[tokio::test]
    async fn another_request_is_refused_with_the_message_that_differs_and_may_be_asked_again() {
        let (_folder, path) = recorded().await;
        let recording = Recording::open(&path, Insists::OnRequests).unwrap();
        assert_eq!(
            ask(&recording, &["b"]).await.unwrap_err(),
            "recording refused: request 1 is not the recorded one: message 1 (of the user) is another"
        );
        assert_eq!(
            ask(&recording, &["a", "b"]).await.unwrap_err(),
            "recording refused: request 1 is not the recorded one: it has 2 messages, then it had 1"
        );
        assert_eq!(ask(&recording, &["a"]).await.as_deref(), Ok("a"));
        let lenient = Recording::open(&path, Insists::OnOrder).unwrap();
        assert_eq!(ask(&lenient, &["b"]).await.as_deref(), Ok("a"));
    }

    #[tokio::test]
    async fn the_file_holds_no_request_and_no_secret() {
        let (_folder, path) = recorded().await;
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("key-123"), "{text}");
        let replies = text.matches("\"text\":\"a\"").count();
        assert_eq!((text.lines().count(), replies, text.matches("\"a\"").count()), (3, 1, 1));
    }

    #[test]
    fn a_file_that_is_no_recording_is_said_so_with_its_line() {
        let message =
            |text: &str| Recording::parse(text, Insists::OnOrder).unwrap_err().to_string();
        let head = r#"{"recording":1,"backend":"b","model":"m"}"#;
        let entry = |position: usize| {
            format!(
                r#"{{"position":{position},"request":[],"reply":{{"text":"","model":"m","usage":{{"input":0,"output":0,"is_estimate":true}},"is_cut":false}}}}"#
            )
        };
        assert!(message("").starts_with("line 1 of the recording is not one"));
        assert!(
            message(&head.replace(":1", ":2")).ends_with("it has format 2, this program reads 1")
        );
        assert!(message(&format!("{head}\n{}\n{}", entry(0), entry(2))).ends_with(
            "line 3 of the recording is not one of a recording: reply 2 where 1 is due"
        ));
        assert!(Recording::parse(&format!("{head}\n{}\n", entry(0)), Insists::OnOrder).is_ok());
    }
}
