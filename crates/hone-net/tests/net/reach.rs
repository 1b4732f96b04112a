//! Which addresses may be asked.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

use hone_net::{HeaderMap, Limits, PlainHttp, Settings, Url};

use crate::server::{Knows, Server, anywhere, failure, get, good};

fn http() -> Settings {
    Settings { plain_http: PlainHttp::Allowed, ..Settings::default() }
}

#[tokio::test]
async fn hosts_that_are_addresses_of_this_machine_are_refused_in_every_spelling() {
    let server = Server::start(|_, _| good("secret")).await;
    let port = server.address.port();
    for host in ["127.0.0.1", "127.1", "2130706433", "0x7f.1", "017700000001", "[::ffff:127.0.0.1]"]
    {
        let message = failure(http(), &format!("http://{host}:{port}/"), &Limits::default()).await;
        assert!(message.contains("this machine (loopback)"), "{host}: {message}");
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn the_message_says_what_was_refused_and_why() {
    assert_eq!(
        failure(http(), "http://169.254.169.254/latest/meta-data?k=1", &Limits::default()).await,
        "refused to ask `http://169.254.169.254/latest/meta-data`: `169.254.169.254` is link-local, and only the public internet may be asked"
    );
    assert_eq!(
        failure(Settings::default(), "http://example.com/", &Limits::default()).await,
        "`http://example.com/` is not encrypted; use https"
    );
    assert_eq!(
        failure(Settings::default(), "http://[::1]/", &Limits::default()).await,
        "refused to ask `http://[::1]/`: `[::1]` is this machine (loopback), and only the public internet may be asked"
    );
    assert_eq!(
        failure(http(), "ftp://example.com/", &Limits::default()).await,
        "cannot ask `ftp://example.com/`: only http and https can be asked"
    );
    assert_eq!(
        failure(http(), "http://me:word@example.com/", &Limits::default()).await,
        "cannot ask `http://example.com/`: it holds a name or a password, which belong in a header"
    );
}

#[tokio::test]
async fn a_name_that_stands_for_this_machine_is_refused() {
    let server = Server::start(|_, _| good("secret")).await;
    let settings = Settings {
        resolver: Arc::new(Knows("rebind.example", vec![Ipv4Addr::LOCALHOST.into()])),
        ..http()
    };
    let url = format!("http://rebind.example:{}/", server.address.port());
    assert_eq!(
        failure(settings, &url, &Limits::default()).await,
        format!(
            "refused to ask `{url}`: `rebind.example` (127.0.0.1) is this machine (loopback), and only the public internet may be asked"
        )
    );
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn an_exception_is_exactly_one_address() {
    let server = Server::start(|_, _| good("hello")).await;
    let except = |address: IpAddr| Settings { exceptions: Arc::new([address]), ..http() };
    let page =
        get(except(server.address.ip()), &server.url("/"), &Limits::default()).await.unwrap();
    assert_eq!(page.bytes, b"hello");
    let other = except(Ipv6Addr::LOCALHOST.into());
    assert!(get(other, &server.url("/"), &Limits::default()).await.is_err());
}

#[tokio::test]
async fn a_name_nobody_knows_is_said_to_be_unknown() {
    let settings = Settings { resolver: Arc::new(Knows("other.example", vec![])), ..anywhere() };
    assert_eq!(
        failure(settings, "http://nobody.example/", &Limits::default()).await,
        "cannot find `nobody.example`: the name server knows none; check the name and the network"
    );
}

#[tokio::test]
async fn json_is_posted_and_the_answer_streams_whatever_its_status() {
    let server = Server::start(|_, _| {
        crate::server::Act::Send(
            b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\nContent-Length: 4\r\n\r\nslow"
                .to_vec(),
        )
    })
    .await;
    let client = hone_net::Client::new(anywhere()).unwrap();
    let mut headers = HeaderMap::new();
    headers.insert("x-api-key", "k".parse().unwrap());
    let answer = client
        .post_json(&server.url("/v1"), &headers, "{\"a\":1}".to_owned(), &Limits::default())
        .await
        .unwrap();
    assert_eq!(answer.status(), 429);
    assert_eq!(answer.retry_after(), Some(std::time::Duration::from_secs(7)));
    assert_eq!(answer.bytes().await.unwrap(), b"slow");
    let head = server.requests().remove(0).to_lowercase();
    assert!(head.starts_with("post /v1 http/1.1\r\n"), "{head}");
    for line in ["content-type: application/json", "x-api-key: k", "content-length: 7"] {
        assert!(head.contains(line), "{head}");
    }
}

#[tokio::test]
async fn a_date_to_wait_for_counts_from_the_servers_clock() {
    let server = Server::start(|_, _| {
        crate::server::Act::Send(
            b"HTTP/1.1 503 Busy\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nRetry-After: Sun, 06 Nov 1994 08:49:49 GMT\r\nContent-Length: 0\r\n\r\n"
                .to_vec(),
        )
    })
    .await;
    match get(anywhere(), &server.url("/"), &Limits::default()).await {
        Err(hone_net::Error::Status { code: 503, retry_after, .. }) => {
            assert_eq!(retry_after, Some(std::time::Duration::from_secs(12)));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_not_a_url_is_said_so() {
    assert_eq!(
        hone_net::parse("no url").unwrap_err().to_string(),
        "cannot ask `no url`: it is not a URL"
    );
    let prefix = "https://example.com/";
    let at_most = format!("{prefix}{}", "a".repeat(8_192 - prefix.len()));
    assert_eq!(hone_net::parse(&at_most).unwrap(), Url::parse(&at_most).unwrap());
    assert!(hone_net::parse(&format!("{at_most}a")).unwrap_err().to_string().contains("8,192"));
}
