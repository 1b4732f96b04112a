//! The gate: every request passes here before anything looks at it.
//!
//! Host and origin first, so that no other site of a browser gets in; then who asks and how often. What a
//! request needs beyond reading is said where it is answered, by [`Writer`] and [`Starter`].

use std::net::{IpAddr, SocketAddr};
use std::time::Instant;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use super::Site;
use super::limits::MAX_HEAD_BYTES;
use super::problem::Problem;
use super::session::{self, ENTER};
use super::token::{Kept, Role};

/// Where files of the page lie that say nothing about the library.
pub(crate) const STATIC: &str = "/static/";
/// Whether the server is there at all.
pub(crate) const HEALTH: &str = "/healthz";

/// By which way somebody showed who they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Via {
    /// A program, with its token.
    Token,
    /// A person at the page.
    Page,
}

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// The name of the token.
    pub name: String,
    /// What it may do.
    pub roles: Vec<Role>,
    /// By which way.
    pub via: Via,
}

impl Identity {
    fn of(token: &Kept, via: Via) -> Self {
        Self { name: token.name.clone(), roles: token.roles.clone(), via }
    }

    /// Whether it may do this.
    pub fn may(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// The name that changes are recorded under.
    pub fn actor(&self) -> String {
        match self.via {
            Via::Token => format!("http:{}", self.name),
            Via::Page => format!("page:{}", self.name),
        }
    }
}

/// Lets a request through, or says why not.
pub(crate) async fn guard(State(site): State<Site>, mut request: Request, next: Next) -> Response {
    let remote = request.extensions().get::<SocketAddr>().map(SocketAddr::ip);
    match admitted(&site, &request, remote, Instant::now()) {
        Ok(identity) => {
            if let Some(identity) = identity {
                request.extensions_mut().insert(identity);
            }
            next.run(request).await
        }
        Err(problem) if problem.status == 401 && wants_a_page(&request) => {
            session::asked(StatusCode::UNAUTHORIZED, "")
        }
        Err(problem) => problem.into_response(),
    }
}

fn admitted(
    site: &Site,
    request: &Request,
    remote: Option<IpAddr>,
    now: Instant,
) -> Result<Option<Identity>, Problem> {
    let headers = request.headers();
    let is_ours = |host: &str| site.address.is_ours(host);
    let named = request.uri().authority().map(axum::http::uri::Authority::as_str);
    if headers.get_all(header::HOST).iter().nth(1).is_some() {
        return Err(Problem::new(StatusCode::BAD_REQUEST, "the request names more than one host"));
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(is_ours) || !named.is_none_or(is_ours) {
        return Err(Problem::new(
            StatusCode::MISDIRECTED_REQUEST,
            "this server does not go by the name that the request asks for",
        )
        .hint("use the address that `hone serve` prints, or add the name with `--name`"));
    }
    if head_bytes(request.uri(), headers) > MAX_HEAD_BYTES {
        return Err(Problem::new(
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
            "the head of the request is too large",
        ));
    }
    let origin = if is_for_another_site(request.method(), headers) {
        Origin::Foreign
    } else {
        origin(site, headers)
    };
    if origin == Origin::Foreign {
        return Err(Problem::forbidden("requests from pages of other sites are not answered"));
    }
    let is_change = !matches!(*request.method(), Method::GET | Method::HEAD);
    let path = request.uri().path();
    let is_public = path == HEALTH || path == ENTER || path.starts_with(STATIC);
    let Some(identity) = identity(site, headers) else {
        let asks_to_enter = path == ENTER && (is_change || request.uri().query().is_some());
        if is_public && !asks_to_enter {
            return Ok(None);
        }
        if remote.is_some_and(|remote| !site.strangers.take(remote, now)) {
            return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many wrong tokens"));
        }
        if is_public {
            return Ok(None);
        }
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "there is no right token with this request",
        )
        .hint("send `Authorization: Bearer TOKEN`; `hone serve token add NAME` makes a token"));
    };
    if is_change && identity.via == Via::Page && origin != Origin::Own {
        return Err(Problem::forbidden("a change through a cookie has to come from our own page"));
    }
    // A question in the body of a request is none the less one; what changes something over MCP is counted
    // there.
    let is_question = matches!(path, "/mcp" | "/api/v1/match");
    let buckets = if is_change && !is_question { &site.changes } else { &site.reads };
    if !buckets.take(identity.name.clone(), now) {
        return Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "too many requests of this token"));
    }
    Ok(Some(identity))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Own,
    Unsaid,
    Foreign,
}

