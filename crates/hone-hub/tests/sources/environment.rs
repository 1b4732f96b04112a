//! What a person's surroundings say: a proxy, which alone knows some names, and git's own helpers for
//! passwords.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::process::Command;
use std::sync::{Arc, Mutex};

use hone_hub::{FetchOptions, Wanted, fetch, parse};
use hone_net::{Proxies, Reach, Settings};

use crate::archives::{Entry::File, zip};
use crate::git::Repository;
use crate::server::{Act, Server, git_backend, good};
use crate::{bundle, options, shown, skill};

/// A name that no resolver knows.
const HOST: &str = "skills.hone.invalid";
const SOURCE: &str = "HONE_TEST_SOURCE";

/// A proxy that opens every tunnel to one server of this machine.
struct Proxy {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn to(server: &Server) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let (port, to) = (listener.local_addr().unwrap().port(), server.port);
        let asked = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let heard = Arc::clone(&heard);
                std::thread::spawn(move || tunnel(socket, to, &heard));
            }
        });
        Self { port, asked }
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What was asked for, each once.
    fn asked(&self) -> Vec<String> {
        let mut asked = self.asked.lock().unwrap().clone();
        asked.dedup();
        asked
    }
}

fn tunnel(mut client: TcpStream, to: u16, heard: &Mutex<Vec<String>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if client.read_exact(&mut byte).is_err() {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    heard.lock().unwrap().push(head.split(" HTTP/").next().unwrap().to_owned());
    let mut server = TcpStream::connect((Ipv4Addr::LOCALHOST, to)).unwrap();
    client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").unwrap();
    let (mut from_client, mut to_server) =
        (client.try_clone().unwrap(), server.try_clone().unwrap());
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from_client, &mut to_server);
        let _ = to_server.shutdown(Shutdown::Write);
    });
    let _ = std::io::copy(&mut server, &mut client);
    let _ = client.shutdown(Shutdown::Write);
}

#[test]
fn an_archive_comes_through_the_proxy_which_alone_knows_its_host() {
    let archive = zip(&[File("SKILL.md", &skill("pdf"))]);
    let server = Server::https_as(HOST, move |_| good(&archive));
    let proxy = Proxy::to(&server);
    let work = tempfile::tempdir().unwrap();
    let net = Settings {
        certificates: server.certificate.clone().into_bytes(),
        proxies: Proxies { https: Some(proxy.url()), ..Proxies::default() },
        ..Settings::default()
    };
    let source = parse(&format!("https://{HOST}/dist/pdf.skill")).unwrap();
    let behind = FetchOptions { net: net.clone(), ..options(work.path()) };
    let fetched = fetch(&source, &Wanted::All, &behind).unwrap();
    assert_eq!(shown(&fetched.bundles), [bundle("pdf", "", &["SKILL.md"])]);
    assert_eq!(proxy.asked(), [format!("CONNECT {HOST}:443")]);
    let net = Settings { proxies: Proxies::default(), ..net };
    let without = FetchOptions { net, ..options(work.path()) };
    assert!(fetch(&source, &Wanted::All, &without).is_err());
}

/// A process with an environment of its own: a test that does nothing unless it is told to.
#[test]
fn the_process_in_other_surroundings() {
    let Ok(source) = std::env::var(SOURCE) else { return };
    let work = tempfile::tempdir().unwrap();
    let mut options = FetchOptions::new(work.path());
    if source.contains("127.0.0.1") {
        options.net.reach = Reach::Anywhere;
    }
    let fetched = fetch(&parse(&source).unwrap(), &Wanted::All, &options);
    println!("fetched {}", fetched.map_or_else(|e| e.to_string(), |all| all.commit.unwrap()));
}

/// What a process with these variables says about a source.
fn fetched_with(source: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "environment::the_process_in_other_surroundings", "--nocapture"])
        .env(SOURCE, source)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(variables.iter().copied())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    let line = said.lines().find_map(|line| line.split_once("fetched "));
    line.unwrap_or_else(|| panic!("{said}")).1.to_owned()
}

#[test]
fn a_repository_comes_through_the_proxy_which_alone_knows_its_host() {
    let repository = Repository::new();
    let commit = repository.commit(&[("SKILL.md", &skill("pdf"))]);
    let server = Server::https_as(HOST, git_backend(repository.root()));
    let proxy = Proxy::to(&server);
    let certificate = repository.root().join("certificate.pem");
    std::fs::write(&certificate, &server.certificate).unwrap();
    let variables = [
        ("HTTPS_PROXY", proxy.url()),
        ("NO_PROXY", String::new()),
        ("GIT_SSL_CAINFO", certificate.display().to_string()),
    ];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    let source = format!("https://{HOST}/skills.git");
    assert_eq!(fetched_with(&source, &variables), commit);
    assert_eq!(proxy.asked(), [format!("CONNECT {HOST}:443")]);
}

#[test]
fn a_password_comes_from_the_helper_that_git_is_told_to_ask() {
    let repository = Repository::new();
    let commit = repository.commit(&[("SKILL.md", &skill("pdf"))]);
    let backend = git_backend(repository.root());
    let server = Server::http(move |request| match request.header("Authorization") {
        "Basic YWRhOnNlY3JldA==" => backend(request),
        _ => Act::Send(
            b"HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"x\"\r\n\
              Content-Length: 0\r\nConnection: close\r\n\r\n"
                .to_vec(),
        ),
    });
    let helper = "!f() { echo username=ada; echo password=secret; }; f";
    let variables = [
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "credential.helper"),
        ("GIT_CONFIG_VALUE_0", helper),
    ];
    let source = server.url("/skills.git");
    assert_eq!(fetched_with(&source, &variables), commit);
    let refused = fetched_with(&source, &[]);
    assert!(refused.contains("log in with git first"), "{refused}");
}
