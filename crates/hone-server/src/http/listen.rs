//! Where the server listens, and how a connection is served.
//!
//! Loopback by default. Another address needs TLS, or a person's word that the way there is safe.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::limits::{MAX_HEAD_BYTES, Patience, STOP_GRACE};
use super::patient::Patient;
use super::places::{Answering, Place, Places};

/// The port, unless another is asked for.
pub const DEFAULT_PORT: u16 = 4663;
/// How long to wait when the system has no more connections to give.
const NO_CONNECTION_PAUSE: Duration = Duration::from_millis(50);

/// Where to listen.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The address; port 0 takes any that is free.
    pub address: SocketAddr,
    /// Certificate chain and key, both PEM.
    pub tls: Option<(PathBuf, PathBuf)>,
    /// A person says that plain text is good enough on an address that is not loopback.
    pub is_exposed: bool,
    /// Other names that the server goes by, with a port when it is not the one listened on.
    pub names: Vec<String>,
}

/// Why the server cannot listen.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Others could read along.
    #[error("`{0}` is not loopback, and without TLS everybody on the way can read along")]
    Exposed(SocketAddr),
    /// The certificate or its key cannot be used.
    #[error("could not use `{}` for TLS: {why}", path.display())]
    Tls {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The address cannot be had.
    #[error("could not listen on `{address}`: {source}")]
    Bind {
        /// Which.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

impl ListenError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exposed(_) => {
                "give `--tls-cert` and `--tls-key`, or say `--exposed` when the way there is safe"
            }
            Self::Tls { .. } => "both files are PEM; the certificate comes first in its chain",
            Self::Bind { .. } => "another server may be there; choose a port with `--listen`",
        }
    }
}

/// The names that a server goes by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where it really listens.
    pub socket: SocketAddr,
    /// The port.
    pub port: u16,
    /// Whether it speaks TLS.
    pub is_tls: bool,
    hosts: Vec<String>,
}

impl Address {
    fn new(socket: SocketAddr, is_tls: bool, names: &[String]) -> Self {
        let port = socket.port();
        let mut hosts = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned()];
        if !socket.ip().is_unspecified() {
            hosts.push(shown(socket.ip()));
        }
        hosts.extend(names.iter().map(|name| name.to_ascii_lowercase()));
        let usual = if is_tls { 443 } else { 80 };
        let mut all = Vec::new();
        for host in hosts {
            if has_port(&host) {
                all.push(host);
                continue;
            }
            if port == usual {
                all.push(host.clone());
            }
            all.push(format!("{host}:{port}"));
        }
        Self { socket, port, is_tls, hosts: all }
    }

    /// Whether a host, with its port, is this server.
    pub(crate) fn is_ours(&self, host: &str) -> bool {
        self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host))
    }

    /// Where a browser finds it.
    pub fn url(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        let ip = self.socket.ip();
        let host = if ip.is_unspecified() { "localhost".to_owned() } else { shown(ip) };
        format!("{scheme}://{host}:{}", self.port)
    }
}

fn shown(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => ip.to_string(),
        IpAddr::V6(ip) => format!("[{ip}]"),
    }
}

fn has_port(host: &str) -> bool {
    host.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok())
}

/// A place that is listened on.
pub struct Bound {
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    /// How it is reached.
    pub address: Address,
}

impl std::fmt::Debug for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bound").field("address", &self.address).finish_non_exhaustive()
    }
}

/// Begins to listen.
pub async fn bind(wanted: &Wanted) -> Result<Bound, ListenError> {
    let address = wanted.address;
    if !address.ip().is_loopback() && wanted.tls.is_none() && !wanted.is_exposed {
        return Err(ListenError::Exposed(address));
    }
    let tls = match &wanted.tls {
        Some((chain, key)) => Some(acceptor(chain, key)?),
        None => None,
    };
    let failed = |source| ListenError::Bind { address, source };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let socket = listener.local_addr().map_err(failed)?;
    let address = Address::new(socket, tls.is_some(), &wanted.names);
    Ok(Bound { listener, tls, address })
}

