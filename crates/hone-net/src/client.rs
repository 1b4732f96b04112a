//! The client: which addresses may be asked, how redirects are followed, and what is sent along.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use hyper_util::client::proxy::matcher::Matcher;
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::{Certificate, Method, StatusCode, redirect};
use url::{Host, Url};

use crate::answer::{Answer, Clock};
use crate::error::{Error, shown};
use crate::proxy::{Proxies, is_name_of_a_network, is_proxied};
use crate::resolve::{Anywhere, PublicOnly, Resolve, SystemResolver, why_refused};

/// Longest address that is asked, in bytes.
pub(crate) const MAX_URL_BYTES: usize = 8_192;

/// Most headers of an answer.
const MAX_HEADERS: usize = 100;

/// Headers of the caller that go along when a redirect leads to another origin. All others may carry
/// a secret that is meant for the first one.
const HARMLESS_HEADERS: [HeaderName; 6] = [
    header::ACCEPT,
    header::ACCEPT_LANGUAGE,
    header::IF_NONE_MATCH,
    header::IF_RANGE,
    header::RANGE,
    header::USER_AGENT,
];

/// Which addresses may be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Only those of the public internet.
    Public,
    /// Also this machine and its networks: for addresses that a person configured.
    Anywhere,
}

/// Whether a request may go without encryption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainHttp {
    /// Only https.
    Refused,
    /// http as well; a redirect from https to http is refused all the same.
    Allowed,
}

/// How a client works.
#[derive(Clone)]
pub struct Settings {
    /// Which addresses may be asked.
    pub reach: Reach,
    /// Addresses that may be asked though they are not public: servers of a person's own network.
    pub exceptions: Arc<[IpAddr]>,
    /// Whether http is allowed.
    pub plain_http: PlainHttp,
    /// How long a connection, with TLS, may take.
    pub connect: Duration,
    /// What the client calls itself.
    pub user_agent: String,
    /// The proxies to use.
    pub proxies: Proxies,
    /// Certificates to trust besides the platform's, as PEM.
    pub certificates: Vec<u8>,
    /// Who knows the addresses of a name.
    pub resolver: Arc<dyn Resolve>,
}

impl Default for Settings {
    /// https to the public internet, without a proxy.
    fn default() -> Self {
        Self {
            reach: Reach::Public,
            exceptions: Arc::new([]),
            plain_http: PlainHttp::Refused,
            connect: Duration::from_secs(10),
            user_agent: concat!("hone/", env!("CARGO_PKG_VERSION")).to_owned(),
            proxies: Proxies::default(),
            certificates: Vec::new(),
            resolver: Arc::new(SystemResolver),
        }
    }
}

impl Settings {
    /// The default, with the proxies of the environment and the certificates of `SSL_CERT_FILE`; a file
    /// that cannot be read is left to the platform's verifier to report.
    pub fn from_environment(variable: impl Fn(&str) -> Option<String>) -> Self {
        let certificates =
            variable("SSL_CERT_FILE").and_then(|file| std::fs::read(file).ok()).unwrap_or_default();
        Self { proxies: Proxies::from_environment(variable), certificates, ..Self::default() }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the proxies: their addresses may hold a password.
        f.debug_struct("Settings")
            .field("reach", &self.reach)
            .field("exceptions", &self.exceptions)
            .field("plain_http", &self.plain_http)
            .field("connect", &self.connect)
            .field("user_agent", &self.user_agent)
            .finish_non_exhaustive()
    }
}

/// What one request may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body at most.
    pub bytes: u64,
    /// Redirects that are followed; none with 0.
    pub redirects: usize,
    /// How long nothing may come.
    pub silence: Duration,
    /// How long all of it may take.
    pub total: Duration,
}

impl Default for Limits {
    /// 10 MB in a minute, 15 s of silence, five redirects.
    fn default() -> Self {
        Self {
            bytes: 10_000_000,
            redirects: 5,
            silence: Duration::from_secs(15),
            total: Duration::from_secs(60),
        }
    }
}

/// A whole answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The body; empty when it is unchanged.
    pub bytes: Vec<u8>,
    /// Where it came from, after redirects.
    pub url: Url,
    /// Its type as the server says.
    pub content_type: Option<String>,
    /// The mark to ask with `If-None-Match` next time.
    pub etag: Option<String>,
    /// Whether the server says that it is as it was (304).
    pub is_unchanged: bool,
}

/// What sends the requests of a [`Client`].
pub type Transport = reqwest::Client;

