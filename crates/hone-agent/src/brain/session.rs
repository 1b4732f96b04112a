//! One task's hold on a brain, from the lock to the commit.
//!
//! Whatever ends it, the brain's knowledge is as before the task or as the answered task left it. A
//! session that is dropped, or whose process dies, is settled by the next one.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use hone_library::State;
use tokio_util::sync::CancellationToken;

use super::journal::{self, Journal, Settled};
use super::lock::{self, Held, Owner};
use super::{Brain, BrainError, members};
use crate::lineage::Receipt;
use crate::memory::{Draft, Ending, Memory, Subscriber, TaskRow};

/// How a task waits for its turn.
pub struct Waiting<'a> {
    /// How long at most.
    pub patience: Duration,
    /// Stops waiting.
    pub cancelled: &'a CancellationToken,
    /// Hears once who is in the way.
    pub tell: &'a (dyn Fn(&Owner) + Send + Sync),
}

impl std::fmt::Debug for Waiting<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiting").field("patience", &self.patience).finish_non_exhaustive()
    }
}

/// A task that is about to begin.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    /// Its id.
    pub task: &'a str,
    /// For whom it is done.
    pub subscriber: &'a Subscriber,
    /// What was asked.
    pub input: &'a str,
    /// The backend of the model.
    pub backend: &'a str,
    /// The model as configured.
    pub model: &'a str,
}

/// What the tools for memory and the session share.
#[derive(Debug)]
pub struct Remembering {
    memory: Mutex<Memory>,
    draft: Mutex<Draft>,
    /// For whom the task is done.
    pub subscriber: Subscriber,
    /// Whether its notes may be shared with everybody.
    pub may_share: bool,
}

impl Remembering {
    /// The memory.
    pub fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What the task wants to leave behind.
    pub fn draft(&self) -> MutexGuard<'_, Draft> {
        self.draft.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// A brain in the hands of one task.
#[derive(Debug)]
pub struct Session {
    brain: Brain,
    task: String,
    started: i64,
    state: State,
    journal: Journal,
    remembering: Arc<Remembering>,
    settled: Settled,
    strangers: Vec<PathBuf>,
    _held: Held,
}

impl Brain {
    /// Takes the brain for a task, after those that came before, and settles what a dead one left.
    pub async fn begin(
        &self,
        opening: &Opening<'_>,
        waiting: &Waiting<'_>,
        now: i64,
    ) -> Result<Session, BrainError> {
        let (task, subscriber) = (opening.task, opening.subscriber.clone());
        let owner = Owner { what: format!("task {task}"), pid: std::process::id(), since: now };
        let held = self.hold(&owner, waiting).await?;
        let strangers = members::look(&self.folder)?;
        let may_share = subscriber == Subscriber::Owner
            || self.settings()?.memory.share == super::Share::Everyone;
        let mut memory = Memory::open(&self.folder)?;
        let state = State::open(&self.hone_home);
        let settled = journal::settle(self, &state, &mut memory, now)?;
        let journal = Journal::begin(self, &state, opening)?;
        let remembering = Arc::new(Remembering {
            memory: Mutex::new(memory),
            draft: Mutex::default(),
            subscriber,
            may_share,
        });
        Ok(Session {
            brain: self.clone(),
            task: task.to_owned(),
            started: now,
            state,
            journal,
            remembering,
            settled,
            strangers,
            _held: held,
        })
    }

    /// Takes the brain, after those that came before.
    pub async fn hold(&self, owner: &Owner, waiting: &Waiting<'_>) -> Result<Held, BrainError> {
        lock::hold(&self.folder, owner, waiting.patience, waiting.cancelled, waiting.tell).await
    }
}

impl Session {
    /// The task's id.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// When it began, in milliseconds since 1970.
    pub fn started(&self) -> i64 {
        self.started
    }

    /// Memory and draft, for the tools of the task.
    pub fn remembering(&self) -> &Arc<Remembering> {
        &self.remembering
    }

    /// What the task before left to settle.
    pub fn settled(&self) -> &Settled {
        &self.settled
    }

    /// What lies in the folder and is no part of the brain.
    pub fn strangers(&self) -> &[PathBuf] {
        &self.strangers
    }

    /// The library's state, as the session sees it.
    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// Gives the brain back without a trace of the task, which did nothing.
    pub(crate) fn abandon(self) -> Result<(), BrainError> {
        self.journal.take_back(&self.brain, &self.state, self.started)?;
        Journal::end(&self.brain)
    }

    /// Ends the task. Without an answer, skills go back to what they were and notes are dropped;
    /// the log says what happened in any case, and the receipt signs it. Gives skills that somebody
    /// else changed meanwhile, and the receipt.
    pub fn finish(self, row: &TaskRow) -> Result<(Vec<(PathBuf, String)>, Receipt), BrainError> {
        let mut kept = Vec::new();
        if row.ending != Ending::Answered {
            kept = self.journal.take_back(&self.brain, &self.state, row.ended)?;
        }
        let draft = std::mem::take(&mut *self.remembering.draft());
        self.remembering.memory().commit(row, &draft)?;
        let receipt = self.brain.sign_task(row)?;
        Journal::end(&self.brain)?;
        Ok((kept, receipt))
    }
}
