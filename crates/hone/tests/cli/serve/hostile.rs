//! Requests that nobody sends by accident.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use serde_json::{Value, json};

use super::harness::{Server, read};
use crate::harness::Sandbox;

/// Bytes of a body that are taken.
const MAX_BODY_BYTES: usize = 4 * 1024 * 1024;

/// Requests at once, as `serve.md` promises it.
const MAX_REQUESTS: usize = 256;

/// Connections at once, as `serve.md` promises it.
const MAX_CONNECTIONS: usize = 512;

#[test]
fn no_path_leads_out_of_a_skill() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/secret.txt", "secret");
    sandbox.write("home/secret.txt", "secret");
    std::os::unix::fs::symlink(
        sandbox.path("home/secret.txt"),
        sandbox.path("home/.agents/skills/tidy/link"),
    )
    .unwrap();
    let server = Server::start(&sandbox, "");
    for path in [
        "../secret.txt",
        "..%2fsecret.txt",
        "%2e%2e/secret.txt",
        "%2e%2e%2fsecret.txt",
        "references/../../secret.txt",
        "/etc/passwd",
        "%2fetc%2fpasswd",
        "link",
        "a%00b",
        "a%5c..%5cb",
        "%ff",
        ".",
        "%252e%252e/secret.txt",
    ] {
        for method in ["GET", "PUT", "DELETE"] {
            let line = format!("{method} /api/v1/skills/tidy/files/{path}");
            let answer =
                server.ask_as(&server.token, &line, if method == "PUT" { "x" } else { "" });
            assert!((400..500).contains(&answer.status), "{line}: {}", answer.text());
            assert!(!answer.text().contains("secret\n") && !answer.text().contains("root:"));
        }
    }
    assert_eq!(sandbox.read("home/secret.txt"), "secret");
    for name in ["..", "%2e%2e", "..%2f..%2fhome", "%2fetc", "a%00b", "%ff", &"x".repeat(301)] {
        let answer = server.ask(&format!("GET /api/v1/skills/{name}"));
        assert!((400..500).contains(&answer.status), "{name}: {}", answer.text());
    }
    for name in ["../up", "/etc", "a/b/../../c", ".", ""] {
        let new = json!({"name": name, "content": "---\nname: x\ndescription: y\n---\nz\n"});
        let answer = server.send("POST /api/v1/skills", &new);
        assert!(!sandbox.path("home/.agents/up").exists());
        assert!(answer.status < 500, "{name}: {}", answer.text());
    }
}

#[test]
fn a_body_has_a_bound_whether_it_is_told_or_not() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let head = |more: &str| {
        format!(
            "PATCH /api/v1/skills/tidy HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n{more}\r\n",
            server.address, server.token
        )
    };
    let told = head(&format!("Content-Length: {}\r\n", MAX_BODY_BYTES + 1));
    server.raw(told.as_bytes()).problem(413);
    let mut stream = server.connect();
    stream.write_all(head("Transfer-Encoding: chunked\r\n").as_bytes()).unwrap();
    let piece = vec![b' '; 1024 * 1024];
    for _ in 0..5 {
        let sent = stream.write_all(b"100000\r\n").and_then(|()| stream.write_all(&piece));
        if sent.and_then(|()| stream.write_all(b"\r\n")).is_err() {
            break;
        }
    }
    read(&mut stream).problem(413);
    let padding = " ".repeat(MAX_BODY_BYTES - 40);
    let fits = format!("{{{padding}\"old\": \"Sort\", \"new\": \"Order\"}}");
    let fits = server.ask_as(&server.token, "PATCH /api/v1/skills/tidy", &fits);
    assert_eq!(fits.status, 200, "{}", fits.text());
}