/// Bytes of a request's head, as it is written down.
fn head_bytes(uri: &axum::http::Uri, headers: &HeaderMap) -> usize {
    let target = uri.path_and_query().map_or(0, |target| target.as_str().len());
    // A name, a colon, a blank, the value, and the end of the line.
    headers.iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum::<usize>()
        + target
}

/// Whether a browser says that it asks for another site's page. Following a link to ours is not that:
/// the person goes there, and the other page gets nothing of it.
fn is_for_another_site(method: &Method, headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|known| known == value);
    let follows_link = matches!(*method, Method::GET | Method::HEAD)
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document");
    let is_elsewhere = is("sec-fetch-site", "cross-site") || is("sec-fetch-site", "same-site");
    is_elsewhere && !follows_link
}

/// Which site a browser says it asks for. What it sends in `Sec-Fetch-Site` no page can change.
fn origin(site: &Site, headers: &HeaderMap) -> Origin {
    let own = headers.get("sec-fetch-site").is_some_and(|value| value == "same-origin");
    match headers.get(header::ORIGIN).map(|origin| origin.to_str().unwrap_or_default()) {
        None | Some("null") if own => Origin::Own,
        None => Origin::Unsaid,
        Some(origin) => {
            let scheme = if site.address.is_tls { "https://" } else { "http://" };
            match origin.strip_prefix(scheme) {
                Some(host) if site.address.is_ours(host) => Origin::Own,
                _ => Origin::Foreign,
            }
        }
    }
}

fn identity(site: &Site, headers: &HeaderMap) -> Option<Identity> {
    let tokens = site.tokens.current();
    if let Some(value) = headers.get(header::AUTHORIZATION) {
        let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let sha256 = hone_library::hash(token.trim().as_bytes());
        return tokens
            .iter()
            .find(|kept| kept.sha256 == sha256)
            .map(|token| Identity::of(token, Via::Token));
    }
    let value = session::cookie(headers, &session::cookie_name(site.address.port))?;
    session::unsealed(value, &tokens, (site.now)()).map(|token| Identity::of(token, Via::Page))
}

/// Whether a person looks at a page, and no program at the interface.
pub(crate) fn wants_a_page(request: &Request) -> bool {
    let path = request.uri().path();
    let accepts = request.headers().get(header::ACCEPT).and_then(|value| value.to_str().ok());
    request.method() == Method::GET
        && accepts.is_some_and(|accepts| accepts.contains("text/html"))
        && !path.starts_with("/api/")
        && path != "/mcp"
}

fn needed(parts: &Parts, role: Role) -> Result<Identity, Problem> {
    let identity = parts.extensions.get::<Identity>().filter(|identity| identity.may(role));
    identity.cloned().ok_or_else(|| {
        Problem::forbidden(format!("this needs a token with the role `{}`", role.id()))
            .hint(format!("`hone serve token add NAME --role {}` makes one", role.id()))
    })
}

/// Whoever may change skills.
#[derive(Debug, Clone)]
pub(crate) struct Writer(pub(crate) Identity);

impl FromRequestParts<Site> for Writer {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Site) -> Result<Self, Problem> {
        needed(parts, Role::Write).map(Self)
    }
}

/// Whoever may let agents work.
#[derive(Debug, Clone)]
pub(crate) struct Starter(pub(crate) Identity);

impl FromRequestParts<Site> for Starter {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Site) -> Result<Self, Problem> {
        needed(parts, Role::Run).map(Self)
    }
}
