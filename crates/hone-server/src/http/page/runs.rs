//! `/runs`: tasks of agents, also while they go on.

use axum::extract::{Form, Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use maud::{Markup, html};
use serde::Deserialize;

use super::frame::{Failed, Place, Shown, page};
use super::steps;
use super::words::{self, NAME_CHARS, encoded};
use crate::http::Site;
use crate::http::api::runs as api;
use crate::http::gate::{Identity, Starter};
use crate::http::problem::Body;
use crate::http::runs::{Progress, Run, Wish};
use crate::http::token::Role;

/// Characters of an answer that are shown.
const MAX_ANSWER_CHARS: usize = 20_000;
/// Characters of a problem, with what to do next.
const MAX_PROBLEM_CHARS: usize = 2_000;

/// The list.
pub(super) async fn runs(State(site): State<Site>) -> Shown {
    let Json(all) = api::list(State(site), Query(api::RunQuery::default())).await?;
    let main = html! {
        h1 { "Runs" }
        @if all.runs.is_empty() { p { "None yet: the page of an agent gives it a task." } }
        @else {
            table.cards {
                thead { tr {
                    th scope="col" { "Task" } th scope="col" { "Agent" } th scope="col" { "Progress" }
                    th scope="col" { "Asked" }
                } }
                tbody {
                    @for run in &all.runs {
                        tr {
                            th scope="row" { a href=(href(run)) { (words::line(&run.wish.input, NAME_CHARS)) } }
                            td data-label="Agent" { (words::name(&run.wish.agent)) }
                            td data-label="Progress" { (progress(run.progress)) }
                            td data-label="Asked" { (words::moment(&run.asked)) }
                        }
                    }
                }
            }
        }
    };
    Ok(page("Runs", Some(Place::Runs), &main))
}

fn href(run: &Run) -> String {
    format!("/runs/{}", encoded(&run.id))
}

fn progress(progress: Progress) -> Markup {
    let (word, look) = match progress {
        Progress::Waiting => ("waiting", "unknown"),
        Progress::Running => ("running", "unknown"),
        Progress::Answered => ("answered", "safe"),
        Progress::Failed => ("failed", "dangerous"),
        Progress::Cancelled => ("cancelled", "caution"),
        Progress::Interrupted => ("interrupted", "caution"),
    };
    html! { span.{ "verdict " (look) } { (word) } }
}

/// One run. The script adds what happens while it happens.
pub(super) async fn run(
    State(site): State<Site>,
    Extension(who): Extension<Identity>,
    Path(id): Path<String>,
) -> Shown {
    let Json(run) = api::one(State(site.clone()), Path(id)).await?;
    let is_over = run.progress.is_over();
    let steps = if is_over { api::steps(&site, &run).await } else { Vec::new() };
    let main = html! {
        p.path { a href="/runs" { "Runs" } }
        h1 { "Run of " (words::name(&run.wish.agent)) }
        pre { (words::text(&run.wish.input, MAX_ANSWER_CHARS)) }
        p role="status" { (progress(run.progress)) }
        @if !is_over {
            @if who.may(Role::Run) {
                form method="post" action={ (href(&run)) "/cancel" } { button { "Stop" } }
            }
            p.plain { a href=(href(&run)) { "Look again" } }
        }
        section aria-labelledby="steps" {
            h2 id="steps" { "Steps" }
            @if is_over {
                @if steps.is_empty() { p { "Nothing was written down." } }
                @else { (steps::shown(&steps)) }
                @if let Some(task) = &run.task { p { "The transcript of task " code { (words::name(task)) } " of the agent." } }
            } @else {
                ol.steps aria-live="polite" data-follow={ "/api/v1/runs/" (encoded(&run.id)) "/events" } {}
            }
        }
        @if let Some(answer) = &run.answer {
            section aria-labelledby="answer" {
                h2 id="answer" { "Answer" }
                pre { (words::text(answer, MAX_ANSWER_CHARS)) }
            }
        }
        @if let Some(problem) = &run.problem { p.lines role="alert" { (words::text(problem, MAX_PROBLEM_CHARS)) } }
    };
    Ok(page("Run", Some(Place::Runs), &main))
}

/// The form of an agent's page.
#[derive(Debug, Deserialize)]
pub(super) struct Task {
    agent: String,
    input: String,
}

/// Where an agent is given a task.
pub(super) fn form(agent: &str) -> Markup {
    html! {
        form.try method="post" action="/runs" {
            input type="hidden" name="agent" value=(agent);
            label.wide { "A task for it" textarea name="input" rows="3" required {} }
            button { "Start" }
        }
    }
}

fn to(run: &Run) -> Response {
    (StatusCode::SEE_OTHER, [(header::LOCATION, href(run))]).into_response()
}

/// Starts a run.
pub(super) async fn start(
    State(site): State<Site>,
    starter: Starter,
    Form(task): Form<Task>,
) -> Result<Response, Failed> {
    let wish = Wish {
        agent: task.agent,
        input: task.input,
        subscriber: None,
        model: None,
        turns: None,
        tokens: None,
    };
    let agent = format!("/agents/{}", encoded(&wish.agent));
    let started = api::start(State(site), starter, Body(wish)).await;
    let (_, Json(run)) = started.map_err(|problem| Failed::back_to(problem, "the agent", agent))?;
    Ok(to(&run))
}

/// Stops a run.
pub(super) async fn cancel(
    State(site): State<Site>,
    starter: Starter,
    Path(id): Path<String>,
) -> Result<Response, Failed> {
    let back = format!("/runs/{}", encoded(&id));
    let cancelled = api::cancel(State(site), starter, Path(id)).await;
    let Json(run) = cancelled.map_err(|problem| Failed::back_to(problem, "the run", back))?;
    Ok(to(&run))
}
