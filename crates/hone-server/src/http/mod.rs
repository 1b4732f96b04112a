//! `hone serve`: an interface for programs, MCP, and a page for people, over HTTP.
//!
//! A request passes [`observe`] (bounds, headers, log), then the [`gate`] (host, origin, token, rate),
//! then what answers it: `/mcp`, `/api/v1`, or the page. Nothing is open to whoever has no token but the
//! form that asks for one.

mod gate;
pub mod limits;
mod listen;
mod log;
mod mcp;
mod observe;
mod page;
mod patient;
mod problem;
mod rate;
mod session;
mod skills;
mod token;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{any, get};
use hone_agent::tools::skills::{Clock, Shelf};
use hone_library::{Catalogue, State, Surroundings};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use gate::{Identity, Via};
pub use listen::{Address, Bound, DEFAULT_PORT, ListenError, Wanted, bind};
pub use log::{Log, Logged};
pub use problem::{PROBLEM_JSON, Problem};
pub use session::ENTER;
pub use token::{Kept, MAX_NAME_CHARS, MAX_TOKENS, OWNER, Role, TokenError, Tokens};

use crate::tools::Offer;

/// What a server is made of.
pub struct Setup {
    /// Where brains, keys and tokens are.
    pub hone_home: PathBuf,
    /// Where agents look for skills.
    pub around: Surroundings,
    /// The skills.
    pub shelf: Arc<Shelf>,
    /// Whether nobody may write, whatever a token says.
    pub is_read_only: bool,
    /// Now, in milliseconds since 1970.
    pub now: Clock,
    /// What is told about requests.
    pub log: Log,
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("hone_home", &self.hone_home).finish_non_exhaustive()
    }
}

/// What all requests share.
pub(crate) struct Shared {
    /// How the server is reached.
    pub(crate) address: Address,
    /// Who may do what.
    pub(crate) tokens: Tokens,
    /// Now, in milliseconds since 1970.
    pub(crate) now: Clock,
    /// Where agents look for skills.
    pub(crate) around: Surroundings,
    /// The skills.
    pub(crate) shelf: Arc<Shelf>,
    state: Mutex<State>,
    mcp: mcp::Servers,
    log: Log,
    /// Names this start of the server in the ids of its requests.
    run: String,
    free: Semaphore,
    reads: rate::Buckets<String>,
    changes: rate::Buckets<String>,
    strangers: rate::Buckets<IpAddr>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("address", &self.address).finish_non_exhaustive()
    }
}

/// What handlers get.
pub(crate) type Site = Arc<Shared>;

impl Shared {
    /// The skills as they are now.
    pub(crate) fn catalogue(&self) -> Arc<Catalogue> {
        self.shelf.catalogue()
    }

    /// The state, for as long as one answer needs it.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Does what touches the disk where it may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    site: &Site,
    work: impl FnOnce(&Site) -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let site = Arc::clone(site);
    let done = tokio::task::spawn_blocking(move || work(&site)).await;
    done.map_err(|error| Problem::internal(error.to_string()))?
}

/// Serves until `stop`; then no connection is taken any more, and those that are there end.
pub async fn serve(bound: Bound, setup: Setup, stop: CancellationToken) {
    crate::watcher::attend(&setup.shelf);
    let state = || State::open(&setup.hone_home);
    let offer = |is_read_only| {
        Offer::new(Arc::clone(&setup.shelf), state(), Arc::clone(&setup.now), is_read_only)
    };
    let site: Site = Arc::new(Shared {
        address: bound.address.clone(),
        tokens: Tokens::new(&setup.hone_home),
        mcp: mcp::Servers::new(offer(setup.is_read_only), offer(true), &stop),
        state: Mutex::new(state()),
        run: format!("{:x}", (setup.now)()),
        now: setup.now,
        around: setup.around,
        shelf: setup.shelf,
        log: setup.log,
        free: Semaphore::new(limits::MAX_REQUESTS),
        reads: rate::Buckets::new(limits::READS),
        changes: rate::Buckets::new(limits::CHANGES),
        strangers: rate::Buckets::new(limits::STRANGERS),
    });
    listen::accept(bound, app(site), &stop, async {}).await;
}

fn app(site: Site) -> Router {
    Router::new()
        .route(gate::HEALTH, get(|| async { "ok\n" }))
        .route(ENTER, get(session::enter).post(session::submit))
        .route("/leave", axum::routing::post(session::leave))
        .route("/mcp", any(mcp::mcp))
        .merge(page::routes())
        .fallback(async || Problem::not_found("there is nothing here"))
        .layer(from_fn(observe::note_route))
        .layer(from_fn_with_state(Arc::clone(&site), gate::guard))
        .layer(from_fn_with_state(Arc::clone(&site), observe::observe))
        .with_state(site)
}
