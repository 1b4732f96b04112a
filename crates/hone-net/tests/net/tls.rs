//! Encrypted connections with a certificate that is known, or not.

use std::net::Ipv4Addr;
use std::sync::{Arc, Mutex};

use hone_net::{Error, Limits, Settings, Url};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::server::{Act, anywhere, get, good, sends_on, serve};

/// A server with a certificate of its own for `localhost`, and that certificate as PEM.
async fn start(script: impl Fn(usize, &str) -> Act + Send + Sync + 'static) -> (Url, String) {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![made.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (script, heads) = (Arc::new(script), Arc::new(Mutex::new(Vec::new())));
    tokio::spawn(async move {
        while let Ok((socket, _)) = listener.accept().await {
            let (acceptor, script, heads) = (acceptor.clone(), script.clone(), heads.clone());
            tokio::spawn(async move {
                if let Ok(socket) = acceptor.accept(socket).await {
                    serve(socket, script, heads).await;
                }
            });
        }
    });
    (Url::parse(&format!("https://localhost:{port}/")).unwrap(), made.cert.pem())
}

fn trusting(certificate: &str) -> Settings {
    Settings { certificates: certificate.into(), ..anywhere() }
}

#[tokio::test]
async fn a_certificate_nobody_vouches_for_is_refused_with_the_way_out() {
    let (url, certificate) = start(|_, _| good("hello")).await;
    let (_, other) = start(|_, _| good("other")).await;
    let error = get(trusting(&other), &url, &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
    assert!(error.to_string().contains("SSL_CERT_FILE"), "{error}");
    assert!(!error.is_passing());
    let page = get(trusting(&certificate), &url, &Limits::default()).await.unwrap();
    assert_eq!(page.bytes, b"hello");
}

#[tokio::test]
async fn the_file_of_the_environment_is_trusted() {
    let (url, certificate) = start(|_, _| good("hello")).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.pem");
    std::fs::write(&file, certificate).unwrap();
    let from = Settings::from_environment(|name| {
        (name == "SSL_CERT_FILE").then(|| file.to_str().unwrap().to_owned())
    });
    let settings = Settings { reach: hone_net::Reach::Anywhere, ..from };
    assert_eq!(get(settings, &url, &Limits::default()).await.unwrap().bytes, b"hello");
}

#[tokio::test]
async fn encryption_is_never_given_up_on_the_way() {
    let (url, certificate) = start(|_, _| sends_on("http://example.com/")).await;
    let error = get(trusting(&certificate), &url, &Limits::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{url}` sends on to `http://example.com/`, which is not encrypted; refused")
    );
}

#[tokio::test]
async fn a_certificate_for_another_name_is_refused() {
    let (url, certificate) = start(|_, _| good("hello")).await;
    let mut by_address = url.clone();
    by_address.set_host(Some("127.0.0.1")).unwrap();
    let error = get(trusting(&certificate), &by_address, &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Tls { .. }), "{error}");
}