fn acceptor(chain: &Path, key: &Path) -> Result<TlsAcceptor, ListenError> {
    let wrong = |path: &Path, why: String| ListenError::Tls { path: path.to_owned(), why };
    let certificates: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect)
        .map_err(|error| wrong(chain, error.to_string()))?;
    let secret =
        PrivateKeyDer::from_pem_file(key).map_err(|error| wrong(key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(chain, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, secret)
        .map_err(|error| wrong(chain, error.to_string()))?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Serves connections until `stop`, then lets them end, for [`STOP_GRACE`] once `finished` is done.
pub(crate) async fn accept(
    bound: Bound,
    app: Router,
    patience: Patience,
    stop: &CancellationToken,
    finished: impl Future<Output = ()>,
) {
    let places = Places::new(patience.connections);
    let graceful = GracefulShutdown::new();
    let taking = async {
        loop {
            let Ok((stream, remote)) = bound.listener.accept().await else {
                tokio::time::sleep(NO_CONNECTION_PAUSE).await;
                continue;
            };
            let Some(place) = places.take().await else { return };
            let (tls, watcher) = (bound.tls.clone(), graceful.watcher());
            let taken = Taken { remote, place, patience, app: app.clone() };
            tokio::spawn(async move {
                tokio::select! {
                    () = taken.serve(stream, tls, watcher) => {}
                    () = taken.place.given_away() => {}
                }
            });
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = taking => {}
    }
    drop(bound.listener);
    finished.await;
    let _ = timeout(STOP_GRACE, graceful.shutdown()).await;
}

/// A connection that was taken.
struct Taken {
    remote: SocketAddr,
    place: Arc<Place>,
    patience: Patience,
    app: Router,
}

impl Taken {
    async fn serve(&self, stream: TcpStream, tls: Option<TlsAcceptor>, watcher: Watcher) {
        let _ = stream.set_nodelay(true);
        match tls {
            None => self.exchange(stream, watcher).await,
            Some(tls) => {
                if let Ok(Ok(stream)) = timeout(self.patience.handshake, tls.accept(stream)).await {
                    self.exchange(stream, watcher).await;
                }
            }
        }
    }

    /// Requests and answers, until one side ends it.
    async fn exchange<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let Self { remote, ref place, patience, ref app } = *self;
        let stream = Patient::new(stream, Arc::clone(place), patience.unread);
        let app = TowerToHyperService::new(app.clone());
        let answering =
            service_fn(|request| answered(app.clone(), request, remote, Arc::clone(place)));
        let served = hyper::server::conn::http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(patience.head)
            .max_buf_size(MAX_HEAD_BYTES)
            .serve_connection(TokioIo::new(stream), answering);
        // A client that goes away in the middle is no event of ours.
        let _ = watcher.watch(served).await;
    }
}

async fn answered(
    app: TowerToHyperService<Router>,
    mut request: Request<Incoming>,
    remote: SocketAddr,
    place: Arc<Place>,
) -> Result<Response<Answering>, Infallible> {
    if !place.asked() {
        // The connection is about to end, and nothing must be begun on it.
        return std::future::pending().await;
    }
    request.extensions_mut().insert(remote);
    let response = app.call(request.map(Body::new)).await?;
    Ok(response.map(|body| Answering::new(body, place)))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn a_server_goes_by_its_own_names_only() {
        let names = ["Skills.example".to_owned(), "front.example:443".to_owned()];
        let address = Address::new("127.0.0.1:4663".parse().unwrap(), false, &names);
        for ours in [
            "localhost:4663",
            "LOCALHOST:4663",
            "127.0.0.1:4663",
            "[::1]:4663",
            "skills.example:4663",
            "front.example:443",
        ] {
            assert!(address.is_ours(ours), "{ours}");
        }
        for other in [
            "",
            "localhost",
            "localhost:4664",
            "evil.example:4663",
            "127.0.0.1.evil.example:4663",
            "127.0.0.1:4663@evil.example",
            "front.example:4663",
            "0.0.0.0:4663",
        ] {
            assert!(!address.is_ours(other), "{other}");
        }
        let usual = Address::new("[::1]:443".parse().unwrap(), true, &[]);
        assert!(usual.is_ours("localhost") && usual.is_ours("localhost:443"));
        assert_eq!(usual.url(), "https://[::1]:443");
    }

    #[tokio::test]
    async fn only_loopback_is_served_in_plain_text_unasked() {
        let wanted = |address: &str, is_exposed| Wanted {
            address: address.parse().unwrap(),
            tls: None,
            is_exposed,
            names: Vec::new(),
        };
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"] {
            let refused = bind(&wanted(open, false)).await;
            assert!(matches!(refused, Err(ListenError::Exposed(_))), "{open}");
        }
        for fine in [wanted("127.0.0.1:0", false), wanted("0.0.0.0:0", true)] {
            bind(&fine).await.unwrap();
        }
    }
    /// A server that says what it is told, and at `/endless` more than anybody reads.
    async fn echoing(patience: Patience) -> SocketAddr {
        let wanted = Wanted {
            address: "127.0.0.1:0".parse().unwrap(),
            tls: None,
            is_exposed: false,
            names: Vec::new(),
        };
        let bound = bind(&wanted).await.unwrap();
        let address = bound.address.socket;
        let endless = || async {
            let pieces =
                futures_util::stream::repeat_with(|| Ok::<_, Infallible>([b'x'; 4096].to_vec()));
            Body::from_stream(pieces)
        };
        let app = Router::new()
            .route("/", axum::routing::post(|body: String| async { body }))
            .route("/endless", axum::routing::get(endless));
        tokio::spawn(async move {
            let stop = CancellationToken::new();
            accept(bound, app, patience, &stop, std::future::pending()).await;
        });
        address
    }

    /// So many places, and patience for everything.
    fn places(connections: usize) -> Patience {
        Patience { connections, ..Patience::default() }
    }

    /// A connection that has said this.
    async fn saying(address: SocketAddr, words: &str) -> TcpStream {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(words.as_bytes()).await.unwrap();
        stream
    }

    /// The body of the next answer; none when the connection ends instead.
    async fn heard(stream: &mut TcpStream) -> Option<String> {
        let mut heard = Vec::new();
        while !heard.ends_with(b"hello") {
            match stream.read_buf(&mut heard).await {
                Ok(0) | Err(_) => return None,
                Ok(_) => {}
            }
        }
        Some(String::from_utf8(heard).unwrap().split("\r\n\r\n").nth(1)?.to_owned())
    }

    const HEAD: &str = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n";

    /// A connection whose head was taken, and that has yet to say `hello`.
    async fn asking(address: SocketAddr) -> TcpStream {
        let head = HEAD.replace("Host", "Expect: 100-continue\r\nHost");
        let mut stream = saying(address, &head).await;
        let mut heard = Vec::new();
        while !heard.ends_with(b"\r\n\r\n") {
            assert_ne!(stream.read_buf(&mut heard).await.unwrap(), 0);
        }
        assert_eq!(heard, b"HTTP/1.1 100 Continue\r\n\r\n");
        stream
    }

    #[tokio::test]
    async fn who_is_being_answered_keeps_a_place_and_who_waits_gives_way() {
        let address = echoing(places(2)).await;
        let mut asking = asking(address).await;
        let mut slow = saying(address, "POST / HTTP/1.1\r\nHo").await;
        let mut third = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut third).await.as_deref(), Some("hello"));
        assert_eq!(heard(&mut slow).await, None, "it had asked nothing");
        asking.write_all(b"hello").await.unwrap();
        assert_eq!(heard(&mut asking).await.as_deref(), Some("hello"), "it had");
    }

    #[tokio::test]
    async fn who_was_answered_waits_again_and_whoever_has_waited_longest_goes_first() {
        let address = echoing(places(2)).await;
        let mut first = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut first).await.as_deref(), Some("hello"));
        let mut second = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut second).await.as_deref(), Some("hello"));
        first.write_all(format!("{HEAD}hello").as_bytes()).await.unwrap();
        assert_eq!(heard(&mut first).await.as_deref(), Some("hello"), "a second request");
        let mut third = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut third).await.as_deref(), Some("hello"));
        assert_eq!(heard(&mut second).await, None, "it has waited longest");
        first.write_all(format!("{HEAD}hello").as_bytes()).await.unwrap();
        assert_eq!(heard(&mut first).await.as_deref(), Some("hello"));
    }

    #[tokio::test]
    async fn when_all_are_being_answered_the_next_comes_after_the_first_that_was() {
        let address = echoing(places(1)).await;
        let mut asking = asking(address).await;
        let mut next = saying(address, &format!("{HEAD}hello")).await;
        asking.write_all(b"hello").await.unwrap();
        assert_eq!(heard(&mut asking).await.as_deref(), Some("hello"));
        assert_eq!(heard(&mut next).await.as_deref(), Some("hello"));
        assert_eq!(heard(&mut asking).await, None, "it waited for nothing");
    }

    #[tokio::test]
    async fn who_takes_too_long_for_a_head_is_let_go() {
        let patience = Patience { head: Duration::from_millis(20), ..Patience::default() };
        let address = echoing(patience).await;
        let mut slow = saying(address, "POST / HTTP/1.1\r\nHo").await;
        assert_eq!(heard(&mut slow).await, None);
        let mut quick = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut quick).await.as_deref(), Some("hello"));
    }

    #[tokio::test]
    async fn who_leaves_an_answer_unread_is_let_go() {
        let patience = Patience { unread: Duration::from_millis(20), ..places(1) };
        let address = echoing(patience).await;
        let deaf = saying(address, "GET /endless HTTP/1.1\r\nHost: x\r\n\r\n").await;
        deaf.readable().await.unwrap();
        // There is one place, and nobody gives it up while being answered.
        let mut next = saying(address, &format!("{HEAD}hello")).await;
        assert_eq!(heard(&mut next).await.as_deref(), Some("hello"));
        drop(deaf);
    }
}
