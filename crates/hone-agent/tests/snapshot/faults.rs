//! A store that fails or loses an answer at every request in turn.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt as _;
use futures_util::stream::{self, BoxStream};
use hone_agent::lineage::snapshot::{Retry, SnapshotError, Store, Taken};
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::{
    CopyOptions, Error, GetOptions, GetResult, ListResult, MultipartUpload, ObjectMeta,
    ObjectStore, PutMultipartOptions, PutOptions, PutPayload, PutResult, Result,
};
use tokio::sync::Semaphore;

use crate::sample::{Home, once};

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// One request never arrives.
    Before,
    /// The answer of one request is lost.
    After,
    /// From one request on, none arrives: the power went out.
    Dead,
}

pub(crate) const FAULTS: [Fault; 3] = [Fault::Before, Fault::After, Fault::Dead];

/// A store in which the request `at` goes wrong.
#[derive(Debug)]
pub(crate) struct Faulty {
    inner: Arc<dyn ObjectStore>,
    fault: Fault,
    at: usize,
    pub(crate) requests: AtomicUsize,
}

impl Faulty {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>, fault: Fault, at: usize) -> Arc<Self> {
        Arc::new(Self { inner, fault, at, requests: AtomicUsize::new(0) })
    }

    fn faults(&self) -> (bool, bool) {
        let request = self.requests.fetch_add(1, Ordering::SeqCst);
        let before = match self.fault {
            Fault::Before => request == self.at,
            Fault::After => false,
            Fault::Dead => request >= self.at,
        };
        (before, self.fault == Fault::After && request == self.at)
    }

    async fn pass<T>(&self, request: impl Future<Output = Result<T>>) -> Result<T> {
        let (before, after) = self.faults();
        if before {
            return Err(lost());
        }
        let done = request.await;
        if after { Err(lost()) } else { done }
    }
}

fn lost() -> Error {
    Error::Generic { store: "faulty", source: "the line was cut".into() }
}

impl fmt::Display for Faulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("faulty")
    }
}

#[async_trait]
impl ObjectStore for Faulty {
    async fn put_opts(&self, at: &Path, put: PutPayload, options: PutOptions) -> Result<PutResult> {
        self.pass(self.inner.put_opts(at, put, options)).await
    }

    async fn put_multipart_opts(
        &self,
        at: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(at, options).await
    }

    async fn get_opts(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.pass(self.inner.get_opts(at, options)).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        match self.faults() {
            (true, _) => stream::once(async { Err(lost()) }).boxed(),
            (_, true) => {
                let done = self.inner.delete_stream(paths);
                stream::once(async {
                    let _all: Vec<_> = done.collect().await;
                    Err(lost())
                })
                .boxed()
            }
            _ => self.inner.delete_stream(paths),
        }
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        let (before, after) = self.faults();
        let listed = self.inner.list(prefix);
        if before || after {
            return listed.take(1).chain(stream::once(async { Err(lost()) })).boxed();
        }
        listed
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

/// Takes a snapshot with a fault at every request in turn, over whatever `objects` makes.
pub(crate) async fn every_fault_of_a_snapshot(objects: &dyn Fn() -> Arc<dyn ObjectStore>) -> usize {
    let mut requests = 0;
    for fault in FAULTS {
        for at in 0.. {
            let (home, objects) = (Home::new(), objects());
            home.take(&once(Arc::clone(&objects))).await.unwrap();
            let old = home.state();
            home.learn("twap");
            let new = home.state();
            let faulty = Faulty::new(Arc::clone(&objects), fault, at);
            let taken = home.take(&once(faulty.clone())).await;
            let is_over = faulty.requests.load(Ordering::SeqCst) <= at;
            assert_eq!(is_over, taken.is_ok(), "{fault:?} at {at}: {taken:?}");

            // Whatever happened, there is the old one or the new one.
            let other = Home::empty();
            let restored = other.restore(&once(Arc::clone(&objects))).await.unwrap();
            let expected = if restored.number == 1 { &old } else { &new };
            assert_eq!(other.state(), *expected, "{fault:?} at {at}");
            // And a second try works.
            home.take(&once(Arc::clone(&objects))).await.unwrap();
            let other = Home::empty();
            let restored = other.restore(&once(objects)).await.unwrap();
            assert_eq!((restored.number, other.state()), (2, new), "{fault:?} at {at}");
            requests += 1;
            if is_over {
                break;
            }
        }
    }
    requests
}

#[tokio::test]
async fn after_any_fault_of_a_snapshot_the_head_is_the_old_or_the_new_one() {
    let tried = every_fault_of_a_snapshot(&|| Arc::new(InMemory::new())).await;
    assert!(tried >= 3 * 5, "{tried} requests");
}

/// Restores with a fault at every request in turn, over whatever `objects` is. Gives how many were tried.
pub(crate) async fn every_fault_of_a_restore(objects: Arc<dyn ObjectStore>) -> usize {
    let home = Home::new();
    home.learn("twap");
    home.take(&once(Arc::clone(&objects))).await.unwrap();
    let mut requests = 0;
    for fault in FAULTS {
        for at in 0.. {
            let other = Home::empty();
            let faulty = Faulty::new(Arc::clone(&objects), fault, at);
            let restored = other.restore(&once(faulty.clone())).await;
            if faulty.requests.load(Ordering::SeqCst) <= at {
                assert_eq!(other.state(), home.state());
                break;
            }
            assert!(restored.is_err());
            assert_eq!(other.beside(), Vec::<String>::new(), "{fault:?} at {at}");
            other.restore(&once(Arc::clone(&objects))).await.unwrap();
            assert_eq!(other.state(), home.state());
            requests += 1;
        }
    }
    requests
}

#[tokio::test]
async fn after_any_fault_of_a_restore_the_target_is_absent_or_complete() {
    let tried = every_fault_of_a_restore(Arc::new(InMemory::new())).await;
    assert!(tried >= 3 * 3, "{tried} requests");
}

#[tokio::test]
async fn one_fault_is_borne_by_trying_again() {
    for fault in [Fault::Before, Fault::After] {
        for at in 0.. {
            let (home, objects) = (Home::new(), Arc::new(InMemory::new()));
            let faulty = Faulty::new(objects.clone(), fault, at);
            let retry = Retry { tries: 2, pause: Duration::ZERO };
            let store = Store::over(faulty.clone(), "test", retry);
            let taken = home.take(&store).await.unwrap();
            assert!(matches!(taken, Taken::New { number: 1, .. }), "{fault:?} at {at}");
            let before = home.state();
            home.wipe();
            home.restore(&store).await.unwrap();
            assert_eq!(home.state(), before);
            if faulty.requests.load(Ordering::SeqCst) <= at {
                break;
            }
        }
    }
}

/// A store that holds back manifests until it is told to let them through.
#[derive(Debug)]
pub(crate) struct Slow {
    inner: Arc<dyn ObjectStore>,
    gate: Semaphore,
    waiting: Semaphore,
}

impl Slow {
    pub(crate) fn new(inner: Arc<dyn ObjectStore>) -> Arc<Self> {
        Arc::new(Self { inner, gate: Semaphore::new(0), waiting: Semaphore::new(0) })
    }

    /// Waits until a manifest is held back.
    pub(crate) async fn until_waiting(&self) {
        self.waiting.acquire().await.unwrap().forget();
    }

    /// Lets one through.
    pub(crate) fn open(&self) {
        self.gate.add_permits(1);
    }
}

impl fmt::Display for Slow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("slow")
    }
}

