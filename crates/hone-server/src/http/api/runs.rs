//! Runs: starting, following, stopping.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::Stream;
use hone_agent::brain::Brain;
use hone_agent::step::Step;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::http::gate::Starter;
use crate::http::problem::{Answer, Body, Problem, bounded};
use crate::http::runs::{Follower, NotBegun, Run, Wish};
use crate::http::{Site, blocking};

/// Characters of the name of an agent.
const MAX_AGENT: usize = 64;
/// Characters of a task.
const MAX_INPUT: usize = 800_000;
/// Replies of a model that may be asked for.
const MAX_TURNS: u32 = 64;
/// Runs in one list.
const MAX_LISTED: usize = 200;
/// How often a line says that a quiet run is still there.
const STILL_THERE: Duration = Duration::from_secs(15);

/// Which runs to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RunQuery {
    /// How many at most.
    #[schemars(range(min = 1, max = 200))]
    pub(crate) limit: Option<usize>,
}

/// The newest runs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RunList {
    /// Newest first.
    pub(crate) runs: Vec<Run>,
}

pub(crate) async fn list(
    State(site): State<Site>,
    Query(query): Query<RunQuery>,
) -> Answer<Json<RunList>> {
    let limit = query.limit.unwrap_or(MAX_LISTED);
    if !(1..=MAX_LISTED).contains(&limit) {
        return Err(Problem::wrong(format!("`limit` is between 1 and {MAX_LISTED}")));
    }
    let runs = blocking(&site, move |site| Ok(site.runs.list(limit))).await?;
    Ok(Json(RunList { runs }))
}

pub(crate) async fn start(
    State(site): State<Site>,
    Starter(who): Starter,
    Body(wish): Body<Wish>,
) -> Answer<(StatusCode, Json<Run>)> {
    // An agent writes what it learned, and skills.
    site.refuse_read_only()?;
    bounded("agent", &wish.agent, 1..=MAX_AGENT)?;
    bounded("input", &wish.input, 1..=MAX_INPUT)?;
    if wish.turns.is_some_and(|turns| !(1..=MAX_TURNS).contains(&turns)) {
        return Err(Problem::wrong(format!("`turns` is between 1 and {MAX_TURNS}")));
    }
    if wish.input.trim().is_empty() {
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "the task is empty"));
    }
    let run = blocking(&site, move |site| {
        Brain::find(&site.hone_home, &wish.agent)?;
        site.runs.start(wish, who.actor()).map_err(|why| match why {
            NotBegun::TooMany => Problem::busy("too many tasks are under way"),
            NotBegun::Stopping => Problem::busy("the server is stopping"),
            NotBegun::Disk(why) => {
                Problem::internal(format!("the run could not be written down: {why}"))
            }
        })
    });
    Ok((StatusCode::ACCEPTED, Json(run.await?)))
}

fn none(id: &str) -> Problem {
    Problem::not_found(format!(
        "there is no run `{}`",
        id.escape_debug().take(100).collect::<String>()
    ))
}

pub(crate) async fn one(State(site): State<Site>, Path(id): Path<String>) -> Answer<Json<Run>> {
    let found = blocking(&site, move |site| site.runs.one(&id).ok_or_else(|| none(&id)));
    Ok(Json(found.await?))
}

pub(crate) async fn cancel(
    State(site): State<Site>,
    Starter(_): Starter,
    Path(id): Path<String>,
) -> Answer<Json<Run>> {
    let found = blocking(&site, move |site| site.runs.cancel(&id).ok_or_else(|| none(&id)));
    Ok(Json(found.await?))
}

/// The steps of a run that is over, from the transcript of its task; none when there is none.
pub(crate) async fn steps(site: &Site, run: &Run) -> Vec<Step> {
    let (agent, task) = (run.wish.agent.clone(), run.task.clone());
    let read = blocking(site, move |site| {
        let Some(task) = task else { return Ok(Vec::new()) };
        let lines = Brain::find(&site.hone_home, &agent)?.transcript(&task)?.unwrap_or_default();
        // The first line says what was asked, the last what came of it.
        let steps = lines.iter().filter_map(|line| Step::deserialize(line).ok());
        Ok(steps.collect())
    });
    read.await.unwrap_or_default()
}

/// What happens, as it happens; `Last-Event-ID` goes on where a connection broke.
pub(crate) async fn follow(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<Sse<impl Stream<Item = Result<Event, Infallible>> + use<>>> {
    let asked = id.clone();
    let run =
        blocking(&site, move |site| site.runs.one(&asked).ok_or_else(|| none(&asked))).await?;
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let start = match site.runs.follow(&id, seen.unwrap_or(0)) {
        Some(follower) => Next::From(follower),
        // Of a run that is over there are its steps, and for whoever saw them its end.
        None if seen.is_some() => Next::Over(VecDeque::new(), Box::new(run)),
        None => Next::Over(steps(&site, &run).await.into(), Box::new(run)),
    };
    let stream = futures_util::stream::unfold(start, |next| async move {
        match next {
            Next::From(mut follower) => {
                let happened = follower.next().await?;
                let event = Event::default().id(happened.0.to_string()).data(&happened.1);
                Some((Ok(event), Next::From(follower)))
            }
            Next::Over(mut steps, run) => {
                if let Some(step) = steps.pop_front() {
                    let told = json!({"event": "step", "step": step}).to_string();
                    return Some((Ok(Event::default().data(told)), Next::Over(steps, run)));
                }
                let told = json!({"event": "over", "run": run}).to_string();
                Some((Ok(Event::default().data(told)), Next::Nothing))
            }
            Next::Nothing => None,
        }
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(STILL_THERE)))
}

/// What a stream has still to tell.
enum Next {
    From(Follower),
    Over(VecDeque<Step>, Box<Run>),
    Nothing,
}
