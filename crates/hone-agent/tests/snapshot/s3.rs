//! Against a real server that speaks S3. `cargo xtask test` installs it and says where it is.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hone_agent::lineage::snapshot::{SnapshotError, Snapshots, Store, Taken, Which};
use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::prefix::PrefixStore;

use crate::faults::{every_fault_of_a_restore, every_fault_of_a_snapshot};
use crate::sample::{AGENT, Home, LAYOUT, secret};

const VARIABLE: &str = "HONE_TEST_WEED";
const BUCKET: &str = "snapshots";
/// How long the server may take to answer for the first time.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of its own, ended with the test.
struct Server {
    child: Child,
    /// Of the master, the volumes, the files, and S3.
    ports: Vec<u16>,
    data: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Sockets that it leaves behind and that cannot be put elsewhere.
        for (part, port) in ["master", "volume", "filer", "s3"].iter().zip(&self.ports) {
            let _ = fs::remove_file(format!("/tmp/seaweedfs-{part}-grpc-{}.sock", port + 10_000));
        }
    }
}

impl Server {
    /// Starts it and waits until it has the bucket.
    fn start() -> Self {
        let weed =
            std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).unwrap_or_else(|| {
                panic!("this test needs SeaweedFS: run `cargo xtask test`, or set {VARIABLE}")
            });
        let data = tempfile::tempdir().unwrap();
        let identities = r#"{"identities":[{"name":"test","credentials":
            [{"accessKey":"id","secretKey":"secret"}],"actions":["Admin","Read","Write","List"]}]}"#;
        fs::write(data.path().join("s3.json"), identities).unwrap();
        // Free ports at this moment; each server also listens 10,000 above its own.
        let ports: Vec<u16> = free_ports(4);
        let log = fs::File::create(data.path().join("log")).unwrap();
        let mut command = Command::new(weed);
        command
            .arg("server")
            .args(["-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-s3", "-filer"])
            .arg(format!("-dir={}", data.path().display()))
            .arg(format!("-s3.config={}", data.path().join("s3.json").display()))
            .arg(format!("-master.port={}", ports[0]))
            .arg(format!("-volume.port={}", ports[1]))
            .arg(format!("-filer.port={}", ports[2]))
            .arg(format!("-s3.port={}", ports[3]))
            .args(["-master.volumeSizeLimitMB=64", "-volume.max=20", "-s3.port.iceberg=0"])
            .arg("-master.telemetry=false")
            // By itself it stops writing when a hundredth of the disk is left.
            .arg("-volume.minFreeSpace=64MiB")
            .arg(format!("-filer.localSocket={}", data.path().join("filer.sock").display()))
            .arg(format!("-s3.localSocket={}", data.path().join("s3.sock").display()))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log);
        let child = command.spawn().unwrap();
        let mut server = Self { child, ports, data };
        server.make_bucket();
        server
    }

    /// A bucket is a folder of the server's own files; made as soon as it answers.
    fn make_bucket(&mut self) {
        let start = Instant::now();
        let request = format!(
            "POST /buckets/{BUCKET}/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        let mut has_bucket = false;
        loop {
            let log = || fs::read_to_string(self.data.path().join("log")).unwrap_or_default();
            assert!(start.elapsed() < PATIENCE, "no answer:\n{}", log());
            assert!(self.child.try_wait().unwrap().is_none(), "it ended:\n{}", log());
            let answer = TcpStream::connect(("127.0.0.1", self.ports[2])).and_then(|mut line| {
                line.set_read_timeout(Some(Duration::from_secs(5)))?;
                line.write_all(request.as_bytes())?;
                let mut answer = String::new();
                line.read_to_string(&mut answer)?;
                Ok(answer)
            });
            // Made a second time it is refused.
            has_bucket |= answer.is_ok_and(|answer| answer.starts_with("HTTP/1.1 201"));
            if has_bucket && TcpStream::connect(("127.0.0.1", self.ports[3])).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn settings(&self) -> Vec<(String, String)> {
        let endpoint = format!("http://127.0.0.1:{}", self.ports[3]);
        [
            ("AWS_ACCESS_KEY_ID", "id"),
            ("AWS_SECRET_ACCESS_KEY", "secret"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ENDPOINT_URL", &endpoint),
            ("AWS_ALLOW_HTTP", "true"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into()
    }

    fn store(&self, prefix: &str) -> Store {
        Store::open(&format!("s3://{BUCKET}/{prefix}"), self.settings()).unwrap()
    }

    fn objects(&self, prefix: &str) -> Arc<dyn ObjectStore> {
        let start = AmazonS3Builder::new().with_bucket_name(BUCKET);
        let built = self.settings().into_iter().fold(start, |builder, (name, value)| {
            builder.with_config(name.to_ascii_lowercase().parse().unwrap(), value)
        });
        Arc::new(PrefixStore::new(built.build().unwrap(), prefix))
    }
}

/// Ports that are free, and whose neighbours 10,000 above are.
fn free_ports(count: usize) -> Vec<u16> {
    let mut held = Vec::new();
    while held.len() < count {
        let low = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = low.local_addr().unwrap().port();
        if port > 55_000 {
            continue;
        }
        if let Ok(high) = TcpListener::bind(("127.0.0.1", port + 10_000)) {
            held.push((port, low, high));
        }
    }
    held.into_iter().map(|(port, _, _)| port).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_s3_server_keeps_every_promise() {
    let server = Server::start();

    // There and back, unchanged, changed.
    let store = server.store("one/two");
    let home = Home::new();
    home.take(&store).await.unwrap();
    assert_eq!(home.take(&store).await.unwrap(), Taken::Unchanged { number: 1 });
    home.add_messages(5_000);
    home.learn("twap");
    assert!(matches!(home.take(&store).await.unwrap(), Taken::New { number: 2, .. }));
    let other = Home::empty();
    assert_eq!(other.restore(&store).await.unwrap().number, 2);
    assert_eq!(other.state(), home.state());
    let old = Home::empty();
    old.restore_as(&store, &secret(), AGENT, Which::Exactly(1)).await.unwrap();

    // Of two that want the same number, one gets it.
    home.learn("mine");
    other.learn("theirs");
    let (mine, theirs) = tokio::join!(home.take(&store), other.take(&store));
    let won = [&mine, &theirs].into_iter().filter(|taken| taken.is_ok()).count();
    let lost = [&mine, &theirs].into_iter().filter(|taken| {
        matches!(
            taken,
            Err(SnapshotError::Lost { number: 3 } | SnapshotError::Behind { number: 3 })
        )
    });
    assert_eq!((won, lost.count()), (1, 1), "{mine:?} {theirs:?}");

    // Removal.
    let winner = if mine.is_ok() { &home } else { &other };
    let known = winner.known();
    let snapshots = Snapshots::open(&store, Some(&secret()), &known, AGENT, &LAYOUT).await.unwrap();
    let far = 1_000 * 3600 * 24 * 365 * 200;
    let pruned = snapshots.prune(std::num::NonZeroUsize::new(1).unwrap(), far).await.unwrap();
    assert_eq!((pruned.kept, pruned.snapshots), (1, 2));
    let last = Home::empty();
    assert_eq!(last.restore(&store).await.unwrap().number, 3);
    assert_eq!(last.state(), winner.state());

    // A wrong password is told, with what the server said.
    let mut settings = server.settings();
    settings[1].1 = "wrong".to_owned();
    let refused = Store::open(&format!("s3://{BUCKET}/one/two"), settings).unwrap();
    let error = Home::new().take(&refused).await.unwrap_err();
    assert!(matches!(error, SnapshotError::Store { .. }), "{error}");
    assert!(error.to_string().contains("403"), "{error}");

    // A fault at every request in turn.
    let turn = AtomicUsize::new(0);
    let objects = || server.objects(&format!("turn-{}", turn.fetch_add(1, Ordering::SeqCst)));
    assert!(every_fault_of_a_snapshot(&objects).await >= 3 * 5);
    assert!(every_fault_of_a_restore(objects()).await >= 3 * 3);
}
