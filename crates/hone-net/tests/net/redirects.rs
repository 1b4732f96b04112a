//! Where an answer may send on to, and what goes along.

use hone_net::{Client, HeaderMap, Limits};

use crate::server::{Server, anywhere, failure, get, good, public, sends_on};

fn limits(redirects: usize) -> Limits {
    Limits { redirects, ..Limits::default() }
}

#[tokio::test]
async fn a_redirect_is_followed_and_the_last_address_is_told() {
    let server =
        Server::start(
            |_, head| {
                if head.starts_with("GET /a") { sends_on("/b?x=1") } else { good("there") }
            },
        )
        .await;
    let page = get(public(), &server.url("/a"), &limits(1)).await.unwrap();
    assert_eq!((page.bytes.as_slice(), &page.url), (&b"there"[..], &server.url("/b?x=1")));
}

#[tokio::test]
async fn with_no_redirects_allowed_the_target_is_told_and_not_asked() {
    let server = Server::start(|_, _| sends_on("/b")).await;
    let from = server.url("/a");
    assert_eq!(
        failure(public(), from.as_str(), &limits(0)).await,
        format!(
            "`{from}` sends on to `{}`, which is not followed; ask there if that is meant",
            server.url("/b")
        )
    );
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_redirect_to_a_private_address_is_refused_on_any_hop() {
    for target in ["http://169.254.169.254/", "http://[::1]:80/", "http://127.0.0.2/"] {
        let server = Server::start(
            move |number, _| {
                if number == 0 { sends_on("/again") } else { sends_on(target) }
            },
        )
        .await;
        let message = failure(public(), server.url("/").as_str(), &limits(5)).await;
        assert!(
            message.starts_with(&format!("refused to ask `{target}`"))
                || message.starts_with("refused to ask `http://[::1]/`"),
            "{message}"
        );
        assert_eq!(server.requests().len(), 2);
    }
}

#[tokio::test]
async fn a_loop_ends_at_the_limit() {
    let server = Server::start(|_, _| sends_on("/")).await;
    let url = server.url("/");
    assert_eq!(
        failure(public(), url.as_str(), &limits(3)).await,
        format!("`{url}` sends on for the 4th time; 3 redirects are the most")
    );
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_redirect_to_nowhere_is_no_answer() {
    let server =
        Server::start(|_, _| crate::server::Act::Send(b"HTTP/1.1 302 Found\r\n\r\n".to_vec()))
            .await;
    let message = failure(public(), server.url("/").as_str(), &limits(3)).await;
    assert!(
        message.ends_with("gave no sound answer: it sends on without saying where to"),
        "{message}"
    );
    let server = Server::start(|_, _| sends_on("file:///etc/passwd")).await;
    let message = failure(public(), server.url("/").as_str(), &limits(3)).await;
    assert!(message.ends_with("only http and https can be asked"), "{message}");
}

#[tokio::test]
async fn a_key_stays_with_its_origin() {
    let other = Server::start(|_, _| good("there")).await;
    let target = other.url("/t").to_string();
    let first = Server::start(
        move |number, _| {
            if number == 0 { sends_on("/same") } else { sends_on(&target) }
        },
    )
    .await;
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("authorization", "Bearer k"),
        ("x-api-key", "k"),
        ("cookie", "k"),
        ("accept", "text/plain"),
    ] {
        headers.insert(name, value.parse().unwrap());
    }
    Client::new(anywhere()).unwrap().get(&first.url("/"), &headers, &limits(5)).await.unwrap();
    let has = |head: &str, name: &str| head.to_lowercase().contains(&format!("\r\n{name}: "));
    for head in first.requests() {
        for name in ["authorization", "x-api-key", "cookie", "accept"] {
            assert!(has(&head, name), "{name} is for {head}");
        }
    }
    let head = &other.requests()[0];
    for name in ["authorization", "x-api-key", "cookie", "referer"] {
        assert!(!has(head, name), "{name} is not for {head}");
    }
    assert!(has(head, "accept") && has(head, "user-agent"));
}

#[tokio::test]
async fn a_posted_body_is_never_sent_on() {
    let server = Server::start(|_, _| {
        crate::server::Act::Send(
            b"HTTP/1.1 308 Moved\r\nLocation: /b\r\nContent-Length: 0\r\n\r\n".to_vec(),
        )
    })
    .await;
    let client = Client::new(anywhere()).unwrap();
    let body = "{}".to_owned();
    let error =
        client.post_json(&server.url("/a"), &HeaderMap::new(), body, &limits(5)).await.unwrap_err();
    assert!(matches!(error, hone_net::Error::Redirected { .. }), "{error}");
    assert_eq!(server.requests().len(), 1);
}
