//! The file of receipts: appended to by one writer, checked by anyone.
//!
//! A line that does not end is a write that was cut short; it counts as not written, and the next append
//! removes it.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::keys::{PublicKey, SigningKey};
use super::receipt::{Entry, Kind, Receipt, SCHEMA, State};

/// Bytes of a receipt at most.
pub const MAX_RECEIPT_BYTES: usize = 1024 * 1024;
/// Breaks that are reported; more are counted.
pub const MAX_BREAKS: usize = 100;

/// What is said of a receipt whose signature does not hold.
const ALTERED: &str = "it does not fit the receipt; something was changed";

/// The receipts of a brain could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// The file.
    #[error("`{path}`: {error}")]
    Io {
        /// Which.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The last receipt is not one, so nothing can be put behind it.
    #[error(
        "`{path}`: the last receipt is damaged ({why}); look with `hone agent verify` before anything is added"
    )]
    Damaged {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Somebody else's key.
    #[error(
        "`{path}` is signed by the key {expected}, and the one at hand is {found}; bring the right one back into its place"
    )]
    OtherKey {
        /// Which.
        path: PathBuf,
        /// The key that signs this chain.
        expected: PublicKey,
        /// The key at hand.
        found: PublicKey,
    },
}

/// A place where a chain does not hold.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Break {
    /// The receipt, from 0.
    pub index: u64,
    /// The field.
    pub field: String,
    /// What is wrong with it.
    pub why: String,
}

/// What a check of a chain found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// Whole receipts.
    pub receipts: u64,
    /// Of these, about tasks.
    pub tasks: u64,
    /// The agent.
    pub agent: Option<String>,
    /// The key that signs next.
    pub key: PublicKey,
    /// Hand-overs of the key.
    pub handovers: u64,
    /// The state at the end.
    pub last: Option<State>,
    /// The digest of the last receipt.
    pub head: Option<super::Digest>,
    /// Bytes of a last line that was cut short.
    pub torn: u64,
    /// Where it does not hold, in order.
    pub breaks: Vec<Break>,
    /// Breaks beyond [`MAX_BREAKS`].
    pub more_breaks: u64,
}

impl Checked {
    /// What is found where there is nothing.
    pub fn nothing(key: PublicKey) -> Self {
        Self {
            receipts: 0,
            tasks: 0,
            agent: None,
            key,
            handovers: 0,
            last: None,
            head: None,
            torn: 0,
            breaks: Vec::new(),
            more_breaks: 0,
        }
    }

    /// Whether all of it holds.
    pub fn holds(&self) -> bool {
        self.breaks.is_empty() && self.more_breaks == 0
    }

    fn broken(&mut self, index: u64, field: &str, why: impl Into<String>) {
        if self.breaks.len() < MAX_BREAKS {
            self.breaks.push(Break { index, field: field.to_owned(), why: why.into() });
        } else {
            self.more_breaks += 1;
        }
    }
}

/// The receipts of one brain, for its one writer.
#[derive(Debug)]
pub struct Chain {
    path: PathBuf,
    file: File,
    /// Bytes of whole receipts.
    end: u64,
    last: Option<Receipt>,
}

impl Chain {
    /// Opens the file, or makes it. Only the last receipt is read, and it must be as it was signed.
    pub fn open(path: &Path) -> Result<Self, ChainError> {
        let failed = |error| ChainError::Io { path: path.to_owned(), error };
        let options = || OpenOptions::new().read(true).append(true).mode(0o600).clone();
        let mut file = options().create(true).open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let (end, line) = last_line(&mut file, length).map_err(failed)?;
        let last = match line {
            None => None,
            Some(line) => {
                let damaged = |why| ChainError::Damaged { path: path.to_owned(), why };
                let last =
                    parse(&line).map_err(|(field, why)| damaged(format!("{field}: {why}")))?;
                if !last.is_signed() {
                    return Err(damaged(format!("signature: {ALTERED}")));
                }
                Some(last)
            }
        };
        Ok(Self { path: path.to_owned(), file, end, last })
    }

    /// The last receipt.
    pub fn last(&self) -> Option<&Receipt> {
        self.last.as_ref()
    }

