//! What happened, one JSON object a line, without secrets.
//!
//! A line names the route, never the address as it was asked for, and the name of a token, never the
//! token. Lines are written by a thread of their own; when nobody reads them they are dropped and
//! counted, and no request waits.

use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};

use serde::Serialize;

/// Lines that wait to be written at most.
const MAX_WAITING: usize = 4096;

/// Which requests are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Logged {
    /// None.
    Nothing,
    /// Those that change something, and those that fail.
    Changes,
    /// All.
    All,
}

/// One request.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Line<'a> {
    pub(crate) time: &'a str,
    pub(crate) id: &'a str,
    pub(crate) method: &'a str,
    pub(crate) route: &'a str,
    pub(crate) status: u16,
    pub(crate) milliseconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) token: Option<&'a str>,
}

/// Where lines go.
#[derive(Debug)]
pub struct Log {
    logged: Logged,
    lines: Option<SyncSender<Vec<u8>>>,
    dropped: AtomicU64,
}

impl Log {
    /// Writes lines to `to`.
    pub fn new(logged: Logged, mut to: impl Write + Send + 'static) -> Self {
        let (lines, waiting) = sync_channel::<Vec<u8>>(MAX_WAITING);
        let writer = std::thread::Builder::new().name("log".to_owned()).spawn(move || {
            for line in waiting {
                if to.write_all(&line).and_then(|()| to.flush()).is_err() {
                    return;
                }
            }
        });
        let lines = (logged > Logged::Nothing && writer.is_ok()).then_some(lines);
        Self { logged, lines, dropped: AtomicU64::new(0) }
    }

    /// Whether a request of this kind is told.
    pub(crate) fn tells(&self, is_change: bool, status: u16) -> bool {
        match self.logged {
            Logged::Nothing => false,
            Logged::Changes => is_change || status >= 400,
            Logged::All => true,
        }
    }

    /// Writes a line, or counts that it was not written.
    pub(crate) fn write(&self, line: &impl Serialize) {
        let (Some(lines), Ok(mut bytes)) = (&self.lines, serde_json::to_vec(line)) else { return };
        bytes.push(b'\n');
        if lines.try_send(bytes).is_err() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Lines that were dropped because nobody read them.
    pub(crate) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }
}