/// Asks the network, within bounds. See the crate for what it promises.
pub struct Client {
    settings: Settings,
    matcher: Matcher,
    /// Made when first needed: the certificates of the platform are read for https only, so a machine
    /// without any can still ask a server of its own.
    transports: [OnceLock<reqwest::Client>; 4],
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Client {
    /// A client with these settings.
    pub fn new(settings: Settings) -> Result<Self, Error> {
        // Another provider that is already installed is as good; two are never in one process.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let matcher = settings.proxies.matcher();
        let client = Self { settings, matcher, transports: Default::default() };
        client.transport(false, false)?;
        Ok(client)
    }

    /// Asks for a whole document.
    pub async fn get(
        &self,
        url: &Url,
        headers: &HeaderMap,
        limits: &Limits,
    ) -> Result<Page, Error> {
        let answer = self.open(url, headers, limits).await?;
        let is_unchanged = answer.status() == StatusCode::NOT_MODIFIED.as_u16();
        let answer = if is_unchanged { answer } else { answer.good()? };
        if let Some(coding) = answer.header(header::CONTENT_ENCODING.as_str())
            && !coding.eq_ignore_ascii_case("identity")
        {
            return Err(Error::Protocol {
                url: shown(answer.url()),
                why: "it came compressed, which was not asked for".to_owned(),
            });
        }
        let text = |name: HeaderName| answer.header(name.as_str()).map(str::to_owned);
        Ok(Page {
            url: answer.url().clone(),
            content_type: text(header::CONTENT_TYPE),
            etag: text(header::ETAG),
            is_unchanged,
            bytes: if is_unchanged { Vec::new() } else { answer.bytes().await? },
        })
    }

    /// Asks for a document and gives its head; the body comes piece by piece.
    pub async fn open(
        &self,
        url: &Url,
        headers: &HeaderMap,
        limits: &Limits,
    ) -> Result<Answer, Error> {
        let clock = Clock::start(limits.silence, limits.total);
        self.follow(url, headers, limits, clock).await
    }

    /// Sends a JSON document, as text, and gives the head of the answer, whatever its status; the body comes
    /// piece by piece. Redirects are never followed: the body was meant for this address.
    pub async fn post_json(
        &self,
        url: &Url,
        headers: &HeaderMap,
        body: String,
        limits: &Limits,
    ) -> Result<Answer, Error> {
        let clock = Clock::start(limits.silence, limits.total);
        let mut headers = headers.clone();
        headers.insert(header::CONTENT_TYPE, header::HeaderValue::from_static("application/json"));
        let answer = self.ask(Method::POST, url, headers, body.into_bytes(), limits, clock).await?;
        match redirect_target(&answer)? {
            None => Ok(answer),
            Some(to) => Err(Error::Redirected { url: shown(url), to: shown(&to) }),
        }
    }

    /// The transport for an address, for a protocol that brings its own requests. What may be asked is
    /// checked as ever, and no redirect is followed; the limits of time and size are the caller's.
    pub fn transport_for(&self, url: &Url) -> Result<Transport, Error> {
        let is_proxied = is_proxied(&self.matcher, url);
        self.check(url, is_proxied)?;
        self.transport(url.scheme() == "https", is_proxied).cloned()
    }

    pub(crate) async fn follow(
        &self,
        url: &Url,
        headers: &HeaderMap,
        limits: &Limits,
        clock: Clock,
    ) -> Result<Answer, Error> {
        let mut url = url.clone();
        let mut headers = headers.clone();
        for followed in 0.. {
            let answer =
                self.ask(Method::GET, &url, headers.clone(), Vec::new(), limits, clock).await?;
            let Some(to) = redirect_target(&answer)? else { return Ok(answer) };
            if limits.redirects == 0 {
                return Err(Error::Redirected { url: shown(&url), to: shown(&to) });
            }
            if followed == limits.redirects {
                return Err(Error::TooManyRedirects { url: shown(&url), limit: followed });
            }
            if url.scheme() == "https" && to.scheme() != "https" {
                return Err(Error::Downgrade { url: shown(&url), to: shown(&to) });
            }
            if to.origin() != url.origin() {
                headers = headers
                    .into_iter()
                    .filter_map(|(name, value)| Some((name?, value)))
                    .filter(|(name, _)| HARMLESS_HEADERS.contains(name))
                    .collect();
            }
            url = to;
        }
        unreachable!("the loop ends at the limit of redirects")
    }

    /// One request, without following anything.
    async fn ask(
        &self,
        method: Method,
        url: &Url,
        headers: HeaderMap,
        body: Vec<u8>,
        limits: &Limits,
        clock: Clock,
    ) -> Result<Answer, Error> {
        let is_proxied = is_proxied(&self.matcher, url);
        self.check(url, is_proxied)?;
        let transport = self.transport(url.scheme() == "https", is_proxied)?;
        let mut request = transport.request(method.clone(), url.clone()).headers(headers);
        if method != Method::GET {
            request = request.body(body);
        }
        let response = clock.wait(url, request.send()).await?.map_err(|error| {
            let error = Error::of_request(url, &error, self.settings.connect);
            match self.settings.proxies.of(url).filter(|_| is_proxied) {
                Some(proxy) => error.through(proxy),
                None => error,
            }
        })?;
        Ok(Answer::new(response, url.clone(), clock, limits.bytes))
    }

    /// Whether this address may be asked, as far as it can be said before its name is resolved.
    fn check(&self, url: &Url, is_proxied: bool) -> Result<(), Error> {
        let wrong = |why| Err(Error::Url { url: shown(url), why });
        if url.as_str().len() > MAX_URL_BYTES {
            return wrong("it is longer than 8,192 bytes");
        }
        if !matches!(url.scheme(), "http" | "https") {
            return wrong("only http and https can be asked");
        }
        let is_plain = url.scheme() == "http" && self.settings.plain_http == PlainHttp::Refused;
        let encrypted =
            || if is_plain { Err(Error::PlainHttp { url: shown(url) }) } else { Ok(()) };
        if !url.username().is_empty() || url.password().is_some() {
            return wrong("it holds a name or a password, which belong in a header");
        }
        let Some(host) = url.host() else { return wrong("it names no host") };
        if self.settings.reach == Reach::Anywhere {
            return encrypted();
        }
        let what = match host {
            Host::Ipv4(address) => why_refused(address.into(), &self.settings.exceptions),
            Host::Ipv6(address) => why_refused(address.into(), &self.settings.exceptions),
            Host::Domain(name) => {
                (is_proxied && is_name_of_a_network(name)).then_some("a name inside a network")
            }
        };
        // An address that may never be asked is not one to be asked by https.
        match what {
            None => encrypted(),
            Some(what) => {
                Err(Error::NotPublic { url: shown(url), host: format!("`{host}`"), what })
            }
        }
    }

    fn transport(&self, is_secure: bool, is_proxied: bool) -> Result<&reqwest::Client, Error> {
        let slot = &self.transports[usize::from(is_secure) * 2 + usize::from(is_proxied)];
        if let Some(ready) = slot.get() {
            return Ok(ready);
        }
        let made = self.make_transport(is_secure, is_proxied)?;
        Ok(slot.get_or_init(|| made))
    }

    fn make_transport(&self, is_secure: bool, is_proxied: bool) -> Result<reqwest::Client, Error> {
        let settings = &self.settings;
        let setup = |error: reqwest::Error| Error::Setup(crate::error::innermost(&error));
        let resolver = Arc::clone(&settings.resolver);
        let mut builder = reqwest::Client::builder()
            .user_agent(&settings.user_agent)
            .redirect(redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .connect_timeout(settings.connect)
            .http1_max_headers(MAX_HEADERS)
            .no_proxy();
        builder = match (is_proxied, settings.reach) {
            // Below a proxy only the proxy's own name is resolved.
            (true, _) | (_, Reach::Anywhere) => builder.dns_resolver(Anywhere(resolver)),
            (false, Reach::Public) => {
                let exceptions = Arc::clone(&settings.exceptions);
                builder.dns_resolver(PublicOnly { resolver, exceptions })
            }
        };
        if is_proxied {
            // Every request of this transport goes through the proxy; which ones get here is
            // decided before.
            if let Some(proxy) = &settings.proxies.http {
                builder = builder.proxy(reqwest::Proxy::http(proxy).map_err(setup)?);
            }
            if let Some(proxy) = &settings.proxies.https {
                builder = builder.proxy(reqwest::Proxy::https(proxy).map_err(setup)?);
            }
        }
        if is_secure {
            let extra = Certificate::from_pem_bundle(&settings.certificates).map_err(setup)?;
            builder = builder.tls_certs_merge(extra);
        } else {
            builder = builder.tls_certs_only([]);
        }
        builder.build().map_err(setup)
    }
}

/// Reads an address.
pub fn parse(text: &str) -> Result<Url, Error> {
    if text.len() > MAX_URL_BYTES {
        let url = text.chars().take(100).collect();
        return Err(Error::Url { url, why: "it is longer than 8,192 bytes" });
    }
    Url::parse(text).map_err(|_| Error::Url {
        url: text.chars().take(100).filter(|c| !c.is_control()).collect(),
        why: "it is not a URL",
    })
}

/// Where an answer sends on to.
fn redirect_target(answer: &Answer) -> Result<Option<Url>, Error> {
    if !matches!(answer.status(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let wrong = |why: &str| Error::Protocol { url: shown(answer.url()), why: why.to_owned() };
    let location = answer
        .header(header::LOCATION.as_str())
        .ok_or_else(|| wrong("it sends on without saying where to"))?;
    let to = answer.url().join(location).map_err(|_| wrong("it sends on to no address"))?;
    Ok(Some(to))
}