    /// The key that signs next.
    pub fn key(&self) -> Option<PublicKey> {
        let last = self.last.as_ref()?;
        Some(last.handover.as_ref().map_or(last.key, |handover| handover.key))
    }

    /// Refuses a key that cannot sign the next receipt.
    pub fn accepts(&self, key: &SigningKey) -> Result<(), ChainError> {
        match self.key().filter(|expected| *expected != key.public()) {
            None => Ok(()),
            Some(expected) => {
                let (path, found) = (self.path.clone(), key.public());
                Err(ChainError::OtherKey { path, expected, found })
            }
        }
    }

    /// Whether a receipt is about a task, by its words alone: no signature is checked.
    pub fn names(&self, task: &str) -> Result<bool, ChainError> {
        let failed = |error| ChainError::Io { path: self.path.clone(), error };
        let is_last = |last: &Receipt| last.task.as_ref().is_some_and(|last| last.id == task);
        if self.last.as_ref().is_some_and(is_last) {
            return Ok(true);
        }
        let wanted = format!("\"id\":{}", crate::canonical::canonical(&task));
        let mut lines = BufReader::new(File::open(&self.path).map_err(failed)?);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).map_err(failed)? > 0 {
            if String::from_utf8_lossy(&line).contains(&wanted) {
                return Ok(true);
            }
            line.clear();
        }
        Ok(false)
    }

    /// Signs an entry and puts it behind the last receipt, on the disk.
    pub fn append(
        &mut self,
        agent: &str,
        entry: Entry,
        key: &SigningKey,
    ) -> Result<&Receipt, ChainError> {
        let failed = |error| ChainError::Io { path: self.path.clone(), error };
        self.accepts(key)?;
        let receipt = Receipt::sign(agent, entry, self.last.as_ref(), key);
        let mut line = receipt.line();
        line.push(b'\n');
        self.file.set_len(self.end).map_err(failed)?;
        self.file.write_all(&line).map_err(failed)?;
        self.file.sync_data().map_err(failed)?;
        self.end += line.len() as u64;
        Ok(self.last.insert(receipt))
    }
}

