//! `fetch_url` against a real server on loopback: T1, T2, T3.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use hone_agent::step::Outcome;
use hone_agent::tools::fetch::{BoundSecret, FetchUrl, MAX_BODY_BYTES};
use hone_agent::tools::{Tool, ToolResult};
use hone_net::{Client, PlainHttp, Settings, Url};
use hone_router::Secret;
use serde_json::{Value, json};

use crate::script::call;

type Seen = Arc<Mutex<Vec<(String, Option<String>)>>>;

/// A server that keeps the paths and credentials it was asked with.
async fn server() -> (Url, Seen) {
    let seen = Seen::default();
    let router = Router::new().fallback(answer).with_state(Arc::clone(&seen));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, seen)
}

async fn answer(State(seen): State<Seen>, request: Request) -> Response {
    let credentials = request.headers().get(header::AUTHORIZATION);
    let credentials = credentials.map(|value| value.to_str().unwrap().to_owned());
    let path = request.uri().path().to_owned();
    seen.lock().unwrap().push((path.clone(), credentials.clone()));
    let html = [(header::CONTENT_TYPE, "text/html; charset=utf-8")];
    let plain = [(header::CONTENT_TYPE, "text/plain")];
    match path.as_str() {
        "/page" => (
            html,
            "<!doctype html><html><head><title>T&amp;C</title><style>p{}</style></head><body><h1>Hi</h1>\
             <p>One &lt;b&gt; <b>bold</b>,\n  two&#x21;</p><script>if (a<b) x()</script><ul><li>a<li>b</ul></body>",
        )
            .into_response(),
        "/fits" => (plain, "x".repeat(MAX_BODY_BYTES)).into_response(),
        "/over" => (plain, "x".repeat(MAX_BODY_BYTES + 1)).into_response(),
        "/echo" => (plain, credentials.unwrap_or_default()).into_response(),
        "/image" => ([(header::CONTENT_TYPE, "image/png")], "png").into_response(),
        "/metadata" => {
            (StatusCode::FOUND, [(header::LOCATION, "http://169.254.169.254/latest")]).into_response()
        }
        _ => (StatusCode::NOT_FOUND, plain, "no such page").into_response(),
    }
}

fn tools(settings: Settings, secrets: Vec<BoundSecret>) -> Vec<Box<dyn Tool>> {
    vec![Box::new(FetchUrl::new(Arc::new(Client::new(settings).unwrap()), secrets))]
}

/// Settings with which a server on loopback can be asked.
fn lenient() -> Settings {
    let loopback: IpAddr = "127.0.0.1".parse().unwrap();
    let exceptions = Arc::new([loopback]);
    Settings { plain_http: PlainHttp::Allowed, exceptions, ..Settings::default() }
}

fn at(url: &Url, path: &str) -> String {
    url.join(path).unwrap().to_string()
}

async fn fetch(tools: &[Box<dyn Tool>], arguments: Value) -> ToolResult {
    call(tools, "fetch_url", arguments).await
}

#[tokio::test]
async fn t1_private_addresses_and_redirects_are_refused() {
    let (url, seen) = server().await;
    let strict =
        tools(Settings { plain_http: PlainHttp::Allowed, ..Settings::default() }, Vec::new());
    let port = url.port().unwrap();
    for target in [
        url.as_str().to_owned(),
        format!("http://[::1]:{port}/"),
        format!("http://localhost:{port}/"),
        "http://[fd00::1]/".to_owned(),
        "http://100.64.0.1/".to_owned(),
        "http://2130706433/".to_owned(),
        "http://169.254.169.254/latest".to_owned(),
        "file:///etc/passwd".to_owned(),
        "http://user:word@example.com/".to_owned(),
        "no address".to_owned(),
    ] {
        let result = fetch(&strict, json!({"url": target})).await;
        assert_eq!(result.outcome, Outcome::Refused, "{target}: {}", result.text);
    }
    assert_eq!(*seen.lock().unwrap(), []);
    let redirect =
        fetch(&tools(lenient(), Vec::new()), json!({"url": at(&url, "/metadata")})).await;
    assert_eq!(redirect.outcome, Outcome::Refused);
    assert!(
        redirect.text.contains("sends on to `http://169.254.169.254/latest`"),
        "{}",
        redirect.text
    );
    assert_eq!(seen.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn t2_a_body_is_read_to_its_limit_and_no_further() {
    let (url, _) = server().await;
    let tools = tools(lenient(), Vec::new());
    let fits = fetch(&tools, json!({"url": at(&url, "/fits")})).await;
    assert_eq!((fits.outcome, fits.text.len()), (Outcome::Ok, MAX_BODY_BYTES));
    let over = fetch(&tools, json!({"url": at(&url, "/over")})).await;
    assert_eq!(over.outcome, Outcome::Ok);
    let mark = "\n[more than 1048576 bytes; the rest was not read]\n";
    assert_eq!(over.text, "x".repeat(MAX_BODY_BYTES) + mark);
}

#[tokio::test]
async fn t3_a_secret_goes_to_its_origin_alone_and_into_no_text() {
    let ((mine, seen), (other, others)) = (server().await, server().await);
    let secret = BoundSecret {
        name: "token".to_owned(),
        origin: mine.join("/any/path").unwrap(),
        value: Secret::new("s3cr3t"),
    };
    assert!(!format!("{secret:?}").contains("s3cr3t"));
    let tools = tools(lenient(), vec![secret]);
    let echoed = fetch(&tools, json!({"url": at(&mine, "/echo"), "secret": "token"})).await;
    assert_eq!((echoed.outcome, echoed.text.as_str()), (Outcome::Ok, "Bearer [redacted]"));
    let sent = Some("Bearer s3cr3t".to_owned());
    assert_eq!(*seen.lock().unwrap(), [("/echo".to_owned(), sent)]);
    let plain = fetch(&tools, json!({"url": at(&mine, "/echo")})).await;
    assert_eq!(plain.text, "");
    let name = mine.as_str().replace("127.0.0.1", "localhost");
    for url in [other.as_str(), &name, &mine.as_str().replace("http:", "https:")] {
        let refused = fetch(&tools, json!({"url": url, "secret": "token"})).await;
        assert_eq!(refused.outcome, Outcome::Refused, "{url}");
        assert!(
            refused.text.starts_with("Not asked: the secret `token` is for http://127.0.0.1:"),
            "{}",
            refused.text
        );
    }
    assert_eq!(*others.lock().unwrap(), []);
}

#[tokio::test]
async fn a_page_comes_as_its_words() {
    let (url, _) = server().await;
    let tools = tools(lenient(), Vec::new());
    let page = fetch(&tools, json!({"url": at(&url, "/page")})).await;
    assert_eq!(page.text, "T&C\nHi\nOne <b> bold, two!\na\nb");
    let image = fetch(&tools, json!({"url": at(&url, "/image")})).await;
    assert_eq!(
        (image.outcome, image.text.as_str()),
        (Outcome::Failed, "It is not text but `image/png`.")
    );
    let missing = fetch(&tools, json!({"url": at(&url, "/none")})).await;
    assert_eq!(
        (missing.outcome, missing.text.as_str()),
        (Outcome::Failed, "Status 404.\nno such page")
    );
}
