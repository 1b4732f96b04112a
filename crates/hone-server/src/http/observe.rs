//! Around every request: bounds on what it may take, headers that every answer has, and one line about
//! it.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response as HttpResponse, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use hone_library::usage::iso;
use http_body_util::{BodyExt as _, Collected, Limited};
use tokio::time::timeout;

use super::Site;
use super::gate::Identity;
use super::limits::{ANSWER_TIME, MAX_BODY_BYTES};
use super::log::Line;
use super::problem::Problem;
use super::traces::{self, Span};

/// Characters of another layer's words that become the detail of a problem.
const MAX_DETAIL_BYTES: usize = 2_000;

/// What every answer says to a browser: nothing but our own files, no frames, no guesses.
const HEADERS: [(HeaderName, &str); 8] = [
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
         font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
         frame-ancestors 'none'",
    ),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "same-origin"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (
        HeaderName::from_static("permissions-policy"),
        "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    ),
    (header::CACHE_CONTROL, "no-store"),
];

/// Routes that are asked with a body and change nothing.
const QUESTIONS: [&str; 1] = ["/api/v1/match"];

/// Requests since the start, for their ids.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// The outermost layer.
pub(crate) async fn observe(State(site): State<Site>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let id = format!("{}-{}", site.run, COUNT.fetch_add(1, Ordering::Relaxed) + 1);
    let method = request.method().clone();
    let parent = site.traces.as_ref().and_then(|_| traces::parent(request.headers()));
    let mut response = bounded(&site, request, next).await;
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(HeaderValue::from_static(value));
    }
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", value);
    }
    let route = response.extensions().get::<Route>();
    let (route, token) =
        route.map_or((None, None), |route| (route.path.as_ref(), route.token.as_deref()));
    let route = route.map_or("(none)", MatchedPath::as_str);
    let status = response.status().as_u16();
    let is_change = !matches!(method, Method::GET | Method::HEAD) && !QUESTIONS.contains(&route);
    let took = begun.elapsed();
    site.metrics.count(route, shown(&method), status, took);
    if let Some(traces) = &site.traces {
        let method = shown(&method);
        traces.tell(&Span { method, route, status, ended: (site.now)(), took, parent });
    }
    if site.log.tells(is_change, status) {
        site.log.write(&Line {
            time: &iso((site.now)()),
            id: &id,
            method: method.as_str(),
            route,
            status,
            milliseconds: milliseconds(took),
            token,
        });
    }
    response
}

/// Milliseconds, exact to the microsecond and no longer than that.
#[expect(clippy::cast_precision_loss, reason = "a request takes no centuries")]
fn milliseconds(took: Duration) -> f64 {
    took.as_micros() as f64 / 1000.0
}

/// A method; what anybody can make up is one.
fn shown(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE => method.as_str(),
        _ => "(other)",
    }
}

/// What was matched and who asked, left on the answer for the line about it.
#[derive(Debug, Clone)]
struct Route {
    path: Option<MatchedPath>,
    token: Option<String>,
}

/// The innermost layer, where route and identity are known.
pub(crate) async fn note_route(request: Request, next: Next) -> Response {
    let extensions = request.extensions();
    let route = Route {
        path: extensions.get::<MatchedPath>().cloned(),
        token: extensions.get::<Identity>().map(|identity| identity.name.clone()),
    };
    let mut response = next.run(request).await;
    response.extensions_mut().insert(route);
    response
}

async fn bounded(site: &Site, request: Request, next: Next) -> Response {
    let Ok(_place) = site.free.try_acquire() else {
        return Problem::busy("too many requests are being answered").into_response();
    };
    let is_mcp = request.uri().path() == "/mcp";
    let said = request.headers().get(header::CONTENT_LENGTH);
    let said: Option<usize> = said.and_then(|said| said.to_str().ok()?.parse().ok());
    if said.is_some_and(|said| said > MAX_BODY_BYTES) {
        return too_large().into_response();
    }
    let request = request.map(|body| Body::new(Limited::new(body, MAX_BODY_BYTES)));
    match in_time(ANSWER_TIME, caught(next.run(request))).await {
        response if is_mcp => response,
        response => as_problem(response).await,
    }
}

/// An answer, or that there was none for too long.
async fn in_time(time: Duration, answering: impl Future<Output = Response>) -> Response {
    timeout(time, answering).await.unwrap_or_else(|_| {
        Problem::new(StatusCode::REQUEST_TIMEOUT, "this took too long").into_response()
    })
}

/// An answer, whatever happens on the way to it: what breaks down ends its own request and no other.
async fn caught(answering: impl Future<Output = Response>) -> Response {
    match AssertUnwindSafe(answering).catch_unwind().await {
        Ok(response) => response,
        Err(_) => broke_down().into_response(),
    }
}

fn broke_down() -> Problem {
    Problem::internal("answering this broke down; it is a fault of hone, not of the request")
}

fn too_large() -> Problem {
    Problem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("the body may have {MAX_BODY_BYTES} bytes, it has more"),
    )
}

/// An error in plain words of another layer, as a problem.
async fn as_problem(response: Response) -> Response {
    let status = response.status();
    let is_error = status.is_client_error() || status.is_server_error();
    let kind = response.headers().get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    if !is_error || kind.is_some_and(|kind| !kind.starts_with("text/plain")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let words = Limited::new(body, MAX_DETAIL_BYTES).collect().await;
    let words = words.map(Collected::to_bytes).unwrap_or_default();
    let words = String::from_utf8_lossy(&words).trim().to_owned();
    let problem = match status {
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(status, "this cannot be done here"),
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        _ => Problem::new(status, if words.is_empty() { status.to_string() } else { words }),
    };
    parts.headers.remove(header::CONTENT_LENGTH);
    parts.headers.remove(header::CONTENT_TYPE);
    let made: HttpResponse<Body> = problem.into_response();
    let (made, body) = made.into_parts();
    parts.headers.extend(made.headers);
    Response::from_parts(parts, body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_takes_too_long_is_answered_all_the_same() {
        let soon = Duration::from_millis(1);
        let said = in_time(soon, std::future::pending()).await;
        assert_eq!(said.status(), StatusCode::REQUEST_TIMEOUT);
        let fine = in_time(soon, async { StatusCode::OK.into_response() }).await;
        assert_eq!(fine.status(), StatusCode::OK);
    }

    #[tokio::test]
    async fn what_breaks_down_ends_its_own_request_alone() {
        let said = caught(async { panic!("on purpose, in a test") }).await;
        assert_eq!(said.status(), StatusCode::INTERNAL_SERVER_ERROR);
        let fine = caught(async { StatusCode::OK.into_response() }).await;
        assert_eq!(fine.status(), StatusCode::OK);
    }
}