#[test]
fn heads_that_are_too_large_or_no_http_at_all_end_the_connection() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let large = format!(
        "GET / HTTP/1.1\r\nHost: {}\r\nX: {}\r\n\r\n",
        server.address,
        "x".repeat(64 * 1024)
    );
    assert!(matches!(server.raw(large.as_bytes()).status, 0 | 400 | 431));
    for nonsense in
        ["\0\0\0\0\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\u{16}\u{3}\u{1}", "GET /\r\n\r\n"]
    {
        let mut stream = server.connect();
        stream.write_all(nonsense.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(!answer.starts_with(b"HTTP/1.1 2"), "{}", String::from_utf8_lossy(&answer));
    }
    let smuggled = format!(
        "POST /api/v1/match HTTP/1.1\r\nHost: {0}\r\nAuthorization: Bearer {1}\r\nContent-Type: application/json\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /api/v1/skills HTTP/1.1\r\nHost: {0}\r\n\r\n",
        server.address, server.token
    );
    let answer = server.raw(smuggled.as_bytes());
    assert!(answer.status == 400 || answer.status == 415, "{answer:?}");
    assert_eq!(server.ask("GET /api/v1/skills/tidy").status, 200);
}

/// What somebody is answered who asks while so many others have sent half a head, and what those are
/// answered once they send the rest; 0 to one that was closed.
fn among_half_heads(count: usize) -> (u16, Vec<u16>) {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let half = format!("GET /healthz HTTP/1.1\r\nHost: {}\r\n", server.address);
    let begun = (0..count).map(|_| {
        let mut stream = server.connect();
        stream.write_all(half.as_bytes()).unwrap();
        stream
    });
    let begun: Vec<TcpStream> = begun.collect();
    let asked = server.ask("GET /api/v1/skills/tidy").status;
    let finished = begun.into_iter().map(|mut stream| {
        let _ = stream.write_all(b"\r\n");
        read(&mut stream).status
    });
    (asked, finished.collect())
}

#[test]
fn half_a_head_keeps_its_place_until_somebody_needs_it() {
    let fits = MAX_CONNECTIONS - 1;
    assert_eq!(among_half_heads(fits), (200, vec![200; fits]));
    let mut answers = vec![200; MAX_CONNECTIONS];
    answers[0] = 0;
    assert_eq!(among_half_heads(MAX_CONNECTIONS), (200, answers));
}

/// What somebody is answered who asks while so many requests are being answered.
fn among_requests(count: usize) -> u16 {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let head = format!(
        "POST /api/v1/match HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: 100\r\nExpect: 100-continue\r\n\r\n",
        server.address, server.token
    );
    let begun = (0..count).map(|_| {
        let mut stream = server.connect();
        stream.write_all(head.as_bytes()).unwrap();
        let mut told = [0; 12];
        stream.read_exact(&mut told).unwrap();
        assert_eq!(&told, b"HTTP/1.1 100", "its body is waited for");
        stream
    });
    let _begun: Vec<TcpStream> = begun.collect();
    server.ask("GET /api/v1/skills/tidy").status
}

#[test]
fn so_many_requests_are_answered_at_once_and_one_more_is_told_to_come_back() {
    assert_eq!(among_requests(MAX_REQUESTS - 1), 200);
    assert_eq!(among_requests(MAX_REQUESTS), 503);
}

#[test]
fn a_skill_that_is_markup_comes_back_as_data() {
    let sandbox = Sandbox::new();
    let evil = "<script>alert(1)</script>";
    sandbox.write(
        "home/.agents/skills/evil/SKILL.md",
        format!("---\nname: evil\ndescription: '{evil}'\n---\n{evil}\n"),
    );
    sandbox.write("home/.agents/skills/evil/assets/page.html", evil);
    let server = Server::start(&sandbox, "");
    let file = server.ask("GET /api/v1/skills/evil/files/assets/page.html");
    assert_eq!(file.header("content-type"), "text/plain; charset=utf-8");
    assert_eq!(file.header("x-content-type-options"), "nosniff");
    let page = server.plain(
        "GET /",
        &[("Authorization", &format!("Bearer {}", server.token)), ("Accept", "text/html")],
        "",
    );
    assert!(!page.text().contains(evil));
    let view: Value = server.ask("GET /api/v1/skills/evil").json();
    assert_eq!(view["description"], evil);
}
