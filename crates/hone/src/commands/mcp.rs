//! `hone mcp`.

use std::io::IsTerminal;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use hone_agent::memory::Subscriber;
use hone_agent::tools::skills::{Gated, Shelf, Task};
use hone_learn::gate::Porter;
use hone_learn::redact::Redactor;
use hone_library::{Author, Search, State};
use hone_server::{Access, Lessons, Offer, Seeker, serve_stdio};

use super::policy::configured;
use crate::context::{Context, actor, now};
use crate::output::{Failure, Outcome, say};

pub(crate) fn serve(context: &Context, read_only: bool) -> Outcome {
    let state = State::open(&context.around.hone_home);
    let seeker = Arc::new(Seeker::new(&context.around.hone_home));
    let access = if read_only { Access::Read } else { Access::Write(Box::new(lessons(context)?)) };
    let offer = Offer::new(live_shelf(context)?, seeker, state, Arc::new(now), access, None);
    if std::io::stdin().is_terminal() {
        say("waiting for a program that speaks MCP; `hone connect` tells one to start this itself");
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let failed = |error: std::io::Error| Failure::failed(format!("could not serve: {error}"), "");
    runtime
        .map_err(failed)?
        .block_on(serve_stdio(offer, |note| say(&format!("note: {note}"))))
        .map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}

/// What a client on this machine can teach.
fn lessons(context: &Context) -> Result<Lessons, Failure> {
    Ok(Lessons {
        hone_home: context.around.hone_home.clone(),
        own: context.root_for_new(false)?,
        agent: writes_for(context),
        policy: configured(context)?,
        user_home: context.around.user_home.clone(),
        sessions: Some(context.around.clone()),
    })
}

/// The agent whose brain new skills go into, when they do.
pub(super) fn writes_for(context: &Context) -> Option<String> {
    let places = &context.places;
    places.agent.clone().filter(|_| places.root.is_empty())
}

/// The skills that a server offers, as they are whenever somebody asks.
pub(super) fn live_shelf(context: &Context) -> Result<Arc<Shelf>, Failure> {
    let author = Author { actor: format!("mcp:{}", actor()), reason: String::new(), now: now() };
    let (own, policy) = (context.root_for_new(false)?, configured(context)?);
    let state = State::open(&context.around.hone_home);
    let redactor = Redactor::new(Some(&context.around.user_home));
    let gate = Arc::new(Porter::of_clients(policy.clone(), redactor, own.clone()));
    let by = Task {
        hone_home: context.around.hone_home.clone(),
        agent: writes_for(context).unwrap_or_default(),
        id: String::new(),
        input: String::new(),
        subscriber: Subscriber::Owner,
    };
    let shelf = Shelf::new(state, context.search()?, own, author, policy, Arc::new(now));
    Ok(Arc::new(shelf.gated(Gated { gate, by }).live(searching(context)?)))
}

/// Where skills are looked for, as the settings are each time. Settings that got broken do not count.
fn searching(context: &Context) -> Result<impl Fn() -> Search + Send + Sync + use<>, Failure> {
    let (places, last) = (context.places.clone(), Mutex::new(context.search()?));
    Ok(move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Context::new(places.clone()).and_then(|context| context.search());
        if let Ok(now) = now {
            *last = now;
        }
        last.clone()
    })
}
