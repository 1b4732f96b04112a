//! Downloads that break, and are taken up again.

use std::io::{Read, Seek};

use hone_net::{Client, Downloaded, Error, HeaderMap, Limits, MAX_RESUMES, Progress};

use crate::server::{Act, Server, anywhere, good};

const CONTENT: &str = "0123456789";
const SHA256: &str = "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882";

/// The part of the content that a request asks for, with its validator.
fn part(head: &str, tag: &str, cut_after: usize) -> Act {
    let head = head.to_lowercase();
    let wants = |name: &str| {
        head.lines().find_map(|line| line.strip_prefix(&format!("{name}: "))).map(str::to_owned)
    };
    let start = match (wants("range"), wants("if-range")) {
        (Some(range), Some(mark)) if mark == tag => {
            range.strip_prefix("bytes=").unwrap().strip_suffix('-').unwrap().parse().unwrap()
        }
        _ => 0,
    };
    let rest = &CONTENT[start..];
    let sent = &rest[..rest.len().min(cut_after)];
    let status = if start == 0 {
        "200 OK".to_owned()
    } else {
        format!("206 Partial Content\r\nContent-Range: bytes {start}-9/10")
    };
    Act::Send(
        format!("HTTP/1.1 {status}\r\nETag: {tag}\r\nContent-Length: {}\r\n\r\n{sent}", rest.len())
            .into_bytes(),
    )
}

async fn download(
    server: &Server,
    limits: &Limits,
) -> (Result<Downloaded, Error>, String, Vec<Progress>) {
    let mut file = tempfile::tempfile().unwrap();
    let mut seen = Vec::new();
    let result = Client::new(anywhere())
        .unwrap()
        .download(&server.url("/x.zip"), &HeaderMap::new(), limits, &mut file, &mut |progress| {
            seen.push(progress);
        })
        .await;
    let mut text = String::new();
    file.rewind().unwrap();
    file.read_to_string(&mut text).unwrap();
    (result, text, seen)
}

#[tokio::test]
async fn a_whole_download_has_its_digest_and_tells_its_progress() {
    let server = Server::start(|_, head| part(head, "\"v1\"", 99)).await;
    let (result, text, seen) = download(&server, &Limits::default()).await;
    assert_eq!(
        result.unwrap(),
        Downloaded {
            sha256: SHA256.to_owned(),
            bytes: 10,
            url: server.url("/x.zip"),
            content_type: None,
            etag: Some("\"v1\"".to_owned()),
        }
    );
    assert_eq!(text, CONTENT);
    let total = Some(10);
    assert_eq!(seen.first(), Some(&Progress { received: 0, total }));
    assert_eq!(seen.last(), Some(&Progress { received: 10, total }));
}

#[tokio::test]
async fn a_broken_connection_is_taken_up_where_it_was() {
    let server = Server::start(|_, head| part(head, "\"v1\"", 4)).await;
    let (result, text, seen) = download(&server, &Limits::default()).await;
    assert_eq!((result.unwrap().sha256.as_str(), text.as_str()), (SHA256, CONTENT));
    let ranges: Vec<_> = server
        .requests()
        .iter()
        .map(|head| {
            let head = head.to_lowercase();
            head.lines().find_map(|line| line.strip_prefix("range: ").map(str::to_owned))
        })
        .collect();
    assert_eq!(ranges, [None, Some("bytes=4-".to_owned()), Some("bytes=8-".to_owned())]);
    assert!(seen.windows(2).all(|pair| pair[0].received <= pair[1].received), "{seen:?}");
}

#[tokio::test]
async fn a_document_that_changed_meanwhile_starts_from_the_beginning() {
    let server =
        Server::start(
            |number, head| {
                if number == 0 { part(head, "\"v1\"", 4) } else { part(head, "\"v2\"", 99) }
            },
        )
        .await;
    let (result, text, _) = download(&server, &Limits::default()).await;
    let result = result.unwrap();
    assert_eq!((result.sha256.as_str(), text.as_str()), (SHA256, CONTENT));
    assert_eq!(result.etag.as_deref(), Some("\"v2\""));
}

#[tokio::test]
async fn a_download_that_always_breaks_is_given_up_after_the_last_resume() {
    let server = Server::start(|_, _| {
        Act::Send(b"HTTP/1.1 200 OK\r\nETag: \"v\"\r\nContent-Length: 10\r\n\r\n012".to_vec())
    })
    .await;
    let (result, _, _) = download(&server, &Limits::default()).await;
    assert!(matches!(result, Err(Error::Cut { .. })), "{result:?}");
    assert_eq!(server.requests().len(), 1 + MAX_RESUMES as usize);
}

#[tokio::test]
async fn another_part_than_the_one_asked_for_is_refused() {
    let server = Server::start(|number, head| {
        if number == 0 {
            return part(head, "\"v1\"", 4);
        }
        Act::Send(
            b"HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-9/10\r\nContent-Length: 10\r\n\r\n0123456789"
                .to_vec(),
        )
    })
    .await;
    let (result, _, _) = download(&server, &Limits::default()).await;
    let message = result.unwrap_err().to_string();
    assert!(message.ends_with("it sent another part than the one asked for"), "{message}");
}

#[tokio::test]
async fn the_limit_of_bytes_holds_over_all_attempts_and_before_the_first_byte() {
    let server = Server::start(|_, head| part(head, "\"v1\"", 4)).await;
    let limits = Limits { bytes: 9, ..Limits::default() };
    let (result, text, seen) = download(&server, &limits).await;
    assert!(matches!(result, Err(Error::TooLarge { limit: 9, .. })), "{result:?}");
    assert_eq!((text.as_str(), seen), ("", vec![]));
    let (result, _, _) = download(&server, &Limits { bytes: 10, ..limits }).await;
    assert_eq!(result.unwrap().bytes, 10);
}

#[tokio::test]
async fn a_missing_document_is_not_asked_for_again() {
    let server = Server::start(|_, _| {
        Act::Send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec())
    })
    .await;
    let (result, _, _) = download(&server, &Limits::default()).await;
    assert!(matches!(result, Err(Error::Status { code: 404, .. })), "{result:?}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn an_empty_document_is_a_document() {
    let server = Server::start(|_, _| good("")).await;
    let (result, text, _) = download(&server, &Limits::default()).await;
    assert_eq!((result.unwrap().bytes, text.as_str()), (0, ""));
}
