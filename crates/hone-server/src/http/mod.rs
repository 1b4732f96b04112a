//! `hone serve`: an interface for programs, MCP, and a page for people, over HTTP.
//!
//! A request passes `observe` (bounds, headers, log), then the `gate` (host, origin, token, rate),
//! then what answers it: `/mcp`, `/api/v1`, or the page. Nothing is open to whoever has no token but the
//! form that asks for one.

mod api;
mod gate;
pub mod limits;
mod listen;
mod log;
mod mcp;
mod metrics;
mod observe;
mod page;
mod patient;
mod places;
mod problem;
pub(crate) mod rate;
mod runs;
mod session;
mod skills;
mod token;
mod traces;

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{any, get};
use hone_agent::tools::skills::{Clock, Shelf};
use hone_guard::policy::Policy;
use hone_library::{Audience, Catalogue, Listed, State, Surroundings};
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

pub use api::shapes::Finding;
pub use gate::{Identity, Via};
pub use listen::{Address, Bound, DEFAULT_PORT, ListenError, Wanted, bind};
pub use log::{Log, Logged};
pub use problem::{PROBLEM_JSON, Problem};
pub use runs::{
    Learning, MAX_AT_ONCE, MAX_EVENT_BYTES, MAX_EVENTS, MAX_KEPT, MAX_OPEN, Making, Progress, Run,
    Wish, Workshop,
};
pub use session::ENTER;
pub use token::{Kept, MAX_NAME_CHARS, MAX_TOKENS, OWNER, Role, TokenError, Tokens};
pub use traces::Collector;

use self::metrics::Metrics;
use self::problem::Answer;
use self::runs::Runs;
use self::traces::Traces;
use crate::lessons::Lessons;
use crate::seeker::Seeker;
use crate::tools::{Access, Offer};

/// The skills that a connection sees.
pub struct Scoped {
    /// The skills.
    pub shelf: Arc<Shelf>,
    /// Where new ones go.
    pub own: PathBuf,
    /// The agent whose brain that folder belongs to, if it does.
    pub agent: Option<String>,
}

impl std::fmt::Debug for Scoped {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scoped").field("own", &self.own).finish_non_exhaustive()
    }
}

/// The skills of a connection that asks for those of an agent.
pub type ScopedTo = Box<dyn Fn(&str) -> Option<Scoped> + Send + Sync>;

/// What a server is made of.
pub struct Setup {
    /// Where brains, keys and tokens are.
    pub hone_home: PathBuf,
    /// Where agents look for skills.
    pub around: Surroundings,
    /// The skills, for everybody who asks for no others.
    pub skills: Scoped,
    /// The skills of an agent that is there.
    pub of_agent: ScopedTo,
    /// What may be used.
    pub policy: Policy,
    /// Whether nobody may write, whatever a token says.
    pub is_read_only: bool,
    /// Who makes what tasks of agents need.
    pub workshop: Arc<dyn Workshop>,
    /// How agents learn from tasks.
    pub learning: Learning,
    /// Now, in milliseconds since 1970.
    pub now: Clock,
    /// What is told about requests.
    pub log: Log,
    /// Who else is told.
    pub traces: Option<Collector>,
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
    /// Where brains, keys and tokens are.
    pub(crate) hone_home: PathBuf,
    /// The skills.
    pub(crate) shelf: Arc<Shelf>,
    /// Where new skills go.
    pub(crate) own: PathBuf,
    /// What may be used.
    pub(crate) policy: Policy,
    /// Whoever looks for skills.
    pub(crate) seeker: Arc<Seeker>,
    /// Tasks of agents.
    pub(crate) runs: Arc<Runs>,
    is_read_only: bool,
    document: Value,
    metrics: Metrics,
    traces: Option<Traces>,
    skills_seen: AtomicU64,
    state: Mutex<State>,
    audience: Mutex<Audience>,
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
        let catalogue = self.shelf.catalogue();
        self.skills_seen.store(catalogue.skills.len() as u64, Ordering::Relaxed);
        catalogue
    }

    /// Skills that were offered when last somebody asked.
    fn skills_seen(&self) -> u64 {
        self.skills_seen.load(Ordering::Relaxed)
    }

    /// The skill of a name.
    pub(crate) fn skill<'c>(&self, catalogue: &'c Catalogue, name: &str) -> Answer<&'c Listed> {
        Ok(catalogue.resolve(api::checked(name)?, &self.own)?)
    }

    /// No, when nobody may write here.
    pub(crate) fn refuse_read_only(&self) -> Answer<()> {
        if self.is_read_only {
            return Err(Problem::forbidden("this server is read-only"));
        }
        Ok(())
    }

    /// What other agents see. Its first look at a large library takes a while, in which others wait that
    /// ask for the same and nobody else.
    pub(crate) fn audience(&self) -> MutexGuard<'_, Audience> {
        self.audience.lock().unwrap_or_else(PoisonError::into_inner)
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
    let state = || State::open(&setup.hone_home);
    let seeker = Arc::new(Seeker::new(&setup.hone_home));
    let offers = offers(&setup, &seeker);
    let usual = offers(&setup.skills);
    let of_agent = setup.of_agent;
    let of_agent = Box::new(move |id: &str| of_agent(id).map(|skills| offers(&skills)));
    let (routes, document) = api::interface();
    let runs = Runs::open(&setup.hone_home, Arc::clone(&setup.now), setup.workshop, setup.learning);
    let runs = Arc::new(runs);
    let (traces, sending) = setup.traces.map(Traces::to).unzip();
    let site: Site = Arc::new(Shared {
        address: bound.address.clone(),
        tokens: Tokens::new(&setup.hone_home),
        mcp: mcp::Servers::new(usual, of_agent, &stop),
        state: Mutex::new(state()),
        audience: Mutex::new(Audience::new(state())),
        seeker: Arc::clone(&seeker),
        runs: Arc::clone(&runs),
        own: setup.skills.own,
        policy: setup.policy,
        is_read_only: setup.is_read_only,
        document,
        metrics: Metrics::default(),
        traces,
        skills_seen: AtomicU64::new(0),
        hone_home: setup.hone_home,
        run: format!("{:x}", (setup.now)()),
        now: setup.now,
        around: setup.around,
        shelf: setup.skills.shelf,
        log: setup.log,
        free: Semaphore::new(limits::MAX_REQUESTS),
        reads: rate::Buckets::new(limits::READS),
        changes: rate::Buckets::new(limits::CHANGES),
        strangers: rate::Buckets::new(limits::STRANGERS),
    });
    let shelf = Arc::clone(&site.shelf);
    let patience = limits::Patience::default();
    listen::accept(bound, app(site, routes), patience, &stop, runs.finish()).await;
    shelf.settle_counts();
    if let Some(sending) = sending {
        traces::finish(sending).await;
    }
}

