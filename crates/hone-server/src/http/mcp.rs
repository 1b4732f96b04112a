//! `/mcp`: the Model Context Protocol over streamable HTTP, behind the same gate.
//!
//! A token that may not write gets a server that does not offer to. Clients of the older versions have a
//! session each, which ends when they say so or have said nothing for five minutes; there are so many at
//! most.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::Method;
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::Site;
use super::gate::Identity;
use super::limits::{MAX_BODY_BYTES, MAX_SESSIONS};
use super::problem::Problem;
use super::token::Role;
use crate::mcp::Door;
use crate::tools::Offer;

/// Names the session of a client that has one.
const SESSION: &str = "mcp-session-id";
/// Names the version of the protocol that a client speaks.
const VERSION: &str = "mcp-protocol-version";

/// One server, and the sessions of its clients.
struct Served {
    service: StreamableHttpService<Door, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
}

/// The two servers: for those who may write, and for those who may not.
pub(crate) struct Servers {
    writers: Served,
    readers: Served,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Servers").finish_non_exhaustive()
    }
}

impl Servers {
    /// Serves these skills until `stop`.
    pub(crate) fn new(writers: Arc<Offer>, readers: Arc<Offer>, stop: &CancellationToken) -> Self {
        // Host and origin are checked at the gate, which knows the names of this server.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(stop.clone());
        let served = |offer: Arc<Offer>| {
            let door = move || Ok(Door::new(Arc::clone(&offer)));
            let sessions = Arc::new(LocalSessionManager::default());
            let service = StreamableHttpService::new(door, Arc::clone(&sessions), config.clone());
            Served { service, sessions }
        };
        Self { writers: served(writers), readers: served(readers) }
    }
}

/// Whether a request may open a session: it has none, and speaks no version that needs none.
fn may_open(request: &Request) -> bool {
    let headers = request.headers();
    let newest = ProtocolVersion::V_2026_07_28;
    request.method() == Method::POST
        && !headers.contains_key(SESSION)
        && headers
            .get(VERSION)
            .is_none_or(|version| version.as_bytes() < newest.as_str().as_bytes())
}

/// Answers a message of a client.
pub(crate) async fn mcp(State(site): State<Site>, request: Request) -> Response {
    let may_write = request.extensions().get::<Identity>().is_some_and(|who| who.may(Role::Write));
    let Served { service, sessions } =
        if may_write { &site.mcp.writers } else { &site.mcp.readers };
    if may_open(&request) && sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return Problem::busy(
            "too many clients have a session; they end when they are left unused",
        )
        .into_response();
    }
    service.handle(request).await.map(Body::new).into_response()
}
