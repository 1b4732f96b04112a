//! `/mcp`: the Model Context Protocol over streamable HTTP, behind the same gate.
//!
//! A token that may not write gets a server that does not offer to. Who asks for the skills of an agent,
//! with `?agent=ID`, gets those, and writes into its brain. Clients of the older versions have a
//! session each, which ends when they say so or have said nothing for five minutes; there are so many at
//! most.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Body;
use axum::extract::{Query, Request, State};
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use rmcp::model::ProtocolVersion;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio_util::sync::CancellationToken;

use super::gate::Identity;
use super::limits::{MAX_BODY_BYTES, MAX_SESSIONS};
use super::problem::{Answer, Problem};
use super::token::Role;
use super::{Site, blocking};
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

/// The two servers of some skills: for those who may write, and for those who may not.
type Pair = [Served; 2];

/// What clients get of the skills of an agent; none when there is no such agent.
type OffersOf = Box<dyn Fn(&str) -> Option<[Arc<Offer>; 2]> + Send + Sync>;

/// The servers.
pub(crate) struct Servers {
    usual: Pair,
    /// Those of agents that somebody has asked for.
    of_agents: Mutex<HashMap<String, Arc<Pair>>>,
    offers_of: OffersOf,
    config: StreamableHttpServerConfig,
}

/// Whose skills a client asks for.
#[derive(Debug, serde::Deserialize)]
struct Wanted {
    agent: Option<String>,
}

impl std::fmt::Debug for Servers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Servers").finish_non_exhaustive()
    }
}

impl Servers {
    /// Serves these skills until `stop`.
    pub(crate) fn new(
        usual: [Arc<Offer>; 2],
        offers_of: OffersOf,
        stop: &CancellationToken,
    ) -> Self {
        // Host and origin are checked at the gate, which knows the names of this server.
        let config = StreamableHttpServerConfig::default()
            .disable_allowed_hosts()
            .with_json_response(true)
            .with_max_request_body_bytes(MAX_BODY_BYTES)
            .with_cancellation_token(stop.clone());
        Self { usual: pair(usual, &config), of_agents: Mutex::default(), offers_of, config }
    }

    /// The servers of an agent's skills, the same for all who ask.
    fn of_agent(&self, id: &str) -> Answer<Arc<Pair>> {
        let mut all = self.of_agents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(pair) = all.get(id) {
            return Ok(Arc::clone(pair));
        }
        let offers = (self.offers_of)(id);
        let offers = offers.ok_or_else(|| Problem::not_found("there is no agent of this name"))?;
        let pair = Arc::new(pair(offers, &self.config));
        all.insert(id.to_owned(), Arc::clone(&pair));
        Ok(pair)
    }
}

fn pair(offers: [Arc<Offer>; 2], config: &StreamableHttpServerConfig) -> Pair {
    offers.map(|offer| {
        let door = move || Ok(Door::new(Arc::clone(&offer)));
        let sessions = Arc::new(LocalSessionManager::default());
        let service = StreamableHttpService::new(door, Arc::clone(&sessions), config.clone());
        Served { service, sessions }
    })
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
pub(crate) async fn mcp(State(site): State<Site>, request: Request) -> Answer<Response> {
    // Most clients ask for no agent.
    if request.uri().query().is_none() {
        return Ok(answered(&site.mcp.usual, request).await);
    }
    let wanted = Query::<Wanted>::try_from_uri(request.uri());
    let wanted = wanted.map_err(|error| Problem::wrong(error.body_text()))?;
    let Some(id) = wanted.0.agent else { return Ok(answered(&site.mcp.usual, request).await) };
    let pair = blocking(&site, move |site| site.mcp.of_agent(&id)).await?;
    Ok(answered(&pair, request).await)
}

async fn answered([writers, readers]: &Pair, request: Request) -> Response {
    let may_write = request.extensions().get::<Identity>().is_some_and(|who| who.may(Role::Write));
    let Served { service, sessions } = if may_write { writers } else { readers };
    if may_open(&request) && sessions.sessions.read().await.len() >= MAX_SESSIONS {
        return Problem::busy(
            "too many clients have a session; they end when they are left unused",
        )
        .into_response();
    }
    let is_farewell = request.method() == Method::DELETE;
    let answer = service.handle(request).await.map(Body::new).into_response();
    // Some clients take "accepted" for a session that was not ended.
    if is_farewell && answer.status() == StatusCode::ACCEPTED {
        return StatusCode::NO_CONTENT.into_response();
    }
    answer
}
