//! Packs agents after tasks whose knowledge moved, beside the tasks and never in their way.
//!
//! A snapshot that fails does not concern its task. It is told, and tried again by whoever next asks to
//! catch up, and after the agent's next task, whatever that one does: what counts is that the newest
//! snapshot is of another version than the one that was signed last.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::{Around, Asked, Depot};
use crate::brain::Brain;
use crate::lineage::Receipt;
use crate::lineage::snapshot::{History, SnapshotError, Taken, Watch};
use crate::tools::skills::Clock;

/// What became of a snapshot after a task.
#[derive(Debug)]
pub struct Packed<'a> {
    /// The agent.
    pub agent: &'a str,
    /// The snapshot, or why there is none.
    pub taken: Result<&'a Taken, &'a SnapshotError>,
}

/// Hears what became of a snapshot.
pub type Tell = Box<dyn Fn(&Packed<'_>) + Send + Sync>;

/// Whoever packs.
pub struct Packer {
    around: Around,
    now: Clock,
    cancelled: CancellationToken,
    tell: Tell,
    work: Mutex<Work>,
}

#[derive(Default)]
struct Work {
    /// Agents that are being packed, and whether they moved again meanwhile.
    agents: BTreeMap<String, bool>,
    running: JoinSet<()>,
}

impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").field("around", &self.around).finish_non_exhaustive()
    }
}

impl Packer {
    /// One that tells what becomes of its work, until it is cancelled.
    pub fn new(around: Around, now: Clock, cancelled: CancellationToken, tell: Tell) -> Arc<Self> {
        Arc::new(Self { around, now, cancelled, tell, work: Mutex::default() })
    }

    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to pack an agent when a task, or one before it, taught it something that no snapshot has.
    pub fn after(self: &Arc<Self>, brain: &Brain, receipt: &Receipt) {
        let store = self.around.store(&brain.id, &Asked::default());
        let lag = store.and_then(|store| self.around.behind(brain, &store, receipt));
        if self.around.settings.automatic && lag.is_some() {
            self.begin(brain);
        }
    }

    /// The same for what came after a task and its receipt: a lesson.
    pub fn after_lesson(self: &Arc<Self>, brain: &Brain, receipt: &Receipt) {
        let last = brain.last_receipt().ok().flatten();
        if let Some(last) = last.filter(|last| last.after.version != receipt.after.version) {
            self.after(brain, &last);
        }
    }

    /// Begins to pack an agent that moved since its newest snapshot, by whatever moved it.
    pub fn catch_up(self: &Arc<Self>, brain: &Brain) {
        let lag = self.around.lag(brain, &Asked::default());
        if self.around.settings.automatic && lag.is_some() {
            self.begin(brain);
        }
    }

    fn begin(self: &Arc<Self>, brain: &Brain) {
        let mut work = self.work();
        if let Some(again) = work.agents.get_mut(&brain.id) {
            *again = true;
            return;
        }
        work.agents.insert(brain.id.clone(), false);
        let (packer, brain) = (Arc::clone(self), brain.clone());
        // On a thread of its own: most of it is reading, packing and sealing.
        let runtime = tokio::runtime::Handle::current();
        work.running.spawn_blocking(move || runtime.block_on(packer.pack(&brain)));
    }

    async fn pack(&self, brain: &Brain) {
        loop {
            let taken = self.take(brain).await;
            (self.tell)(&Packed { agent: &brain.id, taken: taken.as_ref() });
            let mut work = self.work();
            match work.agents.get_mut(&brain.id) {
                Some(again) if *again && taken.is_ok() => *again = false,
                _ => {
                    work.agents.remove(&brain.id);
                    return;
                }
            }
        }
    }

    async fn take(&self, brain: &Brain) -> Result<Taken, SnapshotError> {
        let depot = Depot::find(&self.around, &brain.id, &Asked::default())?;
        let at = u64::try_from((self.now)()).unwrap_or(0);
        let watch = Watch { cancelled: &self.cancelled, progress: &|_| {} };
        depot.take(brain, History::Extends, at, &watch).await
    }

    /// Waits until nothing is being packed.
    pub async fn finish(&self) {
        loop {
            let mut running = std::mem::take(&mut self.work().running);
            if running.is_empty() {
                return;
            }
            while running.join_next().await.is_some() {}
        }
    }
}
