//! Places for connections. When there is none left, the connection that has waited longest for the head of
//! a request gives way: whoever has not asked anything yet keeps nobody out who would.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::{Frame, SizeHint};
use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

/// The places of a server.
pub(crate) struct Places {
    free: Arc<Semaphore>,
    waiting: Mutex<Waiting>,
    /// Somebody began to wait.
    began: Notify,
}

/// Connections that wait for a head.
#[derive(Default)]
struct Waiting {
    /// Waits that began so far; the first has number 1.
    count: u64,
    /// What ends each, the longest wait first.
    ends: BTreeMap<u64, CancellationToken>,
}

impl Places {
    /// So many places.
    pub(crate) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self {
            free: Arc::new(Semaphore::new(count)),
            waiting: Mutex::default(),
            began: Notify::new(),
        })
    }

    /// A place for a new connection, once there is one. Its wait for a head begins here.
    pub(crate) async fn take(self: &Arc<Self>) -> Option<Arc<Place>> {
        let permit = loop {
            if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
                break permit;
            }
            let is_made = self.make_room();
            tokio::select! {
                permit = Arc::clone(&self.free).acquire_owned() => break permit.ok()?,
                () = self.began.notified(), if !is_made => {}
            }
        };
        let place = Place {
            places: Arc::clone(self),
            end: CancellationToken::new(),
            wait: AtomicU64::new(0),
            is_answered: AtomicBool::new(true),
            _permit: permit,
        };
        place.sent();
        Some(Arc::new(place))
    }

    /// Ends the connection that has waited longest; false when none waits.
    fn make_room(&self) -> bool {
        let longest = self.waiting().ends.pop_first();
        longest.map(|(_, end)| end.cancel()).is_some()
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of a connection, until the last who holds it lets go.
pub(crate) struct Place {
    places: Arc<Places>,
    end: CancellationToken,
    /// The number of its wait; 0 while a request is being answered.
    wait: AtomicU64,
    /// The whole answer was handed over to be sent.
    is_answered: AtomicBool,
    _permit: OwnedSemaphorePermit,
}

impl Place {
    /// Done when the connection has to give way.
    pub(crate) async fn given_away(&self) {
        self.end.cancelled().await;
    }

    /// The head of a request is whole; false when the place was given away just before.
    pub(crate) fn asked(&self) -> bool {
        self.is_answered.store(false, Ordering::Relaxed);
        match self.wait.swap(0, Ordering::Relaxed) {
            0 => !self.end.is_cancelled(),
            number => self.places.waiting().ends.remove(&number).is_some(),
        }
    }

    /// All that was handed over is sent: after a whole answer, the wait for the next head begins.
    pub(crate) fn sent(&self) {
        if !self.is_answered.swap(false, Ordering::Relaxed) {
            return;
        }
        let mut waiting = self.places.waiting();
        waiting.count += 1;
        let number = waiting.count;
        waiting.ends.insert(number, self.end.clone());
        drop(waiting);
        self.wait.store(number, Ordering::Relaxed);
        self.places.began.notify_one();
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.waiting().ends.remove(self.wait.get_mut());
    }
}

/// The body of an answer, which is whole when nobody needs it any more.
pub(crate) struct Answering {
    body: Body,
    place: Arc<Place>,
}

impl Answering {
    /// An answer on the connection of a place.
    pub(crate) fn new(body: Body, place: Arc<Place>) -> Self {
        Self { body, place }
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.place.is_answered.store(true, Ordering::Relaxed);
    }
}

impl hyper::body::Body for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
