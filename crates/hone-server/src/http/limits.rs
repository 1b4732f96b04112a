//! How much a client may take, each bound with its unit.

use std::time::Duration;

/// Connections at once. For one more, the one that has waited longest for the head of a request is closed;
/// when none waits, it has to wait itself until another ends.
pub const MAX_CONNECTIONS: usize = 512;
/// Requests that are worked on at once; one more is told to come back.
pub const MAX_REQUESTS: usize = 256;
/// Sessions of MCP clients of the older versions, for those who may write and for those who may not.
pub const MAX_SESSIONS: usize = 1_000;
/// Bytes of the head of a request.
pub const MAX_HEAD_BYTES: usize = 32 * 1024;
/// Bytes of the body of a request: a file of a skill at its largest, and room for its clothes.
pub const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;
/// How long a TLS handshake may take.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// How long the head of a request may take to arrive, and how long a connection may be idle.
pub const HEAD_TIME: Duration = Duration::from_secs(15);
/// What the connections of a server may take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// How many there are at once.
    pub(crate) connections: usize,
    /// How long each may take for its handshake, for a head, and to read the next piece of an answer.
    pub(crate) handshake: Duration,
    pub(crate) head: Duration,
    pub(crate) unread: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            connections: MAX_CONNECTIONS,
            handshake: HANDSHAKE_TIME,
            head: HEAD_TIME,
            unread: UNREAD_TIME,
        }
    }
}

/// How long an answer may take until it begins, the body of the request included.
pub const ANSWER_TIME: Duration = Duration::from_secs(60);
/// How long a client may leave the next piece of an answer unread.
pub const UNREAD_TIME: Duration = Duration::from_secs(30);
/// How long a task that runs may go on once the server is told to stop.
pub const RUN_GRACE: Duration = Duration::from_secs(10);
/// How long connections may go on once everything else has stopped.
pub const STOP_GRACE: Duration = Duration::from_secs(5);
/// How long a person stays signed in at the page.
pub const SESSION_TIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// How often something may be done: so many at once, and so many a second in the long run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// At once.
    pub burst: f64,
    /// A second.
    pub per_second: f64,
}

/// Requests of one token that read.
pub const READS: Rate = Rate { burst: 100_000.0, per_second: 100_000.0 };
/// Requests of one token that change something, or start something.
pub const CHANGES: Rate = Rate { burst: 500.0, per_second: 100.0 };
/// Requests of one address without a right token.
pub const STRANGERS: Rate = Rate { burst: 150.0, per_second: 2.0 };
