//! Servers that do exactly what a test says, plain or encrypted, and one that is git's own.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};

/// What the server does with one request.
pub(crate) enum Act {
    /// Sends these bytes and closes the connection.
    Send(Vec<u8>),
    /// Sends these bytes and then says nothing more.
    Stall(Vec<u8>),
}

/// A request.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) number: usize,
    pub(crate) method: String,
    /// The path without the query.
    pub(crate) path: String,
    pub(crate) query: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map_or("", |(_, value)| value)
    }
}

pub(crate) struct Server {
    pub(crate) port: u16,
    /// The certificate as PEM, of an encrypted server.
    pub(crate) certificate: String,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    requests: Vec<String>,
    sent: usize,
}

type Script = Arc<dyn Fn(&Request) -> Act + Send + Sync>;

impl Server {
    pub(crate) fn http(script: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Self {
        Self::start(Ipv4Addr::LOCALHOST, None, Arc::new(script))
    }

    /// A server on another address of this machine.
    pub(crate) fn http_on(
        address: Ipv4Addr,
        script: impl Fn(&Request) -> Act + Send + Sync + 'static,
    ) -> Self {
        Self::start(address, None, Arc::new(script))
    }

    /// An encrypted server that is called `localhost`.
    pub(crate) fn https(script: impl Fn(&Request) -> Act + Send + Sync + 'static) -> Self {
        Self::https_as("localhost", script)
    }

    /// An encrypted server of another name.
    pub(crate) fn https_as(
        name: &str,
        script: impl Fn(&Request) -> Act + Send + Sync + 'static,
    ) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let mut server = Self::start(Ipv4Addr::LOCALHOST, Some(Arc::new(config)), Arc::new(script));
        server.certificate = made.cert.pem();
        server
    }

    fn start(address: Ipv4Addr, tls: Option<Arc<ServerConfig>>, script: Script) -> Self {
        let listener = TcpListener::bind((address, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (tls, script, seen) = (tls.clone(), Arc::clone(&script), Arc::clone(&kept));
                std::thread::spawn(move || match tls {
                    Some(config) => {
                        let tls = ServerConnection::new(config).unwrap();
                        serve(StreamOwned::new(tls, socket), &*script, &seen, |stream| {
                            stream.conn.send_close_notify();
                            let _ = stream.flush();
                            let _ = stream.sock.shutdown(std::net::Shutdown::Write);
                        });
                    }
                    None => serve(socket, &*script, &seen, |socket: &mut TcpStream| {
                        let _ = socket.shutdown(std::net::Shutdown::Write);
                    }),
                });
            }
        });
        Self { port, certificate: String::new(), seen }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        match self.certificate.as_str() {
            "" => format!("http://127.0.0.1:{}{path}", self.port),
            _ => format!("https://localhost:{}{path}", self.port),
        }
    }

    /// Method and path of the requests so far.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.seen.lock().unwrap().requests.clone()
    }

    /// Bytes that were sent so far.
    pub(crate) fn sent(&self) -> usize {
        self.seen.lock().unwrap().sent
    }
}

fn serve<S: Read + Write>(
    mut stream: S,
    script: &(dyn Fn(&Request) -> Act + Send + Sync),
    seen: &Mutex<Seen>,
    close: impl FnOnce(&mut S),
) {
    let Some(mut request) = read(&mut stream) else { return };
    {
        let mut seen = seen.lock().unwrap();
        request.number = seen.requests.len();
        seen.requests.push(format!("{} {}", request.method, request.path));
    }
    let act = script(&request);
    let (Act::Send(bytes) | Act::Stall(bytes)) = &act;
    seen.lock().unwrap().sent += bytes.len();
    let _ = stream.write_all(bytes);
    let _ = stream.flush();
    if matches!(act, Act::Stall(_)) {
        // Until the other side leaves.
        let _ = stream.read(&mut [0]);
    }
    close(&mut stream);
    // What the other side still says is heard, so that the end arrives as an end and not as a reset.
    let _ = std::io::copy(&mut stream, &mut std::io::sink());
}

fn read(stream: &mut impl Read) -> Option<Request> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let headers = lines.filter_map(|line| line.split_once(": "));
    let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let (path, query) = (path.to_owned(), query.to_owned());
    let mut request = Request { number: 0, method, path, query, headers, body: Vec::new() };
    if request.header("Transfer-Encoding") == "chunked" {
        loop {
            let mut line = Vec::new();
            while !line.ends_with(b"\r\n") {
                let mut byte = [0];
                stream.read_exact(&mut byte).ok()?;
                line.push(byte[0]);
            }
            let size = usize::from_str_radix(std::str::from_utf8(&line).ok()?.trim(), 16).ok()?;
            let mut chunk = vec![0; size + 2];
            stream.read_exact(&mut chunk).ok()?;
            if size == 0 {
                break;
            }
            request.body.extend(&chunk[..size]);
        }
    } else if let Ok(length) = request.header("Content-Length").parse() {
        request.body = vec![0; length];
        stream.read_exact(&mut request.body).ok()?;
    }
    Some(request)
}

/// An answer with a body.
pub(crate) fn good(body: &[u8]) -> Act {
    let mut answer =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len())
            .into_bytes();
    answer.extend(body);
    Act::Send(answer)
}

pub(crate) fn missing() -> Act {
    Act::Send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_vec())
}

/// An answer that sends on.
pub(crate) fn sends_on(to: &str) -> Act {
    let head = "HTTP/1.1 301 Moved Permanently";
    let answer =
        format!("{head}\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    Act::Send(answer.into_bytes())
}

/// What `git http-backend` says about the repositories in a folder.
pub(crate) fn git_backend(root: &Path) -> impl Fn(&Request) -> Act + Send + Sync + use<> {
    let root: PathBuf = root.to_owned();
    move |request: &Request| {
        let mut command = Command::new("git");
        command
            .arg("http-backend")
            .env("GIT_PROJECT_ROOT", &root)
            .env("GIT_HTTP_EXPORT_ALL", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("REQUEST_METHOD", &request.method)
            .env("PATH_INFO", &request.path)
            .env("QUERY_STRING", &request.query)
            .env("CONTENT_TYPE", request.header("Content-Type"))
            .env("CONTENT_LENGTH", request.body.len().to_string())
            .env("HTTP_CONTENT_ENCODING", request.header("Content-Encoding"))
            .env("GIT_PROTOCOL", request.header("Git-Protocol"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (mut input, body) = (child.stdin.take().unwrap(), request.body.clone());
        let writer = std::thread::spawn(move || {
            let _ = input.write_all(&body);
        });
        let output = child.wait_with_output().unwrap().stdout;
        writer.join().unwrap();
        let end = output.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
        let (head, body) = (String::from_utf8_lossy(&output[..end]), &output[end + 4..]);
        let status =
            head.lines().find_map(|line| line.strip_prefix("Status: ")).unwrap_or("200 OK");
        let headers: String = head
            .lines()
            .filter(|line| !line.starts_with("Status: "))
            .flat_map(|line| [line, "\r\n"])
            .collect();
        let mut answer = format!(
            "HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        )
        .into_bytes();
        answer.extend(body);
        Act::Send(answer)
    }
}
