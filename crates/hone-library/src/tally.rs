//! Counts for whoever answers many questions: noted at once, written a little later, many together.
//!
//! As every counter, best effort: what a killed process had not written is lost.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::catalogue::Listed;
use crate::place::Resolver;
use crate::state::State;
use crate::usage::{Counted, EVENTS, Event};

/// How long counts wait for others.
const GATHERS: Duration = Duration::from_millis(250);

/// Counters that are written by a thread of their own.
#[derive(Debug)]
pub struct Tally {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    noted: Mutex<Noted>,
    news: Condvar,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct Noted {
    /// At most one for each version of each skill.
    counts: HashMap<(PathBuf, String), Counts>,
    is_over: bool,
}

/// What happened to one version of a skill since the last write.
#[derive(Debug, Clone, Default)]
struct Counts {
    name: String,
    times: [u64; EVENTS],
    at: i64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Tally {
    /// Counters that are kept in `state`. Where no thread is to be had, they are written at the end.
    pub fn new(state: State) -> Self {
        let shared = Arc::new(Shared {
            noted: Mutex::default(),
            news: Condvar::new(),
            state: Mutex::new(state),
        });
        let writer = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("hone-tally".to_owned());
        let thread = thread.spawn(move || while writer.wait() {}).ok();
        Self { shared, thread }
    }

    /// Notes an event.
    pub fn count(&self, skill: &Listed, event: Event, now: i64) {
        let version = skill.summary.version.clone().unwrap_or_default();
        let mut noted = lock(&self.shared.noted);
        let is_first = noted.counts.is_empty();
        let counts = noted.counts.entry((skill.key().to_owned(), version)).or_default();
        if counts.name != skill.summary.name {
            counts.name.clone_from(&skill.summary.name);
        }
        counts.times[event as usize] += 1;
        counts.at = counts.at.max(now);
        drop(noted);
        if is_first {
            self.shared.news.notify_one();
        }
    }

    /// Writes what was noted; it is there afterwards, or lost.
    pub fn flush(&self) {
        self.shared.write();
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        lock(&self.shared.noted).is_over = true;
        self.shared.news.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.flush();
    }
}

impl Shared {
    /// Waits for counts, lets more come, and writes them; false at the end.
    fn wait(&self) -> bool {
        let noted = lock(&self.noted);
        let is_quiet = |noted: &mut Noted| !noted.is_over && noted.counts.is_empty();
        let noted = self.news.wait_while(noted, is_quiet).unwrap_or_else(PoisonError::into_inner);
        let goes_on = |noted: &mut Noted| !noted.is_over;
        let (noted, _) = self
            .news
            .wait_timeout_while(noted, GATHERS, goes_on)
            .unwrap_or_else(PoisonError::into_inner);
        let is_over = noted.is_over;
        drop(noted);
        self.write();
        !is_over
    }

    fn write(&self) {
        // In this order, so that whoever comes second finds written what was noted before.
        let state = lock(&self.state);
        let counts = std::mem::take(&mut lock(&self.noted).counts);
        if counts.is_empty() {
            return;
        }
        let mut resolver = Resolver::default();
        let real: Vec<PathBuf> = counts.keys().map(|(key, _)| resolver.resolve(key)).collect();
        state.write_best_effort(|db| {
            for (((_, version), counts), key) in counts.iter().zip(&real) {
                let Some(key) = key.to_str() else { continue };
                let Counts { name, times, at } = counts;
                Counted { key, version, name, times: *times, at: *at }.add(db)?;
            }
            Ok(())
        });
    }
}
