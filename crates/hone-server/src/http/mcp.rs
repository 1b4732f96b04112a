//! `/mcp`: the Model Context Protocol over streamable HTTP, behind the same gate.
//!
//! A token that may not write gets a server that does not offer to.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::Site;
use super::gate::Identity;
use super::limits::MAX_BODY_BYTES;
use super::token::Role;
use crate::mcp::Door;
use crate::tools::Offer;

type Service = StreamableHttpService<Door, LocalSessionManager>;

/// The two servers: for those who may write, and for those who may not.
#[derive(Clone)]
pub(crate) struct Servers {
    writers: Service,
    readers: Service,
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
        let service = |offer: Arc<Offer>| {
            let door = move || Ok(Door::new(Arc::clone(&offer)));
            StreamableHttpService::new(door, Arc::default(), config.clone())
        };
        Self { writers: service(writers), readers: service(readers) }
    }
}

/// Answers a message of a client.
pub(crate) async fn mcp(State(site): State<Site>, request: Request) -> Response {
    let may_write = request.extensions().get::<Identity>().is_some_and(|who| who.may(Role::Write));
    let servers = &site.mcp;
    let service = if may_write { &servers.writers } else { &servers.readers };
    service.handle(request).await.map(Body::new).into_response()
}
