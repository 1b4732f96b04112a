//! Through a proxy.

use hone_net::{Limits, PlainHttp, Proxies, Settings};

use crate::server::{Server, anywhere, failure, get, good};

fn through(server: &Server, settings: Settings) -> Settings {
    let proxies =
        Proxies { http: Some(format!("http://me:word@{}", server.address)), ..Proxies::default() };
    Settings { proxies, ..settings }
}

#[tokio::test]
async fn a_request_goes_through_the_proxy_with_its_password_and_the_name_is_left_to_it() {
    let proxy = Server::start(|_, _| good("through")).await;
    let settings = Settings { plain_http: PlainHttp::Allowed, ..Settings::default() };
    let url = hone_net::parse("http://example.com/a").unwrap();
    let page = get(through(&proxy, settings), &url, &Limits::default()).await.unwrap();
    assert_eq!(page.bytes, b"through");
    let head = proxy.requests().remove(0).to_lowercase();
    assert!(head.starts_with("get http://example.com/a http/1.1\r\n"), "{head}");
    assert!(head.contains("proxy-authorization: basic bwu6d29yza=="), "{head}");
}

#[tokio::test]
async fn what_is_private_by_its_form_is_refused_through_a_proxy_too() {
    let proxy = Server::start(|_, _| good("secret")).await;
    let settings =
        || through(&proxy, Settings { plain_http: PlainHttp::Allowed, ..Settings::default() });
    for (url, what) in [
        ("http://10.0.0.1/", "a private network"),
        ("http://metadata.google.internal/", "a name inside a network"),
        ("http://intranet/", "a name inside a network"),
    ] {
        let message = failure(settings(), url, &Limits::default()).await;
        assert!(message.contains(what), "{message}");
    }
    assert_eq!(proxy.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn a_server_of_this_machine_is_asked_without_the_proxy() {
    let proxy = Server::start(|_, _| good("through")).await;
    let server = Server::start(|_, _| good("direct")).await;
    let page =
        get(through(&proxy, anywhere()), &server.url("/"), &Limits::default()).await.unwrap();
    assert_eq!(page.bytes, b"direct");
    assert_eq!(proxy.requests(), Vec::<String>::new());
}

#[tokio::test]
async fn a_proxy_that_does_not_answer_is_named_without_its_password() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let proxies = Proxies { http: Some(format!("http://me:word@{closed}")), ..Proxies::default() };
    let settings = Settings { proxies, plain_http: PlainHttp::Allowed, ..Settings::default() };
    let message = failure(settings, "http://example.com/a", &Limits::default()).await;
    assert!(message.starts_with("cannot connect to `http://example.com/a`: "), "{message}");
    assert!(message.ends_with(&format!(", at the proxy `http://{closed}/`")), "{message}");
}
