//! Bytes and time.

use std::time::{Duration, Instant};

use hone_net::{Error, Limits, Wait};

use crate::server::{Act, Server, anywhere, get, good, short};

fn at_most(bytes: u64) -> Limits {
    Limits { bytes, ..Limits::default() }
}

#[tokio::test]
async fn a_body_may_be_as_large_as_the_limit_and_not_one_byte_more() {
    let server = Server::start(|_, _| good("12345")).await;
    let page = get(anywhere(), &server.url("/"), &at_most(5)).await.unwrap();
    assert_eq!(page.bytes, b"12345");
    let error = get(anywhere(), &server.url("/"), &at_most(4)).await.unwrap_err();
    assert_eq!(error.to_string(), format!("`{}` is larger than 4 bytes; refused", server.url("/")));
}

#[tokio::test]
async fn a_body_without_a_length_is_stopped_at_the_limit() {
    let server = Server::start(|_, head| {
        assert!(head.starts_with("GET / "));
        let mut endless = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
        endless.extend(b"400\r\n");
        endless.extend([b'x'; 0x400]);
        endless.extend(b"\r\n");
        // What follows the head again and again is not a chunk, but the limit is reached before.
        Act::Flood(endless)
    })
    .await;
    let error = get(anywhere(), &server.url("/"), &at_most(1_000)).await.unwrap_err();
    assert!(matches!(error, Error::TooLarge { limit: 1_000, .. }), "{error}");
}

#[tokio::test]
async fn a_head_that_does_not_end_is_given_up() {
    let server = Server::start(|_, _| Act::Flood(b"HTTP/1.1 200 OK\r\nX: ".repeat(1_000))).await;
    let error = get(anywhere(), &server.url("/"), &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error}");
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "X: y\r\n".repeat(101));
    let server = Server::start(move |_, _| Act::Send(many.clone().into_bytes())).await;
    let error = get(anywhere(), &server.url("/"), &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn silence_is_given_up_before_the_head_and_inside_the_body() {
    for start in ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"] {
        let server = Server::start(move |_, _| Act::Stall(start.into())).await;
        let begun = Instant::now();
        let error = get(anywhere(), &server.url("/"), &short()).await.unwrap_err();
        assert!(matches!(error, Error::OutOfTime { wait: Wait::Bytes, .. }), "{error}");
        assert_eq!(error.to_string(), format!("`{}` sent nothing within 0.2 s", server.url("/")));
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn a_body_that_drips_is_given_up_at_the_end_of_the_whole_time() {
    let server = Server::start(|_, _| {
        Act::Flood(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n".to_vec())
    })
    .await;
    let limits = Limits {
        total: Duration::from_millis(300),
        silence: Duration::from_secs(10),
        bytes: u64::MAX,
        redirects: 0,
    };
    let error = get(anywhere(), &server.url("/"), &limits).await.unwrap_err();
    assert!(matches!(error, Error::OutOfTime { wait: Wait::All, .. }), "{error}");
}

#[tokio::test]
async fn a_length_that_promises_more_than_comes_is_a_broken_connection() {
    let server = Server::start(|_, _| {
        Act::Send(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n12345".to_vec())
    })
    .await;
    let error = get(anywhere(), &server.url("/"), &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Cut { received: 5, .. }), "{error}");
}

#[tokio::test]
async fn garbage_is_no_answer() {
    let server = Server::start(|_, _| Act::Send(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())).await;
    let error = get(anywhere(), &server.url("/"), &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Protocol { .. }), "{error}");
}

#[tokio::test]
async fn nobody_there_is_said_so() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = hone_net::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
    drop(listener);
    let error = get(anywhere(), &url, &Limits::default()).await.unwrap_err();
    assert!(matches!(error, Error::Connect { .. }), "{error}");
    assert!(error.is_passing());
}

#[tokio::test]
async fn an_answer_that_is_not_good_is_an_error_with_its_meaning() {
    let server = Server::start(|_, _| {
        Act::Send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n".to_vec())
    })
    .await;
    let error = get(anywhere(), &server.url("/x?token=1"), &Limits::default()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("`{}` answered 404 (nothing is there)", server.url("/x"))
    );
}

#[tokio::test]
async fn a_compressed_body_that_was_not_asked_for_is_refused() {
    let server = Server::start(|_, _| {
        Act::Send(
            b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx".to_vec(),
        )
    })
    .await;
    let error = get(anywhere(), &server.url("/"), &Limits::default()).await.unwrap_err();
    assert!(error.to_string().ends_with("it came compressed, which was not asked for"), "{error}");
}

#[tokio::test]
async fn what_is_unchanged_comes_without_a_body() {
    let server = Server::start(|_, head| {
        if head.to_lowercase().contains("if-none-match: \"a\"") {
            Act::Send(b"HTTP/1.1 304 Not Modified\r\nETag: \"a\"\r\n\r\n".to_vec())
        } else {
            Act::Send(
                b"HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Type: text/plain\r\nContent-Length: 1\r\n\r\nx"
                    .to_vec(),
            )
        }
    })
    .await;
    let client = hone_net::Client::new(anywhere()).unwrap();
    let mut headers = hone_net::HeaderMap::new();
    let page = client.get(&server.url("/"), &headers, &Limits::default()).await.unwrap();
    assert_eq!((page.is_unchanged, page.content_type.as_deref()), (false, Some("text/plain")));
    headers.insert("if-none-match", page.etag.unwrap().parse().unwrap());
    let page = client.get(&server.url("/"), &headers, &Limits::default()).await.unwrap();
    assert_eq!((page.is_unchanged, page.bytes.len()), (true, 0));
}
