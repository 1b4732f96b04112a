//! A server that does exactly what a test says, byte for byte.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hone_net::{Client, HeaderMap, Limits, PlainHttp, Reach, Resolve, Resolving, Settings, Url};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;

/// What the server does with one request.
pub(crate) enum Act {
    /// Sends these bytes and closes the connection.
    Send(Vec<u8>),
    /// Sends these bytes and then says nothing more.
    Stall(Vec<u8>),
    /// Sends these bytes over and over until the other side leaves.
    Flood(Vec<u8>),
}

pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    /// The heads of the requests, as they came.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Starts a server; the script gets the number of the request and its head.
    pub(crate) async fn start(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (script, heads) = (Arc::new(script), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, Arc::clone(&script), Arc::clone(&heads)));
            }
        });
        Self { address, requests }
    }

    pub(crate) fn url(&self, path: &str) -> Url {
        Url::parse(&format!("http://{}{path}", self.address)).unwrap()
    }

    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }
}

/// Reads one request and answers it as the script says.
pub(crate) async fn serve<S, F>(mut socket: S, script: Arc<F>, heads: Arc<Mutex<Vec<String>>>)
where
    S: AsyncRead + AsyncWrite + Unpin,
    F: Fn(usize, &str) -> Act,
{
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match socket.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let number = {
        let mut heads = heads.lock().unwrap();
        heads.push(head.clone());
        heads.len() - 1
    };
    match script(number, &head) {
        Act::Send(bytes) => {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.shutdown().await;
        }
        Act::Stall(bytes) => {
            let _ = socket.write_all(&bytes).await;
            let _ = socket.flush().await;
            // Until the other side leaves.
            let _ = socket.read_u8().await;
        }
        Act::Flood(bytes) => while socket.write_all(&bytes).await.is_ok() {},
    }
}

/// An answer with a body and its length.
pub(crate) fn good(body: &str) -> Act {
    Act::Send(format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into())
}

/// An answer that sends on.
pub(crate) fn sends_on(to: &str) -> Act {
    Act::Send(
        format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n").into_bytes(),
    )
}

/// A resolver that knows one name.
pub(crate) struct Knows(pub(crate) &'static str, pub(crate) Vec<IpAddr>);

impl Resolve for Knows {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let known = (name == self.0).then(|| self.1.clone());
        Box::pin(async move { Ok(known.unwrap_or_default()) })
    }
}

/// Settings of a client that may ask servers of this machine without encryption.
pub(crate) fn anywhere() -> Settings {
    Settings { reach: Reach::Anywhere, plain_http: PlainHttp::Allowed, ..Settings::default() }
}

/// Settings of a client for which 127.0.0.1, and nothing else of this machine, is public.
pub(crate) fn public() -> Settings {
    Settings {
        exceptions: Arc::new([IpAddr::V4(Ipv4Addr::LOCALHOST)]),
        plain_http: PlainHttp::Allowed,
        ..Settings::default()
    }
}

pub(crate) async fn get(
    settings: Settings,
    url: &Url,
    limits: &Limits,
) -> Result<hone_net::Page, hone_net::Error> {
    Client::new(settings).unwrap().get(url, &HeaderMap::new(), limits).await
}

/// The message of a request that has to fail.
pub(crate) async fn failure(settings: Settings, url: &str, limits: &Limits) -> String {
    get(settings, &Url::parse(url).unwrap(), limits).await.unwrap_err().to_string()
}

/// Limits that a test can wait for.
pub(crate) fn short() -> Limits {
    Limits { silence: Duration::from_millis(200), ..Limits::default() }
}