/// Where the whole lines end, and the last of them.
fn last_line(file: &mut File, length: u64) -> io::Result<(u64, Option<Vec<u8>>)> {
    // Two lines at most: a torn one and the last whole one.
    let most = 2 * (MAX_RECEIPT_BYTES as u64 + 1);
    let from = length.saturating_sub(most);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.take(most).read_to_end(&mut tail)?;
    let Some(end) = tail.iter().rposition(|byte| *byte == b'\n') else { return Ok((0, None)) };
    let start = tail[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    Ok((from + end as u64 + 1, Some(tail[start..end].to_vec())))
}

/// A receipt from its line; else the field and what is wrong with it.
fn parse(line: &[u8]) -> Result<Receipt, (String, String)> {
    let whole = |why: String| ("receipt".to_owned(), why);
    let value: serde_json::Value =
        serde_json::from_slice(line).map_err(|error| whole(format!("no JSON: {error}")))?;
    let schema = value.get("schema").and_then(serde_json::Value::as_str);
    if schema != Some(SCHEMA) {
        let found = schema.map_or("none".to_owned(), |schema| format!("`{schema:.80}`"));
        return Err(("schema".to_owned(), format!("it is {found}, and known is `{SCHEMA}`")));
    }
    let receipt: Receipt =
        serde_json::from_value(value).map_err(|error| whole(error.to_string()))?;
    if receipt.line() != line {
        return Err(whole("it is not written as canonical JSON".to_owned()));
    }
    Ok(receipt)
}

/// Calls `each` with every receipt of a file; a damaged one comes as its field and what is wrong.
/// Gives the bytes of a last line that does not end.
pub fn read(
    path: &Path,
    mut each: impl FnMut(u64, Result<Receipt, (String, String)>),
) -> Result<u64, ChainError> {
    let failed = |error| ChainError::Io { path: path.to_owned(), error };
    let mut lines = BufReader::new(File::open(path).map_err(failed)?);
    let mut line = Vec::new();
    for index in 0.. {
        line.clear();
        let most = MAX_RECEIPT_BYTES as u64 + 1;
        lines.by_ref().take(most).read_until(b'\n', &mut line).map_err(failed)?;
        if line.last() == Some(&b'\n') {
            line.pop();
            each(index, parse(&line));
        } else if line.len() as u64 == most {
            each(
                index,
                Err(("receipt".to_owned(), format!("longer than {MAX_RECEIPT_BYTES} bytes"))),
            );
            lines.skip_until(b'\n').map_err(failed)?;
        } else {
            return Ok(line.len() as u64);
        }
    }
    Ok(0)
}

/// The first receipt of a file; none when there is none, or it is damaged.
pub fn first(path: &Path) -> Result<Option<Receipt>, ChainError> {
    let failed = |error| ChainError::Io { path: path.to_owned(), error };
    let file = File::open(path).map_err(failed)?;
    let mut line = Vec::new();
    let most = MAX_RECEIPT_BYTES as u64 + 1;
    BufReader::new(file.take(most)).read_until(b'\n', &mut line).map_err(failed)?;
    Ok(line.strip_suffix(b"\n").and_then(|line| parse(line).ok()))
}

/// Checks a file of receipts against the key that must have signed the first.
pub fn check(path: &Path, key: PublicKey) -> Result<Checked, ChainError> {
    let mut checked = Checked::nothing(key);
    checked.torn = read(path, |index, receipt| match receipt {
        Ok(receipt) => follow(&mut checked, index, &receipt),
        Err((field, why)) => {
            checked.broken(index, &field, why);
            // What comes next cannot be linked to it; its own link says so.
            checked.head = None;
            checked.receipts += 1;
        }
    })?;
    Ok(checked)
}

/// Checks one receipt against those before it.
fn follow(checked: &mut Checked, index: u64, receipt: &Receipt) {
    if receipt.index != index {
        checked.broken(index, "index", format!("it says {} at place {index}", receipt.index));
    }
    if receipt.key != checked.key {
        checked.broken(
            index,
            "key",
            format!("signed by {}, expected {}", receipt.key, checked.key),
        );
    }
    if !receipt.is_signed() {
        checked.broken(index, "signature", ALTERED);
    }
    if receipt.previous != checked.head {
        let why =
            if index == 0 { "the first receipt has none" } else { "it is not the receipt before" };
        checked.broken(index, "previous", why);
    }
    if receipt.before != checked.last {
        checked.broken(index, "before", "it is not the state after the receipt before");
    }
    if checked.agent.as_ref().is_some_and(|agent| *agent != receipt.agent) {
        checked.broken(index, "agent", format!("another agent: `{}`", receipt.agent));
    }
    let moved = receipt.before.is_some_and(|before| before.knowledge != receipt.after.knowledge);
    let expected = receipt.before.map_or(1, |before| before.version + u64::from(moved));
    if receipt.after.version != expected {
        let why = format!("version {}, expected {expected}", receipt.after.version);
        checked.broken(index, "after.version", why);
    }
    if (receipt.kind == Kind::Created) != (index == 0) {
        checked.broken(
            index,
            "kind",
            "the first receipt, and no other, says how the brain was made",
        );
    }
    if (receipt.kind == Kind::Task) != receipt.task.is_some() {
        checked.broken(index, "task", "a receipt of a task has one, and no other");
    }
    match &receipt.handover {
        Some(handover) if receipt.kind == Kind::Handover => {
            if handover.holds(&receipt.agent, receipt.key) {
                checked.key = handover.key;
                checked.handovers += 1;
            } else {
                checked.broken(index, "handover.consent", "the new key did not agree");
            }
        }
        None if receipt.kind != Kind::Handover => {}
        _ => {
            checked.broken(
                index,
                "handover",
                "a hand-over names the new key, and no other receipt",
            );
        }
    }
    checked.agent.get_or_insert_with(|| receipt.agent.clone());
    checked.receipts += 1;
    checked.tasks += u64::from(receipt.kind == Kind::Task);
    checked.last = Some(receipt.after);
    checked.head = Some(receipt.digest());
}