#[async_trait]
impl ObjectStore for Slow {
    async fn put_opts(&self, at: &Path, put: PutPayload, options: PutOptions) -> Result<PutResult> {
        if at.as_ref().contains("/snapshots/") {
            self.waiting.add_permits(1);
            self.gate.acquire().await.unwrap().forget();
        }
        self.inner.put_opts(at, put, options).await
    }

    async fn put_multipart_opts(
        &self,
        at: &Path,
        options: PutMultipartOptions,
    ) -> Result<Box<dyn MultipartUpload>> {
        self.inner.put_multipart_opts(at, options).await
    }

    async fn get_opts(&self, at: &Path, options: GetOptions) -> Result<GetResult> {
        self.inner.get_opts(at, options).await
    }

    fn delete_stream(
        &self,
        paths: BoxStream<'static, Result<Path>>,
    ) -> BoxStream<'static, Result<Path>> {
        self.inner.delete_stream(paths)
    }

    fn list(&self, prefix: Option<&Path>) -> BoxStream<'static, Result<ObjectMeta>> {
        self.inner.list(prefix)
    }

    async fn list_with_delimiter(&self, prefix: Option<&Path>) -> Result<ListResult> {
        self.inner.list_with_delimiter(prefix).await
    }

    async fn copy_opts(&self, from: &Path, to: &Path, options: CopyOptions) -> Result<()> {
        self.inner.copy_opts(from, to, options).await
    }
}

#[tokio::test]
async fn r12_a_slow_older_upload_finds_its_number_taken() {
    let inner = Arc::new(InMemory::new());
    let (slow, fast) = (Home::new(), Home::empty());
    slow.take(&once(inner.clone())).await.unwrap();
    fast.restore(&once(inner.clone())).await.unwrap();
    slow.learn("older");
    fast.learn("newer");
    fast.learn("newest");
    let gate = Slow::new(inner.clone());
    let store = once(gate.clone());
    let older = slow.take(&store);
    let newer = async {
        gate.until_waiting().await;
        let taken = fast.take(&once(inner.clone())).await.unwrap();
        assert!(matches!(taken, Taken::New { number: 2, .. }));
        gate.open();
    };
    let (older, ()) = tokio::join!(older, newer);
    assert!(matches!(older, Err(SnapshotError::Lost { number: 2 })), "{older:?}");
    // Nor does it win by trying again.
    let again = slow.take(&once(inner.clone())).await;
    assert!(matches!(again, Err(SnapshotError::Behind { number: 2 })), "{again:?}");
    let other = Home::empty();
    other.restore(&once(inner)).await.unwrap();
    assert_eq!(other.state(), fast.state());
}

#[tokio::test]
async fn one_brain_has_one_snapshot_under_way() {
    let inner = Arc::new(InMemory::new());
    let home = Home::new();
    let gate = Slow::new(inner.clone());
    let store = once(gate.clone());
    let second = async {
        gate.until_waiting().await;
        let error = home.take(&once(inner.clone())).await.unwrap_err();
        assert!(matches!(error, SnapshotError::Busy { .. }), "{error}");
        gate.open();
    };
    let (first, ()) = tokio::join!(home.take(&store), second);
    first.unwrap();
}
