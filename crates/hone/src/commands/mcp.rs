//! `hone mcp`.

use std::process::ExitCode;
use std::sync::Arc;

use hone_agent::tools::skills::Shelf;
use hone_library::{Author, State};
use hone_server::{Offer, serve_stdio};

use super::policy::configured;
use crate::context::{Context, actor, now};
use crate::output::{Failure, Outcome};

pub(crate) fn serve(context: &Context, read_only: bool) -> Outcome {
    let home = &context.around.hone_home;
    let author = Author { actor: format!("mcp:{}", actor()), reason: String::new(), now: now() };
    let own = context.root_for_new(false)?;
    let policy = configured(context)?;
    let shelf =
        Shelf::new(State::open(home), context.search()?, own, author, policy, Arc::new(now));
    let offer = Offer::new(Arc::new(shelf), State::open(home), Arc::new(now), read_only);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let failed = |error: std::io::Error| Failure::failed(format!("could not serve: {error}"), "");
    runtime.map_err(failed)?.block_on(serve_stdio(offer)).map_err(failed)?;
    Ok(ExitCode::SUCCESS)
}