/// What clients get of some skills: those who may write, and those who may not.
fn offers(
    setup: &Setup,
    seeker: &Arc<Seeker>,
) -> impl Fn(&Scoped) -> [Arc<Offer>; 2] + Send + Sync + use<> {
    let (hone_home, user_home) = (setup.hone_home.clone(), setup.around.user_home.clone());
    let (policy, now, seeker) = (setup.policy.clone(), Arc::clone(&setup.now), Arc::clone(seeker));
    let is_read_only = setup.is_read_only;
    move |skills| {
        crate::watcher::attend(&skills.shelf);
        [!is_read_only, false].map(|may_write| {
            // A client may be anywhere: what agents did on this machine is not told.
            let lessons = || Lessons {
                hone_home: hone_home.clone(),
                own: skills.own.clone(),
                agent: skills.agent.clone(),
                policy: policy.clone(),
                user_home: user_home.clone(),
                sessions: None,
            };
            let access = if may_write { Access::Write(Box::new(lessons())) } else { Access::Read };
            let (shelf, seeker) = (Arc::clone(&skills.shelf), Arc::clone(&seeker));
            let state = State::open(&hone_home);
            Offer::new(shelf, seeker, state, Arc::clone(&now), access, Some(limits::CHANGES))
        })
    }
}

fn app(site: Site, interface: Router<Site>) -> Router {
    Router::new()
        .route(gate::HEALTH, get(|| async { "ok\n" }))
        .route(ENTER, get(session::enter).post(session::submit))
        .route("/leave", axum::routing::post(session::leave))
        .route("/mcp", any(mcp::mcp))
        .merge(interface)
        .route("/api/v1/openapi.json", get(document))
        .route("/metrics", get(metrics::metrics))
        .merge(page::routes())
        .fallback(nothing_here)
        // The bound of [`limits::MAX_BODY_BYTES`] holds for every body.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn(observe::note_route))
        .layer(from_fn_with_state(Arc::clone(&site), gate::guard))
        .layer(from_fn_with_state(Arc::clone(&site), observe::observe))
        .with_state(site)
}

/// What is at no address: a page for a person, a problem for a program.
async fn nothing_here(request: Request) -> Response {
    let problem = Problem::not_found("there is nothing here");
    if gate::wants_a_page(&request) { page::failed(problem) } else { problem.into_response() }
}

async fn document(axum::extract::State(site): axum::extract::State<Site>) -> axum::Json<Value> {
    axum::Json(site.document.clone())
}

/// The description of the interface: an `OpenAPI` document.
pub fn openapi() -> Value {
    api::interface().1
}
