//! TLS, with a certificate of the test's own.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};

use super::harness::{Server, read};
use crate::harness::Sandbox;

#[test]
fn with_a_certificate_every_address_may_be_served_and_only_over_tls() {
    let sandbox = Sandbox::with_tidy();
    let made = rcgen::generate_simple_self_signed(vec!["skills.example".to_owned()]).unwrap();
    sandbox.write("project/cert.pem", made.cert.pem());
    sandbox.write("project/key.pem", made.signing_key.serialize_pem());
    let options = "--listen 0.0.0.0:0 --name skills.example --tls-cert cert.pem --tls-key key.pem";
    let server = Server::start(&sandbox, options);
    assert!(server.link.starts_with("https://localhost:"), "{}", server.link);

    let mut roots = RootCertStore::empty();
    roots.add(made.cert.der().clone()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let config = Arc::new(config);
    let asked = |line: &str, host: &str| {
        let name = ServerName::try_from("skills.example").unwrap();
        let connection = ClientConnection::new(Arc::clone(&config), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(server.address).unwrap());
        let request = format!(
            "{line} HTTP/1.1\r\nHost: {host}:{}\r\nAuthorization: Bearer {}\r\nConnection: close\r\n\r\n",
            server.address.port(),
            server.token
        );
        stream.write_all(request.as_bytes()).unwrap();
        read(&mut stream)
    };
    assert_eq!(asked("GET /api/v1/skills/tidy", "skills.example").json()["name"], "tidy");
    asked("GET /api/v1/skills/tidy", "evil.example").problem(421);
    let entered = asked(&format!("GET /enter?token={}", server.token), "skills.example");
    assert!(entered.header("set-cookie").ends_with("; Secure"), "{entered:?}");

    let mut plain = server.connect();
    plain.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    let _ = plain.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/"), "{}", String::from_utf8_lossy(&answer));

    sandbox.write("project/broken.pem", "nonsense");
    let broken = "serve --listen 127.0.0.1:0 --tls-cert broken.pem --tls-key key.pem";
    let broken = sandbox.hone(broken).run();
    assert_eq!(broken.code, 2);
    assert!(broken.errors().contains("could not use `broken.pem` for TLS"), "{broken}");
}
